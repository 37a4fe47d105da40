/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: from events to records. Opens a list of events on CPUs and threads, maps the rings,
 * waits, and hands whole records to a sink without copying them; counts what was lost and why;
 * makes the records that the kernel cannot give: what already ran when the recording began.
 * It does not decide what to open (room events) nor how a file looks (room perfdata).
 *
 *	capture_open(&c, &opts, &err);			descriptors, ids, rings
 *	synth_kernel(&s, &err); synth_tasks(&s, &target, &err);
 *	program_go(&w, &err);
 *	while (!done) {
 *		what = capture_wait(c, -1, &err);
 *		capture_drain(c, &sink, &err);
 *	}
 *	capture_finish(c, &sink, &err);			the last records, counts of the lost
 *
 * Memory: bounded by the rings (opts.ring_pages each). Errors: 0 or -errno with a struct err.
 * One thread per struct capture. Ring protocol: perf_event_open(2).
 */
#ifndef PERF_CAPTURE_H
#define PERF_CAPTURE_H

#include <signal.h>

#include "base/tables.h"
#include "base/obuf.h"
#include "events/events.h"

/* ---- whom to watch ------------------------------------------------------------------------------ */

struct capture_target {
	bool system_wide; /* every thread: on all CPUs or on those of cpus */
	struct bits cpus; /* nr 0 = all that are online */
	bool cpus_given;
	VEC(pid_t) tids; /* threads, when not system_wide */
	bool per_thread; /* one event and ring per thread, no CPUs, no inheriting */
	bool workload;	 /* tids holds a process that waits for program_go() */
};

/* Comma lists; a process counts with all its threads. -ESRCH names the one that is not there. */
int capture_target_pids(struct capture_target *t, const char *list, struct err *e);
int capture_target_tids(struct capture_target *t, const char *list, struct err *e);
/* All threads of a process, of which none is in the list; none when it is gone. */
int capture_target_process(struct capture_target *t, pid_t pid, struct err *e);
/* The children of what is in the list, and theirs: those that began after us. */
int capture_target_children(struct capture_target *t, struct err *e);
int capture_target_user(struct capture_target *t, const char *name_or_uid, struct err *e);
int capture_target_cpus(struct capture_target *t, const char *list, struct err *e);
void capture_target_free(struct capture_target *t);
/* CPUs that are online, as bits. */
int capture_online_cpus(struct bits *b, struct err *e);

/* ---- a program that we start ---------------------------------------------------------------------- */

struct program {
	pid_t pid;
	int go_fd;  /* a byte starts it */
	int err_fd; /* errno of a failed exec comes back */
	bool reaped;
	int status; /* waitpid()'s, once reaped */
};

/* Forks; the child waits before exec. @stdout_taken: by the recording; it prints on stderr. */
int program_start(struct program *w, char **argv, bool stdout_taken, struct err *e);
/* Lets it exec; -errno of exec when that failed (ENOENT: no such program). */
int program_go(struct program *w, struct err *e);
/* Of a child that ended before that, @ret being what it led to: what the child said of it, or @ret. */
int program_why(struct program *w, int ret, struct err *e);
/* Non-blocking unless @block: true once it ended, w->status is filled. */
bool program_ended(struct program *w, bool block);
void program_kill(struct program *w, int sig);
void program_free(struct program *w); /* a child that never started is ended */

/* ---- rings --------------------------------------------------------------------------------------- */

/* Takes whole records in two pieces, because a ring may wrap (nb may be 0). 0 or -errno. */
struct capture_sink {
	int (*write)(void *ctx, const void *a, size_t na, const void *b, size_t nb, struct err *e);
	void *ctx;
	/*
	 * With other sources of records: whether a round ends here. All rings are empty, @some: and
	 * one was not. NULL: as capture thinks best.
	 */
	bool (*ends_round)(void *ctx, bool some);
};

struct capture_opts {
	struct event_list *events;
	const struct capture_target *target;
	struct event_opener *opener;
	const struct open_context *context; /* for explanations */
	uint32_t ring_pages; /* a power of two; 0 = the mlock limit, more for stacks */
	bool leaves_room;    /* others map rings, too: then 0 = half of that limit */
	bool inherit;
	bool backward;	     /* attrs have write_backward: the rings keep the newest records */
	bool allow_fallback; /* a default hardware event may become a clock */
	struct log_sink log; /* what is recorded otherwise than asked for */
};

struct capture;

int capture_open(struct capture **c, const struct capture_opts *opts, struct err *e);
void capture_free(struct capture *c);

/* Ids the kernel gave to event @idx, one per descriptor. */
const uint64_t *capture_ids(const struct capture *c, size_t idx, size_t *nr);
size_t capture_nr_ids(const struct capture *c);
struct capture_id {
	uint64_t id;
	uint32_t ring;
	int cpu;   /* -1 = any */
	pid_t tid; /* -1 = all */
};
void capture_id(const struct capture *c, size_t i, struct capture_id *out);
size_t capture_nr_rings(const struct capture *c);
size_t capture_ring_bytes(const struct capture *c); /* data bytes of one ring */
/* Bytes that the kernel has put into the rings so far: grows with each record, read or not. */
uint64_t capture_written(const struct capture *c);
/* Also for one event by name (control fifo); NULL = all. -ENOENT when there is none. */
int capture_enable(struct capture *c, const char *name, struct err *e);
int capture_disable(struct capture *c, const char *name, struct err *e);

enum capture_what {
	CAPTURE_DATA = 1,    /* a ring passed its watermark */
	CAPTURE_SIGNAL = 2,  /* see capture_signal() */
	CAPTURE_CHILD = 4,   /* SIGCHLD */
	CAPTURE_CONTROL = 8, /* bytes on the control descriptor */
	CAPTURE_GONE = 16,   /* every watched thread has ended */
	CAPTURE_TIMEOUT = 32,
	CAPTURE_SWITCH = 64, /* SIGUSR2 */
	CAPTURE_ENDED = 128, /* a process of capture_watch_end() */
};

/* Whether hang-ups are ignored (nohup): blocked they would be told in spite of that. */
bool capture_ignores_hangup(void);
/*
 * Blocks SIGINT, SIGTERM, SIGHUP unless it is ignored, SIGCHLD, SIGUSR2 and takes them through a
 * descriptor.
 */
int capture_signals(struct capture *c, struct err *e);
int capture_watch_control(struct capture *c, int fd, struct err *e);
void capture_unwatch_control(struct capture *c); /* nobody is left at its other end */
/*
 * The end of process (or, on kernels that can, thread) @pid is told once, by its pidfd: nothing that
 * waits for it elsewhere can keep that from us. Without pidfds (before Linux 5.3): nothing is told.
 */
void capture_watch_end(struct capture *c, pid_t pid);
/* Whether process @pid, which is watched so, has ended. */
bool capture_has_ended(const struct capture *c, pid_t pid);
/* Waits up to @timeout_ms (-1 = no limit): CAPTURE_* bits or -errno. */
int capture_wait(struct capture *c, int timeout_ms, struct err *e);
/*
 * How many signals have asked for an end until now, for who cannot wait: what this takes from the
 * queue, capture_wait() will tell. Those that come at once are one.
 */
unsigned capture_look_for_signals(struct capture *c);
/* The last signal that asked for an end; 0 = none. */
int capture_signal(const struct capture *c);

struct capture_stats {
	uint64_t samples, records, bytes; /* kernel records that were handed over */
	uint64_t wakeups;
	uint64_t lost_records; /* sum of LOST records: the ring was full */
	uint64_t lost_samples; /* LOST_SAMPLES records: hardware or filter dropped them */
	uint64_t lost_counts;  /* what the counters themselves say (PERF_FORMAT_LOST) */
	uint64_t throttled, unthrottled;
	uint64_t first_time, last_time; /* of samples, ns; 0 = none */
};

/* Hands over everything that lies in the rings, then one FINISHED_ROUND if there was anything.
 * @min_bytes: rings with less stay as they are (--mmap-flush); 0 = all. */
int capture_drain(struct capture *c, uint64_t min_bytes, const struct capture_sink *sink,
		  struct err *e);
/*
 * Rings that run backward: what came since the last time, as far as it was not overwritten, oldest
 * first and then one FINISHED_ROUND. Nothing is recorded meanwhile.
 */
int capture_dump(struct capture *c, const struct capture_sink *sink, struct err *e);
/*
 * The last drain (or dump) of a file, and LOST_SAMPLES records from the counters' own loss counts: of
 * what was lost since the file before.
 */
int capture_end_file(struct capture *c, const struct capture_sink *sink, struct err *e);
/* The same of the last file: nothing is recorded any more. */
int capture_finish(struct capture *c, const struct capture_sink *sink, struct err *e);
const struct capture_stats *capture_stats(const struct capture *c);
/* Counts from 0 again: another file begins. */
void capture_reset_stats(struct capture *c);

/* ---- records for what already runs ------------------------------------------------------------------ */

struct synth {
	const struct capture_sink *sink;
	/* Every record ends with the fields of sample_id_all: zeros but for the tid. */
	uint64_t sample_type;
	bool sample_id_all;
	bool data_maps; /* also maps without execute permission */
	bool build_ids; /* put build ids into MMAP2 */
	bool namespaces;
	bool no_maps;	     /* names of tasks, but not their maps */
	bool user_only;	     /* no event looks into the kernel: hidden addresses are no loss */
	const char *proc;    /* "/proc" unless a test says otherwise */
	struct log_sink log; /* what cannot be seen of the system */
	uint64_t nr_maps, nr_tasks; /* out: records made */
	struct synth_cache *cache;  /* build ids by (device, inode); synth_end() frees it */
};

/* [kernel.kallsyms]_text and modules. A kernel that hides its addresses gives none: the text of
 * the warning goes to the log. */
int synth_kernel(struct synth *s, struct err *e);
/* COMM, NAMESPACES, MMAP2 of the target's threads, FORK where needed; all of /proc for -a. */
int synth_tasks(struct synth *s, const struct capture_target *t, struct err *e);
/* CGROUP of every group there is. */
int synth_cgroups(struct synth *s, struct err *e);
int synth_id_index(struct synth *s, const struct capture *c, struct err *e);
int synth_thread_map(struct synth *s, const struct capture_target *t, struct err *e);
int synth_cpu_map(struct synth *s, const struct capture_target *t, struct err *e);
int synth_finished_init(struct synth *s, struct err *e);
void synth_end(struct synth *s);
#define CAPTURE_BUILD_ID_MAX 20
/* The build id of a file, of notes as they lie (/sys/kernel/notes); its length, 0 = none. */
size_t capture_file_build_id(const char *path, uint8_t id[CAPTURE_BUILD_ID_MAX]);
size_t capture_notes_build_id(const char *path, uint8_t id[CAPTURE_BUILD_ID_MAX]);
/* The payload of feature TRACING_DATA for the tracepoints of the list; false = there are none. */
bool capture_tracing_data(const struct event_list *l, struct obuf *o);

/* ---- control descriptors ------------------------------------------------------------------------------ */

enum control_cmd {
	CONTROL_NONE,
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_EVLIST,
	CONTROL_SNAPSHOT,
	CONTROL_UNKNOWN,
};

struct control {
	int ctl_fd, ack_fd; /* ours; -1 = none */
	bool ended;	    /* the last read met the end: no more commands will come */
	char buf[256];
	size_t len;
};

/* "fifo:CTL[,ACK]" or "fd:N[,M]". */
int control_open(struct control *c, const char *spec, struct err *e);
/* The next whole command; @arg its word (event name), "" when none. CONTROL_NONE: no more. */
enum control_cmd control_next(struct control *c, char *arg, size_t size);
/* -errno when nobody takes it. */
int control_ack(struct control *c);
void control_close(struct control *c);

#endif
