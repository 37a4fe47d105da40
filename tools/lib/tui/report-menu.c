// SPDX-License-Identifier: GPL-2.0-or-later
/* What the keys do that open something: the row's menu, events, other files, the header. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "dump/dump.h"
#include "report-int.h"

#define MAX_FILES 64

/* ---- menus of words -------------------------------------------------------------------------- */

struct words {
	VEC(char *) v;
};

static int add_word(struct words *w, const char *fmt, ...) __printf_fmt(2, 3);
static int add_word(struct words *w, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	if (!vec_push(&w->v, s))
		return 0;
	free(s);
	return -ENOMEM;
}

static void free_words(struct words *w)
{
	vec_for_each (s, &w->v)
		free(*s);
	vec_free(&w->v);
}

static int pick(struct tui *t, const char *title, const struct words *w, int cursor)
{
	return tui_menu(t, title, (const char *const *)w->v.v, (int)w->v.n, cursor);
}

/* ---- the row's menu -------------------------------------------------------------------------- */

struct action {
	const char *text;
	enum tui_answer (*run)(struct tui *t, struct tui_view *v);
	bool chains, named; /* only with call chains; only where there is a row */
};

static enum tui_answer leave(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	return TUI_QUIT;
}

static enum tui_answer fold(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	struct browse_line l;

	if (browser_cursor(b, &l) && l.open)
		browse_close(b->rows, b->list.cursor);
	else if (l.foldable && browse_open(b->rows, b->list.cursor))
		tui_message(t, "No memory to unfold this");
	return TUI_STAY;
}

static const struct action actions[] = {
	{ "Annotate this function (a)", browser_annotate, false, true },
	{ "Unfold or fold this (+)", fold, false, false },
	{ "Zoom into or out of this thread or command (t)", browser_zoom_thread, false, true },
	{ "Zoom into or out of the object of this row (d)", browser_zoom_dso, false, true },
	{ "Zoom into or out of the kernel (k)", browser_zoom_kernel, false, true },
	{ "Focus on samples that pass this function (f)", browser_focus, false, true },
	{ "Ignore samples that pass this function (x)", browser_ignore, false, true },
	{ "Hide this function (X)", browser_hide_function, true, true },
	{ "Hide this object (D)", browser_hide_dso, true, true },
	{ "Callers and callees of this function (w)", browser_sandwich, true, true },
	{ "Pick a slice of time (T)", browser_time, false, false },
	{ "Blocks of code by their cycles (b)", browser_blocks, false, false },
	{ "Hot paths: branches one after the other (p)", browser_paths, false, false },
	{ "Only symbols with a word in their name (/)", browser_filter, false, true },
	{ "Search (Ctrl-F)", browser_search, false, false },
	{ "Keys and order of rows (o)", browser_sort, false, false },
	{ "Rows below rows, or flat (O)", browser_levels, false, false },
	{ "Trees from callers, or from the function (I)", browser_callers, true, false },
	{ "What callees cost, or not (v)", browser_self, true, false },
	{ "Undo the last step (u)", browser_undo, false, false },
	{ "Write what is seen to a file (W)", browser_save, false, false },
	{ "Switch to another data file in PWD (s)", browser_switch, false, false },
	{ "Exit", leave, false, false },
};

static bool is_offered(const struct browser *b, const struct action *a, bool any, bool foldable)
{
	if (a->run == fold)
		return any && foldable;
	if (a->run == browser_blocks || a->run == browser_paths)
		return b->in->flow;
	return (b->o.use_chains || !a->chains) && (any || !a->named);
}

enum tui_answer browser_menu(struct tui *t, struct tui_view *v)
{
	const struct action *of[ARRAY_SIZE(actions)];
	const char *items[ARRAY_SIZE(actions)];
	struct browser *b = v->ctx;
	struct browse_line l;
	int nr = 0, picked;
	bool any = browser_cursor(b, &l);

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!is_offered(b, &actions[i], any, l.foldable))
			continue;
		of[nr] = &actions[i];
		items[nr++] = actions[i].text;
	}
	picked = tui_menu(t, "This row", items, nr, 0);
	return picked < 0 ? TUI_STAY : of[picked]->run(t, v);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Of an event, or of all that are in its table with it; members of a group have none of their own. */
static uint64_t nr_samples(const struct browser *b, uint32_t event)
{
	uint64_t nr = 0;

	for (uint32_t m = 0; m < table_members(b->f.t, event); m++)
		nr += table_totals(b->f.t, event + m)->nr_samples;
	return nr;
}

static bool is_shown(const struct browser *b, size_t i)
{
	return nr_samples(b, perfdata_event(b->f.pd, i)->idx);
}

static enum tui_answer other_event(struct tui *t, struct browser *b, int by)
{
	size_t n = perfdata_nr_events(b->f.pd), at = 0;
	uint32_t before = b->event;
	struct err e = { 0 };

	while (at < n && perfdata_event(b->f.pd, at)->idx != b->event)
		at++;
	for (size_t i = 0; i < n; i++) {
		at = (at + n + (size_t)by) % n;
		if (is_shown(b, at))
			break;
	}
	b->event = perfdata_event(b->f.pd, at)->idx;
	if (b->event == before) {
		tui_message(t, "There are samples of this event only");
		return TUI_STAY;
	}
	if (browser_look(b, &e)) {
		b->event = before;
		browser_error(t, &e);
	}
	return TUI_STAY;
}

enum tui_answer browser_next_event(struct tui *t, struct tui_view *v)
{
	return other_event(t, v->ctx, 1);
}

enum tui_answer browser_prev_event(struct tui *t, struct tui_view *v)
{
	return other_event(t, v->ctx, -1);
}

int browser_pick_event(struct tui *t, struct browser *b)
{
	struct words w = { 0 };
	struct obuf name;
	uint32_t idx[64];
	int picked = 0;

	if (obuf_init(&name, -1, 0))
		return 0;

	for (size_t i = 0; i < perfdata_nr_events(b->f.pd) && w.v.n < ARRAY_SIZE(idx); i++) {
		const struct perfdata_event *ev = perfdata_event(b->f.pd, i);

		if (!is_shown(b, i))
			continue;
		idx[w.v.n] = ev->idx;
		name.len = 0;
		browser_event_names(b, ev->idx, &name);
		if (add_word(&w, "%llu %.*s", (unsigned long long)nr_samples(b, ev->idx),
			     (int)name.len, name.buf))
			break;
	}
	obuf_free(&name);
	if (w.v.n)
		b->event = idx[0];
	if (w.v.n > 1)
		picked = pick(t, "Available samples", &w, 0);
	if (w.v.n && picked >= 0)
		b->event = idx[picked];
	free_words(&w);
	return picked < 0 ? -1 : 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_recording(const char *name)
{
	char magic[8];
	uint64_t size;
	int fd = file_open_regular(name, &size); /* a link may lead to a FIFO */
	bool is;

	if (fd < 0)
		return false;
	is = file_read_at(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	     (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));
	close(fd);
	return is;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_files(struct words *w)
{
	DIR *d = opendir(".");
	const struct dirent *at;

	while (d && w->v.n < MAX_FILES && (at = readdir(d)))
		if ((at->d_type == DT_REG || at->d_type == DT_LNK || at->d_type == DT_UNKNOWN) &&
		    is_recording(at->d_name) && add_word(w, "%s", at->d_name))
			break;
	if (d)
		closedir(d);
	if (w->v.n)
		qsort(w->v.v, w->v.n, sizeof(*w->v.v), by_name);
}

enum tui_answer browser_switch(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	struct words w = { 0 };
	enum tui_answer a = TUI_STAY;
	int picked;

	list_files(&w);
	if (!w.v.n) {
		tui_message(t, "No recordings in this directory");
	} else {
		picked = pick(t, "Data files in this directory", &w, 0);
		if (picked >= 0) {
			snprintf(b->in->next, b->in->next_size, "%s", w.v.v[picked]);
			a = TUI_BACK;
		}
	}
	free_words(&w);
	return a;
}

/* ---- the header ------------------------------------------------------------------------------ */

enum tui_answer browser_info(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	enum tui_answer a = TUI_STAY;
	struct err e = { 0 };
	struct obuf o;

	if (obuf_init(&o, -1, 0))
		return TUI_STAY;
	if (dump_header(b->f.pd, &o, true, &e)) {
		tui_message(t, "%s", e.text);
	} else {
		obuf_char(&o, 0);
		if (!o.code)
			a = tui_window(t, "Header information", o.buf);
	}
	obuf_free(&o);
	return a;
}
