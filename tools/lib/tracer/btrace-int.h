/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch traces: every branch of a thread from a sample on, see btrace.c; handlers: btrace-handler.c. */
#ifndef PERF_TRACER_BTRACE_INT_H
#define PERF_TRACER_BTRACE_INT_H

#include "tracer-int.h"

/* What a stop by PTRACE_SYSCALL has as its signal, with PTRACE_O_TRACESYSGOOD. */
#define BTRACE_STOP (SIGTRAP | 0x80)

enum btrace_state {
	BTRACE_COMPUTED, /* stands still */
	BTRACE_AWAITED,	 /* runs what was computed, to a system call */
	BTRACE_CALL,	 /* in it */
	BTRACE_BLIND,
	BTRACE_OPEN, /* nothing is computed yet: a signal comes first */
};

/* How far a thread is: what a handler interrupts, and takes up again. */
struct btrace_way {
	enum btrace_state state;
	bool sent;	   /* by a handler, to elsewhere, */
	unsigned away;	   /* and so many system calls there were before the awaited one */
	uint64_t blind_ns; /* for so long it runs blind */
	/* Where the computing ended, or the thread was last seen. */
	struct user_regs_struct regs;
	uint32_t known;
	bool guessed; /* by the time of then: only where it is can be compared */
	uint32_t nr;
	struct walk_entry entry[TRACER_MAX_DEPTH];
};

/* A handler that runs, and what it interrupted. */
struct btrace_frame {
	struct btrace_frame *outer;
	struct user_regs_struct at; /* where it did */
	uint64_t sp;		    /* at the handler's first instruction */
	struct btrace_way way;
};

struct btrace {
	struct peeked sample; /* what all of its stacks are like */
	uint64_t time;	      /* of the newest, by the samples' clock */
	uint64_t start;	      /* instructions that were executed before this stretch */
	bool asked;	      /* an interrupt is on its way: to where the signal leads */
	bool returns;	      /* it is in rt_sigreturn, to what frame->way tells */
	struct user_regs_struct interrupted; /* where the signal came */
	struct btrace_frame *frame;	     /* the innermost; NULL = no handler runs */
	struct btrace_way way;
};

/* @th stands at a sample, or in the delivery of a signal of ours. It is let go, or computed. */
int btrace_sample(struct tracer *t, struct tracee *th, struct err *e);
/* @th stands before a system call or behind one; also one that is not traced any more. */
int btrace_call(struct tracer *t, struct tracee *th, struct err *e);
/* @th, which was just made and stands still, is traced from its first instruction on. */
int btrace_adopt(struct tracer *t, struct tracee *th, struct err *e);
/* @th is about to get @sig, a signal of the program's own: where that leads it will stop. */
void btrace_signal(struct tracer *t, struct tracee *th, int sig);
/* @th stands by an interrupt: whether it was for a signal. */
bool btrace_has_asked(const struct tracee *th);
/* ... then this goes on with it. */
int btrace_arrived(struct tracer *t, struct tracee *th, struct err *e);
/* Goes on with the thread that is computed, for a while: t->computed is NULL when it runs again. */
int btrace_compute(struct tracer *t, struct err *e);
/* What is left is written. @th may be gone; one that stands for us is let go. */
int btrace_end(struct tracer *t, struct tracee *th, struct err *e);

/* ---- btrace-handler.c ---- */

/* A signal with a handler waits for @th, and will come before its next instruction. */
bool btrace_handler_is_due(const struct tracer *t, const struct tracee *th);
/* @th stands at the first instruction of one, at @r. 0 or -ENOMEM. */
int btrace_handler_enter(struct tracer *t, struct btrace *b, const struct user_regs_struct *r);
/* Whether rt_sigreturn with this stack pointer ends one that we know; those in it were left by jumps. */
bool btrace_handler_returns(struct tracer *t, struct btrace *b, uint64_t sp);
/* It has ended: b->way is what it interrupted. False: but it goes on elsewhere, not there. */
bool btrace_handler_leave(struct btrace *b, const struct user_regs_struct *r);
/*
 * @th, or NULL, is in an exec that has succeeded: what was computed and has not passed before never will, and can be told
 * no more as the former program's.
 */
void btrace_executed(struct tracer *t, struct tracee *th);
/* What the innermost interrupted is the way again, though that will not be gone on with. */
bool btrace_handler_drop(struct btrace *b);

#endif
