// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples that are told apart by their row alone: to their rows many at a time. Nothing of such a
 * sample is looked at besides its address, so a batch of them asks memory for all rows before it
 * touches the first. Where accumulators look at the record they cannot wait, since it is gone with the next
 * one; but what was found out for one sample of a place holds for those that follow. With chains, branches or
 * filters that look into the sample there is no queue.
 *
 * The rows of late samples are remembered in a table that grows with what there is to remember: a short recording
 * does not pay for a large one's.
 */
#include "table-int.h"

#define RECENT_BITS_MIN 8

_Static_assert(QUEUE_LEN <= PLACES_MAX, "their places are found together");

static inline uint64_t recent_hash(uint64_t key, uint32_t where, uint32_t group)
{
	return (key ^ (uint64_t)where << 36 ^ (uint64_t)group << 20) * HASH_GOLDEN;
}

static bool hash_of_recent(const void *slot, uint64_t *hash)
{
	const struct recent *r = slot;

	*hash = recent_hash(r->key, r->where, r->group);
	return r->row;
}

static int recent_resize(struct queue *q, unsigned bits)
{
	struct recent *r = slots_resize(q->recent, q->bits, bits, sizeof(*r), hash_of_recent);

	if (!r)
		return -ENOMEM;
	q->recent = r;
	memset((void *)q->expected, 0, sizeof(q->expected));
	q->bits = bits;
	q->filled = 0;
	return 0;
}

/* Where as many were filled in as there is room for. */
static inline int grow_recent(struct queue *q)
{
	if (likely(q->filled <= 1u << q->bits || q->bits == RECENT_BITS))
		return 0;
	return recent_resize(q, (unsigned)min_u64(q->bits + 4, RECENT_BITS));
}

static inline struct recent *recent_at(const struct queue *q, uint64_t hash)
{
	return &q->recent[hash >> (64 - q->bits)];
}

int table_queue_init(struct table *t)
{
	const struct keys_opts *o = &t->keys.o;
	struct queue *q;

	if (o->branch || o->use_chains || o->children || t->map_is_key || t->feed->filtering ||
	    t->feed->parent_re.set || o->filter.hide_unresolved || o->filter.exclude_other ||
	    o->filter.parallelism || o->filter.by_socket)
		return 0;
	if (t->sums.needs_sample && (o->rich || o->history))
		return 0;
	q = t->feed->queue = malloc(sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->n = 0;
	q->no_wait = false;
	q->at_once = t->sums.needs_sample;
	q->recent = NULL;
	q->bits = 0;
	q->from_ip = 0;
	q->where = q->group = 0;
	memset(&q->waiting, 0, sizeof(q->waiting));
	return recent_resize(q, RECENT_BITS_MIN);
}

void table_queue_free(struct table *t)
{
	if (t->feed->queue) {
		vec_free(&t->feed->queue->waiting);
		free(t->feed->queue->recent);
	}
	free(t->feed->queue);
	t->feed->queue = NULL;
}

/* ---- samples whose row is not known ---------------------------------------------------------- */

struct misses {
	struct queued *v[QUEUE_LEN];
	struct code_at at[QUEUE_LEN];
	uint32_t id[QUEUE_LEN]; /* of a symbol, then of a location */
	unsigned n;
};

static void add_miss(struct misses *m, struct queued *s)
{
	m->v[m->n] = s;
	m->id[m->n] = SYMBOL_NONE;
	m->at[m->n++] = s->at;
}

/*
 * When rows are told apart by symbol at most, its number leads to the place, and addresses need
 * not be remembered one by one. What has no symbol goes to @rest.
 */
static void places_by_symbol(struct table *t, struct misses *m, struct misses *rest)
{
	symbol_find_many(t->keys.res, m->at, m->id, m->n);
	for (unsigned i = 0; i < m->n; i++)
		if (m->id[i] < t->feed->symbols.n)
			__builtin_prefetch(&t->feed->symbols.v[m->id[i]]);
	for (unsigned i = 0; i < m->n; i++) {
		struct symbol_info *si =
			m->id[i] == SYMBOL_NONE ? NULL : table_symbol_info(t, m->id[i]);
		struct queued *s = m->v[i];

		if (!si) {
			add_miss(rest, s);
			continue;
		}
		if (si->place == ID_NONE) {
			uint32_t loc = LOC_NONE;

			t->feed->keys.at_thread = s->th;
			resolver_find_at(t->keys.res, &s->at, &loc, 1);
			s->place = loc == LOC_NONE ? ID_NONE
						   : table_place_of_loc(t, loc, s->ip, false);
			/* That may have moved the list. */
			t->feed->symbols.v[m->id[i]].place = s->place;
			continue;
		}
		s->place = si->place;
	}
}

static void places_by_address(struct table *t, struct misses *m)
{
	struct thread *th[QUEUE_LEN];
	uint32_t place[QUEUE_LEN];
	uint64_t ip[QUEUE_LEN];

	resolver_find_at(t->keys.res, m->at, m->id, m->n);
	for (unsigned i = 0; i < m->n; i++) {
		if (m->id[i] < t->feed->locs.n)
			__builtin_prefetch(&t->feed->locs.v[m->id[i]]);
		th[i] = m->v[i]->th;
		ip[i] = m->v[i]->ip;
	}
	table_places_of_locs(t, m->id, ip, th, place, m->n);
	for (unsigned i = 0; i < m->n; i++)
		m->v[i]->place = place[i];
}

static int add_sums(struct table *t, uint32_t row, const struct queued *s)
{
	const struct acc_in in = {
		.th = s->th, .period = s->period, .times = 1, .parallelism = s->parallelism
	};

	return table_sums_add(&t->sums, row, &in);
}

static int rows_of_misses(struct table *t, const struct misses *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		if (m->v[i]->place == ID_NONE)
			return -ENOMEM;
		table_row_prefetch(t, m->v[i]->group, m->v[i]->place, 0, 0);
	}
	for (unsigned i = 0; i < m->n; i++)
		table_row_prefetch_next(t, m->v[i]->group, m->v[i]->place, 0, 0);
	for (unsigned i = 0; i < m->n; i++) {
		const struct queued *s = m->v[i];
		struct keys_row *row =
			table_row_own(t, s->group, s->place, s->th->idx, s->at.cpumode, 0);

		if (!row)
			return -ENOMEM;
		table_row_count(row, s->period, 1);
		if (add_sums(t, row->idx, s))
			return -ENOMEM;
		*recent_at(t->feed->queue, s->hash) =
			(struct recent){ s->key, s->where, s->group, row->idx + 1, 0 };
		t->feed->queue->filled++;
	}
	return 0;
}

static int take_misses(struct table *t, struct misses *m)
{
	struct misses rest = { .n = 0 };
	struct queue *q = t->feed->queue;
	int ret;

	if (!m->n)
		return 0;
	if (t->by_symbol)
		places_by_symbol(t, m, &rest);
	places_by_address(t, t->by_symbol ? &rest : m);
	ret = rows_of_misses(t, m);
	return ret ?: grow_recent(q);
}

/* ---- waiting for symbols --------------------------------------------------------------------- */

/*
 * The kernel's symbols are asked for almost at once and take long. So its samples wait, and
 * always as many of them as there is room for: the result must not depend on who was faster.
 */
static bool must_wait(const struct table *t, const struct queued *s)
{
	return !t->feed->queue->no_wait && s->at.dso && symbol_load_ahead(t->keys.res, s->at.dso);
}

static int take_waiting(struct table *t)
{
	struct queue *q = t->feed->queue;
	struct misses m;
	size_t i = 0;
	int ret = 0;

	q->no_wait = true;
	while (!ret && i < q->waiting.n) {
		for (m.n = 0; m.n < QUEUE_LEN && i < q->waiting.n; i++)
			add_miss(&m, &q->waiting.v[i]);
		ret = take_misses(t, &m);
	}
	vec_free(&q->waiting);
	return ret;
}

static int add_waiting(struct table *t, const struct queued *s)
{
	struct queue *q = t->feed->queue;

	if (vec_push(&q->waiting, *s))
		return -ENOMEM;
	return q->waiting.n < WAITING_MAX ? 0 : take_waiting(t);
}

/* ---- the queue ------------------------------------------------------------------------------- */

static bool is_recent(const struct recent *r, const struct queued *s)
{
	return r->key == s->key && r->where == s->where && r->group == s->group && r->row;
}

static int flush(struct table *t)
{
	struct queue *q = t->feed->queue;
	uint32_t row[QUEUE_LEN];
	uint64_t period[QUEUE_LEN];
	unsigned nr_hit = 0;
	struct misses m;
	int ret = 0;

	m.n = 0;
	for (unsigned i = 0; i < q->n && !ret; i++) {
		struct queued *s = &q->v[i];
		const struct recent *r = recent_at(q, s->hash);

		if (is_recent(r, s)) {
			__builtin_prefetch(&t->rows.v[r->row - 1], 1);
			period[nr_hit] = s->period;
			row[nr_hit++] = r->row - 1;
			if (t->sums.n)
				ret = add_sums(t, r->row - 1, s);
		} else if (unlikely(must_wait(t, s))) {
			ret = add_waiting(t, s);
		} else {
			add_miss(&m, s);
		}
	}
	for (unsigned i = 0; i < nr_hit; i++)
		table_row_count(&t->rows.v[row[i]], period[i], 1);
	q->n = 0;
	return ret ? ret : take_misses(t, &m);
}

/* Rows are counted many at a time, though their samples did not wait. */
static void count_rows(struct table *t)
{
	struct queue *q = t->feed->queue;

	for (unsigned i = 0; i < q->n; i++)
		table_row_count(&t->rows.v[q->v[i].place], q->v[i].period, 1);
	q->n = 0;
}

int table_queue_finish(struct table *t)
{
	struct queue *q = t->feed->queue;
	int ret;

	if (!q)
		return 0;
	if (q->at_once) {
		count_rows(t);
		return 0;
	}
	ret = flush(t);
	return ret ? ret : take_waiting(t);
}

static int note_recent(struct queue *q, const struct queued *s, uint32_t row, uint32_t loc)
{
	*recent_at(q, s->hash) = (struct recent){ s->key, s->where, s->group, row + 1, loc + 1 };
	q->filled++;
	return grow_recent(q);
}

/* A sample that must not wait. */
static int add_at_once(struct table *t, struct queued *to, const struct sample *s)
{
	struct queue *q = t->feed->queue;
	const struct recent *r = recent_at(q, to->hash);
	struct acc_in in = table_acc_in(t, s, to->th);
	uint32_t loc, place;

	q->from_ip = to->ip - to->key;
	q->where = to->where;
	q->group = to->group;
	if (likely(is_recent(r, to))) {
		in.loc = r->loc;
		to->place = r->row - 1;
	} else {
		struct keys_row *row;

		t->feed->keys.at_thread = to->th;
		loc = resolver_find(t->keys.res, to->th, s->cpumode, to->ip);
		place = loc == LOC_NONE ? ID_NONE : table_place_of_loc(t, loc, to->ip, false);
		row = place == ID_NONE
			      ? NULL
			      : table_row_own(t, to->group, place, to->th->idx, s->cpumode, 0);
		if (!row || note_recent(q, to, row->idx, loc))
			return -ENOMEM;
		in.loc = loc + 1;
		to->place = row->idx;
	}
	__builtin_prefetch(&t->rows.v[to->place], 1);
	if (++q->n == QUEUE_LEN)
		count_rows(t);
	return table_sums_add_now(&t->sums, to->place, &in);
}

bool table_expects(const struct table *t)
{
	return t->feed && t->feed->queue && t->feed->queue->at_once;
}

bool table_has_places(const struct table *t)
{
	return t->nr_place;
}

/*
 * Memory comes step by step: where its row is remembered is asked for now, what the row has of it when it is SUMS_AHEAD samples
 * away, and what that leads to when it is the next.
 */
#define SUMS_AHEAD 4

void table_expect(struct table *t, uint64_t ip)
{
	struct queue *q = table_expects(t) ? t->feed->queue : NULL;
	const struct recent *next, *later;

	if (unlikely(!q))
		return;
	next = q->expected[0];
	later = q->expected[SUMS_AHEAD - 1];
	if (likely(next && next->row))
		table_sums_soon(&t->sums, next->row - 1);
	if (likely(later && later->row))
		table_sums_expect(&t->sums, later->row - 1, later->loc - 1);
	for (unsigned i = 1; i < TABLE_EXPECT; i++)
		q->expected[i - 1] = q->expected[i];
	next = recent_at(q, recent_hash(ip - q->from_ip, q->where, q->group));
	q->expected[TABLE_EXPECT - 1] = next;
	__builtin_prefetch(next);
}

int table_queue_add(struct table *t, const struct sample *s, struct thread *th)
{
	struct queue *q = t->feed->queue;
	struct queued *to = &q->v[q->n];
	struct map_hit hit;

	to->group = table_group_of(t, s, th);
	if (to->group == ID_NONE)
		return -ENOMEM;
	/* The map may be another one by the time this is looked at; the object stays. */
	to->at = (struct code_at){ NULL, s->ip, s->cpumode };
	if (likely(machine_find_map(t->keys.m, th, s->cpumode, s->ip, &hit)))
		to->at = (struct code_at){ hit.map->dso, hit.addr, hit.cpumode };
	to->ip = s->ip;
	to->period = s->period;
	to->parallelism = t->feed->keys.parallelism;
	to->th = th;
	to->key = t->ip_is_key ? s->ip : to->at.addr;
	to->where = (to->at.dso ? to->at.dso->idx + 1 : 0) << 3 | to->at.cpumode;
	to->hash = recent_hash(to->key, to->where, to->group);
	if (q->at_once)
		return add_at_once(t, to, s);
	__builtin_prefetch(recent_at(q, to->hash), 1);
	return ++q->n == QUEUE_LEN ? flush(t) : 0;
}
