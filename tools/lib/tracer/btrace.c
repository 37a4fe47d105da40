// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch traces: not samples of branches, but all of them, one stack behind the other. From its first
 * sample on a thread is computed while it stands still, up to its next system call. Then it is
 * let go with PTRACE_SYSCALL: it executes what was computed and stops where the computing ended, before
 * the call. There its registers are compared with the computed ones, which shows that it went that
 * way. Behind the call the computing begins again. So nothing is needed but ptrace: no
 * breakpoint, no single step, and the program is never changed.
 *
 * Where it cannot be computed on (an instruction that only the CPU knows) the thread runs blind. It
 * stands where the stretch began, and nothing may be recorded twice: so it is taken up again behind its next
 * system call, or when it has run for longer than what was computed can take. What it does in
 * between is missing, and counted as a cut.
 *
 * Handlers of signals are stretches in between: btrace-handler.c.
 *
 * A stretch without calls may be long. It is computed in slices, so that the recorder can see to
 * other things between them; but there is one interpreter, so meanwhile other threads' stops wait.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "attr/attr.h"
#include "base/bytes.h"
#include "btrace-int.h"
#include "burst-int.h"
#include "vm-int.h"
#include "walk-int.h"

#define SLICE_NS    50000000ULL
#define SLICE_LOOK  1024      /* branches until the clock is looked at */
#define INSNS	    (1 << 20) /* without a branch, the same */
#define SHARED_MOST (1 << 22) /* instructions: so long may another thread be waited for in vain */
#define BLIND_NS    1000000   /* and for what was computed, */
#define INSN_NS	    10	      /* for each instruction, */
#define FAULT_NS    20000     /* and for each page, which may be a new one */
#define SIGNAL_MOST (1 << 24) /* and a handler */
#define AWAY_MOST   16 /* system calls where a handler sent it, before the one that is awaited */

static bool goes_on(const struct tracer *t)
{
	return t->enabled && t->stats.traced < t->opts.branches.trace;
}

/* ---- stacks ------------------------------------------------------------------------------------ */

/* All but their branches, IP and chain is as in the thread's first sample; so what changes is put in. */
static void stamp(struct tracer *t, const struct tracee *th, struct btrace *b)
{
	uint64_t type = t->opts.event[b->sample.event].attr.sample_type;
	unsigned char *rec = t->out + sizeof(struct perf_event_header);

	b->time = max_u64(b->time + 1, stamps_now(t));
	if (type & PERF_SAMPLE_TIME)
		store_u64(rec + attr_head_offset(type, PERF_SAMPLE_TIME), b->time);
	if (type & PERF_SAMPLE_TID) {
		store_u32(rec + attr_head_offset(type, PERF_SAMPLE_TID), (uint32_t)th->pid);
		store_u32(rec + attr_head_offset(type, PERF_SAMPLE_TID) + 4, (uint32_t)th->tid);
	}
	/* a trace has no events that a stack could stand for */
	if (type & PERF_SAMPLE_PERIOD)
		store_u64(rec + attr_head_offset(type, PERF_SAMPLE_PERIOD), 1);
}

/* The entries as a sample. @vm: it stands where they end; NULL: the thread does, at b->way.regs. */
static int write_stack(struct tracer *t, struct tracee *th, struct vm *vm, struct err *e)
{
	struct btrace *b = th->btrace;
	struct walked *walk = &t->walk;
	size_t size;

	if (!b->way.nr)
		return 0;
	t->state.gpr = b->way.regs;
	t->state.late = t->state.is_32bit = false;
	walk->nr = b->way.nr;
	memcpy(walk->entry, b->way.entry, b->way.nr * sizeof(b->way.entry[0]));
	walk->end = b->way.regs;
	walk->moved = !vm;
	walk->memory = vm;
	walk->insns = vm ? UINT64_MAX : 0;
	walk->inexact = vm && !vm_registers(vm, &walk->end);
	memcpy(t->rec, b->sample.rec, b->sample.size);
	size = splice_sample(t, th, b->sample.event, b->sample.size, &t->state, walk);
	stamp(t, th, b);
	t->stats.samples++;
	t->stats.stacks++;
	t->stats.branches += b->way.nr;
	b->way.nr = 0;
	return t->opts.write(t->opts.ctx, t->out, size, e);
}

static void add_branch(struct tracer *t, struct btrace *b, uint64_t from, uint64_t to, uint8_t type)
{
	t->stats.passed++;
	if (!walker_wants(t, type))
		return;
	t->stats.traced++;
	b->way.entry[b->way.nr++] = (struct walk_entry){ from, to, type };
}

/*
 * As vm_run(); branches on the way are added, up to where the stack is full or the trace is at its end, so that the
 * vm stands there. @n: how many.
 */
static enum vm_result run_on(struct tracer *t, struct tracee *th, unsigned *n)
{
	struct btrace *b = th->btrace;
	struct vm *vm = t->walker->vm;
	uint64_t room = min_u64(t->opts.branches.depth - b->way.nr,
				t->opts.branches.trace - t->stats.traced);
	struct vm_insn *in = NULL;
	enum vm_result r = vm_run_past(vm, INSNS, (uint32_t)room - 1, &in);

	for (uint32_t i = 0; i < vm->nr_passed; i++)
		add_branch(t, b, vm->passed[i].from, vm->passed[i].to, vm->passed[i].type);
	if (r == VM_BRANCH)
		add_branch(t, b, in->addr, vm->rip, in->branch);
	*n = vm->nr_passed + (r == VM_BRANCH);
	return r;
}

/* ---- the way ----------------------------------------------------------------------------------- */

static void leave_vm(struct tracer *t, struct btrace *b)
{
	struct vm *vm = t->walker->vm;

	vm_registers(vm, &b->way.regs);
	b->way.known = vm->known;
	b->way.guessed = vm->guessed;
	t->stats.interpreted += vm->executed - b->start;
	t->computed = NULL;
}

/* The thread executes what was computed; it stops before the call that the vm stands at. */
static void await_call(struct tracer *t, struct tracee *th)
{
	struct btrace *b = th->btrace;

	leave_vm(t, b);
	b->way.state = BTRACE_AWAITED;
	b->way.away = 0;
	b->way.sent = false;
	tracee_go_on(th, 0);
}

static enum tracer_cut cut_of(enum vm_result r)
{
	switch (r) {
	case VM_NOMEM: return TRACER_CUT_MEMORY;
	case VM_UNKNOWN:
	case VM_FOREIGN: return TRACER_CUT_COMPUTED;
	case VM_OK: return TRACER_CUT_LIMIT;
	default: return TRACER_CUT_UNKNOWN;
	}
}

static int run_blind(struct tracer *t, struct tracee *th, enum tracer_cut cut, struct err *e)
{
	const struct vm *vm = t->walker->vm;
	uint64_t ns = BLIND_NS + (vm->executed - th->btrace->start) * INSN_NS +
		      (uint64_t)vm->nr_pages * FAULT_NS;
	int ret = write_stack(t, th, t->walker->vm, e);

	t->stats.cut[cut]++;
	leave_vm(t, th->btrace);
	th->btrace->way.state = BTRACE_BLIND;
	th->btrace->way.blind_ns = ns;
	/* no clock for it: then the next system call */
	(void)span_begin(th, ns);
	tracee_go_on(th, 0);
	return ret;
}

/*
 * Whether another thread may be waited for: it runs, but what it writes is not seen here.
 */
static bool waits_in_vain(const struct tracer *t, const struct tracee *th)
{
	return tracee_shares(t, th) && t->walker->vm->executed - th->btrace->start > SHARED_MOST;
}

static int compute(struct tracer *t, struct tracee *th, struct err *e)
{
	uint64_t until = tracer_now() + SLICE_NS;
	struct btrace *b = th->btrace;
	struct vm *vm = t->walker->vm;
	unsigned looked = 0, n;
	int ret = 0;

	while (!ret && goes_on(t)) {
		enum vm_result r = run_on(t, th, &n);

		/* one instruction that copies takes as long as hundreds of branches */
		looked += n + vm->pieces;
		vm->pieces = 0;
		if (b->way.nr == t->opts.branches.depth)
			ret = write_stack(t, th, vm, e);
		else if (r == VM_SYSCALL)
			return await_call(t, th), 0;
		else if (r != VM_OK && r != VM_BRANCH && !vm_make_room(vm))
			return run_blind(t, th, cut_of(r), e);
		if (r == VM_BRANCH && looked < SLICE_LOOK)
			continue;
		looked = 0;
		if (waits_in_vain(t, th))
			return run_blind(t, th, TRACER_CUT_LIMIT, e);
		if (tracer_now() > until)
			return ret;
	}
	return ret ? ret : btrace_end(t, th, e);
}

/* Killed, or about to be: signals that a handler takes, or nobody, wait until the thread runs. */
static bool is_ended(struct tracee *th)
{
	const uint64_t harmless = BIT(SIGURG - 1) | BIT(SIGWINCH - 1) | BIT(SIGCHLD - 1) |
				  BIT(SIGCONT - 1) | BIT(SIGSTOP - 1) | BIT(SIGTSTP - 1) |
				  BIT(SIGTTIN - 1) | BIT(SIGTTOU - 1);
	struct user_regs_struct r;
	struct signals s;

	if (!arch_read(th->tid, &r) || !signals_read(th->tid, &s))
		return true;
	th->accompanied = s.threads > 1; /* others start some meanwhile */
	return (s.pending | s.shared) & ~(s.blocked | s.ignored | s.caught | harmless);
}

static int compute_for_a_while(struct tracer *t, struct err *e)
{
	uint64_t start = tracer_cpu_ns(), begin = tracer_now();
	int ret = compute(t, t->computed, e);

	t->stats.walk_ns += tracer_cpu_ns() - start;
	t->stats.stopped_ns += tracer_now() - begin;
	return ret;
}

int btrace_compute(struct tracer *t, struct err *e)
{
	struct tracee *th = t->computed;

	if (is_ended(th))
		return btrace_end(t, th, e);
	/* it runs, but what a handler would write is not seen: it may be waited for in vain */
	if (t->walker->vm->executed - th->btrace->start > SIGNAL_MOST &&
	    btrace_handler_is_due(t, th))
		return run_blind(t, th, TRACER_CUT_SIGNAL, e);
	return compute_for_a_while(t, e);
}

/* From where the thread stands, at b->way.regs, which are wrong for those of mask @hidden. */
static int begin_stretch(struct tracer *t, struct tracee *th, uint32_t hidden, struct err *e)
{
	struct btrace *b = th->btrace;
	struct vm *vm = t->walker->vm;
	int ret;

	points_enable(th, false);
	span_end(th);
	if (arch_is_32bit(&b->way.regs)) {
		th->in_32bit = true;
		t->stats.cut[TRACER_CUT_32BIT]++;
		ret = btrace_end(t, th, e);
		/* in 64-bit code, perhaps of another program, a sample begins it anew */
		points_enable(th, t->enabled && goes_on(t));
		tracee_go_on(th, 0);
		return ret;
	}
	if (btrace_handler_is_due(t, th)) {
		b->way.state = BTRACE_OPEN;
		/* if it does not come after all, the clock stops this one */
		(void)span_begin(th, BLIND_NS);
		tracee_go_on(th, 0);
		return 0;
	}
	t->stats.walks++;
	b->way.state = BTRACE_COMPUTED;
	b->start = vm->executed;
	vm->exact = false;
	vm->uncounted = true;
	vm->guesses = true;
	vm->clock = (struct vm_clock){ .known = true };
	vm_begin(vm, th->tid, &b->way.regs);
	vm->known &= ~hidden;
	t->computed = th;
	return compute_for_a_while(t, e);
}

int btrace_end(struct tracer *t, struct tracee *th, struct err *e)
{
	struct btrace *b = th->btrace;
	bool stands = t->computed == th;
	int ret = write_stack(t, th, stands ? t->walker->vm : NULL, e);

	if (stands)
		leave_vm(t, b);
	/* what handlers interrupted is recorded as well */
	while (btrace_handler_drop(b))
		if (!ret)
			ret = write_stack(t, th, NULL, e);
	th->btrace = NULL;
	free(b);
	if (stands)
		tracee_go_on(th, 0);
	return ret;
}

/*
 * A thread that was just made stands in the call that made it. Its first stack is like that of
 * whoever began the trace.
 */
int btrace_adopt(struct tracer *t, struct tracee *th, struct err *e)
{
	if (!t->traced.size || !goes_on(t))
		return 0;
	th->btrace = calloc(1, sizeof(*th->btrace));
	if (!th->btrace)
		return err_set(e, -ENOMEM, "no memory for a branch trace");
	th->btrace->sample = t->traced;
	th->btrace->way.state = BTRACE_CALL;
	points_enable(th, false);
	return 0;
}

/* ---- stops ------------------------------------------------------------------------------------- */

/* At a sample of user space, where nothing is in the way of computing on from there. */
static bool may_begin(const struct tracer *t, const struct tracee *th, const struct user_state *st,
		      bool user, uint64_t ip)
{
	return goes_on(t) && !th->btrace && user && ip == arch_ip(&st->gpr) && th->signal &&
	       !st->is_32bit && t->peeked.size;
}

/* 32-bit code is not traced: told once for each time that a thread comes to it. */
static void note_32bit(struct tracer *t, struct tracee *th, const struct user_state *st, bool user)
{
	if (!user || !goes_on(t) || th->in_32bit == st->is_32bit)
		return;
	th->in_32bit = st->is_32bit;
	t->stats.cut[TRACER_CUT_32BIT] += th->in_32bit;
}

/* Its clock has stopped it, in user space. */
static bool may_see(const struct tracer *t, const struct tracee *th, const struct user_state *st)
{
	return goes_on(t) && th->btrace &&
	       (th->btrace->way.state == BTRACE_BLIND || th->btrace->way.state == BTRACE_OPEN) &&
	       !arch_in_call(th->tid, &st->gpr);
}

int btrace_sample(struct tracer *t, struct tracee *th, struct err *e)
{
	struct user_state *st = &t->state;
	uint64_t now = tracer_now(), ip = 0, sampled = 0;
	bool user;
	int ret = state_read(t, th->tid, st);

	if (ret)
		return 0; /* killed: its end will be told */
	user = points_peek_user(t, th, &ip, &sampled);
	if (user) /* for stamps_now(), where it has to guess */
		(void)budget_delay(t, now, sampled);
	ret = points_drain(t, th, NULL, NULL, e);
	if (ret)
		return ret;
	if (arch_in_call(th->tid, &st->gpr))
		t->stats.restarted += signals_restart(th->tid, 0);
	note_32bit(t, th, st, user);
	if (may_begin(t, th, st, user, ip)) {
		th->btrace = calloc(1, sizeof(*th->btrace));
		if (!th->btrace)
			return err_set(e, -ENOMEM, "no memory for a branch trace");
		if (!t->traced.size)
			stamps_begin(t);
		th->btrace->sample = t->traced = t->peeked;
		th->btrace->way.regs = st->gpr;
		return begin_stretch(t, th, 0, e);
	}
	if (may_see(t, th, st)) {
		th->btrace->way.regs = st->gpr;
		return begin_stretch(t, th, 0, e);
	}
	/* else it would stop at each sample for nothing */
	if (!goes_on(t))
		points_enable(th, false);
	if (th->signal && now - th->looked > RENEW_NS)
		signals_renew(th);
	tracee_go_on(th, 0);
	return 0;
}

void btrace_signal(struct tracer *t, struct tracee *th, int sig)
{
	struct btrace *b = th->btrace;

	if (!b || !goes_on(t) || (b->way.state != BTRACE_OPEN && !signals_caught(th->tid, sig)))
		return;
	b->asked = arch_read(th->tid, &b->interrupted) &&
		   !ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL);
}

bool btrace_has_asked(const struct tracee *th)
{
	return th->btrace && th->btrace->asked;
}

/* @th stands at the first instruction of one, at @r. */
static int begin_handler(struct tracer *t, struct tracee *th, const struct user_regs_struct *r,
			 struct err *e)
{
	struct btrace *b = th->btrace;
	int ret = 0;

	/* what was passed is written now: the handler may not lead back to it */
	if (b->way.state != BTRACE_AWAITED) {
		b->way.regs = b->interrupted;
		ret = write_stack(t, th, NULL, e);
	}
	if (!ret && btrace_handler_enter(t, b, r))
		ret = err_set(e, -ENOMEM, "no memory for a branch trace");
	return ret ? ret : begin_stretch(t, th, 0, e);
}

int btrace_arrived(struct tracer *t, struct tracee *th, struct err *e)
{
	struct btrace *b = th->btrace;
	struct user_regs_struct r;
	int ret = 0;

	b->asked = false;
	if (!arch_read(th->tid, &r))
		return 0; /* killed: its end will be told */
	if (!goes_on(t))
		ret = btrace_end(t, th, e);
	else if (arch_sp(&r) != arch_sp(&b->interrupted))
		return begin_handler(t, th, &r, e);
	else if (b->way.state == BTRACE_OPEN) {
		b->way.regs = r;
		return begin_stretch(t, th, 0, e);
	}
	tracee_go_on(th, 0);
	return ret;
}

/* rt_sigreturn of a handler: it ends here, wherever it was awaited. */
static int end_handler(struct tracer *t, struct tracee *th, const struct user_regs_struct *r,
		       struct err *e)
{
	struct btrace *b = th->btrace;

	t->stats.not_arrived += b->way.state == BTRACE_AWAITED;
	b->returns = true;
	b->way.regs = *r;
	return write_stack(t, th, NULL, e);
}

/* What has passed before an exec is written before it: behind, it would be taken for the new program's. */
static int write_before_exec(struct tracer *t, struct tracee *th, const struct user_regs_struct *r,
			     uint64_t nr, struct err *e)
{
	struct btrace_way *w = &th->btrace->way;

	if (w->state != BTRACE_CALL || (nr != SYS_execve && nr != SYS_execveat))
		return 0;
	w->regs = *r;
	return write_stack(t, th, NULL, e);
}

static int enter_call(struct tracer *t, struct tracee *th, const struct user_regs_struct *r,
		      const struct __ptrace_syscall_info *info, struct err *e)
{
	struct btrace_way *w = &th->btrace->way;
	int ret = 0;

	if (w->state == BTRACE_AWAITED && arch_call_entered(&w->regs, w->known, w->guessed, r)) {
		t->stats.verified++;
		w->state = BTRACE_CALL;
	} else if (w->state == BTRACE_OPEN) {
		/* the signal did not come, nor the clock */
		t->stats.cut[TRACER_CUT_SIGNAL]++;
		w->state = BTRACE_CALL;
	}
	if (info->entry.nr == SYS_rt_sigreturn &&
	    btrace_handler_returns(t, th->btrace, info->stack_pointer)) {
		ret = end_handler(t, th, r, e);
	} else if (w->state == BTRACE_AWAITED && (!w->sent || ++w->away > AWAY_MOST)) {
		t->stats.not_arrived++;
		w->state = BTRACE_CALL;
		w->regs = *r;
		ret = write_stack(t, th, NULL, e);
	}
	if (!ret)
		ret = write_before_exec(t, th, r, info->entry.nr, e);
	t->stats.calls += w->state == BTRACE_CALL;
	tracee_go_on(th, 0);
	return ret;
}

/* Behind rt_sigreturn: what was interrupted goes on. */
static int return_from(struct tracer *t, struct tracee *th, const struct user_regs_struct *r,
		       struct err *e)
{
	struct btrace *b = th->btrace;
	bool back = btrace_handler_leave(b, r);

	b->returns = false;
	if (b->way.state != BTRACE_AWAITED && b->way.state != BTRACE_BLIND) {
		b->way.regs = *r;
		return begin_stretch(t, th, 0, e);
	}
	/* the handler has sent it elsewhere, to come back later or never */
	b->way.sent = !back;
	t->stats.cut[TRACER_CUT_SIGNAL] += !back;
	if (b->way.state == BTRACE_BLIND)
		(void)span_begin(th, b->way.blind_ns);
	tracee_go_on(th, 0);
	return 0;
}

static int leave_call(struct tracer *t, struct tracee *th, const struct user_regs_struct *r,
		      struct err *e)
{
	struct btrace *b = th->btrace;
	long ret = arch_result(r);
	bool blocked;

	if (b->returns)
		return return_from(t, th, r, e);
	/* one of our own signals made it end, or will: it is entered again behind that */
	if (b->way.state == BTRACE_AWAITED || arch_restarts(ret) ||
	    (ret == -EINTR && signals_event_waits(th, &blocked) && !blocked)) {
		tracee_go_on(th, 0);
		return 0;
	}
	b->way.regs = *r;
	return begin_stretch(t, th, ARCH_CALL_HIDDEN, e);
}

int btrace_call(struct tracer *t, struct tracee *th, struct err *e)
{
	struct __ptrace_syscall_info info;
	struct user_regs_struct r;

	if (th->btrace && !goes_on(t)) {
		int ret = btrace_end(t, th, e);

		if (ret)
			return ret;
	}
	if (!th->btrace) {
		tracee_go_on(th, 0);
		return 0;
	}
	/* killed: its end will be told */
	if (!arch_read(th->tid, &r) ||
	    ptrace(PTRACE_GET_SYSCALL_INFO, th->tid, (void *)sizeof(info), &info) <= 0)
		return 0;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		return enter_call(t, th, &r, &info, e);
	return leave_call(t, th, &r, e);
}
