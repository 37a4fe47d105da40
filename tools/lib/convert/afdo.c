// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * GCC's profile for -fauto-profile, version 2: text-formats(5), "perf data convert --to gcc-afdo".
 * gcc 12 takes of a place its line alone: one with two blocks would have the count of the block that
 * was written last, so the tree has none for GCC, and a line the count of its busiest block. It asks
 * for callees where a call is indirect, and nowhere else.
 */
#include "convert/source-int.h"

#define VERSION	      2u
#define MAGIC	      0x67636461u /* "adcg" in the file */
#define TAG_NAMES     0xaa000000u
#define TAG_FUNCTIONS 0xac000000u
#define TAG_MODULES   0xae000000u
#define INDIRECT_CALL 3u /* what kind of value a callee is; gcc does not look */

struct writer {
	const struct source_tree *t;
	struct obuf *o;
	ssize_t records;
};

/* Words are of the compiler's machine: of little-endian ones, as all are that this is used on. */
static void put_word(struct obuf *o, uint32_t v)
{
	const unsigned char b[] = { (unsigned char)v, (unsigned char)(v >> 8),
				    (unsigned char)(v >> 16), (unsigned char)(v >> 24) };

	obuf_mem(o, b, sizeof(b));
}

static void put_count(struct obuf *o, uint64_t v)
{
	v = min_u64(v, INT64_MAX);
	put_word(o, (uint32_t)v);
	put_word(o, (uint32_t)(v >> 32));
}

static void put_places(struct writer *w, const struct source_fn *fn)
{
	struct source_walk walk = source_walk(w->t, fn);
	struct source_place p;

	while (source_next(&walk, &p)) {
		put_word(w->o, p.at.offset << 16);
		put_word(w->o, (uint32_t)p.nr);
		put_count(w->o, p.count);
		for (size_t i = 0; i < p.nr; i++) {
			put_word(w->o, INDIRECT_CALL);
			put_count(w->o, p.target[i].callee);
			put_count(w->o, p.target[i].count);
		}
		w->records++;
	}
}

/* As deep as calls are nested that were inlined: the reader of lines bounds that. */
static void put_function(struct writer *w, const struct source_fn *fn)
{
	struct source_walk walk = source_walk(w->t, fn);
	struct source_place p;
	uint32_t places = 0;

	while (source_next(&walk, &p))
		places++;
	put_word(w->o, fn->name);
	put_word(w->o, places);
	put_word(w->o, fn->nr_children);
	put_places(w, fn);
	for (uint32_t i = 0; i < fn->nr_children; i++) {
		const struct source_fn *child = &w->t->fn.v[w->t->child.v[fn->first_child + i]];

		put_word(w->o, child->at.offset << 16);
		put_function(w, child);
	}
}

/* A section: its tag, its length in words, and what is in @body, which is emptied. */
static void put_section(struct obuf *o, uint32_t tag, struct obuf *body)
{
	put_word(o, tag);
	put_word(o, (uint32_t)((body->len + 3) / 4));
	obuf_mem(o, body->buf, body->len);
	body->len = 0;
}

static int put_names(const struct source_tree *t, struct obuf *o, struct obuf *body)
{
	put_word(body, (uint32_t)t->names.str.n);
	for (uint32_t i = 0; i < t->names.str.n; i++) {
		const char *s = intern_str(&t->names, i);

		put_word(body, (uint32_t)strlen(s) + 1);
		obuf_mem(body, s, strlen(s) + 1);
	}
	if (!body->code)
		put_section(o, TAG_NAMES, body);
	return body->code;
}

static int put_functions(struct writer *w, struct obuf *o, struct obuf *body)
{
	const struct source_tree *t = w->t;

	w->o = body;
	put_word(body, (uint32_t)(t->child.n - t->first_root));
	for (size_t i = t->first_root; i < t->child.n; i++) {
		const struct source_fn *fn = &t->fn.v[t->child.v[i]];

		put_count(body, fn->head);
		put_function(w, fn);
	}
	if (!body->code)
		put_section(o, TAG_FUNCTIONS, body);
	return body->code;
}

static int put_all(struct writer *w, struct obuf *o)
{
	struct obuf body;
	int ret;

	if (obuf_init(&body, -1, 0))
		return -ENOMEM;
	put_word(o, MAGIC);
	put_word(o, VERSION);
	put_word(o, 0); /* of no particular build */
	/* String 0 is "" in every table, and gcc reads it as a name like others. */
	ret = put_names(w->t, o, &body) ?: put_functions(w, o, &body);
	put_word(o, TAG_MODULES);
	put_word(o, 1);
	put_word(o, 0);
	w->o = NULL;
	body.len = 0;
	obuf_free(&body);
	return ret;
}

static int prepare(const struct convert *c, struct convert_elf *ob, struct err *e)
{
	return convert_source_open(c, ob, SOURCE_GCC, e);
}

static ssize_t write_afdo(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			  struct err *e)
{
	struct source_tree t = { 0 };
	struct writer w = { .t = &t };
	int ret = intern(&t.names, "") == INTERN_NONE ? err_set(e, -ENOMEM, "no memory for names")
						      : convert_source(c, ob, SOURCE_GCC, &t, e);

	if (!ret && put_all(&w, o))
		ret = err_set(e, -ENOMEM, "no memory for the profile of %s", ob->pub.name);
	source_free(&t);
	return ret ? ret : w.records;
}

const struct convert_format convert_afdo = {
	.name = "gcc-afdo",
	.holds = "lines and calls of the source, for gcc -fauto-profile (version 2: gcc 12)",
	.binary = true,
	.prepare = prepare,
	.object = write_afdo,
};
