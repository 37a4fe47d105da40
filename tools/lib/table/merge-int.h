/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside room table: two tables to one. merge.c has the parts, merge-trie.c those that are about chains. */
#ifndef PERF_TABLE_MERGE_INT_H
#define PERF_TABLE_MERGE_INT_H

#include "base/side.h"
#include "table-int.h"

struct merger {
	struct table *to, *from;
	const struct table_maps *maps;
	/* By number in the source: the number in the destination. */
	uint32_t *name, *daddr, *frame, *group, *place, *place2, *step, *row, *leaf, *node;
	uint32_t *nodes_before; /* by node, and one more: how many the destination had before */
	uint32_t first_frame, first_step; /* numbers there that new ones begin at */
	bool apart; /* different steps and groups there are different ones here */
};

/* Numbers for @n things, and one more: all ID_NONE. NULL: no memory. */
uint32_t *table_new_map(size_t n);

static inline uint32_t mapped(const uint32_t *map, uint32_t id)
{
	return map && id != ID_NONE ? map[id] : id;
}

/*
 * What there is much of is looked for in the destination first, by several threads, to which nothing is added meanwhile; then
 * what is new gets its numbers in order, and the threads write it. So many a thread looks for at once, and asks for the memory of so many before;
 * few threads, for there are several merges at a time.
 */
#define FIND_AT_ONCE 16384u
#define FIND_AHEAD   32u
#define FIND_THREADS 4

/* Calls @find for each piece of FIND_AT_ONCE out of @n. */
static inline void find_side_by_side(const struct merger *g, size_t n, side_fn *find, void *ctx)
{
	side_by_side((unsigned)min_u64(g->to->keys.o.jobs, FIND_THREADS),
		     (n + FIND_AT_ONCE - 1) / FIND_AT_ONCE, find, ctx);
}

/* Parts of table_merge(): 0 or -ENOMEM. */
int table_merge_nodes(struct merger *g);
int table_merge_leafs(struct merger *g);

#endif
