// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a test takes away from the machine, so that each machine can be like any other:
 * PERF_TRACER_WITHOUT=WORD,WORD... It takes only; nothing is believed that is not there.
 */
#include "without-int.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/tables.h"

unsigned tracer_without(void)
{
	static const struct {
		const char *word;
		unsigned bit;
	} words[] = {
		{ "breakpoints", WITHOUT_BREAKPOINTS },
		{ "hits", WITHOUT_HITS },
		{ "later-hits", WITHOUT_LATER_HITS },
		{ "steps", WITHOUT_STEPS },
		{ "blocks", WITHOUT_BLOCKS },
		{ "cpuid-steps", WITHOUT_CPUID_STEPS },
		{ "avx512", WITHOUT_AVX512 },
		{ "avx", WITHOUT_AVX | WITHOUT_AVX512 },
		{ "clock", WITHOUT_CLOCK },
		{ "kernel", WITHOUT_KERNEL },
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
