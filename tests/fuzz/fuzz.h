/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz targets: everything of perf that reads bytes of strangers, fed with any bytes in one process, thousands of
 * times a second. A target is a const struct in a file fuzz-NAME.c of its own; two programs are made of it:
 *
 *	build/fuzz/fuzz-NAME	by clang: libFuzzer looks for inputs that reach new code (libfuzzer.c)
 *	build/tests/fuzz/replay	by any compiler: all targets over given files, in `make check` (replay.c)
 *
 * To add one: write tests/fuzz/fuzz-NAME.c with `const struct fuzz_target fuzz_NAME`, and say in tests/fuzz/seeds
 * what it starts with. `make fuzz FUZZ=NAME TIME=60` runs it. What it found goes to tests/fuzz/finds/NAME/, from
 * where golden/fuzz-replay runs it for ever.
 *
 * run() must leave nothing behind: no memory (leaks are finds), no descriptor, no state that would make the
 * same bytes do something else the next time. abort() in it says that an answer cannot be right.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct fuzz_target {
	const char *name;
	const char *reads; /* for the table of Documentation/security.md */
	size_t max_len;	   /* inputs beyond it teach no more and cost more */
	void (*run)(const uint8_t *data, size_t size);
	/*
	 * Changes the input in place, to at most @max bytes, and says how many there are; 0 = not its business:
	 * bytes are changed anywhere. NULL = always so.
	 */
	size_t (*mutate)(uint8_t *data, size_t size, size_t max, uint32_t seed);
};

/* libFuzzer's, or replay.c's: bytes changed anywhere. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* ---- support.c ------------------------------------------------------------------------------- */

/* Before the first input: nothing of whoever runs this, no settings, caches, debug servers. */
void fuzz_init(void);
/* The bytes as a file: its descriptor at offset 0, the same each time for the same @slot. */
#define FUZZ_SLOTS 4
int fuzz_file(unsigned slot, const void *data, size_t size);
/* Its descriptor, and the name that opens it. */
int fuzz_fd(unsigned slot);
const char *fuzz_path(unsigned slot);

/* A new directory, in memory where there is /dev/shm. Whoever asked removes it. */
#define FUZZ_DIR_SIZE 64
void fuzz_dir(char *path, const char *name);

/* Every string that a room hands out is read to its end. */
void fuzz_touch(const char *s);
void fuzz_touch_bytes(const void *p, size_t n);

/* Takes what an input begins with, for choices: 0 at the end. */
struct fuzz_bytes {
	const uint8_t *p;
	size_t left;
};

uint8_t fuzz_u8(struct fuzz_bytes *b);
uint32_t fuzz_u32(struct fuzz_bytes *b);
uint64_t fuzz_u64(struct fuzz_bytes *b);
/* Up to @n bytes; *got says how many. */
const uint8_t *fuzz_take(struct fuzz_bytes *b, size_t n, size_t *got);
/* A part with its length in front: see mutate_parts(). */
const uint8_t *fuzz_part(struct fuzz_bytes *b, size_t *n);
/* Up to a newline, which is taken too, as a string in @buf. */
const char *fuzz_line(struct fuzz_bytes *b, char *buf, size_t size);

/* Every question about the PMUs of a device tree: dtpmu-ask.c */
void fuzz_dtpmu_ask(const void *blob, size_t size);

/* ---- mutators -------------------------------------------------------------------------------- */

/* Numbers for mutators, the same for the same seed. */
uint32_t fuzz_rand(uint32_t *seed);
/* A value that is often wrong: small, huge, at the edge of a type, or @old with a little more or less. */
uint64_t fuzz_odd(uint32_t *seed, uint64_t old);

/* Recordings, of either byte order, files and pipes: mutate-perfdata.c */
size_t mutate_perfdata(uint8_t *data, size_t size, size_t max, uint32_t seed);
/* Objects: tables of sections, segments, symbols, notes: mutate-elf.c */
size_t mutate_elf(uint8_t *data, size_t size, size_t max, uint32_t seed);
/* Flattened device trees: mutate-tree.c */
size_t mutate_tree(uint8_t *data, size_t size, size_t max, uint32_t seed);
/* Parts with their lengths in front, as fuzz_part() reads them: mutate-parts.c */
size_t mutate_parts(uint8_t *data, size_t size, size_t max, uint32_t seed);
/* Text: words and numbers of it changed, lines doubled, moved and taken away: mutate-text.c */
size_t mutate_text(uint8_t *data, size_t size, size_t max, uint32_t seed);

#endif
