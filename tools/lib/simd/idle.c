// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lanes that do nothing. An instruction that computes lane by lane, on lanes that are all alike, gives
 * lanes that are all alike: one would do. Lanes that its mask leaves out, or that are zero in all
 * its sources, are not worth their width. Of an instruction with a source in memory nothing is known.
 */
#include "simd/simd.h"

struct sources {
	uint64_t q[SIMD_USES][8];
	uint64_t on;	      /* by bit of the mask */
	unsigned lanes, bits; /* of the source that has most: their number, and how wide one is */
};

static bool is_on(const struct sources *f, const struct simd_site *site, unsigned lane, unsigned of)
{
	return f->on >> simd_mask_bit(site, lane, of) & 1;
}

static bool load(struct sources *f, const struct simd_site *site, const struct sample *s,
		 const struct sample_regs *r)
{
	unsigned selected;

	f->on = UINT64_MAX;
	if (site->mask && !sample_mask_value(r, site->mask, &f->on))
		return false;
	for (unsigned i = 0; i < site->nr; i++) {
		unsigned known = simd_vector(s, r, site->use[i].reg, f->q[i]);

		if (known * 64 < site->use[i].lanes * regs_lane_bits(site->use[i].lane))
			return false;
		if (site->use[i].lanes > f->lanes) {
			f->lanes = site->use[i].lanes;
			f->bits = regs_lane_bits(site->use[i].lane);
		}
	}
	selected = simd_mask_bit(site, f->lanes - 1, f->lanes) + 1;
	if (selected < 64)
		f->on &= BIT(selected) - 1;
	return true;
}

/* Sums have fewer lanes than what is added to them: what lies at the same bits counts. */
static bool all_zero(const struct sources *f, const struct simd_site *site, unsigned lane)
{
	for (unsigned i = 0; i < site->nr; i++) {
		unsigned k = lane * f->bits / regs_lane_bits(site->use[i].lane);

		if (k < site->use[i].lanes && regs_lane_get(f->q[i], k, site->use[i].lane))
			return false;
	}
	return true;
}

static bool all_equal(const struct sources *f, const struct simd_site *site)
{
	for (unsigned i = 0; i < site->nr; i++) {
		unsigned n = site->use[i].lanes, first = n;

		for (unsigned k = 0; k < n; k++) {
			if (!is_on(f, site, k, n))
				continue;
			if (first == n)
				first = k;
			if (regs_lane_get(f->q[i], k, site->use[i].lane) !=
			    regs_lane_get(f->q[i], first, site->use[i].lane))
				return false;
		}
	}
	return true;
}

static uint64_t hash_of(const struct sources *f, const struct simd_site *site)
{
	uint64_t h = f->on;

	for (unsigned i = 0; i < site->nr; i++)
		for (unsigned k = 0; k < site->use[i].lanes; k++)
			h = hash_u64(h ^ regs_lane_get(f->q[i], k, site->use[i].lane)) + k;
	return h;
}

bool simd_idle_add(struct simd_idle *n, const struct simd_site *site, const struct sample *s,
		   const struct sample_regs *r, uint64_t *values)
{
	struct sources f = { .lanes = 0 };
	unsigned used = 0;

	if (!site->nr || !site->here || site->memory || !load(&f, site, s, r))
		return false;
	n->samples++;
	n->lanes += f.lanes;
	for (unsigned k = 0; k < f.lanes; k++) {
		bool off = !is_on(&f, site, k, f.lanes), zero = !off && all_zero(&f, site, k);

		n->off += off;
		n->zero += zero;
		if (!off && !zero)
			used = k + 1;
	}
	if (f.lanes > 1) {
		n->wide++;
		n->equal += f.on && all_equal(&f, site);
		n->narrow += used <= f.lanes / 2;
	}
	*values = hash_of(&f, site);
	return true;
}

void simd_idle_merge(struct simd_idle *n, const struct simd_idle *from)
{
	n->samples += from->samples;
	n->lanes += from->lanes;
	n->off += from->off;
	n->zero += from->zero;
	n->equal += from->equal;
	n->narrow += from->narrow;
	n->wide += from->wide;
}
