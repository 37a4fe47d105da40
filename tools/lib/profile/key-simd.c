// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sort keys over the SIMD registers of a sample: how wide the live values are, whether upper
 * halves are in use, what the mask registers look like. Values are dense numbers, 0 = no registers.
 */
#include "profile-int.h"

/*
 * The block that has vectors or masks: the interrupted state first. A block that was asked for
 * and holds none of them says that all were in their initial state.
 */
const struct sample_regs *prof_simd_block(const struct sample *s)
{
	const struct perf_event_attr *a = &s->event->attr;
	bool intr = a->sample_simd_vec_reg_intr || a->sample_simd_pred_reg_intr;
	bool user = a->sample_simd_vec_reg_user || a->sample_simd_pred_reg_user;

	if (s->intr_regs.abi && intr && a->sample_simd_regs_enabled)
		return &s->intr_regs;
	return s->user_regs.abi && user && a->sample_simd_regs_enabled ? &s->user_regs : NULL;
}

/* Qwords of the widest vector that is not zero up there: 0, 2, 4, 8. */
static unsigned live_qwords(const struct sample_regs *r)
{
	uint64_t any[8] = { 0 };
	unsigned qwords = r->vector_qwords, live = 0;

	if (!qwords || qwords > 8)
		return 0;
	for (uint64_t i = 0; i < r->vec.nr; i++)
		any[i % qwords] |= u64s_get(&r->vec, i);
	for (unsigned i = 0; i < qwords; i++) {
		if (any[i])
			live = i + 1;
	}
	return live > 4 ? 8 : live > 2 ? 4 : live ? 2 : 0;
}

static bool asked_for_vectors(const struct sample *s, const struct sample_regs *r)
{
	const struct perf_event_attr *a = &s->event->attr;

	return r == &s->intr_regs ? a->sample_simd_vec_reg_intr : a->sample_simd_vec_reg_user;
}

int prof_simd_live(const struct sample *s)
{
	const struct sample_regs *r = prof_simd_block(s);

	if (!r || !asked_for_vectors(s, r))
		return -1;
	switch (live_qwords(r)) {
	case 0: return SIMD_NONE;
	case 2: return SIMD_128;
	case 4: return SIMD_256;
	default: return SIMD_512;
	}
}

uint64_t prof_get_simd_width(struct profile *p, const struct sample *s, struct thread *th)
{
	const struct sample_regs *r = prof_simd_block(s);

	(void)p, (void)th;
	return r && asked_for_vectors(s, r) ? 1 + live_qwords(r) : 0;
}

void prof_text_simd_width(const struct profile *p, const struct profile_row *r, uint64_t v,
			  struct obuf *o)
{
	(void)p, (void)r;
	if (!v)
		obuf_lit(o, "N/A");
	else if (v == 1)
		obuf_lit(o, "none");
	else
		obuf_dec(o, (v - 1) * 64);
}

uint64_t prof_get_simd_upper(struct profile *p, const struct sample *s, struct thread *th)
{
	const struct sample_regs *r = prof_simd_block(s);

	(void)p, (void)th;
	/* Asked for XMM only, there are no upper halves to look at; narrower than asked for, they
	 * were in their initial state. */
	if (!r || !asked_for_vectors(s, r) || s->event->attr.sample_simd_vec_reg_qwords <= 2)
		return 0;
	return 1 + (live_qwords(r) > 2);
}

void prof_text_simd_upper(const struct profile *p, const struct profile_row *r, uint64_t v,
			  struct obuf *o)
{
	(void)p, (void)r;
	obuf_str(o, !v ? "N/A" : v == 2 ? "Y" : "N");
}

/* The classes of Intel SDE's mask profiles, the least regular last. */
enum mask_class { MASK_NONE, MASK_ZEROS, MASK_ONES, MASK_ONE_HOT, MASK_PARTIAL };

static enum mask_class mask_class(uint64_t k)
{
	if (!k)
		return MASK_ZEROS;
	/* all lanes of a vector: 8, 16, 32 or 64 of them */
	if (k == 0xff || k == 0xffff || k == 0xffffffff || k == UINT64_MAX)
		return MASK_ONES;
	return k & (k - 1) ? MASK_PARTIAL : MASK_ONE_HOT;
}

/* Of k1-k7: k0 cannot mask. The least regular of them stands for the sample. */
uint64_t prof_get_opmask(struct profile *p, const struct sample *s, struct thread *th)
{
	const struct sample_regs *r = prof_simd_block(s);
	uint64_t mask = r ? r->pred_mask : 0;
	enum mask_class worst = MASK_NONE;

	(void)th;
	if (!r || r->pred_qwords != 1 || p->o.redact)
		return MASK_NONE;
	for (uint64_t i = 0; i < r->pred.nr && mask; i++, mask &= mask - 1) {
		enum mask_class c = mask_class(u64s_get(&r->pred, i));

		if (!(mask & 1) && c > worst)
			worst = c;
	}
	return worst;
}

void prof_text_opmask(const struct profile *p, const struct profile_row *r, uint64_t v,
		      struct obuf *o)
{
	static const char *const names[] = { "N/A", "all zeros", "all ones", "one-hot", "partial" };

	(void)p, (void)r;
	obuf_str(o, v < ARRAY_SIZE(names) ? names[v] : "N/A");
}
