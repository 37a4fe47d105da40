// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Archives, as perf archive --unpack reads them: a tar of any kind and packing, into a cache of build ids that is empty
 * each time. The mutator changes headers and contents of a plain tar and has the sums follow; else libarchive would stop
 * at the first of them.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "pack/pack.h"

#define BLOCK 512
#define SIZE  124 /* in a header: octal digits */
#define SUM   148

static char dir[FUZZ_DIR_SIZE];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type;
	return at->level ? remove(path) : 0;
}

static void remove_dir(void)
{
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	rmdir(dir);
}

/*
 * The cache is asked for by its name in the environment, and a recording is written into the directory at hand, which is not
 * ours outside of this.
 */
static void unpack(const char *path)
{
	struct pack_taken n;
	struct err e = { 0 };
	int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (back < 0 || chdir(dir) || setenv("PERF_BUILDID_DIR", dir, 1))
		abort();
	pack_unpack(path, false, NULL, &n, &e);
	fuzz_touch(e.text);
	err_clear(&e);
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	if (setenv("PERF_BUILDID_DIR", "/nonexistent", 1) || fchdir(back))
		abort();
	close(back);
}

static void run(const uint8_t *data, size_t size)
{
	if (!*dir) {
		fuzz_dir(dir, "pack");
		if (atexit(remove_dir))
			abort();
	}
	fuzz_file(0, data, size);
	unpack(fuzz_path(0));
}

/* ---- tar, by POSIX (pax(1), ustar interchange format) -------------------------------------------- */

static size_t content_size(const uint8_t *head)
{
	size_t n = 0;

	for (int i = 0; i < 11; i++)
		n = head[SIZE + i] >= '0' && head[SIZE + i] <= '7' ? n * 8 + head[SIZE + i] - '0'
								   : n;
	return n;
}

static void put_sum(uint8_t *head)
{
	char text[8];
	unsigned sum = 0;

	memset(head + SUM, ' ', 8);
	for (int i = 0; i < BLOCK; i++)
		sum += head[i];
	snprintf(text, sizeof(text), "%06o", sum & 0777777);
	memcpy(head + SUM, text, 7);
}

/* Mostly where names, sizes and kinds stand; the rest of a header is numbers of users and times. */
static void change_header(uint8_t *head, uint32_t *seed)
{
	static const uint8_t kinds[] = "0015gxLKVS\0";
	static const char *const names[] = { "perf.data",
					     "./perf.data",
					     "../x/elf",
					     "/usr/bin/a/0011/elf",
					     "[kernel.kallsyms]/0011/kallsyms",
					     "usr/0011/debug" };
	char digits[12];

	switch (fuzz_rand(seed) % 6) {
	case 0: head[156] = kinds[fuzz_rand(seed) % sizeof(kinds)]; break;
	case 1:
		snprintf(digits, sizeof(digits), "%011llo",
			 (unsigned long long)fuzz_odd(seed, content_size(head)) & 077777777777ULL);
		memcpy(head + SIZE, digits, 11);
		break;
	case 2:
		memset(head, 0, 100);
		memcpy(head, names[fuzz_rand(seed) % ARRAY_SIZE(names)], 5);
		break;
	case 3:
		snprintf((char *)head, 100, "%s", names[fuzz_rand(seed) % ARRAY_SIZE(names)]);
		break;
	default: head[fuzz_rand(seed) % BLOCK] = (uint8_t)fuzz_rand(seed);
	}
	put_sum(head);
}

static size_t mutate(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	size_t at = 0, heads[16], nr = 0;

	(void)max;
	while (at + BLOCK <= size && nr < ARRAY_SIZE(heads) &&
	       !memcmp(data + at + 257, "ustar", 5)) {
		heads[nr++] = at;
		at += BLOCK + (content_size(data + at) + BLOCK - 1) / BLOCK * BLOCK;
	}
	if (!nr)
		return 0;
	at = heads[fuzz_rand(&seed) % nr];
	if (fuzz_rand(&seed) % 2) {
		change_header(data + at, &seed);
	} else {
		size_t n = content_size(data + at), left = size - at - BLOCK;

		n = n < left ? n : left;
		if (!n)
			return 0;
		at += BLOCK + fuzz_rand(&seed) % n;
		data[at] = (uint8_t)fuzz_odd(&seed, data[at]);
	}
	return size;
}

const struct fuzz_target fuzz_pack = {
	.name = "pack",
	.reads = "archives of objects (.tar, packed or not), by archive --unpack",
	.max_len = 16384,
	.run = run,
	.mutate = mutate,
};
