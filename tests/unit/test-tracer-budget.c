// SPDX-License-Identifier: GPL-2.0-or-later
/* What a stop costs the program, on a quiet machine and on a busy one. */
#include "unit.h"

#ifdef __linux__
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracer/tracer-int.h"

#define MS 1000000ULL

static uint64_t lost(uint64_t ran, uint64_t waited, struct stop_cost c, unsigned stops)
{
	struct tracee th = { .lately = { ran, waited } };

	return budget_lost(&th, &c, stops) - stops * BUDGET_STOP_NS;
}

static void test_quiet(void **state)
{
	struct stop_cost c = { .took = 20 * MS, .delay = 3 * MS, .cpu = MS };

	(void)state;
	assert_int_equal(lost(100 * MS, 0, c, 1), 26 * MS);
	assert_int_equal(lost(100 * MS, 0, c, 2), 32 * MS);
	/* nobody counts its time, or it has not run since */
	assert_int_equal(lost(0, 0, c, 1), 26 * MS);
	assert_int_equal(lost(0, MS, c, 1), 26 * MS);
}

/* While it stood, others had the CPUs, as they would have had. */
static void test_busy(void **state)
{
	struct stop_cost c = { .took = 20 * MS, .delay = 10 * MS, .cpu = MS };

	(void)state;
	assert_int_equal(lost(10 * MS, 10 * MS, c, 1), 20 * MS);
	assert_int_equal(lost(10 * MS, 30 * MS, c, 1), 10 * MS);
	/* what we took of the CPUs is lost at least */
	assert_int_equal(lost(10 * MS, 10000 * MS, c, 1), MS);
}

/* How busy the machine was is of the time since the last stop, and less and less of what was before. */
static void test_lately(void **state)
{
	struct tracee th = { .lately = { 0, 64 * MS } };
	struct stop_cost c = { .took = 16 * MS };
	uint64_t last = 0, now;

	(void)state;
	for (int i = 0; i < 8; i++, last = now) {
		th.lately.ran += 8 * MS;
		now = budget_lost(&th, &c, 1);
		assert_true(now > last);
	}
	assert_true(now < 16 * MS + BUDGET_STOP_NS);
	assert_true(now > 15 * MS);
}

/* A thread of which the kernel says @text. */
static void says(struct tracee *th, const char *text)
{
	assert_int_equal(ftruncate(th->time_fd, 0), 0);
	assert_int_equal(pwrite(th->time_fd, text, strlen(text), 0), strlen(text));
}

/* How busy the machine was before we came says nothing of now, and CPU time from then pays for nothing. */
static void test_attached(void **state)
{
	FILE *f = tmpfile();
	struct tracer t = { .opts.reg_budget = 5 };
	struct tracee th = { 0 };
	struct stop_cost c = { .took = MS };

	(void)state;
	assert_non_null(f);
	th.time_fd = fileno(f);
	says(&th, "500000000 4500000000 7\n");
	budget_attached(&t, &th);
	says(&th, "506000000 4502000000 9\n");
	budget_rest(&t, &th, &c, 1);
	assert_int_equal(th.lately.ran, 3 * MS);
	assert_int_equal(th.lately.waited, MS);
	fclose(f);
}

/* A kernel without CONFIG_SCHEDSTATS has the file, with zeros: rests end by the clock. */
static void test_zeros(void **state)
{
	FILE *f = tmpfile();
	uint64_t before = tracer_now();
	struct tracer t = { 0 };
	struct tracee th = { 0 };

	(void)state;
	assert_non_null(f);
	th.time_fd = fileno(f);
	says(&th, "0 0 0\n");
	budget_attached(&t, &th);
	assert_true(th.times.ran >= before);
	/* it has run for less than a tick, on a kernel that counts these */
	says(&th, "0 0 1\n");
	budget_attached(&t, &th);
	assert_int_equal(th.times.ran, 0);
	fclose(f);
}

/* A stop that took @took; behind it the thread runs for as long as it is to rest. */
static void stop(struct tracer *t, struct tracee *th, uint64_t *ran, uint64_t took)
{
	struct stop_cost c = { .took = took, .cpu = took };
	char text[64];

	budget_rest(t, th, &c, 1);
	*ran += th->pause;
	snprintf(text, sizeof(text), "%llu 0 9\n", (unsigned long long)*ran);
	says(th, text);
}

/* The mean length of the windows of @n stops that took @took each. */
static uint64_t rests(struct tracer *t, struct tracee *th, uint64_t *ran, uint64_t took, int n)
{
	uint64_t begin = *ran - th->place;

	for (int i = 0; i < n; i++)
		stop(t, th, ran, took);
	return (*ran - th->place - begin) / (uint64_t)n;
}

/*
 * Code of which a stop takes twice as long is sampled nearly as often, for a second or two: else a program's phases
 * would be seen the less the more branches they have. In the long run what all stops took is paid.
 */
static void test_phases(void **state)
{
	FILE *f = tmpfile();
	struct tracer t = { .opts.reg_budget = 5 };
	struct tracee th = { 0 };
	uint64_t ran = 1000 * MS, cheap, dear, last;

	(void)state;
	assert_non_null(f);
	th.time_fd = fileno(f);
	says(&th, "1000000000 0 9\n");
	budget_attached(&t, &th);
	(void)rests(&t, &th, &ran, MS, 64);
	cheap = rests(&t, &th, &ran, MS, 8);
	dear = rests(&t, &th, &ran, 2 * MS, 8);
	assert_true(dear < cheap * 4 / 3);
	(void)rests(&t, &th, &ran, 2 * MS, 400);
	last = rests(&t, &th, &ran, 2 * MS, 8);
	assert_true(last > cheap * 9 / 5 && last < cheap * 11 / 5);
	fclose(f);
}

/* The mean window of a thread that stops for itself every @every ns of its time, a signal each. */
static double windows(uint64_t every)
{
	enum { STOPS = 400 };
	FILE *f = tmpfile();
	struct tracer t = { .opts.reg_budget = 5 };
	struct tracee th = { 0 };
	uint64_t ran = 1000 * MS, begin = 0;

	assert_non_null(f);
	th.time_fd = fileno(f);
	says(&th, "1000000000 0 9\n");
	budget_attached(&t, &th);
	for (int i = 0; i < 2 * STOPS; i++) {
		if (i == STOPS) /* the first ones know little of what is to come */
			begin = ran - th.place;
		stop(&t, &th, &ran, MS);
		while (every && th.own_stops < (ran - 1000 * MS) / every)
			budget_own_stop(&t, &th);
	}
	assert_int_equal(t.stats.own_stops, th.own_stops);
	fclose(f);
	return (double)(ran - th.place - begin) / STOPS;
}

/* What a program's own signals take is taken from samples: 60 us each of 4 % that are measured, but half is left. */
static void test_own_stops(void **state)
{
	double without = windows(0), some = windows(6 * MS), many = windows(MS / 10);

	(void)state;
	assert_true(some > without * 1.28 && some < without * 1.42); /* 97 / 3 over 96 / 4 */
	assert_true(many > without * 1.9 && many < without * 2.2);
}

/*
 * A program that does the same again after each usual rest is seen in all of it, and about as often as by stops at one
 * distance: no two of them are farther apart than two windows.
 */
static void test_returns(void **state)
{
	enum { STOPS = 800, PARTS = 8 };
	FILE *f = tmpfile();
	struct tracer t = { .opts.reg_budget = 5 };
	struct tracee th = { 0 };
	uint64_t ran = 1000 * MS, last, seen[PARTS] = { 0 };

	(void)state;
	assert_non_null(f);
	th.time_fd = fileno(f);
	says(&th, "1000000000 0 9\n");
	budget_attached(&t, &th);
	(void)rests(&t, &th, &ran, 4 * MS, 64);
	for (int i = 0; i < STOPS; i++) {
		last = ran;
		stop(&t, &th, &ran, 4 * MS);
		assert_true(ran - last < t.usual_rest * 17 / 8);
		seen[ran % t.usual_rest * PARTS / t.usual_rest]++;
	}
	for (int i = 0; i < PARTS; i++)
		assert_in_range(seen[i], STOPS / PARTS / 2, STOPS / PARTS * 2);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet),	cmocka_unit_test(test_busy),
		cmocka_unit_test(test_lately),	cmocka_unit_test(test_attached),
		cmocka_unit_test(test_zeros),	cmocka_unit_test(test_phases),
		cmocka_unit_test(test_returns), cmocka_unit_test(test_own_stops),
	};

	return cmocka_run_group_tests_name("tracer-budget", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux");
	return 0;
}
#endif
