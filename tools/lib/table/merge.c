// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two tables to one. A table is numbers for things (names, frames, places, nodes of the trie, rows)
 * and sums by these numbers; so merging is walking through the things in the order of their
 * numbers, from what stands for itself to what is made of others, finding each in the other table
 * or making it there, and adding sums to what was found.
 *
 * Numbers grow in the order in which things first came. If the source is the piece of a recording
 * behind that of the destination, then what is new in it is numbered as if both had been read as
 * one, and what a row keeps of its first sample is what the destination has: nothing that is shown
 * can tell a merged table from one that was read whole.
 */
#include "merge-int.h"

uint32_t *table_new_map(size_t n)
{
	uint32_t *map = malloc((n + 1) * sizeof(*map));

	mem_large(map, (n + 1) * sizeof(*map));
	if (map)
		memset(map, 0xff, (n + 1) * sizeof(*map));
	return map;
}

/* ---- names, frames --------------------------------------------------------------------------- */

static int map_names(struct merger *g)
{
	const struct intern *in = &g->from->keys.names;

	g->name = table_new_map(in->str.n);
	if (!g->name)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->str.n; i++) {
		g->name[i] = intern(&g->to->keys.names, intern_str(in, i));
		if (g->name[i] == INTERN_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* As key-mem.c has them: address, name, level, width. */
static int map_daddrs(struct merger *g)
{
	const struct tuples *t = &g->from->keys.daddrs;

	g->daddr = table_new_map(t->n);
	if (!g->daddr)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t vals[4];

		memcpy(vals, keys_tuple_get(t, i), sizeof(vals));
		vals[1] = g->name[vals[1]];
		g->daddr[i] = keys_tuple_id(&g->to->keys.daddrs, vals);
		if (g->daddr[i] == ID_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* What of a frame's key are numbers of the source. */
static void map_frame_key(const struct merger *g, uint64_t key[4])
{
	switch (key[0]) {
	case FRAME_INLINE: key[2] = g->name[key[2]]; /* fallthrough */
	case FRAME_SYM: key[1] = g->name[key[1]]; break;
	case FRAME_DSO_ADDR:
		key[1] = g->name[key[1]];
		key[3] = mapped(g->maps->symbol, (uint32_t)key[3]);
		break;
	case FRAME_LINE:
		key[1] = g->name[key[1]];
		key[2] = g->name[key[2]];
		break;
	case FRAME_RICH:
		if (key[1])
			key[1] = mapped(g->maps->symbol, (uint32_t)key[1] - 1) + 1ULL;
		break;
	case FRAME_RAW: key[1] = key[1] ? g->name[key[1] - 1] + 1ULL : 0; break;
	}
}

/* The key of the source's number @key_id, as the destination has it. */
static void key_of_frame(const struct merger *g, uint32_t key_id, uint64_t key[4])
{
	memcpy(key, keys_tuple_get(&g->from->feed->keys.frame_keys, key_id), 4 * sizeof(*key));
	map_frame_key(g, key);
}

/* A frame of the source as it is in the destination, but for its text. */
static struct frame_info frame_there(const struct merger *g, size_t i)
{
	struct frame_info f = g->from->keys.frames.v[i];

	f.dso_name = g->name[f.dso_name];
	f.dso = f.dso ? mapped(g->maps->dso, f.dso - 1) + 1 : 0;
	f.step = ID_NONE;
	if (f.sym && g->maps->symbol)
		f.sym = symbol_at(g->to->keys.res, g->maps->symbol[f.sym->idx]);
	return f;
}

static int map_frame(struct merger *g, uint32_t i, uint32_t key_id)
{
	struct frame_info f = frame_there(g, i);
	uint64_t key[4];

	if (f.srcline) {
		f.srcline = arena_strdup(&g->to->keys.text, f.srcline);
		if (!f.srcline)
			return -ENOMEM;
	}
	if (key_id == ID_NONE) {
		g->frame[i] = keys_frame_push(&g->to->keys, &f);
	} else {
		key_of_frame(g, key_id, key);
		g->frame[i] = keys_frame_id(&g->to->keys, key, &f);
	}
	return g->frame[i] == ID_NONE ? -ENOMEM : 0;
}

/* Frames are found by all threads, numbered by one, and written by all. */
struct frames {
	struct merger *g;
	uint32_t *key; /* by frame of the source; ID_NONE: a bare one */
	size_t first;  /* number there that new ones begin at */
};

/* For its memory: where it is looked for first, and, @next, what that leads to. */
static void ask_for_frame(const struct frames *fr, size_t i, bool next)
{
	const struct frame_info *f = &fr->g->from->keys.frames.v[i];
	const struct tuples *keys = &fr->g->to->feed->keys.frame_keys;
	uint32_t dso_name = fr->g->name[f->dso_name];
	uint64_t key[4];

	if (fr->key[i] == ID_NONE && next) {
		keys_bare_prefetch_next(&fr->g->to->keys, dso_name, f->ip);
	} else if (fr->key[i] == ID_NONE) {
		keys_bare_prefetch(&fr->g->to->keys, dso_name, f->ip);
	} else if (!next) {
		key_of_frame(fr->g, fr->key[i], key);
		htab_prefetch(&keys->tab, keys_tuple_hash(keys, key));
	}
}

/* ID_NONE: the destination has none of that key. */
static uint32_t find_keyed(const struct merger *g, uint32_t key_id)
{
	const struct key_reader *to = &g->to->feed->keys;
	uint64_t key[4];
	uint32_t id;

	key_of_frame(g, key_id, key);
	id = keys_tuple_find(&to->frame_keys, keys_tuple_hash(&to->frame_keys, key), key);
	return id == ID_NONE ? ID_NONE : to->frame_at.v[id];
}

static void find_frames(void *frames, size_t piece)
{
	const struct frames *fr = frames;
	const struct merger *g = fr->g;
	const struct frame_info *f = g->from->keys.frames.v;
	size_t from = piece * FIND_AT_ONCE,
	       end = min_u64(g->from->keys.frames.n, from + FIND_AT_ONCE);

	for (size_t i = from; i < end; i++) {
		if (i + 2 * FIND_AHEAD < end)
			ask_for_frame(fr, i + 2 * FIND_AHEAD, false);
		if (i + FIND_AHEAD < end)
			ask_for_frame(fr, i + FIND_AHEAD, true);
		g->frame[i] = fr->key[i] == ID_NONE
				      ? keys_frame_find_bare(&g->to->keys, g->name[f[i].dso_name],
							     f[i].ip)
				      : find_keyed(g, fr->key[i]);
	}
}

/* Nothing but numbers: once it has its own it can be written by any thread. */
static bool is_plain(const struct frames *fr, size_t i)
{
	return fr->key[i] == ID_NONE && !fr->g->from->keys.frames.v[i].srcline;
}

static void write_frames(void *frames, size_t piece)
{
	const struct frames *fr = frames;
	struct merger *g = fr->g;
	size_t end = min_u64(g->from->keys.frames.n, (piece + 1) * (uint64_t)FIND_AT_ONCE);

	for (size_t i = piece * FIND_AT_ONCE; i < end; i++)
		if (g->frame[i] >= fr->first && is_plain(fr, i))
			g->to->keys.frames.v[g->frame[i]] = frame_there(g, i);
}

/* What was not found gets its number, in order. */
static int number_frames(struct frames *fr)
{
	struct merger *g = fr->g;
	struct keys *to = &g->to->keys;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < g->from->keys.frames.n; i++) {
		if (g->frame[i] != ID_NONE)
			continue;
		if (!is_plain(fr, i)) {
			ret = map_frame(g, i, fr->key[i]);
			continue;
		}
		ret = vec_reserve(&to->frames, to->frames.n + 1);
		if (!ret)
			g->frame[i] = (uint32_t)to->frames.n++;
	}
	return ret;
}

static int map_frames(struct merger *g)
{
	const struct feed *feed = g->from->feed;
	size_t n = g->from->keys.frames.n;
	struct frames fr = { .g = g, .key = table_new_map(n), .first = g->to->keys.frames.n };
	int ret = fr.key ? 0 : -ENOMEM;

	g->frame = table_new_map(n);
	g->first_frame = (uint32_t)fr.first;
	if (!g->frame)
		ret = -ENOMEM;
	if (!ret) {
		for (uint32_t k = 0; k < feed->keys.frame_at.n; k++)
			fr.key[feed->keys.frame_at.v[k]] = k;
		find_side_by_side(g, n, find_frames, &fr);
		ret = number_frames(&fr);
	}
	if (!ret)
		find_side_by_side(g, n, write_frames, &fr);
	free(fr.key);
	return ret;
}

/* ---- tuples ---------------------------------------------------------------------------------- */

static uint64_t map_value(const struct merger *g, const struct key *k, uint64_t v)
{
	switch (k->value) {
	case VALUE_NAME: return g->name[v];
	case VALUE_FRAME: return g->frame[v];
	case VALUE_DADDR: return g->daddr[v];
	case VALUE_THREAD: return mapped(g->maps->thread, (uint32_t)v);
	case VALUE_LOC: return mapped(g->maps->loc, (uint32_t)v);
	case VALUE_CGROUP:
		return machine_matched_cgroup(g->to->keys.m, g->from->keys.m, g->maps->cgroup, v);
	case VALUE_NUMBER: break;
	}
	return v;
}

static int map_groups(struct merger *g)
{
	struct table *from = g->from;

	g->group = table_new_map(from->groups.n);
	if (!g->group)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->groups.n; i++) {
		const uint64_t *have = keys_tuple_get(&from->groups, i);
		uint64_t vals[MAX_VALUES];

		vals[0] = mapped(g->maps->event, (uint32_t)have[0]);
		for (unsigned c = 0; c < from->nr_group; c++)
			vals[c + 1] = map_value(g, from->group_cols[c]->key, have[c + 1]);
		g->group[i] = keys_tuple_id(&g->to->groups, vals);
		if (g->group[i] == ID_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* The larger of both widths of each value. */
static int join_widths(struct merger *g, bool second, uint32_t to, uint32_t from)
{
	unsigned n = second ? g->to->nr_place2 : g->to->nr_place;

	for (unsigned i = 0; i < n; i++) {
		size_t at = (size_t)from * n + i, end = ((size_t)to + 1) * n - 1;
		__typeof__(&g->to->place_width) have =
			second ? (void *)&g->to->place2_width : &g->to->place_width;
		const uint16_t *w = second ? g->from->place2_width.v : g->from->place_width.v;

		if (vec_reach(have, end, 0))
			return -ENOMEM;
		have->v[(size_t)to * n + i] = (uint16_t)max_u64(have->v[(size_t)to * n + i], w[at]);
	}
	return 0;
}

/* The values of a place of the source as they are in the destination. */
static void map_values(const struct merger *g, uint32_t i, bool second, uint64_t *vals)
{
	struct keys_col *const *cols = second ? g->from->place2_cols : g->from->place_cols;
	const struct tuples *have = second ? &g->from->places2 : &g->from->places;

	for (unsigned c = 0; c < have->width; c++)
		vals[c] = map_value(g, cols[c]->key, keys_tuple_get(have, i)[c]);
}

static int map_place(struct merger *g, uint32_t i, bool second)
{
	struct tuples *t = second ? &g->to->places2 : &g->to->places;
	uint32_t *map = second ? g->place2 : g->place;
	uint64_t vals[MAX_VALUES];

	map_values(g, i, second, vals);
	map[i] = keys_tuple_id(t, vals);
	return map[i] == ID_NONE ? -ENOMEM : join_widths(g, second, map[i], i);
}

/* ---- places ---------------------------------------------------------------------------------- */

struct place_finder {
	const struct merger *g;
	bool second;
	/* By place of the source; ID_NONE: the destination does not have it, or it has a number already. */
	uint32_t *found;
};

static uint64_t place_hash(const struct place_finder *f, uint32_t i, uint64_t *vals)
{
	map_values(f->g, i, f->second, vals);
	return keys_tuple_hash(f->second ? &f->g->to->places2 : &f->g->to->places, vals);
}

static void find_places(void *finder, size_t piece)
{
	const struct place_finder *f = finder;
	const struct tuples *to = f->second ? &f->g->to->places2 : &f->g->to->places,
			    *have = f->second ? &f->g->from->places2 : &f->g->from->places;
	const uint32_t *map = f->second ? f->g->place2 : f->g->place;
	uint32_t from = (uint32_t)piece * FIND_AT_ONCE,
		 end = (uint32_t)min_u64(have->n, from + (uint64_t)FIND_AT_ONCE);
	uint64_t vals[MAX_VALUES], hash;

	for (uint32_t i = from; i < end; i++) {
		if (i + FIND_AHEAD < end && map[i + FIND_AHEAD] == ID_NONE)
			htab_prefetch(&to->tab, place_hash(f, i + FIND_AHEAD, vals));
		if (map[i] != ID_NONE)
			continue;
		hash = place_hash(f, i, vals);
		f->found[i] = keys_tuple_find(to, hash, vals);
	}
}

/* Those that have no number yet. */
static int map_places(struct merger *g, bool second)
{
	uint32_t n = second ? g->from->places2.n : g->from->places.n;
	uint32_t *map = second ? g->place2 : g->place;
	struct place_finder f = { g, second, table_new_map(n) };
	int ret = f.found ? 0 : -ENOMEM;

	if (!ret)
		find_side_by_side(g, n, find_places, &f);
	for (uint32_t i = 0; !ret && i < n; i++) {
		if (map[i] != ID_NONE)
			continue;
		map[i] = f.found[i];
		ret = map[i] == ID_NONE ? map_place(g, i, second)
					: join_widths(g, second, map[i], i);
	}
	free(f.found);
	return ret;
}

/* ---- steps and places ------------------------------------------------------------------------ */

/* The step of a frame that is nothing but an address: both are found by the frame. */
static int map_bare_step(struct merger *g, uint32_t i, const struct step *s)
{
	struct table *to = g->to;
	uint32_t frame = g->frame[s->frame], *at = &to->keys.frames.v[frame].step;
	struct step new = { .frame = frame };

	if (*at != ID_NONE) {
		g->step[i] = *at;
		g->place[s->place] = to->steps.v[*at].place;
		return join_widths(g, false, g->place[s->place], s->place);
	}
	if (map_place(g, s->place, false))
		return -ENOMEM;
	new.place = g->place[s->place];
	g->step[i] = *at = (uint32_t)to->steps.n;
	return vec_push(&to->steps, new);
}

static bool is_bare(const struct merger *g, uint32_t step)
{
	return g->from->keys.frames.v[g->from->steps.v[step].frame].step == step;
}

/*
 * The same for a new one where key symbol tells the place of each frame apart: no other of its values came or will be looked for. Both
 * get numbers, and are written later.
 */
static int number_bare_step(struct merger *g, uint32_t i, const struct step *s)
{
	struct table *to = g->to;
	struct tuples *places = &to->places;

	if (places->n == ID_NONE - 1 || vec_reserve(&to->steps, to->steps.n + 1) ||
	    vec_reserve(&places->v, places->v.n + places->width + 1))
		return -ENOMEM;
	places->v.n += places->width;
	g->place[s->place] = places->n++;
	g->step[i] = (uint32_t)to->steps.n++;
	return 0;
}

static void write_bare_steps(void *merger, size_t piece)
{
	struct merger *g = merger;
	struct table *to = g->to;
	const struct table *from = g->from;
	size_t end = min_u64(from->steps.n, (piece + 1) * (uint64_t)FIND_AT_ONCE), n = to->nr_place;

	for (size_t i = piece * FIND_AT_ONCE; i < end; i++) {
		const struct step *s = &from->steps.v[i];
		struct step one;

		if (g->step[i] == ID_NONE || g->step[i] < g->first_step)
			continue;
		one = (struct step){ g->frame[s->frame], g->place[s->place] };
		to->steps.v[g->step[i]] = one;
		to->keys.frames.v[one.frame].step = g->step[i];
		map_values(g, s->place, false,
			   to->places.v.v + (size_t)one.place * to->places.width);
		memcpy(to->place_width.v + (size_t)one.place * n,
		       from->place_width.v + s->place * n, n * sizeof(*to->place_width.v));
	}
}

#define STEPS_AHEAD 16

/* Those of bare frames. */
static int map_bare_steps(struct merger *g)
{
	const struct table *from = g->from;
	struct table *to = g->to;
	int ret = 0;

	g->first_step = (uint32_t)to->steps.n;
	for (uint32_t i = 0; !ret && i < from->steps.n; i++) {
		const struct step *s = &from->steps.v[i];
		uint32_t frame = g->frame[s->frame];

		if (i + STEPS_AHEAD < from->steps.n)
			__builtin_prefetch(&to->keys.frames.v[g->frame[s[STEPS_AHEAD].frame]], 1);
		if (!is_bare(g, i))
			continue;
		ret = from->sym_is_key && (frame >= g->first_frame ||
					   to->keys.frames.v[frame].step == ID_NONE)
			      ? number_bare_step(g, i, s)
			      : map_bare_step(g, i, s);
	}
	if (ret || !from->sym_is_key || !to->nr_place || !to->places.n)
		return ret;
	if (vec_reach(&to->place_width, (size_t)to->places.n * to->nr_place - 1, 0))
		return -ENOMEM;
	find_side_by_side(g, from->steps.n, write_bare_steps, g);
	return 0;
}

static int map_steps(struct merger *g)
{
	const struct table *from = g->from;

	g->step = table_new_map(from->steps.n);
	g->place = table_new_map(from->places.n);
	g->place2 = table_new_map(from->places2.n);
	if (!g->step || !g->place || !g->place2)
		return -ENOMEM;
	if (map_bare_steps(g) || map_places(g, false) || map_places(g, true))
		return -ENOMEM;
	for (uint32_t i = 0; i < from->steps.n; i++) {
		const struct step *s = &from->steps.v[i];

		if (g->step[i] == ID_NONE)
			g->step[i] = table_step_id(g->to, g->frame[s->frame], g->place[s->place]);
		if (g->step[i] == ID_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t map_place2(const struct merger *g, const struct keys_row *r)
{
	return g->from->keys.o.branch ? g->place2[r->place2] : r->place2;
}

static void find_rows(void *merger, size_t piece)
{
	struct merger *g = merger;
	const struct table *have = g->from;
	size_t from = piece * FIND_AT_ONCE, end = min_u64(have->rows.n, from + FIND_AT_ONCE);

	for (size_t i = from; i < end; i++) {
		const struct keys_row *r = &have->rows.v[i], *next;

		if (i + FIND_AHEAD < end) {
			next = &r[FIND_AHEAD];
			table_row_prefetch(g->to, g->group[next->group], g->place[next->place],
					   map_place2(g, next), next->bits);
		}
		g->row[i] = table_row_find(g->to, g->group[r->group], g->place[r->place],
					   map_place2(g, r), r->bits);
	}
}

static int map_rows(struct merger *g)
{
	const struct table *from = g->from;

	g->row = table_new_map(from->rows.n);
	if (!g->row)
		return -ENOMEM;
	find_side_by_side(g, from->rows.n, find_rows, g);
	for (uint32_t i = 0; i < from->rows.n; i++) {
		const struct keys_row *r = &from->rows.v[i];
		struct keys_row *row;

		if (g->row[i] != ID_NONE)
			row = &g->to->rows.v[g->row[i]];
		else
			row = table_row_of(g->to, g->group[r->group], g->place[r->place],
					   map_place2(g, r), r->bits);
		if (!row)
			return -ENOMEM;
		if (row->thread == ID_NONE) {
			row->thread = mapped(g->maps->thread, r->thread);
			row->cpumode = r->cpumode;
			/* Of a rich one: of its leafs, which come next; see table_merge_leafs(). */
			row->first_node =
				g->from->keys.o.rich ? ID_NONE : g->nodes_before[r->first_node];
		}
		row->period += r->period;
		row->acc += r->acc;
		row->nr += r->nr;
		g->row[i] = row->idx;
	}
	return 0;
}

static int join_group_counts(struct merger *g)
{
	static const struct group_count none;

	for (uint32_t i = 0; i < g->from->group_counts.n; i++) {
		struct group_count *to;

		if (vec_reach(&g->to->group_counts, g->group[i], none))
			return -ENOMEM;
		to = &g->to->group_counts.v[g->group[i]];
		to->nr += g->from->group_counts.v[i].nr;
		to->entries += g->from->group_counts.v[i].entries;
	}
	keys_slices_join(&g->to->keys.slices, &g->from->keys.slices);
	return 0;
}

/* ---- what is not by row ---------------------------------------------------------------------- */

static int join_totals(struct merger *g)
{
	for (uint32_t i = 0; i < g->from->events.n; i++) {
		const struct table_totals *t = &g->from->events.v[i].totals;
		struct event_rows *ev = table_event_rows(g->to, mapped(g->maps->event, i));

		if (!ev)
			return -ENOMEM;
		ev->totals.nr_samples += t->nr_samples;
		ev->totals.period += t->period;
		ev->totals.nr_filtered_samples += t->nr_filtered_samples;
		ev->totals.filtered_period += t->filtered_period;
	}
	return 0;
}

static void join_branches(struct branch_totals *to, const struct branch_totals *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(to->type); i++)
		to->type[i] += t->type[i];
	for (size_t i = 0; i < ARRAY_SIZE(to->new_type); i++)
		to->new_type[i] += t->new_type[i];
	to->cond_fwd += t->cond_fwd;
	to->cond_bwd += t->cond_bwd;
	to->cross_4k += t->cross_4k;
	to->cross_2m += t->cross_2m;
	to->entries += t->entries;
	to->typed += t->typed;
}

static int join_sums(struct merger *g)
{
	const struct sums_maps maps = {
		.row = g->row,
		.leaf = g->leaf,
		.event = g->maps->event,
		.nr_rows = g->from->rows.n,
		.nr_leafs = g->from->ch.leafs.n,
		.nr_events = g->from->events.n,
		.acc = { .thread = g->maps->thread,
			 .symbol = g->maps->symbol,
			 .loc = g->maps->loc },
	};

	return table_sums_join(&g->to->sums, &g->from->sums, &maps);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool same_keys(const struct table *a, const struct table *b)
{
	if (a->c.nr_cols != b->c.nr_cols || a->sums.n != b->sums.n ||
	    a->keys.o.chain.key != b->keys.o.chain.key || a->keys.o.branch != b->keys.o.branch ||
	    a->keys.o.history != b->keys.o.history || a->keys.o.rich != b->keys.o.rich ||
	    a->one_step != b->one_step)
		return false;
	for (unsigned i = 0; i < a->c.nr_cols; i++)
		if (strcmp(a->c.cols[i].key->name, b->c.cols[i].key->name) != 0)
			return false;
	return true;
}

int table_flush(struct table *t)
{
	int ret = table_queue_finish(t);

	if (!ret)
		ret = table_chain_flush(t);
	if (t->keys.o.branch)
		table_branch_flush(t);
	return ret;
}

int table_index_rest(struct table *t)
{
	struct feed *f = t->feed;

	if (!f->behind)
		return 0;
	if (table_trie_index(t, f->nodes_found) || keys_frames_index(&t->keys, f->frames_found))
		return -ENOMEM;
	f->behind = false;
	return 0;
}

static int merge(struct merger *g)
{
	static int (*const parts[])(struct merger *) = {
		map_names, map_daddrs,	      map_frames,	 map_groups,
		map_steps, table_merge_nodes, map_rows,		 table_merge_leafs,
		join_sums, join_totals,	      join_group_counts,
	};
	struct feed *f = g->to->feed;
	int ret = table_flush(g->to);

	ret = ret ?: table_flush(g->from);
	ret = ret ?: table_index_rest(g->to);
	f->behind = true;
	f->nodes_found = g->to->ch.nodes.n;
	f->frames_found = g->to->keys.frames.n;
	for (size_t i = 0; !ret && i < ARRAY_SIZE(parts); i++)
		ret = parts[i](g);
	join_branches(&g->to->branch, &g->from->branch);
	g->to->parallel |= g->from->parallel;
	return ret;
}

int table_merge(struct table *to, struct table *from, const struct table_maps *maps, struct err *e)
{
	static const struct table_maps same;
	struct merger g = { .to = to, .from = from, .maps = maps ? maps : &same };
	const struct brflow_maps flow = { g.maps->loc, g.maps->objects };
	int ret;

	if (!to->feed || !from->feed || !same_keys(to, from))
		return err_set(e, -EINVAL, "profiles of two kinds cannot be added");
	ret = merge(&g);
	free(g.name);
	free(g.daddr);
	free(g.frame);
	free(g.group);
	free(g.place);
	free(g.place2);
	free(g.step);
	free(g.row);
	free(g.leaf);
	free(g.node);
	free(g.nodes_before);
	if (ret)
		return err_set(e, ret, "no memory to add up profiles");
	return to->flow ? brflow_merge(to->flow, from->flow, &flow, e) : 0;
}
