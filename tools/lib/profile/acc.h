/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accumulators: what a row counts beside samples and period. Inside room profile.
 *
 * An accumulator is a const struct in a file of its own, and a line in the table of key.c. It
 * knows one slot: how a sample is added to it, how another slot is, what columns show of it. Where
 * slots lie and when they are summed up is the table's affair (sums.h) and the same for all, so
 * rows, ends of chains, events and members of groups have sums without a word said here.
 *
 * A slot has a fixed size and may be moved; it begins as a copy of `empty`. Adding is commutative
 * and so is merging: the slot of all samples is the merge of the slots of any two halves. What a
 * slot owns outside itself is given back by drop().
 */
#ifndef PERF_PROFILE_ACC_H
#define PERF_PROFILE_ACC_H

#include "emit/emit.h"
#include "sample/sample.h"
#include "symbol/symbol.h"

struct key;
struct profile_opts;
struct profile_row;
struct hist_frames;
struct branch_counts;

/* A sample as accumulators see it. */
struct acc_in {
	const struct sample *s; /* NULL when it had to wait: see acc.needs_sample */
	struct thread *th;
	const struct hist_frames *history;   /* --branch-history: its branches; else NULL */
	const struct branch_counts *entries; /* branch mode: what equal ones say; else NULL */
	uint64_t period;
	uint64_t times;	      /* it is counted: 1, or once per branch in an event's total */
	uint32_t parallelism; /* threads that ran when it was taken */
};

/* What an accumulator may ask while samples come. */
struct acc_env {
	struct resolver *res;
	enum regs_arch arch;
	bool redact; /* do not show what is in registers */
};

/* From the numbers of one table to those of another; NULL lists: they are the same. */
struct acc_maps {
	const uint32_t *thread; /* by idx of a thread in the source */
	const uint32_t *symbol; /* by idx of a symbol there */
};

struct acc {
	const char *name;
	size_t size;	   /* of a slot */
	const void *empty; /* a slot that has seen nothing; NULL = zeros */
	/* Its columns, for -F and -s: text and JSON of a row. They name it as their `of`. */
	const struct key *cols;
	unsigned nr_cols;
	/* Whether it is counted though no column asks for it. */
	bool (*wanted)(const struct profile_opts *o);
	/* Whether all its columns stand behind those of shares, though nobody named them. */
	bool (*shown)(const struct profile_opts *o);
	bool needs_sample; /* the record, which does not wait for others */
	bool per_leaf;	   /* counted per end of a chain; rows have the sums of theirs */
	bool per_entry;	   /* branch mode: each entry of the stack is added */
	bool is_share;	   /* columns show shares of the event's total, which is counted too */
	/* What the samples that come need; given to add(). */
	int (*start)(void **state, const struct acc_env *env);
	void (*stop)(void *state);
	/* 0 or -ENOMEM. */
	int (*add)(void *slot, const struct acc_in *in, void *state);
	int (*merge)(void *slot, const void *from, const struct acc_maps *maps);
	/* The opposite of merge. With it a row knows what it costs with callees; NULL = cannot. */
	void (*sub)(void *slot, const void *from);
	void (*drop)(void *slot);
	/* Members of a row's object that are no columns; NULL = none. */
	void (*json)(const struct profile_row *row, const void *slot, struct emit *e);
};

extern const struct acc acc_latency, acc_modes, acc_weights, acc_branches, acc_notes, acc_simd,
	acc_threads;

/* All there are, in the order of the table; NULL behind the last. */
const struct acc *prof_acc_at(unsigned i);

static inline uint32_t acc_map(const uint32_t *map, uint32_t id)
{
	return map && id != UINT32_MAX ? map[id] : id;
}

#endif
