// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of callers: a walk through the trie, each node before its children, which knows what lies on the way to where it is. A
 * function that is in a chain twice is one row and counts once.
 *
 * What hangs below one outermost frame has nothing to do with the rest but for the rows. So large tries are walked by
 * several threads, each the next stretch of outermost frames, and what a stretch adds to rows it writes down apart, in the
 * order in which it came by them. Put together in the order of the stretches, new rows have the numbers that one walk gives them.
 */
#include <stdatomic.h>

#include "base/side.h"
#include "table-int.h"

/* What the walk knows about a place. */
struct seen {
	uint32_t node; /* innermost node of this place on the way here; ID_NONE = none */
	uint32_t row;  /* its row, if that is of the group at hand */
};

/* What a stretch adds to a row. */
struct added {
	uint64_t acc;
	uint32_t group, place;
	uint32_t thread, first_node; /* ID_NONE: no node yet */
	uint16_t depth[2];
};

typedef VEC(struct added) added_rows;

/* A thread walks stretches one after the other, so that those of all lie in one list. */
struct stretch {
	size_t from, to;  /* of the outermost nodes */
	added_rows *list; /* its thread's */
	size_t first, nr; /* of that: what this stretch adds */
	uint32_t *row;	  /* of the table, by number of these */
	/* How many of these are new rows, by range of places, see find_rows(); and the first one's number. */
	size_t made[SIDE_MAX];
	uint32_t next;
};

/* A place's row in the group at hand, as stretches are put together. */
struct found {
	uint32_t group;
	uint32_t at;	     /* the row; if it is new, where it is in callers.row */
	struct added *first; /* new: what was the first to add to it; NULL: the row is there */
};

/* Nodes are told apart by stretch in the upper bits of their row, until that is known. */
#define STRETCH_BITS 6
#define STRETCH_ROWS (1u << (32 - STRETCH_BITS))

struct callers {
	struct table *t;
	VEC(uint32_t) tops; /* outermost nodes, by group */
	uint32_t *place;    /* by node */
	uint32_t *first,
		*next; /* rows that samples have made: the first of a group, those behind a row */
	struct stretch stretch[1u << STRETCH_BITS];
	size_t nr, ranges;
	struct seen *seen[SIDE_MAX]; /* by thread */
	added_rows added[SIDE_MAX];
	uint32_t *row;	     /* the stretches' */
	struct found *found; /* by place */
	atomic_bool no_memory;
};

struct walk {
	struct table *t;
	const uint32_t *place;
	struct seen *seen;
	added_rows *list; /* NULL: rows are written to the table's */
	size_t first;	  /* of the list: the stretch at hand begins there */
	uint32_t group, mark;
};

/* A row that is written to. */
struct caller {
	uint64_t *acc;
	uint32_t *thread, *first_node, idx;
	uint16_t *depth;
};

/* ---- a row ----------------------------------------------------------------------------------- */

static int row_at(struct walk *w, uint32_t place, struct caller *c)
{
	struct table *t = w->t;
	struct keys_row new = { .group = w->group, .place = place, .thread = ID_NONE }, *row;
	uint32_t have = w->seen[place].row;

	if (have >= t->rows.n || t->rows.v[have].group != w->group ||
	    t->rows.v[have].place != place) {
		new.idx = have = w->seen[place].row = (uint32_t)t->rows.n;
		if (vec_push(&t->rows, new))
			return -ENOMEM;
	}
	row = &t->rows.v[have];
	*c = (struct caller){ &row->acc, &row->thread, &row->first_node, have, row->depth };
	return 0;
}

static int added_at(struct walk *w, uint32_t place, struct caller *c)
{
	added_rows *l = w->list;
	struct added new = { .group = w->group, .place = place, .thread = ID_NONE }, *row;
	uint32_t have = w->seen[place].row;

	if (have >= l->n - w->first || l->v[w->first + have].group != w->group ||
	    l->v[w->first + have].place != place) {
		have = w->seen[place].row = (uint32_t)(l->n - w->first);
		if (vec_push(l, new))
			return -ENOMEM;
	}
	row = &l->v[w->first + have];
	*c = (struct caller){ &row->acc, &row->thread, &row->first_node, have, row->depth };
	return 0;
}

/* A sample counts once per row, however often its chain passes: the rows' own are in acc by now. */
static void uncount_own(struct walk *w, uint32_t leaf)
{
	struct table *t = w->t;

	for (; leaf != ID_NONE; leaf = t->ch.leafs.v[leaf].next) {
		const struct leaf *l = &t->ch.leafs.v[leaf];

		if (w->seen[l->place].node == ID_NONE)
			continue;
		if (w->list) {
			w->list->v[w->first + w->seen[l->place].row].acc -= l->period;
			continue;
		}
		t->rows.v[l->row].acc -= l->period;
		table_sums_unpass(&t->sums, l->row, &t->sums, leaf);
	}
}

/* ---- the walk -------------------------------------------------------------------------------- */

static int enter(struct walk *w, uint32_t i)
{
	struct chains *c = &w->t->ch;
	const struct node_end *end = &c->end[i];
	struct node *n = &c->nodes.v[i];
	struct seen *seen = &w->seen[w->place[i]];
	uint32_t up = seen->node;
	struct caller row;

	if (w->list ? added_at(w, w->place[i], &row) : row_at(w, w->place[i], &row))
		return -ENOMEM;
	/* The row's thread is the first that made it, on its own or as a caller. */
	if (i < *row.first_node || *row.thread == ID_NONE) {
		*row.thread = n->thread;
		*row.first_node = i;
	}
	seen->node = i;
	uncount_own(w, n->leaf);
	n->row = row.idx | w->mark;
	n->up = up;
	/* A recursive function's chain begins where it is met first: inside or outside. */
	table_deepen(row.depth, false, end->depth);
	if (up != ID_NONE)
		return 0;
	*row.acc += end->total;
	table_deepen(row.depth, true, end->height + 1u);
	return w->list ? 0 : table_sums_pass(&w->t->sums, row.idx, &w->t->sums, i);
}

static void ask_for(const struct walk *w, uint32_t node)
{
	const struct chains *c = &w->t->ch;

	if (node >= c->nodes.n)
		return;
	__builtin_prefetch(&c->end[node]);
	__builtin_prefetch(&c->nodes.v[node], 1);
	__builtin_prefetch(&w->seen[w->place[node]], 1);
}

#define TOPS_AHEAD 6

/* Outermost nodes that come next, and the rows of those that come first. */
static void ask_for_tops(const struct walk *w, const struct callers *c, size_t i, size_t end)
{
	uint32_t row;

	if (i + 2 * TOPS_AHEAD >= end)
		return;
	ask_for(w, c->tops.v[i + 2 * TOPS_AHEAD]);
	row = w->seen[w->place[c->tops.v[i + TOPS_AHEAD]]].row;
	if (w->list && row < w->list->n - w->first)
		__builtin_prefetch(&w->list->v[w->first + row], 1);
	else if (!w->list && row < w->t->rows.n)
		__builtin_prefetch(&w->t->rows.v[row], 1);
}

/* What hangs below an outermost node. */
static int walk_below(struct walk *w, uint32_t top)
{
	struct chains *c = &w->t->ch;
	uint32_t i = top;

	for (;;) {
		ask_for(w, c->end[i].next);
		ask_for(w, c->end[i].child);
		if (enter(w, i))
			return -ENOMEM;
		if (c->end[i].child != ID_NONE) {
			i = c->end[i].child;
			continue;
		}
		for (;;) {
			w->seen[w->place[i]].node = c->nodes.v[i].up;
			if (i == top)
				return 0;
			if (c->end[i].next != ID_NONE)
				break;
			i = c->nodes.v[i].parent;
		}
		i = c->end[i].next;
	}
}

static struct seen *new_seen(const struct table *t)
{
	size_t bytes = ((size_t)t->places.n + 1) * sizeof(struct seen);
	struct seen *seen = malloc(bytes);

	mem_large(seen, bytes);
	if (seen)
		memset(seen, 0xff, bytes);
	return seen;
}

static uint32_t group_of(const struct callers *c, size_t top)
{
	return c->t->ch.nodes.v[c->tops.v[top]].parent & ~NODE_ROOT;
}

/* ---- one thread ------------------------------------------------------------------------------ */

/* Rows that samples have made in the group at hand are found by their places. */
static void know_rows(const struct callers *c, struct seen *seen, uint32_t group)
{
	for (uint32_t i = c->first[group]; i != ID_NONE; i = c->next[i])
		seen[c->t->rows.v[i].place].row = i;
}

static int walk_alone(struct callers *c)
{
	struct walk w = { .t = c->t, .place = c->place, .seen = new_seen(c->t), .group = ID_NONE };
	int ret = w.seen ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < c->tops.n; i++) {
		uint32_t group = group_of(c, i);

		if (group != w.group)
			know_rows(c, w.seen, group);
		w.group = group;
		ask_for_tops(&w, c, i, c->tops.n);
		ret = walk_below(&w, c->tops.v[i]);
	}
	free(w.seen);
	return ret;
}

/* ---- several --------------------------------------------------------------------------------- */

static void walk_stretch(void *callers, size_t i)
{
	struct callers *c = callers;
	struct seen **seen = &c->seen[side_thread()];
	struct stretch *s = &c->stretch[i];
	added_rows list = c->added[side_thread()]; /* apart from those of other threads */
	struct walk w = {
		.t = c->t,
		.place = c->place,
		.list = &list,
		.mark = (uint32_t)i << (32 - STRETCH_BITS),
	};
	int ret = 0;

	/* What was seen on a way that was not walked to its end is of no use. */
	if (atomic_load(&c->no_memory))
		return;
	*seen = *seen ?: new_seen(c->t);
	w.seen = *seen;
	if (!w.seen)
		ret = -ENOMEM;
	s->list = &c->added[side_thread()];
	s->first = w.first = list.n;
	for (size_t k = s->from; !ret && k < s->to; k++) {
		w.group = group_of(c, k);
		ask_for_tops(&w, c, k, s->to);
		ret = walk_below(&w, c->tops.v[k]);
	}
	s->nr = list.n - s->first;
	c->added[side_thread()] = list;
	if (ret)
		atomic_store(&c->no_memory, true);
}

/* ---- stretches put together ------------------------------------------------------------------ */

static struct added *added_of(const struct stretch *s)
{
	return s->list->v + s->first;
}

static void put_row(struct keys_row *row, const struct added *a)
{
	row->acc += a->acc;
	if (a->first_node < row->first_node || row->thread == ID_NONE) {
		row->thread = a->thread;
		row->first_node = a->first_node;
	}
	table_deepen(row->depth, false, a->depth[false]);
	table_deepen(row->depth, true, a->depth[true]);
}

/* The same for a row that an earlier stretch was the first to add to. */
static void put_added(struct added *to, const struct added *a)
{
	to->acc += a->acc;
	if (a->first_node < to->first_node) {
		to->thread = a->thread;
		to->first_node = a->first_node;
	}
	table_deepen(to->depth, false, a->depth[false]);
	table_deepen(to->depth, true, a->depth[true]);
}

#define ROWS_AHEAD 16
/* In a stretch's row: it is new, and has no number yet. */
#define ROW_NEW ID_NONE

/*
 * The rows that the stretches add to, in their order; each range of places is a thread's, with all that is written to rows of these.
 * What is new is told by ROW_NEW, what an earlier stretch adds, too, by no group, and leads there.
 */
static void find_rows(void *callers, size_t range)
{
	struct callers *c = callers;
	struct table *t = c->t;
	uint32_t from = (uint32_t)(t->places.n * (uint64_t)range / c->ranges),
		 to = (uint32_t)(t->places.n * (uint64_t)(range + 1) / c->ranges), group = ID_NONE;

	memset((void *)(c->found + from), 0xff, (to - from) * sizeof(*c->found));
	for (struct stretch *s = c->stretch; s < c->stretch + c->nr; s++) {
		struct added *a = added_of(s);
		size_t made = 0;

		for (size_t i = 0; i < s->nr; i++) {
			struct found *f = &c->found[a[i].place];

			if (i + ROWS_AHEAD < s->nr)
				__builtin_prefetch(&c->found[a[i + ROWS_AHEAD].place], 1);
			if (a[i].place < from || a[i].place >= to)
				continue;
			for (uint32_t r = a[i].group != group ? c->first[a[i].group] : ID_NONE;
			     r != ID_NONE; r = c->next[r])
				if (t->rows.v[r].place >= from && t->rows.v[r].place < to)
					c->found[t->rows.v[r].place] =
						(struct found){ a[i].group, r, NULL };
			group = a[i].group;
			if (f->group != group) {
				*f = (struct found){ group, (uint32_t)(s->row + i - c->row),
						     &a[i] };
				s->row[i] = ROW_NEW;
				made++;
				continue;
			}
			s->row[i] = f->at;
			if (!f->first) {
				put_row(&t->rows.v[f->at], &a[i]);
			} else {
				put_added(f->first, &a[i]);
				a[i].group = ID_NONE;
			}
		}
		s->made[range] = made;
	}
}

/* New rows, once it is known how many there are before those of a stretch. */
static void make_rows(void *callers, size_t stretch)
{
	struct callers *c = callers;
	struct stretch *s = &c->stretch[stretch];
	const struct added *a = added_of(s);
	uint32_t next = s->next;

	for (size_t i = 0; i < s->nr; i++) {
		struct keys_row *row = &c->t->rows.v[next];

		if (s->row[i] != ROW_NEW)
			continue;
		*row = (struct keys_row){
			.group = a[i].group, .place = a[i].place, .thread = ID_NONE, .idx = next
		};
		put_row(row, &a[i]);
		s->row[i] = next++;
	}
}

static void number_others(void *callers, size_t stretch)
{
	struct callers *c = callers;
	struct stretch *s = &c->stretch[stretch];
	const struct added *a = added_of(s);

	for (size_t i = 0; i < s->nr; i++)
		if (a[i].group == ID_NONE)
			s->row[i] = c->row[s->row[i]];
}

/* What the stretches have added, to the table's rows: new ones in the order in which one walk would make them. */
static int put_rows(struct callers *c, unsigned threads)
{
	struct table *t = c->t;
	size_t n = 0, rows = t->rows.n;

	for (size_t i = 0; i < c->nr; i++)
		n += c->stretch[i].nr;
	c->row = malloc((n + 1) * sizeof(*c->row));
	c->found = malloc(((size_t)t->places.n + 1) * sizeof(*c->found));
	if (!c->row || !c->found)
		return -ENOMEM;
	mem_large(c->row, (n + 1) * sizeof(*c->row));
	mem_large(c->found, ((size_t)t->places.n + 1) * sizeof(*c->found));
	n = 0;
	for (size_t i = 0; i < c->nr; i++) {
		c->stretch[i].row = c->row + n;
		n += c->stretch[i].nr;
	}
	c->ranges = threads;
	side_by_side(threads, c->ranges, find_rows, c);
	for (size_t i = 0; i < c->nr; i++) {
		c->stretch[i].next = (uint32_t)rows;
		for (size_t r = 0; r < c->ranges; r++)
			rows += c->stretch[i].made[r];
	}
	if (vec_reserve(&t->rows, rows))
		return -ENOMEM;
	side_by_side(threads, c->nr, make_rows, c);
	side_by_side(threads, c->nr, number_others, c);
	t->rows.n = rows;
	return 0;
}

static void number_nodes(void *callers, size_t part)
{
	struct callers *c = callers;
	struct chains *ch = &c->t->ch;
	size_t end = min_u64(ch->nodes.n, (part + 1) * NODES_AT_ONCE);

	for (size_t i = part * NODES_AT_ONCE; i < end; i++) {
		struct node *n = &ch->nodes.v[i];

		n->row = c->stretch[n->row / STRETCH_ROWS].row[n->row % STRETCH_ROWS];
	}
}

static int walk_side_by_side(struct callers *c, unsigned threads)
{
	int ret;

	c->nr = ARRAY_SIZE(c->stretch);
	for (size_t i = 0; i < c->nr; i++) {
		c->stretch[i].from = c->tops.n * i / c->nr;
		c->stretch[i].to = c->tops.n * (i + 1) / c->nr;
	}
	side_by_side(threads, c->nr, walk_stretch, c);
	ret = atomic_load(&c->no_memory) ? -ENOMEM : 0;
	for (size_t i = 0; i < ARRAY_SIZE(c->seen); i++)
		free(c->seen[i]);
	ret = ret ?: put_rows(c, threads);
	if (!ret)
		side_by_side(threads, table_node_pieces(c->t), number_nodes, c);
	for (size_t i = 0; i < ARRAY_SIZE(c->added); i++)
		vec_free(&c->added[i]);
	free(c->row);
	free(c->found);
	return ret;
}

/* One way must be that of the other: sums are the table's, and rows no more than group and place. */
static unsigned threads_for(const struct callers *c)
{
	const struct table *t = c->t;

	if (t->sums.n || t->keys.o.branch || t->ch.nodes.n >= STRETCH_ROWS ||
	    c->tops.n < ARRAY_SIZE(c->stretch))
		return 1;
	return table_side_threads(t);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Places of all nodes, looked up side by side: within the walk each would be waited for. */
static void place_nodes(void *callers, size_t piece)
{
	struct callers *c = callers;
	const struct chains *ch = &c->t->ch;
	size_t end = min_u64(ch->nodes.n, (piece + 1) * NODES_AT_ONCE);

	for (size_t i = piece * NODES_AT_ONCE; i < end; i++)
		c->place[i] = table_step_place(c->t, ch->nodes.v[i].step);
}

static int prepare(struct callers *c)
{
	const struct table *t = c->t;

	c->first = malloc(((size_t)t->groups.n + 1) * sizeof(*c->first));
	c->next = malloc((t->rows.n + 1) * sizeof(*c->next));
	c->place = malloc((t->ch.nodes.n + 1) * sizeof(*c->place));
	if (!c->first || !c->next || !c->place)
		return -ENOMEM;
	mem_large(c->place, (t->ch.nodes.n + 1) * sizeof(*c->place));
	memset(c->first, 0xff, t->groups.n * sizeof(*c->first));
	for (uint32_t i = 0; i < t->rows.n; i++) {
		c->next[i] = c->first[t->rows.v[i].group];
		c->first[t->rows.v[i].group] = i;
	}
	side_by_side(table_side_threads(t), table_node_pieces(t), place_nodes, c);
	for (uint32_t g = 0; g < t->groups.n; g++)
		for (uint32_t i = t->ch.root[g]; i != ID_NONE; i = t->ch.end[i].next)
			if (vec_push(&c->tops, i))
				return -ENOMEM;
	return 0;
}

int table_chain_callers(struct table *t)
{
	struct callers *c = calloc(1, sizeof(*c));
	int ret = -ENOMEM;

	if (!c)
		return ret;
	c->t = t;
	ret = prepare(c);
	if (!ret) {
		unsigned threads = threads_for(c);

		ret = threads > 1 ? walk_side_by_side(c, threads) : walk_alone(c);
	}
	vec_free(&c->tops);
	free(c->first);
	free(c->next);
	free(c->place);
	free(c);
	return ret;
}
