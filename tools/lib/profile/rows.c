// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows: counting while samples come, order at the end. */
#include "profile-int.h"

uint32_t prof_group_of(struct profile *p, const struct sample *s, struct thread *th)
{
	uint64_t vals[MAX_KEYS + 1];

	vals[0] = s->event ? s->event->idx : 0;
	for (unsigned i = 0; i < p->nr_group; i++) {
		const struct key *k = p->group_cols[i]->key;
		uint64_t v = k->sample(p, s, th);

		vals[i + 1] = k->mask ? v & k->mask : v;
	}
	if (p->groups.n && !memcmp(vals, p->last_group, (p->nr_group + 1) * sizeof(vals[0])))
		return p->last_group_id;
	memcpy(p->last_group, vals, (p->nr_group + 1) * sizeof(vals[0]));
	p->last_group_id = prof_tuple_id(&p->groups, vals);
	return p->last_group_id;
}

static uint64_t row_hash(uint32_t group, uint32_t place, uint32_t place2, uint32_t bits)
{
	return hash_mix((uint64_t)group << 32 | place, (uint64_t)place2 << 32 | bits);
}

void prof_row_prefetch(const struct profile *p, uint32_t group, uint32_t place)
{
	struct htab_it it = htab_find(&p->row_tab, row_hash(group, place, 0, 0));

	if (p->row_tab.slot)
		__builtin_prefetch(&p->row_tab.slot[it.pos]);
}

void prof_row_prefetch_next(const struct profile *p, uint32_t group, uint32_t place)
{
	struct htab_it it = htab_find(&p->row_tab, row_hash(group, place, 0, 0));
	uint32_t i;

	if (htab_next(&p->row_tab, &it, &i))
		__builtin_prefetch(&p->rows.v[i], 1);
}

struct profile_row *prof_row_of(struct profile *p, uint32_t group, uint32_t place, uint32_t place2,
				uint32_t bits)
{
	uint64_t h = row_hash(group, place, place2, bits);
	struct profile_row row = { .group = group, .place = place, .place2 = place2, .bits = bits };
	uint32_t i;

	for (struct htab_it it = htab_find(&p->row_tab, h); htab_next(&p->row_tab, &it, &i);) {
		struct profile_row *r = &p->rows.v[i];

		if (r->group == group && r->place == place && r->place2 == place2 &&
		    r->bits == bits)
			return r;
	}
	row.idx = (uint32_t)p->rows.n;
	row.thread = ID_NONE;
	if (vec_push(&p->rows, row) || htab_add(&p->row_tab, h, row.idx))
		return NULL;
	return &p->rows.v[row.idx];
}

struct event_rows *prof_event_rows(struct profile *p, uint32_t event)
{
	while (p->events.n <= event) {
		struct event_rows ev = { 0 };

		if (p->events.n > 65535 || vec_push(&p->events, ev))
			return NULL;
	}
	return &p->events.v[event];
}

uint32_t profile_row_event(const struct profile *p, const struct profile_row *row)
{
	return (uint32_t)prof_tuple_get(&p->groups, row->group)[0];
}

/* ---- order ----------------------------------------------------------------------------------- */

/*
 * Names are compared once per distinct value: every key gets a rank per tuple, and rows are
 * sorted by numbers. Ranks start at 0; equal values have equal ranks.
 */
struct ranker {
	const struct profile *p;
	const struct tuples *t;
	unsigned slot;
	int (*cmp)(const struct profile *p, uint64_t a, uint64_t b);
};

static int cmp_tuple(const void *a, const void *b, void *ctx)
{
	const struct ranker *r = ctx;

	return r->cmp(r->p, prof_tuple_get(r->t, *(const uint32_t *)a)[r->slot],
		      prof_tuple_get(r->t, *(const uint32_t *)b)[r->slot]);
}

static uint32_t *rank(struct ranker *r)
{
	uint32_t n = r->t->n, *ids = malloc((n + 1) * sizeof(*ids)), k = 0;
	uint32_t *ranks = malloc((n + 1) * sizeof(*ranks));

	if (!ids || !ranks) {
		free(ids);
		free(ranks);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		ids[i] = i;
	qsort_r(ids, n, sizeof(*ids), cmp_tuple, r);
	for (uint32_t i = 0; i < n; i++) {
		if (i && cmp_tuple(&ids[i - 1], &ids[i], r))
			k++;
		ranks[ids[i]] = k;
	}
	free(ids);
	return ranks;
}

static const struct tuples *tuples_of(const struct profile *p, const struct key *k)
{
	switch (k->at) {
	case KEY_SAMPLE: return &p->groups;
	case KEY_FROM: return &p->places;
	case KEY_TO: return &p->places2;
	case KEY_PLACE: return p->o.branch ? &p->places2 : &p->places;
	default: return NULL;
	}
}

static int rank_cols(struct profile *p)
{
	for (unsigned i = 0; i < p->nr_cols; i++) {
		struct profile_col *c = &p->cols[i];
		struct ranker r = { p, tuples_of(p, c->key), c->slot, c->key->cmp };

		if (!r.t || c->elided)
			continue;
		c->rank = rank(&r);
		if (!c->rank)
			return -ENOMEM;
		if (!c->key->sort)
			continue;
		r.cmp = c->key->sort;
		c->rank2 = rank(&r);
		if (!c->rank2)
			return -ENOMEM;
	}
	return 0;
}

static uint32_t tuple_of(const struct profile *p, const struct key *k,
			 const struct profile_row *row)
{
	switch (k->at) {
	case KEY_SAMPLE: return row->group;
	case KEY_FROM: return row->place;
	case KEY_TO: return row->place2;
	default: return p->o.branch ? row->place2 : row->place;
	}
}

static int cmp_key(const struct profile *p, const struct profile_col *c,
		   const struct profile_row *a, const struct profile_row *b, bool output)
{
	const uint32_t *ranks = output && c->rank2 ? c->rank2 : c->rank;
	uint32_t x, y;

	if (c->key->at == KEY_BITS)
		return c->key->cmp(p, a->bits & c->key->bits, b->bits & c->key->bits);
	x = ranks[tuple_of(p, c->key, a)];
	y = ranks[tuple_of(p, c->key, b)];
	return x < y ? -1 : x > y;
}

/* Large numbers first. Of rows with equal sums the caller stands above the callee. */
static int cmp_stat(const struct profile *p, const struct profile_col *c,
		    const struct profile_row *a, const struct profile_row *b)
{
	bool sum = !strcmp(c->key->name, "overhead_children");
	uint32_t members = p->members && !sum ? profile_members(p, profile_row_event(p, a)) : 1;

	for (uint32_t m = 0; m < members; m++) {
		uint64_t x = prof_col_value(p, c, prof_member(p, a, m));
		uint64_t y = prof_col_value(p, c, prof_member(p, b, m));

		if (x != y)
			return x > y ? -1 : 1;
	}
	if (!p->o.use_chains || strcmp(c->key->name, "overhead_children") ||
	    a->thread != b->thread || a->depth == b->depth)
		return 0;
	return (a->depth > b->depth) == p->o.chain.caller ? -1 : 1;
}

static int cmp_rows(const void *pa, const void *pb, void *ctx)
{
	const struct profile *p = ctx;
	const struct profile_row *a = &p->rows.v[*(const uint32_t *)pa];
	const struct profile_row *b = &p->rows.v[*(const uint32_t *)pb];
	int ret = 0;

	for (unsigned i = 0; !ret && i < p->nr_order; i++)
		ret = p->order[i]->key->at == KEY_STAT ? cmp_stat(p, p->order[i], a, b)
						       : cmp_key(p, p->order[i], a, b, true);
	for (unsigned i = 0; !ret && i < p->nr_order; i++)
		if (p->order[i]->key->at != KEY_STAT)
			ret = cmp_key(p, p->order[i], a, b, false);
	/* Branch flags have no order of their own: the last come stands first, as upstream. */
	if (!ret)
		ret = a->idx < b->idx ? -1 : 1;
	return ret;
}

/*
 * Most rows are told apart by their first number and by the ranks that follow: both are packed
 * into two words, the full comparison is for ties.
 */
struct packed {
	uint64_t hi, lo;
	uint32_t row;
};

static int cmp_packed(const void *pa, const void *pb, void *ctx)
{
	const struct packed *a = pa, *b = pb;

	if (a->hi != b->hi)
		return a->hi < b->hi ? -1 : 1;
	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return cmp_rows(&a->row, &b->row, ctx);
}

static unsigned bits_for(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

/* The ranks of the keys behind the first number, as many as fit. */
static uint64_t pack_ranks(const struct profile *p, const struct profile_row *row)
{
	unsigned used = 0;
	uint64_t v = 0;

	for (unsigned i = 1; i < p->nr_order; i++) {
		const struct profile_col *c = p->order[i];
		const struct tuples *t = tuples_of(p, c->key);
		unsigned w = t ? bits_for(t->n) : 0;

		if (!t || used + w > 64)
			break;
		used += w;
		v = w ? (w < 64 ? v << w : 0) |
				    (c->rank2 ? c->rank2 : c->rank)[tuple_of(p, c->key, row)]
		      : v;
	}
	return used ? v << (64 - used) : 0;
}

static int sort_event(struct profile *p, struct event_rows *ev)
{
	bool stat_first = p->nr_order && p->order[0]->key->at == KEY_STAT;
	bool plain =
		stat_first && !p->members && strcmp(p->order[0]->key->name, "overhead_children");
	struct packed *v = malloc((ev->nr + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < ev->nr; i++) {
		const struct profile_row *row = &p->rows.v[ev->rows[i]];

		v[i].hi = stat_first ? ~prof_col_value(p, p->order[0], row) : 0;
		v[i].lo = plain ? pack_ranks(p, row) : 0;
		v[i].row = ev->rows[i];
	}
	qsort_r(v, ev->nr, sizeof(*v), cmp_packed, p);
	for (size_t i = 0; i < ev->nr; i++)
		ev->rows[i] = v[i].row;
	free(v);
	return 0;
}

int prof_rows_sort(struct profile *p)
{
	int ret = rank_cols(p);

	if (ret)
		return ret;
	for (size_t i = 0; i < p->rows.n; i++) {
		struct event_rows *ev = prof_event_rows(p, profile_row_event(p, &p->rows.v[i]));

		if (!ev)
			return -ENOMEM;
		ev->nr++;
	}
	for (size_t i = 0; i < p->events.n; i++) {
		struct event_rows *ev = &p->events.v[i];

		ev->rows = malloc((ev->nr + 1) * sizeof(*ev->rows));
		if (!ev->rows)
			return -ENOMEM;
		ev->nr = 0;
	}
	for (size_t i = 0; i < p->rows.n; i++) {
		struct event_rows *ev = &p->events.v[profile_row_event(p, &p->rows.v[i])];

		ev->rows[ev->nr++] = (uint32_t)i;
	}
	for (size_t i = 0; i < p->events.n; i++) {
		struct event_rows *ev = &p->events.v[i];

		ret = sort_event(p, ev);
		if (!ret)
			ret = prof_cols_widths(p, ev);
		if (ret)
			return ret;
	}
	return 0;
}

size_t profile_nr_rows(const struct profile *p, uint32_t event)
{
	return event < p->events.n ? p->events.v[event].nr : 0;
}

const struct profile_row *profile_row(const struct profile *p, uint32_t event, size_t i)
{
	return &p->rows.v[p->events.v[event].rows[i]];
}

const struct profile_totals *profile_totals(const struct profile *p, uint32_t event)
{
	static const struct profile_totals none;

	return event < p->events.n ? &p->events.v[event].totals : &none;
}
