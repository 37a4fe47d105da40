// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source by calling context: functions are kept apart by the calls that led to them, so the tree of
 * functions and inlined calls becomes one of functions and all calls. Each context of the recording is
 * told by the source once, as a call in that tree; then what ran in equal calls is counted together, as
 * sources.c counts all of an object.
 *
 * A context ends where it leaves the object, or code that debug information knows: what was called from
 * there is told as if nobody had called. Contexts that hardly ran are told so, too: who compiles with the
 * profile would not copy a function for them, and there are many.
 */
#include <stdlib.h>

#include "convert/contexts-int.h"
#include "convert/source-int.h"

#define MILLION 1000000

static const struct source_caller nobody = { SOURCE_NONE, { 0, 0 } };

/* A count of this object, and the call of the tree that it belongs to. */
struct count_in {
	struct source_caller in;
	struct local_edge l;
};

/* ---- contexts as calls ---- */

/* *at: the call at @addr, of the function that was called at *at. 0 or -ENOMEM. */
static int call_at(struct source_maker *m, uint64_t addr, struct source_caller *at)
{
	const struct origin *f, *leaf = NULL;
	uint64_t end;
	int n = symbol_origins_at(m->o, addr, &f, &end);
	uint32_t fn = SOURCE_NONE;

	m->base = *at;
	*at = nobody;
	n = n > 0 ? source_place(m, f, n, 0, &fn, &leaf) : n;
	if (n <= 0 || !leaf->line || m->t->fn.v[fn].depth >= CONTEXT_DEPTH)
		return n < 0 ? n : 0;
	*at = (struct source_caller){ fn, source_pos_of(m, leaf) };
	source_fold(m->t, at);
	return 0;
}

/* For each context its call; to be freed. NULL: no memory. */
static struct source_caller *find_calls(struct source_maker *m)
{
	const struct contexts *x = m->c->contexts;
	struct source_caller *calls = malloc(x->v.n * sizeof(*calls));

	for (size_t i = 0; i < x->v.n && calls; i++) {
		const struct context *ctx = &x->v.v[i];
		uint64_t addr = ctx->dso == m->ob->dso ? convert_elf_vaddr(&m->ob->file, ctx->addr)
						       : NO_END;

		calls[i] = nobody;
		if (addr == NO_END)
			continue;
		calls[i] = calls[ctx->parent];
		if (call_at(m, addr, &calls[i])) {
			free(calls);
			return NULL;
		}
	}
	return calls;
}

/* ---- counts ---- */

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_call(const void *a, const void *b)
{
	const struct count_in *x = a, *y = b;

	return by_number(x->in.fn, y->in.fn) ?: by_number(x->in.at.offset, y->in.at.offset)
	       ?: by_number(x->in.at.block, y->in.at.block);
}

static int by_place(const void *a, const void *b)
{
	const struct count_in *x = a, *y = b;

	return by_call(a, b) ?: by_number(x->l.to, y->l.to) ?: by_number(x->l.end, y->l.end)
	       ?: by_number(x->l.from, y->l.from);
}

/* Counts of the object in the order of their calls; to be freed. NULL: no memory. */
static struct count_in *find_counts(struct source_maker *m, const struct source_caller *calls,
				    size_t *nr)
{
	const struct contexts *x = m->c->contexts;
	const struct object_file *f = &m->ob->file;
	struct count_in *v = malloc((x->count.n + 1) * sizeof(*v));

	*nr = 0;
	for (size_t i = 0; i < x->count.n && v; i++) {
		const struct edge *e = &x->count.v[i].edge;
		struct local_edge l = { NO_END, NO_END, NO_END, e->count, 0 };

		if (e->to_dso != m->ob->dso)
			continue;
		l.to = convert_elf_vaddr(f, e->to);
		if (e->end != NO_END)
			l.end = convert_elf_vaddr(f, e->end);
		if (e->from_dso == m->ob->dso)
			l.from = convert_elf_vaddr(f, e->from);
		if (l.to != NO_END && (l.end == NO_END || l.end >= l.to))
			v[(*nr)++] = (struct count_in){ calls[x->count.v[i].context], l };
	}
	if (*nr)
		qsort(v, *nr, sizeof(*v), by_place);
	return v;
}

/* All that ran in one call. */
static int count_call(struct source_maker *m, const struct count_in *v, size_t n)
{
	bool branches = m->c->stats.with_branches;
	int ret = 0;

	m->base = v->in;
	for (size_t i = 0; i < n && !ret; i++) {
		const struct local_edge *l = &v[i].l;

		if (l->end != NO_END)
			ret = source_add_range(m, l, l->count);
		else if (!branches)
			ret = source_add_sample(m, l->to, l->count);
	}
	ret = ret ?: source_count_spans(m);
	for (size_t i = 0; i < n && !ret; i++)
		if (v[i].l.end == NO_END && branches)
			ret = source_add_branch(m, &v[i].l);
	return ret;
}

/* ---- what is added to that ---- */

struct first { /* the first place of a function, and how often it ran */
	struct source_pos at;
	uint64_t count;
	bool known;
};

static void see(struct first *f, struct source_pos at, uint64_t count)
{
	int order = by_number(at.offset, f->at.offset) ?: by_number(at.block, f->at.block);

	if (!f->known || order < 0)
		*f = (struct first){ at, count, true };
	else if (!order)
		f->count = max_u64(f->count, count);
}

/*
 * Nobody saw calls that were inlined: as often as the first place of what was called ran. Those inside of
 * others stand behind them in the tree.
 */
static int add_inlined_calls(struct source_maker *m)
{
	struct source_tree *t = m->t;
	struct first *first = calloc(t->fn.n + 1, sizeof(*first));
	int ret = first ? 0 : -ENOMEM;

	if (first)
		vec_for_each (l, &t->line)
			see(&first[l->fn], l->at, l->count);
	for (size_t i = t->fn.n; i-- > 0 && !ret;) {
		const struct source_fn *fn = &t->fn.v[i];

		if (!fn->inlined || !first[i].count)
			continue;
		see(&first[fn->parent], fn->at, first[i].count);
		ret = source_call(t, fn->parent, fn->at, fn->name, first[i].count);
	}
	free(first);
	return ret;
}

static int merge_cold(struct source_maker *m)
{
	struct source_tree *t = m->t;
	uint32_t n = (uint32_t)t->fn.n;
	uint32_t *to = malloc((n + 1) * sizeof(*to));
	uint64_t all = 0, min = m->c->contexts->opts->min;
	int ret = to ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < n; i++)
		all += t->fn.v[i].total;
	if (min == CONVERT_CONTEXT_AUTO)
		min = all / MILLION;
	for (uint32_t i = 0; i < n && !ret; i++) {
		bool cold = t->fn.v[i].parent != SOURCE_NONE && t->fn.v[i].total < min;

		to[i] = cold ? source_function(t, SOURCE_NONE, nobody.at, t->fn.v[i].name) : i;
		ret = to[i] == SOURCE_NONE ? -ENOMEM : 0;
	}
	ret = ret ?: source_merge(t, to, n);
	free(to);
	return ret;
}

int source_contexts(struct source_maker *m)
{
	struct source_caller *calls = find_calls(m);
	size_t n = 0;
	struct count_in *v = calls ? find_counts(m, calls, &n) : NULL;
	int ret = v ? 0 : -ENOMEM;

	for (size_t i = 0, j; i < n && !ret; i = j) {
		for (j = i + 1; j < n && !by_call(&v[i], &v[j]);)
			j++;
		ret = count_call(m, &v[i], j - i);
	}
	free(v);
	free(calls);
	return ret ?: add_inlined_calls(m) ?: merge_cold(m);
}

/* ---- in order ---- */

int source_contexts_list(const struct source_tree *t, struct source_list *out)
{
	VEC(uint32_t) todo = { 0 };
	int ret = 0;

	for (size_t i = t->child.n; i-- > t->first_root && !ret;)
		ret = vec_push(&todo, t->child.v[i]);
	while (todo.n && !ret) {
		uint32_t i = todo.v[--todo.n];
		const struct source_fn *fn = &t->fn.v[i];

		if (fn->nr_lines || fn->nr_targets || fn->head)
			ret = vec_push(out, i);
		for (uint32_t k = fn->nr_children; k-- > 0 && !ret;)
			ret = vec_push(&todo, t->child.v[fn->first_child + k]);
	}
	vec_free(&todo);
	return ret;
}

int source_path(const struct source_tree *t, uint32_t i, struct source_list *out)
{
	size_t n = t->fn.v[i].depth + 1;

	if (vec_reserve(out, n))
		return -ENOMEM;
	for (out->n = n; n-- > 0; i = t->fn.v[i].parent)
		out->v[n] = i;
	return 0;
}
