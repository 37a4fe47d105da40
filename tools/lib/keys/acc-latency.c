// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: latency, a sample's period divided by the number of threads that ran when it was
 * taken. What runs alone weighs most, as it is that which others wait for. It is counted in 1/1000
 * of a period, whole numbers: then sums do not depend on their order, and what callees cost can be
 * taken away again.
 */
#include "keys-int.h"

/* Of a period of 1: the fraction of a sum is worked out in these. */
#define LATENCY_UNIT 1000

static uint64_t latency_of(const struct acc_in *in)
{
	if (likely(in->period <= UINT64_MAX / LATENCY_UNIT))
		return in->period * LATENCY_UNIT / in->parallelism;
	return (uint64_t)((unsigned __int128)in->period * LATENCY_UNIT / in->parallelism);
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	(void)state;
	*(uint64_t *)slot += latency_of(in) * in->times;
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	(void)maps;
	*(uint64_t *)slot += *(const uint64_t *)from;
	return 0;
}

static void sub(void *slot, const void *from)
{
	*(uint64_t *)slot -= *(const uint64_t *)from;
}

static uint64_t stat(const struct keys_row *r, const void *slot)
{
	(void)r;
	return *(const uint64_t *)slot;
}

#define COLUMN                                                                                   \
	.at = KEY_STAT, .of = &keys_acc_latency, .stat = stat, .percent = true, .latency = true, \
	.switches = true, .right = true

static const struct key cols[] = {
	{ "latency", "Latency", COLUMN, .min_width = 8 },
	{ "latency_children", "Latency", COLUMN, .acc = true },
};

const struct acc keys_acc_latency = {
	.name = "latency",
	.size = sizeof(uint64_t),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.per_leaf = true,
	.per_entry = true,
	.is_share = true,
	.add = add,
	.merge = merge,
	.sub = sub,
};
