// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter: arithmetic, shifts, bits. Flags that the manuals call undefined become unknown.
 */
#include "base/tables.h"
#include "exec-int.h"

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
	case OP_ADD: exec_flags_add(vm, a, b, r = a + b, size, false); break;
	case OP_ADC: exec_flags_add(vm, a, b, r = a + b + c, size, c); break;
	case OP_SBB: exec_flags_sub(vm, a, b, r = a - b - c, size, c); break;
	case OP_CMP:
	case OP_SUB: exec_flags_sub(vm, a, b, r = a - b, size, false); break;
	case OP_OR: exec_flags_logic(vm, r = a | b, size); break;
	case OP_XOR: exec_flags_logic(vm, r = a ^ b, size); break;
	default: exec_flags_logic(vm, r = a & b, size); break; /* AND, TEST */
	}
	return r;
}

enum vm_result exec_alu(struct vm *vm, const struct vm_insn *in)
{
	bool write = in->op != OP_CMP && in->op != OP_TEST;
	bool carry = in->op == OP_ADC || in->op == OP_SBB;
	struct val a, b, x = { 0, false };
	enum vm_result r = exec_two(vm, in, &a, &b, write);

	if (r != VM_OK)
		return r;
	if ((in->op == OP_XOR || in->op == OP_SUB) && same_register(in))
		a = b = (struct val){ 0, true };
	if (a.known && b.known && (!carry || (vm->flags_known & VM_CF)))
		x = (struct val){ alu(vm, in, a.v, b.v), true };
	else
		exec_lose_flags(vm, VM_STATUS);
	if (write)
		exec_put(vm, in, 0, x);
	return VM_OK;
}

enum vm_result exec_unary(struct vm *vm, const struct vm_insn *in)
{
	enum vm_result r = exec_can_put(vm, in, 0);
	unsigned size = in->opd[0].size;
	uint32_t cf = vm->flags & VM_CF, cf_known = vm->flags_known & VM_CF;
	struct val a;

	if (r == VM_OK)
		r = exec_get(vm, in, 0, &a);
	if (r != VM_OK)
		return r;
	if (in->op == OP_NOT) {
		a.v = ~a.v;
	} else if (!a.known) {
		exec_lose_flags(vm, in->op == OP_NEG ? VM_STATUS : VM_STATUS & ~VM_CF);
	} else if (in->op == OP_NEG) {
		exec_flags_sub(vm, 0, a.v, -a.v, size, false);
		a.v = -a.v;
	} else {
		uint64_t v = in->op == OP_INC ? a.v + 1 : a.v - 1;

		if (in->op == OP_INC)
			exec_flags_add(vm, a.v, 1, v, size, false);
		else
			exec_flags_sub(vm, a.v, 1, v, size, false);
		vm->flags = (vm->flags & ~VM_CF) | cf; /* these two keep the carry */
		vm->flags_known = (vm->flags_known & ~VM_CF) | cf_known;
		a.v = v;
	}
	exec_put(vm, in, 0, a);
	return VM_OK;
}

/* Result and carry of a shift or rotation by 1 <= n; bits = width. */
static uint64_t shift(uint8_t op, uint64_t a, unsigned n, unsigned size, bool *carry)
{
	unsigned bits = 8 * size;
	int64_t s = sign_extend(a, size);
	uint64_t r;

	switch (op) {
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

static void shift_flags(struct vm *vm, uint8_t op, uint64_t a, uint64_t r, unsigned n,
			unsigned size, bool carry)
{
	uint64_t top = msb_of(size);
	bool rotate = op == OP_ROL || op == OP_ROR, of;

	if (!rotate) {
		exec_set_flags(vm, VM_ZF | VM_SF | VM_PF, exec_zsp(r, size));
		exec_lose_flags(vm, VM_AF);
	}
	exec_set_flags(vm, VM_CF, carry ? VM_CF : 0);
	if (n >= 8 * size && !rotate && op != OP_SAR)
		exec_lose_flags(vm, VM_CF);
	if (n != 1) {
		exec_lose_flags(vm, VM_OF);
		return;
	}
	switch (op) {
	case OP_SHL:
	case OP_ROL: of = !!(r & top) != carry; break;
	case OP_SHR: of = a & top; break;
	case OP_ROR: of = !!(r & top) != !!(r & top >> 1); break;
	default: of = false; break;
	}
	exec_set_flags(vm, VM_OF, of ? VM_OF : 0);
}

uint64_t exec_shifted(struct vm *vm, uint8_t op, uint64_t a, unsigned n, unsigned size)
{
	bool carry;
	uint64_t r = shift(op, a, n, size, &carry);

	shift_flags(vm, op, a, r, n, size, carry);
	return r;
}

enum vm_result exec_shift(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, n;
	struct val a, b, x = { 0, false };
	enum vm_result r = exec_can_put(vm, in, 0);

	if (r == VM_OK)
		r = exec_get(vm, in, 0, &a);
	b = (struct val){ 1, true }; /* the form that shifts by one */
	if (r == VM_OK && in->nr > 1)
		r = exec_get(vm, in, 1, &b);
	if (r != VM_OK)
		return r;
	n = b.v & (size == 8 ? 63 : 31);
	if (!b.known || (!a.known && n)) {
		exec_lose_flags(vm, VM_STATUS);
	} else if (!n) {
		x = a; /* flags stay; a 32-bit result still clears the upper half */
	} else {
		x = (struct val){ exec_shifted(vm, in->op, a.v, n, size), true };
	}
	exec_put(vm, in, 0, x);
	return VM_OK;
}

/* By one bit, with the carry as one more. */
static uint64_t rotate_once(const struct vm_insn *in, uint64_t a, unsigned size, bool *carry)
{
	bool in_carry = *carry;

	if (in->op == OP_RCL) {
		*carry = a & msb_of(size);
		return (a << 1 | in_carry) & mask_of(size);
	}
	*carry = a & 1;
	return a >> 1 | (in_carry ? msb_of(size) : 0);
}

enum vm_result exec_rotate_carry(struct vm *vm, const struct vm_insn *in)
{
	struct val cf = exec_condition(vm, 2), a, b = { 1, true };
	enum vm_result r = exec_can_put(vm, in, 0);
	unsigned size = in->opd[0].size, n;
	bool carry = cf.v;

	if (r == VM_OK)
		r = exec_get(vm, in, 0, &a);
	if (r == VM_OK && in->nr > 1)
		r = exec_get(vm, in, 1, &b);
	if (r != VM_OK)
		return r;
	n = b.v & (size == 8 ? 63 : 31);
	if (!b.known || ((!a.known || !cf.known) && n)) {
		a.known = false;
		exec_lose_flags(vm, VM_CF | VM_OF);
	} else if (n) {
		for (unsigned i = n % (8 * size + 1); i; i--)
			a.v = rotate_once(in, a.v, size, &carry);
		exec_set_flags(vm, VM_CF, carry ? VM_CF : 0);
		/* of both bits at the top: for RCL one of them is in the carry now */
		if (in->op == OP_RCR)
			carry = a.v & msb_of(size) >> 1;
		exec_set_flags(vm, VM_OF, !!(a.v & msb_of(size)) != carry ? VM_OF : 0);
		if (n != 1)
			exec_lose_flags(vm, VM_OF);
	}
	exec_put(vm, in, 0, a);
	return VM_OK;
}

enum vm_result exec_shift_double(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, bits = 8 * size, n;
	struct val a, b, c, x = { 0, false };
	enum vm_result r = exec_two(vm, in, &a, &b, true);
	bool carry;

	if (r == VM_OK)
		r = exec_get(vm, in, 2, &c);
	if (r != VM_OK)
		return r;
	n = c.v & (size == 8 ? 63 : 31);
	if (!c.known || ((!a.known || !b.known) && n) || n >= bits) {
		exec_lose_flags(vm, VM_STATUS);
	} else if (!n) {
		x = a;
	} else {
		bool left = in->op == OP_SHLD;

		x.v = left ? a.v << n | b.v >> (bits - n) : a.v >> n | b.v << (bits - n);
		x.known = true;
		carry = left ? a.v >> (bits - n) & 1 : a.v >> (n - 1) & 1;
		exec_set_flags(vm, VM_ZF | VM_SF | VM_PF | VM_CF,
			       exec_zsp(x.v, size) | (carry ? VM_CF : 0));
		exec_lose_flags(vm, VM_AF | VM_OF);
	}
	exec_put(vm, in, 0, x);
	return VM_OK;
}

static void mul_flags(struct vm *vm, bool overflow)
{
	exec_set_flags(vm, VM_CF | VM_OF, overflow ? VM_CF | VM_OF : 0);
	exec_lose_flags(vm, VM_ZF | VM_SF | VM_PF | VM_AF);
}

uint64_t exec_multiplied(struct vm *vm, uint64_t a, uint64_t b, unsigned size)
{
	int64_t x = sign_extend(a, size), y = sign_extend(b, size), v;
	bool over = __builtin_mul_overflow(x, y, &v);

	mul_flags(vm, over || v != sign_extend((uint64_t)v, size));
	return (uint64_t)x * (uint64_t)y;
}

/* imul with two or three operands */
enum vm_result exec_imul2(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, first = in->nr == 3 ? 1 : 0;
	struct val a, b, x = { 0, false };
	enum vm_result r = exec_get(vm, in, first, &a);

	if (r == VM_OK)
		r = exec_get(vm, in, first + 1, &b);
	if (r != VM_OK)
		return r;
	if (a.known && b.known) {
		x = (struct val){ exec_multiplied(vm, a.v, b.v, size), true };
	} else {
		exec_lose_flags(vm, VM_STATUS);
	}
	exec_put(vm, in, 0, x);
	return VM_OK;
}

/* ax: al times a byte. */
static enum vm_result mul_byte(struct vm *vm, const struct vm_insn *in, struct val b)
{
	const struct vm_opd ax = { .kind = VM_OPD_REG, .reg = VM_AX, .size = 2 };
	struct val a = exec_get_reg(vm, VM_AX);
	int32_t p = (uint8_t)a.v * (uint8_t)b.v;

	if (in->op == OP_IMUL)
		p = (int8_t)a.v * (int8_t)b.v;
	a.known &= b.known;
	a.v = (uint16_t)p;
	if (a.known)
		mul_flags(vm, in->op == OP_MUL ? p > UINT8_MAX : p != (int8_t)p);
	else
		exec_lose_flags(vm, VM_STATUS);
	exec_set_part(vm, &ax, a);
	return VM_OK;
}

/* rdx:rax <- rax * operand */
enum vm_result exec_mul(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size;
	struct val a = exec_get_reg(vm, VM_AX), b;
	struct vm_opd lo = { .kind = VM_OPD_REG, .reg = VM_AX, .size = size }, hi = lo;
	enum vm_result r = exec_get(vm, in, 0, &b);
	struct val xl = { 0, false }, xh = xl;

	if (r != VM_OK || size == 1)
		return r != VM_OK ? r : mul_byte(vm, in, b);
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
		exec_lose_flags(vm, VM_STATUS);
	}
	exec_set_part(vm, &lo, xl);
	exec_set_part(vm, &hi, xh);
	return VM_OK;
}

/* ax by a byte: the quotient becomes al, the remainder ah. */
static enum vm_result div_byte(struct vm *vm, const struct vm_insn *in, struct val b)
{
	const struct vm_opd ax = { .kind = VM_OPD_REG, .reg = VM_AX, .size = 2 };
	struct val a = exec_get_reg(vm, VM_AX);
	int32_t n = (uint16_t)a.v, by = (uint8_t)b.v, q;

	if (in->op == OP_IDIV)
		n = (int16_t)a.v, by = (int32_t)sign_extend(b.v, 1);
	a.known &= b.known;
	if (a.known) {
		if (!by)
			return VM_FAULT;
		q = n / by;
		if (in->op == OP_DIV ? q > UINT8_MAX : q != (int8_t)q)
			return VM_FAULT;
		a.v = (uint8_t)q | (uint64_t)(uint8_t)(n % by) << 8;
	}
	exec_lose_flags(vm, VM_STATUS);
	exec_set_part(vm, &ax, a);
	return VM_OK;
}

enum vm_result exec_div(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size;
	struct val a = exec_get_reg(vm, VM_AX), d = exec_get_reg(vm, VM_DX), b;
	struct vm_opd lo = { .kind = VM_OPD_REG, .reg = VM_AX, .size = size }, hi = lo;
	enum vm_result r = exec_get(vm, in, 0, &b);
	uint64_t m = mask_of(size);
	__uint128_t n;

	if (r != VM_OK || size == 1)
		return r != VM_OK ? r : div_byte(vm, in, b);
	hi.reg = VM_DX;
	exec_lose_flags(vm, VM_STATUS);
	if (!a.known || !d.known || !b.known) {
		exec_set_part(vm, &lo, (struct val){ 0, false });
		exec_set_part(vm, &hi, (struct val){ 0, false });
		return VM_OK;
	}
	n = (__uint128_t)(d.v & m) << 8 * size | (a.v & m);
	if (!b.v)
		return VM_FAULT;
	if (in->op == OP_DIV) {
		if (n / b.v > m)
			return VM_FAULT;
		exec_set_part(vm, &lo, (struct val){ (uint64_t)(n / b.v), true });
		exec_set_part(vm, &hi, (struct val){ (uint64_t)(n % b.v), true });
	} else {
		int64_t y = sign_extend(b.v, size);
		__int128_t sn =
			size == 8 ? (__int128_t)n : (__int128_t)sign_extend((uint64_t)n, 2 * size);

		if ((size == 8 && y == -1 && n == (__uint128_t)1 << 127) ||
		    sn / y != sign_extend((uint64_t)(sn / y), size))
			return VM_FAULT;
		exec_set_part(vm, &lo, (struct val){ (uint64_t)(sn / y), true });
		exec_set_part(vm, &hi, (struct val){ (uint64_t)(sn % y), true });
	}
	return VM_OK;
}

/* cbw, cwde, cdqe: rax from its lower half; cwd, cdq, cqo: rdx from rax's sign */
enum vm_result exec_extend(struct vm *vm, const struct vm_insn *in)
{
	struct val a = exec_get_reg(vm, VM_AX);
	struct vm_opd o = { .kind = VM_OPD_REG, .reg = VM_AX, .size = in->size };

	if (in->op == OP_CBW) {
		a.v = (uint64_t)sign_extend(a.v, in->size / 2);
	} else {
		a.v = sign_extend(a.v, in->size) < 0 ? UINT64_MAX : 0;
		o.reg = VM_DX;
	}
	exec_set_part(vm, &o, a);
	return VM_OK;
}

/* ---- bits ------------------------------------------------------------------------------------------------------- */

enum vm_result exec_scan(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, bits = 8 * size;
	enum vm_result r;
	struct val b, x;

	r = exec_get(vm, in, 1, &b);
	if (r != VM_OK)
		return r;
	b.v &= mask_of(size);
	exec_lose_flags(vm, VM_STATUS);
	x = (struct val){ 0, b.known };
	if (!b.known) {
		exec_put(vm, in, 0, x);
		return VM_OK;
	}
	switch (in->op) {
	case OP_POPCNT:
		x.v = (uint64_t)weight_u64(b.v);
		exec_set_flags(vm, VM_STATUS, b.v ? 0 : VM_ZF);
		break;
	case OP_TZCNT:
	case OP_LZCNT:
		if (!b.v)
			x.v = bits;
		else
			x.v = in->op == OP_TZCNT ? (unsigned)__builtin_ctzll(b.v)
						 : (unsigned)__builtin_clzll(b.v) - (64 - bits);
		exec_set_flags(vm, VM_CF | VM_ZF, (b.v ? 0 : VM_CF) | (x.v ? 0 : VM_ZF));
		break;
	default: /* bsf, bsr: of zero nobody promises a result */
		exec_set_flags(vm, VM_ZF, b.v ? 0 : VM_ZF);
		x.known = b.v;
		if (b.v)
			x.v = in->op == OP_BSF ? (unsigned)__builtin_ctzll(b.v)
					       : 63 - (unsigned)__builtin_clzll(b.v);
	}
	exec_put(vm, in, 0, x);
	return VM_OK;
}

/* Bit strings in memory (a register as offset reaches beyond the operand) are left to the thread. */
enum vm_result exec_bit(struct vm *vm, const struct vm_insn *in)
{
	bool write = in->op != OP_BT;
	struct val a, b;
	enum vm_result r = exec_two(vm, in, &a, &b, write);
	uint64_t bit;

	if (r != VM_OK)
		return r;
	if (in->opd[0].kind == VM_OPD_MEM && in->opd[1].kind == VM_OPD_REG)
		return VM_FOREIGN;
	bit = BIT(b.v & (8 * in->opd[0].size - 1));
	exec_lose_flags(vm, VM_OF | VM_SF | VM_AF | VM_PF | VM_CF);
	if (a.known && b.known)
		exec_set_flags(vm, VM_CF, a.v & bit ? VM_CF : 0);
	a.known &= b.known;
	a.v = in->op == OP_BTS ? a.v | bit : in->op == OP_BTR ? a.v & ~bit : a.v ^ bit;
	if (write)
		exec_put(vm, in, 0, a);
	return VM_OK;
}

/* andn, blsr, blsi, blsmsk, bzhi */
enum vm_result exec_bmi(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size, n;
	struct val a, b = { 0, true };
	enum vm_result r = exec_get(vm, in, 1, &a);
	bool cf = false;
	uint64_t v = 0;

	if (r == VM_OK && in->nr > 2)
		r = exec_get(vm, in, 2, &b);
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
	exec_lose_flags(vm, VM_STATUS);
	if (a.known && b.known)
		exec_set_flags(vm, VM_ZF | VM_SF | VM_OF | VM_CF,
			       (exec_zsp(v, size) & (VM_ZF | VM_SF)) | (cf ? VM_CF : 0));
	exec_put(vm, in, 0, (struct val){ v, a.known && b.known });
	return VM_OK;
}

/* rorx, shlx, shrx, sarx: no flags */
enum vm_result exec_shiftx(struct vm *vm, const struct vm_insn *in)
{
	static const uint8_t as[] = {
		[OP_RORX] = OP_ROR, [OP_SHLX] = OP_SHL, [OP_SHRX] = OP_SHR, [OP_SARX] = OP_SAR
	};
	unsigned size = in->opd[0].size, n;
	struct val a, b;
	enum vm_result r = exec_get(vm, in, 1, &a);
	bool carry;

	if (r == VM_OK)
		r = exec_get(vm, in, 2, &b);
	if (r != VM_OK)
		return r;
	n = b.v & (size == 8 ? 63 : 31);
	if (n)
		a.v = shift(as[in->op], a.v, n, size, &carry);
	exec_put(vm, in, 0, (struct val){ a.v, a.known && b.known });
	return VM_OK;
}

enum vm_result exec_mulx(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->opd[0].size;
	struct val a = exec_get_reg(vm, VM_DX), b;
	enum vm_result r = exec_get(vm, in, 2, &b);
	__uint128_t p;

	if (r != VM_OK)
		return r;
	p = (__uint128_t)(a.v & mask_of(size)) * b.v;
	exec_put(vm, in, 1, (struct val){ (uint64_t)p, a.known && b.known });
	exec_put(vm, in, 0, (struct val){ (uint64_t)(p >> 8 * size), a.known && b.known });
	return VM_OK;
}

enum vm_result exec_bswap(struct vm *vm, const struct vm_insn *in)
{
	struct val a;

	if (in->opd[0].size < 4)
		return VM_FOREIGN;
	(void)exec_get(vm, in, 0, &a);
	a.v = __builtin_bswap64(a.v) >> (64 - 8 * in->opd[0].size);
	exec_put(vm, in, 0, a);
	return VM_OK;
}

enum vm_result exec_movbe(struct vm *vm, const struct vm_insn *in)
{
	enum vm_result r = exec_can_put(vm, in, 0);
	struct val a;

	if (r == VM_OK)
		r = exec_get(vm, in, 1, &a);
	if (r != VM_OK)
		return r;
	a.v = __builtin_bswap64(a.v) >> (64 - 8 * in->opd[1].size);
	exec_put(vm, in, 0, a);
	return VM_OK;
}
