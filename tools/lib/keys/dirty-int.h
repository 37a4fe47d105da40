/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of room keys: cycles that code with SSE instructions took, by whether upper halves of vectors were in use. The same
 * code is compared with itself, so that what it costs anyway does not count.
 */
#ifndef PERF_KEYS_DIRTY_INT_H
#define PERF_KEYS_DIRTY_INT_H

#include "keys-int.h"

/* A block of code, by locations of its first and its last instruction; or one instruction: the same twice. */
struct dirty_cost {
	uint32_t from, to;
	uint64_t nr[2],
		cycles[2]; /* times that cycles are known of, and these: [1] with upper halves in use */
};

/* Of a row. Zeros at first. */
struct dirty_costs {
	uint32_t n, bits;
	struct dirty_cost *v; /* 2^bits, by hash; what was never counted is free. NULL: none */
};

/* What a stretch of code does with vectors; several may be. */
enum { STRETCH_SSE = 1, STRETCH_CHANGES = 2, STRETCH_UNKNOWN = 4 };

struct dirty_stretch {
	uint32_t from, to;
	uint8_t does;
};

/* What was found out of code. */
struct dirty_walk {
	VEC(struct dirty_stretch) stretch;
	struct htab tab;
};

/*
 * Cycles that sample @in tells of code like the sampled one, which is at @loc and, if @at_sse, an SSE instruction that
 * writes a vector: its retire latency, and those of blocks in the same function that ran since upper halves were last
 * written or cleaned. 0 or -ENOMEM.
 */
int keys_dirty_cost_add(struct dirty_costs *c, struct dirty_walk *w, struct decoders *dec,
			const struct acc_env *env, const struct acc_in *in, uint32_t loc,
			bool dirty, bool at_sse);
int keys_dirty_cost_merge(struct dirty_costs *c, const struct dirty_costs *from,
			  const struct acc_maps *maps);
/* Cycles that one time takes more with upper halves in use than without; STAT_UNKNOWN where too little says so. */
uint64_t keys_dirty_cost(const struct dirty_costs *c);
void keys_dirty_cost_drop(struct dirty_costs *c);
void keys_dirty_walk_free(struct dirty_walk *w);

#endif
