/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The box (room box) around a command that reads what strangers wrote: what it may still read and write. */
#ifndef PERF_SANDBOX_H
#define PERF_SANDBOX_H

#include "box/box.h"
#include "session/session.h"

struct sandbox {
	bool off;			    /* --no-sandbox */
	const struct session_opts *session; /* a command that looks at samples; NULL = none */
	bool objects;			    /* and at what they were taken in */
	const char *read[8];		    /* what else options name; NULLs are skipped */
	const char *const *more;	    /* the same, any number of them */
	size_t nr_more;
	struct box_output output[3]; /* path NULL: none */
	const char *device_tree;     /* may be a source, which has to be compiled */
	struct box_served store;     /* BOX_STORE */
};

void sandbox_enter(const struct sandbox *s);

#endif
