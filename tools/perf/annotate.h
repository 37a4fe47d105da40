/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `perf annotate` share. */
#ifndef PERF_ANNOTATE_CMD_H
#define PERF_ANNOTATE_CMD_H

#include "annotate/annotate.h"
#include "compat.h"
#include "session/session.h"
#include "tui/tui.h"

struct annotate_cmd_opts {
	struct session_opts session;
	const char *symbol; /* -s; NULL = every function */
	const char *reg;    /* whose values are counted; NULL = of none */
	const char *color, *syntax, *percent_type, *prefix, *prefix_strip;
	bool tui, stdio, stdio2, json, dump, quiet;
	bool source, asm_raw, print_line, full_paths, loops;
	bool simd; /* registers are counted */
	bool show_samples, show_period, group, skip_missing;
	double min_percent; /* functions below this are left out */
	int verbose;
	struct tui_opts look;
};

extern const struct option annotate_cmd_options[];
/*
 * Options that exclude each other, words with a meaning: 0 or -EINVAL. What shares are of goes to
 * @percent.
 */
int annotate_cmd_check(const struct annotate_cmd_opts *o, enum listing_percent *percent,
		       struct err *e);

#endif
