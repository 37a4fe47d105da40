/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cfi.c and step.c share. */
#ifndef PERF_UNWIND_CFI_LIBDW_INT_H
#define PERF_UNWIND_CFI_LIBDW_INT_H

#include "cfi-int.h"
#include "config.h"
#include "elf/elf.h"

#if HAVE_LIBDW

#include <elfutils/libdw.h>
#include <stdio.h>

struct cfi_object {
	uint32_t idx; /* the dso's */
	struct elf_file *file;
	void *vdso;	       /* a copy, for the vdso */
	Dwarf_CFI *eh, *debug; /* debug belongs to dwarf */
	Dwarf *dwarf;
	struct segments load;
	bool debug_tried;
	uint64_t spent_ns; /* on looking up rules */
};

struct expr {
	const Dwarf_Op *ops;
	size_t n;
};

struct cfi_key {
	uint64_t addr;
	uint32_t object, rule;
};

struct cfi {
	struct resolver *res;
	VEC(struct cfi_object *) objects; /* by dso->idx */
	struct bits tried;
	VEC(struct cfi_rule) rules;
	struct htab by_rule;
	VEC(struct expr) exprs;
	struct htab by_expr;
	VEC(struct cfi_key) keys;
	struct htab by_key;
	struct arena arena;
};

/* The number of an expression, which may be one that is there. -ENOSPC: a rule cannot say more. */
int cfi_add_expr(struct cfi *c, const Dwarf_Op *ops, size_t n, uint16_t *nr);

#endif
#endif
