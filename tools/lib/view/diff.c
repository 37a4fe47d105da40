// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of two views side by side. Numbers of two recordings mean different things, texts mean the same:
 * a row is known by the texts of its keys. Each view's rows become numbers of such texts, and rows with
 * equal numbers are a pair; of several that look alike, the first of either.
 */
#include <math.h>

#include "view-int.h"

struct view_diff {
	const struct view *v[2];
	uint64_t samples[2];
	struct intern texts;
	VEC(struct view_pair) pairs; /* by text, then by difference */
	VEC(uint32_t) text_of;	     /* by row of the second view's table; ID_NONE = none */
	uint32_t *sorted_at;	     /* by text: where its pair is */
};

static int put_keys(const struct view *v, const struct keys_row *row, struct obuf *o)
{
	const struct columns *cs = &v->c;

	o->len = 0;
	for (unsigned i = 0; i < cs->nr_cols; i++) {
		const struct keys_col *c = &cs->cols[i];

		if (c->key->at == KEY_STAT || c->key->slot_text)
			continue;
		if (!c->elided)
			view_put_text(v, c, row, o);
		obuf_char(o, '\n'); /* no text has one */
	}
	obuf_char(o, 0);
	return o->code ? -ENOMEM : 0;
}

static int add_row(struct view_diff *d, int side, const struct keys_row *row, struct obuf *o)
{
	static const struct view_pair none;
	const struct keys_row **at;
	uint32_t id = put_keys(d->v[side], row, o) ? INTERN_NONE : intern(&d->texts, o->buf);

	if (id == INTERN_NONE || vec_reach(&d->pairs, id, none))
		return -ENOMEM;
	at = side ? &d->pairs.v[id].after : &d->pairs.v[id].before;
	if (!*at)
		*at = row;
	d->pairs.v[id].share[side] += view_percent(d->v[side], row);
	if (!side)
		return 0;
	if (vec_reach(&d->text_of, row->idx, ID_NONE))
		return -ENOMEM;
	d->text_of.v[row->idx] = id;
	return 0;
}

static int add_rows(struct view_diff *d, int side, uint32_t event)
{
	struct obuf o;
	int ret = obuf_init(&o, -1, 0);

	for (size_t i = 0; !ret && i < view_nr_rows(d->v[side], event); i++)
		ret = add_row(d, side, view_row(d->v[side], event, i), &o);
	obuf_free(&o);
	return ret;
}

static int by_difference(const void *a, const void *b, void *ctx)
{
	const struct view_pair *pairs = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	double x = fabs(pairs[i].share[1] - pairs[i].share[0]);
	double y = fabs(pairs[k].share[1] - pairs[k].share[0]);

	return x > y ? -1 : x < y ? 1 : i < k ? -1 : i > k;
}

static int sort(struct view_diff *d)
{
	size_t n = d->pairs.n;
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	struct view_pair *sorted = malloc((n + 1) * sizeof(*sorted));

	d->sorted_at = malloc((n + 1) * sizeof(*d->sorted_at));
	if (!order || !sorted || !d->sorted_at) {
		free(order);
		free(sorted);
		return -ENOMEM;
	}
	n = 0;
	for (uint32_t i = 0; i < d->pairs.n; i++)
		if (d->pairs.v[i].before || d->pairs.v[i].after) /* the empty text is no row's */
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), by_difference, d->pairs.v);
	for (uint32_t i = 0; i < n; i++) {
		sorted[i] = d->pairs.v[order[i]];
		d->sorted_at[order[i]] = i;
	}
	free(d->pairs.v);
	d->pairs.v = sorted;
	d->pairs.n = n;
	d->pairs.cap = n + 1;
	free(order);
	return 0;
}

static bool same_keys(const struct view *a, const struct view *b)
{
	unsigned i = 0;

	if (a->c.nr_cols != b->c.nr_cols)
		return false;
	while (i < a->c.nr_cols && !strcmp(a->c.cols[i].key->name, b->c.cols[i].key->name))
		i++;
	return i == a->c.nr_cols;
}

int view_diff_new(struct view_diff **out, const struct view *before, uint32_t event_before,
		  const struct view *after, uint32_t event_after, struct err *e)
{
	struct view_diff *d;

	*out = NULL;
	if (!same_keys(before, after))
		return err_set(e, -EINVAL, "rows of different keys cannot be compared");
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(e, -ENOMEM, "no memory to compare rows");
	d->v[0] = before;
	d->v[1] = after;
	d->samples[0] = view_totals(before, event_before)->nr_samples;
	d->samples[1] = view_totals(after, event_after)->nr_samples;
	if (add_rows(d, 0, event_before) || add_rows(d, 1, event_after) || sort(d)) {
		view_diff_free(d);
		return err_set(e, -ENOMEM, "no memory to compare rows");
	}
	*out = d;
	return 0;
}

void view_diff_free(struct view_diff *d)
{
	if (!d)
		return;
	intern_free(&d->texts);
	vec_free(&d->pairs);
	vec_free(&d->text_of);
	free(d->sorted_at);
	free(d);
}

double view_diff_noise(const struct view_diff *d, const struct view_pair *pair)
{
	return view_noise(pair->share[0], d->samples[0], pair->share[1], d->samples[1]);
}

bool view_diff_is_noise(const struct view_diff *d, const struct view_pair *pair)
{
	return fabs(pair->share[1] - pair->share[0]) <= view_diff_noise(d, pair);
}

size_t view_diff_nr(const struct view_diff *d)
{
	return d->pairs.n;
}

const struct view_pair *view_diff_at(const struct view_diff *d, size_t i)
{
	return &d->pairs.v[i];
}

const struct view_pair *view_diff_of(const struct view_diff *d, const struct keys_row *after)
{
	uint32_t id =
		!after->of_view && after->idx < d->text_of.n ? d->text_of.v[after->idx] : ID_NONE;

	return id == ID_NONE ? NULL : &d->pairs.v[d->sorted_at[id]];
}
