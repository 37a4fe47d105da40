// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searching leaves everything where it is: rows and frames that match are coloured, n and N go from
 * one to the next, and the message says how many rows there are and what share of the samples has
 * it in its row or its chain. Case matters when a letter is large.
 *
 * Going to the next match may look at millions of rows: it looks at LOOK_AT of them, and says so.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "report-int.h"

#define LOOK_AT 1000000

bool browser_matches(struct browser *b, const struct browse_line *l)
{
	if (!b->search.set)
		return false;
	b->cell.len = 0;
	browse_full_text(b->rows, l, &b->cell);
	obuf_char(&b->cell, 0);
	return !b->cell.code && !regexec(&b->search.re, b->cell.buf, 0, NULL, 0);
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
	b->search.frames = f.nr_frames;
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
	if (b->search.frames)
		tell(t, b, "; unfold (E) to see it");
	else
		tui_message(t, "/%s/ is nowhere%s", b->search.word,
			    n > LOOK_AT ? " among the first million rows" : "");
}

enum tui_answer browser_search(struct tui *t, struct tui_view *v)
{
	struct browser *b = v->ctx;
	char buf[sizeof(b->search.word)], why[128];
	struct err e = { 0 };
	int icase = REG_ICASE;
	regex_t re;
	int ret;

	snprintf(buf, sizeof(buf), "%s", b->search.word);
	if (!tui_input(t, "Search (regular expression): ", buf, sizeof(buf), tui_searched(t), NULL,
		       NULL))
		return TUI_STAY;
	if (b->search.set)
		regfree(&b->search.re);
	b->search.set = false;
	snprintf(b->search.word, sizeof(b->search.word), "%s", buf);
	if (!*buf)
		return TUI_STAY;
	/* As the counting has it. */
	for (const char *c = buf; *c; c++)
		if (isupper((unsigned char)*c))
			icase = 0;
	ret = regcomp(&re, buf, REG_EXTENDED | REG_NOSUB | icase);
	if (ret) {
		regerror(ret, &re, why, sizeof(why));
		tui_message(t, "`%s' is no regular expression: %s", buf, why);
		return TUI_STAY;
	}
	b->search.re = re;
	b->search.set = true;
	if (count(b, &e))
		browser_error(t, &e);
	else
		go(t, b, false);
	return TUI_STAY;
}

static enum tui_answer next(struct tui *t, struct browser *b, bool back)
{
	struct err e = { 0 };

	if (!b->search.set) {
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
