// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The columns of a view: those that its options ask for, as far as the table counted by them, less
 * those that would say nothing; with a hierarchy, what stands in front of all rows and what belongs
 * to a level.
 */
#include "view-int.h"

/* What callees cost, where there are no chains; -F alone keeps it. */
static void drop_sums(const struct columns *cs, struct keys_col **list, unsigned *nr)
{
	const char *fields = cs->o->fields;
	unsigned n = 0;

	if (!cs->o->no_chains || (fields && *fields && *fields != '+'))
		return;
	for (unsigned i = 0; i < *nr; i++)
		if (!list[i]->key->acc)
			list[n++] = list[i];
	*nr = n;
}

/* Columns of latency say nothing when no two threads ever ran at once. */
static void drop_latency(struct columns *cs, const struct table *t)
{
	unsigned n = 0;

	if (t->parallel || cs->latency_named)
		return;
	for (unsigned i = 0; i < cs->nr_out; i++)
		if (!cs->out[i]->key->latency)
			cs->out[n++] = cs->out[i];
	cs->nr_out = n;
}

static void user_widths(struct columns *cs)
{
	const char *s = cs->o->widths;

	for (unsigned i = 0; s && *s && i < cs->nr_out && !cs->nr_levels; i++) {
		char *end;
		long v = strtol(s, &end, 10);

		if (end == s)
			break;
		cs->out[i]->user_width = v > 0 && v < 10000 ? (int)v : 0;
		s = *end ? end + 1 : end;
	}
}

static void drop_elided(struct keys_col **list, unsigned *nr)
{
	unsigned n = 0;

	for (unsigned i = 0; i < *nr; i++)
		if (!list[i]->elided)
			list[n++] = list[i];
	*nr = n;
}

/* ---- levels ---------------------------------------------------------------------------------- */

static bool has_keys(const struct columns *cs, int level)
{
	for (unsigned i = 0; i < cs->nr_order; i++)
		if (cs->order[i]->level == level && cs->order[i]->key->at != KEY_STAT)
			return true;
	return false;
}

/* Numbers of the first level that has some, and of levels that have nothing else. */
static bool in_front(const struct columns *cs, const struct keys_col *c)
{
	unsigned first = 0;

	if (c->key->at != KEY_STAT)
		return false;
	while (cs->order[first]->key->at != KEY_STAT)
		first++;
	return c->level == cs->order[first]->level || !has_keys(cs, c->level);
}

/* The columns of @level, in their order, as the next level. */
static void add_level(struct columns *cs, const bool *front, int level)
{
	unsigned n = cs->level_at[cs->nr_levels];

	for (unsigned i = 0; i < cs->nr_order; i++)
		if (!front[i] && cs->order[i]->level == level)
			cs->level_cols[n++] = cs->order[i];
	cs->level_at[++cs->nr_levels] = n;
}

static void find_levels(struct columns *cs)
{
	bool front[MAX_KEYS];
	unsigned n = 0;

	if (!cs->o->hierarchy || !cs->nr_order)
		return;
	for (unsigned i = 0; i < cs->nr_order; i++)
		front[i] = in_front(cs, cs->order[i]);
	for (unsigned i = 0; i < cs->nr_order; i++) {
		bool new = !front[i];

		for (unsigned j = 0; j < i; j++)
			new &= front[j] || cs->order[j]->level != cs->order[i]->level;
		if (new)
			add_level(cs, front, cs->order[i]->level);
	}
	if (!cs->nr_levels)
		return;
	for (unsigned i = 0; i < cs->nr_order; i++)
		cs->order[i]->level = 0;
	for (unsigned l = 0; l < cs->nr_levels; l++)
		for (unsigned i = cs->level_at[l]; i < cs->level_at[l + 1]; i++)
			cs->level_cols[i]->level = (int)l + 1;
	for (unsigned i = 0; i < cs->nr_out; i++)
		if (!cs->out[i]->level)
			cs->out[n++] = cs->out[i];
	cs->nr_out = n;
}

/* ---- all ------------------------------------------------------------------------------------- */

static const struct keys_col *counted_col(const struct table *t, const struct key *key)
{
	for (unsigned i = 0; i < t->c.nr_cols; i++)
		if (t->c.cols[i].key == key)
			return &t->c.cols[i];
	return NULL;
}

/* Where in the table the values of the view's columns are. */
static int bind(struct columns *cs, const struct table *t, struct err *e)
{
	for (unsigned i = 0; i < cs->nr_cols; i++) {
		struct keys_col *c = &cs->cols[i];
		const struct keys_col *counted = counted_col(t, c->key);

		if (counted) {
			c->slot = counted->slot;
			c->sum = counted->sum;
			c->slots = counted->slots;
		} else if (c->key->at != KEY_STAT || c->key->of) {
			return err_set(e, -EINVAL, "key `%s' was not counted", c->key->name);
		}
		c->elided |= counted && counted->elided;
	}
	return 0;
}

int view_cols(struct columns *cs, const struct table *t, const struct keys_opts *o, struct err *e)
{
	int ret;

	cs->ks = &t->keys;
	cs->o = o;
	ret = keys_cols_choose(cs, e);
	if (ret)
		return ret;
	drop_sums(cs, cs->out, &cs->nr_out);
	drop_sums(cs, cs->order, &cs->nr_order);
	keys_cols_elide(cs);
	ret = bind(cs, t, e);
	if (ret)
		return ret;
	/* A key that the table does not count by, since all rows are alike in it, is no level either. */
	drop_elided(cs->order, &cs->nr_order);
	find_levels(cs);
	user_widths(cs);
	drop_elided(cs->out, &cs->nr_out);
	drop_latency(cs, t);
	return 0;
}

const char *view_elided(const struct view *v, size_t i, const char **value)
{
	for (unsigned c = 0; c < v->c.nr_cols; c++) {
		const struct keys_col *col = &v->c.cols[c];

		if (!col->one_value || i--)
			continue;
		*value = col->one_value;
		return col->key->name;
	}
	return NULL;
}

const char *view_sort_text(struct view *v)
{
	const char *sort = v->o.sort && *v->o.sort != '+' ? v->o.sort : keys_default_sort(&v->o);
	bool ipc = v->o.sort && strstr(v->o.sort, "symbol");
	const char *plus = v->o.sort && *v->o.sort == '+' ? v->o.sort + 1 : NULL;

	return arena_printf(&v->text, "%s%s%s%s", sort, plus ? "," : "", plus ? plus : "",
			    !ipc	  ? ""
			    : v->o.branch ? ",ipc_lbr"
					  : ",ipc_null");
}
