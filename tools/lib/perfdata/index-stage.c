// SPDX-License-Identifier: GPL-2.0-or-later
/* A round that index.c has walked over becomes a stage, and pieces where that is large. */
#include <stdlib.h>

#include "base/numbered.h"
#include "index-int.h"

#define LOOKS_MAX (1u << 26) /* at a stretch, by all pieces of a stage */
#define KNOWN_FEW 1024	     /* are sorted by comparing them */

int perfdata_index_no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "out of memory for an index of the recording");
}

int perfdata_index_refuse(struct err *e)
{
	return err_set(e, -ENOTSUP, "this recording is read as a whole");
}

static int by_time(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Those of one time stand in the order of the file, and stay in it. */
static void sort_known(struct known *v, size_t n)
{
	if (n > KNOWN_FEW && !numbered_sort_items(v, n, sizeof(*v), offsetof(struct known, time)))
		return;
	if (n)
		qsort(v, n, sizeof(*v), by_time);
}

static int append_known(struct perfdata_index *x, const struct known *v, size_t n)
{
	if (vec_reserve(&x->known, x->known.n + n))
		return -ENOMEM;
	if (n)
		memcpy(x->known.v + x->known.n, v, n * sizeof(*v));
	x->known.n += n;
	return 0;
}

static int add_piece(struct index_walk *w, uint64_t after, uint64_t until, uint64_t bytes)
{
	struct perfdata_index *x = w->x;
	struct piece p = { .stage = (uint32_t)x->stages.n,
			   .first = !after,
			   .after = after,
			   .until = until,
			   .bytes = bytes };

	p.known = x->known.n;
	return vec_push(&x->pieces, p);
}

static int mark_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Times at which the stage's stretches begin, and of marks along them, ascending; to be freed. */
static int stage_times(const struct index_walk *w, uint64_t **times, size_t *n)
{
	VEC(uint64_t) v = { 0 };
	int ret = 0;

	vec_for_each (s, &w->now) {
		const struct marks *m = &w->x->marks[s->stream];

		ret = ret ?: vec_push(&v, s->first);
		for (size_t i = s->mark; !ret && i < m->v.n && m->v.v[i].offset < s->to; i++)
			ret = vec_push(&v, m->v.v[i].time);
	}
	if (v.n)
		qsort(v.v, v.n, sizeof(*v.v), mark_order);
	*times = v.v;
	*n = v.n;
	return ret;
}

/* The known records of the stage that are not newer than @until go before the next piece. */
static int known_until(struct index_walk *w, size_t *at, uint64_t until)
{
	size_t from = *at;

	while (*at < w->known_now.n && w->known_now.v[*at].time <= until)
		(*at)++;
	return append_known(w->x, w->known_now.v + from, *at - from);
}

/* Cuts a large stage at times between which about as much lies as a piece is to have. */
static int add_pieces(struct index_walk *w, uint64_t bytes)
{
	uint64_t after = 0, nr = bytes / w->o->piece + 1, *times = NULL;
	size_t n = 0, known = 0;
	int ret = nr > 1 ? stage_times(w, &times, &n) : 0;

	/* Each piece looks at each stretch: so many of both are a file in no order. */
	if (nr > 1 && nr * w->now.n > LOOKS_MAX)
		ret = -ENOTSUP;

	for (uint64_t i = 1; !ret && i < nr; i++) {
		uint64_t until = n ? times[(size_t)(i * n / nr)] : 0;

		if (until <= after)
			continue;
		ret = add_piece(w, after, until, bytes / nr);
		/* Those without a time come before all that have one. */
		if (!ret && !after)
			ret = append_known(w->x, w->known_untimed.v, w->known_untimed.n);
		ret = ret ?: known_until(w, &known, until);
		after = until;
	}
	free(times);
	ret = ret ?: add_piece(w, after, UINT64_MAX, bytes / nr);
	if (!ret && !after)
		ret = append_known(w->x, w->known_untimed.v, w->known_untimed.n);
	return ret ?: known_until(w, &known, UINT64_MAX);
}

/* What @now and the untimed ones are becomes a stage; @next is what it leaves for the one behind it. */
static int end_stage(struct index_walk *w, struct err *e)
{
	struct perfdata_index *x = w->x;
	struct stage st = { .stretch = x->stretches.n, .untimed = w->untimed };
	int ret;

	vec_for_each (s, &w->now)
		st.bytes += s->to - s->from;
	sort_known(w->known_now.v, w->known_now.n);
	ret = add_pieces(w, st.bytes);
	if (ret == -ENOTSUP)
		return perfdata_index_refuse(e);
	if (ret || vec_push(&x->stages, st) ||
	    vec_reserve(&x->stretches, x->stretches.n + w->now.n))
		return perfdata_index_no_memory(e);
	if (w->now.n)
		memcpy(x->stretches.v + x->stretches.n, w->now.v, w->now.n * sizeof(*w->now.v));
	x->stretches.n += w->now.n;
	x->bytes += st.bytes;
	w->untimed = x->untimed.n;
	w->known_untimed.n = 0;
	return 0;
}

#define MOVE(to, from)                        \
	do {                                  \
		__typeof__(to) spare_ = (to); \
		(to) = (from);                \
		(from) = spare_;              \
		(from).n = 0;                 \
	} while (0)

int perfdata_index_end_round(struct index_walk *w, struct err *e)
{
	int ret = end_stage(w, e);

	MOVE(w->now, w->next);
	MOVE(w->known_now, w->known_next);
	w->limit = w->max_time;
	w->open = false;
	return ret;
}

int perfdata_index_end_walk(struct index_walk *w, struct err *e)
{
	struct stage behind = { 0 };
	int ret = 0;

	vec_for_each (s, &w->next)
		ret = ret ?: vec_push(&w->now, *s);
	vec_for_each (k, &w->known_next)
		ret = ret ?: vec_push(&w->known_now, *k);
	if (ret)
		return perfdata_index_no_memory(e);
	ret = end_stage(w, e);
	behind.stretch = w->x->stretches.n;
	behind.untimed = w->x->untimed.n;
	return ret ?: vec_push(&w->x->stages, behind) ? perfdata_index_no_memory(e) : 0;
}
