// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What another resolver has handed out, as this one's. A symbol is found again by its object,
 * address and name; an inlined function, which belongs to no object, by its name. Where this
 * resolver has no such symbol (it found another file for the object, or none) it gets a copy, so
 * that every symbol has its like here and the other resolver may be freed.
 *
 * A location is asked for as any other: numbers of those met before are the same.
 */
#include <stdlib.h>

#include "symbol/symbol-int.h"

struct match {
	struct resolver *to;
	const struct resolver *from;
	struct dso *const *objects;
	uint32_t *symbol;
};

const struct symbol *symbol_at(const struct resolver *res, uint32_t idx)
{
	return res->symbol.v[idx];
}

static const struct symbol *copy_of(struct resolver *to, struct dso *dso, const struct symbol *s)
{
	uint64_t hash = hash_mix(s->start, hash_mix(s->end, dso->idx));
	struct symbol *copy;
	const char *name;
	uint32_t i;

	for (struct htab_it it = htab_find(&to->by_copy, hash); htab_next(&to->by_copy, &it, &i);) {
		const struct symbol_copy *c = &to->copy.v[i];

		if (c->dso == dso && c->sym->start == s->start && c->sym->end == s->end &&
		    !strcmp(c->sym->name, s->name))
			return c->sym;
	}
	name = arena_strdup(&to->arena, s->name);
	copy = name ? (struct symbol *)resolver_make_symbol(to, s->start, s->end, name, false)
		    : NULL;
	if (!copy || vec_push(&to->copy, ((struct symbol_copy){ dso, copy })))
		return NULL;
	copy->binding = s->binding;
	return htab_add(&to->by_copy, hash, (uint32_t)to->copy.n - 1) ? NULL : copy;
}

static struct symtab *table_of(struct resolver *to, const struct object *o)
{
	return o->kernel_tab ? &to->kernel.tab : (struct symtab *)&o->tab;
}

static bool is_like(const struct symbol *s, const struct symbol *like)
{
	return s && s->start == like->start && s->end == like->end && !strcmp(s->name, like->name);
}

/* Symbol @i of an object's table there; one and the same file has the same table. */
static int match_symbol(struct match *g, struct dso *dso, struct symtab *t, bool kernel, uint32_t i,
			const struct symbol *like)
{
	const struct symbol *s = NULL;

	if (i < t->sym.n && t->sym.v[i].start == like->start && (t->sym.v[i].name & 3) != SYM_REST)
		s = resolver_symbol(g->to, t, i, kernel);
	if (!is_like(s, like)) {
		i = symtab_find(t, like->start);
		s = i == SYM_NO_SEG ? NULL : resolver_symbol(g->to, t, i, kernel);
	}
	if (!is_like(s, like))
		s = copy_of(g->to, dso, like);
	if (!s)
		return -ENOMEM;
	g->symbol[like->idx] = s->idx;
	return 0;
}

static int match_object(struct match *g, struct dso *dso, const struct object *from)
{
	const struct symtab *t = from->kernel_tab ? &g->from->kernel.tab : &from->tab;
	struct object *o = object_load(g->to, dso);

	if (!o)
		return -ENOMEM;
	o->unnamed |= from->unnamed;
	for (uint32_t i = 0; t->handed && i < t->sym.n; i++) {
		const struct symbol *s = t->handed[i] ? symbol_at(g->from, t->handed[i] - 1) : NULL;

		/* Modules share the kernel's table. */
		if (s && g->symbol[s->idx] == SYMBOL_NONE &&
		    match_symbol(g, dso, table_of(g->to, o), o->kernel_tab, i, s))
			return -ENOMEM;
	}
	return 0;
}

static int match_inlined(struct match *g)
{
	for (uint32_t i = 0; i < g->from->inline_sym.n; i++) {
		const struct symbol *s = g->from->inline_sym.v[i], *here;

		if (!s)
			continue;
		here = resolver_inline_symbol(g->to, intern_str(&g->from->inline_names, i));
		if (!here)
			return -ENOMEM;
		g->symbol[s->idx] = here->idx;
	}
	return 0;
}

static int match_copies(struct match *g)
{
	vec_for_each (c, &g->from->copy) {
		const struct symbol *here = copy_of(g->to, g->objects[c->dso->idx], c->sym);

		if (!here)
			return -ENOMEM;
		g->symbol[c->sym->idx] = here->idx;
	}
	return 0;
}

int resolver_match_symbols(struct resolver *to, const struct resolver *from,
			   struct dso *const *objects, uint32_t **symbol)
{
	struct match g = { .to = to, .from = from, .objects = objects };
	int ret = 0;

	g.symbol = malloc((from->symbol.n + 1) * sizeof(*g.symbol));
	if (!g.symbol)
		return -ENOMEM;
	memset(g.symbol, 0xff, (from->symbol.n + 1) * sizeof(*g.symbol));
	for (size_t i = 0; !ret && i < machine_nr_dsos(from->m); i++) {
		const struct object *o = machine_dso(from->m, i)->symbols;

		if (o && o->loaded)
			ret = match_object(&g, objects[i], o);
	}
	ret = ret ?: match_inlined(&g);
	ret = ret ?: match_copies(&g);
	if (ret)
		free(g.symbol);
	else
		*symbol = g.symbol;
	return ret;
}

int resolver_match_locs(struct resolver *to, const struct resolver *from,
			struct dso *const *objects, uint32_t **loc)
{
	uint32_t *map = malloc((from->nr_locs + 1ULL) * sizeof(*map));

	for (uint32_t i = 0; map && i < from->nr_locs; i++) {
		const struct loc *l = resolver_loc(from, i);
		struct wanted w =
			resolver_wanted(l->dso ? objects[l->dso->idx] : NULL, l->addr, l->cpumode);

		map[i] = resolver_get(to, &w);
		if (map[i] == LOC_NONE) {
			free(map);
			return -ENOMEM;
		}
	}
	if (!map)
		return -ENOMEM;
	*loc = map;
	return 0;
}
