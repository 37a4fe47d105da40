// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks of samples as a tree of functions for each load. The stacks that were counted are trees of addresses: a memo
 * says of each of their nodes, by load and process, which node here it became, so that a way to the root is walked once.
 * Nodes stand behind their parents; their numbers in the table are those of a walk that visits callers first.
 */
#include <stdlib.h>

#include "convert/loads-int.h"

struct memo {
	uint32_t load, comm, from, node;
};

struct builder {
	struct loads *l;
	struct htab node_tab, leaf_tab, memo_tab;
	VEC(struct memo) memo;
	VEC(uint32_t) way;
};

static uint64_t path_of(const struct builder *b, const struct loads_node *n, const char *name,
			int64_t func)
{
	return fleet_path(n->parent == STACKS_NONE ? FLEET_PATH_ROOT
						   : b->l->nodes.v[n->parent].path,
			  name, func);
}

static uint32_t node_at(struct builder *b, const struct loads_node *n)
{
	struct loads *l = b->l;
	uint64_t hash = hash_mix(hash_mix(hash_mix(n->load, n->parent), n->dso), (uintptr_t)n->sym);
	struct loads_node add = *n;
	const char *name;
	int64_t func = -1;
	uint32_t i;

	for (struct htab_it it = htab_find(&b->node_tab, hash); htab_next(&b->node_tab, &it, &i);) {
		const struct loads_node *o = &l->nodes.v[i];

		if (o->load == n->load && o->parent == n->parent && o->dso == n->dso &&
		    o->sym == n->sym)
			return i;
	}
	i = (uint32_t)l->nodes.n;
	name = n->parent == STACKS_NONE
		       ? loads_shown(l, CONVERT_REDACT_COMM, machine_comm(l->env->machine, n->dso))
		       : loads_object(l, n->dso);
	if (!name || (n->parent != STACKS_NONE && loads_function(l, n->dso, n->sym, &func)))
		return STACKS_NONE;
	add.path = path_of(b, n, name, func);
	add.first = add.next = STACKS_NONE;
	return vec_push(&l->nodes, add) || htab_add(&b->node_tab, hash, i) ? STACKS_NONE : i;
}

static uint32_t known(const struct builder *b, uint32_t load, uint32_t comm, uint32_t from)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&b->memo_tab, hash_mix(hash_mix(load, comm), from));
	     htab_next(&b->memo_tab, &it, &i);)
		if (i < b->memo.n && b->memo.v[i].load == load && b->memo.v[i].comm == comm &&
		    b->memo.v[i].from == from)
			return b->memo.v[i].node;
	return STACKS_NONE;
}

static uint32_t dso_at(const struct loads *l, const struct stacks_frame *f)
{
	const struct dso *d = stacks_dso(l->st, f);

	return d ? d->idx : STACKS_NONE;
}

/* The node that the stack ending at @from became. */
static uint32_t node_of(struct builder *b, uint32_t load, uint32_t comm, uint32_t from)
{
	const struct stacks *st = b->l->st;
	uint32_t node = STACKS_NONE;

	b->way.n = 0;
	while (from != STACKS_NONE && (node = known(b, load, comm, from)) == STACKS_NONE) {
		if (vec_push(&b->way, from))
			return STACKS_NONE;
		from = st->nodes.v[from].parent;
	}
	if (node == STACKS_NONE)
		node = node_at(b, &(struct loads_node){
					  .load = load, .parent = STACKS_NONE, .dso = comm });
	while (b->way.n && node != STACKS_NONE) {
		uint32_t at = b->way.v[--b->way.n];
		const struct stacks_frame *f = &st->frames.v[st->nodes.v[at].frame];

		node = node_at(b, &(struct loads_node){ .load = load,
							.parent = node,
							.dso = dso_at(b->l, f),
							.sym = f->sym });
		if (vec_push(&b->memo, ((struct memo){ load, comm, at, node })) ||
		    htab_add(&b->memo_tab, hash_mix(hash_mix(load, comm), at),
			     (uint32_t)b->memo.n - 1))
			return STACKS_NONE;
	}
	return node;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static int add_leaf(struct builder *b, const struct loads_leaf *add)
{
	struct loads *l = b->l;
	uint64_t hash = hash_mix(hash_mix(add->load, add->dso), add->addr);
	uint32_t i;

	for (struct htab_it it = htab_find(&b->leaf_tab, hash); htab_next(&b->leaf_tab, &it, &i);) {
		struct loads_leaf *o = &l->leaves.v[i];

		if (o->load != add->load || o->dso != add->dso || o->addr != add->addr)
			continue;
		o->n += add->n;
		o->period += add->period;
		return 0;
	}
	return vec_push(&l->leaves, *add)
		       ?: htab_add(&b->leaf_tab, hash, (uint32_t)l->leaves.n - 1);
}

static uint32_t load_at(const struct loads *l, uint32_t event, uint32_t comm)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&l->tab, hash_mix(event, comm));
	     htab_next(&l->tab, &it, &i);)
		if (l->v.v[i].event == event && l->v.v[i].comm == comm)
			return i;
	return STACKS_NONE;
}

static int add_count(struct builder *b, const struct stacks_count *c)
{
	struct loads *l = b->l;
	const struct stacks *st = l->st;
	uint32_t comm = st->groups.v[c->group].comm, node;
	struct loads_leaf leaf = { .dso = STACKS_NONE, .n = c->v[0], .period = c->v[1] };

	leaf.load = load_at(l, c->event, l->o->by_comm ? comm : STACKS_NONE);
	if (leaf.load == STACKS_NONE)
		return 0;
	node = node_of(b, leaf.load, comm, c->node);
	if (node == STACKS_NONE)
		return -ENOMEM;
	l->nodes.v[node].self_n += c->v[0];
	l->nodes.v[node].self_period += c->v[1];
	if (c->node != STACKS_NONE) {
		const struct stacks_frame *f = &st->frames.v[st->nodes.v[c->node].frame];

		leaf.dso = dso_at(l, f);
		leaf.sym = leaf.dso == STACKS_NONE ? NULL : f->sym;
		leaf.addr = leaf.dso == STACKS_NONE ? 0 : stacks_addr(st, f);
	}
	return add_leaf(b, &leaf);
}

static void add_up(struct loads *l)
{
	for (size_t i = l->nodes.n; i-- > 0;) {
		struct loads_node *n = &l->nodes.v[i], *up;

		n->total_period += n->self_period;
		if (n->parent == STACKS_NONE)
			continue;
		up = &l->nodes.v[n->parent];
		up->total_period += n->total_period;
		n->next = up->first;
		up->first = (uint32_t)i;
	}
}

/* The node that is visited after @at. */
static uint32_t next_of(const struct loads *l, uint32_t at)
{
	if (l->nodes.v[at].first != STACKS_NONE)
		return l->nodes.v[at].first;
	while (at != STACKS_NONE && l->nodes.v[at].next == STACKS_NONE)
		at = l->nodes.v[at].parent;
	return at == STACKS_NONE ? at : l->nodes.v[at].next;
}

static int number(struct loads *l)
{
	uint32_t *nr = calloc(l->v.n + 1, sizeof(*nr));

	for (uint32_t i = 0; nr && i < l->nodes.n; i++)
		if (l->nodes.v[i].parent == STACKS_NONE)
			for (uint32_t at = i; at != STACKS_NONE; at = next_of(l, at))
				l->nodes.v[at].number = nr[l->nodes.v[at].load]++;
	free(nr);
	return nr ? 0 : -ENOMEM;
}

int loads_build(struct loads *l)
{
	struct builder b = { .l = l };
	int ret = 0;

	vec_for_each (c, &l->st->counts)
		if (!ret)
			ret = add_count(&b, c);
	htab_free(&b.node_tab);
	htab_free(&b.leaf_tab);
	htab_free(&b.memo_tab);
	vec_free(&b.memo);
	vec_free(&b.way);
	add_up(l);
	return ret ?: number(l);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int put_node(struct loads *l, const struct loads_node *n)
{
	bool root = n->parent == STACKS_NONE;
	int64_t func = -1;
	int ret = root ? 0 : loads_function(l, n->dso, n->sym, &func);

	return ret
		       ?: batch_add(
				  l->table[FLEET_STACKS],
				  (union batch_value[FLEET_STACKS_COLUMNS]){
					  [FLEET_STACKS_LOAD].i = l->v.v[n->load].id,
					  [FLEET_STACKS_NODE].i = n->number,
					  [FLEET_STACKS_PARENT].i =
						  root ? -1 : (int64_t)l->nodes.v[n->parent].number,
					  [FLEET_STACKS_OBJECT].s =
						  root ? "" : loads_object(l, n->dso),
					  [FLEET_STACKS_FUNC].i = func,
					  [FLEET_STACKS_NAME].s =
						  !root ? ""
							: loads_shown(l, CONVERT_REDACT_COMM,
								      machine_comm(l->env->machine,
										   n->dso)),
					  [FLEET_STACKS_SELF_N].i = (int64_t)n->self_n,
					  [FLEET_STACKS_SELF_PERIOD].i = (int64_t)n->self_period,
					  [FLEET_STACKS_TOTAL_PERIOD].i = (int64_t)n->total_period,
					  [FLEET_STACKS_PATH].i = (int64_t)n->path });
}

static int put_leaf(struct loads *l, const struct loads_leaf *f)
{
	int64_t func;
	int ret = loads_function(l, f->dso, f->sym, &func);

	return ret
		       ?: batch_add(
				  l->table[FLEET_SAMPLES],
				  (union batch_value[FLEET_SAMPLES_COLUMNS]){
					  [FLEET_SAMPLES_LOAD].i = l->v.v[f->load].id,
					  [FLEET_SAMPLES_OBJECT].s = loads_object(l, f->dso),
					  [FLEET_SAMPLES_FUNC].i = func,
					  [FLEET_SAMPLES_OFF].i = loads_offset(l, f->dso, f->addr),
					  [FLEET_SAMPLES_N].i = (int64_t)f->n,
					  [FLEET_SAMPLES_PERIOD].i = (int64_t)f->period });
}

int loads_put_stacks(struct loads *l, uint32_t only)
{
	int ret = 0;

	vec_for_each (n, &l->nodes)
		if (!ret && (only == LOADS_ALL || n->load == only))
			ret = put_node(l, n);
	vec_for_each (f, &l->leaves)
		if (!ret && (only == LOADS_ALL || f->load == only))
			ret = put_leaf(l, f);
	return ret;
}
