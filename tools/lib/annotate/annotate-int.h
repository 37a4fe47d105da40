/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of room `annotate` share.
 *
 *	annotate.c	samples counted by number; functions in order
 *	listing.c	a function from its bytes to lines
 *	refs.c		what instructions refer to: jumps inside, names of targets and data
 *	source.c	which source line an instruction is of; lines of source between them
 *	loops.c		loops, from jumps back
 */
#ifndef PERF_ANNOTATE_ANNOTATE_INT_H
#define PERF_ANNOTATE_ANNOTATE_INT_H

#include "annotate/annotate.h"

/* What was counted of an event at a location. */
struct annotate_row {
	struct annotate_count count;
	uint32_t loc, event;
	uint64_t exact; /* hits whose address is the right one */
	uint32_t next;	/* of the same location; LISTING_NONE = none */
};

/* A row that lies in a function. */
struct annotate_place {
	uint64_t addr;
	uint32_t sym, row;
};

struct annotate {
	struct machine *m;
	struct resolver *res;
	VEC(uint32_t) by_loc; /* the first row; LISTING_NONE = none */
	VEC(struct annotate_row) rows;
	VEC(struct annotate_total) total;
	VEC(const struct perfdata_event *) event;
	/* After annotate_finish(). */
	VEC(struct annotate_place) places; /* by symbol, then by address */
	VEC(struct annotate_function) functions;
	struct annotate_total *totals; /* of functions, by event */
	uint32_t *order;	       /* of functions, as they are handed out */
	VEC(uint32_t) by_symbol;       /* the function; LISTING_NONE = none */
};

/* A listing while it is made, and what it owns. */
struct listing_build {
	struct listing l; /* first: what is handed out */
	const struct annotate *a;
	struct resolver *res;
	struct listing_opts o;
	struct arena arena; /* texts */
	unsigned char *code;
	size_t size;			/* bytes of it that were read */
	VEC(struct listing_line) insns; /* before lines come between them */
	VEC(struct listing_line) lines;
	VEC(uint32_t) insn_line;
	VEC(struct listing_loop) loops;
	VEC(const char *) notes;
	struct intern files;
};

int annotate_note(struct listing_build *b, const char *fmt, ...) __printf_fmt(2, 3);

/* Names for what the instructions refer to. All return 0 or -ENOMEM. */
int annotate_refs(struct listing_build *b);
/* The number of the instruction that starts at @addr; LISTING_NONE when none does. */
uint32_t annotate_insn_start(const struct listing_build *b, uint64_t addr);
/* Sources of instructions; lines from instructions, labels and sources. */
int annotate_sources(struct listing_build *b);
int annotate_lines(struct listing_build *b);
/* Targets from numbers of instructions to lines; loops. */
int annotate_loops(struct listing_build *b);

#endif
