// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record -v: what registers and branch stacks cost, per sample and per second. */
#include "recorder/recorder.h"
#include "xsave/xsave.h"

#define MAX_BRANCHES 32 /* where no PMU says how many it keeps */

/* One register block: its masks are the attr's for intr or user. */
static uint32_t block_bytes(const struct perf_event_attr *a, uint64_t gpr, uint64_t vec,
			    uint64_t pred)
{
	struct xsave_sample_shape s = {
		.nr_gpr = (unsigned)__builtin_popcountll(gpr),
		.nr_vectors = (unsigned)__builtin_popcountll(vec),
		.vector_qwords = vec ? a->sample_simd_vec_reg_qwords : 0,
		.nr_pred = (unsigned)__builtin_popcountll(pred),
		.pred_qwords = pred ? a->sample_simd_pred_reg_qwords : 0,
		.simd_abi = vec || pred,
	};

	return xsave_sample_bytes(&s);
}

/* The most that they add to a sample: blocks may come without registers, stacks half full. */
static uint32_t added_bytes(const struct recorder *rec, const struct perf_event_attr *a)
{
	struct xsave_sample_shape branches = {
		.branches = rec->context.lbr_depth ? rec->context.lbr_depth : MAX_BRANCHES,
		.branch_hw_index = a->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX,
	};
	uint32_t bytes = 0;

	if (rec->soft_branches && rec->opts->branch_depth)
		branches.branches = (unsigned)rec->opts->branch_depth;
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		bytes += xsave_sample_bytes(&branches);
	if (a->sample_type & PERF_SAMPLE_REGS_USER)
		bytes += block_bytes(a, a->sample_regs_user, a->sample_simd_vec_reg_user,
				     a->sample_simd_pred_reg_user);
	if (a->sample_type & PERF_SAMPLE_REGS_INTR)
		bytes += block_bytes(a, a->sample_regs_intr, a->sample_simd_vec_reg_intr,
				     a->sample_simd_pred_reg_intr);
	return bytes;
}

void recorder_say_cost(const struct recorder *rec)
{
	for (size_t i = 0; i < rec->events->n; i++) {
		const struct event *ev = &rec->events->v[i];
		const struct perf_event_attr *a = &ev->attr;
		uint32_t bytes = added_bytes(rec, a);

		if (!bytes || event_is_dummy(ev))
			continue;
		if (a->flags & ATTR_FLAG_FREQ)
			log_info("%s: registers and branches add up to %u bytes to a sample: "
				 "at %llu samples/s %.3f MB/s on each busy CPU",
				 ev->name, bytes, (unsigned long long)a->sample_freq,
				 (double)bytes * (double)a->sample_freq / 1e6);
		else
			log_info("%s: registers and branches add up to %u bytes to a sample: "
				 "one sample every %llu events is %.3f MB for a million events",
				 ev->name, bytes, (unsigned long long)a->sample_period,
				 a->sample_period ? (double)bytes / (double)a->sample_period : 0);
	}
}
