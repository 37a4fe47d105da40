/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload: small programs with a known shape, for `perf test -w NAME`, for demos and for tests:
 * functions that a profile must find by name. Each runs in the calling process and returns an
 * exit status. Code here is compiled so that every function stays a function and frame pointers
 * are kept.
 *
 *	const struct workload *w = workload_find("noploop");
 *	return w->run(argc, argv);
 */
#ifndef PERF_WORKLOAD_H
#define PERF_WORKLOAD_H

#include "base/base.h"

struct workload {
	const char *name;
	const char *summary;
	const char *args; /* what argv[1..] may hold */
	/* argv[0] is the workload's name. */
	int (*run)(int argc, char **argv);
};

const struct workload *workload_find(const char *name); /* NULL = unknown */
const struct workload *workloads(size_t *nr);

#endif
