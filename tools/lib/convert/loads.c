// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a recording for tables: which load a sample is of, and who counts it. */
#include <stdlib.h>

#include "convert/loads-int.h"
#include "convert/raw-int.h"

static int begin(struct convert_run *r, struct err *e)
{
	struct loads *l = calloc(1, sizeof(*l));
	const struct acc_env env = { .res = session_env(r->session)->resolver,
				     .arch = session_arch(r->session) };

	r->own = l;
	if (!l)
		return err_set(e, -ENOMEM, "no memory for tables");
	l->r = r;
	l->env = session_env(r->session);
	l->o = &r->opts->table;
	if (sample_has_vectors(l->env->pd, env.arch) && keys_acc_simd.start(&l->simd_state, &env))
		return err_set(e, -ENOMEM, "no memory for tables");
	return stacks_new(&l->st, r, CONVERT_BY_COMM, e);
}

static struct loads_load *load_of(struct loads *l, uint32_t event, uint32_t comm)
{
	uint64_t hash = hash_mix(event, comm);
	uint32_t i;

	for (struct htab_it it = htab_find(&l->tab, hash); htab_next(&l->tab, &it, &i);)
		if (l->v.v[i].event == event && l->v.v[i].comm == comm)
			return &l->v.v[i];
	i = (uint32_t)l->v.n;
	if (vec_push(&l->v, ((struct loads_load){ event, comm, .first = UINT64_MAX })) ||
	    htab_add(&l->tab, hash, i))
		return NULL;
	return &l->v.v[i];
}

static int branches_of(struct loads *l, struct loads_load *load, struct err *e)
{
	int ret;

	if (load->c)
		return 0;
	ret = convert_new(&load->c, l->env->machine, e);
	if (!ret && convert_keep_cycles(load->c))
		ret = err_set(e, -ENOMEM, "no memory for branches");
	return ret;
}

static struct simd_counts *simd_at(struct loads *l, uint32_t load, uint32_t loc)
{
	uint64_t hash = hash_mix(load, loc);
	uint32_t i;

	for (struct htab_it it = htab_find(&l->simd_tab, hash); htab_next(&l->simd_tab, &it, &i);)
		if (l->simd.v[i].load == load && l->simd.v[i].loc == loc)
			return &l->simd.v[i].n;
	i = (uint32_t)l->simd.n;
	if (vec_push(&l->simd, ((struct loads_simd){ load, loc, { 0 } })) ||
	    htab_add(&l->simd_tab, hash, i))
		return NULL;
	return &l->simd.v[i].n;
}

static int add_simd(struct loads *l, uint32_t load, const struct session_sample *in)
{
	const struct acc_in acc = {
		.s = in->s, .th = in->thread, .period = in->s->period, .times = 1
	};
	uint32_t loc;
	struct simd_counts *n;

	if (!l->simd_state || !(in->s->present & PERF_SAMPLE_IP))
		return 0;
	loc = resolver_find(l->env->resolver, in->thread, in->s->cpumode, in->s->ip);
	n = loc == LOC_NONE ? NULL : simd_at(l, load, loc);
	return n ? keys_acc_simd.add(n, &acc, l->simd_state) : -ENOMEM;
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	struct loads *l = r->own;
	struct loads_load *load =
		load_of(l, in->s->event->idx, l->o->by_comm ? in->thread->comm : STACKS_NONE);
	int ret;

	r->samples++;
	if (!load)
		return err_set(e, -ENOMEM, "no memory for tables");
	load->samples++;
	load->period += in->s->period;
	if (in->s->present & PERF_SAMPLE_TIME) {
		load->first = min_u64(load->first, in->s->time);
		load->last = max_u64(load->last, in->s->time);
	}
	ret = stacks_add(l->st, r, in, e);
	if (!ret && raw_has_branches(in->s) && !in->again) {
		ret = branches_of(l, load, e);
		if (!ret && convert_sample(load->c, in->thread, in->s))
			ret = -ENOMEM;
	}
	if (!ret)
		ret = add_simd(l, (uint32_t)(load - l->v.v), in);
	return ret ? err_set(e, ret, "no memory for tables") : 0;
}

/* What a map covers from now on was run under the one before. */
static int before(struct convert_run *r, const struct record *rec, struct err *e)
{
	struct loads *l = r->own;
	int ret = 0;

	vec_for_each (load, &l->v)
		if (!ret && load->c)
			ret = convert_before(load->c, rec);
	return ret ? err_set(e, ret, "no memory for tables") : 0;
}

static int last(struct convert_run *r, struct err *e)
{
	struct loads *l = r->own;
	int ret = 0;

	vec_for_each (load, &l->v)
		if (!ret && load->c)
			ret = convert_end(load->c);
	return ret ? err_set(e, ret, "no memory for tables") : 0;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static int merge_load(struct loads *l, struct loads_load *from, const struct session_maps *maps,
		      uint32_t *number, struct err *e)
{
	uint32_t comm = maps && from->comm != STACKS_NONE ? maps->comm[from->comm] : from->comm;
	uint32_t event = maps && maps->event ? maps->event[from->event] : from->event;
	struct loads_load *to = load_of(l, event, comm);
	int ret;

	if (!to)
		return -ENOMEM;
	*number = (uint32_t)(to - l->v.v);
	to->samples += from->samples;
	to->period += from->period;
	to->first = min_u64(to->first, from->first);
	to->last = max_u64(to->last, from->last);
	if (!from->c)
		return 0;
	ret = branches_of(l, to, e);
	return ret ?: convert_merge(to->c, from->c, maps, e);
}

static int merge(struct convert_run *r, struct convert_run *other, const struct session_maps *maps,
		 struct err *e)
{
	struct loads *l = r->own, *from = other->own;
	const struct acc_maps acc = { .thread = maps ? maps->thread : NULL,
				      .symbol = maps ? maps->symbol : NULL,
				      .loc = maps ? maps->loc : NULL };
	uint32_t *number = calloc(from->v.n + 1, sizeof(*number));
	int ret = number ? stacks_merge(l->st, from->st, maps, NULL, e) : -ENOMEM;

	for (size_t i = 0; !ret && i < from->v.n; i++)
		ret = merge_load(l, &from->v.v[i], maps, &number[i], e);
	vec_for_each (s, &from->simd) {
		struct simd_counts *n;

		if (ret)
			break;
		n = simd_at(l, number[s->load], maps ? maps->loc[s->loc] : s->loc);
		ret = n ? keys_acc_simd.merge(n, &s->n, &acc) : -ENOMEM;
	}
	free(number);
	return ret ? err_set(e, ret, "no memory for tables") : 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int finish(struct convert_run *r, struct err *e)
{
	struct loads *l = r->own;
	int ret = last(r, e);

	if (ret || !l->v.n)
		return ret;
	if (stacks_end(l->st))
		return err_set(e, -ENOMEM, "no memory for tables");
	return loads_recording(l, e) ?: loads_write(l, e);
}

static void end(struct convert_run *r)
{
	struct loads *l = r->own;

	if (!l)
		return;
	vec_for_each (load, &l->v)
		convert_free(load->c);
	vec_free(&l->v);
	htab_free(&l->tab);
	vec_free(&l->simd);
	htab_free(&l->simd_tab);
	if (l->simd_state)
		keys_acc_simd.stop(l->simd_state);
	vec_free(&l->leaves);
	vec_free(&l->nodes);
	free(l->object);
	bits_free(&l->functions);
	arena_free(&l->arena);
	for (size_t i = 0; i < FLEET_TABLES; i++)
		batch_free(l->table[i]);
	stacks_free(l->st);
	free(l);
}

#define TABLES(NAME, HOLDS)                                                           \
	{                                                                             \
		.name = NAME, .holds = HOLDS, .binary = true, .no_inlines = true,     \
		.directory = true, .options = CONVERT_TABLES, .begin = begin,         \
		.sample = one_sample, .before = before, .last = last, .merge = merge, \
		.finish = finish, .free = end,                                        \
	}

const struct convert_format convert_parquet =
	TABLES("parquet", "tables of numbers, a file each in a directory, for databases");
const struct convert_format convert_native =
	TABLES("native", "the same tables for ClickHouse, INSERT INTO ... FORMAT Native");
const struct convert_format convert_pgcopy =
	TABLES("pgcopy", "the same tables for PostgreSQL, COPY ... WITH (FORMAT binary)");
