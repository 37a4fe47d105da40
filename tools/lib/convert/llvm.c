// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LLVM's sample profile as text: text-formats(5), "perf data convert --to llvm". Functions hottest first;
 * in each its lines, then the calls that were inlined into it, a blank deeper.
 */
#include <stdlib.h>

#include "convert/source-int.h"

struct writer {
	const struct source_tree *t;
	struct obuf *o;
	ssize_t records;
};

static void put_pos(struct writer *w, struct source_pos at, int depth)
{
	obuf_pad(w->o, ' ', depth);
	obuf_dec(w->o, at.offset);
	if (at.block) {
		obuf_char(w->o, '.');
		obuf_dec(w->o, at.block);
	}
	obuf_lit(w->o, ": ");
}

static void put_name(struct writer *w, uint32_t name, uint64_t count)
{
	obuf_str(w->o, intern_str(&w->t->names, name));
	obuf_char(w->o, ':');
	obuf_dec(w->o, count);
}

static void put_line(struct writer *w, const struct source_place *p, int depth)
{
	put_pos(w, p->at, depth);
	obuf_dec(w->o, source_ran(p, depth > 1));
	for (size_t i = 0; i < p->nr; i++) {
		obuf_char(w->o, ' ');
		put_name(w, p->target[i].callee, p->target[i].count);
	}
	obuf_char(w->o, '\n');
	w->records++;
}

/* As deep as calls are nested that were inlined: the reader of lines bounds that. */
static void put_body(struct writer *w, const struct source_fn *fn, int depth)
{
	struct source_walk walk = source_walk(w->t, fn);
	struct source_place p;

	while (source_next(&walk, &p))
		put_line(w, &p, depth);
	for (uint32_t i = 0; i < fn->nr_children; i++) {
		const struct source_fn *child = &w->t->fn.v[w->t->child.v[fn->first_child + i]];

		put_pos(w, child->at, depth);
		put_name(w, child->name, child->total);
		obuf_char(w->o, '\n');
		put_body(w, child, depth + 1);
	}
}

static int prepare(const struct convert *c, struct convert_elf *ob, struct err *e)
{
	return convert_source_open(c, ob, SOURCE_LLVM, e);
}

static void say_probes(const struct convert *c, const struct convert_elf *ob)
{
	if (elf_has_section(ob->file.file, ".pseudo_probe"))
		log_to(&c->log, LOG_WARN,
		       "%s has pseudo probes, which clang matches in place of lines: use --to profgen "
		       "and llvm-profgen for a profile of these",
		       ob->pub.dso->name);
}

static ssize_t write_llvm(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			  struct err *e)
{
	struct source_tree t = { 0 };
	struct writer w = { .t = &t, .o = o };
	int ret;

	say_probes(c, ob);
	ret = convert_source(c, ob, SOURCE_LLVM, &t, e);
	for (size_t i = t.first_root; !ret && i < t.child.n; i++) {
		const struct source_fn *fn = &t.fn.v[t.child.v[i]];

		put_name(&w, fn->name, fn->total);
		obuf_char(o, ':');
		obuf_dec(o, fn->head);
		obuf_char(o, '\n');
		put_body(&w, fn, 1);
	}
	source_free(&t);
	return ret ? ret : w.records;
}

const struct convert_format convert_llvm = {
	.name = "llvm",
	.holds = "lines and calls of the source, for clang -fprofile-sample-use",
	.prepare = prepare,
	.object = write_llvm,
};

/* ---- the extensible binary form ------------------------------------------------------------------- */

/*
 * The same in sections, text-formats(5), "perf data convert --to llvm-extbinary": a summary, names, where each
 * function lies, the functions. A compiler then reads those alone that it compiles.
 */
enum section { SUMMARY = 1, NAMES = 2, OFFSETS = 4, FUNCTIONS = 32 };

#define MAGIC	0x5350524f46343204ULL
#define VERSION 103

struct binary {
	const struct source_tree *t;
	struct obuf names, offsets, functions, summary;
	uint32_t *name_of; /* a number of t->names -> the file's + 1 */
	uint32_t nr_names;
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

static void put_binary_body(struct binary *b, const struct source_fn *fn, bool inlined)
{
	struct obuf *o = &b->functions;
	struct source_walk walk = source_walk(b->t, fn);
	struct source_place p;
	uint64_t nr = 0;

	put_name_number(b, o, fn->name);
	put_uleb(o, fn->total);
	while (source_next(&walk, &p))
		nr++;
	put_uleb(o, nr);
	for (walk = source_walk(b->t, fn); source_next(&walk, &p); b->records++) {
		uint64_t ran = source_ran(&p, inlined);

		b->code = b->code ?: vec_push(&b->counts, ran);
		put_uleb(o, p.at.offset);
		put_uleb(o, p.at.block);
		put_uleb(o, ran);
		put_uleb(o, p.nr);
		for (size_t i = 0; i < p.nr; i++) {
			put_name_number(b, o, p.target[i].callee);
			put_uleb(o, p.target[i].count);
		}
	}
	put_uleb(o, fn->nr_children);
	for (uint32_t i = 0; i < fn->nr_children; i++) {
		const struct source_fn *child = &b->t->fn.v[b->t->child.v[fn->first_child + i]];

		put_uleb(o, child->at.offset);
		put_uleb(o, child->at.block);
		put_binary_body(b, child, true);
	}
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
static void put_summary(struct binary *b, size_t nr_functions)
{
	static const uint32_t shares[] = { 10000,  100000, 200000, 300000, 400000, 500000,
					   600000, 700000, 800000, 900000, 950000, 990000,
					   999000, 999900, 999990, 999999 };
	struct obuf *o = &b->summary;
	uint64_t all = 0, sum = 0, last = 0;
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
		b->max_head = max_u64(b->max_head, fn->head);
	}
	put_summary(b, t->child.n - t->first_root);
}

static void put_sections(struct binary *b, struct obuf *o)
{
	char count[12];
	struct obuf nr = { .buf = count, .cap = sizeof(count), .fd = -1 };
	const struct {
		enum section type;
		const struct obuf *head, *body;
	} sections[] = { { SUMMARY, NULL, &b->summary },
			 { NAMES, &nr, &b->names },
			 { OFFSETS, NULL, &b->offsets },
			 { FUNCTIONS, NULL, &b->functions } };
	uint64_t at;

	put_uleb(&nr, b->nr_names);
	at = o->len;
	put_uleb(o, MAGIC);
	put_uleb(o, VERSION);
	at = o->len - at + 8 + ARRAY_SIZE(sections) * 32;
	put_u64(o, ARRAY_SIZE(sections));
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		uint64_t size =
			sections[i].body->len + (sections[i].head ? sections[i].head->len : 0);

		put_u64(o, sections[i].type);
		put_u64(o, 0);
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
	struct binary b = { .t = &t };
	int ret;

	say_probes(c, ob);
	ret = convert_source(c, ob, SOURCE_LLVM, &t, e);
	b.name_of = ret ? NULL : calloc(t.names.str.n + 1, sizeof(*b.name_of));
	if (!ret && (!b.name_of || obuf_init(&b.names, -1, 0) || obuf_init(&b.offsets, -1, 0) ||
		     obuf_init(&b.functions, -1, 0) || obuf_init(&b.summary, -1, 0)))
		ret = err_set(e, -ENOMEM, "no memory for the profile of %s", ob->pub.name);
	if (!ret && t.child.n > t.first_root) {
		put_functions(&b);
		put_sections(&b, o);
		ret = b.code ?: b.names.code ?: b.offsets.code ?: b.functions.code ?: b.summary.code;
		if (ret)
			err_set(e, ret, "no memory for the profile of %s", ob->pub.name);
	}
	free(b.names.buf);
	free(b.offsets.buf);
	free(b.functions.buf);
	free(b.summary.buf);
	free(b.name_of);
	vec_free(&b.counts);
	source_free(&t);
	return ret ? ret : b.records;
}

const struct convert_format convert_llvm_extbinary = {
	.name = "llvm-extbinary",
	.holds = "the same as LLVM's own tools keep it: functions are read when asked for",
	.binary = true,
	.prepare = prepare,
	.object = write_extbinary,
};
