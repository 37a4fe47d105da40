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
	return raw_key_len(k) == NO_LEN ? NO_END : k->to + raw_key_len(k);
}

static inline uint32_t raw_hash(const struct raw_key *k)
{
	uint64_t a = k->from ^ k->rest >> 32 << 40, b = k->to ^ k->rest << 40;

	return (uint32_t)((hash_spread(a) ^ (b ^ hash_secret) * 0xc2b2ae3d27d4eb4fULL) >> 32);
}

static inline bool raw_is(const struct raw *r, const struct raw_key *k)
{
	return !((r->key.from ^ k->from) | (r->key.to ^ k->to) | (r->key.rest ^ k->rest)) &&
	       r->count;
}

/* A place in use is none any more. To forget all of them is n = 0 then, without raw_table_clear(). */
static inline void raw_table_empty(struct raw_table *t, uint32_t at)
{
	t->v[at].count = 0;
	if (t->more)
		t->more[at] = (struct raw_more){ 0 };
}

/* Asks for the memory that raw_count() will look at. */
static inline void raw_prefetch(const struct raw_table *t, const struct raw_add *a)
{
	__builtin_prefetch(&t->v[a->hash >> t->shift], 1);
}

/* The branch of that key, where it is in the place of its hash, or in the other one of that line. NULL: it may be elsewhere. */
static inline struct raw *raw_near(struct raw *v, uint32_t place, const struct raw_key *k)
{
	if (likely(raw_is(&v[place], k)))
		return &v[place];
	return raw_is(&v[place ^ 1], k) ? &v[place ^ 1] : NULL;
}

/* 0, or -ENOMEM when the table has to grow and cannot. */
static inline int raw_count(struct raw_table *t, const struct raw_key *k, uint32_t hash,
			    uint32_t flags)
{
	struct raw *r = raw_near(t->v, hash >> t->shift, k);

	if (unlikely(!r))
		return raw_table_count(t, &(struct raw_add){ *k, hash, flags });
	r->count++;
	r->mispred += flags & 1;
	if (unlikely(t->more))
		raw_count_more(&t->more[r - t->v], flags);
	return 0;
}

static inline void raw_set(struct raw_add *a, uint32_t space, uint64_t from, uint64_t to,
			   uint64_t end, uint64_t flags)
{
	a->key.from = from;
	a->key.to = to;
	a->key.rest = (uint64_t)space << 32 | raw_len(to, end);
	a->hash = raw_hash(&a->key);
	a->flags = (uint32_t)flags;
}

/* One branch, or a place that ran, alone. */
static inline int raw_add(struct raw_table *t, uint32_t space, uint64_t from, uint64_t to,
			  uint64_t end)
{
	struct raw_add a;

	raw_set(&a, space, from, to, end, 0);
	return raw_count(t, &a.key, a.hash, a.flags);
}

/* Calls that have not returned, as the LBR's call stacks have them, are no branches in a row. */
static inline bool raw_has_branches(const struct sample *s)
{
	return s->present & PERF_SAMPLE_BRANCH_STACK &&
	       !(sample_branch_filter(s) & PERF_SAMPLE_BRANCH_CALL_STACK);
}

#endif
