/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regs, inside: the tables. */
#ifndef PERF_REGS_REGS_INT_H
#define PERF_REGS_REGS_INT_H

#include "regs/regs.h"

#define X86_DS		    12			  /* then ES, FS, GS */
#define X86_EGPR_MASK	    0xffff000000ULL	  /* R16-R31, SIMD ABI */
#define X86_SSP_MASK	    0x10000000000ULL	  /* SIMD ABI */
#define X86_LEGACY_XMM_MASK 0xffffffff00000000ULL /* two bits each, legacy ABI */

struct regs_table {
	const char *name;
	const char *const *names; /* NULL: a bit without a name */
	unsigned nr;
	int ip;
	uint64_t mask64, mask32;
};

const struct regs_table *regs_table(enum regs_arch arch);

/* The vector and predicate classes, narrowest first; index = enum regs_class. */
struct regs_class_info {
	const char *name;    /* as asked for */
	const char *printed; /* as listed */
	unsigned nr;	     /* registers */
	uint16_t qwords;
	bool pred;
	const char *needs; /* what a CPU without it lacks */
};

#define REGS_NR_SIMD_CLASSES 4
extern const struct regs_class_info regs_class_info[REGS_NR_CLASSES];

bool regs_has_class(const struct regs_caps *caps, enum regs_class c);
/* Why @c is missing, for a sentence "ZMM registers: ..."; "" when it is there. */
void regs_why_not(const struct regs_caps *caps, enum regs_class c, char *buf, size_t size);

/*
 * digits.c: @f with the fewest digits that read back as the same number, as "%.*g" has them; @single: as the same float.
 * False, and nothing is put: six would do, or it is not certain how many.
 */
bool regs_put_digits(struct obuf *o, double f, bool single);

#endif
