// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ~/.perfconfig, and before it /etc/perfconfig: settings become options that stand before those of the
 * command line, which win, so that no command has two ways to be told a thing. A table says which
 * option a key stands for. What is in no table is named once, so that nobody waits for its effect.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define MAX_JOINED 8

/* What one option is put together of. */
struct joined {
	const char *option;
	const struct cli_setting *row[MAX_JOINED];
	const char *word[MAX_JOINED]; /* by place; NULL = not set */
};

struct reading {
	const struct cli_setting *table;
	size_t nr;
	const char *command;
	struct cli_args *args;
	struct joined joined[4];
	char ignored[600];
};

static bool is_true(const char *v)
{
	return !strcasecmp(v, "true") || !strcasecmp(v, "yes") || !strcasecmp(v, "on") ||
	       (*v && strcmp(v, "0") != 0 && !v[strspn(v, "0123456789")]);
}

static int add(struct reading *r, const char *fmt, const char *a, const char *b)
{
	struct cli_args *args = r->args;

	if (args->nr + 1 >= ARRAY_SIZE(args->v))
		return -E2BIG;
	args->v[args->nr] = arena_printf(&args->arena, fmt, a, b);
	return args->v[args->nr++] ? 0 : -ENOMEM;
}

/* The option of a row of kind CLI_SETTING_WORD, found or begun. */
static struct joined *joined_of(struct reading *r, const char *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->joined); i++) {
		struct joined *j = &r->joined[i];

		if (!j->option)
			j->option = option;
		if (!strcmp(j->option, option))
			return j;
	}
	return NULL;
}

static int keep_word(struct reading *r, const struct cli_setting *row, const char *value)
{
	struct joined *j = joined_of(r, row->option);

	if (!j || row->place >= MAX_JOINED)
		return -E2BIG;
	j->row[row->place] = row;
	j->word[row->place] = arena_strndup(&r->args->arena, value, strlen(value));
	return j->word[row->place] ? 0 : -ENOMEM;
}

/* "VALUE=OPTION,VALUE=OPTION": the option of this value, if any. */
static int add_choice(struct reading *r, const char *choices, const char *value)
{
	size_t n = strlen(value);

	for (const char *p = choices; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, value, n) && p[n] == '=') {
			char option[64];

			snprintf(option, sizeof(option), "%.*s", (int)strcspn(p + n + 1, ","),
				 p + n + 1);
			return add(r, "--%s%s", option, "");
		}
	}
	return 0; /* it is that way already */
}

static int set_env(const char *name, const char *value)
{
	return setenv(name, value, 0) ? -errno : 0;
}

/* [pager] report = false, or a command: what cli_pager_start() asks for. */
static int set_pager(const struct reading *r, const char *name, const char *value)
{
	if (strcmp(name, r->command) != 0 || getenv("PERF_PAGER"))
		return 0;
	if (!strcasecmp(value, "false") || !strcasecmp(value, "off") || !strcmp(value, "0"))
		value = "cat";
	else if (is_true(value))
		return 0;
	return set_env("PERF_PAGER", value);
}

static int take(struct reading *r, const struct cli_setting *row, const char *value)
{
	switch (row->kind) {
	case CLI_SETTING_FLAG: return add(r, "--%s%s", is_true(value) ? "" : "no-", row->option);
	case CLI_SETTING_VALUE: return add(r, "--%s=%s", row->option, value);
	case CLI_SETTING_CHOICE: return add_choice(r, row->option, value);
	case CLI_SETTING_WORD: return keep_word(r, row, value);
	case CLI_SETTING_ENV: return set_env(row->option, value);
	case CLI_SETTING_NONE: break;
	}
	return 0;
}

static int one_setting(void *ctx, const char *key, const char *value)
{
	struct reading *r = ctx;
	bool known = false;
	size_t n;

	if (!strncmp(key, "pager.", 6))
		return set_pager(r, key + 6, value);
	if (!strcmp(key, "color.ui"))
		return strcmp(value, "never") != 0 && strcmp(value, "false") != 0
			       ? 0
			       : set_env("NO_COLOR", "1");
	for (size_t i = 0; i < r->nr; i++) {
		const struct cli_setting *row = &r->table[i];

		if (strcmp(key, row->key) != 0)
			continue;
		if (!row->command || !strcmp(row->command, r->command))
			return take(r, row, value);
		known = true; /* of another command; there may be a row of ours, too */
	}
	if (known)
		return 0;
	n = strlen(r->ignored);
	snprintf(r->ignored + n, sizeof(r->ignored) - n, "%s%s", n ? ", " : "", key);
	return 0;
}

/* Of each file at most one thing is told. */
static struct err *note(struct reading *r)
{
	struct cli_args *a = r->args;

	return a->nr_notes < ARRAY_SIZE(a->notes) ? &a->notes[a->nr_notes++] : NULL;
}

/* As upstream: settings name programs, so those of strangers are not taken. */
static FILE *open_config(struct reading *r, const char *path)
{
	int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a FIFO: nobody waits */
	struct stat st;
	FILE *f = NULL;

	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			err_set(note(r), -errno, "%s cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		err_set(note(r), -EINVAL, "%s is no regular file: no settings from there", path);
	else if (st.st_uid && st.st_uid != geteuid())
		err_set(note(r), -EPERM, "File %s not owned by current user or root, ignoring it.",
			path);
	else
		f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

static int read_file(struct reading *r, const char *path, struct err *e)
{
	FILE *f = open_config(r, path);
	int ret;

	if (!f)
		return 0;
	r->ignored[0] = 0;
	ret = cli_config_read(f, path, one_setting, r, e);
	fclose(f);
	if (!ret && r->ignored[0])
		err_set(note(r), -ENOENT, "%s: nothing here is set by %s", path, r->ignored);
	return ret;
}

/* What was gathered, as one option: "--name=a,b,c". */
static int add_joined(struct reading *r, struct joined *j)
{
	char text[200] = "";
	size_t n = 0;

	for (size_t i = 0; i < MAX_JOINED; i++) {
		const struct cli_setting *row = j->row[i];

		if (!row || !i)
			continue;
		if (row->gap && !j->word[i - 1])
			j->word[i - 1] = row->gap;
		if (row->behind && (!j->word[i - 1] || strcmp(j->word[i - 1], row->behind) != 0))
			j->word[i] = NULL;
	}
	for (size_t i = 0; i < MAX_JOINED && n < sizeof(text); i++)
		if (j->word[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? "," : "",
					      j->word[i]);
	return n ? add(r, "--%s=%s", j->option, text) : 0;
}

static int read_files(struct reading *r, struct err *e)
{
	const char *only = getenv("PERF_CONFIG"), *home = getenv("HOME");
	char path[512];
	int ret = 0;

	if (only && *only) /* /dev/null is how one says: none */
		return strcmp(only, "/dev/null") != 0 ? read_file(r, only, e) : 0;
	if (!getenv("PERF_CONFIG_NOSYSTEM"))
		ret = read_file(r, "/etc/perfconfig", e);
	if (!ret && home && *home && !getenv("PERF_CONFIG_NOGLOBAL")) {
		snprintf(path, sizeof(path), "%s/.perfconfig", home);
		ret = read_file(r, path, e);
	}
	return ret;
}

int cli_settings(const struct cli_setting *table, size_t nr, const char *command,
		 struct cli_args *args, struct err *e)
{
	struct reading r = { .table = table, .nr = nr, .command = command, .args = args };
	int ret = read_files(&r, e);

	for (size_t i = 0; i < ARRAY_SIZE(r.joined) && !ret; i++)
		if (r.joined[i].option)
			ret = add_joined(&r, &r.joined[i]);
	if (ret && !e->code)
		err_set(e, ret, "the settings of perf cannot be taken: %s", strerror(-ret));
	return ret;
}
