// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --branches in a terminal: its tables as lists, one at a time, Tab goes to the next. A row is made when it is
 * painted, by room faces, so that browser and text say the same; Enter opens the instructions it is about, where
 * the same answers stand beside them.
 */
#include <inttypes.h>

#include "faces/faces.h"
#include "tui/asm-int.h"

struct answers {
	const struct tui_answers *in;
	const struct walk_list *at; /* the table that is shown */
	size_t table;
	struct tui_view view;
	struct tui_list list;
	struct obuf line;
};

static uint64_t nr_rows(void *ctx)
{
	const struct answers *b = ctx;

	return faces_list_nr(b->at, b->in->stat);
}

static void put_line(struct answers *b, struct tui_pen *p, enum tui_role role)
{
	obuf_char(&b->line, 0);
	tui_put(p, role, b->line.code ? "" : b->line.buf);
}

static void paint_row(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	struct answers *b = ctx;

	(void)selected;
	b->line.len = 0;
	if (faces_list_text(b->at, b->in->stat, i, &b->line))
		return;
	put_line(b, p, TUI_NORMAL);
}

static void paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct answers *b = v->ctx;
	struct tui_pen p = { .s = s, .row = row, .end = s->cols, .skip = b->list.left };

	if (rows > 3) {
		tui_fill(s, row, 0, 1, s->cols, TUI_HEAD);
		b->line.len = 0;
		faces_list_heads(b->at, &b->line);
		put_line(b, &p, TUI_HEAD);
		row++;
		rows--;
	}
	tui_list_paint(&b->list, s, row, 0, rows, s->cols);
}

static void title(struct tui_view *v, struct tui_pen *p)
{
	const struct answers *b = v->ctx;

	tui_putf(p, TUI_ROOT, "%s: %" PRIu64, faces_list_title(b->at), nr_rows(v->ctx));
}

static void footer(struct tui_view *v, struct tui_pen *p)
{
	const struct answers *b = v->ctx;
	size_t n = faces_nr_lists(b->in->what);

	if (nr_rows(v->ctx))
		tui_putf(p, TUI_ROOT, "%" PRIu64 " of %" PRIu64 "  Enter: instructions",
			 b->list.cursor + 1, nr_rows(v->ctx));
	else
		tui_put(p, TUI_ROOT, "Nothing of the kind was seen.");
	if (n > 1)
		tui_putf(p, TUI_ROOT, "  Tab: the next of %zu tables", n);
	tui_put(p, TUI_ROOT, "  Right: the rest of the line  h: help");
}

/* ---- keys -------------------------------------------------------------------------------------- */

static enum tui_answer key_open(struct tui *t, struct tui_view *v)
{
	const struct answers *b = v->ctx;
	struct faces_place at;

	if (b->list.cursor >= nr_rows(v->ctx))
		return TUI_STAY;
	faces_list_place(b->at, b->in->stat, b->list.cursor, &at);
	if (at.dso && at.sym)
		return tui_asm_begin(t, b->in->a, &b->in->opts, at.dso, at.sym, at.addr);
	tui_message(t, "This code is in no function whose name is known.");
	return TUI_STAY;
}

static enum tui_answer key_next(struct tui *t, struct tui_view *v)
{
	struct answers *b = v->ctx;

	(void)t;
	b->table = (b->table + 1) % faces_nr_lists(b->in->what);
	b->at = faces_list(b->in->what, b->table);
	b->list.cursor = b->list.top = 0;
	b->list.left = 0;
	return TUI_STAY;
}

static enum tui_answer key_back(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	return TUI_BACK;
}

static const struct tui_key keys[] = {
	{ TUI_ENTER, "Enter, a", "the instructions", key_open },
	{ 'a', NULL, NULL, key_open },
	{ TUI_TAB, "Tab", "the next table of this answer", key_next },
	{ 'q', "q", "back to where you came from", key_back },
	{ 0 },
};

static const struct tui_view_ops view_ops = {
	.name = "what branches say",
	.keys = keys,
	.title = title,
	.paint = paint,
	.footer = footer,
};
static const struct tui_list_ops list_ops = { .rows = nr_rows, .paint = paint_row };

bool tui_answers(struct tui *t, const struct tui_answers *in)
{
	struct answers b = { .in = in, .at = faces_list(in->what, 0), .line = { .fd = -1 } };
	bool quit;

	b.view = (struct tui_view){ .ops = &view_ops, .ctx = &b, .list = &b.list };
	b.list = (struct tui_list){ .ops = &list_ops, .ctx = &b };
	quit = tui_run(t, &b.view) == TUI_QUIT;
	obuf_free(&b.line);
	return quit;
}
