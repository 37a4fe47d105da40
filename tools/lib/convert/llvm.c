// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LLVM's sample profile as text: text-formats(5), "perf data convert --to llvm". Functions hottest first;
 * in each its lines, then the calls that were inlined into it, a blank deeper.
 */
#include <stdlib.h>

#include "convert/llvm-int.h"

struct writer {
	struct source_tree *t;
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

static void put_totals(struct writer *w, const struct source_fn *fn)
{
	obuf_char(w->o, ':');
	obuf_dec(w->o, fn->total);
	obuf_char(w->o, ':');
	obuf_dec(w->o, fn->head);
	obuf_char(w->o, '\n');
}

static void put_functions(struct writer *w)
{
	const struct source_tree *t = w->t;

	for (size_t i = t->first_root; i < t->child.n; i++) {
		const struct source_fn *fn = &t->fn.v[t->child.v[i]];

		obuf_str(w->o, intern_str(&t->names, fn->name));
		put_totals(w, fn);
		put_body(w, fn, 1);
	}
}

/* ---- by context ---- */

static void put_context(struct writer *w, const uint32_t *path, size_t n)
{
	obuf_char(w->o, '[');
	for (size_t i = 0; i < n; i++) {
		const struct source_fn *fn = &w->t->fn.v[path[i]];

		obuf_str(w->o, intern_str(&w->t->names, fn->name));
		if (i + 1 == n)
			break;
		fn = &w->t->fn.v[path[i + 1]];
		obuf_char(w->o, ':');
		obuf_dec(w->o, fn->at.offset);
		if (fn->at.block) {
			obuf_char(w->o, '.');
			obuf_dec(w->o, fn->at.block);
		}
		obuf_lit(w->o, " @ ");
	}
	obuf_char(w->o, ']');
}

static int by_total(const void *a, const void *b, void *ctx)
{
	const struct source_tree *t = ctx;
	const uint32_t *x = a, *y = b;

	if (t->fn.v[x[0]].total != t->fn.v[y[0]].total)
		return t->fn.v[x[0]].total > t->fn.v[y[0]].total ? -1 : 1;
	return x[1] < y[1] ? -1 : x[1] > y[1];
}

/* The most first, equal ones as they were. */
static int hottest_first(struct source_tree *t, struct source_list *l)
{
	uint32_t *v = malloc((l->n + 1) * 2 * sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->n; i++) {
		v[2 * i] = l->v[i];
		v[2 * i + 1] = i;
	}
	qsort_r(v, l->n, 2 * sizeof(*v), by_total, t);
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] = v[2 * i];
	free(v);
	return 0;
}

static int put_contexts(struct writer *w)
{
	struct source_list list = { 0 }, path = { 0 };
	int ret = source_contexts_list(w->t, &list) ?: hottest_first(w->t, &list);

	for (size_t i = 0; i < list.n && !ret; i++) {
		const struct source_fn *fn = &w->t->fn.v[list.v[i]];
		struct source_walk walk = source_walk(w->t, fn);
		struct source_place p;

		ret = source_path(w->t, list.v[i], &path);
		if (ret)
			break;
		put_context(w, path.v, path.n);
		put_totals(w, fn);
		while (source_next(&walk, &p))
			put_line(w, &p, 1);
		if (fn->inlined)
			obuf_lit(w->o, " !Attributes: 1\n");
		w->records++;
	}
	vec_free(&list);
	vec_free(&path);
	return ret;
}

/* ---- the format ---- */

int llvm_prepare(const struct convert *c, struct convert_elf *ob, struct err *e)
{
	return convert_source_open(c, ob, SOURCE_LLVM, e);
}

void llvm_say_probes(const struct convert *c, const struct convert_elf *ob)
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

	llvm_say_probes(c, ob);
	ret = convert_source(c, ob, SOURCE_LLVM, &t, e);
	if (!ret && c->contexts)
		ret = put_contexts(&w);
	else if (!ret)
		put_functions(&w);
	if (ret == -ENOMEM)
		err_set(e, ret, "no memory for the profile of %s", ob->pub.name);
	source_free(&t);
	return ret ? ret : w.records;
}

const struct convert_format convert_llvm = {
	.name = "llvm",
	.holds = "lines and calls of the source, for clang -fprofile-sample-use",
	.options = CONVERT_CONTEXT,
	.prepare = llvm_prepare,
	.object = write_llvm,
};
