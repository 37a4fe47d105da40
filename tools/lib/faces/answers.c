// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of --branches and --profile-quality, one at a time: for browsers, which make a line when it is painted, for pages,
 * and for listings of instructions, which have the row of the branch or block that they are at. A row is visited as by a
 * walk over the whole table, by a writer that knows nothing but rows, so that all of them say the same.
 */
#include <stdlib.h>

#include "faces/faces-int.h"

static const struct walk_list *const lists[] = {
	&walk_branch_list, &walk_target_list,	&walk_block_list, &walk_edge_list,
	&walk_path_list,   &walk_cover_list,	&walk_loop_list,  &walk_call_list,
	&walk_check_list,  &walk_function_list,
};

size_t faces_nr_lists(unsigned what)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		n += (lists[i]->what & what) != 0;
	return n;
}

const struct walk_list *faces_list(unsigned what, size_t i)
{
	for (size_t k = 0; k < ARRAY_SIZE(lists); k++)
		if (lists[k]->what & what && !i--)
			return lists[k];
	return NULL;
}

void faces_list_title(const struct walk_list *l, const struct faces *f, struct obuf *o)
{
	char title[LIST_TITLE];

	obuf_str(o, walk_list_table(l, f, title).title);
}

const char *faces_list_name(const struct walk_list *l)
{
	return l->table.name;
}

const char *faces_list_legend(const struct walk_list *l)
{
	return l->table.legend;
}

bool faces_list_is_subject(const struct walk_list *l, size_t c)
{
	for (size_t i = 0; i < l->table.nr_cols; i++)
		if (l->table.cols[i].readers & FACES_PEOPLE && !c--)
			return l->table.cols[i].subject;
	return false;
}

size_t faces_list_nr(const struct walk_list *l, const struct faces *f)
{
	return l->nr(f);
}

bool faces_list_has_places(const struct walk_list *l)
{
	return l->place;
}

bool faces_list_place(const struct walk_list *l, const struct faces *f, size_t i,
		      struct faces_place *at)
{
	if (l->place)
		l->place(f->stat, i, at);
	return l->place;
}

/* ---- writers of a row --------------------------------------------------------------------------- */

static int json_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	struct emit *e = k->state;
	const char *name = cell->col->name;

	switch (cell->kind) {
	case FACES_U64: emit_u64(e, name, cell->n); break;
	case FACES_F64: emit_f64(e, name, cell->d, 2); break;
	case FACES_STR: emit_str(e, name, cell->s); break;
	default: emit_str(e, name, NULL); break;
	}
	return 0;
}

/* Columns that say where a row is. */
static bool is_place(const char *name)
{
	static const char *const places[] = {
		"branch",   "target", "addr", "target_addr", "from",
		"to",	    "start",  "end",  "dso",	     "symbol",
		"function", "path",   "head", "head_addr",   "branch_addr",
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!strcmp(name, places[i]))
			return true;
	return false;
}

static int json_cell_here(struct faces_walk *k, const struct faces_cell *cell)
{
	return is_place(cell->col->name) ? 0 : json_cell(k, cell);
}

struct cells {
	void (*put)(void *ctx, const char *text);
	void *ctx;
	struct obuf text;
};

static int one_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	struct cells *c = k->state;

	c->text.len = 0;
	if (cell->kind == FACES_NONE)
		obuf_char(&c->text, '-');
	else
		faces_cell_value(k->f, cell, &c->text);
	if (cell->col->percent && cell->kind != FACES_NONE)
		obuf_char(&c->text, '%');
	obuf_char(&c->text, 0);
	if (!c->text.code)
		c->put(c->ctx, c->text.buf);
	return c->text.code;
}

static const struct faces_writer row_json = { .name = "row",
					      .reader = FACES_PROGRAMS,
					      .cell = json_cell };

static const struct faces_writer row_json_here = { .name = "row",
						   .reader = FACES_PROGRAMS,
						   .cell = json_cell_here };

static const struct faces_writer row_cells = { .name = "row",
					       .reader = FACES_PEOPLE,
					       .cell = one_cell };

static int put_row(const struct walk_list *l, const struct faces *f, size_t i,
		   const struct faces_writer *w, void *state, struct obuf *o)
{
	char title[LIST_TITLE];
	const struct faces_table t = walk_list_table(l, f, title);
	struct walk k = { .pub = { .f = f, .out = o, .state = state }, .w = w };

	return l->row(&k, &t, i);
}

void faces_list_head_cells(const struct walk_list *l, void (*put)(void *ctx, const char *text),
			   void *ctx)
{
	for (size_t i = 0; i < l->table.nr_cols; i++)
		if (l->table.cols[i].readers & FACES_PEOPLE)
			put(ctx, l->table.cols[i].head);
}

int faces_list_cells(const struct walk_list *l, const struct faces *f, size_t i,
		     void (*put)(void *ctx, const char *text), void *ctx)
{
	struct cells c = { .put = put, .ctx = ctx, .text = { .fd = -1 } };
	struct obuf none = { .fd = -1 };
	int ret = put_row(l, f, i, &row_cells, &c, &none);

	obuf_free(&c.text);
	return ret;
}

static int put_object(const struct walk_list *l, const struct brstat *b, size_t i, const char *name,
		      const struct faces_writer *w, struct emit *e)
{
	const struct faces f = { .stat = b };
	int ret;

	emit_object(e, name);
	ret = put_row(l, &f, i, w, e, e->o);
	emit_end(e);
	return ret;
}

int faces_list_json(const struct walk_list *l, const struct brstat *b, size_t i, const char *name,
		    struct emit *e)
{
	return put_object(l, b, i, name, &row_json, e);
}

int faces_list_json_here(const struct walk_list *l, const struct brstat *b, size_t i,
			 struct emit *e)
{
	return put_object(l, b, i, NULL, &row_json_here, e);
}
