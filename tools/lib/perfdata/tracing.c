// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of tracepoints and of their fields, out of the formats that feature TRACING_DATA keeps. The
 * blob, with numbers in the recorder's byte order:
 *
 *	17 08 44 "tracing" VERSION\0  u8 big-endian  u8 sizeof(long)  u32 page size
 *	"header_page\0" u64 size, text	"header_event\0" u64 size, text
 *	u32 n, n x { u64 size, format of an ftrace event }
 *	u32 n, n x { system\0, u32 m, m x { u64 size, format } }
 */
#include <stdio.h>
#include <stdlib.h>

#include "perfdata-int.h"

#define MAGIC_SIZE 10

/* A string up to its NUL, which is skipped. */
static const char *tracing_word(struct cursor *c)
{
	const unsigned char *end = c->bad || !c->p ? NULL : memchr(c->p, 0, cursor_left(c));

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

/* The number behind "ID: "; 0 = there is none. */
static uint64_t format_id(const char *format, size_t n)
{
	const char *p = format_line(format, n, "ID: ");
	uint64_t id = 0;

	for (; p && p < format + n && *p >= '0' && *p <= '9'; p++)
		id = id * 10 + (uint64_t)(*p - '0');
	return id;
}

/* All formats behind the blob's beginning, each with its system, into the table. */
static int read_formats(struct tracing *t, struct cursor *c)
{
	uint32_t systems = cursor_u32(c);

	for (; systems && !c->bad; systems--) {
		const char *system = tracing_word(c);
		uint32_t events = cursor_u32(c);

		for (; events && !c->bad; events--) {
			struct tracing_format f = { .system = system, .size = cursor_u64(c) };

			f.text = cursor_bytes(c, f.size);
			f.id = f.text ? format_id(f.text, f.size) : 0;
			if (!f.id)
				continue;
			if (vec_push(&t->formats, f) ||
			    htab_add(&t->tab, hash_u64(f.id), (uint32_t)t->formats.n - 1))
				return -ENOMEM;
		}
	}
	return 0;
}

void tracing_forget(struct perfdata *pd)
{
	vec_free(&pd->tracing.formats);
	htab_free(&pd->tracing.tab);
	memset(&pd->tracing, 0, sizeof(pd->tracing));
}

/* Once; the bytes stay where perfdata_feature_raw() has them. */
static void tracing_load(struct perfdata *pd)
{
	size_t size;
	const unsigned char *data;
	struct cursor c;
	uint32_t ftrace;

	if (pd->tracing.loaded)
		return;
	data = perfdata_feature_raw(pd, FEAT_TRACING_DATA, &size);
	if (!data)
		return;
	pd->tracing.loaded = true;
	c = cursor_init(data, size, pd->swap);
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
	if (!c.bad)
		(void)read_formats(&pd->tracing, &c); /* names are no reason to fail */
}

static const struct tracing_format *tracing_format(struct perfdata *pd, uint64_t id)
{
	uint32_t i;

	tracing_load(pd);
	for (struct htab_it it = htab_find(&pd->tracing.tab, hash_u64(id));
	     htab_next(&pd->tracing.tab, &it, &i);)
		if (i < pd->tracing.formats.n && pd->tracing.formats.v[i].id == id)
			return &pd->tracing.formats.v[i];
	return NULL;
}

/* "system:name" of an event that nothing else named. */
int tracing_name_event(struct perfdata *pd, struct pd_event *ev)
{
	const struct tracing_format *f;
	const char *name, *end;
	char text[256];

	if (ev->named || ev->pub.attr.type != PERF_TYPE_TRACEPOINT)
		return 0;
	f = tracing_format(pd, ev->pub.attr.config);
	name = f ? format_line(f->text, f->size, "name: ") : NULL;
	if (!name)
		return 0;
	end = memchr(name, '\n', f->size - (size_t)(name - f->text));
	end = end ? end : f->text + f->size;
	snprintf(text, sizeof(text), "%s:%.*s", f->system,
		 (int)min_u64((uint64_t)(end - name), 200), name);
	return perfdata_set_event_name(pd, ev, text, strlen(text));
}

int tracing_name_events(struct perfdata *pd)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < pd->events.n; i++)
		ret = tracing_name_event(pd, pd->events.v[i]);
	return ret;
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
	/* Loaded on first use, so the object changes though nobody can see it. */
	const struct tracing_format *f = tracing_format((struct perfdata *)pd, id);
	const char *p, *sep = "";
	struct obuf name;
	size_t n;

	if (!f || obuf_init(&name, -1, 0))
		return false;
	p = f->text;
	n = f->size;
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
