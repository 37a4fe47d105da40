// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: what the entries of branch stacks say beside where they lead: cycles, and how they
 * were predicted. There are millions of entries and few distinct ones, so that branch.c counts
 * equal ones together and adds them here many at a time.
 */
#include "keys-int.h"

static void add_counts(struct branch_counts *c, const struct branch_counts *f)
{
	c->cycles += f->cycles;
	c->nr_cycles += f->nr_cycles;
	c->nr_mispred += f->nr_mispred;
	c->nr_unflagged += f->nr_unflagged;
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	(void)state;
	add_counts(slot, in->entries);
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	struct branch_counts *c = slot;
	const struct branch_counts *f = from;

	add_counts(c, f);
	if (c->symbol_to == ID_NONE)
		c->symbol_to = keys_acc_map(maps ? maps->symbol : NULL, f->symbol_to);
	return 0;
}

static uint64_t stat_mispred(const struct keys_row *r, const void *slot)
{
	const struct branch_counts *b = slot;

	return r->nr > b->nr_unflagged ? b->nr_mispred * 1000ULL / (r->nr - b->nr_unflagged)
				       : STAT_UNKNOWN;
}

static uint64_t stat_avg_cycles(const struct keys_row *r, const void *slot)
{
	const struct branch_counts *b = slot;

	(void)r;
	return b->nr_cycles ? (b->cycles + b->nr_cycles / 2) / b->nr_cycles : STAT_UNKNOWN;
}

static void json(const struct keys_row *row, const void *slot, struct emit *e)
{
	const struct branch_counts *b = slot;

	if (row->nr > b->nr_unflagged)
		emit_u64(e, "mispredicted", b->nr_mispred);
	else
		emit_str(e, "mispredicted", NULL);
	emit_u64(e, "cycles", b->cycles);
	emit_u64(e, "with_cycles", b->nr_cycles);
}

static bool wanted(const struct keys_opts *o)
{
	return o->branch;
}

static bool shown(const struct keys_opts *o)
{
	return o->branch && o->branch_stats;
}

#define COLUMN \
	.at = KEY_STAT, .of = &keys_acc_branches, .right = true, .branch = true, .unknown = "-"

static const struct key cols[] = {
	{ "mispredict_rate", "Mispred%", COLUMN, .stat = stat_mispred, .min_width = 8,
	  .permille = true },
	{ "avg_cycles", "Avg Cycles", COLUMN, .stat = stat_avg_cycles, .min_width = 10 },
};

static const struct branch_counts none = { .symbol_to = ID_NONE };

const struct acc keys_acc_branches = {
	.name = "branches",
	.size = sizeof(struct branch_counts),
	.empty = &none,
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.wanted = wanted,
	.shown = shown,
	.add = add,
	.merge = merge,
	.json = json,
};
