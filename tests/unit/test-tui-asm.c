// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The annotate browser without a terminal: lanes of jumps in functions made at random, and code
 * that is not there.
 */
#include "config.h"
#include "table-build.h"
#include "tui-build.h"
#include "tui/asm-int.h"

#define NR_LINES 400

static struct listing_line lines[NR_LINES];
static uint32_t seed = 12345;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static struct listing jumps_at_random(uint32_t one_in)
{
	struct listing l = { .line = lines, .nr_lines = NR_LINES };

	for (uint32_t i = 0; i < NR_LINES; i++)
		lines[i] = (struct listing_line){
			.kind = LISTING_INSN,
			.insn = i,
			.target = below(one_in) ? LISTING_NONE : below(NR_LINES),
		};
	return l;
}

/* A jump is in one lane from its one line to the other, or in none. */
static uint32_t lines_of(const struct tui_arrows *a, uint32_t from, uint32_t to)
{
	uint32_t low = from < to ? from : to, high = from < to ? to : from, found = 0;

	for (int k = 0; k < TUI_ARROW_LANES; k++) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < NR_LINES; i++) {
			if (a->lane[k][i] != from + 1)
				continue;
			assert_true(i >= low && i <= high);
			n++;
		}
		assert_true(!n || (!found && n == high - low + 1));
		assert_true(!n || k < a->lanes);
		found += n;
	}
	return found;
}

static void test_lanes(void **state)
{
	(void)state;
	for (uint32_t one_in = 2; one_in < 60; one_in += 7) {
		struct listing l = jumps_at_random(one_in);
		uint32_t left_out = 0;
		struct tui_arrows a;

		assert_int_equal(tui_arrows_make(&a, &l), 0);
		for (uint32_t i = 0; i < NR_LINES; i++)
			if (lines[i].target != LISTING_NONE && lines[i].target != i)
				left_out += !lines_of(&a, i, lines[i].target);
		assert_int_equal(a.left_out, left_out);
		tui_arrows_free(&a);
	}
}

/* Short jumps are never left out for long ones. */
static void test_short_first(void **state)
{
	struct listing l = jumps_at_random(1);
	struct tui_arrows a;

	(void)state;
	for (uint32_t i = 0; i < NR_LINES; i++)
		lines[i].target = i < 100 ? NR_LINES - 1 - i : LISTING_NONE;
	lines[200].target = 203;
	assert_int_equal(tui_arrows_make(&a, &l), 0);
	assert_int_equal(lines_of(&a, 200, 203), 4);
	assert_int_equal(a.lanes, TUI_ARROW_LANES);
	assert_int_equal(a.left_out, 101 - TUI_ARROW_LANES);
	tui_arrows_free(&a);
}

/* A window says which file is missing; a key closes it, and the caller goes on. */
static void test_missing(void **state)
{
	struct fake f = { .rows = 24, .cols = 80, .keys = "" };
	struct symbol sym = { .start = 0x1000, .end = 0x1100, .name = "gone_function" };
	struct tui_asm_look look = { 0 };
	struct annotate *a;
	struct dso *dso = NULL;
	struct err e = { 0 };

	(void)state;
	/* Without a disassembler that is what the window says. */
	if (!(HAVE_LIBCAPSTONE || HAVE_ZYDIS))
		skip();
	assert_int_equal(build_machine(NULL), 0);
	map_file(1, 0x400000, 0x10000, 0, "/nonexistent/program");
	assert_int_equal(annotate_new(&a, m, res, &e), 0);
	assert_int_equal(annotate_finish(a, &e), 0);
	for (size_t i = 0; !dso || strcmp(dso->name, "/nonexistent/program"); i++)
		assert_non_null(dso = machine_dso(m, i));
	tui_asm_open(fake_open(&f), a, dso, &sym, NULL, &look, 0);
	assert_non_null(strstr(fake_text(&f), "gone_function"));
	assert_non_null(strstr(fake_text(&f), "/nonexistent/program"));
	fake_close(&f);
	annotate_free(a);
	teardown(NULL);
}

/* The one line of @l on a screen of 80 columns, from column @skip of it on; @roles of its cells. */
static void paint_line(struct listing *l, const char *needle, int skip, char *text, char *roles)
{
	struct tui_asm_look look = { 0 };
	struct faces_listings face = { 0 };
	struct tui_screen s = { 0 };
	struct tui_pen p = { .s = &s, .end = 80, .skip = skip };
	struct obuf o;
	struct tui_asm b = { .l = l, .look = &look, .text = &o, .face = &face, .at = LISTING_NONE };

	strcpy(look.needle, needle);
	faces_listing_begin(&face);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(tui_screen_resize(&s, 1, 80), 0);
	tui_fill(&s, 0, 0, 1, 80, TUI_NORMAL);
	tui_asm_paint_row(&b, 0, &p);
	fake_lines(&s, text, roles);
	tui_screen_free(&s);
	faces_listing_end(&face);
	obuf_free(&o);
}

/* What is marked stays where it is, however far from the begin of the line. */
static void test_far_match(void **state)
{
	char text[700] = "", plain[700], marked[700], roles[700];
	struct listing_line line = { .kind = LISTING_SOURCE, .insn = LISTING_NONE, .text = text };
	struct listing l = { .line = &line, .nr_lines = 1 };

	(void)state;
	memset(text, 'x', 600);
	for (int i = 0; i < 600; i += 60)
		memcpy(text + i, "\303\244", 2);
	strcpy(text + 600, "this, and that");
	paint_line(&l, "", 560, plain, roles);
	assert_non_null(strstr(plain, "this, and that"));
	assert_null(strchr(roles, 'F'));
	paint_line(&l, "this", 560, marked, roles);
	assert_string_equal(plain, marked);
	assert_non_null(strstr(roles, "DFFFFD"));
}

/* With branch stacks, what has samples of any event ran. */
static void test_cold(void **state)
{
	struct annotate_count count[2] = { { 0, 0 }, { 3, 300 } };
	struct listing_flow flow = { 0 };
	struct listing_event event[2] = { { .idx = 0 }, { .idx = 1 } };
	struct listing_line line = { .kind = LISTING_INSN, .target = LISTING_NONE, .text = "nop" };
	struct listing l = { .line = &line,
			     .nr_lines = 1,
			     .nr_insns = 1,
			     .event = event,
			     .nr_events = 2,
			     .count = count,
			     .flow = &flow };
	char text[700], roles[700];

	(void)state;
	paint_line(&l, "", 0, text, roles);
	assert_non_null(strstr(text, "nop"));
	assert_null(strstr(roles, "DDD"));
	count[1].hits = 0;
	paint_line(&l, "", 0, text, roles);
	assert_non_null(strstr(roles, "DDD"));
}

/* Numbers that there was no memory for: a browser has no output that could say so. */
static void test_no_memory(void **state)
{
	struct faces_listings face = { 0 };

	(void)state;
	faces_listing_begin(&face);
	face.cell.code = -ENOMEM;
	faces_listing_end(&face);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),	cmocka_unit_test(test_short_first),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_far_match),
		cmocka_unit_test(test_cold),	cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
