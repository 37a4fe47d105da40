/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit: files that compilers of code at run time leave behind. Whom they are taken from, and the
 * format of jitdump: code as it was loaded and moved, with names, lines and the bytes themselves
 * (the format as upstream's tools/perf/Documentation/jitdump-specification.txt describes it).
 *
 *	fd = jit_file_open("/tmp/jit-42.dump", 42, false, &why);
 *	if (fd >= 0 && !jitdump_open(&d, fd, &err))
 *		for (size_t i = 0; i < jitdump_nr_events(d); i++)
 *			const struct jit_event *ev = jitdump_event(d, i);
 *
 * A piece of code is known by where its bytes lie in the file, so the file is an object like any
 * other: the event says which of its bytes were where in memory from when on. Code bytes are not
 * kept in memory. A file that is cut, or still written, is used up to the first record that is not
 * whole. Not thread safe.
 */
#ifndef PERF_JIT_H
#define PERF_JIT_H

#include "base/base.h"

/*
 * A descriptor of a regular file, or -errno with @why it is not taken (static; NULL when it is just
 * not there). The directories are everybody's, so a file counts only when it is no symbolic link
 * and belongs to root, to us, or to whom process @pid belongs while it lives. With @inside the path
 * is what that process sees in its container.
 */
int jit_file_open(const char *path, int32_t pid, bool inside, const char **why);
/* What process @pid calls itself in its innermost pid namespace; @pid when it is gone. */
int32_t jit_namespace_pid(int32_t pid);
/* Whether @path is called "jit-NUMBER.dump". */
bool jitdump_is_name(const char *path);

struct jitdump;

/* A piece of code, loaded once. */
struct jit_code {
	uint64_t at, size; /* its bytes in the file */
	uint64_t addr;	   /* where it was loaded first */
	const char *name;  /* comes from the file */
};

/* From @time on (CLOCK_MONOTONIC in ns, or see jitdump_tsc()) the code lies at @addr. */
struct jit_event {
	uint64_t time, addr;
	uint32_t code; /* number for jitdump_code() */
	bool moved;    /* away from @old */
	uint64_t old;
};

/* Takes @fd over, after errors too. -EINVAL and the like with what is wrong. */
int jitdump_open(struct jitdump **d, int fd, struct err *e);
void jitdump_close(struct jitdump *d);
bool jitdump_tsc(const struct jitdump *d); /* times are ticks of the CPU */
uint32_t jitdump_e_machine(const struct jitdump *d);
/* What ended reading before the end of the file; NULL when nothing did. */
const char *jitdump_damage(const struct jitdump *d);

size_t jitdump_nr_codes(const struct jitdump *d);
const struct jit_code *jitdump_code(const struct jitdump *d, size_t i);
/* In order of time. */
const struct jit_event *jitdump_event(const struct jitdump *d, size_t i);
/* The code whose bytes hold offset @at of the file; NULL when none does. */
const struct jit_code *jitdump_find(const struct jitdump *d, uint64_t at);
/* How many of up to @size bytes at offset @at lie in one piece of code and were read, or -errno. */
ssize_t jitdump_read(const struct jitdump *d, uint64_t at, void *buf, size_t size);

/* A row of a line table: what begins at @at, an offset in the file. */
struct jit_line {
	uint64_t at;
	uint32_t line;
	const char *file;
};

/* The line at offset @at; @out->file is the dump's until the next call. False = unknown. */
bool jitdump_line(struct jitdump *d, uint64_t at, struct jit_line *out);
/* Calls @row for each row of @code, in the order of the file; non-zero ends and is returned. */
int jitdump_lines(struct jitdump *d, const struct jit_code *code,
		  int (*row)(void *ctx, const struct jit_line *line), void *ctx);

#endif
