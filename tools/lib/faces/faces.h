/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces: what an answer looks like. A finished profile comes in, with the recording it is of;
 * text, JSON or a graph for Graphviz goes out. Nothing is counted or sorted here.
 *
 *	struct faces f = { .p = p, .po = &opts, .pd = pd, .m = m, .res = res, .out = &out };
 *	faces_text(&f);
 *
 * Memory: the caller owns everything that it puts into struct faces. Errors: 0/-errno; what could
 * not be written stays in out->code. One thread.
 */
#ifndef PERF_FACES_H
#define PERF_FACES_H

#include "emit/emit.h"
#include "profile/brflow.h"
#include "profile/profile.h"

struct faces_threads;

struct faces_opts {
	double min_percent; /* rows below this are left out */
	const char *time;   /* what was asked for, for the heading; NULL = all */
	int64_t socket;	    /* -1 = all */
	uint64_t hot_paths; /* length of the paths of brflow; 0 = not asked for */
	bool total_cycles, json, quiet, simd, skip_empty, mmaps, threads;
	bool color; /* shares have colours */
};

struct faces {
	struct profile *p;
	const struct profile_opts *po;
	struct perfdata *pd;
	struct machine *m;
	struct resolver *res;
	struct brflow *flow;		     /* --total-cycles, --hot-paths; else NULL */
	const struct faces_threads *threads; /* -T; NULL = nothing counted */
	uint64_t lost_samples;
	struct obuf *out;
	struct faces_opts o;
};

/* Tables and call graphs as text; headings and tips too. */
int faces_text(const struct faces *f);
int faces_json(const struct faces *f);
int faces_dot(const struct faces *f);
/* Processes as a tree. */
int faces_tasks(const struct faces *f);

/* Counts of threads, from the READ records of `record -s`. */
int faces_threads_add(struct faces_threads **t, const struct record *rec, struct err *e);
void faces_threads_free(struct faces_threads *t);

#endif
