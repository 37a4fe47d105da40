// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of the Firefox profiler: a track for each event and process that shows how often it was counted
 * over time. Of clocks the threads' own tracks say that. Samples are added up in steps of the whole time, so
 * that a track has the same size however long was recorded.
 */
#include <stdlib.h>

#include "convert/firefox-int.h"

#define STEPS 500

static int by_process(const void *a, const void *b)
{
	const struct firefox_thread *x = *(const struct firefox_thread *const *)a;
	const struct firefox_thread *y = *(const struct firefox_thread *const *)b;

	if (x->thread->pid != y->thread->pid)
		return x->thread->pid < y->thread->pid ? -1 : 1;
	if (x->event != y->event)
		return x->event->idx < y->event->idx ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool is_counted(const struct perfdata_event *event)
{
	return stacks_unit(event)[0] != 'n' && event->attr.type != PERF_TYPE_TRACEPOINT;
}

static void add_samples(const struct firefox_columns *c, const struct firefox_thread *t,
			uint64_t *steps)
{
	uint64_t step = (c->end - c->origin) / STEPS + 1;

	for (size_t i = t->first; i < t->first + t->samples; i++) {
		const struct firefox_sample *s = c->samples[i];
		uint64_t at = s->time > c->origin ? (s->time - c->origin) / step : 0;

		steps[min_u64(at, STEPS - 1)] += s->period;
	}
}

/* A step without events is told where it is next to one with: between such the line lies at zero. */
static bool is_told(const uint64_t *steps, unsigned i)
{
	return steps[i] || (i && steps[i - 1]) || (i + 1 < STEPS && steps[i + 1]);
}

static void put_samples(const struct firefox_columns *c, const uint64_t *steps, struct obuf *o)
{
	uint64_t step = (c->end - c->origin) / STEPS + 1;
	unsigned n = 0, k = 0;

	for (unsigned i = 0; i < STEPS; i++)
		n += is_told(steps, i);
	obuf_printf(o, ",\"samples\":{\"length\":%u,\"time\":[", n);
	for (unsigned i = 0; i < STEPS; i++) {
		if (!is_told(steps, i))
			continue;
		obuf_str(o, k++ ? "," : "");
		firefox_put_ms(o, step * (i + 1));
	}
	obuf_lit(o, "],\"count\":[");
	k = 0;
	for (unsigned i = 0; i < STEPS; i++) {
		if (!is_told(steps, i))
			continue;
		obuf_str(o, k++ ? "," : "");
		obuf_dec(o, steps[i]);
	}
	obuf_lit(o, "]}}");
}

static void put_counter(const struct firefox_columns *c, const struct firefox_thread *t,
			size_t main_thread, const uint64_t *steps, struct obuf *o)
{
	obuf_lit(o, "{\"name\":");
	emit_json_safe(o, t->event->name);
	obuf_lit(o, ",\"category\":\"perf\",\"description\":");
	emit_json_safe(o, t->event->name);
	obuf_printf(o, ",\"pid\":\"%d\",\"mainThreadIndex\":%zu,\"display\":{", t->thread->pid,
		    main_thread);
	obuf_lit(o, "\"graphType\":\"line-rate\",\"unit\":\"\",\"color\":\"grey\","
		    "\"markerSchemaLocation\":null,\"sortWeight\":50,\"label\":");
	emit_json_safe(o, t->event->name);
	obuf_lit(o, ",\"tooltipRows\":[{\"type\":\"value\",\"source\":\"count\","
		    "\"format\":{\"unit\":\"number\"},\"label\":");
	emit_json_safe(o, t->event->name);
	obuf_lit(o, "}]}");
	put_samples(c, steps, o);
}

/* The thread that began the process, or the first of it that has samples; of @n threads of one process. */
static size_t main_of(const struct firefox_columns *c, const struct firefox_thread *const *v,
		      size_t n)
{
	const struct firefox_thread *best = v[0];

	for (size_t i = 0; i < n; i++) {
		bool is_main = v[i]->thread->tid == v[i]->thread->pid;
		bool was_main = best->thread->tid == best->thread->pid;

		if (is_main > was_main || (is_main == was_main && v[i] < best))
			best = v[i];
	}
	return (size_t)(best - c->threads);
}

int firefox_put_counters(const struct firefox_columns *c, struct obuf *o)
{
	const struct firefox_thread **v = malloc((c->nr + 1) * sizeof(*v));
	size_t told = 0, process = 0, last = 0, main_thread = 0;
	uint64_t steps[STEPS];

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr; i++)
		v[i] = &c->threads[i];
	if (c->nr)
		qsort(v, c->nr, sizeof(*v), by_process);
	obuf_lit(o, ",\"counters\":[");
	for (size_t i = 0, j; i < c->nr; i = j) {
		int32_t pid = v[i]->thread->pid;

		if (i == last) {
			process = i;
			while (last < c->nr && v[last]->thread->pid == pid)
				last++;
			main_thread = main_of(c, &v[process], last - process);
		}
		memset(steps, 0, sizeof(steps));
		for (j = i; j < last && v[j]->event == v[i]->event; j++)
			add_samples(c, v[j], steps);
		if (!is_counted(v[i]->event))
			continue;
		obuf_str(o, told++ ? ",\n" : "\n");
		put_counter(c, v[i], main_thread, steps, o);
	}
	obuf_char(o, ']');
	free(v);
	return 0;
}
