/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of room xstate share. */
#ifndef XSTATE_XSTATE_INT_H
#define XSTATE_XSTATE_INT_H

#include "xstate/xstate.h"

/* Feeds the switches and LBR uses of a perf.data file. */
int xstate_feed_recording(struct xsave_sim *sim, const char *path, const struct log_sink *log,
			  struct err *err);

#endif
