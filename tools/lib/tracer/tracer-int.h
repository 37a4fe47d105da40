/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the tracer: threads, their events, and the state read at a stop. */
#ifndef PERF_TRACER_TRACER_INT_H
#define PERF_TRACER_TRACER_INT_H

#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "arch-int.h"
#include "base/tables.h"
#include "tracer.h"
#include "wait-int.h"
#include "without-int.h"

#define RECORD_MAX 65528
#define RING_PAGES 2

/* One perf event on one thread. */
struct point {
	int fd;
	uint32_t event; /* index into opts.event */
	struct perf_event_mmap_page *page;
	unsigned char *data;
	uint64_t round; /* its head at the end of the last round */
};

struct burst;
struct btrace;

/* What the kernel counts of a thread (ns). */
struct cpu_times {
	uint64_t ran;
	uint64_t waited; /* for a CPU */
};

/* What a stop took (ns). */
struct stop_cost {
	uint64_t delay; /* until we noticed that the thread stood */
	uint64_t took;	/* from then on, of the time that passed */
	uint64_t cpu;	/* and of our CPU time */
};

struct tracee {
	pid_t tid, pid;
	bool accompanied; /* its process had other threads at the last look, traced or not */
	struct point point[TRACER_MAX_EVENTS];
	size_t nr_points;
	bool resting;	     /* events are off until rest_until: the budget */
	int signal;	     /* that stops it at a sample; 0: it blocks them all, we interrupt it */
	uint64_t looked;     /* when the signal was chosen (ns) */
	bool asked;	     /* an interrupt is on its way */
	bool listening;	     /* in a group stop */
	bool was_stopped;    /* ... and the SIGCONT that ends it is still to come */
	bool stepped;	     /* a step's SIGTRAP may still be on its way */
	unsigned last_stops; /* while it is let go */
	bool left;	     /* it sleeps where a stop would do harm: see tracer_detach() */
	struct user_regs_struct stood; /* what it looked like at its last sample */
	unsigned stood_again;	       /* ... and at so many before that */
	uint64_t held; /* since when it keeps a round from ending (ns); 0 = it does not */
	bool missed;   /* at the last look nothing could be heard of it */
	bool opened;   /* it runs with a signal let through that it blocks: see signals_close() */
	uint64_t mask; /* what it blocks */
	uint64_t rest_until;
	struct cpu_times times;	 /* when they were looked at */
	struct cpu_times lately; /* up to that, of older time less and less */
	int time_fd;		 /* where they are read; -1 = it is opened each time */
	uint64_t watched;	 /* CPU time under the tracer */
	uint64_t own_stops;	 /* in it, that were for no sample */
	uint64_t pause;		 /* of its CPU time, before its rest is over */
	uint64_t patience;	 /* with one that does not run */
	bool begun;		 /* a rest by chance is over, or was not needed */
	uint64_t place;		 /* of the last stop in its window (ns), see budget.c */
	int64_t owed;		 /* of this, for its stops up to now */
	uint64_t since;		 /* under the tracer since (ns); 0 = that is counted */
	int span_fd;		 /* the clock of a span; -1 = not opened yet */
	bool span_armed;	 /* it was stopped before it told */
	struct stop_cost span;	 /* of the stop before it */
	struct burst *burst;	 /* its span is not over; NULL = none */
	bool in_32bit;		 /* when a trace last looked */
	struct btrace *btrace;	 /* all its branches are taken; NULL = not, or no more */
	int bp_fd;		 /* breakpoint event; -1 = not opened yet */
	bool bp_silent;		 /* it is never to fire: a switch of the tests */
	struct perf_event_attr bp_attr;
	struct perf_event_mmap_page *bp_page;
};

/* What a thread looks like at a stop. */
struct user_state {
	struct user_regs_struct gpr;
	uint64_t sampled_ip; /* where it stood when the event overflowed; gpr may be of later */
	bool late;	     /* it was fetched behind the sample: gpr says where */
	bool is_32bit;
	struct arch_state arch;
};

struct walk_entry {
	uint64_t from, to;
	uint8_t type; /* enum of perf branch types */
};

/* A walk goes on for up to so many branches before those that are kept: see walk.c. */
#define WALK_SPREAD 2048

struct vm;

struct walked {
	struct walk_entry entry[WALK_SPREAD + TRACER_MAX_DEPTH]; /* oldest first */
	uint32_t nr;
	struct user_regs_struct end; /* registers where the walk ended; rip is the sample's IP */
	struct vm *memory;	     /* as it is there; NULL = as the thread has it */
	/* From the sample to there, or where moved from there: UINT64_MAX = not all were computed. */
	uint64_t insns;
	bool moved;   /* the thread has run to there */
	bool inexact; /* it has not, and other registers than the general ones change */
};

struct walker;
struct stacks;
struct stamps;

/* Where a walk ended in what was computed, memory is, too: with the stores that are still to come. */
struct stack_place {
	pid_t pid, tid;
	bool is_32bit;
	struct vm *memory; /* NULL: the thread's own */
	/* The way there, for who goes on behind it; NULL: none that could be gone again. */
	const struct user_regs_struct *start;
	uint64_t insns;
};

#define PEEKED_MAX 512

/* The newest sample in a thread's rings. */
struct peeked {
	uint32_t event;
	size_t size; /* 0: too large to be kept */
	unsigned char rec[PEEKED_MAX];
};

/* How many instructions pass in a span that begins at a place. */
struct reach {
	uint64_t place;
	uint32_t mean, deviation; /* mean 0 = none was seen */
};

#define REACHES 1024 /* places that are remembered, by hash */

struct tracer {
	struct tracer_opts opts;
	unsigned without; /* WITHOUT_* */
	struct xsave_cpu cpu;
	bool has_cpu;
	bool enabled;
	size_t page_size;
	VEC(struct tracee *) threads;
	bool detached;
	size_t turn; /* whose stop is served next, if it stands */
	struct {
		pid_t pid; /* 0 = nobody's */
		bool ended;
		int status;
	} command; /* whose end is asked for */
	struct tracer_stats stats;
	bool more;	     /* stops are waiting: tracer_service() came back early */
	uint64_t looked;     /* for threads that were lost (ns) */
	uint64_t rest_next;  /* the earliest rest_until; 0 = nobody rests */
	uint64_t usual_rest; /* running mean (ns of CPU time) */
	uint64_t priced;     /* stops that are in it */
	struct {
		int64_t ns;	 /* < 0: overdrawn */
		uint64_t filled; /* when it was */
		unsigned cpus;	 /* 0 = not begun */
		uint64_t cost;	 /* of a stop, running mean (ns) */
		size_t turn;	 /* who is let on first */
	} account;
	unsigned times;	     /* of threads that have a time_fd */
	unsigned times_most; /* 0 = not looked up yet */
	int64_t clock_diff;  /* our clock less the samples', at the smallest delay seen */
	uint64_t clock_seen;
	struct user_state state;
	struct walker *walker; /* NULL without branches */
	struct stacks *stacks; /* NULL: call chains go by frame pointers */
	struct stamps *stamps; /* NULL: no branch trace yet, or their clock cannot be read */
	struct walked walk;
	struct peeked peeked;
	struct burst *spare;	 /* for the next */
	struct peeked traced;	 /* the first sample of a branch trace; size 0 = none yet */
	struct tracee *computed; /* stands still for its branch trace; NULL = none does */
	struct {
		struct reach usual; /* from a place that was not seen before */
		struct reach from[REACHES];
		uint64_t
			call_ns; /* that a stop before a system call takes, by the clock of a span; 0 = none yet */
	} span;
	unsigned char rec[RECORD_MAX + 8], out[RECORD_MAX + 8];
};

/* Whether others may store where @th reads, while it is computed. */
static inline bool tracee_shares(const struct tracer *t, const struct tracee *th)
{
	return t->threads.n > 1 || th->accompanied;
}

/* trace.c */
struct tracee *tracee_find(struct tracer *t, pid_t tid);
struct tracee *tracee_add(struct tracer *t, pid_t tid);
/* What there is of it, in its rings too, is written; and then it is forgotten. */
int tracee_settle(struct tracer *t, struct tracee *th, struct err *e);
int tracee_drop(struct tracer *t, struct tracee *th, struct err *e);
/* What comes behind this is none of the recording. */
void tracee_count_life(struct tracer *t, struct tracee *th);
int tracee_end(struct tracer *t, struct tracee *th, int status, struct err *e);
void tracee_go_on(struct tracee *th, int sig);
/* @tid stands behind an exec: *@th becomes the thread that went there, by its former number. */
int tracee_after_exec(struct tracer *t, pid_t tid, struct tracee **th, struct err *e);
/* Something came of a thread that is not known: an end is noted; *@th: who it was before an exec. */
int tracee_stranger(struct tracer *t, pid_t tid, struct waited came, struct tracee **th,
		    struct err *e);

/* signals.c: bit n - 1 is signal n */
struct signals {
	uint64_t pending, shared; /* for the thread, for its process */
	uint64_t blocked, ignored, caught;
	pid_t pid;	  /* its process, */
	unsigned threads; /* which has so many */
};

bool signals_read(pid_t tid, struct signals *s);
/* Whether the program of @tid has a handler for @sig. */
bool signals_caught(pid_t tid, int sig);
/* Whether @sig is one of those that may stop a thread. */
bool signals_ours(int sig);
/* Whether @sig, which @tid is about to get, tells of a perf event; *@fd: of which. */
bool signals_is_event(pid_t tid, int sig, int *fd);
/* The one that stops a thread at a sample; 0 = all are blocked. */
int signals_choose(const struct signals *s);
#define RENEW_NS 100000000ULL /* programs seldom change what they do with signals */
/* Chooses again for @th, which stands still. */
void signals_renew(struct tracee *th);
/* Whether one of ours waits for @th, which stands still; *@blocked: and does not come by itself. */
bool signals_event_waits(const struct tracee *th, bool *blocked);
/*
 * Takes a signal of ours that @th blocks out of its queue. *came: another stop or the end came instead,
 * or it could not be had back.
 */
void signals_take_out(struct tracee *th, struct waited *came);
/* What could not be had back then stands still now, and blocks again what it blocked. */
void signals_close(struct tracee *th);
/*
 * Whether the call in which @tid waited is to end: handlers, and the end, are what EINTR is for. Signals
 * wait that it does not block, or it goes on with @sig (0: with none), which is not just dropped.
 */
bool signals_end_call(pid_t tid, int sig);
/*
 * host-*.c: a system call that our stop made return EINTR is entered again. So is one that @sig ended,
 * which the thread goes on with, if nothing but a tracer lets a thread notice that.
 */
bool signals_restart(pid_t tid, int sig);

/* points.c */
int points_open(struct tracer *t, struct tracee *th, bool first, struct err *e);
void points_close(struct tracer *t, struct tracee *th);
void points_enable(struct tracee *th, bool on);
/* Overflows are told by th->signal to th->tid, or when that is 0 by SIGCHLD to us. */
void points_own(struct tracee *th);
bool points_has_fd(const struct tracee *th, int fd);
int points_signal_to(int fd, pid_t tid, int sig);
/*
 * Every record that lies in the rings: samples are finished with @st (NULL: the thread does not
 * stand at a sample) and written. @walk may be NULL.
 */
int points_drain(struct tracer *t, struct tracee *th, const struct user_state *st,
		 const struct walked *walk, struct err *e);
bool points_pending(const struct tracee *th);
/* Whether records are still there that were when the last round ended. */
bool points_hold_round(const struct tracee *th);
void points_end_round(struct tracee *th);
/* A ring is half full. */
bool points_crowded(const struct tracer *t, const struct tracee *th);
/* IP and time (0 = not sampled) of the newest sample in the rings; false when there is none or it
 * is the kernel's. */
bool points_peek_user(struct tracer *t, struct tracee *th, uint64_t *ip, uint64_t *time);

/* breakpoint.c: of one thread, which stands still */
int breakpoint_arm(struct tracee *th, uint64_t addr, uint64_t passes);
/* Whether the signal that @th is about to get is the breakpoint's. */
bool breakpoint_is(const struct tracee *th);
void breakpoint_disarm(struct tracee *th);
void breakpoint_close(struct tracee *th);

/* budget.c */
#define BUDGET_STOP_NS 120000 /* signal, switches, cold caches beside what is measured, on a VM */
/*
 * How long a thread stood still before we got to it, at @now: on a busy machine more than all the
 * rest. @sampled: by the samples' clock, 0 = unknown.
 */
uint64_t budget_delay(struct tracer *t, uint64_t now, uint64_t sampled);
/* What @th, which is older than our tracing it, ran and waited up to now is not counted. */
void budget_attached(struct tracer *t, struct tracee *th);
/* The clocks of a stop are started; then *c has what it took, but for the delay. */
struct stop_cost budget_stop_begin(void);
void budget_stop_end(struct stop_cost *c);
/*
 * The CPU time (ns) that @th lost by @stops that took *c together, each noticed as late. As busy as the machine was lately,
 * of which what was up to now counts half from here on.
 */
uint64_t budget_lost(struct tracee *th, const struct stop_cost *c, unsigned stops);
/* After these: @th rests for what it lost by them. */
void budget_rest(struct tracer *t, struct tracee *th, const struct stop_cost *c, unsigned stops);
/*
 * @th, which stands at @r at a sample, rests for a moment, whatever may be spent, if all it did of late was
 * to stop.
 */
void budget_let_pass(struct tracer *t, struct tracee *th, const struct user_regs_struct *r);
/* @th stopped for what is not ours: a signal of the program's, a thread or program that it starts. */
void budget_own_stop(struct tracer *t, struct tracee *th);
/* Whether this is the first sample of @th, which is to be no burst. */
bool budget_is_first(const struct tracer *t, const struct tracee *th);
/* For a thread that was just made, or whose sample is spared: it rests, for as long as chance has it. */
void budget_begin(struct tracer *t, struct tracee *th);
/* Whether too much was done of late for samples of all threads; what a stop took of our CPU time, as it is over. */
bool budget_is_spent(struct tracer *t);
void budget_pay(struct tracer *t, uint64_t ns);
/* What is kept open of @th, which ends or has another number now. */
void budget_forget(struct tracer *t, struct tracee *th);
/* Those whose rest is over. */
void budget_wake(struct tracer *t);

/* state.c */
int state_read(struct tracer *t, pid_t tid, struct user_state *st);
/* Vector and mask registers become the vm's. */
void state_take_vectors(struct tracer *t, struct user_state *st, const struct vm *vm);
/* General registers by perf's numbers. */
void state_general(const struct user_regs_struct *gpr, struct tracer_regs *r);
/* Those that the vm knows. */
void state_of_vm(const struct vm *vm, struct tracer_regs *r);
/* The REGS_USER block for @attr into @p: its size. */
size_t state_regs_block(const struct user_state *st, const struct user_regs_struct *gpr,
			const struct perf_event_attr *attr, unsigned char *p);

/* splice.c: a kernel sample with the blocks that the kernel did not write. Size of t->out. */
size_t splice_sample(struct tracer *t, const struct tracee *th, uint32_t event, size_t size,
		     const struct user_state *st, const struct walked *walk);
/* stack.c */
int stack_walker_new(struct tracer *t, struct err *e);
void stack_walker_free(struct stacks *s);
size_t stack_read(const struct stack_place *w, uint64_t addr, void *buf, size_t n);
/* The addresses of @w's stack at @r, innermost first, at most @max, as words at @p. How many. */
size_t stack_chain(struct tracer *t, const struct stack_place *w, const struct user_regs_struct *r,
		   unsigned char *p, unsigned max);
/*
 * stamp.c: the samples' clock, for stacks that the kernel knows nothing of. One thread does all of
 * it. Where it cannot be read, which is told, that is a guess by clock_diff, which may be early.
 */
void stamps_begin(struct tracer *t);
void stamps_free(struct stamps *s);
/* The locked memory that asking takes is wanted by a thread's ring: the last answer has to do. False: there was none. */
bool stamps_give_back(struct stamps *s);
uint64_t stamps_now(struct tracer *t);
/* ahead.c: what runs on from a stop, while others want the stop's own. */
struct ahead;
int ahead_new(struct ahead **a);
void ahead_free(struct ahead *a);
void ahead_reset(struct ahead *a);
bool ahead_return(struct ahead *a, const struct stack_place *w, uint64_t sp, struct tracer_regs *r);
/* step.c: whether a stop is the end of a step that was asked for earlier. */
bool step_is_ours(const struct tracee *th, int status);
/* walk.c */
/* Whether the filter takes branches of this type. */
bool walker_wants(const struct tracer *t, uint8_t type);
/* Whether nothing of a stack depends on the time that the thread reads before. */
bool walker_timeless(const struct tracer *t);
/* CPU time of this thread: other load on the machine does not count. */
uint64_t tracer_cpu_ns(void);
int walker_new(struct tracer *t, struct err *e);
void walker_free(struct walker *w);
/* Memory that the next walk may need, while no thread stands. NULL is fine. */
void walker_make_room(struct walker *w);
/* A number may be that of another thread from now on, or its thread's memory that of another program. */
void walker_new_epoch(struct tracer *t);
/*
 * The thread stands at a user sample. What came in between, another stop or its end, stays
 * unhandled in *came. -ESRCH: it does not stand still, and what becomes of it will be told later.
 */
int walker_branches(struct tracer *t, struct tracee *th, struct user_state *st, struct walked *walk,
		    struct waited *came);

#endif
