// SPDX-License-Identifier: GPL-2.0-or-later
/* Call graphs in letters: graph, fractal, flat, folded. */
#include "faces/faces-int.h"

#define MARGIN 12 /* blanks left of every graph */

struct pen {
	const struct faces *f;
	struct obuf *o;
	bool bar[1024]; /* by depth: a line goes down here */
	int margin;
	bool fractal;
};

static void put_percent(const struct faces *f, struct obuf *o, double percent)
{
	const char *color = faces_color(f, percent);

	obuf_printf(o, "%s%.2f%%%s", color ?: "", percent, color ? "\033[m" : "");
}

static void put_value(const struct faces *f, struct obuf *o, uint64_t cumul, uint32_t count,
		      uint64_t total)
{
	switch (f->po->chain.value) {
	case CHAIN_PERIOD: obuf_dec(o, cumul); break;
	case CHAIN_COUNT: obuf_dec(o, count); break;
	case CHAIN_PERCENT:
		put_percent(f, o, total ? (double)cumul * 100.0 / (double)total : 0);
		break;
	}
}

static void put_margin(struct pen *p)
{
	obuf_pad(p->o, ' ', MARGIN + p->margin);
}

static void put_name(const struct faces *f, const struct call_node *n, uint32_t i)
{
	profile_frame(f->p, n->frames[i], f->out);
	if (n->notes)
		branch_note_print(&n->notes[i], f->out);
}

/* The line between entries: bars only. */
static void put_bars(struct pen *p, unsigned depth)
{
	put_margin(p);
	for (unsigned i = 0; i < depth; i++) {
		if (p->bar[i])
			obuf_lit(p->o, "|          ");
		else
			obuf_lit(p->o, "           ");
	}
	obuf_char(p->o, '\n');
}

/* A frame's line; the first frame of a node has the node's value in front. */
static void put_frame(struct pen *p, unsigned depth, const struct call_node *n, uint32_t i,
		      uint64_t total)
{
	put_margin(p);
	for (unsigned d = 0; d < depth; d++) {
		obuf_char(p->o, p->bar[d] ? '|' : ' ');
		if (i || d != depth - 1) {
			obuf_lit(p->o, "          ");
			continue;
		}
		obuf_lit(p->o, "--");
		put_value(p->f, p->o, n->cumul, n->cumul_count, total);
		obuf_lit(p->o, "--");
	}
	if (n->frames)
		put_name(p->f, n, i);
	else
		obuf_lit(p->o, "[...]");
	obuf_char(p->o, '\n');
}

/* Entries are counted anew on every level. */
static bool limit_reached(const struct faces *f, uint32_t printed)
{
	return printed == f->po->chain.print_limit;
}

static void put_children(struct pen *p, const struct call_node *node, uint64_t total,
			 unsigned depth)
{
	uint64_t left = total;

	if (depth >= ARRAY_SIZE(p->bar))
		return;
	for (uint32_t i = 0; i < node->nr_children; i++) {
		const struct call_node *c = &node->child[i];

		left -= c->cumul;
		put_bars(p, depth);
		/* The last one ends the line, unless a rest follows below. */
		if (i + 1 == node->nr_children && (!p->fractal || !left))
			p->bar[depth - 1] = false;
		for (uint32_t f = 0; f < c->nr_frames; f++)
			put_frame(p, depth, c, f, total);
		p->bar[depth] = true;
		put_children(p, c, p->fractal ? c->cumul - c->hit : total, depth + 1);
		p->bar[depth] = false;
		if (limit_reached(p->f, i + 1))
			break;
	}
	if (p->fractal && left && left != total) {
		struct call_node rest = { .cumul = left };

		p->bar[depth - 1] = false;
		put_frame(p, depth, &rest, 0, total);
	}
}

/* A root with one way that holds all of the row's weight needs no percentage. */
static const struct call_node *put_trunk(struct pen *p, const struct call_node *root)
{
	const struct call_node *n = &root->child[0];
	const char *sort = p->f->po->sort;
	bool skip = !p->f->po->fields && sort && !strncmp(sort, "sym", 3);
	uint32_t printed = 0;

	for (uint32_t i = 0; i < n->nr_frames; i++) {
		if (!i && skip)
			continue; /* the row says it */
		put_margin(p);
		if (!printed) {
			obuf_lit(p->o, "|\n");
			put_margin(p);
			obuf_lit(p->o, "---");
			p->margin += 3;
		}
		put_name(p->f, n, i);
		obuf_char(p->o, '\n');
		if (limit_reached(p->f, ++printed))
			break;
	}
	return n;
}

static void put_graph(const struct faces *f, const struct call_node *root, uint64_t row_total,
		      uint64_t total)
{
	struct pen p = { .f = f, .o = f->out, .fractal = f->po->chain.style == CHAIN_FRACTAL };
	uint64_t before = f->out->total + f->out->len;

	if (root->nr_children == 1 && root->child[0].cumul == row_total)
		root = put_trunk(&p, root);
	p.bar[0] = true;
	put_children(&p, root, p.fractal ? row_total : total, 1);
	/* One blank line behind a graph, none where there is none. */
	if (f->out->total + f->out->len != before)
		obuf_char(f->out, '\n');
}

static void put_flat(const struct faces *f, const struct call_node *root, uint64_t total)
{
	for (uint32_t i = 0; i < root->nr_children; i++) {
		const struct call_node *n = &root->child[i];

		obuf_lit(f->out, "           ");
		put_value(f, f->out, n->cumul, n->cumul_count, total);
		obuf_char(f->out, '\n');
		for (uint32_t i2 = 0; i2 < n->nr_frames; i2++) {
			obuf_lit(f->out, "                ");
			put_name(f, n, i2);
			obuf_char(f->out, '\n');
		}
		obuf_char(f->out, '\n');
		if (limit_reached(f, i + 1))
			break;
	}
}

static void put_folded(const struct faces *f, const struct call_node *root, uint64_t total)
{
	char sep = f->po->separator ? f->po->separator : ';';

	for (uint32_t i = 0; i < root->nr_children; i++) {
		const struct call_node *n = &root->child[i];

		put_value(f, f->out, n->hit, n->count, total);
		obuf_char(f->out, ' ');
		for (uint32_t i2 = 0; i2 < n->nr_frames; i2++) {
			if (i2)
				obuf_char(f->out, sep);
			put_name(f, n, i2);
		}
		obuf_char(f->out, '\n');
		if (limit_reached(f, i + 1))
			break;
	}
}

int faces_graph(const struct faces *f, const struct profile_row *row)
{
	const struct profile_totals *t = profile_totals(f->p, profile_row_event(f->p, row));
	uint64_t total = t->period;
	struct call_node root;
	int ret = profile_tree(f->p, row, &root);

	if (ret)
		return ret;
	switch (f->po->chain.style) {
	case CHAIN_NONE: break;
	case CHAIN_GRAPH:
	case CHAIN_FRACTAL:
		put_graph(f, &root, f->po->children ? row->acc : row->period, total);
		break;
	case CHAIN_FLAT: put_flat(f, &root, total); break;
	case CHAIN_FOLDED: put_folded(f, &root, total); break;
	}
	return 0;
}
