// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An answer as CSV by RFC 4180: a line of heads, a line per row, quotes where a value needs them.
 * Values are the bare ones that JSON has, so that no program has to take "12.34%" apart; what is not
 * known is empty. Rows of all events are one table, with the event in front; with --hierarchy the
 * level stands behind it, and the columns of the other levels are empty. Other tables follow
 * behind an empty line, with heads of their own. Call trees and maps of tasks have no place in lines.
 */
#include "faces/faces-int.h"

struct csv {
	struct obuf text;
	size_t next;  /* column whose value comes next */
	bool heads;   /* the rows have theirs */
	bool printed; /* a table came before */
};

static int csv_begin(struct faces_walk *k)
{
	return obuf_init(&((struct csv *)k->state)->text, -1, 0);
}

static void csv_release(struct faces_walk *k)
{
	obuf_free(&((struct csv *)k->state)->text);
}

/* @n bytes that are safe for a terminal. */
static void put_value(struct obuf *o, const char *s, size_t n)
{
	if (!memchr(s, ',', n) && !memchr(s, '"', n)) {
		obuf_mem(o, s, n);
		return;
	}
	obuf_char(o, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			obuf_char(o, '"');
		obuf_char(o, s[i]);
	}
	obuf_char(o, '"');
}

void faces_csv_value(struct obuf *o, const char *s)
{
	struct obuf text;

	if (obuf_init(&text, -1, 0))
		return;
	emit_safe(&text, s);
	put_value(o, text.buf, text.len);
	if (text.code && !o->code)
		o->code = text.code;
	obuf_free(&text);
}

/* A string as the file has it. */
static void put_string(struct faces_walk *k, const char *s)
{
	struct obuf *text = &((struct csv *)k->state)->text;

	text->len = 0;
	emit_safe(text, s);
	put_value(k->out, text->buf, text->len);
}

static int csv_event(struct faces_walk *k, const struct perfdata_event *ev)
{
	return k->f->o.skip_empty && !view_totals(k->f->v, ev->idx)->nr_samples;
}

static int csv_table(struct faces_walk *k, const struct faces_table *t)
{
	struct csv *c = k->state;
	bool first = true;

	if (t->kind == FACES_MAPS)
		return 1;
	if (t->kind == FACES_ROWS && c->heads)
		return 0;
	obuf_str(k->out, c->printed ? "\r\n" : "");
	c->printed = true;
	if (t->kind == FACES_ROWS) {
		c->heads = true;
		first = false;
		obuf_str(k->out, t->nr_levels ? "event,level" : "event");
	}
	for (size_t i = 0; i < t->nr_cols; i++) {
		if (!(t->cols[i].readers & FACES_PROGRAMS))
			continue;
		obuf_str(k->out, first ? "" : ",");
		put_string(k, t->cols[i].name);
		first = false;
	}
	obuf_lit(k->out, "\r\n");
	return 0;
}

static int csv_row(struct faces_walk *k, const struct faces_row *row)
{
	struct csv *c = k->state;

	c->next = 0;
	if (row->table->kind != FACES_ROWS)
		return 0;
	put_string(k, row->table->event->name);
	if (row->table->nr_levels) {
		obuf_char(k->out, ',');
		obuf_dec(k->out, row->level);
	}
	return 0;
}

/* Commas up to column @end, which programs do not or do read. */
static void put_commas(struct faces_walk *k, const struct faces_table *t, size_t end)
{
	struct csv *c = k->state;

	for (; c->next < end; c->next++)
		if (t->cols[c->next].readers & FACES_PROGRAMS)
			obuf_char(k->out, ',');
}

static bool is_first(const struct faces_table *t, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (t->cols[i].readers & FACES_PROGRAMS)
			return false;
	return t->kind != FACES_ROWS;
}

static int csv_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	const struct faces_table *t = cell->row->table;
	size_t at = (size_t)(cell->col - t->cols);
	struct csv *c = k->state;

	put_commas(k, t, at);
	if (!is_first(t, at))
		obuf_char(k->out, ',');
	c->next = at + 1;
	c->text.len = 0;
	faces_cell_value(k->f, cell, &c->text);
	if (cell->kind != FACES_KEY || !faces_is_unknown(c->text.buf, c->text.len))
		put_value(k->out, c->text.buf, c->text.len);
	return c->text.code;
}

static int csv_below(struct faces_walk *k, const struct faces_row *row)
{
	put_commas(k, row->table, row->table->nr_cols);
	obuf_lit(k->out, "\r\n");
	return 0;
}

const struct faces_writer faces_csv = {
	.name = "CSV",
	.reader = FACES_PROGRAMS,
	.state_size = sizeof(struct csv),
	.begin = csv_begin,
	.event = csv_event,
	.table = csv_table,
	.row = csv_row,
	.cell = csv_cell,
	.below = csv_below,
	.release = csv_release,
};
