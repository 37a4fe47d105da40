// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf diff -c cycles: what blocks of code cost in each recording: the mean of the cycles that the processor counted
 * from one branch to the next. Addresses of two builds say nothing of each other, so that a block is one where
 * object, function and lines, counted from the function's first one, are; where lines are not known, the distances of
 * its ends from the function's start.
 *
 * The text is upstream's (text-formats.adoc, "perf diff").
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "faces-int.h"

#define RANGE_WIDTH 70 /* upstream's column */

struct block_sum {
	uint64_t cycles, nr;
};

struct block_line {
	const char *same, *range, *dso, *symbol;
	struct block_sum *sides;
};

struct faces_blocks {
	const struct faces_diff *f;
	struct arena mem;
	struct htab tab;
	VEC(struct block_line) lines;
	uint64_t *total; /* by side: cycles of all blocks */
};

/* ---- lines -------------------------------------------------------------------------------------- */

/*
 * What an end of a block is called, and what it is known by: a function's lines are counted from its first one, so
 * that it may stand elsewhere in the file.
 */
static void put_end(struct resolver *res, struct dso *dso, const struct symbol *sym, uint64_t addr,
		    struct obuf *name, struct obuf *same)
{
	struct srcline line, first;

	if (!symbol_srcline(res, dso, addr, &line)) {
		obuf_printf(name, "%s+%llu", sym->name, (unsigned long long)(addr - sym->start));
		obuf_printf(same, " +%llu", (unsigned long long)(addr - sym->start));
		return;
	}
	obuf_printf(name, "%s:%u", line.base, line.line);
	if (symbol_srcline(res, dso, sym->start, &first) && !strcmp(first.base, line.base))
		line.line -= first.line;
	obuf_printf(same, " %s:%u", line.base, line.line);
}

static struct block_line *find(struct faces_blocks *b, const char *same)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&b->tab, hash_bytes(same, strlen(same)));
	     htab_next(&b->tab, &it, &i);)
		if (!strcmp(b->lines.v[i].same, same))
			return &b->lines.v[i];
	return NULL;
}

static int add(struct faces_blocks *b, size_t side, const struct brflow_block *block,
	       const struct symbol *sym, const char *range, const char *same)
{
	struct block_line *l = find(b, same);
	struct block_line new = { .same = NULL };

	if (!l) {
		new.same = arena_strdup(&b->mem, same);
		new.range = arena_strdup(&b->mem, range);
		new.dso = arena_strdup(&b->mem, block->dso->short_name);
		new.symbol = arena_strdup(&b->mem, sym->name);
		new.sides = arena_alloc(&b->mem, b->f->nr_sides * sizeof(*new.sides));
		if (!new.same || !new.range || !new.dso || !new.symbol || !new.sides ||
		    htab_add(&b->tab, hash_bytes(same, strlen(same)), (uint32_t)b->lines.n) ||
		    vec_push(&b->lines, new))
			return -ENOMEM;
		memset(new.sides, 0, b->f->nr_sides * sizeof(*new.sides));
		l = &b->lines.v[b->lines.n - 1];
	}
	l->sides[side].cycles += block->cycles;
	l->sides[side].nr += block->nr;
	b->total[side] += block->cycles;
	return 0;
}

/* Code that was made at run time lies in objects called by their process: no other recording has these names. */
static const char *object_key(const struct dso *dso)
{
	return dso->kind == DSO_JIT || dso->kind == DSO_ANON ? "" : dso->short_name;
}

int faces_blocks_add(struct faces_blocks *b, size_t side, const struct brflow *flow,
		     struct resolver *res, struct err *e)
{
	struct obuf range, same;
	int ret = obuf_init(&range, -1, 0) ?: obuf_init(&same, -1, 0);

	for (size_t i = 0; !ret && i < brflow_nr_blocks(flow); i++) {
		const struct brflow_block *block = brflow_block(flow, i);
		const struct symbol *sym = symbol_find(res, block->dso, block->end);

		if (!sym || !block->nr || block->start == BRFLOW_NO_START)
			continue;
		range.len = same.len = 0;
		obuf_str(&same, sym->name);
		obuf_char(&range, '[');
		put_end(res, block->dso, sym, block->start, &range, &same);
		obuf_lit(&range, " -> ");
		put_end(res, block->dso, sym, block->end, &range, &same);
		obuf_lit(&range, "]");
		obuf_char(&same, '\n');
		obuf_str(&same, object_key(block->dso));
		obuf_char(&range, 0);
		obuf_char(&same, 0);
		ret = range.code ?: same.code ?: add(b, side, block, sym, range.buf, same.buf);
	}
	obuf_free(&range);
	obuf_free(&same);
	return ret ? err_set(e, ret, "no memory to compare blocks") : 0;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static double mean(const struct block_line *l, size_t side)
{
	return l->sides[side].nr ? (double)l->sides[side].cycles / (double)l->sides[side].nr : 0;
}

static bool is_in(const struct block_line *l, size_t side)
{
	return l->sides[side].nr;
}

/* As upstream has it: of whole cycles. */
static long long difference(const struct block_line *l, size_t side)
{
	return (long long)mean(l, side) - (long long)mean(l, 0);
}

static double share(const struct faces_blocks *b, const struct block_line *l, size_t side)
{
	return faces_percent(l->sides[side].cycles, b->total[side]);
}

/* What became more or less by the most cycles; what only one has is last. */
static int by_difference(const void *x, const void *y, void *ctx)
{
	const struct faces_blocks *b = ctx;
	const struct block_line *a = x, *c = y;
	size_t side = b->f->o.order ?: 1;
	bool both_a = is_in(a, 0) && is_in(a, side), both_c = is_in(c, 0) && is_in(c, side);
	double u = fabs(mean(a, side) - mean(a, 0)), v = fabs(mean(c, side) - mean(c, 0));

	if (both_a != both_c)
		return both_a ? -1 : 1;
	if (both_a && u != v)
		return u > v ? -1 : 1;
	if (a->sides[0].cycles != c->sides[0].cycles)
		return a->sides[0].cycles > c->sides[0].cycles ? -1 : 1;
	return strcmp(a->same, c->same);
}

int faces_blocks_new(struct faces_blocks **out, const struct faces_diff *f, struct err *e)
{
	struct faces_blocks *b = *out = calloc(1, sizeof(*b));

	if (b)
		b->total = calloc(f->nr_sides, sizeof(*b->total));
	if (!b || !b->total)
		return err_set(e, -ENOMEM, "no memory to compare blocks");
	b->f = f;
	return 0;
}

void faces_blocks_sort(struct faces_blocks *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->lines.n; i++) {
		bool other = false;

		for (size_t s = 1; s < b->f->nr_sides; s++)
			other |= is_in(&b->lines.v[i], s);
		if (!b->f->o.baseline_only || (other && is_in(&b->lines.v[i], 0)))
			b->lines.v[n++] = b->lines.v[i];
	}
	b->lines.n = n;
	if (n)
		qsort_r(b->lines.v, n, sizeof(*b->lines.v), by_difference, b);
}

size_t faces_blocks_nr(const struct faces_blocks *b)
{
	return b->lines.n;
}

void faces_blocks_free(struct faces_blocks *b)
{
	if (!b)
		return;
	arena_free(&b->mem);
	htab_free(&b->tab);
	vec_free(&b->lines);
	free(b->total);
	free(b);
}

/* ---- text --------------------------------------------------------------------------------------- */

static int widest(const struct faces_blocks *b, bool symbol)
{
	uint64_t w = symbol ? 6 : 13;

	vec_for_each (l, &b->lines)
		w = max_u64(w, strlen(symbol ? l->symbol : l->dso) + (symbol ? 4 : 0));
	return (int)w;
}

static void put_heads(const struct faces_blocks *b, const char *event, int dso, struct obuf *o)
{
	size_t n = b->f->nr_sides;
	char head[64];

	obuf_lit(o, "# Event '");
	emit_safe(o, event);
	obuf_lit(o, "'\n#\n");
	faces_heads_begin(b->f, o);
	obuf_lit(o, "# Baseline");
	for (size_t i = 1; i < n; i++) {
		snprintf(head, sizeof(head), "[Program Block Range] Cycles Diff%s%.0zu",
			 n > 2 ? "/" : "", n > 2 ? i : 0);
		obuf_printf(o, "  %*s", RANGE_WIDTH, head);
	}
	obuf_printf(o, "  %-*s  Symbol\n# ........", dso, "Shared Object");
	for (size_t i = 1; i < n; i++) {
		obuf_lit(o, "  ");
		obuf_pad(o, '.', RANGE_WIDTH);
	}
	obuf_lit(o, "  ");
	obuf_pad(o, '.', dso);
	obuf_lit(o, "  ");
	obuf_pad(o, '.', widest(b, true));
	obuf_lit(o, "\n#\n");
}

/* Names of functions are as long as they are: the range has no copy that could be too short. */
static void put_range(const struct block_line *l, size_t side, struct obuf *o)
{
	const char *range = is_in(l, side) ? l->range : "";
	char number[32] = "";

	if (is_in(l, side) && is_in(l, 0))
		snprintf(number, sizeof(number), " %4lld", difference(l, side));
	else if (is_in(l, side))
		snprintf(number, sizeof(number), "    -");
	obuf_pad(o, ' ', RANGE_WIDTH - (int)(strlen(range) + strlen(number)));
	emit_safe(o, range);
	obuf_str(o, number);
}

void faces_blocks_text(const struct faces_blocks *b, const char *event, struct obuf *o)
{
	int dso = widest(b, false);

	if (!b->f->quiet)
		put_heads(b, event, dso, o);
	vec_for_each (l, &b->lines) {
		faces_line_begins(b->f, 0, false, o);
		if (is_in(l, 0))
			obuf_printf(o, "  %7.2f%%", share(b, l, 0));
		else
			obuf_pad(o, ' ', 10);
		for (size_t i = 1; i < b->f->nr_sides; i++) {
			obuf_lit(o, "  ");
			put_range(l, i, o);
		}
		obuf_lit(o, "  ");
		emit_safe(o, l->dso);
		obuf_pad(o, ' ', dso - (int)strlen(l->dso));
		obuf_lit(o, "  [.] ");
		emit_safe(o, l->symbol);
		obuf_char(o, '\n');
	}
}

/* ---- for programs ------------------------------------------------------------------------------- */

void faces_blocks_json(const struct faces_blocks *b, const char *event, struct emit *e)
{
	emit_object(e, NULL);
	emit_str(e, "event", event);
	emit_array(e, "files");
	for (size_t i = 0; i < b->f->nr_sides; i++) {
		emit_object(e, NULL);
		emit_str(e, "name", b->f->names[i]);
		emit_u64(e, "cycles", b->total[i]);
		emit_end(e);
	}
	emit_end(e);
	emit_array(e, "blocks");
	vec_for_each (l, &b->lines) {
		emit_object(e, NULL);
		emit_str(e, "range", l->range);
		emit_str(e, "dso", l->dso);
		emit_str(e, "symbol", l->symbol);
		emit_array(e, "files");
		for (size_t i = 0; i < b->f->nr_sides; i++) {
			emit_object(e, NULL);
			emit_u64(e, "cycles", l->sides[i].cycles);
			emit_u64(e, "count", l->sides[i].nr);
			emit_f64(e, "share", share(b, l, i), 6);
			if (is_in(l, i))
				emit_f64(e, "mean", mean(l, i), 6);
			if (i && is_in(l, i) && is_in(l, 0))
				emit_f64(e, "delta", mean(l, i) - mean(l, 0), 6);
			emit_end(e);
		}
		emit_end(e);
		emit_end(e);
	}
	emit_end(e);
	emit_end(e);
}

void faces_blocks_csv(const struct faces_blocks *b, const char *event, bool heads, struct obuf *o)
{
	if (heads) {
		obuf_lit(o, "event,range,dso,symbol");
		for (size_t i = 0; i < b->f->nr_sides; i++)
			obuf_printf(o, ",cycles%zu,count%zu,mean%zu", i, i, i);
		obuf_char(o, '\n');
	}
	vec_for_each (l, &b->lines) {
		const char *texts[] = { event, l->range, l->dso, l->symbol };

		for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
			obuf_str(o, i ? "," : "");
			faces_csv_value(o, texts[i]);
		}
		for (size_t i = 0; i < b->f->nr_sides; i++) {
			obuf_printf(o, ",%lu,%lu,", l->sides[i].cycles, l->sides[i].nr);
			if (is_in(l, i))
				obuf_printf(o, "%.6f", mean(l, i));
		}
		obuf_char(o, '\n');
	}
}
