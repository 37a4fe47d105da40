// SPDX-License-Identifier: GPL-2.0-or-later
/* Words for why branches are hard to predict: rows of report --branches=why and listings of instructions say the same. */
#include <stdio.h>

#include "faces/faces-int.h"

const char *walk_why_kind(const struct brstat_branch *br)
{
	static const char *const names[] = {
		[INSN_NO_BRANCH] = NULL, [INSN_COND] = "COND",	     [INSN_JUMP] = "UNCOND",
		[INSN_IND_JUMP] = "IND", [INSN_CALL] = "CALL",	     [INSN_IND_CALL] = "IND_CALL",
		[INSN_RET] = "RET",	 [INSN_SYSCALL] = "SYSCALL", [INSN_SYSRET] = "SYSRET",
	};

	return names[br->kind];
}

const char *walk_why_pattern(const struct brstat_branch *br, char *buf, size_t size)
{
	double run = brstat_mean_run(br, true);

	if (brstat_is_indirect(br)) {
		snprintf(buf, size, "%u target%s", br->nr, br->nr == 1 ? "" : "s");
		return buf;
	}
	switch (brstat_pattern(br)) {
	case BRSTAT_NOT_KNOWN: return NULL;
	case BRSTAT_ONE_WAY: return "one way";
	case BRSTAT_BIASED: return "biased";
	case BRSTAT_ALTERNATES: return "alternates";
	case BRSTAT_OWN: return "as the time before";
	case BRSTAT_BEFORE: return "as the branch before";
	case BRSTAT_MIXED: return "mostly the same";
	case BRSTAT_RANDOM: return "no pattern seen";
	case BRSTAT_LOOP:
		if (run < 0)
			return "loop";
		snprintf(buf, size, "loop, %.1f times", run);
		return buf;
	}
	return NULL;
}

/* What people could do about it; "" = nothing that the recording speaks for. */
const char *walk_why_help(const struct brstat_help *h, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
#define SAY(nr, fmt) \
	if (nr)      \
	n += (size_t)snprintf(buf + n, size - n, "%s" fmt, n ? "; " : "", (unsigned long long)(nr))
	SAY(h->cmov, "cmov: %llu mispredicted less");
	SAY(h->hint, "hint: %llu mispredicted less");
	SAY(h->layout, "layout: %llu taken less");
	SAY(h->test, "test for the first target: %llu");
#undef SAY
	return buf;
}
