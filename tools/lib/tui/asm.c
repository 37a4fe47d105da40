// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function's instructions to walk through. The listing is whole in memory, made once; what is shown of
 * it is a list of line numbers, made again when source lines come or go, and only lines on the screen
 * are ever formatted. So a function of 100,000 instructions scrolls as a short one does.
 *
 * Following a call opens another browser in this one's key function: views nest as the calls do, and
 * going back is a return. How functions are shown is one struct for all of them, so that a key pressed
 * in a callee still holds in its caller.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/asm-int.h"

static uint32_t line_of(const struct tui_asm *b)
{
	return b->nr_rows ? b->row[b->list.cursor < b->nr_rows ? b->list.cursor : 0] : 0;
}

/* ---- which lines are shown --------------------------------------------------------------------- */

/* The row of @line, or of the first one behind it that is shown. */
static uint32_t row_of(const struct tui_asm *b, uint32_t line)
{
	uint32_t low = 0, high = b->nr_rows;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (b->row[mid] < line)
			low = mid + 1;
		else
			high = mid;
	}
	return low < b->nr_rows ? low : b->nr_rows ? b->nr_rows - 1 : 0;
}

static bool is_shown(const struct tui_asm *b, const struct listing_line *line)
{
	if (line->kind == LISTING_SOURCE)
		return b->look->source;
	/* That of the function itself is in the second line of the screen. */
	return line->kind == LISTING_INSN || line->addr != b->l->start;
}

static void choose_rows(struct tui_asm *b)
{
	uint32_t at = line_of(b);

	b->nr_rows = 0;
	for (uint32_t i = 0; i < b->l->nr_lines; i++)
		if (is_shown(b, &b->l->line[i]))
			b->row[b->nr_rows++] = i;
	b->list.cursor = row_of(b, at);
}

static void go(struct tui_asm *b, uint32_t line)
{
	uint32_t row = row_of(b, line);
	bool seen = row >= b->list.top && row - b->list.top < (uint64_t)b->list.height;

	tui_list_go(&b->list, row, !seen);
}

/* ---- a function opened ------------------------------------------------------------------------- */

static int digits(uint64_t v)
{
	return snprintf(NULL, 0, "%" PRIx64, v);
}

static void set_widths(struct tui_asm *b)
{
	uint64_t last = b->l->end > b->l->start ? b->l->end - b->l->start : 0;

	b->mnemonic = faces_insn_width(b->l);
	if (b->look->full_address)
		last = b->l->end + b->l->shift;
	b->addr_width = digits(last) + 1;
}

static void lay_out(struct tui_asm *b)
{
	b->laid.source = b->look->source;
	b->laid.full_address = b->look->full_address;
	choose_rows(b);
	set_widths(b);
}

void tui_asm_lay_out(struct tui_asm *b)
{
	if (b->laid.source == b->look->source && b->laid.full_address == b->look->full_address)
		return;
	b->moved |= b->laid.source != b->look->source;
	lay_out(b);
}

struct heat {
	uint64_t period;
	uint32_t line;
};

static int by_heat(const void *va, const void *vb)
{
	const struct heat *a = va, *b = vb;

	if (a->period != b->period)
		return a->period < b->period ? 1 : -1;
	return (a->line > b->line) - (a->line < b->line);
}

static int find_hot(struct tui_asm *b)
{
	VEC(struct heat) heats = { 0 };
	int ret = 0;

	for (uint32_t i = 0; i < b->l->nr_insns && !ret; i++) {
		struct heat h = { .line = b->l->insn_line[i] };
		uint64_t hits = 0;

		for (uint32_t k = 0; k < b->l->nr_events; k++) {
			struct annotate_count c = listing_count(b->l, &b->l->line[h.line], k);

			h.period += c.period;
			hits += c.hits;
		}
		if (hits)
			ret = vec_push(&heats, h);
	}
	if (heats.n)
		qsort(heats.v, heats.n, sizeof(*heats.v), by_heat);
	b->hot = calloc(heats.n ? heats.n : 1, sizeof(*b->hot));
	if (!b->hot)
		ret = -ENOMEM;
	for (b->nr_hot = 0; !ret && b->nr_hot < heats.n; b->nr_hot++)
		b->hot[b->nr_hot] = heats.v[b->nr_hot].line;
	vec_free(&heats);
	return ret;
}

static void forget(struct tui_asm *b)
{
	tui_arrows_free(&b->arrows);
	free(b->row);
	free(b->hot);
	vec_free(&b->trail);
	listing_close(b->l);
	b->row = b->hot = NULL;
	b->nr_rows = b->nr_hot = 0;
	b->l = NULL;
}

/* All that is known of @l, which is @b's from now on. */
static int take(struct tui_asm *b, struct listing *l)
{
	b->l = l;
	b->row = calloc(l->nr_lines ? l->nr_lines : 1, sizeof(*b->row));
	if (!b->row || tui_arrows_make(&b->arrows, l) || find_hot(b)) {
		b->l = NULL; /* the caller's still */
		forget(b);
		return -ENOMEM;
	}
	b->list.cursor = b->list.top = 0;
	b->list.left = 0;
	lay_out(b);
	/* The height is known only when it is painted; a list scrolls to its cursor then. */
	if (listing_hottest(l) != LISTING_NONE)
		tui_list_go(&b->list, row_of(b, listing_hottest(l)), true);
	return 0;
}

static void tell_why(struct tui *t, const char *name, const struct err *e)
{
	char text[sizeof(e->text) + sizeof(e->hint) + 8];

	snprintf(text, sizeof(text), "%s\n%s%s\n", e->text, e->hint[0] ? "\n" : "", e->hint);
	tui_window(t, name, text);
}

/* ---- keys -------------------------------------------------------------------------------------- */

static struct tui_asm *browser(const struct tui_view *v)
{
	return v->ctx;
}

static enum tui_answer follow_call(struct tui *t, struct tui_asm *b,
				   const struct listing_line *line)
{
	const struct symbol *sym;
	struct dso *dso;

	if (!b->a || line->ref != LISTING_CODE || !listing_callee(b->a, b->l, line, &dso, &sym)) {
		tui_message(t, "The called function was not found.");
		return TUI_STAY;
	}
	return tui_asm_open(t, b->a, dso, sym, &b->opts, b->look, 0);
}

static enum tui_answer key_follow(struct tui *t, struct tui_view *v)
{
	struct tui_asm *b = browser(v);
	uint32_t at = line_of(b);
	const struct listing_line *line = &b->l->line[at];

	if (!b->nr_rows || line->kind != LISTING_INSN)
		return TUI_STAY;
	if (line->target != LISTING_NONE) {
		/* Without memory there is no way back, which is no reason not to go. */
		vec_push(&b->trail, at);
		go(b, line->target);
		return TUI_STAY;
	}
	if (line->branch == INSN_RET)
		return TUI_BACK;
	return follow_call(t, b, line);
}

static enum tui_answer key_right(struct tui *t, struct tui_view *v)
{
	struct tui_asm *b = browser(v);

	/* Text that does not fit is looked at with the same key, where there is nothing to follow. */
	if (b->nr_rows && !b->l->line[line_of(b)].branch) {
		tui_list_key(t, &b->list, TUI_RIGHT);
		return TUI_STAY;
	}
	return key_follow(t, v);
}

static enum tui_answer key_jump_back(struct tui *t, struct tui_view *v)
{
	struct tui_asm *b = browser(v);

	if (b->trail.n)
		go(b, b->trail.v[--b->trail.n]);
	else
		tui_message(t, "No jump was followed.");
	return TUI_STAY;
}

static enum tui_answer key_back(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	return TUI_BACK;
}

static enum tui_answer key_hottest(struct tui *t, struct tui_view *v)
{
	struct tui_asm *b = browser(v);

	if (b->nr_hot)
		go(b, b->hot[0]);
	else
		tui_message(t, "No samples in this function.");
	return TUI_STAY;
}

/* From the line at the cursor, if that is a hot one, else from the hottest. */
static enum tui_answer hot_step(struct tui *t, struct tui_asm *b, bool cooler)
{
	uint32_t at = line_of(b), i = 0;

	while (i < b->nr_hot && b->hot[i] != at)
		i++;
	if (i == b->nr_hot)
		i = 0;
	else if (cooler)
		i = i + 1 < b->nr_hot ? i + 1 : 0;
	else
		i = i ? i - 1 : b->nr_hot - 1;
	if (!b->nr_hot)
		tui_message(t, "No samples in this function.");
	else
		go(b, b->hot[i]);
	return TUI_STAY;
}

static enum tui_answer key_cooler(struct tui *t, struct tui_view *v)
{
	return hot_step(t, browser(v), true);
}

static enum tui_answer key_hotter(struct tui *t, struct tui_view *v)
{
	return hot_step(t, browser(v), false);
}

static bool is_hot(const struct tui_asm *b, const struct annotate_function *f)
{
	uint32_t nr = b->opts.nr_events ? b->opts.nr_events : annotate_nr_events(b->a);

	return annotate_is_hot(b->a, f, b->opts.event, nr, b->look->min_percent);
}

/* The next function that can be listed, in the order of the hottest. */
static enum tui_answer other_function(struct tui *t, struct tui_asm *b, int by)
{
	size_t n = b->a ? annotate_nr_functions(b->a) : 0, i = 0;
	struct err e = { 0 };

	while (i < n && annotate_function(b->a, i)->sym != b->l->sym)
		i++;
	i = i == n ? (by > 0 ? (size_t)-1 : n) : i;
	for (i += (size_t)by; i < n; i += (size_t)by) {
		const struct annotate_function *f = annotate_function(b->a, i);
		struct listing *l;

		if (!is_hot(b, f))
			continue;
		if (listing_open(&l, b->a, f->dso, f->sym, &b->opts, &e)) {
			tui_message(t, "%s", e.text);
			continue;
		}
		forget(b);
		if (!take(b, l))
			return TUI_STAY;
		listing_close(l);
		return TUI_BACK;
	}
	if (!e.text[0])
		tui_message(t,
			    by > 0 ? "This is the last function." : "This is the first function.");
	return TUI_STAY;
}

static enum tui_answer key_next(struct tui *t, struct tui_view *v)
{
	return other_function(t, browser(v), 1);
}

static enum tui_answer key_previous(struct tui *t, struct tui_view *v)
{
	return other_function(t, browser(v), -1);
}

static enum tui_answer key_arrows(struct tui *t, struct tui_view *v)
{
	static const char *const told[] = { "Arrows: all jumps", "Arrows: jumps at the cursor",
					    "Arrows: none" };
	struct tui_asm_look *look = browser(v)->look;

	look->arrows = (look->arrows + 1) % TUI_ARROW_MODES;
	tui_message(t, "%s", told[look->arrows]);
	return TUI_STAY;
}

static enum tui_answer key_jumps(struct tui *t, struct tui_view *v)
{
	struct tui_asm_look *look = browser(v)->look;

	look->jumps = !look->jumps;
	tui_message(t, look->jumps ? "How many jumps lead here stands before the address"
				   : "No numbers of jumps");
	return TUI_STAY;
}

static enum tui_answer key_raw(struct tui *t, struct tui_view *v)
{
	struct tui_asm_look *look = browser(v)->look;

	look->raw = !look->raw;
	tui_message(t, look->raw ? "Operands as they are" : "Operands with names and offsets");
	return TUI_STAY;
}

static enum tui_answer key_level(struct tui *t, struct tui_view *v)
{
	static const char *const told[] = { "", "Offsets of jump targets",
					    "Offsets of jump targets and calls",
					    "Offsets of all instructions" };
	struct tui_asm_look *look = browser(v)->look;

	look->level = look->level % 3 + 1;
	tui_message(t, "%s", told[look->level]);
	return TUI_STAY;
}

static enum tui_answer key_source(struct tui *t, struct tui_view *v)
{
	struct tui_asm *b = browser(v);

	if (!b->l->has_source) {
		tui_message(t, "Annotation has no source code: built without -g, or the files are "
			       "not here.");
		return TUI_STAY;
	}
	b->look->source = !b->look->source;
	b->look->source_told = true;
	return TUI_STAY;
}

static enum tui_answer key_line_numbers(struct tui *t, struct tui_view *v)
{
	struct tui_asm_look *look = browser(v)->look;

	look->line_numbers = !look->line_numbers;
	tui_message(t, look->line_numbers ? "Line numbers of the source" : "No line numbers");
	return TUI_STAY;
}

static enum tui_answer key_location(struct tui *t, struct tui_view *v)
{
	struct tui_asm *b = browser(v);
	const struct listing_line *line = b->nr_rows ? &b->l->line[line_of(b)] : NULL;

	if (line && line->srcline)
		tui_message(t, "%s:%" PRIu32, line->file ? line->file : "?", line->srcline);
	else
		tui_message(t, "The source line of this is not known: built without -g?");
	return TUI_STAY;
}

static enum tui_answer key_number(struct tui *t, struct tui_view *v)
{
	static const char *const told[] = { "Percent", "Period", "Samples" };
	struct tui_asm_look *look = browser(v)->look;

	look->number = (look->number + 1) % TUI_ASM_NUMBERS;
	tui_message(t, "%s", told[look->number]);
	return TUI_STAY;
}

static enum tui_answer key_global(struct tui *t, struct tui_view *v)
{
	struct tui_asm_look *look = browser(v)->look;

	look->global = !look->global;
	tui_message(t, look->global ? "Percent of all samples" : "Percent of the function");
	return TUI_STAY;
}

static enum tui_answer key_hits(struct tui *t, struct tui_view *v)
{
	struct tui_asm_look *look = browser(v)->look;

	look->hits = !look->hits;
	tui_message(t, look->hits ? "Percent of samples" : "Percent of the period");
	return TUI_STAY;
}

static enum tui_answer key_min_max(struct tui *t, struct tui_view *v)
{
	struct tui_asm *b = browser(v);

	if (!b->l->flow) {
		tui_message(t, "No branch stacks in this recording: record -b has cycles.");
		return TUI_STAY;
	}
	b->look->min_max = !b->look->min_max;
	tui_message(t, b->look->min_max ? "Cycles: average (least/most)" : "Cycles: average");
	return TUI_STAY;
}

static enum tui_answer key_address(struct tui *t, struct tui_view *v)
{
	struct tui_asm *b = browser(v);

	b->look->full_address = !b->look->full_address;
	tui_message(t, b->look->full_address ? "Addresses" : "Offsets in the function");
	return TUI_STAY;
}

/* ---- search ------------------------------------------------------------------------------------ */

static bool matches(const struct tui_asm *b, uint32_t nr)
{
	const struct listing_line *line = &b->l->line[nr];

	return strstr(tui_asm_text(b, line), b->look->needle) != NULL;
}

/* From the row behind the cursor on, or before it; no way round the end. */
static void search_on(struct tui *t, struct tui_asm *b, int by)
{
	uint64_t i;

	tui_asm_lay_out(b); /* a key typed ahead finds what was not painted yet */
	i = b->list.cursor;
	if (!b->look->needle[0]) {
		tui_message(t, "Nothing was searched for: / begins.");
		return;
	}
	while ((i += (uint64_t)by) < b->nr_rows) {
		if (!matches(b, b->row[i]))
			continue;
		go(b, b->row[i]);
		return;
	}
	tui_message(t, "String not found!");
}

static enum tui_answer search(struct tui *t, struct tui_asm *b, int by)
{
	char text[sizeof(b->look->needle)] = "";

	if (!tui_input(t, by > 0 ? "Search: " : "Search backwards: ", text, sizeof(text),
		       tui_searched(t), NULL, NULL))
		return TUI_STAY;
	memcpy(b->look->needle, text, sizeof(text));
	if (text[0])
		search_on(t, b, by);
	return TUI_STAY;
}

static enum tui_answer key_search(struct tui *t, struct tui_view *v)
{
	return search(t, browser(v), 1);
}

static enum tui_answer key_search_back(struct tui *t, struct tui_view *v)
{
	return search(t, browser(v), -1);
}

static enum tui_answer key_again(struct tui *t, struct tui_view *v)
{
	search_on(t, browser(v), 1);
	return TUI_STAY;
}

static enum tui_answer key_again_back(struct tui *t, struct tui_view *v)
{
	search_on(t, browser(v), -1);
	return TUI_STAY;
}

/* ---- saved as text ----------------------------------------------------------------------------- */

static enum tui_answer key_save(struct tui *t, struct tui_view *v)
{
	struct tui_asm *b = browser(v);
	char name[200];
	struct err e = { 0 };

	snprintf(name, sizeof(name), "%.180s.annotation", b->l->sym->name);
	/* Names come from files: no way into another directory, nothing hidden. */
	for (char *c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f)
			*c = '_';
	if (name[0] == '.' || name[0] == '-')
		name[0] = '_';
	if (tui_asm_save(b, name, &e))
		tui_message(t, "%s", e.text);
	else
		tui_message(t, "Written to %s", name);
	return TUI_STAY;
}

/* ---- the view ---------------------------------------------------------------------------------- */

static const struct tui_key keys[] = {
	{ TUI_ENTER, "Enter, Right", "follow the jump or call; leave at a return", key_follow },
	{ TUI_RIGHT, NULL, NULL, key_right },
	{ TUI_BACKSPACE, "Backspace", "back to where a jump was followed", key_jump_back },
	{ 'H', "H", "the hottest line", key_hottest },
	{ TUI_TAB, "Tab, Shift-Tab", "the next cooler, hotter line", key_cooler },
	{ TUI_BACK_TAB, NULL, NULL, key_hotter },
	{ '>', "<, >", "the previous, next function", key_next },
	{ '<', NULL, NULL, key_previous },
	{ '/', "/", "search", key_search },
	{ '?', "?", "search backwards", key_search_back },
	{ 'n', "n, N", "the next match, the one before", key_again },
	{ 'N', NULL, NULL, key_again_back },
	{ 't', "t", "percent, period, samples", key_number },
	{ 'p', "p", "percent of the function, of all samples", key_global },
	{ 'b', "b", "percent of the period, of samples", key_hits },
	{ 's', "s", "source lines", key_source },
	{ 'k', "k", "line numbers of the source", key_line_numbers },
	{ 'l', "l", "source file and line, whole", key_location },
	{ 'j', "j", "arrows: all, at the cursor, none", key_arrows },
	{ 'J', "J", "how many jumps lead to a line", key_jumps },
	{ 'o', "o", "operands as they are, or with names", key_raw },
	{ 'O', "O", "offsets of jump targets, of calls too, of all", key_level },
	{ 'c', "c", "cycles: average, or with least and most", key_min_max },
	{ 'f', "f", "addresses or offsets", key_address },
	{ 'P', "P", "write all lines to SYMBOL.annotation", key_save },
	{ 'q', "q", "back to where you came from", key_back },
	{ 0 },
};

static void title(struct tui_view *v, struct tui_pen *p)
{
	static const char *const of[] = { "local period", "global period", "local hits",
					  "global hits" };
	struct tui_asm *b = browser(v);

	/* First, as names may be longer than the line. */
	if (b->look->partial)
		tui_put(p, TUI_ROOT, "[PARTIAL] ");
	tui_put(p, TUI_ROOT, b->l->sym->name);
	tui_put(p, TUI_ROOT, "  ");
	tui_put(p, TUI_ROOT, b->l->path ? b->l->path : b->l->dso->name);
	tui_putf(p, TUI_ROOT, " [Percent: %s]", of[tui_asm_percent_type(b->look)]);
	if (b->look->source_told)
		tui_put(p, TUI_ROOT, b->look->source ? " [source: On]" : " [source: OFF]");
}

static void paint(struct tui_view *v, struct tui_screen *s, int row, int rows)
{
	struct tui_asm *b = browser(v);
	bool first = !b->list.height;

	tui_asm_lay_out(b);
	b->cols = s->cols;
	b->at = b->nr_rows ? line_of(b) : LISTING_NONE;
	rows -= tui_asm_paint_said(b, s, row + rows, rows / 4);
	if (rows > 7) {
		int above = tui_asm_paint_facts(b, s, row, rows / 4);

		row += above;
		rows -= above;
	}
	/* Only now it is known where the middle is. */
	if (first)
		b->list.height = rows;
	if (first || b->moved)
		tui_list_go(&b->list, b->list.cursor, true);
	b->moved = false;
	tui_list_paint(&b->list, s, row, 0, rows, s->cols);
}

static void footer(struct tui_view *v, struct tui_pen *p)
{
	struct tui_asm *b = browser(v);

	if (b->nr_rows)
		tui_asm_paint_about(b, line_of(b), p);
}

static void about(struct tui_view *v, struct obuf *o)
{
	const struct tui_asm *b = browser(v);

	/* Of many not all are above the lines. */
	for (size_t i = 0; b->l->notes && b->l->notes[i]; i++)
		obuf_printf(o, "%s\n\n", b->l->notes[i]);
	faces_listing_legend(b->face, b->l, o);
}

static const struct tui_view_ops view_ops = {
	.name = "annotate",
	.keys = keys,
	.title = title,
	.paint = paint,
	.footer = footer,
	.about = about,
};

static uint64_t nr_rows(void *ctx)
{
	return ((const struct tui_asm *)ctx)->nr_rows;
}

static void paint_row(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	const struct tui_asm *b = ctx;

	(void)selected;
	tui_asm_paint_row(b, b->row[i], p);
}

static const struct tui_list_ops list_ops = { .rows = nr_rows, .paint = paint_row };

static int set_up(struct tui_asm *b, struct obuf *text, struct faces_listings *face)
{
	b->view = (struct tui_view){ .ops = &view_ops, .ctx = b, .list = &b->list };
	b->list = (struct tui_list){ .ops = &list_ops, .ctx = b };
	b->text = text;
	b->face = face;
	faces_listing_begin(face);
	if (!b->look->level)
		b->look->level = 1;
	return obuf_init(text, -1, 0);
}

/* What a browser begins with, when it is memory that refuses. */
static enum tui_answer no_memory(struct tui *t, const struct symbol *sym)
{
	tui_message(t, "No memory to show %s", sym->name);
	return TUI_STAY;
}

enum tui_answer tui_asm_open(struct tui *t, const struct annotate *a, struct dso *dso,
			     const struct symbol *sym, const struct listing_opts *opts,
			     struct tui_asm_look *look, uint64_t addr)
{
	struct tui_asm b = { .a = a, .look = look };
	enum tui_answer answer = TUI_STAY;
	struct err e = { 0 };
	struct listing *l;
	struct faces_listings face = { .o.simd = look->simd };
	struct obuf text;

	if (opts)
		b.opts = *opts;
	if (set_up(&b, &text, &face))
		return no_memory(t, sym);
	if (listing_open(&l, a, dso, sym, opts, &e)) {
		tell_why(t, sym->name, &e);
	} else if (take(&b, l)) {
		listing_close(l);
		no_memory(t, sym);
	} else {
		if (addr && listing_insn_at(l, addr) != LISTING_NONE)
			tui_list_go(&b.list, row_of(&b, l->insn_line[listing_insn_at(l, addr)]),
				    true);
		answer = tui_run(t, &b.view);
		forget(&b);
	}
	faces_listing_end(&face);
	obuf_free(&text);
	return answer;
}

enum tui_answer tui_asm_begin(struct tui *t, const struct annotate *a,
			      const struct tui_annotate_opts *opts, struct dso *dso,
			      const struct symbol *sym, uint64_t addr)
{
	struct tui_asm_look look = {
		.number = opts->periods	  ? TUI_ASM_PERIOD
			  : opts->samples ? TUI_ASM_SAMPLES
					  : TUI_ASM_PERCENT,
		.global = opts->percent == LISTING_GLOBAL_PERIOD ||
			  opts->percent == LISTING_GLOBAL_HITS,
		.hits = opts->percent == LISTING_LOCAL_HITS || opts->percent == LISTING_GLOBAL_HITS,
		.simd = opts->simd,
		.partial = opts->partial,
		.bytes = opts->bytes,
		.min_percent = opts->min_percent,
	};

	return tui_asm_open(t, a, dso, sym, &opts->listing, &look, addr);
}

bool tui_annotate(struct tui *t, const struct annotate *a, const struct tui_annotate_opts *opts,
		  struct dso *dso, const struct symbol *sym)
{
	return tui_asm_begin(t, a, opts, dso, sym, 0) == TUI_QUIT;
}
