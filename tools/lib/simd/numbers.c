// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers in vectors that an instruction is about to read: which of them arithmetic is slow with. */
#include "simd/simd.h"

bool simd_is_of_code(const struct sample *s, enum regs_arch arch)
{
	return sample_simd_is_intr(s, arch) || s->cpumode == PERF_RECORD_MISC_USER ||
	       s->cpumode == PERF_RECORD_MISC_GUEST_USER;
}

unsigned simd_vector(const struct sample *s, const struct sample_regs *r, unsigned reg,
		     uint64_t q[8])
{
	const struct perf_event_attr *a = &s->event->attr;
	unsigned asked = a->sample_simd_regs_enabled ? a->sample_simd_vec_reg_qwords : 2;
	uint64_t mask = sample_simd_vectors(s, r), at;

	if (!(mask >> reg & 1) || asked > 8)
		return 0;
	/* What is not there was in its initial state: registers, and what is above a width. */
	at = (uint64_t)weight_u64(mask & (BIT(reg) - 1)) * r->vector_qwords;
	for (unsigned i = 0; i < asked; i++)
		q[i] = i < r->vector_qwords && at + i < r->vec.nr ? u64s_get(&r->vec, at + i) : 0;
	return asked;
}

static void count_lane(struct simd_numbers *n, uint64_t bits, enum regs_lane lane)
{
	enum regs_number number = regs_lane_number(bits, lane);

	n->of[lane]++;
	if (!regs_lane_is_float(lane)) {
		n->ints++;
		n->int_zero += number == NUMBER_ZERO;
		return;
	}
	n->floats++;
	n->nan += number == NUMBER_NAN;
	n->inf += number == NUMBER_INF;
	n->denormal += number == NUMBER_DENORMAL;
	n->zero += number == NUMBER_ZERO;
}

/* Where MXCSR says that denormal operands are taken as zero (DAZ), they cost nothing. */
static bool denormals_are_zero(const struct sample *s)
{
	uint32_t mxcsr;
	bool flags;

	return sample_mxcsr(&s->user_regs, &mxcsr, &flags) && mxcsr & BIT(6);
}

/* Of all that were counted: those that arithmetic is slow with. */
static uint64_t slow_ones(const struct simd_numbers *n, bool daz)
{
	return n->nan + (daz ? 0 : n->denormal);
}

void simd_numbers_add(struct simd_numbers *n, const struct simd_site *site, const struct sample *s,
		      const struct sample_regs *r)
{
	bool any = false, daz = denormals_are_zero(s);
	uint64_t on = UINT64_MAX, bad = slow_ones(n, daz), q[8];

	/* Lanes that are masked off are not computed with; a mask may change until it is used. */
	if (site->mask && site->here)
		sample_mask_value(r, site->mask, &on);
	for (unsigned i = 0; i < site->nr; i++) {
		enum regs_lane lane = site->use[i].lane;
		unsigned known = simd_vector(s, r, site->use[i].reg, q) * 64 / regs_lane_bits(lane);

		for (unsigned k = 0; k < site->use[i].lanes && k < known; k++)
			if (on >> simd_mask_bit(site, k, site->use[i].lanes) & 1)
				count_lane(n, regs_lane_get(q, k, lane), lane);
		any |= known;
	}
	n->samples += any;
	n->slow += slow_ones(n, daz) > bad;
}

void simd_numbers_merge(struct simd_numbers *n, const struct simd_numbers *from)
{
	n->samples += from->samples;
	n->slow += from->slow;
	n->floats += from->floats;
	n->nan += from->nan;
	n->inf += from->inf;
	n->denormal += from->denormal;
	n->zero += from->zero;
	n->ints += from->ints;
	n->int_zero += from->int_zero;
	for (size_t i = 0; i < ARRAY_SIZE(n->of); i++)
		n->of[i] += from->of[i];
}

enum regs_lane simd_numbers_lane(const struct simd_numbers *n)
{
	enum regs_lane most = LANE_HEX;

	for (unsigned i = LANE_HEX + 1; i <= LANE_U64; i++)
		if (n->of[i] > n->of[most] || (most == LANE_HEX && n->of[i]))
			most = (enum regs_lane)i;
	return most;
}
