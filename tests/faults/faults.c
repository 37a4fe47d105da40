// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts calls and says which of them fails. The stack of the one that did goes to the file `where`,
 * as backtrace_symbols_fd() prints it: tests/faults/run makes names of the addresses. Walking a stack
 * allocates and opens files the first time, and is not to be counted: hence `own`.
 */
#include "faults.h"

#include <errno.h>
#include <execinfo.h>

#define DEPTH 24

struct fault_state *fault_state;
struct fault_line *fault_log;
int fault_where = -1;
const char *fault_kallsyms;
static __thread int own;

void fault_begin(void)
{
	own++;
}

void fault_end(void)
{
	own--;
}

static void log_call(enum fault_class class, uint64_t nth)
{
	uint32_t at = __atomic_fetch_add(&fault_state->lines, 1, __ATOMIC_RELAXED);
	void *stack[DEPTH];
	uint64_t hash = 14695981039346656037u;
	int n;

	if (at >= FAULT_LINES)
		return;
	n = backtrace(stack, DEPTH);
	for (int i = 0; i < n; i++)
		hash = (hash ^ (uintptr_t)stack[i]) * 1099511628211u;
	fault_log[at] = (struct fault_line){ .stack = hash, .class = class, .nth = (uint32_t)nth };
}

static void tell_where(void)
{
	void *stack[DEPTH];

	backtrace_symbols_fd(stack, backtrace(stack, DEPTH), fault_where);
}

int fault_of(enum fault_class class)
{
	struct fault_state *s = fault_state;
	int saved = errno, how = 0;
	uint64_t nth;

	if (!s || own)
		return 0;
	own++;
	nth = __atomic_add_fetch(&s->count[class], 1, __ATOMIC_RELAXED);
	if (s->plan.log)
		log_call(class, nth);
	if ((int)class == s->plan.class &&
	    (nth == s->plan.nth || (s->plan.for_good && nth > s->plan.nth))) {
		how = s->plan.how;
		if (!__atomic_fetch_add(&s->failed, 1, __ATOMIC_RELAXED))
			tell_where();
	}
	own--;
	errno = saved;
	return how;
}

bool fails(enum fault_class class)
{
	int how = fault_of(class);

	if (how > 0)
		errno = how;
	return how > 0;
}
