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
		return p->unknown;
	return cached_name(p, &p->feed->dso_name.v, &p->feed->dso_name.n, &p->feed->dso_name.cap,
			   dso->idx, dso->short_name);
}

uint32_t prof_comm_name(struct profile *p, uint32_t comm)
{
	if (comm < p->feed->comm_name.n && p->feed->comm_name.v[comm] != ID_NONE)
		return p->feed->comm_name.v[comm];
	return cached_name(p, &p->feed->comm_name.v, &p->feed->comm_name.n, &p->feed->comm_name.cap,
			   comm, machine_comm(p->m, comm));
}

/* ---- frames ---------------------------------------------------------------------------------- */

enum { FRAME_SYM = 1, FRAME_INLINE, FRAME_ADDR, FRAME_DSO_ADDR, FRAME_LINE, FRAME_RAW };

static uint32_t frame_id(struct profile *p, const uint64_t key[4], const struct frame_info *f)
{
	uint32_t id = prof_tuple_id(&p->feed->frame_keys, key);

	if (id == ID_NONE)
		return ID_NONE;
	while (p->feed->frame_at.n <= id)
		if (vec_push(&p->feed->frame_at, (uint32_t)p->frames.n) || vec_push(&p->frames, *f))
			return ID_NONE;
	return p->feed->frame_at.v[id];
}

/*
 * Bare frames: an address, with the name of the object that it is in, or in none. Wild addresses
 * in chains are more than all other frames together, so their table compares the frames
 * themselves, and where keys allow it leads to the step at once.
 */
static uint64_t bare_hash(uint32_t dso_name, uint64_t ip)
{
	return hash_mix(dso_name, ip);
}

static uint32_t bare_find(const struct profile *p, uint32_t dso_name, uint64_t ip)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&p->feed->bare_tab, bare_hash(dso_name, ip));
	     htab_next(&p->feed->bare_tab, &it, &i);)
		if (p->frames.v[i].ip == ip && p->frames.v[i].dso_name == dso_name)
			return i;
	return ID_NONE;
}

static uint32_t bare_frame(struct profile *p, const struct frame_info *f)
{
	uint32_t id = bare_find(p, f->dso_name, f->ip);

	if (id != ID_NONE)
		return id;
	id = (uint32_t)p->frames.n;
	return vec_push(&p->frames, *f) ||
			       htab_add(&p->feed->bare_tab, bare_hash(f->dso_name, f->ip), id)
		       ? ID_NONE
		       : id;
}

void prof_unmapped_prefetch(const struct profile *p, uint64_t ip)
{
	htab_prefetch(&p->feed->bare_tab, bare_hash(p->unknown, ip));
}

void prof_unmapped_prefetch_next(const struct profile *p, uint64_t ip)
{
	uint32_t i = htab_peek(&p->feed->bare_tab, bare_hash(p->unknown, ip));

	if (i != UINT32_MAX)
		__builtin_prefetch(&p->frames.v[i]);
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
		.ip = in->chain ? in->ip : l->addr,
		.dso_name = prof_dso_name(p, l->dso),
		.step = ID_NONE,
		.dso = l->dso ? l->dso->idx + 1 : 0,
		.cpumode = l->cpumode,
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
		return bare_frame(p, &f);
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
	if (!f.sym)
		return bare_frame(p, &f);
	return frame_id(p, (uint64_t[]){ FRAME_DSO_ADDR, f.dso_name, f.ip, f.sym->idx }, &f);
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

static uint32_t place_id(struct profile *p, const struct place_in *in, bool second, bool new)
{
	struct profile_col **cols = second ? p->place2_cols : p->place_cols;
	unsigned n = second ? p->nr_place2 : p->nr_place;
	struct tuples *t = second ? &p->places2 : &p->places;
	uint64_t vals[MAX_KEYS];
	uint32_t id;

	for (unsigned i = 0; i < n; i++)
		vals[i] = cols[i]->key->place(p, in);
	id = new ? prof_tuple_push(t, vals) : prof_tuple_id(t, vals);
	if (id == ID_NONE || note_widths(p, in, second, id, vals))
		return ID_NONE;
	return id;
}

static uint32_t bare_step(struct profile *p, const struct place_in *in)
{
	struct frame_info f;
	struct step new;
	uint32_t step;

	frame_fill(p, in, &f);
	new.frame = bare_frame(p, &f);
	if (new.frame == ID_NONE)
		return ID_NONE;
	step = p->frames.v[new.frame].step;
	if (step != ID_NONE)
		return step;
	/* Key symbol tells the place of each frame apart. */
	new.place = place_id(p, in, false, p->sym_is_key);
	if (new.place == ID_NONE || vec_push(&p->steps, new))
		return ID_NONE;
	p->frames.v[new.frame].step = (uint32_t)p->steps.n - 1;
	return (uint32_t)p->steps.n - 1;
}

/* Tuple of the place keys (@second: of the target's, in branch mode). ID_NONE: no memory. */
static uint32_t place_of(struct profile *p, const struct place_in *in, bool second)
{
	uint32_t step;

	if (!p->one_step || !p->sym_is_key || in->sym ||
	    !(in->chain || shown_addr(p, in->at) == in->ip))
		return place_id(p, in, second, false);
	step = bare_step(p, in);
	return step == ID_NONE ? ID_NONE : p->steps.v[step].place;
}

static struct loc_info *loc_info(struct profile *p, uint32_t loc)
{
	static const struct loc_info empty = { 0, ID_NONE, ID_NONE, ID_NONE, 0, false };

	if (vec_reach(&p->feed->locs, loc, empty))
		return NULL;
	return &p->feed->locs.v[loc];
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
	id = place_of(p, &in, second);
	if (!p->ip_is_key && (in.sym || !p->ip_unnamed))
		*(second ? &li->place2 : &li->place) = id;
	return id;
}

/* ---- steps ----------------------------------------------------------------------------------- */

uint32_t prof_step_of(struct profile *p, uint32_t loc, uint64_t ip, const struct symbol *sym)
{
	struct place_in in = { resolver_loc(p->res, loc), ip, sym, true };
	struct step new;
	uint64_t h;
	uint32_t i;

	if (!sym && p->one_step)
		return bare_step(p, &in);
	new.frame = frame_of_tree(p, &in);
	new.place = place_of(p, &in, false);
	if (new.frame == ID_NONE || new.place == ID_NONE)
		return ID_NONE;
	h = hash_u64((uint64_t) new.frame << 32 | new.place);
	for (struct htab_it it = htab_find(&p->feed->step_tab, h);
	     htab_next(&p->feed->step_tab, &it, &i);)
		if (p->steps.v[i].frame == new.frame && p->steps.v[i].place == new.place)
			return i;
	i = (uint32_t)p->steps.n;
	return vec_push(&p->steps, new) || htab_add(&p->feed->step_tab, h, i) ? ID_NONE : i;
}

uint32_t prof_step_unmapped(struct profile *p, uint64_t ip, uint8_t cpumode)
{
	uint32_t frame = bare_find(p, p->unknown, ip);
	struct loc at = { .addr = ip, .cpumode = cpumode };
	struct place_in in = { &at, ip, NULL, true };

	if (frame != ID_NONE && p->frames.v[frame].step != ID_NONE)
		return p->frames.v[frame].step;
	return bare_step(p, &in);
}

uint32_t prof_place_unmapped(struct profile *p, uint64_t ip, uint8_t cpumode)
{
	struct loc at = { .addr = ip, .cpumode = cpumode };
	struct place_in in = { &at, ip, NULL, false };

	return place_of(p, &in, false);
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

/* Puts @n steps into @li, in place of as many that were there. */
static int keep_steps(struct profile *p, struct loc_info *li, const uint32_t *steps, uint32_t n)
{
	if (li->step == ID_NONE) {
		if (vec_reserve(&p->feed->step_list, p->feed->step_list.n + n))
			return -ENOMEM;
		li->step = (uint32_t)p->feed->step_list.n;
		p->feed->step_list.n += n;
	}
	memcpy(p->feed->step_list.v + li->step, steps, n * sizeof(*steps));
	li->nr_steps = (uint16_t)n;
	return 0;
}

int prof_steps_of(struct profile *p, uint32_t loc, uint64_t ip, const uint32_t **steps,
		  uint32_t *nr)
{
	struct loc_info *li = loc_info(p, loc);
	int n;

	if (!li)
		return -ENOMEM;
	if (li->step == ID_NONE || (li->bare && li->ip != ip)) {
		n = collect_steps(p, loc, ip, p->feed->step_tmp);
		if (n < 0)
			return n;
		/* Addresses as keys give one location many faces. */
		if (p->ip_is_key) {
			*steps = p->feed->step_tmp;
			*nr = (uint32_t)n;
			return 0;
		}
		li->bare = !resolver_loc(p->res, loc)->sym;
		li->ip = ip;
		if (keep_steps(p, li, p->feed->step_tmp, (uint32_t)n))
			return -ENOMEM;
	}
	*steps = p->feed->step_list.v + li->step;
	*nr = li->nr_steps;
	return 0;
}

/* Branch ends as keys addr_from and addr_to see them: apart by address in memory. */
uint32_t prof_frame_of_addr(struct profile *p, const struct place_in *in)
{
	struct frame_info f;

	frame_fill(p, in, &f);
	if (f.sym) /* sampled or a caller: the frame is the same, and has an offset */
		f.ip = in->at->addr;
	f.order = in->ip;
	return frame_id(p, (uint64_t[]){ FRAME_RAW, f.dso ? f.dso_name + 1 : 0, in->ip, 0 }, &f);
}
