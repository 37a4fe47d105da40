// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slice of time is picked on a line of how many samples there were when: of what is seen, so that what
 * was zoomed into shows its own times. The rich table counts by slices, and those are what can be
 * picked; a cell of the line is one of them or several.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report-int.h"

struct picker {
	struct browser *b;
	struct table_time time;
	const struct table_count *v; /* by slice */
	uint32_t from, to;	     /* slices [from, to) */
	int cols;		     /* of the line when it was painted last */
	struct tui_view view;
};

/* Slices in a cell, at least one. */
static uint32_t stride(const struct picker *p)
{
	uint32_t cols = p->cols > 0 ? (uint32_t)p->cols : 1;

	return (p->time.nr + cols - 1) / cols;
}

static struct table_count sum(const struct picker *p, uint32_t from, uint32_t to)
{
	struct table_count c = { 0 };

	for (uint32_t i = from; i < to && i < p->time.nr; i++) {
		c.nr += p->v[i].nr;
		c.period += p->v[i].period;
	}
	return c;
}

/* Seconds, as perf script has them. */
static double at(const struct picker *p, uint32_t slice)
{
	return (double)(p->time.start + slice * p->time.width) / 1e9;
}

/* ---- the lines ------------------------------------------------------------------------------- */

static void paint_line(struct picker *p, struct tui_screen *s, int row)
{
	static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	uint32_t each = stride(p), nr = (p->time.nr + each - 1) / each;
	struct tui_pen pen = { .s = s, .row = row, .end = s->cols };
	uint64_t most = 1;

	for (uint32_t i = 0; i < nr; i++)
		most = max_u64(most, sum(p, i * each, (i + 1) * each).period);
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t n = sum(p, i * each, (i + 1) * each).period;
		bool in = (i + 1) * each > p->from && i * each < p->to;
		/* Few samples are still some. */
		unsigned level = (unsigned)((double)n / (double)most * 8 + (n ? 0.999 : 0));

		tui_put(&pen, in ? TUI_SELECTED : TUI_BAR, bars[level > 8 ? 8 : level]);
	}
}

static void paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct picker *p = v->ctx;
	struct table_count all = sum(p, 0, p->time.nr), in = sum(p, p->from, p->to);
	struct tui_pen pen;

	p->cols = s->cols;
	row += rows > 3 ? rows - 3 : 0;
	tui_fill(s, row, 0, 3, s->cols, TUI_NORMAL);
	tui_fill(s, row, 0, 1, s->cols, TUI_HEAD);
	pen = (struct tui_pen){ .s = s, .row = row, .end = s->cols };
	tui_putf(&pen, TUI_HEAD, "%.6f s to %.6f s, %.3f s of %.3f s: %.2f%%, %llu samples",
		 at(p, p->from), at(p, p->to), at(p, p->to) - at(p, p->from),
		 at(p, p->time.nr) - at(p, 0),
		 all.period ? 100.0 * (double)in.period / (double)all.period : 0,
		 (unsigned long long)in.nr);
	paint_line(p, s, row + 1);
	tui_fill(s, row + 2, 0, 1, s->cols, TUI_ROOT);
	pen = (struct tui_pen){ .s = s, .row = row + 2, .end = s->cols };
	tui_put(&pen, TUI_ROOT,
		"Left, Right: move  Up, Down: wider, narrower  Enter: only this time  Esc: back");
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void move(struct picker *p, bool back)
{
	uint32_t width = p->to - p->from, by = stride(p);

	if (back)
		by = by < p->from ? by : p->from;
	else
		by = by < p->time.nr - p->to ? by : p->time.nr - p->to;
	p->from = back ? p->from - by : p->from + by;
	p->to = p->from + width;
}

static enum tui_answer key_left(struct tui *t, struct tui_view *v)
{
	(void)t;
	move(v->ctx, true);
	return TUI_STAY;
}

static enum tui_answer key_right(struct tui *t, struct tui_view *v)
{
	(void)t;
	move(v->ctx, false);
	return TUI_STAY;
}

static enum tui_answer key_wider(struct tui *t, struct tui_view *v)
{
	struct picker *p = v->ctx;
	uint32_t by = stride(p);

	(void)t;
	p->from -= by < p->from ? by : p->from;
	p->to += by < p->time.nr - p->to ? by : p->time.nr - p->to;
	return TUI_STAY;
}

static enum tui_answer key_narrower(struct tui *t, struct tui_view *v)
{
	struct picker *p = v->ctx;
	uint32_t by = stride(p);

	(void)t;
	if (p->to - p->from > 2 * by) {
		p->from += by;
		p->to -= by;
	} else if (p->to - p->from > by) {
		p->to = p->from + by;
	}
	return TUI_STAY;
}

static enum tui_answer key_home(struct tui *t, struct tui_view *v)
{
	struct picker *p = v->ctx;

	(void)t;
	p->to -= p->from;
	p->from = 0;
	return TUI_STAY;
}

static enum tui_answer key_end(struct tui *t, struct tui_view *v)
{
	struct picker *p = v->ctx;

	(void)t;
	p->from += p->time.nr - p->to;
	p->to = p->time.nr;
	return TUI_STAY;
}

static enum tui_answer key_take(struct tui *t, struct tui_view *v)
{
	struct picker *p = v->ctx;
	const struct view_step step = {
		.kind = VIEW_STEP_OP,
		.op = { .kind = TABLE_TIME,
			.from = p->time.start + p->from * p->time.width,
			.to = p->time.start + p->to * p->time.width },
	};

	if (!browser_step(t, p->b, &step))
		return TUI_STAY;
	tui_message(t, "Only this time; Esc or u takes it back");
	return TUI_BACK;
}

static enum tui_answer key_back(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	return TUI_BACK;
}

static const struct tui_key keys[] = {
	{ TUI_LEFT, "Left, Right", "an earlier or later slice", key_left },
	{ TUI_RIGHT, NULL, NULL, key_right },
	{ TUI_UP, "Up, Down", "a longer or shorter one", key_wider },
	{ TUI_DOWN, NULL, NULL, key_narrower },
	{ TUI_HOME, "Home, End", "the first or last one", key_home },
	{ TUI_END, NULL, NULL, key_end },
	{ TUI_ENTER, "Enter", "only samples of this time", key_take },
	{ 'q', "q, Esc", "back to all of it", key_back },
	{ 'T', NULL, NULL, key_back },
	{ 0 },
};

static const struct tui_view_ops ops = {
	.name = "slices of time",
	.keys = keys,
	.paint = paint,
	.overlay = true,
};

enum tui_answer browser_time(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	struct picker p = { .b = b, .cols = 80 };
	uint32_t nr;

	p.time = table_time(view_steps_table(b->steps));
	p.v = table_over_time(view_steps_table(b->steps), b->event);
	if (!p.v || !p.time.nr) {
		tui_message(t, "The samples of this event have no times");
		return TUI_STAY;
	}
	/* A tenth, where most happens: where it begins. */
	nr = p.time.nr / 10 ? p.time.nr / 10 : 1;
	for (uint32_t i = 0; i + nr <= p.time.nr; i += nr)
		if (sum(&p, i, i + nr).period > sum(&p, p.from, p.from + nr).period)
			p.from = i;
	p.to = p.from + nr;
	p.view = (struct tui_view){ .ops = &ops, .ctx = &p };
	return tui_run(t, &p.view);
}
