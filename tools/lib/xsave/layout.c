// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sizes and offsets of a set of components, what they cost a task, and a sample. In the standard
 * form a place depends on the CPU alone, in the compacted form on which others are in the set:
 * perf-xstate(1), THE AREA.
 */
#include "xsave.h"

#define LEGACY_BITS (BIT(XSAVE_X87) | BIT(XSAVE_SSE))

int xsave_layout(const struct xsave_cpu *cpu, uint64_t set, enum xsave_format format,
		 struct xsave_layout *l, struct err *e)
{
	uint64_t missing = set & ~(cpu->xcr0 | cpu->xss);
	uint64_t pos = XSAVE_MIN_SIZE;

	if (missing) {
		unsigned nr = __builtin_ctzll(missing);

		return err_set(e, -ENOENT, "%s has no state component %u (%s)", cpu->title, nr,
			       xsave_name(nr));
	}
	if (format == XSAVE_FORMAT_STANDARD && (set & cpu->xss)) {
		unsigned nr = __builtin_ctzll(set & cpu->xss);

		return err_set(e, -EINVAL,
			       "component %u (%s) is supervisor state: it has a place only in the "
			       "compacted form",
			       nr, xsave_name(nr));
	}
	*l = (struct xsave_layout){ .format = format, .set = set | LEGACY_BITS };
	l->offset[XSAVE_SSE] = cpu->comp[XSAVE_SSE].offset;
	for (unsigned nr = 2; nr < XSAVE_NR; nr++) {
		const struct xsave_component *c = &cpu->comp[nr];

		if (!(set & BIT(nr)))
			continue;
		if (format == XSAVE_FORMAT_COMPACTED) {
			if (c->aligned)
				pos = align_up(pos, 64);
			l->offset[nr] = pos;
			pos += c->size;
		} else {
			l->offset[nr] = c->offset;
			pos = max_u64(pos, (uint64_t)c->offset + c->size);
		}
	}
	l->size = pos;
	return 0;
}

/* XFD: the kernel makes room for such state in the area of a task that has used it, no other. */
uint64_t xsave_on_first_use(const struct xsave_cpu *cpu)
{
	uint64_t set = 0;

	for (unsigned nr = 2; nr < XSAVE_NR; nr++)
		if (cpu->comp[nr].xfd)
			set |= BIT(nr);
	return set & cpu->xcr0;
}

int xsave_cost(const struct xsave_cpu *cpu, struct xsave_cost *cost, struct err *e)
{
	uint64_t first_use = xsave_on_first_use(cpu);
	uint64_t all = (cpu->xcr0 | cpu->xss) & ~first_use;
	struct xsave_layout l;
	int ret;

	cost->first_use = 0;
	for (unsigned nr = 2; nr < XSAVE_NR; nr++)
		if (first_use & BIT(nr))
			cost->first_use += cpu->comp[nr].size;
	ret = xsave_layout(cpu, all, XSAVE_FORMAT_COMPACTED, &l, e);
	if (ret)
		return ret;
	cost->task_always = l.size;
	ret = xsave_layout(cpu, all & ~cpu->dynamic, XSAVE_FORMAT_COMPACTED, &l, e);
	if (ret)
		return ret;
	cost->task_on_demand = l.size;
	ret = xsave_layout(cpu, cpu->dynamic, XSAVE_FORMAT_COMPACTED, &l, e);
	if (ret)
		return ret;
	cost->dynamic_state = l.size - XSAVE_MIN_SIZE;
	cost->dynamic_buffer = cpu->dynamic ? l.size : 0;
	return 0;
}

uint32_t xsave_sample_bytes(const struct xsave_sample_shape *s)
{
	uint32_t bytes = 0;

	/* the word that names the ABI, then one word per register */
	if (s->nr_gpr || s->simd_abi)
		bytes += 8 + 8 * s->nr_gpr;
	if (s->simd_abi)
		bytes += 4 * 8 + 8 * s->nr_vectors * s->vector_qwords +
			 8 * s->nr_pred * s->pred_qwords;
	if (s->branches)
		bytes += 8 + (s->branch_hw_index ? 8 : 0) + 24 * s->branches;
	return bytes;
}

void xsave_sample_shape(const struct xsave_cpu *cpu, uint64_t set, struct xsave_sample_shape *s)
{
	*s = (struct xsave_sample_shape){ 0 };
	if (set & (BIT(XSAVE_ZMM_HI256) | BIT(XSAVE_HI16_ZMM))) {
		s->nr_vectors = 32;
		s->vector_qwords = 8;
	} else if (set & (BIT(XSAVE_AVX) | BIT(XSAVE_SSE))) {
		s->nr_vectors = 16;
		s->vector_qwords = set & BIT(XSAVE_AVX) ? 4 : 2;
	}
	if (set & BIT(XSAVE_OPMASK)) {
		s->nr_pred = 8;
		s->pred_qwords = 1;
	}
	s->nr_gpr = (set & BIT(XSAVE_APX) ? 16 : 0) + (set & BIT(XSAVE_CET_U) ? 1 : 0);
	/* R16-31 and SSP have numbers under the SIMD ABI only */
	s->simd_abi = s->nr_vectors || s->nr_pred || s->nr_gpr;
	if (set & BIT(XSAVE_LBR))
		s->branches = cpu->lbr_depth;
}
