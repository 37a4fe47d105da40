// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Constraints between events, alternatives, reserved values, and single register bits, read from
 * the tree. A node that makes no sense becomes a finding and is left out: one bad node must not
 * take the whole PMU away.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tree-int.h"

/* Nodes below `constraints` that are no value constraints. */
static bool is_special(const char *name)
{
	static const char *const special[] = { "pmc-constraints", "grouping", "nc",
					       "alternatives" };

	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		if (!strcmp(name, special[i]))
			return true;
	return false;
}

static void parse_value(struct dt_parse *p, const struct dt_node *n, const char *where)
{
	struct dtpmu_constraint c = { .name = n->name };
	const char *source = dt_string(n, "source");

	if (!dt_parse_u64(p, n, where, "constraint-mask", &c.mask))
		return;
	dt_parse_u64(p, n, where, "event-mask", &c.event_mask);
	dt_u32(n, "event-shift", &c.event_shift);
	dt_u32(n, "constraint-shift", &c.shift);
	dt_u32(n, "value-pmc", &c.value_pmc);
	dt_u32(n, "normal-shift", &c.normal_shift);
	dt_parse_u64(p, n, where, "normal-mask", &c.normal_mask);
	if (c.event_shift > 63 || c.shift > 63 || c.normal_shift > 63) {
		dt_finding(p, DTPMU_FAULT, where, "a shift is above 63: constraint ignored");
		return;
	}
	c.fixed_too = dt_prop(n, "fixed-counters");
	c.word = source && !strcmp(source, "config1");
	if (source && strcmp(source, "config1") && strcmp(source, "config"))
		dt_finding(p, DTPMU_FAULT, where, "unknown source '%s': taken as config", source);
	c.encoding = dt_parse_encoding(p, n, where);
	dt_parse_cond(p, n, where, &c.cond);
	if (vec_push(&p->pmu->constraints, c))
		p->code = -ENOMEM;
}

static void walk_values(struct dt_parse *p, const struct dt_node *dir, const char *path, int depth)
{
	char where[512];

	for (const struct dt_node *n = dir->child; n; n = n->next) {
		if (!dt_available(n) || (!depth && is_special(n->name)))
			continue;
		if (dt_too_many(p, p->pmu->constraints.n, path))
			return;
		snprintf(where, sizeof(where), "%.300s/%.200s", path, n->name);
		if (dt_prop(n, "constraint-mask"))
			parse_value(p, n, where);
		else if (dt_prop(n, "event-mask"))
			dt_finding(p, DTPMU_FAULT, where,
				   "event-mask, but no constraint-mask: "
				   "ignored");
		if (depth < 4)
			walk_values(p, n, where, depth + 1);
	}
}

static int by_mask(const void *a, const void *b)
{
	const struct dtpmu_constraint *x = a, *y = b;
	uint64_t low_x = x->mask & -x->mask, low_y = y->mask & -y->mask;

	if (low_x != low_y)
		return low_x < low_y ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void parse_restricted(struct dt_parse *p, const struct dt_node *dir)
{
	static const char path[] = "constraints/pmc-constraints";
	uint32_t max;

	if (!dir)
		return;
	if (dt_u32(dir, "max-counter", &max) && max != p->pmu->nr_pmc)
		dt_finding(p, DTPMU_WARNING, path, "max-counter %u, but nr_pmc %u", max,
			   p->pmu->nr_pmc);
	for (const struct dt_node *n = dir->child; n; n = n->next) {
		struct dtpmu_codelist r = { .name = n->name };

		if (!dt_available(n))
			continue;
		if (!dt_u32(n, "pmc", &r.pmc) || !r.pmc || r.pmc > p->pmu->nr_pmc) {
			dt_finding(p, DTPMU_FAULT, path, "%s has no pmc from 1 to %u: ignored",
				   n->name, p->pmu->nr_pmc);
			continue;
		}
		r.code = dt_parse_list(p, n, path, "valid-events", true, &r.nr);
		if (vec_push(&p->pmu->restricted, r))
			p->code = -ENOMEM;
	}
}

static void parse_alternatives(struct dt_parse *p, const struct dt_node *dir)
{
	static const char path[] = "constraints/alternatives";

	for (const struct dt_node *n = dir ? dir->child : NULL; n; n = n->next) {
		struct dtpmu_codelist r = { .name = n->name };

		if (!dt_available(n))
			continue;
		r.code = dt_parse_list(p, n, path, "valid-events", true, &r.nr);
		if (r.nr < 2)
			dt_finding(p, DTPMU_FAULT, path, "%s lists %zu codes: a row needs two",
				   n->name, r.nr);
		else if (vec_push(&p->pmu->alternatives, r))
			p->code = -ENOMEM;
	}
}

static void parse_reserved(struct dt_parse *p, const struct dt_node *dir)
{
	static const char path[] = "attr-checks";

	for (const struct dt_node *n = dir ? dir->child : NULL; n; n = n->next) {
		struct dtpmu_reserved r = { .name = n->name };

		if (!dt_available(n))
			continue;
		dt_parse_u64(p, n, path, "event-mask", &r.mask);
		dt_u32(n, "event-shift", &r.shift);
		r.value = dt_parse_list(p, n, path, "values", false, &r.nr);
		if (r.shift > 63 || !r.mask)
			dt_finding(p, DTPMU_FAULT, path, "%s: no event-mask, or a shift above 63",
				   n->name);
		else if (vec_push(&p->pmu->reserved, r))
			p->code = -ENOMEM;
	}
}

static void parse_flags(struct dt_parse *p, const struct dt_node *con)
{
	const struct dt_node *cache = dt_child(con, "cache"), *nc = dt_child(con, "nc");
	const struct dt_node *group = dt_child(con, "grouping");
	struct dtpmu *pmu = p->pmu;
	uint64_t sel = 0;
	uint32_t sel_shift = 20; /* the cache selector's place in every Power event code */

	pmu->ebb_needs_pmc = dt_prop(dt_child(con, "ebb"), "require-pmc");
	pmu->bhrb_needs_ebb = dt_prop(dt_child(con, "bhrb"), "requires-ebb");
	if (dt_prop(cache, "require-cache-selector-zero") &&
	    dt_parse_u64(p, cache, "constraints/cache", "cache-selector-mask", &sel)) {
		dt_u32(cache, "cache-selector-shift", &sel_shift);
		pmu->cache_zero = sel_shift < 64 ? sel << sel_shift : 0;
	}
	if (nc) {
		dt_parse_u64(p, nc, "constraints/nc", "mask", &pmu->nc_mask);
		dt_u32(nc, "shift", &pmu->nc_shift);
		if (pmu->nc_shift > 63)
			pmu->nc_mask = pmu->nc_shift = 0;
	}
	if (group) {
		dt_parse_u64(p, group, "constraints/grouping", "group-constraint-mask",
			     &pmu->group_mask);
		dt_parse_u64(p, group, "constraints/grouping", "group-constraint-value",
			     &pmu->group_value);
	}
}

void dt_parse_constraints(struct dt_parse *p)
{
	struct dt_node *con = dt_child(p->node, "constraints");

	parse_reserved(p, dt_child(p->node, "attr-checks"));
	if (!con)
		return;
	parse_flags(p, con);
	parse_restricted(p, dt_child(con, "pmc-constraints"));
	parse_alternatives(p, dt_child(con, "alternatives"));
	walk_values(p, con, "constraints", 0);
	if (p->pmu->constraints.n)
		qsort(p->pmu->constraints.v, p->pmu->constraints.n, sizeof(*p->pmu->constraints.v),
		      by_mask);
}

static void parse_setter(struct dt_parse *p, const struct dt_node *n, const char *where)
{
	struct dtpmu_setter s = { .name = n->name };
	uint32_t mmcr;
	size_t nr;
	const uint64_t *pmc;

	if (!dt_u32(n, "mmcr", &mmcr) || mmcr >= DTPMU_MAX_MMCR || !dt_u32(n, "bit", &s.bit) ||
	    s.bit > 63) {
		dt_finding(p, DTPMU_FAULT, where,
			   "no register below %d or no bit below 64: "
			   "ignored",
			   DTPMU_MAX_MMCR);
		return;
	}
	s.mmcr = (int)mmcr;
	pmc = dt_parse_list(p, n, where, "trigger-pmc", false, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (pmc[i] && pmc[i] <= p->pmu->nr_pmc)
			s.pmcs |= BIT(pmc[i]);
		else
			dt_finding(p, DTPMU_WARNING, where, "trigger-pmc %llu: there is none",
				   (unsigned long long)pmc[i]);
	}
	s.unused = dt_prop(n, "trigger-unused");
	s.always = dt_prop(n, "always");
	s.unless_bhrb = dt_prop(n, "unless-bhrb");
	if (vec_push(&p->pmu->setters, s))
		p->code = -ENOMEM;
}

static void parse_freezes(struct dt_parse *p, const struct dt_node *dir)
{
	for (const struct dt_node *n = dir ? dir->child : NULL; n; n = n->next) {
		struct dtpmu_freeze f = { .name = n->name };
		uint32_t mmcr, base, stride = 0;

		if (!dt_available(n))
			continue;
		if (!dt_u32(n, "mmcr", &mmcr) || mmcr >= DTPMU_MAX_MMCR ||
		    !dt_u32(n, "pgm_base", &base) || base > 63) {
			dt_finding(p, DTPMU_FAULT, "mmcr2",
				   "%s has no register below %d or no "
				   "pgm_base below 64: ignored",
				   n->name, DTPMU_MAX_MMCR);
			continue;
		}
		if (dt_prop(n, "use_stride"))
			dt_u32(n, "stride", &stride);
		f.mmcr = (int)mmcr;
		f.base = (int)base;
		f.stride = (int)(stride & 0xff);
		if (vec_push(&p->pmu->freezes, f))
			p->code = -ENOMEM;
	}
}

/* Every node NAME-setters holds register bits; mmcr2 holds the per-PMC freeze bits. */
void dt_parse_setters(struct dt_parse *p)
{
	static const char suffix[] = "-setters";
	char where[512];

	for (const struct dt_node *dir = p->node->child; dir; dir = dir->next) {
		size_t len = strlen(dir->name);

		if (len < sizeof(suffix) || strcmp(dir->name + len - sizeof(suffix) + 1, suffix))
			continue;
		for (const struct dt_node *n = dir->child; n; n = n->next) {
			snprintf(where, sizeof(where), "%.200s/%.200s", dir->name, n->name);
			if (dt_available(n))
				parse_setter(p, n, where);
		}
	}
	parse_freezes(p, dt_child(p->node, "mmcr2"));
}
