// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stitching of LBR call stacks: two stacks are the registers of a CPU at two times. The table
 * plays calls and returns on a model of the registers; what stitching says is compared with what
 * the model knows.
 */
#include "unit.h"

#include "unwind/unwind-int.h"

#define DEPTH 8

/* A call stack of any depth, and the registers that remember its newest DEPTH calls. */
struct model {
	uint64_t call[256]; /* ids of calls that have not returned, outermost first */
	size_t n;
	unsigned tos; /* register of the newest call */
	size_t kept;  /* calls that are in registers */
};

struct snapshot {
	struct lbr_entry e[DEPTH];
	size_t n;
	uint64_t hw_idx;
};

static uint64_t next_id = 1;

static void call(struct model *m)
{
	m->call[m->n++] = next_id++;
	m->tos = (m->tos + 1) % DEPTH;
	if (m->kept < DEPTH)
		m->kept++;
}

static void ret(struct model *m)
{
	m->n--;
	m->tos = (m->tos + DEPTH - 1) % DEPTH;
	if (m->kept)
		m->kept--;
}

static struct snapshot take(const struct model *m)
{
	struct snapshot s = { .n = m->kept, .hw_idx = m->tos };

	for (size_t i = 0; i < s.n; i++) {
		uint64_t id = m->call[m->n - 1 - i];

		s.e[i] = (struct lbr_entry){ .from = id * 16, .to = id * 16 + 8 };
	}
	return s;
}

/*
 * Calls, returns, calls between the two snapshots; the register of the call before the first.
 * One common entry at the far end of full registers is told apart from none only where the count
 * of registers starts anew.
 */
static const struct {
	int before, returns, calls;
	int older; /* entries of the first that lie before the second's; -1 = they do not join */
	unsigned tos;
} table[] = {
	{ 8, 0, 0, 0, 0 },   { 8, 0, 1, 1, 1 },	      { 8, 0, 2, 2, 2 },  { 8, 0, 6, 6, 3 },
	{ 8, 0, 7, -1, 3 },  { 8, 0, 7, 7, 0 },	      { 8, 0, 8, -1, 4 }, { 8, 0, 9, -1, 5 },
	{ 8, 1, 1, 0, 6 },   { 8, 1, 2, 1, 7 },	      { 8, 2, 3, 1, 0 },  { 8, 3, 3, 0, 1 },
	{ 8, 4, 8, -1, 2 },  { 8, 7, 8, -1, 3 },      { 12, 0, 1, 1, 4 }, { 12, 0, 3, 3, 5 },
	{ 12, 2, 2, 0, 6 },  { 12, 2, 5, 3, 7 },      { 12, 6, 7, 1, 0 }, { 12, 7, 14, -1, 1 },
	{ 20, 0, 4, 4, 2 },  { 20, 1, 5, 4, 3 },      { 20, 3, 6, 3, 4 }, { 20, 5, 12, -1, 5 },
	{ 5, 0, 3, 0, 6 },   { 5, 2, 1, 0, 7 },	      { 5, 0, 5, 2, 0 },  { 9, 0, 6, 6, 1 },
	{ 200, 0, 3, 3, 2 }, { 200, 100, 90, -1, 3 },
};

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct model m = { .tos = table[i].tos };
		struct snapshot a, b;
		size_t first;

		for (int k = 0; k < table[i].before; k++)
			call(&m);
		a = take(&m);
		for (int k = 0; k < table[i].returns; k++)
			ret(&m);
		for (int k = 0; k < table[i].calls; k++)
			call(&m);
		b = take(&m);
		first = lbr_stitch(a.e, a.n, a.hw_idx, b.e, b.n, b.hw_idx, DEPTH);
		if (table[i].older < 0)
			assert_int_equal(first, 0);
		else if (table[i].older == 0)
			assert_true(first == 0 || first == a.n);
		else
			assert_int_equal(a.n - first, table[i].older);
	}
}

/*
 * Stacks that join are told by arithmetic on the newest registers' numbers. The same in signed
 * numbers, for every pair of them and every length: the answer is 0 or where prev goes on.
 */
static size_t by_rule(int prev_nr, int prev_idx, int cur_nr, int cur_idx, int depth)
{
	int base = depth - cur_nr + cur_idx + 1;
	int distance = prev_idx > base ? prev_idx - base : depth + prev_idx - base;

	return distance < 0 || distance + 1 > prev_nr ? 0 : (size_t)distance + 1;
}

static void test_all_registers(void **state)
{
	struct lbr_entry same[DEPTH] = { 0 }, other[DEPTH] = { 0 };
	size_t joins = 0;

	(void)state;
	for (int i = 0; i < DEPTH; i++)
		other[i].from = 1;
	for (int n = 0; n < DEPTH * DEPTH * DEPTH * DEPTH; n++) {
		int pn = n % DEPTH + 1, pi = n / DEPTH % DEPTH, cn = n / DEPTH / DEPTH % DEPTH + 1;
		int ci = n / DEPTH / DEPTH / DEPTH;
		size_t want = by_rule(pn, pi, cn, ci, DEPTH);

		assert_int_equal(lbr_stitch(same, (size_t)pn, (uint64_t)pi, same, (size_t)cn,
					    (uint64_t)ci, DEPTH),
				 want);
		assert_int_equal(lbr_stitch(same, (size_t)pn, (uint64_t)pi, other, (size_t)cn,
					    (uint64_t)ci, DEPTH),
				 0);
		joins += want != 0;
	}
	assert_true(joins > 1000);
}

static void test_refused(void **state)
{
	struct model m = { 0 };
	struct snapshot a, b;

	(void)state;
	for (int k = 0; k < 9; k++)
		call(&m);
	a = take(&m);
	call(&m);
	b = take(&m);
	assert_int_equal(lbr_stitch(a.e, a.n, a.hw_idx, b.e, b.n, b.hw_idx, DEPTH), 7);
	/* Unknown registers, impossible ones, unknown depth, nothing to join. */
	assert_int_equal(lbr_stitch(a.e, a.n, ~0ULL, b.e, b.n, b.hw_idx, DEPTH), 0);
	assert_int_equal(lbr_stitch(a.e, a.n, a.hw_idx, b.e, b.n, ~0ULL, DEPTH), 0);
	assert_int_equal(lbr_stitch(a.e, a.n, DEPTH, b.e, b.n, b.hw_idx, DEPTH), 0);
	assert_int_equal(lbr_stitch(a.e, a.n, a.hw_idx, b.e, b.n, b.hw_idx, 0), 0);
	assert_int_equal(lbr_stitch(a.e, 0, a.hw_idx, b.e, b.n, b.hw_idx, DEPTH), 0);
	assert_int_equal(lbr_stitch(a.e, a.n, a.hw_idx, b.e, 0, b.hw_idx, DEPTH), 0);
	assert_int_equal(lbr_stitch(a.e, a.n, a.hw_idx, b.e, DEPTH + 1, b.hw_idx, DEPTH), 0);
	/* One word of the entry that both hold differs. */
	a.e[DEPTH - 2].flags = 1;
	assert_int_equal(lbr_stitch(a.e, a.n, a.hw_idx, b.e, b.n, b.hw_idx, DEPTH), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_all_registers),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
