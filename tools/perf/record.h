/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of perf record share: its options and one recording. */
#ifndef PERF_RECORD_H
#define PERF_RECORD_H

#include "builtin.h"
#include "capture/capture.h"
#include "perfdata/perfdata.h"
#include "tracer/tracer.h"

/* One of -I and --user-regs: what was asked for and what opens here. */
struct record_regs {
	struct regs_selection sel;
	struct regs_caps caps;
	bool probed;
};

/* As typed; strings live in argv. */
struct record_opts {
	struct cli_list pids, tids, users, cpus;
	const char *output, *control, *clock, *ring, *compress, *max_size, *mmap_flush, *aio;
	bool system_wide, no_inherit, per_thread, stat, no_time, timestamp, period, no_period, data,
		phys_data, data_page_size, code_page_size, weight, raw, sample_cpu, all_user,
		all_kernel, kernel_callchains, user_callchains, no_buildid, no_buildid_cache,
		buildid_all, no_buildid_mmap, switch_events, namespaces, all_cgroups, dry_run,
		quiet, no_samples, strict_freq, group, no_freq_given;
	int verbose;
	int64_t delay; /* ms; -1 = only --control starts it */
	uint64_t freq, count;
	bool freq_given, freq_max;
	struct callchain_opts callchain;
	bool branch_any;
	uint64_t branch_filter;
	/* Registers (-I, --user-regs): set by their option callbacks, used by record_config(). */
	const struct regs_selection *intr_regs, *user_regs;
	/* Why the kernel does not give the user registers; code 0 = it does. */
	struct err regs_refused;
	const char *reg_source, *branch_source, *branch_budget, *branch_strategy;
	uint64_t branch_depth;
	struct record_regs regs[2]; /* intr, user */
	/* Events are parsed where they stand, so that --filter knows what is before it. */
	struct pmus *pmus;
	struct event_list events;
};

struct recording {
	const struct record_opts *opts;
	struct event_list *events;
	struct capture_target target;
	struct event_opener opener;
	struct open_context context;
	struct workload workload;
	struct control control;
	struct capture *capture;
	struct capture_sink sink;
	struct synth synth;
	struct perfdata_writer *writer;
	char **argv;	/* the whole command line, for the CMDLINE feature */
	char **command; /* the workload */
	int argc;
	bool has_workload, workload_is_target, has_control, pipe;
	int fd;
	const char *path;
	int32_t clockid;
	bool use_clockid;
	uint64_t max_bytes, flush_bytes;
	uint64_t wall_ns, clock_ns; /* CLOCK_DATA */
	bool size_reached;
	bool created, kept_old; /* what record_undo_output() takes back */
	bool ended_workload;	/* by us: its status says nothing */
	bool never_ran;		/* the command could not be executed */
	int write_code;		/* -errno of a write that failed: what came before is kept */
	uint32_t ring_pages;
	int compress_level;
	/* Sampling by ptrace: the first nr_soft events are the tracer's, capture has the dummy. */
	bool soft_regs, soft_branches;
	char why_regs[800], why_branches[256];
	size_t nr_soft;
	uint64_t soft_id[TRACER_MAX_EVENTS];
	struct event tracking;
	struct event_list tracking_list;
	struct tracer_opts tracer_opts;
	struct tracer *tracer;
	uint64_t soft_samples, soft_first, soft_last;
	size_t soft_time_at;
	bool soft_unflushed;
};

/* record-options.c */
extern const struct option record_options[];
/* Checks and turns the strings into numbers. 0 or -errno. */
int record_prepare(struct recording *rec, struct err *e);
int record_config(struct recording *rec, struct err *e);

/* record-regs.c: option callbacks */
int record_parse_intr_regs(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e);
int record_parse_user_regs(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e);

/* record-cost.c: bytes per sample and MB/s of registers and branch stacks, for -v */
void record_say_cost(const struct recording *rec);

/* record-output.c */
/* Opens the file: 0600, an earlier one moved to .old, no symlink followed. */
int record_open_output(struct recording *rec, struct err *e);
/* Nothing came of it: the file goes, the earlier recording comes back. */
void record_undo_output(struct recording *rec);
int record_start_file(struct recording *rec, struct err *e);
int record_finish_file(struct recording *rec, struct err *e);

/* record-buildid.c: which objects were hit, from the records written so far. */
int record_build_ids(struct recording *rec, struct obuf *o, struct err *e);

/* record-tracer.c: registers and branches by ptrace. All do nothing when it is not needed. */
int record_tracer_choose(struct recording *rec, struct err *e);	 /* before record_config() */
int record_tracer_prepare(struct recording *rec, struct err *e); /* after it */
int record_tracer_start(struct recording *rec, struct err *e);
/* What waits; *done is set when every thread has ended. */
int record_tracer_service(struct recording *rec, bool *done, struct err *e);
int record_tracer_round(struct recording *rec, struct err *e);
void record_tracer_reap(struct recording *rec);
int record_tracer_stop(struct recording *rec, struct err *e);
void record_tracer_feature(const struct recording *rec, struct obuf *o);
void record_tracer_say(const struct recording *rec);
/* The events that capture opens, and the ids of event @i for the file. */
struct event_list *record_kernel_events(struct recording *rec);
const uint64_t *record_ids(const struct recording *rec, size_t i, size_t *nr);

/* record-run.c: from opening to the last record; the exit status. */
int record_run(struct recording *rec);

#endif
