// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Field names of tracepoints, out of the formats that feature TRACING_DATA keeps. The blob, with
 * numbers in the recorder's byte order:
 *
 *	17 08 44 "tracing" VERSION\0  u8 big-endian  u8 sizeof(long)  u32 page size
 *	"header_page\0" u64 size, text	"header_event\0" u64 size, text
 *	u32 n, n x { u64 size, format of an ftrace event }
 *	u32 n, n x { system\0, u32 m, m x { u64 size, format } }
 */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

#define MAGIC_SIZE 10

/* A string up to its NUL, which is skipped. */
static const char *tracing_word(struct cursor *c)
{
	const unsigned char *end = c->bad ? NULL : memchr(c->p, 0, cursor_left(c));

	if (!end) {
		c->bad = true;
		return NULL;
	}
	return cursor_str(c, (uint64_t)(end - c->p) + 1);
}

static void skip_sized(struct cursor *c)
{
	cursor_skip(c, cursor_u64(c));
}

/* @line in the @n bytes of a format, behind it; NULL when it is not there. */
static const char *format_line(const char *format, size_t n, const char *line)
{
	size_t len = strlen(line);

	for (const char *p = format; p && n >= (size_t)(p - format) + len;) {
		if (!memcmp(p, line, len))
			return p + len;
		p = memchr(p, '\n', n - (size_t)(p - format));
		p = p ? p + 1 : NULL;
	}
	return NULL;
}

/* The digits behind "ID: ". */
static bool format_has_id(const char *format, size_t n, uint64_t id)
{
	char want[32];
	const char *end;

	snprintf(want, sizeof(want), "ID: %lu", id);
	end = format_line(format, n, want);
	return end && (end == format + n || *end == '\n');
}

/* The formats of all systems: the one of @id, or NULL. */
static const char *find_format(struct cursor *c, uint64_t id, size_t *size)
{
	uint32_t systems = cursor_u32(c);

	for (; systems && !c->bad; systems--) {
		uint32_t events;

		tracing_word(c);
		events = cursor_u32(c);
		for (; events && !c->bad; events--) {
			uint64_t n = cursor_u64(c);
			const char *format = cursor_bytes(c, n);

			if (!format || !format_has_id(format, n, id))
				continue;
			*size = n;
			return format;
		}
	}
	return NULL;
}

static const char *tracing_format(const struct perfdata *pd, uint64_t id, size_t *size)
{
	const unsigned char *data = perfdata_feature_raw(pd, FEAT_TRACING_DATA, size);
	struct cursor c;
	uint32_t ftrace;

	if (!data)
		return NULL;
	c = cursor_init(data, *size, pd->swap);
	cursor_skip(&c, MAGIC_SIZE);
	tracing_word(&c); /* version */
	c.swap = cursor_u8(&c) != host_is_big_endian();
	cursor_skip(&c, 1 + 4);
	for (int i = 0; i < 2; i++) {
		tracing_word(&c);
		skip_sized(&c);
	}
	ftrace = cursor_u32(&c);
	for (; ftrace && !c.bad; ftrace--)
		skip_sized(&c);
	return find_format(&c, id, size);
}

/* The name in "field:char comm[16]": the last word, without its array. */
static void put_field_name(struct obuf *o, const char *decl, size_t n)
{
	size_t end = n, start;
	const char *bracket = memchr(decl, '[', n);

	if (bracket)
		end = (size_t)(bracket - decl);
	for (start = end; start && decl[start - 1] != ' ' && decl[start - 1] != '*'; start--)
		;
	obuf_mem(o, decl + start, end - start);
}

bool perfdata_trace_fields(const struct perfdata *pd, uint64_t id, struct obuf *o)
{
	static const char field[] = "\tfield:", common[] = "common_";
	size_t n;
	const char *p = tracing_format(pd, id, &n), *sep = "";
	struct obuf name;

	if (!p || obuf_init(&name, -1, 0))
		return false;
	while (n) {
		const char *nl = memchr(p, '\n', n), *semi;
		size_t line = nl ? (size_t)(nl - p) : n;

		semi = memchr(p, ';', line);
		if (semi && line > strlen(field) && !memcmp(p, field, strlen(field))) {
			name.len = 0;
			put_field_name(&name, p + strlen(field),
				       (size_t)(semi - p) - strlen(field));
			if (name.len < strlen(common) ||
			    memcmp(name.buf, common, strlen(common)) != 0) {
				obuf_str(o, sep);
				obuf_mem(o, name.buf, name.len);
				sep = ",";
			}
		}
		p += line;
		n -= line;
		if (n) {
			p++;
			n--;
		}
	}
	obuf_free(&name);
	return true;
}
