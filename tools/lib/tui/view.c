// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop: paint, wait for a key, hand it to whoever wants it. Views lie on each other as calls of
 * tui_run() do; what is seen is the uppermost that fills the screen, and the pop-ups upon it.
 *
 * Invariant: views[] is linked through the callers' own structs, so nothing is allocated, and a view is
 * gone when its tui_run() has returned. Whether the terminal is still there is known here only: without
 * it every wait gives TUI_GONE, and all views leave.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tui/tui-int.h"

/* An ESC that is a key by itself has nothing behind it after this long; other beginnings may be cut
 * by a slow line. */
#define ESC_MS	 50
#define BEGUN_MS 500
#define PASTE_MS 1000

struct tui {
	pthread_mutex_t
		lock; /* of log and message while threads read: the one that reads ahead warns, too */
	const struct tui_term *ops;
	void *term;
	struct tui_screen screen;
	struct tui_view *top;
	unsigned char in[128];
	size_t nr_in;
	bool gone, quit, pasting, take_paste, redraw;
	bool keys;  /* the terminal gives Ctrl-C as a key */
	bool mouse; /* on */
	int mouse_row, mouse_col;
	char message[512];
	enum tui_role message_role;
	unsigned tip;
	VEC(char *) log;
	struct {
		int64_t first, last; /* ns; 0 = not begun */
		bool stopped, all;   /* all: no key stops it */
		const char *what;
		uint64_t done, total;
	} progress;
	struct tui_history searched;
};

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

struct tui *tui_new(const struct tui_term *ops, void *term, bool ascii)
{
	struct tui *t = calloc(1, sizeof(*t));
	int rows = 0, cols = 0;

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	t->ops = ops;
	t->term = term;
	t->screen.ascii = ascii;
	t->redraw = true;
	t->tip = (unsigned)(now_ns() / 1000000000);
	ops->size(term, &rows, &cols);
	if (tui_screen_resize(&t->screen, rows, cols)) {
		free(t);
		return NULL;
	}
	return t;
}

void tui_close(struct tui *t)
{
	if (!t)
		return;
	t->ops->close(t->term);
	tui_screen_free(&t->screen);
	vec_for_each (line, &t->log)
		free(*line);
	vec_free(&t->log);
	tui_history_free(&t->searched);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

struct tui_history *tui_searched(struct tui *t)
{
	return &t->searched;
}

/* ---- painting --------------------------------------------------------------------------------- */

static void paint_footer(struct tui *t, struct tui_view *v, int row)
{
	struct tui_screen *s = &t->screen;
	struct tui_pen p = { .s = s, .row = row, .end = s->cols };
	const char *const *tips = v->ops->tips;
	unsigned nr = 0;

	tui_fill(s, row, 0, 1, s->cols, TUI_ROOT);
	if (t->message[0]) {
		tui_fill(s, row, 0, 1, s->cols, t->message_role);
		tui_put(&p, t->message_role, t->message);
	} else if (v->ops->footer) {
		v->ops->footer(v, &p);
	} else if (tips) {
		while (tips[nr])
			nr++;
		if (nr)
			tui_putf(&p, TUI_ROOT, "Tip: %s", tips[t->tip % nr]);
	}
}

static void paint_view(struct tui *t, struct tui_view *v)
{
	struct tui_screen *s = &t->screen;
	int row = 0, rows = s->rows;

	if (v->ops->overlay) {
		v->ops->paint(v, s, 0, rows);
		return;
	}
	s->cursor_row = -1;
	tui_fill(s, 0, 0, rows, s->cols, TUI_NORMAL);
	/* Where there is little room, what is looked at comes first. */
	if (v->ops->title && rows > 1) {
		struct tui_pen p = { .s = s, .end = s->cols };

		tui_fill(s, 0, 0, 1, s->cols, TUI_ROOT);
		v->ops->title(v, &p);
		row++;
		rows--;
	}
	if (rows > 2)
		rows--;
	if (v->ops->paint)
		v->ops->paint(v, s, row, rows);
	else if (v->list)
		tui_list_paint(v->list, s, row, 0, rows, s->cols);
	if (row + rows < s->rows)
		paint_footer(t, v, s->rows - 1);
}

static void paint_from(struct tui *t, struct tui_view *v)
{
	if (v->ops->overlay && v->below)
		paint_from(t, v->below);
	t->screen.over = 0;
	paint_view(t, v);
	t->screen.over = 0;
}

const struct tui_screen *tui_paint(struct tui *t)
{
	int rows = 0, cols = 0;

	t->ops->size(t->term, &rows, &cols);
	if (tui_screen_resize(&t->screen, rows, cols)) {
		t->gone = true; /* no memory for a screen */
		return &t->screen;
	}
	if (t->top)
		paint_from(t, t->top);
	return &t->screen;
}

static void show(struct tui *t)
{
	tui_paint(t);
	if (t->gone)
		return;
	/* A message has the last line even below a pop-up: it is about what was just done. */
	if (t->message[0] && t->top && t->top->ops->overlay && t->screen.cursor_row < 0)
		paint_footer(t, t->top, t->screen.rows - 1);
	t->ops->show(t->term, &t->screen, t->redraw);
	t->redraw = false;
}

/* ---- keys ------------------------------------------------------------------------------------- */

/* The next key that is whole; false = read more. */
static bool take(struct tui *t, bool all, struct tui_event *ev)
{
	size_t n = tui_decode(t->in, t->nr_in, all, ev);

	if (!n)
		return false;
	t->nr_in -= n;
	memmove(t->in, t->in + n, t->nr_in);
	return true;
}

/* What the core keeps for itself; true = the key is for nobody else. */
static bool keep(struct tui *t, const struct tui_event *ev)
{
	switch (ev->key) {
	case TUI_PASTE:
	case TUI_PASTED: t->pasting = ev->key == TUI_PASTE; return true;
	case TUI_IGNORE: return true;
	case TUI_CLICK:
		t->mouse_row = ev->row;
		t->mouse_col = ev->col;
		return false;
	default: break;
	}
	/* Nobody wants a text that was pasted to press keys. */
	if (t->pasting)
		return !t->take_paste || ev->key < 32;
	if (ev->key == TUI_CTRL_Z) {
		t->ops->leave(t->term, true);
		t->ops->back(t->term);
		t->redraw = true;
		return true;
	}
	if (ev->key == TUI_CTRL_L) {
		t->redraw = true;
		return true;
	}
	return false;
}

/* Waits for bytes; -1 = the wait was for nothing, paint and wait again. */
static int more(struct tui *t)
{
	int ms = t->nr_in == 1 && t->in[0] == TUI_ESC ? ESC_MS
		 : t->nr_in			      ? BEGUN_MS
		 : t->pasting			      ? PASTE_MS
						      : -1;
	int n = t->ops->read(t->term, t->in + t->nr_in, sizeof(t->in) - t->nr_in, ms);

	if (n > 0) {
		t->nr_in += (size_t)n;
		return n;
	}
	if (n == 0) {
		t->pasting = t->pasting && t->nr_in;
		return 0;
	}
	if (n == -EINTR)
		t->redraw = true;
	else
		t->gone = true;
	return -1;
}

int tui_getkey(struct tui *t)
{
	bool all = false, shown = false;
	struct tui_event ev;

	if (!t->keys)
		t->ops->interrupt(t->term, false);
	t->keys = true;
	while (!t->gone) {
		int n;

		if (take(t, all, &ev)) {
			all = false;
			if (!keep(t, &ev))
				return ev.key;
			shown = shown && !t->redraw;
			continue;
		}
		/* Keys that are there already need not wait for screens that nobody will see. */
		if (!shown && !t->nr_in)
			show(t);
		shown = true;
		n = more(t);
		all = n == 0;
		shown = n >= 0;
	}
	return TUI_GONE;
}

void tui_take_paste(struct tui *t, bool on)
{
	t->take_paste = on;
}

void tui_mouse(const struct tui *t, int *row, int *col)
{
	*row = t->mouse_row;
	*col = t->mouse_col;
}

void tui_set_mouse(struct tui *t, bool on)
{
	t->ops->mouse(t->term, on);
	t->mouse = on;
}

/* ---- views ------------------------------------------------------------------------------------ */

static enum tui_answer key_help(struct tui *t, struct tui_view *v)
{
	return tui_help(t, v);
}

static enum tui_answer key_back(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	return TUI_BACK;
}

static enum tui_answer key_quit(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	return TUI_QUIT;
}

static enum tui_answer key_mouse(struct tui *t, struct tui_view *v)
{
	(void)v;
	tui_set_mouse(t, !t->mouse);
	tui_message(t, t->mouse ? "The mouse scrolls and picks rows; text is marked with Shift held"
				: "The mouse is the terminal's again");
	return TUI_STAY;
}

const struct tui_key tui_view_keys[] = {
	{ TUI_ESC, "Esc, Left", "back to where you came from", key_back },
	{ TUI_LEFT, NULL, NULL, key_back },
	{ 'q', "q, Ctrl-C", "leave the program", key_quit },
	{ TUI_CTRL_C, NULL, NULL, key_quit },
	{ '?', "h, ?, F1", "this page; / in it leaves lines with a word", key_help },
	{ 'h', NULL, NULL, key_help },
	{ TUI_F1, NULL, NULL, key_help },
	{ 'M' & 0x1f, NULL, NULL, NULL }, /* Enter, when nobody wants it */
	{ TUI_CTRL_L, "Ctrl-L", "draw the screen again", NULL },
	{ TUI_F1 + 1, "F2", "mouse on or off", key_mouse },
	{ TUI_CTRL_Z, "Ctrl-Z", "suspend; fg comes back", NULL },
	{ 0 },
};

static const struct tui_key *find_key(const struct tui_key *k, int key)
{
	for (; k && k->key; k++)
		if (k->key == key && k->run)
			return k;
	return NULL;
}

static enum tui_answer dispatch(struct tui *t, struct tui_view *v, int key)
{
	enum tui_answer a = TUI_STAY;
	const struct tui_key *k;
	char name[32];

	t->message[0] = 0;
	if (v->ops->key && v->ops->key(t, v, key, &a))
		return a;
	k = find_key(v->ops->keys, key);
	if (k)
		return k->run(t, v);
	if (v->list && tui_list_key(t, v->list, key))
		return TUI_STAY;
	k = find_key(tui_view_keys, key);
	if (k)
		return k->run(t, v);
	if (key != TUI_ENTER && key < TUI_WHEEL_UP)
		tui_message(t, "'%s' key not associated, use 'h'/'?'/F1 to see actions!",
			    tui_key_name(key, name));
	return TUI_STAY;
}

enum tui_answer tui_run(struct tui *t, struct tui_view *v)
{
	enum tui_answer a = TUI_STAY;

	v->below = t->top;
	t->top = v;
	while (a == TUI_STAY) {
		int key = tui_getkey(t);

		a = key == TUI_GONE ? TUI_QUIT : dispatch(t, v, key);
		/* Ctrl-C in a menu is for all of us, whatever the menu's caller makes of it. */
		if (t->quit)
			a = TUI_QUIT;
	}
	t->top = v->below;
	t->quit = a == TUI_QUIT && t->top;
	return a == TUI_QUIT ? TUI_QUIT : TUI_STAY;
}

void tui_message(struct tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->message, sizeof(t->message), fmt, ap);
	va_end(ap);
	t->message_role = TUI_ROOT;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static void paint_progress(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	const struct tui *t = v->ctx;
	double share = t->progress.total ? (double)t->progress.done / (double)t->progress.total : 0;
	struct tui_pen p = { .s = s, .row = row + rows / 2, .end = s->cols };
	int width = s->cols - 20, full;

	width = width > 60 ? 60 : width;
	share = share > 1 ? 1 : share;
	p.col = (s->cols - (width > 0 ? width : 0) - 8) / 2;
	p.col = p.col > 0 ? p.col : 0;
	tui_puts(s, p.row - 2, p.col, s->cols - p.col, TUI_NORMAL, t->progress.what);
	if (!t->progress.total) {
		tui_putf(&p, TUI_NORMAL, "%.0f MB", (double)t->progress.done / 1e6);
	} else {
		full = width > 0 ? (int)(share * width) : 0;
		for (int i = 0; i < width; i++)
			tui_put(&p, TUI_BAR, i < full ? "█" : "░");
		tui_putf(&p, TUI_NORMAL, "%s%3.0f%%", width > 0 ? "  " : "", share * 100);
	}
	if (!t->progress.all)
		tui_puts(s, p.row + 2, p.col, s->cols - p.col, TUI_DIM,
			 t->progress.stopped ? "stopped" : "q: stop, and show what was read");
}

void tui_read_all(struct tui *t)
{
	t->progress.all = true;
}

static bool progress(struct tui *t, const char *what, uint64_t done, uint64_t total)
{
	static const struct tui_view_ops ops = { .name = "progress", .paint = paint_progress };
	struct tui_view v = { .ops = &ops, .ctx = t, .below = t->top };
	int64_t now = now_ns();
	struct tui_event ev;
	int n;

	if (!t->progress.first)
		t->progress.first = t->progress.last = now;
	/* What is soon done need not flash by. */
	if (t->progress.stopped || now - t->progress.last < 50000000LL)
		return t->progress.stopped;
	if (t->keys)
		t->ops->interrupt(t->term, true);
	t->keys = false;
	t->progress.last = now;
	t->progress.what = what;
	t->progress.done = done;
	t->progress.total = total;
	while ((n = t->ops->read(t->term, t->in + t->nr_in, sizeof(t->in) - t->nr_in, 0)) > 0) {
		t->nr_in += (size_t)n;
		while (take(t, t->nr_in == sizeof(t->in), &ev))
			if (!keep(t, &ev) && (ev.key == 'q' || ev.key == TUI_CTRL_C))
				t->progress.stopped = !t->progress.all;
	}
	if (n < 0 && n != -EINTR)
		t->gone = t->progress.stopped = true;
	t->redraw |= n == -EINTR;
	t->top = &v;
	show(t);
	t->top = v.below;
	return t->progress.stopped;
}

bool tui_progress(struct tui *t, const char *what, uint64_t done, uint64_t total)
{
	bool stop;

	pthread_mutex_lock(&t->lock);
	stop = progress(t, what, done, total);
	pthread_mutex_unlock(&t->lock);
	return stop;
}

/* ---- log -------------------------------------------------------------------------------------- */

static void log_line(void *ctx, enum log_level level, const char *text)
{
	struct tui *t = ctx;
	char *copy;

	if (level > LOG_WARN)
		return;
	copy = strdup(text);
	pthread_mutex_lock(&t->lock);
	if (copy && vec_push(&t->log, copy))
		free(copy);
	tui_message(t, "%s", text);
	t->message_role = TUI_WARN;
	pthread_mutex_unlock(&t->lock);
}

struct log_sink tui_log(struct tui *t)
{
	return (struct log_sink){ .line = log_line, .ctx = t };
}

const char *tui_logged(const struct tui *t, size_t i)
{
	return i < t->log.n ? t->log.v[i] : NULL;
}
