// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which fields each event prints. A default field that the samples lack is dropped, one that was
 * asked for by name is an error. Then the fields become a list of functions in printing order, so
 * that a sample pays for what it prints and for nothing else. All that is to know about a field is
 * in its row; here are the questions that are asked of the rows.
 */
#include <stdlib.h>

#include "emit/emit.h"
#include "script-int.h"

#define F(x) BIT(SF_##x)

/* Whether the event's samples have what field @i shows; where they do not, it goes or is an error. */
static int check_need(struct script *sc, const struct perfdata_event *event, int i, struct err *e)
{
	__typeof__(sc->fields.cls[0]) *cls = &sc->fields.cls[script_class_of(&event->attr)];
	const struct field_row *row = &script_field_rows[i];

	if (!row->what || !(cls->fields & BIT(i)) || (event->attr.sample_type & row->need))
		return 0;
	if (!(cls->user_set & BIT(i))) {
		cls->fields &= ~BIT(i);
		log_to(&sc->opts.log, LOG_DEBUG,
		       "Samples for '%s' event do not have %s attribute set. Skipping "
		       "'%s' field.",
		       event->name, row->what, row->name);
		return 0;
	}
	if (row->aux_may && perfdata_has_feature(sc->env.pd, FEAT_AUXTRACE))
		return 0;
	err_set(e, -EINVAL,
		"Samples for '%s' event do not have %s attribute set. Cannot print '%s' field.",
		event->name, row->what, row->name);
	if (row->hint)
		err_hint(e, "%s", row->hint);
	return -EINVAL;
}

static int check_needs(struct script *sc, const struct perfdata_event *event, struct err *e)
{
	int ret = 0;

	for (int turn = 1; turn <= SF_MAX && !ret; turn++)
		for (int i = 0; i < SF_MAX && !ret; i++)
			if (script_field_rows[i].asked == turn)
				ret = check_need(sc, event, i, e);
	return ret;
}

static uint64_t all_branches(const struct perfdata *pd)
{
	uint64_t all = 0;

	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		all |= perfdata_event(pd, i)->attr.branch_sample_type;
	return all;
}

static bool no_address(const struct script *sc, const struct perfdata_event *event, uint64_t fields)
{
	(void)sc, (void)fields;
	return !(event->attr.sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR));
}

static bool no_sym(const struct script *sc, const struct perfdata_event *event, uint64_t fields)
{
	(void)sc, (void)event;
	return !(fields & F(SYM));
}

static bool no_ip(const struct script *sc, const struct perfdata_event *event, uint64_t fields)
{
	(void)sc, (void)event;
	return !(fields & F(IP));
}

static bool no_clock(const struct script *sc, const struct perfdata_event *event, uint64_t fields)
{
	(void)event, (void)fields;
	return !sc->have_tod;
}

static bool some_branches(const struct script *sc, const struct perfdata_event *event,
			  uint64_t fields)
{
	(void)event, (void)fields;
	return !(all_branches(sc->env.pd) & PERF_SAMPLE_BRANCH_ANY);
}

static bool no_counters(const struct script *sc, const struct perfdata_event *event,
			uint64_t fields)
{
	(void)event,
		(void)fields; /* a member's bit makes the samples of its whole group have them */
	return !(all_branches(sc->env.pd) & PERF_SAMPLE_BRANCH_COUNTERS);
}

/* What makes no sense without another field, or without more than a bit of sample_type. */
static const struct rule {
	uint64_t fields; /* any of these */
	bool (*broken)(const struct script *sc, const struct perfdata_event *event,
		       uint64_t fields);
	const char *text, *hint;
} rules[] = {
	{ F(SYM), no_address,
	  "Display of symbols requested but neither sample IP nor sample "
	  "address\navailable. Hence, no addresses to convert to symbols.",
	  NULL },
	{ F(SYMOFF), no_sym, "Display of offsets requested but symbol is not\nselected.", NULL },
	{ F(DSO), no_address, "Display of DSO requested but no address to convert.", NULL },
	{ F(SRCLINE) | F(SRCCODE), no_ip,
	  "Display of source line number requested but sample IP is not\n"
	  "selected. Hence, no address to lookup the source line number.",
	  NULL },
	{ F(TOD), no_clock,
	  "Can't provide 'tod' time, missing clock data. Please record with "
	  "-k/--clockid option.",
	  NULL },
	{ F(BRSTACKINSN) | F(BRSTACKINSNLEN) | F(BRSTACKDISASM), some_branches,
	  "Display of branch stack assembler requested, but non all-branch filter set",
	  "Hint: run 'perf record -b ...'" },
	{ F(BRCNTR), no_counters, "Display of branch counter requested but it's not enabled",
	  "Hint: run 'perf record -j any,counter ...'" },
};

static int check_rules(const struct script *sc, const struct perfdata_event *event, struct err *e)
{
	uint64_t fields = sc->fields.cls[script_class_of(&event->attr)].fields;

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		if (!(fields & rules[i].fields) || !rules[i].broken(sc, event, fields))
			continue;
		err_set(e, -EINVAL, "%s", rules[i].text);
		if (rules[i].hint)
			err_hint(e, "%s", rules[i].hint);
		return -EINVAL;
	}
	return 0;
}

/* The first event of a class speaks for all of it, as upstream has it; dummies only carry maps. */
static const struct perfdata_event *first_of(const struct perfdata *pd, int cls)
{
	for (size_t i = 0; i < perfdata_nr_events(pd); i++) {
		const struct perf_event_attr *attr = &perfdata_event(pd, i)->attr;
		bool dummy =
			attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;

		if (!dummy && (int)script_class_of(attr) == cls)
			return perfdata_event(pd, i);
	}
	return NULL;
}

static int check_class(struct script *sc, int c, struct err *e)
{
	const struct perfdata_event *event = first_of(sc->env.pd, c);
	__typeof__(sc->fields.cls[0]) *cls = &sc->fields.cls[c];
	int ret;

	if (!event && cls->user && !cls->wildcard && !cls->fields && c != SC_SYNTH)
		return err_set(e, -EINVAL,
			       "%s events do not exist. Remove corresponding -F option to proceed.",
			       script_class_rows[c].title);
	if (!event || !cls->fields)
		return 0;
	ret = check_needs(sc, event, e);
	if (!ret)
		ret = check_rules(sc, event, e);
	if (cls->fields & F(DSOFF))
		cls->fields |= F(DSO);
	return ret;
}

/* Callchains are printed with whatever has an address column; tracepoints get one for them. */
static void check_chains(struct script *sc)
{
	const struct perfdata *pd = sc->env.pd;
	uint64_t chain = F(IP) | F(SYM) | F(SYMOFF) | F(DSO);
	__typeof__(sc->fields.cls[0]) *tp = &sc->fields.cls[SC_TRACEPOINT];

	for (size_t i = 0; i < perfdata_nr_events(pd); i++) {
		const struct perf_event_attr *attr = &perfdata_event(pd, i)->attr;
		__typeof__(sc->fields.cls[0]) *cls = &sc->fields.cls[script_class_of(attr)];

		if (sc->opts.hide_call_graph || !unwind_has_chain(attr))
			continue;
		sc->use_callchain = true;
		if (attr->type == PERF_TYPE_TRACEPOINT && !tp->user)
			tp->fields |= chain;
		/* A stream's events come one by one: upstream turns these two on for them. */
		if (perfdata_is_pipe(pd))
			cls->fields |= (F(IP) | F(SYM)) & ~cls->user_unset;
	}
}

int script_check(struct script *sc, struct err *e)
{
	sc->checked = true;
	if (sc->opts.json && script_json_check(sc, e))
		return -EINVAL;
	for (int c = 0; c < SC_MAX; c++) {
		int ret = check_class(sc, c, e);

		if (ret)
			return ret;
	}
	check_chains(sc);
	for (size_t i = 0; i < perfdata_nr_events(sc->env.pd); i++) {
		size_t n = strlen(perfdata_event(sc->env.pd, i)->name);

		if (n > sc->name_width)
			sc->name_width = (uint32_t)n;
	}
	return 0;
}

/* ---- from fields to functions ------------------------------------------------------------------ */

/* Only one of the branch stack forms is printed. */
static uint64_t one_brstack(uint64_t fields)
{
	if (fields & F(BRSTACK))
		return fields & ~(F(BRSTACKSYM) | F(BRSTACKOFF));
	return fields & F(BRSTACKSYM) ? fields & ~F(BRSTACKOFF) : fields;
}

static bool prints(const struct field_row *row, const struct perf_event_attr *attr)
{
	return row->print && (!row->when || row->when(attr)) &&
	       (!row->if_recorded || attr->sample_type & row->need);
}

static void add_printers(struct ev *ev, const struct perf_event_attr *attr)
{
	uint64_t fields = one_brstack(ev->fields);

	for (int i = 0; i < SF_MAX; i++) {
		const struct field_row *row = &script_field_rows[i];

		if (!(fields >> i & 1) || !prints(row, attr))
			continue;
		if (!ev->n || ev->prog[ev->n - 1] != row->print)
			ev->prog[ev->n++] = row->print;
		ev->need |= row->need;
		ev->need_thread |= row->thread;
	}
	if ((ev->fields & F(BRSTACK)) && (ev->fields & F(DSO)))
		ev->need_thread = true;
	ev->need |= attr->sample_type & PERF_SAMPLE_READ;
}

/* 0 or -ENOMEM. */
static int set_forms(struct script *sc, struct ev *ev, const struct perf_event_attr *attr)
{
	uint64_t symbolic = F(SYM) | F(DSO) | F(DSOFF) | F(SRCLINE);

	ev->chain = sc->use_callchain && (ev->fields & F(IP)) && unwind_has_chain(attr) &&
		    (attr->sample_type & PERF_SAMPLE_CALLCHAIN);
	ev->columns = !ev->chain;
	if (ev->fields & F(IP)) {
		ev->form = put_form_get(sc, ev->fields, false);
		ev->chain_form = put_form_get(sc, ev->fields, !sc->opts.no_inline);
		if (!ev->form || !ev->chain_form)
			return -ENOMEM;
		ev->need_thread |= ev->chain || (ev->fields & symbolic);
	}
	if (ev->chain)
		ev->need |= unwind_need(attr);
	if (ev->need_thread || ev->form)
		ev->need |= PERF_SAMPLE_IP;
	if (ev->need_thread)
		ev->need |= PERF_SAMPLE_TID;
	return 0;
}

static int set_name(struct script *sc, struct ev *ev, const struct perfdata_event *event)
{
	struct obuf o;

	if (obuf_init(&o, -1, 128))
		return -ENOMEM;
	obuf_pad(&o, ' ', (int)sc->name_width - (int)strlen(event->name));
	emit_safe(&o, event->name);
	obuf_lit(&o, ": ");
	if (!o.code)
		ev->name = arena_memdup(&sc->arena, o.buf, o.len);
	ev->name_len = (uint32_t)o.len;
	obuf_free(&o);
	return ev->name ? 0 : -ENOMEM;
}

struct ev *script_ev(struct script *sc, const struct perfdata_event *event, struct err *e)
{
	struct ev *ev;

	while (sc->ev.n <= event->idx) {
		ev = calloc(1, sizeof(*ev));
		if (!ev || vec_push(&sc->ev, ev)) {
			free(ev);
			goto oom;
		}
	}
	ev = sc->ev.v[event->idx];
	if (likely(ev->ready))
		return ev;
	ev->fields = sc->fields.cls[script_class_of(&event->attr)].fields;
	ev->n = 0; /* where an attempt before failed */
	if (set_name(sc, ev, event))
		goto oom;
	if (sc->opts.json) {
		ev->prog[ev->n++] = print_json;
		ev->need = event->attr.sample_type & PERF_SAMPLE_READ;
		ev->need_thread = true;
	} else {
		add_printers(ev, &event->attr);
	}
	if (set_forms(sc, ev, &event->attr))
		goto oom;
	if (sc->opts.json)
		script_json_prepare(ev);
	ev->ready = true;
	return ev;
oom:
	err_set(e, -ENOMEM, "no memory for event '%s'", event->name);
	return NULL;
}
