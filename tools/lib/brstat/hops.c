// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where stacks are counted. Millions of entries are of few thousand different branches, and code behind a branch mostly
 * leaves at one place: so a branch, and where the next one left, is one slot, found by the addresses as the
 * record has them, that holds its counts and what else is to be done when it comes by. All slots of a chunk of a stack are asked
 * for before the first is looked at; nothing is resolved, and no code is read, but when a slot is new.
 *
 * Where it matters what the next branch went to, steps are counted by pairs of edges: answer why does so with branches that go to
 * several places, in a table of their own (pairs.c), and paths with all of them. So a hop of these has the edges that mostly come
 * behind it with their counts, and the rest is written down (late.c).
 *
 * What slots counted goes on to edges, steps and histograms when they are settled: all of these are sums.
 */
#include <stdlib.h>

#include "branch/branch.h"
#include "brstat-int.h"

#define CHUNK 64

/* A branch of a stack, and what its hop came to. */
struct taken {
	uint64_t from, to;
	uint64_t key;	/* of its hop */
	uint32_t at;	/* where to look for that first; later BRSTAT_WHY: its outcomes */
	uint32_t flags; /* the lower half of the entry's */
	uint32_t cycles;
	uint32_t edge; /* ID_NONE = not looked at */
};

/*
 * Branches one after the other, oldest first: @n of them from 1 on. Number 0 is what came before, or nothing at all; one
 * behind the last is empty.
 */
struct chunk {
	struct taken v[CHUNK + 2];
	unsigned n;
	bool ends;   /* the last one has a hop of its own, in b->ends: nothing comes behind it */
	bool looked; /* ahead: look_ahead() */
	/* BRSTAT_WHY: hops in front of branches that go to several places, and those behind each. */
	struct link {
		const struct hop_more *more;
		bool open; /* the one behind it has to be known */
	} link[CHUNK + 2];
	unsigned nr_links;
};

struct walk_state {
	uint64_t end; /* entries that are not collected yet */
	uint64_t cycles;
	uint64_t space;	 /* see struct hop */
	uint32_t before; /* BRSTAT_WHY: an edge whose next one is counted by pairs */
	uint32_t kind;	 /* HOP_BRANCH: there was one */
	bool open;	 /* the hop before was such a one */
	bool all;
	bool meet; /* nothing is counted */
};

/* ---- tables ------------------------------------------------------------------------------------ */

/* Room for @more in a table of 2^@bits: half of it stays empty at least, so that most looks find what they are for at once. */
static inline bool has_room(size_t nr, size_t more, unsigned bits)
{
	return likely((nr + more) * 2 <= (size_t)1 << bits);
}

/* 0 or -ENOMEM. */
static inline int room_for_hops(const struct brstat *b, struct hops *t, size_t more)
{
	while (unlikely(!t->v || !has_room(t->n, more, t->bits)))
		if (brstat_widen_hops(t, b->o.what != BRSTAT_PATHS))
			return -ENOMEM;
	return 0;
}

/* Where the hop of a branch is, or is to be. */
static __always_inline struct hop *find_hop(struct hop *hops, unsigned bits, const struct taken *t)
{
	size_t at = t->at;
	struct hop *h = &hops[at];

	while (((h->from ^ t->from) | (h->to ^ t->to) | (h->key ^ t->key)) && h->key) {
		at = hop_next(at, t->at, bits);
		h = &hops[at];
	}
	return h;
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
		const struct hop *h = find_hop(b->hops.v, b->hops.bits, t);

		if (h->key)
			t->edge = b->hops.more[h - b->hops.v].edge;
	}
	return edge_of(b, th, t);
}

/* What comes behind a hop. 0 or -ENOMEM. */
static int look_behind(struct brstat *b, struct hop *h, struct hop_more *m, uint32_t next)
{
	uint32_t before = m->edge == ID_NONE ? ID_NONE : b->info.v[m->edge].begins;
	struct pair *p = brstat_pair(b, before, b->info.v[next].ends);
	uint32_t site = b->info.v[next].site, stretch, list;

	if (!p)
		return -ENOMEM;
	m->step = p->step - 1;
	stretch = b->steps.v[m->step].stretch;
	if (b->o.what == BRSTAT_CYCLES)
		h->use = stretch;
	if (b->o.what != BRSTAT_WHY)
		return 0;
	if (brstat_list_outcomes(b, stretch, site, &list))
		return -ENOMEM;
	h->use = list << USE_LIST | (brstat_is_alone(b, list) ? USE_ALONE : 0) |
		 (stretch != ID_NONE && brstat_goes_about(b, site) ? USE_OPEN : 0);
	return 0;
}

/* What is known of a branch itself. 0 or -ENOMEM. */
static int look_at(struct brstat *b, struct thread *th, struct taken *t, struct hop *h,
		   struct hop_more *m)
{
	m->edge = edge_of(b, th, t);
	if (m->edge == ID_NONE)
		return -ENOMEM;
	brstat_note_type(&b->info.v[m->edge], branch_flags_type(t->flags));
	if (b->o.what == BRSTAT_PATHS) {
		h->edge = m->edge;
		h->traits = (uint16_t)brstat_edge_traits(b, h->edge, hop_type(h->key));
		for (unsigned i = 0; i < NR_BEHIND; i++)
			h->behind[i] = ID_NONE;
	}
	if (b->o.what != BRSTAT_QUALITY)
		return 0;
	h->use = brstat_function(b, (uint32_t)brstat_edge_locs(b, m->edge)[0]);
	return h->use == ID_NONE ? -ENOMEM : 0;
}

/*
 * Of a branch that has no slot yet, but @h for it. @asked: of the next one it is known where its slot would be. 0 or
 * -ENOMEM.
 */
static int new_hop(struct brstat *b, struct hops *in, struct thread *th, struct taken *t,
		   struct hop *h, bool asked)
{
	struct hop new = { .from = t->from, .to = t->to, .key = t->key };
	struct hop_more more = { .edge = ID_NONE, .step = ID_NONE };

	if (new.key & HOP_BRANCH &&look_at(b, th, t, &new, &more))
		return -ENOMEM;
	if (new.key & HOP_NEXT) {
		uint32_t next = edge_behind(b, th, t + 1, asked);

		if (next == ID_NONE || look_behind(b, &new, &more, next))
			return -ENOMEM;
	}
	*h = new;
	if (in->more)
		in->more[h - in->v] = more;
	in->n++;
	return 0;
}

/* Branches of a chunk whose edges are looked for together, and their addresses: from, to. */
struct looked {
	struct taken *who[CHUNK + 1];
	struct resolver_ip ip[2 * (CHUNK + 1)];
	uint32_t loc[2 * (CHUNK + 1)];
	unsigned n;
};

/* Which edges new hops of the chunk from @i on need that no hop of theirs knows; memory is asked for where these go. */
static void find_new(struct brstat *b, struct chunk *c, unsigned i, bool next, struct looked *l)
{
	bool asked = false; /* by the hop before: it is new and leads to this one */

	for (; i <= c->n; i++) {
		const struct hops *in = i == c->n && c->ends ? &b->ends : &b->hops;
		struct taken *t = &c->v[i];
		/* What the last one of a chunk that goes on leads to is not known yet. */
		bool known = i < c->n || c->ends || !next;
		const struct hop *h = known ? find_hop(in->v, in->bits, t) : NULL;
		bool is_new = known && !h->key;

		if (is_new && in->more)
			__builtin_prefetch(&in->more[h - in->v], 1);
		if (t->edge == ID_NONE && (i || t->key & HOP_BRANCH)) {
			if (known && !is_new && asked && in->more) {
				t->edge = in->more[h - in->v].edge;
			} else if (is_new || asked) {
				l->ip[2 * l->n] =
					(struct resolver_ip){ t->from,
							      PERF_RECORD_MISC_CPUMODE_UNKNOWN };
				l->ip[2 * l->n + 1] =
					(struct resolver_ip){ t->to,
							      PERF_RECORD_MISC_CPUMODE_UNKNOWN };
				l->who[l->n++] = t;
			}
		}
		asked = is_new && next;
	}
}

/*
 * Where a hop is new others of its chunk mostly are, too: one step after the other for all of them from @i on, each of which
 * asks for the memory that the next one needs. @next: hops are those of branches with the next one. 0 or -ENOMEM.
 */
static int look_ahead(struct brstat *b, struct thread *th, struct chunk *c, size_t i, bool next)
{
	struct looked l;

	c->looked = true;
	l.n = 0;
	find_new(b, c, (unsigned)i, next, &l);
	resolver_find_many(b->res, th, l.ip, l.loc, 2 * (size_t)l.n);
	for (unsigned k = 0; k < l.n; k++) {
		if (l.loc[2 * k] == LOC_NONE || l.loc[2 * k + 1] == LOC_NONE)
			return -ENOMEM;
		brstat_ask_for_edge(b, l.loc[2 * k], l.loc[2 * k + 1]);
	}
	for (unsigned k = 0; k < l.n; k++) {
		l.who[k]->edge = brstat_edge(b, l.loc[2 * k], l.loc[2 * k + 1]);
		if (l.who[k]->edge == ID_NONE)
			return -ENOMEM;
	}
	for (; next && i < c->n; i++)
		if (c->v[i].edge != ID_NONE && c->v[i + 1].edge != ID_NONE)
			brstat_ask_for_step(b, b->info.v[c->v[i].edge].begins,
					    b->info.v[c->v[i + 1].edge].ends);
	return 0;
}

/* ---- counting ---------------------------------------------------------------------------------- */

/* What the code behind a hop took, whose branch was mispredicted. */
static __always_inline void count_missed(struct hops *in, const struct hop *h, uint32_t cycles,
					 uint32_t times)
{
	struct hop_more *m = &in->more[h - in->v];

	m->nr_missed += times;
	m->cyc_missed += (uint64_t)cycles * times;
}

/* What it took; @missed: its branch was mispredicted. */
static __always_inline void count_cycles(struct brstat *b, struct hops *in, struct hop *h,
					 uint32_t cycles, bool missed)
{
	const uint32_t times = b->times;

	h->nr_cycles += times;
	h->cycles += (uint64_t)cycles * times;
	if (unlikely(missed))
		count_missed(in, h, cycles, times);
}

/* One more of cycles that are among the last, as a block mostly takes one of few. Which it is is not foreseen: no jumps. */
static __always_inline bool count_last(struct hop *h, uint32_t cycles, uint32_t times)
{
	const uint64_t differs = h->last ^ cycles * LATE_ONES;
	/* The lowest bit there is that of the first that is the same. */
	const uint64_t same = (differs - LATE_ONES) & ~differs & LATE_TOPS;

	if (unlikely(!same))
		return false;
	h->nr_last += (uint64_t)times << (__builtin_ctzll(same) & 48);
	return true;
}

/* Cycles that are none of the last, in the place of those that came least. 0 or -ENOMEM. */
static __attribute__((noinline)) int note_cycles(struct brstat *b, struct hop *h, uint32_t cycles)
{
	unsigned least = 0;

	for (unsigned i = 1; i < LATE_CYCLES; i++)
		if (late_of(h->nr_last, i) < late_of(h->nr_last, least))
			least = i;
	if (brstat_settle_last(b, h, least))
		return -ENOMEM;
	h->last &= ~(LATE_MASK << 16 * least);
	h->last |= (uint64_t)cycles << 16 * least;
	h->nr_last |= (uint64_t)b->times << 16 * least;
	return 0;
}

/* BRSTAT_CYCLES. 0 or -ENOMEM. */
static __always_inline int count_timed(struct brstat *b, struct hops *in, struct hop *h,
				       uint32_t cycles, bool missed)
{
	const uint32_t times = b->times;

	if (unlikely(missed)) {
		h->mispred += times;
		if (cycles)
			count_missed(in, h, cycles, times);
	}
	if (unlikely(!cycles))
		h->nr += times;
	else if (!count_last(h, cycles, times) && note_cycles(b, h, cycles))
		return -ENOMEM;
	return unlikely(h->nr >= COUNT_MAX || h->nr_last & LATE_TOPS)
		       ? brstat_settle_hop(b, in, (size_t)(h - in->v))
		       : 0;
}

/*
 * Why a branch that goes to several places did: the one before it counts. All edges are asked for, then all pairs, before the
 * first is counted.
 */
static int count_links(struct brstat *b, struct walk_state *w, struct chunk *c)
{
	struct link *end = c->link + c->nr_links;
	uint32_t before = w->before;

	for (struct link *l = c->link; l < end; l++)
		__builtin_prefetch(&b->info.v[l->more->edge]);
	for (struct link *l = c->link; l < end; l++) {
		if (before != ID_NONE)
			brstat_ask_for_step(b, before, b->info.v[l->more->edge].ends);
		before = l->open ? l->more->edge : ID_NONE;
	}
	for (struct link *l = c->link; l < end; l++) {
		if (w->before != ID_NONE) {
			struct pair *p = brstat_pair(b, w->before, b->info.v[l->more->edge].ends);

			if (!p)
				return -ENOMEM;
			brstat_count_pair(b, p);
		}
		w->before = l->open ? l->more->edge : ID_NONE;
	}
	return 0;
}

static __always_inline void note_link(struct hops *in, struct walk_state *w, struct chunk *c,
				      const struct hop *h)
{
	struct link *l = &c->link[c->nr_links++];

	l->more = &in->more[h - in->v];
	l->open = w->open = h->use & USE_OPEN;
	__builtin_prefetch(l->more);
}

/* Of a stack that comes again and again: what is counted by time. */
static int note_function(struct brstat *b, uint32_t function)
{
	vec_for_each (r, b->ran) {
		if (r->function == function) {
			r->nr++;
			return 0;
		}
	}
	return vec_push(b->ran, ((struct slice_count){ function, 1 }));
}

static __always_inline int count_hop(struct brstat *b, struct hops *in, struct walk_state *w,
				     struct chunk *c, struct hop *h, struct taken *t,
				     const unsigned what)
{
	const size_t i = (size_t)(h - in->v);
	const uint32_t times = b->times;

	if (what == BRSTAT_CYCLES)
		return count_timed(b, in, h, t[1].cycles, t->flags & 1);
	h->nr += times;
	h->mispred += (t->flags & 1) * times;
	if (unlikely(h->nr >= COUNT_MAX) && brstat_settle_hop(b, in, i))
		return -ENOMEM;
	if (what == BRSTAT_WHY) {
		if (t[1].cycles)
			count_cycles(b, in, h, t[1].cycles, t->flags & 1);
		t->at = h->use;
		if (unlikely(w->open || h->use & USE_OPEN))
			note_link(in, w, c, h);
		return 0;
	}
	if (!(h->key & HOP_BRANCH))
		return 0;
	return b->ran ? note_function(b, h->use) : brstat_count_function(b, h->use);
}

/* Of branches @t up to @last; @what 0: they are there then, and not counted. 0 or -ENOMEM. */
static __always_inline int count_hops(struct brstat *b, struct hops *in, struct thread *th,
				      struct walk_state *w, struct chunk *c, struct taken *t,
				      const struct taken *last, const unsigned what)
{
	struct hop *hops = in->v;
	const unsigned bits = in->bits;

	for (; t <= last; t++) {
		struct hop *h = find_hop(hops, bits, t);

		if (unlikely(!h->key)) {
			const bool next = b->o.what != BRSTAT_PATHS;

			if (!c->looked && look_ahead(b, th, c, (size_t)(t - c->v), next))
				return -ENOMEM;
			if (new_hop(b, in, th, t, h, t < last))
				return -ENOMEM;
		}
		if (what && count_hop(b, in, w, c, h, t, what))
			return -ENOMEM;
	}
	return 0;
}

/*
 * Of hops that were counted, whose lists are at .at; @ends: so does the stack behind them. What a branch did alone, with
 * nothing known of before and after, says nothing of an order. All lists are asked for before the first is looked at.
 */
static void count_outcomes(struct brstat *b, const struct taken *t, const struct taken *end,
			   bool ends)
{
	uint32_t list[CHUNK + 1];
	unsigned n = 0;

	for (; t < end; t++) {
		bool anew = t + 1 < end ? t[1].at & USE_ALONE : ends;

		list[n] = t->at >> USE_LIST;
		n += !(t->at & USE_ALONE && anew);
	}
	for (unsigned i = 0; i < n; i++)
		__builtin_prefetch(&b->lists.v[list[i]]);
	for (unsigned i = 0; i < n; i++)
		brstat_ask_for_outcomes(b, list[i]);
	for (unsigned i = 0; i < n; i++)
		brstat_add_outcomes(b, list[i]);
}

/* Those with a next one, then where the stack ends. */
static __always_inline int count_chunk(struct brstat *b, struct thread *th, struct walk_state *w,
				       struct chunk *c, const unsigned what)
{
	struct taken *last = c->v + c->n;

	c->nr_links = 0;
	if (count_hops(b, &b->hops, th, w, c, c->v, last - 1, what))
		return -ENOMEM;
	if (what == BRSTAT_WHY)
		count_outcomes(b, c->v, last, c->ends);
	if (c->ends && count_hops(b, &b->ends, th, w, c, last, last, what))
		return -ENOMEM;
	return what == BRSTAT_WHY && c->nr_links ? count_links(b, w, c) : 0;
}

/* ---- paths ------------------------------------------------------------------------------------- */

/* A branch that the hop before it did not count. */
struct other {
	struct hop *before;
	struct stride *at;
	uint32_t cycles;
};

/* An edge behind a hop, if that counts it. */
static __always_inline bool count_behind(struct hop *before, uint32_t edge, uint64_t more,
					 uint32_t *traits)
{
	uint64_t *v = before->behind;
	/* Which of them comes is not foreseen: no jumps. */
	unsigned i = ((uint32_t)v[1] == edge) + 2 * ((uint32_t)v[2] == edge) +
		     3 * ((uint32_t)v[3] == edge);
	uint64_t sum = v[i] + more;

	if (unlikely((uint32_t)sum != edge || sum & BEHIND_FULL))
		return false;
	v[i] = sum;
	*traits |= (before->pairs >> 2 * i & 3u) << TRAIT_PAIR;
	return true;
}

/* Those that hops did not count: memory for all has been asked for. @none: before the first. 0 or -ENOMEM. */
static int count_others(struct brstat *b, const struct other *other, unsigned nr,
			const struct hop *none)
{
	for (unsigned i = 0; i < nr; i++) {
		const struct other *o = &other[i];
		struct stride *at = o->at;
		uint32_t traits;
		int ret;

		if (o->before->edge == ID_NONE) {
			traits = TRAIT_BROKEN;
			ret = brstat_count_begun(b, at->edge, o->cycles);
		} else if (o->before == none) {
			ret = brstat_count_late(b, none->edge, at->edge, o->cycles, &traits);
		} else {
			ret = brstat_count_behind(b, o->before, at->edge, o->cycles, &traits);
		}
		if (ret)
			return ret;
		at->traits |= traits;
	}
	return 0;
}

static void ask_for_other(const struct brstat *b, const struct hop *before, uint32_t edge)
{
	if (before->edge == ID_NONE)
		return;
	/* Both ends of what may lie across two lines. */
	__builtin_prefetch(&b->info.v[before->edge]);
	__builtin_prefetch(&b->info.v[before->edge].next_traits);
	__builtin_prefetch(&b->info.v[edge].from);
}

/* A hop of a branch alone that is not there yet. Not inline: what is counted is to stay in registers. 0 or -ENOMEM. */
static __attribute__((noinline)) int new_alone(struct brstat *b, struct thread *th, struct chunk *c,
					       struct taken *t, struct hop *h)
{
	if (!c->looked && look_ahead(b, th, c, (size_t)(t - c->v), false))
		return -ENOMEM;
	return new_hop(b, &b->hops, th, t, h, false);
}

/*
 * Each branch with the one before it, mostly in the hop of that one. Not so the first, whose hop before it is not at
 * hand, if it has one. 0 or -ENOMEM.
 */
static int walk_chunk(struct brstat *b, struct thread *th, struct chunk *c)
{
	struct hop none = { .edge = c->v[0].edge }, *before = &none;
	struct taken *const end = &c->v[1] + c->n;
	struct hop *const hops = b->hops.v;
	const unsigned bits = b->hops.bits;
	struct other other[CHUNK];
	const uint32_t times = b->times, most = BEHIND_CYCLES_MAX / times;
	/* One that came, and one that had cycles, all times: see behind_more(). */
	const uint64_t once = behind_more(times, 0), timed = (uint64_t)(times & BEHIND_MAX)
							     << BEHIND_NR_CYCLES;
	_Static_assert(TRAIT_RETURNS == TRAIT_CALLS << 1, "as it is shifted");
	struct stride *walked;
	uint32_t *noted, at = (uint32_t)b->walk.n;
	/* Returns matter behind a call: there may be one in a chunk before. */
	uint32_t wanted = at ? TRAITS_NOTED : TRAITS_NOTED & ~(uint32_t)TRAIT_RETURNS;
	unsigned nr_others = 0;

	if (!c->n) /* perhaps there is no walk yet */
		return 0;
	for (unsigned i = 0; i < NR_BEHIND; i++)
		none.behind[i] = ID_NONE;
	if (vec_reserve(&b->walk, b->walk.n + c->n) || vec_reserve(&b->noted, b->noted.n + c->n))
		return -ENOMEM;
	walked = &b->walk.v[b->walk.n];
	noted = &b->noted.v[b->noted.n];
	b->walk.n += c->n;
	for (struct taken *t = &c->v[1]; t < end; t++) {
		struct hop *h = find_hop(hops, bits, t);
		uint32_t traits;
		bool note;

		if (unlikely(!h->key) && new_alone(b, th, c, t, h))
			return -ENOMEM;
		if (unlikely((t->flags & 3) != 2))
			brstat_count_odd(b, h, times);
		traits = h->traits;
		note = false;
		if (unlikely(t->cycles > most ||
			     !count_behind(before, h->edge,
					   once + (t->cycles ? timed : 0) +
						   ((uint64_t)(t->cycles * times) << BEHIND_CYCLES),
					   &traits))) {
			ask_for_other(b, before, h->edge);
			other[nr_others++] = (struct other){ before, walked, t->cycles };
			note = true;
		}
		/* Which is one of these is not foreseen: no jumps. */
		*noted = at++;
		noted += note | ((traits & wanted) != 0);
		wanted |= (traits & TRAIT_CALLS) << 1;
		*walked++ = (struct stride){ h->edge, traits };
		before = h;
	}
	b->noted.n = (size_t)(noted - b->noted.v);
	c->v[c->n].edge = before->edge;
	return count_others(b, other, nr_others, &none);
}

/* ---- stacks ------------------------------------------------------------------------------------ */

/* @missed: of a mispredicted one more is counted, what it took then. */
static __always_inline void ask_for(struct taken *t, uint64_t key, const struct hops *in,
				    bool missed)
{
	t->key = key;
	t->at = (uint32_t)(hop_hash(t->from, t->to, key) >> (64 - in->bits));
	__builtin_prefetch(&in->v[t->at], 1);
	if (unlikely(missed && t->flags & 1))
		__builtin_prefetch(&in->more[t->at], 1);
}

/* A branch alone. */
static inline uint64_t own_key(const struct taken *t, uint64_t space)
{
	/* HOP_FLAGGED and the type, from where they are. */
	const uint32_t flagged = (t->flags << 3 | t->flags << 2) & HOP_FLAGGED;

	_Static_assert(HOP_FLAGGED == 1u << 3, "as it is shifted");
	return space | HOP_BRANCH | flagged | branch_flags_type(t->flags) << HOP_TYPE;
}

/* Of one with a next one that does not leave behind it, or not near; 0: no memory. */
static uint64_t far_key(struct brstat *b, struct taken *t, uint64_t key, uint64_t next)
{
	uint32_t id;

	if (!(key & HOP_BRANCH)) {
		t->to = next;
		return key;
	}
	id = keys_tuple_id(&b->fars, (const uint64_t[2]){ key, next });
	return id == ID_NONE ? 0
			     : (key & HOP_FLAGGED) | HOP_BRANCH | HOP_NEXT | HOP_FAR |
				       (uint64_t)id << HOP_BYTES;
}

/*
 * The next branches of the stack, up to @max, behind number 0. Hops are those of each with the next one: that of the last
 * has to wait for what is collected after it. 0 or -ENOMEM.
 */
static __always_inline int collect(struct brstat *b, const struct sample_branches *s,
				   struct walk_state *w, struct chunk *c, unsigned max, bool swap,
				   bool paths)
{
	const uint64_t rare = BIT(33) | 3u << 24; /* not taken, or speculation is known */
	const bool missed = b->o.what & (BRSTAT_WHY | BRSTAT_CYCLES);
	/* A copy of one's own: what is written down is none of it. */
	const struct hops hops = b->hops;
	const unsigned char *p = s->entries + w->end * BRANCH_ENTRY_SIZE;
	uint64_t cycles = w->cycles;
	struct taken *t = c->v, *end = t + max;
	uint64_t key = w->kind ? own_key(t, w->space) : w->space;

	while (p > s->entries && t < end) {
		uint64_t flags, from, behind;
		uint32_t more;

		p -= BRANCH_ENTRY_SIZE;
		flags = branch_load_flags(p, swap);
		more = branch_flags_cycles(flags);
		cycles = more ? cycles + more : 0;
		if (unlikely(flags & rare) && (branch_flags_not_taken(flags) ||
					       branch_flags_spec(flags) == BR_SPEC_WRONG_PATH))
			continue;
		from = load_u64(p, swap);
		if (!paths) {
			behind = from - t->to;
			key |= HOP_NEXT;
			if (likely(behind < BIT(HOP_SPACE - HOP_BYTES)))
				key |= behind << HOP_BYTES;
			else if (!(key = far_key(b, t, key, from)))
				return -ENOMEM;
			ask_for(t, key, &hops, missed);
		}
		t++;
		t->from = from;
		t->to = load_u64(p + 8, swap);
		t->flags = (uint32_t)flags;
		t->cycles = (uint32_t)min_u64(cycles, UINT16_MAX);
		t->edge = ID_NONE;
		key = own_key(t, w->space);
		if (paths)
			ask_for(t, key, &hops, false);
		cycles = 0;
	}
	t[1].cycles = 0;
	w->cycles = cycles;
	w->kind |= t > c->v;
	w->end = (uint64_t)(p - s->entries) / BRANCH_ENTRY_SIZE;
	c->n = (unsigned)(t - c->v);
	return 0;
}

static int add_chunk(struct brstat *b, const struct sample_branches *s, struct thread *th,
		     struct walk_state *w, struct chunk *c)
{
	const bool paths = b->o.what == BRSTAT_PATHS;
	/* Of some branches alone each is a stack of its own. */
	unsigned max = w->all ? CHUNK : 1;
	int ret;

	if (room_for_hops(b, &b->hops, CHUNK + 1) || room_for_hops(b, &b->ends, 1))
		return -ENOMEM;
	ret = unlikely(s->swap) ? collect(b, s, w, c, max, true, paths)
	      : paths		? collect(b, s, w, c, max, false, true)
				: collect(b, s, w, c, max, false, false);
	if (ret)
		return ret;
	/* Else where the last one leads to is seen with the next chunk. */
	c->ends = !paths && (!w->end || !w->all);
	c->looked = false;
	if (c->ends && w->kind)
		ask_for(&c->v[c->n], own_key(&c->v[c->n], w->space), &b->ends, false);
	if (paths)
		return w->meet ? count_hops(b, &b->hops, th, w, c, c->v + 1, c->v + c->n, 0)
			       : walk_chunk(b, th, c);
	if (!w->kind)
		return 0;
	switch (w->meet ? 0 : b->o.what) {
	case 0: return count_chunk(b, th, w, c, 0);
	case BRSTAT_WHY: return count_chunk(b, th, w, c, BRSTAT_WHY);
	case BRSTAT_CYCLES: return count_chunk(b, th, w, c, BRSTAT_CYCLES);
	default: return count_chunk(b, th, w, c, BRSTAT_QUALITY);
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
	return b->space;
}

static int add_stack(struct brstat *b, const struct sample_branches *s, uint32_t space,
		     struct thread *th, bool all, bool meet)
{
	struct walk_state w = {
		.end = s->nr,
		.space = (uint64_t)space << HOP_SPACE,
		.before = ID_NONE,
		.all = all,
		.meet = meet,
	};
	struct chunk c;
	int ret = 0;

	b->walk.n = 0;
	b->noted.n = 0;
	b->stack++;
	for (c.n = 0; !ret && w.end;) {
		carry(&w, &c);
		ret = add_chunk(b, s, th, &w, &c);
	}
	return ret;
}

int brstat_add_stack(struct brstat *b, const struct sample_branches *s, uint32_t space,
		     struct thread *th, bool all)
{
	return add_stack(b, s, space, th, all, false);
}

int brstat_meet_stack(struct brstat *b, const struct sample_branches *s, uint32_t space,
		      struct thread *th, bool all)
{
	return add_stack(b, s, space, th, all, true);
}
