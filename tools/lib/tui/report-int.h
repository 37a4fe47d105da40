/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report browser, inside: what is looked at, how it came about, and the functions of its keys.
 *
 *	report.c	life, screen and footer, the table of keys
 *	report-title.c	the head line
 *	report-paint.c	columns that fit, a line of the list
 *	report-look.c	what is shown after the steps that were taken (room view); undo, redo
 *	report-zoom.c	keys that take a step: zooms, focus, filters, order, direction
 *	report-time.c	a slice of time is picked
 *	report-sandwich.c	callers above, callees below one function
 *	report-diff.c	beside another recording
 *	report-flow.c	to the lists of blocks and paths
 *	report-menu.c	the row menu, events, files
 *	report-save.c	what is seen into a file
 *	report-search.c	a word in any column
 *	browse-int.h	which line is what
 */
#ifndef PERF_TUI_REPORT_INT_H
#define PERF_TUI_REPORT_INT_H

#include "browse-int.h"
#include "faces/faces.h"
#include "tui-int.h"

/* What the columns of a line are, on a screen of some width. */
struct browser_layout {
	const struct keys_col *col[MAX_KEYS];
	int width[MAX_KEYS];
	bool number[MAX_KEYS];
	size_t nr;
	const struct keys_col *gone[MAX_KEYS]; /* numbers of accumulators that had no room */
	size_t nr_gone;
	bool other; /* a column with the share of the other total */
	bool diff;  /* and with the difference from another recording */
	bool folds; /* a sign in front */
};

struct browser {
	const struct tui_report *in;
	struct faces f; /* what is seen, for writers */
	struct view_steps *steps;
	struct browser_diff *diff; /* NULL = there is no other recording */
	struct keys_opts o;	   /* after these */
	double min_percent;
	struct browse_rows
		*rows; /* NULL = none yet; nodes point into it, so it stays where it is */
	uint32_t event;
	uint32_t skip; /* leading columns that are scrolled away */
	bool no_heads;
	bool verbose; /* frames with their object */
	struct obuf cell;
	struct browser_layout layout;
	struct {
		struct view_pattern *pattern; /* NULL = nothing is searched for */
		char word[128];
		size_t rows;
		uint64_t samples;
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
/* What the steps give, as lines; the cursor stays on its row. */
int browser_look(struct browser *b, struct err *e);
/* Takes a step; where it fails, or nothing would be left, it is not taken and @t says so. */
bool browser_step(struct tui *t, struct browser *b, const struct view_step *step);
/* The newest step of this kind that is taken, or NULL. */
const struct view_step *browser_last(const struct browser *b, enum view_step_kind kind);
/* The last step that is taken, or NULL. */
const struct view_step *browser_newest(const struct browser *b);
void browser_error(struct tui *t, const struct err *e);
enum tui_answer browser_undo(struct tui *t, struct tui_view *v);
enum tui_answer browser_redo(struct tui *t, struct tui_view *v);

/* report-paint.c */
void browser_layout(struct browser *b, int cols);
void browser_heads(struct browser *b, struct tui_pen *p);
void browser_line(struct browser *b, uint64_t i, struct tui_pen *p);
/* A frame of a call tree. */
void browser_frame(struct browse_rows *r, const struct browse_line *l, struct tui_pen *p,
		   enum tui_role name);
enum tui_role browser_share_role(double percent);

/* report-title.c: the head line; what the columns are, for the page of help */
void browser_about(struct tui_view *v, struct obuf *o);
void browser_title(struct tui_view *v, struct tui_pen *p);
/* An event's name, or those of its group. */
void browser_event_names(const struct browser *b, uint32_t event, struct obuf *o);

/* report-diff.c: the other recording takes the same steps; 0 without one. */
#define BROWSER_DIFF_WIDTH 8
int browser_diff_new(struct browser *b, struct err *e);
void browser_diff_free(struct browser *b);
void browser_diff_step(struct tui *t, struct browser *b, const struct view_step *step);
/* @go: view_steps_undo() or _redo(). */
void browser_diff_go(struct tui *t, struct browser *b,
		     int (*go)(struct view_steps *s, struct err *e));
/* Once there is another view. */
int browser_diff_look(struct browser *b, struct err *e);
bool browser_diff_shown(const struct browser *b);
void browser_diff_cell(const struct browser *b, const struct keys_row *row, struct tui_pen *p);
enum tui_answer browser_differences(struct tui *t, struct tui_view *v);

/* report-zoom.c, report-menu.c, report-flow.c, report-save.c, report-search.c */
enum tui_answer browser_zoom_dso(struct tui *t, struct tui_view *v);
enum tui_answer browser_zoom_kernel(struct tui *t, struct tui_view *v);
enum tui_answer browser_zoom_thread(struct tui *t, struct tui_view *v);
enum tui_answer browser_zoom_socket(struct tui *t, struct tui_view *v);
enum tui_answer browser_focus(struct tui *t, struct tui_view *v);
enum tui_answer browser_ignore(struct tui *t, struct tui_view *v);
enum tui_answer browser_hide_function(struct tui *t, struct tui_view *v);
enum tui_answer browser_hide_dso(struct tui *t, struct tui_view *v);
enum tui_answer browser_merge_dso(struct tui *t, struct tui_view *v);
enum tui_answer browser_recursion(struct tui *t, struct tui_view *v);
enum tui_answer browser_filter(struct tui *t, struct tui_view *v);
enum tui_answer browser_limit(struct tui *t, struct tui_view *v);
enum tui_answer browser_shares(struct tui *t, struct tui_view *v);
enum tui_answer browser_callers(struct tui *t, struct tui_view *v);
enum tui_answer browser_levels(struct tui *t, struct tui_view *v);
enum tui_answer browser_self(struct tui *t, struct tui_view *v);
enum tui_answer browser_latency(struct tui *t, struct tui_view *v);
enum tui_answer browser_simd(struct tui *t, struct tui_view *v);
enum tui_answer browser_sort(struct tui *t, struct tui_view *v);
/* What @kind asks about the line at the cursor; false, with a message: it does not tell. */
bool browser_op(struct tui *t, struct browser *b, enum table_op_kind kind, struct table_op *op);
enum tui_answer browser_annotate(struct tui *t, struct tui_view *v);
enum tui_answer browser_annotate_line(struct tui *t, struct browser *b, const struct view *v,
				      const struct browse_line *l);
enum tui_answer browser_sandwich(struct tui *t, struct tui_view *v);
enum tui_answer browser_sandwich_of(struct tui *t, struct browser *b, const struct table_op *op);
enum tui_answer browser_time(struct tui *t, struct tui_view *v);
enum tui_answer browser_blocks(struct tui *t, struct tui_view *v);
enum tui_answer browser_paths(struct tui *t, struct tui_view *v);
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
