/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the unwind room share. */
#ifndef PERF_UNWIND_INT_H
#define PERF_UNWIND_INT_H

#include "regs/regs.h"
#include "unwind/unwind.h"

/* An LBR entry as it lies in the file: stitching compares all three words. */
struct lbr_entry {
	uint64_t from, to, flags;
};

/* The last LBR call stack of a thread and what was appended to it. */
struct lbr_stack {
	VEC(struct lbr_entry) entries; /* newest first */
	VEC(struct lbr_entry) tail;    /* callers joined from the stack before */
	uint64_t hw_idx;
	bool valid;
};

struct inline_cache {
	const struct inline_frame *frames;
	int n; /* -1 = not asked yet */
};

struct dwarf_unwind;
struct remote;

/* What the stacks so far lacked. */
struct unwind_stats {
	uint64_t copies, cut;	/* unwound from copies of the stack; those that go on beyond */
	uint32_t copy_size;	/* bytes of a copy */
	uint64_t walked, alone; /* user parts by frame pointers; those that lead nowhere */
	uint64_t narrow;	/* of 32-bit programs, where libunwind was asked for */
};

struct unwind {
	struct machine *m;
	struct resolver *res;
	struct unwind_opts opts;
	uint32_t max_lbr; /* user frames of an LBR call stack */
	enum regs_arch arch;
	bool oom;
	VEC(struct frame) frames;
	VEC(struct frame) scratch;
	VEC(struct resolver_ip) chain; /* the frame-pointer chain at hand */
	VEC(uint32_t) chain_loc;
	VEC(struct inline_cache) inlines; /* by location */
	VEC(struct lbr_stack) lbr;	  /* by thread->idx */
	VEC(struct lbr_entry) tail;	  /* work space of stitching */
	struct dwarf_unwind *dwarf;
	struct remote *remote; /* libunwind, where it was asked for */
	struct unwind_stats stats;
};

/* The location of @ip, when the caller wants it; LOC_NONE, and u->oom: no memory. */
uint32_t frame_loc(struct unwind *u, struct thread *th, uint8_t cpumode, uint64_t ip);
/* Appends the frame of @ip; with its location known (LOC_NONE: no memory). 0 or -ENOMEM. */
int frame_add_loc(struct unwind *u, uint8_t cpumode, uint64_t ip, uint32_t loc);
int frame_add(struct unwind *u, struct thread *th, uint8_t cpumode, uint64_t ip);

/* Where a frame may be though there is no file to read rules of: what a JIT made, and a [vdso] that is not ours. */
static inline bool unwind_maps_code(const struct dso *d)
{
	return d->kind == DSO_ANON || d->kind == DSO_JIT || d->kind == DSO_VDSO;
}

/* Appends the frame-pointer chain. False (and nothing appended) when it holds nonsense. */
bool fp_chain(struct unwind *u, struct thread *th, const struct sample *s);
/* Appends the LBR call stack with its kernel part; false when @s has none: use the plain chain. */
bool lbr_chain(struct unwind *u, struct thread *th, const struct sample *s);
/*
 * Where @cur continues in @prev: returns the index of the first entry of @prev that is older than
 * all of @cur, or 0 when the two do not join. @depth is the number of LBR registers.
 */
size_t lbr_stitch(const struct lbr_entry *prev, size_t prev_nr, uint64_t prev_hw_idx,
		  const struct lbr_entry *cur, size_t cur_nr, uint64_t cur_hw_idx, uint32_t depth);

/* Appends the user frames of registers and stack copy. */
void dwarf_chain(struct unwind *u, struct thread *th, const struct sample *s);
void dwarf_free(struct dwarf_unwind *d);

/* libunwind for @u. -ENOTSUP: not built in, not installed, or the recording is of another machine. */
int remote_new(struct unwind *u, struct err *e);
void remote_free(struct remote *r);

#endif
