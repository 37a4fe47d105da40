// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables that hops.c counts in: how they grow, and where what their slots counted goes when they are settled, to
 * edges, steps and histograms. All of these are sums.
 */
#include <stdlib.h>

#include "brstat-int.h"

/*
 * Up to here they grow by two bits: each time all is cleared and moved, which takes longer than looks in a table that is
 * emptier.
 */
#define BITS_MANY 17

/* ---- growing ----------------------------------------------------------------------------------- */

static void free_hops(struct hops *t)
{
	free(t->v);
	free(t->more);
	*t = (struct hops){ 0 };
}

static void move_hops(struct hops *to, const struct hops *from)
{
	for (size_t i = 0; from->v && i < (size_t)1 << from->bits; i++) {
		const struct hop *h = &from->v[i];
		size_t first = hop_hash(h->from, h->to, h->key) >> (64 - to->bits), at = first;

		if (!h->key)
			continue;
		while (to->v[at].key)
			at = hop_next(at, first, to->bits);
		to->v[at] = *h;
		if (to->more)
			to->more[at] = from->more[i];
	}
}

int brstat_widen_hops(struct hops *t, bool more)
{
	const unsigned wider = t->bits < BITS_MANY ? 2 : 1;
	struct hops new = { .bits = t->v ? t->bits + wider : HOP_BITS, .n = t->n };

	if (new.bits > SLOTS_MAX)
		return -ENOMEM;
	new.v = slots_new(sizeof(*new.v) << new.bits);
	if (more)
		new.more = slots_new(sizeof(*new.more) << new.bits);
	if (!new.v || (more && !new.more)) {
		free_hops(&new);
		return -ENOMEM;
	}
	move_hops(&new, t);
	free_hops(t);
	*t = new;
	return 0;
}

/* ---- settling ---------------------------------------------------------------------------------- */

static int settle_behind_edge(struct brstat *b, const struct hop *h, uint16_t cycles, uint32_t nr)
{
	static const struct edge_hist none = { .min = UINT16_MAX };
	const uint32_t edge = b->hops.more[h - b->hops.v].edge;
	struct edge_hist *hist;

	if (edge == ID_NONE)
		return 0;
	if (vec_reach(&b->edge_hists, edge, none))
		return -ENOMEM;
	hist = &b->edge_hists.v[edge];
	hist->n[brstat_edge_bucket(cycles)] += nr;
	hist->min = (uint16_t)min_u64(hist->min, cycles);
	hist->max = (uint16_t)max_u64(hist->max, cycles);
	return 0;
}

int brstat_settle_last(struct brstat *b, struct hop *h, unsigned i)
{
	static const struct cycle_hist none = { .min = UINT16_MAX };
	const uint16_t cycles = late_of(h->last, i), nr = late_of(h->nr_last, i);
	struct cycle_hist *hist;

	if (!nr)
		return 0;
	h->nr_last &= ~(LATE_MASK << 16 * i);
	h->nr += nr;
	h->nr_cycles += nr;
	h->cycles += (uint64_t)cycles * nr;
	if (h->use == ID_NONE)
		return 0;
	if (vec_reach(&b->hists, h->use, none))
		return -ENOMEM;
	hist = &b->hists.v[h->use];
	hist->n[brstat_cycle_bucket(cycles)] += nr;
	hist->min = (uint16_t)min_u64(hist->min, cycles);
	hist->max = (uint16_t)max_u64(hist->max, cycles);
	/* Code behind a branch: no other hops have cycles. */
	return settle_behind_edge(b, h, cycles, nr);
}

static void settle_cycles(struct brstat *b, struct hop_more *m, struct hop *h)
{
	struct walk_step *st = &b->steps.v[m->step];

	st->nr_cycles += h->nr_cycles;
	st->cycles += h->cycles;
	st->nr_missed += m->nr_missed;
	st->cyc_missed += m->cyc_missed;
	h->nr_cycles = m->nr_missed = 0;
	h->cycles = m->cyc_missed = 0;
}

/* Whether steps behind it are counted by pairs. */
static inline bool has_pairs(const struct brstat *b, const struct hop *h)
{
	return b->o.what == BRSTAT_WHY && h->use & USE_OPEN;
}

int brstat_settle_hop(struct brstat *b, struct hops *in, size_t i)
{
	struct hop_more *m = &in->more[i];
	struct hop *h = &in->v[i];
	int ret = 0;

	for (unsigned k = 0; h->nr_last && k < LATE_CYCLES; k++)
		ret = ret ?: brstat_settle_last(b, h, k);
	if (m->edge != ID_NONE) {
		struct edge_info *info = &b->info.v[m->edge];

		info->nr += h->nr;
		info->mispred += h->mispred;
		info->flagged += h->key & HOP_FLAGGED ? h->nr : 0;
	}
	if (m->step != ID_NONE) {
		if (!has_pairs(b, h))
			b->steps.v[m->step].nr += h->nr;
		settle_cycles(b, m, h);
	}
	h->nr = h->mispred = 0;
	return ret;
}

static void ask_for_settled(const struct brstat *b, const struct hop_more *m)
{
	if (m->edge != ID_NONE)
		__builtin_prefetch(&b->info.v[m->edge], 1);
	if (m->step != ID_NONE)
		__builtin_prefetch(&b->steps.v[m->step], 1);
}

static int settle_hops(struct brstat *b, struct hops *in)
{
	size_t n = in->v ? (size_t)1 << in->bits : 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++) {
		if (i + AHEAD < n && in->v[i + AHEAD].key)
			ask_for_settled(b, &in->more[i + AHEAD]);
		if (in->v[i].key)
			ret = brstat_settle_hop(b, in, i);
	}
	return ret;
}

void brstat_forget_hops(struct brstat *b)
{
	free_hops(&b->hops);
	free_hops(&b->ends);
}

int brstat_settle_waiting(struct brstat *b)
{
	int ret = brstat_settle_stacks(b) ?: brstat_settle_returns(b);

	brstat_forget_stacks(b);
	return ret;
}

int brstat_settle(struct brstat *b)
{
	int ret = brstat_settle_waiting(b);

	if (b->o.what == BRSTAT_PATHS)
		return ret ?: brstat_make_steps(b);
	ret = ret ?: settle_hops(b, &b->hops) ?: settle_hops(b, &b->ends);
	brstat_forget_hops(b);
	brstat_settle_outcomes(b);
	brstat_settle_pairs(b);
	return ret;
}
