/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of room view.
 *
 *	view.c		which rows there are, in which order
 *	filter.c	which of them are left out
 *	order.c		ranks of values, sorting
 *	nest.c		rows above rows; nest-acc.c: what these cost with callees
 *	cols.c		which columns there are; cells.c: as text
 *	ask.c		what of a row can be asked of the table; steps.c: what was
 *	folded.c	stacks as lines
 *	search.c	texts in rows and chains; diff.c: rows of two views side by side
 *	tree-list.c	which nodes and leafs of the trie a row has; tree.c: its call tree
 *
 * Rows of the table have the numbers from 0 to table.rows.n - 1, and those that a view makes,
 * above them, the numbers behind. What a view knows of either is in its own arrays, by number.
 */
#ifndef PERF_VIEW_INT_H
#define PERF_VIEW_INT_H

#include <stdlib.h>

#include "view/view.h"

/* A row that stands above others; its numbers are in the view. */
struct view_row {
	struct keys_row row;
	const struct view *view;
};

/* A row in order of output, and how deep it stands. */
struct nested {
	uint32_t row, level;
};

/* By row: where it stands in the tree of rows. */
struct nest {
	uint32_t above, first, next; /* rows; ID_NONE = none */
	uint32_t level;
};

struct view_event {
	struct table_totals totals;
	uint32_t *rows; /* sorted */
	size_t nr;
	struct nested *nested; /* in order of output */
	size_t nr_nested;
	int width[MAX_KEYS];
};

/* Numbers by tree: v[at[tree]] .. v[at[tree + 1]]. */
struct chain_list {
	uint32_t *at, *v;
};

/* What of a node's samples are the open row's own. */
struct node_own {
	uint64_t period;
	uint32_t count;
};

/* Of the row whose tree is made; nothing between two trees. */
struct tree_own {
	struct node_own *plus;	   /* by node */
	struct branch_note *notes; /* by node, --branch-history */
	VEC(uint32_t) tops;	   /* outermost nodes of its own samples */
};

/* Each has memory by node, so that more threads are not worth it. */
#define TREES_SIDE 4

struct view_trees {
	bool listed;
	VEC(uint32_t) rows; /* of the table, that have one, ascending */
	struct bits heavy;  /* these; and, by 64 rows, how many of them come before */
	uint32_t *before;
	struct chain_list nodes, leafs;
	struct tree_own own[TREES_SIDE]; /* by thread */
};

struct percent_memo {
	uint64_t v;
	uint32_t event;
	int len;
	char text[32];
};

struct view {
	const struct table *t;
	const struct view *of; /* whose columns callers have: itself, or what it is a copy of */
	struct keys_opts o;
	struct columns c;
	VEC(struct view_event) events;
	uint32_t base;		      /* number of the first row of its own */
	VEC(struct view_row) rows;    /* its own */
	VEC(struct view_row) members; /* of these and member - 1: numbers of the other events */
	VEC(struct nest) nest;	      /* by row */
	struct sums sums;	      /* of its own rows, by number less base */
	struct view_trees trees;
	struct percent_memo percent[256];
	bool filtered; /* totals of what passed are in sums.event */
	struct arena text;
};

static inline const struct keys_row *view_row_at(const struct view *v, uint32_t row)
{
	return row < v->base ? &v->t->rows.v[row] : &v->rows.v[row - v->base].row;
}

/* The view that has the numbers of @row, and where; NULL: the table has them, by row->idx. */
static inline const struct view *view_of_row(const struct keys_row *row, uint32_t *at)
{
	const struct view *v;

	if (!row->of_view)
		return NULL;
	v = ((const struct view_row *)row)->view;
	*at = row->idx - v->base;
	return v;
}

/* What the accumulator has of @row, in the table or in its view. */
const void *view_row_acc(const struct table *t, const struct keys_row *row, const struct acc *acc);

/* cols.c */
int view_cols(struct columns *cs, const struct table *t, const struct keys_opts *o, struct err *e);

/* cells.c: widths of the columns from the rows of @event. @in_order: these are sorted, and widths depend on that. */
int view_widths(struct view *v, uint32_t event, bool in_order);
uint64_t view_col_value(const struct view *v, const struct keys_col *c, const struct keys_row *row);

/* view.c: the row's numbers in event leader + @m. */
const struct keys_row *view_member(const struct view *v, const struct keys_row *row, uint32_t m);

/* filter.c: before rows are sorted. */
int view_filter_rows(struct view *v, const struct view_filter *vf, struct err *e);

/* order.c */
int view_rank_cols(struct view *v);
/* Sorts rows, given by number, into the order of output. */
int view_sort_idx(const struct view *v, uint32_t *rows, size_t nr);
/* Of two rows, by all keys: which one stands first among rows with equal sums. */
int view_cmp_keys(const struct view *v, const struct keys_row *a, const struct keys_row *b);
/* The rank of the row's value: rows with equal ranks are equal in @c. */
uint32_t view_col_rank(const struct view *v, const struct keys_col *c, const struct keys_row *row);

/* nest.c */
/* Once the rows of all events are sorted. */
int view_nest_rows(struct view *v);
/* nest-acc.c: what the inner rows cost with callees. */
int view_nest_acc(struct view *v);

/* cells.c: the value of @row in a column that is no number. */
void view_put_text(const struct view *v, const struct keys_col *c, const struct keys_row *row,
		   struct obuf *o);

/* tree-list.c: which rows have a tree, once. */
int view_tree_list(struct view *v);
/* Where @row is in trees.rows; -1: it has no tree. */
int64_t view_tree_find(const struct view *v, const struct keys_row *row);
/* Whether the row is heavy enough. */
/* What a tree's nodes weigh at least. */
uint64_t view_tree_min(const struct view *v, const struct keys_row *row);
void view_trees_free(struct view_trees *t);

#endif
