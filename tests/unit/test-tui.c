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

static struct tui_history history;

static enum tui_answer key_again(struct tui *t, struct tui_view *v)
{
	char buf[24] = "";

	(void)v;
	if (tui_input(t, "Again: ", buf, sizeof(buf), &history, NULL, NULL))
		tui_message(t, "typed <%s>", buf);
	return TUI_STAY;
}

static enum tui_answer key_window(struct tui *t, struct tui_view *v)
{
	(void)v;
	return tui_window(t, "Text", "one line\n\nand another one\nthe last");
}

static enum tui_answer key_warn(struct tui *t, struct tui_view *v)
{
	struct log_sink s = tui_log(t);

	(void)v;
	log_to(&s, LOG_WARN, "%d chunks were lost", 3);
	log_to(&s, LOG_INFO, "which is not shown");
	return TUI_STAY;
}

static enum tui_answer key_deeper(struct tui *t, struct tui_view *v)
{
	struct tui_view inner = *v;

	return tui_run(t, &inner);
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
	{ 'n', "n", "a line with a history", key_again },
	{ 'y', "y, Y", "a question", key_ask },
	{ 'Y', NULL, NULL, key_ask },
	{ 'w', "w", "a window", key_window },
	{ '!', "!", "a warning", key_warn },
	{ TUI_ENTER, "Enter", "one deeper", key_deeper },
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
	/* Where the keys end the terminal is gone; random ones may leave before. */
	if (tui_run(fake_open(f), &v) != TUI_QUIT)
		assert_true(f->patient);
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

/* The last screen after @keys, in @rows rows and @cols columns. */
static void screen_is(const char *keys, int rows, int cols, const char *want)
{
	struct fake f = { .rows = rows, .cols = cols, .keys = keys };

	press(&f, 100);
	assert_string_equal(fake_text(&f), want);
	fake_close(&f);
}

static void test_help(void **state)
{
	(void)state;
	screen_is("?", 10, 40,
		  "Help: keys of rows\n"
		  " m                a menu               ◆\n"
		  " /                a line to type       ▒\n"
		  " n                a line with a history▒\n"
		  " y, Y             a question           ▒\n"
		  " w                a window             ▒\n"
		  " !                a warning            ▒\n"
		  " Enter            one deeper           ▒\n"
		  "                                       ▒\n"
		  "Up, Down, PgUp, PgDn: scroll   /: lines\n");
	screen_is("?/PAGE\r", 10, 40,
		  "Help: keys of rows, with \"PAGE\"\n"
		  " PgUp             a page up\n"
		  " PgDn, Space      a page down\n"
		  "\n"
		  " h, ?, F1         this page; / in it lea\n"
		  "\n\n\n\n"
		  "Up, Down, PgUp, PgDn: scroll   /: lines\n");
	/* Any other key closes it, and opens nothing. */
	screen_is("?x", 3, 12, "The title\nrow 0      ◆\nrow 1      ▒\n");
}

static void test_window(void **state)
{
	(void)state;
	screen_is("w", 9, 30,
		  "The title\n"
		  "row 0┌─ Text ──────────┐     ◆\n"
		  "row 1│ one line        │     ▒\n"
		  "row 2│                 │     ▒\n"
		  "row 3│ and another one │     ▒\n"
		  "row 4│ the last        │     ▒\n"
		  "row 5└─────────────────┘     ▒\n"
		  "row 6                        ▒\n"
		  "at 0\n");
}

static void test_small(void **state)
{
	(void)state;
	screen_is("", 1, 1, "r\n");
	screen_is("", 2, 4, "The\nrow◆\n");
	screen_is("m", 1, 5, "firs◆\n");
	screen_is("m\033[B\033[B", 2, 3, "se▒\nth◆\n");
	screen_is("/xyz", 1, 6, "Tyxyz\n");
}

/* Sizes that change while anything is open, and every key of the tables: nothing to compare but what
 * fake_lines() asserts, and that it ends. */
static void test_random_keys(void **state)
{
	static const char *const keys[] = {
		"m",
		"/",
		"n",
		"y",
		"w",
		"!",
		"\r",
		"?",
		"h",
		"q",
		"x",
		"\033\xff",
		"\033[A",
		"\033[B",
		"\033[C",
		"\033[D",
		"\033[H",
		"\033[F",
		"\033[5~",
		"\033[6~",
		"\x7f",
		"\x03",
		"\x0c",
		"\xc3\xa9",
		"\xe5\x90\x8d",
		"\033[<0;3;2M",
		"\033[<64;1;1M",
		"\033OQ",
		"\033[200~",
		"\033[201~",
		"\x15",
		"\x17",
		"\x0b",
		" ",
		"\xfe\x01\x01",
		"\xfe\x02\x05",
		"\xfe\x0a\x28",
		"\xfe\x18\x50",
		"\xfe\x32\xc8",
		"\x1a",
		"\033[",
	};
	uint64_t seed = 521288629;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct fake f = { .rows = 24, .cols = 80, .ascii = i % 5 == 0 };
		char script[512] = "";

		for (int k = 0; k < 40; k++)
			strcat(script, keys[unit_random(&seed) % ARRAY_SIZE(keys)]);
		/* A wait for time only where there is something to wait for. */
		f.patient = true;
		f.keys = script;
		f.piece = unit_random(&seed) % 3;
		press(&f, unit_random(&seed) % 3 ? 1000 : unit_random(&seed) % 3);
		fake_close(&f);
	}
	tui_history_free(&history);
}

/* Keys in one piece or byte by byte: the same screen. */
static void test_pieces(void **state)
{
	static const char *const scripts[] = {
		"\033[B\033[6~\033OB\033[F\033[A", "m\033[B\r",
		"/\033[D\xe5\x90\x8d\033[3~\r",	   "y\rw\033[B",
		"\r\r\033[B\033\xff\033[B",	   "?/row\r",
		"\033[200~qqq\033[201~",	   "m\033\xff",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		struct fake one = { .rows = 10, .cols = 40, .keys = scripts[i], .piece = 1 };
		struct fake all = { .rows = 10, .cols = 40, .keys = scripts[i] };

		press(&one, 50);
		press(&all, 50);
		assert_string_equal(fake_text(&one), fake_text(&all));
		assert_string_equal(fake_colors(&one), fake_colors(&all));
		fake_close(&one);
		fake_close(&all);
	}
}

static void typed_is(const char *keys, const char *want)
{
	struct fake f = { .rows = 8, .cols = 60, .keys = keys };

	press(&f, 3);
	if (!strstr(fake_text(&f), want))
		fail_msg("no %s in %s", want, fake_text(&f));
	fake_close(&f);
}

static void test_edit(void **state)
{
	(void)state;
	typed_is("/\r", "typed <ab>");
	typed_is("/\x15\r", "typed <>");
	typed_is("/ c d\x17x\r", "typed <ab c x>");
	typed_is("/\033[Hx\033[Fy\033[D\033[D\033[3~\r", "typed <xay>");
	typed_is("/\x01z\x05w\r", "typed <zabw>");
	typed_is("/\033[D\x0b!\r", "typed <a!>");
	typed_is("/\xc3\xa9\xe5\x90\x8d\x7f\r", "typed <abé>");
	typed_is("/\033[D\033[D\033[D\x7fx\r", "typed <xab>");
	typed_is("/\x03", "not typed");
	/* What does not fit is not taken, a character neither whole nor in part. */
	typed_is("/1234567890123456789012345\r", "typed <ab123456789012345678901>");
	typed_is("/12345678901234567890\xe5\x90\x8d\xc3\xa9\r", "typed <ab12345678901234567890>");
	/* Pasted lines are one. */
	typed_is("/\033[200~q\rq\nq\033[201~\r", "typed <abqqq>");
	/* A history: newest first, no line twice, what was typed is there again. */
	typed_is("none\rntwo\rn\033[A\033[A\r", "typed <one>");
	typed_is("n\033[A\r", "typed <one>");
	typed_is("n\033[A\033[A\r", "typed <two>");
	typed_is("nxy\033[A\033[B\r", "typed <xy>");
	tui_history_free(&history);
}

static void test_nested(void **state)
{
	(void)state;
	/* Two deeper, back once, and what is there is the same list. */
	typed_is("\r\r\033\xff\033[B", "at 1\n");
	/* q leaves from any depth; Ctrl-C from a menu, too. */
	struct fake f = { .rows = 8, .cols = 40, .keys = "\r\rm\x03 this is not read" };

	press(&f, 3);
	assert_int_equal(f.left, 0);
	fake_close(&f);
	typed_is("z", "'z' key not associated, use 'h'/'?'/F1 to see actions!");
	typed_is("\033[200~z\033[201~", "at 0");
}

static void test_log(void **state)
{
	struct fake f = { .rows = 8, .cols = 40, .keys = "!" };

	(void)state;
	press(&f, 3);
	assert_non_null(strstr(fake_text(&f), "3 chunks were lost\n"));
	assert_non_null(strstr(fake_colors(&f), "WWWW"));
	assert_string_equal(tui_logged(f.t, 0), "3 chunks were lost");
	assert_null(tui_logged(f.t, 1));
	fake_close(&f);
}

/* Nothing is shown of what is soon done; then a bar, and q stops. */
static void test_progress(void **state)
{
	struct fake f = { .rows = 9, .cols = 40, .keys = "xq", .piece = 1 };
	struct tui *t = fake_open(&f);

	(void)state;
	assert_false(tui_progress(t, "Reading perf.data", 1, 4));
	assert_int_equal(f.shown, 0);
	while (!f.shown) {
		usleep(5000);
		tui_progress(t, "Reading perf.data", 1, 4);
	}
	assert_string_equal(fake_text(&f), "\n\n"
					   "      Reading perf.data\n"
					   "\n"
					   "      █████░░░░░░░░░░░░░░░   25%\n"
					   "\n"
					   "      stopped\n"
					   "\n\n");
	assert_true(tui_progress(t, "Reading perf.data", 2, 4));
	fake_close(&f);
}

/* Where all of it has to be read no key is named, none stops it, and it goes on to be painted. */
static void test_progress_of_all(void **state)
{
	struct fake f = { .rows = 9, .cols = 40, .keys = "xq", .piece = 1 };
	struct tui *t = fake_open(&f);

	(void)state;
	tui_read_all(t);
	while (f.shown < 2) {
		assert_false(tui_progress(t, "Reading perf.data", f.shown ? 4 : 1, 4));
		if (f.shown == 1)
			assert_null(strstr(fake_text(&f), "stop"));
		usleep(20000);
	}
	assert_non_null(strstr(fake_text(&f), " 100%"));
	fake_close(&f);
}

static void test_color(void **state)
{
	struct tui_opts o = { .no_color = false };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(tui_set_color(&o, "top", " brightred , color17", &e), 0);
	assert_string_equal(tui_role_color(&o, TUI_TOP, false), "brightred");
	assert_string_equal(tui_role_color(&o, TUI_TOP, true), "color17");
	assert_int_equal(tui_set_color(&o, "addr", "#12ab90", &e), 0);
	assert_string_equal(tui_role_color(&o, TUI_ADDR, true), "default");
	assert_string_equal(tui_role_color(&o, TUI_ROOT, true), "blue");
	assert_int_equal(tui_set_color(&o, "nothing", "red", &e), -ENOENT);
	for (const char **bad =
		     (const char *[]){ "", ",", "red,", "color256", "colorx", "#12345", "Red\033",
				       "a colour with a name that is too long for any", NULL };
	     *bad; bad++)
		assert_int_equal(tui_set_color(&o, "top", *bad, &e), -EINVAL);
	assert_non_null(strstr(e.text, "colors.top"));
	assert_string_equal(tui_role_color(&o, TUI_TOP, false), "brightred");
}

/* A row as browsers have them: a share, an address, a name that may be anything. */
static void paint_name(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	static const char *const names[] = {
		"main",
		"std::map<std::string, std::vector<int>>::operator[](std::string const&)",
		"名前::関数(引数)",
		"evil\033[31m\u202ename\r\n",
		"e\u0301te\u0301",
	};
	int width = tui_left(p) - 30;

	(void)ctx, (void)selected;
	tui_putf(p,
		 i < 3	 ? TUI_TOP
		 : i < 6 ? TUI_MEDIUM
			 : TUI_NORMAL,
		 "%6.2f%%", 100.0 / (double)(i + 2));
	tui_putf(p, TUI_ADDR, "  %08llx  ", (unsigned long long)i * 4096);
	tui_field(p, TUI_NORMAL, width > 12 ? width : 12, names[i % ARRAY_SIZE(names)]);
	tui_put(p, TUI_DIM, "  libc.so.6");
}

/* Whole screens with their roles, in tests/data/tui; UPDATE=1 writes them. */
static void golden(int rows, int cols, const char *keys)
{
	static const struct tui_list_ops ops = { .rows = nr_rows, .paint = paint_name };
	struct fake f = { .rows = rows, .cols = cols, .keys = keys };
	struct rows r = { .n = 1000 };
	struct tui_view v = { .ops = &view_ops, .ctx = &r, .list = &r.list };
	char path[64], *want = NULL;
	size_t size = 0;
	FILE *file;

	r.list = (struct tui_list){ .ops = &ops, .ctx = &r };
	assert_int_equal(tui_run(fake_open(&f), &v), TUI_QUIT);
	snprintf(path, sizeof(path), "tests/data/tui/%dx%d.txt", cols, rows);
	file = fopen(path, getenv("UPDATE") ? "w+" : "r");
	assert_non_null(file);
	if (getenv("UPDATE")) {
		fprintf(file, "%s%s", fake_text(&f), fake_colors(&f));
		rewind(file);
	}
	assert_true(getdelim(&want, &size, 0, file) > 0);
	fclose(file);
	size = strlen(fake_text(&f));
	if (strncmp(want, fake_text(&f), size) != 0 || strcmp(want + size, fake_colors(&f)) != 0)
		fail_msg("another screen than %s:\n%s%s", path, fake_text(&f), fake_colors(&f));
	free(want);
	fake_close(&f);
}

static void test_golden(void **state)
{
	(void)state;
	golden(24, 80, "\033[6~\033[Bm\033[B");
	golden(10, 40, "\033[B\033[C/xyz");
	golden(50, 200, "\033[F\033[A!");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screen),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_menu),
		cmocka_unit_test(test_type),
		cmocka_unit_test(test_ask),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_progress_of_all),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_random_keys),
		cmocka_unit_test(test_golden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
