// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps of very many processes, one after the other: what they take does not grow. */
#include "unit.h"

#ifdef __x86_64__
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/capture-int.h"
#include "recorder/recorder-int.h"
#include "unwind/unwind.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true /* they keep what was freed */
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED false
#endif

#define SP	  7 /* perf's numbers */
#define IP	  8
#define PROCESSES 2600
#define MOST	  1000 /* KB; 1100 processes take twice as much */

static size_t no_memory(void *ctx, uint64_t addr, void *buf, size_t n)
{
	(void)ctx, (void)addr, (void)buf, (void)n;
	return 0;
}

static long resident_kb(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d %ld", &pages), 1);
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A sample of a process that does nothing, and then is gone. */
static void sample(struct recorder *rec)
{
	struct tracer_stack ts = { .regs.known = BIT(IP) | BIT(SP), .read = no_memory };
	uint64_t ip[16];
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	ts.pid = ts.tid = pid;
	ts.regs.reg[IP] = (uint64_t)(uintptr_t)sample;
	assert_int_equal(recorder_stack(rec, &ts, ip, ARRAY_SIZE(ip)), 1);
	assert_int_equal(ip[0], (uint64_t)(uintptr_t)sample);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_many(void **state)
{
	struct recorder *rec = calloc(1, sizeof(*rec));
	struct capture c = { 0 };
	struct err e;
	long before = 0;

	(void)state;
	if (!unwind_live_works())
		skip_because("perf was built without libdw");
	assert_non_null(rec);
	rec->capture = &c;
	assert_int_equal(recorder_stacks_new(rec, &e), 0);
	for (unsigned i = 0; i < PROCESSES; i++) {
		if (i == PROCESSES - 1100)
			before = resident_kb();
		sample(rec);
	}
	if (!getenv("VALGRIND") && !SANITIZED)
		assert_true(resident_kb() - before < MOST);
	recorder_stacks_free(rec->soft.stacks);
	free(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("recorder-stacks", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP call stacks by ptrace are there for x86-64 only");
	return 0;
}
#endif
