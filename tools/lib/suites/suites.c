// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where suites are and how one is run. They are programs and scripts that know nothing of this room:
 * $O says where the program that they test lies, TAP on stdout and stderr is all that they say.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suites/suites.h"

static bool is_dir(const char *path)
{
	return !access(path, X_OK);
}

/*
 * In the build tree $O/srcdir names the sources; installed, all is below libexec, which lies beside
 * bin also where the installation was moved as a whole.
 */
static void find_dirs(struct suites *s, const char *program)
{
	char exe[200], src[200] = "", file[256], near[256], *slash;
	FILE *f;

	snprintf(s->out_dir, sizeof(s->out_dir), "%s", PERF_LIBEXECDIR);
	snprintf(s->script_dir, sizeof(s->script_dir), "%s/tests", PERF_LIBEXECDIR);
	snprintf(s->unit_dir, sizeof(s->unit_dir), "%.200s/tests/unit", s->out_dir);
	slash = program ? strrchr(program, '/') : NULL;
	if (!slash || (size_t)(slash - program) >= sizeof(exe))
		return;
	snprintf(exe, sizeof(exe), "%.*s", (int)(slash - program), program);
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

static int add_dir(struct suites *s, const char *dir, const char *kind,
		   int (*filter)(const struct dirent *))
{
	struct dirent **names;
	int n = scandir(dir, &names, filter, alphasort), ret = 0;

	for (int i = 0; i < n; i++) {
		struct suite su = { .script = filter == is_script };
		const char *base = names[i]->d_name + (su.script ? 0 : 5);

		snprintf(su.path, sizeof(su.path), "%s/%s", dir, names[i]->d_name);
		snprintf(su.name, sizeof(su.name), "%s: %.*s", kind, (int)strcspn(base, "."), base);
		if (!ret)
			ret = vec_push(&s->list, su);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return ret;
}

int suites_find(struct suites *s, const char *exe, struct err *e)
{
	static const char *const kinds[] = { "golden", "system" };
	char dir[300];
	int ret;

	memset(s, 0, sizeof(*s));
	find_dirs(s, exe);
	ret = add_dir(s, s->unit_dir, "unit", is_unit);
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !ret; i++) {
		snprintf(dir, sizeof(dir), "%s/%s", s->script_dir, kinds[i]);
		if (is_dir(dir))
			ret = add_dir(s, dir, kinds[i], is_script);
	}
	return ret ? err_set(e, ret, "no memory for the list of suites") : 0;
}

void suites_free(struct suites *s)
{
	vec_free(&s->list);
}

bool suites_match(const struct suite *su, size_t nr, int nr_words, char *const *words)
{
	char number[24];

	if (!nr_words)
		return true;
	snprintf(number, sizeof(number), "%zu", nr);
	for (int i = 0; i < nr_words; i++) {
		bool digits = !words[i][strspn(words[i], "0123456789")];

		if (digits ? !strcmp(words[i], number) : strcasestr(su->name, words[i]) != NULL)
			return true;
	}
	return false;
}

/* Where the tests are is a program that ends what hangs, with all that it started. */
static void exec_suite(const struct suites *s, const struct suite *su, const char *seconds)
{
	char limit[sizeof(s->out_dir) + 32];

	snprintf(limit, sizeof(limit), "%s/tests/helpers/limit", s->out_dir);
	if (su->script) {
		execl(limit, limit, seconds, "sh", su->path, (char *)NULL);
		execlp("sh", "sh", su->path, (char *)NULL);
	}
	execl(limit, limit, seconds, su->path, (char *)NULL);
	execl(su->path, su->path, (char *)NULL);
	_exit(127);
}

/* What the suite printed decides between passed and skipped as a whole. */
enum suite_state suites_run(const struct suites *s, const struct suite *su,
			    void (*line)(void *ctx, const char *text), void *ctx, char *why,
			    size_t size)
{
	const char *seconds = getenv("TEST_TIMEOUT") ?: SUITE_SECONDS;
	int pipefd[2], status = 0;
	char text[1024];
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
		setenv("PERF_SYMBOL_CACHE", "0", 1); /* the user's is none of ours */
		exec_suite(s, su, seconds);
	}
	close(pipefd[1]);
	f = pid > 0 ? fdopen(pipefd[0], "r") : NULL;
	while (f && fgets(text, sizeof(text), f)) {
		line(ctx, text);
		if (!strncmp(text, "1..0 # SKIP ", 12))
			snprintf(why, size, "%.*s", (int)strcspn(text + 12, "\n"), text + 12);
		else if (!strncmp(text, "not ok ", 7) && !why[0])
			snprintf(why, size, "%.*s", (int)strcspn(text, "\n"), text);
	}
	if (f)
		fclose(f);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return SUITE_FAILED;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 124)
		snprintf(why, size, "it hung, and was ended after %s s", seconds);
	if (status)
		return SUITE_FAILED;
	return why[0] ? SUITE_SKIPPED : SUITE_OK;
}
