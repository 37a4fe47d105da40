// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The head line. To the left what upstream's says, and the steps that were taken; to the right, which
 * is never cut, where the samples come from and what was lost: nobody shall take software's
 * branches for the hardware's, or half a recording for the whole.
 */
#include <stdio.h>

#include "dump/dump.h"
#include "report-int.h"

/* "6K": thousands are counted off above 1000, one letter each time. */
static void put_short(struct obuf *o, uint64_t n)
{
	char unit = 0;

	for (const char *u = "KMG"; *u && n > 1000; u++) {
		n /= 1000;
		unit = *u;
	}
	obuf_dec(o, n);
	if (unit)
		obuf_char(o, unit);
}

void browser_event_names(const struct browser *b, uint32_t event, struct obuf *o)
{
	const struct perfdata_event *ev = perfdata_event(b->f.pd, event);
	uint32_t members = table_members(b->f.t, event);

	if (members < 2) {
		emit_safe(o, ev->name);
		return;
	}
	emit_safe(o, ev->group && *ev->group ? ev->group : "anon group");
	obuf_lit(o, " { ");
	for (uint32_t m = 0; m < members; m++) {
		if (m)
			obuf_lit(o, ", ");
		emit_safe(o, perfdata_event(b->f.pd, event + m)->name);
	}
	obuf_lit(o, " }");
}

/* @all: with the sum of periods, which goes first where there is little room. */
static void put_counts(const struct browser *b, bool all, struct obuf *o)
{
	uint32_t members = table_members(b->f.t, b->event);
	uint64_t samples = 0, period = 0;

	for (uint32_t m = 0; m < members; m++) {
		const struct table_totals *t = view_totals(b->f.v, b->event + m);

		samples += b->o.relative ? t->nr_filtered_samples : t->nr_samples;
		period += b->o.relative ? t->filtered_period : t->period;
	}
	obuf_lit(o, "Samples: ");
	put_short(o, samples);
	obuf_str(o, members > 1 ? " of events '" : " of event '");
	browser_event_names(b, b->event, o);
	obuf_char(o, '\'');
	if (!all)
		return;
	obuf_lit(o, ", Event count (approx.): ");
	obuf_dec(o, period);
}

/* "software": what the kernel's or our own timers took; "branches software": walked by the tracer. */
static void put_source(const struct browser *b, struct obuf *o)
{
	const struct perfdata_event *ev = browser_event(b);
	size_t start = o->len;

	dump_sample_source(b->f.pd, o);
	if (o->len > start) {
		o->len = start;
		obuf_lit(o, "software");
		return;
	}
	obuf_str(o, ev->attr.type == PERF_TYPE_SOFTWARE	    ? "software clock"
		    : ev->attr.type == PERF_TYPE_TRACEPOINT ? "tracepoint"
							    : "hardware");
}

static void put_state(const struct browser *b, struct obuf *o)
{
	obuf_lit(o, " [");
	put_source(b, o);
	obuf_lit(o, ", lost ");
	obuf_dec(o, b->f.lost_samples);
	if (b->in->partial)
		obuf_lit(o, ", PARTIAL");
	obuf_char(o, ']');
}

static void put_steps(const struct browser *b, struct obuf *o)
{
	for (size_t i = 0; i < view_steps_nr(b->steps, NULL); i++) {
		obuf_lit(o, " > ");
		view_step_text(view_steps_at(b->steps, i), o);
	}
}

/* What stands to the left; the buffer is the caller's. */
static const char *left_text(const struct browser *b, bool all, struct obuf *o)
{
	o->len = 0;
	put_counts(b, all, o);
	put_steps(b, o);
	obuf_char(o, 0);
	return o->code ? "" : o->buf;
}

void browser_title(struct tui_view *v, struct tui_pen *p)
{
	struct browser *b = v->ctx;
	struct obuf left, right;
	int width = p->end - p->col, state;
	const char *text;

	if (!browser_event(b) || obuf_init(&left, -1, 0))
		return;
	if (!obuf_init(&right, -1, 0)) {
		put_state(b, &right);
		obuf_char(&right, 0);
		state = right.code ? 0 : tui_width(right.buf);
		state = state > width ? width : state;
		text = left_text(b, true, &left);
		if (tui_width(text) > width - state)
			text = left_text(b, false, &left);
		tui_field(p, TUI_ROOT, width - state, text);
		if (state)
			tui_field(p, TUI_ROOT, state, right.buf);
		obuf_free(&right);
	}
	obuf_free(&left);
}

/* What text has as comments before its rows. */
void browser_about(struct tui_view *v, struct obuf *o)
{
	const struct browser *b = v->ctx;
	const struct acc *acc;
	bool any = false;

	for (unsigned i = 0; (acc = keys_acc_at(i)); i++) {
		if (!acc->legend || !acc->shown(&b->o))
			continue;
		keys_acc_legend(acc, o);
		obuf_char(o, '\n');
		any = true;
	}
	if (any && b->o.children)
		obuf_lit(o, FACES_NO_SELF "\n");
}
