/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --pieces N --apart, hidden options of commands that count: a recording is read by several sessions, one
 * behind the other, each of which counts N samples with a machine and a resolver of its own. What they
 * counted is added up; the answer has to be that of one reading, which tests ask.
 */
#ifndef PERF_PIECES_H
#define PERF_PIECES_H

#include "jobs.h"

/*
 * After the first piece was read in @first (session_opts.nr_samples): each of the others is read in a session of
 * its own, by the functions that threads of @jobs have, and added to @ctx. @bad: NULL, or where their
 * samples that could not be used are added to.
 */
int pieces_read(struct session *first, const struct session_opts *o, uint64_t size,
		const struct jobs *jobs, void *ctx, uint64_t *bad, struct err *e);

#endif
