/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with call chains, and call trees as one line: "(10 20:80(40:50))". No address has a symbol, so
 * a frame is its address, and every expectation can be read off the input.
 */
#ifndef PERF_UNIT_CHAINS_BUILD_H
#define PERF_UNIT_CHAINS_BUILD_H

#include "table-build.h"

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN },
};

/* A sample of @tid; its chain innermost first, 0 ends it. */
static void add(struct table *p, int tid, uint64_t period, const uint64_t *chain)
{
	uint64_t ips[32] = { PERF_CONTEXT_USER };
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .period = period };
	unsigned n = 1;

	for (; chain[n - 1]; n++)
		ips[n] = chain[n - 1];
	s.ip = chain[0];
	s.pid = s.tid = (uint32_t)tid;
	s.cpu = (uint32_t)tid & 3;
	s.time = period * 1000000000;
	s.present = event.attr.sample_type;
	s.callchain = (struct u64s){ (unsigned char *)ips, n, false };
	assert_int_equal(table_add(p, &s, machine_thread(m, tid, tid), NULL), 0);
}

#define CHAIN(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

/* main 0x10 calls 0x20 and 0x30; 0x20 calls 0x40, which also recurses. */
static inline void fill(struct table *t)
{
	add(t, 1, 50, CHAIN(0x40, 0x20, 0x10));
	add(t, 1, 30, CHAIN(0x30, 0x10));
	add(t, 2, 15, CHAIN(0x20, 0x10));
	add(t, 1, 5, CHAIN(0x40, 0x40, 0x20, 0x10));
}

/* @hits: what ends at a frame, behind a slash. */
static inline void put_tree(const struct view *of, const struct call_node *n, bool hits,
			    struct obuf *o)
{
	for (uint32_t i = 0; i < n->nr_children; i++) {
		const struct call_node *c = &n->child[i];

		obuf_char(o, '(');
		for (uint32_t f = 0; f < c->nr_frames; f++) {
			if (f)
				obuf_char(o, ' ');
			view_frame(of, c->frames[f], o);
		}
		obuf_printf(o, ":%llu", (unsigned long long)c->cumul);
		if (hits && c->hit && c->hit != c->cumul)
			obuf_printf(o, "/%llu", (unsigned long long)c->hit);
		put_tree(of, c, hits, o);
		obuf_char(o, ')');
	}
}

#endif
