// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows, sort keys, call trees and branch rows of samples made by hand. No address has a symbol
 * here: a frame is its address, so that every expectation can be read off the input.
 */
#include "chains-build.h"
#include "functions.h"

#include "table/table-int.h"

/* Every row as "value,value" and its tree. */
static char *text(struct table *t, bool trees)
{
	struct call_tree tree = { 0 };
	struct obuf o;

	finish(t);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	for (size_t i = 0; i < view_nr_rows(v, 0); i++) {
		const struct keys_row *row = view_row(v, 0, i);

		for (size_t c = 0; c < view_nr_cols(v); c++) {
			if (c)
				obuf_char(&o, ',');
			view_value(v, row, view_col(v, c), &o);
		}
		if (trees) {
			assert_int_equal(view_tree(v, row, &tree), 0);
			put_tree(v, &tree.root, true, &o);
			view_tree_free(&tree);
		}
		obuf_char(&o, '\n');
	}
	obuf_char(&o, 0);
	return o.buf;
}

static void expect(const struct keys_opts *o, void (*fill)(struct table *), bool tree,
		   const char *want)
{
	struct table *t = new_profile(o);
	char *got;

	fill(t);
	got = text(t, tree);
	assert_string_equal(got, want);
	free(got);
	done(t);
}

static void flat(void **state)
{
	struct keys_opts o = { .sort = "sym" };

	(void)state;
	expect(&o, fill, false,
	       "55.00,[.] 0x0000000000000040\n"
	       "30.00,[.] 0x0000000000000030\n"
	       "15.00,[.] 0x0000000000000020\n");
}

/* More than wait together; the same address twice at a time, and again later. */
static void fill_many(struct table *t)
{
	for (unsigned i = 0; i < 1000; i++)
		add(t, 1 + (int)(i & 1), 1, CHAIN(i % 10 ? 0x40 : 0x1000 + i % 500));
}

/* A recording of 60,000 different addresses takes no memory of a large one's: 1.5 MB for rows that are remembered, then 6 MB. */
static void remembered(void **state)
{
	static const unsigned samples[] = { 60000, 140000 }, bits[] = { 16, 18 };
	struct keys_opts o = { .sort = "sym" };
	struct table *t = new_profile(&o);
	unsigned i = 0;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(samples); k++) {
		for (; i < samples[k]; i++)
			add(t, 1, 1, CHAIN(0x1000 + i * 16));
		assert_int_equal(t->feed->queue->bits, bits[k]);
	}
	finish(t);
	assert_int_equal(table_totals(t, 0)->nr_samples, i);
	assert_int_equal(view_nr_rows(v, 0), i);
	done(t);
}

/* Rows are printed by several threads: the process that no record has named is not made then. */
static void leader_without_a_name(void **state)
{
	struct keys_opts o = { .sort = "tgid" };
	struct sample s = { .event = &event,
			    .cpumode = PERF_RECORD_MISC_USER,
			    .period = 1,
			    .present = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
			    .pid = 4123456,
			    .tid = 4123457 };
	struct table *t = new_profile(&o);
	size_t threads;
	char *got;

	(void)state;
	assert_int_equal(table_add(t, &s, machine_thread(m, (int32_t)s.pid, (int32_t)s.tid), NULL),
			 0);
	threads = machine_nr_threads(m);
	got = text(t, false);
	assert_string_equal(got, "100.00,4123456::412345\n");
	assert_int_equal(machine_nr_threads(m), threads);
	free(got);
	done(t);
}

/* Threads by row, of samples that wait for others and of those whose chains do. */
static void threads(void **state)
{
	static const struct keys_opts opts[] = {
		{ .sort = "sym", .show_threads = true },
		{ .sort = "sym", .show_threads = true, .use_chains = true },
		{ .sort = "sym", .show_threads = true, .show_modes = true, .use_chains = true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(opts); i++) {
		struct table *t = new_profile(&opts[i]);
		const struct keys_col *c;

		fill_many(t);
		finish(t);
		c = view_col(v, opts[i].show_modes ? 3 : 1);
		assert_string_equal(view_col_name(c), "nr_threads");
		for (size_t r = 0; r < 51; r++) {
			struct obuf o;

			assert_int_equal(obuf_init(&o, -1, 0), 0);
			view_value(v, view_row(v, 0, r), c, &o);
			obuf_char(&o, 0);
			assert_string_equal(o.buf, r ? "1" : "2");
			obuf_free(&o);
		}
		done(t);
	}
}

static void many_samples(void **state)
{
	struct keys_opts o = { .sort = "sym", .show_samples = true };
	struct table *t = new_profile(&o);
	uint64_t nr = 0;
	char *got;

	(void)state;
	fill_many(t);
	got = text(t, false);
	assert_int_equal(view_nr_rows(v, 0), 51);
	for (size_t i = 0; i < 51; i++) {
		const struct keys_row *row = view_row(v, 0, i);

		assert_int_equal(row->nr, i ? 2 : 900);
		assert_int_equal(row->period, row->nr);
		nr += row->nr;
	}
	assert_int_equal(nr, table_totals(t, 0)->nr_samples);
	free(got);
	done(t);
}

static void keys(void **state)
{
	static const struct {
		const char *sort, *want;
	} cases[] = {
		{ "tid", "85.00,      1::1\n15.00,      2::2\n" },
		{ "comm,cpu", "85.00,:1,001\n15.00,:2,002\n" },
		{ "dso", "100.00,[unknown]\n" },
		{ "time", "50.00,50.000000\n30.00,30.000000\n15.00,15.000000\n5.00,5.000000\n" },
		{ "addr", "55.00,0x40\n30.00,0x30\n15.00,0x20\n" },
		{ "comm_nodigit,cpu", "85.00,:<N>,001\n15.00,:<N>,002\n" },
		{ "overhead,sample,period", "100.00,4,100\n" },
		{ "parent", "100.00,[other]\n" },
		{ "parent,dso", "100.00,[other],[unknown]\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct keys_opts o = { .sort = cases[i].sort };

		if (strstr(cases[i].sort, "overhead"))
			o = (struct keys_opts){ .fields = cases[i].sort };
		expect(&o, fill, false, cases[i].want);
	}
	/* The share stays in front, wherever -s has it; the order of rows is that of the list. */
	expect(&(struct keys_opts){ .sort = "cpu,overhead" }, fill, false,
	       "85.00,001\n15.00,002\n");
}

static void children(void **state)
{
	struct keys_opts o = {
		.sort = "sym", .children = true, .use_chains = true, .chain = CHAIN_OPTS_DEFAULT
	};

	(void)state;
	o.chain.caller = true;
	/* 0x40 recurses: its 55 count once; its own samples show from main, not from 0x40. */
	expect(&o, fill, true,
	       "100.00,0.00,[.] 0x0000000000000010"
	       "(0x10:100(0x20:70/15(0x40:55/50(0x40:5)))(0x30:30))\n"
	       "70.00,15.00,[.] 0x0000000000000020"
	       "(0x20 0x40:55/50(0x40:5))(0x10 0x20:15)\n"
	       "55.00,55.00,[.] 0x0000000000000040(0x10 0x20 0x40:55/50(0x40:5))\n"
	       "30.00,30.00,[.] 0x0000000000000030(0x10 0x30:30)\n");
	o.chain.caller = false;
	expect(&o, fill, true,
	       "100.00,0.00,[.] 0x0000000000000010(0x10:100)\n"
	       "70.00,15.00,[.] 0x0000000000000020(0x20 0x10:70)\n"
	       "55.00,55.00,[.] 0x0000000000000040(0x40:55(0x20 0x10:50)(0x40 0x20 0x10:5))\n"
	       "30.00,30.00,[.] 0x0000000000000030(0x30 0x10:30)\n");
}

static void thresholds(void **state)
{
	struct keys_opts o = { .sort = "dso", .use_chains = true, .chain = CHAIN_OPTS_DEFAULT };

	(void)state;
	o.chain.min_percent = 20;
	expect(&o, fill, true, "100.00,[unknown](0x40:55(0x20 0x10:50))(0x30 0x10:30)\n");
	/* A fifth of what is below each node: 15 of 100 is too little at the top. */
	o.chain.style = CHAIN_FRACTAL;
	o.chain.caller = true;
	expect(&o, fill, true,
	       "100.00,[unknown](0x10:100(0x20:70/15(0x40:55/50(0x40:5)))(0x30:30))\n");
	o.chain.style = CHAIN_FOLDED;
	o.chain.caller = false;
	o.chain.min_percent = 10;
	expect(&o, fill, true, "100.00,[unknown](0x40 0x20 0x10:50)(0x30 0x10:30)(0x20 0x10:15)\n");
}

static void filters(void **state)
{
	struct session_filter *f = new_filter(&(struct session_opts){ .tids = "2" });
	struct keys_opts o = { .sort = "sym", .filter.session = f };
	struct table *t = new_profile(&o);
	char *got;

	(void)state;
	fill(t);
	got = text(t, false);
	assert_string_equal(got, "15.00,[.] 0x0000000000000020\n");
	assert_int_equal(table_totals(t, 0)->period, 100);
	assert_int_equal(table_totals(t, 0)->filtered_period, 15);
	free(got);
	done(t);
	o.relative = true;
	expect(&o, fill, false, "100.00,[.] 0x0000000000000020\n");
	session_filter_free(f);
}

/* The memo of the last chain must not survive a new map of the same address space. */
static void many_chains(void **state)
{
	struct keys_opts o = {
		.sort = "sym", .children = true, .use_chains = true, .chain = CHAIN_OPTS_DEFAULT
	};
	struct table *t = new_profile(&o);
	const struct keys_row *top;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		add(t, (int)(i & 1) + 1, 1, CHAIN(0x1000 + i % 977, 0x100 + i % 13, 0x10));
	finish(t);
	assert_int_equal(view_nr_rows(v, 0), 1 + 13 + 977);
	top = view_row(v, 0, 0);
	assert_int_equal(top->acc, 20000);
	assert_int_equal(top->period, 0);
	done(t);
}

static void add_ends(struct table *t)
{
	for (unsigned i = 0; i < 120; i++)
		add(t, 1, 1, CHAIN(0x1000 + i % 40 * 16, 0x10));
	assert_int_equal(table_flush(t), 0);
}

/* More ends of one node than are looked through, each found again, by samples and by a merge. */
static void many_ends(void **state)
{
	struct keys_opts o = {
		.sort = "sym", .use_chains = true, .max_stack = 1, .chain = CHAIN_OPTS_DEFAULT
	};
	struct table *t, *more;

	(void)state;
	o.chain.caller = true;
	t = new_profile(&o);
	more = new_profile(&o);
	add_ends(t);
	add_ends(more);
	assert_int_equal(table_merge(t, more, NULL, NULL), 0);
	table_free(more);
	assert_int_equal(t->ch.nodes.n, 1);
	assert_int_equal(t->ch.leafs.n, 40);
	for (size_t i = 0; i < 40; i++)
		assert_int_equal(t->ch.leafs.v[i].count, 6);
	finish(t);
	assert_int_equal(view_nr_rows(v, 0), 40);
	done(t);
}

static void chain_words(void **state)
{
	struct chain_opts c = CHAIN_OPTS_DEFAULT;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(chain_opts_parse(&c, "fractal,2.5,7,callee,address,count", &e), 0);
	assert_int_equal(c.style, CHAIN_FRACTAL);
	assert_true(c.min_percent > 2.49 && c.min_percent < 2.51);
	assert_int_equal(c.print_limit, 7);
	assert_int_equal(c.key, CHAIN_BY_ADDRESS);
	assert_int_equal(c.value, CHAIN_COUNT);
	assert_true(c.order_set && !c.caller);
	assert_int_equal(chain_opts_parse(&c, "grap,0.1,caller", &e), 0);
	assert_int_equal(c.style, CHAIN_GRAPH);
	assert_int_equal(chain_opts_parse(&c, "", &e), 0);
	assert_int_equal(chain_opts_parse(&c, "graph,huh", &e), -EINVAL);
	assert_non_null(strstr(e.text, "huh"));
	assert_int_equal(chain_opts_parse(&c, "1,2,3", &e), -EINVAL);
	assert_int_equal(chain_opts_parse(&c, "-5", &e), -EINVAL);
}

static void bad_keys(void **state)
{
	struct keys_opts o = { .sort = "comm,nosuch" };
	struct table *t = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(table_new(&t, &o, m, res, NULL, &e), -EINVAL);
	assert_string_equal(e.text, "Unknown --sort key: `nosuch'");
	assert_non_null(strstr(e.hint, "SORT KEYS"));
	o.sort = "comm,smybol_from";
	assert_int_equal(table_new(&t, &o, m, res, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.hint, "Did you mean symbol_from"));
	o.sort = "symbol_from";
	assert_int_equal(table_new(&t, &o, m, res, NULL, &e), -EINVAL);
	assert_string_equal(e.text, "Invalid --sort key: `symbol_from'");
	o.sort = "comm";
	o.parent = "(";
	o.filter.exclude_other = true;
	assert_int_equal(table_new(&t, &o, m, res, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.text, "Invalid regex: ("));
	o.parent = "sys";
	o.ignore_callees = "(";
	assert_int_equal(table_new(&t, &o, m, res, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.text, "Invalid --ignore-callees regex: ("));
}

/* All columns that options ask for are there together, and what they count. */
static void all_columns(void **state)
{
	struct keys_opts o = { .sort = "sym",
			       .arch = REGS_ARCH_X86,
			       .simd = true,
			       .mxcsr = true,
			       .numbers = true,
			       .idle = true,
			       .dirty = true,
			       .apx = true,
			       .shadow = true,
			       .values = "rax",
			       .show_modes = true,
			       .show_samples = true,
			       .show_period = true,
			       .show_threads = true,
			       .children = true,
			       .use_chains = true,
			       .chain = CHAIN_OPTS_DEFAULT };
	struct table *t = new_profile(&o);
	const struct acc *acc;

	(void)state;
	finish(t);
	for (unsigned i = 0; (acc = keys_acc_at(i)); i++) {
		bool found = !acc->shown || !acc->shown(&o);

		assert_true(i < MAX_SUMS);
		for (size_t c = 0; !found && c < view_nr_cols(v); c++)
			found = view_col(v, c)->key == &acc->cols[acc->nr_cols - 1];
		if (!found)
			fail_msg("no column %s", acc->cols[acc->nr_cols - 1].name);
	}
	done(t);
}

/* More than there is room for is an error, whoever asks for them. */
static void too_many_columns(void **state)
{
	struct keys_opts o = { .arch = REGS_ARCH_X86,
			       .simd = true,
			       .mxcsr = true,
			       .numbers = true,
			       .idle = true,
			       .dirty = true,
			       .apx = true };
	struct table *t = NULL;
	struct err e = { 0 };
	const struct key *k;
	struct obuf sort;
	unsigned n = 0;

	(void)state;
	assert_int_equal(obuf_init(&sort, -1, 0), 0);
	for (size_t i = 0; n < 40 && (k = keys_at(i)); i++)
		if (k->at != KEY_STAT && !k->hidden && !k->branch && !k->switches)
			obuf_printf(&sort, "%s%s", n++ ? "," : "", k->name);
	obuf_char(&sort, 0);
	o.sort = sort.buf;
	assert_int_equal(table_new(&t, &o, m, res, NULL, &e), -E2BIG);
	assert_non_null(strstr(e.text, "more than"));
	obuf_free(&sort);
}

/* ---- branches -------------------------------------------------------------------------------- */

static uint64_t flags(bool mispred, uint64_t cycles, uint64_t type)
{
	return (uint64_t)mispred | (uint64_t)!mispred << 1 | cycles << 4 | type << 20;
}

static void add_branches(struct table *t, const uint64_t *entries, unsigned n)
{
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .pid = 1, .tid = 1 };

	s.branches.nr = n;
	s.branches.entries = (const unsigned char *)entries;
	assert_int_equal(table_add(t, &s, machine_thread(m, 1, 1), NULL), 0);
}

static void fill_branches(struct table *t)
{
	const uint64_t e[] = {
		0x10, 0x20, flags(false, 3, 1), 0x10, 0x20, flags(true, 9, 1),
		0x30, 0x10, flags(false, 0, 4), 0x10, 0x20, flags(false, 3, 1),
	};

	add_branches(t, e, 4);
}

static void branch_rows(void **state)
{
	struct keys_opts o = { .branch = true, .sort = "symbol_from,symbol_to" };

	(void)state;
	/* One row per pair, not one per cycle count. */
	o.sort = "addr_from,addr_to";
	expect(&o, fill_branches, false,
	       "75.00,[.] 0x0000000000000010,[.] 0x0000000000000020\n"
	       "25.00,[.] 0x0000000000000030,[.] 0x0000000000000010\n");
	o.sort = "addr_from,mispredict,cycles";
	expect(&o, fill_branches, false,
	       "50.00,[.] 0x0000000000000010,N,3\n"
	       "25.00,[.] 0x0000000000000010,Y,9\n"
	       "25.00,[.] 0x0000000000000030,N,-\n");
	o.sort = "addr_from";
	o.branch_stats = true;
	expect(&o, fill_branches, false,
	       "75.00,33.3,5,[.] 0x0000000000000010\n"
	       "25.00,0.0,-,[.] 0x0000000000000030\n");
	o.branch_stats = false;
	o.sort = "type";
	expect(&o, fill_branches, false, "75.00,COND\n25.00,CALL\n");
}

static void branch_totals(void **state)
{
	struct keys_opts o = { .branch = true };
	struct table *p = new_profile(&o);
	const struct branch_totals *t;

	(void)state;
	fill_branches(p);
	finish(p);
	t = table_branch_totals(p);
	assert_int_equal(t->typed, 4);
	assert_int_equal(t->cond_fwd, 3);
	assert_int_equal(t->type[BR_CALL], 1);
	assert_int_equal(table_totals(p, 0)->period, 4);
	assert_int_equal(table_totals(p, 0)->nr_samples, 1);
	done(p);
}

/* More distinct entries than the cache holds: nothing may get lost or count twice. */
static void branch_many(void **state)
{
	struct keys_opts o = { .branch = true, .sort = "addr_from,addr_to" };
	struct table *t = new_profile(&o);
	uint64_t e[3 * 100], n = 0, sum = 0;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < 300000; i++) {
			e[n * 3] = 0x1000 + i;
			e[n * 3 + 1] = 0x2000 + i % 7;
			e[n * 3 + 2] = flags(i & 1, i & 15, 1);
			if (++n == 100) {
				add_branches(t, e, 100);
				n = 0;
			}
		}
	finish(t);
	assert_int_equal(view_nr_rows(v, 0), 300000);
	for (size_t i = 0; i < view_nr_rows(v, 0); i++) {
		assert_int_equal(view_row(v, 0, i)->period, 2);
		sum += view_branch_counts(t, view_row(v, 0, i))->nr_mispred;
	}
	assert_int_equal(sum, 300000);
	done(t);
}

static int setup_self(void **state)
{
	const struct symbol_opts so = { .no_host_kernel = true };

	(void)state;
	if (build_machine(&so))
		return -1;
	map_self((uintptr_t)t_mid);
	return 0;
}

static void fill_ignored(struct table *t)
{
	const uint64_t leaf = (uintptr_t)t_leaf, mid = (uintptr_t)t_mid, outer = (uintptr_t)t_outer;

	add(t, 1, 100, (uint64_t[]){ leaf, mid, outer, 0 });
	add(t, 1, 50, (uint64_t[]){ mid, leaf, mid, outer, 0 });
	add(t, 1, 10, (uint64_t[]){ leaf, outer, 0 });
}

static void ignored_callees(void **state)
{
	struct keys_opts o = { .sort = "sym",
			       .use_chains = true,
			       .ignore_callees = "^t_m.d$",
			       .chain = CHAIN_OPTS_DEFAULT };

	(void)state;
	expect(&o, fill_ignored, true,
	       "93.75,[.] t_mid(t_mid t_outer:150)\n"
	       "6.25,[.] t_leaf(t_leaf t_outer:10)\n");
	o.chain.caller = true;
	expect(&o, fill_ignored, true,
	       "93.75,[.] t_mid(t_mid:150/50(t_leaf:100))\n"
	       "6.25,[.] t_leaf(t_outer t_leaf:10)\n");
	o.children = true;
	o.chain.caller = false;
	expect(&o, fill_ignored, false,
	       "100.00,0.00,[.] t_outer\n"
	       "93.75,93.75,[.] t_mid\n"
	       "6.25,6.25,[.] t_leaf\n");
	/* Without chains there is nothing to forget. */
	o.use_chains = o.children = false;
	expect(&o, fill_ignored, false, "68.75,[.] t_leaf\n31.25,[.] t_mid\n");
}

/* ---- latency --------------------------------------------------------------------------------- */

static void fill_parallel(struct table *t)
{
	add(t, 1, 7, (const uint64_t[]){ 0x10, 0x40, 0 });
	table_set_parallelism(t, 7);
	add(t, 1, 1, (const uint64_t[]){ 0x20, 0x40, 0 });
	add(t, 1, 7, (const uint64_t[]){ 0x20, 0x20, 0x40, 0 });
	table_set_parallelism(t, 0); /* as 1 */
	add(t, 1, 1, (const uint64_t[]){ 0x20, 0 });
}

static void latency(void **state)
{
	struct keys_opts o = { .sort = "addr", .switches = true };

	(void)state;
	/* 7 + 0.142 + 1 + 1, the second cut to thousandths: as upstream counts */
	expect(&o, fill_parallel, false, "56.25,23.43,0x20\n43.75,76.57,0x10\n");
	o.latency = true;
	expect(&o, fill_parallel, false, "76.57,43.75,0x10\n23.43,56.25,0x20\n");
	o.sort = "parallelism";
	expect(&o, fill_parallel, false, "87.51,50.00,1\n12.49,50.00,7\n");
	o.sort = "addr";
	o.children = o.use_chains = true;
	o.chain = (struct chain_opts)CHAIN_OPTS_DEFAULT;
	/* A frame that a chain passes twice counts once. */
	expect(&o, fill_parallel, false,
	       "89.06,93.75,0.00,0.00,0x40\n76.57,43.75,76.57,43.75,0x10\n"
	       "23.43,56.25,23.43,56.25,0x20\n");
}

/* More samples than wait together, and rows that come again. */
static void fill_many_parallel(struct table *t)
{
	for (uint32_t i = 0; i < 1000; i++) {
		table_set_parallelism(t, 1 + i % 4);
		add(t, 1, 10, (const uint64_t[]){ 0x10 + i % 4 * 0x10, 0 });
	}
}

static void latency_of_many(void **state)
{
	struct keys_opts o = { .sort = "addr", .switches = true, .latency = true };
	const char *want = "48.00,25.00,0x10\n24.00,25.00,0x20\n16.00,25.00,0x30\n"
			   "12.00,25.00,0x40\n";

	(void)state;
	expect(&o, fill_many_parallel, false, want);
	o.use_chains = true;
	o.chain = (struct chain_opts)CHAIN_OPTS_DEFAULT;
	expect(&o, fill_many_parallel, false, want);
}

static void fill_single(struct table *t)
{
	table_set_parallelism(t, 1);
	add(t, 1, 3, (const uint64_t[]){ 0x10, 0 });
	add(t, 1, 1, (const uint64_t[]){ 0x20, 0 });
}

static void latency_of_one(void **state)
{
	struct keys_opts o = { .sort = "addr", .switches = true };

	(void)state;
	expect(&o, fill_single, false, "75.00,0x10\n25.00,0x20\n");
	o.fields = "latency,addr";
	expect(&o, fill_single, false, "75.00,0x10\n25.00,0x20\n");
	o.fields = "+latency";
	expect(&o, fill_single, false, "75.00,0x10\n25.00,0x20\n");
	o.sort = "latency,overhead,addr";
	expect(&o, fill_single, false, "75.00,75.00,0x10\n25.00,25.00,0x20\n");
}

static void parallelism_filter(void **state)
{
	struct keys_opts o = { .sort = "addr",
			       .switches = true,
			       .filter = { .parallelism = "2,7" } };
	struct table *t;
	struct err e = { 0 };

	(void)state;
	expect(&o, fill_parallel, false, "50.00,12.49,0x20\n");
	o.relative = true;
	expect(&o, fill_parallel, false, "100.00,100.00,0x20\n");
	o.filter.parallelism = "0-2";
	assert_int_equal(table_new(&t, &o, m, res, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.text, "level 0"));
	o.filter.parallelism = NULL;
	o.switches = false;
	o.sort = "parallelism";
	assert_int_equal(table_new(&t, &o, m, res, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.text, "requires --latency"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(flat, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(remembered, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(leader_without_a_name, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(threads, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(many_samples, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(keys, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(children, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(thresholds, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(ignored_callees, setup_self, teardown),
		cmocka_unit_test_setup_teardown(filters, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(many_chains, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(many_ends, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(chain_words, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(bad_keys, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(all_columns, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(too_many_columns, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(branch_rows, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(branch_totals, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(branch_many, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(latency, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(latency_of_many, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(latency_of_one, setup_bare, teardown),
		cmocka_unit_test_setup_teardown(parallelism_filter, setup_bare, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
