/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One recording with all that it needs, for tests of the recorder: in a directory that goes with them, and what is
 * told is kept in place of printed.
 *
 *	begin(&b, "cpu-clock");
 *	b.opts.frequency = ...;
 *	assert_int_equal(configure(&b, &e), 0);
 *	... b.rec, b.told ...
 *	end(&b);
 */
#ifndef PERF_UNIT_RECORDER_BENCH_H
#define PERF_UNIT_RECORDER_BENCH_H

#include <limits.h>
#include <signal.h>

#include "events-kernel.h"

#include "recorder/recorder-int.h"

#define TOLD_MAX 16384

/* One recording with all that it needs; `told` has a line for each message. */
struct bench {
	struct recorder_opts opts;
	struct event_list events;
	struct capture_target target;
	struct recorder *rec;
	struct recorder_result result;
	char told[TOLD_MAX];
	struct err failure; /* the first that was told */
};

static char dir[] = "/tmp/perf-test-recorder.XXXXXX";
static struct pmus *pmus;
static bool may_record;
static char *argv_of_perf[] = { (char *)"record", (char *)"-F", (char *)"99", NULL };

static inline void keep(void *ctx, enum log_level level, const char *text)
{
	struct bench *b = ctx;
	size_t n = strlen(b->told);

	if (level <= LOG_INFO)
		snprintf(b->told + n, sizeof(b->told) - n, "%s\n", text);
}

static inline void keep_failure(void *ctx, const struct err *e)
{
	struct bench *b = ctx;

	if (!b->failure.code)
		b->failure = *e;
}

/* @events NULL: none, the default is taken. */
static inline void begin(struct bench *b, const char *events)
{
	struct err e = { 0 };

	*b = (struct bench){ .opts = { .pmus = pmus,
				       .events = &b->events,
				       .target = &b->target,
				       .argv = argv_of_perf,
				       .argc = 3,
				       .output = "perf.data",
				       .synth = RECORDER_SYNTH_ALL,
				       .log = { keep, b },
				       .fail = keep_failure,
				       .ctx = b } };
	if (events && events_parse(&b->events, pmus, events, &e))
		fail_msg("%s: %s", events, e.text);
}

static inline void begin_command(struct bench *b, const char *events, char **command)
{
	begin(b, events);
	b->opts.command = command;
	b->target.workload = true;
}

static inline void end(struct bench *b)
{
	recorder_free(b->rec);
	vec_free(&b->opts.windows);
	capture_target_free(&b->target);
	events_free(&b->events);
}

static inline int setup_all(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = PERF_ATTR_SIZE_VER5,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000,
					.flags = ATTR_FLAG_DISABLED | ATTR_FLAG_EXCLUDE_KERNEL };
	int fd = event_open_sys(NULL, &attr, 0, -1, -1, 0);

	(void)state;
	may_record = fd >= 0;
	if (fd >= 0)
		close(fd);
	signal(SIGPIPE, SIG_IGN);
	return !mkdtemp(dir) || chdir(dir) || setup(NULL) || pmus_new(&pmus, NULL, NULL);
}

static inline int teardown_all(void **state)
{
	char cmd[PATH_MAX];

	pmus_free(pmus);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return chdir("/") || system(cmd) || teardown(state);
}

static inline int configure(struct bench *b, struct err *e)
{
	memset(e, 0, sizeof(*e));
	return recorder_new(&b->rec, &b->opts, e);
}

#ifdef __x86_64__
static inline void begin_branches(struct bench *b, const struct event_opener *opener,
				  char **command)
{
	begin_command(b, "cpu-clock", command);
	b->opts.opener = opener;
	b->opts.branch_filter = PERF_SAMPLE_BRANCH_ANY;
}
#endif

#endif
