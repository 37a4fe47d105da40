// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Marks by address: what --numbers and its like say of the samples at an instruction. They are counted by location, in
 * slots of room keys, and added up where several addresses are of one instruction.
 */
#include <stdlib.h>

#include "annotate-int.h"

int annotate_want_marks(struct annotate *a, unsigned what, const struct acc_env *like,
			struct err *e)
{
	struct acc_env env = *like;

	env.res = a->res;
	return keys_marks_new(&a->marks.m, what, &env, e);
}

void annotate_marks_free(struct annotate_marks *g)
{
	for (uint32_t i = 0; i < g->nr; i++)
		keys_marks_drop(g->m, g->slot + (size_t)i * keys_marks_size(g->m));
	free(g->slot);
	keys_marks_free(g->m);
}

/* The slot of a location; NULL: no memory. */
static char *slot_of(struct annotate_marks *g, uint32_t loc)
{
	size_t size = keys_marks_size(g->m);

	while (g->nr <= loc) {
		if (vec_reserve_at((void **)&g->slot, &g->cap, (size_t)g->nr + 1, size))
			return NULL;
		keys_marks_begin(g->m, g->slot + g->nr++ * size);
	}
	return g->slot + loc * size;
}

int annotate_marks_add(struct annotate_marks *g, const struct sample *s, struct thread *th,
		       uint32_t loc)
{
	char *slot = g->m ? slot_of(g, loc) : NULL;

	if (!g->m)
		return 0;
	return slot ? keys_marks_add(g->m, slot, s, th) : -ENOMEM;
}

int annotate_marks_merge(struct annotate_marks *g, const struct annotate_marks *from,
			 const struct session_maps *maps)
{
	const struct acc_maps acc = {
		.loc = maps ? maps->loc : NULL,
		.symbol = maps ? maps->symbol : NULL,
		.thread = maps ? maps->thread : NULL,
	};
	int ret = 0;

	for (uint32_t i = 0; !ret && i < from->nr; i++) {
		char *slot = slot_of(g, acc.loc ? acc.loc[i] : i);

		ret = slot ? keys_marks_merge(g->m, slot,
					      from->slot + (size_t)i * keys_marks_size(g->m), &acc)
			   : -ENOMEM;
	}
	return ret;
}

/* On instructions: slots of the listing, which are dropped with it. */
int annotate_marks_lay(struct listing_build *b)
{
	const struct annotate_function *f = b->l.function;
	const struct annotate *a = b->a;
	const struct annotate_marks *g = &a->marks;
	size_t size = g->m ? keys_marks_size(g->m) : 0;
	char *slots;
	int ret = 0;

	if (!f || !g->m || !b->insns.n)
		return 0;
	slots = malloc(b->insns.n * size);
	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < b->insns.n; i++)
		keys_marks_begin(g->m, slots + i * size);
	b->l.marks = g->m;
	b->l.mark = slots;
	b->nr_marks = b->insns.n;
	for (uint32_t i = f->first; !ret && i < f->first + f->nr; i++) {
		uint32_t row = a->places.v[i].row, loc = a->rows.v[row].loc;
		uint32_t n = annotate_insn_holding(b, a->places.v[i].addr);

		/* An address has a row for each event, and its marks once. */
		if (n == LISTING_NONE || a->by_loc.v[loc] != row || loc >= g->nr)
			continue;
		ret = keys_marks_merge(g->m, slots + n * size, g->slot + loc * size, NULL);
	}
	return ret;
}

void annotate_marks_drop(struct listing_build *b)
{
	char *slots = b->l.mark;

	for (size_t i = 0; i < b->nr_marks; i++)
		keys_marks_drop(b->l.marks, slots + i * keys_marks_size(b->l.marks));
	free(slots);
}
