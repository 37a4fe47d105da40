// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What view_compare says, as text and as JSON. The text is that of upstream's perf diff, byte for byte
 * (text-formats.adoc, "perf diff"): columns of the first recording, of each other one, of keys. What is
 * not more than chance is dimmed where there are colours.
 */
#include <stdio.h>
#include <stdlib.h>

#include "faces-int.h"

#define DIM   "\033[2m"
#define PLAIN "\033[m"

enum column_kind { BASELINE, BASE_PERIOD, VALUE, NOISE, FORMULA, PERIOD, KEY };

struct column {
	enum column_kind kind;
	size_t side; /* of KEY: its number */
	int width;
	char head[64];
};

struct diff_text {
	const struct faces_diff *f;
	const struct view_compare *c;
	struct obuf *out, cell;
	VEC(struct column) cols;
};

/* ---- columns ------------------------------------------------------------------------------------ */

static const struct {
	const char *head;
	int width;
} values[] = {
	[VIEW_DELTA_ABS] = { "Delta Abs", 9 },
	[VIEW_DELTA] = { "Delta", 7 },
	[VIEW_RATIO] = { "Ratio", 14 },
	[VIEW_WDIFF] = { "Weighted diff", 14 },
};

static int add_column(struct diff_text *d, enum column_kind kind, size_t side, const char *head,
		      int width)
{
	struct column c = { .kind = kind, .side = side };

	if (kind != KEY && d->f->nr_sides > 2)
		snprintf(c.head, sizeof(c.head), "%s/%zu", head, side);
	else
		snprintf(c.head, sizeof(c.head), "%s", head);
	c.width = (int)max_u64((uint64_t)width, strlen(c.head));
	return vec_push(&d->cols, c);
}

/* The text of key @i. */
static const char *key_text(const struct view_line *l, size_t i)
{
	const char *s = l->texts;

	while (i--)
		s += strlen(s) + 1;
	return s;
}

static int key_width(const struct diff_text *d, size_t key)
{
	uint64_t width = 0;

	for (size_t i = 0; i < view_compare_nr(d->c); i++)
		width = max_u64(width, strlen(key_text(view_compare_at(d->c, i), key)));
	return (int)width;
}

static int choose_columns(struct diff_text *d)
{
	const struct faces_diff *f = d->f;
	int ret = add_column(d, BASELINE, 0, "Baseline", 8);

	ret = ret ?: f->period ? add_column(d, BASE_PERIOD, 0, "Base period", 14) : 0;
	for (size_t i = 1; !ret && i < f->nr_sides; i++) {
		ret = add_column(d, VALUE, i, values[f->o.compute].head,
				 values[f->o.compute].width);
		ret = ret ?: f->noise ? add_column(d, NOISE, i, "Noise", 7) : 0;
		ret = ret ?: f->formula ? add_column(d, FORMULA, i, "Formula", 70) : 0;
		ret = ret ?: f->period ? add_column(d, PERIOD, i, "Period", 14) : 0;
	}
	for (unsigned i = 0; !ret && i < view_compare_cols(d->c); i++)
		ret = add_column(d, KEY, i, view_compare_head(d->c, i), key_width(d, i));
	return ret;
}

/* ---- cells -------------------------------------------------------------------------------------- */

static void put_formula(struct diff_text *d, const struct view_line *l, size_t side)
{
	const struct table_totals *new = view_compare_totals(d->c, side);
	const struct table_totals *old = view_compare_totals(d->c, 0);
	bool relative = d->f->o.relative;

	switch (d->f->o.compute) {
	case VIEW_RATIO:
		obuf_printf(&d->cell, "%lu / %lu", l->sides[side].period, l->sides[0].period);
		break;
	case VIEW_WDIFF:
		obuf_printf(&d->cell, "(%lu * %ld) - (%lu * %ld)", l->sides[side].period,
			    d->f->o.weight[1], l->sides[0].period, d->f->o.weight[0]);
		break;
	default:
		obuf_printf(&d->cell, "(%lu * 100 / %lu) - (%lu * 100 / %lu)",
			    l->sides[side].period, relative ? new->filtered_period : new->period,
			    l->sides[0].period, relative ? old->filtered_period : old->period);
	}
}

static void put_value(struct diff_text *d, const struct view_line *l, size_t side)
{
	enum view_compute how = d->f->o.compute;
	double v = view_line_value(d->c, l, side);

	if (how == VIEW_DELTA || how == VIEW_DELTA_ABS)
		obuf_printf(&d->cell, "%+4.2F%%", v);
	else if (!l->sides[0].nr)
		obuf_lit(&d->cell, "N/A");
	else if (how == VIEW_RATIO)
		obuf_printf(&d->cell, "%14.6F", v);
	else
		obuf_printf(&d->cell, "%14ld", (long)v);
}

/* As in report: a point in place of what stands between columns. */
static void put_key(struct diff_text *d, const char *text)
{
	obuf_str(&d->cell, text);
	for (size_t i = 0; d->f->separator && i < d->cell.len; i++)
		if (d->cell.buf[i] == d->f->separator)
			d->cell.buf[i] = '.';
}

static void put_cell(struct diff_text *d, const struct view_line *l, const struct column *c)
{
	bool there = c->kind != KEY && l->sides[c->side].nr;

	d->cell.len = 0;
	switch (c->kind) {
	case KEY: put_key(d, key_text(l, c->side)); break;
	case BASE_PERIOD: obuf_dec(&d->cell, l->sides[0].period); break;
	case BASELINE:
		if (there)
			obuf_printf(&d->cell, d->f->separator ? "%.2f" : "%.2f%%",
				    view_line_share(d->c, l, 0));
		break;
	case VALUE:
		if (there)
			put_value(d, l, c->side);
		break;
	case NOISE: /* of what is nowhere else, too */
		obuf_printf(&d->cell, "%.2f%%", view_line_noise(d->c, l, c->side));
		break;
	case FORMULA:
		if (there)
			put_formula(d, l, c->side);
		break;
	case PERIOD:
		if (there)
			obuf_dec(&d->cell, l->sides[c->side].period);
		break;
	}
}

static void put_padded(struct diff_text *d, const char *s, size_t n, int width, bool left)
{
	if (!left)
		obuf_pad(d->out, ' ', width - (int)n);
	obuf_mem(d->out, s, n);
	if (left)
		obuf_pad(d->out, ' ', width - (int)n);
}

static void put_between(struct diff_text *d, size_t i)
{
	if (i && d->f->separator)
		obuf_char(d->out, d->f->separator);
	else if (i)
		obuf_lit(d->out, "  ");
}

static bool is_noise(const struct diff_text *d, const struct view_line *l)
{
	for (size_t i = 1; i < d->f->nr_sides; i++)
		if (!view_line_is_noise(d->c, l, i))
			return false;
	return true;
}

static void put_line(struct diff_text *d, const struct view_line *l)
{
	bool chance = is_noise(d, l), dim = d->f->color && chance;

	faces_line_begins(d->f, 0, chance, d->out);
	if (dim)
		obuf_lit(d->out, DIM);
	if (!d->f->separator)
		obuf_lit(d->out, "  ");
	for (size_t i = 0; i < d->cols.n; i++) {
		const struct column *c = &d->cols.v[i];
		bool last = i + 1 == d->cols.n;
		bool pads = !last || c->kind != KEY || view_compare_pads(d->c, (unsigned)c->side);

		put_between(d, i);
		put_cell(d, l, c);
		put_padded(d, d->cell.buf, d->cell.len, pads ? c->width : 0,
			   c->kind == KEY || d->f->separator);
	}
	if (dim)
		obuf_lit(d->out, PLAIN);
	obuf_char(d->out, '\n');
}

/* ---- head --------------------------------------------------------------------------------------- */

static void put_head(struct diff_text *d, const char *event)
{
	const struct faces_diff *f = d->f;

	obuf_lit(d->out, "# Event '");
	emit_safe(d->out, event);
	obuf_lit(d->out, "'\n#\n");
	if (f->nr_sides > 2 || f->verbose) {
		obuf_lit(d->out, "# Data files:\n");
		for (size_t i = 0; i < f->nr_sides; i++) {
			obuf_printf(d->out, "#  [%zu] ", i);
			emit_safe(d->out, f->names[i]);
			obuf_str(d->out, i ? " \n" : " (Baseline)\n");
		}
		obuf_lit(d->out, "#\n");
	}
	faces_heads_begin(f, d->out);
	obuf_lit(d->out, "# ");
	for (size_t i = 0; i < d->cols.n; i++) {
		const struct column *c = &d->cols.v[i];

		put_between(d, i);
		put_padded(d, c->head, strlen(c->head), c->width, c->kind == KEY || f->separator);
	}
	obuf_char(d->out, '\n');
	if (f->separator)
		return;
	obuf_lit(d->out, "# ");
	for (size_t i = 0; i < d->cols.n; i++) {
		put_between(d, i);
		obuf_pad(d->out, '.', d->cols.v[i].width);
	}
	obuf_lit(d->out, "\n#\n");
}

void faces_heads_begin(const struct faces_diff *f, const struct obuf *out)
{
	if (f->lines)
		f->lines->heads = out->len;
}

void faces_line_begins(const struct faces_diff *f, uint32_t depth, bool chance, struct obuf *out)
{
	const struct faces_line line = { out->len, depth, chance };

	if (f->lines && vec_push(&f->lines->v, line))
		out->code = out->code ?: -ENOMEM;
}

int faces_diff_text(const struct faces_diff *f, const struct view_compare *c, const char *event,
		    struct obuf *out, struct err *e)
{
	struct diff_text d = { .f = f, .c = c, .out = out };
	int ret = obuf_init(&d.cell, -1, 0) ?: choose_columns(&d);

	if (!ret && !f->quiet)
		put_head(&d, event);
	for (size_t i = 0; !ret && i < view_compare_nr(c); i++)
		put_line(&d, view_compare_at(c, i));
	ret = ret ?: d.cell.code;
	obuf_free(&d.cell);
	vec_free(&d.cols);
	return ret ? err_set(e, ret, "no memory for output") : 0;
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static void put_side(const struct view_compare *c, const struct view_line *l, size_t i,
		     struct emit *e)
{
	emit_object(e, NULL);
	emit_u64(e, "samples", l->sides[i].nr);
	emit_u64(e, "period", l->sides[i].period);
	emit_f64(e, "share", view_line_share(c, l, i), 6);
	if (i) {
		emit_f64(e, "delta", view_line_delta(c, l, i), 6);
		emit_f64(e, "noise", view_line_noise(c, l, i), 6);
		emit_bool(e, "significant", !view_line_is_noise(c, l, i));
	}
	emit_end(e);
}

void faces_diff_json(const struct faces_diff *f, const struct view_compare *c, const char *event,
		     struct emit *e)
{
	emit_object(e, NULL);
	emit_str(e, "event", event);
	emit_array(e, "files");
	for (size_t i = 0; i < f->nr_sides; i++) {
		emit_object(e, NULL);
		emit_str(e, "name", f->names[i]);
		emit_u64(e, "samples", view_compare_totals(c, i)->nr_samples);
		emit_u64(e, "period", view_compare_totals(c, i)->period);
		emit_end(e);
	}
	emit_end(e);
	emit_array(e, "rows");
	for (size_t i = 0; i < view_compare_nr(c); i++) {
		const struct view_line *l = view_compare_at(c, i);

		emit_object(e, NULL);
		for (unsigned k = 0; k < view_compare_cols(c); k++)
			emit_str(e, view_compare_name(c, k), key_text(l, k));
		emit_array(e, "files");
		for (size_t side = 0; side < f->nr_sides; side++)
			put_side(c, l, side, e);
		emit_end(e);
		emit_end(e);
	}
	emit_end(e);
	emit_end(e);
}

/* ---- CSV ---------------------------------------------------------------------------------------- */

void faces_diff_csv(const struct faces_diff *f, const struct view_compare *c, const char *event,
		    bool heads, struct obuf *out)
{
	if (heads) {
		obuf_lit(out, "event");
		for (unsigned k = 0; k < view_compare_cols(c); k++)
			obuf_printf(out, ",%s", view_compare_name(c, k));
		for (size_t i = 0; i < f->nr_sides; i++)
			obuf_printf(out,
				    i ? ",samples%zu,period%zu,share%zu,delta%zu,noise%zu"
				      : ",samples%zu,period%zu,share%zu",
				    i, i, i, i, i);
		obuf_char(out, '\n');
	}
	for (size_t i = 0; i < view_compare_nr(c); i++) {
		const struct view_line *l = view_compare_at(c, i);

		faces_csv_value(out, event);
		for (unsigned k = 0; k < view_compare_cols(c); k++) {
			obuf_char(out, ',');
			faces_csv_value(out, key_text(l, k));
		}
		for (size_t s = 0; s < f->nr_sides; s++) {
			obuf_printf(out, ",%lu,%lu,%.6f", l->sides[s].nr, l->sides[s].period,
				    view_line_share(c, l, s));
			if (s)
				obuf_printf(out, ",%.6f,%.6f", view_line_delta(c, l, s),
					    view_line_noise(c, l, s));
		}
		obuf_char(out, '\n');
	}
}
