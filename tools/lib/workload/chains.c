// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callers of a known shape: inlined ones, a chain of eight, a fixed sequence of calls. Who reads a
 * recording of them can tell a right chain from one that looks right: every caller has one place
 * to call from.
 */
#include "workload/workload-int.h"

static volatile uint64_t chain_sum;

/* Two functions that exist in the debug information only; inlineloop has all the samples. */
static inline __attribute__((always_inline)) void inlined_leaf(uint64_t by)
{
	for (int i = 0; i < 1000; i++)
		chain_sum += by;
}

static inline __attribute__((always_inline)) void inlined_middle(uint64_t by)
{
	for (uint64_t i = 0; i < 4; i++)
		inlined_leaf(by + i);
}

void inlineloop(void);
OWN_FUNCTION void inlineloop(void)
{
	while (!workload_done)
		inlined_middle(1);
}

int workload_inlineloop(int argc, char **argv)
{
	workload_alarm(workload_seconds(argc, argv, 1));
	inlineloop();
	return 0;
}

/* chain_1 calls chain_2, and so on; chain_8 has all the samples. */
AS_WRITTEN static void chain_8(void)
{
	while (!workload_done)
		chain_sum++;
}

#define LINK(n, next)                          \
	AS_WRITTEN static void chain_##n(void) \
	{                                      \
		chain_##next();                \
		chain_sum++;                   \
	}

LINK(7, 8)
LINK(6, 7)
LINK(5, 6)
LINK(4, 5)
LINK(3, 4)
LINK(2, 3)
LINK(1, 2)

int workload_callchain(int argc, char **argv)
{
	workload_alarm(workload_seconds(argc, argv, 1));
	chain_1();
	return 0;
}

/*
 * The same calls and branches in every run: twice, a calls b, which calls c three times. Short
 * enough to be followed instruction by instruction.
 */
AS_WRITTEN static void step_c(uint64_t n)
{
	for (uint64_t i = 0; i < 10; i++)
		chain_sum += n;
}

AS_WRITTEN static void step_b(uint64_t n)
{
	for (uint64_t i = 0; i < 3; i++)
		step_c(n + i);
}

AS_WRITTEN static void step_a(uint64_t n)
{
	step_b(n);
	step_b(n + 10);
}

int workload_deterministic(int argc, char **argv)
{
	(void)argc, (void)argv;
	chain_sum = 0;
	step_a(1);
	return chain_sum != 10 * (1 + 2 + 3 + 11 + 12 + 13);
}
