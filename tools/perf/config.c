// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ~/.perfconfig, and before it /etc/perfconfig: settings become options that stand before those of the
 * command line, which win. Upstream has far more keys than we have things to set: what is not used is
 * named once, so that nobody waits for its effect.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin.h"

enum kind {
	KIND_FLAG,  /* --option or --no-option */
	KIND_VALUE, /* --option VALUE */
	KIND_GRAPH, /* a part of report -g, gathered */
	KIND_MODE,  /* a part of record --call-graph, gathered */
	KIND_ENV,   /* the environment variable, unless it is set */
	KIND_NONE,  /* nothing to set, and nothing lost */
};

static const struct {
	const char *key, *command; /* NULL = every one */
	enum kind kind;
	const char *option;
} settings[] = {
	{ "annotate.disassembler_style", NULL, KIND_NONE, NULL },
	{ "buildid.dir", NULL, KIND_ENV, "PERF_BUILDID_DIR" },
	{ "call-graph.dump-size", "record", KIND_MODE, NULL },
	{ "call-graph.order", "report", KIND_GRAPH, NULL },
	{ "call-graph.print-limit", "report", KIND_GRAPH, NULL },
	{ "call-graph.print-type", "report", KIND_GRAPH, NULL },
	{ "call-graph.record-mode", "record", KIND_MODE, NULL },
	{ "call-graph.sort-key", "report", KIND_GRAPH, NULL },
	{ "call-graph.threshold", "report", KIND_GRAPH, NULL },
	{ "record.call-graph", "record", KIND_MODE, NULL },
	{ "report.children", "report", KIND_FLAG, "children" },
	{ "report.group", "report", KIND_FLAG, "group" },
	{ "report.percent-limit", "report", KIND_VALUE, "percent-limit" },
	{ "report.queue-size", NULL, KIND_NONE, NULL },
	{ "report.skip-empty", "report", KIND_FLAG, "skip-empty" },
	{ "report.sort_order", "report", KIND_VALUE, "sort" },
};

struct config {
	const char *command;
	struct perf_args *args;
	const char *graph[5], *mode[2]; /* in the order in which -g and --call-graph take them */
	char ignored[600];
};

static bool is_true(const char *v)
{
	return !strcasecmp(v, "true") || !strcasecmp(v, "yes") || !strcasecmp(v, "on") ||
	       (*v && strcmp(v, "0") != 0 && !v[strspn(v, "0123456789")]);
}

static int add(struct config *c, const char *fmt, const char *a, const char *b)
{
	struct perf_args *args = c->args;

	if (args->nr + 1 >= ARRAY_SIZE(args->v))
		return -E2BIG;
	args->v[args->nr] = arena_printf(&args->arena, fmt, a, b);
	return args->v[args->nr++] ? 0 : -ENOMEM;
}

static int keep_word(struct config *c, const char *key, const char *value)
{
	static const char *const graph[] = { "print-type", "threshold", "print-limit", "order",
					     "sort-key" };
	const char *name = strchr(key, '.') + 1, *copy;

	copy = arena_strndup(&c->args->arena, value, strlen(value));
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(graph); i++)
		if (!strcmp(name, graph[i]))
			c->graph[i] = copy;
	if (!strcmp(name, "record-mode") || !strcmp(name, "call-graph"))
		c->mode[0] = copy;
	else if (!strcmp(name, "dump-size"))
		c->mode[1] = copy;
	return 0;
}

static int set_env(const char *name, const char *value)
{
	return setenv(name, value, 0) ? -errno : 0;
}

/* [pager] report = false, or a command: what cli_pager_start() asks for. */
static int set_pager(const struct config *c, const char *name, const char *value)
{
	if (strcmp(name, c->command) != 0 || getenv("PERF_PAGER"))
		return 0;
	if (!strcasecmp(value, "false") || !strcasecmp(value, "off") || !strcmp(value, "0"))
		value = "cat";
	else if (is_true(value))
		return 0;
	return set_env("PERF_PAGER", value);
}

static int set_build_id(struct config *c, const char *value)
{
	if (strcmp(c->command, "record") != 0)
		return 0;
	if (!strcmp(value, "no-cache"))
		return add(c, "--%s%s", "no-buildid-cache", "");
	if (!strcmp(value, "skip"))
		return add(c, "--%s%s", "no-buildid", "");
	return 0; /* cache and mmap are as it is */
}

static int one_setting(void *ctx, const char *key, const char *value)
{
	struct config *c = ctx;
	size_t n;

	if (!strncmp(key, "pager.", 6))
		return set_pager(c, key + 6, value);
	if (!strcmp(key, "color.ui"))
		return strcmp(value, "never") != 0 && strcmp(value, "false") != 0
			       ? 0
			       : set_env("NO_COLOR", "1");
	if (!strcmp(key, "record.build-id"))
		return set_build_id(c, value);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (strcmp(key, settings[i].key) != 0)
			continue;
		if (settings[i].command && strcmp(settings[i].command, c->command) != 0)
			return 0;
		switch (settings[i].kind) {
		case KIND_FLAG:
			return add(c, "--%s%s", is_true(value) ? "" : "no-", settings[i].option);
		case KIND_VALUE: return add(c, "--%s=%s", settings[i].option, value);
		case KIND_GRAPH:
		case KIND_MODE: return keep_word(c, key, value);
		case KIND_ENV: return set_env(settings[i].option, value);
		case KIND_NONE: return 0;
		}
	}
	n = strlen(c->ignored);
	snprintf(c->ignored + n, sizeof(c->ignored) - n, "%s%s", n ? ", " : "", key);
	return 0;
}

/* As upstream: settings name programs, so those of strangers are not taken. */
static FILE *open_config(const char *path)
{
	int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a FIFO: nobody waits */
	struct stat st;
	FILE *f = NULL;

	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			log_warn("%s cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		log_warn("%s is no regular file: no settings from there", path);
	else if (st.st_uid && st.st_uid != geteuid())
		log_warn("File %s not owned by current user or root, ignoring it.", path);
	else
		f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

static int read_file(struct config *c, const char *path, struct err *e)
{
	FILE *f = open_config(path);
	int ret;

	if (!f)
		return 0;
	c->ignored[0] = 0;
	ret = cli_config_read(f, path, one_setting, c, e);
	fclose(f);
	if (!ret && c->ignored[0])
		log_warn("%s: nothing here is set by %s", path, c->ignored);
	return ret;
}

/* What was gathered, as one option: "--name=a,b,c". */
static int add_joined(struct config *c, const char *name, const char *const *words, size_t nr)
{
	char text[200] = "";
	size_t n = 0;

	for (size_t i = 0; i < nr && n < sizeof(text); i++)
		if (words[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? "," : "",
					      words[i]);
	return n ? add(c, "--%s=%s", name, text) : 0;
}

static int read_files(struct config *c, struct err *e)
{
	const char *only = getenv("PERF_CONFIG"), *home = getenv("HOME");
	char path[512];
	int ret = 0;

	if (only && *only) /* /dev/null is how one says: none */
		return strcmp(only, "/dev/null") != 0 ? read_file(c, only, e) : 0;
	if (!getenv("PERF_CONFIG_NOSYSTEM"))
		ret = read_file(c, "/etc/perfconfig", e);
	if (!ret && home && *home && !getenv("PERF_CONFIG_NOGLOBAL")) {
		snprintf(path, sizeof(path), "%s/.perfconfig", home);
		ret = read_file(c, path, e);
	}
	return ret;
}

int perf_config(const char *command, struct perf_args *args, struct err *e)
{
	static const char *const users[] = { "buildid-cache", "buildid-list", "data",  "inject",
					     "record",	      "report",	      "script" };
	struct config c = { .command = command, .args = args };
	int ret;

	for (size_t i = 0; strcmp(command, users[i]) != 0;)
		if (++i == ARRAY_SIZE(users))
			return 0;
	ret = read_files(&c, e);
	/* A limit of what is printed is the second number: the first one is then said, too. */
	if (c.graph[2] && !c.graph[1])
		c.graph[1] = "0.5";
	if (c.mode[1] && (!c.mode[0] || strcmp(c.mode[0], "dwarf") != 0))
		c.mode[1] = NULL;
	if (!ret)
		ret = add_joined(&c, "_call-graph", c.graph, ARRAY_SIZE(c.graph));
	if (!ret)
		ret = add_joined(&c, "_call-graph", c.mode, ARRAY_SIZE(c.mode));
	if (ret && !e->code)
		err_set(e, ret, "the settings of perf cannot be taken: %s", strerror(-ret));
	return ret;
}
