/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of perf record share. */
#ifndef PERF_RECORD_H
#define PERF_RECORD_H

#include "builtin.h"
#include "recorder/recorder.h"

/* record-options.c */
extern const struct option record_options[];

/* record-accept.c: option callbacks for what other perfs have */
int record_accept(void *p, const struct option *opt, const char *arg, bool unset, struct err *e);
int record_accept_number(void *p, const struct option *opt, const char *arg, bool unset,
			 struct err *e);
int record_accept_affinity(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e);
int record_refuse(void *p, const struct option *opt, const char *arg, bool unset, struct err *e);

#endif
