// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rows of a command as one list, though they lie in several tables: a table may include others,
 * whose values lie in a struct inside the command's. A walk is a stack of the tables that it is in.
 */
#include "cli-int.h"

struct option_walk option_walk_init(const struct command *cmd)
{
	return (struct option_walk){ .own = cmd->options, .table[0].next = cmd->options };
}

/* The command's own table has a row with the long name of @o. */
static bool is_replaced(const struct option_walk *w, const struct option *o)
{
	for (const struct option *own = w->own; o->name && own->type != OPTION_END; own++)
		/* Asked for every pair of options: first letters tell most of them apart. */
		if (own->type != OPTION_GROUP && own->name && *own->name == *o->name &&
		    !strcmp(own->name, o->name))
			return true;
	return false;
}

const struct option *option_next(struct option_walk *w)
{
	while (w->depth >= 0) {
		const struct option *o = w->table[w->depth].next;

		if (!o || o->type == OPTION_END) {
			w->depth--;
			continue;
		}
		w->table[w->depth].next++;
		w->base = w->table[w->depth].base;
		if (o->type == OPTION_INCLUDE && w->depth + 1 < (int)ARRAY_SIZE(w->table)) {
			w->depth++;
			w->table[w->depth].next = o->table;
			w->table[w->depth].base = w->base + o->offset;
		} else if (o->type != OPTION_INCLUDE && (!w->depth || !is_replaced(w, o))) {
			return o;
		}
	}
	return NULL;
}
