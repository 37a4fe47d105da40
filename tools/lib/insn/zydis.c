// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * x86 by Zydis: branches, vector widths, and text where capstone is missing. It tells kinds of
 * branches and operand widths by themselves, where capstone leaves them to be guessed from groups
 * and text.
 */
#include <stdlib.h>

#include "base/tables.h"
#include "config.h"
#include "insn/insn-int.h"

#if HAVE_ZYDIS

#include <Zydis/Zydis.h>

struct zydis_decoder {
	ZydisDecoder decoder;
	ZydisFormatter formatter[2]; /* by enum insn_syntax */
	enum insn_syntax syntax;
};

static int lib_open(void **out, enum regs_arch arch, unsigned mode, struct err *e)
{
	struct zydis_decoder *d;
	bool is_64bit = mode & INSN_64BIT;
	ZydisMachineMode machine =
		is_64bit ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32;
	ZydisStackWidth width = is_64bit ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32;

	(void)e;
	if (arch != REGS_ARCH_X86 || mode & INSN_BIG_ENDIAN)
		return -ENOTSUP;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	if (ZYAN_FAILED(ZydisDecoderInit(&d->decoder, machine, width)) ||
	    ZYAN_FAILED(ZydisFormatterInit(&d->formatter[INSN_ATT], ZYDIS_FORMATTER_STYLE_ATT)) ||
	    ZYAN_FAILED(
		    ZydisFormatterInit(&d->formatter[INSN_INTEL], ZYDIS_FORMATTER_STYLE_INTEL))) {
		free(d);
		return -ENOTSUP;
	}
	*out = d;
	return 0;
}

static void lib_close(void *handle)
{
	struct zydis_decoder *d = handle;

	free(d);
}

/* What the first Xeon Phi had in place of EVEX is none: its bytes are EVEX whose index is one of r16 to r31. */
static bool decode(const struct zydis_decoder *d, const void *code, size_t size,
		   ZydisDecodedInstruction *zi, ZydisDecodedOperand *ops)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d->decoder, code, size, zi, ops)) &&
	       zi->encoding != ZYDIS_INSTRUCTION_ENCODING_MVEX;
}

static enum insn_branch branch_kind(const ZydisDecodedInstruction *zi, bool direct)
{
	switch (zi->meta.category) {
	case ZYDIS_CATEGORY_COND_BR: return INSN_COND;
	case ZYDIS_CATEGORY_UNCOND_BR: return direct ? INSN_JUMP : INSN_IND_JUMP;
	case ZYDIS_CATEGORY_CALL: return direct ? INSN_CALL : INSN_IND_CALL;
	case ZYDIS_CATEGORY_RET:
		switch (zi->mnemonic) {
		case ZYDIS_MNEMONIC_IRET:
		case ZYDIS_MNEMONIC_IRETD:
		case ZYDIS_MNEMONIC_IRETQ: return INSN_SYSRET;
		default: return INSN_RET;
		}
	case ZYDIS_CATEGORY_SYSCALL:
		return zi->mnemonic == ZYDIS_MNEMONIC_SYSRET ||
				       zi->mnemonic == ZYDIS_MNEMONIC_SYSEXIT
			       ? INSN_SYSRET
			       : INSN_SYSCALL;
	case ZYDIS_CATEGORY_SYSRET: return INSN_SYSRET;
	case ZYDIS_CATEGORY_INTERRUPT: return INSN_SYSCALL;
	default: return INSN_NO_BRANCH;
	}
}

static void look_at_register(ZydisRegister reg, struct insn *out)
{
	uint16_t bits = 0;

	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_XMM: bits = 128; break;
	case ZYDIS_REGCLASS_YMM: bits = 256; break;
	case ZYDIS_REGCLASS_ZMM: bits = 512; break;
	case ZYDIS_REGCLASS_MASK: out->opmask |= reg != ZYDIS_REGISTER_K0; break;
	default: break;
	}
	if (bits > out->vector_bits)
		out->vector_bits = bits;
}

/* Relative to the instruction, or nothing but a number; not in a segment of a thread's own. */
static void look_at_address(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op,
			    uint64_t addr, struct insn *out)
{
	const ZydisDecodedOperandMem *mem = &op->mem;
	bool relative = mem->base == ZYDIS_REGISTER_RIP || mem->base == ZYDIS_REGISTER_EIP;

	if (mem->index != ZYDIS_REGISTER_NONE || mem->segment == ZYDIS_REGISTER_FS ||
	    mem->segment == ZYDIS_REGISTER_GS ||
	    (!relative && (mem->base != ZYDIS_REGISTER_NONE || !mem->disp.has_displacement)))
		return;
	out->has_data = ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(zi, op, addr, &out->data));
}

static void look_at_operand(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op,
			    uint64_t addr, struct insn *out)
{
	switch (op->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER: look_at_register(op->reg.value, out); break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		look_at_register(op->mem.index, out); /* gathers */
		look_at_address(zi, op, addr, out);
		break;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		if (op->imm.is_relative &&
		    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(zi, op, addr, &out->target)))
			out->has_target = true;
		break;
	default: break;
	}
}

static bool is_mask(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_MASK;
}

/* Of EVEX instructions these exception classes are the scalar ones (SDM 2.8), with one that is of all lanes. */
static bool is_scalar(const ZydisDecodedInstruction *zi)
{
	if (zi->mnemonic == ZYDIS_MNEMONIC_VCVTPS2PD)
		return false;
	switch (zi->meta.exception_class) {
	case ZYDIS_EXCEPTION_CLASS_E3:
	case ZYDIS_EXCEPTION_CLASS_E3NF:
	case ZYDIS_EXCEPTION_CLASS_E10:
	case ZYDIS_EXCEPTION_CLASS_E10NF: return true;
	default: return false;
	}
}

/*
 * What makes lanes of one source narrower gives as many as there were, of a register that may have more. Two sources
 * fill it: vpackssdw, vcvtne2ps2bf16.
 */
static unsigned nr_lanes(const ZydisDecodedOperand *const *op, int n)
{
	const ZydisDecodedOperand *to = op[0], *from = op[n > 1];
	bool two = n > 2 && op[2]->type != ZYDIS_OPERAND_TYPE_IMMEDIATE;

	return !two && from->element_size > to->element_size &&
			       from->element_count < to->element_count
		       ? from->element_count
		       : to->element_count;
}

/* Lanes are the destination's; of a compare, whose destination is a mask, its first source's. */
static void look_at_mask(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
			 struct insn *out)
{
	ZydisRegister k = zi->avx.mask.reg;
	const ZydisDecodedOperand *op[3];
	int n = 0;

	if (k <= ZYDIS_REGISTER_K0 || k > ZYDIS_REGISTER_K7)
		return;
	for (int i = 0; i < zi->operand_count_visible && n < 3; i++)
		if (!is_mask(&ops[i]))
			op[n++] = &ops[i];
	if (!n || op[0]->element_count > 64)
		return;
	out->mask = (uint8_t)(k - ZYDIS_REGISTER_K0);
	out->lanes = is_scalar(zi) ? 1 : (uint8_t)nr_lanes(op, n);
}

static int lib_decode(void *handle, const void *code, size_t size, uint64_t addr, struct insn *out)
{
	struct zydis_decoder *d = handle;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (!decode(d, code, size, &zi, ops))
		return -EINVAL;
	out->len = zi.length;
	out->zero_upper =
		zi.mnemonic == ZYDIS_MNEMONIC_VZEROUPPER || zi.mnemonic == ZYDIS_MNEMONIC_VZEROALL;
	for (int i = 0; i < zi.operand_count; i++)
		look_at_operand(&zi, &ops[i], addr, out);
	look_at_mask(&zi, ops, out);
	out->branch = branch_kind(&zi, out->has_target);
	if (out->branch == INSN_NO_BRANCH)
		out->has_target = false;
	return out->len;
}

static unsigned vector_width(ZydisRegister reg)
{
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_XMM: return 128;
	case ZYDIS_REGCLASS_YMM: return 256;
	case ZYDIS_REGCLASS_ZMM: return 512;
	default: return 0;
	}
}

/* A destination that is read for the lanes alone that a mask leaves as they are is no source. */
static bool is_read(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op, int i,
		    bool adds_up)
{
	if (!(op->actions & (ZYDIS_OPERAND_ACTION_READ | ZYDIS_OPERAND_ACTION_CONDREAD)))
		return false;
	return i || zi->avx.mask.reg <= ZYDIS_REGISTER_K0 || adds_up ||
	       !(op->actions & (ZYDIS_OPERAND_ACTION_WRITE | ZYDIS_OPERAND_ACTION_CONDWRITE));
}

/* "vpxor %ymm0, %ymm0, %ymm1" looks at nothing; in an SSE one the destination is a source. */
static bool is_clearing(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
			const char *name)
{
	int n = zi->operand_count_visible;

	return n >= 2 && insn_clears(name) && ops[n - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ops[n - 2].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ops[n - 1].reg.value == ops[n - 2].reg.value;
}

static int lib_vectors(void *handle, const void *code, size_t size, uint64_t addr,
		       struct insn_vectors *out)
{
	struct zydis_decoder *d = handle;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;
	struct insn_lanes lanes;
	const char *name;
	bool clears;

	(void)addr;
	if (!decode(d, code, size, &zi, ops))
		return -EINVAL;
	name = ZydisMnemonicGetString(zi.mnemonic);
	insn_lanes_by_name(name, &lanes);
	clears = is_clearing(&zi, ops, name);
	for (int i = 0; i < zi.operand_count_visible; i++) {
		const ZydisDecodedOperand *op = &ops[i];
		unsigned width =
			op->type == ZYDIS_OPERAND_TYPE_REGISTER ? vector_width(op->reg.value) : 0;
		bool writes =
			op->actions & (ZYDIS_OPERAND_ACTION_WRITE | ZYDIS_OPERAND_ACTION_CONDWRITE);

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			out->stores |= writes;
			out->memory |= op->actions & ZYDIS_OPERAND_ACTION_READ;
		}
		if (width)
			insn_put_vector(out, &lanes, (unsigned)ZydisRegisterGetId(op->reg.value),
					width, min_u64(op->size, width),
					is_read(&zi, op, i, lanes.adds_up) && !clears, writes);
	}
	if (zi.avx.mask.reg > ZYDIS_REGISTER_K0 && zi.avx.mask.reg <= ZYDIS_REGISTER_K7)
		out->mask = (uint8_t)(zi.avx.mask.reg - ZYDIS_REGISTER_K0);
	out->legacy = zi.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
	return zi.length;
}

/* The number of a general register; < 0: another one. */
static int general_number(ZydisRegister reg)
{
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
		/* AH to BH are numbers 4 to 7 of an encoding without REX, and parts of 0 to 3. */
		if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
			return reg - ZYDIS_REGISTER_AH;
		if (reg >= ZYDIS_REGISTER_SPL)
			return reg - ZYDIS_REGISTER_SPL + 4;
		return reg - ZYDIS_REGISTER_AL;
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64: return ZydisRegisterGetId(reg);
	default: return -1;
	}
}

static void name_general(struct insn_general *out, ZydisRegister reg, bool high)
{
	int n = general_number(reg);

	if (n >= 0 && n < 16)
		out->named |= 1U << (n + (high ? 16 : 0));
}

static bool is_high(const ZydisDecodedOperand *op, const struct apx *a)
{
	switch (op->encoding) {
	case ZYDIS_OPERAND_ENCODING_MODRM_REG: return a && a->r4;
	case ZYDIS_OPERAND_ENCODING_MODRM_RM:
	case ZYDIS_OPERAND_ENCODING_OPCODE: return a && a->b4;
	default: return false; /* AX, which is implied */
	}
}

/* Memory at a constant distance of SP or BP, which APX's registers are not. */
static bool is_slot(const ZydisDecodedOperand *op, const struct apx *a)
{
	return op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
	       (op->mem.base == ZYDIS_REGISTER_RSP || op->mem.base == ZYDIS_REGISTER_RBP) &&
	       op->mem.index == ZYDIS_REGISTER_NONE && !(a && a->b4);
}

static bool is_whole(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->size >= 32 &&
	       general_number(op->reg.value) >= 0;
}

static enum insn_stack stack_use(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
				 const struct apx *a)
{
	bool one = zi->operand_count_visible == 1 && is_whole(&ops[0]);

	if (zi->mnemonic == ZYDIS_MNEMONIC_PUSH)
		return one ? INSN_PUSH : INSN_NO_STACK;
	if (zi->mnemonic == ZYDIS_MNEMONIC_POP)
		return one ? INSN_POP : INSN_NO_STACK;
	if (zi->mnemonic != ZYDIS_MNEMONIC_MOV)
		return INSN_NO_STACK;
	if (is_slot(&ops[0], a) && is_whole(&ops[1]))
		return INSN_SPILL;
	return is_whole(&ops[0]) && is_slot(&ops[1], a) ? INSN_RELOAD : INSN_NO_STACK;
}

static int lib_general(void *handle, const void *code, size_t size, const struct apx *a,
		       struct insn_general *out)
{
	struct zydis_decoder *d = handle;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (!decode(d, code, size, &zi, ops))
		return -EINVAL;
	for (int i = 0; i < zi.operand_count_visible; i++) {
		const ZydisDecodedOperand *op = &ops[i];

		if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) {
			name_general(out, op->reg.value, is_high(op, a));
		} else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			name_general(out, op->mem.base, a && a->b4);
			name_general(out, op->mem.index, a && a->x4);
		}
	}
	out->stack = stack_use(&zi, ops, a);
	out->call = zi.meta.category == ZYDIS_CATEGORY_CALL;
	return zi.length;
}

static int lib_text(void *handle, const void *code, size_t size, uint64_t addr, char *buf,
		    size_t buf_size)
{
	struct zydis_decoder *d = handle;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (!decode(d, code, size, &zi, ops))
		return -EINVAL;
	if (ZYAN_FAILED(ZydisFormatterFormatInstruction(&d->formatter[d->syntax], &zi, ops,
							zi.operand_count_visible, buf, buf_size,
							addr, NULL)))
		return -EINVAL;
	return zi.length;
}

static void lib_set_syntax(void *handle, enum insn_syntax syntax)
{
	struct zydis_decoder *d = handle;

	d->syntax = syntax;
}

const struct insn_library insn_zydis = {
	.open = lib_open,
	.close = lib_close,
	.decode = lib_decode,
	.vectors = lib_vectors,
	.general = lib_general,
	.text = lib_text,
	.set_syntax = lib_set_syntax,
};

#else

const struct insn_library insn_zydis = { 0 };

#endif
