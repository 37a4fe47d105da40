// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record: profiles a program, a process or a machine into perf.data. Here are options and
 * exit status; the recording is the room recorder's. Words that are wrong end with another status
 * than a kernel that refuses, and a program that ended by a signal is reported as the shell would.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "branch/branch.h"
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
	vec_free(&o->r.windows);
	capture_target_free(&o->target);
	events_free(&o->events);
	pmus_free(o->r.pmus);
	record_push_free(o);
}

/* The command line as typed: parsing moves what argv points to. */
static char **copy_argv(int argc, char **argv)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));

	for (int i = 0; copy && i < argc; i++)
		copy[i] = argv[i];
	return copy;
}

/*
 * "-b any -- CMD", "-g dwarf CMD": these two options take nothing, so the word would be the command.
 * When there is no such program it is what the long forms take.
 */
static bool take_word(struct record_opts *o, const char *word)
{
	struct callchain_opts chain = o->r.callchain;
	uint64_t filter = 0;

	if (cli_has_program(word))
		return false;
	if (o->branch_any && !branch_filter_parse(word, &filter, NULL)) {
		o->branch_any = false;
		o->r.branch_filter = filter;
		log_warn("-b %s: taken as -j %s", word, word);
		return true;
	}
	if (!o->g_given || events_callchain_parse(&chain, word, NULL))
		return false;
	o->g_given = false;
	o->r.callchain = chain;
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

static int parse_command_line(const struct command *cmd, struct record_opts *o, int argc,
			      char **argv, char *const *typed)
{
	int n = cli_parse(cmd, o, argc, argv, CLI_STOP_AT_ARG);

	/* Behind such a word the options go on: it stands where the name of the command did. */
	while (n > 0 && !follows_dashes(typed, argv[0]) && take_word(o, argv[0]))
		n = cli_parse(cmd, o, n, argv, CLI_STOP_AT_ARG);
	return n;
}

/* ---- one recording ------------------------------------------------------------------------------ */

static void fail(void *ctx, const struct err *e)
{
	(void)ctx;
	cli_print_err(e);
}

/* A signal that ended us is raised again, so that whoever started us sees it. */
static int end_by_signal(int sig)
{
	sigset_t set;

	fflush(stderr);
	sigemptyset(&set);
	sigaddset(&set, sig);
	signal(sig, SIG_DFL);
	kill(getpid(), sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 128 + sig; /* a signal whose default is to be ignored */
}

/* What the command came to becomes ours. */
static int exit_status(const struct recorder_result *r)
{
	if (r->exec_code)
		return r->exec_code == -ENOENT ? 127 : 126; /* as shells do */
	if (r->failed)
		return 1;
	if (r->signal)
		return end_by_signal(r->signal);
	if (!r->ended)
		return 0;
	return WIFSIGNALED(r->status) ? end_by_signal(WTERMSIG(r->status)) : WEXITSTATUS(r->status);
}

/* The recording is gone before a signal may end us. */
static int record(struct record_opts *o)
{
	struct recorder_result result = { 0 };
	struct recorder *rec = NULL;
	struct err err = { 0 };
	bool waits;
	int ret, status;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the write fails then, and the file is finished */
	if (recorder_new(&rec, &o->r, &err)) {
		cli_print_err(&err);
		return err.code == -EINVAL ? CLI_USAGE : 1;
	}
	ret = recorder_prepare(rec, &err);
	if (!ret && !o->r.dry_run)
		ret = record_guard(rec, &err) ?: record_push_start(o, &err);
	if (!ret)
		recorder_run(rec, &result);
	recorder_free(rec);
	waits = record_push_end(o);
	if (ret)
		return cli_print_err(&err);
	status = o->r.dry_run && !result.failed ? 0 : exit_status(&result);
	return !status && waits ? PUSH_STATUS_KEPT : status;
}

static int run_record(const struct command *cmd, int argc, char **argv)
{
	struct record_opts o = { .r = { .synth = RECORDER_SYNTH_ALL,
					.argc = argc,
					.argv = copy_argv(argc, argv),
					.log = LOG_STDERR,
					.fail = fail },
				 .push = { .lock = -1, .bell = -1 } };
	struct err err = { 0 };
	int n, status;

	o.r.events = &o.events;
	o.r.target = &o.target;
	if (!o.r.argv || pmus_new(&o.r.pmus, NULL, &err)) {
		status = cli_print_err(o.r.argv ? &err : &(struct err){ .code = -ENOMEM });
		goto out;
	}
	o.events.log = LOG_STDERR;
	pmus_set_log(o.r.pmus, LOG_STDERR);
	n = parse_command_line(cmd, &o, argc, argv, o.r.argv);
	if (n < 0) {
		status = CLI_STATUS(n);
		goto out;
	}
	set_log_level(&o);
	o.r.command = n > 0 ? argv : NULL;
	if (!o.r.output && !o.push.url)
		o.r.output = "perf.data";
	if (record_push_prepare(&o, &err) || record_prepare(&o, &err)) {
		status = cli_print_err(&err);
		/* Words that are wrong, not a world that is. */
		if (err.code == -EINVAL)
			status = CLI_USAGE;
		goto out;
	}
	status = record(&o);
out:
	free(o.r.argv);
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
