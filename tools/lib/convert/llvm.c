// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LLVM's sample profile as text: text-formats(5), "perf data convert --to llvm". Functions hottest first;
 * in each its lines, then the calls that were inlined into it, a blank deeper.
 */
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

static bool same_pos(struct source_pos a, struct source_pos b)
{
	return a.offset == b.offset && a.block == b.block;
}

/*
 * A line and whom it called. More calls may have been seen than runs of the line, for the newest
 * entry of a stack ends no range; in code that was inlined llvm-profgen leaves that so.
 */
static void put_line(struct writer *w, struct source_pos at, uint64_t count,
		     const struct source_target *g, size_t n, int depth)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < n && depth == 1; i++)
		calls += g[i].count;
	put_pos(w, at, depth);
	obuf_dec(w->o, max_u64(count, calls));
	for (size_t i = 0; i < n; i++) {
		obuf_char(w->o, ' ');
		put_name(w, g[i].callee, g[i].count);
	}
	obuf_char(w->o, '\n');
	w->records++;
}

/* Lines and targets of calls, both in order of places, as one list. */
static void put_lines(struct writer *w, const struct source_fn *fn, int depth)
{
	const struct source_line *l = w->t->line.v + fn->first_line, *l_end = l + fn->nr_lines;
	const struct source_target *g = w->t->target.v + fn->first_target;
	const struct source_target *g_end = g + fn->nr_targets;

	while (l < l_end || g < g_end) {
		bool line = g == g_end ||
			    (l < l_end &&
			     (l->at.offset < g->at.offset ||
			      (l->at.offset == g->at.offset && l->at.block <= g->at.block)));
		struct source_pos at = line ? l->at : g->at;
		size_t n = 0;

		while (g + n < g_end && same_pos(g[n].at, at))
			n++;
		put_line(w, at, line ? l->count : 0, g, n, depth);
		l += line;
		g += n;
	}
}

/* As deep as calls are nested that were inlined: the reader of lines bounds that. */
static void put_body(struct writer *w, const struct source_fn *fn, int depth)
{
	put_lines(w, fn, depth);
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

static ssize_t write_llvm(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			  struct err *e)
{
	struct source_tree t = { 0 };
	struct writer w = { .t = &t, .o = o };
	int ret;

	if (elf_has_section(ob->file.file, ".pseudo_probe"))
		log_to(&c->log, LOG_WARN,
		       "%s has pseudo probes, which clang matches in place of lines: use --to profgen "
		       "and llvm-profgen for a profile of these",
		       ob->pub.dso->name);
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
