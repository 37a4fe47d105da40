// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains of two tables to one: most of what there is to merge. A node of the source is in the
 * destination if its parent is and that one has a child of this step, so that all below a new node is new, and is put
 * behind the others without a look. What was put there is not in the table by which nodes are found, for nobody looks any more
 * when this was the last merge, as it mostly was; who does look brings the table up to date (table_trie_index()).
 */
#include "merge-int.h"

static uint32_t root_of(const struct merger *g, uint32_t group)
{
	return g->to->keys.o.rich ? 0 : g->group[group];
}

/* Whether all of @map's numbers, below @n, are different. */
static int are_apart(const uint32_t *map, size_t nr, size_t n, bool *apart)
{
	struct bits seen;

	if (bits_init(&seen, n))
		return -ENOMEM;
	*apart = true;
	for (size_t i = 0; *apart && i < nr; i++) {
		*apart = map[i] < n && !bits_test(&seen, map[i]);
		bits_set(&seen, map[i]);
	}
	bits_free(&seen);
	return 0;
}

/*
 * Where two things of the source are one in the destination, nodes of the source may be so too, and each has to be found
 * by those behind it.
 */
static int look_apart(struct merger *g)
{
	bool groups, steps;

	if (g->to->keys.o.rich)
		return 0;
	if (are_apart(g->group, g->from->groups.n, g->to->groups.n, &groups) ||
	    are_apart(g->step, g->from->steps.n, g->to->steps.n, &steps))
		return -ENOMEM;
	g->apart = groups && steps;
	return 0;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Nodes whose memory is asked for before the first of them is looked up. */
#define NODES_AHEAD 64

/* Nothing is looked up below what is known to be new. */
static bool is_new(const struct merger *g, uint32_t parent)
{
	return g->apart && !(parent & NODE_ROOT) && g->node[parent] != ID_NONE &&
	       g->node[parent] >= g->nodes_had;
}

/*
 * Hashes of nodes @from up to @to, which need no number there: that of the parent, which has a lower
 * number here, and the step.
 */
static void hash_nodes(struct merger *g, uint64_t *hash, uint32_t from, uint32_t to)
{
	const struct chains *c = &g->from->ch;

	for (uint32_t i = from; i < to; i++) {
		const struct node *n = &c->nodes.v[i];
		uint64_t up;

		if (is_new(g, n->parent))
			continue;
		/* Numbers of parents are lower: NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
		up = n->parent & NODE_ROOT
			     ? table_node_root(root_of(g, n->parent & ~NODE_ROOT)).hash
			     : hash[n->parent];
		hash[i] = hash_mix(up, g->step[n->step]);
		htab_prefetch(&g->to->ch.node_tab, hash[i]);
	}
	for (uint32_t i = from; i < to; i++) {
		uint32_t have;

		if (is_new(g, c->nodes.v[i].parent))
			continue;
		have = htab_peek(&g->to->ch.node_tab, hash[i]);
		if (have != UINT32_MAX)
			__builtin_prefetch(&g->to->ch.nodes.v[have]);
	}
}

static int map_node(struct merger *g, const uint64_t *hash, uint32_t i)
{
	const struct node *n = &g->from->ch.nodes.v[i];
	uint32_t thread = mapped(g->maps->thread, n->thread);
	struct node_at at = {
		.node = n->parent & NODE_ROOT
				? table_node_root(root_of(g, n->parent & ~NODE_ROOT)).node
				: g->node[n->parent],
	};
	int ret;

	g->nodes_before[i] = (uint32_t)g->to->ch.nodes.n;
	if (is_new(g, n->parent)) {
		ret = table_node_push(g->to, &at, g->step[n->step], thread);
	} else {
		at.hash = hash[i];
		ret = g->apart ? table_node_find(g->to, &at, g->step[n->step], thread)
			       : table_node_child(g->to, &at, g->step[n->step], thread);
	}
	g->node[i] = at.node;
	return ret;
}

/* Parents have lower numbers than their children. */
int table_merge_nodes(struct merger *g)
{
	size_t n = g->from->ch.nodes.n;
	uint64_t *hash = malloc((n + 1) * sizeof(*hash));
	int ret = look_apart(g);

	g->nodes_had = (uint32_t)g->to->ch.nodes.n;
	g->node = table_new_map(n);
	g->nodes_before = table_new_map(n + 1);
	if (!g->node || !g->nodes_before || !hash)
		ret = -ENOMEM;
	for (uint32_t i = 0; !ret && i < n; i++) {
		if (i % NODES_AHEAD == 0)
			hash_nodes(g, hash, i, (uint32_t)min_u64(i + NODES_AHEAD, n));
		ret = map_node(g, hash, i);
	}
	if (!ret)
		g->nodes_before[n] = (uint32_t)g->to->ch.nodes.n;
	if (!g->apart)
		g->to->feed->nodes_found = g->to->ch.nodes.n;
	free(hash);
	return ret;
}

/* ---- leafs ----------------------------------------------------------------------------------- */

static int join_notes(struct merger *g, uint32_t to, uint32_t from)
{
	const struct chains *c = &g->from->ch;
	const struct note_list *l = from < c->notes.n ? &c->notes.v[from] : NULL;
	struct branch_note *notes;

	if (!l || !l->v)
		return 0;
	notes = table_notes_of(g->to, to, l->nr);
	for (uint32_t i = 0; notes && i < l->nr; i++)
		keys_note_add(&notes[i], &l->v[i]);
	return notes ? 0 : -ENOMEM;
}

/* Rows of a rich table that came before leaf @leaf of the source: from *@row on. */
static void mark_rows(struct merger *g, uint32_t *row, size_t leaf)
{
	const struct table *from = g->from;

	for (; from->keys.o.rich && *row < from->rows.n && from->rows.v[*row].first_node <= leaf;
	     ++*row) {
		struct keys_row *to = &g->to->rows.v[g->row[*row]];

		if (to->first_node == ID_NONE)
			to->first_node = (uint32_t)g->to->ch.leafs.n;
	}
}

int table_merge_leafs(struct merger *g)
{
	const struct chains *c = &g->from->ch;
	uint32_t row = 0;

	g->leaf = table_new_map(c->leafs.n);
	if (!g->leaf)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->leafs.n; i++) {
		mark_rows(g, &row, i);
		const struct leaf *l = &c->leafs.v[i];
		struct leaf *to =
			table_leaf(g->to, g->node[l->node], &g->to->rows.v[g->row[l->row]]);

		if (!to)
			return -ENOMEM;
		to->period += l->period;
		to->count += l->count;
		g->leaf[i] = (uint32_t)(to - g->to->ch.leafs.v);
		if (join_notes(g, g->leaf[i], i))
			return -ENOMEM;
	}
	mark_rows(g, &row, SIZE_MAX);
	return 0;
}
