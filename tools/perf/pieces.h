/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --pieces N --apart, hidden options of commands that count: a recording is read by several sessions, one
 * behind the other, each of which counts N samples with a machine and a resolver of its own. What they
 * counted is added up; the answer has to be that of one reading, which tests ask.
 */
#ifndef PERF_PIECES_H
#define PERF_PIECES_H

#include "session/session.h"

/*
 * After the first piece was read in @first (session_opts.nr_samples): @one gets a started session for each
 * of the others, to read and to add to what there is. The session is closed then.
 */
int pieces_read(struct session *first, const struct session_opts *o, uint64_t size,
		int (*one)(void *ctx, struct session *piece, struct err *e), void *ctx,
		struct err *e);

#endif
