// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is seen, into a file: as the lines that stand in the browser (P), or by the writers of room
 * faces from the same view, so that filters, order and shares are those of the screen (W).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "box/box.h"
#include "report-int.h"

#define LINE_WIDTH 512

/* ---- files ----------------------------------------------------------------------------------- */

static int finish(struct tui *t, struct obuf *o, int ret, const char *path)
{
	int fd = o->fd, closed = obuf_free(o);

	ret = ret ?: closed;
	if (close(fd) && !ret)
		ret = -errno;
	if (ret)
		tui_message(t, "Writing %s: %s", path, strerror(-ret));
	else
		tui_message(t, "Written to %s", path);
	return ret;
}

/* ---- P --------------------------------------------------------------------------------------- */

static void put_cell(struct obuf *o, const struct tui_cell *c)
{
	uint32_t cp = c->ch;

	if (!c->width)
		return;
	if (cp < 0x80) {
		obuf_char(o, (char)(cp ? cp : ' '));
	} else if (cp < 0x800) {
		obuf_char(o, (char)(0xc0 | cp >> 6));
		obuf_char(o, (char)(0x80 | (cp & 0x3f)));
	} else if (cp < 0x10000) {
		obuf_char(o, (char)(0xe0 | cp >> 12));
		obuf_char(o, (char)(0x80 | (cp >> 6 & 0x3f)));
		obuf_char(o, (char)(0x80 | (cp & 0x3f)));
	} else {
		obuf_char(o, (char)(0xf0 | cp >> 18));
		obuf_char(o, (char)(0x80 | (cp >> 12 & 0x3f)));
		obuf_char(o, (char)(0x80 | (cp >> 6 & 0x3f)));
		obuf_char(o, (char)(0x80 | (cp & 0x3f)));
	}
}

static void put_line(struct tui_screen *s, struct obuf *o)
{
	int n = s->cols;

	while (n && s->cells[n - 1].ch <= ' ' && s->cells[n - 1].width)
		n--;
	for (int i = 0; i < n; i++)
		put_cell(o, &s->cells[i]);
	obuf_char(o, '\n');
}

/* Every line as it is in the browser, and not only those on the screen. */
static int put_lines(struct browser *b, struct obuf *o)
{
	struct tui_screen s = { 0 };
	int ret = tui_screen_resize(&s, 1, LINE_WIDTH);
	struct tui_pen p;

	if (ret)
		return ret;
	browser_layout(b, LINE_WIDTH);
	for (uint64_t i = 0; i <= browse_nr(b->rows) && !o->code; i++) {
		tui_fill(&s, 0, 0, 1, LINE_WIDTH, TUI_NORMAL);
		p = (struct tui_pen){ .s = &s, .end = LINE_WIDTH };
		if (i)
			browser_line(b, i - 1, &p);
		else if (!b->no_heads)
			browser_heads(b, &p);
		else
			continue;
		put_line(&s, o);
	}
	tui_screen_free(&s);
	return 0;
}

enum tui_answer browser_print(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	char path[32];
	struct obuf o;
	int fd = -1, ret;

	for (int i = 0; i < 8192 && fd < 0; i++) {
		snprintf(path, sizeof(path), "perf.hist.%d", i);
		fd = box_save_open(path, false);
		if (fd < 0 && fd != -EEXIST)
			break;
	}
	if (fd < 0) {
		tui_message(t, "Cannot create %s here: %s", path, strerror(-fd));
		return TUI_STAY;
	}
	ret = obuf_init(&o, fd, 0);
	if (ret) {
		close(fd);
		tui_message(t, "No memory for output");
		return TUI_STAY;
	}
	finish(t, &o, put_lines(b, &o), path);
	return TUI_STAY;
}

/* ---- W --------------------------------------------------------------------------------------- */

static int write_as(struct browser *b, int form, struct obuf *o, struct err *e)
{
	static const struct faces_writer *const writers[] = { &faces_text, &faces_csv,
							      &faces_json };

	if (form == 3)
		return view_put_folded(b->f.v, b->event, o, e);
	return faces_write(&b->f, writers[form], o, e);
}

/* -1: nobody wants it written. */
static int open_output(struct tui *t, const char *path)
{
	int fd = box_save_open(path, false);
	char ask[320];

	if (fd == -EEXIST) {
		snprintf(ask, sizeof(ask), "%s is there already: overwrite it?", path);
		if (!tui_ask(t, ask))
			return -1;
		fd = box_save_open(path, true);
	}
	if (fd == -EPERM)
		tui_message(t,
			    "Not written: only .txt, .csv, .json, .folded in this directory, over "
			    "report.* alone; --no-sandbox lifts that");
	else if (fd < 0)
		tui_message(t, "Cannot write %s: %s", path, strerror(-fd));
	return fd;
}

enum tui_answer browser_save(struct tui *t, struct tui_view *v)
{
	static const char *const forms[] = { "Text, as --stdio prints it", "CSV", "JSON",
					     "Folded stacks, for flame graphs" };
	static const char *const names[] = { "report.txt", "report.csv", "report.json",
					     "report.folded" };
	struct browser *b = v->ctx;
	struct err e = { 0 };
	struct obuf o;
	char path[256];
	int form, fd, ret;

	form = tui_menu(t, "Write what is seen as", forms, b->f.po->use_chains ? 4 : 3, 0);
	if (form < 0)
		return TUI_STAY;
	snprintf(path, sizeof(path), "%s", names[form]);
	if (!tui_input(t, "File: ", path, sizeof(path), NULL, NULL, NULL) || !*path)
		return TUI_STAY;
	fd = open_output(t, path);
	if (fd < 0)
		return TUI_STAY;
	ret = obuf_init(&o, fd, 0);
	if (ret) {
		close(fd);
		tui_message(t, "No memory for output");
		return TUI_STAY;
	}
	ret = write_as(b, form, &o, &e);
	finish(t, &o, ret, path);
	if (ret && e.text[0])
		tui_message(t, "%s", e.text);
	return TUI_STAY;
}
