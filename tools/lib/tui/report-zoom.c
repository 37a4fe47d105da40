// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys that take a step: into an object, a command, a function's callers and callees, a part of the
 * symbols; another order, other levels, trees the other way round. What a step means is room
 * view's.
 *
 * A key that zooms in takes a step; pressed again where nothing but that is seen it undoes it, as in
 * upstream's browser.
 */
#include <stdio.h>
#include <stdlib.h>

#include "asm-int.h"
#include "report-int.h"

/* ---- about the line at the cursor ------------------------------------------------------------ */

static const char *const op_of[NR_TABLE_OPS] = {
	[TABLE_COMM] = "comm",	[TABLE_THREAD] = "tid",	  [TABLE_SOCKET] = "socket",
	[TABLE_DSO] = "dso",	[TABLE_HIDE_DSO] = "dso", [TABLE_MERGE_DSO] = "dso",
	[TABLE_SYMBOL] = "sym", [TABLE_FOCUS] = "sym",	  [TABLE_HIDE_SYMBOL] = "sym",
};

static bool line_op(const struct browser *b, const struct browse_line *l, enum table_op_kind kind,
		    struct table_op *op)
{
	if (l->kind == BROWSE_FRAME && kind != TABLE_COMM && kind != TABLE_THREAD &&
	    kind != TABLE_SOCKET)
		return view_frame_op(b->f.v, l->node->frames[l->frame], kind, op);
	return l->row && view_row_op(b->f.v, l->row, kind, op);
}

bool browser_op(struct tui *t, struct browser *b, enum table_op_kind kind, struct table_op *op)
{
	struct browse_line l;

	if (!browser_cursor(b, &l)) {
		tui_message(t, "There is no row");
		return false;
	}
	if (line_op(b, &l, kind, op))
		return true;
	if (l.kind == BROWSE_FRAME)
		tui_message(t, "This frame has no name");
	else
		tui_message(t,
			    "This row does not tell: it has no name, or %s is none of the keys "
			    "(o adds it)",
			    op_of[kind]);
	return false;
}

static bool ask(struct tui *t, struct browser *b, enum table_op_kind kind, bool not )
{
	struct view_step s = { .kind = VIEW_STEP_OP };

	if (!browser_op(t, b, kind, &s.op))
		return false;
	s.op.not = not ;
	return browser_step(t, b, &s);
}

static bool newest_is(const struct browser *b, enum table_op_kind kind)
{
	const struct view_step *s = browser_newest(b);

	return s && s->kind == VIEW_STEP_OP && s->op.kind == kind;
}

/* Into it, or out again. */
static enum tui_answer zoom(struct tui *t, struct browser *b, enum table_op_kind kind)
{
	if (newest_is(b, kind))
		return browser_undo(t, &b->view);
	if (ask(t, b, kind, false))
		tui_message(t, "Esc or u takes it back");
	return TUI_STAY;
}

/* Rows of an object, callers in it too, and not samples in it: as upstream. */
static enum tui_answer zoom_rows(struct tui *t, struct browser *b, const char *dso)
{
	const struct view_step s = { .kind = VIEW_STEP_ROWS_DSO, .text = dso };
	const struct view_step *newest = browser_newest(b);

	if (newest && newest->kind == VIEW_STEP_ROWS_DSO && (!dso || !strcmp(newest->text, dso)))
		return browser_undo(t, &b->view);
	if (dso && browser_step(t, b, &s))
		tui_message(t, "Esc or u takes it back");
	return TUI_STAY;
}

enum tui_answer browser_zoom_dso(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	const struct view_step *newest = browser_newest(b);
	struct table_op op;

	if (newest && newest->kind == VIEW_STEP_ROWS_DSO)
		return zoom_rows(t, b, NULL);
	return browser_op(t, b, TABLE_DSO, &op) ? zoom_rows(t, b, op.name) : TUI_STAY;
}

enum tui_answer browser_zoom_kernel(struct tui *t, struct tui_view *v)
{
	return zoom_rows(t, v->ctx, "[kernel.kallsyms]");
}

enum tui_answer browser_zoom_thread(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	struct browse_line l;
	struct table_op op;
	bool tids = browser_cursor(b, &l) && line_op(b, &l, TABLE_THREAD, &op);

	if (newest_is(b, TABLE_THREAD))
		return browser_undo(t, v);
	return zoom(t, b, tids ? TABLE_THREAD : TABLE_COMM);
}

enum tui_answer browser_zoom_socket(struct tui *t, struct tui_view *v)
{
	return zoom(t, v->ctx, TABLE_SOCKET);
}

enum tui_answer browser_focus(struct tui *t, struct tui_view *v)
{
	if (ask(t, v->ctx, TABLE_FOCUS, false))
		tui_message(t, "Samples that pass this function; u takes it back");
	return TUI_STAY;
}

enum tui_answer browser_ignore(struct tui *t, struct tui_view *v)
{
	if (ask(t, v->ctx, TABLE_FOCUS, true))
		tui_message(t, "Without samples that pass this function; u takes it back");
	return TUI_STAY;
}

enum tui_answer browser_hide_function(struct tui *t, struct tui_view *v)
{
	if (ask(t, v->ctx, TABLE_HIDE_SYMBOL, false))
		tui_message(t, "What it cost is its callers' now; u takes it back");
	return TUI_STAY;
}

enum tui_answer browser_hide_dso(struct tui *t, struct tui_view *v)
{
	if (ask(t, v->ctx, TABLE_HIDE_DSO, false))
		tui_message(t, "What it cost is its callers' now; u takes it back");
	return TUI_STAY;
}

enum tui_answer browser_merge_dso(struct tui *t, struct tui_view *v)
{
	if (ask(t, v->ctx, TABLE_MERGE_DSO, false))
		tui_message(t, "The object's functions are one frame; u takes it back");
	return TUI_STAY;
}

enum tui_answer browser_recursion(struct tui *t, struct tui_view *v)
{
	const struct view_step s = { .kind = VIEW_STEP_OP,
				     .op = { .kind = TABLE_RECURSION, .num = 1 } };
	struct browser *b = v->ctx;

	if (newest_is(b, TABLE_RECURSION))
		return browser_undo(t, v);
	if (!b->o.use_chains)
		tui_message(t, "This recording has no call chains: record with -g");
	else if (browser_step(t, b, &s))
		tui_message(t, "A function that calls itself is one frame; u takes it back");
	return TUI_STAY;
}

enum tui_answer browser_annotate_line(struct tui *t, struct browser *b, const struct view *v,
				      const struct browse_line *l)
{
	struct tui_annotate_opts opts = b->in->annotate;
	const struct symbol *sym;
	struct dso *dso;

	opts.listing.event = b->event;
	opts.listing.nr_events = table_members(b->f.t, b->event);
	if (!b->in->a)
		tui_message(t, "Nothing was counted by instruction");
	else if (l->kind == BROWSE_FRAME ? view_frame_code(v, l->node->frames[l->frame], &dso, &sym)
					 : l->row && view_row_code(v, l->row, &dso, &sym))
		return tui_asm_begin(t, b->in->a, &opts, dso, sym, 0);
	else
		tui_message(t, "This row is of no function that has a name, or sym is none of the "
			       "keys (o adds it)");
	return TUI_STAY;
}

enum tui_answer browser_annotate(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	struct browse_line l;

	return browser_cursor(b, &l) ? browser_annotate_line(t, b, b->f.v, &l) : TUI_STAY;
}

/* ---- what is typed --------------------------------------------------------------------------- */

enum tui_answer browser_filter(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	const struct view_step *last = browser_last(b, VIEW_STEP_ROWS_PART);
	char buf[128];

	snprintf(buf, sizeof(buf), "%s", last ? last->text : "");
	if (tui_input(t, "Only symbols with (empty: all): ", buf, sizeof(buf), NULL, NULL, NULL) &&
	    (*buf || (last && *last->text)))
		browser_step(t, b, &(struct view_step){ VIEW_STEP_ROWS_PART, .text = buf });
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
		browser_step(t, b, &(struct view_step){ VIEW_STEP_LIMIT, .percent = percent });
	return TUI_STAY;
}

/* What rows are told apart by: what is often wanted, or what is typed. */
enum tui_answer browser_sort(struct tui *t, struct tui_view *v)
{
	static const char *const samples[] = {
		"comm,dso,sym", "sym", "dso,sym",  "dso",	  "comm",
		"comm,tid",	"cpu", "time,sym", "sym,srcline", "other keys ...",
	};
	static const char *const branches[] = {
		"comm,dso_from,symbol_from,dso_to,symbol_to",
		"symbol_from,symbol_to",
		"symbol_from,symbol_to,mispredict,cycles",
		"addr_from,addr_to",
		"srcline_from,srcline_to",
		"type,symbol_from",
		"other keys ...",
	};
	struct browser *b = v->ctx;
	const char *const *items = b->o.branch ? branches : samples;
	int nr = b->o.branch ? ARRAY_SIZE(branches) : ARRAY_SIZE(samples), at;
	const char *now = view_sort_text(b->f.v);
	char buf[256];

	at = tui_menu(t, "Rows are told apart by", items, nr, 0);
	if (at < 0)
		return TUI_STAY;
	snprintf(buf, sizeof(buf), "%s", at + 1 < nr ? items[at] : now ?: "");
	if (at + 1 == nr && !tui_input(t, "Keys of rows: ", buf, sizeof(buf), NULL, NULL, NULL))
		return TUI_STAY;
	if (*buf)
		browser_step(t, b, &(struct view_step){ VIEW_STEP_SORT, .text = buf });
	return TUI_STAY;
}

/* ---- what is turned over --------------------------------------------------------------------- */

static bool turn(struct tui *t, struct browser *b, enum view_step_kind kind, bool on)
{
	return browser_step(t, b, &(struct view_step){ kind, .on = on });
}

enum tui_answer browser_shares(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (turn(t, b, VIEW_STEP_RELATIVE, !b->o.relative))
		tui_message(t, b->o.relative ? "Shares of what is shown" : "Shares of everything");
	return TUI_STAY;
}

enum tui_answer browser_callers(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (!b->o.use_chains)
		tui_message(t, "This recording has no call chains: record with -g");
	else if (turn(t, b, VIEW_STEP_CALLERS, !b->o.chain.caller))
		tui_message(t, b->o.chain.caller ? "Trees begin with the outermost caller"
						 : "Trees begin with the function itself");
	return TUI_STAY;
}

enum tui_answer browser_levels(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	turn(t, b, VIEW_STEP_HIERARCHY, !b->o.hierarchy);
	return TUI_STAY;
}

enum tui_answer browser_self(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (!b->in->f->po->use_chains)
		tui_message(t, "What callees cost needs call chains: record with -g");
	else
		turn(t, b, VIEW_STEP_CHILDREN, !b->o.children);
	return TUI_STAY;
}

enum tui_answer browser_latency(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (!b->o.switches)
		tui_message(t, "When threads ran is not known: record with --latency");
	else
		turn(t, b, VIEW_STEP_LATENCY, !b->o.latency);
	return TUI_STAY;
}

enum tui_answer browser_simd(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;

	if (!b->in->simd)
		tui_message(t, "This recording has no vector registers: record with "
			       "--user-regs=xmm,ymm,zmm,opmask or -I");
	else
		turn(t, b, VIEW_STEP_SIMD, !b->o.simd);
	return TUI_STAY;
}
