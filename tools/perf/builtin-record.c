// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: profiles a program, a process or a machine into perf.data. */
#include <stdlib.h>

#include "record.h"

static const char *const record_usage[] = {
	"record [<options>] [<command>]",
	"record [<options>] -- <command> [<options>]",
	NULL,
};

static void set_log_level(const struct record_opts *o)
{
	if (o->quiet)
		log_set_level(LOG_ERROR);
	else if (o->verbose > 1)
		log_set_level(LOG_DEBUG);
	else if (o->verbose)
		log_set_level(LOG_INFO);
}

static void free_opts(struct record_opts *o)
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

static int run_record(const struct command *cmd, int argc, char **argv)
{
	struct record_opts o = { .output = "perf.data" };
	struct recording rec = { .opts = &o, .argc = argc, .fd = -1 };
	struct err err = { 0 };
	int n, status;

	if (pmus_new(&o.pmus, NULL, &err))
		return cli_print_err(&err);
	rec.argv = copy_argv(argc, argv);
	n = cli_parse(cmd, &o, argc, argv, CLI_STOP_AT_ARG);
	if (n < 0) {
		status = CLI_STATUS(n);
		goto out;
	}
	set_log_level(&o);
	rec.events = &o.events;
	rec.has_workload = n > 0;
	if (record_prepare(&rec, &err)) {
		status = cli_print_err(&err);
		/* Words that are wrong, not a world that is. */
		if (err.code == -EINVAL)
			status = CLI_USAGE;
		goto out;
	}
	rec.command = argv;
	status = record_run(&rec);
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
