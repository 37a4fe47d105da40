/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit: one walk over the data, printed as text or JSON, and the only way for strings of a
 * file to reach a terminal.
 *
 * Two shapes. A tree of values, for descriptions:
 *
 *	emit_object(&e, NULL);
 *	emit_str(&e, "name", dso->name);
 *	emit_u64(&e, "samples", n);
 *	emit_end(&e);
 *
 * which is {"name":"...","samples":3} in JSON and indented "name: ..." lines as text; and a
 * table, for rows of the same kind: aligned columns as text, an array of objects in JSON. Output
 * goes to an obuf; errors stay in obuf.code.
 */
#ifndef PERF_EMIT_H
#define PERF_EMIT_H

#include "base/base.h"
#include "base/obuf.h"

enum emit_format { EMIT_TEXT, EMIT_JSON };

#define EMIT_MAX_DEPTH 128

struct emit {
	struct obuf *o;
	enum emit_format format;
	int depth;
	struct {
		bool array, used;
	} level[EMIT_MAX_DEPTH];
};

void emit_init(struct emit *e, struct obuf *o, enum emit_format format);
/* Closes the document: a newline after JSON. */
void emit_finish(struct emit *e);

/* @name NULL inside arrays and at the top. */
void emit_object(struct emit *e, const char *name);
void emit_array(struct emit *e, const char *name);
void emit_end(struct emit *e); /* the innermost object or array */
void emit_str(struct emit *e, const char *name, const char *value); /* NULL = null */
void emit_u64(struct emit *e, const char *name, uint64_t value);
void emit_s64(struct emit *e, const char *name, int64_t value);
void emit_hex(struct emit *e, const char *name, uint64_t value); /* "0x..." (a string in JSON) */
void emit_f64(struct emit *e, const char *name, double value, int digits);
/* @text is a number already, as JSON writes them. */
void emit_raw(struct emit *e, const char *name, const char *text);
void emit_bool(struct emit *e, const char *name, bool value);

/* ---- tables ------------------------------------------------------------------------------------------------ */

struct emit_column {
	const char *name;  /* key in JSON */
	const char *title; /* head of the text column; NULL = name */
	bool right;	   /* numbers: aligned right, unquoted in JSON */
};

struct emit_table;

/* Rows are kept until the end (text needs widths). NULL when memory is out. */
struct emit_table *emit_table_new(const struct emit_column *cols, size_t nr);
/* One cell per column, in order; the string is copied. */
int emit_table_cell(struct emit_table *t, const char *fmt, ...) __printf_fmt(2, 3);
void emit_table_print(const struct emit_table *t, struct emit *e, const char *name);
void emit_table_free(struct emit_table *t);

/* ---- strings that came from a file --------------------------------------------------------------------------- */

/* Control bytes and broken UTF-8 become \xNN; printable text is copied as it is. */
void emit_safe(struct obuf *o, const char *s);
void emit_safe_n(struct obuf *o, const char *s, size_t n);
/* Whether @s can be copied verbatim. */
bool emit_is_safe(const char *s);
/* A JSON string with its quotes. */
void emit_json_string(struct obuf *o, const char *s);
/* The same of what emit_safe() prints of it: for files that people look at. */
void emit_json_safe(struct obuf *o, const char *s);

#endif
