// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches to edges and steps, and what these mean: code in between, the conditional branches there. It is looked at when one is
 * new; how often each was is counted by hops.c.
 *
 * The oldest branch of a stack follows nothing that is known, and is a step from ID_NONE. So is one behind
 * code that was left without a branch: between two functions, in an interrupt. What branches did the
 * time before counts within a stack and as far as the walk is unbroken.
 */
#include "brstat-int.h"
#include <stdlib.h>

#include "branch/branch.h"

int brstat_new(struct brstat **out, struct resolver *res, const struct brstat_opts *o,
	       struct err *e)
{
	struct brstat *b = calloc(1, sizeof(*b));

	if (!b)
		return err_set(e, -ENOMEM, "no memory for branches");
	b->o = *o;
	b->res = res;
	b->edge_keys.width = b->stretch_keys.width = b->site_keys.width = 2;
	b->spaces.width = b->fars.width = b->loop_keys.width = 2;
	b->times = 1;
	brstat_quality_init(b);
	b->branches_wanted = o->stacks;
	*out = b;
	return 0;
}

void brstat_free(struct brstat *b)
{
	if (!b)
		return;
	keys_decoders_free(&b->dec);
	keys_tuples_free(&b->edge_keys);
	keys_tuples_free(&b->stretch_keys);
	keys_tuples_free(&b->site_keys);
	vec_free(&b->info);
	vec_free(&b->same_from);
	vec_free(&b->same_to);
	vec_free(&b->site_at);
	vec_free(&b->onward);
	vec_free(&b->steps);
	vec_free(&b->stretches);
	vec_free(&b->sites);
	keys_tuples_free(&b->spaces);
	vec_free(&b->outcomes);
	vec_free(&b->fresh);
	vec_free(&b->lists);
	vec_free(&b->inside);
	vec_free(&b->tmp);
	keys_tuples_free(&b->function_keys);
	vec_free(&b->hists);
	vec_free(&b->edge_hists);
	vec_free(&b->walk);
	vec_free(&b->noted);
	vec_free(&b->spots);
	vec_free(&b->touched);
	vec_free(&b->loop_at);
	keys_tuples_free(&b->loop_keys);
	vec_free(&b->loops);
	vec_free(&b->returns);
	vec_free(&b->late_returns);
	vec_free(&b->functions);
	vec_free(&b->function_at);
	brstat_slices_free(&b->slices);
	free(b->known);
	vec_free(&b->blocks);
	vec_free(&b->edges);
	vec_free(&b->supers);
	vec_free(&b->super_steps);
	vec_free(&b->loop_list);
	vec_free(&b->calls);
	vec_free(&b->listed);
	vec_free(&b->branches);
	vec_free(&b->targets);
	vec_free(&b->indirect);
	brstat_forget_stacks(b);
	brstat_forget_hops(b);
	keys_tuples_free(&b->fars);
	free(b->pairs);
	vec_free(&b->late);
	vec_free(&b->begun);
	vec_free(&b->late_begun);
	free(b);
}

/* ---- what is new ------------------------------------------------------------------------------- */

bool brstat_in_one_function(const struct loc *start, const struct loc *end)
{
	return start->dso == end->dso && start->sym == end->sym && start->addr <= end->addr;
}

/* The first edge at a location, which is @edge where there was none. 0 or -ENOMEM. */
#define FIRST_AT(vec, loc, edge, to)                        \
	({                                                  \
		int no_ = vec_reach((vec), (loc), ID_NONE); \
		if (!no_ && (vec)->v[loc] == ID_NONE)       \
			(vec)->v[loc] = (edge);             \
		*(to) = no_ ? ID_NONE : (vec)->v[loc];      \
		no_;                                        \
	})

/* Of a location; ID_NONE: no memory. */
static uint32_t site_at(struct brstat *b, uint32_t at)
{
	const struct loc *l;

	if (vec_reach(&b->site_at, at, ID_NONE))
		return ID_NONE;
	if (b->site_at.v[at] == ID_NONE) {
		l = resolver_loc(b->res, at);
		b->site_at.v[at] = brstat_site(b, l->dso, l->addr);
	}
	return b->site_at.v[at];
}

void brstat_ask_for_edge(const struct brstat *b, uint32_t from, uint32_t to)
{
	htab_prefetch(&b->edge_keys.tab,
		      keys_tuple_hash(&b->edge_keys, (const uint64_t[2]){ from, to }));
	if (from < b->site_at.n)
		__builtin_prefetch(&b->site_at.v[from]);
}

uint32_t brstat_edge(struct brstat *b, uint32_t from, uint32_t to)
{
	uint32_t id = keys_tuple_id(&b->edge_keys, (const uint64_t[2]){ from, to });
	struct edge_info new = {
		.begins = id, .ends = id, .next = LOC_NONE, .from = from, .to = to
	};

	if (id == ID_NONE || id < b->info.n)
		return id;
	new.site = site_at(b, from);
	if (new.site == ID_NONE)
		return ID_NONE;
	/* Its own instruction is read first: it does not matter when code around it is. */
	if (b->o.what & (BRSTAT_WHY | BRSTAT_PATHS))
		brstat_read_site(b, &b->sites.v[new.site]);
	if (b->o.what & (BRSTAT_CYCLES | BRSTAT_QUALITY | BRSTAT_WHY) &&
	    !(b->o.what & BRSTAT_WHY && brstat_goes_about(b, new.site)) &&
	    FIRST_AT(&b->same_from, from, id, &new.ends))
		return ID_NONE;
	if (b->o.what & BRSTAT_QUALITY && FIRST_AT(&b->same_to, to, id, &new.begins))
		return ID_NONE;
	return vec_push(&b->info, new) ? ID_NONE : id;
}

static int find_between(struct brstat *b, uint32_t before, uint32_t edge, uint32_t *out)
{
	uint64_t key[2] = { b->info.v[before].to, b->info.v[edge].from };
	const struct loc *start = resolver_loc(b->res, (uint32_t)key[0]);
	const struct loc *end = resolver_loc(b->res, (uint32_t)key[1]);
	struct code_stretch new = { .list = ID_NONE };

	*out = ID_NONE;
	/* Functions can be left without a branch, by a signal perhaps. */
	if (!brstat_in_one_function(start, end))
		return 0;
	*out = keys_tuple_id(&b->stretch_keys, key);
	if (*out == ID_NONE)
		return -ENOMEM;
	if (*out < b->stretches.n)
		return 0;
	if (brstat_read_stretch(b, &new, start, end))
		return -ENOMEM;
	if (b->o.what & BRSTAT_PATHS)
		new.passes_loops = brstat_passes_loops(b, &new, end);
	return vec_push(&b->stretches, new);
}

/* The same, which is remembered. */
static int find_onward(struct brstat *b, uint32_t before, uint32_t edge, uint32_t *out)
{
	static const struct onward none = { .next = LOC_NONE };
	const uint32_t next = b->info.v[edge].from;
	struct onward *w;

	if (vec_reach(&b->onward, b->info.v[before].to, none))
		return -ENOMEM;
	w = &b->onward.v[b->info.v[before].to];
	if (w->next != next) {
		w->next = LOC_NONE;
		if (find_between(b, before, edge, &w->stretch))
			return -ENOMEM;
		w->next = next;
	}
	*out = w->stretch;
	return 0;
}

int brstat_between(struct brstat *b, uint32_t before, uint32_t edge, uint32_t *out)
{
	uint32_t next = b->info.v[edge].from;
	struct edge_info *info = &b->info.v[before];

	if (info->next != next) {
		if (find_onward(b, before, edge, &info->next_stretch))
			return -ENOMEM;
		if (b->o.what == BRSTAT_PATHS)
			info->next_traits = (uint8_t)brstat_pair_traits(b, info->next_stretch);
		info->next = next;
	}
	*out = info->next_stretch;
	return 0;
}

static int add_branches(struct brstat *b, const struct sample *s, struct thread *th)
{
	uint64_t filter = sample_branch_filter(s);
	bool all = filter & PERF_SAMPLE_BRANCH_ANY;

	if (!s->branches.nr)
		return 0;
	if (filter & PERF_SAMPLE_BRANCH_CALL_STACK) {
		b->sum.calls = true;
		return 0;
	}
	b->sum.some |= !all;
	b->sum.stacks++;
	return brstat_take_stack(b, &s->branches, th, all);
}

int brstat_add(struct brstat *b, const struct sample *s, struct thread *th, struct err *e)
{
	bool quality = b->o.what & BRSTAT_QUALITY;

	if (quality && brstat_begin_sample(b, s, th))
		return err_set(e, -ENOMEM, "no memory for functions");
	if (add_branches(b, s, th))
		return err_set(e, -ENOMEM, "no memory for branches");
	return quality && brstat_add_address(b, s, th)
		       ? err_set(e, -ENOMEM, "no memory for functions")
		       : 0;
}
