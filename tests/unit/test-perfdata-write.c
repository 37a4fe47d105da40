// SPDX-License-Identifier: GPL-2.0-or-later
/* The writer, read back: files, pipes, zstd, killed recorders, full disks, host features. */
#include "host/host.h"
#include "dump/dump.h"
#include "config.h"
#include "perfdata-build.h"

#define NR 3000

static const uint64_t ids[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };

static struct perfdata_writer *writer(int fd, bool pipe, int level)
{
	struct perfdata_writer_event ev[3] = {
		{ .name = "first", .leader = 0, .nr_members = 2, .group = "both" },
		{ .name = "second", .leader = 0, .nr_members = 0 },
		{ .name = "third", .leader = 2, .nr_members = 1 },
	};
	struct perfdata_writer_opts opts = { .fd = fd, .pipe = pipe, .compress_level = level };
	struct perfdata_writer *w = NULL;
	struct err e = { 0 };

	for (int i = 0; i < 3; i++) {
		ev[i].attr.type = PERF_TYPE_SOFTWARE;
		ev[i].attr.config = (uint64_t)i;
		ev[i].attr.sample_type = BUILD_TYPE;
		ev[i].attr.flags = ATTR_FLAG_SAMPLE_ID_ALL;
		ev[i].ids = ids[i];
		ev[i].nr_ids = 2;
	}
	ev[2].attr.sample_max_stack = 7; /* needs 112 bytes */
	if (perfdata_writer_open(&w, &opts, ev, 3, &e))
		fail_msg("%s", e.text);
	return w;
}

/* Sample @i in two pieces, as out of a ring that wraps. */
static int put_one(struct perfdata_writer *w, uint64_t i, struct err *e)
{
	static struct build f;
	size_t cut;

	start_records(&f, host_is_big_endian());
	put_sample(&f, i, i + 1, ids[i % 3][i % 2]);
	cut = 1 + i % (f.n - 1);
	return perfdata_writer_write(w, f.b, cut, f.b + cut, f.n - cut, e);
}

static void feature_string(struct perfdata_writer *w, int id, const char *s)
{
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	feature_put_string(&o, s);
	assert_int_equal(perfdata_writer_feature(w, id, o.buf, o.len, NULL), 0);
	obuf_free(&o);
}

/* The samples that are there, from the first on without a gap. */
static uint64_t count(struct perfdata *pd, struct err *e)
{
	struct record rec;
	uint64_t n = 0;
	int ret;

	while ((ret = perfdata_next_ordered(pd, &rec, e)) > 0) {
		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		assert_int_equal(sample_ip(&rec), n);
		assert_int_equal(rec.event->idx, n % 3);
		n++;
	}
	if (ret)
		fail_msg("%s", e->text);
	return n;
}

static void check_events(const struct perfdata *pd)
{
	const struct perfdata_event *ev = perfdata_event(pd, 0);

	assert_int_equal(perfdata_nr_events(pd), 3);
	assert_string_equal(ev->name, "first");
	assert_string_equal(ev->group, "both");
	assert_int_equal(ev->nr_members, 2);
	assert_int_equal(ev->nr_ids, 2);
	assert_int_equal(ev->attr.size, 112);
	assert_int_equal(perfdata_event(pd, 1)->leader, 0);
	assert_int_equal(perfdata_event(pd, 1)->nr_members, 0);
	assert_int_equal(perfdata_event(pd, 2)->attr.sample_max_stack, 7);
	assert_ptr_equal(perfdata_event_by_id(pd, 6), perfdata_event(pd, 2));
}

/* COMPRESSED records of a pipe's form. */
static uint64_t packed_records(int fd)
{
	uint64_t at = 16, nr = 0;
	struct perf_event_header h;

	while (pread(fd, &h, sizeof(h), (off_t)at) == sizeof(h) && h.size) {
		nr += h.type == PERF_RECORD_COMPRESSED;
		at += h.size;
	}
	return nr;
}

static void there_and_back(void **state)
{
	struct err e = { 0 };

	(void)state;
	for (int pipe = 0; pipe < 2; pipe++) {
		for (int level = 0; level <= (HAVE_ZSTD ? 3 : 0); level += 3) {
			int fd = memfile("", 0);
			struct perfdata_writer *w = writer(fd, pipe, level);
			struct perfdata_stats stats;
			struct perfdata *pd;
			size_t size;

			feature_string(w, FEAT_HOSTNAME, "here");
			feature_string(w, FEAT_SAMPLE_SOURCE, "");
			for (uint64_t i = 0; i < NR; i++)
				assert_int_equal(put_one(w, i, &e), 0);
			assert_int_equal(perfdata_writer_finish(w, &e), 0);
			assert_int_equal(perfdata_writer_raw_bytes(w), NR * 40);
			assert_int_equal(perfdata_writer_bytes(w), lseek(fd, 0, SEEK_END));
			if (level)
				assert_true(perfdata_writer_bytes(w) < NR * 20);
			perfdata_writer_free(w);
			assert_int_equal(open_fd(&pd, fd, NULL, &e), 0);
			assert_int_equal(perfdata_is_pipe(pd), pipe);
			check_events(pd);
			assert_string_equal(perfdata_env(pd)->hostname, "here");
			assert_int_equal(perfdata_has_feature(pd, FEAT_COMPRESSED), level != 0);
			assert_non_null(perfdata_feature_raw(pd, FEAT_SAMPLE_SOURCE, &size));
			assert_int_equal(count(pd, &e), NR);
			perfdata_stats(pd, &stats);
			if (pipe)
				assert_int_equal(stats.compressed[0], packed_records(fd));
			perfdata_close(pd);
			close(fd);
		}
	}
}

/* Nobody calls finish: what was flushed is there, whatever came after. */
static void killed(void **state)
{
	struct err e = { 0 };

	(void)state;
	for (int level = 0; level <= (HAVE_ZSTD ? 3 : 0); level += 3) {
		int fd = memfile("", 0);
		struct perfdata_writer *w = writer(fd, false, level);
		struct perfdata *pd;
		uint64_t flushed = 0;

		for (uint64_t i = 0; i < NR; i++) {
			assert_int_equal(put_one(w, i, &e), 0);
			if (i % 701 == 700) {
				assert_int_equal(perfdata_writer_flush(w, &e), 0);
				flushed = i + 1;
			}
			if (i % 350)
				continue;
			assert_int_equal(open_fd(&pd, fd, NULL, &e), 0);
			assert_int_equal(count(pd, &e), flushed);
			perfdata_close(pd);
		}
		/* half a write behind the last flush */
		assert_int_equal(pwrite(fd, "\x09\0\0\0", 4, lseek(fd, 0, SEEK_END)), 4);
		assert_int_equal(open_fd(&pd, fd, NULL, &e), 0);
		assert_int_equal(count(pd, &e), flushed);
		perfdata_close(pd);
		perfdata_writer_free(w);
		close(fd);
	}
}

/* Large pieces go out without being copied, between small ones. */
static void large_pieces(void **state)
{
	static unsigned char big[2][65528 * 2];
	int fd = memfile("", 0);
	struct perfdata_writer *w = writer(fd, false, 0);
	struct perfdata *pd;
	struct record rec;
	struct err e = { 0 };
	int n = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		unsigned char *p = big[i / 2] + i % 2 * 65528;

		store_u32(p, PERF_RECORD_SAMPLE);
		store_u16(p + 6, 65528);
	}
	put_one(w, 0, &e);
	assert_int_equal(perfdata_writer_write(w, big[0], sizeof(big[0]), big[1], 65528, &e), 0);
	put_one(w, 1, &e);
	assert_int_equal(perfdata_writer_finish(w, &e), 0);
	perfdata_writer_free(w);
	assert_int_equal(open_fd(&pd, fd, NULL, &e), 0);
	while (perfdata_next(pd, &rec, &e) > 0)
		n = n * 10 + (rec.size == 65528);
	assert_int_equal(n, 1110);
	perfdata_close(pd);
	close(fd);
}

static size_t frames_begun(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	unsigned char *b = malloc((size_t)size);
	size_t n = 0;

	assert_non_null(b);
	assert_int_equal(pread(fd, b, (size_t)size, 0), size);
	for (off_t i = 0; i + 4 <= size; i++)
		n += !memcmp(b + i, "\x28\xb5\x2f\xfd", 4);
	free(b);
	return n;
}

static enum perfdata_keep nothing(void *ctx, const struct record *rec)
{
	(void)ctx, (void)rec;
	return PERFDATA_KEEP_NOT;
}

/* Frames of about 2 MB of records, which several threads can unpack: each payload that begins one is counted. */
static void frames(void **state)
{
	const struct perfdata_index_opts o = { 1 << 20, 3, nothing, NULL, false };
	static unsigned char all[9 << 20], one[48];
	struct perfdata_index *x;
	struct perfdata *pd;
	struct record rec;
	struct err e = { 0 };
	size_t n = sizeof(all) / sizeof(one), begun = 0;

	(void)state;
	store_u32(one, PERF_RECORD_SAMPLE);
	store_u16(one + 6, sizeof(one));
	/* By single records; in one piece that is larger than frames are to be. */
	for (int how = 0; HAVE_ZSTD && how < 2; how++) {
		int fd = memfile("", 0);
		struct perfdata_writer *w = writer(fd, false, 1);

		for (uint64_t i = 0; i < n; i++) {
			const uint64_t body[5] = { i, 1, i + 1, 1, i * 0x9e3779b97f4a7c15 };

			memcpy(one + 8, body, sizeof(body));
			memcpy(all + i * sizeof(one), one, sizeof(one));
			if (!how)
				perfdata_writer_write(w, one, 8, one + 8, sizeof(one) - 8, &e);
		}
		if (how)
			perfdata_writer_write(w, all, n * sizeof(one), NULL, 0, &e);
		assert_int_equal(perfdata_writer_finish(w, &e), 0);
		perfdata_writer_free(w);
		begun = frames_begun(fd);
		assert_true(begun >= (how ? 2 : 4) && begun <= 5);
		assert_int_equal(open_fd(&pd, fd, NULL, &e), 0);
		assert_int_equal(perfdata_index_new(&x, pd, &o, &e), 0);
		assert_true(perfdata_nr_pieces(x) > 4);
		assert_int_equal(perfdata_read_pieces(pd, x, 0, perfdata_nr_pieces(x), &e), 0);
		for (uint64_t i = 0; i < n; i++) {
			assert_int_equal(perfdata_next_ordered(pd, &rec, &e), 1);
			assert_int_equal(sample_ip(&rec), i);
		}
		assert_int_equal(perfdata_next_ordered(pd, &rec, &e), 0);
		perfdata_index_free(x);
		perfdata_close(pd);
		close(fd);
	}
}

static void disk_full(void **state)
{
	struct perfdata_writer_event ev = { .name = "x", .nr_members = 1 };
	int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	struct perfdata_writer_opts opts = { .fd = fd };
	struct perfdata_writer *w;
	struct err e = { 0 };

	(void)state;
	if (fd < 0)
		skip_because("/dev/full cannot be opened");
	assert_int_equal(perfdata_writer_open(&w, &opts, &ev, 1, &e), -ENOSPC);
	assert_null(w);
	assert_non_null(strstr(e.text, "No space left"));
	assert_non_null(strstr(e.hint, "disk is full"));
	close(fd);
}

/* What this host has is readable again, and the names agree with uname. */
static void host(void **state)
{
	int fd = memfile("", 0), nr = 0;
	struct perfdata_writer *w = writer(fd, false, 0);
	struct perfdata *pd;
	struct err e = { 0 };
	struct obuf o;
	char name[256];

	(void)state;
	for (int id = 1; id < FEAT_LAST; id++) {
		assert_int_equal(obuf_init(&o, -1, 0), 0);
		if (host_feature(id, &o) == 0) {
			assert_int_equal(perfdata_writer_feature(w, id, o.buf, o.len, &e), 0);
			nr++;
		}
		obuf_free(&o);
	}
	assert_true(nr >= 6);
	put_one(w, 0, &e);
	assert_int_equal(perfdata_writer_finish(w, &e), 0);
	perfdata_writer_free(w);
	assert_int_equal(open_fd(&pd, fd, NULL, &e), 0);
	gethostname(name, sizeof(name));
	assert_string_equal(perfdata_env(pd)->hostname, name);
	assert_true(perfdata_env(pd)->nr_cpus_online > 0);
	assert_true(perfdata_env(pd)->total_mem_kb > 0);
	assert_string_equal(perfdata_env(pd)->version, PERF_VERSION);
	assert_true(perfdata_env(pd)->e_machine > 0);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(dump_header(pd, &o, true, &e), 0);
	obuf_char(&o, 0);
	assert_non_null(strstr(o.buf, "# hostname : "));
	snprintf(name, sizeof(name), "# e_machine : %u\n", perfdata_env(pd)->e_machine);
	assert_non_null(strstr(o.buf, name));
	obuf_free(&o);
	perfdata_close(pd);
	close(fd);
}

/* A recorder that fails behind the end of a file ends it as it ends any other. */
static void finished_twice(void **state)
{
	int fd = memfile("", 0);
	struct perfdata_writer *w = writer(fd, false, 0);
	struct perfdata *pd;
	struct err e = { 0 };
	off_t size;

	(void)state;
	for (uint64_t i = 0; i < NR; i++)
		assert_int_equal(put_one(w, i, &e), 0);
	assert_int_equal(perfdata_writer_finish(w, &e), 0);
	size = lseek(fd, 0, SEEK_END);
	assert_int_equal(perfdata_writer_flush(w, &e), 0);
	assert_int_equal(perfdata_writer_finish(w, &e), 0);
	perfdata_writer_free(w);
	assert_int_equal(lseek(fd, 0, SEEK_END), size);
	assert_int_equal(open_fd(&pd, fd, NULL, &e), 0);
	check_events(pd);
	assert_int_equal(count(pd, &e), NR);
	perfdata_close(pd);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back), cmocka_unit_test(killed),
		cmocka_unit_test(large_pieces),	  cmocka_unit_test(disk_full),
		cmocka_unit_test(host),		  cmocka_unit_test(frames),
		cmocka_unit_test(finished_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
