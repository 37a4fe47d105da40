/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cachedir: directories below $XDG_CACHE_HOME/perf, or ~/.cache/perf, that are the user's alone: others may not write
 * there, and none is made in somebody else's home, where root may have been sent by sudo.
 */
#ifndef PERF_BASE_CACHEDIR_H
#define PERF_BASE_CACHEDIR_H

#include <stddef.h>

/*
 * The directory of that name, made if need be: a descriptor, and its path as @path unless that is NULL (-ENAMETOOLONG).
 * -errno; -ENOENT: there is no home; -EPERM: somebody else's; -ENOTUNIQ: others may write there. @what: the variable that
 * said where.
 */
int cachedir_open(const char *name, char *path, size_t size, const char **what);
/* The same of a directory at any path, whose parents are made if need be. */
int cachedir_open_at(const char *path);
/* What an error of these means. */
const char *cachedir_reason(int error);

#endif
