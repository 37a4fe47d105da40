// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which nodes and leafs of the trie belong to which row. Most rows are too light for a tree of
 * their own: only of the others nodes and leafs are kept, and only once a tree is asked for.
 */
#include "view-int.h"

uint64_t view_tree_min(const struct view *v, const struct keys_row *row)
{
	uint64_t whole = view_whole(v, table_row_event(v->t, row));

	return (uint64_t)((double)whole * (v->o.chain.min_percent / 100.0));
}

bool view_has_tree(const struct view *v, const struct keys_row *row)
{
	if (!v->o.use_chains || v->o.chain.style == CHAIN_NONE)
		return false;
	return v->o.chain.style == CHAIN_FRACTAL ||
	       max_u64(v->o.children ? row->acc : 0, row->period) >= view_tree_min(v, row);
}

/*
 * The number of the row's tree; ID_NONE: it has none. Most rows have none, and a bit for each of them lies in the caches where a number
 * would not.
 */
static inline uint32_t tree_of(const struct view_trees *trees, uint32_t row)
{
	if (!bits_test(&trees->heavy, row))
		return ID_NONE;
	return trees->before[row / 64] +
	       (uint32_t)weight_u64(trees->heavy.w[row / 64] & (BIT(row % 64) - 1));
}

/* Turns counts in at[i + 2] into begins; after filling through at[i + 1], at[i] is the begin. */
static int list_begin(struct chain_list *l, size_t nr)
{
	for (size_t i = 2; i < nr + 2; i++)
		l->at[i] += l->at[i - 1];
	l->v = malloc((l->at[nr + 1] + 1ULL) * sizeof(*l->v));
	return l->v ? 0 : -ENOMEM;
}

static int list_nodes(struct view *v, size_t nr)
{
	const struct chains *c = &v->t->ch;
	struct chain_list *l = &v->trees.nodes;
	uint32_t tree;

	for (size_t i = 0; i < c->nodes.n; i++) {
		tree = tree_of(&v->trees, c->nodes.v[i].row);
		if (tree != ID_NONE)
			l->at[tree + 2]++;
	}
	if (list_begin(l, nr))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nodes.n; i++) {
		tree = tree_of(&v->trees, c->nodes.v[i].row);
		if (tree != ID_NONE)
			l->v[l->at[tree + 1]++] = i;
	}
	return 0;
}

static int list_leafs(struct view *v, size_t nr)
{
	const struct chains *c = &v->t->ch;
	struct chain_list *l = &v->trees.leafs;
	uint32_t tree;

	for (size_t i = 0; i < c->leafs.n; i++) {
		tree = tree_of(&v->trees, c->leafs.v[i].row);
		if (tree != ID_NONE)
			l->at[tree + 2]++;
	}
	if (list_begin(l, nr))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->leafs.n; i++) {
		tree = tree_of(&v->trees, c->leafs.v[i].row);
		if (tree != ID_NONE)
			l->v[l->at[tree + 1]++] = i;
	}
	return 0;
}

/* Which rows have one. */
static int list_rows(struct view *v)
{
	const struct table *t = v->t;
	struct view_trees *trees = &v->trees;

	trees->before = malloc((t->rows.n / 64 + 1) * sizeof(*trees->before));
	if (!trees->before || bits_init(&trees->heavy, t->rows.n))
		return -ENOMEM;
	for (size_t i = 0; i < t->rows.n; i++) {
		if (i % 64 == 0)
			trees->before[i / 64] = (uint32_t)trees->rows.n;
		if (!view_has_tree(v, &t->rows.v[i]))
			continue;
		bits_set(&trees->heavy, i);
		if (vec_push(&trees->rows, (uint32_t)i))
			return -ENOMEM;
	}
	return 0;
}

static void forget(struct view_trees *t)
{
	vec_free(&t->rows);
	bits_free(&t->heavy);
	free(t->before);
	free(t->nodes.at);
	free(t->nodes.v);
	free(t->leafs.at);
	free(t->leafs.v);
	t->before = NULL;
	t->nodes = t->leafs = (struct chain_list){ 0 };
}

int view_tree_list(struct view *v)
{
	struct view_trees *trees = &v->trees;
	size_t nr;
	int ret;

	if (trees->listed)
		return 0;
	ret = list_rows(v);
	nr = trees->rows.n;
	trees->nodes.at = calloc(nr + 2, sizeof(uint32_t));
	trees->leafs.at = calloc(nr + 2, sizeof(uint32_t));
	if (!trees->nodes.at || !trees->leafs.at)
		ret = -ENOMEM;
	if (!ret && v->o.children)
		ret = list_nodes(v, nr);
	if (!ret)
		ret = list_leafs(v, nr);
	trees->listed = !ret;
	if (ret)
		forget(trees);
	return ret;
}

int64_t view_tree_find(const struct view *v, const struct keys_row *row)
{
	uint32_t tree = tree_of(&v->trees, row->idx);

	return tree == ID_NONE ? -1 : (int64_t)tree;
}

size_t view_next_tree(struct view *v, uint32_t event, size_t i)
{
	const struct view_event *ev = &v->events.v[event];

	if (!v->o.use_chains || v->o.chain.style == CHAIN_NONE)
		return ev->nr;
	/* Without memory who asks for the tree learns of that. */
	if (view_tree_list(v))
		return i;
	while (i < ev->nr && !bits_test(&v->trees.heavy, ev->rows[i]))
		i++;
	return i;
}

void view_trees_free(struct view_trees *t)
{
	forget(t);
	for (size_t i = 0; i < TREES_SIDE; i++) {
		free(t->own[i].plus);
		free(t->own[i].notes);
		vec_free(&t->own[i].tops);
	}
}
