// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows: counting while samples come. A row is (group, place, place2, bits), all numbers: the group
 * is what the keys of the sample give, a place what those of its address give, so that few
 * distinct groups and places make many rows.
 */
#include "table-int.h"

static bool same_group(const struct table *t, uint32_t id, const uint64_t *vals)
{
	const uint64_t *have = keys_tuple_get(&t->groups, id);

	for (unsigned i = 0; i <= t->nr_group; i++)
		if (have[i] != vals[i])
			return false;
	return true;
}

uint32_t table_group_of(struct table *t, const struct sample *s, struct thread *th)
{
	uint32_t *recent = &t->feed->recent_group[th->idx % ARRAY_SIZE(t->feed->recent_group)];
	uint64_t vals[MAX_VALUES];

	vals[0] = s->event ? s->event->idx : 0;
	for (unsigned i = 0; i < t->nr_group; i++) {
		const struct key *k = t->group_cols[i]->key;
		uint64_t v = k->sample(&t->keys, s, th);

		vals[i + 1] = k->mask ? v & k->mask : v;
	}
	if (t->keys.no_memory)
		return ID_NONE;
	if (*recent >= t->groups.n || !same_group(t, *recent, vals))
		*recent = keys_tuple_id(&t->groups, vals);
	return *recent;
}

static uint64_t row_hash(uint32_t group, uint32_t place, uint32_t place2, uint32_t bits)
{
	return hash_mix((uint64_t)group << 32 | place, (uint64_t)place2 << 32 | bits);
}

void table_row_prefetch(const struct table *t, uint32_t group, uint32_t place, uint32_t place2,
			uint32_t bits)
{
	htab_prefetch(&t->row_tab, row_hash(group, place, place2, bits));
}

void table_row_prefetch_next(const struct table *t, uint32_t group, uint32_t place, uint32_t place2,
			     uint32_t bits)
{
	struct htab_it it = htab_find(&t->row_tab, row_hash(group, place, place2, bits));
	uint32_t i;

	if (htab_next(&t->row_tab, &it, &i))
		__builtin_prefetch(&t->rows.v[i], 1);
}

static inline uint32_t find(const struct table *t, uint64_t hash, uint32_t group, uint32_t place,
			    uint32_t place2, uint32_t bits)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&t->row_tab, hash); htab_next(&t->row_tab, &it, &i);) {
		const struct keys_row *r = &t->rows.v[i];

		if (r->group == group && r->place == place && r->place2 == place2 &&
		    r->bits == bits)
			return i;
	}
	return ID_NONE;
}

uint32_t table_row_find(const struct table *t, uint32_t group, uint32_t place, uint32_t place2,
			uint32_t bits)
{
	return find(t, row_hash(group, place, place2, bits), group, place, place2, bits);
}

struct keys_row *table_row_of(struct table *t, uint32_t group, uint32_t place, uint32_t place2,
			      uint32_t bits)
{
	uint64_t h = row_hash(group, place, place2, bits);
	struct keys_row row = { .group = group, .place = place, .place2 = place2, .bits = bits };
	uint32_t i = find(t, h, group, place, place2, bits);

	if (i != ID_NONE)
		return &t->rows.v[i];
	row.idx = (uint32_t)t->rows.n;
	row.thread = ID_NONE;
	if (vec_push(&t->rows, row) || htab_add(&t->row_tab, h, row.idx))
		return NULL;
	return &t->rows.v[row.idx];
}

int table_rows_index(struct table *t)
{
	htab_free(&t->row_tab);
	vec_for_each (r, &t->rows)
		if (htab_add(&t->row_tab, row_hash(r->group, r->place, r->place2, r->bits), r->idx))
			return -ENOMEM;
	return 0;
}

struct keys_row *table_row_own(struct table *t, uint32_t group, uint32_t place, uint32_t thread,
			       uint8_t cpumode, uint32_t first_node)
{
	struct keys_row *row = table_row_of(t, group, place, 0, 0);

	if (row && row->thread == ID_NONE) {
		row->thread = thread;
		row->first_node = first_node;
		row->cpumode = cpumode;
	}
	return row;
}

struct event_rows *table_event_rows(struct table *t, uint32_t event)
{
	while (t->events.n <= event) {
		struct event_rows ev = { 0 };

		if (t->events.n > 65535 || vec_push(&t->events, ev))
			return NULL;
	}
	return &t->events.v[event];
}

uint32_t table_row_event(const struct table *t, const struct keys_row *row)
{
	return (uint32_t)keys_tuple_get(&t->groups, row->group)[0];
}

const struct table_totals *table_totals(const struct table *t, uint32_t event)
{
	static const struct table_totals none;

	return event < t->events.n ? &t->events.v[event].totals : &none;
}
