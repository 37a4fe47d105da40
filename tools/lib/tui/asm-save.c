// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All lines of a browser as text: painted one after the other on a screen of one row, which is wide,
 * so that what is written is what is seen, with nothing in it that a terminal would obey.
 */
#include <unistd.h>

#include "box/box.h"
#include "tui/asm-int.h"

#define SAVED_COLUMNS 400

static void save_char(struct obuf *o, uint32_t cp)
{
	if (cp < 0x80) {
		obuf_char(o, (char)cp);
		return;
	}
	if (cp < 0x800) {
		obuf_char(o, (char)(0xc0 | cp >> 6));
	} else {
		if (cp < 0x10000) {
			obuf_char(o, (char)(0xe0 | cp >> 12));
		} else {
			obuf_char(o, (char)(0xf0 | cp >> 18));
			obuf_char(o, (char)(0x80 | (cp >> 12 & 63)));
		}
		obuf_char(o, (char)(0x80 | (cp >> 6 & 63)));
	}
	obuf_char(o, (char)(0x80 | (cp & 63)));
}

/* What a screen of this width would show, without blanks at the end. */
static void save_row(struct obuf *o, const struct tui_screen *s)
{
	int end = s->cols;

	while (end > 0 && s->cells[end - 1].ch == ' ')
		end--;
	for (int x = 0; x < end; x++) {
		if (s->cells[x].width)
			save_char(o, s->cells[x].ch);
		if (s->cells[x].mark)
			save_char(o, s->cells[x].mark);
	}
	obuf_char(o, '\n');
}

int tui_asm_save(struct tui_asm *b, const char *name, struct err *e)
{
	struct tui_screen s = { 0 };
	struct output out;
	struct obuf o;
	int ret = box_output_open(&out, name, OUTPUT_TEXT, NULL, e);

	if (ret)
		return ret;
	if (tui_screen_resize(&s, 1, SAVED_COLUMNS) || obuf_init(&o, out.fd, 0)) {
		tui_screen_free(&s);
		close(out.fd);
		return err_set(e, -ENOMEM, "no memory to write %s", name);
	}
	b->at = LISTING_NONE;
	b->cols = s.cols;
	tui_asm_lay_out(b); /* a key typed ahead saves what was not painted yet */
	for (uint32_t i = 0; i < b->nr_rows; i++) {
		struct tui_pen p = { .s = &s, .end = s.cols };

		tui_fill(&s, 0, 0, 1, s.cols, TUI_NORMAL);
		tui_asm_paint_row(b, b->row[i], &p);
		save_row(&o, &s);
	}
	ret = obuf_free(&o);
	tui_screen_free(&s);
	if (close(out.fd) && !ret)
		ret = -errno;
	return ret ? err_set(e, ret, "cannot write %s: %s", name, strerror(-ret)) : 0;
}
