// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The report browser: a list of lines (browse-int.h) with the keys that upstream's users have in their
 * fingers, and others on letters that it leaves free. It counts nothing: every key makes another
 * table or view of the one that was counted richly, or shows another part of it.
 */
#include <stdlib.h>

#include "report-int.h"

/* ---- the list -------------------------------------------------------------------------------- */

static uint64_t list_rows(void *ctx)
{
	const struct browser *b = ctx;

	return b->rows ? browse_nr(b->rows) : 0;
}

static void list_paint(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	(void)selected;
	browser_line(ctx, i, p);
}

static const struct tui_list_ops list_ops = { .rows = list_rows, .paint = list_paint };

bool browser_cursor(struct browser *b, struct browse_line *l)
{
	if (b->list.cursor >= list_rows(b)) {
		memset(l, 0, sizeof(*l));
		return false;
	}
	browse_line(b->rows, b->list.cursor, l);
	return true;
}

const struct perfdata_event *browser_event(const struct browser *b)
{
	for (size_t i = 0; i < perfdata_nr_events(b->f.pd); i++)
		if (perfdata_event(b->f.pd, i)->idx == b->event)
			return perfdata_event(b->f.pd, i);
	return NULL;
}

/* ---- the screen ------------------------------------------------------------------------------ */

/* The line at the cursor in full, in the buffer until the next cell; NULL: there is none. */
static const char *full_text(struct browser *b)
{
	struct browse_line l;

	if (!browser_cursor(b, &l))
		return NULL;
	b->cell.len = 0;
	browse_full_text(b->rows, &l, &b->cell);
	/* The last to go is the most telling. */
	for (size_t i = b->layout.nr_gone; l.kind == BROWSE_ROW && i > 0; i--) {
		obuf_lit(&b->cell, "  ");
		obuf_str(&b->cell, view_col_head(b->f.v, b->layout.gone[i - 1]));
		obuf_char(&b->cell, ' ');
		browse_key_text(b->f.v, l.row, b->layout.gone[i - 1], &b->cell);
	}
	obuf_char(&b->cell, 0);
	return b->cell.code ? NULL : b->cell.buf;
}

/* Lines beside the footer that the text at the cursor needs: at most a quarter of the screen. */
static int more_footer(const char *text, int cols, int rows)
{
	int n = text && cols > 0 ? (tui_width(text) - 1) / cols : 0;

	return n > rows / 4 ? rows / 4 : n;
}

static void paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct browser *b = v->ctx;
	struct tui_pen p = { .s = s, .row = row, .end = s->cols };
	const char *text;
	int more;

	browser_layout(b, s->cols - 1); /* one for the scroll bar */
	text = full_text(b);
	more = more_footer(text, s->cols, rows);
	for (int i = 0; i < more; i++) {
		struct tui_pen f = {
			.s = s, .row = row + rows - more + i, .end = s->cols, .skip = i * s->cols
		};

		tui_fill(s, f.row, 0, 1, s->cols, TUI_ROOT);
		tui_put(&f, TUI_ROOT, text);
	}
	rows -= more;
	if (!b->no_heads && rows > 2) {
		tui_fill(s, row, 0, 1, s->cols, TUI_HEAD);
		browser_heads(b, &p);
		row++;
		rows--;
	}
	tui_list_paint(&b->list, s, row, 0, rows, s->cols);
}

static void footer(struct tui_view *v, struct tui_pen *p)
{
	struct browser *b = v->ctx;
	const char *text = full_text(b);

	if (!text)
		return;
	p->skip = more_footer(text, p->s->cols, p->s->rows - 2) * p->s->cols;
	tui_put(p, TUI_ROOT, text);
}

/* ---- folding --------------------------------------------------------------------------------- */

static enum tui_answer key_fold(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	uint64_t at = b->list.cursor, n;
	struct browse_line l;

	if (!browser_cursor(b, &l))
		return TUI_STAY;
	/* A frame that is no fork belongs to the one above it. */
	if (!l.foldable && l.kind == BROWSE_FRAME)
		at = browse_up(b->rows, at);
	if (l.open || at != b->list.cursor) {
		browse_close(b->rows, at);
		tui_list_go(&b->list, at, false);
		return TUI_STAY;
	}
	n = browse_nr(b->rows);
	if (browse_open(b->rows, at))
		tui_message(t, "No memory to unfold this");
	else if (browse_nr(b->rows) == n)
		tui_message(t, l.foldable ? "Nothing is below this row"
					  : "This row has no call chain");
	return TUI_STAY;
}

static enum tui_answer key_close(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	struct browse_line l;

	(void)t;
	if (!browser_cursor(b, &l))
		return TUI_STAY;
	if (!l.open)
		tui_list_go(&b->list, browse_up(b->rows, b->list.cursor), false);
	browse_close(b->rows, b->list.cursor);
	return TUI_STAY;
}

static enum tui_answer key_open_all(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	bool all = true;

	if (browse_open_all(b->rows, &all))
		tui_message(t, "No memory to unfold everything");
	else if (!all)
		tui_message(t, "Unfolded from the top down, until a million lines more");
	tui_list_go(&b->list, 0, false);
	return TUI_STAY;
}

static enum tui_answer key_close_all(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	(void)t;
	browse_close_all(b->rows);
	tui_list_go(&b->list, 0, false);
	return TUI_STAY;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static enum tui_answer key_right(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	(void)t;
	if (b->skip + 1 < view_nr_cols(b->f.v))
		b->skip++;
	return TUI_STAY;
}

static enum tui_answer key_left(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (b->skip)
		b->skip--;
	else if (browser_newest(b))
		return browser_undo(t, v);
	return TUI_STAY;
}

static enum tui_answer key_heads(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	(void)t;
	b->no_heads = !b->no_heads;
	return TUI_STAY;
}

static enum tui_answer key_verbose(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	b->verbose = b->rows->verbose = !b->verbose;
	tui_message(t, b->verbose ? "Frames with their objects" : "Frames without their objects");
	return TUI_STAY;
}

static enum tui_answer key_esc(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (browser_newest(b))
		return browser_undo(t, v);
	return tui_ask(t, "Do you really want to exit?") ? TUI_QUIT : TUI_STAY;
}

static const struct tui_key keys[] = {
	{ TUI_ENTER, "Enter, m", "what can be done with this row", browser_menu },
	{ 'm', NULL, NULL, browser_menu },
	{ '+', "+, e", "unfold or fold what is below this row", key_fold },
	{ 'e', NULL, NULL, key_fold },
	{ 'c', "c", "fold the level that this line is in", key_close },
	{ 'E', "E, C", "unfold or fold everything", key_open_all },
	{ 'C', NULL, NULL, key_close_all },
	{ 'a', "a", "the instructions of this function", browser_annotate },
	{ 'd', "d", "only rows of this object; again: all", browser_zoom_dso },
	{ 'k', "k", "only rows of the kernel; again: all", browser_zoom_kernel },
	{ 't', "t", "only this thread or command; again: all", browser_zoom_thread },
	{ 'S', "S", "only this processor socket; again: all", browser_zoom_socket },
	{ '/', "/", "only symbols with a word in their name", browser_filter },
	{ 'L', "L", "leave out rows and callers below a share", browser_limit },
	{ 'F', "F", "shares of what is shown, or of everything", browser_shares },
	{ 'f', "f", "focus: only samples that pass this function", browser_focus },
	{ 'x', "x", "ignore: without samples that pass this function", browser_ignore },
	{ 'X', "X, D", "hide this function or object: what it cost is its callers'",
	  browser_hide_function },
	{ 'D', NULL, NULL, browser_hide_dso },
	{ 'M', "M", "one frame for all functions of this object", browser_merge_dso },
	{ 'R', "R", "recursion as one frame; again: as it was", browser_recursion },
	{ 'w', "w", "sandwich: callers above, callees below this function", browser_sandwich },
	{ 'T', "T", "pick a slice of time", browser_time },
	{ 'b', "b", "blocks of code by their cycles (branch stacks)", browser_blocks },
	{ 'p', "p", "hot paths: branches one after the other (branch stacks)", browser_paths },
	{ 6, "Ctrl-F", "search rows and frames by a regular expression", browser_search },
	{ 'n', "n", "the next match", browser_search_next },
	{ 'N', "N", "the previous match", browser_search_prev },
	{ 'o', "o", "other keys, in another order", browser_sort },
	{ 'O', "O", "rows below rows (a level for each key), or flat", browser_levels },
	{ 'I', "I", "call trees the other way round", browser_callers },
	{ 'v', "v", "with or without what callees cost", browser_self },
	{ 'l', "l", "latency first, or overhead", browser_latency },
	{ 'y', "y", "columns of SIMD state on or off", browser_simd },
	{ 'V', "V", "frames with their objects, or without", key_verbose },
	{ '=', "=", "the largest differences from the other recording (--diff)",
	  browser_differences },
	{ TUI_ESC, "Esc, u", "undo the last step", key_esc },
	{ 'u', NULL, NULL, browser_undo },
	{ 'U', "U", "take the step again that was undone", browser_redo },
	{ TUI_RIGHT, "Right, Left", "scroll columns away and back; Left at the first: undo",
	  key_right },
	{ TUI_LEFT, NULL, NULL, key_left },
	{ TUI_TAB, "Tab, Shift-Tab", "the next or previous event", browser_next_event },
	{ TUI_BACK_TAB, NULL, NULL, browser_prev_event },
	{ 'H', "H", "heads of columns on or off", key_heads },
	{ 'i', "i", "the header of the recording", browser_info },
	{ 'P', "P", "write these lines to perf.hist.N", browser_print },
	{ 'W', "W", "write what is seen as text, CSV, JSON or folded stacks", browser_save },
	{ 's', "s", "another recording of this directory", browser_switch },
	{ 0 },
};

static const struct tui_view_ops view_ops = {
	.name = "report",
	.keys = keys,
	.title = browser_title,
	.paint = paint,
	.footer = footer,
	.about = browser_about,
};

int tui_report(struct tui *t, const struct tui_report *in, struct err *e)
{
	struct browser *b = calloc(1, sizeof(*b));
	int ret = b ? obuf_init(&b->cell, -1, 0) : -ENOMEM;

	if (ret) {
		free(b);
		return err_set(e, ret, "no memory for a browser");
	}
	b->in = in;
	b->f = *in->f;
	b->f.v = NULL;
	b->list = (struct tui_list){ .ops = &list_ops, .ctx = b };
	b->view = (struct tui_view){ .ops = &view_ops, .ctx = b, .list = &b->list };
	ret = view_steps_new(&b->steps, in->rich, in->f->po, in->first, e);
	ret = ret ?: browser_diff_new(b, e);
	if (!ret) {
		b->f.t = view_steps_table(b->steps);
		b->f.v = view_steps_view(b->steps);
	}
	if (!ret && !browser_pick_event(t, b)) {
		ret = browser_look(b, e);
		if (!ret)
			tui_run(t, &b->view);
	}
	if (b->rows)
		browse_rows_free(b->rows);
	free(b->rows);
	browser_diff_free(b);
	view_steps_free(b->steps);
	view_pattern_free(b->search.pattern);
	obuf_free(&b->cell);
	free(b);
	return ret;
}
