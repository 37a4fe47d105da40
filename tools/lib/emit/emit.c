// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree of values: one walk by the caller gives indented text or JSON, so that both always say
 * the same. Where commas and braces go follows from the level alone; levels beyond EMIT_MAX_DEPTH
 * share the last one.
 */
#include <math.h>
#include <stdio.h>

#include "emit/emit.h"

void emit_init(struct emit *e, struct obuf *o, enum emit_format format)
{
	memset(e, 0, sizeof(*e));
	e->o = o;
	e->format = format;
}

void emit_finish(struct emit *e)
{
	if (e->format == EMIT_JSON)
		obuf_char(e->o, '\n');
}

/* What stands before a value: comma and key in JSON, indentation and "key: " as text. */
static void before(struct emit *e, const char *name)
{
	bool first = !e->level[e->depth].used;

	e->level[e->depth].used = true;
	if (e->format == EMIT_JSON) {
		if (!first)
			obuf_char(e->o, ',');
		if (name) {
			emit_json_string(e->o, name);
			obuf_char(e->o, ':');
		}
		return;
	}
	obuf_pad(e->o, ' ', e->depth > 1 ? 2 * (e->depth - 1) : 0);
	if (name) {
		obuf_str(e->o, name);
		obuf_lit(e->o, ": ");
	}
}

static void open_level(struct emit *e, const char *name, bool array)
{
	if (e->format == EMIT_JSON) {
		before(e, name);
		obuf_char(e->o, array ? '[' : '{');
	} else if (name) {
		before(e, NULL);
		obuf_str(e->o, name);
		obuf_lit(e->o, ":\n");
	}
	if (e->depth + 1 < EMIT_MAX_DEPTH)
		e->depth++;
	e->level[e->depth].array = array;
	e->level[e->depth].used = false;
}

void emit_object(struct emit *e, const char *name)
{
	open_level(e, name, false);
}

void emit_array(struct emit *e, const char *name)
{
	open_level(e, name, true);
}

void emit_end(struct emit *e)
{
	if (e->format == EMIT_JSON)
		obuf_char(e->o, e->level[e->depth].array ? ']' : '}');
	if (e->depth)
		e->depth--;
}

static void after(struct emit *e)
{
	if (e->format != EMIT_JSON)
		obuf_char(e->o, '\n');
}

void emit_str(struct emit *e, const char *name, const char *value)
{
	before(e, name);
	if (e->format != EMIT_JSON)
		emit_safe(e->o, value ? value : "-");
	else if (value)
		emit_json_string(e->o, value);
	else
		obuf_lit(e->o, "null");
	after(e);
}

void emit_u64(struct emit *e, const char *name, uint64_t value)
{
	before(e, name);
	obuf_dec(e->o, value);
	after(e);
}

void emit_s64(struct emit *e, const char *name, int64_t value)
{
	before(e, name);
	obuf_sdec(e->o, value);
	after(e);
}

void emit_hex(struct emit *e, const char *name, uint64_t value)
{
	bool json = e->format == EMIT_JSON;

	before(e, name);
	if (json)
		obuf_char(e->o, '"');
	obuf_lit(e->o, "0x");
	obuf_hex(e->o, value);
	if (json)
		obuf_char(e->o, '"');
	after(e);
}

void emit_f64(struct emit *e, const char *name, double value, int digits)
{
	before(e, name);
	if (!isfinite(value))
		obuf_str(e->o, e->format == EMIT_JSON ? "null" : "-");
	else
		obuf_printf(e->o, "%.*f", digits, value);
	after(e);
}

void emit_raw(struct emit *e, const char *name, const char *text)
{
	before(e, name);
	obuf_str(e->o, text);
	after(e);
}

void emit_bool(struct emit *e, const char *name, bool value)
{
	bool json = e->format == EMIT_JSON;

	before(e, name);
	obuf_str(e->o, value ? (json ? "true" : "yes") : (json ? "false" : "no"));
	after(e);
}
