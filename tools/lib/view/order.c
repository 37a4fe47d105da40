// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of rows. Names are compared once per distinct value, not once per pair of rows: each
 * key's values get ranks, a row's ranks are packed into numbers, and rows are sorted by these.
 * Equal rows stay in the order in which they came.
 */
#include "base/numbered.h"
#include "base/side.h"
#include "view-int.h"

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
	const struct table *t;
	const struct keys_col *c;
	const struct tuples *tuples;
	bool second;
};

static int cmp_ranked(const struct ranker *r, const struct ranked *a, const struct ranked *b)
{
	const struct key *k = r->c->key;

	if (a->v == b->v)
		return 0;
	/* As by_address() in keys. */
	if (a->unnamed && b->unnamed)
		return a->ip == b->ip ? 0 : (int64_t)a->ip < (int64_t)b->ip ? -1 : 1;
	return (r->second ? k->sort : k->cmp)(&r->t->keys, a->v, b->v);
}

static uint64_t tuple_value(const struct ranker *r, uint32_t i)
{
	return keys_tuple_get(r->tuples, i)[r->c->slot];
}

/* Halves that are shorter are not worth a thread. */
#define SORT_ALONE 20000

/*
 * Stable merge sort. The library's would do, but for a call per comparison and a copy of the
 * array: here the left half alone is put aside. With threads the two halves are sorted side by side, so
 * that what is compared with what is the same for any number of them.
 */
#define DEFINE_SORT(name, type, ctx_type, cmp)                                                 \
	static void name(type *v, size_t n, type *tmp, const ctx_type *ctx, unsigned threads); \
	struct name##_half {                                                                   \
		type *v, *tmp;                                                                 \
		size_t n;                                                                      \
		const ctx_type *ctx;                                                           \
		unsigned threads;                                                              \
	};                                                                                     \
	static void name##_side(void *halves, size_t i)                                        \
	{                                                                                      \
		struct name##_half *h = (struct name##_half *)halves + i;                      \
		name(h->v, h->n, h->tmp, h->ctx, h->threads);                                  \
	}                                                                                      \
	static void name(type *v, size_t n, type *tmp, const ctx_type *ctx, unsigned threads)  \
	{                                                                                      \
		size_t left = n / 2, right = n - left, i = 0, j = left, to = 0;                \
		struct name##_half halves[2] = {                                               \
			{ v, tmp, left, ctx, threads - threads / 2 },                          \
			{ v + left, tmp + left / 2, right, ctx, threads / 2 },                 \
		};                                                                             \
		if (n < 2)                                                                     \
			return;                                                                \
		if (threads > 1 && n >= SORT_ALONE) {                                          \
			side_by_side(2, 2, name##_side, halves);                               \
		} else {                                                                       \
			name(v, left, tmp, ctx, 1);                                            \
			name(v + left, right, tmp, ctx, 1);                                    \
		}                                                                              \
		memcpy(tmp, v, left * sizeof(*v));                                             \
		while (i < left && j < n)                                                      \
			v[to++] = cmp(ctx, &tmp[i], &v[j]) <= 0 ? tmp[i++] : v[j++];           \
		memcpy(v + to, tmp + i, (left - i) * sizeof(*v));                              \
	}

DEFINE_SORT(sort_ranked, struct ranked, struct ranker, cmp_ranked)

/* ---- ranks ----------------------------------------------------------------------------------- */

/*
 * Values that are told apart, each once. Most of large tables are addresses that have no name, and they are sorted
 * apart, behind those with names, where output has an order of its own (key->sort). By its objects a named one could stand
 * between two unnamed ones, whose addresses have it the other way round; what is sorted would depend on what came first.
 */
struct values {
	struct ranked *v;
	struct numbered *unnamed; /* by their addresses, as by_address() in keys compares them */
	uint32_t nr, nr_unnamed;
	size_t room; /* of each; as much again, and half of that, lies behind, for sorting */
};

static int values_init(struct values *l, const struct ranker *r, size_t room)
{
	*l = (struct values){ .room = room };
	l->v = malloc((room + room / 2 + 1) * sizeof(*l->v));
	/* Pages that nobody writes to take no memory. */
	if (r->c->key->unnamed && r->c->key->sort)
		l->unnamed = malloc((2 * room + 1) * sizeof(*l->unnamed));
	mem_large(l->v, (room + room / 2 + 1) * sizeof(*l->v));
	mem_large(l->unnamed, (2 * room + 1) * sizeof(*l->unnamed));
	return l->v && (l->unnamed || !r->c->key->unnamed || !r->c->key->sort) ? 0 : -ENOMEM;
}

static void values_add(struct values *l, const struct ranker *r, uint64_t value, uint32_t id)
{
	struct ranked one = { .v = value, .id = id };

	if (r->c->key->unnamed)
		one.unnamed = r->c->key->unnamed(&r->t->keys, one.v, &one.ip);
	if (one.unnamed && l->unnamed)
		l->unnamed[l->nr_unnamed++] = (struct numbered){ one.ip ^ 1ULL << 63, id };
	else
		l->v[l->nr++] = one;
}

/* Ranks of all by their ids to @to, and the largest to *@max. */
static int values_rank(struct values *l, const struct ranker *r, uint32_t *to, uint32_t *max)
{
	struct numbered *u = l->unnamed;
	uint32_t k = 0;

	sort_ranked(l->v, l->nr, l->v + l->nr, r, 1);
	for (uint32_t i = 0; i < l->nr; i++) {
		if (i && cmp_ranked(r, &l->v[i - 1], &l->v[i]))
			k++;
		to[l->v[i].id] = k;
	}
	if (l->nr_unnamed && !r->second)
		u = numbered_sort(u, u + l->room, l->nr_unnamed);
	if (l->nr_unnamed && !u)
		return -ENOMEM;
	k += l->nr && l->nr_unnamed;
	for (uint32_t i = 0; i < l->nr_unnamed; i++) {
		/* In the order of output they are all one. */
		if (i && !r->second && u[i - 1].number != u[i].number)
			k++;
		to[u[i].id] = k;
	}
	*max = k;
	return 0;
}

/*
 * Ranks by tuple. Names have numbers already, and most often there are far fewer of them than tuples: then
 * each is ranked once, however many tuples have it.
 */
static uint32_t *rank(const struct ranker *r, unsigned *bits)
{
	uint32_t n = r->tuples->n, names = (uint32_t)r->t->keys.names.str.n, max = 0;
	bool by_name = r->c->key->value == VALUE_NAME && names < n;
	uint32_t *ranks = malloc(((size_t)n + 1) * sizeof(*ranks));
	uint32_t *of_name = by_name ? malloc((size_t)names * sizeof(*of_name)) : NULL;
	struct values l;
	int ret = values_init(&l, r, by_name ? names : n);

	if (!ranks || (by_name && !of_name))
		ret = -ENOMEM;
	mem_large(ranks, ((size_t)n + 1) * sizeof(*ranks));
	if (!ret && by_name)
		memset(of_name, 0xff, (size_t)names * sizeof(*of_name));
	for (uint32_t i = 0; !ret && i < n; i++) {
		uint64_t value = tuple_value(r, i);

		if (by_name && of_name[value] != ID_NONE)
			continue;
		if (by_name)
			of_name[value] = 0;
		values_add(&l, r, value, by_name ? (uint32_t)value : i);
	}
	ret = ret ?: values_rank(&l, r, by_name ? of_name : ranks, &max);
	for (uint32_t i = 0; !ret && by_name && i < n; i++)
		ranks[i] = of_name[tuple_value(r, i)];
	free(l.v);
	free(l.unnamed);
	free(of_name);
	*bits = bits_for(max);
	if (!ret)
		return ranks;
	free(ranks);
	return NULL;
}

static const struct tuples *tuples_of(const struct table *t, const struct key *k)
{
	switch (k->at) {
	case KEY_SAMPLE: return &t->groups;
	case KEY_FROM: return &t->places;
	case KEY_TO: return &t->places2;
	default: return t->keys.o.branch ? &t->places2 : &t->places;
	}
}

/* Ranks that are to be made of a column's values, and where they go. */
struct ranking {
	struct ranker r;
	uint32_t **ranks;
	unsigned *bits;
};

static void make_ranks(void *list, size_t i)
{
	struct ranking *k = (struct ranking *)list + i;

	*k->ranks = rank(&k->r, k->bits);
}

int view_rank_cols(struct view *v)
{
	const struct table *t = v->t;
	VEC(struct ranking) list = { 0 };
	int ret = 0;

	for (unsigned i = 0; !ret && i < v->c.nr_cols; i++) {
		struct keys_col *c = &v->c.cols[i];
		struct ranking k = { { t, c, NULL, false }, &c->rank, &c->rank_bits };

		if (c->key->at == KEY_STAT || c->key->at == KEY_BITS || c->elided)
			continue;
		k.r.tuples = tuples_of(t, c->key);
		ret = vec_push(&list, k);
		if (ret || !c->key->sort)
			continue;
		k = (struct ranking){ { t, c, k.r.tuples, true }, &c->rank2, &c->rank2_bits };
		ret = vec_push(&list, k);
	}
	if (!ret)
		side_by_side(v->o.jobs, list.n, make_ranks, list.v);
	vec_for_each (k, &list)
		if (!*k->ranks)
			ret = -ENOMEM;
	vec_free(&list);
	return ret;
}

static uint32_t tuple_of(const struct table *t, const struct key *k, const struct keys_row *row)
{
	switch (k->at) {
	case KEY_SAMPLE: return row->group;
	case KEY_FROM: return row->place;
	case KEY_TO: return row->place2;
	default: return t->keys.o.branch ? row->place2 : row->place;
	}
}

static int cmp_key(const struct view *v, const struct keys_col *c, const struct keys_row *a,
		   const struct keys_row *b, bool output)
{
	const uint32_t *ranks = output && c->rank2 ? c->rank2 : c->rank;
	uint32_t x, y;

	if (c->key->at == KEY_BITS)
		return c->key->cmp(&v->t->keys, a->bits & c->key->bits, b->bits & c->key->bits);
	x = ranks[tuple_of(v->t, c->key, a)];
	y = ranks[tuple_of(v->t, c->key, b)];
	return x < y ? -1 : x > y;
}

static bool is_children(const struct keys_col *c)
{
	return c->key->acc;
}

/* Which member of a group is looked at as the @i-th: the leader first, unless another one is asked. */
static uint32_t nth_member(const struct view *v, uint32_t members, uint32_t i)
{
	uint32_t first = v->o.group_sort;

	if (!first || first >= members)
		return i;
	/* Then the others from the second one on, and the leader, as upstream. */
	return !i ? first : i == members - 1 ? 0 : i < first ? i : i + 1;
}

/* Large numbers first. Of rows with equal sums the caller stands above the callee. */
/* STAT_UNKNOWN wraps to the least. */
static uint64_t stat_rank(const struct view *v, const struct keys_col *c,
			  const struct keys_row *row)
{
	return view_col_value(v, c, row) + 1;
}

static int cmp_stat(const struct view *v, const struct keys_col *c, const struct keys_row *a,
		    const struct keys_row *b)
{
	bool sum = is_children(c);
	uint32_t members =
		v->t->members.n && !sum ? table_members(v->t, table_row_event(v->t, a)) : 1;

	for (uint32_t i = 0; i < members; i++) {
		uint32_t m = nth_member(v, members, i);
		uint64_t x = stat_rank(v, c, view_member(v, a, m));
		uint64_t y = stat_rank(v, c, view_member(v, b, m));

		if (x != y)
			return x > y ? -1 : 1;
	}
	if (!v->o.use_chains || !sum || a->thread != b->thread ||
	    a->depth[v->o.chain.caller] == b->depth[v->o.chain.caller])
		return 0;
	return (a->depth[v->o.chain.caller] > b->depth[v->o.chain.caller]) == v->o.chain.caller ? -1
												: 1;
}

int view_cmp_keys(const struct view *v, const struct keys_row *a, const struct keys_row *b)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < v->c.nr_order; i++)
		if (v->c.order[i]->key->at != KEY_STAT)
			ret = cmp_key(v, v->c.order[i], a, b, false);
	return ret;
}

uint32_t view_col_rank(const struct view *v, const struct keys_col *c, const struct keys_row *row)
{
	if (c->key->at == KEY_STAT)
		return 0;
	if (c->key->at == KEY_BITS)
		return row->bits & c->key->bits;
	return c->rank[tuple_of(v->t, c->key, row)];
}

static int cmp_rows(const struct view *v, const struct keys_row *a, const struct keys_row *b)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < v->c.nr_order; i++)
		ret = v->c.order[i]->key->at == KEY_STAT ? cmp_stat(v, v->c.order[i], a, b)
							 : cmp_key(v, v->c.order[i], a, b, true);
	if (!ret)
		ret = view_cmp_keys(v, a, b);
	/* Branch flags have no order of their own: the last come stands first, as upstream. */
	if (!ret)
		ret = a->idx < b->idx ? -1 : 1;
	return ret;
}

/*
 * Most rows are told apart by numbers that are put side by side for this: the first two sums, the
 * depth that decides among equal ones, and the ranks of the keys. What else the full comparison would look at, sums
 * behind keys above all, lies apart as words, so that none is asked for again with each comparison.
 */
struct packed {
	uint64_t sum, sum2, ranks;
	uint32_t row, thread, depth;
	uint32_t nr; /* where it was: of sorter's words */
};

struct sorter {
	const struct view *v;
	uint64_t *words;		 /* nr_words of each row; the lesser one comes first */
	unsigned nr_words, stats, first; /* sums in front; the first column that is not packed */
	bool depth;			 /* of equal sums, see cmp_stat() */
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
	for (unsigned i = 0; i < s->nr_words; i++) {
		uint64_t x = s->words[(size_t)a->nr * s->nr_words + i];
		uint64_t y = s->words[(size_t)b->nr * s->nr_words + i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return cmp_rows(s->v, view_row_at(s->v, a->row), view_row_at(s->v, b->row));
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
static uint64_t pack_ranks(const struct view *v, const struct keys_row *row, unsigned first)
{
	unsigned used = 0;
	uint64_t packed = 0;
	bool more = true;

	for (unsigned i = first; more && i < v->c.nr_order; i++) {
		const struct keys_col *c = v->c.order[i];

		more = c->rank && pack(&packed, &used,
				       (c->rank2 ? c->rank2 : c->rank)[tuple_of(v->t, c->key, row)],
				       c->rank2 ? c->rank2_bits : c->rank_bits);
	}
	for (unsigned i = first; more && i < v->c.nr_order; i++) {
		const struct keys_col *c = v->c.order[i];

		if (c->rank2)
			more = pack(&packed, &used, c->rank[tuple_of(v->t, c->key, row)],
				    c->rank_bits);
	}
	return used ? packed << (64 - used) : 0;
}

static bool is_stat(const struct view *v, unsigned i)
{
	return i < v->c.nr_order && v->c.order[i]->key->at == KEY_STAT;
}

/* A column that a word says all of. */
static bool has_word(const struct keys_col *c)
{
	return c->key->at == KEY_STAT ? !is_children(c) : c->rank != NULL;
}

/* What is packed, and which words follow; each row has the same. */
static void lay_out(struct sorter *s)
{
	const struct view *v = s->v;
	bool sums = false;
	unsigned used = 0, i;
	uint64_t none = 0;

	s->stats = is_stat(v, 0) ? 1 + is_stat(v, 1) : 0;
	/* Rows of groups have a sum for each member. */
	s->depth = !v->t->members.n && s->stats && v->o.use_chains && is_children(v->c.order[0]);
	for (i = s->stats; i < v->c.nr_order; i++) {
		const struct keys_col *c = v->c.order[i];

		if (!c->rank || !pack(&none, &used, 0, c->rank2 ? c->rank2_bits : c->rank_bits))
			break;
	}
	s->first = i;
	if (v->t->members.n || i == v->c.nr_order)
		return;
	for (; i < v->c.nr_order && has_word(v->c.order[i]); i++)
		sums |= is_stat(v, i);
	/* Ranks alone are soon looked up, and words are memory for each row. */
	if (!sums)
		return;
	s->nr_words = i - s->first;
	if (i < v->c.nr_order)
		return;
	for (i = 0; i < v->c.nr_order; i++)
		s->nr_words += v->c.order[i]->rank != NULL;
}

static void put_words(const struct sorter *s, const struct keys_row *row, uint64_t *w)
{
	const struct view *v = s->v;
	const uint64_t *end = w + s->nr_words;

	for (unsigned i = s->first; i < v->c.nr_order && w < end; i++) {
		const struct keys_col *c = v->c.order[i];

		*w++ = c->key->at == KEY_STAT
			       ? ~stat_rank(v, c, row)
			       : (c->rank2 ? c->rank2 : c->rank)[tuple_of(v->t, c->key, row)];
	}
	/* As view_cmp_keys(). */
	for (unsigned i = 0; i < v->c.nr_order && w < end; i++)
		if (v->c.order[i]->rank)
			*w++ = v->c.order[i]->rank[tuple_of(v->t, v->c.order[i]->key, row)];
}

static void pack_row(const struct sorter *s, const struct keys_row *row, struct packed *p)
{
	const struct view *v = s->v;

	if (v->t->members.n && v->o.group_sort)
		return;
	p->sum = s->stats ? stat_rank(v, v->c.order[0], row) : 0;
	if (v->t->members.n)
		return;
	p->sum2 = s->stats > 1 ? stat_rank(v, v->c.order[1], row) : 0;
	p->ranks = pack_ranks(v, row, s->stats);
	p->thread = row->thread;
	p->depth = row->depth[s->caller];
	if (s->nr_words)
		put_words(s, row, s->words + (size_t)p->nr * s->nr_words);
}

/* What is packed, @at by @rows; each thread packs the next few. */
struct packing {
	struct sorter s;
	struct packed *at;
	uint32_t *rows;
	size_t nr;
};

#define PACKED_AT_ONCE 16384u

static void pack_some(void *packing, size_t part)
{
	const struct packing *p = packing;
	size_t end = min_u64(p->nr, (part + 1) * PACKED_AT_ONCE);

	for (size_t i = part * PACKED_AT_ONCE; i < end; i++) {
		p->at[i] = (struct packed){ .row = p->rows[i], .nr = (uint32_t)i };
		pack_row(&p->s, view_row_at(p->s.v, p->rows[i]), &p->at[i]);
	}
}

static int packing_room(struct packing *p)
{
	size_t room = (p->nr + p->nr / 2 + 1) * sizeof(*p->at);
	size_t words = (p->nr + 1) * p->s.nr_words * sizeof(*p->s.words);

	p->at = malloc(room);
	p->s.words = words ? malloc(words) : NULL;
	mem_large(p->at, room);
	mem_large(p->s.words, words);
	return p->at && (!words || p->s.words) ? 0 : -ENOMEM;
}

int view_sort_idx(const struct view *v, uint32_t *rows, size_t nr)
{
	struct packing p = {
		.s = { .v = v, .caller = v->o.chain.caller },
		.rows = rows,
		.nr = nr,
	};
	int ret;

	lay_out(&p.s);
	ret = packing_room(&p);
	if (!ret) {
		side_by_side(v->o.jobs, (nr + PACKED_AT_ONCE - 1) / PACKED_AT_ONCE, pack_some, &p);
		sort_packed(p.at, nr, p.at + nr, &p.s, v->o.jobs);
		for (size_t i = 0; i < nr; i++)
			rows[i] = p.at[i].row;
	}
	free(p.at);
	free(p.s.words);
	return ret;
}
