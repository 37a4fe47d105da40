/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of room keys: how often each of many values came, in memory that is bounded, so that any order of
 * samples and any sums of parts give the same. See tally.c.
 */
#ifndef PERF_KEYS_TALLY_INT_H
#define PERF_KEYS_TALLY_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALLY_SHORT 256 /* values below have exact counts, all of them */
#define TALLY_EXACT 32	/* different ones from there on that have exact counts */
#define TALLY_TOPS  16	/* most frequent ones at most */

struct counted {
	uint64_t value, nr;
};

/* Zero at first. */
struct tally {
	uint64_t *log;	      /* what is not in the list: see nr_once */
	struct counted *list; /* ascending */
	uint64_t *plane;      /* of the sketch */
	uint64_t nr;	      /* of all */
	uint32_t nr_log, log_cap;
	uint32_t nr_once; /* of the log, that came once: ascending; those behind are as they came */
	uint32_t nr_list, last; /* the one of the list that came last */
	uint32_t nr_planes;	/* 0 = no sketch: there were no more than TALLY_EXACT long values */
};

/* What was counted, by frequency. */
struct tally_top {
	/* Those first that came most often, of equal ones the smaller. */
	struct counted v[TALLY_TOPS];
	unsigned nr;
	unsigned distinct; /* 0 = too many: what there is was found, with estimated counts */
};

int keys_tally_add(struct tally *t, uint64_t value); /* 0 or -ENOMEM */
/* One will be added: memory is asked for where it goes. */
void keys_tally_soon(const struct tally *t);
int keys_tally_merge(struct tally *t, const struct tally *from); /* likewise */
void keys_tally_free(struct tally *t);
/* As top->distinct. */
unsigned keys_tally_distinct(const struct tally *t);
void keys_tally_top(const struct tally *t, struct tally_top *top, unsigned max);

#endif
