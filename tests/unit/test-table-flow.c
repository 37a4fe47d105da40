// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks and paths of branch stacks made by hand. The object is mapped at 0x10000 and has no
 * symbols; what a stack must give can be read off its entries.
 */
#include "table-build.h"

#include "brflow/brflow.h"

#define BASE 0x10000u

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK,
		  .branch_sample_type = PERF_SAMPLE_BRANCH_ANY },
};

static int setup(void **state)
{
	event.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	if (setup_bare(state))
		return -1;
	map_file(1, BASE, 0x10000, 0, "/nonexistent/object");
	return 0;
}

struct branch {
	unsigned from, to, cycles, mispred;
	uint64_t counters;
};

/* Branches inside of the object, newest first; one that comes from 0 ends them. */
static void add(struct brflow *f, const struct branch *b, unsigned times)
{
	uint64_t e[3 * 16], counters[16];
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .pid = 1, .tid = 1 };
	unsigned n = 0;

	for (; b[n].from; n++) {
		e[3 * n] = BASE + b[n].from;
		e[3 * n + 1] = BASE + b[n].to;
		e[3 * n + 2] = (b[n].mispred ? 1 : 2) | (uint64_t)b[n].cycles << 4;
		counters[n] = b[n].counters;
	}
	s.branches.nr = n;
	s.branches.entries = (const unsigned char *)e;
	s.branches.counters = (struct u64s){ (const unsigned char *)counters, n, false };
	while (times--)
		assert_int_equal(brflow_add(f, &s, machine_thread(m, 1, 1), NULL), 0);
}

#define STACK(...) ((const struct branch[]){ __VA_ARGS__, { 0, 0, 0, 0, 0 } })

static struct brflow *make(bool blocks, uint32_t path_len)
{
	struct brflow_opts o = {
		.machine = m,
		.blocks = blocks,
		.path_len = path_len,
		.nr_counters = 2,
		.counter_width = 2,
	};
	struct brflow *f = NULL;

	assert_int_equal(brflow_new(&f, res, &o, NULL), 0);
	return f;
}

/* "start-end cycles/nr own_cycles/own_nr", as offsets in the object. */
static void expect_blocks(struct brflow *f, const char *want)
{
	char got[1024] = "", *p = got;

	brflow_finish(f);
	for (size_t i = 0; i < brflow_nr_blocks(f); i++) {
		const struct brflow_block *b = brflow_block(f, i);

		if (b->start == BRFLOW_NO_START)
			p += sprintf(p, "?");
		else
			p += sprintf(p, "%x", (unsigned)b->start);
		p += sprintf(p, "-%x %u/%u %u/%u\n", (unsigned)b->end, (unsigned)b->cycles,
			     (unsigned)b->nr, (unsigned)b->own_cycles, (unsigned)b->own_nr);
	}
	assert_string_equal(got, want);
	brflow_free(f);
}

/* A loop of one block; where the oldest branch's block began is not known. */
static void loop(void **state)
{
	struct brflow *f = make(true, 0);

	(void)state;
	add(f, STACK({ 0x20, 0x10, 5, 0, 0 }, { 0x20, 0x10, 7, 0, 0 }, { 0x20, 0x10, 9, 0, 0 }), 1);
	assert_int_equal(brflow_cycles(f), 21);
	expect_blocks(f, "10-20 21/3 12/2\n");
}

/* The longest of several that end together is kept; the cycles of all count. */
static void longest(void **state)
{
	static const struct branch shorter[] = { { 0x20, 0x60, 3, 0, 0 },
						 { 0x58, 0x18, 1, 0, 0 },
						 { 0, 0, 0, 0, 0 } };
	static const struct branch longer[] = { { 0x20, 0x60, 8, 0, 0 },
						{ 0x58, 0x08, 1, 0, 0 },
						{ 0, 0, 0, 0, 0 } };

	(void)state;
	for (int order = 0; order < 2; order++) {
		struct brflow *f = make(true, 0);

		add(f, order ? shorter : longer, order ? 4 : 2);
		add(f, order ? longer : shorter, order ? 2 : 4);
		expect_blocks(f, "8-20 28/6 16/2\n?-58 6/6 0/0\n");
	}
}

/* Each start for itself. */
static void each_start(void **state)
{
	struct brflow_opts o = { .machine = m, .blocks = true, .each_start = true };
	struct brflow *f = NULL;

	(void)state;
	assert_int_equal(brflow_new(&f, res, &o, NULL), 0);
	add(f, STACK({ 0x20, 0x60, 3, 0, 0 }, { 0x58, 0x18, 1, 0, 0 }), 4);
	add(f, STACK({ 0x20, 0x60, 8, 0, 0 }, { 0x58, 0x08, 1, 0, 0 }), 1);
	expect_blocks(f, "18-20 12/4 12/4\n8-20 8/1 8/1\n?-58 5/5 0/0\n");
}

/* No cycles, no block; code of no object, none either; a jump back is no block's beginning. */
static void none(void **state)
{
	struct brflow *f = make(true, 0);

	(void)state;
	add(f, STACK({ 0x20, 0x10, 0, 0, 0 }, { 0x40, 0x18, 0, 0, 0 }), 3);
	add(f, STACK({ 0x90000, 0x10, 7, 0, 0 }, { 0x40, 0x90008, 0, 0, 0 }), 1);
	add(f, STACK({ 0x20, 0x10, 6, 0, 0 }, { 0x48, 0x30, 0, 0, 0 }), 1);
	assert_int_equal(brflow_cycles(f), 13);
	expect_blocks(f, "?-20 6/1 0/0\n");
}

/* With a filter that leaves branches out, what lies between two entries is no block. */
static void filtered(void **state)
{
	struct brflow *f = make(true, 0);

	(void)state;
	event.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL;
	add(f, STACK({ 0x20, 0x10, 5, 0, 0 }, { 0x20, 0x10, 7, 0, 0 }), 2);
	expect_blocks(f, "?-20 24/4 0/0\n");
}

/* The same addresses, but another object lies there now. */
static void remapped(void **state)
{
	struct brflow *f = make(true, 0);

	(void)state;
	add(f, STACK({ 0x20, 0x10, 5, 0, 0 }, { 0x40, 0x18, 2, 0, 0 }), 2);
	map_file(1, BASE, 0x10000, 0, "/nonexistent/other");
	add(f, STACK({ 0x20, 0x10, 3, 0, 0 }, { 0x40, 0x10, 1, 0, 0 }), 2);
	assert_string_equal(brflow_block(f, 0)->dso->name, "/nonexistent/object");
	expect_blocks(f, "18-20 10/2 10/2\n10-20 6/2 6/2\n?-40 4/2 0/0\n?-40 2/2 0/0\n");
}

static void counters(void **state)
{
	struct brflow *f = make(true, 0);
	const struct brflow_block *b;

	(void)state;
	/* two bits each: 1 and 2, then 3 (full) and 0 */
	add(f, STACK({ 0x20, 0x10, 5, 0, 0x9 }, { 0x40, 0x18, 1, 0, 0 }), 1);
	add(f, STACK({ 0x20, 0x10, 5, 0, 0x3 }, { 0x40, 0x18, 1, 0, 0 }), 1);
	brflow_finish(f);
	b = brflow_block(f, 0);
	assert_int_equal(b->counted[0], 4);
	assert_int_equal(b->counted[1], 2);
	assert_int_equal(b->saturated, 1);
	assert_int_equal(brflow_mean_cycles(f), 5 + 1);
	brflow_free(f);
}

static void paths(void **state)
{
	struct brflow *f = make(false, 2);
	const struct brflow_path *p;
	uint32_t from, to;

	(void)state;
	/* a, b, a, b (newest first): b->a twice, a->b once; then one stack that is too short */
	add(f,
	    STACK({ 0x20, 0x30, 4, 1, 0 }, { 0x40, 0x10, 6, 0, 0 }, { 0x20, 0x30, 4, 0, 0 },
		  { 0x40, 0x10, 6, 0, 0 }),
	    3);
	add(f, STACK({ 0x20, 0x30, 4, 0, 0 }), 5);
	brflow_finish(f);
	assert_int_equal(brflow_nr_blocks(f), 0);
	assert_int_equal(brflow_path_total(f), 9);
	assert_int_equal(brflow_nr_paths(f), 2);
	p = brflow_path(f, 0);
	assert_int_equal(p->nr, 6);
	assert_int_equal(p->cycles, 6 * 4); /* of the second branch: from the first on */
	assert_int_equal(p->nr_cycles, 6);
	assert_int_equal(p->mispred, 3);
	brflow_path_branch(f, p, 0, &from, &to);
	assert_int_equal(resolver_loc(res, from)->addr, 0x40);
	assert_int_equal(resolver_loc(res, to)->addr, 0x10);
	brflow_path_branch(f, p, 1, &from, &to);
	assert_int_equal(resolver_loc(res, from)->addr, 0x20);
	assert_int_equal(brflow_path(f, 1)->nr, 3);
	brflow_free(f);
}

static void path_lengths(void **state)
{
	static const struct {
		uint32_t len;
		int ret;
	} cases[] = { { 0, 0 }, { 1, -EINVAL }, { 2, 0 }, { 16, 0 }, { 17, -EINVAL } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct brflow_opts o = { .path_len = cases[i].len };
		struct brflow *f = NULL;
		struct err e = { 0 };

		assert_int_equal(brflow_new(&f, res, &o, &e), cases[i].ret);
		assert_true(!cases[i].ret || strstr(e.text, "2 to 16"));
		brflow_free(f);
	}
}

/* More blocks than are remembered: all are found again. */
static void many(void **state)
{
	struct brflow *f = make(true, 0);
	uint64_t cycles = 0;

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 1; i < 15000; i++)
			for (unsigned k = 0; k < 3; k++)
				add(f,
				    STACK({ 4 * i, 8, 1 + k, 0, 0 },
					  { 0xfff0, 4 * (i - k * (i > 2)), 0, 0, 0 }),
				    1);
	brflow_finish(f);
	assert_int_equal(brflow_nr_blocks(f), 14999);
	for (size_t i = 0; i < brflow_nr_blocks(f); i++) {
		const struct brflow_block *b = brflow_block(f, i);

		assert_int_equal(b->nr, 6);
		cycles += b->cycles;
		assert_int_equal(b->own_nr, b->end > 8 ? 2 : 6);
		assert_int_equal(b->start, b->end - (b->end > 8 ? 8 : 0));
	}
	assert_int_equal(cycles, brflow_cycles(f));
	brflow_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(loop, setup, teardown),
		cmocka_unit_test_setup_teardown(longest, setup, teardown),
		cmocka_unit_test_setup_teardown(each_start, setup, teardown),
		cmocka_unit_test_setup_teardown(none, setup, teardown),
		cmocka_unit_test_setup_teardown(filtered, setup, teardown),
		cmocka_unit_test_setup_teardown(remapped, setup, teardown),
		cmocka_unit_test_setup_teardown(counters, setup, teardown),
		cmocka_unit_test_setup_teardown(paths, setup, teardown),
		cmocka_unit_test_setup_teardown(path_lengths, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
	};

	return cmocka_run_group_tests_name("branch flow", tests, NULL, NULL);
}
