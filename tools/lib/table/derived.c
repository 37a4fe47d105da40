// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a derived table still knows of its base: which rows and ends of chains of it went where.
 */
#include "derive-int.h"

void table_derived_free(struct table *t)
{
	if (!t->derived)
		return;
	vec_free(&t->derived->row);
	vec_free(&t->derived->leaf);
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

		end.row = of->row.v[i];
		if (end.row != ID_NONE)
			ret = fn(ctx, &end);
	}
	for (size_t i = 0; base && !ret && i < base->ch.leafs.n; i++) {
		const struct leaf *l = &base->ch.leafs.v[i];
		struct table_end end =
			end_of(base, base->rows.v[l->row].group, l->count, l->period);

		if (of->leaf.v[i] == ID_NONE)
			continue;
		end.row = of->leaf.v[i] & ~DERIVED_ROW;
		if (!(of->leaf.v[i] & DERIVED_ROW)) {
			end.node = t->ch.leafs.v[of->leaf.v[i]].node;
			end.row = t->ch.leafs.v[of->leaf.v[i]].row;
		}
		ret = fn(ctx, &end);
	}
	return ret;
}
