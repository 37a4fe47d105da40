/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks: what a compiler's basic blocks became in an object, by the map that it left there
 * (llvm.org/docs/Extensions.html, SHT_LLVM_BB_ADDR_MAP: clang -fbasic-block-sections=labels).
 */
#ifndef PERF_CONVERT_BLOCKS_INT_H
#define PERF_CONVERT_BLOCKS_INT_H

#include "convert/convert-int.h"

struct block {
	uint64_t start, end; /* ELF addresses */
	uint32_t fn;	     /* of blocks_map.fns */
	uint32_t id;	     /* the compiler's number; 0 = where the function begins */
	uint64_t count;	     /* for whoever counts */
};

struct blocks_map {
	VEC(struct block) v;   /* by start */
	VEC(const char *) fns; /* the linker's names; NULL = no symbol */
	bool has_ids; /* numbers are the compiler's own, and not their order in the object */
};

/* -ENODATA without such a map, -ENOTSUP for one of another version, -EINVAL for a damaged one. */
int blocks_read(struct blocks_map *m, const struct object_file *f, struct err *e);
void blocks_free(struct blocks_map *m);
/* The one that @addr is in; NULL = none. */
struct block *blocks_at(const struct blocks_map *m, uint64_t addr);

#endif
