// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that take the next number until there is none.
 *
 * What that saves cannot be seen where all have one CPU, or where others use theirs. So the CPU time of each number is taken,
 * and from that comes what all would take with a CPU for each thread: their share of the whole, or as long as the longest one. A
 * number of which parts are done side by side takes as long as these would.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/side.h"

#define THREADS_MAX 256

/* Seconds of CPU time. */
struct spent {
	double others; /* by threads that calls of a thread have started */
	double saved;  /* by that, with a CPU for each */
};

static _Thread_local struct spent spent;
static _Thread_local unsigned nr_in_call;

struct side {
	side_fn *fn;
	void *ctx;
	size_t n;
	atomic_size_t next;
	atomic_uint threads;
	pthread_mutex_t lock;
	double all, own;      /* of all numbers; by the caller itself */
	double ways, longest; /* with what is saved within them: of all; of one */
};

unsigned side_thread(void)
{
	return nr_in_call;
}

void *side_memory(size_t n, size_t size)
{
	size_t all;
	void *p;

	if (__builtin_mul_overflow(n, side_step(size), &all))
		return NULL;
	p = aligned_alloc(SIDE_APART, all ? all : SIDE_APART);
	return p ? memset(p, 0, all) : NULL;
}

double side_saved(void)
{
	return spent.saved;
}

double side_seconds(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
		       ? 0
		       : (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void one(struct side *s, size_t i)
{
	struct spent had = spent;
	double took = side_seconds(), all, way;

	spent = (struct spent){ 0 };
	s->fn(s->ctx, i);
	took = side_seconds() - took;
	all = took + spent.others;
	way = all - spent.saved;
	spent = had;
	pthread_mutex_lock(&s->lock);
	s->all += all;
	s->ways += way;
	s->own += nr_in_call ? 0 : took;
	if (s->longest < way)
		s->longest = way;
	pthread_mutex_unlock(&s->lock);
}

static void take(struct side *s)
{
	size_t i;

	while ((i = atomic_fetch_add(&s->next, 1)) < s->n)
		one(s, i);
}

static void *help(void *arg)
{
	struct side *s = arg;

	nr_in_call = atomic_fetch_add(&s->threads, 1);
	take(s);
	return NULL;
}

static void add_up(const struct side *s, unsigned threads)
{
	double share = s->ways / threads;

	spent.others += s->all - s->own;
	spent.saved += s->all - (share > s->longest ? share : s->longest);
}

void side_by_side(unsigned threads, size_t n, side_fn *fn, void *ctx)
{
	struct side s = {
		.fn = fn,
		.ctx = ctx,
		.n = n,
		.threads = 1,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	pthread_t thread[THREADS_MAX];
	unsigned nr = 0, had = nr_in_call;

	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	while (nr + 1 < threads && nr + 1 < n && !pthread_create(&thread[nr], NULL, help, &s))
		nr++;
	threads = nr + 1;
	nr_in_call = 0;
	take(&s);
	nr_in_call = had;
	while (nr)
		pthread_join(thread[--nr], NULL);
	add_up(&s, threads);
}
