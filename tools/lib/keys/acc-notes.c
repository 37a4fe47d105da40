// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: what the branches of --branch-history say of a row's samples. Its columns count per
 * frame, of which a branch has two, as upstream counts. What no branch of the row says is not
 * known, and no zero.
 */
#include <stdio.h>

#include "keys-int.h"

static void note_type(struct branch_note *n, const struct branch_entry *b)
{
	if (b->type == BR_UNKNOWN || !b->from)
		return;
	if (b->type == BR_COND)
		n->types |= b->to > b->from ? NOTE_COND_FWD : NOTE_COND_BWD;
	else if (b->type == BR_EXTEND)
		n->new_types |= 1u << b->new_type;
	else
		n->types |= 1u << b->type;
	if (b->from >> 21 != b->to >> 21)
		n->types |= NOTE_CROSS_2M;
	else if (b->from >> 12 != b->to >> 12)
		n->types |= NOTE_CROSS_4K;
}

void keys_note_frame(struct branch_note *n, const struct step_at *f)
{
	const struct hist_branch *h = f->branch;

	if (!h)
		return;
	n->branches++;
	n->to = f->to;
	if (f->to) {
		n->flagged += h->b.predicted || h->b.mispred;
		n->predicted += h->b.predicted;
		n->aborts += h->b.abort;
		note_type(n, &h->b);
		return;
	}
	n->cycles += h->b.cycles;
	n->iters += h->iters;
	n->iter_cycles += h->iter_cycles;
	n->froms++;
}

void keys_note_add(struct branch_note *sum, const struct branch_note *n)
{
	sum->branches += n->branches;
	sum->flagged += n->flagged;
	sum->predicted += n->predicted;
	sum->aborts += n->aborts;
	sum->froms += n->froms;
	sum->cycles += n->cycles;
	sum->iters += n->iters;
	sum->iter_cycles += n->iter_cycles;
	sum->types |= n->types;
	sum->new_types |= n->new_types;
	sum->to |= n->to;
}

static void note_all(struct branch_note *sum, const struct hist_frames *h)
{
	for (size_t i = 0; i < h->nr; i++)
		keys_note_frame(sum, &h->f[i]);
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	(void)state;
	/* Its columns may be asked for without branches. */
	if (in->history)
		note_all(slot, in->history);
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	(void)maps;
	keys_note_add(slot, from);
	return 0;
}

static bool wanted(const struct keys_opts *o)
{
	return o->history;
}

static void text_predicted(const struct keys *ks, const void *slot, struct obuf *o)
{
	const struct branch_note *n = slot;

	(void)ks;
	if (!n->flagged)
		obuf_char(o, '-');
	else
		obuf_printf(o, "%.1f%%", n->predicted * 100.0 / n->branches);
}

static void text_aborts(const struct keys *ks, const void *slot, struct obuf *o)
{
	const struct branch_note *n = slot;

	(void)ks;
	if (!n->flagged && !n->aborts)
		obuf_char(o, '-');
	else
		obuf_dec(o, n->aborts);
}

static void text_cycles(const struct keys *ks, const void *slot, struct obuf *o)
{
	const struct branch_note *n = slot;

	(void)ks;
	if (!n->cycles)
		obuf_char(o, '-');
	else
		obuf_dec(o, n->cycles / n->branches);
}

/* Equal to all: they tell no rows apart and sort none. */
static int cmp_equal(const struct keys *ks, uint64_t a, uint64_t b)
{
	(void)ks, (void)a, (void)b;
	return 0;
}

#define COLUMN .at = KEY_BITS, .of = &keys_acc_notes, .cmp = cmp_equal, .pads = true

static const struct key cols[] = {
	{ "callchain_branch_predicted", "Predicted", COLUMN, .slot_text = text_predicted },
	{ "callchain_branch_abort", "Abort", COLUMN, .slot_text = text_aborts },
	{ "callchain_branch_cycles", "Cycles", COLUMN, .slot_text = text_cycles },
};

const struct acc keys_acc_notes = {
	.name = "notes",
	.size = sizeof(struct branch_note),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.wanted = wanted,
	.needs_sample = true,
	.add = add,
	.merge = merge,
};

/* ---- as text --------------------------------------------------------------------------------- */

struct parts {
	struct obuf *o;
	bool open;
};

static void part(struct parts *p, const char *text)
{
	obuf_str(p->o, p->open ? " " : " (");
	obuf_str(p->o, text);
	p->open = true;
}

/* Rounds that were left out, for each time that the branch is shown: often fewer than one. */
static void part_iters(struct parts *p, const struct branch_note *n)
{
	char rounds[32], text[64];

	if (n->iters >= n->froms)
		snprintf(rounds, sizeof(rounds), "%u", (unsigned)(n->iters / n->froms));
	else if (n->iters * 20 >= n->froms)
		snprintf(rounds, sizeof(rounds), "%.1f", (double)n->iters / n->froms);
	else
		snprintf(rounds, sizeof(rounds), "<0.1");
	snprintf(text, sizeof(text), "iter:%s", rounds);
	part(p, text);
	if (!n->iter_cycles)
		return;
	snprintf(text, sizeof(text), "avg_cycles:%llu",
		 (unsigned long long)(n->iter_cycles / n->iters));
	part(p, text);
}

static void put_types(struct parts *p, const struct branch_note *n)
{
	if (n->types & NOTE_COND_FWD)
		part(p, "COND_FWD");
	if (n->types & NOTE_COND_BWD)
		part(p, "COND_BWD");
	for (unsigned i = BR_COND + 1; i < BR_EXTEND; i++)
		if (n->types & 1u << i)
			part(p, branch_type_name(i, 0));
	for (unsigned i = 0; i < 16; i++)
		if (n->new_types & 1u << i)
			part(p, branch_type_name(BR_EXTEND, i));
	if (n->types & NOTE_CROSS_4K)
		part(p, "CROSS_4K");
	if (n->types & NOTE_CROSS_2M)
		part(p, "CROSS_2M");
}

void keys_note_print(const struct branch_note *n, struct obuf *o)
{
	struct parts p = { .o = o };
	char text[64];

	if (n->unknown)
		return;
	if (!n->branches) {
		obuf_lit(o, " (calltrace)");
		return;
	}
	if (n->to) {
		put_types(&p, n);
		if (n->flagged && n->predicted < n->branches) {
			snprintf(text, sizeof(text), "predicted:%.1f%%",
				 (double)n->predicted * 100.0 / n->branches);
			part(&p, text);
		}
		if (n->aborts) {
			snprintf(text, sizeof(text), "abort:%.1f%%",
				 (double)n->aborts * 100.0 / n->branches);
			part(&p, text);
		}
	} else {
		if (n->cycles / n->branches) {
			snprintf(text, sizeof(text), "cycles:%llu",
				 (unsigned long long)(n->cycles / n->branches));
			part(&p, text);
		}
		if (n->iters && n->froms)
			part_iters(&p, n);
	}
	if (p.open)
		obuf_char(o, ')');
}
