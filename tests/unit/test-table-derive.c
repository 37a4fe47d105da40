// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of a rich table, over six samples whose answers can be worked out by hand:
 *
 *	leaf < mid < outer			10	thread 1	1 s
 *	mid < outer				20	thread 2	2 s
 *	leaf < outer				30	thread 1	3 s
 *	leaf < mid < mid < outer		40	thread 2	4 s
 *	lib + 0x10 < lib + 0x20 < mid < outer	50	thread 1	5 s
 *	outer, without a chain			60	thread 2	6 s
 */
#include "table-build.h"
#include "view/view-int.h"

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
				 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU },
};

void t_leaf(void);
void t_mid(void);
void t_outer(void);

/* They differ, or a linker might make one of them. */
#define FUNCTION(name, n)                                   \
	__attribute__((noinline)) void name(void)           \
	{                                                   \
		__asm__ volatile("" : : "r"(n) : "memory"); \
	}
FUNCTION(t_leaf, 1)
FUNCTION(t_mid, 2)
FUNCTION(t_outer, 3)

#define LEAF  ((uintptr_t)t_leaf)
#define MID   ((uintptr_t)t_mid)
#define OUTER ((uintptr_t)t_outer)
#define LIB   0x700000000000ULL

static const struct keys_opts all = {
	.sort = "sym",
	.use_chains = true,
	.children = true,
	.chain = { .style = CHAIN_GRAPH, .caller = true },
};

static struct table *rich;
static char text[4096];

static void add(struct table *t, uint32_t tid, uint64_t period, const uint64_t *chain)
{
	uint64_t ips[8] = { PERF_CONTEXT_USER };
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .period = period };
	unsigned n = 1;

	for (; chain[n - 1]; n++)
		ips[n] = chain[n - 1];
	s.ip = chain[0];
	s.pid = 1;
	s.tid = tid;
	s.cpu = tid - 1;
	s.time = period * 100000000;
	s.present = event.attr.sample_type;
	s.callchain = (struct u64s){ (unsigned char *)ips, period == 60 ? 0 : n, false };
	assert_int_equal(table_add(t, &s, machine_thread(m, 1, (int32_t)tid), NULL), 0);
}

static void add_all(struct table *t)
{
	add(t, 1, 10, (uint64_t[]){ LEAF, MID, OUTER, 0 });
	add(t, 2, 20, (uint64_t[]){ MID, OUTER, 0 });
	add(t, 1, 30, (uint64_t[]){ LEAF, OUTER, 0 });
	add(t, 2, 40, (uint64_t[]){ LEAF, MID, MID, OUTER, 0 });
	add(t, 1, 50, (uint64_t[]){ LIB + 0x10, LIB + 0x20, MID, OUTER, 0 });
	add(t, 2, 60, (uint64_t[]){ OUTER, 0 });
}

static struct table *rich_of(struct keys_opts o)
{
	struct err e = { 0 };
	struct table *t;

	o.rich = true;
	t = new_profile(&o);
	add_all(t);
	if (table_finish(t, &e))
		fail_msg("%s", e.text);
	return t;
}

static int setup(void **state)
{
	const struct symbol_opts so = { .no_host_kernel = true };

	(void)state;
	if (build_machine(&so))
		return -1;
	map_self(LEAF);
	/* An address there is the same in the object: a row that is also a caller is one. */
	map_file(1, LIB, 0x1000, LIB, "/nonexistent/liba.so");
	rich = rich_of(all);
	return 0;
}

static int end(void **state)
{
	table_free(rich);
	return teardown(state);
}

static struct table *derive(const struct keys_opts *o, const struct table_op *ops, unsigned nr)
{
	const struct table_ask ask = { o, ops, nr };
	struct table *t = NULL;
	struct err e = { 0 };

	if (table_derive(&t, rich, &ask, &e) || view_new(&v, t, NULL, NULL, &e))
		fail_msg("%s", e.text);
	return t;
}

static void put_name(const struct view *of, uint32_t frame, struct obuf *o)
{
	const struct frame_info *f = &of->t->keys.frames.v[frame];

	if (f->sym)
		obuf_str(o, *f->sym->name == 't' ? f->sym->name + 2 : f->sym->name);
	else
		obuf_hex(o, f->ip & 0xffff);
}

static void put_tree(const struct view *of, const struct call_node *n, struct obuf *o)
{
	for (uint32_t i = 0; i < n->nr_children; i++) {
		const struct call_node *c = &n->child[i];

		obuf_char(o, '(');
		for (uint32_t f = 0; f < c->nr_frames; f++) {
			if (f)
				obuf_char(o, ' ');
			put_name(of, c->frames[f], o);
		}
		obuf_printf(o, ":%llu", (unsigned long long)c->cumul);
		put_tree(of, c, o);
		obuf_char(o, ')');
	}
}

static const char *done_text(struct obuf *o)
{
	obuf_char(o, 0);
	assert_true(o->len < sizeof(text));
	memcpy(text, o->buf, o->len);
	obuf_free(o);
	return text;
}

/* "outer 60/210, ...": rows in order, their own and with callees. */
static const char *rows(const struct view *of)
{
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	for (size_t i = 0; i < view_nr_rows(of, 0); i++) {
		const struct keys_row *row = view_row(of, 0, i);

		obuf_str(&o, i ? ", " : "");
		put_name(of, (uint32_t)keys_tuple_get(&of->t->places, row->place)[0], &o);
		obuf_printf(&o, " %llu/%llu", (unsigned long long)row->period,
			    (unsigned long long)row->acc);
	}
	return done_text(&o);
}

static const char *tree(struct view *of, const struct keys_row *row)
{
	struct call_tree ct = { 0 };
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(view_tree(of, row, &ct), 0);
	put_tree(of, &ct.root, &o);
	view_tree_free(&ct);
	return done_text(&o);
}

/* One operation: the rows, the tree of the first one, and what passed. */
static void check(const struct table_op *op, const char *want, const char *want_tree,
		  uint64_t passed)
{
	struct table *t = derive(&all, op, op ? 1 : 0);

	assert_string_equal(rows(v), want);
	if (want_tree)
		assert_string_equal(tree(v, view_row(v, 0, 0)), want_tree);
	assert_int_equal(table_totals(t, 0)->period, 210);
	assert_int_equal(table_totals(t, 0)->filtered_period, passed);
	assert_int_equal(table_totals(t, 0)->nr_samples, 6);
	done(t);
}

static void test_nothing(void **state)
{
	(void)state;
	check(NULL, "outer 60/210, mid 20/120, leaf 80/80, 10 50/50, 20 0/50",
	      "(outer:150(mid:120(20 10:50)(mid leaf:40)(leaf:10))(leaf:30))", 210);
}

static void test_focus(void **state)
{
	struct table_op op = { .kind = TABLE_FOCUS, .name = "t_mid" };

	(void)state;
	check(&op, "outer 0/120, mid 20/120, leaf 50/50, 10 50/50, 20 0/50", NULL, 120);
	op.cut = TABLE_BELOW;
	check(&op, "mid 20/120, leaf 50/50, 10 50/50, 20 0/50",
	      "(mid:120(20 10:50)(mid leaf:40)(leaf:10))", 120);
	op.cut = TABLE_ABOVE;
	check(&op, "mid 120/120, outer 0/120", NULL, 120);
	op.dso = "liba.so"; /* not there */
	check(&op, "", NULL, 0);
	op = (struct table_op){ .kind = TABLE_FOCUS, .name = "t_mid", .not = true };
	check(&op, "outer 60/90, leaf 30/30", "(outer leaf:30)", 90);
	op = (struct table_op){ .kind = TABLE_FOCUS,
				.name = "_(mid|outer)$",
				.match = TABLE_REGEX,
				.cut = TABLE_ABOVE };
	check(&op, "outer 210/210", NULL, 210);
	op = (struct table_op){ .kind = TABLE_FOCUS, .name = "_mi", .match = TABLE_PART };
	check(&op, "outer 0/120, mid 20/120, leaf 50/50, 10 50/50, 20 0/50", NULL, 120);
}

static void test_hide(void **state)
{
	struct table_op op = { .kind = TABLE_HIDE_SYMBOL, .name = "t_mid" };

	(void)state;
	/* mid's own 20 are outer's then. */
	check(&op, "outer 80/210, leaf 80/80, 10 50/50, 20 0/50", "(outer:150(leaf:80)(20 10:50))",
	      210);
	/* What nothing is left of is not shown. */
	op.name = "t_outer";
	check(&op, "mid 20/120, leaf 80/80, 10 50/50, 20 0/50", NULL, 150);
	op = (struct table_op){ .kind = TABLE_HIDE_DSO, .name = "liba.so" };
	check(&op, "outer 60/210, mid 70/120, leaf 80/80",
	      "(outer:150(mid:120(mid leaf:40)(leaf:10))(leaf:30))", 210);
	op.kind = TABLE_MERGE_DSO;
	check(&op, "outer 60/210, mid 20/120, leaf 80/80, [liba.so] 50/50",
	      "(outer:150(mid:120([liba.so]:50)(mid leaf:40)(leaf:10))(leaf:30))", 210);
}

static void test_recursion(void **state)
{
	struct table_op op = { .kind = TABLE_RECURSION };

	(void)state;
	check(&op, "outer 60/210, mid 20/120, leaf 80/80, 10 50/50, 20 0/50",
	      "(outer:150(mid:120(leaf:50)(20 10:50))(leaf:30))", 210);
}

/* Calls that come back through others, in a table of their own. */
static void test_deep_recursion(void **state)
{
	const struct table_op op = { .kind = TABLE_RECURSION, .num = 1 };
	struct table *had = rich, *t;
	struct keys_opts o = all;
	struct err e = { 0 };

	(void)state;
	o.rich = true;
	rich = new_profile(&o);
	add(rich, 1, 10, (uint64_t[]){ LEAF, MID, LEAF, MID, OUTER, 0 });
	add(rich, 1, 20, (uint64_t[]){ MID, LEAF, MID, OUTER, 0 });
	assert_int_equal(table_finish(rich, &e), 0);
	t = derive(&all, &op, 1);
	assert_string_equal(rows(v), "outer 0/30, mid 20/30, leaf 10/10");
	assert_string_equal(tree(v, view_row(v, 0, 0)), "(outer mid:30(leaf:10))");
	done(t);
	table_free(rich);
	rich = had;
}

static void test_samples(void **state)
{
	struct table_op op = { .kind = TABLE_THREAD, .num = 2 };

	(void)state;
	check(&op, "outer 60/120, mid 20/60, leaf 40/40", NULL, 120);
	op = (struct table_op){ .kind = TABLE_CPU, .num = 1, .not = true };
	check(&op, "outer 0/90, mid 0/60, 10 50/50, 20 0/50, leaf 40/40", NULL, 90);
	op = (struct table_op){ .kind = TABLE_PROCESS, .num = 2 };
	check(&op, "", NULL, 0);
	op = (struct table_op){ .kind = TABLE_SYMBOL, .name = "t_leaf" };
	check(&op, "leaf 80/80, outer 0/80, mid 0/50", NULL, 80);
	op = (struct table_op){ .kind = TABLE_DSO, .name = "liba.so" };
	check(&op, "10 50/50, outer 0/50, mid 0/50, 20 0/50", NULL, 50);
	op = (struct table_op){ .kind = TABLE_MODE, .num = PERF_RECORD_MISC_KERNEL };
	check(&op, "", NULL, 0);
	op = (struct table_op){ .kind = TABLE_TIME, .from = 1900000000, .to = 3900000000 };
	check(&op, "outer 0/50, leaf 30/30, mid 20/20", NULL, 50);
	op = (struct table_op){ .kind = TABLE_COMM, .name = "nobody", .not = true };
	check(&op, "outer 60/210, mid 20/120, leaf 80/80, 10 50/50, 20 0/50", NULL, 210);
}

static void test_time(void **state)
{
	struct table *t = derive(&all, NULL, 0);
	const struct table_time time = table_time(t);
	uint64_t nr = 0;

	(void)state;
	assert_in_range(time.nr, MAX_SLICES / 2, MAX_SLICES);
	assert_true(time.start <= 1000000000 && time.start + time.width > 1000000000);
	assert_true(time.start + time.nr * time.width > 6000000000);
	for (uint32_t i = 0; i < time.nr; i++) {
		const struct table_count *c = &table_over_time(t, 0)[i];

		if (!c->nr)
			continue;
		nr++;
		assert_int_equal(c->nr, 1);
		assert_int_equal(c->period, nr * 10);
	}
	assert_int_equal(nr, 6);
	done(t);
}

static void test_keys(void **state)
{
	struct keys_opts o = { .sort = "tid" };
	struct err e = { 0 };
	struct table *t = derive(&o, NULL, 0);

	(void)state;
	assert_int_equal(view_nr_rows(v, 0), 2);
	assert_int_equal(view_row(v, 0, 0)->period, 120);
	assert_int_equal(view_row(v, 0, 1)->nr, 3);
	done(t);
	o.sort = "trace";
	assert_int_equal(table_derive(&t, rich, &(struct table_ask){ .opts = &o }, &e), -EINVAL);
	assert_non_null(strstr(e.text, "trace"));
	assert_null(t);
	o = all;
	o.branch = true;
	assert_int_equal(table_derive(&t, rich, &(struct table_ask){ .opts = &o }, &e), -EINVAL);
}

/* As many keys of samples as there are, beside those that a rich table has itself. */
static void test_all_keys(void **state)
{
	struct keys_opts o = all;
	struct table *many, *t;
	struct err e = { 0 };
	const struct key *k;
	struct obuf sort;

	(void)state;
	assert_int_equal(obuf_init(&sort, -1, 0), 0);
	obuf_str(&sort, "sym");
	for (size_t i = 0; (k = keys_at(i)); i++)
		if (k->at == KEY_SAMPLE && !k->hidden && !k->branch && !k->switches &&
		    !keys_is_derived(k))
			obuf_printf(&sort, ",%s", k->name);
	obuf_char(&sort, 0);
	o.sort = sort.buf;
	many = rich_of(o);
	if (table_derive(&t, many, &(struct table_ask){ .opts = &o }, &e) ||
	    view_new(&v, t, NULL, NULL, &e))
		fail_msg("%s", e.text);
	assert_int_equal(view_row(v, 0, 0)->period, 60);
	assert_int_equal(table_totals(t, 0)->filtered_period, 210);
	done(t);
	table_free(many);
	obuf_free(&sort);
}

/* What reading alone decides: a table that is not rich, a word that means nothing. */
static void test_refused(void **state)
{
	const struct table_op bad = { .kind = TABLE_FOCUS, .name = "(", .match = TABLE_REGEX };
	const struct table_op none = { .kind = TABLE_FOCUS };
	struct err e = { 0 };
	struct table *t = derive(&all, NULL, 0), *of;

	(void)state;
	assert_int_equal(table_derive(&of, t, &(struct table_ask){ .opts = &all }, &e), -EINVAL);
	assert_int_equal(table_derive(&of, rich, &(struct table_ask){ &all, &bad, 1 }, &e),
			 -EINVAL);
	assert_non_null(strstr(e.text, "regex"));
	assert_int_equal(table_derive(&of, rich, &(struct table_ask){ &all, &none, 1 }, &e),
			 -EINVAL);
	done(t);
}

/* ---- what a browser asks beside ------------------------------------------------------------------- */

static void test_sandwich(void **state)
{
	const struct table_op mid = { .kind = TABLE_FOCUS, .name = "t_mid" };
	const struct table_op none = { .kind = TABLE_FOCUS, .name = "t_none" };
	const struct table_ask ask = { .opts = &all };
	struct view_sandwich s;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(view_sandwich_new(&s, rich, &ask, &mid, 0, &e), 0);
	assert_int_equal(s.total.period, 120);
	assert_int_equal(s.total.nr, 4);
	assert_int_equal(s.self.period, 20);
	assert_string_equal(tree(s.callers, s.above), "(mid outer:120)");
	assert_string_equal(tree(s.callees, s.below), "(mid:120(20 10:50)(mid leaf:40)(leaf:10))");
	view_sandwich_free(&s);
	assert_int_equal(view_sandwich_new(&s, rich, &ask, &none, 0, &e), 0);
	assert_null(s.above);
	assert_int_equal(s.total.nr, 0);
	view_sandwich_free(&s);
}

static const char *crumbs(const struct view_steps *s)
{
	size_t nr = view_steps_nr(s, NULL);
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	for (size_t i = 0; i < nr; i++) {
		obuf_str(&o, i ? " > " : "");
		view_step_text(view_steps_at(s, i), &o);
	}
	return done_text(&o);
}

static void push(struct view_steps *s, const struct view_step *step)
{
	struct err e = { 0 };

	if (view_steps_push(s, step, &e))
		fail_msg("%s", e.text);
}

static void test_steps(void **state)
{
	struct view_step focus = { .op = { .kind = TABLE_FOCUS, .name = "t_mid" } };
	const struct view_step tid = { .kind = VIEW_STEP_SORT, .text = "tid" };
	const struct view_step bad = { .kind = VIEW_STEP_SORT, .text = "trace" };
	const struct view_step callees = { .kind = VIEW_STEP_CALLERS };
	struct err e = { 0 };
	struct view_steps *s;
	size_t redo;

	(void)state;
	assert_int_equal(view_steps_new(&s, rich, &all, NULL, &e), 0);
	assert_int_equal(view_steps_undo(s, &e), 1);
	assert_int_equal(view_steps_redo(s, &e), 1);
	push(s, &focus);
	assert_string_equal(rows(view_steps_view(s)),
			    "outer 0/120, mid 20/120, leaf 50/50, 10 50/50, 20 0/50");
	push(s, &tid);
	assert_int_equal(view_nr_rows(view_steps_view(s), 0), 2);
	assert_string_equal(crumbs(s), "focus t_mid > by tid");
	/* A step that cannot be done changes nothing. */
	assert_int_equal(view_steps_push(s, &bad, &e), -EINVAL);
	assert_string_equal(crumbs(s), "focus t_mid > by tid");
	assert_int_equal(view_nr_rows(view_steps_view(s), 0), 2);
	assert_int_equal(view_steps_undo(s, &e), 0);
	assert_int_equal(view_steps_nr(s, &redo), 1);
	assert_int_equal(redo, 1);
	assert_int_equal(view_steps_push(s, &bad, &e), -EINVAL);
	assert_int_equal(view_steps_redo(s, &e), 0);
	assert_string_equal(crumbs(s), "focus t_mid > by tid");
	assert_int_equal(view_steps_undo(s, &e), 0);
	assert_int_equal(view_steps_undo(s, &e), 0);
	assert_string_equal(rows(view_steps_view(s)),
			    "outer 60/210, mid 20/120, leaf 80/80, 10 50/50, 20 0/50");
	/* Another way: what was undone is gone. */
	focus.op.not = true;
	push(s, &focus);
	assert_int_equal(view_steps_redo(s, &e), 1);
	assert_string_equal(crumbs(s), "ignore t_mid");
	assert_string_equal(rows(view_steps_view(s)), "outer 60/90, leaf 30/30");
	/* A look shares the rows with the step before. */
	{
		const struct table *t = view_steps_table(s);

		push(s, &callees);
		assert_ptr_equal(view_steps_table(s), t);
		assert_false(view_steps_opts(s)->chain.caller);
	}
	view_steps_free(s);
}

/* Rows that are left out are still callers of others, and count in what all is. */
static void test_steps_of_rows(void **state)
{
	const struct view_step part = { .kind = VIEW_STEP_ROWS_PART, .text = "mid" };
	const struct view_step any = { .kind = VIEW_STEP_ROWS_PART, .text = "" };
	const struct view_step none = { .kind = VIEW_STEP_ROWS_DSO, .text = "no such" };
	const struct table_op leaf = { .kind = TABLE_FOCUS, .name = "t_leaf" };
	struct view_step focus = { .op = { .kind = TABLE_FOCUS, .name = "t_mid" } };
	struct view_sandwich w;
	struct err e = { 0 };
	struct view_steps *s;
	size_t redo;

	(void)state;
	assert_int_equal(view_steps_new(&s, rich, &all, NULL, &e), 0);
	push(s, &part);
	assert_string_equal(crumbs(s), "rows with mid");
	assert_string_equal(rows(view_steps_view(s)), "mid 20/120");
	assert_int_equal(view_totals(view_steps_view(s), 0)->period, 210);
	assert_int_equal(view_totals(view_steps_view(s), 0)->filtered_period, 20);
	push(s, &any);
	assert_int_equal(view_nr_rows(view_steps_view(s), 0), 5);
	push(s, &none);
	assert_int_equal(view_nr_rows(view_steps_view(s), 0), 0);
	assert_int_equal(view_steps_undo(s, &e), 0);
	view_steps_forget(s);
	assert_int_equal(view_steps_nr(s, &redo), 2);
	assert_int_equal(redo, 0);
	assert_int_equal(view_steps_redo(s, &e), 1);
	/* A sandwich is made of what the steps have left. */
	push(s, &focus);
	assert_int_equal(view_steps_sandwich(s, &leaf, 0, &w, &e), 0);
	assert_int_equal(w.total.period, 50);
	view_sandwich_free(&w);
	view_steps_free(s);
}

/* Rows below rows of a table that does not count by a name, as there is only one: no level of it. */
static void test_levels(void **state)
{
	const struct session_opts one = { .comms = ":1" };
	struct session_filter *f = new_filter(&one);
	struct keys_opts o = all;
	struct err e = { 0 };
	struct view_steps *s;
	struct table *of;

	(void)state;
	o.sort = "comm,dso,sym";
	o.filter.session = f;
	of = rich_of(o);
	assert_int_equal(view_steps_new(&s, of, &o, NULL, &e), 0);
	push(s, &(struct view_step){ .kind = VIEW_STEP_HIERARCHY, .on = true });
	assert_int_equal(view_nr_levels(view_steps_view(s)), 2);
	view_steps_free(s);
	table_free(of);
	session_filter_free(f);
}

/* Latency in front is a column that was not counted where the keys named overhead alone. */
static void test_latency_step(void **state)
{
	struct keys_opts o = all;
	struct err e = { 0 };
	struct view_steps *s;
	struct table *of;

	(void)state;
	o.sort = "overhead,sym";
	o.switches = true;
	of = rich_of(o);
	assert_int_equal(view_steps_new(&s, of, &o, NULL, &e), 0);
	push(s, &(struct view_step){ .kind = VIEW_STEP_LATENCY, .on = true });
	assert_true(view_steps_opts(s)->latency);
	view_steps_free(s);
	table_free(of);
}

/* More steps than results are kept, back and forth. */
static void test_many_steps(void **state)
{
	static const char *const sorts[] = { "tid", "sym", "cpu", "dso", "comm", "sym,tid" };
	static const size_t nr[] = { 2, 5, 2, 2, 2, 8 };
	struct err e = { 0 };
	struct view_steps *s;

	(void)state;
	assert_int_equal(view_steps_new(&s, rich, &all, NULL, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++)
		push(s, &(struct view_step){ .kind = VIEW_STEP_SORT, .text = sorts[i] });
	for (size_t i = ARRAY_SIZE(sorts); i-- > 0;) {
		assert_int_equal(view_nr_rows(view_steps_view(s), 0), nr[i]);
		assert_int_equal(view_steps_undo(s, &e), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		assert_int_equal(view_steps_redo(s, &e), 0);
		assert_int_equal(view_nr_rows(view_steps_view(s), 0), nr[i]);
	}
	view_steps_free(s);
}

static void found(const char *what, enum table_match match, size_t nr_rows, uint64_t period)
{
	struct view_found f;
	struct err e = { 0 };

	assert_int_equal(view_search(v, 0, what, match, &f, &e), 0);
	assert_int_equal(f.nr_rows, nr_rows);
	assert_int_equal(f.samples.period, period);
	view_found_free(&f);
}

static void test_search(void **state)
{
	struct table *t = derive(&all, NULL, 0);
	struct view_pattern *p;
	struct view_found f;
	struct err e = { 0 };
	size_t nr = 0;

	(void)state;
	found("leaf", TABLE_PART, 1, 80);
	found("t_MID", TABLE_PART, 0, 0); /* an upper case letter: as it stands */
	found("t_mid", TABLE_PART, 1, 120);
	found("^t_(mid|leaf)$", TABLE_REGEX, 2, 150);
	found("0x0000700000000010", TABLE_PART, 1, 50);
	found("nothing", TABLE_PART, 0, 0);
	found("^0x700000000020$", TABLE_REGEX, 0, 50); /* a frame without a name */
	assert_int_equal(view_search(v, 0, "(", TABLE_REGEX, &f, &e), -EINVAL);
	assert_int_equal(view_search(v, 0, "t_", TABLE_PART, &f, &e), 0);
	assert_int_equal(f.rows[0], 7); /* the first three */
	assert_int_equal(f.samples.nr, 6);
	view_found_free(&f);
	/* Cell by cell it is the same: names alone, not as they are printed. */
	assert_int_equal(view_pattern_new(&p, "^t_leaf$", TABLE_REGEX, &e), 0);
	for (size_t i = 0; i < view_nr_rows(v, 0); i++)
		for (size_t c = 0; c < view_nr_cols(v); c++)
			nr += view_pattern_in_cell(p, v, view_row(v, 0, i), view_col(v, c));
	assert_int_equal(nr, 1);
	view_pattern_free(p);
	done(t);
}

static void test_folded(void **state)
{
	const struct table_op mid = { .kind = TABLE_FOCUS, .name = "t_mid", .cut = TABLE_BELOW };
	struct keys_opts o = all;
	struct err e = { 0 };
	struct obuf out;
	struct table *t;

	(void)state;
	t = derive(&all, NULL, 0);
	assert_int_equal(obuf_init(&out, -1, 0), 0);
	assert_int_equal(view_put_folded(v, 0, &out, &e), 0);
	assert_string_equal(done_text(&out), ":1;t_outer;t_leaf 30\n"
					     ":1;t_outer;t_mid;[liba.so];[liba.so] 50\n"
					     ":1;t_outer;t_mid;t_leaf 10\n"
					     ":2;t_outer 60\n"
					     ":2;t_outer;t_mid 20\n"
					     ":2;t_outer;t_mid;t_mid;t_leaf 40\n");
	done(t);
	o.sort = "dso";
	t = derive(&o, &mid, 1);
	assert_int_equal(obuf_init(&out, -1, 0), 0);
	assert_int_equal(view_put_folded(v, 0, &out, &e), 0);
	assert_string_equal(done_text(&out), ":1;t_mid;[liba.so];[liba.so] 50\n"
					     ":1;t_mid;t_leaf 10\n"
					     ":2;t_mid 20\n"
					     ":2;t_mid;t_mid;t_leaf 40\n");
	done(t);
}

static void test_row_ops(void **state)
{
	struct keys_opts o = { .sort = "tid,cpu,comm,dso,sym" };
	struct table *t = derive(&o, NULL, 0);
	struct table_op op;
	const struct keys_row *row = view_row(v, 0, 0); /* outer's own 60 */

	(void)state;
	assert_true(view_row_op(v, row, TABLE_THREAD, &op));
	assert_int_equal(op.num, 2);
	assert_true(view_row_op(v, row, TABLE_PROCESS, &op));
	assert_int_equal(op.num, 1);
	assert_true(view_row_op(v, row, TABLE_CPU, &op));
	assert_int_equal(op.num, 1);
	assert_true(view_row_op(v, row, TABLE_FOCUS, &op));
	assert_string_equal(op.name, "t_outer");
	assert_non_null(op.dso);
	assert_true(view_row_op(v, row, TABLE_DSO, &op));
	assert_true(view_row_op(v, row, TABLE_MODE, &op));
	assert_int_equal(op.num, PERF_RECORD_MISC_USER);
	assert_true(view_row_op(v, row, TABLE_COMM, &op));
	assert_false(view_row_op(v, row, TABLE_SOCKET, &op)); /* not a key here */
	assert_false(view_row_op(v, row, TABLE_TIME, &op));
	done(t);
}

static void test_diff(void **state)
{
	const struct table_op one = { .kind = TABLE_THREAD, .num = 1 };
	const struct table_op two = { .kind = TABLE_THREAD, .num = 2 };
	struct keys_opts o = { .sort = "sym", .relative = true };
	struct table *a = derive(&o, &one, 1), *b;
	struct view *before = v;
	const struct view_pair *p;
	struct view_diff *d;
	struct err e = { 0 };

	(void)state;
	b = derive(&o, &two, 1);
	assert_int_equal(view_diff_new(&d, before, 0, v, 0, &e), 0);
	/* lib 50 of 90 before; outer 60 of 120 after; mid 20; leaf 40 of both. */
	assert_int_equal(view_diff_nr(d), 4);
	p = view_diff_at(d, 0);
	assert_null(p->after);
	assert_int_equal(p->share[0] * 90, 5000);
	p = view_diff_at(d, 1);
	assert_null(p->before);
	assert_true(p->share[1] == 50);
	p = view_diff_of(d, view_row(v, 0, 1));
	assert_int_equal(p->before->period, 40);
	assert_int_equal(p->after->period, 40);
	view_diff_free(d);
	view_free(before);
	table_free(a);
	done(b);
}

/* Rows and chains of what has come so far, again and again; all of it is counted at the end. */
static void test_ahead(void **state)
{
	struct keys_opts o = all, by_time = { .sort = "time" };
	struct table *t, *whole;
	struct derive *d;
	struct err e = { 0 };
	char want[2][sizeof(text)];

	(void)state;
	o.rich = true;
	t = new_profile(&o);
	assert_int_equal(table_derive_ahead(&d, t, &by_time, &e), 0);
	assert_null(d);
	assert_int_equal(table_derive_ahead(&d, t, &all, &e), 0);
	for (int i = 0; i < 100; i++) {
		if (i & 1)
			add(t, 3, 60, (uint64_t[]){ MID, 0 });
		add_all(t);
		assert_int_equal(table_derive_more(d, &e), 0);
	}
	assert_int_equal(table_finish(t, &e), 0);
	assert_int_equal(table_derive(&whole, t, &(struct table_ask){ .opts = &all }, &e), 0);
	assert_int_equal(view_new(&v, whole, NULL, NULL, &e), 0);
	strcpy(want[0], rows(v));
	strcpy(want[1], tree(v, view_row(v, 0, 0)));
	done(whole);
	assert_int_equal(table_derive_end(&whole, d, &e), 0);
	assert_int_equal(table_totals(whole, 0)->nr_filtered_samples, 650);
	assert_int_equal(view_new(&v, whole, NULL, NULL, &e), 0);
	assert_string_equal(rows(v), want[0]);
	assert_string_equal(tree(v, view_row(v, 0, 0)), want[1]);
	done(whole);

	/* Before the end there is nothing to count. */
	assert_int_equal(table_derive_ahead(&d, t, &all, &e), 0);
	table_derive_drop(d);
	table_free(t);
	t = new_profile(&o);
	assert_int_equal(table_derive_ahead(&d, t, &all, &e), 0);
	add_all(t);
	assert_int_equal(table_derive_more(d, &e), 0);
	assert_int_equal(table_derive_end(&whole, d, &e), -EINVAL);
	assert_non_null(strstr(e.text, "not finished"));
	table_free(t);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, end)
	const struct CMUnitTest tests[] = {
		TEST(test_nothing),	  TEST(test_ahead),	 TEST(test_focus),
		TEST(test_hide),	  TEST(test_recursion),	 TEST(test_deep_recursion),
		TEST(test_samples),	  TEST(test_time),	 TEST(test_keys),
		TEST(test_refused),	  TEST(test_sandwich),	 TEST(test_steps),
		TEST(test_steps_of_rows), TEST(test_many_steps), TEST(test_search),
		TEST(test_folded),	  TEST(test_row_ops),	 TEST(test_diff),
		TEST(test_all_keys),	  TEST(test_levels),	 TEST(test_latency_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
