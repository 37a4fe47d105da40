/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings and single records made by hand, in either byte order. The one place where unit tests
 * lay bytes of perf.data: it writes what it is told, wrong sizes and cut attrs too, and knows
 * nothing of the reader. Scripts have tests/helpers/perfdata.py.
 *
 *	static struct build f;
 *
 *	start_file(&f, big, PERF_ATTR_SIZE_VER5);	 one event of BUILD_TYPE, whose id is EVENT_ID
 *	put_sample(&f, ip, time, EVENT_ID);
 *	end_file(&f);
 *	open_build(&pd, &f, &e);
 *
 * For rooms that are given a record and no file: start_records(), a record, built_record().
 */
#ifndef PERF_UNIT_PERFDATA_BUILD_H
#define PERF_UNIT_PERFDATA_BUILD_H

#include <sys/mman.h>

#include "base/file.h"
#include "base/bytes.h"
#include "perfdata/perfdata.h"
#include "unit.h"

#define EVENT_ID	  77
#define BUILD_HEADER_SIZE 104
#define BUILD_SECTION	  16 /* offset, size */

/* Where the header of a file says what. */
enum {
	AT_MAGIC = 0,
	AT_HEADER_SIZE = 8,
	AT_ATTR_SIZE = 16,
	AT_ATTRS_OFFSET = 24,
	AT_ATTRS_SIZE = 32,
	AT_DATA_OFFSET = 40,
	AT_DATA_SIZE = 48,
	AT_FEATURES = 72, /* 256 bits */
	AT_IDS = BUILD_HEADER_SIZE,
};

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
		for (int i = r = 0; i < 64;
		     i++) /* but for precise_ip, 15 and 16 of which are one number */
			r |= (flags >> i & 1) << (i == 15 || i == 16 ? i + 32 : 63 - i);
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

static inline void start_records(struct build *f, bool big)
{
	f->n = 0;
	f->big = big;
}

/* A record of any type; end_record() says its size, what came since this. */
static inline size_t begin_record(struct build *f, uint32_t type, uint16_t misc)
{
	put_header(f, type, misc, 0);
	return f->n - 8;
}

static inline void end_record(struct build *f, size_t at)
{
	set(f, at + 6, f->n - at, 2);
}

/* A string of a record, filled up to eight bytes. */
static inline void put_string(struct build *f, const char *s)
{
	size_t n = strlen(s) + 1;

	put(f, s, n);
	put_zero(f, (size_t)(align_up(n, 8) - n));
}

/* What MMAP and MMAP2 have in common: where it is mapped. */
static inline void put_mapping(struct build *f, uint32_t pid, uint32_t tid, uint64_t start,
			       uint64_t size, uint64_t pgoff)
{
	P32(f, pid);
	P32(f, tid);
	P64(f, start);
	P64(f, size);
	P64(f, pgoff);
}

/* An MMAP record without what sample_id_all puts behind it. */
static inline void put_mmap(struct build *f, uint16_t misc, uint32_t pid, uint64_t start,
			    uint64_t size, uint64_t pgoff, const char *path)
{
	size_t at = begin_record(f, PERF_RECORD_MMAP, misc);

	put_mapping(f, pid, pid, start, size, pgoff);
	put_string(f, path);
	end_record(f, at);
}

/* The record at @at as the reader would hand it out, of event @ev. */
static inline struct record built_record(const struct build *f, size_t at,
					 struct perfdata_event *ev)
{
	bool swap = f->big != host_is_big_endian();
	const unsigned char *p = f->b + at;

	return (struct record){ .data = p,
				.size = load_u16(p + 6, swap),
				.type = load_u32(p, swap),
				.misc = load_u16(p + 4, swap),
				.time = RECORD_NO_TIME,
				.swap = swap,
				.event = ev };
}

#define BUILD_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID)

/* A sample of BUILD_TYPE; @ip tells samples apart. @more bytes behind its fields, a multiple of 8, are 0. */
static inline void put_long_sample(struct build *f, uint64_t ip, uint64_t time, uint64_t id,
				   unsigned more)
{
	size_t at = begin_record(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	P64(f, ip);
	P32(f, 10);
	P32(f, 11);
	P64(f, time);
	P64(f, id);
	for (; more; more -= 8)
		P64(f, 0);
	end_record(f, at);
}

static inline void put_sample(struct build *f, uint64_t ip, uint64_t time, uint64_t id)
{
	put_long_sample(f, ip, time, id, 0);
}

/* Header and one attr, with @ids ids of EVENT_ID. Records follow; finish with end_file(). */
static inline void start_file_of(struct build *f, bool big, uint32_t attr_size,
				 uint64_t sample_type, unsigned ids)
{
	uint64_t attrs = BUILD_HEADER_SIZE + 8 * ids, entry = attr_size + BUILD_SECTION;

	start_records(f, big);
	put(f, big ? "2ELIFREP" : "PERFILE2", 8);
	P64(f, BUILD_HEADER_SIZE);
	P64(f, entry);
	P64(f, attrs);
	P64(f, entry);
	P64(f, attrs + entry); /* the data */
	P64(f, 0);	       /* their size: end_file() */
	put_zero(f, BUILD_SECTION + 256 / 8);
	for (unsigned i = 0; i < ids; i++)
		P64(f, EVENT_ID);
	put_attr(f, attr_size, sample_type, ATTR_FLAG_SAMPLE_ID_ALL);
	P64(f, ids ? AT_IDS : 0);
	P64(f, 8 * ids);
}

static inline void start_file(struct build *f, bool big, uint32_t attr_size)
{
	start_file_of(f, big, attr_size, BUILD_TYPE, 1);
}

static inline size_t data_start(const struct build *f)
{
	return (size_t)load_u64(f->b + AT_DATA_OFFSET, f->big != host_is_big_endian());
}

static inline void end_file(struct build *f)
{
	set(f, AT_DATA_SIZE, f->n - data_start(f), 8);
}

/* One of a frame's two raw blocks (RFC 8878, 3.1.1.2), in a record; the first has the frame's header. */
static inline void put_block(struct build *f, const unsigned char *p, size_t n, size_t frame,
			     bool second)
{
	size_t at = begin_record(f, PERF_RECORD_COMPRESSED, 0);
	const unsigned char head[9] = {
		0x28, 0xb5, 0x2f, 0xfd, 0xa0, (unsigned char)frame, (unsigned char)(frame >> 8)
	};
	const unsigned char block[3] = { (unsigned char)(n << 3 | second), (unsigned char)(n >> 5),
					 (unsigned char)(n >> 13) };

	if (!second)
		put(f, head, sizeof(head));
	put(f, block, sizeof(block));
	put(f, p, n);
	end_record(f, at);
}

/* In place of end_file(): the records in zstd frames of @room bytes, below 64 KB, in two records each. */
static inline void end_file_packed(struct build *f, size_t room)
{
	size_t start = data_start(f), n = f->n - start, size;
	unsigned char *data = malloc(n + 1);

	assert_non_null(data);
	memcpy(data, f->b + start, n);
	f->n = start;
	for (size_t at = 0; at < n; at += size) {
		size = n - at < room ? n - at : room;
		put_block(f, data + at, size / 3, size, false);
		put_block(f, data + at + size / 3, size - size / 3, size, true);
	}
	free(data);
	end_file(f);
	/* Foreign readers believe the bits when the host's name is among them. */
	set(f, AT_FEATURES, BIT(FEAT_HOSTNAME) | BIT(FEAT_COMPRESSED), 8);
	start = f->n + 2 * BUILD_SECTION;
	P64(f, start);
	P64(f, 8);
	P64(f, start + 8);
	P64(f, 20);
	P32(f, 4);
	put(f, "box", 4);
	for (uint32_t i = 0; i < 5; i++)
		P32(f, 1);
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
