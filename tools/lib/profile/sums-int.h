/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of the accumulators that are wanted: arrays by row, by end of a chain, by event. Inside
 * room profile. No accumulator is named here, and nothing here knows what a slot holds.
 *
 * Arrays grow when a slot is written; a slot beyond the end reads as empty. One thread.
 */
#ifndef PERF_PROFILE_SUMS_INT_H
#define PERF_PROFILE_SUMS_INT_H

#include "keys/keys.h"

#define MAX_SUMS 8

struct slots {
	unsigned char *v;
	size_t n, cap;
	size_t size;	   /* of each */
	const void *empty; /* what there is beyond the end */
};

struct sum {
	const struct acc *acc;
	void *state;	      /* of acc->start(), while samples come */
	struct slots row;     /* a row's own */
	struct slots callees; /* acc->sub and callees are wanted: with what callees cost */
	struct slots leaf;    /* acc->per_leaf */
	struct slots node;    /* at the end: with what is below */
	struct slots event;   /* acc->is_share: totals; 2 * event + 1 of what passed the filters */
};

struct sums {
	struct sum v[MAX_SUMS];
	unsigned n;
	unsigned nr_share, nr_entry; /* of these: is_share, per_entry */
	bool needs_sample;
};

int prof_sums_start(struct sums *s, const struct profile_opts *o, const struct acc_env *env);
/* The sums of @acc from now on. They stay where they are. NULL: too many. */
struct sum *prof_sums_want(struct sums *s, const struct acc *acc);
/* No more samples. */
void prof_sums_stop(struct sums *s);
void prof_sums_free(struct sums *s);

/* Makes the array long enough. NULL: no memory. */
void *prof_slot_grow(struct slots *a, size_t i);

/* A slot to write. NULL: no memory. */
static inline void *prof_slot_reach(struct slots *a, size_t i)
{
	return likely(i < a->n) ? a->v + i * a->size : prof_slot_grow(a, i);
}

/* A slot to read. */
static inline const void *prof_slot(const struct slots *a, size_t i)
{
	return likely(i < a->n) ? a->v + i * a->size : a->empty;
}

/* Of an accumulator by its name, for those who know it: its own sums or NULL. */
struct sum *prof_sum_of(const struct sums *s, const struct acc *acc);
/* The same for one row; the empty slot where it is not counted. */
const void *prof_row_slot(const struct sums *s, const struct acc *acc, uint32_t row);

/* While samples come. All return 0 or -ENOMEM. */
int prof_sums_add_slow(struct sums *s, uint32_t row, const struct acc_in *in);
/* A sample that ends at @leaf, whose row is @row. */
int prof_sums_add_leaf_slow(struct sums *s, uint32_t leaf, uint32_t row, const struct acc_in *in);
/* Branch mode: an entry of a sample. */
int prof_sums_add_entry(struct sums *s, uint32_t row, const struct acc_in *in);
/* A sample that filters leave out of the rows. */
int prof_sums_left_out(struct sums *s, uint32_t event, const struct acc_in *in);

static inline int prof_sums_add(struct sums *s, uint32_t row, const struct acc_in *in)
{
	return likely(!s->n) ? 0 : prof_sums_add_slow(s, row, in);
}

static inline int prof_sums_add_leaf(struct sums *s, uint32_t leaf, uint32_t row,
				     const struct acc_in *in)
{
	return likely(!s->n) ? 0 : prof_sums_add_leaf_slow(s, leaf, row, in);
}

/*
 * At the end. Leafs go to their rows; with @callees to their nodes, nodes to their parents, and
 * what rows cost with callees begins as what is their own.
 */
struct chains;
int prof_sums_chains(struct sums *s, const struct chains *c, bool callees);
/* A row's own to the totals of its event. */
int prof_sums_event(struct sums *s, uint32_t event, uint32_t row);
/*
 * Before the end: all that @from has, to @s of the same accumulators. Row i there is row[i] here, and
 * so with ends of chains and events.
 */
struct sums_maps {
	const uint32_t *row, *leaf, *event; /* event: NULL = the same */
	size_t nr_rows, nr_leafs;
	struct acc_maps acc;
};

int prof_sums_join(struct sums *s, const struct sums *from, const struct sums_maps *maps);

/*
 * Sums of the same accumulators, for rows that stand above others; in the functions below @t are
 * those of the table, and @s may be the same.
 */
void prof_sums_like(struct sums *s, const struct sums *t);
/* A row's own to the total of what passed, of its event. */
int prof_sums_passed(struct sums *s, uint32_t event, const struct sums *t, uint32_t row);
/* Makes what @row costs with callees its own again. */
int prof_sums_own(struct sums *s, uint32_t row, const struct sums *t);
/* What all samples that pass @node cost, to @row with callees; what a leaf costs, away again. */
int prof_sums_pass(struct sums *s, uint32_t row, const struct sums *t, uint32_t node);
void prof_sums_unpass(struct sums *s, uint32_t row, const struct sums *t, uint32_t leaf);
/* A row's own numbers to another row's. */
int prof_sums_merge(struct sums *s, uint32_t row, const struct sums *t, uint32_t from);

#endif
