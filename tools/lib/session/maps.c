// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The maps between two sessions, for whatever was counted by the numbers of one and is to be added to
 * what was counted by those of the other: each room below says which of its numbers over there is
 * which here, and makes what is missing. So after adding nothing of the result is the source's.
 */
#include <stdlib.h>

#include "session-int.h"

struct own_maps {
	struct session_maps pub; /* first: what is handed out */
	uint32_t *thread, *comm, *symbol, *dso, *loc, *event;
	uint64_t *cgroup;
	struct dso **objects;
};

static int map_events(struct own_maps *o, const struct session_env *from)
{
	size_t n = from->pd ? perfdata_nr_events(from->pd) : 0;

	o->event = n ? calloc(n, sizeof(*o->event)) : NULL;
	for (size_t i = 0; o->event && i < n; i++)
		o->event[i] = perfdata_event(from->pd, i)->joined;
	return n && !o->event ? -ENOMEM : 0;
}

static int map_machine(struct own_maps *o, struct machine *to, const struct machine *from)
{
	size_t threads = machine_nr_threads(from), dsos = machine_nr_dsos(from);
	int ret;

	o->thread = calloc(threads + 1, sizeof(*o->thread));
	o->comm = calloc(machine_nr_comms(from) + 1, sizeof(*o->comm));
	o->dso = calloc(dsos + 1, sizeof(*o->dso));
	o->objects = calloc(dsos + 1, sizeof(struct dso *));
	if (!o->thread || !o->comm || !o->dso || !o->objects)
		return -ENOMEM;
	ret = machine_match_threads(to, from, o->thread) ?: machine_match_comms(to, from, o->comm);
	ret = ret ?: machine_match_dsos(to, from, o->objects);
	for (size_t i = 0; !ret && i < dsos; i++)
		o->dso[i] = o->objects[i]->idx;
	return ret;
}

/* Ids of cgroups are numbers of a machine: pieces of one recording have the same. */
static int map_cgroups(struct own_maps *o, const struct session_env *to,
		       const struct session_env *from)
{
	if (!to->pd || !from->pd || !strcmp(perfdata_path(to->pd), perfdata_path(from->pd)))
		return machine_take_cgroups(to->machine, from->machine);
	o->cgroup = calloc(machine_nr_cgroups(from->machine) + 1, sizeof(*o->cgroup));
	return o->cgroup ? machine_match_cgroups(to->machine, from->machine, o->cgroup) : -ENOMEM;
}

static int map_all(struct own_maps *o, const struct session_env *to, const struct session_env *from,
		   bool locs)
{
	int ret = map_machine(o, to->machine, from->machine) ?: map_cgroups(o, to, from);

	if (ret || !to->resolver || !from->resolver)
		return ret;
	/* First: what is loaded for the others says its messages in another order. */
	ret = resolver_take_notes(to->resolver, from->resolver, o->objects);
	ret = ret ?: resolver_match_symbols(to->resolver, from->resolver, o->objects, &o->symbol);
	return ret || !locs
		       ? ret
		       : resolver_match_locs(to->resolver, from->resolver, o->objects, &o->loc);
}

static int make_maps(struct session_maps **maps, const struct session_env *to,
		     const struct session_env *from, bool locs, struct err *e)
{
	struct own_maps *o = calloc(1, sizeof(*o));

	*maps = NULL;
	if (!o || map_events(o, from) || map_all(o, to, from, locs)) {
		session_maps_free(&o->pub);
		return err_set(e, -ENOMEM, "no memory to find what is alike in two recordings");
	}
	o->pub = (struct session_maps){ .to = to,
					.from = from,
					.thread = o->thread,
					.comm = o->comm,
					.symbol = o->symbol,
					.dso = o->dso,
					.loc = o->loc,
					.event = o->event,
					.cgroup = o->cgroup,
					.objects = o->objects };
	*maps = &o->pub;
	return 0;
}

int session_maps_new(struct session_maps **maps, const struct session_env *to,
		     const struct session_env *from, struct err *e)
{
	return make_maps(maps, to, from, true, e);
}

int session_maps_no_locs(struct session_maps **maps, const struct session_env *to,
			 const struct session_env *from, struct err *e)
{
	return make_maps(maps, to, from, false, e);
}

void session_maps_free(struct session_maps *maps)
{
	struct own_maps *o = (struct own_maps *)maps;

	if (!o)
		return;
	free(o->thread);
	free(o->comm);
	free(o->symbol);
	free(o->dso);
	free(o->loc);
	free(o->event);
	free(o->cgroup);
	free(o->objects);
	free(o);
}
