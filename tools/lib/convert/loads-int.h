/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loads: a recording as the tables of fleet.h. Reading counts with what other formats count with: stacks by process
 * name (stacks-int.h), branches by a struct convert for each load, vectors by address. What is written is made of
 * these afterwards, by number until it is put into a batch.
 *
 * A load is what the recording has of one event, and with --service-by comm of one process name.
 */
#ifndef PERF_CONVERT_LOADS_INT_H
#define PERF_CONVERT_LOADS_INT_H

#include "convert/stacks-int.h"
#include "fleet/fleet.h"
#include "keys/keys.h"

#define LOADS_ALL UINT32_MAX

struct loads_load {
	uint32_t event, comm; /* comm STACKS_NONE: of all */
	int64_t id;
	uint64_t samples, period;
	uint64_t first, last; /* times; first > last = none */
	struct convert *c;    /* NULL: no branch stacks came */
};

struct loads_simd {
	uint32_t load, loc;
	struct simd_counts n;
};

/* Samples at one address of an object. */
struct loads_leaf {
	uint32_t load, dso; /* dso: STACKS_NONE = in none */
	const struct symbol *sym;
	uint64_t addr, n, period;
};

struct loads_node {
	uint32_t load, parent, dso; /* dso of a root: its comm */
	const struct symbol *sym;
	uint64_t self_n, self_period, total_period, path;
	uint32_t first, next, number; /* child, sibling; in order */
};

struct loads {
	struct convert_run *r;
	const struct session_env *env;
	const struct convert_table_opts *o;
	struct stacks *st;
	VEC(struct loads_load) v;
	struct htab tab;
	VEC(struct loads_simd) simd;
	struct htab simd_tab;
	void *simd_state; /* NULL: no registers of vectors */
	/* When all is read: */
	char recording[33];
	int64_t clock;	       /* what makes ns since 1970 of a sample's time */
	const char **object;   /* ids by number of a dso; NULL = not asked for yet */
	struct bits functions; /* by number of a symbol: listed */
	struct arena arena;
	VEC(struct loads_leaf) leaves;
	VEC(struct loads_node) nodes;
	struct batch *table[FLEET_TABLES];
};

/* ---- loads-objects.c: what things are called ---- */

/* The recording's number: of its bytes. */
int loads_recording(struct loads *l, struct err *e);
int64_t loads_id(const struct loads *l, const char *event, const char *service);
/* The object's id; lists it. "" for STACKS_NONE, NULL = no memory. */
const char *loads_object(struct loads *l, uint32_t dso);
/* Where the address is in its object, as tables have it. */
int64_t loads_offset(const struct loads *l, uint32_t dso, uint64_t addr);
/* Its start likewise, and lists it; -1 for NULL. */
int loads_function(struct loads *l, uint32_t dso, const struct symbol *sym, int64_t *func);
/* @s itself, or what stands for it where --redact names @what; the arena's. */
const char *loads_shown(struct loads *l, unsigned what, const char *s);
const char *loads_service(struct loads *l, const struct loads_load *load);

/* ---- loads-stacks.c, loads-facts.c: rows ---- */

int loads_build(struct loads *l); /* leaves and nodes; 0 or -ENOMEM */
/* Rows of load @only, or LOADS_ALL, into l->table[]. */
int loads_put_stacks(struct loads *l, uint32_t only);
int loads_put_facts(struct loads *l, uint32_t only);
int loads_put_loads(struct loads *l);

/* ---- loads-files.c ---- */

int loads_write(struct loads *l, struct err *e);

#endif
