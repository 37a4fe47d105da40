/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of room `machine` share.
 *
 *	machine.c	records in, answers out
 *	thread.c	threads and their names
 *	space.c		address spaces: which map is visible where
 *	tree.c		their sorted slots; parent and child share what neither has changed
 *	dso.c		objects: what a map's name stands for
 *	match.c		what is whose like in another machine
 *	hits.c		which objects samples fell into
 *	jit.c		code that jitdump files tell of
 */
#ifndef PERF_MACHINE_MACHINE_INT_H
#define PERF_MACHINE_MACHINE_INT_H

#include "base/tables.h"
#include "machine/machine.h"

/* A map object is shared by all slots that mention it; slots cut it to what is left of it. */
struct map_obj {
	struct map pub;
	union {
		uint32_t refs;
		struct map_obj *next_free;
	};
};

struct map_slot {
	uint64_t start, end;
	struct map_obj *map;
};

struct map_node; /* a tree of disjoint slots, ascending; NULL is an empty one */

struct map_pool {
	struct arena arena;
	struct map_obj *free;
};

struct space {
	struct map_node *maps;
	struct map_slot last; /* the slot that answered last; empty = none */
	struct {
		uint64_t start, end;
	} gap[2]; /* where nothing was found last and before; end 0 = not known */
	uint32_t gen;
	uint32_t before_exec; /* the space that an exec replaced by this one; 0 = none */
	uint32_t jit;	      /* its code from jitdump files: of machine->jit, + 1; 0 = none */
};

struct map_obj *map_new(struct map_pool *pool);
void map_put(struct map_pool *pool, struct map_obj *map);

/* The last slot that starts at or before @at, the first one behind it, the @i-th; NULL = none. */
const struct map_slot *tree_before(const struct map_node *a, uint64_t at);
const struct map_slot *tree_after(const struct map_node *a, uint64_t at);
const struct map_slot *tree_at(const struct map_node *a, size_t i);
/* Takes over the slot's reference to its map; nothing may start there yet. 0 or -ENOMEM. */
int tree_insert(struct map_node **root, struct map_pool *pool, const struct map_slot *slot);
/* The slot that starts at @start, which is there, gets the bounds of @slot or goes. 0 or -ENOMEM. */
int tree_replace(struct map_node **root, struct map_pool *pool, uint64_t start,
		 const struct map_slot *slot);
int tree_remove(struct map_node **root, struct map_pool *pool, uint64_t start);
struct map_node *tree_share(struct map_node *a);
void tree_put(struct map_node *a, struct map_pool *pool);

/* Takes over the caller's reference of @map. Older maps give way; with @under it fills only the
 * room that the maps there leave. */
int space_insert(struct space *s, struct map_pool *pool, struct map_obj *map, bool under);
/* Forgets what lies in [start, end). */
int space_remove(struct space *s, struct map_pool *pool, uint64_t start, uint64_t end);
void space_clear(struct space *s, struct map_pool *pool);
void space_share(struct space *to, struct space *from, struct map_pool *pool);
struct map *space_find_slow(struct space *s, uint64_t ip);

/* Whether the slot that answered last answers. */
static inline bool space_found_last(const struct space *s, uint64_t ip)
{
	return ip - s->last.start < s->last.end - s->last.start;
}

/* Whether it lies where nothing was found last. */
static inline bool space_missed_last(const struct space *s, uint64_t ip)
{
	return (ip >= s->gap[0].start && ip < s->gap[0].end) ||
	       (ip >= s->gap[1].start && ip < s->gap[1].end);
}

static inline struct map *space_find(struct space *s, uint64_t ip)
{
	if (likely(space_found_last(s, ip)))
		return &s->last.map->pub;
	return space_find_slow(s, ip);
}

static inline const struct map *space_map_at(const struct space *s, size_t i)
{
	const struct map_slot *slot = tree_at(s->maps, i);

	return slot ? &slot->map->pub : NULL;
}

/* ---- dsos ------------------------------------------------------------------------------------ */

#define DSO_KERNEL_PATH "[kernel.kallsyms]"

struct dso_table {
	struct arena arena;
	VEC(struct dso *) dso;
	struct htab by_name;		  /* see dso_find() */
	VEC(struct perfdata_build_id) id; /* of the file's feature, paths copied */
	struct htab id_by_path;
	size_t vmlinux; /* the first of a kernel's file in .id, + 1; 0 = none */
};

struct dso_key {
	enum dso_kind kind;
	const char *path;	 /* as in the record */
	const uint8_t *build_id; /* NULL = look into the file's table */
	uint8_t build_id_size;
	int32_t pid;	      /* JIT code: whose */
	uint64_t start, size; /* DSO_BPF, DSO_VDSO */
	bool guest;
};

struct dso *dso_get(struct dso_table *t, const struct dso_key *key);
/* The same without making one. */
struct dso *dso_find(const struct dso_table *t, const struct dso_key *key);
/* The first one of a path holds; objects that are there get it, too. */
int dso_add_build_id(struct dso_table *t, const struct perfdata_build_id *id);
void dso_table_free(struct dso_table *t);

/* ---- jitdump --------------------------------------------------------------------------------- */

/* A file, and how far its events were applied. */
struct jit_source {
	struct jitdump *dump;
	struct dso *dso;
	uint32_t space; /* whose maps grow */
	size_t next;
};

/* What a process compiled: lies over the anonymous memory of its space. */
struct jit_code_maps {
	struct space maps;
};

struct jit_trouble {
	int32_t pid;
	char *text;
};

struct jit {
	bool on, symfs_flat;
	bool mono; /* times are those of the files */
	const char *symfs;
	VEC(struct jit_source) source;
	VEC(struct jit_code_maps) code;
	VEC(struct jit_trouble) trouble;
	uint64_t due; /* the next event's time; UINT64_MAX = none */
};

/* @r maps a jitdump file into @space: reads it. */
int machine_jit_mapped(struct machine *m, int32_t pid, uint32_t space, const char *path);
/* A forked process starts with its parent's code. */
int machine_jit_share(struct machine *m, uint32_t to, uint32_t from);
/* @space is gone for good. */
void machine_jit_forget(struct machine *m, uint32_t space);
struct map *machine_jit_find(struct machine *m, const struct space *s, uint64_t ip);
void machine_jit_free(struct machine *m);

/* ---- the machine ------------------------------------------------------------------------------- */

struct thread_obj {
	struct thread pub;
	bool pid_guessed; /* seen only without a pid */
};

struct process {
	int32_t pid;
	uint32_t space;
};

struct cgroup {
	uint64_t id;
	const char *path;
};

/* A power of two. */
#define RECENT_THREADS 64

/* Exited processes whose maps are still kept: late samples of theirs may come. */
#define MACHINE_GRACE 4096

struct machine {
	char *arch;
	const struct perfdata *pd; /* NULL = none told */
	struct intern comms;
	struct arena arena;
	VEC(struct thread_obj *) thread;
	struct htab by_tid; /* newest of equal tids is found by its index */
	VEC(uint32_t) tid_head;
	VEC(struct process) proc;
	struct htab by_pid;
	VEC(struct space) space; /* [0] = none, then one per address space */
	struct space kernel, guest_kernel;
	struct map_pool pool;
	struct dso_table dsos;
	VEC(struct cgroup) cgroup;
	struct htab cgroup_by_id;
	char *kernel_ref[2]; /* host, guest */
	uint64_t kernel_ref_addr[2];
	uint32_t gone[MACHINE_GRACE]; /* ring of spaces of exited processes */
	uint32_t gone_at;
	bool keep_all;
	struct jit jit;
	machine_before_fn *before; /* NULL: nobody wants to know */
	void *before_ctx;
	struct thread *recent[RECENT_THREADS]; /* the threads asked for last, by tid */
};

struct thread *thread_create(struct machine *m, int32_t pid, int32_t tid);
/* The address space of process @pid, made when unknown; 0 = no memory. */
uint32_t process_space(struct machine *m, int32_t pid);
/* A new, empty address space becomes that of @pid: its number, 0 = no memory. */
uint32_t process_new_space(struct machine *m, int32_t pid);
void process_exited(struct machine *m, uint32_t space);
struct cgroup *machine_find_cgroup(const struct machine *m, uint64_t id);
int machine_add_cgroup(struct machine *m, uint64_t id, const char *path);
int thread_set_comm(struct machine *m, struct thread *th, const char *comm);

/* Before code comes to lie elsewhere for a thread that is known. */
static inline void machine_changes(const struct machine *m)
{
	if (unlikely(m->before))
		m->before(m->before_ctx);
}

#endif
