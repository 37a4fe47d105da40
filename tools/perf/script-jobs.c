// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf script by several threads: each prints pieces of the recording into memory, and what is made of a
 * piece goes out when all before it went.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/side.h"
#include "base/tables.h"
#include "script-jobs.h"

/* What all jobs say, each line once. */
struct script_log {
	pthread_mutex_t lock;
	struct intern said;
	size_t nr; /* of these */
};

/* Each frame that is printed makes @out longer. */
struct job {
	struct script *sc;
	struct obuf out; /* of the piece at hand */
} __attribute__((aligned(SIDE_APART)));

struct script_log *script_log_new(void)
{
	struct script_log *l = calloc(1, sizeof(*l));

	if (l)
		pthread_mutex_init(&l->lock, NULL);
	return l;
}

void script_log_free(struct script_log *l)
{
	if (!l)
		return;
	intern_free(&l->said);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

void script_log_line(void *ctx, enum log_level level, const char *text)
{
	struct script_log *l = ctx;
	uint32_t id;

	pthread_mutex_lock(&l->lock);
	id = intern(&l->said, text);
	/* Without memory rather twice than not at all. */
	if (id == INTERN_NONE || l->said.str.n > l->nr)
		log_stderr(NULL, level, text);
	l->nr = l->said.str.n;
	pthread_mutex_unlock(&l->lock);
}

/* The session's functions get the job; those of the room their struct script. */
static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	return script_consumer.need(((struct job *)ctx)->sc, event);
}

static int sample(void *ctx, const struct session_sample *s, struct err *e)
{
	return script_consumer.sample(((struct job *)ctx)->sc, s, e);
}

static int before(void *ctx, const struct record *rec, struct err *e)
{
	return script_consumer.before(((struct job *)ctx)->sc, rec, e);
}

static int record(void *ctx, const struct record *rec, struct err *e)
{
	return script_consumer.record(((struct job *)ctx)->sc, rec, e);
}

static struct obuf *text(void *ctx)
{
	return &((struct job *)ctx)->out;
}

static int start_jobs(struct job *jobs, void **ctx, struct session_team *team,
		      const struct script_jobs *o, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < session_team_size(team); i++) {
		struct job *j = &jobs[i];

		ctx[i] = j;
		if (obuf_init(&j->out, -1, 0))
			return err_set(e, -ENOMEM, "no memory for output");
		if (i)
			ret = script_new(&j->sc, session_team_member(team, i), o->opts, o->fields,
					 &j->out, e);
		else
			script_print_to(j->sc, &j->out);
	}
	return ret;
}

static int read_team(struct job *jobs, struct session_team *team, const struct script_jobs *o,
		     struct err *e)
{
	size_t n = session_team_size(team);
	void **ctx = calloc(n, sizeof(*ctx));
	int ret = ctx ? start_jobs(jobs, ctx, team, o, e)
		      : err_set(e, -ENOMEM, "no memory for %zu jobs", n);

	session_team_in_order(team, text, o->out);
	ret = ret ?: session_team_read(team, ctx, e);
	for (size_t i = 1; i < n; i++) {
		if (jobs[i].sc && script_has_names(jobs[i].sc))
			*o->has_names = true;
		script_free(jobs[i].sc);
	}
	for (size_t i = 0; i < n; i++)
		obuf_free(&jobs[i].out);
	script_print_to(jobs[0].sc, o->out);
	free(ctx);
	return ret;
}

int script_read(struct session *s, struct script *sc, const struct script_jobs *o, struct err *e)
{
	const bool pieces = script_in_pieces(sc);
	const struct session_consumer c = {
		.need = need,
		.sample = sample,
		.before = before,
		.record = record,
		.flags = script_consumer.flags |
			 (pieces && script_has_names(sc) ? SESSION_NAMES : 0),
	};
	struct session_team *team = NULL;
	struct job *jobs;
	int ret = 0;

	if (!pieces)
		return session_read(s, &script_consumer, sc, e);
	jobs = side_memory(session_jobs(s), sizeof(*jobs));
	if (!jobs)
		return err_set(e, -ENOMEM, "no memory for output");
	jobs[0].sc = sc;
	ret = session_team_new(&team, s, &c, &jobs[0], e);
	if (!ret)
		ret = team ? read_team(jobs, team, o, e) : session_read(s, &script_consumer, sc, e);
	session_team_free(team);
	free(jobs);
	return ret;
}
