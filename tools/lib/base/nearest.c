// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "Did you mean": the known names with the fewest letters to insert, delete or replace. Candidates
 * are offered one by one and the best few are kept, so that no caller makes a list; names are
 * borrowed.
 */
#include <ctype.h>
#include <stdio.h>

#include "base/nearest.h"

#define LONGEST 63

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edits (insert, delete, replace) that turn @a into @b; row by row. */
static unsigned distance(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	unsigned row[LONGEST + 1];

	if (na > LONGEST || nb > LONGEST)
		return UINT32_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 0; i < na; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < nb; j++) {
			bool same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j]);
			unsigned up = row[j + 1];

			row[j + 1] = min3(up + 1, row[j] + 1, diagonal + !same);
			diagonal = up;
		}
	}
	return row[nb];
}

void nearest_offer(struct nearest *n, const char *name)
{
	unsigned d = distance(n->word, name);
	unsigned i = n->nr < NEAREST_MAX ? n->nr : NEAREST_MAX;

	/* A third of the letters wrong is a typing error, more is another word. */
	if (!*n->word || d > strlen(n->word) / 3 + 1 || d >= strlen(name))
		return;
	for (unsigned k = 0; k < n->nr; k++) {
		if (!strcmp(n->name[k], name))
			return;
	}
	for (; i && n->distance[i - 1] > d; i--) {
		if (i < NEAREST_MAX) {
			n->name[i] = n->name[i - 1];
			n->distance[i] = n->distance[i - 1];
		}
	}
	if (i == NEAREST_MAX)
		return;
	n->name[i] = name;
	n->distance[i] = d;
	if (n->nr < NEAREST_MAX)
		n->nr++;
}

void nearest_print(const struct nearest *n, char *buf, size_t size)
{
	size_t len = 0;

	if (size)
		*buf = 0;
	for (unsigned i = 0; i < n->nr && len < size; i++) {
		const char *sep = !i ? "" : i + 1 == n->nr ? " or " : ", ";
		int w = snprintf(buf + len, size - len, "%s%s", sep, n->name[i]);

		if (w < 0)
			return;
		len += (size_t)w;
	}
}
