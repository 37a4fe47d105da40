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

/*
 * A line and whom it called. More calls may have been seen than runs of the line, for the newest
 * entry of a stack ends no range; in code that was inlined llvm-profgen leaves that so.
 */
static void put_line(struct writer *w, const struct source_place *p, int depth)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < p->nr && depth == 1; i++)
		calls += p->target[i].count;
	put_pos(w, p->at, depth);
	obuf_dec(w->o, max_u64(p->count, calls));
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
