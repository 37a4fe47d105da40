// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Views of one table: made again with another order, filter, base of percentages, levels and
 * direction of call trees, several at a time, while the table stays as it is. And tables of
 * pieces, added up. No address has a symbol here, so that what is expected can be read off.
 */
#include <inttypes.h>

#include "chains-build.h"

static const struct keys_opts chains = { .sort = "tid,sym",
					 .show_samples = true,
					 .children = true,
					 .use_chains = true,
					 .chain = CHAIN_OPTS_DEFAULT };

/* Every row as "value,value", levels behind dots; with its tree where there are chains. */
static char *text(struct view *w)
{
	unsigned levels = view_nr_levels(w);
	size_t n = levels ? view_nr_nested(w, 0) : view_nr_rows(w, 0);
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	for (size_t i = 0; i < n; i++) {
		struct call_tree tree = { 0 };
		unsigned level = 0;
		const struct keys_row *row =
			levels ? view_nested(w, 0, i, &level) : view_row(w, 0, i);

		obuf_pad(&o, '.', (int)level);
		for (size_t c = 0; c < view_nr_cols(w); c++) {
			view_value(w, row, view_col(w, c), &o);
			obuf_char(&o, ',');
		}
		for (size_t c = 0; levels && c < view_level_nr_cols(w, level); c++)
			view_value(w, row, view_level_col(w, level, c), &o);
		assert_int_equal(view_tree(w, row, &tree), 0);
		put_tree(w, &tree.root, false, &o);
		view_tree_free(&tree);
		obuf_char(&o, '\n');
	}
	obuf_char(&o, 0);
	return o.buf;
}

static struct view *new_view(const struct table *t, const struct keys_opts *o,
			     const struct view_filter *f)
{
	struct view *w = NULL;
	struct err e = { 0 };

	if (view_new(&w, t, o, f, &e))
		fail_msg("%s", e.text);
	return w;
}

static void expect(const struct table *t, const struct keys_opts *o, const struct view_filter *f,
		   const char *want)
{
	struct view *w = new_view(t, o, f);
	char *got = text(w);

	assert_string_equal(got, want);
	free(got);
	view_free(w);
}

static struct table *counted(const struct keys_opts *o)
{
	struct table *t = new_profile(o);

	fill(t);
	assert_int_equal(table_finish(t, NULL), 0);
	return t;
}

static void orders(void **state)
{
	static const struct keys_opts by_key = { .sort = "tid,sym" };
	struct keys_opts o = { .fields = "sym,tid,sample" };
	struct table *t = counted(&by_key);
	struct view *first = new_view(t, NULL, NULL);
	char *before = text(first), *after;

	(void)state;
	/* By the keys alone; then by numbers that nobody asked the profile for. */
	o.sort = "";
	expect(t, &o, NULL,
	       "[.] 0x0000000000000040,      1::1,2,\n"
	       "[.] 0x0000000000000030,      1::1,1,\n"
	       "[.] 0x0000000000000020,      2::2,1,\n");
	o.fields = "tid,sym";
	expect(t, &o, NULL,
	       "      1::1,[.] 0x0000000000000030,\n"
	       "      1::1,[.] 0x0000000000000040,\n"
	       "      2::2,[.] 0x0000000000000020,\n");
	/* What others made did not change the first. */
	after = text(first);
	assert_string_equal(before, after);
	free(before);
	free(after);
	view_free(first);
	table_free(t);
}

/* The @i-th of addresses of all sizes, each twice: the upper half of them is negative. */
static uint64_t address(uint64_t i)
{
	return hash_u64(i / 2 + 1) >> (i / 2 % 60) | 1;
}

/* Addresses without names stand in the order of signed numbers, the kernel's first. */
static void addresses(void **state)
{
	enum { N = 3000 };
	static const struct keys_opts by_sym = { .sort = "sym", .show_samples = true };
	struct table *t = new_profile(&by_sym);
	int64_t last = INT64_MIN;
	struct view *w;
	uint64_t sum = 0, want = 0;
	struct obuf o;

	(void)state;
	for (uint64_t i = 0; i < N; i++)
		add(t, 1, 1, CHAIN(address(i)));
	for (uint64_t i = 0; i < N; i += 2)
		want ^= address(i);
	assert_int_equal(table_finish(t, NULL), 0);
	w = new_view(t, NULL, NULL);
	assert_true(view_nr_rows(w, 0) > N / 3);
	for (size_t i = 0; i < view_nr_rows(w, 0); i++) {
		const struct keys_row *row = view_row(w, 0, i);
		uint64_t at;

		assert_int_equal(obuf_init(&o, -1, 0), 0);
		view_value(w, row, view_col(w, view_nr_cols(w) - 1), &o);
		obuf_char(&o, 0);
		assert_int_equal(sscanf(o.buf, "[.] 0x%" SCNx64, &at), 1);
		obuf_free(&o);
		/* Few of the short ones come more often: these stand first, and twice in @want is not in it. */
		sum ^= row->nr % 4 ? at : 0;
		if (row->nr != 2)
			continue;
		assert_true((int64_t)at > last);
		last = (int64_t)at;
	}
	assert_int_equal(sum, want);
	view_free(w);
	table_free(t);
}

static void levels(void **state)
{
	static const struct keys_opts flat = { .sort = "tid,sym", .show_samples = true };
	struct keys_opts o = flat;
	struct table *t = counted(&flat);
	struct view *w, *w2;
	char *a, *b;

	(void)state;
	o.hierarchy = true;
	w = new_view(t, &o, NULL);
	o.sort = "sym,tid";
	w2 = new_view(t, &o, NULL);
	a = text(w);
	b = text(w2);
	assert_string_equal(a, "85.00,3,      1::1\n"
			       ".55.00,2,[.] 0x0000000000000040\n"
			       ".30.00,1,[.] 0x0000000000000030\n"
			       "15.00,1,      2::2\n"
			       ".15.00,1,[.] 0x0000000000000020\n");
	assert_string_equal(b, "55.00,2,[.] 0x0000000000000040\n"
			       ".55.00,2,      1::1\n"
			       "30.00,1,[.] 0x0000000000000030\n"
			       ".30.00,1,      1::1\n"
			       "15.00,1,[.] 0x0000000000000020\n"
			       ".15.00,1,      2::2\n");
	free(a);
	free(b);
	view_free(w);
	view_free(w2);
	expect(t, NULL, NULL,
	       "55.00,2,      1::1,[.] 0x0000000000000040,\n"
	       "30.00,1,      1::1,[.] 0x0000000000000030,\n"
	       "15.00,1,      2::2,[.] 0x0000000000000020,\n");
	table_free(t);
}

/* Trees in both directions, of the same row, at the same time. */
static void directions(void **state)
{
	struct keys_opts o = chains;
	struct table *t;
	struct view *callers, *callees;
	struct call_tree a = { 0 }, b = { 0 };
	struct obuf out;

	(void)state;
	o.sort = "sym";
	o.children = false;
	t = counted(&o);
	callees = new_view(t, &o, NULL);
	o.chain.caller = true;
	callers = new_view(t, &o, NULL);
	assert_int_equal(view_tree(callers, view_row(callers, 0, 0), &a), 0);
	assert_int_equal(view_tree(callees, view_row(callees, 0, 0), &b), 0);
	assert_int_equal(obuf_init(&out, -1, 0), 0);
	put_tree(callers, &a.root, false, &out);
	obuf_char(&out, '\n');
	put_tree(callees, &b.root, false, &out);
	obuf_char(&out, 0);
	assert_string_equal(out.buf, "(0x10 0x20 0x40:55(0x40:5))\n"
				     "(0x40:55(0x20 0x10:50)(0x40 0x20 0x10:5))");
	obuf_free(&out);
	view_tree_free(&a);
	view_tree_free(&b);
	view_free(callers);
	view_free(callees);
	table_free(t);
}

static void filters(void **state)
{
	static const struct keys_opts by_comm = { .sort = "comm,sym", .show_samples = true };
	static const struct keys_opts by_sym = { .sort = "sym" };
	const struct view_filter second = { .comms = "x,:2" }, named = { .symbol_part = "main" };
	struct keys_opts o = by_comm;
	struct table *t = counted(&by_comm);
	struct err e = { 0 };
	struct view *w = NULL;

	(void)state;
	expect(t, NULL, &second, "15.00,1,:2,[.] 0x0000000000000020,\n");
	o.relative = true;
	expect(t, &o, &second, "100.00,1,:2,[.] 0x0000000000000020,\n");
	expect(t, NULL, &named, "");
	assert_int_equal(table_totals(t, 0)->filtered_period, 100);
	w = new_view(t, NULL, &second);
	assert_int_equal(view_totals(w, 0)->filtered_period, 15);
	assert_int_equal(view_totals(w, 0)->nr_filtered_samples, 1);
	assert_int_equal(view_totals(w, 0)->period, 100);
	view_free(w);
	table_free(t);
	t = counted(&by_sym);
	assert_int_equal(view_new(&w, t, NULL, &second, &e), -EINVAL);
	assert_string_equal(e.text, "no filter by comm: it was not counted");
	o.sort = "comm";
	assert_int_equal(view_new(&w, t, &o, NULL, &e), -EINVAL);
	assert_string_equal(e.text, "key `comm' was not counted");
	table_free(t);
}

/* An object whose name looks like a list. */
static void commas(void **state)
{
	static const struct keys_opts by_dso = { .sort = "dso" };
	const struct view_filter one = { .dsos = "a,b.so" }, other = { .dsos = "a,b" };
	struct table *t;
	struct view *w;

	(void)state;
	map_file(3, 0x9000, 0x1000, 0, "/nonexistent/a,b.so");
	t = new_profile(&by_dso);
	fill(t);
	add(t, 3, 10, CHAIN(0x9010));
	assert_int_equal(table_finish(t, NULL), 0);
	w = new_view(t, NULL, &one);
	assert_int_equal(view_nr_rows(w, 0), 1);
	assert_int_equal(view_totals(w, 0)->filtered_period, 10);
	view_free(w);
	w = new_view(t, NULL, &other);
	assert_int_equal(view_nr_rows(w, 0), 0);
	view_free(w);
	table_free(t);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void add_nth(struct table *t, unsigned i)
{
	const uint64_t deep[] = { 0x1000 + i % 17, 0x100 + i % 5, 0x100 + i % 3, 0x10, 0 };

	add(t, 1 + (int)(i / 50 % 7), 1 + i % 11, deep + (i % 4 == 3));
}

#define SAMPLES 1000

/* Samples @from to @to. */
static struct table *piece(const struct keys_opts *o, unsigned from, unsigned to)
{
	struct table *t = new_profile(o);

	for (unsigned i = from; i < to; i++)
		add_nth(t, i);
	return t;
}

static char *finished_text(struct table *t)
{
	char *got;

	finish(t);
	got = text(v);
	done(t);
	return got;
}

static void check_pieces(const struct keys_opts *o, unsigned nr, const struct table_maps *maps)
{
	char *want = finished_text(piece(o, 0, SAMPLES)), *got;
	struct table *sum = piece(o, 0, SAMPLES / nr);
	struct err e = { 0 };

	for (unsigned i = 1; i < nr; i++) {
		struct table *t = piece(o, SAMPLES * i / nr, SAMPLES * (i + 1) / nr);

		if (table_merge(sum, t, maps, &e))
			fail_msg("%s", e.text);
		table_free(t);
	}
	got = finished_text(sum);
	assert_string_equal(got, want);
	free(got);
	free(want);
}

static void pieces(void **state)
{
	uint32_t same[64];
	const struct table_maps maps = { .thread = same, .event = same, .dso = same };
	struct keys_opts o = chains;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(same); i++)
		same[i] = i;
	for (unsigned nr = 1; nr <= 10; nr += 3) {
		check_pieces(&o, nr, NULL);
		check_pieces(&o, nr, &maps);
	}
	o.hierarchy = true;
	check_pieces(&o, 7, NULL);
	o.chain.key = CHAIN_BY_ADDRESS;
	o.sort = "comm,symoff,addr";
	check_pieces(&o, 7, NULL);
	o = (struct keys_opts){ .sort = "cpu,dso,sym", .show_threads = true };
	check_pieces(&o, 7, NULL);
}

/* What a merge has put behind the rest is found by samples that come after it, and by none twice. */
static void samples_after(void **state)
{
	struct table *whole = piece(&chains, 0, SAMPLES), *sum = piece(&chains, 0, 30);
	struct table *p = piece(&chains, 30, 300);

	(void)state;
	assert_int_equal(table_merge(sum, p, NULL, NULL), 0);
	table_free(p);
	for (unsigned i = 300; i < SAMPLES; i++)
		add_nth(sum, i);
	assert_int_equal(table_finish(whole, NULL), 0);
	assert_int_equal(table_finish(sum, NULL), 0);
	assert_int_equal(sum->ch.nodes.n, whole->ch.nodes.n);
	assert_int_equal(sum->keys.frames.n, whole->keys.frames.n);
	assert_int_equal(sum->rows.n, whole->rows.n);
	table_free(whole);
	table_free(sum);
}

/* Two events of the second piece are one of the first: so are nodes of their chains. */
static void two_to_one(void **state)
{
	static const uint32_t event_map[] = { 0, 0 };
	const struct table_maps both = { .event = event_map };
	struct table *sum = piece(&chains, 0, 10), *p = new_profile(&chains), *one;

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		event.idx = i % 2;
		add(p, 1, 1, CHAIN(0x1000, 0x100, 0x10 + i / 2));
	}
	event.idx = 0;
	assert_int_equal(table_merge(sum, p, &both, NULL), 0);
	table_free(p);
	one = piece(&chains, 0, 10);
	for (uint32_t i = 0; i < 6; i++)
		add(one, 1, 1, CHAIN(0x1000, 0x100, 0x10 + i / 2));
	assert_int_equal(table_finish(one, NULL), 0);
	assert_int_equal(table_finish(sum, NULL), 0);
	assert_int_equal(sum->ch.nodes.n, one->ch.nodes.n);
	assert_int_equal(sum->ch.leafs.n, one->ch.leafs.n);
	table_free(one);
	table_free(sum);
}

/* ---- by several threads ---------------------------------------------------------------------- */

/* So many chains that threads are worth it: outer ends of all kinds, with functions that are in them twice. */
static struct table *large(unsigned jobs)
{
	struct keys_opts o = chains;
	struct table *t;

	o.jobs = jobs;
	t = new_profile(&o);
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t end = 0x4000 + i * 7 % 3001, way = 0x100 + i % 7;
		const uint64_t deep[] = { 0x100 + i % 5,     way, 0x100 + i % 3, end,
					  i % 9 ? end : way, 0 };

		add(t, 1 + (int)(i % 3), 1 + i % 11, deep + i % 4);
	}
	assert_int_equal(table_finish(t, NULL), 0);
	assert_true(t->ch.nodes.n > 20000);
	return t;
}

static void same_rows(const struct table *t, const struct table *want)
{
	assert_int_equal(t->rows.n, want->rows.n);
	for (size_t i = 0; i < want->rows.n; i++) {
		const struct keys_row *a = &t->rows.v[i], *b = &want->rows.v[i];

		assert_int_equal(a->group, b->group);
		assert_int_equal(a->place, b->place);
		assert_int_equal(a->acc, b->acc);
		assert_int_equal(a->thread, b->thread);
		assert_int_equal(a->first_node, b->first_node);
		assert_int_equal(a->depth[0], b->depth[0]);
		assert_int_equal(a->depth[1], b->depth[1]);
	}
	assert_int_equal(t->ch.nodes.n, want->ch.nodes.n);
	for (size_t i = 0; i < want->ch.nodes.n; i++) {
		assert_int_equal(t->ch.nodes.v[i].row, want->ch.nodes.v[i].row);
		assert_int_equal(t->ch.nodes.v[i].up, want->ch.nodes.v[i].up);
	}
}

static void callers_side_by_side(void **state)
{
	struct table *want = large(1);

	(void)state;
	for (unsigned jobs = 2; jobs <= 32; jobs *= 4) {
		struct table *t = large(jobs);

		same_rows(t, want);
		table_free(t);
	}
	table_free(want);
}

static char *tree_text(const struct view *w, const struct call_tree *tree)
{
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	put_tree(w, &tree->root, true, &o);
	obuf_char(&o, 0);
	return o.buf;
}

static void trees_of(struct view *w)
{
	const struct keys_row *rows[64];
	struct call_tree trees[ARRAY_SIZE(rows)] = { 0 }, one = { 0 };
	size_t nr = 0;

	while (nr < ARRAY_SIZE(rows) && view_tree_is_heavy(w, view_row(w, 0, nr))) {
		rows[nr] = view_row(w, 0, nr);
		nr++;
	}
	assert_true(nr > 10);
	assert_int_equal(view_tree_several(w, rows, nr, trees), 0);
	for (size_t i = 0; i < nr; i++) {
		char *got = tree_text(w, &trees[i]), *want;

		assert_int_equal(view_tree(w, rows[i], &one), 0);
		want = tree_text(w, &one);
		assert_true(*want == '(');
		assert_string_equal(got, want);
		free(got);
		free(want);
		view_tree_free(&trees[i]);
	}
	view_tree_free(&one);
}

static void trees_side_by_side(void **state)
{
	struct table *t = large(3);

	(void)state;
	for (unsigned caller = 0; caller < 2; caller++) {
		struct keys_opts o = t->keys.o;
		struct view *w;

		o.chain.caller = caller;
		w = new_view(t, &o, NULL);
		trees_of(w);
		view_free(w);
	}
	table_free(t);
}

/*
 * A level of thousands of callers, each too light to be shown, and one that is not: it comes from two places, and what it costs from either
 * is too light by itself.
 */
static void wide_levels(void **state)
{
	struct keys_opts o = { .sort = "sym", .use_chains = true, .chain = CHAIN_OPTS_DEFAULT };
	struct table *t = new_profile(&o);
	struct call_tree tree = { 0 };
	char *got;

	(void)state;
	for (uint64_t i = 0; i < 4000; i++)
		add(t, 1, 1, CHAIN(0x40, 0x1000 + i, 0x10));
	add(t, 1, 15, CHAIN(0x40, 0x20, 0x10));
	add(t, 1, 15, CHAIN(0x40, 0x20, 0x11));
	finish(t);
	assert_int_equal(view_tree(v, view_row(v, 0, 0), &tree), 0);
	got = tree_text(v, &tree);
	assert_string_equal(got, "(0x40:4030(0x20:30))");
	free(got);
	view_tree_free(&tree);
	done(t);
}

/* Weights of which two are nothing, as a damaged file may have them: no caller is lost for that of another one. */
static void weights_that_wrap(void **state)
{
	struct keys_opts o = { .sort = "sym", .use_chains = true, .chain = CHAIN_OPTS_DEFAULT };
	struct table *t = new_profile(&o);
	struct call_tree tree = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 4096; i++)
		add(t, 1, 1ULL << 63, CHAIN(0x40, 0x1000 + i));
	add(t, 1, 1000, CHAIN(0x40, 0x20));
	finish(t);
	assert_int_equal(view_tree(v, view_row(v, 0, 0), &tree), 0);
	assert_int_equal(tree.root.nr_children, 1);
	assert_int_equal(tree.root.child->nr_children, 4097);
	view_tree_free(&tree);
	done(t);
}

/* The rows that have trees, one after the other, are those of which each is asked. */
static void next_trees(void **state)
{
	struct table *t = large(1);
	struct keys_opts o = t->keys.o;
	struct view *w;
	size_t i = 0, nr = 0;

	(void)state;
	for (unsigned with = 0; with < 2; with++) {
		o.use_chains = with;
		w = new_view(t, &o, NULL);
		for (nr = i = 0; i < view_nr_rows(w, 0); i++) {
			bool has = view_has_tree(w, view_row(w, 0, i));

			assert_int_equal(view_next_tree(w, 0, i) == i, has);
			nr += has;
		}
		assert_true(with ? nr > 10 && nr < i : !nr);
		assert_int_equal(view_next_tree(w, 0, i), i);
		view_free(w);
	}
	table_free(t);
}

/* An event of the second piece is another one of the first. */
static void maps(void **state)
{
	static const uint32_t event_map[] = { 1 };
	const struct table_maps second = { .event = event_map };
	static const struct keys_opts o = { .sort = "sym" };
	struct table *sum = piece(&o, 0, 10), *p = piece(&o, 10, 15);

	(void)state;
	assert_int_equal(table_merge(sum, p, &second, NULL), 0);
	table_free(p);
	finish(sum);
	assert_int_equal(view_totals(v, 0)->nr_samples, 10);
	assert_int_equal(view_totals(v, 1)->nr_samples, 5);
	assert_int_equal(view_nr_rows(v, 1), 5);
	done(sum);
}

static void two_kinds(void **state)
{
	static const struct keys_opts by_sym = { .sort = "sym" }, by_comm = { .sort = "comm" };
	struct table *a = piece(&by_sym, 0, 5), *b = piece(&by_comm, 5, 10);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(table_merge(a, b, NULL, &e), -EINVAL);
	assert_string_equal(e.text, "profiles of two kinds cannot be added");
	assert_int_equal(table_finish(b, NULL), 0);
	assert_int_equal(table_merge(a, b, NULL, &e), -EINVAL);
	table_free(a);
	table_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(orders, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(addresses, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(levels, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(directions, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(filters, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(commas, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(pieces, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(samples_after, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(two_to_one, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(callers_side_by_side, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(trees_side_by_side, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(wide_levels, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(weights_that_wrap, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(next_trees, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(maps, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(two_kinds, setup_bare, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
