// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects: what the name of a map stands for, and what upstream calls it. A name says more than a
 * path: the kernel, a module, the vdso, anonymous memory that a JIT compiler filled. Two maps are
 * of one object when kind, path and build id agree, so a file that was replaced while recording is
 * two objects.
 */
#include <stdlib.h>

#include "machine/machine-int.h"

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool dso_is_anon_name(const char *name)
{
	/* The kernel's special names, huge pages, System V memory, what programs gave a name by
	 * prctl(), and where .NET keeps its code (other memfds may well be programs). */
	static const char *const anon[] = { "//anon",	      "/dev/zero",
					    "/anon_hugepage", "/memfd:doublemapper",
					    "[stack",	      "[heap]",
					    "/SYSV",	      "[anon:" };

	/* Most are paths of another directory than these: two characters tell. */
	for (size_t i = 0; i < ARRAY_SIZE(anon); i++)
		if (name[0] == anon[i][0] && name[1] == anon[i][1] && starts(name, anon[i]))
			return true;
	return false;
}

static const char *basename_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "/lib/modules/6.1/kernel/net/nf_conntrack.ko.xz" and "[nf_conntrack]" -> "[nf_conntrack]" */
static char *module_name(struct arena *a, const char *path)
{
	const char *base = basename_of(path), *ko = strstr(base, ".ko");
	char *name;

	if (*path == '[')
		return arena_strdup(a, path);
	name = arena_printf(a, "[%.*s]", (int)(ko ? (size_t)(ko - base) : strlen(base)), base);
	/* Files may be named with '-' where the module is named with '_'. */
	for (char *c = name; c && *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static const struct perfdata_build_id *table_build_id(const struct dso_table *t, const char *path)
{
	uint64_t hash = hash_bytes(path, strlen(path));
	uint32_t i;

	for (struct htab_it it = htab_find(&t->id_by_path, hash);
	     htab_next(&t->id_by_path, &it, &i);)
		if (!strcmp(t->id.v[i].path, path))
			return &t->id.v[i];
	return NULL;
}

static bool is_kernel(const struct perfdata_build_id *id)
{
	return (id->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* A vmlinux in the file's table is what the recorder knew the kernel by; modules are not meant. */
static bool is_vmlinux(const struct perfdata_build_id *id)
{
	return is_kernel(id) && id->path[0] == '/' && !strstr(basename_of(id->path), ".ko");
}

static const struct perfdata_build_id *table_vmlinux(const struct dso_table *t)
{
	return t->vmlinux ? &t->id.v[t->vmlinux - 1] : NULL;
}

static void kernel_name(const struct dso_table *t, struct dso *d)
{
	const struct perfdata_build_id *id = d->guest ? NULL : table_vmlinux(t);

	if (id)
		d->name = id->path;
	d->short_name = strstr(d->name, "vmlinux") ? "[kernel.vmlinux]" : d->name;
}

/* As upstream: a kernel module of the build-id table is called as there. */
static void name_module(const struct dso_table *t, struct dso *d)
{
	const struct perfdata_build_id *id = table_build_id(t, d->path);

	d->name = id && is_kernel(id) ? d->path : d->short_name;
}

static int dso_name(struct dso_table *t, struct dso *d, const struct dso_key *key)
{
	struct arena *a = &t->arena;

	d->path = arena_strdup(a, key->path);
	if (!d->path)
		return -ENOMEM;
	d->name = d->path;
	switch (key->kind) {
	case DSO_MODULE:
		d->short_name = module_name(a, key->path);
		name_module(t, d);
		break;
	case DSO_KERNEL: kernel_name(t, d); break;
	case DSO_ANON:
		d->name = arena_printf(a, "/tmp/perf-%d.map", key->pid);
		d->short_name = arena_printf(a, "[JIT] tid %d", key->pid);
		break;
	case DSO_JIT: d->short_name = arena_printf(a, "[JIT] tid %d", key->pid); break;
	case DSO_USER: d->short_name = basename_of(d->path); break;
	default: d->short_name = d->name;
	}
	return d->name && d->short_name ? 0 : -ENOMEM;
}

static bool same_id(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	return na == nb && !memcmp(a, b, na);
}

/* Code that was compiled at run time is one process's. */
static bool has_pid(enum dso_kind kind)
{
	return kind == DSO_ANON || kind == DSO_JIT;
}

/* It may have a build id of the file's table. */
static bool is_tabled(enum dso_kind kind)
{
	return !has_pid(kind) && kind != DSO_BPF;
}

static bool dso_is(const struct dso *d, const struct dso_key *key)
{
	if (d->kind != key->kind || d->guest != key->guest || strcmp(d->path, key->path))
		return false;
	if (has_pid(key->kind))
		return d->pid == key->pid;
	if (key->kind == DSO_BPF)
		return d->start == key->start && d->size == key->size;
	if (d->start != key->start)
		return false;
	return !key->build_id_size || !d->build_id_size ||
	       same_id(d->build_id, d->build_id_size, key->build_id, key->build_id_size);
}

static int dso_set_build_id(struct dso_table *t, struct dso *d, const uint8_t *id, size_t n)
{
	if (!n || d->build_id_size)
		return 0;
	d->build_id = arena_memdup(&t->arena, id, n);
	if (!d->build_id)
		return -ENOMEM;
	d->build_id_size = (uint8_t)n;
	return 0;
}

static struct dso *dso_create(struct dso_table *t, const struct dso_key *key, uint64_t hash)
{
	struct dso *d = arena_alloc(&t->arena, sizeof(*d));

	if (!d)
		return NULL;
	d->idx = (uint32_t)t->dso.n;
	d->kind = key->kind;
	d->guest = key->guest;
	d->pid = has_pid(key->kind) ? key->pid : -1;
	d->start = key->start;
	d->size = key->size;
	d->code_from = UINT64_MAX;
	if (dso_name(t, d, key) || dso_set_build_id(t, d, key->build_id, key->build_id_size) ||
	    vec_push(&t->dso, d))
		return NULL;
	if (htab_add(&t->by_name, hash, d->idx)) {
		t->dso.n--;
		return NULL;
	}
	return d;
}

/* Of all that dso_is() compares but build ids. */
static uint64_t dso_hash(const struct dso_key *key)
{
	uint64_t hash = hash_mix(hash_bytes(key->path, strlen(key->path)),
				 has_pid(key->kind) ? (uint32_t)key->pid : key->start);

	return key->kind == DSO_BPF ? hash_mix(hash, key->size) : hash;
}

static struct dso *find_hashed(const struct dso_table *t, const struct dso_key *key, uint64_t hash)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&t->by_name, hash); htab_next(&t->by_name, &it, &i);)
		if (dso_is(t->dso.v[i], key))
			return t->dso.v[i];
	return NULL;
}

/*
 * The first object of a name lies by that, those with another build id by this, too: a table of equal
 * hashes is a list, and a file may say as many ids for a name as it has records. Into @hash goes where
 * one lies that is not found.
 */
static struct dso *find(const struct dso_table *t, const struct dso_key *key, uint64_t *hash)
{
	struct dso_key name = *key;
	struct dso *first;

	name.build_id_size = 0;
	*hash = dso_hash(&name);
	first = find_hashed(t, &name, *hash);
	if (!first || dso_is(first, key))
		return first;
	*hash = hash_mix(*hash, hash_bytes(key->build_id, key->build_id_size));
	return find_hashed(t, key, *hash);
}

struct dso *dso_find(const struct dso_table *t, const struct dso_key *key)
{
	uint64_t hash;

	return find(t, key, &hash);
}

struct dso *dso_get(struct dso_table *t, const struct dso_key *want)
{
	struct dso_key key = *want;
	const struct perfdata_build_id *id;
	uint64_t hash;
	struct dso *d;

	/* That of a 32-bit process is not the [vdso] of the table. */
	if (!key.build_id_size && is_tabled(key.kind) && !key.start) {
		id = table_build_id(t, key.path);
		if (!id && key.kind == DSO_KERNEL && !key.guest)
			id = table_vmlinux(t);
		if (id) {
			key.build_id = id->id;
			key.build_id_size = id->size;
		}
	}
	d = find(t, &key, &hash);
	if (!d)
		return dso_create(t, &key, hash);
	return dso_set_build_id(t, d, key.build_id, key.build_id_size) ? NULL : d;
}

/*
 * To objects of that path that were mapped before their build id is told, as it is in streams: each goes
 * out before the first sample in its object there, so nothing of it was read yet.
 */
static int give_build_id(struct dso_table *t, const char *path, const struct perfdata_build_id *id)
{
	const struct dso_key key = { .path = path };
	uint32_t i;
	int ret = 0;

	for (struct htab_it it = htab_find(&t->by_name, dso_hash(&key));
	     !ret && htab_next(&t->by_name, &it, &i);) {
		struct dso *d = t->dso.v[i];

		if (!is_tabled(d->kind) || d->build_id_size || strcmp(d->path, path))
			continue;
		ret = dso_set_build_id(t, d, id->id, id->size);
		if (d->kind == DSO_MODULE)
			name_module(t, d);
		else if (d->kind == DSO_KERNEL)
			kernel_name(t, d);
	}
	return ret;
}

int dso_add_build_id(struct dso_table *t, const struct perfdata_build_id *id)
{
	struct perfdata_build_id copy = *id;

	if (!id->path || id->size > sizeof(id->id) || table_build_id(t, id->path))
		return 0;
	copy.path = arena_strdup(&t->arena, id->path);
	if (!copy.path || vec_push(&t->id, copy))
		return -ENOMEM;
	if (!t->vmlinux && is_vmlinux(&copy))
		t->vmlinux = t->id.n;
	if (htab_add(&t->id_by_path, hash_bytes(copy.path, strlen(copy.path)),
		     (uint32_t)t->id.n - 1))
		return -ENOMEM;
	return give_build_id(t, t->vmlinux == t->id.n ? DSO_KERNEL_PATH : copy.path, &copy);
}

void dso_table_free(struct dso_table *t)
{
	vec_free(&t->dso);
	htab_free(&t->by_name);
	vec_free(&t->id);
	htab_free(&t->id_by_path);
	arena_free(&t->arena);
}
