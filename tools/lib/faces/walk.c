// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk over an answer. It knows what there is to show and in which order, and calls the
 * writer for each piece; it prints nothing itself. What is left out for everybody (events' rows
 * below --percent-limit, columns that are of no use to the writer's readers) is left out here, so
 * that writers agree on what an answer consists of.
 *
 * Cells of a table's rows are not made before a writer asks for their text or value: most of the
 * time goes there, and a writer needs one of the two.
 */
#include <stdlib.h>

#include "faces/faces-int.h"

/* ---- cells ----------------------------------------------------------------------------------- */

void faces_cell_text(const struct faces *f, const struct faces_cell *cell, struct obuf *o)
{
	if (cell->kind == FACES_KEY)
		view_cell(f->v, cell->row->row, cell->col->key, o);
	else
		faces_cell_value(f, cell, o);
}

void faces_cell_value(const struct faces *f, const struct faces_cell *cell, struct obuf *o)
{
	switch (cell->kind) {
	case FACES_KEY: view_value(f->v, cell->row->row, cell->col->key, o); break;
	case FACES_U64: obuf_dec(o, cell->n); break;
	case FACES_S64: obuf_sdec(o, (int64_t)cell->n); break;
	case FACES_F64: obuf_fixed2(o, cell->d); break;
	case FACES_STR: emit_safe(o, cell->s); break;
	case FACES_PATH: faces_path_text(f, cell->path, o); break;
	case FACES_NONE: break;
	}
}

int walk_begin_row(struct walk *k, const struct faces_row *row, struct faces_cell *cells)
{
	const struct faces_table *t = row->table;
	int ret = VISIT(k, row, row);

	for (size_t i = 0; !ret && i < t->nr_cols; i++) {
		cells[i].row = row;
		cells[i].col = &t->cols[i];
		if (walk_shows(k, cells[i].col))
			ret = VISIT(k, cell, &cells[i]);
	}
	return ret ?: VISIT(k, below, row);
}

int walk_plain_row(struct walk *k, const struct faces_table *t, struct faces_cell *cells)
{
	const struct faces_row row = { .table = t };
	int ret = walk_begin_row(k, &row, cells) ?: VISIT(k, row_end, &row);

	return ret < 0 ? ret : 0;
}

/* ---- call trees ------------------------------------------------------------------------------- */

/* What a node leaves out is its own matter: the others come all the same. */
static int walk_children(struct walk *k, const struct faces_row *row, const struct call_node *node,
			 unsigned depth)
{
	uint32_t limit = k->w->all_children ? 0 : k->pub.f->po->chain.print_limit;

	for (uint32_t i = 0; i < node->nr_children; i++) {
		struct faces_node n = { .node = &node->child[i],
					.row = row,
					.depth = depth,
					.last = i + 1 == node->nr_children };
		int ret = VISIT(k, node, &n);

		if (!ret)
			ret = walk_children(k, row, n.node, depth + 1) ?: VISIT(k, node_end, &n);
		if (ret < 0)
			return ret;
		if (i + 1 == limit)
			break;
	}
	return 0;
}

static int walk_tree(struct walk *k, struct trees_ahead *ahead, const struct faces_row *row)
{
	const struct faces *f = k->pub.f;
	struct call_tree own = { 0 }, *tree;
	int ret;

	if (!k->w->node || !f->po->use_chains || f->po->chain.style == CHAIN_NONE)
		return 0;
	tree = walk_tree_made(ahead, row->row) ?: &own;
	ret = tree == &own ? view_tree(f->v, row->row, tree) : 0;
	if (!ret && tree->root.nr_children) {
		ret = VISIT(k, tree, row, &tree->root);
		if (!ret)
			ret = walk_children(k, row, &tree->root, 1) ?: VISIT(k, tree_end, row);
		else if (ret > 0)
			ret = 0;
	}
	view_tree_free(tree);
	return ret;
}

/* ---- a table of rows -------------------------------------------------------------------------- */

/* What programs get to know of a row beside its keys. */
enum number { NR_SAMPLES, NR_WEIGHT, NR_WEIGHT_CHILDREN };

static const struct faces_column numbers[] = {
	[NR_SAMPLES] = { .name = "samples" },
	[NR_WEIGHT] = { .name = "weight" },
	[NR_WEIGHT_CHILDREN] = { .name = "weight_children" },
};

static bool number_shown(const struct faces *f, enum number nr)
{
	switch (nr) {
	case NR_SAMPLES:
	case NR_WEIGHT: return true;
	case NR_WEIGHT_CHILDREN: return f->po->children;
	}
	return false;
}

static struct faces_cell number_cell(const struct faces_row *row, const struct faces_column *col,
				     enum number nr)
{
	struct faces_cell cell = { .row = row, .col = col, .kind = FACES_U64 };

	switch (nr) {
	case NR_SAMPLES: cell.n = row->row->nr; break;
	case NR_WEIGHT: cell.n = row->row->period; break;
	case NR_WEIGHT_CHILDREN: cell.n = row->row->acc; break;
	}
	return cell;
}

/* Fewer rows are not worth threads. */
#define ROWS_SIDE_MIN 4096

struct rows {
	struct faces_table t; /* first: of a row it is known */
	struct faces_column *cols;
	size_t nr_keys; /* behind them: numbers */
	struct trees_ahead trees;
};

static void add_key(const struct faces *f, struct rows *r, const struct keys_col *c, uint32_t level)
{
	r->cols[r->t.nr_cols++] = (struct faces_column){
		.name = view_col_name(c),
		.head = view_col_head(f->v, c),
		.width = view_col_width(f->v, r->t.event->idx, c),
		.number = view_col_is_number(c),
		.readers = FACES_PEOPLE | FACES_PROGRAMS,
		.level = level,
		.key = c,
	};
}

/*
 * What registers say takes more columns than a usual terminal has. Where they do not fit, the name of a row and what it comes to
 * stand in front, and a name that is longer than most moves the rest of its row.
 */
#define NAME_LEAST 20

static unsigned front_rank(const struct faces_column *c)
{
	const struct key *k = c->key->key;

	if (!strncmp(c->name, "overhead", 8))
		return 0;
	if (!strcmp(c->name, "dso"))
		return 5;
	if (k->at != KEY_STAT)
		return 1;
	if (k->stat_text || k->slot_text)
		return 2;
	return strcmp(c->name, "sample") != 0 ? 3 : 4;
}

static bool fits(const struct rows *r, int columns)
{
	int width = 2; /* "# " */

	for (size_t i = 0; i < r->nr_keys; i++)
		width += r->cols[i].width + (i ? 2 : 0);
	return width <= columns;
}

static bool says_registers(const struct rows *r)
{
	for (size_t i = 0; i < r->nr_keys; i++)
		if (r->cols[i].key->key->of && r->cols[i].key->key->of->legend)
			return true;
	return false;
}

static void arrange(struct rows *r, int columns)
{
	int most = columns / 3 > NAME_LEAST ? columns / 3 : NAME_LEAST;

	if (columns <= 0 || r->t.nr_levels || fits(r, columns) || !says_registers(r))
		return;
	for (size_t i = 1; i < r->nr_keys; i++) {
		const struct faces_column c = r->cols[i];
		size_t at = i;

		for (; at && front_rank(&r->cols[at - 1]) > front_rank(&c); at--)
			r->cols[at] = r->cols[at - 1];
		r->cols[at] = c;
	}
	for (size_t i = 0; i < r->nr_keys; i++) {
		struct faces_column *c = &r->cols[i];

		c->narrow = front_rank(c) == 1;
		c->width = c->narrow && c->width > most ? most : c->width;
	}
}

static int rows_init(struct rows *r, const struct faces *f, const struct perfdata_event *ev)
{
	size_t n = view_nr_cols(f->v) + ARRAY_SIZE(numbers);

	*r = (struct rows){ .t = { .kind = FACES_ROWS, .event = ev } };
	r->t.nr_levels = view_nr_levels(f->v);
	r->t.total = view_totals(f->v, ev->idx)->period;
	for (unsigned l = 0; l < r->t.nr_levels; l++)
		n += view_level_nr_cols(f->v, l);
	r->t.cols = r->cols = calloc(n, sizeof(*r->cols));
	if (!r->cols)
		return -ENOMEM;
	for (size_t i = 0; i < view_nr_cols(f->v); i++)
		add_key(f, r, view_col(f->v, i), FACES_ALL_LEVELS);
	for (unsigned l = 0; l < r->t.nr_levels; l++)
		for (size_t i = 0; i < view_level_nr_cols(f->v, l); i++)
			add_key(f, r, view_level_col(f->v, l, i), l);
	r->nr_keys = r->t.nr_cols;
	arrange(r, f->o.columns);
	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!number_shown(f, i))
			continue;
		r->cols[r->t.nr_cols] = numbers[i];
		r->cols[r->t.nr_cols].readers = FACES_PROGRAMS;
		r->cols[r->t.nr_cols].number = true;
		r->cols[r->t.nr_cols++].level = FACES_ALL_LEVELS;
	}
	return 0;
}

static int walk_cells(struct walk *k, const struct rows *r, const struct faces_row *row)
{
	struct faces_cell cell = { .row = row, .kind = FACES_KEY };
	const struct faces *f = k->pub.f;
	size_t i = 0;
	int ret = 0;

	for (; !ret && i < r->nr_keys; i++) {
		cell.col = &r->cols[i];
		if (cell.col->level == FACES_ALL_LEVELS || cell.col->level == row->level)
			ret = VISIT(k, cell, &cell);
	}
	if (!(k->w->reader & FACES_PROGRAMS))
		return ret;
	for (unsigned nr = 0; !ret && nr < ARRAY_SIZE(numbers); nr++) {
		if (!number_shown(f, nr))
			continue;
		cell = number_cell(row, &r->cols[i++], nr);
		ret = VISIT(k, cell, &cell);
	}
	return ret;
}

static bool on_last_level(const struct faces_row *row)
{
	return row->level + 1 >= row->table->nr_levels;
}

/* Nested row @i has rows below it and all are too small. */
static bool has_no_entry(const struct faces *f, const struct faces_row *row, size_t i)
{
	uint32_t event = row->table->event->idx;
	unsigned below;

	if (f->o.min_percent <= 0 || on_last_level(row))
		return false;
	while (++i < view_nr_nested(f->v, event)) {
		const struct keys_row *next = view_nested(f->v, event, i, &below);

		if (below <= row->level)
			break;
		if (below == row->level + 1 && !faces_is_small(f, next))
			return false;
	}
	return true;
}

static int walk_nested(struct walk *k, struct rows *r, size_t *i, unsigned level);

/* @i: the nested row behind this one. */
static int walk_row(struct walk *k, struct rows *r, const struct faces_row *row, size_t *i)
{
	int ret = VISIT(k, row, row);

	ret = ret ?: walk_cells(k, r, row);
	ret = ret ?: VISIT(k, below, row);
	if (!ret)
		ret = on_last_level(row) ? walk_tree(k, &r->trees, row)
					 : walk_nested(k, r, i, row->level + 1);
	return ret ?: VISIT(k, row_end, row);
}

/* Rows of @level, and of levels below it whose own row is too small. */
static int walk_nested(struct walk *k, struct rows *r, size_t *i, unsigned level)
{
	const struct faces *f = k->pub.f;
	uint32_t event = r->t.event->idx;
	int ret = 0;

	while (ret >= 0 && *i < view_nr_nested(f->v, event) && !walk_broken(k)) {
		struct faces_row row = { .table = &r->t };

		row.row = view_nested(f->v, event, *i, &row.level);
		if (row.level < level)
			break;
		row.no_entry = has_no_entry(f, &row, *i);
		++*i;
		if (!walk_leaves_out(k, row.row))
			ret = walk_row(k, r, &row, i);
	}
	return ret < 0 ? ret : 0;
}

/* A row without a tree, by a thread: the table's columns are in the walk that it is a part of. */
static int walk_light_row(struct walk *k, const struct faces_row *row)
{
	return walk_row(k, (struct rows *)row->table, row, NULL);
}

/* How many rows from @i on have no tree, where it is worth it to print them side by side; else 0. */
static size_t rows_side(const struct walk *k, uint32_t event, size_t i, size_t n)
{
	const struct faces *f = k->pub.f;
	size_t end;

	if (f->po->jobs < 2 || !k->w->begin_rows || n - i < ROWS_SIDE_MIN)
		return 0;
	end = view_next_tree(f->v, event, i);
	return end - i < ROWS_SIDE_MIN ? 0 : end - i;
}

static int walk_flat(struct walk *k, struct rows *r)
{
	const struct faces *f = k->pub.f;
	uint32_t event = r->t.event->idx;
	size_t n = view_nr_rows(f->v, event);
	int ret = 0;

	for (size_t i = 0, side; ret >= 0 && i < n && !walk_broken(k); i += side ?: 1) {
		struct faces_row row = { .table = &r->t, .row = view_row(f->v, event, i) };

		view_row_ahead(f->v, event, i);
		side = i % ROWS_SIDE_MIN ? 0 : rows_side(k, event, i, n);
		if (side)
			ret = walk_rows_side(k, &r->t, i, i + side, walk_light_row);
		else if (!walk_leaves_out(k, row.row))
			ret = walk_trees_ahead(k, event, i, &r->trees)
				      ?: walk_row(k, r, &row, NULL);
	}
	return ret < 0 ? ret : 0;
}

static int walk_event_rows(struct walk *k, const struct perfdata_event *ev)
{
	struct rows r;
	size_t first = 0;
	int ret = rows_init(&r, k->pub.f, ev);

	if (!ret)
		ret = VISIT(k, table, &r.t);
	if (!ret)
		ret = r.t.nr_levels ? walk_nested(k, &r, &first, 0) : walk_flat(k, &r);
	if (!ret)
		ret = VISIT(k, table_end, &r.t);
	walk_trees_free(&r.trees);
	free(r.cols);
	return ret < 0 ? ret : 0;
}

/* ---- everything ------------------------------------------------------------------------------- */

static int walk_events(struct walk *k)
{
	const struct faces *f = k->pub.f;
	int ret = 0;

	for (size_t i = 0; ret >= 0 && i < perfdata_nr_events(f->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(f->pd, i);

		ret = VISIT(k, event, ev);
		if (!ret && !f->flow && !f->stat)
			ret = walk_event_rows(k, ev);
		ret = ret ?: VISIT(k, event_end, ev);
	}
	return ret < 0 ? ret : 0;
}

static int walk_all(struct walk *k)
{
	const struct faces *f = k->pub.f;
	int ret = VISIT(k, begin);

	if (f->o.tasks) {
		ret = ret ?: walk_tasks(k);
		return ret ?: VISIT(k, end);
	}
	ret = ret ?: walk_events(k);
	if (!ret && f->flow && f->o.total_cycles)
		ret = walk_blocks(k);
	if (!ret && f->flow && f->o.hot_paths)
		ret = walk_paths(k);
	if (!ret && f->stat)
		ret = walk_branches(k);
	ret = ret ?: VISIT(k, tail);
	if (!ret && f->o.threads)
		ret = walk_threads(k);
	if (!ret && f->po->branch)
		ret = VISIT(k, total, table_branch_totals(f->t));
	return ret ?: VISIT(k, end);
}

void walk_release(struct walk *k)
{
	if (k->w->release && k->pub.state)
		k->w->release(&k->pub);
	free(k->pub.state);
}

int faces_write(const struct faces *f, const struct faces_writer *w, struct obuf *out,
		struct err *e)
{
	struct walk k = { .pub = { .f = f, .out = out }, .w = w };
	int ret;

	k.pub.state = calloc(1, w->state_size + 1);
	ret = k.pub.state ? walk_all(&k) : -ENOMEM;
	walk_release(&k);
	if (ret >= 0)
		return 0;
	return err_set(e, ret, "writing the answer as %s: %s", w->name, strerror(-ret));
}
