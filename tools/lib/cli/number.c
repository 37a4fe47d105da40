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

#define DURATION_MAX 100000000 /* of any unit: years in seconds, and in ms no overflow */

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

int cli_parse_duration(const char *s, uint64_t *ms)
{
	static const struct {
		char unit;
		uint64_t ms;
	} units[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 } };
	size_t n = strlen(s);
	char number[32];
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (n < 2 || n >= sizeof(number) || s[n - 1] != units[i].unit)
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)n - 1, s);
		if (cli_parse_u64(number, &v) || !v || v > DURATION_MAX)
			return -EINVAL;
		*ms = v * units[i].ms;
		return 0;
	}
	return -EINVAL;
}

void cli_suggest(const char *word, const char *const *names, size_t nr, char *buf, size_t size)
{
	struct nearest n = nearest_init(word);

	for (size_t i = 0; i < nr; i++)
		nearest_offer(&n, names[i]);
	nearest_print(&n, buf, size);
}
