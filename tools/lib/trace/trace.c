// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats of tracepoints. The blob that TRACING_DATA keeps, with numbers in the byte order that it
 * says itself (perf.data's may be another one: the blob was taken over as it was):
 *
 *	17 08 44 "tracing" VERSION\0  u8 big-endian  u8 sizeof(long)  u32 page size
 *	"header_page\0" u64 size, text	"header_event\0" u64 size, text
 *	u32 n, n x { u64 size, format of an ftrace event }
 *	u32 n, n x { system\0, u32 m, m x { u64 size, format } }
 *	u32 size, kallsyms	u32 size, printk formats	[0.6] u64 size, comms
 *
 * It is walked once, and each format's bounds are kept: a count is believed only as far as there
 * are bytes, so that the table never outgrows the file. Formats are text of a few hundred bytes;
 * what is in them is looked for when somebody asks.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "trace-int.h"

/* A string up to its NUL, which is skipped. */
static const char *word(struct cursor *c)
{
	const unsigned char *end = c->bad || !c->p ? NULL : memchr(c->p, 0, cursor_left(c));

	if (!end) {
		c->bad = true;
		return NULL;
	}
	return cursor_str(c, (uint64_t)(end - c->p) + 1);
}

/* The line at @at without its end; @at moves behind it. False at the end of the text. */
static bool next_line(const struct trace_format *f, size_t *at, const char **line, size_t *n)
{
	const char *nl;

	if (*at >= f->size)
		return false;
	*line = f->text + *at;
	*n = f->size - *at;
	nl = memchr(*line, '\n', *n);
	if (nl)
		*n = (size_t)(nl - *line);
	*at += *n + (nl != NULL);
	return true;
}

/* What stands behind @label in a line that begins with it; NULL when it does not. */
static const char *behind(const char *line, size_t *n, const char *label)
{
	size_t len = strlen(label);

	if (*n < len || memcmp(line, label, len) != 0)
		return NULL;
	*n -= len;
	return line + len;
}

static uint64_t number(const char *p, size_t n)
{
	uint64_t v = 0;

	for (; n && *p >= '0' && *p <= '9'; p++, n--)
		v = v * 10 + (uint64_t)(*p - '0');
	return v;
}

/* The first "name: " and the first "ID: ". */
static void read_names(struct trace_format *f)
{
	const char *line, *p;
	size_t at = 0, n;
	bool id = false;

	while ((!f->name || !id) && next_line(f, &at, &line, &n)) {
		size_t left = n;

		p = f->name ? NULL : behind(line, &left, "name: ");
		if (p) {
			f->name = p;
			f->name_size = left;
			continue;
		}
		p = id ? NULL : behind(line, &left, "ID: ");
		if (p) {
			f->id = number(p, left);
			id = true;
		}
	}
}

/* A format of @system; ftrace's own events are kept, but not found by their ids. */
static int read_format(struct trace *t, struct cursor *c, const char *system, bool findable)
{
	struct trace_format f = { .system = system };
	uint64_t size = cursor_u64(c);

	f.text = cursor_bytes(c, size);
	if (!f.text)
		return 0;
	f.size = size;
	read_names(&f);
	if (!f.name && !f.id)
		return 0;
	if (vec_push(&t->formats, f))
		return -ENOMEM;
	if (!findable || !f.id)
		return 0;
	return htab_add(&t->tab, hash_u64(f.id), (uint32_t)t->formats.n - 1);
}

static int read_formats(struct trace *t, struct cursor *c)
{
	uint32_t systems, n = cursor_u32(c);
	int ret = 0;

	for (; n && !c->bad && !ret; n--)
		ret = read_format(t, c, "ftrace", false);
	systems = cursor_u32(c);
	for (; systems && !c->bad && !ret; systems--) {
		const char *system = word(c);

		n = cursor_u32(c);
		for (; n && !c->bad && !ret; n--)
			ret = read_format(t, c, system, true);
	}
	return ret;
}

/* Up to the formats: -EINVAL when it is something else, or ends here. */
static int read_header(struct trace *t, struct cursor *c)
{
	static const unsigned char magic[] = {
		0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'
	};
	const void *p = cursor_bytes(c, sizeof(magic));

	if (!p || memcmp(p, magic, sizeof(magic)) != 0)
		return -EINVAL;
	word(c); /* version */
	t->big_endian = cursor_u8(c);
	c->swap = t->big_endian != host_is_big_endian();
	t->long_size = cursor_u8(c);
	cursor_u32(c);
	for (int i = 0; i < 2; i++) { /* header_page, header_event: not about samples */
		word(c);
		cursor_skip(c, cursor_u64(c));
	}
	return c->bad ? -EINVAL : 0;
}

int trace_new(struct trace **out, const void *data, size_t size, struct err *e)
{
	struct cursor c = cursor_init(data, size, false);
	struct trace *t = calloc(1, sizeof(*t));
	int ret = t ? read_header(t, &c) : -ENOMEM;

	*out = NULL;
	if (!ret)
		ret = read_formats(t, &c);
	if (ret) {
		trace_free(t);
		return ret == -EINVAL ? err_set(e, ret, "these bytes are no formats of tracepoints")
				      : err_set(e, ret, "no memory for the formats of tracepoints");
	}
	cursor_skip(&c, cursor_u32(&c)); /* kernel symbols: room symbol names them */
	size = cursor_u32(&c);
	t->printk = cursor_bytes(&c, size);
	t->printk_size = t->printk ? size : 0;
	*out = t;
	return 0;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	vec_free(&t->formats);
	htab_free(&t->tab);
	free(t);
}

const struct trace_format *trace_find(const struct trace *t, uint64_t id)
{
	uint32_t i;

	if (!t)
		return NULL;
	for (struct htab_it it = htab_find(&t->tab, hash_u64(id)); htab_next(&t->tab, &it, &i);)
		if (i < t->formats.n && t->formats.v[i].id == id)
			return &t->formats.v[i];
	return NULL;
}

static bool same(const char *a, size_t n, const char *b)
{
	return a && n == strlen(b) && !memcmp(a, b, n);
}

const struct trace_format *trace_named(const struct trace *t, const char *system, const char *name)
{
	for (size_t i = 0; t && i < t->formats.n; i++) {
		const struct trace_format *f = &t->formats.v[i];

		if (same(f->name, f->name_size, name) && f->system && !strcmp(f->system, system))
			return f;
	}
	return NULL;
}

/* The name in "char comm[16]", "__data_loc char[] name": the last word, without its array. */
static void field_name(struct trace_field *field, const char *decl, size_t n)
{
	const char *bracket = decl[n - (n > 0)] == ']' ? memchr(decl, '[', n) : NULL;
	size_t end = bracket ? (size_t)(bracket - decl) : n, start = end;

	while (start && decl[start - 1] != ' ' && decl[start - 1] != '*')
		start--;
	field->name = decl + start;
	field->name_size = end - start;
}

/* N in "LABEL:N;" between the blanks of a field's line. */
static uint32_t field_number(const char *p, size_t n, const char *label)
{
	const char *at = memmem(p, n, label, strlen(label));

	if (!at)
		return UINT32_MAX;
	at += strlen(label);
	return (uint32_t)min_u64(number(at, n - (size_t)(at - p)), UINT32_MAX);
}

bool trace_next_field(const struct trace_format *f, struct trace_field *field)
{
	const char *line;
	size_t n;

	while (next_line(f, &field->next, &line, &n)) {
		const char *decl = behind(line, &n, "\tfield:"), *semi;
		size_t left = n;

		semi = decl ? memchr(decl, ';', n) : NULL;
		if (!semi)
			continue;
		left -= (size_t)(semi - decl);
		field_name(field, decl, (size_t)(semi - decl));
		field->offset = field_number(semi, left, "\toffset:");
		field->size = field_number(semi, left, "\tsize:");
		return true;
	}
	return false;
}

static bool find_field(const struct trace_format *f, const char *name, size_t n,
		       struct trace_field *field)
{
	memset(field, 0, sizeof(*field));
	while (trace_next_field(f, field))
		if (field->name_size == n && !memcmp(field->name, name, n))
			return true;
	return false;
}

bool trace_has_field(const struct trace_format *f, const char *name, size_t n)
{
	struct trace_field field;

	return find_field(f, name, n, &field);
}

bool trace_field(const struct trace_format *f, const char *name, struct trace_field *field)
{
	return find_field(f, name, strlen(name), field) && field->offset != UINT32_MAX &&
	       field->size != UINT32_MAX;
}

void trace_field_names(const struct trace_format *f, struct obuf *o)
{
	static const char common[] = "common_";
	struct trace_field field = { 0 };
	const char *sep = "";

	while (trace_next_field(f, &field)) {
		if (field.name_size >= strlen(common) &&
		    !memcmp(field.name, common, strlen(common)))
			continue;
		obuf_str(o, sep);
		obuf_mem(o, field.name, field.name_size);
		sep = ",";
	}
}
