// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An answer as JSON: what programs get to know of rows, and call trees, as objects in objects. Keys
 * are names of columns, so that what is asked for is what is there. A value that is not known is
 * null and not a number.
 */
#include <stdlib.h>

#include "faces/faces-int.h"

struct json {
	struct emit e;
	struct obuf text; /* of the value at hand */
};

static struct emit *emit_of(const struct faces_walk *k)
{
	return &((struct json *)k->state)->e;
}

/* An empty buffer for a value's text. */
static struct obuf *text_of(const struct faces_walk *k)
{
	struct json *j = k->state;

	j->text.len = 0;
	return &j->text;
}

/* ---- the document ------------------------------------------------------------------------------ */

static int json_begin(struct faces_walk *k)
{
	struct json *j = k->state;

	emit_init(&j->e, k->out, EMIT_JSON);
	emit_object(&j->e, NULL);
	if (!k->f->flow && !k->f->stat && !k->f->o.tasks) {
		emit_u64(&j->e, "lost_samples", k->f->lost_samples);
		emit_array(&j->e, "events");
	}
	return obuf_init(&j->text, -1, 0);
}

/* Members of a group have objects, and rows, of their own. */
static int json_event(struct faces_walk *k, const struct perfdata_event *ev)
{
	const struct table_totals *t;
	struct emit *e = emit_of(k);

	if (k->f->flow || k->f->stat)
		return 1;
	t = view_totals(k->f->v, ev->idx);
	if (k->f->o.skip_empty && !t->nr_samples)
		return 1;
	emit_object(e, NULL);
	emit_str(e, "event", ev->name);
	emit_u64(e, "samples", t->nr_samples);
	emit_u64(e, "event_count", t->period);
	return 0;
}

static int json_event_end(struct faces_walk *k, const struct perfdata_event *ev)
{
	(void)ev;
	emit_end(emit_of(k));
	return 0;
}

static int json_table(struct faces_walk *k, const struct faces_table *t)
{
	struct emit *e = emit_of(k);

	switch (t->kind) {
	case FACES_ROWS: emit_array(e, "rows"); break;
	case FACES_BLOCKS:
		emit_u64(e, "cycles", t->total);
		emit_array(e, "blocks");
		break;
	case FACES_PATHS:
		emit_u64(e, "paths_seen", t->total);
		emit_array(e, "paths");
		break;
	case FACES_THREADS: emit_array(e, "threads"); break;
	case FACES_TASKS: emit_array(e, "tasks"); break;
	case FACES_MAPS: emit_array(e, "maps"); break;
	case FACES_LIST: emit_array(e, t->name); break;
	}
	return 0;
}

static int json_table_end(struct faces_walk *k, const struct faces_table *t)
{
	(void)t;
	emit_end(emit_of(k));
	return 0;
}

static int json_tail(struct faces_walk *k)
{
	if (!k->f->flow && !k->f->stat)
		emit_end(emit_of(k)); /* events */
	return 0;
}

static int json_end(struct faces_walk *k)
{
	emit_end(emit_of(k));
	emit_finish(emit_of(k));
	return 0;
}

static void json_release(struct faces_walk *k)
{
	obuf_free(&((struct json *)k->state)->text);
}

/* ---- rows -------------------------------------------------------------------------------------- */

static int json_row(struct faces_walk *k, const struct faces_row *row)
{
	(void)row;
	emit_object(emit_of(k), NULL);
	return 0;
}

static void emit_path(struct faces_walk *k, const char *name, const struct brflow_path *p)
{
	static const char *const keys[2][2] = { { "symbol_from", "addr_from" },
						{ "symbol_to", "addr_to" } };
	struct emit *e = emit_of(k);

	emit_array(e, name);
	for (uint32_t i = 0; i < k->f->o.hot_paths; i++) {
		uint32_t ends[2];

		brflow_path_branch(k->f->flow, p, i, &ends[0], &ends[1]);
		emit_object(e, NULL);
		for (int end = 0; end < 2; end++) {
			const struct loc *l = resolver_loc(k->f->res, ends[end]);

			emit_str(e, keys[end][0], l->sym ? l->sym->name : "[unknown]");
			emit_u64(e, keys[end][1], l->addr);
		}
		emit_end(e);
	}
	emit_end(e);
}

/* What a key shows: a number, a text, or that there is none. */
static int emit_key(struct faces_walk *k, const struct faces_cell *cell)
{
	const char *name = cell->col->name;
	struct obuf *v = text_of(k);

	faces_cell_value(k->f, cell, v);
	obuf_char(v, 0);
	if (v->code)
		return v->code;
	if (faces_is_unknown(v->buf, v->len - 1))
		emit_str(emit_of(k), name, NULL);
	else if (cell->col->number)
		emit_f64(emit_of(k), name, strtod(v->buf, NULL), 2);
	else
		emit_str(emit_of(k), name, v->buf);
	return 0;
}

static int json_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	struct emit *e = emit_of(k);

	switch (cell->kind) {
	case FACES_KEY: return emit_key(k, cell);
	case FACES_NONE: emit_str(e, cell->col->name, NULL); break;
	case FACES_U64: emit_u64(e, cell->col->name, cell->n); break;
	case FACES_S64: emit_s64(e, cell->col->name, (int64_t)cell->n); break;
	case FACES_F64: emit_f64(e, cell->col->name, cell->d, 2); break;
	case FACES_STR: emit_str(e, cell->col->name, cell->s); break;
	case FACES_PATH: emit_path(k, cell->col->name, cell->path); break;
	}
	return 0;
}

/* Rows in rows: what is not on the last level has an array of those below it. */
static bool has_rows(const struct faces_row *row)
{
	return row->level + 1 < row->table->nr_levels;
}

static int json_below(struct faces_walk *k, const struct faces_row *row)
{
	if (row->row)
		view_row_json(k->f->v, row->row, emit_of(k));
	if (has_rows(row))
		emit_array(emit_of(k), "rows");
	return 0;
}

static int json_row_end(struct faces_walk *k, const struct faces_row *row)
{
	if (has_rows(row))
		emit_end(emit_of(k));
	emit_end(emit_of(k));
	return 0;
}

/* ---- call trees -------------------------------------------------------------------------------- */

/* What the branches at a frame say; null where there were none. */
static void emit_note(struct emit *e, const struct branch_note *n)
{
	struct obuf text;

	if (!n->branches || obuf_init(&text, -1, 0)) {
		emit_str(e, NULL, NULL);
		return;
	}
	keys_note_print(n, &text);
	/* " (CALL)" without what is around it */
	if (text.len)
		text.buf[--text.len] = '\0';
	emit_object(e, NULL);
	emit_str(e, "end", n->to ? "to" : "from");
	emit_u64(e, "count", n->branches);
	if (n->to) {
		if (n->flagged) {
			emit_u64(e, "predicted", n->predicted);
			emit_u64(e, "aborted", n->aborts);
		} else {
			emit_str(e, "predicted", NULL);
			emit_str(e, "aborted", NULL);
		}
	} else {
		emit_u64(e, "cycles", n->cycles);
		emit_u64(e, "iterations", n->iters);
		emit_u64(e, "iteration_cycles", n->iter_cycles);
	}
	emit_str(e, "text", text.len ? text.buf + 2 : "");
	emit_end(e);
	obuf_free(&text);
}

static int json_tree(struct faces_walk *k, const struct faces_row *row,
		     const struct call_node *root)
{
	(void)row, (void)root;
	emit_array(emit_of(k), "children");
	return 0;
}

/* The emitter nests so deep and no deeper, each level takes two, and readers have limits of their own. */
static bool json_is_deepest(const struct faces_node *n)
{
	return n->row->level + n->depth >= EMIT_MAX_DEPTH / 2 - 6;
}

static int json_node(struct faces_walk *k, const struct faces_node *n)
{
	const struct call_node *c = n->node;
	struct emit *e = emit_of(k);

	/* What is below one that was cut. */
	if (n->row->level + n->depth > EMIT_MAX_DEPTH / 2 - 6)
		return 1;
	emit_object(e, NULL);
	emit_array(e, "frames");
	for (uint32_t i = 0; i < c->nr_frames; i++) {
		struct obuf *name = text_of(k);

		view_frame(k->f->v, c->frames[i], name);
		obuf_char(name, 0);
		if (name->code)
			return name->code;
		emit_str(e, NULL, name->buf);
	}
	emit_end(e);
	if (c->notes) {
		emit_array(e, "branches");
		for (uint32_t i = 0; i < c->nr_frames; i++)
			emit_note(e, &c->notes[i]);
		emit_end(e);
	}
	emit_u64(e, "period", c->cumul);
	emit_u64(e, "count", c->cumul_count);
	emit_u64(e, "self", c->hit);
	if (c->nr_children && json_is_deepest(n))
		emit_bool(e, "cut", true);
	else if (c->nr_children)
		emit_array(e, "children");
	return 0;
}

static int json_node_end(struct faces_walk *k, const struct faces_node *n)
{
	if (n->node->nr_children && !json_is_deepest(n))
		emit_end(emit_of(k));
	emit_end(emit_of(k));
	return 0;
}

static int json_tree_end(struct faces_walk *k, const struct faces_row *row)
{
	(void)row;
	emit_end(emit_of(k));
	return 0;
}

const struct faces_writer faces_json = {
	.name = "JSON",
	.reader = FACES_PROGRAMS,
	.all_children = true,
	.state_size = sizeof(struct json),
	.begin = json_begin,
	.event = json_event,
	.table = json_table,
	.row = json_row,
	.cell = json_cell,
	.below = json_below,
	.tree = json_tree,
	.node = json_node,
	.node_end = json_node_end,
	.tree_end = json_tree_end,
	.row_end = json_row_end,
	.table_end = json_table_end,
	.event_end = json_event_end,
	.tail = json_tail,
	.end = json_end,
	.release = json_release,
};
