/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `perf annotate` share. */
#ifndef PERF_ANNOTATE_CMD_H
#define PERF_ANNOTATE_CMD_H

#include "annotate/annotate.h"
#include "code.h"
#include "compat.h"
#include "faces/faces.h"
#include "files.h"
#include "session/session.h"
#include "tui/tui.h"

struct annotate_cmd_opts {
	struct session_opts session;
	struct session_files_opts several;
	const char *symbol;   /* -s; NULL = every function */
	const char *reg;      /* whose values are counted; NULL = of none */
	const char *values;   /* likewise, as report --values counts them */
	const char *branches; /* what is asked of branch stacks; NULL = nothing */
	const char *color;
	struct code_opts code;
	bool tui, stdio, stdio2, json, dump, quiet;
	bool asm_raw, print_line, full_paths, loops;
	bool simd;				/* registers are counted */
	bool numbers, idle, dirty, apx, shadow; /* what accumulators say */
	bool show_samples, show_period, group, skip_missing;
	uint64_t pieces;    /* samples in each; 0 = all at once */
	bool apart;	    /* pieces have sessions of their own */
	double min_percent; /* functions below this are left out */
	int verbose;
	struct tui_opts look;
};

/* What was told on stderr: nothing twice. */
struct annotate_cmd_said {
	bool *dso; /* by dso->idx: that its code is missing */
	uint32_t nr_dsos;
	struct intern texts;
	size_t nr_notes, nr_quiet_notes;
};

struct annotate_cmd {
	struct annotate_cmd_opts o;
	struct session *session;
	struct session_files files; /* all recordings; the session is of the first */
	struct perfdata *pd;
	struct annotate *a;
	struct listing_opts listing;
	const struct faces_listing_writer *writer;
	struct faces_listings out;
	struct obuf text;
	struct cli_progress progress;
	struct tui *tui; /* NULL = text */
	struct annotate_cmd_said said;
	size_t nr_shown, nr_missing;
	unsigned stat_what; /* o.branches: enum brstat_what */
	bool usage;	    /* what failed is the command line */
	bool stopped;	    /* reading was broken off, in the browser */
};

extern const struct option annotate_cmd_options[];
/* Options that exclude each other, words with a meaning: 0 or -EINVAL, and what they say of instructions. */
int annotate_cmd_check(const struct annotate_cmd_opts *o, struct tui_annotate_opts *out,
		       struct err *e);

/*
 * Writes, or browses, what was counted: the functions that were asked for. -ENOENT where there are none,
 * which is no reason not to tell what the session has to warn of.
 */
int annotate_cmd_show(struct annotate_cmd *c, struct err *e);

#endif
