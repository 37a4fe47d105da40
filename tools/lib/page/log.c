// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was counted by whom and when: branches, stretches of code, chains of branches, places in code,
 * functions with vectors. A log has things, told apart by a few numbers, and rows of sums by (thing, group,
 * slice of time), so that the page can choose a span of time or a thread in every view. Slices of a log may
 * be coarser than the page's: they become so when there are too many rows, while they are read and when
 * they are written.
 */
#include "page-int.h"

#define MAX_KEY	     4		/* numbers that tell a thing apart */
#define MOST_READ    (1u << 21) /* rows while samples come */
#define MOST_WRITTEN 60000	/* in the page, of each log */

static uint64_t hash_of(const struct page_tally *t)
{
	return hash_mix((uint64_t)t->what << 32 | t->group, t->slice);
}

/* The row that is told apart as @t, which may be new. */
static uint32_t row_of(struct page_log *l, const struct page_tally *t)
{
	const struct page_tally new = { .what = t->what, .group = t->group, .slice = t->slice };
	const struct simd_counts none = { 0 };
	uint64_t hash = hash_of(t);
	uint32_t i;

	for (struct htab_it it = htab_find(&l->tab, hash); htab_next(&l->tab, &it, &i);)
		if (l->rows.v[i].what == t->what && l->rows.v[i].group == t->group &&
		    l->rows.v[i].slice == t->slice)
			return i;
	i = (uint32_t)l->rows.n;
	if (vec_push(&l->rows, new) || (l->has_simd && vec_push(&l->simd, none)) ||
	    htab_add(&l->tab, hash, i))
		return NONE;
	return i;
}

static int join(struct page_log *l, const struct page_tally *t, const struct simd_counts *simd)
{
	uint32_t i = row_of(l, t);

	if (i == NONE)
		return -ENOMEM;
	page_tally_add(&l->rows.v[i], t);
	return simd ? keys_acc_simd.merge(&l->simd.v[i], simd, NULL) : 0;
}

/* Rows anew, after what tells them apart has changed: never behind their own place. */
static int index_rows(struct page_log *l)
{
	size_t n = l->rows.n;
	int ret = 0;

	htab_free(&l->tab);
	l->rows.n = l->simd.n = 0;
	for (size_t i = 0; !ret && i < n; i++) {
		const struct page_tally t = l->rows.v[i];
		const struct simd_counts simd =
			l->has_simd ? l->simd.v[i] : (struct simd_counts){ 0 };

		ret = join(l, &t, l->has_simd ? &simd : NULL);
	}
	return ret;
}

static int coarsen(struct page_log *l)
{
	vec_for_each (t, &l->rows)
		if (t->slice != NONE)
			t->slice >>= 1;
	l->shift++;
	return index_rows(l);
}

int page_log_follow(struct page_log *l)
{
	/* It was coarser than it has to be: so much less it is now. */
	if (l->shift > l->least) {
		l->shift--;
		return 0;
	}
	vec_for_each (t, &l->rows)
		if (t->slice != NONE)
			t->slice >>= 1;
	return index_rows(l);
}

/* Before a row is looked for: so that one reading and pieces of it become coarser alike. */
static int keep_few(struct page_log *l)
{
	int ret = 0;

	while (!ret && l->rows.n >= MOST_READ && PAGE_SLICES >> l->shift)
		ret = coarsen(l);
	return ret;
}

int page_log_merge(struct page_log *l, struct page_log *from, struct page_log_maps *maps)
{
	uint64_t key[MAX_KEY];
	int ret = 0;

	maps->things = malloc((from->things.n + 1) * sizeof(*maps->things));
	if (!maps->things)
		return -ENOMEM;
	while (!ret && l->shift < from->shift)
		ret = coarsen(l);
	while (!ret && from->shift < l->shift)
		ret = coarsen(from);
	for (uint32_t i = 0; !ret && i < from->things.n; i++) {
		const uint64_t *have = keys_tuple_get(&from->things, i);

		for (unsigned k = 0; k < from->things.width; k++)
			key[k] = maps->key ? maps->key[have[k]] : have[k];
		maps->things[i] = keys_tuple_id(&l->things, key);
		ret = maps->things[i] == ID_NONE ? -ENOMEM : 0;
	}
	for (size_t i = 0; !ret && i < from->rows.n; i++) {
		struct page_tally t = from->rows.v[i];

		t.what = maps->things[t.what];
		t.group = maps->group[t.group];
		ret = keep_few(l);
		t.slice = t.slice == NONE ? NONE : t.slice >> (l->shift - from->shift);
		ret = ret ?: join(l, &t, from->has_simd ? &from->simd.v[i] : NULL);
	}
	return ret;
}

int page_log_regroup(struct page_log *l, const uint32_t *to)
{
	vec_for_each (t, &l->rows)
		t->group = to[t->group];
	return index_rows(l);
}

uint32_t page_log_row(struct page *p, struct page_log *l, const uint64_t *key)
{
	uint32_t thing = keys_tuple_id(&l->things, key);
	struct page_tally t = { .what = thing, .group = p->now.group };

	if (thing == ID_NONE || keep_few(l))
		return NONE;
	t.slice = p->now.slice == NONE ? NONE : p->now.slice >> l->shift;
	return row_of(l, &t);
}

void page_log_free(struct page_log *l)
{
	keys_tuples_free(&l->things);
	vec_free(&l->rows);
	vec_free(&l->simd);
	htab_free(&l->tab);
	free(l->place);
	free(l->shown);
}

/* ---- the page -------------------------------------------------------------------------------------- */

struct thing {
	uint64_t nr;
	uint32_t id;
	bool wanted;
};

static int by_number(const void *a, const void *b)
{
	const struct thing *x = a, *y = b;

	if (x->wanted != y->wanted)
		return x->wanted ? -1 : 1;
	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Those most often counted, or of most cycles, and those that @wanted says besides. */
static void choose(struct page_log *l, struct thing *v, size_t most, size_t most_wanted)
{
	size_t n = l->things.n, done = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_number);
	for (size_t i = 0; i < n; i++) {
		if (v[i].wanted ? i >= most_wanted : !most)
			continue;
		most -= !v[i].wanted;
		l->shown[done] = v[i].id;
		l->place[v[i].id] = (uint32_t)++done;
	}
	l->nr_shown = (uint32_t)done;
}

int page_log_choose(struct page *p, struct page_log *l, size_t most,
		    bool (*wanted)(const struct page *p, const uint64_t *key))
{
	size_t n = l->things.n;
	struct thing *v = calloc(n + 1, sizeof(*v));
	int ret;

	l->place = calloc(n + 1, sizeof(*l->place));
	l->shown = calloc(n + 1, sizeof(*l->shown));
	ret = v && l->place && l->shown ? 0 : -ENOMEM;
	for (size_t i = 0; !ret && i < n; i++) {
		v[i].id = (uint32_t)i;
		v[i].wanted = wanted && wanted(p, keys_tuple_get(&l->things, (uint32_t)i));
	}
	if (!ret)
		vec_for_each (t, &l->rows)
			v[t->what].nr += t->nr;
	if (!ret)
		choose(l, v, most, most ? 8 * most : n);
	free(v);
	return ret;
}

static int by_place(const void *a, const void *b)
{
	const struct page_tally *x = a, *y = b;

	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->slice < y->slice ? -1 : x->slice > y->slice;
}

/* The rows of what is chosen, few enough. */
static int thin(struct page_log *l)
{
	size_t n = 0;
	int ret = 0;

	for (size_t i = 0; i < l->rows.n; i++) {
		if (!l->place[l->rows.v[i].what])
			continue;
		l->rows.v[n] = l->rows.v[i];
		if (l->has_simd)
			l->simd.v[n] = l->simd.v[i];
		n++;
	}
	l->rows.n = n;
	if (l->has_simd)
		l->simd.n = n;
	ret = index_rows(l);
	while (!ret && l->rows.n > MOST_WRITTEN && PAGE_SLICES >> l->shift)
		ret = coarsen(l);
	/* In an order that packs well; sums of vectors stand apart. */
	if (!ret && l->rows.n && !l->has_simd)
		qsort(l->rows.v, l->rows.n, sizeof(*l->rows.v), by_place);
	return ret;
}

#define ROWS(j, name, l, t, expr)                     \
	do {                                          \
		page_open(j, name, '[');              \
		vec_for_each (t, &(l)->rows)          \
			page_int(j, (int64_t)(expr)); \
		page_close(j, ']');                   \
	} while (0)

static void put_simd(const struct page_log *l, struct json *j)
{
	page_open(j, "simd", '[');
	vec_for_each (c, &l->simd) {
		const uint64_t v[] = { c->nr,
				       c->live[SIMD_NONE],
				       c->live[SIMD_128],
				       c->live[SIMD_256],
				       c->live[SIMD_512],
				       c->coded,
				       c->code[SIMD_NONE],
				       c->code[SIMD_128],
				       c->code[SIMD_256],
				       c->code[SIMD_512],
				       c->dirty,
				       c->high_nr,
				       c->high,
				       c->masked,
				       c->masked_permille,
				       c->filled,
				       c->filled_permille,
				       c->func,
				       c->widest_dirty,
				       c->func_known };

		for (size_t i = 0; i < ARRAY_SIZE(v); i++)
			page_int(j, (int64_t)v[i]);
	}
	page_close(j, ']');
}

int page_put_log(struct page_log *l, const char *name, struct json *j)
{
	int ret = thin(l);

	page_open(j, name, '{');
	page_num(j, "shift", l->shift);
	page_num(j, "things", l->things.n);
	ROWS(j, "what", l, t, l->place[t->what] - 1);
	ROWS(j, "group", l, t, t->group);
	ROWS(j, "slice", l, t, t->slice == NONE ? 0 : t->slice + 1);
	ROWS(j, "nr", l, t, t->nr);
	if (l->has_simd)
		put_simd(l, j);
	else
		ROWS(j, "cycles", l, t, t->cycles);
	if (l->has_flags) {
		ROWS(j, "mispred", l, t, t->mispred);
		ROWS(j, "flagged", l, t, t->flagged);
		ROWS(j, "with_cycles", l, t, t->nr_cycles);
	}
	page_close(j, '}');
	return ret;
}
