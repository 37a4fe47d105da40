// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While it runs: one loop that waits for whatever comes first (data in the rings, a signal, a command
 * of --control, the end of what is watched, a time) and does what is due. Nothing blocks but the
 * wait, so whoever asks for an end gets it.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "recorder/recorder-int.h"

/* A ring that fills slowly is emptied this often, so that little is lost with a killed recorder. */
#define IDLE_MS 1000
/* Programs of containers have to live that long to be found. */
#define KEEP_MS 100

static int drain(struct recorder *rec, struct err *e)
{
	int ret = 0;

	/* Rings that keep the newest are read when somebody asks, see switch.c. */
	if (!rec->opts->overwrite)
		ret = capture_drain(rec->capture, rec->opts->flush_bytes, &rec->sink, e);
	if (!ret)
		ret = perfdata_writer_flush(rec->writer, e);
	if (ret)
		rec->write_code = ret;
	if (!ret && rec->opts->max_bytes &&
	    perfdata_writer_bytes(rec->writer) >= rec->opts->max_bytes)
		rec->size_reached = true;
	return ret;
}

/*
 * Threads that stop all the time leave no wait without an event: rings that fill slowly have their
 * turn all the same.
 */
bool recorder_drain_due(int what, int64_t *last_ms, int64_t now_ms)
{
	if (!(what & (CAPTURE_DATA | CAPTURE_TIMEOUT)) && now_ms < *last_ms + IDLE_MS)
		return false;
	*last_ms = now_ms;
	return true;
}

bool recorder_parent_is_gone(const struct recorder *rec)
{
	return rec->parent && getppid() != rec->parent;
}

/* In these words: there are programs that wait for them. */
static void say_switched(const struct recorder *rec, bool on)
{
	recorder_say(rec, LOG_WARN, "Events %s", on ? "enabled" : "disabled");
}

/* Commands of --control: true when one of them ends the recording. */
static bool obey(struct recorder *rec)
{
	char arg[256];
	bool stop = false;

	for (;;) {
		enum control_cmd cmd = control_next(&rec->control, arg, sizeof(arg));
		const char *name = arg[0] ? arg : NULL;
		struct err err = { 0 };
		int ret = 0;

		switch (cmd) {
		case CONTROL_NONE:
			if (rec->control.ended)
				capture_unwatch_control(rec->capture);
			return stop;
		case CONTROL_ENABLE:
			if (rec->soft.tracer)
				tracer_enable(rec->soft.tracer, true);
			ret = capture_enable(rec->capture, rec->soft.tracer ? NULL : name, &err);
			if (!ret)
				say_switched(rec, true);
			break;
		case CONTROL_DISABLE:
			if (rec->soft.tracer)
				tracer_enable(rec->soft.tracer, false);
			else
				ret = capture_disable(rec->capture, name, &err);
			if (!ret)
				say_switched(rec, false);
			break;
		case CONTROL_STOP: stop = true; break;
		case CONTROL_EVLIST: recorder_say_events(rec, LOG_ERROR, strstr(arg, "-v")); break;
		case CONTROL_PING:
		case CONTROL_SNAPSHOT: break;
		case CONTROL_UNKNOWN:
			recorder_say(rec, LOG_WARN, "--control: unknown command '%s'", arg);
			continue;
		}
		if (ret)
			recorder_say(rec, LOG_WARN, "--control: %s", err.text);
		ret = control_ack(&rec->control);
		if (ret)
			recorder_say(rec, LOG_WARN,
				     "--control: cannot write to the ack descriptor: %s",
				     strerror(-ret));
	}
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int switch_events(struct recorder *rec, bool on, struct err *e)
{
	if (rec->soft.tracer)
		tracer_enable(rec->soft.tracer, on);
	if (on)
		return capture_enable(rec->capture, NULL, e);
	return rec->soft.tracer ? 0 : capture_disable(rec->capture, NULL, e);
}

/* -D: the times at which events go on and off, counted from @begin. */
static int keep_windows(struct recorder *rec, int64_t begin, size_t *next, struct err *e)
{
	int ret = 0;

	while (!ret && *next < rec->opts->windows.n &&
	       now_ms() >= begin + rec->opts->windows.v[*next]) {
		bool on = *next % 2 == 0;

		ret = switch_events(rec, on, e);
		if (!ret && rec->opts->windows.v[*next])
			say_switched(rec, on);
		(*next)++;
	}
	return ret;
}

/* How long nothing is due: -D, --switch-output, the tracer; never longer than a killed recorder
 * may lose. */
static int wait_ms(const struct recorder *rec, int64_t begin, size_t next)
{
	int64_t now = now_ms(), wait = IDLE_MS;

	if (rec->opts->keep_objects)
		wait = KEEP_MS;
	if (next < rec->opts->windows.n)
		wait = min_i64(wait, begin + rec->opts->windows.v[next] - now);
	if (rec->opts->sw.every_ms && rec->files.next_ms)
		wait = min_i64(wait, rec->files.next_ms - now);
	if (rec->soft.tracer)
		wait = min_i64(wait, tracer_timeout_ms(rec->soft.tracer));
	return wait < 0 ? 0 : (int)wait;
}

/* Whether what we watch is over. */
static bool is_over(struct recorder *rec, int what)
{
	/* Of a command we wait for the end itself: a set-uid exec ends its events, not it. */
	if (what & CAPTURE_GONE && !rec->target->workload && !rec->soft.tracer)
		return true;
	if (recorder_parent_is_gone(rec))
		return true;
	if (rec->soft.tracer) /* what the command left behind goes on without us */
		return rec->program.reaped;
	return what & (CAPTURE_CHILD | CAPTURE_ENDED) && rec->opts->command &&
	       program_ended(&rec->program, false);
}

int recorder_follow(struct recorder *rec, struct err *e)
{
	int64_t begin = now_ms(), drained = begin;
	bool done = false;
	size_t next = 0;
	int ret = 0;

	rec->files.next_ms = begin + (int64_t)rec->opts->sw.every_ms;
	if (rec->opts->delay && !(rec->opts->windows.n && !rec->opts->windows.v[0]))
		say_switched(rec, false);
	while (!done && !ret) {
		int what = capture_wait(rec->capture, wait_ms(rec, begin, next), e);

		if (what < 0)
			return what;
		ret = recorder_soft_service(rec, &done, e);
		if (!ret)
			ret = keep_windows(rec, begin, &next, e);
		if (!ret && recorder_drain_due(what, &drained, now_ms()))
			ret = drain(rec, e);
		if (!ret && recorder_switch_due(rec, what & CAPTURE_SWITCH, now_ms()))
			ret = recorder_switch_file(rec, e);
		if (what & CAPTURE_CONTROL)
			done |= obey(rec);
		done |= (what & CAPTURE_SIGNAL) != 0;
		done |= is_over(rec, what);
		done |= rec->size_reached;
	}
	return ret;
}
