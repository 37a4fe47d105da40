/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal for tests of browsers: keys come from a string, in pieces of any size, and what is shown
 * is kept as text. Where the string ends the terminal is gone, so that every view leaves.
 *
 *	struct fake f = { .rows = 24, .cols = 80, .keys = "\033[B\033[Bq" };
 *	struct tui *t = fake_open(&f);
 *	tui_run(t, &view);
 *	assert_string_equal(fake_text(&f), "...");	the last screen
 *	fake_close(&f);
 */
#ifndef PERF_TUI_BUILD_H
#define PERF_TUI_BUILD_H

#include "tui/tui-int.h"
#include "unit.h"

struct fake {
	int rows, cols;
	const char
		*keys; /* a byte 0xff: time passes; 0xfe and two bytes: that many rows, columns */
	size_t piece;  /* bytes at once; 0 = as many as there are */
	bool ascii, patient; /* time may pass where nobody waits for it */
	struct tui *t;
	int shown, bells, left, mouse;
	char *text, *colors; /* the last screen: lines without blanks at their end */
	int cursor_row, cursor_col;
	void (*on_show)(struct fake *f); /* after each screen */
	void *ctx;
};

static int fake_read(void *term, unsigned char *buf, size_t n, int ms)
{
	struct fake *f = term;
	size_t len = 0, most = f->piece ? f->piece : n;

	if (!*f->keys)
		return ms ? -EIO : 0;
	if ((unsigned char)*f->keys == 0xff) {
		if (ms != -1 || f->patient)
			f->keys++;
		else
			fail_msg("waits forever where time should pass");
		return 0;
	}
	if ((unsigned char)*f->keys == 0xfe) {
		f->rows = (unsigned char)f->keys[1];
		f->cols = (unsigned char)f->keys[2];
		f->keys += 3;
		return -EINTR;
	}
	while (len < n && len < most && *f->keys && (unsigned char)*f->keys < 0xfe)
		buf[len++] = (unsigned char)*f->keys++;
	return (int)len;
}

static void fake_size(void *term, int *rows, int *cols)
{
	struct fake *f = term;

	*rows = f->rows;
	*cols = f->cols;
}

static size_t fake_utf8(char *to, uint32_t cp)
{
	if (cp < 0x80)
		return (size_t)sprintf(to, "%c", (int)cp);
	if (cp < 0x800)
		return (size_t)sprintf(to, "%c%c", (int)(0xc0 | cp >> 6), (int)(0x80 | (cp & 63)));
	if (cp < 0x10000)
		return (size_t)sprintf(to, "%c%c%c", (int)(0xe0 | cp >> 12),
				       (int)(0x80 | (cp >> 6 & 63)), (int)(0x80 | (cp & 63)));
	return (size_t)sprintf(to, "%c%c%c%c", (int)(0xf0 | cp >> 18),
			       (int)(0x80 | (cp >> 12 & 63)), (int)(0x80 | (cp >> 6 & 63)),
			       (int)(0x80 | (cp & 63)));
}

/* A screen as lines of text; its roles as lines of letters: N normal, T top, S selected ... */
static void fake_lines(const struct tui_screen *s, char *text, char *roles)
{
	static const char letter[] = "NTMSJARHDFPW|";

	for (int y = 0; y < s->rows; y++) {
		char *end = text, *role_end = roles;

		for (int x = 0; x < s->cols; x++) {
			const struct tui_cell *c = s->cells + (size_t)y * (size_t)s->cols + x;

			/* What no terminal may get. */
			assert_true(c->width <= 2 && c->role < TUI_ROLES);
			assert_true(c->width ? c->ch >= 0x20 && c->ch != 0x7f
					     : x > 0 && c[-1].width == 2);
			assert_true(c->width != 2 || (x + 1 < s->cols && !c[1].width));
			assert_true(!s->ascii || c->ch < 0x7f);
			if (c->width)
				text += fake_utf8(text, c->ch);
			if (c->mark)
				text += fake_utf8(text, c->mark);
			if (c->width && c->ch != ' ')
				end = text;
			*roles++ = letter[c->role];
			if (c->role)
				role_end = roles;
		}
		text = end;
		roles = role_end;
		*text++ = '\n';
		*roles++ = '\n';
	}
	*text = *roles = 0;
}

static void fake_show(void *term, const struct tui_screen *s, bool all)
{
	struct fake *f = term;
	size_t size = (size_t)s->rows * ((size_t)s->cols * 8 + 1) + 1;

	(void)all;
	assert_int_equal(s->rows, f->rows);
	assert_int_equal(s->cols, f->cols);
	free(f->text);
	free(f->colors);
	f->text = malloc(size);
	f->colors = malloc(size);
	assert_non_null(f->text);
	assert_non_null(f->colors);
	fake_lines(s, f->text, f->colors);
	f->cursor_row = s->cursor_row;
	f->cursor_col = s->cursor_col;
	f->shown++;
	if (f->on_show)
		f->on_show(f);
}

static void fake_bell(void *term)
{
	((struct fake *)term)->bells++;
}

static void fake_leave(void *term, bool stop)
{
	(void)stop;
	((struct fake *)term)->left++;
}

static void fake_back(void *term)
{
	(void)term;
}

static void fake_flag(void *term, bool on)
{
	(void)term;
	(void)on;
}

static void fake_mouse(void *term, bool on)
{
	((struct fake *)term)->mouse = on;
}

static inline struct tui *fake_open(struct fake *f)
{
	static const struct tui_term ops = {
		.read = fake_read,
		.size = fake_size,
		.show = fake_show,
		.bell = fake_bell,
		.leave = fake_leave,
		.back = fake_back,
		.interrupt = fake_flag,
		.mouse = fake_mouse,
		.close = fake_back,
	};

	f->t = tui_new(&ops, f, f->ascii);
	assert_non_null(f->t);
	return f->t;
}

static inline void fake_close(struct fake *f)
{
	tui_close(f->t);
	free(f->text);
	free(f->colors);
}

/* The last screen, with \n behind each line. */
static inline const char *fake_text(const struct fake *f)
{
	return f->text ? f->text : "";
}

/* ... and the roles of its cells. */
static inline const char *fake_colors(const struct fake *f)
{
	return f->colors ? f->colors : "";
}

#endif
