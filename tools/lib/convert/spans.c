// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spans of code that overlap, each with how often it ran, into pieces that do not: between two
 * neighbouring ends the sum of what covers it is the same everywhere. One pass over the ends in
 * order, adding where a span begins and subtracting where it stops.
 */
#include <stdlib.h>

#include "convert/source-int.h"

struct end { /* of a span */
	uint64_t at, count;
	bool last;
};

static int by_place(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

int convert_spans(const struct span *v, size_t n, int (*fn)(void *ctx, const struct span *s),
		  void *ctx)
{
	struct end *ends = n ? malloc(2 * n * sizeof(*ends)) : NULL;
	size_t nr = 0, open = 0;
	struct span piece = { 0 };
	int ret = 0;

	if (n && !ends)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (v[i].start >= v[i].end)
			continue;
		ends[nr++] = (struct end){ v[i].start, v[i].count, false };
		ends[nr++] = (struct end){ v[i].end, v[i].count, true };
	}
	if (nr)
		qsort(ends, nr, sizeof(*ends), by_place);
	for (size_t i = 0; i < nr && !ret; i++) {
		piece.end = ends[i].at;
		if (open && piece.start < piece.end)
			ret = fn(ctx, &piece);
		piece.start = ends[i].at;
		piece.count += ends[i].last ? -ends[i].count : ends[i].count;
		open += ends[i].last ? -(size_t)1 : 1;
	}
	free(ends);
	return ret;
}
