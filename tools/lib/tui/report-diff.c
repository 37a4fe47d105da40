// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Beside the recording that is browsed another one, from before: a column says what each row's share
 * is more or less, and a list has the largest differences, rows that are gone among them. The other
 * recording takes every step that this one takes, so that like is compared with like. A slice of
 * time is of one recording, and there is no comparison while there is one.
 *
 * Invariant: both lists of steps have the same length. When the other recording cannot take a step
 * (it did not count such a key) there is no comparison any more, and that is said.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report-int.h"

#define MOST 1000 /* rows of the list */

struct browser_diff {
	struct view_steps *steps;
	struct view_diff *d; /* NULL: see browser_diff_look() */
};

int browser_diff_new(struct browser *b, struct err *e)
{
	int ret;

	if (!b->in->before)
		return 0;
	b->diff = calloc(1, sizeof(*b->diff));
	if (!b->diff)
		return err_set(e, -ENOMEM, "no memory to compare recordings");
	ret = view_steps_new(&b->diff->steps, b->in->before, b->in->before_po, b->in->before_first,
			     e);
	if (ret)
		browser_diff_free(b);
	return ret;
}

void browser_diff_free(struct browser *b)
{
	if (!b->diff)
		return;
	view_diff_free(b->diff->d);
	view_steps_free(b->diff->steps);
	free(b->diff);
	b->diff = NULL;
}

static void give_up(struct tui *t, struct browser *b, const struct err *e)
{
	browser_diff_free(b);
	tui_message(t, "No comparison with %s any more: %s", b->in->before_name, e->text);
}

void browser_diff_step(struct tui *t, struct browser *b, const struct view_step *step)
{
	/* In place of one that means nothing there: as it is. */
	const struct view_step none = { .kind = VIEW_STEP_RELATIVE, .on = b->o.relative };
	struct err e = { 0 };

	if (!b->diff)
		return;
	if (step->kind == VIEW_STEP_OP && step->op.kind == TABLE_TIME)
		step = &none;
	if (view_steps_push(b->diff->steps, step, &e))
		give_up(t, b, &e);
}

void browser_diff_go(struct tui *t, struct browser *b,
		     int (*go)(struct view_steps *s, struct err *e))
{
	struct err e = { 0 };

	if (b->diff && go(b->diff->steps, &e) < 0)
		give_up(t, b, &e);
}

/* The event of the same name there; ID_NONE: it is not there. */
static uint32_t event_before(const struct browser *b)
{
	const struct perfdata_event *ev = browser_event(b), *other;

	for (size_t i = 0; ev && i < perfdata_nr_events(b->in->before_po->pd); i++) {
		other = perfdata_event(b->in->before_po->pd, i);
		if (!strcmp(ev->name, other->name))
			return other->idx;
	}
	return ID_NONE;
}

static bool in_slice(const struct browser *b)
{
	for (size_t i = 0; i < view_steps_nr(b->steps, NULL); i++) {
		const struct view_step *s = view_steps_at(b->steps, i);

		if (s->kind == VIEW_STEP_OP && s->op.kind == TABLE_TIME)
			return true;
	}
	return false;
}

/* Nothing to compare with in a slice of time, or where the other one has no such event. */
int browser_diff_look(struct browser *b, struct err *e)
{
	uint32_t event = b->diff && !in_slice(b) ? event_before(b) : ID_NONE;

	if (!b->diff)
		return 0;
	view_diff_free(b->diff->d);
	b->diff->d = NULL;
	return event == ID_NONE ? 0
				: view_diff_new(&b->diff->d, view_steps_view(b->diff->steps), event,
						b->f.v, b->event, e);
}

bool browser_diff_shown(const struct browser *b)
{
	return b->diff && b->diff->d;
}

/* What chance may have made is dimmed, as in the text of perf diff. */
static enum tui_role role_of(const struct browser *b, const struct view_pair *pair)
{
	double by = pair->share[1] - pair->share[0];

	if (view_diff_is_noise(b->diff->d, pair))
		return TUI_DIM;
	return fabs(by) >= 5 ? TUI_TOP : fabs(by) >= 0.5 ? TUI_MEDIUM : TUI_NORMAL;
}

void browser_diff_cell(const struct browser *b, const struct keys_row *row, struct tui_pen *p)
{
	const struct view_pair *pair = view_diff_of(b->diff->d, row);
	double by = pair ? pair->share[1] - pair->share[0] : 0;

	if (!pair) /* rows above others */
		tui_putf(p, TUI_DIM, "%*s", BROWSER_DIFF_WIDTH, "");
	else if (!pair->before)
		tui_putf(p, role_of(b, pair), "%*s", BROWSER_DIFF_WIDTH, "new");
	else
		tui_putf(p, role_of(b, pair), "%+*.2f%%", BROWSER_DIFF_WIDTH - 1, by);
}

/* ---- the list -------------------------------------------------------------------------------- */

static void put_row(const struct view *v, const struct keys_row *row, struct obuf *o)
{
	for (size_t i = 0; i < view_nr_cols(v); i++) {
		const struct keys_col *c = view_col(v, i);

		if (c->key->at == KEY_STAT)
			continue;
		obuf_lit(o, "  ");
		browse_key_text(v, row, c, o);
	}
	/* Levels have their keys to themselves. */
	for (unsigned l = 0; l < view_nr_levels(v); l++)
		for (size_t i = 0; i < view_level_nr_cols(v, l); i++) {
			obuf_lit(o, "  ");
			browse_key_text(v, row, view_level_col(v, l, i), o);
		}
}

static void put_pair(const struct browser *b, const struct view_pair *pair, struct obuf *o)
{
	obuf_printf(o, "%+7.2f%%  %6.2f%%", pair->share[1] - pair->share[0],
		    view_diff_noise(b->diff->d, pair));
	for (int side = 0; side < 2; side++) {
		if (side ? pair->after : pair->before)
			obuf_printf(o, "  %6.2f%%", pair->share[side]);
		else
			obuf_printf(o, "  %7s", "-");
	}
	if (pair->after)
		put_row(b->f.v, pair->after, o);
	else
		put_row(view_steps_view(b->diff->steps), pair->before, o);
	obuf_char(o, '\n');
}

enum tui_answer browser_differences(struct tui *t, struct tui_view *v)
{
	enum tui_answer a = TUI_STAY;
	struct browser *b = v->ctx;
	char title[128];
	struct obuf o;
	size_t n;

	if (!browser_diff_shown(b)) {
		tui_message(t, !b->diff	     ? "Nothing to compare with: perf report --diff FILE"
			       : in_slice(b) ? "Slices of time are of one recording: u, then ="
					     : "The other recording has no such event");
		return TUI_STAY;
	}
	if (obuf_init(&o, -1, 0))
		return TUI_STAY;
	n = view_diff_nr(b->diff->d);
	obuf_lit(&o, "  Delta     Noise   Before    After\n");
	for (size_t i = 0; i < n && i < MOST; i++)
		put_pair(b, view_diff_at(b->diff->d, i), &o);
	if (n > MOST)
		obuf_printf(&o, "and %zu rows with smaller differences\n", n - MOST);
	obuf_char(&o, 0);
	snprintf(title, sizeof(title), "Differences from %s", b->in->before_name);
	if (!o.code)
		a = tui_window(t, title, o.buf);
	obuf_free(&o);
	return a;
}
