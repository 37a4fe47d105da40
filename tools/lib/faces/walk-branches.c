// SPDX-License-Identifier: GPL-2.0-or-later
/* report --branches: which tables, and what readers of them should know. */
#include "faces/faces-int.h"

int walk_branches(struct walk *k)
{
	unsigned what = k->pub.f->o.branches;

	return what & BRSTAT_WHY      ? walk_why(k)
	       : what & BRSTAT_CYCLES ? walk_cycles(k)
	       : what & BRSTAT_PATHS  ? walk_superblocks(k)
				      : walk_quality(k);
}

void faces_branch_notes(const struct brstat *b, unsigned what, struct log_sink log)
{
	const struct brstat_sum *s = b ? brstat_sum(b) : NULL;

	if (!s || !s->stacks || what & BRSTAT_QUALITY)
		return;
#define SAY(cond, ...) \
	if (cond)      \
	log_to(&log, LOG_WARN, __VA_ARGS__)
	SAY(what & BRSTAT_CYCLES && !s->nr_cycles,
	    "no branch of this recording has cycles: the CPU did not count them, or -j had "
	    "no_cycles.");
	SAY(!s->flagged && !(what & BRSTAT_PATHS),
	    "No branch of this recording says whether it was mispredicted: %s",
	    "the CPU or the software that recorded it could not tell, or -j had no_flags.");
	SAY(s->some,
	    "The filter of this recording keeps only some branches (-j): what ran between two of "
	    "them is not known, so that shares of taken are not. Record with -b.");
	SAY(s->unread > s->followed / 10,
	    "%.1f%% of the code between branches could not be read: branches in it that were never "
	    "taken are not seen, and runs are not known. --symfs DIR says where its files are.",
	    faces_percent(s->unread, s->followed));
	SAY(s->misfits > s->followed / 20,
	    "%.1f%% of the code between branches is not what the files here hold: they may not be "
	    "those that ran.",
	    faces_percent(s->misfits, s->followed));
#undef SAY
}
