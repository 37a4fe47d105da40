// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which nodes and leafs of the trie belong to which row. Most rows are too light for a tree of
 * their own: only of the others nodes and leafs are kept, and only once a tree is asked for.
 */
#include "view-int.h"

uint64_t view_tree_min(const struct view *v, const struct keys_row *row)
{
	const struct table_totals *t = view_totals(v, table_row_event(v->t, row));
	uint64_t total = v->o.relative ? t->filtered_period : t->period;

	return (uint64_t)((double)total * (v->o.chain.min_percent / 100.0));
}

bool view_has_tree(const struct view *v, const struct keys_row *row)
{
	if (!v->o.use_chains || v->o.chain.style == CHAIN_NONE)
		return false;
	return v->o.chain.style == CHAIN_FRACTAL ||
	       max_u64(v->o.children ? row->acc : 0, row->period) >= view_tree_min(v, row);
}

/* Turns counts in at[i + 2] into begins; after filling through at[i + 1], at[i] is the begin. */
static int list_begin(struct chain_list *l, size_t nr)
{
	for (size_t i = 2; i < nr + 2; i++)
		l->at[i] += l->at[i - 1];
	l->v = malloc((l->at[nr + 1] + 1ULL) * sizeof(*l->v));
	return l->v ? 0 : -ENOMEM;
}

static int list_nodes(struct view *v, const uint32_t *tree, size_t nr)
{
	const struct chains *c = &v->t->ch;
	struct chain_list *l = &v->trees.nodes;

	for (size_t i = 0; i < c->nodes.n; i++)
		if (tree[c->nodes.v[i].row] != ID_NONE)
			l->at[tree[c->nodes.v[i].row] + 2]++;
	if (list_begin(l, nr))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nodes.n; i++)
		if (tree[c->nodes.v[i].row] != ID_NONE)
			l->v[l->at[tree[c->nodes.v[i].row] + 1]++] = i;
	return 0;
}

static int list_leafs(struct view *v, const uint32_t *tree, size_t nr)
{
	const struct chains *c = &v->t->ch;
	struct chain_list *l = &v->trees.leafs;

	for (size_t i = 0; i < c->leafs.n; i++)
		if (tree[c->leafs.v[i].row] != ID_NONE)
			l->at[tree[c->leafs.v[i].row] + 2]++;
	if (list_begin(l, nr))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->leafs.n; i++)
		if (tree[c->leafs.v[i].row] != ID_NONE)
			l->v[l->at[tree[c->leafs.v[i].row] + 1]++] = i;
	return 0;
}

int view_tree_list(struct view *v)
{
	const struct table *t = v->t;
	struct view_trees *trees = &v->trees;
	uint32_t *tree; /* by row */
	size_t nr = 0;
	int ret = 0;

	if (trees->listed)
		return 0;
	tree = malloc((t->rows.n + 1) * sizeof(*tree));
	if (!tree)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < t->rows.n; i++) {
		tree[i] = ID_NONE;
		if (!view_has_tree(v, &t->rows.v[i]))
			continue;
		tree[i] = (uint32_t)nr++;
		ret = vec_push(&trees->rows, (uint32_t)i);
	}
	trees->nodes.at = calloc(nr + 2, sizeof(uint32_t));
	trees->leafs.at = calloc(nr + 2, sizeof(uint32_t));
	if (!trees->nodes.at || !trees->leafs.at)
		ret = -ENOMEM;
	if (!ret && v->o.children)
		ret = list_nodes(v, tree, nr);
	if (!ret)
		ret = list_leafs(v, tree, nr);
	free(tree);
	trees->listed = !ret;
	return ret;
}

static int cmp_u32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int64_t view_tree_find(const struct view *v, const struct keys_row *row)
{
	const uint32_t *have = v->trees.rows.v, *at = NULL;

	if (v->trees.rows.n)
		at = bsearch(&row->idx, have, v->trees.rows.n, sizeof(*at), cmp_u32);
	return at ? at - have : -1;
}

void view_trees_free(struct view_trees *t)
{
	vec_free(&t->rows);
	free(t->nodes.at);
	free(t->nodes.v);
	free(t->leafs.at);
	free(t->leafs.v);
	for (size_t i = 0; i < TREES_SIDE; i++) {
		free(t->own[i].plus);
		free(t->own[i].notes);
		vec_free(&t->own[i].tops);
	}
}
