/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files that follow branches: one walk's progress, and the ways to make some. */
#ifndef PERF_TRACER_WALK_INT_H
#define PERF_TRACER_WALK_INT_H

#include "tracer-int.h"
#include "vm-int.h"

enum run {
	RUN_HIT,
	RUN_OTHER,  /* another stop came first, in progress.came */
	RUN_LOST,   /* it did not come there */
	RUN_GONE,   /* ended, or cannot be had back */
	RUN_FAILED, /* was not begun: no breakpoint, or too many steps */
	RUN_UNSAFE, /* was not begun: a step would change what the program does with SIGTRAP */
};

struct progress;

/* Single steps. */
struct stepper {
	/* The thread to @addr as often as the vm was there. */
	enum run (*to)(struct progress *p, const struct vm *vm, uint64_t addr);
	/* One instruction by the thread; @in NULL: nobody knows which. 0: go on; 1: the walk ends */
	int (*insn)(struct progress *p, struct vm *vm, const struct vm_insn *in,
		    enum tracer_cut *cut);
};

struct strategy {
	const char *name, *text;
	/* To the next taken branch at most, or one stop. 0: go on; 1: the walk ends (*cut: why); -ESRCH: ended */
	int (*advance)(struct progress *p, struct vm *vm, enum tracer_cut *cut);
	bool breakpoints;
	const struct stepper *steps; /* NULL: none */
	unsigned max_stops;	     /* in one walk */
};

struct walker {
	struct vm *vm;
	struct vm *look; /* for where spans end, beside a way that may go on; NULL = none yet */
	struct vm *twin; /* twin.c; NULL = none yet */
	uint64_t
		stood; /* cycles from the begin of such a way until the thread goes on, and hardly more */
	uint64_t walks;
	uint64_t random;
	uint32_t spread; /* branches that a walk passes at most */
	uint32_t owed;	 /* comparisons with the thread, in 16ths */
	uint32_t missed; /* breakpoints in a row that did not fire */
	struct arch_waits waits;
	uint64_t since, since_cycles; /* when they were measured, by two clocks */
	struct tracer_probe probe;
	const struct strategy *strategy;
};

struct progress {
	struct tracer *t;
	struct tracee *th;
	struct user_state *st;
	struct walked *walk;
	struct waited came; /* in the way of the walk, and not handled */
	const struct strategy *strategy;
	uint32_t certain;	      /* entries up to the last stop */
	struct user_regs_struct last; /* registers of the last stop */
	unsigned stops;
	uint64_t insns;
	uint64_t taken;	     /* branches, also those that the filter leaves out */
	bool at_stop;	     /* nothing was interpreted since the last stop */
	bool lost;	     /* the thread stands where the walk does not */
	bool differed;	     /* it was not as computed: entries were dropped */
	uint64_t max_passes; /* of one address: each costs an exception */
	enum { STEP_UNKNOWN, STEP_SAFE, STEP_UNSAFE } step;
};

/* strategy.c: @want made real by what the probe found; -ENOTSUP where that cannot be. */
int strategy_check(enum tracer_strategy want, const struct tracer_probe *p, struct err *e);
const struct strategy *strategy_choose(enum tracer_strategy want, const struct tracer_probe *p);
const struct strategy *strategy_without_breakpoints(void);

/* cross.c */
/* Whether the system call at @in returns at once. */
bool cross_allowed(const struct vm *vm, const struct vm_insn *in);
/* The vm as it is behind it; memory is what the thread will have made of it. */
void cross_syscall(struct vm *vm, const struct vm_insn *in);

/* walk.c */
/* A taken branch, if the filter wants it. */
void walker_add(struct progress *p, uint64_t from, uint64_t to, uint8_t type);
void walker_stand(struct progress *p, struct vm *vm, const struct user_regs_struct *r);
int walker_lost(struct progress *p, enum run run, enum tracer_cut *cut);
/* Times that a breakpoint at @addr will be hit until the thread stands there, where the vm is. */
uint64_t walker_passes(const struct progress *p, const struct vm *vm, uint64_t addr);
/* The thread to where the vm is. 0: go on; 1: the walk ends here (*cut says why); -ESRCH */
int walker_sync(struct progress *p, struct vm *vm, enum tracer_cut *cut);
/* Computes @insns instructions, or fewer up to a taken branch, or makes one stop. As strategy.advance. */
int walker_compute(struct progress *p, struct vm *vm, uint64_t insns, enum tracer_cut *cut);
int advance_interpret(struct progress *p, struct vm *vm, enum tracer_cut *cut);

/* finish.c */
/* Whether the next walk has to end where the thread can follow. */
bool finish_must(const struct tracer *t);
/* The end of the walk, with the thread where that is wanted. 0 or -ESRCH */
int finish(struct progress *p, struct vm *vm);
/* p->st becomes the state at the end. */
void finish_state(struct progress *p, struct vm *vm);
/* breakpoint.c */
/*
 * Lets the thread run until it comes to @addr for the @passes-th time. RUN_OTHER: another stop
 * came first (in p->came). RUN_LOST: it did not come, and stands still somewhere else.
 */
enum run breakpoint_run_to(struct progress *p, uint64_t addr, uint64_t passes);
/* step.c */
/* ptrace() of a PTRACE_SINGLE... request. */
int step_request(int request, pid_t tid);
/* Lets the thread do @request; RUN_HIT: it stands behind that, at @r. */
enum run step_thread(struct progress *p, int request, struct user_regs_struct *r);
/* pushf 0x9c, popf 0x9d, which the trap flag of a step gets in the way of; 0 = neither */
unsigned char step_flags_opcode(const struct vm_insn *in);
/*
 * A step over it may end behind the next instruction: CPUID where the hypervisor executes it, descriptor
 * tables where the kernel does, and mov to ss anywhere.
 */
bool step_may_slip(const struct vm_insn *in);
bool step_took_branch(const struct vm_insn *in, uint64_t to);
extern const struct stepper step_stepper;
int advance_breakpoint(struct progress *p, struct vm *vm, enum tracer_cut *cut);
int advance_step(struct progress *p, struct vm *vm, enum tracer_cut *cut);
/* block.c */
int advance_block(struct progress *p, struct vm *vm, enum tracer_cut *cut);

#endif
