/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump: a recording as text: its header (`--header`), and record by record (`report -D`,
 * `script -D`), and the counts of `report --stats`. Streams into an obuf; keeps its own machine for
 * thread and object lines.
 *
 *	dump_new(&d, pd, &out, NULL, &err);
 *	while ((ret = perfdata_next_ordered(pd, &rec, &err)) > 0)
 *		dump_record(d, &rec);
 *	dump_print_stats(dump_stats(d), pd, &out);	--stats alone: dump_stats_add()
 *	dump_free(d);
 *
 * The text is upstream's; where it is not, and why, stands in tests/golden/dump.differences.
 * A record that cannot be decoded prints its bytes and the reason, and the walk goes on.
 */
#ifndef PERF_DUMP_H
#define PERF_DUMP_H

#include "base/tables.h"
#include "perfdata/perfdata.h"

struct dump;

struct dump_opts {
	bool no_raw;   /* leave the hexadecimal block out */
	bool redact;   /* hide register values and stack bytes: implies no_raw for samples */
	unsigned jobs; /* dump_all(), dump_records(): threads; 0 = one */
};

/* @opts may be NULL. @pd and @o must live longer than the dump. */
int dump_new(struct dump **d, struct perfdata *pd, struct obuf *o, const struct dump_opts *opts,
	     struct err *e);
void dump_free(struct dump *d);
/* Prints one record and counts it. Errors of the record are part of the text. */
void dump_record(struct dump *d, const struct record *rec);
/* All records in order of time; of a damaged file what comes before. */
int dump_records(struct perfdata *pd, struct obuf *o, const struct dump_opts *opts, struct err *e);
/* The same, and their counts. */
int dump_all(struct perfdata *pd, struct obuf *o, const struct dump_opts *opts, struct err *e);

/* ---- counts ------------------------------------------------------------------------------------ */

#define DUMP_STATS_TYPES PERF_RECORD_USER_MAX

struct dump_event_stats {
	uint64_t nr[PERF_RECORD_KERNEL_MAX]; /* LOST_SAMPLES: samples */
	uint64_t filtered;		     /* samples that a BPF program dropped */
};

struct dump_reads;

/*
 * Counts by type, and by event for what belongs to one: { .pd = pd } is empty. A sample with
 * counter values (PERF_SAMPLE_READ) counts for each event whose counter has moved since, as it
 * does in reports.
 */
struct dump_stats {
	const struct perfdata *pd;
	uint64_t nr[DUMP_STATS_TYPES];
	uint64_t unknown;		     /* types outside of the table */
	VEC(struct dump_event_stats) events; /* by event->idx */
	struct dump_reads *reads;
};

void dump_stats_free(struct dump_stats *s);
/* For dump_stats_add(): what is not just a counter. */
void dump_stats_other(struct dump_stats *s, const struct record *rec);

/* Looks at type and event only: fast enough for --stats of anything. */
static inline void dump_stats_add(struct dump_stats *s, const struct record *rec)
{
	const struct perfdata_event *ev = rec->event;

	if (likely(rec->type == PERF_RECORD_SAMPLE && ev && ev->idx < s->events.n &&
		   !(ev->attr.sample_type & PERF_SAMPLE_READ))) {
		s->nr[PERF_RECORD_SAMPLE]++;
		s->events.v[ev->idx].nr[PERF_RECORD_SAMPLE]++;
		return;
	}
	dump_stats_other(s, rec);
}

const struct dump_stats *dump_stats(const struct dump *d);
/* Adds what @from has counted of other records of the same file. */
void dump_stats_join(struct dump_stats *to, const struct dump_stats *from);
/* "\nAggregated stats:\n ..."; asks @pd for what it unpacked. */
void dump_print_stats(const struct dump_stats *s, const struct perfdata *pd, struct obuf *o);
/* The counts of all records, as they lie in the file. */
int dump_all_stats(struct perfdata *pd, struct obuf *o, struct err *e);

/* ---- the header ---------------------------------------------------------------------------------- */

/* The "# ..." lines of --header; @full (-I) also prints topology and the like. */
int dump_header(struct perfdata *pd, struct obuf *o, bool full, struct err *e);
/* Its "# sample source : ..." lines alone: events whose registers or branches came from software.
 * Nothing when there are none. */
void dump_sample_source(struct perfdata *pd, struct obuf *o);
/* Those of one feature, from the payload of a HEADER_FEATURE record. */
void dump_feature(struct perfdata *pd, int id, const void *data, size_t size, struct obuf *o);

/* ---- for other writers --------------------------------------------------------------------------- */

/*
 * What stands behind "PERF_RECORD_TEXT_POKE": the address, "@name+offset" where @name is not NULL, lengths, and
 * the bytes before and after, 16 a line.
 */
void dump_text_poke(struct obuf *o, const struct record_text_poke *t, const char *name,
		    uint64_t offset);

#endif
