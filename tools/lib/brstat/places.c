// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is listed, by place: a table of numbers by hash, whose keys are read from the lists themselves.
 */
#include <stdlib.h>

#include "brstat-int.h"

struct listed {
	uint32_t nr;
	uint32_t block : 29, what : 3; /* block: of a step */
};

#define BLOCKS_MAX (1u << 29)

struct brstat_index {
	const struct brstat *b;
	VEC(struct listed) v;
	struct htab tab;
};

static const uint8_t nr_places[] = {
	[BRSTAT_A_BRANCH] = 1, [BRSTAT_A_TARGET] = 2, [BRSTAT_A_BLOCK] = 2,    [BRSTAT_AN_EDGE] = 2,
	[BRSTAT_A_STEP] = 4,   [BRSTAT_A_LOOP] = 2,   [BRSTAT_A_FUNCTION] = 1,
};

static void step_places(const struct brstat *b, const struct listed *l, struct brstat_place *at)
{
	const struct loc *ends[4];

	brstat_super_ends(b, brstat_super(b, l->nr), l->block, ends);
	for (unsigned i = 0; i < 4; i++)
		at[i] = (struct brstat_place){ ends[i]->dso, ends[i]->addr };
}

/* As many as nr_places[] says. */
static void places_of(const struct brstat *b, const struct listed *l, struct brstat_place *at)
{
	const struct brstat_branch *br;
	const struct brstat_target *to;
	const struct brstat_block *bl;
	const struct brstat_edge *e;
	const struct brstat_loop *loop;
	const struct brstat_function *f;

	switch ((enum brstat_thing)l->what) {
	case BRSTAT_A_BRANCH:
		br = brstat_branch(b, l->nr);
		at[0] = (struct brstat_place){ br->dso, br->addr };
		break;
	case BRSTAT_A_TARGET:
		to = brstat_indirect(b, l->nr, &br);
		at[0] = (struct brstat_place){ br->dso, br->addr };
		at[1] = (struct brstat_place){ to->dso, to->addr };
		break;
	case BRSTAT_A_BLOCK:
		bl = brstat_block(b, l->nr);
		at[0] = (struct brstat_place){ bl->dso, bl->start };
		at[1] = (struct brstat_place){ bl->dso, bl->end };
		break;
	case BRSTAT_AN_EDGE:
		e = brstat_edge_at(b, l->nr);
		at[0] = (struct brstat_place){ e->from->dso, e->from->addr };
		at[1] = (struct brstat_place){ e->to->dso, e->to->addr };
		break;
	case BRSTAT_A_STEP: step_places(b, l, at); break;
	case BRSTAT_A_LOOP:
		loop = brstat_loop(b, l->nr);
		at[0] = (struct brstat_place){ loop->dso, loop->back };
		at[1] = (struct brstat_place){ loop->dso, loop->head };
		break;
	case BRSTAT_A_FUNCTION:
		f = brstat_function_at(b, l->nr);
		at[0] = (struct brstat_place){ f->dso, f->sym ? f->sym->start : BRSTAT_UNNAMED };
		break;
	}
}

static uint64_t hash_of(enum brstat_thing what, const struct brstat_place *at)
{
	uint64_t h = what;

	for (unsigned i = 0; i < nr_places[what]; i++)
		h = hash_mix(hash_mix(h, at[i].addr), at[i].dso ? at[i].dso->idx + 1 : 0);
	return h;
}

static bool are_same(enum brstat_thing what, const struct brstat_place *a,
		     const struct brstat_place *b)
{
	for (unsigned i = 0; i < nr_places[what]; i++)
		if (a[i].dso != b[i].dso || a[i].addr != b[i].addr)
			return false;
	return true;
}

static int add(struct brstat_index *x, enum brstat_thing what, size_t nr, uint32_t block)
{
	const struct listed l = { .nr = (uint32_t)nr,
				  .block = block & (BLOCKS_MAX - 1),
				  .what = (unsigned)what & 7 };
	struct brstat_place at[BRSTAT_PLACES];

	places_of(x->b, &l, at);
	/* One that is there stands further up in the list. */
	if (brstat_find(x, what, at, NULL) != BRSTAT_NOWHERE)
		return 0;
	return vec_push(&x->v, l) ?: htab_add(&x->tab, hash_of(what, at), (uint32_t)x->v.n - 1);
}

static int add_steps(struct brstat_index *x)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < brstat_nr_supers(x->b); i++)
		for (uint32_t k = 0; !ret && k < brstat_super(x->b, i)->nr; k++)
			ret = add(x, BRSTAT_A_STEP, i, k);
	return ret;
}

static int add_all(struct brstat_index *x)
{
	const struct brstat *b = x->b;
	const struct {
		enum brstat_thing what;
		size_t nr;
	} lists[] = {
		{ BRSTAT_A_BRANCH, brstat_nr_branches(b) },
		{ BRSTAT_A_TARGET, brstat_nr_indirect(b) },
		{ BRSTAT_A_BLOCK, brstat_nr_blocks(b) },
		{ BRSTAT_AN_EDGE, brstat_nr_edges(b) },
		{ BRSTAT_A_LOOP, brstat_nr_loops(b) },
		{ BRSTAT_A_FUNCTION, brstat_nr_functions(b) },
	};
	int ret = 0;

	for (size_t n = 0; n < ARRAY_SIZE(lists); n++)
		for (size_t i = 0; !ret && i < lists[n].nr; i++)
			ret = add(x, lists[n].what, i, 0);
	return ret ?: add_steps(x);
}

int brstat_index_new(struct brstat_index **x, const struct brstat *b, struct err *e)
{
	*x = calloc(1, sizeof(**x));
	if (*x) {
		(*x)->b = b;
		if (!add_all(*x))
			return 0;
	}
	brstat_index_free(*x);
	*x = NULL;
	return err_set(e, -ENOMEM, "no memory to find branches by place");
}

void brstat_index_free(struct brstat_index *x)
{
	if (!x)
		return;
	vec_free(&x->v);
	htab_free(&x->tab);
	free(x);
}

uint32_t brstat_find(const struct brstat_index *x, enum brstat_thing what,
		     const struct brstat_place *at, uint32_t *block)
{
	struct brstat_place its[BRSTAT_PLACES];
	uint32_t i;

	for (struct htab_it it = htab_find(&x->tab, hash_of(what, at));
	     x->v.v && htab_next(&x->tab, &it, &i);) {
		const struct listed *l = &x->v.v[i];

		if ((enum brstat_thing)l->what != what)
			continue;
		places_of(x->b, l, its);
		if (!are_same(what, its, at))
			continue;
		if (block)
			*block = l->block;
		return l->nr;
	}
	return BRSTAT_NOWHERE;
}
