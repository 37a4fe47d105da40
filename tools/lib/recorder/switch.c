// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording in several files (--switch-output), each readable by itself: it has its own header and
 * its own records of what already ran. Names get the time of their end (--timestamp-filename) when
 * the file is whole, so that a name with a time is always a finished recording; the oldest are
 * removed again (--switch-max-files).
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "recorder/recorder-int.h"

/* Whether another file is due: a signal came, the file is large, or old enough. */
bool recorder_switch_due(struct recorder *rec, bool signalled, int64_t now_ms)
{
	const struct recorder_switch *sw = &rec->opts->sw;
	bool by_signal = sw->on && !sw->bytes && !sw->every_ms;
	bool due;

	if (!sw->on)
		return false;
	due = (by_signal && signalled) || (sw->every_ms && now_ms >= rec->files.next_ms) ||
	      (sw->bytes && perfdata_writer_bytes(rec->writer) >= sw->bytes);
	if (due)
		rec->files.next_ms = now_ms + (int64_t)sw->every_ms;
	return due;
}

/* ---- names --------------------------------------------------------------------------------------- */

/* "perf.data.2026112106274728": the time to the hundredth of a second. */
static void stamped_name(const struct recorder *rec, unsigned later, char *out, size_t size)
{
	char text[32] = "";
	struct timeval now;
	struct tm tm;
	time_t s;

	gettimeofday(&now, NULL);
	now.tv_usec += later * 10000;
	now.tv_sec += now.tv_usec / 1000000;
	s = now.tv_sec;
	if (localtime_r(&s, &tm))
		strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	snprintf(out, size, "%s.%s%02d", rec->path, text, (int)(now.tv_usec % 1000000 / 10000));
}

/* Names are of use for --switch-max-files alone, but for the last: a service makes a million files. */
static void forget_oldest(struct recorder *rec)
{
	struct recorder_files *f = &rec->files;
	uint64_t max = rec->opts->sw.max_files;

	while (f->v.n > max_u64(max, 1)) {
		if (max && unlink(f->v.v[0]))
			recorder_say(rec, LOG_WARN, "cannot remove '%s': %s", f->v.v[0],
				     strerror(errno));
		free(f->v.v[0]);
		memmove(f->v.v, f->v.v + 1, --f->v.n * sizeof(*f->v.v));
	}
}

int recorder_stamp_name(struct recorder *rec, struct err *e)
{
	char name[PATH_MAX], *copy;
	int ret = -1;

	if (!rec->opts->sw.stamped || !rec->created)
		return 0;
	/*
	 * Two files within a hundredth of a second: the second one is dated a little later. It is far later where a clock
	 * that was set back comes by the names of many files again.
	 */
	for (unsigned later = 0; ret && later < 10000; later++) {
		stamped_name(rec, later, name, sizeof(name));
		ret = renameat2(AT_FDCWD, rec->path, AT_FDCWD, name, RENAME_NOREPLACE);
		if (ret && errno == EINVAL) /* a file system that cannot do it at once */
			ret = access(name, F_OK) ? rename(rec->path, name) : -1;
		else if (ret && errno != EEXIST)
			break;
	}
	if (ret)
		return err_set(e, -errno, "cannot call '%s' by its time: %s", rec->path,
			       strerror(errno));
	copy = strdup(name);
	if (!copy || vec_push(&rec->files.v, copy)) {
		free(copy);
		return err_set(e, -ENOMEM, "no memory for the names of files");
	}
	rec->files.last = copy;
	forget_oldest(rec);
	if (rec->opts->sw.done)
		rec->opts->sw.done(rec->opts->ctx);
	return 0;
}

/* ---- switching --------------------------------------------------------------------------------------- */

/* The end of one file: what the rings still hold, what was lost, and its features. */
static int end_file(struct recorder *rec, struct err *e)
{
	int ret = 0;

	if (rec->opts->tail_synthesize)
		ret = recorder_synthesize(rec, RECORDER_AT_END, e);
	if (!ret)
		ret = capture_end_file(rec->capture, &rec->sink, e);
	return ret ? ret : recorder_finish_file(rec, e);
}

int recorder_switch_file(struct recorder *rec, struct err *e)
{
	uint64_t wakeups = capture_stats(rec->capture)->wakeups;
	int ret;

	recorder_say(rec, LOG_WARN, "[ perf record: dump data: Woken up %llu times ]",
		     (unsigned long long)(wakeups ? wakeups : 1));
	ret = end_file(rec, e);
	if (!ret)
		ret = recorder_stamp_name(rec, e);
	if (ret) {
		rec->write_code = ret;
		return ret;
	}
	if (rec->files.last)
		recorder_say(rec, LOG_WARN, "[ perf record: Dump %s ]", rec->files.last);
	rec->files.last = NULL;
	recorder_say_losses(rec);
	perfdata_writer_free(rec->writer);
	rec->writer = NULL;
	close(rec->fd);
	rec->fd = -1;
	capture_reset_stats(rec->capture);
	recorder_keep_roots(rec);
	ret = recorder_open_output(rec, e);
	if (!ret)
		ret = recorder_start_file(rec, e);
	if (!ret)
		ret = recorder_synthesize(rec, RECORDER_NEXT_FILE, e);
	return ret ? ret : perfdata_writer_flush(rec->writer, e);
}

void recorder_switch_free(struct recorder *rec)
{
	vec_for_each (name, &rec->files.v)
		free(*name);
	vec_free(&rec->files.v);
}
