// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pop-ups: a box in the middle of the screen with lines in it, of which one may be picked. They are
 * views upon others, so resizing and hang-up are the loop's business; a box that does not fit shows
 * what fits and scrolls, down to a screen of one cell.
 */
#include <ctype.h>
#include <stdlib.h>

#include "tui/tui-int.h"

struct box {
	const char *title;
	const char *const *line;
	int nr, picked;
	struct tui_list list;
	bool ask;
};

static uint64_t box_rows(void *ctx)
{
	const struct box *b = ctx;

	return (uint64_t)b->nr;
}

static void box_row(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	const struct box *b = ctx;

	(void)selected;
	tui_put(p, TUI_MENU, b->line[i]);
}

/* ┌─ title ─┐ and what belongs to it; the inside is [row + 1, col + 2). */
static void frame(struct tui_screen *s, int row, int col, int rows, int cols, const char *title)
{
	struct tui_pen p = { .s = s, .row = row, .col = col, .end = col + cols };

	tui_fill(s, row, col, rows, cols, TUI_MENU);
	tui_put(&p, TUI_MENU, "┌─");
	if (*title) {
		char buf[256];

		tui_putf(&p, TUI_MENU, " %s ", tui_cut(buf, sizeof(buf), title, cols - 6));
	}
	while (p.at < cols - 1)
		tui_put(&p, TUI_MENU, "─");
	tui_put(&p, TUI_MENU, "┐");
	p = (struct tui_pen){ .s = s, .row = row + rows - 1, .col = col, .end = col + cols };
	tui_put(&p, TUI_MENU, "└");
	while (p.at < cols - 1)
		tui_put(&p, TUI_MENU, "─");
	tui_put(&p, TUI_MENU, "┘");
	for (int i = 1; i < rows - 1; i++) {
		tui_puts(s, row + i, col, 1, TUI_MENU, "│");
		tui_puts(s, row + i, col + cols - 1, 1, TUI_MENU, "│");
	}
}

static void box_paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct box *b = v->ctx;
	int width = tui_width(b->title) + 2, height = b->nr + 2, inner;

	for (int i = 0; i < b->nr; i++) {
		int w = tui_width(b->line[i]);

		width = w > width ? w : width;
	}
	inner = width + (b->nr > rows - 2); /* the bar */
	width = inner + 4 > s->cols ? s->cols : inner + 4;
	height = height > rows ? rows : height;
	/* Without room for a frame the lines have all there is. */
	if (height < 3 || width < 5) {
		tui_fill(s, row, 0, rows, s->cols, TUI_MENU);
		tui_list_paint(&b->list, s, row, 0, rows, s->cols);
		return;
	}
	row += (rows - height) / 2;
	frame(s, row, (s->cols - width) / 2, height, width, b->title);
	tui_list_paint(&b->list, s, row + 1, (s->cols - width) / 2 + 2, height - 2, width - 4);
}

/* The next line that begins with the letter. */
static void jump(struct box *b, int key)
{
	for (int i = 1; i <= b->nr; i++) {
		int at = ((int)b->list.cursor + i) % b->nr;

		if (tolower((unsigned char)b->line[at][0]) == tolower(key)) {
			tui_list_go(&b->list, (uint64_t)at, false);
			return;
		}
	}
}

static bool menu_key(struct tui *t, struct tui_view *v, int key, enum tui_answer *a)
{
	struct box *b = v->ctx;

	switch (key) {
	case TUI_CTRL_C: *a = TUI_QUIT; return true;
	case TUI_ESC:
	case TUI_LEFT:
	case 'q': *a = TUI_BACK; return true;
	case TUI_CLICK: tui_list_key(t, &b->list, key); return true;
	case TUI_ENTER:
	case TUI_RIGHT:
		b->picked = (int)b->list.cursor;
		*a = TUI_BACK;
		return true;
	default:
		if (!tui_list_key(t, &b->list, key) && key > ' ' && key < 127)
			jump(b, key);
		return true;
	}
}

static const struct tui_list_ops box_list = { .rows = box_rows, .paint = box_row };

int tui_menu(struct tui *t, const char *title, const char *const *items, int nr, int cursor)
{
	static const struct tui_view_ops ops = {
		.name = "menu",
		.paint = box_paint,
		.key = menu_key,
		.overlay = true,
	};
	struct box b = {
		.title = title,
		.line = items,
		.nr = nr,
		.picked = -1,
		.list = { .ops = &box_list, .role = TUI_MENU },
	};
	struct tui_view v = { .ops = &ops, .ctx = &b, .list = &b.list };

	if (nr <= 0)
		return -1;
	b.list.ctx = &b;
	b.list.cursor = cursor > 0 ? (uint64_t)cursor : 0;
	tui_run(t, &v);
	return b.picked;
}

/* ---- text ------------------------------------------------------------------------------------- */

static bool window_key(struct tui *t, struct tui_view *v, int key, enum tui_answer *a)
{
	struct box *b = v->ctx;

	if (key == TUI_CTRL_C)
		*a = TUI_QUIT;
	else if (b->ask && (key == TUI_ENTER || key == 'y' || key == 'Y'))
		b->picked = 1, *a = TUI_BACK;
	else if (b->ask ? key == TUI_ESC || key == 'n' || key == 'N' || key == 'q' ||
				  key == TUI_LEFT
			: !tui_list_key(t, &b->list, key))
		*a = TUI_BACK;
	else if (b->ask)
		tui_list_key(t, &b->list, key);
	return true;
}

static enum tui_answer window(struct tui *t, struct box *b, const char *text)
{
	static const struct tui_view_ops ops = {
		.name = "window",
		.paint = box_paint,
		.key = window_key,
		.overlay = true,
	};
	struct tui_view v = { .ops = &ops, .ctx = b, .list = &b->list };
	VEC(const char *) lines = { 0 };
	char *copy = strdup(text), *save = NULL;
	enum tui_answer a = TUI_STAY;
	int ret = copy ? 0 : -ENOMEM;

	for (char *l = copy; l && !ret; l = save) {
		save = strchr(l, '\n');
		if (save)
			*save++ = 0;
		if (save || *l)
			ret = vec_push(&lines, l);
	}
	if (!ret) {
		b->line = lines.v;
		b->nr = (int)lines.n;
		b->list = (struct tui_list){
			.ops = &box_list,
			.ctx = b,
			.role = TUI_MENU,
			.no_cursor = true,
		};
		a = tui_run(t, &v);
	} else {
		tui_message(t, "%s", text);
	}
	vec_free(&lines);
	free(copy);
	return a;
}

enum tui_answer tui_window(struct tui *t, const char *title, const char *text)
{
	struct box b = { .title = title };

	return window(t, &b, text);
}

bool tui_ask(struct tui *t, const char *question)
{
	struct box b = { .title = "Enter or y: yes, Esc or n: no", .ask = true };

	window(t, &b, question);
	return b.picked == 1;
}
