// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfdata-walk [-o] [-H] [-t] [-m BYTES] FILE: reads a recording to its end and prints what
 * was there, for tests and measurements. -o in time order, -H the header (-I), -t speed
 * and peak memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "dump/dump.h"
#include "perfdata/perfdata.h"

struct counts {
	uint64_t samples, unknown_events, backwards, sum;
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int walk(struct perfdata *pd, bool ordered, struct counts *c, struct err *e)
{
	struct record rec;
	uint64_t last = 0;
	int ret;

	*c = (struct counts){ 0 };
	while ((ret = ordered ? perfdata_next_ordered(pd, &rec, e) : perfdata_next(pd, &rec, e)) >
	       0) {
		c->sum += rec.type * 31 + rec.size;
		if (rec.type == PERF_RECORD_SAMPLE) {
			c->samples++;
			c->unknown_events += !rec.event;
		}
		if (rec.time == RECORD_NO_TIME || !rec.time)
			continue;
		c->backwards += rec.time < last;
		last = rec.time;
	}
	return ret;
}

static void print_speed(double t, const struct perfdata_stats *st)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	printf("seconds=%.3f GB/s=%.2f peak_kb=%ld\n", t, (double)st->bytes / t / 1e9,
	       ru.ru_maxrss);
}

int main(int argc, char **argv)
{
	bool ordered = false, header = false, speed = false;
	struct perfdata_opts opts = { .force = true };
	struct counts c;
	struct perfdata_stats st;
	struct perfdata *pd;
	struct err err = { 0 };
	double start;
	int opt, ret;

	while ((opt = getopt(argc, argv, "oHtm:")) != -1) {
		ordered |= opt == 'o';
		header |= opt == 'H';
		speed |= opt == 't';
		if (opt == 'm')
			opts.max_mem = strtoul(optarg, NULL, 0);
	}
	if (optind + 1 != argc || perfdata_open(&pd, argv[optind], &opts, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	start = seconds();
	ret = walk(pd, ordered, &c, &err);
	perfdata_stats(pd, &st);
	if (speed)
		print_speed(seconds() - start, &st);
	else
		printf("events=%zu records=%lu bytes=%lu samples=%lu noevent=%lu unknown=%lu "
		       "late=%lu backwards=%lu features=%u\n",
		       perfdata_nr_events(pd), st.records, st.bytes, c.samples, c.unknown_events,
		       st.unknown_records, st.unordered, c.backwards, st.unknown_features);
	if (ret < 0)
		fprintf(stderr, "%s\n", err.text);
	if (header) {
		struct obuf o;

		if (obuf_init(&o, STDOUT_FILENO, 0) == 0)
			dump_header(pd, &o, true, &err);
		obuf_free(&o);
	}
	perfdata_close(pd);
	return ret < 0;
}
