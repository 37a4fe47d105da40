// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --stop-bt: the functions that call chains end with, by their whole names, as upstream compares
 * them: a part of a name would end chains that nobody meant.
 */
#include <stdlib.h>

#include "script-int.h"

int script_stops_parse(struct script *sc, struct err *e)
{
	const char *s = sc->opts.stop_bt;

	while (s && *s) {
		size_t n = strcspn(s, ",");
		const char *name = n ? arena_strndup(&sc->arena, s, n) : NULL;

		if (n && (!name || vec_push(&sc->stops, name)))
			return err_set(e, -ENOMEM, "no memory for --stop-bt");
		s += n;
		s += *s == ',';
	}
	return 0;
}

bool script_stops_at(const struct script *sc, const struct symbol *sym)
{
	if (likely(!sc->stops.n) || !sym)
		return false;
	vec_for_each (name, &sc->stops)
		if (!strcmp(*name, sym->name))
			return true;
	return false;
}
