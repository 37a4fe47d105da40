// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames that wait, to steps: many together. Each look-up would wait for memory, and those of one
 * chain wait for each other; side by side the waiting of all is the waiting of one.
 */
#include "table-int.h"

/* Numbers of all locations, and the memory that their steps are in. */
static int find_locs(struct table *t, struct chain_queue *q)
{
	if (vec_reserve(&q->loc, q->at.n))
		return -ENOMEM;
	resolver_find_at(t->keys.res, q->at.v, q->loc.v, q->at.n);
	for (size_t i = 0; i < q->at.n; i++) {
		if (q->loc.v[i] == LOC_NONE)
			return -ENOMEM;
		if (q->loc.v[i] < t->feed->locs.n)
			__builtin_prefetch(&t->feed->locs.v[q->loc.v[i]]);
	}
	vec_for_each (f, &q->frame)
		if (f->at == ID_NONE)
			keys_bare_prefetch(&t->keys, t->keys.unknown, f->ip);
	vec_for_each (f, &q->frame)
		if (f->at == ID_NONE)
			keys_bare_prefetch_next(&t->keys, t->keys.unknown, f->ip);
	return 0;
}

static uint32_t own_place(struct table *t, const struct chain_frames *from)
{
	const struct chain_queue *q = t->feed->chain;
	const struct chain_frame *f = &q->frame.v[from->own];

	t->feed->keys.at_thread = from->th;
	return f->at == ID_NONE ? table_place_unmapped(t, f->ip, f->mode)
				: table_place_of_loc(t, q->loc.v[f->at], f->ip, false);
}

/* The steps of one frame behind those of the batch. */
static int add_steps(struct table *t, const struct chain_frame *f)
{
	struct chain_queue *q = t->feed->chain;
	struct chain_batch *b = &q->batch;
	const uint32_t *steps;
	uint32_t one, nr = 1;

	if (f->at == ID_NONE) {
		if (t->keys.o.filter.hide_unresolved)
			return 0;
		one = table_step_unmapped(t, f->ip, f->mode);
		steps = &one;
		if (one == ID_NONE)
			return -ENOMEM;
	} else {
		uint32_t loc = q->loc.v[f->at];

		if (t->keys.o.filter.hide_unresolved && !resolver_loc(t->keys.res, loc)->sym)
			return 0;
		if (table_steps_of(t, loc, f->ip, &steps, &nr))
			return -ENOMEM;
	}
	if (vec_reserve(&b->step, b->step.n + nr))
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		b->step.v[b->step.n++] = steps[i];
	return 0;
}

static int find_steps(struct table *t, const struct chain_frames *from, struct chain_job *job)
{
	struct chain_queue *q = t->feed->chain;
	struct chain_memo *m = &q->memo[job->memo];

	job->keep = from->keep ? m->steps[from->keep - 1] : 0;
	job->step = (uint32_t)q->batch.step.n;
	for (uint32_t i = 0; i < from->frames; i++) {
		if (add_steps(t, &q->frame.v[from->frame + i]))
			return -ENOMEM;
		if (from->keep + i < MEMO_FRAMES)
			m->steps[from->keep + i] =
				job->keep + (uint32_t)q->batch.step.n - job->step;
	}
	job->steps = (uint32_t)q->batch.step.n - job->step;
	return 0;
}

int table_chain_flush(struct table *t)
{
	struct chain_queue *q = t->feed->chain;
	struct chain_batch *b;
	int ret;

	if (!q || !q->batch.n)
		return 0;
	b = &q->batch;
	ret = find_locs(t, q);
	for (unsigned i = 0; !ret && i < b->n; i++) {
		if (b->job[i].place == ID_NONE)
			b->job[i].place = own_place(t, &q->from[i]);
		if (b->job[i].place == ID_NONE)
			ret = -ENOMEM;
		else if (!q->from[i].unwound)
			ret = find_steps(t, &q->from[i], &b->job[i]);
	}
	if (!ret)
		ret = table_trie_take(t, b);
	b->n = 0;
	b->step.n = q->frame.n = q->at.n = 0;
	return ret;
}
