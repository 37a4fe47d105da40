// SPDX-License-Identifier: GPL-2.0-or-later
/* Work shared by threads: every number once, results in their order, an end that all agree on. */
#include <stdatomic.h>
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

static void cpus(void **state)
{
	(void)state;
	assert_in_range(host_cpus_usable(), 1, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_once),
		cmocka_unit_test(in_order),
		cmocka_unit_test(cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
