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

/* Where a symbol over there is from. */
struct source {
	struct dso *dso;	/* here; NULL: none */
	const struct symtab *t; /* over there; NULL: it was copied from a third one */
	uint32_t i;
	uint32_t inlined; /* its number among names of inlined functions + 1 */
	bool kernel;
};

struct match {
	struct resolver *to;
	const struct resolver *from;
	struct dso *const *objects;
	struct source *source; /* by number over there */
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

static bool is_like(const struct symbol *s, const struct symbol *like)
{
	return s && s->start == like->start && s->end == like->end && !strcmp(s->name, like->name);
}

/* Both have the very table of their store. */
static bool is_same(const struct symtab *a, const struct symtab *b)
{
	return a && a->sym.n && a->sym.v == b->sym.v;
}

/* Symbol @i of an object's table there; one and the same file has the same table. */
static const struct symbol *match_symbol(struct match *g, const struct source *src,
					 const struct symbol *like)
{
	struct object *o = object_load(g->to, src->dso);
	const struct symbol *s = NULL;
	uint32_t i = src->i;
	struct symtab *t;

	if (!o)
		return NULL;
	t = src->kernel ? kernel_symtab(g->to, like->start) : &o->found.tab;
	if (is_same(src->t, t))
		return resolver_symbol(g->to, t, i, src->kernel);
	if (src->t && i < t->sym.n && t->sym.v[i].start == like->start &&
	    (t->sym.v[i].name & 3) != SYM_REST)
		s = resolver_symbol(g->to, t, i, src->kernel);
	if (src->t && !is_like(s, like)) {
		i = symtab_find(t, like->start);
		s = i == SYM_NO_SEG ? NULL : resolver_symbol(g->to, t, i, src->kernel);
	}
	return is_like(s, like) ? s : copy_of(g->to, src->dso, like);
}

static void note_table(struct match *g, struct dso *dso, const struct symtab *t, bool kernel)
{
	for (uint32_t i = 0; t->handed && i < t->sym.n; i++) {
		struct source *src = t->handed[i] ? &g->source[t->handed[i] - 1] : NULL;

		if (src && !src->dso)
			*src = (struct source){ dso, t, i, 0, kernel };
	}
}

/* Modules share the kernel's tables: the first of them stands for all. */
static int note_object(struct match *g, struct dso *dso, const struct object *from)
{
	struct object *o = object_load(g->to, dso);
	bool kernel = from->found.kernel_tab;

	if (!o)
		return -ENOMEM;
	o->unnamed |= from->unnamed;
	note_table(g, dso, kernel ? &g->from->kernel.found.tab : &from->found.tab, kernel);
	if (kernel)
		note_table(g, dso, &g->from->kernel.rest.tab, true);
	return 0;
}

static int note_sources(struct match *g)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < machine_nr_dsos(g->from->m); i++) {
		const struct object *o = machine_dso(g->from->m, i)->symbols;

		if (o && o->loaded)
			ret = note_object(g, g->objects[i], o);
	}
	for (uint32_t i = 0; i < g->from->inline_sym.n; i++)
		if (g->from->inline_sym.v[i])
			g->source[g->from->inline_sym.v[i]->idx].inlined = i + 1;
	vec_for_each (c, &g->from->copy)
		g->source[c->sym->idx].dso = g->objects[c->dso->idx];
	return ret;
}

static int match_symbols(struct match *g)
{
	for (uint32_t i = 0; i < g->from->symbol.n; i++) {
		const struct source *src = &g->source[i];
		const struct symbol *like = g->from->symbol.v[i], *s;

		g->symbol[i] = SYMBOL_NONE;
		if (!src->dso && !src->inlined)
			continue; /* one that stands in for many: who asked for it asks again */
		if (src->inlined)
			s = resolver_inline_symbol(
				g->to, intern_str(&g->from->inline_names, src->inlined - 1));
		else if (src->t)
			s = match_symbol(g, src, like);
		else
			s = copy_of(g->to, src->dso, like);
		if (!s)
			return -ENOMEM;
		g->symbol[i] = s->idx;
	}
	return 0;
}

/*
 * What was read of debug information over there, which takes long, is not read again: lines, and
 * functions inlined at an address.
 */
static int match_places(struct match *g)
{
	vec_for_each (p, &g->from->place) {
		struct place *here = resolver_place(g->to, g->objects[p->dso->idx], p->addr);
		struct inline_frame *f;

		if (!here)
			return -ENOMEM;
		if (p->line_tried && !here->line_tried) {
			here->line_tried = true;
			here->has_line = p->has_line;
			if (p->has_line)
				lines_set(g->to, p->line.file, &here->line);
			here->line.line = p->line.line;
		}
		if (!p->names_tried ||
		    (here->names_tried && (here->calls_tried || !p->calls_tried)))
			continue;
		here->names_tried = true;
		here->calls_tried = p->calls_tried;
		if (!p->nr_frames)
			continue;
		f = arena_alloc(&g->to->arena, (size_t)p->nr_frames * sizeof(*f));
		if (!f)
			return -ENOMEM;
		for (int i = 0; i < p->nr_frames; i++) {
			f[i].sym = symbol_at(g->to, g->symbol[p->frames[i].sym->idx]);
			lines_set(g->to, p->frames[i].call.file, &f[i].call);
			f[i].call.line = p->frames[i].call.line;
		}
		here->frames = f;
		here->nr_frames = p->nr_frames;
	}
	return 0;
}

int resolver_match_symbols(struct resolver *to, const struct resolver *from,
			   struct dso *const *objects, uint32_t **symbol)
{
	struct match g = { .to = to, .from = from, .objects = objects };
	size_t n = from->symbol.n;
	int ret;

	g.symbol = malloc((n + 1) * sizeof(*g.symbol));
	g.source = calloc(n + 1, sizeof(*g.source));
	ret = g.symbol && g.source ? note_sources(&g) : -ENOMEM;
	ret = ret ?: match_symbols(&g) ?: match_places(&g);
	free(g.source);
	if (ret)
		free(g.symbol);
	else
		*symbol = g.symbol;
	return ret;
}

#define MATCH_AT_ONCE 64u

int resolver_match_locs(struct resolver *to, const struct resolver *from,
			struct dso *const *objects, uint32_t **loc)
{
	uint32_t *map = malloc((from->nr_locs + 1ULL) * sizeof(*map));

	for (uint32_t i = 0; map && i < from->nr_locs; i += MATCH_AT_ONCE) {
		uint32_t n = (uint32_t)min_u64(from->nr_locs - i, MATCH_AT_ONCE);
		struct code_at at[MATCH_AT_ONCE];

		for (uint32_t k = 0; k < n; k++) {
			const struct loc *l = resolver_loc(from, i + k);

			at[k] = (struct code_at){ l->dso ? objects[l->dso->idx] : NULL, l->addr,
						  l->cpumode };
		}
		resolver_find_at(to, at, map + i, n);
		for (uint32_t k = 0; k < n; k++) {
			if (map[i + k] != LOC_NONE)
				continue;
			free(map);
			return -ENOMEM;
		}
	}
	if (!map)
		return -ENOMEM;
	*loc = map;
	return 0;
}
