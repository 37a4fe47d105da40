/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outline: which line of a list that folds is what. Lines are children of nodes, by number; only
 * lines that are unfolded have a node of their own, so a list of millions costs nothing before
 * somebody unfolds something, and then as much as is unfolded.
 *
 *	outline_init(&o, nr_rows);
 *	at = outline_find(&o, line);			who is at this line of the screen?
 *	n = outline_open(&o, at.up, at.no, nr, what);	unfold it: nr lines more
 *	outline_close(&o, n);				and fold it
 *
 * Nodes point to the root, so a struct outline stays where it was made. What a node stands for is its owner's (`what`): release() gives it back. Finding takes the logarithm of
 * what is unfolded, for each level. 0 or -ENOMEM; one thread.
 */
#ifndef PERF_TUI_OUTLINE_INT_H
#define PERF_TUI_OUTLINE_INT_H

#include "base/base.h"
#include "base/tables.h"

struct outline_node;

/* A child that is unfolded. */
struct outline_kid {
	struct outline_node *node;
	uint64_t before; /* lines below the unfolded children in front of it */
};

struct outline_node {
	struct outline_node *up;      /* NULL: the root */
	uint64_t no;		      /* which of its children */
	uint64_t nr;		      /* children */
	uint64_t lines;		      /* below it: children, and what is below these */
	VEC(struct outline_kid) kids; /* ascending */
	size_t counted;		      /* of these: `before` is right */
	unsigned depth;
	void *what;
};

struct outline {
	struct outline_node root;
	void (*release)(void *what); /* NULL: nothing to give back */
};

/* A line: child @no of @up; @node when it is unfolded. */
struct outline_at {
	struct outline_node *up, *node;
	uint64_t no;
};

void outline_init(struct outline *o, uint64_t nr, void (*release)(void *what));
void outline_free(struct outline *o);
static inline uint64_t outline_lines(const struct outline *o)
{
	return o->root.lines;
}
/* @line is below outline_lines(). */
struct outline_at outline_find(struct outline *o, uint64_t line);
/* The line that child @no of @up is at. */
uint64_t outline_line(struct outline_node *up, uint64_t no);
/* The line of the last child that is on or before @no's unfolded lines. */
struct outline_node *outline_open(struct outline *o, struct outline_node *up, uint64_t no,
				  uint64_t nr, void *what);
void outline_close(struct outline *o, struct outline_node *n);

#endif
