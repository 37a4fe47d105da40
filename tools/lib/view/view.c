// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A view: the rows of a finished table in an order, with the columns and percentages that somebody
 * wants to see. It only reads the table, whatever it needs beside that is its own; so there can be
 * as many views of one table as wanted, one after the other or at the same time.
 */
#include "emit/emit.h"
#include "view-int.h"

static int list_events(struct view *v)
{
	const struct table *t = v->t;
	static const struct view_event none;

	for (size_t i = 0; i < t->events.n; i++)
		if (vec_push(&v->events, none))
			return -ENOMEM;
	if (!v->events.n)
		return 0;
	vec_for_each (row, &t->rows)
		v->events.v[table_row_event(t, row)].nr++;
	vec_for_each (ev, &v->events) {
		ev->rows = malloc((ev->nr + 1) * sizeof(*ev->rows));
		if (!ev->rows)
			return -ENOMEM;
		mem_large(ev->rows, (ev->nr + 1) * sizeof(*ev->rows));
		ev->nr = 0;
		ev->totals = t->events.v[ev - v->events.v].totals;
	}
	vec_for_each (row, &t->rows) {
		struct view_event *ev = &v->events.v[table_row_event(t, row)];

		ev->rows[ev->nr++] = row->idx;
	}
	return 0;
}

/* Of equal values it is the first row's text that counts. */
static bool widths_by_order(const struct view *v)
{
	for (unsigned i = 0; i < v->c.nr_cols; i++)
		if (v->c.cols[i].key->by_content)
			return true;
	return false;
}

static int sort(struct view *v)
{
	/* Before rows are sorted they are walked through as they lie in memory. */
	bool late = widths_by_order(v);
	int ret = 0;

	for (uint32_t i = 0; !ret && i < v->events.n; i++) {
		if (!late)
			ret = view_widths(v, i, late);
		ret = ret ?: view_sort_idx(v, v->events.v[i].rows, v->events.v[i].nr);
		if (!ret && late)
			ret = view_widths(v, i, late);
	}
	return !ret && v->c.nr_levels ? view_nest_rows(v) : ret;
}

int view_new(struct view **out, const struct table *t, const struct keys_opts *o,
	     const struct view_filter *filter, struct err *e)
{
	struct view *v = calloc(1, sizeof(*v));
	int ret;

	if (!v)
		return err_set(e, -ENOMEM, "no memory to sort rows");
	v->t = t;
	v->of = v;
	v->o = o ? *o : t->keys.o;
	v->base = (uint32_t)t->rows.n;
	table_sums_like(&v->sums, &t->sums);
	ret = view_cols(&v->c, t, &v->o, e);
	/* Ranks first, as they need much memory for a while. */
	if (!ret && (view_rank_cols(v) || list_events(v)))
		ret = err_set(e, -ENOMEM, "no memory to sort rows");
	if (!ret && filter)
		ret = view_filter_rows(v, filter, e);
	if (!ret && sort(v))
		ret = err_set(e, -ENOMEM, "no memory to sort rows");
	if (ret)
		view_free(v);
	else
		*out = v;
	return ret;
}

const struct keys_opts *view_opts(const struct view *v)
{
	return &v->o;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	for (unsigned i = 0; i < v->c.nr_cols; i++) {
		free(v->c.cols[i].rank);
		free(v->c.cols[i].rank2);
	}
	vec_for_each (ev, &v->events) {
		free(ev->rows);
		free(ev->nested);
	}
	vec_free(&v->events);
	vec_free(&v->rows);
	vec_free(&v->members);
	vec_free(&v->nest);
	table_sums_free(&v->sums);
	view_trees_free(&v->trees);
	arena_free(&v->text);
	free(v);
}

struct view *view_for_thread(const struct view *v)
{
	struct view *copy = malloc(sizeof(*copy));

	/* Only texts of shares are kept while rows are printed, and these are in the struct. */
	if (copy)
		*copy = *v;
	return copy;
}

/* ---- rows ------------------------------------------------------------------------------------ */

size_t view_nr_rows(const struct view *v, uint32_t event)
{
	return event < v->events.n ? v->events.v[event].nr : 0;
}

const struct keys_row *view_row(const struct view *v, uint32_t event, size_t i)
{
	return view_row_at(v, v->events.v[event].rows[i]);
}

/* How far apart the looks are that lead to a cell's text: the row, its tuple, what that stands for. */
#define AHEAD 8

void view_row_ahead(const struct view *v, uint32_t event, size_t i)
{
	const struct view_event *ev = &v->events.v[event];
	const struct keys_row *row;

	if (i + 3 * AHEAD >= ev->nr)
		return;
	row = view_row_at(v, ev->rows[i + 3 * AHEAD]);
	__builtin_prefetch(row);
	__builtin_prefetch((const char *)(row + 1) - 1);
	row = view_row_at(v, ev->rows[i + 2 * AHEAD]);
	__builtin_prefetch(v->t->keys.o.branch ? keys_tuple_get(&v->t->places2, row->place2)
					       : keys_tuple_get(&v->t->places, row->place));
	row = view_row_at(v, ev->rows[i + AHEAD]);
	for (unsigned c = 0; c < v->c.nr_out; c++)
		if (v->c.out[c]->key->value == VALUE_FRAME)
			__builtin_prefetch(
				&v->t->keys.frames.v[view_col_value(v, v->c.out[c], row)]);
}

const struct table_totals *view_totals(const struct view *v, uint32_t event)
{
	static const struct table_totals none;

	return event < v->events.n ? &v->events.v[event].totals : &none;
}

const struct keys_row *view_member(const struct view *v, const struct keys_row *row, uint32_t m)
{
	size_t others = v->t->max_members - 1;

	if (!m)
		return row;
	if (row->of_view)
		return &v->members.v[(row->idx - v->base) * others + m - 1].row;
	return &v->t->members.v[row->idx * others + m - 1];
}

void view_frame(const struct view *v, uint32_t frame, struct obuf *o)
{
	const struct frame_info *f = &v->t->keys.frames.v[frame];

	if (!f->sym) {
		if (f->ip)
			obuf_lit(o, "0x");
		obuf_hex(o, f->ip);
		return;
	}
	keys_put_name(&v->t->keys, f->sym, o);
	if (f->srcline) {
		obuf_char(o, ' ');
		emit_safe(o, f->srcline);
	}
	if (f->sym->is_inline)
		obuf_lit(o, " (inlined)");
}

/* ---- what accumulators have ------------------------------------------------------------------ */

const void *view_row_acc(const struct table *t, const struct keys_row *row, const struct acc *acc)
{
	uint32_t i = row->idx;
	const struct view *v = view_of_row(row, &i);

	return table_row_slot(v ? &v->sums : &t->sums, acc, i);
}

void view_row_json(const struct view *v, const struct keys_row *row, struct emit *e)
{
	for (unsigned i = 0; i < v->t->sums.n; i++) {
		const struct acc *acc = v->t->sums.v[i].acc;

		keys_acc_emit_told(acc, view_row_acc(v->t, row, acc), e);
		if (acc->json)
			acc->json(row, view_row_acc(v->t, row, acc), e);
	}
}

bool view_row_told(const struct view *v, const struct keys_row *row, uint64_t *nr)
{
	for (unsigned i = 0; i < v->t->sums.n; i++) {
		const struct acc *acc = v->t->sums.v[i].acc;

		if (!acc->told)
			continue;
		*nr = acc->told(view_row_acc(v->t, row, acc));
		return true;
	}
	return false;
}

const struct branch_counts *view_branch_counts(const struct table *t, const struct keys_row *row)
{
	return view_row_acc(t, row, &keys_acc_branches);
}
