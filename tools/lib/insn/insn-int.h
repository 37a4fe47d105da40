/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two libraries behind one decoder. */
#ifndef PERF_INSN_INSN_INT_H
#define PERF_INSN_INSN_INT_H

#include "insn/insn.h"

/* 0 or -errno; a length or -errno. All NULL where the library is not built in. */
struct insn_library {
	int (*open)(void **d, enum regs_arch arch, unsigned mode);
	void (*close)(void *d);
	int (*decode)(void *d, const void *code, size_t size, uint64_t addr, struct insn *out);
	int (*text)(void *d, const void *code, size_t size, uint64_t addr, char *buf,
		    size_t buf_size);
	void (*set_syntax)(void *d, enum insn_syntax syntax);
	void (*set_thumb)(void *d, bool thumb); /* NULL = knows no ARM */
};

extern const struct insn_library insn_zydis, insn_capstone;

/*
 * What kind of branch an instruction is by its name and operands, @relative: as the library has it.
 * False where the library tells better.
 */
bool insn_branch_by_name(enum regs_arch arch, const char *name, const char *args, bool relative,
			 enum insn_branch *kind);

struct insn_decoder {
	void *zydis;	/* NULL = not x86, or not built in */
	void *capstone; /* NULL = architecture unknown to it, or not built in */
};

#endif
