// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why the kernel refused an event. A table of causes, the most telling first; each knows when it
 * holds and says what was tried, what refused it, why we think so, and what to do next.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "branch/branch.h"
#include "events/private.h"

#define BRANCHES(a) ((a)->sample_type & PERF_SAMPLE_BRANCH_STACK)

struct cause {
	const char *id; /* what the tests call it */
	int code;	/* 0 = any */
	bool (*holds)(const struct refusal *r);
	void (*say)(const struct refusal *r, struct err *e);
};

/* ---- helpers ------------------------------------------------------------------------------------- */

static bool is_hardware(const struct refusal *r)
{
	return r->attr->type == PERF_TYPE_HARDWARE || r->attr->type == PERF_TYPE_HW_CACHE ||
	       r->attr->type == PERF_TYPE_RAW || (r->ev->pmu && r->ev->pmu->is_core);
}

static bool is_software(const struct refusal *r)
{
	return r->attr->type == PERF_TYPE_SOFTWARE || r->attr->type == PERF_TYPE_TRACEPOINT ||
	       r->attr->type == PERF_TYPE_BREAKPOINT;
}

static bool is_amd(const struct refusal *r)
{
	return !strcmp(r->ctx->vendor, "AuthenticAMD") || !strcmp(r->ctx->vendor, "HygonGenuine");
}

static unsigned precise(const struct refusal *r)
{
	return (unsigned)((r->attr->flags & ATTR_FLAG_PRECISE_MASK) >> ATTR_FLAG_PRECISE_SHIFT);
}

static bool denied(const struct refusal *r)
{
	return r->code == -EACCES || r->code == -EPERM;
}

/* The code alone says it. */
static bool always(const struct refusal *r)
{
	(void)r;
	return true;
}

/* ---- permission ------------------------------------------------------------------------------------ */

/* A filter answers before the kernel's own rules do, so nothing else explains a root's EPERM. */
static bool seccomp_denied(const struct refusal *r)
{
	const struct open_context *c = r->ctx;
	bool allowed = c->privileged || c->paranoid < (r->pid == -1 ? 1 : 2);

	return r->code == -EPERM && c->seccomp && r->field == FIELD_EVENT &&
	       r->field_code == -EPERM && (allowed || r->pid == 0);
}

static void say_seccomp(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: perf_event_open is refused with EPERM by a seccomp filter: this process runs in a container or sandbox that forbids it",
		r->ev->name);
	err_hint(
		e,
		"Docker and podman: --cap-add PERFMON (or --security-opt seccomp=unconfined);\n"
		"Kubernetes: securityContext.capabilities.add: [PERFMON]; or record from the host.");
}

static void say_enosys(const struct refusal *r, struct err *e)
{
	if (r->ctx->seccomp)
		err_set(e, r->code,
			"%s: perf_event_open is answered with ENOSYS by a seccomp filter: this container or sandbox hides it",
			r->ev->name);
	else
		err_set(e, r->code,
			"%s: this kernel (%s) has no perf_event_open: it was built without CONFIG_PERF_EVENTS",
			r->ev->name, r->ctx->release);
	err_hint(e, r->ctx->seccomp ? "Allow the system call in the container's seccomp profile."
				    : "A kernel with CONFIG_PERF_EVENTS=y is needed.");
}

static bool denied_tracepoint(const struct refusal *r)
{
	return denied(r) && r->attr->type == PERF_TYPE_TRACEPOINT && !r->ctx->privileged;
}

static void say_tracepoint(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: the raw data of tracepoints needs CAP_PERFMON or kernel.perf_event_paranoid = -1 (it is %d)",
		r->ev->name, r->ctx->paranoid);
	err_hint(e, "Run as root, or: sysctl kernel.perf_event_paranoid=-1");
}

static bool denied_system_wide(const struct refusal *r)
{
	return denied(r) && r->pid == -1 && r->ctx->paranoid > 0 && !r->ctx->privileged;
}

static void say_system_wide(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: watching all processes (-a, -C) needs CAP_PERFMON or kernel.perf_event_paranoid <= 0 (it is %d)",
		r->ev->name, r->ctx->paranoid);
	err_hint(
		e,
		"Run as root, or: sysctl kernel.perf_event_paranoid=0\n"
		"Your own processes can be recorded without: perf record -p PID, perf record COMMAND");
}

static bool denied_everything(const struct refusal *r)
{
	return denied(r) && r->ctx->paranoid > 2 && !r->ctx->privileged;
}

static void say_everything(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: kernel.perf_event_paranoid is %d: this kernel lets only privileged users open events",
		r->ev->name, r->ctx->paranoid);
	err_hint(e, "Run as root or with CAP_PERFMON, or: sysctl kernel.perf_event_paranoid=2");
}

static bool denied_kernel(const struct refusal *r)
{
	return denied(r) && r->ctx->paranoid > 1 && !r->ctx->privileged &&
	       !(r->attr->flags & ATTR_FLAG_EXCLUDE_KERNEL);
}

static void say_kernel(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: sampling the kernel needs CAP_PERFMON or kernel.perf_event_paranoid <= 1 (it is %d)",
		r->ev->name, r->ctx->paranoid);
	err_hint(e, "User space alone works: -e %.*s:u, or --all-user",
		 (int)strcspn(r->ev->name, ":"), r->ev->name);
}

static bool denied_branch(const struct refusal *r)
{
	return denied(r) && r->field == FIELD_BRANCH;
}

static void say_denied_branch(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: branch_sample_type: taken branches of the kernel need CAP_PERFMON or kernel.perf_event_paranoid <= 1 (it is %d)",
		r->ev->name, r->ctx->paranoid);
	err_hint(e, "User branches alone work: -e %.*s:u -j any,u", (int)strcspn(r->ev->name, ":"),
		 r->ev->name);
}

static bool denied_process(const struct refusal *r)
{
	return denied(r) && r->pid > 0;
}

static void say_process(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: process %d may not be watched: it belongs to another user, or is protected (set-uid, Yama, LSM)",
		r->ev->name, r->pid);
	err_hint(e, "Run as that user, as root, or with CAP_PERFMON and CAP_SYS_PTRACE.");
}

static bool is_denied(const struct refusal *r)
{
	return denied(r);
}

static void say_denied(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: no permission (%s); field: %s; kernel.perf_event_paranoid is %d",
		r->ev->name, strerror(-r->code), r->name, r->ctx->paranoid);
	err_hint(e,
		 "A security module or kernel lockdown may forbid it: see dmesg, or run as root.");
}

/* ---- limits ------------------------------------------------------------------------------------------- */

static void say_nofile(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: too many open files: one descriptor per event, CPU and thread is needed, the limit is %llu",
		r->ev->name, (unsigned long long)r->ctx->nofile);
	err_hint(e, "Raise it: ulimit -n %llu; or record fewer events, CPUs or threads.",
		 (unsigned long long)r->ctx->nofile * 8);
}

static void say_enfile(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: the whole system has no free file descriptor (fs.file-max)",
		r->ev->name);
	err_hint(e, "See: sysctl fs.file-nr");
}

static void say_busy(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: the PMU is in use: an exclusive or pinned event, an NMI watchdog or another profiler holds it",
		r->ev->name);
	err_hint(e, "Free the watchdog's counter: sysctl kernel.nmi_watchdog=0");
}

static void say_gone(const struct refusal *r, struct err *e)
{
	if (r->pid <= 0) {
		err_set(e, r->code, "%s: CPU %d is not there", r->ev->name, r->cpu);
		err_hint(e, "See /sys/devices/system/cpu/online");
		return;
	}
	err_set(e, r->code, "%s: process %d does not exist any more", r->ev->name, r->pid);
	err_hint(e, "See: ps -e");
}

static bool breakpoint(const struct refusal *r)
{
	return r->attr->type == PERF_TYPE_BREAKPOINT;
}

static void say_slots(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: all hardware breakpoints of the CPU are taken (x86 has 4)",
		r->ev->name);
	err_hint(e, "Record fewer breakpoints, or end the debugger that holds them.");
}

static void say_memory(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: the kernel has no memory for this event", r->ev->name);
	err_hint(e, "Record fewer events, CPUs or threads.");
}

static void say_max_stack(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: sample_max_stack: %u frames are more than kernel.perf_event_max_stack allows",
		r->ev->name, r->attr->sample_max_stack);
	err_hint(e, "Raise it: sysctl kernel.perf_event_max_stack=%u", r->attr->sample_max_stack);
}

/* ---- the event itself ------------------------------------------------------------------------------------ */

static bool no_pmu(const struct refusal *r)
{
	return is_hardware(r) && r->field == FIELD_EVENT && !r->ctx->has_core_pmu &&
	       (r->code == -ENOENT || r->code == -ENODEV || r->code == -ENXIO ||
		r->code == -EOPNOTSUPP);
}

static void say_no_pmu(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: %s%s", r->ev->name,
		r->ctx->in_vm
			? "this virtual machine has no PMU (its hypervisor hides the counters)"
			: "this machine has no PMU that the kernel supports",
		BRANCHES(r->attr) ? ", so there are no taken branches to record" : "");
	if (BRANCHES(r->attr))
		err_hint(e, "Record on the host or on a machine with a PMU%s.",
			 r->ctx->in_vm ? " (cloud: a *.metal instance)" : "");
	else
		err_hint(e, "The clock works everywhere: -e cpu-clock. Counters: %s",
			 r->ctx->in_vm ? "enable the virtual PMU (QEMU/libvirt: -cpu host,pmu=on)."
				       : "see dmesg | grep -i perf.");
}

static bool no_event(const struct refusal *r)
{
	return r->field == FIELD_EVENT &&
	       (r->code == -ENOENT || r->code == -ENODEV || r->code == -ENXIO ||
		(r->code == -EINVAL && is_hardware(r)));
}

static void say_no_event(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: config %#llx of type %u is not an event that this %s knows (%s)",
		r->ev->name, (unsigned long long)r->attr->config, r->attr->type,
		is_hardware(r) ? "CPU's PMU" : "kernel", strerror(-r->code));
	err_hint(e, "'perf list' shows what can be recorded here.");
}

static bool bad_breakpoint(const struct refusal *r)
{
	return breakpoint(r) && r->field == FIELD_EVENT;
}

static void say_bad_breakpoint(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: bp_addr, bp_len, bp_type: the CPU cannot watch %llu bytes at %#llx with this access",
		r->ev->name, (unsigned long long)r->attr->bp_len,
		(unsigned long long)r->attr->bp_addr);
	err_hint(
		e,
		"The address must be a multiple of the length; x86 watches w, rw and x, not r alone.");
}

/* ---- branches ---------------------------------------------------------------------------------------------- */

static bool branch_software(const struct refusal *r)
{
	return BRANCHES(r->attr) && is_software(r) &&
	       (r->code == -EOPNOTSUPP || r->field == FIELD_BRANCH);
}

static void say_branch_software(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: PMU Hardware or event type doesn't support branch stack sampling: branch_sample_type needs a hardware event, this is a software one",
		r->ev->name);
	err_hint(e, r->ctx->has_core_pmu
			    ? "Use a hardware event: -e cycles:u"
			    : "This machine has no PMU, so no event can carry taken branches.");
}

/* AMD Zen 3: branch sampling hangs on one event, at a fixed period, and knows no filter. */
static bool branch_amd_old(const struct refusal *r)
{
	const struct open_context *c = r->ctx;

	if (r->field != FIELD_BRANCH || !is_amd(r) || !c->has_core_pmu || c->has_lbr)
		return false;
	/* Family 0x19 is Zen 3 and Zen 4; a hypervisor may have hidden what the CPU has. */
	return c->family < 0x19 || (c->family == 0x19 && (c->has_brs || !c->in_vm));
}

static void say_branch_amd_old(const struct refusal *r, struct err *e)
{
	if (r->ctx->family == 0x19) {
		err_set(e, r->code,
			"%s: branch_sample_type: AMD Zen 3 records branches (BRS) only for the event branch-brs, at a fixed period, with any privilege",
			r->ev->name);
		err_hint(e, "perf record -b -e cpu/branch-brs/ -c 1000037 ...");
		return;
	}
	err_set(e, r->code,
		"%s: branch_sample_type: this AMD CPU (family %#x) records no taken branches: Zen 3 has BRS, Zen 4 and later have LBR",
		r->ev->name, r->ctx->family);
	err_hint(e, "Record on Zen 4 or later, or an Intel CPU.");
}

static bool branch_precise(const struct refusal *r)
{
	return r->field == FIELD_BRANCH && r->precise_refused;
}

static void say_branch_precise(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: branch_sample_type: at precise level %u this CPU takes only the filter 'any' with the event's own privilege levels",
		r->ev->name, precise(r));
	err_hint(e, "Drop the p modifiers, or use -j any.");
}

static bool branch_no_lbr(const struct refusal *r)
{
	return r->field == FIELD_BRANCH && !r->ctx->has_lbr && !r->branches_work;
}

static void say_branch_no_lbr(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: branch_sample_type: %s", r->ev->name,
		r->ctx->in_vm ? "the hypervisor gives this virtual machine counters but no LBR"
			      : "this CPU has no last branch records (LBR)");
	err_hint(e, "%s",
		 r->ctx->in_vm
			 ? "Record on the host (cloud: a *.metal instance), or without -b and -j."
			 : "Record without -b and -j, with -g for call chains.");
}

static bool branch_filter(const struct refusal *r)
{
	return r->field == FIELD_BRANCH;
}

static void say_branch_filter(const struct refusal *r, struct err *e)
{
	char names[256] = "";
	uint64_t bit;

	for (size_t i = 0, n = 0; branch_filter_name(i, &bit) && n < sizeof(names); i++)
		if (r->bad_filters & bit)
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? "," : "",
					      branch_filter_name(i, NULL));
	if (r->bad_filters)
		err_set(e, r->code,
			"%s: branch_sample_type: this CPU or kernel (%s) does not know the branch filter %s",
			r->ev->name, r->ctx->release, names);
	else
		err_set(e, r->code,
			"%s: branch_sample_type: this CPU or kernel (%s) refuses the branch filters %#llx together",
			r->ev->name, r->ctx->release,
			(unsigned long long)r->attr->branch_sample_type);
	err_hint(e, "%s",
		 r->branches_work
			 ? "-j any,u opens here; add filters one by one."
			 : "-j any works where branches work at all; add filters one by one.");
}

/* ---- sampling ------------------------------------------------------------------------------------------------ */

static bool no_interrupt(const struct refusal *r)
{
	return r->field == FIELD_PERIOD && (r->code == -EOPNOTSUPP || r->code == -EINVAL) &&
	       !((r->attr->flags & ATTR_FLAG_FREQ) && r->ctx->max_freq &&
		 r->attr->sample_freq > r->ctx->max_freq);
}

static void say_no_interrupt(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: sample_period: PMU %s counts but cannot sample (no overflow interrupt)",
		r->ev->name, r->ev->pmu ? r->ev->pmu->name : "hardware");
	err_hint(e, "Sample another event, such as cycles or cpu-clock, in its place.");
}

static bool freq_too_high(const struct refusal *r)
{
	return r->field == FIELD_PERIOD && r->attr->flags & ATTR_FLAG_FREQ;
}

static void say_freq(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: sample_freq: %llu samples a second are more than kernel.perf_event_max_sample_rate (%llu)",
		r->ev->name, (unsigned long long)r->attr->sample_freq,
		(unsigned long long)r->ctx->max_freq);
	err_hint(e, "-F max, or: sysctl kernel.perf_event_max_sample_rate=%llu",
		 (unsigned long long)r->attr->sample_freq);
}

static bool precise_level(const struct refusal *r)
{
	return r->field == FIELD_PRECISE;
}

static void say_precise(const struct refusal *r, struct err *e)
{
	if (is_amd(r))
		err_set(e, r->code,
			"%s: precise_ip %u: AMD samples precisely through IBS, only for cycles and some uops events, and not in most virtual machines",
			r->ev->name, precise(r));
	else
		err_set(e, r->code,
			"%s: precise_ip %u: this %s offers no such precision for this event",
			r->ev->name, precise(r), r->ctx->in_vm ? "virtual machine" : "CPU");
	err_hint(e, "Use fewer p modifiers, or P: the highest level that opens.");
}

/* ---- registers, stacks, clocks ----------------------------------------------------------------------------------- */

static bool simd_unknown(const struct refusal *r)
{
	return (r->code == -E2BIG || r->field == FIELD_SIMD) && r->attr->sample_simd_regs_enabled;
}

static void say_simd(const struct refusal *r, struct err *e)
{
	if (r->kernel_size && r->kernel_size < PERF_ATTR_SIZE_VER10)
		err_set(e, r->code,
			"%s: sample_simd_*: this kernel (%s, attr size %u) does not know SIMD, APX and SSP registers",
			r->ev->name, r->ctx->release, r->kernel_size);
	else if (r->attr->type == PERF_TYPE_SOFTWARE)
		err_set(e, r->code,
			"%s: %s: a software event has no SIMD registers; take one of the CPU's, such as cycles",
			r->ev->name, r->name);
	else
		err_set(e, r->code, "%s: %s: this CPU or PMU cannot sample the registers asked for",
			r->ev->name, r->name);
	err_hint(e, "perf record -I? lists what opens here.");
}

static void say_too_big(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: size: this kernel (%s) knows attrs of %u bytes, the event needs %u: it uses a field that is too new",
		r->ev->name, r->ctx->release, r->kernel_size, r->attr->size);
	err_hint(e, "config3, config4 and SIMD registers need a newer kernel.");
}

static bool regs_refused(const struct refusal *r)
{
	return r->field == FIELD_REGS_USER || r->field == FIELD_REGS_INTR;
}

static void say_regs(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: %s: this kernel or CPU cannot sample registers %#llx", r->ev->name,
		r->name,
		(unsigned long long)(r->field == FIELD_REGS_USER ? r->attr->sample_regs_user
								 : r->attr->sample_regs_intr));
	err_hint(e, "perf record -I? and --user-regs=? list what opens here.");
}

static bool stack_refused(const struct refusal *r)
{
	return r->field == FIELD_STACK;
}

static void say_stack(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: sample_stack_user: this kernel cannot copy %u bytes of user stack per sample",
		r->ev->name, r->attr->sample_stack_user);
	err_hint(e, "Try --call-graph dwarf,8192, or -g (frame pointers).");
}

static bool clock_refused(const struct refusal *r)
{
	return r->field == FIELD_CLOCK;
}

static void say_clock(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: clockid: clock %d cannot stamp events that interrupt anything (only monotonic and monotonic_raw can when sampling hardware)",
		r->ev->name, r->attr->clockid);
	err_hint(e, "Use -k mono or -k mono_raw, or leave -k out.");
}

/* ---- the rest ------------------------------------------------------------------------------------------------------- */

static bool cgroup_refused(const struct refusal *r)
{
	return r->ev->cgroup && r->field == FIELD_GROUP;
}

static void say_cgroup(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: the kernel does not take the cgroup '%s': %s", r->ev->name,
		r->ev->cgroup, strerror(-r->code));
	err_hint(
		e,
		"It opens without -G. The group must lie in cgroup2 or in the hierarchy of perf_event,\n"
		"and the kernel needs CONFIG_CGROUP_PERF.");
}

static bool group_refused(const struct refusal *r)
{
	return r->field == FIELD_GROUP && r->ev->nr_members != 1;
}

static void say_group(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: each event opens alone, but not as a group: the PMU has too few counters or the events belong to different PMUs",
		r->ev->name);
	err_hint(e, "Make the group smaller, or let it be broken up: {...}:W");
}

static bool unknown_bit(const struct refusal *r)
{
	return r->code == -EINVAL && r->field != FIELD_EVENT && r->field != FIELD_GROUP;
}

static void say_unknown_bit(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: %s: this kernel (%s) does not know it or the PMU refuses it",
		r->ev->name, r->name, r->ctx->release);
	err_hint(e,
		 "Leave the option away that asks for it; perf record -vv shows the whole attr.");
}

static void say_not_supported(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: %s: the PMU of this event does not support it", r->ev->name,
		r->name);
	err_hint(e, "perf record -vv shows the whole attr; 'perf list' shows other events.");
}

static void say_other(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: perf_event_open failed: %s (first field refused: %s)", r->ev->name,
		strerror(-r->code), r->name);
	err_hint(e, "See dmesg; perf record -vv shows the attr.");
}

/* First match wins. */
static const struct cause causes[] = {
	{ "enosys", -ENOSYS, always, say_enosys },
	{ "seccomp", -EPERM, seccomp_denied, say_seccomp },
	{ "tracepoint", 0, denied_tracepoint, say_tracepoint },
	{ "paranoid-all", 0, denied_everything, say_everything },
	{ "system-wide", 0, denied_system_wide, say_system_wide },
	{ "branch-kernel", 0, denied_branch, say_denied_branch },
	{ "kernel", 0, denied_kernel, say_kernel },
	{ "process", 0, denied_process, say_process },
	{ "denied", 0, is_denied, say_denied },
	{ "nofile", -EMFILE, always, say_nofile },
	{ "enfile", -ENFILE, always, say_enfile },
	{ "gone", -ESRCH, always, say_gone },
	{ "slots", -ENOSPC, breakpoint, say_slots },
	{ "memory", -ENOMEM, always, say_memory },
	{ "max-stack", -EOVERFLOW, always, say_max_stack },
	{ "branch-software", 0, branch_software, say_branch_software },
	{ "no-pmu", 0, no_pmu, say_no_pmu },
	{ "busy", -EBUSY, always, say_busy },
	{ "breakpoint", 0, bad_breakpoint, say_bad_breakpoint },
	{ "no-event", 0, no_event, say_no_event },
	{ "branch-amd", 0, branch_amd_old, say_branch_amd_old },
	{ "branch-no-lbr", 0, branch_no_lbr, say_branch_no_lbr },
	{ "branch-precise", 0, branch_precise, say_branch_precise },
	{ "branch-filter", 0, branch_filter, say_branch_filter },
	{ "no-interrupt", 0, no_interrupt, say_no_interrupt },
	{ "freq", 0, freq_too_high, say_freq },
	{ "precise", 0, precise_level, say_precise },
	{ "simd", 0, simd_unknown, say_simd },
	{ "too-big", -E2BIG, always, say_too_big },
	{ "regs", 0, regs_refused, say_regs },
	{ "stack", 0, stack_refused, say_stack },
	{ "clock", 0, clock_refused, say_clock },
	{ "cgroup", 0, cgroup_refused, say_cgroup },
	{ "group", 0, group_refused, say_group },
	{ "unknown-bit", 0, unknown_bit, say_unknown_bit },
	{ "not-supported", -EOPNOTSUPP, always, say_not_supported },
	{ "other", 0, always, say_other },
};

int events_explain_open_error(struct event_opener *o, const struct event *ev, pid_t pid, int cpu,
			      int code, const struct open_context *ctx, struct err *e)
{
	struct refusal r = {
		.ev = ev, .attr = &ev->attr, .pid = pid, .cpu = cpu, .code = code, .ctx = ctx
	};

	refusal_find(&r, o);
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		if ((causes[i].code && causes[i].code != code) || !causes[i].holds(&r))
			continue;
		log_debug("%s: cause '%s': code %d, field %s", ev->name, causes[i].id, code,
			  r.name);
		causes[i].say(&r, e);
		break;
	}
	return code;
}
