// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Locations to places and steps: what a location is to the keys of a row, and what it is as a frame
 * of a chain. Both are looked at once per location, but where keys tell raw addresses apart.
 */
#include "table-int.h"

/* ---- places ---------------------------------------------------------------------------------- */

static int note_widths(struct table *t, const struct place_in *in, bool second, uint32_t id,
		       const uint64_t *vals)
{
	struct keys_col **cols = second ? t->place2_cols : t->place_cols;
	unsigned n = second ? t->nr_place2 : t->nr_place;
	uint16_t **v = second ? &t->place2_width.v : &t->place_width.v;
	size_t *nv = second ? &t->place2_width.n : &t->place_width.n;
	size_t *cap = second ? &t->place2_width.cap : &t->place_width.cap;
	size_t need = ((size_t)id + 1) * n;

	if (need > *nv) {
		if (vec_reserve_raw((void **)v, cap, need, sizeof(**v)))
			return -ENOMEM;
		memset(*v + *nv, 0, (need - *nv) * sizeof(**v));
		*nv = need;
	}
	for (unsigned i = 0; i < n; i++) {
		int w = cols[i]->key->place_width ? cols[i]->key->place_width(&t->keys, in, vals[i])
						  : 0;
		uint16_t *have = *v + (size_t)id * n + i;

		if (w > *have)
			*have = (uint16_t)(w > UINT16_MAX ? UINT16_MAX : w);
	}
	return 0;
}

/* False: no memory. */
static bool place_values(struct table *t, const struct place_in *in, bool second, uint64_t *vals)
{
	struct keys_col **cols = second ? t->place2_cols : t->place_cols;
	unsigned n = second ? t->nr_place2 : t->nr_place;

	for (unsigned i = 0; i < n; i++)
		vals[i] = cols[i]->key->place(&t->keys, in);
	return !t->keys.no_memory;
}

static uint32_t place_id(struct table *t, const struct place_in *in, bool second, bool new)
{
	struct tuples *places = second ? &t->places2 : &t->places;
	uint64_t vals[MAX_VALUES];
	uint32_t id;

	if (!place_values(t, in, second, vals))
		return ID_NONE;
	id = new ? keys_tuple_push(places, vals) : keys_tuple_id(places, vals);
	if (id == ID_NONE || note_widths(t, in, second, id, vals))
		return ID_NONE;
	return id;
}

static uint32_t bare_step(struct table *t, const struct place_in *in)
{
	struct step new;
	uint32_t step;

	new.frame = keys_frame_of_bare(&t->keys, in);
	if (new.frame == ID_NONE)
		return ID_NONE;
	step = t->keys.frames.v[new.frame].step;
	if (step != ID_NONE)
		return step;
	/* Key symbol tells the place of each frame apart. */
	new.place = place_id(t, in, false, t->sym_is_key);
	if (new.place == ID_NONE || vec_push(&t->steps, new))
		return ID_NONE;
	t->keys.frames.v[new.frame].step = (uint32_t)t->steps.n - 1;
	return (uint32_t)t->steps.n - 1;
}

/* Its place and its step are found by its frame. */
static bool is_bare(const struct table *t, const struct place_in *in)
{
	return t->one_step && t->sym_is_key && !in->sym &&
	       (in->chain || keys_frame_shown(&t->keys, in->at) == in->ip);
}

/* Tuple of the place keys (@second: of the target's, in branch mode). ID_NONE: no memory. */
static uint32_t place_of(struct table *t, const struct place_in *in, bool second)
{
	uint32_t step;

	if (!is_bare(t, in))
		return place_id(t, in, second, false);
	step = bare_step(t, in);
	return step == ID_NONE ? ID_NONE : t->steps.v[step].place;
}

static struct loc_info *loc_info(struct table *t, uint32_t loc)
{
	static const struct loc_info empty = { 0, ID_NONE, ID_NONE, ID_NONE, 0, false };

	if (vec_reach(&t->feed->locs, loc, empty))
		return NULL;
	return &t->feed->locs.v[loc];
}

/* In a rich table each address has places of its own: those of the last one are remembered. */
static int rich_places(struct table *t, struct loc_info *li, uint32_t loc, uint64_t ip)
{
	if (vec_reach(&t->feed->place_ip, loc, 0))
		return -ENOMEM;
	if (t->feed->place_ip.v[loc] != ip)
		li->place = li->place2 = ID_NONE;
	t->feed->place_ip.v[loc] = ip;
	return 0;
}

struct symbol_info *table_symbol_info(struct table *t, uint32_t sym)
{
	static const struct symbol_info none = { ID_NONE, ID_NONE };

	if (vec_reach(&t->feed->symbols, sym, none))
		return NULL;
	return &t->feed->symbols.v[sym];
}

/* Where no key looks below symbols, the place of one is looked for once. */
static uint32_t place_of_sym(struct table *t, const struct place_in *in)
{
	struct symbol_info *si = table_symbol_info(t, in->sym->idx);

	if (!si)
		return ID_NONE;
	if (si->place == ID_NONE)
		si->place = place_of(t, in, false);
	return si->place;
}

uint32_t table_place_of_loc(struct table *t, uint32_t loc, uint64_t ip, bool second)
{
	struct loc_info *li = loc_info(t, loc);
	struct place_in in = { .at = resolver_loc(t->keys.res, loc), .ip = ip, .loc = loc };
	uint32_t id;

	if (!li || (t->keys.o.rich && rich_places(t, li, loc, ip)))
		return ID_NONE;
	id = second ? li->place2 : li->place;
	if (id != ID_NONE)
		return id;
	in.sym = in.at->sym;
	id = in.sym && t->by_symbol && !t->keys.o.branch ? place_of_sym(t, &in)
							 : place_of(t, &in, second);
	if (t->keys.o.rich || (!t->ip_is_key && (in.sym || !t->ip_unnamed)))
		*(second ? &li->place2 : &li->place) = id;
	return id;
}

/* ---- many at once ---------------------------------------------------------------------------- */

struct new_place {
	struct place_in in;
	uint64_t vals[PLACES_KEYS_MAX], hash;
	unsigned i; /* of the caller's */
};

/*
 * Those that were not looked at yet, if all of these can be looked at together: 0 else. Numbers have to be those that
 * one after the other would get, and a bare one gets those of its frame and its place at once.
 */
static unsigned new_places(struct table *t, const uint32_t *loc, const uint64_t *ip, unsigned n,
			   struct new_place *new)
{
	unsigned nr = 0;

	if (!t->by_symbol || t->ip_is_key || t->ip_unnamed || t->keys.o.branch ||
	    t->nr_place > PLACES_KEYS_MAX)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		struct place_in in = { .ip = ip[i], .loc = loc[i] };
		const struct loc_info *li;

		if (loc[i] == LOC_NONE)
			return 0;
		li = loc_info(t, loc[i]);
		if (!li)
			return 0;
		if (li->place != ID_NONE)
			continue;
		in.at = resolver_loc(t->keys.res, loc[i]);
		if (in.at->sym || is_bare(t, &in))
			return 0;
		if (t->sym_is_key)
			keys_addr_prefetch(&t->keys, keys_frame_shown(&t->keys, in.at));
		new[nr].in = in;
		new[nr++].i = i;
	}
	return nr;
}

void table_places_of_locs(struct table *t, const uint32_t *loc, const uint64_t *ip,
			  struct thread *const *th, uint32_t *place, unsigned n)
{
	struct new_place new[PLACES_MAX];
	unsigned nr = new_places(t, loc, ip, n, new);

	for (unsigned k = 0; k < nr; k++) {
		struct new_place *p = &new[k];

		t->feed->keys.at_thread = th[p->i];
		if (!place_values(t, &p->in, false, p->vals))
			break; /* as will those who look for it */
		p->hash = keys_tuple_hash(&t->places, p->vals);
		htab_prefetch(&t->places.tab, p->hash);
	}
	for (unsigned k = 0; k < nr && !t->keys.no_memory; k++) {
		const struct new_place *p = &new[k];
		uint32_t id = keys_tuple_id_at(&t->places, p->hash, p->vals);

		if (id == ID_NONE || note_widths(t, &p->in, false, id, p->vals))
			break;
		t->feed->locs.v[p->in.loc].place = id;
	}
	for (unsigned i = 0; i < n; i++) {
		t->feed->keys.at_thread = th[i];
		place[i] =
			loc[i] == LOC_NONE ? ID_NONE : table_place_of_loc(t, loc[i], ip[i], false);
	}
}

/* ---- steps ----------------------------------------------------------------------------------- */

uint32_t table_step_id(struct table *t, uint32_t frame, uint32_t place)
{
	struct htab *tab = &t->feed->step_tab;
	uint64_t h = hash_u64((uint64_t)frame << 32 | place);
	struct step new = { frame, place };
	uint32_t i;

	for (struct htab_it it = htab_find(tab, h); htab_next(tab, &it, &i);)
		if (t->steps.v[i].frame == frame && t->steps.v[i].place == place)
			return i;
	i = (uint32_t)t->steps.n;
	return vec_push(&t->steps, new) || htab_add(tab, h, i) ? ID_NONE : i;
}

uint32_t table_step_of(struct table *t, uint32_t loc, uint64_t ip, const struct symbol *sym)
{
	const struct place_in in = { resolver_loc(t->keys.res, loc), ip, sym, true, loc };

	return table_step_in(t, &in);
}

uint32_t table_step_in(struct table *t, const struct place_in *in)
{
	uint32_t frame, place;

	if (!in->sym && t->one_step)
		return bare_step(t, in);
	frame = t->keys.o.rich ? keys_frame_of_rich(&t->keys, in)
			       : keys_frame_of_tree(&t->keys, in);
	place = place_of(t, in, false);
	return frame == ID_NONE || place == ID_NONE ? ID_NONE : table_step_id(t, frame, place);
}

uint32_t table_step_unmapped(struct table *t, uint64_t ip, uint8_t cpumode)
{
	uint32_t frame = keys_frame_find_bare(&t->keys, t->keys.unknown, ip);
	struct loc at = { .addr = ip, .cpumode = cpumode };
	struct place_in in = { &at, ip, NULL, true, LOC_NONE };

	if (frame != ID_NONE && t->keys.frames.v[frame].step != ID_NONE)
		return t->keys.frames.v[frame].step;
	return bare_step(t, &in);
}

uint32_t table_place_unmapped(struct table *t, uint64_t ip, uint8_t cpumode)
{
	struct loc at = { .addr = ip, .cpumode = cpumode };
	struct place_in in = { &at, ip, NULL, false, LOC_NONE };

	return place_of(t, &in, false);
}

/* The step of the location's own symbol, if it has one: where all addresses of that are one it is looked for once. */
static uint32_t own_step(struct table *t, uint32_t loc, uint64_t ip, const struct symbol *sym)
{
	struct symbol_info *si;

	if (!sym || !t->one_step)
		return table_step_of(t, loc, ip, sym);
	si = table_symbol_info(t, sym->idx);
	if (!si)
		return ID_NONE;
	if (si->step == ID_NONE)
		si->step = table_step_of(t, loc, ip, sym);
	return si->step;
}

/* The steps of one location into @out, outermost first: their number, or -ENOMEM. */
static int collect_steps(struct table *t, uint32_t loc, uint64_t ip, uint32_t *out)
{
	const struct loc *l = resolver_loc(t->keys.res, loc);
	const struct inline_frame *f = NULL;
	const struct symbol *sym = l->sym;
	int n = 0, nr = 0;

	if (t->keys.o.inlines && l->dso && sym)
		n = symbol_inlines(t->keys.res, l->dso, l->addr, &f);
	if (n <= 1) {
		out[0] = own_step(t, loc, ip, sym);
		return out[0] == ID_NONE ? -ENOMEM : 1;
	}
	while (n-- > 0 && nr < MAX_INLINES) {
		out[nr] = table_step_of(t, loc, ip, f[n].sym ? f[n].sym : sym);
		if (out[nr++] == ID_NONE)
			return -ENOMEM;
	}
	return nr;
}

/* Puts @n steps into @li. Most often it is one, which needs no list. */
static int keep_steps(struct table *t, struct loc_info *li, const uint32_t *steps, uint32_t n)
{
	if (n == 1) {
		li->step = steps[0];
		li->nr_steps = 1;
		return 0;
	}
	if (li->step == ID_NONE || li->nr_steps != n) {
		if (vec_reserve(&t->feed->step_list, t->feed->step_list.n + n))
			return -ENOMEM;
		li->step = (uint32_t)t->feed->step_list.n;
		t->feed->step_list.n += n;
	}
	memcpy(t->feed->step_list.v + li->step, steps, n * sizeof(*steps));
	li->nr_steps = (uint16_t)n;
	return 0;
}

int table_steps_of(struct table *t, uint32_t loc, uint64_t ip, const uint32_t **steps, uint32_t *nr)
{
	struct loc_info *li = loc_info(t, loc);
	int n;

	if (!li)
		return -ENOMEM;
	if (li->step == ID_NONE || (li->bare && li->ip != ip)) {
		n = collect_steps(t, loc, ip, t->feed->step_tmp);
		if (n < 0)
			return n;
		/* Addresses as keys give one location many faces. */
		if (t->ip_is_key && !t->keys.o.rich) {
			*steps = t->feed->step_tmp;
			*nr = (uint32_t)n;
			return 0;
		}
		li->bare = t->keys.o.rich || !resolver_loc(t->keys.res, loc)->sym;
		li->ip = ip;
		if (keep_steps(t, li, t->feed->step_tmp, (uint32_t)n))
			return -ENOMEM;
	}
	*steps = li->nr_steps == 1 ? &li->step : t->feed->step_list.v + li->step;
	*nr = li->nr_steps;
	return 0;
}
