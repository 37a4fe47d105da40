/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of room page.
 *
 *	page.c		reads the session, writes the page around the data
 *	stacks.c	samples into a tree of calls and rows of sums
 *	frames.c	what is in that tree: functions, objects
 *	cut.c		what is too much for a page
 *	log.c		what is counted by thread and time beside stacks
 *	flow.c		branches
 *	simd.c		vectors
 *	registers.c	what registers were asked: tables of their own
 *	answers.c	what branches were asked
 *	code.c		functions as instructions
 *	data.c		all of it as columns
 *	merge.c		pages of pieces of a recording added up
 *	recording.c	what was recorded, how, and what was lost
 *	pack.c		the data's bytes: as they are, or packed
 */
#ifndef PERF_PAGE_INT_H
#define PERF_PAGE_INT_H

#include <stdlib.h>

#include "annotate/annotate.h"
#include "base/tables.h"
#include "emit/emit.h"
#include "keys/keys.h"
#include "page/page.h"
#include "table/table.h"

#define NONE UINT32_MAX

struct json;

/* What a frame is, for its colour: columns `kind` of the data, names in tools/web/model.js. */
enum page_kind {
	KIND_USER,
	KIND_KERNEL,
	KIND_INLINED,
	KIND_JIT,
	KIND_UNKNOWN,
	KIND_GUEST,
	KIND_CUT
};

struct page_frame {
	uint32_t name; /* strings */
	uint32_t dso;  /* number of an object; NONE */
	uint8_t kind;
};

struct page_node {
	uint32_t parent; /* NONE: outermost; always made before its children */
	uint32_t frame;
	uint32_t child; /* the one that was asked for last; NONE */
};

/* Who was sampled: by a number of the recording's thread and its name then. */
struct page_thread {
	uint32_t thread, comm, side;
	uint32_t name; /* strings */
	int32_t pid, tid;
};

struct page_group {
	uint32_t event, thread, cpu; /* cpu: NONE */
	uint32_t side;		     /* 0; 1: of the recording before */
};

struct page_row {
	uint32_t node, group;
	uint32_t slice; /* NONE: no time */
	uint32_t count;
	uint64_t period;
};

struct page_object {
	const struct dso *dso;
	uint64_t samples, unnamed; /* at addresses in it; of these, with no function */
};

/* Sums of a thing; of places in code the period stands in cycles. */
struct page_tally {
	uint32_t what, group;
	uint32_t slice; /* of the log's; NONE: no time */
	uint64_t nr, mispred, flagged, cycles, nr_cycles;
};

static inline void page_tally_add(struct page_tally *to, const struct page_tally *t)
{
	to->nr += t->nr;
	to->mispred += t->mispred;
	to->flagged += t->flagged;
	to->cycles += t->cycles;
	to->nr_cycles += t->nr_cycles;
}

/* See log.c. */
struct page_log {
	struct tuples things;
	VEC(struct page_tally) rows;
	struct htab tab;
	unsigned shift, least;	      /* a slice is 2^shift of the page's, or more */
	bool has_simd, has_flags;     /* vectors; what branches say */
	VEC(struct simd_counts) simd; /* by row */
	/* page_log_choose(): where a thing stands + 1, and back. */
	uint32_t *place, *shown, nr_shown;
};

/* Something that happened to a thread, or to all: counted by slice. */
struct page_mark {
	uint32_t kind, thread, slice; /* thread: NONE */
	uint64_t nr;
};

enum page_mark_kind { MARK_SWITCH, MARK_LOST };

#define PAGE_SLICES    1024
#define PAGE_REGISTERS 6 /* answers of registers */

/* A recording of the page: numbers of its symbols and objects to those of the page. */
struct page_side {
	struct session *session;
	const struct session_env *env;
	uint32_t nr;
	VEC(uint32_t)
	frame_of_sym[2];	    /* by symbol->idx: frame + 1; of functions, of inlined ones */
	VEC(uint32_t) frame_of_dso; /* by dso->idx: of addresses without a symbol */
	VEC(uint32_t) object_of;    /* by dso->idx: object + 1 */
	VEC(uint32_t) event;	    /* by number: the page's; NONE: it has none of this name */
	uint64_t origin;
	bool has_time;
	uint64_t apart;	  /* samples of such events */
	uint64_t samples; /* all that were added */
};

struct page {
	struct session *session; /* those of the first side */
	const struct session_env *env;
	struct page_opts o;
	struct page_side side[2], *at; /* the one that is read */

	struct intern strings; /* as they were recorded */
	VEC(struct page_frame) frames;
	struct htab frame_tab; /* by name and object: used where there are two sides */
	uint32_t frame_unknown, frame_cut;
	VEC(struct page_object) objects;

	VEC(struct page_node) nodes;
	struct htab node_tab;
	VEC(uint32_t) path, path_frames; /* of the sample before, outermost first */

	VEC(struct page_thread) threads;
	struct htab thread_tab;
	VEC(struct page_group) groups;
	struct htab group_tab;
	VEC(struct page_row) rows;
	struct htab row_tab;

	struct page_log edges, ranges, paths; /* flow.c: locations; of paths edges */
	struct page_log places;		      /* code.c: locations of samples */
	struct page_log vectors;	      /* simd.c: frames */
	uint64_t branches;
	struct {
		uint32_t group, slice;
	} now; /* of the sample at hand */

	VEC(struct page_mark) marks;
	struct htab mark_tab;

	/* Slices of 2^shift ns from each side's origin on; nr: one behind the last that there is. */
	unsigned shift;
	uint32_t nr_slices;

	bool started;	       /* simd is as the events want it */
	void *simd;	       /* of keys_acc_simd; NULL: no event has vectors */
	struct annotate *code; /* NULL: none is wanted */
	VEC(uint8_t) shows;    /* by symbol->idx: it is one of those that are shown as code */
	struct table *registers[PAGE_REGISTERS]; /* by answer; NULL: not asked for */

	/* cut.c */
	uint64_t cut_nodes, cut_samples;
	bool cut_cpu, cut_time;
};

/* ---- frames.c ---------------------------------------------------------------------------------- */

uint32_t page_object_of(struct page *p, const struct dso *dso);
/* What a frame of another page is, in words of this one. */
struct page_source {
	const struct symbol *sym; /* NULL: the object; without that, nothing that is known */
	const struct dso *dso;
	const char *name;
	bool inlined;
	uint8_t kind;
};

uint32_t page_frame_like(struct page *p, const struct page_source *src);
/* The frame of a location, of a function or of its object; NONE: no memory. */
uint32_t page_frame_of(struct page *p, uint32_t loc, const struct symbol *sym, bool inlined,
		       uint8_t cpumode);
/* That of a function of the first side, + 1; 0: it has none. */
uint32_t page_frame_of_symbol(const struct page *p, const struct symbol *sym);
/* Names what the events of the second side are. */
int page_match_events(struct page *p);

/* ---- stacks.c ---------------------------------------------------------------------------------- */

/* 0 or -ENOMEM. */
int page_add_sample(struct page *p, const struct sample *s, struct thread *th);
int page_add_mark(struct page *p, enum page_mark_kind kind, uint32_t thread, uint64_t time,
		  uint64_t nr);
uint32_t page_thread_of(struct page *p, const struct thread *th);
uint32_t page_group_of(struct page *p, const struct page_group *g);
uint32_t page_node_of(struct page *p, uint32_t parent, uint32_t frame);
/* Adds to the row that is told apart so. */
int page_count(struct page *p, const struct page_row *row);
int page_mark(struct page *p, const struct page_mark *m);
/* What comes first happened at @time. */
void page_start_time(struct page *p, uint64_t time);
/* Slices twice as long. */
int page_coarsen(struct page *p);

/* ---- log.c ------------------------------------------------------------------------------------- */

void page_log_free(struct page_log *l);
/* The row of the sample at hand for the thing that @key tells apart; NONE: no memory. */
uint32_t page_log_row(struct page *p, struct page_log *l, const uint64_t *key);
/* The page's slices are twice as long now. */
int page_log_follow(struct page_log *l);
/*
 * What @from has, whose page has slices of the same length: keys of things by @thing, groups by @group. What
 * its things are here: of @things, by number there.
 */
struct page_log_maps {
	const uint32_t *key, *group;
	uint32_t *things;
};

int page_log_merge(struct page_log *l, struct page_log *from, struct page_log_maps *maps);
/* Groups have other numbers: those of @to. */
int page_log_regroup(struct page_log *l, const uint32_t *to);
/* Which things the page has: so many, and others that are wanted. Then their rows. 0 or -ENOMEM. */
int page_log_choose(struct page *p, struct page_log *l, size_t most,
		    bool (*wanted)(const struct page *p, const uint64_t *key));
int page_put_log(struct page_log *l, const char *name, struct json *j);

/* ---- flow.c ------------------------------------------------------------------------------------ */

void page_start_logs(struct page *p);
int page_add_branches(struct page *p, const struct sample *s, struct thread *th);
int page_choose_flow(struct page *p);
int page_put_flow(struct page *p, struct json *j);

/* ---- simd.c ------------------------------------------------------------------------------------ */

int page_start_simd(struct page *p);
int page_add_simd(struct page *p, const struct sample *s, struct thread *th);
int page_put_simd(struct page *p, struct json *j);
/* answers.c: what branches were asked. */
int page_put_answers(struct page *p, struct json *j);

/* ---- registers.c ------------------------------------------------------------------------------- */

int page_start_registers(struct page *p, struct err *e);
void page_free_registers(struct page *p);
uint64_t page_need_registers(const struct page *p);
int page_add_registers(struct page *p, const struct sample *s, struct thread *th, struct err *e);
int page_merge_registers(struct page *to, struct page *from, struct err *e);
/* After the last sample. */
int page_put_registers(struct page *p, struct json *j, struct err *e);

/* ---- cut.c ------------------------------------------------------------------------------------- */

int page_cut(struct page *p);

/* ---- pack.c ------------------------------------------------------------------------------------ */

struct pack;

/* Data that is put into pack_text() goes to @out as a script element that is none. */
int page_pack_begin(struct pack **k, struct obuf *out);
struct obuf *page_pack_text(struct pack *k);
/* After every piece of some size. */
void page_pack_more(struct pack *k);
/* Frees @k: 0 or -errno. */
int page_pack_end(struct pack *k);

/* ---- data.c ------------------------------------------------------------------------------------ */

struct json {
	struct pack *pack;
	struct obuf *o;
	bool used; /* something stands before, in this object or array */
};

/* A JSON string without `<`, `>` and `&`, with what is no text escaped. */
void page_put_string(struct obuf *o, const char *s);
void page_key(struct json *j, const char *name);
void page_open(struct json *j, const char *name, char bracket);
void page_close(struct json *j, char bracket);
void page_num(struct json *j, const char *name, uint64_t v);
void page_str(struct json *j, const char *name, const char *s); /* NULL: nothing is said */
/* An element of an array of numbers. */
void page_int(struct json *j, int64_t v);
int page_put_data(struct page *p, struct json *j, struct err *e);

/* ---- code.c ------------------------------------------------------------------------------------ */

int page_add_code(struct page *p, const struct session_sample *in, struct err *e);
/* After the last sample, and before what is asked next. */
int page_choose_code(struct page *p, struct err *e);
static inline bool page_shows_code(const struct page *p, const struct symbol *sym)
{
	return sym->idx < p->shows.n && p->shows.v[sym->idx];
}
int page_put_code(struct page *p, struct json *j, struct err *e);

/* Those of --call-graph lbr are the stack itself. */
static inline bool page_has_branches(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       !(a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

/* ---- recording.c ------------------------------------------------------------------------------- */

int page_put_recording(struct page *p, struct json *j, struct err *e);

#endif
