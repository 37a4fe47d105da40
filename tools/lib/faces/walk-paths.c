// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --branches=paths: superblocks with how many of them make how much of all that ran, loops with their
 * rounds, calls and returns that do not fit.
 */
#include <stdio.h>

#include "faces/faces-int.h"

#define ALL   (FACES_PEOPLE | FACES_PROGRAMS)
#define HUMAN FACES_PEOPLE
#define OTHER FACES_PROGRAMS

/* ---- coverage ---------------------------------------------------------------------------------- */

enum cover_col { V_PERCENT, V_PATHS, NR_COVER_COLS };

static const struct faces_column cover_cols[NR_COVER_COLS] = {
	[V_PERCENT] = PLAIN_COLUMN("percent", "Percent", 7, true, ALL),
	[V_PATHS] = PLAIN_COLUMN("paths", "Paths", 10, true, ALL),
};

static const unsigned marks[] = { 50, 80, 90, 95, 99, 100 };

/* How many paths have that much; 0: all have less. */
static uint64_t paths_with(const struct brstat *b, double much)
{
	size_t n = brstat_nr_supers(b), lo = 0;

	for (size_t hi = n; lo < hi;) {
		size_t half = lo + (hi - lo) / 2;

		if ((double)brstat_super(b, half)->sum * 100 >= much)
			hi = half;
		else
			lo = half + 1;
	}
	return lo < n ? lo + 1 : 0;
}

/* How many paths have so much, of each of marks[] that is known; how many these are. */
static size_t covered(const struct faces *f, uint64_t need[ARRAY_SIZE(marks)])
{
	size_t m = 0;

	for (; m < ARRAY_SIZE(marks); m++) {
		need[m] = paths_with(f->stat, (double)brstat_sum(f->stat)->runs * marks[m]);
		if (!need[m])
			break;
	}
	return m;
}

static size_t nr_cover(const struct faces *f)
{
	uint64_t need[ARRAY_SIZE(marks)];

	return covered(f, need);
}

static const char *cover_title(const struct faces *f, char *buf, size_t size)
{
	uint64_t need[ARRAY_SIZE(marks)] = { 0 };

	if (covered(f, need) < 2)
		return walk_cover_list.table.title;
	snprintf(buf, size, "%llu path%s %s %u %% of all blocks that ran",
		 (unsigned long long)need[1], need[1] == 1 ? "" : "s", need[1] == 1 ? "is" : "are",
		 marks[1]);
	return buf;
}

static int walk_cover(struct walk *k, const struct faces_table *t, size_t i)
{
	uint64_t need[ARRAY_SIZE(marks)] = { 0 };
	struct faces_cell cells[NR_COVER_COLS];

	covered(k->pub.f, need);
	cells[V_PERCENT] = list_number(marks[i]);
	cells[V_PATHS] = list_number(need[i]);
	return walk_plain_row(k, t, cells);
}

const struct walk_list walk_cover_list = {
	.what = BRSTAT_PATHS,
	.table = { .name = "coverage",
		   .title = "Paths, and how much of all blocks that ran lies in them",
		   .cols = cover_cols,
		   .nr_cols = NR_COVER_COLS },
	.title = cover_title,
	.nr = nr_cover,
	.row = walk_cover,
};

/* ---- superblocks ------------------------------------------------------------------------------- */

enum super_col {
	S_SHARE,
	S_SUM,
	S_RUNS,
	S_BEGINS,
	S_THROUGH,
	S_BLOCKS,
	S_INSNS,
	S_CYCLES,
	S_PATH,
	S_WITH,
	NR_SUPER_COLS
};

static const struct faces_column super_cols[NR_SUPER_COLS] = {
	[S_SHARE] = LIST_SHARE_COLUMN("percent", "Share", 7),
	[S_SUM] = LIST_SHARE_COLUMN("cumulative", "Sum", 7),
	[S_RUNS] = PLAIN_COLUMN("blocks_run", "Runs", 10, true, ALL),
	[S_BEGINS] = PLAIN_COLUMN("begun", "Begun", 10, true, ALL),
	[S_THROUGH] = LIST_SHARE_COLUMN("through", "To its end", 10),
	[S_BLOCKS] = PLAIN_COLUMN("blocks", "Blocks", 6, true, ALL),
	[S_INSNS] = PLAIN_COLUMN("instructions_run", NULL, 0, true, OTHER),
	[S_CYCLES] = PLAIN_COLUMN("cycles", "Cycles", 10, true, ALL),
	[S_PATH] = SUBJECT_COLUMN("path", "Path: blocks one after the other", 34, false),
	[S_WITH] = PLAIN_COLUMN("with_cycles", NULL, 0, true, OTHER),
};

#define PATH_SHOWN 6 /* blocks that people see */
#define PATHS_MAX \
	1000 /* paths that they see unless they say which: the table before tells what they cover */

static void put_blocks(struct walk *k, const struct brstat_super *s, struct obuf *o)
{
	bool whole = k->w->reader & FACES_PROGRAMS;

	for (uint32_t i = 0; i < s->nr; i++) {
		const struct loc *start, *end;

		if (!whole && i == PATH_SHOWN && s->nr > PATH_SHOWN + 1) {
			obuf_printf(o, ", and %u more", s->nr - i);
			break;
		}
		brstat_super_block(k->pub.f->stat, s, i, &start, &end);
		if (i)
			obuf_lit(o, ", ");
		list_put_place(o, start);
		obuf_lit(o, "..");
		list_put_place(o, end);
	}
	obuf_char(o, 0);
}

static int put_super(struct walk *k, const struct faces_table *t, const struct brstat_super *s,
		     struct obuf *path)
{
	struct faces_cell cells[NR_SUPER_COLS] = {
		[S_SHARE] = list_share(s->runs, t->total),
		[S_SUM] = list_share(s->sum, t->total),
		[S_RUNS] = list_number(s->runs),
		[S_BEGINS] = list_number(s->begins),
		[S_THROUGH] = list_real(true, 100 * s->through),
		[S_BLOCKS] = list_number(s->nr),
		[S_INSNS] = list_number(s->insns),
		[S_CYCLES] = list_number(s->cycles),
		[S_WITH] = list_number(s->nr_cycles),
	};

	path->len = 0;
	put_blocks(k, s, path);
	if (path->code)
		return path->code;
	cells[S_PATH] = list_text(path->buf);
	if (!s->nr_cycles)
		cells[S_CYCLES].kind = FACES_NONE;
	if (!s->insns)
		cells[S_INSNS].kind = FACES_NONE;
	return walk_plain_row(k, t, cells);
}

static int walk_super(struct walk *k, const struct faces_table *t, size_t i)
{
	struct obuf path = { .fd = -1 };
	int ret = put_super(k, t, brstat_super(k->pub.f->stat, i), &path);

	obuf_free(&path);
	return ret;
}

static uint64_t all_runs(const struct brstat *b)
{
	return brstat_sum(b)->runs;
}

static bool is_small_super(const struct faces *f, size_t i)
{
	return faces_percent(brstat_super(f->stat, i)->runs, all_runs(f->stat)) < f->o.min_percent;
}

static void super_place(const struct brstat *b, size_t i, struct faces_place *at)
{
	const struct loc *start, *end;

	brstat_super_block(b, brstat_super(b, i), 0, &start, &end);
	*at = (struct faces_place){ start->dso, start->sym, start->addr };
}

static size_t nr_supers(const struct faces *f)
{
	return brstat_nr_supers(f->stat);
}

const struct walk_list walk_path_list = {
	.what = BRSTAT_PATHS,
	.table = { .name = "paths",
		   .title = "Superblocks",
		   .legend =
			   "Runs: how often its blocks ran, together; Share: of all blocks that ran; Sum: with the paths above. Begun: how\n"
			   "often its first block ran; To its end: what share of these ran all of it, by what pairs of branches tell.\n"
			   "Cycles: of all its blocks, - where none were recorded.\n",
		   .cols = super_cols,
		   .nr_cols = NR_SUPER_COLS },
	.total = all_runs,
	.nr = nr_supers,
	.small = is_small_super,
	.row = walk_super,
	.place = super_place,
};

/* How many are listed. */
static size_t nr_listed(const struct walk *k)
{
	const struct faces *f = k->pub.f;
	size_t nr = brstat_nr_supers(f->stat);

	if (f->o.limited || k->w->reader & FACES_PROGRAMS || f->po->separator)
		return nr;
	return (size_t)min_u64(nr, PATHS_MAX);
}

static int walk_supers(struct walk *k)
{
	const struct faces *f = k->pub.f;
	char title[LIST_TITLE];
	struct faces_table t = walk_list_table(&walk_path_list, f, title);
	size_t nr = nr_listed(k);
	struct obuf path;
	int ret;

	if (nr < brstat_nr_supers(f->stat)) {
		snprintf(title, sizeof(title),
			 "Superblocks, %zu of %zu: --percent-limit 0 lists all", nr,
			 brstat_nr_supers(f->stat));
		t.title = title;
	}
	ret = obuf_init(&path, -1, 0) ?: VISIT(k, table, &t);
	for (size_t i = 0; !ret && i < nr && !walk_broken(k); i++)
		if (!is_small_super(f, i))
			ret = put_super(k, &t, brstat_super(f->stat, i), &path);
	obuf_free(&path);
	ret = ret ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}

/* ---- loops ------------------------------------------------------------------------------------- */

enum loop_col {
	L_ROUNDS,
	L_ENTRIES,
	L_MEAN,
	L_WHOLE,
	L_CUT,
	L_OFTEN,
	L_HEAD,
	L_BACK,
	L_DSO,
	L_HEAD_ADDR,
	L_BACK_ADDR,
	NR_LOOP_COLS
};

static const struct faces_column loop_cols[NR_LOOP_COLS] = {
	[L_ROUNDS] = PLAIN_COLUMN("rounds", "Rounds", 10, true, ALL),
	[L_ENTRIES] = PLAIN_COLUMN("entries", "Entries", 10, true, ALL),
	[L_MEAN] = PLAIN_COLUMN("mean_rounds", "Mean", 9, true, ALL),
	[L_WHOLE] = PLAIN_COLUMN("seen_whole", "Whole", 8, true, ALL),
	[L_CUT] = PLAIN_COLUMN("seen_cut", "Cut", 8, true, ALL),
	[L_OFTEN] = PLAIN_COLUMN("histogram", "Rounds: times seen whole", 40, true, HUMAN),
	[L_HEAD] = SUBJECT_COLUMN("head", "Loop", 30, true),
	[L_BACK] = SUBJECT_COLUMN("branch", "Back from", 30, true),
	[L_DSO] = PLAIN_COLUMN("dso", "Object", 10, false, ALL),
	[L_HEAD_ADDR] = PLAIN_COLUMN("head_addr", NULL, 0, true, OTHER),
	[L_BACK_ADDR] = PLAIN_COLUMN("branch_addr", NULL, 0, true, OTHER),
};

/* "7:120 8:3": the most frequent, four at most. */
static const char *histogram(const struct brstat_loop *l, char *buf, size_t size)
{
	uint64_t left[BRSTAT_ROUNDS];
	size_t n = 0;

	memcpy(left, l->whole, sizeof(left));
	buf[0] = '\0';
	for (unsigned i = 0; i < 4; i++) {
		unsigned best = 0;

		for (unsigned r = 1; r < BRSTAT_ROUNDS; r++)
			if (left[r] > left[best])
				best = r;
		if (!left[best])
			break;
		n += (size_t)snprintf(buf + n, size - n, "%s%u%s:%llu", n ? " " : "", best + 1,
				      best + 1 == BRSTAT_ROUNDS ? "+" : "",
				      (unsigned long long)left[best]);
		left[best] = 0;
	}
	return n ? buf : NULL;
}

static int walk_loop(struct walk *k, const struct faces_table *t, size_t i)
{
	const struct brstat_loop *l = brstat_loop(k->pub.f->stat, i);
	char hist[120], head[512], back[LIST_PLACE];
	uint64_t whole = 0, cut = 0;
	struct faces_cell cells[NR_LOOP_COLS];

	for (unsigned r = 0; r < BRSTAT_ROUNDS; r++) {
		whole += l->whole[r];
		cut += l->cut[r];
	}
	memset(cells, 0, sizeof(cells));
	cells[L_ROUNDS] = list_number(l->rounds);
	cells[L_ENTRIES] = list_number(l->entries);
	cells[L_MEAN] = list_real(brstat_mean_rounds(l) >= 0, brstat_mean_rounds(l));
	cells[L_WHOLE] = list_number(whole);
	cells[L_CUT] = list_number(cut);
	cells[L_OFTEN] = list_text(histogram(l, hist, sizeof(hist)));
	cells[L_HEAD] = list_text(list_place(l->sym, l->head, head, sizeof(head)));
	cells[L_BACK] = list_text(list_place(l->sym, l->back, back, sizeof(back)));
	cells[L_DSO] = list_text(list_dso(l->dso));
	cells[L_HEAD_ADDR] = list_number(l->head);
	cells[L_BACK_ADDR] = list_number(l->back);
	return walk_plain_row(k, t, cells);
}

/* Loops that --percent-limit leaves: by the rounds of all. */
static bool is_small(const struct faces *f, size_t i)
{
	return f->o.min_percent > 0 &&
	       faces_percent(brstat_loop(f->stat, i)->rounds, all_runs(f->stat)) < f->o.min_percent;
}

static void loop_place(const struct brstat *b, size_t i, struct faces_place *at)
{
	const struct brstat_loop *l = brstat_loop(b, i);

	*at = (struct faces_place){ l->dso, l->sym, l->head };
}

static size_t nr_loops(const struct faces *f)
{
	return brstat_nr_loops(f->stat);
}

const struct walk_list walk_loop_list = {
	.what = BRSTAT_PATHS,
	.table = { .name = "loops",
		   .title = "Loops, and how many rounds they make",
		   .legend =
			   "Rounds: how often its head ran; Entries: how often it was come to from outside; Mean: one by the other. Whole:\n"
			   "times that a stack shows it from entry to exit, 7:120 is 120 times of seven rounds; Cut: without its exit.\n",
		   .cols = loop_cols,
		   .nr_cols = NR_LOOP_COLS },
	.nr = nr_loops,
	.small = is_small,
	.row = walk_loop,
	.place = loop_place,
};

/* ---- rounds, for programs ----------------------------------------------------------------------- */

enum round_col { R_HEAD, R_HEAD_ADDR, R_BACK_ADDR, R_ROUNDS, R_WHOLE, R_CUT, NR_ROUND_COLS };

static const struct faces_column round_cols[NR_ROUND_COLS] = {
	[R_HEAD] = PLAIN_COLUMN("head", NULL, 0, true, OTHER),
	[R_HEAD_ADDR] = PLAIN_COLUMN("head_addr", NULL, 0, true, OTHER),
	[R_BACK_ADDR] = PLAIN_COLUMN("branch_addr", NULL, 0, true, OTHER),
	[R_ROUNDS] = PLAIN_COLUMN("rounds", NULL, 0, true, OTHER),
	[R_WHOLE] = PLAIN_COLUMN("whole", NULL, 0, true, OTHER),
	[R_CUT] = PLAIN_COLUMN("cut", NULL, 0, true, OTHER),
};

static int walk_loop_rounds(struct walk *k, const struct faces_table *t,
			    const struct brstat_loop *l)
{
	char head[LIST_PLACE];
	int ret = 0;

	list_place(l->sym, l->head, head, sizeof(head));
	for (unsigned i = 0; !ret && i < BRSTAT_ROUNDS; i++) {
		struct faces_cell cells[NR_ROUND_COLS] = {
			[R_HEAD] = list_text(head),	      [R_HEAD_ADDR] = list_number(l->head),
			[R_BACK_ADDR] = list_number(l->back), [R_ROUNDS] = list_number(i + 1),
			[R_WHOLE] = list_number(l->whole[i]), [R_CUT] = list_number(l->cut[i]),
		};

		if (l->whole[i] || l->cut[i])
			ret = walk_plain_row(k, t, cells);
	}
	return ret;
}

static int walk_rounds(struct walk *k)
{
	const struct faces *f = k->pub.f;
	const struct faces_table t = {
		.kind = FACES_LIST, .name = "rounds", .cols = round_cols, .nr_cols = NR_ROUND_COLS
	};
	int ret;

	if (!(k->w->reader & FACES_PROGRAMS))
		return 0;
	ret = VISIT(k, table, &t);
	for (size_t i = 0; !ret && i < brstat_nr_loops(f->stat) && !walk_broken(k); i++)
		if (!is_small(f, i))
			ret = walk_loop_rounds(k, &t, brstat_loop(f->stat, i));
	ret = ret ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}

/* ---- calls and returns -------------------------------------------------------------------------- */

enum call_col { C_CALLS, C_RETURNS, C_MATCHED, C_ASTRAY, C_SHARE, C_FUNCTION, C_DSO, NR_CALL_COLS };

static const struct faces_column call_cols[NR_CALL_COLS] = {
	[C_CALLS] = PLAIN_COLUMN("calls", "Calls", 10, true, ALL),
	[C_RETURNS] = PLAIN_COLUMN("returns", "Returns", 10, true, ALL),
	[C_MATCHED] = PLAIN_COLUMN("matched", "Matched", 10, true, ALL),
	[C_ASTRAY] = PLAIN_COLUMN("astray", "Astray", 10, true, ALL),
	[C_SHARE] = LIST_SHARE_COLUMN("astray_percent", "Astray%", 7),
	[C_FUNCTION] = SUBJECT_COLUMN("function", "Function", 34, true),
	[C_DSO] = PLAIN_COLUMN("dso", "Object", 10, false, ALL),
};

static int walk_one_call(struct walk *k, const struct faces_table *t, size_t i)
{
	const struct brstat_calls *c = brstat_calls(k->pub.f->stat, i);
	char name[512];
	struct faces_cell cells[NR_CALL_COLS] = {
		[C_CALLS] = list_number(c->calls),
		[C_RETURNS] = list_number(c->returns),
		[C_MATCHED] = list_number(c->matched),
		[C_ASTRAY] = list_number(c->astray),
		[C_SHARE] = list_share(c->astray, c->matched + c->astray),
		[C_FUNCTION] =
			list_text(c->at->sym ? c->at->sym->name
					     : list_place(NULL, c->at->addr, name, sizeof(name))),
		[C_DSO] = list_text(list_dso(c->at->dso)),
	};

	return walk_plain_row(k, t, cells);
}

static bool is_small_call(const struct faces *f, size_t i)
{
	const struct brstat_calls *c = brstat_calls(f->stat, i);

	return f->o.min_percent > 0 &&
	       faces_percent(max_u64(c->calls, c->returns), brstat_sum(f->stat)->branches) <
		       f->o.min_percent;
}

static void call_place(const struct brstat *b, size_t i, struct faces_place *at)
{
	const struct loc *l = brstat_calls(b, i)->at;

	*at = (struct faces_place){ l->dso, l->sym, l->sym ? l->sym->start : l->addr };
}

static size_t nr_calls(const struct faces *f)
{
	return brstat_nr_calls(f->stat);
}

const struct walk_list walk_call_list = {
	.what = BRSTAT_PATHS,
	.table = { .name = "calls",
		   .title = "Calls and returns, those that do not fit first",
		   .legend =
			   "Matched: returns whose call is in the same stack, back to behind it; Astray: to elsewhere (exceptions, longjmp,\n"
			   "coroutines), which the CPU mispredicts. Astray%: of these two together, - where there are none.\n",
		   .cols = call_cols,
		   .nr_cols = NR_CALL_COLS },
	.nr = nr_calls,
	.small = is_small_call,
	.row = walk_one_call,
	.place = call_place,
};

int walk_superblocks(struct walk *k)
{
	return walk_list(k, &walk_cover_list) ?: walk_supers(k) ?: walk_list(k, &walk_loop_list)
	?: walk_rounds(k) ?: walk_list(k, &walk_call_list);
}
