// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What lies at an address. Sorted rows are searched by buckets and, for the few steps that are
 * left, by halves. Intervals that nest and overlap are flattened: every address belongs to the
 * innermost one (that starts last; of equal starts the shorter).
 */
#include <stdlib.h>

#include "symbol/symbol-int.h"

/* ---- sorted starts ----------------------------------------------------------------------------- */

_Static_assert(sizeof(struct seg) == 16 && sizeof(struct sym) == 16, "rows of struct starts");

void starts_build(struct starts *s, const void *rows, size_t n)
{
	size_t i = n / 16, nr; /* a few far from the rest must not make buckets large */
	uint64_t span;

	*s = (struct starts){ .at = rows, .n = n };
	if (n < 8)
		return;
	s->from = s->at[2 * i];
	span = s->at[2 * (n - 1 - i)] - s->from;
	while (span >> s->shift > 2 * n)
		s->shift++;
	nr = (size_t)(span >> s->shift) + 1;
	if (vec_reserve(&s->bucket, nr))
		return;
	for (size_t b = 0; b < nr; b++) {
		uint64_t to = s->from + ((uint64_t)b << s->shift);

		while (i + 1 < n && s->at[2 * (i + 1)] <= to)
			i++;
		s->bucket.v[s->bucket.n++] = (uint32_t)i;
	}
}

void starts_free(struct starts *s)
{
	vec_free(&s->bucket);
	s->n = 0;
}

/* ---- intervals --------------------------------------------------------------------------------- */

static int put(struct segs *s, uint64_t start, uint32_t id)
{
	struct seg next = { start, id };

	if (s->seg.n) {
		struct seg *last = &s->seg.v[s->seg.n - 1];

		if (last->start == start) {
			last->id = id;
			return 0;
		}
		if (last->id == id)
			return 0;
	}
	return vec_push(&s->seg, next);
}

struct open_list {
	VEC(const struct interval *) v;
};

/* Closes what ends at or before @pos; below each the next open one shows again. */
static int close_until(struct segs *s, struct open_list *open, uint64_t pos)
{
	while (open->v.n) {
		uint64_t end = open->v.v[open->v.n - 1]->end;

		if (end > pos)
			return 0;
		do
			open->v.n--;
		while (open->v.n && open->v.v[open->v.n - 1]->end <= end);
		if (put(s, end, open->v.n ? open->v.v[open->v.n - 1]->id : SYM_NO_SEG))
			return -ENOMEM;
	}
	return 0;
}

static int by_nesting(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id; /* an inner one is found later */
}

static bool is_ordered(const struct interval *iv, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_nesting(&iv[i - 1], &iv[i]) > 0)
			return false;
	return true;
}

int segs_build(struct segs *s, struct interval *iv, size_t n)
{
	struct open_list open = { 0 };
	int ret = -ENOMEM;

	if (!n)
		return 0;
	if (!is_ordered(iv, n))
		qsort(iv, n, sizeof(*iv), by_nesting);
	if (vec_reserve(&s->seg, n + 1))
		goto out;
	for (size_t i = 0; i < n; i++)
		if (close_until(s, &open, iv[i].start) || put(s, iv[i].start, iv[i].id) ||
		    vec_push(&open.v, &iv[i]))
			goto out;
	ret = close_until(s, &open, UINT64_MAX);
	if (!ret)
		starts_build(&s->starts, s->seg.v, s->seg.n);
out:
	vec_free(&open.v);
	return ret;
}

void segs_free(struct segs *s)
{
	vec_free(&s->seg);
	starts_free(&s->starts);
}

uint32_t segs_find(const struct segs *s, uint64_t addr)
{
	const uint64_t *row = starts_search(starts_narrow(&s->starts, addr), addr);

	return row ? s->seg.v[(size_t)(row - s->starts.at) / 2].id : SYM_NO_SEG;
}

uint32_t segs_find_end(const struct segs *s, uint64_t addr, uint64_t *end)
{
	const uint64_t *row = starts_search(starts_narrow(&s->starts, addr), addr);
	size_t i = row ? (size_t)(row - s->starts.at) / 2 : 0;

	*end = UINT64_MAX;
	if (!row || addr < s->seg.v[i].start) {
		*end = s->seg.n ? s->seg.v[0].start : UINT64_MAX;
		return SYM_NO_SEG;
	}
	if (i + 1 < s->seg.n)
		*end = s->seg.v[i + 1].start;
	return s->seg.v[i].id;
}
