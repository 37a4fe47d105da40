/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report browser's model: what stands in which line, and what a line says. No terminal here.
 *
 * Lines are a view's rows, rows of --hierarchy below rows, and frames of call trees. What is
 * unfolded is known by identity (the texts of the keys and frames down to it), so that it is
 * unfolded again in the next view, which has other numbers for the same things.
 *
 *	browse_rows_init(&r, view, event, &opts, min_percent);
 *	for each line of the screen:	browse_line(&r, i, &line);
 *	browse_open(&r, i);
 *
 * 0 or -ENOMEM; one thread. The view outlives the rows.
 */
#ifndef PERF_TUI_BROWSE_INT_H
#define PERF_TUI_BROWSE_INT_H

#include "outline-int.h"
#include "view/view.h"

#define BROWSE_MAX_OPEN 1000000 /* lines that "unfold all" may add */

/* Identities of what is unfolded. */
struct browse_ids {
	VEC(uint64_t) v;
	struct htab tab;
};

int browse_ids_add(struct browse_ids *s, uint64_t id);
bool browse_ids_has(const struct browse_ids *s, uint64_t id);
void browse_ids_drop(struct browse_ids *s, uint64_t id);
void browse_ids_free(struct browse_ids *s);

struct browse_rows {
	struct view *v;
	const struct keys_opts *o; /* the view's */
	uint32_t event;
	double min_percent;
	bool verbose; /* frames with their object */
	struct outline lines;
	uint32_t *top; /* by line: rows of the first level, in the view's order */
	uint32_t *end; /* by row, levels: the first one that is not below it */
	struct browse_ids open;
	struct obuf text; /* scratch */
};

enum browse_kind { BROWSE_ROW, BROWSE_FRAME, BROWSE_NO_ENTRY };

struct browse_line {
	struct outline_at at;
	enum browse_kind kind;
	const struct keys_row *row; /* also of a frame: the one it is below */
	unsigned level;		    /* of --hierarchy */
	const struct call_node *node;
	uint32_t frame; /* which of the node's */
	unsigned depth; /* of the node: 1 = below the row */
	bool foldable, open;
	bool share;	/* a frame: its share stands in front */
	double percent; /* of the event, or for fractal trees of what is above */
};

int browse_rows_init(struct browse_rows *r, struct view *v, uint32_t event,
		     const struct keys_opts *o, double min_percent);
/* Of the first level @row alone, NULL = nothing. */
int browse_rows_only(struct browse_rows *r, const struct keys_row *row);
void browse_rows_free(struct browse_rows *r);
static inline uint64_t browse_nr(const struct browse_rows *r)
{
	return outline_lines(&r->lines);
}

void browse_line(struct browse_rows *r, uint64_t i, struct browse_line *l);
/* What a line is, whatever view it stands in. */
uint64_t browse_id(struct browse_rows *r, const struct browse_line *l);
/* Unfolds (and what was unfolded below it before), folds; nothing when it cannot. */
int browse_open(struct browse_rows *r, uint64_t i);
void browse_close(struct browse_rows *r, uint64_t i);
/* Everything, from the top down until BROWSE_MAX_OPEN lines are more: then *all is false. */
int browse_open_all(struct browse_rows *r, bool *all);
void browse_close_all(struct browse_rows *r);
/* Unfolds what was unfolded in @ids, among the first rows. */
int browse_reopen(struct browse_rows *r, const struct browse_ids *ids);
/* The line with this identity: of a row on the first level, or below what is unfolded; -1: none. */
int64_t browse_find(struct browse_rows *r, uint64_t id);
/* The line that @i's line is below; @i when there is none. */
uint64_t browse_up(struct browse_rows *r, uint64_t i);

/* ---- text ------------------------------------------------------------------------------------ */

/* What the line is, in full. */
void browse_full_text(struct browse_rows *r, const struct browse_line *l, struct obuf *o);
/* A key's text of the row, without padding. */
void browse_key_text(const struct view *v, const struct keys_row *row, const struct keys_col *c,
		     struct obuf *o);

#endif
