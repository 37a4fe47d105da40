/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of room table: call chains, from samples to trees.
 *
 *	chain.c		the frames of a sample, less those that it shares with the one before
 *	chain-queue.c	frames of many samples to steps
 *	trie.c		steps to nodes, samples to leafs and rows
 *	chain-end.c	sums over the trie, once all samples came
 *	chain-callers.c	and rows of callers
 *
 * Nearly every table here is larger than the caches and every look into one goes elsewhere. So
 * samples wait in a queue, and the queue is walked several times: first each walk asks for the
 * memory that the next needs, the last one takes the samples in their order.
 */
#ifndef PERF_TABLE_CHAIN_INT_H
#define PERF_TABLE_CHAIN_INT_H

#include "table/table.h"

/* A place in the trie on the way down; equal ways have equal hashes. */
struct node_at {
	uint64_t hash;
	uint32_t node;
};

/* ---- the queue ------------------------------------------------------------------------------- */

#define CHAIN_JOBS  64
#define CHAIN_MEMOS 64	/* chains that are remembered, by group and address space */
#define MEMO_FRAMES 128 /* as far as they are, from the outermost frame */

/* A sample whose steps are known: what the trie is told. */
struct chain_job {
	struct acc_in in;
	uint32_t group, place;
	uint32_t memo;	      /* its way begins like the last one with this number, */
	uint32_t keep;	      /* for so many steps */
	uint32_t step, steps; /* then these of the batch follow */
	uint8_t cpumode;
};

struct chain_batch {
	struct chain_job job[CHAIN_JOBS];
	unsigned n;
	VEC(uint32_t) step;
};

struct chain_frame {
	uint64_t ip;
	uint32_t at; /* of the queue; ID_NONE = in no map, and there is no more to know */
	uint8_t mode;
};

/* A sample before that: what is left of its chain. */
struct chain_frames {
	struct thread *th;
	uint32_t frame, frames; /* of the queue, outermost first */
	uint32_t own;		/* the one that the sample itself lies in; ID_NONE = not asked */
	uint32_t keep;		/* frames of the memo */
	bool unwound;		/* the job has its steps already */
};

/* The chain seen last in a group: addresses, outermost first, and the number of steps to each. */
struct chain_memo {
	uint32_t group, space, gen, nr;
	bool rooted; /* the outermost frame is in an object */
	uint64_t ip[MEMO_FRAMES];
	uint32_t steps[MEMO_FRAMES];
	uint8_t mode[MEMO_FRAMES];
};

struct chain_queue {
	struct chain_batch batch;
	struct chain_frames from[CHAIN_JOBS];
	unsigned limit; /* flush at */
	VEC(struct chain_frame) frame;
	VEC(struct code_at) at; /* as the maps were when the sample came */
	VEC(uint32_t) loc;	/* these as numbers */
	struct chain_memo memo[CHAIN_MEMOS];
	VEC(struct node_at) way[CHAIN_MEMOS + 1]; /* nodes of the chains in the memos */
	VEC(uint64_t) hash;			  /* of a batch's steps */
	/* Scratch: a chain, innermost first. */
	uint64_t *ips;
	uint8_t *modes;
	size_t cap;
};

/* chain.c */
int table_chain_init(struct table *t);
/* Counts a sample and its chain. @place: ID_NONE when it is still to be found. */
int table_chain_add(struct table *t, const struct sample *s, struct thread *th, uint32_t group,
		    uint32_t place);
/* Addresses and modes of a chain into q->ips and q->modes, innermost first: how many. */
int64_t table_chain_frames(struct table *t, const struct u64s *cc);
/* Whether the chain of @s is in its stack or its branches. */
bool table_wants_unwind(const struct table *t, const struct sample *s);
void table_chain_forget(struct table *t);
void table_chain_free(struct table *t);

/* chain-queue.c */
int table_chain_flush(struct table *t);

/* trie.c */
/* The group that stands for the root of a chain: a rich table has one for all. */
static inline uint32_t table_root(const struct table *t, uint32_t group)
{
	return unlikely(t->keys.o.rich) ? 0 : group;
}

/* What came before a new row: nodes; in a rich table, which tells by it what came first, leafs. */
static inline uint32_t table_rows_mark(const struct table *t)
{
	return (uint32_t)(unlikely(t->keys.o.rich) ? t->ch.leafs.n : t->ch.nodes.n);
}

struct node_at table_node_root(uint32_t group);
/* From a node to its child, which is made when there is none. 0 or -ENOMEM. */
int table_node_down(struct table *t, struct node_at *at, uint32_t step, uint32_t thread);
/* The same where at->hash is the child's already. */
int table_node_child(struct table *t, struct node_at *at, uint32_t step, uint32_t thread);
/* To the child if it is there; at->hash is the child's already. */
bool table_node_find(const struct table *t, struct node_at *at, uint32_t step);
/* For all nodes from @from on, which were put behind the others and cannot be found before. 0 or -ENOMEM. */
int table_trie_index(struct table *t, size_t from);
/* The leaf of samples of @row that end at @node. NULL: no memory. */
struct leaf *table_leaf(struct table *t, uint32_t node, const struct keys_row *row);
int table_trie_take(struct table *t, const struct chain_batch *b);

/* chain-end.c */
int table_chain_finish(struct table *t);
/* How many threads are worth it at the end: one for small tries, SIDE_MAX at most. */
unsigned table_side_threads(const struct table *t);
#define SIDE_MAX 16

/* Nodes that a thread takes at once, and how many times that is. */
#define NODES_AT_ONCE 65536u

static inline size_t table_node_pieces(const struct table *t)
{
	return (t->ch.nodes.n + NODES_AT_ONCE - 1) / NODES_AT_ONCE;
}

/* chain-callers.c: rows of those in the chains, once nodes are summed up. 0 or -ENOMEM. */
int table_chain_callers(struct table *t);

/* The longest chain of a row, from its end or from its begin. */
static inline void table_deepen(uint16_t *longest, bool caller, uint32_t depth)
{
	if (longest[caller] < depth)
		longest[caller] = (uint16_t)min_u64(depth, UINT16_MAX);
}

/* history.c: the chain of a sample with its branches, as a leaf of @row */
int table_history_add(struct table *t, const struct acc_in *sample, uint32_t group,
		      struct keys_row *row);

#endif
