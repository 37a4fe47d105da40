/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view: the rows of a finished table in an order, with percentages, columns, levels and call trees.
 *
 *	view_new(&v, table, &opts, NULL, &err);
 *	for (size_t i = 0; i < view_nr_rows(v, ev); i++)
 *		for (size_t c = 0; c < view_nr_cols(v); c++)
 *			view_cell(v, view_row(v, ev, i), view_col(v, c), out);
 *
 * A view only reads its table, and there can be many at the same time, each with an order, columns,
 * levels, filters, percentages and trees of its own. Names are looked at here, once per row that is
 * shown. What a view is drawn on (text, JSON, a screen) is not known here: room faces.
 *
 * What is asked of a recording one after the other is a list of steps, from a rich table on:
 * view_steps_new() below.
 *
 * Memory: everything handed out belongs to the view, which its table must outlive; call trees belong
 * to the caller. Errors: 0/-errno and struct err. One thread for a table's views. Text and its order
 * follow `perf report --stdio` (text-formats.adoc, "perf report --stdio"); strings of the file leave
 * through emit_safe only.
 */
#ifndef PERF_VIEW_H
#define PERF_VIEW_H

#include "table/table.h"

struct view;

/* Rows that are left out of a view, after they were counted. */
struct view_filter {
	const char *comms, *dsos, *symbols; /* comma lists or NULL; of branches: their targets */
	const char *symbol_part;	    /* of a symbol's name, or NULL */
};

/*
 * After table_finish(). @o: how to look, NULL = by the table's own options. Of it sort and
 * fields are obeyed as far as these keys were counted (-EINVAL: one was not), and latency, children
 * (off), hierarchy, use_chains (off), show_*, branch_stats, relative, group_sort, widths, separator
 * and, of chain, style, value, caller, min_percent and print_limit. Rows stay those of the table:
 * without one of its keys some look alike. @filter: NULL = all rows; -EINVAL for what was not
 * counted by.
 */
int view_new(struct view **v, const struct table *t, const struct keys_opts *o,
	     const struct view_filter *filter, struct err *e);
void view_free(struct view *v);
/*
 * @v once more, for a thread that prints rows without trees while others do; valid as long as @v, to be
 * given to free(). NULL = no memory.
 */
struct view *view_for_thread(const struct view *v);
const struct keys_opts *view_opts(const struct view *v);

const struct table_totals *view_totals(const struct view *v, uint32_t event);
size_t view_nr_rows(const struct view *v, uint32_t event);
/* In output order. */
const struct keys_row *view_row(const struct view *v, uint32_t event, size_t i);
/* Who prints rows from @i on: has the memory of those behind it fetched meanwhile, for it lies anywhere. */
void view_row_ahead(const struct view *v, uint32_t event, size_t i);
/* Share of the event's total, in percent: own, or with callees under children. */
double view_percent(const struct view *v, const struct keys_row *row);
/* The period that shares are of: of all samples, with opts.relative of those that are shown. */
uint64_t view_whole(const struct view *v, uint32_t event);

/* ---- rows below rows ------------------------------------------------------------------------- */

/*
 * opts.hierarchy: each key (or each group of keys in braces) is a level, and a row of the first
 * level stands for all samples that are equal in its keys. Below it are its rows of the second,
 * and so on; those of the last level are the rows of view_row(). Columns of numbers stand in
 * front of all rows: these, and no more, are view_col()'s then.
 *
 * Sums of a row are its rows' below, but for what callees cost: there a sample counts once.
 */

/* 0: no hierarchy, or there is no key. */
unsigned view_nr_levels(const struct view *v);
size_t view_level_nr_cols(const struct view *v, unsigned level);
const struct keys_col *view_level_col(const struct view *v, unsigned level, size_t i);
/* All levels' rows, each followed by those below it. */
size_t view_nr_nested(const struct view *v, uint32_t event);
const struct keys_row *view_nested(const struct view *v, uint32_t event, size_t i, unsigned *level);

/* ---- columns --------------------------------------------------------------------------------- */

struct keys_col;

/* The keys that make a row, as one list; NULL = no memory. */
const char *view_sort_text(struct view *v);
size_t view_nr_cols(const struct view *v);
const struct keys_col *view_col(const struct view *v, size_t i);
const char *view_col_head(const struct view *v, const struct keys_col *c);
const char *view_col_name(const struct keys_col *c); /* the key's name */
bool view_col_is_number(const struct keys_col *c);   /* head is aligned right */
/* Width of column @c for @event's rows; at least the head's. */
int view_col_width(const struct view *v, uint32_t event, const struct keys_col *c);
/* The cell as upstream prints it, padded where upstream pads even the last column. */
void view_cell(const struct view *v, const struct keys_row *row, const struct keys_col *c,
	       struct obuf *o);
/* The share that column @c shows of @row, in percent; false when it shows none. */
bool view_col_percent(const struct view *v, const struct keys_row *row, const struct keys_col *c,
		      double *percent);
/* The bare value, for JSON. */
void view_value(const struct view *v, const struct keys_row *row, const struct keys_col *c,
		struct obuf *o);
/* "# comm: ls" lines: what a one-word filter leaves out of the table. */
const char *view_elided(const struct view *v, size_t i, const char **value);

/* ---- call trees ------------------------------------------------------------------------------ */

/* A stretch of frames without a fork; children sorted by cumul, small ones left out. */
struct call_node {
	const uint32_t *frames;		 /* for view_frame() */
	const struct branch_note *notes; /* opts.history: one per frame */
	uint32_t nr_frames;
	uint32_t count, cumul_count;
	uint64_t hit, cumul;	 /* ends here; with children */
	struct call_node *child; /* array */
	uint32_t nr_children;
};

/* The caller's: zeros at first. */
struct call_tree {
	struct call_node root; /* has no frames of its own */
	struct arena mem;
};

/* Whether a row's call tree has anything in it. */
bool view_has_tree(const struct view *v, const struct keys_row *row);
/* The first of @event's rows from the @i-th on that has one, as view_row() counts; none: how many there are. */
size_t view_next_tree(struct view *v, uint32_t event, size_t i);
/*
 * Makes the tree of @row, in place of what @t held. In styles flat and folded the root's children
 * are whole chains. It stays valid as long as the table.
 */
int view_tree(struct view *v, const struct keys_row *row, struct call_tree *t);
/* The same for several rows, side by side. */
int view_tree_several(struct view *v, const struct keys_row *const *rows, size_t nr,
		      struct call_tree *trees);
/* Whether that is worth it for this one. */
bool view_tree_is_heavy(const struct view *v, const struct keys_row *row);
void view_tree_free(struct call_tree *t);
/* Name (or address) of a frame, as a call graph prints it. */
void view_frame(const struct view *v, uint32_t frame, struct obuf *o);

/* ---- what somebody did ----------------------------------------------------------------------- */

/*
 * The steps that led to what is on a screen, each a table's operation or another way to look. Every
 * step is done from the rich table on, so that one step less is undo. The last few results are kept.
 *
 *	view_steps_new(&s, rich, &opts, &err);
 *	view_steps_push(s, &(struct view_step){ .kind = VIEW_STEP_SORT, .text = "dso,sym" }, &err);
 *	... view_steps_view(s) ...
 *	view_steps_undo(s, &err);
 *
 * Strings of a step are copied. What view_steps_view() and _table() return is good until the
 * next push, undo or redo. The rich table is the caller's and has to outlive it.
 */
enum view_step_kind {
	VIEW_STEP_OP,	     /* .op */
	VIEW_STEP_SORT,	     /* .text: the list of -s */
	VIEW_STEP_HIERARCHY, /* .on */
	VIEW_STEP_CALLERS,   /* .on: trees from the outermost caller on */
	VIEW_STEP_CHILDREN,  /* .on: with what callees cost */
	VIEW_STEP_RELATIVE,  /* .on: shares of what is shown */
	VIEW_STEP_LATENCY,   /* .on: latency before overhead */
	VIEW_STEP_SIMD,	     /* .on: columns of SIMD state */
	VIEW_STEP_LIMIT,     /* .percent: branches of trees from this on; rows are the viewer's */
	/* .text, "" = all: rows that are shown, whatever their samples' chains have in them */
	VIEW_STEP_ROWS_DSO,  /* a list, as struct view_filter has it */
	VIEW_STEP_ROWS_PART, /* of a symbol's name */
};

struct view_step {
	enum view_step_kind kind;
	struct table_op op;
	const char *text;
	bool on;
	double percent;
};

struct view_steps;

/* @first: what table_derive() makes of @rich by @opts, if it is there; else NULL. Both outlive the steps. */
int view_steps_new(struct view_steps **s, const struct table *rich, const struct keys_opts *opts,
		   const struct table *first, struct err *e);
void view_steps_free(struct view_steps *s);
/* After an error all is as before it: the step was not done. What had been undone is forgotten. */
int view_steps_push(struct view_steps *s, const struct view_step *step, struct err *e);
/* 1: there is nothing to undo, to redo. */
int view_steps_undo(struct view_steps *s, struct err *e);
int view_steps_redo(struct view_steps *s, struct err *e);
/* What could be redone is forgotten. */
void view_steps_forget(struct view_steps *s);
/* Steps that are done, and those behind them that can be redone. */
size_t view_steps_nr(const struct view_steps *s, size_t *redo);
const struct view_step *view_steps_at(const struct view_steps *s, size_t i);
/* "focus malloc": for a line of breadcrumbs. Its names are the recording's: through emit_safe. */
void view_step_text(const struct view_step *step, struct obuf *o);
struct view *view_steps_view(const struct view_steps *s);
const struct table *view_steps_table(const struct view_steps *s);
const struct keys_opts *view_steps_opts(const struct view_steps *s);

/*
 * The operation of that kind about a row, or about a frame of a chain: its thread, object, function ...
 * Strings are the table's. False: the row does not tell.
 */
bool view_row_op(const struct view *v, const struct keys_row *row, enum table_op_kind kind,
		 struct table_op *op);
bool view_frame_op(const struct view *v, uint32_t frame, enum table_op_kind kind,
		   struct table_op *op);

/* The function of a row, of a frame; false: it has none, or the row does not tell. */
bool view_row_code(const struct view *v, const struct keys_row *row, struct dso **dso,
		   const struct symbol **sym);
bool view_frame_code(const struct view *v, uint32_t frame, struct dso **dso,
		     const struct symbol **sym);

/*
 * Callers above, callees below one function: two views of a row each, with trees that view_tree()
 * makes. A sample counts once, however often the function is in its chain.
 */
struct view_sandwich {
	struct table *tables[2];
	struct view *callers, *callees;
	const struct keys_row *above, *below; /* the function in either; NULL = no such sample */
	struct table_count self, total;
};

/* @op names the function (TABLE_FOCUS); @ask: what was done before. To be freed after errors, too. */
int view_sandwich_new(struct view_sandwich *s, const struct table *rich,
		      const struct table_ask *ask, const struct table_op *op, uint32_t event,
		      struct err *e);
/* The same after the steps that are done. */
int view_steps_sandwich(const struct view_steps *s, const struct table_op *op, uint32_t event,
			struct view_sandwich *out, struct err *e);
void view_sandwich_free(struct view_sandwich *s);

/*
 * What is shown of @event as folded stacks, "command;outer;inner PERIOD", for flame graphs; of a
 * derived table. -EINVAL for rows of branches.
 */
int view_put_folded(const struct view *v, uint32_t event, struct obuf *o, struct err *e);

/* ---- searching, comparing --------------------------------------------------------------------- */

/* What of @event has a text in it: rows by their keys, frames by their names. */
struct view_found {
	uint64_t *rows, *frames; /* bits: by place in the view's order; by frame */
	size_t nr_rows, nr_frames;
	struct table_count samples; /* whose row or chain has it, each once */
};

/* @match: TABLE_PART, without regard to case unless @text has upper case, or TABLE_REGEX. */
int view_search(const struct view *v, uint32_t event, const char *text, enum table_match match,
		struct view_found *f, struct err *e);
void view_found_free(struct view_found *f);

/* The same of one cell, of one frame: for who paints some of them. */
struct view_pattern;
int view_pattern_new(struct view_pattern **p, const char *text, enum table_match match,
		     struct err *e);
void view_pattern_free(struct view_pattern *p);
bool view_pattern_in_cell(struct view_pattern *p, const struct view *v, const struct keys_row *row,
			  const struct keys_col *c);
bool view_pattern_in_frame(struct view_pattern *p, const struct view *v, uint32_t frame);

/*
 * Rows of two views, of one table or of two recordings, side by side: those are one whose keys have
 * the same texts. The views must have the same keys and outlive it.
 */
struct view_diff;
struct view_pair {
	const struct keys_row *before, *after; /* NULL = it is not there */
	double share[2];		       /* percent; 0 where it is not there */
};

int view_diff_new(struct view_diff **d, const struct view *before, uint32_t event_before,
		  const struct view *after, uint32_t event_after, struct err *e);
void view_diff_free(struct view_diff *d);
/* The largest difference of shares first. */
size_t view_diff_nr(const struct view_diff *d);
const struct view_pair *view_diff_at(const struct view_diff *d, size_t i);
/* Percent that chance alone makes of a difference; whether it made all of it. */
double view_diff_noise(const struct view_diff *d, const struct view_pair *pair);
bool view_diff_is_noise(const struct view_diff *d, const struct view_pair *pair);
/* Of a row of the second view. */
const struct view_pair *view_diff_of(const struct view_diff *d, const struct keys_row *after);

/*
 * Rows of any number of views side by side, the first of which the others are compared with. Views have
 * the same keys; what is shown of them is copied, so that each can go before the next one is made.
 */
struct view_compare;
enum view_compute { VIEW_DELTA_ABS, VIEW_DELTA, VIEW_RATIO, VIEW_WDIFF };

struct view_compare_opts {
	enum view_compute compute; /* what lines are sorted by */
	int64_t weight[2];	   /* VIEW_WDIFF: of the first, of the other */
	size_t order;		   /* of which side; 0: by what the first has */
	bool baseline_only;	   /* only what the first and another have */
	bool significant;	   /* without what may be chance on all sides */
	bool relative;		   /* shares of what passed filters */
};

struct view_line {
	const char *texts; /* of keys, one behind the other, each with a zero */
	const char *same;  /* what lines are told apart by; may be .texts */
	size_t same_size;
	struct table_count *sides; /* .nr 0: not there */
};

/* Then view_compare_add() for each side on which something was counted, in order; view_compare_sort(). */
int view_compare_new(struct view_compare **c, size_t nr_sides, const struct view_compare_opts *o,
		     struct err *e);
int view_compare_add(struct view_compare *c, size_t side, const struct view *v, uint32_t event,
		     struct err *e);
void view_compare_sort(struct view_compare *c);
void view_compare_free(struct view_compare *c);
size_t view_compare_nr(const struct view_compare *c);
const struct view_line *view_compare_at(const struct view_compare *c, size_t i);
const struct table_totals *view_compare_totals(const struct view_compare *c, size_t side);
/* Keys: how many, their heads and names; whether the last one is padded, too. */
unsigned view_compare_cols(const struct view_compare *c);
const char *view_compare_name(const struct view_compare *c, unsigned i);
const char *view_compare_head(const struct view_compare *c, unsigned i);
bool view_compare_pads(const struct view_compare *c, unsigned i);
/*
 * Percent, of the first with opts.baseline_only of what has a match; by how many of all percent @side has more than the
 * first; what opts.compute says of the two; what chance makes of it, in percent.
 */
double view_line_share(const struct view_compare *c, const struct view_line *l, size_t side);
double view_line_delta(const struct view_compare *c, const struct view_line *l, size_t side);
double view_line_value(const struct view_compare *c, const struct view_line *l, size_t side);
double view_line_noise(const struct view_compare *c, const struct view_line *l, size_t side);
bool view_line_is_noise(const struct view_compare *c, const struct view_line *l, size_t side);

/*
 * By how many percent chance makes two shares differ in 19 of 20 cases: percent, of so many samples each.
 */
double view_noise(double share, uint64_t samples, double other, uint64_t others);

/*
 * Call trees of views of derived tables, made of the names of functions: as one, with what each has. Lines are in
 * the order in which a tree is printed.
 */
struct view_forest;
struct view_forest_opts {
	double min_percent; /* in one of them; less is left out */
	bool significant;   /* without what may be chance, and calls nothing that is more */
};

struct view_forest_line {
	const char *name;
	uint32_t parent;  /* lines of one parent have one number */
	uint32_t depth;	  /* from 1 on */
	uint64_t *period; /* by side, with what is called */
};

/* As with view_compare. */
int view_forest_new(struct view_forest **t, size_t nr_sides, const struct view_forest_opts *o,
		    struct err *e);
int view_forest_add(struct view_forest *t, size_t side, const struct view *v, uint32_t event,
		    struct err *e);
int view_forest_sort(struct view_forest *t, struct err *e);
void view_forest_free(struct view_forest *t);
size_t view_forest_nr(const struct view_forest *t);
const struct view_forest_line *view_forest_at(const struct view_forest *t, size_t i);
uint64_t view_forest_samples(const struct view_forest *t, size_t side);
double view_forest_share(const struct view_forest *t, const struct view_forest_line *l,
			 size_t side);
double view_forest_noise(const struct view_forest *t, const struct view_forest_line *l,
			 size_t side);
bool view_forest_is_noise(const struct view_forest *t, const struct view_forest_line *l,
			  size_t side);

/* Members of @row's object in JSON beside its columns. */
void view_row_json(const struct view *v, const struct keys_row *row, struct emit *e);
/* How many samples of @row its first accumulator tells of; false: there is none that says. */
bool view_row_told(const struct view *v, const struct keys_row *row, uint64_t *nr);
/* Zeros outside branch mode. */
const struct branch_counts *view_branch_counts(const struct table *t, const struct keys_row *row);

#endif
