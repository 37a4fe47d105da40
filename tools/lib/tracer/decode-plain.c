// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instructions that most x86-64 code is made of, decoded by two tables: moves, arithmetic, near branches of
 * general registers. A walk comes to places where it has never been, and there it waits for its decoder: the
 * library, which knows every instruction there is, takes long for each. What the tables lack (LOCK and REP,
 * vectors, what is rare) is left to it, and what they have comes out as it would from there
 * (test-tracer-decode.c asks both of every opcode and ModRM, behind many a row of prefixes).
 *
 *	[2e 3e 64 65 66] [REX] opcode | 0F opcode   [ModRM [SIB] [displacement]]   [constant]
 */
#include "base/bytes.h"
#include "branch/branch.h"
#include "vm-int.h"

/* Operands, in the order of Intel's syntax: E is ModRM's memory or register, G its register. */
enum form {
	NOT_PLAIN,
	BARE, /* none */
	E_G,
	G_E,
	G_M, /* its address only */
	G_E_I8,
	G_E_IZ, /* a constant of four bytes, or two */
	E_I8,
	E_IZ,
	E_1,
	E_CL,
	E_ONLY,
	A_I8, /* al or rax */
	A_IZ,
	O_ONLY, /* the register in the opcode's last bits */
	O_I8,
	O_IV, /* a constant as wide as the register */
	I8_ONLY,
	IZ_ONLY,
	REL8,
	REL32,
};

struct row {
	uint8_t form, op, wide; /* wide: bytes of all operands; 0: of the prefixes' making */
};

#define ALU(at, what)                                                                          \
	[at] = { E_G, what, 1 }, [(at) + 1] = { E_G, what, 0 }, [(at) + 2] = { G_E, what, 1 }, \
	[(at) + 3] = { G_E, what, 0 }, [(at) + 4] = { A_I8, what, 1 },                         \
	[(at) + 5] = { A_IZ, what, 0 }

/* Where op is OP_GENERIC ModRM's middle field says what it is: groups[]. */
static const struct row one_byte[256] = {
	ALU(0x00, OP_ADD),
	ALU(0x08, OP_OR),
	ALU(0x10, OP_ADC),
	ALU(0x18, OP_SBB),
	ALU(0x20, OP_AND),
	ALU(0x28, OP_SUB),
	ALU(0x30, OP_XOR),
	ALU(0x38, OP_CMP),
	[0x50 ... 0x57] = { O_ONLY, OP_PUSH, 8 },
	[0x58 ... 0x5f] = { O_ONLY, OP_POP, 8 },
	[0x63] = { G_E, OP_MOVSX, 0 }, /* not of two bytes */
	[0x68] = { IZ_ONLY, OP_PUSH, 8 },
	[0x69] = { G_E_IZ, OP_IMUL2, 0 },
	[0x6a] = { I8_ONLY, OP_PUSH, 8 },
	[0x6b] = { G_E_I8, OP_IMUL2, 0 },
	[0x70 ... 0x7f] = { REL8, OP_JCC, 8 },
	[0x80] = { E_I8, OP_GENERIC, 1 },
	[0x81] = { E_IZ, OP_GENERIC, 0 },
	[0x83] = { E_I8, OP_GENERIC, 0 },
	[0x84] = { E_G, OP_TEST, 1 },
	[0x85] = { E_G, OP_TEST, 0 },
	[0x88] = { E_G, OP_MOV, 1 },
	[0x89] = { E_G, OP_MOV, 0 },
	[0x8a] = { G_E, OP_MOV, 1 },
	[0x8b] = { G_E, OP_MOV, 0 },
	[0x8d] = { G_M, OP_LEA, 0 },
	[0x98] = { BARE, OP_CBW, 0 },
	[0x99] = { BARE, OP_CWD, 0 },
	[0xa8] = { A_I8, OP_TEST, 1 },
	[0xa9] = { A_IZ, OP_TEST, 0 },
	[0xb0 ... 0xb7] = { O_I8, OP_MOV, 1 },
	[0xb8 ... 0xbf] = { O_IV, OP_MOV, 0 },
	[0xc0] = { E_I8, OP_GENERIC, 1 },
	[0xc1] = { E_I8, OP_GENERIC, 0 },
	[0xc3] = { BARE, OP_RET, 8 },
	[0xc6] = { E_I8, OP_GENERIC, 1 },
	[0xc7] = { E_IZ, OP_GENERIC, 0 },
	[0xc9] = { BARE, OP_LEAVE, 8 },
	[0xd0] = { E_1, OP_GENERIC, 1 },
	[0xd1] = { E_1, OP_GENERIC, 0 },
	[0xd2] = { E_CL, OP_GENERIC, 1 },
	[0xd3] = { E_CL, OP_GENERIC, 0 },
	[0xe8] = { REL32, OP_CALL, 8 },
	[0xe9] = { REL32, OP_JMP, 8 },
	[0xeb] = { REL8, OP_JMP, 8 },
	[0xf6] = { E_ONLY, OP_GENERIC, 1 },
	[0xf7] = { E_ONLY, OP_GENERIC, 0 },
	[0xfe] = { E_ONLY, OP_GENERIC, 1 },
	[0xff] = { E_ONLY, OP_GENERIC, 0 },
};

static const struct row two_bytes[256] = {
	[0x1f] = { E_G, OP_NOP, 0 },
	[0x40 ... 0x4f] = { G_E, OP_CMOV, 0 },
	[0x80 ... 0x8f] = { REL32, OP_JCC, 8 },
	[0x90 ... 0x9f] = { E_ONLY, OP_SETCC, 1 },
	[0xaf] = { G_E, OP_IMUL2, 0 },
	[0xb6] = { G_E, OP_MOVZX, 0 },
	[0xb7] = { G_E, OP_MOVZX, 0 },
	[0xbe] = { G_E, OP_MOVSX, 0 },
	[0xbf] = { G_E, OP_MOVSX, 0 },
};

/* By ModRM's middle field; OP_GENERIC is not plain. */
static const uint8_t arithmetic[8] = {
	OP_ADD, OP_OR, OP_ADC, OP_SBB, OP_AND, OP_SUB, OP_XOR, OP_CMP
};
static const uint8_t shifts[8] = { OP_ROL, OP_ROR, OP_GENERIC, OP_GENERIC,
				   OP_SHL, OP_SHR, OP_GENERIC, OP_SAR };
static const uint8_t moves[8] = { OP_MOV };
static const uint8_t unary[8] = { OP_TEST, OP_GENERIC, OP_NOT, OP_NEG,
				  OP_MUL,  OP_IMUL,    OP_DIV, OP_IDIV };
static const uint8_t others[8] = {
	OP_INC, OP_DEC, OP_CALL, OP_GENERIC, OP_JMP, OP_GENERIC, OP_PUSH
};

static uint8_t op_of_group(uint8_t opcode, unsigned digit)
{
	switch (opcode) {
	case 0x80:
	case 0x81:
	case 0x83: return arithmetic[digit];
	case 0xc6:
	case 0xc7: return moves[digit];
	case 0xf6:
	case 0xf7: return unary[digit];
	case 0xfe: return digit < 2 ? others[digit] : OP_GENERIC;
	case 0xff: return others[digit];
	default: return shifts[digit];
	}
}

/* ---- reading ------------------------------------------------------------------------------------------ */

#define REX_B 1
#define REX_X 2
#define REX_R 4
#define REX_W 8

struct plain {
	const unsigned char *bytes;
	size_t n, at;
	bool cut;  /* no bytes are left */
	bool half; /* 66 */
	uint8_t rex, opcode, modrm, seg;
	uint8_t size; /* of operands */
};

/* Little-endian, sign-extended. */
static int64_t take(struct plain *x, unsigned size)
{
	uint64_t v = 0;

	if (x->n - x->at < size) {
		x->cut = true;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)x->bytes[x->at++] << (8 * i);
	return size == 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

/* Prefixes and opcode; the row, NULL: none. */
static const struct row *open_insn(struct plain *x)
{
	const struct row *rows = one_byte;
	uint8_t b = (uint8_t)take(x, 1);

	for (; b == 0x2e || b == 0x3e || b == 0x64 || b == 0x65 || b == 0x66;
	     b = (uint8_t)take(x, 1)) {
		if (x->cut || (b == 0x66 ? x->half : x->seg))
			return NULL;
		if (b == 0x66)
			x->half = true;
		else
			x->seg = b == 0x64 ? 'f' : b == 0x65 ? 'g' : 1;
	}
	if ((b & 0xf0) == 0x40) {
		x->rex = b;
		b = (uint8_t)take(x, 1);
	}
	if (b == 0x0f) {
		rows = two_bytes;
		b = (uint8_t)take(x, 1);
	}
	x->opcode = b;
	return x->cut || !rows[b].form ? NULL : &rows[b];
}

static bool has_modrm(uint8_t form)
{
	return form >= E_G && form <= E_ONLY;
}

/* A byte's number without REX: 4 to 7 are the second bytes of the first four. */
static void put_register(const struct plain *x, struct vm_opd *o, unsigned reg, unsigned size)
{
	o->kind = VM_OPD_REG;
	o->size = (uint8_t)size;
	o->reg = (uint8_t)reg;
	if (size == 1 && !x->rex && reg >= 4) {
		o->reg -= 4;
		o->high = true;
	}
}

static void put_address(struct plain *x, struct vm_opd *o, unsigned size)
{
	unsigned mod = x->modrm >> 6, base = x->modrm & 7, index = 4;

	*o = (struct vm_opd){ .kind = VM_OPD_MEM,
			      .size = (uint8_t)size,
			      .reg = o->reg,
			      .base = VM_NO_REG,
			      .index = VM_NO_REG };
	o->seg = x->seg == 1 ? 0 : x->seg;
	if (base == 4) {
		uint8_t sib = (uint8_t)take(x, 1);

		base = sib & 7;
		index = (sib >> 3 & 7u) | (x->rex & REX_X ? 8u : 0u);
		if (index != 4) {
			o->index = (uint8_t)index;
			o->scale = (uint8_t)(1 << (sib >> 6));
		}
	}
	if (base == 5 && !mod) {
		o->rip = (x->modrm & 7) == 5;
		o->value = take(x, 4);
		return;
	}
	o->base = (uint8_t)(base | (x->rex & REX_B ? 8u : 0u));
	o->value = mod == 1 ? take(x, 1) : mod == 2 ? take(x, 4) : 0;
}

static void put_rm(struct plain *x, struct vm_opd *o, unsigned size)
{
	if (x->modrm >> 6 == 3)
		put_register(x, o, (x->modrm & 7u) | (x->rex & REX_B ? 8u : 0u), size);
	else
		put_address(x, o, size);
}

static void put_reg(const struct plain *x, struct vm_opd *o, unsigned size)
{
	put_register(x, o, (x->modrm >> 3 & 7u) | (x->rex & REX_R ? 8u : 0u), size);
}

static void put_constant(struct plain *x, struct vm_opd *o, unsigned size)
{
	o->kind = VM_OPD_IMM;
	o->size = (uint8_t)size;
	o->value = take(x, size);
}

/* ---- operands ------------------------------------------------------------------------------------------ */

/* Of E, where that is not as wide as the other operand. */
static unsigned source_size(const struct plain *x, const struct vm_insn *in)
{
	if (in->op != OP_MOVZX && in->op != OP_MOVSX)
		return x->size;
	return x->opcode == 0x63 ? 4 : x->opcode & 1 ? 2 : 1;
}

static void put_operands(struct plain *x, struct vm_insn *in, uint8_t form)
{
	unsigned size = x->size, four = size == 2 ? 2 : 4;
	unsigned low = (x->opcode & 7u) | (x->rex & REX_B ? 8u : 0u);
	struct vm_opd *o = in->opd;

	in->nr = 2;
	switch (form) {
	case BARE: in->nr = 0; break;
	case E_G:
		put_rm(x, &o[0], size);
		put_reg(x, &o[1], size);
		break;
	case G_E:
		put_reg(x, &o[0], size);
		put_rm(x, &o[1], source_size(x, in));
		break;
	case G_M:
		put_reg(x, &o[0], size);
		put_rm(x, &o[1], 8);
		o[1].seg = 0;
		break;
	case G_E_I8:
	case G_E_IZ:
		in->nr = 3;
		put_reg(x, &o[0], size);
		put_rm(x, &o[1], size);
		put_constant(x, &o[2], form == G_E_I8 ? 1 : four);
		break;
	case E_I8:
	case E_IZ:
		put_rm(x, &o[0], size);
		put_constant(x, &o[1], form == E_I8 ? 1 : four);
		if (in->op >= OP_SHL && in->op <= OP_ROR) /* a number of bits has no sign */
			o[1].value &= 0xff;
		break;
	case E_1:
		put_rm(x, &o[0], size);
		o[1] = (struct vm_opd){ .kind = VM_OPD_IMM, .size = 1, .value = 1 };
		break;
	case E_CL:
		put_rm(x, &o[0], size);
		o[1] = (struct vm_opd){ .kind = VM_OPD_REG, .size = 1, .reg = VM_CX };
		break;
	case E_ONLY:
		in->nr = 1;
		put_rm(x, &o[0], size);
		if (in->op == OP_TEST) {
			in->nr = 2;
			put_constant(x, &o[1], size == 1 ? 1 : four);
		}
		break;
	case A_I8:
	case A_IZ:
		put_register(x, &o[0], VM_AX, size);
		put_constant(x, &o[1], form == A_I8 ? 1 : four);
		break;
	case O_ONLY:
		in->nr = 1;
		put_register(x, &o[0], low, size);
		break;
	case O_I8:
	case O_IV:
		put_register(x, &o[0], low, size);
		put_constant(x, &o[1], size);
		break;
	default: /* constants alone */
		in->nr = 1;
		put_constant(x, &o[0], form == I8_ONLY || form == REL8 ? 1 : 4);
		break;
	}
}

static uint16_t flags_of(uint8_t op)
{
	switch (op) {
	case OP_ADD ... OP_TEST:
	case OP_NEG:
	case OP_SHL ... OP_SAR:
	case OP_IMUL ... OP_IDIV: return VM_STATUS;
	case OP_INC:
	case OP_DEC: return VM_STATUS & ~VM_CF;
	case OP_ROL:
	case OP_ROR: return VM_CF | VM_OF;
	default: return 0;
	}
}

/* Which operands, and which registers that are not among them, it writes. */
static void note_written(struct vm_insn *in)
{
	switch (in->op) {
	case OP_CMP:
	case OP_TEST:
	case OP_NOP:
	case OP_JCC:
	case OP_JMP: return;
	case OP_PUSH:
	case OP_CALL:
	case OP_RET: in->regs_written = 1 << VM_SP; return;
	case OP_IMUL:
	case OP_MUL:
	case OP_DIV:
	case OP_IDIV:
		in->regs_written = 1 << VM_AX | (in->opd[0].size > 1 ? 1 << VM_DX : 0);
		return;
	case OP_LEAVE: in->regs_written = 1 << VM_SP | 1 << VM_BP; return;
	case OP_CBW: in->regs_written = 1 << VM_AX; return;
	case OP_CWD: in->regs_written = 1 << VM_DX; return;
	case OP_POP: in->regs_written = 1 << VM_SP; break;
	default: break;
	}
	in->opd[0].written = true;
	if (in->opd[0].kind == VM_OPD_REG)
		in->regs_written |= (uint16_t)(1 << in->opd[0].reg);
}

static uint8_t branch_of(const struct vm_insn *in)
{
	bool direct = in->nr && in->opd[0].kind == VM_OPD_IMM;

	switch (in->op) {
	case OP_JCC: return BR_COND;
	case OP_JMP: return direct ? BR_UNCOND : BR_IND;
	case OP_CALL: return direct ? BR_CALL : BR_IND_CALL;
	case OP_RET: return BR_RET;
	default: return BR_UNKNOWN;
	}
}

static bool is_endbr(const unsigned char *bytes, size_t n)
{
	return n >= 4 && !memcmp(bytes, "\xf3\x0f\x1e\xfa", 4);
}

/* What the row alone does not tell: groups, sizes, what is not to be there. False: not plain. */
static bool choose(struct plain *x, struct vm_insn *in, const struct row *row)
{
	in->op = row->op;
	if (has_modrm(row->form)) {
		x->modrm = (uint8_t)take(x, 1);
		if (in->op == OP_GENERIC)
			in->op = op_of_group(x->opcode, x->modrm >> 3 & 7);
	}
	if (in->op == OP_GENERIC || (row->form == G_M && x->modrm >> 6 == 3))
		return false;
	/* more than one prefix for the width, or one that changes nothing: rare, left to the library */
	if (x->half && (row->wide || x->rex & REX_W || x->opcode == 0x63))
		return false;
	x->size = row->wide ? row->wide : x->rex & REX_W ? 8 : x->half ? 2 : 4;
	if (x->opcode == 0xff && in->op >= OP_PUSH && in->op <= OP_JMP) {
		if (x->half)
			return false;
		x->size = 8;
	}
	in->size = x->size;
	if (in->op == OP_JCC || in->op == OP_SETCC || in->op == OP_CMOV)
		in->cond = x->opcode & 15;
	return true;
}

bool vm_decode_plain(struct vm_insn *in, const unsigned char *bytes, size_t n)
{
	struct plain x = { .bytes = bytes, .n = min_u64(n, sizeof(in->bytes)) };
	const struct row *row;

	if (is_endbr(bytes, n)) {
		in->op = OP_NOP;
		in->len = 4;
		in->size = 4;
		return true;
	}
	row = open_insn(&x);
	if (!row || !choose(&x, in, row))
		return false;
	put_operands(&x, in, row->form);
	if (x.cut)
		return false;
	in->len = (uint8_t)x.at;
	in->flags_written = flags_of(in->op);
	note_written(in);
	in->branch = branch_of(in);
	return true;
}
