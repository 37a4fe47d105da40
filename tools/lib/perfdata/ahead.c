// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading ahead: one thread reads, orders and copies records into batches, another uses them.
 * Batches go round in a ring; each side touches only the ones that are its own, a mutex guards
 * the two counters. A reader that is far ahead sleeps until half of them are free: waking it for
 * each would cost more than it reads.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "perfdata-int.h"

#define BATCHES	      8
#define BATCH_BYTES   (64u << 10) /* the largest record fits */
#define BATCH_RECORDS 1024

struct batch {
	unsigned char *bytes;
	struct record *rec;
	size_t used, n;
	int end; /* of perfdata_next_ordered() after the last one; 1 = more batches follow */
	struct err err;
};

struct perfdata_ahead {
	struct perfdata *pd;
	struct batch batch[BATCHES];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned long filled, taken; /* batches so far */
	bool stop, idle;	     /* the user is done; waits for a batch */
	struct batch *fill;	     /* the reader's */
	/* The user's: */
	struct batch *now;
	size_t at;
};

/* ---- the thread ------------------------------------------------------------------------------ */

/* A batch to fill; false when nobody wants more. */
static bool next_free(struct perfdata_ahead *a)
{
	bool stop;

	pthread_mutex_lock(&a->lock);
	if (a->filled - a->taken == BATCHES)
		while (a->filled - a->taken > BATCHES / 2 && !a->stop)
			pthread_cond_wait(&a->changed, &a->lock);
	stop = a->stop;
	a->fill = &a->batch[a->filled % BATCHES];
	pthread_mutex_unlock(&a->lock);
	if (stop)
		return false;
	a->fill->used = a->fill->n = 0;
	a->fill->end = 1;
	return true;
}

static void hand_over(struct perfdata_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->filled++;
	if (a->idle)
		pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

static bool has_room(const struct batch *b, const struct record *rec)
{
	return b->n < BATCH_RECORDS && rec->size <= BATCH_BYTES - b->used;
}

static void put(struct batch *b, const struct record *rec)
{
	b->rec[b->n] = *rec;
	b->rec[b->n].data = b->bytes + b->used;
	memcpy(b->bytes + b->used, rec->data, rec->size);
	b->used += rec->size;
	b->n++;
}

static void *read_all(void *arg)
{
	struct perfdata_ahead *a = arg;
	struct err err = { 0 };
	struct record rec;
	int end;

	if (!next_free(a))
		return NULL;
	while ((end = perfdata_next_ordered(a->pd, &rec, &err)) > 0) {
		if (unlikely(!has_room(a->fill, &rec))) {
			hand_over(a);
			if (!next_free(a))
				return NULL;
		}
		put(a->fill, &rec);
	}
	a->fill->end = end;
	a->fill->err = err;
	hand_over(a);
	return NULL;
}

void perfdata_ahead_wait_idle(struct perfdata_ahead *a)
{
	if (a->fill->n) {
		hand_over(a);
		if (!next_free(a))
			return;
	}
	pthread_mutex_lock(&a->lock);
	while (!(a->idle && a->filled == a->taken) && !a->stop)
		pthread_cond_wait(&a->changed, &a->lock);
	pthread_mutex_unlock(&a->lock);
}

/* ---- its user -------------------------------------------------------------------------------- */

static void ahead_free(struct perfdata_ahead *a)
{
	for (int i = 0; i < BATCHES; i++) {
		free(a->batch[i].bytes);
		free(a->batch[i].rec);
	}
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

bool perfdata_ahead_useful(const struct perfdata *pd)
{
	cpu_set_t cpus;

	/*
	 * A stream's events come while it is read; one CPU would only switch; what fits in one batch is read
	 * before a thread has started.
	 */
	return !perfdata_is_pipe(pd) && perfdata_record_bytes(pd) > BATCH_BYTES &&
	       !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) > 1;
}

int perfdata_ahead_start(struct perfdata_ahead **ap, struct perfdata *pd, struct err *e)
{
	struct perfdata_ahead *a = calloc(1, sizeof(*a));
	int ret = -ENOMEM;

	*ap = NULL;
	if (!a)
		return err_set(e, -ENOMEM, "no memory to read ahead");
	a->pd = pd;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	for (int i = 0; i < BATCHES; i++) {
		a->batch[i].bytes = malloc(BATCH_BYTES);
		a->batch[i].rec = malloc(BATCH_RECORDS * sizeof(struct record));
		if (!a->batch[i].bytes || !a->batch[i].rec)
			goto fail;
	}
	pd->ahead = a;
	ret = -pthread_create(&a->thread, NULL, read_all, a);
	if (ret)
		goto fail;
	*ap = a;
	return 0;
fail:
	pd->ahead = NULL;
	ahead_free(a);
	return err_set(e, ret, "cannot start a thread that reads ahead: %s", strerror(-ret));
}

/* Gives the used batch back and waits for the next one. */
static void next_batch(struct perfdata_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	if (a->now) {
		a->taken++;
		if (a->filled - a->taken == BATCHES / 2)
			pthread_cond_broadcast(&a->changed);
	}
	while (a->filled == a->taken) {
		if (!a->idle) {
			a->idle = true;
			pthread_cond_broadcast(&a->changed);
		}
		pthread_cond_wait(&a->changed, &a->lock);
	}
	a->idle = false;
	a->now = &a->batch[a->taken % BATCHES];
	pthread_mutex_unlock(&a->lock);
	a->at = 0;
}

int perfdata_ahead_next(struct perfdata_ahead *a, struct record *rec, struct err *e)
{
	for (;;) {
		if (likely(a->now && a->at < a->now->n)) {
			*rec = a->now->rec[a->at++];
			return 1;
		}
		if (a->now && a->now->end <= 0) {
			int end = a->now->end;

			if (end < 0 && e)
				*e = a->now->err;
			a->now->end = 0; /* an error is told once */
			return end;
		}
		next_batch(a);
	}
}

void perfdata_ahead_stop(struct perfdata_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	a->pd->ahead = NULL;
	ahead_free(a);
}
