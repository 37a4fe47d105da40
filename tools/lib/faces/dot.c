// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The control flow of branch rows as a graph for Graphviz. Nodes are what the first key that ends
 * in _from shows, edges lead to what the first one in _to does; pens are as wide as edges are
 * taken. Rows are edges, so that no cell is asked for but these two.
 */
#include "faces/faces-int.h"

struct dot {
	const struct faces_column *from, *to;
	struct obuf text;
};

/* The value is safe for a terminal; in quotes two letters more mean something. */
static void put_quoted(struct faces_walk *k, const struct faces_row *row,
		       const struct faces_column *col)
{
	const struct faces_cell cell = { .row = row, .col = col, .kind = FACES_KEY };
	struct obuf *o = &((struct dot *)k->state)->text;

	o->len = 0;
	faces_cell_value(k->f, &cell, o);
	obuf_char(k->out, '"');
	for (size_t i = 0; i < o->len; i++) {
		if (o->buf[i] == '"' || o->buf[i] == '\\')
			obuf_char(k->out, '\\');
		obuf_char(k->out, o->buf[i]);
	}
	obuf_char(k->out, '"');
}

static const struct faces_column *column(const struct faces_table *t, const char *suffix)
{
	for (size_t i = 0; i < t->nr_cols; i++) {
		const struct faces_column *c = &t->cols[i];
		const char *at = c->key ? strrchr(c->name, '_') : NULL;

		if (at && !strcmp(at, suffix))
			return c;
	}
	return NULL;
}

static int dot_begin(struct faces_walk *k)
{
	obuf_lit(k->out, "digraph branches {\n\tnode [shape=box, fontname=monospace];\n");
	return obuf_init(&((struct dot *)k->state)->text, -1, 0);
}

static int dot_table(struct faces_walk *k, const struct faces_table *t)
{
	struct dot *d = k->state;

	d->from = column(t, "_from");
	d->to = column(t, "_to");
	return t->kind != FACES_ROWS || !d->from || !d->to;
}

static int dot_row(struct faces_walk *k, const struct faces_row *row)
{
	const struct branch_counts *b = view_branch_counts(k->f->t, row->row);
	double share = view_percent(k->f->v, row->row);
	const struct dot *d = k->state;
	uint64_t nr = row->row->nr;

	obuf_lit(k->out, "\t");
	put_quoted(k, row, d->from);
	obuf_lit(k->out, " -> ");
	put_quoted(k, row, d->to);
	obuf_printf(k->out, " [label=\"%.2f%%\\n%llu", share, (unsigned long long)nr);
	if (b->nr_mispred)
		obuf_printf(k->out, "\\n%.1f%% missed",
			    100.0 * b->nr_mispred / (double)(nr - b->nr_unflagged));
	if (b->nr_cycles)
		obuf_printf(k->out, "\\n%.1f cycles", (double)b->cycles / b->nr_cycles);
	obuf_printf(k->out, "\", penwidth=%.1f];\n", 1 + share / 5);
	return d->text.code ?: 1;
}

static int dot_end(struct faces_walk *k)
{
	obuf_lit(k->out, "}\n");
	return 0;
}

static void dot_release(struct faces_walk *k)
{
	obuf_free(&((struct dot *)k->state)->text);
}

const struct faces_writer faces_dot = {
	.name = "a graph",
	.reader = FACES_PROGRAMS,
	.state_size = sizeof(struct dot),
	.begin = dot_begin,
	.table = dot_table,
	.row = dot_row,
	.end = dot_end,
	.release = dot_release,
};
