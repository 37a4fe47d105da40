// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter: string instructions, piece by piece as the processor does them, so that
 * overlapping copies come out the same. Backward ones (DF) are left to the thread.
 */
#include "exec-int.h"

#define STRING_MAX (1 << 20)  /* bytes of one rep, where a thread waits for a few branches; */
#define TRACE_MAX  (16 << 20) /* and where it is computed for as long as it runs */

static uint64_t longest(const struct vm *vm, const struct vm_insn *in)
{
	return (vm->guesses ? TRACE_MAX : STRING_MAX) / in->size;
}

static bool can_touch(struct vm *vm, uint64_t addr, uint64_t n)
{
	while (n) {
		uint64_t part = min_u64(n, VM_PAGE - addr % VM_PAGE);

		if (!vm_page(vm, addr, (unsigned)part))
			return false;
		addr += part;
		n -= part;
	}
	return true;
}

static void advance(struct vm *vm, unsigned reg, uint64_t n)
{
	exec_set_reg(vm, reg, vm->reg[reg] + n, true);
}

/* The value of @size bytes as often as it goes into eight. */
static uint64_t repeated(uint64_t v, unsigned size)
{
	v &= mask_of(size);
	for (; size < 8; size *= 2)
		v |= v << 8 * size;
	return v;
}

/* movs, stos */
static enum vm_result fill(struct vm *vm, const struct vm_insn *in, uint64_t n)
{
	uint64_t si = vm->reg[VM_SI], di = vm->reg[VM_DI], bytes = n * in->size, step;
	struct val x = exec_get_reg(vm, VM_AX);
	bool movs = in->op == OP_MOVS;

	if (in->rep == 'n' || n > longest(vm, in) || !can_touch(vm, di, bytes) ||
	    (movs && !can_touch(vm, si, bytes)))
		return VM_FOREIGN;
	/* eight bytes at a time, where no byte is read that was written just before */
	step = movs && di - si < 8 ? in->size : 8;
	x.v = repeated(x.v, in->size);
	for (uint64_t i = 0; i < bytes; i += step) {
		unsigned part = (unsigned)min_u64(step, bytes - i);

		if (movs)
			x.known = vm_load(vm, si + i, part, &x.v) == VM_OK;
		(void)vm_store(vm, di + i, part, x.v, x.known);
	}
	advance(vm, VM_DI, bytes);
	if (movs)
		advance(vm, VM_SI, bytes);
	return VM_OK;
}

/* One comparison of cmps or scas, its operands @at bytes behind where the registers point. */
static enum vm_result compare(struct vm *vm, const struct vm_insn *in, uint64_t at)
{
	struct val a = exec_get_reg(vm, VM_AX), b = { 0, true };
	enum vm_result r = VM_OK;

	if (in->op == OP_CMPS) {
		r = vm_load(vm, vm->reg[VM_SI] + at, in->size, &a.v);
		a.known = r == VM_OK;
	}
	if (r != VM_NOMEM)
		r = vm_load(vm, vm->reg[VM_DI] + at, in->size, &b.v);
	if (r == VM_NOMEM)
		return VM_FOREIGN;
	if (!a.known || r != VM_OK)
		return VM_UNKNOWN;
	a.v &= mask_of(in->size);
	exec_flags_sub(vm, a.v, b.v, a.v - b.v, in->size, false);
	return VM_OK;
}

/* cmps, scas: as long as rcx and ZF say. *n: how often it was done. */
static enum vm_result scan(struct vm *vm, const struct vm_insn *in, uint64_t *n)
{
	uint32_t flags = vm->flags, known = vm->flags_known;
	uint64_t done = 0;

	while (done < *n) {
		enum vm_result r =
			done < longest(vm, in) ? compare(vm, in, done * in->size) : VM_FOREIGN;

		if (r == VM_UNKNOWN && !in->rep) {
			exec_lose_flags(vm, VM_STATUS);
		} else if (r != VM_OK) { /* as if nothing had been done */
			vm->flags = flags;
			vm->flags_known = known;
			return r;
		}
		done++;
		if (in->rep && !!(vm->flags & VM_ZF) != (in->rep == 'r'))
			break;
	}
	*n = done;
	advance(vm, VM_DI, done * in->size);
	if (in->op == OP_CMPS)
		advance(vm, VM_SI, done * in->size);
	return VM_OK;
}

static enum vm_result load(struct vm *vm, const struct vm_insn *in)
{
	struct vm_opd ax = { .kind = VM_OPD_REG, .reg = VM_AX, .size = in->size };
	struct val x = { 0, true };
	enum vm_result r = in->rep ? VM_FOREIGN : vm_load(vm, vm->reg[VM_SI], in->size, &x.v);

	if (r == VM_NOMEM || r == VM_FOREIGN)
		return VM_FOREIGN;
	x.known = r == VM_OK;
	exec_set_part(vm, &ax, x);
	advance(vm, VM_SI, in->size);
	return VM_OK;
}

/* fs and gs move the source; 67h makes the pointers 32-bit. */
static bool is_odd(const struct vm_insn *in)
{
	for (unsigned i = 0; i < in->len; i++)
		if (in->bytes[i] == 0x64 || in->bytes[i] == 0x65 || in->bytes[i] == 0x67)
			return true;
	return false;
}

enum vm_result exec_string(struct vm *vm, const struct vm_insn *in)
{
	bool si = in->op != OP_STOS && in->op != OP_SCAS, di = in->op != OP_LODS;
	struct val cx = exec_get_reg(vm, VM_CX);
	uint64_t n = in->rep ? cx.v : 1;
	enum vm_result r = VM_OK;

	if ((di && !exec_get_reg(vm, VM_DI).known) || (si && !exec_get_reg(vm, VM_SI).known) ||
	    (in->rep && !cx.known))
		return VM_UNKNOWN;
	if ((vm->flags & VM_DF) || !(vm->flags_known & VM_DF) || is_odd(in))
		return VM_FOREIGN;
	if (in->op == OP_LODS)
		r = load(vm, in);
	else if (in->op == OP_MOVS || in->op == OP_STOS)
		r = fill(vm, in, n);
	else
		r = scan(vm, in, &n);
	if (r == VM_OK && in->rep)
		exec_set_reg(vm, VM_CX, cx.v - n, true);
	return r;
}
