// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: sums of the three numbers of PERF_SAMPLE_WEIGHT_STRUCT, of which the columns
 * weight1 to weight3 show the mean over a row's samples.
 */
#include "keys-int.h"

struct weights {
	uint64_t v[3];
};

static int add(void *slot, const struct acc_in *in, void *state)
{
	struct weights *w = slot;

	(void)state;
	w->v[0] += keys_weight(in->s);
	w->v[1] += in->s->weight_var2;
	w->v[2] += in->s->weight_var3;
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	struct weights *w = slot;

	(void)maps;
	for (size_t i = 0; i < ARRAY_SIZE(w->v); i++)
		w->v[i] += ((const struct weights *)from)->v[i];
	return 0;
}

#define WEIGHT(n)                                                            \
	static uint64_t stat_##n(const struct keys_row *r, const void *slot) \
	{                                                                    \
		(void)r;                                                     \
		return ((const struct weights *)slot)->v[n - 1];             \
	}
WEIGHT(1)
WEIGHT(2)
WEIGHT(3)

#define COLUMN                                                                                \
	.at = KEY_STAT, .of = &keys_acc_weights, .mean = true, .min_width = 8, .right = true, \
	.need = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT

static const struct key cols[] = {
	{ "weight1", "Weight1", COLUMN, .stat = stat_1 },
	{ "weight2", "Weight2", COLUMN, .stat = stat_2 },
	{ "weight3", "Weight3", COLUMN, .stat = stat_3 },
};

const struct acc keys_acc_weights = {
	.name = "weights",
	.size = sizeof(struct weights),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.needs_sample = true,
	.add = add,
	.merge = merge,
};
