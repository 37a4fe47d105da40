/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine without PMUs, for tests of events: what a name means must not depend on this one. */
#ifndef PERF_UNIT_NO_PMUS_H
#define PERF_UNIT_NO_PMUS_H

#include "events/events.h"

static struct pmus *none;

static int setup(void **state)
{
	(void)state;
	return pmus_new(&none, "/nonexistent", NULL);
}

static int teardown(void **state)
{
	(void)state;
	pmus_free(none);
	return 0;
}

#endif
