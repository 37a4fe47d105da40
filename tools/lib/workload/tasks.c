// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads with names, and two processes that take turns through pipes: what a reader of COMM
 * records, of context switches and of --sort comm has to tell apart.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload/workload-int.h"

#define MAX_THREADS 64

void *named_thread_loop(void *arg);

struct named_thread {
	pthread_t id;
	uint64_t nr, rounds;
};

/* Thread N is called threadN and has all its samples here. */
AS_WRITTEN void *named_thread_loop(void *arg)
{
	struct named_thread *t = arg;
	volatile uint64_t count = 0;
	char name[16];

	snprintf(name, sizeof(name), "thread%llu", (unsigned long long)t->nr);
	prctl(PR_SET_NAME, name, 0, 0, 0);
	while (count < t->rounds)
		count++;
	return NULL;
}

int workload_named_threads(int argc, char **argv)
{
	uint64_t nr = min_u64(workload_count(argc, argv, 1, 2), MAX_THREADS), started = 0;
	uint64_t rounds = workload_count(argc, argv, 2, 100000000);
	struct named_thread threads[MAX_THREADS];

	for (; started < nr; started++) {
		struct named_thread *t = &threads[started];

		*t = (struct named_thread){ .nr = started + 1, .rounds = rounds };
		if (pthread_create(&t->id, NULL, named_thread_loop, t))
			break;
	}
	for (uint64_t i = 0; i < started; i++)
		pthread_join(threads[i].id, NULL);
	return started != nr;
}

int context_switch_work(int in, int out, uint64_t rounds, bool first);

/* One byte to the other process and one back, which cannot be there yet. */
OWN_FUNCTION int context_switch_work(int in, int out, uint64_t rounds, bool first)
{
	char byte = 'x';

	for (uint64_t i = 0; i < rounds; i++) {
		if (first && write(out, &byte, 1) != 1)
			return 1;
		if (read(in, &byte, 1) != 1)
			return 1;
		if (!first && write(out, &byte, 1) != 1)
			return 1;
	}
	return 0;
}

/* The child is called context_child: switches between the two have a name on each side. */
int workload_context_switch_loop(int argc, char **argv)
{
	uint64_t rounds = workload_count(argc, argv, 1, 1000);
	int there[2], back[2], status = 0, ret;
	pid_t pid;

	if (pipe(there) || pipe(back))
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		prctl(PR_SET_NAME, "context_child", 0, 0, 0);
		close(there[1]);
		close(back[0]);
		_exit(context_switch_work(there[0], back[1], rounds, false));
	}
	prctl(PR_SET_NAME, "context_parent", 0, 0, 0);
	close(there[0]);
	close(back[1]);
	ret = context_switch_work(back[0], there[1], rounds, true);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	close(there[1]);
	close(back[0]);
	return ret || status;
}
