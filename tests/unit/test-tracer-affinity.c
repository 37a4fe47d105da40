// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf goes to the CPU on which a thread stood, and away again; where it may not it stays. Afterwards
 * it may use the CPUs that it might before.
 */
#include "unit.h"

#if defined(__linux__)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/affinity-int.h"

static cpu_set_t all;
static int cpu[2]; /* two that we may use */

static cpu_set_t only(int n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(n, &set);
	return set;
}

static void stay_on(cpu_set_t set)
{
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static cpu_set_t allowed(void)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	return set;
}

static int two_cpus(void **state)
{
	unsigned n = 0;

	(void)state;
	if (sched_getaffinity(0, sizeof(all), &all))
		return 0; /* more than 1024 CPUs */
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &all))
			cpu[n++] = i;
	return 0;
}

static int as_before(void **state)
{
	(void)state;
	return sched_setaffinity(0, sizeof(all), &all);
}

/* Some containers let nobody choose. */
static void need_cpus(int n)
{
	if (CPU_COUNT(&all) < n)
		skip_because("fewer than two CPUs, or more than 1024");
	if (sched_setaffinity(0, sizeof(all), &all))
		skip_because("sched_setaffinity() is refused here");
}

/* A child that has run on @where, and stands. */
static pid_t child_on(int where)
{
	cpu_set_t set = only(where);
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		if (sched_setaffinity(0, sizeof(set), &set))
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Whether it was elsewhere afterwards; the scheduler may have had it come back at once. */
static bool goes_and_leaves(int where)
{
	pid_t pid = child_on(where);
	struct affinity a;
	cpu_set_t now;
	bool left;

	assert_true(affinity_follow(&a, pid, pid));
	assert_int_equal(sched_getcpu(), where);
	assert_int_not_equal(a.back, where);
	assert_true(CPU_ISSET(a.back, &all));
	affinity_restore(&a);
	left = sched_getcpu() != where;
	now = allowed();
	assert_true(CPU_EQUAL(&now, &all));
	/* once is enough: a burst that was given up is left again when it is written */
	stay_on(only(where));
	affinity_restore(&a);
	now = allowed();
	assert_int_equal(CPU_COUNT(&now), 1);
	stay_on(all);
	end(pid);
	return left;
}

/* From the other CPU and from the same one. */
static void test_goes_there(void **state)
{
	unsigned left = 0;

	(void)state;
	need_cpus(2);
	for (int i = 0; i < 20; i++) {
		stay_on(only(cpu[i / 2 % 2]));
		stay_on(all);
		left += goes_and_leaves(cpu[i % 2]);
	}
	assert_true(left > 10);
}

/* We may use one CPU, and the thread stands on @where: it stays as it is. */
static void confined(int where, bool ours)
{
	pid_t pid = child_on(where);
	struct affinity a;
	cpu_set_t now;

	stay_on(only(cpu[0]));
	assert_int_equal(affinity_follow(&a, pid, pid), ours);
	assert_int_equal(a.back, -1);
	affinity_restore(&a);
	assert_int_equal(sched_getcpu(), cpu[0]);
	now = allowed();
	assert_int_equal(CPU_COUNT(&now), 1);
	end(pid);
}

static void test_not_ours(void **state)
{
	(void)state;
	need_cpus(2);
	confined(cpu[1], false);
}

static void test_one_cpu(void **state)
{
	(void)state;
	need_cpus(1);
	confined(cpu[0], true);
}

static void test_gone(void **state)
{
	struct affinity a;
	cpu_set_t now;
	pid_t pid;

	(void)state;
	need_cpus(1);
	pid = child_on(cpu[0]);
	end(pid);
	assert_false(affinity_follow(&a, pid, pid));
	affinity_restore(&a);
	now = allowed();
	assert_true(CPU_EQUAL(&now, &all));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_goes_there, as_before),
		cmocka_unit_test_teardown(test_not_ours, as_before),
		cmocka_unit_test_teardown(test_one_cpu, as_before),
		cmocka_unit_test_teardown(test_gone, as_before),
	};

	return cmocka_run_group_tests_name("tracer-affinity", tests, two_cpus, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux");
	return 0;
}
#endif
