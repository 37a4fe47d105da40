/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of room `annotate` share.
 *
 *	annotate.c	samples counted by number; functions in order
 *	listing.c	a function from its bytes to lines
 *	refs.c		what instructions refer to: jumps inside, names of targets and data
 *	pages.c		addresses of data on aarch64
 *	source.c	which source line an instruction is of; lines of source between them
 *	loops.c		loops, from jumps back
 *	branches.c	branch stacks counted by number
 *	registers.c *	registers by address, and at instructions
 *	marks.c		what accumulators say, by address, and at instructions
 *	answers.c	what brstat says of branches, at instructions
 *	flow.c		what these say of the instructions of a function
 */
#ifndef PERF_ANNOTATE_ANNOTATE_INT_H
#define PERF_ANNOTATE_ANNOTATE_INT_H

#include "annotate/annotate.h"
#include "keys/keys.h"

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

/* ---- branch stacks --------------------------------------------------------------------------- */

struct annotate_edge {
	uint64_t nr, mispred, flagged, followed; /* see struct listing_edge */
	uint8_t type;				 /* BR_*, the last that was said */
};

struct annotate_stretch {
	uint64_t nr, nr_cycles, cycles;
	uint16_t min, max; /* where nr_cycles */
};

/* An edge or a stretch (@id), by the function and the address of one of its ends. */
struct annotate_ref {
	uint64_t addr, nr;
	uint32_t sym, id;
};

struct annotate_ref_list {
	struct annotate_ref *v;
	size_t n, cap;
};

struct annotate_branches {
	struct tuples edge_keys, stretch_keys; /* locations: from, to; start, end */
	VEC(struct annotate_edge) edges;
	VEC(struct annotate_stretch) stretches;
	uint64_t stacks;
	/* After annotate_finish(), by function and address, most frequent first. */
	struct annotate_ref_list leaving, arriving, within;
};

int annotate_branches_init(struct annotate_branches *f);
void annotate_branches_free(struct annotate_branches *f);
int annotate_branches_add(struct annotate_branches *f, struct resolver *res, const struct sample *s,
			  struct thread *th);
int annotate_branches_merge(struct annotate_branches *f, const struct annotate_branches *from,
			    const uint32_t *loc);
int annotate_branches_finish(struct annotate_branches *f, const struct resolver *res);
const struct annotate_ref *annotate_refs_of(const struct annotate_ref_list *refs, uint32_t sym,
					    size_t *nr);

/* ---- registers ------------------------------------------------------------------------------- */

#define ANNOTATE_MASKS	    8 /* k0 to k7 */
#define ANNOTATE_LANE_KINDS 7 /* 1 (scalars), 2, 4, 8, 16, 32, 64 lanes */

struct annotate_regs_at {
	uint64_t nr, live[SIMD_WIDTHS];
	struct {
		uint64_t nr, bits[ANNOTATE_LANE_KINDS]; /* sums of bits, of so many lanes */
	} masks[ANNOTATE_MASKS];
	uint64_t nr_values, min, max;
	uint32_t distinct;
	bool many;
	uint64_t top, top_nr; /* after annotate_finish() */
};

struct annotate_registers {
	bool on, pred;
	uint8_t reg; /* whose values are counted */
	enum regs_arch arch;
	const char *value;		 /* its name; NULL = of none */
	VEC(struct annotate_regs_at) at; /* by location */
	struct tuples value_keys;	 /* location, value */
	VEC(uint64_t) counts;
};

void annotate_registers_free(struct annotate_registers *g);
int annotate_registers_add(struct annotate_registers *g, const struct sample *s, uint32_t loc);
int annotate_registers_merge(struct annotate_registers *g, const struct annotate_registers *from,
			     const uint32_t *loc);
void annotate_registers_finish(struct annotate_registers *g);

/* ---- marks ----------------------------------------------------------------------------------- */

struct annotate_marks {
	struct keys_marks *m; /* NULL = not wanted */
	char *slot;	      /* by location */
	uint32_t nr;
	size_t cap;
};

void annotate_marks_free(struct annotate_marks *g);
int annotate_marks_add(struct annotate_marks *g, const struct sample *s, struct thread *th,
		       uint32_t loc);
int annotate_marks_merge(struct annotate_marks *g, const struct annotate_marks *from,
			 const struct session_maps *maps);

/* ---- answers --------------------------------------------------------------------------------- */

enum annotate_asked { ASKED_BRANCH, ASKED_BLOCK, ASKED_EDGE, ASKED_PATH, ASKED_LOOP };

/* One of brstat's things, by where it is. */
struct annotate_answer {
	uint64_t addr;
	uint32_t sym, nr; /* its number in the list of its kind */
	enum annotate_asked kind;
};

struct annotate_answers {
	struct brstat *stat; /* NULL = not wanted */
	bool all_samples;    /* it is of how good a profile is: of those without branches, too */
	VEC(struct annotate_answer)
	at; /* after annotate_finish(): by symbol, address, kind, number */
};

void annotate_answers_free(struct annotate_answers *g);
int annotate_answers_add(struct annotate_answers *g, const struct sample *s, struct thread *th,
			 struct err *e);
int annotate_answers_merge(struct annotate_answers *g, const struct annotate_answers *from,
			   const struct session_maps *maps, struct err *e);
int annotate_answers_finish(struct annotate_answers *g, struct err *e);

struct annotate {
	struct machine *m;
	struct resolver *res;
	VEC(uint32_t) by_loc; /* the first row; LISTING_NONE = none */
	VEC(struct annotate_row) rows;
	struct annotate_branches branches;
	struct annotate_registers registers;
	struct annotate_marks marks;
	struct annotate_answers answers;
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
	bool thumb;			/* of ARM's instruction sets the second */
	bool swap_insns, swap_data;	/* they lie in the other byte order than this machine's */
	VEC(struct listing_line) insns; /* before lines come between them */
	VEC(struct listing_line) lines;
	VEC(uint32_t) insn_line;
	VEC(struct listing_loop) loops;
	VEC(struct listing_edge) edges;
	VEC(const char *) notes;
	size_t nr_marks;	   /* slots of l.mark */
	const char *first_missing; /* source file, of nr_missing */
	unsigned nr_missing;
};

int annotate_note(struct listing_build *b, const char *fmt, ...) __printf_fmt(2, 3);

/* Names for what the instructions refer to. All return 0 or -ENOMEM. */
int annotate_refs(struct listing_build *b);
/* Data that aarch64 refers to in two steps, after jumps are known. */
void annotate_pages(struct listing_build *b);
/* The number of the instruction that starts at @addr; LISTING_NONE when none does. */
uint32_t annotate_insn_start(const struct listing_build *b, uint64_t addr);
/* Sources of instructions; lines from instructions, labels and sources. */
int annotate_sources(struct listing_build *b);
int annotate_lines(struct listing_build *b);
/* Targets from numbers of instructions to lines; loops. */
int annotate_loops(struct listing_build *b);
uint32_t annotate_insn_holding(const struct listing_build *b, uint64_t addr);
int annotate_registers_lay(struct listing_build *b);
int annotate_marks_lay(struct listing_build *b);
void annotate_marks_drop(struct listing_build *b);
int annotate_answers_lay(struct listing_build *b);
/* Branch stacks on instructions, and then on loops. */
int annotate_flow(struct listing_build *b);
int annotate_flow_loops(struct listing_build *b);

#endif
