// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A branch stack in software: from the sampled instruction the walk goes forward until enough
 * branches were taken, and the sample's IP becomes the place where it ended, so that the stack
 * reads like one of LBR. Most of the way is computed (vm-int.h). Where that cannot go on, a hardware
 * breakpoint brings the thread itself there, and what was computed is compared with it.
 *
 * A clock stops a program where it spends its time: before slow instructions, in slow loops. Stacks
 * that begin there would show branches by time and not by count. So the walk passes a random number
 * of branches before those that it keeps; what takes turns within that distance evens out.
 */
#include <stdlib.h>
#include <time.h>

#include "walk-int.h"

#define MAX_INSNS    VM_TRACE /* interpreted in one walk */
#define MAX_PASSES   24	      /* of one address: each costs an exception */
#define CHECK_PASSES (TRACER_MAX_DEPTH + 16)
#define MISSED_MAX   4
#define SPREAD_FIRST 512
#define SPREAD_LEAST 128
#define WALK_NS	     250000 /* of computing and stops that half of the walks take at most */
#define STOP_NS	     25000
#define STOOD_FIRST  20000000 /* cycles */

int walker_new(struct tracer *t, struct err *e)
{
	struct walker *w = calloc(1, sizeof(*w));
	int ret;

	if (!w || vm_new(&w->vm, VM_HOST)) {
		free(w);
		return err_set(e, -ENOMEM, "no memory for following branches");
	}
	if (!vm_host_decodes()) {
		walker_free(w);
		err_set(e, -ENOTSUP,
			"branches cannot be followed in software: perf was built without "
			"Zydis");
		err_hint(e, "Install libzydis-dev and build again.");
		return -ENOTSUP;
	}
	w->vm->epoch = 1;
	w->random = tracer_now() | 1;
	w->spread = SPREAD_FIRST;
	w->stood = STOOD_FIRST;
	arch_measure(&w->waits);
	w->since_cycles = arch_cycles();
	w->since = tracer_now();
	tracer_probe(&w->probe);
	ret = strategy_check(t->opts.branches.strategy, &w->probe, e);
	if (ret) {
		walker_free(w);
		return ret;
	}
	w->strategy = t->opts.branches.trace
			      ? strategy_without_breakpoints()
			      : strategy_choose(t->opts.branches.strategy, &w->probe);
	/* now, and not at the end of the first span, while a thread stands still; there it is tried again */
	if (t->opts.branches.span) {
		(void)vm_new(&w->look, VM_HOST);
		(void)vm_keep_stored(w->vm);
	}
	t->walker = w;
	return 0;
}

const char *tracer_how(const struct tracer *t)
{
	return t->walker ? t->walker->strategy->text : "";
}

bool tracer_steps(const struct tracer *t)
{
	return t->walker && t->walker->strategy->steps;
}

const struct tracer_probe *tracer_probed(const struct tracer *t)
{
	return t->walker ? &t->walker->probe : NULL;
}

void walker_free(struct walker *w)
{
	if (w) {
		vm_free(w->vm);
		vm_free(w->look);
		vm_free(w->twin);
	}
	free(w);
}

void walker_make_room(struct walker *w)
{
	if (w)
		vm_room_ahead(w->vm);
}

void walker_new_epoch(struct tracer *t)
{
	if (t->walker)
		t->walker->vm->epoch++;
}

const char *tracer_cut_name(enum tracer_cut cut)
{
	static const char *const names[TRACER_CUTS] = {
		"system call",	   "signal",	     "exit",	    "limit",
		"exception",	   "diverged",	     "32-bit code", "memory",
		"signals blocked", "not computable", "clock",
	};

	return cut < TRACER_CUTS ? names[cut] : "?";
}

/* ---- the way --------------------------------------------------------------------------------------------- */

/*
 * A probe saw breakpoints fire, elsewhere. Where they have stopped to do so (a machine that was
 * moved, a debugger that took the registers) no walk waits for them any more.
 */
static void note_arrival(struct progress *p, enum run run)
{
	struct walker *w = p->t->walker;

	if (run == RUN_HIT)
		w->missed = 0;
	if (run != RUN_LOST || ++w->missed < MISSED_MAX ||
	    p->strategy->advance != advance_interpret)
		return;
	w->strategy = p->strategy = strategy_without_breakpoints();
}

/* Where breakpoints are not to be had, single steps lead there. */
static enum run bring_to(struct progress *p, const struct vm *vm, uint64_t addr, uint64_t passes)
{
	enum run run = RUN_FAILED;

	if (p->strategy->breakpoints && p->th->signal) {
		run = breakpoint_run_to(p, addr, passes);
		if (!vm->guessed) /* it may be the way that was wrong */
			note_arrival(p, run);
	}
	return run == RUN_FAILED && p->strategy->steps ? p->strategy->steps->to(p, vm, addr) : run;
}

bool walker_wants(const struct tracer *t, uint8_t type)
{
	uint64_t filter = t->opts.branches.filter;
	static const struct {
		uint64_t bit;
		uint32_t types; /* bit n: type n */
	} rows[] = {
		{ PERF_SAMPLE_BRANCH_ANY, ~0u },
		{ PERF_SAMPLE_BRANCH_ANY_CALL, 1 << 4 | 1 << 5 },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, 1 << 6 },
		{ PERF_SAMPLE_BRANCH_IND_CALL, 1 << 5 },
		{ PERF_SAMPLE_BRANCH_IND_JUMP, 1 << 3 },
		{ PERF_SAMPLE_BRANCH_CALL, 1 << 4 },
		{ PERF_SAMPLE_BRANCH_COND, 1 << 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if ((filter & rows[i].bit) && (rows[i].types >> type & 1))
			return true;
	return false;
}

/*
 * Registers, and memory that is copied into a sample, would hold a time that the thread never read. Addresses of branches and of
 * callers do not.
 */
bool walker_timeless(const struct tracer *t)
{
	return !t->opts.regs && !t->opts.bases && !t->opts.mxcsr &&
	       !(t->opts.event[0].attr.sample_type & PERF_SAMPLE_STACK_USER);
}

void walker_add(struct progress *p, uint64_t from, uint64_t to, uint8_t type)
{
	p->taken++;
	if (walker_wants(p->t, type))
		p->walk->entry[p->walk->nr++] = (struct walk_entry){ from, to, type };
}

/* The thread stands at @r now, and everything so far is certain. */
void walker_stand(struct progress *p, struct vm *vm, const struct user_regs_struct *r)
{
	p->last = *r;
	p->certain = p->walk->nr;
	p->at_stop = true;
	vm_sync(vm, r);
}

/* The thread has come to where the vm is: what was computed becomes certain, or void. */
static int take_stop(struct progress *p, struct vm *vm)
{
	struct user_regs_struct r;

	if (!arch_read(p->th->tid, &r))
		return -ESRCH;
	if (vm->guessed) {
		/* whatever has to do with the time is another one */
		vm->known &= BIT(VM_HOST_SP);
		vm->flags_known = 0;
		vm->lazy = VM_LAZY_NOT;
	}
	if (!vm_agrees(vm, &r)) {
		/* another thread's store, most likely: the entries since the last stop are guesses */
		p->differed = true;
		p->walk->nr = 0;
		vm->keep_pages = false;
	}
	walker_stand(p, vm, &r);
	return 0;
}

/* Times that the breakpoint will be hit until the thread stands at @addr, where the vm is. */
uint64_t walker_passes(const struct progress *p, const struct vm *vm, uint64_t addr)
{
	uint64_t n = vm_visits(vm, addr) + 1;

	/* the resume flag lets the first instruction through */
	if (addr == arch_ip(&p->last) && arch_resumes(&p->last) && n > 1)
		n--;
	return n;
}

/* A way of the thread that did not lead where it should: 1, the walk ends, or -ESRCH. */
int walker_lost(struct progress *p, enum run run, enum tracer_cut *cut)
{
	switch (run) {
	case RUN_OTHER: *cut = TRACER_CUT_SIGNAL; break;
	case RUN_LOST:
		*cut = TRACER_CUT_DIVERGED;
		p->t->stats.not_arrived++;
		break;
	case RUN_GONE: *cut = TRACER_CUT_EXIT; return p->came.kind == WAITED_END ? 1 : -ESRCH;
	case RUN_UNSAFE: *cut = TRACER_CUT_BLOCKED; return 1;
	default: *cut = p->th->signal ? TRACER_CUT_COMPUTED : TRACER_CUT_BLOCKED; return 1;
	}
	/* it stands at neither place: what is certain ends at the last stop */
	p->walk->nr = p->certain;
	p->lost = true;
	return 1;
}

/* The thread to where the vm is. 0: go on; 1: the walk ends here (*cut says why); -ESRCH */
int walker_sync(struct progress *p, struct vm *vm, enum tracer_cut *cut)
{
	uint64_t passes = walker_passes(p, vm, vm->rip);
	enum run run;

	*cut = p->strategy->max_stops ? TRACER_CUT_LIMIT : TRACER_CUT_COMPUTED;
	if (passes > p->max_passes || p->stops >= p->strategy->max_stops)
		return 1;
	run = bring_to(p, vm, vm->rip, passes);
	return run == RUN_HIT ? take_stop(p, vm) : walker_lost(p, run, cut);
}

/* An instruction that only the thread can execute: to the one behind it. */
static int step_over(struct progress *p, struct vm *vm, const struct vm_insn *in,
		     enum tracer_cut *cut)
{
	enum vm_result why;

	if (!p->at_stop) {
		int ret = walker_sync(p, vm, cut);

		if (ret)
			return ret;
	}
	/* what it writes is not known, so nothing but the address is compared */
	vm->known = 0;
	vm->flags_known = 0;
	vm->lazy = VM_LAZY_NOT;
	vm->rip = in->addr + in->len;
	*cut = TRACER_CUT_MEMORY;
	return vm_fetch(vm, &why) ? walker_sync(p, vm, cut) : 1;
}

/* A system call that returns at once; where the thread cannot be had behind it, as it was before. */
static int cross(struct progress *p, struct vm *vm, const struct vm_insn *in, enum tracer_cut *cut)
{
	uint32_t known = vm->known;
	int ret;

	if (p->strategy->max_stops && cross_allowed(vm, in)) {
		cross_syscall(vm, in);
		p->at_stop = false;
		ret = walker_sync(p, vm, cut);
		if (ret != 1 || p->lost)
			return ret;
		vm->known = known;
		vm->rip = in->addr;
	}
	*cut = TRACER_CUT_SYSCALL;
	return 1;
}

/* Bytes that are no instruction to us, perhaps to a newer CPU: one step of the thread tells. */
static int step_unknown(struct progress *p, struct vm *vm, enum tracer_cut *cut)
{
	int ret = p->at_stop ? 0 : walker_sync(p, vm, cut);

	return ret ? ret : p->strategy->steps->insn(p, vm, NULL, cut);
}

/* The walk cannot go on by itself. */
static int meet(struct progress *p, struct vm *vm, const struct vm_insn *in, enum vm_result r,
		enum tracer_cut *cut)
{
	switch (r) {
	case VM_UNKNOWN:
		*cut = TRACER_CUT_UNKNOWN;
		vm->keep_pages = !tracee_shares(p->t, p->th) && !vm->guessed;
		return p->at_stop ? 1 : walker_sync(p, vm, cut);
	case VM_FOREIGN: return step_over(p, vm, in, cut);
	case VM_SYSCALL: return cross(p, vm, in, cut);
	default: break;
	}
	/* pages are dropped at a stop: then a full set of them is no reason to end */
	if (r == VM_NOMEM && !p->at_stop && vm->nr_pages == VM_PAGES)
		return walker_sync(p, vm, cut);
	*cut = r == VM_NOMEM ? TRACER_CUT_MEMORY : TRACER_CUT_UNKNOWN;
	return 1;
}

int walker_compute(struct progress *p, struct vm *vm, uint64_t insns, enum tracer_cut *cut)
{
	uint64_t before = vm->executed;
	struct vm_insn *in = NULL;
	enum vm_result r = vm_run(vm, insns, &in);

	if (vm->executed != before) {
		p->insns += vm->executed - before - 1; /* follow() has counted one */
		p->at_stop = false;
	}
	if (r == VM_OK)
		return 0;
	if (r == VM_BRANCH) {
		walker_add(p, in->addr, vm->rip, in->branch);
		return 0;
	}
	if (!in && r == VM_FAULT && p->strategy->steps)
		return step_unknown(p, vm, cut);
	if (!in)
		return meet(p, vm, NULL, r == VM_NOMEM ? r : VM_FAULT, cut);
	return meet(p, vm, in, r, cut);
}

int advance_interpret(struct progress *p, struct vm *vm, enum tracer_cut *cut)
{
	return walker_compute(p, vm, MAX_INSNS - p->insns + 1, cut);
}

/* xorshift64: Marsaglia, "Xorshift RNGs", 2003 */
static uint64_t next_random(struct walker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

/*
 * Branches to pass by before those that are kept. None where the thread must come to the end: in a
 * hot loop that is too far; and none where each of them is a stop.
 */
static uint32_t spread(const struct tracer *t)
{
	if (t->opts.regs || t->walker->strategy->advance != advance_interpret || finish_must(t))
		return 0;
	return (uint32_t)(next_random(t->walker) >> 32) % t->walker->spread;
}

/*
 * As far as it costs no more than WALK_NS. It changes slowly, over many walks: if it followed the
 * single walk, stacks would end where walks are dear.
 */
static void adapt_spread(struct walker *w, uint64_t ns)
{
	if (ns > WALK_NS)
		w->spread = (uint32_t)max_u64(w->spread - w->spread / 64, SPREAD_LEAST);
	else
		w->spread = (uint32_t)min_u64(w->spread + w->spread / 64 + 1, WALK_SPREAD);
}

uint64_t tracer_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int follow(struct progress *p, struct vm *vm, uint32_t depth, enum tracer_cut *cut)
{
	uint32_t pass = spread(p->t), want = depth;
	int ret = 0;

	while (!ret && (p->taken < pass || p->walk->nr < want)) {
		if (p->taken < pass)
			want = p->walk->nr + depth;
		if (p->insns >= MAX_INSNS) {
			*cut = TRACER_CUT_LIMIT;
			break;
		}
		p->insns++;
		ret = p->strategy->advance(p, vm, cut);
	}
	return ret;
}

/* Only the newest @depth entries are the stack. */
static void keep_newest(struct walked *walk, uint32_t depth)
{
	if (walk->nr <= depth)
		return;
	memmove(walk->entry, walk->entry + walk->nr - depth, depth * sizeof(walk->entry[0]));
	walk->nr = depth;
}

int walker_branches(struct tracer *t, struct tracee *th, struct user_state *st, struct walked *walk,
		    struct waited *came)
{
	struct progress p = { .t = t,
			      .th = th,
			      .st = st,
			      .walk = walk,
			      .strategy = t->walker->strategy,
			      .max_passes = finish_must(t) ? CHECK_PASSES : MAX_PASSES,
			      .last = st->gpr,
			      .at_stop = true };
	struct vm *vm = t->walker->vm;
	enum tracer_cut cut = TRACER_CUT_LIMIT;
	uint64_t before = vm->executed, start = tracer_cpu_ns();
	uint32_t depth = t->opts.branches.depth;
	int ret;

	t->stats.walks++;
	t->stats.stacks++;
	t->walker->walks++;
	walk->nr = 0;
	walk->moved = walk->inexact = false;
	walk->memory = NULL;
	walk->insns = UINT64_MAX;
	walk->end = st->gpr;
	if (st->is_32bit) {
		t->stats.cut[TRACER_CUT_32BIT]++;
		return 0;
	}
	vm->exact = t->opts.regs;
	vm->uncounted = false;
	vm->clock = (struct vm_clock){ .known = walker_timeless(t), .per_insn = VM_CLOCK_FAST };
	vm_begin(vm, th->tid, &st->gpr);
	ret = follow(&p, vm, depth, &cut);
	if (ret >= 0)
		ret = finish(&p, vm);
	breakpoint_disarm(th);
	start = tracer_cpu_ns() - start;
	t->stats.walk_ns += start;
	t->stats.passed += p.taken;
	if (p.max_passes == MAX_PASSES)
		adapt_spread(t->walker, start + p.stops * STOP_NS);
	keep_newest(walk, depth);
	if (walk->nr < depth && ret >= 0)
		t->stats.cut[cut]++;
	t->stats.branches += walk->nr;
	t->stats.interpreted += vm->executed - before;
	if (!ret && t->opts.regs)
		finish_state(&p, vm);
	walk->insns = walk->moved ? (p.at_stop && !p.came.kind && !p.lost ? 0 : UINT64_MAX)
		      : p.stops	  ? UINT64_MAX
				  : vm->executed - before;
	*came = p.came;
	return ret;
}
