// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of programs for perf test -w, and how long they run: so many seconds, and at least
 * half of them on a CPU. A busy machine would otherwise leave a recording of them without samples.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "workload/workload-int.h"

static const struct workload table[] = {
	{ "brstack", "every kind of branch, in known places (brstack_bench, brstack_foo, ...)",
	  "[ROUNDS]", workload_brstack },
	{ "callchain", "a chain of eight callers (chain_1 to chain_8)", "[SECONDS]",
	  workload_callchain },
	{ "context_switch_loop", "two processes that take turns (context_switch_work)", "[ROUNDS]",
	  workload_context_switch_loop },
	{ "datasym", "writes to a known global variable (buf1)", "[SECONDS]", workload_datasym },
	{ "deterministic", "the same short sequence of calls in every run (step_a, step_b, step_c)",
	  "", workload_deterministic },
	{ "inlineloop",
	  "all samples in inlined functions (inlineloop, inlined_middle, inlined_leaf)",
	  "[SECONDS]", workload_inlineloop },
	{ "jitdump", "code made at run time (jitdump_loop), with jit-PID.dump in DIR",
	  "[SECONDS] [DIR]", workload_jitdump },
	{ "landlock", "system calls with structs: landlock rules", "", workload_landlock },
	{ "leafloop", "a leaf function under a known chain of callers (parent, leaf)", "[SECONDS]",
	  workload_leafloop },
	{ "named_threads", "threads called thread1, thread2 ... (named_thread_loop)",
	  "[THREADS] [ROUNDS]", workload_named_threads },
	{ "noploop", "an empty loop in one function (noploop)", "[SECONDS]", workload_noploop },
	{ "simdloop", "known values in the widest vector registers (simdloop, scalarloop)",
	  "[SECONDS] [sse2|avx2|avx512]", workload_simdloop },
	{ "sqrtloop", "a child process that computes square roots (sqrtloop)", "[SECONDS]",
	  workload_sqrtloop },
	{ "thloop", "the same loop in two threads (test_loop)", "[SECONDS] [THREADS]",
	  workload_thloop },
	{ "traploop", "an instruction that traps (trap_here)", "[ROUNDS]", workload_traploop },
};

volatile int workload_done;

const struct workload *workloads(size_t *nr)
{
	*nr = ARRAY_SIZE(table);
	return table;
}

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

double workload_seconds(int argc, char **argv, double def)
{
	double s = argc > 1 ? strtod(argv[1], NULL) : def;

	return s > 0 && s < 1e6 ? s : def;
}

uint64_t workload_count(int argc, char **argv, int i, uint64_t def)
{
	uint64_t n = argc > i ? strtoull(argv[i], NULL, 0) : def;

	return n ? n : def;
}

static double cpu_seconds_wanted;

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#define AGAIN_US 20000

static struct timeval from_us(uint64_t us)
{
	return (struct timeval){ .tv_sec = (time_t)(us / 1000000),
				 .tv_usec = (suseconds_t)(us % 1000000) };
}

/* Comes again until the CPU time is there: setting timers is not for handlers. */
static void on_alarm(int sig)
{
	if (sig != SIGALRM || cpu_seconds() >= cpu_seconds_wanted)
		workload_done = 1;
}

void workload_alarm(double seconds)
{
	struct itimerval it = { .it_value = from_us(max_u64((uint64_t)(seconds * 1e6), 1)),
				.it_interval = from_us(AGAIN_US) };

	cpu_seconds_wanted = cpu_seconds() + seconds / 2;
	signal(SIGINT, on_alarm);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &it, NULL);
}
