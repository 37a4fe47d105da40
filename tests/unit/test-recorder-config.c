// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a recorder makes of its options before anything runs: attrs, and who samples, the kernel or we by ptrace. Kernels that
 * refuse this or that are made (events-kernel.h).
 */
#include "recorder-bench.h"
#include "unwind/unwind.h"

/* ---- options into attrs ------------------------------------------------------------------------- */

static void test_command_starts_its_events(void **state)
{
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	begin_command(&b, "cpu-clock", command);
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.n, 1);
	assert_true(b.events.v[0].attr.flags & ATTR_FLAG_DISABLED);
	assert_true(b.events.v[0].attr.flags & ATTR_FLAG_ENABLE_ON_EXEC);
	assert_true(b.events.v[0].attr.flags & ATTR_FLAG_INHERIT);
	end(&b);
}

/* What starts later, or sees only some CPUs, has a dummy beside it that sees all maps. */
static void test_dummy_for_maps(void **state)
{
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	begin_command(&b, "cpu-clock", command);
	b.opts.delay = 10;
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.n, 2);
	assert_true(event_is_dummy(&b.events.v[1]));
	assert_false(b.events.v[0].attr.flags & ATTR_FLAG_ENABLE_ON_EXEC);
	assert_true(b.events.v[1].attr.flags & ATTR_FLAG_ENABLE_ON_EXEC);
	end(&b);

	/* who can be paused */
	begin_command(&b, "cpu-clock", command);
	b.opts.control = "fd:0";
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.n, 2);
	assert_true(event_is_dummy(&b.events.v[1]) && b.events.v[1].tracking);
	assert_true(b.events.v[1].attr.flags & ATTR_FLAG_ENABLE_ON_EXEC);
	end(&b);

	begin(&b, "cpu-clock");
	b.target.system_wide = true;
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.n, 2);
	assert_true(event_is_dummy(&b.events.v[1]));
	assert_false(b.events.v[1].all_cpus);
	end(&b);

	/* threads on some CPUs: they map and fork on all */
	begin(&b, "cpu-clock");
	b.target.cpus_given = true;
	assert_int_equal(vec_push(&b.target.tids, getpid()), 0);
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.n, 2);
	assert_true(event_is_dummy(&b.events.v[1]));
	assert_true(b.events.v[1].all_cpus);
	assert_true(b.events.v[1].tracking);
	end(&b);
}

/* Two kinds of cores. CPU 0 is of both, so that either has CPUs on every machine. */
static void begin_hybrid(struct bench *b, struct pmus **hybrid, const char *events,
			 const char *core, const char *atom)
{
	static const char devices[] = "sys/bus/event_source/devices";

	unit_put(devices, "cpu_core/type", "4\n", 0644);
	unit_put(devices, "cpu_core/cpus", core, 0644);
	unit_put(devices, "cpu_atom/type", "10\n", 0644);
	unit_put(devices, "cpu_atom/cpus", atom, 0644);
	assert_int_equal(pmus_new(hybrid, "sys", NULL), 0);
	begin(b, NULL);
	b->opts.pmus = *hybrid;
	if (events)
		assert_int_equal(events_parse(&b->events, *hybrid, events, NULL), 0);
}

/* What is mapped on one kind of core is told to none of the other's events. */
static void test_kinds_of_cores(void **state)
{
	static const char *const events[] = { NULL, "cycles", "cpu_core/cycles/" };
	char *command[] = { (char *)"true", NULL };
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct pmus *hybrid;
		struct event *last;
		struct bench b;

		begin_hybrid(&b, &hybrid, events[i], "0-3\n", "0,4-7\n");
		b.opts.command = command;
		b.target.workload = true;
		assert_int_equal(configure(&b, &e), 0);
		assert_int_equal(b.events.n, i < 2 ? 3 : 2);
		last = &b.events.v[b.events.n - 1];
		assert_true(event_is_dummy(last) && last->tracking);
		assert_true(last->attr.flags & ATTR_FLAG_ENABLE_ON_EXEC);
		assert_false(b.events.v[0].attr.flags & ATTR_FLAG_MMAP);
		end(&b);
		pmus_free(hybrid);
	}
}

/* -C, and cores that are offline: what has no CPU there is not opened. */
static void test_kinds_without_cpus(void **state)
{
	static const struct {
		const char *events, *atom, *first;
		size_t n;
	} cases[] = {
		{ NULL, "4-7\n", "cpu_core/cycles/P", 2 },
		{ NULL, "\n", "cpu_core/cycles/P", 2 },
		{ "cycles", "4-7\n", "cpu_core/cycles/", 2 },
		{ "cs,{cycles,instructions}", "4-7\n", "cs", 4 },
		{ "cpu_atom/cycles/", "4-7\n", "cpu_atom/cycles/", 2 },
		{ "cpu_atom/cycles/,cycles", "\n", "cpu_atom/cycles/", 3 },
	};
	struct kernel k = { .precise = -1 };
	struct event_opener opener = { .open = fake_open, .ctx = &k };
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pmus *hybrid;
		struct bench b;

		begin_hybrid(&b, &hybrid, cases[i].events, "0-3\n", cases[i].atom);
		b.opts.opener = &opener;
		b.target.system_wide = true;
		assert_int_equal(capture_target_cpus(&b.target, "0", &e), 0);
		assert_int_equal(configure(&b, &e), 0);
		assert_int_equal(b.events.n, cases[i].n);
		assert_string_equal(b.events.v[0].name, cases[i].first);
		if (i == 3) {
			assert_string_equal(b.events.v[2].name, "cpu_core/instructions/");
			assert_int_equal(b.events.v[1].nr_members, 2);
			assert_int_equal(b.events.v[2].leader, 1);
		}
		if (i >= 4) {
			k.opens = 0;
			assert_int_equal(recorder_prepare(b.rec, &e), 0);
			recorder_run(b.rec, &b.result);
			assert_int_equal(k.opens, 0);
			assert_non_null(strstr(b.failure.text, "none of the CPUs asked for"));
		}
		end(&b);
		pmus_free(hybrid);
	}
}

static void test_group(void **state)
{
	struct err e;
	struct bench b;

	(void)state;
	begin(&b, "cpu-clock,task-clock,page-faults");
	b.target.workload = true;
	b.opts.group = true;
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.v[0].nr_members, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(b.events.v[i].leader, 0);
	end(&b);
}

static void test_frequency_limit(void **state)
{
	uint64_t max = events_max_freq();
	struct err e;
	struct bench b;

	(void)state;
	if (!max)
		skip_because("the kernel has no limit of frequencies");
	begin(&b, "cpu-clock");
	b.target.workload = true;
	b.opts.freq = max + 1;
	assert_int_equal(configure(&b, &e), 0);
	assert_non_null(strstr(b.told, "Maximum frequency rate"));
	assert_int_equal(b.events.v[0].attr.sample_freq, max);
	end(&b);

	begin(&b, "cpu-clock");
	b.opts.freq = max + 1;
	b.opts.strict_freq = true;
	assert_int_equal(configure(&b, &e), -ERANGE);
	assert_null(b.rec);
	assert_non_null(strstr(e.hint, "kernel.perf_event_max_sample_rate"));
	end(&b);
}

static void test_aux_is_refused(void **state)
{
	static const struct pmu pt = { .name = "intel_pt_2" };
	struct err e;
	struct bench b;

	(void)state;
	begin(&b, "cpu-clock");
	b.events.v[0].pmu = (struct pmu *)&pt;
	assert_int_equal(configure(&b, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.text, "intel_pt_2 traces into an AUX area"));
	b.events.v[0].pmu = NULL;
	end(&b);
}

/* ---- who samples -------------------------------------------------------------------------------- */

#ifdef __x86_64__
/* A kernel that has no branch records: auto goes to the tracer, and says why. */
static void test_branches_fall_to_the_tracer(void **state)
{
	struct kernel k = { .precise = -1, .no_sample = PERF_SAMPLE_BRANCH_STACK };
	struct event_opener opener = { .open = fake_open, .ctx = &k };
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	begin_branches(&b, &opener, command);
	assert_int_equal(configure(&b, &e), 0);
	assert_true(b.rec->soft.branches);
	assert_non_null(strstr(b.rec->soft.why_branches, "a clock has no branch records"));
	assert_true(event_is_dummy(&b.events.v[b.events.n - 1]));
	end(&b);

	/* a kernel that has them keeps them; so does who asked for the hardware */
	k.no_sample = 0;
	begin_branches(&b, &opener, command);
	assert_int_equal(configure(&b, &e), 0);
	assert_false(b.rec->soft.branches);
	end(&b);
	k.no_sample = PERF_SAMPLE_BRANCH_STACK;
	begin_branches(&b, &opener, command);
	b.opts.branch_source = RECORDER_KERNEL;
	assert_int_equal(configure(&b, &e), 0);
	assert_false(b.rec->soft.branches);
	end(&b);
}

/* What threads that are stopped cannot give is refused, each with its own reason. */
static void test_tracer_refuses(void **state)
{
	static const struct {
		uint64_t filter;
		bool wide, several, newest;
		const char *why;
	} cases[] = {
		{ .filter = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL,
		  .why = "leave k and hv out" },
		{ .filter = PERF_SAMPLE_BRANCH_IN_TX, .why = "know the filters any" },
		{ .filter = PERF_SAMPLE_BRANCH_ANY, .wide = true, .why = "not with -a or -C" },
		{ .filter = PERF_SAMPLE_BRANCH_ANY, .several = true, .why = "--switch-output" },
		{ .filter = PERF_SAMPLE_BRANCH_ANY, .newest = true, .why = "--overwrite" },
	};
	struct err e;
	struct bench b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(&b, "cpu-clock");
		b.opts.branch_filter = cases[i].filter;
		b.opts.branch_source = RECORDER_PTRACE;
		b.opts.sw.on = cases[i].several;
		b.opts.overwrite = cases[i].newest;
		b.target.system_wide = cases[i].wide;
		b.target.workload = !cases[i].wide;
		assert_int_equal(configure(&b, &e), -EINVAL);
		if (!strstr(e.text, cases[i].why))
			fail_msg("case %zu: %s", i, e.text);
		end(&b);
	}
}

/* Who unwinds: the kernel's copies as long as nobody stops the thread for something else. */
static void test_chains(void **state)
{
	static const struct {
		enum callchain_mode mode;
		uint64_t filter;
		bool named, no_fallback, kernel_only, chains, ahead;
	} cases[] = {
		{ .mode = CALLCHAIN_UNWIND, .chains = true },
		{ .mode = CALLCHAIN_DWARF },
		{ .mode = CALLCHAIN_FP },
		{ .mode = CALLCHAIN_LBR, .chains = true, .ahead = true },
		{ .mode = CALLCHAIN_LBR, .no_fallback = true },
		{ .filter = PERF_SAMPLE_BRANCH_ANY },
		{ .mode = CALLCHAIN_DWARF, .filter = 1 << 3, .chains = true, .ahead = true },
		{ .mode = CALLCHAIN_FP, .filter = 1 << 3, .chains = true, .ahead = true },
		{ .mode = CALLCHAIN_FP, .filter = 1 << 3, .named = true },
		{ .mode = CALLCHAIN_DWARF, .filter = 1 << 3, .kernel_only = true },
	};
	struct kernel k = { .precise = -1, .no_sample = PERF_SAMPLE_BRANCH_STACK };
	struct event_opener opener = { .open = fake_open, .ctx = &k };
	char *command[] = { (char *)"true", NULL };
	struct err e;

	(void)state;
	if (!unwind_live_works())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench b;

		begin_command(&b, "cpu-clock", command);
		b.opts.opener = &opener;
		b.opts.callchain.mode = cases[i].mode;
		b.opts.callchain.named = cases[i].named;
		b.opts.branch_filter = cases[i].filter;
		b.opts.no_fallback = cases[i].no_fallback;
		b.opts.kernel_callchains = cases[i].kernel_only;
		if (configure(&b, &e))
			fail_msg("case %zu: %s", i, e.text);
		if (b.rec->soft.chains != cases[i].chains || b.rec->soft.ahead != cases[i].ahead)
			fail_msg("case %zu: %d %d", i, b.rec->soft.chains, b.rec->soft.ahead);
		if (cases[i].chains)
			assert_int_equal(b.events.v[0].attr.sample_type & PERF_SAMPLE_STACK_USER,
					 0);
		end(&b);
	}
}

/* The kernel's refusal of registers is the answer where only the kernel was asked. */
static void test_refused_registers(void **state)
{
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	for (int source = RECORDER_AUTO; source <= RECORDER_KERNEL; source++) {
		begin_command(&b, "cpu-clock", command);
		if (recorder_regs_parse(&b.opts.regs, pmus, RECORDER_USER, "ax", &e))
			fail_msg("%s", e.text);
		err_set(&b.opts.regs.refused, -ENOTSUP, "no registers here");
		b.opts.reg_source = (enum recorder_source)source;
		if (source == RECORDER_KERNEL) {
			assert_int_equal(configure(&b, &e), -ENOTSUP);
			assert_string_equal(e.text, "no registers here");
		} else {
			assert_int_equal(configure(&b, &e), 0);
			assert_true(b.rec->soft.regs);
			assert_string_equal(b.rec->soft.why_regs, "no registers here");
		}
		end(&b);
	}
}
/* By ptrace each event is sampled by itself, and RAW has its place for the bases of FS and GS. */
static void test_events_of_the_tracer(void **state)
{
	static const struct {
		const char *events, *why;
		bool raw;
		uint64_t depth;
	} cases[] = {
		{ .events = "{cpu-clock,task-clock}", .why = "a group cannot be sampled with" },
		{ .events = "cpu-clock", .raw = true, .why = "its samples carry raw data" },
		{ .events = "cpu-clock", .depth = 65, .why = "--branch-depth is 1 to 64" },
		{ .events = "cpu-clock,task-clock,page-faults,faults,cs,migrations,minor-faults,"
			    "major-faults,emulation-faults",
		  .why = "at most 8 events" },
	};
	struct kernel k = { .precise = -1 };
	struct event_opener opener = { .open = fake_open, .ctx = &k };
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin_command(&b, cases[i].events, command);
		b.opts.opener = &opener;
		b.opts.raw = cases[i].raw;
		b.opts.reg_source = b.opts.branch_source = RECORDER_PTRACE;
		if (recorder_regs_parse(&b.opts.regs, pmus, RECORDER_USER, "fsbase", &e))
			fail_msg("%s", e.text);
		if (cases[i].depth) {
			b.opts.branch_filter = PERF_SAMPLE_BRANCH_ANY;
			b.opts.branch_depth = cases[i].depth;
		}
		if (configure(&b, &e))
			fail_msg("case %zu: %s", i, e.text);
		assert_int_equal(recorder_prepare(b.rec, &e), -EINVAL);
		if (!strstr(e.text, cases[i].why))
			fail_msg("case %zu: %s", i, e.text);
		end(&b);
	}
}

/* Who may watch user space only is not asked for more. */
static void test_user_space_only(void **state)
{
	struct kernel k = { .precise = -1, .kernel_mode = -EACCES };
	struct event_opener opener = { .open = fake_open, .ctx = &k };
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	begin_command(&b, "cpu-clock", command);
	b.opts.opener = &opener;
	b.opts.reg_source = RECORDER_PTRACE;
	if (recorder_regs_parse(&b.opts.regs, pmus, RECORDER_USER, "ax", &e) || configure(&b, &e) ||
	    recorder_prepare(b.rec, &e))
		fail_msg("%s", e.text);
	assert_non_null(strstr(b.told, "cpu-clock: user space only"));
	assert_true(b.events.v[0].attr.flags & ATTR_FLAG_EXCLUDE_KERNEL);
	assert_false(recorder_steps(b.rec));
	assert_int_equal(b.rec->soft.nr, 1); /* the dummy behind it is capture's */
	assert_ptr_equal(recorder_kernel_events(b.rec), &b.rec->soft.tracking_list);
	end(&b);
}
#endif

static void test_registers(void **state)
{
	struct recorder_regs r = { 0 };
	struct err e = { 0 };
	struct obuf o;

	(void)state;
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	recorder_regs_list(&r, pmus, RECORDER_INTR, true, &o);
	obuf_char(&o, 0);
	assert_int_equal(strncmp(o.buf, "available registers: ", 21), 0);
	obuf_free(&o);
	assert_false(r.of[RECORDER_INTR].wanted);
	assert_true(r.of[RECORDER_INTR].probed);
	assert_int_equal(recorder_regs_parse(&r, pmus, RECORDER_USER, "no_such", &e), -EINVAL);
	assert_false(r.of[RECORDER_USER].wanted);
	err_clear(&e);
	if (!recorder_regs_parse(&r, pmus, RECORDER_USER, NULL, &e)) {
		assert_true(r.of[RECORDER_USER].wanted);
		recorder_regs_clear(&r, RECORDER_USER);
		assert_false(r.of[RECORDER_USER].wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_starts_its_events),
		cmocka_unit_test(test_dummy_for_maps),
		cmocka_unit_test(test_kinds_of_cores),
		cmocka_unit_test(test_kinds_without_cpus),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_frequency_limit),
		cmocka_unit_test(test_aux_is_refused),
		cmocka_unit_test(test_registers),
#ifdef __x86_64__
		cmocka_unit_test(test_branches_fall_to_the_tracer),
		cmocka_unit_test(test_tracer_refuses),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_refused_registers),
		cmocka_unit_test(test_events_of_the_tracer),
		cmocka_unit_test(test_user_space_only),
#endif
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("recorder-config", tests, setup_all, teardown_all);
}
