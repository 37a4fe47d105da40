/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf test --junit: what the suites said, as the XML that build servers read. */
#ifndef PERF_TEST_JUNIT_H
#define PERF_TEST_JUNIT_H

#include "base/base.h"

/* Zero-initialised, one that nobody asked for: every call below does nothing with it. */
struct junit {
	const char *path;
	int fd;
	struct obuf body, suite; /* of whole suites, and of the one that runs */
	uint64_t tests, failures, skipped;
	uint64_t all_tests, all_failures, all_skipped;
	double seconds;
	bool in_failure; /* the last check failed: what it explains belongs to it */
};

enum junit_state { JUNIT_OK, JUNIT_FAILED, JUNIT_SKIPPED };

/* Creates the file, so that a wrong name is known before an hour of tests. */
int junit_open(struct junit *j, const char *path, struct err *e);
/* A line that a suite printed: TAP. */
void junit_line(struct junit *j, const char *line);
/* The suite's end; @why: reason of skipping it, or what failed. */
void junit_suite(struct junit *j, const char *name, enum junit_state state, const char *why,
		 double seconds);
int junit_close(struct junit *j, struct err *e);

#endif
