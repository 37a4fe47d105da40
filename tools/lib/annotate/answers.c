// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What report --branches says, at the instructions that it says it of. Room brstat counts, and lists its branches, blocks,
 * edges, paths and loops once all is read; here these lists get an index by function and address, so that a
 * listing finds its own by halving. A block, an edge or a path is at the instruction where it begins, a loop at its head.
 *
 * Samples without branches are no matter of it, and neither is where a sample lies: a function that branches went
 * through has answers without a sample. How good a profile is has samples of all kinds, and says nothing of
 * instructions.
 */
#include <stdlib.h>

#include "annotate-int.h"

int annotate_want_branches(struct annotate *a, const struct brstat_opts *o, struct err *e)
{
	a->answers.all_samples = o->what & BRSTAT_QUALITY;
	return brstat_new(&a->answers.stat, a->res, o, e);
}

const struct brstat *annotate_stat(const struct annotate *a)
{
	return a->answers.stat;
}

void annotate_answers_free(struct annotate_answers *g)
{
	brstat_free(g->stat);
	vec_free(&g->at);
}

int annotate_answers_add(struct annotate_answers *g, const struct sample *s, struct thread *th,
			 struct err *e)
{
	if (!g->stat || !(s->present & PERF_SAMPLE_BRANCH_STACK || g->all_samples))
		return 0;
	return brstat_add(g->stat, s, th, e);
}

int annotate_answers_merge(struct annotate_answers *g, const struct annotate_answers *from,
			   const struct session_maps *maps, struct err *e)
{
	struct brflow_maps flow = { 0 };

	if (!g->stat != !from->stat)
		return err_set(e, -EINVAL, "branches that were asked cannot be added to none");
	if (maps)
		flow = (struct brflow_maps){ maps->loc, maps->objects };
	return g->stat ? brstat_merge(g->stat, from->stat, maps ? &flow : NULL, e) : 0;
}

/* ---- the index --------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
	const struct annotate_answer *a = x, *b = y;

	if (a->sym != b->sym)
		return a->sym < b->sym ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->nr < b->nr ? -1 : a->nr > b->nr;
}

static int push(struct annotate_answers *g, enum annotate_asked kind, size_t nr,
		const struct symbol *sym, uint64_t addr)
{
	struct annotate_answer a = { .addr = addr, .nr = (uint32_t)nr, .kind = kind };

	if (!sym || nr >= LISTING_NONE)
		return 0;
	a.sym = sym->idx;
	return vec_push(&g->at, a);
}

static int push_all(struct annotate_answers *g)
{
	const struct brstat *b = g->stat;
	int ret = 0;

	for (size_t i = 0; !ret && i < brstat_nr_branches(b); i++)
		ret = push(g, ASKED_BRANCH, i, brstat_branch(b, i)->sym, brstat_branch(b, i)->addr);
	for (size_t i = 0; !ret && i < brstat_nr_blocks(b); i++)
		ret = push(g, ASKED_BLOCK, i, brstat_block(b, i)->sym, brstat_block(b, i)->start);
	for (size_t i = 0; !ret && i < brstat_nr_edges(b); i++) {
		const struct loc *from = brstat_edge_at(b, i)->from;

		ret = push(g, ASKED_EDGE, i, from->sym, from->addr);
	}
	for (size_t i = 0; !ret && i < brstat_nr_supers(b); i++) {
		const struct loc *start, *end;

		brstat_super_block(b, brstat_super(b, i), 0, &start, &end);
		ret = push(g, ASKED_PATH, i, start->sym, start->addr);
	}
	for (size_t i = 0; !ret && i < brstat_nr_loops(b); i++)
		ret = push(g, ASKED_LOOP, i, brstat_loop(b, i)->sym, brstat_loop(b, i)->head);
	return ret;
}

int annotate_answers_finish(struct annotate_answers *g, struct err *e)
{
	int ret = g->stat ? brstat_finish(g->stat, e) : 0;

	if (ret || !g->stat)
		return ret;
	if (push_all(g))
		return err_set(e, -ENOMEM, "out of memory for branches");
	if (g->at.n)
		qsort(g->at.v, g->at.n, sizeof(*g->at.v), by_place);
	return 0;
}

/* ---- at instructions ---------------------------------------------------------------------------- */

/* The first that is of this function, or of one behind it. */
static size_t first_of(const struct annotate_answers *g, uint32_t sym)
{
	size_t lo = 0, n = g->at.n;

	while (n) {
		size_t half = n / 2;

		if (g->at.v[lo + half].sym < sym) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

static void put(struct listing_answers *at, const struct annotate_answer *a)
{
	static const struct {
		size_t first, nr; /* members; nr 0 = not counted */
	} members[] = {
		[ASKED_BRANCH] = { offsetof(struct listing_answers, branch), 0 },
		[ASKED_BLOCK] = { offsetof(struct listing_answers, block),
				  offsetof(struct listing_answers, nr_blocks) },
		[ASKED_EDGE] = { offsetof(struct listing_answers, edge),
				 offsetof(struct listing_answers, nr_edges) },
		[ASKED_PATH] = { offsetof(struct listing_answers, path),
				 offsetof(struct listing_answers, nr_paths) },
		[ASKED_LOOP] = { offsetof(struct listing_answers, loop), 0 },
	};
	uint32_t *first = (uint32_t *)((char *)at + members[a->kind].first);

	if (*first == LISTING_NONE)
		*first = a->nr;
	if (members[a->kind].nr)
		++*(uint32_t *)((char *)at + members[a->kind].nr);
}

int annotate_answers_lay(struct listing_build *b)
{
	static const struct listing_answers none = {
		.branch = LISTING_NONE,
		.block = LISTING_NONE,
		.edge = LISTING_NONE,
		.path = LISTING_NONE,
		.loop = LISTING_NONE,
	};
	const struct annotate_answers *g = &b->a->answers;
	uint32_t sym = b->l.sym->idx;

	b->l.stat = g->all_samples ? NULL : g->stat;
	if (!b->l.stat || !b->insns.n)
		return 0;
	b->l.answers = malloc(b->insns.n * sizeof(*b->l.answers));
	if (!b->l.answers)
		return -ENOMEM;
	for (size_t i = 0; i < b->insns.n; i++)
		b->l.answers[i] = none;
	for (size_t i = first_of(g, sym); i < g->at.n && g->at.v[i].sym == sym; i++) {
		uint32_t n = annotate_insn_start(b, g->at.v[i].addr);

		if (n != LISTING_NONE)
			put(&b->l.answers[n], &g->at.v[i]);
	}
	return 0;
}
