// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The grid: text is cut where it should be, wide characters are whole, names out of a file reach no
 * terminal raw, and whatever is written where, the grid stays one.
 */
#include <locale.h>
#include <wchar.h>

#include "tui-build.h"

static char text[1 << 16], roles[1 << 16];

/* A line of @cols columns, after @what was done with it. */
static const char *line(struct tui_screen *s)
{
	fake_lines(s, text, roles);
	return text;
}

static void test_puts(void **state)
{
	struct tui_screen s = { 0 };

	(void)state;
	assert_int_equal(tui_screen_resize(&s, 1, 10), 0);
	assert_int_equal(tui_puts(&s, 0, 2, 20, TUI_TOP, "abcdefghijkl"), 12);
	assert_string_equal(line(&s), "  abcdefgh\n");
	assert_string_equal(roles, "NNTTTTTTTT\n");
	assert_int_equal(tui_puts(&s, 0, -2, 5, TUI_NORMAL, "12345678"), 5);
	assert_string_equal(line(&s), "345bcdefgh\n");
	tui_puts(&s, 1, 0, 5, TUI_NORMAL, "no row");
	tui_puts(&s, -1, 0, 5, TUI_NORMAL, "no row");
	tui_puts(&s, 0, 10, 5, TUI_NORMAL, "no column");
	tui_puts(&s, 0, 3, 0, TUI_NORMAL, "no width");
	assert_string_equal(line(&s), "345bcdefgh\n");
	tui_screen_free(&s);
}

static void test_wide(void **state)
{
	struct tui_screen s = { 0 };

	(void)state;
	assert_int_equal(tui_screen_resize(&s, 1, 6), 0);
	/* What does not fit whole is not there. */
	assert_int_equal(tui_puts(&s, 0, 0, 5, TUI_NORMAL, "名前関"), 5);
	assert_string_equal(line(&s), "名前\n");
	/* Half of it overwritten: the other half is a blank. */
	tui_puts(&s, 0, 1, 1, TUI_NORMAL, "x");
	assert_string_equal(line(&s), " x前\n");
	tui_puts(&s, 0, 2, 1, TUI_NORMAL, "y");
	assert_string_equal(line(&s), " xy\n");
	/* Half of it scrolled away. */
	tui_fill(&s, 0, 0, 1, 6, TUI_NORMAL);
	struct tui_pen p = { .s = &s, .end = 6, .skip = 1 };
	tui_put(&p, TUI_NORMAL, "名前");
	assert_string_equal(line(&s), " 前\n");
	assert_int_equal(p.at, 4);
	tui_screen_free(&s);
}

static void test_hostile(void **state)
{
	struct tui_screen s = { 0 };

	(void)state;
	assert_int_equal(tui_screen_resize(&s, 1, 90), 0);
	tui_puts(&s, 0, 0, 90, TUI_NORMAL, "a\033[31mb\nc\x7f\xc2\x9b\xff\xf0\x9f");
	assert_string_equal(line(&s), "a\\x1b[31mb\\x0ac\\x7f\\xc2\\x9b\\xff\\xf0\\x9f\n");
	tui_fill(&s, 0, 0, 1, 90, TUI_NORMAL);
	/* Direction, nothing, joiners, a tag: they would hide what a name is. */
	tui_puts(&s, 0, 0, 90, TUI_NORMAL, "x\u202ey\u200bz\u2066\ufeff\U000e0041.");
	assert_string_equal(line(&s),
			    "x\\xe2\\x80\\xaey\\xe2\\x80\\x8bz\\xe2\\x81\\xa6\\xef\\xbb\\xbf"
			    "\\xf3\\xa0\\x81\\x81.\n");
	tui_fill(&s, 0, 0, 1, 90, TUI_NORMAL);
	/* Of a flood of marks one stays; one at the beginning of a field joins nothing. */
	tui_puts(&s, 0, 5, 20, TUI_NORMAL, "\u0301e\u0301\u0302\u0303\u0304\u0305x");
	assert_string_equal(line(&s), "     e\u0301x\n");
	tui_screen_free(&s);
}

static void test_ascii(void **state)
{
	struct tui_screen s = { .ascii = true };

	(void)state;
	assert_int_equal(tui_screen_resize(&s, 1, 40), 0);
	tui_puts(&s, 0, 0, 40, TUI_NORMAL, "┌─│┘→▒◆█é名e\u0301.");
	assert_string_equal(line(&s), "+-|+>:##???e.\n");
	tui_screen_free(&s);
}

static void cut_is(const char *name, int width, const char *want)
{
	char buf[256];

	assert_string_equal(tui_cut(buf, sizeof(buf), name, width), want);
	assert_true(!*want || tui_width(want) <= width);
}

static void test_cut(void **state)
{
	char small[8];

	(void)state;
	cut_is("short", 5, "short");
	cut_is("std::vector<int>::push_back", 27, "std::vector<int>::push_back");
	cut_is("std::vector<int>::push_back", 20, "std::ve..::push_back");
	cut_is("std::vector<int>::push_back", 6, "s..ack");
	cut_is("std::vector<int>::push_back", 4, "std:");
	cut_is("名前名前名前名前", 10, "名..前名前");
	cut_is("anything", 0, "");
	cut_is("anything", -3, "");
	assert_true(strlen(tui_cut(small, sizeof(small), "a name that is longer", 15)) <
		    sizeof(small));
}

static void test_fields(void **state)
{
	struct tui_screen s = { 0 };
	struct tui_pen p = { .s = &s, .end = 30 };

	(void)state;
	assert_int_equal(tui_screen_resize(&s, 1, 30), 0);
	tui_field(&p, TUI_TOP, -8, "12.5%");
	tui_put(&p, TUI_NORMAL, "|");
	tui_field(&p, TUI_ADDR, 8, "abc");
	tui_put(&p, TUI_NORMAL, "|");
	tui_field(&p, TUI_NORMAL, 8, "abcdefghijkl");
	assert_int_equal(tui_left(&p), 30 - 26);
	assert_string_equal(line(&s), "   12.5%|abc     |ab..ijkl\n");
	assert_string_equal(roles, "TTTTTTTTNAAAAAAAA\n");
	/* Scrolled: columns stay under their heads. */
	tui_fill(&s, 0, 0, 1, 30, TUI_NORMAL);
	p = (struct tui_pen){ .s = &s, .col = 1, .end = 9, .skip = 6 };
	tui_field(&p, TUI_TOP, -8, "12.5%");
	tui_put(&p, TUI_NORMAL, "|");
	tui_field(&p, TUI_ADDR, 8, "abc");
	assert_string_equal(line(&s), " 5%|abc\n");
	assert_int_equal(tui_left(&p), 0);
	tui_screen_free(&s);
}

/* Random writes of random bytes anywhere; fake_lines() asserts what must hold. */
static void test_random(void **state)
{
	static const char *const piece[] = { "a",	"bc",	      "名",	"前前", "e\u0301",
					     "\033[2J", "\xff",	      "\u202e", "\t",	"│",
					     " ",	"\U0001f600", "\u1161" };
	struct tui_screen s = { 0 };
	uint64_t seed = 88172645463325252;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct tui_pen p = { .s = &s };
		char buf[64] = "";

		if (i % 100 == 0) {
			s.ascii = i % 300 == 0;
			assert_int_equal(tui_screen_resize(&s, (int)(unit_random(&seed) % 5),
							   (int)(unit_random(&seed) % 12)),
					 0);
		}
		for (int k = 0; k < 6; k++)
			strcat(buf, piece[unit_random(&seed) % ARRAY_SIZE(piece)]);
		p.row = (int)(unit_random(&seed) % 8) - 2;
		p.col = (int)(unit_random(&seed) % 16) - 4;
		p.end = p.col + (int)(unit_random(&seed) % 10);
		p.skip = (int)(unit_random(&seed) % 5);
		s.over = unit_random(&seed) % 4 ? 0 : TUI_SELECTED;
		if (i % 3 == 0)
			tui_put(&p, TUI_NORMAL, buf);
		else if (i % 3 == 1)
			tui_field(&p, TUI_NORMAL, (int)(unit_random(&seed) % 20) - 10, buf);
		else
			tui_fill(&s, p.row, p.col, 2, (int)(unit_random(&seed) % 5), TUI_TOP);
		fake_lines(&s, text, roles);
	}
	tui_screen_free(&s);
}

/* The C library's opinion, where it has one; they may differ in what is new. */
static void test_width(void **state)
{
	int differ = 0, both = 0;

	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip_because("no locale C.UTF-8");
	for (uint32_t cp = 0xa0; cp < 0x30000; cp++) {
		int theirs = wcwidth((wchar_t)cp);

		if (theirs < 0 || cp == 0xad || (cp >= 0x2028 && cp < 0x2070))
			continue;
		both++;
		if (theirs != tui_char_width(cp))
			differ++;
	}
	setlocale(LC_CTYPE, "C");
	assert_true(both > 100000);
	if (differ > 1000)
		fail_msg("%d of %d characters have another width", differ, both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_puts),	cmocka_unit_test(test_wide),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_cut),	cmocka_unit_test(test_fields),
		cmocka_unit_test(test_random),	cmocka_unit_test(test_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
