// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The x86-64 instructions that most code is made of: moves, arithmetic, near branches of general registers. A
 * library that knows all instructions takes thousands of its own for each; who follows code, or reads whole functions,
 * asks for so many that this is what they wait for. Two tables by opcode (Intel SDM, volume 2, appendix A) say
 * which operands there are, and that is all that anybody asks:
 *
 *	[66] [REX] opcode | 0F opcode   [ModRM [SIB] [displacement]]   [constant]
 *
 * What the tables lack is left to the library: other prefixes, vectors, what is rare or not to be there at all. So a
 * row that is missing costs time, and one that is wrong shows in the test that asks both of everything.
 */
#include "base/bytes.h"
#include "insn/plain-int.h"

enum {
	KNOWN = 1 << 0,
	MODRM = 1 << 1,
	REG = 1 << 2,	/* ModRM's middle field is a general register */
	REG8 = 1 << 3,	/* a byte of it */
	RM8 = 1 << 4,	/* the last field, where it is a register, is one's byte */
	OP = 1 << 5,	/* so are the opcode's last bits */
	OP8 = 1 << 6,	/* a byte of it */
	AX = 1 << 7,	/* it names AX */
	CX = 1 << 8,	/* CL */
	I8 = 1 << 9,	/* a constant of one byte */
	IZ = 1 << 10,	/* of four, or two with 66 */
	IV = 1 << 11,	/* and of eight with REX.W */
	REL = 1 << 12,	/* that constant is where it branches to */
	MEM = 1 << 13,	/* not with a register at the end */
	BARE = 1 << 14, /* not with 66 */
	TEST = 1 << 15, /* the constant is there if the middle field is 0 */
};

/* The middle field is a part of the opcode: these eight, a bit each. */
#define DIGITS(mask) ((uint32_t)(mask) << 24)

#define FOUR(of, flags8, flags)                                   \
	[of] = KNOWN | MODRM | REG | REG8 | RM8 | (flags8),       \
	[(of) + 1] = KNOWN | MODRM | REG | (flags),               \
	[(of) + 2] = KNOWN | MODRM | REG | REG8 | RM8 | (flags8), \
	[(of) + 3] = KNOWN | MODRM | REG | (flags)
#define SIX(of)	    FOUR(of, 0, 0), [(of) + 4] = KNOWN | AX | I8, [(of) + 5] = KNOWN | AX | IZ
#define GROUP(mask) (KNOWN | MODRM | DIGITS(mask))

static const uint32_t one_byte[256] = {
	SIX(0x00),
	SIX(0x08),
	SIX(0x10),
	SIX(0x18),
	SIX(0x20),
	SIX(0x28),
	SIX(0x30),
	SIX(0x38),
	[0x50 ... 0x5f] = KNOWN | OP,
	[0x63] = KNOWN | MODRM | REG | BARE,
	[0x68] = KNOWN | IZ | BARE,
	[0x69] = KNOWN | MODRM | REG | IZ,
	[0x6a] = KNOWN | I8 | BARE,
	[0x6b] = KNOWN | MODRM | REG | I8,
	[0x70 ... 0x7f] = KNOWN | I8 | REL | BARE,
	[0x80] = GROUP(0xff) | RM8 | I8,
	[0x81] = GROUP(0xff) | IZ,
	[0x83] = GROUP(0xff) | I8,
	FOUR(0x84, 0, 0),
	FOUR(0x88, 0, 0),
	[0x8d] = KNOWN | MODRM | REG | MEM,
	[0xa8] = KNOWN | AX | I8,
	[0xa9] = KNOWN | AX | IZ,
	[0xb0 ... 0xb7] = KNOWN | OP | OP8 | I8,
	[0xb8 ... 0xbf] = KNOWN | OP | IV,
	[0xc0] = GROUP(0xbf) | RM8 | I8,
	[0xc1] = GROUP(0xbf) | I8,
	[0xc3] = KNOWN | BARE,
	[0xc6] = GROUP(0x01) | RM8 | I8,
	[0xc7] = GROUP(0x01) | IZ,
	[0xc9] = KNOWN | BARE,
	[0xd0] = GROUP(0xbf) | RM8,
	[0xd1] = GROUP(0xbf),
	[0xd2] = GROUP(0xbf) | RM8 | CX,
	[0xd3] = GROUP(0xbf) | CX,
	[0xe8] = KNOWN | IZ | REL | BARE,
	[0xe9] = KNOWN | IZ | REL | BARE,
	[0xeb] = KNOWN | I8 | REL | BARE,
	[0xf6] = GROUP(0xfd) | RM8 | I8 | TEST,
	[0xf7] = GROUP(0xfd) | IZ | TEST,
	[0xfe] = GROUP(0x03) | RM8,
	[0xff] = GROUP(0x17) | BARE,
};

static const uint32_t two_bytes[256] = {
	[0x1f] = GROUP(0x01) | REG | MEM, /* that field is a register there, for libraries */
	[0x40 ... 0x4f] = KNOWN | MODRM | REG,
	[0x80 ... 0x8f] = KNOWN | IZ | REL | BARE,
	[0x90 ... 0x9f] = KNOWN | MODRM | RM8,
	[0xa3] = KNOWN | MODRM | REG,
	[0xab] = KNOWN | MODRM | REG,
	[0xaf] = KNOWN | MODRM | REG,
	[0xb0] = KNOWN | MODRM | REG | REG8 | RM8,
	[0xb1] = KNOWN | MODRM | REG,
	[0xb3] = KNOWN | MODRM | REG,
	[0xb6] = KNOWN | MODRM | REG | RM8,
	[0xb7] = KNOWN | MODRM | REG,
	[0xba] = GROUP(0xf0) | I8,
	[0xbb] = KNOWN | MODRM | REG,
	[0xbe] = KNOWN | MODRM | REG | RM8,
	[0xbf] = KNOWN | MODRM | REG,
	[0xc0] = KNOWN | MODRM | REG | REG8 | RM8,
	[0xc1] = KNOWN | MODRM | REG,
};

#define NO_REG	-1
#define RIP	-2
#define REX_B	1
#define REX_X	2
#define REX_R	4
#define REX_W	8
#define LONGEST 15

struct plain {
	uint32_t form;
	bool two, half; /* of two_bytes; 66 without REX.W */
	uint8_t rex, op, modrm;
	int base, index; /* of the address */
	int32_t disp, rel;
	int len;
};

/* ModRM and what is in the address, from @p on: the bytes, 0 = cut off. */
static inline size_t parse_address(struct plain *x, const unsigned char *p, size_t n)
{
	unsigned mod = x->modrm >> 6, rm = x->modrm & 7, base = rm;
	size_t at = 1, wide;

	x->base = x->index = NO_REG;
	if (mod == 3)
		return at;
	if (rm == 4) {
		unsigned index;

		if (n < 2)
			return 0;
		index = (p[1] >> 3 & 7u) | (x->rex & REX_X ? 8u : 0u);
		base = p[1] & 7;
		x->index = index == 4 ? NO_REG : (int)index;
		at++;
	}
	wide = mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0;
	if (base != 5 || mod)
		x->base = (int)(base | (x->rex & REX_B ? 8u : 0u));
	else if (rm == 5)
		x->base = RIP;
	if (n < at + wide)
		return 0;
	if (wide == 1)
		x->disp = (int8_t)p[at]; /* signed: NOLINT(bugprone-signed-char-misuse) */
	else if (wide)
		x->disp = (int32_t)load_u32(p + at, host_is_big_endian());
	return at + wide;
}

static inline size_t constant_size(const struct plain *x)
{
	if (x->form & TEST && x->modrm >> 3 & 7)
		return 0;
	if (x->form & I8)
		return 1;
	if (x->form & IV && x->rex & REX_W)
		return 8;
	return x->form & (IZ | IV) ? (x->half ? 2 : 4) : 0;
}

static inline bool parse(struct plain *x, const unsigned char *p, size_t n)
{
	size_t at = 0, more;
	bool wide = false;

	*x = (struct plain){ .base = NO_REG, .index = NO_REG };
	if (n > LONGEST)
		n = LONGEST;
	if (n && p[0] == 0x66)
		wide = at++ == 0;
	if (at < n && (p[at] & 0xf0) == 0x40)
		x->rex = p[at++];
	x->two = at < n && p[at] == 0x0f;
	at += x->two;
	if (at >= n)
		return false;
	x->op = p[at++];
	x->form = (x->two ? two_bytes : one_byte)[x->op];
	if (!(x->form & KNOWN) || (wide && x->form & BARE))
		return false;
	x->half = wide && !(x->rex & REX_W);
	if (x->form & MODRM) {
		if (at >= n)
			return false;
		x->modrm = p[at];
		if ((x->form >> 24 && !(x->form >> 24 >> (x->modrm >> 3 & 7) & 1)) ||
		    (x->form & MEM && x->modrm >> 6 == 3))
			return false;
		more = parse_address(x, p + at, n - at);
		if (!more)
			return false;
		at += more;
	}
	more = constant_size(x);
	if (n < at + more)
		return false;
	if (x->form & REL)
		x->rel =
			more == 1 ? (int8_t)p[at] : (int32_t)load_u32(p + at, host_is_big_endian());
	x->len = (int)(at + more);
	return true;
}

static unsigned digit(const struct plain *x)
{
	return x->modrm >> 3 & 7;
}

/* ---- branches and addresses -------------------------------------------------------------------- */

static enum insn_branch branch_of(const struct plain *x)
{
	if (x->two)
		return x->form & REL ? INSN_COND : INSN_NO_BRANCH;
	switch (x->op) {
	case 0xc3: return INSN_RET;
	case 0xe8: return INSN_CALL;
	case 0xe9:
	case 0xeb: return INSN_JUMP;
	case 0xff:
		return digit(x) == 2   ? INSN_IND_CALL
		       : digit(x) == 4 ? INSN_IND_JUMP
				       : INSN_NO_BRANCH;
	default: return x->form & REL ? INSN_COND : INSN_NO_BRANCH;
	}
}

int insn_plain_decode(const unsigned char *code, size_t size, uint64_t addr, struct insn *out)
{
	struct plain x;

	if (!parse(&x, code, size))
		return 0;
	*out = (struct insn){ .len = (uint8_t)x.len, .branch = branch_of(&x) };
	if (x.form & REL) {
		out->has_target = true;
		out->target = addr + (uint64_t)x.len + (uint64_t)(int64_t)x.rel;
	}
	/* Relative to what follows, or nothing but a number. */
	if (x.form & MODRM && x.modrm >> 6 != 3 && x.base < 0 && x.index == NO_REG) {
		out->has_data = true;
		out->data =
			(uint64_t)(int64_t)x.disp + (x.base == RIP ? addr + (uint64_t)x.len : 0);
	}
	return x.len;
}

/* ---- general registers ------------------------------------------------------------------------- */

/* Without REX, bytes 4 to 7 are the second ones of registers 0 to 3. */
static inline uint32_t bit_of(const struct plain *x, unsigned low, unsigned high, bool byte)
{
	unsigned reg = low | (x->rex & high ? 8u : 0u);

	return 1U << (byte && !x->rex ? reg & 3 : reg);
}

/* Of an operation of one byte. */
static enum insn_stack stack_of(const struct plain *x)
{
	bool slot;

	if (x->half)
		return INSN_NO_STACK;
	if ((x->op & 0xf0) == 0x50)
		return x->op & 8 ? INSN_POP : INSN_PUSH;
	if (x->op == 0xff)
		return digit(x) == 6 && x->modrm >> 6 == 3 ? INSN_PUSH : INSN_NO_STACK;
	if ((x->op & 0xfd) != 0x89)
		return INSN_NO_STACK;
	slot = x->modrm >> 6 != 3 && (x->base == 4 || x->base == 5) && x->index == NO_REG;
	return !slot ? INSN_NO_STACK : x->op == 0x89 ? INSN_SPILL : INSN_RELOAD;
}

int insn_plain_general(const unsigned char *code, size_t size, struct insn_general *out)
{
	uint32_t named = 0;
	struct plain x;

	if (!parse(&x, code, size))
		return 0;
	*out = (struct insn_general){ .stack = INSN_NO_STACK };
	if (!x.two) {
		out->stack = stack_of(&x);
		out->call = x.op == 0xe8 || (x.op == 0xff && digit(&x) == 2);
	}
	if (x.form & REG)
		named = bit_of(&x, digit(&x), REX_R, x.form & REG8);
	if (x.form & MODRM) {
		if (x.modrm >> 6 == 3)
			named |= bit_of(&x, x.modrm & 7, REX_B, x.form & RM8);
		if (x.base >= 0)
			named |= 1U << x.base;
		if (x.index >= 0)
			named |= 1U << x.index;
	} else if (x.form & OP) {
		named |= bit_of(&x, x.op & 7, REX_B, x.form & OP8);
	}
	out->named = named | (x.form & AX ? 1U : 0) | (x.form & CX ? 2U : 0);
	return x.len;
}
