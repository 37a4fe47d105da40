// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks of FORMAT Native read back, and such as are cut or changed at any byte. */
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "net/native-int.h"
#include "unit.h"

static const struct batch_column columns[] = {
	{ "a", BATCH_INT64, "" },
	{ "b", BATCH_INT32, "" },
	{ "c", BATCH_DOUBLE, "" },
	{ "d", BATCH_STRING, "" },
};
static const struct batch_table table = { "t", "", columns, ARRAY_SIZE(columns), "a" };

static struct obuf make(void)
{
	struct obuf o = { .fd = -1 };
	struct batch *b;
	struct err e = { 0 };

	assert_int_equal(batch_new(&b, &table, &e), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(batch_add(b, (union batch_value[]){ { .i = INT64_MIN + i },
								     { .i = -i },
								     { .d = 0.5 },
								     { .s = i ? "text" : "" } }),
				 0);
	assert_int_equal(batch_native(b, 0, 3, &o), 0);
	batch_free(b);
	return o;
}

static void test_back(void **state)
{
	struct obuf o = make();
	struct net_native t;
	const struct net_native_column *c;

	(void)state;
	assert_int_equal(net_native_read(&t, &o, 3), 0);
	c = net_native_column(&t, "a", true);
	assert_non_null(c);
	assert_int_equal(net_native_num(c, 1), INT64_MIN + 1);
	c = net_native_column(&t, "b", true);
	assert_non_null(c);
	assert_int_equal(net_native_num(c, 2), -2);
	c = net_native_column(&t, "d", false);
	assert_non_null(c);
	assert_string_equal(c->str.v[0], "");
	assert_string_equal(c->str.v[2], "text");
	assert_null(net_native_column(&t, "d", true));
	assert_null(net_native_column(&t, "a", false));
	assert_null(net_native_column(&t, "nothing", true));
	net_native_free(&t);
	assert_int_equal(net_native_read(&t, &o, 4), -EINVAL);
	free(o.buf);
}

static void test_join(void **state)
{
	struct obuf one[3] = { make(), make(), make() }, all = { .fd = -1 }, same = { .fd = -1 };
	const uint64_t rows[] = { 3, 3, 3 };
	const struct net_native_column *c;
	struct net_native t;

	(void)state;
	assert_int_equal(net_native_join(&all, one, rows, 3), 0);
	assert_int_equal(net_native_read(&t, &all, 9), 0);
	c = net_native_column(&t, "a", true);
	for (uint64_t i = 0; i < 9; i++)
		assert_int_equal(net_native_num(c, i), INT64_MIN + (int64_t)(i % 3));
	c = net_native_column(&t, "d", false);
	for (uint64_t i = 0; i < 9; i++)
		assert_string_equal(c->str.v[i], i % 3 ? "text" : "");
	net_native_free(&t);
	/* One is itself. */
	assert_int_equal(net_native_join(&same, one, rows, 1), 0);
	assert_int_equal(same.len, one[0].len);
	assert_memory_equal(same.buf, one[0].buf, same.len);
	/* What is damaged, or of another number of rows, is in no block. */
	one[1].len--;
	assert_int_equal(net_native_join(&all, one, rows, 3), -EINVAL);
	assert_int_equal(net_native_join(&all, one, (uint64_t[]){ 3, 4, 3 }, 3), -EINVAL);
	/* Another column: its name begins behind both counts and its own length. */
	one[2].buf[3] = 'z';
	assert_int_equal(net_native_join(&all, (struct obuf[]){ one[0], one[2] }, rows, 2),
			 -EINVAL);
	for (int i = 0; i < 3; i++)
		free(one[i].buf);
	free(all.buf);
	free(same.buf);
}

/* In memory of just that size, where a sanitizer looks at its ends. */
static void test_hostile(void **state)
{
	static const unsigned char bytes[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct obuf o = make();

	(void)state;
	for (size_t n = 0; n <= o.len; n++)
		for (size_t k = 0; k <= ARRAY_SIZE(bytes); k++) {
			struct obuf cut = { .fd = -1, .buf = malloc(n + 1), .len = n };
			struct obuf joined = { .fd = -1 };
			struct net_native t;

			assert_non_null(cut.buf);
			cut.buf = realloc(cut.buf, n ? n : 1);
			memcpy(cut.buf, o.buf, n);
			if (n && k < ARRAY_SIZE(bytes))
				cut.buf[n / 2] = (char)bytes[k];
			if (!net_native_read(&t, &cut, 3))
				net_native_free(&t);
			if (!net_native_join(&joined, &cut, &(uint64_t){ 3 }, 1))
				assert_int_equal(joined.code, 0);
			free(joined.buf);
			free(cut.buf);
		}
	free(o.buf);
}

/* Rows of nothing would be as many as somebody says. */
static void test_no_columns(void **state)
{
	static const char none[] = { 0, 0 }, many[] = { 0, -1, -1, -1, -1, 0xf };
	struct obuf o = { .fd = -1 }, joined = { .fd = -1 };
	struct net_native t;

	(void)state;
	obuf_mem(&o, many, sizeof(many));
	assert_int_equal(net_native_read(&t, &o, UINT32_MAX), -EINVAL);
	assert_int_equal(net_native_join(&joined, &o, &(uint64_t){ UINT32_MAX }, 1), -EINVAL);
	o.len = 0;
	obuf_mem(&o, none, sizeof(none));
	assert_int_equal(net_native_read(&t, &o, 0), 0);
	net_native_free(&t);
	free(o.buf);
	free(joined.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_no_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
