// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of what branch stacks tell beyond single branches: blocks of code by their cycles, paths of
 * branches by how often they were taken. A row is made when it is painted, its source lines too, so
 * the lists are there at once. Enter goes on to instructions: a block opens at its first one; a path
 * opens as the list of its branches, of which each opens at the branch.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tui/asm-int.h"

struct flow_list {
	const struct tui_flow *in;
	const struct brflow_path *path; /* whose branches are listed; NULL = blocks or paths */
	struct tui_view view;
	struct tui_list list;
};

static bool is_blocks(const struct flow_list *b)
{
	return !b->in->path_len;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static enum tui_role role_of(double percent)
{
	return percent >= 5 ? TUI_TOP : percent >= 0.5 ? TUI_MEDIUM : TUI_NORMAL;
}

/* "file.c:12", else "function+0x10", else the address. */
static void put_place(const struct flow_list *b, struct tui_pen *p, struct dso *dso,
		      const struct symbol *sym, uint64_t addr)
{
	struct srcline line;

	if (dso && symbol_srcline(b->in->res, dso, addr, &line)) {
		tui_put(p, TUI_ADDR, line.base);
		tui_putf(p, TUI_ADDR, ":%u", line.line);
	} else if (sym) {
		tui_put(p, TUI_NORMAL, sym->name);
		if (addr != sym->start)
			tui_putf(p, TUI_NORMAL, "+0x%" PRIx64, addr - sym->start);
	} else {
		tui_putf(p, TUI_NORMAL, "0x%" PRIx64, addr);
	}
}

/* ---- rows -------------------------------------------------------------------------------------- */

static void paint_block(const struct flow_list *b, uint64_t i, struct tui_pen *p)
{
	const struct brflow_block *k = brflow_block(b->in->flow, i);
	const struct symbol *sym = symbol_find(b->in->res, k->dso, k->end);
	double percent = share(k->cycles, brflow_cycles(b->in->flow));

	tui_putf(p, role_of(percent), "%14.2f%%", percent);
	tui_putf(p, TUI_NORMAL, "  %14" PRIu64 "  %10" PRIu64 "  %8" PRIu64 "  [", k->cycles,
		 k->nr ? k->cycles / k->nr : 0, k->nr);
	/* Of a block of one instruction it is not known where it began. */
	put_place(b, p, k->dso, sym, k->start < k->end ? k->start : k->end);
	tui_put(p, TUI_NORMAL, " -> ");
	put_place(b, p, k->dso, sym, k->end);
	tui_put(p, TUI_NORMAL, "]  ");
	tui_put(p, TUI_DIM, sym ? sym->name : "");
	tui_put(p, TUI_NORMAL, "  ");
	tui_put(p, TUI_DIM, k->dso->short_name);
}

static void put_loc(const struct flow_list *b, struct tui_pen *p, uint32_t at)
{
	const struct loc *l = resolver_loc(b->in->res, at);

	if (l->sym) {
		tui_put(p, TUI_NORMAL, l->sym->name);
		if (l->addr != l->sym->start)
			tui_putf(p, TUI_ADDR, "+0x%" PRIx64, l->addr - l->sym->start);
	} else {
		tui_putf(p, TUI_ADDR, "0x%" PRIx64, l->addr);
	}
}

static void paint_path(const struct flow_list *b, uint64_t i, struct tui_pen *p)
{
	const struct brflow_path *path = brflow_path(b->in->flow, i);
	double percent = share(path->nr, brflow_path_total(b->in->flow));

	tui_putf(p, role_of(percent), "%7.2f%%", percent);
	tui_putf(p, TUI_NORMAL, "  %12" PRIu64, path->nr);
	if (path->nr_cycles)
		tui_putf(p, TUI_NORMAL, "  %10.1f", (double)path->cycles / (double)path->nr_cycles);
	else
		tui_put(p, TUI_NORMAL, "           -");
	if (path->flagged)
		tui_putf(p, TUI_NORMAL, "  %7.1f%%", share(path->mispred, path->flagged));
	else
		tui_put(p, TUI_NORMAL, "         -");
	for (uint32_t k = 0; k < b->in->path_len; k++) {
		uint32_t from, to;

		brflow_path_branch(b->in->flow, path, k, &from, &to);
		tui_put(p, TUI_NORMAL, k ? ", " : "  ");
		put_loc(b, p, from);
		tui_put(p, TUI_JUMP_ARROWS, " → ");
		put_loc(b, p, to);
	}
}

static void paint_branch(const struct flow_list *b, uint64_t i, struct tui_pen *p)
{
	uint32_t ends[2];

	brflow_path_branch(b->in->flow, b->path, (uint32_t)i, &ends[0], &ends[1]);
	tui_putf(p, TUI_DIM, "%3" PRIu64 "  ", i + 1);
	for (int k = 0; k < 2; k++) {
		const struct loc *l = resolver_loc(b->in->res, ends[k]);

		put_loc(b, p, ends[k]);
		tui_put(p, TUI_NORMAL, " (");
		put_place(b, p, l->dso, l->sym, l->addr);
		tui_put(p, TUI_NORMAL, ")");
		tui_put(p, TUI_JUMP_ARROWS, k ? "" : " → ");
	}
}

static void paint_row(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	const struct flow_list *b = ctx;

	(void)selected;
	if (b->path)
		paint_branch(b, i, p);
	else if (is_blocks(b))
		paint_block(b, i, p);
	else
		paint_path(b, i, p);
}

static uint64_t nr_rows(void *ctx)
{
	const struct flow_list *b = ctx;

	return b->path	      ? b->in->path_len
	       : is_blocks(b) ? brflow_nr_blocks(b->in->flow)
			      : brflow_nr_paths(b->in->flow);
}

/* ---- keys -------------------------------------------------------------------------------------- */

static enum tui_answer show_list(struct tui *t, const struct tui_flow *in,
				 const struct brflow_path *path);

static enum tui_answer open_at(struct tui *t, const struct flow_list *b, struct dso *dso,
			       const struct symbol *sym, uint64_t addr)
{
	if (dso && sym)
		return tui_asm_begin(t, b->in->a, &b->in->opts, dso, sym, addr);
	tui_message(t, "This code is in no function whose name is known.");
	return TUI_STAY;
}

static enum tui_answer key_open(struct tui *t, struct tui_view *v)
{
	const struct flow_list *b = v->ctx;
	const struct brflow_block *k;
	uint32_t from, to;

	if (b->list.cursor >= nr_rows(v->ctx))
		return TUI_STAY;
	if (b->path) {
		const struct loc *l;

		brflow_path_branch(b->in->flow, b->path, (uint32_t)b->list.cursor, &from, &to);
		l = resolver_loc(b->in->res, from);
		return open_at(t, b, l->dso, l->sym, l->addr);
	}
	if (!is_blocks(b))
		return show_list(t, b->in, brflow_path(b->in->flow, b->list.cursor));
	k = brflow_block(b->in->flow, b->list.cursor);
	return open_at(t, b, k->dso, symbol_find(b->in->res, k->dso, k->end),
		       k->start < k->end ? k->start : k->end);
}

static enum tui_answer key_back(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	return TUI_BACK;
}

static const struct tui_key keys[] = {
	{ TUI_ENTER, "Enter, a", "open: the instructions; of a path its branches", key_open },
	{ 'a', NULL, NULL, key_open },
	{ 'q', "q", "back to where you came from", key_back },
	{ 0 },
};

/* ---- views ------------------------------------------------------------------------------------- */

static void title(struct tui_view *v, struct tui_pen *p)
{
	const struct flow_list *b = v->ctx;
	const char *note = b->in->note;

	if (b->path)
		tui_putf(p, TUI_ROOT, "Branches of a path that was taken %" PRIu64 " times",
			 b->path->nr);
	else if (is_blocks(b))
		tui_putf(p, TUI_ROOT, "Blocks: %zu, cycles: %" PRIu64,
			 brflow_nr_blocks(b->in->flow), brflow_cycles(b->in->flow));
	else
		tui_putf(p, TUI_ROOT, "Paths of %" PRIu32 " branches: %zu, seen: %" PRIu64,
			 b->in->path_len, brflow_nr_paths(b->in->flow),
			 brflow_path_total(b->in->flow));
	tui_put(p, TUI_ROOT, note ? note : "");
}

static void paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct flow_list *b = v->ctx;
	struct tui_pen p = { .s = s, .row = row, .end = s->cols, .skip = b->list.left };

	if (rows > 3) {
		tui_fill(s, row, 0, 1, s->cols, TUI_HEAD);
		tui_put(&p, TUI_HEAD,
			b->path	       ? "  #  Branch: from → to"
			: is_blocks(b) ? "Sampled Cycles%  Sampled Cycles  Avg Cycles     Count  "
					 "[Program Block Range]"
				       : "Overhead         Count  Avg Cycles  Mispred%  Path: "
					 "branches one after the other");
		row++;
		rows--;
	}
	tui_list_paint(&b->list, s, row, 0, rows, s->cols);
}

/* The row in full, from its beginning, where what is cut off on the right may be of interest. */
static void footer(struct tui_view *v, struct tui_pen *p)
{
	const struct flow_list *b = v->ctx;

	if (!nr_rows(v->ctx)) {
		tui_put(p, TUI_ROOT,
			is_blocks(b) ? "No branch of this recording has cycles."
				     : "No branch stack is as long as a path.");
		return;
	}
	tui_putf(p, TUI_ROOT,
		 "%" PRIu64 " of %" PRIu64 "  Enter: instructions  Right: the rest of "
		 "the line  h: help",
		 b->list.cursor + 1, nr_rows(v->ctx));
}

static const struct tui_view_ops view_ops = {
	.name = "blocks and paths",
	.keys = keys,
	.title = title,
	.paint = paint,
	.footer = footer,
};
static const struct tui_list_ops list_ops = { .rows = nr_rows, .paint = paint_row };

static enum tui_answer show_list(struct tui *t, const struct tui_flow *in,
				 const struct brflow_path *path)
{
	struct flow_list b = { .in = in, .path = path };

	b.view = (struct tui_view){ .ops = &view_ops, .ctx = &b, .list = &b.list };
	b.list = (struct tui_list){ .ops = &list_ops, .ctx = &b };
	return tui_run(t, &b.view);
}

enum tui_answer tui_flow_begin(struct tui *t, const struct tui_flow *in)
{
	return show_list(t, in, NULL);
}

bool tui_flow(struct tui *t, const struct tui_flow *in)
{
	return tui_flow_begin(t, in) == TUI_QUIT;
}
