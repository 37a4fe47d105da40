// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of reading: sums over the trie, rows of callers. Children have higher numbers than their
 * parents, so one pass back adds everything up. A function that is in a chain twice is one row and
 * counts once.
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

/* ---- callers' rows --------------------------------------------------------------------------- */

/* What the walk knows about a place. */
struct seen {
	uint32_t node; /* innermost node of this place on the way here; ID_NONE = none */
	uint32_t row;  /* its row, if that is of the group at hand */
};

struct walk {
	struct table *t;
	uint32_t group;
	uint32_t *place; /* by node */
	struct seen *seen;
};

/* Places of all nodes, looked up side by side: within the walk each would be waited for. */
static void find_places(struct walk *w)
{
	const struct chains *c = &w->t->ch;

	for (size_t i = 0; i < c->nodes.n; i++)
		w->place[i] = table_step_place(w->t, c->nodes.v[i].step);
}

static struct keys_row *row_at(struct walk *w, uint32_t place)
{
	struct table *t = w->t;
	struct keys_row new = { .group = w->group, .place = place, .thread = ID_NONE };
	uint32_t have = w->seen[place].row;

	if (have < t->rows.n && t->rows.v[have].group == w->group)
		return &t->rows.v[have];
	new.idx = w->seen[place].row = (uint32_t)t->rows.n;
	return vec_push(&t->rows, new) ? NULL : &t->rows.v[new.idx];
}

static void uncount_leaf(struct table *t, uint32_t leaf)
{
	const struct leaf *l = &t->ch.leafs.v[leaf];

	t->rows.v[l->row].acc -= l->period;
	table_sums_unpass(&t->sums, l->row, &t->sums, leaf);
}

/* A sample counts once per row, however often its chain passes: the rows' own are in acc by now. */
static void uncount_own(struct walk *w, uint32_t leaf)
{
	const struct chains *c = &w->t->ch;

	for (; leaf != ID_NONE; leaf = c->leafs.v[leaf].next)
		if (w->seen[c->leafs.v[leaf].place].node != ID_NONE)
			uncount_leaf(w->t, leaf);
}

static void deepen(struct keys_row *row, bool caller, uint32_t depth)
{
	if (row->depth[caller] < depth)
		row->depth[caller] = (uint16_t)min_u64(depth, UINT16_MAX);
}

static int enter(struct walk *w, uint32_t i)
{
	struct chains *c = &w->t->ch;
	const struct node_end *end = &c->end[i];
	struct node *n = &c->nodes.v[i];
	struct seen *seen = &w->seen[w->place[i]];
	struct keys_row *row = row_at(w, w->place[i]);
	uint32_t up = seen->node;

	if (!row)
		return -ENOMEM;
	/* The row's thread is the first that made it, on its own or as a caller. */
	if (i < row->first_node || row->thread == ID_NONE) {
		row->thread = n->thread;
		row->first_node = i;
	}
	seen->node = i;
	uncount_own(w, n->leaf);
	n->row = row->idx;
	n->up = up;
	/* A recursive function's chain begins where it is met first: inside or outside. */
	deepen(row, false, end->depth);
	if (up != ID_NONE)
		return 0;
	row->acc += end->total;
	deepen(row, true, end->height + 1u);
	return table_sums_pass(&w->t->sums, row->idx, &w->t->sums, i);
}

static void ask_for(const struct walk *w, uint32_t node)
{
	const struct chains *c = &w->t->ch;

	if (node >= c->nodes.n)
		return;
	__builtin_prefetch(&c->end[node]);
	__builtin_prefetch(&c->nodes.v[node], 1);
	__builtin_prefetch(&w->seen[w->place[node]], 1);
}

static int walk_group(struct walk *w, uint32_t i)
{
	struct chains *c = &w->t->ch;

	if (i == ID_NONE)
		return 0;
	for (;;) {
		ask_for(w, c->end[i].next);
		ask_for(w, c->end[i].child);
		if (enter(w, i))
			return -ENOMEM;
		if (c->end[i].child != ID_NONE) {
			i = c->end[i].child;
			continue;
		}
		for (;;) {
			w->seen[w->place[i]].node = c->nodes.v[i].up;
			if (c->end[i].next != ID_NONE)
				break;
			i = c->nodes.v[i].parent;
			if (i & NODE_ROOT)
				return 0;
		}
		i = c->end[i].next;
	}
}

/* Rows that samples have made, as lists by group: row @first[group] and those behind @next. */
static void list_rows(const struct table *t, uint32_t *first, uint32_t *next)
{
	memset(first, 0xff, t->groups.n * sizeof(*first));
	for (uint32_t i = 0; i < t->rows.n; i++) {
		next[i] = first[t->rows.v[i].group];
		first[t->rows.v[i].group] = i;
	}
}

static int add_callers(struct table *t)
{
	uint32_t *first = malloc(((size_t)t->groups.n + 1) * sizeof(*first));
	uint32_t *next = malloc((t->rows.n + 1) * sizeof(*next));
	size_t bytes = ((size_t)t->places.n + 1) * sizeof(struct seen);
	struct walk w = {
		.t = t,
		.place = malloc((t->ch.nodes.n + 1) * sizeof(*w.place)),
		.seen = malloc(bytes),
	};
	int ret = first && next && w.place && w.seen ? 0 : -ENOMEM;

	if (ret)
		goto out;
	memset(w.seen, 0xff, bytes);
	find_places(&w);
	list_rows(t, first, next);
	for (w.group = 0; !ret && w.group < t->groups.n; w.group++) {
		for (uint32_t i = first[w.group]; i != ID_NONE; i = next[i])
			w.seen[t->rows.v[i].place].row = i;
		ret = walk_group(&w, t->ch.root[w.group]);
	}
out:
	free(first);
	free(next);
	free(w.place);
	free(w.seen);
	return ret;
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
		deepen(row, false, c->end[l->node].depth);
		deepen(row, true, c->end[l->node].depth);
	}
	ret = table_sums_chains(&t->sums, c, t->keys.o.children && !t->keys.o.branch);
	if (!ret && t->keys.o.children)
		ret = add_callers(t);
	vec_for_each (node, &c->nodes)
		node->frame = table_step_frame(t, node->step);
	vec_free(&t->steps);
	return ret;
}
