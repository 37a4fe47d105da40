// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows below rows. The rows of the last level are those of the profile, sorted already. Each of
 * them is added to the rows above it, one per level, which are found by (row above, ranks of the
 * level's keys); then every level is sorted and linked to the one above, in this order.
 *
 * A row above others is a copy of the first of these in the order of their keys, with numbers of
 * its own: so it has its values in all keys, and everything that prints rows can print it.
 */
#include "profile-int.h"

struct nester {
	struct profile *p;
	struct event_rows *ev;
	struct tuples keys;    /* (row above, ranks) */
	VEC(uint32_t) by_keys; /* the row of a tuple */
	uint32_t first, nr;    /* rows that were made */
	uint32_t top;	       /* the first of the first level */
};

/* ---- columns --------------------------------------------------------------------------------- */

static bool has_keys(const struct profile *p, int level)
{
	for (unsigned i = 0; i < p->nr_order; i++)
		if (p->order[i]->level == level && p->order[i]->key->at != KEY_STAT)
			return true;
	return false;
}

/* Numbers of the first level that has some, and of levels that have nothing else. */
static bool in_front(const struct profile *p, const struct profile_col *c)
{
	unsigned first = 0;

	if (c->key->at != KEY_STAT)
		return false;
	while (p->order[first]->key->at != KEY_STAT)
		first++;
	return c->level == p->order[first]->level || !has_keys(p, c->level);
}

/* The columns of @level, in their order, as the next level. */
static void add_level(struct profile *p, const bool *front, int level)
{
	unsigned n = p->level_at[p->nr_levels];

	for (unsigned i = 0; i < p->nr_order; i++)
		if (!front[i] && p->order[i]->level == level)
			p->level_cols[n++] = p->order[i];
	p->level_at[++p->nr_levels] = n;
}

void prof_nest_cols(struct profile *p)
{
	bool front[MAX_KEYS];
	unsigned n = 0;

	if (!p->o.hierarchy || !p->nr_order)
		return;
	for (unsigned i = 0; i < p->nr_order; i++)
		front[i] = in_front(p, p->order[i]);
	for (unsigned i = 0; i < p->nr_order; i++) {
		bool new = !front[i];

		for (unsigned j = 0; j < i; j++)
			new &= front[j] || p->order[j]->level != p->order[i]->level;
		if (new)
			add_level(p, front, p->order[i]->level);
	}
	if (!p->nr_levels)
		return;
	for (unsigned i = 0; i < p->nr_order; i++)
		p->order[i]->level = 0;
	for (unsigned l = 0; l < p->nr_levels; l++)
		for (unsigned i = p->level_at[l]; i < p->level_at[l + 1]; i++)
			p->level_cols[i]->level = (int)l + 1;
	for (unsigned i = 0; i < p->nr_out; i++)
		if (!p->out[i]->level)
			p->out[n++] = p->out[i];
	p->nr_out = n;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int add_numbers(struct profile *p, struct profile_row *to, const struct profile_row *from)
{
	to->period += from->period;
	to->acc += from->acc;
	to->nr += from->nr;
	return prof_sums_merge(&p->sums, to->idx, from->idx);
}

static uint32_t nr_others(const struct nester *n)
{
	return n->ev->members ? n->ev->members - 1 : 0;
}

/* A row and what is below it: into the row above. */
static int add_row(struct nester *n, uint32_t to, uint32_t from)
{
	struct profile *p = n->p;
	struct profile_row *row = &p->rows.v[to];
	const struct profile_row *add = &p->rows.v[from];

	if (prof_cmp_keys(p, add, row) < 0) {
		row->group = add->group;
		row->place = add->place;
		row->place2 = add->place2;
		row->bits = add->bits;
		row->cpumode = add->cpumode;
		if (!p->o.children)
			row->thread = add->thread;
	}
	/* Of rows with equal sums the caller stands above the callee, as in a table of this level. */
	if (row->depth < add->depth)
		row->depth = add->depth;
	if (p->o.children && add->first_node < row->first_node) {
		row->first_node = add->first_node;
		row->thread = add->thread;
	}
	if (add_numbers(p, row, add))
		return -ENOMEM;
	for (uint32_t m = 0; m < nr_others(n); m++) {
		const struct profile_row *other = &prof_members_of(p, from)[m];

		if (other->idx != ID_NONE && add_numbers(p, &prof_members_of(p, to)[m], other))
			return -ENOMEM;
	}
	return 0;
}

/* ---- the rows above -------------------------------------------------------------------------- */

/* A row like @like, without numbers yet. ID_NONE: no memory. */
static uint32_t push_row(struct nester *n, uint32_t like, uint32_t above, uint32_t level)
{
	struct profile *p = n->p;
	struct nest at = { above, ID_NONE, ID_NONE, level };
	struct profile_row row = p->rows.v[like];

	row.idx = (uint32_t)p->rows.n;
	row.period = row.acc = row.nr = 0;
	row.depth = 0;
	if (vec_push(&p->rows, row) || vec_push(&p->nest, at))
		return ID_NONE;
	return row.idx;
}

/* Members' numbers have an idx of their own: for their sums. */
static int push_members(struct nester *n, uint32_t row)
{
	struct profile *p = n->p;
	size_t others = p->max_members - 1;

	for (uint32_t m = 0; m < nr_others(n); m++)
		if (push_row(n, row, ID_NONE, ID_NONE) == ID_NONE)
			return -ENOMEM;
	if (vec_reserve(&p->members, p->rows.n * others))
		return -ENOMEM;
	while (p->members.n < p->rows.n * others)
		p->members.v[p->members.n++] = (struct profile_row){ .idx = ID_NONE };
	for (uint32_t m = 0; m < nr_others(n); m++)
		prof_members_of(p, row)[m] = p->rows.v[row + 1 + m];
	return 0;
}

/* The row of @level that @row belongs to. ID_NONE: no memory. */
static uint32_t row_above(struct nester *n, uint32_t row, uint32_t above, unsigned level)
{
	struct profile *p = n->p;
	uint64_t vals[MAX_KEYS + 1] = { above };
	uint32_t id, had = n->keys.n, new;

	for (unsigned i = p->level_at[level], k = 1; i < p->level_at[level + 1]; i++)
		vals[k++] = prof_col_rank(p, p->level_cols[i], &p->rows.v[row]);
	id = prof_tuple_id(&n->keys, vals);
	if (id == ID_NONE || n->keys.n == had)
		return id == ID_NONE ? ID_NONE : n->by_keys.v[id];
	new = push_row(n, row, above, level);
	if (new == ID_NONE || vec_push(&n->by_keys, new) ||
	    (p->max_members && push_members(n, new)))
		return ID_NONE;
	return new;
}

static int add_above(struct nester *n, uint32_t row)
{
	uint32_t above = ID_NONE;

	for (unsigned l = 0; l + 1 < n->p->nr_levels; l++) {
		above = row_above(n, row, above, l);
		if (above == ID_NONE || add_row(n, above, row))
			return -ENOMEM;
	}
	n->p->nest.v[row].above = above;
	return 0;
}

static unsigned widest_level(const struct profile *p)
{
	unsigned w = 0;

	for (unsigned l = 0; l < p->nr_levels; l++)
		w = (unsigned)max_u64(w, p->level_at[l + 1] - p->level_at[l]);
	return w;
}

static int make_above(struct nester *n)
{
	int ret = 0;

	n->keys.width = 1 + widest_level(n->p);
	n->first = (uint32_t)n->p->rows.n;
	for (size_t i = 0; !ret && i < n->ev->nr; i++)
		ret = add_above(n, n->ev->rows[i]);
	n->nr = (uint32_t)n->p->rows.n - n->first;
	prof_tuples_free(&n->keys);
	vec_free(&n->by_keys);
	return ret;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Rows of one level, sorted: each to the front of those below its row above, the last one first. */
static void link_rows(struct nester *n, const uint32_t *rows, size_t nr)
{
	struct nest *nest = n->p->nest.v;

	for (size_t i = nr; i-- > 0;) {
		uint32_t above = nest[rows[i]].above;
		uint32_t *head = above == ID_NONE ? &n->top : &nest[above].first;

		nest[rows[i]].next = *head;
		*head = rows[i];
	}
}

static int sort_levels(struct nester *n)
{
	struct profile *p = n->p;
	uint32_t *rows = malloc(((size_t)n->nr + 1) * sizeof(*rows));
	int ret = rows ? 0 : -ENOMEM;

	n->top = ID_NONE;
	for (unsigned l = 0; !ret && l + 1 < p->nr_levels; l++) {
		size_t nr = 0;

		for (uint32_t i = n->first; i < n->first + n->nr; i++)
			if (p->nest.v[i].level == l)
				rows[nr++] = i;
		ret = prof_sort_idx(p, rows, nr);
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
	struct nest *nest = n->p->nest.v;
	struct event_rows *ev = n->ev;
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

static int list_leaves(struct profile *p)
{
	struct nest leaf = { ID_NONE, ID_NONE, ID_NONE, p->nr_levels - 1 };

	if (vec_reserve(&p->nest, p->rows.n + 1))
		return -ENOMEM;
	while (p->nest.n < p->rows.n)
		p->nest.v[p->nest.n++] = leaf;
	return 0;
}

/* Rows of members are in their leaders' tables. */
static bool is_shown(const struct nester *n)
{
	return n->ev && (!n->ev->members || n->ev == &n->p->events.v[n->ev->leader]);
}

static int sort_all(struct nester *n)
{
	int ret = sort_levels(n);

	if (ret)
		return ret;
	link_rows(n, n->ev->rows, n->ev->nr);
	return list_rows(n);
}

int prof_nest_rows(struct profile *p)
{
	struct nester *v = calloc(p->events.n + 1, sizeof(*v));
	int ret = v ? list_leaves(p) : -ENOMEM;

	for (size_t i = 0; !ret && i < p->events.n; i++) {
		v[i].p = p;
		v[i].ev = &p->events.v[i];
		if (is_shown(&v[i]))
			ret = make_above(&v[i]);
	}
	/* By what callees cost rows are sorted. */
	if (!ret && p->o.children)
		ret = prof_nest_acc(p);
	for (size_t i = 0; !ret && i < p->events.n; i++)
		if (is_shown(&v[i]))
			ret = sort_all(&v[i]);
	free(v);
	return ret;
}

unsigned profile_nr_levels(const struct profile *p)
{
	return p->nr_levels;
}

size_t profile_level_nr_cols(const struct profile *p, unsigned level)
{
	return p->level_at[level + 1] - p->level_at[level];
}

const struct profile_col *profile_level_col(const struct profile *p, unsigned level, size_t i)
{
	return p->level_cols[p->level_at[level] + i];
}

size_t profile_nr_nested(const struct profile *p, uint32_t event)
{
	return event < p->events.n ? p->events.v[event].nr_nested : 0;
}

const struct profile_row *profile_nested(const struct profile *p, uint32_t event, size_t i,
					 unsigned *level)
{
	const struct nested *at = &p->events.v[event].nested[i];

	*level = at->level;
	return &p->rows.v[at->row];
}
