// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of settings: which options they stand for. */
#include "cli/cli.h"
#include "unit.h"

static const struct cli_setting table[] = {
	{ .key = "show.colour", .command = "list", .kind = CLI_SETTING_FLAG, .option = "colour" },
	{ .key = "show.depth", .kind = CLI_SETTING_VALUE, .option = "depth" },
	{ .key = "show.unused", .kind = CLI_SETTING_NONE },
	{ .key = "show.dir", .kind = CLI_SETTING_ENV, .option = "PERF_TEST_SETTING" },
	{ .key = "show.how",
	  .kind = CLI_SETTING_CHOICE,
	  .option = "fast=no-care,slow=with-care,fastest=no-limits" },
	{ .key = "graph.type", .kind = CLI_SETTING_WORD, .option = "graph", .place = 0 },
	{ .key = "graph.low", .kind = CLI_SETTING_WORD, .option = "graph", .place = 1 },
	{ .key = "graph.max",
	  .kind = CLI_SETTING_WORD,
	  .option = "graph",
	  .place = 2,
	  .gap = "0.5" },
	{ .key = "stack.mode", .kind = CLI_SETTING_WORD, .option = "stack", .place = 0 },
	{ .key = "stack.size",
	  .kind = CLI_SETTING_WORD,
	  .option = "stack",
	  .place = 1,
	  .behind = "copy" },
};

static char path[] = "/tmp/perf-test-settings.XXXXXX";

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return setenv("PERF_CONFIG", path, 1);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

/* The options that @text stands for, with blanks between them. */
static const char *options(const char *command, const char *text)
{
	static char all[1000];
	struct cli_args args = { .nr = 0 };
	struct err e = { 0 };
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	all[0] = 0;
	if (cli_settings(table, ARRAY_SIZE(table), command, &args, &e)) {
		snprintf(all, sizeof(all), "error: %s", e.text);
	} else {
		for (size_t i = 0; i < args.nr; i++) {
			size_t n = strlen(all);

			snprintf(all + n, sizeof(all) - n, "%s%s", i ? " " : "", args.v[i]);
		}
	}
	arena_free(&args.arena);
	return all;
}

static void test_kinds(void **state)
{
	(void)state;
	assert_string_equal(options("list", "[show]\ncolour = yes\ndepth = 3\nunused = 1\n"),
			    "--colour --depth=3");
	assert_string_equal(options("list", "[show]\ncolour = off\n"), "--no-colour");
	assert_string_equal(options("list", "[show]\ncolour\n"), "--colour");
	/* another command's setting */
	assert_string_equal(options("record", "[show]\ncolour = yes\n"), "");
	assert_string_equal(options("list", ""), "");
}

static void test_choices(void **state)
{
	(void)state;
	assert_string_equal(options("list", "[show]\nhow = fast\n"), "--no-care");
	assert_string_equal(options("list", "[show]\nhow = slow\n"), "--with-care");
	assert_string_equal(options("list", "[show]\nhow = fastest\n"), "--no-limits");
	assert_string_equal(options("list", "[show]\nhow = as-ever\n"), "");
	assert_string_equal(options("list", "[show]\nhow = low\n"), "");
}

/* Words of one option stand in its order, whatever that of the file. */
static void test_words(void **state)
{
	(void)state;
	assert_string_equal(options("list", "[graph]\nlow = 2\ntype = flat\n"), "--graph=flat,2");
	assert_string_equal(options("list", "[graph]\nmax = 9\n"), "--graph=0.5,9");
	assert_string_equal(options("list", "[graph]\nmax = 9\nlow = 1\n"), "--graph=1,9");
	assert_string_equal(options("list", "[stack]\nmode = copy\nsize = 64\n"),
			    "--stack=copy,64");
	assert_string_equal(options("list", "[stack]\nmode = walk\nsize = 64\n"), "--stack=walk");
	assert_string_equal(options("list", "[stack]\nsize = 64\n"), "");
	assert_string_equal(options("list", "[stack]\nmode = copy\n[graph]\ntype = a\n"),
			    "--stack=copy --graph=a");
}

static void test_environment(void **state)
{
	(void)state;
	unsetenv("PERF_TEST_SETTING");
	options("list", "[show]\ndir = /here\n");
	assert_string_equal(getenv("PERF_TEST_SETTING"), "/here");
	options("list", "[show]\ndir = /there\n"); /* what is set stays */
	assert_string_equal(getenv("PERF_TEST_SETTING"), "/here");
}

/* Keys without a row are named once; other things than files are left alone. */
static void test_notes(void **state)
{
	struct cli_args args = { .nr = 0 };
	struct err e = { 0 };
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	fputs("[show]\nunused = 1\nspeed = 3\n[other]\nthing = 1\n", f);
	fclose(f);
	assert_int_equal(cli_settings(table, ARRAY_SIZE(table), "list", &args, &e), 0);
	assert_int_equal(args.nr_notes, 1);
	assert_non_null(
		strstr(args.notes[0].text, "nothing here is set by show.speed, other.thing"));
	arena_free(&args.arena);

	args = (struct cli_args){ .nr = 0 };
	assert_int_equal(setenv("PERF_CONFIG", "/", 1), 0);
	assert_int_equal(cli_settings(table, ARRAY_SIZE(table), "list", &args, &e), 0);
	assert_int_equal(args.nr_notes, 1);
	assert_string_equal(args.notes[0].text, "/ is no regular file: no settings from there");
	arena_free(&args.arena);
	assert_int_equal(setenv("PERF_CONFIG", path, 1), 0);
}

static void test_refused(void **state)
{
	char many[40 * 12 + 10] = "[show]\n", want[100];

	(void)state;
	snprintf(want, sizeof(want), "error: %s:2: neither [section] nor key = value", path);
	assert_string_equal(options("list", "[show]\n= 3\n"), want);
	for (int i = 0; i < 40; i++)
		strcat(many, "depth = 1\n");
	assert_non_null(strstr(options("list", many), "the settings of perf cannot be taken"));
	assert_int_equal(setenv("PERF_CONFIG", "/dev/null", 1), 0);
	assert_string_equal(options("list", "[show]\ndepth = 3\n"), "");
	assert_int_equal(setenv("PERF_CONFIG", path, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds), cmocka_unit_test(test_choices),
		cmocka_unit_test(test_words), cmocka_unit_test(test_environment),
		cmocka_unit_test(test_notes), cmocka_unit_test(test_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("cli: settings", tests, setup, teardown);
}
