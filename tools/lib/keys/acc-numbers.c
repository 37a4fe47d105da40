// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: numbers that arithmetic is slow with, in the vectors that a row's samples were about to
 * read: see room simd for which these are.
 */
#include "keys-int.h"
#include "simd/simd.h"

struct numbers_use {
	struct acc_env env;
	struct simd_sites *sites;
};

static int add(void *slot, const struct acc_in *in, void *state)
{
	struct numbers_use *u = state;
	const struct sample *s = in->s;
	struct sample_regs tmp;
	const struct sample_regs *r = sample_simd_block(s, u->env.arch, &tmp);
	const struct simd_site *site;

	if (!r || u->env.redact || !simd_is_of_code(s, u->env.arch))
		return 0;
	site = simd_site(u->sites, resolver_find(u->env.res, in->th, s->cpumode, s->ip));
	if (site->nr)
		simd_numbers_add(slot, site, s, r);
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	(void)maps;
	simd_numbers_merge(slot, from);
	return 0;
}

static void stop(void *state)
{
	struct numbers_use *u = state;

	if (!u)
		return;
	simd_sites_free(u->sites);
	free(u);
}

static int start(void **state, const struct acc_env *env)
{
	struct numbers_use *u = calloc(1, sizeof(*u));

	if (!u || simd_sites_new(&u->sites, env->res, env->arch, false)) {
		free(u);
		return -ENOMEM;
	}
	u->env = *env;
	*state = u;
	return 0;
}

/* ---- columns: permille ------------------------------------------------------------------------ */

#define SHARE(name, part, whole)                                                             \
	static uint64_t stat_##name(const struct keys_row *r, const void *slot)              \
	{                                                                                    \
		const struct simd_numbers *n = slot;                                         \
                                                                                             \
		(void)r;                                                                     \
		return n->whole ? (n->part * 1000 + n->whole / 2) / n->whole : STAT_UNKNOWN; \
	}

SHARE(slow, slow, samples)
SHARE(nan, nan, floats)
SHARE(inf, inf, floats)
SHARE(denormal, denormal, floats)
SHARE(zero, zero, floats)
SHARE(int_zero, int_zero, ints)

static uint64_t stat_type(const struct keys_row *r, const void *slot)
{
	(void)r;
	return simd_numbers_lane(slot) ?: STAT_UNKNOWN;
}

static const char *type_text(uint64_t v)
{
	return v == STAT_UNKNOWN ? "-" : regs_lane_name((enum regs_lane)v);
}

static bool shown(const struct keys_opts *o)
{
	return o->numbers;
}

#define NEEDS                                    \
	.at = KEY_STAT, .of = &keys_acc_numbers, \
	.need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER
#define COLUMN NEEDS, .permille = true, .right = true, .min_width = 8, .unknown = "-"

/* All of them are the columns of report --numbers, in this order. */
static const struct key cols[] = {
	{ "slow_numbers", "Slow", COLUMN, .stat = stat_slow },
	{ "nan_lanes", "NaN", COLUMN, .stat = stat_nan },
	{ "inf_lanes", "Inf", COLUMN, .stat = stat_inf },
	{ "denormal_lanes", "Denormal", COLUMN, .stat = stat_denormal },
	{ "zero_lanes", "Zero", COLUMN, .stat = stat_zero },
	{ "int_zero_lanes", "IntZero", COLUMN, .stat = stat_int_zero },
	{ "lane_type", "Type", NEEDS, .min_width = 4, .stat = stat_type, .stat_text = type_text },
};

const struct acc keys_acc_numbers = {
	.name = "numbers",
	.size = sizeof(struct simd_numbers),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.legend =
		"# Lanes of vectors that the instruction at the sampled address, or the next one, is "
		"about to compute with.\n"
		"# NaN, Inf, Denormal, Zero: of those of floats; IntZero: of those of integers. Slow: "
		"samples with a NaN\n"
		"# or a denormal among them. Type: of most lanes.\n"
		"#\n",
	.needs_sample = true,
	.start = start,
	.stop = stop,
	.add = add,
	.merge = merge,
};
