// SPDX-License-Identifier: GPL-2.0-or-later
/* perf inject: write a recording again with something added. */
#include "builtin.h"
#include "inject/inject.h"
#include "sandbox.h"
#include "target.h"

struct inject_cmd_opts {
	const char *input, *output, *known;
	bool build_ids, all, mmap2, jit, strip, force, no_limits, no_sandbox;
	int verbose;
};

#define O struct inject_cmd_opts
static const struct option inject_options[] = {
	OPT_BOOL('b', "build-ids", O, build_ids, "add build ids of the objects that samples hit"),
	OPT_BOOL(0, "buildid-all", O, all, "add build ids of all objects"),
	OPT_BOOL('B', "mmap2-buildids", O, mmap2, "put build ids into MMAP2 records"),
	OPT_STRING(0, "known-build-ids", O, known, "ID PATH[,ID PATH...]|@FILE",
		   "build ids to use for these paths"),
	OPT_STRING('i', "input", O, input, "FILE", "input file name"),
	OPT_STRING('o', "output", O, output, "FILE", "output file name"),
	OPT_BOOL('j', "jit", O, jit, "merge jitdump files"),
	OPT_BOOL(0, "strip", O, strip, "leave AUX area traces out"),
	OPT_BOOL(0, "no-limits", O, no_limits,
		 "read recordings that unpack to much more than they are"),
	OPT_BOOL(0, "no-sandbox", O, no_sandbox, "read with all the rights of this process"),
	OPT_BOOL('f', "force", O, force, "don't complain, do it"),
	OPT_INC('v', "verbose", O, verbose, "be more verbose"),
	OPT_END(),
};
#undef O

static const char *const inject_usage[] = { "inject [<options>]", NULL };

/* ---- the command ------------------------------------------------------------------------------- */

static int run(const struct inject_cmd_opts *o, struct err *e)
{
	struct inject_opts io = {
		.ids = o->all	      ? INJECT_IDS_ALL
		       : o->build_ids ? INJECT_IDS_HIT
				      : INJECT_IDS_NONE,
		.mmap2_ids = o->mmap2,
		.known = o->known,
		.jit = o->jit,
		.strip = o->strip,
		.log = LOG_STDERR,
	};
	struct perfdata_opts po = { .force = o->force,
				    .no_limits = o->no_limits,
				    .log = LOG_STDERR };
	struct inject_stats st = { 0 };
	struct target t = { .out.fd = -1, .file.fd = -1 };
	struct perfdata *pd;
	int ret = perfdata_open(&pd, o->input, &po, e);

	if (ret)
		return ret;
	ret = target_open(&t, o->output, e);
	ret = ret ?: inject_run(pd, t.out.fd, t.out.pipe, &io, &st, e);
	ret = target_close(&t, ret, e);
	if (!ret)
		log_info("%llu records read, %llu added, %llu left out, %llu build ids",
			 (unsigned long long)st.records, (unsigned long long)st.added,
			 (unsigned long long)st.left_out, (unsigned long long)st.ids);
	perfdata_close(pd);
	return ret;
}

static int inject_cmd(const struct command *cmd, int argc, char **argv)
{
	struct inject_cmd_opts o = { .input = "-", .output = "-" };
	int n = cli_parse(cmd, &o, argc, argv, 0);
	struct err err = { 0 };

	if (n < 0)
		return CLI_STATUS(n);
	if (n > 0)
		return cli_usage_error(cmd, "unexpected argument: %s", argv[0]);
	if (o.known && !o.build_ids && !o.all && !o.mmap2)
		return cli_usage_error(cmd, "--known-build-ids goes with -b, -B or --buildid-all");
	log_set_level(o.verbose > 1 ? LOG_DEBUG : o.verbose ? LOG_INFO : LOG_WARN);
	sandbox_enter(&(struct sandbox){
		.off = o.no_sandbox,
		.objects = true,
		.read = { o.input, o.known && *o.known == '@' ? o.known + 1 : NULL },
		.output = { { BOX_FILE, o.output }, { BOX_JITTED, o.jit ? "" : NULL } },
	});
	return run(&o, &err) ? cli_print_err(&err) : 0;
}

const struct command cmd_inject = {
	.name = "inject",
	.summary = "Write a recording again with build ids or compiled code added",
	.usage = inject_usage,
	.options = inject_options,
	.run = inject_cmd,
};
