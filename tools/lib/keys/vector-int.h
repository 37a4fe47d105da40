/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of room keys: what accumulators share that count what vector registers hold. */
#ifndef PERF_KEYS_VECTOR_INT_H
#define PERF_KEYS_VECTOR_INT_H

#include "keys-int.h"
#include "simd/simd.h"

static inline uint64_t vector_permille(uint64_t n, uint64_t of)
{
	return of ? (n * 1000 + of / 2) / of : STAT_UNKNOWN;
}

/* stat_NAME() of a slot of @type: @part of @whole. */
#define VECTOR_SHARE(type, name, part, whole)                                   \
	static uint64_t stat_##name(const struct keys_row *r, const void *slot) \
	{                                                                       \
		const type *c = slot;                                           \
                                                                                \
		(void)r;                                                        \
		return vector_permille(c->part, c->whole);                      \
	}

/* Members of a column of @acc; and of one that is a share. */
#define VECTOR_STAT(acc) \
	.at = KEY_STAT, .of = &(acc), .need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER
#define VECTOR_COLUMN(acc) VECTOR_STAT(acc), .permille = true, .right = true

/* For those that ask what the code at a sample reads: start() and stop() of an accumulator. */
struct vector_use {
	struct acc_env env;
	struct simd_sites *sites;
};

int keys_vector_start(void **state, const struct acc_env *env);
void keys_vector_stop(void *state);
/*
 * The sample's vectors (in @tmp, or in the sample) and, as @loc, where it is. NULL: it has none, they are not to be
 * shown, or they are not those of the code at its address.
 */
const struct sample_regs *keys_vector_of(const struct vector_use *u, const struct acc_in *in,
					 struct sample_regs *tmp, uint32_t *loc);

#endif
