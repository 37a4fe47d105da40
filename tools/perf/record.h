/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf record: what was typed, and how it becomes the options of a recording. */
#ifndef PERF_RECORD_H
#define PERF_RECORD_H

#include "builtin.h"
#include "recorder/recorder.h"

/*
 * As typed, beside what needs no more than its type and is in @r at once. Strings live in argv;
 * record_prepare() takes them apart when all of them are known.
 */
struct record_opts {
	struct recorder_opts r;
	struct event_list events; /* parsed where they stand: --filter knows what is before it */
	struct capture_target target;
	struct cli_list pids, tids, users, cpus;
	const char *clock, *ring, *compress, *max_size, *mmap_flush, *aio, *switch_output;
	const char *reg_source, *branch_source, *branch_budget, *branch_span, *branch_strategy,
		*reg_budget;
	bool system_wide, has_cgroup, timestamp_filename, quiet, freq_given, branch_any, g_given;
	int verbose;
	struct callchain_opts default_callchain; /* what -g means, by settings */
};

/* record-prepare.c: 0 or -errno; -EINVAL are words that are wrong. */
int record_prepare(struct record_opts *o, struct err *e);

/* record-guard.c: goes on in a child, whose status the guard takes; the recording watches it. */
int record_guard(struct recorder *rec, struct err *e);

/* record-options.c */
extern const struct option record_options[];

/* record-accept.c: option callbacks for what other perfs have */
int record_accept(void *p, const struct option *opt, const char *arg, bool unset, struct err *e);
int record_accept_number(void *p, const struct option *opt, const char *arg, bool unset,
			 struct err *e);
int record_accept_affinity(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e);
int record_refuse(void *p, const struct option *opt, const char *arg, bool unset, struct err *e);

#endif
