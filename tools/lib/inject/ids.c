// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build ids. A file lists them in a feature at its end; in a stream each goes out before the first
 * sample that fell into its object. What the recording tells itself is kept; the kernel's and the
 * modules' are looked up only for a recording of the kernel that runs here.
 */
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/file.h"
#include "inject/inject-int.h"

struct known_id {
	const char *path;
	struct build_id id;
};

struct ids {
	struct machine *m;
	struct machine_hits *hits;
	VEC(struct known_id) known;
	struct arena paths;
	struct obuf entries; /* of the feature, without what the file had */
	bool this_kernel;
	VEC(struct build_id) by_dso; /* for MMAP2: size 0 = not looked up, 0xff = has none */
	unsigned char *copy;	     /* a record that was changed */
	size_t copy_size;
};

/* ---- those that were given ----------------------------------------------------------------------- */

static int add_known(struct ids *ids, char *text, struct err *e)
{
	char *blank = strchr(text, ' ');
	struct known_id k;

	if (blank)
		*blank = 0;
	if (!blank || !buildid_parse(text, &k.id))
		return err_set(e, -EINVAL, "'%s': known build ids are given as ID PATH", text);
	k.path = arena_strdup(&ids->paths, blank + 1 + strspn(blank + 1, " "));
	if (!k.path || vec_push(&ids->known, k))
		return err_set(e, -ENOMEM, "out of memory for known build ids");
	return 0;
}

static int parse_known(struct ids *ids, const char *spec, struct err *e)
{
	char *text = *spec == '@' ? file_read_all(spec + 1, 16 << 20, NULL, e) : strdup(spec);
	char *save = NULL;
	int ret = 0;

	if (!text)
		return *spec == '@' ? e->code
				    : err_set(e, -ENOMEM, "out of memory for known build ids");
	for (char *s = strtok_r(text, *spec == '@' ? "\n" : ",", &save); s && !ret;
	     s = strtok_r(NULL, *spec == '@' ? "\n" : ",", &save))
		ret = add_known(ids, s, e);
	free(text);
	return ret;
}

static bool find_id(const struct ids *ids, const struct dso *dso, struct build_id *id)
{
	vec_for_each (k, &ids->known)
		if (!strcmp(k->path, dso->path)) {
			*id = k->id;
			return true;
		}
	if ((dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE) && !ids->this_kernel &&
	    !dso->build_id_size)
		return false;
	return buildid_of_dso(dso, id);
}

/* ---- objects that were hit ----------------------------------------------------------------------- */

static bool file_has(const struct inject *in, const struct dso *dso)
{
	for (size_t i = 0; i < perfdata_nr_build_ids(in->pd); i++)
		if (!strcmp(perfdata_build_id(in->pd, i)->path, dso->path))
			return true;
	return false;
}

static int first_hit(void *ctx, struct dso *dso)
{
	struct inject *in = ctx;
	struct obuf *o = &in->ids->entries;
	struct build_id id;
	struct err e;
	int ret = 0;

	if (file_has(in, dso) || !find_id(in->ids, dso, &id))
		return 0;
	in->stats.ids++;
	buildid_put_entry(o, dso, &id);
	if (in->pipe) {
		ret = o->code ?: perfdata_writer_feature(in->w, FEAT_BUILD_ID, o->buf, o->len, &e);
		o->len = 0;
	}
	return ret ?: o->code;
}

int ids_put_feature(struct inject *in, struct err *e)
{
	struct obuf all;
	int ret;

	if (obuf_init(&all, -1, 0))
		return err_set(e, -ENOMEM, "out of memory for build ids");
	for (size_t i = 0; i < perfdata_nr_build_ids(in->pd); i++)
		buildid_put_recorded(&all, perfdata_build_id(in->pd, i));
	if (in->ids)
		obuf_mem(&all, in->ids->entries.buf, in->ids->entries.len);
	vec_for_each (s, &in->jit.v)
		inject_jit_put_id(s, &all);
	ret = all.code ? err_set(e, all.code, "out of memory for build ids") : 0;
	if (!ret && all.len)
		ret = perfdata_writer_feature(in->w, FEAT_BUILD_ID, all.buf, all.len, e);
	obuf_free(&all);
	return ret;
}

/* ---- MMAP2 ---------------------------------------------------------------------------------------- */

/* Where a MMAP2 keeps device and inode, or the build id: its size, 3 bytes, 20 bytes. */
#define MMAP2_ID      40
#define MMAP2_ID_SIZE 24

static bool id_of_map(struct ids *ids, const struct record *rec, struct build_id *id)
{
	struct build_id none = { 0 };
	struct record_mmap r;
	struct map_hit hit;
	struct thread *th;
	struct err e;

	if (record_mmap(rec, &r, &e))
		return false;
	th = machine_thread(ids->m, (int32_t)r.pid, (int32_t)r.tid);
	if (!th ||
	    !machine_find_map(ids->m, th, rec->misc & PERF_RECORD_MISC_CPUMODE_MASK, r.addr,
			      &hit) ||
	    vec_reach(&ids->by_dso, hit.map->dso->idx, none))
		return false;
	*id = ids->by_dso.v[hit.map->dso->idx];
	if (!id->size) {
		if (!find_id(ids, hit.map->dso, id))
			id->size = 0xff;
		ids->by_dso.v[hit.map->dso->idx] = *id;
	}
	return id->size <= BUILD_ID_MAX;
}

static int put_id(struct inject *in, const struct record *rec, const void **out)
{
	struct ids *ids = in->ids;
	uint16_t misc = (uint16_t)(rec->misc | PERF_RECORD_MISC_MMAP_BUILD_ID);
	struct build_id id;

	if (rec->type != PERF_RECORD_MMAP2 || (rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    rec->size < MMAP2_ID + MMAP2_ID_SIZE || !id_of_map(ids, rec, &id))
		return 0;
	if (ids->copy_size < rec->size) {
		free(ids->copy);
		ids->copy = malloc(rec->size);
		ids->copy_size = ids->copy ? rec->size : 0;
		if (!ids->copy)
			return -ENOMEM;
	}
	memcpy(ids->copy, rec->data, rec->size);
	store_u16(ids->copy + 4, misc);
	memset(ids->copy + MMAP2_ID, 0, MMAP2_ID_SIZE);
	ids->copy[MMAP2_ID] = id.size;
	memcpy(ids->copy + MMAP2_ID + 4, id.id, id.size);
	in->stats.ids++;
	*out = ids->copy;
	return 0;
}

/* ---- all ------------------------------------------------------------------------------------------ */

int ids_new(struct inject *in, struct err *e)
{
	const struct perfdata_env *env = perfdata_env(in->pd);
	struct ids *ids = calloc(1, sizeof(*ids));
	struct utsname u;
	int ret;

	in->ids = ids;
	if (!ids || obuf_init(&ids->entries, -1, 0))
		return err_set(e, -ENOMEM, "out of memory for build ids");
	ids->this_kernel = !*env->os_release || (!uname(&u) && !strcmp(env->os_release, u.release));
	ret = machine_new(&ids->m, env->arch, e);
	ret = ret ?: machine_add_build_ids(ids->m, in->pd, e);
	if (!ret && machine_hits_new(&ids->hits, ids->m, first_hit, in))
		ret = err_set(e, -ENOMEM, "out of memory for build ids");
	if (!ret && in->o->known)
		ret = parse_known(ids, in->o->known, e);
	return ret;
}

void ids_free(struct ids *ids)
{
	if (!ids)
		return;
	machine_hits_free(ids->hits);
	machine_free(ids->m);
	vec_free(&ids->known);
	arena_free(&ids->paths);
	vec_free(&ids->by_dso);
	obuf_free(&ids->entries);
	free(ids->copy);
	free(ids);
}

/* All objects that maps made since the last call. */
static int hit_new_dsos(struct inject *in)
{
	struct ids *ids = in->ids;
	int ret = 0;

	for (size_t i = machine_nr_dsos(ids->m); !ret && i--;) {
		struct dso *dso = machine_dso(ids->m, i);

		if (machine_hits_have(ids->hits, dso))
			break;
		ret = machine_hits_dso(ids->hits, dso);
	}
	return ret;
}

static int hit_sample(struct ids *ids, const struct record *rec, struct err *e)
{
	struct thread *th;
	struct sample s;
	int ret;

	if (!rec->event)
		return 0;
	ret = sample_parse_some(rec, MACHINE_HITS_NEED, &s, e);
	if (ret)
		return ret;
	th = machine_thread(ids->m, (int32_t)s.pid, (int32_t)s.tid);
	return th ? machine_hits_sample(ids->hits, &s, th, e) : -ENOMEM;
}

int ids_record(struct inject *in, const struct record *rec, const void **out, struct err *e)
{
	struct ids *ids = in->ids;
	struct err bad = { 0 };
	int ret;

	if (rec->type == PERF_RECORD_SAMPLE)
		ret = in->o->ids == INJECT_IDS_HIT ? hit_sample(ids, rec, &bad) : 0;
	else
		ret = machine_record(ids->m, rec, &bad);
	if (ret && ret != -ENOMEM && bad.code) {
		log_to(&in->o->log, LOG_INFO, "%s", bad.text);
		ret = 0;
	}
	if (!ret && in->o->ids == INJECT_IDS_ALL)
		ret = hit_new_dsos(in);
	if (!ret && in->o->mmap2_ids)
		ret = put_id(in, rec, out);
	return ret ? err_set(e, ret, "cannot write build ids: %s", strerror(-ret)) : 0;
}
