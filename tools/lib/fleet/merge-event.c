// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of the output: one where two inputs counted the same (attr_counts_same()). Groups are one as a
 * whole or not at all.
 *
 * Ids: kernels number counters from 1 after each boot, so that two inputs have the same id for
 * different counters as a rule. The first that comes keeps it. Where the output has one event, samples
 * need none, and stay as they are; else all samples get PERF_SAMPLE_IDENTIFIER and all other records
 * their trailer, since readers look for the id at one place in the whole file.
 */
#include <stdlib.h>

#include "fleet-int.h"

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* The attr as the output has it. */
static struct perf_event_attr output_attr(const struct merge *m, const struct perfdata_event *ev)
{
	struct perf_event_attr a = ev->attr;

	if (m->told) {
		a.sample_type |= PERF_SAMPLE_IDENTIFIER;
		a.flags |= ATTR_FLAG_SAMPLE_ID_ALL;
	}
	if (m->wall_clock) {
		a.flags |= ATTR_FLAG_USE_CLOCKID;
		a.clockid = 0; /* CLOCK_REALTIME */
	}
	return a;
}

static bool same_event(const struct merge *m, const struct merge_event *to,
		       const struct perfdata_event *from)
{
	const struct perf_event_attr attr = output_attr(m, from);

	return attr_counts_same(&to->attr, &attr) && same_text(to->name, from->name) &&
	       to->raw_bases == from->raw_bases && to->raw_mxcsr == from->raw_mxcsr;
}

/* Events that stand together: a group, or one alone. */
static uint32_t block_of(const struct perfdata *pd, uint32_t first)
{
	const struct perfdata_event *ev = perfdata_event(pd, first);
	uint32_t n = ev->leader == first && ev->nr_members ? ev->nr_members : 1;

	return n <= perfdata_nr_events(pd) - first ? n : 1;
}

static bool same_block(const struct merge *m, uint32_t to, const struct merge_input *in,
		       uint32_t from, uint32_t n)
{
	if (m->events.v[to].leader != to || m->events.v[to].nr_members != n || n > m->events.n - to)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!same_event(m, &m->events.v[to + i], perfdata_event(in->pd, from + i)))
			return false;
	return true;
}

/* Where the block at @from is in the output; two of one input stay two: @taken by event there. */
static uint32_t find_block(const struct merge *m, const struct merge_input *in, uint32_t from,
			   uint32_t n, const unsigned char *taken)
{
	for (uint32_t to = 0; to < m->events.n; to++)
		if (!taken[to] && same_block(m, to, in, from, n))
			return to;
	return (uint32_t)m->events.n;
}

static int add_block(struct merge *m, const struct merge_input *in, uint32_t from, uint32_t n)
{
	uint32_t leader = (uint32_t)m->events.n;

	for (uint32_t i = 0; i < n; i++) {
		const struct perfdata_event *ev = perfdata_event(in->pd, from + i);
		struct merge_event to = {
			.attr = output_attr(m, ev),
			.name = ev->name,
			.group = ev->group,
			.leader = leader,
			.nr_members = i ? 0 : n,
			.raw_bases = ev->raw_bases,
			.raw_mxcsr = ev->raw_mxcsr,
		};

		if (vec_push(&m->events, to))
			return -ENOMEM;
	}
	return 0;
}

/* The events of the block at @from get their places in the output, new ones where it has none. */
static int join_block(struct merge *m, struct merge_input *in, uint32_t from, uint32_t n,
		      unsigned char *taken)
{
	uint32_t to = find_block(m, in, from, n, taken);

	if (to == m->events.n && add_block(m, in, from, n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		m->events.v[to + i].attr.flags |=
			output_attr(m, perfdata_event(in->pd, from + i)).flags & ATTR_FLAGS_BESIDE;
		taken[to + i] = 1;
		if (vec_push(&in->event, to + i))
			return -ENOMEM;
	}
	return 0;
}

static int join_input(struct merge *m, struct merge_input *in)
{
	size_t nr = perfdata_nr_events(in->pd);
	unsigned char *taken = calloc(m->events.n + nr + 1, 1);
	int ret = taken ? 0 : -ENOMEM;
	uint32_t n;

	in->event.n = 0;
	for (uint32_t from = 0; !ret && from < nr; from += n) {
		n = block_of(in->pd, from);
		ret = join_block(m, in, from, n, taken);
	}
	free(taken);
	return ret;
}

static int join_all(struct merge *m)
{
	int ret = 0;

	m->events.n = 0;
	for (size_t i = 0; !ret && i < m->nr; i++)
		ret = join_input(m, &m->in[i]);
	return ret;
}

/* ---- ids ---------------------------------------------------------------------------------------- */

static bool id_used(const struct merge *m, uint64_t id)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&m->id_tab, hash_u64(id));
	     htab_next(&m->id_tab, &it, &i);)
		if (m->ids.v[i] == id)
			return true;
	return false;
}

static int use_id(struct merge *m, struct merge_input *in, struct merge_event *to, uint64_t from)
{
	uint64_t id = from;

	while (!id || id_used(m, id))
		id = ++m->last_id;
	in->new_ids |= id != from;
	if (htab_add(&m->id_tab, hash_u64(id), (uint32_t)m->ids.n) || vec_push(&m->ids, id) ||
	    vec_push(&to->ids, id))
		return -ENOMEM;
	if (htab_add(&in->id_tab, hash_u64(from), (uint32_t)in->ids.n))
		return -ENOMEM;
	return vec_push(&in->ids, ((struct merge_id){ from, id }));
}

uint64_t merge_new_id(const struct merge_input *in, uint64_t id)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&in->id_tab, hash_u64(id));
	     htab_next(&in->id_tab, &it, &i);)
		if (in->ids.v[i].from == id)
			return in->ids.v[i].to;
	return id;
}

/* An id stands for its first event, as readers have it. */
static bool was_seen(const struct merge_input *in, uint64_t id)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&in->id_tab, hash_u64(id));
	     htab_next(&in->id_tab, &it, &i);)
		if (in->ids.v[i].from == id)
			return true;
	return false;
}

static int number_input(struct merge *m, struct merge_input *in)
{
	for (uint32_t i = 0; i < in->event.n; i++) {
		const struct perfdata_event *ev = perfdata_event(in->pd, i);
		struct merge_event *to = &m->events.v[in->event.v[i]];

		for (size_t k = 0; k < ev->nr_ids; k++)
			if (!was_seen(in, ev->ids[k]) && use_id(m, in, to, ev->ids[k]))
				return -ENOMEM;
		/* Every event has one that records can be given. */
		while (m->told && !to->ids.n) {
			uint64_t id = ++m->last_id;

			if (id && !id_used(m, id) &&
			    (htab_add(&m->id_tab, hash_u64(id), (uint32_t)m->ids.n) ||
			     vec_push(&m->ids, id) || vec_push(&to->ids, id)))
				return -ENOMEM;
		}
	}
	return 0;
}

static uint64_t highest_id(const struct merge *m)
{
	uint64_t id = 0;

	for (size_t i = 0; i < m->nr; i++)
		for (size_t k = 0; k < perfdata_nr_events(m->in[i].pd); k++) {
			const struct perfdata_event *ev = perfdata_event(m->in[i].pd, k);

			for (size_t n = 0; n < ev->nr_ids; n++)
				id = max_u64(id, ev->ids[n]);
		}
	return id;
}

/* Whether samples can be told apart as they are: there is nothing to tell. */
static bool is_one_event(const struct merge *m)
{
	for (size_t i = 0; i < m->nr; i++)
		if (m->in[i].event.n > 1)
			return false;
	return m->events.n <= 1;
}

int merge_events(struct merge *m, struct err *e)
{
	int ret = join_all(m);

	if (!ret && !is_one_event(m)) {
		m->told = true;
		ret = join_all(m);
	}
	m->last_id = highest_id(m);
	for (size_t i = 0; !ret && i < m->nr; i++)
		ret = number_input(m, &m->in[i]);
	return ret ? err_set(e, ret, "out of memory for events") : 0;
}

int merge_open_writer(struct merge *m, int fd, struct err *e)
{
	struct perfdata_writer_opts wo = {
		.fd = fd,
		.pipe = m->o->pipe,
		.compress_level = m->o->compress_level,
		.log = m->o->log,
	};
	VEC(struct perfdata_writer_event) ev = { 0 };
	int ret = 0;

	vec_for_each (from, &m->events) {
		struct perfdata_writer_event to = {
			.attr = from->attr,
			.name = from->name,
			.ids = from->ids.v,
			.nr_ids = from->ids.n,
			.leader = from->leader,
			.nr_members = from->nr_members,
			.group = from->group,
		};

		ret = ret ?: vec_push(&ev, to);
	}
	ret = ret ? err_set(e, ret, "out of memory for events")
		  : perfdata_writer_open(&m->w, &wo, ev.v, ev.n, e);
	vec_free(&ev);
	return ret;
}
