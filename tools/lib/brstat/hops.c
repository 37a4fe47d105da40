// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where stacks are counted. Millions of entries are of few thousand different branches, and code behind a branch mostly
 * leaves at one place: so a branch, and where the next one left, is one slot, found by the addresses as the
 * record has them, that holds its counts and what else is to be done when it comes by. All slots of a chunk of a stack are asked
 * for before the first is looked at; nothing is resolved, and no code is read, but when a slot is new.
 *
 * Where it matters what the next branch went to, steps are counted by pairs of edges, in a table of their own: paths do so with
 * all of them, and answer why with branches that go to several places.
 *
 * What slots counted goes on to edges, steps and histograms when they are settled: all of these are sums.
 */
#include <stdlib.h>

#include "branch/branch.h"
#include "brstat-int.h"

#define COUNT_MAX (1u << 31) /* counts of slots go on when they get there */
#define CHUNK	  64

/* A branch of a stack, and what its hop came to. */
struct taken {
	uint64_t from, to;
	uint32_t flags; /* the lower half of the entry's */
	uint32_t cycles;
	uint32_t where, at; /* of the hop: its key, and where to look first */
	uint32_t edge;	    /* ID_NONE = not looked at */
};

/*
 * Branches one after the other, oldest first: @n of them from 1 on. Number 0 is what came before, or nothing at all; one
 * behind the last is empty.
 */
struct chunk {
	struct taken v[CHUNK + 2];
	unsigned n;
};

struct walk_state {
	uint64_t end; /* entries that are not collected yet */
	uint64_t cycles;
	uint32_t where;	 /* see struct hop */
	uint32_t before; /* BRSTAT_WHY: an edge whose next one is counted by pairs */
	uint32_t kind;	 /* HOP_BRANCH: there was one */
	bool all;
};

/* ---- tables ------------------------------------------------------------------------------------ */

/* A hash, whose upper bits are a slot, is the sum of these. Odd numbers without a pattern. */
static inline uint64_t hash_branch(uint64_t from, uint64_t to)
{
	return from * HASH_GOLDEN + to * 0xbf58476d1ce4e5b9ULL;
}

static inline uint64_t hash_next(uint64_t next, uint32_t where)
{
	return next * 0xd6e8feb86659fd93ULL + where * 0x94d049bb133111ebULL;
}

static bool hash_of_hop(const void *slot, uint64_t *hash)
{
	const struct hop *h = slot;

	*hash = hash_branch(h->from, h->to) + hash_next(h->next, h->where);
	return h->where;
}

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

/* Room for @more in a table of 2^@bits: a third stays empty at least. */
static inline bool has_room(size_t nr, size_t more, unsigned bits)
{
	return likely((nr + more) * 3 <= (size_t)2 << bits);
}

static struct hop_cycles *new_cycles(unsigned bits)
{
	size_t size = sizeof(struct hop_cycles) << bits;
	struct hop_cycles *c = aligned_alloc(64, size);

	if (c)
		memset(c, 0, size);
	return c;
}

static int settle_hops(struct brstat *b);

static int widen_hops(struct brstat *b)
{
	unsigned bits = b->hops ? b->hop_bits + 1 : HOP_BITS;
	struct hop_cycles *cycles = b->hop_cycles ? new_cycles(bits) : NULL;
	struct hop *hops;

	if (bits > SLOTS_MAX || (b->hop_cycles && (!cycles || settle_hops(b)))) {
		free(cycles);
		return -ENOMEM;
	}
	hops = slots_resize(b->hops, b->hop_bits, bits, sizeof(*hops), hash_of_hop);
	if (!hops) {
		free(cycles);
		return -ENOMEM;
	}
	free(b->hop_cycles);
	b->hop_cycles = cycles;
	b->hops = hops;
	b->hop_bits = bits;
	return 0;
}

static int widen_pairs(struct brstat *b)
{
	unsigned bits = b->pairs ? b->pair_bits + 1 : PAIR_BITS;
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

static inline int room_for_pairs(struct brstat *b, size_t more)
{
	while (unlikely(!b->pairs || !has_room(b->nr_pairs, more, b->pair_bits)))
		if (widen_pairs(b))
			return -ENOMEM;
	return 0;
}

/* Room for a chunk; and for cycles, from the first on that there are. 0 or -ENOMEM. */
static int room_for_hops(struct brstat *b)
{
	while (unlikely(!b->hops || !has_room(b->nr_hops, CHUNK + 1, b->hop_bits)))
		if (widen_hops(b))
			return -ENOMEM;
	return 0;
}

static int room_for_cycles(struct brstat *b)
{
	if (!b->hop_cycles)
		b->hop_cycles = new_cycles(b->hop_bits);
	return b->hop_cycles ? 0 : -ENOMEM;
}

/* Where the hop of a branch is, or is to be. @next: where the next one left, as far as that counts. */
static __always_inline struct hop *find_hop(struct hop *hops, unsigned bits, const struct taken *t,
					    uint64_t next)
{
	uint32_t at = t->at;
	struct hop *h = &hops[at];

	while (h->where &&
	       ((h->from ^ t->from) | (h->to ^ t->to) | (h->next ^ next) | (h->where ^ t->where))) {
		at = (at + 1) & ((1u << bits) - 1);
		h = &hops[at];
	}
	return h;
}

/* ---- steps ------------------------------------------------------------------------------------- */

/* Where a pair is, or is to be. */
static inline struct pair *pair_slot(const struct brstat *b, uint32_t before, uint32_t edge,
				     size_t slot)
{
	size_t mask = ((size_t)1 << b->pair_bits) - 1;
	struct pair *p = &b->pairs[slot];

	while (p->step && (p->edge != edge || p->before != before)) {
		slot = (slot + 1) & mask;
		p = &b->pairs[slot];
	}
	return p;
}

static struct pair *pair_of(const struct brstat *b, uint32_t before, uint32_t edge)
{
	return pair_slot(b, before, edge, pair_hash(before, edge) >> (64 - b->pair_bits));
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
		*p = (struct pair){ before, edge, (uint32_t)b->steps.n, 0, 0, 0, 0 };
		b->nr_pairs++;
	}
	return &b->steps.v[p->step - 1];
}

/* The pair of an edge behind another one, or behind ID_NONE; NULL: no memory. */
static struct pair *new_pair(struct brstat *b, uint32_t before, uint32_t edge)
{
	uint32_t between = ID_NONE, id;
	struct walk_step *st;
	struct pair *p;

	if (before != ID_NONE && brstat_between(b, before, edge, &between))
		return NULL;
	st = brstat_step(b, between == ID_NONE ? ID_NONE : before, edge);
	if (!st || room_for_pairs(b, 1))
		return NULL;
	st->stretch = between;
	id = (uint32_t)(st - b->steps.v);
	p = pair_of(b, before, edge);
	/* Behind an edge that it does not follow: known by that one, too. */
	if (!p->step) {
		*p = (struct pair){ before, edge, id + 1, 0, 0, 0, 0 };
		b->nr_pairs++;
	}
	if (b->o.what & BRSTAT_PATHS) {
		p->traits = brstat_traits(b, id);
		pair_of(b, b->steps.v[id].before, edge)->traits = p->traits;
	}
	return p;
}

static inline struct pair *find_pair(struct brstat *b, uint32_t before, uint32_t edge, size_t slot)
{
	struct pair *p = pair_slot(b, before, edge, slot);

	return likely(p->step) ? p : new_pair(b, before, edge);
}

/* Where it may be new; NULL: no memory. */
static struct pair *pair_behind(struct brstat *b, uint32_t before, uint32_t edge)
{
	uint32_t now = b->info.v[edge].ends;

	if (room_for_pairs(b, 1))
		return NULL;
	return find_pair(b, before, now, pair_hash(before, now) >> (64 - b->pair_bits));
}

static void settle_pair(struct brstat *b, struct pair *p)
{
	struct walk_step *st = &b->steps.v[p->step - 1];

	st->nr += p->nr;
	st->nr_cycles += p->nr_cycles;
	st->cycles += p->cycles;
	p->nr = p->nr_cycles = 0;
	p->cycles = 0;
}

static inline void count_pair(struct brstat *b, struct pair *p, uint32_t cycles)
{
	p->nr += b->times;
	if (cycles) {
		p->nr_cycles += b->times;
		p->cycles += (uint64_t)cycles * b->times;
	}
	if (unlikely(p->nr >= COUNT_MAX))
		settle_pair(b, p);
}

/* ---- what is new ------------------------------------------------------------------------------- */

/* The edge of two addresses; ID_NONE: no memory. */
static uint32_t find_edge(struct brstat *b, struct thread *th, uint64_t from, uint64_t to)
{
	uint32_t a = resolver_find(b->res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, from);
	uint32_t z = resolver_find(b->res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, to);

	return a == LOC_NONE || z == LOC_NONE ? ID_NONE : brstat_edge(b, a, z);
}

static uint32_t edge_of(struct brstat *b, struct thread *th, struct taken *t)
{
	if (t->edge == ID_NONE)
		t->edge = find_edge(b, th, t->from, t->to);
	return t->edge;
}

/* Of what comes behind: that has a hop, maybe. */
static uint32_t edge_behind(struct brstat *b, struct thread *th, struct taken *t, bool asked)
{
	if (asked && t->edge == ID_NONE) {
		const struct hop *h = find_hop(b->hops, b->hop_bits, t, t[1].from);

		if (h->where)
			t->edge = h->edge;
	}
	return edge_of(b, th, t);
}

/* A branch has one type; of a file that says more the greatest counts, in whichever order they come. */
static void note_type(struct edge_info *info, unsigned type)
{
	if (type > info->type)
		info->type = (uint8_t)type;
}

/* What comes behind a hop. 0 or -ENOMEM. */
static int look_behind(struct brstat *b, struct hop *h, uint32_t next)
{
	uint32_t before = h->edge == ID_NONE ? ID_NONE : b->info.v[h->edge].begins;
	struct pair *p = pair_behind(b, before, next);

	if (!p)
		return -ENOMEM;
	h->step = p->step - 1;
	h->stretch = b->steps.v[h->step].stretch;
	h->pairs = b->o.what & BRSTAT_WHY && h->stretch != ID_NONE &&
		   brstat_goes_about(b, b->info.v[next].site);
	return b->o.what & BRSTAT_WHY ? brstat_list_outcomes(b, h, b->info.v[next].site) : 0;
}

/*
 * Of a branch that has no slot yet, but @h for it; NULL: no memory. @asked: of the next one it is known where its slot
 * would be.
 */
static struct hop *new_hop(struct brstat *b, struct thread *th, struct taken *t, struct hop *h,
			   bool asked)
{
	struct hop new = { .from = t->from,
			   .to = t->to,
			   .next = t->where & HOP_NEXT ? t[1].from : 0,
			   .where = t->where,
			   .edge = ID_NONE,
			   .step = ID_NONE,
			   .stretch = ID_NONE };

	if (new.where & HOP_BRANCH) {
		new.edge = edge_of(b, th, t);
		if (new.edge == ID_NONE)
			return NULL;
		note_type(&b->info.v[new.edge], branch_flags_type(t->flags));
	}
	if (new.where & HOP_BRANCH && b->o.what &BRSTAT_QUALITY) {
		new.function = brstat_function(b, (uint32_t)brstat_edge_locs(b, new.edge)[0]);
		if (new.function == ID_NONE)
			return NULL;
	}
	if (new.where & HOP_NEXT) {
		uint32_t next = edge_behind(b, th, t + 1, asked);

		if (next == ID_NONE || look_behind(b, &new, next))
			return NULL;
	}
	*h = new;
	b->nr_hops++;
	return h;
}

/* ---- counting ---------------------------------------------------------------------------------- */

static int settle_last(struct brstat *b, uint32_t stretch, struct hop_cycles *hc, unsigned i)
{
	static const struct cycle_hist none = { .min = UINT16_MAX };
	struct cycle_hist *h;

	if (!hc->nr_last[i])
		return 0;
	if (vec_reach(&b->hists, stretch, none))
		return -ENOMEM;
	h = &b->hists.v[stretch];
	h->n[brstat_cycle_bucket(hc->last[i])] += hc->nr_last[i];
	h->min = (uint16_t)min_u64(h->min, hc->last[i]);
	h->max = (uint16_t)max_u64(h->max, hc->last[i]);
	hc->nr_last[i] = 0;
	return 0;
}

static int settle_cycles(struct brstat *b, const struct hop *h, struct hop_cycles *hc)
{
	struct walk_step *st = &b->steps.v[h->step];

	st->nr_cycles += (uint64_t)hc->nr[0] + hc->nr[1];
	st->cycles += hc->cycles[0] + hc->cycles[1];
	st->nr_missed += hc->nr[1];
	st->cyc_missed += hc->cycles[1];
	hc->nr[0] = hc->nr[1] = 0;
	hc->cycles[0] = hc->cycles[1] = 0;
	return settle_last(b, h->stretch, hc, 0) ?: settle_last(b, h->stretch, hc, 1);
}

static int settle_hop(struct brstat *b, struct hop *h)
{
	int ret = 0;

	if (h->edge != ID_NONE) {
		struct edge_info *info = &b->info.v[h->edge];

		info->nr += h->nr;
		info->mispred += h->mispred;
		info->flagged += h->flagged;
		note_type(info, h->type);
	}
	if (h->step != ID_NONE) {
		/* Else they are counted by pairs. */
		if (!h->pairs)
			b->steps.v[h->step].nr += h->nr;
		if (b->hop_cycles)
			ret = settle_cycles(b, h, &b->hop_cycles[h - b->hops]);
	}
	h->nr = h->mispred = h->flagged = 0;
	return ret;
}

static int settle_hops(struct brstat *b)
{
	int ret = 0;

	for (size_t i = 0; b->hops && !ret && i < (size_t)1 << b->hop_bits; i++)
		if (b->hops[i].where)
			ret = settle_hop(b, &b->hops[i]);
	return ret;
}

int brstat_settle(struct brstat *b)
{
	int ret = brstat_settle_stacks(b) ?: settle_hops(b);

	for (size_t i = 0; b->pairs && i < (size_t)1 << b->pair_bits; i++)
		if (b->pairs[i].nr)
			settle_pair(b, &b->pairs[i]);
	free(b->hops);
	free(b->hop_cycles);
	b->hops = NULL;
	b->hop_cycles = NULL;
	b->nr_hops = 0;
	brstat_forget_stacks(b);
	brstat_settle_outcomes(b);
	return ret;
}

/* Cycles of the code behind a hop; @missed: its branch was mispredicted. */
static __always_inline int count_cycles(struct brstat *b, const struct hop *h,
					struct hop_cycles *hc, uint32_t cycles, bool missed,
					const unsigned what)
{
	const uint32_t times = b->times;
	unsigned at;

	hc->nr[missed] += times;
	hc->cycles[missed] += (uint64_t)cycles * times;
	if (!(what & BRSTAT_CYCLES) || h->stretch == ID_NONE)
		return 0;
	/* A block mostly takes its time, and now and then another one. */
	at = hc->last[0] != cycles;
	if (at && hc->last[1] != cycles)
		at = hc->nr_last[0] > hc->nr_last[1];
	if (hc->last[at] != cycles || unlikely(hc->nr_last[at] > UINT16_MAX - BRSTAT_TIMES_MAX)) {
		if (settle_last(b, h->stretch, hc, at))
			return -ENOMEM;
		hc->last[at] = (uint16_t)cycles;
	}
	hc->nr_last[at] = (uint16_t)(hc->nr_last[at] + times);
	return 0;
}

/* Why a branch that goes to several places did: the one before it counts. */
static int count_after(struct brstat *b, struct walk_state *w, const struct hop *h)
{
	if (unlikely(w->before != ID_NONE)) {
		struct pair *p = pair_behind(b, w->before, h->edge);

		if (!p)
			return -ENOMEM;
		count_pair(b, p, 0);
	}
	w->before = h->pairs ? h->edge : ID_NONE;
	return 0;
}

static __always_inline int count_hop(struct brstat *b, struct walk_state *w, struct hop *h,
				     const struct taken *t, const unsigned what)
{
	const uint32_t flags = t->flags, type = branch_flags_type(flags), times = b->times;

	h->nr += times;
	h->mispred += (flags & 1) * times;
	h->flagged += ((flags & 3) != 0) * times;
	if (unlikely(type > h->type))
		h->type = (uint8_t)type;
	if (unlikely(h->nr >= COUNT_MAX) && settle_hop(b, h))
		return -ENOMEM;
	if (what & BRSTAT_PATHS)
		return 0;
	if (t[1].cycles &&
	    count_cycles(b, h, &b->hop_cycles[h - b->hops], t[1].cycles, flags & 1, what))
		return -ENOMEM;
	if (what & BRSTAT_WHY) {
		if (h->where & HOP_NEXT)
			brstat_add_outcomes(b, h->list);
		return count_after(b, w, h);
	}
	if (what & BRSTAT_QUALITY && h->where & HOP_BRANCH)
		return brstat_count_function(b, h->function);
	return 0;
}

/* Of branches @t up to @last. 0 or -ENOMEM. */
static __always_inline int count_hops(struct brstat *b, struct thread *th, struct walk_state *w,
				      struct taken *t, const struct taken *last,
				      const unsigned what)
{
	const uint64_t mask = what & BRSTAT_PATHS ? 0 : UINT64_MAX;
	struct hop *hops = b->hops;
	const unsigned bits = b->hop_bits;

	for (; t <= last; t++) {
		struct hop *h = find_hop(hops, bits, t, t[1].from & mask);

		if (unlikely(!h->where) && !new_hop(b, th, t, h, t < last))
			return -ENOMEM;
		if (what & BRSTAT_PATHS)
			t->edge = h->edge;
		if (count_hop(b, w, h, t, what))
			return -ENOMEM;
	}
	return 0;
}

/* Paths: edges, then pairs of them. 0 or -ENOMEM. */
static int count_pairs(struct brstat *b, const struct walk_state *w, struct chunk *c)
{
	struct taken *first = &c->v[1], *end = &c->v[c->n + 1];
	struct stride *walked;

	if (room_for_pairs(b, 2 * c->n) || vec_reserve(&b->walk, b->walk.n + c->n))
		return -ENOMEM;
	for (struct taken *t = first; t < end; t++) {
		uint32_t before = w->all ? t[-1].edge : ID_NONE;

		t->at = (uint32_t)(pair_hash(before, t->edge) >> (64 - b->pair_bits));
		__builtin_prefetch(&b->pairs[t->at], 1);
	}
	walked = &b->walk.v[b->walk.n];
	for (struct taken *t = first; t < end; t++) {
		uint32_t before = w->all ? t[-1].edge : ID_NONE;
		struct pair *p = find_pair(b, before, t->edge, t->at);

		if (unlikely(!p))
			return -ENOMEM;
		count_pair(b, p, t->cycles);
		*walked++ = (struct stride){ p->step - 1, p->traits };
	}
	b->walk.n += c->n;
	return 0;
}

/* ---- stacks ------------------------------------------------------------------------------------ */

static inline void ask_for(struct taken *t, uint64_t hash, uint32_t where, const struct hop *hops,
			   const struct hop_cycles *cycles, unsigned bits)
{
	t->where = where;
	t->at = (uint32_t)(hash >> (64 - bits));
	__builtin_prefetch(&hops[t->at], 1);
	if (cycles)
		__builtin_prefetch(&cycles[t->at], 1);
}

/*
 * The next branches of the stack, up to @max, behind number 0. Hops are those of each with the next one: that of the last
 * has to wait for what is collected after it. True: there were cycles.
 */
static __always_inline bool collect(const struct brstat *b, const struct sample_branches *s,
				    struct walk_state *w, struct chunk *c, unsigned max, bool swap,
				    bool paths)
{
	const uint64_t rare = BIT(33) | 3u << 24; /* not taken, or speculation is known */
	const struct hop_cycles *hop_cycles = b->hop_cycles;
	const struct hop *hops = b->hops;
	const unsigned bits = b->hop_bits;
	const unsigned char *p = s->entries + w->end * BRANCH_ENTRY_SIZE;
	uint64_t cycles = w->cycles, all = 0;
	struct taken *t = c->v, *end = t + max;
	uint32_t where = w->where | w->kind | HOP_NEXT;
	uint64_t hash = hash_branch(t->from, t->to);

	while (p > s->entries && t < end) {
		uint64_t flags, from;
		uint32_t more;

		p -= BRANCH_ENTRY_SIZE;
		flags = branch_load_flags(p, swap);
		more = branch_flags_cycles(flags);
		cycles = more ? cycles + more : 0;
		if (unlikely(flags & rare) && (branch_flags_not_taken(flags) ||
					       branch_flags_spec(flags) == BR_SPEC_WRONG_PATH))
			continue;
		from = load_u64(p, swap);
		if (!paths)
			ask_for(t, hash + hash_next(from, where), where, hops, hop_cycles, bits);
		t++;
		t->from = from;
		t->to = load_u64(p + 8, swap);
		t->flags = (uint32_t)flags;
		t->cycles = (uint32_t)min_u64(cycles, UINT16_MAX);
		t->edge = ID_NONE;
		hash = hash_branch(from, t->to);
		where |= HOP_BRANCH;
		if (paths)
			ask_for(t, hash + hash_next(0, w->where | HOP_BRANCH),
				w->where | HOP_BRANCH, hops, NULL, bits);
		all |= cycles;
		cycles = 0;
	}
	t[1].from = 0;
	t[1].cycles = 0;
	w->cycles = cycles;
	w->kind = where & HOP_BRANCH;
	w->end = (uint64_t)(p - s->entries) / BRANCH_ENTRY_SIZE;
	c->n = (unsigned)(t - c->v);
	return all;
}

/* Where the last one leads to is seen with the next chunk, if there is any. */
static inline struct taken *last_hop(const struct brstat *b, const struct walk_state *w,
				     struct chunk *c)
{
	struct taken *t = &c->v[c->n];
	uint32_t where = w->where | HOP_BRANCH;

	if (w->end && w->all)
		return t - 1;
	ask_for(t, hash_branch(t->from, t->to) + hash_next(0, where), where, b->hops, b->hop_cycles,
		b->hop_bits);
	return t;
}

static int add_chunk(struct brstat *b, const struct sample_branches *s, struct thread *th,
		     struct walk_state *w, struct chunk *c)
{
	const bool paths = b->o.what & BRSTAT_PATHS;
	/* Of some branches alone each is a stack of its own. */
	unsigned max = w->all ? CHUNK : 1;
	struct taken *last;
	bool cycles;

	if (room_for_hops(b))
		return -ENOMEM;
	cycles = likely(!s->swap) ? collect(b, s, w, c, max, false, paths)
				  : collect(b, s, w, c, max, true, paths);
	if (paths)
		return count_hops(b, th, w, c->v + 1, c->v + c->n, BRSTAT_PATHS)
			       ?: count_pairs(b, w, c);
	if (!w->kind)
		return 0;
	if (unlikely(cycles && !b->hop_cycles) && room_for_cycles(b))
		return -ENOMEM;
	last = last_hop(b, w, c);
	switch (b->o.what) {
	case BRSTAT_WHY: return count_hops(b, th, w, c->v, last, BRSTAT_WHY);
	case BRSTAT_CYCLES: return count_hops(b, th, w, c->v, last, BRSTAT_CYCLES);
	default: return count_hops(b, th, w, c->v, last, b->o.what);
	}
}

/* The last branch of a chunk stands before the next one; where there is no chunk yet, nothing does. */
static void carry(struct walk_state *w, struct chunk *c)
{
	if (w->all && w->kind)
		c->v[0] = c->v[c->n];
	else
		c->v[0] = (struct taken){ .edge = ID_NONE };
	w->kind = w->all ? w->kind : 0;
}

uint32_t brstat_space(struct brstat *b, const struct thread *th)
{
	const uint64_t key[2] = { th->space, machine_generation(b->o.machine, th->space) };
	const uint64_t *last = b->spaces.n ? keys_tuple_get(&b->spaces, b->space) : NULL;

	if (unlikely(!last || last[0] != key[0] || last[1] != key[1]))
		b->space = keys_tuple_id(&b->spaces, key);
	return b->space <= UINT32_MAX >> HOP_WHERE ? b->space : ID_NONE;
}

int brstat_add_stack(struct brstat *b, const struct sample_branches *s, uint32_t space,
		     struct thread *th, bool all)
{
	struct walk_state w = {
		.end = s->nr,
		.where = space << HOP_WHERE,
		.before = ID_NONE,
		.all = all,
	};
	struct chunk c;
	int ret = 0;

	b->walk.n = 0;
	b->stack++;
	for (c.n = 0; !ret && w.end;) {
		carry(&w, &c);
		ret = add_chunk(b, s, th, &w, &c);
	}
	return ret;
}
