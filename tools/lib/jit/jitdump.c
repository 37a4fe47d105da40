// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The jitdump file: a header, then records, each with its size. The file is walked once; of code
 * and line tables only the places are kept, for they are most of the file and few are asked for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "jit/jit-int.h"

#define MAGIC	  0x4a695444u
#define HEADER	  40
#define RECORD	  16
#define LOAD	  40 /* of a LOAD, in front of its name */
#define FLAG_TSC  1u
#define WINDOW	  (64u << 10)
#define NAME_KEPT 4096u /* of one that is longer */
/* Names and places of one file; a compiler that ran for days leaves a tenth of it. */
#define BUDGET (512u << 20)

enum {
	JIT_CODE_LOAD,
	JIT_CODE_MOVE,
	JIT_CODE_DEBUG_INFO,
	JIT_CODE_CLOSE,
	JIT_CODE_UNWINDING_INFO,
};

/* A part of the file in memory. */
struct window {
	unsigned char *buf;
	uint64_t at;
	size_t n;
};

/* @n bytes at @at (n <= WINDOW); NULL when they are not in the file. */
static const unsigned char *window_bytes(struct jitdump *d, struct window *w, uint64_t at, size_t n)
{
	ssize_t got;

	if (at > d->file_size || d->file_size - at < n)
		return NULL;
	if (at >= w->at && at - w->at <= w->n && w->n - (at - w->at) >= n)
		return w->buf + (at - w->at);
	got = pread(d->fd, w->buf, WINDOW, (off_t)at);
	w->at = at;
	w->n = got > 0 ? (size_t)got : 0;
	return w->n >= n ? w->buf : NULL;
}

static bool spend(struct jitdump *d, size_t n)
{
	d->spent += n;
	return d->spent <= BUDGET;
}

/* ---- records --------------------------------------------------------------------------------- */

/* What a file calls a code by. */
struct number {
	uint64_t index;
	uint32_t code;
};

struct walk {
	struct jitdump *d;
	struct window w;
	VEC(struct number) number;
	struct htab by_index; /* code_index to number */
	uint64_t debug_at;    /* of the DEBUG_INFO that waits for its load; 0 = none */
	uint64_t debug_end, debug_addr, debug_rows;
};

static int add_event(struct walk *k, const struct jit_event *ev)
{
	struct jitdump *d = k->d;

	if (d->event.n && d->event.v[d->event.n - 1].time > ev->time)
		d->sorted = false;
	return vec_push(&d->event, *ev);
}

/* NULL: none of its loads came yet. */
static struct number *find_number(const struct walk *k, uint64_t index)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&k->by_index, hash_u64(index));
	     htab_next(&k->by_index, &it, &i);)
		if (i < k->number.n && k->number.v[i].index == index)
			return &k->number.v[i];
	return NULL;
}

/* The newest code stands for its number: one entry each, however often a file uses it again. */
static int set_number(struct walk *k, uint64_t index, uint32_t code)
{
	struct number *there = find_number(k, index), n = { index, code };

	if (there) {
		there->code = code;
		return 0;
	}
	return vec_push(&k->number, n)
		       ?: htab_add(&k->by_index, hash_u64(index), (uint32_t)k->number.n - 1);
}

/* With its NUL, which lies before @end; 0: there is none. */
static uint64_t name_size(struct walk *k, uint64_t at, uint64_t end)
{
	for (uint64_t from = at; at < end;) {
		size_t n = (size_t)min_u64(end - at, NAME_KEPT);
		const unsigned char *p = window_bytes(k->d, &k->w, at, n);
		const unsigned char *nul = p ? memchr(p, 0, n) : NULL;

		if (nul)
			return at + (uint64_t)(nul - p) + 1 - from;
		if (!p)
			break;
		at += n;
	}
	return 0;
}

static int take_load(struct walk *k, uint64_t at, uint64_t size, uint64_t time)
{
	struct jitdump *d = k->d;
	const unsigned char *p = size >= LOAD ? window_bytes(d, &k->w, at, LOAD) : NULL;
	struct cursor c = cursor_init(p, p ? LOAD : 0, d->swap);
	struct code_obj o = { 0 };
	struct jit_event ev = { .time = time, .code = (uint32_t)d->code.n };
	uint64_t index, n;

	cursor_skip(&c, 16); /* pid, tid, vma: of no use */
	ev.addr = cursor_u64(&c);
	o.pub.size = cursor_u64(&c);
	index = cursor_u64(&c);
	if (c.bad)
		return -EINVAL;
	n = name_size(k, at + LOAD, at + size);
	if (!n)
		return -EINVAL;
	o.pub.at = at + LOAD + n;
	o.pub.addr = ev.addr;
	if (o.pub.size > size - LOAD - n)
		return -EINVAL;
	if (k->debug_at && k->debug_addr == ev.addr) {
		o.rows_at = k->debug_at;
		o.rows_end = k->debug_end;
		o.rows = k->debug_rows;
	}
	k->debug_at = 0;
	if (!o.pub.size)
		return 0;
	n = min_u64(n - 1, NAME_KEPT);
	if (!spend(d, sizeof(o) + sizeof(ev) + 16 + (size_t)n))
		return -EFBIG;
	p = window_bytes(d, &k->w, at + LOAD, (size_t)n);
	if (!p)
		return -EINVAL;
	o.pub.name = arena_strndup(&d->names, (const char *)p, (size_t)n);
	if (!o.pub.name || vec_push(&d->code, o) || add_event(k, &ev) ||
	    set_number(k, index, ev.code))
		return -ENOMEM;
	return 0;
}

static int take_move(struct walk *k, uint64_t at, uint64_t size, uint64_t time)
{
	struct jitdump *d = k->d;
	const unsigned char *p = size >= 48 ? window_bytes(d, &k->w, at, 48) : NULL;
	struct cursor c = cursor_init(p, p ? 48 : 0, d->swap);
	struct jit_event ev = { .time = time, .moved = true };
	const struct number *of;

	cursor_skip(&c, 16);
	ev.old = cursor_u64(&c);
	ev.addr = cursor_u64(&c);
	cursor_skip(&c, 8); /* the size is the code's */
	of = find_number(k, cursor_u64(&c));
	if (c.bad)
		return -EINVAL;
	if (!of)
		return 0;
	ev.code = of->code;
	if (!spend(d, sizeof(ev)))
		return -EFBIG;
	return add_event(k, &ev);
}

/* Rows of 16 bytes and a name, for the load that follows. */
static int take_debug(struct walk *k, uint64_t at, uint64_t size)
{
	const unsigned char *p = size >= 16 ? window_bytes(k->d, &k->w, at, 16) : NULL;
	struct cursor c = cursor_init(p, p ? 16 : 0, k->d->swap);

	k->debug_addr = cursor_u64(&c);
	k->debug_rows = cursor_u64(&c);
	if (c.bad)
		return -EINVAL;
	k->debug_at = at + 16;
	k->debug_end = at + size;
	return 0;
}

static int take_record(struct walk *k, uint32_t id, uint64_t at, uint64_t size, uint64_t time)
{
	switch (id) {
	case JIT_CODE_LOAD: return take_load(k, at, size, time);
	case JIT_CODE_MOVE: return take_move(k, at, size, time);
	case JIT_CODE_DEBUG_INFO: return take_debug(k, at, size);
	default: return 0; /* CLOSE, UNWINDING_INFO, and what later versions add */
	}
}

static void damaged(struct jitdump *d, uint64_t at, const char *why)
{
	snprintf(d->damage, sizeof(d->damage), "the record at offset %#llx %s",
		 (unsigned long long)at, why);
}

/* 0 with d->damage where the file is not whole; -ENOMEM. */
static int walk_records(struct walk *k, uint64_t at)
{
	struct jitdump *d = k->d;
	int ret = 0;

	while (!ret && at < d->file_size) {
		const unsigned char *p = window_bytes(d, &k->w, at, RECORD);
		struct cursor c = cursor_init(p, p ? RECORD : 0, d->swap);
		uint32_t id = cursor_u32(&c), size = cursor_u32(&c);
		uint64_t time = cursor_u64(&c);

		if (c.bad || size > d->file_size - at) {
			damaged(d, at, "passes the end of the file");
			break;
		}
		if (size < RECORD) {
			damaged(d, at, "is smaller than its own head");
			break;
		}
		ret = take_record(k, id, at + RECORD, size - RECORD, time);
		if (ret == -EINVAL || ret == -EFBIG) {
			damaged(d, at,
				ret == -EINVAL ? "is malformed"
					       : "is one too many (512 MiB of names and places)");
			return 0;
		}
		at += size;
	}
	return ret;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int read_header(struct jitdump *d, struct window *w, uint64_t *first, struct err *e)
{
	const unsigned char *p = window_bytes(d, w, 0, HEADER);
	uint32_t magic = p ? load_u32(p, false) : 0, version, size;
	struct cursor c;

	if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
		return err_set(e, -EINVAL, "it does not begin like a jitdump file");
	d->swap = magic != MAGIC;
	c = cursor_init(p + 4, HEADER - 4, d->swap);
	version = cursor_u32(&c);
	size = cursor_u32(&c);
	d->e_machine = cursor_u32(&c);
	cursor_skip(&c, 16); /* padding, pid, time */
	d->flags = cursor_u64(&c);
	if (!version || version > 1)
		return err_set(e, -ENOTSUP, "version %u of the jitdump format is not known",
			       version);
	if (size < HEADER || size > d->file_size)
		return err_set(e, -EINVAL, "its header of %u bytes is impossible", size);
	*first = size;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct jit_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

int jitdump_open(struct jitdump **out, int fd, struct err *e)
{
	struct jitdump *d = calloc(1, sizeof(*d));
	struct walk k = { .d = d, .w.buf = d ? malloc(WINDOW) : NULL };
	struct stat st;
	uint64_t first = 0;
	int ret;

	*out = NULL;
	if (!k.w.buf) {
		free(d);
		close(fd);
		return err_set(e, -ENOMEM, "out of memory for a jitdump file");
	}
	d->fd = fd;
	d->sorted = true;
	d->file_size = fstat(fd, &st) || st.st_size < 0 ? 0 : (uint64_t)st.st_size;
	ret = read_header(d, &k.w, &first, e);
	if (!ret && walk_records(&k, first))
		ret = err_set(e, -ENOMEM, "out of memory for a jitdump file");
	free(k.w.buf);
	htab_free(&k.by_index);
	vec_free(&k.number);
	if (ret) {
		jitdump_close(d);
		return ret;
	}
	if (!d->sorted)
		qsort(d->event.v, d->event.n, sizeof(*d->event.v), by_time);
	*out = d;
	return 0;
}

void jitdump_close(struct jitdump *d)
{
	if (!d)
		return;
	close(d->fd);
	vec_free(&d->code);
	vec_free(&d->event);
	arena_free(&d->names);
	vec_free(&d->lines);
	free(d->rows);
	free(d);
}

bool jitdump_tsc(const struct jitdump *d)
{
	return d->flags & FLAG_TSC;
}

uint32_t jitdump_e_machine(const struct jitdump *d)
{
	return d->e_machine;
}

const char *jitdump_damage(const struct jitdump *d)
{
	return *d->damage ? d->damage : NULL;
}

size_t jitdump_nr_codes(const struct jitdump *d)
{
	return d->code.n;
}

const struct jit_code *jitdump_code(const struct jitdump *d, size_t i)
{
	return i < d->code.n ? &d->code.v[i].pub : NULL;
}

const struct jit_event *jitdump_event(const struct jitdump *d, size_t i)
{
	return i < d->event.n ? &d->event.v[i] : NULL;
}

/* Codes lie in the file one behind the other. */
const struct jit_code *jitdump_find(const struct jitdump *d, uint64_t at)
{
	size_t lo = 0, n = d->code.n;

	while (n > 1) {
		size_t half = n / 2;

		lo = d->code.v[lo + half].pub.at <= at ? lo + half : lo;
		n -= half;
	}
	if (!n || at < d->code.v[lo].pub.at || at - d->code.v[lo].pub.at >= d->code.v[lo].pub.size)
		return NULL;
	return &d->code.v[lo].pub;
}

ssize_t jitdump_read(const struct jitdump *d, uint64_t at, void *buf, size_t size)
{
	const struct jit_code *code = jitdump_find(d, at);
	ssize_t n;

	if (!code)
		return -EFAULT;
	n = pread(d->fd, buf, (size_t)min_u64(size, code->at + code->size - at), (off_t)at);
	return n < 0 ? -errno : n;
}
