// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers and sizes on the command line. The whole word has to be a number: "10x", "-1" and what
 * does not fit are refused, where strtoull() alone would take a part, wrap around or stop at the
 * largest.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/nearest.h"
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

void cli_suggest(const char *word, const char *const *names, size_t nr, char *buf, size_t size)
{
	struct nearest n = nearest_init(word);

	for (size_t i = 0; i < nr; i++)
		nearest_offer(&n, names[i]);
	nearest_print(&n, buf, size);
}
