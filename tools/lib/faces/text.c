// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --stdio: tables, headings, branch statistics. */
#include "branch/branch.h"
#include "faces/faces-int.h"

/* ---- one table ------------------------------------------------------------------------------- */

void faces_put_separator(const struct faces *f, bool first)
{
	if (f->po->separator && !first)
		obuf_char(f->out, f->po->separator);
	else if (!f->po->separator && !first)
		obuf_lit(f->out, "  ");
}

const char *faces_color(const struct faces *f, double percent)
{
	if (!f->o.color || f->po->separator)
		return NULL;
	return percent >= 5.0 ? "\033[31m" : percent > 0.5 ? "\033[32m" : NULL;
}

void faces_put_cell(const struct faces *f, const struct profile_row *row,
		    const struct profile_col *c)
{
	const char *color = NULL;
	double percent = 0;

	if (f->o.color && profile_col_percent(f->p, row, c, &percent))
		color = faces_color(f, percent);
	if (color)
		obuf_str(f->out, color);
	profile_cell(f->p, row, c, f->out);
	if (color)
		obuf_lit(f->out, "\033[m");
}

static void print_heads(const struct faces *f, uint32_t event)
{
	struct obuf *o = f->out;

	obuf_lit(o, "# ");
	for (size_t i = 0; i < profile_nr_cols(f->p); i++) {
		const struct profile_col *c = profile_col(f->p, i);
		int w = profile_col_width(f->p, event, c);

		faces_put_separator(f, !i);
		if (profile_col_is_number(c))
			obuf_str_right(o, profile_col_head(f->p, c), w);
		else
			obuf_printf(o, "%-*.*s", w, w, profile_col_head(f->p, c)); /* -w */
	}
	obuf_char(o, '\n');
	if (f->po->separator)
		return;
	obuf_lit(o, "# ");
	for (size_t i = 0; i < profile_nr_cols(f->p); i++) {
		faces_put_separator(f, !i);
		obuf_pad(o, '.', profile_col_width(f->p, event, profile_col(f->p, i)));
	}
	obuf_lit(o, "\n#\n");
}

static int print_row(const struct faces *f, const struct profile_row *row)
{
	struct obuf *o = f->out;

	if (!f->po->separator)
		obuf_lit(o, "  ");
	for (size_t i = 0; i < profile_nr_cols(f->p); i++) {
		faces_put_separator(f, !i);
		faces_put_cell(f, row, profile_col(f->p, i));
	}
	obuf_char(o, '\n');
	return f->po->use_chains && f->po->chain.style != CHAIN_NONE ? faces_graph(f, row) : 0;
}

static int print_table(const struct faces *f, uint32_t event)
{
	size_t n = profile_nr_rows(f->p, event);

	if (!f->o.quiet)
		print_heads(f, event);
	for (size_t i = 0; i < n; i++) {
		const struct profile_row *row = profile_row(f->p, event, i);
		int ret;

		if (faces_is_small(f, row))
			continue;
		ret = print_row(f, row);
		if (ret)
			return ret;
		if (f->out->code)
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
static void print_event_name(const struct faces *f, const struct perfdata_event *ev,
			     uint32_t members)
{
	struct obuf *o = f->out;

	obuf_str(o, members > 1 ? " of events '" : " of event '");
	if (members > 1) {
		emit_safe(o, ev->group && *ev->group ? ev->group : "anon group");
		obuf_lit(o, " { ");
	}
	for (uint32_t m = 0; m < members; m++) {
		if (m)
			obuf_lit(o, ", ");
		emit_safe(o, perfdata_event(f->pd, ev->idx + m)->name);
	}
	obuf_str(o, members > 1 ? " }'" : "'");
}

static void print_event_head(const struct faces *f, const struct perfdata_event *ev)
{
	uint32_t members = profile_members(f->p, ev->idx);
	uint64_t samples = 0, period = 0;
	struct obuf *o = f->out;

	for (uint32_t m = 0; m < members; m++) {
		const struct profile_totals *t = profile_totals(f->p, ev->idx + m);

		samples += f->po->relative ? t->nr_filtered_samples : t->nr_samples;
		period += f->po->relative ? t->filtered_period : t->period;
	}
	obuf_lit(o, "# Samples: ");
	print_short(o, samples);
	print_event_name(f, ev, members);
	if (f->o.time) {
		obuf_lit(o, " (time slices: ");
		emit_safe(o, f->o.time);
		obuf_char(o, ')');
	}
	obuf_str(o, f->po->mem ? "\n# Total weight : " : "\n# Event count (approx.): ");
	obuf_dec(o, period);
	if (f->po->mem) {
		obuf_lit(o, "\n# Sort order   : ");
		obuf_str(o, profile_sort_text(f->p) ?: "");
	}
	if (f->o.socket >= 0)
		obuf_printf(o, "\n# Processor Socket: %lld", (long long)f->o.socket);
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
static bool is_shown(const struct faces *f, const struct perfdata_event *ev)
{
	uint32_t members = profile_members(f->p, ev->idx);

	for (uint32_t m = 0; m < members; m++)
		if (!f->o.skip_empty || profile_totals(f->p, ev->idx + m)->nr_samples)
			return true;
	return false;
}

static void print_elided(const struct faces *f)
{
	const char *key, *value;

	for (size_t i = 0; (key = profile_elided(f->p, i, &value)); i++) {
		obuf_lit(f->out, "# ");
		obuf_str(f->out, key);
		obuf_lit(f->out, ": ");
		emit_safe(f->out, value);
		obuf_char(f->out, '\n');
	}
}

/* ---- branch statistics ----------------------------------------------------------------------- */

static void print_share(struct obuf *o, const char *name, uint64_t n, uint64_t total)
{
	if (n)
		obuf_printf(o, "\n%8s: %5.1f%%", name, 100.0 * (double)n / (double)total);
}

static void print_branch_stats(const struct faces *f)
{
	const struct branch_totals *t = profile_branch_totals(f->p);
	struct obuf *o = f->out;

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

static const char *tip(const struct faces *f)
{
	if (f->po->branch)
		return "Tip: One row per edge of the control flow: perf report -b -s "
		       "symbol_from,symbol_to";
	if (f->po->children)
		return "Tip: Only what functions cost themselves: perf report --no-children";
	return "Tip: For a higher level overview, try: perf report --sort comm,dso";
}

int faces_text(const struct faces *f)
{
	struct obuf *o = f->out;
	int ret = 0;

	if (f->flow && f->o.json)
		return faces_flow(f);
	print_elided(f);
	if (!f->o.quiet) {
		obuf_lit(o, "#\n");
		/* nobody shall take software's branches for the hardware's */
		perfdata_print_sample_source(f->pd, o);
		obuf_lit(o, "# Total Lost Samples: ");
		obuf_dec(o, f->lost_samples);
		obuf_lit(o, "\n#\n");
	}
	for (size_t i = 0; !ret && i < perfdata_nr_events(f->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(f->pd, i);

		if (!is_shown(f, ev))
			continue;
		if (!f->o.quiet)
			print_event_head(f, ev);
		if (f->flow)
			continue;
		if (!f->o.quiet && f->o.simd)
			print_simd_legend(o);
		ret = profile_nr_levels(f->p) ? faces_nest(f, ev->idx) : print_table(f, ev->idx);
		obuf_lit(o, "\n\n");
	}
	if (f->flow) {
		ret = faces_flow(f);
		if (f->o.hot_paths)
			obuf_lit(o, "\n\n");
	}
	if (!f->o.quiet)
		obuf_printf(o, "#\n# (%s)\n#\n", tip(f));
	if (f->o.threads)
		faces_put_threads(f);
	if (f->po->branch)
		print_branch_stats(f);
	return ret;
}
