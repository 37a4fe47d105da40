// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ladder and the explanations, against made kernels: a function in place of the system call
 * that refuses what that kernel would refuse. One row per message.
 */
#include "unit.h"

#include "events/events.h"

struct kernel {
	uint64_t no_flags, no_read, no_sample, no_branch;
	int no_flags_code;
	bool no_cloexec;
	int precise;	 /* highest that opens; -1 = any */
	int event;	 /* code for the bare event; 0 = opens */
	int kernel_mode; /* code when the kernel is not excluded */
	int system_wide, member, sampling, branch, regs, stack, clock, simd, all, max_stack,
		inherit;
	int precise_filter; /* code for a precise level above 1 with filters but not any */
	unsigned opens;
	struct perf_event_attr last;
};

static int pick(int code, bool hit)
{
	return hit ? code : 0;
}

static int fake_open(void *ctx, struct perf_event_attr *a, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	struct kernel *k = ctx;
	int level = (int)((a->flags & ATTR_FLAG_PRECISE_MASK) >> ATTR_FLAG_PRECISE_SHIFT);
	int codes[] = {
		k->all,
		k->event,
		pick(k->kernel_mode, !(a->flags & ATTR_FLAG_EXCLUDE_KERNEL)),
		pick(k->system_wide, pid == -1),
		pick(k->member, group_fd >= 0),
		pick(k->sampling, a->sample_period != 0),
		pick(k->branch, a->sample_type & PERF_SAMPLE_BRANCH_STACK),
		pick(k->regs, a->sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR)),
		pick(k->stack, a->sample_type & PERF_SAMPLE_STACK_USER),
		pick(k->clock, a->flags & ATTR_FLAG_USE_CLOCKID && a->clockid != 1),
		pick(k->max_stack, a->sample_max_stack != 0),
		pick(k->inherit, a->flags & ATTR_FLAG_INHERIT),
		pick(k->no_flags_code ? k->no_flags_code : -EINVAL, a->flags & k->no_flags),
		pick(-EINVAL, a->read_format & k->no_read),
		pick(-EINVAL, a->sample_type & k->no_sample),
		pick(-EINVAL, a->branch_sample_type & k->no_branch),
		pick(k->precise_filter, level > 1 && a->branch_sample_type &&
						!(a->branch_sample_type & PERF_SAMPLE_BRANCH_ANY)),
		pick(-EINVAL, k->no_cloexec && flags & PERF_EVENT_OPEN_FLAG_FD_CLOEXEC),
		pick(-EINVAL, k->precise >= 0 && level > k->precise),
	};

	(void)cpu;
	k->opens++;
	if (k->simd && a->sample_simd_regs_enabled) {
		if (k->simd == -E2BIG)
			a->size = PERF_ATTR_SIZE_VER8;
		return k->simd;
	}
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i])
			return codes[i];
	k->last = *a;
	return open("/dev/null", O_RDONLY);
}

static struct pmus *none;

static int setup(void **state)
{
	(void)state;
	return pmus_new(&none, "/nonexistent", NULL);
}

static int teardown(void **state)
{
	(void)state;
	pmus_free(none);
	return 0;
}

static void make(struct event_list *l, const char *text, struct events_config c)
{
	struct err e = { 0 };

	memset(l, 0, sizeof(*l));
	if (events_parse(l, none, text, &e) || events_configure(l, &c, &e))
		fail_msg("%s: %s", text, e.text);
}

/* ---- the ladder ------------------------------------------------------------------------------- */

#define F(n) ATTR_FLAG_##n

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
	  { .weight = true },
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
	make(&l, "cycles", (struct events_config){ .code_page_size = true });
	assert_int_equal(event_open(&o, &l.v[0], 0, -1, -1), -EINVAL);
	events_free(&l);
}

/* ---- explanations -------------------------------------------------------------------------------- */

static const struct open_context user_in_vm = {
	.paranoid = 2, .in_vm = true, .nofile = 1024, .max_freq = 100000, .release = "6.18"
};
/* How a machine differs from an Intel one with a PMU, LBR and a privileged user. */
struct where {
	bool user, vm, no_pmu, no_lbr, seccomp, brs, soft;
	int paranoid; /* 0 = 2 */
	const char *vendor;
	unsigned family;
};

static struct open_context context_of(const struct where *w)
{
	struct open_context ctx = { .paranoid = w->paranoid ? w->paranoid : 2,
				    .privileged = !w->user,
				    .in_vm = w->vm,
				    .has_core_pmu = !w->no_pmu,
				    .has_lbr = !w->no_lbr,
				    .seccomp = w->seccomp,
				    .has_brs = w->brs,
				    .soft_branches = w->soft,
				    .family = w->family,
				    .nofile = 1024,
				    .max_freq = 100000,
				    .release = "6.18" };

	snprintf(ctx.vendor, sizeof(ctx.vendor), "%s", w->vendor ? w->vendor : "GenuineIntel");
	return ctx;
}

static const struct regs_selection zmm = { .vec_mask = 0xffffffff, .vec_qwords = 8 };
static const struct regs_selection ax = { .gpr = 1 };
static const struct regs_caps simd_caps = {
	.arch = REGS_ARCH_X86, .gpr = ~0ULL, .simd_abi = true, .xmm = true, .ymm = true, .zmm = true
};

static const struct message {
	const char *what, *event;
	struct events_config c;
	struct kernel k;
	struct where where;
	pid_t pid;
	const char *text, *hint; /* parts that must be there */
} messages[] = {
	{ "no system call",
	  "cycles",
	  {},
	  { .all = -ENOSYS },
	  {},
	  1,
	  "CONFIG_PERF_EVENTS",
	  "kernel with" },
	{ "seccomp ENOSYS",
	  "cycles",
	  {},
	  { .all = -ENOSYS },
	  { .seccomp = true },
	  1,
	  "answered with ENOSYS by a seccomp filter",
	  "seccomp profile" },
	{ "seccomp EPERM",
	  "cycles",
	  {},
	  { .all = -EPERM },
	  { .seccomp = true },
	  1,
	  "refused with EPERM by a seccomp filter",
	  "--cap-add PERFMON" },
	{ "paranoid 3",
	  "cycles:u",
	  {},
	  { .all = -EACCES },
	  { .paranoid = 3, .user = true },
	  1,
	  "perf_event_paranoid is 3",
	  "perf_event_paranoid=2" },
	{ "paranoid 4 that is 2, kernel",
	  "cycles:k",
	  {},
	  { .kernel_mode = -EACCES },
	  { .paranoid = 4, .user = true },
	  1,
	  "sampling the kernel needs",
	  "cycles:u" },
	{ "paranoid 4 that is 2, system wide",
	  "cycles",
	  {},
	  { .kernel_mode = -EACCES, .system_wide = -EACCES },
	  { .paranoid = 4, .user = true },
	  -1,
	  "watching all processes",
	  "perf_event_paranoid=0" },
	{ "system wide",
	  "cycles",
	  {},
	  { .system_wide = -EACCES },
	  { .user = true },
	  -1,
	  "watching all processes",
	  "perf_event_paranoid=0" },
	{ "kernel",
	  "cycles",
	  {},
	  { .kernel_mode = -EACCES },
	  { .user = true },
	  1,
	  "sampling the kernel needs",
	  "cycles:u" },
	{ "branches of the kernel",
	  "cycles:u",
	  { .branch_filter = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL },
	  { .branch = -EACCES },
	  { .user = true },
	  1,
	  "branch_sample_type: taken branches",
	  "-j any,u" },
	{ "another user's process",
	  "cycles:u",
	  {},
	  { .all = -EACCES },
	  { .user = true },
	  7,
	  "process 7 may not be watched",
	  "CAP_SYS_PTRACE" },
	{ "another denial",
	  "cycles:u",
	  {},
	  { .all = -EPERM },
	  {},
	  -1,
	  "no permission",
	  "lockdown" },
	{ "descriptors",
	  "cycles",
	  {},
	  { .all = -EMFILE },
	  {},
	  1,
	  "the limit is 1024",
	  "ulimit -n 8192" },
	{ "descriptors of the system",
	  "cycles",
	  {},
	  { .all = -ENFILE },
	  {},
	  1,
	  "fs.file-max",
	  "file-nr" },
	{ "process gone",
	  "cycles",
	  {},
	  { .all = -ESRCH },
	  {},
	  42,
	  "process 42 does not exist",
	  "ps -e" },
	{ "cpu gone", "cycles", {}, { .all = -ESRCH }, {}, -1, "CPU 3 is not there", "online" },
	{ "breakpoint slots",
	  "mem:0x1000:w",
	  {},
	  { .all = -ENOSPC },
	  {},
	  1,
	  "breakpoints of the CPU are taken",
	  "fewer breakpoints" },
	{ "memory", "cycles", {}, { .all = -ENOMEM }, {}, 1, "no memory", "fewer" },
	{ "max stack",
	  "cycles/max-stack=2000/",
	  { .callchain = { .mode = CALLCHAIN_FP } },
	  { .max_stack = -EOVERFLOW },
	  {},
	  1,
	  "sample_max_stack: 2000 frames",
	  "perf_event_max_stack=2000" },
	{ "branches on software",
	  "cpu-clock",
	  { .branch_filter = 8 },
	  { .branch = -EOPNOTSUPP },
	  {},
	  1,
	  "doesn't support branch stack sampling",
	  "cycles:u" },
	{ "branches on software, no PMU",
	  "cpu-clock",
	  { .branch_filter = 8 },
	  { .branch = -EOPNOTSUPP },
	  { .no_pmu = true },
	  1,
	  "doesn't support branch stack sampling",
	  "has no PMU" },
	{ "no PMU in a VM",
	  "cycles",
	  {},
	  { .event = -ENOENT },
	  { .no_pmu = true, .vm = true },
	  1,
	  "this virtual machine has no PMU",
	  "cpu-clock" },
	{ "no PMU in a VM, branches",
	  "cycles",
	  { .branch_filter = 8 },
	  { .event = -ENOENT },
	  { .no_pmu = true, .vm = true },
	  1,
	  "no taken branches to record",
	  "metal" },
	{ "no PMU on metal",
	  "cycles",
	  {},
	  { .event = -ENOENT },
	  { .no_pmu = true },
	  1,
	  "no PMU that the kernel supports",
	  "dmesg" },
	{ "busy", "cycles", {}, { .all = -EBUSY }, {}, 1, "the PMU is in use", "nmi_watchdog" },
	{ "bad breakpoint",
	  "mem:0x1001/8:w",
	  {},
	  { .event = -EINVAL },
	  {},
	  1,
	  "bp_addr, bp_len, bp_type",
	  "multiple of the length" },
	{ "no such event",
	  "stalled-cycles-backend",
	  {},
	  { .event = -ENOENT },
	  {},
	  1,
	  "not an event that this CPU's PMU knows",
	  "perf list" },
	{ "Zen 3",
	  "cycles",
	  { .branch_filter = 8 },
	  { .branch = -EINVAL },
	  { .no_lbr = true, .brs = true, .vendor = "AuthenticAMD", .family = 0x19 },
	  1,
	  "Zen 3",
	  "branch-brs" },
	{ "Zen 3 whose kernel has no BRS",
	  "cycles",
	  { .branch_filter = 8 },
	  { .branch = -EINVAL },
	  { .no_lbr = true, .soft = true, .vendor = "AuthenticAMD", .family = 0x19 },
	  1,
	  "Zen 3",
	  "record -b -p PID" },
	{ "Zen 2",
	  "cycles",
	  { .branch_filter = 8 },
	  { .branch = -EOPNOTSUPP },
	  { .no_lbr = true, .vendor = "AuthenticAMD", .family = 0x17 },
	  1,
	  "family 0x17",
	  "-g." },
	{ "no PMU, branches in software",
	  "cycles",
	  { .branch_filter = 8 },
	  { .event = -ENOENT },
	  { .no_pmu = true, .vm = true, .soft = true },
	  -1,
	  "no taken branches to record",
	  "perf record -b -- COMMAND" },
	{ "branches on software, no PMU, branches in software",
	  "cpu-clock",
	  { .branch_filter = 8 },
	  { .branch = -EOPNOTSUPP },
	  { .no_pmu = true, .soft = true },
	  -1,
	  "doesn't support branch stack sampling",
	  "perf record -b -- COMMAND" },
	{ "LBR call stacks, no PMU",
	  "cycles",
	  { .callchain = { .mode = CALLCHAIN_LBR } },
	  { .event = -ENOENT },
	  { .no_pmu = true, .vm = true, .soft = true },
	  1,
	  "no PMU",
	  "--call-graph dwarf" },
	{ "LBR call stacks, no LBR",
	  "cycles",
	  { .callchain = { .mode = CALLCHAIN_LBR } },
	  { .branch = -EOPNOTSUPP },
	  { .no_lbr = true, .soft = true },
	  1,
	  "no last branch records",
	  "--call-graph dwarf" },
	{ "LBR call stacks on AMD",
	  "cycles",
	  { .callchain = { .mode = CALLCHAIN_LBR } },
	  { .no_branch = PERF_SAMPLE_BRANCH_CALL_STACK, .precise = -1 },
	  { .vendor = "AuthenticAMD", .family = 0x1a },
	  1,
	  "does not know the branch filter stack",
	  "--call-graph dwarf" },
	{ "VM hides LBR",
	  "cycles",
	  { .branch_filter = 8 },
	  { .branch = -EOPNOTSUPP },
	  { .no_lbr = true, .vm = true },
	  1,
	  "counters but no LBR",
	  "metal" },
	{ "no LBR",
	  "cycles",
	  { .branch_filter = 8 },
	  { .branch = -EOPNOTSUPP },
	  { .no_lbr = true },
	  1,
	  "no last branch records",
	  "-g" },
	{ "precise with filter",
	  "cycles:pp",
	  { .branch_filter = PERF_SAMPLE_BRANCH_IND_CALL },
	  { .precise_filter = -EOPNOTSUPP, .precise = -1 },
	  {},
	  1,
	  "only the filter 'any'",
	  "-j any" },
	{ "unknown filter",
	  "cycles",
	  { .branch_filter = PERF_SAMPLE_BRANCH_COND },
	  { .no_branch = PERF_SAMPLE_BRANCH_COND, .precise = -1 },
	  {},
	  1,
	  "does not know the branch filter cond",
	  "-j any,u opens here" },
	{ "unknown filter, LBR of which nobody told",
	  "cycles",
	  { .branch_filter = PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL },
	  { .no_branch = PERF_SAMPLE_BRANCH_IND_JUMP, .precise = -1 },
	  { .no_lbr = true },
	  1,
	  "does not know the branch filter ind_jmp",
	  "one by one" },
	{ "Zen 4 in a VM",
	  "cycles",
	  { .branch_filter = 8 },
	  { .branch = -EOPNOTSUPP },
	  { .no_lbr = true, .vm = true, .vendor = "AuthenticAMD", .family = 0x19 },
	  1,
	  "counters but no LBR",
	  "metal" },
	{ "Zen 5 in a VM",
	  "cycles",
	  { .branch_filter = 8 },
	  { .branch = -EOPNOTSUPP },
	  { .no_lbr = true, .vm = true, .vendor = "AuthenticAMD", .family = 0x1a },
	  1,
	  "counters but no LBR",
	  "metal" },
	{ "no interrupt",
	  "cycles",
	  {},
	  { .sampling = -EOPNOTSUPP },
	  {},
	  1,
	  "cannot sample",
	  "cpu-clock" },
	{ "frequency",
	  "cycles",
	  { .freq = 200000 },
	  { .sampling = -EINVAL },
	  {},
	  1,
	  "sample_freq: 200000",
	  "max_sample_rate=200000" },
	{ "precise level", "cycles:pp", {}, { .precise = 0 }, {}, 1, "precise_ip 2", "fewer p" },
	{ "precise level on AMD",
	  "instructions:p",
	  {},
	  { .precise = 0 },
	  { .vendor = "AuthenticAMD" },
	  1,
	  "IBS",
	  "fewer p" },
	{ "SIMD unknown to the kernel",
	  "cycles",
	  { .intr_regs = &zmm, .regs_caps = &simd_caps, .user_regs_caps = &simd_caps },
	  { .simd = -E2BIG, .precise = -1 },
	  {},
	  1,
	  "attr size 136) does not know SIMD",
	  "-I?" },
	{ "SIMD refused",
	  "cycles",
	  { .intr_regs = &zmm, .regs_caps = &simd_caps, .user_regs_caps = &simd_caps },
	  { .simd = -EINVAL, .precise = -1 },
	  {},
	  1,
	  "cannot sample the registers",
	  "-I?" },
	{ "registers",
	  "cycles",
	  { .user_regs = &ax, .regs_caps = &simd_caps, .user_regs_caps = &simd_caps },
	  { .regs = -EINVAL, .precise = -1 },
	  {},
	  1,
	  "sample_regs_user",
	  "--user-regs=?" },
	{ "stack",
	  "cycles",
	  { .callchain = { .mode = CALLCHAIN_DWARF, .stack_size = 65528 } },
	  { .stack = -EINVAL, .precise = -1 },
	  {},
	  1,
	  "sample_stack_user",
	  "dwarf,8192" },
	{ "clock",
	  "cycles",
	  { .use_clockid = true, .clockid = 7 },
	  { .clock = -EINVAL, .precise = -1 },
	  {},
	  1,
	  "clockid: clock 7",
	  "mono" },
	{ "group",
	  "{cycles,instructions}",
	  {},
	  { .member = -EINVAL, .precise = -1 },
	  {},
	  1,
	  "not as a group",
	  ":W" },
	{ "unknown bit",
	  "cycles",
	  { .cgroups = true },
	  { .no_sample = PERF_SAMPLE_CGROUP, .precise = -1 },
	  {},
	  1,
	  "sample_type CGROUP",
	  "-vv" },
	{ "not supported",
	  "cycles",
	  { .inherit = true },
	  { .inherit = -EOPNOTSUPP, .precise = -1 },
	  {},
	  1,
	  "inherit: the PMU",
	  "-vv" },
	{ "something else", "cycles", {}, { .all = -EIO }, {}, 1, "Input/output error", "dmesg" },
};

static void explanations(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		const struct message *m = &messages[i];
		struct kernel k = m->k;
		struct event_opener o = { .open = fake_open, .ctx = &k };
		struct open_context ctx = context_of(&m->where);
		struct event_list l;
		struct err e = { 0 };
		size_t at;
		int group = -1, code;

		make(&l, m->event, m->c);
		at = l.n - 1;
		if (at)
			group = 1000;
		code = event_open(&o, &l.v[at], m->pid, 3, group);
		if (code >= 0)
			fail_msg("%s: opens", m->what);
		assert_int_equal(events_explain_open_error(&o, &l.v[at], m->pid, 3, code, &ctx, &e),
				 code);
		if (!strstr(e.text, m->text) || !strstr(e.hint, m->hint))
			fail_msg("%s: %s | %s", m->what, e.text, e.hint);
		/* Whatever is said, it names the event. */
		assert_non_null(strstr(e.text, l.v[at].name));
		events_free(&l);
	}
}

static void tracepoint_message(void **state)
{
	struct kernel k = { .all = -EACCES };
	struct event_opener o = { .open = fake_open, .ctx = &k };
	struct event ev = { .name = "sched:sched_switch", .nr_members = 1 };
	struct err e = { 0 };

	(void)state;
	ev.attr.type = PERF_TYPE_TRACEPOINT;
	events_explain_open_error(&o, &ev, 1, -1, -EACCES, &user_in_vm, &e);
	assert_non_null(strstr(e.text, "raw data of tracepoints"));
	assert_non_null(strstr(e.hint, "paranoid=-1"));
}

static void too_new_a_field(void **state)
{
	struct kernel k = { .all = -E2BIG };
	struct event_opener o = { .open = fake_open, .ctx = &k };
	struct event ev = { .name = "cpu/frontend=1/", .nr_members = 1 };
	struct err e = { 0 };

	(void)state;
	ev.attr.config3 = 1;
	ev.attr.size = PERF_ATTR_SIZE_VER8;
	events_explain_open_error(&o, &ev, 1, -1, -E2BIG, &user_in_vm, &e);
	assert_non_null(strstr(e.text, "size: this kernel"));
	assert_non_null(strstr(e.hint, "newer kernel"));
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
		cmocka_unit_test(explanations),
		cmocka_unit_test(tracepoint_message),
		cmocka_unit_test(too_new_a_field),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
