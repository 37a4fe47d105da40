// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts by function and slice of time. Slices are powers of two of nanoseconds, and two of them become one whenever there are
 * too many: so it does not matter in which order pieces of a recording come together. A slice lies where its
 * number says, so that more time at either end moves nothing.
 *
 * Recordings are read in the order of time: what is counted belongs to one slice for a thousand samples and more. That one
 * is a row, a number for each function; the others are lists of those that ran. A list grows where time goes back
 * and where pieces come together, and is added up when it has more than it needs.
 */
#include "brstat-int.h"

#define FIRST_SHIFT 16 /* slices of 65 us */

void brstat_slices_init(struct slices *s)
{
	*s = (struct slices){ .first = UINT64_MAX, .shift = FIRST_SHIFT };
}

void brstat_slices_free(struct slices *s)
{
	for (unsigned i = 0; i < SLICES_MAX; i++)
		vec_free(&s->list[i]);
	vec_free(&s->row);
	vec_free(&s->ran);
	vec_free(&s->sum);
}

/* ---- lists ------------------------------------------------------------------------------------- */

/* One count for each function, or as few as can hold it. s->sum is 0 everywhere, before and after. */
static int add_up(struct slices *s, struct slice_list *l)
{
	size_t n = 0;

	if (vec_reach(&s->sum, s->row.n, 0))
		return -ENOMEM;
	vec_for_each (c, l)
		s->sum.v[c->function] += c->nr;
	vec_for_each (c, l) {
		uint64_t *sum = &s->sum.v[c->function];
		uint32_t function = c->function, nr = (uint32_t)min_u64(*sum, UINT32_MAX);

		*sum -= nr;
		if (nr)
			l->v[n++] = (struct slice_count){ function, nr };
	}
	l->n = n;
	return 0;
}

static int shorten(struct slices *s, struct slice_list *l)
{
	return likely(l->n <= 2 * s->row.n + 1024) ? 0 : add_up(s, l);
}

/* ---- counting ---------------------------------------------------------------------------------- */

int brstat_slices_function(struct slices *s, uint32_t function)
{
	return vec_reach(&s->row, function, 0);
}

int brstat_slices_leave(struct slices *s)
{
	struct slice_list *l = &s->list[s->now % SLICES_MAX];

	if (vec_reserve(l, l->n + s->ran.n))
		return -ENOMEM;
	/* 0 of those whose row was full just now: add_up() leaves them out. */
	vec_for_each (f, &s->ran) {
		l->v[l->n++] = (struct slice_count){ *f, s->row.v[*f] };
		s->row.v[*f] = 0;
	}
	s->ran.n = 0;
	return shorten(s, l);
}

int brstat_slices_full(struct slices *s, uint32_t function)
{
	uint32_t nr = s->row.v[function];

	if (nr < SLICES_ROW_MAX)
		return vec_push(&s->ran, function);
	s->row.v[function] = 0;
	return vec_push(&s->list[s->now % SLICES_MAX], ((struct slice_count){ function, nr }));
}

unsigned brstat_slices_wanted(const struct slices *s, uint64_t first, uint64_t last)
{
	unsigned shift = s->shift;

	first = min_u64(first, s->first);
	last = max_u64(last, s->last);
	while (first < last && (last >> shift) - (first >> shift) >= SLICES_MAX)
		shift++;
	return shift;
}

uint64_t brstat_slices_nth(const struct slices *s, unsigned i)
{
	return (s->first >> s->shift) + i;
}

int brstat_slices_merge(struct slices *s, struct slices *from, const uint32_t *function)
{
	unsigned wider = s->shift - from->shift;

	if (brstat_slices_leave(s) || brstat_slices_leave(from))
		return -ENOMEM;
	for (unsigned i = 0; i < SLICES_MAX; i++) {
		uint64_t slice = brstat_slices_nth(from, i);
		const struct slice_list *add = &from->list[slice % SLICES_MAX];
		struct slice_list *l = &s->list[(slice >> wider) % SLICES_MAX];

		if (vec_reserve(l, l->n + add->n))
			return -ENOMEM;
		vec_for_each (c, add)
			l->v[l->n++] = (struct slice_count){ function[c->function], c->nr };
		if (shorten(s, l))
			return -ENOMEM;
	}
	return 0;
}

/* All of @from goes to @to; it is freed. 0 or -ENOMEM. */
static int append(struct slice_list *to, struct slice_list *from)
{
	int ret = 0;

	if (!to->n) {
		vec_free(to);
		*to = *from;
		return 0;
	}
	if (vec_reserve(to, to->n + from->n))
		ret = -ENOMEM;
	else if (from->n)
		memcpy(to->v + to->n, from->v, from->n * sizeof(*from->v));
	to->n += ret ? 0 : from->n;
	vec_free(from);
	return ret;
}

/* Slices that are @wider become one each. */
static int join(struct slices *s, unsigned wider)
{
	struct slices old = *s;
	unsigned done = 0;
	int ret = 0;

	memset(s->list, 0, sizeof(s->list));
	s->shift += wider;
	for (unsigned i = 0; !ret && i < SLICES_MAX; i++) {
		uint64_t slice = (old.first >> old.shift) + i;

		ret = append(&s->list[(slice >> wider) % SLICES_MAX],
			     &old.list[slice % SLICES_MAX]);
		done++;
	}
	for (; done < SLICES_MAX; done++)
		vec_free(&old.list[brstat_slices_nth(&old, done) % SLICES_MAX]);
	for (unsigned i = 0; !ret && i < SLICES_MAX; i++)
		ret = shorten(s, &s->list[i]);
	return ret;
}

int brstat_slices_widen(struct slices *s, unsigned shift, uint64_t first, uint64_t last)
{
	int ret = 0;

	/* None were counted where there was no time. */
	if (shift != s->shift && s->first <= s->last)
		ret = brstat_slices_leave(s) ?: join(s, shift - s->shift);
	s->shift = shift;
	s->first = min_u64(first, s->first);
	s->last = max_u64(last, s->last);
	return ret;
}
