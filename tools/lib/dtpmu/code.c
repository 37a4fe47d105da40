// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event codes: fields in and out, the terms of event strings, one event as a user writes it. A bit
 * of a code that belongs to no field of the tree is refused by name, since the kernel would take
 * it and count something else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "tree-int.h"

static uint64_t width_mask(const struct dtpmu_field *f)
{
	unsigned n = f->hi - f->lo + 1u;

	return n == 64 ? ~0ULL : BIT(n) - 1;
}

uint64_t dtpmu_field_get(const struct dtpmu_field *f, const struct dtpmu_want *w)
{
	return (f->word ? w->config1 : w->config) >> f->lo & width_mask(f);
}

static int set_bits(const char *name, uint8_t lo, uint64_t mask, uint64_t *word, uint64_t value,
		    struct err *e)
{
	if (value > mask) {
		err_set(e, -ERANGE, "%s: 0x%llx does not fit, the largest value is 0x%llx", name,
			(unsigned long long)value, (unsigned long long)mask);
		return -ERANGE;
	}
	*word = (*word & ~(mask << lo)) | value << lo;
	return 0;
}

const struct dtpmu_field *dtpmu_field(const struct dtpmu *pmu, const char *name)
{
	vec_for_each (f, &pmu->fields)
		if (!strcasecmp(f->name, name) || !strcasecmp(f->term, name))
			return f;
	return NULL;
}

int dtpmu_owned(const struct dtpmu *pmu, const struct dtpmu_want *w, struct err *e)
{
	const uint64_t word[2] = { w->config, w->config1 };

	for (int i = 0; i < 2; i++) {
		uint64_t extra = word[i] & ~pmu->owned[i];

		if (!extra)
			continue;
		err_set(e, -EINVAL, "%s: bits 0x%llx of %s 0x%llx belong to no field of %s",
			pmu->name, (unsigned long long)extra, i ? "config1" : "config",
			(unsigned long long)word[i], pmu->title[0] ? pmu->title : "this PMU");
		err_hint(e, "`perf pmu-dt show` lists the fields and their bits.");
		return -EINVAL;
	}
	return 0;
}

/* ---- terms ---- */

/* What Linux calls ranges of a Power event code that span several fields of the tree, or none. */
static const struct dtpmu_term ranges[] = {
	{ "cache_sel", 0, 20, 21 }, { "sample_mode", 0, 24, 28 }, { "src_sel", 0, 45, 46 },
	{ "invert", 0, 47, 47 },    { "src_mask", 0, 48, 53 },	  { "src_match", 0, 54, 59 },
};

uint64_t dtpmu_code_bits(const struct dtpmu *pmu)
{
	return pmu->owned[0] & ~pmu->software;
}

static struct dtpmu_term whole_code(const struct dtpmu *pmu)
{
	uint64_t bits = dtpmu_code_bits(pmu);
	uint8_t hi = bits ? (uint8_t)(63 - __builtin_clzll(bits)) : 63;

	return (struct dtpmu_term){ "event", 0, 0, hi };
}

bool dtpmu_term(const struct dtpmu *pmu, size_t i, struct dtpmu_term *t)
{
	size_t fields = pmu->fields.n;

	if (!i) {
		*t = whole_code(pmu);
		return true;
	}
	if (--i < fields) {
		const struct dtpmu_field *f = &pmu->fields.v[i];

		*t = (struct dtpmu_term){ f->term, f->word, f->lo, f->hi };
		return true;
	}
	i -= fields;
	if (pmu->isa != DTPMU_ISA_310 || i >= ARRAY_SIZE(ranges))
		return false;
	*t = ranges[i];
	return true;
}

static bool find_term(const struct dtpmu *pmu, const char *name, struct dtpmu_term *t)
{
	const struct dtpmu_field *f;

	if (!strcmp(name, "config") || !strcmp(name, "config1")) {
		*t = (struct dtpmu_term){ name, !strcmp(name, "config1"), 0, 63 };
		return true;
	}
	for (size_t i = 0; dtpmu_term(pmu, i, t); i++)
		if (!strcasecmp(t->name, name))
			return true;
	f = dtpmu_field(pmu, name);
	if (f)
		*t = (struct dtpmu_term){ f->term, f->word, f->lo, f->hi };
	return f;
}

static int set_term(const struct dtpmu_term *t, struct dtpmu_want *w, uint64_t value, struct err *e)
{
	unsigned n = t->hi - t->lo + 1u;

	return set_bits(t->name, t->lo, n == 64 ? ~0ULL : BIT(n) - 1,
			t->word ? &w->config1 : &w->config, value, e);
}

const char *dtpmu_terms(const struct dtpmu *pmu, const struct dtpmu_want *w, char *buf, size_t size)
{
	int len = snprintf(buf, size, "event=0x%llx",
			   (unsigned long long)(w->config & ~pmu->software));

	vec_for_each (f, &pmu->fields) {
		uint64_t v = dtpmu_field_get(f, w);

		if (v && len > 0 && (size_t)len < size && (f->word || (pmu->software >> f->lo & 1)))
			len += snprintf(buf + len, size - (size_t)len, ",%s=0x%llx", f->term,
					(unsigned long long)v);
	}
	return buf;
}

/* ---- event strings ---- */

static bool parse_number(const char *s, int base, uint64_t *v)
{
	char *end;

	if (!*s || *s == '-' || *s == '+' || *s == ' ')
		return false;
	errno = 0;
	*v = strtoull(s, &end, base);
	return !*end && !errno;
}

static int unknown_event(const struct dtpmu *pmu, const char *name, struct err *e)
{
	err_set(e, -ENOENT, "%s has no event or field '%s'", pmu->name, name);
	err_hint(e, "`perf list %s` and `perf pmu-dt show` list what there is.", pmu->name);
	return -ENOENT;
}

static int parse_term(const struct dtpmu *pmu, char *text, struct dtpmu_want *w, struct err *e)
{
	char *eq = strchr(text, '=');
	const struct dtpmu_event *ev;
	struct dtpmu_term t;
	uint64_t v = 1;

	if (eq)
		*eq = 0;
	ev = eq ? NULL : dtpmu_event(pmu, text);
	if (ev) {
		w->config |= ev->config;
		w->config1 |= ev->config1;
		return 0;
	}
	if (!find_term(pmu, text, &t))
		return unknown_event(pmu, text, e);
	if (eq && !parse_number(eq + 1, 0, &v))
		return err_set(e, -EINVAL, "%s: '%s' is not a number", text, eq + 1);
	return set_term(&t, w, v, e);
}

static int parse_terms(const struct dtpmu *pmu, char *text, struct dtpmu_want *w, struct err *e)
{
	char *save = NULL;
	int ret = 0;

	for (char *t = strtok_r(text, ",", &save); t && !ret; t = strtok_r(NULL, ",", &save))
		ret = parse_term(pmu, t, w, e);
	return ret;
}

/* As everywhere in perf: u, k and h name what is counted, so the others are excluded. */
static int parse_modifiers(const char *text, struct dtpmu_want *w, struct err *e)
{
	static const unsigned all = DTPMU_EXCLUDE_USER | DTPMU_EXCLUDE_KERNEL | DTPMU_EXCLUDE_HV;
	unsigned only = 0;

	for (const char *c = text; *c; c++) {
		switch (*c) {
		case 'u': only |= DTPMU_EXCLUDE_USER; break;
		case 'k': only |= DTPMU_EXCLUDE_KERNEL; break;
		case 'h': only |= DTPMU_EXCLUDE_HV; break;
		case 'I': w->flags |= DTPMU_EXCLUDE_IDLE; break;
		case 'b': w->flags |= DTPMU_BRANCH_STACK; break;
		default:
			return err_set(e, -EINVAL,
				       "unknown event modifier '%c' in ':%s'; known are "
				       "u k h I b",
				       *c, text);
		}
	}
	if (only)
		w->flags |= all & ~only;
	return 0;
}

static int parse_name(const struct dtpmu *pmu, char *text, struct dtpmu_want *w, struct err *e)
{
	if (!strncmp(text, "0x", 2) && parse_number(text, 16, &w->config))
		return 0;
	if (!dtpmu_event(pmu, text) && text[0] == 'r' && parse_number(text + 1, 16, &w->config))
		return 0;
	return parse_terms(pmu, text, w, e);
}

/* "name/BODY/MODS": BODY starts after the first slash, MODS after the last. */
static int parse_quoted(const struct dtpmu *pmu, char *text, struct dtpmu_want *w, struct err *e)
{
	char *body = strchr(text, '/'), *end = strrchr(body, '/');

	*body++ = 0;
	if (end < body)
		return err_set(e, -EINVAL, "%s/%s: the closing slash is missing", text, body);
	*end++ = 0;
	if (strcmp(text, pmu->name)) {
		err_set(e, -ENOENT, "this PMU is called %s, not '%s'", pmu->name, text);
		return -ENOENT;
	}
	if (!*body)
		return err_set(e, -EINVAL, "%s//: no event between the slashes", text);
	*w = (struct dtpmu_want){ 0 };
	return parse_terms(pmu, body, w, e) ?: parse_modifiers(*end == ':' ? end + 1 : end, w, e);
}

int dtpmu_parse_event(const struct dtpmu *pmu, const char *text, struct dtpmu_want *w,
		      struct err *e)
{
	char *copy = strdup(text), *mods;
	int ret;

	*w = (struct dtpmu_want){ 0 };
	if (!copy)
		return err_set(e, -ENOMEM, "no memory for event '%s'", text);
	if (strchr(copy, '/')) {
		ret = parse_quoted(pmu, copy, w, e);
	} else {
		mods = strchr(copy, ':');
		if (mods)
			*mods++ = 0;
		ret = *copy ? parse_name(pmu, copy, w, e) : err_set(e, -EINVAL, "empty event");
		if (!ret && mods)
			ret = parse_modifiers(mods, w, e);
	}
	free(copy);
	return ret ? ret : dtpmu_owned(pmu, w, e);
}
