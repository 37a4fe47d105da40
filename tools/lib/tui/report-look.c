// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is seen is made of the recording's table and the steps that were taken, from the first to the
 * last, each time anew. So undoing is to take one step less, and nothing has to know how to go
 * back. What was made before goes only when what comes after is there: a step that fails changes
 * nothing.
 *
 * The cursor stays on its row, and what was unfolded stays so, by identity (browse-int.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "report-int.h"

/* ---- steps ----------------------------------------------------------------------------------- */

static const struct {
	const char *name; /* in breadcrumbs, before the step's text */
	bool said_elsewhere;
} kinds[] = {
	[STEP_COMM] = { "comm", false },     [STEP_DSO] = { "dso", false },
	[STEP_PART] = { "symbol", false },   [STEP_LIMIT] = { "limit", false },
	[STEP_SHARES] = { "shares", false }, [STEP_CALLERS] = { "trees", false },
	[STEP_LEVELS] = { "rows", false },   [STEP_KEYS] = { "keys", false },
	[STEP_SELF] = { "cost", false },
};

void browser_step_text(const struct browser_step *s, struct obuf *o)
{
	obuf_str(o, kinds[s->kind].name);
	obuf_char(o, ' ');
	emit_safe(o, *s->text ? s->text : "any");
}

const struct browser_step *browser_last(const struct browser *b, enum step_kind kind)
{
	for (size_t i = b->nr_steps; i-- > 0;)
		if (b->steps.v[i].kind == kind)
			return &b->steps.v[i];
	return NULL;
}

void browser_steps_free(struct browser *b, size_t from)
{
	for (size_t i = from; i < b->steps.n; i++)
		free(b->steps.v[i].text);
	if (b->steps.n > from)
		b->steps.n = from;
	if (!from)
		vec_free(&b->steps);
}

/* ---- a look ---------------------------------------------------------------------------------- */

/* What a view can be asked for. */
struct look {
	struct keys_opts o;
	struct view_filter filter;
	double min_percent;
};

static void apply(struct look *l, const struct browser_step *s)
{
	const char *text = s->text;

	switch (s->kind) {
	case STEP_COMM: l->filter.comms = text; break;
	case STEP_DSO: l->filter.dsos = text; break;
	case STEP_PART: l->filter.symbol_part = *text ? text : NULL; break;
	case STEP_LIMIT: l->min_percent = l->o.chain.min_percent = strtod(text, NULL); break;
	case STEP_SHARES: l->o.relative = *text == 'r'; break;
	case STEP_CALLERS:
		l->o.chain.caller = !strcmp(text, "callers");
		l->o.chain.order_set = true;
		break;
	case STEP_LEVELS: l->o.hierarchy = !strcmp(text, "levels"); break;
	case STEP_SELF: l->o.children = !strcmp(text, "with callees"); break;
	case STEP_KEYS:
		l->o.sort = text;
		l->o.fields = NULL;
		break;
	}
}

static bool filters(const struct view_filter *f)
{
	return f->comms || f->dsos || f->symbol_part;
}

/* The view, and the rows in it. */
static int make(struct browser *b, const struct look *l, struct view **v, struct browse_rows *rows,
		struct err *e)
{
	int ret = view_new(v, b->in->f->t, &l->o, filters(&l->filter) ? &l->filter : NULL, e);

	if (ret)
		return ret;
	/* Its options must stay where the rows find them: the caller moves them there. */
	ret = browse_rows_init(rows, *v, b->event, &b->o, l->min_percent);
	if (ret) {
		view_free(*v);
		return err_set(e, ret, "no memory for rows");
	}
	return 0;
}

static void drop(struct browser *b)
{
	if (b->have_rows)
		browse_rows_free(&b->rows);
	view_free(b->f.v);
	b->f.v = NULL;
	b->have_rows = false;
}

int browser_look(struct browser *b, struct err *e)
{
	struct look l = { .o = *b->in->f->po, .min_percent = b->in->f->o.min_percent };
	struct keys_opts before = b->o;
	struct browse_rows rows;
	struct browse_line line;
	struct view *v = NULL;
	uint64_t id = 0;
	int64_t at;
	int ret;

	for (size_t i = 0; i < b->nr_steps; i++)
		apply(&l, &b->steps.v[i]);
	if (b->have_rows && browser_cursor(b, &line))
		id = browse_id(&b->rows, &line);
	b->o = l.o;
	ret = make(b, &l, &v, &rows, e);
	if (ret) {
		b->o = before;
		return ret;
	}
	ret = b->have_rows ? browse_reopen(&rows, &b->rows.open) : 0;
	drop(b);
	b->rows = rows;
	b->have_rows = true;
	b->filter = l.filter;
	b->f.v = v;
	b->f.po = &b->o;
	b->f.o.min_percent = b->min_percent = l.min_percent;
	at = id ? browse_find(&b->rows, id) : -1;
	if (at >= 0)
		tui_list_go(&b->list, (uint64_t)at, false);
	return ret ? err_set(e, ret, "no memory for what was unfolded") : 0;
}

/* ---- taking steps ---------------------------------------------------------------------------- */

static int push_step(struct browser *b, enum step_kind kind, const char *text)
{
	struct browser_step s = { kind, strdup(text) };

	browser_steps_free(b, b->nr_steps); /* what was undone is gone */
	if (!s.text || vec_push(&b->steps, s)) {
		free(s.text);
		return -ENOMEM;
	}
	b->nr_steps++;
	return 0;
}

bool browser_step(struct tui *t, struct browser *b, enum step_kind kind, const char *text)
{
	struct err e = { 0 };

	if (push_step(b, kind, text)) {
		tui_message(t, "No memory for another step");
		return false;
	}
	if (browser_look(b, &e)) {
		tui_message(t, "%s", e.text);
		browser_steps_free(b, --b->nr_steps);
		return false;
	}
	if (browse_nr(&b->rows))
		return true;
	browser_steps_free(b, --b->nr_steps);
	if (browser_look(b, &e))
		tui_message(t, "%s", e.text);
	else
		tui_message(t, "Nothing would be left of %s", text);
	return false;
}

static enum tui_answer go(struct tui *t, struct browser *b, size_t nr)
{
	size_t before = b->nr_steps;
	struct err e = { 0 };

	b->nr_steps = nr;
	if (browser_look(b, &e)) {
		b->nr_steps = before;
		tui_message(t, "%s", e.text);
	}
	return TUI_STAY;
}

enum tui_answer browser_undo(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (b->nr_steps)
		return go(t, b, b->nr_steps - 1);
	tui_message(t, "Nothing was done that could be undone");
	return TUI_STAY;
}

enum tui_answer browser_redo(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (b->nr_steps < b->steps.n)
		return go(t, b, b->nr_steps + 1);
	tui_message(t, "Nothing was undone");
	return TUI_STAY;
}
