// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Columns of any values, strings that are no text among them, by the writers of tables: Parquet, ClickHouse's and
 * PostgreSQL's bytes; what is packed has to come out again as it was. And any bytes as what gzip packed.
 */
#include <stdlib.h>

#include "batch/batch.h"
#include "fuzz.h"

static const struct batch_column columns[] = {
	{ "a", BATCH_INT64, "" },
	{ "b", BATCH_INT32, "" },
	{ "c", BATCH_DOUBLE, "" },
	{ "d", BATCH_STRING, "" },
};
static const struct batch_table table = { "t", "", columns, ARRAY_SIZE(columns), "d,a" };

static void add_rows(struct batch *b, struct fuzz_bytes *in)
{
	char text[256];

	for (int i = 0; in->left && i < 256; i++) {
		union batch_value row[ARRAY_SIZE(columns)];

		fuzz_line(in, text, sizeof(text));
		row[0].i = (int64_t)fuzz_u64(in);
		row[1].i = (int32_t)fuzz_u32(in);
		row[2].i = (int64_t)fuzz_u64(in); /* doubles that are no numbers among them */
		row[3].s = text;
		if (batch_add(b, row))
			abort();
	}
}

/* What is packed comes out again. */
static void pack(const struct obuf *o)
{
	struct obuf packed = { .fd = -1 }, again = { .fd = -1 };

	if (!batch_gzip(o->buf, o->len, &packed) &&
	    (batch_gunzip(packed.buf, packed.len, &again) || again.len != o->len ||
	     memcmp(again.buf, o->buf, o->len) != 0))
		abort();
	free(packed.buf);
	free(again.buf);
}

static void write_all_forms(struct batch *b, const struct batch_meta *meta, unsigned how)
{
	struct obuf o = { .fd = -1 };

	if (how % 4 == 0)
		batch_parquet(b, meta, 1, &o, NULL);
	else if (how % 4 == 1)
		batch_native(b, how % 3, BATCH_PART, &o);
	else
		batch_copy(b, how % 3, BATCH_PART, &o);
	if (how % 16 == 1)
		pack(&o);
	free(o.buf);
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes in = { data, size };
	unsigned how = fuzz_u8(&in);
	struct obuf out = { .fd = -1 };
	char value[64];
	struct batch *b;

	if (how % 4 == 3) {
		batch_gunzip(in.p, in.left, &out);
		free(out.buf);
		return;
	}
	if (batch_new(&b, &table, NULL))
		abort();
	fuzz_line(&in, value, sizeof(value));
	add_rows(b, &in);
	if (batch_sort(b))
		abort();
	for (size_t i = 0; i < batch_rows(b); i++)
		fuzz_touch(batch_get(b, i, 3).s);
	write_all_forms(b, &(struct batch_meta){ "k", value }, how);
	batch_free(b);
}

const struct fuzz_target fuzz_batch = {
	.name = "batch",
	.reads = "rows of tables, by the writers of Parquet, Native, COPY; what gzip packed",
	.max_len = 4096,
	.run = run,
};
