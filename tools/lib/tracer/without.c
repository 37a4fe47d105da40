// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a test takes away from the machine, so that each machine can be like any other:
 * PERF_TRACER_WITHOUT=WORD,WORD... It takes only; nothing is believed that is not there.
 */
#include <stdlib.h>

#include "private.h"

unsigned tracer_without(void)
{
	static const struct {
		const char *word;
		unsigned bit;
	} words[] = {
		{ "breakpoints", WITHOUT_BREAKPOINTS },
		{ "hits", WITHOUT_HITS },
	};
	const char *text = getenv("PERF_TRACER_WITHOUT");
	unsigned bits = 0;

	while (text && *text) {
		size_t n = strcspn(text, ",");

		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			if (strlen(words[i].word) == n && !memcmp(words[i].word, text, n))
				bits |= words[i].bit;
		text += n + (text[n] == ',');
	}
	return bits;
}
