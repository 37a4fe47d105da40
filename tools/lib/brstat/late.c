// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answer paths: which branch came behind which. Nearly all are counted where the stack's hops are: a hop has room for the
 * edges that came behind it, and counts that fit in a byte. What is too much for that, and all of it in the end, is written
 * down, in the order in which it comes. Nothing waits for it: it is sorted and added up when there is much, and
 * becomes steps when all is read. These are in the order of their places then.
 */
#include <stdlib.h>

#include "base/numbered.h"
#include "brstat-int.h"

/* So many are written down at least before they are added up: 6 MB in each thread, and twice that where these are joined. */
#define LATE_MIN   ((size_t)1 << 18)
#define JOINED_MIN ((size_t)1 << 19)
/* 12 KB, which fit an L1 cache, and so many that it hardly counts that the first ones wait for memory. */
#define LATE_BEGUN 1024

/* ---- added up ---------------------------------------------------------------------------------- */

/*
 * What is written down, equal ones behind each other: by @rank of their edges, or NULL. The caller frees *mem. NULL: no
 * memory.
 */
static struct numbered *sort_late(const struct brstat *b, const uint32_t *rank,
				  struct numbered **mem)
{
	const size_t n = b->late.n;
	struct numbered *v = malloc(2 * (n + 1) * sizeof(*v));

	*mem = v;
	if (!v || n > UINT32_MAX)
		return NULL;
	mem_large(v, 2 * (n + 1) * sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		const struct late_pair *l = &b->late.v[i];
		const uint32_t before = rank ? rank[l->before] : l->before;
		const uint32_t edge = rank ? rank[l->edge] : l->edge;

		v[i] = (struct numbered){ (uint64_t)before * b->info.n + edge, (uint32_t)i };
	}
	return numbered_sort(v, v + n, n);
}

/* Of one whose turn comes soon. */
static void ask_for_late(const struct brstat *b, const struct numbered *v, size_t i)
{
	if (i + 2 * AHEAD < b->late.n)
		__builtin_prefetch(&b->late.v[v[i + 2 * AHEAD].id]);
}

/* The same of its edge. */
static void ask_for_late_edge(const struct brstat *b, const struct numbered *v, size_t i)
{
	if (i + AHEAD < b->late.n)
		__builtin_prefetch(&b->info.v[b->late.v[v[i + AHEAD].id].edge], 1);
}

/* Of those from @i on that are equal, the sum: as many as it can hold. Returns the next one. */
static size_t add_equal(const struct brstat *b, const struct numbered *v, size_t i,
			struct late_pair *sum)
{
	const size_t n = b->late.n;
	const uint64_t number = v[i].number;

	ask_for_late(b, v, i);
	*sum = b->late.v[v[i].id];
	for (; ++i < n && v[i].number == number;) {
		const struct late_pair *l = &b->late.v[v[i].id];

		if (sum->nr > UINT32_MAX - l->nr)
			break;
		ask_for_late(b, v, i);
		sum->nr += l->nr;
		sum->nr_cycles += l->nr_cycles;
		sum->cycles += l->cycles;
	}
	return i;
}

/* One of each is left. 0 or -ENOMEM. */
static int add_up(struct brstat *b)
{
	VEC(struct late_pair) to = { 0 };
	struct numbered *mem, *v = sort_late(b, NULL, &mem);
	int ret = v ? vec_reserve(&to, b->late.n) : -ENOMEM;

	for (size_t i = 0, next; !ret && i < b->late.n; i = next) {
		next = add_equal(b, v, i, &to.v[to.n]);
		to.n++;
	}
	free(mem);
	if (ret) {
		vec_free(&to);
		return -ENOMEM;
	}
	free(b->late.v);
	b->late.v = to.v;
	b->late.n = to.n;
	b->late.cap = to.cap;
	b->late_most = 2 * to.n;
	return 0;
}

/* Written down, where @least are before they are added up. 0 or -ENOMEM. */
static inline int note_pair(struct brstat *b, const struct late_pair *new, size_t least)
{
	if (unlikely(b->late.n >= least && b->late.n >= b->late_most) && add_up(b))
		return -ENOMEM;
	return vec_push(&b->late, *new);
}

/* ---- counts ------------------------------------------------------------------------------------ */

/* To b->begun. 0 or -ENOMEM. */
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

int brstat_count_late(struct brstat *b, uint32_t before, uint32_t edge, uint32_t cycles,
		      uint32_t *traits)
{
	const struct late_pair new = { before, edge, b->times, cycles ? b->times : 0,
				       (uint64_t)cycles * b->times };
	uint32_t stretch;

	if (brstat_between(b, before, edge, &stretch))
		return -ENOMEM;
	*traits = b->info.v[before].next_traits;
	return note_pair(b, &new, LATE_MIN);
}

static inline uint32_t behind_nr(uint64_t k)
{
	return k >> BEHIND_NR & 0xff;
}

/* What a hop of that edge has counted of another one goes here. 0 or -ENOMEM. */
static int note_behind(struct brstat *b, uint32_t before, uint32_t edge, uint64_t *k, size_t least)
{
	const struct late_pair new = { before, edge, behind_nr(*k), *k >> BEHIND_NR_CYCLES & 0xff,
				       *k >> BEHIND_CYCLES };

	if (!new.nr)
		return 0;
	*k = (uint32_t)*k;
	return note_pair(b, &new, least);
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
	if (note_behind(b, h->edge, (uint32_t)*k, k, LATE_MIN) ||
	    brstat_between(b, h->edge, edge, &stretch))
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
	if (k && (*k + more) & BEHIND_FULL && note_behind(b, h->edge, edge, k, LATE_MIN))
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

/* ---- joined ------------------------------------------------------------------------------------ */

/* What hops of @from have counted, whose edges are @edge here, or these if that is NULL. 0 or -ENOMEM. */
static int join_hops(struct brstat *b, struct brstat *from, const uint32_t *edge)
{
	const size_t n = from->hops.v ? (size_t)1 << from->hops.bits : 0;
	/* One's own are the last: steps are made of all behind that. */
	const size_t least = edge ? JOINED_MIN : SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		struct hop *h = &from->hops.v[i];
		uint32_t before;

		if (!h->key)
			continue;
		before = edge ? edge[h->edge] : h->edge;
		settle_odd(&b->info.v[before], h, h->nr_odd);
		for (unsigned k = 0; k < NR_BEHIND; k++) {
			const uint32_t now = (uint32_t)h->behind[k];

			if (behind_nr(h->behind[k]) &&
			    note_behind(b, before, edge ? edge[now] : now, &h->behind[k], least))
				return -ENOMEM;
		}
	}
	brstat_forget_hops(from);
	return 0;
}

int brstat_join_late(struct brstat *b, struct brstat *from, const uint32_t *edge)
{
	static const struct begun none;

	if (settle_late_begun(from) || (from->begun.n && vec_reach(&b->begun, b->info.n - 1, none)))
		return -ENOMEM;
	for (size_t i = 0; i < from->begun.n; i++) {
		b->begun.v[edge[i]].nr += from->begun.v[i].nr;
		b->begun.v[edge[i]].nr_cycles += from->begun.v[i].nr_cycles;
		b->begun.v[edge[i]].cycles += from->begun.v[i].cycles;
	}
	vec_for_each (l, &from->late) {
		struct late_pair new = *l;

		new.before = edge[l->before];
		new.edge = edge[l->edge];
		if (note_pair(b, &new, JOINED_MIN))
			return -ENOMEM;
	}
	from->late.n = from->begun.n = 0;
	return join_hops(b, from, edge);
}

/* ---- steps ------------------------------------------------------------------------------------- */

/* What was counted of an edge in any case. */
static void count_edge(struct brstat *b, uint32_t edge, uint64_t nr)
{
	b->info.v[edge].nr += nr;
	b->info.v[edge].flagged += nr;
}

/* To the step before, if that is the same: a sum can be in several parts. 0 or -ENOMEM. */
static int add_step(struct brstat *b, const struct walk_step *new)
{
	struct walk_step *last = b->steps.n ? &b->steps.v[b->steps.n - 1] : NULL;

	if (!last || last->before != new->before || last->edge != new->edge) {
		if (b->steps.n >= ID_NONE - 1 || vec_reserve(&b->steps, b->steps.n + 1) ||
		    !b->steps.v)
			return -ENOMEM;
		b->steps.v[b->steps.n++] = *new;
		return 0;
	}
	last->nr += new->nr;
	last->nr_cycles += new->nr_cycles;
	last->cycles += new->cycles;
	return 0;
}

/* Two edges: a step, or one from nowhere if the second does not follow the first. 0 or -ENOMEM. */
static int make_step(struct brstat *b, const struct late_pair *l)
{
	struct walk_step new = { .nr = l->nr,
				 .nr_cycles = l->nr_cycles,
				 .cycles = l->cycles,
				 .before = l->before,
				 .edge = l->edge };
	struct begun *k = &b->begun.v[l->edge];

	if (brstat_between(b, l->before, l->edge, &new.stretch))
		return -ENOMEM;
	if (new.stretch == ID_NONE) {
		k->nr += l->nr;
		k->nr_cycles += l->nr_cycles;
		k->cycles += l->cycles;
		return 0;
	}
	count_edge(b, l->edge, l->nr);
	return add_step(b, &new);
}

/* In their order. 0 or -ENOMEM. */
static int make_pairs(struct brstat *b, const uint32_t *rank)
{
	struct numbered *mem, *v = sort_late(b, rank, &mem);
	int ret = v ? 0 : -ENOMEM;

	for (size_t i = 0, next; !ret && i < b->late.n; i = next) {
		struct late_pair sum;

		next = add_equal(b, v, i, &sum);
		for (size_t k = i; k < next; k++)
			ask_for_late_edge(b, v, k);
		ret = make_step(b, &sum);
	}
	free(mem);
	return ret;
}

/* From nowhere. 0 or -ENOMEM. */
static int make_begun(struct brstat *b)
{
	for (uint32_t i = 0; i < b->begun.n; i++) {
		const struct begun *k = &b->begun.v[i];
		const struct walk_step new = { .nr = k->nr,
					       .nr_cycles = k->nr_cycles,
					       .cycles = k->cycles,
					       .before = ID_NONE,
					       .edge = i,
					       .stretch = ID_NONE };

		if (!k->nr)
			continue;
		count_edge(b, i, k->nr);
		if (add_step(b, &new))
			return -ENOMEM;
	}
	return 0;
}

int brstat_make_steps(struct brstat *b)
{
	static const struct begun none;
	uint32_t *rank;
	int ret;

	if (!b->info.n)
		return 0;
	ret = settle_late_begun(b) ?: join_hops(b, b, NULL);
	ret = ret ?: vec_reach(&b->begun, b->info.n - 1, none);
	rank = ret ? NULL : brstat_rank_edges(b);
	ret = rank ? make_pairs(b, rank) ?: make_begun(b) : -ENOMEM;
	free(rank);
	vec_free(&b->late);
	vec_free(&b->begun);
	return ret;
}
