// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many addresses at once. The tables are large and each look goes elsewhere; so every step is
 * done for all of them and asks for the memory that the next step needs. The waiting of all is
 * the waiting of one.
 */
#include "symbol/symbol-int.h"

#define BATCH 32

/* After resolver_ask() of each. */
static void get_all(struct resolver *res, const struct wanted *w, uint32_t *loc, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		loc[i] = resolver_get(res, &w[i]);
		if (loc[i] != LOC_NONE)
			__builtin_prefetch(resolver_loc(res, loc[i]));
	}
}

void resolver_find_many(struct resolver *res, struct thread *th, const struct resolver_ip *ip,
			uint32_t *loc, size_t n)
{
	struct wanted w[BATCH];

	while (n) {
		size_t nr = n < BATCH ? n : BATCH;

		for (size_t i = 0; i < nr; i++) {
			w[i] = resolver_locate(res, th, ip[i].cpumode, ip[i].ip);
			resolver_ask(res, &w[i]);
		}
		get_all(res, w, loc, nr);
		ip += nr;
		loc += nr;
		n -= nr;
	}
}

void resolver_find_at(struct resolver *res, const struct code_at *at, uint32_t *loc, size_t n)
{
	struct wanted w[BATCH];

	while (n) {
		size_t nr = n < BATCH ? n : BATCH;

		for (size_t i = 0; i < nr; i++) {
			w[i] = resolver_wanted(at[i].dso, at[i].addr, at[i].cpumode);
			resolver_ask(res, &w[i]);
		}
		get_all(res, w, loc, nr);
		at += nr;
		loc += nr;
		n -= nr;
	}
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* Where the look for a symbol stands. */
struct look {
	struct symtab *t; /* NULL = there is none */
	bool kernel;
	struct starts_span span;
	uint32_t i; /* of t->sym */
};

static struct look look_start(struct resolver *res, const struct code_at *at)
{
	struct object *o = at->dso ? object_load(res, at->dso) : NULL;
	struct look l = { .i = SYM_NO_SEG };

	if (!o)
		return l;
	l.kernel = o->found.kernel_tab;
	l.t = object_symtab(res, o, at->addr);
	starts_ask(&l.t->starts, at->addr);
	return l;
}

static void look_narrow(struct look *l, const struct code_at *at)
{
	if (l->t)
		l->span = starts_narrow(&l->t->starts, at->addr);
}

static void look_search(struct look *l, const struct code_at *at)
{
	if (l->t)
		l->i = symtab_at(l->t, starts_search(l->span, at->addr), at->addr);
	if (l->i != SYM_NO_SEG)
		__builtin_prefetch(&l->t->handed[l->i]);
}

static uint32_t look_end(struct resolver *res, const struct look *l)
{
	const struct symbol *s;

	if (l->i == SYM_NO_SEG)
		return SYMBOL_NONE;
	if (likely(l->t->handed[l->i]))
		return l->t->handed[l->i] - 1;
	s = resolver_symbol(res, l->t, l->i, l->kernel);
	return s ? s->idx : SYMBOL_NONE;
}

void symbol_find_many(struct resolver *res, const struct code_at *at, uint32_t *idx, size_t n)
{
	struct look l[BATCH];

	while (n) {
		size_t nr = n < BATCH ? n : BATCH;

		for (size_t i = 0; i < nr; i++)
			l[i] = look_start(res, &at[i]);
		for (size_t i = 0; i < nr; i++)
			look_narrow(&l[i], &at[i]);
		for (size_t i = 0; i < nr; i++)
			look_search(&l[i], &at[i]);
		for (size_t i = 0; i < nr; i++)
			idx[i] = look_end(res, &l[i]);
		at += nr;
		idx += nr;
		n -= nr;
	}
}
