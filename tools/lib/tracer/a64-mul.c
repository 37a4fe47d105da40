// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64: what takes two or three registers and no flags: products, quotients, shifts by a register, bits
 * counted and turned round, checksums; and signed pointers.
 */
#include "a64-int.h"

enum vm_result a64_multiply(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val a = a64_get(vm, a64_rn(w)), b = a64_get(vm, a64_rm(w));
	struct a64_val c = a64_get(vm, a64_ra(w)), x = { 0, a.known && b.known && c.known };
	unsigned op = a64_bits(w, 23, 21);
	bool sub = w >> 15 & 1, high = op == 2 || op == 6;

	if ((op && !a64_is_64(w)) || (high && sub))
		return a64_trap(vm, in, w);
	switch (op) {
	case 0: x.v = a.v * b.v; break;
	case 1: x.v = (uint64_t)((int64_t)(int32_t)a.v * (int32_t)b.v); break;
	case 5: x.v = (uint64_t)(uint32_t)a.v * (uint32_t)b.v; break;
	case 2: x.v = (uint64_t)((__int128)(int64_t)a.v * (int64_t)b.v >> 64); break;
	case 6: x.v = (uint64_t)((unsigned __int128)a.v * b.v >> 64); break;
	default: return a64_trap(vm, in, w);
	}
	if (high)
		x.known = a.known && b.known;
	else
		x.v = sub ? c.v - x.v : c.v + x.v;
	a64_set(vm, a64_rd(w), a64_cut(x, a64_is_64(w)));
	return VM_OK;
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool is_64)
{
	if (!is_64) {
		a = is_signed ? a64_extend(a, 32) : (uint32_t)a;
		b = is_signed ? a64_extend(b, 32) : (uint32_t)b;
	}
	if (!b)
		return 0;
	if (!is_signed)
		return a / b;
	/* the smallest number by -1 is itself */
	return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

/* Polynomials as the Arm ARM has them, bits turned round. */
static uint64_t crc32(uint64_t sum, uint64_t data, unsigned bytes, bool castagnoli)
{
	uint32_t poly = castagnoli ? 0x82f63b78 : 0xedb88320, c = (uint32_t)sum;

	for (unsigned i = 0; i < bytes; i++) {
		c ^= (uint8_t)(data >> 8 * i);
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? poly : 0);
	}
	return c;
}

enum vm_result a64_two_sources(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val a = a64_get(vm, a64_rn(w)), b = a64_get(vm, a64_rm(w));
	struct a64_val x = { 0, a.known && b.known };
	unsigned op = a64_bits(w, 15, 10), bits = a64_is_64(w) ? 64 : 32, by = b.v & (bits - 1);
	uint64_t v = a.v & a64_low(bits);

	switch (op) {
	case 2:
	case 3: x.v = divide(a.v, b.v, op == 3, bits == 64); break;
	case 8: x.v = v << by; break;
	case 9: x.v = v >> by; break;
	case 10: x.v = (uint64_t)((int64_t)a64_extend(v, bits) >> by); break;
	case 11: x.v = by ? v >> by | v << (bits - by) : v; break;
	case 16 ... 23:
		if ((op & 3) == 3 ? bits != 64 : bits != 32)
			return a64_trap(vm, in, w);
		x.v = crc32(a.v, b.v, 1u << (op & 3), op & 4);
		break;
	default: return a64_foreign(vm, in, w); /* tags of memory, minima and maxima */
	}
	a64_set(vm, a64_rd(w), a64_cut(x, bits == 64));
	return VM_OK;
}

static uint64_t reverse_bits(uint64_t v)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < 64; i++)
		r |= (v >> i & 1) << (63 - i);
	return r;
}

static uint64_t leading_zeros(uint64_t v, unsigned bits)
{
	return v ? (uint64_t)__builtin_clzll(v) - (64 - bits) : bits;
}

enum vm_result a64_one_source(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val x = a64_get(vm, a64_rn(w));
	unsigned op = a64_bits(w, 20, 10), bits = a64_is_64(w) ? 64 : 32;
	uint64_t v = x.v & a64_low(bits);

	switch (op) {
	case 0: x.v = reverse_bits(v) >> (64 - bits); break;
	case 1: x.v = (v & 0xff00ff00ff00ff00ULL) >> 8 | (v & 0x00ff00ff00ff00ffULL) << 8; break;
	case 2:
		x.v = __builtin_bswap32((uint32_t)v);
		if (bits == 64)
			x.v |= (uint64_t)__builtin_bswap32((uint32_t)(v >> 32)) << 32;
		break;
	case 3:
		if (bits != 64)
			return a64_trap(vm, in, w);
		x.v = __builtin_bswap64(v);
		break;
	case 4: x.v = leading_zeros(v, bits); break;
	case 5: /* equal to the sign, which does not count */
		x.v = leading_zeros((v ^ v >> 1) & a64_low(bits - 1), bits) - 1;
		break;
	default: return a64_foreign(vm, in, w);
	}
	a64_set(vm, a64_rd(w), a64_cut(x, bits == 64));
	return VM_OK;
}

/* PACIA and its like, AUTIA and its like, XPACI: with a modifier or without, into Rd. */
enum vm_result a64_pac(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned op = a64_bits(w, 15, 10);
	struct a64_val x = a64_get(vm, a64_rd(w));

	/* those without a modifier have no second register */
	if (op > 17 || (op >= 8 && a64_rn(w) != A64_NONE))
		return a64_foreign(vm, in, w);
	if (op < 16 && !(op & 4)) { /* signs */
		if (vm->pac_mask && vm->exact)
			return VM_FOREIGN;
		return VM_OK;
	}
	x.v = a64_strip(vm, x.v);
	a64_set(vm, a64_rd(w), x);
	return VM_OK;
}

/* ---- flags by themselves ------------------------------------------------------------------- */

enum vm_result a64_rmif(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val x = a64_get(vm, a64_rn(w));
	unsigned by = a64_bits(w, 20, 15);
	uint32_t mask = w & 15, nzcv = (uint32_t)(by ? x.v >> by | x.v << (64 - by) : x.v) & mask;

	(void)in;
	vm->flags = (vm->flags & ~mask) | nzcv;
	vm->flags_known = (vm->flags_known & ~mask) | (x.known ? mask : 0);
	return VM_OK;
}

enum vm_result a64_setf(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct a64_val x = a64_get(vm, a64_rn(w));
	unsigned bits = w >> 14 & 1 ? 16 : 8;
	uint32_t top = x.v >> (bits - 1) & 1, nzv = 0;

	(void)in;
	nzv |= top ? A64_N : 0;
	nzv |= x.v & a64_low(bits) ? 0 : A64_Z;
	nzv |= top != (x.v >> bits & 1) ? A64_V : 0;
	vm->flags = (vm->flags & A64_C) | nzv;
	vm->flags_known = (vm->flags_known & A64_C) | (x.known ? A64_N | A64_Z | A64_V : 0);
	return VM_OK;
}
