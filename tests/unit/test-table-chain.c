// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many chains against plain sums: samples wait in queues, share ways through the trie and are
 * found at its leafs; none of that may show. Maps change while samples wait. What several threads add up is what one
 * does, number by number.
 */
#include "table-build.h"

#define ADDRS	 40
#define TIDS	 3
#define DEPTH	 12
#define SAMPLES	 3000
#define LIB	 0x1000
#define LIB_SIZE 0x1000

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN },
};

/* What is expected, by process, object (0 = none) and address. */
struct tree_sums {
	uint64_t own, all;
};

static struct tree_sums want[TIDS][2][ADDRS];
static bool mapped[TIDS];
static uint32_t state_of_dice;

static uint32_t dice(uint32_t n)
{
	state_of_dice = state_of_dice * 1664525 + 1013904223;
	return (state_of_dice >> 8) % n;
}

static int setup(void **state)
{
	memset(want, 0, sizeof(want));
	memset(mapped, 0, sizeof(mapped));
	state_of_dice = 1;
	return setup_bare(state);
}

/* Half of the addresses lie in the library, where it is mapped. */
static uint64_t addr_of(uint32_t i)
{
	return i % 2 ? LIB + 16 * i : 0x100000 + 16 * i;
}

static bool in_lib(uint32_t tid, uint32_t i)
{
	return i % 2 && mapped[tid];
}

static void map_lib(uint32_t tid)
{
	/* object addresses are those in memory */
	map_file(tid + 1, LIB, LIB_SIZE, LIB, "/lib/one.so");
	mapped[tid] = true;
}

/* Chains begin alike, differ further in, and pass the same address more than once. */
static unsigned make_chain(uint32_t *chain)
{
	unsigned n = 1 + dice(DEPTH);

	for (unsigned i = 0; i < n; i++)
		chain[i] = i < 4 ? (dice(8) ? i : dice(ADDRS)) : dice(ADDRS);
	return n;
}

/* @chain: outermost first. */
static void count(uint32_t tid, const uint32_t *chain, unsigned n, uint64_t period)
{
	bool seen[ADDRS] = { false };

	for (unsigned i = 0; i < n; i++) {
		if (!seen[chain[i]])
			want[tid][in_lib(tid, chain[i])][chain[i]].all += period;
		seen[chain[i]] = true;
	}
	want[tid][in_lib(tid, chain[n - 1])][chain[n - 1]].own += period;
}

static void add_sample(struct table *t)
{
	uint64_t ips[1 + DEPTH] = { PERF_CONTEXT_USER };
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER };
	uint32_t chain[DEPTH], tid = dice(TIDS);
	unsigned n = make_chain(chain);

	for (unsigned i = 0; i < n; i++)
		ips[1 + i] = addr_of(chain[n - 1 - i]);
	s.period = 1 + dice(5);
	s.ip = ips[1];
	s.pid = s.tid = tid + 1;
	s.present = event.attr.sample_type;
	s.callchain = (struct u64s){ (unsigned char *)ips, 1 + n, false };
	assert_int_equal(table_add(t, &s, machine_thread(m, (int)tid + 1, (int)tid + 1), NULL), 0);
	count(tid, chain, n, s.period);
}

static struct table *run(const struct keys_opts *o)
{
	struct table *t = new_profile(o);

	for (unsigned i = 0; i < SAMPLES; i++) {
		if (i == SAMPLES / 3 || i == SAMPLES / 2)
			map_lib(i == SAMPLES / 2);
		add_sample(t);
	}
	finish(t);
	return t;
}

static const char *value(const struct keys_row *row, size_t col, char *buf)
{
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	view_value(v, row, view_col(v, col), &o);
	assert_true(o.len < 64);
	memcpy(buf, o.buf, o.len);
	buf[o.len] = 0;
	obuf_free(&o);
	return buf;
}

/* The sums of @row, by what its cells say; columns are shares, pid, dso and symbol. */
static struct tree_sums *sums_of(const struct keys_row *row, size_t first)
{
	char buf[64];
	uint32_t tid = (uint32_t)strtoul(value(row, first, buf), NULL, 10) - 1;
	bool lib = strcmp(value(row, first + 1, buf), "[unknown]");
	uint64_t addr = strtoull(strstr(value(row, first + 2, buf), "0x"), NULL, 16);

	assert_true(tid < TIDS);
	for (uint32_t i = 0; i < ADDRS; i++)
		if (addr_of(i) == addr)
			return &want[tid][lib][i];
	fail_msg("no such address: %s", buf);
	return NULL;
}

static void check(const struct keys_opts *o)
{
	struct table *p = run(o);
	size_t rows = 0;

	for (size_t i = 0; i < view_nr_rows(v, 0); i++) {
		const struct keys_row *row = view_row(v, 0, i);
		struct tree_sums *s = sums_of(row, o->children ? 2 : 1);

		assert_int_equal(row->period, s->own);
		if (o->children)
			assert_int_equal(row->acc, s->all);
	}
	for (unsigned t = 0; t < TIDS; t++)
		for (unsigned l = 0; l < 2; l++)
			for (unsigned i = 0; i < ADDRS; i++)
				rows += (o->children ? want[t][l][i].all : want[t][l][i].own) != 0;
	assert_int_equal(view_nr_rows(v, 0), rows);
	done(p);
}

static void callers(void **state)
{
	struct keys_opts o = { .sort = "pid,dso,sym",
			       .children = true,
			       .use_chains = true,
			       .chain = CHAIN_OPTS_DEFAULT };

	(void)state;
	check(&o);
}

static void own(void **state)
{
	struct keys_opts o = { .sort = "pid,dso,sym",
			       .use_chains = true,
			       .chain = CHAIN_OPTS_DEFAULT };

	(void)state;
	check(&o);
}

/* Sample by sample: modes are counted when one comes. */
static void one_by_one(void **state)
{
	struct keys_opts o = { .sort = "pid,dso,sym",
			       .children = true,
			       .use_chains = true,
			       .fields = "overhead_children,overhead,pid,dso,sym,overhead_sys",
			       .chain = CHAIN_OPTS_DEFAULT };

	(void)state;
	check(&o);
}

/* Whole chains of a row add up to it, whatever the order. */
static void whole_chains(void **state)
{
	struct keys_opts o = { .sort = "pid,dso,sym",
			       .use_chains = true,
			       .chain = { .style = CHAIN_FOLDED } };
	struct table *t = run(&o);

	(void)state;
	for (size_t i = 0; i < view_nr_rows(v, 0); i++) {
		const struct keys_row *row = view_row(v, 0, i);
		struct call_tree tree = { 0 };
		uint64_t sum = 0;

		assert_int_equal(view_tree(v, row, &tree), 0);
		for (uint32_t c = 0; c < tree.root.nr_children; c++)
			sum += tree.root.child[c].hit;
		view_tree_free(&tree);
		assert_int_equal(sum, row->period);
	}
	done(t);
}

/* ---- tables worth threads --------------------------------------------------------------------- */

#define MANY 90000u

/* Outer frames come again in both halves, and in other groups; of inner ones many are new, some came before. */
static void add_many(struct table *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		uint64_t ips[] = { PERF_CONTEXT_USER, 0x200000 + i % 61 * 4096 + i % 57000 * 16,
				   0x100000 + i % 7 * 16, 0x900000 + i * 7919ULL % 50021 * 16 };
		unsigned n = i % 5 ? 4 : 2;
		struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER };

		s.period = 1 + i % 3;
		s.ip = ips[1];
		s.pid = s.tid = 1 + i % 11 / 8;
		s.present = event.attr.sample_type;
		s.callchain = (struct u64s){ (unsigned char *)ips, n, false };
		assert_int_equal(table_add(t, &s, machine_thread(m, (int)s.pid, (int)s.tid), NULL),
				 0);
	}
}

static void expect_same(const struct table *a, const struct table *b)
{
	assert_int_equal(a->rows.n, b->rows.n);
	for (size_t i = 0; i < a->rows.n; i++) {
		const struct keys_row *x = &a->rows.v[i], *y = &b->rows.v[i];

		assert_int_equal(x->idx, i);
		assert_int_equal(y->idx, i);
		assert_int_equal(x->group, y->group);
		assert_int_equal(x->place, y->place);
		assert_int_equal(x->period, y->period);
		assert_int_equal(x->acc, y->acc);
		assert_int_equal(x->nr, y->nr);
		assert_int_equal(x->thread, y->thread);
		assert_int_equal(x->first_node, y->first_node);
		assert_memory_equal(x->depth, y->depth, sizeof(x->depth));
	}
	assert_int_equal(a->places.n, b->places.n);
	assert_int_equal(a->place_width.n, b->place_width.n);
	assert_memory_equal(a->place_width.v, b->place_width.v,
			    a->place_width.n * sizeof(*a->place_width.v));
	for (uint32_t i = 0; i < a->places.n; i++)
		assert_memory_equal(keys_tuple_get(&a->places, i), keys_tuple_get(&b->places, i),
				    a->places.width * sizeof(uint64_t));
	assert_int_equal(a->keys.frames.n, b->keys.frames.n);
	for (size_t i = 0; i < a->keys.frames.n; i++) {
		assert_int_equal(a->keys.frames.v[i].ip, b->keys.frames.v[i].ip);
		assert_int_equal(a->keys.frames.v[i].step, b->keys.frames.v[i].step);
	}
	assert_int_equal(a->ch.nodes.n, b->ch.nodes.n);
	assert_memory_equal(a->ch.nodes.v, b->ch.nodes.v, a->ch.nodes.n * sizeof(*a->ch.nodes.v));
}

/* One table by one thread, and two halves added up by several. */
static void threads(void **state)
{
	struct keys_opts o = {
		.sort = "pid,sym", .children = true, .use_chains = true, .chain = CHAIN_OPTS_DEFAULT
	};
	struct table *one = new_profile(&o), *both, *half;

	(void)state;
	add_many(one, 0, MANY);
	assert_int_equal(table_finish(one, NULL), 0);
	for (o.jobs = 2; o.jobs <= 32; o.jobs *= 4) {
		both = new_profile(&o);
		half = new_profile(&o);
		add_many(both, 0, MANY / 2);
		add_many(half, MANY / 2, MANY);
		assert_int_equal(table_merge(both, half, NULL, NULL), 0);
		table_free(half);
		assert_int_equal(table_finish(both, NULL), 0);
		expect_same(one, both);
		table_free(both);
	}
	table_free(one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(callers, setup, teardown),
		cmocka_unit_test_setup_teardown(own, setup, teardown),
		cmocka_unit_test_setup_teardown(one_by_one, setup, teardown),
		cmocka_unit_test_setup_teardown(whole_chains, setup, teardown),
		cmocka_unit_test_setup_teardown(threads, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
