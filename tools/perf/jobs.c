// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording read by several threads, of a command whose counts add up. */
#include <stdlib.h>

#include "jobs.h"

static int read_team(const struct jobs *jobs, struct session_team *team, void *first, char *more,
		     void **ctx, struct err *e)
{
	size_t n = session_team_size(team);
	int ret = 0;

	ctx[0] = first;
	for (size_t i = 1; i < n; i++)
		ctx[i] = more + i * jobs->size;
	for (size_t i = 1; !ret && i < n; i++)
		ret = jobs->start(ctx[i], first, session_team_member(team, i), e);
	ret = ret ?: session_team_read(team, ctx, e);
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
	more = calloc(session_team_size(team), jobs->size);
	ret = ctx && more ? read_team(jobs, team, first, more, ctx, e)
			  : err_set(e, -ENOMEM, "no memory for %zu jobs", session_team_size(team));
	free(ctx);
	free(more);
	session_team_free(team);
	return ret;
}
