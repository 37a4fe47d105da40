// SPDX-License-Identifier: GPL-2.0-or-later
/* The event parser against a made sysfs tree: what an argument becomes, and where errors point. */
#include <limits.h>
#include <sys/stat.h>

#include "unit.h"

#include "events/events.h"

static char root[] = "/tmp/perf-test-events.XXXXXX";
static struct pmus *pmus;

static void put(const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *f;

	snprintf(full, sizeof(full), "%s/bus/event_source/devices/%s", root, path);
	for (char *p = strchr(full + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	put("cpu/type", "4");
	put("cpu/format/event", "config:0-7,32-35");
	put("cpu/format/umask", "config:8-15");
	put("cpu/format/inv", "config:23");
	put("cpu/format/cmask", "config:24-31");
	put("cpu/format/ldlat", "config1:0-15");
	put("cpu/format/frontend", "config3:0-23");
	put("cpu/format/broken", "konfig:0-23");
	put("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
	put("cpu/events/mem-loads.unit", "Loads");
	put("cpu/events/slots", "event=0x00,umask=0x4");
	put("cpu/caps/branches", "32");
	put("uncore_imc_0/type", "20");
	put("uncore_imc_0/cpumask", "0");
	put("uncore_imc_0/format/event", "config:0-7");
	put("uncore_imc_0/events/cas_count_read", "event=0x04");
	put("uncore_imc_1/type", "21");
	put("uncore_imc_1/cpumask", "0");
	put("uncore_imc_1/format/event", "config:0-7");
	put("uncore_imc_1/events/cas_count_read", "event=0x04");
	put("not_a_pmu/uevent", "");
	return pmus_new(&pmus, root, NULL);
}

static int teardown_tree(void)
{
	char cmd[PATH_MAX + 16];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", root);
	return system(cmd);
}

static int teardown(void **state)
{
	(void)state;
	pmus_free(pmus);
	return teardown_tree();
}

#define EX_U  ATTR_FLAG_EXCLUDE_USER
#define EX_K  ATTR_FLAG_EXCLUDE_KERNEL
#define EX_H  ATTR_FLAG_EXCLUDE_HV
#define EX_GU ATTR_FLAG_EXCLUDE_GUEST
#define EX_HO ATTR_FLAG_EXCLUDE_HOST
#define P(n)  ((uint64_t)(n) << ATTR_FLAG_PRECISE_SHIFT)

static const struct {
	const char *text, *name;
	uint32_t type;
	uint64_t config, config1, config2, flags;
} singles[] = {
	{ "cycles", "cycles", 0, 0, 0, 0, 0 },
	{ " cycles ", "cycles", 0, 0, 0, 0, 0 },
	{ "cpu-cycles", "cpu-cycles", 0, 0, 0, 0, 0 },
	{ "instructions:u", "instructions:u", 0, 1, 0, 0, EX_K | EX_H },
	{ "instructions:k", "instructions:k", 0, 1, 0, 0, EX_U | EX_H },
	{ "instructions:h", "instructions:h", 0, 1, 0, 0, EX_U | EX_K },
	{ "instructions:uk", "instructions:uk", 0, 1, 0, 0, EX_H },
	{ "branches:pp", "branches:pp", 0, 4, 0, 0, P(2) },
	{ "branch-misses:uppp", "branch-misses:uppp", 0, 5, 0, 0, EX_K | EX_H | P(3) },
	{ "idle-cycles-backend", "idle-cycles-backend", 0, 8, 0, 0, 0 },
	{ "ref-cycles:G", "ref-cycles:G", 0, 9, 0, 0, EX_HO },
	{ "ref-cycles:H", "ref-cycles:H", 0, 9, 0, 0, EX_GU },
	{ "ref-cycles:GH", "ref-cycles:GH", 0, 9, 0, 0, 0 },
	{ "cycles:I", "cycles:I", 0, 0, 0, 0, ATTR_FLAG_EXCLUDE_IDLE },
	{ "cycles:D", "cycles", 0, 0, 0, 0, ATTR_FLAG_PINNED },
	{ "cycles:e", "cycles", 0, 0, 0, 0, ATTR_FLAG_EXCLUSIVE },
	{ "cpu-clock", "cpu-clock", 1, 0, 0, 0, 0 },
	{ "task-clock:u", "task-clock:u", 1, 1, 0, 0, EX_K | EX_H },
	{ "faults", "faults", 1, 2, 0, 0, 0 },
	{ "cs", "cs", 1, 3, 0, 0, 0 },
	{ "migrations", "migrations", 1, 4, 0, 0, 0 },
	{ "dummy:HG", "dummy:HG", 1, 9, 0, 0, 0 },
	{ "bpf-output", "bpf-output", 1, 10, 0, 0, 0 },
	{ "cgroup-switches", "cgroup-switches", 1, 11, 0, 0, 0 },
	{ "L1-dcache-load-misses", "L1-dcache-load-misses", 3, 0x10000, 0, 0, 0 },
	{ "L1-dcache-loads:u", "L1-dcache-loads:u", 3, 0, 0, 0, EX_K | EX_H },
	{ "l1d-misses", "l1d-misses", 3, 0x10000, 0, 0, 0 },
	{ "LLC-store-misses", "LLC-store-misses", 3, 0x10102, 0, 0, 0 },
	{ "llc-prefetches", "llc-prefetches", 3, 0x202, 0, 0, 0 },
	{ "dTLB-misses-load", "dTLB-misses-load", 3, 0x10003, 0, 0, 0 },
	{ "iTLB-load-misses", "iTLB-load-misses", 3, 0x10004, 0, 0, 0 },
	{ "branch-load-misses", "branch-load-misses", 3, 0x10005, 0, 0, 0 },
	{ "node-speculative-read", "node-speculative-read", 3, 0x206, 0, 0, 0 },
	{ "r1c4", "r1c4", 4, 0x1c4, 0, 0, 0 },
	{ "rFFff:u", "rFFff:u", 4, 0xffff, 0, 0, EX_K | EX_H },
	{ "cpu/event=0x3c/", "cpu/event=0x3c/", 4, 0x3c, 0, 0, 0 },
	{ "cpu/event=60,umask=0x1/u", "cpu/event=60,umask=0x1/u", 4, 0x13c, 0, 0, EX_K | EX_H },
	{ "cpu/event=0x3c/:u", "cpu/event=0x3c/u", 4, 0x3c, 0, 0, EX_K | EX_H },
	{ "cpu/event=0xfff/", "cpu/event=0xfff/", 4, 0xf000000ff, 0, 0, 0 },
	{ "cpu/event=0x3c,inv/", "cpu/event=0x3c,inv/", 4, 0x80003c, 0, 0, 0 },
	{ "cpu/event=0x3c,cmask=1,name=foo/u", "foo", 4, 0x100003c, 0, 0, EX_K | EX_H },
	{ "cpu/event=0x3c,name='a b,c'/", "a b,c", 4, 0x3c, 0, 0, 0 },
	{ "cpu/mem-loads/", "cpu/mem-loads/", 4, 0x1cd, 3, 0, 0 },
	{ "cpu/mem-loads,ldlat=30/pp", "cpu/mem-loads,ldlat=30/pp", 4, 0x1cd, 30, 0, P(2) },
	{ "cpu/ldlat=30,mem-loads/", "cpu/ldlat=30,mem-loads/", 4, 0x1cd, 30, 0, 0 },
	{ "mem-loads", "mem-loads", 4, 0x1cd, 3, 0, 0 },
	{ "slots:u", "slots:u", 4, 0x400, 0, 0, EX_K | EX_H },
	{ "cpu/config=0x12,config1=0x34,config2=5/", "cpu/config=0x12,config1=0x34,config2=5/", 4,
	  0x12, 0x34, 5, 0 },
	{ "cpu/r1c4/", "cpu/r1c4/", 4, 0x1c4, 0, 0, 0 },
	{ "cpu/cycles/", "cpu/cycles/", 0, 0, 0, 0, 0 },
	{ "cpu/L1-dcache-loads/k", "cpu/L1-dcache-loads/k", 3, 0, 0, 0, EX_U | EX_H },
	{ "cycles/name=mine/u", "mine", 0, 0, 0, 0, EX_K | EX_H },
	{ "uncore_imc_1/event=4/", "uncore_imc_1/event=4/", 21, 4, 0, 0, 0 },
	{ "mem:0x1000", "mem:0x1000", 5, 0, 0x1000, 4, 0 },
	{ "mem:4096/8:w", "mem:4096/8:w", 5, 0, 0x1000, 8, 0 },
	{ "mem:0x1000:x:u", "mem:0x1000:x:u", 5, 0, 0x1000, sizeof(long), EX_K | EX_H },
	{ "mem:0x1000/2:rw:k", "mem:0x1000/2:rw:k", 5, 0, 0x1000, 2, EX_U | EX_H },
	{ "mem:0x1000/name=x/", "x", 5, 0, 0x1000, 4, 0 },
	{ "mem:0x1000/8:w/name=x,period=10/u", "x", 5, 0, 0x1000, 8, EX_K | EX_H },
	{ "mem:0x1000:u", "mem:0x1000:u", 5, 0, 0x1000, 4, EX_K | EX_H },
};

static void single_events(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(singles); i++) {
		struct event_list l = { 0 };
		struct err e = { 0 };

		if (events_parse(&l, pmus, singles[i].text, &e))
			fail_msg("%s: %s", singles[i].text, e.text);
		assert_int_equal(l.n, 1);
		assert_string_equal(l.v[0].name, singles[i].name);
		if (l.v[0].attr.type != singles[i].type ||
		    l.v[0].attr.config != singles[i].config ||
		    l.v[0].attr.config1 != singles[i].config1 ||
		    l.v[0].attr.config2 != singles[i].config2 ||
		    l.v[0].attr.flags != singles[i].flags)
			fail_msg("%s: type %u config %#lx %#lx %#lx flags %#lx", singles[i].text,
				 l.v[0].attr.type, l.v[0].attr.config, l.v[0].attr.config1,
				 l.v[0].attr.config2, l.v[0].attr.flags);
		events_free(&l);
	}
}

static const struct {
	const char *text;
	int code;
	unsigned column; /* of the caret in the argument */
	const char *message, *hint;
} errors[] = {
	{ "", -EINVAL, 0, "event name is missing", NULL },
	{ "cycles,", -EINVAL, 7, "event name is missing", NULL },
	{ ",cycles", -EINVAL, 0, "event name is expected", NULL },
	{ "cylces", -ENOENT, 0, "unknown event 'cylces'", "cycles" },
	{ "cycles,instructoins:u", -ENOENT, 7, "unknown event 'instructoins'", "instructions" },
	{ "L1-dcahce-loads", -ENOENT, 0, "unknown event", "L1-dcache-loads" },
	{ "L1-icache-stores", -ENOENT, 0, "unknown event", "L1-icache-load" },
	{ "cycles:x", -EINVAL, 7, "unknown modifier 'x'", "u k h" },
	{ "cycles:uu", -EINVAL, 8, "given twice", NULL },
	{ "cycles:pppp", -EINVAL, 7, "at most three", NULL },
	{ "cycles:pP", -EINVAL, 7, "exclude each other", NULL },
	{ "cycles:b", -ENOTSUP, 7, "BPF", NULL },
	{ "cycles:", -EINVAL, 7, "modifiers are expected", NULL },
	{ "{cycles", -EINVAL, 7, "closing '}'", NULL },
	{ "{{cycles}}", -EINVAL, 1, "group inside", NULL },
	{ "{cycles}}", -EINVAL, 8, "',' or the end", NULL },
	{ "cpu/event=0x3c", -EINVAL, 14, "closing '/'", NULL },
	{ "cpu/event=/", -EINVAL, 10, "needs a number", NULL },
	{ "cpu/event=zz/", -EINVAL, 10, "needs a number", NULL },
	{ "cpu/event=0x1fff/", -ERANGE, 10, "too large for field 'event' (12 bits)", NULL },
	{ "cpu/evnet=1/", -EINVAL, 4, "unknown term 'evnet' for PMU cpu", "event" },
	{ "cpu/mem-load/", -EINVAL, 4, "unknown term 'mem-load'", "mem-loads" },
	{ "cpu/event=1,period=0/", -EINVAL, 19, "period of 0", NULL },
	{ "cpu/event=1,name=/", -EINVAL, 12, "'name' needs a name", NULL },
	{ "cpu/event=1,name='x/", -EINVAL, 17, "closing quote", NULL },
	{ "cpu/event=1,call-graph=drawf/", -EINVAL, 23, "unknown mode 'drawf'", NULL },
	{ "cpu/event=1,branch_type=anny/", -EINVAL, 24, "unknown branch filter", NULL },
	{ "cpu/event=1,overwrite/", -ENOTSUP, 12, "not supported", NULL },
	{ "cpu/event=1/x", -EINVAL, 12, "unknown modifier", NULL },
	{ "cpu_atom/event=1/", -ENOENT, 0, "no PMU 'cpu_atom'", "virtual PMU" },
	{ "uncore_imx/event=1/", -ENOENT, 0, "no PMU 'uncore_imx'", "uncore_imc" },
	{ "mem:zz", -EINVAL, 4, "a breakpoint is", NULL },
	{ "mem:0x10/3", -EINVAL, 9, "a length is", NULL },
	{ "mem:0x10/config1=1/", -EINVAL, 9, "'config1' is for events of PMUs", NULL },
	{ "mem:0x10:w/nmae=x/", -EINVAL, 11, "unknown term 'nmae'", "name" },
	{ "mem:0x10:rx", -EINVAL, 9, "cannot be combined", NULL },
	{ "mem:0x10:q", -EINVAL, 9, "an access is", NULL },
	{ "cycles instructions", -EINVAL, 7, "',' or the end", NULL },
};

static void error_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct event_list l = { 0 };
		struct err e = { 0 };
		const char *caret;
		int ret = events_parse(&l, pmus, errors[i].text, &e);

		if (ret != errors[i].code)
			fail_msg("'%s': %d, wanted %d: %s", errors[i].text, ret, errors[i].code,
				 e.text);
		assert_int_equal(l.n, 0);
		caret = strchr(e.text, '\n');
		assert_non_null(caret);
		caret += 1 + strspn(caret + 1, " ");
		if (!strstr(caret, errors[i].message))
			fail_msg("'%s': %s", errors[i].text, e.text);
		if (caret - strchr(e.text, '\n') - 1 != (long)(21 + errors[i].column))
			fail_msg("'%s': caret elsewhere:\n%s", errors[i].text, e.text);
		if (errors[i].hint && !strstr(e.hint, errors[i].hint))
			fail_msg("'%s': hint: %s", errors[i].text, e.hint);
		events_free(&l);
	}
}

static void groups(void **state)
{
	struct event_list l = { 0 };

	(void)state;
	assert_int_equal(events_parse(&l, pmus, "cs,{cycles,instructions:k}:Su,grp:{faults}", NULL),
			 0);
	assert_int_equal(events_parse(&l, pmus, "cpu-clock", NULL), 0);
	assert_int_equal(l.n, 5);
	assert_int_equal(l.v[0].leader, 0);
	assert_int_equal(l.v[0].nr_members, 1);
	assert_int_equal(l.v[1].leader, 1);
	assert_int_equal(l.v[1].nr_members, 2);
	assert_int_equal(l.v[2].leader, 1);
	assert_int_equal(l.v[2].nr_members, 0);
	assert_true(l.v[1].sample_read && l.v[2].sample_read && !l.v[3].sample_read);
	assert_int_equal(l.v[1].attr.flags, EX_K | EX_H);
	assert_int_equal(l.v[2].attr.flags, EX_H);
	assert_string_equal(l.v[1].name, "cycles:u");
	assert_string_equal(l.v[3].group, "grp");
	assert_int_equal(l.v[4].leader, 4);
	events_free(&l);
}

/* One row of a list that events_group() has made. */
static void is_row(const struct event_list *l, size_t i, const char *name, uint32_t leader,
		   uint32_t nr_members)
{
	assert_true(i < l->n);
	assert_string_equal(l->v[i].name, name);
	assert_int_equal(l->v[i].leader, leader);
	assert_int_equal(l->v[i].nr_members, nr_members);
}

static void groups_of_several_pmus(void **state)
{
	struct event_list l = { 0 };

	(void)state;
	assert_int_equal(events_parse(&l, pmus,
				      "{cs,uncore_imc_1/event=1/,cycles,uncore_imc_1/event=2/,"
				      "cpu/event=3/,faults}:SD",
				      NULL),
			 0);
	is_row(&l, 0, "cs", 0, 4);
	is_row(&l, 1, "uncore_imc_1/event=1/", 0, 0);
	is_row(&l, 2, "uncore_imc_1/event=2/", 0, 0);
	is_row(&l, 3, "faults", 0, 0);
	is_row(&l, 4, "cycles", 4, 2);
	is_row(&l, 5, "cpu/event=3/", 4, 0);
	for (size_t i = 0; i < l.n; i++) {
		assert_true(l.v[i].sample_read);
		assert_int_equal(l.v[i].attr.flags, i % 4 ? 0 : ATTR_FLAG_PINNED);
	}
	events_free(&l);
}

/* Each word is an event of both kinds of cores. */
static void groups_of_two_kinds_of_cores(void **state)
{
	struct event_list l = { 0 };
	struct pmus *hybrid;
	char own[sizeof(root)];

	(void)state;
	strcpy(own, root);
	strcpy(strrchr(root, '.'), ".XXXXXX");
	assert_non_null(mkdtemp(root));
	put("cpu_core/type", "4");
	put("cpu_core/cpus", "0-3");
	put("cpu_atom/type", "10");
	put("cpu_atom/cpus", "4-7");
	assert_int_equal(pmus_new(&hybrid, root, NULL), 0);
	assert_int_equal(events_parse(&l, hybrid, "{cycles,instructions,cs}:S", NULL), 0);
	is_row(&l, 0, "cpu_atom/cycles/", 0, 3);
	is_row(&l, 1, "cpu_atom/instructions/", 0, 0);
	is_row(&l, 2, "cs", 0, 0);
	is_row(&l, 3, "cpu_core/cycles/", 3, 2);
	is_row(&l, 4, "cpu_core/instructions/", 3, 0);
	for (size_t i = 0; i < l.n; i++)
		assert_true(l.v[i].sample_read);
	events_free(&l);
	pmus_free(hybrid);
	assert_int_equal(teardown_tree(), 0);
	strcpy(root, own);
}

static void terms(void **state)
{
	struct event_list l = { 0 };
	struct event *ev;

	(void)state;
	assert_int_equal(
		events_parse(&l, pmus,
			     "cpu/event=1,period=5000,call-graph=dwarf,stack-size=4096,time=0,"
			     "max-stack=12,branch_type=any|u,no-inherit/,cycles/freq=99/,"
			     "cpu/event=1,branch_type='any_call,k'/",
			     NULL),
		0);
	ev = &l.v[0];
	assert_int_equal(ev->set, EVENT_SET_PERIOD | EVENT_SET_CALLCHAIN | EVENT_SET_TIME |
					  EVENT_SET_MAX_STACK | EVENT_SET_BRANCH |
					  EVENT_SET_INHERIT);
	assert_int_equal(ev->set_period, 5000);
	assert_int_equal(ev->set_callchain.mode, CALLCHAIN_DWARF);
	assert_int_equal(ev->set_callchain.stack_size, 4096);
	assert_int_equal(ev->set_max_stack, 12);
	assert_int_equal(ev->set_branch, 9);
	assert_false(ev->set_time);
	assert_false(ev->set_inherit);
	assert_int_equal(l.v[1].set, EVENT_SET_FREQ);
	assert_int_equal(l.v[1].set_freq, 99);
	assert_int_equal(l.v[2].set_branch, 18);
	events_free(&l);
}

static void families(void **state)
{
	static const char *const names[] = { "uncore_imc/cas_count_read/", "imc/cas_count_read/",
					     "uncore_imc*/event=4/", "cas_count_read" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event_list l = { 0 };

		assert_int_equal(events_parse(&l, pmus, names[i], NULL), 0);
		assert_int_equal(l.n, 2);
		assert_int_equal(l.v[0].attr.type, 20);
		assert_int_equal(l.v[1].attr.type, 21);
		assert_int_equal(l.v[1].attr.config, 4);
		events_free(&l);
	}
}

static void table(void **state)
{
	const struct pmu *cpu = pmus_find(pmus, "cpu");
	const struct pmu_event *ev;
	struct perf_event_attr a = { 0 };

	(void)state;
	assert_int_equal(pmus_nr(pmus), 3);
	assert_non_null(cpu);
	assert_true(cpu->is_core);
	assert_int_equal(cpu->nr_fields, 6);
	assert_int_equal(cpu->nr_events, 2);
	ev = pmu_find_event(cpu, "mem-loads");
	assert_string_equal(ev->unit, "Loads");
	assert_string_equal(pmu_cap(cpu, "branches"), "32");
	assert_null(pmu_cap(cpu, "nothing"));
	assert_string_equal(pmus_find(pmus, "uncore_imc_0")->cpus, "0");
	assert_false(pmus_find(pmus, "uncore_imc_0")->is_core);
	assert_int_equal(pmu_field_set(pmu_find_field(cpu, "event"), &a, 0xabc), 0);
	assert_int_equal(a.config, 0xa000000bc);
	assert_int_equal(pmu_field_set(pmu_find_field(cpu, "event"), &a, 0x1000), -ERANGE);
}

static int count(void *ctx, const struct event_info *info)
{
	size_t *n = ctx;

	n[__builtin_ctz(info->kind)]++;
	return 0;
}

static int stop_at_third(void *ctx, const struct event_info *info)
{
	(void)info;
	return ++*(int *)ctx == 3 ? 77 : 0;
}

static void iteration(void **state)
{
	size_t n[5] = { 0 };
	int seen = 0;

	(void)state;
	assert_int_equal(events_for_each(pmus, EVENT_ALL & ~EVENT_TRACEPOINT, count, n), 0);
	assert_int_equal(n[0], 10);
	assert_int_equal(n[1], 12);
	assert_int_equal(n[2], 32);
	assert_int_equal(n[3], 4);
	assert_int_equal(events_for_each(pmus, EVENT_ALL, stop_at_third, &seen), 77);
	assert_int_equal(seen, 3);
	assert_true(event_glob("sched*", "sched_switch"));
	assert_false(event_glob("sched", "sched_switch"));
}

/* Every listed hardware, software and cache name is one that the parser takes. */
static int parse_back(void *ctx, const struct event_info *info)
{
	struct event_list l = { 0 };
	int ret = events_parse(&l, pmus, info->name, ctx);

	events_free(&l);
	return ret;
}

static void listed_names_parse(void **state)
{
	struct err e = { 0 };

	(void)state;
	if (events_for_each(pmus, EVENT_ALL & ~EVENT_TRACEPOINT, parse_back, &e))
		fail_msg("%s", e.text);
}

static void filters(void **state)
{
	struct event_list l = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(events_parse(&l, pmus, "cycles", NULL), 0);
	assert_int_equal(events_set_filter(&l, "x > 0", &e), -EINVAL);
	assert_non_null(strstr(e.text, "no tracepoint in front"));
	if (!events_tracefs() || events_parse(&l, pmus, "sched:sched_swit*", &e)) {
		events_free(&l);
		print_message("# tracefs is not readable: tracepoint part not run\n");
		return;
	}
	assert_string_equal(l.v[1].tp_system, "sched");
	assert_string_equal(l.v[1].tp_name, "sched_switch");
	assert_int_equal(l.v[1].attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(events_set_filter(&l, "prev_pid > 0", NULL), 0);
	assert_int_equal(events_set_filter(&l, "next_pid > 0", NULL), 0);
	assert_null(l.v[0].filter);
	assert_string_equal(l.v[1].filter, "(prev_pid > 0) && (next_pid > 0)");
	assert_int_equal(events_parse(&l, pmus, "sched:sched_swich", &e), -ENOENT);
	assert_non_null(strstr(e.hint, "sched:sched_switch"));
	assert_int_equal(events_parse(&l, pmus, "shced:x", &e), -ENOENT);
	assert_non_null(strstr(e.hint, "sched"));
	events_free(&l);
}

/* Three groups of one event each. */
static void tracepoint_globs(void **state)
{
	static const char *const ids[] = { "events/a/other/id", "events/b/x/id",
					   "events/c/other/id" };
	static const struct {
		const char *text, *names; /* NULL: the error is that there is none */
	} globs[] = {
		{ "*:x", "b:x " },
		{ "[bc]:x", "b:x " },
		{ "*:o*", "a:other c:other " },
		{ "*:*", "a:other b:x c:other " },
		{ "b:x/call-graph=fp,period=10/", "b:x " },
		{ "*:*/name=y/:u,b:x", "y y y b:x " },
		{ "*:nosuch", NULL },
		{ "z*:x", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		unit_put(root, ids[i], "7\n", 0644);
	setenv("PERF_DEBUGFS_DIR", root, 1);
	for (size_t i = 0; i < ARRAY_SIZE(globs); i++) {
		struct event_list l = { 0 };
		struct err e = { 0 };
		char names[128] = "";
		int ret = events_parse(&l, pmus, globs[i].text, &e);

		for (size_t j = 0; j < l.n; j++)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ",
				 l.v[j].name);
		assert_int_equal(ret, globs[i].names ? 0 : -ENOENT);
		assert_string_equal(names, globs[i].names ? globs[i].names : "");
		if (!globs[i].names)
			assert_non_null(strstr(e.text, "no tracepoint '"));
		events_free(&l);
	}
	unsetenv("PERF_DEBUGFS_DIR");
}

static void a_long_argument_keeps_its_caret(void **state)
{
	struct event_list l = { 0 };
	struct err e = { 0 };
	char text[400] = "";

	(void)state;
	for (int i = 0; i < 30; i++)
		strcat(text, "cycles,");
	strcat(text, "cylces");
	assert_int_equal(events_parse(&l, pmus, text, &e), -ENOENT);
	assert_non_null(strstr(e.text, "'..."));
	assert_non_null(strstr(e.text, "\\___ unknown event 'cylces'"));
	assert_int_equal(l.n, 0);
	events_free(&l);
}

/* Pieces of the grammar in any order: an answer or an error, and the list as it was before. */
static void whatever_is_typed(void **state)
{
	static const char *const pieces[] = {
		"cycles",
		"cpu/",
		"/",
		",",
		"{",
		"}",
		":",
		"u",
		"pp",
		"event=0x3c",
		"=",
		"'",
		"\"",
		"mem:0x10",
		"r1c4",
		"L1-dcache",
		"-load",
		"name=",
		"sched:",
		"*",
		"[",
		"period=1",
		" ",
		"\x01",
		"\xff",
		"0x",
		"99999999999999999999",
		"branch_type=any|u",
		"S",
		"W",
		"mem-loads",
		"uncore_imc",
		"call-graph=dwarf",
		".",
		"@",
		"?",
		"config4=1",
		"x:{",
	};
	uint64_t seed = 42;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct event_list l = { 0 };
		struct err e = { 0 };
		char text[256] = "";
		size_t n;
		int ret;

		assert_int_equal(events_parse(&l, pmus, "cs", NULL), 0);
		seed = hash_u64(seed + 1);
		for (n = seed % 9 + 1; n; n--) {
			seed = hash_u64(seed + 1);
			strcat(text, pieces[seed % ARRAY_SIZE(pieces)]);
		}
		ret = events_parse(&l, pmus, text, &e);
		if (ret) {
			assert_int_equal(l.n, 1);
			assert_int_equal(e.code, ret);
			assert_true(e.text[0]);
		}
		for (size_t i = 0; i < l.n; i++) {
			assert_true(l.v[i].name && l.v[i].leader <= i);
			assert_true(l.v[i].leader == i || l.v[l.v[i].leader].nr_members > 1);
		}
		events_free(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_events),
		cmocka_unit_test(error_places),
		cmocka_unit_test(groups),
		cmocka_unit_test(groups_of_several_pmus),
		cmocka_unit_test(groups_of_two_kinds_of_cores),
		cmocka_unit_test(terms),
		cmocka_unit_test(families),
		cmocka_unit_test(table),
		cmocka_unit_test(iteration),
		cmocka_unit_test(listed_names_parse),
		cmocka_unit_test(filters),
		cmocka_unit_test(tracepoint_globs),
		cmocka_unit_test(a_long_argument_keeps_its_caret),
		cmocka_unit_test(whatever_is_typed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
