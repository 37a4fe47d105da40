// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading ahead: the same records in the same order, whoever is faster, whatever comes between. */
#include <sched.h>
#include <time.h>

#include "perfdata-build.h"

#define SAMPLES 20000

static struct build f;

static void open_file(struct perfdata **pd)
{
	struct err e;

	assert_int_equal(open_fd(pd, memfile(f.b, f.n), NULL, &e), 0);
}

/* Samples in pairs of the wrong order, and a large record now and then. */
static void many_samples(void)
{
	start_file(&f, false, 64);
	for (uint64_t t = 1; t <= SAMPLES; t++) {
		uint64_t time = 1000 + (t ^ 1);

		put_sample(&f, time ^ 0x5555, time, 77);
		if (t == SAMPLES / 2) {
			put_header(&f, 60, 0, 65528);
			put_zero(&f, 65528 - 8);
		}
	}
	end_file(&f);
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 300000 }, NULL);
}

static void same_records(void **state)
{
	struct perfdata *pd, *direct;
	struct perfdata_ahead *a;
	struct record rec, want;
	struct err e;
	size_t n = 0;
	int ret;

	(void)state;
	many_samples();
	open_file(&pd);
	open_file(&direct);
	assert_int_equal(perfdata_ahead_start(&a, pd, &e), 0);
	while ((ret = perfdata_ahead_next(a, &rec, &e)) > 0) {
		assert_int_equal(perfdata_next_ordered(direct, &want, &e), 1);
		assert_int_equal(rec.type, want.type);
		assert_int_equal(rec.size, want.size);
		assert_int_equal(rec.offset, want.offset);
		assert_int_equal(rec.time, want.time);
		assert_memory_equal(rec.data, want.data, want.size);
		assert_int_equal(rec.event->idx, want.event->idx);
		/* Let the reader run into a full ring; otherwise the user waits for it. */
		if (++n < SAMPLES / 2 && n % 2000 == 0)
			nap();
	}
	assert_int_equal(ret, 0);
	assert_int_equal(n, SAMPLES + 1);
	assert_int_equal(perfdata_next_ordered(direct, &want, &e), 0);
	assert_int_equal(perfdata_ahead_next(a, &rec, &e), 0);
	perfdata_ahead_stop(a);
	perfdata_close(pd);
	perfdata_close(direct);
}

/* Whoever has enough may stop: the reader sleeps at a full ring or has long ended. */
static void stop_early(void **state)
{
	static const size_t taken[] = { 0, 1, 5000, SAMPLES };
	struct perfdata_ahead *a;
	struct perfdata *pd;
	struct record rec;
	struct err e;

	(void)state;
	many_samples();
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
		open_file(&pd);
		assert_int_equal(perfdata_ahead_start(&a, pd, &e), 0);
		for (size_t n = 0; n < taken[i]; n++)
			assert_int_equal(perfdata_ahead_next(a, &rec, &e), 1);
		if (i & 1)
			nap();
		perfdata_ahead_stop(a);
		perfdata_close(pd);
	}
	perfdata_ahead_stop(NULL);
}

/* Damage is told once, after all that is whole before it. */
static void damaged(void **state)
{
	struct perfdata_ahead *a;
	struct perfdata *pd;
	struct record rec;
	struct err e = { 0 };
	size_t n = 0;
	int ret;

	(void)state;
	start_file(&f, false, 64);
	for (uint64_t t = 1; t <= 5000; t++)
		put_sample(&f, t, t, 77);
	put_header(&f, PERF_RECORD_SAMPLE, 0, 4);
	end_file(&f);
	open_file(&pd);
	assert_int_equal(perfdata_ahead_start(&a, pd, &e), 0);
	while ((ret = perfdata_ahead_next(a, &rec, &e)) > 0)
		n++;
	assert_int_equal(n, 5000);
	assert_true(ret < 0);
	assert_int_equal(e.code, ret);
	assert_non_null(strstr(e.text, "size 4"));
	assert_int_equal(perfdata_ahead_next(a, &rec, &e), 0);
	perfdata_ahead_stop(a);
	perfdata_close(pd);
}

/*
 * Records inside the data that change the events: no change is made while the user may look at
 * them, which is whenever it does not wait.
 */
static void events_change(void **state)
{
	struct perfdata_ahead *a;
	struct perfdata *pd;
	struct record rec;
	struct err e;
	size_t n = 0;

	(void)state;
	start_file(&f, false, 64);
	for (uint64_t t = 1; t <= 3000; t++) {
		put_sample(&f, t, t, 77);
		if (t % 300)
			continue;
		put_header(&f, PERF_RECORD_FINISHED_ROUND, 0, 8);
		put_header(&f, PERF_RECORD_HEADER_ATTR, 0, 8 + 64 + 8);
		put_attr(&f, 64, BUILD_TYPE, ATTR_FLAG_SAMPLE_ID_ALL);
		P64(&f, 100 + t);
	}
	end_file(&f);
	open_file(&pd);
	assert_int_equal(perfdata_ahead_start(&a, pd, &e), 0);
	for (;;) {
		size_t events = perfdata_nr_events(pd);

		if (n % 100 == 0)
			nap();
		assert_int_equal(perfdata_nr_events(pd), events);
		if (perfdata_ahead_next(a, &rec, &e) <= 0)
			break;
		n++;
	}
	assert_int_equal(n, 3000 + 2 * 10);
	assert_int_equal(perfdata_nr_events(pd), 11);
	perfdata_ahead_stop(a);

	perfdata_close(pd);
	open_file(&pd);
	assert_int_equal(perfdata_ahead_start(&a, pd, &e), 0);
	nap();
	assert_int_equal(perfdata_nr_events(pd), 1);
	perfdata_ahead_stop(a);
	perfdata_close(pd);
}

static bool may_use_two(void)
{
	cpu_set_t cpus;

	return !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) > 1;
}

static void useful(void **state)
{
	struct perfdata *pd;
	struct err e;

	(void)state;
	start_pipe(&f, false);
	put_header(&f, PERF_RECORD_HEADER_ATTR, 0, 8 + 64 + 8);
	put_attr(&f, 64, BUILD_TYPE, ATTR_FLAG_SAMPLE_ID_ALL);
	P64(&f, 77);
	assert_int_equal(open_fd(&pd, pipefile(f.b, f.n), NULL, &e), 0);
	assert_false(perfdata_ahead_useful(pd));
	perfdata_close(pd);

	/* A second CPU, and more than a batch; also where the recorder was killed and wrote no size. */
	many_samples();
	open_file(&pd);
	assert_int_equal(perfdata_ahead_useful(pd), may_use_two());
	perfdata_close(pd);
	memset(f.b + AT_DATA_SIZE, 0, 8);
	open_file(&pd);
	assert_int_equal(perfdata_ahead_useful(pd), may_use_two());
	perfdata_close(pd);
	start_file(&f, false, 64);
	put_sample(&f, 1, 1000, 77);
	end_file(&f);
	open_file(&pd);
	assert_false(perfdata_ahead_useful(pd));
	perfdata_close(pd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_records), cmocka_unit_test(stop_early),
		cmocka_unit_test(damaged),	cmocka_unit_test(events_change),
		cmocka_unit_test(useful),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
