// SPDX-License-Identifier: GPL-2.0-or-later
/* The browser of perf diff: lines that are dim, left out, folded; tables one after the other. */
#include "faces/faces.h"
#include "tui-build.h"

#define HEADS "# Event 'cycles'\n#\n# Baseline     Delta  Name\n# ...\n#\n"

static const char rows_text[] = HEADS "    40.00%   -10.00%  some\n"
				      "    10.00%    +0.50%  small\n";
static const char tree_text[] = HEADS "   100.00%    +0.00%  main\n"
				      "    40.00%   -10.00%    some\n"
				      "    40.00%   -10.00%      deep\n"
				      "    10.00%    +0.50%    small\n";

static const char *const files[] = { "old.data", "new.data", "third.data" };

static void add(struct faces_lines *l, const char *text, const char *name, uint32_t depth,
		bool chance)
{
	const char *at = strstr(text, name);
	struct faces_line line = { .depth = depth, .chance = chance };

	while (at > text && at[-1] != '\n')
		at--;
	line.at = (size_t)(at - text);
	l->heads = (size_t)(strstr(text, "# Baseline") - text);
	assert_int_equal(vec_push(&l->v, line), 0);
}

static void browse(struct fake *f, size_t nr_files)
{
	struct faces_lines rows = { 0 }, tree = { 0 };
	const struct tui_diff_table tables[] = { { "cycles, rows", rows_text, &rows },
						 { "cycles, call tree", tree_text, &tree } };
	const struct tui_diff in = { files, nr_files, tables, 2 };
	struct err e = { 0 };

	add(&rows, rows_text, "some", 0, false);
	add(&rows, rows_text, "small", 0, true);
	add(&tree, tree_text, "main", 1, true);
	add(&tree, tree_text, "  some", 2, false);
	add(&tree, tree_text, "deep", 3, true);
	add(&tree, tree_text, "  small", 2, true);
	f->rows = 8;
	f->cols = 50;
	assert_int_equal(tui_diff(fake_open(f), &in, &e), 0);
	vec_free(&rows.v);
	vec_free(&tree.v);
}

#define EXPECT(typed, nr_files, want)                     \
	do {                                              \
		struct fake f = { .keys = (typed) };      \
                                                          \
		browse(&f, nr_files);                     \
		assert_string_equal(fake_text(&f), want); \
		fake_close(&f);                           \
	} while (0)

static void lines(void **state)
{
	(void)state;
	EXPECT("\033[A", 2,
	       "cycles, rows: old.data and new.data\n"
	       "  Baseline     Delta  Name\n"
	       "    40.00%   -10.00%  some\n"
	       "    10.00%    +0.50%  small\n"
	       "\n\n\n"
	       "Table 1 of 2 (Tab)  2 of 2 lines  h: help\n");
	/* More than two are told by their numbers, as columns are. */
	EXPECT("\033[A", 3,
	       "cycles, rows: [0] old.data and [1] new.data, [2] t\n"
	       "  Baseline     Delta  Name\n"
	       "    40.00%   -10.00%  some\n"
	       "    10.00%    +0.50%  small\n"
	       "\n\n\n"
	       "Table 1 of 2 (Tab)  2 of 2 lines  h: help\n");
}

static void chance_is_dim(void **state)
{
	struct fake f = { .keys = "\033[A" };
	const char *at;

	(void)state;
	browse(&f, 2);
	at = fake_colors(&f);
	for (int i = 0; i < 2; i++)
		at = strchr(at, '\n') + 1;
	assert_true(*at == 'S'); /* what differs, under the cursor */
	at = strchr(at, '\n') + 1;
	assert_int_equal(strspn(at, "D"), strlen("    10.00%    +0.50%  small"));
	fake_close(&f);
	/* ... and what is not chance is as everything else: the cursor is on the other row. */
	f = (struct fake){ .keys = "\033[B\033[B" };
	browse(&f, 2);
	at = fake_colors(&f);
	for (int i = 0; i < 2; i++)
		at = strchr(at, '\n') + 1;
	assert_true(*at == '\n' || *at == 'N');
	fake_close(&f);
}

static void left_out(void **state)
{
	(void)state;
	EXPECT("s", 2,
	       "cycles, rows: old.data and new.data\n"
	       "  Baseline     Delta  Name\n"
	       "    40.00%   -10.00%  some\n"
	       "\n\n\n\n"
	       "Table 1 of 2 (Tab)  1 of 2 lines, no chance (s)  h\n");
	/* In a tree the callers of what is left stay, chance or not. */
	EXPECT("\ts", 2,
	       "cycles, call tree: old.data and new.data\n"
	       "    Baseline     Delta  Name\n"
	       "-    100.00%    +0.00%  main\n"
	       "-     40.00%   -10.00%    some\n"
	       "\n\n\n"
	       "Table 2 of 2 (Tab)  2 of 4 lines, no chance (s)  h\n");
	EXPECT("/small\r", 2,
	       "cycles, rows: old.data and new.data\n"
	       "  Baseline     Delta  Name\n"
	       "    10.00%    +0.50%  small\n"
	       "\n\n\n\n"
	       "Table 1 of 2 (Tab)  1 of 2 lines, with \"small\" (/)\n");
	/* What is not entered is not taken. */
	EXPECT("/small\033\xffss", 2,
	       "cycles, rows: old.data and new.data\n"
	       "  Baseline     Delta  Name\n"
	       "    40.00%   -10.00%  some\n"
	       "    10.00%    +0.50%  small\n"
	       "\n\n\n"
	       "Table 1 of 2 (Tab)  2 of 2 lines  h: help\n");
	EXPECT("/nothing\r\r", 2,
	       "cycles, rows: old.data and new.data\n"
	       "  Baseline     Delta  Name\n"
	       "\n\n\n\n\n"
	       "Nothing is below this line\n");
}

static void folding(void **state)
{
	(void)state;
	EXPECT("\t\033[B\r", 2,
	       "cycles, call tree: old.data and new.data\n"
	       "    Baseline     Delta  Name\n"
	       "-    100.00%    +0.00%  main\n"
	       "+     40.00%   -10.00%    some\n"
	       "      10.00%    +0.50%    small\n"
	       "\n\n"
	       "Table 2 of 2 (Tab)  3 of 4 lines  h: help\n");
	EXPECT("\tC", 2,
	       "cycles, call tree: old.data and new.data\n"
	       "    Baseline     Delta  Name\n"
	       "+    100.00%    +0.00%  main\n"
	       "\n\n\n\n"
	       "Table 2 of 2 (Tab)  1 of 4 lines  h: help\n");
	EXPECT("\tCE\033[B\033[B\r", 2,
	       "cycles, call tree: old.data and new.data\n"
	       "    Baseline     Delta  Name\n"
	       "-    100.00%    +0.00%  main\n"
	       "-     40.00%   -10.00%    some\n"
	       "      40.00%   -10.00%      deep\n"
	       "      10.00%    +0.50%    small\n"
	       "\n"
	       "Nothing is below this line\n");
}

/* Any name can be scrolled to its end. */
static void long_lines(void **state)
{
	static char text[2048], typed[3 * 200 + 1];
	struct faces_lines rows = { 0 };
	const struct tui_diff_table table = { "cycles, rows", text, &rows };
	const struct tui_diff in = { files, 2, &table, 1 };
	struct fake f = { .rows = 8, .cols = 50, .keys = typed };
	struct err e = { 0 };

	(void)state;
	snprintf(text, sizeof(text), HEADS "    40.00%%   -10.00%%  f<%01200d>::end\n", 0);
	for (size_t i = 0; i < 200; i++)
		memcpy(typed + 3 * i, "\033[C", 4);
	add(&rows, text, "::end", 0, false);
	assert_int_equal(tui_diff(fake_open(&f), &in, &e), 0);
	assert_non_null(strstr(fake_text(&f), "00>::end\n"));
	vec_free(&rows.v);
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),      cmocka_unit_test(chance_is_dim),
		cmocka_unit_test(left_out),   cmocka_unit_test(folding),
		cmocka_unit_test(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
