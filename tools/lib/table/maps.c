// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The maps that table_merge() needs between tables with machines and resolvers of their own: each
 * room below says which of its numbers over there is which here, and makes what is missing. So
 * after the merge nothing of the result is the source's.
 */
#include "table-int.h"

struct own_maps {
	struct table_maps pub; /* first: what is handed out */
	uint32_t *thread, *symbol, *dso, *loc;
	struct dso **objects;
};

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "no memory to find what is alike in two recordings");
}

static int map_machine(struct own_maps *o, struct machine *to, const struct machine *from)
{
	size_t threads = machine_nr_threads(from), dsos = machine_nr_dsos(from);
	int ret;

	o->thread = calloc(threads + 1, sizeof(*o->thread));
	o->dso = calloc(dsos + 1, sizeof(*o->dso));
	o->objects = calloc(dsos + 1, sizeof(struct dso *));
	if (!o->thread || !o->dso || !o->objects)
		return -ENOMEM;
	ret = machine_match_threads(to, from, o->thread);
	ret = ret ?: machine_match_dsos(to, from, o->objects);
	for (size_t i = 0; !ret && i < dsos; i++)
		o->dso[i] = o->objects[i]->idx;
	return ret;
}

int table_maps_new(struct table_maps **maps, struct table *to, struct table *from, struct err *e)
{
	struct own_maps *o = calloc(1, sizeof(*o));
	int ret;

	*maps = NULL;
	if (!o)
		return no_memory(e);
	ret = table_flush(from); /* what waits may still be given numbers */
	ret = ret ?: map_machine(o, to->keys.m, from->keys.m);
	ret = ret ?: resolver_match_symbols(to->keys.res, from->keys.res, o->objects, &o->symbol);
	ret = ret ?: resolver_match_locs(to->keys.res, from->keys.res, o->objects, &o->loc);
	if (ret) {
		table_maps_free(&o->pub);
		return no_memory(e);
	}
	o->pub = (struct table_maps){ .thread = o->thread,
				      .symbol = o->symbol,
				      .dso = o->dso,
				      .loc = o->loc,
				      .objects = o->objects };
	*maps = &o->pub;
	return 0;
}

void table_maps_free(struct table_maps *maps)
{
	struct own_maps *o = (struct own_maps *)maps;

	if (!o)
		return;
	free(o->thread);
	free(o->symbol);
	free(o->dso);
	free(o->loc);
	free(o->objects);
	free(o);
}
