// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pairs of edges, one behind the other, in a table of their own, each with its step. Paths count nearly all where the stack's hops
 * are: a hop has room for the edges that came behind it, and counts that fit in a byte. What comes here is
 * what is too much for that, and all of it when hops are settled. Nothing waits for it, so it is written down, and counted when
 * there are many: then memory can be asked for ahead.
 */
#include "brstat-int.h"

/* ---- the table --------------------------------------------------------------------------------- */

static inline uint64_t pair_hash(uint32_t before, uint32_t edge)
{
	return (((uint64_t)before << 32 | edge) * HASH_GOLDEN ^ before) * HASH_GOLDEN;
}

static bool hash_of_pair(const void *slot, uint64_t *hash)
{
	const struct pair *p = slot;

	*hash = pair_hash(p->before, p->edge);
	return p->step;
}

/* Half of it stays empty at least, so that most looks find what they are for at once. */
static inline bool has_room(const struct brstat *b, size_t more, unsigned bits)
{
	return (b->nr_pairs + more) * 2 <= (size_t)1 << bits;
}

static int widen_pairs(struct brstat *b, size_t more)
{
	unsigned bits = b->pairs ? b->pair_bits : PAIR_BITS;
	struct pair *pairs;

	while (bits <= SLOTS_MAX && !has_room(b, more, bits))
		bits++;
	if (bits > SLOTS_MAX)
		return -ENOMEM;
	pairs = slots_resize(b->pairs, b->pair_bits, bits, sizeof(*pairs), hash_of_pair);
	if (!pairs)
		return -ENOMEM;
	b->pairs = pairs;
	b->pair_bits = bits;
	return 0;
}

/* 0 or -ENOMEM. */
static inline int room_for_pairs(struct brstat *b, size_t more)
{
	return likely(b->pairs && has_room(b, more, b->pair_bits)) ? 0 : widen_pairs(b, more);
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

	if (room_for_pairs(b, 1))
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
	if (!st || room_for_pairs(b, 1))
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

	if (room_for_pairs(b, 1))
		return NULL;
	p = pair_of(b, before, edge);
	return likely(p->step) ? p : new_pair(b, before, edge);
}

/* ---- counts ------------------------------------------------------------------------------------ */

/* To its step; of paths it tells how often there was the edge, too. */
static void settle_pair(struct brstat *b, struct pair *p)
{
	struct walk_step *st = &b->steps.v[p->step - 1];

	st->nr += p->nr;
	st->nr_cycles += p->nr_cycles;
	st->cycles += p->cycles;
	if (b->o.what == BRSTAT_PATHS) {
		b->info.v[p->edge].nr += p->nr;
		b->info.v[p->edge].flagged += p->nr;
	}
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

		if (p && p->nr) {
			__builtin_prefetch(&b->steps.v[p->step - 1], 1);
			if (b->o.what == BRSTAT_PATHS)
				__builtin_prefetch(&b->info.v[p->edge], 1);
		}
		if (b->pairs[i].nr)
			settle_pair(b, &b->pairs[i]);
	}
}

/* ---- paths: what is counted later --------------------------------------------------------------- */

#define LATE_MAX   4096
#define LATE_BEGUN 1024

static void ask_for_pair(const struct brstat *b, uint32_t before, uint32_t edge)
{
	if (before != ID_NONE)
		__builtin_prefetch(&b->info.v[before], 1);
	__builtin_prefetch(&b->info.v[edge], 1);
	brstat_ask_for_step(b, before, edge);
}

/* To edges. 0 or -ENOMEM. */
static int settle_late_begun(struct brstat *b)
{
	static const struct begun none;
	const size_t n = b->late_begun.n;

	if (n && vec_reach(&b->begun, b->info.n - 1, none))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct late_begun *l = &b->late_begun.v[i];
		struct begun *k = &b->begun.v[l->edge];

		if (i + AHEAD < n)
			__builtin_prefetch(&b->begun.v[l[AHEAD].edge], 1);
		k->nr += l->times;
		k->nr_cycles += l->cycles ? l->times : 0;
		k->cycles += (uint64_t)l->cycles * l->times;
	}
	b->late_begun.n = 0;
	return 0;
}

int brstat_count_begun(struct brstat *b, uint32_t edge, uint32_t cycles)
{
	const struct late_begun new = { edge, cycles, b->times };

	if (b->late_begun.n == LATE_BEGUN && settle_late_begun(b))
		return -ENOMEM;
	return vec_push(&b->late_begun, new);
}

int brstat_settle_begun(struct brstat *b)
{
	if (settle_late_begun(b))
		return -ENOMEM;
	for (uint32_t i = 0; i < b->begun.n; i++) {
		const struct begun *k = &b->begun.v[i];
		struct walk_step *st = k->nr ? brstat_step(b, ID_NONE, i) : NULL;

		if (!k->nr)
			continue;
		if (!st)
			return -ENOMEM;
		st->nr += k->nr;
		st->nr_cycles += k->nr_cycles;
		st->cycles += k->cycles;
		b->info.v[i].nr += k->nr;
		b->info.v[i].flagged += k->nr;
	}
	b->begun.n = 0;
	return 0;
}

int brstat_settle_late(struct brstat *b)
{
	b->pairs_count |= b->late.n != 0;
	for (size_t i = 0; i < b->late.n; i++) {
		const struct late_pair *l = &b->late.v[i];
		struct pair *p;

		if (i + AHEAD < b->late.n)
			ask_for_pair(b, l[AHEAD].before, l[AHEAD].edge);
		p = brstat_pair(b, l->before, l->edge);
		if (!p)
			return -ENOMEM;
		p->nr += l->times;
		p->nr_cycles += l->cycles ? l->times : 0;
		p->cycles += (uint64_t)l->cycles * l->times;
		if (unlikely(p->nr >= COUNT_MAX))
			settle_pair(b, p);
	}
	b->late.n = 0;
	return 0;
}

int brstat_count_late(struct brstat *b, uint32_t before, uint32_t edge, uint32_t cycles,
		      uint32_t *traits)
{
	const struct late_pair new = { before, edge, cycles, b->times };
	uint32_t stretch;

	if (brstat_between(b, before, edge, &stretch))
		return -ENOMEM;
	*traits = b->info.v[before].next_traits;
	if (b->late.n == LATE_MAX && brstat_settle_late(b))
		return -ENOMEM;
	return vec_push(&b->late, new);
}

/* ---- paths: what hops count --------------------------------------------------------------------- */

static inline uint32_t behind_nr(uint64_t k)
{
	return k >> BEHIND_NR & 0xff;
}

/* To a pair here: of one's own hop that is of these edges. 0 or -ENOMEM. */
static int settle_to(struct brstat *b, uint32_t before, uint32_t edge, uint64_t *k)
{
	struct pair *p;

	if (!behind_nr(*k))
		return 0;
	p = brstat_pair(b, before, edge);
	if (!p)
		return -ENOMEM;
	b->pairs_count = true;
	p->nr += behind_nr(*k);
	p->nr_cycles += *k >> BEHIND_NR_CYCLES & 0xff;
	p->cycles += *k >> BEHIND_CYCLES;
	if (unlikely(p->nr >= COUNT_MAX))
		settle_pair(b, p);
	*k = (uint32_t)*k;
	return 0;
}

static int settle_one(struct brstat *b, const struct hop *h, uint64_t *k)
{
	return settle_to(b, h->edge, (uint32_t)*k, k);
}

/* A place of @h for that edge, which another one has to leave that hardly came; NULL in *place: there is none. 0 or -ENOMEM. */
static int find_place(struct brstat *b, struct hop *h, uint32_t edge, uint64_t **place)
{
	uint64_t *k = h->behind;
	uint32_t stretch;
	unsigned at, traits;

	*place = NULL;
	for (uint64_t *v = h->behind; v < h->behind + NR_BEHIND; v++) {
		if ((uint32_t)*v == edge) {
			*place = v;
			return 0;
		}
		k = behind_nr(*v) < behind_nr(*k) ? v : k;
	}
	if (behind_nr(*k) > 1)
		return 0;
	if (settle_one(b, h, k) || brstat_between(b, h->edge, edge, &stretch))
		return -ENOMEM;
	traits = b->info.v[h->edge].next_traits >> TRAIT_PAIR;
	at = 2 * (unsigned)(k - h->behind);
	h->pairs = (uint8_t)((h->pairs & ~(3u << at)) | traits << at);
	*k = edge;
	*place = k;
	return 0;
}

int brstat_count_behind(struct brstat *b, struct hop *h, uint32_t edge, uint32_t cycles,
			uint32_t *traits)
{
	const uint64_t more = behind_more(b->times, cycles);
	uint64_t *k;

	if (find_place(b, h, edge, &k))
		return -ENOMEM;
	if (k && (*k + more) & BEHIND_FULL && settle_one(b, h, k))
		return -ENOMEM;
	if (!k || more & BEHIND_FULL)
		return brstat_count_late(b, h->edge, edge, cycles, traits);
	*k += more;
	*traits = (h->pairs >> 2 * (k - h->behind) & 3u) << TRAIT_PAIR;
	return 0;
}

/* Pairs count each branch as one that says whether it was mispredicted. */
static void settle_odd(struct edge_info *info, struct hop *h, uint32_t nr)
{
	if (h->key & HOP_FLAGGED)
		info->mispred += nr;
	else
		info->flagged -= nr;
	h->nr_odd = 0;
}

void brstat_count_odd(struct brstat *b, struct hop *h, uint32_t times)
{
	if (h->nr_odd + times > UINT8_MAX)
		settle_odd(&b->info.v[h->edge], h, h->nr_odd + times);
	else
		h->nr_odd = (uint8_t)(h->nr_odd + times);
}

/* Of hops in @in, whose edges are @edge here, or these if that is NULL. */
static void ask_for_behind(const struct brstat *b, const struct hop *h, const uint32_t *edge)
{
	const uint32_t before = edge ? edge[h->edge] : h->edge;

	for (unsigned i = 0; i < NR_BEHIND; i++) {
		const uint32_t now = (uint32_t)h->behind[i];

		if (behind_nr(h->behind[i]))
			ask_for_pair(b, before, edge ? edge[now] : now);
	}
}

int brstat_join_behind(struct brstat *b, struct brstat *from, const uint32_t *edge)
{
	size_t n = from->hops.v ? (size_t)1 << from->hops.bits : 0, nr = 0;
	int ret = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < NR_BEHIND; k++)
			nr += behind_nr(from->hops.v[i].behind[k]) != 0;
	if (b == from && nr && room_for_pairs(b, nr))
		return -ENOMEM;
	for (size_t i = 0; !ret && i < n; i++) {
		struct hop *h = &from->hops.v[i];
		uint32_t before;

		if (i + AHEAD < n && h[AHEAD].key)
			ask_for_behind(b, h + AHEAD, edge);
		if (!h->key)
			continue;
		before = edge ? edge[h->edge] : h->edge;
		settle_odd(&b->info.v[before], h, h->nr_odd);
		for (unsigned k = 0; k < NR_BEHIND; k++) {
			uint32_t now = (uint32_t)h->behind[k];

			if (behind_nr(h->behind[k]))
				ret = ret
					      ?: settle_to(b, before, edge ? edge[now] : now,
							   &h->behind[k]);
		}
	}
	return ret;
}

int brstat_settle_behind(struct brstat *b)
{
	return brstat_join_behind(b, b, NULL);
}
