// SPDX-License-Identifier: GPL-2.0-or-later
/* How branches are followed: the probe, the choice that is made of it, and its words. */
#include "unit.h"

#ifdef __x86_64__
#include "tracer/walk.h"

static void test_probe(void **state)
{
	struct tracer_probe p;

	(void)state;
	tracer_probe(&p);
	assert_int_equal(p.block_insns, 34);
	assert_int_equal(p.block_branches, 2);
	assert_true(p.steps);
	/* real, single steps in disguise, or refused: nothing between */
	if (p.block_stops != 0 && p.block_stops != 34)
		assert_int_equal(p.block_stops, 2);
	assert_int_equal(p.blocks, p.block_stops == 2);
}

static void test_choice(void **state)
{
	struct tracer_probe p = { .breakpoints = true, .steps = true, .blocks = true };

	(void)state;
	assert_string_equal(strategy_choose(TRACER_AUTO, &p)->text, "computed with breakpoints");
	assert_true(strategy_choose(TRACER_AUTO, &p)->steps);
	assert_false(strategy_choose(TRACER_INTERPRET, &p)->steps);
	p.breakpoints = false;
	assert_string_equal(strategy_choose(TRACER_AUTO, &p)->text, "by block steps");
	p.blocks = false;
	assert_string_equal(strategy_choose(TRACER_AUTO, &p)->text, "computed with single steps");
	/* what was asked for is done, whatever the probe says */
	assert_string_equal(strategy_choose(TRACER_BLOCK, &p)->text, "by block steps");
	assert_string_equal(strategy_choose(TRACER_STEP, &p)->text, "by single steps");
	assert_string_equal(strategy_choose(TRACER_BREAKPOINT, &p)->text,
			    "by a breakpoint at each branch");
}

static void test_names(void **state)
{
	static const char *const names[] = { "auto", "interpret", "breakpoint", "block", "step" };
	enum tracer_strategy s;
	struct err e = { 0 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(tracer_strategy_parse(names[i], &s, &e), 0);
		assert_int_equal(s, i);
	}
	assert_int_equal(tracer_strategy_parse("btf", &s, &e), -EINVAL);
	assert_string_equal(e.text, "--branch-strategy takes auto, interpret, breakpoint, block or "
				    "step, not 'btf'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("tracer-strategy", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux on x86-64");
	return 0;
}
#endif
