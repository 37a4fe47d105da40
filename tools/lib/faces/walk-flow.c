// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of branches that follow each other: blocks of code with their cycles (--total-cycles) and
 * the most frequent paths (--hot-paths). People get rounded numbers, in columns as upstream has
 * them; programs get the sums that these were made of.
 */
#include <stdio.h>
#include <stdlib.h>

#include "faces/faces-int.h"

#define ALL   (FACES_PEOPLE | FACES_PROGRAMS)
#define HUMAN FACES_PEOPLE
#define OTHER FACES_PROGRAMS

/* "1.2K": what does not fit into three digits. */
static const char *short_number(uint64_t n, char buf[32])
{
	if (n >= 1000000)
		snprintf(buf, 32, "%.1fM", (double)n / 1000000);
	else if (n >= 1000)
		snprintf(buf, 32, "%.1fK", (double)n / 1000);
	else
		snprintf(buf, 32, "%llu", (unsigned long long)n);
	return buf;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct row_counts {
	VEC(uint32_t) by_symbol;
};

/*
 * Upstream makes blocks of functions that branches went to, and counts the mean of each once for
 * every row of the default table that has its function as target. So the sum of means is that
 * here, too; but blocks that upstream leaves out, of code that is no function or that no branch
 * went to, have rows.
 */
static int count_targets(const struct faces *f, struct row_counts *rows)
{
	for (uint32_t event = 0; event < perfdata_nr_events(f->pd); event++) {
		for (size_t i = 0; i < view_nr_rows(f->v, event); i++) {
			const struct keys_row *row = view_row(f->v, event, i);
			uint32_t sym = view_branch_counts(f->t, row)->symbol_to;

			if (sym == UINT32_MAX)
				continue;
			if (vec_reach(&rows->by_symbol, sym, 0))
				return -ENOMEM;
			rows->by_symbol.v[sym]++;
		}
	}
	return 0;
}

/* A block and its function, NULL = none. */
struct shown_block {
	const struct brflow_block *b;
	const struct symbol *sym;
	uint64_t start;
};

/* "file:line", else "function+offset". */
static void end_of(const struct faces *f, const struct shown_block *v, uint64_t addr, char *buf,
		   size_t size)
{
	struct srcline line;

	if (symbol_srcline(f->res, v->b->dso, addr, &line))
		snprintf(buf, size, "%s:%u", line.base, line.line);
	else
		snprintf(buf, size, "%s+%llu", v->sym->name,
			 (unsigned long long)(addr - v->sym->start));
}

/* From line to line; of code without functions the addresses in the object. */
static void put_range(const struct faces *f, const struct shown_block *v, char *buf, size_t size)
{
	char from[250], to[250];

	if (v->sym) {
		end_of(f, v, v->start, from, sizeof(from));
		end_of(f, v, v->b->end, to, sizeof(to));
		snprintf(buf, size, "[%s -> %s]", from, to);
	} else {
		snprintf(buf, size, "[%7llx -> %7llx]", (unsigned long long)v->start,
			 (unsigned long long)v->b->end);
	}
}

uint32_t faces_nr_counting(const struct faces *f)
{
	uint32_t n = 0;

	for (size_t i = 0; i < perfdata_nr_events(f->pd); i++)
		n += (perfdata_event(f->pd, i)->attr.branch_sample_type &
		      PERF_SAMPLE_BRANCH_COUNTERS) != 0;
	return n;
}

/* The letter of event @i as often as it happened in a block on average; + when more may have. */
static char *put_counter(char *p, const struct brflow_block *b, uint32_t i, uint64_t width)
{
	uint64_t mean = min_u64((b->counted[i] + b->nr / 2) / b->nr, width - 1);
	const char *end = p + 1 + width;

	*p++ = '|';
	for (uint64_t k = 0; k < mean; k++)
		*p++ = (char)('A' + i);
	if (b->saturated >> i & 1)
		*p++ = '+';
	else if (!mean)
		*p++ = '-';
	while (p < end)
		*p++ = ' ';
	return p;
}

#define COUNTERS_TEXT (BRFLOW_MAX_COUNTERS * 20)

/* "|AA  |-   |": cells have room for a full counter with a +. */
static void put_counters(const struct faces *f, const struct brflow_block *b, char *p)
{
	uint32_t bits = perfdata_env(f->pd)->branch_counter_width;

	for (uint32_t i = 0; i < min_u64(faces_nr_counting(f), BRFLOW_MAX_COUNTERS); i++)
		p = put_counter(p, b, i, BIT(min_u64(bits ? bits : 2, 4)));
	*p++ = '|';
	*p = '\0';
}

/* Most cycles first; equal ones as upstream has them: names falling, then addresses. */
static int by_cycles(const void *x, const void *y)
{
	const struct shown_block *a = x, *b = y;
	int ret;

	if (a->b->cycles != b->b->cycles)
		return a->b->cycles < b->b->cycles ? 1 : -1;
	ret = strcmp(b->sym ? b->sym->name : "", a->sym ? a->sym->name : "");
	if (ret)
		return ret;
	if (a->b->dso != b->b->dso)
		return a->b->dso->idx < b->b->dso->idx ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->b->end < b->b->end ? -1 : a->b->end > b->b->end;
}

enum block_col {
	CYCLES_SHARE,
	CYCLES_SHORT,
	MEAN_SHARE,
	MEAN_SHORT,
	COUNTERS,
	RANGE,
	DSO,
	SYMBOL,
	START,
	END,
	CYCLES,
	COUNT,
	NR_BLOCK_COLS
};

static const struct faces_column block_cols[NR_BLOCK_COLS] = {
	[CYCLES_SHARE] = PLAIN_COLUMN("cycles_percent", "Sampled Cycles%", 15, true, HUMAN),
	[CYCLES_SHORT] = PLAIN_COLUMN("cycles_text", "Sampled Cycles", 14, true, HUMAN),
	[MEAN_SHARE] = PLAIN_COLUMN("mean_percent", "Avg Cycles%", 11, true, HUMAN),
	[MEAN_SHORT] = PLAIN_COLUMN("mean_text", "Avg Cycles", 10, true, HUMAN),
	[COUNTERS] = PLAIN_COLUMN("counters", "Branch Counter", 30, true, HUMAN),
	[RANGE] = PLAIN_COLUMN("range", "[Program Block Range]", 70, true, ALL),
	[DSO] = PLAIN_COLUMN("dso", "Shared Object", 20, true, ALL),
	[SYMBOL] = PLAIN_COLUMN("symbol", NULL, 0, false, OTHER),
	[START] = PLAIN_COLUMN("start", NULL, 0, true, OTHER),
	[END] = PLAIN_COLUMN("end", NULL, 0, true, OTHER),
	[CYCLES] = PLAIN_COLUMN("cycles", NULL, 0, true, OTHER),
	[COUNT] = PLAIN_COLUMN("count", NULL, 0, true, OTHER),
};

static struct faces_cell text_cell(const char *s)
{
	return (struct faces_cell){ .kind = FACES_STR, .s = s };
}

static struct faces_cell number_cell(uint64_t n)
{
	return (struct faces_cell){ .kind = FACES_U64, .n = n };
}

static int walk_block(struct walk *k, const struct faces_table *t, const struct shown_block *v,
		      uint64_t all_means)
{
	const struct faces *f = k->pub.f;
	const struct brflow_block *b = v->b;
	uint64_t mean = b->cycles / b->nr;
	char share[32] = "", sum[32], mean_share[32] = "", mean_sum[32], range[512] = "";
	char counters[COUNTERS_TEXT] = "";
	struct faces_cell cells[NR_BLOCK_COLS] = {
		[CYCLES_SHARE] = text_cell(share),
		[CYCLES_SHORT] = text_cell(short_number(b->cycles, sum)),
		[MEAN_SHARE] = text_cell(mean_share),
		[MEAN_SHORT] = text_cell(short_number(mean, mean_sum)),
		[COUNTERS] = text_cell(counters),
		[RANGE] = text_cell(range),
		[DSO] = text_cell(b->dso->short_name),
		[SYMBOL] = text_cell(v->sym ? v->sym->name : ""),
		[START] = number_cell(v->start),
		[END] = number_cell(b->end),
		[CYCLES] = number_cell(b->cycles),
		[COUNT] = number_cell(b->nr),
	};

	if (!v->sym)
		cells[SYMBOL].kind = FACES_NONE;
	snprintf(share, sizeof(share), "%.2f%%", faces_percent(b->cycles, t->total));
	snprintf(mean_share, sizeof(mean_share), "%.2f%%", faces_percent(mean, all_means));
	put_range(f, v, range, sizeof(range));
	if (walk_shows(k, &t->cols[COUNTERS]))
		put_counters(f, b, counters);
	return walk_plain_row(k, t, cells);
}

/* All @n blocks in the order in which they are shown; *means: the sum that means are shares of. */
static int sort_blocks(const struct faces *f, struct shown_block *v, size_t n, uint64_t *means)
{
	struct row_counts rows = { 0 };
	int ret = count_targets(f, &rows);

	*means = 0;
	for (size_t i = 0; !ret && i < n; i++) {
		const struct brflow_block *b = brflow_block(f->flow, i);
		const struct symbol *sym = symbol_find(f->res, b->dso, b->end);
		uint32_t times =
			sym && sym->idx < rows.by_symbol.n ? rows.by_symbol.v[sym->idx] : 0;
		uint64_t start = sym ? sym->start : b->end;

		/* Of a block of one instruction upstream does not know where it began. */
		if (b->start < b->end)
			start = b->start;
		*means += times * (b->cycles / b->nr);
		v[i] = (struct shown_block){ b, sym, start };
	}
	*means = *means ?: brflow_mean_cycles(f->flow);
	if (!ret && n)
		qsort(v, n, sizeof(*v), by_cycles);
	vec_free(&rows.by_symbol);
	return ret;
}

int walk_blocks(struct walk *k)
{
	const struct faces *f = k->pub.f;
	size_t n = brflow_nr_blocks(f->flow);
	struct shown_block *v = calloc(n + 1, sizeof(*v));
	struct faces_column cols[NR_BLOCK_COLS];
	struct faces_table t = { .kind = FACES_BLOCKS,
				 .cols = cols,
				 .nr_cols = NR_BLOCK_COLS,
				 .total = brflow_cycles(f->flow) };
	uint64_t means = 0;
	int ret = v ? sort_blocks(f, v, n, &means) : -ENOMEM;

	memcpy(cols, block_cols, sizeof(cols));
	if (!faces_nr_counting(f))
		cols[COUNTERS].readers = 0;
	ret = ret ?: VISIT(k, table, &t);
	for (size_t i = 0; !ret && i < n && !walk_broken(k); i++)
		if (faces_percent(v[i].b->cycles, t.total) >= f->o.min_percent)
			ret = walk_block(k, &t, &v[i], means);
	free(v);
	ret = ret ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void put_end(const struct faces *f, uint32_t at, struct obuf *o)
{
	const struct loc *l = resolver_loc(f->res, at);

	if (!l->sym) {
		obuf_printf(o, "0x%llx", (unsigned long long)l->addr);
		return;
	}
	emit_safe(o, l->sym->name);
	if (l->addr != l->sym->start)
		obuf_printf(o, "+0x%llx", (unsigned long long)(l->addr - l->sym->start));
}

void faces_path_text(const struct faces *f, const struct brflow_path *p, struct obuf *o)
{
	uint32_t from, to;

	for (uint32_t i = 0; i < f->o.hot_paths; i++) {
		brflow_path_branch(f->flow, p, i, &from, &to);
		obuf_str(o, i ? ", " : "");
		put_end(f, from, o);
		obuf_lit(o, " -> ");
		put_end(f, to, o);
	}
}

enum path_col {
	P_SHARE,
	P_COUNT,
	P_MEAN,
	P_MISPRED,
	P_CYCLES,
	P_WITH,
	P_MISSED,
	P_PATH,
	NR_PATH_COLS
};

static const struct faces_column path_cols[NR_PATH_COLS] = {
	[P_SHARE] = PLAIN_COLUMN("percent", "Overhead", 8, true, HUMAN),
	[P_COUNT] = PLAIN_COLUMN("count", "Count", 12, true, ALL),
	[P_MEAN] = PLAIN_COLUMN("mean_cycles", "Avg Cycles", 10, true, HUMAN),
	[P_MISPRED] = PLAIN_COLUMN("mispredicted_percent", "Mispred%", 8, true, HUMAN),
	[P_CYCLES] = PLAIN_COLUMN("cycles", NULL, 0, true, OTHER),
	[P_WITH] = PLAIN_COLUMN("with_cycles", NULL, 0, true, OTHER),
	[P_MISSED] = PLAIN_COLUMN("mispredicted", NULL, 0, true, OTHER),
	[P_PATH] = PLAIN_COLUMN("branches", "Path: branches one after the other", 34, false, ALL),
};

static int walk_path(struct walk *k, const struct faces_table *t, const struct brflow_path *p)
{
	char share[32] = "", mean[32] = "-", mispred[32] = "-";
	struct faces_cell cells[NR_PATH_COLS] = {
		[P_SHARE] = text_cell(share),	      [P_COUNT] = number_cell(p->nr),
		[P_MEAN] = text_cell(mean),	      [P_MISPRED] = text_cell(mispred),
		[P_CYCLES] = number_cell(p->cycles),  [P_WITH] = number_cell(p->nr_cycles),
		[P_MISSED] = number_cell(p->mispred), [P_PATH] = { .kind = FACES_PATH, .path = p },
	};

	snprintf(share, sizeof(share), "%.2f%%", faces_percent(p->nr, t->total));
	if (p->nr_cycles)
		snprintf(mean, sizeof(mean), "%.1f", (double)p->cycles / (double)p->nr_cycles);
	if (p->flagged)
		snprintf(mispred, sizeof(mispred), "%.1f%%", faces_percent(p->mispred, p->flagged));
	else
		cells[P_MISSED].kind = FACES_NONE;
	return walk_plain_row(k, t, cells);
}

int walk_paths(struct walk *k)
{
	const struct faces *f = k->pub.f;
	const struct faces_table t = { .kind = FACES_PATHS,
				       .cols = path_cols,
				       .nr_cols = NR_PATH_COLS,
				       .total = brflow_path_total(f->flow) };
	int ret = VISIT(k, table, &t);

	for (size_t i = 0; !ret && i < brflow_nr_paths(f->flow) && !walk_broken(k); i++) {
		const struct brflow_path *p = brflow_path(f->flow, i);

		if (faces_percent(p->nr, t.total) < f->o.min_percent)
			break;
		ret = walk_path(k, &t, p);
	}
	ret = ret ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}

const char *faces_warning(const struct faces *f)
{
	if (!f->flow || f->o.tasks || !f->o.total_cycles || brflow_cycles(f->flow))
		return NULL;
	return "no branch of this recording has cycles: the CPU did not count them, or -j had "
	       "no_cycles";
}
