/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions of recordings made by hand. */
#ifndef PERF_UNIT_SESSION_BUILD_H
#define PERF_UNIT_SESSION_BUILD_H

#include "perfdata-build.h"
#include "session/session.h"

/* Opened and started; @o has to outlive it. Its input is set. */
static inline int open_session(struct session **s, struct session_opts *o, const struct build *f,
			       struct err *e)
{
	int fd = memfile(f->b, f->n), ret;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o->input = path;
	ret = session_open(s, o, e);
	close(fd);
	o->input = NULL;
	return ret ? ret : session_start(*s, e);
}

#endif
