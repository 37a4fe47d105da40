/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of room brstat share.
 *
 *	count.c	 stacks to steps, stretches and outcomes
 *	code.c	 which branches lie in a stretch
 *	merge.c	 pieces added up
 *	why.c	 branches, out of that
 */
#ifndef PERF_BRSTAT_INT_H
#define PERF_BRSTAT_INT_H

#include "brstat/brstat.h"
#include "keys/keys.h"

#define MEMO_BITS 15

/* The step of two branches, as it was lately. A cache line. */
struct step_memo {
	_Alignas(64) uint64_t from, to; /* in memory */
	uint64_t before_from, before_to;
	uint32_t space, gen;
	uint32_t step;
	bool used, before; /* before: there is one */
};

/* A branch and the one before it, as edges; the latter may be unknown. */
struct walk_step {
	uint64_t nr, mispred, flagged;
	uint64_t nr_cycles, cycles;	/* of the second: since the first */
	uint64_t nr_missed, cyc_missed; /* of these: the first was mispredicted */
	uint32_t edge;
	uint32_t stretch; /* of code between them; ID_NONE = that is not known */
	uint32_t site;	  /* of the second */
	uint8_t type;	  /* BR_*, of the second */
};

enum code_state { CODE_UNREAD, CODE_MISFIT, CODE_READ };

/* Code from where a branch went to through the next one that was taken. */
struct code_stretch {
	uint32_t first, nr; /* b->inside: conditional branches in it, in their order */
	uint32_t nr_insns;
	uint8_t state; /* enum code_state */
};

/* A branch instruction. */
struct site {
	uint64_t addr; /* in the object */
	struct dso *dso;
	uint64_t target; /* of a direct one; 0 = not known */
	uint8_t kind;	 /* enum insn_branch */
	bool known;	 /* read */
};

/* Its outcomes, and where the count stands in the stack at hand. */
struct outcomes {
	uint64_t after[2][2];
	uint32_t runs[2][BRSTAT_RUNS], cut[2][BRSTAT_RUNS];
	uint32_t stack; /* number of the stack that the rest is of */
	uint32_t run;	/* how many times it was the same */
	bool last;	/* taken */
	bool whole;	/* the run was seen to begin */
};

struct brstat {
	struct brstat_opts o;
	struct resolver *res;
	struct decoders dec;
	struct step_memo *memo;
	struct tuples edge_keys;    /* locations */
	struct tuples step_keys;    /* edges: before, or ID_NONE, and now */
	struct tuples stretch_keys; /* locations */
	struct tuples site_keys;    /* object, or ID_NONE, and address */
	VEC(struct walk_step) steps;
	VEC(struct code_stretch) stretches;
	VEC(struct site) sites;
	VEC(struct outcomes) outcomes; /* by site */
	VEC(uint32_t) inside;
	VEC(uint32_t) tmp;
	uint32_t stack; /* at hand */
	struct brstat_sum sum;
	bool finished;

	VEC(struct brstat_branch) branches;
	VEC(struct brstat_target) targets;
};

/* ---- code.c: 0 or -ENOMEM -------------------------------------------------------------------------- */

/* The branch at @addr; ID_NONE: no memory. */
uint32_t brstat_site(struct brstat *b, struct dso *dso, uint64_t addr);
/* Which branches lie in @t, from @start through @end. */
int brstat_read_stretch(struct brstat *b, struct code_stretch *t, const struct loc *start,
			const struct loc *end);
/* The instruction of a branch that no code told of. */
void brstat_read_site(struct brstat *b, struct site *site);
/* How many instructions a forward branch skips, when a conditional move could stand for them; else 0. */
uint32_t brstat_skipped(struct brstat *b, const struct site *site);

/* ---- count.c --------------------------------------------------------------------------------------- */

/* Both of one function, in order. */
bool brstat_in_one_function(const struct loc *start, const struct loc *end);
uint32_t brstat_edge(struct brstat *b, uint32_t from, uint32_t to);
/* The step of two edges; NULL: no memory. It is not looked at what lies between. */
struct walk_step *brstat_step(struct brstat *b, uint32_t before, uint32_t edge);
/* What lies between two edges, or ID_NONE. 0 or -ENOMEM. */
int brstat_between(struct brstat *b, uint32_t before, uint32_t edge, uint32_t *stretch);
/* The run that a branch is in ends unseen. */
void brstat_cut_run(struct outcomes *out);

/* ---- results: 0 or -ENOMEM ------------------------------------------------------------------------- */

int brstat_list_branches(struct brstat *b);

static inline const uint64_t *brstat_edge_locs(const struct brstat *b, uint32_t edge)
{
	return keys_tuple_get(&b->edge_keys, edge);
}

#endif
