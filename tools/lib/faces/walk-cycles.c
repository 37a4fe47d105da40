// SPDX-License-Identifier: GPL-2.0-or-later
/* report --branches=cycles: blocks with quantiles of their cycles and their IPC; edges by what was lost behind them. */
#include <stdio.h>

#include "faces/faces-int.h"

#define ALL   (FACES_PEOPLE | FACES_PROGRAMS)
#define OTHER FACES_PROGRAMS

/* ---- blocks ------------------------------------------------------------------------------------ */

enum block_col {
	SHARE,
	CYCLES,
	COUNT,
	MEAN,
	MEDIAN,
	P90,
	MIN,
	INSNS,
	IPC,
	BEST,
	LOST,
	START_NAME,
	END_NAME,
	DSO,
	SYMBOL,
	START,
	END,
	WITH,
	MAX,
	NR_BLOCK_COLS
};

static const struct faces_column block_cols[NR_BLOCK_COLS] = {
	[SHARE] = LIST_SHARE_COLUMN("percent", "Cycles%", 7),
	[CYCLES] = PLAIN_COLUMN("cycles", "Cycles", 10, true, ALL),
	[COUNT] = PLAIN_COLUMN("count", "Count", 10, true, ALL),
	[MEAN] = PLAIN_COLUMN("mean", "Mean", 8, true, ALL),
	[MEDIAN] = PLAIN_COLUMN("median", "Median", 6, true, ALL),
	[P90] = PLAIN_COLUMN("p90", "90%", 6, true, ALL),
	[MIN] = PLAIN_COLUMN("min", "Best", 6, true, ALL),
	[INSNS] = PLAIN_COLUMN("instructions", "Insns", 5, true, ALL),
	[IPC] = PLAIN_COLUMN("ipc", "IPC", 6, true, ALL),
	[BEST] = PLAIN_COLUMN("best_ipc", "Best IPC", 8, true, ALL),
	[LOST] = PLAIN_COLUMN("above_best", "Above best", 10, true, ALL),
	[START_NAME] = SUBJECT_COLUMN("from", "From", 30, true),
	[END_NAME] = SUBJECT_COLUMN("to", "Through", 30, true),
	[DSO] = PLAIN_COLUMN("dso", "Object", 10, false, ALL),
	[SYMBOL] = PLAIN_COLUMN("symbol", NULL, 0, false, OTHER),
	[START] = PLAIN_COLUMN("start", NULL, 0, true, OTHER),
	[END] = PLAIN_COLUMN("end", NULL, 0, true, OTHER),
	[WITH] = PLAIN_COLUMN("with_cycles", NULL, 0, true, OTHER),
	[MAX] = PLAIN_COLUMN("max", NULL, 0, true, OTHER),
};

static int walk_one_block(struct walk *k, const struct faces_table *t, size_t i)
{
	const struct brstat_block *b = brstat_block(k->pub.f->stat, i);
	bool known = b->nr_cycles, insns = known && b->insns;
	double mean = known ? (double)b->cycles / (double)b->nr_cycles : 0;
	char from[LIST_PLACE], to[LIST_PLACE];
	struct faces_cell cells[NR_BLOCK_COLS] = {
		[SHARE] = list_share(b->cycles, known ? t->total : 0),
		[CYCLES] = list_number(b->cycles),
		[COUNT] = list_number(b->nr),
		[MEAN] = list_real(known, mean),
		[MEDIAN] = list_number(b->median),
		[P90] = list_number(b->p90),
		[MIN] = list_number(b->min),
		[INSNS] = list_number(b->insns),
		[IPC] = list_real(insns, insns ? b->insns / mean : 0),
		[BEST] = list_real(insns, insns ? (double)b->insns / b->min : 0),
		[LOST] = list_number(b->cycles - b->nr_cycles * b->min),
		[START_NAME] = list_text(list_place(b->sym, b->start, from, sizeof(from))),
		[END_NAME] = list_text(list_place(b->sym, b->end, to, sizeof(to))),
		[DSO] = list_text(list_dso(b->dso)),
		[SYMBOL] = list_text(b->sym ? b->sym->name : NULL),
		[START] = list_number(b->start),
		[END] = list_number(b->end),
		[WITH] = list_number(b->nr_cycles),
		[MAX] = list_number(b->max),
	};

	if (!known)
		cells[CYCLES].kind = cells[MEDIAN].kind = cells[P90].kind = cells[MIN].kind =
			cells[LOST].kind = cells[MAX].kind = FACES_NONE;
	if (!b->insns)
		cells[INSNS].kind = FACES_NONE;
	return walk_plain_row(k, t, cells);
}

static uint64_t block_cycles(const struct brstat *b)
{
	return brstat_sum(b)->block_cycles;
}

static bool is_small_block(const struct faces *f, size_t i)
{
	return f->o.min_percent > 0 && faces_percent(brstat_block(f->stat, i)->cycles,
						     block_cycles(f->stat)) < f->o.min_percent;
}

static void block_place(const struct brstat *b, size_t i, struct faces_place *at)
{
	const struct brstat_block *bl = brstat_block(b, i);

	*at = (struct faces_place){ bl->dso, bl->sym, bl->start };
}

static size_t nr_blocks(const struct faces *f)
{
	return brstat_nr_blocks(f->stat);
}

const struct walk_list walk_block_list = {
	.what = BRSTAT_CYCLES,
	.table = { .name = "blocks",
		   .title = "Blocks of code, by the cycles spent in them",
		   .legend =
			   "A block is from where a branch went to through the next one that was taken. Cycles: of all times that it was\n"
			   "seen with cycles; Mean, Median, 90%, Best: of one time, Best the least. Count: times that it was seen. IPC:\n"
			   "its instructions by Mean, Best IPC by Best. Above best: cycles above Best, all times together.\n"
			   "-: no cycles were recorded; of Insns and IPC: or its code cannot be read.\n",
		   .cols = block_cols,
		   .nr_cols = NR_BLOCK_COLS },
	.total = block_cycles,
	.nr = nr_blocks,
	.small = is_small_block,
	.row = walk_one_block,
	.place = block_place,
};

/* ---- edges ------------------------------------------------------------------------------------- */

enum edge_col {
	E_LOST,
	E_COUNT,
	E_MISPRED,
	E_REFILL,
	E_LATE,
	E_AFTER_MISS,
	E_AFTER_HIT,
	E_MEDIAN,
	E_P90,
	E_FROM,
	E_TO,
	E_DSO,
	E_FROM_ADDR,
	E_TO_ADDR,
	E_FLAGGED,
	E_REFILLS,
	E_LATES,
	E_WITH,
	E_MEAN,
	E_MIN,
	E_MAX,
	NR_EDGE_COLS
};

static const struct faces_column edge_cols[NR_EDGE_COLS] = {
	[E_LOST] = PLAIN_COLUMN("lost_cycles", "Lost", 10, true, ALL),
	[E_COUNT] = PLAIN_COLUMN("count", "Count", 10, true, ALL),
	[E_MISPRED] = PLAIN_COLUMN("mispredicted", "Mispred", 8, true, ALL),
	[E_REFILL] = PLAIN_COLUMN("refill", "Refill", 8, true, ALL),
	[E_LATE] = PLAIN_COLUMN("late", "Late", 8, true, ALL),
	[E_AFTER_MISS] = PLAIN_COLUMN("after_mispredicted", "After M", 8, true, ALL),
	[E_AFTER_HIT] = PLAIN_COLUMN("after_predicted", "After P", 8, true, ALL),
	[E_MEDIAN] = PLAIN_COLUMN("median", "Median", 6, true, ALL),
	[E_P90] = PLAIN_COLUMN("p90", "90%", 6, true, ALL),
	[E_FROM] = SUBJECT_COLUMN("branch", "Branch", 30, true),
	[E_TO] = SUBJECT_COLUMN("target", "Target", 30, true),
	[E_DSO] = PLAIN_COLUMN("dso", "Object", 10, false, ALL),
	[E_FROM_ADDR] = PLAIN_COLUMN("addr", NULL, 0, true, OTHER),
	[E_TO_ADDR] = PLAIN_COLUMN("target_addr", NULL, 0, true, OTHER),
	[E_FLAGGED] = PLAIN_COLUMN("flagged", NULL, 0, true, OTHER),
	[E_REFILLS] = PLAIN_COLUMN("refills", NULL, 0, true, OTHER),
	[E_LATES] = PLAIN_COLUMN("lates", NULL, 0, true, OTHER),
	[E_WITH] = PLAIN_COLUMN("with_cycles", NULL, 0, true, OTHER),
	[E_MEAN] = PLAIN_COLUMN("mean", NULL, 0, true, OTHER),
	[E_MIN] = PLAIN_COLUMN("min", NULL, 0, true, OTHER),
	[E_MAX] = PLAIN_COLUMN("max", NULL, 0, true, OTHER),
};

static struct faces_cell mean_cell(double sum, uint64_t nr)
{
	return list_real(nr, nr ? sum / (double)nr : 0);
}

static int walk_edge(struct walk *k, const struct faces_table *t, size_t i)
{
	const struct brstat_edge *e = brstat_edge_at(k->pub.f->stat, i);
	const uint64_t nr = e->nr_hit + e->nr_missed;
	char from[LIST_PLACE], to[LIST_PLACE];
	struct faces_cell cells[NR_EDGE_COLS] = {
		[E_LOST] = list_real(e->refills || e->lates, e->refill_cycles + e->late_cycles),
		[E_COUNT] = list_number(e->nr),
		[E_MISPRED] = list_number(e->mispred),
		[E_REFILL] = mean_cell(e->refill_cycles, e->refills),
		[E_LATE] = mean_cell(e->late_cycles, e->lates),
		[E_AFTER_MISS] = mean_cell((double)e->cycles_missed, e->nr_missed),
		[E_AFTER_HIT] = mean_cell((double)e->cycles_hit, e->nr_hit),
		[E_MEDIAN] = list_number(e->median),
		[E_P90] = list_number(e->p90),
		[E_FROM] = list_text(list_place(e->from->sym, e->from->addr, from, sizeof(from))),
		[E_TO] = list_text(list_place(e->to->sym, e->to->addr, to, sizeof(to))),
		[E_DSO] = list_text(list_dso(e->from->dso)),
		[E_FROM_ADDR] = list_number(e->from->addr),
		[E_TO_ADDR] = list_number(e->to->addr),
		[E_FLAGGED] = list_number(e->flagged),
		[E_REFILLS] = list_number(e->refills),
		[E_LATES] = list_number(e->lates),
		[E_WITH] = list_number(nr),
		[E_MEAN] = mean_cell((double)(e->cycles_hit + e->cycles_missed), nr),
		[E_MIN] = list_number(e->min),
		[E_MAX] = list_number(e->max),
	};

	if (!nr)
		cells[E_MEDIAN].kind = cells[E_P90].kind = cells[E_MIN].kind = cells[E_MAX].kind =
			FACES_NONE;

	if (!e->flagged)
		cells[E_MISPRED].kind = FACES_NONE;
	return walk_plain_row(k, t, cells);
}

static bool is_small_edge(const struct faces *f, size_t i)
{
	return f->o.min_percent > 0 &&
	       faces_percent(brstat_edge_at(f->stat, i)->nr, brstat_sum(f->stat)->branches) <
		       f->o.min_percent;
}

static void edge_place(const struct brstat *b, size_t i, struct faces_place *at)
{
	const struct loc *from = brstat_edge_at(b, i)->from;

	*at = (struct faces_place){ from->dso, from->sym, from->addr };
}

static size_t nr_edges(const struct faces *f)
{
	return brstat_nr_edges(f->stat);
}

const struct walk_list walk_edge_list = {
	.what = BRSTAT_CYCLES,
	.table = { .name = "edges",
		   .title =
			   "Edges, by the cycles that the block behind them took more than it needs",
		   .legend =
			   "Lost: cycles that blocks behind it took more, all times together. Refill: cycles more for each time that it was\n"
			   "mispredicted; Late: for each time that it was predicted, beside the best way to the same block. After M,\n"
			   "After P: mean cycles of the block behind it, mispredicted and predicted; Median, 90%: so many at most in half of all times\n"
			   "and in 9 of 10. -: not told by this recording.\n",
		   .cols = edge_cols,
		   .nr_cols = NR_EDGE_COLS },
	.nr = nr_edges,
	.small = is_small_edge,
	.row = walk_edge,
	.place = edge_place,
};

int walk_cycles(struct walk *k)
{
	return walk_list(k, &walk_block_list) ?: walk_list(k, &walk_edge_list);
}
