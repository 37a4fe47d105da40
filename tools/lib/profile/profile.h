/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile: samples in, sorted rows and call trees out. Sort keys, aggregation, percentages; no
 * terminal, no options of a command.
 *
 * A row is what is equal in all sort keys. While samples are read every key is a number (a comm,
 * a symbol, a cpu ...): a sample costs a few table look-ups, and memory follows the number of
 * distinct rows and distinct call chains. Names are looked at once, in view_new().
 *
 *	profile_new(&p, &opts, m, res, u, &err);
 *	for each sample:	profile_add(p, &s, th, &err);
 *	for each other record:	machine_record(m, &rec, &err);
 *	profile_finish(p, &err);
 *	view_new(&v, p, NULL, &err);
 *	for (size_t i = 0; i < view_nr_rows(v, ev); i++)
 *		for (size_t c = 0; c < view_nr_cols(v); c++)
 *			view_cell(v, view_row(v, ev, i), view_col(v, c), out);
 *
 * What was counted does not change any more by then, and a view only reads it: there can be many,
 * also at the same time, each with an order, columns, levels, percentages and trees of its own.
 *
 * Branch mode (opts.branch): one row entry per branch stack entry, weight 1 each.
 *
 * Memory: everything handed out belongs to the profile or the view, which the profile must outlive;
 * call trees belong to the caller. Errors: 0/-errno and struct err. One thread per struct profile
 * and its views. Text and its order follow `perf report --stdio` (text-formats.adoc, "perf report
 * --stdio"); strings of the file leave through emit_safe only.
 */
#ifndef PERF_PROFILE_H
#define PERF_PROFILE_H

#include "keys/keys.h"
#include "unwind/unwind.h"

struct profile;

/* @u may be NULL when no sample needs unwinding. -EINVAL for an unknown sort key. */
int profile_new(struct profile **p, const struct profile_opts *opts, struct machine *m,
		struct resolver *res, struct unwind *u, struct err *e);
void profile_free(struct profile *p);

/* PERF_SAMPLE_* fields that profile_add() looks at, for sample_parse_some(). */
uint64_t profile_need(const struct profile *p);
int profile_add(struct profile *p, const struct sample *s, struct thread *th, struct err *e);
/*
 * How many threads run while the samples that follow are taken; 1 until told. Latency is a
 * sample's period divided by that.
 */
void profile_set_parallelism(struct profile *p, uint32_t n);
/*
 * Before profile_finish(): the events @leader .. @leader + @members - 1 are columns of one table,
 * the leader's. Events are known to the caller, who may have read them late (pipes).
 */
int profile_set_group(struct profile *p, uint32_t leader, uint32_t members);
/*
 * From the numbers of one profile's machine, resolver and recording to those of another's; NULL
 * lists: they are shared, as by profiles of pieces of one recording.
 */
struct profile_maps {
	const uint32_t *thread, *symbol, *event, *dso, *loc; /* by number there */
	struct dso *const *objects;			     /* by number of an object there */
};

/*
 * Before profile_finish() of either: all that @from has counted, to @to. If @from had the samples
 * that came behind those of @to then the result is that of one profile which had them all. Both
 * have the same options (else -EINVAL). @from is to be freed then, but what it has been given
 * (machine, resolver) must outlive @to.
 */
int profile_merge(struct profile *to, struct profile *from, const struct profile_maps *maps,
		  struct err *e);
/* No more samples: sums, and what callees cost. */
int profile_finish(struct profile *p, struct err *e);

/* ---- results --------------------------------------------------------------------------------- */

struct profile_totals {
	uint64_t nr_samples, period; /* all; in branch mode period counts entries */
	uint64_t nr_filtered_samples, filtered_period; /* what passed the filters */
};

/* @event: perfdata_event idx. */
const struct profile_totals *profile_totals(const struct profile *p, uint32_t event);
/* Number of events in @event's table; 0 when it is shown in its leader's. */
uint32_t profile_members(const struct profile *p, uint32_t event);

uint32_t profile_row_event(const struct profile *p, const struct profile_row *row);

/* ---- a view of the results ------------------------------------------------------------------- */

struct view;

/* Rows that are left out of a view, after they were counted. */
struct view_filter {
	const char *comms, *dsos, *symbols; /* comma lists or NULL; of branches: their targets */
	const char *symbol_part;	    /* of a symbol's name, or NULL */
};

/*
 * After profile_finish(). @o: how to look, NULL = by the profile's own options. Of it sort and
 * fields are obeyed as far as these keys were counted (-EINVAL: one was not), and latency, children
 * (off), hierarchy, use_chains (off), show_*, branch_stats, relative, group_sort, widths, separator
 * and, of chain, style, value, caller, min_percent and print_limit. Rows stay those of the profile:
 * without one of its keys some look alike. @filter: NULL = all rows; -EINVAL for what was not
 * counted by.
 */
int view_new(struct view **v, const struct profile *p, const struct profile_opts *o,
	     const struct view_filter *filter, struct err *e);
void view_free(struct view *v);

const struct profile_totals *view_totals(const struct view *v, uint32_t event);
size_t view_nr_rows(const struct view *v, uint32_t event);
/* In output order. */
const struct profile_row *view_row(const struct view *v, uint32_t event, size_t i);
/* Share of the event's total, in percent: own, or with callees under children. */
double view_percent(const struct view *v, const struct profile_row *row);

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
const struct profile_col *view_level_col(const struct view *v, unsigned level, size_t i);
/* All levels' rows, each followed by those below it. */
size_t view_nr_nested(const struct view *v, uint32_t event);
const struct profile_row *view_nested(const struct view *v, uint32_t event, size_t i,
				      unsigned *level);

/* ---- columns --------------------------------------------------------------------------------- */

struct profile_col;

/* The keys that make a row, as one list; NULL = no memory. */
const char *view_sort_text(struct view *v);
size_t view_nr_cols(const struct view *v);
const struct profile_col *view_col(const struct view *v, size_t i);
const char *view_col_head(const struct view *v, const struct profile_col *c);
const char *view_col_name(const struct profile_col *c); /* the key's name */
bool view_col_is_number(const struct profile_col *c);	/* head is aligned right */
/* Width of column @c for @event's rows; at least the head's. */
int view_col_width(const struct view *v, uint32_t event, const struct profile_col *c);
/* The cell as upstream prints it, padded where upstream pads even the last column. */
void view_cell(const struct view *v, const struct profile_row *row, const struct profile_col *c,
	       struct obuf *o);
/* The share that column @c shows of @row, in percent; false when it shows none. */
bool view_col_percent(const struct view *v, const struct profile_row *row,
		      const struct profile_col *c, double *percent);
/* The bare value, for JSON. */
void view_value(const struct view *v, const struct profile_row *row, const struct profile_col *c,
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

/*
 * Makes the tree of @row, in place of what @t held. In styles flat and folded the root's children
 * are whole chains. It stays valid as long as the profile.
 */
int view_tree(struct view *v, const struct profile_row *row, struct call_tree *t);
void view_tree_free(struct call_tree *t);
/* Name (or address) of a frame, as a call graph prints it. */
void view_frame(const struct view *v, uint32_t frame, struct obuf *o);

/* ---- branch mode ----------------------------------------------------------------------------- */

struct branch_totals {
	uint64_t type[16], new_type[16];
	uint64_t cond_fwd, cond_bwd, cross_4k, cross_2m;
	uint64_t entries, typed;
};

/* Members of @row's object in JSON beside its columns. */
void view_row_json(const struct view *v, const struct profile_row *row, struct emit *e);
/* Zeros outside branch mode. */
const struct branch_counts *profile_branch_counts(const struct profile *p,
						  const struct profile_row *row);
const struct branch_totals *profile_branch_totals(const struct profile *p);

#endif
