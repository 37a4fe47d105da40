// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The help page of a view, out of the very tables by which keys are found: a key that is not told does
 * not work, and one that is told does (tests press them all). Before these stands what the view says of its
 * columns, filled up to lines that fit any screen. It scrolls, and / leaves lines with a word.
 */
#include <stdlib.h>
#include <strings.h>

#include "tui/tui-int.h"

#define NAME_WIDTH 16
#define LINE_WIDTH 76

/* A key, or a line of words; neither: an empty line. */
struct help_line {
	const struct tui_key *key;
	const char *words;
};

struct help {
	struct tui_view *of;
	struct tui_list list;
	char word[64];
	struct obuf words; /* lines that end with 0 */
	VEC(struct help_line) shown;
};

static bool has_word(const struct tui_key *k, const char *word)
{
	return !*word || strcasestr(k->name, word) || strcasestr(k->help, word);
}

/* What the view says, in lines as wide as they may be. */
static void fill_words(struct help *h)
{
	struct obuf said = { .fd = -1 };
	size_t at = 0;

	if (h->of->ops->about)
		h->of->ops->about(h->of, &said);
	obuf_char(&said, 0);
	for (const char *s = said.code ? "" : said.buf; *s;) {
		size_t n = strcspn(s, " \n"), line = h->words.len - at;
		bool ends = s[n] == '\n' && (s[n + 1] == '\n' || !s[n + 1]);

		if (line && line + 1 + n > LINE_WIDTH) {
			obuf_char(&h->words, 0);
			at = h->words.len;
		} else if (line) {
			obuf_char(&h->words, ' ');
		}
		obuf_mem(&h->words, s, n);
		s += n + (s[n] != 0);
		if (!ends)
			continue;
		obuf_char(&h->words, 0);
		at = h->words.len;
		s += *s == '\n';
	}
	if (h->words.len > at)
		obuf_char(&h->words, 0);
	free(said.buf);
}

static int add_line(struct help *h, const struct tui_key *key, const char *words)
{
	return vec_push(&h->shown, ((struct help_line){ key, words }));
}

static void gather(struct help *h)
{
	const struct tui_key *table[] = {
		h->of->ops->keys,
		h->of->list ? tui_list_keys : NULL,
		tui_view_keys,
	};

	h->shown.n = 0;
	for (size_t i = 0; !h->words.code && i < h->words.len; i += strlen(h->words.buf + i) + 1)
		if ((!*h->word || strcasestr(h->words.buf + i, h->word)) &&
		    add_line(h, NULL, h->words.buf + i))
			return;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct tui_key *k = table[i];
		struct help_line *last = h->shown.n ? &h->shown.v[h->shown.n - 1] : NULL;

		if (k && last && (last->key || last->words) && add_line(h, NULL, NULL))
			return;
		for (; k && k->key; k++)
			if (k->name && has_word(k, h->word) && add_line(h, k, NULL))
				return;
	}
}

static uint64_t help_rows(void *ctx)
{
	const struct help *h = ctx;

	return h->shown.n;
}

static void help_row(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	const struct help *h = ctx;
	const struct tui_key *k = h->shown.v[i].key;

	(void)selected;
	if (h->shown.v[i].words)
		tui_put(p, TUI_NORMAL, h->shown.v[i].words);
	if (!k)
		return;
	tui_put(p, TUI_NORMAL, " ");
	tui_put(p, TUI_TOP, k->name);
	tui_pad(p, TUI_NORMAL, NAME_WIDTH + 1);
	tui_put(p, TUI_NORMAL, " ");
	tui_put(p, TUI_NORMAL, k->help);
}

static void help_title(struct tui_view *v, struct tui_pen *p)
{
	const struct help *h = v->ctx;

	tui_putf(p, TUI_ROOT, "Help: keys of %s", h->of->ops->name);
	if (h->words.len)
		tui_put(p, TUI_ROOT, ", and what its columns are");
	if (*h->word)
		tui_putf(p, TUI_ROOT, ", with \"%s\"", h->word);
}

static void help_footer(struct tui_view *v, struct tui_pen *p)
{
	(void)v;
	tui_put(p, TUI_ROOT, "Up, Down, PgUp, PgDn: scroll   /: lines with a word   others: back");
}

static void help_changed(void *ctx, const char *text)
{
	(void)text;
	gather(ctx); /* h->word is the text */
}

static bool help_key(struct tui *t, struct tui_view *v, int key, enum tui_answer *a)
{
	struct help *h = v->ctx;

	if (key == TUI_CTRL_C) {
		*a = TUI_QUIT;
	} else if (key == '/') {
		if (!tui_input(t, "/", h->word, sizeof(h->word), NULL, help_changed, h))
			h->word[0] = 0;
		h->list.top = 0;
		gather(h);
	} else if (!tui_list_key(t, &h->list, key)) {
		*a = TUI_BACK;
	}
	return true;
}

enum tui_answer tui_help(struct tui *t, struct tui_view *of)
{
	static const struct tui_list_ops rows = { .rows = help_rows, .paint = help_row };
	static const struct tui_view_ops ops = {
		.name = "help",
		.title = help_title,
		.footer = help_footer,
		.key = help_key,
	};
	struct help h = { .of = of,
			  .words = { .fd = -1 },
			  .list = { .ops = &rows, .no_cursor = true } };
	struct tui_view v = { .ops = &ops, .ctx = &h, .list = &h.list };
	enum tui_answer a;

	h.list.ctx = &h;
	fill_words(&h);
	gather(&h);
	a = tui_run(t, &v);
	vec_free(&h.shown);
	free(h.words.buf);
	return a;
}
