/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf diff: recordings side by side. diff-read.c counts each recording, in a session of its own, small ones at the same
 * time; diff-show.c shows what was compared: as text, as numbers, in the browser, in a page.
 */
#ifndef PERF_DIFF_H
#define PERF_DIFF_H

#include "brflow/brflow.h"
#include "cli/cli.h"
#include "emit/emit.h"
#include "faces/faces.h"
#include "files.h"
#include "session/session.h"
#include "tui/tui.h"

/* What is counted: of text and numbers one, of the browser and the page any of them beside rows. */
#define DIFF_ROWS   1u
#define DIFF_TREE   2u
#define DIFF_BLOCKS 4u

struct diff_opts {
	struct session_opts session;
	const char *sort, *compute, *separator, *percentage, *html;
	uint64_t order;
	bool baseline_only, period, formula, noise, significant, json, csv, tui, quiet;
	bool cycles;	 /* of blocks */
	bool tree;	 /* of calls */
	double tree_min; /* percent */
	int verbose;
	struct tui_opts look;
	unsigned what;
};

/* A recording: what is counted of it, NULL where that is not wanted. */
struct side {
	const struct diff_opts *o;
	struct session *session;
	size_t at; /* among the files */
	struct keys_opts keys, tree_keys;
	struct table *rows, *rich, *tree; /* the tree's is derived from the rich one */
	struct brflow *flow;
	struct view *row_view, *tree_view;
	bool misused; /* the keys of -s mean nothing */
};

/* @s, zeroed: counts nothing so far. Then side_free(), after errors too. */
int side_start(struct side *s, const struct diff_opts *o, size_t at, struct session *session,
	       struct err *e);
int side_read(struct side *s, struct err *e);
void side_free(struct side *s);
const struct perfdata_event *side_event(const struct side *s, size_t i);
size_t side_nr_events(const struct side *s);
/* An event is the same in another recording where it is called the same, or else counts the same; NULL = none. */
const struct perfdata_event *side_event_like(const struct side *s, const struct perfdata_event *ev);

/* An event of the first file. */
struct answer {
	struct view_compare *rows;
	struct view_forest *tree;
};

struct comparison {
	const struct diff_opts *o;
	struct faces_diff f;
	struct session_opts so; /* of the first, and what the others have of them */
	struct side first;	/* once all was read, its session alone */
	size_t nr_started;
	bool misused;
	struct cli_progress progress;
	struct answer *events; /* by the first one's */
	struct faces_blocks *blocks;
	VEC(char *) notes; /* told at the end */
	VEC(struct err) damage;
	struct obuf out;
	struct emit json;
	bool as_json; /* in a page, too */
	struct tui *tui;
};

/* All was read. */
int comparison_show(struct comparison *d, struct err *e);

#endif
