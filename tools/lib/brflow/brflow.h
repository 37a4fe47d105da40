/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brflow: what branch stacks tell beyond single branches. Blocks of code with their cycles: from
 * where one branch went to, to where the next one left. Paths: which branches follow each other,
 * in chains of a fixed length.
 *
 *	brflow_new(&f, res, &(struct brflow_opts){ .path_len = 4 }, &err);
 *	for each sample:	brflow_add(f, &s, th, &err);
 *	brflow_finish(f);
 *	for (size_t i = 0; i < brflow_nr_paths(f); i++)	brflow_path(f, i)
 *
 * Memory follows the number of distinct blocks and chains; what is handed out belongs to the
 * flow. Errors: 0/-errno and struct err. One thread.
 */
#ifndef PERF_BRFLOW_H
#define PERF_BRFLOW_H

#include "sample/sample.h"
#include "symbol/symbol.h"

struct brflow;

#define BRFLOW_MAX_PATH	    16
#define BRFLOW_MAX_COUNTERS 16

struct brflow_opts {
	struct machine *machine; /* of the resolver: addresses mean what its maps say at the time */
	bool blocks;
	uint32_t path_len; /* branches in a chain, 2 to BRFLOW_MAX_PATH; 0 = no chains */
	uint32_t nr_counters, counter_width; /* of the branch counters, see perfdata_env */
	bool each_start;		     /* a block for each start, instead of the longest */
};

/*
 * A block ends with a branch. Of several that end with the same one the longest is kept: its
 * @start; cycles and counters are those of all of them. With opts.each_start they stay apart.
 * Where it began is not known of the oldest branch in a stack, where another function was left
 * without a branch, and in recordings whose filter keeps only some branches.
 */
#define BRFLOW_NO_START UINT64_MAX

struct brflow_block {
	struct dso *dso;
	uint64_t start, end;		       /* object addresses */
	uint64_t cycles, nr;		       /* sum, and how often it was seen with cycles */
	uint64_t own_cycles, own_nr;	       /* of those that began at @start */
	uint64_t counted[BRFLOW_MAX_COUNTERS]; /* by branch counter: sum */
	uint32_t saturated; /* counters that may have missed some, one bit each */
};

struct brflow_path {
	uint64_t nr;
	uint64_t cycles, nr_cycles; /* of chains whose branches all have cycles */
	uint64_t mispred;	    /* branches of it that were mispredicted, all times together */
	uint64_t flagged;	    /* that say whether they were */
	uint32_t id;
};

int brflow_new(struct brflow **f, struct resolver *res, const struct brflow_opts *opts,
	       struct err *e);
void brflow_free(struct brflow *f);
/* Newest branch first, as in the sample. */
int brflow_add(struct brflow *f, const struct sample *s, struct thread *th, struct err *e);
/* Locations and objects of one flow as those of another; NULL = the same. */
struct brflow_maps {
	const uint32_t *loc;	/* by location there */
	struct dso *const *dso; /* by idx there */
};

/*
 * All that @from has seen, which may be a later piece of the same recording. Both have the same
 * options, and neither is finished; @from stays as it is.
 */
int brflow_merge(struct brflow *f, const struct brflow *from, const struct brflow_maps *maps,
		 struct err *e);
/* Sorts: most cycles, most frequent first. Again: nothing. Before it there is nothing to list. */
void brflow_finish(struct brflow *f);

size_t brflow_nr_blocks(const struct brflow *f);
const struct brflow_block *brflow_block(const struct brflow *f, size_t i);
uint64_t brflow_cycles(const struct brflow *f); /* of all branches, in blocks or not */
/* The sum of the blocks' mean cycles. */
uint64_t brflow_mean_cycles(const struct brflow *f);

size_t brflow_nr_paths(const struct brflow *f);
const struct brflow_path *brflow_path(const struct brflow *f, size_t i);
uint64_t brflow_path_total(const struct brflow *f); /* chains seen */
/* Branch @i of a path, oldest first: locations of its ends. */
void brflow_path_branch(const struct brflow *f, const struct brflow_path *p, uint32_t i,
			uint32_t *from, uint32_t *to);

#endif
