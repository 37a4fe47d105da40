// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes to keys: what terminals send, at once and byte by byte, and what none sends.
 */
#include "tui-build.h"

/* All keys of @n bytes; @piece at a time come. How many. */
static size_t keys_of(const char *bytes, size_t n, size_t piece, int *keys, size_t most)
{
	unsigned char buf[64];
	size_t have = 0, nr = 0;

	for (size_t i = 0; i < n || have;) {
		struct tui_event ev;
		size_t used = tui_decode(buf, have, i >= n, &ev);

		if (used) {
			assert_true(used <= have && nr < most);
			have -= used;
			memmove(buf, buf + used, have);
			keys[nr++] = ev.key;
			continue;
		}
		assert_true(i < n);
		for (size_t k = 0; k < piece && i < n && have < sizeof(buf); k++)
			buf[have++] = (unsigned char)bytes[i++];
	}
	return nr;
}

static const struct {
	const char *bytes;
	int key[4];
} known[] = {
	{ "a", { 'a' } },
	{ "\033[A", { TUI_UP } },
	{ "\033OA", { TUI_UP } },
	{ "\033[B\033[C\033[D", { TUI_DOWN, TUI_RIGHT, TUI_LEFT } },
	{ "\033[H\033OH\033[1~\033[7~", { TUI_HOME, TUI_HOME, TUI_HOME, TUI_HOME } },
	{ "\033[F\033OF\033[4~\033[8~", { TUI_END, TUI_END, TUI_END, TUI_END } },
	{ "\033[5~\033[6~", { TUI_PAGE_UP, TUI_PAGE_DOWN } },
	{ "\033[2~\033[3~\033[Z", { TUI_INSERT, TUI_DELETE, TUI_BACK_TAB } },
	{ "\033OP\033[11~\033[[A\033[P", { TUI_F1, TUI_F1, TUI_F1, TUI_F1 } },
	{ "\033[[E\033[15~\033[24~", { TUI_F1 + 4, TUI_F1 + 4, TUI_F1 + 11 } },
	{ "\033[1;5C\033[1;2A\033[5;3~",
	  { TUI_CTRL | TUI_RIGHT, TUI_SHIFT | TUI_UP, TUI_ALT | TUI_PAGE_UP } },
	{ "\r\n\t", { TUI_ENTER, TUI_ENTER, TUI_TAB } },
	{ "\x7f\x08\x03", { TUI_BACKSPACE, TUI_BACKSPACE, TUI_CTRL_C } },
	{ "\033OM\033Op\033Ok", { TUI_ENTER, '0', '+' } },
	{ "\033OEx\033Ol", { TUI_IGNORE, 'x', TUI_IGNORE } },
	{ "\033O5A\033O1;5Cx", { TUI_UP, TUI_CTRL | TUI_RIGHT, 'x' } },
	{ "\033O\033[A", { TUI_ESC, 'O', TUI_UP } },
	{ "\xc3\xa9\xe5\x90\x8d\xf0\x9f\x98\x80", { 0xe9, 0x540d, 0x1f600 } },
	{ "\033[200~x\033[201~", { TUI_PASTE, 'x', TUI_PASTED } },
	{ "\033[<64;3;4M\033[<65;3;4M", { TUI_WHEEL_UP, TUI_WHEEL_DOWN } },
	{ "\033[<0;3;4M\033[<0;3;4m", { TUI_CLICK, TUI_IGNORE } },
	{ "\033[I\033[?1;2c", { TUI_IGNORE, TUI_IGNORE } },
	{ "\033x", { TUI_ESC, 'x' } },
	{ "\033\033[A", { TUI_ESC, TUI_UP } },
	{ "\033\033", { TUI_ESC, TUI_ESC } },
	{ "\033", { TUI_ESC } },
	{ "\033[", { TUI_ESC, '[' } },
	{ "\033O", { TUI_ESC, 'O' } },
	{ "\033[1;", { TUI_IGNORE } },
	{ "\xc3(\xff", { TUI_IGNORE, '(', TUI_IGNORE } },
	{ "\xe5\x90", { TUI_IGNORE } },
	/* A sequence that is cut off by another. */
	{ "\033[1\033[A", { TUI_IGNORE, TUI_UP } },
	/* Direction of text is no key. */
	{ "\xe2\x80\xaez", { TUI_IGNORE, 'z' } },
};

static void test_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		for (size_t piece = 1; piece < 8; piece++) {
			int keys[16] = { 0 };
			size_t n = keys_of(known[i].bytes, strlen(known[i].bytes), piece, keys, 16);

			for (size_t k = 0; k < 4; k++)
				if (keys[k] != known[i].key[k])
					fail_msg(
						"row %zu in pieces of %zu: key %zu is %#x, not %#x",
						i, piece, k, (unsigned)keys[k],
						(unsigned)known[i].key[k]);
			assert_true(n <= 4);
		}
	}
}

static void test_click(void **state)
{
	struct tui_event ev;

	(void)state;
	assert_int_equal(tui_decode((const unsigned char *)"\033[<0;200;40M", 12, false, &ev), 12);
	assert_int_equal(ev.key, TUI_CLICK);
	assert_int_equal(ev.row, 39);
	assert_int_equal(ev.col, 199);
}

/* Any bytes, in any pieces: the same keys, and every byte is used. */
static void test_random(void **state)
{
	static const char often[] = "\033[O<;0123456789~MmABCHF\xc3\xa9\xe5\x90\x8d";
	uint64_t seed = 362436069;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		int one[64] = { 0 }, all[64] = { 0 };
		char bytes[24];
		size_t n = 1 + unit_random(&seed) % sizeof(bytes);

		for (size_t k = 0; k < n; k++)
			bytes[k] = unit_random(&seed) % 4
					   ? often[unit_random(&seed) % (sizeof(often) - 1)]
					   : (char)unit_random(&seed);
		size_t nr = keys_of(bytes, n, 1, one, 64);

		assert_int_equal(keys_of(bytes, n, n, all, 64), nr);
		assert_memory_equal(one, all, sizeof(one));
	}
}

static void test_names(void **state)
{
	char buf[32];

	(void)state;
	assert_string_equal(tui_key_name('x', buf), "x");
	assert_string_equal(tui_key_name(3, buf), "Ctrl-C");
	assert_string_equal(tui_key_name(TUI_CTRL | TUI_RIGHT, buf), "Ctrl-Right");
	assert_string_equal(tui_key_name(TUI_F1 + 11, buf), "F12");
	assert_string_equal(tui_key_name(TUI_BACK_TAB, buf), "Shift-Tab");
	assert_string_equal(tui_key_name(0xe9, buf), "U+00e9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_click),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
