// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --hierarchy: the table with rows below rows. */
#include "faces/faces-int.h"

#define INDENT	 3   /* blanks for each level */
#define DOTS_MAX 207 /* below the heads of levels, as upstream */

static unsigned nr_below(const struct faces *f)
{
	return profile_nr_levels(f->p) - 1;
}

/* ---- heads ----------------------------------------------------------------------------------- */

static int front_width(const struct faces *f, uint32_t event)
{
	size_t n = profile_nr_cols(f->p);
	int w = n ? 2 * (int)(n - 1) : 0;

	for (size_t i = 0; i < n; i++)
		w += profile_col_width(f->p, event, profile_col(f->p, i));
	return w;
}

/* "Command / Shared Object+Symbol": how wide it is. */
static int print_level_heads(const struct faces *f)
{
	size_t before = f->out->total + f->out->len;

	for (unsigned l = 0; l < profile_nr_levels(f->p); l++) {
		if (l)
			obuf_lit(f->out, " / ");
		for (size_t i = 0; i < profile_level_nr_cols(f->p, l); i++) {
			const char *head = profile_col_head(f->p, profile_level_col(f->p, l, i));

			if (i)
				obuf_char(f->out, '+');
			obuf_str(f->out, head + strspn(head, " "));
		}
	}
	return (int)(f->out->total + f->out->len - before);
}

/* The widest level, with what it stands to the right. */
static int levels_width(const struct faces *f, uint32_t event)
{
	int widest = 0;

	for (unsigned l = 0; l < profile_nr_levels(f->p); l++) {
		size_t n = profile_level_nr_cols(f->p, l);
		int w = INDENT * (int)l + (int)n - 1;

		for (size_t i = 0; i < n; i++)
			w += profile_col_width(f->p, event, profile_level_col(f->p, l, i));
		if (widest < w)
			widest = w;
	}
	return widest;
}

static void print_heads(const struct faces *f, uint32_t event)
{
	int indent = f->po->separator ? 0 : INDENT * (int)nr_below(f), w;
	size_t n = profile_nr_cols(f->p);
	struct obuf *o = f->out;

	obuf_lit(o, "# ");
	obuf_pad(o, ' ', n ? indent : 0);
	for (size_t i = 0; i < n; i++) {
		const struct profile_col *c = profile_col(f->p, i);

		faces_put_separator(f, !i);
		obuf_str_right(o, profile_col_head(f->p, c), profile_col_width(f->p, event, c));
	}
	faces_put_separator(f, !n);
	w = print_level_heads(f);
	obuf_lit(o, "\n# ");
	obuf_pad(o, '.', n ? indent : 0);
	for (size_t i = 0; i < n; i++) {
		if (i && f->po->separator)
			obuf_char(o, f->po->separator);
		else if (i)
			obuf_lit(o, "..");
		obuf_pad(o, '.', profile_col_width(f->p, event, profile_col(f->p, i)));
	}
	faces_put_separator(f, !n);
	if (w < levels_width(f, event))
		w = levels_width(f, event);
	obuf_pad(o, '.', w < DOTS_MAX ? w : DOTS_MAX);
	obuf_lit(o, "\n#\n");
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A cell without what aligns it. */
static void print_level_cell(const struct faces *f, const struct profile_row *row,
			     const struct profile_col *c, struct obuf *cell)
{
	size_t blanks = 0;

	cell->len = 0;
	profile_cell(f->p, row, c, cell);
	while (blanks < cell->len && cell->buf[blanks] == ' ')
		blanks++;
	obuf_mem(f->out, cell->buf + blanks, cell->len - blanks);
}

static int print_row(const struct faces *f, const struct profile_row *row, unsigned level,
		     struct obuf *cell)
{
	size_t n = profile_nr_cols(f->p);
	struct obuf *o = f->out;

	obuf_pad(o, ' ', INDENT * (int)level);
	if (!f->po->separator)
		obuf_lit(o, "  ");
	for (size_t i = 0; i < n; i++) {
		faces_put_separator(f, !i);
		faces_put_cell(f, row, profile_col(f->p, i));
	}
	if (!f->po->separator && n)
		obuf_pad(o, ' ', INDENT * (int)nr_below(f));
	for (size_t i = 0; i < profile_level_nr_cols(f->p, level); i++) {
		faces_put_separator(f, !n && !i);
		print_level_cell(f, row, profile_level_col(f->p, level, i), cell);
	}
	obuf_char(o, '\n');
	if (level < nr_below(f) || !f->po->use_chains || f->po->chain.style == CHAIN_NONE)
		return 0;
	return faces_graph(f, row);
}

/* Says so when row @i has rows below it and all are too small. */
static void print_no_entry(const struct faces *f, uint32_t event, size_t i, unsigned level)
{
	size_t n = profile_nr_nested(f->p, event);
	unsigned below;

	if (level == nr_below(f))
		return;
	while (++i < n) {
		const struct profile_row *row = profile_nested(f->p, event, i, &below);

		if (below <= level)
			break;
		if (below == level + 1 && !faces_is_small(f, row))
			return;
	}
	if (!f->po->separator)
		obuf_pad(f->out, ' ', INDENT * (int)(nr_below(f) + level + 1));
	obuf_pad(f->out, ' ', front_width(f, event) + 4);
	obuf_printf(f->out, "no entry >= %.2f%%\n", f->o.min_percent);
}

static int print_rows(const struct faces *f, uint32_t event, struct obuf *cell)
{
	size_t n = profile_nr_nested(f->p, event);

	for (size_t i = 0; i < n && !f->out->code; i++) {
		unsigned level;
		const struct profile_row *row = profile_nested(f->p, event, i, &level);
		int ret;

		if (faces_is_small(f, row))
			continue;
		ret = print_row(f, row, level, cell);
		if (ret)
			return ret;
		if (f->o.min_percent > 0)
			print_no_entry(f, event, i, level);
	}
	return 0;
}

int faces_nest(const struct faces *f, uint32_t event)
{
	struct obuf cell;
	int ret = obuf_init(&cell, -1, 0);

	if (ret)
		return ret;
	if (!f->o.quiet)
		print_heads(f, event);
	ret = print_rows(f, event, &cell);
	obuf_free(&cell);
	return ret;
}
