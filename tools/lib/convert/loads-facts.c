// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of edges, of vectors, and of the loads themselves. */
#include <stdio.h>
#include <time.h>

#include "convert/loads-int.h"

static int place_of(struct loads *l, uint32_t dso, uint64_t addr, const char **object, int64_t *off,
		    int64_t *func)
{
	const struct symbol *sym;

	*off = *func = -1;
	if (dso == NO_DSO) {
		*object = "";
		return 0;
	}
	*object = loads_object(l, dso);
	if (!*object)
		return -ENOMEM;
	*off = loads_offset(l, dso, addr);
	sym = symbol_find(l->env->resolver, machine_dso(l->env->machine, dso), addr);
	return loads_function(l, dso, sym, func);
}

static int put_edge(struct loads *l, int64_t load, const struct edge *g)
{
	const char *from, *to;
	int64_t from_off, to_off, from_func, to_func;
	int ret = place_of(l, g->from_dso, g->from, &from, &from_off, &from_func);

	ret = ret ?: place_of(l, g->to_dso, g->to, &to, &to_off, &to_func);
	return ret
		       ?: batch_add(l->table[FLEET_EDGES],
				    (union batch_value[FLEET_EDGES_COLUMNS]){
					    [FLEET_EDGES_LOAD].i = load,
					    [FLEET_EDGES_OBJECT].s = from,
					    [FLEET_EDGES_FROM_OFF].i = from_off,
					    [FLEET_EDGES_TO_OBJECT].s = to,
					    [FLEET_EDGES_TO_OFF].i = to_off,
					    [FLEET_EDGES_END_OFF].i =
						    g->end == NO_END ? -1 : (int64_t)g->end,
					    [FLEET_EDGES_FROM_FUNC].i = from_func,
					    [FLEET_EDGES_TO_FUNC].i = to_func,
					    [FLEET_EDGES_TYPE].i = g->type,
					    [FLEET_EDGES_TAKEN].i = (int64_t)g->count,
					    [FLEET_EDGES_MISPRED].i = (int64_t)g->mispred,
					    [FLEET_EDGES_CYCLES].i = (int64_t)g->cycles,
					    [FLEET_EDGES_CYCLES_N].i = (int64_t)g->cycles_n });
}

static int put_simd(struct loads *l, const struct loads_simd *s)
{
	const struct loc *at = resolver_loc(l->env->resolver, s->loc);
	uint32_t dso = at->dso ? at->dso->idx : STACKS_NONE;
	const struct simd_counts *c = &s->n;
	int64_t func;
	int ret = loads_function(l, dso, at->sym, &func);

	if (ret || !c->nr)
		return ret;
	return batch_add(l->table[FLEET_SIMD],
			 (union batch_value[FLEET_SIMD_COLUMNS]){
				 [FLEET_SIMD_LOAD].i = l->v.v[s->load].id,
				 [FLEET_SIMD_OBJECT].s = loads_object(l, dso),
				 [FLEET_SIMD_FUNC].i = func,
				 [FLEET_SIMD_OFF].i = loads_offset(l, dso, at->addr),
				 [FLEET_SIMD_N].i = (int64_t)c->nr,
				 [FLEET_SIMD_LIVE_512].i = (int64_t)c->live[SIMD_512],
				 [FLEET_SIMD_LIVE_256].i = (int64_t)c->live[SIMD_256],
				 [FLEET_SIMD_LIVE_128].i = (int64_t)c->live[SIMD_128],
				 [FLEET_SIMD_LIVE_NONE].i = (int64_t)c->live[SIMD_NONE],
				 [FLEET_SIMD_DIRTY].i = (int64_t)c->dirty,
				 [FLEET_SIMD_CODE_512].i = (int64_t)c->code[SIMD_512],
				 [FLEET_SIMD_CODE_256].i = (int64_t)c->code[SIMD_256],
				 [FLEET_SIMD_CODE_128].i = (int64_t)c->code[SIMD_128],
				 [FLEET_SIMD_CODE_NONE].i = (int64_t)c->code[SIMD_NONE],
				 [FLEET_SIMD_LANES_ON].i = (int64_t)c->lanes_on,
				 [FLEET_SIMD_LANES_ALL].i = (int64_t)c->lanes_all,
				 [FLEET_SIMD_MASK_ON].i = (int64_t)c->mask_on,
				 [FLEET_SIMD_MASK_ALL].i = (int64_t)c->mask_all });
}

int loads_put_facts(struct loads *l, uint32_t only)
{
	int ret = 0;

	for (uint32_t i = 0; i < l->v.n; i++) {
		const struct loads_load *load = &l->v.v[i];

		if (!load->c || (only != LOADS_ALL && i != only))
			continue;
		vec_for_each (g, &load->c->edges)
			if (!ret)
				ret = put_edge(l, load->id, g);
	}
	vec_for_each (s, &l->simd)
		if (!ret && (only == LOADS_ALL || s->load == only))
			ret = put_simd(l, s);
	return ret;
}

/* ---- loads ----------------------------------------------------------------------------------- */

static void day_of(int64_t ns, char day[16])
{
	time_t t = (time_t)(ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(day, 16, "%Y-%m-%d", &tm))
		strcpy(day, "1970-01-01");
}

static uint64_t lost_of(const struct loads *l)
{
	const struct session_counts *n = session_counts(l->r->session);

	return n->lost_samples + n->lost_events;
}

static int put_load(struct loads *l, const struct loads_load *load)
{
	const struct perfdata_event *ev = perfdata_event(l->env->pd, load->event);
	const struct perfdata_env *env = perfdata_env(l->env->pd);
	uint64_t entries = load->c ? convert_stats(load->c)->branches : 0;
	bool timed = load->first <= load->last;
	int64_t start = timed ? (int64_t)load->first + l->clock : l->clock;
	double weight = l->o->weight ? l->o->weight : 1;
	char day[16], filter[20] = "";

	day_of(start, day);
	if (entries)
		snprintf(filter, sizeof(filter), "%llx",
			 (unsigned long long)ev->attr.branch_sample_type);
	return batch_add(
		l->table[FLEET_LOADS],
		(union batch_value[FLEET_LOADS_COLUMNS]){
			[FLEET_LOADS_LOAD].i = load->id,
			[FLEET_LOADS_RECORDING].s = l->recording,
			[FLEET_LOADS_SCHEMA].i = FLEET_SCHEMA,
			[FLEET_LOADS_DAY].s = day,
			[FLEET_LOADS_START_NS].i = start,
			[FLEET_LOADS_DURATION_NS].i =
				timed ? (int64_t)(load->last - load->first) : 0,
			[FLEET_LOADS_HOST].s = loads_shown(l, CONVERT_REDACT_HOST, env->hostname),
			[FLEET_LOADS_SERVICE].s = loads_service(l, load),
			[FLEET_LOADS_RELEASE].s = l->o->release,
			[FLEET_LOADS_LABELS].s = l->o->labels ? l->o->labels : "{}",
			[FLEET_LOADS_EVENT].s = ev->name,
			[FLEET_LOADS_ARCH].s = env->arch,
			[FLEET_LOADS_CPU].s = env->cpu_desc,
			[FLEET_LOADS_KERNEL].s = env->os_release,
			[FLEET_LOADS_TOOL].s = env->version,
			[FLEET_LOADS_FREQ].i = attr_flag(&ev->attr, ATTR_FLAG_FREQ)
						       ? (int64_t)ev->attr.sample_freq
						       : 0,
			[FLEET_LOADS_PERIOD].i = (int64_t)load->period,
			[FLEET_LOADS_SAMPLES].i = (int64_t)load->samples,
			[FLEET_LOADS_LOST].i = (int64_t)lost_of(l),
			[FLEET_LOADS_WEIGHT].d = weight,
			[FLEET_LOADS_MASS].d =
				entries ? weight * (double)load->period / (double)entries : 0,
			[FLEET_LOADS_BRANCH_SOURCE].s =
				!entries					     ? ""
				: perfdata_follows_branches(l->env->pd, load->event) ? "software"
										     : "hardware",
			[FLEET_LOADS_BRANCH_FILTER].s = filter,
			[FLEET_LOADS_ENTRIES].i = (int64_t)entries });
}

int loads_put_loads(struct loads *l)
{
	int ret = 0;

	vec_for_each (load, &l->v)
		if (!ret)
			ret = put_load(l, load);
	return ret;
}
