/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compose: what the two halves of a composed recording share. An image is what a recording has mapped: objects of
 * one name are one image, however many builds there are. Its functions stand one behind the other, SLOT bytes
 * each, by name; the kernel's and its modules' are in kallsyms.
 */
#ifndef PERF_FLEET_COMPOSE_INT_H
#define PERF_FLEET_COMPOSE_INT_H

#include "base/obuf.h"
#include "base/tables.h"
#include "fleet/fleet.h"

#define COMPOSE_SLOT 16
#define COMPOSE_TEXT 0x1000 /* where the first one is */

enum compose_kind { COMPOSE_USER, COMPOSE_KERNEL, COMPOSE_MODULE };

/* Of functions of one name in one build it is the nth; those of other builds with these numbers are the same. */
struct compose_symbol {
	uint32_t name, nth;
};

struct compose_image {
	enum compose_kind kind;
	const char *name;
	uint64_t base;			   /* address of its start */
	VEC(struct compose_symbol) symbol; /* by slot */
	struct htab tab;
};

struct compose_row {
	uint32_t event, object, name; /* numbers */
	int64_t func;
	uint64_t path, n, period;
};

struct compose_func {
	uint32_t object, slot, name;
	int64_t func;
};

struct fleet_compose {
	struct intern events, objects, names, images;
	VEC(struct compose_row) rows;
	struct htab row_tab;	/* by event and path */
	VEC(uint32_t) image_of; /* by number of an object; INTERN_NONE = not told */
	VEC(struct compose_image) image;
	VEC(struct compose_func) func;
	struct htab func_tab, namesake_tab;
	uint64_t samples, lost;
};

/* Tables of symbols below @dir. */
int fleet_compose_symbols(const struct fleet_compose *c, const char *dir, struct err *e);
/* Where the image's file lies below objects/: starts with a slash. */
void fleet_compose_file(const struct compose_image *m, char *out, size_t size);

#endif
