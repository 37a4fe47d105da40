// SPDX-License-Identifier: GPL-2.0-or-later
/* The ladder: what is dropped, and in which order, until a made kernel opens an event. */
#include "events-kernel.h"

/* ---- the ladder ------------------------------------------------------------------------------- */

static const struct {
	const char *what, *event;
	struct kernel k;
	struct events_config c;
	uint64_t lost_flags, lost_read, lost_branch; /* what must be gone, and nothing else */
	uint64_t sample_xor;
} drops[] = {
	{ "new kernel", "cycles", { .precise = -1 }, {}, 0, 0, 0, 0 },
	{ "no build ids",
	  "cycles",
	  { .precise = -1, .no_flags = F(BUILD_ID) },
	  {},
	  F(BUILD_ID),
	  0,
	  0,
	  0 },
	{ "no counts of lost",
	  "cycles",
	  { .precise = -1, .no_read = PERF_FORMAT_LOST },
	  {},
	  0,
	  PERF_FORMAT_LOST,
	  0,
	  0 },
	{ "no bpf records",
	  "cycles",
	  { .precise = -1, .no_flags = F(BPF_EVENT) },
	  {},
	  F(BPF_EVENT),
	  0,
	  0,
	  0 },
	{ "no ksymbol, bpf, build id",
	  "cycles",
	  { .precise = -1, .no_flags = F(KSYMBOL) | F(BPF_EVENT) | F(BUILD_ID) },
	  {},
	  F(KSYMBOL) | F(BPF_EVENT) | F(BUILD_ID),
	  0,
	  0,
	  0 },
	{ "no mmap2",
	  "cycles",
	  { .precise = -1, .no_flags = F(MMAP2) },
	  {},
	  F(MMAP2) | F(BUILD_ID),
	  0,
	  0,
	  0 },
	{ "no sample_id_all",
	  "cycles",
	  { .precise = -1, .no_flags = F(SAMPLE_ID_ALL) },
	  {},
	  F(SAMPLE_ID_ALL),
	  0,
	  0,
	  0 },
	{ "no guest",
	  "cycles:H",
	  { .precise = -1, .no_flags = F(EXCLUDE_GUEST) },
	  {},
	  F(EXCLUDE_GUEST),
	  0,
	  0,
	  0 },
	{ "no clock",
	  "cycles",
	  { .precise = -1, .no_flags = F(USE_CLOCKID) },
	  { .use_clockid = true, .clockid = 1 },
	  F(USE_CLOCKID),
	  0,
	  0,
	  0 },
	{ "no weight in parts",
	  "cycles",
	  { .precise = -1, .no_sample = PERF_SAMPLE_WEIGHT_STRUCT },
	  { .sample = PERF_SAMPLE_WEIGHT_STRUCT },
	  0,
	  0,
	  0,
	  PERF_SAMPLE_WEIGHT_TYPE },
	{ "no hw_index",
	  "cycles",
	  { .precise = -1, .no_branch = PERF_SAMPLE_BRANCH_HW_INDEX },
	  { .callchain = { .mode = CALLCHAIN_LBR } },
	  0,
	  0,
	  PERF_SAMPLE_BRANCH_HW_INDEX,
	  0 },
	{ "no lbr flags",
	  "cycles",
	  { .precise = -1, .no_branch = PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_HW_INDEX },
	  { .callchain = { .mode = CALLCHAIN_LBR } },
	  0,
	  0,
	  PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_HW_INDEX,
	  0 },
	{ "no branch counters",
	  "cycles",
	  { .precise = -1, .no_branch = PERF_SAMPLE_BRANCH_COUNTERS },
	  { .branch_filter = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_COUNTERS },
	  0,
	  0,
	  PERF_SAMPLE_BRANCH_COUNTERS,
	  0 },
	{ "no close-on-exec", "cycles", { .precise = -1, .no_cloexec = true }, {}, 0, 0, 0, 0 },
	{ "a kernel of old",
	  "cycles",
	  { .precise = -1,
	    .no_flags = F(MMAP2) | F(KSYMBOL) | F(BPF_EVENT) | F(BUILD_ID),
	    .no_read = PERF_FORMAT_LOST,
	    .no_cloexec = true },
	  {},
	  F(MMAP2) | F(KSYMBOL) | F(BPF_EVENT) | F(BUILD_ID),
	  PERF_FORMAT_LOST,
	  0,
	  0 },
};

static void ladder(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(drops); i++) {
		struct kernel k = drops[i].k;
		struct event_opener o = { .open = fake_open, .ctx = &k };
		struct perf_event_attr was;
		struct event_list l;
		int fd;

		make(&l, drops[i].event, drops[i].c);
		was = l.v[0].attr;
		fd = event_open(&o, &l.v[0], 0, -1, -1);
		if (fd < 0)
			fail_msg("%s: %d", drops[i].what, fd);
		close(fd);
		if ((was.flags ^ l.v[0].attr.flags) != drops[i].lost_flags)
			fail_msg("%s: lost flags %#lx", drops[i].what,
				 was.flags ^ l.v[0].attr.flags);
		assert_int_equal(was.read_format ^ l.v[0].attr.read_format, drops[i].lost_read);
		assert_int_equal(was.branch_sample_type ^ l.v[0].attr.branch_sample_type,
				 drops[i].lost_branch);
		assert_int_equal(was.sample_type ^ l.v[0].attr.sample_type, drops[i].sample_xor);
		assert_int_equal(o.no_cloexec, k.no_cloexec);
		/* The second event knows: one call. */
		k.opens = 0;
		l.v[0].attr = was;
		fd = event_open(&o, &l.v[0], 0, -1, -1);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(k.opens, 1);
		events_free(&l);
	}
}

static void group_read_with_inherit(void **state)
{
	struct kernel k = { .precise = -1, .no_read = PERF_FORMAT_GROUP };
	struct event_opener o = { .open = fake_open, .ctx = &k };
	struct event_list l;
	int fd;

	(void)state;
	make(&l, "{cycles,cs}:S", (struct events_config){ .inherit = true });
	l.v[0].attr.flags |= F(INHERIT);
	fd = event_open(&o, &l.v[0], 0, -1, -1);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(l.v[0].attr.read_format & PERF_FORMAT_GROUP, 0);
	events_free(&l);
}

static void precise_steps_down(void **state)
{
	(void)state;
	for (int level = 0; level <= 3; level++) {
		struct kernel k = { .precise = level, .no_flags = level == 1 ? F(BUILD_ID) : 0 };
		struct event_opener o = { .open = fake_open, .ctx = &k };
		struct event_list l;
		int fd;

		make(&l, "cycles:P", (struct events_config){ 0 });
		fd = event_open(&o, &l.v[0], 0, -1, -1);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal((l.v[0].attr.flags & F(PRECISE_MASK)) >> F(PRECISE_SHIFT), level);
		events_free(&l);
	}
}

static void what_was_asked_for_is_not_dropped(void **state)
{
	struct kernel k = { .precise = 1 };
	struct event_opener o = { .open = fake_open, .ctx = &k };
	struct event_list l;
	struct perf_event_attr was;

	(void)state;
	make(&l, "cycles:pp", (struct events_config){ 0 });
	was = l.v[0].attr;
	assert_int_equal(event_open(&o, &l.v[0], 0, -1, -1), -EINVAL);
	assert_memory_equal(&was, &l.v[0].attr, sizeof(was));
	events_free(&l);
	k = (struct kernel){ .precise = -1, .no_sample = PERF_SAMPLE_CODE_PAGE_SIZE };
	make(&l, "cycles", (struct events_config){ .sample = PERF_SAMPLE_CODE_PAGE_SIZE });
	assert_int_equal(event_open(&o, &l.v[0], 0, -1, -1), -EINVAL);
	events_free(&l);
}

static void this_machine(void **state)
{
	struct open_context ctx;
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
				     .size = sizeof(a),
				     .config = PERF_COUNT_SW_DUMMY,
				     .flags = F(EXCLUDE_KERNEL) | F(EXCLUDE_HV) };
	int fd;

	(void)state;
	events_open_context(&ctx, none);
	assert_true(ctx.release[0]);
	assert_true(ctx.nofile > 0);
	assert_false(ctx.has_core_pmu);
	fd = event_open_sys(NULL, &a, 0, -1, -1, 0);
	if (fd >= 0)
		close(fd);
	a.size = 8; /* too small for any kernel: it answers with the size that it knows */
	fd = event_open_sys(NULL, &a, 0, -1, -1, 0);
	assert_true(fd < 0);
	if (fd == -E2BIG)
		assert_true(a.size >= PERF_ATTR_SIZE_VER0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ladder),
		cmocka_unit_test(group_read_with_inherit),
		cmocka_unit_test(precise_steps_down),
		cmocka_unit_test(what_was_asked_for_is_not_dropped),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
