// SPDX-License-Identifier: GPL-2.0-or-later
/* How branches are followed: the probe, the choice that is made of it, and its words. */
#include "unit.h"

#ifdef __x86_64__
#include "tracer/walk-int.h"

static void probe_without(struct tracer_probe *p, const char *without)
{
	setenv("PERF_TRACER_WITHOUT", without, 1);
	tracer_probe(p);
	unsetenv("PERF_TRACER_WITHOUT");
}

static void test_probe(void **state)
{
	struct tracer_probe p;

	(void)state;
	probe_without(&p, "");
	assert_int_equal(p.block_insns, 34);
	assert_int_equal(p.block_branches, 2);
	assert_true(p.steps);
	/* real, single steps in disguise, or refused: nothing between */
	if (p.block_stops != 0 && p.block_stops != 34)
		assert_int_equal(p.block_stops, 2);
	assert_int_equal(p.blocks, p.block_stops == 2);
	assert_true(p.breakpoints_open || !p.breakpoints);
}

/* What opens and does nothing is not there. */
static void test_probe_without(void **state)
{
	struct tracer_probe p, all;

	(void)state;
	probe_without(&all, "");
	probe_without(&p, "hits");
	assert_int_equal(p.breakpoints_open, all.breakpoints_open);
	assert_false(p.breakpoints);
	assert_true(p.steps);
	probe_without(&p, "breakpoints,blocks");
	assert_false(p.breakpoints_open);
	assert_false(p.breakpoints);
	assert_false(p.blocks);
	assert_int_equal(p.block_stops, 34);
	probe_without(&p, "steps");
	assert_int_equal(p.breakpoints, all.breakpoints);
	assert_false(p.steps);
}

static const char *chosen(enum tracer_strategy want, const struct tracer_probe *p)
{
	static struct err e;

	return strategy_check(want, p, &e) ? e.text : strategy_choose(want, p)->text;
}

static void test_choice(void **state)
{
	struct tracer_probe p = { .breakpoints = true, .steps = true, .blocks = true };

	(void)state;
	assert_string_equal(chosen(TRACER_AUTO, &p), "computed with breakpoints");
	assert_false(strategy_choose(TRACER_AUTO, &p)->steps);
	assert_false(strategy_choose(TRACER_INTERPRET, &p)->steps);
	assert_string_equal(chosen(TRACER_BREAKPOINT, &p), "by a breakpoint at each branch");
	/* steps are never chosen for anybody */
	p.breakpoints = false;
	assert_string_equal(chosen(TRACER_AUTO, &p), "computed without breakpoints");
	assert_string_equal(chosen(TRACER_INTERPRET, &p), "computed without breakpoints");
	assert_false(strategy_choose(TRACER_AUTO, &p)->steps);
	assert_string_equal(chosen(TRACER_BREAKPOINT, &p),
			    "--branch-strategy=breakpoint: hardware breakpoints are refused here "
			    "(debuggers may hold them all)");
	p.breakpoints_open = true;
	assert_string_equal(chosen(TRACER_BREAKPOINT, &p),
			    "--branch-strategy=breakpoint: hardware breakpoints open here and do "
			    "not fire");
	p.blocks = false;
	assert_string_equal(chosen(TRACER_BLOCK, &p), "by block steps");
	assert_string_equal(chosen(TRACER_STEP, &p), "by single steps");
	p.steps = false;
	assert_string_equal(chosen(TRACER_STEP, &p),
			    "--branch-strategy=step: single steps do not work here");
	assert_string_equal(chosen(TRACER_BLOCK, &p),
			    "--branch-strategy=block: single steps do not work here");
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
		cmocka_unit_test(test_probe_without),
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
