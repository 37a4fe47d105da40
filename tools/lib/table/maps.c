// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The maps that table_merge() needs between tables with machines and resolvers of their own: those of
 * their sessions (session/maps.c), of tables that have numbered all they were given.
 */
#include "table-int.h"

struct own_maps {
	struct table_maps pub; /* first: what is handed out */
	struct session_env to, from;
	struct session_maps *maps;
};

/* Most rows are told apart by symbols, names and addresses. */
static bool wants_locs(const struct table *t)
{
	for (unsigned i = 0; i < t->c.nr_cols; i++)
		if (t->c.cols[i].key->value == VALUE_LOC)
			return true;
	return t->sums.n || t->flow || t->keys.o.rich;
}

int table_maps_new(struct table_maps **maps, struct table *to, struct table *from, bool locs,
		   struct err *e)
{
	struct own_maps *o = calloc(1, sizeof(*o));
	int ret;

	*maps = NULL;
	/* What waits is given numbers first, in the order of one reading. */
	if (!o || table_flush(to) || table_flush(from)) {
		free(o);
		return err_set(e, -ENOMEM, "no memory to find what is alike in two recordings");
	}
	/* Of recordings only events are looked at, and whether they are one. */
	o->to = (struct session_env){ .pd = (struct perfdata *)to->keys.o.pd,
				      .machine = to->keys.m,
				      .resolver = to->keys.res };
	o->from = (struct session_env){ .pd = (struct perfdata *)from->keys.o.pd,
					.machine = from->keys.m,
					.resolver = from->keys.res };
	ret = locs || wants_locs(from) ? session_maps_new(&o->maps, &o->to, &o->from, e)
				       : session_maps_no_locs(&o->maps, &o->to, &o->from, e);
	if (ret || !o->maps) {
		free(o);
		return ret;
	}
	o->pub = (struct table_maps){ .thread = o->maps->thread,
				      .cgroup = o->maps->cgroup,
				      .symbol = o->maps->symbol,
				      .event = o->maps->event,
				      .dso = o->maps->dso,
				      .loc = o->maps->loc,
				      .objects = o->maps->objects };
	*maps = &o->pub;
	return 0;
}

void table_maps_free(struct table_maps *maps)
{
	struct own_maps *o = (struct own_maps *)maps;

	if (!o)
		return;
	session_maps_free(o->maps);
	free(o);
}
