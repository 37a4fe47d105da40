// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows as columns: encoders against bytes made by hand, order, what is no UTF-8, sizes at which things change. */
#include <stdio.h>
#include <stdlib.h>

#include "batch/batch.h"
#include "unit.h"

static const struct batch_column columns[] = {
	{ "a", BATCH_INT64, "" },
	{ "b", BATCH_INT32, "" },
	{ "c", BATCH_DOUBLE, "" },
	{ "d", BATCH_STRING, "" },
};
static const struct batch_table table = { "t", "", columns, ARRAY_SIZE(columns), "d,a" };

static struct batch *two_rows(void)
{
	struct err e = { 0 };
	struct batch *b;

	assert_int_equal(batch_new(&b, &table, &e), 0);
	assert_int_equal(batch_add(b,
				   (union batch_value[]){
					   { .i = 258 }, { .i = -2 }, { .d = 1 }, { .s = "xy" } }),
			 0);
	assert_int_equal(batch_add(b,
				   (union batch_value[]){
					   { .i = -1 }, { .i = 3 }, { .d = 0 }, { .s = NULL } }),
			 0);
	return b;
}

static void native(void **state)
{
	static const char want[] = "\4\2"
				   "\1a\5Int64\2\1\0\0\0\0\0\0\377\377\377\377\377\377\377\377"
				   "\1b\5Int32\376\377\377\377\3\0\0\0"
				   "\1c\7Float64\0\0\0\0\0\0\360\77\0\0\0\0\0\0\0\0"
				   "\1d\6String\2xy\0";
	struct batch *b = two_rows();
	struct obuf o = { .fd = -1 };

	(void)state;
	assert_int_equal(batch_native(b, 0, BATCH_PART, &o), 0);
	assert_int_equal(o.len, sizeof(want) - 1);
	assert_memory_equal(o.buf, want, o.len);
	o.len = 0;
	batch_native(b, 2, 1, &o);
	assert_memory_equal(o.buf, "\4\0\1a\5Int64\1b", 11);
	free(o.buf);
	batch_free(b);
}

static void copy(void **state)
{
	static const char want[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
				   "\0\4\0\0\0\10\0\0\0\0\0\0\1\2\0\0\0\4\377\377\377\376"
				   "\0\0\0\10\77\360\0\0\0\0\0\0\0\0\0\2xy\377\377";
	struct batch *b = two_rows();
	struct obuf o = { .fd = -1 };

	(void)state;
	assert_int_equal(batch_copy(b, 0, 1, &o), 0);
	assert_int_equal(o.len, sizeof(want) - 1);
	assert_memory_equal(o.buf, want, o.len);
	free(o.buf);
	batch_free(b);
}

static void order(void **state)
{
	struct batch *b = two_rows();

	(void)state;
	batch_add(b, (union batch_value[]){ { .i = 5 }, { .i = 0 }, { .d = 0 }, { .s = "xy" } });
	batch_add(b, (union batch_value[]){
			     { .i = 7 }, { .i = 0 }, { .d = 0 }, { .s = "a\xffz\xc3\xa4" } });
	assert_int_equal(batch_sort(b), 0);
	assert_int_equal(batch_get(b, 0, 0).i, -1);
	assert_string_equal(batch_get(b, 1, 3).s, "a?z\xc3\xa4");
	assert_int_equal(batch_get(b, 2, 0).i, 5);
	assert_int_equal(batch_get(b, 3, 0).i, 258);
	batch_free(b);
}

static size_t parquet_size(size_t rows, struct obuf *o)
{
	struct err e = { 0 };
	struct batch *b;

	assert_int_equal(batch_new(&b, &table, &e), 0);
	for (size_t i = 0; i < rows; i++)
		assert_int_equal(
			batch_add(b, (union batch_value[]){ { .i = (int64_t)i },
							    { .i = 1 },
							    { .d = 2 },
							    { .s = i % 3 ? "one" : "two" } }),
			0);
	o->len = 0;
	assert_int_equal(batch_parquet(b, NULL, 0, o, &e), 0);
	batch_free(b);
	return o->len;
}

/* Readers nobody here wrote read the rest: golden/tables. */
static void parquet(void **state)
{
	static const size_t sizes[] = { 0, 1, 7, 8, 9, 1000, BATCH_PART, BATCH_PART + 1 };
	struct obuf o = { .fd = -1 }, again = { .fd = -1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t n = parquet_size(sizes[i], &o);
		uint32_t footer = 0;

		assert_memory_equal(o.buf, "PAR1", 4);
		assert_memory_equal(o.buf + n - 4, "PAR1", 4);
		for (int k = 0; k < 4; k++)
			footer |= (uint32_t)(unsigned char)o.buf[n - 8 + (size_t)k] << 8 * k;
		assert_in_range(footer, 50, n - 12);
		if (sizes[i] <= 1000) {
			assert_int_equal(parquet_size(sizes[i], &again), n);
			assert_memory_equal(o.buf, again.buf, n);
		}
	}
	free(o.buf);
	free(again.buf);
}

static void gzip(void **state)
{
	struct obuf o = { .fd = -1 }, back = { .fd = -1 };
	char *text = calloc(1, 100000);

	(void)state;
	if (batch_gzip(text, 100000, &o) == -ENOTSUP)
		skip();
	assert_in_range(o.len, 20, 2000);
	assert_int_equal(batch_gunzip(o.buf, o.len, &back), 0);
	assert_int_equal(back.len, 100000);
	assert_memory_equal(back.buf, text, back.len);
	assert_int_equal(batch_gunzip(o.buf, o.len - 9, &back), -EINVAL);
	assert_int_equal(batch_gunzip("none", 4, &back), -EINVAL);
	free(text);
	free(o.buf);
	free(back.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(native),  cmocka_unit_test(copy), cmocka_unit_test(order),
		cmocka_unit_test(parquet), cmocka_unit_test(gzip),
	};

	return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
