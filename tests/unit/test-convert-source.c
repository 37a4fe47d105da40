// SPDX-License-Identifier: GPL-2.0-or-later
/* Code that ran, told by the source: spans that overlap, and the tree of functions and lines. */
#include "convert/source-int.h"
#include "perfdata-build.h"

/* ---- spans ---- */

struct pieces {
	struct span v[16];
	size_t n, most;
};

static int keep(void *ctx, const struct span *s)
{
	struct pieces *p = ctx;

	assert_true(p->n < ARRAY_SIZE(p->v));
	p->v[p->n++] = *s;
	return p->n == p->most ? -E2BIG : 0;
}

static void is_pieces(const struct span *in, size_t n, const struct span *want, size_t nr)
{
	struct pieces p = { .n = 0 };

	assert_int_equal(convert_spans(in, n, keep, &p), 0);
	assert_int_equal(p.n, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(p.v[i].start, want[i].start);
		assert_int_equal(p.v[i].end, want[i].end);
		assert_int_equal(p.v[i].count, want[i].count);
	}
}

static void test_spans(void **state)
{
	/* a function, and what ran of it: twice the same start, one inside, two that touch */
	const struct span in[] = {
		{ 60, 70, 7 },	 { 10, 90, 0 }, { 20, 40, 3 }, { 20, 30, 5 },
		{ 25, 28, 100 }, { 70, 80, 1 }, { 50, 50, 9 }, { 55, 45, 9 },
	};
	const struct span want[] = {
		{ 10, 20, 0 }, { 20, 25, 8 }, { 25, 28, 108 }, { 28, 30, 8 }, { 30, 40, 3 },
		{ 40, 60, 0 }, { 60, 70, 7 }, { 70, 80, 1 },   { 80, 90, 0 },
	};

	(void)state;
	is_pieces(in, ARRAY_SIZE(in), want, ARRAY_SIZE(want));
	is_pieces(NULL, 0, NULL, 0);
}

static void test_spans_apart(void **state)
{
	const struct span in[] = { { 100, 110, 2 },
				   { UINT64_MAX - 5, UINT64_MAX, 1 },
				   { 0, 1, 3 } };
	const struct span want[] = { { 0, 1, 3 },
				     { 100, 110, 2 },
				     { UINT64_MAX - 5, UINT64_MAX, 1 } };

	(void)state;
	is_pieces(in, ARRAY_SIZE(in), want, ARRAY_SIZE(want));
}

/* Counts that do not fit together leave no trace behind where they end. */
static void test_spans_overflow(void **state)
{
	const struct span in[] = { { 0, 20, UINT64_MAX }, { 10, 30, 2 } };
	const struct span want[] = { { 0, 10, UINT64_MAX }, { 10, 20, 1 }, { 20, 30, 2 } };

	(void)state;
	is_pieces(in, ARRAY_SIZE(in), want, ARRAY_SIZE(want));
}

static void test_spans_stop(void **state)
{
	const struct span in[] = { { 0, 10, 1 }, { 20, 30, 1 }, { 40, 50, 1 } };
	struct pieces p = { .most = 2 };

	(void)state;
	assert_int_equal(convert_spans(in, ARRAY_SIZE(in), keep, &p), -E2BIG);
	assert_int_equal(p.n, 2);
}

/* ---- the tree ---- */

static uint32_t fn(struct source_tree *t, uint32_t parent, uint32_t offset, const char *name)
{
	struct source_pos at = { offset, 0 };
	uint32_t i = source_function(t, parent, at, intern(&t->names, name));

	assert_int_not_equal(i, SOURCE_NONE);
	return i;
}

static void count(struct source_tree *t, uint32_t f, uint32_t offset, uint32_t block, uint64_t n)
{
	assert_int_equal(source_count(t, f, (struct source_pos){ offset, block }, n), 0);
}

static void call(struct source_tree *t, uint32_t f, uint32_t offset, const char *to, uint64_t n)
{
	struct source_pos at = { offset, 0 };

	assert_int_equal(source_call(t, f, at, intern(&t->names, to), n), 0);
}

static const struct source_fn *child(const struct source_tree *t, uint32_t i)
{
	return &t->fn.v[t->child.v[i]];
}

static const char *name(const struct source_tree *t, uint32_t i)
{
	return intern_str(&t->names, i);
}

static void test_tree(void **state)
{
	struct source_tree t = { 0 };
	uint32_t cold = fn(&t, SOURCE_NONE, 0, "cold"), hot = fn(&t, SOURCE_NONE, 0, "hot");
	uint32_t b = fn(&t, hot, 9, "b"), a = fn(&t, hot, 9, "a"), early = fn(&t, hot, 3, "z");
	const struct source_fn *h;

	(void)state;
	assert_int_equal(fn(&t, hot, 9, "b"), b);
	assert_int_not_equal(fn(&t, b, 9, "b"), b); /* into itself */
	t.fn.v[hot].total = 10;
	t.fn.v[cold].total = 1;
	count(&t, hot, 5, 1, 3);
	count(&t, hot, 5, 0, 7);
	count(&t, hot, 5, 0, 4); /* the highest holds */
	count(&t, a, 5, 0, 1);
	count(&t, hot, 2, 0, 0);
	call(&t, hot, 5, "few", 1);
	call(&t, hot, 5, "many", 4);
	call(&t, hot, 5, "many", 4); /* calls add up */
	assert_int_equal(source_sort(&t), 0);

	assert_int_equal(t.child.n - t.first_root, 2);
	h = child(&t, t.first_root);
	assert_string_equal(name(&t, h->name), "hot");
	assert_string_equal(name(&t, child(&t, t.first_root + 1)->name), "cold");
	assert_int_equal(h->nr_lines, 3);
	assert_int_equal(t.line.v[h->first_line].at.offset, 2);
	assert_int_equal(t.line.v[h->first_line + 1].count, 7);
	assert_int_equal(t.line.v[h->first_line + 2].at.block, 1);
	assert_int_equal(h->nr_targets, 2);
	assert_string_equal(name(&t, t.target.v[h->first_target].callee), "many");
	assert_int_equal(t.target.v[h->first_target].count, 8);
	assert_int_equal(h->nr_children, 3);
	assert_int_equal(t.child.v[h->first_child], early);
	assert_int_equal(t.child.v[h->first_child + 1], a);
	assert_int_equal(t.fn.v[a].nr_lines, 1);
	assert_int_equal(t.fn.v[cold].nr_lines, 0);
	assert_int_equal(t.fn.v[b].nr_children, 1);
	source_free(&t);
}

static void test_empty_tree(void **state)
{
	struct source_tree t = { 0 };

	(void)state;
	assert_int_equal(source_sort(&t), 0);
	assert_int_equal(t.first_root, 0);
	assert_int_equal(t.child.n, 0);
	source_free(&t);
}

/* Many places, each found again: the tables grow under them. */
static void test_many(void **state)
{
	struct source_tree t = { 0 };
	uint32_t f[64];

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		f[i] = fn(&t, i ? f[i / 2] : SOURCE_NONE, i, "f");
	for (uint32_t round = 1; round <= 2; round++)
		for (uint32_t i = 0; i < 64 * 500; i++)
			count(&t, f[i % 64], i / 64, i % 3, round);
	assert_int_equal(t.line.n, 64 * 500);
	assert_int_equal(source_sort(&t), 0);
	for (uint32_t i = 0; i < 64; i++) {
		const struct source_fn *g = &t.fn.v[f[i]];

		assert_int_equal(g->nr_lines, 500);
		for (uint32_t k = 0; k < 500; k++) {
			assert_int_equal(t.line.v[g->first_line + k].at.offset, k);
			assert_int_equal(t.line.v[g->first_line + k].count, 2);
		}
	}
	source_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),	       cmocka_unit_test(test_spans_apart),
		cmocka_unit_test(test_spans_overflow), cmocka_unit_test(test_spans_stop),
		cmocka_unit_test(test_tree),	       cmocka_unit_test(test_empty_tree),
		cmocka_unit_test(test_many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("convert-source", tests, NULL, NULL);
}
