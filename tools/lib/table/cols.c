// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a table has the values of its keys: which tuple of a row each one lives in, which sums it
 * wants, and what follows for reading from keys that look below symbols or at raw addresses.
 */
#include "table-int.h"

static int want_sum(struct table *t, struct keys_col *c)
{
	struct sum *sum = table_sums_want(&t->sums, c->key->of);

	if (!sum)
		return -ENOMEM;
	c->sum = sum;
	c->slots = c->key->acc ? &sum->callees : &sum->row;
	return 0;
}

static void push_group(struct table *t, struct keys_col *c)
{
	c->slot = 1 + t->nr_group; /* slot 0 is the event */
	t->group_cols[t->nr_group++] = c;
}

/* What a rich table counts by, in place of what can be made of it. */
static void rich_cols(struct table *t)
{
	struct keys_col *c = t->rich;
	const struct key *k;

	for (unsigned i = 0; i < NR_RICH_GROUP; i++, c++) {
		c->key = keys_rich_group(i);
		t->need |= c->key->need;
		t->rich_slot[i] = 1 + t->nr_group;
		push_group(t, c);
	}
	for (unsigned i = 0; i < NR_RICH_PLACE; i++, c++) {
		c->key = keys_rich_place(i);
		t->place_cols[t->nr_place++] = c;
		if (t->keys.o.branch)
			t->place2_cols[t->nr_place2++] = c;
	}
	for (size_t i = 0; t->keys.o.branch && (k = keys_at(i)); i++)
		t->bit_mask |= k->at == KEY_BITS ? k->bits : 0;
	t->ip_is_key = true;
}

static void set_widths(struct table *t)
{
	t->by_symbol = !t->keys.o.rich;
	for (unsigned i = 0; i < t->nr_place; i++)
		t->by_symbol &= t->place_cols[i]->key->per_symbol;
	t->groups.width = 1 + t->nr_group;
	t->places.width = t->nr_place;
	t->places2.width = t->nr_place2;
	t->keys.daddrs.width = 4;
}

/* Which tuple every key lives in. */
static int place_cols(struct table *t)
{
	struct columns *cs = &t->c;

	for (unsigned i = 0; i < cs->nr_cols; i++) {
		struct keys_col *c = &cs->cols[i];
		bool second = c->key->at == KEY_TO || (c->key->at == KEY_PLACE && cs->o->branch);

		if (c->elided)
			continue;
		t->need |= c->key->need;
		if (c->key->of && !(cs->o->rich && c->key->of->of_row) && want_sum(t, c))
			return -ENOMEM;
		if (cs->o->rich && keys_is_derived(c->key))
			continue;
		if (c->key->at == KEY_SAMPLE) {
			push_group(t, c);
		} else if (c->key->at == KEY_BITS) {
			t->bit_mask |= c->key->bits;
		} else if (second) {
			c->slot = t->nr_place2;
			t->place2_cols[t->nr_place2++] = c;
		} else if (c->key->at != KEY_STAT) {
			c->slot = t->nr_place;
			t->place_cols[t->nr_place++] = c;
		}
		t->ip_is_key |= c->key->raw_ip == RAW_ALWAYS;
		t->ip_unnamed |= c->key->raw_ip == RAW_UNNAMED;
		if (!strcmp(c->key->name, "dso"))
			t->keys.dso_is_key = true;
		if (!strcmp(c->key->name, "symbol"))
			t->sym_is_key = true;
		if (!strcmp(c->key->name, "dso_size"))
			t->map_is_key = true;
	}
	if (cs->o->rich)
		rich_cols(t);
	set_widths(t);
	return 0;
}

int table_cols(struct table *t, struct err *e)
{
	struct columns *cs = &t->c;
	int ret;

	cs->ks = cs->maker = &t->keys;
	cs->o = &t->keys.o;
	ret = keys_cols_choose(cs, e);
	if (ret)
		return ret;
	keys_cols_elide(cs);
	return place_cols(t) ? err_set(e, -ENOMEM, "no memory for columns") : 0;
}
