// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record: a process in front of the one that records. Between two single steps a thread stands
 * with the trap flag set, and a kernel whose tracer dies lets it go as it stands: its next
 * instruction raises SIGTRAP and the program dies. So where threads are stepped the recorder is a
 * child, and what the user sees, signals and perhaps kills is the guard, which hands on signals and
 * the status. Without its guard the recorder lets all threads go and ends in order.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record.h"

static const int handed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR2 };

/* What the recorder came to becomes the guard's end. */
static void __attribute__((noreturn)) end_like(int status)
{
	sigset_t set;

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(status));
	signal(WTERMSIG(status), SIG_DFL);
	kill(getpid(), WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + WTERMSIG(status));
}

/* Ctrl-C: the terminal has told the recorder too, for which a second signal means that it must not wait. */
static bool came_by_terminal(const siginfo_t *info)
{
	return info->si_signo == SIGINT && info->si_code == SI_KERNEL;
}

static void __attribute__((noreturn)) guard(pid_t recorder, const sigset_t *set)
{
	static const struct timespec now = { 0 };
	siginfo_t info;
	int status, sig;

	/* What waits came before there was a recorder, or ends one that is not ready yet. */
	while ((sig = sigtimedwait(set, NULL, &now)) > 0)
		if (sig != SIGCHLD)
			kill(recorder, sig);
	for (;;) {
		pid_t pid = waitpid(recorder, &status, WNOHANG);

		if (pid == recorder)
			end_like(status);
		if (pid < 0 && errno != EINTR)
			_exit(1); /* nobody else waits for it: cannot be */
		sig = sigwaitinfo(set, &info);
		if (sig > 0 && sig != SIGCHLD && !came_by_terminal(&info))
			kill(recorder, sig);
	}
}

int record_guard(struct recorder *rec, struct err *e)
{
	sigset_t set, before;
	pid_t self = getpid(), pid;

	if (!recorder_steps(rec))
		return 0;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(handed_on); i++)
		if (handed_on[i] != SIGHUP || !capture_ignores_hangup())
			sigaddset(&set, handed_on[i]);
	signal(SIGCHLD, SIG_DFL);
	fflush(NULL);
	sigprocmask(SIG_BLOCK, &set, &before);
	pid = fork();
	if (pid > 0)
		guard(pid, &set);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return err_set(e, -errno, "cannot start a process that records: %s",
			       strerror(errno));
	recorder_watch_parent(rec, self);
	return 0;
}
