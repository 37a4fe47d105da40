/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that count: a recording read by as many threads as --jobs says, and what these counted added up. */
#ifndef PERF_JOBS_H
#define PERF_JOBS_H

#include "session/session.h"

/* A consumer whose context each thread has one of its own of. */
struct jobs {
	const struct session_consumer *consumer; /* its finish() is not called */
	size_t size;				 /* of a context */
	/*
	 * Makes the context of another thread, zeroed before, with its session; those of several side by side,
	 * while @first is only looked at.
	 */
	int (*start)(void *ctx, void *first, struct session *s, struct err *e);
	/* What all have to do together when each has read its part, before they are added up; may be NULL. */
	int (*together)(void *const *ctx, size_t n, struct err *e);
	session_merge_fn *add;
	void (*free)(void *ctx); /* what is left of such a context, while its session is there */
	void (*several)(void *first); /* it will be so; may be NULL */
};

/* Reads @s; @first counts alone, or gets what the others counted. */
int jobs_read(const struct jobs *jobs, struct session *s, void *first, struct err *e);

#endif
