// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every architecture by capstone: text, lengths, and branches where Zydis is missing. Its tables are pointers, 1.7 MB
 * of them, which the loader writes one by one: half of what it takes to start perf. So it is loaded by who needs it
 * (base/loaded.h). Without the library the file is its second half: a table of NULL, which insn.c takes for "not here".
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/loaded.h"
#include "base/tables.h"
#include "config.h"
#include "insn/insn-int.h"

#if HAVE_LIBCAPSTONE

#include <capstone/capstone.h>

#define FUNCTIONS(F) F(open) F(close) F(option) F(malloc) F(free) F(disasm_iter) F(insn_group)

struct library {
#define FUNCTION(name) __typeof__(cs_##name) *name;
	FUNCTIONS(FUNCTION)
#undef FUNCTION
};

struct capstone_decoder {
	struct library cs;
	csh handle;
	cs_insn *insn;
	enum regs_arch arch;
	int big; /* CS_MODE_BIG_ENDIAN or 0 */
	bool is_64bit, intel;
	bool decoded; /* insn is what was decoded last, and nothing else was said since */
};

static const struct {
	enum regs_arch arch;
	bool is_64bit;
	cs_arch cs;
	int mode;
} modes[] = {
	{ REGS_ARCH_X86, true, CS_ARCH_X86, CS_MODE_64 },
	{ REGS_ARCH_X86, false, CS_ARCH_X86, CS_MODE_32 },
	{ REGS_ARCH_ARM64, true, CS_ARCH_ARM64, 0 },
	{ REGS_ARCH_ARM, false, CS_ARCH_ARM, 0 },
	{ REGS_ARCH_POWERPC, true, CS_ARCH_PPC, CS_MODE_64 },
	{ REGS_ARCH_POWERPC, false, CS_ARCH_PPC, CS_MODE_32 },
	{ REGS_ARCH_S390, true, CS_ARCH_SYSZ, 0 },
	{ REGS_ARCH_MIPS, true, CS_ARCH_MIPS, CS_MODE_MIPS64 },
	{ REGS_ARCH_MIPS, false, CS_ARCH_MIPS, CS_MODE_MIPS32 },
};

/* Some have one order whatever the object says, which then is about its data. */
static bool is_big(enum regs_arch arch, unsigned mode)
{
	return arch == REGS_ARCH_S390 || (arch != REGS_ARCH_ARM64 && mode & INSN_BIG_ENDIAN);
}

/*
 * Capstone writes to what it allocates without looking at it. So it allocates here, and where there is
 * nothing its call is left; what it had got by then is lost. Tables of an architecture are made at
 * its first instruction: one is decoded as a decoder is opened.
 */
static _Thread_local jmp_buf *no_memory;

static void *got(void *p)
{
	if (!p && no_memory)
		longjmp(*no_memory, 1);
	return p;
}

static void *lib_malloc(size_t size)
{
	return got(malloc(size));
}

static void *lib_calloc(size_t n, size_t size)
{
	return got(calloc(n, size));
}

static void *lib_realloc(void *p, size_t size)
{
	return got(realloc(p, size));
}

static void allocate_here(const struct library *cs)
{
	cs_opt_mem mem = { lib_malloc, lib_calloc, lib_realloc, free, vsnprintf };

	cs->option(0, CS_OPT_MEM, (size_t)&mem);
}

static int open_handle(struct capstone_decoder *d, enum regs_arch arch, unsigned mode)
{
	bool big = is_big(arch, mode), is_64bit = mode & INSN_64BIT;

	if (arch == REGS_ARCH_X86 && big)
		return -ENOTSUP;
	d->big = big ? (int)CS_MODE_BIG_ENDIAN : 0;
	d->is_64bit = is_64bit;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (modes[i].arch == arch && modes[i].is_64bit == is_64bit)
			return d->cs.open(modes[i].cs, (cs_mode)(modes[i].mode | d->big),
					  &d->handle) == CS_ERR_OK
				       ? 0
				       : -ENOTSUP;
	return -ENOTSUP;
}

static void lib_close(void *handle)
{
	struct capstone_decoder *d = handle;

	if (!d)
		return;
	if (d->insn)
		d->cs.free(d->insn, 1);
	if (d->handle)
		d->cs.close(&d->handle);
	free(d);
}

static int prepare(struct capstone_decoder *d, enum regs_arch arch, unsigned mode)
{
	static const uint8_t any[16] = { 0x90, 0x90, 0x90, 0x90 };
	const uint8_t *p = any;
	size_t size = sizeof(any);
	uint64_t addr = 0;
	int ret = open_handle(d, arch, mode);

	if (ret)
		return ret;
	d->arch = arch;
	if (arch == REGS_ARCH_X86)
		d->cs.option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d->cs.option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = d->cs.malloc(d->handle);
	d->cs.disasm_iter(d->handle, &p, &size, &addr, d->insn);
	return 0;
}

/* A file for each version of the interface, whose number the headers have. */
#define DIGITS_(n) #n
#define DIGITS(n)  DIGITS_(n)
#define MAJOR	   DIGITS(CS_API_MAJOR)

static int load(struct library *cs, struct err *e)
{
	static const struct loaded l = { "disassembly needs", "libcapstone.so." MAJOR,
					 "libcapstone" MAJOR };
#define NAME(name) "cs_" #name,
	static const char *const names[] = { FUNCTIONS(NAME) };
#undef NAME

	return loaded_functions(&l, names, ARRAY_SIZE(names), (void **)cs, e);
}

static int lib_open(void **out, enum regs_arch arch, unsigned mode, struct err *e)
{
	struct capstone_decoder *d = calloc(1, sizeof(*d));
	jmp_buf here;
	int ret;

	*out = NULL;
	if (!d)
		return -ENOMEM;
	ret = load(&d->cs, e);
	if (!ret) {
		allocate_here(&d->cs);
		no_memory = &here;
		ret = setjmp(here) ? -ENOMEM : prepare(d, arch, mode);
		no_memory = NULL;
	}
	if (ret)
		lib_close(d);
	else
		*out = d;
	return ret;
}

/*
 * An instruction is decoded once, though its text is asked for after its kind: in Thumb "it ne" says
 * of the instructions behind it when they run, and the library counts these down as it decodes.
 */
static bool next(struct capstone_decoder *d, const void *code, size_t size, uint64_t addr)
{
	const uint8_t *p = code;

	if (d->decoded && d->insn->address == addr && d->insn->size <= size &&
	    !memcmp(d->insn->bytes, code, d->insn->size))
		return true;
	d->decoded = d->cs.disasm_iter(d->handle, &p, &size, &addr, d->insn);
	return d->decoded;
}

/* The last immediate operand is the target of a direct branch. */
static bool direct_target(const struct capstone_decoder *d, uint64_t *target)
{
	const cs_detail *t = d->insn->detail;
	bool found = false;

#define LAST_IMMEDIATE(field, imm_type)                                \
	for (int i = 0; i < t->field.op_count; i++) {                  \
		if (t->field.operands[i].type != (imm_type))           \
			continue;                                      \
		*target = (uint64_t)(int64_t)t->field.operands[i].imm; \
		found = true;                                          \
	}

	switch (d->arch) {
	case REGS_ARCH_X86: LAST_IMMEDIATE(x86, X86_OP_IMM) break;
	case REGS_ARCH_ARM64: LAST_IMMEDIATE(arm64, ARM64_OP_IMM) break;
	case REGS_ARCH_ARM: LAST_IMMEDIATE(arm, ARM_OP_IMM) break;
	case REGS_ARCH_POWERPC: LAST_IMMEDIATE(ppc, PPC_OP_IMM) break;
	case REGS_ARCH_S390: LAST_IMMEDIATE(sysz, SYSZ_OP_IMM) break;
	case REGS_ARCH_MIPS: LAST_IMMEDIATE(mips, MIPS_OP_IMM) break;
	default: break;
	}
#undef LAST_IMMEDIATE
	return found;
}

/* Whether a jump always goes: by its name, since capstone's groups do not tell. */
static bool is_unconditional(const struct capstone_decoder *d)
{
	static const char *const names[] = { "jmp", "b", "br", "j", "jr", "bctr", "blr", "ba" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(d->insn->mnemonic, names[i]))
			return true;
	return !strncmp(d->insn->mnemonic, "jmp", 3);
}

static enum insn_branch branch_kind(const struct capstone_decoder *d, bool direct)
{
	const cs_insn *in = d->insn;
	const char *name = in->mnemonic;
	enum insn_branch kind;

	if (insn_branch_by_name(d->arch, name, in->op_str,
				d->cs.insn_group(d->handle, in, CS_GRP_BRANCH_RELATIVE), &kind))
		return kind;
	/* aarch64's bl and blr are jumps to capstone 4. */
	if (d->arch == REGS_ARCH_ARM64 && !strcmp(name, "bl"))
		return INSN_CALL;
	if (d->arch == REGS_ARCH_ARM64 && !strcmp(name, "blr"))
		return INSN_IND_CALL;
	if (d->cs.insn_group(d->handle, in, CS_GRP_RET))
		return INSN_RET;
	if (d->cs.insn_group(d->handle, in, CS_GRP_IRET))
		return INSN_SYSRET;
	if (d->cs.insn_group(d->handle, in, CS_GRP_CALL))
		return direct ? INSN_CALL : INSN_IND_CALL;
	if (d->cs.insn_group(d->handle, in, CS_GRP_INT))
		return INSN_SYSCALL;
	/* loop and xbegin are relative branches, but no jumps. */
	if (d->cs.insn_group(d->handle, in, CS_GRP_JUMP) ||
	    d->cs.insn_group(d->handle, in, CS_GRP_BRANCH_RELATIVE)) {
		if (!is_unconditional(d))
			return INSN_COND;
		return direct ? INSN_JUMP : INSN_IND_JUMP;
	}
	return INSN_NO_BRANCH;
}

/* Relative to the instruction, or nothing but a number; not in a segment of a thread's own. */
static void look_at_address(const struct capstone_decoder *d, struct insn *out)
{
	const cs_x86 *x = &d->insn->detail->x86;

	for (int i = 0; i < x->op_count; i++) {
		const x86_op_mem *mem = &x->operands[i].mem;
		bool relative = mem->base == X86_REG_RIP || mem->base == X86_REG_EIP;

		if (x->operands[i].type != X86_OP_MEM || mem->index != X86_REG_INVALID ||
		    mem->segment == X86_REG_FS || mem->segment == X86_REG_GS ||
		    (!relative && mem->base != X86_REG_INVALID))
			continue;
		out->has_data = true;
		out->data = (relative ? d->insn->address + d->insn->size : 0) + (uint64_t)mem->disp;
	}
}

/* 0 = none. */
static unsigned vector_width(unsigned reg, unsigned *nr)
{
	static const struct {
		unsigned first, width;
	} classes[] = { { X86_REG_XMM0, 128 }, { X86_REG_YMM0, 256 }, { X86_REG_ZMM0, 512 } };

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		*nr = reg - classes[i].first;
		if (*nr < 32)
			return classes[i].width;
	}
	return 0;
}

/* AT&T has the destination last, Intel first; the library has operands in the order of its text. */
static bool is_clearing(const struct capstone_decoder *d, const char *name)
{
	const cs_x86 *x = &d->insn->detail->x86;
	int a = d->intel ? x->op_count - 1 : 0, b = d->intel ? x->op_count - 2 : 1;

	return x->op_count >= 2 && insn_clears(name) && x->operands[a].type == X86_OP_REG &&
	       x->operands[b].type == X86_OP_REG && x->operands[a].reg == x->operands[b].reg;
}

static int lib_vectors(void *handle, const void *code, size_t size, uint64_t addr,
		       struct insn_vectors *out)
{
	struct capstone_decoder *d = handle;
	struct insn_lanes lanes;
	const cs_x86 *x;
	bool clears;

	if (!next(d, code, size, addr))
		return -EINVAL;
	if (d->arch != REGS_ARCH_X86)
		return d->insn->size;
	insn_lanes_by_name(d->insn->mnemonic, &lanes);
	clears = is_clearing(d, d->insn->mnemonic);
	x = &d->insn->detail->x86;
	for (int i = 0; i < x->op_count; i++) {
		const cs_x86_op *op = &x->operands[i];
		unsigned nr = 0, width = op->type == X86_OP_REG ? vector_width(op->reg, &nr) : 0;

		if (op->type == X86_OP_MEM) {
			out->stores |= op->access & CS_AC_WRITE;
			out->memory |= op->access & CS_AC_READ;
		}
		if (width)
			insn_put_vector(out, &lanes, nr, width, width,
					op->access & CS_AC_READ && !clears,
					op->access & CS_AC_WRITE);
	}
	out->legacy = d->insn->mnemonic[0] != 'v';
	return d->insn->size;
}

static int lib_decode(void *handle, const void *code, size_t size, uint64_t addr, struct insn *out)
{
	struct capstone_decoder *d = handle;
	if (!next(d, code, size, addr))
		return -EINVAL;
	out->len = (uint8_t)d->insn->size;
	out->has_target = direct_target(d, &out->target);
	if (!d->is_64bit)
		out->target = (uint32_t)out->target; /* it has the sign of a distance back */
	out->branch = branch_kind(d, out->has_target);
	/* Others have numbers, too: of a call of the kernel, of a trap. */
	if (out->branch != INSN_COND && out->branch != INSN_JUMP && out->branch != INSN_CALL)
		out->has_target = false;
	if (d->arch == REGS_ARCH_X86)
		look_at_address(d, out);
	for (int i = 0; d->arch == REGS_ARCH_X86 && i < d->insn->detail->x86.op_count; i++) {
		const cs_x86_op *op = &d->insn->detail->x86.operands[i];
		uint16_t bits = 0;

		if (op->type != X86_OP_REG)
			continue;
		if (op->reg >= X86_REG_XMM0 && op->reg <= X86_REG_XMM31)
			bits = 128;
		else if (op->reg >= X86_REG_YMM0 && op->reg <= X86_REG_YMM31)
			bits = 256;
		else if (op->reg >= X86_REG_ZMM0 && op->reg <= X86_REG_ZMM31)
			bits = 512;
		/* An instruction's write mask is no operand to capstone 4. */
		out->opmask |= op->reg >= X86_REG_K1 && op->reg <= X86_REG_K7;
		if (bits > out->vector_bits)
			out->vector_bits = bits;
	}
	out->zero_upper = d->arch == REGS_ARCH_X86 &&
			  (d->insn->id == X86_INS_VZEROUPPER || d->insn->id == X86_INS_VZEROALL);
	return out->len;
}

/* What the library leaves out of x86: notrack, that movd with REX.W is movq, and 66 90 no nop. */
static int x86_text(const struct capstone_decoder *d, char *buf, size_t size)
{
	const cs_x86 *x = &d->insn->detail->x86;
	bool indirect = (d->insn->id == X86_INS_JMP || d->insn->id == X86_INS_CALL) &&
			x->op_count && x->operands[0].type != X86_OP_IMM;
	const char *args = d->insn->op_str, *ds = NULL, *name = d->insn->mnemonic;
	int before;

	if (!strcmp(name, "movd") && x->rex & 8)
		name = "movq";
	if (d->insn->id == X86_INS_NOP && d->insn->size == 2 && x->opcode[0] == 0x90 &&
	    x->prefix[2] == X86_PREFIX_OPSIZE)
		return snprintf(buf, size, d->intel ? "xchg ax, ax" : "xchg %%ax, %%ax");
	if (!indirect || x->prefix[1] != X86_PREFIX_DS)
		return snprintf(buf, size, "%s%s%s", name, args[0] ? " " : "", args);
	ds = strstr(args, "ds:");
	before = ds ? (int)(ds - args) : (int)strlen(args);
	before -= before && args[before - 1] == '%';
	return snprintf(buf, size, "notrack %s %.*s%s", name, before, args, ds ? ds + 3 : "");
}

static int lib_text(void *handle, const void *code, size_t size, uint64_t addr, char *buf,
		    size_t buf_size)
{
	struct capstone_decoder *d = handle;
	if (!next(d, code, size, addr))
		return -EINVAL;
	if (d->arch == REGS_ARCH_X86)
		x86_text(d, buf, buf_size);
	else
		snprintf(buf, buf_size, "%s%s%s", d->insn->mnemonic, d->insn->op_str[0] ? " " : "",
			 d->insn->op_str);
	return d->insn->size;
}

static void lib_set_syntax(void *handle, enum insn_syntax syntax)
{
	struct capstone_decoder *d = handle;

	d->decoded = false;
	d->intel = syntax == INSN_INTEL;
	if (d->arch == REGS_ARCH_X86)
		d->cs.option(d->handle, CS_OPT_SYNTAX,
			     syntax == INSN_INTEL ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
}

static void lib_set_thumb(void *handle, bool thumb)
{
	struct capstone_decoder *d = handle;

	d->decoded = false;
	if (d->arch == REGS_ARCH_ARM)
		d->cs.option(d->handle, CS_OPT_MODE,
			     (size_t)((thumb ? CS_MODE_THUMB : CS_MODE_ARM) | d->big));
}

const struct insn_library insn_capstone = { lib_open, lib_close,      lib_decode,    lib_vectors,
					    lib_text, lib_set_syntax, lib_set_thumb, NULL };

#else

const struct insn_library insn_capstone = { 0 };

#endif
