// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader on recordings made by hand: headers of every kind, records, damage. */
#include "base/file.h"
#include "dump/dump.h"
#include "perfdata-build.h"

/* A type that nobody has; one of simpleperf's, as long as misc and size together say. */
#define TYPE_UNKNOWN	60
#define TYPE_SIMPLEPERF 32770

#define SAMPLE_SIZE 40 /* what put_sample() makes */

static struct build f;

static void small_file(bool big, uint32_t attr_size)
{
	size_t comm;

	start_file(&f, big, attr_size);
	comm = begin_record(&f, PERF_RECORD_COMM, 0);
	P32(&f, 10);
	P32(&f, 11);
	put(&f, "make\0\0\0\0", 8);
	P32(&f, 10); /* sample_id: tid, time, id */
	P32(&f, 11);
	P64(&f, 5);
	P64(&f, EVENT_ID);
	end_record(&f, comm);
	put_sample(&f, 0x1000, 6, EVENT_ID);
	put_header(&f, TYPE_UNKNOWN, 0, 16);
	P64(&f, 0);
	put_sample(&f, 0x2000, 7, EVENT_ID);
	end_file(&f);
}

static void check_small(struct perfdata *pd, bool swap)
{
	struct perfdata_stats st;
	struct record_comm comm;
	struct record_id id;
	struct record rec;
	struct err e;

	assert_int_equal(perfdata_next(pd, &rec, &e), 1);
	assert_int_equal(rec.type, PERF_RECORD_COMM);
	assert_int_equal(rec.swap, swap);
	assert_int_equal(rec.time, 5);
	assert_int_equal(record_comm(&rec, &comm, &e), 0);
	assert_int_equal(comm.tid, 11);
	assert_string_equal(comm.comm, "make");
	record_sample_id(&rec, &id);
	assert_int_equal(id.present, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID);
	assert_int_equal(id.pid, 10);
	assert_int_equal(id.tid, 11);
	assert_int_equal(id.time, 5);
	assert_int_equal(id.id, EVENT_ID);
	assert_int_equal(perfdata_next(pd, &rec, &e), 1);
	assert_int_equal(sample_ip(&rec), 0x1000);
	assert_int_equal(rec.time, 6);
	assert_non_null(rec.event);
	assert_int_equal(perfdata_next(pd, &rec, &e), 1);
	assert_int_equal(rec.type, TYPE_UNKNOWN);
	assert_string_equal(record_type_name(rec.type), "UNKNOWN");
	assert_int_equal(rec.time, RECORD_NO_TIME);
	assert_int_equal(perfdata_next(pd, &rec, &e), 1);
	assert_int_equal(sample_ip(&rec), 0x2000);
	assert_int_equal(perfdata_next(pd, &rec, &e), 0);
	assert_int_equal(perfdata_next(pd, &rec, &e), 0);
	perfdata_stats(pd, &st);
	assert_int_equal(st.records, 4);
	assert_int_equal(st.unknown_records, 1);
}

static void files_of_every_size(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 176, 200 };
	struct perfdata *pd;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (int big = 0; big < 2; big++) {
			small_file(big, sizes[i]);
			assert_int_equal(open_build(&pd, &f, &e), 0);
			assert_int_equal(perfdata_nr_events(pd), 1);
			assert_int_equal(perfdata_event(pd, 0)->attr.size, sizes[i]);
			assert_int_equal(perfdata_event(pd, 0)->attr.sample_type, BUILD_TYPE);
			assert_int_equal(perfdata_event(pd, 0)->attr.flags,
					 ATTR_FLAG_SAMPLE_ID_ALL);
			assert_string_equal(perfdata_event(pd, 0)->name, "cpu-clock");
			assert_ptr_equal(perfdata_event_by_id(pd, EVENT_ID), perfdata_event(pd, 0));
			assert_null(perfdata_event_by_id(pd, 78));
			check_small(pd, big != host_is_big_endian());
			perfdata_close(pd);
		}
	}
}

/* Version 1: "PERFFILE" in either order, told by the size of its attrs. */
static void version_one(void **state)
{
	struct perfdata_layout l;
	struct perfdata *pd;
	struct err e;

	(void)state;
	for (int big = 0; big < 2; big++) {
		small_file(big, 72);
		memcpy(f.b, "PERFFILE", 8);
		assert_int_equal(open_build(&pd, &f, &e), 0);
		perfdata_layout(pd, &l);
		assert_int_equal(l.version, 1);
		assert_int_equal(perfdata_swapped(pd), big != host_is_big_endian());
		check_small(pd, big != host_is_big_endian());
		perfdata_close(pd);
	}
	/* and its header without a feature bitmap */
	small_file(false, 64);
	set(&f, AT_HEADER_SIZE, AT_FEATURES, 8);
	assert_int_equal(open_build(&pd, &f, &e), 0);
	perfdata_close(pd);
}

static void put_feature_string(const char *s)
{
	P32(&f, 64);
	put(&f, s, strlen(s));
	put_zero(&f, 64 - strlen(s));
}

static void feature_file(bool big, const char *payload)
{
	size_t at;

	small_file(big, 64);
	set(&f, AT_FEATURES,
	    BIT(FEAT_HOSTNAME) | BIT(FEAT_NRCPUS) | BIT(FEAT_CMDLINE) | BIT(FEAT_EVENT_DESC), 8);
	set(&f, AT_FEATURES + 8 * 3, BIT(FEAT_SAMPLE_SOURCE % 64) | BIT(63), 8);
	at = f.n;
	put_zero(&f, 6 * 16);
#define SECTION(i, body)                                  \
	do {                                              \
		size_t start = f.n;                       \
		body;                                     \
		set(&f, at + (i)*16, start, 8);           \
		set(&f, at + (i)*16 + 8, f.n - start, 8); \
	} while (0)
	SECTION(0, put_feature_string("box"));
	SECTION(1, (P32(&f, 8), P32(&f, 4)));
	SECTION(2, (P32(&f, 2), put_feature_string("perf"), put_feature_string("it's")));
	SECTION(3, (P32(&f, 1), P32(&f, 64), put_attr(&f, 64, 0, 0), P32(&f, 1),
		    put_feature_string("my event"), P64(&f, EVENT_ID)));
	/* behind it the payload of an event that there is not, and that of the one there is */
	SECTION(4, (P32(&f, 1), P32(&f, 1), P32(&f, 0), put_feature_string("kernel"),
		    put_feature_string(""), put_feature_string("x"), P32(&f, 3), P32(&f, 1),
		    put_feature_string(RAW_BASES), P32(&f, 0), put_feature_string(payload),
		    P32(&f, UINT32_MAX), put_feature_string("")));
	SECTION(5, P64(&f, 0)); /* feature 255: nobody knows it */
}

static void check_features(struct perfdata *pd)
{
	const struct perfdata_env *env = perfdata_env(pd);
	struct perfdata_stats st;
	struct obuf o;

	assert_string_equal(env->hostname, "box");
	assert_string_equal(env->arch, "");
	assert_int_equal(env->nr_cpus_avail, 8);
	assert_int_equal(env->nr_cpus_online, 4);
	assert_int_equal(env->nr_cmdline, 2);
	assert_string_equal(env->cmdline[1], "it's");
	assert_string_equal(perfdata_event(pd, 0)->name, "my event");
	perfdata_stats(pd, &st);
	assert_int_equal(st.unknown_features, 1);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(dump_header(pd, &o, true, NULL), 0);
	obuf_char(&o, 0);
	assert_non_null(strstr(o.buf, "# hostname : box\n# nrcpus online : 4\n# nrcpus avail : 8\n"
				      "# cmdline : perf it\\'s \n# event : name = my event, , "
				      "id = { 77 }, type = 1 (PERF_TYPE_SOFTWARE), size = 64, "));
	assert_non_null(strstr(o.buf, "# sample source : my event, registers from kernel (x)\n"));
	assert_non_null(strstr(o.buf, "# missing features: TRACING_DATA BUILD_ID OSRELEASE "));
	obuf_free(&o);
}

static void features(void **state)
{
	struct perfdata *pd;
	struct err e;
	uint64_t bits;

	(void)state;
	for (int big = 0; big < 2; big++) {
		feature_file(big, RAW_BASES);
		assert_int_equal(open_build(&pd, &f, &e), 0);
		check_features(pd);
		assert_true(perfdata_event(pd, 0)->raw_bases);
		assert_false(perfdata_event(pd, 0)->raw_mxcsr);
		perfdata_close(pd);
		feature_file(big, RAW_BASES_AND_MXCSR);
		assert_int_equal(open_build(&pd, &f, &e), 0);
		assert_true(perfdata_event(pd, 0)->raw_bases);
		assert_true(perfdata_event(pd, 0)->raw_mxcsr);
		perfdata_close(pd);
		feature_file(big, RAW_MXCSR);
		assert_int_equal(open_build(&pd, &f, &e), 0);
		assert_false(perfdata_event(pd, 0)->raw_bases);
		assert_true(perfdata_event(pd, 0)->raw_mxcsr);
		perfdata_close(pd);
		feature_file(big, "what comes later");
		assert_int_equal(open_build(&pd, &f, &e), 0);
		check_features(pd);
		assert_false(perfdata_event(pd, 0)->raw_bases);
		perfdata_close(pd);
	}
	/* A foreign bitmap of u32 words: its halves change places. */
	feature_file(!host_is_big_endian(), "");
	for (int i = 0; i < 4; i++) {
		bits = load_u64(f.b + 72 + i * 8, true);
		set(&f, (size_t)(72 + i * 8), bits << 32 | bits >> 32, 8);
	}
	assert_int_equal(open_build(&pd, &f, &e), 0);
	check_features(pd);
	perfdata_close(pd);
}

/* A pipe: attrs, names and features are records. */
static void pipe_mode(void **state)
{
	struct perfdata *pd;
	struct record rec;
	struct err e;

	(void)state;
	for (int big = 0; big < 2; big++) {
		for (int through = 0; through < 2; through++) {
			uint64_t types = 0;
			int fd;

			start_pipe(&f, big);
			put_header(&f, PERF_RECORD_HEADER_ATTR, 0, 8 + PERF_ATTR_SIZE_VER0 + 8);
			put_attr(&f, PERF_ATTR_SIZE_VER0, BUILD_TYPE, ATTR_FLAG_SAMPLE_ID_ALL);
			P64(&f, EVENT_ID);
			put_header(&f, PERF_RECORD_EVENT_UPDATE, 0, 24 + 8);
			P64(&f, 2); /* its name */
			P64(&f, EVENT_ID);
			put(&f, "named\0\0\0", 8);
			put_header(&f, PERF_RECORD_HEADER_FEATURE, 0, 16 + 68);
			P64(&f, FEAT_HOSTNAME);
			put_feature_string("pipe");
			put_header(&f, PERF_RECORD_HEADER_TRACING_DATA, 0, 12);
			P32(&f, 5); /* bytes behind the record, padded to 8 */
			put(&f, "trace\0\0\0", 8);
			put_sample(&f, 1, 2, EVENT_ID);
			fd = through ? pipefile(f.b, f.n) : memfile(f.b, f.n);
			assert_int_equal(open_fd(&pd, fd, NULL, &e), 0);
			close(fd);
			assert_true(perfdata_is_pipe(pd));
			/* known before the first record is asked for */
			assert_int_equal(perfdata_nr_events(pd), 1);
			assert_string_equal(perfdata_event(pd, 0)->name, "named");
			assert_string_equal(perfdata_env(pd)->hostname, "pipe");
			while (perfdata_next(pd, &rec, &e) > 0)
				types = types * 100 + rec.type;
			assert_int_equal(types, 6478806609);
			assert_int_equal(sample_ip(&rec), 1);
			{
				size_t size;
				const char *raw =
					perfdata_feature_raw(pd, FEAT_TRACING_DATA, &size);

				assert_int_equal(size, 5);
				assert_memory_equal(raw, "trace", 5);
			}
			assert_int_equal(perfdata_nr_events(pd), 1);
			perfdata_close(pd);
		}
	}
}

static void two_events(void **state)
{
	struct perfdata *pd;
	struct record rec;
	struct err e;

	(void)state;
	start_pipe(&f, false);
	for (int i = 0; i < 2; i++) {
		put_header(&f, PERF_RECORD_HEADER_ATTR, 0, 8 + 64 + 8);
		put_attr(&f, 64, BUILD_TYPE, ATTR_FLAG_SAMPLE_ID_ALL);
		P64(&f, 100 + i);
	}
	put_sample(&f, 1, 1, 101);
	put_sample(&f, 2, 2, 100);
	put_sample(&f, 3, 3, 55);
	assert_int_equal(open_build(&pd, &f, &e), 0);
	perfdata_next(pd, &rec, &e);
	perfdata_next(pd, &rec, &e);
	assert_int_equal(perfdata_next(pd, &rec, &e), 1);
	assert_int_equal(rec.event->idx, 1);
	assert_int_equal(perfdata_next(pd, &rec, &e), 1);
	assert_int_equal(rec.event->idx, 0);
	assert_int_equal(perfdata_next(pd, &rec, &e), 1);
	assert_null(rec.event);
	perfdata_close(pd);
}

/* AUX area data lies behind its record and is not part of it. */
static void aux_payload(void **state)
{
	struct perfdata *pd;
	struct record rec;
	struct err e;

	(void)state;
	start_file(&f, false, 64);
	put_header(&f, PERF_RECORD_AUXTRACE, 0, 48);
	P64(&f, 4096);
	put_zero(&f, 32);
	put_zero(&f, 4096);
	put_sample(&f, 9, 9, EVENT_ID);
	put_header(&f, TYPE_SIMPLEPERF, 1, 24); /* 64 KiB and 24 bytes */
	put_zero(&f, 65536 + 16);
	put_sample(&f, 10, 10, EVENT_ID);
	end_file(&f);
	for (int ordered = 0; ordered < 2; ordered++) {
		uint64_t ips = 0;

		assert_int_equal(open_build(&pd, &f, &e), 0);
		while ((ordered ? perfdata_next_ordered : perfdata_next)(pd, &rec, &e) > 0)
			if (rec.type == PERF_RECORD_SAMPLE)
				ips = ips * 100 + sample_ip(&rec);
		assert_int_equal(ips, 910);
		perfdata_close(pd);
	}
	/* and it may not pass the end */
	set(&f, data_start(&f) + 8, 1 << 30, 8);
	assert_int_equal(open_build(&pd, &f, &e), 0);
	assert_int_equal(perfdata_next(pd, &rec, &e), -ENODATA);
	assert_non_null(strstr(e.text, "AUXTRACE"));
	perfdata_close(pd);
}

/* Cut after every byte: opening fails, or every whole record comes and the cut is named. */
static void cut_anywhere(void **state)
{
	struct perfdata *pd;
	struct record rec;
	struct err e;
	size_t first, n;

	(void)state;
	small_file(false, 64);
	first = data_start(&f);
	n = f.n;
	for (f.n = 0; f.n < n; f.n++) {
		static const size_t ends[] = { 48, 88, 104, 144 }; /* of the four records */
		size_t whole = 0, got = 0;
		int ret;

		memset(&e, 0, sizeof(e));
		ret = open_build(&pd, &f, &e);
		if (f.n < first) {
			assert_int_not_equal(ret, 0);
			assert_true(e.text[0]);
			continue;
		}
		assert_int_equal(ret, 0);
		for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
			whole += first + ends[i] <= f.n;
		while ((ret = perfdata_next_ordered(pd, &rec, &e)) > 0)
			got++;
		assert_int_equal(got, whole);
		assert_int_equal(ret, -ENODATA);
		assert_non_null(strstr(e.text, "offset 0x"));
		assert_int_equal(perfdata_next_ordered(pd, &rec, &e), 0);
		perfdata_close(pd);
	}
}

/* What the reader told, a line each. */
static void keep(void *ctx, enum log_level level, const char *text)
{
	char *told = ctx;
	size_t n = strlen(told);

	assert_int_equal(level, LOG_WARN);
	snprintf(told + n, 512 - n, "%s\n", text);
}

/* Records of a type that nobody knows are left out, and said once, at the end. */
static void unknown_types(void **state)
{
	char told[512] = "";
	struct perfdata_opts opts = { .log = { keep, told } };
	struct perfdata *pd;
	struct record rec;
	struct err e = { 0 };
	int fd;

	(void)state;
	small_file(false, 64);
	fd = memfile(f.b, f.n);
	assert_int_equal(open_fd(&pd, fd, &opts, &e), 0);
	assert_string_equal(told, "");
	while (perfdata_next(pd, &rec, &e) > 0)
		;
	assert_int_equal(perfdata_next(pd, &rec, &e), 0);
	assert_non_null(strstr(told, ": 1 records are of types that this perf does not know"));
	assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
	perfdata_close(pd);
	close(fd);
}

/* The recorder was killed: the header's data size is 0, the last record may be cut. */
static void unfinished(void **state)
{
	char told[512] = "";
	struct perfdata_opts opts = { .log = { keep, told } };
	struct perfdata_layout l;
	struct perfdata *pd;
	struct record rec;
	struct err e;
	int n = 0, fd;

	(void)state;
	small_file(false, 64);
	set(&f, AT_DATA_SIZE, 0, 8);
	put(&f, "\x09\0\0\0\0\0\x28\0half", 12);
	fd = memfile(f.b, f.n);
	assert_int_equal(open_fd(&pd, fd, &opts, &e), 0);
	perfdata_layout(pd, &l);
	assert_true(l.data_cut);
	while (perfdata_next_ordered(pd, &rec, &e) > 0)
		n++;
	assert_int_equal(n, 4);
	assert_non_null(strstr(told, "the recording was not finished: the last record at offset"));
	perfdata_close(pd);
	close(fd);
}

static bool note_progress(void *ctx, uint64_t done, uint64_t total)
{
	uint64_t *last = ctx;

	assert_true(done >= *last && done <= total + 1000);
	*last = done;
	return false;
}

/* A million samples. */
static int large_file(void)
{
	int fd;

	start_file(&f, false, 64);
	end_file(&f);
	fd = memfile(f.b, f.n);
	f.n = 0;
	for (int i = 0; i < 20; i++)
		put_sample(&f, 1, 1, EVENT_ID);
	for (int i = 0; i < 50000; i++)
		assert_int_equal(write_all(fd, f.b, f.n), 0);
	f.n = 8;
	set(&f, 0, 50000ULL * 20 * SAMPLE_SIZE, 8);
	assert_int_equal(pwrite(fd, f.b, 8, AT_DATA_SIZE), 8);
	return fd;
}

/* A caller hears of progress now and then, and how much there is. */
static void progress(void **state)
{
	uint64_t last = 0;
	struct perfdata_opts opts = { .progress = note_progress, .ctx = &last };
	struct perfdata *pd;
	struct record rec;
	struct err e;
	int fd = large_file();

	(void)state;
	assert_int_equal(open_fd(&pd, fd, &opts, &e), 0);
	while (perfdata_next(pd, &rec, &e) > 0)
		;
	assert_true(last > 16 << 20);
	perfdata_close(pd);
	close(fd);
}

static bool enough(void *ctx, uint64_t done, uint64_t total)
{
	size_t *calls = ctx;

	(void)total;
	++*calls;
	return done > 1000;
}

static size_t samples_of(int fd, const struct perfdata_opts *opts)
{
	struct perfdata *pd;
	struct record rec;
	struct err e = { 0 };
	size_t n = 0;

	assert_int_equal(open_fd(&pd, fd, opts, &e), 0);
	while (perfdata_next(pd, &rec, &e) > 0)
		n += rec.type == PERF_RECORD_SAMPLE;
	assert_int_equal(e.code, 0);
	perfdata_close(pd);
	close(fd);
	return n;
}

/* Where a caller has enough a recording ends: in a file, and in a pipe that nobody writes to any more. */
static void broken_off(void **state)
{
	size_t calls = 0;
	struct perfdata_opts opts = { .progress = enough, .ctx = &calls };
	int fds[2];

	(void)state;
	assert_in_range(samples_of(large_file(), &opts), 1000 / SAMPLE_SIZE, 500000);
	assert_int_equal(calls, 2);

	start_pipe(&f, false);
	put_header(&f, PERF_RECORD_HEADER_ATTR, 0, 8 + PERF_ATTR_SIZE_VER0 + 8);
	put_attr(&f, PERF_ATTR_SIZE_VER0, BUILD_TYPE, ATTR_FLAG_SAMPLE_ID_ALL);
	P64(&f, EVENT_ID);
	for (int i = 0; i < 70; i++)
		put_sample(&f, 1, 1, EVENT_ID);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(write_all(fds[1], f.b, f.n - 8), 0);
	calls = 0;
	assert_int_equal(samples_of(fds[0], &opts), 69);
	assert_int_equal(calls, 2);
	close(fds[1]);
}

static void expect_refused(const char *why)
{
	struct perfdata *pd;
	struct err e = { 0 };

	assert_true(open_build(&pd, &f, &e) < 0);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, e.text);
	assert_null(pd);
}

/* Counts and sizes that lie. */
static void hostile(void **state)
{
	struct perfdata *pd;
	struct record rec;
	struct err e;

	(void)state;
	small_file(false, 64);
	set(&f, AT_HEADER_SIZE, BUILD_HEADER_SIZE + 1, 8);
	expect_refused("header of 105 bytes");
	small_file(false, 64);
	set(&f, AT_ATTR_SIZE, 0, 8);
	expect_refused("bytes for each attr");
	small_file(false, 64);
	set(&f, AT_ATTR_SIZE, UINT64_MAX, 8);
	expect_refused("bytes for each attr");
	small_file(false, 64);
	set(&f, AT_ATTRS_SIZE, UINT64_MAX - 1000, 8);
	expect_refused("pass the end of the file");
	small_file(false, 64);
	set(&f, AT_DATA_OFFSET, UINT64_MAX - 8, 8);
	expect_refused("cannot be");
	small_file(false, 64);
	/* The size of its ids is the last word before the data. */
	set(&f, data_start(&f) - 8, 1ULL << 40, 8);
	expect_refused("ids of event 0");
	small_file(false, 64);
	memcpy(f.b, "PERFILE3", 8);
	expect_refused("not a perf.data file");
	small_file(false, 64);
	set(&f, data_start(&f) + 6, 7, 2); /* the COMM's size */
	assert_int_equal(open_build(&pd, &f, &e), 0);
	assert_int_equal(perfdata_next(pd, &rec, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "COMM (3): size 7 is smaller than its own header"));
	perfdata_close(pd);
	/* features whose table or payload is elsewhere are left out */
	feature_file(false, "");
	set(&f, f.n - 1, 0, 1);
	f.n -= 300;
	assert_int_equal(open_build(&pd, &f, &e), 0);
	perfdata_close(pd);
}

static void bodies(void **state)
{
	struct record_namespaces ns;
	struct record_mmap m;
	struct record rec = { .type = PERF_RECORD_MMAP2,
			      .misc = PERF_RECORD_MISC_MMAP_BUILD_ID,
			      .offset = 0x10 };
	struct err e;

	(void)state;
	start_records(&f, host_is_big_endian());
	begin_record(&f, PERF_RECORD_MMAP2, rec.misc);
	put_mapping(&f, 1, 2, 0x1000, 0x2000, 0x3000);
	put(&f, "\x14\0\0\0aaaaaaaaaaaaaaaaaaaa", 24);
	P32(&f, 5);
	P32(&f, 2);
	put_string(&f, "/bin/ls");
	end_record(&f, 0);
	rec.data = f.b;
	rec.size = (uint32_t)f.n;
	assert_int_equal(record_mmap(&rec, &m, &e), 0);
	assert_int_equal(m.build_id_size, 20);
	assert_memory_equal(m.build_id, "aaaaaaaaaaaaaaaaaaaa", 20);
	assert_int_equal(m.addr + m.len + m.pgoff, 0x6000);
	assert_int_equal(m.prot, 5);
	assert_string_equal(m.filename, "/bin/ls");
	/* a name without an end, and every shorter record */
	f.b[f.n - 1] = 'x';
	assert_int_equal(record_mmap(&rec, &m, &e), -EBADMSG);
	assert_ptr_equal(strstr(e.text, "record at offset 0x10, MMAP2 (10): "), e.text);
	for (rec.size = 8; rec.size < f.n; rec.size++)
		assert_int_equal(record_mmap(&rec, &m, &e), -EBADMSG);
	/* a count that overflows when multiplied */
	f.n = 0;
	put_header(&f, PERF_RECORD_NAMESPACES, 0, 24);
	P64(&f, 0);
	P64(&f, 1ULL << 60);
	rec.size = 24;
	rec.type = PERF_RECORD_NAMESPACES;
	assert_int_equal(record_namespaces(&rec, &ns, &e), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_every_size),
		cmocka_unit_test(version_one),
		cmocka_unit_test(features),
		cmocka_unit_test(pipe_mode),
		cmocka_unit_test(two_events),
		cmocka_unit_test(aux_payload),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(unknown_types),
		cmocka_unit_test(unfinished),
		cmocka_unit_test(hostile),
		cmocka_unit_test(bodies),
		cmocka_unit_test(progress),
		cmocka_unit_test(broken_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
