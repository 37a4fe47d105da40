/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table: samples in, rows and call chains out, by number.
 *
 * A row is what is equal in all keys. Every key is a number (a comm, a symbol, a cpu ...): a sample
 * costs a few look-ups, and memory follows the number of distinct rows and distinct call chains.
 * Nothing here has an order, a percentage or a text: that is a view's (room view), and there can be
 * many views of one table.
 *
 *	group	tuple (event, values of the keys that belong to the sample): comm, pid, cpu ...
 *	place	tuple (values of the keys that belong to a location): dso, symbol, srcline ...
 *	row	(group, place), in branch mode (group, from place, to place, flag bits)
 *	frame	see keys-int.h
 *	step	(frame, place): what one frame of a chain is to the tree and to the rows
 *	node	(parent node, step): call chains as a trie, outermost frame first, one per group
 *	leaf	(node, row): samples of this row whose chain ends here
 *
 *	table_new(&t, &opts, m, res, u, &err);
 *	for each sample:	table_add(t, &s, th, &err);
 *	for each other record:	machine_record(m, &rec, &err);
 *	table_finish(t, &err);
 *
 * Pieces of a recording may have tables of their own: table_merge() adds them up, and what comes out
 * is the table of the whole.
 *
 * Branch mode (opts.branch): one row entry per branch stack entry, weight 1 each.
 *
 * Memory: everything handed out belongs to the table. Errors: 0/-errno and struct err. One thread
 * per table until table_finish(); after it nothing changes.
 */
#ifndef PERF_TABLE_H
#define PERF_TABLE_H

#include "brflow/brflow.h"
#include "keys/keys.h"
#include "unwind/unwind.h"

struct table;

/* @u may be NULL when no sample needs unwinding. -EINVAL for an unknown sort key. */
int table_new(struct table **t, const struct keys_opts *opts, struct machine *m,
	      struct resolver *res, struct unwind *u, struct err *e);
void table_free(struct table *t);

/* PERF_SAMPLE_* fields that table_add() looks at, for sample_parse_some(). */
uint64_t table_need(const struct table *t);
int table_add(struct table *t, const struct sample *s, struct thread *th, struct err *e);
/* Whether table_expect() is of use; that a sample at @ip may come, TABLE_EXPECT behind the next one. */
#define TABLE_EXPECT 6
bool table_expects(const struct table *t);
/* Whether rows are told apart by where samples are: by object, symbol, line, address. */
bool table_has_places(const struct table *t);
void table_expect(struct table *t, uint64_t ip);
/*
 * How many threads run while the samples that follow are taken; 1 until told. Latency is a
 * sample's period divided by that.
 */
void table_set_parallelism(struct table *t, uint32_t n);
/*
 * Before table_finish(): the events @leader .. @leader + @members - 1 are columns of one table,
 * the leader's. Events are known to the caller, who may have read them late (pipes).
 */
int table_set_group(struct table *t, uint32_t leader, uint32_t members);
/*
 * From the numbers of one table's machine, resolver and recording to those of another's; NULL
 * lists: they are shared, as by tables of pieces of one recording.
 */
struct table_maps {
	const uint32_t *thread, *symbol, *event, *dso, *loc; /* by number there */
	struct dso *const *objects;			     /* by number of an object there */
	const uint64_t *cgroup;				     /* of struct session_maps */
};

/*
 * The same between two tables whose machines and resolvers are two, of the same or of other
 * recordings, once all records were read. Events are those that perfdata_join_events() found, where
 * opts.pd is known. What @to's machine and resolver do not have they get. @locs: the caller uses .loc itself; else it
 * is NULL where table_merge() needs none.
 */
int table_maps_new(struct table_maps **maps, struct table *to, struct table *from, bool locs,
		   struct err *e);
void table_maps_free(struct table_maps *maps);

/*
 * Before table_finish() of either: all that @from has counted, to @to. If @from had the samples
 * that came behind those of @to then the result is that of one table which had them all. Both
 * have the same options (else -EINVAL). @from is to be freed then; what it has been given (machine,
 * resolver) must outlive @to where it is shared, and may go too where maps lead to @to's.
 */
int table_merge(struct table *to, struct table *from, const struct table_maps *maps, struct err *e);
/*
 * Samples that wait for others, to be counted together, go to their rows. What merges or ends a table does so, too; who
 * filled it can do it sooner, side by side with those who fill others. 0 or -ENOMEM.
 */
int table_flush(struct table *t);
/*
 * Tables that threads fill with branches of one recording, one behind the other: rows are looked for when all records were
 * read, by all tables together, where that changes nothing. table_resolve_later() for each table before its first
 * sample, then table_resolve_shared() for all of them before anything else is done with one, by one thread.
 */
void table_resolve_later(struct table *t);
int table_resolve_shared(struct table *const *t, size_t n, struct err *e);
/* No more samples: sums, and what callees cost. */
int table_finish(struct table *t, struct err *e);

/* ---- tables of a table ------------------------------------------------------------------------ */

/*
 * Questions that were no options when the recording was read. A table with opts.rich counts by all
 * that other keys are made of: threads and their names, CPUs, slices of time, locations. It has no views
 * itself. After table_finish() tables like any other are derived from it as often as wanted: its rows
 * added up again by other keys, without the samples and frames that a list of operations leaves out.
 *
 *	const struct table_op focus = { .kind = TABLE_FOCUS, .name = "malloc" };
 *	const struct table_ask ask = { .opts = &o, .ops = &focus, .nr_ops = 1 };
 *
 *	table_derive(&t, rich, &ask, &err);
 *	view_new(&v, t, NULL, NULL, &err);
 *
 * With the options of a reading and no operation it is the table that such a reading makes. What
 * opts.filter leaves out counts in totals, and so does what operations leave out; what passed is
 * in the filtered ones. So opts.relative shows shares of what is shown, else of all there is.
 */
enum table_op_kind {
	/* samples; of branches: by their targets */
	TABLE_COMM,    /* of threads of this name */
	TABLE_PROCESS, /* .num: its pid */
	TABLE_THREAD,  /* .num: its tid */
	TABLE_CPU,     /* .num */
	TABLE_SOCKET,  /* .num; with opts.pd */
	TABLE_MODE,    /* .num: PERF_RECORD_MISC_KERNEL ... */
	TABLE_DSO,     /* in this object */
	TABLE_SYMBOL,  /* in this function */
	TABLE_TIME,    /* in slices that begin from .from on, before .to */
	/* chains; a sample without one is a chain of its own address */
	TABLE_FOCUS,	   /* that pass this function; .cut: which part of them is left */
	TABLE_HIDE_SYMBOL, /* without its frames: what it cost is its callers' */
	TABLE_HIDE_DSO,
	TABLE_MERGE_DSO, /* its frames in a row are one, "[name]" */
	TABLE_RECURSION, /* a function that calls itself is one frame; .num = 1: through others, too */
	NR_TABLE_OPS,
};

enum table_match { TABLE_EXACT, TABLE_PART, TABLE_REGEX };
enum table_cut { TABLE_WHOLE, TABLE_BELOW, TABLE_ABOVE };

struct table_op {
	enum table_op_kind kind;
	enum table_match match; /* how .name is meant */
	bool not ;		/* of samples, and TABLE_FOCUS: those that do not, are left */
	/*
	 * TABLE_BELOW: what the function calls; it is the outermost frame. TABLE_ABOVE: what calls it;
	 * it is the innermost, and the samples are counted as its own. Of a recursive one: the
	 * outermost call.
	 */
	enum table_cut cut;
	const char *name; /* of the thread, object (short) or function */
	const char *dso;  /* of a function: in the object of this short name; NULL = in any */
	int64_t num;
	uint64_t from, to; /* ns */
};

struct table_ask {
	const struct keys_opts *opts; /* NULL = as the rich table was asked at reading */
	const struct table_op *ops;   /* one after the other */
	unsigned nr_ops;
};

/*
 * @rich: after table_finish(); it has to outlive *t. -EINVAL for a key that was not counted: those
 * of threads, CPUs, time and places always are, any other if the options at reading named it.
 */
int table_derive(struct table **t, const struct table *rich, const struct table_ask *ask,
		 struct err *e);

/*
 * The same while the rich table still gets its samples, so that little is left to do at the end: each
 * table_derive_more() makes rows and chains of what came since the one before, and
 * table_derive_end(), after the rich table's table_finish(), counts. *d is NULL where that cannot be:
 * keys of time, and options that look at whole chains, need the end. table_derive_end() frees @d,
 * however it goes.
 */
struct derive;

int table_derive_ahead(struct derive **d, const struct table *rich, const struct keys_opts *opts,
		       struct err *e);
int table_derive_more(struct derive *d, struct err *e);
int table_derive_end(struct table **t, struct derive *d, struct err *e);
void table_derive_drop(struct derive *d); /* NULL does nothing */

/*
 * Time as a rich table has it, and so all tables that are derived from it: slices of equal length,
 * 0 where samples have no times.
 */
struct table_time {
	uint64_t start, width; /* ns */
	uint32_t nr;
};

struct table_count {
	uint64_t nr, period;
};

struct table_time table_time(const struct table *t);
/* Of a derived table: what passed of @event, by slice; NULL = no times. */
const struct table_count *table_over_time(const struct table *t, uint32_t event);
/*
 * Samples of a derived table by where they end, in the order of the rich one, which tells apart more
 * than this one: some come in parts. Ends when @fn returns other than 0, with that.
 */
struct table_end {
	const char *comm;
	uint32_t comm_id;   /* equal for equal names */
	uint32_t node, row; /* node: ID_NONE = no chain */
	struct table_count samples;
};

int table_each_end(const struct table *t, int (*fn)(void *ctx, const struct table_end *end),
		   void *ctx);

/* ---- results --------------------------------------------------------------------------------- */

struct table_totals {
	uint64_t nr_samples, period; /* all; in branch mode period counts entries */
	uint64_t nr_filtered_samples, filtered_period; /* what passed the filters */
};

/* @event: perfdata_event idx. */
const struct table_totals *table_totals(const struct table *t, uint32_t event);
/* Number of events in @event's table; 0 when it is shown in its leader's. */
uint32_t table_members(const struct table *t, uint32_t event);

uint32_t table_row_event(const struct table *t, const struct keys_row *row);

struct branch_totals {
	uint64_t type[16], new_type[16];
	uint64_t cond_fwd, cond_bwd, cross_4k, cross_2m;
	uint64_t entries, typed;
};

/* Zeros outside branch mode. */
const struct branch_totals *table_branch_totals(const struct table *t);

/* ---- what a view reads ------------------------------------------------------------------------ */

/*
 * The rest is for room view, which looks at every row and node of a finished table: functions would
 * cost more than what they hide. Nobody else reads members of struct table.
 */

struct leaf {
	uint64_t period;
	uint32_t count;
	uint32_t node, row, place;
	uint32_t next; /* of the same node */
};

#define NODE_ROOT 0x80000000u /* parent of a chain's outermost frame: NODE_ROOT | group */

struct node {
	uint32_t parent;
	union {
		uint32_t step;
		uint32_t frame; /* at the end, of that step */
	};
	union {
		uint32_t thread; /* idx of the first that came here */
		uint32_t row;	 /* at the end, of its callers */
	};
	union {
		uint32_t leaf; /* the first of those that end here; ID_NONE = none */
		uint32_t up;   /* at the end: nearest node above with the same row, or ID_NONE */
	};
};

/* What the end needs per node. */
struct node_end {
	uint64_t total; /* samples that pass through here */
	uint32_t count;
	uint32_t child, next; /* first child, next sibling */
	uint16_t depth, height;
};

struct note_list {
	struct branch_note *v;
	uint32_t nr;
};

struct chains {
	VEC(struct node) nodes;
	struct htab node_tab;
	VEC(struct leaf) leafs;
	VEC(struct note_list) notes; /* by leaf, a note per frame, outermost first */

	/* after finish */
	struct node_end *end;
	uint32_t *root; /* by group: first child */
};

/*
 * The slots of the accumulators that are wanted: arrays by row, by end of a chain, by event. They grow
 * when a slot is written; a slot beyond the end reads as empty.
 */
#define MAX_SUMS 16 /* all that there are have room: unit/test-table */

struct slots {
	unsigned char *v;
	size_t n, cap;
	size_t size;	   /* of each */
	const void *empty; /* what there is beyond the end */
};

struct sum {
	const struct acc *acc;
	void *state;	      /* of acc->start(), while samples come */
	struct slots row;     /* a row's own */
	struct slots callees; /* acc->sub and callees are wanted: with what callees cost */
	struct slots leaf;    /* acc->per_leaf */
	struct slots node;    /* at the end: with what is below */
	struct slots event;   /* acc->is_share: totals; 2 * event + 1 of what passed the filters */
};

struct sums {
	struct sum v[MAX_SUMS];
	unsigned n;
	unsigned nr_share, nr_entry; /* of these: is_share, per_entry */
	bool needs_sample;
	bool by_leaf; /* all are counted per end of a chain: a rich table's */
};

/* A slot to read. */
static inline const void *table_slot(const struct slots *a, size_t i)
{
	return likely(i < a->n) ? a->v + i * a->size : a->empty;
}

/* What @acc has of a row; the empty slot where it is not counted. */
const void *table_row_slot(const struct sums *s, const struct acc *acc, uint32_t row);
void table_sums_free(struct sums *s);

/*
 * Sums of the same accumulators, for rows that stand above others; in the functions below @t are
 * those of the table, and @s may be the same.
 */
void table_sums_like(struct sums *s, const struct sums *t);
/* A row's own to the total of what passed, of its event. */
int table_sums_passed(struct sums *s, uint32_t event, const struct sums *t, uint32_t row);
/* Makes what @row costs with callees its own again. */
int table_sums_own(struct sums *s, uint32_t row, const struct sums *t);
/* What all samples that pass @node cost, to @row with callees; what a leaf costs, away again. */
int table_sums_pass(struct sums *s, uint32_t row, const struct sums *t, uint32_t node);
void table_sums_unpass(struct sums *s, uint32_t row, const struct sums *t, uint32_t leaf);
/* A row's own numbers to another row's. */
int table_sums_merge(struct sums *s, uint32_t row, const struct sums *t, uint32_t from);

struct step {
	uint32_t frame, place;
};

struct group_count {
	uint64_t nr, entries;
};

struct event_rows {
	struct table_totals totals;
	uint32_t leader, members; /* members: 0 = alone */
};

/*
 * Numbers of a tuple at most: a rich table has keys of its own beside those that were asked for, and the first
 * number of a group is its event.
 */
#define MAX_VALUES (MAX_KEYS + NR_RICH_GROUP + 1)
_Static_assert((int)NR_RICH_PLACE <= (int)NR_RICH_GROUP, "places have room for theirs, too");

struct table {
	struct keys keys;
	struct feed *feed; /* until table_finish() */
	uint64_t need;

	struct columns c;
	struct keys_col *group_cols[MAX_VALUES], *place_cols[MAX_VALUES], *place2_cols[MAX_VALUES];
	unsigned nr_group, nr_place, nr_place2;
	uint32_t bit_mask;
	bool sym_is_key;
	bool map_is_key; /* maps must be as they are now: samples cannot wait */
	bool one_step;	 /* bare frames have one place and so one step each */

	struct tuples groups, places, places2;
	VEC(uint16_t) place_width, place2_width; /* per tuple and key */

	VEC(struct step) steps;
	bool ip_is_key;	 /* raw addresses are part of a place or frame */
	bool ip_unnamed; /* they are where there is no symbol */

	VEC(struct keys_row) rows;
	struct htab row_tab;
	struct sums sums; /* what rows count beside samples and period */
	bool parallel;	  /* it was more than 1 */
	VEC(struct event_rows) events;
	VEC(struct keys_row) members; /* by row and member - 1: numbers of the other events */
	uint32_t max_members;
	struct chains ch;

	struct branch_totals branch;
	struct brflow *flow; /* key ipc_lbr; else NULL */

	bool by_symbol; /* no place key looks below symbols */

	/* keys.o.rich */
	struct keys_col rich[NR_RICH_GROUP + NR_RICH_PLACE];
	unsigned rich_slot[NR_RICH_GROUP];    /* where in a group's tuple they are */
	VEC(struct group_count) group_counts; /* by group, branch mode: its samples */
	/* A derived table */
	struct derived *derived; /* what it has of its base; NULL = it was read */
};

static inline uint32_t table_step_frame(const struct table *t, uint32_t step)
{
	return t->steps.v[step].frame;
}

static inline uint32_t table_step_place(const struct table *t, uint32_t step)
{
	return t->steps.v[step].place;
}

/* Where the numbers of the other events begin, of a row with members. */
struct keys_row *table_members_of(const struct table *t, uint32_t row);

#endif
