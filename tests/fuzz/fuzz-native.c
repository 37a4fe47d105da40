// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks of ClickHouse's FORMAT Native, as room net reads them for an engine that wants rows in another form: two bytes
 * that say how many rows are expected, then the block. What it holds is asked for by every name, of both kinds.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "net/native-int.h"

/* Rows at the edges alone: a few bytes may hold columns of none. */
static void ask_column(const struct net_native *t, const char *name)
{
	const struct net_native_column *num = net_native_column(t, name, true);
	const struct net_native_column *str = net_native_column(t, name, false);

	if (num && t->rows) {
		int64_t all = net_native_num(num, 0) ^ net_native_num(num, t->rows / 2) ^
			      net_native_num(num, t->rows - 1);

		fuzz_touch_bytes(&all, sizeof(all));
	}
	for (size_t i = 0; str && i < str->str.n; i++)
		fuzz_touch(str->str.v[i]);
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	uint64_t rows = fuzz_u8(&b);
	struct obuf block = { .fd = -1 };
	struct net_native t;

	rows |= (uint64_t)fuzz_u8(&b) << 8;
	if (rows == UINT16_MAX)
		rows = UINT64_MAX;
	block.buf = (char *)b.p;
	block.len = b.left;
	if (net_native_read(&t, &block, rows))
		return;
	if (t.rows != rows)
		abort();
	for (size_t i = 0; i < t.nr; i++)
		ask_column(&t, t.column[i].name);
	ask_column(&t, "none of these");
	net_native_free(&t);
}

const struct fuzz_target fuzz_native = {
	.name = "native",
	.reads = "blocks of ClickHouse's FORMAT Native",
	.max_len = 2048,
	.run = run,
};
