// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address spaces. A slot is the part of a map that later maps left visible; slots are disjoint
 * and sorted, so a lookup is one binary search and a new map cuts its neighbours.
 */
#include <stdlib.h>

#include "machine/internal.h"

struct map_obj *map_new(struct map_pool *pool)
{
	struct map_obj *map = pool->free;

	if (map) {
		pool->free = map->next_free;
		memset(map, 0, sizeof(*map));
	} else {
		map = arena_alloc(&pool->arena, sizeof(*map));
	}
	if (map)
		map->refs = 1;
	return map;
}

void map_put(struct map_pool *pool, struct map_obj *map)
{
	if (!map || --map->refs)
		return;
	map->next_free = pool->free;
	pool->free = map;
}

static void array_put(struct map_array *a, struct map_pool *pool)
{
	if (!a || --a->refs)
		return;
	vec_for_each (slot, &a->slot)
		map_put(pool, slot->map);
	vec_free(&a->slot);
	free(a);
}

/* The space's own array with room for @extra more slots; NULL = no memory. */
static struct map_array *array_own(struct space *s, struct map_pool *pool, size_t extra)
{
	struct map_array *old = s->maps, *a;

	if (old && old->refs == 1)
		return vec_reserve(&old->slot, old->slot.n + extra) ? NULL : old;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->refs = 1;
	if (vec_reserve(&a->slot, (old ? old->slot.n : 0) + extra) || !a->slot.v) {
		free(a);
		return NULL;
	}
	if (old && old->slot.n) {
		memcpy(a->slot.v, old->slot.v, old->slot.n * sizeof(*a->slot.v));
		a->slot.n = old->slot.n;
		vec_for_each (slot, &a->slot)
			slot->map->refs++;
	}
	array_put(old, pool);
	s->maps = a;
	return a;
}

/* The first slot that ends behind @ip. */
static size_t array_search(const struct map_array *a, uint64_t ip)
{
	size_t lo = 0, n = a->slot.n;

	while (n) {
		size_t half = n / 2;

		if (a->slot.v[lo + half].end <= ip) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

static void slots_open(struct map_array *a, size_t at, size_t nr)
{
	memmove(a->slot.v + at + nr, a->slot.v + at, (a->slot.n - at) * sizeof(*a->slot.v));
	a->slot.n += nr;
}

static void slots_close(struct map_array *a, size_t at, size_t nr)
{
	memmove(a->slot.v + at, a->slot.v + at + nr, (a->slot.n - at - nr) * sizeof(*a->slot.v));
	a->slot.n -= nr;
}

static void space_changed(struct space *s)
{
	s->last.map = NULL;
	s->gen++;
}

/* Cuts [start, end) out; @a has room for one more slot. The place where it would go. */
static size_t array_cut(struct map_array *a, struct map_pool *pool, uint64_t start, uint64_t end)
{
	size_t i = array_search(a, start), j;
	struct map_slot *s;

	if (i < a->slot.n && a->slot.v[i].start < start) {
		s = &a->slot.v[i];
		if (s->end > end) { /* a hole in the middle of one */
			slots_open(a, i, 1);
			s = &a->slot.v[i];
			s->map->refs++;
			s[0].end = start;
			s[1].start = end;
			return i + 1;
		}
		s->end = start;
		i++;
	}
	for (j = i; j < a->slot.n && a->slot.v[j].end <= end; j++)
		map_put(pool, a->slot.v[j].map);
	slots_close(a, i, j - i);
	if (i < a->slot.n && a->slot.v[i].start < end)
		a->slot.v[i].start = end;
	return i;
}

/* The gaps between the slots of [map->start, map->end) become the map's. */
static int insert_under(struct space *s, struct map_pool *pool, struct map_obj *map)
{
	uint64_t pos = map->pub.start, end = map->pub.end;
	struct map_array *a = array_own(s, pool, s->maps ? s->maps->slot.n + 1 : 1);
	size_t i;

	if (!a)
		return -ENOMEM;
	for (i = array_search(a, pos); pos < end; i++) {
		uint64_t stop = i < a->slot.n ? min_u64(a->slot.v[i].start, end) : end;

		if (pos < stop) {
			slots_open(a, i, 1);
			a->slot.v[i] = (struct map_slot){ pos, stop, map };
			map->refs++;
			i++;
		}
		pos = i < a->slot.n ? a->slot.v[i].end : end;
	}
	return 0;
}

static bool same_map(const struct map *a, const struct map *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff &&
	       a->dso == b->dso && a->prot == b->prot && a->ino == b->ino;
}

int space_insert(struct space *s, struct map_pool *pool, struct map_obj *map, bool under)
{
	uint64_t start = map->pub.start, end = map->pub.end;
	struct map_array *a;
	size_t at;
	int ret = 0;

	if (start >= end)
		goto out;
	if (s->maps) {
		at = array_search(s->maps, start);
		/* The same again, whole: recorders repeat maps. */
		if (at < s->maps->slot.n && s->maps->slot.v[at].start == start &&
		    s->maps->slot.v[at].end == end &&
		    same_map(&s->maps->slot.v[at].map->pub, &map->pub))
			goto out;
	}
	if (under) {
		ret = insert_under(s, pool, map);
		space_changed(s);
		goto out;
	}
	a = array_own(s, pool, 2);
	ret = -ENOMEM;
	if (!a)
		goto out;
	at = array_cut(a, pool, start, end);
	slots_open(a, at, 1);
	a->slot.v[at] = (struct map_slot){ start, end, map };
	space_changed(s);
	return 0;
out:
	map_put(pool, map);
	return ret;
}

int space_remove(struct space *s, struct map_pool *pool, uint64_t start, uint64_t end)
{
	struct map_array *a;

	if (!s->maps || start >= end)
		return 0;
	a = array_own(s, pool, 1);
	if (!a)
		return -ENOMEM;
	array_cut(a, pool, start, end);
	space_changed(s);
	return 0;
}

void space_clear(struct space *s, struct map_pool *pool)
{
	array_put(s->maps, pool);
	s->maps = NULL;
	space_changed(s);
}

void space_share(struct space *to, struct space *from, struct map_pool *pool)
{
	if (from->maps)
		from->maps->refs++;
	array_put(to->maps, pool);
	to->maps = from->maps;
	to->before_exec = from->before_exec;
	space_changed(to);
}

struct map *space_find_slow(struct space *s, uint64_t ip)
{
	size_t i;

	if (!s->maps)
		return NULL;
	i = array_search(s->maps, ip);
	if (i == s->maps->slot.n || ip < s->maps->slot.v[i].start)
		return NULL;
	s->last = s->maps->slot.v[i];
	return &s->last.map->pub;
}
