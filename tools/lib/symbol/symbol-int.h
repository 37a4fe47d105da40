/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of room `symbol` share.
 *
 *	resolver.c	(thread, mode, ip) to location numbers; the caches
 *	many.c		many addresses at once
 *	segs.c		nested intervals, flattened for binary search
 *	table.c		a symbol table: sorting, aliases, ends
 *	object.c	which files belong to an object, and loading its table
 *	store.c		what was read, for several resolvers
 *	notes.c		what others make of functions' code, likewise
 *	symcache.c	finished tables on disk; symcache-dir.c: where
 *	files.c		where files and debug files are looked for
 *	elf-symbols.c, plt.c	tables of ELF files
 *	slots.c		names of slots of the global offset table
 *	minidebug.c	.gnu_debugdata
 *	module.c	files of kernel modules
 *	module-refs.c	what relocations put into their code
 *	unpack.c	gzip, xz, zstd
 *	server.c	debuginfod
 *	kernel.c	the kernel's symbols: vmlinux, the host's kernel
 *	kallsyms.c	the text of /proc/kallsyms
 *	jit.c		/tmp/perf-PID.map, jitdump files
 *	places.c	what else lies at an address: lines, inlined calls
 *	code.c		the bytes of code
 *	marks.c		instruction sets of ARM, and data among code
 *	lines.c		source lines and inlined frames (libdw); lines-stub.c without it
 *	origins.c	what compilers made code of (libdw)
 *	source.c	lines of source files
 *	match.c		what another resolver has handed out, as this one's
 *	demangle.c	C++ and Rust names
 */
#ifndef PERF_SYMBOL_SYMBOL_INT_H
#define PERF_SYMBOL_SYMBOL_INT_H

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "elf/elf.h"
#include "symbol/symbol.h"

/* ---- sorted starts ----------------------------------------------------------------------------- */

/*
 * Rows of 16 bytes, the first 8 of them where the row starts, ascending. Buckets of equal size,
 * about two for each row, say where a search begins.
 */
struct starts {
	const uint64_t *at; /* of row i: at[2 * i] */
	size_t n;
	uint64_t from;	      /* what lies before has no buckets */
	VEC(uint32_t) bucket; /* of 1 << shift bytes: the row at its first byte */
	unsigned shift;
};

/* @rows stay the caller's. Without memory for the buckets a search just takes longer. */
void starts_build(struct starts *s, const void *rows, size_t n);
void starts_free(struct starts *s);

/* A search in steps, for many addresses side by side: each asks for the memory of the next. */
struct starts_span {
	const uint64_t *at;
	size_t n; /* 0 = the address lies before all */
};

static inline size_t starts_bucket(const struct starts *s, uint64_t addr)
{
	return (size_t)min_u64((addr - s->from) >> s->shift, s->bucket.n - 1);
}

static inline void starts_ask(const struct starts *s, uint64_t addr)
{
	if (s->bucket.n)
		__builtin_prefetch(&s->bucket.v[starts_bucket(s, addr)]);
}

static inline struct starts_span starts_narrow(const struct starts *s, uint64_t addr)
{
	struct starts_span span = { s->at, s->n };
	size_t b, first;

	if (!span.n || addr < s->at[0])
		return (struct starts_span){ NULL, 0 };
	if (s->bucket.n && addr < s->from) {
		span.n = s->bucket.v[0] + 1;
	} else if (s->bucket.n) {
		b = starts_bucket(s, addr);
		first = s->bucket.v[b];
		span.n = (b + 1 < s->bucket.n ? s->bucket.v[b + 1] + 1 : s->n) - first;
		span.at += 2 * first;
	}
	__builtin_prefetch(span.at + (span.n & ~(size_t)1));
	return span;
}

/* The last row that starts at or before @addr; NULL when there is none. */
static inline const uint64_t *starts_search(struct starts_span span, uint64_t addr)
{
	if (!span.n)
		return NULL;
	while (span.n > 1) {
		size_t half = span.n / 2;

		span.at = span.at[2 * half] <= addr ? span.at + 2 * half : span.at;
		span.n -= half;
	}
	return span.at;
}

/* ---- intervals --------------------------------------------------------------------------------- */

#define SYM_NO_SEG UINT32_MAX

struct interval {
	uint64_t start, end;
	uint32_t id;
};

struct seg {
	uint64_t start; /* it reaches to the next */
	uint32_t id;	/* SYM_NO_SEG = a hole */
};

struct segs {
	VEC(struct seg) seg;
	struct starts starts;
};

/* Sorts @iv. 0 or -ENOMEM. */
int segs_build(struct segs *s, struct interval *iv, size_t n);
void segs_free(struct segs *s);
uint32_t segs_find(const struct segs *s, uint64_t addr);
/* The same, and up to where it holds (UINT64_MAX = to the end). */
uint32_t segs_find_end(const struct segs *s, uint64_t addr, uint64_t *end);

/* ---- tables ------------------------------------------------------------------------------------ */

/* 16 bytes each, for there may be millions. */
struct sym {
	uint64_t start;
	uint32_t size; /* 0 = unknown: up to the next one */
	uint32_t name; /* offset in the blob << 2 | binding; index of a symbol << 2 | SYM_REST */
};

enum {
	SYM_LOCAL,
	SYM_GLOBAL,
	SYM_WEAK,
	SYM_REST, /* of a finished table: what is left of a symbol behind one inside of it */
};

/*
 * Names of so many letters are rare, and are not copied or compared: in a file that was made to be slow, 100,000 of them are parts
 * of one string of megabytes.
 */
#define SYM_LONG_NAME 4096

/* Filled with symtab_add(), closed with symtab_finish(). */
struct symtab {
	VEC(struct sym) sym;
	VEC(char) blob; /* names, NUL-terminated; offset 0 is "" */
	struct starts starts;
	/* In a resolver's copy, its own: by sym idx + 1 of what users hold; 0 = not asked for yet. */
	uint32_t *handed;
};

/* How missing ends are made up. */
enum symtab_ends {
	ENDS_NEXT,     /* up to the next symbol; the last one to the end of the page after next */
	ENDS_KALLSYMS, /* the same, but no symbol reaches over the end of its module, whose name
			* lies behind the symbol's in the blob */
	ENDS_JIT,      /* all have sizes; of equal addresses the first added holds */
};

int symtab_add(struct symtab *t, uint64_t start, uint64_t size, int binding, const char *name);
/* The same with a name that lies in the blob already. */
int symtab_add_at(struct symtab *t, uint64_t start, uint64_t size, int binding, uint32_t name);
/* Whether more names of @f may be copied, one by one: else there would be more of them than the file is worth. */
static inline bool symtab_may_copy(const struct symtab *t, const struct elf_file *f)
{
	return t->blob.n <= f->budget;
}
/* Copies @n bytes into the blob and puts a NUL behind: their offset, UINT32_MAX = no memory. */
uint32_t symtab_blob(struct symtab *t, const void *p, size_t n);
/* The same for @n bytes that the caller puts to *room. */
uint32_t symtab_blob_room(struct symtab *t, uint64_t n, char **room);
/* Whether @b is the better name for an address than @a, which came first. */
bool symtab_better(const struct symtab *t, const struct sym *a, const struct sym *b);
/* A second time it does nothing. */
int symtab_finish(struct symtab *t, enum symtab_ends ends);
void symtab_free(struct symtab *t);
/* The symbol of what starts_search() found for @addr: an index into t->sym; SYM_NO_SEG = none. */
static inline uint32_t symtab_at(const struct symtab *t, const uint64_t *row, uint64_t addr)
{
	const struct sym *s;
	size_t i;

	if (!row)
		return SYM_NO_SEG;
	i = (size_t)(row - t->starts.at) / 2;
	s = &t->sym.v[i];
	if (addr - s->start >= s->size)
		return SYM_NO_SEG;
	return (s->name & 3) == SYM_REST ? s->name >> 2 : (uint32_t)i;
}

/* Index into t->sym of the innermost symbol there, SYM_NO_SEG when there is none. */
static inline uint32_t symtab_find(const struct symtab *t, uint64_t addr)
{
	return symtab_at(t, starts_search(starts_narrow(&t->starts, addr), addr), addr);
}

/* The row that symtab_find() finds for @addr, or the hole: it holds for [*start, *end). */
void symtab_span(const struct symtab *t, uint64_t addr, uint64_t *start, uint64_t *end);

static inline const char *symtab_name(const struct symtab *t, uint32_t i)
{
	return t->blob.v + (t->sym.v[i].name >> 2);
}

/* Of kallsyms: "[ext4]", "" of the kernel's own. */
static inline const char *symtab_module(const struct symtab *t, uint32_t i)
{
	const char *name = symtab_name(t, i);

	return name + strlen(name) + 1;
}

/* ---- ELF ----------------------------------------------------------------------------------------- */

/*
 * Adds .symtab of @f, or .dynsym when it has none. Addresses become file offsets by @seg, the segments of @run, the file
 * that was mapped (NULL: its own), or stay as they are plus @delta when @raw.
 */
int symtab_load_elf(struct elf_file *f, struct elf_file *run, const struct segments *seg, bool raw,
		    uint64_t delta, struct symtab *t);
/* "name@plt" for the stubs of @f, after its symbols are in @t. */
int symtab_load_plt(struct elf_file *f, struct symtab *t);
/* Value of a symbol of .symtab. */
bool elf_symbol_value(struct elf_file *f, const char *name, uint64_t *value);
struct plt_reloc {
	uint64_t got;	  /* address of the slot that is filled */
	uint64_t addend;  /* without a name: of the function that picks the function */
	const char *name; /* NULL = none */
	uint32_t ifunc;	  /* the symbol of that one: index in the table + 1, 0 = none */
};
/*
 * Relocations of .rela.plt/.rel.plt (@dyn: .rela.dyn/.rel.dyn) for slots in [from, to]; *out is
 * to be freed.
 */
int symtab_relocs(struct elf_file *f, bool dyn, uint64_t from, uint64_t to, struct plt_reloc **out,
		  size_t *nr);

/* What fills a slot of the global offset table. */
struct slot_name {
	uint64_t addr;
	const char *name;
};

/* ---- objects ---------------------------------------------------------------------------------------- */

/*
 * What is found when an object is loaded, and does not change from then on. It belongs to a store; a
 * resolver has a copy of the struct, so that its way to a symbol is short, with tab.handed of its own.
 */
struct found {
	struct symtab tab;
	struct segments seg;
	char *file;	    /* where the symbols came from */
	char *run_file;	    /* the mapped file itself, when found */
	struct build_id id; /* of run_file */
	uint32_t e_machine; /* 0 = unknown */
	unsigned insn_mode; /* enum insn_mode */
	bool kernel_tab;    /* its symbols are in the kernel's table */
	bool stripped;	    /* no .symtab, neither in the file nor in one of debug symbols */
	/* Of the kernel: */
	bool vmlinux;	/* the file is an ELF one */
	uint64_t delta; /* added to the file's addresses */
	/* Only what lies in these many bytes from there on: see kernel_rest(). 0 = everything. */
	uint64_t own_from, own_size;
};

struct lines;

struct code_span { /* of a section with code, in the file */
	uint64_t start, end;
};

struct object { /* dso->symbols */
	struct found found;
	const struct stored
		*stored;  /* what it was loaded into; NULL = it is none that the store has */
	char *debug_file; /* where .debug_info is or may be */
	VEC(struct symbol_mark) mark; /* by address */
	bool marks_tried;
	VEC(struct slot_name) slot; /* by address */
	bool slots_tried;
	bool loaded;
	bool unnamed; /* an address in it was found to have no symbol */
	bool code_tried;
	int code_fd;			 /* < 0 = not open */
	char *code_file;		 /* that it is of */
	VEC(struct code_span) code_span; /* of user objects; in the order of the file's sections */
	bool spans_tried;
	struct segments code_seg; /* of it, where they are not found.seg */
	uint64_t code_delta;	  /* of the kernel: from addresses there to the recorded ones */
	struct module *module;	  /* the file of a kernel module; NULL = none, or not looked for */
	bool module_tried;
	bool code_module; /* code is read from it */
	int kcore_error;  /* errno of /proc/kcore; 0 = not tried, or readable */
	struct lines *lines;
	struct stored
		*lines_of;    /* the store's, to be given back; NULL = they are the object's own */
	uint64_t lines_delta; /* of the kernel: as code_delta */
	bool lines_tried;
};

struct object *object_get(struct resolver *res, struct dso *dso);
/* Loads the table once. */
struct object *object_load(struct resolver *res, struct dso *dso);
/* What instructions it has, by its file. */
void object_set_machine(struct found *found, const struct elf_file *f);
void object_free(struct object *o);
/* Debug information is opened again by who asks then. */
void object_forget_lines(struct object *o);

/* ---- the store --------------------------------------------------------------------------------- */

struct stored;
struct kallsyms;
/* The one for what @key names; NULL: no memory. */
struct stored *stored_get(struct resolver *res, const char *key);
/*
 * True: the caller is the first to ask, and loads what it finds into stored_found(). Others wait
 * meanwhile, so nothing else of the store may be asked for until stored_end(). False: it is there.
 */
bool stored_begin(struct resolver *res, struct stored *s);
struct found *stored_found(struct stored *s);
/* After both: the resolver's copy (NULL = none), and the messages that came up when it was loaded. */
void stored_end(struct resolver *res, struct stored *s, struct found *copy);
/* While it is loaded: what all who take it are told. */
void stored_warning(struct stored *s, const char *text);
void stored_lacked_memory(struct stored *s);
/* A thread reads @k, which goes with it, unless it is there or somebody is at it. False: no thread. */
bool stored_start(struct stored *s, struct kallsyms *k);
/* Whether that thread has found a table in the cache, so far. */
bool stored_found_kept(struct stored *s);
/* Between stored_begin() and stored_end(): waits for that thread. NULL = there was none. */
struct kallsyms *stored_wait(struct stored *s, int *ret);
/* Seconds of CPU time of a thread that was waited for; 0: there was none. */
double stored_ahead_seconds(struct stored *s);
/* The debug information of a file, opened by the first who asks; *lines NULL = there is none. */
struct stored *stored_lines(struct resolver *res, const char *path, struct lines **lines);
/* After the last of those who asked it is closed. */
void stored_lines_done(struct stored *s);
/* Of a resolver's copy: what is its own. */
void stored_forget(struct found *copy);
/* Which of the store's resolvers one is. */
unsigned stored_next_number(struct symbol_store *st);

/* ---- notes ------------------------------------------------------------------------------------- */

struct note {
	const struct symbol_note_kind *kind;
	const struct stored *of; /* the object; NULL = of one resolver alone: */
	uint32_t number;	 /* its own, from 1 on */
	uint64_t at;		 /* where the function starts; its number in that resolver */
	void *what;
};

struct symbol_store_notes {
	pthread_mutex_t lock;
	VEC(struct note) note;
	struct htab by_name;
};

void symbol_notes_init(struct symbol_store_notes *s);
void symbol_notes_free(struct symbol_store_notes *s);
struct symbol_store_notes *stored_notes(struct resolver *res);

/* ---- tables on disk ---------------------------------------------------------------------------- */

#define SYMCACHE_SUFFIX ".symtab"
#define SYMCACHE_TEMP	"tmp-"
#define SYMCACHE_NAME	64 /* bytes of a name */
#define SYMCACHE_WORDS	14

/* What a table is made of. */
struct symcache_key {
	uint64_t word[SYMCACHE_WORDS];
	char name[SYMCACHE_NAME];
};

void symcache_open(struct symcache *c, const struct log_sink *log);
void symcache_close(struct symcache *c);
/* The oldest go until the rest is within the limit. */
void symcache_trim(const struct symcache *c, time_t now);
/*
 * Either file may be NULL. @delta: of the kernel, added to the file's addresses; else NULL. False: it has
 * no build id.
 */
bool symcache_key(struct symcache_key *k, const struct resolver *res, struct elf_file *run,
		  struct elf_file *debug, const uint64_t *delta);
/* Of bytes, the same in each process. */
uint64_t symcache_sum(const void *p, size_t n);
/* Of kallsyms, by @n bytes at its beginning. */
bool symcache_kernel_key(struct symcache_key *k, const struct build_id *id, size_t n, uint64_t sum);
/* A finished table; false when there is none that is made of just that. */
bool symcache_get(struct resolver *res, const struct symcache_key *k, struct symtab *t);
bool symcache_read(const struct symcache *c, const struct symcache_key *k, struct symtab *t);
/* Its way to the disk may take long: for a thread. */
void symcache_put(const struct symcache *c, const struct symcache_key *k, const struct symtab *t);
/* The store's, opened once. */
const struct symcache *stored_cache(struct resolver *res);
/* While it is loaded: the table, finished, is to be put there, or @part of it, which shares its memory. */
void stored_keep(struct resolver *res, const struct symcache_key *k, const struct symtab *part);

/* ---- the resolver --------------------------------------------------------------------------------------- */

struct kernel_tab {
	struct found found;
	struct stored *stored;
	bool tried;
	bool ahead_tried, ahead; /* somebody reads it, or has */
	struct found rest; /* all of kallsyms; asked for what lies outside of the kernel's own */
	struct stored *rest_stored;
	bool rest_tried, rest_ahead;
};

struct loc_slot {
	uint64_t addr;
	uint32_t where; /* number of the dso + 1 (0 = none) << 3 | cpumode */
	uint32_t loc;	/* + 1; 0 = free */
};

#define LOC_PAGE 1024 /* 32 KB: less than what malloc() maps and unmaps by itself */

/* What was asked about an object address. */
struct place {
	struct dso *dso;
	uint64_t addr;
	struct srcline line;
	const struct inline_frame *frames;
	int nr_frames;
	bool line_tried, has_line;
	bool names_tried; /* @frames is known ... */
	bool calls_tried; /* ... with lines */
};

/* A symbol of an object that another resolver found. */
struct symbol_copy {
	const struct dso *dso;
	const struct symbol *sym;
};

struct resolver {
	struct machine *m;
	struct symbol_opts opts;
	struct symbol_store *own;	  /* freed with it; NULL = opts.store is the caller's */
	struct stored *loading;		  /* gets the messages, too */
	unsigned number;		  /* among those of the store */
	char *symfs, *kallsyms, *vmlinux; /* copies; NULL = not given */
	struct buildid_roots *roots;	  /* of the recording's processes; NULL = not looked for */
	struct loc_slot *slot;		  /* 1 << slot_bits */
	unsigned slot_bits;
	VEC(struct loc *) page;
	uint32_t nr_locs;
	VEC(struct symbol *) symbol; /* by idx */
	struct arena arena;	     /* struct symbol, names */
	VEC(struct object *) object;
	struct kernel_tab kernel;
	struct intern warnings; /* in the order in which they came up, from 1 on */
	uint32_t warnings_told;
	bool lacked_memory;
	unsigned guard_hits;	 /* of which a warning was made */
	struct intern files;	 /* source file names */
	struct sources *sources; /* what was read of them; NULL = nothing */
	VEC(struct place) place;
	struct htab by_addr;
	VEC(const struct symbol *) stand_in; /* few */
	struct intern inline_names;
	VEC(const struct symbol *) inline_sym; /* by number in inline_names */
	VEC(struct symbol_copy) copy;
	struct htab by_copy;
};

/* What is asked for: an address of an object, NULL = in no map. */
struct wanted {
	struct dso *dso;
	uint64_t addr;
	uint32_t where;
};

static inline struct wanted resolver_wanted(struct dso *dso, uint64_t addr, uint8_t mode)
{
	uint32_t where = (dso ? dso->idx + 1 : 0) << 3 | (mode & PERF_RECORD_MISC_CPUMODE_MASK);

	return (struct wanted){ dso, addr, where };
}

static inline struct wanted resolver_locate(struct resolver *res, struct thread *th, uint8_t mode,
					    uint64_t ip)
{
	struct map_hit hit;

	if (machine_find_map(res->m, th, mode, ip, &hit))
		return resolver_wanted(hit.map->dso, hit.addr, hit.cpumode);
	return resolver_wanted(NULL, ip, mode);
}

static inline uint64_t loc_hash(uint64_t addr, uint32_t where)
{
	uint64_t h = hash_spread(addr);

	/* One after the other: a file has both as it likes. */
	return hash_spread(h ^ h >> 32 ^ where);
}

static inline size_t slot_of(const struct resolver *res, uint64_t addr, uint32_t where)
{
	return loc_hash(addr, where) >> (64 - res->slot_bits);
}

static inline void resolver_ask(const struct resolver *res, const struct wanted *w)
{
	__builtin_prefetch(&res->slot[slot_of(res, w->addr, w->where)]);
}

/* A new number; @at: the free slot. */
uint32_t resolver_add(struct resolver *res, const struct wanted *w, size_t at);

static inline uint32_t resolver_get(struct resolver *res, const struct wanted *w)
{
	size_t mask = ((size_t)1 << res->slot_bits) - 1;
	size_t at = slot_of(res, w->addr, w->where);

	for (;; at = (at + 1) & mask) {
		const struct loc_slot *s = &res->slot[at];

		if (likely(s->addr == w->addr && s->where == w->where && s->loc))
			return s->loc - 1;
		if (!s->loc)
			return resolver_add(res, w, at);
	}
}

/* The struct for entry @i of @o's table. */
const struct symbol *resolver_symbol(struct resolver *res, struct symtab *t, uint32_t i,
				     bool kernel);
/* Made-up symbols (inlined functions): demangled @name. */
const struct symbol *resolver_make_symbol(struct resolver *res, uint64_t start, uint64_t end,
					  const char *name, bool is_inline);
/* One symbol per name (as in DWARF, NULL = unknown): chains are merged by it. */
const struct symbol *resolver_inline_symbol(struct resolver *res, const char *name);
/* The name as it is to be shown; in the arena, or @name itself. */
const char *resolver_demangle(struct resolver *res, const char *name, bool kernel);

/* The kernel's table, loaded on first use; may be empty. */
struct kernel_tab *kernel_load(struct resolver *res);
/* The table for what kernel_load() left out. Not while something of the store is loaded. */
struct symtab *kernel_rest(struct resolver *res);
/* After kernel_load(): the table that tells of @addr. */
static inline struct symtab *kernel_symtab(struct resolver *res, uint64_t addr)
{
	struct found *f = &res->kernel.found;

	return likely(!f->own_size || addr - f->own_from < f->own_size) ? &f->tab
									: kernel_rest(res);
}
/* After object_load(): the same for any object. */
static inline struct symtab *object_symtab(struct resolver *res, struct object *o, uint64_t addr)
{
	return o->found.kernel_tab ? kernel_symtab(res, addr) : &o->found.tab;
}
void kernel_free(struct resolver *res);
/*
 * Where an image of the recorded kernel lies, to be freed, and what its addresses lack to the
 * recorded ones; NULL when there is none.
 */
char *kernel_image(struct resolver *res, uint64_t *delta);
/* A copy of /proc/kcore that was named: as image, or beside the copy of kallsyms. To be freed. */
char *kernel_core(struct resolver *res);
/* False when this machine does not run the recorded kernel. */
bool kernel_is_host(struct resolver *res, const struct dso *dso);
/* Where it does: what its addresses lack to the recorded ones. False: nobody may know. */
bool kernel_host_delta(struct resolver *res, uint64_t *delta);
/* What tells the recorded kernel from others, as a part of keys; to be freed. NULL: no memory. */
char *kernel_key(const struct resolver *res);
/* The text of /tmp/perf-PID.map; of lines that say otherwise the last holds. After an error @t has what came before. */
int symtab_read_jit(FILE *fp, struct symtab *t);
int symtab_load_jit(struct resolver *res, const struct dso *dso, struct found *found);
int symtab_load_jitdump(struct resolver *res, const struct dso *dso, struct found *found);
bool lines_of_jit(struct resolver *res, const struct dso *dso, uint64_t addr, struct srcline *out);
/* A copy of this process' vdso, to be freed; NULL when there is none. */
void *object_vdso(size_t *size);

/* ---- kallsyms ---------------------------------------------------------------------------------- */

struct kallsyms {
	char *path;
	char *ref;	   /* the symbol that the kernel's map was named after; NULL = none */
	uint64_t recorded; /* its address then; 0 = not told */
	bool must_match;   /* no good when the kernel has moved since */
	const struct symcache *cache; /* NULL = neither taken from there nor put there */
	struct build_id id;	      /* then: of the kernel that runs */
	/* What comes of it: */
	struct symtab tab;
	uint64_t delta;	   /* from here to where the recorded kernel was */
	uint64_t ref_addr; /* 0 = not there */
	bool any;	   /* an address that is not 0 */
	bool keyed;	   /* it may be kept: */
	struct symcache_key key;
	uint64_t head_ref; /* ref_addr as the first bytes say */
	uint32_t own_blob; /* where names begin that are not the kernel's own; 0 = nowhere */
	bool mixed;	   /* some of its own stand behind these */
	bool kept;	   /* only the kernel's own, of the cache */
};

/* -EACCES: the addresses are hidden. Another error: there is no table. */
int kallsyms_read(struct kallsyms *k);
/* What is worth keeping of what was read: a table that shares the memory of k->tab. False: nothing. */
bool kallsyms_own(const struct kallsyms *k, struct symtab *own);
void kallsyms_free(struct kallsyms *k);

/* ---- files ------------------------------------------------------------------------------------------------ */

/* Where to look for @path, which is absolute: there, or as --symfs says. False when that is nowhere. */
bool files_symfs_path(const struct resolver *res, const char *path, char *buf, size_t size);
/* The mapped file, build id checked; NULL when it is not here (or another). */
struct elf_file *files_open_run(struct resolver *res, const struct dso *dso);
/* The same from a server, where that was asked for. */
struct elf_file *files_open_served(struct resolver *res, const struct dso *dso);
/* A file with .symtab (@want ".symtab") or ".debug_info" for it; NULL when there is none. */
struct elf_file *files_open_debug(struct resolver *res, const struct dso *dso, struct elf_file *run,
				  const char *want);

/* The path of a downloaded debug file, to be freed; NULL when not asked for or not there. */
char *files_server_debug(struct resolver *res, const struct build_id *id, const char *what);
/* The same of the program or library itself. */
char *files_server_code(struct resolver *res, const struct build_id *id, const char *what);
/* Unpacked bytes; v is to be freed, after errors too. */
struct unpacked {
	unsigned char *v;
	size_t n, cap;
	size_t max; /* more are an error; 0 = 256 MB */
};

/* 0 or -errno; -ENOTSUP without the library. */
int unpack_gzip(const void *in, size_t n, struct unpacked *out);
int unpack_xz(const void *in, size_t n, struct unpacked *out);
int unpack_zstd(const void *in, size_t n, struct unpacked *out);

/* ---- kernel modules ---------------------------------------------------------------------------- */

/* A section of code, as the kernel lays them. */
struct module_section {
	size_t idx;
	uint64_t addr, size, offset;
};

struct module {
	struct elf_file *file;
	struct unpacked image; /* of a packed file */
	char *path;
	VEC(struct module_section) sec;
};

/* The section that holds @addr; NULL when none does. */
const struct module_section *module_section_at(const struct module *mod, uint64_t addr);
/* Where its lines are, in its file or in one of debug symbols; to be closed. NULL: nowhere. */
struct elf_file *module_debug(struct resolver *res, const struct dso *dso,
			      const struct module *mod);
/* Where it was; NULL when nothing tells. */
const struct map *module_map(const struct resolver *res, const struct dso *dso);
/* Whether the kernel that runs has it there. */
bool module_runs(const struct resolver *res, const struct dso *dso);
/* The file of @dso, looked for once; NULL when there is none. */
struct module *module_get(struct resolver *res, const struct dso *dso, struct object *o);
void module_free(struct module *mod);
ssize_t module_read(const struct module *mod, uint64_t addr, void *buf, size_t size);
/* That with number @idx in the file; NULL when it is not laid. */
const struct module_section *module_section(const struct module *mod, size_t idx);
/* Symbols of a module's file, for where its map is; -errno when there is none that fits. */
int symtab_load_module(struct resolver *res, const struct dso *dso, struct object *o,
		       struct found *found);
/* Adds what .gnu_debugdata of @run holds; @seg is @run's. */
int symtab_load_minidebug(struct elf_file *run, const struct segments *seg, struct symtab *t);

/* ---- lines ------------------------------------------------------------------------------------------------- */

/* Puts a source file's name into @out. */
void lines_set(struct resolver *res, const char *file, struct srcline *out);
/* What is known of an address, nothing at first; NULL: no memory. Until the next one is asked for. */
struct place *resolver_place(struct resolver *res, struct dso *dso, uint64_t addr);
/* NULL when @path has no debug information (or built without libdw). */
struct lines *lines_open(struct resolver *res, const char *path);
/* The same of an open file, which goes with it, also where it fails. */
struct lines *lines_open_file(struct resolver *res, struct elf_file *f, const char *path);
/* Of an object file: what address section @idx has in questions about lines. */
bool lines_section(struct lines *l, size_t idx, uint64_t *addr);
void lines_free(struct lines *l);
/* Around lines_inlines(), and what is made of its answer: one resolver at a time. */
void lines_begin(struct lines *l, struct resolver *res);
void lines_end(struct lines *l);
/* By any number of threads: only a unit's first question waits for others. */
bool lines_find(struct lines *l, struct resolver *res, uint64_t vaddr, struct srcline *out);
void sources_free(struct sources *all); /* NULL is fine */
/* Frames innermost first, without the function itself; see symbol_inlines(). @calls: with lines, else those are 0. */
struct inline_info {
	const char *name; /* as in DWARF, linkage name when there is one */
	struct srcline call;
};
int lines_inlines(struct lines *l, struct resolver *res, uint64_t vaddr, bool calls,
		  const struct inline_info **out);

#endif
