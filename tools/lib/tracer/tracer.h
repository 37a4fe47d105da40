/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracer: the ptrace side. Register state of stopped threads and of core files; and sampling of
 * what the kernel or the machine cannot give: vector registers and taken branches at the samples
 * of real perf events.
 *
 *	struct tracer_states st = { 0 };
 *
 *	if (tracer_states_core(&st, "core.1234", &err))
 *		...
 *	vec_for_each(t, &st.threads)
 *		xsave_image_open(&im, cpu, t->xsave, t->xsave_size, &err) ...
 *	tracer_states_free(&st);
 *
 * Memory: what a struct holds belongs to it until its free function. Errors: 0 or -errno with a
 * struct err that says who refused (Yama, another tracer, credentials) and what to do.
 */
#ifndef PERF_TRACER_H
#define PERF_TRACER_H

#include "base/tables.h"
#include "uapi/perf_event.h"
#include "xsave/xsave.h"

/* ---- register state at a standstill -------------------------------------------------------------- */

struct tracer_state {
	pid_t tid;
	uint64_t ip;		    /* 0 = unknown */
	const unsigned char *xsave; /* NT_X86_XSTATE, standard form; NULL = none was there */
	size_t xsave_size;
	bool has_ssp; /* NT_X86_SHSTK: the thread uses a shadow stack */
	uint64_t ssp;
};

struct tracer_states {
	VEC(struct tracer_state) threads;
	const unsigned char *layout; /* NT_X86_XSAVE_LAYOUT of a core; NULL = none */
	size_t layout_size;
	bool by_gdb; /* a core that gdb wrote, not the kernel */
	struct arena arena;
};

/* Of every thread in an ELF core file; bytes of the file are copied. */
int tracer_states_core(struct tracer_states *st, const char *path, struct err *e);
/*
 * Of every thread of a live process: each is stopped for the time of reading and goes on as it
 * was (also when it was stopped by a signal).
 */
int tracer_states_live(struct tracer_states *st, pid_t pid, struct err *e);
void tracer_states_free(struct tracer_states *st);

/* What decides whether we may trace a thread. */
struct tracer_facts {
	pid_t tid;
	bool there, zombie, kernel_thread;
	pid_t tracer; /* who traces it already; 0 = nobody */
	char tracer_name[32];
	uid_t uid, our_uid; /* effective ones */
	bool dumpable;
	bool descendant; /* of ours; looked at for Yama's scope 1 only */
	int yama_scope;	 /* kernel.yama.ptrace_scope; 0 also where there is no Yama */
	bool may_ptrace; /* we have CAP_SYS_PTRACE */
	bool we_are_filtered;
};

/* False: there is no such thread. */
bool tracer_facts_read(pid_t tid, struct tracer_facts *f);
/* Of a thread that was refused, by these facts: who refused it, and the way out. -EPERM, -ESRCH */
int tracer_explain(const struct tracer_facts *f, struct err *e);
/* Fills @e for a failed PTRACE_SEIZE of @tid. */
int tracer_attach_error(pid_t tid, int code, struct err *e);
/* Refuses @tid beforehand, where the facts leave no hope. */
int tracer_check(pid_t tid, struct err *e);

/* ---- sampling ------------------------------------------------------------------------------------- */

/*
 * Every thread gets its own perf events, small rings and a signal at each overflow. The signal
 * stops the thread at the sampled instruction, before it runs on; here its state is read, and
 * the signal is swallowed. What comes out are the kernel's own samples with the missing blocks
 * put in: REGS_USER with the SIMD block, BRANCH_STACK, RAW with the bases of FS and GS.
 *
 *	tracer_new(&t, &opts, &err);
 *	tracer_attach(t, pid, true, &err);
 *	while (tracer_service(t, &err) > 0)		-- whenever SIGCHLD came or the timeout is over
 *		wait at most tracer_timeout_ms(t) for SIGCHLD
 *	tracer_detach(t, &err);
 *
 * The caller blocks SIGCHLD before tracer_new() and uses no wait() of its own meanwhile. One
 * thread of the caller does all calls: ptrace belongs to it.
 *
 * A program must not suffer when the recorder dies at any moment. So the signal is SIGURG, whose
 * default is to be ignored, and breakpoints are perf events, too: both vanish with the recorder's
 * descriptors, and nothing of what is left over can end the program.
 *
 * A register in its initial state is left out of the SIMD block, which then has fewer or
 * narrower vectors than the attr names.
 */
/*
 * How branches are followed. Stepping goes through SIGTRAP, which would end the program if the
 * recorder died between a step and its stop; so it is done only where it is asked for.
 */
enum tracer_strategy {
	TRACER_AUTO,	   /* interpret */
	TRACER_INTERPRET,  /* computed, with a breakpoint, if these fire, where that cannot go on */
	TRACER_BREAKPOINT, /* a breakpoint at each conditional and indirect branch */
	TRACER_BLOCK,	   /* PTRACE_SINGLEBLOCK: a stop at each taken branch, where it is real */
	TRACER_STEP,	   /* PTRACE_SINGLESTEP: a stop at each instruction */
};

/* What of sampling is there on this architecture. */
struct tracer_machine {
	const char *name;
	bool samples; /* at all: registers, branches */
	bool chains;  /* call stacks of stopped threads by rules */
	/*
	 * Samples in the kernel, too. Else only those in user space: a system call that a stop
	 * interrupts could not be entered again, and the program would see it fail.
	 */
	bool kernel;
};

const struct tracer_machine *tracer_machine(void);

/* What this machine can do, tried on a child of our own. */
struct tracer_probe {
	const char *untried;   /* why nothing was; NULL: it was */
	bool breakpoints;      /* they fire, at the instruction and the pass that they should */
	bool breakpoints_open; /* that alone says nothing */
	bool steps;
	bool blocks;	      /* block stepping stops at taken branches only */
	unsigned block_stops; /* of it over a block of block_insns instructions, */
	unsigned block_insns; /* of which block_branches are branches; 0 = refused */
	unsigned block_branches;
};

void tracer_probe(struct tracer_probe *p);
int tracer_strategy_parse(const char *name, enum tracer_strategy *s, struct err *e);

struct tracer_branches {
	bool on;
	enum tracer_strategy strategy;
	uint64_t filter; /* PERF_SAMPLE_BRANCH_* without kernel privileges */
	uint32_t depth;	 /* 1..64 */
	double budget;	 /* percent of a thread's time; 0 = no bound */
	/*
	 * ns of a thread's time of which all branches are taken; 0 = one stack. Of one event, without
	 * registers, and computed (TRACER_INTERPRET, or what TRACER_AUTO is)
	 */
	uint64_t span;
	uint64_t trace; /* so many branches, one behind the other and no others; 0 = samples */
};

/* ---- call chains: without it those of frame pointers -------------------------------------------- */

#define TRACER_REGS 33

struct tracer_regs {
	uint64_t known; /* bit n: reg[n], by the numbers of sample_regs_user */
	uint64_t reg[TRACER_REGS];
};

/* A thread where its sample is: it stands there, or what is computed of it does. */
struct tracer_stack {
	pid_t pid, tid;
	bool is_32bit;
	struct tracer_regs regs;
	/* Of its memory there: bytes that were read. */
	size_t (*read)(void *ctx, uint64_t addr, void *buf, size_t n);
	/*
	 * The registers behind the return from the function whose stack pointer is @sp: the thread's
	 * instructions are interpreted up to there. NULL: it cannot be; false: it is too far.
	 */
	bool (*returns)(void *ctx, uint64_t sp, struct tracer_regs *r);
	void *ctx;
};

struct tracer_chains {
	/* Innermost first into ip[@max]; how many. ctx is the one of tracer_opts. */
	size_t (*unwind)(void *ctx, const struct tracer_stack *s, uint64_t *ip, size_t max);
	bool ahead; /* give it returns() */
};

#define TRACER_MAX_CHAIN  7000 /* what a record has room for */
#define TRACER_CHAIN	  1024 /* where the event's attr says nothing */
#define TRACER_MAX_EVENTS 8
#define TRACER_MAX_DEPTH  64

struct tracer_event {
	/* as in the file, with the blocks that come from here; without the kernel where that is not sampled */
	struct perf_event_attr attr;
	uint64_t id; /* goes into ID and IDENTIFIER of its samples */
};

struct tracer_opts {
	struct tracer_event event[TRACER_MAX_EVENTS];
	size_t nr_events;
	bool regs;	   /* REGS_USER comes from here */
	bool bases, mxcsr; /* so does RAW: see RAW_BASES */
	bool inherit;	   /* follow new threads and children */
	bool on_exec;	   /* start at the exec of the first process */
	bool paused;	   /* start with tracer_enable() */
	double reg_budget; /* without branches: percent of a thread's time; 0 = no bound */
	struct tracer_branches branches;
	struct tracer_chains chains;
	/* Takes one whole record. 0 or -errno. */
	int (*write)(void *ctx, const void *rec, size_t size, struct err *e);
	void *ctx;
	struct log_sink log; /* threads that are not watched as they should be */
};

/* Why a branch stack has fewer entries than asked for. */
enum tracer_cut {
	TRACER_CUT_SYSCALL,
	TRACER_CUT_SIGNAL,
	TRACER_CUT_EXIT,
	TRACER_CUT_LIMIT,
	TRACER_CUT_UNKNOWN,
	TRACER_CUT_DIVERGED,
	TRACER_CUT_32BIT,
	TRACER_CUT_MEMORY,
	TRACER_CUT_BLOCKED,  /* the thread blocks or ignores the signal that a stop needs */
	TRACER_CUT_COMPUTED, /* the thread would have to run, and no breakpoint leads there */
	TRACER_CUT_CLOCK,    /* the way depends on the time that the thread reads */
	TRACER_CUTS,
};

const char *tracer_cut_name(enum tracer_cut cut);

struct tracer_stats {
	uint64_t threads, threads_peak;
	uint64_t samples; /* written */
	uint64_t
		kernel_samples; /* of these: overflow in the kernel, user registers of the return */
	uint64_t stateless;	/* of these: no stop at their instruction (signal blocked) */
	uint64_t lost, throttled;
	uint64_t stops;	     /* for samples; of a burst the first */
	uint64_t rests;	     /* a thread's events were off to keep the budget */
	uint64_t own_stops;  /* beside these: for signals of the program's, and what it started */
	uint64_t spared;     /* samples without branches, since the budget was spent */
	uint64_t stopped_ns; /* threads stood still for samples and walks */
	uint64_t lived_ns;   /* threads' lifetimes under the tracer */
	uint64_t walks, stacks, branches;
	uint64_t walk_stops;  /* beyond the sample's own stop: breakpoints and steps */
	uint64_t steps;	      /* of these */
	uint64_t interpreted; /* instructions */
	uint64_t passed;      /* branches on the way of walks, also those that are not kept */
	uint64_t walk_ns;     /* of our CPU time, without writing */
	uint64_t cut[TRACER_CUTS];
	uint64_t verified;	/* walks that were compared with the thread */
	uint64_t verify_failed; /* of these, stacks dropped: the thread was not as computed */
	uint64_t spans;		/* walks that are of a span each */
	uint64_t on_its_cpu;	/* of these, computed on the thread's CPU */
	uint64_t followed;	/* system calls in spans */
	uint64_t not_arrived;	/* walks for which it did not come where it was awaited */
	uint64_t inexact;	/* samples whose registers nobody knows */
	uint64_t chains, chains_ahead; /* unwound; returns that were run ahead for */
	uint64_t chain_ns;	       /* of our CPU time, for these */
	uint64_t unseen;	       /* threads whose end or stop was missed: a defect */
	uint64_t restarted;	       /* system calls that would have returned EINTR for us */
	uint64_t traced;   /* branches of traces: all of them, stacks not written yet, too */
	uint64_t calls;	   /* system calls between their stretches */
	uint64_t handlers; /* of signals, which are stretches, too */
};

struct tracer;

/* The attr that the kernel gets for @file: without what comes from here. */
void tracer_kernel_attr(const struct tracer_opts *o, const struct perf_event_attr *file,
			struct perf_event_attr *kernel);
int tracer_new(struct tracer **t, const struct tracer_opts *opts, struct err *e);
/* How branches are followed, in words; "" without them. And what the machine would do. */
const char *tracer_how(const struct tracer *t);
const struct tracer_probe *tracer_probed(const struct tracer *t);
/* Threads may be stepped: our sudden death would be theirs. */
bool tracer_steps(const struct tracer *t);
/* One thread, or with @process all threads of its process. */
int tracer_attach(struct tracer *t, pid_t tid, bool process, struct err *e);
/* Handles what waits. The number of threads left (0: all have ended), or -errno. */
int tracer_service(struct tracer *t, struct err *e);
/* Until when tracer_service() is due again; -1 = when SIGCHLD comes. */
int tracer_timeout_ms(const struct tracer *t);
/*
 * Whether a FINISHED_ROUND may be written now: readers take it for a promise that nothing will come
 * which is older than what was written before the one before. Samples of threads that did not stop
 * yet wait in their rings; none of those may have waited there already at the last yes.
 */
bool tracer_ends_round(struct tracer *t);
void tracer_enable(struct tracer *t, bool on);
/* As many branches were traced as were asked for: nothing more will come. */
bool tracer_has_traced(const struct tracer *t);
/*
 * @pid is a child of ours, traced or not: the tracer waits for all, so who else waits for it may wait in vain.
 * Whether it has ended; *status as waitpid() gives it.
 */
void tracer_watch_end(struct tracer *t, pid_t pid);
bool tracer_ended(const struct tracer *t, int *status);
/*
 * Lets every thread go as it was, and writes what there is of it. One that does not stop in some seconds is
 * left; so is one that sleeps where no system call can be entered again.
 */
int tracer_detach(struct tracer *t, struct err *e);
/*
 * Lets go of one that was left and stands now, or waits for some ms for one. To be called again and again: in
 * between, and until tracer_free(), those that stop stand. It writes nothing.
 */
void tracer_serve_left(struct tracer *t);
size_t tracer_left(const struct tracer *t); /* threads that are traced */
const struct tracer_stats *tracer_stats(struct tracer *t);
void tracer_free(struct tracer *t); /* detaches first */

#endif
