// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Line tables of a jitdump file: rows of address, line, discriminator and file name, where the name
 * "\xff" means that of the row before. V8 and LLVM add 0x40 to every address, the size of the
 * header of the ELF file that upstream's inject makes of the code; others do not. Whether this file
 * is of the first kind shows in its rows: then none lies in the first 0x40 bytes of its code.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/numbered.h"
#include "jit/jit-int.h"

#define ELF_HEADER 0x40
#define ROWS_MAX   (4u << 20) /* bytes of one table */
#define LOOK_MAX   64	      /* tables that are looked at for the shift */

/* Rows one by one; a name that cannot be read ends them. */
struct rows {
	struct cursor c;
	uint64_t left;
	const char *file;
};

static const struct code_obj *code_obj(const struct jit_code *code)
{
	return (const struct code_obj *)((const char *)code - offsetof(struct code_obj, pub));
}

/* The bytes of one table stay: questions about a function come together. */
static int rows_open(struct rows *r, struct jitdump *d, const struct code_obj *o)
{
	size_t n = (size_t)min_u64(o->rows_end - o->rows_at, ROWS_MAX);
	ssize_t got;

	if (d->rows_of != o->rows_at) {
		d->rows_of = 0;
		d->lines_of = NULL; /* whose names are in these bytes */
		free(d->rows);
		d->rows = malloc(n + 1);
		if (!d->rows)
			return -ENOMEM;
		got = pread(d->fd, d->rows, n, (off_t)o->rows_at);
		d->rows_size = got > 0 ? (size_t)got : 0;
		d->rows_of = o->rows_at;
	}
	*r = (struct rows){ .c = cursor_init(d->rows, d->rows_size, d->swap),
			    .left = o->rows,
			    .file = "" };
	return 0;
}

/* V8 of Node.js 20 writes names from memory that it has freed. */
static bool is_text(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	return true;
}

static bool rows_next(struct rows *r, uint64_t *addr, uint32_t *line)
{
	const char *name;
	size_t n;

	if (!r->left--)
		return false;
	*addr = cursor_u64(&r->c);
	*line = cursor_u32(&r->c);
	cursor_skip(&r->c, 4);
	name = (const char *)r->c.p;
	n = strnlen(name, cursor_left(&r->c));
	cursor_skip(&r->c, (uint64_t)n + 1);
	if (r->c.bad)
		return false;
	/* No file has a name that is longer, and each question costs its length. */
	if (strcmp(name, "\xff"))
		r->file = n < PATH_MAX && is_text(name) ? name : "";
	return true;
}

/* True when a row of @o shows that nothing was added. */
static bool unshifted(struct jitdump *d, const struct code_obj *o, bool *looked)
{
	struct rows r;
	uint64_t addr;
	uint32_t line;

	if (!o->rows || rows_open(&r, d, o))
		return false;
	while (rows_next(&r, &addr, &line)) {
		*looked = true;
		if (addr - o->pub.addr < ELF_HEADER)
			return true;
	}
	return false;
}

static uint64_t shift_of(struct jitdump *d)
{
	bool looked = false, plain = false;
	int tables = 0;

	if (d->shift_known)
		return d->shift;
	d->shift_known = true;
	for (size_t i = 0; !plain && i < d->code.n && tables < LOOK_MAX; i++) {
		tables += d->code.v[i].rows > 0;
		plain = unshifted(d, &d->code.v[i], &looked);
	}
	d->shift = looked && !plain ? ELF_HEADER : 0;
	return d->shift;
}

int jitdump_lines(struct jitdump *d, const struct jit_code *code,
		  int (*row)(void *ctx, const struct jit_line *line), void *ctx)
{
	const struct code_obj *o = code_obj(code);
	uint64_t shift = shift_of(d), addr;
	struct jit_line l;
	struct rows r;
	int ret;

	if (!o->rows)
		return 0;
	ret = rows_open(&r, d, o);
	while (!ret && rows_next(&r, &addr, &l.line)) {
		addr -= code->addr + shift;
		if (addr >= code->size)
			continue;
		l.at = code->at + addr;
		l.file = r.file;
		ret = row(ctx, &l);
	}
	return ret;
}

static int keep(void *ctx, const struct jit_line *l)
{
	struct jitdump *d = ctx;

	return vec_push(&d->lines, *l);
}

/*
 * The rows of @code, by where they begin: a listing asks about each of its instructions, and to go
 * through all rows for each would take the product of the two.
 */
static int sort_lines(struct jitdump *d, const struct jit_code *code)
{
	int ret;

	if (d->lines_of == code)
		return 0;
	d->lines_of = NULL;
	d->lines.n = 0;
	ret = jitdump_lines(d, code, keep, d);
	if (!ret)
		ret = numbered_sort_items(d->lines.v, d->lines.n, sizeof(*d->lines.v),
					  offsetof(struct jit_line, at));
	d->lines_of = ret ? NULL : code;
	return ret;
}

/* The row that begins last at or before the address; of equal ones the last of the file. */
bool jitdump_line(struct jitdump *d, uint64_t at, struct jit_line *out)
{
	const struct jit_code *code = jitdump_find(d, at);
	size_t low = 0, high;

	if (!code || sort_lines(d, code))
		return false;
	for (high = d->lines.n; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (d->lines.v[mid].at <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || !*d->lines.v[low - 1].file)
		return false;
	*out = d->lines.v[low - 1];
	return true;
}
