/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * side: the same function for many numbers, by several threads side by side. Memory, errors and
 * threads: see base.h.
 */
#ifndef PERF_BASE_SIDE_H
#define PERF_BASE_SIDE_H

#include "base/base.h"

typedef void side_fn(void *ctx, size_t i);

/*
 * Calls @fn for each number below @n and returns when all calls have; by up to @threads threads, this one
 * among them, in any order. Where no thread can be started this one does more.
 */
void side_by_side(unsigned threads, size_t n, side_fn *fn, void *ctx);

/* Within @fn: which of the call's threads this is, from 0, the caller, to less than @threads. For memory that each has. */
unsigned side_thread(void);

/*
 * Memory that each of @n threads writes to: side_step(@size) bytes for each, zeroed. What one writes lies in no cache line of
 * another's, nor in the line beside, which CPUs fetch with it. NULL: no memory. free() frees it.
 */
#define SIDE_APART 128
void *side_memory(size_t n, size_t size);

static inline size_t side_step(size_t size)
{
	return (size + SIDE_APART - 1) / SIDE_APART * SIDE_APART;
}

/*
 * Seconds of CPU time that the calls of this thread have saved so far: all that their numbers took, less what these would take one
 * after the other on as many CPUs as there were threads. On machines with fewer it tells what more would give.
 */
double side_saved(void);
/* What this thread has worked: seconds of CPU time. */
double side_seconds(void);

#endif
