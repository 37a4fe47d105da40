// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the PMUs of a tree and reads what each says of itself, its registers and its events.
 * Reading never stops at a mistake: each becomes a finding with the node's path, for perf pmu-dt
 * lint, and what is whole is used.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tree-int.h"

#define COMPATIBLE "ibm,power-pmu"

void dt_finding(struct dt_parse *p, enum dtpmu_level level, const char *node, const char *fmt, ...)
{
	struct dtpmu_finding f = { .level = level };
	char text[512] = "and more of these, which are left out here";
	size_t *nr = &p->pmu->nr_findings[level];
	va_list ap;

	if (*nr > DT_MAX_FINDINGS)
		return;
	if ((*nr)++ < DT_MAX_FINDINGS) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
	} else {
		node = "";
	}
	f.node = arena_strdup(&p->t->arena, node);
	f.text = arena_strdup(&p->t->arena, text);
	if (!f.node || !f.text || vec_push(&p->pmu->findings, f))
		p->code = -ENOMEM;
}

bool dt_too_many(struct dt_parse *p, size_t nr, const char *where)
{
	if (nr == DT_MAX_PARTS)
		dt_finding(p, DTPMU_FAULT, where, "more than %d: the rest is ignored",
			   DT_MAX_PARTS);
	return nr >= DT_MAX_PARTS;
}

bool dt_parse_u64(struct dt_parse *p, const struct dt_node *n, const char *where, const char *name,
		  uint64_t *v)
{
	const struct dt_prop *prop = dt_prop(n, name);
	int ret = dt_u64(n, name, v);

	if (ret == -EINVAL)
		dt_finding(p, DTPMU_WARNING, where,
			   "%s has %u bytes: not 1 cell, 2 cells <hi lo> or 4 cells <0 hi 0 lo>; "
			   "ignored",
			   name, prop->len);
	if (!ret && prop->len == 16 && !p->four_cell++) {
		p->four_cell_first = arena_strdup(&p->t->arena, where);
		if (!p->four_cell_first)
			p->code = -ENOMEM;
	}
	return !ret;
}

const uint64_t *dt_parse_list(struct dt_parse *p, const struct dt_node *n, const char *where,
			      const char *name, bool two_cells, size_t *nr)
{
	const struct dt_prop *prop = dt_prop(n, name);
	size_t step = two_cells && prop && prop->len > 4 ? 2 : 1, cells;
	uint64_t *v;

	*nr = 0;
	if (!prop)
		return NULL;
	cells = prop->len / 4;
	if (prop->len % 4 || cells % step) {
		dt_finding(p, DTPMU_WARNING, where, "%s has %u bytes: not a list of %s; ignored",
			   name, prop->len, step == 2 ? "two-cell values" : "cells");
		return NULL;
	}
	v = arena_alloc(&p->t->arena, (cells + 1) * sizeof(*v));
	if (!v) {
		p->code = -ENOMEM;
		return NULL;
	}
	for (size_t i = 0; i < cells; i += step) {
		uint64_t val = dt_cell(prop, i);

		if (step == 2)
			val = val << 32 | dt_cell(prop, i + 1);
		/* Firmware pads single codes with zeros; 0 is no event code. */
		if (val || !two_cells)
			v[(*nr)++] = val;
	}
	return v;
}

struct dtpmu_codes dt_parse_codes(struct dt_parse *p, const struct dt_node *n, const char *where,
				  const char *mask, const char *values)
{
	struct dtpmu_codes c = { 0 };

	if (!dt_parse_u64(p, n, where, mask, &c.mask))
		return c;
	c.value = dt_parse_list(p, n, where, values, true, &c.nr);
	return c;
}

static enum dtpmu_isa isa_of(const struct dt_node *n)
{
	static const struct {
		const char *word;
		enum dtpmu_isa isa;
	} names[] = {
		{ "3.1", DTPMU_ISA_310 },     { "3.0", DTPMU_ISA_300 },
		{ "2.07", DTPMU_ISA_207 },    { "power11", DTPMU_ISA_310 },
		{ "power10", DTPMU_ISA_310 }, { "power9", DTPMU_ISA_300 },
		{ "power8", DTPMU_ISA_207 },
	};
	static const char *const props[] = { "pmu-version", "platform" };

	for (size_t p = 0; p < ARRAY_SIZE(props); p++) {
		const char *s = dt_string(n, props[p]);
		const char *version = s && !strncmp(s, "PowerISA ", 9) ? s + 9 : s;

		for (size_t i = 0; version && i < ARRAY_SIZE(names); i++)
			if (!strncmp(version, names[i].word, strlen(names[i].word)))
				return names[i].isa;
	}
	return DTPMU_ISA_OTHER;
}

static const char *text_of(const struct dt_node *n, const char *prop)
{
	const char *s = dt_string(n, prop);

	return s ? s : "";
}

static int number_in(const char *name)
{
	const char *digit = strpbrk(name, "0123456789");
	unsigned long v = digit ? strtoul(digit, NULL, 10) : 0;

	return digit && v < 1000 ? (int)v : -1;
}

static bool parse_spr(const struct dt_node *n, struct dtpmu_spr *s)
{
	uint32_t v = 0;
	int number = number_in(n->name);

	*s = (struct dtpmu_spr){ .name = n->name,
				 .privilege = text_of(n, "privilege"),
				 .event = text_of(n, "event") };
	if (number < 0 && !strcasecmp(n->name, "mmcra"))
		number = DTPMU_MMCRA;
	s->number = (uint32_t)number;
	dt_u32(n, "sprn", &s->sprn);
	dt_u32(n, "register-width", &s->width);
	s->programmable =
		dt_u32(n, "programmable", &v) ? v != 0 : dt_prop(n, "programmable") != NULL;
	return number >= 0;
}

static void parse_sprs(struct dt_parse *p)
{
	struct dt_node *pmcs = dt_path(p->node, "sprs/pmcs"), *mmcr = dt_path(p->node, "sprs/mmcr");
	struct dtpmu *pmu = p->pmu;
	struct dtpmu_spr s;

	for (struct dt_node *n = pmcs ? pmcs->child : NULL; n; n = n->next) {
		if (!dt_available(n))
			continue;
		if (dt_too_many(p, pmu->pmcs.n, "sprs/pmcs"))
			break;
		if (!parse_spr(n, &s) || !s.number || s.number >= DTPMU_MAX_PMC) {
			dt_finding(p, DTPMU_WARNING, "sprs/pmcs", "%s names no PMC from 1 to %d",
				   n->name, DTPMU_MAX_PMC - 1);
			continue;
		}
		if (s.programmable)
			pmu->programmable |= BIT(s.number);
		if (vec_push(&pmu->pmcs, s))
			p->code = -ENOMEM;
	}
	for (struct dt_node *n = mmcr ? mmcr->child : NULL; n; n = n->next) {
		if (!dt_available(n))
			continue;
		if (dt_too_many(p, pmu->mmcrs.n, "sprs/mmcr"))
			break;
		if (!parse_spr(n, &s) || s.number >= DTPMU_MAX_MMCR) {
			dt_finding(p, DTPMU_WARNING, "sprs/mmcr", "%s names no register below %d",
				   n->name, DTPMU_MAX_MMCR);
			continue;
		}
		if (vec_push(&pmu->mmcrs, s))
			p->code = -ENOMEM;
	}
	/* No list of counters: all of them can be programmed. */
	if (!pmcs)
		pmu->programmable = (BIT(pmu->nr_pmc) - 1) << 1;
}

static int by_category(const void *a, const void *b)
{
	const struct dtpmu_event *x = a, *y = b;
	int c = strcmp(x->category, y->category);

	return c ? c : strverscmp(x->name, y->name);
}

static uint64_t name_hash(const char *name)
{
	return hash_bytes(name, strlen(name));
}

static void index_events(struct dt_parse *p)
{
	struct dtpmu *pmu = p->pmu;

	for (size_t i = 0; i < pmu->events.n; i++) {
		const struct dtpmu_event *ev = &pmu->events.v[i];

		if (htab_add(&pmu->event_tab, name_hash(ev->name), (uint32_t)i) ||
		    (ev->pm_name[0] &&
		     htab_add(&pmu->event_tab, name_hash(ev->pm_name), (uint32_t)i)))
			p->code = -ENOMEM;
	}
}

const struct dtpmu_event *dtpmu_event(const struct dtpmu *pmu, const char *name)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&pmu->event_tab, name_hash(name));
	     htab_next(&pmu->event_tab, &it, &i);)
		if (!strcmp(pmu->events.v[i].name, name) || !strcmp(pmu->events.v[i].pm_name, name))
			return &pmu->events.v[i];
	return NULL;
}

const struct dtpmu_event *dtpmu_event_of(const struct dtpmu *pmu, uint64_t config, uint64_t config1)
{
	for (size_t i = 0; i < pmu->events.n; i++)
		if (pmu->events.v[i].config == config && pmu->events.v[i].config1 == config1)
			return &pmu->events.v[i];
	return NULL;
}

void dt_parse_events(struct dt_parse *p)
{
	struct dt_node *events = dt_child(p->node, "events");
	char where[256];

	for (struct dt_node *n = events ? events->child : NULL; n; n = n->next) {
		struct dtpmu_event ev = { .name = n->name,
					  .pm_name = text_of(n, "pm-name"),
					  .category = text_of(n, "event-category"),
					  .class = text_of(n, "event-class"),
					  .desc = text_of(n, "description") };

		if (!dt_available(n))
			continue;
		snprintf(where, sizeof(where), "events/%s", n->name);
		if (!dt_parse_u64(p, n, where, "event_code", &ev.config)) {
			dt_finding(p, DTPMU_WARNING, where, "no usable event_code: ignored");
			continue;
		}
		dt_parse_u64(p, n, where, "event_config1", &ev.config1);
		if (vec_push(&p->pmu->events, ev))
			p->code = -ENOMEM;
	}
	if (p->pmu->events.n)
		qsort(p->pmu->events.v, p->pmu->events.n, sizeof(*p->pmu->events.v), by_category);
	index_events(p);
}

static void free_pmu(struct dtpmu *pmu)
{
	vec_free(&pmu->pmcs);
	vec_free(&pmu->mmcrs);
	vec_free(&pmu->fields);
	vec_free(&pmu->constraints);
	vec_free(&pmu->setters);
	vec_free(&pmu->freezes);
	vec_free(&pmu->reserved);
	vec_free(&pmu->restricted);
	vec_free(&pmu->alternatives);
	vec_free(&pmu->events);
	vec_free(&pmu->findings);
	htab_free(&pmu->event_tab);
}

static int add_overlay_findings(struct dt_parse *p, unsigned flags)
{
	dt_overlay_uses uses = { 0 };
	int ret = dt_overlay(p->t, p->node, p->pmu->isa, flags, &uses);

	for (size_t i = 0; i < uses.n && !ret; i++)
		dt_finding(p, uses.v[i].level, uses.v[i].path, "%s", uses.v[i].text);
	vec_free(&uses);
	return ret;
}

static int parse_pmu(struct dtpmu_owner *o, struct dtpmu *pmu, struct dt_node *n, struct err *e)
{
	struct dt_parse p = { .t = &o->tree, .pmu = pmu, .node = n, .e = e };

	pmu->title = text_of(n, "pmu-name");
	pmu->version = text_of(n, "pmu-version");
	pmu->platform = text_of(n, "platform");
	pmu->isa = isa_of(n);
	if (!dt_u32(n, "nr_pmc", &pmu->nr_pmc) || !pmu->nr_pmc || pmu->nr_pmc >= DTPMU_MAX_PMC)
		return err_set(e, -EINVAL, "%s: nr_pmc is not a number from 1 to %d", pmu->path,
			       DTPMU_MAX_PMC - 1);
	dt_u32(n, "nr_mmcr", &pmu->nr_mmcr);
	p.code = add_overlay_findings(&p, o->flags);
	parse_sprs(&p);
	dt_parse_fields(&p);
	dt_parse_constraints(&p);
	dt_parse_setters(&p);
	dt_parse_events(&p);
	if (p.four_cell && p.four_cell_first)
		dt_finding(&p, DTPMU_WARNING, p.four_cell_first,
			   "%zu values are in four cells <0 hi 0 lo>, this one first: a reader of "
			   "two cells sees wrong ones",
			   p.four_cell);
	return p.code ? err_set(e, p.code, "no memory for %s", pmu->path) : 0;
}

static int add_pmu(struct dtpmu_owner *o, struct dt_node *n, const char *dir, struct err *e)
{
	size_t nr = o->list.nr;
	struct dtpmu **more = realloc(o->list.pmu, (nr + 1) * sizeof(struct dtpmu *)), *pmu;

	if (!more)
		return err_set(e, -ENOMEM, "no memory for a PMU");
	o->list.pmu = more;
	pmu = calloc(1, sizeof(*pmu));
	if (!pmu)
		return err_set(e, -ENOMEM, "no memory for a PMU");
	o->list.pmu[o->list.nr++] = pmu;
	pmu->path = arena_printf(&o->tree.arena, "%s/%s", dir, n->name);
	pmu->name = nr ? arena_printf(&o->tree.arena, "cpu_dts%zu", nr) : "cpu_dts";
	if (!pmu->path || !pmu->name)
		return err_set(e, -ENOMEM, "no memory for a PMU");
	return parse_pmu(o, pmu, n, e);
}

/* Compatible nodes with nr_pmc are PMUs; of those without, the children are looked at. */
static int find_pmus(struct dtpmu_owner *o, struct dt_node *dir, const char *path, int depth,
		     struct err *e)
{
	int ret = 0;

	for (struct dt_node *n = dir->child; n && !ret; n = n->next) {
		char *sub;

		if (!dt_compatible(n, COMPATIBLE) || !dt_available(n))
			continue;
		if (dt_prop(n, "nr_pmc")) {
			ret = add_pmu(o, n, path, e);
			continue;
		}
		sub = arena_printf(&o->tree.arena, "%s/%s", path, n->name);
		if (sub && depth < 4)
			ret = find_pmus(o, n, sub, depth + 1, e);
	}
	return ret;
}

static int find_all(struct dtpmu_owner *o, struct err *e)
{
	struct dt_node *pmus = dt_child(o->tree.root, "pmus");
	int ret = find_pmus(o, pmus ? pmus : o->tree.root, pmus ? "/pmus" : "", 0, e);

	if (!ret && !o->list.nr) {
		ret = err_set(e, -ENODEV, "the device tree describes no PMU");
		err_hint(e, "A PMU is a child of /pmus with compatible = \"" COMPATIBLE
			    "\", a property nr_pmc, and a status of \"okay\" or none.");
	}
	return ret;
}

static int load(struct dtpmu_list **out, const char *path, const void *blob, size_t size,
		unsigned flags, struct err *e)
{
	struct dtpmu_owner *o = calloc(1, sizeof(*o));
	int ret;

	*out = NULL;
	if (!o)
		return err_set(e, -ENOMEM, "no memory for a device tree");
	o->flags = flags;
	ret = path ? dt_read(&o->tree, path, e) : dt_read_blob(&o->tree, blob, size, e);
	if (ret)
		goto out;
	o->list.source = arena_strdup(&o->tree.arena, path ? path : "");
	ret = find_all(o, e);
	if (ret && path)
		err_context(e, "%s", path);
out:
	if (ret)
		dtpmu_free(&o->list);
	else
		*out = &o->list;
	return ret;
}

int dtpmu_load(struct dtpmu_list **out, const char *path, unsigned flags, struct err *e)
{
	return load(out, path, NULL, 0, flags, e);
}

int dtpmu_load_blob(struct dtpmu_list **out, const void *blob, size_t size, unsigned flags,
		    struct err *e)
{
	return load(out, NULL, blob, size, flags, e);
}

int dtpmu_load_default(struct dtpmu_list **out, const char *path, unsigned flags, struct err *e)
{
	static const char *const live[] = { "/proc/device-tree", "/sys/firmware/devicetree/base" };
	const char *env = getenv("PERF_PMU_DT");
	char pmus[64];
	int ret;

	*out = NULL;
	if (!path && env && env[0])
		path = env;
	if (path)
		return dtpmu_load(out, path, flags, e);
	for (size_t i = 0; i < ARRAY_SIZE(live); i++) {
		snprintf(pmus, sizeof(pmus), "%s/pmus", live[i]);
		if (access(pmus, R_OK | X_OK))
			continue;
		ret = dtpmu_load(out, live[i], flags, e);
		if (ret != -ENODEV)
			return ret;
		err_clear(e);
	}
	return 0;
}

void dtpmu_free(struct dtpmu_list *l)
{
	struct dtpmu_owner *o = (struct dtpmu_owner *)l; /* the list is its first member */

	if (!l)
		return;
	for (size_t i = 0; i < l->nr; i++) {
		free_pmu(l->pmu[i]);
		free(l->pmu[i]);
	}
	free(l->pmu);
	dt_tree_free(&o->tree);
	free(o);
}

const struct dtpmu *dtpmu_find(const struct dtpmu_list *l, const char *name)
{
	for (size_t i = 0; l && i < l->nr; i++)
		if (!strcmp(l->pmu[i]->name, name))
			return l->pmu[i];
	return NULL;
}

const char *dtpmu_mmcr_name(unsigned mmcr, char buf[16])
{
	if (mmcr == DTPMU_MMCRA)
		return "MMCRA";
	snprintf(buf, 16, "MMCR%u", mmcr % 1000);
	return buf;
}
