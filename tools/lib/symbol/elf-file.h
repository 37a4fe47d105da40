/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An open ELF file, for elf.c and elf-symbols.c. Headers and small sections come from libelf;
 * tables with a row per symbol are read here, a chunk at a time, for libelf would keep a copy of
 * each and calls a function per row.
 */
#ifndef PERF_SYMBOL_ELF_FILE_H
#define PERF_SYMBOL_ELF_FILE_H

#include <gelf.h>

#include "symbol/internal.h"

struct elf_file {
	Elf *elf;
	GElf_Ehdr ehdr;
	size_t shstrndx;
	char *path;
	int fd;			    /* -1: it lies in memory */
	const unsigned char *image; /* there */
	uint64_t size;
	bool is_64bit, swap;
	bool has_id;
	struct build_id id;
};

/* The first section of that name or type; NULL when there is none. */
Elf_Scn *elf_scn_named(struct elf_file *f, const char *name, GElf_Shdr *shdr);
Elf_Scn *elf_scn_of_type(struct elf_file *f, GElf_Word type, GElf_Shdr *shdr);
/* @n bytes at @off; false when the file has no so many there. */
bool elf_bytes(const struct elf_file *f, uint64_t off, void *buf, size_t n);
/* Whether a section's bytes are all in the file. */
bool elf_has_bytes(const struct elf_file *f, const GElf_Shdr *shdr);

#define ELF_ROWS_BUF 16384

struct elf_rows {
	const struct elf_file *f;
	uint64_t at;   /* of what is not read yet */
	uint64_t left; /* rows from there on */
	size_t row;    /* bytes of one */
	const unsigned char *p, *end;
	unsigned char buf[ELF_ROWS_BUF];
};

/* @row: bytes of a row as the format has it, whatever the section says. */
void elf_rows_start(struct elf_rows *r, const struct elf_file *f, const GElf_Shdr *shdr,
		    size_t row);
bool elf_rows_fill(struct elf_rows *r);

/* The next row; NULL at the end. */
static inline const unsigned char *elf_rows_next(struct elf_rows *r)
{
	const unsigned char *p = r->p;

	if (unlikely(p == r->end)) {
		if (!elf_rows_fill(r))
			return NULL;
		p = r->p;
	}
	r->p += r->row;
	return p;
}

#endif
