/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of room convert share. */
#ifndef PERF_CONVERT_INT_H
#define PERF_CONVERT_INT_H

#include "base/tables.h"
#include "convert/convert.h"
#include "elf/elf.h"
#include "session/session.h"

#define NO_DSO UINT32_MAX
#define NO_END UINT64_MAX /* nothing is known of what ran after the branch */
/* User addresses end below this on every architecture with a canonical hole; the kernel begins. */
#define KERNEL_START 0xffff800000000000ULL

/*
 * A branch as the CPU saw it, in one address space, and the range that followed, as its length (NO_LEN: nothing is known of what
 * followed). rest: space << 32 | length.
 */
struct raw_key {
	uint64_t from, to, rest;
};

#define NO_LEN UINT32_MAX

static inline uint32_t raw_key_len(const struct raw_key *k)
{
	return (uint32_t)k->rest;
}

static inline uint32_t raw_key_space(const struct raw_key *k)
{
	return (uint32_t)(k->rest >> 32);
}

/*
 * How often it was seen: 32 bytes, so that it lies in one line of the cache. The table is open addressing over these, empty
 * where count is 0.
 */
struct raw {
	struct raw_key key;
	uint32_t count, mispred;
};

/* What else branch records tell: beside the table, for those who want it. */
struct raw_more {
	uint64_t cycles;
	uint32_t cycles_n, type;
};

/* One to be counted. */
struct raw_add {
	struct raw_key key;
	uint32_t hash, flags; /* as branch_load_flags() has them: the lower half */
};

struct raw_table {
	struct raw *v;
	struct raw_more *more; /* by place in v; NULL = nobody wants it */
	uint32_t *used;	       /* places in v, in the order they were filled */
	unsigned shift;	       /* the place is what is left of a hash: there are 2^(32 - shift) */
	uint32_t n, limit;     /* in use, and at how many it grows */
};

/* 2^@bits places. */
int raw_table_init(struct raw_table *t, unsigned bits, bool more);
void raw_table_free(struct raw_table *t);
void raw_table_clear(struct raw_table *t);
/* Counts one that is not in the first place to look at. 0, or -ENOMEM when the table has to grow and cannot. */
int raw_table_count(struct raw_table *t, const struct raw_add *a);

/* A branch between objects. Addresses are those of map_hit: offsets in the file. */
struct edge {
	uint64_t from, to, end;
	uint32_t from_dso, to_dso;
	uint64_t count, mispred;
	uint64_t cycles, cycles_n; /* with convert_keep_cycles() */
	uint32_t type;
};

struct ip {
	uint64_t addr;
	uint32_t dso;
	uint64_t count;
};

/* ---- elf.c: one file ---- */

struct function {
	uint64_t start, end; /* ELF addresses */
	const char *name;    /* as BOLT calls it: "main", "helper/1", "printf@PLT" */
	const char *symbol;  /* as the linker does: "main", "helper"; NULL = a stub's */
};

struct object_file {
	struct elf_file *file;
	struct segments segs;	  /* executable ones */
	VEC(struct function) fns; /* by start, one per address */
	struct arena arena;
	char build_id[2 * BUILD_ID_MAX + 1];
	uint16_t machine;		    /* EM_* */
	uint64_t first_vaddr, first_offset; /* of the first executable segment */
};

/* @flags: enum elf_flags. */
int convert_elf_open(struct object_file *f, const char *path, unsigned flags, struct err *e);
void convert_elf_close(struct object_file *f);
/* File offset to ELF address; NO_END when no executable segment holds it. */
uint64_t convert_elf_vaddr(const struct object_file *f, uint64_t offset);
/* A copy of up to @n bytes at an ELF address, to be freed, and how many; NULL when there are none. */
unsigned char *convert_elf_code(const struct object_file *f, uint64_t vaddr, size_t n, size_t *got);
const struct function *convert_elf_function(const struct object_file *f, uint64_t vaddr);

/* ---- the converter ---- */

struct convert_space {
	struct thread *th; /* one of those that live in it, to ask for its maps */
	bool dirty;	   /* it has entries in raw */
};

struct origins;
struct contexts; /* contexts-int.h */

struct convert_elf {
	struct convert_object pub;
	uint32_t dso;
	struct object_file file;
	bool loaded;
	struct origins *origins; /* what its code was compiled from; NULL = not asked for */
	uint32_t *edge;		 /* indices, those that touch the object */
	size_t nr_edges;
};

struct convert {
	struct machine *m;
	struct log_sink log;
	unsigned elf_flags;
	const struct session *session; /* for --symfs; NULL = objects lie where they were */
	struct raw_table raw;
	uint64_t since; /* branches in raw */
	VEC(struct edge) edges;
	struct htab edge_tab;
	VEC(struct ip) ips;
	struct htab ip_tab;
	const struct perfdata_event *event; /* of the first sample without a stack */
	VEC(struct convert_space) spaces;   /* by their number */
	struct contexts *contexts;	    /* NULL: what ran is not kept apart by its callers */
	struct convert_stats stats;
	VEC(struct convert_elf) objects;
	uint32_t *object_of; /* dso -> object, NO_DSO = none */
	int code;
};

/* Before the first sample: cycles and types of branches are counted, too. 0 or -ENOMEM. */
int convert_keep_cycles(struct convert *c);

/* Branches from or to the kernel are left out. */
static inline bool convert_in_kernel(uint64_t from, uint64_t to)
{
	return unlikely(from >= KERNEL_START || to >= KERNEL_START);
}

/* What lies at an address of a space now: number of the dso and *offset in its file; NO_DSO = none. */
uint32_t convert_resolve(struct convert *c, uint32_t space, uint64_t addr, uint64_t *offset);

/* The number in this session of another's dso; @maps NULL: it is the same. */
static inline uint32_t convert_mapped(const struct session_maps *maps, uint32_t dso)
{
	return maps && dso != NO_DSO ? maps->dso[dso] : dso;
}

/* An edge as one object sees it: ELF addresses, NO_END for the ends elsewhere. */
struct local_edge {
	uint64_t from, to, end;
	uint64_t count, mispred;
};

/* How many threads so many edges are worth, of those that the session may have: 1 to CONVERT_THREADS. */
#define CONVERT_THREADS 16
unsigned convert_threads(const struct convert *c, size_t edges);

/* Edges of an object, sorted by from, to, end; equal ones are merged. To be freed. */
struct local_edge *convert_local(const struct convert *c, const struct convert_elf *ob, size_t *nr,
				 struct err *e);

/*
 * Whether a symbol can be a word in a line of text: these end at blanks, and the text is looked at on terminals. @no:
 * what else it may not have.
 */
static inline bool convert_fits_line(const char *s, const char *no)
{
	size_t n = s ? strlen(s) : 0;

	return n && safe_run(s, n) == n && !strchr(s, ' ') && !strpbrk(s, no);
}

/* ---- order.c ---- */

/* -EINVAL where there are no branch stacks, by which @what is seen. */
int convert_need_branches(const struct convert *c, const struct convert_elf *ob, const char *what,
			  struct err *e);

/* ---- flow.c: what a range passes through ---- */

struct flow; /* block boundaries of an object's functions, by decoding them */

struct insn_decoder;

/* What decodes the object's code. -EOPNOTSUPP, -ENOTSUP or -ENOMEM. */
int convert_decoder(struct insn_decoder **d, const struct object_file *f, struct err *e);
int flow_new(struct flow **out, const struct object_file *f, struct err *e);
void flow_free(struct flow *fl);
/* Functions stand for more code than the file can hold; of some nothing is known. */
bool flow_is_cut(const struct flow *fl);
/* Jump targets seen in the profile begin blocks too: the targets of jump tables. */
void flow_add_target(struct flow *fl, uint64_t from, uint64_t to);
bool flow_is_return(struct flow *fl, uint64_t addr);
/* Calls @fn for every block boundary passed between @start and @end: last instruction, next
 * block. @from: where the branch to @start came from. False when that is no straight way. */
bool flow_walk(struct flow *fl, uint64_t from, uint64_t start, uint64_t end,
	       int (*fn)(void *ctx, uint64_t last, uint64_t next), void *ctx);

/* ---- samples.c ---- */

/*
 * The stack of a sample, innermost frame first: its chain, or its address alone. 0 when it has
 * neither. @alone: where that one frame is put. -ENOMEM.
 */
ssize_t convert_stack_of(const struct convert_run *r, const struct session_sample *in,
			 struct frame *alone, const struct frame **frames);

/* ---- the formats, each in the file of its name; fdata and autofdo's in write.c ---- */

extern const struct convert_format convert_fdata, convert_preagg, convert_autofdo, convert_profgen;
extern const struct convert_format convert_llvm, convert_llvm_extbinary, convert_afdo;
extern const struct convert_format convert_symbol_order, convert_call_order, convert_path_order;
extern const struct convert_format convert_propeller;
extern const struct convert_format convert_folded, convert_json, convert_pprof, convert_speedscope;
extern const struct convert_format convert_html, convert_otlp;
extern const struct convert_format convert_parquet, convert_native, convert_pgcopy;
extern const struct convert_format convert_firefox, convert_callgrind, convert_chrome;

#endif
