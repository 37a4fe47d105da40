// SPDX-License-Identifier: GPL-2.0-or-later
/* perf buildid-list: the build ids that a recording stores. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "builtin.h"
#include "capture/capture.h"
#include "emit/emit.h"
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

static void print_id(struct obuf *out, const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		obuf_hex_zero(out, id[i], 2);
}

static int print_kernel(struct obuf *out, struct err *e)
{
	static const char path[] = "/sys/kernel/notes";
	uint8_t id[CAPTURE_BUILD_ID_MAX];
	size_t size = capture_notes_build_id(path, id);

	if (!size)
		return err_set(e, -ENOENT, "%s holds no build id of the running kernel", path);
	print_id(out, id, size);
	obuf_char(out, '\n');
	return 0;
}

/* ---- the running kernel's maps, as a recording would begin with them -------------------------------- */

struct kernel_map {
	uint64_t start, end;
	char *path;
};

struct kernel_maps {
	VEC(struct kernel_map) maps;
};

static int take_map(void *ctx, const void *a, size_t na, const void *b, size_t nb, struct err *e)
{
	struct kernel_maps *k = ctx;
	struct record rec = { .type = PERF_RECORD_MMAP, .data = a, .size = (uint32_t)na };
	struct record_mmap m;
	struct kernel_map map;
	int ret = record_mmap(&rec, &m, e);

	(void)b, (void)nb; /* synthesised records come in one piece */
	if (ret)
		return ret;
	map = (struct kernel_map){ m.addr, m.addr + m.len, strdup(m.filename) };
	if (!map.path || vec_push(&k->maps, map)) {
		free(map.path);
		return err_set(e, -ENOMEM, "no memory for the kernel's maps");
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct kernel_map *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz" and "[ext4]" have their notes below /sys. */
static size_t map_build_id(const char *path, uint8_t id[CAPTURE_BUILD_ID_MAX])
{
	const char *base = strrchr(path, '/');
	char name[64], notes[160];
	size_t n;

	if (!strncmp(path, "[kernel.kallsyms]", 17))
		return capture_notes_build_id("/sys/kernel/notes", id);
	base = base ? base + 1 : path + (path[0] == '[');
	n = strcspn(base, ".]");
	snprintf(name, sizeof(name), "%.*s", (int)min_u64(n, sizeof(name) - 1), base);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	snprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id", name);
	return capture_notes_build_id(notes, id);
}

static int print_kernel_maps(struct obuf *out, struct err *e)
{
	struct kernel_maps k = { 0 };
	struct capture_sink sink = { .write = take_map, .ctx = &k };
	struct synth s = { .sink = &sink,
			   .user_only = true /* hidden addresses are printed as such */ };
	int ret = synth_kernel(&s, e);

	synth_end(&s);
	if (!ret && !k.maps.n) { /* hidden from this user, as upstream says it */
		struct kernel_map all = { 0, UINT64_MAX, strdup("[kernel.kallsyms]") };

		if (!all.path || vec_push(&k.maps, all)) {
			free(all.path);
			ret = err_set(e, -ENOMEM, "no memory for the kernel's maps");
		}
	}
	if (k.maps.n)
		qsort(k.maps.v, k.maps.n, sizeof(*k.maps.v), by_start);
	vec_for_each (m, &k.maps) {
		uint8_t id[CAPTURE_BUILD_ID_MAX];
		size_t size = map_build_id(m->path, id);

		if (!ret && size) {
			print_id(out, id, size);
			obuf_printf(out, " %16lx %16lx ", m->start, m->end);
			/* without the symbol that readers relocate by */
			emit_safe_n(out, m->path,
				    strncmp(m->path, "[kernel.kallsyms]", 17) ? strlen(m->path)
									      : 17);
			obuf_char(out, '\n');
		}
		free(m->path);
	}
	vec_free(&k.maps);
	return ret;
}

static void print_line(struct obuf *out, const uint8_t *id, size_t size, const char *path)
{
	/* Shorter ids are printed with the zeros that the file pads them with. */
	static const uint8_t zero[20];

	if (size) {
		print_id(out, id, size);
		print_id(out, zero, sizeof(zero) - size);
	} else {
		obuf_pad(out, ' ', 2 * sizeof(zero));
	}
	obuf_char(out, ' ');
	emit_safe(out, path);
	obuf_char(out, '\n');
}

static void print_file(struct perfdata *pd, struct obuf *out)
{
	for (size_t i = 0; i < perfdata_nr_build_ids(pd); i++) {
		const struct perfdata_build_id *b = perfdata_build_id(pd, i);

		print_line(out, b->id, b->size, b->path);
	}
}

/* ---- objects that samples hit ---------------------------------------------------------------------- */

/* An object's own build id, or what the recording says about its path (a pipe: at its end). */
static void print_dso(struct perfdata *pd, const struct dso *dso, struct obuf *out)
{
	const char *name = dso->kind == DSO_MODULE ? dso->path : dso->name;
	const struct perfdata_build_id *b = NULL;

	for (size_t i = 0; !dso->build_id_size && i < perfdata_nr_build_ids(pd); i++)
		if (!strcmp(perfdata_build_id(pd, i)->path, dso->path))
			b = perfdata_build_id(pd, i);
	if (b)
		print_line(out, b->id, b->size, name);
	else
		print_line(out, dso->build_id, dso->build_id_size, name);
}

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
		print_file(pd, out);
		goto out;
	}
	for (size_t i = 0; i < machine_nr_dsos(m); i++)
		if (machine_hits_have(hits, machine_dso(m, i)))
			print_dso(pd, machine_dso(m, i), out);
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
		print_id(out, id, size);
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
		print_file(pd, out);
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
		ret = print_kernel_maps(&out, &err);
	else
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
