// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is seen is what the steps give that were taken (room view, which can undo and redo them), as
 * lines of a list. What was shown before goes only when what comes after is there: a step that
 * fails, or leaves nothing to look at, changes nothing.
 *
 * The cursor stays on its row, and what was unfolded stays so, by identity (browse-int.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "report-int.h"

const struct view_step *browser_last(const struct browser *b, enum view_step_kind kind)
{
	for (size_t i = view_steps_nr(b->steps, NULL); i-- > 0;)
		if (view_steps_at(b->steps, i)->kind == kind)
			return view_steps_at(b->steps, i);
	return NULL;
}

const struct view_step *browser_newest(const struct browser *b)
{
	size_t nr = view_steps_nr(b->steps, NULL);

	return nr ? view_steps_at(b->steps, nr - 1) : NULL;
}

/* What to do about it stands in a line of its own: on a screen there is one. */
void browser_error(struct tui *t, const struct err *e)
{
	char text[sizeof(e->text)];

	snprintf(text, sizeof(text), "%s", e->text);
	for (char *c = text; *c; c++)
		if (*c == '\n')
			*c = ' ';
	tui_message(t, "%s", text);
}

/* ---- a look ---------------------------------------------------------------------------------- */

int browser_look(struct browser *b, struct err *e)
{
	const struct view_step *limit = browser_last(b, VIEW_STEP_LIMIT);
	double min_percent = limit ? limit->percent : b->in->f->o.min_percent;
	struct view *v = view_steps_view(b->steps);
	struct browse_rows *rows = calloc(1, sizeof(*rows));
	struct keys_opts before = b->o;
	struct browse_line line;
	uint64_t id = 0;
	int64_t at;
	int ret;

	if (b->rows && browser_cursor(b, &line))
		id = browse_id(b->rows, &line);
	/* Rows that are shown look at these options, too: they go below. */
	b->o = *view_steps_opts(b->steps);
	ret = rows ? browse_rows_init(rows, v, b->event, &b->o, min_percent) : -ENOMEM;
	if (ret) {
		free(rows);
		b->o = before;
		return err_set(e, ret, "no memory for rows");
	}
	rows->verbose = b->verbose;
	if (b->rows) {
		ret = browse_reopen(rows, &b->rows->open);
		browse_rows_free(b->rows);
		free(b->rows);
	}
	b->rows = rows;
	b->f.t = view_steps_table(b->steps);
	b->f.v = v;
	b->f.po = &b->o;
	b->f.o.min_percent = b->min_percent = min_percent;
	at = id ? browse_find(b->rows, id) : -1;
	if (at >= 0)
		tui_list_go(&b->list, (uint64_t)at, false);
	if (ret)
		return err_set(e, ret, "no memory for what was unfolded");
	return browser_diff_look(b, e);
}

/* ---- taking steps ---------------------------------------------------------------------------- */

/* @was: what undoes what was done to the list of steps. */
static bool look_or(struct tui *t, struct browser *b,
		    int (*was)(struct view_steps *s, struct err *e))
{
	struct err e = { 0 };

	if (!browser_look(b, &e))
		return true;
	browser_error(t, &e);
	/* That is kept, and needs no memory that was not there. */
	if (was(b->steps, &e))
		browser_error(t, &e);
	browser_diff_go(t, b, was);
	return false;
}

static void say_empty(struct tui *t, const struct view_step *step)
{
	struct obuf o;

	if (obuf_init(&o, -1, 0))
		return;
	view_step_text(step, &o);
	obuf_char(&o, 0);
	if (!o.code)
		tui_message(t, "Nothing would be left: %s", o.buf);
	obuf_free(&o);
}

bool browser_step(struct tui *t, struct browser *b, const struct view_step *step)
{
	struct err e = { 0 };

	if (view_steps_push(b->steps, step, &e)) {
		browser_error(t, &e);
		return false;
	}
	browser_diff_step(t, b, step);
	if (!look_or(t, b, view_steps_undo))
		return false;
	if (browse_nr(b->rows))
		return true;
	if (view_steps_undo(b->steps, &e)) {
		browser_error(t, &e);
		return true;
	}
	browser_diff_go(t, b, view_steps_undo);
	view_steps_forget(b->steps);
	if (look_or(t, b, view_steps_undo))
		say_empty(t, step);
	return false;
}

/* @back: what undoes it. */
static enum tui_answer go(struct tui *t, struct browser *b,
			  int (*to)(struct view_steps *s, struct err *e),
			  int (*back)(struct view_steps *s, struct err *e), const char *nothing)
{
	struct err e = { 0 };
	int ret = to(b->steps, &e);

	if (ret > 0) {
		tui_message(t, "%s", nothing);
	} else if (ret) {
		browser_error(t, &e);
	} else {
		browser_diff_go(t, b, to);
		look_or(t, b, back);
	}
	return TUI_STAY;
}

enum tui_answer browser_undo(struct tui *t, struct tui_view *v)
{
	return go(t, v->ctx, view_steps_undo, view_steps_redo,
		  "Nothing was done that could be undone");
}

enum tui_answer browser_redo(struct tui *t, struct tui_view *v)
{
	return go(t, v->ctx, view_steps_redo, view_steps_undo, "Nothing was undone");
}
