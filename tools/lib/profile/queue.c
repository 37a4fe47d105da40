// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples that are told apart by their row alone: to their rows many at a time. */
#include "profile-int.h"

int prof_queue_init(struct profile *p)
{
	const struct profile_opts *o = &p->o;
	struct queue *q;

	if (o->branch || o->use_chains || o->children || o->show_modes || p->filtering ||
	    p->has_parent || o->filter.hide_unresolved || o->filter.exclude_other || p->count_simd)
		return 0;
	q = malloc(sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(q->recent); i++)
		q->recent[i] = (struct recent){ .row = ID_NONE };
	p->queue = q;
	return 0;
}

static bool is_recent(const struct recent *r, const struct queued *s)
{
	return r->ip == s->ip && r->space == s->th->space && r->gen == s->gen &&
	       r->group == s->group && r->mode == s->mode && r->row != ID_NONE;
}

static void count(struct profile_row *row, uint64_t period)
{
	row->period += period;
	row->acc += period;
	row->nr++;
}

/* A place for each of @miss, rows for those that have a new one. */
static int take_misses(struct profile *p, struct queued *const *miss, unsigned n)
{
	struct queue *q = p->queue;

	for (unsigned i = 0; i < n; i++) {
		prof_find_place(p, miss[i]->mode, miss[i]->ip, miss[i]->th, &miss[i]->place);
		if (miss[i]->place == ID_NONE)
			return -ENOMEM;
		prof_row_prefetch(p, miss[i]->group, miss[i]->place);
	}
	for (unsigned i = 0; i < n; i++)
		prof_row_prefetch_next(p, miss[i]->group, miss[i]->place);
	for (unsigned i = 0; i < n; i++) {
		const struct queued *s = miss[i];
		struct profile_row *row = prof_row_of(p, s->group, s->place, 0, 0);

		if (!row)
			return -ENOMEM;
		if (row->thread == ID_NONE) {
			row->thread = s->th->idx;
			row->cpumode = s->mode;
		}
		count(row, s->period);
		q->recent[s->slot] =
			(struct recent){ s->ip, s->th->space, s->gen, s->group, s->mode, row->idx };
	}
	return 0;
}

int profile_flush(struct profile *p)
{
	struct queue *q = p->queue;
	struct queued *miss[QUEUE_LEN];
	uint32_t row[QUEUE_LEN];
	unsigned nr_miss = 0, nr_hit = 0;
	uint64_t period[QUEUE_LEN];

	if (!q || !q->n)
		return 0;
	for (unsigned i = 0; i < q->n; i++) {
		struct queued *s = &q->v[i];
		const struct recent *r = &q->recent[s->slot];

		if (!is_recent(r, s)) {
			miss[nr_miss++] = s;
			continue;
		}
		__builtin_prefetch(&p->rows.v[r->row], 1);
		period[nr_hit] = s->period;
		row[nr_hit++] = r->row;
	}
	for (unsigned i = 0; i < nr_hit; i++)
		count(&p->rows.v[row[i]], period[i]);
	q->n = 0;
	return take_misses(p, miss, nr_miss);
}

int prof_queue_add(struct profile *p, const struct sample *s, struct thread *th)
{
	uint64_t h = (s->ip ^ (uint64_t)th->space << 40 ^ s->cpumode) * 0x9e3779b97f4a7c15ULL;
	struct queue *q = p->queue;
	struct queued *to = &q->v[q->n];

	to->ip = s->ip;
	to->period = s->period;
	to->th = th;
	to->mode = s->cpumode;
	to->gen = machine_generation(p->m, th->space);
	to->slot = (uint32_t)(h >> (64 - RECENT_BITS));
	to->group = prof_group_of(p, s, th);
	if (to->group == ID_NONE)
		return -ENOMEM;
	__builtin_prefetch(&q->recent[to->slot], 1);
	return ++q->n == QUEUE_LEN ? profile_flush(p) : 0;
}
