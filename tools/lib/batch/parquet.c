// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A Parquet file: column chunks, row group by row group, and behind them a footer that says where each lies
 * (github.com/apache/parquet-format). Headers and footer are structs of Thrift's compact protocol: a field is a
 * byte with its distance from the field before and its type, numbers are zigzag varints, a struct ends in 0. Only
 * what readers need is written: one page a chunk, nothing nested, no levels, for no value is missing.
 */
#include <stdlib.h>

#include "config.h"
#include "batch/batch-int.h"

#define MAGIC "PAR1"

enum thrift { T_I32 = 5, T_I64 = 6, T_BINARY = 8, T_LIST = 9, T_STRUCT = 12 };
enum codec { CODEC_NONE = 0, CODEC_ZSTD = 6 };
enum page { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum encoding { PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 };
enum { PHYSICAL_INT32 = 1, PHYSICAL_INT64 = 2, PHYSICAL_DOUBLE = 5, PHYSICAL_BYTES = 6 };

static const int physical[] = { PHYSICAL_INT32, PHYSICAL_INT64, PHYSICAL_DOUBLE, PHYSICAL_BYTES };

/* ---- Thrift ---------------------------------------------------------------------------------- */

/* A struct that is being written: its last field so far. */
struct thrift_at {
	struct obuf *o;
	int last;
};

static void field(struct thrift_at *t, int id, enum thrift type)
{
	obuf_char(t->o, (char)((id - t->last) << 4 | type));
	t->last = id;
}

static void put_zigzag(struct obuf *o, int64_t v)
{
	obuf_varint(o, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void put_i32(struct thrift_at *t, int id, int32_t v)
{
	field(t, id, T_I32);
	put_zigzag(t->o, v);
}

static void put_i64(struct thrift_at *t, int id, uint64_t v)
{
	field(t, id, T_I64);
	put_zigzag(t->o, (int64_t)v);
}

static void put_bytes(struct obuf *o, const void *p, size_t n)
{
	obuf_varint(o, n);
	obuf_mem(o, p, n);
}

static void put_binary(struct thrift_at *t, int id, const void *p, size_t n)
{
	field(t, id, T_BINARY);
	put_bytes(t->o, p, n);
}

static void put_list(struct thrift_at *t, int id, enum thrift type, size_t n)
{
	field(t, id, T_LIST);
	if (n < 15) {
		obuf_char(t->o, (char)(n << 4 | type));
		return;
	}
	obuf_char(t->o, (char)(0xf0 | type));
	obuf_varint(t->o, n);
}

static struct thrift_at open_struct(struct thrift_at *t, int id)
{
	field(t, id, T_STRUCT);
	return (struct thrift_at){ .o = t->o };
}

static void close_struct(struct thrift_at *t)
{
	obuf_char(t->o, 0);
}

/* ---- a column chunk -------------------------------------------------------------------------- */

struct chunk {
	uint64_t data_at, dictionary_at; /* dictionary_at 0 = none: no chunk begins there */
	uint64_t size, packed;		 /* with the headers of pages */
	int64_t least, most;
};

struct parquet {
	const struct batch *b;
	struct obuf *o;
	uint64_t start; /* of the file in @o */
	struct obuf page, zip;
	uint32_t *entry; /* by number of a string: its place in the chunk's dictionary + 1 */
	VEC(uint32_t) dictionary;
	VEC(struct chunk) chunks; /* of all row groups, one behind the other */
};

#if HAVE_ZSTD
#include <zstd.h>

#define CODEC CODEC_ZSTD
#define LEVEL 3

static int pack(struct parquet *p)
{
	size_t room = ZSTD_compressBound(p->page.len), n;

	p->zip.len = 0;
	if (!obuf_room(&p->zip, room))
		return -ENOMEM;
	n = ZSTD_compress(p->zip.buf, room, p->page.buf, p->page.len, LEVEL);
	if (ZSTD_isError(n))
		return -ENOMEM;
	p->zip.len = n;
	return 0;
}
#else
#define CODEC CODEC_NONE

static int pack(struct parquet *p)
{
	p->zip.len = 0;
	obuf_mem(&p->zip, p->page.buf, p->page.len);
	return p->zip.code;
}
#endif

/* What p->page holds, packed, with its header. */
static int put_page(struct parquet *p, struct chunk *c, enum page type, enum encoding encoding,
		    size_t n)
{
	struct thrift_at t = { .o = p->o }, h;
	uint64_t at = obuf_printed(p->o);

	if (p->page.code || pack(p))
		return -ENOMEM;
	put_i32(&t, 1, type);
	put_i32(&t, 2, (int32_t)p->page.len);
	put_i32(&t, 3, (int32_t)p->zip.len);
	h = open_struct(&t, type == PAGE_DATA ? 5 : 7);
	put_i32(&h, 1, (int32_t)n);
	put_i32(&h, 2, encoding);
	if (type == PAGE_DATA) {
		put_i32(&h, 3, RLE);
		put_i32(&h, 4, RLE);
	}
	close_struct(&h);
	close_struct(&t);
	at = obuf_printed(p->o) - at;
	c->size += at + p->page.len;
	c->packed += at + p->zip.len;
	obuf_mem(p->o, p->zip.buf, p->zip.len);
	p->page.len = 0;
	return p->o->code;
}

static uint64_t here(const struct parquet *p)
{
	return obuf_printed(p->o) - p->start;
}

static double real(int64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static bool is_less(enum batch_type type, int64_t a, int64_t b)
{
	return type == BATCH_DOUBLE ? real(a) < real(b) : a < b;
}

static int put_numbers(struct parquet *p, struct chunk *c, enum batch_type type, const int64_t *v,
		       size_t n)
{
	c->least = c->most = n ? v[0] : 0;
	for (size_t i = 0; i < n; i++) {
		batch_put_le(&p->page, (uint64_t)v[i], type == BATCH_INT32 ? 4 : 8);
		if (is_less(type, v[i], c->least))
			c->least = v[i];
		if (is_less(type, c->most, v[i]))
			c->most = v[i];
	}
	c->data_at = here(p);
	return put_page(p, c, PAGE_DATA, PLAIN, n);
}

/* ---- strings: numbers of a dictionary's entries, in as many bits as the last one needs ---- */

static size_t run_length(const int64_t *v, size_t n)
{
	size_t k = 1;

	while (k < n && v[k] == v[0])
		k++;
	return k;
}

static uint32_t entry(const struct parquet *p, int64_t v)
{
	return p->entry[v] - 1;
}

/* @n values in groups of 8; the last group is filled up with zeros. */
static void put_packed(struct parquet *p, const int64_t *v, size_t n, unsigned width)
{
	size_t groups = (n + 7) / 8;
	uint64_t bits = 0;
	unsigned have = 0;

	obuf_varint(&p->page, groups << 1 | 1);
	for (size_t i = 0; i < groups * 8; i++) {
		bits |= (uint64_t)(i < n ? entry(p, v[i]) : 0) << have;
		for (have += width; have >= 8; have -= 8, bits >>= 8)
			obuf_char(&p->page, (char)bits);
	}
}

static void put_numbers_of_entries(struct parquet *p, const int64_t *v, size_t n, unsigned width)
{
	obuf_char(&p->page, (char)width);
	for (size_t i = 0, k; i < n; i += k) {
		k = run_length(v + i, n - i);
		if (k >= 8 || !width) {
			obuf_varint(&p->page, k << 1);
			batch_put_le(&p->page, entry(p, v[i]), (int)(width + 7) / 8);
			continue;
		}
		for (k = 8; i + k < n && run_length(v + i + k, n - i - k) < 8;)
			k += 8;
		k = min_u64(k, n - i);
		put_packed(p, v + i, k, width);
	}
}

static int put_dictionary(struct parquet *p, struct chunk *c, const int64_t *v, size_t n)
{
	p->dictionary.n = 0;
	for (size_t i = 0; i < n; i++) {
		if (p->entry[v[i]])
			continue;
		if (vec_push(&p->dictionary, (uint32_t)v[i]))
			return -ENOMEM;
		p->entry[v[i]] = (uint32_t)p->dictionary.n;
	}
	vec_for_each (id, &p->dictionary) {
		const char *s = batch_string(p->b, *id);
		size_t len = strlen(s);

		batch_put_le(&p->page, len, 4);
		obuf_mem(&p->page, s, len);
	}
	c->dictionary_at = here(p);
	return put_page(p, c, PAGE_DICTIONARY, PLAIN, p->dictionary.n);
}

static int put_strings(struct parquet *p, struct chunk *c, const int64_t *v, size_t n)
{
	unsigned width = 0;
	int ret = put_dictionary(p, c, v, n);

	while (!ret && p->dictionary.n > 1ULL << width)
		width++;
	if (!ret)
		put_numbers_of_entries(p, v, n, width);
	vec_for_each (id, &p->dictionary)
		p->entry[*id] = 0;
	c->data_at = here(p);
	return ret ?: put_page(p, c, PAGE_DATA, RLE_DICTIONARY, n);
}

/* ---- the footer ------------------------------------------------------------------------------ */

static void put_schema(struct thrift_at *t, const struct batch_table *table)
{
	struct thrift_at el = { .o = t->o };

	put_list(t, 2, T_STRUCT, table->nr_columns + 1);
	put_binary(&el, 4, table->name, strlen(table->name));
	put_i32(&el, 5, (int32_t)table->nr_columns);
	close_struct(&el);
	for (size_t i = 0; i < table->nr_columns; i++) {
		const struct batch_column *c = &table->columns[i];
		struct thrift_at logical, string;

		el.last = 0;
		put_i32(&el, 1, physical[c->type]);
		put_i32(&el, 3, 0); /* required */
		put_binary(&el, 4, c->name, strlen(c->name));
		if (c->type == BATCH_STRING) {
			put_i32(&el, 6, 0); /* UTF8 */
			logical = open_struct(&el, 10);
			string = open_struct(&logical, 1);
			close_struct(&string);
			close_struct(&logical);
		}
		close_struct(&el);
	}
}

static void put_statistics(struct thrift_at *t, const struct chunk *c, enum batch_type type,
			   size_t rows)
{
	struct thrift_at s = open_struct(t, 12);
	int64_t bound[2] = { c->most, c->least };

	put_i64(&s, 3, 0);
	for (int i = 0; i < 2 && rows && type != BATCH_STRING; i++) {
		field(&s, 5 + i, T_BINARY);
		obuf_varint(s.o, type == BATCH_INT32 ? 4 : 8);
		batch_put_le(s.o, (uint64_t)bound[i], type == BATCH_INT32 ? 4 : 8);
	}
	close_struct(&s);
}

static void put_chunk(struct obuf *o, const struct batch_column *col, const struct chunk *c,
		      size_t rows)
{
	bool string = col->type == BATCH_STRING;
	struct thrift_at chunk = { .o = o }, t;

	put_i64(&chunk, 2, 0);
	t = open_struct(&chunk, 3);
	put_i32(&t, 1, physical[col->type]);
	put_list(&t, 2, T_I32, string ? 3 : 2);
	put_zigzag(o, PLAIN);
	put_zigzag(o, RLE);
	if (string)
		put_zigzag(o, RLE_DICTIONARY);
	put_list(&t, 3, T_BINARY, 1);
	put_bytes(o, col->name, strlen(col->name));
	put_i32(&t, 4, CODEC);
	put_i64(&t, 5, rows);
	put_i64(&t, 6, c->size);
	put_i64(&t, 7, c->packed);
	put_i64(&t, 9, c->data_at);
	if (string)
		put_i64(&t, 11, c->dictionary_at);
	put_statistics(&t, c, col->type, rows);
	close_struct(&t);
	close_struct(&chunk);
}

static void put_group(struct parquet *p, size_t group)
{
	const struct batch_table *table = p->b->table;
	const struct chunk *c = p->chunks.v + group * table->nr_columns;
	size_t rows = min_u64(p->b->rows - group * BATCH_PART, BATCH_PART);
	struct thrift_at t = { .o = p->o };
	uint64_t size = 0, packed = 0;

	put_list(&t, 1, T_STRUCT, table->nr_columns);
	for (size_t i = 0; i < table->nr_columns; i++) {
		put_chunk(p->o, &table->columns[i], &c[i], rows);
		size += c[i].size;
		packed += c[i].packed;
	}
	put_i64(&t, 2, size);
	put_i64(&t, 3, rows);
	put_i64(&t, 6, packed);
	close_struct(&t);
}

static void put_meta(struct thrift_at *t, const struct batch_meta *meta, size_t n)
{
	put_list(t, 5, T_STRUCT, n);
	for (size_t i = 0; i < n; i++) {
		struct thrift_at kv = { .o = t->o };

		put_binary(&kv, 1, meta[i].key, strlen(meta[i].key));
		put_binary(&kv, 2, meta[i].value, strlen(meta[i].value));
		close_struct(&kv);
	}
}

static void put_footer(struct parquet *p, size_t groups, const struct batch_meta *meta, size_t nr)
{
	const struct batch_table *table = p->b->table;
	struct thrift_at t = { .o = p->o };
	uint64_t at = here(p);

	put_i32(&t, 1, 1); /* version */
	put_schema(&t, table);
	put_i64(&t, 3, p->b->rows);
	put_list(&t, 4, T_STRUCT, groups);
	for (size_t g = 0; g < groups; g++)
		put_group(p, g);
	put_meta(&t, meta, nr);
	put_binary(&t, 6, "perf", 4);
	put_list(&t, 7, T_STRUCT, table->nr_columns);
	for (size_t i = 0; i < table->nr_columns; i++) {
		/* Without an order readers take least and most for nothing. */
		struct thrift_at order = { .o = p->o }, by_type = open_struct(&order, 1);

		close_struct(&by_type);
		close_struct(&order);
	}
	close_struct(&t);
	batch_put_le(p->o, here(p) - at, 4);
	obuf_lit(p->o, MAGIC);
}

static int put_groups(struct parquet *p, size_t groups)
{
	int ret = 0;

	for (size_t g = 0; g < groups; g++) {
		size_t from = g * BATCH_PART, n = min_u64(p->b->rows - from, BATCH_PART);

		for (size_t i = 0; !ret && i < p->b->table->nr_columns; i++) {
			enum batch_type type = p->b->table->columns[i].type;
			const int64_t *v = p->b->column[i].v.v + from;
			struct chunk c = { 0 };

			ret = type == BATCH_STRING ? put_strings(p, &c, v, n)
						   : put_numbers(p, &c, type, v, n);
			ret = ret ?: vec_push(&p->chunks, c);
		}
	}
	return ret;
}

int batch_parquet(const struct batch *b, const struct batch_meta *meta, size_t nr_meta,
		  struct obuf *o, struct err *e)
{
	struct parquet p = {
		.b = b, .o = o, .start = obuf_printed(o), .page.fd = -1, .zip.fd = -1
	};
	size_t groups = (b->rows + BATCH_PART - 1) / BATCH_PART;
	int ret = -ENOMEM;

	p.entry = calloc(b->strings.str.n, sizeof(*p.entry));
	obuf_lit(o, MAGIC);
	if (p.entry)
		ret = put_groups(&p, groups);
	if (!ret)
		put_footer(&p, groups, meta, nr_meta);
	free(p.entry);
	free(p.page.buf);
	free(p.zip.buf);
	vec_free(&p.dictionary);
	vec_free(&p.chunks);
	return ret == -ENOMEM ? err_set(e, ret, "no memory for table %s", b->table->name) : o->code;
}
