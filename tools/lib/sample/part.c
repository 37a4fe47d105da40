// SPDX-License-Identifier: GPL-2.0-or-later
/* PERF_SAMPLE_READ: from running totals to what one sample stands for. */
#include <stdlib.h>

#include "sample/sample.h"

static uint64_t *total_of(struct sample_totals *t, uint64_t id, uint32_t tid)
{
	uint64_t hash = hash_mix(hash_u64(id), tid);
	struct sample_total fresh = { .id = id, .tid = tid };
	uint32_t idx;

	for (struct htab_it it = htab_find(&t->tab, hash); htab_next(&t->tab, &it, &idx);)
		if (t->v.v[idx].id == id && t->v.v[idx].tid == tid)
			return &t->v.v[idx].total;
	if (vec_push(&t->v, fresh) || htab_add(&t->tab, hash, (uint32_t)t->v.n - 1))
		return NULL;
	return &t->v.v[t->v.n - 1].total;
}

bool sample_part(struct sample_totals *t, const struct perfdata *pd, const struct sample *s,
		 uint64_t i, struct sample *part)
{
	const struct perfdata_event *event;
	struct sample_value v;
	uint64_t *total;
	bool inherit;

	*part = *s;
	if (!(s->present & PERF_SAMPLE_READ))
		return true;
	sample_read_value(&s->read, i, &v);
	/* Without ids there is one counter: the event's own. */
	event = s->read.has_id ? perfdata_event_by_id(pd, v.id) : s->event;
	if (!event)
		return false;
	inherit = attr_flag(&event->attr, ATTR_FLAG_INHERIT);
	total = total_of(t, s->read.has_id ? v.id : event->idx, inherit ? s->tid : 0);
	if (!total)
		return false;
	part->event = event;
	part->id = s->read.has_id ? v.id : s->id;
	part->period = v.value - *total;
	*total = v.value;
	return part->period != 0;
}

void sample_totals_free(struct sample_totals *t)
{
	vec_free(&t->v);
	htab_free(&t->tab);
}
