// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks as tables of objects, functions and places. Each is found by what it is, once; whoever writes
 * a profile walks the tables afterwards, in the order in which the stacks came by them.
 */
#include <stdlib.h>

#include "convert/places-int.h"
#include "session/session.h"

static uint32_t mapping_of(struct places *p, const struct dso *dso)
{
	if (!dso)
		return 0;
	if (!p->mapping_of[dso->idx]) {
		if (vec_push(&p->mappings,
			     ((struct places_mapping){ .dso = dso, .low = UINT64_MAX })))
			return UINT32_MAX;
		p->mapping_of[dso->idx] = (uint32_t)p->mappings.n;
	}
	return p->mapping_of[dso->idx];
}

static bool is_program(const struct dso *dso)
{
	return dso->kind == DSO_USER && dso->name[0] == '/' && !strstr(dso->name, ".so");
}

/* The first mapping is what readers name the profile after: the program that has most samples. */
static void choose_first(struct places *p)
{
	struct places_mapping *first = p->mappings.v, *best = first, m;

	if (!first)
		return;
	vec_for_each (o, &p->mappings)
		if (is_program(o->dso) > is_program(best->dso) ||
		    (is_program(o->dso) == is_program(best->dso) && o->samples > best->samples))
			best = o;
	m = *best;
	*best = *first;
	*first = m;
	for (size_t i = 0; i < p->mappings.n; i++)
		p->mapping_of[p->mappings.v[i].dso->idx] = (uint32_t)i + 1;
}

static int find_mappings(struct places *p)
{
	const struct stacks *st = p->st;

	vec_for_each (c, &st->counts) {
		const struct stacks_frame *f =
			c->node == STACKS_NONE ? NULL : &st->frames.v[st->nodes.v[c->node].frame];
		uint32_t id = f ? mapping_of(p, stacks_dso(st, f)) : 0;

		if (id == UINT32_MAX)
			return -ENOMEM;
		if (id)
			p->mappings.v[id - 1].samples += c->v[0];
	}
	vec_for_each (f, &st->frames)
		if (mapping_of(p, stacks_dso(st, f)) == UINT32_MAX)
			return -ENOMEM;
	choose_first(p);
	return 0;
}

int places_new(struct places *p, const struct stacks *st)
{
	*p = (struct places){ .st = st };
	p->mapping_of = calloc(machine_nr_dsos(st->env->machine) + 1, sizeof(*p->mapping_of));
	p->place_of = calloc(st->nodes.n + 1, sizeof(*p->place_of));
	p->above = calloc(st->nodes.n + 1, sizeof(*p->above));
	if (!p->mapping_of || !p->place_of || !p->above || intern(&p->files, "") == INTERN_NONE)
		return -ENOMEM;
	return find_mappings(p);
}

void places_free(struct places *p)
{
	vec_free(&p->places);
	vec_free(&p->lines);
	vec_free(&p->functions);
	vec_free(&p->mappings);
	intern_free(&p->files);
	htab_free(&p->place_tab);
	htab_free(&p->function_tab);
	free(p->mapping_of);
	free(p->place_of);
	free(p->above);
}

/* Its number: a function is a name in a source file. 0 = no memory. */
static uint32_t function_of(struct places *p, const struct symbol *sym, const char *file)
{
	struct places_function f = { sym, file ? intern(&p->files, file) : 0 };
	uint64_t hash = hash_mix((uintptr_t)sym, f.file);
	uint32_t i;

	if (f.file == INTERN_NONE)
		return 0;
	for (struct htab_it it = htab_find(&p->function_tab, hash);
	     htab_next(&p->function_tab, &it, &i);)
		if (p->functions.v[i].sym == sym && p->functions.v[i].file == f.file)
			return i + 1;
	i = (uint32_t)p->functions.n;
	return vec_push(&p->functions, f) || htab_add(&p->function_tab, hash, i) ? 0 : i + 1;
}

static int add_line(struct places *p, const struct stacks_frame *f, struct places_mapping *m)
{
	struct srcline at;
	bool known = stacks_line(p->st, f, &at);
	struct places_line l = { function_of(p, f->sym, known ? at.file : NULL),
				 known ? (uint32_t)at.line : 0 };

	if (!l.function || vec_push(&p->lines, l))
		return -ENOMEM;
	if (m) {
		m->functions = true;
		m->files |= known;
		m->lines |= known;
		m->inlines |= f->inlined;
	}
	return 0;
}

/* @node is the innermost function of a new place, @end the node above its outermost. */
static int fill(struct places *p, struct places_entry *l, uint32_t node, uint32_t end)
{
	const struct stacks *st = p->st;
	const struct stacks_frame *f = &st->frames.v[l->first];
	struct places_mapping *m;

	l->mapping = mapping_of(p, stacks_dso(st, f)); /* all are there */
	l->addr = stacks_addr(st, f);
	l->line = (uint32_t)p->lines.n;
	m = l->mapping ? &p->mappings.v[l->mapping - 1] : NULL;
	if (m) {
		m->low = min_u64(m->low, l->addr);
		m->high = max_u64(m->high, l->addr);
	}
	for (; node != end; node = st->nodes.v[node].parent) {
		f = &st->frames.v[st->nodes.v[node].frame];
		if (f->sym && add_line(p, f, m))
			return -ENOMEM;
	}
	l->nr_lines = (uint32_t)p->lines.n - l->line;
	return 0;
}

uint32_t places_at(struct places *p, uint32_t node)
{
	const struct stacks *st = p->st;
	uint32_t last = node, i;
	struct places_entry l = { 0 };
	uint64_t hash;

	if (p->place_of[node])
		return p->place_of[node];
	while (st->frames.v[st->nodes.v[last].frame].inlined &&
	       st->nodes.v[last].parent != STACKS_NONE)
		last = st->nodes.v[last].parent;
	l.first = st->nodes.v[node].frame;
	l.last = st->nodes.v[last].frame;
	p->above[node] = st->nodes.v[last].parent;
	hash = hash_mix(l.first, l.last);
	for (struct htab_it it = htab_find(&p->place_tab, hash); htab_next(&p->place_tab, &it, &i);)
		if (p->places.v[i].first == l.first && p->places.v[i].last == l.last)
			return p->place_of[node] = i + 1;
	i = (uint32_t)p->places.n;
	if (fill(p, &l, node, p->above[node]) || vec_push(&p->places, l) ||
	    htab_add(&p->place_tab, hash, i))
		return 0;
	return p->place_of[node] = i + 1;
}

void places_end(struct places *p)
{
	vec_for_each (m, &p->mappings) {
		uint64_t high = m->high | 4095;
		bool file = m->dso->kind == DSO_USER || m->dso->kind == DSO_VDSO;

		m->start = m->low & ~4095ULL;
		m->end = high + 1 ? high + 1 : high;
		m->offset = file ? m->start : 0;
	}
}

/* ---- about the recording ------------------------------------------------------------------------- */

void stacks_when(const struct stacks *st, uint64_t *start, uint64_t *took)
{
	struct perfdata_layout l;

	*start = *took = 0;
	if (st->first_time > st->last_time)
		return;
	*took = st->last_time - st->first_time;
	perfdata_layout(st->env->pd, &l);
	/* The file was written when the last sample had come. */
	if (l.mtime > 0 && (uint64_t)l.mtime < UINT64_MAX / 1000000000 &&
	    (uint64_t)l.mtime * 1000000000 > *took)
		*start = (uint64_t)l.mtime * 1000000000 - *took;
}

uint64_t stacks_period(const struct perfdata_event *event)
{
	if (!(event->attr.flags & ATTR_FLAG_FREQ))
		return event->attr.sample_period;
	/* A frequency says it of clocks alone. */
	if (stacks_unit(event)[0] == 'n' && event->attr.sample_freq)
		return 1000000000 / event->attr.sample_freq;
	return 0;
}
