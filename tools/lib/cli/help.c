// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Help, usage errors and printed errors: all made from the option tables, so that what --help says
 * is what the parser takes. Rows that are OPTION_HIDDEN work and are not shown.
 */
#include <ctype.h>
#include <stdio.h>

#include "base/obuf.h"
#include "cli-int.h"

#define HELP_COLUMN 26

static void print_option(struct obuf *o, const struct option *opt)
{
	uint64_t start = obuf_printed(o);
	int used;

	obuf_lit(o, "    ");
	if (opt->short_name)
		obuf_printf(o, "-%c", opt->short_name);
	if (opt->short_name && opt->name)
		obuf_lit(o, ", ");
	if (opt->name)
		obuf_printf(o, "--%s", opt->name);
	if (opt->arg && (opt->flags & OPTION_OPTARG))
		obuf_printf(o, opt->name ? "[=<%s>]" : "[<%s>]", opt->arg);
	else if (opt->arg)
		obuf_printf(o, " <%s>", opt->arg);
	used = (int)(obuf_printed(o) - start);
	if (used >= HELP_COLUMN) {
		obuf_char(o, '\n');
		used = 0;
	}
	obuf_pad(o, ' ', HELP_COLUMN - used);
	obuf_printf(o, "%s\n", opt->help);
}

static void print_usage(struct obuf *o, const struct command *cmd)
{
	for (const char *const *u = cmd->usage; u && *u; u++)
		obuf_printf(o, "%s perf %s\n", u == cmd->usage ? " Usage:" : "    or:", *u);
}

void cli_print_help(const struct command *cmd, int fd)
{
	struct option_walk w = option_walk_init(cmd);
	const struct option *opt;
	struct obuf o;

	if (obuf_init(&o, fd, 16384))
		return;
	obuf_char(&o, '\n');
	print_usage(&o, cmd);
	obuf_char(&o, '\n');
	while ((opt = option_next(&w))) {
		if (opt->type == OPTION_GROUP)
			obuf_printf(&o, "\n  %s\n", opt->help);
		else if (!(opt->flags & OPTION_HIDDEN))
			print_option(&o, opt);
	}
	obuf_char(&o, '\n');
	obuf_free(&o);
}

int cli_usage_error(const struct command *cmd, const char *fmt, ...)
{
	char text[1024];
	struct obuf o;
	va_list ap;

	if (fmt) {
		va_start(ap, fmt);
		safe_format(text, sizeof(text), fmt, ap);
		va_end(ap);
		fprintf(stderr, "  Error: %s\n", text);
	}
	fflush(stderr);
	if (!obuf_init(&o, 2, 4096)) {
		obuf_char(&o, '\n');
		print_usage(&o, cmd);
		obuf_printf(&o, "\n  See 'perf %s --help' for the options.\n", cmd->name);
		obuf_free(&o);
	}
	return CLI_USAGE;
}

int cli_print_err(const struct err *e)
{
	fprintf(stderr, "%s\n", e->text[0] ? e->text : strerror(e->code ? -e->code : EINVAL));
	if (e->hint[0])
		fprintf(stderr, "%s\n", e->hint);
	return 1;
}

int cli_end_output(struct obuf *o)
{
	struct err e = { 0 };
	int ret = obuf_free(o);

	if (!ret || ret == -EPIPE)
		return 0;
	err_set(&e, ret, "cannot write the output: %s", strerror(-ret));
	return cli_print_err(&e);
}

void cli_print_options(const struct command *cmd, bool hidden)
{
	struct option_walk w = option_walk_init(cmd);
	const struct option *o;

	while ((o = option_next(&w))) {
		if (o->type == OPTION_GROUP || (!hidden && (o->flags & OPTION_HIDDEN)))
			continue;
		if (o->name)
			printf("--%s\n", o->name);
		if (o->short_name)
			printf("-%c\n", o->short_name);
	}
}
