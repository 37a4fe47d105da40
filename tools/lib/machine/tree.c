// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorted slots in a tree of small arrays (a B+ tree), so that a new map costs the same whatever
 * was mapped before. Nodes are counted: a process that forks shares the whole tree with its child,
 * and whoever changes it then copies the nodes on the way down to the change and no others.
 *
 * What holds for every node below the root: it has at least one entry; all leaves are equally
 * deep; an entry's `start` is exactly that of the first slot under it. A node is split on the way
 * down, before it is too full, so that no step of an insertion has to be taken back when memory
 * runs out. Nodes that empty are dropped; others are not merged, for maps mostly come.
 */
#include <stdlib.h>

#include "machine/machine-int.h"

#define FIRST_CAP 4
#define MAX_CAP	  32

struct map_child {
	uint64_t start; /* of the first slot under @node */
	struct map_node *node;
};

struct map_node {
	uint32_t refs, count; /* slots in it and under it */
	uint16_t n, cap;
	bool leaf;
	union {
		struct map_slot slot[0];
		struct map_child child[0];
	};
};

static size_t entry_size(bool leaf)
{
	return leaf ? sizeof(struct map_slot) : sizeof(struct map_child);
}

static struct map_node *node_new(bool leaf, size_t cap)
{
	struct map_node *a = malloc(sizeof(*a) + cap * entry_size(leaf));

	if (a)
		*a = (struct map_node){ .refs = 1, .cap = (uint16_t)cap, .leaf = leaf };
	return a;
}

void tree_put(struct map_node *a, struct map_pool *pool)
{
	if (!a || --a->refs)
		return;
	for (size_t i = 0; i < a->n; i++) {
		if (a->leaf)
			map_put(pool, a->slot[i].map);
		else
			tree_put(a->child[i].node, pool);
	}
	free(a);
}

struct map_node *tree_share(struct map_node *a)
{
	if (a)
		a->refs++;
	return a;
}

/* Makes *@ap this tree's alone, with room for one more entry if that is possible at all. */
static int node_own(struct map_node **ap, struct map_pool *pool)
{
	struct map_node *old = *ap, *a;
	size_t cap = old->n < old->cap ? old->cap : old->cap * 2u;

	if (cap > MAX_CAP)
		cap = MAX_CAP;
	if (old->refs == 1 && cap == old->cap)
		return 0;
	if (old->refs == 1) {
		a = realloc(old, sizeof(*a) + cap * entry_size(old->leaf));
		if (!a)
			return -ENOMEM;
		a->cap = (uint16_t)cap;
		*ap = a;
		return 0;
	}
	a = node_new(old->leaf, cap);
	if (!a)
		return -ENOMEM;
	a->n = old->n;
	a->count = old->count;
	memcpy(a->slot, old->slot, old->n * entry_size(old->leaf));
	for (size_t i = 0; i < a->n; i++) {
		if (a->leaf)
			a->slot[i].map->refs++;
		else
			a->child[i].node->refs++;
	}
	tree_put(old, pool);
	*ap = a;
	return 0;
}

/* How many entries start at or before @at. */
static size_t entries_before(const struct map_node *a, uint64_t at)
{
	size_t lo = 0, n = a->n;

	while (n) {
		size_t half = n / 2, mid = lo + half;

		if ((a->leaf ? a->slot[mid].start : a->child[mid].start) <= at) {
			lo = mid + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

static uint64_t first_start(const struct map_node *a)
{
	return a->leaf ? a->slot[0].start : a->child[0].start;
}

/* ---- asking ------------------------------------------------------------------------------------ */

const struct map_slot *tree_before(const struct map_node *a, uint64_t at)
{
	size_t i;

	for (; a; a = a->child[i - 1].node) {
		i = entries_before(a, at);
		if (!i)
			return NULL;
		if (a->leaf)
			return &a->slot[i - 1];
	}
	return NULL;
}

const struct map_slot *tree_after(const struct map_node *a, uint64_t at)
{
	const struct map_node *right = NULL;

	while (a) {
		size_t i = entries_before(a, at);

		if (a->leaf && i < a->n)
			return &a->slot[i];
		if (a->leaf)
			break;
		if (i < a->n)
			right = a->child[i].node;
		a = i ? a->child[i - 1].node : NULL;
	}
	/* All of where @at would be lies before it: the next is the first one to the right. */
	while (right && !right->leaf)
		right = right->child[0].node;
	return right ? &right->slot[0] : NULL;
}

const struct map_slot *tree_at(const struct map_node *a, size_t i)
{
	if (!a || i >= a->count)
		return NULL;
	while (!a->leaf) {
		size_t k = 0;

		for (; i >= a->child[k].node->count; k++)
			i -= a->child[k].node->count;
		a = a->child[k].node;
	}
	return &a->slot[i];
}

/* ---- changing ---------------------------------------------------------------------------------- */

static void open_entry(struct map_node *a, size_t i)
{
	if (a->leaf)
		memmove(&a->slot[i + 1], &a->slot[i], (a->n - i) * sizeof(a->slot[0]));
	else
		memmove(&a->child[i + 1], &a->child[i], (a->n - i) * sizeof(a->child[0]));
	a->n++;
}

static void close_entry(struct map_node *a, size_t i)
{
	a->n--;
	if (a->leaf)
		memmove(&a->slot[i], &a->slot[i + 1], (a->n - i) * sizeof(a->slot[0]));
	else
		memmove(&a->child[i], &a->child[i + 1], (a->n - i) * sizeof(a->child[0]));
}

/* The upper half of the full child @i of @a, which has room, becomes the child behind it. */
static int split_child(struct map_node *a, size_t i)
{
	struct map_node *low = a->child[i].node, *high = node_new(low->leaf, MAX_CAP);
	size_t half = low->n / 2;

	if (!high)
		return -ENOMEM;
	high->n = (uint16_t)(low->n - half);
	low->n = (uint16_t)half;
	if (low->leaf)
		memcpy(high->slot, low->slot + half, high->n * sizeof(high->slot[0]));
	else
		memcpy(high->child, low->child + half, high->n * sizeof(high->child[0]));
	high->count = low->leaf ? high->n : 0;
	for (size_t k = 0; !low->leaf && k < high->n; k++)
		high->count += high->child[k].node->count;
	low->count -= high->count;
	open_entry(a, i + 1);
	a->child[i + 1] = (struct map_child){ first_start(high), high };
	return 0;
}

/* A root above the full one at *@root. */
static int grow_root(struct map_node **root)
{
	struct map_node *top = node_new(false, FIRST_CAP);

	if (!top)
		return -ENOMEM;
	top->n = 1;
	top->count = (*root)->count;
	top->child[0] = (struct map_child){ first_start(*root), *root };
	if (split_child(top, 0)) {
		free(top);
		return -ENOMEM;
	}
	*root = top;
	return 0;
}

/* *@ap is owned, has room, and takes @slot into its range. */
static int insert_below(struct map_node **ap, struct map_pool *pool, const struct map_slot *slot)
{
	struct map_node *a = *ap;
	size_t i = entries_before(a, slot->start);
	int ret;

	if (a->leaf) {
		open_entry(a, i);
		a->slot[i] = *slot;
		a->count++;
		return 0;
	}
	i = i ? i - 1 : 0;
	ret = node_own(&a->child[i].node, pool);
	if (!ret && a->child[i].node->n == MAX_CAP) {
		ret = split_child(a, i);
		if (!ret && slot->start >= a->child[i + 1].start)
			i++;
	}
	if (ret)
		return ret;
	ret = insert_below(&a->child[i].node, pool, slot);
	if (ret)
		return ret;
	a->child[i].start = first_start(a->child[i].node);
	a->count++;
	return 0;
}

int tree_insert(struct map_node **root, struct map_pool *pool, const struct map_slot *slot)
{
	if (!*root) {
		*root = node_new(true, FIRST_CAP);
		if (!*root)
			return -ENOMEM;
	}
	if (node_own(root, pool) || ((*root)->n == MAX_CAP && grow_root(root)))
		return -ENOMEM;
	return insert_below(root, pool, slot);
}

int tree_replace(struct map_node **ap, struct map_pool *pool, uint64_t start,
		 const struct map_slot *slot)
{
	struct map_node *a;
	size_t i;
	int ret = node_own(ap, pool);

	if (ret)
		return ret;
	a = *ap;
	i = entries_before(a, start) - 1;
	if (a->leaf) {
		a->slot[i].start = slot->start;
		a->slot[i].end = slot->end;
		return 0;
	}
	ret = tree_replace(&a->child[i].node, pool, start, slot);
	a->child[i].start = first_start(a->child[i].node);
	return ret;
}

static int remove_below(struct map_node **ap, struct map_pool *pool, uint64_t start)
{
	struct map_node *a;
	size_t i;

	if (node_own(ap, pool))
		return -ENOMEM;
	a = *ap;
	i = entries_before(a, start) - 1;
	if (a->leaf) {
		map_put(pool, a->slot[i].map);
		close_entry(a, i);
		a->count--;
		return 0;
	}
	if (remove_below(&a->child[i].node, pool, start))
		return -ENOMEM;
	a->count--;
	if (!a->child[i].node->n) {
		tree_put(a->child[i].node, pool);
		close_entry(a, i);
	} else {
		a->child[i].start = first_start(a->child[i].node);
	}
	return 0;
}

int tree_remove(struct map_node **root, struct map_pool *pool, uint64_t start)
{
	int ret = remove_below(root, pool, start);

	/* A node is freed when nobody shares it: NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
	while (*root && !(*root)->leaf && (*root)->n == 1) {
		struct map_node *only = tree_share((*root)->child[0].node);

		tree_put(*root, pool);
		*root = only;
	}
	if (*root && !(*root)->n) {
		tree_put(*root, pool);
		*root = NULL;
	}
	return ret;
}
