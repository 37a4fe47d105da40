// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sort keys over the SIMD registers of a sample: how wide the live values are, whether upper
 * halves are in use, what the mask registers look like. Values are dense numbers, 0 = no registers.
 */
#include "keys-int.h"

uint64_t keys_get_simd_width(struct keys *ks, const struct sample *s, struct thread *th)
{
	struct sample_regs tmp;
	const struct sample_regs *r = sample_simd_block(s, ks->o.arch, &tmp);

	(void)th;
	return r && sample_simd_vectors(s, r) ? 1 + sample_live_qwords(r, 0, UINT32_MAX) : 0;
}

void keys_text_simd_width(const struct keys *ks, const struct keys_row *r, uint64_t v,
			  struct obuf *o)
{
	(void)ks, (void)r;
	if (!v)
		obuf_lit(o, "N/A");
	else if (v == 1)
		obuf_lit(o, "none");
	else
		obuf_dec(o, (v - 1) * 64);
}

uint64_t keys_get_simd_upper(struct keys *ks, const struct sample *s, struct thread *th)
{
	struct sample_regs tmp;
	const struct sample_regs *r = sample_simd_block(s, ks->o.arch, &tmp);

	(void)th;
	/* Asked for XMM only, there are no upper halves to look at; narrower than asked for, they
	 * were in their initial state. */
	if (!r || !sample_simd_vectors(s, r) || s->event->attr.sample_simd_vec_reg_qwords <= 2)
		return 0;
	return 1 + (sample_live_qwords(r, 0, UINT32_MAX) > 2);
}

void keys_text_simd_upper(const struct keys *ks, const struct keys_row *r, uint64_t v,
			  struct obuf *o)
{
	(void)ks, (void)r;
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
uint64_t keys_get_opmask(struct keys *ks, const struct sample *s, struct thread *th)
{
	struct sample_regs tmp;
	const struct sample_regs *r = sample_simd_block(s, ks->o.arch, &tmp);
	uint64_t mask = r ? r->pred_mask : 0;
	enum mask_class worst = MASK_NONE;

	(void)th;
	if (!r || r->pred_qwords != 1 || ks->o.redact)
		return MASK_NONE;
	for (uint64_t i = 0; i < r->pred.nr && mask; i++, mask &= mask - 1) {
		enum mask_class c = mask_class(u64s_get(&r->pred, i));

		if (!(mask & 1) && c > worst)
			worst = c;
	}
	return worst;
}

void keys_text_opmask(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	static const char *const names[] = { "N/A", "all zeros", "all ones", "one-hot", "partial" };

	(void)ks, (void)r;
	obuf_str(o, v < ARRAY_SIZE(names) ? names[v] : "N/A");
}
