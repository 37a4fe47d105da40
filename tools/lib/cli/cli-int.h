/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the cli room share. */
#ifndef PERF_CLI_INT_H
#define PERF_CLI_INT_H

#include "cli/cli.h"

/*
 * Goes over the rows of a command, those of included tables where they are included. Every reader
 * of tables uses this, so that no reader can see fewer options than another.
 *
 *	struct option_walk w = option_walk_init(cmd);
 *
 *	while ((o = option_next(&w)))
 *		... the value is at @opts + w.base + o->offset ...
 */
struct option_walk {
	const struct option *own; /* the command's table; NULL = none */
	struct {
		const struct option *next;
		size_t base;
	} table[4]; /* tables include tables, but not deeper */
	int depth;
	size_t base; /* of the row handed out: where its table's struct begins */
};

struct option_walk option_walk_init(const struct command *cmd);
/* The next row, headings too; NULL at the end. */
const struct option *option_next(struct option_walk *w);

#endif
