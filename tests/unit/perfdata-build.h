/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings made by hand, in either byte order, for the tests of the reader. */
#ifndef PERF_UNIT_PERFDATA_BUILD_H
#define PERF_UNIT_PERFDATA_BUILD_H

#include <sys/mman.h>

#include "perfdata/perfdata.h"
#include "unit.h"

struct build {
	unsigned char b[1 << 20];
	size_t n;
	bool big;
};

static inline void put(struct build *f, const void *p, size_t n)
{
	assert_true(f->n + n <= sizeof(f->b));
	memcpy(f->b + f->n, p, n);
	f->n += n;
}

static inline void set(struct build *f, size_t at, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		f->b[at + (size_t)(f->big ? size - 1 - i : i)] = (unsigned char)(v >> (8 * i));
}

static inline void put_n(struct build *f, uint64_t v, int size)
{
	assert_true(f->n + (size_t)size <= sizeof(f->b));
	set(f, f->n, v, size);
	f->n += (size_t)size;
}

#define P16(f, v) put_n((f), (v), 2)
#define P32(f, v) put_n((f), (v), 4)
#define P64(f, v) put_n((f), (v), 8)

static inline void put_zero(struct build *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_n(f, 0, 1);
}

/* The 64 flag bits as a compiler of that byte order lays them out. */
static inline void put_flags(struct build *f, uint64_t flags)
{
	uint64_t r = flags;

	if (f->big)
		for (int i = r = 0; i < 64; i++)
			r |= (flags >> i & 1) << (63 - i);
	P64(f, r);
}

/* The first 64 bytes of an attr, then zeros up to @size. */
static inline void put_attr(struct build *f, uint32_t size, uint64_t sample_type, uint64_t flags)
{
	size_t start = f->n;

	P32(f, PERF_TYPE_SOFTWARE);
	P32(f, size);
	P64(f, PERF_COUNT_SW_CPU_CLOCK);
	P64(f, 1000);
	P64(f, sample_type);
	P64(f, 0);
	put_flags(f, flags);
	put_zero(f, start + size - f->n);
}

static inline void put_header(struct build *f, uint32_t type, uint16_t misc, uint16_t size)
{
	P32(f, type);
	P16(f, misc);
	P16(f, size);
}

#define BUILD_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID)

/* A sample of BUILD_TYPE; @ip tells samples apart. */
static inline void put_sample(struct build *f, uint64_t ip, uint64_t time, uint64_t id)
{
	put_header(f, PERF_RECORD_SAMPLE, 2, 40);
	P64(f, ip);
	P32(f, 10);
	P32(f, 11);
	P64(f, time);
	P64(f, id);
}

/* Header, one attr of BUILD_TYPE with one id (77). Records follow; finish with end_file(). */
static inline void start_file(struct build *f, bool big, uint32_t attr_size)
{
	f->n = 0;
	f->big = big;
	put(f, big ? "2ELIFREP" : "PERFILE2", 8);
	P64(f, 104);
	P64(f, attr_size + 16);
	P64(f, 112);
	P64(f, attr_size + 16);
	P64(f, 112 + attr_size + 16); /* data */
	P64(f, 0);
	put_zero(f, 16 + 32);
	P64(f, 77); /* the id, at 104 */
	put_attr(f, attr_size, BUILD_TYPE, ATTR_FLAG_SAMPLE_ID_ALL);
	P64(f, 104);
	P64(f, 8);
}

static inline size_t data_start(const struct build *f)
{
	return f->big ? (size_t)load_u64(f->b + 40, !host_is_big_endian())
		      : (size_t)load_u64(f->b + 40, host_is_big_endian());
}

static inline void end_file(struct build *f)
{
	set(f, 48, f->n - data_start(f), 8);
}

static inline void start_pipe(struct build *f, bool big)
{
	f->n = 0;
	f->big = big;
	put(f, big ? "2ELIFREP" : "PERFILE2", 8);
	P64(f, 16);
}

static inline int memfile(const void *p, size_t n)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, p, n), 0);
	return fd;
}

/* The bytes in a pipe; @n must fit into it. */
static inline int pipefile(const void *p, size_t n)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	fcntl(fds[1], F_SETPIPE_SZ, 1 << 20);
	assert_int_equal(write_all(fds[1], p, n), 0);
	close(fds[1]);
	return fds[0];
}

static inline int open_fd(struct perfdata **pd, int fd, const struct perfdata_opts *opts,
			  struct err *e)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return perfdata_open(pd, path, opts, e);
}

static inline int open_build(struct perfdata **pd, const struct build *f, struct err *e)
{
	int fd = memfile(f->b, f->n), ret = open_fd(pd, fd, NULL, e);

	close(fd);
	return ret;
}

static inline uint64_t sample_ip(const struct record *rec)
{
	return load_u64(rec->data + 8, rec->swap);
}

#endif
