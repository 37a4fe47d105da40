/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding to the raw table: inlined, it runs once per branch of the recording. */
#ifndef PERF_CONVERT_RAW_INT_H
#define PERF_CONVERT_RAW_INT_H

#include "sample/sample.h"
#include "convert/convert-int.h"

static inline uint32_t raw_hash(uint32_t space, uint64_t from, uint64_t to, uint64_t end)
{
	uint64_t h = from * HASH_GOLDEN ^ (to + space) * 0xc2b2ae3d27d4eb4fULL;

	h = (h ^ h >> 29 ^ end) * 0xbf58476d1ce4e5b9ULL;
	return (uint32_t)(h >> 32);
}

/* Asks for the memory that raw_add_at() will look at. */
static inline void raw_prefetch(const struct raw_table *t, uint32_t hash)
{
	__builtin_prefetch(&t->v[hash & t->mask], 1);
}

/* @hash: raw_hash() of the same. */
static inline int raw_add_at(struct raw_table *t, uint32_t hash, uint32_t space, uint64_t from,
			     uint64_t to, uint64_t end, bool mispred)
{
	uint32_t at = hash & t->mask;

	for (;; at = (at + 1) & t->mask) {
		struct raw *r = &t->v[at];

		if (!r->count) {
			*r = (struct raw){ from, to, end, space, 1, mispred, 0 };
			t->last = at;
			t->used[t->n++] = at;
			return unlikely(t->n > t->mask / 8 * 5) ? raw_table_grow(t) : 0;
		}
		if (likely(r->from == from && r->to == to && r->end == end && r->space == space)) {
			r->count++;
			t->last = at;
			r->mispred += mispred;
			return 0;
		}
	}
}

static inline int raw_add(struct raw_table *t, uint32_t space, uint64_t from, uint64_t to,
			  uint64_t end, bool mispred)
{
	return raw_add_at(t, raw_hash(space, from, to, end), space, from, to, end, mispred);
}

/* Calls that have not returned, as the LBR's call stacks have them, are no branches in a row. */
static inline bool raw_has_branches(const struct sample *s)
{
	return s->present & PERF_SAMPLE_BRANCH_STACK &&
	       !(s->event && s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

#endif
