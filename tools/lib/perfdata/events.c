// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The events of a file: attrs, ids and names, and from each sample_type the places where a
 * record keeps its id and its time.
 */
#include <stdlib.h>

#include "perfdata-int.h"

/* Offsets count the record's header too; those of other records, from their end. */
static void event_places(struct pd_event *ev)
{
	uint64_t t = ev->pub.attr.sample_type;
	uint64_t id = t & PERF_SAMPLE_IDENTIFIER ? PERF_SAMPLE_IDENTIFIER : t & PERF_SAMPLE_ID;
	unsigned trailer = attr_trailer_offset(t, 0);

	ev->id_all = attr_flag(&ev->pub.attr, ATTR_FLAG_SAMPLE_ID_ALL);
	if (t & PERF_SAMPLE_TIME) {
		ev->sample_time = 8 + attr_head_offset(t, PERF_SAMPLE_TIME);
		ev->other_time = trailer - attr_trailer_offset(t, PERF_SAMPLE_TIME);
	}
	if (t & PERF_SAMPLE_TID)
		ev->sample_tid = 8 + attr_head_offset(t, PERF_SAMPLE_TID);
	if (id) {
		ev->sample_id = 8 + attr_head_offset(t, id);
		ev->other_id = trailer - attr_trailer_offset(t, id);
	}
}

/*
 * More than any recorder has, whose kernel knows some thousands and opens each on each CPU: what is done for each event and looks
 * at all others takes seconds at most.
 */
#define EVENTS_MAX 65536u
/* All tracepoints of a kernel, 3,000, named 15 times each by records of their own. */
#define VISITS_MAX (1u << 27)

struct pd_event *perfdata_add_event(struct perfdata *pd, const struct perf_event_attr *attr,
				    struct err *e)
{
	struct pd_event *ev;
	char name[256];

	if (pd->events.n >= EVENTS_MAX) {
		err_set(e, -E2BIG, "no more than %u events can be read", EVENTS_MAX);
		return NULL;
	}
	ev = arena_alloc(&pd->arena, sizeof(*ev));
	if (!ev || vec_push(&pd->events, ev)) {
		err_set(e, -ENOMEM, "out of memory for events");
		return NULL;
	}
	attr_name(attr, name, sizeof(name));
	ev->pub.attr = *attr;
	ev->pub.idx = (uint32_t)(pd->events.n - 1);
	ev->pub.leader = ev->pub.joined = ev->pub.idx;
	ev->pub.nr_members = 1;
	ev->pub.branch_counters = attr->branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS;
	ev->pub.scale = 1.0;
	ev->pub.name = arena_strdup(&pd->arena, name);
	event_places(ev);
	if (!ev->pub.name) {
		err_set(e, -ENOMEM, "out of memory for events");
		return NULL;
	}
	return ev;
}

int perfdata_set_event_ids(struct perfdata *pd, struct pd_event *ev, const void *data, size_t nr,
			   struct err *e)
{
	uint64_t *ids = arena_alloc(&pd->arena, nr * 8);

	if (!ids || vec_reserve(&pd->ids, pd->ids.n + nr))
		return err_set(e, -ENOMEM, "out of memory for %zu event ids", nr);
	for (size_t i = 0; i < nr; i++) {
		struct id_entry entry = { .event = ev->pub.idx };

		entry.id = ids[i] = load_u64((const char *)data + i * 8, pd->swap);
		/* An id that is there already stays with its first event. */
		if (!perfdata_find_event(pd, entry.id) &&
		    htab_add(&pd->id_tab, hash_u64(entry.id), (uint32_t)pd->ids.n))
			return err_set(e, -ENOMEM, "out of memory for %zu event ids", nr);
		pd->ids.v[pd->ids.n++] = entry;
	}
	ev->pub.ids = ids;
	ev->pub.nr_ids = nr;
	memset(pd->recent, 0, sizeof(pd->recent));
	return 0;
}

int perfdata_set_event_name(struct perfdata *pd, struct pd_event *ev, const char *name, size_t n)
{
	char *copy = arena_strndup(&pd->arena, name, strnlen(name, n));

	if (!copy)
		return -ENOMEM;
	ev->pub.name = copy;
	ev->named = true;
	return 0;
}

static struct pd_event *event_of_id(const struct perfdata *pd, uint64_t id)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&pd->id_tab, hash_u64(id));
	     htab_next(&pd->id_tab, &it, &i);)
		if (pd->ids.v[i].id == id)
			return pd->events.v[pd->ids.v[i].event];
	return NULL;
}

struct pd_event *perfdata_find_event(struct perfdata *pd, uint64_t id)
{
	struct recent_id *recent = &pd->recent[id % RECENT_IDS];
	struct pd_event *ev;

	if (likely(recent->event && recent->id == id))
		return recent->event;
	ev = event_of_id(pd, id);
	if (ev)
		*recent = (struct recent_id){ id, ev };
	return ev;
}

void perfdata_resolve_any(struct perfdata *pd, const struct raw_record *r, struct record *rec)
{
	bool sample = r->type == PERF_RECORD_SAMPLE;
	struct pd_event *ev;
	uint32_t at;

	rec->time = RECORD_NO_TIME;
	rec->event = NULL;
	if (unlikely(!own_events(pd)))
		return;
	ev = pd->events.v[0];
	rec->event = &ev->pub;
	if (!sample && (r->type >= PERF_RECORD_USER_TYPE_START || !ev->id_all))
		return;
	if (own_events(pd) > 1) {
		at = sample ? ev->sample_id : r->size - ev->other_id;
		if (ev->sample_id && at >= 8 && at <= r->size - 8) {
			uint64_t id = load_u64(r->data + at, pd->swap);

			if (id)
				ev = perfdata_find_event(pd, id);
			rec->event = ev ? &ev->pub : NULL;
			if (!ev)
				ev = pd->events.v[0];
		}
	}
	if (!ev->sample_time)
		return;
	at = sample ? ev->sample_time : r->size - ev->other_time;
	if (likely(at >= 8 && at <= r->size - 8))
		rec->time = load_u64(r->data + at, pd->swap);
}

/* ---- records that describe events (pipe mode) --------------------------------------------------- */

static int apply_attr(struct perfdata *pd, const struct raw_record *r, struct err *e)
{
	struct perf_event_attr attr;
	struct pd_event *ev;
	size_t size = r->size - 8;
	uint32_t own;
	int ret;

	ret = attr_load(&attr, r->data + 8, size, pd->swap, e);
	if (ret)
		return ret;
	own = attr.size;
	ev = perfdata_add_event(pd, &attr, e);
	if (!ev)
		return err_context(e, "event %zu", own_events(pd));
	if (tracing_name_event(pd, ev))
		return err_set(e, -ENOMEM, "out of memory for names of events");
	return perfdata_set_event_ids(pd, ev, r->data + 8 + own, (size - own) / 8, e);
}

static int apply_update(struct perfdata *pd, const struct raw_record *r)
{
	struct cursor c = cursor_init(r->data + 8, r->size - 8, pd->swap);
	uint64_t kind = cursor_u64(&c), id = cursor_u64(&c), bits;
	struct pd_event *ev = c.bad ? NULL : perfdata_find_event(pd, id);
	const char *text;
	double scale;

	if (!ev) {
		log_to(&pd->opts.log, LOG_WARN, RECORD_FMT ": id %lu is unknown, ignored",
		       RECORD_ARG(r->offset, r->type), id);
		return 0;
	}
	switch (kind) {
	case 0:
	case 2:
		text = cursor_str(&c, cursor_left(&c));
		if (!text)
			break;
		if (kind == 2)
			return perfdata_set_event_name(pd, ev, text, strlen(text));
		ev->pub.unit = arena_strdup(&pd->arena, text);
		break;
	case 1:
		bits = cursor_u64(&c);
		memcpy(&scale, &bits, sizeof(scale));
		if (!c.bad)
			ev->pub.scale = scale;
		break;
	default: break; /* its CPUs, which nobody asks for */
	}
	if (c.bad)
		log_to(&pd->opts.log, LOG_WARN, RECORD_FMT ": cut, ignored",
		       RECORD_ARG(r->offset, r->type));
	return 0;
}

/* For records that have all events looked at: there can be many of these, or of events, and not of both. */
static int may_visit(struct perfdata *pd, struct err *e)
{
	pd->visits += own_events(pd);
	if (pd->visits <= VISITS_MAX)
		return 0;
	return err_set(e, -E2BIG, "%zu events are described too often: no recorder does that",
		       own_events(pd));
}

/* Old perfs named tracepoints by { u64 id, char name[64] }. */
static int apply_event_type(struct perfdata *pd, const struct raw_record *r)
{
	struct cursor c = cursor_init(r->data + 8, r->size - 8, pd->swap);
	uint64_t id = cursor_u64(&c);
	const char *name = cursor_str(&c, min_u64(cursor_left(&c), 64)), *copy = NULL;

	for (size_t i = 0; name && i < pd->events.n; i++) {
		struct pd_event *ev = pd->events.v[i];

		if (ev->pub.attr.type != PERF_TYPE_TRACEPOINT || ev->pub.attr.config != id ||
		    (ev->named && !strcmp(ev->pub.name, name)))
			continue;
		/* One for all events of that number, which may be as many as there are records. */
		copy = copy ?: arena_strdup(&pd->arena, name);
		if (!copy)
			return -ENOMEM;
		ev->pub.name = copy;
		ev->named = true;
	}
	return 0;
}

int perfdata_apply(struct perfdata *pd, const struct raw_record *r, const struct obuf *payload,
		   struct err *e)
{
	int ret = 0;

	switch (r->type) {
	case PERF_RECORD_HEADER_ATTR: ret = apply_attr(pd, r, e); break;
	case PERF_RECORD_HEADER_EVENT_TYPE:
		ret = may_visit(pd, e) ?: apply_event_type(pd, r);
		break;
	case PERF_RECORD_EVENT_UPDATE: ret = apply_update(pd, r); break;
	case PERF_RECORD_HEADER_TRACING_DATA:
		ret = may_visit(pd, e);
		if (!ret && payload->len > r->size)
			ret = features_add(
				pd, FEAT_TRACING_DATA, payload->buf + r->size,
				min_u64(payload->len - r->size, load_u32(r->data + 8, pd->swap)),
				e);
		if (!ret && tracing_name_events(pd))
			ret = err_set(e, -ENOMEM, "out of memory for names of events");
		break;
	case PERF_RECORD_HEADER_BUILD_ID: ret = features_add_build_id(pd, r->data, r->size); break;
	case PERF_RECORD_HEADER_FEATURE:
		ret = may_visit(pd, e);
		if (!ret && r->size >= 16)
			ret = features_add(pd, load_u64(r->data + 8, pd->swap), r->data + 16,
					   r->size - 16, e);
		break;
	default: break;
	}
	if (ret)
		err_context(e, RECORD_FMT, RECORD_ARG(r->offset, r->type));
	return ret;
}

/* ---- public ------------------------------------------------------------------------------------ */

size_t perfdata_nr_events(const struct perfdata *pd)
{
	return pd->events.n;
}

uint64_t perfdata_sample_types(const struct perfdata *pd)
{
	uint64_t all = 0;

	vec_for_each (ev, &pd->events)
		all |= (*ev)->pub.attr.sample_type;
	return all;
}

bool perfdata_has_mxcsr(const struct perfdata *pd)
{
	vec_for_each (ev, &pd->events)
		if ((*ev)->pub.raw_mxcsr)
			return true;
	return false;
}

const struct perfdata_event *perfdata_event(const struct perfdata *pd, size_t idx)
{
	return idx < pd->events.n ? &pd->events.v[idx]->pub : NULL;
}

const struct perfdata_event *perfdata_event_by_id(const struct perfdata *pd, uint64_t id)
{
	const struct pd_event *ev = event_of_id(pd, id);

	return ev ? &ev->pub : NULL;
}

bool perfdata_uses_clock(const struct perfdata *pd, int clockid)
{
	const struct perfdata_event *ev = perfdata_event(pd, 0);

	return ev && attr_flag(&ev->attr, ATTR_FLAG_USE_CLOCKID) && ev->attr.clockid == clockid;
}
