// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys that take a step: into an object, a command, a part of the symbols; another order, other
 * levels, trees the other way round. What a step means is report-look.c's.
 *
 * A key that zooms in takes a step; pressed again where nothing but that is seen it undoes it, as in
 * upstream's browser.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report-int.h"

/* Text of key @name (or @name2) of the row at the cursor; NULL: rows are not told apart by it. */
static const char *key_at_cursor(struct browser *b, const char *name, const char *name2)
{
	const struct view *v = b->f.v;
	struct browse_line l;

	if (!browser_cursor(b, &l) || !l.row)
		return NULL;
	b->cell.len = 0;
	for (size_t i = 0; i < view_nr_cols(v) && !b->cell.len; i++) {
		const char *is = view_col_name(view_col(v, i));

		if (!strcmp(is, name) || !strcmp(is, name2))
			browse_key_text(v, l.row, view_col(v, i), &b->cell);
	}
	/* Rows above others are like the first of these: only their own levels count. */
	for (unsigned at = 0; at < view_nr_levels(v) && at <= l.level && !b->cell.len; at++)
		for (size_t i = 0; i < view_level_nr_cols(v, at); i++) {
			const char *is = view_col_name(view_level_col(v, at, i));

			if (!strcmp(is, name) || !strcmp(is, name2))
				browse_key_text(v, l.row, view_level_col(v, at, i), &b->cell);
		}
	if (!b->cell.len)
		return NULL;
	obuf_char(&b->cell, 0);
	return b->cell.code ? NULL : b->cell.buf;
}

static enum tui_answer zoom(struct tui *t, struct browser *b, enum step_kind kind, const char *key,
			    const char *key_to)
{
	const char *text;

	if (b->nr_steps && b->steps.v[b->nr_steps - 1].kind == kind)
		return browser_undo(t, &b->view);
	text = key_at_cursor(b, key, key_to);
	if (!text)
		tui_message(t, "Rows here are not told apart by %s: add it to the keys (o)", key);
	else if (browser_step(t, b, kind, text))
		tui_message(t, "Only %s %s; Esc or u takes it back", key, text);
	return TUI_STAY;
}

enum tui_answer browser_zoom_dso(struct tui *t, struct tui_view *v)
{
	return zoom(t, v->ctx, STEP_DSO, "dso", "dso_to");
}

enum tui_answer browser_zoom_comm(struct tui *t, struct tui_view *v)
{
	return zoom(t, v->ctx, STEP_COMM, "comm", "comm");
}

enum tui_answer browser_zoom_kernel(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	const struct browser_step *last = b->nr_steps ? &b->steps.v[b->nr_steps - 1] : NULL;

	if (last && last->kind == STEP_DSO && !strcmp(last->text, "[kernel.kallsyms]"))
		return browser_undo(t, v);
	browser_step(t, b, STEP_DSO, "[kernel.kallsyms]");
	return TUI_STAY;
}

/* ---- what is typed --------------------------------------------------------------------------- */

enum tui_answer browser_filter(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	const struct browser_step *last = browser_last(b, STEP_PART);
	char buf[128];

	snprintf(buf, sizeof(buf), "%s", last ? last->text : "");
	if (tui_input(t, "Only symbols with (empty: all): ", buf, sizeof(buf), NULL, NULL, NULL) &&
	    (*buf || last))
		browser_step(t, b, STEP_PART, buf);
	return TUI_STAY;
}

enum tui_answer browser_limit(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	char buf[32], *end;
	double percent;

	snprintf(buf, sizeof(buf), "%g", b->min_percent);
	if (!tui_input(t, "Leave out rows below, in percent: ", buf, sizeof(buf), NULL, NULL, NULL))
		return TUI_STAY;
	percent = strtod(buf, &end);
	if (end == buf || (*end && strcmp(end, "%") != 0) || !(percent >= 0 && percent <= 100))
		tui_message(t, "`%s' is no number from 0 to 100", buf);
	else
		browser_step(t, b, STEP_LIMIT, buf);
	return TUI_STAY;
}

enum tui_answer browser_sort(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	const char *now = view_sort_text(b->f.v);
	char buf[256];

	snprintf(buf, sizeof(buf), "%s", now ?: "");
	if (tui_input(t, "Keys of rows: ", buf, sizeof(buf), NULL, NULL, NULL) && *buf)
		browser_step(t, b, STEP_KEYS, buf);
	return TUI_STAY;
}

/* ---- what is turned over --------------------------------------------------------------------- */

enum tui_answer browser_shares(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (browser_step(t, b, STEP_SHARES, b->o.relative ? "absolute" : "relative"))
		tui_message(t, b->o.relative ? "Shares of what is shown" : "Shares of everything");
	return TUI_STAY;
}

enum tui_answer browser_callers(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (!b->o.use_chains)
		tui_message(t, "This recording has no call chains: record with -g");
	else if (browser_step(t, b, STEP_CALLERS, b->o.chain.caller ? "callees" : "callers"))
		tui_message(t, b->o.chain.caller ? "Trees begin with the outermost caller"
						 : "Trees begin with the function itself");
	return TUI_STAY;
}

enum tui_answer browser_levels(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	browser_step(t, b, STEP_LEVELS, b->o.hierarchy ? "flat" : "levels");
	return TUI_STAY;
}

enum tui_answer browser_self(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (!b->in->f->po->children)
		tui_message(t,
			    "What callees cost was not counted: it needs call chains (record -g)");
	else
		browser_step(t, b, STEP_SELF, b->o.children ? "self" : "with callees");
	return TUI_STAY;
}
