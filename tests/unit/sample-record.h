/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record of a sample that is put together word by word. */
#ifndef PERF_UNIT_SAMPLE_RECORD_H
#define PERF_UNIT_SAMPLE_RECORD_H

#include "sample/sample.h"
#include "unit.h"

struct rec {
	unsigned char buf[65536];
	size_t n;
	bool swap;
	struct perfdata_event ev;
	struct record r;
	struct sample s;
	struct err e;
	unsigned char *exact;
};

static inline struct rec *start(bool swap, uint64_t sample_type)
{
	struct rec *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->n = 8;
	t->swap = swap;
	t->ev.attr.sample_type = sample_type;
	t->ev.attr.sample_period = 4000;
	return t;
}

static inline void u64(struct rec *t, uint64_t v)
{
	store_u64(t->buf + t->n, t->swap ? __builtin_bswap64(v) : v);
	t->n += 8;
}

static inline void u32(struct rec *t, uint32_t v)
{
	store_u32(t->buf + t->n, t->swap ? __builtin_bswap32(v) : v);
	t->n += 4;
}

/* The record in an allocation of just its size, so that valgrind and ASan see a read past it. */
static inline int parse_size(struct rec *t, uint64_t need, size_t size)
{
	free(t->exact);
	t->exact = malloc(size ? size : 1);
	assert_non_null(t->exact);
	memcpy(t->exact, t->buf, size);
	t->r = (struct record){ .data = t->exact,
				.size = (uint32_t)size,
				.type = PERF_RECORD_SAMPLE,
				.misc = PERF_RECORD_MISC_USER,
				.swap = t->swap,
				.offset = 0x100,
				.event = &t->ev };
	err_clear(&t->e);
	return sample_parse_some(&t->r, need, &t->s, &t->e);
}

static inline void finish(struct rec *t)
{
	free(t->exact);
	free(t);
}

#endif
