// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The report browser's lines: which line is what, while rows are unfolded and folded at random,
 * against a list that is written out; what stays unfolded in another view.
 */
#include "chains-build.h"
#include "tui/browse-int.h"

/* ---- outline against a list ------------------------------------------------------------------ */

struct naive {
	struct outline_node *up;
	uint64_t no;
	bool open;
};

typedef VEC(struct naive) naive_list;

static struct outline_node *kid_of(const struct outline_node *up, uint64_t no)
{
	vec_for_each (k, &up->kids)
		if (k->node->no == no)
			return k->node;
	return NULL;
}

static void naive_fill(struct outline *o, naive_list *list, struct outline_node *n)
{
	for (uint64_t i = 0; i < n->nr; i++) {
		struct outline_node *kid = kid_of(n, i);
		struct naive x = { n, i, kid != NULL };

		assert_int_equal(vec_push(list, x), 0);
		if (kid)
			naive_fill(o, list, kid);
	}
}

static void check_lines(struct outline *o)
{
	naive_list list = { 0 };

	naive_fill(o, &list, &o->root);
	assert_int_equal(outline_lines(o), list.n);
	for (size_t i = 0; i < list.n; i++) {
		struct outline_at at = outline_find(o, i);

		assert_ptr_equal(at.up, list.v[i].up);
		assert_int_equal(at.no, list.v[i].no);
		assert_int_equal(at.node != NULL, list.v[i].open);
		assert_int_equal(outline_line(at.up, at.no), i);
	}
	vec_free(&list);
}

static int released;

static void count_release(void *what)
{
	released += what != NULL;
}

static void outline_random(void **state)
{
	struct outline o;
	uint32_t seed = 7;
	int opened = 0;

	(void)state;
	released = 0;
	outline_init(&o, 12, count_release);
	check_lines(&o);
	for (int i = 0; i < 600; i++) {
		struct outline_at at;

		seed = seed * 1664525 + 1013904223;
		at = outline_find(&o, (seed >> 8) % outline_lines(&o));
		if (at.node && (outline_lines(&o) > 200 || seed >> 31)) {
			outline_close(&o, at.node);
		} else if (!at.node) {
			assert_non_null(outline_open(&o, at.up, at.no, 1 + (seed >> 4) % 7, &o));
			opened++;
		}
		check_lines(&o);
	}
	assert_true(opened > 100);
	outline_free(&o);
	assert_int_equal(released, opened);
}

static void outline_large(void **state)
{
	const uint64_t rows = 10000000;
	struct outline o;

	(void)state;
	outline_init(&o, rows, NULL);
	/* Unfolding all, from the top down, is no square. */
	for (uint64_t i = 0; i < 1000000; i++) {
		struct outline_at at = outline_find(&o, 4 * i);

		assert_int_equal(at.no, i);
		assert_non_null(outline_open(&o, at.up, i, 3, NULL));
	}
	assert_int_equal(outline_lines(&o), rows + 3000000);
	assert_int_equal(outline_find(&o, outline_lines(&o) - 1).no, rows - 1);
	assert_int_equal(outline_line(&o.root, 1000000), 4000000);
	outline_free(&o);
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define CHAIN(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

static void fill_calls(struct table *t)
{
	add(t, 1, 50, CHAIN(0x40, 0x20, 0x10));
	add(t, 1, 30, CHAIN(0x30, 0x10));
	add(t, 2, 15, CHAIN(0x20, 0x10));
	add(t, 1, 5, CHAIN(0x40, 0x50, 0x20, 0x10));
}

static const struct keys_opts callers = {
	.sort = "sym", .show_samples = true, .use_chains = true, .chain = CHAIN_OPTS_DEFAULT
};

static struct table *counted(const struct keys_opts *o)
{
	struct table *t = new_profile(o);

	fill_calls(t);
	assert_int_equal(table_finish(t, NULL), 0);
	return t;
}

/* "+ [.] 0x40", blanks by depth, shares where ways part. */
static char *lines(struct browse_rows *r)
{
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	for (uint64_t i = 0; i < browse_nr(r); i++) {
		struct browse_line l;

		browse_line(r, i, &l);
		obuf_pad(&o, ' ', 2 * (int)(l.level + l.depth));
		obuf_char(&o, l.open ? '-' : l.foldable ? '+' : ' ');
		if (l.share)
			obuf_printf(&o, "%.0f%% ", l.percent);
		if (l.kind == BROWSE_NO_ENTRY)
			obuf_lit(&o, "no entry");
		browse_full_text(r, &l, &o);
		obuf_char(&o, '\n');
	}
	obuf_char(&o, 0);
	return o.buf;
}

static void expect(struct browse_rows *r, const char *want)
{
	char *got = lines(r);

	assert_string_equal(got, want);
	free(got);
}

static void start(struct browse_rows *r, struct view **w, const struct table *t,
		  const struct keys_opts *o, double min)
{
	struct err e = { 0 };

	if (view_new(w, t, o, NULL, &e))
		fail_msg("%s", e.text);
	assert_int_equal(browse_rows_init(r, *w, 0, o, min), 0);
}

static void trees(void **state)
{
	struct table *t = counted(&callers);
	struct browse_rows r;
	struct view *w;
	bool all = false;

	(void)state;
	start(&r, &w, t, &callers, 0);
	expect(&r, "+[.] 0x0000000000000040\n"
		   "+[.] 0x0000000000000030\n"
		   "+[.] 0x0000000000000020\n");
	assert_int_equal(browse_open(&r, 0), 0);
	/* One way only: unfolded with the row. */
	expect(&r, "-[.] 0x0000000000000040\n"
		   "  -0x40\n"
		   "    +50% 0x20\n"
		   "    +5% 0x50\n"
		   "+[.] 0x0000000000000030\n"
		   "+[.] 0x0000000000000020\n");
	assert_int_equal(browse_open(&r, 2), 0);
	expect(&r, "-[.] 0x0000000000000040\n"
		   "  -0x40\n"
		   "    -50% 0x20\n"
		   "     0x10\n"
		   "    +5% 0x50\n"
		   "+[.] 0x0000000000000030\n"
		   "+[.] 0x0000000000000020\n");
	assert_int_equal(browse_up(&r, 3), 2);
	assert_int_equal(browse_up(&r, 1), 0);
	assert_int_equal(browse_up(&r, 5), 5);
	/* Folded and unfolded, it is as it was. */
	browse_close(&r, 0);
	assert_int_equal(browse_nr(&r), 3);
	assert_int_equal(browse_open(&r, 0), 0);
	assert_int_equal(browse_nr(&r), 7);
	browse_close_all(&r);
	assert_int_equal(browse_open_all(&r, &all), 0);
	assert_true(all);
	expect(&r, "-[.] 0x0000000000000040\n"
		   "  -0x40\n"
		   "    -50% 0x20\n"
		   "     0x10\n"
		   "    -5% 0x50\n"
		   "     0x20\n"
		   "     0x10\n"
		   "-[.] 0x0000000000000030\n"
		   "  -0x30\n"
		   "   0x10\n"
		   "-[.] 0x0000000000000020\n"
		   "  -0x20\n"
		   "   0x10\n");
	browse_close_all(&r);
	assert_int_equal(browse_nr(&r), 3);
	browse_rows_free(&r);
	view_free(w);
	table_free(t);
}

/* Shares of what is shown: of these are the frames', too, and which rows are too small for a tree. */
static void trees_of_shown(void **state)
{
	const struct view_filter second = { .comms = ":2" };
	struct keys_opts o = callers;
	struct browse_rows r;
	struct err e = { 0 };
	struct table *t;
	struct view *w;

	(void)state;
	o.sort = "comm,sym";
	o.relative = true;
	o.chain.min_percent = 24;
	t = new_profile(&o);
	fill_calls(t);
	add(t, 2, 5, CHAIN(0x20, 0x30, 0x10));
	assert_int_equal(table_finish(t, NULL), 0);
	assert_int_equal(view_new(&w, t, &o, &second, &e), 0);
	assert_int_equal(browse_rows_init(&r, w, 0, &o, 0), 0);
	/* 20 of 105 samples, all of those that are shown. */
	assert_int_equal(browse_open(&r, 0), 0);
	expect(&r, "-:2  [.] 0x0000000000000020\n"
		   "  -0x20\n"
		   "     75% 0x10\n"
		   "    +25% 0x30\n");
	browse_rows_free(&r);
	view_free(w);
	table_free(t);
}

/* Another order, with other numbers: what was unfolded is. */
static void reopened(void **state)
{
	struct keys_opts by_name = callers;
	struct table *t = counted(&callers), *t2;
	struct browse_rows a, b;
	struct browse_line l;
	struct view *w, *w2;

	(void)state;
	by_name.fields = "sym,overhead";
	by_name.sort = "sym";
	start(&a, &w, t, &callers, 0);
	assert_int_equal(browse_open(&a, 0), 0);
	assert_int_equal(browse_nr(&a), 6);
	t2 = new_profile(&callers);
	add(t2, 3, 90, CHAIN(0x60, 0x10));
	fill_calls(t2);
	assert_int_equal(table_finish(t2, NULL), 0);
	start(&b, &w2, t2, &by_name, 0);
	assert_int_equal(browse_reopen(&b, &a.open), 0);
	expect(&b, "+[.] 0x0000000000000060\n"
		   "-[.] 0x0000000000000040\n"
		   "  -0x40\n"
		   "    +26% 0x20\n"
		   "    +3% 0x50\n"
		   "+[.] 0x0000000000000030\n"
		   "+[.] 0x0000000000000020\n");
	browse_line(&a, 5, &l);
	assert_int_equal(browse_find(&b, browse_id(&a, &l)), 6);
	browse_line(&a, 3, &l);
	assert_int_equal(browse_find(&b, browse_id(&a, &l)), 4);
	browse_rows_free(&a);
	browse_rows_free(&b);
	view_free(w);
	view_free(w2);
	table_free(t);
	table_free(t2);
}

static void levels(void **state)
{
	struct keys_opts o = { .sort = "tid,sym", .hierarchy = true };
	struct table *t = counted(&o);
	struct browse_rows r;
	struct view *w;
	bool all;

	(void)state;
	start(&r, &w, t, &o, 0);
	expect(&r, "+1::1\n+2::2\n");
	browse_rows_free(&r);
	/* 85 % in two parts of 55 and 30, 15 % in one. */
	assert_int_equal(browse_rows_init(&r, w, 0, &o, 20), 0);
	assert_int_equal(browse_nr(&r), 1);
	assert_int_equal(browse_open(&r, 0), 0);
	assert_int_equal(browse_nr(&r), 3);
	browse_rows_free(&r);
	assert_int_equal(browse_rows_init(&r, w, 0, &o, 60), 0);
	assert_int_equal(browse_open_all(&r, &all), 0);
	expect(&r, "-1::1\n   no entry\n");
	browse_rows_free(&r);
	view_free(w);
	table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outline_random),
		cmocka_unit_test(outline_large),
		cmocka_unit_test_setup_teardown(trees, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(trees_of_shown, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(reopened, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(levels, setup_bare, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
