/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of room profile.
 *
 *	group	tuple (event, values of the keys that belong to the sample): comm, pid, cpu ...
 *	place	tuple (values of the keys that belong to a location): dso, symbol, srcline ...
 *	row	(group, place), in branch mode (group, from place, to place, flag bits)
 *	frame	see keys-int.h
 *	step	(frame, place): what one frame of a chain is to the tree and to the rows
 *	node	(parent node, step): call chains as a trie, outermost frame first, one per group
 *	leaf	(node, row): samples of this row whose chain ends here
 */
#ifndef PERF_PROFILE_INT_H
#define PERF_PROFILE_INT_H

#include <stdlib.h>

#include "brflow/brflow.h"
#include "chain-int.h"
#include "profile/profile.h"
#include "sums-int.h"

/* table-cols.c: the keys that a table counts by. */
int prof_cols_setup(struct profile *p, struct err *e);

/* ---- frames ---------------------------------------------------------------------------------- */

struct step {
	uint32_t frame, place;
};

struct event_rows {
	struct profile_totals totals;
	uint32_t leader, members; /* members: 0 = alone */
};

struct profile {
	struct keys keys;
	struct feed *feed; /* until profile_finish() */
	uint64_t need;

	struct columns c;
	struct profile_col *group_cols[MAX_KEYS], *place_cols[MAX_KEYS], *place2_cols[MAX_KEYS];
	unsigned nr_group, nr_place, nr_place2;
	uint32_t bit_mask;
	bool sym_is_key;
	bool map_is_key; /* maps must be as they are now: samples cannot wait */
	bool one_step;	 /* bare frames have one place and so one step each */

	struct tuples groups, places, places2;
	VEC(uint16_t) place_width, place2_width; /* per tuple and key */

	VEC(struct step) steps;
	bool ip_is_key;	 /* raw addresses are part of a place or frame */
	bool ip_unnamed; /* they are where there is no symbol */

	VEC(struct profile_row) rows;
	struct htab row_tab;
	struct sums sums; /* what rows count beside samples and period */
	bool parallel;	  /* it was more than 1 */
	VEC(struct event_rows) events;
	VEC(struct profile_row) members; /* by row and member - 1: numbers of the other events */
	uint32_t max_members;
	struct chains ch;

	struct branch_totals branch;
	struct brflow *flow; /* key ipc_lbr; else NULL */

	bool by_symbol; /* no place key looks below symbols */
};

#include "feed-int.h"

/* A sample to the accumulators. */
static inline struct acc_in prof_acc_in(const struct profile *p, const struct sample *s,
					struct thread *th)
{
	return (struct acc_in){ .s = s,
				.th = th,
				.period = s->period,
				.times = 1,
				.parallelism = p->feed->keys.parallelism };
}

/* The place of a sample at @loc, or of a branch's ends. */
uint32_t prof_place_of_loc(struct profile *p, uint32_t loc, uint64_t ip, bool second);
uint32_t prof_step_id(struct profile *p, uint32_t frame, uint32_t place);
/* The step of one frame of a chain; @sym: an inlined function's symbol or the location's. */
uint32_t prof_step_of(struct profile *p, uint32_t loc, uint64_t ip, const struct symbol *sym);
/* The step of an address in no map (one_step). */
uint32_t prof_step_unmapped(struct profile *p, uint64_t ip, uint8_t cpumode);
/* The place of a sample there. */
uint32_t prof_place_unmapped(struct profile *p, uint64_t ip, uint8_t cpumode);
/* All steps of a location, outermost first: several when functions are inlined there. */
int prof_steps_of(struct profile *p, uint32_t loc, uint64_t ip, const uint32_t **steps,
		  uint32_t *nr);

static inline uint32_t prof_step_frame(const struct profile *p, uint32_t step)
{
	return p->steps.v[step].frame;
}

static inline uint32_t prof_step_place(const struct profile *p, uint32_t step)
{
	return p->steps.v[step].place;
}

/* rows.c */
uint32_t prof_group_of(struct profile *p, const struct sample *s, struct thread *th);
/* Ask for the memory that prof_row_of() looks at first and (later) next. */
void prof_row_prefetch(const struct profile *p, uint32_t group, uint32_t place);
void prof_row_prefetch_next(const struct profile *p, uint32_t group, uint32_t place);
struct profile_row *prof_row_of(struct profile *p, uint32_t group, uint32_t place, uint32_t place2,
				uint32_t bits);
/* Makes the table of prof_row_of() anew: callers' rows are put behind the others without it. */
int prof_rows_index(struct profile *p);
/* The row of a sample; the first one leaves its marks on it. */
struct profile_row *prof_row_own(struct profile *p, uint32_t group, uint32_t place, uint32_t thread,
				 uint8_t cpumode, uint32_t first_node);
static inline void prof_row_count(struct profile_row *row, uint64_t period, uint32_t n)
{
	row->period += period;
	row->acc += period;
	row->nr += n;
}

/* history.c: the notes of leaf @leaf, one per frame, outermost first. */
struct branch_note *prof_notes_of(struct profile *p, uint32_t leaf, uint32_t nr);
/* Moves the numbers of member events to the leaders' rows. */
int prof_rows_group(struct profile *p);
/* Where the numbers of the other events begin, of a row with members. */
struct profile_row *prof_members_of(const struct profile *p, uint32_t row);
struct event_rows *prof_event_rows(struct profile *p, uint32_t event);

/* parent.c */
int prof_parent_setup(struct profile *p, struct err *e);
/* Name of the frame that matches, 0 = none. */
uint32_t prof_parent_of(struct profile *p, const struct sample *s, struct thread *th);
/* Whether --ignore-callees names the function at @loc. */
bool prof_ignores_at(struct profile *p, uint32_t loc);
/* @s or, until the next call, a copy at another address with a shorter chain. NULL: no memory. */
const struct sample *prof_ignore_callees(struct profile *p, const struct sample *s,
					 struct thread *th);
void prof_parent_free(struct profile *p);

/* filter.c */
int prof_filter_setup(struct profile *p, struct err *e);
/* What the sample alone tells: its CPU's package, how many threads run. */
bool prof_filter_sample(const struct profile *p, const struct sample *s);
bool prof_filter_pass(struct profile *p, struct thread *th, uint32_t loc, uint64_t ip);
void prof_filter_free(struct profile *p);

/* queue.c */
/* Makes the queue if there can be one. */
int prof_queue_init(struct profile *p);
int prof_queue_add(struct profile *p, const struct sample *s, struct thread *th);
/* Counts what waits. 0 or -ENOMEM. */
int prof_queue_finish(struct profile *p);
void prof_queue_free(struct profile *p);

/* ipc.c */
int prof_ipc_init(struct profile *p, struct err *e);
int prof_ipc_finish(struct profile *p);
void prof_ipc_free(struct profile *p);
/* branch.c */
int prof_branch_init(struct profile *p);
int prof_branch_add(struct profile *p, const struct sample *s, struct thread *th, uint32_t group);
void prof_branch_flush(struct profile *p);
void prof_branch_free(struct profile *p);

#endif
