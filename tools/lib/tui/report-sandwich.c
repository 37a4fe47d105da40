// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sandwich: who calls a function stands above, what it calls below. Each half is a list of one row,
 * the function, with its tree unfolded; one of them has the cursor. Samples count once, however often
 * the function is in their chains, and what the steps have left out is left out here.
 *
 * From a frame of either half the next sandwich is one key away; views nest, so Esc is the way back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report-int.h"

struct sandwich {
	struct browser *b;
	const char *name;
	struct view_sandwich s;
	struct browse_rows rows[2]; /* callers, callees */
	struct tui_list list[2];
	int at; /* which of them the keys are for */
	struct tui_view view;
};

/* ---- the lists ------------------------------------------------------------------------------- */

static uint64_t list_rows(void *ctx)
{
	return browse_nr(ctx);
}

static void list_paint(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	struct browse_rows *r = ctx;
	struct browse_line l;

	(void)selected;
	browse_line(r, i, &l);
	if (l.kind == BROWSE_FRAME) {
		browser_frame(r, &l, p, TUI_NORMAL);
		return;
	}
	tui_put(p, TUI_NORMAL, l.open ? "- " : l.foldable ? "+ " : "  ");
	tui_putf(p, browser_share_role(l.percent), "%6.2f%% ", l.percent);
	r->text.len = 0;
	browse_full_text(r, &l, &r->text);
	obuf_char(&r->text, 0);
	tui_field(p, TUI_NORMAL, tui_left(p), r->text.code ? "" : r->text.buf);
}

static const struct tui_list_ops list_ops = { .rows = list_rows, .paint = list_paint };

static struct browse_rows *rows_at(struct sandwich *w)
{
	return &w->rows[w->at];
}

static bool cursor_line(struct sandwich *w, struct browse_line *l)
{
	memset(l, 0, sizeof(*l));
	if (w->list[w->at].cursor >= browse_nr(rows_at(w)))
		return false;
	browse_line(rows_at(w), w->list[w->at].cursor, l);
	return true;
}

/* ---- the screen ------------------------------------------------------------------------------ */

static void title(struct tui_view *v, struct tui_pen *p)
{
	const struct sandwich *w = v->ctx;
	uint64_t all = view_whole(w->s.callers, w->b->event); /* as the rows below have it */
	double total = all ? 100.0 * (double)w->s.total.period / (double)all : 0;
	double self = all ? 100.0 * (double)w->s.self.period / (double)all : 0;

	tui_put(p, TUI_ROOT, w->name);
	tui_putf(p, TUI_ROOT, ": %.2f%% in %llu samples, itself %.2f%%", total,
		 (unsigned long long)w->s.total.nr, self);
}

static void paint_half(struct sandwich *w, int half, struct tui_screen *s, int row, int rows)
{
	static const char *const heads[] = { "Callers", "Callees" };
	struct tui_list *l = &w->list[half];
	struct tui_list was = *l;
	struct tui_pen p = { .s = s, .row = row, .end = s->cols };

	if (rows < 1)
		return;
	if (rows > 1) {
		tui_fill(s, row, 0, 1, s->cols, TUI_HEAD);
		tui_put(&p, TUI_HEAD, heads[half]);
		if (!browse_nr(&w->rows[half]))
			tui_put(&p, TUI_HEAD, ": none");
		row++;
		rows--;
	}
	/* Without the keys it has no cursor, and keeps it for when it has them again. */
	l->no_cursor = half != w->at;
	tui_list_paint(l, s, row, 0, rows, s->cols);
	if (half != w->at)
		*l = was;
}

static void paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct sandwich *w = v->ctx;

	paint_half(w, 0, s, row, rows / 2);
	paint_half(w, 1, s, row + rows / 2, rows - rows / 2);
}

static void footer(struct tui_view *v, struct tui_pen *p)
{
	struct sandwich *w = v->ctx;
	struct browse_rows *r = rows_at(w);
	struct browse_line l;

	if (!cursor_line(w, &l))
		return;
	r->text.len = 0;
	browse_full_text(r, &l, &r->text);
	obuf_char(&r->text, 0);
	tui_put(p, TUI_ROOT, r->text.code ? "" : r->text.buf);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static enum tui_answer key_other(struct tui *t, struct tui_view *v)
{
	struct sandwich *w = v->ctx;

	(void)t;
	w->at = !w->at;
	w->view.list = &w->list[w->at];
	w->view.list->no_cursor = false;
	return TUI_STAY;
}

static enum tui_answer key_fold(struct tui *t, struct tui_view *v)
{
	struct sandwich *w = v->ctx;
	struct browse_line l;

	if (!cursor_line(w, &l))
		return TUI_STAY;
	if (l.open)
		browse_close(rows_at(w), w->list[w->at].cursor);
	else if (browse_open(rows_at(w), w->list[w->at].cursor))
		tui_message(t, "No memory to unfold this");
	return TUI_STAY;
}

static enum tui_answer key_all(struct tui *t, struct tui_view *v)
{
	struct sandwich *w = v->ctx;
	struct browse_line l;
	bool all;

	if (!cursor_line(w, &l))
		return TUI_STAY;
	if (browse_open_all(rows_at(w), &all))
		tui_message(t, "No memory to unfold everything");
	return TUI_STAY;
}

static enum tui_answer key_sandwich(struct tui *t, struct tui_view *v)
{
	struct sandwich *w = v->ctx;
	struct table_op op;
	struct browse_line l;

	if (!cursor_line(w, &l))
		return TUI_STAY;
	if (l.kind != BROWSE_FRAME ||
	    !view_frame_op(rows_at(w)->v, l.node->frames[l.frame], TABLE_FOCUS, &op)) {
		tui_message(t, "This line is no other function");
		return TUI_STAY;
	}
	return browser_sandwich_of(t, w->b, &op);
}

static enum tui_answer key_annotate(struct tui *t, struct tui_view *v)
{
	struct sandwich *w = v->ctx;
	struct browse_line l;

	return cursor_line(w, &l) ? browser_annotate_line(t, w->b, rows_at(w)->v, &l) : TUI_STAY;
}

static enum tui_answer key_back(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	return TUI_BACK;
}

static const struct tui_key keys[] = {
	{ TUI_TAB, "Tab, Shift-Tab", "the other half", key_other },
	{ TUI_BACK_TAB, NULL, NULL, key_other },
	{ '+', "+, e", "unfold or fold what is below this row", key_fold },
	{ 'e', NULL, NULL, key_fold },
	{ 'E', "E", "unfold everything in this half", key_all },
	{ TUI_ENTER, "Enter, w", "callers and callees of the function at the cursor",
	  key_sandwich },
	{ 'w', NULL, NULL, key_sandwich },
	{ 'a', "a", "the instructions of this function", key_annotate },
	{ 'q', "q", "back to where you came from", key_back },
	{ 0 },
};

static const struct tui_view_ops ops = {
	.name = "callers and callees",
	.keys = keys,
	.title = title,
	.paint = paint,
	.footer = footer,
};

/* ---- life ------------------------------------------------------------------------------------ */

static int set_up(struct sandwich *w, int half, struct err *e)
{
	struct view *v = half ? w->s.callees : w->s.callers;
	const struct keys_row *row = half ? w->s.below : w->s.above;
	int ret = browse_rows_init(&w->rows[half], v, w->b->event, view_opts(v), 0);

	if (ret)
		return err_set(e, ret, "no memory for rows");
	w->list[half] = (struct tui_list){ .ops = &list_ops, .ctx = &w->rows[half] };
	ret = browse_rows_only(&w->rows[half], row);
	if (!ret && row)
		ret = browse_open(&w->rows[half], 0);
	return ret ? err_set(e, ret, "no memory for a call tree") : 0;
}

enum tui_answer browser_sandwich_of(struct tui *t, struct browser *b, const struct table_op *op)
{
	struct sandwich w = { .b = b, .name = op->name };
	enum tui_answer a = TUI_STAY;
	struct err e = { 0 };
	int ret = view_steps_sandwich(b->steps, op, b->event, &w.s, &e);

	ret = ret ?: set_up(&w, 0, &e);
	ret = ret ?: set_up(&w, 1, &e);
	w.view = (struct tui_view){ .ops = &ops, .ctx = &w, .list = &w.list[0] };
	if (ret)
		browser_error(t, &e);
	else if (!w.s.above && !w.s.below)
		tui_message(t, "No sample of this event passes it");
	else
		a = tui_run(t, &w.view);
	for (int i = 0; i < 2; i++)
		if (w.rows[i].v)
			browse_rows_free(&w.rows[i]);
	view_sandwich_free(&w.s);
	return a;
}

enum tui_answer browser_sandwich(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	struct table_op op;

	if (!b->o.use_chains)
		tui_message(t, "This recording has no call chains: record with -g");
	else if (browser_op(t, b, TABLE_FOCUS, &op))
		return browser_sandwich_of(t, b, &op);
	return TUI_STAY;
}
