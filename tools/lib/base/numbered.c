// SPDX-License-Identifier: GPL-2.0-or-later
/* Least digit first: as many passes as there are digits in which the numbers differ. */
#include <stdlib.h>
#include <string.h>

#include "base/numbered.h"

#define DIGIT_BITS  11
#define DIGITS	    6
#define DIGIT(x, d) ((x) >> (d)*DIGIT_BITS & ((1u << DIGIT_BITS) - 1))

/* One digit: @from to @to. @have: how many have each. */
static void sort_digit(struct numbered *to, const struct numbered *from, size_t n, unsigned d,
		       size_t *have)
{
	size_t at = 0;

	for (unsigned i = 0; i < 1u << DIGIT_BITS; i++) {
		size_t have_it = have[i];

		have[i] = at;
		at += have_it;
	}
	for (size_t i = 0; i < n; i++)
		to[have[DIGIT(from[i].number, d)]++] = from[i];
}

struct numbered *numbered_sort(struct numbered *v, struct numbered *tmp, size_t n)
{
	size_t(*have)[1u << DIGIT_BITS] = calloc(DIGITS, sizeof(*have));

	if (!have)
		return NULL;
	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < DIGITS; d++)
			have[d][DIGIT(v[i].number, d)]++;
	for (unsigned d = 0; d < DIGITS && n; d++) {
		struct numbered *was = v;

		/* All have the same one. */
		if (have[d][DIGIT(v[0].number, d)] == n)
			continue;
		sort_digit(tmp, v, n, d, have[d]);
		v = tmp;
		tmp = was;
	}
	free(have);
	return v;
}

/* Each item to where @order has its id, a cycle of them after the other. */
static void move_items(char *items, size_t n, size_t size, struct numbered *order)
{
	char first[NUMBERED_ITEM];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = i, from = order[i].id;

		if (from == i)
			continue;
		memcpy(first, items + i * size, size);
		for (; from != i; to = from, from = order[to].id) {
			memcpy(items + to * size, items + from * size, size);
			order[to].id = to;
		}
		memcpy(items + to * size, first, size);
		order[to].id = to;
	}
}

int numbered_sort_items(void *items, size_t n, size_t size, size_t at)
{
	struct numbered *v, *sorted;
	uint64_t before = 0;
	bool is_sorted = true;

	if (n > UINT32_MAX || size > NUMBERED_ITEM)
		return -ENOMEM;
	v = malloc((2 * n + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		v[i].id = (uint32_t)i;
		memcpy(&v[i].number, (char *)items + i * size + at, sizeof(v[i].number));
		is_sorted &= before <= v[i].number;
		before = v[i].number;
	}
	sorted = is_sorted ? v : numbered_sort(v, v + n, n);
	if (sorted && !is_sorted)
		move_items(items, n, size, sorted);
	free(v);
	return sorted ? 0 : -ENOMEM;
}
