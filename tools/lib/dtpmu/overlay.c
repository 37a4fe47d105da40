// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the published schema cannot say about a Power PMU, and the faults of the tree that
 * firmware is known to emit, as edits of the tree in the tree's own vocabulary. The rest of the
 * code reads the edited tree and knows neither defaults nor faults.
 *
 * Rows of level NOTE are defaults: they only add what is missing. Rows of level FAULT correct;
 * they are left out with DTPMU_AS_PUBLISHED, but reported all the same.
 */
#include <stdio.h>

#include "base/bytes.h"
#include "tree-int.h"

enum action {
	ADD,	   /* the property, if the node is there and has none */
	NEW,	   /* a node that is missing; further rows of its path add to the new node */
	FIX,	   /* the property, if it holds the known wrong value */
	DROP,	   /* the node */
	DROP_PROP, /* the property */
};

struct row {
	unsigned isa;
	enum dtpmu_level level;
	enum action action;
	const char *path, *prop;
	const char *str;   /* a string value */
	uint32_t cell[20]; /* or cells */
	unsigned nr;	   /* how many; 0 and no string: a flag */
	uint32_t wrong[4]; /* FIX: cells of the wrong list, or <hi lo> of the wrong number */
	unsigned nr_wrong; /* 2: a number; more: a list */
	bool (*when)(const struct dt_node *pmu);
	const char *text; /* NULL: belongs to the row before */
};

#define P8   DTPMU_ISA_207
#define P9   DTPMU_ISA_300
#define P10  DTPMU_ISA_310
#define ALL  (P8 | P9 | P10)
#define P9UP (P9 | P10)

#define CELLS(...) \
	.cell = { __VA_ARGS__ }, .nr = sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)
#define FLAG .nr = 0
#define WRONG(...) \
	.wrong = { __VA_ARGS__ }, .nr_wrong = sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)

static bool bit_is_free(const struct dt_node *pmu, unsigned bit)
{
	const struct dt_node *fields = dt_child(pmu, "evt_code_format");

	if (!fields)
		return false;
	for (const struct dt_node *f = fields->child; f; f = f->next) {
		const struct dt_prop *bits = dt_prop(f, "bits");

		if (bits && bits->len == 8 && dt_cell(bits, 0) <= bit && bit <= dt_cell(bits, 1))
			return false;
	}
	return true;
}

static bool bit62_free(const struct dt_node *pmu)
{
	return bit_is_free(pmu, 62);
}

static bool bit63_free(const struct dt_node *pmu)
{
	return bit_is_free(pmu, 63);
}

static bool no_config1(const struct dt_node *pmu)
{
	return !dt_child(pmu, "config1_format");
}

static bool no_attr_checks(const struct dt_node *pmu)
{
	return !dt_child(pmu, "attr-checks");
}

static bool no_alternatives(const struct dt_node *pmu)
{
	const struct dt_node *a = dt_child(dt_child(pmu, "constraints"), "alternatives");

	return a && dt_prop(a, "supported") && !a->child;
}

static bool has_setters(const struct dt_node *pmu)
{
	return dt_child(pmu, "mmcr0-setters");
}

static bool has_mmcr2(const struct dt_node *pmu)
{
	return dt_child(pmu, "mmcr2");
}

static bool has_threshold(const struct dt_node *pmu)
{
	return dt_child(dt_child(dt_child(pmu, "constraints"), "threshold"), "thresh-cmp") &&
	       no_config1(pmu);
}

#define FMT "evt_code_format/"
#define CON "constraints/"

/* clang-format off */
static const struct row rows[] = {
	/* ---- what the schema cannot say ---- */
	{ ALL, DTPMU_NOTE, ADD, FMT "RAND_SAMP_MODE", "condition", CELLS(1),
	  .text = "no condition: applied to marked events only" },
	{ ALL, DTPMU_NOTE, ADD, FMT "RAND_SAMP_ELIG", "condition", CELLS(1),
	  .text = "no condition: applied to marked events only" },
	{ ALL, DTPMU_NOTE, ADD, FMT "IFM", "condition", CELLS(4),
	  .text = "no condition: applied to BHRB events only" },
	{ P10, DTPMU_NOTE, ADD, FMT "L2L3_SELECT", "condition", CELLS(5),
	  .text = "no condition: applied to events of unit 6 only" },
	{ P10, DTPMU_NOTE, ADD, FMT "L2L3_SELECT", "units", CELLS(6) },
	{ P9UP, DTPMU_NOTE, ADD, FMT "SDAR_MODE", "default-value", CELLS(2),
	  .text = "no default-value: 0 counts as 2, and as 0 in a group with a marked event" },
	{ P9UP, DTPMU_NOTE, ADD, FMT "SDAR_MODE", "zero-if-marked", FLAG },
	{ ALL, DTPMU_NOTE, NEW, FMT "BHRB", "bits", CELLS(62, 62), .when = bit62_free,
	  .text = "no field owns bit 62: taken as the BHRB flag" },
	{ ALL, DTPMU_NOTE, NEW, FMT "BHRB", "length", CELLS(1) },
	{ ALL, DTPMU_NOTE, NEW, FMT "BHRB", "description",
	  .str = "Wants the branch history buffer (with EBB only)" },
	{ ALL, DTPMU_NOTE, NEW, FMT "EBB", "bits", CELLS(63, 63), .when = bit63_free,
	  .text = "no field owns bit 63: taken as the EBB flag" },
	{ ALL, DTPMU_NOTE, NEW, FMT "EBB", "length", CELLS(1) },
	{ ALL, DTPMU_NOTE, NEW, FMT "EBB", "description", .str = "Event based branch" },
	{ P10, DTPMU_NOTE, NEW, "config1_format/THRESH_CMP", "bits", CELLS(0, 17),
	  .when = has_threshold,
	  .text = "no config1_format: bits 0-17 of config1 are the threshold compare value" },
	{ P10, DTPMU_NOTE, NEW, "config1_format/THRESH_CMP", "length", CELLS(18) },
	{ P10, DTPMU_NOTE, NEW, "config1_format/THRESH_CMP", "mmcr", CELLS(4) },
	{ P10, DTPMU_NOTE, NEW, "config1_format/THRESH_CMP", "target_fields", CELLS(45, 55) },
	{ P10, DTPMU_NOTE, NEW, "config1_format/THRESH_CMP", "encoding", .str = "exp4-mant8" },
	{ P10, DTPMU_NOTE, NEW, "config1_format/THRESH_CMP", "max-value", CELLS(261120) },
	{ P10, DTPMU_NOTE, NEW, "config1_format/THRESH_CMP", "description",
	  .str = "Threshold compare value" },
	{ ALL, DTPMU_NOTE, NEW, "mmcr2/fcwait", "mmcr", CELLS(2), .when = has_mmcr2,
	  .text = "missing: exclude_idle freezes by bit 58 - 9 * (pmc - 1)" },
	{ ALL, DTPMU_NOTE, NEW, "mmcr2/fcwait", "pgm_base", CELLS(58) },
	{ ALL, DTPMU_NOTE, NEW, "mmcr2/fcwait", "stride", CELLS(9) },
	{ ALL, DTPMU_NOTE, NEW, "mmcr2/fcwait", "use_stride", FLAG },
	{ P10, DTPMU_NOTE, NEW, "mmcr0-setters/pmccext", "mmcr", CELLS(0), .when = has_setters,
	  .text = "missing: PMCCEXT, bit 9 of MMCR0, is always set" },
	{ P10, DTPMU_NOTE, NEW, "mmcr0-setters/pmccext", "bit", CELLS(9) },
	{ P10, DTPMU_NOTE, NEW, "mmcr0-setters/pmccext", "always", FLAG },
	{ P10, DTPMU_NOTE, NEW, "mmcr0-setters/c56run", "mmcr", CELLS(0), .when = has_setters,
	  .text = "missing: C56RUN, bit 8 of MMCR0, is always set" },
	{ P10, DTPMU_NOTE, NEW, "mmcr0-setters/c56run", "bit", CELLS(8) },
	{ P10, DTPMU_NOTE, NEW, "mmcr0-setters/c56run", "always", FLAG },
	{ P10, DTPMU_NOTE, NEW, "mmcra-setters/bhrbrd", "mmcr", CELLS(4), .when = has_setters,
	  .text = "missing: BHRBRD, bit 37 of MMCRA, is set unless branches are recorded" },
	{ P10, DTPMU_NOTE, NEW, "mmcra-setters/bhrbrd", "bit", CELLS(37) },
	{ P10, DTPMU_NOTE, NEW, "mmcra-setters/bhrbrd", "unless-bhrb", FLAG },
	{ P10, DTPMU_NOTE, ADD, CON "cache/l2l3-group", "units", CELLS(6),
	  .text = "no units: taken for unit 6 only" },
	{ P9, DTPMU_NOTE, ADD, CON "cache/cache-pmc4", "value-pmc", CELLS(4),
	  .text = "no value-pmc: the value says that the event is on PMC4" },
	{ ALL, DTPMU_NOTE, ADD, CON "ebb", "fixed-counters", FLAG },
	{ ALL, DTPMU_NOTE, ADD, CON "bhrb", "fixed-counters", FLAG },
	{ P10, DTPMU_NOTE, NEW, CON "alternatives/cycles", "valid-events",
	  CELLS(0, 0x1e, 0, 0x600f4), .when = no_alternatives,
	  .text = "supported, but no table: 0x1e and 0x600f4 stand for each other" },
	{ P10, DTPMU_NOTE, NEW, CON "alternatives/instructions", "valid-events",
	  CELLS(0, 0x2, 0, 0x500fa), .when = no_alternatives,
	  .text = "supported, but no table: 0x2 and 0x500fa stand for each other" },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/sample-mode", "event-mask", CELLS(3),
	  .when = no_attr_checks,
	  .text = "no table of reserved values: sampling and threshold fields take the built-in one" },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/sample-mode", "event-shift", CELLS(24) },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/sample-mode", "values", CELLS(3) },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/sample", "event-mask", CELLS(0x1f) },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/sample", "event-shift", CELLS(24) },
	{ P10, DTPMU_NOTE, NEW, "attr-checks/sample", "values",
	  CELLS(0x5, 0x9, 0xd, 0x10, 0x19, 0x1a, 0x1d, 0x1e) },
	{ P9, DTPMU_NOTE, NEW, "attr-checks/sample", "values",
	  CELLS(0x5, 0x9, 0xc, 0xd, 0x19, 0x1a, 0x1d, 0x1e) },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/thresh-start", "event-mask", CELLS(0xf) },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/thresh-start", "event-shift", CELLS(36) },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/thresh-start", "values", CELLS(0xf) },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/thresh-stop", "event-mask", CELLS(0xf) },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/thresh-stop", "event-shift", CELLS(32) },
	{ P9UP, DTPMU_NOTE, NEW, "attr-checks/thresh-stop", "values", CELLS(0xf) },

	/* ---- known faults of published trees ---- */
	{ P9UP, DTPMU_FAULT, FIX, FMT "PMCxCOMB", "target_field_base", CELLS(40), WRONG(0, 36),
	  .text = "target_field_base 36 with shift 1 is POWER8's; from POWER9 on it is 40 with 2" },
	{ P9UP, DTPMU_FAULT, FIX, FMT "PMCxCOMB", "target_field_shift", CELLS(2), WRONG(0, 1) },
	{ P10, DTPMU_FAULT, FIX, "mmcr0-setters/pmcjce", "trigger-pmc", CELLS(2, 3, 4, 5, 6),
	  WRONG(2, 3, 4), .text = "trigger-pmc <2 3 4> lacks PMC5 and PMC6" },
	{ ALL, DTPMU_FAULT, ADD, "mmcr0-setters/fc56", "trigger-unused",
	  .text = "inverted: FC56 freezes PMC5 and PMC6, so it is set when neither is in use" },
	{ P10, DTPMU_FAULT, FIX, CON "threshold/thresh-sel", "constraint-mask", CELLS(7, 0),
	  WRONG(0x7ff, 0), .text = "constraint-mask 0x7ff00000000 also covers thresh-ctl's bits" },
	{ P10, DTPMU_FAULT, ADD, CON "threshold/thresh-cmp", "source", .str = "config1",
	  .text = "event-shift 40 points at L2L3_SELECT and SRC_MMCR3; the value is config1's" },
	{ P10, DTPMU_FAULT, ADD, CON "threshold/thresh-cmp", "encoding", .str = "exp4-mant8" },
	{ P10, DTPMU_FAULT, FIX, CON "threshold/thresh-cmp", "event-shift", CELLS(0), WRONG(0, 40) },
	{ P10, DTPMU_FAULT, FIX, CON "cache/l2l3-group", "event-shift", CELLS(40), WRONG(0, 0),
	  .text = "event-shift 0 and constraint-shift 50 do not fit the mask; they are 40 and 55" },
	{ P10, DTPMU_FAULT, FIX, CON "cache/l2l3-group", "constraint-shift", CELLS(55),
	  WRONG(0, 50) },
	{ P9, DTPMU_FAULT, FIX, CON "cache/cache-group", "constraint-mask", CELLS(0x7f800000, 0),
	  WRONG(0x07f80000, 0), .text = "constraint-mask does not fit constraint-shift 55" },
	{ P10, DTPMU_FAULT, DROP, CON "cache/cache-group",
	  .text = "a POWER9 rule (its mask does not fit shift 55 either); its bits are l2l3-group's" },
	{ P10, DTPMU_FAULT, DROP, CON "cache/cache-pmc4", .text = "a POWER9 rule" },
	{ P9UP, DTPMU_FAULT, DROP_PROP, CON "cache", "require-cache-selector-zero",
	  .text = "require-cache-selector-zero is a POWER8 rule; the bits are qualifiers here" },
	{ P9UP, DTPMU_FAULT, DROP_PROP, CON "cache", "cache-selector-mask", FLAG },
	{ P9UP, DTPMU_FAULT, DROP, CON "fab-match",
	  .text = "a POWER8 rule; on POWER10 it would collide with l2l3-group" },
	{ P9UP, DTPMU_FAULT, FIX, CON "grouping", "group-constraint-mask", CELLS(0x400000, 0),
	  WRONG(0, 0), .text = "group-constraint-mask and -value are 0, not bit 54" },
	{ P9UP, DTPMU_FAULT, FIX, CON "grouping", "group-constraint-value", CELLS(0x400000, 0),
	  WRONG(0, 0) },
	{ ALL, DTPMU_FAULT, FIX, CON "nc", "condition", CELLS(0), WRONG(0, 1),
	  .text = "condition 1 (marked) means nothing: every event on PMC1-4 counts" },
};
/* clang-format on */

static bool holds_wrong(const struct row *r, const struct dt_node *n)
{
	const struct dt_prop *p = dt_prop(n, r->prop);
	uint64_t v;

	if (!p)
		return false;
	if (r->nr_wrong == 2)
		return !dt_u64(n, r->prop, &v) && v == ((uint64_t)r->wrong[0] << 32 | r->wrong[1]);
	if (p->len != r->nr_wrong * 4)
		return false;
	for (unsigned i = 0; i < r->nr_wrong; i++)
		if (dt_cell(p, i) != r->wrong[i])
			return false;
	return true;
}

static int put(struct dt_tree *t, struct dt_node *n, const struct row *r)
{
	unsigned char raw[sizeof(r->cell)];
	bool swap = !host_is_big_endian();

	if (r->str)
		return dt_add_prop(t, n, r->prop, r->str, strlen(r->str) + 1) ? 0 : -ENOMEM;
	for (unsigned i = 0; i < r->nr; i++)
		store_u32(raw + 4 * i, swap ? __builtin_bswap32(r->cell[i]) : r->cell[i]);
	return dt_add_prop(t, n, r->prop, raw, r->nr * 4) ? 0 : -ENOMEM;
}

/* The node of @path, with missing ones made. */
static struct dt_node *make_path(struct dt_tree *t, struct dt_node *n, const char *path)
{
	while (n && *path) {
		size_t len = strcspn(path, "/");
		char *name = arena_strndup(&t->arena, path, len);
		struct dt_node *child = name ? dt_child(n, name) : NULL;

		if (!child && name) {
			child = dt_add_node(t, n, name);
			if (child && dt_sort(n))
				child = NULL;
		}
		n = child;
		path += len + (path[len] == '/');
	}
	return n;
}

static void drop(struct dt_node *pmu, const char *path)
{
	char parent[128];
	const char *slash = strrchr(path, '/');
	struct dt_node *gone = dt_path(pmu, path), *p;

	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - path) : 0, path);
	p = dt_path(pmu, parent);
	for (struct dt_node **at = &p->child; *at; at = &(*at)->next) {
		if (*at != gone)
			continue;
		*at = gone->next;
		return;
	}
}

static void drop_prop(struct dt_node *n, const char *name)
{
	for (struct dt_prop **at = &n->prop; *at; at = &(*at)->next) {
		if (strcmp((*at)->name, name))
			continue;
		*at = (*at)->next;
		return;
	}
}

static bool wanted(const struct row *r, struct dt_node *pmu, const struct dt_node *n,
		   const char *made)
{
	switch (r->action) {
	case ADD: return n && !dt_prop(n, r->prop);
	case NEW: return made && !strcmp(made, r->path) ? true : !n && r->when && r->when(pmu);
	case FIX: return n && holds_wrong(r, n);
	case DROP: return n;
	case DROP_PROP: return n && dt_prop(n, r->prop);
	}
	return false;
}

static int apply(struct dt_tree *t, struct dt_node *pmu, struct dt_node *n, const struct row *r)
{
	switch (r->action) {
	case NEW:
		n = make_path(t, pmu, r->path);
		if (!n)
			return -ENOMEM;
		return put(t, n, r);
	case ADD:
	case FIX: return put(t, n, r);
	case DROP: drop(pmu, r->path); return 0;
	case DROP_PROP: drop_prop(n, r->prop); return 0;
	}
	return 0;
}

/*
 * attr-checks is one table of several nodes: the `when` of its first row speaks for all of them,
 * so a node also counts as made when its parent was.
 */
static bool same_table(const char *made, const char *path)
{
	static const char table[] = "attr-checks/";

	return made && !strncmp(made, table, sizeof(table) - 1) &&
	       !strncmp(path, table, sizeof(table) - 1);
}

int dt_overlay(struct dt_tree *t, struct dt_node *pmu, enum dtpmu_isa isa, unsigned flags,
	       dt_overlay_uses *uses)
{
	bool alternatives = no_alternatives(pmu);
	const char *made = NULL;

	for (const struct row *r = rows; r < rows + ARRAY_SIZE(rows); r++) {
		struct dt_node *n = dt_path(pmu, r->path);
		bool fits;

		if (!(r->isa & isa))
			continue;
		if (r->when == no_alternatives)
			fits = alternatives;
		else if (r->action == NEW && same_table(made, r->path))
			fits = true;
		else
			fits = wanted(r, pmu, n, made);
		if (!fits)
			continue;
		if (r->text &&
		    vec_push(uses, ((struct dt_overlay_use){ r->level, r->path, r->text })))
			return -ENOMEM;
		if (r->level == DTPMU_FAULT && (flags & DTPMU_AS_PUBLISHED))
			continue;
		if (r->action == NEW)
			made = r->path;
		if (apply(t, pmu, n, r))
			return -ENOMEM;
	}
	return 0;
}
