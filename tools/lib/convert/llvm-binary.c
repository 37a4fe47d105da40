// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LLVM's sample profile in sections, text-formats(5), "perf data convert --to llvm-extbinary": a summary, names,
 * where each function lies, the functions. A compiler then reads those alone that it compiles. By context:
 * where names of functions would stand are numbers of contexts, which have a section of their own.
 */
#include <stdlib.h>

#include "convert/llvm-int.h"

enum section { SUMMARY = 1, NAMES = 2, OFFSETS = 4, METADATA = 5, CONTEXTS = 6, FUNCTIONS = 32 };

/* Flags of sections: of all in the lower half, of this one in the upper. */
#define SUMMARY_CONTEXTS    (1ULL << 33)
#define OFFSETS_ORDERED	    (1ULL << 32)
#define METADATA_ATTRIBUTES (1ULL << 33)

#define MAGIC	0x5350524f46343204ULL
#define VERSION 103

struct ran { /* how often a place of a function ran; @place 0: how often it was entered */
	uint32_t name;
	uint64_t place, count;
};

struct binary {
	const struct source_tree *t;
	struct obuf names, offsets, functions, summary, contexts, metadata;
	bool by_context;
	uint32_t *name_of; /* a number of t->names -> the file's + 1 */
	uint32_t nr_names;
	VEC(struct ran) ran; /* for the summary: all places */
	VEC(uint64_t) counts;
	uint64_t max_head;
	ssize_t records;
	int code;
};

static void put_uleb(struct obuf *o, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		obuf_char(o, (char)(v | 0x80));
	obuf_char(o, (char)v);
}

static void put_name_number(struct binary *b, struct obuf *o, uint32_t name)
{
	const char *s = intern_str(&b->t->names, name);

	if (!b->name_of[name]) {
		b->name_of[name] = ++b->nr_names;
		obuf_mem(&b->names, s, strlen(s) + 1);
	}
	put_uleb(o, b->name_of[name] - 1);
}

static void add_ran(struct binary *b, uint32_t name, uint64_t place, uint64_t count)
{
	b->code = b->code ?: vec_push(&b->ran, ((struct ran){ name, place, count }));
}

static void put_places(struct binary *b, const struct source_fn *fn, bool inlined)
{
	struct obuf *o = &b->functions;
	struct source_walk walk = source_walk(b->t, fn);
	struct source_place p;
	uint64_t nr = 0;

	put_uleb(o, fn->total);
	while (source_next(&walk, &p))
		nr++;
	put_uleb(o, nr);
	for (walk = source_walk(b->t, fn); source_next(&walk, &p); b->records++) {
		uint64_t ran = source_ran(&p, inlined);

		add_ran(b, fn->name, 1 + ((uint64_t)p.at.offset << 32 | p.at.block), ran);
		put_uleb(o, p.at.offset);
		put_uleb(o, p.at.block);
		put_uleb(o, ran);
		put_uleb(o, p.nr);
		for (size_t i = 0; i < p.nr; i++) {
			put_name_number(b, o, p.target[i].callee);
			put_uleb(o, p.target[i].count);
		}
	}
}

static void put_binary_body(struct binary *b, const struct source_fn *fn, bool inlined)
{
	struct obuf *o = &b->functions;

	put_name_number(b, o, fn->name);
	put_places(b, fn, inlined);
	put_uleb(o, fn->nr_children);
	for (uint32_t i = 0; i < fn->nr_children; i++) {
		const struct source_fn *child = &b->t->fn.v[b->t->child.v[fn->first_child + i]];

		put_uleb(o, child->at.offset);
		put_uleb(o, child->at.block);
		put_binary_body(b, child, true);
	}
}

static int by_name(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/*
 * Counts for the summary, of functions as if nobody had told contexts apart. The number of functions. Without
 * contexts an inlined call has places of its own.
 */
static uint64_t sum_up(struct binary *b)
{
	uint64_t functions = 0;
	size_t j;

	if (b->ran.n && b->by_context)
		qsort(b->ran.v, b->ran.n, sizeof(*b->ran.v), by_name);
	for (size_t i = 0; i < b->ran.n; i = j) {
		const struct ran *r = &b->ran.v[i];
		uint64_t count = r->count;

		for (j = i + 1; b->by_context && j < b->ran.n && !by_name(r, &b->ran.v[j]); j++)
			count += b->ran.v[j].count;
		functions += !r->place;
		if (!r->place)
			b->max_head = max_u64(b->max_head, count);
		else
			b->code = b->code ?: vec_push(&b->counts, count);
	}
	return functions;
}

static int by_count(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/*
 * For each share of all that ran: how many of the hottest places make it up, and the coldest of these. Places
 * that ran equally often come in together.
 */
static void put_summary(struct binary *b)
{
	static const uint32_t shares[] = { 10000,  100000, 200000, 300000, 400000, 500000,
					   600000, 700000, 800000, 900000, 950000, 990000,
					   999000, 999900, 999990, 999999 };
	struct obuf *o = &b->summary;
	uint64_t nr_functions = sum_up(b), all = 0, sum = 0, last = 0;
	size_t i = 0;

	if (b->counts.n)
		qsort(b->counts.v, b->counts.n, sizeof(*b->counts.v), by_count);
	vec_for_each (n, &b->counts)
		all += *n;
	put_uleb(o, all);
	put_uleb(o, b->counts.n ? b->counts.v[0] : 0);
	put_uleb(o, b->max_head);
	put_uleb(o, b->counts.n);
	put_uleb(o, nr_functions);
	put_uleb(o, ARRAY_SIZE(shares));
	for (size_t k = 0; k < ARRAY_SIZE(shares); k++) {
		uint64_t want = (uint64_t)((unsigned __int128)all * shares[k] / 1000000);

		while (i < b->counts.n && sum < want)
			for (last = b->counts.v[i]; i < b->counts.n && b->counts.v[i] == last; i++)
				sum += last;
		put_uleb(o, shares[k]);
		put_uleb(o, last);
		put_uleb(o, i);
	}
}

static void put_u64(struct obuf *o, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		obuf_char(o, (char)(v >> 8 * i));
}

static void put_functions(struct binary *b)
{
	const struct source_tree *t = b->t;

	put_uleb(&b->offsets, t->child.n - t->first_root);
	for (size_t i = t->first_root; i < t->child.n; i++) {
		const struct source_fn *fn = &t->fn.v[t->child.v[i]];

		put_name_number(b, &b->offsets, fn->name);
		put_uleb(&b->offsets, b->functions.len);
		put_uleb(&b->functions, fn->head);
		put_binary_body(b, fn, false);
		add_ran(b, fn->name, 0, fn->head);
	}
	put_summary(b);
}

/* ---- by context ---- */

/* Callers, each with the place of its call; the function itself, at 0. */
static void put_path(struct binary *b, const struct source_list *path)
{
	put_uleb(&b->contexts, path->n);
	for (size_t i = 0; i < path->n; i++) {
		struct source_pos at = { 0, 0 };

		if (i + 1 < path->n)
			at = b->t->fn.v[path->v[i + 1]].at;
		put_name_number(b, &b->contexts, b->t->fn.v[path->v[i]].name);
		put_uleb(&b->contexts, at.offset);
		put_uleb(&b->contexts, at.block);
	}
}

static void put_contexts(struct binary *b)
{
	const struct source_tree *t = b->t;
	struct source_list list = { 0 }, path = { 0 };

	b->code = source_contexts_list(t, &list);
	put_uleb(&b->contexts, list.n);
	put_uleb(&b->offsets, list.n);
	for (size_t i = 0; i < list.n && !b->code; i++) {
		const struct source_fn *fn = &t->fn.v[list.v[i]];

		b->code = source_path(t, list.v[i], &path);
		put_path(b, &path);
		put_uleb(&b->offsets, i);
		put_uleb(&b->offsets, b->functions.len);
		put_uleb(&b->metadata, i);
		put_uleb(&b->metadata, fn->inlined);
		put_uleb(&b->functions, fn->head);
		put_uleb(&b->functions, i);
		put_places(b, fn, false);
		put_uleb(&b->functions, 0);
		add_ran(b, fn->name, 0, fn->head);
		b->records++;
	}
	put_summary(b);
	vec_free(&list);
	vec_free(&path);
}

/* ---- the file ---- */

static void put_sections(struct binary *b, struct obuf *o)
{
	char count[12];
	struct obuf nr = { .buf = count, .cap = sizeof(count), .fd = -1 };
	const struct {
		enum section type;
		bool contexts; /* only with these */
		uint64_t flags;
		const struct obuf *head, *body;
	} sections[] = { { SUMMARY, false, SUMMARY_CONTEXTS, NULL, &b->summary },
			 { NAMES, false, 0, &nr, &b->names },
			 { CONTEXTS, true, 0, NULL, &b->contexts },
			 { OFFSETS, false, OFFSETS_ORDERED, NULL, &b->offsets },
			 { FUNCTIONS, false, 0, NULL, &b->functions },
			 { METADATA, true, METADATA_ATTRIBUTES, NULL, &b->metadata } };
	uint64_t at = o->len, n = 0;

	put_uleb(&nr, b->nr_names);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		n += b->by_context || !sections[i].contexts;
	put_uleb(o, MAGIC);
	put_uleb(o, VERSION);
	at = o->len - at + 8 + n * 32;
	put_u64(o, n);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		uint64_t size =
			sections[i].body->len + (sections[i].head ? sections[i].head->len : 0);

		if (sections[i].contexts && !b->by_context)
			continue;
		put_u64(o, sections[i].type);
		put_u64(o, b->by_context ? sections[i].flags : 0);
		put_u64(o, at);
		put_u64(o, size);
		at += size;
	}
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		if (sections[i].head)
			obuf_mem(o, sections[i].head->buf, sections[i].head->len);
		obuf_mem(o, sections[i].body->buf, sections[i].body->len);
	}
}

static ssize_t write_extbinary(const struct convert *c, const struct convert_elf *ob,
			       struct obuf *o, struct err *e)
{
	struct source_tree t = { 0 };
	struct binary b = { .t = &t, .by_context = c->contexts };
	struct obuf *const parts[] = { &b.names,   &b.offsets,	&b.functions,
				       &b.summary, &b.contexts, &b.metadata };
	int ret;

	llvm_say_probes(c, ob);
	ret = convert_source(c, ob, SOURCE_LLVM, &t, e);
	b.name_of = ret ? NULL : calloc(t.names.str.n + 1, sizeof(*b.name_of));
	b.code = b.name_of ? 0 : -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		b.code = b.code ?: obuf_init(parts[i], -1, 0);
	if (!ret && !b.code && t.child.n > t.first_root) {
		if (b.by_context)
			put_contexts(&b);
		else
			put_functions(&b);
		put_sections(&b, o);
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		b.code = b.code ?: parts[i]->code;
		free(parts[i]->buf);
	}
	if (!ret && b.code)
		ret = err_set(e, b.code, "no memory for the profile of %s", ob->pub.name);
	free(b.name_of);
	vec_free(&b.ran);
	vec_free(&b.counts);
	source_free(&t);
	return ret ? ret : b.records;
}

const struct convert_format convert_llvm_extbinary = {
	.name = "llvm-extbinary",
	.holds = "the same as LLVM's own tools keep it: functions are read when asked for",
	.binary = true,
	.options = CONVERT_CONTEXT,
	.prepare = llvm_prepare,
	.object = write_extbinary,
};
