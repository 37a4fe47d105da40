// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every wait for a thread: bounded, and its outcome told by its kind. SIGCHLD is blocked by whoever
 * uses the tracer; a doze takes it, so after one of these waits all threads are to be asked.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "status-int.h"
#include "wait-int.h"

#define WAIT_AT_MOST 2000000000ULL /* ns for a thread that gets no CPU */
#define FETCH_MS     1000

uint64_t tracer_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

struct waited wait_returned(int status)
{
	return (struct waited){ WIFSTOPPED(status) ? WAITED_STOP : WAITED_END, status };
}

/* From /proc/TID/stat: the state, and the time in clock ticks. */
static bool read_stat(pid_t tid, char *state, unsigned long *ticks)
{
	unsigned long user, kernel;
	char path[64], buf[STATUS_STAT];
	const char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	p = status_stat(path, buf);
	if (!p || sscanf(p, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", state, &user,
			 &kernel) != 3)
		return false;
	*ticks = user + kernel;
	return true;
}

bool tracer_is_runnable(pid_t tid)
{
	unsigned long ticks;
	char state;

	return read_stat(tid, &state, &ticks) && state == 'R';
}

bool tracer_is_asleep(pid_t tid)
{
	unsigned long ticks;
	char state;

	return read_stat(tid, &state, &ticks) && (state == 'S' || state == 'D');
}

/*
 * Whether a thread is runnable and has hardly run since the first call, which puts its time, in
 * clock ticks, into *@since (0 before): on a busy machine it waits for a CPU.
 */
static bool waits_for_cpu(pid_t tid, unsigned long *since)
{
	unsigned long ticks;
	char state;

	if (!read_stat(tid, &state, &ticks))
		return false;
	if (!*since)
		*since = ticks + 1;
	return state == 'R' && ticks + 1 - *since < 2;
}

void tracer_doze(long ns)
{
	struct timespec ts = { 0, ns };
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	(void)sigtimedwait(&chld, NULL, &ts);
}

struct waited tracer_wait(pid_t tid, int ms)
{
	uint64_t begin = tracer_now(), end = begin + ms * 1000000ULL, now;
	unsigned long since = 0;

	for (;;) {
		int status;
		pid_t r = waitpid(tid, &status, __WALL | WNOHANG);

		if (r == tid)
			return wait_returned(status);
		if (r < 0 && errno != EINTR)
			return (struct waited){ .kind = WAITED_GONE };
		now = tracer_now();
		if (now > end) {
			if (now > begin + WAIT_AT_MOST || !waits_for_cpu(tid, &since))
				return (struct waited){ .kind = WAITED_NOTHING };
			end = now + ms * 1000000ULL;
		}
		tracer_doze(1000000);
	}
}

struct waited tracer_fetch(pid_t tid)
{
	(void)ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return tracer_wait(tid, FETCH_MS);
}

static pid_t wait_now(pid_t who, int *status)
{
	pid_t ret;

	do
		ret = waitpid(who, status, __WALL | WNOHANG);
	while (ret < 0 && errno == EINTR);
	return ret;
}

struct waited tracer_wait_any(pid_t first, pid_t *tid)
{
	int status;

	*tid = first > 0 ? wait_now(first, &status) : 0;
	if (*tid <= 0)
		*tid = wait_now(-1, &status);
	return *tid > 0 ? wait_returned(status) : (struct waited){ .kind = WAITED_NOTHING };
}

/* What the next wait would tell; false: nothing can be told of @tid. */
static bool look_at(pid_t tid, siginfo_t *si)
{
	int ret;

	si->si_pid = 0;
	do
		ret = waitid(P_PID, (id_t)tid, si, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL);
	while (ret && errno == EINTR);
	return !ret;
}

bool tracer_is_ours(pid_t tid)
{
	siginfo_t si;

	return look_at(tid, &si);
}

bool tracer_has_come(pid_t tid)
{
	siginfo_t si;

	return look_at(tid, &si) && si.si_pid;
}

bool tracer_is_standing(pid_t tid)
{
	unsigned long ticks;
	siginfo_t si;
	char state;

	/* in this order: a stop between the two is still to be told */
	return read_stat(tid, &state, &ticks) && state == 't' && look_at(tid, &si) && !si.si_pid;
}
