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

/* In memory of just that size, where a sanitizer looks at its ends. */
static void test_hostile(void **state)
{
	static const unsigned char bytes[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct obuf o = make();

	(void)state;
	for (size_t n = 0; n <= o.len; n++)
		for (size_t k = 0; k <= ARRAY_SIZE(bytes); k++) {
			struct obuf cut = { .fd = -1, .buf = malloc(n + 1), .len = n };
			struct net_native t;

			assert_non_null(cut.buf);
			cut.buf = realloc(cut.buf, n ? n : 1);
			memcpy(cut.buf, o.buf, n);
			if (n && k < ARRAY_SIZE(bytes))
				cut.buf[n / 2] = (char)bytes[k];
			if (!net_native_read(&t, &cut, 3))
				net_native_free(&t);
			free(cut.buf);
		}
	free(o.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
