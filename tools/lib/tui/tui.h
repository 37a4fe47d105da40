/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tui: what looks at an answer of report or annotate in a terminal, with keys.
 *
 * Three things are kept apart. What is shown is data of other rooms (a view, a listing) and knows no
 * terminal. Browsers paint it into a grid of cells, struct tui_screen, in roles instead of colours, and
 * react to keys (tui-int.h). A terminal shows a grid and gives bytes: the real one, through S-Lang, is
 * terminal.c; tests have one of their own, so that whole screens are compared without any.
 *
 * A command does
 *
 *	if (tui_open(&t, &opts, &err))
 *		... print text instead, or say why
 *	... read, with tui_progress() called now and then
 *	ret = tui_report(t, ...);	a browser, until it is left
 *	tui_close(t);
 *
 * One struct tui at a time, for one thread: the terminal is the process's, and so are the signals that
 * have to do with it. From tui_open() to tui_close() nobody else may write to stdout or stderr:
 * warnings go to tui_log(). However the process ends in between, a crash included, the terminal is
 * put back; the signal then does what it would have done.
 */
#ifndef PERF_TUI_H
#define PERF_TUI_H

#include "annotate/annotate.h"
#include "base/base.h"
#include "brflow/brflow.h"
#include "cli/cli.h"
#include "faces/faces.h"

struct tui;

/* What of a screen has a colour of its own; colors.NAME in perfconfig, see tui_set_color(). */
enum tui_role {
	TUI_NORMAL,
	TUI_TOP,	 /* a share of 5 % and more */
	TUI_MEDIUM,	 /* 0.5 % and more */
	TUI_SELECTED,	 /* the row under the cursor */
	TUI_JUMP_ARROWS, /* lines that lead somewhere */
	TUI_ADDR,	 /* addresses, line numbers */
	TUI_ROOT,	 /* first and last line */
	TUI_HEAD,	 /* heads of columns */
	TUI_DIM,	 /* what matters less */
	TUI_MATCH,	 /* what a search found */
	TUI_MENU,	 /* pop-ups */
	TUI_WARN,	 /* what should not be missed */
	TUI_BAR,	 /* scroll bars, sparklines */
	TUI_ROLES
};

#define TUI_COLOR_MAX 32 /* "brightmagenta", "#rrggbb" */

struct tui_opts {
	/* Foreground and background by role; empty = the role's own. */
	struct {
		char fg[TUI_COLOR_MAX], bg[TUI_COLOR_MAX];
	} color[TUI_ROLES];
	bool no_color; /* as NO_COLOR */
	bool ascii;    /* lines of - | + though the terminal knows better */
	bool mouse; /* wheel and clicks come to us; the terminal then marks text with Shift only */
};

/* --tui-color and the like, for OPT_INCLUDE() of a struct tui_opts. */
extern const struct option tui_options[];

/* colors.@name = @value of perfconfig, as "red, default". -ENOENT: no such name; -EINVAL with @e. */
int tui_set_color(struct tui_opts *o, const char *name, const char *value, struct err *e);

/*
 * Takes the terminal over. @e says why not: -ENOSYS built without S-Lang, -ENOTTY stdout is no
 * terminal, -ENODEV TERM is unknown or such a terminal cannot move its cursor. @opts NULL: all zero.
 */
int tui_open(struct tui **t, const struct tui_opts *opts, struct err *e);
/* Gives it back. Frees; @t may be NULL. */
void tui_close(struct tui *t);

/* ---- reading ---------------------------------------------------------------------------------- */

/*
 * While something is read: shows how far it is (@total 0 = nobody knows), at most every 50 ms. True
 * from when the user pressed q: stop, and show what there is. Cheap enough for every few records.
 */
bool tui_progress(struct tui *t, const char *what, uint64_t done, uint64_t total);
/* A part of what is read would mean nothing: no key stops that, and none is named. */
void tui_read_all(struct tui *t);

/* ---- perf annotate ---------------------------------------------------------------------------- */

/* How perf annotate's options have it; keys change it. */
struct tui_annotate_opts {
	struct listing_opts listing;
	enum listing_percent percent;
	bool samples, periods; /* instead of percentages */
	bool simd;	       /* columns of vectors, where they were counted */
	bool partial;	       /* reading was broken off */
	bool bytes;	       /* of instructions, before their text */
	double min_percent;    /* functions below this share of the events are left out */
};

/*
 * The instructions of @sym, and from there of all that it calls, until it is left; where the code is
 * not to be had, a window with the reason. True when the user wants the program to end.
 */
bool tui_annotate(struct tui *t, const struct annotate *a, const struct tui_annotate_opts *opts,
		  struct dso *dso, const struct symbol *sym);

/* ---- perf report ------------------------------------------------------------------------------ */

struct faces;

struct tui_report {
	const struct faces *f;	   /* but for t and v: tables and views are the browser's own */
	const struct table *rich;  /* finished: all that is shown is derived from it, by f->po */
	const struct table *first; /* that, if it is there already; else NULL */
	const struct annotate *a;  /* finished, of the same reading; NULL = no instructions */
	struct tui_annotate_opts annotate;
	struct brflow *flow; /* finished when it is listed; NULL = no stacks of branches */
	uint32_t path_len;   /* branches in a path of it */
	bool simd;	     /* there are vector registers: rich counts their state */
	bool partial;	     /* reading was broken off */
	/* Another recording's, which rows are compared with: as rich and f->po; NULL = none. */
	const struct table *before, *before_first;
	const struct keys_opts *before_po;
	const char *before_name;
	char *next; /* a file that the user went to is written here; "" = none */
	size_t next_size;
};

/* The browser, until it is left. */
int tui_report(struct tui *t, const struct tui_report *in, struct err *e);

struct tui_flow {
	const struct brflow *flow; /* finished */
	struct resolver *res;
	uint32_t path_len;	  /* branches in a path; 0 = blocks are listed */
	const struct annotate *a; /* finished; what was counted at the instructions */
	struct tui_annotate_opts opts;
	const char *note; /* behind the head line; NULL = nothing */
};

/* Blocks by cycles or paths by how often they were taken, each to be opened. As tui_annotate(). */
bool tui_flow(struct tui *t, const struct tui_flow *in);

struct tui_answers {
	struct faces f;		  /* stat, finished, and what faces_list() needs beside it */
	unsigned what;		  /* whose tables: enum brstat_what */
	const struct annotate *a; /* finished; with the same answers beside instructions */
	struct tui_annotate_opts opts;
};

/* The tables of report --branches or --profile-quality as lists. As tui_annotate(). */
bool tui_answers(struct tui *t, const struct tui_answers *in);

/* ---- perf diff -------------------------------------------------------------------------------- */

struct faces_lines;

/* A comparison as perf diff prints it: its text, with a zero behind it, and where its lines are. */
struct tui_diff_table {
	const char *name; /* what is compared: the event, and rows, call tree or blocks */
	const char *text;
	const struct faces_lines *lines;
};

struct tui_diff {
	const char *const *files; /* the first is what the others are compared with */
	size_t nr_files;
	const struct tui_diff_table *tables; /* one at least */
	size_t nr_tables;
};

/* The tables, one at a time, until they are left. */
int tui_diff(struct tui *t, const struct tui_diff *in, struct err *e);

/* Where libraries tell what is worth a line: shown in the last one, and kept. From any thread, beside tui_progress(). */
struct log_sink tui_log(struct tui *t);
/* The @i-th line so told, from 0; NULL = that was all. For stderr, after the browser. */
const char *tui_logged(const struct tui *t, size_t i);

#endif
