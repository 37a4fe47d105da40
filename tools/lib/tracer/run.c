// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One instruction after the other, of whatever set: what is the same for all. An instruction set may
 * bring a loop of its own, with short cuts.
 */
#include "vm-int.h"

enum vm_result vm_step(struct vm *vm, struct vm_insn *in)
{
	enum vm_result r = vm->machine->execute(vm, in);

	if (r != VM_OK && r != VM_BRANCH)
		return r;
	if (r == VM_OK)
		vm->rip = in->addr + in->len;
	if (vm->nr_trace < VM_TRACE)
		vm->trace[vm->nr_trace++] = in->addr;
	vm->executed++;
	vm->from = NULL;
	vm->last = in;
	vm->last_taken = r == VM_BRANCH;
	return r;
}

static enum vm_result run_plain(struct vm *vm, uint64_t insns, struct vm_insn **last)
{
	uint64_t end = vm->executed + insns;
	enum vm_result r = VM_OK;

	while (vm->executed < end) {
		struct vm_insn *in = vm_fetch(vm, &r);

		*last = in;
		if (!in)
			return r;
		r = vm_step(vm, in);
		if (r != VM_OK)
			return r;
	}
	return VM_OK;
}

enum vm_result vm_run(struct vm *vm, uint64_t insns, struct vm_insn **last)
{
	return vm->machine->run ? vm->machine->run(vm, insns, last) : run_plain(vm, insns, last);
}

enum vm_result vm_run_past(struct vm *vm, uint64_t insns, uint32_t past, struct vm_insn **last)
{
	enum vm_result r;

	vm->nr_passed = 0;
	vm->past = (uint32_t)min_u64(past, VM_PASSED);
	r = vm_run(vm, insns, last);
	vm->past = 0;
	return r;
}
