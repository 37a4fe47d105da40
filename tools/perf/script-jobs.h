/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing the samples of a session by as many threads as its options say. */
#ifndef PERF_SCRIPT_JOBS_H
#define PERF_SCRIPT_JOBS_H

#include "script/script.h"

struct script_jobs {
	const struct session_opts *session;
	const struct script_opts *opts; /* as @sc got them */
	const struct script_fields *fields;
	struct obuf *out;
	bool *has_names; /* set where script_has_names() holds of another one than @sc */
};

/* session_read() of script_consumer by @sc, or that by a team. */
int script_read(struct session *s, struct script *sc, const struct script_jobs *o, struct err *e);

#endif
