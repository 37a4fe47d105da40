// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line that is typed, at the bottom of the screen. The text is UTF-8 in the caller's buffer, always
 * whole characters, always ended; the cursor is a place in bytes that is never inside of one. What does
 * not fit in the buffer is not taken.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tui/tui-int.h"

struct line {
	const char *prompt;
	char *buf;
	size_t size, at; /* the cursor */
	struct tui_history *history;
	int shown;   /* of the history; -1 = what is typed */
	char *typed; /* kept while the history is looked at */
	void (*changed)(void *ctx, const char *text);
	void *ctx;
	bool done;
};

void tui_history_free(struct tui_history *h)
{
	for (int i = 0; i < TUI_HISTORY; i++) {
		free(h->line[i]);
		h->line[i] = NULL;
	}
}

static void remember(struct tui_history *h, const char *text)
{
	char *copy;
	int i = 0;

	if (!h || !*text)
		return;
	copy = strdup(text);
	if (!copy)
		return;
	/* What was there moves to the front; else the oldest goes. */
	while (i < TUI_HISTORY - 1 && h->line[i] && strcmp(h->line[i], text))
		i++;
	free(h->line[i]);
	memmove(h->line + 1, h->line, (size_t)i * sizeof(*h->line));
	h->line[0] = copy;
}

static size_t before(const struct line *l, size_t at)
{
	while (at && (l->buf[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t after(const struct line *l, size_t at)
{
	if (l->buf[at])
		at++;
	while ((l->buf[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static void cut(struct line *l, size_t from, size_t to)
{
	memmove(l->buf + from, l->buf + to, strlen(l->buf + to) + 1);
	l->at = from;
}

static void insert(struct line *l, int cp)
{
	size_t len = strlen(l->buf), n;
	char c[5];

	if (cp < 0x80)
		n = (size_t)snprintf(c, sizeof(c), "%c", cp);
	else if (cp < 0x800)
		n = (size_t)snprintf(c, sizeof(c), "%c%c", 0xc0 | cp >> 6, 0x80 | (cp & 63));
	else if (cp < 0x10000)
		n = (size_t)snprintf(c, sizeof(c), "%c%c%c", 0xe0 | cp >> 12, 0x80 | (cp >> 6 & 63),
				     0x80 | (cp & 63));
	else
		n = (size_t)snprintf(c, sizeof(c), "%c%c%c%c", 0xf0 | cp >> 18,
				     0x80 | (cp >> 12 & 63), 0x80 | (cp >> 6 & 63),
				     0x80 | (cp & 63));
	if (len + n >= l->size)
		return;
	memmove(l->buf + l->at + n, l->buf + l->at, len - l->at + 1);
	memcpy(l->buf + l->at, c, n);
	l->at += n;
}

static size_t word_before(const struct line *l)
{
	size_t at = l->at;

	while (at && l->buf[at - 1] == ' ')
		at--;
	while (at && l->buf[at - 1] != ' ')
		at--;
	return at;
}

/* Up and Down: older lines, and back to what was typed. */
static void recall(struct line *l, int by)
{
	int to = l->shown + by;
	const char *text;

	if (!l->history || to < -1 || to >= TUI_HISTORY || (to >= 0 && !l->history->line[to]))
		return;
	if (l->shown < 0) {
		free(l->typed);
		l->typed = strdup(l->buf);
	}
	text = to < 0 ? l->typed : l->history->line[to];
	l->shown = to;
	snprintf(l->buf, l->size, "%s", text ? text : "");
	/* A longer line of another buffer may have been cut inside of a character. */
	l->at = safe_run(l->buf, strlen(l->buf));
	l->buf[l->at] = 0;
}

/* True: the text is another one. */
static bool edit(struct line *l, int key)
{
	switch (key) {
	case TUI_BACKSPACE: cut(l, before(l, l->at), l->at); return true;
	case TUI_DELETE:
	case 4: cut(l, l->at, after(l, l->at)); return true;
	case TUI_CTRL_U: cut(l, 0, l->at); return true;
	case 11: l->buf[l->at] = 0; return true;	     /* Ctrl-K */
	case 23: cut(l, word_before(l), l->at); return true; /* Ctrl-W */
	case TUI_UP: recall(l, 1); return true;
	case TUI_DOWN: recall(l, -1); return true;
	case TUI_LEFT: l->at = before(l, l->at); return false;
	case TUI_RIGHT: l->at = after(l, l->at); return false;
	case TUI_HOME:
	case 1: l->at = 0; return false; /* Ctrl-A */
	case TUI_END:
	case 5: l->at = strlen(l->buf); return false; /* Ctrl-E */
	default: break;
	}
	if (key < ' ' || key >= TUI_UP)
		return false;
	insert(l, key);
	return true;
}

static bool line_key(struct tui *t, struct tui_view *v, int key, enum tui_answer *a)
{
	struct line *l = v->ctx;

	(void)t;
	if (key == TUI_ESC || key == TUI_CTRL_C) {
		*a = TUI_BACK;
	} else if (key == TUI_ENTER) {
		l->done = true;
		*a = TUI_BACK;
	} else if (edit(l, key) && l->changed) {
		l->changed(l->ctx, l->buf);
	}
	return true;
}

static void line_paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct line *l = v->ctx;
	int room, skip = 0, column, prompt = tui_width(l->prompt);
	struct tui_pen p = { .s = s, .row = row + rows - 1, .end = s->cols };
	char kept = l->buf[l->at];

	l->buf[l->at] = 0;
	column = tui_width(l->buf);
	l->buf[l->at] = kept;
	tui_fill(s, p.row, 0, 1, s->cols, TUI_MENU);
	/* The prompt has a third of the line at most, and the cursor is always to be seen. */
	if (prompt > s->cols / 3 && prompt + column >= s->cols)
		prompt = s->cols / 3;
	tui_puts(s, p.row, 0, prompt, TUI_MENU, l->prompt);
	room = s->cols - prompt;
	if (column >= room)
		skip = column - room + 1;
	p.col = prompt;
	p.skip = skip;
	tui_put(&p, TUI_MENU, l->buf);
	s->cursor_row = p.row;
	s->cursor_col = prompt + column - skip;
}

bool tui_input(struct tui *t, const char *prompt, char *buf, size_t size, struct tui_history *h,
	       void (*changed)(void *ctx, const char *text), void *ctx)
{
	static const struct tui_view_ops ops = {
		.name = "input",
		.paint = line_paint,
		.key = line_key,
		.overlay = true,
	};
	struct line l = {
		.prompt = prompt,
		.buf = buf,
		.size = size,
		.at = strlen(buf),
		.history = h,
		.shown = -1,
		.changed = changed,
		.ctx = ctx,
	};
	struct tui_view v = { .ops = &ops, .ctx = &l };

	tui_take_paste(t, true);
	tui_run(t, &v);
	tui_take_paste(t, false);
	free(l.typed);
	if (l.done)
		remember(h, buf);
	return l.done;
}
