// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows as text with a letter between the columns (-t). Upstream's format, which is no CSV: comment
 * lines stand between the tables, call graphs below their rows, and where the letter is part of a
 * name the view puts a '.' in its place. Programs that want CSV have csv.c.
 */
#include "faces/faces-int.h"

static char separator(const struct faces_walk *k)
{
	return k->f->po->separator;
}

static void put_separator(struct faces_walk *k, bool first)
{
	if (!first)
		obuf_char(k->out, separator(k));
}

/* As in aligned columns there are dots below the heads of levels. */
static void put_level_dots(struct faces_walk *k, const struct faces_table *t, int w)
{
	struct obuf *o = k->out;
	size_t i = 0;

	obuf_lit(o, "\n# ");
	for (; i < t->nr_cols && t->cols[i].level == FACES_ALL_LEVELS; i++) {
		put_separator(k, !i);
		obuf_pad(o, '.', t->cols[i].width);
	}
	put_separator(k, !i);
	if (w < text_levels_width(t))
		w = text_levels_width(t);
	obuf_pad(o, '.', w < TEXT_DOTS_MAX ? w : TEXT_DOTS_MAX);
	obuf_lit(o, "\n#\n");
}

static int separated_table(struct faces_walk *k, const struct faces_table *t)
{
	struct obuf *o = k->out;
	size_t i = 0;

	if (t->kind != FACES_ROWS)
		return text_plain_table(k, t);
	if (k->f->o.quiet)
		return 0;
	obuf_lit(o, "# ");
	for (; i < t->nr_cols && t->cols[i].level == FACES_ALL_LEVELS; i++) {
		const struct faces_column *c = &t->cols[i];

		if (!(c->readers & FACES_PEOPLE))
			break;
		put_separator(k, !i);
		if (t->nr_levels || c->number)
			obuf_str_right(o, c->head, c->width);
		else
			obuf_printf(o, "%-*.*s", c->width, c->width, c->head); /* -w */
	}
	if (!t->nr_levels) {
		obuf_char(o, '\n');
		return 0;
	}
	put_separator(k, !i);
	put_level_dots(k, t, text_level_heads(k, t));
	return 0;
}

static int separated_row(struct faces_walk *k, const struct faces_row *row)
{
	struct text *text = k->state;

	text->nr_cells = 0;
	if (row->task)
		text_task_row(k, row);
	if (row->table->kind == FACES_ROWS)
		obuf_pad(k->out, ' ', TEXT_INDENT * (int)row->level);
	return 0;
}

static int separated_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	struct text *text = k->state;

	if (cell->kind != FACES_KEY)
		return text_plain_cell(k, cell);
	put_separator(k, !text->nr_cells++);
	if (cell->col->level == FACES_ALL_LEVELS)
		view_cell(k->f->v, cell->row->row, cell->col->key, k->out);
	else
		text_level_cell(k, cell);
	return 0;
}

static int separated_below(struct faces_walk *k, const struct faces_row *row)
{
	obuf_char(k->out, '\n');
	if (row->no_entry)
		text_no_entry(k, row, 0);
	return 0;
}

const struct faces_writer faces_separated = { .name = "separated text", TEXT_WRITER(separated) };
