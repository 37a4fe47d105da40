// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who called a function that keeps no frame pointer and has no rules? Its return will tell. The thread's
 * instructions are interpreted on from where the sample is, in a vm of their own that nobody else
 * looks at, until a return takes the stack pointer above the function's: there all registers are
 * its caller's, as the CPU would have them. Callers further out are met on the same way.
 */
#include <stdlib.h>

#include "branch/branch.h"
#include "tracer-int.h"
#include "vm-int.h"

#define INSNS_AHEAD 10000 /* for one stack: about as long as the rest of a stop takes */
#define FARTHEST    (64ULL << 20)

struct ahead {
	struct vm *vm;
	bool begun, over;
	uint64_t left;
};

int ahead_new(struct ahead **out)
{
	struct ahead *a = calloc(1, sizeof(*a));

	if (!a || vm_new(&a->vm, VM_HOST)) {
		free(a);
		return -ENOMEM;
	}
	*out = a;
	return 0;
}

void ahead_free(struct ahead *a)
{
	if (a)
		vm_free(a->vm);
	free(a);
}

void ahead_reset(struct ahead *a)
{
	a->begun = a->over = false;
}

/* @n instructions, or fewer up to a taken branch. */
static bool go(struct ahead *a, uint64_t n, struct vm_insn **in)
{
	uint64_t before = a->vm->executed;
	enum vm_result r = n ? vm_run(a->vm, n, in) : VM_OK;

	if (r != VM_BRANCH)
		*in = NULL;
	a->left -= min_u64(a->left, a->vm->executed - before);
	return r == VM_BRANCH || r == VM_OK;
}

/* To where the sample is, which may be behind what a walk has computed. */
static bool begin(struct ahead *a, const struct stack_place *w)
{
	struct vm_insn *in;
	uint64_t end;

	a->begun = true;
	a->left = INSNS_AHEAD + w->insns;
	a->vm->exact = false;
	a->vm->uncounted = true;
	vm_begin(a->vm, w->tid, w->start);
	end = a->vm->executed + w->insns;
	while (a->vm->executed < end)
		if (!go(a, end - a->vm->executed, &in))
			return false;
	return true;
}

bool ahead_return(struct ahead *a, const struct stack_place *w, uint64_t sp, struct tracer_regs *r)
{
	const uint64_t *rsp = &a->vm->reg[VM_HOST_SP];
	struct vm_insn *in;

	if (!a->begun)
		a->over = !begin(a, w);
	while (!a->over && a->left) {
		if (!go(a, a->left, &in)) {
			a->over = true;
			break;
		}
		if (!in || in->branch != BR_RET || !(a->vm->known >> VM_HOST_SP & 1) || *rsp <= sp)
			continue;
		if (*rsp - sp > FARTHEST) /* another stack */
			break;
		state_of_vm(a->vm, r);
		return true;
	}
	a->over = true;
	return false;
}
