/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder: one recording, from events and whom to watch to files of perf.data. It puts options into
 * the attrs of the events, decides whether the kernel or ptrace samples, starts the program, drains
 * the rings, begins new files, obeys --control, and ends with the build ids of what was hit. How
 * events are opened is capture's, how threads are stopped tracer's, how a file looks perfdata's.
 *
 *	recorder_new(&rec, &opts, &err);	the attrs are made: -EINVAL, the options clash
 *	recorder_prepare(rec, &err);		samples by ptrace are tried
 *	recorder_run(rec, &result);		until the program ends, a signal comes, a limit is met
 *	recorder_free(rec);
 *
 * The options, and what they point to, are the caller's and stay until recorder_free(); the list of
 * events gets what it lacks (a default, a dummy for maps) and its attrs. Nothing is printed: say()
 * and fail() are called when there is something to tell, since a recording that fails half way is
 * finished all the same and its file is good. One thread does all calls: ptrace belongs to it. While
 * recorder_run() is in, SIGINT, SIGTERM, SIGHUP, SIGCHLD and SIGUSR2 are blocked and taken through
 * a descriptor; the caller ignores SIGPIPE and SIGXFSZ, so that a write fails instead.
 */
#ifndef RECORDER_RECORDER_H
#define RECORDER_RECORDER_H

#include "capture/capture.h"
#include "tracer/tracer.h"

/* ---- registers: -I and --user-regs --------------------------------------------------------------- */

enum { RECORDER_INTR, RECORDER_USER }; /* at the sampled point; of user space */

/* What was asked for and what opens here. Zeros are none. */
struct recorder_regs {
	struct {
		struct regs_selection sel;
		struct regs_caps caps;
		bool wanted, probed;
	} of[2];
	struct err refused; /* why the kernel does not give those of user space; code 0 = it does */
};

/*
 * Adds a list; NULL is all. What the kernel does not give to USER is looked for by ptrace: then
 * @r->refused says why, and recorder_new() decides. -ENOTSUP with what there is instead.
 */
int recorder_regs_parse(struct recorder_regs *r, struct pmus *t, int which, const char *list,
			struct err *e);
void recorder_regs_clear(struct recorder_regs *r, int which);
/* "available registers: ..."; @lacking: also why what is missing is missing. */
void recorder_regs_list(struct recorder_regs *r, struct pmus *t, int which, bool lacking,
			struct obuf *o);

/* ---- what is recorded, and how -------------------------------------------------------------------- */

enum recorder_source { RECORDER_AUTO, RECORDER_KERNEL, RECORDER_PTRACE };

/* Which records of what already runs. */
enum {
	RECORDER_SYNTH_TASK = 1,
	RECORDER_SYNTH_MMAP = 2,
	RECORDER_SYNTH_CGROUP = 4,
	RECORDER_SYNTH_ALL = 7,
};

/* A recording in several files, and names with the time of their end. */
struct recorder_switch {
	bool on, stamped;
	uint64_t bytes, every_ms; /* 0 = not by this; neither = by SIGUSR2 */
	uint64_t max_files;	  /* the newest are kept; 0 = all */
	void (*done)(void *ctx);  /* another file is whole and has its name; NULL = nobody waits */
};

/* As the options of perf-record(1) with the same names say, where no comment says more. */
struct recorder_opts {
	struct pmus *pmus;
	struct event_list *events;
	struct capture_target *target;	   /* the command's process is added */
	const struct event_opener *opener; /* NULL = the system call */
	char **command;			   /* NULL-terminated; NULL = none is started */
	char **argv;			   /* what CMDLINE says behind our own path */
	int argc;
	bool single_threads; /* the target's are threads, not processes with all of theirs */
	bool some_suffice;   /* of the target those that can be traced */

	uint64_t freq, count; /* 0 = the default; neither = by frequency */
	bool freq_max;
	struct callchain_opts callchain;
	struct recorder_regs regs;
	uint64_t branch_filter, branch_depth; /* PERF_SAMPLE_BRANCH_*; 0 = none, the default */
	enum recorder_source branch_source, reg_source;
	enum tracer_strategy branch_strategy;
	double branch_budget, reg_budget; /* percent; 0 = no bound */
	double branch_span;    /* us; 0 = one stack for a stop; < 0: as suits the samples */
	uint64_t branch_trace; /* branches, all of them; 0 = samples */
	int32_t clockid;
	bool use_clockid;

	uint64_t sample; /* PERF_SAMPLE_*: words that are asked for by their bit alone */
	bool no_inherit, per_thread, stat, no_time, period, no_period, data, raw, sample_cpu,
		all_user, all_kernel, kernel_callchains, user_callchains, switch_events, namespaces,
		all_cgroups, no_samples, strict_freq, group, identifier, running_time, latency,
		data_mmap, no_bpf_event, no_buffering, overwrite, no_fallback;

	const char *output;  /* "-" is stdout */
	const char *control; /* fifo:CTL[,ACK] or fd:CTL[,ACK]; NULL = none */
	struct recorder_switch sw;
	uint32_t ring_pages;  /* 0 = as many as the limit of locked memory lets */
	int compress_level;   /* 0 = not */
	uint64_t max_bytes;   /* of the file; 0 = no limit */
	uint64_t flush_bytes; /* a ring with less is left alone */
	uint64_t realtime;    /* priority of SCHED_FIFO; 0 = as it is */
	int64_t delay;	      /* ms until the start; -1 = when --control says so */
	VEC(int64_t) windows; /* ms from the start: on, off, on ...; empty = never off */
	unsigned synth;	      /* RECORDER_SYNTH_* */
	bool tail_synthesize, dry_run;
	bool no_buildid, no_buildid_cache, no_buildid_mmap, buildid_all;
	bool keep_objects; /* roots of all processes that come are kept to the end */

	struct log_sink log; /* lines for the user */
	/* Something failed; what can be done for the file is done next. */
	void (*fail)(void *ctx, const struct err *e);
	void *ctx;
};

#define RECORDER_BUDGET 5.0 /* percent, where nothing is said */

/* ---- one recording ---------------------------------------------------------------------------------- */

struct recorder;

struct recorder_result {
	bool failed;   /* fail() was called */
	int exec_code; /* -errno: the command did not start, no file is left; 0 = it did */
	int signal;    /* that ended the recording; 0 = none */
	bool ended;    /* the command, and by itself: then @status is what wait(2) says */
	int status;
};

int recorder_new(struct recorder **rec, const struct recorder_opts *opts, struct err *e);
int recorder_prepare(struct recorder *rec, struct err *e);
/*
 * Whether threads will be stepped: between two steps a thread dies with its tracer. Who wants to
 * survive a kill of the process that its user sees records in a child, and names the parent:
 */
bool recorder_steps(const struct recorder *rec);
/* The recording ends when our parent is not @pid any more. */
void recorder_watch_parent(struct recorder *rec, pid_t pid);
void recorder_run(struct recorder *rec, struct recorder_result *result);
void recorder_free(struct recorder *rec); /* NULL is allowed */

#endif
