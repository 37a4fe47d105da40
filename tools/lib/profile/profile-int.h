/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of room profile.
 *
 *	group	tuple (event, values of the keys that belong to the sample): comm, pid, cpu ...
 *	place	tuple (values of the keys that belong to a location): dso, symbol, srcline ...
 *	row	(group, place), in branch mode (group, from place, to place, flag bits)
 *	frame	what a call graph shows in one line: a symbol, or an address without one
 *	step	(frame, place): what one frame of a chain is to the tree and to the rows
 *	node	(parent node, step): call chains as a trie, outermost frame first, one per group
 *	leaf	(node, row): samples of this row whose chain ends here
 */
#ifndef PERF_PROFILE_INT_H
#define PERF_PROFILE_INT_H

#include <stdlib.h>

#include "profile/brflow.h"
#include "acc.h"
#include "chain.h"
#include "profile/profile.h"
#include "simd.h"
#include "sums.h"

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
	bool branch;   /* branch mode only */
	bool right;    /* head aligned right */
	bool pads;     /* padded even in the last column */
	uint64_t need; /* PERF_SAMPLE_* */
	uint32_t bits; /* KEY_BITS: of the packed flags */
	int min_width;
	uint64_t (*sample)(struct profile *p, const struct sample *s, struct thread *th);
	uint64_t (*place)(struct profile *p, const struct place_in *in);
	int (*place_width)(struct profile *p, const struct place_in *in, uint64_t v);
	int (*value_width)(const struct profile *p, uint64_t v);      /* KEY_SAMPLE */
	int (*cmp)(const struct profile *p, uint64_t a, uint64_t b);  /* order of equals */
	int (*sort)(const struct profile *p, uint64_t a, uint64_t b); /* NULL = cmp */
	/* True for values with an address alone: `cmp` goes by it, to `sort` they are equal. */
	bool (*unnamed)(const struct profile *p, uint64_t v, uint64_t *ip);
	void (*text)(const struct profile *p, const struct profile_row *row, uint64_t v,
		     struct obuf *o);
	/* KEY_STAT: of the row itself, or of what the accumulator has for it. */
	uint64_t (*stat)(const struct profile_row *row, const void *slot);
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
void prof_put_name(const struct profile *p, const struct symbol *sym, struct obuf *o);
int prof_name_width(const struct profile *p, const struct symbol *sym);

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
const struct key *prof_reg_key_find(const struct profile *p, const char *text, size_t len);
int prof_reg_key(struct profile *p, const char *text, size_t len, const struct key **key,
		 struct err *e);

/* key-branch.c */
void prof_text_mispredict(const struct profile *p, const struct profile_row *r, uint64_t v,
			  struct obuf *o);
void prof_text_in_tx(const struct profile *p, const struct profile_row *r, uint64_t v,
		     struct obuf *o);
void prof_text_abort(const struct profile *p, const struct profile_row *r, uint64_t v,
		     struct obuf *o);
void prof_text_cycles(const struct profile *p, const struct profile_row *r, uint64_t v,
		      struct obuf *o);
void prof_text_type(const struct profile *p, const struct profile_row *r, uint64_t v,
		    struct obuf *o);

/* key-simd.c */
uint64_t prof_get_simd_width(struct profile *p, const struct sample *s, struct thread *th);
uint64_t prof_get_simd_upper(struct profile *p, const struct sample *s, struct thread *th);
uint64_t prof_get_opmask(struct profile *p, const struct sample *s, struct thread *th);
void prof_text_simd_width(const struct profile *p, const struct profile_row *r, uint64_t v,
			  struct obuf *o);
void prof_text_simd_upper(const struct profile *p, const struct profile_row *r, uint64_t v,
			  struct obuf *o);
void prof_text_opmask(const struct profile *p, const struct profile_row *r, uint64_t v,
		      struct obuf *o);

/* key-file.c */
uint64_t prof_get_trace(struct profile *p, const struct sample *s, struct thread *th);
uint64_t prof_get_socket(struct profile *p, const struct sample *s, struct thread *th);
uint64_t prof_get_cgroup_id(struct profile *p, const struct sample *s, struct thread *th);
void prof_text_socket(const struct profile *p, const struct profile_row *r, uint64_t v,
		      struct obuf *o);

uint64_t prof_get_comm_nodigit(struct profile *p, const struct sample *s, struct thread *th);
uint64_t prof_place_dso_size(struct profile *p, const struct place_in *in);
uint64_t prof_place_srcline(struct profile *p, const struct place_in *in);
uint64_t prof_place_srcfile(struct profile *p, const struct place_in *in);

/* key-mem.c */
uint64_t prof_get_symbol_daddr(struct profile *p, const struct sample *s, struct thread *th);
uint64_t prof_get_dso_daddr(struct profile *p, const struct sample *s, struct thread *th);
uint64_t prof_get_dcacheline(struct profile *p, const struct sample *s, struct thread *th);
int prof_width_daddr(const struct profile *p, uint64_t v);
int prof_width_dso_daddr(const struct profile *p, uint64_t v);
int prof_cmp_daddr(const struct profile *p, uint64_t a, uint64_t b);
int prof_cmp_dcacheline(const struct profile *p, uint64_t a, uint64_t b);
#define KEY_TEXT(name)                                                                          \
	void prof_text_##name(const struct profile *p, const struct profile_row *r, uint64_t v, \
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
int prof_width_transaction(const struct profile *p, uint64_t v);

static inline uint64_t prof_weight(const struct sample *s)
{
	return s->present & PERF_SAMPLE_WEIGHT_STRUCT ? s->weight_var1 : s->weight;
}

/* A table's keys, or those that a view shows of them. */
struct columns {
	const struct profile *p;
	struct profile *maker; /* where keys of registers are made; NULL = a view's, looked up */
	const struct profile_opts *o;
	struct profile_col cols[MAX_KEYS], *out[MAX_KEYS], *order[MAX_KEYS];
	unsigned nr_cols, nr_out, nr_order;
	/* --hierarchy: columns by level; level n has those from level_at[n], out has the rest. */
	struct profile_col *level_cols[MAX_KEYS];
	unsigned nr_levels, level_at[MAX_KEYS + 1];
	bool latency_named; /* asked for: it is shown in any case */
};

/* cols.c: the keys that a table counts by. */
int prof_cols_setup(struct profile *p, struct err *e);

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

struct step {
	uint32_t frame, place;
};

/* What a function's blocks of code say together. */
struct ipc {
	uint64_t insns, cycles;
	uint32_t covered, total; /* instructions: in a block, of the function */
};

struct event_rows {
	struct profile_totals totals;
	uint32_t leader, members; /* members: 0 = alone */
};

struct profile {
	struct profile_opts o;
	struct machine *m;
	struct resolver *res;
	struct feed *feed; /* until profile_finish() */
	uint64_t need;

	struct columns c;
	struct profile_col *group_cols[MAX_KEYS], *place_cols[MAX_KEYS], *place2_cols[MAX_KEYS];
	unsigned nr_group, nr_place, nr_place2;
	uint32_t bit_mask;
	bool dso_is_key, sym_is_key;
	bool map_is_key; /* maps must be as they are now: samples cannot wait */
	bool one_step;	 /* bare frames have one place and so one step each */

	struct tuples groups, places, places2;
	struct tuples daddrs;			 /* (address, text, level, width): see key-mem.c */
	VEC(uint16_t) place_width, place2_width; /* per tuple and key */

	struct reg_key reg_keys[MAX_REG_KEYS];
	unsigned nr_reg_keys;

	struct intern names;
	uint32_t unknown; /* "[unknown]" */
	VEC(struct frame_info) frames;
	VEC(struct step) steps;
	bool ip_is_key;	 /* raw addresses are part of a place or frame */
	bool ip_unnamed; /* they are where there is no symbol */

	VEC(struct profile_row) rows;
	struct htab row_tab;
	struct sums sums; /* what rows count beside samples and period */
	bool parallel;	  /* it was more than 1 */
	VEC(struct event_rows) events;
	VEC(struct profile_row) members; /* by row and member - 1: numbers of the other events */
	uint32_t max_members;
	struct chains ch;

	struct branch_totals branch;
	struct brflow *flow; /* key ipc_lbr; else NULL */
	VEC(struct ipc) ipc; /* by symbol idx */

	bool dsos_given;
	struct arena text;
	bool by_symbol; /* no place key looks below symbols */
};

#include "feed-int.h"

/* A sample to the accumulators. */
static inline struct acc_in prof_acc_in(const struct profile *p, const struct sample *s,
					struct thread *th)
{
	return (struct acc_in){ .s = s,
				.th = th,
				.period = s->period,
				.times = 1,
				.parallelism = p->feed->parallelism };
}

uint32_t prof_name_id(struct profile *p, const char *s);
uint32_t prof_dso_name(struct profile *p, const struct dso *dso);
uint32_t prof_comm_name(struct profile *p, uint32_t comm);

/* frame.c */
uint32_t prof_frame_of_row(struct profile *p, const struct place_in *in);
uint32_t prof_frame_of_addr(struct profile *p, const struct place_in *in);
/* The place of a sample at @loc, or of a branch's ends. */
uint32_t prof_place_of_loc(struct profile *p, uint32_t loc, uint64_t ip, bool second);
/* The step of one frame of a chain; @sym: an inlined function's symbol or the location's. */
uint32_t prof_step_of(struct profile *p, uint32_t loc, uint64_t ip, const struct symbol *sym);
/* The step of an address in no map (one_step). */
uint32_t prof_step_unmapped(struct profile *p, uint64_t ip, uint8_t cpumode);
/* The place of a sample there. */
uint32_t prof_place_unmapped(struct profile *p, uint64_t ip, uint8_t cpumode);
/* Ask for the memory that prof_step_unmapped() looks at first and (later) next. */
void prof_unmapped_prefetch(const struct profile *p, uint64_t ip);
void prof_unmapped_prefetch_next(const struct profile *p, uint64_t ip);
/* All steps of a location, outermost first: several when functions are inlined there. */
int prof_steps_of(struct profile *p, uint32_t loc, uint64_t ip, const uint32_t **steps,
		  uint32_t *nr);

static inline uint32_t prof_step_frame(const struct profile *p, uint32_t step)
{
	return p->steps.v[step].frame;
}

static inline uint32_t prof_step_place(const struct profile *p, uint32_t step)
{
	return p->steps.v[step].place;
}

/* rows.c */
uint32_t prof_group_of(struct profile *p, const struct sample *s, struct thread *th);
/* Ask for the memory that prof_row_of() looks at first and (later) next. */
void prof_row_prefetch(const struct profile *p, uint32_t group, uint32_t place);
void prof_row_prefetch_next(const struct profile *p, uint32_t group, uint32_t place);
struct profile_row *prof_row_of(struct profile *p, uint32_t group, uint32_t place, uint32_t place2,
				uint32_t bits);
/* Makes the table of prof_row_of() anew: callers' rows are put behind the others without it. */
int prof_rows_index(struct profile *p);
/* The row of a sample; the first one leaves its marks on it. */
struct profile_row *prof_row_own(struct profile *p, uint32_t group, uint32_t place, uint32_t thread,
				 uint8_t cpumode, uint32_t first_node);
static inline void prof_row_count(struct profile_row *row, uint64_t period, uint32_t n)
{
	row->period += period;
	row->acc += period;
	row->nr += n;
}

/* Moves the numbers of member events to the leaders' rows. */
int prof_rows_group(struct profile *p);
/* Where the numbers of the other events begin, of a row with members. */
struct profile_row *prof_members_of(const struct profile *p, uint32_t row);
struct event_rows *prof_event_rows(struct profile *p, uint32_t event);

/* parent.c */
int prof_parent_setup(struct profile *p, struct err *e);
/* Name of the frame that matches, 0 = none. */
uint32_t prof_parent_of(struct profile *p, const struct sample *s, struct thread *th);
/* Whether --ignore-callees names the function at @loc. */
bool prof_ignores_at(struct profile *p, uint32_t loc);
/* @s or, until the next call, a copy at another address with a shorter chain. NULL: no memory. */
const struct sample *prof_ignore_callees(struct profile *p, const struct sample *s,
					 struct thread *th);
void prof_parent_free(struct profile *p);

/* filter.c */
int prof_filter_setup(struct profile *p, struct err *e);
/* What the sample alone tells: its CPU's package, how many threads run. */
bool prof_filter_sample(const struct profile *p, const struct sample *s);
bool prof_filter_pass(struct profile *p, struct thread *th, uint32_t loc, uint64_t ip);
void prof_filter_free(struct profile *p);

/* queue.c */
/* Makes the queue if there can be one. */
int prof_queue_init(struct profile *p);
int prof_queue_add(struct profile *p, const struct sample *s, struct thread *th);
/* Counts what waits. 0 or -ENOMEM. */
int prof_queue_finish(struct profile *p);
void prof_queue_free(struct profile *p);

/* ipc.c */
int prof_ipc_init(struct profile *p, struct err *e);
int prof_ipc_finish(struct profile *p);
void prof_ipc_free(struct profile *p);
void prof_text_ipc(const struct profile *p, const struct profile_row *r, uint64_t v,
		   struct obuf *o);

/* branch.c */
int prof_branch_init(struct profile *p);
int prof_branch_add(struct profile *p, const struct sample *s, struct thread *th, uint32_t group);
void prof_branch_flush(struct profile *p);
void prof_branch_free(struct profile *p);

#endif
