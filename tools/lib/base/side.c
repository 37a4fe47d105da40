// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads that take the next number until there is none. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/side.h"

#define THREADS_MAX 256

struct side {
	side_fn *fn;
	void *ctx;
	size_t n;
	atomic_size_t next;
};

static void *work(void *arg)
{
	struct side *s = arg;
	size_t i;

	while ((i = atomic_fetch_add(&s->next, 1)) < s->n)
		s->fn(s->ctx, i);
	return NULL;
}

void side_by_side(unsigned threads, size_t n, side_fn *fn, void *ctx)
{
	struct side s = { .fn = fn, .ctx = ctx, .n = n };
	pthread_t thread[THREADS_MAX];
	unsigned nr = 0;

	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	while (nr + 1 < threads && nr + 1 < n && !pthread_create(&thread[nr], NULL, work, &s))
		nr++;
	work(&s);
	while (nr)
		pthread_join(thread[--nr], NULL);
}
