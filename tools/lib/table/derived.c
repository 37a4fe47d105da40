// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a derived table still knows of its base: which rows and ends of chains of it went where. Slices
 * of time are in no row here, or there would be as many rows as slices; whoever wants rows over time,
 * for the few that are on a screen, has the base walked once for all of these.
 */
#include "derive-int.h"

void table_derived_free(struct table *t)
{
	if (!t->derived)
		return;
	free(t->derived->row);
	free(t->derived->leaf);
	free(t->derived->over_time);
	free(t->derived);
}

struct table_time table_time(const struct table *t)
{
	const struct time_slices *s = &t->keys.slices;

	return (struct table_time){
		.start = s->first << s->shift,
		.width = s->nr ? 1ULL << s->shift : 0,
		.nr = (uint32_t)s->nr,
	};
}

const struct table_count *table_over_time(const struct table *t, uint32_t event)
{
	const struct derived *of = t->derived;

	if (!of || !t->keys.slices.nr || event >= of->nr_events)
		return NULL;
	return &of->over_time[event * t->keys.slices.nr];
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct spread {
	const struct table *t;
	unsigned cells;
	const uint64_t *row; /* by row here: bits of what is asked for */
	uint64_t *node;	     /* by node: of those that its samples count for */
	struct table_count *out;
};

/* What is below a node that is a row's, is the row's too. */
static int mark_nodes(struct spread *s)
{
	const struct chains *c = &s->t->ch;

	if (!s->t->keys.o.children)
		return 0;
	s->node = malloc((c->nodes.n + 1) * sizeof(*s->node));
	if (!s->node)
		return -ENOMEM;
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct node *n = &c->nodes.v[i];

		s->node[i] = s->row[n->row] | (n->parent & NODE_ROOT ? 0 : s->node[n->parent]);
	}
	return 0;
}

static void add(struct spread *s, uint64_t rows, uint32_t group, uint64_t nr, uint64_t period)
{
	const struct table *base = s->t->derived->base;
	const struct time_slices *ts = &base->keys.slices;
	uint32_t at = keys_slice_at(
		ts, keys_tuple_get(&base->groups, group)[base->rich_slot[RICH_SLICE]]);

	if (at == ID_NONE)
		return;
	for (; rows; rows &= rows - 1) {
		size_t i = (size_t)__builtin_ctzll(rows);
		struct table_count *c = &s->out[i * s->cells + at * (size_t)s->cells / ts->nr];

		c->nr += nr;
		c->period += period;
	}
}

static void spread_all(struct spread *s)
{
	const struct derived *of = s->t->derived;
	const struct table *base = of->base;

	for (size_t i = 0; i < base->rows.n; i++)
		if (of->row[i] != ID_NONE && s->row[of->row[i]])
			add(s, s->row[of->row[i]], base->rows.v[i].group, base->rows.v[i].nr,
			    base->rows.v[i].period);
	for (size_t i = 0; i < base->ch.leafs.n; i++) {
		const struct leaf *l = &base->ch.leafs.v[i], *to;
		uint64_t rows;

		if (of->leaf[i] == ID_NONE)
			continue;
		to = of->leaf[i] & DERIVED_ROW ? NULL : &s->t->ch.leafs.v[of->leaf[i]];
		rows = s->row[to ? to->row : of->leaf[i] & ~DERIVED_ROW];
		if (to && s->node)
			rows |= s->node[to->node];
		if (rows)
			add(s, rows, base->rows.v[l->row].group, l->count, l->period);
	}
}

int table_spread_over_time(const struct table *t, const uint64_t *bits, unsigned cells,
			   struct table_count *out)
{
	struct spread s = { .t = t, .row = bits, .cells = cells, .out = out };
	int ret;

	if (!t->derived || !t->keys.slices.nr || !cells)
		return 0;
	ret = mark_nodes(&s);
	if (!ret)
		spread_all(&s);
	free(s.node);
	return ret;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static struct table_end end_of(const struct table *base, uint32_t group, uint64_t nr,
			       uint64_t period)
{
	uint32_t comm = (uint32_t)keys_tuple_get(&base->groups, group)[base->rich_slot[RICH_COMM]];

	return (struct table_end){
		.comm = intern_str(&base->keys.names, comm),
		.comm_id = comm,
		.node = ID_NONE,
		.samples = { nr, period },
	};
}

int table_each_end(const struct table *t, int (*fn)(void *ctx, const struct table_end *end),
		   void *ctx)
{
	const struct derived *of = t->derived;
	const struct table *base = of ? of->base : NULL;
	int ret = 0;

	for (size_t i = 0; base && !ret && i < base->rows.n; i++) {
		const struct keys_row *row = &base->rows.v[i];
		struct table_end end = end_of(base, row->group, row->nr, row->period);

		end.row = of->row[i];
		if (end.row != ID_NONE)
			ret = fn(ctx, &end);
	}
	for (size_t i = 0; base && !ret && i < base->ch.leafs.n; i++) {
		const struct leaf *l = &base->ch.leafs.v[i];
		struct table_end end =
			end_of(base, base->rows.v[l->row].group, l->count, l->period);

		if (of->leaf[i] == ID_NONE)
			continue;
		end.row = of->leaf[i] & ~DERIVED_ROW;
		if (!(of->leaf[i] & DERIVED_ROW)) {
			end.node = t->ch.leafs.v[of->leaf[i]].node;
			end.row = t->ch.leafs.v[of->leaf[i]].row;
		}
		ret = fn(ctx, &end);
	}
	return ret;
}
