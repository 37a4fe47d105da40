// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of PERF_TEST_LACKS. */
#include "lacks.h"

#include <stdlib.h>
#include <string.h>

bool tracer_lacks(enum tracer_lack what)
{
	static const char *const words[] = {
		[LACK_BREAKPOINTS] = "breakpoints",
		[LACK_HITS] = "breakpoint-hits",
		[LACK_STEPS] = "steps",
		[LACK_BLOCKS] = "block-steps",
		[LACK_AVX512] = "avx512",
		[LACK_AVX] = "avx",
	};
	const char *at = getenv("PERF_TEST_LACKS");
	size_t n = strlen(words[what]);

	while (at && *at) {
		size_t len = strcspn(at, ",");

		if (len == n && !memcmp(at, words[what], n))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}
