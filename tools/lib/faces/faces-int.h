/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this room share: the walk over one table, and what writers of text have alike. */
#ifndef PERF_FACES_INT_H
#define PERF_FACES_INT_H

#include "faces/faces.h"

/* The walk and who is called. */
struct walk {
	struct faces_walk pub;
	const struct faces_writer *w;
};

#define VISIT(k, what, ...) ((k)->w->what ? (k)->w->what(&(k)->pub __VA_OPT__(, ) __VA_ARGS__) : 0)

static inline bool walk_shows(const struct walk *k, const struct faces_column *c)
{
	return c->readers & k->w->reader;
}

/* Nobody reads on. */
static inline bool walk_broken(const struct walk *k)
{
	return k->pub.out->code != 0;
}

/* A column that is no key. */
#define PLAIN_COLUMN(n, h, w, right, who)                                                   \
	{                                                                                   \
		.name = (n), .head = (h), .width = (w), .number = (right), .readers = (who) \
	}

/* What rows are about, by name. */
#define SUBJECT_COLUMN(n, h, w, right)                                     \
	{                                                                  \
		.name = (n), .head = (h), .width = (w), .number = (right), \
		.readers = FACES_PEOPLE | FACES_PROGRAMS, .subject = true  \
	}

/* Trees of heavy rows, made side by side before these are printed. */
#define TREES_AHEAD 32

struct trees_ahead {
	const struct keys_row *row[TREES_AHEAD];
	struct call_tree tree[TREES_AHEAD];
	size_t at, nr;
};

/* rows-side.c: makes those from row @i on, where none is left. */
int walk_trees_ahead(const struct walk *k, uint32_t event, size_t i, struct trees_ahead *a);
/* That of @row, which is the caller's then; NULL: none was made. */
struct call_tree *walk_tree_made(struct trees_ahead *a, const struct keys_row *row);
void walk_trees_free(struct trees_ahead *a);

/* What the walk's state holds goes away. */
void walk_release(struct walk *k);
/* rows-side.c: as walk_row() of all these rows, side by side; those that are small are left out. */
int walk_rows_side(struct walk *k, const struct faces_table *t, size_t from, size_t to,
		   int (*row)(struct walk *k, const struct faces_row *row));

/* ---- tables: 0 or -errno --------------------------------------------------------------------- */

int walk_blocks(struct walk *k);
int walk_paths(struct walk *k);
int walk_branches(struct walk *k); /* all tables of what brstat counted */
int walk_threads(struct walk *k);
int walk_tasks(struct walk *k);
/* A row with @cells that are no keys: what the writer says of it. The caller ends it, when 0. */
int walk_begin_row(struct walk *k, const struct faces_row *row, struct faces_cell *cells);
/* One row of @n cells that are no keys: those of columns that the writer does not show are left out. */
int walk_plain_row(struct walk *k, const struct faces_table *t, struct faces_cell *cells);

/* walk-list.c: cells of FACES_LIST; one of nothing is not known. */
struct faces_cell list_text(const char *s);
struct faces_cell list_number(uint64_t n);
struct faces_cell list_real(bool known, double d);
struct faces_cell list_share(uint64_t part, uint64_t all); /* of nothing: not known */
/* "function+0x10", else the address; not escaped. */
const char *list_place(const struct symbol *sym, uint64_t addr, char *buf, size_t size);
#define LIST_PLACE 512 /* as long as names get */
void list_put_place(struct obuf *o, const struct loc *at);
const char *list_dso(const struct dso *dso);
#define LIST_SHARE_COLUMN(n, h, w)                                                       \
	{                                                                                \
		.name = (n), .head = (h), .width = (w), .number = true, .percent = true, \
		.readers = FACES_PEOPLE | FACES_PROGRAMS                                 \
	}
/*
 * A table of brstat, a row at a time: walk_list() walks over all of it, answers.c shows single ones.
 */
struct walk_list {
	unsigned what; /* enum brstat_what */
	struct faces_table table;
	/* In place of table.title: what comes out. NULL = that. */
	const char *(*title)(const struct faces *f, char *buf, size_t size);
	uint64_t (*total)(const struct brstat *b); /* NULL = 0 */
	size_t (*nr)(const struct faces *f);
	bool (*small)(const struct faces *f, size_t i); /* below --percent-limit; NULL = none is */
	int (*row)(struct walk *k, const struct faces_table *t, size_t i);
	/* Where row @i is in the code; NULL = rows are about none. */
	void (*place)(const struct brstat *b, size_t i, struct faces_place *at);
};

#define LIST_TITLE 200 /* as long as titles get */

extern const struct walk_list walk_branch_list, walk_target_list, walk_block_list, walk_edge_list,
	walk_path_list, walk_cover_list, walk_loop_list, walk_call_list, walk_check_list,
	walk_function_list;
/* @title: LIST_TITLE bytes, where one that is made lies. */
struct faces_table walk_list_table(const struct walk_list *l, const struct faces *f, char *title);
int walk_list(struct walk *k, const struct walk_list *l);

/* why-words.c: NULL = nothing is known; the last: "" = nothing that the recording speaks for. */
const char *walk_why_kind(const struct brstat_branch *br);
const char *walk_why_pattern(const struct brstat_branch *br, char *buf, size_t size);
const char *walk_why_help(const struct brstat_help *h, char *buf, size_t size);

int walk_why(struct walk *k);
int walk_cycles(struct walk *k);
int walk_superblocks(struct walk *k);
int walk_quality(struct walk *k);

/* "r-xp" */
void faces_map_prot(const struct map *m, char prot[5]);
/* What keys say where a value is not known: nothing that programs should read. */
static inline bool faces_is_unknown(const char *text, size_t n)
{
	return (n == 1 && *text == '-') || (n == 3 && !memcmp(text, "N/A", 3));
}

/* Events whose branches have counters. */
uint32_t faces_nr_counting(const struct faces *f);
/* "main+0x10 -> f, ...": a path's branches, escaped for a terminal. */
void faces_path_text(const struct faces *f, const struct brflow_path *p, struct obuf *o);

/* --percent-limit leaves the row out. */
static inline bool faces_is_small(const struct faces *f, const struct keys_row *row)
{
	return f->o.min_percent > 0 && view_percent(f->v, row) < f->o.min_percent;
}

/*
 * The same, for a writer: where a group's events stand side by side there are rows of what only the others saw. Programs read
 * those with the others' own.
 */
static inline bool walk_leaves_out(const struct walk *k, const struct keys_row *row)
{
	if (k->w->reader & FACES_PROGRAMS && !row->nr && !row->acc)
		return true;
	return faces_is_small(k->pub.f, row);
}

static inline double faces_percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/* A string of the recording as a value of CSV: csv.c. */
void faces_csv_value(struct obuf *o, const char *s);

/* ---- text ------------------------------------------------------------------------------------ */

#define TEXT_INDENT    3   /* blanks for each level */
#define TEXT_DOTS_MAX  207 /* below the heads of levels, as upstream */
#define TEXT_MAX_DEPTH 1024

/* A call graph in letters: text-graph.c. */
struct text_pen {
	bool bar[TEXT_MAX_DEPTH + 1]; /* by depth: a line goes down here */
	uint64_t total[TEXT_MAX_DEPTH + 1], left[TEXT_MAX_DEPTH + 1];
	uint64_t start; /* of the graph, in what was printed */
	int margin;
	bool fractal, trunk;
};

struct text {
	struct text_pen pen;
	struct obuf cell;
	size_t nr_cells; /* of this row */
	bool in_levels;	 /* cells of the row's level came */
};

/* Before and behind the rows, and tables that are not of rows: the same with a separator. */
int text_begin(struct faces_walk *k);
int text_begin_rows(struct faces_walk *k);
int text_event(struct faces_walk *k, const struct perfdata_event *ev);
int text_plain_table(struct faces_walk *k, const struct faces_table *t);
int text_plain_cell(struct faces_walk *k, const struct faces_cell *cell);
/* Of tasks and maps, whose lines are no columns. */
void text_task_row(struct faces_walk *k, const struct faces_row *row);
int text_table_end(struct faces_walk *k, const struct faces_table *t);
int text_tail(struct faces_walk *k);
int text_total(struct faces_walk *k, const struct branch_totals *t);
void text_release(struct faces_walk *k);

/* "\033[31m" for a large share, "\033[32m" for one that matters, else NULL: upstream's limits. */
const char *text_color(const struct faces *f, double percent);
/* "Command / Shared Object+Symbol": how wide it is. */
int text_level_heads(struct faces_walk *k, const struct faces_table *t);
/* The widest level, with what it stands to the right. */
int text_levels_width(const struct faces_table *t);
/* A cell without what aligns it. */
void text_level_cell(struct faces_walk *k, const struct faces_cell *cell);
/* Below a row of whose own rows none is large enough. */
void text_no_entry(struct faces_walk *k, const struct faces_row *row, int indent);

int text_tree(struct faces_walk *k, const struct faces_row *row, const struct call_node *root);
int text_node(struct faces_walk *k, const struct faces_node *n);
int text_node_end(struct faces_walk *k, const struct faces_node *n);
int text_tree_end(struct faces_walk *k, const struct faces_row *row);

/* What writers of text share; rows and their heads (@kind_table, _row, _cell, _below) are theirs. */
#define TEXT_WRITER(kind)                                                                 \
	.reader = FACES_PEOPLE, .state_size = sizeof(struct text), .begin = text_begin,   \
	.begin_rows = text_begin_rows, .event = text_event, .table = kind##_table,        \
	.row = kind##_row, .cell = kind##_cell, .below = kind##_below, .tree = text_tree, \
	.node = text_node, .node_end = text_node_end, .tree_end = text_tree_end,          \
	.table_end = text_table_end, .tail = text_tail, .total = text_total,              \
	.release = text_release

/* diff.c: what f->lines is told by those that print comparisons, before the line is printed. */
void faces_heads_begin(const struct faces_diff *f, const struct obuf *out);
void faces_line_begins(const struct faces_diff *f, uint32_t depth, bool chance, struct obuf *out);

#endif
