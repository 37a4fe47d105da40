// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf buildid-list: the build ids that a recording stores. With --with-hits, or where it stores
 * none, its records are read, to see which objects samples fell into.
 */
#include <unistd.h>

#include "buildid/buildid.h"
#include "builtin.h"
#include "capture/capture.h"
#include "machine/machine.h"

struct buildid_opts {
	const char *input;
	bool force, kernel, kernel_maps, with_hits;
	int verbose;
};

static const struct option buildid_options[] = {
	OPT_STRING('i', "input", struct buildid_opts, input, "FILE", "input file name"),
	OPT_BOOL('f', "force", struct buildid_opts, force, "don't complain, do it"),
	OPT_BOOL('H', "with-hits", struct buildid_opts, with_hits,
		 "show only objects that samples hit"),
	OPT_BOOL('k', "kernel", struct buildid_opts, kernel, "show the running kernel's build id"),
	OPT_BOOL('m', "kernel-maps", struct buildid_opts, kernel_maps,
		 "show the running kernel and its modules, with build ids and addresses"),
	OPT_INC('v', "verbose", struct buildid_opts, verbose, "be more verbose"),
	OPT_END(),
};

static const char *const buildid_usage[] = { "buildid-list [<options>] [[-i] FILE]", NULL };

/* ---- objects that samples hit ---------------------------------------------------------------------- */

static int print_hits(struct perfdata *pd, bool only_hits, struct obuf *out, struct err *e)
{
	struct machine *m = NULL;
	struct machine_hits *hits = NULL;
	struct record rec;
	int ret = machine_new(&m, perfdata_env(pd)->arch, e);

	if (!ret)
		ret = machine_add_build_ids(m, pd, e);
	if (!ret && machine_hits_new(&hits, m, NULL, NULL))
		ret = err_set(e, -ENOMEM, "out of memory for objects");
	if (ret)
		goto out;
	while ((ret = perfdata_next_ordered(pd, &rec, e)) > 0) {
		struct err bad = { 0 };

		/* A malformed record is said and left out. */
		if (rec.type == PERF_RECORD_SAMPLE ? machine_hits_sample(hits, &rec, &bad)
						   : machine_record(m, &rec, &bad))
			log_warn("%s", bad.text);
	}
	if (!only_hits && perfdata_nr_build_ids(pd)) {
		buildid_print_recorded(pd, out);
		goto out;
	}
	for (size_t i = 0; i < machine_nr_dsos(m); i++)
		if (machine_hits_have(hits, machine_dso(m, i)))
			buildid_print_dso(pd, machine_dso(m, i), out);
out:
	machine_hits_free(hits);
	machine_free(m);
	return ret;
}

static int list_file(const struct buildid_opts *o, struct obuf *out, struct err *e)
{
	struct perfdata_opts opts = { .force = o->force };
	uint8_t id[CAPTURE_BUILD_ID_MAX];
	size_t size = capture_file_build_id(o->input, id);
	struct perfdata *pd;
	int ret;

	if (size) { /* not a recording but a program */
		buildid_print(out, id, size);
		obuf_char(out, '\n');
		return 0;
	}
	ret = perfdata_open(&pd, o->input, &opts, e);
	if (ret)
		return ret;
	/* A file without a list, or a pipe, whose list comes last: the records have to be read. */
	if (o->with_hits || !perfdata_has_feature(pd, FEAT_BUILD_ID))
		ret = print_hits(pd, o->with_hits, out, e);
	else
		buildid_print_recorded(pd, out);
	perfdata_close(pd);
	return ret;
}

static int buildid_run(const struct command *cmd, int argc, char **argv)
{
	struct buildid_opts o = { 0 };
	struct err err = { 0 };
	struct obuf out;
	int n = cli_parse(cmd, &o, argc, argv, 0), ret, status = 0;

	if (n < 0)
		return CLI_STATUS(n);
	if (n > 1 || (n == 1 && o.input))
		return cli_usage_error(cmd, "more than one file: %s", argv[n - 1]);
	if (!o.input)
		o.input = n ? argv[0] : "perf.data";
	if (obuf_init(&out, STDOUT_FILENO, 0))
		return 1;
	if (o.kernel_maps)
		ret = buildid_print_kernel_maps(&out, &err);
	else
		ret = o.kernel ? buildid_print_kernel(&out, &err) : list_file(&o, &out, &err);
	if (obuf_free(&out) && out.code != -EPIPE)
		status = 1;
	return ret ? cli_print_err(&err) : status;
}

const struct command cmd_buildid_list = {
	.name = "buildid-list",
	.summary = "List the build ids in a perf.data file",
	.usage = buildid_usage,
	.options = buildid_options,
	.run = buildid_run,
};
