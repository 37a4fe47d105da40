// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: what the branches of --branch-history say of a row's samples. Its columns count per
 * frame, of which a branch has two, as upstream counts. What no branch of the row says is not
 * known, and no zero.
 */
#include "view-int.h"

static int add(void *slot, const struct acc_in *in, void *state)
{
	(void)state;
	prof_note_all(slot, in->history);
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	(void)maps;
	prof_note_add(slot, from);
	return 0;
}

static bool wanted(const struct profile_opts *o)
{
	return o->history;
}

static const struct branch_note *row_note(const struct profile *p, const struct profile_row *r)
{
	return prof_row_acc(p, r, &acc_notes);
}

static void text_predicted(const struct profile *p, const struct profile_row *r, uint64_t v,
			   struct obuf *o)
{
	const struct branch_note *n = row_note(p, r);

	(void)v;
	if (!n->flagged)
		obuf_char(o, '-');
	else
		obuf_printf(o, "%.1f%%", n->predicted * 100.0 / n->branches);
}

static void text_aborts(const struct profile *p, const struct profile_row *r, uint64_t v,
			struct obuf *o)
{
	const struct branch_note *n = row_note(p, r);

	(void)v;
	if (!n->flagged && !n->aborts)
		obuf_char(o, '-');
	else
		obuf_dec(o, n->aborts);
}

static void text_cycles(const struct profile *p, const struct profile_row *r, uint64_t v,
			struct obuf *o)
{
	const struct branch_note *n = row_note(p, r);

	(void)v;
	if (!n->cycles)
		obuf_char(o, '-');
	else
		obuf_dec(o, n->cycles / n->branches);
}

/* Equal to all: they tell no rows apart and sort none. */
static int cmp_equal(const struct profile *p, uint64_t a, uint64_t b)
{
	(void)p, (void)a, (void)b;
	return 0;
}

#define COLUMN .at = KEY_BITS, .cmp = cmp_equal, .pads = true

static const struct key cols[] = {
	{ "callchain_branch_predicted", "Predicted", COLUMN, .text = text_predicted },
	{ "callchain_branch_abort", "Abort", COLUMN, .text = text_aborts },
	{ "callchain_branch_cycles", "Cycles", COLUMN, .text = text_cycles },
};

const struct acc acc_notes = {
	.name = "notes",
	.size = sizeof(struct branch_note),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.wanted = wanted,
	.needs_sample = true,
	.add = add,
	.merge = merge,
};
