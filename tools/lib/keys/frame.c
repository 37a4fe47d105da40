// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames: what a location is called, as a number. Symbols and bare addresses are told apart here,
 * by what key symbol or the frames of a call graph tell apart; equal ones have one number, which
 * is all that rows and chains hold of them.
 */
#include "keys-int.h"

uint32_t keys_name_id(struct keys *ks, const char *s)
{
	uint32_t id = intern(&ks->names, s);

	if (id != INTERN_NONE)
		return id;
	ks->no_memory = true;
	return 0;
}

/* Cached @map[idx], filled by interning @s. */
static uint32_t cached_name(struct keys *ks, uint32_t **v, size_t *n, size_t *cap, uint32_t idx,
			    const char *s)
{
	if (idx >= *n) {
		if (vec_reserve_raw((void **)v, cap, (size_t)idx + 1, sizeof(**v))) {
			ks->no_memory = true;
			return 0;
		}
		memset(*v + *n, 0xff, (idx + 1 - *n) * sizeof(**v));
		*n = idx + 1;
	}
	if ((*v)[idx] == ID_NONE)
		(*v)[idx] = keys_name_id(ks, s);
	return (*v)[idx];
}

uint32_t keys_dso_name(struct keys *ks, const struct dso *dso)
{
	if (!dso)
		return ks->unknown;
	return cached_name(ks, &ks->reader->dso_name.v, &ks->reader->dso_name.n,
			   &ks->reader->dso_name.cap, dso->idx, dso->short_name);
}

uint32_t keys_comm_name(struct keys *ks, uint32_t comm)
{
	if (comm < ks->reader->comm_name.n && ks->reader->comm_name.v[comm] != ID_NONE)
		return ks->reader->comm_name.v[comm];
	return cached_name(ks, &ks->reader->comm_name.v, &ks->reader->comm_name.n,
			   &ks->reader->comm_name.cap, comm, machine_comm(ks->m, comm));
}

/* ---- frames ---------------------------------------------------------------------------------- */

uint32_t keys_frame_id(struct keys *ks, const uint64_t key[4], const struct frame_info *f)
{
	uint32_t id = keys_tuple_id(&ks->reader->frame_keys, key);

	while (id != ID_NONE && ks->reader->frame_at.n <= id)
		if (vec_reserve(&ks->frames, ks->frames.n + 1) ||
		    vec_push(&ks->reader->frame_at, (uint32_t)ks->frames.n) ||
		    vec_push(&ks->frames, *f))
			id = ID_NONE;
	if (id != ID_NONE)
		return ks->reader->frame_at.v[id];
	ks->no_memory = true;
	return ID_NONE;
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

uint32_t keys_frame_find_bare(const struct keys *ks, uint32_t dso_name, uint64_t ip)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&ks->reader->bare_tab, bare_hash(dso_name, ip));
	     htab_next(&ks->reader->bare_tab, &it, &i);)
		if (ks->frames.v[i].ip == ip && ks->frames.v[i].dso_name == dso_name)
			return i;
	return ID_NONE;
}

uint32_t keys_frame_push(struct keys *ks, const struct frame_info *f)
{
	if (!vec_push(&ks->frames, *f))
		return (uint32_t)ks->frames.n - 1;
	ks->no_memory = true;
	return ID_NONE;
}

static int index_bare(struct keys *ks, uint32_t id)
{
	const struct frame_info *f = &ks->frames.v[id];

	return htab_add(&ks->reader->bare_tab, bare_hash(f->dso_name, f->ip), id);
}

uint32_t keys_frame_bare(struct keys *ks, const struct frame_info *f)
{
	uint32_t id = keys_frame_find_bare(ks, f->dso_name, f->ip);

	if (id != ID_NONE)
		return id;
	id = keys_frame_push(ks, f);
	if (id == ID_NONE || !index_bare(ks, id))
		return id;
	ks->no_memory = true;
	return ID_NONE;
}

/* Slots that are asked for before. */
#define INDEX_AHEAD 32

int keys_frames_index(struct keys *ks, size_t from)
{
	const uint32_t *other = ks->reader->frame_at.v; /* those that are no bare ones, ascending */
	size_t nr = ks->reader->frame_at.n;

	if (htab_reserve(&ks->reader->bare_tab, ks->frames.n - from))
		return -ENOMEM;
	while (nr && *other < from)
		other++, nr--;
	for (size_t i = from; i < ks->frames.n; i++) {
		const struct frame_info *ahead =
			&ks->frames.v[min_u64(i + INDEX_AHEAD, ks->frames.n - 1)];

		keys_bare_prefetch(ks, ahead->dso_name, ahead->ip);
		if (nr && *other == i)
			other++, nr--;
		else if (index_bare(ks, (uint32_t)i))
			return -ENOMEM;
	}
	return 0;
}

void keys_bare_prefetch(const struct keys *ks, uint32_t dso_name, uint64_t ip)
{
	htab_prefetch(&ks->reader->bare_tab, bare_hash(dso_name, ip));
}

void keys_bare_prefetch_next(const struct keys *ks, uint32_t dso_name, uint64_t ip)
{
	uint32_t i = htab_peek(&ks->reader->bare_tab, bare_hash(dso_name, ip));

	if (i != UINT32_MAX)
		__builtin_prefetch(&ks->frames.v[i]);
}

/* Addresses in a module count from its start, as upstream shows them. */
uint64_t keys_frame_shown(const struct keys *ks, const struct loc *l)
{
	const struct map *map;

	if (!l->dso || l->dso->kind != DSO_MODULE)
		return l->addr;
	map = machine_kernel_map(ks->m, l->addr);
	return map && map->dso == l->dso ? l->addr - map->start : l->addr;
}

static void frame_fill(struct keys *ks, const struct place_in *in, struct frame_info *f)
{
	const struct loc *l = in->at;

	*f = (struct frame_info){
		.sym = in->sym,
		.ip = in->chain ? in->ip : l->addr,
		.dso_name = keys_dso_name(ks, l->dso),
		.step = ID_NONE,
		.dso = l->dso ? l->dso->idx + 1 : 0,
		.cpumode = l->cpumode,
	};
	if (!in->chain && !f->sym)
		f->ip = keys_frame_shown(ks, l);
	f->order = f->sym ? f->sym->start : f->ip;
}

/* Equal symbols of files with equal names are one: the same library under two paths. */
static uint32_t frame_of_sym(struct keys *ks, struct frame_info *f)
{
	if (f->sym->is_inline)
		return keys_frame_id(ks,
				     (uint64_t[]){ FRAME_INLINE, f->dso_name,
						   keys_name_id(ks, f->sym->name), 0 },
				     f);
	return keys_frame_id(ks, (uint64_t[]){ FRAME_SYM, f->dso_name, f->sym->start, f->sym->end },
			     f);
}

/* What key `symbol` tells apart: symbols, and addresses (of any object) where there is none. */
uint32_t keys_frame_of_row(struct keys *ks, const struct place_in *in)
{
	struct frame_info f;

	frame_fill(ks, in, &f);
	if (f.sym)
		return frame_of_sym(ks, &f);
	/* Addresses in memory are the call graph's frames as well: there are many of these. */
	if (in->chain || f.ip == in->ip)
		return keys_frame_bare(ks, &f);
	return keys_frame_id(ks, (uint64_t[]){ FRAME_ADDR, 0, f.ip, 0 }, &f);
}

void keys_addr_prefetch(const struct keys *ks, uint64_t ip)
{
	const uint64_t key[4] = { FRAME_ADDR, 0, ip, 0 };

	htab_prefetch(&ks->reader->frame_keys.tab, keys_tuple_hash(&ks->reader->frame_keys, key));
}

static const char *line_text(struct keys *ks, const struct place_in *in)
{
	const struct loc *l = in->at;
	struct srcline s;

	if (l->dso && symbol_srcline(ks->res, l->dso, l->addr, &s))
		return arena_printf(&ks->text, "%s:%u", s.base, s.line);
	if (!in->sym)
		return NULL;
	return arena_printf(&ks->text, "+%llu", (unsigned long long)(l->addr - in->sym->start));
}

/* What a call graph tells apart: by chain.key functions, addresses or source lines. */
uint32_t keys_frame_of_tree(struct keys *ks, const struct place_in *in)
{
	struct frame_info f;
	enum chain_key by = ks->o.chain.key;

	frame_fill(ks, in, &f);
	f.ip = in->ip;
	if (f.sym && by == CHAIN_BY_FUNCTION)
		return frame_of_sym(ks, &f);
	if (by != CHAIN_BY_FUNCTION)
		f.srcline = line_text(ks, in);
	if (by == CHAIN_BY_SRCLINE && f.srcline)
		return keys_frame_id(ks,
				     (uint64_t[]){ FRAME_LINE, keys_name_id(ks, f.srcline),
						   f.dso_name, f.sym ? f.sym->start : 0 },
				     &f);
	f.order = f.ip;
	if (!f.sym)
		return keys_frame_bare(ks, &f);
	return keys_frame_id(ks, (uint64_t[]){ FRAME_DSO_ADDR, f.dso_name, f.ip, f.sym->idx }, &f);
}

uint32_t keys_frame_of_rich(struct keys *ks, const struct place_in *in)
{
	const struct frame_info f = { .sym = in->sym, .dso_name = ks->unknown, .step = ID_NONE };
	const uint64_t key[4] = { FRAME_RICH, in->sym ? in->sym->idx + 1ULL : 0, 0, 0 };

	return keys_frame_id(ks, key, &f);
}

uint32_t keys_frame_of_bare(struct keys *ks, const struct place_in *in)
{
	struct frame_info f;

	frame_fill(ks, in, &f);
	return keys_frame_bare(ks, &f);
}

/* Branch ends as keys addr_from and addr_to see them: apart by address in memory. */
uint32_t keys_frame_of_addr(struct keys *ks, const struct place_in *in)
{
	struct frame_info f;

	frame_fill(ks, in, &f);
	if (f.sym) /* sampled or a caller: the frame is the same, and has an offset */
		f.ip = in->at->addr;
	f.order = in->ip;
	return keys_frame_id(ks, (uint64_t[]){ FRAME_RAW, f.dso ? f.dso_name + 1 : 0, in->ip, 0 },
			     &f);
}
