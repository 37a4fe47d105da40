/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of perf record share: its options and one recording. */
#ifndef RECORDER_RECORDER_H
#define RECORDER_RECORDER_H

#include "capture/capture.h"
#include "cli/cli.h"
#include "perfdata/perfdata.h"
#include "tracer/tracer.h"

/* One of -I and --user-regs: what was asked for and what opens here. */
struct recorder_regs {
	struct regs_selection sel;
	struct regs_caps caps;
	bool probed;
};

/* --synth: which records of what already runs. */
enum {
	RECORDER_SYNTH_TASK = 1,
	RECORDER_SYNTH_MMAP = 2,
	RECORDER_SYNTH_CGROUP = 4,
	RECORDER_SYNTH_ALL = 7,
};

/* As typed; strings live in argv. */
struct recorder_opts {
	struct cli_list pids, tids, users, cpus;
	const char *output, *control, *clock, *ring, *compress, *max_size, *mmap_flush, *aio;
	bool system_wide, no_inherit, per_thread, stat, no_time, period, no_period, data, phys_data,
		data_page_size, code_page_size, weight, raw, sample_cpu, all_user, all_kernel,
		kernel_callchains, user_callchains, no_buildid, no_buildid_cache, buildid_all,
		no_buildid_mmap, switch_events, namespaces, all_cgroups, dry_run, quiet, no_samples,
		strict_freq, group, has_cgroup, mem_info, transaction, identifier, running_time,
		latency, data_mmap, no_bpf_event, no_buffering, overwrite, tail_synthesize,
		timestamp_filename, synth_given, no_fallback;
	unsigned synth; /* RECORD_SYNTH_*, with synth_given */
	uint64_t realtime, switch_max_files;
	const char *switch_output;
	int verbose;
	int64_t delay;	      /* ms; -1 = only --control starts it */
	VEC(int64_t) windows; /* -D 10-20,30-40: on and off in turn, ms; empty = never off */
	uint64_t freq, count;
	bool freq_given, freq_max;
	struct callchain_opts callchain;
	struct callchain_opts default_callchain; /* what -g means, by settings */
	bool branch_any, g_given;
	uint64_t branch_filter;
	/* Registers (-I, --user-regs): set by their option callbacks, used by recorder_config(). */
	const struct regs_selection *intr_regs, *user_regs;
	/* Why the kernel does not give the user registers; code 0 = it does. */
	struct err regs_refused;
	const char *reg_source, *branch_source, *branch_budget, *branch_strategy, *reg_budget;
	uint64_t branch_depth;
	struct recorder_regs regs[2]; /* intr, user */
	/* Events are parsed where they stand, so that --filter knows what is before it. */
	struct pmus *pmus;
	struct event_list events;
};

/* --switch-output and --timestamp-filename: see record-switch.c. */
struct file_switch {
	bool on, stamped;
	uint64_t bytes, every_ms; /* 0 = not by this; neither = by SIGUSR2 */
	size_t max_files;	  /* 0 = keep all */
	int64_t next_ms;
	VEC(char *) files;
	const char *last; /* of files: not told yet */
};

struct recorder {
	const struct recorder_opts *opts;
	struct event_list *events;
	struct capture_target target;
	struct event_opener opener;
	struct open_context context;
	struct program workload;
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
	struct file_switch sw;
	bool size_reached;
	bool created, kept_old;	 /* what recorder_undo_output() takes back */
	bool ended_workload;	 /* by us: its status says nothing */
	bool never_ran;		 /* the command could not be executed */
	bool usage;		 /* the options do not go together */
	bool cut;		 /* not all could be written: samples_written counts what was */
	int64_t samples_written; /* -1 = unknown */
	unsigned stuck_ms;	 /* how long the stream's reader had not read when a signal came */
	int write_code;		 /* -errno of a write that failed: what came before is kept */
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
	struct buildid_roots *roots;
	pid_t guard; /* see record-guard.c; 0 = none */
};

/* record-prepare.c */
/* Checks and turns the strings into numbers. 0 or -errno. */
int recorder_prepare(struct recorder *rec, struct err *e);
int recorder_config(struct recorder *rec, struct err *e);

/* record-regs.c: option callbacks */
int recorder_parse_intr_regs(void *p, const struct option *opt, const char *arg, bool unset,
			     struct err *e);
int recorder_parse_user_regs(void *p, const struct option *opt, const char *arg, bool unset,
			     struct err *e);

int recorder_check_aux(const struct event_list *l, struct err *e);

/* record-cost.c: bytes per sample and MB/s of registers and branch stacks, for -v */
void recorder_say_cost(const struct recorder *rec);

/* record-output.c */
/* Opens the file: 0600, an earlier one moved to .old, no symlink followed. */
int recorder_open_output(struct recorder *rec, struct err *e);
/* Nothing came of it: the file goes, the earlier recording comes back. */
void recorder_undo_output(struct recorder *rec);
bool recorder_output_is_empty(const struct recorder *rec);
int recorder_start_file(struct recorder *rec, struct err *e);
int recorder_finish_file(struct recorder *rec, struct err *e);

/* record-buildid.c: which objects were hit, from the records written so far. */
/* Paths of processes that are recorded keep their meaning until the end. */
void recorder_keep_roots(struct recorder *rec);
int recorder_build_ids(struct recorder *rec, struct obuf *o, struct err *e);

/* record-synth.c: records of what runs already */
enum recorder_when {
	RECORDER_AT_START,
	RECORDER_NEXT_FILE, /* of --switch-output: the workload runs */
	RECORDER_AT_END,    /* --tail-synthesize */
};
int recorder_synthesize(struct recorder *rec, enum recorder_when when, struct err *e);

/* record-switch.c */
int recorder_prepare_switch(struct recorder *rec, struct err *e);
bool recorder_switch_due(struct recorder *rec, bool signalled, int64_t now_ms);
/* Ends the file and begins the next one. */
int recorder_switch_file(struct recorder *rec, struct err *e);
/* The finished file gets its last name. */
int recorder_stamp_name(struct recorder *rec, struct err *e);
void recorder_switch_free(struct recorder *rec);

/* record-tracer.c: registers and branches by ptrace. All do nothing when it is not needed. */
int recorder_tracer_choose(struct recorder *rec, struct err *e);  /* before recorder_config() */
int recorder_tracer_prepare(struct recorder *rec, struct err *e); /* after it */
int recorder_tracer_start(struct recorder *rec, struct err *e);
/* What waits; *done is set when every thread has ended. */
int recorder_tracer_service(struct recorder *rec, bool *done, struct err *e);
/* A struct capture_sink's: whether nothing older than what is written will come. */
bool recorder_ends_round(void *ctx, bool some);
void recorder_tracer_reap(struct recorder *rec);
/* Threads did not stop when they were to be let go; the workload may be one of them. */
bool recorder_tracer_holds(struct recorder *rec);
void recorder_tracer_end(struct recorder *rec, int sig);
int recorder_tracer_stop(struct recorder *rec, struct err *e);
void recorder_tracer_feature(const struct recorder *rec, struct obuf *o);
void recorder_tracer_say(const struct recorder *rec);
/* The events that capture opens, and the ids of event @i for the file. */
struct event_list *recorder_kernel_events(struct recorder *rec);
const uint64_t *recorder_ids(const struct recorder *rec, size_t i, size_t *nr);

/*
 * record-guard.c: where threads are stepped, what returns is a child, whose end in order does not
 * depend on the life of the process that the user knows.
 */
int recorder_guard(struct recorder *rec, struct err *e);
bool recorder_guard_is_gone(const struct recorder *rec);

/* record-run.c: from opening to the last record; the exit status. */
int recorder_run(struct recorder *rec);

#endif
