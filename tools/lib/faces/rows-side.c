// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows printed by several threads: each takes the next few, writes them into memory, and what was made of
 * them is put together in their order. Most of a report's time goes into the texts of rows that are
 * too light for a call tree; those with one are written in turn, but their trees are made side by side.
 */
#include <stdlib.h>

#include "base/side.h"
#include "faces/faces-int.h"

#define ROWS	    2048 /* that a thread takes at once */
#define PER_THREAD  4	 /* of these, before they are put together */
#define THREADS_MAX 64

struct stretch {
	struct walk k;
	struct faces f;
	struct obuf out;
	const struct faces_table *t;
	size_t from, to;
	int (*row)(struct walk *k, const struct faces_row *row);
	int ret;
};

static int begin(struct stretch *s, const struct walk *k)
{
	s->f = *k->pub.f;
	s->f.v = view_for_thread(k->pub.f->v);
	s->k = (struct walk){ .pub = { .f = &s->f, .out = &s->out }, .w = k->w };
	s->k.pub.state = calloc(1, k->w->state_size + 1);
	if (!s->f.v || !s->k.pub.state)
		return -ENOMEM;
	return obuf_init(&s->out, -1, 0) ?: k->w->begin_rows(&s->k.pub);
}

static void end(struct stretch *s)
{
	if (s->k.pub.state)
		walk_release(&s->k);
	obuf_free(&s->out);
	free(s->f.v);
}

static void write_rows(void *list, size_t i)
{
	struct stretch *s = (struct stretch *)list + i;

	s->out.len = 0;
	for (size_t r = s->from; s->ret >= 0 && r < s->to; r++) {
		struct faces_row row = { .table = s->t,
					 .row = view_row(s->f.v, s->t->event->idx, r) };

		view_row_ahead(s->f.v, s->t->event->idx, r);
		if (!walk_leaves_out(&s->k, row.row))
			s->ret = s->row(&s->k, &row);
	}
}

int walk_rows_side(struct walk *k, const struct faces_table *t, size_t from, size_t to,
		   int (*row)(struct walk *k, const struct faces_row *row))
{
	unsigned threads = (unsigned)min_u64(k->pub.f->po->jobs, THREADS_MAX);
	size_t nr = min_u64(threads * PER_THREAD, (to - from + ROWS - 1) / ROWS), n = 0;
	struct stretch *list = calloc(nr, sizeof(*list));
	int ret = list ? 0 : -ENOMEM;

	for (; !ret && n < nr; n++) {
		list[n].t = t;
		list[n].row = row;
		ret = begin(&list[n], k);
	}
	while (!ret && from < to && !walk_broken(k)) {
		for (size_t i = 0; i < nr; i++) {
			list[i].from = from;
			from = list[i].to = min_u64(from + ROWS, to);
		}
		side_by_side(threads, nr, write_rows, list);
		for (size_t i = 0; !ret && i < nr; i++) {
			obuf_move(k->pub.out, &list[i].out);
			ret = list[i].ret < 0 ? list[i].ret : 0;
		}
	}
	for (size_t i = 0; i < n; i++)
		end(&list[i]);
	free(list);
	return ret;
}

/* ---- trees ----------------------------------------------------------------------------------- */

int walk_trees_ahead(const struct walk *k, uint32_t event, size_t i, struct trees_ahead *a)
{
	const struct faces *f = k->pub.f;
	size_t n = view_nr_rows(f->v, event);

	if (a->at < a->nr || f->po->jobs < 2 || !k->w->node)
		return 0;
	a->at = a->nr = 0;
	for (; i < n && a->nr < TREES_AHEAD; i++) {
		const struct keys_row *row = view_row(f->v, event, i);

		if (!view_tree_is_heavy(f->v, row))
			break;
		if (!walk_leaves_out(k, row))
			a->row[a->nr++] = row;
	}
	return a->nr ? view_tree_several(f->v, a->row, a->nr, a->tree) : 0;
}

struct call_tree *walk_tree_made(struct trees_ahead *a, const struct keys_row *row)
{
	return a->at < a->nr && a->row[a->at] == row ? &a->tree[a->at++] : NULL;
}

void walk_trees_free(struct trees_ahead *a)
{
	while (a->at < a->nr)
		view_tree_free(&a->tree[a->at++]);
}
