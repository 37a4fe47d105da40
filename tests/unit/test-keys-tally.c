// SPDX-License-Identifier: GPL-2.0-or-later
/* Values and how often they came: exact while they are short or few, found among many, the same in any order. */
#include "keys/tally-int.h"
#include "unit.h"

#define NR 20000

static uint64_t seed = 7;

static void add(struct tally *t, uint64_t value, unsigned times)
{
	while (times--)
		assert_int_equal(keys_tally_add(t, value), 0);
}

static struct tally_top top_of(const struct tally *t)
{
	struct tally_top top;

	keys_tally_top(t, &top, TALLY_TOPS);
	return top;
}

/* As many as there is room for, twice each but two; then one more. */
static void exact(void **state)
{
	struct tally t = { 0 };
	struct tally_top top;

	(void)state;
	assert_int_equal(top_of(&t).nr, 0);
	for (int k = 0; k < 2; k++) {
		for (uint64_t v = 0; v < TALLY_SHORT; v++)
			add(&t, v * 7 % TALLY_SHORT, 1);
		for (uint64_t v = 1; v <= TALLY_EXACT; v++)
			add(&t, v * 977, 1);
	}
	add(&t, 977, 3);
	add(&t, 5 * 977, 3);
	top = top_of(&t);
	assert_int_equal(top.distinct, TALLY_SHORT + TALLY_EXACT);
	assert_int_equal(keys_tally_distinct(&t), TALLY_SHORT + TALLY_EXACT);
	assert_int_equal(top.nr, TALLY_TOPS);
	assert_int_equal(top.v[0].value, 977);
	assert_int_equal(top.v[0].nr, 5);
	assert_int_equal(top.v[1].value, 5 * 977);
	assert_int_equal(top.v[2].value, 0);
	assert_int_equal(top.v[2].nr, 2);
	add(&t, 1000, 1);
	top = top_of(&t);
	assert_int_equal(top.distinct, 0);
	assert_int_equal(keys_tally_distinct(&t), 0);
	assert_int_equal(t.nr, 2 * (TALLY_SHORT + TALLY_EXACT) + 7);
	keys_tally_free(&t);
}

/* Short values are counted one by one, whatever came of others. */
static void short_among_many(void **state)
{
	struct tally t = { 0 };
	struct tally_top top;

	(void)state;
	for (unsigned i = 0; i < NR; i++)
		add(&t, i % 5 == 0 ? 8 : i % 5 == 1 ? i / 5 % TALLY_SHORT : 1000003ULL * i, 1);
	top = top_of(&t);
	assert_int_equal(top.nr, 1);
	assert_int_equal(top.distinct, 0);
	assert_int_equal(top.v[0].value, 8);
	assert_int_equal(top.v[0].nr, NR / 5 + NR / 5 / TALLY_SHORT + 1);
	keys_tally_free(&t);
}

/* Two thirds are 6400, one in ten is 1 << 40, and no other comes twice. */
static uint64_t planted(unsigned i)
{
	return i % 3 ? 6400 : i % 10 == 0 ? 1ULL << 40 : 1000003ULL * i;
}

static void found_among_many(void **state)
{
	struct tally t = { 0 };
	struct tally_top top;

	(void)state;
	for (unsigned i = 0; i < NR; i++)
		add(&t, planted(i), 1);
	top = top_of(&t);
	assert_int_equal(top.distinct, 0);
	assert_true(top.nr >= 1);
	assert_int_equal(top.v[0].value, 6400);
	/* 13,333, and one in a hundred off at most */
	assert_in_range(top.v[0].nr, NR * 2 / 3 - NR / 100, NR * 2 / 3 + NR / 100);
	keys_tally_free(&t);
}

static void none_stands_out(void **state)
{
	struct tally t = { 0 };

	(void)state;
	for (uint64_t i = 0; i < NR; i++)
		add(&t, i * 1000003, 1);
	assert_int_equal(top_of(&t).nr, 0);
	assert_int_equal(top_of(&t).distinct, 0);
	keys_tally_free(&t);
}

/* What a row takes stops at some dozens of values; from there on it is a word for each bucket as often as samples double. */
static void takes_little(void **state)
{
	struct tally t = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= NR; i++) {
		add(&t, i * 1000003, 1);
		assert_true(t.log_cap <= TALLY_EXACT + 8);
		if (i == 100)
			assert_in_range(t.nr_planes, 4, 6);
	}
	assert_in_range(t.nr_planes, 12, 13);
	assert_null(t.log);
	assert_null(t.list);
	keys_tally_free(&t);
}

/* Parts that are added to each other, in turn, as often as gives counts of more than 32 bits. */
static void large_counts(void **state)
{
	struct tally t[2] = { { 0 } };
	struct tally_top top;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		add(&t[i % 2], planted(i), 1);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(keys_tally_merge(&t[i % 2], &t[1 - i % 2]), 0);
	top = top_of(&t[1]);
	assert_true(t[1].nr > UINT32_MAX);
	assert_true(top.nr >= 1);
	assert_int_equal(top.v[0].value, 6400);
	assert_in_range(top.v[0].nr, t[1].nr / 100 * 63, t[1].nr / 100 * 70);
	keys_tally_free(&t[0]);
	keys_tally_free(&t[1]);
}

static void check_parts(unsigned nr, uint64_t (*value)(unsigned i))
{
	struct tally all = { 0 }, part[4] = { 0 }, back = { 0 };
	struct tally_top a, b;

	for (unsigned i = 0; i < nr; i++) {
		add(&all, value(i), 1);
		add(&part[unit_random(&seed) % 4], value(i), 1);
	}
	for (unsigned i = nr; i-- > 0;)
		add(&back, value(i), 1);
	for (int i = 1; i < 4; i++)
		assert_int_equal(keys_tally_merge(&part[0], &part[i]), 0);
	a = top_of(&all);
	b = top_of(&part[0]);
	assert_int_equal(part[0].nr, nr);
	assert_int_equal(a.nr, b.nr);
	assert_int_equal(a.distinct, b.distinct);
	assert_memory_equal(a.v, b.v, a.nr * sizeof(a.v[0]));
	b = top_of(&back);
	assert_int_equal(a.nr, b.nr);
	assert_memory_equal(a.v, b.v, a.nr * sizeof(a.v[0]));
	keys_tally_free(&all);
	keys_tally_free(&back);
	for (int i = 0; i < 4; i++)
		keys_tally_free(&part[i]);
}

static uint64_t of_few(unsigned i)
{
	return i * i % 97;
}

static uint64_t never_twice(unsigned i)
{
	return i * 31ULL;
}

/* Many short ones, and as many long ones as are kept, or one more. */
static uint64_t short_and_few(unsigned i)
{
	return i % 2 ? i % 509 / 2 : 4096 + i / 2 % TALLY_EXACT;
}

static uint64_t short_and_more(unsigned i)
{
	return i % 2 ? i % 509 / 2 : 4096 + i / 2 % (TALLY_EXACT + 1);
}

static void any_order(void **state)
{
	(void)state;
	for (unsigned nr = 0; nr < 2000; nr += 1 + nr / 3) {
		check_parts(nr, planted);
		check_parts(nr, of_few);
		check_parts(nr, never_twice);
		check_parts(nr, short_and_few);
		check_parts(nr, short_and_more);
	}
	for (unsigned nr = 0; nr < 2 * TALLY_EXACT; nr++)
		check_parts(nr, never_twice);
	check_parts(NR, planted);
}

/* Some come once and some again, in runs of any length: what is said after each is what counting says. */
static void check_steps(uint64_t from, unsigned different)
{
	struct tally t = { 0 }, none = { 0 };
	unsigned nr[TALLY_SHORT] = { 0 }, distinct = 0;

	for (unsigned i = 0; i < 1500; i++) {
		unsigned v = (unsigned)(unit_random(&seed) % (1 + i / 4 % different)), most = 0;
		struct tally_top top;

		add(&t, from + v, 1);
		distinct += !nr[v]++;
		for (unsigned k = 0; k < different; k++)
			most = nr[k] > nr[most] ? k : most;
		/* Now and then what was counted is sorted, as parts that come together are. */
		if (i % 97 == 96)
			assert_int_equal(keys_tally_merge(&t, &none), 0);
		top = top_of(&t);
		assert_int_equal(top.distinct, distinct);
		assert_int_equal(top.v[0].value, from + most);
		assert_int_equal(top.v[0].nr, nr[most]);
		for (unsigned k = 1; k < top.nr; k++) {
			assert_int_equal(top.v[k].nr, nr[top.v[k].value - from]);
			assert_true(top.v[k].nr < top.v[k - 1].nr ||
				    top.v[k].value > top.v[k - 1].value);
		}
	}
	keys_tally_free(&t);
}

static void at_each_step(void **state)
{
	(void)state;
	check_steps(0, TALLY_SHORT);
	check_steps(1ULL << 40, TALLY_EXACT);
	check_steps(TALLY_SHORT - TALLY_EXACT, 2 * TALLY_EXACT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact),	   cmocka_unit_test(found_among_many),
		cmocka_unit_test(none_stands_out), cmocka_unit_test(any_order),
		cmocka_unit_test(at_each_step),	   cmocka_unit_test(short_among_many),
		cmocka_unit_test(takes_little),	   cmocka_unit_test(large_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
