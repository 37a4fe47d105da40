// SPDX-License-Identifier: GPL-2.0-or-later
/* What the targets share: input as a file, choices out of the input, a clean environment. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "fuzz.h"

/* Not ours: formats that libtraceevent does not take leave a few bytes of it behind. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so\n";
}

void fuzz_init(void)
{
	static const char *const env[][2] = {
		{ "HOME", "/nonexistent" },
		{ "PERF_BUILDID_DIR", "/nonexistent" },
		{ "PERF_CONFIG", "/dev/null" },
		{ "PERF_SYMBOL_CACHE", "0" },
		{ "DEBUGINFOD_URLS", "" },
		{ "PERF_PAGER", "" },
		{ "PERF_SANDBOX", "0" },
		{ "TERM", "dumb" },
		{ "LC_ALL", "C" },
		{ "PERF_DEBUGFS_DIR", "/nonexistent" },
		{ "TZ", "UTC" },
		/* A box would be for the rest of the process, which has more inputs to read. */
		{ "PERF_SANDBOX", "0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(env); i++)
		setenv(env[i][0], env[i][1], 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("PERF_PMU_DT");
	log_set_level(LOG_ERROR);
}

/* ---- files ------------------------------------------------------------------------------------------- */

static struct {
	int fd; /* 0 = none yet */
	char path[32];
} slots[FUZZ_SLOTS];

int fuzz_file(unsigned slot, const void *data, size_t size)
{
	int fd = slots[slot].fd;

	if (!fd) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		if (fd < 0)
			abort();
		slots[slot].fd = fd;
		snprintf(slots[slot].path, sizeof(slots[slot].path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

int fuzz_fd(unsigned slot)
{
	return slots[slot].fd;
}

const char *fuzz_path(unsigned slot)
{
	return slots[slot].path;
}

void fuzz_dir(char *path, const char *name)
{
	static const char *const parents[] = { "/dev/shm", "/tmp" };

	for (size_t i = 0; i < ARRAY_SIZE(parents); i++) {
		snprintf(path, FUZZ_DIR_SIZE, "%s/perf-fuzz-%s.XXXXXX", parents[i], name);
		if (mkdtemp(path))
			return;
	}
	abort();
}

/* ---- bytes ------------------------------------------------------------------------------------------- */

static volatile size_t sink;

void fuzz_touch(const char *s)
{
	if (s)
		sink += strlen(s);
}

void fuzz_touch_bytes(const void *p, size_t n)
{
	const uint8_t *b = p;

	if (n)
		sink += b[0] + b[n / 2] + b[n - 1];
}

const uint8_t *fuzz_take(struct fuzz_bytes *b, size_t n, size_t *got)
{
	const uint8_t *p = b->p;

	*got = n < b->left ? n : b->left;
	b->p += *got;
	b->left -= *got;
	return p;
}

static uint64_t take_number(struct fuzz_bytes *b, size_t n)
{
	size_t got;
	const uint8_t *p = fuzz_take(b, n, &got);
	uint64_t v = 0;

	for (size_t i = 0; i < got; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

uint8_t fuzz_u8(struct fuzz_bytes *b)
{
	return (uint8_t)take_number(b, 1);
}

uint32_t fuzz_u32(struct fuzz_bytes *b)
{
	return (uint32_t)take_number(b, 4);
}

uint64_t fuzz_u64(struct fuzz_bytes *b)
{
	return take_number(b, 8);
}

const char *fuzz_line(struct fuzz_bytes *b, char *buf, size_t size)
{
	const uint8_t *end = b->left ? memchr(b->p, '\n', b->left) : NULL;
	size_t n = end ? (size_t)(end - b->p) : b->left;
	size_t keep = n < size - 1 ? n : size - 1;

	if (keep)
		memcpy(buf, b->p, keep);
	buf[keep] = '\0';
	n += end != NULL;
	b->p += n;
	b->left -= n;
	return buf;
}

/* ---- numbers for mutators ------------------------------------------------------------------------------ */

uint32_t fuzz_rand(uint32_t *seed)
{
	uint64_t z = *seed += 0x9e3779b9u;

	z = (z ^ z >> 16) * 0x85ebca6bu;
	z = ((z & UINT32_MAX) ^ (z & UINT32_MAX) >> 13) * 0xc2b2ae35u;
	return (uint32_t)(z ^ (z & UINT32_MAX) >> 16);
}

uint64_t fuzz_odd(uint32_t *seed, uint64_t old)
{
	static const uint64_t edge[] = { 0,	     1,		 7,	     8,
					 0x7f,	     0x80,	 0xff,	     0x7fff,
					 0xffff,     0x10000,	 0x7fffffff, 0x80000000,
					 0xfffffff0, UINT32_MAX, INT64_MAX,  UINT64_MAX - 7,
					 UINT64_MAX };
	uint32_t r = fuzz_rand(seed);

	switch (r >> 8 & 7) {
	case 0: return old + 1 + r % 16;
	case 1: return old - 1 - r % 16;
	case 2: return old ^ 1ULL << r % 64;
	case 3: return old * 2;
	case 4: return r % 256;
	case 5: return (uint64_t)fuzz_rand(seed) << 32 | fuzz_rand(seed);
	default: return edge[r % ARRAY_SIZE(edge)];
	}
}
