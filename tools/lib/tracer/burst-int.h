/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bursts: all branches of a short span of a thread's time, see burst.c. */
#ifndef PERF_TRACER_BURST_INT_H
#define PERF_TRACER_BURST_INT_H

#include "base/obuf.h"
#include "tracer-int.h"

struct burst;

/* Whether the sample that points_peek_user() found, of @th at @st, becomes a burst. */
bool burst_wanted(const struct tracer *t, const struct tracee *th, const struct user_state *st);
/*
 * Computes the way from @st on into th->burst, and begins the span. -ENOMEM. Where it can we are on the
 * thread's CPU from here on, up to burst_run() or burst_write().
 */
int burst_begin(struct tracer *t, struct tracee *th, const struct user_state *st);
/* The thread is to go on at once, for what is left of the span; -errno: it has no clock for that. */
int burst_run(struct tracer *t, struct tracee *th);
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

/* ---- burst-stacks.c: what a burst records ----------------------------------------------------------------- */

#define BURST_MOST 131072 /* branches of a way */

/* One stack of the way. */
struct burst_piece {
	uint32_t branches, entries; /* up to its end */
	uint64_t ip;		    /* there */
	size_t end;		    /* in records, where it was made already */
};

/* Entries are the branches that -j asks for. */
struct burst_stacks {
	struct peeked sample; /* that the burst is of */
	bool bare;	      /* stacks are made when they are written, else in records */
	struct obuf records;
	VEC(struct burst_piece) piece;
	uint32_t nr_entries;
	/* What passed: pieces, and entries behind them: the last stack. */
	uint32_t whole, rest, empty; /* the first @empty pieces have none */
	bool last;		     /* there is one, */
	uint64_t last_ip;	     /* of here, */
	size_t last_size;	     /* in t->out, where it was made already */
	struct walk_entry entry[BURST_MOST];
	uint32_t passed[BURST_MOST]; /* branches up to and with this entry */
};

void burst_stacks_new(struct burst_stacks *s);
void burst_stacks_free(struct burst_stacks *s);
/* For the sample t->peeked. */
void burst_stacks_begin(const struct tracer *t, struct burst_stacks *s);
/*
 * The next entry, with which @branches of the way were taken, at most BURST_MOST. The vm is behind
 * it. @st: where the way began, which stacks that are not bare ask for. -ENOMEM
 */
int burst_stacks_put(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		     const struct user_state *st, uint32_t branches, struct walk_entry entry);
/*
 * The way ends, where the vm is: what is left becomes a stack; so does the sample itself, where there is
 * none. Where the way goes on from there, it does with a new stack. -ENOMEM
 */
int burst_stacks_end(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		     const struct user_state *st, uint32_t branches);
/* All entries behind the first @branches never were. */
void burst_stacks_back(struct burst_stacks *s, uint32_t branches);
/*
 * So many have passed, and the thread stands at @st behind the last; NULL: nobody knows where, and only
 * whole stacks are written.
 */
void burst_stacks_passed(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
			 uint32_t branches, const struct user_state *st);
/*
 * The same where the span was over before the thread came to @st: its address becomes that behind the
 * last entry, if there is one.
 */
void burst_stacks_part(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		       uint32_t branches, struct user_state *st);
/* What has passed; the thread may run again. */
int burst_stacks_write(struct tracer *t, const struct tracee *th, const struct burst_stacks *s,
		       struct err *e);

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
