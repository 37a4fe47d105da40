// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch flags in both byte orders, the names of -j, and the text of an entry. A wrong bit would
 * show in every recording with branches and in no message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/tables.h"
#include "base/hex.h"
#include "base/nearest.h"
#include "branch/branch.h"

static uint64_t parse(const char *list)
{
	uint64_t mask = 0;

	assert_int_equal(branch_filter_parse(list, &mask, NULL), 0);
	return mask;
}

static void filters(void **state)
{
	uint64_t bit = 0;

	(void)state;
	assert_int_equal(parse("any"), 8);
	assert_int_equal(parse("any_call"), 16);
	assert_int_equal(parse("any_ret"), 32);
	assert_int_equal(parse("ind_call"), 64);
	assert_int_equal(parse("any_call,u"), 17);
	assert_int_equal(parse("ANY,Save_Type,hw_index"), 8 | 1 << 16 | 1 << 17);
	/* privilege levels alone mean any */
	assert_int_equal(parse("u"), 8);
	assert_int_equal(parse("k,hv,u"), 8);
	for (size_t i = 0; branch_filter_name(i, &bit); i++) {
		assert_int_equal(bit, 1ULL << i);
		if (i > 2)
			assert_int_equal(parse(branch_filter_name(i, NULL)), 1ULL << i);
	}
	assert_int_equal(bit, 1 << 19);
}

static void unknown_filters(void **state)
{
	static const char *const bad[] = { "", "any,", ",any", "nay_call", "anyy,u", "any u" };
	struct err e = { 0 };
	uint64_t mask = 99;
	char longest[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(branch_filter_parse(bad[i], &mask, NULL), -EINVAL);
	assert_int_equal(mask, 99);
	assert_int_equal(branch_filter_parse("u,any_cal", &mask, &e), -EINVAL);
	assert_string_equal(e.text, "unknown branch filter any_cal, check man page");
	assert_non_null(strstr(e.hint, "any_call"));
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert_int_equal(branch_filter_parse(longest, &mask, &e), -EINVAL);
}

static const char *text(struct obuf *o)
{
	obuf_char(o, 0);
	o->len = 0;
	return o->buf;
}

static void filter_text(void **state)
{
	struct obuf o;

	(void)state;
	obuf_init(&o, -1, 0);
	branch_filter_print(0, &o);
	assert_string_equal(text(&o), "");
	branch_filter_print(
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_COUNTERS, &o);
	assert_string_equal(text(&o), "USER|ANY|COUNTERS");
	obuf_free(&o);
}

/* Every field on its own, and all at their largest, through both byte orders. */
static void flags_both_orders(void **state)
{
	static const struct {
		unsigned pos, width;
	} f[] = { { 0, 1 },  { 1, 1 },	{ 2, 1 },  { 3, 1 },  { 4, 16 }, { 20, 4 },
		  { 24, 2 }, { 26, 4 }, { 30, 3 }, { 33, 1 }, { 34, 30 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(f); i++) {
		for (unsigned n = 0; n < f[i].width; n++) {
			uint64_t value = 1ULL << n;
			uint64_t le = value << f[i].pos;
			uint64_t be = value << (64 - f[i].pos - f[i].width);
			struct branch_entry a = { 0 }, b = { 0 };

			branch_unpack_flags(le, false, &a);
			branch_unpack_flags(be, true, &b);
			assert_memory_equal(&a, &b, sizeof(a));
			assert_int_equal(branch_pack_flags(&a), le);
		}
	}
	struct branch_entry all = { 0 };

	branch_unpack_flags(UINT64_MAX, false, &all);
	assert_int_equal(branch_pack_flags(&all), UINT64_MAX);
	/* The kernel tree's own example: 213 on a big-endian machine. */
	branch_unpack_flags(0xa000d00000000000ULL, true, &all);
	assert_int_equal(branch_pack_flags(&all), 0xd5);
}

static void unaligned_load(void **state)
{
	unsigned char raw[25];
	struct branch_entry b;

	(void)state;
	store_u64(raw + 1, __builtin_bswap64(0x401136));
	store_u64(raw + 9, __builtin_bswap64(0x401150));
	/* the foreign order of this host: predicted, cycles 3, type COND */
	uint64_t flags =
		host_is_big_endian() ? 2 | 3 << 4 | 1 << 20 : 1ULL << 62 | 3ULL << 44 | 1ULL << 40;
	store_u64(raw + 17, __builtin_bswap64(flags));
	branch_load(raw + 1, true, &b);
	assert_int_equal(b.from, 0x401136);
	assert_int_equal(b.to, 0x401150);
	assert_true(b.predicted && !b.mispred);
	assert_int_equal(b.cycles, 3);
	assert_int_equal(b.type, BR_COND);
}

static void entry_text(void **state)
{
	struct branch_entry b = {
		.from = 0x401136, .to = 0x401150, .predicted = true, .cycles = 3, .type = BR_COND
	};
	struct obuf o;

	(void)state;
	obuf_init(&o, -1, 1);
	branch_print_flags(&b, &o);
	assert_string_equal(text(&o), "/P/-/-/3/COND/-");
	b.not_taken = true;
	branch_print_flags(&b, &o);
	assert_string_equal(text(&o), "/PN/-/-/3/COND/-");
	b.predicted = false;
	branch_print_flags(&b, &o);
	assert_string_equal(text(&o), "/MN/-/-/3/COND/-");
	b = (struct branch_entry){ .to = UINT64_MAX,
				   .mispred = true,
				   .in_tx = true,
				   .abort = true,
				   .cycles = 65535,
				   .type = BR_EXTEND,
				   .new_type = 3,
				   .spec = 2 };
	branch_print_flags(&b, &o);
	assert_string_equal(text(&o), "/M/X/A/65535/ARCH_1/NON_SPEC_CORRECT_PATH");
	b = (struct branch_entry){ .type = BR_EXTEND, .new_type = 15, .spec = 9 };
	branch_print_flags(&b, &o);
	assert_string_equal(text(&o), "/-/-/-/0//-");
	obuf_free(&o);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(branch_type_name(0, 0), "");
	assert_string_equal(branch_type_name(14, 0), "NO_TX");
	assert_string_equal(branch_type_name(15, 0), "FAULT_ALGN");
	assert_string_equal(branch_type_name(16, 0), "");
	assert_string_equal(branch_spec_name(3), "SPEC_CORRECT_PATH");
	assert_string_equal(branch_spec_name(4), "-");
}

static void hex_digits(void **state)
{
	uint64_t v = 0x123456789abcdef0ULL;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		char want[32], got[32];
		char *end = hex_put(got, v);

		*end = 0;
		snprintf(want, sizeof(want), "%llx", (unsigned long long)v);
		assert_string_equal(got, want);
		*hex_put16(got, v) = 0;
		snprintf(want, sizeof(want), "%016llx", (unsigned long long)v);
		assert_string_equal(got, want);
		v = hash_u64(v) >> i % 64;
	}
	*hex_put((char[17]){ 0 }, 0) = 0;
}

static void near_names(void **state)
{
	struct nearest n = nearest_init("zm");
	char buf[64];

	(void)state;
	nearest_print(&n, buf, sizeof(buf));
	assert_string_equal(buf, "");
	nearest_offer(&n, "opmask");
	nearest_offer(&n, "XMM");
	nearest_offer(&n, "ZMM");
	nearest_offer(&n, "ZMM");
	nearest_print(&n, buf, sizeof(buf));
	assert_string_equal(buf, "ZMM");
	n = nearest_init("cond_x");
	nearest_offer(&n, "conde");
	nearest_offer(&n, "cond");
	nearest_offer(&n, "cond_");
	nearest_offer(&n, "cond_y");
	nearest_offer(&n, "zzzz");
	nearest_print(&n, buf, sizeof(buf));
	assert_string_equal(buf, "cond_, cond_y or conde");
	nearest_print(&n, buf, 5);
	assert_string_equal(buf, "cond");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters),	  cmocka_unit_test(unknown_filters),
		cmocka_unit_test(filter_text),	  cmocka_unit_test(flags_both_orders),
		cmocka_unit_test(unaligned_load), cmocka_unit_test(entry_text),
		cmocka_unit_test(names),	  cmocka_unit_test(hex_digits),
		cmocka_unit_test(near_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
