/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch traces: every branch of a thread from a sample on, see btrace.c. */
#ifndef PERF_TRACER_BTRACE_INT_H
#define PERF_TRACER_BTRACE_INT_H

#include "tracer-int.h"

/* What a stop by PTRACE_SYSCALL has as its signal, with PTRACE_O_TRACESYSGOOD. */
#define BTRACE_STOP (SIGTRAP | 0x80)

/* @th stands at a sample, or in the delivery of a signal of ours. It is let go, or computed. */
int btrace_sample(struct tracer *t, struct tracee *th, struct err *e);
/* @th stands before a system call or behind one; also one that is not traced any more. */
int btrace_call(struct tracer *t, struct tracee *th, struct err *e);
/* @th, which was just made and stands still, is traced from its first instruction on. */
int btrace_adopt(struct tracer *t, struct tracee *th, struct err *e);
/* @th is about to get @sig, a signal of the program's own. */
void btrace_signal(struct tracer *t, const struct tracee *th, int sig);
/* Goes on with the thread that is computed, for a while: t->computed is NULL when it runs again. */
int btrace_compute(struct tracer *t, struct err *e);
/* What is left is written. @th may be gone; one that stands for us is let go. */
int btrace_end(struct tracer *t, struct tracee *th, struct err *e);

#endif
