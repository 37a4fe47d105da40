// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows below rows. The rows of the last level are those of the table, sorted already. Each of
 * them is added to the rows above it, one per level, which are found by (row above, ranks of the
 * level's keys); then every level is sorted and linked to the one above, in this order.
 *
 * A row above others is a copy of the first of these in the order of their keys, with numbers of
 * its own: so it has its values in all keys, and everything that prints rows can print it.
 */
#include "view-int.h"

struct nester {
	struct view *v;
	uint32_t event;
	struct view_event *ev;
	struct tuples keys;    /* (row above, ranks) */
	VEC(uint32_t) by_keys; /* the row of a tuple */
	uint32_t first, nr;    /* rows that were made */
	uint32_t top;	       /* the first of the first level */
};

/* ---- numbers --------------------------------------------------------------------------------- */

static int add_numbers(struct view *v, struct keys_row *to, const struct keys_row *from)
{
	to->period += from->period;
	to->acc += from->acc;
	to->nr += from->nr;
	return table_sums_merge(&v->sums, to->idx - v->base, &v->t->sums, from->idx);
}

static uint32_t nr_others(const struct nester *n)
{
	uint32_t members = n->v->t->events.v[n->event].members;

	return members ? members - 1 : 0;
}

/* The numbers of row @row in the other events of a group. */
static struct view_row *others_of(struct view *v, uint32_t row)
{
	return v->members.v + (size_t)(row - v->base) * (v->t->max_members - 1);
}

/* A row of the table: into the row above. */
static int add_row(struct nester *n, uint32_t to, uint32_t from)
{
	struct view *v = n->v;
	struct keys_row *row = &v->rows.v[to - v->base].row;
	const struct keys_row *add = &v->t->rows.v[from];

	if (view_cmp_keys(v, add, row) < 0) {
		row->group = add->group;
		row->place = add->place;
		row->place2 = add->place2;
		row->bits = add->bits;
		row->cpumode = add->cpumode;
		if (!v->o.children)
			row->thread = add->thread;
	}
	/* Of rows with equal sums the caller stands above the callee, as in a table of this level. */
	for (int i = 0; i < 2; i++)
		if (row->depth[i] < add->depth[i])
			row->depth[i] = add->depth[i];
	if (v->o.children && add->first_node < row->first_node) {
		row->first_node = add->first_node;
		row->thread = add->thread;
	}
	if (add_numbers(v, row, add))
		return -ENOMEM;
	for (uint32_t m = 0; m < nr_others(n); m++) {
		const struct keys_row *other = &table_members_of(v->t, from)[m];

		if (other->idx != ID_NONE && add_numbers(v, &others_of(v, to)[m].row, other))
			return -ENOMEM;
	}
	return 0;
}

/* ---- the rows above -------------------------------------------------------------------------- */

/* A row like @like, without numbers yet. ID_NONE: no memory. */
static uint32_t push_row(struct nester *n, uint32_t like, uint32_t above, uint32_t level)
{
	struct view *v = n->v;
	struct nest at = { above, ID_NONE, ID_NONE, level };
	struct view_row new = { *view_row_at(v, like), v };

	new.row.idx = v->base + (uint32_t)v->rows.n;
	new.row.of_view = true;
	new.row.period = new.row.acc = new.row.nr = 0;
	new.row.depth[0] = new.row.depth[1] = 0;
	if (vec_push(&v->rows, new) || vec_push(&v->nest, at))
		return ID_NONE;
	return new.row.idx;
}

/* Members' numbers have a row of their own, for their sums. */
static int push_members(struct nester *n, uint32_t row)
{
	static const struct view_row none = { .row = { .idx = ID_NONE } };
	struct view *v = n->v;
	size_t others = v->t->max_members - 1;

	for (uint32_t m = 0; m < nr_others(n); m++)
		if (push_row(n, row, ID_NONE, ID_NONE) == ID_NONE)
			return -ENOMEM;
	if (vec_reserve(&v->members, v->rows.n * others))
		return -ENOMEM;
	while (v->members.n < v->rows.n * others)
		v->members.v[v->members.n++] = none;
	for (uint32_t m = 0; m < nr_others(n); m++)
		others_of(v, row)[m] = v->rows.v[row + 1 + m - v->base];
	return 0;
}

/* The row of @level that @row belongs to. ID_NONE: no memory. */
static uint32_t row_above(struct nester *n, uint32_t row, uint32_t above, unsigned level)
{
	struct view *v = n->v;
	uint64_t vals[MAX_KEYS + 1] = { above };
	uint32_t id, had = n->keys.n, new;

	for (unsigned i = v->c.level_at[level], k = 1; i < v->c.level_at[level + 1]; i++)
		vals[k++] = view_col_rank(v, v->c.level_cols[i], view_row_at(v, row));
	id = keys_tuple_id(&n->keys, vals);
	if (id == ID_NONE || n->keys.n == had)
		return id == ID_NONE ? ID_NONE : n->by_keys.v[id];
	new = push_row(n, row, above, level);
	if (new == ID_NONE || vec_push(&n->by_keys, new) ||
	    (v->t->max_members && push_members(n, new)))
		return ID_NONE;
	return new;
}

static int add_above(struct nester *n, uint32_t row)
{
	uint32_t above = ID_NONE;

	for (unsigned l = 0; l + 1 < n->v->c.nr_levels; l++) {
		above = row_above(n, row, above, l);
		if (above == ID_NONE || add_row(n, above, row))
			return -ENOMEM;
	}
	n->v->nest.v[row].above = above;
	return 0;
}

static unsigned widest_level(const struct view *v)
{
	unsigned w = 0;

	for (unsigned l = 0; l < v->c.nr_levels; l++)
		w = (unsigned)max_u64(w, v->c.level_at[l + 1] - v->c.level_at[l]);
	return w;
}

static int make_above(struct nester *n)
{
	int ret = 0;

	n->keys.width = 1 + widest_level(n->v);
	n->first = n->v->base + (uint32_t)n->v->rows.n;
	for (size_t i = 0; !ret && i < n->ev->nr; i++)
		ret = add_above(n, n->ev->rows[i]);
	n->nr = n->v->base + (uint32_t)n->v->rows.n - n->first;
	keys_tuples_free(&n->keys);
	vec_free(&n->by_keys);
	return ret;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Rows of one level, sorted: each to the front of those below its row above, the last one first. */
static void link_rows(struct nester *n, const uint32_t *rows, size_t nr)
{
	struct nest *nest = n->v->nest.v;

	for (size_t i = nr; i-- > 0;) {
		uint32_t above = nest[rows[i]].above;
		uint32_t *head = above == ID_NONE ? &n->top : &nest[above].first;

		nest[rows[i]].next = *head;
		*head = rows[i];
	}
}

static int sort_levels(struct nester *n)
{
	struct view *v = n->v;
	uint32_t *rows = malloc(((size_t)n->nr + 1) * sizeof(*rows));
	int ret = rows ? 0 : -ENOMEM;

	n->top = ID_NONE;
	for (unsigned l = 0; !ret && l + 1 < v->c.nr_levels; l++) {
		size_t nr = 0;

		for (uint32_t i = n->first; i < n->first + n->nr; i++)
			if (v->nest.v[i].level == l)
				rows[nr++] = i;
		ret = view_sort_idx(v, rows, nr);
		if (!ret)
			link_rows(n, rows, nr);
		n->ev->nr_nested += nr;
	}
	free(rows);
	return ret;
}

/* The order of output: a row, then those below it. */
static int list_rows(struct nester *n)
{
	struct nest *nest = n->v->nest.v;
	struct view_event *ev = n->ev;
	uint32_t row = n->top;
	size_t nr = 0;

	ev->nr_nested += ev->nr;
	ev->nested = malloc((ev->nr_nested + 1) * sizeof(*ev->nested));
	if (!ev->nested)
		return -ENOMEM;
	while (row != ID_NONE) {
		ev->nested[nr++] = (struct nested){ row, nest[row].level };
		if (nest[row].first != ID_NONE) {
			row = nest[row].first;
			continue;
		}
		while (nest[row].next == ID_NONE && nest[row].above != ID_NONE)
			row = nest[row].above;
		row = nest[row].next;
	}
	return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int list_leaves(struct view *v)
{
	struct nest leaf = { ID_NONE, ID_NONE, ID_NONE, v->c.nr_levels - 1 };

	if (vec_reserve(&v->nest, (size_t)v->base + 1))
		return -ENOMEM;
	while (v->nest.n < v->base)
		v->nest.v[v->nest.n++] = leaf;
	return 0;
}

/* Rows of members are in their leaders' tables. */
static bool is_shown(const struct nester *n)
{
	return n->v && table_members(n->v->t, n->event);
}

static int sort_all(struct nester *n)
{
	int ret = sort_levels(n);

	if (ret)
		return ret;
	link_rows(n, n->ev->rows, n->ev->nr);
	return list_rows(n);
}

int view_nest_rows(struct view *v)
{
	struct nester *n = calloc(v->events.n + 1, sizeof(*n));
	int ret = n ? list_leaves(v) : -ENOMEM;

	for (uint32_t i = 0; !ret && i < v->events.n; i++) {
		n[i].v = v;
		n[i].event = i;
		n[i].ev = &v->events.v[i];
		if (is_shown(&n[i]))
			ret = make_above(&n[i]);
	}
	/* By what callees cost rows are sorted. */
	if (!ret && v->o.children)
		ret = view_nest_acc(v);
	for (size_t i = 0; !ret && i < v->events.n; i++)
		if (is_shown(&n[i]))
			ret = sort_all(&n[i]);
	free(n);
	return ret;
}

unsigned view_nr_levels(const struct view *v)
{
	return v->c.nr_levels;
}

size_t view_level_nr_cols(const struct view *v, unsigned level)
{
	return v->c.level_at[level + 1] - v->c.level_at[level];
}

const struct keys_col *view_level_col(const struct view *v, unsigned level, size_t i)
{
	return v->c.level_cols[v->c.level_at[level] + i];
}

size_t view_nr_nested(const struct view *v, uint32_t event)
{
	return event < v->events.n ? v->events.v[event].nr_nested : 0;
}

const struct keys_row *view_nested(const struct view *v, uint32_t event, size_t i, unsigned *level)
{
	const struct nested *at = &v->events.v[event].nested[i];

	*level = at->level;
	return view_row_at(v, at->row);
}
