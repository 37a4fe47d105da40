/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of an object's debug information: for the files that read it with libdw. */
#ifndef PERF_SYMBOL_LINES_INT_H
#define PERF_SYMBOL_LINES_INT_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdatomic.h>

#include "symbol/symbol-int.h"

#define NO_NODE UINT32_MAX

struct cu_range {
	uint64_t start, end;
	uint32_t cu;
};

/* A function, or a call that was inlined. */
struct lines_node {
	Dwarf_Off die;
	uint32_t parent;
	bool inlined;
};

struct cu {
	Dwarf_Die die;
	bool built;
	bool program_tried, program_ok;
	atomic_bool lines_read; /* what follows, and libdw's list of lines, change no more */
	bool has_lines;
	const char *dir; /* where the compiler ran; NULL = not told */
	VEC(struct lines_node) node;
	struct segs segs; /* of the numbers of nodes */
};

struct lines {
	pthread_mutex_t lock; /* see lines_begin() */
	struct elf_file *file;
	Dwarf *dbg;
	Dwfl *dwfl;	      /* of an object file, whose sections it lays; else NULL */
	Dwfl_Module *module;  /* in it */
	char *copy;	      /* of a file that is read for it */
	struct resolver *res; /* that asks: it gets the messages */
	bool over;	      /* one of the limits was hit and said */
	uint64_t ranges, nodes, programs, spent_ns;
	VEC(struct cu) cu;
	VEC(struct cu_range) range;
	VEC(struct inline_info) answer;
};

/* The unit of code at @addr, its functions listed; NULL = there is none. */
struct cu *lines_unit(struct lines *l, uint64_t addr);
/* Where the first unit behind @addr begins; UINT64_MAX = there is none. */
uint64_t lines_next_unit(const struct lines *l, uint64_t addr);
/* Whether the unit's lines may be asked for. */
bool lines_program_allowed(struct lines *l, struct cu *cu);
/*
 * After what libdw did not do: notes that memory ran out or the file was not read, which libdw does not
 * tell from information that is not there. errno, 0 before, does.
 */
void lines_refused(const struct lines *l);
/* A function's name, the linker's when it has one; NULL = none. */
const char *lines_die_name(Dwarf_Die *die);
/* Whether there is time for a question; its start and its end are told. */
bool lines_question(struct lines *l, uint64_t *start);
void lines_answered(struct lines *l, uint64_t start);

#endif
