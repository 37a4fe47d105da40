/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind: a sample's stack as a list of frames, whatever it was recorded with: the kernel's
 * frame-pointer chain, user registers plus a copy of the stack (--call-graph dwarf, unwound here
 * by the objects' CFI), or the CPU's LBR call stack, stitched to the one before when asked.
 *
 *	n = unwind_chain(u, th, &s, &frames);
 *	for (ssize_t i = 0; i < n; i++)
 *		use(resolver_loc(res, frames[i].loc), frames[i].sym);
 *
 * The frames belong to the struct unwind and are valid until the next call. Unwind rules are
 * kept per code address, ELF files stay open per object; both are bounded by what is distinct.
 * One thread per struct unwind.
 */
#ifndef PERF_UNWIND_H
#define PERF_UNWIND_H

#include "sample/sample.h"
#include "symbol/symbol.h"

struct unwind;

#define UNWIND_MAX_STACK 127  /* frames printed by default, as upstream */
#define UNWIND_MAX_LBR	 8192 /* those of a stitched LBR call stack: upstream stops nowhere */

enum unwind_by {
	UNWIND_PERF, /* ours: libdw reads the rules, we apply them */
	UNWIND_LIBUNWIND,
};

struct unwind_opts {
	enum unwind_by by; /* who unwinds copies of stacks; unwind_new() says where there is none */
	const char *arch;  /* of the file: perfdata_env()->arch, "" = this machine's */
	uint32_t max_stack;    /* 0 = the defaults; counts kernel, dwarf and LBR frames apart */
	bool caller;	       /* outermost frame first; default is innermost first */
	bool inlines;	       /* one frame more for every inlined function */
	bool ips_only;	       /* ip and cpumode alone, loc is 0: for who looks addresses up */
	bool stitch_lbr;       /* join LBR call stacks of one thread */
	uint32_t max_branches; /* LBR depth (env->max_branches); 0 = unknown: no stitching */
	struct log_sink log;   /* which stacks will not be complete */
};

struct frame {
	uint64_t ip;  /* as in the chain; a dwarf caller: return address - 1 */
	uint32_t loc; /* resolver's number; never LOC_NONE */
	uint8_t cpumode;
	bool inlined;			/* sym was inlined into the next frame's function */
	const struct symbol *sym;	/* what to print; NULL = unknown (or opts.ips_only) */
	const struct inline_frame *inl; /* line of an expanded frame, else NULL */
};

/* *u is there after an error, too, unless memory was out: to be freed. */
int unwind_new(struct unwind **u, struct machine *m, struct resolver *res,
	       const struct unwind_opts *opts, struct err *e);
void unwind_free(struct unwind *u);

/* Whether samples of @attr can have a chain at all. */
bool unwind_has_chain(const struct perf_event_attr *attr);
/* Which fields unwind_chain() reads of its samples: PERF_SAMPLE_*. */
uint64_t unwind_need(const struct perf_event_attr *attr);

/*
 * The stack of @s for its thread @th, innermost first unless opts.caller. The number of frames
 * (0 when there are none, or when the chain is no chain), or -ENOMEM.
 */
ssize_t unwind_chain(struct unwind *u, struct thread *th, const struct sample *s,
		     const struct frame **frames);

/* ---- of a thread that stands still --------------------------------------------------------- */

struct unwind_regs {
	uint64_t known; /* bit n: reg[n], by the numbers of sample_regs_user */
	uint64_t reg[33];
};

struct unwind_live {
	struct unwind_regs regs;
	bool is_32bit;
	/* Of its memory: bytes that were read. */
	size_t (*read)(void *ctx, uint64_t addr, void *buf, size_t n);
	/*
	 * The registers of the caller of code that has no rules and whose stack pointer is @sp, where
	 * somebody has seen it return; NULL or false: nobody has.
	 */
	bool (*returns)(void *ctx, uint64_t sp, struct unwind_regs *r);
	void *ctx;
};

/* False: built without libdw, there are no rules. */
bool unwind_live_works(void);
/*
 * Its stack, innermost first and callers less one as unwind_chain() has them, @max addresses at
 * most. @u is made with ips_only, its machine has the maps of now. How many, or -ENOMEM.
 */
ssize_t unwind_live(struct unwind *u, struct thread *th, const struct unwind_live *l, uint64_t *ip,
		    size_t max);

/* ---- what was missing, for the end ---------------------------------------------------------- */

/*
 * Counts the user part of a chain that the kernel walked, by its sampled address and its outermost
 * one: code without frame pointers has no caller, or one that is in no object.
 */
void unwind_count_walk(struct unwind *u, struct thread *th, uint64_t inner, uint64_t outer,
		       bool outer_mapped);
/* Whether the user part of a chain of @attr is what the kernel walked by frame pointers. */
bool unwind_is_walked(const struct perf_event_attr *attr);
/* What @from's stacks lacked, as if @to had unwound them. */
void unwind_take_notes(struct unwind *to, const struct unwind *from);
/* What to say about them, and what to do: note @i of them, in @buf; false at the end. */
bool unwind_note(const struct unwind *u, unsigned i, char *buf, size_t size);

#endif
