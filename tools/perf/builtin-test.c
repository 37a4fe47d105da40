// SPDX-License-Identifier: GPL-2.0-or-later
/* perf test: lists and runs the suites of the build tree or the installation; -w runs a workload. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "builtin.h"
#include "test-junit.h"
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

struct suite {
	char name[80];
	char path[512];
	bool script;
};

struct suites {
	VEC(struct suite) list;
	char unit_dir[256], script_dir[256], out_dir[256];
};

static bool is_dir(const char *path)
{
	return !access(path, X_OK);
}

/*
 * In the build tree $O/srcdir names the sources; installed, all is below libexec, which lies beside
 * bin also where the installation was moved as a whole.
 */
static void find_dirs(struct suites *s)
{
	char exe[200], src[200] = "", file[256], near[256], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	FILE *f;

	snprintf(s->out_dir, sizeof(s->out_dir), "%s", PERF_LIBEXECDIR);
	snprintf(s->script_dir, sizeof(s->script_dir), "%s/tests", PERF_LIBEXECDIR);
	if (n > 0) {
		exe[n] = 0;
		slash = strrchr(exe, '/');
		*slash = 0;
		snprintf(near, sizeof(near), "%s/../libexec/perf", exe);
		if (is_dir(near)) {
			snprintf(s->out_dir, sizeof(s->out_dir), "%s", near);
			snprintf(s->script_dir, sizeof(s->script_dir), "%.240s/tests", near);
		}
		snprintf(file, sizeof(file), "%s/srcdir", exe);
		f = fopen(file, "re");
		if (f && fgets(src, sizeof(src), f)) {
			src[strcspn(src, "\n")] = 0;
			snprintf(s->out_dir, sizeof(s->out_dir), "%s", exe);
			snprintf(s->script_dir, sizeof(s->script_dir), "%s/tests", src);
		}
		if (f)
			fclose(f);
	}
	snprintf(s->unit_dir, sizeof(s->unit_dir), "%.200s/tests/unit", s->out_dir);
}

static int is_unit(const struct dirent *d)
{
	return !strncmp(d->d_name, "test-", 5) && !strchr(d->d_name, '.');
}

static int is_script(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 3 && !strcmp(d->d_name + n - 3, ".sh");
}

static void add_dir(struct suites *s, const char *dir, const char *kind,
		    int (*filter)(const struct dirent *))
{
	struct dirent **names;
	int n = scandir(dir, &names, filter, alphasort);

	for (int i = 0; i < n; i++) {
		struct suite su = { .script = filter == is_script };
		const char *base = names[i]->d_name + (su.script ? 0 : 5);

		snprintf(su.path, sizeof(su.path), "%s/%s", dir, names[i]->d_name);
		snprintf(su.name, sizeof(su.name), "%s: %.*s", kind, (int)strcspn(base, "."), base);
		if (vec_push(&s->list, su))
			log_error("out of memory listing %s", dir);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void find_suites(struct suites *s)
{
	char dir[300];

	find_dirs(s);
	add_dir(s, s->unit_dir, "unit", is_unit);
	snprintf(dir, sizeof(dir), "%s/golden", s->script_dir);
	if (is_dir(dir))
		add_dir(s, dir, "golden", is_script);
	snprintf(dir, sizeof(dir), "%s/system", s->script_dir);
	if (is_dir(dir))
		add_dir(s, dir, "system", is_script);
}

static bool number_listed(const char *list, size_t nr)
{
	struct bits b = { 0 };
	bool hit = list && !bits_parse_list(&b, list, 100000) && bits_test(&b, nr);

	bits_free(&b);
	return hit;
}

static bool wanted(const struct suite *su, size_t nr, int argc, char **argv)
{
	char number[24];

	if (!argc)
		return true;
	snprintf(number, sizeof(number), "%zu", nr);
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], number) || strcasestr(su->name, argv[i]))
			return argv[i][strspn(argv[i], "0123456789")] || !strcmp(argv[i], number);
	return false;
}

enum { SUITE_OK, SUITE_FAILED, SUITE_SKIPPED };

/* What the suite printed decides between passed and skipped as a whole. */
static int run_suite(const struct suites *s, const struct suite *su, int verbose, struct junit *j,
		     char *why, size_t size)
{
	char line[1024];
	int pipefd[2], status;
	pid_t pid;
	FILE *f;

	why[0] = 0;
	if (pipe(pipefd))
		return SUITE_FAILED;
	pid = fork();
	if (!pid) {
		dup2(pipefd[1], 1);
		dup2(pipefd[1], 2);
		close(pipefd[0]);
		close(pipefd[1]);
		setenv("O", s->out_dir, 1);
		setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", 1);
		if (su->script)
			execlp("sh", "sh", su->path, (char *)NULL);
		else
			execl(su->path, su->path, (char *)NULL);
		_exit(127);
	}
	close(pipefd[1]);
	f = pid > 0 ? fdopen(pipefd[0], "r") : NULL;
	while (f && fgets(line, sizeof(line), f)) {
		if (verbose)
			fputs(line, stdout);
		junit_line(j, line);
		if (!strncmp(line, "1..0 # SKIP ", 12))
			snprintf(why, size, "%.*s", (int)strcspn(line + 12, "\n"), line + 12);
		else if (!strncmp(line, "not ok ", 7) && !why[0])
			snprintf(why, size, "%.*s", (int)strcspn(line, "\n"), line);
	}
	if (f)
		fclose(f);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		return SUITE_FAILED;
	return why[0] ? SUITE_SKIPPED : SUITE_OK;
}

static void print_result(int state, const char *why)
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
		     const struct test_opts *o, struct junit *j)
{
	static const enum junit_state states[] = { JUNIT_OK, JUNIT_FAILED, JUNIT_SKIPPED };
	int failed = 0;
	char why[200];

	for (uint64_t run = 1; run <= o->runs; run++) {
		double start = now();
		int state;

		fputs(label, stdout);
		if (o->verbose)
			putchar('\n');
		fflush(stdout);
		state = run_suite(s, su, o->verbose, j, why, sizeof(why));
		junit_suite(j, su->name, states[state], why, now() - start);
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

static int run_suites(const struct test_opts *o, struct junit *j, int argc, char **argv)
{
	struct suites s = { 0 };
	size_t width = 0, nr = 0, ran = 0;
	int failed = 0;

	find_suites(&s);
	vec_for_each (su, &s.list)
		width = max_u64(width, strlen(su->name));
	vec_for_each (su, &s.list) {
		char label[128];

		if (!wanted(su, ++nr, argc, argv) || number_listed(o->skip, nr))
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
	vec_free(&s.list);
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
	struct junit j = { 0 };
	struct err err = { 0 };
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
	if (o.junit && !o.list && junit_open(&j, o.junit, &err))
		return cli_print_err(&err);
	ret = run_suites(&o, &j, n, argv);
	return junit_close(&j, &err) ? cli_print_err(&err) : ret;
}

const struct command cmd_test = {
	.name = "test",
	.summary = "Run the test suites, or a built-in workload",
	.usage = test_usage,
	.options = test_options,
	.run = test_run,
};
