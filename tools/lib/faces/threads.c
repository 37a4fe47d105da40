// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each thread counted, from the READ records of `record -s`. People get a column for each
 * event; programs a row for each number, because events may have the same name.
 */
#include <stdlib.h>

#include "faces/faces-int.h"

struct thread_count {
	uint32_t pid, tid, event;
	uint64_t value;
};

struct faces_threads {
	VEC(struct thread_count) counts; /* in the order of the threads' first record */
	VEC(uint32_t) events;		 /* columns, in order of appearance */
	VEC(uint32_t) column;		 /* by event: + 1; 0 = none */
	VEC(uint64_t) threads;		 /* rows: pid << 32 | tid */
	struct htab by_count, by_thread;
};

void faces_threads_free(struct faces_threads *t)
{
	if (!t)
		return;
	vec_free(&t->counts);
	vec_free(&t->events);
	vec_free(&t->column);
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
	if (vec_reach(&t->column, event, 0))
		return -ENOMEM;
	if (t->column.v[event])
		return 0;
	t->column.v[event] = (uint32_t)t->events.n + 1;
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

static int add_count(struct faces_threads **tp, const struct thread_count *c)
{
	uint64_t id = (uint64_t)c->pid << 32 | c->tid;
	struct faces_threads *t = *tp;
	struct thread_count *have;

	if (!t)
		t = *tp = calloc(1, sizeof(*t));
	have = t ? find_count(t, id, c->event) : NULL;
	if (have) {
		have->value += c->value;
		return 0;
	}
	if (!t || note_thread(t, id) || note_event(t, c->event) ||
	    htab_add(&t->by_count, hash_mix(id, c->event), (uint32_t)t->counts.n))
		return -ENOMEM;
	return vec_push(&t->counts, *c);
}

int faces_threads_add(struct faces_threads **tp, const struct record *rec, struct err *e)
{
	struct thread_count c = { 0 };
	struct record_read read;
	struct cursor values;

	if (!rec->event || !attr_flag(&rec->event->attr, ATTR_FLAG_INHERIT_STAT))
		return 0;
	if (record_read(rec, &read, e))
		return e->code;
	values = cursor_init(read.values, read.size, rec->swap);
	c = (struct thread_count){ read.pid, read.tid, rec->event->idx, cursor_u64(&values) };
	return add_count(tp, &c) ? err_set(e, -ENOMEM, "no memory for the counts of threads") : 0;
}

int faces_threads_merge(struct faces_threads **to, const struct faces_threads *from,
			const uint32_t *event, struct err *e)
{
	for (size_t i = 0; from && i < from->counts.n; i++) {
		struct thread_count c = from->counts.v[i];

		if (event)
			c.event = event[c.event];
		if (add_count(to, &c))
			return err_set(e, -ENOMEM, "no memory for the counts of threads");
	}
	return 0;
}

/* ---- as a table ------------------------------------------------------------------------------- */

static int digits(uint64_t v)
{
	char buf[24];

	return fmt_dec(buf, v);
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

static const char *event_name(const struct faces *f, uint32_t event)
{
	return perfdata_event(f->pd, event)->name;
}

/* PID, TID, and a column for each event. */
static void set_columns(const struct faces *f, const struct faces_threads *t,
			struct faces_column *cols)
{
	cols[0] = (struct faces_column)PLAIN_COLUMN("pid", "PID", 3, true, FACES_PEOPLE);
	cols[1] = (struct faces_column)PLAIN_COLUMN("tid", "TID", 3, true, FACES_PEOPLE);
	for (size_t e = 0; t && e < t->events.n; e++) {
		const char *name = event_name(f, t->events.v[e]);

		cols[2 + e] = (struct faces_column)PLAIN_COLUMN(name, name, (int)strlen(name), true,
								FACES_PEOPLE);
	}
	for (size_t i = 0; t && i < t->counts.n; i++) {
		const struct thread_count *c = &t->counts.v[i];
		struct faces_column *col = &cols[1 + t->column.v[c->event]];

		cols[0].width = max_int(cols[0].width, digits(c->pid));
		cols[1].width = max_int(cols[1].width, digits(c->tid));
		col->width = max_int(col->width, digits(c->value));
	}
}

static struct faces_cell number_cell(uint64_t n)
{
	return (struct faces_cell){ .kind = FACES_U64, .n = n };
}

static int walk_wide(struct walk *k, const struct faces_threads *t)
{
	size_t n = 2 + (t ? t->events.n : 0);
	struct faces_column *cols = calloc(n, sizeof(*cols));
	struct faces_cell *cells = calloc(n, sizeof(*cells));
	struct faces_table table = { .kind = FACES_THREADS, .cols = cols, .nr_cols = n };
	int ret = cols && cells ? 0 : -ENOMEM;

	if (!ret) {
		set_columns(k->pub.f, t, cols);
		ret = VISIT(k, table, &table);
	}
	for (size_t i = 0; !ret && t && i < t->threads.n; i++) {
		uint64_t id = t->threads.v[i];

		cells[0] = number_cell(id >> 32);
		cells[1] = number_cell((uint32_t)id);
		for (size_t e = 0; e < t->events.n; e++) {
			const struct thread_count *c = find_count(t, id, t->events.v[e]);

			cells[2 + e] = number_cell(c ? c->value : 0);
		}
		ret = walk_plain_row(k, &table, cells);
	}
	ret = ret ?: VISIT(k, table_end, &table);
	free(cols);
	free(cells);
	return ret;
}

static int walk_long(struct walk *k, const struct faces_threads *t)
{
	static const struct faces_column cols[] = {
		PLAIN_COLUMN("pid", NULL, 0, true, FACES_PROGRAMS),
		PLAIN_COLUMN("tid", NULL, 0, true, FACES_PROGRAMS),
		PLAIN_COLUMN("event", NULL, 0, false, FACES_PROGRAMS),
		PLAIN_COLUMN("count", NULL, 0, true, FACES_PROGRAMS),
	};
	const struct faces_table table = { .kind = FACES_THREADS,
					   .cols = cols,
					   .nr_cols = ARRAY_SIZE(cols) };
	int ret = VISIT(k, table, &table);

	for (size_t i = 0; !ret && t && i < t->counts.n; i++) {
		const struct thread_count *c = &t->counts.v[i];
		struct faces_cell cells[ARRAY_SIZE(cols)] = {
			number_cell(c->pid),
			number_cell(c->tid),
			{ .kind = FACES_STR, .s = event_name(k->pub.f, c->event) },
			number_cell(c->value),
		};

		ret = walk_plain_row(k, &table, cells);
	}
	return ret ?: VISIT(k, table_end, &table);
}

int walk_threads(struct walk *k)
{
	const struct faces_threads *t = k->pub.f->threads;
	int ret = k->w->reader & FACES_PEOPLE ? walk_wide(k, t) : walk_long(k, t);

	return ret < 0 ? ret : 0;
}
