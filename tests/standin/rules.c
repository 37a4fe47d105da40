// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What perf_event_open() refuses, with which errno: perf_event_open(2) for the common part, the
 * SIMD series v8 for register selections, the branch stack rules of 2012 and later.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

/* clang-format off */
#define EVERY_REGISTER                                                                            \
	.series = true, .xmm = true, .ymm = true, .zmm = true, .opmask = true, .apx = true,       \
	.ssp = true
/* clang-format on */

static const struct table profiles[] = {
	{ .name = "old", .attr_size = 136, .max_precise = 0 },
	{ .name = "legacy", .attr_size = 136, .legacy_xmm = true, .max_precise = 3 },
	{ .name = "ymm", .attr_size = 176, .series = true, .xmm = true, .ymm = true },
	{ .name = "full",
	  .attr_size = 176,
	  EVERY_REGISTER,
	  .lbr = true,
	  .lbr_counters = true,
	  .lbr_type = true,
	  .max_precise = 3 },
	{ .name = "pebs-xmm",
	  .attr_size = 176,
	  EVERY_REGISTER,
	  .pebs_xmm = true,
	  .max_precise = 3 },
	{ .name = "hybrid",
	  .attr_size = 176,
	  EVERY_REGISTER,
	  .lbr = true,
	  .lbr_type = true,
	  .hybrid = true,
	  .max_precise = 3 },
	{ .name = "lbr4.14",
	  .attr_size = 112,
	  .lbr = true,
	  .lbr_type = true,
	  .branch_bits = 2 * PERF_SAMPLE_BRANCH_TYPE_SAVE - 1,
	  .max_precise = 3 },
	{ .name = "nopmu", .attr_size = 136, .no_pmu = true },
	{ .name = "hidden", .attr_size = 4096, .no_pmu = true, .real = true },
	{ .name = "zen3", .attr_size = 136, .brs = true },
};

const struct table *table_find(const char *name)
{
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

#define SEGMENTS   0xf000ULL /* DS ES FS GS */
#define LEGACY_XMM 0xffffffff00000000ULL
#define EGPR	   0xffff000000ULL /* R16-R31 */
#define SSP	   (1ULL << 40)
#define XMM_YMM	   0xffffULL
#define ZMM	   0xffffffffULL

static bool is_hardware(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE ||
	       a->type == PERF_TYPE_RAW || a->type == 8 || a->type == 9;
}

static unsigned precise(const struct perf_event_attr *a)
{
	return (a->flags & ATTR_FLAG_PRECISE_MASK) >> ATTR_FLAG_PRECISE_SHIFT;
}

/* The general-purpose part of one mask. */
static int check_gpr(const struct table *p, const struct perf_event_attr *a, uint64_t mask)
{
	if (mask & SEGMENTS)
		return -EINVAL;
	if (a->sample_simd_regs_enabled) {
		if (mask >> 41)
			return -EINVAL;
		if (((mask & EGPR) && !p->apx) || ((mask & SSP) && !p->ssp))
			return -EINVAL;
		return 0;
	}
	if (!mask || (mask & 0xff000000ULL))
		return -EINVAL;
	if (!(mask & LEGACY_XMM))
		return 0;
	if (!is_hardware(a))
		return -EOPNOTSUPP;
	return (p->legacy_xmm && precise(a)) || p->xmm ? 0 : -EINVAL;
}

/* Only whole sets of registers may be asked for. */
static int check_simd(const struct table *p, const struct perf_event_attr *a, uint64_t vec,
		      uint64_t pred)
{
	uint16_t qwords = a->sample_simd_vec_reg_qwords;

	/* PEBS saves what it saves, whatever the CPU has. */
	if (p->pebs_xmm && precise(a) && (pred || (vec && qwords != 2)))
		return -EINVAL;
	if ((vec || pred) && !qwords && !a->sample_simd_pred_reg_qwords)
		return -EINVAL;
	if (vec) {
		bool has = qwords == 2 ? p->xmm : qwords == 4 ? p->ymm : qwords == 8 && p->zmm;

		if (!has || vec != (qwords == 8 ? ZMM : XMM_YMM))
			return -EINVAL;
	}
	if (pred && (a->sample_simd_pred_reg_qwords != 1 || pred != 0xff || !p->opmask))
		return -EINVAL;
	return 0;
}

static int check_registers(const struct table *p, const struct perf_event_attr *a)
{
	int ret = 0;

	if (!p->series && a->sample_simd_regs_enabled)
		return -E2BIG; /* not reached: the size was refused before */
	if (a->sample_simd_regs_enabled && !is_hardware(a))
		return -EOPNOTSUPP;
	if (!a->sample_simd_regs_enabled &&
	    (a->sample_simd_vec_reg_intr || a->sample_simd_vec_reg_user ||
	     a->sample_simd_pred_reg_intr || a->sample_simd_pred_reg_user))
		return -EINVAL;
	if (a->sample_type & PERF_SAMPLE_REGS_USER)
		ret = check_gpr(p, a, a->sample_regs_user);
	if (!ret && (a->sample_type & PERF_SAMPLE_REGS_INTR))
		ret = check_gpr(p, a, a->sample_regs_intr);
	if (!ret && a->sample_simd_regs_enabled)
		ret = check_simd(p, a, a->sample_simd_vec_reg_user, a->sample_simd_pred_reg_user);
	if (!ret && a->sample_simd_regs_enabled)
		ret = check_simd(p, a, a->sample_simd_vec_reg_intr, a->sample_simd_pred_reg_intr);
	return ret;
}

/* Nobody's level when the caller may do everything. */
static int paranoid(void)
{
	const char *level = getenv("STANDIN_PARANOID");

	return level ? atoi(level) : -1;
}

static int check_privileges(const struct perf_event_attr *a, pid_t pid)
{
	int level = paranoid();

	if ((level > 2 && !getenv("STANDIN_MAINLINE")) || (level > 0 && pid == -1) ||
	    (level > 1 && !(a->flags & ATTR_FLAG_EXCLUDE_KERNEL)))
		return -EACCES;
	return 0;
}

/* AMD Zen 3: sixteen branches held back from the one event that counts them, all kinds. */
static int check_brs(const struct perf_event_attr *a)
{
	if ((a->branch_sample_type & ~(uint64_t)PERF_SAMPLE_BRANCH_PLM_ALL) !=
	    PERF_SAMPLE_BRANCH_ANY)
		return -EINVAL;
	if (a->type != PERF_TYPE_RAW || a->config != 0xc4)
		return -EINVAL;
	return (a->flags & ATTR_FLAG_FREQ) || a->sample_period <= 16 ? -EINVAL : 0;
}

/* Without a privilege level in the mask the event's own count. */
static uint64_t effective_mask(const struct perf_event_attr *a)
{
	uint64_t m = a->branch_sample_type;

	if (m & PERF_SAMPLE_BRANCH_PLM_ALL)
		return m;
	if (!(a->flags & ATTR_FLAG_EXCLUDE_USER))
		m |= PERF_SAMPLE_BRANCH_USER;
	if (!(a->flags & ATTR_FLAG_EXCLUDE_KERNEL))
		m |= PERF_SAMPLE_BRANCH_KERNEL;
	return m;
}

/*
 * precise_ip 2 and up use the branch records themselves where PEBS lacks the exact address:
 * everything must be in them that the event samples, and nothing else.
 */
static bool precise_fits(const struct perf_event_attr *a, uint64_t mask)
{
	uint64_t levels = 0;

	if (mask & PERF_SAMPLE_BRANCH_CALL_STACK)
		return true;
	if (!(a->flags & ATTR_FLAG_EXCLUDE_USER))
		levels |= PERF_SAMPLE_BRANCH_USER;
	if (!(a->flags & ATTR_FLAG_EXCLUDE_KERNEL))
		levels |= PERF_SAMPLE_BRANCH_KERNEL;
	return mask & PERF_SAMPLE_BRANCH_ANY &&
	       (mask & (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)) == levels;
}

static int check_branches(const struct table *p, struct perf_event_attr *a)
{
	const uint64_t kernel = PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	const uint64_t beside_stack = PERF_SAMPLE_BRANCH_PLM_ALL | PERF_SAMPLE_BRANCH_CALL_STACK |
				      PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES |
				      PERF_SAMPLE_BRANCH_TYPE_SAVE | PERF_SAMPLE_BRANCH_HW_INDEX |
				      PERF_SAMPLE_BRANCH_PRIV_SAVE;
	uint64_t m = a->branch_sample_type;
	uint64_t known = p->branch_bits ? p->branch_bits : PERF_SAMPLE_BRANCH_MAX - 1;

	if (!(a->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return 0;
	if (m & ~known)
		return -EINVAL;
	if (!(m & ~(uint64_t)PERF_SAMPLE_BRANCH_PLM_ALL))
		return -EINVAL;
	if ((m & kernel) && paranoid() > 1)
		return -EACCES;
	a->branch_sample_type = m = effective_mask(a);
	if (p->brs && is_hardware(a))
		return check_brs(a);
	if (!is_hardware(a) || !p->lbr)
		return -EOPNOTSUPP;
	if ((m & PERF_SAMPLE_BRANCH_CALL_STACK) && (m & ~beside_stack))
		return -EINVAL;
	if ((m & PERF_SAMPLE_BRANCH_COUNTERS) && !p->lbr_counters)
		return -EINVAL;
	/* A call stack is kept by the hardware only for user code, without other filters. */
	if ((m & PERF_SAMPLE_BRANCH_CALL_STACK) && !(m & PERF_SAMPLE_BRANCH_USER))
		return -EINVAL;
	return precise(a) > 1 && !precise_fits(a, m) ? -EOPNOTSUPP : 0;
}

static int check_type(const struct table *p, const struct perf_event_attr *a)
{
	uint64_t pmu = a->config >> PERF_PMU_TYPE_SHIFT;

	if (p->no_pmu && is_hardware(a))
		return -ENOENT;
	switch (a->type) {
	case PERF_TYPE_SOFTWARE: return a->config < PERF_COUNT_SW_MAX ? 0 : -ENOENT;
	case PERF_TYPE_HARDWARE:
		if ((uint32_t)a->config >= PERF_COUNT_HW_MAX)
			return -ENOENT;
		return pmu && !(p->hybrid && (pmu == 8 || pmu == 9)) ? -ENOENT : 0;
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW: return 0;
	case 8:
	case 9: return p->hybrid ? 0 : -ENOENT;
	default: return -ENOENT;
	}
}

bool rules_hide(const struct table *p, const struct perf_event_attr *a)
{
	return p->no_pmu && is_hardware(a);
}

int rules_check(const struct table *p, struct perf_event_attr *a, uint32_t given_size, pid_t pid,
		int cpu, const struct event *group, unsigned long flags)
{
	const unsigned char *bytes = (const unsigned char *)a;
	int ret;

	if (flags & ~0xfUL)
		return -EINVAL;
	if (given_size && (given_size < PERF_ATTR_SIZE_VER0 || given_size > 4096)) {
		a->size = p->attr_size;
		return -E2BIG;
	}
	for (uint32_t i = p->attr_size; i < given_size && i < sizeof(*a); i++) {
		if (bytes[i]) {
			a->size = p->attr_size;
			return -E2BIG;
		}
	}
	if (a->flags >> 38 || a->reserved_2 || a->reserved_4 || a->aux_action >> 3)
		return -EINVAL;
	if (a->sample_type >= PERF_SAMPLE_MAX || a->read_format >= PERF_FORMAT_MAX)
		return -EINVAL;
	if ((a->sample_type & PERF_SAMPLE_WEIGHT_TYPE) == PERF_SAMPLE_WEIGHT_TYPE)
		return -EINVAL;
	if ((a->sample_type & PERF_SAMPLE_STACK_USER) &&
	    (!a->sample_stack_user || a->sample_stack_user % 8 || a->sample_stack_user >= 65528))
		return -EINVAL;
	if ((pid == -1 && cpu < 0) || pid < -1)
		return -EINVAL;
	if (pid > 0 && kill(pid, 0) && errno == ESRCH)
		return -ESRCH;
	if (group && (group->cpu != cpu || group->pid != pid))
		return -EINVAL;
	ret = check_type(p, a);
	if (!ret)
		ret = check_privileges(a, pid);
	if (!ret)
		ret = check_registers(p, a);
	if (!ret)
		ret = check_branches(p, a);
	if (!ret && precise(a) && (!is_hardware(a) || precise(a) > p->max_precise))
		ret = -EOPNOTSUPP;
	return ret;
}
