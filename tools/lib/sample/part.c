// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PERF_SAMPLE_READ: from running totals to what one sample stands for. The kernel writes how much
 * a counter has counted since its start; the difference to the sample before, of the same counter
 * and, where threads inherit it, the same thread, is this sample's part.
 */
#include <stdlib.h>

#include "sample/sample.h"

/* The entry that stands for all threads; as many as there are: none does yet. */
static uint32_t first_of(const struct sample_totals *t, uint64_t id)
{
	uint32_t idx;

	for (struct htab_it it = htab_find(&t->first, hash_u64(id));
	     htab_next(&t->first, &it, &idx);)
		if (idx < t->v.n && t->v.v[idx].id == id)
			return idx;
	return (uint32_t)t->v.n;
}

/* The counter that @v is a value of: of the event, or of the event in this thread. */
static struct sample_total *total_of(struct sample_totals *t, const struct perfdata *pd,
				     const struct sample *s, uint64_t id)
{
	uint64_t hash = hash_mix(hash_u64(id), s->tid);
	struct sample_total fresh = { .id = id, .tid = s->tid };
	uint32_t idx;

	for (struct htab_it it = htab_find(&t->tab, hash); htab_next(&t->tab, &it, &idx);)
		if (t->v.v[idx].id == id && t->v.v[idx].tid == s->tid)
			return &t->v.v[t->v.v[idx].same];
	fresh.event = s->read.has_id ? perfdata_event_by_id(pd, id) : s->event;
	fresh.same = (uint32_t)t->v.n;
	/* Not inherited: one counter for all threads, the first that was seen stands for it. */
	if (fresh.event && !attr_flag(&fresh.event->attr, ATTR_FLAG_INHERIT)) {
		idx = first_of(t, id);
		if (idx < t->v.n)
			fresh.same = idx;
		else if (htab_add(&t->first, hash_u64(id), fresh.same))
			return NULL;
	}
	if (vec_push(&t->v, fresh) || htab_add(&t->tab, hash, (uint32_t)t->v.n - 1))
		return NULL;
	return &t->v.v[fresh.same];
}

bool sample_part(struct sample_totals *t, const struct perfdata *pd, const struct sample *s,
		 uint64_t i, struct sample *part)
{
	struct sample_total *total;
	struct sample_value v;

	*part = *s;
	if (!(s->present & PERF_SAMPLE_READ))
		return true;
	sample_read_value(&s->read, i, &v);
	/* Without ids there is one counter: the event's own. */
	if (!s->read.has_id)
		v.id = s->event->idx;
	total = total_of(t, pd, s, v.id);
	if (!total || !total->event)
		return false;
	part->taker = s->event;
	part->event = total->event;
	if (s->read.has_id)
		part->id = v.id;
	part->period = v.value - total->total;
	total->total = v.value;
	return part->period != 0;
}

void sample_totals_free(struct sample_totals *t)
{
	vec_free(&t->v);
	htab_free(&t->tab);
	htab_free(&t->first);
}
