// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which registers the events of a recording have, so that one that none of them has is refused instead
 * of shown as not known in each sample.
 */
#include <stdio.h>

#include "sample/sample.h"

static void add_event(struct sample_recorded *r, const struct perf_event_attr *a,
		      enum regs_arch arch)
{
	uint64_t type = a->sample_type, gpr = 0;
	bool simd = a->sample_simd_regs_enabled;

	if (type & PERF_SAMPLE_REGS_INTR)
		gpr |= a->sample_regs_intr;
	if (type & PERF_SAMPLE_REGS_USER)
		gpr |= a->sample_regs_user;
	for (unsigned i = 0; i < 64; i++)
		if (gpr >> i & 1 && strcmp(regs_name(arch, i, simd), "unknown") != 0 &&
		    !(arch == REGS_ARCH_X86 && !simd && i >= 24))
			r->gpr |= BIT(i);
	if (regs_legacy_vectors(arch, gpr, simd)) {
		r->vec |= regs_legacy_vectors(arch, gpr, simd);
		r->vec_qwords = (unsigned)max_u64(r->vec_qwords, 2);
	}
	if (!simd)
		return;
	if (a->sample_simd_vec_reg_intr | a->sample_simd_vec_reg_user) {
		r->vec |= a->sample_simd_vec_reg_intr | a->sample_simd_vec_reg_user;
		r->vec_qwords = (unsigned)max_u64(r->vec_qwords, a->sample_simd_vec_reg_qwords);
	}
	r->pred |= a->sample_simd_pred_reg_intr | a->sample_simd_pred_reg_user;
}

void sample_recorded(const struct perfdata *pd, enum regs_arch arch, struct sample_recorded *r)
{
	*r = (struct sample_recorded){ .gpr = 0 };
	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		add_event(r, &perfdata_event(pd, i)->attr, arch);
}

bool sample_has_vectors(const struct perfdata *pd, enum regs_arch arch)
{
	struct sample_recorded r;

	sample_recorded(pd, arch, &r);
	return r.vec || r.pred;
}

/* "general registers, XMM0-15, OPMASK0-7" */
static void describe(const struct sample_recorded *r, enum regs_arch arch, char *s, size_t size)
{
	size_t n = 0;

	s[0] = '\0';
	if (r->gpr)
		n = (size_t)snprintf(s, size, "general registers");
	if (r->vec)
		n += (size_t)snprintf(s + n, size - n, "%s%s0-%d", n ? ", " : "",
				      regs_vector_class(arch, r->vec_qwords),
				      63 - __builtin_clzll(r->vec));
	if (r->pred)
		snprintf(s + n, size - n, "%s%s0-%d", n ? ", " : "", regs_pred_class(arch),
			 63 - __builtin_clzll(r->pred));
}

int sample_check_pick(const struct perfdata *pd, const struct regs_pick *p, const char *name,
		      enum regs_arch arch, struct err *e)
{
	struct sample_recorded r;
	char has[128];

	/* In a pipe events come with the records. */
	if (!pd || !perfdata_nr_events(pd))
		return 0;
	sample_recorded(pd, arch, &r);
	/* A range may reach beyond what there is, as "zmm" does where XMM was recorded. */
	if ((!p->gpr || p->gpr & r.gpr) && (!p->vec || p->vec & r.vec) &&
	    (!p->pred || p->pred & r.pred))
		return 0;
	describe(&r, arch, has, sizeof(has));
	err_set(e, -EINVAL, "%s: no event of this recording has it", name);
	err_hint(e, "%s%s. perf record -I and --user-regs take others, such as zmm,opmask.",
		 has[0] ? "There are " : "No registers were recorded", has);
	return -EINVAL;
}
