// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who maps the pages of a view (window-view.c). The walk over the headers of a recording looks at a word of some pages and at none
 * of others: of large samples most of its time is the kernel's, which maps pages and unmaps them. Nothing else can be done
 * before that walk has ended, so the threads that wait for it do this. Steps of a map are claimed under a lock and asked for
 * without it. Who looks waits for nobody: what no other thread has claimed when its turn comes it asks for by itself, and
 * what is not there yet comes as it is looked at. So nothing but time is lost where a thread is late, or cannot be had.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/side.h"
#include "perfdata-int.h"

#define AHEAD	    (16u << 20) /* asked for before it is looked at, and left behind, by other threads */
#define HELPERS_MAX 3		/* to look takes a quarter of the time */

/* What the kernel maps around a page that is looked at, where the file system can. */
#define AROUND (64u << 10)

struct window_side {
	pthread_t thread[HELPERS_MAX];
	unsigned nr;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct window_steps steps;
	unsigned busy, idle; /* threads at work on the map; that wait for work */
	bool stop;
	double seconds; /* of CPU time */
};

/* What there is to do for one map; n = 0: nothing. */
struct job {
	unsigned char *at;
	size_t n;
	bool drop; /* else it is asked for */
};

/* Steps up to @ahead behind the one at hand are asked for, and those before it go when they are @behind or more. */
static struct job claim(struct window_steps *s, size_t ahead, size_t behind)
{
	struct job job = { 0 };

	if (s->ready < s->here)
		s->ready = s->here;
	if (s->ready < s->len && s->ready - s->here < ahead) {
		job = (struct job){ s->map + s->ready, min_u64(VIEW_STEP, s->len - s->ready),
				    false };
		s->ready += job.n;
	} else if (!s->keep && s->here >= s->gone + behind) {
		job = (struct job){ s->map + s->gone, s->here - s->gone, true };
		s->gone = s->here;
	}
	return job;
}

/*
 * To look at a byte here and there takes less than MADV_POPULATE_READ, which goes through every page. What the kernel
 * does not map with these comes as it is looked at, and what it does not drop goes with the map.
 */
static void work(const struct job *job)
{
	if (job->drop)
		(void)madvise(job->at, job->n, MADV_DONTNEED);
	for (size_t i = 0; !job->drop && i < job->n; i += AROUND)
		(void)*(volatile unsigned char *)(job->at + i);
}

void window_steps_to(struct window_steps *s, size_t skip)
{
	struct job job;

	s->here = skip & ~(size_t)(VIEW_STEP - 1);
	while ((job = claim(s, skip - s->here + VIEW_LEAST, VIEW_STEP)).n)
		work(&job);
}

/* ---- by other threads ------------------------------------------------------------------------ */

static void *help(void *side)
{
	struct window_side *s = side;
	double start = side_seconds();

	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		struct job job = claim(&s->steps, AHEAD, VIEW_STEP);

		if (!job.n) {
			s->idle++;
			pthread_cond_wait(&s->changed, &s->lock);
			s->idle--;
			continue;
		}
		s->busy++;
		pthread_mutex_unlock(&s->lock);
		work(&job);
		pthread_mutex_lock(&s->lock);
		if (!--s->busy && !s->steps.len)
			pthread_cond_broadcast(&s->changed);
	}
	s->seconds += side_seconds() - start;
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Half of what is to be ahead is looked at before a thread is woken for more. */
static void wake(struct window_side *s)
{
	if (s->idle && s->steps.ready < s->steps.len && s->steps.ready < s->steps.here + AHEAD / 2)
		pthread_cond_broadcast(&s->changed);
}

void window_side_to(struct window_side *s, struct window_steps *v, size_t skip)
{
	struct job job;

	pthread_mutex_lock(&s->lock);
	s->steps.here = skip & ~(size_t)(VIEW_STEP - 1);
	wake(s);
	while ((job = claim(&s->steps, skip - s->steps.here + VIEW_LEAST, AHEAD)).n) {
		pthread_mutex_unlock(&s->lock);
		work(&job);
		pthread_mutex_lock(&s->lock);
	}
	*v = s->steps;
	pthread_mutex_unlock(&s->lock);
}

void window_side_map(struct window_side *s, const struct window_steps *v)
{
	pthread_mutex_lock(&s->lock);
	s->steps = (struct window_steps){ 0 };
	while (s->busy)
		pthread_cond_wait(&s->changed, &s->lock);
	s->steps = *v;
	wake(s);
	pthread_mutex_unlock(&s->lock);
}

struct window_side *window_side_new(unsigned threads)
{
	struct window_side *s = threads ? calloc(1, sizeof(*s)) : NULL;

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	while (s->nr < min_u64(threads, HELPERS_MAX) &&
	       !pthread_create(&s->thread[s->nr], NULL, help, s))
		s->nr++;
	if (s->nr)
		return s;
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return NULL;
}

double window_side_free(struct window_side *s, unsigned *threads)
{
	double seconds;

	*threads = s ? s->nr : 0;
	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	for (unsigned i = 0; i < s->nr; i++)
		pthread_join(s->thread[i], NULL);
	seconds = s->seconds;
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return seconds;
}
