// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The values of the control registers for a group that fits: what the kernel would write for it,
 * so that people can compare. Events have their counters by then; nothing can fail here.
 */
#include <strings.h>

#include "tree-int.h"

static void put(struct dtpmu_answer *a, int mmcr, int position, uint64_t v)
{
	if (position >= 0 && position < 64)
		a->mmcr[mmcr] |= v << position;
}

static void put_field(const struct dtpmu *pmu, struct dtpmu_answer *a, size_t i,
		      const struct dtpmu_field *f, bool marked)
{
	struct dtpmu_want w = a->want[i];
	uint32_t pmc = a->use[i].pmc;
	uint64_t v;

	w.config = a->use[i].config;
	if (!f->has_target || (f->per_pmc && !(pmu->programmable >> pmc & 1)))
		return;
	if (!dtpmu_applies(pmu, &f->cond, w.config))
		return;
	v = dtpmu_encode_value(f->encoding, dtpmu_field_get(f, &w), f->max);
	if (f->has_default && !v)
		v = f->def;
	if (f->zero_if_marked && marked)
		v = 0;
	put(a, f->mmcr, f->per_pmc ? f->base - (int)pmc * f->stride : f->base, v);
}

static void put_setters(const struct dtpmu *pmu, struct dtpmu_answer *a, bool bhrb)
{
	uint64_t used = 0;

	for (size_t i = 0; i < a->nr; i++)
		used |= BIT(a->use[i].pmc);
	vec_for_each (s, &pmu->setters) {
		bool on = s->always || (s->unless_bhrb && !bhrb);

		if (s->pmcs)
			on |= s->unused ? !(used & s->pmcs) : (used & s->pmcs) != 0;
		if (on)
			put(a, s->mmcr, (int)s->bit, 1);
	}
}

/* Which freeze bit an exclude flag sets. */
static const struct {
	unsigned flag;
	const char *native, *guest;
} freezes[] = {
	{ DTPMU_EXCLUDE_USER, "fcp", "fcp" },
	{ DTPMU_EXCLUDE_KERNEL, "fch", "fcs" },
	{ DTPMU_EXCLUDE_HV, "fch", "fch" },
	{ DTPMU_EXCLUDE_IDLE, "fcwait", "fcwait" },
};

static void put_freezes(const struct dtpmu *pmu, struct dtpmu_answer *a, size_t i, unsigned flags)
{
	for (size_t k = 0; k < ARRAY_SIZE(freezes); k++) {
		const char *name = flags & DTPMU_GUEST ? freezes[k].guest : freezes[k].native;

		if (!(a->want[i].flags & freezes[k].flag))
			continue;
		vec_for_each (f, &pmu->freezes)
			if (!strcasecmp(f->name, name))
				put(a, f->mmcr, f->base - ((int)a->use[i].pmc - 1) * f->stride, 1);
	}
}

void dtpmu_registers(const struct dtpmu *pmu, struct dtpmu_answer *a, unsigned flags)
{
	bool marked = false, bhrb = false;

	for (size_t i = 0; i < a->nr; i++) {
		uint64_t config = a->use[i].config;

		marked |= dtpmu_role_get(pmu, DTPMU_ROLE_MARK, config) != 0;
		bhrb |= dtpmu_role_get(pmu, DTPMU_ROLE_BHRB, config) != 0 ||
			(a->want[i].flags & DTPMU_BRANCH_STACK);
	}
	for (size_t i = 0; i < a->nr; i++) {
		vec_for_each (f, &pmu->fields)
			put_field(pmu, a, i, f, marked);
		put_freezes(pmu, a, i, flags);
	}
	put_setters(pmu, a, bhrb);
}
