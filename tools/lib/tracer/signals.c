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
			       .pid = (pid_t)status_number(text, "\nTgid:", 10),
			       .threads = (unsigned)status_number(text, "\nThreads:", 10) };
	free(text);
	return true;
}

#define BIT_OF(sig) BIT((sig)-1)
#define PEEKED	    16 /* signals that wait, looked at in one call */

static const int ours[] = { SIGURG, SIGWINCH, SIGCHLD };

bool signals_caught(pid_t tid, int sig)
{
	struct signals s;

	return signals_read(tid, &s) && s.caught & BIT_OF(sig);
}

bool signals_ours(int sig)
{
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (sig == ours[i])
			return true;
	return false;
}

/*
 * For SIGCHLD, whose own codes have the numbers of those of descriptors, the kernel gives SI_SIGIO;
 * so it does for every signal that has codes of its own. Programs send 0, or below that others.
 */
static bool is_event(const siginfo_t *si)
{
	if (si->si_code == SI_SIGIO)
		return true;
	return si->si_signo != SIGCHLD && si->si_code >= POLL_IN && si->si_code <= POLL_HUP;
}

bool signals_is_event(pid_t tid, int sig, int *fd)
{
	siginfo_t si;

	if (!signals_ours(sig) || ptrace(PTRACE_GETSIGINFO, tid, NULL, &si))
		return false;
	if (fd)
		*fd = si.si_fd;
	return is_event(&si);
}

/* Of signals below the real-time ones a thread's queue has one of a kind. */
static bool event_waits(pid_t tid, int sig)
{
	struct __ptrace_peeksiginfo_args part = { .nr = PEEKED };
	siginfo_t si[PEEKED];
	long n;

	do {
		n = ptrace(PTRACE_PEEKSIGINFO, tid, &part, si);
		for (long i = 0; i < n; i++)
			if (si[i].si_signo == sig)
				return is_event(&si[i]);
		part.off += PEEKED;
	} while (n == PEEKED);
	return false;
}

bool signals_event_waits(const struct tracee *th, bool *blocked)
{
	struct signals s;
	int found = 0;

	if (!signals_read(th->tid, &s))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ours) && !found; i++)
		if (s.pending & BIT_OF(ours[i]) && event_waits(th->tid, ours[i]))
			found = ours[i];
	*blocked = found && s.blocked & BIT_OF(found);
	return found;
}

int signals_choose(const struct signals *s)
{
	/* with handlers for all: the kernel sends these to processes, ours go to threads */
	static const int still[] = { SIGCHLD, SIGWINCH, SIGURG };

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (!((s->blocked | s->caught) & BIT_OF(ours[i])))
			return ours[i];
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
	th->accompanied = s.threads > 1;
	sig = signals_choose(&s);
	if (sig == th->signal)
		return;
	th->signal = sig;
	points_own(th);
}

/* ---- one that waits though it is blocked ------------------------------------------------------------ */

/*
 * Unblocked for a moment in which the thread executes nothing, a waiting signal of ours comes out and
 * goes no further. What the thread blocks then is what it blocked, which in sigsuspend() and its like is
 * not what holds at the moment: who sets the latter takes it for the former, for the program's life.
 * The call is entered again, and blocks what it did.
 */
static void take_out(struct tracee *th, int sig, uint64_t blocked, struct waited *came)
{
	uint64_t open = blocked & ~BIT_OF(sig);

	if (ptrace(PTRACE_GETSIGMASK, th->tid, (void *)sizeof(th->mask), &th->mask) ||
	    ptrace(PTRACE_SETSIGMASK, th->tid, (void *)sizeof(open), &open) ||
	    ptrace(PTRACE_CONT, th->tid, NULL, NULL))
		return; /* killed: its end will be told */
	*came = tracer_wait(th->tid, 1000);
	if (came->kind == WAITED_NOTHING)
		*came = tracer_fetch(th->tid);
	th->opened = true;
	if (came->kind == WAITED_NOTHING)
		came->kind = WAITED_GONE;
	if (came->kind != WAITED_STOP)
		return;
	signals_close(th);
	if (!(came->status >> 16) && WSTOPSIG(came->status) == sig)
		came->kind = WAITED_NOTHING;
}

void signals_close(struct tracee *th)
{
	if (th->opened)
		ptrace(PTRACE_SETSIGMASK, th->tid, (void *)sizeof(th->mask), &th->mask);
	th->opened = false;
}

void signals_take_out(struct tracee *th, struct waited *came)
{
	struct signals s;

	*came = (struct waited){ .kind = WAITED_NOTHING };
	if (!signals_read(th->tid, &s))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(ours) && !came->kind; i++)
		if (s.pending & s.blocked & BIT_OF(ours[i]) && event_waits(th->tid, ours[i]))
			take_out(th, ours[i], s.blocked, came);
}

/* What nobody handles and nobody dies of: a tracer stops for it, and the kernel drops it then. */
static bool is_dropped(const struct signals *s, int sig)
{
	uint64_t by_default = BIT_OF(SIGURG) | BIT_OF(SIGWINCH) | BIT_OF(SIGCHLD) | BIT_OF(SIGCONT);

	return (s->ignored | (by_default & ~s->caught)) & BIT_OF(sig);
}

bool signals_end_call(pid_t tid, int sig)
{
	struct signals s;

	if (!signals_read(tid, &s))
		return false;
	return (s.pending | s.shared) & ~s.blocked || (sig && !is_dropped(&s, sig));
}
