// SPDX-License-Identifier: GPL-2.0-or-later
/* Least digit first: as many passes as there are digits in which the numbers differ. */
#include <stdlib.h>
#include <string.h>

#include "base/numbered.h"

#define DIGIT_BITS  11
#define DIGITS	    6
#define DIGIT(x, d) ((x) >> (d)*DIGIT_BITS & ((1u << DIGIT_BITS) - 1))

/* What is moved: a number with its id, or an item of that size. */
#define UNIT sizeof(struct numbered)

static inline uint64_t number_of(const char *items, size_t i, size_t size, size_t at)
{
	uint64_t number;

	memcpy(&number, items + i * size + at, sizeof(number));
	return number;
}

/* One digit: @from to @to. @have: how many have each. */
static void sort_digit(char *to, const char *from, size_t n, size_t at, unsigned d, size_t *have)
{
	size_t next = 0;

	for (unsigned i = 0; i < 1u << DIGIT_BITS; i++) {
		size_t have_it = have[i];

		have[i] = next;
		next += have_it;
	}
	for (size_t i = 0; i < n; i++)
		memcpy(to + have[DIGIT(number_of(from, i, UNIT, at), d)]++ * UNIT, from + i * UNIT,
		       UNIT);
}

/* Units with their numbers @at bytes behind the start of each. As numbered_sort(). */
static void *sort_units(char *v, char *tmp, size_t n, size_t at)
{
	size_t(*have)[1u << DIGIT_BITS] = calloc(DIGITS, sizeof(*have));

	if (!have)
		return NULL;
	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < DIGITS; d++)
			have[d][DIGIT(number_of(v, i, UNIT, at), d)]++;
	for (unsigned d = 0; d < DIGITS && n; d++) {
		char *was = v;

		/* All have the same one. */
		if (have[d][DIGIT(number_of(v, 0, UNIT, at), d)] == n)
			continue;
		sort_digit(tmp, v, n, at, d, have[d]);
		v = tmp;
		tmp = was;
	}
	free(have);
	return v;
}

struct numbered *numbered_sort(struct numbered *v, struct numbered *tmp, size_t n)
{
	return sort_units((char *)v, (char *)tmp, n, offsetof(struct numbered, number));
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

/* Tables of symbols mostly are: then there is nothing to do, and no memory is asked for. */
static bool is_sorted(const char *items, size_t n, size_t size, size_t at)
{
	for (size_t i = 1; i < n; i++)
		if (number_of(items, i - 1, size, at) > number_of(items, i, size, at))
			return false;
	return true;
}

/* Items that are no larger than numbers with ids are moved themselves. */
static int sort_small(char *items, size_t n, size_t at)
{
	struct numbered *tmp = malloc(n * sizeof(*tmp));
	char *sorted = tmp ? sort_units(items, (char *)tmp, n, at) : NULL;

	if (sorted && sorted != items)
		memcpy(items, sorted, n * UNIT);
	free(tmp);
	return sorted ? 0 : -ENOMEM;
}

int numbered_sort_items(void *items, size_t n, size_t size, size_t at)
{
	struct numbered *v, *sorted;

	if (n > UINT32_MAX || size > NUMBERED_ITEM)
		return -ENOMEM;
	if (is_sorted(items, n, size, at))
		return 0;
	if (size == UNIT)
		return sort_small(items, n, at);
	v = malloc(2 * n * sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		v[i] = (struct numbered){ number_of(items, i, size, at), (uint32_t)i };
	sorted = numbered_sort(v, v + n, n);
	if (sorted)
		move_items(items, n, size, sorted);
	free(v);
	return sorted ? 0 : -ENOMEM;
}
