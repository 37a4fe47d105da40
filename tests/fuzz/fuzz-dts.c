// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any text as the source of a device tree: a small compiler makes a blob of it, in place of dtc, which is a program of
 * its own and takes a millisecond; what dtc reads it checks itself, what perf reads is the blob. Nodes, labels,
 * cells, strings, bytes, references; what else there is in .dts files is passed over.
 */
#include <ctype.h>
#include <stdlib.h>

#include "config.h"
#include "base/tables.h"
#include "fuzz.h"

#if HAVE_LIBFDT

#include <libfdt.h>

#define BLOB_MAX  (128u << 10)
#define DEPTH_MAX 200

struct source {
	const char *p, *end;
	void *fdt;
	int depth;
	char name[64]; /* the last word */
};

static void skip(struct source *s)
{
	while (s->p < s->end) {
		if (isspace((unsigned char)*s->p)) {
			s->p++;
		} else if (s->end - s->p > 1 && s->p[0] == '/' && s->p[1] == '*') {
			for (s->p += 2; s->end - s->p > 1 && (s->p[0] != '*' || s->p[1] != '/');)
				s->p++;
			s->p += s->end - s->p > 1 ? 2 : s->end - s->p;
		} else if (s->end - s->p > 1 && s->p[0] == '/' && s->p[1] == '/') {
			while (s->p < s->end && *s->p != '\n')
				s->p++;
		} else {
			return;
		}
	}
}

static bool take(struct source *s, char c)
{
	skip(s);
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static bool word(struct source *s)
{
	size_t n = 0;

	skip(s);
	while (s->p < s->end && (isalnum((unsigned char)*s->p) || strchr(",._+-?#@/", *s->p)) &&
	       *s->p) {
		if (n < sizeof(s->name) - 1)
			s->name[n++] = *s->p;
		s->p++;
	}
	s->name[n] = '\0';
	return n;
}

static uint32_t handle(const char *label)
{
	return (uint32_t)hash_bytes(label, strlen(label)) | 1;
}

/* What stands behind "name =", up to its ';'. */
static size_t value(struct source *s, uint8_t *v, size_t max)
{
	char kind = 0;
	size_t n = 0;

	while (s->p < s->end && n + 4 < max) {
		skip(s);
		if (s->p == s->end || (!kind && (*s->p == ';' || *s->p == '}')))
			break;
		if (*s->p == '"') {
			for (s->p++; s->p < s->end && *s->p != '"' && n + 4 < max; s->p++)
				v[n++] = (uint8_t)*s->p;
			s->p += s->p < s->end;
			v[n++] = '\0';
		} else if (*s->p == '<' || *s->p == '[') {
			kind = *s->p++;
		} else if (*s->p == '>' || *s->p == ']') {
			kind = 0;
			s->p++;
		} else if (kind && (*s->p == '&' || isxdigit((unsigned char)*s->p))) {
			bool ref = take(s, '&');

			word(s);
			fdt32_st(v + n,
				 ref ? handle(s->name)
				     : (uint32_t)strtoull(s->name, NULL, kind == '[' ? 16 : 0));
			if (kind == '[')
				v[n] = (uint8_t)strtoul(s->name, NULL, 16);
			n += kind == '[' ? 1 : 4;
		} else {
			s->p++;
		}
	}
	return n;
}

static void statement(struct source *s, uint32_t *label)
{
	uint8_t v[1024];
	size_t n = 0;

	if (take(s, '}')) {
		if (s->depth > 1 && !fdt_end_node(s->fdt))
			s->depth--;
	} else if (!word(s)) {
		s->p += s->p < s->end;
	} else if (take(s, ':')) {
		*label = handle(s->name);
	} else if (take(s, '{')) {
		if (s->depth < DEPTH_MAX && strcmp(s->name, "/") &&
		    !fdt_begin_node(s->fdt, s->name))
			s->depth++;
		if (*label)
			fdt_property_u32(s->fdt, "phandle", *label);
		*label = 0;
	} else if (strcmp(s->name, "/dts-v1/") != 0) {
		char name[sizeof(s->name)];

		memcpy(name, s->name, sizeof(name));
		if (take(s, '='))
			n = value(s, v, sizeof(v));
		fdt_property(s->fdt, name, v, (int)n);
	}
}

static void run(const uint8_t *data, size_t size)
{
	static uint64_t blob[BLOB_MAX / 8];
	struct source s = {
		.p = (const char *)data, .end = (const char *)data + size, .fdt = blob, .depth = 1
	};
	uint32_t label = 0;

	if (fdt_create(blob, sizeof(blob)) || fdt_finish_reservemap(blob) ||
	    fdt_begin_node(blob, ""))
		abort();
	while (s.p < s.end)
		statement(&s, &label);
	while (s.depth-- > 0)
		fdt_end_node(blob);
	if (!fdt_finish(blob))
		fuzz_dtpmu_ask(blob, fdt_totalsize(blob));
}

#else

static void run(const uint8_t *data, size_t size)
{
	(void)data, (void)size;
}

#endif

const struct fuzz_target fuzz_dts = {
	.name = "dts",
	.reads = "device trees as source (.dts), compiled in place",
	.max_len = 4096,
	.run = run,
	.mutate = mutate_text,
};
