/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two libraries behind one decoder. */
#ifndef PERF_INSN_INSN_INT_H
#define PERF_INSN_INSN_INT_H

#include "insn/apx-int.h"
#include "insn/insn.h"

/* 0 or -errno; a length or -errno. All NULL where the library is not built in. */
struct insn_library {
	/* @e is set where the library does not load; else what failed is clear from the value */
	int (*open)(void **d, enum regs_arch arch, unsigned mode, struct err *e);
	void (*close)(void *d);
	int (*decode)(void *d, const void *code, size_t size, uint64_t addr, struct insn *out);
	int (*vectors)(void *d, const void *code, size_t size, uint64_t addr,
		       struct insn_vectors *out);
	int (*text)(void *d, const void *code, size_t size, uint64_t addr, char *buf,
		    size_t buf_size);
	void (*set_syntax)(void *d, enum insn_syntax syntax);
	void (*set_thumb)(void *d, bool thumb); /* NULL = knows no ARM */
	/* @a: of an instruction behind REX2, whose plain bytes these are; NULL = none */
	int (*general)(void *d, const void *code, size_t size, const struct apx *a,
		       struct insn_general *out); /* NULL = cannot */
};

extern const struct insn_library insn_zydis, insn_capstone;

/*
 * What kind of branch an instruction is by its name and operands, @relative: as the library has it.
 * False where the library tells better.
 */
bool insn_branch_by_name(enum regs_arch arch, const char *name, const char *args, bool relative,
			 enum insn_branch *kind);

/* What an x86 instruction's name says of lanes; LANE_HEX = nothing. */
struct insn_lanes {
	enum regs_lane read, written;
	bool one, one_written; /* the lowest lane alone */
	bool sure;	       /* it computes: other bits would be nonsense */
	bool adds_up;	       /* its destination is a source as well, be it masked or not */
};

void insn_lanes_by_name(const char *name, struct insn_lanes *l);
/* Whether the result is the same for all bits that its two equal sources may have. */
bool insn_clears(const char *name);
/* Puts a register in, by the name of the instruction; @bits of it are operand. */
void insn_put_vector(struct insn_vectors *out, const struct insn_lanes *l, unsigned reg,
		     unsigned width, unsigned bits, bool read, bool written);

struct insn_decoder {
	void *zydis;	/* NULL = not x86, or not built in */
	void *capstone; /* NULL = architecture unknown to it, not built in, or not asked yet */
	enum regs_arch arch;
	unsigned mode;
	enum insn_syntax syntax;
	bool tried; /* to open capstone, whatever came of it */
};

#endif
