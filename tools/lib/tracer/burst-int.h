/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bursts: all branches of a short span of a thread's time, see burst.c. */
#ifndef PERF_TRACER_BURST_INT_H
#define PERF_TRACER_BURST_INT_H

#include "tracer-int.h"

struct burst;

/* Whether the sample that points_peek_user() found, of @th at @st, becomes a burst. */
bool burst_wanted(const struct tracer *t, const struct tracee *th, const struct user_state *st);
/* Computes the way from @st on into th->burst, and begins the span. -ENOMEM */
int burst_begin(struct tracer *t, struct tracee *th, const struct user_state *st);
/* The thread goes on for what is left of the span; -errno: it has no clock for that. */
int burst_run(struct tracee *th);
/* Whether @th is to be stopped where it enters a system call, or leaves the one that it is in. */
bool burst_awaits_call(const struct burst *b);
/*
 * It stands there: 0, or -errno where it does not go on: no memory, no clock, or the thread is gone. 1: the span was over before the call;
 * burst_over() and burst_write() are next.
 */
int burst_call(struct tracer *t, struct tracee *th);
void burst_over(struct tracer *t, struct tracee *th);
/* That it takes in all, as the budget counts them. */
unsigned burst_stops(const struct burst *b);
/*
 * The span is over and @th stands at @st, which is not needed any more afterwards; NULL: nobody knows
 * where the thread was then. burst_write() is next, also while it runs again: what the span held is
 * written, and th->burst is gone.
 */
void burst_stand(struct tracer *t, struct tracee *th, struct user_state *st);
int burst_write(struct tracer *t, struct tracee *th, struct err *e);
/* Both, where nobody knows. */
int burst_end(struct tracer *t, struct tracee *th, struct err *e);
void burst_free(struct burst *b);

/* span.c: a clock of the thread's own, which stops it once by its signal. */
int span_begin(struct tracee *th, uint64_t ns);
void span_end(struct tracee *th);
/* What the clock has counted, in all spans (ns). */
uint64_t span_ns(const struct tracee *th);
/*
 * How long a thread has run (ns) on a way of @insns to a system call, where it stopped, of @spent that the clock says. Most of that
 * may be the stop: *stop is what one takes, learned where the way was short; 0 = nothing was yet.
 */
uint64_t span_ran(uint64_t *stop, uint64_t insns, uint64_t spent);
void span_close(struct tracee *th);

#endif
