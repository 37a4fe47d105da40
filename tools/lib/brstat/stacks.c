// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks that came before. Programs go in circles, and where a recording has neither cycles nor mispredictions that
 * come and go, the same stack is there again and again, to the byte. One that is kept is counted when it has to
 * go, for all its times at once: all counts are sums, and what a stack says of loops, calls and outcomes depends on no other.
 * Only what its addresses are is looked up when it comes first, as they may be others later.
 * Not so when it was, BRSTAT_QUALITY: the functions that its branches left are counted each time, of a list, and the stack
 * itself when it comes first.
 *
 * Stacks mostly come in the order of before, too: the one that is expected is compared first, and its memory was asked for when the
 * one before it came.
 *
 * Where few stacks are those of before none are kept for a while: one that is kept is looked for, met, and counted when it
 * has to go, which takes twice as long as to count it at once.
 */
#include <stdlib.h>

#include "branch/branch.h"
#include "brstat-int.h"

#define KEPT_BITS 14
#define KEPT_LEN  64   /* entries at most */
#define WINDOW	  1024 /* stacks, of which one in LEAST has to be there again */
#define LEAST	  8
#define PAUSE	  16384
/* So many behind a pause, where what was kept before it is there still. */
#define WINDOW_AGAIN 256
/* Of entries: large pages, of which there are as many as hold the longest in all places, and one more. */
#define POOL_SIZE ((size_t)1 << 21)
#define POOLS_MAX ((((size_t)KEPT_LEN * BRANCH_ENTRY_SIZE) << KEPT_BITS) / POOL_SIZE + 1)

/* A stack, and how often it came again. */
struct kept {
	uint64_t hash;
	uint32_t times; /* not counted yet */
	uint32_t space;
	uint32_t next; /* of them: the one that came behind it lately; ID_NONE = none did */
	uint8_t nr, room;
	bool all;
	unsigned char *entries; /* in one of b->pools */
	struct slice_list ran;	/* functions of its branches; none: not made */
};

static int count_times(struct brstat *b, const struct sample_branches *s, uint32_t space,
		       struct thread *th, bool all)
{
	int ret = brstat_add_stack(b, s, space, th, all);

	return ret || !(b->o.what & BRSTAT_PATHS) || !all ? ret : brstat_walk_loops(b);
}

/* Its slots are all there: no thread is asked where addresses lie. */
static int count_kept(struct brstat *b, struct kept *k)
{
	const struct sample_branches s = { .nr = k->nr, .entries = k->entries };
	int ret;

	b->times = k->times;
	k->times = 0;
	k->ran.n = 0;
	b->ran = b->o.what == BRSTAT_QUALITY ? &k->ran : NULL;
	ret = count_times(b, &s, k->space, NULL, k->all);
	b->ran = NULL;
	b->times = 1;
	return ret;
}

static int count_functions(struct brstat *b, const struct kept *k)
{
	int ret = 0;

	vec_for_each (r, &k->ran) {
		b->times = r->nr;
		ret = ret ?: brstat_count_function(b, r->function);
	}
	b->times = 1;
	return ret;
}

/* It is there again. */
static int count_again(struct brstat *b, struct kept *k)
{
	int ret = 0;

	b->nr_found++;
	k->times++;
	if (k->times == BRSTAT_TIMES_MAX || (b->o.what == BRSTAT_QUALITY && !k->ran.n))
		ret = count_kept(b, k);
	return ret ?: count_functions(b, k);
}

int brstat_settle_stacks(struct brstat *b)
{
	int ret = 0;

	vec_for_each (k, &b->kept)
		if (k->times)
			ret = ret ?: count_kept(b, k);
	return ret;
}

void brstat_forget_stacks(struct brstat *b)
{
	vec_for_each (k, &b->kept)
		vec_free(&k->ran);
	vec_free(&b->kept);
	vec_for_each (pool, &b->pools)
		free(*pool);
	vec_free(&b->pools);
	free(b->kept_at);
	b->kept_at = NULL;
	b->last_kept = ID_NONE;
}

/* ---- which one it is ---------------------------------------------------------------------------- */

static uint64_t hash_stack(const unsigned char *p, uint64_t nr)
{
	uint64_t hash = nr, odd = HASH_GOLDEN;

	for (const unsigned char *end = p + nr * BRANCH_ENTRY_SIZE; p < end;
	     p += BRANCH_ENTRY_SIZE) {
		uint64_t from = load_u64(p, false), to = load_u64(p + 8, false);

		hash += (from + (to << 23 | to >> 41) + (load_u64(p + 16, false) << 45)) * odd;
		odd += 0xbf58476d1ce4e5b8ULL;
	}
	return hash ^ hash >> 32;
}

static bool is_worth_looking(struct brstat *b)
{
	if (b->pause) {
		b->pause--;
		return false;
	}
	if (++b->nr_looked < (b->in_vain ? WINDOW_AGAIN : WINDOW))
		return true;
	b->in_vain = b->nr_found < b->nr_looked / LEAST;
	b->pause = b->in_vain ? PAUSE : 0;
	b->nr_looked = b->nr_found = 0;
	return true;
}

/* In the place of another one, which has been counted; there is room for it. */
static void keep(struct brstat *b, struct kept *k, const struct kept *new,
		 const unsigned char *entries)
{
	const size_t size = new->nr *(size_t)BRANCH_ENTRY_SIZE;

	if (k->room < new->nr) {
		k->entries = b->pools.v[b->pools.n - 1] + b->pool_used;
		k->room = new->nr;
		b->pool_used += size;
	}
	memcpy(k->entries, entries, size);
	k->ran.n = 0;
	k->hash = new->hash;
	k->nr = new->nr;
	k->space = new->space;
	k->all = new->all;
	k->times = new->times;
}

static bool is_kept(const struct kept *k, const struct kept *as, const unsigned char *entries)
{
	return k->nr == as->nr && k->space == as->space && k->all == as->all &&
	       !memcmp(k->entries, entries, k->nr * (size_t)BRANCH_ENTRY_SIZE);
}

/* NULL: it is not what came behind the last one before. Memory is asked for what is to come then. */
static struct kept *guess_kept(const struct brstat *b, const struct kept *as,
			       const unsigned char *entries)
{
	uint32_t at = b->last_kept == ID_NONE ? ID_NONE : b->kept.v[b->last_kept].next;
	struct kept *k = at == ID_NONE ? NULL : &b->kept.v[at];
	const struct kept *next;

	if (!k || !is_kept(k, as, entries))
		return NULL;
	if (k->next == ID_NONE)
		return k;
	next = &b->kept.v[k->next];
	if (next->next != ID_NONE)
		__builtin_prefetch(&b->kept.v[next->next]);
	for (size_t i = 0; i < next->nr * (size_t)BRANCH_ENTRY_SIZE; i += 64)
		__builtin_prefetch(next->entries + i);
	if (next->ran.n)
		__builtin_prefetch(next->ran.v);
	return k;
}

/* One of two places, of numbers + 1: where it is, else where fewer wait to be counted. */
static uint32_t *find_kept(const struct brstat *b, const struct kept *as,
			   const unsigned char *entries, bool *found)
{
	uint32_t *at = &b->kept_at[as->hash & (((size_t)1 << KEPT_BITS) - 1)];
	uint32_t *other = &b->kept_at[(as->hash & (((size_t)1 << KEPT_BITS) - 1)) ^ 1];
	const struct kept *k = *at ? &b->kept.v[*at - 1] : NULL;
	const struct kept *l = *other ? &b->kept.v[*other - 1] : NULL;

	*found = k && k->hash == as->hash && is_kept(k, as, entries);
	if (*found || (k && k->hash == as->hash))
		return at;
	*found = l && l->hash == as->hash && is_kept(l, as, entries);
	return *found || (k && (!l || k->times > l->times)) ? other : at;
}

/* Whether the last pool has room for @size. */
static bool has_room(const struct brstat *b, size_t size)
{
	return b->pools.n && b->pool_used + size <= POOL_SIZE;
}

/* One more pool. 0 or -ENOMEM. */
static int add_pool(struct brstat *b)
{
	unsigned char *pool;

	if (!b->kept_at) {
		b->kept_at = calloc((size_t)1 << KEPT_BITS, sizeof(*b->kept_at));
		b->last_kept = ID_NONE;
	}
	if (!b->kept_at)
		return -ENOMEM;
	pool = aligned_alloc(POOL_SIZE, POOL_SIZE);
	if (!pool || vec_push(&b->pools, pool)) {
		free(pool);
		return -ENOMEM;
	}
	mem_large(pool, POOL_SIZE);
	b->pool_used = 0;
	return 0;
}

/* Of one that is not what was expected: it is found, or kept from now on. 0 or -ENOMEM. */
static int look_for_stack(struct brstat *b, struct kept *new, const struct sample_branches *s,
			  struct thread *th, uint32_t *id)
{
	uint32_t *place;
	struct kept *k;
	bool found;
	int ret;

	new->hash = hash_stack(s->entries, s->nr);
	place = find_kept(b, new, s->entries, &found);
	if (!*place) {
		if (vec_push(&b->kept, *new))
			return -ENOMEM;
		b->kept.v[b->kept.n - 1].nr = 0;
		*place = (uint32_t)b->kept.n;
	}
	*id = *place - 1;
	k = &b->kept.v[*id];
	if (found)
		return count_again(b, k);
	ret = k->times ? count_kept(b, k) : 0;
	new->times = b->o.what != BRSTAT_QUALITY;
	if (new->times)
		ret = ret ?: brstat_meet_stack(b, s, new->space, th, new->all);
	else
		ret = ret ?: count_times(b, s, new->space, th, new->all);
	if (!ret)
		keep(b, k, new, s->entries);
	return ret;
}

int brstat_take_stack(struct brstat *b, const struct sample_branches *s, struct thread *th,
		      bool all)
{
	struct kept new = { .next = ID_NONE, .all = all }, *k;
	const size_t size = s->nr * BRANCH_ENTRY_SIZE;
	uint32_t id = ID_NONE;
	int ret;

	new.space = brstat_space(b, th);
	if (new.space == ID_NONE)
		return -ENOMEM;
	if (s->nr > KEPT_LEN || s->swap || !is_worth_looking(b)) {
		b->last_kept = ID_NONE;
		return count_times(b, s, new.space, th, all);
	}
	/* Places that have had longer and longer stacks leave holes. */
	if (unlikely(b->pools.n == POOLS_MAX && !has_room(b, size))) {
		ret = brstat_settle_stacks(b);
		brstat_forget_stacks(b);
		if (ret)
			return ret;
	}
	/* It is as well counted without. */
	if (unlikely(!has_room(b, size)) && add_pool(b)) {
		b->pause = PAUSE;
		b->last_kept = ID_NONE;
		return count_times(b, s, new.space, th, all);
	}
	new.nr = (uint8_t)s->nr;
	k = guess_kept(b, &new, s->entries);
	if (k) {
		b->last_kept = (uint32_t)(k - b->kept.v);
		return count_again(b, k);
	}
	ret = look_for_stack(b, &new, s, th, &id);
	if (b->last_kept != ID_NONE)
		b->kept.v[b->last_kept].next = id;
	b->last_kept = id;
	return ret;
}
