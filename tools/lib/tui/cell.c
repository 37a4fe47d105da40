// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The grid of cells that browsers paint into. Whatever is written ends up here one character at a time,
 * so this is where the promises are kept that do not depend on the painter: nothing outside of the
 * grid, no half of a wide character, no byte that steers a terminal, one combining mark at most.
 *
 * Invariant: a cell of width 2 is followed by one of width 0 in the same row, and only such cells have
 * width 0. tests/unit/test-tui-cell.c holds it against random writes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tui/tui-int.h"

/* What lines and signs of our own become where there is only ASCII. */
static const struct {
	uint32_t cp;
	char ascii;
} plain[] = {
	{ 0x2190, '<' }, { 0x2191, '^' }, { 0x2192, '>' }, { 0x2193, 'v' }, { 0x2500, '-' },
	{ 0x2501, '=' }, { 0x2502, '|' }, { 0x2503, '|' }, { 0x250a, ':' }, { 0x254c, '-' },
	{ 0x2591, '.' }, { 0x2592, ':' }, { 0x2593, '#' }, { 0x2588, '#' }, { 0x2581, '_' },
	{ 0x2582, '_' }, { 0x2583, '.' }, { 0x2584, '-' }, { 0x2585, '=' }, { 0x2586, '+' },
	{ 0x2587, '*' }, { 0x25b6, '>' }, { 0x25c0, '<' }, { 0x25c6, '#' }, { 0x2026, '.' },
	{ 0x21e5, '>' }, { 0x2265, '>' }, { 0x2264, '<' }, { 0xb7, '.' },   { 0xd7, 'x' },
};

static char to_ascii(uint32_t cp)
{
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (plain[i].cp == cp)
			return plain[i].ascii;
	return cp >= 0x2500 && cp < 0x2580 ? '+' : '?';
}

int tui_screen_resize(struct tui_screen *s, int rows, int cols)
{
	rows = rows > 0 ? rows : 1;
	cols = cols > 0 ? cols : 1;
	if (rows != s->rows || cols != s->cols || !s->cells) {
		free(s->cells);
		s->cells = calloc((size_t)rows * (size_t)cols, sizeof(*s->cells));
		s->rows = s->cells ? rows : 0;
		s->cols = s->cells ? cols : 0;
	}
	s->over = 0;
	s->cursor_row = -1;
	s->cursor_col = 0;
	tui_fill(s, 0, 0, s->rows, s->cols, TUI_NORMAL);
	return s->cells ? 0 : -ENOMEM;
}

void tui_screen_free(struct tui_screen *s)
{
	free(s->cells);
	memset(s, 0, sizeof(*s));
}

/* Stores a character; what stood there in part disappears whole. */
static void set_cell(struct tui_screen *s, int row, int col, uint32_t cp, int width, uint8_t role)
{
	struct tui_cell *c = s->cells + (size_t)row * (size_t)s->cols + col;

	if (!c->width && col > 0)
		c[-1] = (struct tui_cell){ .ch = ' ', .role = c[-1].role, .width = 1 };
	if (col + width < s->cols && !c[width].width)
		c[width] = (struct tui_cell){ .ch = ' ', .role = c[width].role, .width = 1 };
	*c = (struct tui_cell){ .ch = cp, .role = role, .width = (uint8_t)width };
	if (width == 2)
		c[1] = (struct tui_cell){ .role = role };
}

void tui_fill(struct tui_screen *s, int row, int col, int rows, int cols, enum tui_role role)
{
	uint8_t r = s->over ? s->over : (uint8_t)role;
	int end_row = row + rows, end_col = col + cols;

	row = row > 0 ? row : 0;
	col = col > 0 ? col : 0;
	end_row = end_row < s->rows ? end_row : s->rows;
	end_col = end_col < s->cols ? end_col : s->cols;
	for (int y = row; y < end_row; y++)
		for (int x = col; x < end_col; x++)
			set_cell(s, y, x, ' ', 1, r);
}

size_t tui_char(const char *s, uint32_t *cp)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n;

	if (u[0] >= 0x20 && u[0] < 0x7f) {
		*cp = u[0];
		return 1;
	}
	n = safe_char(s, strnlen(s, 4));
	*cp = 0;
	if (!n)
		return 1;
	*cp = u[0] & (0xffU >> (n + 1));
	for (size_t i = 1; i < n; i++)
		*cp = *cp << 6 | (u[i] & 0x3f);
	return n;
}

int tui_width(const char *text)
{
	int width = 0;

	while (*text) {
		uint32_t cp;

		text += tui_char(text, &cp);
		width += cp ? tui_char_width(cp) : 4;
	}
	return width;
}

/* A mark joins the character before it, the first one does. */
static void add_mark(struct tui_screen *s, int row, int col, int from, uint32_t cp)
{
	struct tui_cell *c = s->cells + (size_t)row * (size_t)s->cols + col;

	if (s->ascii || col <= from)
		return;
	c--;
	if (!c->width && col - 1 > from)
		c--;
	if (c->width && !c->mark)
		c->mark = cp;
}

int tui_puts(struct tui_screen *s, int row, int col, int width, enum tui_role role,
	     const char *text)
{
	struct tui_pen p = { .s = s, .row = row, .col = col, .end = col + width };

	if (width <= 0)
		return 0;
	tui_put(&p, role, text);
	return p.at < width ? p.at : width;
}

/* One character of @width columns at p->at, if it is on the line and on the screen. */
static void put_char(struct tui_pen *p, uint32_t cp, int width, uint8_t role)
{
	struct tui_screen *s = p->s;
	int col = p->col + p->at - p->skip, first = p->col > 0 ? p->col : 0;
	int end = p->end < s->cols ? p->end : s->cols;
	bool here = p->row >= 0 && p->row < s->rows;

	if (!width) {
		if (here && col > first && col <= end)
			add_mark(s, p->row, col, first, cp);
		return;
	}
	p->at += width;
	if (!here || first >= end || col + width <= first || col >= end)
		return;
	if (s->ascii && cp > 0x7e) {
		cp = (uint32_t)to_ascii(cp);
		for (int i = 0; i < width; i++)
			if (col + i >= first && col + i < end)
				set_cell(s, p->row, col + i, cp, 1, role);
		return;
	}
	if (col >= first && col + width <= end) {
		set_cell(s, p->row, col, cp, width, role);
		return;
	}
	/* Half of it is cut off: a blank for the other. */
	set_cell(s, p->row, col < first ? first : col, ' ', 1, role);
}

void tui_put(struct tui_pen *p, enum tui_role role, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	uint8_t r = p->s->over ? p->s->over : (uint8_t)role;
	int most = p->skip + (p->end - p->col);

	while (*text && p->at <= most) {
		unsigned char byte = (unsigned char)*text;
		uint32_t cp;

		text += tui_char(text, &cp);
		if (cp) {
			put_char(p, cp, tui_char_width(cp), r);
			continue;
		}
		put_char(p, '\\', 1, r);
		put_char(p, 'x', 1, r);
		put_char(p, (uint32_t)hex[byte >> 4], 1, r);
		put_char(p, (uint32_t)hex[byte & 15], 1, r);
	}
	/* What does not fit counts, or fields behind it would be where it should be. */
	if (*text)
		p->at += tui_width(text);
}

void tui_putf(struct tui_pen *p, enum tui_role role, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	tui_put(p, role, buf);
}

void tui_pad(struct tui_pen *p, enum tui_role role, int at)
{
	uint8_t r = p->s->over ? p->s->over : (uint8_t)role;
	int most = p->skip + (p->end - p->col);

	while (p->at < at && p->at < most)
		put_char(p, ' ', 1, r);
	if (p->at < at)
		p->at = at;
}

int tui_left(const struct tui_pen *p)
{
	int left = p->end - p->col + p->skip - p->at;

	return left > 0 ? left : 0;
}

void tui_field(struct tui_pen *p, enum tui_role role, int width, const char *text)
{
	char buf[1024];
	bool right = width < 0;
	int start = p->at, w;

	width = right ? -width : width;
	text = tui_cut(buf, sizeof(buf), text, width);
	w = right ? tui_width(text) : 0;
	if (right)
		tui_pad(p, role, start + width - w);
	tui_put(p, role, text);
	tui_pad(p, role, start + width);
}

/* Bytes of @s that fit @width columns, with the marks behind them; *@used columns. */
static size_t fit(const char *s, int width, int *used)
{
	size_t n = 0;

	*used = 0;
	while (s[n]) {
		uint32_t cp;
		size_t len = tui_char(s + n, &cp);
		int w = cp ? tui_char_width(cp) : 4;

		if (*used + w > width)
			break;
		*used += w;
		n += len;
	}
	return n;
}

/* Where the rest of @s begins that takes at most @width columns. */
static const char *tail(const char *s, int width)
{
	int all = tui_width(s);

	while (*s && (all > width)) {
		uint32_t cp;

		s += tui_char(s, &cp);
		all -= cp ? tui_char_width(cp) : 4;
	}
	/* A mark without its character would join the dots. */
	for (uint32_t cp; *s;) {
		size_t len = tui_char(s, &cp);

		if (!cp || tui_char_width(cp))
			break;
		s += len;
	}
	return s;
}

const char *tui_cut(char *buf, size_t size, const char *text, int width)
{
	int all = tui_width(text), head, used;
	const char *rest;
	size_t n, len;

	if (!size || width <= 0)
		return "";
	if (all <= width)
		return text;
	/* Too narrow for a beginning, dots and an end. */
	if (width < 6) {
		n = fit(text, width, &used);
		n = n < size ? n : size - 1;
		memcpy(buf, text, n);
		buf[n] = 0;
		return buf;
	}
	/* Names differ more at their end: it gets the greater part. */
	head = (width - 2) * 2 / 5;
	n = fit(text, head, &used);
	rest = tail(text, width - 2 - used);
	len = strlen(rest);
	if (n + 2 + len >= size) {
		n = fit(text, width, &used);
		n = n < size ? n : size - 1;
		memcpy(buf, text, n);
		buf[n] = 0;
		return buf;
	}
	memcpy(buf, text, n);
	memcpy(buf + n, "..", 2);
	memcpy(buf + n + 2, rest, len + 1);
	return buf;
}
