/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brstat: what branch stacks say about why and where, beyond which branches there were. A stack is a
 * walk, branch by branch, and code that ran between two of them ran without a branch being taken: so
 * the conditional branches in there are known not to have been. Counted are steps: a branch, and the one before it.
 *
 *	brstat_new(&b, res, &(struct brstat_opts){ .what = BRSTAT_WHY, ... }, &err);
 *	for each sample:	brstat_add(b, &s, th, &err);
 *	brstat_finish(b, &err);
 *	for (size_t i = 0; i < brstat_nr_branches(b); i++)	use(brstat_branch(b, i));
 *
 * Conditional branches that were not taken are found in the code; where that is not here they are known at
 * addresses of branches that were taken some other time, and their order is not.
 *
 * Memory follows the number of distinct steps; what is handed out belongs to the brstat. Errors:
 * 0/-errno and struct err. One thread; pieces of a recording add up (brstat_merge()).
 */
#ifndef PERF_BRSTAT_H
#define PERF_BRSTAT_H

#include "brflow/brflow.h"
#include "insn/insn.h"
#include "session/session.h"

struct brstat;

enum brstat_what {
	BRSTAT_WHY = 1,	    /* outcomes of each branch, in their order */
	BRSTAT_CYCLES = 2,  /* histograms of cycles */
	BRSTAT_PATHS = 4,   /* loops, calls and returns */
	BRSTAT_QUALITY = 8, /* functions over time; of samples without branches, too */
};

/* By the words that commands have for the first three: "why", "cycles", "paths"; 0 = none of these. */
unsigned brstat_what_named(const char *name);

struct brstat_opts {
	struct machine *machine;
	enum regs_arch arch; /* of the code */
	unsigned what;	     /* enum brstat_what */
	bool stacks;	     /* the recording has branch stacks */
	const struct session_filter
		*filter; /* whose objects and functions are listed; NULL = all */
};

int brstat_new(struct brstat **b, struct resolver *res, const struct brstat_opts *o, struct err *e);
void brstat_free(struct brstat *b);
int brstat_add(struct brstat *b, const struct sample *s, struct thread *th, struct err *e);
/*
 * Before brstat_finish() of either: all that @from has counted, to @b; as brflow_merge(). It can only be freed after that.
 */
int brstat_merge(struct brstat *b, struct brstat *from, const struct brflow_maps *maps,
		 struct err *e);
/* No more samples. Again: nothing. Before it there is nothing to list. */
int brstat_finish(struct brstat *b, struct err *e);

/* ---- all of it ------------------------------------------------------------------------------- */

struct brstat_sum {
	uint64_t stacks;
	uint64_t branches, mispred, flagged; /* flagged: say whether they were mispredicted */
	uint64_t followed;		     /* of which the branch after is known */
	uint64_t unread;		     /* of these: by code that could not be read */
	uint64_t misfits;		     /* by code that is not what ran */
	uint64_t nr_cycles, cycles;	     /* branches that have cycles; their sum */
	/*
	 * What a mispredicted branch cost: the block behind it took so many cycles more than where it was come
	 * to by branches that were predicted. All such blocks together.
	 */
	uint64_t refills;
	double refill_cycles;  /* sum, may be below 0 */
	uint64_t runs;	       /* BRSTAT_PATHS: blocks that ran */
	uint64_t block_cycles; /* cycles of branches behind a known block */
	bool some;	       /* there were stacks that have only some branches */
	bool calls;	       /* or only calls: no walk */
};

const struct brstat_sum *brstat_sum(const struct brstat *b);

/* ---- why: branches --------------------------------------------------------------------------- */

#define BRSTAT_RUNS 18 /* lengths 1 to 16, 17-32, more */

/* Where it was not seen what runs before and after, counts are less than @left. */
struct brstat_branch {
	struct dso *dso;
	const struct symbol *sym;
	uint64_t addr; /* in the object */
	enum insn_branch kind;
	bool known;    /* its instruction was read; else kind is what the recording says */
	uint64_t left; /* taken, in all */
	uint64_t mispred, flagged; /* of these */
	uint64_t taken, not_taken; /* of those that followed a known branch */
	uint64_t after[2][2]; /* [taken the time before][taken], one after the other in one stack */
	uint64_t runs[2][BRSTAT_RUNS]; /* [taken]: runs that were seen whole, by length */
	uint64_t cut[2][BRSTAT_RUNS];  /* that were seen to begin, and not to end */
	uint64_t wrong;		       /* outcomes that the most frequent one has wrong */
	uint64_t nr_before;	       /* outcomes with a branch before them */
	uint64_t wrong_before;	       /* of them a guess by that branch alone has wrong, at best */
	double entropy;		       /* of its outcome, in bits; < 0 = not known */
	double entropy_own;	       /* when its outcome the time before is known */
	double entropy_before;	       /* when the branch before is */
	uint32_t first, nr;	       /* its targets: brstat_target() */
	/* What would become of it if code were laid out or written in another way, see why.c. */
	bool forward;	/* a conditional branch that skips what follows */
	uint32_t skips; /* so many instructions without branches or stores; 0 = others, or more */
	double refill; /* cycles after it when it was mispredicted, more than else; < 0 = not known */
};

struct brstat_target {
	struct dso *dso;
	const struct symbol *sym;
	uint64_t addr, nr, mispred, flagged;
};

/* Those with most mispredictions first; where none says, those that are hardest to guess. */
size_t brstat_nr_branches(const struct brstat *b);
const struct brstat_branch *brstat_branch(const struct brstat *b, size_t i);
const struct brstat_target *brstat_target(const struct brstat *b, uint32_t i);
/* Targets of indirect branches, in the order of these; @br: whose it is. */
size_t brstat_nr_indirect(const struct brstat *b);
const struct brstat_target *brstat_indirect(const struct brstat *b, size_t i,
					    const struct brstat_branch **br);

/*
 * Mean length of runs of this outcome, of those that were seen to begin: by the share that ended at each length of
 * those that got there, so that it does not matter where stacks end. Runs longer than any stack count as
 * long as was seen. < 0: not known.
 */
double brstat_mean_run(const struct brstat_branch *br, bool taken);
/* Of the outcomes in br->after: what a guess by the time before has wrong at best. */
uint64_t brstat_wrong_own(const struct brstat_branch *br);
/* What its outcomes look like: the first of these that holds. */
enum brstat_pattern {
	BRSTAT_NOT_KNOWN,
	BRSTAT_ONE_WAY,	   /* it never did otherwise */
	BRSTAT_BIASED,	   /* 19 of 20 times the same */
	BRSTAT_LOOP,	   /* leads back, mostly taken, and falls through from time to time */
	BRSTAT_ALTERNATES, /* 9 of 10 times other than the time before */
	BRSTAT_OWN,	   /* the time before tells: half as many wrong, or fewer */
	BRSTAT_BEFORE,	   /* the branch before tells likewise */
	BRSTAT_MIXED,	   /* 4 of 5 times the same */
	BRSTAT_RANDOM,	   /* nothing that was looked at tells */
};

enum brstat_pattern brstat_pattern(const struct brstat_branch *br);

/* What would become of it, in numbers of this recording; see perf-report(1). 0 = nothing to gain. */
struct brstat_help {
	uint64_t cmov;	 /* mispredictions that went away, with the branch */
	uint64_t hint;	 /* at least so many, if it were always guessed to be taken */
	uint64_t layout; /* taken branches less, if the code that it goes to followed it */
	uint64_t
		test; /* of an indirect one: branches that a test for its first target would take over */
};

struct brstat_help brstat_help(const struct brstat *b, const struct brstat_branch *br);

/* Whether it has one of several targets. */
static inline bool brstat_is_indirect(const struct brstat_branch *br)
{
	return br->kind == INSN_IND_JUMP || br->kind == INSN_IND_CALL;
}

/* ---- cycles: blocks and edges ------------------------------------------------------------------ */

/* Code from where a branch went to through the next one; all 0 where the recording has no cycles. */
struct brstat_block {
	struct dso *dso;
	const struct symbol *sym;
	uint64_t start, end; /* end: the last instruction */
	uint64_t nr, nr_cycles, cycles;
	uint32_t min, median, p90,
		max;	/* cycles; the middle two by a histogram in steps of a quarter from 16 on */
	uint32_t insns; /* 0 = not known */
};

struct brstat_edge {
	const struct loc *from, *to;
	uint64_t nr, mispred, flagged;
	uint64_t nr_hit, cycles_hit, nr_missed, cycles_missed; /* of the blocks behind it */
	/*
	 * What these took more: where it was mispredicted than where branches to there were predicted;
	 * where it was predicted than behind the edge that is best for that block. How many times are known.
	 */
	uint64_t refills, lates;
	double refill_cycles, late_cycles;
	/* Of the blocks behind it, all times together; all 0 without cycles. By a histogram in steps of a half from 8 on. */
	uint32_t min, median, p90, max;
	uint32_t id;
};

/* Most cycles first; most cycles lost behind them first. */
size_t brstat_nr_blocks(const struct brstat *b);
const struct brstat_block *brstat_block(const struct brstat *b, size_t i);
size_t brstat_nr_edges(const struct brstat *b);
const struct brstat_edge *brstat_edge_at(const struct brstat *b, size_t i);

/* ---- paths ------------------------------------------------------------------------------------- */

struct brstat_super {
	uint64_t runs;	 /* of its blocks, together */
	uint64_t sum;	 /* runs, with those of all before it */
	uint64_t begins; /* of the first */
	uint64_t insns;	 /* that ran in it; 0 = not known */
	uint64_t cycles, nr_cycles;
	double through;	    /* share of those that began that got to its end, by steps of two */
	uint32_t first, nr; /* blocks */
};

size_t brstat_nr_supers(const struct brstat *b);
const struct brstat_super *brstat_super(const struct brstat *b, size_t i);
/* Block @i of it. */
void brstat_super_block(const struct brstat *b, const struct brstat_super *s, uint32_t i,
			const struct loc **start, const struct loc **end);

#define BRSTAT_ROUNDS 33 /* 1, 2 ... 32, more */

struct brstat_loop {
	struct dso *dso;
	const struct symbol *sym;
	uint64_t head, back;	  /* the branch back */
	uint64_t taken;		  /* that branch */
	uint64_t rounds, entries; /* how often the head ran, and was come to from outside */
	uint64_t whole[BRSTAT_ROUNDS],
		cut[BRSTAT_ROUNDS]; /* rounds, of those seen to begin: seen to end or not */
};

size_t brstat_nr_loops(const struct brstat *b);
const struct brstat_loop *brstat_loop(const struct brstat *b, size_t i);
double brstat_mean_rounds(const struct brstat_loop *l); /* < 0: not known */

struct brstat_calls {
	const struct loc *at;	 /* in the function */
	uint64_t calls, returns; /* to it, from it */
	uint64_t matched,
		astray; /* returns with their call in the same stack: to behind it, elsewhere */
	uint64_t sort;
};

size_t brstat_nr_calls(const struct brstat *b);
const struct brstat_calls *brstat_calls(const struct brstat *b, size_t i);

/* ---- quality ----------------------------------------------------------------------------------- */

enum brstat_verdict { BRSTAT_NOTHING, BRSTAT_AGAIN, BRSTAT_LONGER, BRSTAT_MORE, BRSTAT_ENOUGH };
enum brstat_file { BRSTAT_PROVEN, BRSTAT_UNPROVEN, BRSTAT_STALE, BRSTAT_MISSING, BRSTAT_FILES };

#define BRSTAT_APART 0.05 /* what halves may differ in by chance */

struct brstat_quality {
	bool branches;
	uint64_t samples;
	uint64_t total, named;		/* branches, else samples; in functions that are known */
	double density, density_wanted; /* of functions with 99 % of all, the least */
	uint64_t hot, hot_enough;	/* those functions; that have what is wanted */
	uint64_t half[2];	  /* first and second half in time, of functions that are listed */
	double by_turns, in_time; /* how much halves have in common, 0 to 1; < 0 = not known */
	uint64_t behind, behind_of; /* samples behind their newest branch */
	uint64_t by_state[BRSTAT_FILES];
	double more; /* record so many times as much */
	bool changes, stale;
	enum brstat_verdict verdict;
};

struct brstat_function {
	struct dso *dso;
	const struct symbol *sym;
	uint64_t addr;			      /* one in it */
	uint64_t nr, samples, size, executed; /* executed: bytes that ran */
	double density;	     /* executed by size; samples where there are no branches */
	uint64_t half[2][2]; /* by turns, in time */
	enum brstat_file state;
};

const struct brstat_quality *brstat_quality(const struct brstat *b);
size_t brstat_nr_functions(const struct brstat *b); /* most first */
const struct brstat_function *brstat_function_at(const struct brstat *b, size_t i);

/* ---- by place ---------------------------------------------------------------------------------- */

/*
 * What is listed of a place, for who comes by it again, in another reading of the recording too. Made once all is
 * read, and only looked at after that: by any number of threads.
 */
struct brstat_index;

/* Objects are those of the brstat's machine; dso NULL = in none, and the address that of memory. */
struct brstat_place {
	const struct dso *dso;
	uint64_t addr;
};

enum brstat_thing {		     /* and the places that lead to it */
		    BRSTAT_A_BRANCH, /* it */
		    BRSTAT_A_TARGET, /* an indirect branch, where to: brstat_indirect() */
		    BRSTAT_A_BLOCK,  /* its first instruction, its last */
		    BRSTAT_AN_EDGE,  /* from, to */
		    BRSTAT_A_STEP, /* from, to, from and to of two branches: the superblock with the code between them */
		    BRSTAT_A_LOOP,     /* the branch back, where to */
		    BRSTAT_A_FUNCTION, /* its start; BRSTAT_UNNAMED of what is in none */
};

#define BRSTAT_PLACES  4
#define BRSTAT_UNNAMED UINT64_MAX
#define BRSTAT_NOWHERE UINT32_MAX

/* Of a finished one, which has to outlive it. */
int brstat_index_new(struct brstat_index **x, const struct brstat *b, struct err *e);
void brstat_index_free(struct brstat_index *x); /* NULL is fine */
/* Its number, of a step with that of its block in the superblock; BRSTAT_NOWHERE = nothing is listed. */
uint32_t brstat_find(const struct brstat_index *x, enum brstat_thing what,
		     const struct brstat_place *at, uint32_t *block);

#endif
