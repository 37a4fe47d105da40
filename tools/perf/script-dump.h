/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --per-event-dump: the samples of each event in a file of its own, INPUT.EVENT.dump. */
#ifndef PERF_SCRIPT_DUMP_H
#define PERF_SCRIPT_DUMP_H

#include "perfdata/perfdata.h"

struct event_dumps;

/* For the events of @pd, which was opened as @input; both stay the caller's. NULL: no memory. */
struct event_dumps *event_dumps_new(const struct perfdata *pd, const char *input);
/*
 * Creates the files of all events there are. Files of an earlier run give way, links and what else
 * is no plain file do not. Events with one name share a file.
 */
int event_dumps_open(struct event_dumps *d, struct err *e);
/* Where the next sample of @event goes. @d: struct event_dumps. NULL: no such file, with @e. */
struct obuf *event_dumps_out(void *d, const struct perfdata_event *event, struct err *e);
/* Ends and frees; tells @o of each file, unless that is NULL. 0 or the first error. */
int event_dumps_close(struct event_dumps *d, struct obuf *o, struct err *e);

#endif
