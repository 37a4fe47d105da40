// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pairs of edges, one behind the other, in a table of their own, each with its step: of all answers but paths, which have
 * late.c.
 */
#include "brstat-int.h"

/* ---- the table --------------------------------------------------------------------------------- */

/* Edges are numbered as they come: a file says which pairs there are, but not where they lie. */
static inline uint64_t pair_hash(uint32_t before, uint32_t edge)
{
	return (hash_spread((uint64_t)before << 32 | edge) ^ before) * HASH_GOLDEN;
}

static bool hash_of_pair(const void *slot, uint64_t *hash)
{
	const struct pair *p = slot;

	*hash = pair_hash(p->before, p->edge);
	return p->step;
}

/* Half of it stays empty at least, so that most looks find what they are for at once. */
static inline bool has_room(const struct brstat *b)
{
	return b->pairs && (b->nr_pairs + 1) * 2 <= (size_t)1 << b->pair_bits;
}

static int widen_pairs(struct brstat *b)
{
	const unsigned bits = b->pairs ? b->pair_bits + 1 : PAIR_BITS;
	struct pair *pairs;

	if (bits > SLOTS_MAX)
		return -ENOMEM;
	pairs = slots_resize(b->pairs, b->pair_bits, bits, sizeof(*pairs), hash_of_pair);
	if (!pairs)
		return -ENOMEM;
	b->pairs = pairs;
	b->pair_bits = bits;
	return 0;
}

/* One more. 0 or -ENOMEM. */
static inline int room_for_pair(struct brstat *b)
{
	return likely(has_room(b)) ? 0 : widen_pairs(b);
}

/* Where a pair is, or is to be. */
static inline struct pair *pair_of(const struct brstat *b, uint32_t before, uint32_t edge)
{
	size_t mask = ((size_t)1 << b->pair_bits) - 1;
	size_t slot = pair_hash(before, edge) >> (64 - b->pair_bits);
	struct pair *p = &b->pairs[slot];

	while (p->step && (p->edge != edge || p->before != before)) {
		slot = (slot + 1) & mask;
		p = &b->pairs[slot];
	}
	return p;
}

struct walk_step *brstat_step(struct brstat *b, uint32_t before, uint32_t edge)
{
	struct walk_step new = { .before = before, .edge = edge, .stretch = ID_NONE };
	struct pair *p;

	if (room_for_pair(b))
		return NULL;
	p = pair_of(b, before, edge);
	if (!p->step) {
		if (b->steps.n >= ID_NONE - 1 || vec_push(&b->steps, new))
			return NULL;
		*p = (struct pair){ before, edge, (uint32_t)b->steps.n, 0, 0, 0 };
		b->nr_pairs++;
	}
	return &b->steps.v[p->step - 1];
}

void brstat_ask_for_step(const struct brstat *b, uint32_t before, uint32_t edge)
{
	if (b->pairs)
		__builtin_prefetch(&b->pairs[pair_hash(before, edge) >> (64 - b->pair_bits)], 1);
}

/* NULL: no memory. */
static struct pair *new_pair(struct brstat *b, uint32_t before, uint32_t edge)
{
	uint32_t between = ID_NONE;
	struct walk_step *st;
	struct pair *p;

	if (before != ID_NONE && brstat_between(b, before, edge, &between))
		return NULL;
	st = brstat_step(b, between == ID_NONE ? ID_NONE : before, edge);
	if (!st || room_for_pair(b))
		return NULL;
	st->stretch = between;
	p = pair_of(b, before, edge);
	/* Behind an edge that it does not follow: known by that one, too. */
	if (!p->step) {
		*p = (struct pair){ before, edge, (uint32_t)(st - b->steps.v) + 1, 0, 0, 0 };
		b->nr_pairs++;
	}
	return p;
}

struct pair *brstat_pair(struct brstat *b, uint32_t before, uint32_t edge)
{
	struct pair *p;

	if (room_for_pair(b))
		return NULL;
	p = pair_of(b, before, edge);
	return likely(p->step) ? p : new_pair(b, before, edge);
}

/* ---- counts ------------------------------------------------------------------------------------ */

/* To its step. */
static void settle_pair(struct brstat *b, struct pair *p)
{
	struct walk_step *st = &b->steps.v[p->step - 1];

	st->nr += p->nr;
	st->nr_cycles += p->nr_cycles;
	st->cycles += p->cycles;
	p->nr = p->nr_cycles = 0;
	p->cycles = 0;
}

void brstat_count_pair(struct brstat *b, struct pair *p)
{
	p->nr += b->times;
	b->pairs_count = true;
	if (unlikely(p->nr >= COUNT_MAX))
		settle_pair(b, p);
}

void brstat_settle_pairs(struct brstat *b)
{
	size_t n = b->pairs && b->pairs_count ? (size_t)1 << b->pair_bits : 0;

	b->pairs_count = false;
	for (size_t i = 0; i < n; i++) {
		const struct pair *p = i + AHEAD < n ? &b->pairs[i + AHEAD] : NULL;

		if (p && p->nr)
			__builtin_prefetch(&b->steps.v[p->step - 1], 1);
		if (b->pairs[i].nr)
			settle_pair(b, &b->pairs[i]);
	}
}
