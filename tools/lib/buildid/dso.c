// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build ids of objects. Most came with the MMAP2 records; the kernel's, the modules' and those of
 * older kernels' maps are read here.
 */
#include <assert.h>
#include <limits.h>
#include <stdio.h>

#include "buildid/buildid.h"
#include "capture/capture.h"

#define NAME_ALIGN 64

static_assert(CAPTURE_BUILD_ID_MAX == BUILD_ID_MAX, "one size of build ids");

static size_t module_build_id(const struct dso *dso, uint8_t id[BUILD_ID_MAX])
{
	char path[PATH_MAX], name[128];
	const char *base = strrchr(dso->name, '/');

	snprintf(name, sizeof(name), "%s", base ? base + 1 : dso->name);
	if (name[0] == '[')
		memmove(name, name + 1, strlen(name));
	name[strcspn(name, ".]")] = '\0';
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	return capture_notes_build_id(path, id);
}

static size_t user_build_id(const struct dso *dso, uint8_t id[BUILD_ID_MAX])
{
	if (dso->build_id_size && dso->build_id_size <= BUILD_ID_MAX) {
		memcpy(id, dso->build_id, dso->build_id_size);
		return dso->build_id_size;
	}
	return dso->name[0] == '/' ? capture_file_build_id(dso->name, id) : 0;
}

bool buildid_of_dso(const struct dso *dso, struct build_id *id)
{
	size_t n = 0;

	*id = (struct build_id){ 0 };
	switch (dso->kind) {
	case DSO_KERNEL: n = capture_notes_build_id("/sys/kernel/notes", id->id); break;
	case DSO_MODULE: n = module_build_id(dso, id->id); break;
	case DSO_USER:
	case DSO_VDSO: n = user_build_id(dso, id->id); break;
	default: break;
	}
	id->size = (uint8_t)n;
	return n > 0;
}

/* Header (misc: cpumode, and "the size is valid"), pid, id, size, name. */
void buildid_put_recorded(struct obuf *o, const struct perfdata_build_id *b)
{
	size_t n = strlen(b->path), len = align_up(n + 1, NAME_ALIGN);
	uint8_t padded[24] = { 0 };
	struct perf_event_header h = {
		.misc = (uint16_t)(b->misc | PERF_RECORD_MISC_EXT_RESERVED),
		.size = (uint16_t)(sizeof(h) + 4 + sizeof(padded) + len),
	};

	if (n > PATH_MAX) /* no kernel gave that */
		return;
	memcpy(padded, b->id, b->size);
	padded[20] = b->size;
	obuf_mem(o, &h, sizeof(h));
	obuf_mem(o, &b->pid, sizeof(b->pid));
	obuf_mem(o, padded, sizeof(padded));
	obuf_mem(o, b->path, n);
	obuf_pad(o, 0, (int)(len - n));
}

void buildid_put_entry(struct obuf *o, const struct dso *dso, const struct build_id *id)
{
	bool kernel = dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE;
	struct perfdata_build_id b = {
		.size = id->size,
		.pid = -1, /* the host */
		.misc = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		.path = dso->name,
	};

	memcpy(b.id, id->id, id->size);
	buildid_put_recorded(o, &b);
}
