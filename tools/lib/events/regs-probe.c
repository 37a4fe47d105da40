// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trial events for registers: each class on its own, because a refusal does not say which. What
 * opened is believed, not what CPUID says: kernel, PMU and precise events each have a word in it.
 */
#include <sys/auxv.h>
#include <unistd.h>

#include "events/events-int.h"
#include "xsave/xsave.h"

#define X86_EGPR       0xffff000000ULL
#define X86_SSP	       0x10000000000ULL
#define X86_LEGACY_XMM 0xffffffff00000000ULL
#define ARM64_VG       BIT(46)
#define POWERPC_P9     0x7f8e00000000000ULL /* mmcr0-2, pmc1-6, sdar, siar */
#define POWERPC_P10    0x7ffe00000000000ULL /* and mmcr3, sier2, sier3 */

struct probe {
	struct event_opener *o;
	struct regs_caps *caps;
	uint64_t hw_config; /* cycles, of the first core PMU on a hybrid machine */
};

/* Registers of one trial; fields as in the attr. */
struct trial {
	bool software, enabled;
	unsigned precise;
	uint64_t gpr, vec;
	uint16_t vec_qwords;
	uint32_t pred;
};

/* 0 or -errno; *known_size: the attr size that the kernel named when it said E2BIG. */
static int try_open(const struct probe *p, const struct trial *t, uint32_t *known_size)
{
	struct perf_event_attr a = {
		.type = t->software ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
		.size = sizeof(a),
		.config = t->software ? PERF_COUNT_SW_CPU_CLOCK : p->hw_config,
		.sample_period = 1,
		.flags = ATTR_FLAG_DISABLED | ATTR_FLAG_EXCLUDE_KERNEL |
			 (uint64_t)t->precise << ATTR_FLAG_PRECISE_SHIFT,
		.sample_simd_regs_enabled = t->enabled,
		.sample_simd_vec_reg_qwords = t->vec_qwords,
		.sample_simd_pred_reg_qwords = t->pred ? 1 : 0,
	};
	int fd;

	if (p->caps->user) {
		a.sample_type = PERF_SAMPLE_REGS_USER;
		a.sample_regs_user = t->gpr;
		a.sample_simd_vec_reg_user = t->vec;
		a.sample_simd_pred_reg_user = t->pred;
	} else {
		a.sample_type = PERF_SAMPLE_REGS_INTR;
		a.sample_regs_intr = t->gpr;
		a.sample_simd_vec_reg_intr = t->vec;
		a.sample_simd_pred_reg_intr = t->pred;
	}
	fd = event_opener_open(p->o, &a, 0, -1, -1);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (known_size)
		*known_size = a.size;
	return fd;
}

static bool opens(const struct probe *p, struct trial t)
{
	return !try_open(p, &t, NULL);
}

/* With a precise event, as upstream tries it, or without where the PMU has none. */
static int try_precise(const struct probe *p, struct trial t)
{
	int ret;

	t.precise = 1;
	ret = try_open(p, &t, NULL);
	if (!ret)
		return 0;
	t.precise = 0;
	return try_open(p, &t, NULL);
}

/* ---- x86 --------------------------------------------------------------------------------------- */

/* XSAVE components that a class lives in. */
static uint64_t components(enum regs_class c)
{
	switch (c) {
	case REGS_XMM: return BIT(XSAVE_SSE);
	case REGS_YMM: return BIT(XSAVE_AVX);
	case REGS_ZMM: return BIT(XSAVE_ZMM_HI256) | BIT(XSAVE_HI16_ZMM);
	case REGS_OPMASK: return BIT(XSAVE_OPMASK);
	case REGS_EGPR: return BIT(XSAVE_APX);
	case REGS_SSP: return BIT(XSAVE_CET_U);
	default: return 0;
	}
}

/* Who is to blame for a class that did not open. */
static void lacks(struct regs_caps *caps, enum regs_class c, const struct xsave_cpu *cpu, int code)
{
	uint64_t need = components(c);

	caps->code[c] = code;
	caps->lack[c] = ((cpu->xcr0 | cpu->xss) & need) == need ? REGS_NO_PMU : REGS_NO_CPU;
}

/*
 * A kernel without the series sees bytes behind the end of its attr: E2BIG, before it looks at
 * anything else. Any other answer, a refusal included, comes from one that knows the field.
 */
static bool kernel_has_series(const struct probe *p)
{
	struct trial t = { .software = true, .enabled = true, .gpr = 1 };
	uint32_t size = PERF_ATTR_SIZE_VER10;
	int ret = try_open(p, &t, &size);

	return ret != -E2BIG || size >= PERF_ATTR_SIZE_VER10;
}

static void probe_series(const struct probe *p)
{
	static const struct trial trials[REGS_NR_CLASSES] = {
		[REGS_XMM] = { .enabled = true, .vec = 0xffff, .vec_qwords = 2 },
		[REGS_YMM] = { .enabled = true, .vec = 0xffff, .vec_qwords = 4 },
		[REGS_ZMM] = { .enabled = true, .vec = 0xffffffff, .vec_qwords = 8 },
		[REGS_OPMASK] = { .enabled = true, .pred = 0xff },
		[REGS_EGPR] = { .enabled = true, .gpr = X86_EGPR },
		[REGS_SSP] = { .enabled = true, .gpr = X86_SSP },
	};
	struct regs_caps *caps = p->caps;
	bool have[REGS_NR_CLASSES];
	struct xsave_cpu cpu = { 0 };

	if (xsave_cpu_host(&cpu, NULL))
		cpu.xcr0 = BIT(XSAVE_SSE);
	for (int c = 0; c < REGS_NR_CLASSES; c++) {
		int ret = c < REGS_EGPR ? try_open(p, &trials[c], NULL) : try_precise(p, trials[c]);

		have[c] = !ret;
		if (ret)
			lacks(caps, (enum regs_class)c, &cpu, ret);
	}
	caps->xmm = have[REGS_XMM];
	caps->ymm = have[REGS_YMM];
	caps->zmm = have[REGS_ZMM];
	caps->opmask = have[REGS_OPMASK];
	caps->gpr |= (have[REGS_EGPR] ? X86_EGPR : 0) | (have[REGS_SSP] ? X86_SSP : 0);
	caps->simd_abi = caps->xmm || have[REGS_EGPR] || have[REGS_SSP];
}

static void probe_x86(const struct probe *p)
{
	struct regs_caps *caps = p->caps;

	if (kernel_has_series(p)) {
		probe_series(p);
	} else {
		for (int c = 0; c < REGS_NR_CLASSES; c++)
			caps->lack[c] = REGS_NO_KERNEL;
	}
	if (!caps->simd_abi && !try_precise(p, (struct trial){ .gpr = X86_LEGACY_XMM })) {
		caps->legacy_xmm = true;
		caps->gpr |= X86_LEGACY_XMM;
	}
}

/* ---- the others --------------------------------------------------------------------------------- */

static void probe_arm64(const struct probe *p)
{
	const unsigned long hwcap_sve = 1UL << 22;

	if (p->caps->user && getauxval(AT_HWCAP) & hwcap_sve &&
	    opens(p, (struct trial){ .gpr = ARM64_VG }))
		p->caps->gpr |= ARM64_VG;
}

static void probe_powerpc(const struct probe *p)
{
	if (p->caps->user)
		return;
	if (!try_precise(p, (struct trial){ .gpr = POWERPC_P10 }))
		p->caps->gpr |= POWERPC_P10;
	else if (!try_precise(p, (struct trial){ .gpr = POWERPC_P9 }))
		p->caps->gpr |= POWERPC_P9;
}

/* Hybrid CPUs have several core PMUs and want to be told which. */
static uint64_t cycles_config(struct pmus *t)
{
	const struct pmu *first = NULL;
	unsigned nr = 0;

	for (size_t i = 0; t && i < pmus_nr(t); i++) {
		const struct pmu *pmu = pmus_at(t, i);

		if (!pmu->is_core || pmu->source != PMU_SYSFS)
			continue;
		if (!nr++)
			first = pmu;
	}
	return PERF_COUNT_HW_CPU_CYCLES |
	       (nr > 1 ? (uint64_t)first->type << PERF_PMU_TYPE_SHIFT : 0);
}

void events_probe_regs(struct event_opener *o, struct pmus *t, bool user, struct regs_caps *caps)
{
	struct event_opener sys = { 0 };
	struct probe p = { .o = o ? o : &sys, .caps = caps, .hw_config = cycles_config(t) };
	uint64_t plain;

	*caps = (struct regs_caps){ .arch = regs_arch_host(), .user = user };
	plain = regs_default_mask(caps->arch, sizeof(long) == 8);
	if (opens(&p, (struct trial){ .gpr = plain }) ||
	    opens(&p, (struct trial){ .software = true, .gpr = plain }))
		caps->gpr = plain;
	for (int c = 0; c < REGS_NR_CLASSES; c++)
		caps->lack[c] = REGS_NO_ARCH;
	switch (caps->arch) {
	case REGS_ARCH_X86:
		memset(caps->lack, 0, sizeof(caps->lack));
		probe_x86(&p);
		break;
	case REGS_ARCH_ARM64: probe_arm64(&p); break;
	case REGS_ARCH_POWERPC: probe_powerpc(&p); break;
	default: break;
	}
}
