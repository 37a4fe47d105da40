// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several recordings, read side by side. A recording that is worth all threads is read by all of them, alone;
 * small ones share the threads, one each or a few. They are opened and added up by the caller's thread, in their
 * order, so what comes out, and what is told, is that of reading one after the other. What was read waits for its turn to
 * be added, so there are never more recordings at hand than threads. Where they are compared the first is one of them.
 */
#include <pthread.h>
#include <stdlib.h>

#include "host/host.h"
#include "session-int.h"

#define THREADS_MAX 64

enum state { OPENED, READING, READ };

struct message {
	enum log_level level;
	char *text;
};

/* A recording. */
struct beside {
	struct files_side *all;
	size_t i;
	struct session_opts opts;
	struct session *s;
	bool is_first; /* @s is the caller's */
	void *ctx;
	enum state state;
	unsigned jobs;
	bool unopened; /* @err is of opening it */
	int ret;
	struct err err;
	pthread_t thread;
	bool started;
	VEC(struct message) log; /* until its turn */
};

struct files_side {
	struct session_files *f;
	struct session *first;
	const struct session_opts *so;
	const struct session_files_count *c;
	void *ctx;
	unsigned threads;
	size_t next; /* to be opened */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	VEC(struct beside *) v; /* at hand, in their order */
	unsigned busy;		/* threads that read them */
};

/* ---- what a recording tells while it is read ------------------------------------------------- */

/* What cannot be kept is a message less. */
static void keep_line(void *ctx, enum log_level level, const char *text)
{
	struct beside *b = ctx;
	struct message m = { level, strdup(text) };

	pthread_mutex_lock(&b->all->lock);
	if (!m.text || vec_push(&b->log, m))
		free(m.text);
	pthread_mutex_unlock(&b->all->lock);
}

static void say(struct beside *b)
{
	vec_for_each (m, &b->log) {
		log_to(&b->all->so->log, m->level, "%s", m->text);
		free(m->text);
	}
	vec_free(&b->log);
}

/* Of several the first tells how far it is. */
static bool progress(void *ctx, uint64_t done, uint64_t total)
{
	struct beside *b = ctx;
	struct files_side *a = b->all;
	bool enough = false;

	pthread_mutex_lock(&a->lock);
	if (a->v.n && a->v.v[0] == b)
		enough = a->so->progress(a->so->progress_ctx, done, total);
	pthread_mutex_unlock(&a->lock);
	return enough;
}

/* ---- a recording ----------------------------------------------------------------------------- */

static void beside_free(struct beside *b)
{
	if (b->ctx)
		b->all->c->free(b->ctx);
	free(b->ctx);
	if (!b->is_first)
		session_close(b->s);
	vec_for_each (m, &b->log)
		free(m->text);
	vec_free(&b->log);
	free(b);
}

static int start(struct beside *b)
{
	struct files_side *a = b->all;
	int ret = 0;

	if (b->is_first)
		b->s = a->first;
	else
		ret = session_open_beside(&b->s, a->first, &b->opts, &b->err);
	b->unopened = ret;
	if (!ret && !a->c->apart)
		ret = session_files_join_one(a->f, b->i, a->first, b->s, &b->err);
	if (ret)
		return ret;
	b->jobs = session_jobs_worth(b->s, a->threads);
	if (b->jobs < a->threads && !a->c->in_turn) {
		b->s->jobs = b->jobs;
		b->s->beside = true;
	}
	b->ctx = calloc(1, a->c->size);
	if (!b->ctx)
		return err_set(&b->err, -ENOMEM, "no memory for several recordings");
	return a->c->start(b->ctx, a->ctx, b->s, &b->err);
}

static int open_next(struct files_side *a, struct err *e)
{
	struct beside *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return err_set(e, -ENOMEM, "no memory for several recordings");
	b->all = a;
	b->i = a->next++;
	b->is_first = a->c->apart && b->i == a->f->first;
	b->opts = *a->so;
	b->opts.input = a->f->v.v[b->i];
	if (a->so->log.line)
		b->opts.log = (struct log_sink){ keep_line, b };
	if (a->so->progress) {
		b->opts.progress = progress;
		b->opts.progress_ctx = b;
	}
	b->ret = start(b);
	b->state = b->ret ? READ : OPENED;
	pthread_mutex_lock(&a->lock);
	ret = vec_push(&a->v, b);
	pthread_mutex_unlock(&a->lock);
	if (!ret)
		return 0;
	beside_free(b);
	return err_set(e, -ENOMEM, "no memory for several recordings");
}

static void *read_one(void *arg)
{
	struct beside *b = arg;
	struct files_side *a = b->all;
	int ret = a->c->read(b->ctx, b->s, &b->err);

	pthread_mutex_lock(&a->lock);
	b->ret = ret;
	b->state = READ;
	a->busy -= b->jobs;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* By this thread, where nothing else is to do meanwhile or no thread can be had. */
static void launch(struct files_side *a, struct beside *b)
{
	bool alone =
		b->jobs >= a->threads || (a->v.n == 1 && a->next == a->f->v.n) || a->c->in_turn;

	pthread_mutex_lock(&a->lock);
	a->busy += b->jobs;
	b->state = READING;
	pthread_mutex_unlock(&a->lock);
	if (!alone)
		b->started = !pthread_create(&b->thread, NULL, read_one, b);
	if (!b->started)
		read_one(b);
}

/* Its turn has come, of recordings on terms of their own. */
static int add_apart(struct files_side *a, struct beside *b, struct err *e)
{
	say(b);
	if (!b->ret)
		return a->c->add(a->ctx, b->ctx, b->s, e);
	*e = b->err;
	a->c->failed(a->ctx, b->unopened ? NULL : b->ctx, b->s);
	return b->ret;
}

/* Its turn has come. */
static int add(struct files_side *a, struct beside *b, struct err *e)
{
	int ret = b->ret;

	say(b);
	if (b->unopened && ret != -ENOMEM && !session_misused(b->s))
		return session_files_put_aside(a->f, b->opts.input, &b->err, e);
	if (ret)
		*e = b->err;
	if (b->unopened)
		return ret;
	ret = ret ?: a->c->add(a->ctx, b->ctx, b->s, e);
	if (!ret && session_damage(b->s))
		ret = session_files_put_aside(a->f, b->opts.input, session_damage(b->s), e);
	if (!ret && session_take_notes(a->first, b->s))
		ret = err_set(e, -ENOMEM, "no memory for what is missing");
	session_add_counts(a->first, b->s);
	return ret;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int take_first(struct files_side *a, struct err *e)
{
	struct beside *b = a->v.v[0];
	int ret;

	if (b->started)
		pthread_join(b->thread, NULL);
	pthread_mutex_lock(&a->lock);
	a->v.n--;
	memmove(a->v.v, a->v.v + 1, a->v.n * sizeof(*a->v.v));
	pthread_mutex_unlock(&a->lock);
	ret = a->c->apart ? add_apart(a, b, e) : add(a, b, e);
	beside_free(b);
	return ret;
}

enum todo { TAKE, LAUNCH, OPEN, WAIT };

static enum todo next_step(struct files_side *a)
{
	struct beside *last = a->v.n ? a->v.v[a->v.n - 1] : NULL;

	if (last && a->v.v[0]->state == READ)
		return TAKE;
	if (last && last->state == OPENED)
		return !a->busy || a->busy + last->jobs <= a->threads ? LAUNCH : WAIT;
	return a->next < a->f->v.n && a->v.n < (a->c->in_turn ? 1 : a->threads) ? OPEN : WAIT;
}

static int step(struct files_side *a, struct err *e)
{
	enum todo todo;

	pthread_mutex_lock(&a->lock);
	while ((todo = next_step(a)) == WAIT)
		pthread_cond_wait(&a->changed, &a->lock);
	pthread_mutex_unlock(&a->lock);
	if (todo == TAKE)
		return take_first(a, e);
	if (todo == OPEN)
		return open_next(a, e);
	launch(a, a->v.v[a->v.n - 1]);
	return 0;
}

static unsigned threads_for(const struct session_opts *so)
{
	unsigned n = so->jobs ? (unsigned)min_u64(so->jobs, THREADS_MAX)
			      : (unsigned)min_u64(host_cpus_usable(), SESSION_JOBS_UNASKED);

	return n ? n : 1;
}

int session_files_count(struct session_files *f, struct session *first,
			const struct session_opts *so, const struct session_files_count *c,
			void *ctx, struct err *e)
{
	struct files_side a = {
		.f = f,
		.first = first,
		.so = so,
		.c = c,
		.ctx = ctx,
		.threads = threads_for(so),
		.next = f->o.by_file || c->apart ? f->first : f->first + 1,
	};
	int ret = 0;

	pthread_mutex_init(&a.lock, NULL);
	pthread_cond_init(&a.changed, NULL);
	while (!ret && (a.v.n || a.next < f->v.n))
		ret = step(&a, e);
	vec_for_each (b, &a.v) {
		if ((*b)->started)
			pthread_join((*b)->thread, NULL);
		beside_free(*b);
	}
	vec_free(&a.v);
	pthread_cond_destroy(&a.changed);
	pthread_mutex_destroy(&a.lock);
	return ret;
}
