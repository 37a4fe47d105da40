// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every kind of branch in a known place. What a branch stack of it may hold:
 *
 *	brstack_bench -> brstack_foo	IND_CALL, CALL
 *	brstack_bench -> brstack_bar	CALL
 *	brstack_foo   -> brstack_bar	CALL
 *	brstack_bar   -> brstack_foo	RET
 *	brstack_bar   -> brstack_bench	RET
 *	brstack_foo   -> brstack_bench	RET
 *	brstack_bench -> brstack_bench	COND
 *	brstack       -> brstack_bench	CALL
 *	brstack_bench -> brstack	RET
 *	brstack       -> brstack	UNCOND, COND
 */
#include "workload/workload-int.h"

void brstack_bar(void);
void brstack_foo(void);
void brstack_bench(void);
void brstack(uint64_t rounds);

static volatile uint64_t round_nr;

AS_WRITTEN void brstack_bar(void)
{
}

AS_WRITTEN void brstack_foo(void)
{
	brstack_bar();
}

AS_WRITTEN void brstack_bench(void)
{
	void (*volatile indirect)(void) = brstack_foo;

	/* Taken two times out of three. */
	if (round_nr++ % 3 == 0)
		brstack_bar();
	brstack_bar();
	brstack_foo();
	indirect();
}

AS_WRITTEN void brstack(uint64_t rounds)
{
	for (;;) {
		if (round_nr >= rounds)
			break;
		brstack_bench();
	}
}

int workload_brstack(int argc, char **argv)
{
	round_nr = 0;
	brstack(workload_count(argc, argv, 1, 999999));
	return 0;
}
