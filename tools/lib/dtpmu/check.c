// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Can a group of events be counted together? Every event has a constraint: the PMC it must be on
 * (or any), and for each constraint of the tree that applies to it, the value it needs. Two
 * events fit when they need different PMCs and the same value wherever both need one, and there
 * are as many counters as events.
 *
 * The kernel packs this into two 64-bit words per event (two bits for each PMC from bit 0 up, a
 * count of the programmable counters in use, the tree's value fields). The same bits are used
 * here to name what clashes, but PMCs are counted one by one, so that their number is not
 * limited by the words.
 */
#include "tree-int.h"

uint64_t dtpmu_encode_value(enum dtpmu_encoding enc, uint64_t v, uint64_t max)
{
	unsigned exp = 0;

	if (max && v > max)
		v = max;
	if (enc != DTPMU_EXP_MANT8)
		return v;
	if (v > 255 * (1ULL << 10)) /* the largest that Linux lets through */
		v = 255 * (1ULL << 10);
	for (; v > 255; v >>= 2)
		exp++;
	return (uint64_t)exp << 8 | v;
}

static uint64_t bits_of(const struct dtpmu_field *f, uint64_t word)
{
	unsigned n = f->hi - f->lo + 1u;

	return word >> f->lo & (n == 64 ? ~0ULL : BIT(n) - 1);
}

uint64_t dtpmu_role_get(const struct dtpmu *pmu, enum dtpmu_role role, uint64_t config)
{
	const struct dtpmu_field *f = pmu->role[role];

	return f ? bits_of(f, config) : 0;
}

static bool in_codes(const struct dtpmu_codes *c, uint64_t config)
{
	for (size_t i = 0; i < c->nr; i++)
		if ((config & c->mask) == c->value[i])
			return true;
	return false;
}

bool dtpmu_applies(const struct dtpmu *pmu, const struct dtpmu_cond *c, uint64_t config)
{
	uint64_t unit;

	if (c->needs & DTPMU_NEVER)
		return false;
	if ((c->needs & DTPMU_NEED_MARKED) && !dtpmu_role_get(pmu, DTPMU_ROLE_MARK, config))
		return false;
	if ((c->needs & DTPMU_NEED_THRESH_SEL) &&
	    !dtpmu_role_get(pmu, DTPMU_ROLE_THRESH_SEL, config))
		return false;
	if ((c->needs & DTPMU_NEED_BHRB) && !dtpmu_role_get(pmu, DTPMU_ROLE_BHRB, config))
		return false;
	unit = dtpmu_role_get(pmu, DTPMU_ROLE_UNIT, config) & 63;
	if ((c->units && !(c->units >> unit & 1)) || (c->except_units >> unit & 1))
		return false;
	if (c->match.mask && !in_codes(&c->match, config))
		return false;
	return !c->except.mask || !in_codes(&c->except, config);
}

static bool is_programmable(const struct dtpmu *pmu, uint64_t pmc)
{
	return !pmc || pmu->programmable >> pmc & 1;
}

/* Two bits per PMC as long as they stay clear of the next field. */
void dtpmu_pmc_bits(const struct dtpmu *pmu, uint32_t pmc, uint64_t *mask, uint64_t *value)
{
	unsigned at = 2 * (pmc - 1);

	*mask = *value = 0;
	if (!pmc || at + 1 >= (pmu->nc_mask ? pmu->nc_shift : 64))
		return;
	*mask = 2ULL << at;
	*value = 1ULL << at;
}

static const char *refusal(const struct dtpmu *pmu, uint64_t config)
{
	uint64_t pmc = dtpmu_role_get(pmu, DTPMU_ROLE_PMC, config);
	uint64_t ebb = dtpmu_role_get(pmu, DTPMU_ROLE_EBB, config);
	uint64_t unit = dtpmu_role_get(pmu, DTPMU_ROLE_UNIT, config) & 63;

	if (config & ~pmu->owned[0])
		return "it has bits that no field owns";
	if (pmc > pmu->nr_pmc)
		return "it names a counter that does not exist";
	vec_for_each (r, &pmu->restricted) {
		bool found = r->pmc != pmc;

		for (size_t i = 0; i < r->nr && !found; i++)
			found = r->code[i] == (config & ~pmu->software);
		if (!found)
			return "its counter is fixed and counts another event";
	}
	if (ebb && !pmc && pmu->ebb_needs_pmc)
		return "an event based branch needs a counter number";
	if (!ebb && pmu->bhrb_needs_ebb && dtpmu_role_get(pmu, DTPMU_ROLE_BHRB, config))
		return "the branch history flag needs the event based branch flag";
	if ((pmu->cache_units >> unit & 1) && (config & pmu->cache_zero) &&
	    is_programmable(pmu, pmc))
		return "the cache selector must be 0 for a cache unit";
	return NULL;
}

static void add_constraint(const struct dtpmu *pmu, const struct dtpmu_constraint *c,
			   const struct dtpmu_want *w, uint64_t config, struct dtpmu_use *u)
{
	uint64_t v = c->word ? w->config1 : config;

	if (c->value_pmc)
		v = dtpmu_role_get(pmu, DTPMU_ROLE_PMC, config) == c->value_pmc;
	else if (c->encoding)
		v = dtpmu_encode_value(c->encoding, v >> c->event_shift, 0) & c->event_mask;
	else
		v = v >> c->event_shift & c->event_mask;
	if (c->normal_mask && v >> c->normal_shift && !(v & c->normal_mask)) {
		u->valid = false;
		u->why = "its threshold has an exponent, but no leading bits in the mantissa";
	}
	u->mask |= c->mask;
	u->value |= v << c->shift & c->mask;
}

void dtpmu_constraint_of(const struct dtpmu *pmu, const struct dtpmu_want *w, uint64_t config,
			 struct dtpmu_use *u)
{
	uint64_t pmc = dtpmu_role_get(pmu, DTPMU_ROLE_PMC, config), nc;

	*u = (struct dtpmu_use){ .config = config, .why = refusal(pmu, config) };
	u->valid = !u->why;
	if (!u->valid)
		return;
	dtpmu_pmc_bits(pmu, (uint32_t)pmc, &u->mask, &u->value);
	if (is_programmable(pmu, pmc) && pmu->nc_mask) {
		nc = 1ULL << pmu->nc_shift;
		u->mask |= pmu->nc_mask;
		u->value |= nc;
	}
	vec_for_each (c, &pmu->constraints) {
		if (is_programmable(pmu, pmc) ? true : c->fixed_too)
			if (dtpmu_applies(pmu, &c->cond, config))
				add_constraint(pmu, c, w, config, u);
	}
}

/* ---- adding events one after the other ---- */

struct fill {
	uint64_t mask, value; /* of the tree's fields */
	uint64_t pmcs;	      /* named PMCs in use (bit = PMC) */
	unsigned counters;    /* programmable counters in use */
};

static uint64_t counting_bits(const struct dtpmu *pmu)
{
	uint64_t bits = pmu->nc_mask ? pmu->nc_mask | 7ULL << pmu->nc_shift : 0, mask, value;

	for (uint32_t p = 1; p <= pmu->nr_pmc; p++) {
		dtpmu_pmc_bits(pmu, p, &mask, &value);
		bits |= mask | value;
	}
	return bits;
}

/* The bits that clash; ~0 when PMCs or counters run out and no bit stands for them. */
static uint64_t place(const struct dtpmu *pmu, struct fill *f, const struct dtpmu_use *u,
		      uint64_t counting, uint64_t exempt)
{
	uint64_t pmc = dtpmu_role_get(pmu, DTPMU_ROLE_PMC, u->config), mask = 0, value;
	uint64_t clash = (f->value ^ u->value) & f->mask & u->mask & ~counting & ~exempt;
	bool counted = is_programmable(pmu, pmc);

	if (pmc && (f->pmcs >> pmc & 1)) {
		dtpmu_pmc_bits(pmu, (uint32_t)pmc, &mask, &value);
		clash |= mask ? mask : ~0ULL;
	}
	if (counted && f->counters >= (unsigned)weight_u64(pmu->programmable))
		clash |= pmu->nc_mask ? pmu->nc_mask : ~0ULL;
	if (clash)
		return clash;
	f->mask |= u->mask & ~counting;
	f->value |= u->value & ~counting;
	if (pmc)
		f->pmcs |= BIT(pmc);
	f->counters += counted;
	return 0;
}

/* The first earlier event that alone does not go with event @at; -1 when it takes all of them. */
static int clashes_with(const struct dtpmu *pmu, const struct dtpmu_answer *a, size_t at,
			uint64_t counting)
{
	for (size_t i = 0; i < at; i++) {
		struct fill f = { 0 };

		place(pmu, &f, &a->use[i], counting, pmu->group_mask);
		if (place(pmu, &f, &a->use[at], counting, pmu->group_mask))
			return (int)i;
	}
	return -1;
}

static bool first_pass(const struct dtpmu *pmu, struct dtpmu_answer *a, uint64_t counting)
{
	struct fill f = { 0 };

	for (size_t i = 0; i < a->nr; i++) {
		a->conflict_bits = place(pmu, &f, &a->use[i], counting, pmu->group_mask);
		if (!a->conflict_bits)
			continue;
		a->conflict_at = (int)i;
		a->conflict_with = clashes_with(pmu, a, i, counting);
		return false;
	}
	a->group_rule = (f.value & f.mask & pmu->group_mask) !=
			(f.mask & pmu->group_mask & pmu->group_value);
	return true;
}

#define MAX_TRIED 100000 /* six events with six codes each are fewer; real rows have two or three */

static const struct dtpmu_codelist *row_of(const struct dtpmu *pmu, uint64_t code)
{
	vec_for_each (r, &pmu->alternatives)
		for (size_t i = 0; i < r->nr; i++)
			if (r->code[i] == code)
				return r;
	return NULL;
}

/* The next alternative of @code, @k counts them: the code itself, then the rest of its row. */
static bool alternative(const struct dtpmu_codelist *row, uint64_t code, size_t *k, uint64_t *alt)
{
	*alt = code;
	if (!*k) {
		*k = 1;
		return true;
	}
	while (row && *k <= row->nr) {
		*alt = row->code[(*k)++ - 1];
		if (*alt != code)
			return true;
	}
	return false;
}

/*
 * Depth first, events in order, alternatives in order; the first group that fits. A tree may have
 * rows of any length, and then the placements are more than anybody can wait for.
 */
static bool search(const struct dtpmu *pmu, struct dtpmu_answer *a, uint64_t counting)
{
	struct fill before[DTPMU_MAX_GROUP + 1] = { 0 };
	const struct dtpmu_codelist *row[DTPMU_MAX_GROUP];
	size_t next[DTPMU_MAX_GROUP] = { 0 }, i = 0;
	struct dtpmu_use u;
	uint64_t alt;

	for (size_t j = 0; j < a->nr; j++)
		row[j] = row_of(pmu, a->want[j].config);
	while (i < a->nr) {
		a->gave_up = a->tried >= MAX_TRIED;
		if (a->gave_up)
			return false;
		if (!alternative(row[i], a->want[i].config, &next[i], &alt)) {
			if (!i)
				return false;
			next[i--] = 0;
			continue;
		}
		a->tried++;
		dtpmu_constraint_of(pmu, &a->want[i], alt, &u);
		before[i + 1] = before[i];
		if (!u.valid || place(pmu, &before[i + 1], &u, counting, 0))
			continue;
		a->use[i].config = alt;
		i++;
	}
	return true;
}

static void assign(const struct dtpmu *pmu, struct dtpmu_answer *a)
{
	uint64_t used = 0;

	for (size_t i = 0; i < a->nr; i++) {
		a->use[i].pmc = (uint32_t)dtpmu_role_get(pmu, DTPMU_ROLE_PMC, a->use[i].config);
		used |= BIT(a->use[i].pmc);
	}
	for (size_t i = 0; i < a->nr; i++) {
		for (uint32_t p = 1; !a->use[i].pmc && p <= pmu->nr_pmc; p++) {
			if (!(pmu->programmable >> p & 1) || (used >> p & 1))
				continue;
			a->use[i].pmc = p;
			used |= BIT(p);
		}
	}
}

static void look_at_each(const struct dtpmu *pmu, struct dtpmu_answer *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		struct dtpmu_use *u = &a->use[i];

		dtpmu_constraint_of(pmu, &a->want[i], a->want[i].config, u);
		vec_for_each (r, &pmu->reserved)
			for (size_t k = 0; k < r->nr && !u->reserved; k++)
				if ((a->want[i].config >> r->shift & r->mask) == r->value[k])
					u->reserved = r;
		if (!u->valid && a->invalid_at < 0)
			a->invalid_at = (int)i;
	}
}

void dtpmu_check(const struct dtpmu *pmu, const struct dtpmu_want *w, size_t nr, unsigned flags,
		 struct dtpmu_answer *a)
{
	uint64_t counting = counting_bits(pmu);

	*a = (struct dtpmu_answer){
		.limit = pmu->nr_pmc, .invalid_at = -1, .conflict_at = -1, .conflict_with = -1
	};
	a->nr = min_u64(nr, DTPMU_MAX_GROUP);
	memcpy(a->want, w, a->nr * sizeof(*w));
	look_at_each(pmu, a);
	if (nr > pmu->nr_pmc) {
		a->verdict = DTPMU_TOO_MANY;
		if (a->invalid_at < 0)
			first_pass(pmu, a, counting); /* names what runs out first */
		return;
	}
	if (a->invalid_at >= 0) {
		a->verdict = DTPMU_INVALID;
		return;
	}
	if (!first_pass(pmu, a, counting) ? !search(pmu, a, counting) : a->group_rule) {
		a->verdict = DTPMU_CONFLICT;
		for (size_t i = 0; i < a->nr; i++) /* what the search tried last is no answer */
			a->use[i].config = a->want[i].config;
		return;
	}
	assign(pmu, a);
	dtpmu_registers(pmu, a, flags);
}
