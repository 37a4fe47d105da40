// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64: branches, and what is the system's. Signed return addresses are followed without their
 * signatures: what is computed is not signed, and what comes out of memory loses its signature where it is
 * authenticated. Where all registers have to be right (vm.exact), signing ends the walk.
 */
#include "a64-int.h"

static enum vm_result go(struct vm *vm, uint64_t to)
{
	vm->rip = to;
	return VM_BRANCH;
}

static void link(struct vm *vm, const struct vm_insn *in)
{
	a64_set(vm, A64_LR, (struct a64_val){ in->addr + 4, true });
}

enum vm_result a64_b(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	if (a64_is_64(w))
		link(vm, in);
	return go(vm, in->addr + (a64_extend(a64_bits(w, 25, 0), 26) << 2));
}

/* @c decides; the distance is in bits @high to 5. */
static enum vm_result go_if(struct vm *vm, const struct vm_insn *in, uint32_t w, struct a64_val c,
			    unsigned high)
{
	if (!c.known)
		return VM_UNKNOWN;
	if (!c.v)
		return VM_OK;
	return go(vm, in->addr + (a64_extend(a64_bits(w, high, 5), high - 4) << 2));
}

enum vm_result a64_b_cond(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	return go_if(vm, in, w, a64_condition(vm, w & 15), 23);
}

enum vm_result a64_cbz(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val x = a64_cut(a64_get(vm, a64_rd(w)), a64_is_64(w));

	x.v = !x.v ^ (w >> 24 & 1);
	return go_if(vm, in, w, x, 23);
}

enum vm_result a64_tbz(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val x = a64_get(vm, a64_rd(w));
	unsigned bit = (w >> 31) << 5 | a64_bits(w, 23, 19);

	x.v = (x.v >> bit & 1) == (w >> 24 & 1);
	return go_if(vm, in, w, x, 18);
}

/* BR, BLR, RET and those that authenticate: bit 21 links, bit 11 authenticates. */
enum vm_result a64_b_reg(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	bool authenticates = w >> 11 & 1, returns = a64_bits(w, 22, 21) == 2;
	struct a64_val to = a64_get(vm, authenticates && returns ? A64_LR : a64_rn(w));

	if (!to.known)
		return VM_UNKNOWN;
	if (authenticates)
		to.v = a64_strip(vm, to.v);
	if (to.v & 3)
		return VM_FAULT;
	if (a64_bits(w, 22, 21) == 1)
		link(vm, in);
	return go(vm, to.v);
}

/* ---- the system's -------------------------------------------------------------------------- */

enum vm_result a64_svc(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	(void)vm, (void)in, (void)w;
	return VM_SYSCALL;
}

enum vm_result a64_trap(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	(void)vm, (void)in, (void)w;
	return VM_FAULT;
}

enum vm_result a64_foreign(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	(void)vm, (void)in, (void)w;
	return VM_FOREIGN;
}

enum vm_result a64_nop(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	(void)vm, (void)in, (void)w;
	return VM_OK;
}

/* What is no hint to a CPU that has it: pointers that are signed. */
enum vm_result a64_hint(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned nr = a64_bits(w, 11, 5), reg = nr < 16 && nr != 7 ? 17 : A64_LR;
	struct a64_val x = a64_get(vm, reg);

	(void)in;
	switch (nr) {
	case 8:
	case 10:
	case 24 ... 27: /* signs */ return vm->pac_mask && vm->exact ? VM_FOREIGN : VM_OK;
	case 7:
	case 12:
	case 14:
	case 28 ... 31:
		x.v = a64_strip(vm, x.v);
		a64_set(vm, reg, x);
		return VM_OK;
	default: return VM_OK;
	}
}

enum vm_result a64_barrier(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned how = a64_bits(w, 11, 8);

	switch (a64_bits(w, 7, 5)) {
	case 2: vm->monitor_size = 0; return VM_OK; /* clrex */
	case 4:
	case 5:
	case 6: return VM_OK;
	case 7: return !how ? VM_OK : a64_foreign(vm, in, w); /* sb */
	default: return a64_foreign(vm, in, w);
	}
}

enum vm_result a64_cfinv(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	(void)in, (void)w;
	vm->flags ^= A64_C;
	return VM_OK;
}

enum vm_result a64_dc_zva(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val a = a64_place(a64_get(vm, a64_rd(w)));

	(void)in;
	if (!a.known)
		return VM_UNKNOWN;
	if (!vm->zva || vm->zva > VM_PAGE)
		return VM_FOREIGN;
	a.v &= ~(uint64_t)(vm->zva - 1);
	if (vm_probe(vm, a.v, vm->zva) != VM_OK)
		return VM_NOMEM;
	for (uint32_t i = 0; i < vm->zva; i += 8)
		(void)vm_store(vm, a.v + i, 8, 0, true);
	return VM_OK;
}

/* System registers that programs may read: op0, op1, CRn, CRm and op2 as they lie in the word. */
enum {
	CTR = 0x5801,
	DCZID = 0x5807,
	NZCV = 0x5a10,
	DIT = 0x5a15,
	SSBS = 0x5a16,
	FPCR = 0x5a20,
	FPSR = 0x5a21,
	TPIDR = 0x5e82,
	TPIDRRO = 0x5e83,
	CNTFRQ = 0x5f00,
	CNTVCT = 0x5f02,
	CNTVCTSS = 0x5f06,
};

enum vm_result a64_mrs(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val x = { 0, false };

	switch (a64_bits(w, 19, 5)) {
	case NZCV:
		x = (struct a64_val){ (uint64_t)vm->flags << 28, vm->flags_known == A64_NZCV };
		break;
	case TPIDR: x = (struct a64_val){ vm->fs_base, true }; break;
	case DIT:
	case SSBS:
	case FPCR:
	case FPSR:
	case CTR:
	case DCZID:
	case TPIDRRO:
	case CNTFRQ:
	case CNTVCT:
	case CNTVCTSS: break;
	default: return a64_foreign(vm, in, w);
	}
	if (!x.known && vm->exact)
		return VM_FOREIGN;
	vm->foreign += !x.known;
	a64_set(vm, a64_rd(w), x);
	return VM_OK;
}

enum vm_result a64_msr(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val x = a64_get(vm, a64_rd(w));

	switch (a64_bits(w, 19, 5)) {
	case NZCV: a64_set_flags(vm, x.v >> 28 & 15, x.known); return VM_OK;
	case TPIDR:
		if (!x.known)
			return VM_FOREIGN;
		vm->fs_base = x.v;
		return VM_OK;
	case FPCR: /* of floating point nothing is computed */
	case FPSR: return VM_OK;
	default: return a64_foreign(vm, in, w);
	}
}
