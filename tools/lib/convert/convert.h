/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert: a recording as the files that optimizers and viewers read. Formats are one table, see
 * struct convert_format: those of viewers are made of samples with their stacks, those of optimizers
 * of branches. Branch stacks of all objects are aggregated in one pass, as numbers; each object's
 * file is opened once, at the end, to turn offsets into addresses of the ELF file and, for BOLT,
 * into functions.
 *
 *	convert_new(&c, machine, &err);
 *	for each record in time order:
 *		no sample:  convert_before(c, &rec); machine_record(machine, &rec, &err);
 *		sample:     convert_sample(c, machine_thread(machine, s.pid, s.tid), &s);
 *	convert_finish(c, &err);
 *	for (size_t i = 0; i < convert_nr_objects(c); i++)
 *		convert_write(c, i, convert_format_find("fdata"), &out, &err);
 *
 * What counts: every entry of a branch stack is one branch; the way from an entry's target to the
 * source of the next newer entry was run without a taken branch (a range). Entries that begin or
 * end in the kernel are left out, as perf2bolt does.
 *
 * Formats, as their readers document them:
 *	fdata	 BOLT's profile: 1 FUNCTION OFFSET 1 FUNCTION OFFSET MISPREDICTED COUNT
 *	preagg	 perf2bolt --pa: B (branch), F and f (range) records of addresses
 *	autofdo	 create_llvm_prof --profiler=text: ranges, addresses, branches
 *	profgen	 llvm-profgen --unsymbolized-profile: ranges, branches
 *
 * One thread. The machine must outlive the struct convert.
 */
#ifndef PERF_CONVERT_H
#define PERF_CONVERT_H

#include "emit/emit.h"
#include "machine/machine.h"
#include "sample/sample.h"
#include "unwind/unwind.h"

struct convert;
struct convert_elf;
struct convert_format;
struct convert_run;
struct session;
struct session_consumer;
struct session_maps;
struct session_sample;

struct convert_stats {
	uint64_t samples, with_branches, branches;
	uint64_t empty_stacks;		/* samples whose branch stack has no entry */
	uint64_t kernel;		/* branches that begin or end in the kernel: left out */
	uint64_t mapped;		/* both ends in a file */
	uint64_t one_end;		/* one end in a file */
	uint64_t outside;		/* no end in a file: JIT code, no map at all */
	uint64_t user_ips, ips_outside; /* samples without branch stacks */
};

struct convert_object {
	const struct dso *dso;
	const char *name;	   /* basename of the file */
	char build_id[41];	   /* hex; "" when unknown */
	uint64_t from, to, within; /* branches that begin here, end here, do both */
	uint64_t ips;		   /* samples here, when there are no branch stacks */
	size_t edges;		   /* distinct ones */
	/* After convert_load(): */
	const char *problem; /* why the profile is (partly) empty; NULL = none */
	size_t functions;
	uint64_t no_function; /* branches that begin in none of its functions */
};

int convert_new(struct convert **c, struct machine *m, struct err *e);
void convert_free(struct convert *c);
/* Before machine_record(): what the record changes about maps must not touch earlier samples. */
int convert_before(struct convert *c, const struct record *rec);
/* @th NULL: counted, not used. 0 or -ENOMEM. */
int convert_sample(struct convert *c, struct thread *th, const struct sample *s);
/* After the last record: maps may change from now on, and others be added. 0 or -ENOMEM. */
int convert_end(struct convert *c);
/*
 * Before convert_finish() of either: adds all that @from has counted. If it had the samples that came
 * behind those of @c then @c is as if it had had them all. @maps: of their sessions, NULL = one and
 * the same. @from is to be freed then, and its session may be closed.
 */
int convert_merge(struct convert *c, struct convert *from, const struct session_maps *maps,
		  struct err *e);
/* A branch of an object that somebody else has counted, by offsets in its file. 0 or -ENOMEM. */
struct convert_branch {
	const struct dso *dso;
	bool from_here, to_here; /* it begins in @dso, ends there */
	uint64_t from, to, end;	 /* end UINT64_MAX: nothing is known of what ran behind */
	uint64_t count, mispred;
};

int convert_take(struct convert *c, const struct convert_branch *b);
int convert_finish(struct convert *c, struct err *e);

const struct convert_stats *convert_stats(const struct convert *c);
/* Objects with branches (or samples), those with most first. */
size_t convert_nr_objects(const struct convert *c);
const struct convert_object *convert_object(const struct convert *c, size_t i);
/*
 * Opens the object's file (or @path in its place), reads segments, functions and build id, and
 * counts what falls into no function. -ENOENT and the like with @e when it cannot be used.
 */
int convert_load(struct convert *c, size_t i, const char *path, struct err *e);
/*
 * Before the first: objects lie where --symfs of @s says; what their code was compiled from, its
 * resolver finds.
 */
void convert_symfs(struct convert *c, const struct session *s);
/* What the format needs of a loaded object: an error as convert_load()'s, before anything is written. */
int convert_prepare(struct convert *c, size_t i, const struct convert_format *f, struct err *e);
/* What profiles lack; nobody is told unless this was called. */
void convert_log(struct convert *c, struct log_sink log);
/*
 * Before the first, after convert_symfs(): what ran is kept apart by the calls that were going on, by call
 * chains, for formats with CONVERT_CONTEXT. @opts has to outlive it. 0 or -ENOMEM.
 */
#define CONVERT_CONTEXT_AUTO UINT64_MAX /* a millionth of all */

struct convert_context_opts {
	uint64_t min; /* where fewer instructions ran in a context, they count without it */
	/* The file to read in place of the one recorded as @name; NULL = that itself. */
	const char *(*file)(void *ctx, const char *name);
	void *ctx;
};

int convert_contexts(struct convert *c, const struct convert_context_opts *opts, struct err *e);
/* Before the first: believes objects that stand for much more than they are. */
void convert_no_limits(struct convert *c);
/*
 * In place of profiles: what the recording holds, where it went, why a profile would be empty.
 * @which: by object, those that are told of; they were to be loaded. @damaged: samples that could not be read. *any: there
 * is something to write.
 */
int convert_check(struct convert *c, const bool *which, uint64_t damaged, struct emit *e, bool *any,
		  struct err *err);
/* Appends the profile of a loaded object. The number of records written, or -errno. */
ssize_t convert_write(struct convert *c, size_t i, const struct convert_format *f, struct obuf *o,
		      struct err *e);

/* ---- formats ---- */

/*
 * A format is one file with one `const struct convert_format convert_NAME`, its declaration in
 * convert-int.h and a line in formats.c; --to, --help, completion, what is refused and the
 * names of files in a directory follow from the struct. Then its paragraph in perf-data(1).
 *
 * It is made in one of two ways.
 *
 * Of branches, a profile for each object: object() is called once the recording was read and the
 * object's file was opened, and appends text or bytes. convert_local() in convert-int.h has the
 * object's branches in order, convert_elf_function() whose they are.
 *
 * Of samples: begin(), sample() for each, record() for each other record, finish(), and free() in any
 * case. r->own is the format's. What it prints may go to r->out at once, or at the end; stacks-int.h
 * adds up what has the same stack. merge() adds what another run has of the samples behind; a format that
 * writes its samples one by one has none, and its recordings are read by one session.
 *
 * What a format cannot carry it refuses: with @need what no event recorded, else in begin() or
 * object() by -EINVAL, and an err that says why and what to do.
 *
 * Strings of a recording are valid UTF-8 without control characters in every file: emit_safe(), or
 * emit_json_string().
 */
struct convert_format {
	const char *name;
	const char *holds;     /* what is in such a file and who reads it: a line of --to help */
	bool binary;	       /* not for terminals */
	bool directory;	       /* several files: opts.table opens them, run.out is not used */
	bool no_inlines;       /* inlined functions are no frames of their own here */
	unsigned options;      /* enum convert_option: which make sense; the others are refused */
	unsigned by;	       /* enum convert_by, with CONVERT_BY */
	uint64_t need;	       /* PERF_SAMPLE_* that some event has to have ... */
	const char *need_why;  /* ... which is ... for this format, ... */
	const char *need_hint; /* ... and how it is recorded */
	/* Opens what it needs of a loaded object beside its file; NULL = nothing. 0 or -errno. */
	int (*prepare)(const struct convert *c, struct convert_elf *ob, struct err *e);
	/* The number of entries written, 0 for an empty profile, or -errno. */
	ssize_t (*object)(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			  struct err *e);
	int (*begin)(struct convert_run *r, struct err *e);
	int (*sample)(struct convert_run *r, const struct session_sample *in, struct err *e);
	int (*record)(struct convert_run *r, const struct record *rec, struct err *e);
	/* As those of struct session_consumer. */
	int (*before)(struct convert_run *r, const struct record *rec, struct err *e);
	int (*last)(struct convert_run *r, struct err *e);
	/*
	 * Before finish() of either, and of runs with opts.pieces alone: adds what @from has of the samples
	 * behind those of @r, so that the file is that of one run. NULL: samples are written as they come.
	 */
	int (*merge)(struct convert_run *r, struct convert_run *from,
		     const struct session_maps *maps, struct err *e);
	int (*finish)(struct convert_run *r, struct err *e);
	void (*free)(struct convert_run *r);
	/* In place of all these: reads the session and writes the file. */
	int (*whole)(struct convert_run *r, struct err *e);
};

/* By number, in the order in which they are listed; NULL behind the last. */
const struct convert_format *convert_format_at(size_t i);
const struct convert_format *convert_format_find(const char *name); /* NULL = none */

/* What formats of samples can be asked for. */
enum convert_option {
	CONVERT_ALL = 1, /* json: other records too */
	CONVERT_BY = 2,
	CONVERT_BRANCHES = 4,	/* branches of branch stacks in place of samples */
	CONVERT_TIME_ORDER = 8, /* samples one by one, not added up */
	CONVERT_CONTEXT = 16, /* of branches: by calling context, as convert_contexts() has them */
	CONVERT_TABLES = 32,  /* what struct convert_table_opts says */
};

/* What keeps samples apart that have the same stack. */
enum convert_by {
	CONVERT_BY_EVENT = 1,
	CONVERT_BY_COMM = 2,
	CONVERT_BY_PID = 4,
	CONVERT_BY_TID = 8,
	CONVERT_BY_CPU = 16,
};

/* What is not to leave the machine as it is: a hash goes in its place. */
enum convert_redact {
	CONVERT_REDACT_PATH = 1, /* names of objects and source files */
	CONVERT_REDACT_HOST = 2,
	CONVERT_REDACT_COMM = 4,
};

/* For formats of several files (see fleet.h); strings are the caller's, NULL = "". */
struct convert_table_opts {
	const char *service, *release, *labels; /* labels: a JSON object */
	bool by_comm;				/* a process's name is its service */
	double weight;				/* 0 = 1 */
	unsigned redact;			/* enum convert_redact */
	const char *redact_key;
	bool lines; /* source lines of functions are looked up */
	bool pack;  /* by gzip */
	/* A file by its name, which may be "a/b/c"; @e of close may be NULL. */
	int (*open)(void *ctx, const char *name, struct obuf *o, struct err *e);
	int (*close)(void *ctx, const char *name, struct obuf *o, struct err *e);
	void *ctx;
};

struct convert_opts {
	struct convert_table_opts table;
	unsigned options; /* enum convert_option that were given */
	unsigned by;	  /* enum convert_by; 0 = as the format has it */
	bool plain;	  /* formats that are packed by rule: not */
	bool pieces;	  /* runs are of pieces of a recording, to be added up */
	struct log_sink log;
};

/*
 * One reading of a recording, or of a piece of one, for a format of samples:
 *
 *	ret = convert_run_begin(&r, s, format, &opts, &out, &err);
 *	c = convert_run_consumer(&r);
 *	ret = ret ?: session_read(s, &c, &r, &err);
 *	... of pieces: convert_run_merge(&r, &other, maps, &err) for each, in their order ...
 *	ret = ret ?: convert_run_finish(&r, &err);
 *	convert_run_end(&r);
 *
 * Only the run that is finished writes anything.
 */
struct convert_run {
	const struct convert_format *format;
	const struct convert_opts *opts;
	struct session *session;
	struct obuf *out;
	struct obuf none; /* out of a piece that is added to another */
	uint64_t samples; /* so far */
	void *own;
};

/* @s: after session_start(). @out NULL: the run will be added to another. convert_run_end() in any case. */
int convert_run_begin(struct convert_run *r, struct session *s, const struct convert_format *f,
		      const struct convert_opts *opts, struct obuf *out, struct err *e);
/*
 * What reads the session into @r, the context; by one thread, where the format wants that. Whoever has several
 * read sets opts.pieces before the first sample.
 */
struct session_consumer convert_run_consumer(const struct convert_run *r);
/* -EINVAL where the format has no merge(). See there; @maps NULL: both are of one session. */
int convert_run_merge(struct convert_run *r, struct convert_run *from,
		      const struct session_maps *maps, struct err *e);
int convert_run_finish(struct convert_run *r, struct err *e);
void convert_run_end(struct convert_run *r);

/*
 * 0 where the recording has what such a file is made of; else -EINVAL with the reason, so that a file which
 * could only be empty is not begun.
 */
int convert_fits(struct session *s, const struct convert_format *f, const struct convert_opts *opts,
		 struct err *e);
/* "pid,comm" as enum convert_by bits; -EINVAL with the word that is none. */
int convert_by_parse(const char *list, unsigned *by, struct err *e);

#endif
