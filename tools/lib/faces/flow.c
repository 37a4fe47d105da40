// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --total-cycles and --hot-paths: tables of blocks, and of chains of branches. */
#include <stdio.h>
#include <stdlib.h>

#include "faces/faces-int.h"

#define WIDTH_RANGE    70
#define WIDTH_DSO      20
#define WIDTH_COUNTERS 30

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

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void put_head(struct obuf *o, const char *head, int width, bool first)
{
	if (!first)
		obuf_lit(o, "  ");
	obuf_str_right(o, head, width);
}

static void put_heads(const struct faces *f, const char *const *heads, const int *widths, size_t n)
{
	struct obuf *o = f->out;

	if (f->o.quiet)
		return;
	obuf_lit(o, "# ");
	for (size_t i = 0; i < n; i++)
		put_head(o, heads[i], widths[i], !i);
	obuf_lit(o, "\n# ");
	for (size_t i = 0; i < n; i++) {
		if (i)
			obuf_lit(o, "  ");
		obuf_pad(o, '.', widths[i]);
	}
	obuf_lit(o, "\n#\n");
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
		for (size_t i = 0; i < profile_nr_rows(f->p, event); i++) {
			const struct profile_row *row = profile_row(f->p, event, i);
			uint32_t sym = profile_branch_counts(f->p, row)->symbol_to;

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
static void put_end_of(const struct faces *f, const struct shown_block *v, uint64_t addr, char *buf,
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
static void put_range(const struct faces *f, const struct shown_block *v)
{
	char buf[512], from[250], to[250];

	if (v->sym) {
		put_end_of(f, v, v->start, from, sizeof(from));
		put_end_of(f, v, v->b->end, to, sizeof(to));
		snprintf(buf, sizeof(buf), "[%s -> %s]", from, to);
	} else {
		snprintf(buf, sizeof(buf), "[%7llx -> %7llx]", (unsigned long long)v->start,
			 (unsigned long long)v->b->end);
	}
	obuf_pad(f->out, ' ', WIDTH_RANGE - (int)strlen(buf));
	emit_safe(f->out, buf);
}

static uint32_t nr_counting(const struct faces *f)
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

/* "|AA  |-   |": cells have room for a full counter with a +. */
static void put_counters(const struct faces *f, const struct brflow_block *b)
{
	uint32_t bits = perfdata_env(f->pd)->branch_counter_width;
	char text[BRFLOW_MAX_COUNTERS * 20], *p = text;

	for (uint32_t i = 0; i < min_u64(nr_counting(f), BRFLOW_MAX_COUNTERS); i++)
		p = put_counter(p, b, i, BIT(min_u64(bits ? bits : 2, 4)));
	*p++ = '|';
	*p = '\0';
	obuf_str_right(f->out, text, WIDTH_COUNTERS);
	obuf_lit(f->out, "  ");
}

static void put_block(const struct faces *f, const struct shown_block *v, uint64_t all_means)
{
	const struct brflow_block *b = v->b;
	struct obuf *o = f->out;
	uint64_t mean = b->cycles / b->nr;
	char buf[32];

	obuf_printf(o, "  %14.2f%%", percent(b->cycles, brflow_cycles(f->flow)));
	obuf_printf(o, "  %14s", short_number(b->cycles, buf));
	obuf_printf(o, "  %10.2f%%", percent(mean, all_means));
	obuf_printf(o, "  %10s  ", short_number(mean, buf));
	if (nr_counting(f))
		put_counters(f, b);
	put_range(f, v);
	obuf_lit(o, "  ");
	obuf_pad(o, ' ', WIDTH_DSO - (int)strlen(b->dso->short_name));
	emit_safe(o, b->dso->short_name);
	obuf_char(o, '\n');
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

static int put_blocks(const struct faces *f)
{
	size_t n = 0, all = brflow_nr_blocks(f->flow);
	struct shown_block *v = calloc(all + 1, sizeof(*v));
	struct row_counts rows = { 0 };
	uint64_t means = 0;
	int ret = v ? count_targets(f, &rows) : -ENOMEM;

	for (size_t i = 0; !ret && i < all; i++) {
		const struct brflow_block *b = brflow_block(f->flow, i);
		const struct symbol *sym = symbol_find(f->res, b->dso, b->end);
		uint32_t times =
			sym && sym->idx < rows.by_symbol.n ? rows.by_symbol.v[sym->idx] : 0;
		uint64_t start = sym ? sym->start : b->end;

		/* Of a block of one instruction upstream does not know where it began. */
		if (b->start < b->end)
			start = b->start;
		means += times * (b->cycles / b->nr);
		v[n++] = (struct shown_block){ b, sym, start };
	}
	means = means ?: brflow_mean_cycles(f->flow);
	if (n)
		qsort(v, n, sizeof(*v), by_cycles);
	for (size_t i = 0; i < n; i++)
		if (percent(v[i].b->cycles, brflow_cycles(f->flow)) >= f->o.min_percent)
			put_block(f, &v[i], means);
	vec_free(&rows.by_symbol);
	free(v);
	return ret;
}

static void put_legend(const struct faces *f)
{
	char letter = 'A';

	obuf_lit(f->out, "# Branch counter abbr list:\n");
	for (size_t i = 0; i < perfdata_nr_events(f->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(f->pd, i);

		if (!(ev->attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS))
			continue;
		obuf_lit(f->out, "# ");
		emit_safe(f->out, ev->name);
		obuf_printf(f->out, " = %c\n", letter < 'Z' ? letter++ : letter);
	}
	obuf_lit(f->out,
		 "# '-' No event occurs\n"
		 "# '+' Event occurrences may be lost due to branch counter saturated\n#\n");
}

static int print_blocks(const struct faces *f)
{
	static const struct {
		const char *head;
		int width;
		bool counters;
	} cols[] = {
		{ "Sampled Cycles%", 15, false },
		{ "Sampled Cycles", 14, false },
		{ "Avg Cycles%", 11, false },
		{ "Avg Cycles", 10, false },
		{ "Branch Counter", WIDTH_COUNTERS, true },
		{ "[Program Block Range]", WIDTH_RANGE, false },
		{ "Shared Object", WIDTH_DSO, false },
	};
	const char *heads[ARRAY_SIZE(cols)];
	int widths[ARRAY_SIZE(cols)];
	bool counters = nr_counting(f);
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cols); i++) {
		if (cols[i].counters && !counters)
			continue;
		heads[n] = cols[i].head;
		widths[n++] = cols[i].width;
	}
	if (counters && !f->o.quiet)
		put_legend(f);
	put_heads(f, heads, widths, n);
	return put_blocks(f);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void put_end(const struct faces *f, uint32_t at)
{
	const struct loc *l = resolver_loc(f->res, at);
	struct obuf *o = f->out;

	if (!l->sym) {
		obuf_printf(o, "0x%llx", (unsigned long long)l->addr);
		return;
	}
	emit_safe(o, l->sym->name);
	if (l->addr != l->sym->start)
		obuf_printf(o, "+0x%llx", (unsigned long long)(l->addr - l->sym->start));
}

/* What a path does once is one line: its branches one after the other. */
static void put_path(const struct faces *f, const struct brflow_path *p)
{
	struct obuf *o = f->out;
	uint32_t from, to;

	obuf_printf(o, "  %7.2f%%  %12llu", percent(p->nr, brflow_path_total(f->flow)),
		    (unsigned long long)p->nr);
	if (p->nr_cycles)
		obuf_printf(o, "  %10.1f", (double)p->cycles / (double)p->nr_cycles);
	else
		obuf_lit(o, "           -");
	if (p->flagged)
		obuf_printf(o, "  %7.1f%%  ", percent(p->mispred, p->flagged));
	else
		obuf_lit(o, "         -  ");
	for (uint32_t i = 0; i < f->o.hot_paths; i++) {
		brflow_path_branch(f->flow, p, i, &from, &to);
		obuf_str(o, i ? ", " : "");
		put_end(f, from);
		obuf_lit(o, " -> ");
		put_end(f, to);
	}
	obuf_char(o, '\n');
}

static void print_paths(const struct faces *f)
{
	static const char *const heads[] = { "Overhead", "Count", "Avg Cycles", "Mispred%",
					     "Path: branches one after the other" };
	static const int widths[] = { 8, 12, 10, 8, 34 };

	put_heads(f, heads, widths, ARRAY_SIZE(heads));
	for (size_t i = 0; i < brflow_nr_paths(f->flow); i++) {
		const struct brflow_path *p = brflow_path(f->flow, i);

		if (percent(p->nr, brflow_path_total(f->flow)) < f->o.min_percent || f->out->code)
			break;
		put_path(f, p);
	}
}

static void json_paths(const struct faces *f)
{
	struct emit e;

	emit_init(&e, f->out, EMIT_JSON);
	emit_object(&e, NULL);
	emit_u64(&e, "paths_seen", brflow_path_total(f->flow));
	emit_array(&e, "paths");
	for (size_t i = 0; i < brflow_nr_paths(f->flow); i++) {
		const struct brflow_path *p = brflow_path(f->flow, i);

		if (percent(p->nr, brflow_path_total(f->flow)) < f->o.min_percent)
			break;
		emit_object(&e, NULL);
		emit_u64(&e, "count", p->nr);
		emit_u64(&e, "cycles", p->cycles);
		emit_u64(&e, "with_cycles", p->nr_cycles);
		if (p->flagged)
			emit_u64(&e, "mispredicted", p->mispred);
		else
			emit_str(&e, "mispredicted", NULL);
		emit_array(&e, "branches");
		for (uint32_t k = 0; k < f->o.hot_paths; k++) {
			uint32_t end[2];

			brflow_path_branch(f->flow, p, k, &end[0], &end[1]);
			emit_object(&e, NULL);
			for (int i2 = 0; i2 < 2; i2++) {
				const struct loc *l = resolver_loc(f->res, end[i2]);

				emit_str(&e, i2 ? "symbol_to" : "symbol_from",
					 l->sym ? l->sym->name : "[unknown]");
				emit_u64(&e, i2 ? "addr_to" : "addr_from", l->addr);
			}
			emit_end(&e);
		}
		emit_end(&e);
		emit_end(&e);
	}
	emit_end(&e);
	emit_end(&e);
	emit_finish(&e);
}

int faces_flow(const struct faces *f)
{
	int ret = 0;

	if (f->o.json && f->o.hot_paths) {
		json_paths(f);
		return 0;
	}
	if (f->o.total_cycles && !brflow_cycles(f->flow))
		log_warn(
			"no branch of this recording has cycles: the CPU did not count them, or -j "
			"had no_cycles");
	if (f->o.total_cycles && (ret = print_blocks(f)))
		return ret;
	if (f->o.total_cycles && f->o.hot_paths)
		obuf_lit(f->out, "\n\n");
	if (f->o.hot_paths)
		print_paths(f);
	return 0;
}
