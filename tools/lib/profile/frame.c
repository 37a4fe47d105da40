// SPDX-License-Identifier: GPL-2.0-or-later
/* Locations to frames, places and steps: what a location is called is looked at once. */
#include "profile-int.h"

uint32_t prof_name_id(struct profile *p, const char *s)
{
	uint32_t id = intern(&p->names, s);

	return id == INTERN_NONE ? 0 : id;
}

/* Cached @map[idx], filled by interning @s. */
static uint32_t cached_name(struct profile *p, uint32_t **v, size_t *n, size_t *cap, uint32_t idx,
			    const char *s)
{
	if (idx >= *n) {
		if (vec_reserve_raw((void **)v, cap, (size_t)idx + 1, sizeof(**v)))
			return 0;
		memset(*v + *n, 0xff, (idx + 1 - *n) * sizeof(**v));
		*n = idx + 1;
	}
	if ((*v)[idx] == ID_NONE)
		(*v)[idx] = prof_name_id(p, s);
	return (*v)[idx];
}

uint32_t prof_dso_name(struct profile *p, const struct dso *dso)
{
	if (!dso)
		return prof_name_id(p, "[unknown]");
	return cached_name(p, &p->dso_name.v, &p->dso_name.n, &p->dso_name.cap, dso->idx,
			   dso->short_name);
}

uint32_t prof_comm_name(struct profile *p, uint32_t comm)
{
	if (comm < p->comm_name.n && p->comm_name.v[comm] != ID_NONE)
		return p->comm_name.v[comm];
	return cached_name(p, &p->comm_name.v, &p->comm_name.n, &p->comm_name.cap, comm,
			   machine_comm(p->m, comm));
}

/* ---- frames ---------------------------------------------------------------------------------- */

enum { FRAME_SYM = 1, FRAME_INLINE, FRAME_ADDR, FRAME_DSO_ADDR, FRAME_LINE, FRAME_RAW };

static uint32_t frame_id(struct profile *p, const uint64_t key[4], const struct frame_info *f)
{
	uint32_t id = prof_tuple_id(&p->frame_keys, key);

	if (id == ID_NONE || id < p->frames.n)
		return id;
	return vec_push(&p->frames, *f) ? ID_NONE : id;
}

/* Addresses in a module count from its start, as upstream shows them. */
static uint64_t shown_addr(const struct profile *p, const struct loc *l)
{
	const struct map *map;

	if (!l->dso || l->dso->kind != DSO_MODULE)
		return l->addr;
	for (size_t i = 0; (map = machine_kernel_map_at(p->m, i)); i++)
		if (map->dso == l->dso && l->addr >= map->start && l->addr < map->end)
			return l->addr - map->start;
	return l->addr;
}

static void frame_fill(struct profile *p, const struct place_in *in, struct frame_info *f)
{
	const struct loc *l = in->at;

	*f = (struct frame_info){
		.sym = in->sym,
		.dso = l->dso,
		.dso_name = prof_dso_name(p, l->dso),
		.cpumode = l->cpumode,
		.ip = in->chain ? in->ip : l->addr,
	};
	if (!in->chain && !f->sym)
		f->ip = shown_addr(p, l);
	f->order = f->sym ? f->sym->start : f->ip;
}

/* Equal symbols of files with equal names are one: the same library under two paths. */
static uint32_t frame_of_sym(struct profile *p, struct frame_info *f)
{
	if (f->sym->is_inline)
		return frame_id(
			p,
			(uint64_t[]){ FRAME_INLINE, f->dso_name, prof_name_id(p, f->sym->name), 0 },
			f);
	return frame_id(p, (uint64_t[]){ FRAME_SYM, f->dso_name, f->sym->start, f->sym->end }, f);
}

/* What key `symbol` tells apart: symbols, and addresses (of any object) where there is none. */
uint32_t prof_frame_of_row(struct profile *p, const struct place_in *in)
{
	struct frame_info f;

	frame_fill(p, in, &f);
	if (f.sym)
		return frame_of_sym(p, &f);
	/* Addresses in memory are the call graph's frames as well: there are many of these. */
	if (in->chain || f.ip == in->ip)
		return frame_id(p, (uint64_t[]){ FRAME_DSO_ADDR, f.dso_name, f.ip, ~0U }, &f);
	return frame_id(p, (uint64_t[]){ FRAME_ADDR, 0, f.ip, 0 }, &f);
}

static const char *line_text(struct profile *p, const struct place_in *in)
{
	const struct loc *l = in->at;
	struct srcline s;

	if (l->dso && symbol_srcline(p->res, l->dso, l->addr, &s))
		return arena_printf(&p->text, "%s:%u", s.base, s.line);
	if (!in->sym)
		return NULL;
	return arena_printf(&p->text, "+%llu", (unsigned long long)(l->addr - in->sym->start));
}

/* What a call graph tells apart: by chain.key functions, addresses or source lines. */
static uint32_t frame_of_tree(struct profile *p, const struct place_in *in)
{
	struct frame_info f;
	enum chain_key by = p->o.chain.key;

	frame_fill(p, in, &f);
	f.ip = in->ip;
	if (f.sym && by == CHAIN_BY_FUNCTION)
		return frame_of_sym(p, &f);
	if (by != CHAIN_BY_FUNCTION)
		f.srcline = line_text(p, in);
	if (by == CHAIN_BY_SRCLINE && f.srcline)
		return frame_id(p,
				(uint64_t[]){ FRAME_LINE, prof_name_id(p, f.srcline), f.dso_name,
					      f.sym ? f.sym->start : 0 },
				&f);
	f.order = f.ip;
	return frame_id(
		p, (uint64_t[]){ FRAME_DSO_ADDR, f.dso_name, f.ip, f.sym ? f.sym->idx : ~0U }, &f);
}

/* ---- places ---------------------------------------------------------------------------------- */

static int note_widths(struct profile *p, const struct place_in *in, bool second, uint32_t id,
		       const uint64_t *vals)
{
	struct profile_col **cols = second ? p->place2_cols : p->place_cols;
	unsigned n = second ? p->nr_place2 : p->nr_place;
	uint16_t **v = second ? &p->place2_width.v : &p->place_width.v;
	size_t *nv = second ? &p->place2_width.n : &p->place_width.n;
	size_t *cap = second ? &p->place2_width.cap : &p->place_width.cap;
	size_t need = ((size_t)id + 1) * n;

	if (need > *nv) {
		if (vec_reserve_raw((void **)v, cap, need, sizeof(**v)))
			return -ENOMEM;
		memset(*v + *nv, 0, (need - *nv) * sizeof(**v));
		*nv = need;
	}
	for (unsigned i = 0; i < n; i++) {
		int w = cols[i]->key->place_width ? cols[i]->key->place_width(p, in, vals[i]) : 0;
		uint16_t *have = *v + (size_t)id * n + i;

		if (w > *have)
			*have = (uint16_t)(w > UINT16_MAX ? UINT16_MAX : w);
	}
	return 0;
}

uint32_t prof_place_of(struct profile *p, const struct place_in *in, bool second)
{
	struct profile_col **cols = second ? p->place2_cols : p->place_cols;
	unsigned n = second ? p->nr_place2 : p->nr_place;
	uint64_t vals[MAX_KEYS];
	uint32_t id;

	for (unsigned i = 0; i < n; i++)
		vals[i] = cols[i]->key->place(p, in);
	id = prof_tuple_id(second ? &p->places2 : &p->places, vals);
	if (id == ID_NONE || note_widths(p, in, second, id, vals))
		return ID_NONE;
	return id;
}

static struct loc_info *loc_info(struct profile *p, uint32_t loc)
{
	static const struct loc_info empty = { ID_NONE, ID_NONE, ID_NONE, 0 };

	if (loc >= p->locs.n) {
		if (vec_reserve(&p->locs, (size_t)loc + 1))
			return NULL;
		while (p->locs.n <= loc)
			p->locs.v[p->locs.n++] = empty;
	}
	return &p->locs.v[loc];
}

uint32_t prof_place_of_loc(struct profile *p, uint32_t loc, uint64_t ip, bool second)
{
	struct loc_info *li = loc_info(p, loc);
	struct place_in in = { .at = resolver_loc(p->res, loc), .ip = ip };
	uint32_t id;

	if (!li)
		return ID_NONE;
	id = second ? li->place2 : li->place;
	if (id != ID_NONE)
		return id;
	in.sym = in.at->sym;
	id = prof_place_of(p, &in, second);
	if (!p->ip_is_key && (in.sym || !p->ip_unnamed))
		*(second ? &li->place2 : &li->place) = id;
	return id;
}

/* ---- steps ----------------------------------------------------------------------------------- */

uint32_t prof_step_of(struct profile *p, uint32_t loc, uint64_t ip, const struct symbol *sym)
{
	struct place_in in = { resolver_loc(p->res, loc), ip, sym, true };
	uint64_t key[2];

	key[0] = frame_of_tree(p, &in);
	key[1] = prof_place_of(p, &in, false);
	if (key[0] == ID_NONE || key[1] == ID_NONE)
		return ID_NONE;
	return prof_tuple_id(&p->step_keys, key);
}

/* The steps of one location into @out, outermost first: their number, or -ENOMEM. */
static int collect_steps(struct profile *p, uint32_t loc, uint64_t ip, uint32_t *out)
{
	const struct loc *l = resolver_loc(p->res, loc);
	const struct inline_frame *f = NULL;
	const struct symbol *sym = l->sym;
	int n = 0, nr = 0;

	if (p->o.inlines && l->dso && sym)
		n = symbol_inlines(p->res, l->dso, l->addr, &f);
	if (n <= 1) {
		out[0] = prof_step_of(p, loc, ip, sym);
		return out[0] == ID_NONE ? -ENOMEM : 1;
	}
	while (n-- > 0 && nr < MAX_INLINES) {
		out[nr] = prof_step_of(p, loc, ip, f[n].sym ? f[n].sym : sym);
		if (out[nr++] == ID_NONE)
			return -ENOMEM;
	}
	return nr;
}

/* A small cache, because wild addresses are as many as they please. */
static int unnamed_step(struct profile *p, uint32_t loc, uint64_t ip, const uint32_t **steps,
			uint32_t *nr)
{
	struct step_memo *m;

	if (!p->step_memo) {
		p->step_memo = malloc(STEP_MEMO * sizeof(*m));
		if (!p->step_memo)
			return -ENOMEM;
		memset(p->step_memo, 0xff, STEP_MEMO * sizeof(*m));
	}
	m = &p->step_memo[hash_u64(ip ^ (uint64_t)loc << 48) & (STEP_MEMO - 1)];
	if (m->ip != ip || m->loc != loc || m->step == ID_NONE) {
		m->step = prof_step_of(p, loc, ip, NULL);
		m->ip = ip;
		m->loc = loc;
	}
	*steps = &m->step;
	*nr = 1;
	return m->step == ID_NONE ? -ENOMEM : 0;
}

int prof_steps_of(struct profile *p, uint32_t loc, uint64_t ip, const uint32_t **steps,
		  uint32_t *nr)
{
	struct loc_info *li = loc_info(p, loc);
	const struct loc *l;
	uint32_t at;
	int n;

	if (!li)
		return -ENOMEM;
	if (li->step != ID_NONE) {
		*steps = p->step_list.v + li->step;
		*nr = li->nr_steps;
		return 0;
	}
	l = resolver_loc(p->res, loc);
	/* In an object without a symbol, or with addresses as keys, one location has many faces. */
	if (!p->ip_is_key && !l->sym && l->dso)
		return unnamed_step(p, loc, ip, steps, nr);
	*steps = p->step_tmp;
	n = collect_steps(p, loc, ip, p->step_tmp);
	if (n < 0)
		return n;
	*nr = (uint32_t)n;
	if (p->ip_is_key)
		return 0;
	at = (uint32_t)p->step_list.n;
	if (vec_reserve(&p->step_list, at + (size_t)n))
		return -ENOMEM;
	memcpy(p->step_list.v + at, p->step_tmp, (size_t)n * sizeof(uint32_t));
	p->step_list.n += (size_t)n;
	li->step = at;
	li->nr_steps = (uint32_t)n;
	return 0;
}

/* Branch ends as keys addr_from and addr_to see them: apart by address in memory. */
uint32_t prof_frame_of_addr(struct profile *p, const struct place_in *in)
{
	struct frame_info f;

	frame_fill(p, in, &f);
	f.order = in->ip;
	return frame_id(p, (uint64_t[]){ FRAME_RAW, f.dso ? f.dso_name + 1 : 0, in->ip, 0 }, &f);
}
