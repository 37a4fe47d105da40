// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record --switch-output: a recording in several files, each readable by itself; names with
 * the time of their end (--timestamp-filename); the oldest removed again (--switch-max-files).
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/output.h"
#include "recorder/recorder.h"

/* ---- when ------------------------------------------------------------------------------------- */

/* "30s", "5m", "1h", "2d": small letters; sizes have capital ones. */
static bool parse_time(const char *text, uint64_t *ms)
{
	static const struct {
		char unit;
		uint64_t ms;
	} units[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 } };
	size_t n = strlen(text);
	char number[32];
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (n < 2 || n >= sizeof(number) || text[n - 1] != units[i].unit)
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)n - 1, text);
		if (cli_parse_u64(number, &v) || !v || v > 100000000)
			return false;
		*ms = v * units[i].ms;
		return true;
	}
	return false;
}

int recorder_prepare_switch(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	struct file_switch *sw = &rec->sw;
	struct stat st;

	sw->max_files = (size_t)o->switch_max_files;
	if (o->switch_output && strcmp(o->switch_output, "signal") &&
	    !parse_time(o->switch_output, &sw->every_ms) &&
	    (cli_parse_size(o->switch_output, &sw->bytes) || !sw->bytes))
		return err_set(
			e, -EINVAL,
			"--switch-output takes signal, a size such as 100M or a time such as 30s, not '%s'",
			o->switch_output);
	sw->on = o->switch_output;
	sw->stamped = o->timestamp_filename || sw->on;
	if (sw->max_files && !sw->on)
		return err_set(e, -EINVAL, "--switch-max-files goes with --switch-output");
	if (sw->stamped &&
	    (output_descriptor(o->output) >= 0 || (!lstat(o->output, &st) && S_ISFIFO(st.st_mode))))
		return err_set(e, -EINVAL, "%s needs a file: a stream (-o %s) has no name",
			       sw->on ? "--switch-output" : "--timestamp-filename", o->output);
	return 0;
}

/* Whether another file is due: a signal came, the file is large, or old enough. */
bool recorder_switch_due(struct recorder *rec, bool signalled, int64_t now_ms)
{
	struct file_switch *sw = &rec->sw;
	bool by_signal = sw->on && !sw->bytes && !sw->every_ms;
	bool due;

	if (!sw->on)
		return false;
	due = (by_signal && signalled) || (sw->every_ms && now_ms >= sw->next_ms) ||
	      (sw->bytes && perfdata_writer_bytes(rec->writer) >= sw->bytes);
	if (due)
		sw->next_ms = now_ms + (int64_t)sw->every_ms;
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

static void forget_oldest(struct file_switch *sw)
{
	while (sw->max_files && sw->files.n > sw->max_files) {
		if (unlink(sw->files.v[0]))
			log_warn("cannot remove '%s': %s", sw->files.v[0], strerror(errno));
		free(sw->files.v[0]);
		memmove(sw->files.v, sw->files.v + 1, --sw->files.n * sizeof(*sw->files.v));
	}
}

int recorder_stamp_name(struct recorder *rec, struct err *e)
{
	struct file_switch *sw = &rec->sw;
	char name[PATH_MAX], *copy;
	int ret = -1;

	if (!sw->stamped || !rec->created)
		return 0;
	/* Two files within a hundredth of a second: the second one is dated a little later. */
	for (unsigned later = 0; ret && later < 100; later++) {
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
	if (!copy || vec_push(&sw->files, copy)) {
		free(copy);
		return err_set(e, -ENOMEM, "no memory for the names of files");
	}
	sw->last = copy;
	forget_oldest(sw);
	return 0;
}

/* ---- switching --------------------------------------------------------------------------------------- */

/* The end of one file: what the rings still hold, and its features. */
static int end_file(struct recorder *rec, struct err *e)
{
	int ret = 0;

	if (rec->opts->tail_synthesize)
		ret = recorder_synthesize(rec, RECORDER_AT_END, e);
	if (!ret)
		ret = rec->opts->overwrite ? capture_dump(rec->capture, &rec->sink, e)
					   : capture_drain(rec->capture, 0, &rec->sink, e);
	return ret ? ret : recorder_finish_file(rec, e);
}

int recorder_switch_file(struct recorder *rec, struct err *e)
{
	uint64_t wakeups = capture_stats(rec->capture)->wakeups;
	int ret;

	if (log_get_level() >= LOG_WARN)
		fprintf(stderr, "[ perf record: dump data: Woken up %llu times ]\n",
			(unsigned long long)(wakeups ? wakeups : 1));
	ret = end_file(rec, e);
	if (!ret)
		ret = recorder_stamp_name(rec, e);
	if (ret) {
		rec->write_code = ret;
		return ret;
	}
	if (rec->sw.last && log_get_level() >= LOG_WARN)
		fprintf(stderr, "[ perf record: Dump %s ]\n", rec->sw.last);
	rec->sw.last = NULL;
	perfdata_writer_free(rec->writer);
	rec->writer = NULL;
	close(rec->fd);
	rec->fd = -1;
	capture_reset_stats(rec->capture);
	ret = recorder_open_output(rec, e);
	if (!ret)
		ret = recorder_start_file(rec, e);
	if (!ret)
		ret = recorder_synthesize(rec, RECORDER_NEXT_FILE, e);
	return ret ? ret : perfdata_writer_flush(rec->writer, e);
}

void recorder_switch_free(struct recorder *rec)
{
	for (size_t i = 0; i < rec->sw.files.n; i++)
		free(rec->sw.files.v[i]);
	vec_free(&rec->sw.files);
}
