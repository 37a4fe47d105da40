// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --hierarchy: the table with rows below rows. */
#include "report-graph.h"
#include "report.h"

#define INDENT	 3   /* blanks for each level */
#define DOTS_MAX 207 /* below the heads of levels, as upstream */

static unsigned nr_below(const struct report *r)
{
	return profile_nr_levels(r->p) - 1;
}

/* ---- heads ----------------------------------------------------------------------------------- */

static int front_width(const struct report *r, uint32_t event)
{
	size_t n = profile_nr_cols(r->p);
	int w = n ? 2 * (int)(n - 1) : 0;

	for (size_t i = 0; i < n; i++)
		w += profile_col_width(r->p, event, profile_col(r->p, i));
	return w;
}

/* "Command / Shared Object+Symbol": how wide it is. */
static int print_level_heads(struct report *r)
{
	size_t before = r->out.total + r->out.len;

	for (unsigned l = 0; l < profile_nr_levels(r->p); l++) {
		if (l)
			obuf_lit(&r->out, " / ");
		for (size_t i = 0; i < profile_level_nr_cols(r->p, l); i++) {
			const char *head = profile_col_head(r->p, profile_level_col(r->p, l, i));

			if (i)
				obuf_char(&r->out, '+');
			obuf_str(&r->out, head + strspn(head, " "));
		}
	}
	return (int)(r->out.total + r->out.len - before);
}

/* The widest level, with what it stands to the right. */
static int levels_width(const struct report *r, uint32_t event)
{
	int widest = 0;

	for (unsigned l = 0; l < profile_nr_levels(r->p); l++) {
		size_t n = profile_level_nr_cols(r->p, l);
		int w = INDENT * (int)l + (int)n - 1;

		for (size_t i = 0; i < n; i++)
			w += profile_col_width(r->p, event, profile_level_col(r->p, l, i));
		if (widest < w)
			widest = w;
	}
	return widest;
}

static void print_heads(struct report *r, uint32_t event)
{
	int indent = r->po.separator ? 0 : INDENT * (int)nr_below(r), w;
	size_t n = profile_nr_cols(r->p);
	struct obuf *o = &r->out;

	obuf_lit(o, "# ");
	obuf_pad(o, ' ', n ? indent : 0);
	for (size_t i = 0; i < n; i++) {
		const struct profile_col *c = profile_col(r->p, i);

		report_put_separator(r, !i);
		obuf_str_right(o, profile_col_head(r->p, c), profile_col_width(r->p, event, c));
	}
	report_put_separator(r, !n);
	w = print_level_heads(r);
	obuf_lit(o, "\n# ");
	obuf_pad(o, '.', n ? indent : 0);
	for (size_t i = 0; i < n; i++) {
		if (i && r->po.separator)
			obuf_char(o, r->po.separator);
		else if (i)
			obuf_lit(o, "..");
		obuf_pad(o, '.', profile_col_width(r->p, event, profile_col(r->p, i)));
	}
	report_put_separator(r, !n);
	if (w < levels_width(r, event))
		w = levels_width(r, event);
	obuf_pad(o, '.', w < DOTS_MAX ? w : DOTS_MAX);
	obuf_lit(o, "\n#\n");
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A cell without what aligns it. */
static void print_level_cell(struct report *r, const struct profile_row *row,
			     const struct profile_col *c, struct obuf *cell)
{
	size_t blanks = 0;

	cell->len = 0;
	profile_cell(r->p, row, c, cell);
	while (blanks < cell->len && cell->buf[blanks] == ' ')
		blanks++;
	obuf_mem(&r->out, cell->buf + blanks, cell->len - blanks);
}

static int print_row(struct report *r, const struct profile_row *row, unsigned level,
		     struct obuf *cell)
{
	size_t n = profile_nr_cols(r->p);
	struct obuf *o = &r->out;

	obuf_pad(o, ' ', INDENT * (int)level);
	if (!r->po.separator)
		obuf_lit(o, "  ");
	for (size_t i = 0; i < n; i++) {
		report_put_separator(r, !i);
		report_put_cell(r, row, profile_col(r->p, i));
	}
	if (!r->po.separator && n)
		obuf_pad(o, ' ', INDENT * (int)nr_below(r));
	for (size_t i = 0; i < profile_level_nr_cols(r->p, level); i++) {
		report_put_separator(r, !n && !i);
		print_level_cell(r, row, profile_level_col(r->p, level, i), cell);
	}
	obuf_char(o, '\n');
	if (level < nr_below(r) || !r->po.use_chains || r->po.chain.style == CHAIN_NONE)
		return 0;
	return report_graph(r, row);
}

/* Says so when row @i has rows below it and all are too small. */
static void print_no_entry(struct report *r, uint32_t event, size_t i, unsigned level)
{
	size_t n = profile_nr_nested(r->p, event);
	unsigned below;

	if (level == nr_below(r))
		return;
	while (++i < n) {
		const struct profile_row *row = profile_nested(r->p, event, i, &below);

		if (below <= level)
			break;
		if (below == level + 1 && !report_is_small(r, row))
			return;
	}
	if (!r->po.separator)
		obuf_pad(&r->out, ' ', INDENT * (int)(nr_below(r) + level + 1));
	obuf_pad(&r->out, ' ', front_width(r, event) + 4);
	obuf_printf(&r->out, "no entry >= %.2f%%\n", r->o.min_percent);
}

static int print_rows(struct report *r, uint32_t event, struct obuf *cell)
{
	size_t n = profile_nr_nested(r->p, event);

	for (size_t i = 0; i < n && !r->out.code; i++) {
		unsigned level;
		const struct profile_row *row = profile_nested(r->p, event, i, &level);
		int ret;

		if (report_is_small(r, row))
			continue;
		ret = print_row(r, row, level, cell);
		if (ret)
			return ret;
		if (r->o.min_percent > 0)
			print_no_entry(r, event, i, level);
	}
	return 0;
}

int report_nest(struct report *r, uint32_t event)
{
	struct obuf cell;
	int ret = obuf_init(&cell, -1, 0);

	if (ret)
		return ret;
	if (!r->o.quiet)
		print_heads(r, event);
	ret = print_rows(r, event, &cell);
	obuf_free(&cell);
	return ret;
}
