// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list of any number of rows, of which only those on the screen are ever asked for: a key costs what
 * the screen's rows cost, with ten rows or ten million.
 *
 * Invariant after painting: top <= cursor < top + height, and the last page is full where there are
 * rows enough. The number of rows may change between any two paintings (a filter, a fold); cursor and
 * top are put right when they are looked at, not when rows go.
 */
#include "tui/tui-int.h"

#define SIDEWAYS 10 /* columns by Right and Left */
#define WHEEL	 3

const struct tui_key tui_list_keys[] = {
	{ TUI_UP, "Up, Down", "a row up or down", NULL },
	{ TUI_DOWN, NULL, NULL, NULL },
	{ TUI_PAGE_UP, "PgUp", "a page up", NULL },
	{ TUI_PAGE_DOWN, "PgDn, Space", "a page down", NULL },
	{ ' ', NULL, NULL, NULL },
	{ TUI_HOME, "Home, End", "to the first or last row", NULL },
	{ TUI_END, NULL, NULL, NULL },
	{ TUI_RIGHT, "Right, Left", "scroll sideways", NULL },
	{ TUI_LEFT, NULL, NULL, NULL },
	{ 0 },
};

static void settle(struct tui_list *l, uint64_t n)
{
	uint64_t height = l->height > 0 ? (uint64_t)l->height : 1;
	uint64_t last_top = n > height ? n - height : 0;

	if (l->top > last_top)
		l->top = last_top;
	if (l->no_cursor) {
		l->cursor = l->top;
		return;
	}
	if (l->cursor >= n)
		l->cursor = n ? n - 1 : 0;
	if (l->cursor < l->top)
		l->top = l->cursor;
	if (l->cursor - l->top >= height)
		l->top = l->cursor - height + 1;
}

static void paint_bar(const struct tui_list *l, struct tui_screen *s, int row, int col, uint64_t n)
{
	uint64_t scrolled = n - (uint64_t)l->height;
	/* In halves of what is rounded: row numbers may be large. */
	int thumb = (int)((double)l->top / (double)scrolled * (l->height - 1) + 0.5);

	for (int i = 0; i < l->height; i++)
		tui_puts(s, row + i, col, 1, TUI_BAR, i == thumb ? "◆" : "▒");
}

void tui_list_paint(struct tui_list *l, struct tui_screen *s, int row, int col, int rows, int cols)
{
	uint64_t n = l->ops->rows(l->ctx);
	uint8_t over = s->over;

	l->row = row;
	l->height = rows;
	l->widest = 0;
	if (rows <= 0 || cols <= 0)
		return;
	settle(l, n);
	if (n > (uint64_t)rows && cols > 1) {
		cols--;
		paint_bar(l, s, row, col + cols, n);
	}
	l->width = cols;
	for (int i = 0; i < rows && l->top + (uint64_t)i < n; i++) {
		uint64_t at = l->top + (uint64_t)i;
		struct tui_pen p = {
			.s = s,
			.row = row + i,
			.col = col,
			.end = col + cols,
			.skip = l->left,
		};
		bool selected = !l->no_cursor && at == l->cursor;

		s->over = selected ? TUI_SELECTED : over;
		tui_fill(s, p.row, col, 1, cols, l->role);
		l->ops->paint(l->ctx, at, &p, selected);
		if (p.at > l->widest)
			l->widest = p.at;
	}
	s->over = over;
}

/* @by rows down, or up. */
static void move(struct tui_list *l, int64_t by)
{
	uint64_t *at = l->no_cursor ? &l->top : &l->cursor;
	uint64_t n = l->ops->rows(l->ctx);

	if (by < 0)
		*at = *at > (uint64_t)-by ? *at - (uint64_t)-by : 0;
	else
		*at = n && *at < n - 1 && (uint64_t)by < n - 1 - *at ? *at + (uint64_t)by
		      : n					     ? n - 1
								     : 0;
	settle(l, n);
}

/* Pages keep the cursor where it is on the screen. */
static void page(struct tui_list *l, int dir)
{
	int64_t by = l->height > 1 ? l->height : 1;
	uint64_t n = l->ops->rows(l->ctx), top = l->top;

	move(l, dir * by);
	if (l->no_cursor)
		return;
	if (dir < 0)
		l->top = top > (uint64_t)by ? top - (uint64_t)by : 0;
	else
		l->top = top + (uint64_t)by;
	settle(l, n);
}

static bool sideways(struct tui_list *l, int key)
{
	if (key == TUI_LEFT) {
		if (!l->left)
			return false; /* then it means: back */
		l->left = l->left > SIDEWAYS ? l->left - SIDEWAYS : 0;
	} else if (l->left + l->width < l->widest) {
		l->left += SIDEWAYS;
	}
	return true;
}

bool tui_list_key(struct tui *t, struct tui_list *l, int key)
{
	int row, col;

	switch (key) {
	case TUI_UP: move(l, -1); return true;
	case TUI_DOWN: move(l, 1); return true;
	case TUI_WHEEL_UP: move(l, -WHEEL); return true;
	case TUI_WHEEL_DOWN: move(l, WHEEL); return true;
	case TUI_PAGE_UP: page(l, -1); return true;
	case ' ':
	case TUI_PAGE_DOWN: page(l, 1); return true;
	case TUI_HOME: tui_list_go(l, 0, false); return true;
	case TUI_END: tui_list_go(l, UINT64_MAX, false); return true;
	case TUI_LEFT:
	case TUI_RIGHT: return sideways(l, key);
	case TUI_CLICK:
		tui_mouse(t, &row, &col);
		if (row >= l->row && row < l->row + l->height)
			tui_list_go(l, l->top + (uint64_t)(row - l->row), false);
		return true;
	default: return false;
	}
}

void tui_list_go(struct tui_list *l, uint64_t i, bool centre)
{
	uint64_t n = l->ops->rows(l->ctx), half = l->height > 0 ? (uint64_t)l->height / 2 : 0;

	i = i < n ? i : n ? n - 1 : 0;
	l->cursor = i;
	if (l->no_cursor)
		l->top = i;
	if (centre)
		l->top = i > half ? i - half : 0;
	settle(l, n);
}
