// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of reading: sums over the trie. Children have higher numbers than their parents, so one pass back adds
 * everything up. Rows of callers are made in chain-callers.c.
 */
#include "table-int.h"

static void link_children(struct chains *c)
{
	for (uint32_t i = (uint32_t)c->nodes.n; i-- > 0;) {
		uint32_t parent = c->nodes.v[i].parent;
		uint32_t *head =
			parent & NODE_ROOT ? &c->root[parent & ~NODE_ROOT] : &c->end[parent].child;

		c->end[i].next = *head;
		*head = i;
	}
}

/* Children have higher numbers than their parents: one pass back sums, one pass on measures. */
static void sum_nodes(struct chains *c)
{
	vec_for_each (l, &c->leafs) {
		c->end[l->node].total += l->period;
		c->end[l->node].count += l->count;
	}
	for (uint32_t i = (uint32_t)c->nodes.n; i-- > 0;) {
		struct node_end *n = &c->end[i], *up;

		if (c->nodes.v[i].parent & NODE_ROOT)
			continue;
		up = &c->end[c->nodes.v[i].parent];
		up->total += n->total;
		up->count += n->count;
		if (up->height <= n->height)
			up->height = (uint16_t)min_u64(n->height + 1u, UINT16_MAX);
	}
	for (uint32_t i = 0; i < c->nodes.n; i++) {
		uint32_t parent = c->nodes.v[i].parent;
		unsigned d = parent & NODE_ROOT ? 0 : c->end[parent].depth;

		c->end[i].depth = (uint16_t)min_u64(d + 1, UINT16_MAX);
	}
}

int table_chain_finish(struct table *t)
{
	struct chains *c = &t->ch;
	size_t n = c->nodes.n;
	int ret = 0;

	htab_free(&c->node_tab);
	c->end = calloc(n + 1, sizeof(*c->end));
	c->root = malloc(((size_t)t->groups.n + 1) * sizeof(*c->root));
	if (!c->end || !c->root)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		c->end[i].child = c->end[i].next = ID_NONE;
	memset(c->root, 0xff, ((size_t)t->groups.n + 1) * sizeof(*c->root));
	link_children(c);
	sum_nodes(c);
	vec_for_each (l, &c->leafs) {
		struct keys_row *row = &t->rows.v[l->row];

		table_row_count(row, l->period, l->count);
		table_deepen(row->depth, false, c->end[l->node].depth);
		table_deepen(row->depth, true, c->end[l->node].depth);
	}
	ret = table_sums_chains(&t->sums, c, t->keys.o.children && !t->keys.o.branch);
	if (!ret && t->keys.o.children)
		ret = table_chain_callers(t);
	vec_for_each (node, &c->nodes)
		node->frame = table_step_frame(t, node->step);
	vec_free(&t->steps);
	return ret;
}
