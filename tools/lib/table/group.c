// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of a group in one table: the leader's rows carry the numbers of the other members. A
 * member's row has the same keys but for the event, which is the first value of its group tuple.
 */
#include "table-int.h"

int table_set_group(struct table *p, uint32_t leader, uint32_t members)
{
	if (members < 2 || members > 64)
		return 0;
	if (!table_event_rows(p, leader + members - 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < members; i++) {
		p->events.v[leader + i].leader = leader;
		p->events.v[leader + i].members = members;
	}
	if (p->max_members < members)
		p->max_members = members;
	return 0;
}

uint32_t table_members(const struct table *p, uint32_t event)
{
	const struct event_rows *ev = event < p->events.n ? &p->events.v[event] : NULL;

	if (!ev || !ev->members)
		return 1;
	return ev->leader == event ? ev->members : 0;
}

static uint32_t leaders_group(struct table *p, uint32_t group, uint32_t leader)
{
	uint64_t vals[MAX_KEYS + 1];

	memcpy(vals, keys_tuple_get(&p->groups, group), p->groups.width * sizeof(*vals));
	vals[0] = leader;
	return keys_tuple_id(&p->groups, vals);
}

/* Makes the leader's row for each member's. */
static int make_rows(struct table *p)
{
	for (size_t i = 0, n = p->rows.n; i < n; i++) {
		struct keys_row row = p->rows.v[i], *to;
		const struct event_rows *ev = &p->events.v[table_row_event(p, &row)];
		uint32_t group;

		if (!ev->members || ev->leader == table_row_event(p, &row))
			continue;
		group = leaders_group(p, row.group, ev->leader);
		to = group == ID_NONE ? NULL
				      : table_row_of(p, group, row.place, row.place2, row.bits);
		if (!to)
			return -ENOMEM;
		if (to->thread == ID_NONE) {
			to->thread = row.thread;
			to->cpumode = row.cpumode;
		}
	}
	return 0;
}

int table_rows_group(struct table *p)
{
	static const struct keys_row none = { .idx = ID_NONE };
	size_t others = p->max_members - 1;

	if (table_rows_index(p) || make_rows(p))
		return -ENOMEM;
	if (vec_reserve(&p->members, p->rows.n * others + 1))
		return -ENOMEM;
	/* A member without samples: no row's numbers. */
	for (size_t i = 0; i < p->rows.n * others; i++)
		p->members.v[p->members.n++] = none;
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct keys_row *row = &p->rows.v[i], *to;
		uint32_t event = table_row_event(p, row), group;
		const struct event_rows *ev = &p->events.v[event];

		if (!ev->members || ev->leader == event)
			continue;
		group = leaders_group(p, row->group, ev->leader);
		to = group == ID_NONE ? NULL
				      : table_row_of(p, group, row->place, row->place2, row->bits);
		if (!to)
			return -ENOMEM;
		table_members_of(p, to->idx)[event - ev->leader - 1] = *row;
	}
	return 0;
}

struct keys_row *table_members_of(const struct table *p, uint32_t row)
{
	return p->members.v + row * (size_t)(p->max_members - 1);
}
