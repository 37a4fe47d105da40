// SPDX-License-Identifier: GPL-2.0-or-later
/* What options say about tables for databases (room convert, loads*.c), and where their files go. */
#include "builtin.h"
#include "box/box.h"
#include "data.h"
#include "emit/emit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const struct option data_table_options[] = {
	OPT_STRING(0, "service", struct data_table_opts, service, "NAME",
		   "what the recording is of: queries ask by it"),
	OPT_STRING(0, "service-by", struct data_table_opts, service_by, "comm",
		   "each process's name is a service"),
	OPT_STRING(0, "release", struct data_table_opts, release, "NAME",
		   "which release of the service ran"),
	OPT_LIST(0, "label", struct data_table_opts, labels, "KEY=VALUE",
		 "something else to ask by"),
	OPT_STRING(0, "weight", struct data_table_opts, weight, "W",
		   "what all is to be multiplied by: 1 / (share of hosts * share of time)"),
	OPT_STRING(0, "redact", struct data_table_opts, redact, "LIST",
		   "hashes in place of path, host, comm"),
	OPT_STRING(0, "redact-key", struct data_table_opts, redact_key, "FILE",
		   "what the hashes are made with, so that nobody can try names"),
	OPT_BOOL(0, "lines", struct data_table_opts, lines,
		 "source files and lines of functions (takes longer)"),
	OPT_END(),
};

bool data_table_asked(const struct data_table_opts *o)
{
	return o->service || o->service_by || o->release || o->weight || o->redact ||
	       o->redact_key || o->labels.items.n || o->lines;
}

static int read_redact(const struct command *cmd, const char *list, unsigned *redact)
{
	static const char *const words[] = { "path", "host", "comm" };

	while (list && *list) {
		size_t n = strcspn(list, ","), i = 0;

		while (i < ARRAY_SIZE(words) &&
		       (strlen(words[i]) != n || memcmp(words[i], list, n) != 0))
			i++;
		if (i == ARRAY_SIZE(words))
			return cli_usage_error(cmd,
					       "--redact takes path, host and comm, not '%.*s'",
					       (int)n, list);
		*redact |= 1u << i; /* enum convert_redact */
		list += n + (list[n] == ',');
	}
	return 0;
}

/* The first line of a file. */
static int read_key(const char *path, char **key)
{
	FILE *f = fopen(path, "re");
	size_t room = 0;
	ssize_t n = f ? getline(key, &room, f) : -1;

	if (f)
		fclose(f);
	if (n > 0 && (*key)[n - 1] == '\n')
		(*key)[--n] = 0;
	if (n > 0)
		return 0;
	log_error("cannot read a key from %s: %s", path,
		  f ? "it begins with no text" : strerror(errno));
	return 1;
}

static int read_labels(const struct command *cmd, const struct cli_list *labels, const char **json)
{
	struct obuf o = { .fd = -1 };

	obuf_char(&o, '{');
	vec_for_each (s, &labels->items) {
		const char *is = strchr(*s, '=');
		char *key = is && is > *s ? strndup(*s, (size_t)(is - *s)) : NULL;

		if (!key) {
			free(o.buf);
			return cli_usage_error(cmd, "--label takes KEY=VALUE, not '%s'", *s);
		}
		if (o.len > 1)
			obuf_char(&o, ',');
		emit_json_safe(&o, key);
		obuf_char(&o, ':');
		emit_json_safe(&o, is + 1);
		free(key);
	}
	obuf_mem(&o, "}", 2);
	*json = o.buf;
	return o.code ? CLI_STATUS(o.code) : 0;
}

int data_table_read(const struct command *cmd, const struct data_table_opts *o,
		    struct convert_table_opts *to)
{
	char *end, *key = NULL;
	int ret;

	to->service = o->service;
	to->release = o->release;
	to->lines = o->lines;
	to->by_comm = o->service_by;
	if (o->service_by && strcmp(o->service_by, "comm"))
		return cli_usage_error(cmd, "--service-by takes comm, not '%s'", o->service_by);
	if (o->service_by && o->service)
		return cli_usage_error(
			cmd, "--service and --service-by are two answers to one question");
	if (o->weight) {
		to->weight = strtod(o->weight, &end);
		if (end == o->weight || *end || !(to->weight > 0) || to->weight > 1e18)
			return cli_usage_error(cmd, "--weight takes a number above 0, not '%s'",
					       o->weight);
	}
	ret = read_redact(cmd, o->redact, &to->redact);
	if (!ret && o->redact_key)
		ret = read_key(o->redact_key, &key);
	to->redact_key = key;
	return ret ?: read_labels(cmd, &o->labels, &to->labels);
}

void data_table_free(struct convert_table_opts *to)
{
	free((char *)to->labels);
	free((char *)to->redact_key);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *path_of(struct data_table_dir *d, const char *name)
{
	size_t n = strlen(d->dir);

	snprintf(d->path, sizeof(d->path), "%s%s%s", d->dir, n && d->dir[n - 1] == '/' ? "" : "/",
		 name);
	return d->path;
}

/* In a box the attendant makes directories as it opens files in them. */
static void make_dirs(struct data_table_dir *d)
{
	for (char *s = d->path + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = 0;
		(void)!mkdir(d->path, 0777);
	}
}

static int open_file(void *ctx, const char *name, struct obuf *o, struct err *e)
{
	struct data_table_dir *d = ctx;
	const char *path = path_of(d, name);

	if (!box_closed())
		make_dirs(d);
	return data_open_output(path, o, e);
}

static int close_file(void *ctx, const char *name, struct obuf *o, struct err *e)
{
	return data_close_output(path_of(ctx, name), o, e);
}

void data_table_into(struct convert_table_opts *to, struct data_table_dir *d)
{
	to->open = open_file;
	to->close = close_file;
	to->ctx = d;
}
