/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf record: what was typed, and how it becomes the options of a recording. */
#ifndef PERF_RECORD_H
#define PERF_RECORD_H

#include "builtin.h"
#include "data.h"
#include "recorder/recorder.h"

/* record-push.c: what --push made of the options, and the process that pushes. */
struct record_push {
	const char *url, *every;
	struct data_opts data;
	struct net_target target;
	struct net_spool *spool;
	uint64_t limit;	 /* of the spool */
	uint64_t last_s; /* how long it is tried at the end */
	char output[4200];
	int lock, bell; /* descriptors */
	pid_t pid;
};

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
	const char *reg_source, *branch_source, *branch_budget, *branch_depth, *branch_span,
		*branch_strategy, *branch_trace, *reg_budget;
	bool system_wide, has_cgroup, timestamp_filename, quiet, freq_given, branch_any, g_given;
	int verbose;
	struct record_push push;
	struct callchain_opts default_callchain; /* what -g means, by settings */
};

/* record-prepare.c: 0 or -errno; -EINVAL are words that are wrong. */
int record_prepare(struct record_opts *o, struct err *e);

/* record-guard.c: goes on in a child, whose status the guard takes; the recording watches it. */
int record_guard(struct recorder *rec, struct err *e);

int record_push_prepare(struct record_opts *o, struct err *e); /* as record_prepare() */
/* Starts the process that pushes; before events are opened, so that it is none of what is watched. */
int record_push_start(struct record_opts *o, struct err *e);
/* No recording comes any more: waits until the last is pushed. True: something waits in the spool. */
bool record_push_end(struct record_opts *o);
void record_push_free(struct record_opts *o);

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
