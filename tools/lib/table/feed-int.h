/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reading samples needs beyond the numbers that it is for: caches that find a sample's row
 * soon, queues of samples that wait for each other, scratch of the sample at hand. Inside room
 * table.
 *
 * There is one as long as samples come. It ends at the begin of table_finish(), before sums and
 * orders ask for memory, and nothing that is shown later may need it.
 */
#ifndef PERF_TABLE_FEED_INT_H
#define PERF_TABLE_FEED_INT_H

#include <regex.h>

#include "unwind/unwind.h"

struct loc_info {
	uint64_t ip;		/* bare: what the steps are for, they change with it */
	uint32_t place, place2; /* of a sample here; of a branch to here */
	uint32_t step; /* it, or where several begin in step_list; ID_NONE = not looked at */
	uint16_t nr_steps;
	bool bare; /* no symbol */
};

/* What all addresses of a symbol are where no key looks below it: by its idx. ID_NONE = not looked at. */
struct symbol_info {
	uint32_t place;
	uint32_t step; /* one_step: of its frame, inlined functions aside */
};

/*
 * Samples with nothing but an address wait until there are some, and then go to their rows step
 * by step together: every step asks for the memory that the next one needs, so that the waiting
 * of all is the waiting of one.
 */
#define QUEUE_LEN   64
#define RECENT_BITS 18 /* at most */

struct queued {
	uint64_t ip, period, key;
	struct thread *th;
	struct code_at at;
	uint32_t parallelism;
	uint32_t where; /* number of the object + 1 (0 = none) << 3 | mode */
	uint32_t group, place;
	uint64_t hash; /* of key, where and group: of its slot, however many there are */
};

/* Which row a sample went to lately. */
struct recent {
	uint64_t key; /* object address, or the ip where rows tell ips apart */
	uint32_t where, group;
	uint32_t row; /* + 1; 0 = empty */
	uint32_t loc; /* + 1; 0 = nobody asked for it */
};

/* Samples that wait for symbols which another thread loads: how many at most. */
#define WAITING_MAX (1u << 16)

struct queue {
	struct queued v[QUEUE_LEN];
	unsigned n;
	VEC(struct queued) waiting;
	bool no_wait; /* they are loaded, or nobody does */
	bool at_once; /* there is more to look at in a sample: it goes to its row as it comes */
	struct recent *recent; /* 1 << bits, direct-mapped */
	unsigned bits;
	uint32_t filled; /* of them, and what was filled over */
	/* at_once: where the rows of the samples are remembered that table_expect() was told of, the next one first; or NULL */
	const struct recent *expected[TABLE_EXPECT];
	/* at_once: what was different from its address, with the last one, and so may be with the next. */
	uint64_t from_ip;
	uint32_t where, group;
};

/* Symbols by their name, looked at once per location. */
struct sym_pattern {
	bool set;
	regex_t re;
	VEC(uint8_t) match; /* by location */
};

/* --ignore-callees: the sample at hand without them. */
struct ignore {
	struct sym_pattern re;
	struct sample s;
	VEC(uint64_t) chain;
};

/* Branch mode: an entry whose row is looked for later (branch-later.c). */
struct later {
	uint32_t
		at; /* its slot; LATER_OUT: it had to go, and lies in feed.out; LATER_GONE: it counts elsewhere */
	uint32_t thread; /* the first one's */
	uint8_t cpumode;
};

struct feed {
	struct key_reader keys;
	struct unwind *u;
	bool filtering;
	struct bits f_parallelism;

	/* ---- the sample at hand ---- */
	uint32_t loc; /* as of struct acc_in */
	uint32_t step_tmp[MAX_INLINES];
	struct ignore ignore;

	/* ---- what was looked at once ---- */
	struct sym_pattern parent_re; /* set: the parent is wanted */
	uint32_t recent_group[64];    /* by thread */
	VEC(struct loc_info) locs;
	VEC(uint64_t) place_ip; /* rich: of locs, what their places are for */
	VEC(struct symbol_info) symbols;
	VEC(uint32_t) step_list;
	struct htab step_tab;
	struct htab leaf_tab; /* by node and row or place: trie.c */

	/* ---- what waits ---- */
	struct queue *queue; /* NULL: there is more to samples than their row */
	struct chain_queue *chain;

	/* ---- what cannot be found before table_index_rest() ---- */
	bool behind;
	size_t nodes_found, frames_found; /* those before these can be */

	/* ---- branch mode ---- */
	struct branch_slot *slots;
	unsigned slot_bits;
	uint32_t taken; /* of them, and what was put in another's place */
	bool counted;	/* something, since the slots were flushed */
	/* By slot: what its key does not tell, apart because it is rarely needed. */
	struct branch_counts *told;
	bool tells;		    /* anything; else nobody touches that memory */
	struct sum *counts;	    /* of keys_acc_branches */
	bool defers, no_memory;	    /* rows are looked for later; that failed */
	VEC(struct later) later;    /* in the order in which they came */
	VEC(struct branch_out) out; /* of them, those without a slot */
	VEC(uint32_t)
	later_thread; /* by number in branch_where: one that waits is of it; or ID_NONE */
	struct tuples branch_where; /* (group, epoch) */
	uint32_t last_where;
	struct {
		uint32_t space, gen;
		uint32_t epoch;
	} epoch[64];
	uint32_t nr_epochs;
};

/* 0 or -ENOMEM. */
int table_feed_new(struct table *t, struct unwind *u);
void table_feed_free(struct table *t);

#endif
