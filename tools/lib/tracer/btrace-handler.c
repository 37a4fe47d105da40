// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handlers of signals in branch traces. A signal comes somewhere in what was computed and recorded already, and
 * the thread has yet to run. Its handler is a stretch of its own in between: an interrupt, asked for in the
 * signal's delivery, stops the thread at the handler's first instruction, for the kernel looks at
 * interrupts before it goes back to the program and before the next signal. From there it is
 * computed like any other code. What it interrupted is kept meanwhile, and taken up again where rt_sigreturn
 * leads back there. Which handler that call ends its stack pointer tells: a program may have left others by
 * longjmp(), which tells nobody.
 *
 * So counts are exact, and a handler's stacks stand behind those of the stretch that it interrupted. Where a signal is known to
 * wait before a stretch, as after kill() and pause(), nothing is computed before it has come, and the order is exact, too.
 */
#include <signal.h>
#include <stdlib.h>

#include "btrace-int.h"

#define FRAMES_MOST 16 /* those of programs that leave handlers by longjmp() pile up */
#define POPPED	    16 /* what a handler's return takes off its stack, at most */

static bool is_queued(pid_t tid, unsigned flags)
{
	struct __ptrace_peeksiginfo_args a = { .flags = flags, .nr = 1 };
	siginfo_t si;

	return ptrace(PTRACE_PEEKSIGINFO, tid, &a, &si) > 0;
}

/* Of all threads that have the same signals waiting, another may take them. */
static bool is_alone(const struct tracer *t, const struct tracee *th)
{
	vec_for_each (p, &t->threads) {
		if (*p != th && (*p)->pid == th->pid)
			return false;
	}
	return true;
}

bool btrace_handler_is_due(const struct tracer *t, const struct tracee *th)
{
	bool shared = is_queued(th->tid, PTRACE_PEEKSIGINFO_SHARED) && is_alone(t, th);
	struct signals s;

	/* nearly always there is none at all, and that is told quickly */
	if (!shared && !is_queued(th->tid, 0))
		return false;
	return signals_read(th->tid, &s) &&
	       ((s.pending | (shared ? s.shared : 0)) & ~s.blocked & s.caught);
}

bool btrace_handler_drop(struct btrace *b)
{
	struct btrace_frame *f = b->frame;

	if (!f)
		return false;
	b->way = f->way;
	b->frame = f->outer;
	free(f);
	return true;
}

/* @f, which *@at leads to, was left for good: what was computed behind its signal has not taken place. */
static void forget(struct tracer *t, struct btrace_frame **at)
{
	struct btrace_frame *f = *at;

	t->stats.cut[TRACER_CUT_SIGNAL]++;
	t->stats.traced -= f->way.nr;
	*at = f->outer;
	free(f);
}

int btrace_handler_enter(struct tracer *t, struct btrace *b, const struct user_regs_struct *r)
{
	struct btrace_frame *f = malloc(sizeof(*f)), **at = &b->frame;
	unsigned n = 0;

	if (!f)
		return -ENOMEM;
	while (*at) /* in the same place there can be but one */
		if ((*at)->sp == arch_sp(r) || ++n >= FRAMES_MOST)
			forget(t, at);
		else
			at = &(*at)->outer;
	*f = (struct btrace_frame){
		.outer = b->frame, .at = b->interrupted, .sp = arch_sp(r), .way = b->way
	};
	b->frame = f;
	b->way.nr = 0;
	b->way.regs = *r;
	t->stats.handlers++;
	return 0;
}

void btrace_executed(struct tracer *t, struct tracee *th)
{
	struct btrace *b = th ? th->btrace : NULL;

	if (!b)
		return;
	while (b->frame)
		forget(t, &b->frame);
	t->stats.cut[TRACER_CUT_EXIT] += !!b->way.nr;
	t->stats.traced -= b->way.nr;
	b->way.nr = 0;
	b->way.state = BTRACE_CALL;
	b->returns = false;
}

bool btrace_handler_returns(struct tracer *t, struct btrace *b, uint64_t sp)
{
	const struct btrace_frame *f = b->frame;

	while (f && sp - f->sp > POPPED)
		f = f->outer;
	while (f && b->frame != f)
		forget(t, &b->frame);
	return f;
}

bool btrace_handler_leave(struct btrace *b, const struct user_regs_struct *r)
{
	const struct user_regs_struct at = b->frame->at;

	btrace_handler_drop(b);
	return arch_ip(&at) == arch_ip(r) && arch_sp(&at) == arch_sp(r);
}
