// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two machines that saw the same or neighbouring recordings have other numbers for the same
 * threads and objects. Here what one has is found in the other, or made there.
 *
 * Numbers of threads are used again: the first thread with a process and a number is the first
 * with these over there, the second the second. What an object is tells dso_get(), as for maps.
 *
 * Ids of cgroups are inodes: small, given anew with each boot, and those of two machines meet by chance.
 * What is alike in two recordings is their paths. Pieces of one recording keep the ids, for a sample may
 * come before the record that names its cgroup, in another piece.
 */
#include <stdlib.h>

#include "machine/machine-int.h"

struct numbered {
	int32_t pid, tid;
	uint32_t idx;
};

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->idx < y->idx ? -1 : x->idx > y->idx;
}

static struct numbered *sorted_threads(const struct machine *m)
{
	struct numbered *v = malloc((m->thread.n + 1) * sizeof(*v));

	for (uint32_t i = 0; v && i < m->thread.n; i++) {
		const struct thread *th = &m->thread.v[i]->pub;

		v[i] = (struct numbered){ th->pid, th->tid, i };
	}
	if (v)
		qsort(v, m->thread.n, sizeof(*v), by_number);
	return v;
}

static void match_sorted(const struct numbered *to, size_t nr_to, const struct numbered *from,
			 size_t nr_from, uint32_t *map)
{
	for (size_t i = 0, k = 0; i < nr_from; i++) {
		/* Behind a number's last one over there come those of larger numbers. */
		struct numbered first = { from[i].pid, from[i].tid, 0 };

		while (k < nr_to && by_number(&to[k], &first) < 0)
			k++;
		if (k < nr_to && to[k].pid == from[i].pid && to[k].tid == from[i].tid)
			map[from[i].idx] = to[k++].idx;
	}
}

/* As it is at the end over there. */
static struct thread *thread_like(struct machine *m, const struct machine *from,
				  const struct thread *like)
{
	struct thread *th = thread_create(m, like->pid, like->tid);

	if (!th || thread_set_comm(m, th, machine_comm(from, like->comm)))
		return NULL;
	th->ppid = like->ppid;
	th->comm_set = like->comm_set;
	th->comm_exec = like->comm_exec;
	th->exited = like->exited;
	th->cgroup_ns_dev = like->cgroup_ns_dev;
	th->cgroup_ns_ino = like->cgroup_ns_ino;
	return th;
}

int machine_match_threads(struct machine *to, const struct machine *from, uint32_t *map)
{
	struct numbered *have = sorted_threads(to), *want = sorted_threads(from);
	int ret = have && want ? 0 : -ENOMEM;

	memset(map, 0xff, from->thread.n * sizeof(*map));
	if (!ret)
		match_sorted(have, to->thread.n, want, from->thread.n, map);
	free(have);
	free(want);
	for (uint32_t i = 0; !ret && i < from->thread.n; i++) {
		struct thread *th;

		if (map[i] != UINT32_MAX)
			continue;
		th = thread_like(to, from, &from->thread.v[i]->pub);
		if (!th)
			return -ENOMEM;
		map[i] = th->idx;
	}
	return ret;
}

static struct dso_key key_of(const struct dso *d)
{
	return (struct dso_key){
		.kind = d->kind,
		.path = d->path,
		.build_id = d->build_id,
		.build_id_size = d->build_id_size,
		.pid = d->pid,
		.start = d->start,
		.size = d->size,
		.guest = d->guest,
	};
}

struct dso *machine_dso_like(const struct machine *m, const struct dso *d)
{
	const struct dso_key key = key_of(d);

	return dso_find(&m->dsos, &key);
}

int machine_match_dsos(struct machine *to, const struct machine *from, struct dso **map)
{
	for (size_t i = 0; i < from->dsos.dso.n; i++) {
		const struct dso *d = from->dsos.dso.v[i];
		const struct dso_key key = key_of(d);
		size_t before = to->dsos.dso.n;

		map[i] = dso_get(&to->dsos, &key);
		if (!map[i])
			return -ENOMEM;
		if (map[i]->idx < before)
			continue;
		map[i]->maj = d->maj;
		map[i]->min = d->min;
		map[i]->ino = d->ino;
		map[i]->code_from = d->code_from;
	}
	return 0;
}

int machine_match_comms(struct machine *to, const struct machine *from, uint32_t *map)
{
	for (uint32_t i = 0; i < from->comms.str.n; i++) {
		map[i] = intern(&to->comms, intern_str(&from->comms, i));
		if (map[i] == INTERN_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- cgroups ------------------------------------------------------------------------------------- */

#define NEW_ID \
	(1ULL << 63) /* kernels make ids of inodes and generations, of which none gets that far */

size_t machine_nr_cgroups(const struct machine *m)
{
	return m->cgroup.n;
}

int machine_take_cgroups(struct machine *to, const struct machine *from)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < from->cgroup.n; i++)
		ret = machine_add_cgroup(to, from->cgroup.v[i].id, from->cgroup.v[i].path);
	return ret;
}

/* Its id by its path; false: there is none. */
static bool id_of_path(const struct machine *m, const struct htab *by_path, const char *path,
		       uint64_t *id)
{
	uint32_t i;

	for (struct htab_it it = htab_find(by_path, hash_bytes(path, strlen(path)));
	     htab_next(by_path, &it, &i);) {
		*id = m->cgroup.v[i].id;
		if (!strcmp(m->cgroup.v[i].path, path))
			return true;
	}
	return false;
}

/* Of several ids with one path, as a group has that was made again, the first stands for all. */
int machine_match_cgroups(struct machine *to, const struct machine *from, uint64_t *map)
{
	struct htab by_path = { 0 };
	uint64_t fresh = NEW_ID, id;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < to->cgroup.n; i++) {
		const char *path = to->cgroup.v[i].path;

		if (!id_of_path(to, &by_path, path, &id))
			ret = htab_add(&by_path, hash_bytes(path, strlen(path)), i);
	}
	for (uint32_t i = 0; !ret && i < from->cgroup.n; i++) {
		const struct cgroup *g = &from->cgroup.v[i];

		if (id_of_path(to, &by_path, g->path, &map[i]))
			continue;
		/* Not the same id: one of which nobody told here what it is stays unknown. */
		do
			map[i] = fresh++;
		while (machine_find_cgroup(to, map[i]));
		ret = machine_add_cgroup(to, map[i], g->path)
			      ?: htab_add(&by_path, hash_bytes(g->path, strlen(g->path)),
					  (uint32_t)to->cgroup.n - 1);
	}
	htab_free(&by_path);
	return ret;
}

uint64_t machine_matched_cgroup(const struct machine *to, const struct machine *from,
				const uint64_t *map, uint64_t id)
{
	const struct cgroup *g = map && id ? machine_find_cgroup(from, id) : NULL;

	if (g)
		return map[g - from->cgroup.v];
	/* Nobody told what it is: at least it is none that is known here. */
	return map && id && machine_find_cgroup(to, id) ? ~id : id;
}
