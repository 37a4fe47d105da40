// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: numbers that arithmetic is slow with, in the vectors that a row's samples were about to
 * read: see room simd for which these are.
 */
#include "vector-int.h"

static int add(void *slot, const struct acc_in *in, void *state)
{
	struct vector_use *u = state;
	const struct simd_site *site;
	struct sample_regs tmp;
	const struct sample_regs *r;
	uint32_t loc;

	/* Most places have nothing to say. */
	if (in->loc && simd_site_is_empty(u->sites, in->loc - 1))
		return 0;
	r = keys_vector_of(u, in, &tmp, &loc);
	if (!r)
		return 0;
	site = simd_site(u->sites, loc);
	if (site->nr)
		simd_numbers_add(slot, site, in->s, r);
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	(void)maps;
	simd_numbers_merge(slot, from);
	return 0;
}

/* ---- columns: permille ------------------------------------------------------------------------ */

VECTOR_SHARE(struct simd_numbers, slow, slow, samples)
VECTOR_SHARE(struct simd_numbers, nan, nan, floats)
VECTOR_SHARE(struct simd_numbers, inf, inf, floats)
VECTOR_SHARE(struct simd_numbers, denormal, denormal, floats)
VECTOR_SHARE(struct simd_numbers, zero, zero, floats)
VECTOR_SHARE(struct simd_numbers, int_zero, int_zero, ints)

static uint64_t stat_type(const struct keys_row *r, const void *slot)
{
	(void)r;
	return simd_numbers_lane(slot) ?: STAT_UNKNOWN;
}

static const char *type_text(uint64_t v)
{
	return v == STAT_UNKNOWN ? "-" : regs_lane_name((enum regs_lane)v);
}

static uint64_t told(const void *slot)
{
	const struct simd_numbers *c = slot;

	return c->samples;
}

static bool shown(const struct keys_opts *o)
{
	return o->numbers;
}

#define COLUMN VECTOR_COLUMN(keys_acc_numbers), .min_width = 8, .unknown = "-"

/* All of them are the columns of report --numbers, in this order. */
static const struct key cols[] = {
	{ "slow_numbers", "Slow", COLUMN, .stat = stat_slow },
	{ "nan_lanes", "NaN", COLUMN, .stat = stat_nan },
	{ "inf_lanes", "Inf", COLUMN, .stat = stat_inf },
	{ "denormal_lanes", "Denormal", COLUMN, .stat = stat_denormal },
	{ "zero_lanes", "Zero", COLUMN, .stat = stat_zero },
	{ "int_zero_lanes", "IntZero", COLUMN, .stat = stat_int_zero },
	{ "lane_type", "Type", VECTOR_STAT(keys_acc_numbers), .min_width = 4, .stat = stat_type,
	  .stat_text = type_text },
};

const struct acc keys_acc_numbers = {
	.name = "numbers",
	.size = sizeof(struct simd_numbers),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.told = told,
	.legend =
		"# Lanes of vectors that the instruction at the sampled address, or the next one, is "
		"about to compute with.\n"
		"# NaN, Inf, Denormal, Zero: of those of floats; IntZero: of those of integers. Slow: "
		"samples with a NaN\n"
		"# or a denormal among them. Type: of most lanes. -: no sample is close to such an instruction.\n"
		"#\n",
	.needs_sample = true,
	.start = keys_vector_start,
	.stop = keys_vector_stop,
	.add = add,
	.merge = merge,
};
