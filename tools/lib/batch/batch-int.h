/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the encoders see of a batch. */
#ifndef PERF_BATCH_INT_H
#define PERF_BATCH_INT_H

#include "batch/batch.h"
#include "base/bytes.h"

struct batch_data {
	VEC(int64_t)
	v; /* numbers; doubles by their bits; strings by their number in struct batch */
};

struct batch {
	const struct batch_table *table;
	size_t rows;
	struct batch_data *column;
	struct intern strings;
};

static inline const char *batch_string(const struct batch *b, int64_t id)
{
	return intern_str(&b->strings, (uint32_t)id);
}

/* Little endian, as Parquet and Native have all numbers. */
static inline void batch_put_le(struct obuf *o, uint64_t v, int bytes)
{
	unsigned char p[8];

	for (int i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> 8 * i);
	obuf_mem(o, p, (size_t)bytes);
}

#endif
