// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record: the BUILD_ID feature. The records are read once more in time order, to see which
 * objects samples and their call chains fell into. Most build ids came with the MMAP2 records;
 * the kernel's, the modules' and those of older kernels' maps are read here.
 */
#include <limits.h>
#include <stdlib.h>

#include "machine/machine.h"
#include "record.h"
#include "sample/sample.h"

#define SEEN	     4096 /* pages that were looked up lately; a power of two */
#define NEEDED	     (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN)
#define BUILD_ID_MAX CAPTURE_BUILD_ID_MAX
#define NAME_ALIGN   64

struct hits {
	struct machine *m;
	struct bits dsos; /* by dso->idx */
	uint64_t *seen;	  /* hashes of (space, generation, mode, page) */
	bool all;
};

static int mark_dso(struct hits *h, const struct dso *dso)
{
	if (dso->idx >= h->dsos.nr) {
		struct bits bigger;

		if (bits_init(&bigger, (size_t)dso->idx * 2 + 64))
			return -ENOMEM;
		for (size_t i = 0; i < h->dsos.nr; i++)
			if (bits_test(&h->dsos, i))
				bits_set(&bigger, i);
		bits_free(&h->dsos);
		h->dsos = bigger;
	}
	bits_set(&h->dsos, dso->idx);
	return 0;
}

static int mark(struct hits *h, struct thread *th, uint32_t generation, uint8_t mode, uint64_t ip)
{
	uint64_t hash =
		hash_mix(hash_mix(hash_u64(ip >> 12), th->space), (uint64_t)generation << 8 | mode);
	uint64_t *seen = &h->seen[hash & (SEEN - 1)];
	struct map_hit hit;

	if (*seen == hash)
		return 0;
	*seen = hash;
	if (!machine_find_map(h->m, th, mode, ip, &hit) || !hit.map->dso)
		return 0;
	return mark_dso(h, hit.map->dso);
}

static uint8_t context_mode(uint64_t marker, uint8_t mode)
{
	switch (marker) {
	case PERF_CONTEXT_HV: return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL: return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER: return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST_KERNEL: return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER: return PERF_RECORD_MISC_GUEST_USER;
	default: return mode;
	}
}

static int mark_sample(struct hits *h, const struct record *rec)
{
	struct err inner = { 0 };
	struct sample s;
	struct thread *th;
	uint32_t generation;
	uint8_t mode;
	int ret;

	if (!rec->event || sample_parse_some(rec, NEEDED, &s, &inner))
		return 0; /* readers will say so */
	th = machine_thread(h->m, (int32_t)s.pid, (int32_t)s.tid);
	if (!th)
		return -ENOMEM;
	generation = machine_generation(h->m, th->space);
	mode = s.cpumode;
	ret = mark(h, th, generation, mode, s.ip);
	for (uint64_t i = 0; !ret && i < s.callchain.nr; i++) {
		uint64_t ip = u64s_get(&s.callchain, i);

		if (ip >= PERF_CONTEXT_MAX)
			mode = context_mode(ip, mode);
		else
			ret = mark(h, th, generation, mode, ip);
	}
	return ret;
}

/* ---- writing ------------------------------------------------------------------------------------ */

static size_t module_build_id(const struct dso *dso, uint8_t id[BUILD_ID_MAX])
{
	char path[PATH_MAX], name[128];
	const char *base = strrchr(dso->name, '/');
	size_t n;

	snprintf(name, sizeof(name), "%s", base ? base + 1 : dso->name);
	if (name[0] == '[')
		memmove(name, name + 1, strlen(name));
	name[strcspn(name, ".]")] = '\0';
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	n = capture_notes_build_id(path, id);
	return n;
}

static size_t dso_build_id(const struct dso *dso, uint8_t id[BUILD_ID_MAX])
{
	switch (dso->kind) {
	case DSO_KERNEL: return capture_notes_build_id("/sys/kernel/notes", id);
	case DSO_MODULE: return module_build_id(dso, id);
	case DSO_USER:
	case DSO_VDSO: break;
	default: return 0;
	}
	if (dso->build_id_size && dso->build_id_size <= BUILD_ID_MAX) {
		memcpy(id, dso->build_id, dso->build_id_size);
		return dso->build_id_size;
	}
	return dso->name[0] == '/' ? capture_file_build_id(dso->name, id) : 0;
}

/* One entry: header (misc: cpumode, and "the size is valid"), pid, id, size, name. */
static void put_entry(struct obuf *o, const struct dso *dso, const uint8_t *id, size_t size)
{
	bool kernel = dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE;
	size_t n = strlen(dso->name), len = align_up(n + 1, NAME_ALIGN);
	uint8_t padded[24] = { 0 };
	struct perf_event_header h = {
		.misc = (uint16_t)((kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
				   PERF_RECORD_MISC_EXT_RESERVED),
		.size = (uint16_t)(sizeof(h) + 4 + sizeof(padded) + len),
	};

	memcpy(padded, id, size);
	padded[20] = (uint8_t)size;
	obuf_mem(o, &h, sizeof(h));
	feature_put_u32(o, UINT32_MAX); /* pid -1: the host */
	obuf_mem(o, padded, sizeof(padded));
	obuf_mem(o, dso->name, n);
	obuf_pad(o, 0, (int)(len - n));
}

static void put_hits(const struct hits *h, struct obuf *o)
{
	for (size_t i = 0; i < machine_nr_dsos(h->m); i++) {
		const struct dso *dso = machine_dso(h->m, i);
		uint8_t id[BUILD_ID_MAX] = { 0 };
		size_t size;

		if (!(h->all || bits_test(&h->dsos, dso->idx)) || strlen(dso->name) > 4096)
			continue;
		size = dso_build_id(dso, id);
		if (size)
			put_entry(o, dso, id, size);
	}
}

/* ---- reading what was written ------------------------------------------------------------------------ */

static int read_hits(struct hits *h, struct perfdata *pd, struct err *e)
{
	struct record rec;
	int ret;

	while ((ret = perfdata_next_ordered(pd, &rec, e)) > 0) {
		struct err inner = { 0 };

		if (rec.type != PERF_RECORD_SAMPLE)
			machine_record(h->m, &rec, &inner);
		else if (!h->all && mark_sample(h, &rec))
			return err_set(e, -ENOMEM, "no memory for the objects that were hit");
	}
	return ret;
}

int record_build_ids(struct recording *rec, struct obuf *o, struct err *e)
{
	struct perfdata_opts po = { .force = true };
	struct hits h = { .all = rec->opts->buildid_all };
	struct perfdata *pd = NULL;
	char path[64];
	int ret;

	/* The descriptor, not the name: that may be another file by now. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", rec->fd);
	ret = perfdata_open(&pd, path, &po, e);
	if (ret)
		return ret;
	h.seen = calloc(SEEN, sizeof(*h.seen));
	if (!h.seen) {
		ret = err_set(e, -ENOMEM, "no memory for the objects that were hit");
		goto out;
	}
	ret = machine_new(&h.m, perfdata_env(pd)->arch, e);
	if (!ret)
		ret = read_hits(&h, pd, e);
	if (!ret)
		put_hits(&h, o);
out:
	machine_free(h.m);
	bits_free(&h.dsos);
	free(h.seen);
	perfdata_close(pd);
	return ret;
}
