/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `perf report` share. */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include "code.h"
#include "compat.h"
#include "faces/faces.h"
#include "files.h"
#include "net/net.h"
#include "session/session.h"
#include "tui/tui.h"

enum report_ui { REPORT_AUTO, REPORT_TEXT, REPORT_TUI };

/* report-from.c: what an engine is asked for. */
struct report_from_opts {
	const char *url, *where;
	struct net_opts net;
};

struct report_opts {
	struct session_opts session;
	struct report_from_opts from;
	struct session_files_opts several;
	const char *sort, *fields, *separator, *widths, *percentage, *quantum;
	const char *symbol_filter, *parent, *ignore_callees;
	bool show_samples, show_period, show_threads, show_modes, group, hide_unresolved,
		exclude_other;
	bool redact, simd, numbers, idle, dirty, apx, shadow, mem, hierarchy;
	const char *values; /* of this register */
	bool header, header_only, full_info, stats, tasks, mmaps, dump, json;
	bool children, children_given, quiet;
	bool branch, history, no_branch, nsec, branch_stats;
	bool skip_empty, dot, csv, total_cycles, quality;
	enum report_ui ui;
	const char *ignored;
	const char *html; /* a file */
	int verbose;
	uint64_t hot_paths, group_sort;
	uint64_t pieces; /* samples in each; 0 = all in one table */
	bool apart;	 /* each is read in a session of its own */
	bool derive;	 /* counted in a rich table, of which the one that is shown is made */
	bool threads, raw_trace, no_order;
	const char *socket, *parallelism;
	bool latency;
	const char *color;
	const char *diff;
	const char *branches; /* what is asked of branch stacks */
	bool chain_given, chain_none, inverted;
	struct chain_opts chain;
	double min_percent; /* --percent-limit */
	bool limited;	    /* that was given */
	struct tui_opts look;
	struct code_opts code;
};

struct report_piece {
	struct table *t;
	struct brflow *flow;
	struct brstat *stat;
};

struct report {
	const struct command *cmd;
	struct report_opts o;
	struct session *session;
	struct session_files *files; /* all recordings; the session is of the first */
	double scale;		     /* of periods */
	struct cli_progress progress;
	struct perfdata *pd; /* the session's, as the next two */
	struct machine *m;
	struct resolver *res;
	struct table *t;
	struct table *rich;	     /* that t was derived from; NULL = it was read */
	struct derive *ahead;	     /* t, while rich is read; NULL = not yet, or it cannot be */
	struct view *v;		     /* of p, once all is read */
	struct report_piece *pieces; /* before p */
	size_t nr_pieces;
	uint64_t nr_taken; /* samples */
	int columns; /* of the terminal that text goes to, through a pager perhaps; 0 = none */
	struct brflow *flow;   /* --total-cycles, --hot-paths, in a browser; else NULL */
	struct brstat *stat;   /* --branches; else NULL */
	bool stat_stacks;      /* there are branch stacks for it */
	unsigned stat_what;    /* of stat: enum brstat_what */
	uint32_t path_len;     /* of flow: branches in a path; 0 = none */
	bool blocks;	       /* of flow */
	bool counts_code;      /* in a terminal */
	struct annotate *code; /* if so; else NULL */
	struct tui_annotate_opts code_opts;
	struct keys_opts po;
	struct obuf out;
	struct arena args;
	struct faces_threads *threads; /* -T; NULL = nothing counted */
	int64_t socket;		       /* --socket-filter; -1 = all */
	uint64_t need;		       /* PERF_SAMPLE_*: beside what the profile looks at */
	bool usage;		       /* what failed is the command line */
	bool color;		       /* shares have colours */
	struct tui *tui;	       /* NULL: text */
	struct report *before;	       /* --diff: the other one, counted; else NULL */
	bool stopped;		       /* reading, by the user */
	bool vectors;		       /* the recording has vector registers */
	char next[256];		       /* the recording that is looked at next; "" = none */
};

/* ---- the command line (report-options.c) ------------------------------------------------------------ */

extern const struct option report_options[];
/* What the table cannot say: words of @argv are put together or taken out. 0 or -ENOMEM. */
int report_prepare_args(struct report *r, int *argc, char **argv);
/* -s help, -F help: prints the keys. */
bool report_help_keys(const struct report_opts *o);
int report_setup_options(struct report *r, struct err *e);
/* report-mode.c: rows of what? Once the events are known. */
int report_choose_mode(struct report *r, struct err *e);
/* Columns of what is in them are asked for. */
/* Of samples, not of branches. */
bool report_reads_registers(const struct report_opts *o);
/* What of it is said of instructions, too: of enum keys_mark. */
unsigned report_marks(const struct report_opts *o);
/* Whether the recording has what options about registers ask of it. */
int report_check_registers(struct report *r, struct err *e);
bool report_reads_vectors(const struct report_opts *o);
/* What r->flow is to count; nothing: there is none. */
void report_choose_flow(struct report *r);

/* report-flow.c: blocks or paths as a list in the terminal, once r->code has counted. */
bool report_lists_flow(const struct report *r);
/* 1: it was shown; 0: there is no terminal, and nobody insists; or an error, of --tui. */
int report_show_flow(struct report *r, struct err *e);

/* report-branches.c: what --branches names; 0 or -EINVAL. */
int report_read_branches(struct report *r, struct err *e);
/* Once the events are known: whether it can be, and with which rows beside it. */
int report_choose_branches(struct report *r, uint64_t type, struct err *e);
/* r->stat, once more. */
int report_start_branches(struct report *r, struct err *e);
/* Of r->code: counted beside instructions. */
int report_branches_at_code(struct report *r, struct err *e);

/* report-browse.c: whether there is to be a browser. */
bool report_wants_browser(const struct report *r);
/* r->tui; where it cannot be and nobody insists, none and no error. */
int report_open_browser(struct report *r, struct err *e);
void report_close_browser(struct report *r);
/* All is read: what the browser looks at. */
int report_finish_browser(struct report *r, struct err *e);
void report_free_before(struct report *r);
/* Until it is left. */
int report_browse(struct report *r, const struct faces *f, struct err *e);
/* For the session: on the screen that there is. */
void report_log(void *ctx, enum log_level level, const char *text);
bool report_progress(void *ctx, uint64_t done, uint64_t total);
/* report-html.c: all of it as one page, into r->o.html. */
extern const struct option report_from_options[]; /* of struct report_from_opts */
/* --from: all of it, *@taken; @argc words that are no options. CLI status. */
int report_from(struct report *r, int argc, bool *taken);
int report_files(struct report *r, int argc, char **argv); /* the files' report */
int report_html(struct report *r, struct err *e);

/* What counts samples, once more. */
int report_start_counting(struct report *r, struct err *e);
/* Groups of events are columns of one table. */
int report_set_groups(struct report *r, struct err *e);
/* Counts what the session reads; @at_end: the consumer's finish(). */
int report_read(struct report *r, int (*at_end)(void *ctx, struct err *e), struct err *e);
/*
 * report-pieces.c: the options of a rich table that one with @o can be made of, whatever it leaves out,
 * @vectors: and one with columns of SIMD state;
 * and the table that is shown, out of the rich one: a part after each DERIVE_EACH samples, and all once
 * that is finished.
 */
#define DERIVE_EACH 256
struct keys_opts report_rich_opts(const struct keys_opts *o, bool vectors);
int report_derive_more(struct report *r, struct err *e);
int report_derive(struct report *r, struct err *e);
/* What has been counted is put aside; at the end all is added up. */
int report_next_piece(struct report *r, struct err *e);
int report_join_pieces(struct report *r, struct err *e);
/* A report of its own session, told by its options: counted, not finished. */
int report_count_apart(struct report *piece, struct err *e);
/* Counts the samples of piece->session, which is another one than that @piece was copied from. */
int report_start_apart(struct report *piece, struct err *e);
int report_add_apart(struct report *r, struct report *piece, struct err *e);
void report_free_member(void *piece); /* what it counted */
/* --apart: what follows the first piece is read and added, when that was read. */
int report_read_apart(struct report *r, struct err *e);
/* Reads r->session by as many threads as it is to be, each with counters of its own; *r has them all then. */
int report_read_team(struct report *r, const struct session_consumer *c, struct err *e);
void report_free_pieces(struct report *r);
/* report-files.c: -EINVAL where several recordings have not what is asked for. */
int report_check_files(struct report *r, struct err *e);
/* What the other recordings count, to what @r counted of the first. */
int report_read_files(struct report *r, struct err *e);

#endif
