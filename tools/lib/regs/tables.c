// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers by architecture: index = bit in sample_regs_*, as the kernel's asm/perf_regs.h has
 * them (perf.data(5), REGISTERS). All tables are always built in: the architecture is the file's.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "regs/regs-int.h"

/* clang-format off */
static const char *const x86[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
	/* 24-31: nothing under the legacy ABI. 32-63: each XMM takes two bits. */
	[32] = "XMM0", "XMM0", "XMM1", "XMM1", "XMM2", "XMM2", "XMM3", "XMM3",
	"XMM4", "XMM4", "XMM5", "XMM5", "XMM6", "XMM6", "XMM7", "XMM7",
	"XMM8", "XMM8", "XMM9", "XMM9", "XMM10", "XMM10", "XMM11", "XMM11",
	"XMM12", "XMM12", "XMM13", "XMM13", "XMM14", "XMM14", "XMM15", "XMM15",
};

static const char *const x86_simd[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
	"R16", "R17", "R18", "R19", "R20", "R21", "R22", "R23", "R24", "R25", "R26", "R27",
	"R28", "R29", "R30", "R31", "SSP",
};

static const char *const arm[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
	"fp", "ip", "sp", "lr", "pc",
};

static const char *const arm64[] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
	"x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
	"x27", "x28", "x29", "lr", "sp", "pc", [46] = "vg",
};

static const char *const riscv[] = {
	"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
	"a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
	"t3", "t4", "t5", "t6",
};

static const char *const powerpc[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13",
	"r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26",
	"r27", "r28", "r29", "r30", "r31", "nip", "msr", "orig_r3", "ctr", "link", "xer", "ccr",
	"softe", "trap", "dar", "dsisr", "sier", "mmcra",
	/* The PMU's own, by CPU generation. */
	"mmcr0", "mmcr1", "mmcr2", "mmcr3", "sier2", "sier3",
	"pmc1", "pmc2", "pmc3", "pmc4", "pmc5", "pmc6", "sdar", "siar",
};

static const char *const s390[] = {
	"R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11", "R12", "R13",
	"R14", "R15", "FP0", "FP1", "FP2", "FP3", "FP4", "FP5", "FP6", "FP7", "FP8", "FP9", "FP10",
	"FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};

static const char *const csky[] = {
	"tls", "lr", "pc", NULL /* sr */, "sp", NULL /* orig_a0 */, "a0", "a1", "a2", "a3",
	"regs0", "regs1", "regs2", "regs3", "regs4", "regs5", "regs6", "regs7", "regs8", "regs9",
	"exregs0", "exregs1", "exregs2", "exregs3", "exregs4", "exregs5", "exregs6", "exregs7",
	"exregs8", "exregs9", "exregs10", "exregs11", "exregs12", "exregs13", "exregs14",
	"hi", "lo", NULL /* dcsr */,
};

static const char *const loongarch[] = {
	"PC", "%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7", "%r8", "%r9", "%r10", "%r11",
	"%r12", "%r13", "%r14", "%r15", "%r16", "%r17", "%r18", "%r19", "%r20", "%r21", "%r22",
	"%r23", "%r24", "%r25", "%r26", "%r27", "%r28", "%r29", "%r30", "%r31",
};

static const char *const mips[] = {
	"PC", "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$10", "$11", "$12", "$13",
	"$14", "$15", "$16", "$17", "$18", "$19", "$20", "$21", "$22", "$23", "$24", "$25",
	NULL, NULL /* kernel scratch */, "$28", "$29", "$30", "$31",
};

#define NAMES(t) t, ARRAY_SIZE(t)
#define LOW(n)	 (BIT(n) - 1)

static const struct regs_table tables[REGS_ARCH_MAX] = {
	/*			name	     names		ip mask64		mask32 */
	[REGS_ARCH_NONE]      = { "unknown",   NULL, 0,		-1, 0,		0 },
	[REGS_ARCH_X86]	      = { "x86",       NAMES(x86),	 8, 0xff0fff,	0xfff },
	[REGS_ARCH_ARM]	      = { "arm",       NAMES(arm),	15, LOW(16),	LOW(16) },
	[REGS_ARCH_ARM64]     = { "arm64",     NAMES(arm64),	32, LOW(33),	LOW(33) },
	[REGS_ARCH_RISCV]     = { "riscv",     NAMES(riscv),	 0, LOW(32),	LOW(32) },
	[REGS_ARCH_POWERPC]   = { "powerpc",   NAMES(powerpc),	32, LOW(45),	LOW(45) },
	[REGS_ARCH_S390]      = { "s390",      NAMES(s390),	33, LOW(34),	LOW(34) },
	[REGS_ARCH_CSKY]      = { "csky",      NAMES(csky),	 2, LOW(38),	LOW(38) },
	[REGS_ARCH_LOONGARCH] = { "loongarch", NAMES(loongarch), 0, LOW(32),	LOW(32) },
	[REGS_ARCH_MIPS]      = { "mips",      NAMES(mips),	 0, LOW(32),	LOW(32) },
};
/* clang-format on */

const struct regs_table *regs_table(enum regs_arch arch)
{
	return &tables[(unsigned)arch < REGS_ARCH_MAX ? arch : REGS_ARCH_NONE];
}

const char *regs_find_name(enum regs_arch arch, unsigned reg, bool simd)
{
	const struct regs_table *t = regs_table(arch);

	if (arch == REGS_ARCH_X86 && simd)
		return reg < ARRAY_SIZE(x86_simd) ? x86_simd[reg] : NULL;
	return reg < t->nr ? t->names[reg] : NULL;
}

const char *regs_name(enum regs_arch arch, unsigned reg, bool simd)
{
	const char *name = regs_find_name(arch, reg, simd);

	return name ? name : "unknown";
}

void regs_mask_text(uint64_t mask, enum regs_arch arch, bool simd, char *text, size_t size)
{
	const char *last = "";
	size_t n = 0;

	text[0] = '\0';
	/* Both halves of a legacy XMM register have one name. */
	for (unsigned i = 0; i < 64 && n < size; i++) {
		const char *name = mask & BIT(i) ? regs_name(arch, i, simd) : last;

		if (!strcmp(name, last))
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "", name);
		last = name;
	}
}

int regs_ip(enum regs_arch arch)
{
	return regs_table(arch)->ip;
}

uint64_t regs_default_mask(enum regs_arch arch, bool is_64bit)
{
	const struct regs_table *t = regs_table(arch);

	return is_64bit ? t->mask64 : t->mask32;
}

const char *regs_vector_class(enum regs_arch arch, unsigned qwords)
{
	if (arch == REGS_ARCH_X86) {
		switch (qwords) {
		case 2: return "XMM";
		case 4: return "YMM";
		case 8: return "ZMM";
		}
	}
	return "VEC";
}

const char *regs_pred_class(enum regs_arch arch)
{
	return arch == REGS_ARCH_X86 ? "OPMASK" : "PRED";
}

const char *regs_base_name(unsigned i)
{
	static const char *const names[REGS_NR_BASES] = { "FSBASE", "GSBASE" };

	return names[i];
}

/* ---- which architecture --------------------------------------------------------------------- */

const char *regs_arch_name(enum regs_arch arch)
{
	return regs_table(arch)->name;
}

enum regs_arch regs_arch_from_uname(const char *m)
{
	/* In this order: "arm64" is no "arm". */
	static const struct {
		const char *prefix;
		enum regs_arch arch;
	} known[] = {
		{ "x86", REGS_ARCH_X86 },	  { "amd64", REGS_ARCH_X86 },
		{ "aarch64", REGS_ARCH_ARM64 },	  { "arm64", REGS_ARCH_ARM64 },
		{ "arm", REGS_ARCH_ARM },	  { "sa110", REGS_ARCH_ARM },
		{ "riscv", REGS_ARCH_RISCV },	  { "ppc", REGS_ARCH_POWERPC },
		{ "powerpc", REGS_ARCH_POWERPC }, { "s390", REGS_ARCH_S390 },
		{ "csky", REGS_ARCH_CSKY },	  { "loongarch", REGS_ARCH_LOONGARCH },
		{ "mips", REGS_ARCH_MIPS },
	};

	if (!m)
		return REGS_ARCH_NONE;
	if (m[0] == 'i' && m[1] >= '3' && m[1] <= '9' && !strcmp(m + 2, "86"))
		return REGS_ARCH_X86;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strncmp(m, known[i].prefix, strlen(known[i].prefix)))
			return known[i].arch;
	}
	return REGS_ARCH_NONE;
}

enum regs_arch regs_arch_from_elf(uint32_t machine)
{
	switch (machine) { /* EM_* */
	case 3:		   /* 386 */
	case 62: return REGS_ARCH_X86;
	case 40: return REGS_ARCH_ARM;
	case 183: return REGS_ARCH_ARM64;
	case 243: return REGS_ARCH_RISCV;
	case 20: /* PPC */
	case 21: return REGS_ARCH_POWERPC;
	case 22: return REGS_ARCH_S390;
	case 39: /* the number csky used before it had one */
	case 252: return REGS_ARCH_CSKY;
	case 258: return REGS_ARCH_LOONGARCH;
	case 8: return REGS_ARCH_MIPS;
	default: return REGS_ARCH_NONE;
	}
}

enum regs_arch regs_arch_host(void)
{
	struct utsname u;

	return uname(&u) ? REGS_ARCH_NONE : regs_arch_from_uname(u.machine);
}

uint64_t regs_legacy_vectors(enum regs_arch arch, uint64_t mask, bool simd)
{
	uint64_t regs = 0;

	if (arch != REGS_ARCH_X86 || simd)
		return 0;
	for (unsigned i = 0; i < 16; i++) {
		unsigned halves = mask >> (32 + 2 * i) & 3;

		if (halves == 3)
			regs |= BIT(i);
		else if (halves)
			return 0;
	}
	return regs;
}
