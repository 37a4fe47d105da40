/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device tree in memory, whatever it was read from. Children and properties are kept sorted by
 * name (numbers inside names by value), so that every source gives the same tree. Nodes can be
 * added and properties replaced: see overlay.c.
 */
#ifndef DTPMU_TREE_H
#define DTPMU_TREE_H

#include "dtpmu/dtpmu.h"

#define DT_MAX_DEPTH 32
#define DT_MAX_BYTES (16u << 20) /* of a file, and of what is made of it; real trees: 2 MiB */
#define DT_MAX_PROPS 4096	 /* of a node: each new one is compared with all */
#define DT_MAX_NAME  255	 /* the specification says 31 */

struct dt_prop {
	const char *name;
	const unsigned char *data;
	uint32_t len;
	struct dt_prop *next;
};

struct dt_node {
	const char *name; /* with its unit address */
	struct dt_node *child, *next;
	struct dt_prop *prop;
	unsigned nr_props;
};

struct dt_tree {
	struct arena arena;
	struct dt_node *root;
	size_t bytes;
	bool full; /* an element was refused, since it makes the tree too large */
};

/* Both return the new element, NULL = no memory, or the tree is full. The data is copied. */
struct dt_node *dt_add_node(struct dt_tree *t, struct dt_node *parent, const char *name);
struct dt_prop *dt_add_prop(struct dt_tree *t, struct dt_node *n, const char *name,
			    const void *data, size_t len);
/* Why they returned NULL: -ENOMEM or -EFBIG. */
int dt_add_error(const struct dt_tree *t, struct err *e);
/* To be called once a node has all its children. 0 or -ENOMEM. */
int dt_sort(struct dt_node *n);
void dt_tree_free(struct dt_tree *t);

/* By exact name, or by the name before the unit address. */
struct dt_node *dt_child(const struct dt_node *n, const char *name);
/* "a/b/c" below @n. */
struct dt_node *dt_path(struct dt_node *n, const char *path);
struct dt_prop *dt_prop(const struct dt_node *n, const char *name);
/* NULL when missing or not NUL-terminated. */
const char *dt_string(const struct dt_node *n, const char *name);
uint32_t dt_cell(const struct dt_prop *p, size_t i);
bool dt_u32(const struct dt_node *n, const char *name, uint32_t *v);
/* 1 cell, <hi lo>, or what firmware emits: <0 hi 0 lo>. -ENOENT, -EINVAL (another shape). */
int dt_u64(const struct dt_node *n, const char *name, uint64_t *v);
/* One of the NUL-separated strings of `compatible`. */
bool dt_compatible(const struct dt_node *n, const char *what);
/* status: absent, "okay" and "ok" mean present. */
bool dt_available(const struct dt_node *n);

/* ---- sources: fill an empty tree ---- */
int dt_read_blob(struct dt_tree *t, const void *blob, size_t size, struct err *e);
int dt_read_dir(struct dt_tree *t, const char *path, struct err *e);
/* @path of any kind. */
int dt_read(struct dt_tree *t, const char *path, struct err *e);

/* ---- overlay: what the schema cannot say, and known faults ---- */
struct dt_overlay_use {
	enum dtpmu_level level; /* NOTE: a default was added; FAULT: a known fault */
	const char *path;
	const char *text;
};
typedef VEC(struct dt_overlay_use) dt_overlay_uses;
/* Applies what fits @isa to the PMU's node; corrections only without DTPMU_AS_PUBLISHED. */
int dt_overlay(struct dt_tree *t, struct dt_node *pmu, enum dtpmu_isa isa, unsigned flags,
	       dt_overlay_uses *uses);

/* ---- from tree to description ---- */
#define DT_MAX_FINDINGS 1000 /* of a level, so that notes hide no fault */
#define DT_MAX_PARTS	1000 /* fields, constraints, registers: lint looks at each pair of them */

struct dt_parse {
	struct dt_tree *t;
	struct dtpmu *pmu;
	struct dt_node *node;
	struct err *e;
	int code;	  /* first -ENOMEM */
	size_t four_cell; /* values in four cells */
	const char *four_cell_first;
};

void dt_finding(struct dt_parse *p, enum dtpmu_level level, const char *node, const char *fmt, ...)
	__printf_fmt(4, 5);
/* Whether @nr parts are as many as there may be, with a finding. */
bool dt_too_many(struct dt_parse *p, size_t nr, const char *where);
/* dt_u64 with a finding when the shape is wrong; false also when the property is missing. */
bool dt_parse_u64(struct dt_parse *p, const struct dt_node *n, const char *where, const char *name,
		  uint64_t *v);
void dt_parse_cond(struct dt_parse *p, const struct dt_node *n, const char *where,
		   struct dtpmu_cond *c);
enum dtpmu_encoding dt_parse_encoding(struct dt_parse *p, const struct dt_node *n,
				      const char *where);
void dt_parse_fields(struct dt_parse *p);
void dt_parse_constraints(struct dt_parse *p);
void dt_parse_setters(struct dt_parse *p);
void dt_parse_events(struct dt_parse *p);
/* A list of cells or of two-cell values, copied into the tree's arena. */
struct dtpmu_codes dt_parse_codes(struct dt_parse *p, const struct dt_node *n, const char *where,
				  const char *mask, const char *values);
const uint64_t *dt_parse_list(struct dt_parse *p, const struct dt_node *n, const char *where,
			      const char *name, bool two_cells, size_t *nr);

/* The list with what it keeps private. */
struct dtpmu_owner {
	struct dtpmu_list list;
	struct dt_tree tree;
	unsigned flags;
};

/* ---- shared by code.c and check.c ---- */
bool dtpmu_applies(const struct dtpmu *pmu, const struct dtpmu_cond *c, uint64_t config);
uint64_t dtpmu_encode_value(enum dtpmu_encoding enc, uint64_t v, uint64_t max);
uint64_t dtpmu_role_get(const struct dtpmu *pmu, enum dtpmu_role role, uint64_t config);
void dtpmu_constraint_of(const struct dtpmu *pmu, const struct dtpmu_want *w, uint64_t config,
			 struct dtpmu_use *u);
void dtpmu_registers(const struct dtpmu *pmu, struct dtpmu_answer *a, unsigned flags);
void dtpmu_pmc_bits(const struct dtpmu *pmu, uint32_t pmc, uint64_t *mask, uint64_t *value);

#endif
