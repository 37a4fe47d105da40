// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: how many threads a row's samples are of. Counts of two rows cannot be added up, as a
 * thread may be in both: what is kept is the set, and merging is a union.
 *
 * There may be a million rows, nearly all of one thread. So a slot is a word: nothing, or the
 * number of the one thread, or from the second one on a block of memory. A block holds the
 * numbers in ascending order, or a bit for each number there is where that is smaller, and so it
 * never has more than twice the words that its threads need as a list.
 */
#include "keys-int.h"

struct thread_set {
	uint32_t n;	/* threads */
	uint32_t words; /* room in v */
	bool bits;	/* v has a bit per number, else the numbers, ascending */
	uint32_t v[];
};

/* 0, or a number with the lowest bit set, or a struct thread_set *. */
typedef uintptr_t slot_t;

static slot_t one(uint32_t id)
{
	return (slot_t)id << 1 | 1;
}

static struct thread_set *set_of(slot_t s)
{
	return s & 1 ? NULL : (struct thread_set *)s;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Where @id is in a list, or would be. */
static uint32_t list_at(const struct thread_set *t, uint32_t id)
{
	uint32_t lo = 0, hi = t->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->v[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The first thread of the set from number *@id on, in *@id; false when there is none. */
static bool set_next(const struct thread_set *t, uint64_t *id)
{
	uint32_t at;

	if (!t->bits) {
		at = *id > UINT32_MAX ? t->n : list_at(t, (uint32_t)*id);
		if (at < t->n)
			*id = t->v[at];
		return at < t->n;
	}
	while (*id < t->words * 32ULL && !(t->v[*id / 32] >> *id % 32 & 1))
		*id += t->v[*id / 32] ? 1 : 32 - *id % 32;
	return *id < t->words * 32ULL;
}

/* There is room, and @id is not in it. */
static void set_put(struct thread_set *t, uint32_t id)
{
	if (t->bits) {
		t->v[id / 32] |= 1u << id % 32;
	} else {
		uint32_t at = list_at(t, id);

		memmove(t->v + at + 1, t->v + at, (t->n - at) * sizeof(*t->v));
		t->v[at] = id;
	}
	t->n++;
}

/* A block for @nr threads and half as many more, of numbers up to @last. */
static struct thread_set *set_new(uint32_t nr, uint32_t last)
{
	uint64_t words = nr + nr / 2 + 1ULL;
	bool bits = last / 32 < words;
	struct thread_set *t;

	t = words > UINT32_MAX ? NULL : calloc(1, sizeof(*t) + words * sizeof(*t->v));
	if (t) {
		t->words = (uint32_t)words;
		t->bits = bits;
	}
	return t;
}

static bool set_has(const struct thread_set *t, uint32_t id)
{
	uint32_t at;

	if (t->bits)
		return id / 32 < t->words && t->v[id / 32] >> id % 32 & 1;
	at = list_at(t, id);
	return at < t->n && t->v[at] == id;
}

static uint32_t set_last(const struct thread_set *t)
{
	uint32_t last = 0;

	for (uint64_t id = 0; set_next(t, &id); id++)
		last = (uint32_t)id;
	return last;
}

/* A block with the threads of @t and room for @id. NULL: no memory. */
static struct thread_set *set_grow(const struct thread_set *t, uint32_t id)
{
	uint32_t last = t->bits ? set_last(t) : t->v[t->n - 1];
	struct thread_set *new = set_new(t->n + 1, (uint32_t)max_u64(last, id));

	for (uint64_t have = 0; new &&set_next(t, &have); have++)
		set_put(new, (uint32_t)have);
	return new;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Adds @id to @slot, whose block is @t. */
static int put_in_set(slot_t *slot, struct thread_set *t, uint32_t id)
{
	struct thread_set *new;

	if (set_has(t, id))
		return 0;
	if (t->bits ? id / 32 >= t->words : t->n == t->words) {
		new = set_grow(t, id);
		if (!new)
			return -ENOMEM;
		free(t);
		*slot = (slot_t) new;
		t = new;
	}
	set_put(t, id);
	return 0;
}

static int put(slot_t *slot, uint32_t id)
{
	struct thread_set *t = set_of(*slot);
	uint32_t have = (uint32_t)(*slot >> 1);

	if (t)
		return put_in_set(slot, t, id);
	if (!*slot || *slot == one(id)) {
		*slot = one(id);
		return 0;
	}
	t = set_new(2, (uint32_t)max_u64(have, id));
	if (!t)
		return -ENOMEM;
	set_put(t, have);
	set_put(t, id);
	*slot = (slot_t)t;
	return 0;
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	(void)state;
	return put(slot, in->th->idx);
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	const uint32_t *map = maps ? maps->thread : NULL;
	slot_t s = *(const slot_t *)from;
	const struct thread_set *t = set_of(s);
	int ret = 0;

	if (s && !t)
		return put(slot, keys_acc_map(map, (uint32_t)(s >> 1)));
	for (uint64_t id = 0; t && !ret && set_next(t, &id); id++)
		ret = put(slot, keys_acc_map(map, (uint32_t)id));
	return ret;
}

static void drop(void *slot)
{
	free(set_of(*(slot_t *)slot));
}

static uint64_t stat(const struct keys_row *r, const void *slot)
{
	slot_t s = *(const slot_t *)slot;
	const struct thread_set *t = set_of(s);

	(void)r;
	return t ? t->n : s != 0;
}

static bool shown(const struct keys_opts *o)
{
	return o->show_threads;
}

static const struct key cols[] = {
	{ "nr_threads", "Threads", .at = KEY_STAT, .of = &keys_acc_threads, .stat = stat,
	  .min_width = 8, .right = true, .need = PERF_SAMPLE_TID },
};

const struct acc keys_acc_threads = {
	.name = "threads",
	.size = sizeof(slot_t),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.per_entry = true,
	.of_row = true,
	.add = add,
	.merge = merge,
	.drop = drop,
};
