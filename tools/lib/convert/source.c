// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree of functions, lines and calls. It is filled in any order, as addresses come, through
 * three tables that know what is there already; sorted once, it is walked from the top: what
 * belongs to a function lies together, by place, so that equal counts give equal bytes.
 */
#include <stdlib.h>

#include "convert/source-int.h"

void source_free(struct source_tree *t)
{
	intern_free(&t->names);
	vec_free(&t->fn);
	vec_free(&t->line);
	vec_free(&t->target);
	vec_free(&t->child);
	htab_free(&t->fns);
	htab_free(&t->lines);
	htab_free(&t->targets);
}

static uint64_t pos_key(struct source_pos at)
{
	return (uint64_t)at.offset << 32 | at.block;
}

static uint64_t key_of(uint32_t fn, uint32_t name, struct source_pos at)
{
	return hash_mix(hash_u64((uint64_t)fn << 32 | name), pos_key(at));
}

uint32_t source_function(struct source_tree *t, uint32_t parent, struct source_pos at,
			 uint32_t name)
{
	struct source_fn add = { .parent = parent, .name = name, .at = at };
	uint64_t key = key_of(parent, name, at);
	uint32_t i;

	for (struct htab_it it = htab_find(&t->fns, key); htab_next(&t->fns, &it, &i);)
		if (t->fn.v[i].parent == parent && t->fn.v[i].name == name &&
		    pos_key(t->fn.v[i].at) == pos_key(at))
			return i;
	i = (uint32_t)t->fn.n;
	add.depth = parent == SOURCE_NONE ? 0 : t->fn.v[parent].depth + 1;
	return vec_push(&t->fn, add) || htab_add(&t->fns, key, i) ? SOURCE_NONE : i;
}

/* The line's number; SOURCE_NONE: no memory. */
static uint32_t line_of(struct source_tree *t, uint32_t fn, struct source_pos at)
{
	struct source_line add = { .fn = fn, .at = at };
	uint64_t key = key_of(fn, 0, at);
	uint32_t i;

	for (struct htab_it it = htab_find(&t->lines, key); htab_next(&t->lines, &it, &i);)
		if (t->line.v[i].fn == fn && pos_key(t->line.v[i].at) == pos_key(at))
			return i;
	i = (uint32_t)t->line.n;
	return vec_push(&t->line, add) || htab_add(&t->lines, key, i) ? SOURCE_NONE : i;
}

int source_count(struct source_tree *t, uint32_t fn, struct source_pos at, uint64_t count)
{
	uint32_t i = line_of(t, fn, at);

	if (i == SOURCE_NONE)
		return -ENOMEM;
	t->line.v[i].count = max_u64(t->line.v[i].count, count);
	return 0;
}

int source_call(struct source_tree *t, uint32_t fn, struct source_pos at, uint32_t callee,
		uint64_t count)
{
	struct source_target add = { .fn = fn, .at = at, .callee = callee, .count = count };
	uint64_t key = key_of(fn, callee, at);
	uint32_t i;

	for (struct htab_it it = htab_find(&t->targets, key); htab_next(&t->targets, &it, &i);) {
		struct source_target *g = &t->target.v[i];

		if (g->fn != fn || g->callee != callee || pos_key(g->at) != pos_key(at))
			continue;
		g->count += count;
		return 0;
	}
	return vec_push(&t->target, add) ?: htab_add(&t->targets, key, (uint32_t)t->target.n - 1);
}

int source_merge(struct source_tree *t, const uint32_t *to, uint32_t n)
{
	size_t lines = t->line.n, targets = t->target.n, kept = 0;

	for (size_t i = 0; i < lines; i++) {
		struct source_line l = t->line.v[i];
		uint32_t at = to[l.fn] == l.fn ? SOURCE_NONE : line_of(t, to[l.fn], l.at);

		if (at == SOURCE_NONE && to[l.fn] != l.fn)
			return -ENOMEM;
		if (at != SOURCE_NONE)
			t->line.v[at].count += l.count;
	}
	for (size_t i = 0; i < targets; i++) {
		struct source_target g = t->target.v[i];

		if (to[g.fn] != g.fn && source_call(t, to[g.fn], g.at, g.callee, g.count))
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct source_fn *f = &t->fn.v[i];

		if (to[i] == i)
			continue;
		t->fn.v[to[i]].total += f->total;
		t->fn.v[to[i]].head += f->head;
		f->total = f->head = 0;
	}
	vec_for_each (l, &t->line)
		if (l->fn >= n || to[l->fn] == l->fn)
			t->line.v[kept++] = *l;
	t->line.n = kept;
	kept = 0;
	vec_for_each (g, &t->target)
		if (g->fn >= n || to[g->fn] == g->fn)
			t->target.v[kept++] = *g;
	t->target.n = kept;
	return 0;
}

/* ---- order ------------------------------------------------------------------------------------ */

static int by_pos(struct source_pos a, struct source_pos b)
{
	uint64_t x = pos_key(a), y = pos_key(b);

	return x < y ? -1 : x > y;
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_line(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	return by_number(x->fn, y->fn) ?: by_pos(x->at, y->at);
}

/* Of one place the most called first. */
static int by_target(const void *a, const void *b, void *ctx)
{
	const struct source_target *x = a, *y = b;
	const struct source_tree *t = ctx;

	return by_number(x->fn, y->fn) ?: by_pos(x->at, y->at)
	       ?: by_number(y->count, x->count)
	       ?: strcmp(intern_str(&t->names, x->callee), intern_str(&t->names, y->callee));
}

static int by_child(const void *a, const void *b, void *ctx)
{
	const struct source_tree *t = ctx;
	const struct source_fn *x = &t->fn.v[*(const uint32_t *)a];
	const struct source_fn *y = &t->fn.v[*(const uint32_t *)b];

	return by_number(x->parent, y->parent)
	       ?: (x->parent == SOURCE_NONE ? by_number(y->total, x->total) : by_pos(x->at, y->at))
	       ?: strcmp(intern_str(&t->names, x->name), intern_str(&t->names, y->name));
}

int source_sort(struct source_tree *t)
{
	for (uint32_t i = 0; i < t->fn.n; i++)
		if (vec_push(&t->child, i))
			return -ENOMEM;
	if (t->fn.n)
		qsort_r(t->child.v, t->child.n, sizeof(*t->child.v), by_child, t);
	if (t->line.n)
		qsort(t->line.v, t->line.n, sizeof(*t->line.v), by_line);
	if (t->target.n)
		qsort_r(t->target.v, t->target.n, sizeof(*t->target.v), by_target, t);
	for (uint32_t i = (uint32_t)t->line.n; i-- > 0;) {
		t->fn.v[t->line.v[i].fn].first_line = i;
		t->fn.v[t->line.v[i].fn].nr_lines++;
	}
	for (uint32_t i = (uint32_t)t->target.n; i-- > 0;) {
		t->fn.v[t->target.v[i].fn].first_target = i;
		t->fn.v[t->target.v[i].fn].nr_targets++;
	}
	t->first_root = (uint32_t)t->child.n;
	for (uint32_t i = (uint32_t)t->child.n; i-- > 0;) {
		uint32_t parent = t->fn.v[t->child.v[i]].parent;

		if (parent == SOURCE_NONE) {
			t->first_root = i;
			continue;
		}
		t->fn.v[parent].first_child = i;
		t->fn.v[parent].nr_children++;
	}
	return 0;
}

struct source_walk source_walk(const struct source_tree *t, const struct source_fn *fn)
{
	struct source_walk w = { 0 };

	if (fn->nr_lines)
		w.line = t->line.v + fn->first_line;
	if (fn->nr_targets)
		w.target = t->target.v + fn->first_target;
	w.line_end = w.line ? w.line + fn->nr_lines : NULL;
	w.target_end = w.target ? w.target + fn->nr_targets : NULL;
	return w;
}

bool source_next(struct source_walk *w, struct source_place *out)
{
	bool line = w->line < w->line_end, target = w->target < w->target_end;

	if (!line && !target)
		return false;
	if (line && target) {
		int order = by_pos(w->line->at, w->target->at);

		line = order <= 0;
		target = order >= 0;
	}
	out->at = line ? w->line->at : w->target->at;
	out->count = line ? w->line++->count : 0;
	out->target = w->target;
	out->nr = 0;
	while (target && w->target < w->target_end && !by_pos(w->target->at, out->at)) {
		w->target++;
		out->nr++;
	}
	return true;
}
