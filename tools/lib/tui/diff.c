// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf diff in a terminal: what its text says, line by line, for any number of files: rows, call trees that fold,
 * blocks. Lines are those that room faces printed, so that browser and text cannot disagree; what is done here is to
 * leave some of them out. What differs by no more than chance makes is dim.
 *
 * Invariant: shown[] are numbers of lines of the table at hand, ascending; folded[] has one entry for each line.
 */
#include <stdio.h>
#include <stdlib.h>

#include "faces/faces.h"
#include "tui/tui-int.h"

struct diff_browser {
	const struct tui_diff *in;
	size_t table;
	struct tui_view view;
	struct tui_list list;
	VEC(uint32_t) shown;
	bool *folded, *kept; /* by line */
	bool significant;    /* without what may be chance */
	char word[128];	     /* only lines with it; "" = all */
	struct err failed;   /* no memory: the browser ends */
};

static const struct tui_diff_table *table_of(const struct diff_browser *b)
{
	return &b->in->tables[b->table];
}

static const struct faces_line *line_at(const struct diff_browser *b, size_t i)
{
	return &table_of(b)->lines->v.v[i];
}

static size_t nr_lines(const struct diff_browser *b)
{
	return table_of(b)->lines->v.n;
}

/* ---- which lines are shown ------------------------------------------------------------------------ */

static bool has_word(const struct diff_browser *b, size_t i)
{
	const char *text = table_of(b)->text + line_at(b, i)->at;
	size_t n = strlen(b->word);

	return !n || memmem(text, strcspn(text, "\n"), b->word, n);
}

/* Whoever called what is left stays, too; from the last line on, so that these are met on the way. */
static void keep(struct diff_browser *b)
{
	uint32_t caller = 0; /* the depth of the next line that is kept for what it calls */

	for (size_t i = nr_lines(b); i--;) {
		const struct faces_line *l = line_at(b, i);
		bool calls = caller && l->depth == caller;

		b->kept[i] = calls || (has_word(b, i) && !(b->significant && l->chance));
		if (b->kept[i])
			caller = l->depth ? l->depth - 1 : 0;
	}
}

static bool has_below(const struct diff_browser *b, size_t i)
{
	return line_at(b, i)->depth && i + 1 < nr_lines(b) &&
	       line_at(b, i + 1)->depth > line_at(b, i)->depth;
}

/* @at: the line that the cursor stays on, or goes to what it was folded into. */
static void choose(struct diff_browser *b, size_t at)
{
	uint32_t hidden = UINT32_MAX; /* below a line of this depth */

	keep(b);
	b->shown.n = 0;
	b->list.cursor = 0;
	for (size_t i = 0; i < nr_lines(b); i++) {
		if (line_at(b, i)->depth > hidden && line_at(b, i)->depth)
			continue;
		hidden = b->folded[i] ? line_at(b, i)->depth : UINT32_MAX;
		if (!b->kept[i])
			continue;
		if (vec_push(&b->shown, (uint32_t)i))
			err_set(&b->failed, -ENOMEM, "no memory for the lines of a comparison");
		if (i <= at)
			b->list.cursor = b->shown.n - 1;
	}
}

static size_t at_cursor(const struct diff_browser *b)
{
	return b->list.cursor < b->shown.n ? b->shown.v[b->list.cursor] : 0;
}

static void show_table(struct diff_browser *b, size_t table)
{
	size_t n;

	b->table = table;
	n = nr_lines(b) + 1;
	free(b->folded);
	free(b->kept);
	b->folded = calloc(n, sizeof(*b->folded));
	b->kept = calloc(n, sizeof(*b->kept));
	b->shown.n = 0;
	b->list.left = 0;
	b->list.top = 0;
	if (b->folded && b->kept)
		choose(b, 0);
	else
		err_set(&b->failed, -ENOMEM, "no memory for the lines of a comparison");
}

/* ---- painting ------------------------------------------------------------------------------------- */

static uint64_t nr_rows(void *ctx)
{
	return ((const struct diff_browser *)ctx)->shown.n;
}

static void put_text(struct tui_pen *p, enum tui_role role, const char *text)
{
	/* Names of C++ are longer than tui_putf() has room for. */
	char *line = strndup(text, strcspn(text, "\n"));

	tui_put(p, role, line ? line : "");
	free(line);
}

static void paint_row(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	const struct diff_browser *b = ctx;
	size_t at = b->shown.v[i];
	const struct faces_line *l = line_at(b, at);

	(void)selected;
	if (l->depth)
		tui_put(p, TUI_BAR, !has_below(b, at) ? "  " : b->folded[at] ? "+ " : "- ");
	put_text(p, l->chance ? TUI_DIM : TUI_NORMAL, table_of(b)->text + l->at);
}

static void paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct diff_browser *b = v->ctx;
	struct tui_pen p = { .s = s, .row = row, .end = s->cols, .skip = b->list.left };

	if (rows > 3) {
		tui_fill(s, row, 0, 1, s->cols, TUI_HEAD);
		if (nr_lines(b) && line_at(b, 0)->depth)
			tui_put(&p, TUI_HEAD, "  ");
		/* "# Baseline": the text says by that that it is a head. */
		tui_put(&p, TUI_HEAD, "  ");
		put_text(&p, TUI_HEAD, table_of(b)->text + table_of(b)->lines->heads + 2);
		row++;
		rows--;
	}
	tui_list_paint(&b->list, s, row, 0, rows, s->cols);
}

static void title(struct tui_view *v, struct tui_pen *p)
{
	const struct diff_browser *b = v->ctx;

	tui_putf(p, TUI_ROOT, "%s: ", table_of(b)->name);
	for (size_t i = 0; i < b->in->nr_files; i++) {
		if (b->in->nr_files > 2)
			tui_putf(p, TUI_ROOT, "[%zu] ", i);
		tui_put(p, TUI_ROOT, b->in->files[i]);
		tui_put(p, TUI_ROOT, i + 1 < b->in->nr_files ? i ? ", " : " and " : "");
	}
}

static void footer(struct tui_view *v, struct tui_pen *p)
{
	const struct diff_browser *b = v->ctx;

	if (b->in->nr_tables > 1)
		tui_putf(p, TUI_ROOT, "Table %zu of %zu (Tab)  ", b->table + 1, b->in->nr_tables);
	tui_putf(p, TUI_ROOT, "%zu of %zu lines", b->shown.n, nr_lines(b));
	if (b->significant)
		tui_put(p, TUI_ROOT, ", no chance (s)");
	if (*b->word)
		tui_putf(p, TUI_ROOT, ", with \"%s\" (/)", b->word);
	tui_put(p, TUI_ROOT, "  h: help");
}

/* ---- keys ----------------------------------------------------------------------------------------- */

static enum tui_answer again(struct diff_browser *b, size_t at)
{
	choose(b, at);
	return b->failed.code ? TUI_BACK : TUI_STAY;
}

static enum tui_answer key_fold(struct tui *t, struct tui_view *v)
{
	struct diff_browser *b = v->ctx;
	size_t at = at_cursor(b);

	if (!b->shown.n || !has_below(b, at)) {
		tui_message(t, "Nothing is below this line");
		return TUI_STAY;
	}
	b->folded[at] = !b->folded[at];
	return again(b, at);
}

static enum tui_answer fold_all(struct diff_browser *b, bool fold)
{
	for (size_t i = 0; i < nr_lines(b); i++)
		b->folded[i] = fold && has_below(b, i);
	return again(b, at_cursor(b));
}

static enum tui_answer key_open_all(struct tui *t, struct tui_view *v)
{
	(void)t;
	return fold_all(v->ctx, false);
}

static enum tui_answer key_close_all(struct tui *t, struct tui_view *v)
{
	(void)t;
	return fold_all(v->ctx, true);
}

static enum tui_answer key_chance(struct tui *t, struct tui_view *v)
{
	struct diff_browser *b = v->ctx;

	(void)t;
	b->significant = !b->significant;
	return again(b, at_cursor(b));
}

static enum tui_answer key_word(struct tui *t, struct tui_view *v)
{
	struct diff_browser *b = v->ctx;
	char word[sizeof(b->word)]; /* Esc leaves what was */

	snprintf(word, sizeof(word), "%s", b->word);
	if (!tui_input(t, "Only lines with: ", word, sizeof(word), tui_searched(t), NULL, NULL))
		return TUI_STAY;
	snprintf(b->word, sizeof(b->word), "%s", word);
	return again(b, at_cursor(b));
}

static enum tui_answer go_by(struct diff_browser *b, size_t by)
{
	show_table(b, (b->table + by) % b->in->nr_tables);
	return b->failed.code ? TUI_BACK : TUI_STAY;
}

static enum tui_answer key_next(struct tui *t, struct tui_view *v)
{
	(void)t;
	return go_by(v->ctx, 1);
}

static enum tui_answer key_prev(struct tui *t, struct tui_view *v)
{
	struct diff_browser *b = v->ctx;

	(void)t;
	return go_by(b, b->in->nr_tables - 1);
}

static const struct tui_key keys[] = {
	{ TUI_ENTER, "Enter, +", "unfold or fold what a function calls", key_fold },
	{ '+', NULL, NULL, key_fold },
	{ 'E', "E, C", "unfold or fold everything", key_open_all },
	{ 'C', NULL, NULL, key_close_all },
	{ 's', "s", "without what may be chance, or with it", key_chance },
	{ '/', "/", "only lines with a word; none: all", key_word },
	{ TUI_TAB, "Tab, Shift-Tab", "the next event, or the one before", key_next },
	{ TUI_BACK_TAB, NULL, NULL, key_prev },
	{ 0 },
};

static const struct tui_view_ops view_ops = {
	.name = "diff",
	.keys = keys,
	.title = title,
	.paint = paint,
	.footer = footer,
};
static const struct tui_list_ops list_ops = { .rows = nr_rows, .paint = paint_row };

int tui_diff(struct tui *t, const struct tui_diff *in, struct err *e)
{
	struct diff_browser b = { .in = in };

	b.view = (struct tui_view){ .ops = &view_ops, .ctx = &b, .list = &b.list };
	b.list = (struct tui_list){ .ops = &list_ops, .ctx = &b };
	show_table(&b, 0);
	if (!b.failed.code)
		tui_run(t, &b.view);
	free(b.folded);
	free(b.kept);
	vec_free(&b.shown);
	*e = b.failed;
	return b.failed.code;
}
