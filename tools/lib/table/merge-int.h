/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside room table: two tables to one. merge.c has the parts, merge-trie.c those that are about chains. */
#ifndef PERF_TABLE_MERGE_INT_H
#define PERF_TABLE_MERGE_INT_H

#include "table-int.h"

struct merger {
	struct table *to, *from;
	const struct table_maps *maps;
	/* By number in the source: the number in the destination. */
	uint32_t *name, *daddr, *frame, *group, *place, *place2, *step, *row, *leaf, *node;
	uint32_t *nodes_before; /* by node, and one more: how many the destination had before */
	bool apart;		/* different steps and groups there are different ones here */
};

/* Threads that look for what the destination has. Each merge has some, and there are several at a time. */
#define MERGE_THREADS 4

/* Numbers for @n things, and one more: all ID_NONE. NULL: no memory. */
uint32_t *table_new_map(size_t n);

static inline uint32_t mapped(const uint32_t *map, uint32_t id)
{
	return map && id != ID_NONE ? map[id] : id;
}

/* Parts of table_merge(): 0 or -ENOMEM. */
int table_merge_nodes(struct merger *g);
int table_merge_leafs(struct merger *g);

#endif
