// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch stacks by number. A stack is a walk: a branch went somewhere, code ran from there up to the
 * next branch, which went somewhere. So it is counted as two things, both by the resolver's
 * locations: edges, from where to where a branch went, and stretches, from where one branch went
 * to, through the one that ended it. A stretch ran from its first to its last instruction without a
 * branch being taken: how often an instruction ran is how many stretches hold it.
 *
 * The oldest branch of a stack ends a stretch that began somewhere unknown, and what ran after the
 * newest has no end: both are left out. Shares are of stretches by stretches, edges by edges, so
 * that nothing is divided by what was counted in another way.
 *
 * Stretches need stacks with every branch (the filter any). Entries that the CPU took back
 * (wrong path) or that say a branch was not taken are no branches here. Call stacks are no walk.
 */
#include <stdlib.h>

#include "annotate-int.h"
#include "branch/branch.h"

int annotate_branches_init(struct annotate_branches *f)
{
	f->edge_keys.width = f->stretch_keys.width = 2;
	return 0;
}

void annotate_branches_free(struct annotate_branches *f)
{
	keys_tuples_free(&f->edge_keys);
	keys_tuples_free(&f->stretch_keys);
	vec_free(&f->edges);
	vec_free(&f->stretches);
	vec_free(&f->leaving);
	vec_free(&f->arriving);
	vec_free(&f->within);
}

/* ---- counting -------------------------------------------------------------------------------- */

static struct annotate_edge *edge_of(struct annotate_branches *f, uint64_t from, uint64_t to)
{
	const struct annotate_edge none = { 0 };
	const uint64_t key[2] = { from, to };
	uint32_t id = keys_tuple_id(&f->edge_keys, key);

	if (id == ID_NONE || (id == f->edges.n && vec_push(&f->edges, none)))
		return NULL;
	return &f->edges.v[id];
}

static struct annotate_stretch *stretch_of(struct annotate_branches *f, uint64_t start,
					   uint64_t end)
{
	const struct annotate_stretch none = { .min = UINT16_MAX };
	const uint64_t key[2] = { start, end };
	uint32_t id = keys_tuple_id(&f->stretch_keys, key);

	if (id == ID_NONE || (id == f->stretches.n && vec_push(&f->stretches, none)))
		return NULL;
	return &f->stretches.v[id];
}

/* A function can be left without a branch, by a signal perhaps: then it is not one stretch. */
static bool in_one_function(const struct resolver *res, uint32_t start, uint32_t end)
{
	const struct loc *a = resolver_loc(res, start), *b = resolver_loc(res, end);

	return a->sym && a->sym == b->sym && a->addr <= b->addr;
}

/* The branch that came before the one at hand. */
struct before {
	uint32_t from, to; /* LOC_NONE: there was none */
};

static int add_stretch(struct annotate_branches *f, const struct resolver *res,
		       const struct before *was, uint32_t end, uint32_t cycles)
{
	struct annotate_stretch *t;
	struct annotate_edge *edge;

	if (was->to == LOC_NONE || !in_one_function(res, was->to, end))
		return 0;
	t = stretch_of(f, was->to, end);
	edge = edge_of(f, was->from, was->to);
	if (!t || !edge)
		return -ENOMEM;
	t->nr++;
	edge->followed++;
	if (!cycles)
		return 0;
	t->nr_cycles++;
	t->cycles += cycles;
	t->min = (uint16_t)min_u64(t->min, cycles);
	t->max = (uint16_t)max_u64(t->max, cycles);
	return 0;
}

static int add_edge(struct annotate_branches *f, const struct branch_entry *b, uint32_t from,
		    uint32_t to)
{
	struct annotate_edge *edge = edge_of(f, from, to);

	if (!edge)
		return -ENOMEM;
	edge->nr++;
	edge->mispred += b->mispred;
	edge->flagged += b->mispred || b->predicted;
	if (b->type)
		edge->type = b->type;
	return 0;
}

static bool is_branch(const struct branch_entry *b)
{
	return !b->not_taken && b->spec != BR_SPEC_WRONG_PATH;
}

int annotate_branches_add(struct annotate_branches *f, struct resolver *res, const struct sample *s,
			  struct thread *th)
{
	uint64_t filter = sample_branch_filter(s);
	struct before was = { LOC_NONE, LOC_NONE };
	const struct sample_branches *stack = &s->branches;
	uint64_t cycles = 0;

	if (!stack->nr || filter & PERF_SAMPLE_BRANCH_CALL_STACK)
		return 0;
	f->stacks++;
	for (uint64_t i = stack->nr; i--;) {
		struct branch_entry b;
		uint32_t from, to;

		sample_branch(stack, i, &b);
		cycles = b.cycles ? cycles + b.cycles : 0;
		if (!is_branch(&b))
			continue;
		from = resolver_find(res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, b.from);
		to = resolver_find(res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, b.to);
		if (from == LOC_NONE || to == LOC_NONE ||
		    add_stretch(f, res, &was, from, (uint32_t)min_u64(cycles, UINT16_MAX)) ||
		    add_edge(f, &b, from, to))
			return -ENOMEM;
		cycles = 0;
		if (filter & PERF_SAMPLE_BRANCH_ANY)
			was = (struct before){ from, to };
	}
	return 0;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static uint64_t mapped(const uint32_t *loc, uint64_t i)
{
	return loc ? loc[i] : i;
}

int annotate_branches_merge(struct annotate_branches *f, const struct annotate_branches *from,
			    const uint32_t *loc)
{
	for (uint32_t i = 0; i < from->edges.n; i++) {
		const uint64_t *k = keys_tuple_get(&from->edge_keys, i);
		const struct annotate_edge *add = &from->edges.v[i];
		struct annotate_edge *e = edge_of(f, mapped(loc, k[0]), mapped(loc, k[1]));

		if (!e)
			return -ENOMEM;
		e->nr += add->nr;
		e->mispred += add->mispred;
		e->flagged += add->flagged;
		e->followed += add->followed;
		e->type = add->type ?: e->type;
	}
	for (uint32_t i = 0; i < from->stretches.n; i++) {
		const uint64_t *k = keys_tuple_get(&from->stretch_keys, i);
		const struct annotate_stretch *add = &from->stretches.v[i];
		struct annotate_stretch *t = stretch_of(f, mapped(loc, k[0]), mapped(loc, k[1]));

		if (!t)
			return -ENOMEM;
		t->nr += add->nr;
		t->nr_cycles += add->nr_cycles;
		t->cycles += add->cycles;
		t->min = (uint16_t)min_u64(t->min, add->min);
		t->max = (uint16_t)max_u64(t->max, add->max);
	}
	f->stacks += from->stacks;
	return 0;
}

/* ---- by function ----------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
	const struct annotate_ref *a = x, *b = y;

	if (a->sym != b->sym)
		return a->sym < b->sym ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->nr != b->nr)
		return a->nr < b->nr ? 1 : -1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int push_ref(struct annotate_ref_list *refs, const struct resolver *res, uint64_t loc,
		    uint64_t nr, uint32_t id)
{
	const struct loc *l = resolver_loc(res, (uint32_t)loc);
	struct annotate_ref r = { .nr = nr, .id = id };

	if (!l->sym)
		return 0;
	r.addr = l->addr;
	r.sym = l->sym->idx;
	return vec_push(refs, r);
}

static void sort_refs(struct annotate_ref_list *refs)
{
	if (refs->n)
		qsort(refs->v, refs->n, sizeof(*refs->v), by_place);
}

int annotate_branches_finish(struct annotate_branches *f, const struct resolver *res)
{
	for (uint32_t i = 0; i < f->edges.n; i++) {
		const uint64_t *k = keys_tuple_get(&f->edge_keys, i);
		uint64_t nr = f->edges.v[i].nr;

		if (push_ref(&f->leaving, res, k[0], nr, i) ||
		    push_ref(&f->arriving, res, k[1], nr, i))
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < f->stretches.n; i++)
		if (push_ref(&f->within, res, keys_tuple_get(&f->stretch_keys, i)[0],
			     f->stretches.v[i].nr, i))
			return -ENOMEM;
	sort_refs(&f->leaving);
	sort_refs(&f->arriving);
	sort_refs(&f->within);
	return 0;
}

/* Those of one function: the first, and how many. */
const struct annotate_ref *annotate_refs_of(const struct annotate_ref_list *refs, uint32_t sym,
					    size_t *nr)
{
	size_t lo = 0, n = refs->n, end;

	while (n) {
		size_t half = n / 2;

		if (refs->v[lo + half].sym < sym) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	for (end = lo; end < refs->n && refs->v[end].sym == sym; end++)
		;
	*nr = end - lo;
	return refs->v + lo;
}

const struct loc *annotate_next_passed(const struct annotate *a, size_t *at)
{
	const struct annotate_branches *f = &a->branches;

	while (*at < f->arriving.n) {
		const struct annotate_ref *ref = &f->arriving.v[(*at)++];

		while (*at < f->arriving.n && f->arriving.v[*at].sym == ref->sym)
			++*at;
		if (ref->sym >= a->by_symbol.n || a->by_symbol.v[ref->sym] == LISTING_NONE)
			return resolver_loc(a->res,
					    (uint32_t)keys_tuple_get(&f->edge_keys, ref->id)[1]);
	}
	return NULL;
}
