/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places: stacks as profiles of the pprof kind tell them. A place is an address in an object with the
 * functions that lie there, the innermost inlined one first; places, functions and objects are
 * tables, and what refers to them has a number from 1.
 *
 *	places_new(&p, st)			after stacks_end()
 *	for (at = node; at != STACKS_NONE; at = p.above[at])
 *		... places_at(&p, at) ...	innermost first
 *	... p.mappings, p.functions, p.places, p.lines: whole when all nodes were asked for
 *	places_free(&p)
 *
 * An object is a mapping as if it had been loaded at its offsets: addresses are those of the file, and
 * equal code of several processes is one place.
 */
#ifndef PERF_CONVERT_PLACES_INT_H
#define PERF_CONVERT_PLACES_INT_H

#include "convert/stacks-int.h"

struct places_entry {
	uint32_t first, last; /* frames: of its innermost function, of its outermost */
	uint32_t mapping;     /* 0 = in no object */
	uint32_t line, nr_lines;
	uint64_t addr;
};

struct places_line {
	uint32_t function, line;
};

struct places_function {
	const struct symbol *sym;
	uint32_t file; /* of p.files; 0 = unknown */
};

struct places_mapping {
	const struct dso *dso;
	uint64_t samples;
	uint64_t start, end, offset; /* pages; 0 before places_end() */
	uint64_t low, high;
	bool functions, files, lines, inlines; /* known of its places */
};

struct places {
	const struct stacks *st;
	VEC(struct places_entry) places;
	VEC(struct places_line) lines;
	VEC(struct places_function) functions;
	VEC(struct places_mapping) mappings; /* the first is what the profile is of */
	struct intern files;
	struct htab place_tab, function_tab;
	uint32_t *mapping_of; /* dso -> mapping, 0 = none yet */
	uint32_t *place_of;   /* node -> place that it is the innermost function of */
	uint32_t *above;      /* node -> the node that the next place begins at */
};

int places_new(struct places *p, const struct stacks *st); /* 0 or -ENOMEM */
void places_free(struct places *p);
/* The number of the place at @node; 0 = no memory. */
uint32_t places_at(struct places *p, uint32_t node);
/* Where mappings begin and end; when all places were asked for. */
void places_end(struct places *p);
/* "" when unknown. */
static inline const char *places_file(const struct places *p, const struct places_function *f)
{
	return intern_str(&p->files, f->file);
}

/* When the first sample came, in ns since 1970, and how long after it the last; 0 = unknown. */
void stacks_when(const struct stacks *st, uint64_t *start, uint64_t *took);
/* What one sample of the event stands for; 0 = that differs. */
uint64_t stacks_period(const struct perfdata_event *event);

#endif
