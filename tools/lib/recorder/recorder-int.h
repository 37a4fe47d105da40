/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of room recorder share. */
#ifndef RECORDER_RECORDER_INT_H
#define RECORDER_RECORDER_INT_H

#include "base/output.h"
#include "buildid/buildid.h"
#include "perfdata/perfdata.h"
#include "recorder/recorder.h"

/* See switch.c. */
struct recorder_files {
	int64_t next_ms;
	VEC(char *) v;
	const char *last; /* of v: not told yet */
};

/*
 * Samples by ptrace: the first @nr events of the list are the tracer's. Of them capture knows
 * nothing, it opens the dummy that carries maps and names.
 */
struct recorder_soft {
	bool regs, branches; /* which of them come from there */
	bool chains;	     /* so do call chains, unwound while the thread stands still; */
	bool ahead;	     /* also by what it runs on to */
	uint64_t span_ns;    /* of branches; 0 = one stack for a stop */
	char why_regs[800], why_branches[256], why_chains[400];
	struct recorder_stacks *stacks;
	size_t nr;
	uint64_t id[TRACER_MAX_EVENTS];
	struct event tracking;
	struct event_list tracking_list;
	struct tracer_opts opts;
	struct tracer *tracer;
	uint64_t samples, first, last; /* times; 0 = unknown */
	size_t time_at;		       /* of a sample's time; 0 = not known */
	bool unflushed;		       /* written since the last round ended */
	bool stopped;		       /* no thread is sampled any more */
};

struct recorder {
	const struct recorder_opts *opts;
	struct event_list *events;
	struct capture_target *target;
	struct event_opener opener;
	struct open_context context;
	struct program program;
	struct control control;
	struct capture *capture;
	struct capture_sink sink;
	struct perfdata_writer *writer;
	struct recorder_soft soft;
	struct recorder_files files;
	struct buildid_roots *roots;
	bool has_control, pipe;
	bool created, kept_old; /* what recorder_undo_output() takes back */
	bool failed, size_reached;
	bool ended_program; /* by us: its status says nothing */
	bool cut;	    /* not all could be written: samples_written counts what was */
	int fd, write_code; /* -errno of a write that failed: what came before is kept */
	int exec_code;	    /* of a command that could not be executed */
	const char *path;
	int64_t samples_written; /* -1 = unknown */
	unsigned stuck_ms;	 /* how long the stream's reader had not read when a signal came */
	pid_t parent;		 /* see recorder_watch_parent(); 0 = none */
};

/* Whether samples come from the tracer. */
static inline bool recorder_by_ptrace(const struct recorder *rec)
{
	return rec->soft.regs || rec->soft.branches || rec->soft.chains;
}

/* What the tracer can tell of a branch. */
#define RECORDER_KNOWN_BRANCHES                                                   \
	((uint64_t)(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL |        \
		    PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_IND_CALL | \
		    PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL |       \
		    PERF_SAMPLE_BRANCH_COND))

/* ---- say.c: everything that users are told --------------------------------------------------------- */

void recorder_say(const struct recorder *rec, enum log_level level, const char *fmt, ...)
	__printf_fmt(3, 4);
void recorder_fail(struct recorder *rec, const struct err *e);
/* A line for each event; @attrs with what the kernel was asked for. */
void recorder_say_events(const struct recorder *rec, enum log_level level, bool attrs);
/* Bytes per sample and MB/s that registers and branch stacks add. */
void recorder_say_cost(const struct recorder *rec);
/* What is not in the file that ends. */
void recorder_say_losses(const struct recorder *rec);
void recorder_say_summary(const struct recorder *rec);
/* How branches are followed here, once that is known. */
void recorder_say_strategy(const struct recorder *rec);

/* ---- config.c, source.c: options into attrs ---------------------------------------------------------- */

int recorder_config(struct recorder *rec, struct err *e);
/* Whether registers or branches are the tracer's: fills rec->soft. */
int recorder_choose_source(struct recorder *rec, struct err *e);
/* What the tracer is for, in words. */
const char *recorder_soft_what(const struct recorder *rec);
/*
 * Whether samples of branches carry what stacks are unwound from later, since they cannot be there:
 * registers and memory of where the branches end, which the kernel does not know.
 */
bool recorder_soft_copies(const struct recorder *rec);

static inline const struct regs_selection *recorder_regs(const struct recorder *rec, int which)
{
	return rec->opts->regs.of[which].wanted ? &rec->opts->regs.of[which].sel : NULL;
}

/* ---- output.c ------------------------------------------------------------------------------------------ */

/* Opens the file: 0600, an earlier one moved to .old, no symlink followed. */
int recorder_open_output(struct recorder *rec, struct err *e);
/* Nothing came of it: the file goes, the earlier recording comes back. */
void recorder_undo_output(struct recorder *rec);
bool recorder_output_is_empty(const struct recorder *rec);
int recorder_start_file(struct recorder *rec, struct err *e);
int recorder_finish_file(struct recorder *rec, struct err *e);

/* ---- buildid.c ------------------------------------------------------------------------------------------ */

/* At the start of each file: paths of processes that are recorded keep their meaning until its end. */
void recorder_keep_roots(struct recorder *rec);
/* The same of programs that are started, by records as they come: whole ones, in two pieces. */
void recorder_keep_new_roots(struct recorder *rec, const void *a, size_t na, const void *b,
			     size_t nb);
/* Which objects were hit, from the records written so far. */
int recorder_build_ids(struct recorder *rec, struct obuf *o, struct err *e);

/* ---- synth.c: records of what runs already ----------------------------------------------------------- */

enum recorder_when {
	RECORDER_AT_START,
	RECORDER_NEXT_FILE, /* of several: the command runs */
	RECORDER_AT_END,    /* tail_synthesize */
};
int recorder_synthesize(struct recorder *rec, enum recorder_when when, struct err *e);

/* ---- switch.c --------------------------------------------------------------------------------------------- */

bool recorder_switch_due(struct recorder *rec, bool signalled, int64_t now_ms);
/* Ends the file and begins the next one. */
int recorder_switch_file(struct recorder *rec, struct err *e);
/* The finished file gets its last name. */
int recorder_stamp_name(struct recorder *rec, struct err *e);
void recorder_switch_free(struct recorder *rec);

/* ---- follow.c: while it runs ------------------------------------------------------------------------------- */

int recorder_follow(struct recorder *rec, struct err *e);
/* Whether rings are emptied after a wait that told @what; *last_ms: when that was before. */
bool recorder_drain_due(int what, int64_t *last_ms, int64_t now_ms);
bool recorder_parent_is_gone(const struct recorder *rec);

/* ---- stacks.c: call stacks of threads that stand still ------------------------------------------------- */

struct recorder_stacks;

int recorder_stacks_new(struct recorder *rec, struct err *e);
void recorder_stacks_free(struct recorder_stacks *s);
/* A struct tracer_chains's. */
size_t recorder_stack(void *ctx, const struct tracer_stack *ts, uint64_t *ip, size_t max);

/* ---- soft-events.c, software.c: without the tracer all of it does nothing --------------------------------- */

/*
 * How long bursts last, once all events are there: into rec->soft. -EINVAL: a span or a trace was asked for,
 * with something that it does not go with
 */
int recorder_soft_branches(struct recorder *rec, struct err *e);
/* The events of the tracer are tried and made fit; makes it. After recorder_config(). */
int recorder_soft_prepare(struct recorder *rec, struct err *e);
int recorder_soft_write(void *ctx, const void *data, size_t size, struct err *e);
int recorder_soft_start(struct recorder *rec, struct err *e);
/* Whether @ret, of a thread that was there, may be left alone: its process may have others. */
bool recorder_may_have_ended(const struct recorder *rec, int ret);
/* What waits; *done is set when every thread has ended. */
int recorder_soft_service(struct recorder *rec, bool *done, struct err *e);
/* A struct capture_sink's: whether nothing older than what is written will come. */
bool recorder_ends_round(void *ctx, bool some);
/* Threads were left when all were to be let go; the command may be one of them. */
bool recorder_soft_holds(struct recorder *rec);
void recorder_soft_end(struct recorder *rec, int sig);
int recorder_soft_stop(struct recorder *rec, struct err *e);
/* Takes @step, behind recorder_soft_stop(); threads that were left do not stand for as long as that takes. */
void recorder_soft_beside(struct recorder *rec, void (*step)(struct recorder *rec));
void recorder_soft_feature(const struct recorder *rec, struct obuf *o);
/* The events that capture opens, and the ids of event @i for the file. */
struct event_list *recorder_kernel_events(struct recorder *rec);
const uint64_t *recorder_ids(const struct recorder *rec, size_t i, size_t *nr);

#endif
