// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter: one function per instruction. A value knows whether it is known; unknown ones
 * spread through results and flags. VM_UNKNOWN is returned only where an unknown value decides
 * where the program goes or where it stores, before anything was changed.
 * Semantics: Intel SDM vol. 2, AMD APM vol. 3; flags they call undefined become unknown.
 */
#include "vm.h"

#define STRING_MAX 4096 /* bytes of one rep movs or stos */

struct val {
	uint64_t v;
	bool known;
};

static uint64_t mask_of(unsigned size)
{
	return size >= 8 ? UINT64_MAX : BIT(8 * size) - 1;
}

static uint64_t msb_of(unsigned size)
{
	return BIT(8 * size - 1);
}

static int64_t sign_extend(uint64_t v, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(v << shift) >> shift;
}

/* ---- operands --------------------------------------------------------------------------------------- */

static struct val get_reg(const struct vm *vm, unsigned reg)
{
	return (struct val){ vm->reg[reg], vm->known >> reg & 1 };
}

static void set_reg(struct vm *vm, unsigned reg, uint64_t v, bool known)
{
	vm->reg[reg] = v;
	if (known)
		vm->known |= 1 << reg;
	else
		vm->known &= ~(1 << reg);
}

/* A part of a register; 32-bit parts clear the upper half. */
static void set_part(struct vm *vm, const struct vm_opd *o, struct val x)
{
	uint64_t old = vm->reg[o->reg], m = mask_of(o->size);

	if (o->size >= 4)
		set_reg(vm, o->reg, x.v & m, x.known);
	else if (o->high)
		set_reg(vm, o->reg, (old & ~0xff00ULL) | (x.v & 0xff) << 8,
			x.known && vm->known >> o->reg & 1);
	else
		set_reg(vm, o->reg, (old & ~m) | (x.v & m), x.known && vm->known >> o->reg & 1);
}

static struct val address(const struct vm *vm, const struct vm_insn *in, const struct vm_opd *o)
{
	struct val a = { (uint64_t)o->value, true };

	if (o->rip)
		a.v += in->addr + in->len;
	if (o->base != VM_NO_REG) {
		a.v += vm->reg[o->base];
		a.known &= vm->known >> o->base & 1;
	}
	if (o->index != VM_NO_REG) {
		a.v += vm->reg[o->index] * o->scale;
		a.known &= vm->known >> o->index & 1;
	}
	if (o->seg)
		a.v += o->seg == 'f' ? vm->fs_base : vm->gs_base;
	return a;
}

/* VM_NOMEM when it lies nowhere; a load from an unknown place gives an unknown value. */
static enum vm_result get(struct vm *vm, const struct vm_insn *in, unsigned i, struct val *x)
{
	const struct vm_opd *o = &in->opd[i];
	enum vm_result r = VM_OK;
	struct val a;

	switch (o->kind) {
	case VM_OPD_REG:
		*x = get_reg(vm, o->reg);
		if (o->high)
			x->v >>= 8;
		break;
	case VM_OPD_IMM: *x = (struct val){ (uint64_t)o->value, true }; break;
	case VM_OPD_MEM:
		a = address(vm, in, o);
		*x = (struct val){ 0, false };
		if (a.known)
			r = vm_load(vm, a.v, o->size, &x->v);
		x->known = a.known && r == VM_OK;
		break;
	default: *x = (struct val){ 0, false };
	}
	x->v &= mask_of(in->opd[0].size > o->size ? in->opd[0].size : o->size);
	return r == VM_NOMEM ? r : VM_OK;
}

/* Asked before anything changes: whether put() to operand @i will work. */
static enum vm_result can_put(struct vm *vm, const struct vm_insn *in, unsigned i)
{
	struct val a;

	if (in->opd[i].kind != VM_OPD_MEM)
		return VM_OK;
	a = address(vm, in, &in->opd[i]);
	return a.known ? vm_probe(vm, a.v, in->opd[i].size) : VM_UNKNOWN;
}

static void put(struct vm *vm, const struct vm_insn *in, unsigned i, struct val x)
{
	const struct vm_opd *o = &in->opd[i];

	if (o->kind == VM_OPD_REG)
		set_part(vm, o, x);
	else
		(void)vm_store(vm, address(vm, in, o).v, o->size, x.v, x.known);
}

/* ---- flags --------------------------------------------------------------------------------------------- */

static void set_flags(struct vm *vm, uint32_t which, uint32_t value)
{
	vm->flags = (vm->flags & ~which) | (value & which);
	vm->flags_known |= which;
}

static void lose_flags(struct vm *vm, uint32_t which)
{
	vm->flags_known &= ~which;
}

static uint32_t zsp(uint64_t v, unsigned size)
{
	v &= mask_of(size);
	return (v ? 0 : VM_ZF) | (v & msb_of(size) ? VM_SF : 0) |
	       (__builtin_parity((unsigned)(v & 0xff)) ? 0 : VM_PF);
}

static void flags_add(struct vm *vm, uint64_t a, uint64_t b, uint64_t r, unsigned size, bool carry)
{
	uint64_t m = mask_of(size);
	uint32_t f = zsp(r, size);

	a &= m, b &= m, r &= m;
	f |= (carry ? r <= a : r < a) ? VM_CF : 0;
	f |= (a ^ r) & (b ^ r) & msb_of(size) ? VM_OF : 0;
	f |= (a ^ b ^ r) & 0x10 ? VM_AF : 0;
	set_flags(vm, VM_STATUS, f);
}

static void flags_sub(struct vm *vm, uint64_t a, uint64_t b, uint64_t r, unsigned size, bool borrow)
{
	uint64_t m = mask_of(size);
	uint32_t f = zsp(r, size);

	a &= m, b &= m, r &= m;
	f |= (borrow ? a <= b : a < b) ? VM_CF : 0;
	f |= (a ^ b) & (a ^ r) & msb_of(size) ? VM_OF : 0;
	f |= (a ^ b ^ r) & 0x10 ? VM_AF : 0;
	set_flags(vm, VM_STATUS, f);
}

static void flags_logic(struct vm *vm, uint64_t r, unsigned size)
{
	set_flags(vm, VM_STATUS & ~VM_AF, zsp(r, size));
	lose_flags(vm, VM_AF);
}

/* The condition of a jcc by the low nibble of its opcode. */
static struct val condition(const struct vm *vm, unsigned cond)
{
	static const uint16_t needs[8] = { VM_OF, VM_CF, VM_ZF,		VM_CF | VM_ZF,
					   VM_SF, VM_PF, VM_SF | VM_OF, VM_ZF | VM_SF | VM_OF };
	uint32_t f = vm->flags, need = needs[cond >> 1];
	bool sf = f & VM_SF, of = f & VM_OF, v;

	switch (cond >> 1) {
	case 6: v = sf != of; break;
	case 7: v = (f & VM_ZF) || sf != of; break;
	default: v = f & need; break;
	}
	return (struct val){ v ^ (cond & 1), (vm->flags_known & need) == need };
}

/* ---- moves ------------------------------------------------------------------------------------------------ */

/* Reads operands 0 and 1 and makes sure that 0 can be written. */
static enum vm_result two(struct vm *vm, const struct vm_insn *in, struct val *a, struct val *b,
			  bool write)
{
	enum vm_result r = write ? can_put(vm, in, 0) : VM_OK;

	if (r == VM_OK)
		r = get(vm, in, 0, a);
	return r == VM_OK ? get(vm, in, 1, b) : r;
}

static enum vm_result do_mov(struct vm *vm, const struct vm_insn *in)
{
	enum vm_result r = can_put(vm, in, 0);
	struct val x;

	if (r == VM_OK)
		r = get(vm, in, 1, &x);
	if (r != VM_OK)
		return r;
	if (in->op == OP_MOVSX)
		x.v = (uint64_t)sign_extend(x.v, in->opd[1].size);
	else if (in->op == OP_MOVZX)
		x.v &= mask_of(in->opd[1].size);
	put(vm, in, 0, x);
	return VM_OK;
}

static enum vm_result do_lea(struct vm *vm, const struct vm_insn *in)
{
	struct vm_opd o = in->opd[1];

	o.seg = 0;
	put(vm, in, 0, address(vm, in, &o));
	return VM_OK;
}

static enum vm_result do_xchg(struct vm *vm, const struct vm_insn *in)
{
	enum vm_result r = can_put(vm, in, 1);
	struct val a, b;

	if (r == VM_OK)
		r = two(vm, in, &a, &b, true);
	if (r != VM_OK)
		return r;
	/* memory is always operand 0 or 1: store there before a register of its address changes */
	if (in->opd[0].kind == VM_OPD_MEM) {
		put(vm, in, 0, b);
		put(vm, in, 1, a);
	} else {
		put(vm, in, 1, a);
		put(vm, in, 0, b);
	}
	return VM_OK;
}

static enum vm_result do_cmov(struct vm *vm, const struct vm_insn *in)
{
	struct val c = condition(vm, in->cond), a, b;
	enum vm_result r = two(vm, in, &a, &b, true);

	if (r != VM_OK)
		return r;
	a = c.v ? b : a;
	a.known &= c.known;
	put(vm, in, 0, a);
	return VM_OK;
}

static enum vm_result do_setcc(struct vm *vm, const struct vm_insn *in)
{
	enum vm_result r = can_put(vm, in, 0);

	if (r == VM_OK)
		put(vm, in, 0, condition(vm, in->cond));
	return r;
}

static enum vm_result do_push(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->size == 2 ? 2 : 8;
	struct val x, sp = get_reg(vm, VM_SP);
	enum vm_result r = get(vm, in, 0, &x);

	if (r != VM_OK)
		return r;
	if (in->opd[0].kind == VM_OPD_IMM)
		x.v = (uint64_t)in->opd[0].value; /* sign-extended to the stack's width */
	if (!sp.known)
		return VM_UNKNOWN;
	r = vm_store(vm, sp.v - size, size, x.v, x.known);
	if (r == VM_OK)
		set_reg(vm, VM_SP, sp.v - size, true);
	return r;
}

static enum vm_result do_pop(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->size == 2 ? 2 : 8;
	struct val x = { 0, true }, sp = get_reg(vm, VM_SP);
	enum vm_result r = can_put(vm, in, 0);

	if (r != VM_OK)
		return r;
	if (!sp.known)
		return VM_UNKNOWN;
	r = vm_load(vm, sp.v, size, &x.v);
	if (r == VM_NOMEM)
		return r;
	x.known = r == VM_OK;
	set_reg(vm, VM_SP, sp.v + size, true);
	put(vm, in, 0, x);
	return VM_OK;
}

static enum vm_result do_leave(struct vm *vm)
{
	struct val bp = get_reg(vm, VM_BP);
	enum vm_result r;
	uint64_t v;

	if (!bp.known)
		return VM_UNKNOWN;
	r = vm_load(vm, bp.v, 8, &v);
	if (r == VM_NOMEM)
		return r;
	set_reg(vm, VM_SP, bp.v + 8, true);
	set_reg(vm, VM_BP, v, r == VM_OK);
	return VM_OK;
}

/* ---- arithmetic --------------------------------------------------------------------------------------------- */

static bool same_register(const struct vm_insn *in)
{
	const struct vm_opd *a = &in->opd[0], *b = &in->opd[1];

	return a->kind == VM_OPD_REG && b->kind == VM_OPD_REG && a->reg == b->reg &&
	       a->high == b->high;
}

static uint64_t alu(struct vm *vm, const struct vm_insn *in, uint64_t a, uint64_t b)
{
	unsigned size = in->opd[0].size;
	bool c = vm->flags & VM_CF;
	uint64_t r;

	switch (in->op) {
	case OP_ADD: flags_add(vm, a, b, r = a + b, size, false); break;
	case OP_ADC: flags_add(vm, a, b, r = a + b + c, size, c); break;
	case OP_SBB: flags_sub(vm, a, b, r = a - b - c, size, c); break;
	case OP_CMP:
	case OP_SUB: flags_sub(vm, a, b, r = a - b, size, false); break;
	case OP_OR: flags_logic(vm, r = a | b, size); break;
	case OP_XOR: flags_logic(vm, r = a ^ b, size); break;
	default: flags_logic(vm, r = a & b, size); break; /* AND, TEST */
	}
	return r;
}

static enum vm_result do_alu(struct vm *vm, const struct vm_insn *in)
{
	bool write = in->op != OP_CMP && in->op != OP_TEST;
	bool carry = in->op == OP_ADC || in->op == OP_SBB;
	struct val a, b, x = { 0, false };
	enum vm_result r = two(vm, in, &a, &b, write);

	if (r != VM_OK)
		return r;
	if ((in->op == OP_XOR || in->op == OP_SUB) && same_register(in))
		a = b = (struct val){ 0, true };
	if (a.known && b.known && (!carry || (vm->flags_known & VM_CF)))
		x = (struct val){ alu(vm, in, a.v, b.v), true };
	else
		lose_flags(vm, VM_STATUS);
	if (write)
		put(vm, in, 0, x);
	return VM_OK;
}

static enum vm_result do_unary(struct vm *vm, const struct vm_insn *in)
{
	enum vm_result r = can_put(vm, in, 0);
	unsigned size = in->opd[0].size;
	uint32_t cf = vm->flags & VM_CF, cf_known = vm->flags_known & VM_CF;
	struct val a;

	if (r == VM_OK)
		r = get(vm, in, 0, &a);
	if (r != VM_OK)
		return r;
	if (in->op == OP_NOT) {
		a.v = ~a.v;
	} else if (!a.known) {
		lose_flags(vm, in->op == OP_NEG ? VM_STATUS : VM_STATUS & ~VM_CF);
	} else if (in->op == OP_NEG) {
		flags_sub(vm, 0, a.v, -a.v, size, false);
		a.v = -a.v;
	} else {
		uint64_t v = in->op == OP_INC ? a.v + 1 : a.v - 1;

		if (in->op == OP_INC)
			flags_add(vm, a.v, 1, v, size, false);
		else
			flags_sub(vm, a.v, 1, v, size, false);
		vm->flags = (vm->flags & ~VM_CF) | cf; /* these two keep the carry */
		vm->flags_known = (vm->flags_known & ~VM_CF) | cf_known;
		a.v = v;
	}
	put(vm, in, 0, a);
	return VM_OK;
}

/* Result and carry of a shift or rotation by 1 <= n; bits = width. */
static uint64_t shift(const struct vm_insn *in, uint64_t a, unsigned n, unsigned size, bool *carry)
{
	unsigned bits = 8 * size;
	int64_t s = sign_extend(a, size);
	uint64_t r;

	switch (in->op) {
	case OP_SHL: *carry = n <= bits && (a >> (bits - n) & 1); return n < 64 ? a << n : 0;
	case OP_SHR: *carry = n <= bits && (a >> (n - 1) & 1); return n < 64 ? a >> n : 0;
	case OP_SAR: *carry = s >> min_u64(n - 1, 63) & 1; return (uint64_t)(s >> min_u64(n, 63));
	case OP_ROL:
		n %= bits;
		r = n ? (a << n | a >> (bits - n)) : a;
		*carry = r & 1;
		return r;
	default: /* ROR */
		n %= bits;
		r = n ? (a >> n | a << (bits - n)) : a;
		*carry = r & msb_of(size);
		return r;
	}
}

static void shift_flags(struct vm *vm, const struct vm_insn *in, uint64_t a, uint64_t r, unsigned n,
			unsigned size, bool carry)
{
	uint64_t top = msb_of(size);
	bool rotate = in->op == OP_ROL || in->op == OP_ROR, of;

	if (!rotate) {
		set_flags(vm, VM_ZF | VM_SF | VM_PF, zsp(r, size));
		lose_flags(vm, VM_AF);
	}
	set_flags(vm, VM_CF, carry ? VM_CF : 0);
	if (n >= 8 * size && !rotate && in->op != OP_SAR)
		lose_flags(vm, VM_CF);
	if (n != 1) {
		lose_flags(vm, VM_OF);
		return;
	}
	switch (in->op) {
	case OP_SHL:
	case OP_ROL: of = !!(r & top) != carry; break;
	case OP_SHR: of = a & top; break;
	case OP_ROR: of = !!(r & top) != !!(r & top >> 1); break;
	default: of = false; break;
	}
	set_flags(vm, VM_OF, of ? VM_OF : 0);
}

static enum vm_result do_shift(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, n;
	struct val a, b, x = { 0, false };
	enum vm_result r = can_put(vm, in, 0);
	bool carry;

	if (r == VM_OK)
		r = get(vm, in, 0, &a);
	b = (struct val){ 1, true }; /* the form that shifts by one */
	if (r == VM_OK && in->nr > 1)
		r = get(vm, in, 1, &b);
	if (r != VM_OK)
		return r;
	n = b.v & (size == 8 ? 63 : 31);
	if (!b.known || (!a.known && n)) {
		lose_flags(vm, VM_STATUS);
	} else if (!n) {
		x = a; /* flags stay; a 32-bit result still clears the upper half */
	} else {
		x = (struct val){ shift(in, a.v, n, size, &carry), true };
		shift_flags(vm, in, a.v, x.v, n, size, carry);
	}
	put(vm, in, 0, x);
	return VM_OK;
}

static enum vm_result do_shift_double(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, bits = 8 * size, n;
	struct val a, b, c, x = { 0, false };
	enum vm_result r = two(vm, in, &a, &b, true);
	bool carry;

	if (r == VM_OK)
		r = get(vm, in, 2, &c);
	if (r != VM_OK)
		return r;
	n = c.v & (size == 8 ? 63 : 31);
	if (!c.known || ((!a.known || !b.known) && n) || n >= bits) {
		lose_flags(vm, VM_STATUS);
	} else if (!n) {
		x = a;
	} else {
		bool left = in->op == OP_SHLD;

		x.v = left ? a.v << n | b.v >> (bits - n) : a.v >> n | b.v << (bits - n);
		x.known = true;
		carry = left ? a.v >> (bits - n) & 1 : a.v >> (n - 1) & 1;
		set_flags(vm, VM_ZF | VM_SF | VM_PF | VM_CF, zsp(x.v, size) | (carry ? VM_CF : 0));
		lose_flags(vm, VM_AF | VM_OF);
	}
	put(vm, in, 0, x);
	return VM_OK;
}

static void mul_flags(struct vm *vm, bool overflow)
{
	set_flags(vm, VM_CF | VM_OF, overflow ? VM_CF | VM_OF : 0);
	lose_flags(vm, VM_ZF | VM_SF | VM_PF | VM_AF);
}

/* imul with two or three operands */
static enum vm_result do_imul2(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, first = in->nr == 3 ? 1 : 0;
	struct val a, b, x = { 0, false };
	enum vm_result r = get(vm, in, first, &a);
	int64_t v;
	bool over;

	if (r == VM_OK)
		r = get(vm, in, first + 1, &b);
	if (r != VM_OK)
		return r;
	if (a.known && b.known) {
		over = __builtin_mul_overflow(sign_extend(a.v, size), sign_extend(b.v, size), &v);
		x = (struct val){
			(uint64_t)sign_extend(a.v, size) * (uint64_t)sign_extend(b.v, size), true
		};
		mul_flags(vm, over || v != sign_extend((uint64_t)v, size));
	} else {
		lose_flags(vm, VM_STATUS);
	}
	put(vm, in, 0, x);
	return VM_OK;
}

/* rdx:rax <- rax * operand; bytes use ax alone and are left to the thread */
static enum vm_result do_mul(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size;
	struct val a = get_reg(vm, VM_AX), b;
	struct vm_opd lo = { .kind = VM_OPD_REG, .reg = VM_AX, .size = size }, hi = lo;
	enum vm_result r = get(vm, in, 0, &b);
	struct val xl = { 0, false }, xh = xl;

	if (r != VM_OK || size == 1)
		return r != VM_OK ? r : VM_FOREIGN;
	hi.reg = VM_DX;
	if (a.known && b.known && in->op == OP_MUL) {
		__uint128_t p = (__uint128_t)(a.v & mask_of(size)) * b.v;

		xl = (struct val){ (uint64_t)p, true };
		xh = (struct val){ (uint64_t)(p >> 8 * size), true };
		mul_flags(vm, xh.v & mask_of(size));
	} else if (a.known && b.known) {
		__int128_t p = (__int128_t)sign_extend(a.v, size) * sign_extend(b.v, size);

		xl = (struct val){ (uint64_t)p, true };
		xh = (struct val){ (uint64_t)(p >> 8 * size), true };
		mul_flags(vm, p != sign_extend((uint64_t)p, size));
	} else {
		lose_flags(vm, VM_STATUS);
	}
	set_part(vm, &lo, xl);
	set_part(vm, &hi, xh);
	return VM_OK;
}

static enum vm_result do_div(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size;
	struct val a = get_reg(vm, VM_AX), d = get_reg(vm, VM_DX), b;
	struct vm_opd lo = { .kind = VM_OPD_REG, .reg = VM_AX, .size = size }, hi = lo;
	enum vm_result r = get(vm, in, 0, &b);
	uint64_t m = mask_of(size);
	__uint128_t n;

	if (r != VM_OK || size == 1)
		return r != VM_OK ? r : VM_FOREIGN;
	hi.reg = VM_DX;
	lose_flags(vm, VM_STATUS);
	if (!a.known || !d.known || !b.known) {
		set_part(vm, &lo, (struct val){ 0, false });
		set_part(vm, &hi, (struct val){ 0, false });
		return VM_OK;
	}
	n = (__uint128_t)(d.v & m) << 8 * size | (a.v & m);
	if (!b.v)
		return VM_FAULT;
	if (in->op == OP_DIV) {
		if (n / b.v > m)
			return VM_FAULT;
		set_part(vm, &lo, (struct val){ (uint64_t)(n / b.v), true });
		set_part(vm, &hi, (struct val){ (uint64_t)(n % b.v), true });
	} else {
		int64_t y = sign_extend(b.v, size);
		__int128_t sn =
			size == 8 ? (__int128_t)n : (__int128_t)sign_extend((uint64_t)n, 2 * size);

		if ((size == 8 && y == -1 && sn == (__int128_t)1 << 127) ||
		    sn / y != sign_extend((uint64_t)(sn / y), size))
			return VM_FAULT;
		set_part(vm, &lo, (struct val){ (uint64_t)(sn / y), true });
		set_part(vm, &hi, (struct val){ (uint64_t)(sn % y), true });
	}
	return VM_OK;
}

/* cbw, cwde, cdqe: rax from its lower half; cwd, cdq, cqo: rdx from rax's sign */
static enum vm_result do_extend(struct vm *vm, const struct vm_insn *in)
{
	struct val a = get_reg(vm, VM_AX);
	struct vm_opd o = { .kind = VM_OPD_REG, .reg = VM_AX, .size = in->size };

	if (in->op == OP_CBW) {
		a.v = (uint64_t)sign_extend(a.v, in->size / 2);
	} else {
		a.v = sign_extend(a.v, in->size) < 0 ? UINT64_MAX : 0;
		o.reg = VM_DX;
	}
	set_part(vm, &o, a);
	return VM_OK;
}

/* ---- bits ------------------------------------------------------------------------------------------------------- */

static enum vm_result do_scan(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, bits = 8 * size;
	enum vm_result r;
	struct val b, x;

	r = get(vm, in, 1, &b);
	if (r != VM_OK)
		return r;
	b.v &= mask_of(size);
	lose_flags(vm, VM_STATUS);
	x = (struct val){ 0, b.known };
	if (!b.known) {
		put(vm, in, 0, x);
		return VM_OK;
	}
	switch (in->op) {
	case OP_POPCNT:
		x.v = (uint64_t)weight_u64(b.v);
		set_flags(vm, VM_STATUS, b.v ? 0 : VM_ZF);
		break;
	case OP_TZCNT:
	case OP_LZCNT:
		if (!b.v)
			x.v = bits;
		else
			x.v = in->op == OP_TZCNT ? (unsigned)__builtin_ctzll(b.v)
						 : (unsigned)__builtin_clzll(b.v) - (64 - bits);
		set_flags(vm, VM_CF | VM_ZF, (b.v ? 0 : VM_CF) | (x.v ? 0 : VM_ZF));
		break;
	default: /* bsf, bsr: of zero nobody promises a result */
		set_flags(vm, VM_ZF, b.v ? 0 : VM_ZF);
		x.known = b.v;
		if (b.v)
			x.v = in->op == OP_BSF ? (unsigned)__builtin_ctzll(b.v)
					       : 63 - (unsigned)__builtin_clzll(b.v);
	}
	put(vm, in, 0, x);
	return VM_OK;
}

/* Bit strings in memory (a register as offset reaches beyond the operand) are left to the thread. */
static enum vm_result do_bit(struct vm *vm, const struct vm_insn *in)
{
	bool write = in->op != OP_BT;
	struct val a, b;
	enum vm_result r = two(vm, in, &a, &b, write);
	uint64_t bit;

	if (r != VM_OK)
		return r;
	if (in->opd[0].kind == VM_OPD_MEM && in->opd[1].kind == VM_OPD_REG)
		return VM_FOREIGN;
	bit = BIT(b.v & (8 * in->opd[0].size - 1));
	lose_flags(vm, VM_OF | VM_SF | VM_AF | VM_PF | VM_CF);
	if (a.known && b.known)
		set_flags(vm, VM_CF, a.v & bit ? VM_CF : 0);
	a.known &= b.known;
	a.v = in->op == OP_BTS ? a.v | bit : in->op == OP_BTR ? a.v & ~bit : a.v ^ bit;
	if (write)
		put(vm, in, 0, a);
	return VM_OK;
}

/* andn, blsr, blsi, blsmsk, bzhi */
static enum vm_result do_bmi(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, n;
	struct val a, b = { 0, true };
	enum vm_result r = get(vm, in, 1, &a);
	bool cf = false;
	uint64_t v = 0;

	if (r == VM_OK && in->nr > 2)
		r = get(vm, in, 2, &b);
	if (r != VM_OK)
		return r;
	n = b.v & 0xff;
	switch (in->op) {
	case OP_ANDN: v = ~a.v & b.v; break;
	case OP_BLSR: v = a.v & (a.v - 1), cf = !a.v; break;
	case OP_BLSI: v = a.v & -a.v, cf = a.v; break;
	case OP_BLSMSK: v = a.v ^ (a.v - 1), cf = !a.v; break;
	default: v = n < 8 * size ? a.v & (BIT(n) - 1) : a.v, cf = n >= 8 * size; break;
	}
	lose_flags(vm, VM_STATUS);
	if (a.known && b.known)
		set_flags(vm, VM_ZF | VM_SF | VM_OF | VM_CF,
			  (zsp(v, size) & (VM_ZF | VM_SF)) | (cf ? VM_CF : 0));
	put(vm, in, 0, (struct val){ v, a.known && b.known });
	return VM_OK;
}

/* rorx, shlx, shrx, sarx: no flags */
static enum vm_result do_shiftx(struct vm *vm, const struct vm_insn *in)
{
	static const uint8_t as[] = {
		[OP_RORX] = OP_ROR, [OP_SHLX] = OP_SHL, [OP_SHRX] = OP_SHR, [OP_SARX] = OP_SAR
	};
	unsigned size = in->opd[0].size, n;
	struct vm_insn plain = { .op = as[in->op] };
	struct val a, b;
	enum vm_result r = get(vm, in, 1, &a);
	bool carry;

	if (r == VM_OK)
		r = get(vm, in, 2, &b);
	if (r != VM_OK)
		return r;
	n = b.v & (size == 8 ? 63 : 31);
	if (n)
		a.v = shift(&plain, a.v, n, size, &carry);
	put(vm, in, 0, (struct val){ a.v, a.known && b.known });
	return VM_OK;
}

static enum vm_result do_mulx(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size;
	struct val a = get_reg(vm, VM_DX), b;
	enum vm_result r = get(vm, in, 2, &b);
	__uint128_t p;

	if (r != VM_OK)
		return r;
	p = (__uint128_t)(a.v & mask_of(size)) * b.v;
	put(vm, in, 1, (struct val){ (uint64_t)p, a.known && b.known });
	put(vm, in, 0, (struct val){ (uint64_t)(p >> 8 * size), a.known && b.known });
	return VM_OK;
}

static enum vm_result do_bswap(struct vm *vm, const struct vm_insn *in)
{
	struct val a;

	if (in->opd[0].size < 4)
		return VM_FOREIGN;
	(void)get(vm, in, 0, &a);
	a.v = __builtin_bswap64(a.v) >> (64 - 8 * in->opd[0].size);
	put(vm, in, 0, a);
	return VM_OK;
}

/* ---- compare and exchange ------------------------------------------------------------------------------------------ */

static enum vm_result do_xadd(struct vm *vm, const struct vm_insn *in)
{
	struct val a, b, x = { 0, false };
	enum vm_result r = two(vm, in, &a, &b, true);

	if (r != VM_OK)
		return r;
	if (a.known && b.known) {
		x = (struct val){ a.v + b.v, true };
		flags_add(vm, a.v, b.v, x.v, in->opd[0].size, false);
	} else {
		lose_flags(vm, VM_STATUS);
	}
	if (in->opd[0].kind == VM_OPD_MEM) {
		put(vm, in, 0, x);
		put(vm, in, 1, a);
	} else {
		put(vm, in, 1, a);
		put(vm, in, 0, x);
	}
	return VM_OK;
}

static enum vm_result do_cmpxchg(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size;
	struct vm_opd ax = { .kind = VM_OPD_REG, .reg = VM_AX, .size = size };
	struct val a, b, acc = get_reg(vm, VM_AX);
	enum vm_result r = two(vm, in, &a, &b, true);

	if (r != VM_OK)
		return r;
	acc.v &= mask_of(size);
	if (!a.known || !acc.known) {
		lose_flags(vm, VM_STATUS);
		put(vm, in, 0, (struct val){ 0, false });
		set_part(vm, &ax, (struct val){ 0, false });
		return VM_OK;
	}
	flags_sub(vm, acc.v, a.v, acc.v - a.v, size, false);
	if (acc.v == a.v)
		put(vm, in, 0, b);
	else
		set_part(vm, &ax, a);
	return VM_OK;
}

/* ---- strings -------------------------------------------------------------------------------------------------------- */

static enum vm_result do_string(struct vm *vm, const struct vm_insn *in)
{
	struct val si = get_reg(vm, VM_SI), di = get_reg(vm, VM_DI), cx = get_reg(vm, VM_CX);
	bool movs = in->op == OP_MOVS;
	uint64_t n = in->rep ? cx.v : 1, size = in->size;

	if (!di.known || (movs && !si.known) || (in->rep && !cx.known))
		return VM_UNKNOWN;
	if ((vm->flags & VM_DF) || !(vm->flags_known & VM_DF) || n > STRING_MAX / size ||
	    in->rep == 'n')
		return VM_FOREIGN;
	if (n && (vm_probe(vm, di.v, n * size) != VM_OK ||
		  (movs && vm_probe(vm, si.v, n * size) != VM_OK)))
		return VM_FOREIGN;
	for (uint64_t i = 0; i < n; i++) {
		struct val x = get_reg(vm, VM_AX);

		if (movs)
			x.known = vm_load(vm, si.v + i * size, size, &x.v) == VM_OK;
		(void)vm_store(vm, di.v + i * size, size, x.v, x.known);
	}
	set_reg(vm, VM_DI, di.v + n * size, true);
	if (movs)
		set_reg(vm, VM_SI, si.v + n * size, true);
	if (in->rep)
		set_reg(vm, VM_CX, 0, true);
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
	r = get(vm, in, 0, &x);
	*to = x.v;
	return r == VM_OK && !x.known ? VM_UNKNOWN : r;
}

static enum vm_result do_call(struct vm *vm, const struct vm_insn *in)
{
	struct val sp = get_reg(vm, VM_SP);
	enum vm_result r;
	uint64_t to;

	r = target(vm, in, &to);
	if (r != VM_OK || !sp.known)
		return r != VM_OK ? r : VM_UNKNOWN;
	r = vm_store(vm, sp.v - 8, 8, in->addr + in->len, true);
	if (r != VM_OK)
		return r;
	set_reg(vm, VM_SP, sp.v - 8, true);
	vm->rip = to;
	return VM_BRANCH;
}

static enum vm_result do_ret(struct vm *vm, const struct vm_insn *in)
{
	struct val sp = get_reg(vm, VM_SP);
	enum vm_result r;
	uint64_t to;

	if (!sp.known)
		return VM_UNKNOWN;
	r = vm_load(vm, sp.v, 8, &to);
	if (r != VM_OK)
		return r;
	set_reg(vm, VM_SP, sp.v + 8 + (in->nr ? (uint64_t)in->opd[0].value : 0), true);
	vm->rip = to;
	return VM_BRANCH;
}

static enum vm_result do_branch(struct vm *vm, const struct vm_insn *in)
{
	struct val c = { 1, true };
	enum vm_result r;
	uint64_t to;

	if (in->op == OP_JCC) {
		c = condition(vm, in->cond);
	} else if (in->op != OP_JMP) { /* jrcxz, loop */
		c = get_reg(vm, VM_CX);
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

static enum vm_result do_generic(struct vm *vm, const struct vm_insn *in)
{
	if (in->regs_written == 0xffff)
		return VM_FOREIGN;
	for (unsigned i = 0; i < in->nr; i++) {
		enum vm_result r;

		if (in->opd[i].kind != VM_OPD_MEM || !in->opd[i].written)
			continue;
		r = can_put(vm, in, i);
		if (r != VM_OK)
			return r;
	}
	for (unsigned i = 0; i < in->nr; i++)
		if (in->opd[i].kind == VM_OPD_MEM && in->opd[i].written)
			put(vm, in, i, (struct val){ 0, false });
	vm->foreign++;
	vm->known &= ~in->regs_written;
	lose_flags(vm, in->flags_written);
	return VM_OK;
}

static enum vm_result dispatch(struct vm *vm, const struct vm_insn *in)
{
	switch (in->op) {
	case OP_GENERIC: return do_generic(vm, in);
	case OP_NOP: return VM_OK;
	case OP_MOV:
	case OP_MOVZX:
	case OP_MOVSX: return do_mov(vm, in);
	case OP_LEA: return do_lea(vm, in);
	case OP_ADD ... OP_TEST: return do_alu(vm, in);
	case OP_NOT ... OP_DEC: return do_unary(vm, in);
	case OP_SHL ... OP_ROR: return do_shift(vm, in);
	case OP_SHLD:
	case OP_SHRD: return do_shift_double(vm, in);
	case OP_IMUL2: return do_imul2(vm, in);
	case OP_IMUL:
	case OP_MUL: return do_mul(vm, in);
	case OP_DIV:
	case OP_IDIV: return do_div(vm, in);
	case OP_CBW:
	case OP_CWD: return do_extend(vm, in);
	case OP_PUSH: return do_push(vm, in);
	case OP_POP: return do_pop(vm, in);
	case OP_LEAVE: return do_leave(vm);
	case OP_CALL: return do_call(vm, in);
	case OP_RET: return do_ret(vm, in);
	case OP_JMP ... OP_LOOP: return do_branch(vm, in);
	case OP_SETCC: return do_setcc(vm, in);
	case OP_CMOV: return do_cmov(vm, in);
	case OP_XCHG: return do_xchg(vm, in);
	case OP_XADD: return do_xadd(vm, in);
	case OP_CMPXCHG: return do_cmpxchg(vm, in);
	case OP_BSWAP: return do_bswap(vm, in);
	case OP_BSF ... OP_POPCNT: return do_scan(vm, in);
	case OP_BT ... OP_BTC: return do_bit(vm, in);
	case OP_ANDN ... OP_BLSMSK:
	case OP_BZHI: return do_bmi(vm, in);
	case OP_RORX ... OP_SARX: return do_shiftx(vm, in);
	case OP_MULX: return do_mulx(vm, in);
	case OP_MOVS:
	case OP_STOS: return do_string(vm, in);
	case OP_CLD:
	case OP_STD: set_flags(vm, VM_DF, in->op == OP_STD ? VM_DF : 0); return VM_OK;
	case OP_SYSCALL: return VM_SYSCALL;
	default: return VM_FAULT;
	}
}

enum vm_result vm_step(struct vm *vm, struct vm_insn *in)
{
	enum vm_result r = dispatch(vm, in);

	if (r != VM_OK && r != VM_BRANCH)
		return r;
	if (r == VM_OK)
		vm->rip = in->addr + in->len;
	if (vm->nr_trace < VM_TRACE)
		vm->trace[vm->nr_trace++] = in->addr;
	vm->executed++;
	return r;
}
