// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64: arithmetic and logic. Most come as one of two widths (bit 31) with or without flags (bit 29),
 * and differ only in how the second operand is made: a constant, a shifted or an extended register.
 */
#include "a64-int.h"

/* @a op @b into @rd, with flags where they are asked for. */
static enum vm_result add(struct vm *vm, uint32_t w, struct a64_val a, struct a64_val b, bool to_sp)
{
	bool is_64 = a64_is_64(w), sub = w >> 30 & 1, flags = w >> 29 & 1;
	struct a64_val x = { 0, a.known && b.known };
	uint32_t nzcv = 0;

	x.v = a64_add(a.v, sub ? ~b.v : b.v, sub, is_64, &nzcv);
	if (flags)
		a64_set_flags(vm, nzcv, x.known);
	if (to_sp && !flags)
		a64_set_sp(vm, a64_rd(w), x);
	else
		a64_set(vm, a64_rd(w), x);
	return VM_OK;
}

enum vm_result a64_adr(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	uint64_t imm = a64_extend(a64_bits(w, 23, 5) << 2 | a64_bits(w, 30, 29), 21);
	uint64_t at = in->addr;

	if (a64_is_64(w)) { /* adrp */
		at &= ~0xfffULL;
		imm <<= 12;
	}
	a64_set(vm, a64_rd(w), (struct a64_val){ at + imm, true });
	return VM_OK;
}

enum vm_result a64_add_imm(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val b = { a64_bits(w, 21, 10), true };

	(void)in;
	if (w >> 22 & 1)
		b.v <<= 12;
	return add(vm, w, a64_get_sp(vm, a64_rn(w)), b, true);
}

static uint64_t shift(uint64_t v, unsigned how, unsigned by, bool is_64)
{
	unsigned bits = is_64 ? 64 : 32;

	v &= a64_low(bits);
	if (!by)
		return v;
	switch (how) {
	case 0: v <<= by; break;
	case 1: v >>= by; break;
	case 2: v = (uint64_t)((int64_t)a64_extend(v, bits) >> by); break;
	default: v = v >> by | v << (bits - by); break;
	}
	return v & a64_low(bits);
}

static struct a64_val shifted(const struct vm *vm, uint32_t w)
{
	struct a64_val x = a64_get(vm, a64_rm(w));

	x.v = shift(x.v, a64_bits(w, 23, 22), a64_bits(w, 15, 10), a64_is_64(w));
	return x;
}

enum vm_result a64_add_reg(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	if (a64_bits(w, 23, 22) == 3 || (!a64_is_64(w) && w >> 15 & 1))
		return a64_trap(vm, in, w);
	return add(vm, w, a64_get(vm, a64_rn(w)), shifted(vm, w), false);
}

enum vm_result a64_add_extended(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val b = a64_get(vm, a64_rm(w));
	unsigned option = a64_bits(w, 15, 13), bits = 8u << (option & 3);

	if (a64_bits(w, 12, 10) > 4)
		return a64_trap(vm, in, w);
	b.v = option & 4 ? a64_extend(b.v, bits) : b.v & a64_low(bits);
	b.v <<= a64_bits(w, 12, 10);
	return add(vm, w, a64_get_sp(vm, a64_rn(w)), b, true);
}

enum vm_result a64_adc(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val a = a64_get(vm, a64_rn(w)), b = a64_get(vm, a64_rm(w)), x;
	uint32_t nzcv = 0;

	(void)in;
	x.known = a.known && b.known && vm->flags_known & A64_C;
	x.v = a64_add(a.v, w >> 30 & 1 ? ~b.v : b.v, vm->flags & A64_C, a64_is_64(w), &nzcv);
	if (w >> 29 & 1)
		a64_set_flags(vm, nzcv, x.known);
	a64_set(vm, a64_rd(w), x);
	return VM_OK;
}

/* ---- logic --------------------------------------------------------------------------------- */

static enum vm_result logic(struct vm *vm, uint32_t w, struct a64_val a, struct a64_val b,
			    bool to_sp)
{
	bool is_64 = a64_is_64(w);
	unsigned op = a64_bits(w, 30, 29);
	struct a64_val x = { 0, a.known && b.known };

	switch (op) {
	case 1: x.v = a.v | b.v; break;
	case 2: x.v = a.v ^ b.v; break;
	default: x.v = a.v & b.v; break;
	}
	x = a64_cut(x, is_64);
	if (op == 3)
		a64_set_flags(vm, (x.v >> (is_64 ? 63 : 31) & 1 ? A64_N : 0) | (x.v ? 0 : A64_Z),
			      x.known);
	if (to_sp && op != 3)
		a64_set_sp(vm, a64_rd(w), x);
	else
		a64_set(vm, a64_rd(w), x);
	return VM_OK;
}

/*
 * The constant of a logical instruction: a run of ones, rotated, in elements that repeat. Length of
 * the element by the highest bit of N and the inverted imms. False: there is none.
 */
static bool mask_imm(uint32_t w, uint64_t *imm)
{
	unsigned n = w >> 22 & 1, immr = a64_bits(w, 21, 16), imms = a64_bits(w, 15, 10);
	unsigned which = n << 6 | (~imms & 63), size, s, r;
	uint64_t ones;

	if (which < 2)
		return false;
	size = 1u << (31 - (unsigned)__builtin_clz(which));
	s = imms & (size - 1);
	r = immr & (size - 1);
	if (s == size - 1)
		return false;
	ones = a64_low(s + 1);
	*imm = (ones >> r | (r ? ones << (size - r) : 0)) & a64_low(size);
	for (; size < 64; size *= 2)
		*imm |= *imm << size;
	return true;
}

enum vm_result a64_logic_imm(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	uint64_t imm;

	if ((w >> 22 & 1 && !a64_is_64(w)) || !mask_imm(w, &imm))
		return a64_trap(vm, in, w);
	return logic(vm, w, a64_get(vm, a64_rn(w)), (struct a64_val){ imm, true }, true);
}

enum vm_result a64_logic_reg(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val b;

	if (!a64_is_64(w) && w >> 15 & 1)
		return a64_trap(vm, in, w);
	b = shifted(vm, w);
	if (w >> 21 & 1)
		b.v = ~b.v;
	return logic(vm, w, a64_get(vm, a64_rn(w)), b, false);
}

enum vm_result a64_mov_wide(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned op = a64_bits(w, 30, 29), at = a64_bits(w, 22, 21) * 16;
	uint64_t imm = (uint64_t)a64_bits(w, 20, 5) << at;
	struct a64_val x = { imm, true };

	if (op == 1 || (!a64_is_64(w) && at > 16))
		return a64_trap(vm, in, w);
	if (op == 0)
		x.v = ~imm;
	if (op == 3) {
		x = a64_get(vm, a64_rd(w));
		x.v = (x.v & ~(0xffffULL << at)) | imm;
	}
	a64_set(vm, a64_rd(w), a64_cut(x, a64_is_64(w)));
	return VM_OK;
}

/* A field of Rn to a field of Rd: what is above it is signs, Rd's own, or zeros. */
enum vm_result a64_bitfield(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned op = a64_bits(w, 30, 29), r = a64_bits(w, 21, 16), s = a64_bits(w, 15, 10);
	unsigned bits = a64_is_64(w) ? 64 : 32;
	struct a64_val src = a64_get(vm, a64_rn(w)), old = a64_get(vm, a64_rd(w)), x;
	uint64_t field, mask;

	if (op == 3 || (w >> 22 & 1) != (bits == 64) || r >= bits || s >= bits)
		return a64_trap(vm, in, w);
	if (s >= r) { /* down to bit 0 */
		field = src.v >> r & a64_low(s - r + 1);
		mask = a64_low(s - r + 1);
	} else {
		field = (src.v & a64_low(s + 1)) << (bits - r);
		mask = a64_low(s + 1) << (bits - r);
	}
	x.known = src.known && (op != 1 || old.known);
	x.v = field;
	if (op == 1)
		x.v |= old.v & ~mask;
	if (op == 0)
		x.v = a64_extend(field, 64 - (unsigned)__builtin_clzll(mask));
	a64_set(vm, a64_rd(w), a64_cut(x, bits == 64));
	return VM_OK;
}

enum vm_result a64_extr(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val high = a64_get(vm, a64_rn(w)), low = a64_get(vm, a64_rm(w)), x;
	unsigned by = a64_bits(w, 15, 10), bits = a64_is_64(w) ? 64 : 32;

	if ((w >> 22 & 1) != (bits == 64) || by >= bits)
		return a64_trap(vm, in, w);
	x.known = high.known && low.known;
	x.v = by ? (low.v & a64_low(bits)) >> by | high.v << (bits - by) : low.v;
	a64_set(vm, a64_rd(w), a64_cut(x, bits == 64));
	return VM_OK;
}

/* ---- by conditions ------------------------------------------------------------------------- */

enum vm_result a64_ccmp(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val c = a64_condition(vm, a64_bits(w, 15, 12)), a = a64_get(vm, a64_rn(w));
	bool sub = w >> 30 & 1;
	struct a64_val b =
		w >> 11 & 1 ? (struct a64_val){ a64_rm(w), true } : a64_get(vm, a64_rm(w));
	uint32_t nzcv = w & 15;

	(void)in;
	if (c.known && c.v)
		(void)a64_add(a.v, sub ? ~b.v : b.v, sub, a64_is_64(w), &nzcv);
	a64_set_flags(vm, nzcv, c.known && (!c.v || (a.known && b.known)));
	return VM_OK;
}

enum vm_result a64_csel(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val c = a64_condition(vm, a64_bits(w, 15, 12)), x = a64_get(vm, a64_rn(w));

	(void)in;
	if (!c.v) {
		x = a64_get(vm, a64_rm(w));
		if (w >> 30 & 1)
			x.v = ~x.v;
		if (w >> 10 & 1)
			x.v++;
	}
	x.known &= c.known;
	a64_set(vm, a64_rd(w), a64_cut(x, a64_is_64(w)));
	return VM_OK;
}
