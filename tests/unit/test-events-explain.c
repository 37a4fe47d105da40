// SPDX-License-Identifier: GPL-2.0-or-later
/* The explanations of what made kernels refuse: one row per message. */
#include "events-kernel.h"

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
	{ "unknown flag",
	  "cycles",
	  { .backward = true },
	  { .no_flags = F(WRITE_BACKWARD), .precise = -1 },
	  {},
	  1,
	  "write_backward",
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explanations),
		cmocka_unit_test(tracepoint_message),
		cmocka_unit_test(too_new_a_field),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
