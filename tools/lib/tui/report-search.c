// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searching leaves everything where it is: rows and frames that match are coloured, n and N go from
 * one to the next, and the message says how many rows there are and what share they have.
 *
 * A search may look at millions of rows: it looks at LOOK_AT of them, and says so when there are
 * more.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report-int.h"

#define LOOK_AT 1000000

bool browser_matches(struct browser *b, const struct browse_line *l)
{
	if (!b->search.set)
		return false;
	b->cell.len = 0;
	browse_full_text(&b->rows, l, &b->cell);
	obuf_char(&b->cell, 0);
	return !b->cell.code && !regexec(&b->search.re, b->cell.buf, 0, NULL, 0);
}

static bool match_at(struct browser *b, uint64_t i, struct browse_line *l)
{
	browse_line(&b->rows, i, l);
	return browser_matches(b, l);
}

/* Rows, their number and share; frames of trees are parts of rows. */
static void count(struct browser *b)
{
	uint64_t n = min_u64(browse_nr(&b->rows), LOOK_AT);
	uint32_t levels = view_nr_levels(b->f.v);
	struct browse_line l;

	b->search.matches = 0;
	b->search.percent = 0;
	b->search.lines = n;
	for (uint64_t i = 0; i < n; i++) {
		if (!match_at(b, i, &l))
			continue;
		b->search.matches++;
		/* What stands below a row is in its share already. */
		if (l.kind == BROWSE_ROW && (!levels || l.level + 1 == levels))
			b->search.percent += l.percent;
	}
}

static void go(struct tui *t, struct browser *b, bool back)
{
	uint64_t n = browse_nr(&b->rows), at = b->list.cursor;
	struct browse_line l;

	for (uint64_t i = 0; i < min_u64(n, LOOK_AT); i++) {
		at = back ? (at ? at : n) - 1 : at + 1 < n ? at + 1 : 0;
		if (!match_at(b, at, &l))
			continue;
		tui_list_go(&b->list, at, false);
		tui_message(t, "/%s/: %llu lines, rows of %.2f%% (n next, N previous)%s",
			    b->search.word, (unsigned long long)b->search.matches,
			    b->search.percent, n > b->search.lines ? ", of the first million" : "");
		return;
	}
	tui_message(t, "/%s/ is in no row that is shown; unfold (E) to search call trees",
		    b->search.word);
}

enum tui_answer browser_search(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	char buf[sizeof(b->search.word)], why[128];
	regex_t re;
	int ret;

	snprintf(buf, sizeof(buf), "%s", b->search.word);
	if (!tui_input(t, "Search (regular expression): ", buf, sizeof(buf), NULL, NULL, NULL))
		return TUI_STAY;
	if (b->search.set)
		regfree(&b->search.re);
	b->search.set = false;
	snprintf(b->search.word, sizeof(b->search.word), "%s", buf);
	if (!*buf)
		return TUI_STAY;
	ret = regcomp(&re, buf, REG_EXTENDED | REG_NOSUB);
	if (ret) {
		regerror(ret, &re, why, sizeof(why));
		tui_message(t, "`%s' is no regular expression: %s", buf, why);
		return TUI_STAY;
	}
	b->search.re = re;
	b->search.set = true;
	count(b);
	go(t, b, false);
	return TUI_STAY;
}

static enum tui_answer next(struct tui *t, struct browser *b, bool back)
{
	if (!b->search.set) {
		tui_message(t, "Nothing is searched for: Ctrl-F begins");
		return TUI_STAY;
	}
	count(b);
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
