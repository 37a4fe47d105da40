// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals that nest and overlap, flattened: every address belongs to the innermost interval
 * (the one that starts last; of equal starts the shorter). Buckets of equal size, about two for
 * each segment, say where to begin; a binary search does the few steps that are left.
 */
#include <stdlib.h>

#include "symbol/internal.h"

static int put(struct segs *s, uint64_t start, uint32_t id)
{
	struct seg *last = s->seg.n ? &s->seg.v[s->seg.n - 1] : NULL;
	struct seg next = { start, id };

	if (last && last->start == start) {
		last->id = id;
		return 0;
	}
	if (last && last->id == id)
		return 0;
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

/* Without memory for the buckets the search just takes longer. */
static void make_buckets(struct segs *s)
{
	size_t n = s->seg.n, i = 0, nr;
	uint64_t span;

	if (n < 8)
		return;
	span = s->seg.v[n - 1].start - s->seg.v[0].start;
	while (span >> s->shift > 2 * n)
		s->shift++;
	nr = (size_t)(span >> s->shift) + 1;
	if (vec_reserve(&s->bucket, nr))
		return;
	for (size_t b = 0; b < nr; b++) {
		uint64_t from = (uint64_t)b << s->shift;

		while (i + 1 < n && s->seg.v[i + 1].start - s->seg.v[0].start <= from)
			i++;
		s->bucket.v[s->bucket.n++] = (uint32_t)i;
	}
}

int segs_build(struct segs *s, struct interval *iv, size_t n)
{
	struct open_list open = { 0 };
	int ret = -ENOMEM;

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
		make_buckets(s);
out:
	vec_free(&open.v);
	return ret;
}

void segs_free(struct segs *s)
{
	vec_free(&s->seg);
	vec_free(&s->bucket);
}

uint32_t segs_find(const struct segs *s, uint64_t addr)
{
	return segs_search(segs_narrow(s, addr), addr);
}
