// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions by Zydis, boiled down to what the interpreter needs. What it does not know
 * (gathers, vectors, privileged instructions) has no operation: then the walk brings the thread
 * itself past it.
 */
#include "config.h"
#include "vm-int.h"

#if HAVE_ZYDIS
#include <Zydis/Zydis.h>

#include "branch/branch.h"
#include "native-int.h"

#define M(name) ZYDIS_MNEMONIC_##name

/* What is not named is 0, OP_GENERIC. */
static const uint8_t ops[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
	[M(NOP)] = OP_NOP,	    [M(ENDBR64)] = OP_NOP,     [M(ENDBR32)] = OP_NOP,
	[M(PAUSE)] = OP_NOP,	    [M(LFENCE)] = OP_NOP,      [M(SFENCE)] = OP_NOP,
	[M(MFENCE)] = OP_NOP,	    [M(PREFETCHT0)] = OP_NOP,  [M(PREFETCHT1)] = OP_NOP,
	[M(PREFETCHT2)] = OP_NOP,   [M(PREFETCHNTA)] = OP_NOP, [M(PREFETCHW)] = OP_NOP,
	[M(MOV)] = OP_MOV,	    [M(MOVZX)] = OP_MOVZX,     [M(MOVSX)] = OP_MOVSX,
	[M(MOVSXD)] = OP_MOVSX,	    [M(LEA)] = OP_LEA,	       [M(ADD)] = OP_ADD,
	[M(ADC)] = OP_ADC,	    [M(SUB)] = OP_SUB,	       [M(SBB)] = OP_SBB,
	[M(CMP)] = OP_CMP,	    [M(AND)] = OP_AND,	       [M(OR)] = OP_OR,
	[M(XOR)] = OP_XOR,	    [M(TEST)] = OP_TEST,       [M(NOT)] = OP_NOT,
	[M(NEG)] = OP_NEG,	    [M(INC)] = OP_INC,	       [M(DEC)] = OP_DEC,
	[M(SHL)] = OP_SHL,	    [M(SHR)] = OP_SHR,	       [M(SAR)] = OP_SAR,
	[M(ROL)] = OP_ROL,	    [M(ROR)] = OP_ROR,	       [M(SHLD)] = OP_SHLD,
	[M(SHRD)] = OP_SHRD,	    [M(MUL)] = OP_MUL,	       [M(DIV)] = OP_DIV,
	[M(IDIV)] = OP_IDIV,	    [M(CBW)] = OP_CBW,	       [M(CWDE)] = OP_CBW,
	[M(CDQE)] = OP_CBW,	    [M(CWD)] = OP_CWD,	       [M(CDQ)] = OP_CWD,
	[M(CQO)] = OP_CWD,	    [M(PUSH)] = OP_PUSH,       [M(POP)] = OP_POP,
	[M(LEAVE)] = OP_LEAVE,	    [M(CALL)] = OP_CALL,       [M(RET)] = OP_RET,
	[M(JMP)] = OP_JMP,	    [M(JCXZ)] = OP_FAULT,      [M(JECXZ)] = OP_FAULT,
	[M(JRCXZ)] = OP_JCXZ,	    [M(LOOP)] = OP_LOOP,       [M(LOOPE)] = OP_FAULT,
	[M(LOOPNE)] = OP_FAULT,	    [M(XCHG)] = OP_XCHG,       [M(XADD)] = OP_XADD,
	[M(CMPXCHG)] = OP_CMPXCHG,  [M(BSWAP)] = OP_BSWAP,     [M(BSF)] = OP_BSF,
	[M(BSR)] = OP_BSR,	    [M(TZCNT)] = OP_TZCNT,     [M(LZCNT)] = OP_LZCNT,
	[M(POPCNT)] = OP_POPCNT,    [M(BT)] = OP_BT,	       [M(BTS)] = OP_BTS,
	[M(BTR)] = OP_BTR,	    [M(BTC)] = OP_BTC,	       [M(ANDN)] = OP_ANDN,
	[M(BLSR)] = OP_BLSR,	    [M(BLSI)] = OP_BLSI,       [M(BLSMSK)] = OP_BLSMSK,
	[M(RORX)] = OP_RORX,	    [M(SHLX)] = OP_SHLX,       [M(SHRX)] = OP_SHRX,
	[M(SARX)] = OP_SARX,	    [M(BZHI)] = OP_BZHI,       [M(MULX)] = OP_MULX,
	[M(MOVSB)] = OP_MOVS,	    [M(MOVSW)] = OP_MOVS,      [M(MOVSQ)] = OP_MOVS,
	[M(STOSB)] = OP_STOS,	    [M(STOSW)] = OP_STOS,      [M(STOSD)] = OP_STOS,
	[M(STOSQ)] = OP_STOS,	    [M(CMPSB)] = OP_CMPS,      [M(CMPSW)] = OP_CMPS,
	[M(CMPSQ)] = OP_CMPS,	    [M(SCASB)] = OP_SCAS,      [M(SCASW)] = OP_SCAS,
	[M(SCASD)] = OP_SCAS,	    [M(SCASQ)] = OP_SCAS,      [M(LODSB)] = OP_LODS,
	[M(LODSW)] = OP_LODS,	    [M(LODSD)] = OP_LODS,      [M(LODSQ)] = OP_LODS,
	[M(MOVNTI)] = OP_MOV,	    [M(FWAIT)] = OP_NOP,       [M(FNOP)] = OP_NOP,
	[M(RCL)] = OP_RCL,	    [M(RCR)] = OP_RCR,	       [M(PUSHFQ)] = OP_PUSHF,
	[M(CLD)] = OP_CLD,	    [M(STD)] = OP_STD,	       [M(SYSCALL)] = OP_SYSCALL,
	[M(SYSENTER)] = OP_SYSCALL, [M(INT)] = OP_SYSCALL,     [M(INT3)] = OP_FAULT,
	[M(UD2)] = OP_FAULT,	    [M(HLT)] = OP_FAULT,       [M(XBEGIN)] = OP_FAULT,
	[M(XABORT)] = OP_FAULT,	    [M(IRETQ)] = OP_FAULT,     [M(CPUID)] = OP_CPUID,
	[M(XGETBV)] = OP_XGETBV,    [M(RDTSC)] = OP_RDTSC,     [M(RDTSCP)] = OP_RDTSCP,
	[M(XSAVE)] = OP_XSAVE,	    [M(XSAVE64)] = OP_XSAVE,   [M(XSAVEC)] = OP_XSAVEC,
	[M(XSAVEC64)] = OP_XSAVEC,  [M(XRSTOR)] = OP_XRSTOR,   [M(XRSTOR64)] = OP_XRSTOR,
	[M(POPFQ)] = OP_POPF,	    [M(MOVBE)] = OP_MOVBE,     [M(CLC)] = OP_CLC,
	[M(STC)] = OP_STC,	    [M(CMC)] = OP_CMC,	       [M(LAHF)] = OP_LAHF,
	[M(SAHF)] = OP_SAHF,
};

static uint8_t find_op(uint16_t mnemonic)
{
	return mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE ? ops[mnemonic] : OP_GENERIC;
}

/* Jcc, SETcc and CMOVcc carry their condition in the opcode; Zydis gives the opcode byte. */
static void find_cond(struct vm_insn *in, const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		if (in->op == OP_GENERIC) /* not jrcxz, loop */
			in->op = OP_JCC;
		break;
	case ZYDIS_CATEGORY_SETCC: in->op = OP_SETCC; break;
	case ZYDIS_CATEGORY_CMOV:
		/* fcmov has the category, too, but no general register */
		if (z->operand_count && z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
		    z->opcode_map == ZYDIS_OPCODE_MAP_0F)
			in->op = OP_CMOV;
		break;
	default: return;
	}
	in->cond = z->opcode & 15;
}

static uint8_t reg_number(ZydisRegister reg)
{
	ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (full < ZYDIS_REGISTER_RAX || full > ZYDIS_REGISTER_R15)
		return VM_NO_REG;
	return full - ZYDIS_REGISTER_RAX; /* rax rcx rdx rbx rsp rbp rsi rdi r8 ... */
}

static bool is_high(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
}

/* False: an operand that is no integer value of ours (vector registers and the like). */
static bool convert_operand(struct vm_opd *o, const ZydisDecodedOperand *z)
{
	*o = (struct vm_opd){ .size = (uint8_t)min_u64(z->size / 8, 255) };
	o->written = z->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	switch (z->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		o->kind = VM_OPD_REG;
		o->reg = reg_number(z->reg.value);
		o->high = is_high(z->reg.value);
		return o->reg != VM_NO_REG;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		o->kind = VM_OPD_MEM;
		o->rip = z->mem.base == ZYDIS_REGISTER_RIP;
		o->base = o->rip ? VM_NO_REG : reg_number(z->mem.base);
		o->index = reg_number(z->mem.index);
		o->scale = z->mem.scale;
		o->value = z->mem.disp.has_displacement ? z->mem.disp.value : 0;
		o->seg = z->mem.segment == ZYDIS_REGISTER_FS   ? 'f'
			 : z->mem.segment == ZYDIS_REGISTER_GS ? 'g'
							       : 0;
		/* many places (gather, scatter): not worth interpreting */
		return z->mem.type != ZYDIS_MEMOP_TYPE_VSIB;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		o->kind = VM_OPD_IMM;
		o->value = z->imm.value.s;
		return true;
	default: return false;
	}
}

static void note_written(struct vm_insn *in, const ZydisDecodedOperand *z)
{
	uint8_t n;

	if (z->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    !(z->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return;
	n = reg_number(z->reg.value);
	if (n != VM_NO_REG)
		in->regs_written |= 1 << n;
}

static bool has_bad_size(const struct vm_insn *in)
{
	/* images, not values */
	if (in->op >= OP_XSAVE && in->op <= OP_XRSTOR)
		return false;
	for (int i = 0; i < in->nr; i++) {
		unsigned s = in->opd[i].size;

		/* an LEA's memory operand has no size */
		if (in->opd[i].kind != VM_OPD_IMM && s != 1 && s != 2 && s != 4 && s != 8 &&
		    in->op != OP_LEA)
			return true;
	}
	return false;
}

static uint8_t branch_type(const struct vm_insn *in)
{
	bool indirect = in->nr && in->opd[0].kind != VM_OPD_IMM;

	switch (in->op) {
	case OP_JCC:
	case OP_JCXZ:
	case OP_LOOP: return BR_COND;
	case OP_JMP: return indirect ? BR_IND : BR_UNCOND;
	case OP_CALL: return indirect ? BR_IND_CALL : BR_CALL;
	case OP_RET: return BR_RET;
	default: return BR_UNKNOWN;
	}
}

static void take_flags(struct vm_insn *in, const ZydisDecodedInstruction *z)
{
	if (!z->cpu_flags)
		return;
	/* all six or none; of vptest and vtestps Zydis 4.0 knows ZF and CF only */
	if (in->vector && z->cpu_flags->modified) {
		in->flags_written = VM_STATUS;
		return;
	}
	in->flags_written = (z->cpu_flags->modified | z->cpu_flags->set_0 | z->cpu_flags->set_1 |
			     z->cpu_flags->undefined) &
			    (VM_STATUS | VM_DF);
}

/* MOVSD and CMPSD are string instructions or vector ones: the operands tell. */
static uint8_t op_of(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
	bool both = z->operand_count >= 2 && o[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    o[1].type == ZYDIS_OPERAND_TYPE_MEMORY;

	if (z->mnemonic == ZYDIS_MNEMONIC_MOVSD || z->mnemonic == ZYDIS_MNEMONIC_CMPSD)
		return !both ? OP_GENERIC : z->mnemonic == M(MOVSD) ? OP_MOVS : OP_CMPS;
	return find_op(z->mnemonic);
}

static void take_prefixes(struct vm_insn *in, const ZydisDecodedInstruction *z)
{
	if (z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE))
		in->rep = 'r';
	if (z->attributes & ZYDIS_ATTRIB_HAS_REPNE)
		in->rep = 'n';
}

/* IMUL has three forms: rdx:rax, two operands, three operands. */
static void choose_imul(struct vm_insn *in, const ZydisDecodedInstruction *z)
{
	if (z->mnemonic == ZYDIS_MNEMONIC_IMUL)
		in->op = z->operand_count_visible == 1 ? OP_IMUL : OP_IMUL2;
}

static void convert_operands(struct vm_insn *in, const ZydisDecodedInstruction *z,
			     const ZydisDecodedOperand *o)
{
	bool ours = true;

	for (int i = 0; i < z->operand_count; i++) {
		note_written(in, &o[i]);
		if (i < z->operand_count_visible && i < (int)ARRAY_SIZE(in->opd)) {
			bool fits =
				convert_operand(&in->opd[i], &o[i]) &&
				(o[i].type != ZYDIS_OPERAND_TYPE_MEMORY || z->address_width == 64);

			/* written where the interpreter cannot tell, too much, or nobody says how much */
			if (in->opd[i].kind == VM_OPD_MEM && in->opd[i].written &&
			    (!fits || !o[i].size || o[i].size > 64 * 8))
				in->regs_written = 0xffff;
			ours &= fits;
			in->nr++;
		}
	}
	if (z->operand_count_visible > ARRAY_SIZE(in->opd))
		ours = false;
	if (!ours || has_bad_size(in))
		in->op = in->op == OP_NOP || in->op == OP_FAULT ? in->op : OP_GENERIC;
}

/*
 * What nobody compiles: a branch with a 16-bit operand, which Intel's and AMD's processors take
 * differently, and counting in ecx.
 */
static bool is_odd_branch(const struct vm_insn *in, const ZydisDecodedInstruction *z)
{
	if ((z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) && !z->raw.rex.W)
		return true;
	return z->address_width != 64 && (in->op == OP_LOOP || in->op == OP_JCXZ);
}

/* Instructions that change more than their visible operands: memory, MXCSR, where fs and gs lead. */
static bool changes_more(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_LDMXCSR:
	case ZYDIS_MNEMONIC_VLDMXCSR:
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64:
	case ZYDIS_MNEMONIC_WRFSBASE:
	case ZYDIS_MNEMONIC_WRGSBASE:
	case ZYDIS_MNEMONIC_CLZERO: return true;
	default: break;
	}
	for (int i = z->operand_count_visible; i < z->operand_count; i++)
		if (o[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (o[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			return true;
	return false;
}

/*
 * Reads or writes vector or mask registers, also unseen; or works by MXCSR on memory; or is one of
 * those that only the CPU computes.
 */
static bool is_vector(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
	switch (z->mnemonic) {
	case M(VZEROUPPER):
	case M(VZEROALL):
	case M(CVTSS2SI):
	case M(CVTSD2SI):
	case M(CVTTSS2SI):
	case M(CVTTSD2SI):
	case M(VCVTSS2SI):
	case M(VCVTSD2SI):
	case M(VCVTTSS2SI):
	case M(VCVTTSD2SI):
	case M(VCVTSS2USI):
	case M(VCVTSD2USI):
	case M(VCVTTSS2USI):
	case M(VCVTTSD2USI):
	case M(CRC32):
	case M(PDEP):
	case M(PEXT):
	case M(BEXTR): return true;
	default: break;
	}
	if (z->meta.isa_ext == ZYDIS_ISA_EXT_X87)
		return true;
	for (int i = 0; i < z->operand_count; i++) {
		ZydisRegisterClass class = ZYDIS_REGCLASS_INVALID;

		if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
			class = ZydisRegisterGetClass(o[i].reg.value);
		if (class == ZYDIS_REGCLASS_X87 || class == ZYDIS_REGCLASS_MMX ||
		    class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
		    class == ZYDIS_REGCLASS_ZMM || class == ZYDIS_REGCLASS_MASK)
			return true;
	}
	return false;
}

bool vm_decode_library(struct vm_insn *in, const unsigned char *bytes, size_t n)
{
	ZydisDecoder decoder;
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;

	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &z, o)))
		return false;
	in->len = z.length;
	in->size = z.operand_width / 8;
	in->op = op_of(&z, o);
	choose_imul(in, &z);
	find_cond(in, &z);
	take_prefixes(in, &z);
	in->vector = is_vector(&z, o);
	take_flags(in, &z);
	convert_operands(in, &z, o);
	if (in->op >= OP_MOVS && in->op <= OP_LODS)
		in->size = o[0].size / 8;
	in->branch = branch_type(in);
	/* far and other transfers of control that are no plain branch */
	if (z.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || (in->branch && is_odd_branch(in, &z)))
		in->op = OP_FAULT;
	if (!in->branch && in->op == OP_GENERIC &&
	    (z.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	     z.meta.category == ZYDIS_CATEGORY_CALL || z.meta.category == ZYDIS_CATEGORY_RET ||
	     z.meta.category == ZYDIS_CATEGORY_INTERRUPT))
		in->op = OP_FAULT;
	/* nobody knows what is where behind it: marked by a register mask that nothing can have */
	if (in->op == OP_GENERIC && changes_more(&z, o))
		in->regs_written = 0xffff;
#if defined(__x86_64__)
	if (in->op == OP_GENERIC && in->vector)
		vm_choose_vector(in, &z, o);
	if (z.meta.isa_set >= ZYDIS_ISA_SET_AMX_BF16 && z.meta.isa_set <= ZYDIS_ISA_SET_AMX_TILE)
		vm_choose_tile(in, &z, o);
#endif
	return true;
}

bool vm_decode(struct vm_insn *in, const unsigned char *bytes, size_t n)
{
	uint64_t addr = in->addr;

	if (vm_decode_plain(in, bytes, n))
		return true;
	*in = (struct vm_insn){ .addr = addr };
	memcpy(in->bytes, bytes, min_u64(n, sizeof(in->bytes)));
	return vm_decode_library(in, bytes, n);
}
#else
bool vm_decode_library(struct vm_insn *in, const unsigned char *bytes, size_t n)
{
	(void)in;
	(void)bytes;
	(void)n;
	return false;
}

bool vm_decode(struct vm_insn *in, const unsigned char *bytes, size_t n)
{
	(void)in;
	(void)bytes;
	(void)n;
	return false;
}
#endif
