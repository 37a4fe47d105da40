/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of room `inject` share.
 *
 *	inject.c	the walk: records and features from a reader to a writer
 *	ids.c		which build ids, and where they go
 *	jit.c		jitdump files that the recording maps: records for their code
 *	jit-elf.c	an object made of a jitdump file
 */
#ifndef PERF_INJECT_INT_H
#define PERF_INJECT_INT_H

#include "buildid/buildid.h"
#include "inject/inject.h"

struct inject;

/* ---- ids.c --------------------------------------------------------------------------------------- */

struct ids;

int ids_new(struct inject *in, struct err *e);
void ids_free(struct ids *ids);
/* A record that is about to be written; a MMAP2 may come back as one with a build id in *out. */
int ids_record(struct inject *in, const struct record *rec, const void **out, struct err *e);
/* The feature of a file: what it had before, and what was found if that was asked for. */
int ids_put_feature(struct inject *in, struct err *e);

/* ---- jit.c ---------------------------------------------------------------------------------------- */

struct inject_jit {
	struct jitdump *dump;
	uint32_t pid, tid;
	size_t next;
	bool ticks;	  /* its times are the CPU's: all counts from the file's map on */
	uint64_t mapped;  /* when that was */
	char *object;	  /* the path of the object made of it */
	uint64_t text;	  /* where its code begins in the object */
	uint64_t *offset; /* by code: behind that */
	struct build_id id;
};

struct inject_jits {
	VEC(struct inject_jit) v;
};

void inject_jit_free(struct inject_jits *s);
/* Its object among the build ids of the recording, where other tools look. */
void inject_jit_put_id(const struct inject_jit *s, struct obuf *ids);
/* Writes maps for code that was loaded up to @time. */
int inject_jit_advance(struct inject *in, uint64_t time, struct err *e);
/* A jitdump file is mapped: reads it. *drop: the record is one of memory that its code lies in. */
int inject_jit_record(struct inject *in, const struct record *rec, bool *drop, struct err *e);

/* Makes s->object of s->dump and fills text and offset. */
int inject_jit_object(struct inject_jit *s, struct err *e);

/* ---- inject.c ------------------------------------------------------------------------------------- */

struct inject {
	const struct inject_opts *o;
	struct perfdata *pd;
	struct perfdata_writer *w;
	int fd;
	bool pipe;
	struct bits features; /* those that were written */
	struct ids *ids;
	struct inject_jits jit;
	struct inject_stats stats;
};

#endif
