/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to get from a function's frame to its caller's, per code address: the objects' call frame
 * information (.eh_frame, .debug_frame), read through libdw once per address and kept as a short
 * rule. Few rules are distinct: a rule is a number.
 */
#ifndef PERF_UNWIND_CFI_INT_H
#define PERF_UNWIND_CFI_INT_H

#include "regs/regs.h"
#include "symbol/symbol.h"

#define CFI_MAX_REG 68 /* DWARF numbers that are followed: below this */

enum cfi_how {
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_AT_CFA,   /* saved at CFA + off */
	CFI_CFA_PLUS, /* the value is CFA + off */
	CFI_REG,      /* in register off */
	CFI_AT_EXPR,  /* saved where an expression says */
	CFI_EXPR,     /* the value of an expression */
};

struct cfi_reg {
	uint8_t reg, how;
	uint16_t expr; /* number of the expression */
	int32_t off;
};

/* Compared as bytes: all of them have names. */
struct cfi_rule {
	bool cfa_expr, signal_frame;
	uint8_t cfa_reg, ra_reg;
	uint16_t nr; /* registers that differ from CFI_SAME */
	uint16_t expr;
	int32_t cfa_off;
	struct cfi_reg regs[32];
};

/* The registers of a frame by DWARF number. */
struct cfi_regs {
	uint64_t v[CFI_MAX_REG];
	uint64_t known[2]; /* bits */
};

static inline bool cfi_known(const struct cfi_regs *r, unsigned i)
{
	return i < CFI_MAX_REG && (r->known[i / 64] >> (i % 64) & 1);
}

static inline void cfi_set(struct cfi_regs *r, unsigned i, uint64_t v)
{
	r->v[i] = v;
	r->known[i / 64] |= BIT(i % 64);
}

static inline void cfi_forget(struct cfi_regs *r, unsigned i)
{
	r->known[i / 64] &= ~BIT(i % 64);
}

struct cfi;
struct cfi_object;

#define CFI_NONE UINT32_MAX

int cfi_new(struct cfi **c, struct resolver *res);
void cfi_free(struct cfi *c);

/* The object's file, opened on first use; NULL when it cannot be had. */
struct cfi_object *cfi_object(struct cfi *c, const struct dso *dso);
/* Whether it is of that kind of machine: numbers of registers mean the same. */
bool cfi_is_of(const struct cfi_object *o, enum regs_arch arch, unsigned word);
/* The rule at object address (file offset) @addr; CFI_NONE when there is none. */
uint32_t cfi_find(struct cfi *c, struct cfi_object *o, uint64_t addr);
const struct cfi_rule *cfi_rule(const struct cfi *c, uint32_t rule);
/* Bytes of the file as mapped: false when they are not there. */
bool cfi_read(const struct cfi_object *o, uint64_t addr, void *buf, size_t n);

/* Reads a word of the process's memory: @size is 1, 2, 4 or 8. */
typedef bool (*cfi_mem_fn)(void *ctx, uint64_t addr, unsigned size, uint64_t *v);

/*
 * Replaces @r by the caller's registers. @pc is set to the return address; false when there is no
 * caller (end of the stack) or memory is not there. @sp: the register that is the CFA where no rule says
 * otherwise; CFI_MAX_REG = none.
 */
bool cfi_step(const struct cfi *c, const struct cfi_rule *rule, struct cfi_regs *r, unsigned sp,
	      unsigned word, cfi_mem_fn mem, void *ctx, uint64_t *pc);

#endif
