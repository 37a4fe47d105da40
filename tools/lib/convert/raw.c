// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table that every branch of the recording goes through: open addressing, grown at 5/8. The
 * places in use are listed beside it, so that clearing it, which each new map asks for, costs what
 * was counted and not what there is room for.
 */
#include <stdlib.h>

#include "convert/raw-int.h"

int raw_table_init(struct raw_table *t, unsigned bits, bool more)
{
	size_t size = (size_t)1 << bits;

	t->v = slots_new(size * sizeof(*t->v));
	t->more = more ? calloc(size, sizeof(*t->more)) : NULL;
	t->used = malloc(size * sizeof(*t->used));
	t->shift = 32 - bits;
	t->n = 0;
	t->limit = (uint32_t)(size / 8 * 5);
	if (t->v && t->used && (t->more || !more))
		return 0;
	raw_table_free(t);
	return -ENOMEM;
}

void raw_table_free(struct raw_table *t)
{
	free(t->v);
	free(t->more);
	free(t->used);
	*t = (struct raw_table){ 0 };
}

void raw_table_clear(struct raw_table *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		t->v[t->used[i]].count = 0;
	for (uint32_t i = 0; t->more && i < t->n; i++)
		t->more[t->used[i]] = (struct raw_more){ 0 };
	t->n = 0;
}

/*
 * Where the branch of that key is, or an empty place for it. Two places lie in one line of the cache: after the first one the
 * other of the two is looked at, then those of the next.
 */
static struct raw *place_of(const struct raw_table *t, const struct raw_key *k, uint32_t hash)
{
	uint32_t at = hash >> t->shift, mask = UINT32_MAX >> t->shift;

	for (;; at = (at + 2) & mask) {
		struct raw *first = &t->v[at], *other = &t->v[at ^ 1];

		if (!first->count || raw_is(first, k))
			return first;
		if (!other->count || raw_is(other, k))
			return other;
	}
}

/* Places are upper bits of hashes: who goes through the old table goes through the new one. */
static void move_all(struct raw_table *to, struct raw_table *t)
{
	size_t size = (size_t)1 << (32 - t->shift);

	for (size_t i = 0; i < size; i++) {
		struct raw *r = &t->v[i], *new;

		if (!r->count)
			continue;
		new = place_of(to, &r->key, raw_hash(&r->key));
		*new = *r;
		r->count = (uint32_t)(new - to->v); /* where it is now */
		if (t->more)
			to->more[r->count] = t->more[i];
	}
}

static int grow(struct raw_table *t)
{
	unsigned bits = 32 - t->shift;
	struct raw_table old = *t;

	if (bits >= 28 || raw_table_init(t, bits + 1, old.more)) {
		*t = old;
		return -ENOMEM;
	}
	move_all(t, &old);
	for (; t->n < old.n; t->n++)
		t->used[t->n] = old.v[old.used[t->n]].count;
	raw_table_free(&old);
	return 0;
}

int raw_table_count(struct raw_table *t, const struct raw_add *a)
{
	struct raw *r = place_of(t, &a->key, a->hash);
	uint32_t at = (uint32_t)(r - t->v);
	bool new = !r->count;

	if (new)
		*r = (struct raw){ .key = a->key };
	r->count++;
	r->mispred += a->flags & 1;
	if (t->more)
		raw_count_more(&t->more[at], a->flags);
	if (!new)
		return 0;
	t->used[t->n++] = at;
	return t->n > t->limit ? grow(t) : 0;
}
