// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stands in the tree of calls: a frame is a function, or the object where there is none. Each is told
 * apart by the number that its recording's resolver gave it; only where two recordings are in one page,
 * frames are the same by the names of function and object.
 */
#include <stdio.h>

#include "page-int.h"

static uint8_t kind_of(const struct dso *dso, uint8_t cpumode)
{
	if (!dso)
		return cpumode == PERF_RECORD_MISC_KERNEL ? KIND_KERNEL : KIND_UNKNOWN;
	if (dso->guest || cpumode == PERF_RECORD_MISC_GUEST_KERNEL ||
	    cpumode == PERF_RECORD_MISC_GUEST_USER)
		return KIND_GUEST;
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_MODULE:
	case DSO_BPF: return KIND_KERNEL;
	case DSO_ANON:
	case DSO_JIT: return KIND_JIT;
	default: return KIND_USER;
	}
}

/* What the first recording calls so: builds of a program differ in their build ids, and in the directory. */
static uint32_t same_object(const struct page *p, const struct dso *dso)
{
	for (uint32_t i = 0; i < p->objects.n; i++)
		if (!strcmp(p->objects.v[i].dso->short_name, dso->short_name))
			return i;
	return NONE;
}

uint32_t page_object_of(struct page *p, const struct dso *dso)
{
	const struct page_object new = { .dso = dso };
	uint32_t i;

	if (vec_reach(&p->at->object_of, dso->idx, 0))
		return NONE;
	if (p->at->object_of.v[dso->idx])
		return p->at->object_of.v[dso->idx] - 1;
	i = p->at->nr ? same_object(p, dso) : NONE;
	if (i == NONE && vec_push(&p->objects, new))
		return NONE;
	i = i == NONE ? (uint32_t)p->objects.n - 1 : i;
	p->at->object_of.v[dso->idx] = i + 1;
	return i;
}

/* In two recordings a frame of one name and object is one. */
static uint32_t same_frame(struct page *p, const struct page_frame *f, uint64_t hash)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&p->frame_tab, hash);
	     htab_next(&p->frame_tab, &it, &i);) {
		const struct page_frame *have = &p->frames.v[i];

		if (have->name == f->name && have->dso == f->dso &&
		    (have->kind == KIND_INLINED) == (f->kind == KIND_INLINED))
			return i;
	}
	return NONE;
}

static uint32_t new_frame(struct page *p, const char *name, const struct dso *dso, uint8_t kind)
{
	struct page_frame f = { .name = intern(&p->strings, name), .dso = NONE, .kind = kind };
	uint64_t hash;
	uint32_t i;

	if (dso)
		f.dso = page_object_of(p, dso);
	if (f.name == INTERN_NONE || (dso && f.dso == NONE))
		return NONE;
	hash = hash_u64((uint64_t)f.name << 32 | f.dso);
	i = p->at->nr ? same_frame(p, &f, hash) : NONE;
	if (i != NONE)
		return i;
	if (vec_push(&p->frames, f))
		return NONE;
	i = (uint32_t)p->frames.n - 1;
	return p->o.before && htab_add(&p->frame_tab, hash, i) ? NONE : i;
}

static uint32_t frame_of_object(struct page *p, const struct dso *dso, uint8_t cpumode)
{
	const char *name = p->o.full_paths ? dso->name : dso->short_name;
	char text[256];
	uint32_t id;

	if (vec_reach(&p->at->frame_of_dso, dso->idx, 0))
		return NONE;
	if (p->at->frame_of_dso.v[dso->idx])
		return p->at->frame_of_dso.v[dso->idx] - 1;
	/* "[kernel.kallsyms]" has its brackets already. */
	if (name[0] != '[')
		snprintf(text, sizeof(text), "[%.250s]", name);
	id = new_frame(p, name[0] == '[' ? name : text, dso,
		       kind_of(dso, cpumode) == KIND_KERNEL ? KIND_KERNEL : KIND_UNKNOWN);
	if (id != NONE)
		p->at->frame_of_dso.v[dso->idx] = id + 1;
	return id;
}

uint32_t page_frame_of(struct page *p, uint32_t loc, const struct symbol *sym, bool inlined,
		       uint8_t cpumode)
{
	const struct loc *l = resolver_loc(p->at->env->resolver, loc);
	uint32_t id;

	if (!sym && l->dso)
		return frame_of_object(p, l->dso, cpumode);
	if (!sym) {
		if (p->frame_unknown == NONE)
			p->frame_unknown = new_frame(p, "[unknown]", NULL, KIND_UNKNOWN);
		return p->frame_unknown;
	}
	if (vec_reach(&p->at->frame_of_sym[inlined], sym->idx, 0))
		return NONE;
	if (p->at->frame_of_sym[inlined].v[sym->idx])
		return p->at->frame_of_sym[inlined].v[sym->idx] - 1;
	id = new_frame(p, sym->name, l->dso, inlined ? KIND_INLINED : kind_of(l->dso, cpumode));
	if (id != NONE)
		p->at->frame_of_sym[inlined].v[sym->idx] = id + 1;
	return id;
}

uint32_t page_frame_of_symbol(const struct page *p, const struct symbol *sym)
{
	return sym->idx < p->side[0].frame_of_sym[0].n ? p->side[0].frame_of_sym[0].v[sym->idx] : 0;
}

uint32_t page_frame_like(struct page *p, const struct page_source *src)
{
	uint32_t *slot = &p->frame_unknown, id;

	if (src->sym) {
		if (vec_reach(&p->at->frame_of_sym[src->inlined], src->sym->idx, 0))
			return NONE;
		slot = &p->at->frame_of_sym[src->inlined].v[src->sym->idx];
	} else if (src->dso) {
		if (vec_reach(&p->at->frame_of_dso, src->dso->idx, 0))
			return NONE;
		slot = &p->at->frame_of_dso.v[src->dso->idx];
	}
	if (slot == &p->frame_unknown) {
		if (*slot == NONE)
			*slot = new_frame(p, src->name, NULL, src->kind);
		return *slot;
	}
	if (*slot)
		return *slot - 1;
	id = new_frame(p, src->name, src->dso, src->kind);
	if (id != NONE)
		*slot = id + 1;
	return id;
}

int page_match_events(struct page *p)
{
	const struct perfdata *pd = p->env->pd, *before = p->side[1].env->pd;

	for (size_t i = 0; i < perfdata_nr_events(before); i++) {
		uint32_t to = NONE;

		for (size_t k = 0; k < perfdata_nr_events(pd) && to == NONE; k++)
			if (!strcmp(perfdata_event(pd, k)->name, perfdata_event(before, i)->name))
				to = (uint32_t)k;
		if (vec_push(&p->side[1].event, to))
			return -ENOMEM;
	}
	return 0;
}
