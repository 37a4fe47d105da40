/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside room table: the cache of branch entries that branch.c fills, for those that resolve them later. */
#ifndef PERF_TABLE_BRANCH_INT_H
#define PERF_TABLE_BRANCH_INT_H

#include "table-int.h"

#define BRANCH_WAYS 4 /* of a set */

/* Half a cache line. */
struct branch_slot {
	_Alignas(32) uint64_t from;
	uint64_t to;
	uint64_t rest;	/* id in p->feed->branch_where + 1 (0 = no entry) << 32 | flag bits */
	uint32_t count; /* since its counts went to the row */
	uint32_t row;	/* BRANCH_LATER: nobody looked for it yet, its number in feed.later */
};

#define BRANCH_LATER (1u << 31)

/* An entry that had to leave its slot. */
struct branch_out {
	struct branch_slot slot;
	struct branch_counts told;
};

#define LATER_OUT  (1u << 31) /* of later.at: number in feed.out */
#define LATER_GONE UINT32_MAX

static inline uint32_t slot_flags(const struct branch_slot *s)
{
	return (uint32_t)s->rest;
}

static inline uint32_t slot_where(const struct branch_slot *s)
{
	return (uint32_t)(s->rest >> 32) - 1;
}

static inline uint32_t slot_home(const struct feed *f, uint64_t from, uint64_t to, uint64_t rest)
{
	uint64_t h = from ^ (to << 32 | to >> 32) ^ rest * 0xbf58476d1ce4e5b9ULL;

	return (uint32_t)hash_slot(h, f->slot_bits);
}

static inline bool slot_is(const struct branch_slot *s, uint64_t from, uint64_t to, uint64_t rest)
{
	return s->from == from && s->to == to && s->rest == rest;
}

/* An entry as its row is looked for. */
struct branch_at {
	struct thread *th; /* the first one's */
	uint64_t from, to;
	uint32_t group, bits;
	uint8_t cpumode;
};

/* What @slot counts in @t. */
static inline struct branch_at table_branch_at(const struct table *t,
					       const struct branch_slot *slot, struct thread *th,
					       uint8_t cpumode)
{
	return (struct branch_at){
		.th = th,
		.from = slot->from,
		.to = slot->to,
		.group = (uint32_t)keys_tuple_get(&t->feed->branch_where, slot_where(slot))[0],
		.bits = slot_flags(slot),
		.cpumode = cpumode,
	};
}

/* branch.c: its row; ID_NONE: no memory. */
uint32_t table_branch_row(struct table *t, const struct branch_at *at);
/* @count more of them, of which @told is told; NULL: nothing. */
void table_branch_count(struct table *t, uint32_t row, uint32_t bits, uint32_t count,
			const struct branch_counts *told);

/* branch-later.c: @slot has a new entry; the one before may have had to go. 0 or -ENOMEM. */
int table_later_add(struct table *t, struct branch_slot *slot, const struct thread *th,
		    uint8_t cpumode);
/* An entry has to leave @slot. 0 or -ENOMEM. */
int table_later_out(struct table *t, struct branch_slot *slot);
/* Rows of all that wait, now. 0 or -ENOMEM. */
int table_later_resolve(struct table *t);

#endif
