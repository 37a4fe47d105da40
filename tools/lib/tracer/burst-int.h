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
/*
 * The span is over and @th stands at @st, which is not needed any more afterwards; NULL: nobody knows
 * where the thread was then. burst_write() is next, also while it runs again: what the span held is
 * written, and th->burst is gone.
 */
void burst_stand(struct tracer *t, struct tracee *th, const struct user_state *st);
int burst_write(struct tracer *t, struct tracee *th, struct err *e);
/* Both, where nobody knows. */
int burst_end(struct tracer *t, struct tracee *th, struct err *e);
void burst_free(struct burst *b);

/* span.c: a clock of the thread's own, which stops it once by its signal. */
int span_begin(struct tracee *th, uint64_t ns);
void span_end(struct tracee *th);
void span_close(struct tracee *th);

#endif
