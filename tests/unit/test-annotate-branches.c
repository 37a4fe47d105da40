// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch stacks on the instructions of a function of this program: stacks made by hand around its one
 * loop, so that what ran how often can be read off them.
 */
#include "annotate/annotate.h"
#include "config.h"
#include "table-build.h"

#define HAVE_INSNS (HAVE_LIBCAPSTONE || HAVE_ZYDIS)

static struct err e;
static volatile int sink;

__attribute__((noinline)) int counted(int n);
__attribute__((noinline)) int counted(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
	return sink;
}

__attribute__((noinline)) int other(int n);
__attribute__((noinline)) int other(int n)
{
	return counted(n) + sink;
}

static struct {
	uint64_t start, head, back, ret; /* addresses in memory */
	uint32_t head_insn, back_insn, ret_insn;
} at;

static struct annotate *new_annotate(void)
{
	struct annotate *a;

	assert_int_equal(annotate_new(&a, m, res, &e), 0);
	return a;
}

static struct listing *open_counted(const struct annotate *a)
{
	const struct annotate_function *f = annotate_function(a, 0);
	struct listing *l = NULL;

	assert_string_equal(f->sym->name, "counted");
	if (listing_open(&l, a, f->dso, f->sym, NULL, &e))
		fail_msg("%s", e.text);
	return l;
}

static const struct listing_line *insn(const struct listing *l, uint32_t i)
{
	return &l->line[l->insn_line[i]];
}

/* ---- stacks ---------------------------------------------------------------------------------- */

struct taken {
	uint64_t from, to;
	uint32_t cycles;
	bool mispred;
	uint8_t type, spec;
};

/* A sample whose stack holds these branches, here oldest first. */
static void add(struct annotate *a, uint64_t filter, const struct taken *steps, size_t n)
{
	static struct perfdata_event ev = { .name = "cycles" };
	uint64_t words[32 * 3];
	struct sample s = { .present = annotate_need(a),
			    .event = &ev,
			    .cpumode = PERF_RECORD_MISC_USER,
			    .ip = at.start,
			    .period = 1 };
	const struct session_sample in = { .s = &s, .thread = machine_thread(m, 1, 1) };

	ev.attr.branch_sample_type = filter;
	for (size_t i = 0; i < n; i++) {
		const struct taken *b = &steps[n - 1 - i];
		uint64_t *w = words + 3 * i;

		w[0] = b->from;
		w[1] = b->to;
		/* mispred, predicted, in_tx, abort, cycles, type, spec: uapi/perf_event.h */
		if (host_is_big_endian())
			w[2] = (uint64_t)b->mispred << 63 | (uint64_t)!b->mispred << 62 |
			       (uint64_t)b->cycles << 44 | (uint64_t)b->type << 40 |
			       (uint64_t)b->spec << 38;
		else
			w[2] = (uint64_t)b->mispred | (uint64_t)!b->mispred << 1 |
			       (uint64_t)b->cycles << 4 | (uint64_t)b->type << 20 |
			       (uint64_t)b->spec << 24;
	}
	s.branches = (struct sample_branches){ .entries = (unsigned char *)words, .nr = n };
	assert_int_equal(annotate_add(a, &in, &e), 0);
}

/* Once through the function: four times through the loop's body. */
static void add_walk(struct annotate *a, uint64_t filter, uint32_t cycles)
{
	const struct taken walk[] = {
		{ (uintptr_t)other, at.start, 5 * cycles, false, BR_CALL, 0 },
		{ at.back, at.head, 10 * cycles, true, BR_COND, 0 },
		{ at.back, at.head, 20 * cycles, false, BR_COND, 0 },
		{ at.back, at.head, 30 * cycles, false, BR_COND, 0 },
		{ at.ret, (uintptr_t)other, 40 * cycles, false, BR_RET, 0 },
	};

	add(a, filter, walk, ARRAY_SIZE(walk));
}

static int setup(void **state)
{
	const struct symbol_opts so = { .no_host_kernel = true };
	struct annotate *a;
	struct listing *l;

	(void)state;
	if (build_machine(&so))
		return -1;
	map_self((uintptr_t)counted);
	if (!HAVE_INSNS)
		return 0;
	at.start = (uintptr_t)counted;
	a = new_annotate();
	add(a, PERF_SAMPLE_BRANCH_ANY, NULL, 0);
	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_counted(a);
	assert_null(l->flow);
	assert_int_equal(l->nr_loops, 1);
	at.head_insn = l->line[l->loop[0].head].insn;
	at.back_insn = l->line[l->loop[0].end].insn;
	for (at.ret_insn = at.back_insn; at.ret_insn < l->nr_insns; at.ret_insn++)
		if (insn(l, at.ret_insn)->branch == INSN_RET)
			break;
	assert_int_not_equal(at.ret_insn, l->nr_insns);
	at.head = at.start + insn(l, at.head_insn)->addr - l->start;
	at.back = at.start + insn(l, at.back_insn)->addr - l->start;
	at.ret = at.start + insn(l, at.ret_insn)->addr - l->start;
	listing_close(l);
	annotate_free(a);
	return 0;
}

/* ---- what comes of them ------------------------------------------------------------------------ */

/* Of @n walks. */
static void check_walks(struct annotate *a, uint64_t n)
{
	const struct listing_flow *head, *back, *ret;
	uint64_t insns = at.back_insn + 1 + 2 * (at.back_insn - at.head_insn + 1) +
			 (at.ret_insn - at.head_insn + 1);
	struct listing *l;

	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_counted(a);
	assert_non_null(l->flow);
	head = &l->flow[at.head_insn];
	back = &l->flow[at.back_insn];
	ret = &l->flow[at.ret_insn];
	assert_int_equal(l->flow[0].executions, n);
	assert_int_equal(l->flow[0].entered, n);
	assert_int_equal(head->executions, 4 * n);
	assert_int_equal(head->entered, 3 * n);
	assert_int_equal(head->began, 3 * n);
	assert_int_equal(l->flow[0].began, n);
	assert_int_equal(back->executions, 4 * n);
	assert_int_equal(back->taken, 3 * n);
	assert_int_equal(back->left, 3 * n);
	assert_int_equal(back->mispred, n);
	assert_int_equal(back->flagged, 3 * n);
	assert_int_equal(back->cycles, 60 * n);
	assert_int_equal(back->nr_cycles, 3 * n);
	assert_int_equal(back->min, 10);
	assert_int_equal(back->max, 30);
	assert_int_equal(ret->executions, n);
	assert_int_equal(ret->taken, n);
	assert_int_equal(ret->cycles, 40 * n);
	assert_int_equal(head->ipc_cycles, 100 * n);
	assert_int_equal(head->ipc_insns, insns * n);
	assert_int_equal(l->flow_sum.insns, insns * n);
	assert_int_equal(l->flow_sum.cycles, 100 * n);
	assert_int_equal(l->flow_sum.most, 4 * n);
	assert_int_equal(l->flow_sum.executed, at.ret_insn + 1);
	assert_int_equal(l->flow_sum.measured, at.ret_insn + 1);
	assert_int_equal(l->flow_sum.misfits, 0);
	assert_int_equal(l->flow_sum.fit, l->flow_sum.checked);
	assert_int_equal(l->flow_sum.checked, 4 * n);

	assert_int_equal(back->nr_edges, 1);
	assert_int_equal(l->edge[back->edge].to, at.head_insn);
	assert_int_equal(l->edge[back->edge].nr, 3 * n);
	assert_int_equal(l->nr_leaving, 2);
	assert_int_equal(l->nr_edges, 3);
	assert_int_equal(l->edge[2].from, LISTING_NONE);
	assert_int_equal(l->edge[2].to, 0);
	assert_string_equal(l->edge[2].sym->name, "other");
	assert_int_equal(l->edge[ret->edge].to, LISTING_NONE);

	assert_int_equal(l->loop[0].iterations, 4 * n);
	assert_int_equal(l->loop[0].entries, n);
	listing_close(l);
}

static void test_walks(void **state)
{
	struct annotate *a;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	a = new_annotate();
	add_walk(a, PERF_SAMPLE_BRANCH_ANY, 1);
	add_walk(a, PERF_SAMPLE_BRANCH_ANY, 1);
	check_walks(a, 2);
	annotate_free(a);
}

static void test_merge(void **state)
{
	struct annotate *a, *b;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	a = new_annotate();
	b = new_annotate();
	add_walk(a, PERF_SAMPLE_BRANCH_ANY, 1);
	add_walk(b, PERF_SAMPLE_BRANCH_ANY, 1);
	add_walk(b, PERF_SAMPLE_BRANCH_ANY, 1);
	assert_int_equal(annotate_merge(a, b, NULL, &e), 0);
	annotate_free(b);
	check_walks(a, 3);
	annotate_free(a);
}

/* As software walks them: how often is known, how long is not. */
static void test_without_cycles(void **state)
{
	struct annotate *a;
	struct listing *l;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	a = new_annotate();
	add_walk(a, PERF_SAMPLE_BRANCH_ANY, 0);
	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_counted(a);
	assert_int_equal(l->flow[at.head_insn].executions, 4);
	assert_int_equal(l->flow[at.back_insn].nr_cycles, 0);
	assert_int_equal(l->flow[at.head_insn].ipc_cycles, 0);
	assert_int_equal(l->flow_sum.measured, 0);
	assert_int_equal(l->loop[0].entries, 1);
	listing_close(l);
	annotate_free(a);
}

/* Some branches make edges and no stretches; call stacks make nothing. */
static void test_filters(void **state)
{
	struct annotate *a;
	struct listing *l;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	a = new_annotate();
	add_walk(a, PERF_SAMPLE_BRANCH_COND, 1);
	add_walk(a, PERF_SAMPLE_BRANCH_CALL_STACK, 1);
	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_counted(a);
	assert_int_equal(l->flow[at.back_insn].left, 3);
	assert_int_equal(l->flow[at.back_insn].executions, 0);
	assert_int_equal(l->loop[0].iterations, 0);
	listing_close(l);
	annotate_free(a);
}

/* Branches that the CPU took back were none: the stretch goes on, with their cycles. */
static void test_wrong_path(void **state)
{
	const struct taken walk[] = {
		{ (uintptr_t)other, at.start, 5, false, BR_CALL, BR_SPEC_CORRECT_PATH },
		{ at.back, at.ret, 7, false, BR_COND, BR_SPEC_WRONG_PATH },
		{ at.ret, (uintptr_t)other, 11, false, BR_RET, BR_SPEC_CORRECT_PATH },
	};
	struct annotate *a;
	struct listing *l;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	a = new_annotate();
	add(a, PERF_SAMPLE_BRANCH_ANY, walk, ARRAY_SIZE(walk));
	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_counted(a);
	assert_int_equal(l->flow[at.back_insn].left, 0);
	assert_int_equal(l->flow[at.ret_insn].executions, 1);
	assert_int_equal(l->flow[at.ret_insn].cycles, 18);
	listing_close(l);
	annotate_free(a);
}

/* Addresses that nothing lies at, ends before starts, the middle of instructions. */
static void test_hostile(void **state)
{
	const struct taken walk[] = {
		{ 0, 0, 1, false, 0, 0 },
		{ UINT64_MAX, at.ret, 65535, true, 15, 3 },
		{ at.head, at.back, 9, false, BR_RET, 0 },
		{ at.head, at.ret, 9, false, BR_IRQ, 0 },
		{ at.back, at.back + 1, 9, false, BR_COND, 0 },
		{ at.ret, at.ret, 9, false, BR_COND, 0 },
		{ at.ret + 1, UINT64_MAX, 9, false, BR_CALL, 0 },
	};
	struct annotate *a;
	struct listing *l;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	a = new_annotate();
	for (int i = 0; i < 10; i++)
		add(a, PERF_SAMPLE_BRANCH_ANY, walk, ARRAY_SIZE(walk));
	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_counted(a);
	assert_int_equal(l->flow[at.back_insn].executions, 0);
	assert_true(l->flow_sum.misfits >= 10);
	assert_true(l->flow_sum.fit < l->flow_sum.checked);
	assert_non_null(l->notes[0]);
	for (size_t i = 0; l->notes[i]; i++)
		if (strstr(l->notes[i], "may not be the file that ran"))
			l->flow_sum.fit = UINT64_MAX;
	assert_true(l->flow_sum.fit == UINT64_MAX);
	listing_close(l);
	annotate_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_walks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_without_cycles, setup, teardown),
		cmocka_unit_test_setup_teardown(test_filters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_path, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
