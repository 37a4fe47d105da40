/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report browser, inside: what is looked at, how it came about, and the functions of its keys.
 *
 *	report.c	life, screen and footer, the table of keys
 *	report-title.c	the head line
 *	report-paint.c	columns that fit, a line of the list
 *	report-look.c	a look is made of the steps that were taken; undo, redo
 *	report-zoom.c	keys that take a step: zooms, filters, order, direction
 *	report-menu.c	the row menu, events, files
 *	report-save.c	what is seen into a file
 *	report-search.c	a word in any column
 *	browse-int.h	which line is what
 */
#ifndef PERF_TUI_REPORT_INT_H
#define PERF_TUI_REPORT_INT_H

#include <regex.h>

#include "browse-int.h"
#include "faces/faces.h"
#include "tui-int.h"

/* What was done to what is seen; each can be undone. */
enum step_kind {
	STEP_COMM,    /* only this command */
	STEP_DSO,     /* only this object */
	STEP_PART,    /* only symbols with this part; "" takes the filter away */
	STEP_LIMIT,   /* no rows below so many percent */
	STEP_SHARES,  /* shares of what passes, or of all */
	STEP_CALLERS, /* trees from the outermost caller down, or the other way round */
	STEP_LEVELS,  /* rows below rows, or flat */
	STEP_KEYS,    /* these keys, in this order */
	STEP_SELF,    /* without what callees cost, or with */
};

struct browser_step {
	enum step_kind kind;
	char *text;
};

/* What the columns of a line are, on a screen of some width. */
struct browser_layout {
	const struct keys_col *col[MAX_KEYS];
	int width[MAX_KEYS];
	bool number[MAX_KEYS];
	size_t nr;
	bool other; /* a column with the share of the other total */
	bool folds; /* a sign in front */
};

struct browser {
	const struct tui_report *in;
	struct faces f; /* what is seen, for writers */
	struct keys_opts o;
	struct view_filter filter;
	double min_percent;
	struct browse_rows rows;
	bool have_rows;
	uint32_t event;
	uint32_t skip; /* leading columns that are scrolled away */
	bool no_heads;
	VEC(struct browser_step) steps;
	size_t nr_steps; /* that are taken; behind them those that were undone */
	struct obuf cell;
	struct browser_layout layout;
	struct {
		regex_t re;
		bool set;
		char word[128];
		uint64_t matches, lines;
		double percent;
	} search;
	struct tui_list list;
	struct tui_view view;
};

/* report.c */
const struct perfdata_event *browser_event(const struct browser *b);
/* The line at the cursor; false: there is none. */
bool browser_cursor(struct browser *b, struct browse_line *l);

/* report-look.c */
/* Makes what is seen of the first nr_steps steps; the cursor stays on its row. */
int browser_look(struct browser *b, struct err *e);
/* Takes a step; where it fails, or nothing would be left, it is not taken and @t says so. */
bool browser_step(struct tui *t, struct browser *b, enum step_kind kind, const char *text);
void browser_steps_free(struct browser *b, size_t from);
/* The newest step of this kind that is taken, or NULL. */
const struct browser_step *browser_last(const struct browser *b, enum step_kind kind);
/* "dso libc.so", for breadcrumbs. */
void browser_step_text(const struct browser_step *s, struct obuf *o);
enum tui_answer browser_undo(struct tui *t, struct tui_view *v);
enum tui_answer browser_redo(struct tui *t, struct tui_view *v);

/* report-paint.c */
void browser_layout(struct browser *b, int cols);
void browser_heads(struct browser *b, struct tui_pen *p);
void browser_line(struct browser *b, uint64_t i, struct tui_pen *p);

/* report-title.c */
void browser_title(struct tui_view *v, struct tui_pen *p);

/* report-zoom.c, report-menu.c, report-save.c, report-search.c */
enum tui_answer browser_zoom_dso(struct tui *t, struct tui_view *v);
enum tui_answer browser_zoom_kernel(struct tui *t, struct tui_view *v);
enum tui_answer browser_zoom_comm(struct tui *t, struct tui_view *v);
enum tui_answer browser_filter(struct tui *t, struct tui_view *v);
enum tui_answer browser_limit(struct tui *t, struct tui_view *v);
enum tui_answer browser_shares(struct tui *t, struct tui_view *v);
enum tui_answer browser_callers(struct tui *t, struct tui_view *v);
enum tui_answer browser_levels(struct tui *t, struct tui_view *v);
enum tui_answer browser_self(struct tui *t, struct tui_view *v);
enum tui_answer browser_sort(struct tui *t, struct tui_view *v);
enum tui_answer browser_menu(struct tui *t, struct tui_view *v);
/* Which event is shown first; -1: none was picked. */
int browser_pick_event(struct tui *t, struct browser *b);
enum tui_answer browser_switch(struct tui *t, struct tui_view *v);
enum tui_answer browser_info(struct tui *t, struct tui_view *v);
enum tui_answer browser_next_event(struct tui *t, struct tui_view *v);
enum tui_answer browser_prev_event(struct tui *t, struct tui_view *v);
enum tui_answer browser_print(struct tui *t, struct tui_view *v);
enum tui_answer browser_save(struct tui *t, struct tui_view *v);
enum tui_answer browser_search(struct tui *t, struct tui_view *v);
enum tui_answer browser_search_next(struct tui *t, struct tui_view *v);
enum tui_answer browser_search_prev(struct tui *t, struct tui_view *v);
/* Whether the line has what is searched for. */
bool browser_matches(struct browser *b, const struct browse_line *l);

#endif
