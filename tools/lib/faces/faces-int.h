/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this room share. */
#ifndef PERF_FACES_INT_H
#define PERF_FACES_INT_H

#include "faces/faces.h"

/* The call graph below a row, in the style of -g. */
int faces_graph(const struct faces *f, const struct profile_row *row);
/* A table with rows below rows. */
int faces_nest(const struct faces *f, uint32_t event);
/* --percent-limit leaves the row out. */
static inline bool faces_is_small(const struct faces *f, const struct profile_row *row)
{
	return f->o.min_percent > 0 && profile_percent(f->p, row) < f->o.min_percent;
}

/* "\033[31m" for a large share, "\033[32m" for one that matters, else NULL: upstream's limits. */
const char *faces_color(const struct faces *f, double percent);
/* A cell, with its colour. */
void faces_put_cell(const struct faces *f, const struct profile_row *row,
		    const struct profile_col *c);
/* What stands between two columns. */
void faces_put_separator(const struct faces *f, bool first);
/* Blocks and chains of branches, in place of the table. */
int faces_flow(const struct faces *f);
void faces_put_threads(const struct faces *f);

#endif
