// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table that every branch of the recording goes through: open addressing, grown at 5/8. The
 * places in use are listed beside it, so that clearing it, which each new map asks for, costs what
 * was counted and not what there is room for.
 */
#include <stdlib.h>

#include "convert/raw-int.h"

int raw_table_init(struct raw_table *t, uint32_t size, bool more)
{
	t->v = calloc(size, sizeof(*t->v));
	t->more = more ? calloc(size, sizeof(*t->more)) : NULL;
	t->used = malloc(size * sizeof(*t->used));
	t->mask = size - 1;
	t->n = t->last = 0;
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

int raw_table_grow(struct raw_table *t)
{
	struct raw_table bigger;

	if (t->mask >= 1u << 27 || raw_table_init(&bigger, (t->mask + 1) * 2, t->more))
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct raw *r = &t->v[t->used[i]];
		uint32_t at = raw_hash(r->space, r->from, r->to, r->end) & bigger.mask;

		while (bigger.v[at].count)
			at = (at + 1) & bigger.mask;
		bigger.v[at] = *r;
		if (t->more)
			bigger.more[at] = t->more[t->used[i]];
		bigger.last = at;
		bigger.used[bigger.n++] = at;
	}
	raw_table_free(t);
	*t = bigger;
	return 0;
}
