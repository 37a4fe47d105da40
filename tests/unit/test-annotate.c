// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts by address and listings of functions of this very program, whose code is known from its
 * memory: what a listing says lies at an address is what lies there.
 */
#include "annotate/annotate.h"
#include "config.h"
#include "table-build.h"

#define HAVE_INSNS (HAVE_LIBCAPSTONE || HAVE_ZYDIS)

static struct err e;
static volatile int sink;

/* A loop, a call, data. */
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
	return counted(n) + counted(sink);
}

static int setup(void **state)
{
	(void)state;
	if (build_machine(NULL))
		return -1;
	map_self((uintptr_t)counted);
	return 0;
}

static void add(struct annotate *a, uint32_t event, uintptr_t ip, uint64_t period, uint16_t misc)
{
	static struct perfdata_event ev[2] = { { .idx = 0, .name = "a" },
					       { .idx = 1, .name = "b" } };
	struct sample s = { .present = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD,
			    .event = &ev[event],
			    .cpumode = PERF_RECORD_MISC_USER,
			    .misc = misc,
			    .ip = ip,
			    .period = period };

	assert_int_equal(annotate_add(a, &s, machine_thread(m, 1, 1), &e), 0);
}

static struct annotate *new_annotate(void)
{
	struct annotate *a;

	assert_int_equal(annotate_new(&a, m, res, &e), 0);
	return a;
}

static void check_two(struct annotate *a)
{
	const struct annotate_function *f;

	assert_int_equal(annotate_finish(a, &e), 0);
	assert_int_equal(annotate_nr_events(a), 2);
	assert_int_equal(annotate_nr_functions(a), 2);
	assert_int_equal(annotate_total(a, 0)->count.hits, 4);
	assert_int_equal(annotate_total(a, 0)->count.period, 131);
	assert_int_equal(annotate_total(a, 0)->exact, 1);
	assert_int_equal(annotate_total(a, 0)->unnamed, 1);
	assert_int_equal(annotate_total(a, 7)->count.hits, 0);
	f = annotate_function(a, 0);
	assert_string_equal(f->sym->name, "counted");
	assert_int_equal(f->total[0].count.period, 30);
	assert_int_equal(f->total[0].count.hits, 2);
	assert_int_equal(f->total[1].count.period, 5);
	assert_ptr_equal(annotate_find(a, f->sym), f);
	assert_string_equal(annotate_function(a, 1)->sym->name, "other");
	/* By the second event alone the order stays; without it, too. */
	assert_int_equal(annotate_sort(a, 1, 1, &e), 0);
	assert_string_equal(annotate_function(a, 0)->sym->name, "counted");
}

static void test_counts(void **state)
{
	struct annotate *a = new_annotate();

	(void)state;
	add(a, 0, (uintptr_t)other, 1, PERF_RECORD_MISC_EXACT_IP);
	add(a, 0, (uintptr_t)counted, 10, 0);
	add(a, 0, (uintptr_t)counted, 20, 0);
	add(a, 1, (uintptr_t)counted, 5, 0);
	add(a, 0, 0x1000, 100, 0);
	check_two(a);
	annotate_free(a);
}

/* Two halves add up, whichever has what. */
static void test_merge(void **state)
{
	struct annotate *a = new_annotate(), *b = new_annotate();

	(void)state;
	add(a, 0, (uintptr_t)counted, 10, 0);
	add(a, 0, 0x1000, 100, 0);
	add(b, 0, (uintptr_t)other, 1, PERF_RECORD_MISC_EXACT_IP);
	add(b, 0, (uintptr_t)counted, 20, 0);
	add(b, 1, (uintptr_t)counted, 5, 0);
	assert_int_equal(annotate_merge(a, b, NULL, &e), 0);
	annotate_free(b);
	check_two(a);
	annotate_free(a);
}

static struct listing *open_listing(const struct annotate *a, const char *name,
				    const struct listing_opts *o)
{
	struct listing *l = NULL;

	for (size_t i = 0; i < annotate_nr_functions(a); i++) {
		const struct annotate_function *f = annotate_function(a, i);

		if (!strcmp(f->sym->name, name) && listing_open(&l, a, f->dso, f->sym, o, &e))
			fail_msg("%s", e.text);
	}
	assert_non_null(l);
	return l;
}

static void test_listing(void **state)
{
	struct annotate *a = new_annotate();
	struct listing *l;
	uint64_t at, hits = 0;
	bool found = false;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	add(a, 0, (uintptr_t)counted, 10, 0);
	add(a, 0, (uintptr_t)other, 1, 0);
	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_listing(a, "counted", NULL);
	at = l->start;
	for (uint32_t i = 0; i < l->nr_insns; i++) {
		const struct listing_line *line = &l->line[l->insn_line[i]];

		assert_int_equal(line->insn, i);
		assert_int_equal(line->addr, at);
		assert_int_equal(listing_insn_at(l, at + line->len - 1), i);
		assert_memory_equal(line->bytes, (char *)(uintptr_t)counted + (at - l->start),
				    line->len);
		assert_false(line->bad);
		hits += listing_count(l, line, 0).hits;
		at += line->len;
	}
	assert_int_equal(at, l->end);
	assert_int_equal(listing_insn_at(l, l->end), LISTING_NONE);
	assert_int_equal(hits, 1);
	assert_int_equal(listing_hottest(l), l->insn_line[0]);
	assert_true(listing_percent(l, &l->line[l->insn_line[0]], 0, LISTING_LOCAL_PERIOD) == 100);
	assert_true(listing_percent(l, &l->line[l->insn_line[0]], 0, LISTING_GLOBAL_HITS) == 50);
	assert_int_equal(l->nr_loops, 1);
	assert_int_equal(l->loop[0].depth, 1);
	assert_int_equal(l->line[l->loop[0].end].target, l->loop[0].head);
	listing_close(l);

	l = open_listing(a, "other", NULL);
	for (uint32_t i = 0; i < l->nr_lines; i++)
		if (l->line[i].branch == INSN_CALL && l->line[i].name &&
		    !strcmp(l->line[i].name, "counted") && !l->line[i].name_off)
			found = true;
	assert_true(found);
	listing_close(l);
	annotate_free(a);
}

/* The same instructions in the other order of operands. */
static void test_syntax(void **state)
{
	struct annotate *a = new_annotate();
	struct listing *att, *intel;
	const struct listing_opts o = { .syntax = INSN_INTEL };
	bool registers = false;

	(void)state;
	if (!HAVE_INSNS || regs_arch_host() != REGS_ARCH_X86)
		skip();
	add(a, 0, (uintptr_t)counted, 10, 0);
	assert_int_equal(annotate_finish(a, &e), 0);
	att = open_listing(a, "counted", NULL);
	intel = open_listing(a, "counted", &o);
	assert_int_equal(att->nr_insns, intel->nr_insns);
	for (uint32_t i = 0; i < att->nr_insns; i++) {
		registers |= strchr(att->line[att->insn_line[i]].text, '%') != NULL;
		assert_null(strchr(intel->line[intel->insn_line[i]].text, '%'));
	}
	assert_true(registers);
	listing_close(att);
	listing_close(intel);
	annotate_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_listing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_syntax, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
