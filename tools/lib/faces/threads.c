// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report -T: what each thread counted, from the READ records of perf record -s. */
#include <stdlib.h>

#include "faces/faces-int.h"

struct thread_count {
	uint32_t pid, tid, event;
	uint64_t value;
};

struct faces_threads {
	VEC(struct thread_count) counts; /* in the order of the threads' first record */
	VEC(uint32_t) events;		 /* columns, in order of appearance */
	VEC(uint64_t) threads;		 /* rows: pid << 32 | tid */
	struct htab by_count, by_thread;
};

void faces_threads_free(struct faces_threads *t)
{
	if (!t)
		return;
	vec_free(&t->counts);
	vec_free(&t->events);
	vec_free(&t->threads);
	htab_free(&t->by_count);
	htab_free(&t->by_thread);
	free(t);
}

static int note_thread(struct faces_threads *t, uint64_t id)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&t->by_thread, hash_u64(id));
	     htab_next(&t->by_thread, &it, &i);)
		if (i < t->threads.n && t->threads.v[i] == id)
			return 0;
	i = (uint32_t)t->threads.n;
	return vec_push(&t->threads, id) ? -ENOMEM : htab_add(&t->by_thread, hash_u64(id), i);
}

static int note_event(struct faces_threads *t, uint32_t event)
{
	for (size_t i = 0; i < t->events.n; i++)
		if (t->events.v[i] == event)
			return 0;
	return vec_push(&t->events, event);
}

static struct thread_count *find_count(const struct faces_threads *t, uint64_t id, uint32_t event)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&t->by_count, hash_mix(id, event));
	     htab_next(&t->by_count, &it, &i);) {
		struct thread_count *c = &t->counts.v[i];

		if (((uint64_t)c->pid << 32 | c->tid) == id && c->event == event)
			return c;
	}
	return NULL;
}

int faces_threads_add(struct faces_threads **tp, const struct record *rec, struct err *e)
{
	struct faces_threads *t = *tp;
	struct thread_count c = { 0 }, *have;
	struct record_read read;
	struct cursor values;
	uint64_t id;

	if (!rec->event || !attr_flag(&rec->event->attr, ATTR_FLAG_INHERIT_STAT))
		return 0;
	if (record_read(rec, &read, e))
		return e->code;
	values = cursor_init(read.values, read.size, rec->swap);
	c = (struct thread_count){ read.pid, read.tid, rec->event->idx, cursor_u64(&values) };
	id = (uint64_t)c.pid << 32 | c.tid;
	if (!t)
		t = *tp = calloc(1, sizeof(*t));
	have = t ? find_count(t, id, c.event) : NULL;
	if (have) {
		have->value += c.value;
		return 0;
	}
	if (!t || note_thread(t, id) || note_event(t, c.event) ||
	    htab_add(&t->by_count, hash_mix(id, c.event), (uint32_t)t->counts.n) ||
	    vec_push(&t->counts, c))
		return err_set(e, -ENOMEM, "no memory for the counts of threads");
	return 0;
}

static int digits(uint64_t v)
{
	char buf[24];

	return fmt_dec(buf, v);
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

static int count_width(const struct faces *f, uint32_t event)
{
	const struct faces_threads *t = f->threads;
	int w = (int)strlen(perfdata_event(f->pd, event)->name);

	for (size_t i = 0; i < t->counts.n; i++)
		if (t->counts.v[i].event == event)
			w = max_int(w, digits(t->counts.v[i].value));
	return w;
}

void faces_put_threads(const struct faces *f)
{
	const struct faces_threads *t = f->threads;
	struct obuf *o = f->out;
	int pid = 3, tid = 3, *width;

	width = t ? calloc(t->events.n, sizeof(*width)) : NULL;
	if (!width) {
		obuf_lit(o, "# PID  TID\n");
		return;
	}
	for (size_t i = 0; i < t->counts.n; i++) {
		pid = max_int(pid, digits(t->counts.v[i].pid));
		tid = max_int(tid, digits(t->counts.v[i].tid));
	}
	obuf_printf(o, "# %*s  %*s", pid, "PID", tid, "TID");
	for (size_t e = 0; e < t->events.n; e++) {
		const char *name = perfdata_event(f->pd, t->events.v[e])->name;

		width[e] = count_width(f, t->events.v[e]);
		obuf_pad(o, ' ', 2 + width[e] - (int)strlen(name));
		emit_safe(o, name);
	}
	obuf_char(o, '\n');
	for (size_t i = 0; i < t->threads.n; i++) {
		uint64_t id = t->threads.v[i];

		obuf_printf(o, "  %*u  %*u", pid, (uint32_t)(id >> 32), tid, (uint32_t)id);
		for (size_t e = 0; e < t->events.n; e++) {
			const struct thread_count *c = find_count(t, id, t->events.v[e]);

			obuf_printf(o, "  %*llu", width[e], (unsigned long long)(c ? c->value : 0));
		}
		obuf_char(o, '\n');
	}
	free(width);
}
