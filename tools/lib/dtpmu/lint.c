// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is wrong with a description, beyond what reading it already found: overlaps, widths,
 * masks against shifts, missing nodes, events that can never be counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "tree-int.h"

static uint64_t bit_range(unsigned lo, unsigned hi)
{
	uint64_t up = hi >= 63 ? ~0ULL : BIT(hi + 1) - 1;

	return lo > 63 ? 0 : up & ~(BIT(lo) - 1);
}

static void lint_missing(struct dt_parse *p)
{
	static const char *const nodes[] = {
		"sprs", "sprs/pmcs", "sprs/mmcr", "evt_code_format", "constraints", "events",
	};
	struct dtpmu *pmu = p->pmu;

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		if (!dt_path(p->node, nodes[i]))
			dt_finding(p, DTPMU_FAULT, nodes[i], "node missing");
	if (pmu->pmcs.n && pmu->pmcs.n != pmu->nr_pmc)
		dt_finding(p, DTPMU_WARNING, "sprs/pmcs", "%zu counters, but nr_pmc %u",
			   pmu->pmcs.n, pmu->nr_pmc);
	if (pmu->mmcrs.n && pmu->mmcrs.n != pmu->nr_mmcr)
		dt_finding(p, DTPMU_WARNING, "sprs/mmcr", "%zu registers, but nr_mmcr %u",
			   pmu->mmcrs.n, pmu->nr_mmcr);
	if (!pmu->programmable)
		dt_finding(p, DTPMU_FAULT, "sprs/pmcs", "no counter is programmable");
	if (!pmu->role[DTPMU_ROLE_PMC])
		dt_finding(p, DTPMU_WARNING, "evt_code_format",
			   "no field PMCx (or role \"pmc\"): every event goes on any counter");
	if (pmu->isa == DTPMU_ISA_OTHER)
		dt_finding(p, DTPMU_NOTE, "", "pmu-version '%s' is not known: no built-in defaults",
			   pmu->version);
	if (dt_compatible(dt_child(p->node, "evt_code_format"), "ibm,pmus"))
		dt_finding(p, DTPMU_NOTE, "evt_code_format",
			   "compatible \"ibm,pmus\"; the cover letter has \"ibm,power-pmu\" "
			   "(neither is looked at here)");
}

static bool describes(const struct dtpmu *pmu, int mmcr)
{
	vec_for_each (s, &pmu->mmcrs)
		if ((int)s->number == mmcr)
			return true;
	return !pmu->mmcrs.n;
}

static void lint_sprns(struct dt_parse *p)
{
	const struct dtpmu *pmu = p->pmu;
	size_t nr = pmu->pmcs.n + pmu->mmcrs.n;

	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct dtpmu_spr *a =
				i < pmu->pmcs.n ? &pmu->pmcs.v[i] : &pmu->mmcrs.v[i - pmu->pmcs.n];
			const struct dtpmu_spr *b =
				j < pmu->pmcs.n ? &pmu->pmcs.v[j] : &pmu->mmcrs.v[j - pmu->pmcs.n];

			if (a->sprn == b->sprn)
				dt_finding(p, DTPMU_FAULT, "sprs", "%s and %s are both SPR %u",
					   b->name, a->name, a->sprn);
		}
	}
}

/* ---- fields ---- */

static const char *field_path(const struct dtpmu_field *f, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%.200s", f->word ? "config1_format" : "evt_code_format", f->name);
	return buf;
}

static void lint_target(struct dt_parse *p, const struct dtpmu_field *f, const char *where)
{
	uint32_t width = f->hi - f->lo + 1u;

	if (!f->has_target)
		return;
	if (!describes(p->pmu, f->mmcr))
		dt_finding(p, DTPMU_FAULT, where, "goes to register %d, which sprs/mmcr lacks",
			   f->mmcr);
	if (f->target_hi >= 0 && (f->target_hi < f->base || f->target_hi > 63))
		dt_finding(p, DTPMU_FAULT, where,
			   "target_fields <%d %d> are no range within 0 to 63", f->base,
			   f->target_hi);
	else if (f->target_hi >= 0 && !f->encoding &&
		 (uint32_t)(f->target_hi - f->base + 1) != width)
		dt_finding(p, DTPMU_FAULT, where,
			   "%u bits go to target_fields <%d %d>, which are %d", width, f->base,
			   f->target_hi, f->target_hi - f->base + 1);
	if (!f->per_pmc)
		return;
	if ((uint32_t)f->stride < width)
		dt_finding(p, DTPMU_FAULT, where,
			   "target_field_shift %d is less than the %u bits of the field: counters "
			   "overwrite each other",
			   f->stride, width);
	for (uint32_t pmc = 1; pmc <= p->pmu->nr_pmc; pmc++) {
		int at = f->base - (int)pmc * f->stride;

		if (!(p->pmu->programmable >> pmc & 1) || (at >= 0 && at + (int)width <= 64))
			continue;
		dt_finding(p, DTPMU_FAULT, where,
			   "for PMC%u it would lie at bit %d of the register", pmc, at);
	}
}

static uint64_t target_bits(const struct dtpmu *pmu, const struct dtpmu_field *f)
{
	unsigned width = f->hi - f->lo + 1u;
	uint64_t bits = 0;

	if (!f->has_target)
		return 0;
	if (!f->per_pmc)
		return bit_range((unsigned)f->base, f->target_hi >= f->base ? (unsigned)f->target_hi
									    : (unsigned)f->base);
	for (uint32_t pmc = 1; pmc <= pmu->nr_pmc; pmc++) {
		int at = f->base - (int)pmc * f->stride;

		if (at >= 0 && at < 64 && (pmu->programmable >> pmc & 1))
			bits |= bit_range((unsigned)at, (unsigned)at + width - 1);
	}
	return bits;
}

static void lint_pair(struct dt_parse *p, const struct dtpmu_field *a, const struct dtpmu_field *b)
{
	uint64_t both = target_bits(p->pmu, a) & target_bits(p->pmu, b);
	char where[256], reg[16];

	field_path(b, where, sizeof(where));
	if (a->word == b->word && b->lo <= a->hi && a->lo <= b->hi && !a->overlay && !b->overlay)
		dt_finding(p, DTPMU_FAULT, where, "bits <%u %u> overlap %s <%u %u>", b->lo, b->hi,
			   a->name, a->lo, a->hi);
	if (a->has_target && b->has_target && a->mmcr == b->mmcr && both && !a->overlay &&
	    !b->overlay)
		dt_finding(p, DTPMU_FAULT, where, "shares bits 0x%llx of %s with %s",
			   (unsigned long long)both, dtpmu_mmcr_name((unsigned)a->mmcr, reg),
			   a->name);
}

static void lint_fields(struct dt_parse *p)
{
	const struct dtpmu *pmu = p->pmu;
	char where[256];

	for (size_t i = 0; i < pmu->fields.n; i++) {
		const struct dtpmu_field *f = &pmu->fields.v[i];

		lint_target(p, f, field_path(f, where, sizeof(where)));
		for (size_t j = 0; j < i; j++)
			lint_pair(p, &pmu->fields.v[j], f);
	}
}

/* ---- constraints ---- */

static uint64_t counting_bits(const struct dtpmu *pmu)
{
	uint64_t bits = 0, mask, value;

	for (uint32_t pmc = 1; pmc <= pmu->nr_pmc; pmc++) {
		dtpmu_pmc_bits(pmu, pmc, &mask, &value);
		bits |= mask | value;
	}
	return pmu->nc_mask ? bits | bit_range(pmu->nc_shift,
					       63 - (unsigned)__builtin_clzll(pmu->nc_mask))
			    : bits;
}

static void lint_constraint(struct dt_parse *p, const struct dtpmu_constraint *c)
{
	uint64_t want = c->event_mask << c->shift;
	uint64_t code = c->event_mask << c->event_shift;

	if (!c->value_pmc && c->event_mask && want != c->mask)
		dt_finding(p, DTPMU_FAULT, c->name,
			   "constraint-mask 0x%llx is not event-mask 0x%llx << %u (0x%llx)",
			   (unsigned long long)c->mask, (unsigned long long)c->event_mask, c->shift,
			   (unsigned long long)want);
	if (!c->value_pmc && !c->event_mask)
		dt_finding(p, DTPMU_WARNING, c->name,
			   "no event-mask and no value-pmc: the value is always 0");
	if (!c->word && (code & ~p->pmu->owned[0]))
		dt_finding(p, DTPMU_FAULT, c->name, "bits 0x%llx of the code belong to no field",
			   (unsigned long long)(code & ~p->pmu->owned[0]));
	if (c->mask & counting_bits(p->pmu))
		dt_finding(p, DTPMU_FAULT, c->name,
			   "constraint-mask 0x%llx covers the bits that count PMCs",
			   (unsigned long long)c->mask);
}

/* Two constraints may share bits when no event can meet both conditions. */
static bool exclusive(const struct dtpmu_cond *a, const struct dtpmu_cond *b)
{
	if ((a->needs | b->needs) & DTPMU_NEVER)
		return true;
	if (a->units && b->units && !(a->units & b->units))
		return true;
	if ((a->units && !(a->units & ~b->except_units)) ||
	    (b->units && !(b->units & ~a->except_units)))
		return true;
	return (a->match.mask && a->match.mask == b->except.mask) ||
	       (b->match.mask && b->match.mask == a->except.mask);
}

static void lint_constraints(struct dt_parse *p)
{
	const struct dtpmu *pmu = p->pmu;

	for (size_t i = 0; i < pmu->constraints.n; i++) {
		const struct dtpmu_constraint *c = &pmu->constraints.v[i], *d;

		lint_constraint(p, c);
		for (size_t j = 0; j < i; j++) {
			d = &pmu->constraints.v[j];
			if ((c->mask & d->mask) && !exclusive(&c->cond, &d->cond))
				dt_finding(p, DTPMU_FAULT, c->name,
					   "shares constraint bits 0x%llx with %s",
					   (unsigned long long)(c->mask & d->mask), d->name);
		}
	}
	if (!pmu->nc_mask)
		dt_finding(p, DTPMU_WARNING, "constraints/nc",
			   "no mask: a group that is too large is refused without naming bits");
	for (uint32_t pmc = 1; pmc <= pmu->nr_pmc; pmc++) {
		bool known = pmu->programmable >> pmc & 1;

		vec_for_each (r, &pmu->restricted)
			known |= r->pmc == pmc;
		if (!known)
			dt_finding(
				p, DTPMU_WARNING, "constraints/pmc-constraints",
				"PMC%u is not programmable, but no restricted-counters node says "
				"what it counts",
				pmc);
	}
}

/* ---- events ---- */

static bool is_generic(const char *name)
{
	static const char *const generic[] = {
		"cycles",
		"cpu-cycles",
		"instructions",
		"branches",
		"branch-instructions",
		"branch-misses",
		"cache-references",
		"cache-misses",
		"bus-cycles",
		"ref-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
	};

	for (size_t i = 0; i < ARRAY_SIZE(generic); i++)
		if (!strcmp(generic[i], name))
			return true;
	return false;
}

static void lint_event(struct dt_parse *p, const struct dtpmu_event *ev)
{
	struct dtpmu_want w = { .config = ev->config, .config1 = ev->config1 };
	struct dtpmu_use u;
	char where[256];

	snprintf(where, sizeof(where), "events/%.200s", ev->name);
	dtpmu_constraint_of(p->pmu, &w, w.config, &u);
	if (!u.valid)
		dt_finding(p, DTPMU_FAULT, where, "0x%llx can never be counted: %s",
			   (unsigned long long)ev->config, u.why);
	if (!ev->category[0])
		dt_finding(p, DTPMU_NOTE, where, "no event-category");
	if (is_generic(ev->name))
		dt_finding(p, DTPMU_NOTE, where,
			   "also a generic event's name: plain '%s' stays the generic one, "
			   "%s/%s/ is this one",
			   ev->name, p->pmu->name, ev->name);
}

static int by_code(const void *a, const void *b)
{
	const struct dtpmu_event *x = *(const struct dtpmu_event *const *)a;
	const struct dtpmu_event *y = *(const struct dtpmu_event *const *)b;

	if (x->config != y->config)
		return x->config < y->config ? -1 : 1;
	if (x->config1 != y->config1)
		return x->config1 < y->config1 ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* There may be a hundred thousand: sorted by their codes, equal ones are neighbours. */
static void lint_same_codes(struct dt_parse *p)
{
	const struct dtpmu *pmu = p->pmu;
	const struct dtpmu_event *first = NULL, **v = calloc(pmu->events.n + 1, sizeof(*v));

	if (!v) {
		p->code = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < pmu->events.n; i++)
		v[i] = &pmu->events.v[i];
	qsort(v, pmu->events.n, sizeof(*v), by_code);
	for (size_t i = 0; i < pmu->events.n; i++) {
		if (first && first->config == v[i]->config && first->config1 == v[i]->config1)
			dt_finding(p, DTPMU_NOTE, "events", "%s and %s are the same event 0x%llx",
				   first->name, v[i]->name, (unsigned long long)first->config);
		else
			first = v[i];
	}
	free(v);
}

static void lint_events(struct dt_parse *p)
{
	vec_for_each (ev, &p->pmu->events)
		lint_event(p, ev);
	lint_same_codes(p);
}

int dtpmu_lint(struct dtpmu_list *l, struct err *e)
{
	struct dtpmu_owner *o = (struct dtpmu_owner *)l;

	for (size_t i = 0; i < l->nr; i++) {
		struct dt_parse p = { .t = &o->tree, .pmu = l->pmu[i], .e = e };

		p.node = dt_path(o->tree.root, l->pmu[i]->path + 1);
		if (!p.node)
			return err_set(e, -EINVAL, "%s: node is gone", l->pmu[i]->path);
		lint_missing(&p);
		lint_sprns(&p);
		lint_fields(&p);
		lint_constraints(&p);
		lint_events(&p);
		if (p.code)
			return err_set(e, p.code, "no memory for the findings of %s",
				       l->pmu[i]->path);
	}
	return 0;
}
