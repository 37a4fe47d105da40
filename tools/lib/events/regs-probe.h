/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which registers can be sampled here, found out by trial events, never by guess. Part of room
 * events; struct regs_caps is regs/regs.h's.
 */
#ifndef PERF_EVENTS_REGS_PROBE_H
#define PERF_EVENTS_REGS_PROBE_H

#include "events/events.h"

/*
 * Fills @caps for --user-regs (@user) or -I. @o may be NULL (the system call), @t may be NULL
 * (events of a hybrid machine then carry no PMU's number). Where cycles cannot be opened at all,
 * the plain registers are tried with a clock. About ten opens.
 */
void events_probe_regs(struct event_opener *o, struct pmus *t, bool user, struct regs_caps *caps);

#endif
