// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One walk as text, JSON and CSV; strings out of a file that would steer a terminal or break a
 * document.
 */
#include "emit/emit.h"
#include "unit.h"

static char *text(struct obuf *o)
{
	obuf_char(o, 0);
	return o->buf;
}

static void walk(struct emit *e)
{
	emit_object(e, NULL);
	emit_str(e, "name", "a\"b\x1b[31m");
	emit_u64(e, "n", 3);
	emit_array(e, "list");
	emit_u64(e, NULL, 1);
	emit_s64(e, NULL, -2);
	emit_end(e);
	emit_object(e, "inner");
	emit_hex(e, "addr", 0x1000);
	emit_f64(e, "share", 0.5, 2);
	emit_f64(e, "nan", 0.0 / 0.0, 2);
	emit_bool(e, "ok", true);
	emit_str(e, "none", NULL);
	emit_end(e);
	emit_end(e);
	emit_finish(e);
}

static void test_json(void **state)
{
	struct obuf o;
	struct emit e;

	(void)state;
	obuf_init(&o, -1, 0);
	emit_init(&e, &o, EMIT_JSON);
	walk(&e);
	assert_string_equal(text(&o),
			    "{\"name\":\"a\\\"b\\u001b[31m\",\"n\":3,\"list\":[1,-2],\"inner\":{"
			    "\"addr\":\"0x1000\",\"share\":0.50,\"nan\":null,\"ok\":true,"
			    "\"none\":null}}\n");
	obuf_free(&o);
}

static void test_text(void **state)
{
	struct obuf o;
	struct emit e;

	(void)state;
	obuf_init(&o, -1, 0);
	emit_init(&e, &o, EMIT_TEXT);
	walk(&e);
	assert_string_equal(text(&o), "name: a\"b\\x1b[31m\nn: 3\nlist:\n  1\n  -2\ninner:\n"
				      "  addr: 0x1000\n  share: 0.50\n  nan: -\n  ok: yes\n"
				      "  none: -\n");
	obuf_free(&o);
}

static const struct emit_column cols[] = { { "name", "Name", false }, { "n", "Count", true } };

static struct emit_table *table(void)
{
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));

	emit_table_cell(t, "%s", "alpha");
	emit_table_cell(t, "%d", 5);
	emit_table_cell(t, "%s", "b,\"c\"");
	emit_table_cell(t, "%s", "n/a");
	return t;
}

static void test_tables(void **state)
{
	static const struct {
		enum emit_format format;
		const char *want;
	} cases[] = {
		{ EMIT_TEXT, "Name   Count\nalpha      5\nb,\"c\"    n/a\n" },
		{ EMIT_JSON,
		  "[{\"name\":\"alpha\",\"n\":5},{\"name\":\"b,\\\"c\\\"\",\"n\":\"n/a\"}]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct emit_table *t = table();
		struct obuf o;
		struct emit e;

		obuf_init(&o, -1, 0);
		emit_init(&e, &o, cases[i].format);
		emit_table_print(t, &e, NULL);
		assert_string_equal(text(&o), cases[i].want);
		obuf_free(&o);
		emit_table_free(t);
	}
}

static void test_safe(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain", "plain" },
		{ "tab\there", "tab\\x09here" },
		{ "\x1b]0;title\x07", "\\x1b]0;title\\x07" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" }, /* UTF-8 passes */
		{ "\xc2\x9b"
		  "31m",
		  "\\xc2\\x9b31m" }, /* C1 CSI in UTF-8 */
		{ "\x9b"
		  "31m",
		  "\\x9b31m" },				     /* and bare */
		{ "\xe2\x80\xaetxt", "\\xe2\\x80\\xaetxt" }, /* right-to-left override */
		{ "a\xe2\x80\x8b"
		  "b\xef\xbb\xbf",
		  "a\\xe2\\x80\\x8bb\\xef\\xbb\\xbf" },		/* no width: looks like "ab" */
		{ "\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81" }, /* a tag */
		{ "\xc0\x80", "\\xc0\\x80" },			/* overlong */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },		/* surrogate */
		{ "cut\xe2\x82", "cut\\xe2\\x82" },		/* incomplete */
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct obuf o;

		obuf_init(&o, -1, 0);
		emit_safe(&o, cases[i].in);
		assert_string_equal(text(&o), cases[i].out);
		assert_int_equal(emit_is_safe(cases[i].in), !strcmp(cases[i].in, cases[i].out));
		obuf_free(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_safe),
	};

	return cmocka_run_group_tests_name("emit", tests, NULL, NULL);
}
