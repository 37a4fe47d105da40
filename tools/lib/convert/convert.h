/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert: a recording as the profiles that optimizers read. Branch stacks of all objects are
 * aggregated in one pass, as numbers; each object's file is opened once, at the end, to turn
 * offsets into addresses of the ELF file and, for BOLT, into functions.
 *
 *	convert_new(&c, machine, &err);
 *	for each record in time order:
 *		no sample:  convert_before(c, &rec); machine_record(machine, &rec, &err);
 *		sample:     convert_sample(c, machine_thread(machine, s.pid, s.tid), &s);
 *	convert_finish(c, &err);
 *	for (size_t i = 0; i < convert_nr_objects(c); i++)
 *		convert_write(c, i, CONVERT_FDATA, &out, &err);
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
struct session;

enum convert_format { CONVERT_FDATA, CONVERT_PREAGG, CONVERT_AUTOFDO, CONVERT_PROFGEN };

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
/* Before the first: objects lie where --symfs of @s says. */
void convert_symfs(struct convert *c, const struct session *s);
/* What profiles lack; nobody is told unless this was called. */
void convert_log(struct convert *c, struct log_sink log);
/* Before the first: believes objects that stand for much more than they are. */
void convert_no_limits(struct convert *c);
/*
 * In place of profiles: what the recording holds, where it went, why a profile would be empty.
 * Loads all objects. @damaged: samples that could not be read. *any: there is something to write.
 */
int convert_check(struct convert *c, uint64_t damaged, struct emit *e, bool *any, struct err *err);
/* Appends the profile of a loaded object. The number of records written, or -errno. */
ssize_t convert_write(struct convert *c, size_t i, enum convert_format f, struct obuf *o,
		      struct err *e);

/* ---- stacks ---- */

/*
 * Folded stacks, a line per distinct one: "comm;outermost;...;innermost COUNT", as flame graph
 * tools read it and stackcollapse-perf.pl writes it: blanks of the command's name are '_', a
 * function without a name is its object in brackets. Stacks are a tree of numbers; text is made
 * at the end.
 */
struct fold;

int fold_new(struct fold **f, struct machine *m, struct resolver *res, struct err *e);
void fold_free(struct fold *f);
/* @frames innermost first, as unwind_chain() gives them; @n 0: the command alone. */
int fold_add(struct fold *f, const struct thread *th, const struct frame *frames, size_t n,
	     uint64_t weight);
/* Sorted by stack. The number of lines, or -ENOMEM. */
ssize_t fold_write(const struct fold *f, struct obuf *o);

/* The samples as upstream's `perf data convert --to-json` writes them, one by one. */
void convert_json_begin(struct perfdata *pd, struct obuf *o);
void convert_json_sample(const struct machine *m, struct resolver *res, const struct thread *th,
			 const struct sample *s, const struct frame *frames, size_t n, bool first,
			 struct obuf *o);
/* A record that says what a task did (COMM, FORK, EXIT, MMAP, MMAP2); others add nothing. */
void convert_json_record(const struct record *rec, struct obuf *records);
/* @records: what convert_json_record() wrote, as a second list; NULL = there is none. */
void convert_json_end(const struct obuf *records, struct obuf *o);

#endif
