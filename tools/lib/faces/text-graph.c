// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call graphs in letters: graph, fractal, flat, folded.
 *
 * The walk brings the nodes one by one, parents first. What a node's line needs to know of those
 * above it is kept by depth: whether a line goes down there, what shares are shares of and, for
 * fractal, how much of that the nodes so far have left over.
 *
 * When a graph has one root and that holds all of the row's weight, the root is the trunk: its
 * frames stand without a number, and its children are the first level of the graph.
 */
#include "faces/faces-int.h"

#define MARGIN 12 /* blanks left of every graph */

static void put_percent(struct faces_walk *k, double percent)
{
	const char *color = text_color(k->f, percent);

	obuf_printf(k->out, "%s%.2f%%%s", color ?: "", percent, color ? "\033[m" : "");
}

static void put_value(struct faces_walk *k, uint64_t cumul, uint32_t count, uint64_t total)
{
	switch (k->f->po->chain.value) {
	case CHAIN_PERIOD: obuf_dec(k->out, cumul); break;
	case CHAIN_COUNT: obuf_dec(k->out, count); break;
	case CHAIN_PERCENT: put_percent(k, faces_percent(cumul, total)); break;
	}
}

static struct text_pen *pen_of(const struct faces_walk *k)
{
	return &((struct text *)k->state)->pen;
}

static void put_margin(struct faces_walk *k)
{
	obuf_pad(k->out, ' ', MARGIN + pen_of(k)->margin);
}

static void put_name(struct faces_walk *k, const struct call_node *n, uint32_t i)
{
	view_frame(k->f->v, n->frames[i], k->out);
	if (n->notes)
		keys_note_print(&n->notes[i], k->out);
}

/* The line between entries: bars only. */
static void put_bars(struct faces_walk *k, unsigned depth)
{
	put_margin(k);
	for (unsigned i = 0; i < depth; i++)
		obuf_str(k->out, pen_of(k)->bar[i] ? "|          " : "           ");
	obuf_char(k->out, '\n');
}

/* A frame's line; the first frame of a node has the node's value in front. */
static void put_frame(struct faces_walk *k, unsigned depth, const struct call_node *n, uint32_t i)
{
	put_margin(k);
	for (unsigned d = 0; d < depth; d++) {
		obuf_char(k->out, pen_of(k)->bar[d] ? '|' : ' ');
		if (i || d != depth - 1) {
			obuf_lit(k->out, "          ");
			continue;
		}
		obuf_lit(k->out, "--");
		put_value(k, n->cumul, n->cumul_count, pen_of(k)->total[depth]);
		obuf_lit(k->out, "--");
	}
	if (n->frames)
		put_name(k, n, i);
	else
		obuf_lit(k->out, "[...]");
	obuf_char(k->out, '\n');
}

/* Children at @depth follow, and are shares of @total. */
static void begin_level(struct text_pen *p, unsigned depth, uint64_t total)
{
	if (depth < TEXT_MAX_DEPTH)
		p->total[depth] = p->left[depth] = total;
}

/* fractal: what the children at @depth leave of their parent. */
static void end_level(struct faces_walk *k, unsigned depth)
{
	struct text_pen *p = pen_of(k);
	struct call_node rest = { 0 };

	if (depth >= TEXT_MAX_DEPTH || !p->fractal || !p->left[depth] ||
	    p->left[depth] == p->total[depth])
		return;
	rest.cumul = p->left[depth];
	p->bar[depth - 1] = false;
	put_frame(k, depth, &rest, 0);
}

/* A root with one way that holds all of the row's weight needs no percentage. */
static void put_trunk(struct faces_walk *k, const struct call_node *n)
{
	const char *sort = k->f->po->sort;
	bool skip = !k->f->po->fields && sort && !strncmp(sort, "sym", 3);
	uint32_t printed = 0;

	for (uint32_t i = 0; i < n->nr_frames; i++) {
		if (!i && skip)
			continue; /* the row says it */
		put_margin(k);
		if (!printed) {
			obuf_lit(k->out, "|\n");
			put_margin(k);
			obuf_lit(k->out, "---");
			pen_of(k)->margin += 3;
		}
		put_name(k, n, i);
		obuf_char(k->out, '\n');
		if (++printed == k->f->po->chain.print_limit)
			break;
	}
}

/* ---- styles ----------------------------------------------------------------------------------- */

static void graph_node(struct faces_walk *k, const struct faces_node *n, unsigned depth)
{
	const struct call_node *c = n->node;
	struct text_pen *p = pen_of(k);

	p->left[depth] -= c->cumul;
	put_bars(k, depth);
	/* The last one ends the line, unless a rest follows below. */
	if (n->last && (!p->fractal || !p->left[depth]))
		p->bar[depth - 1] = false;
	for (uint32_t i = 0; i < c->nr_frames; i++)
		put_frame(k, depth, c, i);
	p->bar[depth] = true;
	begin_level(p, depth + 1, p->fractal ? c->cumul - c->hit : p->total[depth]);
}

static void flat_node(struct faces_walk *k, const struct call_node *n, uint64_t total)
{
	obuf_lit(k->out, "           ");
	put_value(k, n->cumul, n->cumul_count, total);
	obuf_char(k->out, '\n');
	for (uint32_t i = 0; i < n->nr_frames; i++) {
		obuf_lit(k->out, "                ");
		put_name(k, n, i);
		obuf_char(k->out, '\n');
	}
	obuf_char(k->out, '\n');
}

static void folded_node(struct faces_walk *k, const struct call_node *n, uint64_t total)
{
	char sep = k->f->po->separator ? k->f->po->separator : ';';

	put_value(k, n->hit, n->count, total);
	obuf_char(k->out, ' ');
	for (uint32_t i = 0; i < n->nr_frames; i++) {
		if (i)
			obuf_char(k->out, sep);
		put_name(k, n, i);
	}
	obuf_char(k->out, '\n');
}

static bool is_graph(const struct faces_walk *k)
{
	enum chain_style style = k->f->po->chain.style;

	return style == CHAIN_GRAPH || style == CHAIN_FRACTAL;
}

/* ---- as the walk calls ------------------------------------------------------------------------- */

int text_tree(struct faces_walk *k, const struct faces_row *row, const struct call_node *root)
{
	uint64_t row_total = k->f->po->children ? row->row->acc : row->row->period;
	struct text_pen *p = pen_of(k);

	p->fractal = k->f->po->chain.style == CHAIN_FRACTAL;
	p->trunk = root->nr_children == 1 && root->child[0].cumul == row_total;
	p->margin = 0;
	p->start = obuf_printed(k->out);
	if (is_graph(k) && p->trunk)
		put_trunk(k, &root->child[0]);
	p->bar[0] = true;
	begin_level(p, 1, p->fractal ? row_total : row->table->total);
	return 0;
}

int text_node(struct faces_walk *k, const struct faces_node *n)
{
	unsigned depth = n->depth - pen_of(k)->trunk;

	switch (k->f->po->chain.style) {
	case CHAIN_NONE: break;
	case CHAIN_GRAPH:
	case CHAIN_FRACTAL:
		if (depth >= TEXT_MAX_DEPTH)
			return 1;
		if (depth)
			graph_node(k, n, depth);
		break;
	case CHAIN_FLAT: flat_node(k, n->node, n->row->table->total); break;
	case CHAIN_FOLDED: folded_node(k, n->node, n->row->table->total); break;
	}
	return 0;
}

int text_node_end(struct faces_walk *k, const struct faces_node *n)
{
	unsigned depth = n->depth - pen_of(k)->trunk;

	if (!is_graph(k) || !depth)
		return 0;
	end_level(k, depth + 1);
	pen_of(k)->bar[depth] = false;
	return 0;
}

int text_tree_end(struct faces_walk *k, const struct faces_row *row)
{
	(void)row;
	if (!is_graph(k))
		return 0;
	end_level(k, 1);
	/* One blank line behind a graph, none where there is none. */
	if (obuf_printed(k->out) != pen_of(k)->start)
		obuf_char(k->out, '\n');
	return 0;
}
