/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace: tracepoints as the recorder's kernel described them: their names and ids, where their
 * fields lie in a sample. It reads what feature TRACING_DATA holds, wherever that comes from, and is
 * the only one to know how it is laid out.
 *
 *	ret = trace_new(&t, data, size, &err);
 *	f = trace_named(t, "sched", "sched_switch");
 *	if (f && trace_field(f, "prev_pid", &field))
 *		... field.offset, field.size ...
 *	trace_free(t);
 *
 * Memory: the bytes stay the caller's, and everything handed out points into them. Errors: 0 or
 * -errno with struct err. A struct trace does not change once it is made: any thread may ask it.
 * All names are from the file: print through emit.
 */
#ifndef PERF_TRACE_H
#define PERF_TRACE_H

#include "base/obuf.h"
#include "base/tables.h"

/* ---- formats --------------------------------------------------------------------------------- */

struct trace;

/*
 * -EINVAL: these are no formats. Where the bytes end too early, what was whole before is there.
 * What trace_find() and trace_named() return is NULL for a @t of NULL.
 */
int trace_new(struct trace **t, const void *data, size_t size, struct err *e);
void trace_free(struct trace *t); /* NULL is fine */

struct trace_format {
	const char *system;
	const char *name; /* without a NUL behind it; NULL when the format says none */
	size_t name_size;
	uint64_t id;	  /* an attr's config; 0 = the format says none */
	const char *text; /* as in tracefs' file "format", without a NUL behind it */
	size_t size;
};

/* A tracepoint by its id (not one of ftrace's own events); NULL when it is not described. */
const struct trace_format *trace_find(const struct trace *t, uint64_t id);
const struct trace_format *trace_named(const struct trace *t, const char *system, const char *name);

/* ---- fields ---------------------------------------------------------------------------------- */

struct trace_field {
	const char *name; /* without its array and a NUL */
	size_t name_size;
	uint32_t offset, size; /* in the raw data of a sample; UINT32_MAX when not said */
	size_t next;	       /* where in the format it goes on */
};

/* The field behind @field, which is all zero at first; false behind the last. */
bool trace_next_field(const struct trace_format *f, struct trace_field *field);
/* The field @name; false when there is none or its place is not said. */
bool trace_field(const struct trace_format *f, const char *name, struct trace_field *field);
/* Names of the event's own fields, "a,b,c" (not of the common_ ones that all events have). */
void trace_field_names(const struct trace_format *f, struct obuf *o);

/* ---- samples as text ------------------------------------------------------------------------- */

/* Prints fields; changes with every text, so each thread needs its own. It keeps nothing of @t. */
struct trace_printer;

/*
 * @raw: fields by their names and numbers, not as the kernel would print them. An error says what
 * is missing (no libtraceevent, @t is NULL; @file is what the recording is called there): *p then
 * makes no texts, but may be used and has to be freed. It is NULL without memory only.
 */
int trace_printer_new(struct trace_printer **p, const struct trace *t, bool raw, const char *file,
		      struct err *e);
void trace_printer_free(struct trace_printer *p); /* NULL is fine */

/* What a sample says of a tracepoint. */
struct trace_raw {
	const void *data;
	uint32_t size, cpu;
	uint64_t id;
};

/*
 * The fields as "comm=x pid=1", good until the next call, a NUL behind its @len bytes; NULL when
 * the event is not described, or otherwise than what is there. @p may be NULL.
 */
const char *trace_text(struct trace_printer *p, const struct trace_raw *r, size_t *len);
/* The same one by one: names and numbers, not as the kernel would print them. Texts are good until @fn returns. */
void trace_each_field(struct trace_printer *p, const struct trace_raw *r,
		      void (*fn)(void *ctx, const char *name, const char *text), void *ctx);

#endif
