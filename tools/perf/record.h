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

/* --synth: which records of what already runs. */
enum {
	RECORD_SYNTH_TASK = 1,
	RECORD_SYNTH_MMAP = 2,
	RECORD_SYNTH_CGROUP = 4,
	RECORD_SYNTH_ALL = 7,
};

/* As typed; strings live in argv. */
struct record_opts {
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
	/* Registers (-I, --user-regs): set by their option callbacks, used by record_config(). */
	const struct regs_selection *intr_regs, *user_regs;
	/* Why the kernel does not give the user registers; code 0 = it does. */
	struct err regs_refused;
	const char *reg_source, *branch_source, *branch_budget, *branch_strategy, *reg_budget;
	uint64_t branch_depth;
	struct record_regs regs[2]; /* intr, user */
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
	struct file_switch sw;
	bool size_reached;
	bool created, kept_old;	 /* what record_undo_output() takes back */
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

/* record-options.c */
extern const struct option record_options[];

/* record-prepare.c */
/* Checks and turns the strings into numbers. 0 or -errno. */
int record_prepare(struct recording *rec, struct err *e);
int record_config(struct recording *rec, struct err *e);

/* record-regs.c: option callbacks */
int record_parse_intr_regs(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e);
int record_parse_user_regs(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e);

/* record-accept.c: option callbacks for what other perfs have, and events of their kind */
int record_accept(void *p, const struct option *opt, const char *arg, bool unset, struct err *e);
int record_accept_number(void *p, const struct option *opt, const char *arg, bool unset,
			 struct err *e);
int record_accept_affinity(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e);
int record_refuse(void *p, const struct option *opt, const char *arg, bool unset, struct err *e);
int record_check_aux(const struct event_list *l, struct err *e);

/* record-cost.c: bytes per sample and MB/s of registers and branch stacks, for -v */
void record_say_cost(const struct recording *rec);

/* record-output.c */
/* Opens the file: 0600, an earlier one moved to .old, no symlink followed. */
int record_open_output(struct recording *rec, struct err *e);
/* Nothing came of it: the file goes, the earlier recording comes back. */
void record_undo_output(struct recording *rec);
bool record_output_is_empty(const struct recording *rec);
int record_start_file(struct recording *rec, struct err *e);
int record_finish_file(struct recording *rec, struct err *e);

/* record-buildid.c: which objects were hit, from the records written so far. */
/* Paths of processes that are recorded keep their meaning until the end. */
void record_keep_roots(struct recording *rec);
int record_build_ids(struct recording *rec, struct obuf *o, struct err *e);

/* record-synth.c: records of what runs already */
enum record_when {
	RECORD_AT_START,
	RECORD_NEXT_FILE, /* of --switch-output: the workload runs */
	RECORD_AT_END,	  /* --tail-synthesize */
};
int record_synthesize(struct recording *rec, enum record_when when, struct err *e);

/* record-switch.c */
int record_prepare_switch(struct recording *rec, struct err *e);
bool record_switch_due(struct recording *rec, bool signalled, int64_t now_ms);
/* Ends the file and begins the next one. */
int record_switch_file(struct recording *rec, struct err *e);
/* The finished file gets its last name. */
int record_stamp_name(struct recording *rec, struct err *e);
void record_switch_free(struct recording *rec);

/* record-tracer.c: registers and branches by ptrace. All do nothing when it is not needed. */
int record_tracer_choose(struct recording *rec, struct err *e);	 /* before record_config() */
int record_tracer_prepare(struct recording *rec, struct err *e); /* after it */
int record_tracer_start(struct recording *rec, struct err *e);
/* What waits; *done is set when every thread has ended. */
int record_tracer_service(struct recording *rec, bool *done, struct err *e);
/* A struct capture_sink's: whether nothing older than what is written will come. */
bool record_ends_round(void *ctx, bool some);
void record_tracer_reap(struct recording *rec);
/* Threads did not stop when they were to be let go; the workload may be one of them. */
bool record_tracer_holds(struct recording *rec);
void record_tracer_end(struct recording *rec, int sig);
int record_tracer_stop(struct recording *rec, struct err *e);
void record_tracer_feature(const struct recording *rec, struct obuf *o);
void record_tracer_say(const struct recording *rec);
/* The events that capture opens, and the ids of event @i for the file. */
struct event_list *record_kernel_events(struct recording *rec);
const uint64_t *record_ids(const struct recording *rec, size_t i, size_t *nr);

/*
 * record-guard.c: where threads are stepped, what returns is a child, whose end in order does not
 * depend on the life of the process that the user knows.
 */
int record_guard(struct recording *rec, struct err *e);
bool record_guard_is_gone(const struct recording *rec);

/* record-run.c: from opening to the last record; the exit status. */
int record_run(struct recording *rec);

#endif
