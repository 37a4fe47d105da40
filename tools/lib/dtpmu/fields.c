// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event-code fields and the conditions under which fields and constraints apply. Trees name
 * conditions by a number or by properties; both become one struct, and nothing behind this file
 * sees the difference.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "tree-int.h"

static const struct {
	const char *name;
	enum dtpmu_role role;
	const char *word; /* value of a `role` property */
	const char *term; /* what sysfs calls the field; NULL = the name in lower case */
} well_known[] = {
	{ "PMCx", DTPMU_ROLE_PMC, "pmc", "pmc" },
	{ "PMCxUNIT", DTPMU_ROLE_UNIT, "unit", "unit" },
	{ "MARK", DTPMU_ROLE_MARK, "mark", NULL },
	{ "THRESH_SEL", DTPMU_ROLE_THRESH_SEL, "thresh-sel", NULL },
	{ "IFM", DTPMU_ROLE_IFM, "ifm", NULL },
	{ "BHRB", DTPMU_ROLE_BHRB, "bhrb", NULL },
	{ "EBB", DTPMU_ROLE_EBB, "ebb", NULL },
	{ "PMCxCOMB", DTPMU_ROLE_NONE, NULL, "combine" },
	{ "RADIX_SCOPE_QUAL", DTPMU_ROLE_NONE, NULL, "radix_scope" },
	{ "L2L3_SELECT", DTPMU_ROLE_NONE, NULL, "l2l3_sel" },
};

static uint64_t unit_set(struct dt_parse *p, const struct dt_node *n, const char *where,
			 const char *name)
{
	uint64_t set = 0;
	size_t nr;
	const uint64_t *v = dt_parse_list(p, n, where, name, false, &nr);

	for (size_t i = 0; i < nr; i++)
		set |= v[i] < 64 ? BIT(v[i]) : 0;
	return set;
}

/* The published condition numbers; what they mean is in no schema. */
static void apply_number(struct dt_parse *p, const char *where, struct dtpmu_cond *c)
{
	switch (c->number) {
	case 0: return;
	case 1: c->needs |= DTPMU_NEED_MARKED; return;
	case 2: c->needs |= DTPMU_NEED_THRESH_SEL; return;
	case 3: c->except_units |= p->pmu->cache_units; return;
	case 4: c->needs |= DTPMU_NEED_BHRB; return;
	case 5:
		if (!c->units)
			c->units = p->pmu->cache_units;
		if (!c->units)
			c->needs |= DTPMU_NEVER;
		return;
	case 6:
		if (p->pmu->isa != DTPMU_ISA_310)
			c->needs |= DTPMU_NEVER;
		return;
	default:
		dt_finding(p, DTPMU_FAULT, where, "unknown condition %u: taken as always",
			   c->number);
	}
}

void dt_parse_cond(struct dt_parse *p, const struct dt_node *n, const char *where,
		   struct dtpmu_cond *c)
{
	*c = (struct dtpmu_cond){ 0 };
	dt_u32(n, "condition", &c->number);
	c->units = unit_set(p, n, where, "units");
	c->except_units = unit_set(p, n, where, "except-units");
	c->match = dt_parse_codes(p, n, where, "match-mask", "match-values");
	c->except = dt_parse_codes(p, n, where, "except-mask", "except-values");
	apply_number(p, where, c);
}

enum dtpmu_encoding dt_parse_encoding(struct dt_parse *p, const struct dt_node *n,
				      const char *where)
{
	const char *enc = dt_string(n, "encoding");

	if (!enc || !strcmp(enc, "plain"))
		return DTPMU_PLAIN;
	if (!strcmp(enc, "exp4-mant8"))
		return DTPMU_EXP_MANT8;
	dt_finding(p, DTPMU_FAULT, where, "unknown encoding '%s': taken as plain", enc);
	return DTPMU_PLAIN;
}

static const char *term_of(struct dt_parse *p, const struct dt_node *n)
{
	const char *given = dt_string(n, "format-name");
	char *term;

	if (given && given[0])
		return given;
	for (size_t i = 0; i < ARRAY_SIZE(well_known); i++)
		if (well_known[i].term && !strcmp(well_known[i].name, n->name))
			return well_known[i].term;
	term = arena_strdup(&p->t->arena, n->name);
	if (!term) {
		p->code = -ENOMEM;
		return n->name;
	}
	for (char *c = term; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return term;
}

static enum dtpmu_role role_of(struct dt_parse *p, const struct dt_node *n, const char *where)
{
	const char *word = dt_string(n, "role");

	for (size_t i = 0; i < ARRAY_SIZE(well_known); i++)
		if (word ? well_known[i].word && !strcmp(word, well_known[i].word)
			 : !strcmp(n->name, well_known[i].name))
			return well_known[i].role;
	if (word)
		dt_finding(p, DTPMU_FAULT, where, "unknown role '%s'", word);
	return DTPMU_ROLE_NONE;
}

static void parse_target(struct dt_parse *p, const struct dt_node *n, const char *where,
			 struct dtpmu_field *f)
{
	const struct dt_prop *fixed = dt_prop(n, "target_fields");
	uint32_t mmcr, base, stride = 0;

	f->mmcr = -1;
	f->target_hi = -1;
	if (!dt_u32(n, "mmcr", &mmcr))
		return;
	if (mmcr >= DTPMU_MAX_MMCR) {
		dt_finding(p, DTPMU_FAULT, where, "register %u: numbers go up to %d", mmcr,
			   DTPMU_MAX_MMCR - 1);
		return;
	}
	if (dt_u32(n, "target_field_base", &base)) {
		dt_u32(n, "target_field_shift", &stride);
		f->per_pmc = true;
		f->base = (int)(base & 0xffff);
		f->stride = (int)(stride & 0xff);
	} else if (fixed && fixed->len == 8) {
		f->base = (int)(dt_cell(fixed, 0) & 0xffff);
		f->target_hi = (int)(dt_cell(fixed, 1) & 0xffff);
	} else {
		return; /* PMCx: selects the counter, goes to no register */
	}
	f->mmcr = (int)mmcr;
	f->has_target = true;
}

static bool parse_bits(struct dt_parse *p, const struct dt_node *n, const char *where,
		       struct dtpmu_field *f)
{
	const struct dt_prop *bits = dt_prop(n, "bits");
	uint32_t lo, hi;

	if (!bits || bits->len != 8) {
		dt_finding(p, DTPMU_FAULT, where, "no bits = <low high>: field ignored");
		return false;
	}
	lo = dt_cell(bits, 0);
	hi = dt_cell(bits, 1);
	if (lo > hi || hi > 63) {
		dt_finding(p, DTPMU_FAULT, where,
			   "bits <%u %u> are no range within 0 to 63: "
			   "field ignored",
			   lo, hi);
		return false;
	}
	f->lo = (uint8_t)lo;
	f->hi = (uint8_t)hi;
	f->has_length = dt_u32(n, "length", &f->length);
	if (f->has_length && f->length != hi - lo + 1)
		dt_finding(p, DTPMU_FAULT, where, "length %u, but bits <%u %u> are %u: bits it is",
			   f->length, lo, hi, hi - lo + 1);
	return true;
}

static void parse_field(struct dt_parse *p, const struct dt_node *n, const char *dir, uint8_t word)
{
	struct dtpmu_field f = { .name = n->name, .word = word };
	char where[256];

	if (!dt_available(n))
		return;
	snprintf(where, sizeof(where), "%s/%s", dir, n->name);
	if (!parse_bits(p, n, where, &f))
		return;
	f.desc = dt_string(n, "description");
	if (!f.desc)
		f.desc = "";
	f.term = term_of(p, n);
	f.role = word ? DTPMU_ROLE_NONE : role_of(p, n, where);
	f.overlay = dt_prop(n, "overlay");
	parse_target(p, n, where, &f);
	dt_parse_cond(p, n, where, &f.cond);
	f.encoding = dt_parse_encoding(p, n, where);
	dt_parse_u64(p, n, where, "max-value", &f.max);
	f.has_default = dt_parse_u64(p, n, where, "default-value", &f.def);
	f.zero_if_marked = dt_prop(n, "zero-if-marked");
	if (vec_push(&p->pmu->fields, f))
		p->code = -ENOMEM;
}

static int by_bits(const void *a, const void *b)
{
	const struct dtpmu_field *x = a, *y = b;

	if (x->word != y->word)
		return x->word - y->word;
	if (x->lo != y->lo)
		return x->lo - y->lo;
	if (x->overlay != y->overlay)
		return x->overlay - y->overlay;
	return strcmp(x->name, y->name);
}

/* Units of the cache are needed by conditions, so before any field. */
static void parse_cache_units(struct dt_parse *p)
{
	const struct dt_node *cache = dt_path(p->node, "constraints/cache");

	if (cache)
		p->pmu->cache_units = unit_set(p, cache, "constraints/cache", "supported-units");
}

static uint64_t field_bits(const struct dtpmu_field *f)
{
	unsigned n = f->hi - f->lo + 1u;

	return (n == 64 ? ~0ULL : BIT(n) - 1) << f->lo;
}

void dt_parse_fields(struct dt_parse *p)
{
	static const char *const dirs[] = { "evt_code_format", "config1_format" };
	struct dtpmu *pmu = p->pmu;

	parse_cache_units(p);
	for (unsigned word = 0; word < ARRAY_SIZE(dirs); word++) {
		const struct dt_node *dir = dt_child(p->node, dirs[word]);

		for (const struct dt_node *n = dir ? dir->child : NULL; n; n = n->next) {
			if (dt_too_many(p, pmu->fields.n, dirs[word]))
				break;
			parse_field(p, n, dirs[word], (uint8_t)word);
		}
	}
	if (pmu->fields.n)
		qsort(pmu->fields.v, pmu->fields.n, sizeof(*pmu->fields.v), by_bits);
	vec_for_each (f, &pmu->fields) {
		pmu->owned[f->word] |= field_bits(f);
		if (f->role && !pmu->role[f->role])
			pmu->role[f->role] = f;
		if (f->role == DTPMU_ROLE_IFM || f->role == DTPMU_ROLE_BHRB ||
		    f->role == DTPMU_ROLE_EBB)
			pmu->software |= field_bits(f);
	}
}
