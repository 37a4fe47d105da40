// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf help [COMMAND]: the list of commands, or one command's options. The hidden --list-...
 * options answer the shell's completion, from the same tables.
 */
#include "builtin.h"

struct help_opts {
	bool list_cmds, hidden;
	const char *list_opts, *list_values;
};

static const struct option help_options[] = {
	{ .type = OPTION_BOOL,
	  .name = "list-cmds",
	  .offset = offsetof(struct help_opts, list_cmds),
	  .help = "command names only, for completion scripts",
	  .flags = OPTION_HIDDEN },
	{ .type = OPTION_STRING,
	  .name = "list-opts",
	  .offset = offsetof(struct help_opts, list_opts),
	  .arg = "COMMAND",
	  .help = "a command's options, for completion scripts",
	  .flags = OPTION_HIDDEN },
	{ .type = OPTION_STRING,
	  .name = "list-values",
	  .offset = offsetof(struct help_opts, list_values),
	  .arg = "COMMAND",
	  .help = "what may stand behind the option that follows, for completion scripts",
	  .flags = OPTION_HIDDEN },
	{ .type = OPTION_BOOL,
	  .name = "hidden",
	  .offset = offsetof(struct help_opts, hidden),
	  .help = "with --list-opts: also those that --help leaves out",
	  .flags = OPTION_HIDDEN },
	OPT_END(),
};

static const char *const help_usage[] = { "help [COMMAND]", NULL };

void perf_print_commands(FILE *out)
{
	size_t nr;
	const struct command *const *cmds = perf_commands(&nr);

	fputs("\n usage: perf [--version] [--help] [--no-pager] [--buildid-dir DIR]\n"
	      "             [--debugfs-dir DIR] COMMAND [ARGS]\n\n"
	      " The commands are:\n",
	      out);
	for (size_t i = 0; i < nr; i++)
		if (!cmds[i]->hidden)
			fprintf(out, "   %-15s %s\n", cmds[i]->name, cmds[i]->summary);
	fputs("\n See 'perf help COMMAND' or 'man perf-COMMAND' for more on one of them.\n\n", out);
}

static int help_run(const struct command *cmd, int argc, char **argv)
{
	struct help_opts o = { 0 };
	const struct command *const *cmds, *which;
	const char *name;
	size_t nr;
	int n = cli_parse(cmd, &o, argc, argv, 0);

	if (n < 0)
		return CLI_STATUS(n);
	cmds = perf_commands(&nr);
	if (o.list_cmds) {
		for (size_t i = 0; i < nr; i++)
			if (!cmds[i]->hidden)
				puts(cmds[i]->name);
		return 0;
	}
	name = o.list_values ? o.list_values : o.list_opts ? o.list_opts : argv[0];
	if (name) {
		which = perf_command(name);
		if (!which)
			return cli_usage_error(cmd, "'%s' is not a perf command", name);
		if (o.list_values)
			perf_print_values(which, n > 0 ? argv[0] : "");
		else if (o.list_opts)
			cli_print_options(which, o.hidden);
		else
			cli_print_help(which, 1);
		return 0;
	}
	perf_print_commands(stdout);
	return 0;
}

const struct command cmd_help = {
	.name = "help",
	.summary = "List the commands, or show the options of one",
	.usage = help_usage,
	.options = help_options,
	.run = help_run,
};
