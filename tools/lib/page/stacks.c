// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples as a tree of calls and sums of rows. The tree is one for all events and threads: a node is
 * (its parent, frame), made after its parent, and a frame is a function, or the object where there is
 * none: addresses without names would make a page of millions of frames that say nothing. Stacks that
 * follow each other begin alike, so that a look-up begins where they part.
 *
 * Time is in slices that become longer when there are too many, so that rows do not grow with the
 * length of the recording.
 */
#include "page-int.h"
#include "unwind/unwind.h"

/* ---- the tree ------------------------------------------------------------------------------------ */

uint32_t page_node_of(struct page *p, uint32_t parent, uint32_t frame)
{
	const struct page_node new = { parent, frame, NONE };
	uint64_t hash;
	uint32_t i;

	/* What was called last is called again: one look at memory instead of two. */
	if (parent != NONE) {
		i = p->nodes.v[parent].child;
		if (i != NONE && p->nodes.v[i].frame == frame)
			return i;
	}
	hash = hash_u64((uint64_t)parent << 32 | frame);
	for (struct htab_it it = htab_find(&p->node_tab, hash); htab_next(&p->node_tab, &it, &i);)
		if (p->nodes.v[i].parent == parent && p->nodes.v[i].frame == frame) {
			if (parent != NONE)
				p->nodes.v[parent].child = i;
			return i;
		}
	i = (uint32_t)p->nodes.n;
	if (vec_push(&p->nodes, new) || htab_add(&p->node_tab, hash, i))
		return NONE;
	if (parent != NONE)
		p->nodes.v[parent].child = i;
	return i;
}

/* The node of a stack, @n frames, innermost first. */
static uint32_t node_of_stack(struct page *p, const struct frame *f, size_t n)
{
	uint32_t at = NONE;
	bool same = true;

	if (vec_reserve(&p->path, n) || vec_reserve(&p->path_frames, n))
		return NONE;
	for (size_t i = 0; i < n; i++) {
		const struct frame *in = &f[n - 1 - i];
		uint32_t frame = page_frame_of(p, in->loc, in->sym, in->inlined, in->cpumode);

		if (frame == NONE)
			return NONE;
		same = same && i < p->path.n && p->path_frames.v[i] == frame;
		if (same) {
			at = p->path.v[i];
			continue;
		}
		at = page_node_of(p, at, frame);
		if (at == NONE)
			return NONE;
		p->path.v[i] = at;
		p->path_frames.v[i] = frame;
	}
	p->path.n = p->path_frames.n = n;
	return at;
}

/* ---- who ----------------------------------------------------------------------------------------- */

uint32_t page_thread_of(struct page *p, const struct thread *th)
{
	uint64_t hash = hash_mix((uint64_t)th->idx << 32 | th->comm, p->at->nr);
	struct page_thread new = {
		.thread = th->idx,
		.comm = th->comm,
		.side = p->at->nr,
		.pid = th->pid,
		.tid = th->tid,
	};
	uint32_t i;

	for (struct htab_it it = htab_find(&p->thread_tab, hash);
	     htab_next(&p->thread_tab, &it, &i);) {
		const struct page_thread *t = &p->threads.v[i];

		if (t->thread == th->idx && t->comm == th->comm && t->side == p->at->nr)
			return i;
	}
	new.name = intern(&p->strings, machine_comm(p->at->env->machine, th->comm));
	i = (uint32_t)p->threads.n;
	return new.name == INTERN_NONE || vec_push(&p->threads, new) ||
			       htab_add(&p->thread_tab, hash, i)
		       ? NONE
		       : i;
}

uint32_t page_group_of(struct page *p, const struct page_group *g)
{
	uint64_t hash =
		hash_mix((uint64_t)g->event << 32 | g->thread, (uint64_t)g->side << 32 | g->cpu);
	uint32_t i;

	for (struct htab_it it = htab_find(&p->group_tab, hash); htab_next(&p->group_tab, &it, &i);)
		if (!memcmp(&p->groups.v[i], g, sizeof(*g)))
			return i;
	i = (uint32_t)p->groups.n;
	return vec_push(&p->groups, *g) || htab_add(&p->group_tab, hash, i) ? NONE : i;
}

/* ---- when ---------------------------------------------------------------------------------------- */

static int index_rows(struct page *p)
{
	size_t n = p->rows.n;
	int ret = 0;

	htab_free(&p->row_tab);
	p->rows.n = 0;
	/* A row is read before the place that it may be moved to is written: never behind its own. */
	for (size_t i = 0; !ret && i < n; i++) {
		const struct page_row row = p->rows.v[i];

		ret = page_count(p, &row);
	}
	return ret;
}

int page_mark(struct page *p, const struct page_mark *m)
{
	uint64_t hash = hash_mix((uint64_t)m->thread << 32 | m->slice, m->kind);
	uint32_t i;

	for (struct htab_it it = htab_find(&p->mark_tab, hash); htab_next(&p->mark_tab, &it, &i);) {
		struct page_mark *have = &p->marks.v[i];

		if (have->kind == m->kind && have->thread == m->thread && have->slice == m->slice) {
			have->nr += m->nr;
			return 0;
		}
	}
	i = (uint32_t)p->marks.n;
	return vec_push(&p->marks, *m) ?: htab_add(&p->mark_tab, hash, i);
}

int page_coarsen(struct page *p)
{
	size_t n = p->marks.n;
	int ret = 0;

	p->shift++;
	p->nr_slices = (p->nr_slices + 1) / 2;
	vec_for_each (r, &p->rows)
		if (r->slice != NONE)
			r->slice >>= 1;
	htab_free(&p->mark_tab);
	p->marks.n = 0;
	for (size_t i = 0; !ret && i < n; i++) {
		struct page_mark m = p->marks.v[i];

		if (m.slice != NONE)
			m.slice >>= 1;
		ret = page_mark(p, &m);
	}
	ret = ret ?: page_log_follow(&p->edges) ?: page_log_follow(&p->ranges);
	ret = ret ?: page_log_follow(&p->paths) ?: page_log_follow(&p->places);
	return ret ?: page_log_follow(&p->vectors) ?: index_rows(p);
}

void page_start_time(struct page *p, uint64_t time)
{
	const struct perfdata_env *env = perfdata_env(p->at->env->pd);
	uint64_t last = env->last_time > time ? env->last_time : time;

	p->at->has_time = true;
	p->at->origin = time;
	if (!p->shift)
		p->shift = 17; /* 131 us */
	while (!p->at->nr && (last - time) >> p->shift >= PAGE_SLICES)
		p->shift++;
}

/* NONE in *slice: no time. */
static int slice_of(struct page *p, uint64_t time, uint32_t *slice)
{
	*slice = NONE;
	if (time == RECORD_NO_TIME)
		return 0;
	if (!p->at->has_time)
		page_start_time(p, time);
	if (time < p->at->origin)
		time = p->at->origin;
	while ((time - p->at->origin) >> p->shift >= PAGE_SLICES)
		if (page_coarsen(p))
			return -ENOMEM;
	*slice = (uint32_t)((time - p->at->origin) >> p->shift);
	if (*slice >= p->nr_slices)
		p->nr_slices = *slice + 1;
	return 0;
}

int page_add_mark(struct page *p, enum page_mark_kind kind, uint32_t thread, uint64_t time,
		  uint64_t nr)
{
	struct page_mark m = { .kind = kind, .thread = thread, .nr = nr };

	return slice_of(p, time, &m.slice) ?: page_mark(p, &m);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

int page_count(struct page *p, const struct page_row *row)
{
	uint64_t hash = hash_mix((uint64_t)row->node << 32 | row->group, row->slice);
	uint32_t i;

	for (struct htab_it it = htab_find(&p->row_tab, hash); htab_next(&p->row_tab, &it, &i);) {
		struct page_row *have = &p->rows.v[i];

		if (have->node == row->node && have->group == row->group &&
		    have->slice == row->slice) {
			have->count += row->count;
			have->period += row->period;
			return 0;
		}
	}
	i = (uint32_t)p->rows.n;
	return vec_push(&p->rows, *row) ?: htab_add(&p->row_tab, hash, i);
}

/* Where the sample itself was: how many of an object's have no name. */
static int count_object(struct page *p, uint32_t loc, const struct symbol *sym)
{
	const struct dso *dso = resolver_loc(p->at->env->resolver, loc)->dso;
	uint32_t object = dso ? page_object_of(p, dso) : NONE;

	if (!dso || p->at->nr)
		return 0;
	if (object == NONE)
		return -ENOMEM;
	p->objects.v[object].samples++;
	p->objects.v[object].unnamed += !sym;
	return 0;
}

int page_add_sample(struct page *p, const struct sample *s, struct thread *th)
{
	struct page_group g = {
		.event = s->event->idx,
		.side = p->at->nr,
		.cpu = s->present & PERF_SAMPLE_CPU ? s->cpu : NONE,
	};
	struct page_row row = { .count = 1, .period = s->period };
	const struct frame *frames = NULL;
	struct frame alone;
	ssize_t n;

	if (g.side) {
		g.event = g.event < p->at->event.n ? p->at->event.v[g.event] : NONE;
		p->at->apart += g.event == NONE;
		if (g.event == NONE)
			return 0;
	}
	g.thread = page_thread_of(p, th);
	n = unwind_chain(p->at->env->unwind, th, s, &frames);
	if (!n) {
		alone = (struct frame){ .ip = s->ip, .cpumode = s->cpumode };
		alone.loc = resolver_find(p->at->env->resolver, th, s->cpumode, s->ip);
		if (alone.loc == LOC_NONE)
			return -ENOMEM;
		alone.sym = resolver_loc(p->at->env->resolver, alone.loc)->sym;
		frames = &alone;
		n = 1;
	}
	if (n < 0 || g.thread == NONE || count_object(p, frames->loc, frames->sym))
		return -ENOMEM;
	row.node = node_of_stack(p, frames, (size_t)n);
	row.group = page_group_of(p, &g);
	if (row.node == NONE || row.group == NONE ||
	    slice_of(p, s->present & PERF_SAMPLE_TIME ? s->time : RECORD_NO_TIME, &row.slice))
		return -ENOMEM;
	p->now.group = row.group;
	p->now.slice = row.slice;
	return page_count(p, &row);
}
