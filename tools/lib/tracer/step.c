// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches by single steps. Each is a SIGTRAP that the tracer swallows. The kernel forces that
 * signal: where the program blocks or ignores it, its mask or handler would change, so there
 * nothing is stepped. Not stepped either are system calls, and what would raise an exception.
 */
#include <signal.h>
#include <sys/wait.h>

#include "branch/branch.h"
#include "walk-int.h"

#define MAX_STEPS    1000 /* to one address; each takes tens of microseconds in a virtual machine */
#define FLAG_TF	     (1 << 8)
#define STEP_TIMEOUT 200 /* ms: on a busy machine it waits for a CPU */
#define MAX_LEN	     15

/* Once in a walk: no system call of the thread's own comes between. */
static bool may_step(struct progress *p)
{
	struct signals s;

	if (p->step != STEP_UNKNOWN)
		return p->step == STEP_SAFE;
	p->step = STEP_SAFE;
	/* the trap flag: it steps itself */
	if (!signals_read(p->th->tid, &s) || (s.blocked | s.ignored) & BIT(SIGTRAP - 1) ||
	    p->st->gpr.eflags & FLAG_TF)
		p->step = STEP_UNSAFE;
	return p->step == STEP_SAFE;
}

/*
 * The instruction int1 is a program's own trap and gives the same code as a step's end. The thread
 * stands behind it, in some virtual machines at it.
 */
static bool is_int1(pid_t tid)
{
	struct user_regs_struct r;
	long word;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &r) || (long)r.orig_rax >= 0)
		return false;
	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, tid, (void *)(r.rip - 1), NULL);
	return !errno && ((word & 0xff) == 0xf1 || (word >> 8 & 0xff) == 0xf1);
}

bool step_is_ours(const struct tracee *th, int status)
{
	siginfo_t si;

	if (!th->stepped || status >> 16 || WSTOPSIG(status) != SIGTRAP ||
	    ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &si))
		return false;
	/* behind a system call the kernel reports the step itself, as TRAP_BRKPT */
	if (si.si_code == TRAP_BRKPT)
		return !is_int1(th->tid);
	return si.si_code == TRAP_TRACE || si.si_code == TRAP_BRANCH;
}

/*
 * The kernel hides the trap flag that it set for us, but takes it for the program's own where the
 * step is a popf: there it would stay.
 */
static bool read_regs(pid_t tid, struct user_regs_struct *r)
{
	if (ptrace(PTRACE_GETREGS, tid, NULL, r))
		return false;
	if (!(r->eflags & FLAG_TF))
		return true;
	r->eflags &= ~(uint64_t)FLAG_TF;
	return !ptrace(PTRACE_SETREGS, tid, NULL, r);
}

int step_request(int request, pid_t tid)
{
	unsigned without = tracer_without();

	if (request == PTRACE_SINGLEBLOCK && (without & WITHOUT_BLOCKS))
		request = PTRACE_SINGLESTEP;
	if (request == PTRACE_SINGLESTEP && (without & WITHOUT_STEPS)) {
		errno = EIO;
		return -1;
	}
	return (int)ptrace(request, tid, NULL, NULL);
}

static enum run step_once(struct progress *p, int request, struct user_regs_struct *r)
{
	struct tracee *th = p->th;
	struct waited w;

	p->stops++;
	p->t->stats.walk_stops++;
	p->t->stats.steps++;
	if (step_request(request, th->tid))
		return errno == ESRCH ? RUN_GONE : RUN_FAILED;
	th->stepped = true;
	w = tracer_wait(th->tid, STEP_TIMEOUT);
	if (w.kind == WAITED_NOTHING) /* a page that has to come from somewhere slow */
		w = tracer_fetch(th->tid);
	p->came = w;
	if (w.kind != WAITED_STOP)
		return RUN_GONE;
	if (step_is_ours(th, w.status)) {
		th->stepped = false;
		p->came.kind = WAITED_NOTHING;
		return read_regs(th->tid, r) ? RUN_HIT : RUN_GONE;
	}
	(void)read_regs(th->tid, r);
	/* a stop without a signal may come before the SIGTRAP, a signal means that there is none */
	th->stepped = w.status >> 16 != 0;
	return RUN_OTHER;
}

static bool is_cpuid(pid_t tid, uint64_t addr)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, tid, (void *)addr, NULL);
	return !errno && (word & 0xffff) == 0xa20f;
}

enum run step_thread(struct progress *p, int request, struct user_regs_struct *r)
{
	bool slips = tracer_without() & WITHOUT_CPUID_STEPS;
	enum run run;

	if (!may_step(p))
		return RUN_UNSAFE;
	slips = slips && is_cpuid(p->th->tid, p->last.rip);
	run = step_once(p, request, r);
	/* as on a machine that goes on behind CPUID; such a one was there already */
	if (run == RUN_HIT && slips && r->rip == p->last.rip + 2)
		run = step_once(p, request, r);
	return run;
}

unsigned char step_flags_opcode(const struct vm_insn *in)
{
	int n = 0;

	while (n < in->len && (in->bytes[n] == 0x66 || (in->bytes[n] & 0xf0) == 0x40))
		n++;
	return n < in->len && (in->bytes[n] & 0xfe) == 0x9c ? in->bytes[n] : 0;
}

bool step_may_slip(const struct vm_insn *in)
{
	const unsigned char *b = in->bytes;
	int n = 0;

	while (n + 2 < in->len && b[n] != 0x0f && b[n] != 0x8e)
		n++;
	if (b[n] == 0x0f)
		return b[n + 1] <= 1 || b[n + 1] == 0xa2;
	return b[n] == 0x8e && (b[n + 1] & 0x38) == 0x10;
}

static bool trap_flag_on_stack(pid_t tid, uint64_t sp, long *word)
{
	errno = 0;
	*word = ptrace(PTRACE_PEEKDATA, tid, (void *)sp, NULL);
	return !errno && (*word & FLAG_TF);
}

/* The trap flag must not stay in the copy that the program takes of its flags. */
static void clean_pushed_flags(struct progress *p, const struct user_regs_struct *r)
{
	long word;

	if (trap_flag_on_stack(p->th->tid, r->rsp, &word))
		ptrace(PTRACE_POKEDATA, p->th->tid, (void *)r->rsp, (void *)(word & ~FLAG_TF));
}

static enum run step_to(struct progress *p, const struct vm *vm, uint64_t addr)
{
	/* where it stands it does not arrive */
	uint64_t arrivals = vm_visits(vm, addr) + (p->last.rip != addr);
	struct user_regs_struct r = p->last;

	if (vm->nr_trace > MAX_STEPS)
		return RUN_FAILED;
	for (unsigned n = 0; n < MAX_STEPS; n++) {
		enum run run = step_thread(p, PTRACE_SINGLESTEP, &r);

		if (run != RUN_HIT)
			return run == RUN_UNSAFE && n ? RUN_LOST : run;
		if (r.rip == addr && --arrivals == 0)
			return RUN_HIT;
	}
	return RUN_LOST;
}

/* Whether the thread, which stood before @in, took a branch to @to. */
bool step_took_branch(const struct vm_insn *in, uint64_t to)
{
	return in->branch && (in->branch != BR_COND || to != in->addr + in->len);
}

/* Whether @in, which the thread stood before, can have led to @to, and not to what is behind it. */
static bool leads_to(const struct vm_insn *in, uint64_t to)
{
	if (!step_took_branch(in, to))
		return false;
	return in->op == OP_RET || !in->nr || in->opd[0].kind != VM_OPD_IMM ||
	       in->addr + in->len + (uint64_t)in->opd[0].value == to;
}

/*
 * The thread stands at @to, and that is not behind @in: it slipped over the next instruction, too. One
 * branch at most is in that. False: it did something else.
 */
static bool take_slip(struct progress *p, struct vm *vm, const struct vm_insn *in, uint64_t to)
{
	const struct vm_insn *next;
	enum vm_result why;

	vm->rip = in->addr + in->len;
	next = vm_fetch(vm, &why);
	if (!next)
		return false;
	if (leads_to(next, to))
		walker_add(p, next->addr, to, next->branch);
	else if (to != next->addr + next->len)
		return false;
	return true;
}

static int step_insn(struct progress *p, struct vm *vm, const struct vm_insn *in,
		     enum tracer_cut *cut)
{
	struct user_regs_struct r;
	uint64_t from = vm->rip;
	enum run run;
	bool straight;
	long word;

	if (in && step_flags_opcode(in) == 0x9d &&
	    trap_flag_on_stack(p->th->tid, p->last.rsp, &word)) {
		*cut = TRACER_CUT_UNKNOWN; /* it is about to trap itself */
		return 1;
	}
	run = step_thread(p, PTRACE_SINGLESTEP, &r);
	if (run != RUN_HIT)
		return walker_lost(p, run, cut);
	/* rep movs and the like stop behind each round */
	straight = r.rip - from <= (in ? in->len : MAX_LEN) && (r.rip != from || in);
	if (in && step_flags_opcode(in) == 0x9c)
		clean_pushed_flags(p, &r);
	if (in && step_took_branch(in, r.rip)) {
		walker_add(p, from, r.rip, in->branch);
		straight = true;
	} else if (in && step_may_slip(in) && r.rip != from + in->len) {
		straight = take_slip(p, vm, in, r.rip);
	}
	if (!straight)
		p->walk->nr = 0; /* a way that nobody understands: the stack begins behind it */
	walker_stand(p, vm, &r);
	return 0;
}

int advance_step(struct progress *p, struct vm *vm, enum tracer_cut *cut)
{
	enum vm_result why = VM_OK;
	struct vm_insn *in = vm_fetch(vm, &why);

	*cut = TRACER_CUT_LIMIT;
	if (p->stops >= p->strategy->max_stops)
		return 1;
	*cut = in && in->op == OP_SYSCALL ? TRACER_CUT_SYSCALL : TRACER_CUT_UNKNOWN;
	if (in && (in->op == OP_SYSCALL || in->op == OP_FAULT))
		return 1;
	*cut = TRACER_CUT_MEMORY;
	if (!in && why == VM_NOMEM)
		return 1;
	return step_insn(p, vm, in, cut);
}

/* Stops at every conditional and indirect branch, so that each edge is the thread's own. */
int advance_breakpoint(struct progress *p, struct vm *vm, enum tracer_cut *cut)
{
	enum vm_result why;
	struct vm_insn *in = vm_fetch(vm, &why);
	int ret = 0;

	if (in && in->branch && !p->at_stop &&
	    (in->op == OP_JCC || in->nr == 0 || in->opd[0].kind != VM_OPD_IMM))
		ret = walker_sync(p, vm, cut);
	return ret ? ret : walker_compute(p, vm, 1, cut);
}

const struct stepper step_stepper = { step_to, step_insn };
