// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What APX adds to x86-64 code, which libraries of before 2024 take for no instruction. Two forms reach the
 * general registers 16 to 31 (Intel APX architecture specification, 355828, chapter 3):
 *
 *	D5 | M0 R4 X4 B4 W R3 X3 B3 | opcode ...	REX2: a REX prefix with a second bit for each register,
 *							and one that stands for the byte 0F
 *	62 | P0 P1 P2 | opcode ModRM ...		EVEX: P0 bit 3 is B4, bit 2 of P1 is X4 inverted; map 4
 *							is that of general instructions, with a third operand
 *
 * An instruction behind REX2 is rewritten with REX, for the library, to which the upper bits of registers are told
 * beside; an EVEX instruction of vectors without the bits that are new. What EVEX gives general registers is
 * understood here as far as views ask: how long it is, and which registers it names.
 */
#include "insn/apx-int.h"

#define LONGEST 15

/* Bytes that may stand in front of REX2 and EVEX. */
static bool is_prefix(unsigned char b)
{
	switch (b) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3: return true;
	default: return false;
	}
}

/* Opcodes that are none behind REX2: REX and short branches are of 64-bit code alone, others have an EVEX form. */
static bool takes_rex2(bool map1, unsigned char op)
{
	unsigned row = op >> 4;

	if (map1)
		return row != 3 && row != 8;
	return (row != 4 && row != 7 && row != 0xa && row != 0xe) || op == 0xa1;
}

static int parse_rex2(const unsigned char *code, size_t n, size_t at, struct apx *a)
{
	unsigned char bits, op;
	size_t to = at;

	if (n < at + 3)
		return -EINVAL;
	bits = code[at + 1];
	op = code[at + 2];
	if (!takes_rex2(bits >> 7, op))
		return -EINVAL;
	/* A1 behind it is an absolute jump, with as many bytes as what it is without; it takes no prefix. */
	a->jumps = !(bits & 0x80) && op == 0xa1;
	if (a->jumps && at)
		return -EINVAL;
	memcpy(a->plain, code, at);
	a->plain[to++] = 0x40 | (bits & 15);
	if (bits & 0x80)
		a->plain[to++] = 0x0f;
	for (size_t i = at + 2; i < n && to < sizeof(a->plain); i++)
		a->plain[to++] = code[i];
	a->plain_size = to;
	a->grown = bits & 0x80 ? 0 : 1;
	a->r4 = bits >> 6 & 1;
	a->x4 = bits >> 5 & 1;
	a->b4 = bits >> 4 & 1;
	return 0;
}

/* ---- EVEX -------------------------------------------------------------------------------------- */

struct evex {
	unsigned map, pp, op;
	bool w, nd;
	unsigned r, x, b, v; /* upper bits of registers; v: the register itself */
	unsigned char modrm;
};

static void put_evex(const unsigned char *p, struct evex *x)
{
	x->map = p[0] & 7;
	x->pp = p[1] & 3;
	x->w = p[1] >> 7;
	x->nd = p[2] >> 4 & 1;
	x->r = (p[0] >> 7 & 1 ? 0u : 8u) | (p[0] >> 4 & 1 ? 0u : 16u);
	x->x = (p[0] >> 6 & 1 ? 0u : 8u) | (p[1] >> 2 & 1 ? 0u : 16u);
	x->b = (p[0] >> 5 & 1 ? 0u : 8u) | (p[0] >> 3 & 1 ? 16u : 0u);
	x->v = (~p[1] >> 3 & 15u) | (p[2] >> 3 & 1 ? 0u : 16u);
	x->op = p[3];
	x->modrm = p[4];
}

/* Bytes of the constant behind the operands. */
static unsigned constant_size(const struct evex *x)
{
	unsigned wide = x->pp == 1 ? 2 : 4, digit = x->modrm >> 3 & 7;

	if (x->map == 3)
		return 1;
	if (x->map == 1)
		return (x->op & 0xfc) == 0x70 || x->op == 0xc2 || (x->op >= 0xc4 && x->op <= 0xc6);
	if (x->map != 4)
		return 0;
	switch (x->op) {
	case 0x24: /* SHLD, SHRD */
	case 0x2c:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0:
	case 0xc1: return 1;
	case 0x69:
	case 0x81: return wide;
	case 0xf6: return digit < 2;
	case 0xf7: return digit < 2 ? wide : 0;
	default: return 0;
	}
}

/* Whether ModRM's middle field is a part of the opcode and no register. */
static bool is_group(const struct evex *x)
{
	switch (x->op) {
	case 0x80:
	case 0x81:
	case 0x83:
	case 0x8f:
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
	case 0xf6:
	case 0xf7:
	case 0xfe:
	case 0xff: return true;
	default: return (x->op & 0xf0) == 0x40 && x->pp == 3; /* SETcc */
	}
}

/* That bit says there that the upper half of the destination is to be zero. */
static bool zeroes(const struct evex *x)
{
	return x->op == 0x69 || x->op == 0x6b || ((x->op & 0xf0) == 0x40 && x->pp == 3);
}

/* ModRM, SIB and what is added to the address; the registers of the address. 0 = cut off. */
static size_t operand_size(const struct evex *x, const unsigned char *p, size_t n, uint32_t *named)
{
	unsigned mod = x->modrm >> 6, rm = x->modrm & 7, base = rm;
	size_t len = 1;

	if (mod == 3)
		return len;
	if (rm == 4) {
		unsigned index;

		if (n < 2)
			return 0;
		base = p[1] & 7;
		index = (p[1] >> 3 & 7u) | x->x;
		if (index != 4)
			*named |= 1U << index;
		len++;
	}
	if (base == 5 && !mod) /* no base, but 4 bytes */
		return len + 4;
	*named |= 1U << (base | x->b);
	return len + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* Instructions of VEX that have an EVEX form for general registers: kmov, AMX, BMI and CMPccXADD. */
static bool is_promoted(const struct evex *x)
{
	switch (x->map) {
	case 1: return x->op >= 0x90 && x->op <= 0x93;
	case 2:
		return x->op == 0x49 || x->op == 0x4b || x->op == 0xf2 || x->op == 0xf3 ||
		       x->op == 0xf5 || x->op == 0xf7 || (x->op & 0xf0) == 0xe0;
	case 3: return x->op == 0xf0;
	default: return false;
	}
}

/* Of maps 1 to 3, beside addresses: 90 to 93 are masks' moves, 49 and 4B AMX's. */
static uint32_t promoted_names(const struct evex *x)
{
	uint32_t reg = 1U << ((x->modrm >> 3 & 7u) | x->r), rm = 1U << ((x->modrm & 7u) | x->b);

	rm = x->modrm >> 6 == 3 ? rm : 0;
	if (x->map == 1)
		return x->op == 0x92 ? rm : x->op == 0x93 ? reg : 0;
	if (x->map == 3)
		return reg | rm;
	if (x->op < 0xe0)
		return 0;
	return (x->op == 0xf3 ? 0 : reg) | rm | 1U << x->v;
}

/* Its address is of no use then, but what it does with vectors is. */
static void put_plain(const unsigned char *code, size_t n, size_t at, struct apx *a)
{
	a->plain_size = n < sizeof(a->plain) ? n : sizeof(a->plain);
	memcpy(a->plain, code, a->plain_size);
	a->plain[at + 1] &= (unsigned char)~8;
	a->plain[at + 2] |= 4;
}

static int parse_evex(const unsigned char *code, size_t n, size_t at, struct apx *a)
{
	uint32_t address = 0;
	struct evex x;
	size_t len;

	if (n < at + 6)
		return -EINVAL;
	put_evex(code + at + 1, &x);
	/* Others are what libraries know: these bits are fixed there. */
	if (!x.map ||
	    (x.map != 4 && !is_promoted(&x) && !(x.b & 16) && !(x.x & 16 && x.modrm >> 6 != 3)))
		return -EINVAL;
	len = operand_size(&x, code + at + 5, n - at - 5, &address);
	a->len = at + 5 + len + constant_size(&x);
	if (!len || a->len > n || a->len > LONGEST)
		return -EINVAL;
	a->named = address;
	if (x.map != 4) {
		if (is_promoted(&x))
			a->named |= promoted_names(&x);
		else
			put_plain(code, n, at, a);
		return 0;
	}
	if (x.modrm >> 6 == 3)
		a->named |= 1U << ((x.modrm & 7u) | x.b);
	if (!is_group(&x))
		a->named |= 1U << ((x.modrm >> 3 & 7u) | x.r);
	if (x.nd && !zeroes(&x))
		a->named |= 1U << x.v;
	a->pushes = x.op == 0xff && (x.modrm >> 3 & 7) == 6;
	a->pops = x.op == 0x8f && !(x.modrm >> 3 & 7);
	return 0;
}

int insn_apx(const unsigned char *code, size_t n, struct apx *a)
{
	size_t at = 0;

	*a = (struct apx){ .len = 0 };
	if (n > LONGEST)
		n = LONGEST;
	while (at < n && is_prefix(code[at]))
		at++;
	if (at == n)
		return -EINVAL;
	if (code[at] == 0xd5)
		return parse_rex2(code, n, at, a);
	return code[at] == 0x62 ? parse_evex(code, n, at, a) : -EINVAL;
}
