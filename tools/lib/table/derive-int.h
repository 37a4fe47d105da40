/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of room table: a table out of a rich one.
 *
 *	derive.c	keys, rows, what passes
 *	derive-ops.c	which samples and frames an operation is about
 *	derive-chain.c	chains: as they are, or by what operations leave of them
 *	derived.c	what a derived table knows of its base: time, where its samples end
 *
 * The rich table's rows and ends of chains are walked in the order in which their first samples came, so
 * that whatever they become is numbered as if the samples themselves had come.
 */
#ifndef PERF_TABLE_DERIVE_INT_H
#define PERF_TABLE_DERIVE_INT_H

#include <regex.h>

#include "table-int.h"

/* By number in the base. */
struct derived {
	const struct table *base;
	VEC(uint32_t) row;  /* of samples without a chain, of branches; ID_NONE = left out */
	VEC(uint32_t) leaf; /* leafs here, or rows, when no chain is left: DERIVED_ROW | number */
	uint32_t nr_events;
	struct table_count *over_time; /* by event and slice */
};

#define DERIVED_ROW 0x80000000u

/* What a name is looked for in. */
struct named {
	const struct symbol *sym; /* NULL = no symbol */
	const struct dso *dso;
};

/* A frame of the chain at hand. */
struct link {
	uint32_t from; /* step of the base, or behind those a merged one */
	uint32_t step;
	uint32_t note; /* of the base's leaf; ID_NONE = none */
};

struct op {
	const struct table_op *o;
	regex_t re;
	bool has_re;
	VEC(uint8_t) match; /* by link.from: 0 = not asked, 1 = no, 2 = yes */
};

struct merged {
	struct named what;
	uint32_t step;
};

/* How the way to a node of the base goes here, lately. */
struct way {
	uint32_t node, group; /* group: + 1, 0 = empty */
	struct node_at at;
	uint32_t link; /* of the queue: + 1, there at.node will be; 0 = it is known */
};

#define WAY_BITS 18 /* at most: 8 MB */

/*
 * Ends of chains that stay as they are wait in a queue: hashes of their ways are known before any
 * node is, so that memory can be asked for early, as chain-int.h has it.
 */
#define DERIVE_ENDS 64

struct derive_link {
	uint64_t hash;
	uint32_t from; /* node of the base */
	uint32_t step, node;
};

struct derive_end {
	uint32_t leaf, group;
	struct node_at at; /* where its links begin */
	uint32_t link;	   /* of the queue: + 1, there at.node will be */
	uint32_t first, nr;
};

struct derive_queue {
	struct derive_end end[DERIVE_ENDS];
	unsigned n;
	VEC(struct derive_link) links;
};

enum pass { PASS_UNKNOWN, PASS, PASS_NOT, PASS_DROP };

struct derive {
	struct table *t;
	const struct table *base;
	struct op *ops;
	unsigned nr_ops;
	bool by_chain; /* chains have to be looked at one by one */
	bool chains;   /* they are wanted */
	bool ahead;    /* the base still grows: rows and leafs are made, and counted at the end */
	uint32_t next_row, next_leaf;
	/* By key of the groups: slot in the base's tuple, 0 = made of what is there. */
	unsigned group_slot[MAX_VALUES];
	unsigned parent_slot, parallelism_slot;
	const struct sum *from_sum[MAX_SUMS]; /* NULL: added as samples are */
	VEC(uint32_t) group, place, place2, step;
	VEC(uint8_t) group_pass, place_pass;
	struct way *ways;
	unsigned way_bits;
	VEC(uint32_t) climb;
	struct derive_queue queue;
	/* The chain at hand, outermost first, and where the sample is counted. */
	VEC(struct link) links;
	VEC(struct merged) merged;
	struct named own;
	uint32_t own_place; /* ID_NONE = its own */
	uint32_t own_from;  /* link.from of what it is counted at */
};

/* What of a sample a rich table's row tells. */
static inline uint64_t derive_group_value(const struct derive *d, uint32_t group, unsigned i)
{
	return keys_tuple_get(&d->base->groups, group)[d->base->rich_slot[i]];
}

static inline uint32_t derive_loc(const struct derive *d, uint32_t place)
{
	return (uint32_t)keys_tuple_get(&d->base->places, place)[RICH_LOC];
}

/* derive.c; ID_NONE: no memory */
uint32_t derive_group(struct derive *d, uint32_t group);
uint32_t derive_place(struct derive *d, uint32_t place, bool second);
uint32_t derive_step(struct derive *d, uint32_t step);
/* Sums of a row or end of a chain (ID_NONE: of the row) of the base, to those here. */
int derive_sums(struct derive *d, const struct keys_row *from, uint32_t from_leaf, uint32_t row,
		uint32_t leaf, uint64_t period);

/* derive-ops.c */
int derive_start_ops(struct derive *d, const struct table_ask *ask, struct err *e);
void derive_stop_ops(struct derive *d);
bool derive_group_passes(const struct derive *d, uint32_t group);
bool derive_place_passes(const struct derive *d, uint32_t place, bool second);
/*
 * Puts what is left of the chain of a leaf (ID_NONE = there is none) at @place into links and own_place.
 * 1: nothing, the sample is left out; 0 or -ENOMEM.
 */
int derive_links(struct derive *d, uint32_t node, uint32_t place);

/*
 * derive-chain.c: the end of a chain, now or, where operations do not look at chains, at the next
 * derive_flush(). False in *kept: left out. It is counted, too, unless d->ahead.
 */
int derive_leaf(struct derive *d, uint32_t leaf, uint32_t group, bool *kept);
int derive_flush(struct derive *d);
/* What a leaf of the base, or a row (@leaf: ID_NONE, or its leaf), counts, to what stands for it here. */
int derive_count_leaf(struct derive *d, uint32_t leaf);
int derive_count_row(struct derive *d, const struct keys_row *from, uint32_t leaf, uint32_t to);
/* The row of samples without chains, and of what operations on chains leave of them. */
int derive_bare(struct derive *d, const struct keys_row *row, uint32_t group, uint32_t *to);

#endif
