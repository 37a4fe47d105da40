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
#include "perfdata/perfdata.h"

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
	uint64_t base; /* address of its start; 0 = it has none: as if it were not told */
	VEC(struct compose_symbol) symbol; /* by slot */
	struct htab tab;
};

struct compose_row {
	uint32_t event, object, name; /* numbers */
	int64_t func;
	uint64_t path, n, period;
};

struct compose_branch {
	uint32_t event, object, to_object;
	int64_t func, to_func;
	uint32_t type;
	uint64_t taken, mispred, cycles, cycles_n;
};

struct compose_func {
	uint32_t object, slot, name;
	int64_t func;
};

struct fleet_compose {
	struct intern events, objects, names, images;
	VEC(struct compose_row) rows;
	VEC(struct compose_branch) branches;
	struct htab row_tab;	/* by event and path */
	VEC(uint32_t) image_of; /* by number of an object; INTERN_NONE = not told */
	VEC(struct compose_image) image;
	VEC(struct compose_func) func;
	struct htab func_tab, namesake_tab;
	uint64_t nr_modules; /* images of the kernel's modules and BPF programs that have a base */
	uint64_t samples, lost;
	uint64_t taken;	  /* of all branches */
	uint64_t mispred; /* not 0: some were */
};

/* A recording that is written. */
struct composing {
	struct fleet_compose *c;
	struct perfdata_writer *w;
	bool chains;
	uint64_t of_each;
	struct htab seen; /* of processes and images: mapped */
	VEC(uint64_t) mapped;
};

int fleet_compose_put(struct composing *k, uint32_t type, uint16_t misc, const struct obuf *body,
		      struct err *e);
/* In the middle of a function's slot, where a return address finds it, too; its object is mapped. 0: in no object. */
int fleet_compose_place(struct composing *k, uint32_t pid, uint32_t object, int64_t func,
			uint64_t *ip, struct err *e);
bool fleet_compose_is_kernel(uint64_t ip);
/* Samples with the branches of @k->c, of process @pid. */
int fleet_compose_branches(struct composing *k, uint32_t pid, struct err *e);

/* Tables of symbols below @dir. */
int fleet_compose_symbols(const struct fleet_compose *c, const char *dir, struct err *e);
/* Where the image's file lies below objects/: starts with a slash. */
void fleet_compose_file(const struct compose_image *m, char *out, size_t size);

#endif
