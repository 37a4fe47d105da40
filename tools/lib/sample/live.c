// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much of the vector registers is in use when a sample is taken, and what mask registers hold. The
 * kernel leaves out what is in its initial state: registers narrower than asked for have zeros
 * above, a block that was asked for and is not there says that all were zero.
 */
#include "sample/sample.h"

static bool has_simd(const struct sample_regs *r, enum regs_arch arch, bool asked)
{
	return r->abi && (asked || regs_legacy_vectors(arch, r->mask, r->simd));
}

/*
 * The block that has vectors or masks: the interrupted state first. A block that was asked for
 * and holds none of them says that all were in their initial state.
 */
bool sample_simd_is_intr(const struct sample *s, enum regs_arch arch)
{
	const struct perf_event_attr *a = &s->event->attr;

	return has_simd(&s->intr_regs, arch,
			a->sample_simd_regs_enabled &&
				(a->sample_simd_vec_reg_intr || a->sample_simd_pred_reg_intr));
}

const struct sample_regs *sample_any_simd_block(const struct sample *s, enum regs_arch arch,
						struct sample_regs *tmp)
{
	const struct perf_event_attr *a = &s->event->attr;
	bool user = a->sample_simd_vec_reg_user || a->sample_simd_pred_reg_user;

	if (sample_simd_is_intr(s, arch))
		return sample_vectors(&s->intr_regs, arch, tmp);
	if (has_simd(&s->user_regs, arch, a->sample_simd_regs_enabled && user))
		return sample_vectors(&s->user_regs, arch, tmp);
	return NULL;
}

unsigned sample_live_qwords(const struct sample_regs *r, uint64_t from, uint64_t to)
{
	unsigned qwords = r->vector_qwords, live = 0;

	if (!qwords || qwords > 8)
		return 0;
	to = min_u64(to * qwords, r->vec.nr);
	/* The uppermost that is in use; once that is in the upper half, no other can tell more. */
	for (uint64_t at = from * qwords; at < to && live <= qwords / 2; at += qwords)
		for (unsigned i = (unsigned)min_u64(qwords, to - at); i > live; i--)
			if (u64s_get(&r->vec, at + i - 1))
				live = i;
	return live > 4 ? 8 : live > 2 ? 4 : live ? 2 : 0;
}

uint64_t sample_simd_vectors(const struct sample *s, const struct sample_regs *r)
{
	const struct perf_event_attr *a = &s->event->attr;

	if (!a->sample_simd_regs_enabled)
		return r->vec_mask;
	return r == &s->intr_regs ? a->sample_simd_vec_reg_intr : a->sample_simd_vec_reg_user;
}

static int width_of(unsigned qwords)
{
	switch (qwords) {
	case 0: return SIMD_NONE;
	case 2: return SIMD_128;
	case 4: return SIMD_256;
	default: return SIMD_512;
	}
}

int sample_simd_live(const struct sample *s, const struct sample_regs *r, int *high)
{
	uint64_t mask = sample_simd_vectors(s, r), low = (uint64_t)weight_low_u64(mask & 0xffff);

	if (high)
		*high = mask >> 16 ? width_of(sample_live_qwords(r, low, UINT32_MAX)) : -1;
	return mask & 0xffff ? width_of(sample_live_qwords(r, 0, low)) : -1;
}

bool sample_mask_value(const struct sample_regs *r, unsigned reg, uint64_t *k)
{
	uint64_t at = (uint64_t)weight_u64(r->pred_mask & (BIT(reg) - 1));

	if (r->pred_qwords != 1 || !(r->pred_mask >> reg & 1))
		return false;
	/* Fewer than asked for: the rest were in their initial state. */
	*k = at < r->pred.nr ? u64s_get(&r->pred, at) : 0;
	return true;
}
