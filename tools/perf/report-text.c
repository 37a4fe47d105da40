// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --stdio: tables, headings, branch statistics. */
#include "branch/branch.h"
#include "report.h"
#include "report-graph.h"

/* ---- one table ------------------------------------------------------------------------------- */

void report_put_separator(struct report *r, bool first)
{
	if (r->po.separator && !first)
		obuf_char(&r->out, r->po.separator);
	else if (!r->po.separator && !first)
		obuf_lit(&r->out, "  ");
}

const char *report_color(const struct report *r, double percent)
{
	if (!r->color || r->po.separator)
		return NULL;
	return percent >= 5.0 ? "\033[31m" : percent > 0.5 ? "\033[32m" : NULL;
}

void report_put_cell(struct report *r, const struct profile_row *row, const struct profile_col *c)
{
	const char *color = NULL;
	double percent = 0;

	if (r->color && profile_col_percent(r->p, row, c, &percent))
		color = report_color(r, percent);
	if (color)
		obuf_str(&r->out, color);
	profile_cell(r->p, row, c, &r->out);
	if (color)
		obuf_lit(&r->out, "\033[m");
}

static void print_heads(struct report *r, uint32_t event)
{
	struct obuf *o = &r->out;

	obuf_lit(o, "# ");
	for (size_t i = 0; i < profile_nr_cols(r->p); i++) {
		const struct profile_col *c = profile_col(r->p, i);
		int w = profile_col_width(r->p, event, c);

		report_put_separator(r, !i);
		if (profile_col_is_number(c))
			obuf_str_right(o, profile_col_head(r->p, c), w);
		else
			obuf_printf(o, "%-*.*s", w, w, profile_col_head(r->p, c)); /* -w */
	}
	obuf_char(o, '\n');
	if (r->po.separator)
		return;
	obuf_lit(o, "# ");
	for (size_t i = 0; i < profile_nr_cols(r->p); i++) {
		report_put_separator(r, !i);
		obuf_pad(o, '.', profile_col_width(r->p, event, profile_col(r->p, i)));
	}
	obuf_lit(o, "\n#\n");
}

static int print_row(struct report *r, const struct profile_row *row)
{
	struct obuf *o = &r->out;

	if (!r->po.separator)
		obuf_lit(o, "  ");
	for (size_t i = 0; i < profile_nr_cols(r->p); i++) {
		report_put_separator(r, !i);
		report_put_cell(r, row, profile_col(r->p, i));
	}
	obuf_char(o, '\n');
	return r->po.use_chains && r->po.chain.style != CHAIN_NONE ? report_graph(r, row) : 0;
}

static int print_table(struct report *r, uint32_t event)
{
	size_t n = profile_nr_rows(r->p, event);

	if (!r->o.quiet)
		print_heads(r, event);
	for (size_t i = 0; i < n; i++) {
		const struct profile_row *row = profile_row(r->p, event, i);
		int ret;

		if (report_is_small(r, row))
			continue;
		ret = print_row(r, row);
		if (ret)
			return ret;
		if (r->out.code)
			return 0; /* nobody reads on */
	}
	return 0;
}

/* ---- headings -------------------------------------------------------------------------------- */

/* "6K": thousands are counted off above 1000, one letter each time. */
static void print_short(struct obuf *o, uint64_t n)
{
	char unit = ' ';

	for (const char *u = "KMG"; *u && n > 1000; u++) {
		n /= 1000;
		unit = *u;
	}
	obuf_dec(o, n);
	obuf_char(o, unit);
}

/* 'cycles', or 'anon group { cycles, instructions }' */
static void print_event_name(struct report *r, const struct perfdata_event *ev, uint32_t members)
{
	struct obuf *o = &r->out;

	obuf_str(o, members > 1 ? " of events '" : " of event '");
	if (members > 1) {
		emit_safe(o, ev->group && *ev->group ? ev->group : "anon group");
		obuf_lit(o, " { ");
	}
	for (uint32_t m = 0; m < members; m++) {
		if (m)
			obuf_lit(o, ", ");
		emit_safe(o, perfdata_event(r->pd, ev->idx + m)->name);
	}
	obuf_str(o, members > 1 ? " }'" : "'");
}

static void print_event_head(struct report *r, const struct perfdata_event *ev)
{
	uint32_t members = profile_members(r->p, ev->idx);
	uint64_t samples = 0, period = 0;
	struct obuf *o = &r->out;

	for (uint32_t m = 0; m < members; m++) {
		const struct profile_totals *t = profile_totals(r->p, ev->idx + m);

		samples += r->po.relative ? t->nr_filtered_samples : t->nr_samples;
		period += r->po.relative ? t->filtered_period : t->period;
	}
	obuf_lit(o, "# Samples: ");
	print_short(o, samples);
	print_event_name(r, ev, members);
	if (r->o.time) {
		obuf_lit(o, " (time slices: ");
		emit_safe(o, r->o.time);
		obuf_char(o, ')');
	}
	obuf_str(o, r->po.mem ? "\n# Total weight : " : "\n# Event count (approx.): ");
	obuf_dec(o, period);
	if (r->po.mem) {
		obuf_lit(o, "\n# Sort order   : ");
		obuf_str(o, profile_sort_text(r->p) ?: "");
	}
	if (r->socket >= 0)
		obuf_printf(o, "\n# Processor Socket: %lld", (long long)r->socket);
	obuf_lit(o, "\n#\n");
}

/* What the columns of --simd are shares of. */
static void print_simd_legend(struct obuf *o)
{
	obuf_lit(
		o,
		"# Live: samples by widest register of 0-15 with a bit set, Live16-31: with one in "
		"those. Code: by the\n"
		"# instruction at the sampled address.\n"
		"# Dirty: live above 128 bits and above what that instruction uses. Lanes: that "
		"its mask lets through.\n"
		"# Masks: how full k1-k7 are. SIMD Use: what all code of the function uses.\n"
		"#\n");
}

/* Members of a group are in their leader's table. */
static bool is_shown(const struct report *r, const struct perfdata_event *ev)
{
	uint32_t members = profile_members(r->p, ev->idx);

	for (uint32_t m = 0; m < members; m++)
		if (!r->o.skip_empty || profile_totals(r->p, ev->idx + m)->nr_samples)
			return true;
	return false;
}

static void print_elided(struct report *r)
{
	const char *key, *value;

	for (size_t i = 0; (key = profile_elided(r->p, i, &value)); i++) {
		obuf_lit(&r->out, "# ");
		obuf_str(&r->out, key);
		obuf_lit(&r->out, ": ");
		emit_safe(&r->out, value);
		obuf_char(&r->out, '\n');
	}
}

/* ---- branch statistics ----------------------------------------------------------------------- */

static void print_share(struct obuf *o, const char *name, uint64_t n, uint64_t total)
{
	if (n)
		obuf_printf(o, "\n%8s: %5.1f%%", name, 100.0 * (double)n / (double)total);
}

static void print_branch_stats(struct report *r)
{
	const struct branch_totals *t = profile_branch_totals(r->p);
	struct obuf *o = &r->out;

	if (!t->typed)
		return;
	obuf_lit(o, "\n#\n# Branch Statistics:\n#");
	print_share(o, "COND_FWD", t->cond_fwd, t->typed);
	print_share(o, "COND_BWD", t->cond_bwd, t->typed);
	print_share(o, "CROSS_4K", t->cross_4k, t->typed);
	print_share(o, "CROSS_2M", t->cross_2m, t->typed);
	for (unsigned i = 0; i < ARRAY_SIZE(t->type); i++)
		print_share(o, branch_type_name(i, 0), t->type[i], t->typed);
	for (unsigned i = 0; i < ARRAY_SIZE(t->new_type); i++)
		print_share(o, branch_type_name(BR_EXTEND, i), t->new_type[i], t->typed);
	obuf_char(o, '\n');
}

/* ---- everything ------------------------------------------------------------------------------ */

static const char *tip(const struct report *r)
{
	if (r->po.branch)
		return "Tip: One row per edge of the control flow: perf report -b -s "
		       "symbol_from,symbol_to";
	if (r->po.children)
		return "Tip: Only what functions cost themselves: perf report --no-children";
	return "Tip: For a higher level overview, try: perf report --sort comm,dso";
}

int report_text(struct report *r)
{
	struct obuf *o = &r->out;
	int ret = 0;

	if (r->flow && r->o.json)
		return report_flow(r);
	print_elided(r);
	if (!r->o.quiet) {
		obuf_lit(o, "#\n");
		/* nobody shall take software's branches for the hardware's */
		perfdata_print_sample_source(r->pd, o);
		obuf_lit(o, "# Total Lost Samples: ");
		obuf_dec(o, r->lost_samples);
		obuf_lit(o, "\n#\n");
	}
	for (size_t i = 0; !ret && i < perfdata_nr_events(r->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(r->pd, i);

		if (!is_shown(r, ev))
			continue;
		if (!r->o.quiet)
			print_event_head(r, ev);
		if (r->flow)
			continue;
		if (!r->o.quiet && r->o.simd)
			print_simd_legend(o);
		ret = profile_nr_levels(r->p) ? report_nest(r, ev->idx) : print_table(r, ev->idx);
		obuf_lit(o, "\n\n");
	}
	if (r->flow) {
		ret = report_flow(r);
		if (r->o.hot_paths)
			obuf_lit(o, "\n\n");
	}
	if (!r->o.quiet)
		obuf_printf(o, "#\n# (%s)\n#\n", tip(r));
	if (r->o.threads)
		report_threads(r);
	if (r->po.branch)
		print_branch_stats(r);
	return ret;
}
