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

#include "events/explain-int.h"

void explain_modified(const struct refusal *r, const char *mods, char *text, size_t size)
{
	const char *name = r->ev->name, *slash = strrchr(name, '/');
	size_t n = slash ? (size_t)(slash - name) + 1 : strcspn(name, ":");

	if (r->ev->tp_system && name[n])
		n += 1 + strcspn(name + n + 1, ":");
	snprintf(text, size, "%.*s%s%s", (int)n, name, slash || !*mods ? "" : ":", mods);
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

/* Kernels of some distributions; to others a level above 2 is 2. */
static bool denied_everything(const struct refusal *r)
{
	return denied(r) && r->ctx->paranoid > 2 && !r->ctx->privileged && !r->user_works;
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
	char name[128];

	err_set(e, r->code,
		"%s: sampling the kernel needs CAP_PERFMON or kernel.perf_event_paranoid <= 1 (it is %d)",
		r->ev->name, r->ctx->paranoid);
	explain_modified(r, "u", name, sizeof(name));
	err_hint(e, "User space alone works: -e %s, or --all-user", name);
}

static bool denied_process(const struct refusal *r)
{
	return denied(r) && r->pid > 0 && r->field != FIELD_BRANCH;
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
	return denied(r) && r->field != FIELD_BRANCH;
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
		has_branches(r) ? ", so there are no taken branches to record" : "");
	if (has_branches(r))
		err_hint(e, "%s\nThe CPU's own: %sa machine with a PMU%s.",
			 explain_instead_of_branches(r), r->ctx->in_vm ? "the host or " : "",
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
	err_hint(e, "The clock can be sampled everywhere: -e cpu-clock");
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

static const struct cause permission_and_limits[] = {
	{ "enosys", -ENOSYS, always, say_enosys },
	{ "seccomp", -EPERM, seccomp_denied, say_seccomp },
	{ "tracepoint", 0, denied_tracepoint, say_tracepoint },
	{ "paranoid-all", 0, denied_everything, say_everything },
	{ "system-wide", 0, denied_system_wide, say_system_wide },
	{ "kernel", 0, denied_kernel, say_kernel },
	{ "process", 0, denied_process, say_process },
	{ "denied", 0, is_denied, say_denied },
	{ "nofile", -EMFILE, always, say_nofile },
	{ "enfile", -ENFILE, always, say_enfile },
	{ "gone", -ESRCH, always, say_gone },
	{ "slots", -ENOSPC, breakpoint, say_slots },
	{ "memory", -ENOMEM, always, say_memory },
	{ "max-stack", -EOVERFLOW, always, say_max_stack },
	{ "busy", -EBUSY, always, say_busy },
	{},
};

static const struct cause the_rest[] = {
	{ "no-pmu", 0, no_pmu, say_no_pmu },
	{ "breakpoint", 0, bad_breakpoint, say_bad_breakpoint },
	{ "no-event", 0, no_event, say_no_event },
	{ "no-interrupt", 0, no_interrupt, say_no_interrupt },
	{ "freq", 0, freq_too_high, say_freq },
	{ "precise", 0, precise_level, say_precise },
	{ "stack", 0, stack_refused, say_stack },
	{ "clock", 0, clock_refused, say_clock },
	{ "cgroup", 0, cgroup_refused, say_cgroup },
	{ "group", 0, group_refused, say_group },
	{ "unknown-bit", 0, unknown_bit, say_unknown_bit },
	{ "not-supported", -EOPNOTSUPP, always, say_not_supported },
	{ "other", 0, always, say_other },
	{},
};

/* First match wins; the last one always holds. */
static const struct cause *find_cause(const struct refusal *r)
{
	static const struct cause *const tables[] = { permission_and_limits, explain_branches,
						      explain_regs, the_rest };

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct cause *c = tables[t]; c->say; c++)
			if ((!c->code || c->code == r->code) && c->holds(r))
				return c;
	return NULL;
}

int events_explain_open_error(struct event_opener *o, const struct event *ev, pid_t pid, int cpu,
			      int code, const struct open_context *ctx, struct err *e)
{
	struct refusal r = {
		.ev = ev, .attr = &ev->attr, .pid = pid, .cpu = cpu, .code = code, .ctx = ctx
	};
	const struct cause *cause;

	explain_refusal(&r, o);
	cause = find_cause(&r);
	if (!cause)
		return err_set(e, code, "%s: %s", ev->name, strerror(-code));
	log_to(&o->log, LOG_DEBUG, "%s: cause '%s': code %d, field %s", ev->name, cause->id, code,
	       r.name);
	cause->say(&r, e);
	return code;
}
