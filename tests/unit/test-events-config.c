// SPDX-License-Identifier: GPL-2.0-or-later
/* What common command lines put into perf_event_attr: the values that other perfs' tests fix. */
#include "unit.h"

#include "no-pmus.h"

#define F(n) ATTR_FLAG_##n
#define BASE_FLAGS                                                                    \
	(F(DISABLED) | F(INHERIT) | F(MMAP) | F(COMM) | F(ENABLE_ON_EXEC) | F(TASK) | \
	 F(SAMPLE_ID_ALL) | F(MMAP2) | F(COMM_EXEC) | F(KSYMBOL) | F(BPF_EVENT) | F(BUILD_ID))

/* Every field of struct events_config is for the whole line; `record CMD` is the base. */
static const struct row {
	const char *line, *events;
	struct events_config c;
	uint64_t sample_type, period, flags, branch, read_format;
	uint32_t stack;
} rows[] = {
	{ .line = "", .events = "cycles", .sample_type = 263, .period = 4000, .flags = F(FREQ) },
	{ .line = "-c 1000",
	  .events = "cycles",
	  .c = { .period = 1000 },
	  .sample_type = 7,
	  .period = 1000 },
	{ .line = "-F 99",
	  .events = "cycles",
	  .c = { .freq = 99 },
	  .sample_type = 263,
	  .period = 99,
	  .flags = F(FREQ) },
	{ .line = "-c 1000 -P",
	  .events = "cycles",
	  .c = { .period = 1000, .period_given = true },
	  .sample_type = 263,
	  .period = 1000 },
	{ .line = "a kernel that allows less than the default",
	  .events = "cycles",
	  .c = { .default_freq = 1000 },
	  .sample_type = 263,
	  .period = 1000,
	  .flags = F(FREQ) },
	{ .line = "-b, -j any",
	  .events = "cycles",
	  .c = { .branch_filter = 8 },
	  .sample_type = 2311,
	  .period = 4000,
	  .flags = F(FREQ),
	  .branch = 8 },
	{ .line = "-j any_call",
	  .events = "cycles",
	  .c = { .branch_filter = 16 },
	  .sample_type = 2311,
	  .period = 4000,
	  .flags = F(FREQ),
	  .branch = 16 },
	{ .line = "-j any_ret",
	  .events = "cycles",
	  .c = { .branch_filter = 32 },
	  .sample_type = 2311,
	  .period = 4000,
	  .flags = F(FREQ),
	  .branch = 32 },
	{ .line = "-j ind_call",
	  .events = "cycles",
	  .c = { .branch_filter = 64 },
	  .sample_type = 2311,
	  .period = 4000,
	  .flags = F(FREQ),
	  .branch = 64 },
	{ .line = "-g",
	  .events = "cycles",
	  .c = { .callchain = { .mode = CALLCHAIN_FP } },
	  .sample_type = 295,
	  .period = 4000,
	  .flags = F(FREQ) },
	{ .line = "--call-graph dwarf",
	  .events = "cycles",
	  .c = { .callchain = { .mode = CALLCHAIN_DWARF, .stack_size = 8192 } },
	  .sample_type = 45359,
	  .period = 4000,
	  .flags = F(FREQ) | F(EXCLUDE_CALLCHAIN_USER) | F(MMAP_DATA),
	  .stack = 8192 },
	{ .line = "-d",
	  .events = "cycles",
	  .c = { .sample_address = true },
	  .sample_type = 33039,
	  .period = 4000,
	  .flags = F(FREQ) | F(MMAP_DATA) },
	{ .line = "-R",
	  .events = "cycles",
	  .c = { .raw = true },
	  .sample_type = 1415,
	  .period = 4000,
	  .flags = F(FREQ) },
	{ .line = "-n",
	  .events = "cycles",
	  .c = { .no_samples = true },
	  .sample_type = 263,
	  .flags = F(FREQ) },
	{ .line = "-W",
	  .events = "cycles",
	  .c = { .sample = PERF_SAMPLE_WEIGHT_STRUCT },
	  .sample_type = 263 | PERF_SAMPLE_WEIGHT_STRUCT,
	  .period = 4000,
	  .flags = F(FREQ) },
	{ .line = "--sample-cpu",
	  .events = "cycles",
	  .c = { .sample_cpu = true },
	  .sample_type = 391,
	  .period = 4000,
	  .flags = F(FREQ) },
	{ .line = "-s",
	  .events = "cycles",
	  .c = { .inherit_stat = true },
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) | F(INHERIT_STAT),
	  .read_format = 23 },
	{ .line = "-k mono",
	  .events = "cycles",
	  .c = { .use_clockid = true, .clockid = 1 },
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) | F(USE_CLOCKID) },
	{ .line = "--all-user",
	  .events = "cycles",
	  .c = { .all_user = true },
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) | F(EXCLUDE_KERNEL) },
	{ .line = "--all-kernel",
	  .events = "cycles",
	  .c = { .all_kernel = true },
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) | F(EXCLUDE_USER) },
	{ .line = "--all-user on :k",
	  .events = "cycles:k",
	  .c = { .all_user = true },
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) | F(EXCLUDE_USER) | F(EXCLUDE_HV) },
	{ .line = "-g --kernel-callchains",
	  .events = "cycles",
	  .c = { .callchain = { .mode = CALLCHAIN_FP }, .kernel_callchains = true },
	  .sample_type = 295,
	  .period = 4000,
	  .flags = F(FREQ) | F(EXCLUDE_CALLCHAIN_USER) },
	{ .line = "-g --user-callchains",
	  .events = "cycles",
	  .c = { .callchain = { .mode = CALLCHAIN_FP }, .user_callchains = true },
	  .sample_type = 295,
	  .period = 4000,
	  .flags = F(FREQ) | F(EXCLUDE_CALLCHAIN_KERNEL) },
	{ .line = "--switch-events",
	  .events = "cycles",
	  .c = { .switch_events = true },
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) | F(CONTEXT_SWITCH) },
	{ .line = "--namespaces",
	  .events = "cycles",
	  .c = { .namespaces = true },
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) | F(NAMESPACES) },
	{ .line = "--call-graph lbr",
	  .events = "cycles",
	  .c = { .callchain = { .mode = CALLCHAIN_LBR } },
	  .sample_type = 295 | 2048,
	  .period = 4000,
	  .flags = F(FREQ),
	  .branch = 0x2c801 },
	{ .line = "--call-graph lbr -b",
	  .events = "cycles",
	  .c = { .callchain = { .mode = CALLCHAIN_LBR }, .branch_filter = 8 },
	  .sample_type = 295 | 2048,
	  .period = 4000,
	  .flags = F(FREQ),
	  .branch = 8 },
	{ .line = "--call-graph lbr -e cycles:k",
	  .events = "cycles:k",
	  .c = { .callchain = { .mode = CALLCHAIN_LBR } },
	  .sample_type = 295,
	  .period = 4000,
	  .flags = F(FREQ) | F(EXCLUDE_USER) | F(EXCLUDE_HV) },
	{ .line = "--call-graph lbr --all-kernel",
	  .events = "cycles",
	  .c = { .callchain = { .mode = CALLCHAIN_LBR }, .all_kernel = true },
	  .sample_type = 295,
	  .period = 4000,
	  .flags = F(FREQ) | F(EXCLUDE_USER) },
	{ .line = "-e cycles/call-graph=lbr/",
	  .events = "cycles/call-graph=lbr/",
	  .sample_type = 295 | 2048,
	  .period = 4000,
	  .flags = F(FREQ),
	  .branch = 0x2c801 },
	{ .line = "-e cycles/period=7/",
	  .events = "cycles/period=7/",
	  .sample_type = 7,
	  .period = 7 },
	{ .line = "-e cycles/freq=7/ -c 9",
	  .events = "cycles/freq=7/",
	  .c = { .period = 9 },
	  .sample_type = 263,
	  .period = 7,
	  .flags = F(FREQ) },
	{ .line = "-e cycles/call-graph=no/ -g",
	  .events = "cycles/call-graph=no/",
	  .c = { .callchain = { .mode = CALLCHAIN_FP } },
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) },
	{ .line = "-e cycles/branch_type=any/",
	  .events = "cycles/branch_type=any/",
	  .sample_type = 2311,
	  .period = 4000,
	  .flags = F(FREQ),
	  .branch = 8 },
	{ .line = "-e mem:0x1000", .events = "mem:0x1000", .sample_type = 7, .period = 1 },
	{ .line = "-e cpu-clock:P",
	  .events = "cpu-clock:P",
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) },
	{ .line = "-e cycles:P",
	  .events = "cycles:P",
	  .sample_type = 263,
	  .period = 4000,
	  .flags = F(FREQ) | F(PRECISE_MASK) },
};

static void one_event(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct events_config c = rows[i].c;
		struct event_list l = { 0 };
		struct err e = { 0 };
		const struct perf_event_attr *a;

		c.inherit = c.disabled = c.enable_on_exec = true;
		if (events_parse(&l, none, rows[i].events, &e) || events_configure(&l, &c, &e))
			fail_msg("%s: %s", rows[i].line, e.text);
		a = &l.v[0].attr;
		if (a->sample_type != rows[i].sample_type)
			fail_msg("%s: sample_type %lu, wanted %lu", rows[i].line, a->sample_type,
				 rows[i].sample_type);
		if (a->flags != (rows[i].flags | BASE_FLAGS))
			fail_msg("%s: flags %#lx, wanted %#lx", rows[i].line, a->flags,
				 (unsigned long)(rows[i].flags | BASE_FLAGS));
		assert_int_equal(a->sample_period, rows[i].period);
		assert_int_equal(a->branch_sample_type, rows[i].branch);
		assert_int_equal(a->read_format, rows[i].read_format ? rows[i].read_format : 20);
		assert_int_equal(a->sample_stack_user, rows[i].stack);
		assert_int_equal(a->clockid, rows[i].c.clockid);
		events_free(&l);
	}
}

static void configured(struct event_list *l, const char *text, const struct events_config *c)
{
	struct err e = { 0 };

	memset(l, 0, sizeof(*l));
	if (events_parse(l, none, text, &e) || events_configure(l, c, &e))
		fail_msg("%s: %s", text, e.text);
}

static const struct events_config workload = { .inherit = true,
					       .disabled = true,
					       .enable_on_exec = true };

static void groups(void **state)
{
	struct event_list l;

	(void)state;
	configured(&l, "{cycles,instructions}", &workload);
	for (int i = 0; i < 2; i++)
		assert_int_equal(l.v[i].attr.sample_type, 327);
	assert_int_equal(l.v[0].attr.flags, BASE_FLAGS | F(FREQ));
	assert_int_equal(l.v[1].attr.flags, F(INHERIT) | F(SAMPLE_ID_ALL) | F(FREQ));
	events_free(&l);
	/* :S: only the leader samples, its sample holds all counts */
	configured(&l, "{cycles,instructions}:S", &workload);
	assert_int_equal(l.v[0].attr.sample_type, 327 | PERF_SAMPLE_READ);
	assert_int_equal(l.v[0].attr.read_format, 28);
	assert_int_equal(l.v[1].attr.sample_period, 0);
	assert_int_equal(l.v[1].attr.flags, F(SAMPLE_ID_ALL));
	assert_int_equal(l.v[0].attr.flags & F(INHERIT), 0);
	events_free(&l);
}

static void several_events(void **state)
{
	struct event_list l;

	(void)state;
	/* the same layout: ID; else IDENTIFIER, which stands first */
	configured(&l, "cycles,instructions", &workload);
	assert_int_equal(l.v[1].attr.sample_type, 263 | PERF_SAMPLE_ID);
	assert_int_equal(l.v[1].attr.flags,
			 F(DISABLED) | F(ENABLE_ON_EXEC) | F(INHERIT) | F(SAMPLE_ID_ALL) | F(FREQ));
	events_free(&l);
	configured(&l, "cycles,mem:0x1000", &workload);
	assert_int_equal(l.v[0].attr.sample_type, 263 | PERF_SAMPLE_IDENTIFIER);
	assert_int_equal(l.v[1].attr.sample_type, 7 | PERF_SAMPLE_IDENTIFIER);
	events_free(&l);
}

static void dummy_tracks(void **state)
{
	struct events_config c = {
		.inherit = true, .disabled = true, .dummy_starts = true, .per_cpu = true
	};
	struct event_list l = { 0 };

	(void)state;
	assert_int_equal(events_parse(&l, none, "cpu-clock", NULL), 0);
	assert_int_equal(events_add_dummy(&l, NULL), 0);
	assert_int_equal(events_configure(&l, &c, NULL), 0);
	assert_int_equal(l.v[0].attr.flags, F(DISABLED) | F(INHERIT) | F(FREQ) | F(SAMPLE_ID_ALL));
	assert_true(l.v[1].tracking && !l.v[0].tracking);
	assert_int_equal(l.v[1].attr.flags & (F(DISABLED) | F(FREQ) | F(MMAP) | F(COMM)),
			 F(MMAP) | F(COMM));
	assert_int_equal(l.v[1].attr.sample_type, 7 | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	assert_int_equal(l.v[1].attr.sample_period, 1);
	events_free(&l);
	/* with a delay the dummy starts at exec, the others later by hand */
	c = (struct events_config){ .inherit = true, .disabled = true, .dummy_on_exec = true };
	assert_int_equal(events_parse(&l, none, "cpu-clock", NULL), 0);
	assert_int_equal(events_add_dummy(&l, NULL), 0);
	assert_int_equal(events_configure(&l, &c, NULL), 0);
	assert_int_equal(l.v[0].attr.flags & F(ENABLE_ON_EXEC), 0);
	assert_int_equal(l.v[1].attr.flags & (F(ENABLE_ON_EXEC) | F(DISABLED)),
			 F(ENABLE_ON_EXEC) | F(DISABLED));
	events_free(&l);
}

static void default_and_clock(void **state)
{
	struct event_list l = { 0 };

	(void)state;
	assert_int_equal(events_add_default(&l, none, NULL), 0);
	assert_int_equal(l.n, 1);
	assert_string_equal(l.v[0].name, "cycles:P");
	assert_true(l.v[0].is_default && l.v[0].max_precise);
	assert_int_equal(event_fall_back_to_clock(&l, &l.v[0], false), 0);
	assert_string_equal(l.v[0].name, "cpu-clock");
	assert_int_equal(l.v[0].attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(l.v[0].attr.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_int_equal(event_fall_back_to_clock(&l, &l.v[0], true), 0);
	assert_string_equal(l.v[0].name, "task-clock");
	events_free(&l);
}

/* A kernel without counters: software events open, no others. */
static int no_counters(void *ctx, struct perf_event_attr *a, pid_t pid, int cpu, int group_fd,
		       unsigned long flags)
{
	const int *code = ctx;

	(void)pid, (void)cpu, (void)group_fd, (void)flags;
	return a->type == PERF_TYPE_SOFTWARE ? open("/dev/null", O_RDONLY) : *code;
}

static const struct {
	const char *events, *want; /* names after it, with their groups */
	const char *was, *now;
	bool per_thread;
	int code;
} fallbacks[] = {
	{ "cycles", "cpu-clock:0", "cycles", "cpu-clock", false, -ENOENT },
	{ "cycles:upp", "cpu-clock:u:0", "cycles:upp", "cpu-clock:u", false, -ENOENT },
	{ "cycles/period=1000/u", "cpu-clock:u:0", "cycles:u", "cpu-clock:u", false, -ENODEV },
	{ "instructions", "task-clock:0", "instructions", "task-clock", true, -EOPNOTSUPP },
	{ "r1c2,LLC-load-misses", "cpu-clock:0", "r1c2, LLC-load-misses", "cpu-clock", false,
	  -ENOENT },
	{ "cs,cycles,branches:k,cycles:k", "cs:0 cpu-clock:1 cpu-clock:k:2",
	  "cycles, branches:k, cycles:k", "cpu-clock, cpu-clock:k", false, -ENOENT },
	{ "cycles,cpu-clock", "cpu-clock:0", "cycles", "cpu-clock", false, -ENOENT },
	{ "{cycles,instructions,cs}:S", "cpu-clock:0 cs:0", NULL, NULL, false, -ENOENT },
	{ "cs,{cycles,cs},{branches,instructions}", "cs:0 cpu-clock:1 cs:1", NULL, NULL, false,
	  -ENOENT },
	{ "cpu-clock,{cycles,cs,faults}", "cpu-clock:0 cs:1 faults:1", "cycles", "cpu-clock", false,
	  -ENOENT },
	{ "cycles/freq=99/,cycles", "cpu-clock:0 cpu-clock:1", NULL, NULL, false, -ENOENT },
	{ "cycles/call-graph=lbr/", "cycles:0", "", "", false, -ENOENT },
	{ "cycles", "cycles:0", "", "", false, -EACCES },
};

static void named_events_fall_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fallbacks); i++) {
		struct event_list l = { 0 };
		int code = fallbacks[i].code;
		struct event_opener o = { .open = no_counters, .ctx = &code };
		struct fallback f;
		char got[256] = "";
		size_t n = 0;

		assert_int_equal(events_parse(&l, none, fallbacks[i].events, NULL), 0);
		assert_int_equal(events_fall_back(&l, &o, fallbacks[i].per_thread, &f), 0);
		for (size_t k = 0; k < l.n; k++) {
			const struct event *ev = &l.v[k];
			uint32_t members = 0;

			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s:%u", k ? " " : "",
					      ev->name, ev->leader);
			for (size_t m = 0; m < l.n; m++)
				members += l.v[m].leader == k;
			assert_int_equal(ev->nr_members, members);
		}
		if (strcmp(got, fallbacks[i].want))
			fail_msg("%s: %s", fallbacks[i].events, got);
		assert_true(l.last < l.n);
		if (fallbacks[i].was)
			assert_string_equal(f.was, fallbacks[i].was);
		if (fallbacks[i].now)
			assert_string_equal(f.now, fallbacks[i].now);
		events_free(&l);
	}
}

static void refused_combinations(void **state)
{
	static const struct events_config bad[] = {
		{ .all_user = true, .all_kernel = true },
		{ .kernel_callchains = true, .user_callchains = true },
	};
	struct event_list l = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(events_configure(&l, &workload, &e), -EINVAL);
	assert_non_null(strstr(e.text, "no event"));
	assert_int_equal(events_parse(&l, none, "cycles", NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(events_configure(&l, &bad[i], &e), -EINVAL);
		assert_non_null(strstr(e.text, "exclude each other"));
	}
	events_free(&l);
}

static void attr_sizes(void **state)
{
	struct event_list l;
	struct events_config c = workload;

	(void)state;
	configured(&l, "cycles", &c);
	assert_int_equal(l.v[0].attr.size, PERF_ATTR_SIZE_VER0);
	events_free(&l);
	c.callchain = (struct callchain_opts){ .mode = CALLCHAIN_DWARF, .stack_size = 8192 };
	configured(&l, "cycles", &c);
	assert_int_equal(l.v[0].attr.size, PERF_ATTR_SIZE_VER3);
	events_free(&l);
}

static void callchain_words(void **state)
{
	static const struct {
		const char *text;
		int ret;
		enum callchain_mode mode;
		uint32_t stack;
	} words[] = {
		{ "fp", 0, CALLCHAIN_FP, 0 },
		{ "dwarf", 0, CALLCHAIN_DWARF, 8192 },
		{ "dwarf,64000", 0, CALLCHAIN_DWARF, 64000 },
		{ "dwarf,65528", 0, CALLCHAIN_DWARF, 65528 },
		{ "dwarf,100", 0, CALLCHAIN_DWARF, 104 },
		{ "lbr", 0, CALLCHAIN_LBR, 0 },
		{ "no", 0, CALLCHAIN_NONE, 0 },
		{ "dwarf,65529", -EINVAL, 0, 0 },
		{ "dwarf,0", -EINVAL, 0, 0 },
		{ "dwarf,", -EINVAL, 0, 0 },
		{ "dwarf,x", -EINVAL, 0, 0 },
		{ "fp,1", -EINVAL, 0, 0 },
		{ "fpp", -EINVAL, 0, 0 },
		{ "", -EINVAL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct callchain_opts c = { 0 };
		struct err e = { 0 };

		assert_int_equal(events_callchain_parse(&c, words[i].text, &e), words[i].ret);
		if (words[i].ret) {
			assert_true(e.text[0]);
			continue;
		}
		assert_int_equal(c.mode, words[i].mode);
		assert_int_equal(c.stack_size, words[i].stack);
	}
}

/* What an event's terms say of call chains, beside what the recording says. */
static void callchain_terms(void **state)
{
	static const struct callchain_opts fp = { .mode = CALLCHAIN_FP, .max_stack = 9 },
					   dwarf = { .mode = CALLCHAIN_DWARF, .stack_size = 8192 },
					   no = { 0 };
	static const struct {
		const char *text;
		const struct callchain_opts *all;
		bool chain, copy; /* a copy of the stack */
		uint32_t stack, max;
	} terms[] = {
		{ "cycles", &fp, true, false, 0, 9 },
		{ "cycles/max-stack=3/", &fp, true, false, 0, 3 },
		{ "cycles/stack-size=4096/", &fp, true, false, 0, 9 },
		{ "cycles/stack-size=4096/", &dwarf, true, true, 4096, 0 },
		{ "cycles/max-stack=3/", &dwarf, true, true, 8192, 3 },
		{ "cycles/call-graph=no,max-stack=3/", &dwarf, false, false, 0, 0 },
		{ "cycles/max-stack=3/", &no, true, false, 0, 3 },
		{ "cycles/max-stack=0/", &no, false, false, 0, 0 },
		{ "cycles/stack-size=4096/", &no, true, true, 4096, 0 },
		{ "cycles/stack-size=4096,call-graph=dwarf/", &no, true, true, 4096, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++) {
		const struct events_config c = { .callchain = *terms[i].all };
		const struct perf_event_attr *a;
		struct event_list l;

		configured(&l, terms[i].text, &c);
		a = &l.v[0].attr;
		if (!(a->sample_type & PERF_SAMPLE_CALLCHAIN) == terms[i].chain ||
		    !(a->sample_type & PERF_SAMPLE_STACK_USER) == terms[i].copy ||
		    a->sample_stack_user != terms[i].stack || a->sample_max_stack != terms[i].max)
			fail_msg("row %zu, %s: sample_type %#lx, %u bytes, %u frames", i,
				 terms[i].text, a->sample_type, a->sample_stack_user,
				 a->sample_max_stack);
		events_free(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_event),
		cmocka_unit_test(groups),
		cmocka_unit_test(several_events),
		cmocka_unit_test(dummy_tracks),
		cmocka_unit_test(default_and_clock),
		cmocka_unit_test(named_events_fall_back),
		cmocka_unit_test(refused_combinations),
		cmocka_unit_test(attr_sizes),
		cmocka_unit_test(callchain_words),
		cmocka_unit_test(callchain_terms),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
