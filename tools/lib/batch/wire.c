// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What two engines take over a connection. Native (clickhouse.com/docs, "Native" under Formats): numbers of columns and
 * rows, then a column after the other with name and type. COPY BINARY (postgresql.org/docs, "COPY", Binary
 * Format): a row after the other, each field with its length, all numbers big-endian.
 */
#include "batch/batch-int.h"

static void put_text(struct obuf *o, const char *s)
{
	size_t n = strlen(s);

	obuf_varint(o, n);
	obuf_mem(o, s, n);
}

int batch_native(const struct batch *b, size_t from, size_t n, struct obuf *o)
{
	static const char *const types[] = { "Int32", "Int64", "Float64", "String" };

	n = from < b->rows ? min_u64(n, b->rows - from) : 0;
	obuf_varint(o, b->table->nr_columns);
	obuf_varint(o, n);
	for (size_t c = 0; c < b->table->nr_columns; c++) {
		enum batch_type type = b->table->columns[c].type;
		const int64_t *v = b->column[c].v.v;

		put_text(o, b->table->columns[c].name);
		put_text(o, types[type]);
		for (size_t i = from; i < from + n; i++)
			if (type == BATCH_STRING)
				put_text(o, batch_string(b, v[i]));
			else
				batch_put_le(o, (uint64_t)v[i], type == BATCH_INT32 ? 4 : 8);
	}
	return o->code;
}

static void put_be(struct obuf *o, uint64_t v, int bytes)
{
	unsigned char p[8];

	for (int i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> 8 * (bytes - 1 - i));
	obuf_mem(o, p, (size_t)bytes);
}

static void put_field(const struct batch *b, size_t c, size_t row, struct obuf *o)
{
	enum batch_type type = b->table->columns[c].type;
	int64_t v = b->column[c].v.v[row];
	int bytes = type == BATCH_INT32 ? 4 : 8;

	if (type == BATCH_STRING) {
		const char *s = batch_string(b, v);
		size_t n = strlen(s);

		put_be(o, n, 4);
		obuf_mem(o, s, n);
		return;
	}
	put_be(o, (uint64_t)bytes, 4);
	put_be(o, (uint64_t)v, bytes);
}

int batch_copy(const struct batch *b, size_t from, size_t n, struct obuf *o)
{
	n = from < b->rows ? min_u64(n, b->rows - from) : 0;
	obuf_mem(o, "PGCOPY\n\377\r\n", 11); /* with the NUL */
	put_be(o, 0, 4);		     /* flags */
	put_be(o, 0, 4);		     /* no more header */
	for (size_t i = from; i < from + n; i++) {
		put_be(o, b->table->nr_columns, 2);
		for (size_t c = 0; c < b->table->nr_columns; c++)
			put_field(b, c, i, o);
	}
	put_be(o, 0xffff, 2);
	return o->code;
}
