// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: profiles a program, a process or a machine into perf.data. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "branch/branch.h"
#include "record.h"

static const char *const record_usage[] = {
	"record [<options>] [<command>]",
	"record [<options>] -- <command> [<options>]",
	NULL,
};

static void set_log_level(const struct recorder_opts *o)
{
	if (o->quiet)
		log_set_level(LOG_ERROR);
	else if (o->verbose > 1)
		log_set_level(LOG_DEBUG);
	else if (o->verbose)
		log_set_level(LOG_INFO);
}

static void free_opts(struct recorder_opts *o)
{
	cli_list_free(&o->pids);
	cli_list_free(&o->tids);
	cli_list_free(&o->users);
	cli_list_free(&o->cpus);
	vec_free(&o->windows);
	events_free(&o->events);
	pmus_free(o->pmus);
}

/* The command line as typed: parsing moves what argv points to. */
static char **copy_argv(int argc, char **argv)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));

	for (int i = 0; copy && i < argc; i++)
		copy[i] = argv[i];
	return copy;
}

/* Whether the shell would find a program of this name. */
static bool is_program(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	if (strchr(name, '/'))
		return true;
	for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");

		snprintf(file, sizeof(file), "%.*s/%s", n ? (int)n : 1, n ? p : ".", name);
		if (!access(file, X_OK))
			return true;
		p += n + (p[n] == ':');
	}
	return false;
}

/*
 * "-b any -- CMD", "-g dwarf CMD": these two options take nothing, so the word would be the command.
 * When there is no such program it is what the long forms take.
 */
static bool take_word(struct recorder_opts *o, const char *word)
{
	struct callchain_opts chain = o->callchain;
	uint64_t filter = 0;

	if (is_program(word))
		return false;
	if (o->branch_any && !branch_filter_parse(word, &filter, NULL)) {
		o->branch_any = false;
		o->branch_filter = filter;
		log_warn("-b %s: taken as -j %s", word, word);
		return true;
	}
	if (!o->g_given || callchain_parse(&chain, word, NULL))
		return false;
	o->g_given = false;
	o->callchain = chain;
	log_warn("-g %s: taken as --call-graph %s", word, word);
	return true;
}

/* Behind "--" stands the command, whatever its name; @typed has the words in their old places. */
static bool follows_dashes(char *const *typed, const char *word)
{
	while (*typed && *typed != word)
		if (!strcmp(*typed++, "--") && *typed == word)
			return true;
	return false;
}

static int parse_command_line(const struct command *cmd, struct recorder_opts *o, int argc,
			      char **argv, char *const *typed)
{
	int n = cli_parse(cmd, o, argc, argv, CLI_STOP_AT_ARG);

	/* Behind such a word the options go on: it stands where the name of the command did. */
	while (n > 0 && !follows_dashes(typed, argv[0]) && take_word(o, argv[0]))
		n = cli_parse(cmd, o, n, argv, CLI_STOP_AT_ARG);
	return n;
}

static int run_record(const struct command *cmd, int argc, char **argv)
{
	struct recorder_opts o = { .output = "perf.data" };
	struct recorder rec = { .opts = &o, .argc = argc, .fd = -1 };
	struct err err = { 0 };
	int n, status;

	if (pmus_new(&o.pmus, NULL, &err))
		return cli_print_err(&err);
	rec.argv = copy_argv(argc, argv);
	n = rec.argv ? parse_command_line(cmd, &o, argc, argv, rec.argv) : CLI_EXIT(1);
	if (n < 0) {
		status = CLI_STATUS(n);
		goto out;
	}
	set_log_level(&o);
	rec.events = &o.events;
	rec.has_workload = n > 0;
	if (recorder_prepare(&rec, &err)) {
		status = cli_print_err(&err);
		/* Words that are wrong, not a world that is. */
		if (err.code == -EINVAL)
			status = CLI_USAGE;
		goto out;
	}
	rec.command = argv;
	status = recorder_run(&rec);
out:
	capture_target_free(&rec.target);
	free(rec.argv);
	free_opts(&o);
	return status;
}

const struct command cmd_record = {
	.name = "record",
	.summary = "Run a command and record its profile into perf.data",
	.usage = record_usage,
	.options = record_options,
	.run = run_record,
};
