/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys: what rows are told apart by, and what is said of them. Sort keys, columns, accumulators;
 * nothing here knows rows, chains or views beyond the one row whose text is asked for.
 *
 * A key is a const struct. It makes a number of a sample (or of a location), compares two numbers,
 * and writes one as text. What the numbers stand for is in a struct keys: names, frames, data
 * addresses, all only ever added to. What finds the number of what came before is in a struct
 * key_reader, which lasts as long as samples come.
 *
 *	struct columns cs = { .ks = &ks, .maker = &ks, .o = &ks.o };
 *	keys_cols_choose(&cs, &err);
 *	for each sample, for each c of cs.cols:	v = c.key->sample(&ks, &s, th);
 *	...
 *	c.key->text(&ks, row, v, out);
 *
 *	frame	what a call graph shows in one line: a symbol, or an address without one
 *
 * Memory: what a struct keys holds is its owner's, who frees it with keys_free(); keys, columns and
 * accumulators are const and for ever. Errors: ID_NONE or 0 where there is no memory, -errno and
 * struct err for what users ask. One thread per struct keys; text and order only read it.
 */
#ifndef PERF_KEYS_H
#define PERF_KEYS_H

#include <stdlib.h>

#include "emit/emit.h"
#include "sample/sample.h"
#include "session/session.h"
#include "symbol/symbol.h"

struct keys;
struct key;
struct slots;
struct sum;

#define MAX_KEYS    64 /* columns, those that options add included */
#define MAX_INLINES 64 /* frames of one address */
#define ID_NONE	    UINT32_MAX

/* ---- options --------------------------------------------------------------------------------- */

enum chain_style { CHAIN_NONE, CHAIN_GRAPH, CHAIN_FRACTAL, CHAIN_FLAT, CHAIN_FOLDED };
enum chain_key { CHAIN_BY_FUNCTION, CHAIN_BY_ADDRESS, CHAIN_BY_SRCLINE };
enum chain_value { CHAIN_PERCENT, CHAIN_PERIOD, CHAIN_COUNT };

struct chain_opts {
	enum chain_style style;
	enum chain_key key;
	enum chain_value value;
	bool caller, order_set; /* outermost first */
	double min_percent;	/* 0.5 */
	uint32_t print_limit;	/* 0 = all */
};

#define CHAIN_OPTS_DEFAULT                               \
	{                                                \
		.style = CHAIN_GRAPH, .min_percent = 0.5 \
	}

/* "graph,0.5,caller,function,percent": parts in any order; NULL or "" changes nothing. */
int chain_opts_parse(struct chain_opts *c, const char *arg, struct err *e);

struct keys_filter {
	const struct session_filter *session; /* NULL = all threads and places */
	const char *symbol_part;	      /* --symbol-filter */
	const char *parallelism;	      /* list of numbers of threads that run at once */
	bool by_socket;			      /* samples of package @socket only */
	int32_t socket;
	bool hide_unresolved; /* drop samples without symbol */
	bool exclude_other;   /* drop samples without parent match */
};

struct keys_opts {
	const char *sort;   /* NULL = the mode's default keys */
	const char *fields; /* -F list or NULL */
	bool branch;	    /* branch mode */
	uint32_t max_name;  /* letters of a function's name that are shown; 0 = all */
	bool history;	    /* branches as frames of call chains */
	bool children;	    /* add what callees cost; needs chains */
	bool hierarchy;	    /* rows below rows, see view_nested() */
	bool use_chains;    /* keep call chains */
	bool no_chains;	    /* children was wanted, but there are none: no such columns */
	bool show_samples, show_period, show_modes; /* -n, --show-total-period, sys/usr columns */
	bool show_threads;			    /* --show-nr-threads */
	bool simd;				    /* columns of SIMD state, keys: dso, symbol */
	bool numbers;				    /* of numbers in vectors, likewise */
	bool mxcsr;				    /* and of MXCSR, which samples hold */
	bool idle;				    /* of their lanes that do nothing, by loop */
	bool dirty;				    /* of upper halves that others left, by whom */
	bool apx;				    /* of general registers and their spills */
	bool shadow;				    /* of call chains against shadow stacks */
	const char *values;			    /* of what was in this register; NULL = none */
	bool raw_trace;				    /* key trace: fields as numbers */
	bool mem;				    /* keys of memory samples by default */
	bool branch_stats;			    /* branch mode: Mispred%, Avg cycles columns */
	bool relative;				    /* percentages of what passes the filter */
	bool switches; /* the recording tells when threads ran: there is parallelism */
	bool latency;  /* latency before overhead */
	bool inlines;  /* inlined functions are frames of their own */
	bool rich;     /* counted for table_derive(): by all that other keys can be made of */
	bool no_rows;  /* nobody shows them: where no filter looks at samples totals are enough */
	bool nsec;
	uint32_t jobs;		    /* threads that may order and print rows; 0 = one */
	uint32_t group_sort;	    /* rows of groups are in the order of this member */
	uint64_t time_quantum;	    /* ns; 0 = 100 ms */
	uint32_t max_stack;	    /* frames of a chain, and branches of a history; 0 = all */
	const char *parent;	    /* regex of key parent; NULL = upstream's */
	const char *ignore_callees; /* regex: chains end at these functions; NULL = none */
	char separator;		    /* 0 = aligned columns */
	const char *widths;	    /* -w */
	enum regs_arch arch;	    /* of the file: for keys that name a register */
	bool redact;		    /* do not show what is in registers */
	const struct perfdata *pd;  /* for keys trace and socket; NULL = not known */
	struct log_sink log;	    /* why key trace has no text */
	struct chain_opts chain;
	struct keys_filter filter;
};

/* ---- rows ------------------------------------------------------------------------------------ */

struct keys_row {
	uint64_t period, acc;	       /* own; with callees (children) */
	uint64_t nr;		       /* samples or branch entries */
	uint32_t group, place, place2; /* tuples of key values */
	uint32_t bits;		       /* branch flags that are keys */
	uint32_t thread;	       /* idx of the first one */
	uint32_t first_node;	       /* chain nodes there were before this row */
	uint16_t depth[2];	       /* longest chain, callees first; callers first */
	uint8_t cpumode;	       /* of the first sample */
	bool of_view;		       /* made by a view, above others */
	uint32_t idx;
};

/* Branch mode, per row. */
struct branch_counts {
	uint64_t cycles;
	uint32_t nr_cycles, nr_mispred; /* entries with cycles; mispredicted ones */
	uint32_t nr_unflagged;		/* those that do not say whether they were predicted */
	uint32_t symbol_to; /* idx of the first one's target symbol; UINT32_MAX = none */
};

/* What the branches at one frame of a chain say, summed. */
struct branch_note {
	uint32_t branches, predicted, aborts, froms;
	uint32_t flagged; /* branches that say whether they were predicted */
	uint64_t cycles, iters, iter_cycles;
	uint32_t types, new_types; /* bit n = type n was seen; and these: */
	bool to;		   /* the frame is a target */
	bool unknown;		   /* callers' frames: not summed */
};

/* ---- tuples ---------------------------------------------------------------------------------- */

/* Interned arrays of @width numbers: equal arrays get equal, dense ids. */
struct tuples {
	unsigned width;
	VEC(uint64_t) v;
	struct htab tab;
	uint32_t n;
};

uint32_t keys_tuple_id(struct tuples *t, const uint64_t *vals); /* ID_NONE: no memory */
/* In two steps, for who asks the caches in between: by their hash. */
uint64_t keys_tuple_hash(const struct tuples *t, const uint64_t *vals);
uint32_t keys_tuple_id_at(struct tuples *t, uint64_t hash, const uint64_t *vals);
/* ID_NONE: these values never came. */
uint32_t keys_tuple_find(const struct tuples *t, uint64_t hash, const uint64_t *vals);
/* The same for values that never came and are never looked for. */
uint32_t keys_tuple_push(struct tuples *t, const uint64_t *vals);
void keys_tuples_free(struct tuples *t);

static inline const uint64_t *keys_tuple_get(const struct tuples *t, uint32_t id)
{
	return t->v.v + (size_t)id * t->width;
}

/* ---- keys ------------------------------------------------------------------------------------ */

enum key_at { KEY_SAMPLE, KEY_PLACE, KEY_FROM, KEY_TO, KEY_BITS, KEY_STAT };
/* What a value is: a number as it was sampled, or the keys' own for something. */
enum key_value {
	VALUE_NUMBER,
	VALUE_NAME,
	VALUE_FRAME,
	VALUE_DADDR,
	VALUE_THREAD,
	VALUE_LOC,
	VALUE_CGROUP, /* as it was sampled, but of one machine alone */
};

struct key;
struct keys_col {
	const struct key *key;
	unsigned slot; /* in its tuple */
	/* Of a key with an accumulator: its sums, and what of them it shows. */
	const struct sum *sum;
	const struct slots *slots;
	int user_width;	       /* -w; 0 = by content */
	int level;	       /* --hierarchy: 0 = in front of all rows, else of the level's */
	const char *one_value; /* that a filter lets through: said above the table; else NULL */
	bool elided;	       /* and so there is no column */
	uint32_t *rank;	       /* by tuple id: order of equals; rank2: order of output */
	uint32_t *rank2;
	unsigned rank_bits, rank2_bits; /* that the largest needs */
};

/* A location as keys see it. */
struct place_in {
	const struct loc *at;
	uint64_t ip;		  /* raw */
	const struct symbol *sym; /* an inlined function's, else the location's */
	bool chain;		  /* a caller, not the sampled address itself */
	uint32_t loc;		  /* its number */
};

/* Of a number that the samples of the row do not tell; the least in the order of rows. */
#define STAT_UNKNOWN UINT64_MAX

struct key {
	const char *name;
	const char *head;
	enum key_at at;
	enum key_value value; /* not of KEY_BITS, KEY_STAT */
	bool branch;	      /* branch mode only */
	bool right;	      /* head aligned right */
	bool pads;	      /* padded even in the last column */
	uint64_t need;	      /* PERF_SAMPLE_* */
	uint32_t bits;	      /* KEY_BITS: of the packed flags */
	int min_width;
	uint64_t (*sample)(struct keys *ks, const struct sample *s, struct thread *th);
	uint64_t (*place)(struct keys *ks, const struct place_in *in);
	int (*place_width)(struct keys *ks, const struct place_in *in, uint64_t v);
	int (*value_width)(const struct keys *ks, uint64_t v);	    /* KEY_SAMPLE */
	int (*cmp)(const struct keys *ks, uint64_t a, uint64_t b);  /* order of equals */
	int (*sort)(const struct keys *ks, uint64_t a, uint64_t b); /* NULL = cmp */
	/* True for values with an address alone: `cmp` goes by it, to `sort` they are equal. */
	bool (*unnamed)(const struct keys *ks, uint64_t v, uint64_t *ip);
	void (*text)(const struct keys *ks, const struct keys_row *row, uint64_t v, struct obuf *o);
	/* KEY_STAT: of the row itself, or of what the accumulator has for it. */
	uint64_t (*stat)(const struct keys_row *row, const void *slot);
	/* In place of text: of what the accumulator has. */
	void (*slot_text)(const struct keys *ks, const void *slot, struct obuf *o);
	const struct acc *of; /* the accumulator that it shows */
	const char *unknown;  /* KEY_STAT: text of STAT_UNKNOWN; NULL = there is none */
	bool percent, permille;
	bool mean;     /* KEY_STAT: a sum, shown divided by the number of samples */
	bool hidden;   /* cannot be asked for by name */
	bool latency;  /* KEY_STAT: a share of latency, no overhead */
	bool acc;      /* KEY_STAT: with what callees cost */
	bool switches; /* not without context switches in the recording */
	const char *(*stat_text)(uint64_t v);		  /* KEY_STAT that is a word */
	bool truncates;					  /* cut at the column's width */
	bool by_content;				  /* KEY_SAMPLE: as wide as its values */
	bool text_right;				  /* the value is aligned right */
	bool parent;					  /* from the chain, see --parent */
	enum { RAW_NOT, RAW_UNNAMED, RAW_ALWAYS } raw_ip; /* tells addresses in memory apart */
	bool per_symbol;				  /* equal for all addresses of a symbol */
	/*
	 * KEY_SAMPLE: what a rich table has of a sample gives it as well: number and CPU alone, of
	 * thread and sample, or the name that the thread had.
	 */
	bool of_thread;
	uint64_t (*of_comm)(struct keys *ks, const char *comm);
	uint64_t mask; /* of the sample's value; 0 = all */
};

/* All keys, in the order of the table; NULL behind the last. */
const struct key *keys_at(size_t i);
#define NAME_ROOM 1024 /* more than opts.max_name can be */
/* A function's name, as long as it may be. */
void keys_put_name(const struct keys *ks, const struct symbol *sym, struct obuf *o);
int keys_name_width(const struct keys *ks, const struct symbol *sym);

/* key-reg.c: keys that name a register. */
#define MAX_REG_KEYS 4

struct reg_key {
	struct key key;
	char name[64]; /* "reg:zmm3.f64[0]" */
	bool gpr, pred;
	unsigned reg, qwords; /* of a vector: by its name */
	enum regs_lane lane;
	int index; /* lane; -1 = all */
	unsigned word, shift;
	uint64_t ones; /* its bits: these of qword @word, from bit @shift on */
};

/* @text: "reg:..." of @len bytes. */
/* "zmm3.f64[0]" into its parts. */
int keys_reg_parse(struct reg_key *k, const char *name, enum regs_arch arch, struct err *e);
/*
 * What it held at the sampled address, as bits: of a lane or a general register; false = not recorded,
 * or of user space while the kernel ran.
 */
bool keys_reg_value(const struct reg_key *k, const struct sample *s, enum regs_arch arch,
		    uint64_t *value);
const struct key *keys_reg_key_find(const struct keys *ks, const char *text, size_t len);
int keys_reg_key(struct keys *ks, const char *text, size_t len, const struct key **key,
		 struct err *e);

/*
 * What a rich table counts by: samples by RICH_COMM ..., the ends of branches and what frames lie at by
 * RICH_LOC and RICH_IP.
 */
enum { RICH_COMM, RICH_THREAD, RICH_CPU, RICH_SLICE, NR_RICH_GROUP };
enum { RICH_LOC, RICH_IP, NR_RICH_PLACE };

const struct key *keys_rich_group(unsigned i);
const struct key *keys_rich_place(unsigned i);
/* Whether its values can be made of these. */
bool keys_is_derived(const struct key *k);

/*
 * Time in slices, of 2^shift ns since 0. There are at most MAX_SLICES: where a recording turns out to be
 * longer they become longer, and a value says of which length it is.
 */
#define MAX_SLICES 1024

struct time_slices {
	unsigned shift;
	uint64_t first, nr; /* number of the first one, and to the last one */
};

/* Where the value of a slice is now, counted from the first one; ID_NONE = no time is known. */
uint32_t keys_slice_at(const struct time_slices *s, uint64_t value);
/* Of two recordings or pieces, one. */
void keys_slices_join(struct time_slices *s, const struct time_slices *other);

/* Names of all sort keys, for --help and suggestions; NULL behind the last. */
const char *keys_name(size_t i);

/* ---- accumulators ---------------------------------------------------------------------------- */

/*
 * What a row counts beside samples and period. An accumulator is a const struct in a file of its
 * own, and a line in the table of key.c. It knows one slot: how a sample is added to it, how
 * another slot is, what columns show of it. Where slots lie and when they are summed up is the
 * table's affair and the same for all, so rows, ends of chains, events and members of groups have
 * sums without a word said here.
 *
 * A slot has a fixed size and may be moved; it begins as a copy of `empty`. Adding is commutative
 * and so is merging: the slot of all samples is the merge of the slots of any two halves. What a
 * slot owns outside itself is given back by drop().
 */

struct hist_frames;
struct branch_counts;

/* A sample as accumulators see it. */
struct acc_in {
	const struct sample *s; /* NULL when it had to wait: see acc.needs_sample */
	struct thread *th;
	const struct hist_frames *history;   /* --branch-history: its branches; else NULL */
	const struct branch_counts *entries; /* branch mode: what equal ones say; else NULL */
	uint64_t period;
	uint64_t times;	      /* it is counted: 1, or once per branch in an event's total */
	uint32_t parallelism; /* threads that ran when it was taken */
	uint32_t loc;	      /* of its address, + 1; 0 = nobody has looked yet */
	uint32_t frames;      /* in user space, where the chain was unwound here; 0 = it was not */
};

/* What an accumulator may ask while samples come. */
struct acc_env {
	struct resolver *res; /* NULL: code is not looked at */
	enum regs_arch arch;
	bool redact;	    /* do not show what is in registers */
	const char *values; /* the register whose values are counted */
};

/* The location of a sample's address; LOC_NONE: no memory. */
static inline uint32_t keys_acc_loc(const struct acc_env *env, const struct acc_in *in)
{
	return in->loc ? in->loc - 1 : resolver_find(env->res, in->th, in->s->cpumode, in->s->ip);
}

/* From the numbers of one table to those of another; NULL lists: they are the same. */
struct acc_maps {
	const uint32_t *thread; /* by idx of a thread in the source */
	const uint32_t *symbol; /* by idx of a symbol there */
	const uint32_t *loc;	/* by number of a location there */
};

struct acc {
	const char *name;
	size_t size;	   /* of a slot */
	const void *empty; /* a slot that has seen nothing; NULL = zeros */
	/* Its columns, for -F and -s: text and JSON of a row. They name it as their `of`. */
	const struct key *cols;
	unsigned nr_cols;
	/* Whether it is counted though no column asks for it. */
	bool (*wanted)(const struct keys_opts *o);
	/* Whether all its columns stand behind those of shares, though nobody named them. */
	bool (*shown)(const struct keys_opts *o);
	const char *legend; /* what these columns are, as lines of comment; with @shown */
	bool needs_sample;  /* the record, which does not wait for others */
	bool per_leaf;	    /* counted per end of a chain; rows have the sums of theirs */
	bool per_entry;	    /* branch mode: each entry of the stack is added */
	bool of_row;	    /* add() looks at period, thread and mode alone: a rich row has them */
	bool is_share;	    /* columns show shares of the event's total, which is counted too */
	/* What the samples that come need; given to add(). */
	int (*start)(void **state, const struct acc_env *env);
	void (*stop)(void *state);
	/* 0 or -ENOMEM. */
	int (*add)(void *slot, const struct acc_in *in, void *state);
	/*
	 * What comes soon, most likely, so that memory can be asked for what add() will look at: of a location (or any
	 * number), and what a slot leads to. NULL = nothing.
	 */
	void (*expect)(uint32_t loc, const void *state);
	void (*soon)(const void *slot);
	int (*merge)(void *slot, const void *from, const struct acc_maps *maps);
	/* The opposite of merge. With it a row knows what it costs with callees; NULL = cannot. */
	void (*sub)(void *slot, const void *from);
	void (*drop)(void *slot);
	/* Of how many samples its columns are, NAME_samples in JSON: those that tell anything. NULL = not asked. */
	uint64_t (*told)(const void *slot);
	/* Members of a row's object that are no columns; NULL = none. */
	void (*json)(const struct keys_row *row, const void *slot, struct emit *e);
};

extern const struct acc keys_acc_latency, keys_acc_modes, keys_acc_weights, keys_acc_branches,
	keys_acc_notes, keys_acc_simd, keys_acc_numbers, keys_acc_mxcsr, keys_acc_idle,
	keys_acc_dirty, keys_acc_apx, keys_acc_shadow, keys_acc_values, keys_acc_threads;

/* Slots of keys_acc_simd, all zero at first. Shares are of nr, those of code and dirty of coded. */
struct simd_counts {
	uint64_t nr, live[SIMD_WIDTHS];	   /* samples whose vector state is known */
	uint64_t seen_256, seen_512;	   /* of these: recorded that wide, so that it would show */
	uint64_t coded, code[SIMD_WIDTHS]; /* of these: whose instruction is known */
	uint64_t dirty, coded_wide;	   /* live wider than code; of so many recorded wide */
	uint64_t high_nr, high;		   /* samples with registers 16-31; with a bit set there */
	uint64_t masked, masked_permille;  /* at masked instructions: lanes that are on */
	uint64_t filled, filled_permille;  /* with masks in k1-k7: how full they are */
	uint64_t lanes_on, lanes_all, mask_on, mask_all; /* the same as lanes, not as shares */
	const struct symbol *sym;			 /* the last one looked at */
	uint8_t func, widest_dirty;			 /* enum simd_width */
	bool func_known;
};

/* ---- marks: accumulators without rows (marks.c) ------------------------------------------------- */

/* What report's options --numbers, --idle-lanes, --dirty, --apx, --shadow-stack, --values and --simd count. */
enum keys_mark {
	KEYS_MARK_NUMBERS = 1,
	KEYS_MARK_IDLE = 2,
	KEYS_MARK_DIRTY = 4,
	KEYS_MARK_APX = 8,
	KEYS_MARK_SHADOW = 16,
	KEYS_MARK_VALUES = 32, /* of env.values */
	KEYS_MARK_SIMD = 64,
};

struct keys_marks;

/* @what: of enum keys_mark. What they count with is of one session, and one thread's; strings stay theirs. 0 or -ENOMEM. */
int keys_marks_new(struct keys_marks **m, unsigned what, const struct acc_env *env, struct err *e);
void keys_marks_free(struct keys_marks *m); /* NULL is fine; slots are dropped before */
unsigned keys_marks_what(const struct keys_marks *m);
uint64_t keys_marks_need(const struct keys_marks *m); /* PERF_SAMPLE_*, beside IP and TID */
/* A slot has so many bytes, aligned to 8, and may be moved. It is begun, counted in, dropped. */
size_t keys_marks_size(const struct keys_marks *m);
void keys_marks_begin(const struct keys_marks *m, void *slot);
int keys_marks_add(const struct keys_marks *m, void *slot, const struct sample *s,
		   struct thread *th); /* 0 or -ENOMEM */
int keys_marks_merge(const struct keys_marks *m, void *slot, const void *from,
		     const struct acc_maps *maps);
void keys_marks_drop(const struct keys_marks *m, void *slot);
/* What their columns are, as lines; an empty one is in front of each kind. */
void keys_marks_legend(const struct keys_marks *m, struct obuf *o);
/*
 * What it says, by the columns that report has. As text what is more than nothing ("Slow 100% Denormal 25% f32"), of values
 * those that report lists ("ax 0x40 91% 0x80 5%"); as an object all of them, null where nothing is known.
 */
void keys_marks_put(const struct keys_marks *m, const void *slot, struct obuf *o);
/* @told: and of how many samples they are. */
void keys_marks_emit(const struct keys_marks *m, const void *slot, const char *name, bool told,
		     struct emit *e);

/* All there are, in the order of the table; NULL behind the last. */
const struct acc *keys_acc_at(unsigned i);
/* NAME_samples of @slot, where there is such a number. */
void keys_acc_emit_told(const struct acc *acc, const void *slot, struct emit *e);
/* Its legend as lines, without what makes them comments. */
void keys_acc_legend(const struct acc *acc, struct obuf *o);

static inline uint32_t keys_acc_map(const uint32_t *map, uint32_t id)
{
	return map && id != UINT32_MAX ? map[id] : id;
}

/* Decoders for code of 32 and 64 bits, made when there is some. */
struct decoders {
	struct insn_decoder *dec[INSN_MODES];
	bool tried[INSN_MODES];
};

/* For the code of @dso; NULL, after a warning, when it cannot be decoded. */
struct insn_decoder *keys_decoder(struct decoders *d, struct resolver *res, enum regs_arch arch,
				  struct dso *dso);
void keys_decoders_free(struct decoders *d);

/* ---- columns: cols.c ------------------------------------------------------------------------- */

/* A table's keys, or those that a view shows of them. */
struct columns {
	const struct keys *ks;
	struct keys *maker; /* where keys of registers are made; NULL = a view's, looked up */
	const struct keys_opts *o;
	struct keys_col cols[MAX_KEYS], *out[MAX_KEYS], *order[MAX_KEYS];
	unsigned nr_cols, nr_out, nr_order;
	/* --hierarchy: columns by level; level n has those from level_at[n], out has the rest. */
	struct keys_col *level_cols[MAX_KEYS];
	unsigned nr_levels, level_at[MAX_KEYS + 1];
	bool latency_named; /* asked for: it is shown in any case */
	bool too_many;	    /* one had no room */
};

/* By the options: which keys there are, in which order they stand and sort. */
int keys_cols_choose(struct columns *cs, struct err *e);
/*
 * A filter for exactly one comm, dso or symbol takes the column away and says so in a line instead.
 */
void keys_cols_elide(struct columns *cs);
/* The list of -s when there is none. */
const char *keys_default_sort(const struct keys_opts *o);

/* ---- branches of a chain: acc-notes.c -------------------------------------------------------- */

#define NOTE_COND_FWD (1u << 28)
#define NOTE_COND_BWD (1u << 29)
#define NOTE_CROSS_4K (1u << 30)
#define NOTE_CROSS_2M (1u << 31)

struct hist_branch {
	struct branch_entry b;
	uint32_t iters; /* loops that were left out behind this entry */
	uint64_t iter_cycles;
};

struct step_at {
	uint64_t ip;
	const struct hist_branch *branch;
	uint8_t mode;
	bool to;
};

/* --branch-history: the branches of a sample as frames, innermost first. */
struct hist_frames {
	const struct step_at *f;
	size_t nr;
};

/*
 * opts.history: what the branches at a frame say, as " (COND_FWD predicted:50.0%)" where they
 * lead to, " (cycles:7 iter:2 avg_cycles:9)" where they come from, " (calltrace)" for none.
 */
void keys_note_print(const struct branch_note *n, struct obuf *o);
/* What the branch of one frame says, and what another note does. */
void keys_note_frame(struct branch_note *n, const struct step_at *f);
void keys_note_add(struct branch_note *sum, const struct branch_note *n);

/* ---- frames ---------------------------------------------------------------------------------- */

struct frame_info {
	const struct symbol *sym;
	const char *srcline; /* -g address, srcline; NULL = none */
	uint64_t ip;
	uint64_t order; /* address that orders siblings */
	uint32_t dso_name;
	uint32_t step; /* bare frames: the one that all of its kind are; ID_NONE = not yet */
	uint32_t dso;  /* idx + 1; 0 = none */
	uint8_t cpumode;
};

/* What a function's blocks of code say together. */
struct ipc {
	uint64_t insns, cycles;
	uint32_t covered, total; /* instructions: in a block, of the function */
};

/* What a frame is told apart by: the first number of its key. */
enum { FRAME_SYM = 1, FRAME_INLINE, FRAME_ADDR, FRAME_DSO_ADDR, FRAME_LINE, FRAME_RAW, FRAME_RICH };

/* What numbers stand for. Of one table: others have other numbers. */
struct keys {
	struct keys_opts o;
	struct machine *m;
	struct resolver *res;
	struct key_reader *reader; /* while samples come */
	struct intern names;
	uint32_t unknown; /* "[unknown]" */
	VEC(struct frame_info) frames;
	struct tuples daddrs; /* (address, text, level, width): see key-mem.c */
	struct reg_key reg_keys[MAX_REG_KEYS];
	unsigned nr_reg_keys;
	VEC(struct ipc) ipc;	   /* by symbol idx */
	struct time_slices slices; /* rich */
	struct arena text;
	bool dso_is_key, dsos_given;
	bool no_memory; /* a name or frame is not what it should be */
};

struct code_walk;

/* The sample at hand beyond its record, and what was looked at once. */
struct key_reader {
	uint32_t parallelism;	     /* threads that ran */
	uint32_t parent;	     /* names */
	struct thread *at_thread;    /* of the sample or frame whose place is looked for */
	struct obuf reg_text;	     /* being put together */
	VEC(uint32_t) comm_name;     /* comm id -> names */
	VEC(uint32_t) dso_name;	     /* dso idx -> names */
	VEC(int32_t) sockets;	     /* by CPU */
	struct code_walk *walk;	     /* code of functions, see key-code.c; NULL = not needed yet */
	struct trace_printer *trace; /* formats of tracepoints, once they were needed */
	struct tuples frame_keys;
	VEC(uint32_t) frame_at; /* by frame_keys id */
	struct htab bare_tab;	/* frames that are an address in an object (or in none), no more */
};

void keys_free(struct keys *ks);
void keys_reader_free(struct key_reader *r);

uint32_t keys_name_id(struct keys *ks, const char *s);
uint32_t keys_dso_name(struct keys *ks, const struct dso *dso);
uint32_t keys_comm_name(struct keys *ks, uint32_t comm);

uint32_t keys_frame_of_row(struct keys *ks, const struct place_in *in);
/* Asks for the memory that it looks at first, for an address at @ip of an object that is elsewhere in memory. */
void keys_addr_prefetch(const struct keys *ks, uint64_t ip);
uint32_t keys_frame_of_addr(struct keys *ks, const struct place_in *in);
/* What a call graph tells apart: by chain.key functions, addresses or source lines. */
uint32_t keys_frame_of_tree(struct keys *ks, const struct place_in *in);
/* In a rich table: by function alone, as the place tells the rest. */
uint32_t keys_frame_of_rich(struct keys *ks, const struct place_in *in);
/* The frame with this key, or that is nothing but an address: as @f when it is new. */
uint32_t keys_frame_id(struct keys *ks, const uint64_t key[4], const struct frame_info *f);
uint32_t keys_frame_bare(struct keys *ks, const struct frame_info *f);
/*
 * One that is nothing but an address and never came; it cannot be found before keys_frames_index(), for all from the first such frame
 * on: 0 or -ENOMEM.
 */
uint32_t keys_frame_push(struct keys *ks, const struct frame_info *f);
int keys_frames_index(struct keys *ks, size_t from);
/* An address without a symbol; ID_NONE: no memory, or (find) it never came. */
uint32_t keys_frame_of_bare(struct keys *ks, const struct place_in *in);
uint32_t keys_frame_find_bare(const struct keys *ks, uint32_t dso_name, uint64_t ip);
/* Addresses in a module count from its start, as upstream shows them. */
uint64_t keys_frame_shown(const struct keys *ks, const struct loc *l);
/* Ask for the memory that keys_frame_find_bare() looks at first and (later) next; ks->unknown: in no object. */
void keys_bare_prefetch(const struct keys *ks, uint32_t dso_name, uint64_t ip);
void keys_bare_prefetch_next(const struct keys *ks, uint32_t dso_name, uint64_t ip);

#endif
