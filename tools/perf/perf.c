// SPDX-License-Identifier: GPL-2.0-or-later
/* The program: finds the command and runs it. */
#include <stdio.h>
#include <stdlib.h>

#include "builtin.h"
#include "elf/elf.h"

/* clang-format off */ /* one a line: branches that add commands merge */
static const struct command *const commands[] = {
	&cmd_buildid_cache,
	&cmd_buildid_list,
	&cmd_check,
	&cmd_data,
	&cmd_evlist,
	&cmd_help,
	&cmd_inject,
	&cmd_list,
	&cmd_pmu_dt,
	&cmd_record,
	&cmd_report,
	&cmd_script,
	&cmd_test,
	&cmd_version,
	&cmd_xstate,
};
/* clang-format on */

const struct command *const *perf_commands(size_t *nr)
{
	*nr = ARRAY_SIZE(commands);
	return commands;
}

const struct command *perf_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[ARRAY_SIZE(commands)];
	char near[256];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	cli_suggest(name, names, ARRAY_SIZE(names), near, sizeof(near));
	fprintf(stderr, "perf: '%s' is not a perf command. See 'perf help'.\n", name);
	if (near[0])
		fprintf(stderr, "Did you mean %s?\n", near);
	return CLI_USAGE;
}

int main(int argc, char **argv)
{
	static char *options[] = { "version", "--build-options", NULL };
	const struct command *cmd;
	int ret;

	if (argc < 2) {
		perf_print_commands(stdout);
		return CLI_USAGE;
	}
	/* perf --help, perf -v: the commands of that name. */
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		argv[1] = "help";
	else if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v"))
		argv[1] = "version";
	else if (!strcmp(argv[1], "-vv"))
		return cmd_version.run(&cmd_version, 2, options);
	cmd = perf_command(argv[1]);
	if (!cmd)
		return unknown_command(argv[1]);
	elf_guard_install();
	ret = cmd->run(cmd, argc - 1, argv + 1);
	cli_pager_wait();
	return ret;
}
