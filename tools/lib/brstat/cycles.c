// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where cycles go: blocks of code with a histogram of their cycles each, and edges by what the block behind
 * them took more than it needs. A block is code from where a branch went to through the next one; the same code
 * takes different times by how it was come to, and the difference is what edges are charged with.
 */
#include <stdlib.h>

#include "brstat-int.h"

unsigned brstat_cycle_bucket(uint32_t cycles)
{
	unsigned octave;

	if (cycles < 16)
		return cycles;
	octave = 31 - (unsigned)__builtin_clz(cycles);
	return 16 + (octave - 4) * 4 + (cycles >> (octave - 2) & 3);
}

/* The least that a bucket holds. */
static uint32_t bucket_start(unsigned i)
{
	return i < 16 ? i : (4 + (i - 16) % 4) << ((i - 16) / 4 + 2);
}

unsigned brstat_edge_bucket(uint32_t cycles)
{
	unsigned octave;

	if (cycles < 8)
		return cycles;
	octave = 31 - (unsigned)__builtin_clz(cycles);
	return (unsigned)min_u64(8 + (octave - 3) * 2 + (cycles >> (octave - 1) & 1),
				 EDGE_BUCKETS - 1);
}

static uint32_t edge_bucket_start(unsigned i)
{
	return i < 8 ? i : (2 + (i - 8) % 2) << ((i - 8) / 2 + 2);
}

/*
 * Of a histogram: that share of the times took so many at most: up to the end of their bucket, and no more than the longest,
 * @max.
 */
static uint32_t quantile(const uint32_t *v, unsigned nr, uint32_t (*start)(unsigned i),
			 uint32_t max, double q)
{
	uint64_t all = 0, n = 0;

	for (unsigned i = 0; i < nr; i++)
		all += v[i];
	for (unsigned i = 0; i < nr; i++) {
		n += v[i];
		if (n && (double)n >= q * (double)all)
			return i + 1 < nr ? (uint32_t)min_u64(start(i + 1) - 1, max) : max;
	}
	return 0;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static int by_cycles(const void *x, const void *y)
{
	const struct brstat_block *a = x, *b = y;

	if (a->cycles != b->cycles)
		return a->cycles < b->cycles ? 1 : -1;
	if (a->nr != b->nr)
		return a->nr < b->nr ? 1 : -1;
	if (a->dso != b->dso)
		return !a->dso || (b->dso && a->dso->idx < b->dso->idx) ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static int list_blocks(struct brstat *b)
{
	if (vec_reserve(&b->blocks, b->stretches.n + 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < b->stretches.n; i++) {
		const uint64_t *k = keys_tuple_get(&b->stretch_keys, i);
		const struct loc *start = resolver_loc(b->res, (uint32_t)k[0]);
		const struct cycle_hist *h = i < b->hists.n ? &b->hists.v[i] : NULL;
		struct brstat_block *to = &b->blocks.v[b->blocks.n++];

		*to = (struct brstat_block){ .dso = start->dso,
					     .sym = start->sym,
					     .start = start->addr,
					     .end = resolver_loc(b->res, (uint32_t)k[1])->addr,
					     .insns = b->stretches.v[i].nr_insns };
		if (h && h->max) {
			to->min = h->min;
			to->median = quantile(h->n, CYCLE_BUCKETS, bucket_start, h->max, 0.5);
			to->p90 = quantile(h->n, CYCLE_BUCKETS, bucket_start, h->max, 0.9);
			to->max = h->max;
		}
	}
	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];

		if (st->stretch == ID_NONE)
			continue;
		b->blocks.v[st->stretch].nr += st->nr;
		b->blocks.v[st->stretch].nr_cycles += st->nr_cycles;
		b->blocks.v[st->stretch].cycles += st->cycles;
	}
	return 0;
}

/* ---- edges ------------------------------------------------------------------------------------- */

/* How fast a block is where it is come to by predicted branches: of all of them, and of the best edge. */
struct pace {
	uint64_t nr, cycles;
	double best; /* 0 = of none it is known well enough */
	uint32_t edges;
};

#define PACE_MIN 4 /* times, to be believed */

static int by_lost(const void *x, const void *y)
{
	const struct brstat_edge *a = x, *b = y;
	double p = a->refill_cycles + a->late_cycles, q = b->refill_cycles + b->late_cycles;

	if (p < q || p > q)
		return p < q ? 1 : -1;
	if (a->nr != b->nr)
		return a->nr < b->nr ? 1 : -1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void find_paces(const struct brstat *b, struct pace *pace)
{
	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];
		uint64_t nr = st->nr_cycles - st->nr_missed, cycles = st->cycles - st->cyc_missed;
		struct pace *p;
		double mean;

		if (st->stretch == ID_NONE || !nr)
			continue;
		p = &pace[st->stretch];
		p->nr += nr;
		p->cycles += cycles;
		mean = (double)cycles / (double)nr;
		if (nr < PACE_MIN)
			continue;
		p->edges++;
		if (p->best <= 0 || mean < p->best)
			p->best = mean;
	}
}

static void charge(struct brstat_edge *e, const struct walk_step *st, const struct pace *p)
{
	uint64_t nr = st->nr_cycles - st->nr_missed, cycles = st->cycles - st->cyc_missed;

	e->nr_hit += nr;
	e->cycles_hit += cycles;
	e->nr_missed += st->nr_missed;
	e->cycles_missed += st->cyc_missed;
	if (st->nr_missed && p->nr) {
		e->refills += st->nr_missed;
		e->refill_cycles += (double)st->cyc_missed -
				    (double)st->nr_missed * (double)p->cycles / (double)p->nr;
	}
	if (nr >= PACE_MIN && p->edges > 1) {
		e->lates += nr;
		e->late_cycles += (double)cycles - (double)nr * p->best;
	}
}

static int list_edges(struct brstat *b, const struct pace *pace)
{
	if (vec_reserve(&b->edges, b->edge_keys.n + 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < b->edge_keys.n; i++) {
		const uint64_t *k = brstat_edge_locs(b, i);
		const struct edge_hist *h = i < b->edge_hists.n ? &b->edge_hists.v[i] : NULL;
		struct brstat_edge *to = &b->edges.v[b->edges.n++];

		*to = (struct brstat_edge){ .from = resolver_loc(b->res, (uint32_t)k[0]),
					    .to = resolver_loc(b->res, (uint32_t)k[1]),
					    .nr = b->info.v[i].nr,
					    .mispred = b->info.v[i].mispred,
					    .flagged = b->info.v[i].flagged,
					    .id = i };
		if (h && h->max) {
			to->min = h->min;
			to->median = quantile(h->n, EDGE_BUCKETS, edge_bucket_start, h->max, 0.5);
			to->p90 = quantile(h->n, EDGE_BUCKETS, edge_bucket_start, h->max, 0.9);
			to->max = h->max;
		}
	}
	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];

		if (st->before != ID_NONE && st->stretch != ID_NONE)
			charge(&b->edges.v[st->before], st, &pace[st->stretch]);
	}
	return 0;
}

static void keep_listed(struct brstat *b)
{
	size_t n = 0;

	vec_for_each (k, &b->blocks) {
		const struct loc at = { .dso = k->dso, .sym = k->sym, .addr = k->start };

		if (brstat_is_listed(b, &at))
			b->blocks.v[n++] = *k;
	}
	b->blocks.n = n;
	n = 0;
	vec_for_each (e, &b->edges)
		if (brstat_is_listed(b, e->from))
			b->edges.v[n++] = *e;
	b->edges.n = n;
}

int brstat_list_cycles(struct brstat *b)
{
	struct pace *pace = calloc(b->stretches.n + 1, sizeof(*pace));
	int ret = pace ? list_blocks(b) : -ENOMEM;

	if (!ret) {
		find_paces(b, pace);
		ret = list_edges(b, pace);
	}
	free(pace);
	keep_listed(b);
	if (!ret && b->blocks.n)
		qsort(b->blocks.v, b->blocks.n, sizeof(*b->blocks.v), by_cycles);
	if (!ret && b->edges.n)
		qsort(b->edges.v, b->edges.n, sizeof(*b->edges.v), by_lost);
	return ret;
}

size_t brstat_nr_blocks(const struct brstat *b)
{
	return b->blocks.n;
}

const struct brstat_block *brstat_block(const struct brstat *b, size_t i)
{
	return &b->blocks.v[i];
}

size_t brstat_nr_edges(const struct brstat *b)
{
	return b->edges.n;
}

const struct brstat_edge *brstat_edge_at(const struct brstat *b, size_t i)
{
	return &b->edges.v[i];
}
