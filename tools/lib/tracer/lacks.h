/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tests take away. Machines differ in what they can do, and a suite runs on one of them: so
 * PERF_TEST_LACKS names, with commas between, what this one shall not have. This is the only place
 * where the tracer reads its environment; Documentation/design.md lists the words.
 */
#ifndef PERF_TRACER_LACKS_H
#define PERF_TRACER_LACKS_H

#include <stdbool.h>

enum tracer_lack {
	LACK_BREAKPOINTS, /* "breakpoints": they are refused, as where others hold all of them */
	LACK_HITS,	  /* "breakpoint-hits": they open and never fire */
	LACK_STEPS,	  /* "steps": PTRACE_SINGLESTEP is refused */
	LACK_BLOCKS,	  /* "block-steps": PTRACE_SINGLEBLOCK steps single instructions */
	LACK_AVX512,	  /* "avx512" */
	LACK_AVX,	  /* "avx": nor AVX-512 */
};

bool tracer_lacks(enum tracer_lack what);

#endif
