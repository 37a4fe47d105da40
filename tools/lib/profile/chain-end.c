// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of reading: sums over the trie, rows of callers, lists of nodes and leafs by row. */
#include "profile-int.h"

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

/* ---- callers' rows --------------------------------------------------------------------------- */

struct walk {
	struct profile *p;
	uint32_t group;
	uint32_t *on_path; /* by place: innermost node of this place on the way here */
};

static int enter(struct walk *w, uint32_t i)
{
	struct chains *c = &w->p->ch;
	struct node_end *n = &c->end[i];
	uint32_t place = prof_step_place(w->p, c->nodes.v[i].step);
	struct profile_row *row = prof_row_of(w->p, w->group, place, 0, 0);

	if (!row)
		return -ENOMEM;
	n->row = row->idx;
	n->up = w->on_path[place];
	/* The row's thread is the first that made it, on its own or as a caller. */
	if (i < row->first_node || row->thread == ID_NONE) {
		row->thread = c->nodes.v[i].thread;
		row->first_node = i;
	}
	w->on_path[place] = i;
	/* A recursive function's chain begins where it is met first: inside or outside. */
	if (!w->p->o.chain.caller && row->depth < n->depth)
		row->depth = n->depth;
	if (n->up != ID_NONE)
		return 0;
	row->acc += n->total;
	if (w->p->o.chain.caller && row->depth < n->height + 1u)
		row->depth = n->height + 1u;
	return 0;
}

static int walk_group(struct walk *w, uint32_t i)
{
	struct chains *c = &w->p->ch;

	if (i == ID_NONE)
		return 0;
	for (;;) {
		int ret = enter(w, i);

		if (ret)
			return ret;
		if (c->end[i].child != ID_NONE) {
			i = c->end[i].child;
			continue;
		}
		for (;;) {
			w->on_path[prof_step_place(w->p, c->nodes.v[i].step)] = c->end[i].up;
			if (c->end[i].next != ID_NONE)
				break;
			i = c->nodes.v[i].parent;
			if (i & NODE_ROOT)
				return 0;
		}
		i = c->end[i].next;
	}
}

static bool on_chain(const struct profile *p, uint32_t node, uint32_t place)
{
	for (; !(node & NODE_ROOT); node = p->ch.nodes.v[node].parent)
		if (prof_step_place(p, p->ch.nodes.v[node].step) == place)
			return true;
	return false;
}

/* A sample counts once per row, however often its chain passes: the rows' own are in acc by now. */
static void uncount_own(struct profile *p)
{
	vec_for_each (l, &p->ch.leafs) {
		struct profile_row *row = &p->rows.v[l->row];

		if (on_chain(p, l->node, row->place))
			row->acc -= l->period;
	}
}

static int add_callers(struct profile *p)
{
	struct walk w = { .p = p };
	int ret = 0;

	w.on_path = malloc(((size_t)p->places.n + 1) * sizeof(*w.on_path));
	if (!w.on_path)
		return -ENOMEM;
	memset(w.on_path, 0xff, ((size_t)p->places.n + 1) * sizeof(*w.on_path));
	for (w.group = 0; !ret && w.group < p->groups.n; w.group++)
		ret = walk_group(&w, p->ch.root[w.group]);
	free(w.on_path);
	if (!ret)
		uncount_own(p);
	return ret;
}

/* ---- lists by row ---------------------------------------------------------------------------- */

/* Turns counts in at[row] into begins; fill through a running copy in at[row + 1]. */
static int list_begin(uint32_t **at, uint32_t **list, size_t nr_rows, size_t nr)
{
	*at = calloc(nr_rows + 2, sizeof(**at));
	*list = malloc((nr + 1) * sizeof(**list));
	return *at && *list ? 0 : -ENOMEM;
}

static void list_sum(uint32_t *at, size_t nr_rows)
{
	/* Counts were put at [row + 2]; after filling, [row] is the begin and [row + 1] the end. */
	for (size_t i = 2; i < nr_rows + 2; i++)
		at[i] += at[i - 1];
}

static int list_nodes(struct profile *p)
{
	struct chains *c = &p->ch;

	if (list_begin(&c->row_node_at, &c->row_nodes, p->rows.n, c->nodes.n))
		return -ENOMEM;
	for (size_t i = 0; i < c->nodes.n; i++)
		if (c->end[i].row + 2 < p->rows.n + 2)
			c->row_node_at[c->end[i].row + 2]++;
	list_sum(c->row_node_at, p->rows.n);
	for (uint32_t i = 0; i < c->nodes.n; i++)
		c->row_nodes[c->row_node_at[c->end[i].row + 1]++] = i;
	return 0;
}

static int list_leafs(struct profile *p)
{
	struct chains *c = &p->ch;

	if (list_begin(&c->row_leaf_at, &c->row_leafs, p->rows.n, c->leafs.n))
		return -ENOMEM;
	vec_for_each (l, &c->leafs)
		if (l->row + 2 < p->rows.n + 2)
			c->row_leaf_at[l->row + 2]++;
	list_sum(c->row_leaf_at, p->rows.n);
	for (uint32_t i = 0; i < c->leafs.n; i++)
		c->row_leafs[c->row_leaf_at[c->leafs.v[i].row + 1]++] = i;
	return 0;
}

int prof_chain_finish(struct profile *p)
{
	struct chains *c = &p->ch;
	size_t n = c->nodes.n;
	int ret = 0;

	htab_free(&c->node_tab);
	c->end = calloc(n + 1, sizeof(*c->end));
	c->root = malloc(((size_t)p->groups.n + 1) * sizeof(*c->root));
	if (!c->end || !c->root)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		c->end[i].child = c->end[i].next = c->end[i].up = ID_NONE;
	memset(c->root, 0xff, ((size_t)p->groups.n + 1) * sizeof(*c->root));
	link_children(c);
	sum_nodes(c);
	vec_for_each (l, &c->leafs) {
		struct profile_row *row = &p->rows.v[l->row];

		prof_row_count(row, l->period, l->count);
		if (row->depth < c->end[l->node].depth)
			row->depth = c->end[l->node].depth;
	}
	if (p->o.children)
		ret = add_callers(p);
	if (!ret && p->o.children)
		ret = list_nodes(p);
	c->nr_rows = (uint32_t)p->rows.n;
	return ret ? ret : list_leafs(p);
}
