/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys: what rows are told apart by, and what is said of them. Inside room profile; nothing here
 * knows rows, chains or views beyond the one row whose text is asked for.
 *
 * A key is a const struct. It makes a number of a sample (or of a location), compares two numbers,
 * and writes one as text. What the numbers stand for is in a struct keys: names, frames, data
 * addresses, all only ever added to. What finds the number of what came before is in a struct
 * key_reader, which lasts as long as samples come.
 *
 *	frame	what a call graph shows in one line: a symbol, or an address without one
 */
#ifndef PERF_PROFILE_KEYS_INT_H
#define PERF_PROFILE_KEYS_INT_H

#include <stdlib.h>

#include "acc.h"
#include "profile/profile.h"
#include "simd.h"

struct keys;
struct slots;
struct sum;

#define MAX_KEYS    32
#define MAX_INLINES 64 /* frames of one address */
#define ID_NONE	    UINT32_MAX

/* ---- tuples ---------------------------------------------------------------------------------- */

/* Interned arrays of @width numbers: equal arrays get equal, dense ids. */
struct tuples {
	unsigned width;
	VEC(uint64_t) v;
	struct htab tab;
	uint32_t n;
};

uint32_t prof_tuple_id(struct tuples *t, const uint64_t *vals); /* ID_NONE: no memory */
/* The same for values that never came and are never looked for. */
uint32_t prof_tuple_push(struct tuples *t, const uint64_t *vals);
void prof_tuples_free(struct tuples *t);

static inline const uint64_t *prof_tuple_get(const struct tuples *t, uint32_t id)
{
	return t->v.v + (size_t)id * t->width;
}

/* ---- keys ------------------------------------------------------------------------------------ */

enum key_at { KEY_SAMPLE, KEY_PLACE, KEY_FROM, KEY_TO, KEY_BITS, KEY_STAT };
/* What a value is: a number as it was sampled, or the keys' own for something. */
enum key_value { VALUE_NUMBER, VALUE_NAME, VALUE_FRAME, VALUE_DADDR };

struct key;
struct profile_col {
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
	void (*text)(const struct keys *ks, const struct profile_row *row, uint64_t v,
		     struct obuf *o);
	/* KEY_STAT: of the row itself, or of what the accumulator has for it. */
	uint64_t (*stat)(const struct profile_row *row, const void *slot);
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
	uint64_t mask;					  /* of the sample's value; 0 = all */
};

/* All keys, in the order of the table; NULL behind the last. */
const struct key *prof_key_at(size_t i);
char prof_cpumode_char(uint8_t cpumode);

#define NAME_ROOM 1024 /* more than opts.max_name can be */
/* A function's name, as long as it may be. */
void prof_put_name(const struct keys *ks, const struct symbol *sym, struct obuf *o);
int prof_name_width(const struct keys *ks, const struct symbol *sym);

/* key-reg.c: keys that name a register. */
#define MAX_REG_KEYS 4

struct reg_key {
	struct key key;
	char name[64]; /* "reg:zmm3.f64[0]" */
	bool gpr, pred;
	unsigned reg;
	enum regs_lane lane;
	int index; /* lane; -1 = all */
};

/* @text: "reg:..." of @len bytes. */
const struct key *prof_reg_key_find(const struct keys *ks, const char *text, size_t len);
int prof_reg_key(struct keys *ks, const char *text, size_t len, const struct key **key,
		 struct err *e);

/* key-branch.c */
void prof_text_mispredict(const struct keys *ks, const struct profile_row *r, uint64_t v,
			  struct obuf *o);
void prof_text_in_tx(const struct keys *ks, const struct profile_row *r, uint64_t v,
		     struct obuf *o);
void prof_text_abort(const struct keys *ks, const struct profile_row *r, uint64_t v,
		     struct obuf *o);
void prof_text_cycles(const struct keys *ks, const struct profile_row *r, uint64_t v,
		      struct obuf *o);
void prof_text_type(const struct keys *ks, const struct profile_row *r, uint64_t v, struct obuf *o);

void prof_text_ipc(const struct keys *ks, const void *slot, struct obuf *o);

/* key-simd.c */
uint64_t prof_get_simd_width(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t prof_get_simd_upper(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t prof_get_opmask(struct keys *ks, const struct sample *s, struct thread *th);
void prof_text_simd_width(const struct keys *ks, const struct profile_row *r, uint64_t v,
			  struct obuf *o);
void prof_text_simd_upper(const struct keys *ks, const struct profile_row *r, uint64_t v,
			  struct obuf *o);
void prof_text_opmask(const struct keys *ks, const struct profile_row *r, uint64_t v,
		      struct obuf *o);

/* key-file.c */
uint64_t prof_get_trace(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t prof_get_socket(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t prof_get_cgroup_id(struct keys *ks, const struct sample *s, struct thread *th);
void prof_text_socket(const struct keys *ks, const struct profile_row *r, uint64_t v,
		      struct obuf *o);

uint64_t prof_get_comm_nodigit(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t prof_place_dso_size(struct keys *ks, const struct place_in *in);
uint64_t prof_place_srcline(struct keys *ks, const struct place_in *in);
uint64_t prof_place_srcfile(struct keys *ks, const struct place_in *in);

/* key-mem.c */
uint64_t prof_get_symbol_daddr(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t prof_get_dso_daddr(struct keys *ks, const struct sample *s, struct thread *th);
uint64_t prof_get_dcacheline(struct keys *ks, const struct sample *s, struct thread *th);
int prof_width_daddr(const struct keys *ks, uint64_t v);
int prof_width_dso_daddr(const struct keys *ks, uint64_t v);
int prof_cmp_daddr(const struct keys *ks, uint64_t a, uint64_t b);
int prof_cmp_dcacheline(const struct keys *ks, uint64_t a, uint64_t b);
#define KEY_TEXT(name)                                                                        \
	void prof_text_##name(const struct keys *ks, const struct profile_row *r, uint64_t v, \
			      struct obuf *o)
KEY_TEXT(daddr);
KEY_TEXT(phys);
KEY_TEXT(level);
KEY_TEXT(snoop);
KEY_TEXT(tlb);
KEY_TEXT(locked);
KEY_TEXT(blocked);
KEY_TEXT(sum);
KEY_TEXT(transaction);
int prof_width_transaction(const struct keys *ks, uint64_t v);

static inline uint64_t prof_weight(const struct sample *s)
{
	return s->present & PERF_SAMPLE_WEIGHT_STRUCT ? s->weight_var1 : s->weight;
}

/* ---- columns: cols.c ------------------------------------------------------------------------- */

/* A table's keys, or those that a view shows of them. */
struct columns {
	const struct keys *ks;
	struct keys *maker; /* where keys of registers are made; NULL = a view's, looked up */
	const struct profile_opts *o;
	struct profile_col cols[MAX_KEYS], *out[MAX_KEYS], *order[MAX_KEYS];
	unsigned nr_cols, nr_out, nr_order;
	/* --hierarchy: columns by level; level n has those from level_at[n], out has the rest. */
	struct profile_col *level_cols[MAX_KEYS];
	unsigned nr_levels, level_at[MAX_KEYS + 1];
	bool latency_named; /* asked for: it is shown in any case */
};

/* By the options: which keys there are, in which order they stand and sort. */
int prof_cols_choose(struct columns *cs, struct err *e);
/*
 * A filter for exactly one comm, dso or symbol takes the column away and says so in a line instead.
 */
void prof_cols_elide(struct columns *cs);
/* The list of -s when there is none. */
const char *prof_default_sort(const struct profile_opts *o);

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

/* What the branch of one frame says, and what another note does. */
void prof_note_frame(struct branch_note *n, const struct step_at *f);
void prof_note_add(struct branch_note *sum, const struct branch_note *n);

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
enum { FRAME_SYM = 1, FRAME_INLINE, FRAME_ADDR, FRAME_DSO_ADDR, FRAME_LINE, FRAME_RAW };

/* What numbers stand for. Of one table: others have other numbers. */
struct keys {
	struct profile_opts o;
	struct machine *m;
	struct resolver *res;
	struct key_reader *reader; /* while samples come */
	struct intern names;
	uint32_t unknown; /* "[unknown]" */
	VEC(struct frame_info) frames;
	struct tuples daddrs; /* (address, text, level, width): see key-mem.c */
	struct reg_key reg_keys[MAX_REG_KEYS];
	unsigned nr_reg_keys;
	VEC(struct ipc) ipc; /* by symbol idx */
	struct arena text;
	bool dso_is_key, dsos_given;
};

/* The sample at hand beyond its record, and what was looked at once. */
struct key_reader {
	uint32_t parallelism;	  /* threads that ran */
	uint32_t parent;	  /* names */
	struct thread *at_thread; /* of the sample or frame whose place is looked for */
	struct obuf reg_text;	  /* being put together */
	VEC(uint32_t) comm_name;  /* comm id -> names */
	VEC(uint32_t) dso_name;	  /* dso idx -> names */
	VEC(int32_t) sockets;	  /* by CPU */
	struct trace *trace;	  /* formats of tracepoints, once they were needed */
	struct tuples frame_keys;
	VEC(uint32_t) frame_at; /* by frame_keys id */
	struct htab bare_tab;	/* frames that are an address in an object (or in none), no more */
};

void prof_keys_free(struct keys *ks);
void prof_key_reader_free(struct key_reader *r);

uint32_t prof_name_id(struct keys *ks, const char *s);
uint32_t prof_dso_name(struct keys *ks, const struct dso *dso);
uint32_t prof_comm_name(struct keys *ks, uint32_t comm);

uint32_t prof_frame_of_row(struct keys *ks, const struct place_in *in);
uint32_t prof_frame_of_addr(struct keys *ks, const struct place_in *in);
/* What a call graph tells apart: by chain.key functions, addresses or source lines. */
uint32_t prof_frame_of_tree(struct keys *ks, const struct place_in *in);
/* The frame with this key, or that is nothing but an address: as @f when it is new. */
uint32_t prof_frame_id(struct keys *ks, const uint64_t key[4], const struct frame_info *f);
uint32_t prof_frame_bare(struct keys *ks, const struct frame_info *f);
/* An address without a symbol; ID_NONE: no memory, or (find) it never came. */
uint32_t prof_frame_of_bare(struct keys *ks, const struct place_in *in);
uint32_t prof_frame_find_bare(const struct keys *ks, uint32_t dso_name, uint64_t ip);
/* Addresses in a module count from its start, as upstream shows them. */
uint64_t prof_frame_shown(const struct keys *ks, const struct loc *l);
/* Ask for the memory that a search for a bare frame in no object looks at first and (later) next. */
void prof_unmapped_prefetch(const struct keys *ks, uint64_t ip);
void prof_unmapped_prefetch_next(const struct keys *ks, uint64_t ip);

#endif
