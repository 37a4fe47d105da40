// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PMUs of a device tree as rows of the table of PMUs, so that -e cpu_dts/term=1/ and perf list
 * need to know nothing of trees. A term is offered only when it can be written, which is tried
 * with its largest value.
 */
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "dtpmu/dtpmu.h"
#include "events/events-int.h"

static uint64_t term_mask(const struct dtpmu_term *t)
{
	return ~0ULL >> (63 - (t->hi - t->lo)) << t->lo;
}

/*
 * A term is offered when its largest value can be written as an event: a tree may give two fields
 * one name or an odd one, and the ranges that Linux has names for need not be in it.
 */
static bool can_be_written(const struct dtpmu *dt, const struct dtpmu_term *t, uint64_t max)
{
	uint64_t at = max << t->lo;
	struct dtpmu_want w;
	char text[128];

	if (snprintf(text, sizeof(text), "%s=0x%llx", t->name, (unsigned long long)max) >=
	    (int)sizeof(text))
		return false;
	return max && !dtpmu_parse_event(dt, text, &w, NULL) && w.config == (t->word ? 0 : at) &&
	       w.config1 == (t->word ? at : 0);
}

static int add_fields(struct pmus *t, const struct dtpmu *dt, struct pmu *pmu)
{
	struct dtpmu_term term;
	struct pmu_field *v;
	size_t n = 0;

	while (dtpmu_term(dt, n, &term))
		n++;
	v = arena_alloc(&t->arena, (n + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; dtpmu_term(dt, i, &term); i++) {
		/* the code as a whole, without bits that no field owns */
		uint64_t bits = i ? term_mask(&term) : dtpmu_code_bits(dt);

		if (can_be_written(dt, &term, bits >> term.lo))
			v[n++] = (struct pmu_field){ .name = term.name,
						     .word = term.word,
						     .mask = term_mask(&term),
						     .max = bits >> term.lo };
	}
	pmu->fields = v;
	pmu->nr_fields = n;
	return 0;
}

static int add_events(struct pmus *t, const struct dtpmu *dt, struct pmu *pmu)
{
	struct pmu_event *v = arena_alloc(&t->arena, (dt->events.n + 1) * sizeof(*v));
	size_t n = 0;
	char terms[512];

	if (!v)
		return -ENOMEM;
	vec_for_each (ev, &dt->events) {
		struct dtpmu_want w = { .config = ev->config, .config1 = ev->config1 };

		v[n] = (struct pmu_event){ .name = ev->name,
					   .desc = ev->desc[0] ? ev->desc : NULL,
					   .topic = ev->category[0] ? ev->category : NULL };
		v[n].terms = arena_strdup(&t->arena, dtpmu_terms(dt, &w, terms, sizeof(terms)));
		if (!v[n++].terms)
			return -ENOMEM;
	}
	pmu->events = v;
	pmu->nr_events = n;
	return 0;
}

static unsigned exclude_flags(const struct perf_event_attr *attr)
{
	static const struct {
		uint64_t attr;
		unsigned flag;
	} map[] = {
		{ ATTR_FLAG_EXCLUDE_USER, DTPMU_EXCLUDE_USER },
		{ ATTR_FLAG_EXCLUDE_KERNEL, DTPMU_EXCLUDE_KERNEL },
		{ ATTR_FLAG_EXCLUDE_HV, DTPMU_EXCLUDE_HV },
		{ ATTR_FLAG_EXCLUDE_IDLE, DTPMU_EXCLUDE_IDLE },
	};
	unsigned flags = attr->sample_type & PERF_SAMPLE_BRANCH_STACK ? DTPMU_BRANCH_STACK : 0;

	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		if (attr->flags & map[i].attr)
			flags |= map[i].flag;
	return flags;
}

/* Codes of a Power PMU mean something else to another machine's kernel. */
static int check_machine(const struct pmu *pmu, struct err *e)
{
	const struct dtpmu *dt = pmu->priv;
	const char *is = (const char *)getauxval(AT_PLATFORM);
	const char *base = (const char *)getauxval(AT_BASE_PLATFORM);
	struct utsname u;

	if (uname(&u))
		return 0;
	if (!strncmp(u.machine, "ppc", 3) &&
	    (!dt->platform || !dt->platform[0] || (is && !strcmp(is, dt->platform)) ||
	     (base && !strcmp(base, dt->platform))))
		return 0;
	err_set(e, -ENODEV,
		"%s describes %s; this machine is %s, and its counters count something else under "
		"these codes",
		pmu->name, dt->title[0] ? dt->title : "another machine's PMU", is ? is : u.machine);
	err_hint(e, "Record on a machine that has this PMU; `perf pmu-dt encode` and `perf pmu-dt "
		    "check` work on all.");
	return -ENODEV;
}

static int refused(const struct pmu *pmu, const struct dtpmu *dt, const struct event *const *ev,
		   const struct dtpmu_answer *a, struct err *e)
{
	char text[640];

	if (a->nr == 1)
		err_set(e, -EINVAL, "%s cannot be counted: %s", ev[0]->name,
			dtpmu_explain(dt, a, text, sizeof(text)));
	else
		err_set(e, -EINVAL, "these %zu events cannot be counted together on %s: %s", a->nr,
			pmu->name, dtpmu_explain(dt, a, text, sizeof(text)));
	err_hint(e,
		 a->nr == 1
			 ? "`perf pmu-dt decode` shows the fields of a code."
			 : "`perf pmu-dt check EVENT...` shows counters and registers of a group; "
			   "events without braces around them take turns on the counters.");
	return -EINVAL;
}

static int check_group(const struct pmu *pmu, const struct event *const *ev, size_t nr,
		       struct err *e)
{
	struct dtpmu_want w[DTPMU_MAX_GROUP] = { 0 };
	const struct dtpmu *dt = pmu->priv;
	struct dtpmu_answer a;

	for (size_t i = 0; i < nr && i < DTPMU_MAX_GROUP; i++)
		w[i] = (struct dtpmu_want){ .config = ev[i]->attr.config,
					    .config1 = ev[i]->attr.config1,
					    .flags = exclude_flags(&ev[i]->attr) };
	dtpmu_check(dt, w, nr, 0, &a);
	if (a.verdict != DTPMU_OK)
		return refused(pmu, dt, ev, &a, e);
	for (size_t i = 0; i < a.nr; i++)
		if (a.use[i].reserved)
			return err_set(e, -EINVAL, "%s: the kernel refuses reserved values of %s",
				       ev[i]->name, a.use[i].reserved->name);
	return 0;
}

int pmus_add_device_tree(struct pmus *t, const char *path, struct err *e)
{
	int ret = t->dt ? err_set(e, -EEXIST, "only one device tree of PMUs at a time")
			: dtpmu_load_default(&t->dt, path, 0, e);

	for (size_t i = 0; !ret && t->dt && i < t->dt->nr; i++) {
		const struct dtpmu *dt = t->dt->pmu[i];
		struct pmu pmu = { .name = dt->name,
				   .type = PERF_TYPE_RAW,
				   .source = PMU_DEVICE_TREE,
				   .check_group = check_group,
				   .check_machine = check_machine,
				   .priv = dt,
				   .loaded = true };

		if (add_fields(t, dt, &pmu) || add_events(t, dt, &pmu))
			return err_set(e, -ENOMEM, "no memory for PMU %s", dt->name);
		ret = pmus_add(t, &pmu, e);
	}
	return ret;
}
