// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which fields each event prints. A default field that the samples lack is dropped, one that was
 * asked for by name is an error. Then the fields become a list of functions in printing order.
 */
#include <stdlib.h>

#include "emit/emit.h"
#include "script-int.h"

#define F(x) BIT(SF_##x)

enum { USER_MAY = 1 }; /* trace decoders add it: no error in files that hold an AUX trace */

static const struct need {
	enum script_field field;
	uint64_t sample_type; /* one of these bits */
	const char *what;     /* in messages */
	unsigned flags;
} needs[] = {
	{ SF_TRACE, PERF_SAMPLE_RAW, "RAW", 0 },
	{ SF_IP, PERF_SAMPLE_IP, "IP", 0 },
	{ SF_ADDR, PERF_SAMPLE_ADDR, "ADDR", USER_MAY },
	{ SF_DATA_SRC, PERF_SAMPLE_DATA_SRC, "DATA_SRC", USER_MAY },
	{ SF_WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT", USER_MAY },
	{ SF_PID, PERF_SAMPLE_TID, "TID", 0 },
	{ SF_TID, PERF_SAMPLE_TID, "TID", 0 },
	{ SF_TIME, PERF_SAMPLE_TIME, "TIME", 0 },
	{ SF_CPU, PERF_SAMPLE_CPU, "CPU", USER_MAY },
	{ SF_IREGS, PERF_SAMPLE_REGS_INTR, "IREGS", USER_MAY },
	{ SF_UREGS, PERF_SAMPLE_REGS_USER, "UREGS", 0 },
	{ SF_SIMD, PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER, "IREGS or UREGS", 0 },
	{ SF_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR", 0 },
	{ SF_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE", 0 },
	{ SF_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE", 0 },
	{ SF_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", 0 },
	{ SF_RETIRE_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", 0 },
	{ SF_CGROUP, PERF_SAMPLE_CGROUP, "CGROUP", 0 },
};

static int check_needs(struct script *sc, const struct perfdata_event *event, struct err *e)
{
	__typeof__(sc->fields.cls[0]) *cls = &sc->fields.cls[script_class_of(&event->attr)];
	bool aux = perfdata_has_feature(sc->env.pd, FEAT_AUXTRACE);

	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		const struct need *n = &needs[i];

		if (!(cls->fields & BIT(n->field)) || (event->attr.sample_type & n->sample_type))
			continue;
		if (!(cls->user_set & BIT(n->field))) {
			cls->fields &= ~BIT(n->field);
			log_debug("Samples for '%s' event do not have %s attribute set. Skipping "
				  "'%s' field.",
				  event->name, n->what, script_field_name(n->field));
		} else if (!(n->flags & USER_MAY) || !aux) {
			err_set(e, -EINVAL,
				"Samples for '%s' event do not have %s attribute set. "
				"Cannot print '%s' field.",
				event->name, n->what, script_field_name(n->field));
			if (n->field == SF_CGROUP)
				err_hint(e, "Hint: run 'perf record --all-cgroups ...'");
			return -EINVAL;
		}
	}
	return 0;
}

static uint64_t all_branches(const struct perfdata *pd)
{
	uint64_t all = 0;

	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		all |= perfdata_event(pd, i)->attr.branch_sample_type;
	return all;
}

/* Fields that make no sense without another one. */
static int check_combination(struct script *sc, const struct perfdata_event *event, struct err *e)
{
	uint64_t fields = sc->fields.cls[script_class_of(&event->attr)].fields;
	uint64_t type = event->attr.sample_type, branch = event->attr.branch_sample_type;
	bool addr = type & (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR);

	if ((fields & F(SYM)) && !addr)
		return err_set(e, -EINVAL,
			       "Display of symbols requested but neither sample IP nor sample "
			       "address\navailable. Hence, no addresses to convert to symbols.");
	if ((fields & F(SYMOFF)) && !(fields & F(SYM)))
		return err_set(e, -EINVAL,
			       "Display of offsets requested but symbol is not\nselected.");
	if ((fields & F(DSO)) && !addr)
		return err_set(e, -EINVAL, "Display of DSO requested but no address to convert.");
	if ((fields & (F(SRCLINE) | F(SRCCODE))) && !(fields & F(IP)))
		return err_set(e, -EINVAL,
			       "Display of source line number requested but sample IP is not\n"
			       "selected. Hence, no address to lookup the source line number.");
	if ((fields & F(TOD)) && !sc->have_tod)
		return err_set(e, -EINVAL,
			       "Can't provide 'tod' time, missing clock data. Please record with "
			       "-k/--clockid option.");
	if ((fields & (F(BRSTACKINSN) | F(BRSTACKINSNLEN) | F(BRSTACKDISASM))) &&
	    !(all_branches(sc->env.pd) & PERF_SAMPLE_BRANCH_ANY)) {
		err_set(e, -EINVAL,
			"Display of branch stack assembler requested, but non all-branch filter "
			"set");
		err_hint(e, "Hint: run 'perf record -b ...'");
		return -EINVAL;
	}
	if ((fields & F(BRCNTR)) && !(branch & PERF_SAMPLE_BRANCH_COUNTERS)) {
		err_set(e, -EINVAL, "Display of branch counter requested but it's not enabled");
		err_hint(e, "Hint: run 'perf record -j any,counter ...'");
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
	static const char *const titles[SC_MAX] = {
		"hardware", "software",	  "tracepoint", "hardware-cache",
		"raw",	    "breakpoint", "other",	"synth",
	};
	const struct perfdata_event *event = first_of(sc->env.pd, c);
	__typeof__(sc->fields.cls[0]) *cls = &sc->fields.cls[c];
	int ret;

	if (!event && cls->user && !cls->wildcard && !cls->fields && c != SC_SYNTH)
		return err_set(e, -EINVAL,
			       "%s events do not exist. Remove corresponding -F option to proceed.",
			       titles[c]);
	if (!event || !cls->fields)
		return 0;
	ret = check_needs(sc, event, e);
	if (!ret)
		ret = check_combination(sc, event, e);
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

static int check_cpus(const struct script *sc, struct err *e)
{
	for (size_t i = 0; i < perfdata_nr_events(sc->env.pd); i++)
		if (perfdata_event(sc->env.pd, i)->attr.sample_type & PERF_SAMPLE_CPU)
			return 0;
	return err_set(e, -EINVAL,
		       "File does not contain CPU events. Remove -C option to proceed.");
}

int script_check(struct script *sc, struct err *e)
{
	sc->checked = true;
	if (sc->filter.by_cpu && check_cpus(sc, e))
		return -EINVAL;
	if (sc->opts.json && json_check(sc, e))
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

static const struct printer {
	uint64_t fields; /* any of these */
	print_fn fn;
	uint64_t sample_type;
	bool thread;
} printers[] = {
	{ F(COMM) | F(PID) | F(TID), print_comm_tid, PERF_SAMPLE_TID, true },
	{ F(CPU), print_cpu, PERF_SAMPLE_CPU, false },
	{ F(MISC), print_misc, 0, false },
	{ F(TOD), print_tod, PERF_SAMPLE_TIME, false },
	{ F(TIME), print_time, PERF_SAMPLE_TIME, false },
	{ F(PERIOD), print_period, PERF_SAMPLE_PERIOD, false },
	{ F(EVENT), print_event, 0, false },
	{ F(FLAGS), print_flags, 0, false },
	{ F(TRACE), print_trace, PERF_SAMPLE_RAW, false },
	{ F(ADDR), print_addr, PERF_SAMPLE_ADDR, true },
	{ F(DATA_SRC), print_data_src, PERF_SAMPLE_DATA_SRC, false },
	{ F(WEIGHT), print_weight, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, false },
	{ F(INS_LAT), print_ins_lat, PERF_SAMPLE_WEIGHT_STRUCT, false },
	{ F(RETIRE_LAT), print_retire_lat, PERF_SAMPLE_WEIGHT_STRUCT, false },
	{ F(CGROUP), print_cgroup, PERF_SAMPLE_CGROUP, false },
	{ F(IP), print_ip, PERF_SAMPLE_IP, false },
	{ F(IREGS), print_iregs, PERF_SAMPLE_REGS_INTR, false },
	{ F(UREGS), print_uregs, PERF_SAMPLE_REGS_USER, false },
	{ F(SIMD), print_simd, PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER, false },
	{ F(BRSTACK), print_brstack, PERF_SAMPLE_BRANCH_STACK, false },
	{ F(BRSTACKSYM), print_brstacksym, PERF_SAMPLE_BRANCH_STACK, true },
	{ F(BRSTACKOFF), print_brstackoff, PERF_SAMPLE_BRANCH_STACK, true },
	{ F(BPF_OUTPUT), print_bpf_output, PERF_SAMPLE_RAW, false },
	{ F(INSN) | F(INSNLEN) | F(DISASM) | F(BRSTACKINSN) | F(BRSTACKINSNLEN) | F(BRSTACKDISASM),
	  print_insns, PERF_SAMPLE_IP, true },
	{ F(PHYS_ADDR), print_phys_addr, PERF_SAMPLE_PHYS_ADDR, false },
	{ F(DATA_PAGE_SIZE), print_data_page_size, PERF_SAMPLE_DATA_PAGE_SIZE, false },
	{ F(CODE_PAGE_SIZE), print_code_page_size, PERF_SAMPLE_CODE_PAGE_SIZE, false },
	{ F(SRCCODE), print_srccode, PERF_SAMPLE_IP, true },
};

/* Only one of the branch stack forms is printed. */
static uint64_t one_brstack(uint64_t fields)
{
	if (fields & F(BRSTACK))
		return fields & ~(F(BRSTACKSYM) | F(BRSTACKOFF));
	return fields & F(BRSTACKSYM) ? fields & ~F(BRSTACKOFF) : fields;
}

static void add_printers(struct script *sc, struct ev *ev, const struct perf_event_attr *attr)
{
	for (size_t i = 0; i < ARRAY_SIZE(printers); i++) {
		const struct printer *p = &printers[i];

		if (!(one_brstack(ev->fields) & p->fields))
			continue;
		/* Branch stacks and the like: nothing to print for samples without. */
		if ((p->fn == print_trace || p->fn == print_bpf_output || p->fn == print_brstack ||
		     p->fn == print_brstacksym || p->fn == print_brstackoff) &&
		    !(attr->sample_type & p->sample_type))
			continue;
		if (p->fn == print_bpf_output && attr->config != PERF_COUNT_SW_BPF_OUTPUT)
			continue;
		if (p->fn == print_trace && attr->type != PERF_TYPE_TRACEPOINT)
			continue;
		ev->prog[ev->n++] = p->fn;
		ev->need |= p->sample_type;
		ev->need_thread |= p->thread;
	}
	if (ev->fields & (F(BRSTACKINSN) | F(BRSTACKINSNLEN) | F(BRSTACKDISASM)))
		ev->need |= PERF_SAMPLE_BRANCH_STACK;
	if ((ev->fields & F(BRSTACK)) && (ev->fields & F(DSO)))
		ev->need_thread = true;
	ev->need |= attr->sample_type & PERF_SAMPLE_READ;
	if (sc->filter.any) {
		ev->need |= PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IP;
		ev->need_thread = true;
	}
}

static void set_forms(struct script *sc, struct ev *ev, const struct perf_event_attr *attr)
{
	uint64_t symbolic = F(SYM) | F(DSO) | F(DSOFF) | F(SRCLINE);

	ev->chain = sc->use_callchain && (ev->fields & F(IP)) && unwind_has_chain(attr) &&
		    (attr->sample_type & PERF_SAMPLE_CALLCHAIN);
	ev->columns = !ev->chain;
	if (ev->fields & F(IP)) {
		ev->form = form_get(sc, ev->fields, false);
		ev->chain_form = form_get(sc, ev->fields, !sc->opts.no_inline);
		ev->need_thread |= ev->chain || (ev->fields & symbolic);
	}
	if (filter_by_place(&sc->filter) && !ev->form)
		ev->form = form_get(sc, F(IP), false);
	if (ev->chain)
		ev->need |= unwind_need(attr);
	if (ev->need_thread || ev->form)
		ev->need |= PERF_SAMPLE_TID | PERF_SAMPLE_IP;
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
	if (set_name(sc, ev, event))
		goto oom;
	if (sc->opts.json) {
		ev->prog[ev->n++] = print_json;
		ev->need = json_need(ev->fields) | (event->attr.sample_type & PERF_SAMPLE_READ);
		ev->need_thread = true;
		set_forms(sc, ev, &event->attr);
		if (sc->filter.any)
			ev->need |= PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IP |
				    PERF_SAMPLE_TID;
	} else {
		add_printers(sc, ev, &event->attr);
		set_forms(sc, ev, &event->attr);
	}
	ev->ready = true;
	return ev;
oom:
	err_set(e, -ENOMEM, "no memory for event '%s'", event->name);
	return NULL;
}
