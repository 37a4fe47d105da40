// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program: finds the command and runs it. Commands know nothing of each other; who wants one
 * that only upstream has is told what there is instead. Options in front of a command go into the
 * environment, where whoever they concern looks, in this process and in those that it starts.
 */
#include <malloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/lack.h"
#include "base/tables.h"
#include "builtin.h"
#include "elf/elf.h"

/* clang-format off */ /* one a line: branches that add commands merge */
static const struct command *const commands[] = {
	&cmd_annotate,
	&cmd_archive,
	&cmd_buildid_cache,
	&cmd_buildid_list,
	&cmd_check,
	&cmd_data,
	&cmd_diff,
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

/* Commands that upstream has and we do not: what there is instead. */
static const struct {
	const char *name, *instead;
} elsewhere[] = {
	{ "bench", "programs with a known shape to measure: perf test -w NAME, perf test "
		   "--list-workloads" },
	{ "c2c", "loads and stores by address: perf record -d -W, then perf report --mem-mode" },
	{ "config", "~/.perfconfig is read (perf(1) says which keys); edit it with any editor" },
	{ "daemon", "long recordings: perf record --switch-output --overwrite, run by systemd" },
	{ "ftrace", "the kernel's functions: trace-cmd(1), or perf record -e of its tracepoints" },
	{ "iostat", "devices: iostat(1)" },
	{ "kallsyms", "the kernel's symbols: grep NAME /proc/kallsyms" },
	{ "kmem", "the tracepoints: perf record -e 'kmem:*', then perf script" },
	{ "kvm", "guests: perf record -e 'kvm:*', then perf script" },
	{ "kwork", "the tracepoints: perf record -e 'irq:*,workqueue:*', then perf script" },
	{ "lock", "the tracepoints: perf record -e 'lock:*' -g, then perf report" },
	{ "mem", "loads and stores: perf record -d -W -e EVENT:P, then perf report --mem-mode" },
	{ "probe",
	  "probes are made in /sys/kernel/tracing/kprobe_events, or by bpftrace(8); perf record -e "
	  "records them" },
	{ "sched",
	  "the tracepoints: perf record -e 'sched:*', then perf script; who waits: perf record "
	  "--latency" },
	{ "stat",
	  "counters: perf record -c or -F and perf report -n estimate; exact ones need upstream's "
	  "perf stat" },
	{ "timechart", "the tracepoints: perf record -e 'sched:*,power:*', then perf script" },
	{ "top", "a live view: perf record -a -- sleep 5, then perf report" },
	{ "trace",
	  "system calls: perf record -e 'raw_syscalls:*', then perf script; or strace(1)" },
};

static bool is_elsewhere(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++) {
		if (strcmp(name, elsewhere[i].name) != 0)
			continue;
		fprintf(stderr, "perf: this perf has no '%s'. Instead: %s.\n", name,
			elsewhere[i].instead);
		return true;
	}
	return false;
}

static int unknown_command(const char *name)
{
	const char *names[ARRAY_SIZE(commands)];
	char near[256];

	if (is_elsewhere(name))
		return CLI_USAGE;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	cli_suggest(name, names, ARRAY_SIZE(names), near, sizeof(near));
	fprintf(stderr, "perf: '%s' is not a perf command. See 'perf help'.\n", name);
	if (near[0])
		fprintf(stderr, "Did you mean %s?\n", near);
	return CLI_USAGE;
}

/* ---- options before the command ------------------------------------------------------------------- */

/* They go into the environment: whom they concern looks there, and what perf starts inherits it. */
static const struct global_option {
	const char *name, *env;
	const char *value; /* NULL: the option's argument */
} global_options[] = {
	{ "--buildid-dir", "PERF_BUILDID_DIR", NULL },
	{ "--debugfs-dir", "PERF_DEBUGFS_DIR", NULL },
	{ "--no-pager", "PERF_PAGER", "" },
	{ "--no-sandbox", "PERF_SANDBOX", "0" },
};

/* A mounted debugfs, or the tracefs in it. */
static int set_debugfs(const char *dir)
{
	static const char *const below[] = { "tracing", "." };
	char path[PATH_MAX], events[PATH_MAX + 8];

	for (size_t i = 0; i < ARRAY_SIZE(below); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, below[i]);
		snprintf(events, sizeof(events), "%s/events", path);
		if (!access(events, X_OK))
			return setenv("PERF_DEBUGFS_DIR", path, 1);
	}
	fprintf(stderr, "perf: --debugfs-dir: %s/tracing/events cannot be read: %s\n", dir,
		strerror(errno));
	return -1;
}

static int set_global(const struct global_option *o, const char *value)
{
	if (!value || !*value) {
		fprintf(stderr, "perf: no directory given for %s\n", o->name);
		return -1;
	}
	return strcmp(o->name, "--debugfs-dir") ? setenv(o->env, value, 1) : set_debugfs(value);
}

/* How many words of argv are such options; -1 after a message. */
static int take_globals(int argc, char **argv)
{
	int at = 1;

	while (at < argc) {
		const struct global_option *o = NULL;
		size_t len = strcspn(argv[at], "=");
		bool attached = argv[at][len] == '=';

		for (size_t i = 0; i < ARRAY_SIZE(global_options); i++)
			if (strlen(global_options[i].name) == len &&
			    !strncmp(global_options[i].name, argv[at], len))
				o = &global_options[i];
		if (!o || (o->value && attached))
			break;
		if (o->value ? setenv(o->env, o->value, 1)
			     : set_global(o, attached	     ? argv[at] + len + 1
					     : at + 1 < argc ? argv[at + 1]
							     : NULL))
			return -1;
		at += o->value || attached ? 1 : 2;
	}
	return at - 1;
}

/* With the options that files of settings stand for in front of those that were given. */
static int run_command(const struct command *cmd, int argc, char **argv)
{
	struct cli_args args = { .nr = 0 };
	struct err err = { 0 };
	char **all = NULL;
	int ret = perf_settings(cmd->name, &args, &err);

	for (size_t i = 0; i < args.nr_notes; i++)
		log_warn("%s", args.notes[i].text);
	if (ret) {
		ret = cli_print_err(&err);
		goto out;
	}
	if (!args.nr) {
		ret = cmd->run(cmd, argc, argv);
		goto out;
	}
	all = calloc((size_t)argc + args.nr + 1, sizeof(*all));
	if (!all) {
		ret = 1;
		goto out;
	}
	all[0] = argv[0];
	memcpy(all + 1, args.v, args.nr * sizeof(*all));
	memcpy(all + 1 + args.nr, argv + 1, (size_t)argc * sizeof(*all));
	ret = cmd->run(cmd, argc + (int)args.nr, all);
	if (ret == CLI_USAGE) {
		fputs("  Settings (PERF_CONFIG, ~/.perfconfig or /etc/perfconfig) stood for:",
		      stderr);
		for (size_t i = 0; i < args.nr; i++)
			fprintf(stderr, " %s", args.v[i]);
		fputs("\n", stderr);
	}
out:
	free(all);
	arena_free(&args.arena);
	return ret;
}

int perf_tell_lack(int ret)
{
	struct err err;

	if (!lack_tell(&err))
		return ret;
	err_hint(&err, "%s", ret ? "" : "What was written before may lack something.");
	cli_print_err(&err);
	return ret ? ret : 1;
}

/*
 * Arrays that grow to many megabytes are moved by the kernel, page by page, and not copied, if malloc() maps each of its own. Where it is
 * not told from which size on, that depends on what was freed before.
 */
static void map_large_arrays(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int main(int argc, char **argv)
{
	char *options[] = { "version", "--build-options", NULL };
	char *list[] = { "help", "--list-cmds", NULL };
	const struct command *cmd;
	int ret;

	hash_begin();
	ret = take_globals(argc, argv);
	map_large_arrays();
	if (ret < 0)
		return CLI_USAGE;
	argc -= ret;
	argv += ret;
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
	else if (!strcmp(argv[1], "--list-cmds"))
		return cmd_help.run(&cmd_help, 2, list);
	cmd = perf_command(argv[1]);
	if (!cmd)
		return unknown_command(argv[1]);
	elf_guard_install();
	elf_starved_install();
	ret = perf_tell_lack(run_command(cmd, argc - 1, argv + 1));
	cli_pager_wait();
	return ret;
}
