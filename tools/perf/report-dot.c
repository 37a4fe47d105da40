// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf report --dot: the control flow of branch rows as a graph for Graphviz. Nodes are what the
 * rows' first key shows, edges their second; pens are as wide as edges are taken.
 */
#include "report.h"

static void put_quoted(struct report *r, const struct profile_row *row, const struct profile_col *c)
{
	struct obuf o;

	if (obuf_init(&o, -1, 0))
		return;
	profile_value(r->p, row, c, &o);
	obuf_char(&r->out, '"');
	for (size_t i = 0; i < o.len; i++) {
		if (o.buf[i] == '"' || o.buf[i] == '\\')
			obuf_char(&r->out, '\\');
		obuf_char(&r->out, o.buf[i]);
	}
	obuf_char(&r->out, '"');
	obuf_free(&o);
}

static void put_edge(struct report *r, const struct profile_row *row,
		     const struct profile_col *from, const struct profile_col *to)
{
	const struct branch_counts *b = profile_branch_counts(r->p, row);
	double share = profile_percent(r->p, row);

	obuf_lit(&r->out, "\t");
	put_quoted(r, row, from);
	obuf_lit(&r->out, " -> ");
	put_quoted(r, row, to);
	obuf_printf(&r->out, " [label=\"%.2f%%\\n%llu", share, (unsigned long long)row->nr);
	if (b->nr_mispred)
		obuf_printf(&r->out, "\\n%.1f%% missed",
			    100.0 * b->nr_mispred / (double)(row->nr - b->nr_unflagged));
	if (b->nr_cycles)
		obuf_printf(&r->out, "\\n%.1f cycles", (double)b->cycles / b->nr_cycles);
	obuf_printf(&r->out, "\", penwidth=%.1f];\n", 1 + share / 5);
}

static const struct profile_col *column(struct report *r, const char *suffix)
{
	for (size_t i = 0; i < profile_nr_cols(r->p); i++) {
		const char *name = profile_col_name(profile_col(r->p, i)), *at = strrchr(name, '_');

		if (at && !strcmp(at, suffix))
			return profile_col(r->p, i);
	}
	return NULL;
}

int report_dot(struct report *r)
{
	const struct profile_col *from = column(r, "_from"), *to = column(r, "_to");

	obuf_lit(&r->out, "digraph branches {\n\tnode [shape=box, fontname=monospace];\n");
	for (uint32_t ev = 0; from && to && ev < perfdata_nr_events(r->pd); ev++)
		for (size_t i = 0; i < profile_nr_rows(r->p, ev); i++) {
			const struct profile_row *row = profile_row(r->p, ev, i);

			if (!report_is_small(r, row))
				put_edge(r, row, from, to);
		}
	obuf_lit(&r->out, "}\n");
	return 0;
}
