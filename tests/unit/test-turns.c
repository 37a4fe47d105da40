// SPDX-License-Identifier: GPL-2.0-or-later
/* Work shared by threads: every number once, results in their order, an end that all agree on. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/side.h"
#include "base/turns.h"
#include "host/host.h"
#include "unit.h"

#define N 2000

static void count(void *ctx, size_t i)
{
	atomic_fetch_add(&((atomic_int *)ctx)[i], 1);
}

/* Each thread of a call has a number of its own, those of a call within it too. */
static void who(void *ctx, size_t i)
{
	_Atomic(pthread_t) *is = ctx;
	unsigned at = side_thread();
	pthread_t none = 0;

	assert_in_range(at, 0, 3);
	if (!atomic_compare_exchange_strong(&is[at], &none, pthread_self()))
		assert_true(pthread_equal(atomic_load(&is[at]), pthread_self()));
	if (i % 5 == 0) {
		atomic_int seen[8] = { 0 };

		side_by_side(3, 8, count, seen);
		assert_int_equal(side_thread(), at);
	}
	sched_yield();
}

static void threads_have_numbers(void **state)
{
	_Atomic(pthread_t) is[4] = { 0 };

	(void)state;
	side_by_side(4, 200, who, is);
	if (atomic_load(&is[0]))
		assert_true(pthread_equal(atomic_load(&is[0]), pthread_self()));
	assert_int_equal(side_thread(), 0);
}

static void each_number_once(void **state)
{
	static const unsigned threads[] = { 0, 1, 2, 7, 1000 };

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(threads); t++) {
		atomic_int seen[N] = { 0 };

		side_by_side(threads[t], N, count, seen);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(atomic_load(&seen[i]), 1);
	}
	side_by_side(3, 0, count, NULL);
}

/* Works for a while of CPU time; the first number of @ctx has a half of it done side by side. */
static void spin(void *ctx, size_t i)
{
	double until = side_seconds() + 0.02;

	if (ctx && !i)
		side_by_side(2, 2, spin, NULL);
	else
		while (side_seconds() < until)
			;
}

/* By CPU time, so that it is no matter how many CPUs there are. */
static void tells_what_was_saved(void **state)
{
	static const struct {
		unsigned threads;
		size_t n;
		bool nested;
		double saved; /* in units of spin() */
	} cases[] = {
		{ 1, 3, false, 0 },   /* one after the other */
		{ 2, 4, false, 2 },   /* half of it */
		{ 4, 3, false, 2 },   /* a thread each */
		{ 2, 3, false, 1.5 }, /* the share of each */
		{ 1, 1, true, 1 },    /* what it saves itself */
		{ 2, 2, true, 2 },    /* three in the time of one */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double had = side_saved(), saved;
		int nested = 1;

		side_by_side(cases[i].threads, cases[i].n, spin, cases[i].nested ? &nested : NULL);
		saved = (side_saved() - had) / 0.02;
		if (saved < cases[i].saved - 0.3 || saved > cases[i].saved + 0.3)
			fail_msg("case %zu: %.2f and not %.2f", i, saved, cases[i].saved);
	}
}

struct work {
	struct turns t;
	size_t done[N], nr; /* in the order in which they were handed in */
	size_t last;	    /* which one says that it is enough */
};

struct one {
	struct work *w;
	size_t piece;
};

static int hand_in(void *ctx)
{
	struct one *o = ctx;

	o->w->done[o->w->nr++] = o->piece;
	return o->piece == o->w->last ? 5 : 0;
}

static void work(void *ctx, size_t i)
{
	struct one o = { ctx, 0 };

	while ((o.piece = turns_take(&o.w->t)) != TURNS_NONE) {
		int ret;

		if (o.piece % 5 == i) /* some take longer */
			nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
		ret = turns_hand_in(&o.w->t, o.piece, hand_in, &o);
		assert_int_equal(ret, o.piece == o.w->last ? 5 : 0);
	}
}

static void in_order(void **state)
{
	static struct work w;

	(void)state;
	for (int early = 0; early < 2; early++) {
		w = (struct work){ .last = early ? 300 : SIZE_MAX };
		turns_init(&w.t, N);
		side_by_side(4, 4, work, &w);
		assert_int_equal(w.nr, early ? 301 : N);
		for (size_t i = 0; i < w.nr; i++)
			assert_int_equal(w.done[i], i);
		assert_true(turns_take(&w.t) == TURNS_NONE);
		turns_free(&w.t);
	}
}

static void memory_apart(void **state)
{
	const size_t sizes[] = { 1, 64, SIDE_APART, SIDE_APART + 1 };

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		size_t step = side_step(sizes[k]);
		char *p = side_memory(7, sizes[k]);

		assert_non_null(p);
		assert_true(step >= sizes[k] && step < sizes[k] + SIDE_APART);
		assert_int_equal(((uintptr_t)p | step) % SIDE_APART, 0);
		for (size_t i = 0; i < 7 * step; i++)
			assert_int_equal(p[i], 0);
		free(p);
	}
	assert_null(side_memory(SIZE_MAX / 64, 100));
}

static void cpus(void **state)
{
	(void)state;
	assert_in_range(host_cpus_usable(), 1, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_once),	cmocka_unit_test(threads_have_numbers),
		cmocka_unit_test(tells_what_was_saved), cmocka_unit_test(in_order),
		cmocka_unit_test(memory_apart),		cmocka_unit_test(cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
