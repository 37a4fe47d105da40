// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of the same kind: aligned text, or JSON objects. Cells are kept until the end,
 * since the widths of text columns are known then only; long listings that must stream do not go
 * through here.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/tables.h"
#include "emit/emit.h"

struct emit_table {
	const struct emit_column *cols;
	size_t nr_cols;
	VEC(const char *) cells;
	struct arena arena;
};

struct emit_table *emit_table_new(const struct emit_column *cols, size_t nr)
{
	struct emit_table *t = calloc(1, sizeof(*t));

	if (t) {
		t->cols = cols;
		t->nr_cols = nr;
	}
	return t;
}

void emit_table_free(struct emit_table *t)
{
	if (!t)
		return;
	vec_free(&t->cells);
	arena_free(&t->arena);
	free(t);
}

int emit_table_cell(struct emit_table *t, const char *fmt, ...)
{
	char *cell;
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	cell = arena_strndup(&t->arena, s, (size_t)n);
	free(s);
	return cell ? vec_push(&t->cells, cell) : -ENOMEM;
}

/* Columns a cell takes on a terminal, as printed by emit_safe(). */
static int shown_width(const char *s)
{
	struct obuf o;
	int w = 0;

	if (emit_is_safe(s)) {
		for (; *s; s++)
			w += ((unsigned char)*s & 0xc0) != 0x80;
		return w;
	}
	if (obuf_init(&o, -1, 0))
		return (int)strlen(s);
	emit_safe(&o, s);
	for (size_t i = 0; i < o.len; i++)
		w += ((unsigned char)o.buf[i] & 0xc0) != 0x80;
	obuf_free(&o);
	return w;
}

static const char *title(const struct emit_column *c)
{
	return c->title ? c->title : c->name;
}

static void text_row(const struct emit_table *t, struct obuf *o, const int *width,
		     const char *const *cells)
{
	for (size_t i = 0; i < t->nr_cols; i++) {
		const char *s = cells ? cells[i] : title(&t->cols[i]);
		int pad = width[i] - shown_width(s);
		bool last = i + 1 == t->nr_cols;

		if (t->cols[i].right)
			obuf_pad(o, ' ', pad);
		emit_safe(o, s);
		if (!t->cols[i].right && !last)
			obuf_pad(o, ' ', pad);
		if (!last)
			obuf_lit(o, "  ");
	}
	obuf_char(o, '\n');
}

static void print_text(const struct emit_table *t, struct obuf *o)
{
	int *width = calloc(t->nr_cols + 1, sizeof(*width));

	if (!width) {
		o->code = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < t->nr_cols; i++)
		width[i] = shown_width(title(&t->cols[i]));
	for (size_t i = 0; i < t->cells.n; i++) {
		int w = shown_width(t->cells.v[i]);

		if (w > width[i % t->nr_cols])
			width[i % t->nr_cols] = w;
	}
	text_row(t, o, width, NULL);
	for (size_t i = 0; i + t->nr_cols <= t->cells.n; i += t->nr_cols)
		text_row(t, o, width, t->cells.v + i);
	free(width);
}

/* Whether @s is a number by JSON's grammar, so that it may stand without quotes. */
static bool json_number(const char *s)
{
	s += *s == '-';
	if (*s == '0')
		s++;
	else if (*s >= '1' && *s <= '9')
		s += strspn(s, "0123456789");
	else
		return false;
	if (*s == '.') {
		size_t n = strspn(s + 1, "0123456789");

		if (!n)
			return false;
		s += 1 + n;
	}
	return !*s;
}

static void print_json(const struct emit_table *t, struct emit *e, const char *name)
{
	emit_array(e, name);
	for (size_t i = 0; i + t->nr_cols <= t->cells.n; i += t->nr_cols) {
		emit_object(e, NULL);
		for (size_t c = 0; c < t->nr_cols; c++) {
			const char *s = t->cells.v[i + c];

			if (t->cols[c].right && json_number(s)) {
				obuf_str(e->o, c ? "," : "");
				emit_json_string(e->o, t->cols[c].name);
				obuf_char(e->o, ':');
				obuf_str(e->o, s);
				e->level[e->depth].used = true;
			} else {
				emit_str(e, t->cols[c].name, s);
			}
		}
		emit_end(e);
	}
	emit_end(e);
}

void emit_table_print(const struct emit_table *t, struct emit *e, const char *name)
{
	if (!t->nr_cols) /* rows of nothing have no end */
		return;
	switch (e->format) {
	case EMIT_TEXT: print_text(t, e->o); break;
	case EMIT_JSON: print_json(t, e, name); break;
	}
}
