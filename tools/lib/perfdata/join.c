// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of several recordings as one list, that of the first, for who adds up what their samples counted.
 * Events that it had keep their numbers; others come behind them, without ids, so that no record of the
 * first recording is taken for one of theirs.
 */
#include <stdlib.h>

#include "perfdata-int.h"

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool same_event(const struct perfdata_event *a, const struct perfdata_event *b)
{
	return attr_counts_same(&a->attr, &b->attr) && same_text(a->name, b->name) &&
	       a->raw_bases == b->raw_bases && a->raw_mxcsr == b->raw_mxcsr;
}

/* Events that stand together: a group, or one alone. */
static size_t block_of(const struct perfdata *pd, size_t first)
{
	const struct perfdata_event *ev = perfdata_event(pd, first);
	size_t n = ev->leader == first && ev->nr_members ? ev->nr_members : 1;

	return n <= pd->events.n - first ? n : 1;
}

static bool same_block(const struct perfdata *a, size_t at, const struct perfdata *b, size_t from,
		       size_t n)
{
	if (block_of(a, at) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_event(perfdata_event(a, at + i), perfdata_event(b, from + i)))
			return false;
	return true;
}

/* Two events of one recording stay two: @taken of those of @to. */
static size_t find_block(const struct perfdata *to, const struct perfdata *from, size_t first,
			 size_t n, const unsigned char *taken)
{
	size_t at = 0;

	while (at < to->events.n && (taken[at] || !same_block(to, at, from, first, n)))
		at++;
	return at;
}

/* @like in @to, alone. */
static struct pd_event *add_like(struct perfdata *to, const struct perfdata_event *like,
				 struct err *e)
{
	struct pd_event *ev = perfdata_add_event(to, &like->attr, e);
	struct perfdata_event own;

	if (!ev)
		return NULL;
	to->nr_joined++;
	own = ev->pub;
	ev->pub = *like;
	ev->pub.idx = ev->pub.leader = ev->pub.joined = own.idx;
	ev->pub.nr_members = 1;
	ev->pub.ids = NULL;
	ev->pub.nr_ids = 0;
	ev->pub.name = arena_strdup(&to->arena, like->name);
	ev->pub.group = like->group ? arena_strdup(&to->arena, like->group) : NULL;
	ev->pub.unit = like->unit ? arena_strdup(&to->arena, like->unit) : NULL;
	if (ev->pub.name)
		return ev;
	err_set(e, -ENOMEM, "out of memory for events");
	return NULL;
}

static int add_block(struct perfdata *to, const struct perfdata *from, size_t first, size_t n,
		     struct err *e)
{
	uint32_t leader = (uint32_t)to->events.n;

	for (size_t i = 0; i < n; i++) {
		struct pd_event *ev = add_like(to, perfdata_event(from, first + i), e);

		if (!ev)
			return e->code;
		ev->pub.leader = leader;
		ev->pub.nr_members = i ? 0 : (uint32_t)n;
	}
	return 0;
}

int perfdata_join_events(struct perfdata *to, struct perfdata *from, struct err *e)
{
	unsigned char *taken = calloc(to->events.n + own_events(from) + 1, 1);
	size_t n;
	int ret = taken ? 0 : err_set(e, -ENOMEM, "out of memory for events");

	for (size_t i = 0; !ret && i < own_events(from); i += n) {
		size_t at;

		n = block_of(from, i);
		at = find_block(to, from, i, n, taken);
		if (at == to->events.n)
			ret = add_block(to, from, i, n, e);
		for (size_t k = 0; k < n; k++) {
			from->events.v[i + k]->pub.joined = (uint32_t)(at + k);
			taken[at + k] = 1;
		}
	}
	free(taken);
	return ret;
}

size_t perfdata_nr_own_events(const struct perfdata *pd)
{
	return own_events(pd);
}

/* ---- columns ------------------------------------------------------------------------------------ */

int perfdata_add_columns(struct perfdata *to, const char *const *names, size_t nr, struct err *e)
{
	size_t n = to->events.n;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < nr; k++) {
			struct pd_event *ev = add_like(to, perfdata_event(to, i), e);
			const char *name = arena_printf(&to->arena, "%s: %s", names[k],
							perfdata_event(to, i)->name);

			if (!ev || !name)
				return ev ? err_set(e, -ENOMEM, "out of memory for events")
					  : e->code;
			ev->pub.name = name;
			ev->pub.leader = (uint32_t)(n + i * nr);
			ev->pub.nr_members = k ? 0 : (uint32_t)nr;
		}
	return 0;
}

void perfdata_join_column(struct perfdata *from, size_t nr_joined, size_t i, size_t nr)
{
	vec_for_each (ev, &from->events)
		(*ev)->pub.joined = (uint32_t)(nr_joined + (*ev)->pub.joined * nr + i);
}
