// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows as text in aligned columns. A plain table's columns are aligned by the walk's widths; of a
 * table with rows below rows only the numbers are, which stand in front of every level, and what a
 * level's row is called follows behind, further to the right for each level.
 */
#include "faces/faces-int.h"

const char *text_color(const struct faces *f, double percent)
{
	if (!f->o.color || f->po->separator)
		return NULL;
	return percent >= 5.0 ? "\033[31m" : percent > 0.5 ? "\033[32m" : NULL;
}

static unsigned nr_below(const struct faces_table *t)
{
	return t->nr_levels ? t->nr_levels - 1 : 0;
}

/* ---- heads ----------------------------------------------------------------------------------- */

int text_level_heads(struct faces_walk *k, const struct faces_table *t)
{
	uint64_t before = obuf_printed(k->out);
	uint32_t level = FACES_ALL_LEVELS;

	for (size_t i = 0; i < t->nr_cols; i++) {
		const struct faces_column *c = &t->cols[i];

		if (c->level == FACES_ALL_LEVELS)
			continue;
		if (level != FACES_ALL_LEVELS)
			obuf_str(k->out, c->level == level ? "+" : " / ");
		level = c->level;
		obuf_str(k->out, c->head + strspn(c->head, " "));
	}
	return (int)(obuf_printed(k->out) - before);
}

int text_levels_width(const struct faces_table *t)
{
	int widest = 0;

	for (unsigned l = 0; l < t->nr_levels; l++) {
		int w = TEXT_INDENT * (int)l - 1;

		for (size_t i = 0; i < t->nr_cols; i++)
			if (t->cols[i].level == l)
				w += t->cols[i].width + 1;
		if (widest < w)
			widest = w;
	}
	return widest;
}

/* Columns in front of all rows. */
static const struct faces_column *front(const struct faces_table *t, size_t i)
{
	const struct faces_column *c = i < t->nr_cols ? &t->cols[i] : NULL;

	return c && c->level == FACES_ALL_LEVELS && c->readers & FACES_PEOPLE ? c : NULL;
}

static void put_head(struct obuf *o, const struct faces_column *c, bool right)
{
	if (right)
		obuf_str_right(o, c->head, c->width);
	else
		obuf_printf(o, "%-*.*s", c->width, c->width, c->head); /* -w */
}

static int aligned_table(struct faces_walk *k, const struct faces_table *t)
{
	int indent = TEXT_INDENT * (int)nr_below(t), w = 0;
	const struct faces_column *c;
	struct obuf *o = k->out;

	if (t->kind != FACES_ROWS)
		return text_plain_table(k, t);
	if (k->f->o.quiet)
		return 0;
	obuf_lit(o, "# ");
	obuf_pad(o, ' ', front(t, 0) ? indent : 0);
	for (size_t i = 0; (c = front(t, i)); i++) {
		if (i)
			obuf_lit(o, "  ");
		put_head(o, c, t->nr_levels || c->number);
	}
	if (t->nr_levels) {
		obuf_str(o, front(t, 0) ? "  " : "");
		w = text_level_heads(k, t);
	}
	obuf_lit(o, "\n# ");
	obuf_pad(o, '.', front(t, 0) ? indent : 0);
	for (size_t i = 0; (c = front(t, i)); i++) {
		if (i)
			obuf_str(o, t->nr_levels ? ".." : "  ");
		obuf_pad(o, '.', c->width);
	}
	if (t->nr_levels) {
		obuf_str(o, front(t, 0) ? "  " : "");
		if (w < text_levels_width(t))
			w = text_levels_width(t);
		obuf_pad(o, '.', w < TEXT_DOTS_MAX ? w : TEXT_DOTS_MAX);
	}
	obuf_lit(o, "\n#\n");
	return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int aligned_row(struct faces_walk *k, const struct faces_row *row)
{
	struct text *text = k->state;

	text->nr_cells = 0;
	text->in_levels = false;
	if (row->task)
		text_task_row(k, row);
	if (row->table->kind != FACES_ROWS)
		return 0;
	obuf_pad(k->out, ' ', TEXT_INDENT * (int)row->level);
	obuf_lit(k->out, "  ");
	return 0;
}

static void put_key(struct faces_walk *k, const struct faces_cell *cell)
{
	const char *color = NULL;
	double percent = 0;

	if (k->f->o.color && view_col_percent(k->f->v, cell->row->row, cell->col->key, &percent))
		color = text_color(k->f, percent);
	if (color)
		obuf_str(k->out, color);
	view_cell(k->f->v, cell->row->row, cell->col->key, k->out);
	if (color)
		obuf_lit(k->out, "\033[m");
}

void text_level_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	struct text *text = k->state;
	struct obuf *o = &text->cell;
	size_t blanks = 0;

	o->len = 0;
	faces_cell_text(k->f, cell, o);
	while (blanks < o->len && o->buf[blanks] == ' ')
		blanks++;
	obuf_mem(k->out, o->buf + blanks, o->len - blanks);
}

/*
 * A name in a column that may be narrower than some of them: those move what stands behind. The cell comes as wide as the
 * widest, and is aligned anew.
 */
static void put_narrow(struct faces_walk *k, const struct faces_cell *cell)
{
	struct text *text = k->state;
	struct obuf *o = &text->cell;
	size_t from = 0;
	int rest;

	o->len = 0;
	faces_cell_text(k->f, cell, o);
	while (o->len && o->buf[o->len - 1] == ' ')
		o->len--;
	while (from < o->len && o->buf[from] == ' ')
		from++;
	rest = cell->col->width - (int)(o->len - from);
	if (cell->col->key->key->text_right)
		obuf_pad(k->out, ' ', rest);
	obuf_mem(k->out, o->buf + from, o->len - from);
	if (!cell->col->key->key->text_right)
		obuf_pad(k->out, ' ', rest);
}

static int aligned_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	struct text *text = k->state;

	if (cell->kind != FACES_KEY)
		return text_plain_cell(k, cell);
	if (cell->col->level == FACES_ALL_LEVELS) {
		if (text->nr_cells++)
			obuf_lit(k->out, "  ");
		if (cell->col->narrow)
			put_narrow(k, cell);
		else
			put_key(k, cell);
		return 0;
	}
	if (!text->in_levels && text->nr_cells)
		obuf_pad(k->out, ' ', TEXT_INDENT * (int)nr_below(cell->row->table));
	text->in_levels = true;
	if (text->nr_cells++)
		obuf_lit(k->out, "  ");
	text_level_cell(k, cell);
	return 0;
}

void text_no_entry(struct faces_walk *k, const struct faces_row *row, int indent)
{
	const struct faces_column *c;
	int width = 0;

	for (size_t i = 0; (c = front(row->table, i)); i++)
		width += c->width + (i ? 2 : 0);
	obuf_pad(k->out, ' ', indent);
	obuf_pad(k->out, ' ', width + 4);
	obuf_printf(k->out, "no entry >= %.2f%%\n", k->f->o.min_percent);
}

static int aligned_below(struct faces_walk *k, const struct faces_row *row)
{
	obuf_char(k->out, '\n');
	if (row->no_entry)
		text_no_entry(k, row, TEXT_INDENT * (int)(nr_below(row->table) + row->level + 1));
	return 0;
}

const struct faces_writer faces_text = { .name = "text", TEXT_WRITER(aligned) };
