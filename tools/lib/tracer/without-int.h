/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What PERF_TRACER_WITHOUT, a switch of the tests, takes away; the words are in without.c and in
 * Documentation/design.md. The tracer reads no other part of its environment.
 */
#ifndef PERF_TRACER_WITHOUT_INT_H
#define PERF_TRACER_WITHOUT_INT_H

enum {
	WITHOUT_BREAKPOINTS = 1, /* they do not open */
	WITHOUT_HITS = 2,	 /* they open and never fire */
	WITHOUT_STEPS = 4,	 /* PTRACE_SINGLESTEP is refused */
	WITHOUT_BLOCKS = 8,	 /* PTRACE_SINGLEBLOCK steps single instructions */
	WITHOUT_AVX512 = 16,
	WITHOUT_AVX = 32,	   /* nor AVX-512 */
	WITHOUT_LATER_HITS = 64,   /* they fire where they are tried and never again */
	WITHOUT_CPUID_STEPS = 128, /* a step over CPUID ends behind the next instruction, too */
	WITHOUT_CLOCK = 256,	   /* the samples' clock cannot be read */
	WITHOUT_KERNEL = 512,	   /* as on AArch64: struct tracer_machine */
};

unsigned tracer_without(void);

#endif
