// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The help page of a view, out of the very tables by which keys are found: a key that is not told does
 * not work, and one that is told does (tests press them all). It scrolls, and / leaves lines with a word.
 */
#include <stdlib.h>
#include <strings.h>

#include "tui/tui-int.h"

#define NAME_WIDTH 16

struct help {
	struct tui_view *of;
	struct tui_list list;
	char word[64];
	VEC(const struct tui_key *) shown; /* NULL = an empty line */
};

static bool has_word(const struct tui_key *k, const char *word)
{
	return !*word || strcasestr(k->name, word) || strcasestr(k->help, word);
}

static void gather(struct help *h)
{
	const struct tui_key *table[] = {
		h->of->ops->keys,
		h->of->list ? tui_list_keys : NULL,
		tui_view_keys,
	};

	h->shown.n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct tui_key *k = table[i];

		if (k && h->shown.n && h->shown.v[h->shown.n - 1] && vec_push(&h->shown, NULL))
			return;
		for (; k && k->key; k++)
			if (k->name && has_word(k, h->word) && vec_push(&h->shown, k))
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
	const struct tui_key *k = h->shown.v[i];

	(void)selected;
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
	struct help h = { .of = of, .list = { .ops = &rows, .no_cursor = true } };
	struct tui_view v = { .ops = &ops, .ctx = &h, .list = &h.list };
	enum tui_answer a;

	h.list.ctx = &h;
	gather(&h);
	a = tui_run(t, &v);
	vec_free(&h.shown);
	return a;
}
