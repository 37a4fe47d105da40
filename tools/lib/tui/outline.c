// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A node keeps its unfolded children sorted, and for each how many lines those before it have
 * below themselves. A search is a bisection in every level. Unfolding changes these sums for all
 * that come behind: they are made again when they are next needed, up to there (`counted`), so
 * that unfolding everything from the top down costs one pass and not a pass for each.
 */
#include <stdlib.h>

#include "outline-int.h"

void outline_init(struct outline *o, uint64_t nr, void (*release)(void *what))
{
	*o = (struct outline){ .root = { .nr = nr, .lines = nr }, .release = release };
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void count_kids(struct outline_node *n)
{
	for (size_t i = n->counted; i < n->kids.n; i++)
		n->kids.v[i].before =
			i ? n->kids.v[i - 1].before + n->kids.v[i - 1].node->lines : 0;
	n->counted = n->kids.n;
}

/* The first unfolded child that is not before @no. */
static size_t kid_at(const struct outline_node *n, uint64_t no)
{
	size_t from = 0, to = n->kids.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (n->kids.v[mid].node->no < no)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* @n has @more lines below it than before. */
static void add_lines(struct outline_node *n, int64_t more)
{
	for (; n; n = n->up) {
		n->lines += (uint64_t)more;
		if (n->up) {
			size_t i = kid_at(n->up, n->no) + 1;

			if (i < n->up->counted)
				n->up->counted = i;
		}
	}
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Of @n's unfolded children the last that stands at @line or above it; NULL = none. */
static const struct outline_kid *kid_above(struct outline_node *n, uint64_t line)
{
	size_t from = 0, to = n->kids.n;

	count_kids(n);
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (n->kids.v[mid].node->no + n->kids.v[mid].before <= line)
			from = mid + 1;
		else
			to = mid;
	}
	return from ? &n->kids.v[from - 1] : NULL;
}

struct outline_at outline_find(struct outline *o, uint64_t line)
{
	struct outline_node *n = &o->root;

	for (;;) {
		const struct outline_kid *k = kid_above(n, line);
		uint64_t off;

		if (!k)
			return (struct outline_at){ n, NULL, line };
		off = line - (k->node->no + k->before);
		if (!off)
			return (struct outline_at){ n, k->node, k->node->no };
		if (off > k->node->lines)
			return (struct outline_at){ n, NULL, k->node->no + off - k->node->lines };
		n = k->node;
		line = off - 1;
	}
}

/* Among the lines below its parent. */
static uint64_t line_below(struct outline_node *up, uint64_t no)
{
	size_t i = kid_at(up, no);
	const struct outline_kid *last;

	count_kids(up);
	if (!i)
		return no;
	last = &up->kids.v[i - 1];
	return no + last->before + last->node->lines;
}

uint64_t outline_line(struct outline_node *up, uint64_t no)
{
	uint64_t line = line_below(up, no);

	for (; up->up; up = up->up)
		line += line_below(up->up, up->no) + 1;
	return line;
}

/* ---- folding --------------------------------------------------------------------------------- */

struct outline_node *outline_open(struct outline *o, struct outline_node *up, uint64_t no,
				  uint64_t nr, void *what)
{
	struct outline_node *n = calloc(1, sizeof(*n));
	struct outline_kid kid = { .node = n };
	size_t i = kid_at(up, no);

	(void)o;
	if (!n || vec_push(&up->kids, kid)) {
		free(n);
		return NULL;
	}
	memmove(up->kids.v + i + 1, up->kids.v + i, (up->kids.n - 1 - i) * sizeof(kid));
	up->kids.v[i] = kid;
	if (i < up->counted)
		up->counted = i;
	n->up = up;
	n->no = no;
	n->nr = n->lines = nr;
	n->depth = up->depth + 1;
	n->what = what;
	add_lines(up, (int64_t)nr);
	return n;
}

/* Children first, without recursion: chains may be deep. */
static void free_below(struct outline *o, struct outline_node *top)
{
	struct outline_node *n = top;

	for (;;) {
		struct outline_node *up;

		if (n->kids.n) {
			n = n->kids.v[n->kids.n - 1].node;
			continue;
		}
		vec_free(&n->kids);
		if (n == top)
			return;
		up = n->up;
		if (o->release)
			o->release(n->what);
		free(n);
		up->kids.n--;
		n = up;
	}
}

void outline_close(struct outline *o, struct outline_node *n)
{
	struct outline_node *up = n->up;
	size_t i = kid_at(up, n->no);
	int64_t lines = (int64_t)n->lines;

	free_below(o, n);
	if (o->release)
		o->release(n->what);
	free(n);
	memmove(up->kids.v + i, up->kids.v + i + 1, (up->kids.n - 1 - i) * sizeof(*up->kids.v));
	up->kids.n--;
	if (i < up->counted)
		up->counted = i;
	if (up->counted > up->kids.n)
		up->counted = up->kids.n;
	add_lines(up, -lines);
}

void outline_free(struct outline *o)
{
	free_below(o, &o->root);
	o->root.counted = 0;
	o->root.lines = o->root.nr = 0;
}
