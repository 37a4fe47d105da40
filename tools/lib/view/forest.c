// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call trees of any number of views as one, with what each view has at every node: perf diff -g. What is
 * one function in two builds is found by the names of all that called it, functions that were inlined among
 * them: numbers and addresses of two recordings mean different things. The names come from folded stacks,
 * which are what they are in every build.
 */
#include <math.h>
#include <stdlib.h>

#include "view-int.h"

struct tree_node {
	struct view_forest_line pub;
	uint32_t child, next; /* ID_NONE = none */
	double rank;
};

struct view_forest {
	struct view_forest_opts o;
	size_t nr_sides;
	uint64_t *total, *samples; /* by side */
	struct arena mem;
	struct intern names;
	VEC(struct tree_node) nodes; /* 0: above all */
	struct htab tab;	     /* by parent and name */
	VEC(uint32_t) order;
};

/* ---- one tree ----------------------------------------------------------------------------------- */

static int new_node(struct view_forest *t, uint32_t parent, uint32_t name, uint32_t *out)
{
	struct tree_node n = { .child = ID_NONE, .next = ID_NONE };

	n.pub.parent = parent;
	n.pub.name = name == ID_NONE ? "" : intern_str(&t->names, name);
	n.pub.depth = parent == ID_NONE ? 0 : t->nodes.v[parent].pub.depth + 1;
	n.pub.period = arena_alloc(&t->mem, t->nr_sides * sizeof(*n.pub.period));
	if (!n.pub.period)
		return -ENOMEM;
	memset(n.pub.period, 0, t->nr_sides * sizeof(*n.pub.period));
	*out = (uint32_t)t->nodes.n;
	if (parent != ID_NONE) {
		n.next = t->nodes.v[parent].child;
		t->nodes.v[parent].child = *out;
	}
	return vec_push(&t->nodes, n);
}

static int child_of(struct view_forest *t, uint32_t parent, const char *name, size_t len,
		    uint32_t *out)
{
	char *text = arena_strndup(&t->mem, name, len);
	uint32_t id = text ? intern(&t->names, text) : INTERN_NONE, i;
	uint64_t hash = hash_mix(parent, id);

	if (id == INTERN_NONE)
		return -ENOMEM;
	for (struct htab_it it = htab_find(&t->tab, hash); htab_next(&t->tab, &it, &i);)
		if (t->nodes.v[i].pub.parent == parent &&
		    t->nodes.v[i].pub.name == intern_str(&t->names, id)) {
			*out = i;
			return 0;
		}
	return new_node(t, parent, id, out) ?: htab_add(&t->tab, hash, *out);
}

/* "command;outer;inner PERIOD": the command is no function. */
static int add_stack(struct view_forest *t, size_t side, const char *line, const char *end)
{
	const char *blank = memrchr(line, ' ', (size_t)(end - line));
	uint64_t period = blank ? strtoull(blank + 1, NULL, 10) : 0;
	const char *at = blank ? memchr(line, ';', (size_t)(blank - line)) : NULL;
	uint32_t node = 0;

	t->nodes.v[0].pub.period[side] += period;
	while (at) {
		const char *name = at + 1;

		at = memchr(name, ';', (size_t)(blank - name));
		if (child_of(t, node, name, (size_t)((at ?: blank) - name), &node))
			return -ENOMEM;
		t->nodes.v[node].pub.period[side] += period;
	}
	return 0;
}

int view_forest_add(struct view_forest *t, size_t side, const struct view *v, uint32_t event,
		    struct err *e)
{
	struct obuf text;
	int ret = obuf_init(&text, -1, 0);

	if (ret)
		return err_set(e, ret, "no memory for call trees");
	t->total[side] = view_totals(v, event)->period;
	t->samples[side] = view_totals(v, event)->nr_samples;
	ret = view_put_folded(v, event, &text, e);
	for (const char *at = text.buf, *end = text.buf + text.len; !ret && at < end;) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));

		if (add_stack(t, side, at, nl))
			ret = err_set(e, -ENOMEM, "no memory for call trees");
		at = nl + 1;
	}
	obuf_free(&text);
	return ret;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

double view_forest_share(const struct view_forest *t, const struct view_forest_line *l, size_t side)
{
	return t->total[side] ? 100.0 * (double)l->period[side] / (double)t->total[side] : 0;
}

double view_forest_noise(const struct view_forest *t, const struct view_forest_line *l, size_t side)
{
	return view_noise(view_forest_share(t, l, 0), t->samples[0], view_forest_share(t, l, side),
			  t->samples[side]);
}

bool view_forest_is_noise(const struct view_forest *t, const struct view_forest_line *l,
			  size_t side)
{
	return fabs(view_forest_share(t, l, side) - view_forest_share(t, l, 0)) <=
	       view_forest_noise(t, l, side);
}

/* ---- order -------------------------------------------------------------------------------------- */

/* Whether it is shown: it is large enough somewhere, and it or what it calls moved. */
static bool is_shown(const struct view_forest *t, uint32_t node)
{
	const struct tree_node *n = &t->nodes.v[node];
	bool large = false, moved = !t->o.significant;

	for (size_t i = 0; i < t->nr_sides; i++) {
		large |= view_forest_share(t, &n->pub, i) >= t->o.min_percent;
		moved |= i && !view_forest_is_noise(t, &n->pub, i);
	}
	for (uint32_t c = n->child; large && !moved && c != ID_NONE; c = t->nodes.v[c].next)
		moved = is_shown(t, c);
	return large && moved;
}

/* The one that moved most, then the largest; what is alike in both, by name. */
static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct view_forest *t = ctx;
	const struct tree_node *x = &t->nodes.v[*(const uint32_t *)a];
	const struct tree_node *y = &t->nodes.v[*(const uint32_t *)b];

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return strcmp(x->pub.name, y->pub.name);
}

static double rank_of(const struct view_forest *t, const struct view_forest_line *l)
{
	double most = 0, largest = 0;

	for (size_t i = 0; i < t->nr_sides; i++) {
		double s = view_forest_share(t, l, i);

		most = fmax(most, fabs(s - view_forest_share(t, l, 0)));
		largest = fmax(largest, s);
	}
	return most * 1000 + largest;
}

/* Depth first, without calling itself: stacks may be thousands deep. */
static int put_in_order(struct view_forest *t)
{
	VEC(uint32_t) todo = { 0 };
	int ret = vec_push(&todo, 0);

	while (!ret && todo.n) {
		uint32_t node = todo.v[--todo.n];
		size_t first = todo.n, n;

		if (node)
			ret = vec_push(&t->order, node);
		for (uint32_t c = t->nodes.v[node].child; !ret && c != ID_NONE;
		     c = t->nodes.v[c].next) {
			t->nodes.v[c].rank = rank_of(t, &t->nodes.v[c].pub);
			if (is_shown(t, c))
				ret = vec_push(&todo, c);
		}
		n = todo.n - first;
		if (n > 1)
			qsort_r(todo.v + first, n, sizeof(*todo.v), by_rank, t);
		for (size_t i = 0; i < n / 2; i++) {
			uint32_t swap = todo.v[first + i];

			todo.v[first + i] = todo.v[todo.n - 1 - i];
			todo.v[todo.n - 1 - i] = swap;
		}
	}
	vec_free(&todo);
	return ret;
}

/* ---- all ---------------------------------------------------------------------------------------- */

int view_forest_new(struct view_forest **out, size_t nr_sides, const struct view_forest_opts *o,
		    struct err *e)
{
	struct view_forest *t = *out = calloc(1, sizeof(*t));
	uint32_t top;

	if (t) {
		t->o = *o;
		t->nr_sides = nr_sides;
		t->total = calloc(nr_sides, sizeof(*t->total));
		t->samples = calloc(nr_sides, sizeof(*t->samples));
	}
	if (!t || !t->total || !t->samples || new_node(t, ID_NONE, ID_NONE, &top))
		return err_set(e, -ENOMEM, "no memory for call trees");
	return 0;
}

int view_forest_sort(struct view_forest *t, struct err *e)
{
	return put_in_order(t) ? err_set(e, -ENOMEM, "no memory for call trees") : 0;
}

void view_forest_free(struct view_forest *t)
{
	if (!t)
		return;
	free(t->total);
	free(t->samples);
	arena_free(&t->mem);
	intern_free(&t->names);
	vec_free(&t->nodes);
	vec_free(&t->order);
	htab_free(&t->tab);
	free(t);
}

size_t view_forest_nr(const struct view_forest *t)
{
	return t->order.n;
}

const struct view_forest_line *view_forest_at(const struct view_forest *t, size_t i)
{
	return &t->nodes.v[t->order.v[i]].pub;
}

uint64_t view_forest_samples(const struct view_forest *t, size_t side)
{
	return t->samples[side];
}
