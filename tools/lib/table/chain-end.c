// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of reading: sums over the trie. Children have higher numbers than their parents, so one pass back adds
 * everything up. Rows of callers are made in chain-callers.c.
 *
 * What hangs below one outermost node is added up by itself: each thread takes the next outermost nodes, a stretch of
 * numbers, with all that is below them. Sums of rows are made by the stretches of the rows' numbers. Numbers are added, so that it
 * does not matter who is first.
 */
#include "base/side.h"
#include "merge-int.h"

struct ends {
	struct table *t;
	uint8_t *part; /* by node: whose outermost node is above it */
	unsigned threads;
	size_t parts;
};

#define PARTS_MAX 64 /* a byte tells them apart */

/* The first number of part @part of @n. */
static size_t first_of(const struct ends *e, size_t n, size_t part)
{
	return n / e->parts * part + min_u64(part, n % e->parts);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void clear_some(void *ends, size_t piece)
{
	struct ends *e = ends;
	struct chains *c = &e->t->ch;
	size_t end = min_u64(c->nodes.n, (piece + 1) * NODES_AT_ONCE);

	for (size_t i = piece * NODES_AT_ONCE; i < end; i++)
		c->end[i] = (struct node_end){ .child = ID_NONE, .next = ID_NONE };
}

/* Outermost nodes follow each other in their group, and tell which part the others are of. */
static int share_nodes(struct ends *e)
{
	struct chains *c = &e->t->ch;
	uint32_t *last = table_new_map(e->t->groups.n);
	size_t part = 0;

	if (!last)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nodes.n; i++) {
		uint32_t up = c->nodes.v[i].parent, group = up & ~NODE_ROOT;

		part += part + 1 < e->parts && i == first_of(e, c->nodes.n, part + 1);
		if (!(up & NODE_ROOT)) {
			e->part[i] = e->part[up];
			continue;
		}
		e->part[i] = (uint8_t)part;
		*(last[group] == ID_NONE ? &c->root[group] : &c->end[last[group]].next) = i;
		last[group] = i;
	}
	free(last);
	return 0;
}

/* What ends at a node itself; all that is below it has been added by now. */
static void sum_leafs(struct chains *c, uint32_t node)
{
	struct node_end *n = &c->end[node];

	for (uint32_t i = c->nodes.v[node].leaf; i != ID_NONE; i = c->leafs.v[i].next) {
		n->total += c->leafs.v[i].period;
		n->count += c->leafs.v[i].count;
	}
}

static void add_to_parent(struct chains *c, uint32_t node)
{
	struct node_end *n = &c->end[node], *up;

	if (c->nodes.v[node].parent & NODE_ROOT)
		return;
	up = &c->end[c->nodes.v[node].parent];
	n->next = up->child;
	up->child = node;
	up->total += n->total;
	up->count += n->count;
	if (up->height <= n->height)
		up->height = (uint16_t)min_u64(n->height + 1u, UINT16_MAX);
}

/* One pass back sums, one pass on measures. */
static void sum_part(void *ends, size_t part)
{
	struct ends *e = ends;
	struct chains *c = &e->t->ch;
	uint32_t first = (uint32_t)first_of(e, c->nodes.n, part);

	for (uint32_t i = (uint32_t)c->nodes.n; i-- > first;) {
		if (e->part[i] != part)
			continue;
		sum_leafs(c, i);
		add_to_parent(c, i);
	}
	for (uint32_t i = first; i < c->nodes.n; i++) {
		uint32_t up = c->nodes.v[i].parent;

		if (e->part[i] == part)
			c->end[i].depth = (uint16_t)min_u64(
				(up & NODE_ROOT ? 0 : c->end[up].depth) + 1u, UINT16_MAX);
	}
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Who comes by a row twice is the one that has it, so each looks at all leafs. */
static void sum_rows(void *ends, size_t part)
{
	struct ends *e = ends;
	struct chains *c = &e->t->ch;
	size_t first = first_of(e, e->t->rows.n, part), next = first_of(e, e->t->rows.n, part + 1);

	vec_for_each (l, &c->leafs) {
		struct keys_row *row = &e->t->rows.v[l->row];

		if (l->row < first || l->row >= next)
			continue;
		table_row_count(row, l->period, l->count);
		table_deepen(row->depth, false, c->end[l->node].depth);
		table_deepen(row->depth, true, c->end[l->node].depth);
	}
}

/* ---- all ------------------------------------------------------------------------------------- */

static void name_frames(void *ends, size_t piece)
{
	struct ends *e = ends;
	struct chains *c = &e->t->ch;
	size_t end = min_u64(c->nodes.n, (piece + 1) * NODES_AT_ONCE);

	for (size_t i = piece * NODES_AT_ONCE; i < end; i++)
		c->nodes.v[i].frame = table_step_frame(e->t, c->nodes.v[i].step);
}

static int sum_all(struct ends *e)
{
	int ret;

	side_by_side(e->threads, table_node_pieces(e->t), clear_some, e);
	/* Parts are more than threads, as some are larger than others. */
	e->parts = e->threads > 1 ? min_u64(4 * e->threads, PARTS_MAX) : 1;
	ret = share_nodes(e);
	if (ret)
		return ret;
	side_by_side(e->threads, e->parts, sum_part, e);
	e->parts = e->threads;
	side_by_side(e->threads, e->parts, sum_rows, e);
	return 0;
}

static int make_room(struct ends *e)
{
	struct chains *c = &e->t->ch;
	size_t n = c->nodes.n;

	c->end = malloc((n + 1) * sizeof(*c->end));
	c->root = table_new_map(e->t->groups.n);
	e->part = malloc(n + 1);
	if (!c->end || !c->root || !e->part)
		return -ENOMEM;
	mem_large(c->end, (n + 1) * sizeof(*c->end));
	return 0;
}

/* Smaller tries are not worth a thread. */
#define SIDE_NODES 20000

unsigned table_side_threads(const struct table *t)
{
	if (t->ch.nodes.n < SIDE_NODES)
		return 1;
	return (unsigned)min_u64(max_u64(t->keys.o.jobs, 1), SIDE_MAX);
}

int table_chain_finish(struct table *t)
{
	struct ends e = { .t = t, .threads = table_side_threads(t) };
	int ret;

	htab_free(&t->ch.node_tab);
	ret = make_room(&e);
	ret = ret ?: sum_all(&e);
	free(e.part);
	ret = ret ?: table_sums_chains(&t->sums, &t->ch, t->keys.o.children && !t->keys.o.branch);
	if (!ret && t->keys.o.children)
		ret = table_chain_callers(t);
	if (!ret)
		side_by_side(e.threads, table_node_pieces(t), name_frames, &e);
	vec_free(&t->steps);
	return ret;
}
