// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pieces added up. What a stretch of code holds is read again by who gets it: that is the same code. The
 * runs that a piece ended in are ended by it.
 */
#include "brstat-int.h"

/* The edges of the other one as those here, to which they are added. 0 or -ENOMEM. */
static int join_edges(struct brstat *b, const struct brstat *from, const uint32_t *loc,
		      uint32_t *edge)
{
	for (uint32_t i = 0; i < from->edge_keys.n; i++) {
		const uint64_t *k = brstat_edge_locs(from, i);
		const struct edge_info *add;
		struct edge_info *to;

		edge[i] = loc ? brstat_edge(b, loc[k[0]], loc[k[1]])
			      : brstat_edge(b, (uint32_t)k[0], (uint32_t)k[1]);
		if (edge[i] == ID_NONE)
			return -ENOMEM;
		add = &from->info.v[i];
		to = &b->info.v[edge[i]];
		to->nr += add->nr;
		to->mispred += add->mispred;
		to->flagged += add->flagged;
		brstat_note_type(to, add->type);
	}
	return 0;
}

/* Of a step that is added soon; @edges alone: those are looked at for the rest. */
static void ask_for_step(const struct brstat *b, const struct walk_step *add, const uint32_t *edge,
			 bool edges)
{
	const struct edge_info *before =
		add->before == ID_NONE ? NULL : &b->info.v[edge[add->before]];
	const struct edge_info *now = &b->info.v[edge[add->edge]];

	if (edges && before)
		__builtin_prefetch(before);
	if (edges)
		__builtin_prefetch(now);
	else
		brstat_ask_for_step(b, before ? before->begins : ID_NONE, now->ends);
}

static int join_steps(struct brstat *b, const struct brstat *from, const uint32_t *edge)
{
	for (uint32_t i = 0; i < from->steps.n; i++) {
		const struct walk_step *add = &from->steps.v[i];
		uint32_t before = add->before, now = b->info.v[edge[add->edge]].ends;
		uint32_t between = ID_NONE;
		struct walk_step *st;

		if (i + 2 * AHEAD < from->steps.n)
			ask_for_step(b, add + 2 * AHEAD, edge, true);
		if (i + AHEAD < from->steps.n)
			ask_for_step(b, add + AHEAD, edge, false);
		if (before != ID_NONE) {
			before = b->info.v[edge[before]].begins;
			if (brstat_between(b, before, now, &between))
				return -ENOMEM;
		}
		st = brstat_step(b, before, now);
		if (!st)
			return -ENOMEM;
		st->stretch = between;
		st->nr += add->nr;
		st->nr_cycles += add->nr_cycles;
		st->cycles += add->cycles;
		st->nr_missed += add->nr_missed;
		st->cyc_missed += add->cyc_missed;
	}
	return 0;
}

static int join_outcomes(struct brstat *b, struct brstat *from, struct dso *const *dso)
{
	for (uint32_t i = 0; i < from->outcomes.n; i++) {
		const struct site *s = &from->sites.v[i];
		struct outcomes *add = &from->outcomes.v[i], *to;
		uint32_t site = brstat_site(b, s->dso && dso ? dso[s->dso->idx] : s->dso, s->addr);

		if (site == ID_NONE)
			return -ENOMEM;
		to = &b->outcomes.v[site];
		for (unsigned k = 0; k < 4; k++)
			to->after[k / 2][k % 2] += add->after[k / 2][k % 2];
		for (unsigned k = 0; k < 2 * BRSTAT_RUNS; k++) {
			unsigned a = k / BRSTAT_RUNS, z = k % BRSTAT_RUNS;

			to->runs[a][z] += add->runs[a][z];
			to->cut[a][z] += add->cut[a][z];
		}
	}
	return 0;
}

static int join_hists(struct brstat *b, const struct brstat *from, const uint32_t *loc)
{
	static const struct cycle_hist none = { .min = UINT16_MAX };

	for (uint32_t i = 0; i < from->hists.n; i++) {
		const uint64_t *k = keys_tuple_get(&from->stretch_keys, i);
		const uint64_t key[2] = { loc ? loc[k[0]] : k[0], loc ? loc[k[1]] : k[1] };
		const struct cycle_hist *add = &from->hists.v[i];
		uint32_t id = keys_tuple_id(&b->stretch_keys, key);

		/* It is there: its steps are. */
		if (id == ID_NONE || vec_reach(&b->hists, id, none))
			return -ENOMEM;
		for (unsigned n = 0; n < CYCLE_BUCKETS; n++)
			b->hists.v[id].n[n] += add->n[n];
		b->hists.v[id].min = (uint16_t)min_u64(b->hists.v[id].min, add->min);
		b->hists.v[id].max = (uint16_t)max_u64(b->hists.v[id].max, add->max);
	}
	return 0;
}

static int join_edge_hists(struct brstat *b, const struct brstat *from, const uint32_t *edge)
{
	static const struct edge_hist none = { .min = UINT16_MAX };

	for (uint32_t i = 0; i < from->edge_hists.n; i++) {
		const struct edge_hist *add = &from->edge_hists.v[i];
		struct edge_hist *to;

		if (!add->max)
			continue;
		if (vec_reach(&b->edge_hists, edge[i], none))
			return -ENOMEM;
		to = &b->edge_hists.v[edge[i]];
		for (unsigned n = 0; n < EDGE_BUCKETS; n++)
			to->n[n] += add->n[n];
		to->min = (uint16_t)min_u64(to->min, add->min);
		to->max = (uint16_t)max_u64(to->max, add->max);
	}
	return 0;
}

int brstat_merge(struct brstat *b, struct brstat *from, const struct brflow_maps *maps,
		 struct err *e)
{
	uint32_t *edge = calloc(from->edge_keys.n + 1, sizeof(*edge));
	int ret = edge ? 0 : -ENOMEM;

	if (b->o.what != from->o.what) {
		free(edge);
		return err_set(e, -EINVAL,
			       "branches that were counted in two ways cannot be added");
	}
	if (b->o.what == BRSTAT_PATHS) {
		ret = ret ?: brstat_settle_waiting(from);
		ret = ret ?: join_edges(b, from, maps ? maps->loc : NULL, edge);
		ret = ret ?: brstat_join_late(b, from, edge);
	} else {
		ret = ret ?: brstat_settle(b) ?: brstat_settle(from);
		ret = ret ?: join_edges(b, from, maps ? maps->loc : NULL, edge);
		ret = ret ?: join_steps(b, from, edge);
	}
	ret = ret ?: join_outcomes(b, from, maps ? maps->dso : NULL);
	ret = ret ?: join_hists(b, from, maps ? maps->loc : NULL);
	ret = ret ?: join_edge_hists(b, from, edge);
	ret = ret ?: brstat_merge_loops(b, from, maps ? maps->dso : NULL);
	if (!ret && b->o.what & BRSTAT_QUALITY)
		ret = brstat_merge_quality(b, from, maps ? maps->loc : NULL);
	free(edge);
	b->sum.stacks += from->sum.stacks;
	b->sum.some |= from->sum.some;
	b->sum.calls |= from->sum.calls;
	return ret ? err_set(e, ret, "no memory for branches") : 0;
}
