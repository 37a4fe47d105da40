// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records in, answers out: each record changes what holds from its time on, and a question is
 * about now. So whoever asks has to hand in records in time order. One that cannot be is an error
 * and changes nothing; types that say nothing of processes and maps are passed over.
 */
#include <stdlib.h>

#include "machine/machine-int.h"

#define PROT_EXEC   4
#define MAP_HUGETLB 0x40000

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "out of memory for the threads and maps of the recording");
}

int machine_new(struct machine **out, const char *arch, struct err *e)
{
	struct machine *m = calloc(1, sizeof(*m));

	*out = NULL;
	if (!m)
		return no_memory(e);
	m->arch = strdup(arch ? arch : "");
	/* Space 0 stands for "none"; the idle task is there before any record names it. */
	if (!m->arch || vec_push(&m->space, (struct space){ 0 }) || !machine_thread(m, 0, 0)) {
		machine_free(m);
		return no_memory(e);
	}
	*out = m;
	return 0;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	vec_for_each (s, &m->space)
		space_clear(s, &m->pool);
	machine_jit_free(m);
	space_clear(&m->kernel, &m->pool);
	space_clear(&m->guest_kernel, &m->pool);
	arena_free(&m->pool.arena);
	dso_table_free(&m->dsos);
	intern_free(&m->comms);
	arena_free(&m->arena);
	vec_free(&m->thread);
	htab_free(&m->by_tid);
	vec_free(&m->tid_head);
	vec_free(&m->proc);
	htab_free(&m->by_pid);
	vec_free(&m->space);
	vec_free(&m->cgroup);
	htab_free(&m->cgroup_by_id);
	free(m->kernel_ref[0]);
	free(m->kernel_ref[1]);
	free(m->arch);
	free(m);
}

void machine_keep_all(struct machine *m)
{
	m->keep_all = true;
}

int machine_add_build_ids(struct machine *m, const struct perfdata *pd, struct err *e)
{
	m->pd = pd;
	for (size_t i = 0; i < perfdata_nr_build_ids(pd); i++)
		if (dso_add_build_id(&m->dsos, perfdata_build_id(pd, i)))
			return no_memory(e);
	return 0;
}

/* ---- maps -------------------------------------------------------------------------------------- */

static int insert_map(struct machine *m, struct space *s, const struct record_mmap *r,
		      const struct dso_key *key, bool identity)
{
	struct map_obj *map;
	struct dso *dso = dso_get(&m->dsos, key);

	if (!dso)
		return -ENOMEM;
	map = map_new(&m->pool);
	if (!map)
		return -ENOMEM;
	if (!dso->ino) {
		dso->maj = r->maj;
		dso->min = r->min;
		dso->ino = r->ino;
	}
	if (r->prot & PROT_EXEC)
		dso->code_from = min_u64(dso->code_from, r->pgoff);
	map->pub.start = r->addr;
	/* A length that passes the end of the address space ends there. */
	map->pub.end = r->addr + r->len < r->addr ? UINT64_MAX : r->addr + r->len;
	map->pub.pgoff = r->pgoff;
	map->pub.dso = dso;
	map->pub.prot = r->prot;
	map->pub.flags = r->flags;
	map->pub.maj = r->maj;
	map->pub.min = r->min;
	map->pub.ino = r->ino;
	map->pub.ino_generation = r->ino_generation;
	map->pub.identity = identity;
	return space_insert(s, &m->pool, map, key->kind == DSO_KERNEL);
}

/*
 * "[kernel.kallsyms]_text": the kernel's text, named after the symbol whose address is in pgoff.
 * NULL when @name is no kernel's; else what follows the bracket.
 */
static const char *kernel_suffix(const char *name, bool guest)
{
	const char *prefix = guest ? "[guest.kernel.kallsyms" : "[kernel.kallsyms]";
	size_t n = strlen(prefix);
	const char *end;

	if (strncmp(name, prefix, n))
		return NULL;
	if (!guest)
		return name + n;
	end = strchr(name + n, ']'); /* "[guest.kernel.kallsyms.PID]_text" */
	return end ? end + 1 : NULL;
}

static int kernel_map(struct machine *m, const struct record *rec, struct record_mmap *r)
{
	bool guest = (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_GUEST_KERNEL;
	struct dso_key key = { .build_id = r->build_id,
			       .build_id_size = r->build_id_size,
			       .pid = -1,
			       .guest = guest };
	struct space *s = guest ? &m->guest_kernel : &m->kernel;
	const char *suffix = kernel_suffix(r->filename, guest);

	if (!suffix) {
		key.kind = DSO_MODULE;
		key.path = r->filename;
		return insert_map(m, s, r, &key, true);
	}
	if (!m->kernel_ref[guest] && *suffix) {
		m->kernel_ref[guest] = strdup(suffix);
		if (!m->kernel_ref[guest])
			return -ENOMEM;
		m->kernel_ref_addr[guest] = r->pgoff;
	}
	/* A recorder that was not shown the addresses writes none: it means all of the kernel. */
	if (!r->addr && !r->len)
		r->len = UINT64_MAX;
	key.kind = DSO_KERNEL;
	key.path = guest ? "[guest.kernel.kallsyms]" : DSO_KERNEL_PATH;
	return insert_map(m, s, r, &key, true);
}

static int user_map(struct machine *m, const struct record *rec, struct record_mmap *r)
{
	struct thread *th = machine_thread(m, (int32_t)r->pid, (int32_t)r->tid);
	bool data = rec->misc & PERF_RECORD_MISC_MMAP_DATA, anon;
	struct dso_key key = { .path = r->filename,
			       .build_id = r->build_id,
			       .build_id_size = r->build_id_size,
			       .pid = (int32_t)r->pid };

	if (!th)
		return -ENOMEM;
	if (rec->type == PERF_RECORD_MMAP && !data)
		r->prot = PROT_EXEC; /* all that MMAP tells */
	anon = dso_is_anon_name(r->filename) || (r->flags & MAP_HUGETLB);
	if (m->jit.on && jitdump_is_name(r->filename) &&
	    machine_jit_mapped(m, th->pid, th->space, r->filename))
		return -ENOMEM;
	if (!strcmp(r->filename, "[vdso]")) {
		key.kind = DSO_VDSO;
		key.start = r->addr < 1ULL << 32;
	} else if (anon && (r->prot & PROT_EXEC)) {
		key.kind = DSO_ANON;
	}
	return insert_map(m, &m->space.v[th->space], r, &key, anon);
}

static int do_mmap(struct machine *m, const struct record *rec, struct err *e)
{
	struct record_mmap r;
	int ret = record_mmap(rec, &r, e);
	uint8_t mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (ret)
		return ret;
	machine_changes(m);
	if (mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL)
		ret = kernel_map(m, rec, &r);
	else if (mode != PERF_RECORD_MISC_GUEST_USER)
		ret = user_map(m, rec, &r);
	return ret ? no_memory(e) : 0;
}

static int do_ksymbol(struct machine *m, const struct record *rec, struct err *e)
{
	struct dso_key key = { .kind = DSO_BPF, .pid = -1 };
	struct record_mmap r = { .prot = PROT_EXEC };
	struct record_ksymbol k;
	int ret = record_ksymbol(rec, &k, e);

	if (ret)
		return ret;
	machine_changes(m);
	r.addr = k.addr;
	r.len = k.len;
	if (k.flags & 1) { /* unregistered */
		uint64_t end = k.addr + k.len < k.addr ? UINT64_MAX : k.addr + k.len;

		return space_remove(&m->kernel, &m->pool, k.addr, end) ? no_memory(e) : 0;
	}
	key.path = k.name;
	key.start = k.addr;
	key.size = k.len;
	return insert_map(m, &m->kernel, &r, &key, true) ? no_memory(e) : 0;
}

/* ---- tasks ---------------------------------------------------------------------------------------- */

static int do_comm(struct machine *m, const struct record *rec, struct err *e)
{
	struct record_comm c;
	struct thread *th;
	uint32_t space;
	int ret = record_comm(rec, &c, e);

	if (ret)
		return ret;
	th = machine_thread(m, (int32_t)c.pid, (int32_t)c.tid);
	if (!th || thread_set_comm(m, th, c.comm))
		return no_memory(e);
	th->comm_set = true;
	th->comm_exec = c.exec;
	if (!c.exec)
		return 0;
	machine_changes(m);
	/* The kernel says COMM after it dropped the old maps and before it makes the new ones. */
	process_exited(m, th->space);
	space = process_new_space(m, th->pid);
	if (!space)
		return no_memory(e);
	m->space.v[space].before_exec = th->space;
	th->space = space;
	return 0;
}

static int do_fork(struct machine *m, const struct record *rec, struct err *e)
{
	struct thread *parent, *th;
	struct record_task t;
	uint32_t space;
	int ret = record_task(rec, &t, e);

	if (ret)
		return ret;
	parent = machine_thread(m, (int32_t)t.ppid, (int32_t)t.ptid);
	if (!parent)
		return no_memory(e);
	/* A recorder that describes what already runs may name a thread that is known. */
	th = machine_find_thread(m, (int32_t)t.tid);
	if (th == parent)
		return 0;
	if (t.pid != t.ppid) {
		space = process_new_space(m, (int32_t)t.pid);
		if (!space)
			return no_memory(e);
		/* A synthesised FORK is followed by the child's own maps. */
		if (!(rec->misc & PERF_RECORD_MISC_FORK_EXEC))
			space_share(&m->space.v[space], &m->space.v[parent->space], &m->pool);
		if (machine_jit_share(m, space, parent->space))
			return no_memory(e);
	}
	th = thread_create(m, (int32_t)t.pid, (int32_t)t.tid);
	if (!th)
		return no_memory(e);
	th->ppid = parent->tid;
	if (parent->comm_set) {
		th->comm = parent->comm;
		th->comm_set = true;
	}
	return 0;
}

static int do_exit(struct machine *m, const struct record *rec, struct err *e)
{
	struct record_task t;
	struct thread *th;
	int ret = record_task(rec, &t, e);

	if (ret)
		return ret;
	th = machine_find_thread(m, (int32_t)t.tid);
	if (!th || th->exited)
		return 0;
	th->exited = true;
	if (th->pid == th->tid && th->tid)
		process_exited(m, th->space);
	return 0;
}

/* Where the kernel puts the cgroup namespace among the links of NAMESPACES. */
#define NS_CGROUP 6

static int do_namespaces(struct machine *m, const struct record *rec, struct err *e)
{
	struct record_namespaces n;
	int ret = record_namespaces(rec, &n, e);
	struct thread *th;

	if (ret)
		return ret;
	th = machine_thread(m, (int32_t)n.pid, (int32_t)n.tid);
	if (!th)
		return no_memory(e);
	if (n.nr > NS_CGROUP) {
		th->cgroup_ns_dev = load_u64(n.link + NS_CGROUP * 16, rec->swap);
		th->cgroup_ns_ino = load_u64(n.link + NS_CGROUP * 16 + 8, rec->swap);
	}
	return 0;
}

struct cgroup *machine_find_cgroup(const struct machine *m, uint64_t id)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&m->cgroup_by_id, hash_u64(id));
	     htab_next(&m->cgroup_by_id, &it, &i);)
		if (i < m->cgroup.n && m->cgroup.v[i].id == id)
			return &m->cgroup.v[i];
	return NULL;
}

/* One entry for an id, with its newest path: a table of equal keys is a list, and files are full of them. */
int machine_add_cgroup(struct machine *m, uint64_t id, const char *path)
{
	struct cgroup *there = machine_find_cgroup(m, id), g = { .id = id };

	if (there && !strcmp(there->path, path))
		return 0;
	g.path = arena_strdup(&m->arena, path);
	if (!g.path)
		return -ENOMEM;
	if (there) { /* ids may be used again */
		*there = g;
		return 0;
	}
	return vec_push(&m->cgroup, g)
		       ?: htab_add(&m->cgroup_by_id, hash_u64(id), (uint32_t)m->cgroup.n - 1);
}

static int do_cgroup(struct machine *m, const struct record *rec, struct err *e)
{
	struct record_cgroup c;
	int ret = record_cgroup(rec, &c, e);

	if (!ret && machine_add_cgroup(m, c.id, c.path))
		ret = no_memory(e);
	return ret;
}

static int do_build_id(struct machine *m, const struct record *rec, struct err *e)
{
	struct perfdata_build_id id;
	int ret = record_build_id(rec, &id, e);

	if (!ret && dso_add_build_id(&m->dsos, &id))
		ret = no_memory(e);
	return ret;
}

int machine_record(struct machine *m, const struct record *rec, struct err *e)
{
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return do_mmap(m, rec, e);
	case PERF_RECORD_COMM: return do_comm(m, rec, e);
	case PERF_RECORD_FORK: return do_fork(m, rec, e);
	case PERF_RECORD_EXIT: return do_exit(m, rec, e);
	case PERF_RECORD_KSYMBOL: return do_ksymbol(m, rec, e);
	case PERF_RECORD_NAMESPACES: return do_namespaces(m, rec, e);
	case PERF_RECORD_CGROUP: return do_cgroup(m, rec, e);
	case PERF_RECORD_HEADER_BUILD_ID: return do_build_id(m, rec, e);
	default: return 0; /* seen.c has the same list */
	}
}

/* ---- answers ---------------------------------------------------------------------------------------- */

static struct space *mode_space(struct machine *m, const struct thread *th, uint8_t mode)
{
	switch (mode) {
	case PERF_RECORD_MISC_KERNEL: return &m->kernel;
	case PERF_RECORD_MISC_USER: return th ? &m->space.v[th->space] : NULL;
	case PERF_RECORD_MISC_GUEST_KERNEL: return &m->guest_kernel;
	default: return NULL;
	}
}

static inline bool hit_map(struct map *map, uint8_t mode, uint64_t ip, struct map_hit *hit)
{
	hit->map = map;
	hit->addr = map->identity ? ip : ip - map->start + map->pgoff;
	hit->cpumode = mode;
	return true;
}

static bool find_in(struct machine *m, struct thread *th, uint8_t mode, uint64_t ip,
		    struct map_hit *hit)
{
	struct space *s = mode_space(m, th, mode);
	struct map *map = s ? space_find(s, ip) : NULL, *code;

	/* Until exec returns, user registers and stacks are still the old program's. */
	if (!map && s && s->before_exec)
		map = space_find(&m->space.v[s->before_exec], ip);
	if (s && s->jit && (!map || map->dso->kind == DSO_ANON)) {
		code = machine_jit_find(m, s, ip);
		map = code ? code : map;
	}
	return map && hit_map(map, mode, ip, hit);
}

bool machine_find_map(struct machine *m, struct thread *th, uint8_t cpumode, uint64_t ip,
		      struct map_hit *hit)
{
	const struct space *s =
		cpumode == PERF_RECORD_MISC_USER && th ? &m->space.v[th->space] : NULL;

	/* Most lie where the last one lay that was found, or where the last one lay that was not. */
	if (s && !s->jit) {
		if (likely(space_found_last(s, ip)))
			return hit_map(&s->last.map->pub, cpumode, ip, hit);
		if (space_missed_last(s, ip) &&
		    (!s->before_exec || space_missed_last(&m->space.v[s->before_exec], ip)))
			return false;
	}
	if (cpumode != PERF_RECORD_MISC_CPUMODE_UNKNOWN)
		return find_in(m, th, cpumode, ip, hit);
	return find_in(m, th, PERF_RECORD_MISC_USER, ip, hit) ||
	       find_in(m, th, PERF_RECORD_MISC_KERNEL, ip, hit);
}

uint32_t machine_generation(const struct machine *m, uint32_t space)
{
	uint32_t gen = m->kernel.gen + m->guest_kernel.gen;

	return space < m->space.n ? gen + m->space.v[space].gen : gen;
}

void machine_call_before(struct machine *m, machine_before_fn *fn, void *ctx)
{
	m->before = fn;
	m->before_ctx = ctx;
}

const struct map *machine_map_at(const struct machine *m, uint32_t space, size_t i)
{
	return space < m->space.n ? space_map_at(&m->space.v[space], i) : NULL;
}

const struct map *machine_kernel_map_at(const struct machine *m, size_t i)
{
	return space_map_at(&m->kernel, i);
}

const struct map *machine_kernel_map(const struct machine *m, uint64_t addr)
{
	const struct map_slot *slot = tree_before(m->kernel.maps, addr);

	return slot && addr < slot->end ? &slot->map->pub : NULL;
}

const char *machine_kernel_ref(const struct machine *m, bool guest, uint64_t *addr)
{
	*addr = m->kernel_ref_addr[guest];
	return m->kernel_ref[guest];
}

const struct perfdata *machine_recording(const struct machine *m)
{
	return m->pd;
}

const char *machine_os_release(const struct machine *m)
{
	const struct perfdata_env *env = m->pd ? perfdata_env(m->pd) : NULL;

	return env && env->os_release ? env->os_release : "";
}

size_t machine_nr_dsos(const struct machine *m)
{
	return m->dsos.dso.n;
}

struct dso *machine_object(struct machine *m, const char *path, const uint8_t *id, size_t size)
{
	const struct dso_key key = { .kind = DSO_USER,
				     .path = path,
				     .build_id = id,
				     .build_id_size = (uint8_t)size,
				     .pid = -1 };

	return dso_get(&m->dsos, &key);
}

struct dso *machine_dso(const struct machine *m, size_t idx)
{
	return idx < m->dsos.dso.n ? m->dsos.dso.v[idx] : NULL;
}

const char *machine_cgroup(const struct machine *m, uint64_t id)
{
	const struct cgroup *g = machine_find_cgroup(m, id);

	return g ? g->path : NULL;
}
