// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets of small numbers, CPUs mostly, and their text "0-3,8". A set grows with the largest member
 * that a list names, so every parser has a largest number that it takes: "0-4000000000" must not
 * allocate.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/tables.h"

static size_t words(size_t nr)
{
	return nr / 64 + (nr % 64 != 0);
}

int bits_init(struct bits *b, size_t nr)
{
	b->w = calloc(words(nr) ? words(nr) : 1, sizeof(*b->w));
	b->nr = b->w ? nr : 0;
	return b->w ? 0 : -ENOMEM;
}

void bits_free(struct bits *b)
{
	free(b->w);
	memset(b, 0, sizeof(*b));
}

static int bits_grow(struct bits *b, size_t nr)
{
	size_t old = words(b->nr);
	uint64_t *w;

	if (nr <= b->nr)
		return 0;
	w = realloc(b->w, words(nr) * sizeof(*w));
	if (!w)
		return -ENOMEM;
	memset(w + old, 0, (words(nr) - old) * sizeof(*w));
	b->w = w;
	b->nr = nr;
	return 0;
}

static int parse_number(const char **s, size_t max, size_t *out)
{
	size_t v = 0;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	for (; isdigit((unsigned char)**s); (*s)++) {
		v = v * 10 + (size_t)(**s - '0');
		if (v > max)
			return -ERANGE;
	}
	*out = v;
	return 0;
}

int bits_parse_list(struct bits *b, const char *s, size_t max)
{
	size_t lo = 0, hi;
	int ret;

	for (;;) {
		ret = parse_number(&s, max, &lo);
		hi = lo;
		if (!ret && *s == '-') {
			s++;
			ret = parse_number(&s, max, &hi);
		}
		if (!ret && hi < lo)
			ret = -EINVAL;
		if (!ret)
			ret = bits_grow(b, hi + 1);
		if (ret)
			return ret;
		for (size_t i = lo; i <= hi; i++)
			bits_set(b, i);
		if (*s == '\n' || !*s)
			return 0;
		if (*s++ != ',')
			return -EINVAL;
	}
}

int bits_print_list(const struct bits *b, char *buf, size_t size)
{
	int len = 0;

	if (size)
		buf[0] = 0;
	for (size_t i = 0; i < b->nr; i++) {
		size_t end = i, at = (size_t)len < size ? (size_t)len : size;
		const char *sep = len ? "," : "";

		if (!bits_test(b, i))
			continue;
		while (bits_test(b, end + 1))
			end++;
		if (end == i)
			len += snprintf(buf + at, size - at, "%s%zu", sep, i);
		else
			len += snprintf(buf + at, size - at, "%s%zu-%zu", sep, i, end);
		i = end;
	}
	return len;
}
