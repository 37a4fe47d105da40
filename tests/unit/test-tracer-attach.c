// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a thread cannot be traced: each reason from its facts, and the facts of real processes. */
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/tracer.h"
#include "unit.h"

/* A thread of uid 1000 that perf as uid 1000 may trace. */
static const struct tracer_facts plain = {
	.tid = 77, .there = true, .uid = 1000, .our_uid = 1000, .dumpable = true
};

static void says(struct tracer_facts f, int code, const char *text, const char *hint)
{
	struct err e = { 0 };

	assert_int_equal(tracer_explain(&f, &e), code);
	if (!strstr(e.text, text) || !strstr(e.text, "thread 77"))
		fail_msg("'%s' does not say '%s'", e.text, text);
	if (hint && !strstr(e.hint, hint))
		fail_msg("'%s' does not say '%s'", e.hint, hint);
}

static void test_reasons(void **state)
{
	struct tracer_facts f = plain;

	(void)state;
	f.there = false;
	says(f, -ESRCH, "is not there", NULL);
	f = plain, f.zombie = true;
	says(f, -ESRCH, "has ended (a zombie)", NULL);
	f = plain, f.tracer = 4242, strcpy(f.tracer_name, "gdb");
	says(f, -EPERM, "process 4242 (gdb) traces it already", "end the debugger");
	f = plain, f.kernel_thread = true;
	says(f, -EPERM, "thread of the kernel", "without user registers");
	f = plain, f.uid = 0;
	says(f, -EPERM, "belongs to root (uid 0), perf runs as uid 1000", "as root");
	f = plain, f.dumpable = false;
	says(f, -EPERM, "set-user-ID, file capabilities, or its own wish", "as root");
	says(plain, -EPERM, "a seccomp filter or a security module", "SYS_PTRACE");
	f = plain, f.may_ptrace = true;
	says(f, -EPERM, "security module (SELinux, AppArmor)", "audit log");
	f.we_are_filtered = true;
	says(f, -EPERM, "a seccomp filter", "SYS_PTRACE");
}

static void test_yama(void **state)
{
	struct tracer_facts f = plain;

	(void)state;
	f.yama_scope = 1;
	says(f, -EPERM, "only what it started (kernel.yama.ptrace_scope = 1)",
	     "sysctl kernel.yama.ptrace_scope=0");
	f.yama_scope = 2;
	says(f, -EPERM, "only administrators trace (kernel.yama.ptrace_scope = 2)", "as root");
	f.yama_scope = 3;
	says(f, -EPERM, "forbids all tracing (kernel.yama.ptrace_scope = 3)", "next boot");
	/* also root */
	f.may_ptrace = true;
	says(f, -EPERM, "forbids all tracing", "next boot");
	/* our own child: it is something else */
	f = plain, f.yama_scope = 1, f.descendant = true;
	says(f, -EPERM, "a seccomp filter or a security module", "SYS_PTRACE");
	/* what is sure comes before what may be */
	f = plain, f.yama_scope = 1, f.uid = 5;
	says(f, -EPERM, "perf runs as uid 1000", NULL);
}

/* A child that waits; it traces itself for us when @traced. */
static pid_t start(bool traced)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (traced)
			ptrace(PTRACE_TRACEME, 0, NULL, NULL);
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

static void test_facts(void **state)
{
	struct tracer_facts f;
	struct err e = { 0 };
	pid_t pid = start(false);

	(void)state;
	assert_true(tracer_facts_read(pid, &f));
	assert_true(f.there && f.dumpable && !f.zombie && !f.kernel_thread);
	assert_int_equal(f.uid, geteuid());
	assert_int_equal(f.our_uid, geteuid());
	assert_int_equal(f.tracer, 0);
	assert_int_equal(tracer_check(pid, &e), 0);
	end(pid);
	assert_false(tracer_facts_read(pid, &f));
	assert_int_equal(tracer_check(pid, &e), -ESRCH);

	pid = start(true);
	assert_true(tracer_facts_read(pid, &f));
	assert_int_equal(f.tracer, getpid());
	assert_string_not_equal(f.tracer_name, "");
	assert_int_equal(tracer_check(pid, &e), -EPERM);
	assert_int_equal(tracer_attach_error(pid, -EPERM, &e), -EPERM);
	assert_non_null(strstr(e.text, "traces it already"));
	end(pid);

	pid = fork();
	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	assert_true(tracer_facts_read(pid, &f));
	assert_true(f.zombie && !f.kernel_thread);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_yama),
		cmocka_unit_test(test_facts),
	};

	return cmocka_run_group_tests_name("tracer-attach", tests, NULL, NULL);
}
