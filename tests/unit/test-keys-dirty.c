// SPDX-License-Identifier: GPL-2.0-or-later
/* Cycles of SSE code by block, in a row: any number of blocks, in any order, from any parts. */
#include "keys/dirty-int.h"
#include "unit.h"

#define NR 100000U

/* What @nr parts of one block each add up to: of block i clean times take 10 cycles, dirty ones 10 + i % 8. */
static void add_block(struct dirty_costs *c, uint32_t i, uint32_t times)
{
	struct dirty_cost one = { .from = i * 7,
				  .to = i * 7 + i % 3,
				  .nr = { times, times },
				  .cycles = { 10ULL * times, (10ULL + i % 8) * times } };
	const struct dirty_costs part = { .n = 1, .v = &one };

	assert_int_equal(keys_dirty_cost_merge(c, &part, NULL), 0);
}

/* Each block is found again however many there are: a list that is kept in order would take minutes. */
static void many_blocks(void **state)
{
	struct dirty_costs up = { 0 }, down = { 0 }, both = { 0 };

	(void)state;
	assert_true(keys_dirty_cost(&up) == STAT_UNKNOWN);
	for (uint32_t i = 0; i < NR; i++) {
		add_block(&up, i, 3);
		add_block(&down, NR - 1 - i, 3);
	}
	assert_int_equal(up.n, NR);
	/* Three times of each are too few to compare; those of both parts are enough. */
	assert_true(keys_dirty_cost(&up) == STAT_UNKNOWN);
	assert_int_equal(keys_dirty_cost_merge(&both, &up, NULL), 0);
	assert_int_equal(keys_dirty_cost_merge(&both, &down, NULL), 0);
	assert_int_equal(both.n, NR);
	/* 0 to 7 more: 3.5, which is rounded up */
	assert_int_equal(keys_dirty_cost(&both), 4);
	keys_dirty_cost_drop(&up);
	keys_dirty_cost_drop(&down);
	keys_dirty_cost_drop(&both);
}

/* One that got faster takes from the others, and less than nothing is nothing. */
static void faster_and_slower(void **state)
{
	static const struct {
		uint64_t clean, dirty, want;
	} rows[] = { { 10, 20, 10 }, { 20, 10, 0 }, { 3, 3, 0 }, { 7, 10, 3 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dirty_costs c = { 0 };
		struct dirty_cost one = {
			1, 2, { 6, 9 }, { 6 * rows[i].clean, 9 * rows[i].dirty }
		};

		assert_int_equal(
			keys_dirty_cost_merge(&c, &(struct dirty_costs){ .n = 1, .v = &one }, NULL),
			0);
		assert_int_equal(keys_dirty_cost(&c), rows[i].want);
		keys_dirty_cost_drop(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_blocks),
		cmocka_unit_test(faster_and_slower),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
