// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arrays of numbers to dense ids: equal arrays, equal id. Ids only grow, so that whoever holds one
 * may index arrays with it.
 */
#include "keys-int.h"

uint64_t keys_tuple_hash(const struct tuples *t, const uint64_t *vals)
{
	uint64_t h = t->width;

	for (unsigned i = 0; i < t->width; i++)
		h = hash_mix(h, vals[i]);
	return h;
}

uint32_t keys_tuple_id(struct tuples *t, const uint64_t *vals)
{
	return keys_tuple_id_at(t, keys_tuple_hash(t, vals), vals);
}

/* They are two or three numbers long: a call of memcmp() costs more than they do. */
static inline bool is_tuple(const struct tuples *t, uint32_t id, const uint64_t *vals)
{
	const uint64_t *v = keys_tuple_get(t, id);

	for (unsigned i = 0; i < t->width; i++)
		if (v[i] != vals[i])
			return false;
	return true;
}

static inline uint32_t find(const struct tuples *t, uint64_t h, const uint64_t *vals)
{
	uint32_t id;

	for (struct htab_it it = htab_find(&t->tab, h); htab_next(&t->tab, &it, &id);)
		if (is_tuple(t, id, vals))
			return id;
	return ID_NONE;
}

uint32_t keys_tuple_find(const struct tuples *t, uint64_t h, const uint64_t *vals)
{
	return find(t, h, vals);
}

uint32_t keys_tuple_id_at(struct tuples *t, uint64_t h, const uint64_t *vals)
{
	uint32_t id = find(t, h, vals);

	if (id != ID_NONE)
		return id;
	id = keys_tuple_push(t, vals);
	return id == ID_NONE || htab_add(&t->tab, h, id) ? ID_NONE : id;
}

uint32_t keys_tuple_push(struct tuples *t, const uint64_t *vals)
{
	if (t->n == ID_NONE - 1 || vec_reserve(&t->v, t->v.n + t->width + 1))
		return ID_NONE;
	for (unsigned i = 0; i < t->width; i++)
		t->v.v[t->v.n++] = vals[i];
	return t->n++;
}

void keys_tuples_free(struct tuples *t)
{
	vec_free(&t->v);
	htab_free(&t->tab);
	t->n = 0;
}
