// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --json: the same rows and call trees as objects. */
#include <stdlib.h>

#include "report.h"

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

static void emit_tree(struct report *r, struct emit *e, const struct call_node *n, int depth)
{
	emit_array(e, "children");
	/* The emitter nests so deep and no deeper; each level takes two. */
	for (uint32_t i = 0; i < n->nr_children && depth < EMIT_MAX_DEPTH / 2 - 6; i++) {
		const struct call_node *c = &n->child[i];
		struct obuf name;

		emit_object(e, NULL);
		emit_array(e, "frames");
		for (uint32_t f = 0; f < c->nr_frames; f++) {
			if (obuf_init(&name, -1, 0))
				break;
			profile_frame(r->p, c->frames[f], &name);
			obuf_char(&name, 0);
			emit_str(e, NULL, name.buf);
			obuf_free(&name);
		}
		emit_end(e);
		if (c->notes) {
			emit_array(e, "branches");
			for (uint32_t f = 0; f < c->nr_frames; f++)
				emit_note(e, &c->notes[f]);
			emit_end(e);
		}
		emit_u64(e, "period", c->cumul);
		emit_u64(e, "count", c->cumul_count);
		emit_u64(e, "self", c->hit);
		if (c->nr_children)
			emit_tree(r, e, c, depth + 1);
		emit_end(e);
	}
	emit_end(e);
}

static int emit_col(struct report *r, struct emit *e, const struct profile_row *row,
		    const struct profile_col *c)
{
	struct obuf v;

	if (obuf_init(&v, -1, 0))
		return -ENOMEM;
	profile_value(r->p, row, c, &v);
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
static int emit_numbers(struct report *r, struct emit *e, const struct profile_row *row,
			unsigned level)
{
	int ret = 0;

	emit_object(e, NULL);
	for (size_t i = 0; !ret && i < profile_nr_cols(r->p); i++)
		ret = emit_col(r, e, row, profile_col(r->p, i));
	for (size_t i = 0;
	     profile_nr_levels(r->p) && !ret && i < profile_level_nr_cols(r->p, level); i++)
		ret = emit_col(r, e, row, profile_level_col(r->p, level, i));
	emit_u64(e, "samples", row->nr);
	emit_u64(e, "weight", row->period);
	if (r->po.children)
		emit_u64(e, "weight_children", row->acc);
	if (r->po.branch) {
		const struct branch_counts *b = profile_branch_counts(r->p, row);

		if (row->nr > b->nr_unflagged)
			emit_u64(e, "mispredicted", b->nr_mispred);
		else
			emit_str(e, "mispredicted", NULL);
		emit_u64(e, "cycles", b->cycles);
		emit_u64(e, "with_cycles", b->nr_cycles);
	}
	return ret;
}

static int emit_row(struct report *r, struct emit *e, const struct profile_row *row, unsigned level)
{
	struct call_node root;
	int ret = emit_numbers(r, e, row, level);

	if (!ret && r->po.use_chains && r->po.chain.style != CHAIN_NONE) {
		ret = profile_tree(r->p, row, &root);
		if (!ret && root.nr_children)
			emit_tree(r, e, &root, (int)level);
	}
	emit_end(e);
	return ret;
}

/* Rows in rows: what is not on the last level has an array of those below it. */
static int emit_nested(struct report *r, struct emit *e, uint32_t event)
{
	unsigned open = 0, last = profile_nr_levels(r->p) - 1, level;
	size_t n = profile_nr_nested(r->p, event);
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++) {
		const struct profile_row *row = profile_nested(r->p, event, i, &level);

		if (report_is_small(r, row))
			continue;
		for (; open > level; open--) {
			emit_end(e);
			emit_end(e);
		}
		if (level == last) {
			ret = emit_row(r, e, row, level);
			continue;
		}
		ret = emit_numbers(r, e, row, level);
		emit_array(e, "rows");
		open++;
	}
	for (; open; open--) {
		emit_end(e);
		emit_end(e);
	}
	return ret;
}

static int emit_rows(struct report *r, struct emit *e, uint32_t event)
{
	int ret = 0;

	if (profile_nr_levels(r->p))
		return emit_nested(r, e, event);
	for (size_t i = 0; !ret && i < profile_nr_rows(r->p, event); i++) {
		const struct profile_row *row = profile_row(r->p, event, i);

		if (!report_is_small(r, row))
			ret = emit_row(r, e, row, 0);
	}
	return ret;
}

int report_json(struct report *r)
{
	struct emit e;
	int ret = 0;

	emit_init(&e, &r->out, EMIT_JSON);
	emit_object(&e, NULL);
	emit_u64(&e, "lost_samples", r->lost_samples);
	emit_array(&e, "events");
	for (size_t i = 0; !ret && i < perfdata_nr_events(r->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(r->pd, i);
		const struct profile_totals *t = profile_totals(r->p, ev->idx);

		if (r->o.skip_empty && !t->nr_samples)
			continue;
		emit_object(&e, NULL);
		emit_str(&e, "event", ev->name);
		emit_u64(&e, "samples", t->nr_samples);
		emit_u64(&e, "event_count", t->period);
		emit_array(&e, "rows");
		ret = emit_rows(r, &e, ev->idx);
		emit_end(&e);
		emit_end(&e);
	}
	emit_end(&e);
	emit_end(&e);
	emit_finish(&e);
	return ret;
}
