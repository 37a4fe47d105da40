/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of room brstat share.
 *
 *	count.c	 edges, steps and stretches of code
 *	hops.c	 stacks to these
 *	hop-tables.c tables of that: they grow, and are settled
 *	pairs.c	 branches one behind the other, where both count
 *	late.c	 the same of answer paths
 *	stacks.c stacks that came before
 *	outcomes.c what conditional branches did
 *	code.c	 which branches lie in a stretch
 *	merge.c	 pieces added up
 *	why.c	 branches, out of that
 *	cycles.c blocks and edges, out of that
 *	loops.c	 loops, calls and returns of each stack
 *	paths.c	 superblocks out of steps, and what loops.c counted
 *	quality.c functions over time, and whether that is enough
 *	slices.c counts by function and slice of time
 *	result.c all is read
 *	places.c what is listed, by place
 */
#ifndef PERF_BRSTAT_INT_H
#define PERF_BRSTAT_INT_H

#include "brstat/brstat.h"
#include "keys/keys.h"

/* At first, and at most: they grow with what is in them. */
#define HOP_BITS  9
#define LISTS_MAX (UINT32_MAX >> 2) /* numbers in b->lists */
#define PAIR_BITS 9
#define SLOTS_MAX 31
#define AHEAD \
	16 /* so many before it is their turn memory is asked for, where many are gone through */

/* Cycles of a hop and how often they came, LATE_CYCLES of them in a word. */
#define LATE_CYCLES 4
#define LATE_MASK   0xffffULL
#define LATE_ONES   0x0001000100010001ULL
#define LATE_TOPS   (LATE_ONES << 15) /* one of these is set: it has come so often that it goes on */
#define NR_BEHIND   4

/* BRSTAT_WHY, of a hop's use: */
#define USE_OPEN 1u /* counted by pairs: which edge comes behind it matters */
#define USE_ALONE \
	2u /* the branch behind it is all that its list has, and nothing is known of before */
#define USE_LIST 2 /* from this bit on: of outcomes */

/*
 * An edge that came behind a hop, which are a pair, and what is not counted there yet, in one word, so that one sum counts all of
 * it: the edge in the lower half, ID_NONE = none; how often it came; how often it had cycles; these.
 */
#define BEHIND_NR	  32 /* from this bit on */
#define BEHIND_NR_CYCLES  40
#define BEHIND_CYCLES	  48
#define BEHIND_MAX	  127u		      /* how often at most */
#define BEHIND_CYCLES_MAX 0x7fffu	      /* and so many cycles */
#define BEHIND_FULL	  (BIT(39) | BIT(63)) /* one of these bits is set where that is too much */

/*
 * A branch by its addresses in memory and where the next one left, as far as an answer asks for that, with what is
 * counted of it and of the code behind it: one cache line, which one look at a stack leads to. Counts go on to the edge and to
 * the step behind it when all is read.
 */
struct hop {
	_Alignas(64) uint64_t from;
	uint64_t to;
	uint64_t key; /* HOP_*: what else tells it apart; 0 = an empty slot */
	union {
		struct {
			uint32_t nr, mispred;
			uint32_t use; /* what its answer does with each: USE_ */
			/* What it took from there to the next branch; not for BRSTAT_QUALITY. */
			uint32_t nr_cycles;
			uint64_t cycles;
			/*
			 * BRSTAT_CYCLES: those that came, predicted or not, and how often, which is not in the histogram yet,
			 * nor in .nr, .nr_cycles and .cycles. 16 bits each, LATE_*.
			 */
			uint64_t last, nr_last;
		};
		/* BRSTAT_PATHS: how often there was it is told by its pairs. */
		struct {
			uint32_t edge;
			uint16_t traits; /* of the edge and its type, loops.c */
			uint8_t nr_odd;	 /* mispredicted, or it does not say; not in the edge yet */
			uint8_t pairs; /* TRAIT_PAIR of the pairs with those, that of number i from bit 2 * i on */
			uint64_t behind[NR_BEHIND]; /* BEHIND_* */
		};
	};
};

#define HOP_BRANCH \
	1u /* there is a branch: else a stack begins with the next one, at .to and so many bytes behind */
#define HOP_NEXT \
	2u /* and a next one, so many bytes behind .to: else a stack ends, or paths do not ask */
#define HOP_FAR	    4u /* at HOP_BYTES: number in b->fars of what it is, and the next one */
#define HOP_FLAGGED 8u /* says whether it was mispredicted */
#define HOP_TYPE    4  /* from this bit on: BR_*, of the branch */
#define HOP_BYTES   8
#define HOP_SPACE   32 /* number of the space */

/* Of a hop by its place, not for BRSTAT_PATHS: what a look that finds it does without, unless there are cycles and it was mispredicted. */
struct hop_more {
	uint32_t edge;	    /* ID_NONE without HOP_BRANCH */
	uint32_t step;	    /* of what comes behind, which begins with the edge; ID_NONE = none */
	uint32_t nr_missed; /* of the hop's .nr_cycles: it was mispredicted */
	uint64_t cyc_missed;
};

/*
 * What is known of an edge. Steps are counted by two edges, as far as an answer asks for that: cycles are those of code in
 * front of a branch, wherever that went then, and for what ran it does not matter either where it was come from. So edges
 * that make no difference stand for each other: those from the same place as what a step ends with, those to the same as
 * what it begins with.
 */
struct edge_info {
	uint64_t nr, mispred, flagged;
	uint32_t site; /* of the branch */
	uint32_t begins,
		ends; /* the edges that stand for it, where a step begins and where it ends */
	uint32_t next,
		next_stretch; /* location that was branched from behind it lately, and what lies between */
	uint32_t from, to;   /* locations */
	uint8_t type;	     /* BR_* */
	uint8_t next_traits; /* BRSTAT_PATHS: of a pair with what left from there */
};

_Static_assert(sizeof(struct hop) == 64, "as it says");

/* Code from a location to where it was left lately, LOC_NONE = not known: most edges to one place are left at one, too. */
struct onward {
	uint32_t next, stretch;
};

struct hops {
	struct hop *v;
	struct hop_more *more; /* NULL with BRSTAT_PATHS */
	unsigned bits;
	size_t n; /* that are there */
};

/* Two edges, one after the other, and their step: which may be that of others, too. Half a cache line. */
struct pair {
	_Alignas(32) uint32_t before; /* ID_NONE = not known */
	uint32_t edge;
	uint32_t step;		/* + 1; 0 = an empty slot */
	uint32_t nr, nr_cycles; /* not in the step yet */
	uint64_t cycles;
};

/* BRSTAT_PATHS: how often an edge came behind another one, not in a step yet. */
struct late_pair {
	uint32_t before, edge;
	uint32_t nr, nr_cycles;
	uint64_t cycles;
};

/* How often stacks begin with an edge: its step from nowhere, not counted there yet. */
struct begun {
	uint64_t nr, nr_cycles, cycles;
};

/* One stack that does, which is counted later, with others. */
struct late_begun {
	uint32_t edge, cycles, times;
};

/* A branch and the one before it, as edges; the latter may be unknown. */
struct walk_step {
	uint64_t nr;
	uint64_t nr_cycles, cycles;	/* of the second: since the first */
	uint64_t nr_missed, cyc_missed; /* of these: the first was mispredicted */
	uint32_t before, edge;		/* ID_NONE = not known */
	uint32_t stretch;		/* of code between them; ID_NONE = that is not known */
};

enum code_state { CODE_UNREAD, CODE_MISFIT, CODE_READ };

/* Code from where a branch went to through the next one that was taken. */
struct code_stretch {
	uint32_t first, nr; /* b->inside: conditional branches in it, in their order */
	uint32_t nr_insns;
	uint32_t list;	   /* of outcomes; ID_NONE = not made */
	uint8_t state;	   /* enum code_state */
	bool passes_loops; /* BRSTAT_PATHS: some of them lead back */
};

/* A branch of the stack at hand, and what kind it is behind the one before: loops.c. */
struct stride {
	uint32_t edge, traits;
};

/* The same for who looks for loops: where it is. .from NULL: not found yet. */
struct spot {
	const struct loc *from, *to;
	uint32_t site;
	bool broken, calls, returns;
};

/* A branch instruction. */
struct site {
	uint64_t addr; /* in the object */
	struct dso *dso;
	uint64_t target; /* of a direct one; 0 = not known */
	uint8_t kind;	 /* enum insn_branch */
	bool known;	 /* read */
	bool tried;	 /* brstat_read_site() has been here */
	uint32_t list;	 /* of outcomes, behind no stretch; ID_NONE = not made */
};

/* Its outcomes, and where the count stands in a stack. */
struct outcomes {
	uint32_t run; /* how many times it was the same; 0 = none at hand */
	bool last;    /* taken */
	bool whole;   /* the run was seen to begin */
	uint64_t after[2][2];
	uint32_t runs[2][BRSTAT_RUNS], cut[2][BRSTAT_RUNS];
};

/* Outcomes of a branch in the stack at hand that are not counted yet. */
struct fresh {
	uint32_t stack;
	uint32_t n : 7, more : 1,
		times : 24; /* more: than these; times: how often there is that stack */
	uint64_t taken;	    /* a bit for each, the latest is the lowest */
};

#define CYCLE_BUCKETS 64 /* 0 to 15, then four to an octave */

struct cycle_hist {
	uint32_t n[CYCLE_BUCKETS];
	uint16_t min, max; /* max 0: none */
};

#define EDGE_BUCKETS 30 /* 0 to 7, then two to an octave, the last one open */

/* The same of all blocks behind an edge: two cache lines, of which there are as many as edges. */
struct edge_hist {
	uint32_t n[EDGE_BUCKETS];
	uint16_t min, max; /* max 0: none */
};

struct loop {
	struct dso *dso;
	const struct symbol *sym;
	uint64_t head, back, taken;
	uint32_t whole[BRSTAT_ROUNDS], cut[BRSTAT_ROUNDS];
	uint32_t site;
	/* In the stack at hand: the branch back was taken last at pos. */
	uint32_t stack, rounds;
	size_t pos;
	bool active, whole_begin; /* whole_begin: it is known how it was come to */
};

struct return_count {
	uint64_t matched, astray;
};

/* One that is counted later, with others: the edges of it and of its call. */
struct late_return {
	uint32_t call, edge;
	uint32_t times;
};

struct function_count {
	uint64_t samples;
	uint32_t loc; /* in it */
};

/*
 * Counts of functions by slice of time: slice n is list n % SLICES_MAX, as no more are there at once.
 */
#define SLICES_MAX 256

struct slice_count {
	uint32_t function, nr;
};

struct slice_list {
	struct slice_count *v;
	size_t n, cap;
};

struct slices {
	uint64_t first, last; /* time that they cover; none: first > last */
	unsigned shift;	      /* slice n begins at n << shift ns */
	uint64_t now;	      /* the slice of the row */
	VEC(uint32_t) row;    /* by function: not in its list yet */
	VEC(uint32_t) ran;    /* functions with a count there */
	VEC(uint64_t) sum;    /* by function: while a list is added up */
	struct slice_list list[SLICES_MAX];
};

/* A sample by its address and where its newest branch went, and what is known of it. */
struct known_sample {
	uint64_t ip, to;
	uint64_t where; /* space and mode, + 1; 0 = none */
	uint32_t function;
	bool behind;
};

struct indirect {
	uint32_t branch, target;
};

struct brstat {
	struct brstat_opts o;
	struct resolver *res;
	struct decoders dec;
	struct hops hops,
		ends; /* ends: where a stack does, so that they lie apart from what is looked at again and again */
	struct tuples fars;		   /* HOP_*, and where the next one left */
	struct pair *pairs;		   /* of all steps; not for BRSTAT_PATHS */
	unsigned pair_bits;		   /* of their size */
	size_t nr_pairs;		   /* what is in them */
	bool pairs_count;		   /* some have counts that are not in their steps yet */
	VEC(struct late_pair) late;	   /* BRSTAT_PATHS: late.c */
	size_t late_most;		   /* of them, before they are added up */
	VEC(struct begun) begun;	   /* BRSTAT_PATHS: by edge */
	VEC(struct late_begun) late_begun; /* BRSTAT_PATHS: not there yet */
	struct tuples spaces;		   /* address space and its generation: struct hop's */
	uint32_t space;			   /* the last one */
	uint32_t times;			   /* how often there is the stack at hand */
	struct slice_list *ran;		   /* not NULL: functions go there, and are not counted */
	VEC(struct kept) kept;		   /* stacks.c */
	uint32_t *kept_at;		   /* of them, by what they hold; NULL: none so far */
	/* What they hold, one behind the other; of the last pool so much is used. */
	VEC(unsigned char *) pools;
	size_t pool_used;
	uint32_t last_kept; /* of them: the last stack; ID_NONE = it is none of them */
	uint32_t nr_looked, nr_found, pause;
	bool in_vain;			  /* few were found before the last pause */
	struct tuples edge_keys;	  /* locations */
	struct tuples stretch_keys;	  /* locations */
	struct tuples site_keys;	  /* object, or ID_NONE, and address */
	VEC(struct edge_info) info;	  /* by edge */
	VEC(uint32_t) same_from, same_to; /* by location: an edge from it, to it; ID_NONE = none */
	VEC(struct onward) onward;	  /* by location */
	VEC(uint32_t) site_at;		  /* by location; ID_NONE = not looked at */
	VEC(struct walk_step) steps;
	VEC(struct code_stretch) stretches;
	VEC(struct site) sites;
	VEC(struct outcomes) outcomes; /* by site */
	VEC(struct fresh) fresh;       /* by site */
	VEC(uint32_t) lists;	       /* of outcomes: outcomes.c */
	VEC(uint32_t) inside;
	VEC(uint32_t) tmp;
	uint32_t stack; /* at hand */
	struct brstat_sum sum;
	bool finished;

	VEC(struct cycle_hist) hists; /* by stretch */
	VEC(struct edge_hist) edge_hists;
	/* BRSTAT_PATHS */
	VEC(struct stride) walk; /* the stack at hand, oldest first */
	/*
	 * Of these, with one of TRAITS_NOTED, or that a hop did not count, whatever these have. Of the first chunk without
	 * returns before any call.
	 */
	VEC(uint32_t) noted;
	VEC(struct spot) spots;	 /* of these, where loops are looked for */
	VEC(uint32_t) touched;	 /* loops, of the stack at hand */
	uint32_t looks;		 /* of which so many branches may still be looked at for that */
	struct tuples loop_keys; /* site, head */
	VEC(uint32_t) loop_at;	 /* by site: the one that was asked for last; ID_NONE = none */
	VEC(struct loop) loops;
	VEC(struct return_count) returns;     /* by site */
	VEC(struct late_return) late_returns; /* not there yet */
	/* BRSTAT_QUALITY */
	bool branches_wanted;
	struct tuples function_keys; /* object, symbol */
	VEC(uint32_t) function_at;   /* by location; ID_NONE = not looked at */
	VEC(struct function_count) functions;
	struct slices slices;
	struct known_sample *known; /* NULL: none so far */

	VEC(struct brstat_block) blocks;
	VEC(struct brstat_edge) edges;
	VEC(struct brstat_super) supers;
	VEC(uint32_t) super_steps;
	VEC(struct brstat_loop) loop_list;
	VEC(struct brstat_calls) calls;
	VEC(struct brstat_function) listed;
	struct brstat_quality quality;
	VEC(struct brstat_branch) branches;
	VEC(struct brstat_target) targets;
	VEC(struct indirect) indirect; /* targets of indirect branches, in the order of these */
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
/* The edge of two locations; ID_NONE: no memory. */
uint32_t brstat_edge(struct brstat *b, uint32_t from, uint32_t to);
/* Asks for the memory that it will look at. */
void brstat_ask_for_edge(const struct brstat *b, uint32_t from, uint32_t to);
/* What lies between two edges, or ID_NONE. 0 or -ENOMEM. */
int brstat_between(struct brstat *b, uint32_t before, uint32_t edge, uint32_t *stretch);

/* ---- hops.c: 0 or -ENOMEM ---------------------------------------------------------------------------- */

/* A small number for an address space and its maps now; ID_NONE: no memory. */
uint32_t brstat_space(struct brstat *b, const struct thread *th);
/*
 * The branches of a stack in that space, b->times; @all: each that was taken is there. @th may be NULL for one that was
 * counted before.
 */
int brstat_add_stack(struct brstat *b, const struct sample_branches *s, uint32_t space,
		     struct thread *th, bool all);
/* The same of one that is counted later, without its thread: its hops are there. */
int brstat_meet_stack(struct brstat *b, const struct sample_branches *s, uint32_t space,
		      struct thread *th, bool all);

/* ---- hop-tables.c: 0 or -ENOMEM ---------------------------------------------------------------------- */

/*
 * Where a hop lies that is not at @at, and where one behind that: in the cache line beside it first, which CPUs fetch with it.
 * @first: where the look began.
 */
static inline size_t hop_next(size_t at, size_t first, unsigned bits)
{
	at ^= 1;
	return (at ^ first) & 1 ? at : (at + 2) & (((size_t)1 << bits) - 1);
}

/* What one more adds, @times. */
static inline uint64_t behind_more(uint32_t times, uint32_t cycles)
{
	uint64_t nr = min_u64(times, BEHIND_MAX + 1);
	uint64_t sum = min_u64((uint64_t)cycles * times, BEHIND_CYCLES_MAX + 1);

	return nr << BEHIND_NR | (cycles ? nr & BEHIND_MAX : 0) << BEHIND_NR_CYCLES |
	       sum << BEHIND_CYCLES;
}

/* BR_* that a branch's key has. */
static inline unsigned hop_type(uint64_t key)
{
	return key >> HOP_TYPE & ((1u << (HOP_BYTES - HOP_TYPE)) - 1);
}

#define COUNT_MAX (1u << 31) /* counts of slots go on when they get there */

/* Upper bits are a slot. Odd numbers without a pattern. */
static inline uint64_t hop_hash(uint64_t from, uint64_t to, uint64_t key)
{
	return hash_spread(from) + (to ^ hash_secret) * 0xbf58476d1ce4e5b9ULL +
	       key * 0xd6e8feb86659fd93ULL;
}

/* Twice as many slots, or more. @more: with what is known of hops by their places. */
int brstat_widen_hops(struct hops *t, bool more);

/* Number @i of the LATE_CYCLES in a word. */
static inline uint16_t late_of(uint64_t word, unsigned i)
{
	return (uint16_t)(word >> 16 * i);
}

/* What slots have counted goes on, and they begin anew: the times @i of a hop's code, hop @i. */
int brstat_settle_last(struct brstat *b, struct hop *h, unsigned i);
int brstat_settle_hop(struct brstat *b, struct hops *in, size_t i);
void brstat_forget_hops(struct brstat *b);
/* All that was counted is in edges, steps and outcomes, and what was remembered is forgotten. */
int brstat_settle(struct brstat *b);
/* Stacks and returns that wait are counted; of BRSTAT_PATHS where brstat_join_late() finds it. */
int brstat_settle_waiting(struct brstat *b);

/* ---- pairs.c: 0 or -ENOMEM --------------------------------------------------------------------------- */

/*
 * The step of two edges that stand for what they are (struct edge_info), the first of which may be ID_NONE; NULL: no memory.
 * It is not looked at what lies between.
 */
struct walk_step *brstat_step(struct brstat *b, uint32_t before, uint32_t edge);
/* Asks for the memory that it, or a pair, will look at. */
void brstat_ask_for_step(const struct brstat *b, uint32_t before, uint32_t edge);
/* The pair of an edge, as it ends steps, behind another one, or behind ID_NONE; NULL: no memory. */
struct pair *brstat_pair(struct brstat *b, uint32_t before, uint32_t edge);
/* One more, b->times. */
void brstat_count_pair(struct brstat *b, struct pair *p);
/* What pairs have counted goes on to steps. */
void brstat_settle_pairs(struct brstat *b);

/* ---- late.c: BRSTAT_PATHS; 0 or -ENOMEM -------------------------------------------------------------- */

/* One pair more, b->times, which may be new and took @cycles if that is known; *traits: of the pair. */
int brstat_count_late(struct brstat *b, uint32_t before, uint32_t edge, uint32_t cycles,
		      uint32_t *traits);
/* The same of an edge that a stack begins with. */
int brstat_count_begun(struct brstat *b, uint32_t edge, uint32_t cycles);
/* That edge behind @h, which did not count it by itself; *traits: of the pair. */
int brstat_count_behind(struct brstat *b, struct hop *h, uint32_t edge, uint32_t cycles,
			uint32_t *traits);
/* Mispredicted, or it does not say, @times. */
void brstat_count_odd(struct brstat *b, struct hop *h, uint32_t times);
/* All that @from has counted, whose edges are @edge here. */
int brstat_join_late(struct brstat *b, struct brstat *from, const uint32_t *edge);
/* All that was counted as steps, in the order of their places but for those from nowhere. */
int brstat_make_steps(struct brstat *b);

/* ---- stacks.c: 0 or -ENOMEM -------------------------------------------------------------------------- */

#define BRSTAT_TIMES_MAX 4096 /* of a stack, at once */
_Static_assert(BRSTAT_TIMES_MAX <= 0x8000,
	       "as many fit in a place of LATE_CYCLES where LATE_TOPS is not set");

int brstat_take_stack(struct brstat *b, const struct sample_branches *s, struct thread *th,
		      bool all);
int brstat_settle_stacks(struct brstat *b); /* counts those that wait */
void brstat_forget_stacks(struct brstat *b);

/* ---- outcomes.c -------------------------------------------------------------------------------------- */

/* The list of what is passed in @stretch, which may be ID_NONE, and of @site, the branch behind it. 0 or -ENOMEM. */
int brstat_list_outcomes(struct brstat *b, uint32_t stretch, uint32_t site, uint32_t *list);
void brstat_add_outcomes(struct brstat *b, uint32_t list);
/* The branch that such a list ends with. */
static inline void brstat_ask_for_outcomes(const struct brstat *b, uint32_t list)
{
	const uint32_t *v = b->lists.v + list;

	__builtin_prefetch(&b->fresh.v[v[1 + (*v >> 1)]], 1);
}
/* Whether it has that branch alone, and the walk begins anew with it. */
static inline bool brstat_is_alone(const struct brstat *b, uint32_t list)
{
	return b->lists.v[list] == 1;
}
void brstat_settle_outcomes(struct brstat *b);

/* ---- results: 0 or -ENOMEM ------------------------------------------------------------------------- */

int brstat_list_branches(struct brstat *b);
int brstat_list_cycles(struct brstat *b);
int brstat_list_paths(struct brstat *b);
/* How many edges lie before each, in an order that does not depend on how the recording was cut; NULL: no memory. */
uint32_t *brstat_rank_edges(const struct brstat *b);
/* The ends of the two branches around block @i of it. */
void brstat_super_ends(const struct brstat *b, const struct brstat_super *s, uint32_t i,
		       const struct loc *ends[4]);
/* @executed: bytes that ran, by function. */
int brstat_judge(struct brstat *b, const uint64_t *executed);
enum insn_branch brstat_kind_of_type(unsigned type);
/* Whether a branch, whose instruction was read if it can be, goes to more than one place; not for conditional ones. */
static inline bool brstat_goes_about(const struct brstat *b, uint32_t site)
{
	const struct site *s = &b->sites.v[site];

	return s->known && s->kind != INSN_COND && s->kind != INSN_JUMP && s->kind != INSN_CALL;
}
/* Whether options leave what is there, --dsos and --symbols. */
bool brstat_is_listed(const struct brstat *b, const struct loc *at);
unsigned brstat_cycle_bucket(uint32_t cycles);
unsigned brstat_edge_bucket(uint32_t cycles);

/* ---- loops.c: the stack in b->walk; 0 or -ENOMEM ----------------------------------------------------- */

/* Most steps neither end a round nor call: what one is, is looked at once, and whole stacks are passed over by that. */
enum trait {
	TRAIT_CALLS = 1,
	TRAIT_RETURNS = 2,
	TRAIT_TAKEN = 4,   /* a branch back */
	TRAIT_PASSED = 8,  /* behind code with branches back that were not taken */
	TRAIT_BROKEN = 16, /* it is not known what was before */
};
#define TRAIT_PAIR   3 /* from this bit on: the two of a branch and the one before it */
#define TRAIT_KIND   8 /* from this bit on: enum insn_branch */
#define TRAITS_NOTED ((1u << TRAIT_KIND) - 1)

/*
 * Of an edge whatever it follows, and of what lies in front of one, which may be ID_NONE. @type: what the record at hand
 * says, which other ones may not: what a stack says must not depend on which came before.
 */
uint32_t brstat_edge_traits(const struct brstat *b, uint32_t edge, unsigned type);
uint32_t brstat_pair_traits(const struct brstat *b, uint32_t stretch);
/* A branch has one type; of files that say more the greatest counts, in whichever order they come. */
void brstat_note_type(struct edge_info *info, unsigned type);
/* Whether code in front of a branch at @end passes branches back in its function. */
bool brstat_passes_loops(const struct brstat *b, const struct code_stretch *t,
			 const struct loc *end);
int brstat_walk_loops(struct brstat *b);
int brstat_settle_returns(struct brstat *b);
int brstat_merge_loops(struct brstat *b, const struct brstat *from, struct dso *const *dso);

/* ---- quality.c: 0 or -ENOMEM ------------------------------------------------------------------------- */

void brstat_quality_init(struct brstat *b);
/* ---- slices.c: counts by function and slice of time ---- */

void brstat_slices_init(struct slices *s);
void brstat_slices_free(struct slices *s);
/* 0 or -ENOMEM, all of them. There is that function. */
int brstat_slices_function(struct slices *s, uint32_t function);
/* The row is in its list. */
int brstat_slices_leave(struct slices *s);
/* The row has a function for the first time, or a count that is too large. */
int brstat_slices_full(struct slices *s, uint32_t function);
#define SLICES_ROW_MAX (1u << 31) /* a count of the row goes to the list when it gets there */
/* The number of the @i-th slice of the time that is covered, @i < SLICES_MAX; its list is that modulo SLICES_MAX. */
uint64_t brstat_slices_nth(const struct slices *s, unsigned i);
/* How long slices have to be, as a shift, to cover time from @first to @last as well. */
unsigned brstat_slices_wanted(const struct slices *s, uint64_t first, uint64_t last);
/* Longer ones, and more time. */
int brstat_slices_widen(struct slices *s, unsigned shift, uint64_t first, uint64_t last);
/* @from's slices are no longer than @s's, which cover them; @function: their numbers in @s. */
int brstat_slices_merge(struct slices *s, struct slices *from, const uint32_t *function);

static inline int brstat_slices_go(struct slices *s, uint64_t slice)
{
	int ret = likely(slice == s->now) ? 0 : brstat_slices_leave(s);

	s->now = slice;
	return ret;
}

uint32_t brstat_function(struct brstat *b, uint32_t at); /* of a location; ID_NONE: no memory */
static inline int brstat_count_function(struct brstat *b, uint32_t function)
{
	uint32_t *n = &b->slices.row.v[function], was = *n;

	*n += b->times;
	return unlikely(!was || *n >= SLICES_ROW_MAX) ? brstat_slices_full(&b->slices, function)
						      : 0;
}

/* Before anything of a sample is counted: when it was, and memory is asked for what is known of its address. */
int brstat_begin_sample(struct brstat *b, const struct sample *s, struct thread *th);
int brstat_add_address(struct brstat *b, const struct sample *s, struct thread *th);
int brstat_merge_quality(struct brstat *b, struct brstat *from, const uint32_t *loc);

static inline const uint64_t *brstat_edge_locs(const struct brstat *b, uint32_t edge)
{
	return keys_tuple_get(&b->edge_keys, edge);
}

#endif
