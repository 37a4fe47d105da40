// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the rows above others cost with callees. A sample counts once for a row, in however many
 * of its chain's frames the row is: so the rows below cannot just be added up, and the trie is
 * walked with the rows above in place of those of the frames.
 */
#include "view-int.h"

struct nest_walk {
	struct view *v;
	unsigned first;	 /* level: to those above it all frames of a chain are equal */
	uint32_t member; /* of the group, that the chains at hand belong to */
	uint32_t *owner; /* by row: the leader's row of a member's; NULL without groups */
	uint32_t *leaf;	 /* by node: the last of the samples that end there */
	uint32_t *seen;	 /* by row above others: how often on the way here */
};

/* The first level with a key of locations; nr_levels - 1 when it is the last one. */
static unsigned first_level(const struct columns *cs)
{
	unsigned i = 0;

	while (i < cs->level_at[cs->nr_levels - 1] &&
	       (cs->level_cols[i]->key->at == KEY_SAMPLE || cs->level_cols[i]->key->at == KEY_STAT))
		i++;
	for (unsigned l = 0; l + 1 < cs->nr_levels; l++)
		if (i < cs->level_at[l + 1])
			return l;
	return cs->nr_levels - 1;
}

/* The numbers of @row, which is above others, in the member at hand. */
static struct keys_row *row_of(const struct nest_walk *w, uint32_t row)
{
	struct view *v = w->v;
	size_t at = row - v->base;

	if (!w->member)
		return &v->rows.v[at].row;
	return &v->members.v[at * (v->t->max_members - 1) + w->member - 1].row;
}

/* The row above @row as far as it is of interest; @row may be one of a member. */
static uint32_t above(const struct nest_walk *w, uint32_t row, bool leaf)
{
	const struct nest *nest = w->v->nest.v;
	uint32_t up = nest[leaf && w->owner ? w->owner[row] : row].above;

	return up == ID_NONE || nest[up].level < w->first ? ID_NONE : up;
}

static int enter(struct nest_walk *w, uint32_t node)
{
	struct view *v = w->v;
	const struct table *t = v->t;
	const struct chains *c = &t->ch;
	uint32_t row = c->nodes.v[node].row;

	for (uint32_t a = above(w, row, true); a != ID_NONE; a = above(w, a, false)) {
		struct keys_row *to = row_of(w, a);

		if (w->seen[a - v->base]++)
			continue;
		to->acc += c->end[node].total;
		if (table_sums_pass(&v->sums, to->idx - v->base, &t->sums, node))
			return -ENOMEM;
	}
	/* What rows cost themselves is in their sums already. */
	for (uint32_t l = w->leaf[node]; l != ID_NONE; l = c->leafs.v[l].next) {
		row = c->leafs.v[l].row;
		for (uint32_t a = above(w, row, true); a != ID_NONE; a = above(w, a, false)) {
			struct keys_row *to = row_of(w, a);

			if (!w->seen[a - v->base])
				continue;
			to->acc -= c->leafs.v[l].period;
			table_sums_unpass(&v->sums, to->idx - v->base, &t->sums, l);
		}
	}
	return 0;
}

static void leave(struct nest_walk *w, uint32_t node)
{
	uint32_t row = w->v->t->ch.nodes.v[node].row;

	for (uint32_t a = above(w, row, true); a != ID_NONE; a = above(w, a, false))
		w->seen[a - w->v->base]--;
}

/* The chains of one group of samples, from its first outermost frame. */
static int walk(struct nest_walk *w, uint32_t i)
{
	const struct chains *c = &w->v->t->ch;

	while (i != ID_NONE) {
		if (enter(w, i))
			return -ENOMEM;
		if (c->end[i].child != ID_NONE) {
			i = c->end[i].child;
			continue;
		}
		for (;;) {
			leave(w, i);
			if (c->end[i].next != ID_NONE)
				break;
			i = c->nodes.v[i].parent;
			if (i & NODE_ROOT)
				return 0;
		}
		i = c->end[i].next;
	}
	return 0;
}

/* Leafs of a node are linked, from the last to the first. */
static void list_leafs(struct nest_walk *w)
{
	const struct chains *c = &w->v->t->ch;

	memset(w->leaf, 0xff, (c->nodes.n + 1) * sizeof(*w->leaf));
	for (uint32_t i = 0; i < c->leafs.n; i++)
		w->leaf[c->leafs.v[i].node] = i;
}

/* Whose rows the rows of members are shown in. */
static int list_owners(struct nest_walk *w)
{
	const struct table *t = w->v->t;
	size_t others = t->max_members - 1;

	if (!t->max_members)
		return 0;
	w->owner = malloc((t->rows.n + 1) * sizeof(*w->owner));
	if (!w->owner)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->rows.n; i++)
		w->owner[i] = i;
	for (size_t i = 0; i < t->members.n; i++)
		if (t->members.v[i].idx != ID_NONE)
			w->owner[t->members.v[i].idx] = (uint32_t)(i / others);
	return 0;
}

/* Every sample in the rows that it is in without its chain. */
static int own_acc(struct nest_walk *w)
{
	struct view *v = w->v;

	for (uint32_t i = v->base; i < v->nest.n; i++) {
		uint32_t members;

		/* A member's, which is in the leader's place. */
		if (v->nest.v[i].level >= v->c.nr_levels - 1)
			continue;
		members = v->t->events.v[table_row_event(v->t, view_row_at(v, i))].members;
		for (w->member = 0; w->member < (members ? members : 1); w->member++) {
			struct keys_row *row = row_of(w, i);

			row->acc = row->period;
			if (table_sums_own(&v->sums, row->idx - v->base, &v->t->sums))
				return -ENOMEM;
		}
	}
	return 0;
}

int view_nest_acc(struct view *v)
{
	const struct table *t = v->t;
	struct nest_walk w = { .v = v, .first = first_level(&v->c) };
	int ret;

	w.leaf = malloc((t->ch.nodes.n + 1) * sizeof(*w.leaf));
	w.seen = calloc(v->rows.n + 1, sizeof(*w.seen));
	ret = w.leaf && w.seen ? list_owners(&w) : -ENOMEM;
	if (ret)
		goto out;
	list_leafs(&w);
	ret = own_acc(&w);
	for (uint32_t g = 0; !ret && g < t->groups.n; g++) {
		uint32_t event = (uint32_t)keys_tuple_get(&t->groups, g)[0];
		const struct event_rows *ev = &t->events.v[event];

		w.member = ev->members ? event - ev->leader : 0;
		if (w.first + 1 < v->c.nr_levels)
			ret = walk(&w, t->ch.root[g]);
	}
out:
	free(w.leaf);
	free(w.seen);
	free(w.owner);
	return ret;
}
