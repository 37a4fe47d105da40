// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows below rows: which rows stand above which, what they sum up, in which order they come. As in
 * test-table.c no address has a symbol, and a frame is its address.
 */
#include "table-build.h"

static struct perfdata_event events[] = {
	{ .name = "cycles",
	  .idx = 0,
	  .attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN } },
	{ .name = "faults",
	  .idx = 1,
	  .attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN } },
};

/* A sample of @tid; its chain innermost first, 0 ends it. */
static void add(struct table *t, int event, int tid, uint64_t period, const uint64_t *chain)
{
	uint64_t ips[16] = { PERF_CONTEXT_USER };
	struct sample s = { .event = &events[event], .period = period };
	unsigned n = 1;

	for (; chain[n - 1]; n++)
		ips[n] = chain[n - 1];
	s.cpumode = PERF_RECORD_MISC_USER;
	s.ip = chain[0];
	s.pid = s.tid = (uint32_t)tid;
	s.cpu = (uint32_t)tid & 1;
	s.present = events[event].attr.sample_type;
	s.callchain = (struct u64s){ (unsigned char *)ips, n, false };
	assert_int_equal(table_add(t, &s, machine_thread(m, tid, tid), NULL), 0);
}

#define CHAIN(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

/* Every row of event 0: a dot per level, its numbers, its level's values. */
static char *text(struct table *t)
{
	struct obuf o;

	finish(t);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	for (size_t i = 0; i < view_nr_nested(v, 0); i++) {
		unsigned level;
		const struct keys_row *row = view_nested(v, 0, i, &level);

		obuf_pad(&o, '.', (int)level);
		for (size_t c = 0; c < view_nr_cols(v); c++) {
			view_cell(v, row, view_col(v, c), &o);
			obuf_char(&o, ',');
		}
		for (size_t c = 0; c < view_level_nr_cols(v, level); c++) {
			if (c)
				obuf_char(&o, '+');
			view_value(v, row, view_level_col(v, level, c), &o);
		}
		obuf_char(&o, '\n');
	}
	obuf_char(&o, 0);
	return o.buf;
}

static void expect(const struct keys_opts *o, void (*fill)(struct table *), const char *want)
{
	struct keys_opts opts = *o;
	struct table *t;
	char *got;

	opts.hierarchy = true;
	opts.separator = ' ';
	t = new_profile(&opts);
	fill(t);
	got = text(t);
	assert_string_equal(got, want);
	free(got);
	done(t);
}

static void fill(struct table *t)
{
	add(t, 0, 1, 40, CHAIN(0x20));
	add(t, 0, 2, 25, CHAIN(0x10));
	add(t, 0, 3, 25, CHAIN(0x10));
	add(t, 0, 1, 5, CHAIN(0x10));
	add(t, 0, 3, 5, CHAIN(0x20));
}

static void levels(void **state)
{
	static const struct {
		const char *sort, *fields, *want;
	} cases[] = {
		{ "addr", NULL, " 55.00% ,0x10\n 45.00% ,0x20\n" },
		{ "addr,tid", NULL,
		  " 55.00% ,0x10\n"
		  ". 25.00% ,      2::2\n"
		  ". 25.00% ,      3::3\n"
		  ". 5.00%  ,      1::1\n"
		  " 45.00% ,0x20\n"
		  ". 40.00% ,      1::1\n"
		  ". 5.00%  ,      3::3\n" },
		/* the order of a level is that of its sums, whatever the rows below are */
		{ "cpu,addr", NULL,
		  " 75.00% ,001\n"
		  ". 45.00% ,0x20\n"
		  ". 30.00% ,0x10\n"
		  " 25.00% ,000\n"
		  ". 25.00% ,0x10\n" },
		{ "cpu,tid,addr", NULL,
		  " 75.00% ,001\n"
		  ". 45.00% ,      1::1\n"
		  ".. 40.00% ,0x20\n"
		  ".. 5.00%  ,0x10\n"
		  ". 30.00% ,      3::3\n"
		  ".. 25.00% ,0x10\n"
		  ".. 5.00%  ,0x20\n"
		  " 25.00% ,000\n"
		  ". 25.00% ,      2::2\n"
		  ".. 25.00% ,0x10\n" },
		{ "{cpu,addr},comm", NULL,
		  " 45.00% ,001+0x20\n"
		  ". 40.00% ,:1\n"
		  ". 5.00%  ,:3\n"
		  " 30.00% ,001+0x10\n"
		  ". 25.00% ,:3\n"
		  ". 5.00%  ,:1\n"
		  " 25.00% ,000+0x10\n"
		  ". 25.00% ,:2\n" },
		/* braces that do not end, or begin; levels of nothing */
		{ "{cpu,addr", NULL, " 45.00% ,001+0x20\n 30.00% ,001+0x10\n 25.00% ,000+0x10\n" },
		{ "cpu},{{,addr", NULL,
		  " 75.00% ,001\n. 45.00% ,0x20\n. 30.00% ,0x10\n 25.00% ,000\n. 25.00% ,0x10\n" },
		/* keys of -F: each a level; numbers behind them beside them */
		{ NULL, "overhead,cpu,sample,addr",
		  " 75.00% ,001+4\n. 45.00% ,0x20\n. 30.00% ,0x10\n 25.00% ,000+1\n. 25.00% ,0x10\n" },
		{ NULL, "cpu,addr", "000\n.0x10\n001\n.0x10\n.0x20\n" },
		{ "cpu", "+addr", " 45.00% ,001+0x20\n 30.00% ,001+0x10\n 25.00% ,000+0x10\n" },
		/* numbers among the keys stand in front all the same */
		{ "cpu,sample", NULL, " 75.00% , 4          ,001\n 25.00% , 1          ,000\n" },
		{ "cpu,overhead", NULL, " 25.00% ,000\n 75.00% ,001\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(&(struct keys_opts){ .sort = cases[i].sort, .fields = cases[i].fields },
		       fill, cases[i].want);
}

/* Without keys there are no levels, and the table is the usual one. */
static void no_levels(void **state)
{
	struct keys_opts o = { .fields = "overhead,sample", .hierarchy = true };
	struct table *t = new_profile(&o);

	(void)state;
	fill(t);
	finish(t);
	assert_int_equal(view_nr_levels(v), 0);
	assert_int_equal(view_nr_cols(v), 2);
	assert_int_equal(view_nr_rows(v, 0), 1);
	done(t);
	o.hierarchy = false;
	t = new_profile(&o);
	finish(t);
	assert_int_equal(view_nr_levels(v), 0);
	done(t);
}

static void nothing(struct table *t)
{
	(void)t;
}

static void no_samples(void **state)
{
	struct session_filter *f = new_filter(&(struct session_opts){ .tids = "9" });

	(void)state;
	expect(&(struct keys_opts){ .sort = "comm,dso,sym" }, nothing, "");
	expect(&(struct keys_opts){ .sort = "cpu,addr", .filter.session = f }, fill, "");
	session_filter_free(f);
}

/* A filter for one value keeps its level. */
static void filter(void **state)
{
	struct session_filter *f = new_filter(&(struct session_opts){ .comms = ":3" });

	(void)state;
	expect(&(struct keys_opts){ .sort = "comm,addr", .filter.session = f }, fill,
	       " 30.00% ,:3\n. 25.00% ,0x10\n. 5.00%  ,0x20\n");
	session_filter_free(f);
}

/*
 * 0x10 calls 0x20, which calls 0x30 and, in thread 3, itself. All lie in no object, so that every
 * row of key dso holds the whole chain.
 */
static void fill_chains(struct table *t)
{
	add(t, 0, 1, 50, CHAIN(0x30, 0x20, 0x10));
	add(t, 0, 1, 20, CHAIN(0x20, 0x10));
	add(t, 0, 3, 20, CHAIN(0x20, 0x20, 0x10));
	add(t, 0, 3, 10, CHAIN(0x30));
}

static void callees(void **state)
{
	struct keys_opts o = { .sort = "tid,dso,sym",
			       .children = true,
			       .use_chains = true,
			       .chain = CHAIN_OPTS_DEFAULT };

	(void)state;
	/* A sample counts once on each level, not once per frame. */
	expect(&o, fill_chains,
	       " 70.00% , 70.00% ,      1::1\n"
	       ". 70.00% , 70.00% ,[unknown]\n"
	       ".. 70.00% , 0.00%  ,[.] 0x0000000000000010\n"
	       ".. 70.00% , 20.00% ,[.] 0x0000000000000020\n"
	       ".. 50.00% , 50.00% ,[.] 0x0000000000000030\n"
	       " 30.00% , 30.00% ,      3::3\n"
	       ". 30.00% , 30.00% ,[unknown]\n"
	       ".. 20.00% , 0.00%  ,[.] 0x0000000000000010\n"
	       ".. 20.00% , 20.00% ,[.] 0x0000000000000020\n"
	       ".. 10.00% , 10.00% ,[.] 0x0000000000000030\n");
	/* Where the location stands above, callers have rows without samples of their own. */
	o.sort = "sym,tid";
	expect(&o, fill_chains,
	       " 90.00% , 0.00%  ,[.] 0x0000000000000010\n"
	       ". 70.00% , 0.00%  ,      1::1\n"
	       ". 20.00% , 0.00%  ,      3::3\n"
	       " 90.00% , 40.00% ,[.] 0x0000000000000020\n"
	       ". 70.00% , 20.00% ,      1::1\n"
	       ". 20.00% , 20.00% ,      3::3\n"
	       " 60.00% , 60.00% ,[.] 0x0000000000000030\n"
	       ". 50.00% , 50.00% ,      1::1\n"
	       ". 10.00% , 10.00% ,      3::3\n");
}

/* Only rows of the last level have a call tree. */
static void trees(void **state)
{
	struct keys_opts o = { .sort = "tid,sym",
			       .hierarchy = true,
			       .use_chains = true,
			       .chain = CHAIN_OPTS_DEFAULT };
	struct table *t = new_profile(&o);
	struct call_tree tree = { 0 };
	unsigned level;

	(void)state;
	fill_chains(t);
	finish(t);
	for (size_t i = 0; i < view_nr_nested(v, 0); i++) {
		const struct keys_row *row = view_nested(v, 0, i, &level);

		assert_int_equal(view_tree(v, row, &tree), 0);
		assert_int_equal(tree.root.nr_children != 0, level == 1);
		assert_true(!level || tree.root.cumul == row->period);
		view_tree_free(&tree);
	}
	done(t);
}

static void fill_group(struct table *t)
{
	add(t, 0, 1, 30, CHAIN(0x30, 0x10));
	add(t, 0, 2, 10, CHAIN(0x20, 0x10));
	add(t, 1, 2, 6, CHAIN(0x20, 0x10));
	add(t, 1, 2, 1, CHAIN(0x40, 0x20, 0x10));
	add(t, 1, 3, 1, CHAIN(0x10));
	assert_int_equal(table_set_group(t, 0, 2), 0);
}

/* Rows that only a member has, too; each member's own sums on every level. */
static void group(void **state)
{
	struct keys_opts o = { .sort = "cpu,sym", .show_samples = true };

	(void)state;
	expect(&o, fill_group,
	       " 75.00% 12.50%  , 1 1                    ,001\n"
	       ". 75.00% 0.00%   , 1 0                    ,[.] 0x0000000000000030\n"
	       ". 0.00% 12.50%   , 0 1                    ,[.] 0x0000000000000010\n"
	       " 25.00% 87.50%  , 1 2                    ,000\n"
	       ". 25.00% 75.00%  , 1 1                    ,[.] 0x0000000000000020\n"
	       ". 0.00% 12.50%   , 0 1                    ,[.] 0x0000000000000040\n");
	/* by the second event; by a third that is not there */
	o = (struct keys_opts){ .sort = "cpu", .group_sort = 1 };
	expect(&o, fill_group, " 25.00% 87.50%  ,000\n 75.00% 12.50%  ,001\n");
	o.group_sort = 2;
	expect(&o, fill_group, " 75.00% 12.50%  ,001\n 25.00% 87.50%  ,000\n");
	o = (struct keys_opts){
		.sort = "sym,cpu", .children = true, .use_chains = true, .chain = CHAIN_OPTS_DEFAULT
	};
	expect(&o, fill_group,
	       " 100.00% 100.00%, 0.00% 12.50%   ,[.] 0x0000000000000010\n"
	       ". 75.00% 12.50%  , 0.00% 12.50%   ,001\n"
	       ". 25.00% 87.50%  , 0.00% 0.00%    ,000\n"
	       " 75.00% 0.00%   , 75.00% 0.00%   ,[.] 0x0000000000000030\n"
	       ". 75.00% 0.00%   , 75.00% 0.00%   ,001\n"
	       " 25.00% 87.50%  , 25.00% 75.00%  ,[.] 0x0000000000000020\n"
	       ". 25.00% 87.50%  , 25.00% 75.00%  ,000\n"
	       " 0.00% 12.50%   , 0.00% 12.50%   ,[.] 0x0000000000000040\n"
	       ". 0.00% 12.50%   , 0.00% 12.50%   ,000\n");
}

static void fill_branches(struct table *t)
{
	const uint64_t e[] = {
		0x10, 0x20, 1 | 3 << 4, 0x10, 0x20, 2 | 9 << 4,
		0x30, 0x20, 2 | 5 << 4, 0x10, 0x40, 1 | 3 << 4,
	};
	struct sample s = { .event = &events[0], .pid = 1, .tid = 1 };

	s.cpumode = PERF_RECORD_MISC_USER;
	s.branches.nr = 4;
	s.branches.entries = (const unsigned char *)e;
	assert_int_equal(table_add(t, &s, machine_thread(m, 1, 1), NULL), 0);
}

static void branches(void **state)
{
	struct keys_opts o = { .branch = true, .branch_stats = true, .sort = "addr_from,addr_to" };

	(void)state;
	expect(&o, fill_branches,
	       " 75.00% , 66.6%  , 5        ,[.] 0x0000000000000010\n"
	       ". 50.00% , 50.0%  , 6        ,[.] 0x0000000000000020\n"
	       ". 25.00% , 100.0% , 3        ,[.] 0x0000000000000040\n"
	       " 25.00% , 0.0%   , 5        ,[.] 0x0000000000000030\n"
	       ". 25.00% , 0.0%   , 5        ,[.] 0x0000000000000020\n");
	o.branch_stats = false;
	o.sort = "cycles,addr_to";
	expect(&o, fill_branches,
	       " 50.00% ,3\n"
	       ". 25.00% ,[.] 0x0000000000000020\n"
	       ". 25.00% ,[.] 0x0000000000000040\n"
	       " 25.00% ,9\n"
	       ". 25.00% ,[.] 0x0000000000000020\n"
	       " 25.00% ,5\n"
	       ". 25.00% ,[.] 0x0000000000000020\n");
}

/* A thread that is in several rows counts once in the row above them. */
static void threads(void **state)
{
	struct keys_opts o = { .sort = "cpu,addr", .show_threads = true };

	(void)state;
	expect(&o, fill,
	       " 75.00% , 2      ,001\n"
	       ". 45.00% , 2      ,0x20\n"
	       ". 30.00% , 2      ,0x10\n"
	       " 25.00% , 1      ,000\n"
	       ". 25.00% , 1      ,0x10\n");
}

/* Every key there is, as one level each: rows and levels agree, whatever the keys are. */
static void all_keys(void **state)
{
	const char *name;
	unsigned nr = 0;

	(void)state;
	for (size_t i = 0; (name = keys_name(i)); i++) {
		char sort[128];
		struct keys_opts o = { .sort = sort, .hierarchy = true };
		struct table *t = NULL;
		struct err e = { 0 };

		snprintf(sort, sizeof(sort), "tid,%s,addr", name);
		if (table_new(&t, &o, m, res, NULL, &e))
			continue; /* hidden, or one of branches */
		fill(t);
		finish(t);
		assert_true(view_nr_levels(v) >= 2);
		assert_int_equal(view_nr_rows(v, 0), 5);
		assert_true(view_nr_nested(v, 0) >= 3 + 5);
		nr++;
		done(t);
	}
	assert_true(nr > 40);
}

/* Many rows on each level. */
static void many(void **state)
{
	struct keys_opts o = { .sort = "tid,addr", .hierarchy = true };
	struct table *t = new_profile(&o);
	uint64_t sum = 0, above = 0, last = UINT64_MAX;
	unsigned level;

	(void)state;
	for (uint64_t i = 0; i < 50000; i++)
		add(t, 0, 1 + (int)(i % 101), 1 + i % 7, CHAIN(0x1000 + i % 997));
	finish(t);
	assert_int_equal(view_nr_nested(v, 0), view_nr_rows(v, 0) + 101);
	for (size_t i = 0; i < view_nr_nested(v, 0); i++) {
		const struct keys_row *row = view_nested(v, 0, i, &level);

		if (level) {
			sum += row->period;
			continue;
		}
		assert_int_equal(sum, above);
		assert_true(row->period <= last);
		last = row->period;
		above += row->period;
	}
	assert_int_equal(sum, table_totals(t, 0)->period);
	done(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(levels, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(no_levels, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(no_samples, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(filter, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(callees, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(trees, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(group, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(branches, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(threads, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(all_keys, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(many, setup_bare, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
