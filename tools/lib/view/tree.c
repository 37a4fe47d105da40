// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call trees of rows, made when a row is printed and only as deep as it is shown.
 *
 * A row's tree is a view on the trie. Its own samples (leafs) show their whole chain; samples in
 * which it is a caller show the chain from there on. What belongs to which is a weight per node:
 * `plus` are the row's own samples below a node, total - plus are the others'. A level of the
 * tree is a list of elements (node, weight) with equal frames; the next level is what their
 * children (caller order) or parents (callee order) come to, grouped by frame. Groups below the
 * threshold are never looked into.
 */
#include <math.h>
#include <stdatomic.h>

#include "base/side.h"
#include "view-int.h"

struct elem {
	uint32_t node, frame;
	uint64_t period;
	uint32_t count;
	bool own; /* caller order: weight is plus */
	bool mixed; /* caller order, the others': some below are the row's own, so plus is looked at */
	uint32_t leaf; /* callee order: whose chain this is */
};

typedef VEC(struct elem) elems;

struct maker {
	struct view *view;
	const struct table *t;
	struct tree_own *own;
	struct arena *mem; /* the caller's */
	bool caller, flat;
	uint32_t tree; /* in chains.trees */
	uint64_t min_hit;
	VEC(uint32_t) path;	       /* flat: frames down to here */
	VEC(struct branch_note) notes; /* of these frames */
	VEC(struct call_node) found;
};

struct group {
	size_t at, n;
	uint64_t cumul;
	uint32_t count, frame;
};

typedef VEC(struct group) groups;

static int push(struct maker *mk, elems *out, uint32_t node, uint64_t period, uint32_t count,
		bool own, uint32_t leaf)
{
	struct elem e = {
		.node = node, .period = period, .count = count, .own = own, .leaf = leaf
	};

	if (!count)
		return 0;
	e.frame = mk->t->ch.nodes.v[node].frame;
	return vec_push(out, e);
}

/* Memory of plus is as large as the trie's: below nodes without samples of the row's own it is left alone. */
static int push_child(struct maker *mk, elems *out, uint32_t node, bool own, bool mixed)
{
	static const struct node_own none;
	const struct node_own *plus = own || mixed ? &mk->own->plus[node] : &none;
	const struct node_end *n = &mk->t->ch.end[node];
	size_t had = out->n;

	if (own)
		return push(mk, out, node, plus->period, plus->count, true, ID_NONE);
	if (push(mk, out, node, n->total - plus->period, n->count - plus->count, false, ID_NONE))
		return -ENOMEM;
	if (out->n > had)
		out->v[had].mixed = plus->count;
	return 0;
}

static int next_level(struct maker *mk, const elems *in, elems *out)
{
	const struct chains *c = &mk->t->ch;

	vec_for_each (e, in) {
		uint32_t up = c->nodes.v[e->node].parent;

		if (!mk->caller) {
			if (!(up & NODE_ROOT) &&
			    push(mk, out, up, e->period, e->count, e->own, e->leaf))
				return -ENOMEM;
			continue;
		}
		for (uint32_t i = c->end[e->node].child; i != ID_NONE; i = c->end[i].next)
			if (push_child(mk, out, i, e->own, e->mixed))
				return -ENOMEM;
	}
	return 0;
}

/* ---- grouping -------------------------------------------------------------------------------- */

static int cmp_elem(const void *a, const void *b)
{
	const struct elem *x = a, *y = b;

	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

/* What a level's elements come to. */
struct level {
	uint64_t period;
	uint32_t count;
	bool alike; /* all are of one frame */
};

static struct level add_up(const elems *e)
{
	struct level l = { .alike = e->n };

	vec_for_each (x, e) {
		l.period += x->period;
		l.count += x->count;
		l.alike &= x->frame == e->v[0].frame;
	}
	return l;
}

#define LIGHT_BITS 11
#define LIGHT_MIN  64 /* fewer elements are soon sorted */

/*
 * Leaves away elements of groups lighter than @min. Most of a wide level are, and sorting all by frame is what takes the
 * time: so sums are made by a few bits of a frame's hash, and no group is heavier than the sum that it is in, which ends at the largest
 * number: weights are what a file says. Levels are made by calls within calls, and each would have room for the sums on its stack
 * were this a part of them.
 */
static __attribute__((noinline)) void drop_light(elems *e, uint64_t min)
{
	uint64_t sum[1u << LIGHT_BITS] = { 0 };
	size_t n = 0;

	vec_for_each (x, e) {
		uint64_t *s = &sum[hash_slot(x->frame, LIGHT_BITS)];

		if (__builtin_add_overflow(*s, x->period, s))
			*s = UINT64_MAX;
	}
	for (size_t i = 0; i < e->n; i++)
		if (sum[hash_slot(e->v[i].frame, LIGHT_BITS)] >= min)
			e->v[n++] = e->v[i];
	e->n = n;
}

/* Those of @min or more. */
static int make_groups(elems *e, uint64_t min, groups *g)
{
	uint32_t nr = 0;

	if (min && e->n >= LIGHT_MIN)
		drop_light(e, min);
	if (e->n > 1)
		qsort(e->v, e->n, sizeof(*e->v), cmp_elem);
	for (size_t i = 0; i < e->n; i++) {
		struct group *last = g->n ? &g->v[g->n - 1] : NULL;

		if (!last || last->frame != e->v[i].frame) {
			struct group new = { .at = i, .frame = e->v[i].frame };

			if (vec_push(g, new))
				return -ENOMEM;
			last = &g->v[g->n - 1];
		}
		last->n++;
		last->cumul += e->v[i].period;
		last->count += e->v[i].count;
	}
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].cumul >= min)
			g->v[nr++] = g->v[i];
	g->n = nr;
	return 0;
}

/* Siblings: the heaviest first, equal ones by object, as these came, and by address. */
static int cmp_group(const void *a, const void *b, void *ctx)
{
	const struct table *t = ctx;
	const struct group *x = a, *y = b;
	const struct frame_info *f = &t->keys.frames.v[x->frame], *g = &t->keys.frames.v[y->frame];

	if (x->cumul != y->cumul)
		return x->cumul > y->cumul ? -1 : 1;
	if (f->dso != g->dso)
		return f->dso < g->dso ? -1 : 1;
	if (f->order != g->order)
		return f->order > g->order ? -1 : 1;
	return x->frame < y->frame ? -1 : 1;
}

/* What branches say at the frame that @e are about; nothing outside of branch history. */
static int push_frame(struct maker *mk, uint32_t frame, const elems *e)
{
	const struct chains *c = &mk->t->ch;
	struct branch_note sum = { 0 };

	if (vec_push(&mk->path, frame))
		return -ENOMEM;
	if (!mk->t->keys.o.history)
		return 0;
	vec_for_each (x, e) {
		uint32_t at = c->end[x->node].depth - 1u;

		/* Of what a caller's samples say there is no sum by node. */
		if (x->leaf == ID_NONE && !x->own)
			sum.unknown = true;
		else if (x->leaf == ID_NONE)
			keys_note_add(&sum, &mk->own->notes[x->node]);
		else if (x->leaf < c->notes.n && at < c->notes.v[x->leaf].nr)
			keys_note_add(&sum, &c->notes.v[x->leaf].v[at]);
	}
	return vec_push(&mk->notes, sum);
}

static int copy_frames(struct maker *mk, size_t first, struct call_node *node)
{
	struct arena *a = mk->mem;

	node->nr_frames = (uint32_t)(mk->path.n - first);
	node->frames = arena_memdup(a, mk->path.v + first, node->nr_frames * sizeof(*node->frames));
	if (node->frames && mk->notes.n >= mk->path.n)
		node->notes = arena_memdup(a, mk->notes.v + first,
					   node->nr_frames * sizeof(*node->notes));
	return node->frames ? 0 : -ENOMEM;
}

/* ---- building -------------------------------------------------------------------------------- */

static int build(struct maker *mk, elems *in, struct call_node *node);

static int add_flat(struct maker *mk, const struct call_node *node)
{
	struct call_node leaf = {
		.hit = node->hit,
		.cumul = node->cumul,
		.count = node->count,
		.cumul_count = node->cumul_count,
	};

	if (!node->count || !node->hit || node->hit < mk->min_hit)
		return 0;
	return copy_frames(mk, 0, &leaf) ? -ENOMEM : vec_push(&mk->found, leaf);
}

/* The subtree of one group, in place of @node. */
static int build_group(struct maker *mk, const elems *all, const struct group *g,
		       struct call_node *node)
{
	elems sub = { .v = all->v + g->at, .n = g->n, .cap = g->n };
	size_t path = mk->path.n;
	int ret;

	node->cumul = g->cumul;
	node->cumul_count = g->count;
	if (push_frame(mk, g->frame, &sub))
		return -ENOMEM;
	ret = build(mk, &sub, node);
	mk->path.n = path;
	mk->notes.n = min_u64(mk->notes.n, path);
	return ret;
}

static int build_children(struct maker *mk, elems *kids, struct call_node *node)
{
	uint64_t min = mk->min_hit, below = node->cumul - node->hit;
	groups g = { 0 };
	int ret;

	if (mk->view->o.chain.style == CHAIN_FRACTAL)
		min = (uint64_t)ceil((double)below * mk->view->o.chain.min_percent / 100.0);
	ret = make_groups(kids, min, &g);
	if (g.n > 1)
		qsort_r(g.v, g.n, sizeof(*g.v), cmp_group, (void *)mk->t);
	node->child = g.n ? arena_alloc(mk->mem, g.n * sizeof(*node->child)) : NULL;
	if (g.n && !node->child)
		ret = -ENOMEM;
	node->nr_children = ret ? 0 : (uint32_t)g.n;
	for (uint32_t i = 0; !ret && i < g.n; i++)
		ret = build_group(mk, kids, &g.v[i], &node->child[i]);
	vec_free(&g);
	return ret;
}

/*
 * @in are the elements of the node's last frame so far (the path ends in it). Frames are added
 * while there is one way on and nothing ends here; then come own hits and children.
 */
static int build(struct maker *mk, elems *in, struct call_node *node)
{
	size_t first = mk->path.n ? mk->path.n - 1 : 0;
	elems kids = { 0 }, old = { 0 };
	int ret;

	for (;;) {
		struct level l;

		ret = next_level(mk, old.v ? &old : in, &kids);
		if (ret)
			goto out;
		l = add_up(&kids);
		node->hit = node->cumul - l.period;
		node->count = node->cumul_count - l.count;
		if (!kids.n || !l.alike || node->count)
			break;
		ret = push_frame(mk, kids.v[0].frame, &kids);
		if (ret)
			goto out;
		vec_free(&old);
		old = kids;
		kids = (elems){ 0 };
	}
	ret = copy_frames(mk, first, node);
	if (!ret)
		ret = build_children(mk, &kids, node);
	if (!ret && mk->flat)
		ret = add_flat(mk, node);
out:
	vec_free(&kids);
	vec_free(&old);
	return ret;
}

/* ---- a row's first level --------------------------------------------------------------------- */

/* Adds a leaf of the open row to the nodes above it; the outermost is noted when it is new. */
static int add_leaf(const struct view *v, struct tree_own *own, uint32_t leaf)
{
	const struct chains *c = &v->t->ch;
	const struct leaf *l = &c->leafs.v[leaf];
	const struct note_list *notes = leaf < c->notes.n ? &c->notes.v[leaf] : NULL;
	uint32_t top = ID_NONE;
	bool new = false;

	for (uint32_t n = l->node; !(n & NODE_ROOT); n = c->nodes.v[n].parent) {
		uint32_t at = c->end[n].depth - 1u;

		top = n;
		new = !own->plus[n].count;
		own->plus[n].period += l->period;
		own->plus[n].count += l->count;
		if (v->t->keys.o.history && notes && at < notes->nr)
			keys_note_add(&own->notes[n], &notes->v[at]);
	}
	return new ? vec_push(&own->tops, top) : 0;
}

static void drop_leaf(const struct view *v, struct tree_own *own, uint32_t leaf)
{
	const struct chains *c = &v->t->ch;

	for (uint32_t n = c->leafs.v[leaf].node; !(n & NODE_ROOT); n = c->nodes.v[n].parent) {
		own->plus[n] = (struct node_own){ 0 };
		if (v->t->keys.o.history)
			own->notes[n] = (struct branch_note){ 0 };
	}
}

static int start_caller(struct maker *mk, elems *out)
{
	const struct chains *c = &mk->t->ch;
	const struct chain_list *nodes = &mk->view->trees.nodes;
	__typeof__(&mk->own->tops) tops = &mk->own->tops;
	int ret = 0;

	/* Without an outermost node the row has no samples of its own. */

	for (size_t i = 0; !ret && i < tops->n; i++)
		ret = push_child(mk, out, tops->v[i], true, false);
	if (!mk->view->o.children)
		return ret;
	for (uint32_t i = nodes->at[mk->tree]; !ret && i < nodes->at[mk->tree + 1]; i++)
		if (c->nodes.v[nodes->v[i]].up == ID_NONE)
			ret = push_child(mk, out, nodes->v[i], false, tops->n);
	return ret;
}

static int cmp_node(const void *a, const void *b)
{
	const struct elem *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

/* Callers of this row: each sample from its innermost pass through the row. */
static int start_passes(struct maker *mk, elems *out)
{
	const struct chains *c = &mk->t->ch;
	const struct chain_list *nodes = &mk->view->trees.nodes;
	const struct tree_own *t = mk->own;
	elems pass = { 0 };
	int ret = 0;

	for (uint32_t i = nodes->at[mk->tree]; !ret && i < nodes->at[mk->tree + 1]; i++) {
		uint32_t n = nodes->v[i];
		struct elem e = {
			.node = n,
			.period = c->end[n].total - t->plus[n].period,
			.count = c->end[n].count - t->plus[n].count,
			.leaf = ID_NONE,
		};

		ret = vec_push(&pass, e);
	}
	for (size_t i = 0; !ret && i < pass.n; i++) {
		struct elem key = { .node = c->nodes.v[pass.v[i].node].up }, *up;

		if (key.node == ID_NONE)
			continue;
		/* Numbers ascend in the list, and so they do from parent to child. */
		up = bsearch(&key, pass.v, pass.n, sizeof(key), cmp_node);
		if (!up)
			continue;
		up->period -= c->end[pass.v[i].node].total - t->plus[pass.v[i].node].period;
		up->count -= c->end[pass.v[i].node].count - t->plus[pass.v[i].node].count;
	}
	for (size_t i = 0; !ret && i < pass.n; i++)
		ret = push(mk, out, pass.v[i].node, pass.v[i].period, pass.v[i].count, false,
			   ID_NONE);
	vec_free(&pass);
	return ret;
}

static int start_callee(struct maker *mk, elems *out)
{
	const struct chains *c = &mk->t->ch;
	const struct chain_list *leafs = &mk->view->trees.leafs;
	int ret = 0;

	for (uint32_t i = leafs->at[mk->tree]; !ret && i < leafs->at[mk->tree + 1]; i++) {
		const struct leaf *l = &c->leafs.v[leafs->v[i]];

		ret = push(mk, out, l->node, l->period, l->count, true, leafs->v[i]);
	}
	return !ret && mk->view->o.children ? start_passes(mk, out) : ret;
}

static int cmp_found(const void *a, const void *b)
{
	const struct call_node *x = a, *y = b;

	if (x->hit != y->hit)
		return x->hit > y->hit ? -1 : 1;
	return x->nr_children < y->nr_children ? -1 : 1;
}

/* Chains of equal weight stay in the order of the tree: nr_children holds it while sorting. */
static int take_found(struct maker *mk, struct call_node *root)
{
	root->nr_children = 0;
	root->child = NULL;
	if (!mk->found.n)
		return 0;
	root->child = arena_memdup(mk->mem, mk->found.v, mk->found.n * sizeof(*mk->found.v));
	if (!root->child)
		return -ENOMEM;
	root->nr_children = (uint32_t)mk->found.n;
	for (uint32_t i = 0; i < root->nr_children; i++)
		root->child[i].nr_children = i;
	qsort(root->child, root->nr_children, sizeof(*root->child), cmp_found);
	for (uint32_t i = 0; i < root->nr_children; i++)
		root->child[i].nr_children = 0;
	return 0;
}

static int open_row(struct maker *mk, struct call_node *root)
{
	elems first = { 0 };
	int ret = mk->caller ? start_caller(mk, &first) : start_callee(mk, &first);

	if (!ret) {
		struct level l = add_up(&first);

		root->cumul += l.period;
		root->cumul_count += l.count;
		ret = build_children(mk, &first, root);
	}
	if (!ret && mk->flat)
		ret = take_found(mk, root);
	vec_free(&first);
	return ret;
}

/* Memory for numbers of the open row's own samples, which lie anywhere in the trie. */
static int own_room(const struct view *v, struct tree_own *own)
{
	size_t n = v->t->ch.nodes.n + 1;

	if (!own->plus) {
		own->plus = calloc(n, sizeof(*own->plus));
		mem_large(own->plus, n * sizeof(*own->plus));
	}
	if (v->t->keys.o.history && !own->notes)
		own->notes = calloc(n, sizeof(*own->notes));
	return own->plus && (own->notes || !v->t->keys.o.history) ? 0 : -ENOMEM;
}

/* Once trees are listed. */
static int make_tree(struct view *v, struct tree_own *own, const struct keys_row *row,
		     struct call_tree *tree)
{
	const struct chain_list *leafs = &v->trees.leafs;
	enum chain_style style = v->o.chain.style;
	struct maker mk = {
		.view = v, .t = v->t, .own = own, .mem = &tree->mem, .caller = v->o.chain.caller
	};
	int64_t at = view_tree_find(v, row);
	int ret;

	if (at < 0)
		return 0;
	mk.flat = style == CHAIN_FLAT || style == CHAIN_FOLDED;
	mk.min_hit = view_tree_min(v, row);
	mk.tree = (uint32_t)at;
	ret = own_room(v, own);
	if (ret)
		return ret;
	own->tops.n = 0;
	for (uint32_t i = leafs->at[at]; !ret && i < leafs->at[at + 1]; i++)
		ret = add_leaf(v, own, leafs->v[i]);
	if (!ret)
		ret = open_row(&mk, &tree->root);
	for (uint32_t i = leafs->at[at]; i < leafs->at[at + 1]; i++)
		drop_leaf(v, own, leafs->v[i]);
	vec_free(&mk.path);
	vec_free(&mk.notes);
	vec_free(&mk.found);
	return ret;
}

int view_tree(struct view *v, const struct keys_row *row, struct call_tree *tree)
{
	view_tree_free(tree);
	if (!view_has_tree(v, row))
		return 0;
	return view_tree_list(v) ?: make_tree(v, &v->trees.own[0], row, tree);
}

/* ---- several ---------------------------------------------------------------------------------- */

/* Smaller tries and rows are not worth a thread; trees of thinner branches may be too large to keep some. */
#define SIDE_NODES   10000
#define SIDE_SHARE   200 /* 0.5 % */
#define SIDE_PERCENT 0.1

bool view_tree_is_heavy(const struct view *v, const struct keys_row *row)
{
	uint64_t total = view_totals(v, table_row_event(v->t, row))->period;

	return v->t->ch.nodes.n >= SIDE_NODES && v->o.chain.style != CHAIN_FRACTAL &&
	       v->o.chain.min_percent >= SIDE_PERCENT && view_has_tree(v, row) &&
	       max_u64(v->o.children ? row->acc : 0, row->period) >= total / SIDE_SHARE;
}

struct several {
	struct view *v;
	const struct keys_row *const *rows;
	struct call_tree *trees;
	atomic_int ret;
};

static void make_one(void *several, size_t i)
{
	struct several *s = several;

	if (make_tree(s->v, &s->v->trees.own[side_thread()], s->rows[i], &s->trees[i]))
		atomic_store(&s->ret, -ENOMEM);
}

int view_tree_several(struct view *v, const struct keys_row *const *rows, size_t nr,
		      struct call_tree *trees)
{
	struct several s = { .v = v, .rows = rows, .trees = trees };
	unsigned threads = (unsigned)min_u64(max_u64(v->o.jobs, 1), TREES_SIDE);
	int ret = view_tree_list(v);

	for (size_t i = 0; i < nr; i++)
		view_tree_free(&trees[i]);
	if (!ret)
		side_by_side(threads, nr, make_one, &s);
	return ret ?: atomic_load(&s.ret);
}

void view_tree_free(struct call_tree *tree)
{
	arena_free(&tree->mem);
	memset(&tree->root, 0, sizeof(tree->root));
}
