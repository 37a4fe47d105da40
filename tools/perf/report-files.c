// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf report of several recordings: each of the others is counted by a report of its own, as pieces of one
 * recording are, and added to the first one's tables before the next is opened.
 */
#include <stdlib.h>

#include "report.h"

/* What r->o asks for and several recordings have not: one table that all of it is in. */
static const char *of_one(const struct report_opts *o)
{
	return o->header	? "--header"
	       : o->header_only ? "--header-only"
	       : o->stats	? "--stats"
	       : o->tasks	? "--tasks"
	       : o->mmaps	? "--mmaps"
	       : o->dump	? "-D"
	       : o->diff	? "--diff"
	       : o->pieces	? "--pieces"
				: NULL;
}

int report_check_files(struct report *r, struct err *e)
{
	const char *one = session_files_are_several(r->files) ? of_one(&r->o) : NULL;

	if (!one)
		return 0;
	err_set(e, -EINVAL, "%s is about one recording, and there are %zu", one, r->files->v.n);
	return err_hint(
		       e,
		       "Ask for each of them, or perf data merge -o ALL FILE... makes one of them."),
	       -EINVAL;
}

/* -T: what threads counted, by events of the first. */
static int add_threads(struct report *r, struct report *piece, struct err *e)
{
	size_t n = perfdata_nr_events(piece->pd);
	uint32_t *event = calloc(n + 1, sizeof(*event));
	int ret;

	if (!event)
		return err_set(e, -ENOMEM, "no memory for the counts of threads");
	for (size_t i = 0; i < n; i++)
		event[i] = perfdata_event(piece->pd, i)->joined;
	ret = faces_threads_merge(&r->threads, piece->threads, event, e);
	free(event);
	return ret;
}

/* A copy of the first with counters of its own. */
static int start_file(void *one, void *ctx, struct session *s, struct err *e)
{
	struct report *piece = one;

	*piece = *(struct report *)ctx;
	piece->t = piece->rich = NULL;
	piece->flow = NULL;
	piece->stat = NULL;
	piece->code = NULL;
	piece->ahead = NULL;
	piece->threads = NULL;
	piece->nr_taken = 0;
	piece->session = s;
	piece->scale = session_files_scale(piece->files, s);
	return report_start_apart(piece, e);
}

static int read_file(void *one, struct session *s, struct err *e)
{
	(void)s;
	return report_read(one, NULL, e);
}

static int add_file(void *ctx, void *one, struct session *s, struct err *e)
{
	struct report *r = ctx, *piece = one;
	int ret = report_add_apart(r, piece, e);

	(void)s;
	r->stopped |= piece->stopped;
	return ret ?: add_threads(r, piece, e);
}

static void free_file(void *one)
{
	struct report *piece = one;

	table_derive_drop(piece->ahead);
	piece->ahead = NULL;
	report_free_member(piece);
}

static const struct session_files_count counting = {
	.size = sizeof(struct report),
	.start = start_file,
	.read = read_file,
	.add = add_file,
	.free = free_file,
};

int report_read_files(struct report *r, struct err *e)
{
	struct session_opts so = r->o.session;

	/* Keys are read by who paints. */
	if (r->tui)
		so.jobs = 1;
	/* What was derived so far is of the first one alone. */
	table_derive_drop(r->ahead);
	r->ahead = NULL;
	return session_files_count(r->files, r->session, &so, &counting, r, e);
}
