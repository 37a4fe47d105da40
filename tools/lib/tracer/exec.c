// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter: one function per instruction. A value knows whether it is known; unknown ones
 * spread through results and flags. VM_UNKNOWN is returned only where an unknown value decides
 * where the program goes or where it stores, before anything was changed.
 * Semantics: Intel SDM vol. 2, AMD APM vol. 3; flags they call undefined become unknown.
 */
#include "exec-int.h"

/* ---- moves ------------------------------------------------------------------------------------------------ */

static enum vm_result do_mov(struct vm *vm, const struct vm_insn *in)
{
	enum vm_result r = exec_can_put(vm, in, 0);
	struct val x;

	if (r == VM_OK)
		r = exec_get(vm, in, 1, &x);
	if (r != VM_OK)
		return r;
	if (in->op == OP_MOVSX)
		x.v = (uint64_t)sign_extend(x.v, in->opd[1].size);
	else if (in->op == OP_MOVZX)
		x.v &= mask_of(in->opd[1].size);
	exec_put(vm, in, 0, x);
	return VM_OK;
}

static enum vm_result do_lea(struct vm *vm, const struct vm_insn *in)
{
	struct vm_opd o = in->opd[1];

	o.seg = 0;
	exec_put(vm, in, 0, exec_address(vm, in, &o));
	return VM_OK;
}

static enum vm_result do_xchg(struct vm *vm, const struct vm_insn *in)
{
	enum vm_result r = exec_can_put(vm, in, 1);
	struct val a, b;

	if (r == VM_OK)
		r = exec_two(vm, in, &a, &b, true);
	if (r != VM_OK)
		return r;
	/* memory is always operand 0 or 1: store there before a register of its address changes */
	if (in->opd[0].kind == VM_OPD_MEM) {
		exec_put(vm, in, 0, b);
		exec_put(vm, in, 1, a);
	} else {
		exec_put(vm, in, 1, a);
		exec_put(vm, in, 0, b);
	}
	return VM_OK;
}

static enum vm_result do_cmov(struct vm *vm, const struct vm_insn *in)
{
	struct val c = exec_condition(vm, in->cond), a, b;
	enum vm_result r = exec_two(vm, in, &a, &b, true);

	if (r != VM_OK)
		return r;
	a = c.v ? b : a;
	a.known &= c.known;
	exec_put(vm, in, 0, a);
	return VM_OK;
}

static enum vm_result do_setcc(struct vm *vm, const struct vm_insn *in)
{
	enum vm_result r = exec_can_put(vm, in, 0);

	if (r == VM_OK)
		exec_put(vm, in, 0, exec_condition(vm, in->cond));
	return r;
}

static enum vm_result do_push(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->size == 2 ? 2 : 8;
	struct val x, sp = exec_get_reg(vm, VM_SP);
	enum vm_result r = exec_get(vm, in, 0, &x);

	if (r != VM_OK)
		return r;
	if (in->opd[0].kind == VM_OPD_IMM)
		x.v = (uint64_t)in->opd[0].value; /* sign-extended to the stack's width */
	if (!sp.known)
		return VM_UNKNOWN;
	r = vm_store(vm, sp.v - size, size, x.v, x.known);
	if (r == VM_OK)
		exec_set_reg(vm, VM_SP, sp.v - size, true);
	return r;
}

static enum vm_result do_pop(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->size == 2 ? 2 : 8;
	struct val x = { 0, true }, sp = exec_get_reg(vm, VM_SP);
	enum vm_result r = exec_can_put(vm, in, 0);

	if (r != VM_OK)
		return r;
	if (!sp.known)
		return VM_UNKNOWN;
	r = vm_load(vm, sp.v, size, &x.v);
	if (r == VM_NOMEM)
		return r;
	x.known = r == VM_OK;
	exec_set_reg(vm, VM_SP, sp.v + size, true);
	exec_put(vm, in, 0, x);
	return VM_OK;
}

/* A program may change these. One that steps itself is left alone. */
#define FLAG_TF	  (1 << 8)
#define FLAG_RF	  (1 << 16)
#define POP_FLAGS (VM_STATUS | VM_DF | 1 << 14 | 1 << 18 | 1 << 21) /* NT, AC, ID */

static enum vm_result do_pushf(struct vm *vm)
{
	const uint32_t all = VM_STATUS | VM_DF;
	struct val sp = exec_get_reg(vm, VM_SP);
	bool known = (vm->flags_known & all) == all;
	enum vm_result r;

	if (!sp.known)
		return VM_UNKNOWN;
	if (vm->flags & FLAG_TF || (vm->exact && !known))
		return VM_FOREIGN;
	r = vm_store(vm, sp.v - 8, 8, vm->flags & ~(uint32_t)FLAG_RF, known);
	if (r == VM_OK)
		exec_set_reg(vm, VM_SP, sp.v - 8, true);
	return r;
}

static enum vm_result do_popf(struct vm *vm)
{
	struct val sp = exec_get_reg(vm, VM_SP);
	enum vm_result r;
	uint64_t v;

	if (!sp.known)
		return VM_UNKNOWN;
	r = vm_load(vm, sp.v, 8, &v);
	if (r == VM_NOMEM)
		return r;
	if (r == VM_OK ? v & FLAG_TF : vm->exact)
		return VM_FOREIGN;
	if (r == VM_OK)
		exec_set_flags(vm, POP_FLAGS, (uint32_t)v);
	else
		exec_lose_flags(vm, VM_STATUS | VM_DF);
	exec_set_reg(vm, VM_SP, sp.v + 8, true);
	return VM_OK;
}

/* ah and the flags that it has room for, from one to the other. */
static enum vm_result do_ah_flags(struct vm *vm, bool load)
{
	const struct vm_opd ah = { .kind = VM_OPD_REG, .reg = VM_AX, .size = 1, .high = true };
	const uint32_t all = VM_STATUS & ~VM_OF;
	struct val x = { (vm->flags & all) | 2, (vm->flags_known & all) == all };

	if (!load)
		x = (struct val){ vm->reg[VM_AX] >> 8, vm->known >> VM_AX & 1 };
	if (!x.known && vm->exact)
		return VM_FOREIGN;
	if (load)
		exec_set_part(vm, &ah, x);
	else if (x.known)
		exec_set_flags(vm, all, (uint32_t)x.v);
	else
		exec_lose_flags(vm, all);
	return VM_OK;
}

static enum vm_result do_leave(struct vm *vm)
{
	struct val bp = exec_get_reg(vm, VM_BP);
	enum vm_result r;
	uint64_t v;

	if (!bp.known)
		return VM_UNKNOWN;
	r = vm_load(vm, bp.v, 8, &v);
	if (r == VM_NOMEM)
		return r;
	exec_set_reg(vm, VM_SP, bp.v + 8, true);
	exec_set_reg(vm, VM_BP, v, r == VM_OK);
	return VM_OK;
}

/* ---- compare and exchange ------------------------------------------------------------------------------------------ */

static enum vm_result do_xadd(struct vm *vm, const struct vm_insn *in)
{
	struct val a, b, x = { 0, false };
	enum vm_result r = exec_two(vm, in, &a, &b, true);

	if (r != VM_OK)
		return r;
	if (a.known && b.known) {
		x = (struct val){ a.v + b.v, true };
		exec_flags_add(vm, a.v, b.v, x.v, in->opd[0].size, false);
	} else {
		exec_lose_flags(vm, VM_STATUS);
	}
	if (in->opd[0].kind == VM_OPD_MEM) {
		exec_put(vm, in, 0, x);
		exec_put(vm, in, 1, a);
	} else {
		exec_put(vm, in, 1, a);
		exec_put(vm, in, 0, x);
	}
	return VM_OK;
}

static enum vm_result do_cmpxchg(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size;
	struct vm_opd ax = { .kind = VM_OPD_REG, .reg = VM_AX, .size = size };
	struct val a, b, acc = exec_get_reg(vm, VM_AX);
	enum vm_result r = exec_two(vm, in, &a, &b, true);

	if (r != VM_OK)
		return r;
	acc.v &= mask_of(size);
	if (!a.known || !acc.known) {
		exec_lose_flags(vm, VM_STATUS);
		exec_put(vm, in, 0, (struct val){ 0, false });
		exec_set_part(vm, &ax, (struct val){ 0, false });
		return VM_OK;
	}
	exec_flags_sub(vm, acc.v, a.v, acc.v - a.v, size, false);
	if (acc.v == a.v)
		exec_put(vm, in, 0, b);
	else
		exec_set_part(vm, &ax, a);
	return VM_OK;
}

/* ---- branches ------------------------------------------------------------------------------------------------------- */

/* Where operand 0 leads: relative, or a value. */
static enum vm_result target(struct vm *vm, const struct vm_insn *in, uint64_t *to)
{
	enum vm_result r = VM_OK;
	struct val x;

	if (in->opd[0].kind == VM_OPD_IMM) {
		*to = in->addr + in->len + (uint64_t)in->opd[0].value;
		return VM_OK;
	}
	r = exec_get(vm, in, 0, &x);
	*to = x.v;
	return r == VM_OK && !x.known ? VM_UNKNOWN : r;
}

static enum vm_result do_call(struct vm *vm, const struct vm_insn *in)
{
	struct val sp = exec_get_reg(vm, VM_SP);
	enum vm_result r;
	uint64_t to;

	r = target(vm, in, &to);
	if (r != VM_OK || !sp.known)
		return r != VM_OK ? r : VM_UNKNOWN;
	r = vm_store(vm, sp.v - 8, 8, in->addr + in->len, true);
	if (r != VM_OK)
		return r;
	exec_set_reg(vm, VM_SP, sp.v - 8, true);
	vm->rip = to;
	return VM_BRANCH;
}

static enum vm_result do_ret(struct vm *vm, const struct vm_insn *in)
{
	struct val sp = exec_get_reg(vm, VM_SP);
	enum vm_result r;
	uint64_t to;

	if (!sp.known)
		return VM_UNKNOWN;
	r = vm_load(vm, sp.v, 8, &to);
	if (r != VM_OK)
		return r;
	exec_set_reg(vm, VM_SP, sp.v + 8 + (in->nr ? (uint64_t)in->opd[0].value : 0), true);
	vm->rip = to;
	return VM_BRANCH;
}

static enum vm_result do_branch(struct vm *vm, const struct vm_insn *in)
{
	struct val c = { 1, true };
	enum vm_result r;
	uint64_t to;

	if (in->op == OP_JCC) {
		c = exec_condition(vm, in->cond);
	} else if (in->op != OP_JMP) { /* jrcxz, loop */
		c = exec_get_reg(vm, VM_CX);
		c.v = in->op == OP_LOOP ? c.v != 1 : !c.v;
	}
	if (!c.known)
		return VM_UNKNOWN;
	r = target(vm, in, &to);
	if (r != VM_OK)
		return r;
	if (in->op == OP_LOOP)
		vm->reg[VM_CX]--;
	if (!c.v)
		return VM_OK;
	vm->rip = to;
	return VM_BRANCH;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------------- */

static enum vm_result do_generic(struct vm *vm, struct vm_insn *in)
{
	if (in->simd.op && exec_vector(vm, in) == VM_OK)
		return VM_OK;
	if (in->vector) {
		enum vm_result r = vm_native(vm, in);

		if (r != VM_FOREIGN)
			return r;
	}
	if (in->regs_written == 0xffff || vm->exact)
		return VM_FOREIGN;
	if (in->vector) {
		vm->vec_known = 0;
		vm->mask_known = 0;
		vm->x87_known = false;
	}
	for (unsigned i = 0; i < in->nr; i++) {
		enum vm_result r;

		if (in->opd[i].kind != VM_OPD_MEM || !in->opd[i].written)
			continue;
		r = exec_can_put(vm, in, i);
		if (r != VM_OK)
			return r;
	}
	for (unsigned i = 0; i < in->nr; i++)
		if (in->opd[i].kind == VM_OPD_MEM && in->opd[i].written)
			exec_put(vm, in, i, (struct val){ 0, false });
	vm->foreign++;
	vm->known &= ~in->regs_written;
	exec_lose_flags(vm, in->flags_written);
	return VM_OK;
}

enum vm_result exec_insn(struct vm *vm, struct vm_insn *in)
{
	exec_settle(vm);
	switch (in->op) {
	case OP_GENERIC: return do_generic(vm, in);
	case OP_NOP: return VM_OK;
	case OP_MOV:
	case OP_MOVZX:
	case OP_MOVSX: return do_mov(vm, in);
	case OP_LEA: return do_lea(vm, in);
	case OP_ADD ... OP_TEST: return exec_alu(vm, in);
	case OP_NOT ... OP_DEC: return exec_unary(vm, in);
	case OP_SHL ... OP_ROR: return exec_shift(vm, in);
	case OP_RCL:
	case OP_RCR: return exec_rotate_carry(vm, in);
	case OP_SHLD:
	case OP_SHRD: return exec_shift_double(vm, in);
	case OP_IMUL2: return exec_imul2(vm, in);
	case OP_IMUL:
	case OP_MUL: return exec_mul(vm, in);
	case OP_DIV:
	case OP_IDIV: return exec_div(vm, in);
	case OP_CBW:
	case OP_CWD: return exec_extend(vm, in);
	case OP_PUSH: return do_push(vm, in);
	case OP_POP: return do_pop(vm, in);
	case OP_PUSHF: return do_pushf(vm);
	case OP_POPF: return do_popf(vm);
	case OP_LEAVE: return do_leave(vm);
	case OP_CALL: return do_call(vm, in);
	case OP_RET: return do_ret(vm, in);
	case OP_JMP ... OP_LOOP: return do_branch(vm, in);
	case OP_SETCC: return do_setcc(vm, in);
	case OP_CMOV: return do_cmov(vm, in);
	case OP_XCHG: return do_xchg(vm, in);
	case OP_XADD: return do_xadd(vm, in);
	case OP_CMPXCHG: return do_cmpxchg(vm, in);
	case OP_BSWAP: return exec_bswap(vm, in);
	case OP_MOVBE: return exec_movbe(vm, in);
	case OP_BSF ... OP_POPCNT: return exec_scan(vm, in);
	case OP_BT ... OP_BTC: return exec_bit(vm, in);
	case OP_ANDN ... OP_BLSMSK:
	case OP_BZHI: return exec_bmi(vm, in);
	case OP_RORX ... OP_SARX: return exec_shiftx(vm, in);
	case OP_MULX: return exec_mulx(vm, in);
	case OP_MOVS ... OP_LODS: return exec_string(vm, in);
	case OP_CLD:
	case OP_STD: exec_set_flags(vm, VM_DF, in->op == OP_STD ? VM_DF : 0); return VM_OK;
	case OP_CLC:
	case OP_STC: exec_set_flags(vm, VM_CF, in->op == OP_STC ? VM_CF : 0); return VM_OK;
	case OP_CMC: vm->flags ^= VM_CF; return VM_OK;
	case OP_LAHF:
	case OP_SAHF: return do_ah_flags(vm, in->op == OP_LAHF);
	case OP_CPUID ... OP_XRSTOR: return exec_system(vm, in);
	case OP_TILE: return exec_tile(vm, in);
	case OP_SYSCALL: return VM_SYSCALL;
	default: return VM_FAULT;
	}
}
