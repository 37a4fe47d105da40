/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contexts: what ran, kept apart by who had called it. A context is the calls that are going on, as a
 * node of a tree: where the innermost of them was made, below the context that it was made in.
 * Memory follows what is distinct, and no context is deeper than CONTEXT_DEPTH.
 *
 *	convert_contexts(c, opts)	before the first sample
 *	contexts_sample(x, th, s)	each
 *	contexts_flush(x)		before maps of threads that ran change, and at the end
 *	for (i < x->count.n) ...	x->count.v[i], its context in x->v
 */
#ifndef PERF_CONVERT_CONTEXTS_INT_H
#define PERF_CONVERT_CONTEXTS_INT_H

#include "convert/convert-int.h"

#define CONTEXT_NONE  0 /* nothing is known of callers */
#define CONTEXT_DEPTH 256

struct context {
	uint32_t parent, dso;
	uint64_t addr; /* the call's last byte: an offset in the file, like those of struct edge */
};

/* A range (from NO_END), a branch (end NO_END), or where a sample fell (both NO_END: to). */
struct context_count {
	struct edge edge;
	uint32_t context;
};

/* ---- before addresses are told what lies there: cleared by each flush ---- */

struct raw_context {
	uint32_t parent; /* UINT32_MAX: nothing is known of callers in this space */
	uint32_t space, depth;
	uint32_t found; /* its number in x->v; contexts_flush() */
	uint64_t ret;
};

struct call_site { /* an instruction that branches */
	uint64_t addr;
	uint32_t space;
	uint8_t kind, len; /* enum insn_branch; len 0 = its code is not known */
};

struct call_code { /* of an object, to tell calls from jumps */
	struct object_file file;
	struct insn_decoder *dec;
	bool asked;
};

struct contexts {
	struct convert *c;
	const struct convert_context_opts *opts;
	VEC(struct raw_context) raw;
	struct htab raw_tab;
	struct raw_table counts; /* space is a number of raw */
	VEC(struct call_site) sites;
	struct htab site_tab;
	VEC(struct call_code) code; /* by dso */
	VEC(uint64_t) calls;	    /* of the sample at hand */
	/* what stays */
	VEC(struct context) v; /* parents first */
	struct htab tab;
	VEC(struct context_count) count;
	struct htab count_tab;
	uint64_t with, broken; /* samples with a chain; those whose branches contradict it */
};

void contexts_free(struct contexts *x); /* NULL is fine */
int contexts_sample(struct contexts *x, struct thread *th, const struct sample *s);
int contexts_flush(struct contexts *x);
/* Both flushed: adds all that @from has. As convert_merge(). 0 or -ENOMEM. */
int contexts_merge(struct contexts *x, const struct contexts *from,
		   const struct session_maps *maps);
/* At the end: what was not right with chains. */
void contexts_say(const struct contexts *x);

#endif
