/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf: the one way to open an object. What is in the file is checked against its size, by libelf
 * or here, before it is used as an index; a file that changes or shrinks while it is read gives
 * errors or less, never a signal.
 *
 *	struct elf_file *f;
 *
 *	if (!elf_open(&f, path)) {
 *		const struct build_id *id = elf_build_id(f);
 *		...
 *		elf_close(f);
 *	}
 *
 * A file is read piece by piece. Whoever looks at a few places of much, as debug information is
 * looked at, opens it with ELF_MAPPED; see guard.c for what protects that. Headers and small
 * sections come from libelf; tables with a row per symbol are read here, a chunk at a time, for
 * libelf would keep a copy of each and calls a function per row.
 *
 * Different files may be used by different threads. Memory that is handed out lives until
 * elf_close().
 */
#ifndef PERF_ELF_H
#define PERF_ELF_H

#include <signal.h>
#include <gelf.h>

#include "base/base.h"
#include "base/tables.h"

/* ---- build ids --------------------------------------------------------------------------------- */

#define BUILD_ID_MAX 20

struct build_id {
	uint8_t id[BUILD_ID_MAX];
	uint8_t size; /* 0 = none */
};

/* Padding zeros count as equal: old recorders always wrote 20 bytes. */
bool build_id_equal(const uint8_t *a, size_t na, const uint8_t *b, size_t nb);
/* The GNU build-id note inside @n bytes of notes. */
bool build_id_from_notes(const void *notes, size_t n, bool swap, struct build_id *out);
/* That of an open file, or of an image in memory, by its program headers: in a few reads. */
bool build_id_from_fd(int fd, struct build_id *out);
bool build_id_from_image(const void *image, size_t size, struct build_id *out);

/* ---- segments ---------------------------------------------------------------------------------- */

struct segment { /* PT_LOAD */
	uint64_t offset, vaddr, filesz, memsz, align;
	bool exec;
};

struct segments {
	VEC(struct segment) v;
};

/*
 * File offset <-> virtual address; false when no segment holds it. Zeroed data of a segment without any
 * bytes has offsets behind all files: those of its header lie among code.
 */
bool segments_to_offset(const struct segments *s, uint64_t vaddr, uint64_t *offset);
bool segments_to_vaddr(const struct segments *s, uint64_t offset, uint64_t *vaddr);

/* ---- files ------------------------------------------------------------------------------------- */

struct elf_file {
	Elf *elf;
	GElf_Ehdr ehdr;
	size_t shstrndx;
	char *path;
	int fd;			    /* -1: it lies in memory */
	const unsigned char *image; /* in memory or mapped; NULL = it is read */
	uint64_t size;
	struct elf_guard *guard; /* of a mapped one */
	uint64_t on_disk;	 /* bytes that somebody wrote, without holes */
	uint64_t budget;	 /* bytes that a part of it may take */
	bool is_64bit, swap;
	bool has_id;
	struct build_id id;
	VEC(void *) unpacked; /* bytes of sections */
};

enum elf_flags {
	ELF_MAPPED = 1,	   /* where elf_guard_install() was called; else it is read */
	ELF_NO_LIMITS = 2, /* see "limits" */
};

/* -ENOENT and the like, -ENOEXEC when it is no ELF file. */
int elf_open(struct elf_file **f, const char *path, unsigned flags);
/* The same from memory, which must outlive the file. */
int elf_open_memory(struct elf_file **f, void *image, size_t size);
void elf_close(struct elf_file *f);

/*
 * Takes over SIGBUS for mapped files: what of one is no longer in the file reads as zeros from
 * then on. Other SIGBUS do what they did. For the program's start; a library does not do that by
 * itself.
 */
void elf_guard_install(void);
/* Has libraries that crash for want of memory say so: starved.c. For the program's start, too. */
void elf_starved_install(void);
/* For who has taken SIGBUS over after that: true = it was such a file, which reads as zeros now. */
bool elf_guard_mend(const siginfo_t *si);
/* How many mapped files were found cut short so far, of those that elf_open() maps. */
unsigned elf_guard_hits(void);
/*
 * The same for a map of the caller's, which is any file: what it no longer has reads as zeros, and the caller finds
 * out by itself. NULL: elf_guard_install() was not called, or no memory; then it must not be looked at.
 * Dropped before the map goes; NULL is fine.
 */
struct elf_guard *elf_guard_add(const void *map, size_t size);
void elf_guard_drop(struct elf_guard *g);
/* Whether zeros lie there for what the file did not have, or could not be read of it, even if it is there again. */
bool elf_guard_mended(const struct elf_guard *g);

const char *elf_path(const struct elf_file *f);
unsigned elf_e_machine(const struct elf_file *f);
bool elf_is_relocatable(const struct elf_file *f);
const struct build_id *elf_build_id(struct elf_file *f);
bool elf_has_symtab(struct elf_file *f);
bool elf_has_section(struct elf_file *f, const char *name);
/* Also as it was packed before there was SHF_COMPRESSED, in .zdebug_info: by Go until 1.18, and gcc -gz=zlib-gnu. */
bool elf_has_debug_info(struct elf_file *f);
/* File name from .gnu_debuglink; NULL when there is none. */
const char *elf_debuglink(struct elf_file *f);
/* -ENOEXEC, and none of them, where there are more than an honest file has. */
int elf_segments(struct elf_file *f, struct segments *out);
/* The bytes of a section: the file's until elf_close(); NULL when there is none. */
const void *elf_section(struct elf_file *f, const char *name, size_t *size, uint64_t *addr,
			uint64_t *offset);
/* Value of a symbol of .symtab. */
bool elf_symbol_value(struct elf_file *f, const char *name, uint64_t *value);

/* The first section of that name or type; NULL when there is none. */
Elf_Scn *elf_scn_named(struct elf_file *f, const char *name, GElf_Shdr *shdr);
Elf_Scn *elf_scn_of_type(struct elf_file *f, GElf_Word type, GElf_Shdr *shdr);
/* @n bytes at @off; false when the file has no so many there. */
bool elf_bytes(const struct elf_file *f, uint64_t off, void *buf, size_t n);
/* What libelf has of a section, in the machine's byte order; NULL when it is over the limits. */
Elf_Data *elf_data(const struct elf_file *f, Elf_Scn *scn);
/* Whether libelf may be asked for names of section @idx. */
bool elf_names_allowed(const struct elf_file *f, size_t idx);
/* Whether a section's bytes are all in the file, and within the limits. */
bool elf_has_bytes(const struct elf_file *f, const GElf_Shdr *shdr);
/* The next compressed section behind @scn, NULL = the first, with header and name; NULL: there is none. */
Elf_Scn *elf_scn_next_packed(const struct elf_file *f, Elf_Scn *scn, GElf_Shdr *shdr,
			     const char **name);
/*
 * Unpacks a compressed section where this build can do it faster than libelf, or libelf not at all: then it is to libelf as if
 * it had never been packed. What is not packed, or damaged, stays as it is. Before anybody else asked for its bytes.
 */
void elf_unpack(struct elf_file *f, Elf_Scn *scn);
/* All of .debug_*, after elf_debug_allowed(). */
void elf_unpack_debug(struct elf_file *f);

/* ---- limits ------------------------------------------------------------------------------------ */

/*
 * A file of a few kilobytes can stand for gigabytes: by holes, by compressed sections, by tables
 * that a few bytes each make long. Sections beyond 64 MB and beyond 32 times what was written to
 * disk are taken for absent; honest ones are far from that. Whoever builds tables from sections
 * counts in the same way, with elf_allows(), and says it when that ends something.
 */

/* Whether @n things that an honest file has one of for each @per bytes (on disk) may be there. */
bool elf_allows(const struct elf_file *f, uint64_t n, uint64_t least, unsigned per);
/* Whether the debug sections may be unpacked. */
bool elf_debug_allowed(struct elf_file *f);
/* How many nanoseconds may be spent on questions about it. */
uint64_t elf_time_allowed(const struct elf_file *f);

/* ---- rows of tables ---------------------------------------------------------------------------- */

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
