// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches by block steps (DEBUGCTL.BTF): the thread stops behind each taken branch, at its target.
 * Where the branch stands is read from the code: on the straight line from the last stop one
 * branch leads there, and the flags at the stop are still those that it saw. A line that does not
 * tell for certain is single-stepped.
 */
#include "exec-int.h"
#include "walk-int.h"

#define LINE_EXITS 24
#define LINE_INSNS 128

struct line_exit {
	uint64_t from, to;
	uint8_t type, cond;
	bool conditional, anywhere; /* indirect */
};

/* The ways out of the code from vm->rip on, up to the first branch that is always taken. */
struct line {
	struct line_exit exit[LINE_EXITS];
	unsigned nr;
	struct vm_insn last; /* of the last exit */
	bool clean; /* one exit for each target, and nothing but plain instructions before it */
};

static void line_add(struct line *l, const struct vm_insn *in)
{
	struct line_exit *x = &l->exit[l->nr++];
	bool direct = in->nr && in->opd[0].kind == VM_OPD_IMM && in->op != OP_RET;

	*x = (struct line_exit){ .from = in->addr,
				 .type = in->branch,
				 .cond = in->cond,
				 .conditional = in->op == OP_JCC,
				 .anywhere = !direct };
	if (direct)
		x->to = in->addr + in->len + (uint64_t)in->opd[0].value;
	for (unsigned i = 0; i + 1 < l->nr; i++)
		if (!x->anywhere && l->exit[i].to == x->to)
			l->clean = false;
}

/* @real: rep movs and the like are one step; else there is a stop behind each round. */
static void line_read(struct vm *vm, struct line *l, bool real)
{
	uint64_t start = vm->rip;
	bool end = false;

	*l = (struct line){ .clean = true };
	for (unsigned n = 0; !end && l->clean; n++) {
		enum vm_result why;
		struct vm_insn *in = n < LINE_INSNS ? vm_fetch(vm, &why) : NULL;

		if (!in || in->op == OP_SYSCALL || in->op == OP_FAULT || in->op == OP_LOOP ||
		    in->op == OP_JCXZ || in->regs_written == 0xffff || step_flags_opcode(in) ||
		    step_may_slip(in) || l->nr == LINE_EXITS || (in->rep && !real)) {
			l->clean = false;
			break;
		}
		if (in->branch)
			line_add(l, in), l->last = *in;
		end = in->branch && in->op != OP_JCC;
		vm->rip += in->len;
	}
	vm->rip = start;
}

/* Whether the indirect branch at the end of @l can have led to where the vm stands. */
static bool came_indirectly(const struct line *l, struct vm *vm)
{
	const struct vm_insn *in = &l->last;
	uint64_t sp = vm->reg[VM_SP], word;
	struct val to;

	switch (in->op) {
	case OP_RET:
		sp -= 8 + (in->nr ? (uint64_t)in->opd[0].value : 0);
		return vm_load(vm, sp, 8, &word) == VM_OK && word == vm->rip;
	case OP_CALL: return vm_load(vm, sp, 8, &word) == VM_OK && word == in->addr + in->len;
	default: return exec_get(vm, in, 0, &to) == VM_OK && to.known && to.v == vm->rip;
	}
}

static bool led_here(const struct line *l, const struct line_exit *x, struct vm *vm)
{
	if (x->anywhere)
		return came_indirectly(l, vm);
	return x->to == vm->rip && (!x->conditional || exec_holds(vm->flags, x->cond));
}

/* The exit that leads to where the vm stands; NULL when none does, or more than one. */
static const struct line_exit *line_find(const struct line *l, struct vm *vm)
{
	const struct line_exit *found = NULL;

	for (unsigned i = 0; i < l->nr; i++) {
		if (!led_here(l, &l->exit[i], vm))
			continue;
		if (found)
			return NULL;
		found = &l->exit[i];
	}
	return found;
}

/*
 * To the next taken branch. Where block stepping is none (virtual machines drop BTF) the stops at
 * the instructions between are passed over, and *from says which instruction it was.
 */
static enum run block_step(struct progress *p, struct vm *vm, struct user_regs_struct *r,
			   uint64_t *from)
{
	enum vm_result why;
	uint64_t start = vm->rip;
	enum run run;

	*from = 0;
	if (p->t->walker->probe.blocks)
		return step_thread(p, PTRACE_SINGLEBLOCK, r);
	for (unsigned n = 0; n < LINE_INSNS; n++) {
		struct vm_insn *in = vm_fetch(vm, &why);
		bool taken;

		run = in ? step_thread(p, PTRACE_SINGLEBLOCK, r) : RUN_LOST;
		if (run != RUN_HIT)
			return run;
		taken = step_took_branch(in, r->rip);
		*from = in->addr;
		vm->rip = taken ? start : r->rip;
		if (taken)
			return RUN_HIT;
	}
	return RUN_LOST;
}

int advance_block(struct progress *p, struct vm *vm, enum tracer_cut *cut)
{
	const struct line_exit *x;
	struct user_regs_struct r;
	struct line line;
	uint64_t from;
	enum run run;

	line_read(vm, &line, p->t->walker->probe.blocks);
	if (!line.clean)
		return advance_step(p, vm, cut);
	*cut = TRACER_CUT_LIMIT;
	if (p->stops >= p->strategy->max_stops)
		return 1;
	run = block_step(p, vm, &r, &from);
	if (run != RUN_HIT)
		return walker_lost(p, run, cut);
	walker_stand(p, vm, &r);
	x = line_find(&line, vm);
	if (x && (!from || x->from == from)) {
		walker_add(p, x->from, r.rip, x->type);
	} else { /* the stack begins behind it */
		p->differed = true;
		p->walk->nr = 0;
	}
	p->certain = p->walk->nr;
	return 0;
}
