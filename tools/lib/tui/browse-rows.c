// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stands in which line. The outline knows lines by number; here each of its nodes is given a
 * meaning: a row that has rows of the next level below it, a row that has a call tree, a node of
 * a call tree. A call tree is made when its row is unfolded and goes when that is folded.
 *
 * A node of a call tree is a stretch of frames without a fork. Its first frame is the line that
 * folds; the other frames and then the nodes below it are its children.
 */
#include <stdlib.h>

#include "browse-int.h"

#define REOPEN_ROWS 100000 /* among so many rows what was unfolded is looked for */

/* What a node of the outline stands for. */
struct below {
	const struct keys_row *row;
	unsigned level;		      /* of the row */
	uint32_t *rows;		      /* nested rows, or NULL */
	bool no_entry;		      /* there are some, all too small */
	struct call_tree tree;	      /* of a row without rows below */
	const struct call_node *node; /* of the tree; NULL = rows */
	unsigned depth;		      /* of the node: 0 = the tree's root */
	uint64_t total;		      /* what shares below are of */
	uint64_t id;
};

static void release(void *what)
{
	struct below *b = what;

	view_tree_free(&b->tree);
	free(b->rows);
	free(b);
}

/* ---- identities ------------------------------------------------------------------------------ */

int browse_ids_add(struct browse_ids *s, uint64_t id)
{
	if (browse_ids_has(s, id))
		return 0;
	if (vec_push(&s->v, id))
		return -ENOMEM;
	return htab_add(&s->tab, id, (uint32_t)s->v.n - 1);
}

static uint32_t id_at(const struct browse_ids *s, uint64_t id)
{
	struct htab_it it = htab_find(&s->tab, id);
	uint32_t i;

	if (!s->v.n)
		return UINT32_MAX;
	while (htab_next(&s->tab, &it, &i))
		if (s->v.v[i] == id)
			return i;
	return UINT32_MAX;
}

bool browse_ids_has(const struct browse_ids *s, uint64_t id)
{
	return id_at(s, id) != UINT32_MAX;
}

/* 0 is nobody's identity; the slot stays. */
void browse_ids_drop(struct browse_ids *s, uint64_t id)
{
	uint32_t i = id_at(s, id);

	if (i != UINT32_MAX)
		s->v.v[i] = 0;
}

void browse_ids_free(struct browse_ids *s)
{
	vec_free(&s->v);
	htab_free(&s->tab);
}

static uint64_t mix_text(struct browse_rows *r, uint64_t id)
{
	return hash_mix(id, hash_bytes(r->text.buf, r->text.len));
}

static uint64_t mix_col(struct browse_rows *r, uint64_t id, const struct keys_row *row,
			const struct keys_col *c)
{
	if (c->key->at == KEY_STAT)
		return id;
	r->text.len = 0;
	browse_key_text(r->v, row, c, &r->text);
	return mix_text(r, id);
}

static uint64_t id_above(const struct browse_line *l)
{
	const struct below *b = l->at.up->what;

	return b ? b->id : 1;
}

uint64_t browse_id(struct browse_rows *r, const struct browse_line *l)
{
	const struct view *v = r->v;
	uint64_t id = hash_mix(id_above(l), l->kind);

	if (l->kind == BROWSE_FRAME) {
		r->text.len = 0;
		view_frame(v, l->node->frames[l->frame], &r->text);
		/* Frames of a stretch are below one another, whatever they are called. */
		return mix_text(r, hash_mix(id, l->frame)) | 1;
	}
	for (size_t i = 0; i < view_nr_cols(v) && !view_nr_levels(v); i++)
		id = mix_col(r, id, l->row, view_col(v, i));
	for (size_t i = 0; view_nr_levels(v) && i < view_level_nr_cols(v, l->level); i++)
		id = mix_col(r, id, l->row, view_level_col(v, l->level, i));
	return id | 1;
}

/* ---- rows of the first level ----------------------------------------------------------------- */

static bool is_small(const struct browse_rows *r, const struct keys_row *row)
{
	return r->min_percent > 0 && view_percent(r->v, row) < r->min_percent;
}

/* By row: where those below it end. Levels go up by one and down by any number. */
static int find_ends(struct browse_rows *r, size_t n)
{
	VEC(uint32_t) at = { 0 };
	unsigned level = 0;
	int ret = 0;

	r->end = calloc(n + 1, sizeof(*r->end));
	if (!r->end)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < n; i++) {
		view_nested(r->v, r->event, i, &level);
		while (at.n > level)
			r->end[at.v[--at.n]] = (uint32_t)i;
		ret = vec_push(&at, (uint32_t)i);
	}
	while (at.n)
		r->end[at.v[--at.n]] = (uint32_t)n;
	vec_free(&at);
	return ret;
}

static int list_top(struct browse_rows *r, uint64_t *nr)
{
	bool levels = view_nr_levels(r->v) > 0;
	size_t n = levels ? view_nr_nested(r->v, r->event) : view_nr_rows(r->v, r->event);
	unsigned level = 0;

	*nr = 0;
	if (levels && find_ends(r, n))
		return -ENOMEM;
	if (!levels && r->min_percent <= 0) {
		*nr = n; /* line n is row n */
		return 0;
	}
	r->top = malloc((n + 1) * sizeof(*r->top));
	if (!r->top)
		return -ENOMEM;
	for (size_t i = 0; i < n; i = levels ? r->end[i] : i + 1) {
		const struct keys_row *row = levels ? view_nested(r->v, r->event, i, &level)
						    : view_row(r->v, r->event, i);

		if (!is_small(r, row))
			r->top[(*nr)++] = (uint32_t)i;
	}
	return 0;
}

int browse_rows_init(struct browse_rows *r, struct view *v, uint32_t event,
		     const struct keys_opts *o, double min_percent)
{
	uint64_t nr = 0;
	int ret;

	*r = (struct browse_rows){ .v = v, .o = o, .event = event, .min_percent = min_percent };
	ret = obuf_init(&r->text, -1, 0);
	ret = ret ?: list_top(r, &nr);
	outline_init(&r->lines, ret ? 0 : nr, release);
	if (ret)
		browse_rows_free(r);
	return ret;
}

int browse_rows_only(struct browse_rows *r, const struct keys_row *row)
{
	size_t n = view_nr_rows(r->v, r->event);
	uint32_t *top = malloc(sizeof(*top));

	if (!top)
		return -ENOMEM;
	for (*top = 0; *top < n && view_row(r->v, r->event, *top) != row;)
		++*top;
	free(r->top);
	r->top = top;
	outline_free(&r->lines);
	outline_init(&r->lines, *top < n, release);
	return 0;
}

void browse_rows_free(struct browse_rows *r)
{
	outline_free(&r->lines);
	browse_ids_free(&r->open);
	obuf_free(&r->text);
	free(r->top);
	free(r->end);
	r->top = r->end = NULL;
}

/* ---- a line ---------------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t total)
{
	return total ? 100.0 * (double)part / (double)total : 0;
}

static void row_line(struct browse_rows *r, uint32_t i, struct browse_line *l)
{
	bool levels = view_nr_levels(r->v) > 0;

	l->kind = BROWSE_ROW;
	l->row = levels ? view_nested(r->v, r->event, i, &l->level) : view_row(r->v, r->event, i);
	l->foldable =
		(levels && l->level + 1 < view_nr_levels(r->v)) || view_has_tree(r->v, l->row);
}

/* What passes the node that line's nodes are below: of a whole tree, its row's samples. */
static uint64_t passes(const struct browse_rows *r, const struct below *b)
{
	if (b->depth)
		return b->node->cumul;
	return r->o->children ? max_u64(b->row->acc, b->row->period) : b->row->period;
}

static void frame_line(const struct browse_rows *r, const struct below *b, uint64_t no,
		       struct browse_line *l)
{
	const struct call_node *n = b->node;

	l->kind = BROWSE_FRAME;
	l->row = b->row;
	l->level = b->level;
	if (b->depth && no + 1 < n->nr_frames) {
		l->node = n;
		l->frame = (uint32_t)no + 1;
		l->depth = b->depth;
		return;
	}
	no -= b->depth ? n->nr_frames - 1 : 0;
	l->node = &n->child[no];
	l->frame = 0;
	l->depth = b->depth + 1;
	l->foldable = l->node->nr_children || l->node->nr_frames > 1;
	/* All of it there, or all of it here: nobody needs a number. */
	l->share = n->nr_children > 1 || l->node->cumul != passes(r, b);
	l->percent = share(l->node->cumul, b->total);
}

void browse_line(struct browse_rows *r, uint64_t i, struct browse_line *l)
{
	const struct below *b;

	memset(l, 0, sizeof(*l));
	l->at = outline_find(&r->lines, i);
	l->open = l->at.node != NULL;
	b = l->at.up->what;
	if (!b) {
		row_line(r, r->top ? r->top[l->at.no] : (uint32_t)l->at.no, l);
	} else if (b->no_entry) {
		l->kind = BROWSE_NO_ENTRY;
		l->row = b->row;
		l->level = b->level + 1;
	} else if (b->node) {
		frame_line(r, b, l->at.no, l);
	} else {
		row_line(r, b->rows[l->at.no], l);
	}
	if (l->kind == BROWSE_ROW)
		l->percent = view_percent(r->v, l->row);
}

uint64_t browse_up(struct browse_rows *r, uint64_t i)
{
	struct outline_at at = outline_find(&r->lines, i);

	return at.up->up ? outline_line(at.up->up, at.up->no) : i;
}

/* ---- folding --------------------------------------------------------------------------------- */

/* The nested row that line @l is. */
static uint32_t nested_at(const struct browse_rows *r, const struct browse_line *l)
{
	const struct below *b = l->at.up->what;

	return b ? b->rows[l->at.no] : r->top[l->at.no];
}

static int rows_below(struct browse_rows *r, const struct browse_line *l, struct below *b,
		      uint64_t *nr)
{
	uint32_t at = nested_at(r, l), end = r->end[at];
	unsigned level;

	for (int pass = 0; pass < 2; pass++) {
		*nr = 0;
		for (uint32_t i = at + 1; i < end; i = r->end[i]) {
			if (is_small(r, view_nested(r->v, r->event, i, &level)))
				continue;
			if (b->rows)
				b->rows[*nr] = i;
			++*nr;
		}
		if (!b->rows && !(b->rows = malloc((*nr + 1) * sizeof(*b->rows))))
			return -ENOMEM;
	}
	b->no_entry = !*nr && end > at + 1;
	*nr += b->no_entry;
	return 0;
}

static int tree_below(struct browse_rows *r, struct below *b, uint64_t *nr)
{
	int ret = view_tree(r->v, b->row, &b->tree);

	b->node = &b->tree.root;
	b->total = view_whole(r->v, r->event);
	if (r->o->chain.style == CHAIN_FRACTAL)
		b->total = r->o->children ? b->row->acc : b->row->period;
	*nr = b->tree.root.nr_children;
	return ret;
}

static int open_line(struct browse_rows *r, struct browse_line *l)
{
	const struct below *up = l->at.up->what;
	struct below *b = calloc(1, sizeof(*b));
	struct outline_node *node = NULL;
	uint64_t nr = 0;
	int ret = 0;

	if (!b)
		return -ENOMEM;
	b->row = l->row;
	b->level = l->level;
	b->id = browse_id(r, l);
	if (l->kind == BROWSE_FRAME) {
		b->node = l->node;
		b->depth = l->depth;
		b->total = up->total;
		if (r->o->chain.style == CHAIN_FRACTAL)
			b->total = l->node->cumul - l->node->hit;
		nr = l->node->nr_frames - 1 + l->node->nr_children;
	} else if (l->level + 1 < view_nr_levels(r->v)) {
		ret = rows_below(r, l, b, &nr);
	} else {
		ret = tree_below(r, b, &nr);
	}
	if (!ret && !nr)
		l->foldable = false;
	if (!ret && nr) {
		node = outline_open(&r->lines, l->at.up, l->at.no, nr, b);
		ret = node ? browse_ids_add(&r->open, b->id) : -ENOMEM;
	}
	l->at.node = node;
	l->open = node != NULL;
	if (!node)
		release(b);
	return ret;
}

/* Unfolds those below line @i for which @want() holds, and so on below them. */
static int open_lines(struct browse_rows *r, uint64_t i, uint64_t end, const struct browse_ids *ids,
		      uint64_t max)
{
	uint64_t before = browse_nr(r);
	int ret = 0;

	for (; !ret && i < end; i++) {
		struct browse_line l;
		uint64_t lines = browse_nr(r);

		if (lines - before >= max)
			return 1;
		browse_line(r, i, &l);
		if (!l.foldable || l.open || (ids && !browse_ids_has(ids, browse_id(r, &l))))
			continue;
		ret = open_line(r, &l);
		end += browse_nr(r) - lines;
	}
	return ret;
}

int browse_open(struct browse_rows *r, uint64_t i)
{
	struct browse_line l;
	uint64_t lines = browse_nr(r);
	int ret;

	browse_line(r, i, &l);
	if (!l.foldable || l.open)
		return 0;
	ret = open_line(r, &l);
	/* Where there is one way only, nobody wants to be asked for each step. */
	for (uint64_t at = i; !ret && l.open && l.at.node->nr == 1;) {
		browse_line(r, ++at, &l);
		if (!l.foldable || l.open)
			break;
		ret = open_line(r, &l);
	}
	if (ret)
		return ret;
	ret = open_lines(r, i + 1, i + 1 + browse_nr(r) - lines, &r->open, BROWSE_MAX_OPEN);
	return ret < 0 ? ret : 0;
}

/* What is unfolded below stays known: it comes back when this is unfolded again. */
void browse_close(struct browse_rows *r, uint64_t i)
{
	struct browse_line l;

	browse_line(r, i, &l);
	if (!l.open)
		return;
	browse_ids_drop(&r->open, ((const struct below *)l.at.node->what)->id);
	outline_close(&r->lines, l.at.node);
}

int browse_open_all(struct browse_rows *r, bool *all)
{
	int ret = open_lines(r, 0, browse_nr(r), NULL, BROWSE_MAX_OPEN);

	*all = !ret;
	return ret < 0 ? ret : 0;
}

void browse_close_all(struct browse_rows *r)
{
	uint64_t nr = r->lines.root.nr;

	outline_free(&r->lines);
	outline_init(&r->lines, nr, release);
	browse_ids_free(&r->open);
}

int browse_reopen(struct browse_rows *r, const struct browse_ids *ids)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ids->v.n; i++)
		if (ids->v.v[i])
			ret = browse_ids_add(&r->open, ids->v.v[i]);
	if (ret || !r->open.v.n)
		return ret;
	ret = open_lines(r, 0, min_u64(browse_nr(r), REOPEN_ROWS), ids, BROWSE_MAX_OPEN);
	return ret < 0 ? ret : 0;
}

int64_t browse_find(struct browse_rows *r, uint64_t id)
{
	uint64_t n = min_u64(browse_nr(r), REOPEN_ROWS);

	for (uint64_t i = 0; i < n; i++) {
		struct browse_line l;

		browse_line(r, i, &l);
		if (browse_id(r, &l) == id)
			return (int64_t)i;
	}
	return -1;
}
