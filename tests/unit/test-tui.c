// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Views, lists and pop-ups on a terminal made of strings: keys in, screens out.
 */
#include "tui-build.h"

struct rows {
	struct tui_list list;
	uint64_t n, painted;
};

static uint64_t nr_rows(void *ctx)
{
	return ((struct rows *)ctx)->n;
}

static void paint_row(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	(void)selected;
	((struct rows *)ctx)->painted++;
	tui_putf(p, i < 2 ? TUI_TOP : TUI_NORMAL, "row %llu", (unsigned long long)i);
}

static void title(struct tui_view *v, struct tui_pen *p)
{
	(void)v;
	tui_put(p, TUI_ROOT, "The title");
}

static void footer(struct tui_view *v, struct tui_pen *p)
{
	tui_putf(p, TUI_ROOT, "at %llu", (unsigned long long)((struct rows *)v->ctx)->list.cursor);
}

static const char *const items[] = { "first", "second", "third of them" };

static enum tui_answer key_menu(struct tui *t, struct tui_view *v)
{
	(void)v;
	tui_message(t, "picked %d", tui_menu(t, "Pick one", items, 3, 0));
	return TUI_STAY;
}

static enum tui_answer key_type(struct tui *t, struct tui_view *v)
{
	char buf[24] = "ab";

	(void)v;
	if (tui_input(t, "Type: ", buf, sizeof(buf), NULL, NULL, NULL))
		tui_message(t, "typed <%s>", buf);
	else
		tui_message(t, "not typed");
	return TUI_STAY;
}

static enum tui_answer key_ask(struct tui *t, struct tui_view *v)
{
	(void)v;
	tui_message(t, tui_ask(t, "Really?") ? "yes" : "no");
	return TUI_STAY;
}

static const struct tui_key keys[] = {
	{ 'm', "m", "a menu", key_menu },
	{ '/', "/", "a line to type", key_type },
	{ 'y', "y", "a question", key_ask },
	{ 0 },
};

static const struct tui_list_ops list_ops = { .rows = nr_rows, .paint = paint_row };
static const struct tui_view_ops view_ops = {
	.name = "rows",
	.keys = keys,
	.title = title,
	.footer = footer,
};

/* @keys pressed over @n rows; the struct is for a look at what they did. */
static struct rows press(struct fake *f, uint64_t n)
{
	struct rows r = { .n = n };
	struct tui_view v = { .ops = &view_ops, .ctx = &r, .list = &r.list };

	r.list = (struct tui_list){ .ops = &list_ops, .ctx = &r };
	assert_int_equal(tui_run(fake_open(f), &v), TUI_QUIT);
	return r;
}

static void test_screen(void **state)
{
	struct fake f = { .rows = 6, .cols = 20, .keys = "\033[B" };

	(void)state;
	press(&f, 100);
	assert_string_equal(fake_text(&f), "The title\n"
					   "row 0              ◆\n"
					   "row 1              ▒\n"
					   "row 2              ▒\n"
					   "row 3              ▒\n"
					   "at 1\n");
	assert_string_equal(fake_colors(&f), "RRRRRRRRRRRRRRRRRRRR\n"
					     "TTTTTNNNNNNNNNNNNNN|\n"
					     "SSSSSSSSSSSSSSSSSSS|\n"
					     "NNNNNNNNNNNNNNNNNNN|\n"
					     "NNNNNNNNNNNNNNNNNNN|\n"
					     "RRRRRRRRRRRRRRRRRRRR\n");
	fake_close(&f);
}

/* Rows of a list are asked for only when they are seen, and its ends are ends. */
static void test_many_rows(void **state)
{
	struct fake f = { .rows = 24,
			  .cols = 80,
			  .keys = "\033[F \033[6~\033[5~\033[H\033[A\033[F\033[B" };
	struct rows r;

	(void)state;
	r = press(&f, 10000000);
	assert_int_equal(r.list.cursor, 9999999);
	assert_int_equal(r.list.top, 10000000 - 22);
	assert_true(r.painted <= (uint64_t)f.shown * 22);
	fake_close(&f);
}

static void test_menu(void **state)
{
	struct fake f = { .rows = 8, .cols = 30, .keys = "m\033[B" };

	(void)state;
	press(&f, 3);
	assert_string_equal(fake_text(&f), "The title\n"
					   "row 0 ┌─ Pick one ────┐\n"
					   "row 1 │ first         │\n"
					   "row 2 │ second        │\n"
					   "      │ third of them │\n"
					   "      └───────────────┘\n"
					   "\n"
					   "at 0\n");
	fake_close(&f);
	f = (struct fake){ .rows = 8, .cols = 30, .keys = "mt\r" };
	press(&f, 3);
	assert_non_null(strstr(fake_text(&f), "picked 2\n"));
	fake_close(&f);
}

static void test_type(void **state)
{
	struct fake f = { .rows = 8, .cols = 30, .keys = "/\x7f\x7f\x7fx\xc3\xbcz\033[Dy\r" };

	(void)state;
	press(&f, 3);
	assert_non_null(strstr(fake_text(&f), "typed <xüyz>\n"));
	fake_close(&f);
	f = (struct fake){ .rows = 8, .cols = 30, .keys = "/\033\xff" };
	press(&f, 3);
	assert_non_null(strstr(fake_text(&f), "not typed\n"));
	fake_close(&f);
}

static void test_ask(void **state)
{
	struct fake f = { .rows = 8, .cols = 40, .keys = "yn" };

	(void)state;
	press(&f, 3);
	assert_non_null(strstr(fake_text(&f), "no\n"));
	fake_close(&f);
	f = (struct fake){ .rows = 8, .cols = 40, .keys = "yy" };
	press(&f, 3);
	assert_non_null(strstr(fake_text(&f), "yes\n"));
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screen), cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_menu),   cmocka_unit_test(test_type),
		cmocka_unit_test(test_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
