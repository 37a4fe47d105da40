// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording read by several threads, of a command whose counts add up. */
#include <stdlib.h>

#include "base/side.h"
#include "jobs.h"

struct starting {
	const struct jobs *jobs;
	void *ctx, *first;
	struct session *s;
	int ret;
	struct err err;
};

static void start_one(void *list, size_t i)
{
	struct starting *st = (struct starting *)list + i;

	st->ret = st->jobs->start(st->ctx, st->first, st->s, &st->err);
}

/* Contexts are made side by side: tables of some size take longer than a small stretch. */
static int start_all(const struct jobs *jobs, struct session_team *team, void **ctx, struct err *e)
{
	size_t n = session_team_size(team);
	struct starting *v = calloc(n, sizeof(*v));
	int ret = 0;

	if (!v)
		return err_set(e, -ENOMEM, "no memory for %zu jobs", n);
	for (size_t i = 1; i < n; i++)
		v[i - 1] = (struct starting){ jobs, ctx[i], ctx[0], session_team_member(team, i),
					      .ret = 0 };
	side_by_side((unsigned)n - 1, n - 1, start_one, v);
	for (size_t i = 0; !ret && i + 1 < n; i++) {
		ret = v[i].ret;
		if (ret)
			*e = v[i].err;
	}
	free(v);
	return ret;
}

static int read_team(const struct jobs *jobs, struct session_team *team, void *first, char *more,
		     void **ctx, struct err *e)
{
	size_t n = session_team_size(team);
	int ret;

	ctx[0] = first;
	for (size_t i = 1; i < n; i++)
		ctx[i] = more + i * side_step(jobs->size);
	ret = start_all(jobs, team, ctx, e);
	ret = ret ?: session_team_read(team, ctx, e);
	ret = ret || !jobs->together ? ret : jobs->together(ctx, n, e);
	ret = ret ?: session_team_merge(team, ctx, jobs->add, e);
	for (size_t i = 1; i < n; i++)
		jobs->free(ctx[i]);
	return ret;
}

int jobs_read(const struct jobs *jobs, struct session *s, void *first, struct err *e)
{
	struct session_team *team;
	int ret = session_team_new(&team, s, jobs->consumer, first, e);
	void **ctx;
	char *more;

	if (ret || !team)
		return ret ?: session_read(s, jobs->consumer, first, e);
	if (jobs->several)
		jobs->several(first);
	ctx = calloc(session_team_size(team), sizeof(*ctx));
	more = side_memory(session_team_size(team), jobs->size);
	ret = ctx && more ? read_team(jobs, team, first, more, ctx, e)
			  : err_set(e, -ENOMEM, "no memory for %zu jobs", session_team_size(team));
	free(ctx);
	free(more);
	session_team_free(team);
	return ret;
}
