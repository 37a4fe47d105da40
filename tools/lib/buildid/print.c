// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build ids as lines of text: of the running kernel and its modules, and of the objects of a
 * recording. Widths are upstream's, because scripts cut these lines by column.
 */
#include <stdio.h>
#include <stdlib.h>

#include "buildid/buildid.h"
#include "capture/capture.h"
#include "emit/emit.h"

void buildid_print(struct obuf *out, const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		obuf_hex_zero(out, id[i], 2);
}

int buildid_print_kernel(struct obuf *out, struct err *e)
{
	static const char path[] = "/sys/kernel/notes";
	uint8_t id[CAPTURE_BUILD_ID_MAX];
	size_t size = capture_notes_build_id(path, id);

	if (!size)
		return err_set(e, -ENOENT, "%s holds no build id of the running kernel", path);
	buildid_print(out, id, size);
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

int buildid_print_kernel_maps(struct obuf *out, struct err *e)
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
			buildid_print(out, id, size);
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
		buildid_print(out, id, size);
		buildid_print(out, zero, sizeof(zero) - size);
	} else {
		obuf_pad(out, ' ', 2 * sizeof(zero));
	}
	obuf_char(out, ' ');
	emit_safe(out, path);
	obuf_char(out, '\n');
}

void buildid_print_recorded(struct perfdata *pd, struct obuf *out)
{
	for (size_t i = 0; i < perfdata_nr_build_ids(pd); i++) {
		const struct perfdata_build_id *b = perfdata_build_id(pd, i);

		print_line(out, b->id, b->size, b->path);
	}
}

/* An object's own build id, or what the recording says about its path (a pipe: at its end). */
void buildid_print_dso(struct perfdata *pd, const struct dso *dso, struct obuf *out)
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
