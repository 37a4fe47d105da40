// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of the list, as wide as the screen allows. Columns of numbers are as wide as the view says;
 * keys get what is left. Where that is not enough, long keys are cut in the middle, and then
 * columns go, the least telling first: the share in front and the name at the end stay last.
 */
#include <stdio.h>

#include "report-int.h"

#define NAME_MIN   20 /* the last column has at least so much, or columns go */
#define LEVEL_STEP 3
#define FRAME_STEP 3
#define SHARE_HEAD 8 /* "  12.34%" */

/* ---- columns that fit ------------------------------------------------------------------------ */

/* Which column goes first: the highest. */
static int rank(const struct browser_layout *l, size_t i)
{
	const char *name = view_col_name(l->col[i]);

	if (i == 0 || i + 1 == l->nr)
		return 0;
	if (!strncmp(name, "sym", 3) || strstr(name, "symbol"))
		return 1;
	/* What the numbers beside it come to, in words. */
	if (l->number[i] && (!strncmp(name, "overhead", 8) || l->col[i]->key->stat_text ||
			     l->col[i]->key->slot_text))
		return 2;
	if (!strncmp(name, "dso", 3))
		return 3;
	if (!strcmp(name, "comm") || !strcmp(name, "pid") || !strcmp(name, "tid"))
		return 4;
	if (l->number[i])
		return strcmp(name, "sample") ? 6 : 7;
	return 5;
}

static int total_width(const struct browser_layout *l, int cap, int name)
{
	int all = (l->other ? SHARE_HEAD + 2 : 0) + (l->diff ? BROWSER_DIFF_WIDTH + 2 : 0);

	all += l->folds ? 2 : 0;
	for (size_t i = 0; i < l->nr; i++) {
		int w = l->width[i];

		if (i + 1 == l->nr && !l->number[i])
			w = w < name ? w : name;
		else if (!l->number[i] && w > cap)
			w = cap;
		all += w + (i ? 2 : 0);
	}
	return all;
}

static void drop_col(struct browser_layout *l)
{
	size_t out = 0;

	for (size_t i = 0; i < l->nr; i++)
		if (rank(l, i) >= rank(l, out))
			out = i;
	if (l->col[out]->key->of)
		l->gone[l->nr_gone++] = l->col[out];
	for (size_t i = out; i + 1 < l->nr; i++) {
		l->col[i] = l->col[i + 1];
		l->width[i] = l->width[i + 1];
		l->number[i] = l->number[i + 1];
	}
	l->nr--;
}

static void add_col(struct browser *b, const struct keys_col *c)
{
	struct browser_layout *l = &b->layout;

	if (l->nr == MAX_KEYS)
		return;
	l->col[l->nr] = c;
	l->number[l->nr] = c->key->at == KEY_STAT || view_col_is_number(c);
	l->width[l->nr++] = view_col_width(b->f.v, b->event, c);
}

static bool is_filtered(const struct browser *b)
{
	const struct table_totals *t = view_totals(b->f.v, b->event);

	return t->filtered_period != t->period;
}

void browser_layout(struct browser *b, int cols)
{
	static const int caps[] = { 1024, 32, 24, 16, 12 };
	struct browser_layout *l = &b->layout;
	size_t nr = view_nr_cols(b->f.v), cap = 0;
	int name = cols / 3 > NAME_MIN ? cols / 3 : NAME_MIN;
	bool levels = view_nr_levels(b->f.v) > 0;

	*l = (struct browser_layout){ 0 };
	l->folds = levels || b->o.use_chains;
	l->other = is_filtered(b);
	l->diff = browser_diff_shown(b);
	for (size_t i = b->skip < nr ? b->skip : nr - !!nr; i < nr; i++)
		add_col(b, view_col(b->f.v, i));
	if (levels)
		cols -= NAME_MIN + 2;
	while (cap + 1 < ARRAY_SIZE(caps) && total_width(l, caps[cap], name) > cols)
		cap++;
	while (l->nr > (levels ? 1u : 2u) && total_width(l, caps[cap], NAME_MIN) > cols)
		drop_col(l);
	if (l->other && total_width(l, caps[cap], NAME_MIN) > cols)
		l->other = false;
	for (size_t i = 0; i + (levels ? 0u : 1u) < l->nr; i++)
		if (!l->number[i] && l->width[i] > caps[cap])
			l->width[i] = caps[cap];
}

/* ---- heads ----------------------------------------------------------------------------------- */

static void level_heads(struct browser *b, struct tui_pen *p)
{
	const struct view *v = b->f.v;

	for (unsigned l = 0; l < view_nr_levels(v); l++)
		for (size_t i = 0; i < view_level_nr_cols(v, l); i++) {
			if (l || i)
				tui_put(p, TUI_HEAD, i ? "+" : " / ");
			tui_put(p, TUI_HEAD, view_col_head(v, view_level_col(v, l, i)));
		}
}

static const char *other_head(const struct browser *b)
{
	return b->o.relative ? "of total" : "of shown";
}

void browser_heads(struct browser *b, struct tui_pen *p)
{
	const struct browser_layout *l = &b->layout;

	if (l->folds)
		tui_put(p, TUI_HEAD, "  ");
	for (size_t i = 0; i < l->nr; i++) {
		int w = l->number[i] ? -l->width[i] : l->width[i];

		if (i)
			tui_put(p, TUI_HEAD, "  ");
		tui_field(p, TUI_HEAD, w, view_col_head(b->f.v, l->col[i]));
		if (!i && l->diff)
			tui_putf(p, TUI_HEAD, "  %*s", BROWSER_DIFF_WIDTH, "Delta");
		if (!i && l->other)
			tui_putf(p, TUI_HEAD, "  %*s", SHARE_HEAD, other_head(b));
	}
	if (view_nr_levels(b->f.v)) {
		tui_put(p, TUI_HEAD, "  ");
		level_heads(b, p);
	}
}

/* ---- lines ----------------------------------------------------------------------------------- */

enum tui_role browser_share_role(double percent)
{
	return percent >= 5 ? TUI_TOP : percent >= 0.5 ? TUI_MEDIUM : TUI_NORMAL;
}

static const char *cell_text(struct browser *b, const struct keys_row *row,
			     const struct keys_col *c)
{
	b->cell.len = 0;
	browse_key_text(b->f.v, row, c, &b->cell);
	obuf_char(&b->cell, 0);
	return b->cell.code ? "" : b->cell.buf;
}

/* The same row's share of the other total: of all where the first column has those of what passed. */
static void put_other(struct browser *b, const struct keys_row *row, struct tui_pen *p)
{
	const struct table_totals *t = view_totals(b->f.v, b->event);
	uint64_t total = b->o.relative ? t->period : t->filtered_period;
	uint64_t part = b->o.children ? row->acc : row->period;
	double percent = total ? 100.0 * (double)part / (double)total : 0;

	tui_put(p, TUI_NORMAL, "  ");
	if (total)
		tui_putf(p, browser_share_role(percent), "%*.2f%%", SHARE_HEAD - 1, percent);
	else
		tui_putf(p, TUI_DIM, "%*s", SHARE_HEAD, "-");
}

static void put_cells(struct browser *b, const struct keys_row *row, struct tui_pen *p,
		      enum tui_role name)
{
	const struct browser_layout *l = &b->layout;
	bool levels = view_nr_levels(b->f.v) > 0;

	for (size_t i = 0; i < l->nr; i++) {
		bool last = !levels && i + 1 == l->nr;
		double percent;
		enum tui_role role = name;
		int w = l->number[i] ? -l->width[i] : l->width[i];

		if (i)
			tui_put(p, TUI_NORMAL, "  ");
		if (l->number[i])
			role = view_col_percent(b->f.v, row, l->col[i], &percent)
				       ? browser_share_role(percent)
				       : TUI_NORMAL;
		if (last && !l->number[i])
			w = tui_left(p);
		tui_field(p, role, w, cell_text(b, row, l->col[i]));
		if (!i && l->diff) {
			tui_put(p, TUI_NORMAL, "  ");
			browser_diff_cell(b, row, p);
		}
		if (!i && l->other)
			put_other(b, row, p);
	}
}

static void put_levels(struct browser *b, const struct browse_line *l, struct tui_pen *p,
		       enum tui_role name)
{
	const struct view *v = b->f.v;
	size_t n = view_level_nr_cols(v, l->level);

	tui_put(p, TUI_NORMAL, "  ");
	tui_pad(p, TUI_NORMAL, p->at + LEVEL_STEP * (int)l->level);
	for (size_t i = 0; i < n; i++) {
		const char *text = cell_text(b, l->row, view_level_col(v, l->level, i));

		if (i)
			tui_put(p, TUI_NORMAL, "  ");
		if (i + 1 == n)
			tui_field(p, name, tui_left(p), text);
		else
			tui_put(p, name, text);
	}
}

/* Where names of levels begin: what is no row of numbers is indented up to there. */
static int label_at(const struct browser *b)
{
	const struct browser_layout *l = &b->layout;
	int at = l->folds ? 2 : 0;

	for (size_t i = 0; i < l->nr; i++)
		at += l->width[i] + 2;
	return at + (l->other ? SHARE_HEAD + 2 : 0) + (l->diff ? BROWSER_DIFF_WIDTH + 2 : 0);
}

static void put_sign(const struct browser *b, const struct browse_line *l, struct tui_pen *p)
{
	if (b->layout.folds)
		tui_put(p, TUI_NORMAL, l->open ? "- " : l->foldable ? "+ " : "  ");
}

void browser_frame(struct browse_rows *r, const struct browse_line *l, struct tui_pen *p,
		   enum tui_role name)
{
	int at = FRAME_STEP * (int)l->depth, most = (p->end - p->col) / 2;

	if (view_nr_levels(r->v))
		at += 8 + LEVEL_STEP * (int)l->level;
	/* Deep chains stay on the screen: the rest of their depth is not drawn. */
	tui_pad(p, TUI_NORMAL, p->at + (at > most ? most : at));
	tui_put(p, TUI_NORMAL, l->open ? "- " : l->foldable ? "+ " : "  ");
	if (l->share)
		tui_putf(p, browser_share_role(l->percent), "%5.2f%% ", l->percent);
	r->text.len = 0;
	browse_full_text(r, l, &r->text);
	obuf_char(&r->text, 0);
	tui_field(p, name, tui_left(p), r->text.code ? "" : r->text.buf);
}

void browser_line(struct browser *b, uint64_t i, struct tui_pen *p)
{
	struct browse_line l;
	enum tui_role name;

	browse_line(b->rows, i, &l);
	name = browser_matches(b, &l) ? TUI_MATCH : TUI_NORMAL;
	switch (l.kind) {
	case BROWSE_ROW:
		put_sign(b, &l, p);
		put_cells(b, l.row, p, name);
		if (view_nr_levels(b->f.v))
			put_levels(b, &l, p, name);
		break;
	case BROWSE_FRAME: browser_frame(b->rows, &l, p, name); break;
	case BROWSE_NO_ENTRY:
		tui_pad(p, TUI_NORMAL, label_at(b) + LEVEL_STEP * (int)l.level);
		tui_putf(p, TUI_DIM, "no entry >= %.2f%%", b->min_percent);
		break;
	}
}
