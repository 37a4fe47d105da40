/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suites: the test suites of a build tree or an installation, one program each: found, run one by one,
 * and what they said written down as the XML that build servers read (JUnit).
 *
 *	suites_find(&s, exe, &err);
 *	vec_for_each (su, &s.list)
 *		state = suites_run(&s, su, line, ctx, why, sizeof(why));
 *	suites_free(&s);
 *
 * A suite prints TAP; the exit status says whether it failed, "1..0 # SKIP why" that it was left out.
 * One thread per struct. Errors: 0 or -errno with a struct err.
 */
#ifndef SUITES_SUITES_H
#define SUITES_SUITES_H

#include "base/base.h"
#include "base/tables.h"
#include "base/obuf.h"

struct suite {
	char name[80]; /* "unit: base", "system: record-basic" */
	char path[512];
	bool script;
};

struct suites {
	VEC(struct suite) list; /* in the order of perf test */
	char unit_dir[256], script_dir[256], out_dir[256];
};

/*
 * Of the program @exe (a path): beside it where it was built, in libexec/perf beside its bin where all
 * was installed, also when that was moved as a whole; NULL = where it was to be installed.
 */
int suites_find(struct suites *s, const char *exe, struct err *e);
void suites_free(struct suites *s);
/* Whether one of @words is number @nr of the suite, or a part of its name; without words all are. */
bool suites_match(const struct suite *su, size_t nr, int nr_words, char *const *words);

enum suite_state { SUITE_OK, SUITE_FAILED, SUITE_SKIPPED };

/*
 * Runs it; @line gets each line that it prints. @why: the reason of skipping it, or the first check
 * that failed; may be empty. What hangs is ended after $TEST_TIMEOUT seconds, or SUITE_SECONDS.
 */
#define SUITE_SECONDS "300"
enum suite_state suites_run(const struct suites *s, const struct suite *su,
			    void (*line)(void *ctx, const char *text), void *ctx, char *why,
			    size_t size);

/* ---- JUnit ---------------------------------------------------------------------------------------- */

/* Zero-initialised, one that nobody asked for: every call below does nothing with it. */
struct suites_junit {
	const char *path;
	int fd;
	struct obuf body, suite; /* of whole suites, and of the one that runs */
	uint64_t tests, failures, skipped;
	uint64_t all_tests, all_failures, all_skipped;
	double seconds;
	bool in_failure; /* the last check failed: what it explains belongs to it */
};

/* Creates the file, so that a wrong name is known before an hour of tests. */
int suites_junit_open(struct suites_junit *j, const char *path, struct err *e);
/* A line that a suite printed: TAP. */
void suites_junit_line(struct suites_junit *j, const char *line);
/* The suite's end; @why: reason of skipping it, or what failed. */
void suites_junit_end(struct suites_junit *j, const char *name, enum suite_state state,
		      const char *why, double seconds);
int suites_junit_close(struct suites_junit *j, struct err *e);

#endif
