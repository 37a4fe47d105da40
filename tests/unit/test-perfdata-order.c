// SPDX-License-Identifier: GPL-2.0-or-later
/* Records in the order of their time: rounds, many runs, no order at all, short memory. */
#include "perfdata-build.h"

#define MANY 20000

static struct build f;

static void finished_round(void)
{
	put_header(&f, PERF_RECORD_FINISHED_ROUND, 0, 8);
}

/* The times that come out, as text: "1 2 | 3 " with | for FINISHED_ROUND. */
static void check_times(const char *want, uint64_t unordered)
{
	struct perfdata_stats st;
	struct perfdata *pd;
	struct record rec;
	struct err e;
	char got[512] = "";
	size_t n = 0;

	end_file(&f);
	assert_int_equal(open_build(&pd, &f, &e), 0);
	while (perfdata_next_ordered(pd, &rec, &e) > 0) {
		if (rec.type == PERF_RECORD_FINISHED_ROUND)
			n += (size_t)snprintf(got + n, sizeof(got) - n, "| ");
		else
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%ld ", (long)rec.time);
	}
	assert_string_equal(got, want);
	perfdata_stats(pd, &st);
	assert_int_equal(st.unordered, unordered);
	perfdata_close(pd);
}

static void times(const uint64_t *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_sample(&f, t[i], t[i], 77);
}

#define TIMES(...) \
	times((const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

static void rounds(void **state)
{
	(void)state;
	/* What is newer than the round before may still be overtaken, so it waits. */
	start_file(&f, false, 64);
	TIMES(1, 4, 6);
	TIMES(2, 3, 5);
	finished_round();
	TIMES(7, 9);
	TIMES(6, 8);
	finished_round();
	TIMES(10);
	check_times("| | 1 2 3 4 5 6 6 7 8 9 10 ", 0);

	/* A record older than what was delivered already comes all the same. */
	start_file(&f, false, 64);
	TIMES(1, 2);
	finished_round();
	TIMES(5);
	finished_round();
	TIMES(1, 6);
	check_times("| | 1 2 1 5 6 ", 1);

	/* Equal times: in the order of the file. */
	start_file(&f, false, 64);
	put_sample(&f, 1, 5, 77);
	put_sample(&f, 2, 4, 77);
	put_sample(&f, 3, 5, 77);
	check_times("4 5 5 ", 0);
}

/* What has no time, or time 0, comes where it stands. */
static void without_time(void **state)
{
	(void)state;
	start_file(&f, false, 64);
	TIMES(3);
	put_header(&f, 60, 0, 8);
	TIMES(2);
	TIMES(0);
	TIMES(1);
	check_times("-1 0 1 2 3 ", 0);
}

/*
 * What stands behind the record at hand: whole as far as there is any. Sum of its bytes, which a sanitizer looks at;
 * *@ip: the address of the next one, if it is a sample.
 */
static unsigned look_behind(const struct perfdata *pd, const struct record *rec, uint64_t *ip)
{
	size_t nr = 0;
	const unsigned char *p = perfdata_behind(pd, &nr);
	unsigned sum = 0;

	*ip = 0;
	for (size_t i = 0; p && i < min_u64(nr, rec->size); i++)
		sum += p[i];
	if (p && nr >= rec->size && load_u32(p, rec->swap) == PERF_RECORD_SAMPLE)
		*ip = load_u64(p + 8, rec->swap);
	return sum;
}

/* Every record once, ascending; contents belong to their time. How many came that stood behind the one before. */
static size_t check_many(int fd, const struct perfdata_opts *opts, size_t want)
{
	struct perfdata *pd;
	struct record rec;
	struct err e;
	uint64_t last = 0, sum = 0, behind = 0;
	size_t n = 0, expected = 0;

	assert_int_equal(open_fd(&pd, fd, opts, &e), 0);
	while (perfdata_next_ordered(pd, &rec, &e) > 0) {
		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(rec.time >= last);
		last = rec.time;
		assert_int_equal(sample_ip(&rec), rec.time ^ 0x5555);
		expected += sample_ip(&rec) == behind;
		sum += rec.time + look_behind(pd, &rec, &behind);
		n++;
	}
	assert_int_equal(n, want);
	assert_true(sum > 0);
	perfdata_close(pd);
	close(fd);
	return expected;
}

static void no_order_at_all(void **state)
{
	struct perfdata_opts little = { .max_mem = 1 };
	uint64_t seed = 42;

	(void)state;
	for (int as_pipe = 0; as_pipe < 2; as_pipe++) {
		if (as_pipe) {
			start_pipe(&f, true);
			put_header(&f, PERF_RECORD_HEADER_ATTR, 0, 8 + 64 + 8);
			put_attr(&f, 64, BUILD_TYPE, ATTR_FLAG_SAMPLE_ID_ALL);
			P64(&f, 77);
		} else {
			start_file(&f, true, 64);
		}
		for (int i = 0; i < MANY; i++) {
			uint64_t t = unit_random(&seed) >> 20 | 1;

			put_sample(&f, t ^ 0x5555, t, 77);
		}
		if (!as_pipe)
			end_file(&f);
		check_many(memfile(f.b, f.n), NULL, MANY);
		check_many(memfile(f.b, f.n), &little, MANY);
		if (as_pipe) {
			check_many(pipefile(f.b, f.n), NULL, MANY);
			check_many(pipefile(f.b, f.n), &little, MANY);
		}
	}
}

/* 64 rings in each round, as a large machine writes them; through a pipe it is spooled. */
static void many_rings(void **state)
{
	struct perfdata_opts little = { .max_mem = 1 };
	size_t n = 0;

	(void)state;
	start_pipe(&f, false);
	put_header(&f, PERF_RECORD_HEADER_ATTR, 0, 8 + 64 + 8);
	put_attr(&f, 64, BUILD_TYPE, ATTR_FLAG_SAMPLE_ID_ALL);
	P64(&f, 77);
	for (uint64_t round = 0; round < 20; round++) {
		for (uint64_t cpu = 0; cpu < 64; cpu++) {
			for (uint64_t i = 0; i < 15; i++, n++) {
				uint64_t t = 1000 + round * 10000 + i * 500 + cpu * 3 + round % 7;

				put_sample(&f, t ^ 0x5555, t, 77);
			}
		}
		finished_round();
	}
	check_many(memfile(f.b, f.n), NULL, n);
	check_many(pipefile(f.b, f.n), NULL, n);
	check_many(pipefile(f.b, f.n), &little, n);
}

/* Where time ascends the next record is the one behind, but for those that a window's end cuts off. */
static void in_order(void **state)
{
	(void)state;
	start_file(&f, true, 64);
	for (uint64_t t = 1; t <= MANY; t++)
		put_sample(&f, t ^ 0x5555, t, 77);
	end_file(&f);
	assert_in_range(check_many(memfile(f.b, f.n), NULL, MANY), MANY * 9 / 10, MANY - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds),	   cmocka_unit_test(without_time),
		cmocka_unit_test(no_order_at_all), cmocka_unit_test(many_rings),
		cmocka_unit_test(in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
