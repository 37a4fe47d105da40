/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf script --json --branches, --profile-quality: what the whole recording says, counted before it is printed. */
#ifndef PERF_SCRIPT_ANSWERS_H
#define PERF_SCRIPT_ANSWERS_H

#include "brstat/brstat.h"
#include "script/script.h"

struct script_answers;

/* Words of --branches, comma-separated: of enum brstat_what. 0 or -EINVAL. */
int script_answers_parse(const char *list, unsigned *what, struct err *e);
/*
 * After session_start() of @s: reads its recording once more, in a session of its own. @what: of enum brstat_what. Refuses what
 * can be read only once, and recordings that lack what is asked. @log: what answers lack.
 */
int script_answers_read(struct script_answers **a, const struct session *s, unsigned what,
			struct log_sink log, struct err *e);
void script_answers_free(struct script_answers *a); /* NULL is fine */
/* Into options of script_new(). */
void script_answers_show(struct script_answers *a, struct script_opts *o);
/* --profile-quality: what report says of it, a line before all others; else nothing. */
int script_answers_head(const struct script_answers *a, struct obuf *o, struct err *e);

#endif
