/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc says of a thread: in status "Key:<tab>value" in each line; newlines of a name are escaped. */
#ifndef PERF_TRACER_STATUS_INT_H
#define PERF_TRACER_STATUS_INT_H

#include "base/base.h"

/* The text, the caller's to free; NULL: there is no such thread. */
char *status_read(pid_t tid);
/* The number behind @key ("\nTgid:"); 0 when it is not there, or @text is NULL. */
uint64_t status_number(const char *text, const char *key, int base);
#define STATUS_STAT 1024
/*
 * Of @path, a stat file, what stands behind the name, which may hold anything: ") ", and field 3 of
 * proc(5) is next. It lies in @buf. NULL: there is no such thread.
 */
const char *status_stat(const char *path, char buf[STATUS_STAT]);

#endif
