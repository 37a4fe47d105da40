// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What report --branches says, beside the instruction that it says it of. Text is the short of it, JSON has the row of
 * the report. Numbers that are not known are left out, never printed as zeros.
 */
#include <stdio.h>

#include "faces/listing-int.h"

static const struct listing_answers *answers_of(const struct listing *l,
						const struct listing_line *line)
{
	if (!l->answers || line->kind != LISTING_INSN || line->insn == LISTING_NONE)
		return NULL;
	return &l->answers[line->insn];
}

bool faces_answers_shown(const struct faces_listings *f, const struct listing *l)
{
	(void)f;
	return l->stat;
}

static void gap(struct obuf *o, size_t from)
{
	if (o->len > from)
		obuf_lit(o, "; ");
}

/* ---- why ----------------------------------------------------------------------------------------- */

static void put_targets(const struct brstat *b, const struct brstat_branch *br, struct obuf *o)
{
	char place[512];

	for (uint32_t i = 0; i < br->nr; i++) {
		const struct brstat_target *t = brstat_target(b, br->first + i);

		obuf_printf(o, "%s%.0f%% ", i ? ", " : "", faces_percent(t->nr, br->left));
		emit_safe(o, list_place(t->sym, t->addr, place, sizeof(place)));
	}
}

static void put_branch(const struct brstat *b, const struct brstat_branch *br, struct obuf *o)
{
	const struct brstat_help help = brstat_help(b, br);
	char pattern[64], helps[200];
	const char *why = walk_why_pattern(br, pattern, sizeof(pattern));
	size_t from = o->len;

	if (brstat_is_indirect(br)) {
		put_targets(b, br, o);
	} else {
		obuf_str(o, why ? why : "");
		if (br->kind == INSN_COND && br->taken + br->not_taken) {
			obuf_str(o, why ? ", " : "");
			obuf_printf(o, "%.0f%% taken",
				    faces_percent(br->taken, br->taken + br->not_taken));
			if (br->entropy >= 0)
				obuf_printf(o, ", %.2f bits", br->entropy);
		}
	}
	if (br->flagged && br->mispred) {
		gap(o, from);
		obuf_printf(o, "%.1f%% mispredicted", faces_percent(br->mispred, br->flagged));
	}
	if (*walk_why_help(&help, helps, sizeof(helps))) {
		gap(o, from);
		obuf_str(o, helps);
	}
}

/* ---- cycles -------------------------------------------------------------------------------------- */

static void put_block(const struct brstat_block *b, struct obuf *o)
{
	double mean = b->nr_cycles ? (double)b->cycles / (double)b->nr_cycles : 0;

	if (!b->nr_cycles)
		return;
	obuf_printf(o, "%.1f cycles, half %u, 90%% %u", mean, b->median, b->p90);
	if (b->insns && mean > 0 && b->min)
		obuf_printf(o, ", IPC %.2f of %.2f", b->insns / mean, (double)b->insns / b->min);
}

static void put_edge(const struct brstat_edge *e, struct obuf *o)
{
	if (e->refills)
		obuf_printf(o, "refill %.1f", e->refill_cycles / (double)e->refills);
	if (e->lates)
		obuf_printf(o, "%slate %.1f", e->refills ? ", " : "",
			    e->late_cycles / (double)e->lates);
}

/* ---- paths --------------------------------------------------------------------------------------- */

static void put_path(const struct brstat *b, uint32_t i, struct obuf *o)
{
	const struct brstat_super *s = brstat_super(b, i);

	obuf_printf(o, "path %u: %.1f%%, %.0f%% to its end", i + 1,
		    faces_percent(s->runs, brstat_sum(b)->runs), 100 * s->through);
}

static void put_loop(const struct brstat_loop *l, struct obuf *o)
{
	double mean = brstat_mean_rounds(l);

	if (mean >= 0)
		obuf_printf(o, "loop of %.1f rounds", mean);
	else
		obuf_lit(o, "loop");
}

/* ---- all of it ----------------------------------------------------------------------------------- */

void faces_answers_put(const struct listing *l, const struct listing_line *line, struct obuf *o)
{
	const struct listing_answers *a = answers_of(l, line);
	size_t from = o->len;

	if (!a)
		return;
	if (a->branch != LISTING_NONE)
		put_branch(l->stat, brstat_branch(l->stat, a->branch), o);
	if (a->loop != LISTING_NONE)
		put_loop(brstat_loop(l->stat, a->loop), o);
	if (a->path != LISTING_NONE) {
		gap(o, from);
		put_path(l->stat, a->path, o);
	}
	if (a->block != LISTING_NONE)
		put_block(brstat_block(l->stat, a->block), o);
	if (a->edge != LISTING_NONE) {
		const struct brstat_edge *e = brstat_edge_at(l->stat, a->edge);

		if (e->refills || e->lates)
			gap(o, from);
		put_edge(e, o);
	}
}

void faces_answers_text(const struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, uint32_t k, struct obuf *o)
{
	(void)f;
	(void)k;
	faces_answers_put(l, line, o);
	if (o->len <= FACES_ANSWERS_WIDTH)
		return;
	o->len = FACES_ANSWERS_WIDTH - 2;
	while (o->len && o->buf[o->len] != ' ')
		o->len--;
	obuf_lit(o, " +");
}

/* The rows of report --branches --json: of the first where several begin here, and how many these are. */
void faces_answers_json(const struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, uint32_t k, struct emit *e)
{
	const struct listing_answers *a = answers_of(l, line);
	const struct {
		const struct walk_list *list;
		const char *name, *count;
		uint32_t at, nr;
	} parts[] = {
		{ &walk_branch_list, "why", NULL, a ? a->branch : 0, 0 },
		{ &walk_block_list, "block", "blocks_here", a ? a->block : 0,
		  a ? a->nr_blocks : 0 },
		{ &walk_edge_list, "edge", "edges_here", a ? a->edge : 0, a ? a->nr_edges : 0 },
		{ &walk_path_list, "path", "paths_here", a ? a->path : 0, a ? a->nr_paths : 0 },
		{ &walk_loop_list, "loop", NULL, a ? a->loop : 0, 0 },
	};

	(void)f;
	(void)k;
	for (size_t i = 0; a && i < ARRAY_SIZE(parts); i++) {
		if (parts[i].at == LISTING_NONE)
			continue;
		faces_list_json(parts[i].list, l->stat, parts[i].at, parts[i].name, e);
		if (parts[i].nr > 1)
			emit_u64(e, parts[i].count, parts[i].nr);
	}
}
