/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the test program itself: addresses that have names, for tests of what resolves them.
 */
#ifndef PERF_UNIT_FUNCTIONS_H
#define PERF_UNIT_FUNCTIONS_H

void t_leaf(void);
void t_mid(void);
void t_outer(void);

/* They differ, or a linker might make one of them. */
#define FUNCTION(name, n)                                   \
	__attribute__((noinline)) void name(void)           \
	{                                                   \
		__asm__ volatile("" : : "r"(n) : "memory"); \
	}
FUNCTION(t_leaf, 1)
FUNCTION(t_mid, 2)
FUNCTION(t_outer, 3)

#endif
