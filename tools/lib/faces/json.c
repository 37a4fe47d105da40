// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --json: the same rows and call trees as objects. */
#include <stdlib.h>

#include "faces/faces-int.h"

/* What the branches at a frame say; null where there were none. */
static void emit_note(struct emit *e, const struct branch_note *n)
{
	struct obuf text;

	if (!n->branches || obuf_init(&text, -1, 0)) {
		emit_str(e, NULL, NULL);
		return;
	}
	branch_note_print(n, &text);
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

static void emit_tree(const struct faces *f, struct emit *e, const struct call_node *n, int depth)
{
	emit_array(e, "children");
	/* The emitter nests so deep and no deeper; each level takes two. */
	for (uint32_t i = 0; i < n->nr_children && depth < EMIT_MAX_DEPTH / 2 - 6; i++) {
		const struct call_node *c = &n->child[i];
		struct obuf name;

		emit_object(e, NULL);
		emit_array(e, "frames");
		for (uint32_t k = 0; k < c->nr_frames; k++) {
			if (obuf_init(&name, -1, 0))
				break;
			profile_frame(f->p, c->frames[k], &name);
			obuf_char(&name, 0);
			emit_str(e, NULL, name.buf);
			obuf_free(&name);
		}
		emit_end(e);
		if (c->notes) {
			emit_array(e, "branches");
			for (uint32_t k = 0; k < c->nr_frames; k++)
				emit_note(e, &c->notes[k]);
			emit_end(e);
		}
		emit_u64(e, "period", c->cumul);
		emit_u64(e, "count", c->cumul_count);
		emit_u64(e, "self", c->hit);
		if (c->nr_children)
			emit_tree(f, e, c, depth + 1);
		emit_end(e);
	}
	emit_end(e);
}

static int emit_col(const struct faces *f, struct emit *e, const struct profile_row *row,
		    const struct profile_col *c)
{
	struct obuf v;

	if (obuf_init(&v, -1, 0))
		return -ENOMEM;
	profile_value(f->p, row, c, &v);
	obuf_char(&v, 0);
	if (!strcmp(v.buf, "N/A") || !strcmp(v.buf, "-"))
		emit_str(e, profile_col_name(c), NULL);
	else if (profile_col_is_number(c))
		emit_f64(e, profile_col_name(c), strtod(v.buf, NULL), 2);
	else
		emit_str(e, profile_col_name(c), v.buf);
	obuf_free(&v);
	return 0;
}

/* What is said of a row on any level; its object stays open. */
static int emit_numbers(const struct faces *f, struct emit *e, const struct profile_row *row,
			unsigned level)
{
	int ret = 0;

	emit_object(e, NULL);
	for (size_t i = 0; !ret && i < profile_nr_cols(f->p); i++)
		ret = emit_col(f, e, row, profile_col(f->p, i));
	for (size_t i = 0;
	     profile_nr_levels(f->p) && !ret && i < profile_level_nr_cols(f->p, level); i++)
		ret = emit_col(f, e, row, profile_level_col(f->p, level, i));
	emit_u64(e, "samples", row->nr);
	emit_u64(e, "weight", row->period);
	if (f->po->children)
		emit_u64(e, "weight_children", row->acc);
	profile_row_json(f->p, row, e);
	return ret;
}

static int emit_row(const struct faces *f, struct emit *e, const struct profile_row *row,
		    unsigned level)
{
	struct call_node root;
	int ret = emit_numbers(f, e, row, level);

	if (!ret && f->po->use_chains && f->po->chain.style != CHAIN_NONE) {
		ret = profile_tree(f->p, row, &root);
		if (!ret && root.nr_children)
			emit_tree(f, e, &root, (int)level);
	}
	emit_end(e);
	return ret;
}

/* Rows in rows: what is not on the last level has an array of those below it. */
static int emit_nested(const struct faces *f, struct emit *e, uint32_t event)
{
	unsigned open = 0, last = profile_nr_levels(f->p) - 1, level;
	size_t n = profile_nr_nested(f->p, event);
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++) {
		const struct profile_row *row = profile_nested(f->p, event, i, &level);

		if (faces_is_small(f, row))
			continue;
		for (; open > level; open--) {
			emit_end(e);
			emit_end(e);
		}
		if (level == last) {
			ret = emit_row(f, e, row, level);
			continue;
		}
		ret = emit_numbers(f, e, row, level);
		emit_array(e, "rows");
		open++;
	}
	for (; open; open--) {
		emit_end(e);
		emit_end(e);
	}
	return ret;
}

static int emit_rows(const struct faces *f, struct emit *e, uint32_t event)
{
	int ret = 0;

	if (profile_nr_levels(f->p))
		return emit_nested(f, e, event);
	for (size_t i = 0; !ret && i < profile_nr_rows(f->p, event); i++) {
		const struct profile_row *row = profile_row(f->p, event, i);

		if (!faces_is_small(f, row))
			ret = emit_row(f, e, row, 0);
	}
	return ret;
}

int faces_json(const struct faces *f)
{
	struct emit e;
	int ret = 0;

	emit_init(&e, f->out, EMIT_JSON);
	emit_object(&e, NULL);
	emit_u64(&e, "lost_samples", f->lost_samples);
	emit_array(&e, "events");
	for (size_t i = 0; !ret && i < perfdata_nr_events(f->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(f->pd, i);
		const struct profile_totals *t = profile_totals(f->p, ev->idx);

		if (f->o.skip_empty && !t->nr_samples)
			continue;
		emit_object(&e, NULL);
		emit_str(&e, "event", ev->name);
		emit_u64(&e, "samples", t->nr_samples);
		emit_u64(&e, "event_count", t->period);
		emit_array(&e, "rows");
		ret = emit_rows(f, &e, ev->idx);
		emit_end(&e);
		emit_end(&e);
	}
	emit_end(&e);
	emit_end(&e);
	emit_finish(&e);
	return ret;
}
