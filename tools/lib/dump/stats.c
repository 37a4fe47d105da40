// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "dump/dump.h"
#include "emit/emit.h"

void dump_stats_free(struct dump_stats *s)
{
	vec_free(&s->events);
}

int dump_stats_grow(struct dump_stats *s, size_t nr)
{
	if (vec_reserve(&s->events, nr))
		return -ENOMEM;
	memset(s->events.v + s->events.n, 0, (nr - s->events.n) * sizeof(*s->events.v));
	s->events.n = nr;
	return 0;
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

void dump_print_stats(const struct dump_stats *s, const struct perfdata *pd, struct obuf *o)
{
	uint64_t total = s->unknown, aux = s->nr[PERF_RECORD_AUXTRACE_INFO];

	for (size_t i = 0; i < DUMP_STATS_TYPES; i++)
		total += s->nr[i];
	obuf_lit(o, "\nAggregated stats:");
	if (aux)
		obuf_lit(
			o,
			" (excludes AUX area (e.g. instruction trace) decoded / synthesized events)");
	obuf_char(o, '\n');
	line(o, "TOTAL", total, 0);
	for (uint32_t i = 0; i < DUMP_STATS_TYPES; i++) {
		if (s->nr[i])
			line(o, record_type_name(i), s->nr[i], total);
	}
	if (s->unknown)
		line(o, "UNKNOWN", s->unknown, total);

	for (size_t i = 0; i < s->events.n && i < perfdata_nr_events(pd); i++) {
		const uint64_t *nr = s->events.v[i].nr;

		if (!nr[PERF_RECORD_SAMPLE])
			continue;
		emit_safe(o, perfdata_event(pd, i)->name);
		obuf_lit(o, " stats:\n");
		line(o, "SAMPLE", nr[PERF_RECORD_SAMPLE], 0);
	}
}
