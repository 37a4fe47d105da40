// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searching leaves everything where it is: rows and frames that match are coloured, n and N go from
 * one to the next, and the message says how many rows there are and what share of the samples has
 * it in its row or its chain. Case matters when a letter is large.
 *
 * Going to the next match may look at millions of rows: it looks at LOOK_AT of them, and says so.
 */
#include <stdio.h>

#include "report-int.h"

#define LOOK_AT 1000000

bool browser_matches(struct browser *b, const struct browse_line *l)
{
	const struct view *v = b->f.v;
	bool levels = view_nr_levels(v) > 0, has = false;
	size_t n = levels ? view_level_nr_cols(v, l->level) : view_nr_cols(v);

	if (!b->search.pattern || l->kind == BROWSE_NO_ENTRY)
		return false;
	if (l->kind == BROWSE_FRAME)
		return view_pattern_in_frame(b->search.pattern, v, l->node->frames[l->frame]);
	for (size_t i = 0; i < n && !has; i++)
		has = view_pattern_in_cell(b->search.pattern, v, l->row,
					   levels ? view_level_col(v, l->level, i)
						  : view_col(v, i));
	return has;
}

static bool match_at(struct browser *b, uint64_t i, struct browse_line *l)
{
	browse_line(b->rows, i, l);
	return browser_matches(b, l);
}

/* What has it, with every sample counted once, whether its row or its chain has it. */
static int count(struct browser *b, struct err *e)
{
	uint64_t total = view_whole(b->f.v, b->event);
	struct view_found f;
	int ret = view_search(b->f.v, b->event, b->search.word, TABLE_REGEX, &f, e);

	if (ret)
		return ret;
	b->search.rows = f.nr_rows;
	b->search.samples = f.samples.nr;
	b->search.percent = total ? 100.0 * (double)f.samples.period / (double)total : 0;
	view_found_free(&f);
	return 0;
}

static void tell(struct tui *t, const struct browser *b, const char *more)
{
	tui_message(t, "/%s/: %zu rows, with chains %.2f%% (n next, N previous)%s", b->search.word,
		    b->search.rows, b->search.percent, more);
}

static void go(struct tui *t, struct browser *b, bool back)
{
	uint64_t n = browse_nr(b->rows), at = b->list.cursor;
	struct browse_line l;

	for (uint64_t i = 0; i < min_u64(n, LOOK_AT); i++) {
		at = back ? (at ? at : n) - 1 : at + 1 < n ? at + 1 : 0;
		if (!match_at(b, at, &l))
			continue;
		tui_list_go(&b->list, at, false);
		tell(t, b, "");
		return;
	}
	if (b->search.samples)
		tell(t, b, "; unfold (E) to see it");
	else
		tui_message(t, "/%s/ is nowhere%s", b->search.word,
			    n > LOOK_AT ? " among the first million rows" : "");
}

enum tui_answer browser_search(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	char buf[sizeof(b->search.word)];
	struct err e = { 0 };

	snprintf(buf, sizeof(buf), "%s", b->search.word);
	if (!tui_input(t, "Search (regular expression): ", buf, sizeof(buf), tui_searched(t), NULL,
		       NULL))
		return TUI_STAY;
	view_pattern_free(b->search.pattern);
	b->search.pattern = NULL;
	snprintf(b->search.word, sizeof(b->search.word), "%s", buf);
	if (!*buf)
		return TUI_STAY;
	if (view_pattern_new(&b->search.pattern, buf, TABLE_REGEX, &e) || count(b, &e))
		browser_error(t, &e);
	else
		go(t, b, false);
	return TUI_STAY;
}

static enum tui_answer next(struct tui *t, struct browser *b, bool back)
{
	struct err e = { 0 };

	if (!b->search.pattern) {
		tui_message(t, "Nothing is searched for: Ctrl-F begins");
		return TUI_STAY;
	}
	if (count(b, &e))
		browser_error(t, &e);
	else
		go(t, b, back);
	return TUI_STAY;
}

enum tui_answer browser_search_next(struct tui *t, struct tui_view *v)
{
	return next(t, v->ctx, false);
}

enum tui_answer browser_search_prev(struct tui *t, struct tui_view *v)
{
	return next(t, v->ctx, true);
}
