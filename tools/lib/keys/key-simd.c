// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sort keys over the SIMD registers of a sample: how wide the live values are, whether upper
 * halves are in use, what the mask registers look like. Values are dense numbers, 0 = no registers.
 */
#include "keys-int.h"

static bool has_simd(const struct sample_regs *r, enum regs_arch arch, bool asked)
{
	return r->abi && (asked || regs_legacy_vectors(arch, r->mask, r->simd));
}

/*
 * The block that has vectors or masks: the interrupted state first. A block that was asked for
 * and holds none of them says that all were in their initial state.
 */
bool keys_simd_is_intr(const struct sample *s, enum regs_arch arch)
{
	const struct perf_event_attr *a = &s->event->attr;

	return has_simd(&s->intr_regs, arch,
			a->sample_simd_regs_enabled &&
				(a->sample_simd_vec_reg_intr || a->sample_simd_pred_reg_intr));
}

const struct sample_regs *keys_simd_block(const struct sample *s, enum regs_arch arch,
					  struct sample_regs *tmp)
{
	const struct perf_event_attr *a = &s->event->attr;
	bool user = a->sample_simd_vec_reg_user || a->sample_simd_pred_reg_user;

	if (keys_simd_is_intr(s, arch))
		return sample_vectors(&s->intr_regs, arch, tmp);
	if (has_simd(&s->user_regs, arch, a->sample_simd_regs_enabled && user))
		return sample_vectors(&s->user_regs, arch, tmp);
	return NULL;
}

/* Qwords of the widest vector that is not zero up there: 0, 2, 4, 8. Vectors @from to before @to. */
static unsigned live_qwords(const struct sample_regs *r, uint64_t from, uint64_t to)
{
	uint64_t any[8] = { 0 };
	unsigned qwords = r->vector_qwords, live = 0;

	if (!qwords || qwords > 8)
		return 0;
	to = min_u64(to * qwords, r->vec.nr);
	for (uint64_t i = from * qwords; i < to; i++)
		any[i % qwords] |= u64s_get(&r->vec, i);
	for (unsigned i = 0; i < qwords; i++) {
		if (any[i])
			live = i + 1;
	}
	return live > 4 ? 8 : live > 2 ? 4 : live ? 2 : 0;
}

/* The mask that was asked for; a block without vectors has none of its own. */
static uint64_t vectors_of(const struct sample *s, const struct sample_regs *r)
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

int keys_simd_live(const struct sample *s, const struct sample_regs *r, int *high)
{
	uint64_t mask = vectors_of(s, r), low = (uint64_t)weight_u64(mask & 0xffff);

	*high = mask >> 16 ? width_of(live_qwords(r, low, UINT32_MAX)) : -1;
	return mask & 0xffff ? width_of(live_qwords(r, 0, low)) : -1;
}

uint64_t keys_get_simd_width(struct keys *ks, const struct sample *s, struct thread *th)
{
	struct sample_regs tmp;
	const struct sample_regs *r = keys_simd_block(s, ks->o.arch, &tmp);

	(void)th;
	return r && vectors_of(s, r) ? 1 + live_qwords(r, 0, UINT32_MAX) : 0;
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
	const struct sample_regs *r = keys_simd_block(s, ks->o.arch, &tmp);

	(void)th;
	/* Asked for XMM only, there are no upper halves to look at; narrower than asked for, they
	 * were in their initial state. */
	if (!r || !vectors_of(s, r) || s->event->attr.sample_simd_vec_reg_qwords <= 2)
		return 0;
	return 1 + (live_qwords(r, 0, UINT32_MAX) > 2);
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
	const struct sample_regs *r = keys_simd_block(s, ks->o.arch, &tmp);
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
