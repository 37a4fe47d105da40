// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --branches=why: a row for each branch instruction, those with most mispredictions first, then
 * a table of where indirect ones went. What is not known is a cell without a value.
 */
#include <stdio.h>

#include "faces/faces-int.h"

/* ---- branches ---------------------------------------------------------------------------------- */

enum branch_col {
	MISPRED,
	MISPRED_SHARE,
	LEFT,
	TAKEN_SHARE,
	RUN_TAKEN,
	RUN_NOT,
	ENTROPY,
	OWN,
	BEFORE,
	REFILL,
	KIND,
	PATTERN,
	HELP,
	BRANCH,
	DSO,
	SYMBOL,
	ADDR,
	FLAGGED,
	TAKEN,
	NOT_TAKEN,
	WRONG,
	WRONG_OWN,
	NR_OWN,
	WRONG_BEFORE,
	NR_BEFORE,
	CMOV,
	HINT,
	LAYOUT,
	TEST,
	NR_BRANCH_COLS
};

#define ALL   (FACES_PEOPLE | FACES_PROGRAMS)
#define HUMAN FACES_PEOPLE
#define OTHER FACES_PROGRAMS

static const struct faces_column branch_cols[NR_BRANCH_COLS] = {
	[MISPRED] = PLAIN_COLUMN("mispredicted", "Mispred", 10, true, ALL),
	[MISPRED_SHARE] = LIST_SHARE_COLUMN("mispredict_rate", "Mispred%", 8),
	[LEFT] = PLAIN_COLUMN("count", "Left", 10, true, ALL),
	[TAKEN_SHARE] = LIST_SHARE_COLUMN("taken_percent", "Taken%", 7),
	[RUN_TAKEN] = PLAIN_COLUMN("run_taken", "Run T", 7, true, ALL),
	[RUN_NOT] = PLAIN_COLUMN("run_not_taken", "Run N", 7, true, ALL),
	[ENTROPY] = PLAIN_COLUMN("entropy", "Bits", 5, true, ALL),
	[OWN] = PLAIN_COLUMN("entropy_own", "Own", 5, true, ALL),
	[BEFORE] = PLAIN_COLUMN("entropy_before", "Before", 6, true, ALL),
	[REFILL] = PLAIN_COLUMN("refill_cycles", "Refill", 7, true, ALL),
	[KIND] = PLAIN_COLUMN("kind", "Kind", 8, true, ALL),
	[PATTERN] = SUBJECT_COLUMN("pattern", "Why", 20, true),
	[HELP] = { .name = "help",
		   .head = "What would help",
		   .width = 34,
		   .number = true,
		   .readers = HUMAN,
		   .subject = true },
	[BRANCH] = SUBJECT_COLUMN("branch", "Branch", 34, true),
	[DSO] = PLAIN_COLUMN("dso", "Object", 10, false, ALL),
	[SYMBOL] = PLAIN_COLUMN("symbol", NULL, 0, false, OTHER),
	[ADDR] = PLAIN_COLUMN("addr", NULL, 0, true, OTHER),
	[FLAGGED] = PLAIN_COLUMN("flagged", NULL, 0, true, OTHER),
	[TAKEN] = PLAIN_COLUMN("taken", NULL, 0, true, OTHER),
	[NOT_TAKEN] = PLAIN_COLUMN("not_taken", NULL, 0, true, OTHER),
	[WRONG] = PLAIN_COLUMN("wrong", NULL, 0, true, OTHER),
	[WRONG_OWN] = PLAIN_COLUMN("wrong_own", NULL, 0, true, OTHER),
	[NR_OWN] = PLAIN_COLUMN("of_own", NULL, 0, true, OTHER),
	[WRONG_BEFORE] = PLAIN_COLUMN("wrong_before", NULL, 0, true, OTHER),
	[NR_BEFORE] = PLAIN_COLUMN("of_before", NULL, 0, true, OTHER),
	[CMOV] = PLAIN_COLUMN("cmov_mispredicted_less", NULL, 0, true, OTHER),
	[HINT] = PLAIN_COLUMN("hint_mispredicted_less", NULL, 0, true, OTHER),
	[LAYOUT] = PLAIN_COLUMN("layout_taken_less", NULL, 0, true, OTHER),
	[TEST] = PLAIN_COLUMN("test_first_target", NULL, 0, true, OTHER),
};

static int walk_branch(struct walk *k, const struct faces_table *t, size_t i)
{
	const struct brstat_branch *br = brstat_branch(k->pub.f->stat, i);
	const uint64_t own = br->after[0][0] + br->after[0][1] + br->after[1][0] + br->after[1][1];
	const struct brstat_help help = brstat_help(k->pub.f->stat, br);
	bool cond = br->kind == INSN_COND, seen = cond && br->taken + br->not_taken;
	char place[512], pattern[64], helps[200];
	struct faces_cell cells[NR_BRANCH_COLS] = {
		[MISPRED] = list_number(br->mispred),
		[MISPRED_SHARE] = list_share(br->mispred, br->flagged),
		[LEFT] = list_number(br->left),
		[TAKEN_SHARE] = list_share(br->taken, seen ? br->taken + br->not_taken : 0),
		[RUN_TAKEN] = list_real(brstat_mean_run(br, true) >= 0, brstat_mean_run(br, true)),
		[RUN_NOT] = list_real(brstat_mean_run(br, false) >= 0, brstat_mean_run(br, false)),
		[ENTROPY] = list_real(br->entropy >= 0, br->entropy),
		[OWN] = list_real(br->entropy_own >= 0, br->entropy_own),
		[BEFORE] = list_real(br->entropy_before >= 0, br->entropy_before),
		[REFILL] = list_real(br->refill >= 0, br->refill),
		[KIND] = list_text(walk_why_kind(br)),
		[PATTERN] = list_text(walk_why_pattern(br, pattern, sizeof(pattern))),
		[HELP] = list_text(walk_why_help(&help, helps, sizeof(helps))),
		[BRANCH] = list_text(list_place(br->sym, br->addr, place, sizeof(place))),
		[DSO] = list_text(list_dso(br->dso)),
		[SYMBOL] = list_text(br->sym ? br->sym->name : NULL),
		[ADDR] = list_number(br->addr),
		[FLAGGED] = list_number(br->flagged),
		[TAKEN] = list_number(br->taken),
		[NOT_TAKEN] = list_number(br->not_taken),
		[WRONG] = list_number(br->wrong),
		[WRONG_OWN] = list_number(brstat_wrong_own(br)),
		[NR_OWN] = list_number(own),
		[WRONG_BEFORE] = list_number(br->wrong_before),
		[NR_BEFORE] = list_number(br->nr_before),
		[CMOV] = list_number(help.cmov),
		[HINT] = list_number(help.hint),
		[LAYOUT] = list_number(help.layout),
		[TEST] = list_number(help.test),
	};

	if (!br->flagged)
		cells[MISPRED].kind = cells[CMOV].kind = cells[HINT].kind = FACES_NONE;
	if (!seen)
		cells[NOT_TAKEN].kind = cells[LAYOUT].kind = FACES_NONE;
	if (br->entropy < 0)
		cells[WRONG].kind = FACES_NONE;
	if (!own)
		cells[WRONG_OWN].kind = FACES_NONE;
	if (!br->nr_before || br->entropy < 0)
		cells[WRONG_BEFORE].kind = FACES_NONE;
	return walk_plain_row(k, t, cells);
}

/* Those that --percent-limit leaves: by mispredictions, where these are known. */
static bool is_small_branch(const struct faces *f, const struct brstat_branch *br)
{
	const struct brstat_sum *sum = brstat_sum(f->stat);

	return f->o.min_percent > 0 &&
	       (sum->flagged ? faces_percent(br->mispred, sum->mispred)
			     : faces_percent(br->left, sum->branches)) < f->o.min_percent;
}

static bool is_small(const struct faces *f, size_t i)
{
	return is_small_branch(f, brstat_branch(f->stat, i));
}

static void branch_place(const struct brstat *b, size_t i, struct faces_place *at)
{
	const struct brstat_branch *br = brstat_branch(b, i);

	*at = (struct faces_place){ br->dso, br->sym, br->addr };
}

static size_t nr_branches(const struct faces *f)
{
	return brstat_nr_branches(f->stat);
}

const struct walk_list walk_branch_list = {
	.what = BRSTAT_WHY,
	.table = { .name = "branches",
		   .title = "Branches, and why they are hard to predict",
		   .legend =
			   "Left: times that it was taken; Mispred, Mispred%: how often it was mispredicted. Taken%: of times that it\n"
			   "was taken or passed. Run T, Run N: how many times in a row it was taken, was not. Bits: what there is to\n"
			   "guess, 0 = certain, 1 = a coin; Own: where its outcome the time before is known; Before: where that of the\n"
			   "branch before is. Refill: cycles that a misprediction cost. -: not told by this recording. What would\n"
			   "help: times out of this recording; none says how much time that is.\n",
		   .cols = branch_cols,
		   .nr_cols = NR_BRANCH_COLS },
	.nr = nr_branches,
	.small = is_small,
	.row = walk_branch,
	.place = branch_place,
};

/* ---- targets ----------------------------------------------------------------------------------- */

enum target_col {
	T_SHARE,
	T_COUNT,
	T_MISPRED,
	T_MISPRED_SHARE,
	T_FROM,
	T_TO,
	T_DSO,
	T_FROM_ADDR,
	T_TO_ADDR,
	NR_TARGET_COLS
};

static const struct faces_column target_cols[NR_TARGET_COLS] = {
	[T_SHARE] = LIST_SHARE_COLUMN("percent", "Share", 7),
	[T_COUNT] = PLAIN_COLUMN("count", "Count", 10, true, ALL),
	[T_MISPRED] = PLAIN_COLUMN("mispredicted", "Mispred", 10, true, ALL),
	[T_MISPRED_SHARE] = LIST_SHARE_COLUMN("mispredict_rate", "Mispred%", 8),
	[T_FROM] = SUBJECT_COLUMN("branch", "Branch", 34, true),
	[T_TO] = SUBJECT_COLUMN("target", "Target", 34, true),
	[T_DSO] = PLAIN_COLUMN("dso", "Object", 10, false, ALL),
	[T_FROM_ADDR] = PLAIN_COLUMN("addr", NULL, 0, true, OTHER),
	[T_TO_ADDR] = PLAIN_COLUMN("target_addr", NULL, 0, true, OTHER),
};

static int walk_target(struct walk *k, const struct faces_table *t, size_t i)
{
	const struct brstat_branch *br;
	const struct brstat_target *to = brstat_indirect(k->pub.f->stat, i, &br);
	char from[512], target[512];
	struct faces_cell cells[NR_TARGET_COLS] = {
		[T_SHARE] = list_share(to->nr, br->left),
		[T_COUNT] = list_number(to->nr),
		[T_MISPRED] = list_number(to->mispred),
		[T_MISPRED_SHARE] = list_share(to->mispred, to->flagged),
		[T_FROM] = list_text(list_place(br->sym, br->addr, from, sizeof(from))),
		[T_TO] = list_text(list_place(to->sym, to->addr, target, sizeof(target))),
		[T_DSO] = list_text(list_dso(to->dso)),
		[T_FROM_ADDR] = list_number(br->addr),
		[T_TO_ADDR] = list_number(to->addr),
	};

	if (!to->flagged)
		cells[T_MISPRED].kind = FACES_NONE;
	return walk_plain_row(k, t, cells);
}

static size_t nr_targets(const struct faces *f)
{
	return brstat_nr_indirect(f->stat);
}

static bool is_small_target(const struct faces *f, size_t i)
{
	const struct brstat_branch *br;

	brstat_indirect(f->stat, i, &br);
	return is_small_branch(f, br);
}

static void target_place(const struct brstat *b, size_t i, struct faces_place *at)
{
	const struct brstat_branch *br;

	brstat_indirect(b, i, &br);
	*at = (struct faces_place){ br->dso, br->sym, br->addr };
}

const struct walk_list walk_target_list = {
	.what = BRSTAT_WHY,
	.table = { .name = "targets",
		   .title = "Targets of indirect branches",
		   .legend =
			   "Share: of the times that the branch was taken. -: not told by this recording.\n",
		   .cols = target_cols,
		   .nr_cols = NR_TARGET_COLS },
	.nr = nr_targets,
	.small = is_small_target,
	.row = walk_target,
	.place = target_place,
};

/* ---- lengths of runs --------------------------------------------------------------------------- */

enum run_col { R_BRANCH, R_ADDR, R_OUTCOME, R_LENGTH, R_COUNT, R_CUT, NR_RUN_COLS };

static const struct faces_column run_cols[NR_RUN_COLS] = {
	[R_BRANCH] = PLAIN_COLUMN("branch", "Branch", 34, true, OTHER),
	[R_ADDR] = PLAIN_COLUMN("addr", NULL, 0, true, OTHER),
	[R_OUTCOME] = PLAIN_COLUMN("outcome", NULL, 0, false, OTHER),
	[R_LENGTH] = PLAIN_COLUMN("length", NULL, 0, false, OTHER),
	[R_COUNT] = PLAIN_COLUMN("whole", NULL, 0, true, OTHER),
	[R_CUT] = PLAIN_COLUMN("cut", NULL, 0, true, OTHER),
};

static int walk_run(struct walk *k, const struct faces_table *t, const struct brstat_branch *br)
{
	static const char *const lengths[BRSTAT_RUNS] = { "1",	"2",  "3",  "4",  "5",	   "6",
							  "7",	"8",  "9",  "10", "11",	   "12",
							  "13", "14", "15", "16", "17-32", "33-" };
	char place[512];
	int ret = 0;

	list_place(br->sym, br->addr, place, sizeof(place));
	for (unsigned i = 0; !ret && i < 2 * BRSTAT_RUNS; i++) {
		bool taken = i < BRSTAT_RUNS;
		unsigned n = i % BRSTAT_RUNS;
		struct faces_cell cells[NR_RUN_COLS] = {
			[R_BRANCH] = list_text(place),
			[R_ADDR] = list_number(br->addr),
			[R_OUTCOME] = list_text(taken ? "taken" : "not taken"),
			[R_LENGTH] = list_text(lengths[n]),
			[R_COUNT] = list_number(br->runs[taken][n]),
			[R_CUT] = list_number(br->cut[taken][n]),
		};

		if (br->runs[taken][n] || br->cut[taken][n])
			ret = walk_plain_row(k, t, cells);
	}
	return ret;
}

/* For programs: people have means. */
static int walk_runs(struct walk *k)
{
	const struct faces_table t = {
		.kind = FACES_LIST, .name = "runs", .cols = run_cols, .nr_cols = NR_RUN_COLS
	};
	const struct brstat *b = k->pub.f->stat;
	int ret;

	if (!(k->w->reader & FACES_PROGRAMS))
		return 0;
	ret = VISIT(k, table, &t);
	for (size_t i = 0; !ret && i < brstat_nr_branches(b) && !walk_broken(k); i++)
		if (!is_small(k->pub.f, i))
			ret = walk_run(k, &t, brstat_branch(b, i));
	ret = ret ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}

int walk_why(struct walk *k)
{
	return walk_list(k, &walk_branch_list) ?: walk_list(k, &walk_target_list) ?: walk_runs(k);
}
