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

/* A function, or a call that was inlined into @parent at @at. */
struct source_fn {
	uint32_t parent; /* SOURCE_NONE = a function of its own */
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
/* The tree of one loaded object, sorted. */
int convert_source(const struct convert *c, const struct convert_elf *ob, enum source_kind kind,
		   struct source_tree *t, struct err *e);

#endif
