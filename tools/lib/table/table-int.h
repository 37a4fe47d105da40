/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of room table. For tables out of a rich one see derive-int.h.
 */
#ifndef PERF_TABLE_INT_H
#define PERF_TABLE_INT_H

#include <stdlib.h>

#include "chain-int.h"
#include "table/table.h"
#include "feed-int.h"
#include "sums-int.h"

/* table-cols.c: the keys that a table counts by. */
int table_cols(struct table *t, struct err *e);

/* A sample to the accumulators. */
static inline struct acc_in table_acc_in(const struct table *t, const struct sample *s,
					 struct thread *th)
{
	return (struct acc_in){ .s = s,
				.th = th,
				.period = s->period,
				.times = 1,
				.loc = t->feed->loc,
				.parallelism = t->feed->keys.parallelism };
}

/* Until the next call. NULL: no memory. */
struct symbol_info *table_symbol_info(struct table *t, uint32_t sym);
/* The place of a sample at @loc, or of a branch's ends. */
uint32_t table_place_of_loc(struct table *t, uint32_t loc, uint64_t ip, bool second);
/*
 * The same of @n, at most PLACES_MAX, samples of @th each: what is new asks for the memory of all before it looks at
 * the first. ID_NONE: no memory, or LOC_NONE.
 */
#define PLACES_MAX	64
#define PLACES_KEYS_MAX 4 /* keys: with more it is one after the other */
void table_places_of_locs(struct table *t, const uint32_t *loc, const uint64_t *ip,
			  struct thread *const *th, uint32_t *place, unsigned n);
uint32_t table_step_id(struct table *t, uint32_t frame, uint32_t place);
/* The step of one frame of a chain; @sym: an inlined function's symbol or the location's. */
uint32_t table_step_of(struct table *t, uint32_t loc, uint64_t ip, const struct symbol *sym);
uint32_t table_step_in(struct table *t, const struct place_in *in);
/* The step of an address in no map (one_step). */
uint32_t table_step_unmapped(struct table *t, uint64_t ip, uint8_t cpumode);
/* The place of a sample there. */
uint32_t table_place_unmapped(struct table *t, uint64_t ip, uint8_t cpumode);
/* All steps of a location, outermost first: several when functions are inlined there. */
int table_steps_of(struct table *t, uint32_t loc, uint64_t ip, const uint32_t **steps,
		   uint32_t *nr);

/* rows.c */
uint32_t table_group_of(struct table *t, const struct sample *s, struct thread *th);
/* Ask for the memory that table_row_of() looks at first and (later) next. */
void table_row_prefetch(const struct table *t, uint32_t group, uint32_t place, uint32_t place2,
			uint32_t bits);
void table_row_prefetch_next(const struct table *t, uint32_t group, uint32_t place, uint32_t place2,
			     uint32_t bits);
struct keys_row *table_row_of(struct table *t, uint32_t group, uint32_t place, uint32_t place2,
			      uint32_t bits);
/* Its number; ID_NONE: there is none. */
uint32_t table_row_find(const struct table *t, uint32_t group, uint32_t place, uint32_t place2,
			uint32_t bits);
/* Makes the table of table_row_of() anew: callers' rows are put behind the others without it. */
int table_rows_index(struct table *t);
/* The row of a sample; the first one leaves its marks on it. */
struct keys_row *table_row_own(struct table *t, uint32_t group, uint32_t place, uint32_t thread,
			       uint8_t cpumode, uint32_t first_node);
static inline void table_row_count(struct keys_row *row, uint64_t period, uint32_t n)
{
	row->period += period;
	row->acc += period;
	row->nr += n;
}

/* history.c: the notes of leaf @leaf, one per frame, outermost first. */
struct branch_note *table_notes_of(struct table *t, uint32_t leaf, uint32_t nr);
/* Moves the numbers of member events to the leaders' rows. */
int table_rows_group(struct table *t);
struct event_rows *table_event_rows(struct table *t, uint32_t event);

/* parent.c */
int table_parent_setup(struct table *t, struct err *e);
/* Name of the frame that matches, 0 = none. */
uint32_t table_parent_of(struct table *t, const struct sample *s, struct thread *th);
/* Whether --ignore-callees names the function at @loc. */
bool table_ignores_at(struct table *t, uint32_t loc);
/* @s or, until the next call, a copy at another address with a shorter chain. NULL: no memory. */
const struct sample *table_ignore_callees(struct table *t, const struct sample *s,
					  struct thread *th);
void table_parent_free(struct table *t);

/* table.c: a table of no keys yet. NULL: no memory. */
struct table *table_new_of(const struct keys_opts *o, struct machine *m, struct resolver *res,
			   struct unwind *u);
/* What follows for steps, once keys are known. */
void table_set_steps(struct table *t);

/* derived.c */
void table_derived_free(struct table *t);

/* branch.c */
void table_branch_count_type(struct branch_totals *t, uint64_t from, uint64_t to, uint64_t flags,
			     uint64_t times);

/* filter.c */
int table_filter_setup(struct table *t, struct err *e);
/* What the sample alone tells: its CPU's package, how many threads run. */
bool table_filter_sample(const struct table *t, const struct sample *s);
bool table_filter_pass(struct table *t, struct thread *th, uint32_t loc, uint64_t ip);
void table_filter_free(struct table *t);

/* merge.c: what a merge has put behind the rest is found by those who look from now on. 0 or -ENOMEM. */
int table_index_rest(struct table *t);

/* queue.c */
/* Makes the queue if there can be one. */
int table_queue_init(struct table *t);
int table_queue_add(struct table *t, const struct sample *s, struct thread *th);
/* Counts what waits. 0 or -ENOMEM. */
int table_queue_finish(struct table *t);
void table_queue_free(struct table *t);

/* ipc.c */
int table_ipc_init(struct table *t, struct err *e);
int table_ipc_finish(struct table *t);
void table_ipc_free(struct table *t);
/* branch.c */
int table_branch_init(struct table *t);
int table_branch_add(struct table *t, const struct sample *s, struct thread *th, uint32_t group);
void table_branch_flush(struct table *t);
void table_branch_free(struct table *t);

#endif
