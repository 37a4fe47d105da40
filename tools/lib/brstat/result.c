// SPDX-License-Identifier: GPL-2.0-or-later
/* What is handed out once all is read. */
#include "brstat-int.h"

static void sum_up(struct brstat *b)
{
	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];

		b->sum.branches += st->nr;
		b->sum.mispred += st->mispred;
		b->sum.flagged += st->flagged;
		b->sum.nr_cycles += st->nr_cycles;
		b->sum.cycles += st->cycles;
		b->sum.followed += st->stretch != ID_NONE ? st->nr : 0;
	}
}

int brstat_finish(struct brstat *b, struct err *e)
{
	int ret = 0;

	if (b->finished)
		return 0;
	b->finished = true;
	sum_up(b);
	for (uint32_t i = 0; i < b->outcomes.n; i++)
		brstat_cut_run(&b->outcomes.v[i]);
	if (b->o.what & BRSTAT_WHY)
		ret = brstat_list_branches(b);
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
