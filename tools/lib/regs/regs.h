/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regs: register names, numbers and widths of every architecture, as const tables; which
 * registers an option asks for; how a value is printed. The architecture is always the file's
 * (or the recorder's), given as an argument; nothing here depends on the host.
 *
 * x86 numbers 24-40 (R16-R31, SSP) exist under the SIMD ABI only, 32-63 (XMM halves) under the
 * legacy one only: callers say which by @simd. Source: perf.data(5), REGISTERS.
 */
#ifndef PERF_REGS_H
#define PERF_REGS_H

#include "base/base.h"
#include "base/obuf.h"
#include "uapi/perf_event.h"

enum regs_arch {
	REGS_ARCH_NONE, /* unknown: names print as "unknown" */
	REGS_ARCH_X86,
	REGS_ARCH_ARM,
	REGS_ARCH_ARM64,
	REGS_ARCH_RISCV,
	REGS_ARCH_POWERPC,
	REGS_ARCH_S390,
	REGS_ARCH_CSKY,
	REGS_ARCH_LOONGARCH,
	REGS_ARCH_MIPS,
	REGS_ARCH_MAX,
};

/* From `uname -m` text of the ARCH feature ("x86_64", "aarch64", "ppc64le" ...). */
enum regs_arch regs_arch_from_uname(const char *uname_m);
enum regs_arch regs_arch_from_elf(uint32_t e_machine);
enum regs_arch regs_arch_host(void);
const char *regs_arch_name(enum regs_arch arch); /* "x86", "arm64" ... */

/* Name of mask bit @reg, "unknown" when it has none. @simd: the SIMD ABI is in force. */
const char *regs_name(enum regs_arch arch, unsigned reg, bool simd);
/* NULL when it has none. */
const char *regs_find_name(enum regs_arch arch, unsigned reg, bool simd);
/* "AX BX R16" */
void regs_mask_text(uint64_t mask, enum regs_arch arch, bool simd, char *text, size_t size);
/* Bit numbers for unwinding; -1 = none. */
int regs_ip(enum regs_arch arch);

/* The class a vector of @qwords belongs to on @arch ("XMM", "YMM", "ZMM"), "VEC" when unknown. */
const char *regs_vector_class(enum regs_arch arch, unsigned qwords);
const char *regs_pred_class(enum regs_arch arch); /* "OPMASK", "PRED" */
/*
 * Which XMM registers a mask of the legacy ABI holds as two halves each, bit n = XMMn; 0 with @simd,
 * on other architectures, and when one lacks a half.
 */
uint64_t regs_legacy_vectors(enum regs_arch arch, uint64_t mask, bool simd);

/* The bases of FS and GS are no bits of a mask: the two come together, see perf.data(5). */
#define REGS_NR_BASES 2
const char *regs_base_name(unsigned i); /* "FSBASE", "GSBASE" */

/* Likewise: what SSE and AVX compute by, and which exceptions they have met. */
#define REGS_MXCSR_NAME "MXCSR"

/* The default mask of `-I` without a list. */
uint64_t regs_default_mask(enum regs_arch arch, bool is_64bit);

/* ---- what an option asks for --------------------------------------------------------------------------- */

struct regs_selection {
	uint64_t gpr;	     /* mask bits */
	uint64_t vec_mask;   /* SIMD block: 0xffff (xmm, ymm), 0xffffffff (zmm) */
	uint16_t vec_qwords; /* 0, 2, 4, 8 */
	uint32_t pred_mask;
	uint16_t pred_qwords;
	bool bases; /* of FS and GS */
	bool mxcsr;
	bool all; /* no list was given: everything that can be had of the GPRs */
};

/* What may be missing on its own. */
enum regs_class {
	REGS_XMM,
	REGS_YMM,
	REGS_ZMM,
	REGS_OPMASK,
	REGS_EGPR, /* R16-R31 */
	REGS_SSP,
	REGS_NR_CLASSES,
};

/* Who said no. */
enum regs_lack {
	REGS_HAVE,
	REGS_NO_ARCH,	/* not a class of this architecture */
	REGS_NO_KERNEL, /* the kernel does not know sample_simd_*: it lacks the series */
	REGS_NO_CPU,	/* the CPU (or the hypervisor) lacks the XSAVE component */
	REGS_NO_PMU,	/* both are there, the PMU refused the trial event */
};

/* What this kernel and PMU can give (events fills it by trial opens). */
struct regs_caps {
	enum regs_arch arch;
	bool user;	 /* probed for --user-regs, else for -I */
	uint64_t gpr;	 /* mask bits that open, R16-R31 and SSP included when they do */
	bool simd_abi;	 /* the kernel has the series */
	bool legacy_xmm; /* XMM through bits 32-63 */
	bool xmm, ymm, zmm, opmask;
	bool bases; /* of FS and GS: by ptrace only */
	bool mxcsr; /* likewise */
	enum regs_lack lack[REGS_NR_CLASSES];
	int code[REGS_NR_CLASSES]; /* -errno of the trial event for REGS_NO_PMU */
};

/*
 * Parses "ax,bx,r16-r31,zmm" into @sel, adding to what is there. Names in any case; a range is
 * "r8-r15", "r8-15". NULL or "" means all (@sel->all). -EINVAL with the closest known names as
 * hint for an unknown one; -ENOTSUP, with who lacks it and what can be had instead, for a known
 * class that @caps lacks (caps NULL: an x86 with everything).
 */
int regs_parse(struct regs_selection *sel, const char *list, const struct regs_caps *caps,
	       struct err *e);
/* "AX BX ... SSP XMM0-15 YMM0-15" for `-I?`. */
void regs_print_available(const struct regs_caps *caps, struct obuf *o);
/* A line for each class that is missing: "ZMM0-31: this CPU has no AVX-512 state (...)". */
void regs_print_lacking(const struct regs_caps *caps, struct obuf *o);
/*
 * Writes intr and user selections (NULL: none) into an attr: masks, sample_type and, when the
 * SIMD ABI is needed, its fields. What can be had is a matter of each side (caps NULL: an x86 with
 * everything). One vector width per event, the widest wins. attr->type must be set: a software
 * event cannot give R16-R31 and SSP, they are left out there (see regs_not_of_software()).
 */
void regs_to_attr(const struct regs_selection *intr, const struct regs_caps *intr_caps,
		  const struct regs_selection *user, const struct regs_caps *user_caps,
		  struct perf_event_attr *attr);
/* Mask of the registers that were asked for by name and that events of this type cannot give. */
uint64_t regs_not_of_software(const struct regs_selection *sel, const struct regs_caps *caps,
			      uint32_t type);
/*
 * Whether both sides can have the width that the wider one asks for; -ENOTSUP with who lacks it
 * and why.
 */
int regs_check_width(const struct regs_selection *intr, const struct regs_caps *intr_caps,
		     const struct regs_selection *user, const struct regs_caps *user_caps,
		     struct err *e);

/* ---- which registers to show ------------------------------------------------------------------------ */

struct regs_pick {
	uint64_t gpr, vec, pred; /* bit n = register n of its kind */
};

/*
 * "zmm3,k1,ymm0-7,ax": adds to @p. -EINVAL with the nearest names for an unknown one, and for a
 * number that no such register has.
 */
int regs_pick_parse(struct regs_pick *p, const char *list, enum regs_arch arch, struct err *e);

/* ---- typed lanes ------------------------------------------------------------------------------------------ */

enum regs_lane {
	LANE_HEX, /* qwords, as bits */
	LANE_F16,
	LANE_BF16,
	LANE_F32,
	LANE_F64,
	LANE_I8,
	LANE_I16,
	LANE_I32,
	LANE_I64,
	LANE_U8,
	LANE_U16,
	LANE_U32,
	LANE_U64,
};

/* In the order of enum regs_lane, for messages and help. */
#define REGS_LANE_NAMES "hex, f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32 or u64"

/* What a number is to arithmetic; integers are zero or normal. */
enum regs_number { NUMBER_NORMAL, NUMBER_ZERO, NUMBER_DENORMAL, NUMBER_INF, NUMBER_NAN };

int regs_lane_parse(const char *name, enum regs_lane *lane); /* "f32" ...; -EINVAL */
const char *regs_lane_name(enum regs_lane lane);
unsigned regs_lane_bits(enum regs_lane lane);
bool regs_lane_is_float(enum regs_lane lane);
/* Lane @i as bits, the lowest first; what number these are. */
uint64_t regs_lane_get(const uint64_t *qwords, unsigned i, enum regs_lane lane);
enum regs_number regs_lane_number(uint64_t bits, enum regs_lane lane);
/* @n little-endian-ordered qwords (host u64s, lowest first) as lanes separated by blanks, lane 0
 * first. Floats: the shortest text that reads back as the same number. */
void regs_print_lanes(const uint64_t *qwords, unsigned n, enum regs_lane lane, struct obuf *o);
/* Lane @i alone. */
void regs_print_lane(const uint64_t *qwords, unsigned i, enum regs_lane lane, struct obuf *o);

#endif
