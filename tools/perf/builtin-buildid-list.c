// SPDX-License-Identifier: GPL-2.0-or-later
/* perf buildid-list: the build ids that a recording stores. */
#include <stdlib.h>
#include <unistd.h>

#include "builtin.h"
#include "emit/emit.h"
#include "perfdata/perfdata.h"

struct buildid_opts {
	const char *input;
	bool force, kernel;
	int verbose;
};

static const struct option buildid_options[] = {
	OPT_STRING('i', "input", struct buildid_opts, input, "FILE", "input file name"),
	OPT_BOOL('f', "force", struct buildid_opts, force, "don't complain, do it"),
	OPT_BOOL('k', "kernel", struct buildid_opts, kernel, "show the running kernel's build id"),
	OPT_INC('v', "verbose", struct buildid_opts, verbose, "be more verbose"),
	OPT_END(),
};

static const char *const buildid_usage[] = { "buildid-list [<options>]", NULL };

static void print_id(struct obuf *out, const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		obuf_hex_zero(out, id[i], 2);
}

/* The GNU build id in /sys/kernel/notes: { u32 name size, desc size, type; name; desc }. */
static int print_kernel(struct obuf *out, struct err *e)
{
	static const char path[] = "/sys/kernel/notes";
	size_t size;
	char *notes = file_read_all(path, 1 << 20, &size, e);
	struct cursor c;

	if (!notes)
		return e->code;
	c = cursor_init(notes, size, false);
	while (cursor_left(&c) && !c.bad) {
		uint32_t name_size = cursor_u32(&c), desc_size = cursor_u32(&c);
		uint32_t type = cursor_u32(&c);
		const char *name = cursor_bytes(&c, align_up((uint64_t)name_size, 4));
		const uint8_t *desc = cursor_bytes(&c, align_up((uint64_t)desc_size, 4));

		if (!desc || type != 3 || name_size != 4 || memcmp(name, "GNU", 4))
			continue;
		print_id(out, desc, desc_size);
		obuf_char(out, '\n');
		free(notes);
		return 0;
	}
	free(notes);
	return err_set(e, -ENOENT, "%s holds no build id of the running kernel", path);
}

/* Build ids in a pipe are records, the last ones of it. */
static int read_pipe(struct perfdata *pd, struct err *e)
{
	struct record rec;
	int ret = 1;

	while (perfdata_is_pipe(pd) && ret > 0)
		ret = perfdata_next(pd, &rec, e);
	return ret < 0 ? ret : 0;
}

static void print_file(struct perfdata *pd, struct obuf *out)
{
	for (size_t i = 0; i < perfdata_nr_build_ids(pd); i++) {
		const struct perfdata_build_id *b = perfdata_build_id(pd, i);

		/* Shorter ids are printed with the zeros that the file pads them with. */
		print_id(out, b->id, sizeof(b->id));
		obuf_char(out, ' ');
		emit_safe(out, b->path);
		obuf_char(out, '\n');
	}
}

static int list_file(const struct buildid_opts *o, struct obuf *out, struct err *e)
{
	struct perfdata_opts opts = { .force = o->force, .no_order = true };
	struct perfdata *pd;
	int ret = perfdata_open(&pd, o->input, &opts, e);

	if (ret)
		return ret;
	ret = read_pipe(pd, e);
	print_file(pd, out);
	perfdata_close(pd);
	return ret;
}

static int buildid_run(const struct command *cmd, int argc, char **argv)
{
	struct buildid_opts o = { .input = "perf.data" };
	struct err err = { 0 };
	struct obuf out;
	int n = cli_parse(cmd, &o, argc, argv, 0), ret, status = 0;

	if (n < 0)
		return CLI_STATUS(n);
	if (n > 0)
		return cli_usage_error(cmd, "unexpected argument: %s", argv[0]);
	if (obuf_init(&out, STDOUT_FILENO, 0))
		return 1;
	ret = o.kernel ? print_kernel(&out, &err) : list_file(&o, &out, &err);
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
