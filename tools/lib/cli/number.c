// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers, sizes and near misses on the command line. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

int cli_parse_u64(const char *s, uint64_t *v)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*v = strtoull(s, &end, s[0] == '0' && (s[1] | 32) == 'x' ? 16 : 10);
	if (errno)
		return -errno;
	return *end ? -EINVAL : 0;
}

int cli_parse_size(const char *s, uint64_t *v)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	int shift = 0;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*v = strtoull(s, &end, 10);
	if (errno)
		return -errno;
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit) {
		shift = 10 * (int)(unit - units + 1);
		end++;
	}
	if (toupper((unsigned char)*end) == 'B')
		end++;
	if (*end)
		return -EINVAL;
	if (shift && *v >> (64 - shift))
		return -ERANGE;
	*v <<= shift;
	return 0;
}

/* Letters to change, add, drop or swap with the neighbour to get from @a to @b. */
static size_t distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), row[3][64];

	if (la > 60 || lb > 60)
		return SIZE_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *cur = row[i % 3], *prev = row[(i + 2) % 3], *prev2 = row[(i + 1) % 3];

		cur[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			bool same = tolower((unsigned char)a[i - 1]) ==
				    tolower((unsigned char)b[j - 1]);
			size_t d = prev[j - 1] + !same;

			d = min_u64(d, min_u64(prev[j], cur[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = min_u64(d, prev2[j - 2] + 1);
			cur[j] = d;
		}
	}
	return row[la % 3][lb];
}

void cli_suggest(const char *word, const char *const *names, size_t nr, char *buf, size_t size)
{
	size_t best = strlen(word) / 3 + 1, hits = 0, len = 0, shown = 0;

	buf[0] = 0;
	for (size_t i = 0; i < nr; i++) {
		size_t d = distance(word, names[i]);

		if (d < best) {
			best = d;
			hits = 0;
		}
		hits += d == best;
	}
	if (hits > 4)
		hits = 4;
	for (size_t i = 0; i < nr && shown < hits; i++) {
		if (distance(word, names[i]) != best)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s'%s'",
					!shown		    ? ""
					: shown + 1 == hits ? " or "
							    : ", ",
					names[i]);
		if (len >= size)
			return;
		shown++;
	}
}
