/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Made kernels: a function in place of the system call refuses what that kernel would refuse. */
#ifndef PERF_EVENTS_KERNEL_H
#define PERF_EVENTS_KERNEL_H

#include "unit.h"

#include "no-pmus.h"

#define F(n) ATTR_FLAG_##n

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

static inline int fake_open(void *ctx, struct perf_event_attr *a, pid_t pid, int cpu, int group_fd,
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

static inline void make(struct event_list *l, const char *text, struct events_config c)
{
	struct err e = { 0 };

	memset(l, 0, sizeof(*l));
	if (events_parse(l, none, text, &e) || events_configure(l, &c, &e))
		fail_msg("%s: %s", text, e.text);
}

#endif
