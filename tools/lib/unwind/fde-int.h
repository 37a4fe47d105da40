/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an object's call frame information is, function by function, for the second unwinder: which bytes of
 * .eh_frame or .debug_frame (DWARF 5, 6.4.1; LSB Core, "Exception Frames") hold the rules at an address. The
 * rules themselves are read by libunwind; here they are looked through for what it must not get.
 */
#ifndef PERF_UNWIND_FDE_INT_H
#define PERF_UNWIND_FDE_INT_H

#include "base/tables.h"
#include "elf/elf.h"

struct fde {
	uint64_t start, end; /* addresses of its code, as linked */
	uint32_t at;	     /* of the FDE, in its section */
	bool debug;	     /* in .debug_frame, rewritten as .eh_frame has it */
	bool signal; /* the frame of a signal handler's return: its pc is no return address */
};

struct fdes {
	VEC(struct fde) v; /* by start, which no two share */
	uint64_t eh;	   /* where .eh_frame lies, as linked */
	VEC(unsigned char)
	made; /* .debug_frame as .eh_frame: pointers relative to FDE_MADE + where they stand */
};

/* The address that made[0] has, as linked: where nothing of a program can be. */
#define FDE_MADE (1ULL << 62)

/*
 * Of an x86-64 object. What cannot be used is left out, and so are rules that libunwind would die of or not come
 * back from. 0 or -ENOMEM.
 */
int fde_read(struct fdes *f, struct elf_file *elf);
void fde_free(struct fdes *f);
/* NULL: no rules there. */
const struct fde *fde_find(const struct fdes *f, uint64_t vaddr);

#endif
