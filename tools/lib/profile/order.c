// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of rows. */
#include "profile-int.h"

static unsigned bits_for(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

/*
 * Names are compared once per distinct value: every key gets a rank per tuple, and rows are
 * sorted by numbers. Ranks start at 0; equal values have equal ranks.
 */
struct ranked {
	uint64_t v, ip;
	uint32_t id;
	bool unnamed;
};

struct ranker {
	const struct profile *p;
	const struct profile_col *c;
	const struct tuples *t;
	bool second;
};

static int cmp_ranked(const struct ranker *r, const struct ranked *a, const struct ranked *b)
{
	const struct key *k = r->c->key;

	if (a->v == b->v)
		return 0;
	/* Most values of large tables are these. */
	if (a->unnamed && b->unnamed) {
		int64_t d = (int64_t)(a->ip - b->ip);

		return r->second || !d ? 0 : d < 0 ? -1 : 1;
	}
	return (r->second ? k->sort : k->cmp)(r->p, a->v, b->v);
}

/*
 * Stable merge sort. The library's would do, but for a call per comparison and a copy of the
 * array: here the left half alone is put aside.
 */
#define DEFINE_SORT(name, type, ctx_type, cmp)                                       \
	static void name(type *v, size_t n, type *tmp, const ctx_type *ctx)          \
	{                                                                            \
		size_t left = n / 2, right = n - left, i = 0, j = left, to = 0;      \
		if (n < 2)                                                           \
			return;                                                      \
		name(v, left, tmp, ctx);                                             \
		name(v + left, right, tmp, ctx);                                     \
		memcpy(tmp, v, left * sizeof(*v));                                   \
		while (i < left && j < n)                                            \
			v[to++] = cmp(ctx, &tmp[i], &v[j]) <= 0 ? tmp[i++] : v[j++]; \
		memcpy(v + to, tmp + i, (left - i) * sizeof(*v));                    \
	}

DEFINE_SORT(sort_ranked, struct ranked, struct ranker, cmp_ranked)

static uint32_t *rank(const struct ranker *r, unsigned *bits)
{
	uint32_t n = r->t->n, k = 0, *ranks = malloc(((size_t)n + 1) * sizeof(*ranks));
	struct ranked *v = malloc(((size_t)n + n / 2 + 1) * sizeof(*v));

	if (!v || !ranks) {
		free(v);
		free(ranks);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		v[i] = (struct ranked){ .v = prof_tuple_get(r->t, i)[r->c->slot], .id = i };
		if (r->c->key->unnamed)
			v[i].unnamed = r->c->key->unnamed(r->p, v[i].v, &v[i].ip);
	}
	sort_ranked(v, n, v + n, r);
	for (uint32_t i = 0; i < n; i++) {
		if (i && cmp_ranked(r, &v[i - 1], &v[i]))
			k++;
		ranks[v[i].id] = k;
	}
	free(v);
	*bits = bits_for(k);
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

int prof_rank_cols(struct profile *p)
{
	for (unsigned i = 0; i < p->nr_cols; i++) {
		struct profile_col *c = &p->cols[i];
		struct ranker r = { p, c, tuples_of(p, c->key), false };

		if (!r.t || c->elided)
			continue;
		c->rank = rank(&r, &c->rank_bits);
		if (!c->rank)
			return -ENOMEM;
		if (!c->key->sort)
			continue;
		r.second = true;
		c->rank2 = rank(&r, &c->rank2_bits);
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

static bool is_children(const struct profile_col *c)
{
	return c->key->acc;
}

/* Which member of a group is looked at as the @i-th: the leader first, unless another one is asked. */
static uint32_t nth_member(const struct profile *p, uint32_t members, uint32_t i)
{
	uint32_t first = p->o.group_sort;

	if (!first || first >= members)
		return i;
	/* Then the others from the second one on, and the leader, as upstream. */
	return !i ? first : i == members - 1 ? 0 : i < first ? i : i + 1;
}

/* Large numbers first. Of rows with equal sums the caller stands above the callee. */
/* STAT_UNKNOWN wraps to the least. */
static uint64_t stat_rank(const struct profile *p, const struct profile_col *c,
			  const struct profile_row *row)
{
	return prof_col_value(p, c, row) + 1;
}

static int cmp_stat(const struct profile *p, const struct profile_col *c,
		    const struct profile_row *a, const struct profile_row *b)
{
	bool sum = is_children(c);
	uint32_t members = p->members.n && !sum ? profile_members(p, profile_row_event(p, a)) : 1;

	for (uint32_t i = 0; i < members; i++) {
		uint32_t m = nth_member(p, members, i);
		uint64_t x = stat_rank(p, c, prof_member(p, a, m));
		uint64_t y = stat_rank(p, c, prof_member(p, b, m));

		if (x != y)
			return x > y ? -1 : 1;
	}
	if (!p->o.use_chains || !sum || a->thread != b->thread || a->depth == b->depth)
		return 0;
	return (a->depth > b->depth) == p->o.chain.caller ? -1 : 1;
}

int prof_cmp_keys(const struct profile *p, const struct profile_row *a, const struct profile_row *b)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < p->nr_order; i++)
		if (p->order[i]->key->at != KEY_STAT)
			ret = cmp_key(p, p->order[i], a, b, false);
	return ret;
}

uint32_t prof_col_rank(const struct profile *p, const struct profile_col *c,
		       const struct profile_row *row)
{
	if (c->key->at == KEY_STAT)
		return 0;
	if (c->key->at == KEY_BITS)
		return row->bits & c->key->bits;
	return c->rank[tuple_of(p, c->key, row)];
}

static int cmp_rows(const struct profile *p, const struct profile_row *a,
		    const struct profile_row *b)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < p->nr_order; i++)
		ret = p->order[i]->key->at == KEY_STAT ? cmp_stat(p, p->order[i], a, b)
						       : cmp_key(p, p->order[i], a, b, true);
	if (!ret)
		ret = prof_cmp_keys(p, a, b);
	/* Branch flags have no order of their own: the last come stands first, as upstream. */
	if (!ret)
		ret = a->idx < b->idx ? -1 : 1;
	return ret;
}

/*
 * Most rows are told apart by numbers that are put side by side for this: the first two sums, the
 * depth that decides among equal ones, and the ranks of the keys. The full comparison is for ties.
 */
struct packed {
	uint64_t sum, sum2, ranks;
	uint32_t row, thread, depth;
};

struct sorter {
	const struct profile *p;
	bool depth; /* of equal sums, see cmp_stat() */
	bool caller;
};

static int cmp_packed(const struct sorter *s, const struct packed *a, const struct packed *b)
{
	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	if (s->depth && a->thread == b->thread && a->depth != b->depth)
		return (a->depth > b->depth) == s->caller ? -1 : 1;
	if (a->sum2 != b->sum2)
		return a->sum2 > b->sum2 ? -1 : 1;
	if (a->ranks != b->ranks)
		return a->ranks < b->ranks ? -1 : 1;
	return cmp_rows(s->p, &s->p->rows.v[a->row], &s->p->rows.v[b->row]);
}

DEFINE_SORT(sort_packed, struct packed, struct sorter, cmp_packed)

/* Appends a rank; false when it has no room. */
static bool pack(uint64_t *v, unsigned *used, uint32_t rank, unsigned bits)
{
	if (*used + bits > 64)
		return false;
	*used += bits;
	if (bits)
		*v = *v << bits | rank;
	return true;
}

/* The ranks of the keys from @first, as many as fit: in order of output, then among equals. */
static uint64_t pack_ranks(const struct profile *p, const struct profile_row *row, unsigned first)
{
	unsigned used = 0;
	uint64_t v = 0;
	bool more = true;

	for (unsigned i = first; more && i < p->nr_order; i++) {
		const struct profile_col *c = p->order[i];

		more = c->rank &&
		       pack(&v, &used, (c->rank2 ? c->rank2 : c->rank)[tuple_of(p, c->key, row)],
			    c->rank2 ? c->rank2_bits : c->rank_bits);
	}
	for (unsigned i = first; more && i < p->nr_order; i++) {
		const struct profile_col *c = p->order[i];

		if (c->rank2)
			more = pack(&v, &used, c->rank[tuple_of(p, c->key, row)], c->rank_bits);
	}
	return used ? v << (64 - used) : 0;
}

static bool is_stat(const struct profile *p, unsigned i)
{
	return i < p->nr_order && p->order[i]->key->at == KEY_STAT;
}

int prof_sort_idx(const struct profile *p, uint32_t *rows, size_t nr)
{
	struct packed *v = calloc(nr + nr / 2 + 1, sizeof(*v));
	unsigned stats = is_stat(p, 0) ? 1 + is_stat(p, 1) : 0;
	struct sorter s = { p, false, p->o.chain.caller };

	if (!v)
		return -ENOMEM;
	/* Rows of groups have a sum for each member. */
	s.depth = !p->members.n && stats && p->o.use_chains && is_children(p->order[0]);
	for (size_t i = 0; i < nr; i++) {
		const struct profile_row *row = &p->rows.v[rows[i]];

		v[i].row = rows[i];
		if (p->members.n && p->o.group_sort)
			continue;
		v[i].sum = stats ? stat_rank(p, p->order[0], row) : 0;
		if (p->members.n)
			continue;
		v[i].sum2 = stats > 1 ? stat_rank(p, p->order[1], row) : 0;
		v[i].ranks = pack_ranks(p, row, stats);
		v[i].thread = row->thread;
		v[i].depth = row->depth;
	}
	sort_packed(v, nr, v + nr, &s);
	for (size_t i = 0; i < nr; i++)
		rows[i] = v[i].row;
	free(v);
	return 0;
}
