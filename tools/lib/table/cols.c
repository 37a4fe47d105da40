// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a table has the values of its keys: which tuple of a row each one lives in, which sums it
 * wants, and what follows for reading from keys that look below symbols or at raw addresses.
 */
#include "table-int.h"

static int want_sum(struct table *p, struct keys_col *c)
{
	struct sum *sum = table_sums_want(&p->sums, c->key->of);

	if (!sum)
		return -ENOMEM;
	c->sum = sum;
	c->slots = c->key->acc ? &sum->callees : &sum->row;
	return 0;
}

/* Which tuple every key lives in. */
static int place_cols(struct table *p)
{
	struct columns *cs = &p->c;

	for (unsigned i = 0; i < cs->nr_cols; i++) {
		struct keys_col *c = &cs->cols[i];
		bool second = c->key->at == KEY_TO || (c->key->at == KEY_PLACE && cs->o->branch);

		if (c->elided)
			continue;
		p->need |= c->key->need;
		if (c->key->of && want_sum(p, c))
			return -ENOMEM;
		if (c->key->at == KEY_SAMPLE) {
			c->slot = 1 + p->nr_group; /* slot 0 is the event */
			p->group_cols[p->nr_group++] = c;
		} else if (c->key->at == KEY_BITS) {
			p->bit_mask |= c->key->bits;
		} else if (second) {
			c->slot = p->nr_place2;
			p->place2_cols[p->nr_place2++] = c;
		} else if (c->key->at != KEY_STAT) {
			c->slot = p->nr_place;
			p->place_cols[p->nr_place++] = c;
		}
		p->ip_is_key |= c->key->raw_ip == RAW_ALWAYS;
		p->ip_unnamed |= c->key->raw_ip == RAW_UNNAMED;
		if (!strcmp(c->key->name, "dso"))
			p->keys.dso_is_key = true;
		if (!strcmp(c->key->name, "symbol"))
			p->sym_is_key = true;
		if (!strcmp(c->key->name, "dso_size"))
			p->map_is_key = true;
	}
	p->by_symbol = true;
	for (unsigned i = 0; i < p->nr_place; i++)
		p->by_symbol &= p->place_cols[i]->key->per_symbol;
	p->groups.width = 1 + p->nr_group;
	p->places.width = p->nr_place;
	p->places2.width = p->nr_place2;
	p->keys.daddrs.width = 4;
	return 0;
}

int table_cols(struct table *p, struct err *e)
{
	struct columns *cs = &p->c;
	int ret;

	cs->ks = cs->maker = &p->keys;
	cs->o = &p->keys.o;
	ret = keys_cols_choose(cs, e);
	if (ret)
		return ret;
	keys_cols_elide(cs);
	return place_cols(p) ? err_set(e, -ENOMEM, "no memory for columns") : 0;
}
