/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files of the Firefox profiler's format share: samples by thread, and bytes of numbers. */
#ifndef PERF_CONVERT_FIREFOX_INT_H
#define PERF_CONVERT_FIREFOX_INT_H

#include "convert/stacks-int.h"

/* Which thread, which event: one column of samples. */
struct firefox_thread {
	const struct thread *thread;
	const struct perfdata_event *event;
	uint32_t samples, markers;
	size_t first; /* of the samples in order */
};

struct firefox_sample {
	uint64_t time, period;
	uint32_t thread, node;
};

struct firefox_columns {
	const struct firefox_thread *threads; /* as they stand in the file */
	size_t nr;
	const struct firefox_sample *const *samples; /* by thread, then by time */
	uint64_t origin, end;			     /* ns */
};

/* Nanoseconds as milliseconds, all digits of them. */
static inline void firefox_put_ms(struct obuf *o, uint64_t ns)
{
	obuf_dec(o, ns / 1000000);
	if (ns % 1000000) {
		obuf_char(o, '.');
		obuf_dec_zero(o, ns % 1000000, 6);
	}
}

/* ,"counters":[...]: how often events were counted over time, by process. 0 or -ENOMEM. */
int firefox_put_counters(const struct firefox_columns *c, struct obuf *o);

#endif
