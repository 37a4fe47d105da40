// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of any number of views side by side: perf diff. As in diff.c a row is known by the texts of its
 * keys, since numbers of two recordings mean different things. Addresses without a symbol differ between
 * builds of one object, so that all of an object are one line, called by the lowest of them.
 *
 * Is a difference more than chance? A share p of N samples is drawn with a deviation of sqrt(p(1-p)/N);
 * twice that of both sides together is what two recordings of one program differ by in 19 of 20 cases.
 */
#include <math.h>

#include "view-int.h"

/* The texts of a row's keys, one behind the other with a zero each; what tells lines apart. */
struct texts {
	struct obuf texts, same;
	int64_t address; /* of the symbol that was not found; else 0 */
};

struct line {
	struct view_line pub;
	size_t seq;
	int64_t address; /* that it is called by */
};

struct compare_col {
	const char *name, *head;
	unsigned at; /* among the columns of views */
	bool pads;
};

struct view_compare {
	struct view_compare_opts o;
	struct table_totals *totals; /* by side */
	size_t nr_sides;
	struct arena mem;
	struct htab tab;
	VEC(struct line) lines;
	struct compare_col cols[MAX_KEYS]; /* keys, as the first view that was added has them */
	unsigned nr_cols;
	struct texts k;	  /* of the row at hand */
	uint64_t matched; /* of the first: period of the lines that are left */
};

/* "[.] 0x0000000000401000": no symbol was found. */
static bool is_address(const char *text)
{
	return strlen(text) > 6 && !strncmp(text + 4, "0x", 2) &&
	       strspn(text + 6, "0123456789abcdef") == strlen(text + 6);
}

static bool is_symbol(const struct keys_col *c)
{
	return !strcmp(c->key->name, "symbol") || !strcmp(c->key->name, "sym");
}

/* ---- lines -------------------------------------------------------------------------------------- */

static int put_key(struct view_compare *c, const struct view *v, const struct keys_row *row)
{
	struct texts *k = &c->k;

	k->texts.len = k->same.len = 0;
	k->address = 0;
	for (unsigned i = 0; i < c->nr_cols; i++) {
		const struct keys_col *col = &v->c.cols[c->cols[i].at];
		size_t at = k->texts.len;
		const char *text;

		view_put_text(v, col, row, &k->texts);
		while (k->texts.len > at && k->texts.buf[k->texts.len - 1] == ' ')
			k->texts.len--;
		obuf_char(&k->texts, 0);
		if (k->texts.code)
			return -ENOMEM;
		text = k->texts.buf + at;
		if (is_symbol(col) && is_address(text)) {
			k->address = (int64_t)strtoull(text + 4, NULL, 16);
			text = "?";
		}
		obuf_mem(&k->same, text, strlen(text) + 1);
	}
	return k->same.code ? -ENOMEM : 0;
}

static int new_line(struct view_compare *c, const struct texts *k, uint64_t hash, struct line **out)
{
	struct line l = { .seq = c->lines.n, .address = k->address };
	char *texts = arena_memdup(&c->mem, k->texts.buf, k->texts.len);
	char *same = k->address ? arena_memdup(&c->mem, k->same.buf, k->same.len) : texts;

	l.pub.texts = texts;
	l.pub.same = same;
	l.pub.same_size = k->same.len;
	l.pub.sides = arena_alloc(&c->mem, c->nr_sides * sizeof(*l.pub.sides));
	if (!texts || !same || !l.pub.sides || htab_add(&c->tab, hash, (uint32_t)c->lines.n) ||
	    vec_push(&c->lines, l))
		return -ENOMEM;
	*out = &c->lines.v[c->lines.n - 1];
	return 0;
}

static int find_line(struct view_compare *c, const struct texts *k, struct line **out)
{
	uint64_t hash = hash_bytes(k->same.buf, k->same.len);
	uint32_t i;

	for (struct htab_it it = htab_find(&c->tab, hash); htab_next(&c->tab, &it, &i);) {
		struct line *l = &c->lines.v[i];

		if (l->pub.same_size == k->same.len &&
		    !memcmp(l->pub.same, k->same.buf, k->same.len)) {
			*out = l;
			return 0;
		}
	}
	return new_line(c, k, hash, out);
}

static bool is_first(const struct line *l, size_t side)
{
	for (size_t i = 0; i < side; i++)
		if (l->pub.sides[i].nr)
			return false;
	return true;
}

/* Of several addresses the lowest, of the first recording that has one. */
static int call_it(struct view_compare *c, struct line *l, const struct texts *k)
{
	l->address = k->address;
	l->pub.texts = arena_memdup(&c->mem, k->texts.buf, k->texts.len);
	return l->pub.texts ? 0 : -ENOMEM;
}

static int add_row(struct view_compare *c, size_t side, const struct view *v,
		   const struct keys_row *row)
{
	struct line *l;

	if (put_key(c, v, row) || find_line(c, &c->k, &l))
		return -ENOMEM;
	l->pub.sides[side].nr += row->nr;
	l->pub.sides[side].period += row->period;
	return c->k.address < l->address && is_first(l, side) ? call_it(c, l, &c->k) : 0;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

const struct table_totals *view_compare_totals(const struct view_compare *c, size_t side)
{
	return &c->totals[side];
}

static double share(const struct view_compare *c, const struct view_line *l, size_t side)
{
	const struct table_totals *t = view_compare_totals(c, side);
	uint64_t total = c->o.relative ? t->filtered_period : t->period;

	return total ? 100.0 * (double)l->sides[side].period / (double)total : 0;
}

double view_line_share(const struct view_compare *c, const struct view_line *l, size_t side)
{
	/* Of what has a match, where nothing else is shown. */
	if (!side && c->o.baseline_only && c->matched)
		return 100.0 * (double)l->sides[0].period / (double)c->matched;
	return share(c, l, side);
}

/* Not of view_line_share(): what has a match is not all that there is of the others. */
double view_line_delta(const struct view_compare *c, const struct view_line *l, size_t side)
{
	return share(c, l, side) - share(c, l, 0);
}

double view_line_value(const struct view_compare *c, const struct view_line *l, size_t side)
{
	double new = (double)l->sides[side].period, old = (double)l->sides[0].period;

	switch (c->o.compute) {
	case VIEW_RATIO: return old ? new / old : 0;
	case VIEW_WDIFF: return new *(double)c->o.weight[1] - old *(double)c->o.weight[0];
	default: return view_line_delta(c, l, side);
	}
}

/* Of the deviation of a share, squared. */
static double variance(double share, uint64_t samples)
{
	return samples ? share / 100 * (1 - share / 100) / (double)samples : 0;
}

double view_noise(double share, uint64_t samples, double other, uint64_t others)
{
	return 200 * sqrt(variance(share, samples) + variance(other, others));
}

double view_line_noise(const struct view_compare *c, const struct view_line *l, size_t side)
{
	return view_noise(share(c, l, 0), view_compare_totals(c, 0)->nr_samples, share(c, l, side),
			  view_compare_totals(c, side)->nr_samples);
}

bool view_line_is_noise(const struct view_compare *c, const struct view_line *l, size_t side)
{
	return fabs(view_line_delta(c, l, side)) <= view_line_noise(c, l, side);
}

/* ---- order -------------------------------------------------------------------------------------- */

static int down(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int by_value(const void *a, const void *b, void *ctx)
{
	const struct line *x = a, *y = b;
	const struct view_compare *c = ctx;
	size_t side = c->o.order;
	bool has_x = side && x->pub.sides[side].nr, has_y = side && y->pub.sides[side].nr;
	int ret = 0;

	if (has_x != has_y)
		return has_x ? -1 : 1;
	if (has_x && (c->o.compute == VIEW_RATIO || c->o.compute == VIEW_WDIFF)) {
		/* What the first has not comes behind: there is nothing to compare it with. */
		bool old_x = x->pub.sides[0].nr, old_y = y->pub.sides[0].nr;

		if (old_x != old_y)
			return old_x ? -1 : 1;
		has_x = old_x;
	}
	if (has_x) {
		double u = view_line_value(c, &x->pub, side), v = view_line_value(c, &y->pub, side);

		ret = c->o.compute == VIEW_DELTA_ABS ? down(fabs(u), fabs(v)) : down(u, v);
	}
	ret = ret ?: down((double)x->pub.sides[0].period, (double)y->pub.sides[0].period);
	ret = ret ?: down((double)x->pub.sides[side].period, (double)y->pub.sides[side].period);
	return ret ?: x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* ---- all ---------------------------------------------------------------------------------------- */

static int find_cols(struct view_compare *c, const struct view *v)
{
	for (unsigned i = 0; i < v->c.nr_cols; i++) {
		const struct keys_col *col = &v->c.cols[i];
		struct compare_col *to = &c->cols[c->nr_cols];

		if (col->key->at == KEY_STAT || col->key->slot_text || col->elided ||
		    !strncmp(col->key->name, "ipc", 3))
			continue;
		*to = (struct compare_col){
			.name = arena_strdup(&c->mem, view_col_name(col)),
			.head = arena_strdup(&c->mem, view_col_head(v, col)),
			.at = i,
			.pads = col->key->pads,
		};
		if (!to->name || !to->head)
			return -ENOMEM;
		c->nr_cols++;
	}
	return 0;
}

static bool is_left_out(const struct view_compare *c, const struct view_line *l)
{
	bool moved = false, matches = false;

	for (size_t i = 1; i < c->nr_sides; i++) {
		moved |= !view_line_is_noise(c, l, i);
		matches |= l->sides[0].nr && l->sides[i].nr;
	}
	return (c->o.baseline_only && !matches) || (c->o.significant && !moved);
}

static void leave_out(struct view_compare *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->lines.n; i++)
		if (!is_left_out(c, &c->lines.v[i].pub))
			c->lines.v[n++] = c->lines.v[i];
	c->lines.n = n;
	vec_for_each (l, &c->lines)
		c->matched += l->pub.sides[0].period;
}

int view_compare_new(struct view_compare **out, size_t nr_sides, const struct view_compare_opts *o,
		     struct err *e)
{
	struct view_compare *c = *out = calloc(1, sizeof(*c));

	if (c) {
		c->o = *o;
		c->nr_sides = nr_sides;
		c->totals = calloc(nr_sides, sizeof(*c->totals));
	}
	if (!c || !c->totals || obuf_init(&c->k.texts, -1, 0) || obuf_init(&c->k.same, -1, 0))
		return err_set(e, -ENOMEM, "no memory to compare recordings");
	return 0;
}

int view_compare_add(struct view_compare *c, size_t side, const struct view *v, uint32_t event,
		     struct err *e)
{
	int ret = c->nr_cols ? 0 : find_cols(c, v);

	c->totals[side] = *view_totals(v, event);
	for (size_t i = 0; !ret && i < view_nr_rows(v, event); i++)
		ret = add_row(c, side, v, view_row(v, event, i));
	return ret ? err_set(e, ret, "no memory to compare recordings") : 0;
}

void view_compare_sort(struct view_compare *c)
{
	leave_out(c);
	if (c->lines.n)
		qsort_r(c->lines.v, c->lines.n, sizeof(*c->lines.v), by_value, c);
}

void view_compare_free(struct view_compare *c)
{
	if (!c)
		return;
	obuf_free(&c->k.texts);
	obuf_free(&c->k.same);
	arena_free(&c->mem);
	htab_free(&c->tab);
	vec_free(&c->lines);
	free(c->totals);
	free(c);
}

size_t view_compare_nr(const struct view_compare *c)
{
	return c->lines.n;
}

const struct view_line *view_compare_at(const struct view_compare *c, size_t i)
{
	return &c->lines.v[i].pub;
}

unsigned view_compare_cols(const struct view_compare *c)
{
	return c->nr_cols;
}

const char *view_compare_name(const struct view_compare *c, unsigned i)
{
	return c->cols[i].name;
}

const char *view_compare_head(const struct view_compare *c, unsigned i)
{
	return c->cols[i].head;
}

bool view_compare_pads(const struct view_compare *c, unsigned i)
{
	return c->cols[i].pads;
}
