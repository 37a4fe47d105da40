// SPDX-License-Identifier: GPL-2.0-or-later
/* Work shared by threads: every number once, results in their order, an end that all agree on. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
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
	struct obuf out;
	size_t last; /* which one says that it is enough */
};

static void work(void *ctx, size_t i)
{
	struct work *w = ctx;
	struct obuf text;
	size_t piece;

	assert_int_equal(obuf_init(&text, -1, 0), 0);
	while ((piece = turns_take(&w->t)) != TURNS_NONE) {
		if (piece % 5 == i) /* some take longer */
			nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
		assert_int_equal(text.len, 0);
		obuf_dec(&text, piece);
		obuf_char(&text, '\n');
		assert_false(turns_write(&w->t, piece, &text, piece == w->last));
	}
	assert_int_equal(obuf_free(&text), 0);
}

/* The numbers below @n, a line each. */
static void is_in_order(const struct obuf *out, size_t n)
{
	const char *at = out->buf, *end = out->buf + out->len;

	for (size_t i = 0; i < n; i++) {
		char *behind;

		assert_true(at < end);
		assert_int_equal(strtoul(at, &behind, 10), i);
		at = behind + 1;
	}
	assert_ptr_equal(at, end);
}

static void in_order(void **state)
{
	static struct work w;

	(void)state;
	for (int early = 0; early < 2; early++) {
		w = (struct work){ .last = early ? 300 : SIZE_MAX };
		assert_int_equal(obuf_init(&w.out, -1, 0), 0);
		turns_init(&w.t, N);
		turns_write_to(&w.t, &w.out, 4);
		side_by_side(4, 4, work, &w);
		is_in_order(&w.out, early ? 301 : N);
		assert_true(turns_take(&w.t) == TURNS_NONE);
		turns_free(&w.t);
		assert_int_equal(obuf_free(&w.out), 0);
	}
}

static void *work_on(void *w)
{
	work(w, 5);
	return NULL;
}

/* While one has not written piece 0, another goes on with those behind it; up to a limit. */
static void goes_on(void **state)
{
	struct work w = { .last = SIZE_MAX };
	const size_t limit = 2 * TURNS_LEFT;
	struct obuf text;
	pthread_t other;
	size_t taken = 0;

	(void)state;
	assert_int_equal(obuf_init(&w.out, -1, 0), 0);
	assert_int_equal(obuf_init(&text, -1, 0), 0);
	turns_init(&w.t, 100);
	turns_write_to(&w.t, &w.out, 2);
	assert_int_equal(turns_take(&w.t), 0);
	obuf_lit(&text, "0\n");
	assert_int_equal(pthread_create(&other, NULL, work_on, &w), 0);
	for (unsigned same = 0; same < 20;) {
		size_t before;

		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
		pthread_mutex_lock(&w.t.lock);
		before = taken;
		taken = w.t.next;
		pthread_mutex_unlock(&w.t.lock);
		assert_true(taken <= limit + 1);
		same = taken > limit && taken == before ? same + 1 : 0;
	}
	assert_int_equal(w.out.len, 0);
	assert_false(turns_write(&w.t, 0, &text, false));
	assert_int_equal(text.len, 0);
	assert_int_equal(pthread_join(other, NULL), 0);
	is_in_order(&w.out, 100);
	turns_free(&w.t);
	assert_int_equal(obuf_free(&w.out) | obuf_free(&text), 0);
}

/* What was left is written by another, who finds that it cannot: nobody goes on. */
static void writing_fails(void **state)
{
	struct turns t;
	struct obuf to, text[3];

	(void)state;
	assert_int_equal(obuf_init(&to, -1, 0), 0);
	turns_init(&t, 10);
	turns_write_to(&t, &to, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(obuf_init(&text[i], -1, 0), 0);
		assert_int_equal(turns_take(&t), i);
		obuf_dec(&text[i], i);
	}
	text[1].code = -ENOSPC;
	assert_false(turns_write(&t, 2, &text[2], false));
	assert_false(turns_write(&t, 1, &text[1], false));
	assert_true(turns_write(&t, 0, &text[0], false));
	assert_int_equal(to.code, -ENOSPC);
	assert_true(turns_take(&t) == TURNS_NONE);
	assert_true(to.buf[0] == '0' && !memchr(to.buf, '2', to.len));
	turns_free(&t);
	for (size_t i = 0; i < 3; i++)
		(void)obuf_free(&text[i]);
	(void)obuf_free(&to);
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
		cmocka_unit_test(each_number_once),
		cmocka_unit_test(threads_have_numbers),
		cmocka_unit_test(tells_what_was_saved),
		cmocka_unit_test(in_order),
		cmocka_unit_test(goes_on),
		cmocka_unit_test(writing_fails),
		cmocka_unit_test(memory_apart),
		cmocka_unit_test(cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
