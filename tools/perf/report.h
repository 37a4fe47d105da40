/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `perf report` share. */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include "compat.h"
#include "emit/emit.h"
#include "profile/brflow.h"
#include "profile/profile.h"

struct report_opts {
	const char *input, *sort, *fields, *separator, *widths, *percentage, *time, *cpus;
	const char *vmlinux, *kallsyms, *symfs, *symbol_filter, *parent, *ignore_callees;
	const char *comms, *dsos, *symbols, *pids, *tids, *quantum;
	bool show_samples, show_period, show_modes, group, hide_unresolved, exclude_other;
	bool redact, simd, mem, hierarchy;
	bool header, header_only, full_info, stats, tasks, mmaps, dump, json;
	bool children, children_given, no_demangle, demangle_kernel, no_inline, force, quiet;
	bool branch, history, no_branch, stitch_lbr, nsec, branch_stats;
	bool ignore_vmlinux, stdio, skip_empty, dot, total_cycles;
	const char *ignored;
	int verbose;
	uint64_t max_stack, hot_paths, group_sort;
	bool threads, raw_trace, full_paths, no_order, symfs_flat, no_limits;
	const char *socket, *debuginfod, *parallelism;
	bool latency;
	const char *color;
	struct event_switch sw;
	bool chain_given, chain_none, inverted;
	struct chain_opts chain;
	double min_percent; /* --percent-limit */
};

struct report {
	const struct command *cmd;
	struct report_opts o;
	struct perfdata *pd;
	struct cli_progress progress;
	struct perfdata_ahead *ahead; /* NULL: records are read as they are used */
	struct machine *m;
	struct resolver *res;
	struct unwind *u;
	struct profile *p;
	struct brflow *flow; /* --total-cycles, --hot-paths; else NULL */
	struct profile_opts po;
	struct obuf out;
	struct arena args;
	uint64_t lost_samples, lost_events, lost_chunks, nr_samples;
	uint64_t bad_samples;
	struct time_spans times;
	struct sample_totals totals; /* of groups' counters */
	struct bits cpus;
	struct report_threads *threads; /* -T; NULL = nothing counted */
	int64_t running;		/* threads, by the switches seen so far */
	int64_t socket;			/* --socket-filter; -1 = all */
	uint64_t need;			/* PERF_SAMPLE_*: beside what the profile looks at */
	bool has_cpus;
	bool usage; /* what failed is the command line */
	bool color; /* shares have colours */
	struct err first_bad;
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

/* ---- the report -------------------------------------------------------------------------------------- */

/* Tables and call graphs as text; headings and tips too. */
int report_text(struct report *r);
/* Its table with rows below rows: report-nest.c. */
int report_nest(struct report *r, uint32_t event);
/* --percent-limit leaves the row out. */
static inline bool report_is_small(const struct report *r, const struct profile_row *row)
{
	return r->o.min_percent > 0 && profile_percent(r->p, row) < r->o.min_percent;
}

/* "\033[31m" for a large share, "\033[32m" for one that matters, else NULL: upstream's limits. */
const char *report_color(const struct report *r, double percent);
/* A cell, with its colour. */
void report_put_cell(struct report *r, const struct profile_row *row, const struct profile_col *c);
/* What stands between two columns. */
void report_put_separator(struct report *r, bool first);
int report_json(struct report *r);
int report_dot(struct report *r);
/* Blocks and chains of branches, in place of the table: report-flow.c. */
int report_flow_start(struct report *r, struct err *e);
int report_flow(struct report *r);
/* -T: counts of threads. */
int report_threads_add(struct report *r, const struct record *rec, struct err *e);
void report_threads(struct report *r);
void report_threads_free(struct report_threads *t);
/* --tasks and --mmaps: processes as a tree. */
int report_tasks(struct report *r);

/* ---- records as they are (report-dump.c) -------------------------------------------------------- */

/* @redact: register values are not shown. */
int report_dump(struct perfdata *pd, struct obuf *o, bool redact, struct err *e);
int report_stats(struct perfdata *pd, struct obuf *o, struct err *e);

#endif
