/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of the accumulators that are wanted: arrays by row, by end of a chain, by event. Inside
 * room table. No accumulator is named here, and nothing here knows what a slot holds.
 *
 * Arrays grow when a slot is written; a slot beyond the end reads as empty. One thread.
 */
#ifndef PERF_TABLE_SUMS_INT_H
#define PERF_TABLE_SUMS_INT_H

#include "table/table.h"

/* What is counted though no column asks for it; then, before samples come, start. */
int table_sums_choose(struct sums *s, const struct keys_opts *o);
int table_sums_start(struct sums *s, const struct acc_env *env);
/* The sums of @acc from now on. They stay where they are. NULL: too many. */
struct sum *table_sums_want(struct sums *s, const struct acc *acc);
/* No more samples. */
void table_sums_stop(struct sums *s);

/* Makes the array long enough. NULL: no memory. */
void *table_slot_grow(struct slots *a, size_t i);

/* A slot to write. NULL: no memory. */
static inline void *table_slot_reach(struct slots *a, size_t i)
{
	return likely(i < a->n) ? a->v + i * a->size : table_slot_grow(a, i);
}

/* Of an accumulator by its name, for those who know it: its own sums or NULL. */
struct sum *table_sum_of(const struct sums *s, const struct acc *acc);
/* While samples come. All return 0 or -ENOMEM. */
int table_sums_add_slow(struct sums *s, uint32_t row, const struct acc_in *in);
/* A sample that ends at @leaf, whose row is @row. */
int table_sums_add_leaf_slow(struct sums *s, uint32_t leaf, uint32_t row, const struct acc_in *in);
/* Branch mode: an entry of a sample. */
int table_sums_add_entry(struct sums *s, uint32_t row, const struct acc_in *in);
/* A sample that filters leave out of the rows. */
int table_sums_left_out(struct sums *s, uint32_t event, const struct acc_in *in);

/* The same where there are sums. */
static inline int table_sums_add_now(struct sums *s, uint32_t row, const struct acc_in *in)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct sum *sum = &s->v[i];
		void *slot = table_slot_reach(&sum->row, row);

		if (!slot || sum->acc->add(slot, in, sum->state))
			return -ENOMEM;
	}
	return 0;
}

/* A sample of @row, at location @loc, may come some samples from now. */
static inline void table_sums_expect(const struct sums *s, uint32_t row, uint32_t loc)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct sum *sum = &s->v[i];

		if (row < sum->row.n) {
			const unsigned char *slot = sum->row.v + row * sum->row.size;

			/* What begins a slot is what changes most; slots lie across lines. */
			__builtin_prefetch(slot, 1);
			__builtin_prefetch(slot + min_u64(sum->row.size, 64) - 1, 1);
		}
		if (sum->acc->expect)
			sum->acc->expect(loc, sum->state);
	}
}

/* As the next one. */
static inline void table_sums_soon(const struct sums *s, uint32_t row)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].acc->soon && row < s->v[i].row.n)
			s->v[i].acc->soon(s->v[i].row.v + row * s->v[i].row.size);
}

static inline int table_sums_add(struct sums *s, uint32_t row, const struct acc_in *in)
{
	return likely(!s->n) ? 0 : table_sums_add_slow(s, row, in);
}

static inline int table_sums_add_leaf(struct sums *s, uint32_t leaf, uint32_t row,
				      const struct acc_in *in)
{
	return likely(!s->n) ? 0 : table_sums_add_leaf_slow(s, leaf, row, in);
}

/*
 * At the end. Leafs go to their rows; with @callees to their nodes, nodes to their parents, and
 * what rows cost with callees begins as what is their own.
 */
int table_sums_chains(struct sums *s, const struct chains *c, bool callees);
/* A row's own to the totals of its event. */
int table_sums_event(struct sums *s, uint32_t event, uint32_t row);
/*
 * Before the end: all that @from has, to @s of the same accumulators. Row i there is row[i] here, and
 * so with ends of chains and events.
 */
struct sums_maps {
	const uint32_t *row, *leaf, *event;  /* event: NULL = the same */
	size_t nr_rows, nr_leafs, nr_events; /* there: slots are more */
	struct acc_maps acc;
};

int table_sums_join(struct sums *s, const struct sums *from, const struct sums_maps *maps);

#endif
