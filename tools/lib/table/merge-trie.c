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

/* What nodes of the source are in the destination, as far as one can say before the first gets its number there. */
struct finder {
	const struct merger *g;
	uint64_t *hash;
	uint32_t *have; /* by node: one of that hash and step; ID_NONE: there is none */
	uint32_t *up;	/* its parent; NODE_SEVERAL: there are more of them */
	uint32_t first; /* number there that new ones begin at */
};

#define NODE_SEVERAL UINT32_MAX

/* Hashes need no number of the destination: that of the parent, which has a lower number here, and the step. */
static void hash_nodes(struct finder *f)
{
	const struct chains *c = &f->g->from->ch;

	for (uint32_t i = 0; i < c->nodes.n; i++) {
		const struct node *n = &c->nodes.v[i];
		/* Numbers of parents are lower: NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
		uint64_t up = n->parent & NODE_ROOT
				      ? table_node_root(root_of(f->g, n->parent & ~NODE_ROOT)).hash
				      : f->hash[n->parent];

		f->hash[i] = hash_mix(up, f->g->step[n->step]);
	}
}

static void find_node(struct finder *f, uint32_t i)
{
	const struct chains *to = &f->g->to->ch;
	uint32_t step = f->g->step[f->g->from->ch.nodes.v[i].step], n;

	for (struct htab_it it = htab_find(&to->node_tab, f->hash[i]);
	     htab_next(&to->node_tab, &it, &n);) {
		if (to->nodes.v[n].step != step)
			continue;
		f->up[i] = f->have[i] == ID_NONE ? to->nodes.v[n].parent : NODE_SEVERAL;
		f->have[i] = n;
	}
}

static void find_nodes(void *finder, size_t piece)
{
	struct finder *f = finder;
	const struct chains *c = &f->g->from->ch, *to = &f->g->to->ch;
	uint32_t from = (uint32_t)piece * FIND_AT_ONCE,
		 end = (uint32_t)min_u64(c->nodes.n, from + (uint64_t)FIND_AT_ONCE);

	for (uint32_t i = from; i < end; i++) {
		uint32_t up = c->nodes.v[i].parent, have;

		if (i + FIND_AHEAD < end)
			htab_prefetch(&to->node_tab, f->hash[i + FIND_AHEAD]);
		if (i + FIND_AHEAD / 2 < end) {
			have = htab_peek(&to->node_tab, f->hash[i + FIND_AHEAD / 2]);
			if (have != UINT32_MAX)
				__builtin_prefetch(&to->nodes.v[have]);
		}
		/* Nothing is below what is not there; of other pieces nothing is known yet. */
		if (up >= from && up < end && f->have[up] == ID_NONE)
			continue;
		find_node(f, i);
	}
}

static struct node_at parent_at(const struct merger *g, const struct finder *f, uint32_t i)
{
	uint32_t up = g->from->ch.nodes.v[i].parent;

	return (struct node_at){
		.hash = f->hash[i],
		.node = up & NODE_ROOT ? table_node_root(root_of(g, up & ~NODE_ROOT)).node
				       : g->node[up],
	};
}

/* Two nodes of the source may be one in the destination: each is looked for when those before it are there. */
static int join_node(struct merger *g, const struct finder *f, uint32_t i)
{
	const struct node *n = &g->from->ch.nodes.v[i];
	struct node_at at = parent_at(g, f, i);
	int ret = 0;

	g->nodes_before[i] = (uint32_t)g->to->ch.nodes.n;
	if (f->have[i] != ID_NONE && f->up[i] == at.node)
		at.node = f->have[i];
	else
		ret = table_node_child(g->to, &at, g->step[n->step],
				       mapped(g->maps->thread, n->thread));
	g->node[i] = at.node;
	return ret;
}

/*
 * Parents before their children: what is there has the parent that this one's has become, or else is another one's child. What is
 * not gets the next number.
 */
static int number_nodes(struct merger *g, const struct finder *f)
{
	const struct chains *from = &g->from->ch;
	uint32_t next = f->first;

	for (uint32_t i = 0; i < from->nodes.n; i++) {
		struct node_at at = parent_at(g, f, i);

		g->nodes_before[i] = next;
		if (f->have[i] == ID_NONE)
			g->node[i] = next++;
		else if (f->up[i] == at.node)
			g->node[i] = f->have[i];
		else if (f->up[i] == NODE_SEVERAL &&
			 table_node_find(g->to, &at, g->step[from->nodes.v[i].step]))
			g->node[i] = at.node;
		else
			g->node[i] = next++;
		if (next >= NODE_ROOT)
			return -ENOMEM;
	}
	if (vec_reserve(&g->to->ch.nodes, next))
		return -ENOMEM;
	g->to->ch.nodes.n = next;
	return 0;
}

static void write_nodes(void *finder, size_t piece)
{
	struct finder *f = finder;
	const struct merger *g = f->g;
	const struct chains *from = &g->from->ch;
	size_t end = min_u64(from->nodes.n, (piece + 1) * (uint64_t)FIND_AT_ONCE);

	for (size_t i = piece * FIND_AT_ONCE; i < end; i++) {
		const struct node *n = &from->nodes.v[i];

		if (g->node[i] >= f->first)
			g->to->ch.nodes.v[g->node[i]] = (struct node){
				.parent = parent_at(g, f, (uint32_t)i).node,
				.step = g->step[n->step],
				.thread = mapped(g->maps->thread, n->thread),
				.leaf = ID_NONE,
			};
	}
}

/* All are looked for first, by several threads, then they get their numbers, and then the threads write those that are new. */
static int map_nodes(struct merger *g, struct finder *f)
{
	size_t n = g->from->ch.nodes.n;
	int ret = 0;

	hash_nodes(f);
	find_side_by_side(g, n, find_nodes, f);
	if (g->apart) {
		ret = number_nodes(g, f);
		if (!ret)
			find_side_by_side(g, n, write_nodes, f);
	}
	for (uint32_t i = 0; !ret && !g->apart && i < n; i++)
		ret = join_node(g, f, i);
	g->nodes_before[n] = (uint32_t)g->to->ch.nodes.n;
	if (!g->apart)
		g->to->feed->nodes_found = g->to->ch.nodes.n;
	return ret;
}

int table_merge_nodes(struct merger *g)
{
	size_t n = g->from->ch.nodes.n;
	struct finder f = {
		.g = g,
		.hash = malloc((n + 1) * sizeof(*f.hash)),
		.have = table_new_map(n),
		.up = malloc((n + 1) * sizeof(*f.up)),
		.first = (uint32_t)g->to->ch.nodes.n,
	};
	int ret = look_apart(g);

	g->node = table_new_map(n);
	g->nodes_before = table_new_map(n + 1);
	if (!g->node || !g->nodes_before || !f.hash || !f.have || !f.up)
		ret = -ENOMEM;
	mem_large(f.hash, (n + 1) * sizeof(*f.hash));
	mem_large(f.up, (n + 1) * sizeof(*f.up));
	ret = ret ?: map_nodes(g, &f);
	free(f.hash);
	free(f.have);
	free(f.up);
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
		if (i + FIND_AHEAD < c->leafs.n) {
			const struct leaf *ahead = &c->leafs.v[i + FIND_AHEAD];

			__builtin_prefetch(&g->to->ch.nodes.v[g->node[ahead->node]], 1);
			__builtin_prefetch(&g->to->rows.v[g->row[ahead->row]]);
		}
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
