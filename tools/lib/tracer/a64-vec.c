// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64: vectors, as far as strings are searched and copied with them: moves to and from general registers,
 * constants, logic, and on elements of 8 to 64 bits sums, comparisons, minima, shifts. What else there is (floating point
 * above all) writes a vector register, which is unknown then; what writes a general register or flags is told apart
 * here.
 */
#include "a64-int.h"

static uint64_t element(const struct a64_vec *x, unsigned bits, unsigned i)
{
	return x->q[i * bits / 64] >> (i * bits % 64) & a64_low(bits);
}

static void set_element(struct a64_vec *x, unsigned bits, unsigned i, uint64_t v)
{
	unsigned at = i * bits % 64;
	uint64_t *q = &x->q[i * bits / 64];

	*q = (*q & ~(a64_low(bits) << at)) | (v & a64_low(bits)) << at;
}

/* Results of 64 bits clear the rest. */
static enum vm_result put(struct vm *vm, uint32_t w, struct a64_vec x)
{
	if (!x.known && vm->exact)
		return VM_FOREIGN;
	if (!(w >> 30 & 1))
		x.q[1] = 0;
	a64_set_vec(vm, a64_rd(w), x);
	return VM_OK;
}

static enum vm_result put_general(struct vm *vm, uint32_t w, struct a64_val x)
{
	if (!x.known && vm->exact)
		return VM_FOREIGN;
	a64_set(vm, a64_rd(w), x);
	return VM_OK;
}

static unsigned bits_of(uint32_t w)
{
	return 8u << a64_bits(w, 23, 22);
}

static unsigned elements(uint32_t w, unsigned bits)
{
	return (w >> 30 & 1 ? 128 : 64) / bits;
}

/* ---- single elements ----------------------------------------------------------------------- */

/* imm5: the lowest one says how wide elements are, what is above it which. False: there is none. */
static bool place(uint32_t w, unsigned *bits, unsigned *index)
{
	unsigned imm5 = a64_bits(w, 20, 16), size = imm5 ? (unsigned)__builtin_ctz(imm5) : 4;

	*bits = 8u << size;
	*index = imm5 >> (size + 1);
	return size < 4;
}

/* Of a general register (bit 11) or of an element. */
enum vm_result a64_dup(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val x = a64_get(vm, a64_rn(w));
	struct a64_vec v = { .known = true };
	unsigned bits, index;

	if (!place(w, &bits, &index) || (bits == 64 && !(w >> 30 & 1)))
		return a64_trap(vm, in, w);
	if (!(w >> 11 & 1)) {
		struct a64_vec from = a64_vec(vm, a64_rn(w));

		x = (struct a64_val){ element(&from, bits, index), from.known };
	}
	v.known = x.known;
	for (unsigned i = 0; i < 128 / bits; i++)
		set_element(&v, bits, i, x.v);
	return put(vm, w, v);
}

enum vm_result a64_umov(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_vec v = a64_vec(vm, a64_rn(w));
	bool is_64 = w >> 30 & 1, is_signed = !(w >> 12 & 1);
	struct a64_val x = { 0, v.known };
	unsigned bits, index;

	if (!place(w, &bits, &index) ||
	    (is_signed ? bits >= (is_64 ? 64 : 32) : is_64 != (bits == 64)))
		return a64_trap(vm, in, w);
	x.v = element(&v, bits, index);
	if (is_signed)
		x.v = a64_extend(x.v, bits);
	return put_general(vm, w, a64_cut(x, is_64));
}

static enum vm_result insert(struct vm *vm, uint32_t w, unsigned bits, unsigned index,
			     struct a64_val x)
{
	struct a64_vec v = a64_vec(vm, a64_rd(w));

	v.known &= x.known;
	set_element(&v, bits, index, x.v);
	return put(vm, w | 1u << 30, v);
}

enum vm_result a64_ins(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned bits, index;

	if (!place(w, &bits, &index))
		return a64_trap(vm, in, w);
	return insert(vm, w, bits, index, a64_get(vm, a64_rn(w)));
}

enum vm_result a64_ins_element(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_vec from = a64_vec(vm, a64_rn(w));
	unsigned bits, index, imm4 = a64_bits(w, 14, 11);

	if (!place(w, &bits, &index))
		return a64_trap(vm, in, w);
	return insert(vm, w, bits, index,
		      (struct a64_val){ element(&from, bits, imm4 * 8 / bits), from.known });
}

/* Bits between a general register and a vector's lower or upper half. */
enum vm_result a64_fmov_general(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned type = a64_bits(w, 23, 22), upper = w >> 19 & 1;
	bool is_64 = a64_is_64(w), to_vec = w >> 16 & 1;
	unsigned bits = type == 3 ? 16 : is_64 ? 64 : 32;
	struct a64_val x = a64_get(vm, a64_rn(w));
	struct a64_vec v;

	if (type == 3 ? upper : type != (upper ? 2 : is_64) || (upper && !is_64))
		return a64_trap(vm, in, w);
	if (!to_vec) {
		v = a64_vec(vm, a64_rn(w));
		x = (struct a64_val){ element(&v, bits, upper), v.known };
		return put_general(vm, w, x);
	}
	v = upper ? a64_vec(vm, a64_rd(w)) : (struct a64_vec){ .known = true };
	v.known &= x.known;
	set_element(&v, bits, upper, x.v);
	return put(vm, w | 1u << 30, v);
}

enum vm_result a64_fmov(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_vec v = a64_vec(vm, a64_rn(w));

	(void)in;
	v.q[0] &= a64_low(w >> 22 & 1 ? 64 : 32);
	v.q[1] = 0;
	return put(vm, w, v);
}

/* ---- constants ----------------------------------------------------------------------------- */

static uint64_t repeat(uint64_t v, unsigned bits)
{
	for (; bits < 64; bits *= 2)
		v |= v << bits;
	return v;
}

/* cmode says width, shift, and what comes in from the right; false: floating point. */
static bool constant(uint32_t w, uint64_t *v)
{
	uint64_t imm = a64_bits(w, 18, 16) << 5 | a64_bits(w, 9, 5), all = 0;
	unsigned cmode = a64_bits(w, 15, 12);

	if (cmode < 8) {
		*v = repeat(imm << 8 * (cmode >> 1), 32);
	} else if (cmode < 12) {
		*v = repeat(imm << 8 * (cmode >> 1 & 1), 16);
	} else if (cmode < 14) {
		*v = repeat(cmode & 1 ? imm << 16 | 0xffff : imm << 8 | 0xff, 32);
	} else if (cmode == 14 && !(w >> 29 & 1)) {
		*v = repeat(imm, 8);
	} else if (cmode == 14) {
		for (unsigned i = 0; i < 8; i++)
			all |= imm >> i & 1 ? 0xffULL << 8 * i : 0;
		*v = all;
	} else {
		return false;
	}
	return true;
}

/* MOVI, MVNI, and ORR and BIC with a constant. */
enum vm_result a64_movi(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned cmode = a64_bits(w, 15, 12);
	bool negative = w >> 29 & 1, combines = cmode < 12 && cmode & 1;
	struct a64_vec v = { .known = true };
	uint64_t imm;

	if (w >> 11 & 1 || !constant(w, &imm))
		return a64_fp_other(vm, in, w);
	if (negative && cmode != 14)
		imm = ~imm;
	if (combines)
		v = a64_vec(vm, a64_rd(w));
	for (unsigned i = 0; i < 2; i++)
		v.q[i] = !combines ? imm : negative ? v.q[i] & imm : v.q[i] | imm;
	return put(vm, w, v);
}

/* ---- the same on all elements -------------------------------------------------------------- */

enum vm_result a64_vec_logic(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_vec a = a64_vec(vm, a64_rn(w)), b = a64_vec(vm, a64_rm(w));
	struct a64_vec d = a64_vec(vm, a64_rd(w)), x;
	unsigned op = (w >> 29 & 1) << 2 | a64_bits(w, 23, 22);

	(void)in;
	x.known = a.known && b.known && (op < 5 || d.known);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t p = a.q[i], q = b.q[i], r = d.q[i];

		switch (op) {
		case 0: x.q[i] = p & q; break;
		case 1: x.q[i] = p & ~q; break;
		case 2: x.q[i] = p | q; break;
		case 3: x.q[i] = p | ~q; break;
		case 4: x.q[i] = p ^ q; break;
		case 5: x.q[i] = (r & p) | (~r & q); break;  /* bsl */
		case 6: x.q[i] = (q & p) | (~q & r); break;  /* bit */
		default: x.q[i] = (~q & p) | (q & r); break; /* bif */
		}
	}
	/* an exclusive or with itself is known */
	if (op == 4 && a64_rn(w) == a64_rm(w))
		x.known = true;
	return put(vm, w, x);
}

/* @op is U and the opcode; false: not computed. */
static bool combine(unsigned op, unsigned bits, uint64_t a, uint64_t b, uint64_t *x)
{
	int64_t sa = (int64_t)a64_extend(a, bits), sb = (int64_t)a64_extend(b, bits);

	switch (op) {
	case 0x06: *x = sa > sb ? -1ULL : 0; break;
	case 0x26: *x = a > b ? -1ULL : 0; break;
	case 0x07: *x = sa >= sb ? -1ULL : 0; break;
	case 0x27: *x = a >= b ? -1ULL : 0; break;
	case 0x11: *x = a & b ? -1ULL : 0; break;
	case 0x31: *x = a == b ? -1ULL : 0; break;
	case 0x10:
	case 0x17: *x = a + b; break;
	case 0x30: *x = a - b; break;
	case 0x0c:
	case 0x14: *x = sa > sb ? a : b; break;
	case 0x2c:
	case 0x34: *x = a > b ? a : b; break;
	case 0x0d:
	case 0x15: *x = sa < sb ? a : b; break;
	case 0x2d:
	case 0x35: *x = a < b ? a : b; break;
	default: return false;
	}
	return true;
}

/* With pairs, neighbours are combined: first those of Rn, then those of Rm. */
enum vm_result a64_vec_same(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_vec a = a64_vec(vm, a64_rn(w)), b = a64_vec(vm, a64_rm(w)),
		       x = { .known = true };
	unsigned bits = bits_of(w), n = elements(w, bits), opcode = a64_bits(w, 15, 11);
	unsigned op = (w >> 29 & 1) << 5 | opcode;
	bool pairs = opcode == 0x14 || opcode == 0x15 || opcode == 0x17;

	for (unsigned i = 0; i < n; i++) {
		const struct a64_vec *from = i < n / 2 ? &a : &b;
		unsigned at = 2 * i % n;
		uint64_t p = pairs ? element(from, bits, at) : element(&a, bits, i);
		uint64_t q = pairs ? element(from, bits, at + 1) : element(&b, bits, i), v;

		if (!combine(op, bits, p, q, &v))
			return a64_fp_other(vm, in, w);
		set_element(&x, bits, i, v);
	}
	x.known = a.known && b.known;
	return put(vm, w, x);
}

/* To half the width: the other half of Rd is cleared, or with bit 30 it is the one that is written. */
static enum vm_result narrow(struct vm *vm, uint32_t w, unsigned bits, unsigned by)
{
	struct a64_vec a = a64_vec(vm, a64_rn(w)), x = { .known = true };
	unsigned n = 64 / bits, high = w >> 30 & 1;

	if (high) {
		x = a64_vec(vm, a64_rd(w));
		x.q[1] = 0;
	}
	for (unsigned i = 0; i < n; i++)
		set_element(&x, bits, i + high * n, element(&a, 2 * bits, i) >> by);
	x.known &= a.known;
	return put(vm, w, x);
}

enum vm_result a64_vec_misc(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_vec a = a64_vec(vm, a64_rn(w)), x = { .known = a.known };
	unsigned bits = bits_of(w), n = elements(w, bits);
	unsigned op = (w >> 29 & 1) << 5 | a64_bits(w, 16, 12);

	if (op == 0x12 && bits < 64) /* xtn */
		return narrow(vm, w, bits, 0);
	if (bits == 64 && n == 1)
		return a64_trap(vm, in, w);
	for (unsigned i = 0; i < n; i++) {
		uint64_t v = element(&a, bits, i);
		int64_t s = (int64_t)a64_extend(v, bits);

		switch (op) {
		case 0x08: v = s > 0 ? -1ULL : 0; break;
		case 0x28: v = s >= 0 ? -1ULL : 0; break;
		case 0x09: v = s == 0 ? -1ULL : 0; break;
		case 0x29: v = s <= 0 ? -1ULL : 0; break;
		case 0x0a: v = s < 0 ? -1ULL : 0; break;
		case 0x2b: v = -v; break;
		case 0x25:
			if (bits != 8) /* the bits of bytes turned round */
				return a64_fp_other(vm, in, w);
			v = ~v;
			break;
		case 0x05:
			if (bits != 8)
				return a64_trap(vm, in, w);
			v = (uint64_t)__builtin_popcountll(v);
			break;
		default: return a64_fp_other(vm, in, w);
		}
		set_element(&x, bits, i, v);
	}
	return put(vm, w, x);
}

/* immh: the highest one says how wide elements are; SHL counts up from there, the others down from twice that. */
enum vm_result a64_vec_shift(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_vec a = a64_vec(vm, a64_rn(w)), x = { .known = a.known };
	unsigned immh = a64_bits(w, 22, 19), imm = a64_bits(w, 22, 16);
	unsigned bits = 8u << (31 - (unsigned)__builtin_clz(immh | 1)), n = elements(w, bits);
	unsigned op = (w >> 29 & 1) << 5 | a64_bits(w, 15, 11), right = 2 * bits - imm;

	if (op == 0x10 && bits < 64) /* shrn */
		return narrow(vm, w, bits, right);
	if (bits == 64 && n == 1)
		return a64_trap(vm, in, w);
	for (unsigned i = 0; i < n; i++) {
		uint64_t v = element(&a, bits, i);

		switch (op) {
		case 0x00:
			v = (uint64_t)((int64_t)a64_extend(v, bits) >> (right > 63 ? 63 : right));
			break;
		case 0x20: v = right > 63 ? 0 : v >> right; break;
		case 0x0a: v <<= imm - bits; break;
		default: return a64_fp_other(vm, in, w);
		}
		set_element(&x, bits, i, v);
	}
	return put(vm, w, x);
}

/* All elements come to one. */
enum vm_result a64_vec_across(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	static const struct {
		uint8_t op, how; /* as combine() has them */
	} ops[] = {
		{ 0x1b, 0x10 }, { 0x0a, 0x0c }, { 0x2a, 0x2c }, { 0x1a, 0x0d }, { 0x3a, 0x2d }
	};
	struct a64_vec a = a64_vec(vm, a64_rn(w)), x = { .known = a.known };
	unsigned bits = bits_of(w), n = elements(w, bits), how = 0;
	unsigned op = (w >> 29 & 1) << 5 | a64_bits(w, 16, 12);
	uint64_t v = element(&a, bits, 0);

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		how = ops[i].op == op ? ops[i].how : how;
	if (!how)
		return a64_fp_other(vm, in, w);
	if (bits == 64 || n == 2)
		return a64_trap(vm, in, w);
	for (unsigned i = 1; i < n; i++)
		(void)combine(how, bits, v & a64_low(bits), element(&a, bits, i), &v);
	set_element(&x, bits, 0, v);
	return put(vm, w, x);
}

/* ---- what is not computed ------------------------------------------------------------------ */

enum vm_result a64_fcmp(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	(void)in, (void)w;
	if (vm->exact)
		return VM_FOREIGN;
	vm->foreign++;
	vm->flags_known = 0;
	return VM_OK;
}

/* Between floating point and integers: by the lowest bits of the opcode it comes from there or goes there. */
enum vm_result a64_fp_general(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned op = a64_bits(w, 18, 16);

	if (op == 2 || op == 3 || op == 7)
		return a64_fp_other(vm, in, w);
	if (vm->exact)
		return VM_FOREIGN;
	vm->foreign++;
	if (op == 6) /* FJCVTZS says in Z whether it was exact */
		vm->flags_known = 0;
	a64_set(vm, a64_rd(w), (struct a64_val){ 0, false });
	return VM_OK;
}

enum vm_result a64_fp_other(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	(void)in;
	return a64_lose_vec(vm, a64_rd(w));
}
