// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf report --dot: the control flow of branch rows as a graph for Graphviz. Nodes are what the
 * rows' first key shows, edges their second; pens are as wide as edges are taken.
 */
#include "faces/faces-int.h"

static void put_quoted(const struct faces *f, const struct profile_row *row,
		       const struct profile_col *c)
{
	struct obuf o;

	if (obuf_init(&o, -1, 0))
		return;
	profile_value(f->p, row, c, &o);
	obuf_char(f->out, '"');
	for (size_t i = 0; i < o.len; i++) {
		if (o.buf[i] == '"' || o.buf[i] == '\\')
			obuf_char(f->out, '\\');
		obuf_char(f->out, o.buf[i]);
	}
	obuf_char(f->out, '"');
	obuf_free(&o);
}

static void put_edge(const struct faces *f, const struct profile_row *row,
		     const struct profile_col *from, const struct profile_col *to)
{
	const struct branch_counts *b = profile_branch_counts(f->p, row);
	double share = profile_percent(f->p, row);

	obuf_lit(f->out, "\t");
	put_quoted(f, row, from);
	obuf_lit(f->out, " -> ");
	put_quoted(f, row, to);
	obuf_printf(f->out, " [label=\"%.2f%%\\n%llu", share, (unsigned long long)row->nr);
	if (b->nr_mispred)
		obuf_printf(f->out, "\\n%.1f%% missed",
			    100.0 * b->nr_mispred / (double)(row->nr - b->nr_unflagged));
	if (b->nr_cycles)
		obuf_printf(f->out, "\\n%.1f cycles", (double)b->cycles / b->nr_cycles);
	obuf_printf(f->out, "\", penwidth=%.1f];\n", 1 + share / 5);
}

static const struct profile_col *column(const struct faces *f, const char *suffix)
{
	for (size_t i = 0; i < profile_nr_cols(f->p); i++) {
		const char *name = profile_col_name(profile_col(f->p, i)), *at = strrchr(name, '_');

		if (at && !strcmp(at, suffix))
			return profile_col(f->p, i);
	}
	return NULL;
}

int faces_dot(const struct faces *f)
{
	const struct profile_col *from = column(f, "_from"), *to = column(f, "_to");

	obuf_lit(f->out, "digraph branches {\n\tnode [shape=box, fontname=monospace];\n");
	for (uint32_t ev = 0; from && to && ev < perfdata_nr_events(f->pd); ev++)
		for (size_t i = 0; i < profile_nr_rows(f->p, ev); i++) {
			const struct profile_row *row = profile_row(f->p, ev, i);

			if (!faces_is_small(f, row))
				put_edge(f, row, from, to);
		}
	obuf_lit(f->out, "}\n");
	return 0;
}
