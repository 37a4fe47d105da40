// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A description as text or JSON: what the tree says in the words of the manual, so that a reader
 * need not know the tree's vocabulary. One emit_table per kind of thing; which columns there are
 * is the same in both forms.
 */
#include <stdio.h>

#include "dtpmu/dtpmu.h"
#include "emit/emit.h"

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "no memory for a table");
}

static void print_table(struct emit *e, struct emit_table *t, const char *name)
{
	if (e->format == EMIT_TEXT)
		obuf_char(e->o, '\n');
	emit_table_print(t, e, name);
	emit_table_free(t);
}

static int show_sprs(struct emit *e, const struct dtpmu *pmu, struct err *err)
{
	static const struct emit_column cols[] = {
		{ "register", "REGISTER", false }, { "spr", "SPR", true },
		{ "bits", "BITS", true },	   { "privilege", "PRIVILEGE", false },
		{ "counts", "COUNTS", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));

	if (!t)
		return no_memory(err);
	vec_for_each (s, &pmu->pmcs) {
		emit_table_cell(t, "PMC%u", s->number);
		emit_table_cell(t, "%u", s->sprn);
		emit_table_cell(t, "%u", s->width);
		emit_table_cell(t, "%s", s->privilege);
		emit_table_cell(t, "%s", s->event[0] ? s->event : s->programmable ? "any" : "");
	}
	vec_for_each (s, &pmu->mmcrs) {
		char name[16];

		emit_table_cell(t, "%s", dtpmu_mmcr_name(s->number, name));
		emit_table_cell(t, "%u", s->sprn);
		emit_table_cell(t, "%u", s->width);
		emit_table_cell(t, "%s", s->privilege);
		emit_table_cell(t, "%s", "");
	}
	print_table(e, t, "registers");
	return 0;
}

/* "marked, units 6": when it applies; "" = always. */
static void cond_text(const struct dtpmu_cond *c, char *buf, size_t size)
{
	static const struct {
		unsigned need;
		const char *text;
	} needs[] = {
		{ DTPMU_NEED_MARKED, "marked" },
		{ DTPMU_NEED_THRESH_SEL, "threshold" },
		{ DTPMU_NEED_BHRB, "bhrb" },
		{ DTPMU_NEVER, "never" },
	};
	size_t len = 0;

	buf[0] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++)
		if (c->needs & needs[i].need && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						needs[i].text);
	if (c->units && len < size)
		len += (size_t)snprintf(buf + len, size - len, "%sunits 0x%llx", len ? ", " : "",
					(unsigned long long)c->units);
	if (c->except_units && len < size)
		len += (size_t)snprintf(buf + len, size - len, "%snot units 0x%llx",
					len ? ", " : "", (unsigned long long)c->except_units);
	if (c->match.mask && len < size)
		len += (size_t)snprintf(buf + len, size - len, "%scodes & 0x%llx", len ? ", " : "",
					(unsigned long long)c->match.mask);
	if (c->except.mask && len < size)
		snprintf(buf + len, size - len, "%snot codes & 0x%llx", len ? ", " : "",
			 (unsigned long long)c->except.mask);
}

static void target_text(const struct dtpmu_field *f, char *buf, size_t size)
{
	char num[16];
	const char *name;

	buf[0] = 0;
	if (!f->has_target)
		return;
	name = dtpmu_mmcr_name((unsigned)f->mmcr, num);
	if (f->per_pmc)
		snprintf(buf, size, "%s[%d-%d*pmc]", name, f->base, f->stride);
	else if (f->target_hi > f->base)
		snprintf(buf, size, "%s[%d-%d]", name, f->base, f->target_hi);
	else
		snprintf(buf, size, "%s[%d]", name, f->base);
}

static int show_fields(struct emit *e, const struct dtpmu *pmu, struct err *err)
{
	static const struct emit_column cols[] = {
		{ "field", "FIELD", false },  { "term", "TERM", false },
		{ "bits", "BITS", false },    { "target", "GOES TO", false },
		{ "applies", "WHEN", false }, { "description", "DESCRIPTION", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));
	char text[128];

	if (!t)
		return no_memory(err);
	vec_for_each (f, &pmu->fields) {
		emit_table_cell(t, "%s", f->name);
		emit_table_cell(t, "%s", f->term);
		emit_table_cell(t, "config%s:%u-%u", f->word ? "1" : "", f->lo, f->hi);
		target_text(f, text, sizeof(text));
		emit_table_cell(t, "%s", text);
		cond_text(&f->cond, text, sizeof(text));
		emit_table_cell(t, "%s", text);
		emit_table_cell(t, "%s", f->desc);
	}
	print_table(e, t, "fields");
	return 0;
}

static int show_constraints(struct emit *e, const struct dtpmu *pmu, struct err *err)
{
	static const struct emit_column cols[] = {
		{ "constraint", "CONSTRAINT", false },
		{ "value", "VALUE", false },
		{ "mask", "MASK", false },
		{ "applies", "WHEN", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));
	char text[128];

	if (!t)
		return no_memory(err);
	vec_for_each (c, &pmu->constraints) {
		emit_table_cell(t, "%s", c->name);
		if (c->value_pmc)
			emit_table_cell(t, "on PMC%u", c->value_pmc);
		else
			emit_table_cell(t, "%s>>%u & 0x%llx%s", c->word ? "config1" : "config",
					c->event_shift, (unsigned long long)c->event_mask,
					c->encoding ? " (encoded)" : "");
		emit_table_cell(t, "0x%llx", (unsigned long long)c->mask);
		cond_text(&c->cond, text, sizeof(text));
		emit_table_cell(t, "%s", text);
	}
	print_table(e, t, "constraints");
	return 0;
}

static int show_codes(struct emit *e, const struct dtpmu *pmu, struct err *err)
{
	static const struct emit_column cols[] = {
		{ "rule", "CODES", false },
		{ "name", "OF", false },
		{ "codes", "ARE", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));
	const struct {
		const char *rule;
		const struct dtpmu_codelist *v;
		size_t n;
	} lists[] = {
		{ "fixed counter", pmu->restricted.v, pmu->restricted.n },
		{ "alternatives", pmu->alternatives.v, pmu->alternatives.n },
	};

	if (!t)
		return no_memory(err);
	for (size_t k = 0; k < ARRAY_SIZE(lists); k++) {
		for (size_t i = 0; i < lists[k].n; i++) {
			const struct dtpmu_codelist *c = &lists[k].v[i];
			char text[512] = "";
			size_t len = 0;

			for (size_t j = 0; j < c->nr && len < sizeof(text); j++)
				len += (size_t)snprintf(text + len, sizeof(text) - len, "%s0x%llx",
							j ? " " : "",
							(unsigned long long)c->code[j]);
			emit_table_cell(t, "%s", lists[k].rule);
			if (c->pmc)
				emit_table_cell(t, "PMC%u", c->pmc);
			else
				emit_table_cell(t, "%s", c->name);
			emit_table_cell(t, "%s", text);
		}
	}
	print_table(e, t, "codes");
	return 0;
}

static void setter_text(const struct dtpmu_setter *s, char *buf, size_t size)
{
	size_t len;

	if (s->always || s->unless_bhrb || !s->pmcs) {
		snprintf(buf, size, "%s",
			 s->always	  ? "always"
			 : s->unless_bhrb ? "unless branches are recorded"
					  : "never");
		return;
	}
	len = (size_t)snprintf(buf, size, "%s", s->unused ? "none used of PMC" : "any used of PMC");
	for (unsigned p = 1; p < DTPMU_MAX_PMC && len < size; p++)
		if (s->pmcs >> p & 1)
			len += (size_t)snprintf(buf + len, size - len, " %u", p);
}

static int show_bits(struct emit *e, const struct dtpmu *pmu, struct err *err)
{
	static const struct emit_column cols[] = {
		{ "bit", "BIT", false },
		{ "place", "PLACE", false },
		{ "set", "SET", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));
	char text[256], name[16];

	if (!t)
		return no_memory(err);
	vec_for_each (s, &pmu->setters) {
		emit_table_cell(t, "%s", s->name);
		emit_table_cell(t, "%s[%u]", dtpmu_mmcr_name((unsigned)s->mmcr, name), s->bit);
		setter_text(s, text, sizeof(text));
		emit_table_cell(t, "%s", text);
	}
	vec_for_each (f, &pmu->freezes) {
		emit_table_cell(t, "%s", f->name);
		emit_table_cell(t, "%s[%d-%d*(pmc-1)]", dtpmu_mmcr_name((unsigned)f->mmcr, name),
				f->base, f->stride);
		emit_table_cell(t, "%s", "by privilege filters");
	}
	print_table(e, t, "register bits");
	return 0;
}

static int show_events(struct emit *e, const struct dtpmu *pmu, struct err *err)
{
	static const struct emit_column cols[] = {
		{ "event", "EVENT", false },	    { "code", "CODE", false },
		{ "config1", "CONFIG1", false },    { "category", "CATEGORY", false },
		{ "name", "HARDWARE NAME", false }, { "description", "DESCRIPTION", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));

	if (!t)
		return no_memory(err);
	vec_for_each (ev, &pmu->events) {
		emit_table_cell(t, "%s", ev->name);
		emit_table_cell(t, "0x%llx", (unsigned long long)ev->config);
		emit_table_cell(t, "0x%llx", (unsigned long long)ev->config1);
		emit_table_cell(t, "%s", ev->category);
		emit_table_cell(t, "%s", ev->pm_name);
		emit_table_cell(t, "%s", ev->desc);
	}
	print_table(e, t, "events");
	return 0;
}

int dtpmu_print(const struct dtpmu *pmu, bool events, struct emit *e, struct err *err)
{
	int ret;

	emit_str(e, "pmu", pmu->name);
	emit_str(e, "node", pmu->path);
	emit_str(e, "title", pmu->title);
	emit_str(e, "version", pmu->version);
	emit_str(e, "platform", pmu->platform);
	emit_u64(e, "counters", pmu->nr_pmc);
	emit_u64(e, "programmable counters", (uint64_t)weight_u64(pmu->programmable));
	emit_u64(e, "control registers", pmu->nr_mmcr);
	emit_u64(e, "named events", pmu->events.n);
	ret = show_sprs(e, pmu, err) ?: show_fields(e, pmu, err) ?: show_constraints(e, pmu, err);
	ret = ret ?: show_codes(e, pmu, err) ?: show_bits(e, pmu, err);
	return ret || !events ? ret : show_events(e, pmu, err);
}

int dtpmu_print_findings(const struct dtpmu *pmu, bool notes, struct emit *e, size_t *faults,
			 struct err *err)
{
	static const char *const levels[] = { "note", "warning", "fault" };
	static const struct emit_column cols[] = {
		{ "level", "LEVEL", false },
		{ "node", "NODE", false },
		{ "text", "FINDING", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));
	size_t nr[ARRAY_SIZE(levels)] = { 0 };

	if (!t)
		return no_memory(err);
	vec_for_each (f, &pmu->findings) {
		nr[f->level]++;
		if (f->level == DTPMU_NOTE && !notes)
			continue;
		emit_table_cell(t, "%s", levels[f->level]);
		emit_table_cell(t, "%s", f->node[0] ? f->node : ".");
		emit_table_cell(t, "%s", f->text);
	}
	emit_str(e, "pmu", pmu->name);
	emit_str(e, "node", pmu->path);
	emit_u64(e, "faults", nr[DTPMU_FAULT]);
	emit_u64(e, "warnings", nr[DTPMU_WARNING]);
	emit_u64(e, "notes", nr[DTPMU_NOTE]);
	*faults += nr[DTPMU_FAULT];
	print_table(e, t, "findings");
	return 0;
}

/* ---- codes ---------------------------------------------------------------------------------------- */

int dtpmu_print_code(const struct dtpmu *pmu, const struct dtpmu_want *w, unsigned flags,
		     struct emit *e, struct err *err)
{
	const struct dtpmu_event *ev = dtpmu_event_of(pmu, w->config, w->config1);
	int ret = dtpmu_owned(pmu, w, err);

	if (ret)
		return ret;
	emit_object(e, NULL);
	emit_hex(e, "config", w->config);
	if (w->config1 || flags & DTPMU_PRINT_CONFIG1)
		emit_hex(e, "config1", w->config1);
	if (ev)
		emit_str(e, "event", ev->name);
	emit_object(e, "fields");
	vec_for_each (f, &pmu->fields) {
		uint64_t v = dtpmu_field_get(f, w);

		if (!f->overlay && (v || flags & DTPMU_PRINT_ZEROS))
			emit_hex(e, f->term, v);
	}
	emit_end(e);
	emit_end(e);
	return 0;
}

int dtpmu_print_event(const struct dtpmu *pmu, const char *terms, struct emit *e, struct err *err)
{
	struct dtpmu_want w;
	char words[1024], text[1200];
	int ret = dtpmu_parse_event(pmu, terms, &w, err);

	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%s/%s/", pmu->name,
		 dtpmu_terms(pmu, &w, words, sizeof(words)));
	emit_object(e, NULL);
	emit_hex(e, "config", w.config);
	emit_hex(e, "config1", w.config1);
	emit_str(e, "event", text);
	emit_end(e);
	return 0;
}
