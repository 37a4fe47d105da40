// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plain loops: one function, several threads, a chain of callers, a child, a data symbol.
 * Functions are global and kept as written, for tests look for their names and callers.
 */
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload/workload-int.h"

/* Global functions: a stripped symbol table would still name them. */
void noploop(void);
void *test_loop(void *arg);
void leaf(volatile int b);
void parent(volatile int b);
void sqrtloop(void);

/* Two halves on one cache line, as a place for memory sampling to point at. */
struct datasym_buf {
	char data1;
	char reserved[55];
	char data2;
} buf1 __attribute__((aligned(64)));

AS_WRITTEN void noploop(void)
{
	while (!workload_done)
		;
}

int workload_noploop(int argc, char **argv)
{
	workload_alarm(workload_seconds(argc, argv, 1));
	noploop();
	return 0;
}

AS_WRITTEN void *test_loop(void *arg)
{
	volatile uint64_t count = 0;

	while (!workload_done)
		count++;
	return arg;
}

int workload_thloop(int argc, char **argv)
{
	uint64_t nr = workload_count(argc, argv, 2, 2);
	pthread_t th[64];

	nr = min_u64(nr, ARRAY_SIZE(th));
	workload_alarm(workload_seconds(argc, argv, 1));
	/* This thread is one of them. */
	for (uint64_t i = 1; i < nr; i++)
		if (pthread_create(&th[i], NULL, test_loop, NULL))
			return 1;
	test_loop(NULL);
	for (uint64_t i = 1; i < nr; i++)
		pthread_join(th[i], NULL);
	return 0;
}

static volatile int leaf_sum;

AS_WRITTEN void leaf(volatile int b)
{
	while (!workload_done)
		leaf_sum += b;
}

AS_WRITTEN void parent(volatile int b)
{
	leaf(b);
}

int workload_leafloop(int argc, char **argv)
{
	workload_alarm(workload_seconds(argc, argv, 1));
	parent(argc);
	return 0;
}

AS_WRITTEN void sqrtloop(void)
{
	volatile double x = 2;

	while (!workload_done)
		x = sqrt(x + 1e6);
}

int workload_sqrtloop(int argc, char **argv)
{
	double seconds = workload_seconds(argc, argv, 1);
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return 1;
	if (!pid) {
		workload_alarm(seconds);
		sqrtloop();
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return status != 0;
}

static AS_WRITTEN void datasym_loop(void)
{
	while (!workload_done) {
		buf1.data1++;
		if (buf1.data1 == 123)
			buf1.data1 = 0;
		buf1.data2 = (char)(buf1.data2 + buf1.data1);
	}
}

int workload_datasym(int argc, char **argv)
{
	workload_alarm(workload_seconds(argc, argv, 1));
	datasym_loop();
	return 0;
}
