/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a recording that is made of others goes. It takes its name only when it is whole, so that a
 * failure leaves what was there, and input and output may be one file; what cannot be renamed over (a
 * pipe, a device) is written as it is.
 */
#ifndef PERF_TARGET_H
#define PERF_TARGET_H

#include "box/box.h"

struct target {
	struct output out;
	const char *path;
	struct box_replacement file; /* fd -1 = what is written is no file */
};

/* All zero but .out.fd and .file.fd, which are -1. "-" is stdout, unless that is a terminal. */
int target_open(struct target *t, const char *path, struct err *e);
/* @ret: how writing went; if badly, nothing appears. Returns it, or what closing met. */
int target_close(struct target *t, int ret, struct err *e);

#endif
