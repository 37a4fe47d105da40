// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals of the traced: which one stops a thread at a sample, and what a program would notice of
 * it. It is one that is ignored by default, so that one left over when the recorder dies does no
 * harm; that the program has no handler for, because two of a kind become one and the program's
 * own would be lost; and that the thread does not block, because it would not stop then.
 */
#include <signal.h>
#include <stdlib.h>

#include "tracer-int.h"
#include "status-int.h"

bool signals_read(pid_t tid, struct signals *s)
{
	char *text = status_read(tid);

	if (!text)
		return false;
	*s = (struct signals){ .pending = status_number(text, "\nSigPnd:", 16),
			       .shared = status_number(text, "\nShdPnd:", 16),
			       .blocked = status_number(text, "\nSigBlk:", 16),
			       .ignored = status_number(text, "\nSigIgn:", 16),
			       .caught = status_number(text, "\nSigCgt:", 16),
			       .pid = (pid_t)status_number(text, "\nTgid:", 10) };
	free(text);
	return true;
}

#define BIT_OF(sig) BIT((sig)-1)

bool signals_caught(pid_t tid, int sig)
{
	struct signals s;

	return signals_read(tid, &s) && s.caught & BIT_OF(sig);
}

bool signals_ours(int sig)
{
	return sig == SIGURG || sig == SIGWINCH || sig == SIGCHLD;
}

/*
 * For SIGCHLD, whose own codes have the numbers of those of descriptors, the kernel gives SI_SIGIO;
 * so it does for every signal that has codes of its own. Programs send 0, or below that others.
 */
bool signals_is_event(pid_t tid, int sig, int *fd)
{
	siginfo_t si;

	if (!signals_ours(sig) || ptrace(PTRACE_GETSIGINFO, tid, NULL, &si))
		return false;
	if (fd)
		*fd = si.si_fd;
	if (si.si_code == SI_SIGIO)
		return true;
	return sig != SIGCHLD && si.si_code >= POLL_IN && si.si_code <= POLL_HUP;
}

int signals_choose(const struct signals *s)
{
	static const int wanted[] = { SIGURG, SIGWINCH, SIGCHLD };
	/* with handlers for all: the kernel sends these to processes, ours go to threads */
	static const int still[] = { SIGCHLD, SIGWINCH, SIGURG };

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!((s->blocked | s->caught) & BIT_OF(wanted[i])))
			return wanted[i];
	for (size_t i = 0; i < ARRAY_SIZE(still); i++)
		if (!(s->blocked & BIT_OF(still[i])))
			return still[i];
	return 0;
}

void signals_renew(struct tracee *th)
{
	struct signals s;
	int sig;

	th->looked = tracer_now();
	if (!signals_read(th->tid, &s))
		return;
	sig = signals_choose(&s);
	if (sig == th->signal)
		return;
	th->signal = sig;
	points_own(th);
}

/* ---- one that waits though it is blocked ------------------------------------------------------------ */

/*
 * Unblocked for a moment in which the thread executes nothing, a waiting signal comes out; one of
 * ours goes no further. The program's own is put back.
 */
static int take_out(struct tracee *th, int sig, uint64_t blocked, struct waited *came)
{
	uint64_t open = blocked & ~BIT_OF(sig);
	int ret = 0;

	if (ptrace(PTRACE_SETSIGMASK, th->tid, (void *)sizeof(open), &open) ||
	    ptrace(PTRACE_CONT, th->tid, NULL, NULL))
		return 0; /* killed: its end will be told */
	*came = tracer_wait(th->tid, 1000);
	if (came->kind == WAITED_NOTHING)
		*came = tracer_fetch(th->tid);
	th->opened = true;
	th->mask = blocked;
	if (came->kind == WAITED_NOTHING)
		came->kind = WAITED_GONE;
	if (came->kind != WAITED_STOP)
		return 0;
	signals_close(th);
	if (came->status >> 16 || WSTOPSIG(came->status) != sig)
		return 0;
	came->kind = WAITED_NOTHING;
	if (!signals_is_event(th->tid, sig, NULL))
		ret = sig; /* it is blocked again: the kernel puts it back into the queue */
	return ret;
}

void signals_close(struct tracee *th)
{
	if (th->opened)
		ptrace(PTRACE_SETSIGMASK, th->tid, (void *)sizeof(th->mask), &th->mask);
	th->opened = false;
}

int signals_take_out(struct tracee *th, struct waited *came)
{
	static const int all[] = { SIGURG, SIGWINCH, SIGCHLD };
	struct signals s;
	int ret = 0;

	*came = (struct waited){ .kind = WAITED_NOTHING };
	if (!signals_read(th->tid, &s))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(all) && !ret && !came->kind; i++)
		if (s.pending & s.blocked & BIT_OF(all[i]))
			ret = take_out(th, all[i], s.blocked, came);
	return ret;
}

/* Signals that wait for @tid and are not blocked: their handlers are what EINTR is for. */
bool signals_wait(pid_t tid)
{
	struct signals s;

	return signals_read(tid, &s) && ((s.pending | s.shared) & ~s.blocked);
}
