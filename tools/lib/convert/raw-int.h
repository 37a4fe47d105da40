/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding to the raw table: inlined, it runs once per branch of the recording. */
#ifndef PERF_CONVERT_RAW_INT_H
#define PERF_CONVERT_RAW_INT_H

#include "sample/sample.h"
#include "convert/convert-int.h"

static inline void raw_count_more(struct raw_more *m, uint32_t flags)
{
	unsigned cycles = branch_flags_cycles(flags);

	m->cycles += cycles;
	m->cycles_n += cycles > 0;
	m->type = branch_flags_type(flags);
}

/* What ran after a branch to @to, up to @end: nothing is known of that where it goes back, or is longer than any code. */
static inline uint32_t raw_len(uint64_t to, uint64_t end)
{
	return end - to < NO_LEN ? (uint32_t)(end - to) : NO_LEN;
}

static inline uint64_t raw_end(const struct raw_key *k)
{
	return k->len == NO_LEN ? NO_END : k->to + k->len;
}

static inline uint32_t raw_hash(const struct raw_key *k)
{
	uint64_t a = k->from ^ (uint64_t)k->space << 40, b = k->to ^ (uint64_t)k->len << 40;

	return (uint32_t)((a * HASH_GOLDEN ^ b * 0xc2b2ae3d27d4eb4fULL) >> 32);
}

static inline bool raw_is(const struct raw *r, const struct raw_key *k)
{
	return !memcmp(&r->key, k, sizeof(*k)) && r->count;
}

/* Asks for the memory that raw_count() will look at. */
static inline void raw_prefetch(const struct raw_table *t, const struct raw_add *a)
{
	__builtin_prefetch(&t->v[a->hash >> t->shift], 1);
}

/* 0, or -ENOMEM when the table has to grow and cannot. */
static inline int raw_count(struct raw_table *t, const struct raw_add *a)
{
	struct raw *r = &t->v[a->hash >> t->shift];

	if (unlikely(!raw_is(r, &a->key)))
		return raw_table_count(t, a);
	r->count++;
	r->mispred += a->flags & 1;
	if (unlikely(t->more))
		raw_count_more(&t->more[r - t->v], a->flags);
	return 0;
}

static inline void raw_set(struct raw_add *a, uint32_t space, uint64_t from, uint64_t to,
			   uint64_t end, uint64_t flags)
{
	a->key.from = from;
	a->key.to = to;
	a->key.len = raw_len(to, end);
	a->key.space = space;
	a->hash = raw_hash(&a->key);
	a->flags = (uint32_t)flags;
}

/* One branch, or a place that ran, alone. */
static inline int raw_add(struct raw_table *t, uint32_t space, uint64_t from, uint64_t to,
			  uint64_t end)
{
	struct raw_add a;

	raw_set(&a, space, from, to, end, 0);
	return raw_count(t, &a);
}

/* Calls that have not returned, as the LBR's call stacks have them, are no branches in a row. */
static inline bool raw_has_branches(const struct sample *s)
{
	return s->present & PERF_SAMPLE_BRANCH_STACK &&
	       !(s->event && s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

#endif
