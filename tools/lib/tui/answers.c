// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --branches and --profile-quality in a terminal: their tables as lists, one at a time, Tab goes to the
 * next. A row is made when it is painted, by room faces, so that browser and text say the same; Enter opens the
 * instructions it is about, where the same answers stand beside them.
 *
 * Columns are as wide as the first rows need. Where a line has no room for all of them, what rows are about comes
 * behind the first number, and columns in which those rows have nothing come last, so that the screen has the answer;
 * what the row at the cursor has beyond the edge stands below.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "faces/faces.h"
#include "tui/asm-int.h"

#define MOST_COLS 24
#define LOOK	  1000 /* rows that say how wide columns are */
#define WORDS_MIN 24   /* of what rows are about, before it is cut */

struct answer_col {
	const char *head;
	bool subject, words, empty;
	int need, width; /* of all, on this screen */
};

struct answers {
	const struct tui_answers *in;
	const struct walk_list *at; /* the table that is shown */
	size_t table;
	struct tui_view view;
	struct tui_list list;
	struct answer_col col[MOST_COLS];
	unsigned order[MOST_COLS], nr; /* of columns, as they stand */
	/* The cells of a row, one behind the other. */
	struct obuf cells;
	size_t cell[MOST_COLS], nr_cells;
	int cols;    /* of the screen that it is laid out for; 0 = for none yet */
	bool narrow; /* it has no room for all of them */
};

static uint64_t nr_rows(void *ctx)
{
	const struct answers *b = ctx;

	return faces_list_nr(b->at, &b->in->f);
}

/* ---- columns ------------------------------------------------------------------------------------ */

static void add_head(void *ctx, const char *text)
{
	struct answers *b = ctx;

	if (b->nr == MOST_COLS)
		return;
	b->col[b->nr] = (struct answer_col){ .head = text,
					     .subject = faces_list_is_subject(b->at, b->nr),
					     .empty = true,
					     .need = tui_width(text) };
	b->nr++;
}

static void add_cell(void *ctx, const char *text)
{
	struct answers *b = ctx;

	if (b->nr_cells == MOST_COLS)
		return;
	b->cell[b->nr_cells++] = b->cells.len;
	emit_safe(&b->cells, text);
	obuf_char(&b->cells, 0);
}

/* The cells of row @i; false: no memory. */
static bool read_row(struct answers *b, uint64_t i)
{
	b->cells.len = b->nr_cells = 0;
	return !faces_list_cells(b->at, &b->in->f, i, add_cell, b) && !b->cells.code;
}

static const char *cell_of(const struct answers *b, unsigned c)
{
	return c < b->nr_cells ? b->cells.buf + b->cell[c] : "";
}

static void measure(struct answers *b)
{
	uint64_t nr = nr_rows(b);

	b->nr = 0;
	faces_list_head_cells(b->at, add_head, b);
	for (uint64_t i = 0; i < nr && i < LOOK; i++) {
		if (!read_row(b, i))
			continue;
		for (unsigned c = 0; c < b->nr; c++) {
			struct answer_col *col = &b->col[c];
			const char *text = cell_of(b, c);
			int w = tui_width(text);

			col->need = w > col->need ? w : col->need;
			col->empty &= !*text || !strcmp(text, "-");
			col->words |= text[strspn(text, "-.%0123456789")] != 0;
		}
	}
}

static void place(struct answers *b, unsigned c, int *at)
{
	for (unsigned i = 0; i < (unsigned)*at; i++)
		if (b->order[i] == c)
			return;
	b->order[(*at)++] = c;
}

static void lay_out(struct answers *b, int cols)
{
	int all = 0, at = 0, left, subjects = 0;

	if (b->cols == cols)
		return;
	if (!b->cols)
		measure(b);
	b->cols = cols;
	for (unsigned c = 0; c < b->nr; c++) {
		b->col[c].width = b->col[c].need;
		all += b->col[c].need + 2;
		subjects += b->col[c].subject;
	}
	b->narrow = all > cols;
	if (!b->narrow) {
		for (unsigned c = 0; c < b->nr; c++)
			b->order[c] = c;
		return;
	}
	for (unsigned c = 0; c < b->nr && !at; c++)
		if (!b->col[c].empty && !b->col[c].words)
			place(b, c, &at);
	/* A quarter is left for other numbers. */
	left = cols - cols / 4 - (at ? b->col[b->order[0]].width + 2 : 0);
	for (unsigned c = 0; c < b->nr; c++) {
		struct answer_col *col = &b->col[c];
		int most = subjects ? left / subjects - 2 : 0;

		if (!col->subject || col->empty)
			continue;
		place(b, c, &at);
		most = most > WORDS_MIN ? most : WORDS_MIN;
		col->width = col->need < most ? col->need : most;
		left -= col->width + 2;
		subjects--;
	}
	for (int empty = 0; empty < 2; empty++)
		for (unsigned c = 0; c < b->nr; c++)
			if (b->col[c].empty == empty)
				place(b, c, &at);
}

/* ---- the screen --------------------------------------------------------------------------------- */

static void put_cell(const struct answers *b, unsigned i, const char *text, enum tui_role role,
		     struct tui_pen *p)
{
	const struct answer_col *col = &b->col[b->order[i]];

	tui_put(p, role, "  ");
	tui_field(p, role, col->words ? col->width : -col->width, text);
}

static void paint_row(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	struct answers *b = ctx;

	(void)selected;
	if (!read_row(b, i))
		return;
	for (unsigned c = 0; c < b->nr; c++)
		put_cell(b, c, cell_of(b, b->order[c]), TUI_NORMAL, p);
}

/* What the row at the cursor has beyond the edge, or that was cut. */
static void paint_rest(struct answers *b, struct tui_pen *p)
{
	int at = 0;

	if (b->list.cursor >= nr_rows(b) || !read_row(b, b->list.cursor))
		return;
	for (unsigned c = 0; c < b->nr; c++) {
		const struct answer_col *col = &b->col[b->order[c]];
		const char *text = cell_of(b, b->order[c]);

		at += 2 + col->width;
		if (!*text || !strcmp(text, "-") ||
		    (at <= b->cols && tui_width(text) <= col->width))
			continue;
		tui_putf(p, TUI_DIM, "  %s: ", col->head);
		tui_put(p, TUI_NORMAL, text);
	}
}

static void paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct answers *b = v->ctx;
	struct tui_pen p = { .s = s, .row = row, .end = s->cols, .skip = b->list.left };

	lay_out(b, s->cols > 1 ? s->cols - 1 : 1); /* one for the scroll bar */
	if (rows > 3) {
		tui_fill(s, row, 0, 1, s->cols, TUI_HEAD);
		for (unsigned c = 0; c < b->nr; c++)
			put_cell(b, c, b->col[b->order[c]].head, TUI_HEAD, &p);
		row++;
		rows--;
	}
	if (b->narrow && rows > 3) {
		struct tui_pen rest = { .s = s, .row = row + --rows, .end = s->cols };

		paint_rest(b, &rest);
	}
	tui_list_paint(&b->list, s, row, 0, rows, s->cols);
}

static void title(struct tui_view *v, struct tui_pen *p)
{
	struct answers *b = v->ctx;

	b->cells.len = 0;
	faces_list_title(b->at, &b->in->f, &b->cells);
	obuf_char(&b->cells, 0);
	tui_put(p, TUI_ROOT, b->cells.code ? "" : b->cells.buf);
	/* Others say what comes out. */
	if (faces_list_has_places(b->at))
		tui_putf(p, TUI_ROOT, ": %" PRIu64, nr_rows(v->ctx));
}

static void footer(struct tui_view *v, struct tui_pen *p)
{
	const struct answers *b = v->ctx;
	size_t n = faces_nr_lists(b->in->what);

	if (nr_rows(v->ctx))
		tui_putf(p, TUI_ROOT, "%" PRIu64 " of %" PRIu64 "%s", b->list.cursor + 1,
			 nr_rows(v->ctx),
			 faces_list_has_places(b->at) ? "  Enter: instructions" : "");
	else
		tui_put(p, TUI_ROOT, "Nothing of the kind was seen.");
	if (n > 1)
		tui_putf(p, TUI_ROOT, "  Tab: the next of %zu tables", n);
	tui_put(p, TUI_ROOT, "  Right: more  h: help");
}

static void about(struct tui_view *v, struct obuf *o)
{
	const struct answers *b = v->ctx;
	const char *text = faces_list_legend(b->at);

	if (text)
		obuf_str(o, text);
}

/* ---- keys -------------------------------------------------------------------------------------- */

static enum tui_answer key_open(struct tui *t, struct tui_view *v)
{
	const struct answers *b = v->ctx;
	struct faces_place at;

	if (b->list.cursor >= nr_rows(v->ctx))
		return TUI_STAY;
	if (!faces_list_place(b->at, &b->in->f, b->list.cursor, &at)) {
		tui_message(t, "This line is about no code: Tab goes to the next table.");
		return TUI_STAY;
	}
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
	b->list.left = b->cols = 0;
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
	.about = about,
};
static const struct tui_list_ops list_ops = { .rows = nr_rows, .paint = paint_row };

bool tui_answers(struct tui *t, const struct tui_answers *in)
{
	struct answers b = { .in = in, .at = faces_list(in->what, 0), .cells = { .fd = -1 } };
	bool quit;

	b.view = (struct tui_view){ .ops = &view_ops, .ctx = &b, .list = &b.list };
	b.list = (struct tui_list){ .ops = &list_ops, .ctx = &b };
	quit = tui_run(t, &b.view) == TUI_QUIT;
	free(b.cells.buf);
	return quit;
}
