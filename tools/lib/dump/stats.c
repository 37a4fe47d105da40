// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts of records by type, of all and of each event; and the sums of counters in READ records:
 * the last value of each counter counts, of each thread's when threads inherit the event.
 */
#include <stdlib.h>

#include "dump/dump.h"
#include "emit/emit.h"
#include "sample/sample.h"

/* The last value of each counter; of each thread's, when threads inherit the event. */
struct counter {
	uint64_t id, last;
	uint32_t tid;
};

struct dump_reads {
	VEC(struct counter) counters;
	struct htab index;
};

void dump_stats_free(struct dump_stats *s)
{
	vec_free(&s->events);
	if (s->reads) {
		vec_free(&s->reads->counters);
		htab_free(&s->reads->index);
		free(s->reads);
	}
	s->reads = NULL;
}

/* The event's numbers; NULL = no memory, and it is not counted. */
static struct dump_event_stats *of_event(struct dump_stats *s, const struct perfdata_event *ev)
{
	size_t nr = ev->idx + (size_t)1;

	if (unlikely(nr > s->events.n)) {
		if (vec_reserve(&s->events, nr))
			return NULL;
		memset(s->events.v + s->events.n, 0, (nr - s->events.n) * sizeof(*s->events.v));
		s->events.n = nr;
	}
	return &s->events.v[ev->idx];
}

static void count_event(struct dump_stats *s, const struct perfdata_event *ev, uint32_t type)
{
	struct dump_event_stats *own = of_event(s, ev);

	if (own)
		own->nr[type]++;
}

/* Of an event it is the samples that count, not the records that tell of them. */
static void count_lost(struct dump_stats *s, const struct record *rec)
{
	struct dump_event_stats *own = of_event(s, rec->event);
	struct record_lost l;

	if (own && !record_lost(rec, &l, NULL))
		*(l.by_filter ? &own->filtered : &own->nr[rec->type]) += l.lost;
}

static struct counter *counter_of(struct dump_reads *r, uint64_t id, uint32_t tid)
{
	uint64_t hash = hash_mix(hash_u64(id), tid);
	struct counter fresh = { .id = id, .tid = tid };
	uint32_t i;

	for (struct htab_it it = htab_find(&r->index, hash); htab_next(&r->index, &it, &i);) {
		if (i < r->counters.n && r->counters.v[i].id == id && r->counters.v[i].tid == tid)
			return &r->counters.v[i];
	}
	i = (uint32_t)r->counters.n;
	if (vec_push(&r->counters, fresh) || htab_add(&r->index, hash, i))
		return NULL;
	return &r->counters.v[i];
}

static void count_read(struct dump_stats *s, const struct record *rec)
{
	bool inherit = attr_flag(&rec->event->attr, ATTR_FLAG_INHERIT);
	struct sample_value v;
	struct sample sample;

	if (!s->reads)
		s->reads = calloc(1, sizeof(*s->reads));
	if (!s->reads || sample_parse_some(rec, PERF_SAMPLE_READ, &sample, NULL))
		return;
	for (uint64_t i = 0; i < sample.read.nr; i++) {
		const struct perfdata_event *ev;
		struct counter *c;

		sample_read_value(&sample.read, i, &v);
		c = counter_of(s->reads, v.id, inherit ? sample.tid : 0);
		if (!c)
			return;
		ev = sample.read.has_id && s->pd ? perfdata_event_by_id(s->pd, v.id) : rec->event;
		if (ev && v.value != c->last)
			count_event(s, ev, PERF_RECORD_SAMPLE);
		c->last = v.value;
	}
}

void dump_stats_other(struct dump_stats *s, const struct record *rec)
{
	if (rec->type == PERF_RECORD_HEADER_EVENT_TYPE)
		return; /* meant something before 2012; nobody counts it */
	if (rec->type >= DUMP_STATS_TYPES) {
		s->unknown++;
		return;
	}
	s->nr[rec->type]++;
	if (!rec->event)
		return;
	if (rec->type == PERF_RECORD_LOST_SAMPLES)
		count_lost(s, rec);
	else if (rec->type != PERF_RECORD_SAMPLE)
		return;
	else if (rec->event->attr.sample_type & PERF_SAMPLE_READ)
		count_read(s, rec);
	else
		count_event(s, rec->event, rec->type);
}

void dump_stats_join(struct dump_stats *to, const struct dump_stats *from)
{
	static const struct dump_event_stats none;

	for (uint32_t i = 0; i < DUMP_STATS_TYPES; i++)
		to->nr[i] += from->nr[i];
	to->unknown += from->unknown;
	for (size_t i = 0; i < from->events.n; i++) {
		if (vec_reach(&to->events, i, none))
			return;
		for (uint32_t t = 0; t < PERF_RECORD_KERNEL_MAX; t++)
			to->events.v[i].nr[t] += from->events.v[i].nr[t];
		to->events.v[i].filtered += from->events.v[i].filtered;
	}
}

static void line(struct obuf *o, const char *name, uint64_t nr, uint64_t total)
{
	obuf_str_right(o, name, 20);
	obuf_lit(o, " events: ");
	obuf_dec_right(o, nr, 10);
	if (total)
		obuf_printf(o, "  (%4.1f%%)", 100.0 * (double)nr / (double)total);
	obuf_char(o, '\n');
}

/* COMPRESSED records never come out of perfdata: what they hold does. */
static uint64_t count_of(const struct dump_stats *s, const struct perfdata_stats *pd, uint32_t type)
{
	if (type == PERF_RECORD_COMPRESSED || type == PERF_RECORD_COMPRESSED2)
		return pd->compressed[type == PERF_RECORD_COMPRESSED2];
	return s->nr[type];
}

static void print_event(const struct dump_event_stats *s, const char *name, struct obuf *o)
{
	bool any = s->filtered != 0;

	for (uint32_t i = 0; i < PERF_RECORD_KERNEL_MAX; i++)
		any |= s->nr[i] != 0;
	if (!any)
		return;
	emit_safe(o, name);
	obuf_lit(o, " stats:\n");
	for (uint32_t i = 0; i < PERF_RECORD_KERNEL_MAX; i++) {
		if (s->nr[i])
			line(o, record_type_name(i), s->nr[i], 0);
	}
	if (s->filtered)
		line(o, "LOST_SAMPLES (BPF)", s->filtered, 0);
}

void dump_print_stats(const struct dump_stats *s, const struct perfdata *pd, struct obuf *o)
{
	struct perfdata_stats file;
	uint64_t total = s->unknown;

	perfdata_stats(pd, &file);
	for (uint32_t i = 0; i < DUMP_STATS_TYPES; i++)
		total += count_of(s, &file, i);
	obuf_lit(o, "\nAggregated stats:");
	if (s->nr[PERF_RECORD_AUXTRACE_INFO])
		obuf_lit(o, " (excludes AUX area (e.g. instruction trace) decoded / "
			    "synthesized events)");
	obuf_char(o, '\n');
	line(o, "TOTAL", total, 0);
	for (uint32_t i = 0; i < DUMP_STATS_TYPES; i++) {
		if (count_of(s, &file, i))
			line(o, record_type_name(i), count_of(s, &file, i), total);
	}
	if (s->unknown)
		line(o, "UNKNOWN", s->unknown, total);
	for (size_t i = 0; i < s->events.n && i < perfdata_nr_events(pd); i++)
		print_event(&s->events.v[i], perfdata_event(pd, i)->name, o);
}
