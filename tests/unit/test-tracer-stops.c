// SPDX-License-Identifier: GPL-2.0-or-later
/* What a wait came to, and whose a stop is: the tracer's or the program's. */
#include "unit.h"

#ifdef __x86_64__
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tracer/walk-int.h"

static void test_waits(void **state)
{
	struct waited w;
	pid_t pid;

	(void)state;
	for (int status = 0; status < 2; status++) {
		pid = fork();
		if (!pid)
			_exit(status);
		/* an end with 0 is an end */
		w = tracer_wait(pid, 5000);
		assert_int_equal(w.kind, WAITED_END);
		assert_true(WIFEXITED(w.status));
		assert_int_equal(WEXITSTATUS(w.status), status);
		/* nothing is to be told of it any more */
		assert_int_equal(tracer_wait(pid, 5000).kind, WAITED_GONE);
		assert_false(tracer_is_ours(pid));
	}
	pid = fork();
	if (!pid)
		for (;;)
			pause();
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	assert_int_equal(tracer_wait(pid, 1).kind, WAITED_NOTHING);
	assert_true(tracer_is_ours(pid));
	assert_false(tracer_is_standing(pid));
	w = tracer_fetch(pid);
	assert_int_equal(w.kind, WAITED_STOP);
	assert_int_equal(w.status >> 16, PTRACE_EVENT_STOP);
	assert_true(tracer_is_standing(pid));
	kill(pid, SIGKILL);
	w = tracer_wait(pid, 5000);
	assert_int_equal(w.kind, WAITED_END);
	assert_true(WIFSIGNALED(w.status));
	/* a stop that was not told yet is none in which it stands unseen */
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	while (waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WSTOPPED | WNOWAIT))
		;
	assert_true(tracer_is_ours(pid));
	assert_false(tracer_is_standing(pid));
	assert_int_equal(tracer_wait(pid, 5000).kind, WAITED_STOP);
	assert_true(tracer_is_standing(pid));
	kill(pid, SIGKILL);
	assert_int_equal(tracer_wait(pid, 5000).kind, WAITED_END);
}

void stops_code(void);
/* clang-format off */
__asm__(".text\n"
	".type stops_code, @function\n"
	"stops_code:\n"
	"	mov $39, %eax\n"
	"	syscall\n"
	"	nop\n"
	"	.byte 0xf1\n" /* int1 */
	"	jmp stops_code\n");
/* clang-format on */

static pid_t start_code(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		stops_code();
	}
	assert_int_equal(tracer_wait(pid, 5000).kind, WAITED_STOP);
	return pid;
}

/* The status of its next stop, after @request. */
static int next_stop(pid_t pid, int request)
{
	struct waited w;

	assert_int_equal(ptrace(request, pid, NULL, NULL), 0);
	w = tracer_wait(pid, 5000);
	assert_int_equal(w.kind, WAITED_STOP);
	return w.status;
}

static void test_steps(void **state)
{
	struct tracee th = { .tid = start_code(), .stepped = true };
	const uint64_t code = (uint64_t)(uintptr_t)stops_code;
	struct user_regs_struct r = { 0 };
	int status;

	(void)state;
	/* the program's own trap, by a step or without */
	status = next_stop(th.tid, PTRACE_CONT);
	assert_int_equal(WSTOPSIG(status), SIGTRAP);
	assert_false(step_is_ours(&th, status));
	assert_int_equal(ptrace(PTRACE_GETREGS, th.tid, NULL, &r), 0);
	r.rip = code;
	assert_int_equal(ptrace(PTRACE_SETREGS, th.tid, NULL, &r), 0);
	/* steps, one of them over a system call */
	for (int i = 0; i < 3; i++) {
		status = next_stop(th.tid, PTRACE_SINGLESTEP);
		assert_int_equal(ptrace(PTRACE_GETREGS, th.tid, NULL, &r), 0);
		assert_true(step_is_ours(&th, status));
	}
	assert_int_equal(r.rip, code + 8); /* behind the nop */
	th.stepped = false;
	assert_false(step_is_ours(&th, status));
	kill(th.tid, SIGKILL);
	assert_int_equal(tracer_wait(th.tid, 5000).kind, WAITED_END);
}

/* A descriptor's signal is ours, a child's end is the program's: the two have the same si_codes. */
static void test_signals(void **state)
{
	static const int all[] = { SIGURG, SIGWINCH, SIGCHLD };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		int pair[2], fd = -1, status;
		pid_t pid;

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		pid = start_code();
		assert_int_equal(points_signal_to(pair[0], pid, all[i]), 0);
		assert_int_equal(write(pair[1], "", 1), 1);
		status = next_stop(pid, PTRACE_CONT);
		assert_int_equal(WSTOPSIG(status), all[i]);
		assert_true(signals_is_event(pid, all[i], &fd));
		assert_int_equal(fd, pair[0]);
		kill(pid, SIGKILL);
		assert_int_equal(tracer_wait(pid, 5000).kind, WAITED_END);

		pid = start_code();
		assert_int_equal(kill(pid, all[i]), 0);
		status = next_stop(pid, PTRACE_CONT);
		assert_int_equal(WSTOPSIG(status), all[i]);
		assert_false(signals_is_event(pid, all[i], &fd));
		kill(pid, SIGKILL);
		assert_int_equal(tracer_wait(pid, 5000).kind, WAITED_END);
		close(pair[0]);
		close(pair[1]);
	}
}

static void test_child_end(void **state)
{
	pid_t pid = fork(), child;
	struct waited w;

	(void)state;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		child = fork();
		if (!child)
			_exit(7);
		waitpid(child, NULL, 0);
		_exit(0);
	}
	w = tracer_wait(pid, 5000);
	assert_int_equal(w.kind, WAITED_STOP);
	w.status = next_stop(pid, PTRACE_CONT);
	assert_int_equal(WSTOPSIG(w.status), SIGCHLD);
	assert_false(signals_is_event(pid, SIGCHLD, NULL));
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	assert_int_equal(tracer_wait(pid, 5000).kind, WAITED_END);
}

/* Three have something to tell: whoever is asked first does, and no one is told of twice. */
static void test_turns(void **state)
{
	static const int first[] = { 2, 1, 2, 0 }; /* the third of these has told already */
	static const int told[] = { 2, 1, 0 };
	pid_t pid[3], tid;

	(void)state;
	for (int i = 0; i < 3; i++) {
		siginfo_t si;

		pid[i] = fork();
		if (!pid[i])
			_exit(i);
		assert_int_equal(waitid(P_PID, (id_t)pid[i], &si, WEXITED | WNOWAIT), 0);
	}
	for (int i = 0; i < 3; i++) {
		struct waited w = tracer_wait_any(pid[first[i]], &tid);

		assert_int_equal(w.kind, WAITED_END);
		assert_int_equal(tid, pid[told[i]]);
		assert_int_equal(WEXITSTATUS(w.status), told[i]);
	}
	assert_int_equal(tracer_wait_any(pid[first[3]], &tid).kind, WAITED_NOTHING);
	assert_int_equal(tracer_wait_any(0, &tid).kind, WAITED_NOTHING);
}

/* Of a shell's many children none is remembered; its own end is told, whoever has its number later. */
static void test_ends(void **state)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int go[2], status = -1;
	struct err e;
	pid_t pid;

	(void)state;
	assert_non_null(t);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		while (read(go[0], &status, 1) != 1)
			;
		for (int i = 0; i < 30; i++) {
			pid = fork();
			if (!pid)
				_exit(1);
			waitpid(pid, NULL, 0);
		}
		_exit(7);
	}
	t->opts.inherit = true;
	tracer_watch_end(t, pid);
	assert_int_equal(tracer_attach(t, pid, true, &e), 0);
	assert_int_equal(write(go[1], "", 1), 1);
	while (!tracer_ended(t, &status)) {
		assert_true(tracer_service(t, &e) >= 0);
		tracer_doze(1000000);
	}
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_int_equal(t->stats.threads, 31);
	for (int i = 0; i < 2; i++) {
		struct waited w = { WAITED_END, 3 << 8 };
		struct tracee *th;

		assert_int_equal(tracee_stranger(t, pid + i, w, &th, &e), 0);
		assert_true(tracer_ended(t, &status));
		assert_int_equal(WEXITSTATUS(status), 7);
	}
	tracer_free(t);
	close(go[0]);
	close(go[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),	  cmocka_unit_test(test_turns),
		cmocka_unit_test(test_steps),	  cmocka_unit_test(test_signals),
		cmocka_unit_test(test_child_end), cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests_name("tracer-stops", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux on x86-64");
	return 0;
}
#endif
