// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of a group in one table: the leader's rows carry the numbers of the other members. A
 * member's row has the same keys but for the event, which is the first value of its group tuple.
 */
#include "table-int.h"

int table_set_group(struct table *t, uint32_t leader, uint32_t members)
{
	if (members < 2 || members > 64)
		return 0;
	if (!table_event_rows(t, leader + members - 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < members; i++) {
		t->events.v[leader + i].leader = leader;
		t->events.v[leader + i].members = members;
	}
	if (t->max_members < members)
		t->max_members = members;
	return 0;
}

uint32_t table_members(const struct table *t, uint32_t event)
{
	const struct event_rows *ev = event < t->events.n ? &t->events.v[event] : NULL;

	if (!ev || !ev->members)
		return 1;
	return ev->leader == event ? ev->members : 0;
}

static uint32_t leaders_group(struct table *t, uint32_t group, uint32_t leader)
{
	uint64_t vals[MAX_VALUES];

	memcpy(vals, keys_tuple_get(&t->groups, group), t->groups.width * sizeof(*vals));
	vals[0] = leader;
	return keys_tuple_id(&t->groups, vals);
}

/* Makes the leader's row for each member's. */
static int make_rows(struct table *t)
{
	for (size_t i = 0, n = t->rows.n; i < n; i++) {
		struct keys_row row = t->rows.v[i], *to;
		const struct event_rows *ev = &t->events.v[table_row_event(t, &row)];
		uint32_t group;

		if (!ev->members || ev->leader == table_row_event(t, &row))
			continue;
		group = leaders_group(t, row.group, ev->leader);
		to = group == ID_NONE ? NULL
				      : table_row_of(t, group, row.place, row.place2, row.bits);
		if (!to)
			return -ENOMEM;
		if (to->thread == ID_NONE) {
			to->thread = row.thread;
			to->cpumode = row.cpumode;
		}
	}
	return 0;
}

int table_rows_group(struct table *t)
{
	static const struct keys_row none = { .idx = ID_NONE };
	size_t others = t->max_members - 1;

	if (table_rows_index(t) || make_rows(t))
		return -ENOMEM;
	if (vec_reserve(&t->members, t->rows.n * others + 1))
		return -ENOMEM;
	/* A member without samples: no row's numbers. */
	for (size_t i = 0; i < t->rows.n * others; i++)
		t->members.v[t->members.n++] = none;
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct keys_row *row = &t->rows.v[i], *to;
		uint32_t event = table_row_event(t, row), group;
		const struct event_rows *ev = &t->events.v[event];

		if (!ev->members || ev->leader == event)
			continue;
		group = leaders_group(t, row->group, ev->leader);
		to = group == ID_NONE ? NULL
				      : table_row_of(t, group, row->place, row->place2, row->bits);
		if (!to)
			return -ENOMEM;
		table_members_of(t, to->idx)[event - ev->leader - 1] = *row;
	}
	return 0;
}

struct keys_row *table_members_of(const struct table *t, uint32_t row)
{
	return t->members.v + row * (size_t)(t->max_members - 1);
}
