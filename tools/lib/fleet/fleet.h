/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet: many recordings. Merging: one perf.data out of several, whose samples are theirs, in the order
 * of time, for every reader of such files.
 *
 *	struct fleet_merge_opts o = { .log = LOG_STDERR };
 *
 *	perfdata_open(&in[0], ...), perfdata_open(&in[1], ...);
 *	ret = fleet_merge(in, 2, fd, &o, &stats, &err);
 *
 * What has to be told apart in one file and was not between files is numbered anew: ids of events,
 * and processes of different machines. What cannot be in one file (two kernels, traces of AUX areas,
 * two byte orders) is refused, with the two inputs and what to do instead.
 *
 * The tables that a recording becomes for an engine (schema.def):
 *
 *	batch_new(&b, fleet_table(FLEET_EDGES), &err);
 *
 * Memory of merging: a window of each input, the records without a time that it begins with, and what is
 * distinct: ids, processes, objects. One thread.
 */
#ifndef PERF_FLEET_H
#define PERF_FLEET_H

#include "batch/batch.h"
#include "perfdata/perfdata.h"

enum fleet_pids {
	FLEET_PIDS_AUTO,  /* one process where host name, kernel and its place in memory agree */
	FLEET_PIDS_SAME,  /* a pid is one process, in whatever input */
	FLEET_PIDS_APART, /* each input has processes of its own */
};

struct fleet_merge_opts {
	bool pipe;	    /* @fd gets the form of a stream */
	int compress_level; /* 0 = off, 1..22 zstd */
	enum fleet_pids pids;
	/* Of inputs that ran another kernel than the first: nothing that ran in it, else they are refused. */
	bool no_kernel;
	struct log_sink log; /* what differs between inputs, and which is kept; damage */
};

struct fleet_merge_stats {
	uint64_t records, samples, bytes;
	uint64_t kernel_samples; /* left out by no_kernel */
	uint64_t left_out; /* other records that no event is known of, or that would be too long */
	uint32_t machines; /* that inputs are of; 1 = no pid was changed */
	uint32_t damaged;  /* inputs that end early */
};

/*
 * @in: just opened, @nr of them. Damage ends its input like the input's end, and is told. -errno when
 * what is in @fd is not to be used. @stats may be NULL.
 */
int fleet_merge(struct perfdata *const *in, size_t nr, int fd, const struct fleet_merge_opts *o,
		struct fleet_merge_stats *stats, struct err *e);

/* ---- tables ---------------------------------------------------------------------------------- */

#define FLEET_SCHEMA 1
#define FLEET_ATTEMPTS \
	16 /* the last bits of a load's number, where an engine cannot undo: a power of two */

enum fleet_table {
#define TABLE(NAME, name, holds, key) FLEET_##NAME,
#define COLUMN(...)
#define END(NAME)
#include "fleet/schema.def"
	FLEET_TABLES,
#undef TABLE
#undef COLUMN
#undef END
};

/* Columns by their place in their table. */
#define TABLE(NAME, name, holds, key) \
	enum fleet_##name             \
	{
#define COLUMN(TABLE, NAME, name, type, holds) FLEET_##TABLE##_##NAME,
#define END(NAME)              \
	FLEET_##NAME##_COLUMNS \
	}                      \
	;
#include "fleet/schema.def"
#undef TABLE
#undef COLUMN
#undef END

const struct batch_table *fleet_table(enum fleet_table t);

enum fleet_engine { FLEET_CLICKHOUSE, FLEET_POSTGRESQL };
/*
 * What makes them there, each statement with a semicolon behind. @cluster: NULL, or for shards of ClickHouse, whose
 * tables are in @database; NULL = the current one.
 */
void fleet_schema_print(enum fleet_engine engine, const char *cluster, const char *database,
			struct obuf *o);

/*
 * The number of a chain: of the caller's, FLEET_PATH_ROOT for a process's name, and of the callee's object and function; and back.
 */
#define FLEET_PATH_ROOT 0xcbf29ce484222325ULL
uint64_t fleet_path(uint64_t up, const char *name, int64_t func);
uint64_t fleet_path_up(uint64_t path, const char *name, int64_t func);

/* ---- rows of an engine as a recording ---------------------------------------------------------- */

/*
 * What an engine added up becomes a recording again, with tables of symbols beside it, so that whatever shows
 * recordings shows it: DIR/recording, DIR/kallsyms, DIR/objects/ (for --symfs). Addresses are made up; what has no name
 * is called [unknown]. Rows, then objects and functions of fleet_compose_needs(), then fleet_compose_write(). Strings are
 * copied, and may be anything.
 */
struct fleet_compose;

struct fleet_row {
	const char *event, *object, *name; /* name: of a root, else "" */
	int64_t func;			   /* -1 = not known */
	uint64_t path;			   /* 0 = no chains: a row for each function */
	uint64_t n, period;
};

struct fleet_composed {
	uint64_t samples; /* of the rows, or branches taken */
	uint64_t
		of_each; /* so many are one sample in the recording: 1, unless there are too many */
};

/* Branches between two functions; where there are such, the recording has them and no samples of their own. */
struct fleet_branch {
	const char *event, *object, *to_object;
	int64_t from_func, to_func; /* -1 = not known */
	int64_t type;		    /* PERF_BR_*; 0 = not told */
	uint64_t taken, mispred;    /* times */
	uint64_t cycles, cycles_n;  /* of those that told cycles */
};

int fleet_compose_new(struct fleet_compose **c, struct err *e);
void fleet_compose_free(struct fleet_compose *c); /* NULL is fine */
int fleet_compose_row(struct fleet_compose *c, const struct fleet_row *r, struct err *e);
int fleet_compose_branch(struct fleet_compose *c, const struct fleet_branch *b, struct err *e);
const char *fleet_compose_needs(const struct fleet_compose *c,
				size_t i); /* an object; NULL = all */
int fleet_compose_object(struct fleet_compose *c, const char *object, const char *kind,
			 const char *path, struct err *e);
int fleet_compose_function(struct fleet_compose *c, const char *object, int64_t func,
			   const char *name, struct err *e);
void fleet_compose_lost(struct fleet_compose *c, uint64_t lost); /* samples */
/* @chains: with call chains. @dir is there and empty. */
int fleet_compose_write(struct fleet_compose *c, const char *dir, bool chains,
			struct fleet_composed *done, struct err *e);

/* ---- side by side --------------------------------------------------------------------------- */

/*
 * What is not alike in recordings that are counted together: hosts, kernels, clocks, events and how often these
 * were sampled. fleet_differ_add() for each, then a line for each difference, NULL at the end: lines are the
 * differ's.
 */
struct fleet_differ;

int fleet_differ_new(struct fleet_differ **d, struct err *e);
void fleet_differ_free(struct fleet_differ *d); /* NULL is fine */
int fleet_differ_add(struct fleet_differ *d, const struct perfdata *pd, struct err *e);
const char *const *fleet_differ_lines(struct fleet_differ *d);

#endif
