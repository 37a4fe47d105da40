/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of room `jit` share.
 *
 *	file.c		whose files count
 *	jitdump.c	the file: code, and where it lay when
 *	lines.c		its line tables
 */
#ifndef PERF_JIT_INT_H
#define PERF_JIT_INT_H

#include "base/tables.h"
#include "jit/jit.h"

struct code_obj {
	struct jit_code pub;
	uint64_t rows_at, rows_end, rows; /* its line table in the file; rows 0 = none */
};

struct jitdump {
	int fd;
	bool swap, sorted;
	bool shift_known;
	uint64_t shift; /* what all addresses of line tables are too large by */
	uint64_t file_size, flags;
	uint32_t e_machine;
	size_t spent;
	VEC(struct code_obj) code; /* by offset in the file */
	VEC(struct jit_event) event;
	struct arena names;
	unsigned char *rows; /* the table that begins at rows_of; 0 = none */
	size_t rows_size;
	uint64_t rows_of;
	const struct jit_code *lines_of; /* whose rows these are, sorted; NULL = nobody's */
	VEC(struct jit_line) lines;
	char damage[96];
};

#endif
