// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains as a trie. Nodes hang under their group, outermost frame first, because chains of
 * one program share their outer end. Children are found by a table of hashes of the whole way to
 * them: these are known before any node of the way is, so that memory can be asked for early.
 */
#include "table-int.h"

struct node_at table_node_root(uint32_t group)
{
	return (struct node_at){ hash_u64(group + 1ULL), NODE_ROOT | group };
}

static inline bool find_node(const struct chains *c, struct node_at *at, uint32_t step)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&c->node_tab, at->hash);
	     htab_next(&c->node_tab, &it, &i);)
		if (c->nodes.v[i].parent == at->node && c->nodes.v[i].step == step) {
			at->node = i;
			return true;
		}
	return false;
}

static inline int push_node(struct chains *c, struct node_at *at, uint32_t step, uint32_t thread)
{
	struct node n = { .parent = at->node, .step = step, .thread = thread, .leaf = ID_NONE };

	if (c->nodes.n >= NODE_ROOT - 1 || vec_push(&c->nodes, n))
		return -ENOMEM;
	at->node = (uint32_t)c->nodes.n - 1;
	return 0;
}

static inline int node_down(struct chains *c, struct node_at *at, uint32_t step, uint32_t thread)
{
	if (find_node(c, at, step))
		return 0;
	return push_node(c, at, step, thread) ?: htab_add(&c->node_tab, at->hash, at->node);
}

int table_node_child(struct table *t, struct node_at *at, uint32_t step, uint32_t thread)
{
	return node_down(&t->ch, at, step, thread);
}

bool table_node_find(const struct table *t, struct node_at *at, uint32_t step)
{
	return find_node(&t->ch, at, step);
}

/* Slots that are asked for before. */
#define INDEX_AHEAD 32

int table_trie_index(struct table *t, size_t from)
{
	struct chains *c = &t->ch;
	uint64_t *hash = calloc(c->nodes.n + 1, sizeof(*hash));
	int ret = hash ? htab_reserve(&c->node_tab, c->nodes.n - from) : -ENOMEM;

	for (size_t i = 0; !ret && i < c->nodes.n; i++) {
		const struct node *n = &c->nodes.v[i];
		uint64_t up = n->parent & NODE_ROOT ? table_node_root(n->parent & ~NODE_ROOT).hash
						    : hash[n->parent];

		hash[i] = hash_mix(up, n->step);
	}
	for (size_t i = from; !ret && i < c->nodes.n; i++) {
		if (i + INDEX_AHEAD < c->nodes.n)
			htab_prefetch(&c->node_tab, hash[i + INDEX_AHEAD]);
		ret = htab_add(&c->node_tab, hash[i], (uint32_t)i);
	}
	free(hash);
	return ret;
}

int table_node_down(struct table *t, struct node_at *at, uint32_t step, uint32_t thread)
{
	at->hash = hash_mix(at->hash, step);
	return node_down(&t->ch, at, step, thread);
}

/*
 * Leafs of one node that are looked through: there are few of nearly all nodes. Those behind them in the list, and
 * all of a rich table, which has many, are found by leaf_tab.
 */
#define LEAFS_LISTED 16

static uint32_t leaf_key(const struct table *t, const struct leaf *l)
{
	return t->keys.o.rich ? l->row : l->place;
}

static uint64_t leaf_hash(uint32_t node, uint32_t key)
{
	return hash_u64((uint64_t)node << 32 | key);
}

static struct leaf *leaf_in_tab(const struct table *t, uint32_t node, uint32_t key)
{
	const struct htab *tab = &t->feed->leaf_tab;
	uint32_t i;

	for (struct htab_it it = htab_find(tab, leaf_hash(node, key)); htab_next(tab, &it, &i);)
		if (t->ch.leafs.v[i].node == node && leaf_key(t, &t->ch.leafs.v[i]) == key)
			return &t->ch.leafs.v[i];
	return NULL;
}

/* @last: where there is none, the leaf that one more in front of the list pushes into leaf_tab; or ID_NONE */
static struct leaf *leaf_at(const struct table *t, uint32_t node, uint32_t key, uint32_t *last)
{
	const struct chains *c = &t->ch;
	unsigned left = t->keys.o.rich ? 0 : LEAFS_LISTED;

	*last = ID_NONE;
	for (uint32_t i = c->nodes.v[node].leaf; left && i != ID_NONE; i = c->leafs.v[i].next) {
		if (c->leafs.v[i].place == key)
			return &c->leafs.v[i];
		if (!--left)
			*last = i;
	}
	return left ? NULL : leaf_in_tab(t, node, key);
}

struct leaf *table_leaf(struct table *t, uint32_t node, const struct keys_row *row)
{
	struct chains *c = &t->ch;
	struct leaf new = { .node = node, .row = row->idx, .place = row->place };
	uint32_t key = leaf_key(t, &new), out;
	struct leaf *l = leaf_at(t, node, key, &out);

	if (l)
		return l;
	new.next = c->nodes.v[node].leaf;
	if (c->leafs.n >= ID_NONE || vec_push(&c->leafs, new))
		return NULL;
	c->nodes.v[node].leaf = (uint32_t)c->leafs.n - 1;
	if (t->keys.o.rich)
		out = (uint32_t)c->leafs.n - 1;
	if (out != ID_NONE &&
	    htab_add(&t->feed->leaf_tab, leaf_hash(node, leaf_key(t, &c->leafs.v[out])), out))
		return NULL;
	return &c->leafs.v[c->leafs.n - 1];
}

/* ---- a batch --------------------------------------------------------------------------------- */

/* Hashes of all steps; their slots are asked for. */
static int hash_steps(struct table *t, const struct chain_batch *b)
{
	struct chain_queue *q = t->feed->chain;
	struct chains *c = &t->ch;

	if (vec_reserve(&q->hash, b->step.n))
		return -ENOMEM;
	for (unsigned i = 0; i < b->n; i++) {
		const struct chain_job *job = &b->job[i];
		__typeof__(&q->way[0]) way = &q->way[job->memo];
		uint64_t h = table_node_root(table_root(t, job->group)).hash;

		if (vec_reserve(way, (size_t)job->keep + job->steps))
			return -ENOMEM;
		if (job->keep)
			h = way->v[job->keep - 1].hash;
		for (uint32_t s = 0; s < job->steps; s++) {
			h = hash_mix(h, b->step.v[job->step + s]);
			q->hash.v[job->step + s] = way->v[job->keep + s].hash = h;
			htab_prefetch(&c->node_tab, h);
		}
		table_row_prefetch(t, job->group, job->place, 0, 0);
	}
	return 0;
}

/* Nodes that are probably there; and of the last ones their leafs. */
static void ask_for_nodes(const struct table *t, const struct chain_batch *b)
{
	const struct chain_queue *q = t->feed->chain;
	const struct chains *c = &t->ch;

	for (size_t s = 0; s < b->step.n; s++) {
		uint32_t i = htab_peek(&c->node_tab, q->hash.v[s]);

		if (i != UINT32_MAX)
			__builtin_prefetch(&c->nodes.v[i], 1);
	}
	for (unsigned i = 0; i < b->n; i++) {
		const struct chain_job *job = &b->job[i];
		uint32_t n;

		if (!job->steps)
			continue;
		n = htab_peek(&c->node_tab, q->hash.v[job->step + job->steps - 1]);
		if (n != UINT32_MAX && c->nodes.v[n].leaf != ID_NONE)
			__builtin_prefetch(&c->leafs.v[c->nodes.v[n].leaf], 1);
		else
			table_row_prefetch_next(t, job->group, job->place, 0, 0);
	}
}

static int take(struct table *t, const struct chain_batch *b, const struct chain_job *job)
{
	struct chain_queue *q = t->feed->chain;
	struct chains *c = &t->ch;
	struct node_at *way = q->way[job->memo].v;
	struct node_at at = table_node_root(table_root(t, job->group));
	uint32_t before = table_rows_mark(t);
	struct keys_row *row;
	uint32_t thread = job->in.th->idx, last;
	struct leaf *l;

	if (job->keep)
		at = way[job->keep - 1];
	for (uint32_t s = 0; s < job->steps; s++) {
		at.hash = q->hash.v[job->step + s];
		if (node_down(c, &at, b->step.v[job->step + s], thread))
			return -ENOMEM;
		way[job->keep + s].node = at.node;
	}
	l = at.node & NODE_ROOT || t->keys.o.rich ? NULL : leaf_at(t, at.node, job->place, &last);
	if (!l) {
		row = table_row_own(t, job->group, job->place, thread, job->cpumode, before);
		if (!row)
			return -ENOMEM;
		if (at.node & NODE_ROOT) {
			table_row_count(row, job->in.period, 1);
			return table_sums_add(&t->sums, row->idx, &job->in);
		}
		l = table_leaf(t, at.node, row);
		if (!l)
			return -ENOMEM;
	}
	l->period += job->in.period;
	l->count++;
	return table_sums_add_leaf(&t->sums, (uint32_t)(l - c->leafs.v), l->row, &job->in);
}

int table_trie_take(struct table *t, const struct chain_batch *b)
{
	int ret = hash_steps(t, b);

	if (ret)
		return ret;
	ask_for_nodes(t, b);
	for (unsigned i = 0; !ret && i < b->n; i++)
		ret = take(t, b, &b->job[i]);
	return ret;
}
