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

#include "profile-int.h"

struct elem {
	uint32_t node, frame;
	uint64_t period;
	uint32_t count;
	bool own;      /* caller order: weight is plus */
	uint32_t leaf; /* callee order: whose chain this is */
};

typedef VEC(struct elem) elems;

struct view {
	struct profile *p;
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

static int push(struct view *v, elems *out, uint32_t node, uint64_t period, uint32_t count,
		bool own, uint32_t leaf)
{
	struct elem e = {
		.node = node, .period = period, .count = count, .own = own, .leaf = leaf
	};

	if (!count)
		return 0;
	e.frame = v->p->ch.nodes.v[node].frame;
	return vec_push(out, e);
}

static int push_child(struct view *v, elems *out, uint32_t node, bool own)
{
	const struct node_own *plus = &v->p->ch.plus[node];
	const struct node_end *n = &v->p->ch.end[node];

	if (own)
		return push(v, out, node, plus->period, plus->count, true, ID_NONE);
	return push(v, out, node, n->total - plus->period, n->count - plus->count, false, ID_NONE);
}

static int next_level(struct view *v, const elems *in, elems *out)
{
	const struct chains *c = &v->p->ch;

	vec_for_each (e, in) {
		uint32_t up = c->nodes.v[e->node].parent;

		if (!v->caller) {
			if (!(up & NODE_ROOT) &&
			    push(v, out, up, e->period, e->count, e->own, e->leaf))
				return -ENOMEM;
			continue;
		}
		for (uint32_t i = c->end[e->node].child; i != ID_NONE; i = c->end[i].next)
			if (push_child(v, out, i, e->own))
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

static int make_groups(elems *e, groups *g)
{
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
	return 0;
}

/* Siblings: the heaviest first, equal ones by object, as these came, and by address. */
static int cmp_group(const void *a, const void *b, void *ctx)
{
	const struct profile *p = ctx;
	const struct group *x = a, *y = b;
	const struct frame_info *f = &p->frames.v[x->frame], *g = &p->frames.v[y->frame];

	if (x->cumul != y->cumul)
		return x->cumul > y->cumul ? -1 : 1;
	if (f->dso != g->dso)
		return f->dso < g->dso ? -1 : 1;
	if (f->order != g->order)
		return f->order > g->order ? -1 : 1;
	return x->frame < y->frame ? -1 : 1;
}

/* What branches say at the frame that @e are about; nothing outside of branch history. */
static int push_frame(struct view *v, uint32_t frame, const elems *e)
{
	const struct chains *c = &v->p->ch;
	struct branch_note sum = { 0 };

	if (vec_push(&v->path, frame))
		return -ENOMEM;
	if (!v->p->o.history)
		return 0;
	vec_for_each (x, e) {
		uint32_t at = c->end[x->node].depth - 1u;

		/* Of what a caller's samples say there is no sum by node. */
		if (x->leaf == ID_NONE && !x->own)
			sum.unknown = true;
		else if (x->leaf == ID_NONE)
			prof_note_add(&sum, &c->node_notes[x->node]);
		else if (x->leaf < c->notes.n && at < c->notes.v[x->leaf].nr)
			prof_note_add(&sum, &c->notes.v[x->leaf].v[at]);
	}
	return vec_push(&v->notes, sum);
}

static int copy_frames(struct view *v, size_t first, struct call_node *node)
{
	struct arena *a = &v->p->tree;

	node->nr_frames = (uint32_t)(v->path.n - first);
	node->frames = arena_memdup(a, v->path.v + first, node->nr_frames * sizeof(*node->frames));
	if (node->frames && v->notes.n >= v->path.n)
		node->notes =
			arena_memdup(a, v->notes.v + first, node->nr_frames * sizeof(*node->notes));
	return node->frames ? 0 : -ENOMEM;
}

/* ---- building -------------------------------------------------------------------------------- */

static int build(struct view *v, elems *in, struct call_node *node);

static int add_flat(struct view *v, const struct call_node *node)
{
	struct call_node leaf = {
		.hit = node->hit,
		.cumul = node->cumul,
		.count = node->count,
		.cumul_count = node->cumul_count,
	};

	if (!node->count || !node->hit || node->hit < v->min_hit)
		return 0;
	return copy_frames(v, 0, &leaf) ? -ENOMEM : vec_push(&v->found, leaf);
}

/* The subtree of one group, in place of @node. */
static int build_group(struct view *v, const elems *all, const struct group *g,
		       struct call_node *node)
{
	elems sub = { .v = all->v + g->at, .n = g->n, .cap = g->n };
	size_t path = v->path.n;
	int ret;

	node->cumul = g->cumul;
	node->cumul_count = g->count;
	if (push_frame(v, g->frame, &sub))
		return -ENOMEM;
	ret = build(v, &sub, node);
	v->path.n = path;
	v->notes.n = min_u64(v->notes.n, path);
	return ret;
}

static int build_children(struct view *v, const elems *kids, groups *g, struct call_node *node)
{
	uint64_t min = v->min_hit, below = node->cumul - node->hit;
	uint32_t nr = 0;
	int ret = 0;

	if (v->p->o.chain.style == CHAIN_FRACTAL)
		min = (uint64_t)ceil((double)below * v->p->o.chain.min_percent / 100.0);
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].cumul >= min)
			g->v[nr++] = g->v[i];
	g->n = nr;
	if (nr > 1)
		qsort_r(g->v, nr, sizeof(*g->v), cmp_group, v->p);
	node->child = nr ? arena_alloc(&v->p->tree, nr * sizeof(*node->child)) : NULL;
	if (nr && !node->child)
		return -ENOMEM;
	node->nr_children = nr;
	for (uint32_t i = 0; !ret && i < nr; i++)
		ret = build_group(v, kids, &g->v[i], &node->child[i]);
	return ret;
}

/*
 * @in are the elements of the node's last frame so far (the path ends in it). Frames are added
 * while there is one way on and nothing ends here; then come own hits and children.
 */
static int build(struct view *v, elems *in, struct call_node *node)
{
	size_t first = v->path.n ? v->path.n - 1 : 0;
	elems kids = { 0 }, old = { 0 };
	groups g = { 0 };
	int ret;

	for (;;) {
		uint64_t below = 0;
		uint32_t count = 0;

		g.n = 0;
		ret = next_level(v, old.v ? &old : in, &kids);
		if (!ret)
			ret = make_groups(&kids, &g);
		if (ret)
			goto out;
		for (size_t i = 0; i < g.n; i++) {
			below += g.v[i].cumul;
			count += g.v[i].count;
		}
		node->hit = node->cumul - below;
		node->count = node->cumul_count - count;
		if (g.n != 1 || node->count)
			break;
		ret = push_frame(v, g.v[0].frame, &kids);
		if (ret)
			goto out;
		vec_free(&old);
		old = kids;
		kids = (elems){ 0 };
	}
	ret = copy_frames(v, first, node);
	if (!ret)
		ret = build_children(v, &kids, &g, node);
	if (!ret && v->flat)
		ret = add_flat(v, node);
out:
	vec_free(&g);
	vec_free(&kids);
	vec_free(&old);
	return ret;
}

/* ---- a row's first level --------------------------------------------------------------------- */

static void sum_note(struct chains *c, uint32_t node, uint32_t leaf, bool add)
{
	uint32_t at = c->end[node].depth - 1u;

	if (!add)
		memset(&c->node_notes[node], 0, sizeof(*c->node_notes));
	else if (leaf < c->notes.n && at < c->notes.v[leaf].nr)
		prof_note_add(&c->node_notes[node], &c->notes.v[leaf].v[at]);
}

/* Adds a leaf of the open row to the nodes above it; the outermost is noted when it is new. */
static int add_leaf(struct profile *p, uint32_t leaf)
{
	struct chains *c = &p->ch;
	const struct leaf *l = &c->leafs.v[leaf];
	uint32_t top = ID_NONE;
	bool new = false;

	for (uint32_t n = l->node; !(n & NODE_ROOT); n = c->nodes.v[n].parent) {
		top = n;
		new = !c->plus[n].count;
		c->plus[n].period += l->period;
		c->plus[n].count += l->count;
		if (p->o.history)
			sum_note(c, n, leaf, true);
	}
	return new ? vec_push(&c->tops, top) : 0;
}

static void drop_leaf(struct profile *p, uint32_t leaf)
{
	struct chains *c = &p->ch;

	for (uint32_t n = c->leafs.v[leaf].node; !(n & NODE_ROOT); n = c->nodes.v[n].parent) {
		c->plus[n] = (struct node_own){ 0 };
		if (p->o.history)
			sum_note(c, n, leaf, false);
	}
}

static int start_caller(struct view *v, elems *out)
{
	const struct chains *c = &v->p->ch;
	const struct chain_list *nodes = &c->tree_nodes;
	int ret = 0;

	for (size_t i = 0; !ret && i < c->tops.n; i++)
		ret = push_child(v, out, c->tops.v[i], true);
	if (!v->p->o.children)
		return ret;
	for (uint32_t i = nodes->at[v->tree]; !ret && i < nodes->at[v->tree + 1]; i++)
		if (c->nodes.v[nodes->v[i]].up == ID_NONE)
			ret = push_child(v, out, nodes->v[i], false);
	return ret;
}

static int cmp_node(const void *a, const void *b)
{
	const struct elem *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

/* Callers of this row: each sample from its innermost pass through the row. */
static int start_passes(struct view *v, elems *out)
{
	const struct chains *c = &v->p->ch;
	const struct chain_list *nodes = &c->tree_nodes;
	elems pass = { 0 };
	int ret = 0;

	for (uint32_t i = nodes->at[v->tree]; !ret && i < nodes->at[v->tree + 1]; i++) {
		uint32_t n = nodes->v[i];
		struct elem e = { n,
				  0,
				  c->end[n].total - c->plus[n].period,
				  c->end[n].count - c->plus[n].count,
				  false,
				  ID_NONE };

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
		up->period -= c->end[pass.v[i].node].total - c->plus[pass.v[i].node].period;
		up->count -= c->end[pass.v[i].node].count - c->plus[pass.v[i].node].count;
	}
	for (size_t i = 0; !ret && i < pass.n; i++)
		ret = push(v, out, pass.v[i].node, pass.v[i].period, pass.v[i].count, false,
			   ID_NONE);
	vec_free(&pass);
	return ret;
}

static int start_callee(struct view *v, elems *out)
{
	const struct chains *c = &v->p->ch;
	const struct chain_list *leafs = &c->tree_leafs;
	int ret = 0;

	for (uint32_t i = leafs->at[v->tree]; !ret && i < leafs->at[v->tree + 1]; i++) {
		const struct leaf *l = &c->leafs.v[leafs->v[i]];

		ret = push(v, out, l->node, l->period, l->count, true, leafs->v[i]);
	}
	return !ret && v->p->o.children ? start_passes(v, out) : ret;
}

static int cmp_found(const void *a, const void *b)
{
	const struct call_node *x = a, *y = b;

	if (x->hit != y->hit)
		return x->hit > y->hit ? -1 : 1;
	return x->nr_children < y->nr_children ? -1 : 1;
}

/* Chains of equal weight stay in the order of the tree: nr_children holds it while sorting. */
static int take_found(struct view *v, struct call_node *root)
{
	root->nr_children = 0;
	root->child = NULL;
	if (!v->found.n)
		return 0;
	root->child = arena_memdup(&v->p->tree, v->found.v, v->found.n * sizeof(*v->found.v));
	if (!root->child)
		return -ENOMEM;
	root->nr_children = (uint32_t)v->found.n;
	for (uint32_t i = 0; i < root->nr_children; i++)
		root->child[i].nr_children = i;
	qsort(root->child, root->nr_children, sizeof(*root->child), cmp_found);
	for (uint32_t i = 0; i < root->nr_children; i++)
		root->child[i].nr_children = 0;
	return 0;
}

static int open_row(struct view *v, struct call_node *root)
{
	elems first = { 0 };
	groups g = { 0 };
	int ret = v->caller ? start_caller(v, &first) : start_callee(v, &first);

	if (!ret)
		ret = make_groups(&first, &g);
	for (size_t i = 0; i < g.n; i++) {
		root->cumul += g.v[i].cumul;
		root->cumul_count += g.v[i].count;
	}
	if (!ret)
		ret = build_children(v, &first, &g, root);
	if (!ret && v->flat)
		ret = take_found(v, root);
	vec_free(&first);
	vec_free(&g);
	return ret;
}

static uint64_t min_hit(const struct profile *p, const struct profile_row *row)
{
	const struct profile_totals *t = profile_totals(p, profile_row_event(p, row));
	uint64_t total = p->o.relative ? t->filtered_period : t->period;

	return (uint64_t)((double)total * (p->o.chain.min_percent / 100.0));
}

bool prof_has_tree(const struct profile *p, const struct profile_row *row)
{
	return p->o.chain.style == CHAIN_FRACTAL ||
	       max_u64(p->o.children ? row->acc : 0, row->period) >= min_hit(p, row);
}

static int cmp_u32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Memory for numbers of the open row's own samples. */
static int plus_room(struct profile *p)
{
	struct chains *c = &p->ch;

	if (!c->plus)
		c->plus = calloc(c->nodes.n + 1, sizeof(*c->plus));
	if (p->o.history && !c->node_notes)
		c->node_notes = calloc(c->nodes.n + 1, sizeof(*c->node_notes));
	return c->plus && (c->node_notes || !p->o.history) ? 0 : -ENOMEM;
}

int profile_tree(struct profile *p, const struct profile_row *row, struct call_node *root)
{
	struct chains *c = &p->ch;
	const struct chain_list *leafs = &c->tree_leafs;
	struct view v = { .p = p, .caller = p->o.chain.caller };
	const uint32_t *tree;
	int ret;

	memset(root, 0, sizeof(*root));
	if (!p->o.use_chains || p->o.chain.style == CHAIN_NONE || !c->trees.n ||
	    !prof_has_tree(p, row))
		return 0;
	tree = bsearch(&row->idx, c->trees.v, c->trees.n, sizeof(*tree), cmp_u32);
	if (!tree)
		return 0;
	v.flat = p->o.chain.style == CHAIN_FLAT || p->o.chain.style == CHAIN_FOLDED;
	v.min_hit = min_hit(p, row);
	v.tree = (uint32_t)(tree - c->trees.v);
	ret = plus_room(p);
	if (ret)
		return ret;
	arena_free(&p->tree);
	c->tops.n = 0;
	for (uint32_t i = leafs->at[v.tree]; !ret && i < leafs->at[v.tree + 1]; i++)
		ret = add_leaf(p, leafs->v[i]);
	if (!ret)
		ret = open_row(&v, root);
	for (uint32_t i = leafs->at[v.tree]; i < leafs->at[v.tree + 1]; i++)
		drop_leaf(p, leafs->v[i]);
	vec_free(&v.path);
	vec_free(&v.notes);
	vec_free(&v.found);
	return ret;
}
