/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine: processes, threads and maps as they change over time. Fed with the non-sample records
 * of a file in time order; answers "which object, which offset" for (thread, cpumode, address).
 * It does not know symbol names (room `symbol` does).
 *
 *	machine_record(m, &rec, &err);				every record that is no sample
 *	th = machine_thread(m, s.pid, s.tid);			never NULL but for no memory
 *	if (machine_find_map(m, th, s.cpumode, s.ip, &hit)) ...
 *
 * Threads, dsos and comms live until machine_free(); their numbers (dso->idx, thread->idx, comm
 * ids) are dense and stable: aggregate on them. A struct map is valid until the next
 * machine_record(): keep its dso, not the map. Not thread safe.
 */
#ifndef PERF_MACHINE_H
#define PERF_MACHINE_H

#include "jit/jit.h"
#include "perfdata/perfdata.h"
#include "sample/sample.h"

struct machine;

enum dso_kind {
	DSO_USER,
	DSO_KERNEL, /* [kernel.kallsyms], [guest.kernel.kallsyms] */
	DSO_MODULE, /* a kernel module */
	DSO_VDSO,
	DSO_ANON, /* executable anonymous memory: JIT code; symbols from /tmp/perf-PID.map */
	DSO_BPF,  /* KSYMBOL: a BPF program or trampoline, its symbol is its name */
	DSO_JIT,  /* a jitdump file: object addresses are offsets of code bytes in it */
};

struct dso {
	uint32_t idx;
	enum dso_kind kind;
	/* What script prints: a path, "[kernel.kallsyms]", "[nf_conntrack]" (the path when the
	 * file's build-id table has it), "[vdso]"; executable anonymous memory is called by its
	 * JIT map, "/tmp/perf-PID.map". */
	const char *name;
	const char *short_name; /* what report prints: the basename; "[JIT] tid PID" */
	const char *path;	/* as in the record: differs from name for modules and JIT code */
	const uint8_t *build_id;
	uint8_t build_id_size; /* 0 = unknown */
	/* The file, where the recording tells this and no build id; else 0. */
	uint32_t maj, min;
	uint64_t ino;
	int32_t pid; /* DSO_ANON, DSO_JIT: whose code; else -1 */
	/* DSO_BPF: where it lies. DSO_VDSO: 1 below 4 GB, where 32-bit processes have theirs, else 0. */
	uint64_t start, size;
	uint64_t
		code_from; /* the first offset that maps for code begin at; UINT64_MAX = none did */
	bool guest;
	void *symbols; /* room symbol's */
};

struct map {
	uint64_t start, end, pgoff; /* as recorded: a later map may cover a part of it */
	struct dso *dso;
	uint32_t prot, flags, maj, min;
	uint64_t ino, ino_generation;
	bool identity; /* object addresses are the addresses themselves: kernel, JIT code */
};

struct thread {
	uint32_t idx;
	int32_t pid, tid, ppid;
	uint32_t comm;	/* id for machine_comm(): the name at this point of the stream */
	uint32_t space; /* number of its address space; changes at exec; shared by threads */
	bool comm_set;	/* a COMM (or a parent's) named it; else the name is ":TID" */
	bool comm_exec; /* the name was set by an exec */
	bool exited;
	uint64_t cgroup_ns_dev, cgroup_ns_ino; /* of its cgroup namespace; 0 = not told */
};

/* Names of memory without a file: "//anon", "[heap]" ... */
bool dso_is_anon_name(const char *name);

/* @arch is the file's (env->arch); NULL or "" when unknown. */
int machine_new(struct machine **m, const char *arch, struct err *e);
void machine_free(struct machine *m);
/* Applies MMAP, MMAP2, COMM, FORK, EXIT, NAMESPACES, KSYMBOL, CGROUP, HEADER_BUILD_ID; ignores
 * others. A malformed one is an error that the caller may report and go on. */
int machine_record(struct machine *m, const struct record *rec, struct err *e);
/* Build ids of the file's feature, so that dsos carry them: before the first record. @pd must
 * live as long as @m. */
int machine_add_build_ids(struct machine *m, const struct perfdata *pd, struct err *e);

/*
 * From now on jitdump files that processes map ("jit-PID.dump") are read: code in anonymous memory
 * is looked for in them first. @symfs: NULL, or the directory that they lie below instead (@flat:
 * in it, by their last names); stays the caller's. Where the recording's times are not
 * CLOCK_MONOTONIC's, as those in the files, their code is there from the start.
 */
void machine_read_jitdumps(struct machine *m, const char *symfs, bool flat);
/* Code is loaded and moved up to @time: before a sample of that time is looked at. Cheap. */
int machine_advance(struct machine *m, uint64_t time);
/* The file behind a DSO_JIT object; NULL for others. It lives as long as @m. */
struct jitdump *machine_jitdump(const struct machine *m, const struct dso *dso);
/* What went wrong with the jitdump files of process @pid, or with their times; NULL = nothing. */
const char *machine_jit_trouble(const struct machine *m, int32_t pid);

/* Creates what it does not know. pid -1: the thread's own tid, pid 0: the idle task. */
struct thread *machine_thread(struct machine *m, int32_t pid, int32_t tid);
/* The newest one of that number, or NULL: nothing is made. */
struct thread *machine_find_thread(const struct machine *m, int32_t tid);
const char *machine_comm(const struct machine *m, uint32_t comm);
size_t machine_nr_comms(const struct machine *m);
size_t machine_nr_threads(const struct machine *m);
struct thread *machine_thread_at(const struct machine *m, size_t idx);
size_t machine_nr_dsos(const struct machine *m);
/* A file of that path and build id, made where there is none. NULL: no memory. */
struct dso *machine_object(struct machine *m, const char *path, const uint8_t *id, size_t size);
struct dso *machine_dso(const struct machine *m, size_t idx);
const char *machine_cgroup(const struct machine *m, uint64_t id); /* path or NULL */

/*
 * What @from has as @to's, made there where it is missing: map[] by number in @from. Threads are
 * alike by process, number and which one with these they are; objects by what they are; names
 * (machine_comm()) as text. After the last record of both: who is made here would be taken for the
 * thread that runs. 0 or -ENOMEM.
 */
int machine_match_threads(struct machine *to, const struct machine *from, uint32_t *map);
int machine_match_dsos(struct machine *to, const struct machine *from, struct dso **map);
int machine_match_comms(struct machine *to, const struct machine *from, uint32_t *map);
/*
 * Cgroups are alike by their paths: map[] is the id here, by number (below machine_nr_cgroups()) there. Those that
 * are not here get new ids. Of the same machine all have the ids that they have there: machine_take_cgroups(), and no
 * map. machine_matched_cgroup(): the id here of @id there, by that map or NULL.
 */
size_t machine_nr_cgroups(const struct machine *m);
int machine_take_cgroups(struct machine *to, const struct machine *from);
int machine_match_cgroups(struct machine *to, const struct machine *from, uint64_t *map);
uint64_t machine_matched_cgroup(const struct machine *to, const struct machine *from,
				const uint64_t *map, uint64_t id);
/* What @m has as another one's @d, which may learn of build ids later; NULL = nothing. Nothing is made. */
struct dso *machine_dso_like(const struct machine *m, const struct dso *d);

struct map_hit {
	struct map *map;
	uint64_t addr;	 /* object address: ip - start + pgoff, or ip (map->identity) */
	uint8_t cpumode; /* the mode that matched */
};

/*
 * The map that holds @ip for this thread now. @cpumode UNKNOWN tries user, then kernel. False
 * when none does. Cheap for repeated neighbours (a cache per address space).
 */
bool machine_find_map(struct machine *m, struct thread *th, uint8_t cpumode, uint64_t ip,
		      struct map_hit *hit);

/*
 * Grows whenever an answer of machine_find_map() may have changed for @space (kernel maps count
 * for all): whoever caches answers drops them when the number moved.
 */
uint32_t machine_generation(const struct machine *m, uint32_t space);
/*
 * @fn is called before an address can come to mean something else for a thread that there is: who puts off what it has to
 * ask has to ask now. NULL: nobody does any more.
 */
typedef void machine_before_fn(void *ctx);
void machine_call_before(struct machine *m, machine_before_fn *fn, void *ctx);

/* Maps of an address space, ascending, for --mmaps and unwinding: NULL past the end. */
const struct map *machine_map_at(const struct machine *m, uint32_t space, size_t i);
/* Kernel and module maps: the same. */
const struct map *machine_kernel_map_at(const struct machine *m, size_t i);
/* The one of them that covers @addr, or NULL. */
const struct map *machine_kernel_map(const struct machine *m, uint64_t addr);

/*
 * The kernel as it was recorded: the symbol that its map was named after ("_text", "_stext" or
 * NULL) and that symbol's address; 0 when the recording hides it.
 */
const char *machine_kernel_ref(const struct machine *m, bool guest, uint64_t *addr);
/* That file, whose features tell more of what ran; NULL = none. */
const struct perfdata *machine_recording(const struct machine *m);
/* env->os_release of the file whose build ids were added, as of now; "" when unknown. */
const char *machine_os_release(const struct machine *m);

/*
 * Address spaces of processes long gone are forgotten so that memory stays bounded; call this
 * before the first record to keep them (--mmaps).
 */
void machine_keep_all(struct machine *m);

/* ---- machines of pieces ---------------------------------------------------------------------- */

/*
 * What a machine has to be told of records that somebody else reads, so that it is what it would be had it got
 * all: other records that change it, and the first sample of each thread, for that makes a thread
 * which no record named. In the order of the file.
 */
struct machine_seen;

struct machine_seen *machine_seen_new(void);	/* NULL = no memory */
void machine_seen_free(struct machine_seen *m); /* NULL is fine */
/* Whether a record that is no sample is to be told. */
bool machine_seen_record(struct machine_seen *m, const struct record *rec);
/* The first sample of this thread of which this is asked is. Cheap: it is not one for sure. */
bool machine_seen_first(struct machine_seen *m, uint32_t pid, uint32_t tid);
bool machine_seen_recently(struct machine_seen *m, uint32_t pid, uint32_t tid);
/* Tells @m a record or sample of those, in the order of time. 0 or -ENOMEM. */
int machine_learn(struct machine *m, const struct record *rec);

/* ---- which objects were hit ---------------------------------------------------------------------------- */

struct machine_hits;
/* Called when @dso is hit for the first time; non-zero ends the call that led to it. */
typedef int (*machine_hit_fn)(void *ctx, struct dso *dso);

/* @first may be NULL. 0 or -ENOMEM. */
int machine_hits_new(struct machine_hits **h, struct machine *m, machine_hit_fn first, void *ctx);
void machine_hits_free(struct machine_hits *h);
#define MACHINE_HITS_NEED (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN)
/* The address of a sample of @th and those of its call chain: fields MACHINE_HITS_NEED of it. */
int machine_hits_sample(struct machine_hits *h, const struct sample *s, struct thread *th,
			struct err *e);
/* Counts as hit. */
int machine_hits_dso(struct machine_hits *h, struct dso *dso);
bool machine_hits_have(const struct machine_hits *h, const struct dso *dso);
/*
 * What @from has counts as hit, too, in the order of its numbers. objects[]: by number of an object
 * there the same one here, as machine_match_dsos() has it; NULL = one machine.
 */
int machine_hits_merge(struct machine_hits *h, const struct machine_hits *from,
		       struct dso *const *objects);

#endif
