/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `perf report` share. */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include "compat.h"
#include "faces/faces.h"

struct report_opts {
	const char *input, *sort, *fields, *separator, *widths, *percentage, *time, *cpus;
	const char *vmlinux, *kallsyms, *symfs, *symbol_filter, *parent, *ignore_callees;
	const char *comms, *dsos, *symbols, *pids, *tids, *quantum;
	bool show_samples, show_period, show_threads, show_modes, group, hide_unresolved, exclude_other;
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
	struct faces_threads *threads; /* -T; NULL = nothing counted */
	int64_t running;	       /* threads, by the switches seen so far */
	int64_t socket;		       /* --socket-filter; -1 = all */
	uint64_t need;		       /* PERF_SAMPLE_*: beside what the profile looks at */
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

/* ---- records as they are (report-dump.c) -------------------------------------------------------- */

/* @redact: register values are not shown. */
int report_dump(struct perfdata *pd, struct obuf *o, bool redact, struct err *e);
int report_stats(struct perfdata *pd, struct obuf *o, struct err *e);

#endif
