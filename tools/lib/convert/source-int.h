/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was run, told by the source: how often lines of functions ran, whom they called, and the
 * same again inside of calls that were inlined. Compilers look it up so, under names that the linker
 * knows and lines counted from where a function is declared.
 */
#ifndef PERF_CONVERT_SOURCE_INT_H
#define PERF_CONVERT_SOURCE_INT_H

#include "convert/convert-int.h"
#include "symbol/symbol.h"

#define SOURCE_NONE UINT32_MAX

struct source_pos {
	uint32_t offset; /* lines behind the function's first, modulo 65536 */
	uint32_t block;	 /* which of the line's blocks: a discriminator */
};

/*
 * A function, or a call that was inlined into @parent at @at. Where functions are kept apart by who called
 * them: also any other call from there, and what is counted is that of this call alone.
 */
struct source_fn {
	uint32_t parent; /* SOURCE_NONE = a function of its own */
	uint32_t depth;	 /* calls above it */
	bool inlined;	 /* of calls: what ran there was, or some of it */
	uint32_t name;
	struct source_pos at;
	uint64_t total, head; /* bytes of code run here and inside; times entered */
	uint32_t first_line, first_target, first_child; /* after source_sort() */
	uint32_t nr_lines, nr_targets, nr_children;
};

struct source_line {
	uint32_t fn;
	struct source_pos at;
	uint64_t count;
};

struct source_target { /* a call, and to whom */
	uint32_t fn, callee;
	struct source_pos at;
	uint64_t count;
};

struct source_tree {
	struct intern names;
	VEC(struct source_fn) fn;
	VEC(struct source_line) line;
	VEC(struct source_target) target;
	struct htab fns, lines, targets;
	VEC(uint32_t) child; /* functions by parent; those of their own come last, hottest first */
	uint32_t first_root;
};

void source_free(struct source_tree *t);
/* The function @name (a number of t->names) called inline at @at of @parent; SOURCE_NONE: no memory. */
uint32_t source_function(struct source_tree *t, uint32_t parent, struct source_pos at,
			 uint32_t name);
/* The place ran @count times: of several counts the highest holds. 0 or -ENOMEM. */
int source_count(struct source_tree *t, uint32_t fn, struct source_pos at, uint64_t count);
int source_call(struct source_tree *t, uint32_t fn, struct source_pos at, uint32_t callee,
		uint64_t count);
/*
 * Before source_sort(): what was counted for function i is added to what @to[i] has, for the first
 * @n functions. 0 or -ENOMEM.
 */
int source_merge(struct source_tree *t, const uint32_t *to, uint32_t n);
/* Once, when all is there: lines, calls and children of a function stand together, in order. */
int source_sort(struct source_tree *t);

/* Places of a function in order: its lines, and where it calls. */
struct source_place {
	struct source_pos at;
	uint64_t count; /* 0 where only calls were seen */
	const struct source_target *target;
	size_t nr; /* of these */
};

struct source_walk {
	const struct source_line *line, *line_end;
	const struct source_target *target, *target_end;
};

struct source_walk source_walk(const struct source_tree *t, const struct source_fn *fn);
bool source_next(struct source_walk *w, struct source_place *out); /* false: that was all */

/*
 * How often a place ran. More calls may have been seen than runs of the line, for the newest entry of a stack
 * ends no range; in code that was inlined llvm-profgen leaves that so.
 */
static inline uint64_t source_ran(const struct source_place *p, bool inlined)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < p->nr && !inlined; i++)
		calls += p->target[i].count;
	return max_u64(p->count, calls);
}

/* ---- spans.c ---- */

struct span { /* code that ran @count times; 0: that could have run */
	uint64_t start, end;
	uint64_t count;
};

/*
 * Tells @fn what lies between any two ends of spans, in order, where there is a span:
 * with the sum of the counts of all that cover it. Stops at what @fn returns other than 0.
 */
int convert_spans(const struct span *v, size_t n, int (*fn)(void *ctx, const struct span *s),
		  void *ctx);

/* ---- sources.c ---- */

enum source_kind {
	SOURCE_LLVM, /* its numbers of blocks, names without what LLVM adds to them */
	SOURCE_GCC,  /* no blocks; names as they are */
};

/* Opens the debug information of a loaded object; or why there can be no tree. */
int convert_source_open(const struct convert *c, struct convert_elf *ob, enum source_kind kind,
			struct err *e);
/*
 * The tree of one loaded object, sorted. With c->contexts functions are kept apart by who called them: totals
 * are then instructions, and no places are told that did not run.
 */
int convert_source(const struct convert *c, const struct convert_elf *ob, enum source_kind kind,
		   struct source_tree *t, struct err *e);

/* ---- what sources.c and source-contexts.c share ---- */

struct source_caller { /* a call; fn SOURCE_NONE = nobody is known to have called */
	uint32_t fn;
	struct source_pos at;
};

struct source_maker {
	const struct convert *c;
	const struct convert_elf *ob;
	struct origins *o;
	struct source_tree *t;
	enum source_kind kind;
	struct source_caller base; /* what is counted now ran in this call */
	struct insn_decoder *dec;
	VEC(uint32_t) name; /* of t->names + 1, by the number that origins have; 0 = not asked */
	VEC(struct span) span;
	/* The function that was asked about last: its piece, and its code. */
	struct code_range piece;
	uint64_t entry;
	bool known;
	unsigned char *code;
	size_t code_size;
	uint64_t counted, lost; /* branches with and without a function of the source */
	bool undeclared;	/* functions without the line where they begin were met */
};

struct source_pos source_pos_of(const struct source_maker *m, const struct origin *at);
/*
 * The function of the tree that @f, innermost first, is code of. *leaf: which of @f it is. 1; 0 when there is
 * none; or -ENOMEM. Without contexts @bytes are added to it and to all around it.
 */
int source_place(struct source_maker *m, const struct origin *f, int n, uint64_t bytes,
		 uint32_t *fn, const struct origin **leaf);
/* The code from l->to to behind l->end ran; to be counted with others by source_count_spans(). */
int source_add_range(struct source_maker *m, const struct local_edge *l, uint64_t count);
/* Where a sample fell. */
int source_add_sample(struct source_maker *m, uint64_t addr, uint64_t count);
int source_count_spans(struct source_maker *m);
/* A branch: counted if it is a call. */
int source_add_branch(struct source_maker *m, const struct local_edge *l);
/* Recursion: where the last calls are the same as those before them, *c is made the last of those. */
void source_fold(const struct source_tree *t, struct source_caller *c);
/* In place of all these: what ran by context. */
int source_contexts(struct source_maker *m);

/*
 * Functions of a sorted tree by context, by number: those that have anything, callers before what they
 * call. 0 or -ENOMEM.
 */
struct source_list {
	uint32_t *v;
	size_t n, cap;
};

int source_contexts_list(const struct source_tree *t, struct source_list *out);
/* *out: function @i behind those that called it, the outermost first. 0 or -ENOMEM. */
int source_path(const struct source_tree *t, uint32_t i, struct source_list *out);

#endif
