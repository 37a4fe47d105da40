// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a way is computed. What a thread uses lies in the caches of the CPU on which it ran. Read
 * from another one, lines that it has written are shared from then on, and each of its next stores
 * there has to take its line back; and a CPU of a virtual machine that has nothing to do meanwhile
 * is lent to others, who take the caches. Either way the thread comes less far in the span that
 * follows than it would have, most where it uses much memory. So perf goes to that CPU. Before the
 * thread runs on it leaves: one that is woken where somebody else runs is moved to an idle CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affinity-int.h"
#include "status-int.h"

#define CPUS	 (AFFINITY_SETS * CPU_SETSIZE)
#define STAT_CPU 39 /* which field of /proc/PID/stat, from 1 on: proc(5) */

/* Where thread @tid ran last; -1 = nobody says. */
static int cpu_of(pid_t pid, pid_t tid)
{
	char path[64], buf[STATUS_STAT];
	const char *p;

	/* not /proc/TID/stat, which adds up the times of all threads */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	p = status_stat(path, buf);
	for (unsigned field = 2; p && field < STAT_CPU; field++)
		p = strchr(p + 1, ' ');
	return p ? (int)strtol(p, NULL, 10) : -1;
}

static bool go_to(int cpu)
{
	cpu_set_t one[AFFINITY_SETS] = { 0 };

	CPU_SET_S(cpu, sizeof(one), one);
	return !sched_setaffinity(0, sizeof(one), one);
}

/* The next one behind @cpu that we may use; -1 = there is none. */
static int other_than(int cpu, const struct affinity *a)
{
	if (CPU_COUNT_S(sizeof(a->may), a->may) == 1)
		return -1;
	for (int i = 1; i < CPUS; i++)
		if (CPU_ISSET_S((cpu + i) % CPUS, sizeof(a->may), a->may))
			return (cpu + i) % CPUS;
	return -1;
}

bool affinity_follow(struct affinity *a, pid_t pid, pid_t tid)
{
	int here = sched_getcpu(), cpu = cpu_of(pid, tid);

	a->back = -1;
	if (cpu < 0 || cpu >= CPUS || sched_getaffinity(0, sizeof(a->may), a->may) ||
	    !CPU_ISSET_S(cpu, sizeof(a->may), a->may) || !go_to(cpu))
		return false;
	a->back = here >= 0 && here != cpu ? here : other_than(cpu, a);
	return true;
}

void affinity_restore(struct affinity *a)
{
	if (a->back < 0)
		return;
	(void)go_to(a->back);
	(void)sched_setaffinity(0, sizeof(a->may), a->may);
	a->back = -1;
}
