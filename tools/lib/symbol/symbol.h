/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: names for addresses. ELF tables, PLT, kallsyms, JIT maps, debug files, build-id
 * directories, vdso; source lines and inlined frames; demangling. Also the resolver, which turns
 * (thread, mode, ip) into dense location numbers so that callers aggregate on numbers.
 *
 *	loc = resolver_find(res, th, s.cpumode, s.ip);
 *	const struct loc *l = resolver_loc(res, loc);
 *	l->sym ? l->sym->name : "[unknown]"	offset: l->addr - l->sym->start
 *
 * Nothing is spawned and no network is used unless `debuginfod` is set. Symbol tables are loaded
 * on first use of an object and live until resolver_free(). Strings may hold bytes of the file:
 * print them through emit. A resolver is not thread safe, except that resolver_loc() of a known
 * number may be called while nobody calls resolver_find(); several with a machine each are, also when
 * they share a store.
 */
#ifndef PERF_SYMBOL_H
#define PERF_SYMBOL_H

#include "box/box.h"
#include "insn/insn.h"
#include "machine/machine.h"

struct resolver;
struct symbol_store;

struct symbol_opts {
	const char *symfs;    /* NULL or prefix for all object paths */
	bool symfs_flat;      /* objects lie there by their last names */
	bool full_paths;      /* srcline.base is the whole path */
	const char *kallsyms; /* file instead of /proc/kallsyms */
	const char *vmlinux;  /* -k */
	bool ignore_vmlinux;  /* not even that one: kallsyms only */
	bool no_demangle;     /* raw names */
	bool demangle_params; /* "foo(int)" instead of "foo": upstream's -v */
	bool demangle_kernel;
	bool no_host_kernel;	    /* never look at this machine's kernel (foreign recording) */
	bool debuginfod;	    /* off unless asked for */
	bool no_limits;		    /* believe objects that stand for much more than they are */
	bool cache;		    /* finished tables are kept on disk, and taken from there */
	struct log_sink log;	    /* what takes its time; warnings: resolver_next_warning() */
	struct symbol_store *store; /* NULL = one of its own */
};

/*
 * What is read of objects: resolvers in several threads may share it, each with a machine of its
 * own, where they have the same options and machines of the same recordings. So each object is read
 * once; that two need the same one holds up the second only. It must outlive the resolvers.
 */
int symbol_store_new(struct symbol_store **st, struct err *e);
void symbol_store_free(struct symbol_store *st);
/* The one that @res uses; where it was given none, it goes with @res. */
struct symbol_store *resolver_store(const struct resolver *res);

struct symbol {
	uint64_t start, end; /* object addresses as map_hit.addr (file offsets for user objects,
				absolute for the kernel) */
	const char *name;    /* demangled unless asked otherwise */
	uint32_t idx;	     /* dense over all symbols that were hit */
	char binding;	     /* 'g' global, 'l' local, 'w' weak */
	bool is_inline;	     /* made up for an inlined function */
};

struct build_id;
struct resolver;

int resolver_new(struct resolver **res, struct machine *m, const struct symbol_opts *opts,
		 struct err *e);
void resolver_free(struct resolver *res);
/* Whether the files that the user named for the kernel can be what they are named for. */
int symbol_check_kernel(const struct symbol_opts *opts, struct err *e);

#define LOC_NONE UINT32_MAX

struct loc {
	struct dso *dso;	  /* NULL = in no known map */
	uint64_t addr;		  /* object address, see map_hit; the ip when dso is NULL */
	const struct symbol *sym; /* NULL = no symbol */
	uint8_t cpumode;	  /* PERF_RECORD_MISC_*: k, u, H, g, G of the [.] column */
};

/*
 * The number of the location of @ip for thread @th now. Equal (dso, addr, mode) get equal
 * numbers, whatever the process and wherever it was loaded; numbers are dense from 0. The ip
 * itself is the caller's to remember. LOC_NONE when memory is out.
 */
uint32_t resolver_find(struct resolver *res, struct thread *th, uint8_t cpumode, uint64_t ip);
/*
 * Frees the table of numbers and what was read of debug information, when there is little more to
 * ask: old numbers stay good, an address asked for again gets another one, lines are read again.
 */
void resolver_forget(struct resolver *res);
/* The same for @n addresses of one thread, for instance a callchain, in less time. */
struct resolver_ip {
	uint64_t ip;
	uint8_t cpumode;
};

void resolver_find_many(struct resolver *res, struct thread *th, const struct resolver_ip *ip,
			uint32_t *loc, size_t n);
/* The same for what machine_find_map() has answered; without a dso @addr is the ip. */
struct code_at {
	struct dso *dso;
	uint64_t addr;
	uint8_t cpumode;
};

void resolver_find_at(struct resolver *res, const struct code_at *at, uint32_t *loc, size_t n);
const struct loc *resolver_loc(const struct resolver *res, uint32_t loc);

/* The symbol of an object address; NULL when there is none. Loads the object's table. */
const struct symbol *symbol_find(struct resolver *res, struct dso *dso, uint64_t addr);
/* The same, and around @addr where it holds, too: [*start, *end), which may be less than all of it. */
const struct symbol *symbol_find_span(struct resolver *res, struct dso *dso, uint64_t addr,
				      uint64_t *start, uint64_t *end);
/* The same for @n addresses at once; symbols by number (symbol->idx). */
#define SYMBOL_NONE UINT32_MAX
void symbol_find_many(struct resolver *res, const struct code_at *at, uint32_t *idx, size_t n);
/*
 * Starts to load @dso's symbols in another thread, where that is worth it (the kernel's, unless
 * files were named). True: they are on the way, and any question about them waits for their end;
 * so ask about other objects meanwhile. False: they are there or will be at the first question.
 */
bool symbol_load_ahead(struct resolver *res, const struct dso *dso);
/* The same for the kernel that the machine knows, if it does. */
void symbol_load_kernel_ahead(struct resolver *res);
/* Seconds of CPU time that such threads of @res have taken which a question has waited for. */
double symbol_ahead_seconds(const struct resolver *res);
/*
 * Bytes of code at an object address (for disassembly): number of bytes put into buf, or -errno.
 * Those of an object with another build id than the recorded one are never given.
 */
ssize_t symbol_read_code(struct resolver *res, struct dso *dso, uint64_t addr, void *buf,
			 size_t size);
/* Where the section with the code at @addr ends; UINT64_MAX: that is not known. Symbols without a size go on to the next one. */
uint64_t symbol_code_limit(struct resolver *res, struct dso *dso, uint64_t addr);
/* Where they are read; NULL = nowhere. */
const char *symbol_code_path(struct resolver *res, struct dso *dso);
/* What of @dso is missing and how to get it, after symbol_read_code() gave @code. Not 0. */
int symbol_code_error(struct resolver *res, struct dso *dso, int code, struct err *e);
/*
 * Where the file lies that was mapped: in the cache of build ids, or at its path if it is still that
 * one as far as build ids tell. To be freed; NULL when it is not here.
 */
char *symbol_run_file(struct resolver *res, const struct dso *dso);
/* Its debug file likewise, where it has one beside it; that of debuginfod, if it may be asked. */
char *symbol_debug_file(struct resolver *res, const struct dso *dso);
/* The build id of a file that may be packed, as modules of the kernel are; false when it has none. */
bool symbol_file_build_id(const char *path, struct build_id *id);
/* How such a file is to be opened: enum elf_flags. */
unsigned symbol_elf_flags(const struct resolver *res);
/* How an object's code lies: enum insn_mode, of insn/insn.h. */
unsigned symbol_insn_mode(struct resolver *res, struct dso *dso);
/*
 * An object address as the linker gave it out and disassemblers list it, for texts such as
 * "OBJECT[ADDRESS]". @addr itself where there is no file to tell.
 */
uint64_t symbol_listed_addr(struct resolver *res, struct dso *dso, uint64_t addr);
/* The way back; false where nothing of the file lies there. */
bool symbol_object_addr(struct resolver *res, struct dso *dso, uint64_t listed, uint64_t *addr);
/* Whose address the dynamic linker puts at a listed address; NULL = nobody's. */
const char *symbol_slot_name(struct resolver *res, struct dso *dso, uint64_t listed);
/* EM_* of an object's code; 0 where nothing tells. */
uint32_t symbol_e_machine(struct resolver *res, struct dso *dso);
/* Whether what @dso was recorded as is the vdso of this process, whose build id is @id. */
bool symbol_is_own_vdso(struct resolver *res, const struct dso *dso, const struct build_id *id);

/*
 * What others make of the code of functions, kept by the store until it goes: so that it is made once, though several
 * resolvers share it. Notes of one kind are what one user makes; they never change. @l has a symbol, the
 * function. Threads need no lock.
 */
struct symbol_note_kind {
	void (*drop)(void *note);
};

/* NULL: there is none. */
const void *symbol_note(struct resolver *res, const struct loc *l,
			const struct symbol_note_kind *kind);
/*
 * Takes @note, and gives the one that holds from now on: another thread may have been sooner, and what it made
 * has to be the same. NULL: no memory.
 */
const void *symbol_note_keep(struct resolver *res, const struct loc *l,
			     const struct symbol_note_kind *kind, void *note);

/*
 * What instructions refer to by a relocation, where code was read from a file that has some: those of
 * the kernel's modules. @insn: @n of one function, ascending. Fills refs[i] of those that do; name
 * stays NULL of others, which are left as they are. How many.
 */
struct symbol_insn {
	uint64_t addr;
	uint8_t len;
};

struct symbol_ref {
	const char *name; /* the resolver's; NULL = no relocation */
	uint64_t off;	  /* so many bytes behind it */
	uint64_t addr;	  /* 0 = where that lies is not known */
};

size_t symbol_code_refs(struct resolver *res, struct dso *dso, const struct symbol_insn *insn,
			size_t n, struct symbol_ref *refs);

/*
 * Where kinds of code begin in an object of ARM, ascending: 'a' its first instruction set, 't' Thumb,
 * 'x' that of 64 bits, 'd' data. From the one that holds for @addr on; their number. None for other
 * architectures.
 */
struct symbol_mark {
	uint64_t addr;
	char kind;
};

size_t symbol_marks(struct resolver *res, struct dso *dso, uint64_t addr,
		    const struct symbol_mark **marks);

/*
 * All symbols that @from has handed out, as @to's: numbers by symbol->idx there, to be freed.
 * objects[]: by number of an object there the same one here. What @to cannot find it copies. After
 * it, or without it, the same for locations. 0 or -ENOMEM.
 */
int resolver_match_symbols(struct resolver *to, const struct resolver *from,
			   struct dso *const *objects, uint32_t **symbol);
int resolver_match_locs(struct resolver *to, const struct resolver *from,
			struct dso *const *objects, uint32_t **loc);
/*
 * What @from has to say at its end, for who goes on with @to alone: messages that @to lacks, in their
 * order, that memory was out, which objects have addresses without symbols. 0 or -ENOMEM.
 */
int resolver_take_notes(struct resolver *to, const struct resolver *from,
			struct dso *const *objects);
/* A symbol that stands for code of many functions; one for each name. NULL: no memory. */
const struct symbol *symbol_stand_in(struct resolver *res, const char *name);
/* By its number. */
const struct symbol *symbol_at(const struct resolver *res, uint32_t idx);

/* ---- lines and inlines ------------------------------------------------------------------------------- */

struct srcline {
	const char *file; /* as in DWARF, "" when unknown; basename: last component */
	const char *base;
	uint32_t line;
};

/* False when unknown (no debug information, or built without libdw). Results are cached. */
bool symbol_srcline(struct resolver *res, struct dso *dso, uint64_t addr, struct srcline *out);

/*
 * Line @line of the source file @path: *n bytes, until the next question about another file; NULL
 * when it is not here. Files that not everybody may read are not shown to root: the name is what
 * the recorded program says.
 */
const char *symbol_source_line(struct resolver *res, const char *path, uint32_t line, size_t *n);

struct inline_frame {
	const struct symbol *sym; /* is_inline set, but for the outermost */
	struct srcline call;	  /* line inside this function */
};

/*
 * Functions inlined at @addr, innermost first, the real function last. The number of frames
 * (0 when nothing is inlined there); *frames is the resolver's.
 */
int symbol_inlines(struct resolver *res, struct dso *dso, uint64_t addr,
		   const struct inline_frame **frames);
/* The same for who prints no lines, which take longer to read than the rest: they may be 0 there. */
int symbol_inline_names(struct resolver *res, struct dso *dso, uint64_t addr,
			const struct inline_frame **frames);
/* Whether that can be more than 0 anywhere in @dso. */
bool symbol_may_inline(struct resolver *res, struct dso *dso);

/*
 * What a compiler made code of, as it will look for that when it compiles the source again: names
 * that the linker knows, lines from where a function is declared, which of several blocks of one
 * line. Addresses are the linker's.
 */
struct origin {
	uint32_t name;		/* number of the function's name; 0 = it has none */
	uint32_t line;		/* of the code; of the call, where that was inlined. 0 = none */
	uint32_t decl;		/* where the function is declared; 0 = not told */
	uint32_t discriminator; /* as the compiler wrote it */
};

struct origins;

/*
 * The debug information of the file at @path (which @dso was mapped from), wherever that is kept.
 * -ENOENT with the reason when there is none, -ENOTSUP when built without libdw.
 */
int symbol_origins_open(struct origins **o, struct resolver *res, const struct dso *dso,
			const char *path, struct err *e);
void symbol_origins_close(struct origins *o);
/*
 * Functions at @addr, innermost first, the one that is really there last; until the next question.
 * Their number, 0 = nothing is known; -ENOMEM. The same holds up to @end.
 */
int symbol_origins_at(struct origins *o, uint64_t addr, const struct origin **out, uint64_t *end);
/* Where the function lies that has @addr; several pieces when it was split. As above. */
struct code_range {
	uint64_t start, end;
};

ssize_t symbol_origins_function(struct origins *o, uint64_t addr, const struct code_range **out);
const char *symbol_origins_name(const struct origins *o, uint32_t name);

/*
 * @name in at most @max letters (16 or more; 0 = any number), by leaving out arguments of templates
 * first; in @buf, which has to be larger, or @name itself.
 */
const char *symbol_shorten(const char *name, size_t max, char *buf, size_t size);

/* A message for resolver_next_warning(); equal ones are kept once. */
void resolver_warn(struct resolver *res, const char *fmt, ...) __printf_fmt(2, 3);
/*
 * What of @name could not be had for want of memory: a message, and from then on the results are
 * known to lack something, which the command's status has to tell.
 */
void resolver_no_memory(struct resolver *res, const char *what, const char *name);
bool resolver_lacked_memory(const struct resolver *res);
/* Adds to the messages below what there is to say at the end about objects without symbols. */
void resolver_note_missing(struct resolver *res);
/* One-line messages that a front end should show once ("kptr_restrict hides ..."): NULL at end. */
const char *resolver_next_warning(struct resolver *res);

/* "foo" (with @params "foo(int)") for "_Z3fooi"; C++ and Rust; NULL when @name is not mangled or
 * no demangler was built in. To be freed. */
char *symbol_demangle(const char *name, bool params);

/* ---- in the attendant of a box --------------------------------------------------------------- */

/* BOX_SERVER: asks the servers of $DEBUGINFOD_URLS. */
int symbol_serve_server(void *ctx, const char *q, size_t size, struct box_answer *a);
/* BOX_TABLE, BOX_TABLE_KEEP: the cache of tables; @ctx of both is one struct symcache, which begins as { .dir = -1 }. */
struct symcache {
	int dir; /* < 0 = none */
	uint64_t limit;
};
int symbol_serve_table(void *ctx, const char *q, size_t size, struct box_answer *a);
int symbol_serve_keep(void *ctx, const char *q, size_t size, struct box_answer *a);

#endif
