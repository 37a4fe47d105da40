/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate: what was counted at each instruction, and the instructions themselves. Two halves:
 *
 *	struct annotate	 samples counted by (event, object, address), in one reading, by number; then
 *			 functions, hottest first. Pieces of a recording add up (annotate_merge()).
 *	struct listing	 one function as lines: instructions, source lines, labels, in order, with
 *			 what was counted at each. Made as often as wanted; for any function, one
 *			 without samples too.
 *
 *	annotate_new(&a, machine, resolver, &err);
 *	for each sample:	annotate_add(a, in, &err);		fields annotate_need()
 *	annotate_finish(a, &err);
 *	for (size_t i = 0; i < annotate_nr_functions(a); i++) {
 *		const struct annotate_function *f = annotate_function(a, i);
 *
 *		if (listing_open(&l, a, f->dso, f->sym, &opts, &err))
 *			... err says which file is missing, and how to get it ...
 *		for (size_t k = 0; k < l->nr_lines; k++)
 *			use(&l->line[k]);
 *		listing_close(l);
 *	}
 *
 * Nothing here has colours, columns or keys; percentages are numbers, texts are the instructions'.
 *
 * Cost: a sample is one look-up of its location (room symbol) and one addition. A listing takes time
 * and memory by the function's length alone, about a microsecond for an instruction, more for the
 * first of an object whose source lines are asked for. Nothing is spawned.
 *
 * Memory: what is handed out belongs to the annotate or the listing it came from. Machine and
 * resolver have to outlive both, an annotate its listings. Names and texts come from files: print
 * them through emit. Errors: 0/-errno and struct err. One thread; listings of one resolver belong
 * to the same thread.
 */
#ifndef PERF_ANNOTATE_H
#define PERF_ANNOTATE_H

#include "brstat/brstat.h"
#include "insn/insn.h"
#include "session/session.h"
#include "keys/keys.h"
#include "symbol/symbol.h"

/* ---- counts ---------------------------------------------------------------------------------- */

struct annotate;

int annotate_new(struct annotate **a, struct machine *m, struct resolver *res, struct err *e);
void annotate_free(struct annotate *a); /* NULL is fine */
/*
 * Before the first sample: registers are counted too, of recordings of @arch; see struct
 * listing_regs. @value: a general or mask register whose values are, or NULL; it stays the
 * caller's. -EINVAL for one that there is not.
 */
int annotate_want_registers(struct annotate *a, enum regs_arch arch, const char *value,
			    struct err *e);
/*
 * Likewise: what report's --numbers and its like count, by instruction. @what: of enum keys_mark. @like:
 * whose arch, redact and values they count with, the resolver is the annotate's; strings stay the caller's.
 */
int annotate_want_marks(struct annotate *a, unsigned what, const struct acc_env *like,
			struct err *e);
/*
 * Likewise: what report --branches counts, by instruction; see struct listing_answers. @o: its resolver is
 * that of the annotate. BRSTAT_QUALITY is counted for annotate_stat() alone: it is not of instructions.
 */
int annotate_want_branches(struct annotate *a, const struct brstat_opts *o, struct err *e);
/* What was counted of these; after annotate_finish() to be read. NULL = they were not wanted. */
const struct brstat *annotate_stat(const struct annotate *a);
/* After that and the last sample: how many said which vectors are in use, how many had the register. */
void annotate_registers_seen(const struct annotate *a, uint64_t *vectors, uint64_t *values);
/* PERF_SAMPLE_* fields that annotate_add() looks at. */
uint64_t annotate_need(const struct annotate *a);
/*
 * A sample counts at its own address, also where it has branches or a call chain. Its branches
 * are counted apart: see struct listing_flow. They and registers are counted once of a group's sample.
 */
int annotate_add(struct annotate *a, const struct session_sample *in, struct err *e);

/*
 * Before annotate_finish() of either: all that @from has counted, to @to; if it had the samples that
 * came behind those of @to, the result is that of one annotate which had them all. Registers are
 * wanted alike, else -EINVAL. @maps: of the sessions they counted in, NULL = one. @from is to be
 * freed then.
 */
int annotate_merge(struct annotate *to, const struct annotate *from,
		   const struct session_maps *maps, struct err *e);
/* No more samples: there are functions now, those with the largest period of all events first. */
int annotate_finish(struct annotate *a, struct err *e);

struct annotate_count {
	uint64_t hits, period;
};

struct annotate_total {
	struct annotate_count count;
	uint64_t exact;	  /* hits whose address is that of the instruction: no skid */
	uint64_t unnamed; /* hits in no function: these are in no annotate_function */
	unsigned precise; /* attr.precise_ip: 0 = any skid, 3 = none by the hardware's word */
};

/* What was counted of an event; zeros when nothing was. */
const struct annotate_total *annotate_total(const struct annotate *a, uint32_t event);

struct annotate_function {
	struct dso *dso;
	const struct symbol *sym;
	const struct annotate_total *total; /* by event: annotate_nr_events(); unnamed is 0 */
	uint32_t first, nr;		    /* annotate's: its addresses, ascending */
};

/* Where most hits are that lie in no function; NULL = there are none, or they are in no object. */
const struct dso *annotate_most_unnamed(const struct annotate *a);
uint32_t annotate_nr_events(const struct annotate *a);
size_t annotate_nr_functions(const struct annotate *a);
const struct annotate_function *annotate_function(const struct annotate *a, size_t i);
/* That of @sym; NULL when nothing was counted there. */
const struct annotate_function *annotate_find(const struct annotate *a, const struct symbol *sym);
/* Whether samples of the @nr events from @event on are in @f, and @percent of all their periods. */
bool annotate_is_hot(const struct annotate *a, const struct annotate_function *f, uint32_t event,
		     uint32_t nr, double percent);
/*
 * Functions that no sample was in and that branches led to, one after the other, from *@at = 0 on: a
 * place in each; NULL at the end. They have listings, with counts that are zero.
 */
const struct loc *annotate_next_passed(const struct annotate *a, size_t *at);
/*
 * Another order: by the period of @nr events from @event on, the hottest first. Numbers of
 * functions change, what was handed out stays.
 */
int annotate_sort(struct annotate *a, uint32_t event, uint32_t nr, struct err *e);

/* ---- a function as lines --------------------------------------------------------------------- */

/* All zero: AT&T syntax, source lines where there are any, every event. */
struct listing_opts {
	enum insn_syntax syntax;
	bool no_source;	    /* no source lines; instructions do not know their line either */
	bool lines_only;    /* instructions know their line, but the source is not read */
	const char *prefix; /* put before names of source files that are not found as they are */
	unsigned strip;	    /* after taking so many directories off them */
	uint32_t event, nr_events; /* those shown: from @event on; 0 = all */
};

#define LISTING_NONE UINT32_MAX

enum listing_kind {
	LISTING_INSN,	/* an instruction, or bytes that are none */
	LISTING_SOURCE, /* a line of a source file, before the instructions that it became */
	LISTING_LABEL,	/* the function begins */
};

enum listing_ref {
	LISTING_NO_REF,
	LISTING_LOCAL, /* a jump inside the function: see target */
	LISTING_CODE,  /* a call, or a jump out of the function */
	LISTING_DATA,  /* a memory operand whose address is known */
};

struct listing_line {
	uint8_t kind;	   /* enum listing_kind */
	uint8_t len;	   /* bytes of the instruction */
	uint8_t branch;	   /* enum insn_branch */
	uint8_t ref;	   /* enum listing_ref */
	bool bad;	   /* these bytes are no instruction */
	uint8_t mask;	   /* opmask register that selects lanes; 0 = none */
	uint8_t lanes;	   /* of how many */
	uint16_t depth;	   /* loops around this instruction */
	uint32_t insn;	   /* its number among instructions; LISTING_NONE for other kinds */
	uint32_t target;   /* the line that a local jump leads to; LISTING_NONE = none */
	uint32_t jumps;	   /* how many local jumps lead here */
	uint32_t srcline;  /* source line, also of an instruction; 0 = unknown */
	uint64_t addr;	   /* in the object, as of symbols: see listing_addr() for what is shown */
	uint64_t ref_addr; /* as it is shown, where ref says so; 0 = not known, name is */
	const char *name;  /* what is at ref_addr, or of a label; NULL = unknown */
	uint64_t name_off; /* ref_addr is so many bytes behind its start */
	const char *file;  /* of srcline, as the compiler named it; NULL = unknown */
	const char *text;  /* "movq %rsp, %rbp", or the source line */
	uint16_t args;	   /* of an instruction: where in text its operands begin; 0 = none */
	const unsigned char *bytes; /* of an instruction: @len of them */
};

/* A loop: a jump back inside the function, and what lies between. Those around come first. */
struct listing_loop {
	uint32_t head, end; /* lines: the jump's target, and the last jump to it */
	uint32_t back;	    /* jumps that lead from inside to the head */
	uint16_t depth;	    /* 1 = outermost */
	/* By branch stacks, 0 = unknown: how often the head ran, and from outside of the loop. */
	uint64_t iterations, entries;
};

/*
 * What branch stacks say of an instruction. Code between two taken branches is a stretch; the
 * oldest and the newest of a stack are not known whole and not counted. Cycles are 0 in stacks
 * that have none: these are not known then, nor is what follows of them.
 */
struct listing_flow {
	uint64_t executions;		/* stretches that hold it */
	uint64_t began;			/* of these, begin at it: a branch led here */
	uint64_t taken;			/* end with it: a branch, taken */
	uint64_t cycles, nr_cycles;	/* of these: sum, and how many have cycles */
	uint16_t min, max;		/* their cycles */
	uint64_t ipc_insns, ipc_cycles; /* of all stretches that hold it and have cycles: sums */
	uint64_t left, entered;		/* branches from it and to it, the oldest ones too */
	uint64_t mispred, flagged; /* of those from it: mispredicted; that say whether they were */
	uint32_t edge, nr_edges;   /* those from it, in listing.edge, most frequent first */
};

/* Where branches go: edges that leave instructions by number, then those that come from outside. */
struct listing_edge {
	uint32_t from, to; /* instructions; LISTING_NONE = not of this function */
	struct dso *dso; /* of the other end: where it goes, or where it comes from; may be NULL */
	const struct symbol *sym;
	uint64_t addr;		       /* in that object */
	uint64_t nr, mispred, flagged; /* how often; as in struct listing_flow */
	uint64_t followed;	       /* of these, a stretch is known that came after */
};

struct listing_flow_sum {
	uint64_t most;		     /* executions of the instruction that has most */
	uint32_t executed, measured; /* instructions in stretches; in stretches with cycles */
	uint64_t insns, cycles;	     /* of stretches with cycles: sums */
	uint64_t checked, fit; /* branches; those that are branches of that kind in the code */
	uint64_t misfits;      /* stretches that do not lie on instructions */
};

/*
 * What samples at an instruction had in registers, before it ran as far as their address is exact. Of
 * all events together.
 */
struct listing_regs {
	uint64_t nr, live[SIMD_WIDTHS]; /* samples by widest live vector; see sample_simd_live() */
	uint64_t masked, lanes_on;	/* samples with the instruction's mask; lanes on in all */
	uint64_t nr_values;		/* samples that have the register of listing.value_name */
	uint64_t min, max, top, top_nr; /* its values; the most frequent, unless many */
	uint32_t distinct;
	bool many; /* too many different ones to know which is most frequent */
};

/*
 * Of what report --branches says, what is at an instruction: numbers of brstat_branch() and so on, of the
 * first where several are, LISTING_NONE = none.
 */
struct listing_answers {
	uint32_t branch;	   /* this instruction is it */
	uint32_t block, nr_blocks; /* begin at it, most cycles first */
	uint32_t edge, nr_edges;   /* leave it, most cycles lost first */
	uint32_t path, nr_paths;   /* superblocks that begin at it */
	uint32_t loop;		   /* this is its head */
};

struct listing_event {
	const struct perfdata_event *event; /* NULL = no sample had it */
	uint32_t idx;			    /* of the event in the recording */
	struct annotate_total all, function;
	/* Hits that are at no instruction of the listing: it is cut short. */
	struct annotate_count outside;
};

struct listing {
	struct dso *dso;
	const struct symbol *sym;
	const struct annotate_function *function; /* NULL = no samples */
	const char *path; /* where the code was read: a file, "/proc/kcore" ... */
	enum regs_arch arch;
	uint64_t start, end; /* of the function, in the object */
	uint64_t shift;	     /* from there to addresses as they are shown */
	struct listing_line *line;
	uint32_t nr_lines;
	uint32_t *insn_line; /* by number of an instruction: its line */
	uint32_t nr_insns;
	struct listing_loop *loop;
	uint32_t nr_loops;
	struct listing_event *event;
	uint32_t nr_events;
	struct annotate_count *count; /* by insn * nr_events + event: see listing_count() */
	bool has_source;	      /* there are lines of source */
	struct listing_flow *flow;    /* by number of an instruction; NULL = no branch stacks */
	struct listing_edge *edge;
	uint32_t nr_edges, nr_leaving; /* all; those from instructions */
	struct listing_flow_sum flow_sum;
	struct listing_regs *regs;	 /* by number of an instruction; NULL = not asked for */
	const char *value_name;		 /* of the register whose values are counted; NULL = none */
	const struct keys_marks *marks;	 /* what is marked; NULL = nothing was asked for */
	void *mark;			 /* slots of these, by number of an instruction */
	const struct brstat *stat;	 /* what branches were asked; NULL = nothing */
	struct listing_answers *answers; /* by number of an instruction; NULL = nothing was asked */
	/* What the reader has to know, a sentence each, NULL at the end: see listing_open(). */
	const char *const *notes;
};

/*
 * @sym of @dso from its file: 0, or -errno with what is missing and how to get it. A file whose
 * build id is not the recorded one is never read. Notes tell what is less than whole: code that
 * nothing proves to be the recorded one, source that is newer, a function that is cut.
 */
int listing_open(struct listing **l, const struct annotate *a, struct dso *dso,
		 const struct symbol *sym, const struct listing_opts *opts, struct err *e);
void listing_close(struct listing *l); /* NULL is fine */

/* The address of a line as linkers gave it out and disassemblers list it. */
uint64_t listing_addr(const struct listing *l, const struct listing_line *line);
/*
 * The function that a call or a jump out of @l leads to; for one through a PLT the function of that
 * name that has samples. False: not known.
 */
bool listing_callee(const struct annotate *a, const struct listing *l,
		    const struct listing_line *line, struct dso **dso, const struct symbol **sym);
/* The instruction that holds an object address: its number; LISTING_NONE when none does. */
uint32_t listing_insn_at(const struct listing *l, uint64_t addr);

/* What was counted at a line, of event number @k of the listing; zeros but for instructions. */
static inline struct annotate_count listing_count(const struct listing *l,
						  const struct listing_line *line, uint32_t k)
{
	if (line->insn == LISTING_NONE)
		return (struct annotate_count){ 0, 0 };
	return l->count[(size_t)line->insn * l->nr_events + k];
}

/* What 100 percent are. */
enum listing_percent {
	LISTING_LOCAL_PERIOD,  /* of the function */
	LISTING_GLOBAL_PERIOD, /* of all samples */
	LISTING_LOCAL_HITS,
	LISTING_GLOBAL_HITS,
};

double listing_percent(const struct listing *l, const struct listing_line *line, uint32_t k,
		       enum listing_percent type);
/* The line of the instruction with the largest period of all events; LISTING_NONE = no samples. */
uint32_t listing_hottest(const struct listing *l);

#endif
