/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of perf data share. */
#ifndef PERF_DATA_H
#define PERF_DATA_H

#include "cli/cli.h"
#include "convert/convert.h"

struct data_opts {
	const char *input, *to, *to_json, *output, *time;
	struct cli_list binaries;
	bool check, force, no_inline, no_limits, json, all;
	int verbose;
};

struct data_ctx {
	const struct data_opts *o;
	int format; /* index into the table of formats */
	struct perfdata *pd;
	struct machine *m;
	struct convert *c;
	bool *chosen; /* of the objects of c */
	size_t nr_chosen;
	struct time_spans times; /* of samples that count; empty = all */
	uint64_t bad_samples;
	struct cli_progress progress;
};

/* @path NULL or "-": stdout. */
int data_open_output(const char *path, struct obuf *o, struct err *err);
int data_close_output(const char *path, struct obuf *o, struct err *err);
/* --to folded, --to json: samples, one by one. */
int data_samples(struct data_ctx *d, bool json, struct err *err);

#endif
