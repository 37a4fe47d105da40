/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of room insn: instructions of APX, for libraries that do not know them. */
#ifndef PERF_INSN_APX_INT_H
#define PERF_INSN_APX_INT_H

#include "insn/insn.h"

struct apx {
	size_t len; /* bytes; 0 = REX2: see plain */
	/*
	 * REX2: the same with REX, which is for a library; the original has @grown bytes more. EVEX of vectors: the same
	 * with an address that has the registers 16 lower.
	 */
	unsigned char plain[16];
	size_t plain_size; /* 0 = none */
	unsigned grown;
	bool r4, x4,
		b4; /* 16 more: registers of ModRM's middle field, of the index, of the base or of ModRM's last */
	bool jumps;	   /* to the eight bytes behind the opcode */
	uint32_t named;	   /* EVEX: general registers, a bit each */
	bool pushes, pops; /* EVEX: two registers */
};

/* -EINVAL: no APX is needed for it, or it is no instruction. */
int insn_apx(const unsigned char *code, size_t n, struct apx *a);

#endif
