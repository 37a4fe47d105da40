// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PMU/term=value,.../: splitting into terms and putting them into the event. Named events come
 * first, so that what else was given changes them; of two meanings of a term the one that every
 * event knows (period, name, ...) goes before the PMU's field. A value that does not fit its field
 * is refused with the place in the text.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "branch/branch.h"
#include "events/events-int.h"

#define MAX_TERMS 256

/* ---- splitting ------------------------------------------------------------------------------- */

/* A value: quoted, or up to ',' or '/'. */
static int parse_value(struct parse *ps, struct term *term)
{
	const char *s = ps->p;
	char quote = *s == '\'' || *s == '"' ? *s : 0;
	size_t len;

	term->value_at = s;
	if (!quote) {
		len = strcspn(s, ",/");
		term->value = parse_strndup(ps, s, len);
		ps->p = s + len;
		return term->value ? 0 : -ENOMEM;
	}
	len = strcspn(s + 1, quote == '"' ? "\"" : "'");
	if (!s[1 + len])
		return parse_error(ps, -EINVAL, s, "the closing quote is missing");
	term->value = parse_strndup(ps, s + 1, len);
	ps->p = s + len + 2;
	return term->value ? 0 : -ENOMEM;
}

int parse_terms(struct parse *ps, struct terms *terms)
{
	while (*ps->p != '/') {
		struct term term = { .at = ps->p };
		size_t len = strcspn(ps->p, "=,/");
		int ret;

		if (!*ps->p || !ps->p[len])
			return parse_error(ps, -EINVAL, ps->p + len, "a closing '/' is missing");
		if (!len)
			return parse_error(ps, -EINVAL, ps->p, "a term is expected here");
		if (terms->n >= MAX_TERMS)
			return parse_error(ps, -E2BIG, ps->p, "more than %d terms", MAX_TERMS);
		term.name = parse_strndup(ps, ps->p, len);
		if (!term.name)
			return -ENOMEM;
		ps->p += len;
		if (*ps->p == '=') {
			ps->p++;
			ret = parse_value(ps, &term);
			if (ret)
				return ret;
		}
		if (vec_push(terms, term))
			return parse_no_memory(ps);
		if (*ps->p == ',')
			ps->p++;
		else if (*ps->p != '/')
			return parse_error(ps, -EINVAL, ps->p,
					   *ps->p ? "',' or '/' is expected here"
						  : "a closing '/' is missing");
	}
	ps->p++;
	return 0;
}

/* ---- terms that every event takes --------------------------------------------------------------- */

static int term_number(struct parse *ps, const struct term *t, uint64_t *v)
{
	const char *s = t->value ? t->value : "";
	char *end;

	errno = 0;
	*v = strtoull(s, &end, s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10);
	if (!isdigit((unsigned char)s[0]) || *end || errno)
		return parse_error(ps, -EINVAL, t->value ? t->value_at : t->at,
				   "'%s' needs a number (decimal or 0x...)", t->name);
	return 0;
}

static int term_config(struct parse *ps, struct event *ev, const struct term *t)
{
	struct perf_event_attr *a = &ev->attr;
	uint64_t v;
	int ret = term_number(ps, t, &v);

	if (ret)
		return ret;
	/* There these words hold which tracepoint it is, which address and length. */
	if (!ev->pmu && (a->type == PERF_TYPE_TRACEPOINT || a->type == PERF_TYPE_BREAKPOINT))
		return parse_error(ps, -EINVAL, t->at, "'%s' is for events of PMUs", t->name);
	switch (t->name[6]) {
	case '1': a->config1 = v; break;
	case '2': a->config2 = v; break;
	case '3': a->config3 = v; break;
	case '4': a->config4 = v; break;
	default: a->config = v; break;
	}
	return 0;
}

static int term_name(struct parse *ps, struct event *ev, const struct term *t)
{
	if (!t->value || !t->value[0])
		return parse_error(ps, -EINVAL, t->at, "'name' needs a name");
	ev->name = t->value;
	ev->name_given = true;
	return 0;
}

static int term_period(struct parse *ps, struct event *ev, const struct term *t)
{
	int ret = term_number(ps, t, &ev->set_period);

	if (!ret && !ev->set_period)
		return parse_error(ps, -EINVAL, t->value_at, "a period of 0 never samples");
	ev->set |= EVENT_SET_PERIOD;
	ev->set &= ~(unsigned)EVENT_SET_FREQ;
	return ret;
}

static int term_freq(struct parse *ps, struct event *ev, const struct term *t)
{
	int ret = 0;

	ev->max_freq = t->value && !strcmp(t->value, "max");
	if (ev->max_freq)
		ev->set_freq = events_max_freq() ? events_max_freq() : 4000;
	else
		ret = term_number(ps, t, &ev->set_freq);
	if (!ret && !ev->set_freq)
		return parse_error(ps, -EINVAL, t->value_at, "a frequency of 0 never samples");
	ev->set |= EVENT_SET_FREQ;
	ev->set &= ~(unsigned)EVENT_SET_PERIOD;
	return ret;
}

static int term_time(struct parse *ps, struct event *ev, const struct term *t)
{
	uint64_t v = 1;
	int ret = t->value ? term_number(ps, t, &v) : 0;

	if (!ret && v > 1)
		return parse_error(ps, -EINVAL, t->value_at, "'time' is 0 or 1");
	ev->set_time = v;
	ev->set |= EVENT_SET_TIME;
	return ret;
}

static int term_inherit(struct parse *ps, struct event *ev, const struct term *t)
{
	(void)ps;
	ev->set_inherit = t->name[0] != 'n';
	ev->set |= EVENT_SET_INHERIT;
	return 0;
}

static int term_callgraph(struct parse *ps, struct event *ev, const struct term *t)
{
	struct callchain_opts c = ev->set_callchain;
	struct err inner = { 0 };

	if (events_callchain_parse(&c, t->value ? t->value : "", &inner))
		return parse_error(ps, -EINVAL, t->value ? t->value_at : t->at, "%.200s",
				   inner.text);
	if (ev->set_callchain.stack_size)
		c.stack_size = ev->set_callchain.stack_size;
	ev->set_callchain = c;
	ev->set |= EVENT_SET_CALLCHAIN;
	return 0;
}

static int term_stack_size(struct parse *ps, struct event *ev, const struct term *t)
{
	uint64_t v;
	int ret = term_number(ps, t, &v);

	if (!ret && (!v || v % 8 || v > 65528))
		return parse_error(ps, -EINVAL, t->value_at,
				   "a stack size is a multiple of 8 up to 65528");
	ev->set_callchain.stack_size = (uint32_t)v;
	return ret;
}

static int term_max_stack(struct parse *ps, struct event *ev, const struct term *t)
{
	uint64_t v;
	int ret = term_number(ps, t, &v);

	if (!ret && v > UINT16_MAX)
		return parse_error(ps, -ERANGE, t->value_at, "at most %d frames", UINT16_MAX);
	ev->set_max_stack = (uint16_t)v;
	ev->set |= EVENT_SET_MAX_STACK;
	return ret;
}

/* Inside terms a comma ends the value: several filters are joined by '|', or quoted. */
static int term_branch_type(struct parse *ps, struct event *ev, const struct term *t)
{
	char list[256];
	struct err inner = { 0 };

	snprintf(list, sizeof(list), "%s", t->value ? t->value : "");
	for (char *p = list; *p; p++)
		if (*p == '|')
			*p = ',';
	ev->set_branch = 0;
	ev->set |= EVENT_SET_BRANCH;
	if (!strcmp(list, "no"))
		return 0;
	if (!list[0] || branch_filter_parse(list, &ev->set_branch, &inner))
		return parse_error(ps, -EINVAL, t->value ? t->value_at : t->at, "%.200s",
				   inner.text[0] ? inner.text : "'branch_type' needs a filter");
	return 0;
}

static int term_ignored(struct parse *ps, struct event *ev, const struct term *t)
{
	(void)ev;
	log_to(&ps->l->log, LOG_INFO, "event term '%s' has no effect on a recording", t->name);
	return 0;
}

static int term_refused(struct parse *ps, struct event *ev, const struct term *t)
{
	(void)ev;
	return parse_error(ps, -ENOTSUP, t->at, "'%s' is not supported here", t->name);
}

static const struct common_term {
	const char *name;
	int (*apply)(struct parse *ps, struct event *ev, const struct term *t);
} common_terms[] = {
	{ "config", term_config },
	{ "config1", term_config },
	{ "config2", term_config },
	{ "config3", term_config },
	{ "config4", term_config },
	{ "name", term_name },
	{ "period", term_period },
	{ "freq", term_freq },
	{ "time", term_time },
	{ "inherit", term_inherit },
	{ "no-inherit", term_inherit },
	{ "call-graph", term_callgraph },
	{ "stack-size", term_stack_size },
	{ "max-stack", term_max_stack },
	{ "branch_type", term_branch_type },
	{ "percore", term_ignored },
	{ "no-overwrite", term_ignored },
	{ "metric-id", term_ignored },
	{ "overwrite", term_refused },
	{ "aux-output", term_refused },
	{ "aux-action", term_refused },
	{ "aux-sample-size", term_refused },
	{ "driver-config", term_refused },
	{ "nr", term_refused },
};

static const struct common_term *find_common(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(common_terms); i++)
		if (!strcmp(common_terms[i].name, name))
			return &common_terms[i];
	return NULL;
}

/* ---- terms of one PMU ------------------------------------------------------------------------------ */

static int set_field(struct parse *ps, struct event *ev, const struct pmu_field *f,
		     const struct term *t)
{
	uint64_t v = 1;
	int ret = t->value ? term_number(ps, t, &v) : 0;

	if (ret)
		return ret;
	if (pmu_field_set(f, &ev->attr, v))
		return parse_error(ps, -ERANGE, t->value_at,
				   "%#lx is too large for field '%s' (%d bits)", (unsigned long)v,
				   f->name, weight_u64(f->mask));
	return 0;
}

/* A named event: its own list of terms, each one a field or one of the words that we know. */
static int apply_alias(struct parse *ps, struct event *ev, const struct pmu *pmu,
		       const struct pmu_event *def, const struct term *by)
{
	char *text = parse_strndup(ps, def->terms, strlen(def->terms)), *save = NULL;

	if (!text)
		return -ENOMEM;
	for (char *w = strtok_r(text, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		struct term t = { .name = w, .at = by->at, .value_at = by->at };
		char *eq = strchr(w, '=');
		const struct pmu_field *f;
		const struct common_term *common;
		int ret;

		if (eq) {
			*eq = '\0';
			t.value = eq + 1;
		}
		if (t.value && !strcmp(t.value, "?"))
			continue; /* a parameter that the user gives as a term of their own */
		f = pmu_find_field(pmu, w);
		common = find_common(w);
		if (f)
			ret = set_field(ps, ev, f, &t);
		else if (common)
			ret = common->apply(ps, ev, &t);
		else
			ret = parse_error(ps, -EINVAL, by->at,
					  "PMU %s defines '%s' with unknown field '%s'", pmu->name,
					  def->name, w);
		if (ret)
			return ret;
	}
	return 0;
}

/* cpu/cycles/, cpu/L1-dcache-loads/, cpu/r1c4/ on a core PMU. */
static bool apply_generic(struct event *ev, const struct pmu *pmu, const struct term *t)
{
	uint64_t config;
	char *end;
	int i;

	if (t->name[0] == 'r' && isxdigit((unsigned char)t->name[1])) {
		config = strtoull(t->name + 1, &end, 16);
		if (!*end) {
			ev->attr.config = config;
			return true;
		}
	}
	if (!pmu->is_core)
		return false;
	i = event_symbol_find(event_hardware, event_nr_hardware, t->name);
	if (i >= 0) {
		ev->attr.type = PERF_TYPE_HARDWARE;
		config = event_hardware[i].config;
	} else if (event_cache_parse(t->name, &config)) {
		ev->attr.type = PERF_TYPE_HW_CACHE;
	} else {
		return false;
	}
	/* Plain "cpu" needs no PMU number in the upper half. */
	ev->attr.config = config;
	if (strcmp(pmu->name, "cpu"))
		ev->attr.config |= (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT;
	return true;
}

static int unknown_term(struct parse *ps, const struct pmu *pmu, const struct term *t)
{
	struct nearest s = nearest_init(t->name);
	char near[320];

	for (size_t i = 0; pmu && i < pmu->nr_fields; i++)
		nearest_offer(&s, pmu->fields[i].name);
	for (size_t i = 0; pmu && !t->value && i < pmu->nr_events; i++)
		nearest_offer(&s, pmu->events[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(common_terms); i++)
		nearest_offer(&s, common_terms[i].name);
	nearest_print(&s, near, sizeof(near));
	parse_error(ps, -EINVAL, t->at, "unknown term '%.64s'%s%s", t->name, pmu ? " for PMU " : "",
		    pmu ? pmu->name : "");
	if (near[0])
		err_hint(ps->e, "Did you mean %s?", near);
	else if (pmu)
		err_hint(ps->e, "'perf list %s' shows its events and fields.", pmu->name);
	return -EINVAL;
}

static int apply_term(struct parse *ps, struct event *ev, const struct pmu *pmu,
		      const struct term *t)
{
	const struct common_term *common = find_common(t->name);
	const struct pmu_field *f = pmu ? pmu_find_field(pmu, t->name) : NULL;

	if (f && !(common && common->apply != term_config))
		return set_field(ps, ev, f, t);
	if (common)
		return common->apply(ps, ev, t);
	if (pmu && !t->value && apply_generic(ev, pmu, t))
		return 0;
	return unknown_term(ps, pmu, t);
}

int parse_apply_terms(struct parse *ps, struct event *ev, const struct pmu *pmu,
		      const struct terms *terms)
{
	int ret = 0;

	if (pmu) {
		ev->pmu = pmu;
		ev->attr.type = pmu->type;
		ev->attr.config = 0;
	}
	/* Named events first, so that what else was given changes them. */
	for (size_t i = 0; !ret && pmu && i < terms->n; i++) {
		const struct term *t = &terms->v[i];
		const struct pmu_event *def = t->value ? NULL : pmu_find_event(pmu, t->name);

		if (def)
			ret = apply_alias(ps, ev, pmu, def, t);
	}
	for (size_t i = 0; !ret && i < terms->n; i++) {
		const struct term *t = &terms->v[i];

		if (pmu && !t->value && pmu_find_event(pmu, t->name))
			continue;
		ret = apply_term(ps, ev, pmu, t);
	}
	return ret;
}
