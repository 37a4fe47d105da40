// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address spaces. A slot is the part of a map that later maps left visible; slots are disjoint
 * and sorted, so a lookup is one search and a new map cuts its neighbours.
 */
#include <stdlib.h>

#include "machine/machine-int.h"

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

static void space_changed(struct space *s)
{
	s->last = (struct map_slot){ 0 };
	s->gap[0].end = s->gap[1].end = 0;
	s->gen++;
}

/* Cuts [start, end) out. */
static int space_cut(struct space *s, struct map_pool *pool, uint64_t start, uint64_t end)
{
	for (;;) {
		const struct map_slot *last = tree_before(s->maps, end - 1);
		struct map_slot old, rest;
		int ret;

		if (!last || last->end <= start)
			return 0;
		old = rest = *last;
		if (old.end > end && old.start < start) { /* a hole in the middle of one */
			rest.start = end;
			old.map->refs++;
			ret = tree_insert(&s->maps, pool, &rest);
			if (ret) {
				old.map->refs--;
				return ret;
			}
		}
		rest = old;
		if (old.start < start)
			rest.end = start;
		else
			rest.start = end;
		if (rest.start < rest.end)
			ret = tree_replace(&s->maps, pool, old.start, &rest);
		else
			ret = tree_remove(&s->maps, pool, old.start);
		if (ret)
			return ret;
	}
}

/* The gaps between the slots of [map->start, map->end) become the map's. */
static int insert_under(struct space *s, struct map_pool *pool, struct map_obj *map)
{
	uint64_t pos = map->pub.start, end = map->pub.end;

	while (pos < end) {
		const struct map_slot *here = tree_before(s->maps, pos), *next;
		struct map_slot gap = { pos, end, map };

		if (here && here->end > pos) {
			pos = here->end;
			continue;
		}
		next = tree_after(s->maps, pos);
		if (next)
			gap.end = min_u64(next->start, end);
		map->refs++;
		if (tree_insert(&s->maps, pool, &gap)) {
			map->refs--;
			return -ENOMEM;
		}
		pos = gap.end;
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
	const struct map_slot *old;
	int ret = 0;

	if (start >= end)
		goto out;
	old = tree_before(s->maps, start);
	/* The same again, whole: recorders repeat maps. */
	if (old && old->start == start && old->end == end && same_map(&old->map->pub, &map->pub))
		goto out;
	space_changed(s);
	if (under) {
		ret = insert_under(s, pool, map);
		goto out;
	}
	ret = space_cut(s, pool, start, end);
	if (ret)
		goto out;
	ret = tree_insert(&s->maps, pool, &(struct map_slot){ start, end, map });
	if (!ret)
		return 0;
out:
	map_put(pool, map);
	return ret;
}

int space_remove(struct space *s, struct map_pool *pool, uint64_t start, uint64_t end)
{
	if (!s->maps || start >= end)
		return 0;
	space_changed(s);
	return space_cut(s, pool, start, end);
}

void space_clear(struct space *s, struct map_pool *pool)
{
	tree_put(s->maps, pool);
	s->maps = NULL;
	space_changed(s);
}

void space_share(struct space *to, struct space *from, struct map_pool *pool)
{
	struct map_node *maps = tree_share(from->maps);

	tree_put(to->maps, pool);
	to->maps = maps;
	to->before_exec = from->before_exec;
	space_changed(to);
}

struct map *space_find_slow(struct space *s, uint64_t ip)
{
	const struct map_slot *slot, *next;

	if (space_missed_last(s, ip))
		return NULL;
	slot = tree_before(s->maps, ip);
	if (slot && ip < slot->end) {
		s->last = *slot;
		return &s->last.map->pub;
	}
	/* Chains by frame pointers end in addresses that are none, one like the other. */
	next = tree_after(s->maps, ip);
	s->gap[1] = s->gap[0];
	s->gap[0].start = slot ? slot->end : 0;
	s->gap[0].end = next ? next->start : UINT64_MAX;
	return NULL;
}
