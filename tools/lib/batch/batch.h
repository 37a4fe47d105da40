/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch: rows of a table as columns in memory, and as the bytes that engines take: Parquet, ClickHouse's
 * FORMAT Native, PostgreSQL's COPY BINARY. It knows nothing of perf.
 *
 *	batch_new(&b, &table, &err);
 *	batch_add(b, (union batch_value[]){ { .i = 1 }, { .s = "name" } });	for each row
 *	batch_sort(b);
 *	batch_parquet(b, meta, nr_meta, &out, &err);
 *	batch_native(b, 0, BATCH_PART, &out);
 *
 * Four types, because all engines have these: signed integers of 32 and 64 bits, doubles, strings of UTF-8; nothing
 * is missing, nested or unsigned. What is written follows from the rows alone.
 *
 * Memory: 8 bytes a value, and each distinct string once. Errors: 0 or -errno. One thread.
 */
#ifndef PERF_BATCH_H
#define PERF_BATCH_H

#include "base/obuf.h"
#include "base/tables.h"

enum batch_type { BATCH_INT32, BATCH_INT64, BATCH_DOUBLE, BATCH_STRING };

struct batch_column {
	const char *name;
	enum batch_type type;
	const char *holds; /* for people */
};

struct batch_table {
	const char *name, *holds;
	const struct batch_column *columns;
	size_t nr_columns;
	const char *key; /* columns that rows are in the order of, with commas between */
};

/* A value by the type of its column; a string is copied, and bytes that are no UTF-8 become '?'. */
union batch_value {
	int64_t i;
	double d;
	const char *s;
};

struct batch;

int batch_new(struct batch **b, const struct batch_table *t, struct err *e);
void batch_free(struct batch *b);			      /* NULL is fine */
int batch_add(struct batch *b, const union batch_value *row); /* 0 or -ENOMEM */
size_t batch_rows(const struct batch *b);
union batch_value batch_get(const struct batch *b, size_t row, size_t column);
int batch_sort(struct batch *b); /* by the table's key; equal rows stay in their order */

/* ---- encoders: appended to an obuf ----------------------------------------------------------- */

#define BATCH_PART (1u << 20) /* rows of a row group, and of a block that engines take as one */

struct batch_meta {
	const char *key, *value;
};

/*
 * A whole file. The subset: pages of version 1 that are a column chunk each, numbers plain, strings by a dictionary,
 * zstd where it was built in, least and largest values of numbers.
 */
int batch_parquet(const struct batch *b, const struct batch_meta *meta, size_t nr_meta,
		  struct obuf *o, struct err *e);
/* Rows @from to @from + @n as one block of FORMAT Native. */
int batch_native(const struct batch *b, size_t from, size_t n, struct obuf *o);
/* The same as a whole COPY BINARY stream. */
int batch_copy(const struct batch *b, size_t from, size_t n, struct obuf *o);
/* Packed by gzip, and back; -ENOTSUP without zlib, -EINVAL for other bytes, -EFBIG for more than 2 GB of them. */
int batch_gzip(const void *p, size_t n, struct obuf *o);
int batch_gunzip(const void *p, size_t n, struct obuf *o);

#endif
