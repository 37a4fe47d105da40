// SPDX-License-Identifier: GPL-2.0-or-later
/* Suites of a made tree: which are found, what becomes of them, and the XML about them. */
#include <limits.h>
#include <sys/stat.h>

#include "base/file.h"
#include "suites/suites.h"
#include "unit.h"

static char dir[] = "/tmp/perf-test-suites.XXXXXX";

/* A script of mode @mode at @path below the directory. */
static void put(const char *path, const char *text, mode_t mode)
{
	unit_put(dir, path, text, mode);
}

static int setup(void **state)
{
	char text[PATH_MAX];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(text, sizeof(text), "%s/src\n", dir);
	put("out/srcdir", text, 0644);
	put("out/tests/unit/test-b", "#!/bin/sh\necho \"ok 1 - $O\"\n", 0755);
	put("out/tests/unit/test-a", "#!/bin/sh\nexit 3\n", 0755);
	put("out/tests/unit/test-a.o", "", 0644);
	put("out/tests/unit/helper", "", 0755);
	put("src/tests/system/good.sh", "echo 'ok 1 - one'\n", 0644);
	put("src/tests/system/bad.sh",
	    "echo 'ok 1 - first'; echo 'not ok 2 - <second>'; echo '# because & so'; exit 1\n",
	    0644);
	put("src/tests/system/skip.sh", "echo '1..0 # SKIP needs a unicorn'\n", 0644);
	put("src/tests/system/killed.sh", "kill -9 $$\n", 0644);
	put("src/tests/system/lib.txt", "", 0644);
	put("moved/bin/perf", "", 0755);
	put("moved/libexec/perf/tests/unit/test-c", "", 0755);
	put("moved/libexec/perf/tests/golden/d.sh", "", 0644);
	return 0;
}

static int teardown(void **state)
{
	char cmd[PATH_MAX];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return system(cmd);
}

static void find(struct suites *s, const char *exe)
{
	char path[PATH_MAX];
	struct err e = { 0 };

	snprintf(path, sizeof(path), "%s/%s", dir, exe);
	if (suites_find(s, path, &e))
		fail_msg("%s", e.text);
}

static void test_find(void **state)
{
	static const char *const built[] = { "unit: a",	     "unit: b",	       "system: bad",
					     "system: good", "system: killed", "system: skip" };
	struct suites s;

	(void)state;
	find(&s, "out/perf");
	assert_int_equal(s.list.n, ARRAY_SIZE(built));
	for (size_t i = 0; i < s.list.n; i++) {
		assert_string_equal(s.list.v[i].name, built[i]);
		assert_int_equal(s.list.v[i].script, i >= 2);
	}
	suites_free(&s);

	find(&s, "moved/bin/perf"); /* an installation that was moved as a whole */
	assert_int_equal(s.list.n, 2);
	assert_string_equal(s.list.v[0].name, "unit: c");
	assert_string_equal(s.list.v[1].name, "golden: d");
	suites_free(&s);
}

static void test_match(void **state)
{
	const struct suite su = { .name = "system: record-12" };
	char *number[] = { (char *)"12" }, *other[] = { (char *)"1" };
	char *name[] = { (char *)"RECORD" }, *two[] = { (char *)"no", (char *)"system" };
	char *both[] = { (char *)"12", (char *)"record" };

	(void)state;
	assert_true(suites_match(&su, 12, 0, NULL));
	assert_true(suites_match(&su, 12, 1, number));
	assert_false(suites_match(&su, 3, 1, number)); /* digits are a number, not a part */
	assert_false(suites_match(&su, 12, 1, other));
	assert_true(suites_match(&su, 1, 1, name));
	assert_true(suites_match(&su, 1, 2, two));
	/* A number that the name has in it too does not keep others from being asked. */
	assert_true(suites_match(&su, 3, 2, both));
	assert_true(suites_match(&su, 12, 2, both));
	assert_false(suites_match(&su, 3, 1, both));
}

static void ignore(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

/* One that hangs does not hang those behind it. */
static void test_hangs(void **state)
{
	const char *out = getenv("O");
	char limit[PATH_MAX], path[PATH_MAX], link[PATH_MAX], why[100];
	struct suites s;

	(void)state;
	snprintf(limit, sizeof(limit), "%s/tests/helpers/limit", out ? out : "build");
	if (access(limit, X_OK)) {
		print_message("# skipped: no %s here\n", limit);
		skip();
	}
	put("out/tests/helpers/x", "", 0644); /* the directory */
	snprintf(link, sizeof(link), "%s/out/tests/helpers/limit", dir);
	put("src/tests/system/good.sh", "echo 'ok 1 - one'; sleep 100 & sleep 200\n", 0644);
	assert_non_null(realpath(limit, path));
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(setenv("TEST_TIMEOUT", "1", 1), 0);
	find(&s, "out/perf");
	assert_int_equal(suites_run(&s, &s.list.v[3], ignore, NULL, why, sizeof(why)),
			 SUITE_FAILED);
	assert_string_equal(why, "it hung, and was ended after 1 s");
	suites_free(&s);
	unsetenv("TEST_TIMEOUT");
	unlink(link);
	put("src/tests/system/good.sh", "echo 'ok 1 - one'\n", 0644);
}

struct heard {
	struct suites_junit *j;
	char text[1000];
};

static void hear(void *ctx, const char *text)
{
	struct heard *h = ctx;
	size_t n = strlen(h->text);

	snprintf(h->text + n, sizeof(h->text) - n, "%s", text);
	suites_junit_line(h->j, text);
}

static void test_run(void **state)
{
	static const struct {
		enum suite_state state;
		const char *why;
	} want[] = {
		{ SUITE_FAILED, "" }, { SUITE_OK, "" },	    { SUITE_FAILED, "not ok 2 - <second>" },
		{ SUITE_OK, "" },     { SUITE_FAILED, "" }, { SUITE_SKIPPED, "needs a unicorn" }
	};
	struct suites_junit none = { 0 };
	struct suites s;
	char why[100];

	(void)state;
	find(&s, "out/perf");
	for (size_t i = 0; i < s.list.n; i++) {
		struct heard h = { .j = &none };

		assert_int_equal(suites_run(&s, &s.list.v[i], hear, &h, why, sizeof(why)),
				 want[i].state);
		assert_string_equal(why, want[i].why);
		/* $O is where the program that is tested lies */
		if (i == 1)
			assert_non_null(strstr(h.text, "/out\n"));
	}
	suites_free(&s);
}

static void test_junit(void **state)
{
	static const char *const parts[] = {
		"<testsuites name=\"perf\" tests=\"4\" failures=\"2\" skipped=\"1\"",
		"<testsuite name=\"system: bad\" tests=\"2\" failures=\"1\" skipped=\"0\"",
		"<testcase name=\"&lt;second&gt;\"><failure># because &amp; so\n</failure>",
		"<failure message=\"it ended without saying why\"/>",
		"<skipped message=\"needs a unicorn\"/>",
	};
	struct suites_junit j = { 0 };
	struct heard h = { .j = &j };
	struct err e = { 0 };
	char path[PATH_MAX], why[100], *xml;
	struct suites s;

	(void)state;
	snprintf(path, sizeof(path), "%s/none/x.xml", dir);
	assert_int_equal(suites_junit_open(&j, path, &e), -ENOENT);
	snprintf(path, sizeof(path), "%s/x.xml", dir);
	assert_int_equal(suites_junit_open(&j, path, &e), 0);
	find(&s, "out/perf");
	for (size_t i = 2; i < s.list.n; i++) {
		enum suite_state got;

		if (i == 3)
			continue;
		got = suites_run(&s, &s.list.v[i], hear, &h, why, sizeof(why));
		suites_junit_end(&j, s.list.v[i].name, got, why, 0.25);
	}
	suites_free(&s);
	assert_int_equal(suites_junit_close(&j, &e), 0);
	xml = file_read_all(path, 1 << 20, NULL, &e);
	assert_non_null(xml);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(xml, parts[i]))
			fail_msg("no %s in %s", parts[i], xml);
	free(xml);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),  cmocka_unit_test(test_match),
		cmocka_unit_test(test_run),   cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_junit),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("suites", tests, setup, teardown);
}
