/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands that count several recordings together. The first one's session is that of the answer; each of
 * the others is read in a session of its own, and what it counted is added and its session closed before the
 * next is opened.
 */
#ifndef PERF_FILES_H
#define PERF_FILES_H

#include "fleet/fleet.h"
#include "session/session.h"

struct files_opts {
	bool by_file;	 /* a column each */
	bool scale_time; /* periods as if all had recorded as long as the first */
};

extern const struct option files_options[]; /* of struct files_opts, for OPT_INCLUDE */

struct files {
	VEC(const char *) v;
	VEC(const char *) names; /* of v's: as columns are called */
	struct files_opts o;
	struct arena text;
	size_t first;	       /* whose session it is */
	size_t nr_events;      /* of all recordings, before there were columns */
	uint64_t first_length; /* ns */
	struct fleet_differ *differ;
	VEC(struct err) failed; /* of recordings that could not be read, or not to their end */
};

/*
 * The recordings of -i and of @argv; of directories that are none, those in it. Into so->input goes the first; none
 * at all: v is empty. -EINVAL for an option that says nothing to them.
 */
int files_collect(struct files *f, struct session_opts *so, int argc, char **argv, struct err *e);
/* Whether @path is a recording, or a directory of such: for words that may be something else. */
bool files_is_recording(const char *path);
void files_free(struct files *f);
static inline bool files_are_several(const struct files *f)
{
	return f->v.n > 1;
}

/*
 * session_open() of the first that can be opened; the events of all are joined to its then. With by_file
 * nothing is to be read by it: files_each() hands it on, too.
 */
int files_open(struct files *f, struct session **s, struct session_opts *so, struct err *e);
/* After session_start() of @first. */
int files_join(struct files *f, struct session *first, const struct session_opts *so,
	       struct err *e);
/* What periods of @s are to be multiplied with: 1 without scale_time. */
double files_scale(const struct files *f, const struct session *s);

/*
 * Another recording, its session started: @fn reads it and adds what it counted. Counts and messages of the
 * session are added to those of @first after that.
 */
typedef int files_fn(void *ctx, struct session *s, struct err *e);
int files_each(struct files *f, struct session *first, const struct session_opts *so, files_fn *fn,
	       void *ctx, struct err *e);
/* What is not alike, and which could not be read; true: there are such. */
bool files_say(struct files *f, bool quiet);

#endif
