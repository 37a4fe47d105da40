/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding by rules, whatever registers and memory come from: dwarf.c, live.c. */
#ifndef PERF_UNWIND_DWARF_INT_H
#define PERF_UNWIND_DWARF_INT_H

#include "cfi-int.h"
#include "config.h"
#include "unwind-int.h"

struct arch_regs {
	enum regs_arch arch;
	unsigned word;
	unsigned sp, fp; /* DWARF numbers; fp 0 = chains of frame pointers are not tried */
	int8_t perf[CFI_MAX_REG];
	uint8_t nr;
};

/* One walk. Who begins it puts it in front of what @mem and @returns need besides. */
struct dwarf_walk {
	struct unwind *u;
	struct thread *th;
	const struct arch_regs *arch;
	cfi_mem_fn mem; /* its context is the walk */
	/* Out of code without rules, w->r being the registers there; NULL = nobody knows. */
	bool (*returns)(struct dwarf_walk *w, uint64_t *pc);
	bool live;		/* of a thread that stands still: its maps are all there is */
	const struct sample *s; /* with a copy of the stack; else NULL */
	uint64_t sp;		/* where the copy starts */
	bool beyond;		/* something was looked for behind its end */
	struct cfi_regs r;
};

/* NULL: not known. */
const struct arch_regs *dwarf_arch(const struct unwind *u, bool is32);
/* u->dwarf is there; false and u->oom: it cannot be. */
bool dwarf_ready(struct unwind *u);
bool dwarf_word(const unsigned char *p, unsigned size, bool swap, uint64_t *v);
/* Appends the frames from @pc on, innermost first. */
void dwarf_walk(struct dwarf_walk *w, uint64_t pc);
struct cfi *dwarf_cfi(struct unwind *u);
/* Whether @addr, which could not be read, is of the same stack, behind the end of its copy. */
bool dwarf_is_beyond(const struct dwarf_walk *w, uint64_t addr);
/* The same frames by libunwind, of a sample with a copy of its stack; needs remote_new(). */
void remote_walk(struct dwarf_walk *w, uint64_t pc);

#endif
