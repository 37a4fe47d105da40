// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots of accumulators. Each accumulator has arrays of its own, so that what is not wanted costs
 * nothing and what is wanted lies close together. Every sum that a table makes (ends of chains to
 * rows and nodes, rows to the rows above them, what callees cost) is made here, for all
 * accumulators alike, from their merge() and sub().
 */
#include "sums-int.h"

#include "table-int.h"

/* A slot that has seen nothing, of any accumulator without one of its own. */
#define EMPTY_SIZE 256
static const _Alignas(16) unsigned char zeros[EMPTY_SIZE];

static const void *empty_of(const struct acc *acc)
{
	return acc->empty ? acc->empty : zeros;
}

void *table_slot_grow(struct slots *a, size_t i)
{
	size_t end;

	if (vec_reserve_raw((void **)&a->v, &a->cap, i + 1, a->size))
		return NULL;
	/* Some more than asked for: rows come one by one. */
	end = min_u64(a->cap, i + 64);
	for (; a->n < end; a->n++)
		memcpy(a->v + a->n * a->size, a->empty, a->size);
	return a->v + i * a->size;
}

static void free_slots(const struct acc *acc, struct slots *a)
{
	for (size_t i = 0; acc->drop && i < a->n; i++)
		acc->drop(a->v + i * a->size);
	free(a->v);
	*a = (struct slots){ 0 };
}

/* ---- which ----------------------------------------------------------------------------------- */

struct sum *table_sum_of(const struct sums *s, const struct acc *acc)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].acc == acc)
			return (struct sum *)&s->v[i];
	return NULL;
}

const void *table_row_slot(const struct sums *s, const struct acc *acc, uint32_t row)
{
	const struct sum *sum = table_sum_of(s, acc);

	return sum ? table_slot(&sum->row, row) : empty_of(acc);
}

struct sum *table_sums_want(struct sums *s, const struct acc *acc)
{
	const struct slots none = { .size = acc->size, .empty = empty_of(acc) };
	struct sum *have = table_sum_of(s, acc);

	if (have)
		return have;
	if (s->n == MAX_SUMS || (!acc->empty && acc->size > EMPTY_SIZE))
		return NULL;
	s->v[s->n] = (struct sum){ acc, NULL, none, none, none, none, none };
	s->nr_share += acc->is_share;
	s->nr_entry += acc->per_entry;
	s->needs_sample |= acc->needs_sample;
	return &s->v[s->n++];
}

int table_sums_choose(struct sums *s, const struct keys_opts *o)
{
	const struct acc *acc;

	for (unsigned i = 0; (acc = keys_acc_at(i)); i++)
		if (acc->wanted && acc->wanted(o) && !table_sums_want(s, acc))
			return -ENOMEM;
	if (o->rich && o->switches && !table_sums_want(s, &keys_acc_latency))
		return -ENOMEM;
	s->by_leaf = o->rich;
	return 0;
}

int table_sums_start(struct sums *s, const struct acc_env *env)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].acc->start && s->v[i].acc->start(&s->v[i].state, env))
			return -ENOMEM;
	return 0;
}

void table_sums_stop(struct sums *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->v[i].acc->stop)
			s->v[i].acc->stop(s->v[i].state);
		s->v[i].state = NULL;
	}
}

void table_sums_free(struct sums *s)
{
	table_sums_stop(s);
	for (unsigned i = 0; i < s->n; i++) {
		struct sum *sum = &s->v[i];

		free_slots(sum->acc, &sum->row);
		free_slots(sum->acc, &sum->callees);
		free_slots(sum->acc, &sum->leaf);
		free_slots(sum->acc, &sum->node);
		free_slots(sum->acc, &sum->event);
	}
	*s = (struct sums){ 0 };
}

/* ---- samples --------------------------------------------------------------------------------- */

static inline int add(struct sum *sum, struct slots *a, size_t i, const struct acc_in *in)
{
	void *slot = table_slot_reach(a, i);

	return slot ? sum->acc->add(slot, in, sum->state) : -ENOMEM;
}

int table_sums_add_slow(struct sums *s, uint32_t row, const struct acc_in *in)
{
	return table_sums_add_now(s, row, in);
}

int table_sums_add_leaf_slow(struct sums *s, uint32_t leaf, uint32_t row, const struct acc_in *in)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct sum *sum = &s->v[i];

		if (sum->acc->per_leaf || s->by_leaf ? add(sum, &sum->leaf, leaf, in)
						     : add(sum, &sum->row, row, in))
			return -ENOMEM;
	}
	return 0;
}

int table_sums_add_entry(struct sums *s, uint32_t row, const struct acc_in *in)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].acc->per_entry && add(&s->v[i], &s->v[i].row, row, in))
			return -ENOMEM;
	return 0;
}

int table_sums_left_out(struct sums *s, uint32_t event, const struct acc_in *in)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].acc->is_share && add(&s->v[i], &s->v[i].event, 2 * (size_t)event, in))
			return -ENOMEM;
	return 0;
}

/* ---- the end of reading ---------------------------------------------------------------------- */

static int merge(const struct acc *acc, struct slots *to, size_t i, const void *from)
{
	void *slot = table_slot_reach(to, i);

	return slot ? acc->merge(slot, from, NULL) : -ENOMEM;
}

/* As with periods: children have higher numbers than their parents. */
static int sum_nodes(struct sum *sum, const struct chains *c)
{
	const struct acc *acc = sum->acc;

	if (c->nodes.n && !table_slot_reach(&sum->node, c->nodes.n - 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->leafs.n; i++)
		if (merge(acc, &sum->node, c->leafs.v[i].node, table_slot(&sum->leaf, i)))
			return -ENOMEM;
	for (uint32_t i = (uint32_t)c->nodes.n; i-- > 0;) {
		uint32_t up = c->nodes.v[i].parent;

		if (!(up & NODE_ROOT) && merge(acc, &sum->node, up, table_slot(&sum->node, i)))
			return -ENOMEM;
	}
	return 0;
}

static int sum_chains(struct sum *sum, const struct chains *c, bool callees)
{
	const struct acc *acc = sum->acc;

	for (uint32_t i = 0; acc->per_leaf && i < c->leafs.n; i++)
		if (merge(acc, &sum->row, c->leafs.v[i].row, table_slot(&sum->leaf, i)))
			return -ENOMEM;
	if (!callees || !acc->sub)
		return 0;
	for (size_t i = 0; i < sum->row.n; i++)
		if (merge(acc, &sum->callees, i, table_slot(&sum->row, i)))
			return -ENOMEM;
	return sum_nodes(sum, c);
}

int table_sums_chains(struct sums *s, const struct chains *c, bool callees)
{
	for (unsigned i = 0; i < s->n; i++)
		if (sum_chains(&s->v[i], c, callees))
			return -ENOMEM;
	return 0;
}

int table_sums_event(struct sums *s, uint32_t event, uint32_t row)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct sum *sum = &s->v[i];
		const void *slot = table_slot(&sum->row, row);

		if (sum->acc->is_share &&
		    (merge(sum->acc, &sum->event, 2 * (size_t)event, slot) ||
		     merge(sum->acc, &sum->event, 2 * (size_t)event + 1, slot)))
			return -ENOMEM;
	}
	return 0;
}

/* ---- another table --------------------------------------------------------------------------- */

static int join_slot(const struct acc *acc, struct slots *to, size_t i, const void *from,
		     const struct acc_maps *maps)
{
	void *slot = table_slot_reach(to, i);

	return slot ? acc->merge(slot, from, maps) : -ENOMEM;
}

static int join(struct sum *to, const struct sum *from, const struct sums_maps *maps)
{
	const struct acc *acc = to->acc;
	int ret = 0;

	for (size_t i = 0; !ret && i < min_u64(from->row.n, maps->nr_rows); i++)
		ret = join_slot(acc, &to->row, maps->row[i], table_slot(&from->row, i), &maps->acc);
	for (size_t i = 0; !ret && i < min_u64(from->leaf.n, maps->nr_leafs); i++)
		ret = join_slot(acc, &to->leaf, maps->leaf[i], table_slot(&from->leaf, i),
				&maps->acc);
	/* Rows bring what passed the filters to their events at the end. */
	for (size_t i = 0; !ret && i < min_u64(from->event.n, 2 * maps->nr_events); i++) {
		size_t event = maps->event ? maps->event[i / 2] : i / 2;

		ret = join_slot(acc, &to->event, 2 * event + i % 2, table_slot(&from->event, i),
				&maps->acc);
	}
	return ret;
}

int table_sums_join(struct sums *s, const struct sums *from, const struct sums_maps *maps)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < s->n; i++)
		ret = join(&s->v[i], &from->v[i], maps);
	return ret;
}

/* ---- rows above others ----------------------------------------------------------------------- */

void table_sums_like(struct sums *s, const struct sums *t)
{
	for (unsigned i = 0; i < t->n; i++)
		table_sums_want(s, t->v[i].acc);
}

int table_sums_passed(struct sums *s, uint32_t event, const struct sums *t, uint32_t row)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].acc->is_share &&
		    merge(s->v[i].acc, &s->v[i].event, 2 * (size_t)event + 1,
			  table_slot(&t->v[i].row, row)))
			return -ENOMEM;
	return 0;
}

int table_sums_own(struct sums *s, uint32_t row, const struct sums *t)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct sum *sum = &s->v[i];
		void *slot;

		if (!t->v[i].callees.n)
			continue;
		slot = table_slot_reach(&sum->callees, row);
		if (!slot)
			return -ENOMEM;
		sum->acc->sub(slot, table_slot(&sum->callees, row));
		if (merge(sum->acc, &sum->callees, row, table_slot(&sum->row, row)))
			return -ENOMEM;
	}
	return 0;
}

int table_sums_pass(struct sums *s, uint32_t row, const struct sums *t, uint32_t node)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct sum *sum = &s->v[i];
		const struct slots *nodes = &t->v[i].node;

		if (nodes->n && merge(sum->acc, &sum->callees, row, table_slot(nodes, node)))
			return -ENOMEM;
	}
	return 0;
}

void table_sums_unpass(struct sums *s, uint32_t row, const struct sums *t, uint32_t leaf)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct sum *sum = &s->v[i];

		if (row < sum->callees.n)
			sum->acc->sub(sum->callees.v + row * sum->acc->size,
				      table_slot(&t->v[i].leaf, leaf));
	}
}

int table_sums_merge(struct sums *s, uint32_t row, const struct sums *t, uint32_t from)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct sum *sum = &s->v[i];

		if (from >= t->v[i].row.n)
			continue;
		/* The array may move, and be the same: the source is looked at behind this. */
		if (!table_slot_reach(&sum->row, row) ||
		    merge(sum->acc, &sum->row, row, table_slot(&t->v[i].row, from)))
			return -ENOMEM;
	}
	return 0;
}
