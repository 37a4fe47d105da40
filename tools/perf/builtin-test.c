// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf test: lists and runs the suites of the build tree or the installation; -w runs a workload.
 * Suites are programs that print TAP: this runs them one by one and reads what they say.
 */
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "builtin.h"
#include "suites/suites.h"
#include "workload/workload.h"

struct test_opts {
	bool list;
	int verbose;
	const char *skip;
	const char *workload;
	const char *junit;
	uint64_t runs;
	bool sequential;
	bool list_workloads;
};

static const struct option test_options[] = {
	OPT_BOOL('l', "list", struct test_opts, list, "list the suites"),
	OPT_STRING('s', "skip", struct test_opts, skip, "N,...", "suites to leave out, by number"),
	OPT_UINT('r', "runs-per-test", struct test_opts, runs, "N", "run each suite N times"),
	OPT_BOOL('S', "sequential", struct test_opts, sequential,
		 "one suite after the other, as is always done"),
	OPT_STRING(0, "junit", struct test_opts, junit, "FILE",
		   "write the results to FILE as JUnit XML, too"),
	OPT_INC('v', "verbose", struct test_opts, verbose, "show what the suites print"),
	OPT_STRING('w', "workload", struct test_opts, workload, "NAME",
		   "run a built-in workload (arguments follow) instead"),
	OPT_BOOL(0, "list-workloads", struct test_opts, list_workloads, "list the workloads"),
	OPT_END(),
};

static const char *const test_usage[] = {
	"test [<options>] [NUMBER | NAME ...]",
	"test -w NAME [ARGS]",
	NULL,
};

/* What one suite prints goes two ways. */
struct listener {
	bool verbose;
	struct suites_junit *junit;
};

static void one_line(void *ctx, const char *text)
{
	const struct listener *l = ctx;

	if (l->verbose)
		fputs(text, stdout);
	suites_junit_line(l->junit, text);
}

static void print_result(enum suite_state state, const char *why)
{
	bool color = cli_use_color(1);

	switch (state) {
	case SUITE_OK: puts(" Ok"); break;
	case SUITE_SKIPPED:
		printf(" %sSkip%s (%s)\n", color ? "\033[33m" : "", color ? "\033[m" : "", why);
		break;
	default:
		printf(" %sFAILED!%s%s%s\n", color ? "\033[31m" : "", color ? "\033[m" : "",
		       why[0] ? "  " : "", why);
	}
	fflush(stdout);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* How many of the runs failed. */
static int run_often(const struct suites *s, const struct suite *su, const char *label,
		     const struct test_opts *o, struct suites_junit *j)
{
	struct listener l = { .verbose = o->verbose, .junit = j };
	int failed = 0;
	char why[200];

	for (uint64_t run = 1; run <= o->runs; run++) {
		double start = now();
		enum suite_state state;

		fputs(label, stdout);
		if (o->verbose)
			putchar('\n');
		fflush(stdout);
		state = suites_run(s, su, one_line, &l, why, sizeof(why));
		suites_junit_end(j, su->name, state, why, now() - start);
		if (o->verbose)
			fputs(label, stdout);
		print_result(state, why);
		failed += state == SUITE_FAILED;
	}
	if (o->runs > 1 && failed)
		printf("%s failed in %d of %llu runs\n", label, failed,
		       (unsigned long long)o->runs);
	return failed;
}

static const char *program_path(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);

	if (n <= 0)
		return NULL;
	buf[n] = 0;
	return buf;
}

static int run_suites(const struct test_opts *o, const struct bits *skip, struct suites_junit *j,
		      int argc, char **argv)
{
	char exe[PATH_MAX];
	struct suites s = { 0 };
	struct err err = { 0 };
	size_t width = 0, nr = 0, ran = 0;
	int failed = 0;

	if (suites_find(&s, program_path(exe, sizeof(exe)), &err)) {
		suites_free(&s);
		return cli_print_err(&err);
	}
	vec_for_each (su, &s.list)
		width = max_u64(width, strlen(su->name));
	vec_for_each (su, &s.list) {
		char label[128];

		if (!suites_match(su, ++nr, argc, argv) || bits_test(skip, nr))
			continue;
		ran++;
		snprintf(label, sizeof(label), "%3zu: %-*s:", nr, (int)width + 1, su->name);
		if (o->list)
			printf("%3zu: %s\n", nr, su->name);
		else
			failed += run_often(&s, su, label, o, j);
	}
	if (!ran)
		fprintf(stderr, s.list.n ? "No suite has that number or name; see perf test -l.\n"
					 : "No suites are installed or built. In the sources: make "
					   "tests, or make install-tests.\n");
	suites_free(&s);
	return failed || !ran;
}

static int run_workload(const struct command *cmd, const char *name, int argc, char **argv)
{
	const struct workload *w = workload_find(name), *all;
	const char *names[64];
	char **args, near[256];
	size_t nr;
	int ret;

	if (!w) {
		all = workloads(&nr);
		for (size_t i = 0; i < nr && i < ARRAY_SIZE(names); i++)
			names[i] = all[i].name;
		cli_suggest(name, names, nr, near, sizeof(near));
		return cli_usage_error(cmd, "no workload '%s'%s%s", name,
				       near[0] ? ", did you mean " : "", near);
	}
	args = calloc((size_t)argc + 2, sizeof(*args));
	if (!args)
		return 1;
	args[0] = (char *)name;
	memcpy(args + 1, argv, (size_t)argc * sizeof(*args));
	ret = w->run(argc + 1, args);
	free(args);
	return ret;
}

static int test_run(const struct command *cmd, int argc, char **argv)
{
	struct test_opts o = { .runs = 1 };
	const struct workload *w;
	struct suites_junit j = { 0 };
	struct err err = { 0 };
	struct bits skip = { 0 };
	size_t nr;
	int n = cli_parse(cmd, &o, argc, argv, CLI_STOP_AT_ARG), ret;

	if (n < 0)
		return CLI_STATUS(n);
	if (o.workload)
		return run_workload(cmd, o.workload, n, argv);
	if (o.list_workloads) {
		w = workloads(&nr);
		for (size_t i = 0; i < nr; i++)
			printf("%-20s %s %s\n", w[i].name, w[i].args, w[i].summary);
		return 0;
	}
	if (n > 0 && !strcmp(argv[0], "list")) {
		o.list = true;
		argv++;
		n--;
	}
	if (!o.runs || o.runs > INT32_MAX)
		return cli_usage_error(cmd, "-r takes a number from 1 on");
	if (o.skip && bits_parse_list(&skip, o.skip, 100000)) {
		bits_free(&skip);
		return cli_usage_error(cmd, "-s takes numbers of suites, as 3,7-9, not '%s'",
				       o.skip);
	}
	if (o.junit && !o.list && suites_junit_open(&j, o.junit, &err)) {
		bits_free(&skip);
		return cli_print_err(&err);
	}
	ret = run_suites(&o, &skip, &j, n, argv);
	bits_free(&skip);
	return suites_junit_close(&j, &err) ? cli_print_err(&err) : ret;
}

const struct command cmd_test = {
	.name = "test",
	.summary = "Run the test suites, or a built-in workload",
	.usage = test_usage,
	.options = test_options,
	.run = test_run,
};
