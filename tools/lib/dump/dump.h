/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump: a recording as text, record by record: `report -D`, `script -D`, and the counts of
 * `report --stats`. Streams into an obuf; keeps its own machine for thread and object lines.
 *
 *	dump_new(&d, pd, &out, NULL, &err);
 *	while ((ret = perfdata_next_ordered(pd, &rec, &err)) > 0)
 *		dump_record(d, &rec);
 *	dump_print_stats(dump_stats(d), pd, &out);
 *	dump_free(d);
 *
 * The text is upstream's; where it is not, and why, stands in tests/golden/dump.differences.
 * A record that cannot be decoded prints its bytes and the reason, and the walk goes on.
 */
#ifndef PERF_DUMP_H
#define PERF_DUMP_H

#include "perfdata/perfdata.h"

struct dump;

struct dump_opts {
	bool no_raw; /* leave the hexadecimal block out */
	bool redact; /* hide register values and stack bytes: implies no_raw for samples */
};

/* @opts may be NULL. @pd and @o must live longer than the dump. */
int dump_new(struct dump **d, struct perfdata *pd, struct obuf *o, const struct dump_opts *opts,
	     struct err *e);
void dump_free(struct dump *d);
/* Prints one record and counts it. Errors of the record are part of the text. */
void dump_record(struct dump *d, const struct record *rec);

/* ---- counts ------------------------------------------------------------------------------------ */

#define DUMP_STATS_TYPES PERF_RECORD_USER_MAX

struct dump_event_stats {
	uint64_t nr[PERF_RECORD_KERNEL_MAX];
};

/* Counts by type, and by event for what belongs to one. Zero-initialised is empty. */
struct dump_stats {
	uint64_t nr[DUMP_STATS_TYPES];
	uint64_t unknown;		     /* types outside of the table */
	VEC(struct dump_event_stats) events; /* by event->idx */
};

void dump_stats_free(struct dump_stats *s);
int dump_stats_grow(struct dump_stats *s, size_t nr); /* dump_stats_add()'s; 0 or -ENOMEM */

/* Looks at type and event only: fast enough for --stats of anything. */
static inline void dump_stats_add(struct dump_stats *s, const struct record *rec)
{
	if (likely(rec->type < DUMP_STATS_TYPES))
		s->nr[rec->type]++;
	else
		s->unknown++;
	if (rec->type != PERF_RECORD_SAMPLE || unlikely(!rec->event))
		return;
	if (unlikely(rec->event->idx >= s->events.n) && dump_stats_grow(s, rec->event->idx + 1))
		return;
	s->events.v[rec->event->idx].nr[rec->type]++;
}

const struct dump_stats *dump_stats(const struct dump *d);
/* "\nAggregated stats:\n ..." */
void dump_print_stats(const struct dump_stats *s, const struct perfdata *pd, struct obuf *o);

#endif
