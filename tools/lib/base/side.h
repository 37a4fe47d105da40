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
 * Seconds of CPU time that the calls of this thread have saved so far: all that their numbers took, less what these would take one
 * after the other on as many CPUs as there were threads. On machines with fewer it tells what more would give.
 */
double side_saved(void);
/* What this thread has worked: seconds of CPU time. */
double side_seconds(void);

#endif
