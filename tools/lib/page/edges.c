// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches of branch stacks, as edges from an address to another: how often each was taken, and
 * mispredicted where the CPU says so. A branch that says neither counts as unknown, not as predicted.
 */
#include "page-int.h"

static struct page_edge *edge_of(struct page *p, uint32_t from, uint32_t to)
{
	uint64_t hash = hash_u64((uint64_t)from << 32 | to);
	const struct page_edge new = { .from = from, .to = to };
	uint32_t i;

	for (struct htab_it it = htab_find(&p->edge_tab, hash); htab_next(&p->edge_tab, &it, &i);)
		if (p->edges.v[i].from == from && p->edges.v[i].to == to)
			return &p->edges.v[i];
	i = (uint32_t)p->edges.n;
	return vec_push(&p->edges, new) || htab_add(&p->edge_tab, hash, i) ? NULL : &p->edges.v[i];
}

int page_add_branches(struct page *p, const struct sample *s, struct thread *th)
{
	for (uint64_t i = 0; i < s->branches.nr; i++) {
		struct page_edge *edge;
		struct branch_entry b;
		uint32_t from, to;

		sample_branch(&s->branches, i, &b);
		from = resolver_find(p->env->resolver, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN,
				     b.from);
		to = resolver_find(p->env->resolver, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, b.to);
		edge = from == LOC_NONE || to == LOC_NONE ? NULL : edge_of(p, from, to);
		if (!edge)
			return -ENOMEM;
		edge->nr++;
		edge->mispred += b.mispred;
		edge->flagged += b.mispred || b.predicted;
		edge->cycles += b.cycles;
		edge->nr_cycles += b.cycles != 0;
		p->branches++;
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct page_edge *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

size_t page_sort_edges(struct page *p)
{
	if (p->edges.n)
		qsort(p->edges.v, p->edges.n, sizeof(*p->edges.v), by_number);
	htab_free(&p->edge_tab);
	return p->edges.n;
}
