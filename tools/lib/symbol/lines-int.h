/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of an object's debug information: for the files that read it with libdw. */
#ifndef PERF_SYMBOL_LINES_INT_H
#define PERF_SYMBOL_LINES_INT_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdatomic.h>

#include "symbol/symbol-int.h"

#define NO_NODE UINT32_MAX

#define LINES_SPARE (48u << 20) /* bytes, for what libdw keeps of one object */
#define LINES_MORE  3		/* handles, beside the object's own: for four threads in all */

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
	const char *dir; /* where the compiler ran; NULL = not told */
	bool built;
	atomic_bool claimed;	/* a thread reads its lines, or has */
	atomic_bool lines_read; /* what follows, and libdw's list of lines, change no more */
	bool program_tried, program_ok, has_lines;
	Dwarf_Die lines_die; /* the same unit by the handle that has its lines */
	VEC(struct lines_node) node;
	struct segs segs; /* of the numbers of nodes */
};

/* See lines-handles.c. */
struct lines_handles {
	pthread_mutex_t lock; /* never held while libdw works */
	pthread_cond_t published;
	struct {
		Dwarf *dbg;
		bool used; /* by a thread */
	} more[LINES_MORE];
	unsigned n;
	bool full; /* no more are opened; with lines.lock */
};

struct lines {
	pthread_mutex_t lock; /* see lines_begin() */
	struct lines_handles handles;
	struct elf_file *file;
	Dwarf *dbg;
	Dwfl *dwfl;	      /* of an object file, whose sections it lays; else NULL */
	Dwfl_Module *module;  /* in it */
	char *copy;	      /* of a file that is read for it */
	struct resolver *res; /* that asks: it gets the messages */
	const char *program;  /* the bytes of all line programs; NULL = there are none */
	size_t program_size;
	atomic_bool over;	       /* one of the limits was hit and said */
	uint64_t units, ranges, nodes; /* units: of all kinds */
	uint64_t programs;	       /* bytes that were allowed, with handles.lock */
	atomic_ullong spent_ns;	       /* of all threads */
	VEC(struct cu) cu;
	VEC(struct cu_range) range;
	VEC(struct inline_info) answer;
};

/* The unit of code at @addr, its functions listed; NULL = there is none. */
struct cu *lines_unit(struct lines *l, uint64_t addr);
/* Where the first unit behind @addr begins; UINT64_MAX = there is none. */
uint64_t lines_next_unit(const struct lines *l, uint64_t addr);
/* Whether the unit's lines may be asked for, by who has claimed it. @res gets the message. */
bool lines_program_allowed(struct lines *l, struct resolver *res, struct cu *cu);
/*
 * After what libdw did not do: notes that memory ran out or the file was not read, which libdw does not
 * tell from information that is not there. errno, 0 before, does.
 */
void lines_refused(const struct lines *l);
/* A function's name, the linker's when it has one; NULL = none. */
const char *lines_die_name(Dwarf_Die *die);
/* Whether there is time for a question of @res; its start and its end are told. By any thread. */
bool lines_question(struct lines *l, struct resolver *res, uint64_t *start);
void lines_answered(struct lines *l, uint64_t start);

/* ---- lines-handles.c ------------------------------------------------------------------------- */

void lines_handles_init(struct lines *l);
void lines_handles_free(struct lines *l); /* after all questions, before the file is closed */
/* A handle for the caller alone: l->dbg with lines_begin() done, or one more. To be given back. */
Dwarf *lines_take_handle(struct lines *l, struct resolver *res);
void lines_give_handle(struct lines *l, Dwarf *dbg);
/*
 * One that is opened now; between lines_begin() and lines_end(). NULL: there are enough, there
 * cannot be more of that file, or memory is short, which changes nothing.
 */
Dwarf *lines_add_handle(struct lines *l);
/* Whether the unit's lines are the caller's to read, and then to publish; it has a handle. */
bool lines_claim(struct cu *cu);
void lines_publish(struct lines *l, struct cu *cu);
/* Waits until the unit is published; false: nobody has claimed it. The caller has claimed none. */
bool lines_wait(struct lines *l, struct cu *cu);
/* Adds @n to the bytes of line programs that were allowed: @free, more by the file's size. */
bool lines_add_program(struct lines *l, uint64_t n, uint64_t free);

#endif
