/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries that are loaded when they are needed: linked, they would bring dozens of others into every run, which
 * costs more than many a report. A table of functions is filled by name:
 *
 *	#define FUNCTIONS(F) F(easy_init) F(easy_cleanup)
 *	#define MEMBER(name) __typeof__(curl_##name) *name;
 *	#define NAME(name) "curl_" #name,
 *	struct library { FUNCTIONS(MEMBER) } lib;
 *	static const char *const names[] = { FUNCTIONS(NAME) };
 *
 *	ret = loaded_functions(&(struct loaded){ "HTTP needs", "libcurl.so.4", "libcurl4" }, names,
 *			       ARRAY_SIZE(names), (void **)&lib, &err);
 *
 * The library stays loaded, for some keep threads and state of their own.
 */
#ifndef PERF_BASE_LOADED_H
#define PERF_BASE_LOADED_H

#include "base/base.h"

struct loaded {
	const char *what;    /* "HTTP needs", for the error */
	const char *so;	     /* its file */
	const char *package; /* Debian's */
};

/* @function[i]: what @name[i] is called in it. -ENOTSUP with what to install. */
int loaded_functions(const struct loaded *l, const char *const *name, size_t nr, void **function,
		     struct err *e);

#endif
