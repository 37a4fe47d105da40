// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of an engine as a recording: numbers of chains back to their callers, names that are no names of files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/fleet.h"
#include "unit.h"

static void test_path(void **state)
{
	static const int64_t funcs[] = { -1, 0, 1, 0x401000, INT64_MAX, INT64_MIN };
	uint64_t root = fleet_path(FLEET_PATH_ROOT, "web server", -1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(funcs); i++) {
		uint64_t a = fleet_path(root, "0123456789abcdef", funcs[i]),
			 b = fleet_path(a, "", -1);

		assert_true(a <= INT64_MAX);
		assert_int_equal(fleet_path_up(b, "", -1), a);
		assert_int_equal(fleet_path_up(a, "0123456789abcdef", funcs[i]), root);
	}
	assert_int_equal(fleet_path_up(root, "web server", -1), FLEET_PATH_ROOT & INT64_MAX);
}

/* What the recording has of its samples' periods and frames. */
static void count(const char *path, uint64_t *samples, uint64_t *period)
{
	struct perfdata *pd;
	struct record rec;
	struct err e = { 0 };

	*samples = *period = 0;
	assert_int_equal(perfdata_open(&pd, path, &(struct perfdata_opts){ 0 }, &e), 0);
	while (perfdata_next(pd, &rec, &e) > 0)
		if (rec.type == PERF_RECORD_SAMPLE) {
			/* header, id, ip, pid and tid, period */
			uint64_t v;

			memcpy(&v, (const char *)rec.data + 32, 8);
			++*samples;
			*period += v;
		}
	perfdata_close(pd);
}

static void test_hostile(void **state)
{
	static const char *const names[] = { "../../../etc/passwd", "..", "", "a/b",
					     "[kernel.kallsyms]" };
	char dir[] = "/tmp/perf-compose.XXXXXX", path[200], command[200];
	uint64_t root = fleet_path(FLEET_PATH_ROOT, "c\n\x1b", -1), samples, period;
	struct fleet_composed done;
	struct fleet_compose *c;
	struct stat st;
	struct err e = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(fleet_compose_new(&c, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct fleet_row leaf = { "cycles", names[i], "", 7, fleet_path(root, names[i], 7),
					  3,	    10 };
		struct fleet_row top = { "cycles", "", "c\n\x1b", -1, root, 0, 0 };

		assert_int_equal(fleet_compose_row(c, &leaf, &e), 0);
		assert_int_equal(fleet_compose_row(c, &top, &e), 0);
		assert_int_equal(
			fleet_compose_object(c, names[i], i ? "user" : "module", names[i], &e), 0);
		assert_int_equal(fleet_compose_function(c, names[i], 7, "f\t\n g", &e), 0);
	}
	assert_int_equal(fleet_compose_function(c, "never told", 7, "g", &e), 0);
	assert_int_equal(fleet_compose_write(c, dir, true, &done, &e), 0);
	assert_int_equal(done.samples, 15);
	fleet_compose_free(c);
	snprintf(path, sizeof(path), "%s/recording", dir);
	count(path, &samples, &period);
	assert_int_equal(samples, 15);
	assert_int_equal(period, 50);
	snprintf(path, sizeof(path), "%s/objects/a_b", dir);
	assert_int_equal(stat(path, &st), 0);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* Maps of the kernel's side, whose addresses may not be one another's. */
static size_t check_kernel_maps(const char *path)
{
	struct record_mmap map[2000];
	struct perfdata *pd;
	struct record rec;
	struct err e = { 0 };
	size_t n = 0;

	assert_int_equal(perfdata_open(&pd, path, &(struct perfdata_opts){ 0 }, &e), 0);
	while (perfdata_next(pd, &rec, &e) > 0) {
		if (rec.type != PERF_RECORD_MMAP || !(rec.misc & PERF_RECORD_MISC_KERNEL) ||
		    (rec.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
			continue;
		assert_true(n < ARRAY_SIZE(map));
		assert_int_equal(record_mmap(&rec, &map[n], &e), 0);
		for (size_t i = 0; i < n; i++)
			assert_true(map[n].addr >= map[i].addr + map[i].len ||
				    map[i].addr >= map[n].addr + map[n].len);
		n++;
	}
	perfdata_close(pd);
	return n;
}

/* Many objects of every kind, as a fleet has them; more modules than there is room for. */
static void test_modules(void **state)
{
	char dir[] = "/tmp/perf-compose.XXXXXX", path[200], command[200], id[32], name[32];
	static const char *const kinds[] = { "user", "module", "bpf" };
	uint64_t root = fleet_path(FLEET_PATH_ROOT, "prog", -1);
	struct fleet_composed done;
	struct fleet_compose *c;
	struct err e = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(fleet_compose_new(&c, &e), 0);
	for (unsigned i = 0; i < 1800; i++) {
		struct fleet_row leaf = { "cycles", id, "", 7, 0, 1, 1 };
		struct fleet_row top = { "cycles", "", "prog", -1, root, 0, 0 };

		snprintf(id, sizeof(id), "id%u", i);
		snprintf(name, sizeof(name), "object%u", i);
		leaf.path = fleet_path(root, id, 7);
		assert_int_equal(fleet_compose_row(c, &leaf, &e), 0);
		assert_int_equal(fleet_compose_row(c, &top, &e), 0);
		assert_int_equal(fleet_compose_object(c, id, kinds[i % 3], name, &e), 0);
		assert_int_equal(fleet_compose_function(c, id, 7, "f", &e), 0);
	}
	for (unsigned i = 0; i < 70000;
	     i++) { /* of one module more functions than it has room for */
		snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(fleet_compose_function(c, "id1", 100 + i, name, &e), 0);
	}
	assert_int_equal(fleet_compose_write(c, dir, true, &done, &e), 0);
	fleet_compose_free(c);
	snprintf(path, sizeof(path), "%s/recording", dir);
	assert_int_equal(check_kernel_maps(path), 1023);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* Counts whose sum begins anew at 2^64 would be that many samples on the disk. */
static void test_counts_too_large(void **state)
{
	const struct fleet_row row = { .event = "e",
				       .object = "",
				       .name = "",
				       .func = -1,
				       .n = 8000000000000000000ULL,
				       .period = UINT64_MAX };
	const struct fleet_branch branch = { "e", "", "", -1, -1, 0, UINT64_MAX, 0, 0, 0 };
	struct fleet_compose *c;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(fleet_compose_new(&c, &e), 0);
	assert_int_equal(fleet_compose_row(c, &row, &e), 0);
	assert_int_equal(fleet_compose_row(c, &row, &e), 0);
	assert_int_equal(fleet_compose_row(c, &row, &e), -EPROTO);
	assert_non_null(strstr(e.text, "more samples than 64 bits can hold"));
	err_clear(&e);
	assert_int_equal(fleet_compose_branch(c, &branch, &e), 0);
	assert_int_equal(fleet_compose_branch(c, &branch, &e), -EPROTO);
	assert_non_null(strstr(e.text, "more branches than 64 bits can hold"));
	err_clear(&e);
	fleet_compose_free(c);
}

/* Entries of branch stacks, their flags added up: mispredicted, predicted, with cycles, cycles. */
static void count_branches(const char *path, uint64_t sum[5])
{
	struct perfdata *pd;
	struct record rec;
	struct err e = { 0 };

	memset(sum, 0, 5 * sizeof(*sum));
	assert_int_equal(perfdata_open(&pd, path, &(struct perfdata_opts){ 0 }, &e), 0);
	while (perfdata_next(pd, &rec, &e) > 0) {
		uint64_t nr, flags;

		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		/* header, id, ip, pid and tid, period, then the stack */
		memcpy(&nr, (const char *)rec.data + 40, 8);
		assert_true(nr && nr <= 32);
		for (uint64_t i = 0; i < nr; i++) {
			memcpy(&flags, (const char *)rec.data + 48 + 24 * i + 16, 8);
			sum[0]++;
			sum[1] += flags & 1;
			sum[2] += flags >> 1 & 1;
			sum[3] += (flags >> 4 & 0xffff) != 0;
			sum[4] += flags >> 4 & 0xffff;
		}
	}
	perfdata_close(pd);
}

static void compose_branches(const struct fleet_branch *b, size_t n, struct fleet_composed *done,
			     uint64_t sum[5])
{
	char dir[] = "/tmp/perf-compose.XXXXXX", path[200], command[200];
	struct fleet_compose *c;
	struct err e = { 0 };

	assert_non_null(mkdtemp(dir));
	assert_int_equal(fleet_compose_new(&c, &e), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(fleet_compose_branch(c, &b[i], &e), 0);
	assert_int_equal(fleet_compose_object(c, "id", "user", "/bin/prog", &e), 0);
	assert_int_equal(fleet_compose_function(c, "id", 7, "f", &e), 0);
	assert_int_equal(fleet_compose_write(c, dir, false, done, &e), 0);
	fleet_compose_free(c);
	snprintf(path, sizeof(path), "%s/recording", dir);
	count_branches(path, sum);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void test_branches(void **state)
{
	const struct fleet_branch told[] = {
		{ "cycles", "id", "id", 7, 7, 1, 100, 10, 1200, 60 },
		{ "cycles", "id", "", 7, -1, 99, 5, 7, 0, 0 }, /* more mispredicted than taken */
		{ "cycles", "", "id", -1, 7, -3, 0, 0, 0, 0 },
	};
	const struct fleet_branch untold = { "cycles", "id", "id", 7, 7, 0, 40, 0, 0, 0 };
	const struct fleet_branch many[] = {
		{ "cycles", "id", "id", 7, 7, 0, UINT64_MAX / 2, 0, 0, 0 },
		{ "cycles", "id", "id", 7, 7, 0, UINT64_MAX / 2 - 9, UINT64_MAX, 1, 1 },
		{ "cycles", "id", "id", 7, 7, 0, 1, 0, UINT64_MAX, 1 },
	};
	struct fleet_composed done;
	uint64_t sum[5];

	(void)state;
	compose_branches(told, ARRAY_SIZE(told), &done, sum);
	assert_int_equal(done.samples, 105);
	assert_int_equal(done.of_each, 1);
	assert_int_equal(sum[0], 105);
	assert_int_equal(sum[1], 15);
	assert_int_equal(sum[2], 90);
	assert_int_equal(sum[3], 60);
	assert_int_equal(sum[4], 1200);
	/* Where none was ever mispredicted none is told to be predicted. */
	compose_branches(&untold, 1, &done, sum);
	assert_int_equal(sum[0], 40);
	assert_int_equal(sum[1] + sum[2] + sum[3], 0);
	/* A recording stays one, whatever the numbers. */
	compose_branches(many, ARRAY_SIZE(many), &done, sum);
	assert_true(done.of_each > 1 && sum[0] > 1 << 20 && sum[0] <= (1 << 21) + 3);
	assert_int_equal(sum[4], UINT16_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),	 cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_modules),	 cmocka_unit_test(test_counts_too_large),
		cmocka_unit_test(test_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
