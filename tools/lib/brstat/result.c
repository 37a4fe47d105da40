// SPDX-License-Identifier: GPL-2.0-or-later
/* What is handed out once all is read. */
#include <stdlib.h>

#include "brstat-int.h"

unsigned brstat_what_named(const char *name)
{
	static const struct {
		const char *name;
		unsigned what;
	} answers[] = {
		{ "why", BRSTAT_WHY },
		{ "cycles", BRSTAT_CYCLES },
		{ "paths", BRSTAT_PATHS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		if (!strcmp(name, answers[i].name))
			return answers[i].what;
	return 0;
}

static void sum_up(struct brstat *b)
{
	vec_for_each (info, &b->info) {
		b->sum.mispred += info->mispred;
		b->sum.flagged += info->flagged;
	}
	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];

		b->sum.branches += st->nr;
		b->sum.nr_cycles += st->nr_cycles;
		b->sum.cycles += st->cycles;
		b->sum.followed += st->stretch != ID_NONE ? st->nr : 0;
		b->sum.block_cycles += st->stretch != ID_NONE ? st->cycles : 0;
		if (st->stretch != ID_NONE && b->stretches.v[st->stretch].state == CODE_UNREAD)
			b->sum.unread += st->nr;
		if (st->stretch != ID_NONE && b->stretches.v[st->stretch].state == CODE_MISFIT)
			b->sum.misfits += st->nr;
	}
}

bool brstat_is_listed(const struct brstat *b, const struct loc *at)
{
	return !b->o.filter || session_filter_place(b->o.filter, at, at->addr);
}

/* Bytes of code that ran, by function. */
static int judge(struct brstat *b)
{
	uint64_t *executed = calloc(b->functions.n + b->steps.n + 1, sizeof(*executed));
	int ret = executed ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];
		const uint64_t *k;
		uint32_t function;

		if (st->stretch == ID_NONE)
			continue;
		k = keys_tuple_get(&b->stretch_keys, st->stretch);
		function = brstat_function(b, (uint32_t)k[0]);
		if (function == ID_NONE)
			ret = -ENOMEM;
		else
			executed[function] +=
				st->nr * (resolver_loc(b->res, (uint32_t)k[1])->addr -
					  resolver_loc(b->res, (uint32_t)k[0])->addr + 1);
	}
	ret = ret ?: brstat_judge(b, executed);
	free(executed);
	return ret;
}

static int list_indirect(struct brstat *b)
{
	for (uint32_t i = 0; i < b->branches.n; i++) {
		const struct brstat_branch *br = &b->branches.v[i];

		for (uint32_t n = 0; brstat_is_indirect(br) && n < br->nr; n++) {
			const struct indirect at = { i, br->first + n };

			if (vec_push(&b->indirect, at))
				return -ENOMEM;
		}
	}
	return 0;
}

int brstat_finish(struct brstat *b, struct err *e)
{
	int ret = 0;

	if (b->finished)
		return 0;
	b->finished = true;
	ret = brstat_settle(b);
	sum_up(b);
	if (!ret && b->o.what & BRSTAT_WHY)
		ret = brstat_list_branches(b) ?: list_indirect(b);
	if (!ret && b->o.what & BRSTAT_CYCLES)
		ret = brstat_list_cycles(b);
	if (!ret && b->o.what & BRSTAT_PATHS)
		ret = brstat_list_paths(b);
	if (!ret && b->o.what & BRSTAT_QUALITY)
		ret = judge(b);
	return ret ? err_set(e, ret, "no memory for branches") : 0;
}

const struct brstat_sum *brstat_sum(const struct brstat *b)
{
	return &b->sum;
}

size_t brstat_nr_branches(const struct brstat *b)
{
	return b->branches.n;
}

const struct brstat_branch *brstat_branch(const struct brstat *b, size_t i)
{
	return &b->branches.v[i];
}

const struct brstat_target *brstat_target(const struct brstat *b, uint32_t i)
{
	return &b->targets.v[i];
}

size_t brstat_nr_indirect(const struct brstat *b)
{
	return b->indirect.n;
}

const struct brstat_target *brstat_indirect(const struct brstat *b, size_t i,
					    const struct brstat_branch **br)
{
	*br = &b->branches.v[b->indirect.v[i].branch];
	return &b->targets.v[b->indirect.v[i].target];
}
