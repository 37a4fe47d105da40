/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing the samples of a session by as many threads as its options say. */
#ifndef PERF_SCRIPT_JOBS_H
#define PERF_SCRIPT_JOBS_H

#include "script/script.h"

/* A log whose lines come from several threads; each different one goes to stderr once. */
struct script_log;

struct script_log *script_log_new(void); /* NULL = no memory */
void script_log_free(struct script_log *l);
/* Of a struct log_sink; @ctx: struct script_log. */
void script_log_line(void *ctx, enum log_level level, const char *text);

struct script_jobs {
	const struct script_opts *opts; /* as @sc got them */
	const struct script_fields *fields;
	struct obuf *out;
	bool *has_names; /* set where script_has_names() holds of another one than @sc */
};

/* session_read() of script_consumer by @sc, or that by a team. */
int script_read(struct session *s, struct script *sc, const struct script_jobs *o, struct err *e);

#endif
