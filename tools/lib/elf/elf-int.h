/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of room `elf` share.
 *
 *	file.c		opening, sections, segments, rows
 *	build-id.c	build ids, of open files and of notes
 *	guard.c		mapped files that shrink
 *	starved.c	libraries that crash for want of memory
 *	limits.c	files that stand for more than they are
 *	packed.c	compressed sections
 */
#ifndef PERF_ELF_INT_H
#define PERF_ELF_INT_H

#include "elf/elf.h"

bool guard_installed(void);
/* While a map is made whose place is not known yet: what this thread misses reads as zeros. */
void guard_begin(void);
/* The map lies there from now on; NULL = no memory, then it must not be used. */
struct elf_guard *guard_end(const void *map, size_t size);

/* Sets the limits of an open file. */
void limits_init(struct elf_file *f, bool none);
/* Whether the tables of headers may be read by libelf: they are copied whole. */
bool limits_headers(const struct elf_file *f);

/* What was unpacked of it, after libelf is done with it. */
void packed_free(struct elf_file *f);

#endif
