// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options by a const table: every form in which they may be written, and what is refused with
 * which message and status.
 */
#include <sys/mman.h>

#include "cli/cli.h"
#include "unit.h"

/* What commands share, as a member of the struct of each. */
struct shared {
	bool force;
	const char *input, *pids;
	char called[32];
};

struct opts {
	uint64_t bits;
	bool all, no_inherit;
	int verbose;
	const char *file, *graph;
	struct cli_list events;
	int64_t delay;
	uint64_t freq;
	char called[32];
	bool unset;
	const char *before, *seen; /* an early option, and what a late one found of it */
	struct shared shared;
};

static int call(void *opts, const struct option *o, const char *arg, bool unset, struct err *e)
{
	struct opts *s = opts;

	(void)o;
	if (arg && !strcmp(arg, "bad"))
		return err_set(e, -EINVAL, "bad argument");
	snprintf(s->called, sizeof(s->called), "%s", arg ? arg : "(none)");
	s->unset = unset;
	return 0;
}

static int see(void *opts, const struct option *o, const char *arg, bool unset, struct err *e)
{
	struct opts *s = opts;

	(void)o, (void)arg, (void)unset, (void)e;
	s->seen = s->before;
	return 0;
}

static int call_shared(void *opts, const struct option *o, const char *arg, bool unset,
		       struct err *e)
{
	struct shared *s = opts;

	(void)o, (void)unset, (void)e;
	snprintf(s->called, sizeof(s->called), "%s", arg);
	return 0;
}

static const struct option which_options[] = {
	OPT_STRING(0, "pid", struct shared, pids, "LIST", "of these processes"),
	OPT_STRING(0, "output", struct shared, pids, "FILE", "never: the command has its own"),
	OPT_CALL(0, "symbols", call_shared, "LIST", "of these functions"),
	OPT_END(),
};

static const struct option shared_options[] = {
	OPT_BOOL('f', "force", struct shared, force, "force"),
	OPT_STRING('k', "input", struct shared, input, "FILE", "input"),
	{ .type = OPTION_INCLUDE, .table = which_options },
	OPT_END(),
};

static const struct option options[] = {
	OPT_GROUP("Group"),
	OPT_BOOL('a', "all-cpus", struct opts, all, "all"),
	OPT_BOOL('i', "no-inherit", struct opts, no_inherit, "no inherit"),
	OPT_INC('v', "verbose", struct opts, verbose, "verbose"),
	OPT_BITS('W', "weight", struct opts, bits, 6, "two bits"),
	OPT_BITS(0, "raw", struct opts, bits, 1, "one bit"),
	OPT_STRING('o', "output", struct opts, file, "FILE", "file"),
	OPT_STRING_DEF('g', "graph", struct opts, graph, "MODE", "fp", "graph"),
	OPT_LIST('e', "event", struct opts, events, "EVENT", "event"),
	OPT_INT('D', "delay", struct opts, delay, "MS", "delay"),
	OPT_UINT('F', "freq", struct opts, freq, "N", "frequency"),
	OPT_CALL_OPTARG('I', "intr-regs", call, "LIST", "registers"),
	OPT_CALL(0, "call-graph", call, "MODE", "call graph"),
	OPT_CALL_NOARG('b', "branch-any", call, "branches"),
	OPT_CALL(0, "see", see, "WHAT", "looks at --tree"),
	{ .type = OPTION_STRING,
	  .name = "tree",
	  .offset = offsetof(struct opts, before),
	  .arg = "PATH",
	  .help = "before all others",
	  .flags = OPTION_EARLY },
	OPT_INCLUDE(struct opts, shared, shared_options),
	OPT_BOOL(0, "branch-other", struct opts, all, "other"),
	OPT_END(),
};

static const char *const usage[] = { "x [<options>]", NULL };
static const struct command cmd = { .name = "x", .usage = usage, .options = options };

/* Splits @line at blanks; '_' stands for a blank inside an argument. */
static int parse(struct opts *o, const char *line, unsigned flags, char **left)
{
	static char buf[512], *argv[32];
	int argc = 1, n, saved = dup(2), null = open("/dev/null", O_WRONLY);

	memset(o, 0, sizeof(*o));
	snprintf(buf, sizeof(buf), "%s", line);
	argv[0] = "x";
	for (char *t = strtok(buf, " "); t; t = strtok(NULL, " "))
		argv[argc++] = t;
	for (int i = 1; i < argc; i++)
		for (char *c = argv[i]; *c; c++)
			*c = *c == '_' ? ' ' : *c;
	argv[argc] = NULL;
	fflush(stderr);
	dup2(null, 2);
	n = cli_parse(&cmd, o, argc, argv, flags);
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	close(null);
	*left = n > 0 ? argv[0] : NULL;
	return n;
}

static void test_forms(void **state)
{
	struct opts o;
	char *left;

	(void)state;
	assert_int_equal(parse(&o, "-av --output=f -F99 cmd", 0, &left), 1);
	assert_true(o.all);
	assert_int_equal(o.verbose, 1);
	assert_string_equal(o.file, "f");
	assert_int_equal(o.freq, 99);
	assert_string_equal(left, "cmd");

	/* One element with a blank inside, as 0x passes it. */
	assert_int_equal(parse(&o, "-F_99 -g", 0, &left), 0);
	assert_int_equal(o.freq, 99);
	assert_string_equal(o.graph, "fp");

	assert_int_equal(parse(&o, "-vvv --no-verbose -v", 0, &left), 0);
	assert_int_equal(o.verbose, 1);

	assert_int_equal(parse(&o, "-D -1", 0, &left), 0);
	assert_int_equal(o.delay, -1);
}

static void test_optional_argument_is_attached(void **state)
{
	struct opts o;
	char *left;

	(void)state;
	assert_int_equal(parse(&o, "-I ax", 0, &left), 1);
	assert_string_equal(o.called, "(none)");
	assert_int_equal(parse(&o, "-Iax,bx", 0, &left), 0);
	assert_string_equal(o.called, "ax,bx");
	assert_int_equal(parse(&o, "--intr-regs=sp", 0, &left), 0);
	assert_string_equal(o.called, "sp");
	assert_int_equal(parse(&o, "--graph=dwarf", 0, &left), 0);
	assert_string_equal(o.graph, "dwarf");
}

static void test_stop_at_argument(void **state)
{
	struct opts o;
	char *left;

	(void)state;
	assert_int_equal(parse(&o, "-a ls -v -z", CLI_STOP_AT_ARG, &left), 3);
	assert_string_equal(left, "ls");
	assert_int_equal(o.verbose, 0);
	assert_int_equal(parse(&o, "-a -- -v", 0, &left), 1);
	assert_string_equal(left, "-v");
	assert_int_equal(parse(&o, "one -a two -", 0, &left), 3);
	assert_true(o.all);
}

static void test_negation(void **state)
{
	struct opts o;
	char *left;

	(void)state;
	assert_int_equal(parse(&o, "--no-inherit", 0, &left), 0);
	assert_true(o.no_inherit);
	assert_int_equal(parse(&o, "-i --inherit", 0, &left), 0);
	assert_false(o.no_inherit);
	assert_int_equal(parse(&o, "--no-call-graph", 0, &left), 0);
	assert_true(o.unset);
	assert_int_equal(parse(&o, "-a --no-all-cpus", 0, &left), 0);
	assert_false(o.all);
	assert_int_equal(parse(&o, "-W --raw", 0, &left), 0);
	assert_int_equal(o.bits, 7);
	assert_int_equal(parse(&o, "--weight --raw --no-weight", 0, &left), 0);
	assert_int_equal(o.bits, 1);
}

static void test_list_keeps_order(void **state)
{
	struct opts o;
	char *left;

	(void)state;
	assert_int_equal(parse(&o, "-e a -eb --event c", 0, &left), 0);
	assert_int_equal(o.events.items.n, 3);
	assert_string_equal(o.events.items.v[1], "b");
	cli_list_free(&o.events);
}

static void test_early_options(void **state)
{
	struct opts o;
	char *left;

	(void)state;
	assert_int_equal(parse(&o, "--see a --tree here arg -vv --tree=there more", 0, &left), 2);
	assert_string_equal(o.seen, "there");
	assert_int_equal(o.verbose, 2); /* the others are taken once */
	/* not from the arguments of a program */
	assert_int_equal(parse(&o, "--see a prog --tree here", CLI_STOP_AT_ARG, &left), 3);
	assert_null(o.before);
	assert_int_equal(parse(&o, "--see a -- --tree here", 0, &left), 2);
	assert_null(o.before);
	assert_int_equal(parse(&o, "--see --tree", 0, &left), 0); /* a value */
	assert_null(o.before);
}

static void test_abbreviations(void **state)
{
	struct opts o;
	char *left;

	(void)state;
	assert_int_equal(parse(&o, "--out=f", 0, &left), 0);
	assert_string_equal(o.file, "f");
	assert_int_equal(parse(&o, "--branch", 0, &left), CLI_EXIT(CLI_USAGE));
	assert_int_equal(parse(&o, "--branch-a", 0, &left), 0);
}

/* Rows of included tables, and of those that these include, store into the command's struct. */
static void test_included(void **state)
{
	struct opts o;
	char *left;

	(void)state;
	assert_int_equal(parse(&o, "-fk in --pid 7 --symbols main --branch-other", 0, &left), 0);
	assert_true(o.shared.force && o.all);
	assert_string_equal(o.shared.input, "in");
	assert_string_equal(o.shared.pids, "7");
	assert_string_equal(o.shared.called, "main");
	assert_int_equal(parse(&o, "--force --no-force --inp=x", 0, &left), 0);
	assert_false(o.shared.force);
	assert_string_equal(o.shared.input, "x");
	/* The command's own row goes before an included one of that name, which nobody can see. */
	assert_int_equal(parse(&o, "--output mine", 0, &left), 0);
	assert_string_equal(o.file, "mine");
	assert_null(o.shared.pids);
	assert_string_equal(cli_long_name(&cmd, 'k'), "input");
	assert_null(cli_long_name(&cmd, 'z'));
}

/* Help shows them where they are included, and each name once. */
static void test_included_help(void **state)
{
	char text[8192] = "", *at;
	int fd = memfd_create("help", 0);
	ssize_t n;

	(void)state;
	cli_print_help(&cmd, fd);
	n = pread(fd, text, sizeof(text) - 1, 0);
	close(fd);
	assert_true(n > 0);
	at = strstr(text, "--tree");
	assert_non_null(at);
	assert_non_null(at = strstr(at, "-f, --force"));
	assert_non_null(at = strstr(at, "--pid <LIST>"));
	assert_non_null(strstr(at, "--branch-other"));
	assert_null(strstr(text, "never"));
}

static void test_refusals(void **state)
{
	static const char *const lines[] = {
		"--nonsense", "-Q",	 "-F",		"--freq",	    "-F abc",
		"--freq=1x",  "--all=3", "--no-freq=3", "--call-graph bad", "-D x",
	};
	struct opts o;
	char *left;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_int_equal(parse(&o, lines[i], 0, &left), CLI_EXIT(CLI_USAGE));
}

static void test_sizes(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(cli_parse_size("10", &v), 0);
	assert_int_equal(v, 10);
	assert_int_equal(cli_parse_size("4k", &v), 0);
	assert_int_equal(v, 4096);
	assert_int_equal(cli_parse_size("2GB", &v), 0);
	assert_int_equal(v, 2ULL << 30);
	assert_int_equal(cli_parse_size("99999999999G", &v), -ERANGE);
	assert_int_equal(cli_parse_size("", &v), -EINVAL);
	assert_int_equal(cli_parse_size("-1", &v), -EINVAL);
	assert_int_equal(cli_parse_size("3X", &v), -EINVAL);
}

static void test_durations(void **state)
{
	static const char *const bad[] = { "",	  "s",	  "30",	  "30S",	"0s",
					   "-1s", "1.5s", "30ms", "100000001s", "30s " };
	uint64_t ms = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (cli_parse_duration(bad[i], &ms) != -EINVAL)
			fail_msg("'%s'", bad[i]);
	assert_int_equal(ms, 7);
	assert_int_equal(cli_parse_duration("30s", &ms), 0);
	assert_int_equal(ms, 30000);
	assert_int_equal(cli_parse_duration("5m", &ms), 0);
	assert_int_equal(ms, 300000);
	assert_int_equal(cli_parse_duration("1h", &ms), 0);
	assert_int_equal(ms, 3600000);
	assert_int_equal(cli_parse_duration("2d", &ms), 0);
	assert_int_equal(ms, 172800000);
}

static void test_has_program(void **state)
{
	char *path = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");

	(void)state;
	assert_non_null(path);
	assert_true(cli_has_program("/bin/sh"));
	assert_true(cli_has_program("sh -c :"));
	assert_false(cli_has_program("no-such-program-at-all"));
	assert_false(cli_has_program("/bin/no-such-program"));
	assert_false(cli_has_program("/bin"));		      /* a directory is none */
	assert_true(cli_has_program("no-such-program | sh")); /* the shell's business */
	setenv("PATH", "/nowhere:/bin:/nowhere", 1);
	assert_true(cli_has_program("sh"));
	setenv("PATH", "/nowhere", 1);
	assert_false(cli_has_program("sh"));
	setenv("PATH", path, 1);
	free(path);
}

static void test_suggest(void **state)
{
	static const char *const names[] = { "cycles", "instructions", "cache-misses", "cycle" };
	char buf[128], tiny[4];

	(void)state;
	cli_suggest("cyclse", names, ARRAY_SIZE(names), buf, sizeof(buf));
	assert_string_equal(buf, "cycle or cycles");
	cli_suggest("zzz", names, ARRAY_SIZE(names), buf, sizeof(buf));
	assert_string_equal(buf, "");
	cli_suggest("instrutcions", names, ARRAY_SIZE(names), buf, sizeof(buf));
	assert_string_equal(buf, "instructions");
	cli_suggest("cycles", names, ARRAY_SIZE(names), tiny, sizeof(tiny));
	assert_int_equal(strlen(tiny), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_optional_argument_is_attached),
		cmocka_unit_test(test_stop_at_argument),
		cmocka_unit_test(test_negation),
		cmocka_unit_test(test_list_keeps_order),
		cmocka_unit_test(test_early_options),
		cmocka_unit_test(test_abbreviations),
		cmocka_unit_test(test_included),
		cmocka_unit_test(test_included_help),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_has_program),
		cmocka_unit_test(test_suggest),
	};

	return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
