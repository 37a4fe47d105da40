/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On which CPU perf computes while a thread stands still, see affinity.c. */
#ifndef PERF_TRACER_AFFINITY_INT_H
#define PERF_TRACER_AFFINITY_INT_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#define AFFINITY_SETS \
	64 /* of 1024 CPUs each: the kernel refuses what is smaller than its own set */

struct affinity {
	cpu_set_t may[AFFINITY_SETS]; /* be used by the calling thread, before */
	int back;		      /* the CPU to which it returns; -1 = it stays */
};

/*
 * Moves the calling thread to the CPU on which thread @tid of process @pid, which stands still, ran
 * last. false: it is where it was, because nobody says which CPU that is, or it is not ours to use.
 * affinity_restore() is next.
 */
bool affinity_follow(struct affinity *a, pid_t pid, pid_t tid);
/*
 * To another CPU, where there is one that we may use; the second time nothing is done. From there on
 * the scheduler may move us to all CPUs that we might use before and that were online then.
 */
void affinity_restore(struct affinity *a);

#endif
