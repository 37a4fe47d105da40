// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: one recording from opening to the closing messages. */
#include <inttypes.h>
#include <stdio.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/output.h"
#include "buildid/buildid.h"
#include "recorder/recorder.h"

/* A ring that fills slowly is emptied this often, so that little is lost with a killed recorder. */
#define IDLE_MS 1000

/* ---- into the file -------------------------------------------------------------------------------- */

static int write_records(void *ctx, const void *a, size_t na, const void *b, size_t nb,
			 struct err *e)
{
	struct recorder *rec = ctx;
	int ret = perfdata_writer_write(rec->writer, a, na, b, nb, e);

	if (ret)
		rec->write_code = ret;
	return ret;
}

static int drain(struct recorder *rec, struct err *e)
{
	int ret = 0;

	/* Rings that keep the newest are read when somebody asks, see record-switch.c. */
	if (!rec->opts->overwrite)
		ret = capture_drain(rec->capture, rec->flush_bytes, &rec->sink, e);
	if (!ret)
		ret = perfdata_writer_flush(rec->writer, e);
	if (ret)
		rec->write_code = ret;
	if (!ret && rec->max_bytes && perfdata_writer_bytes(rec->writer) >= rec->max_bytes)
		rec->size_reached = true;
	return ret;
}

/* ---- starting ----------------------------------------------------------------------------------------- */

/* One line an event on stderr, with its attr when @attrs. */
static void show_events(const struct recorder *rec, bool attrs)
{
	struct obuf o;

	if (obuf_init(&o, -1, 0))
		return;
	for (size_t i = 0; i < rec->events->n; i++) {
		const struct event *ev = &rec->events->v[i];

		o.len = 0;
		obuf_str(&o, ev->name);
		if (attrs) {
			obuf_lit(&o, ": ");
			attr_print(&ev->attr, &o);
		}
		obuf_char(&o, '\0');
		if (!o.code)
			fprintf(stderr, "%s\n", o.buf);
	}
	obuf_free(&o);
}

static int start_workload(struct recorder *rec, struct err *e)
{
	int ret;

	if (!rec->has_workload)
		return 0;
	ret = program_start(&rec->workload, rec->command,
			    output_descriptor(rec->opts->output) == STDOUT_FILENO, e);
	if (!ret && rec->workload_is_target && vec_push(&rec->target.tids, rec->workload.pid))
		ret = err_set(e, -ENOMEM, "no memory for the target");
	return ret;
}

static int open_events(struct recorder *rec, struct err *e)
{
	struct capture_opts co = {
		.events = recorder_kernel_events(rec),
		.target = &rec->target,
		.opener = &rec->opener,
		.context = &rec->context,
		.ring_pages = rec->ring_pages,
		.inherit = !rec->opts->no_inherit,
		.backward = rec->opts->overwrite,
		.allow_fallback = !rec->opts->no_fallback && !rec->opts->branch_filter &&
				  rec->opts->callchain.mode != CALLCHAIN_LBR,
	};
	int ret = capture_open(&rec->capture, &co, e);

	if (log_get_level() >= LOG_DEBUG)
		show_events(rec, true);
	if (!ret)
		recorder_say_cost(rec);
	return ret;
}

/* -r: a recorder that must not wait for those it watches. */
static int become_realtime(uint64_t priority, struct err *e)
{
	struct sched_param param = { .sched_priority = (int)priority };

	if (!priority)
		return 0;
	if (!sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		return 0;
	err_set(e, -errno, "-r %d: cannot become a real-time process: %s", param.sched_priority,
		strerror(errno));
	err_hint(e, "It needs CAP_SYS_NICE or a limit: ulimit -r %d", param.sched_priority);
	return e ? e->code : -EPERM;
}

static int prepare(struct recorder *rec, struct err *e)
{
	int ret;

	events_open_context(&rec->context, rec->opts->pmus);
#ifdef __x86_64__
	rec->context.soft_branches = true; /* room tracer knows this architecture */
#endif
	ret = recorder_config(rec, e);
	rec->usage = ret == -EINVAL;
	if (!ret)
		ret = recorder_tracer_prepare(rec, e);
	if (!ret && !rec->opts->dry_run)
		ret = recorder_guard(rec, e);
	if (!ret)
		ret = become_realtime(rec->opts->realtime, e);
	if (!ret && rec->opts->control) {
		ret = control_open(&rec->control, rec->opts->control, e);
		rec->has_control = !ret;
	}
	if (!ret)
		ret = start_workload(rec, e);
	return ret ? ret : open_events(rec, e);
}

/*
 * Processes go on mapping files while we read their maps: their events start first, so that no
 * map falls between. For the whole machine the dummy does that, and its events start last, so
 * that our own looking around is not sampled.
 */
static int enable_at_start(struct recorder *rec, bool before_looking, struct err *e)
{
	bool later = rec->opts->delay || rec->workload_is_target;

	if (later || before_looking == rec->target.system_wide)
		return 0;
	return capture_enable(rec->capture, NULL, e);
}

static int begin(struct recorder *rec, struct err *e)
{
	int ret = recorder_open_output(rec, e);

	rec->sink = (struct capture_sink){ .write = write_records,
					   .ctx = rec,
					   .ends_round = recorder_ends_round };
	if (!ret)
		ret = recorder_start_file(rec, e);
	if (!ret)
		ret = capture_signals(rec->capture, e);
	if (!ret && rec->has_workload)
		capture_watch_end(rec->capture, rec->workload.pid);
	if (!ret && rec->guard)
		capture_watch_end(rec->capture, rec->guard);
	if (!ret && rec->has_control)
		ret = capture_watch_control(rec->capture, rec->control.ctl_fd, e);
	if (!ret)
		ret = enable_at_start(rec, true, e);
	if (!ret)
		ret = recorder_synthesize(rec, RECORDER_AT_START, e);
	if (!ret)
		recorder_keep_roots(rec);
	if (!ret)
		ret = perfdata_writer_flush(rec->writer, e);
	if (!ret)
		ret = recorder_tracer_start(rec, e);
	if (!ret)
		ret = enable_at_start(rec, false, e);
	if (!ret && rec->has_workload) {
		ret = program_go(&rec->workload, e);
		if (ret)
			err_context(e, "%s", rec->command[0]);
		rec->never_ran = ret != 0;
	}
	return ret;
}

/* ---- while it runs ---------------------------------------------------------------------------------------- */

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
		case CONTROL_NONE: return stop;
		case CONTROL_ENABLE:
			if (rec->tracer)
				tracer_enable(rec->tracer, true);
			ret = capture_enable(rec->capture, rec->tracer ? NULL : name, &err);
			if (!ret)
				log_warn("Events enabled");
			break;
		case CONTROL_DISABLE:
			if (rec->tracer)
				tracer_enable(rec->tracer, false);
			else
				ret = capture_disable(rec->capture, name, &err);
			if (!ret)
				log_warn("Events disabled");
			break;
		case CONTROL_STOP: stop = true; break;
		case CONTROL_EVLIST: show_events(rec, strstr(arg, "-v")); break;
		case CONTROL_PING:
		case CONTROL_SNAPSHOT: break;
		case CONTROL_UNKNOWN: log_warn("--control: unknown command '%s'", arg); continue;
		}
		if (ret)
			log_warn("--control: %s", err.text);
		control_ack(&rec->control);
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
	if (rec->tracer)
		tracer_enable(rec->tracer, on);
	if (on)
		return capture_enable(rec->capture, NULL, e);
	return rec->tracer ? 0 : capture_disable(rec->capture, NULL, e);
}

/* -D: the times at which events go on and off, counted from @begin. */
static int keep_windows(struct recorder *rec, int64_t begin, size_t *next, struct err *e)
{
	int ret = 0;

	while (!ret && *next < rec->opts->windows.n &&
	       now_ms() >= begin + rec->opts->windows.v[*next]) {
		bool on = *next % 2 == 0;

		log_info("events %s after %lld ms", on ? "enabled" : "disabled",
			 (long long)rec->opts->windows.v[*next]);
		ret = switch_events(rec, on, e);
		(*next)++;
	}
	return ret;
}

/* How long nothing is due: -D, --switch-output, the tracer; never longer than a killed recorder
 * may lose. */
static int wait_ms(const struct recorder *rec, int64_t begin, size_t next)
{
	int64_t now = now_ms(), wait = IDLE_MS;

	if (next < rec->opts->windows.n)
		wait = min_i64(wait, begin + rec->opts->windows.v[next] - now);
	if (rec->sw.every_ms && rec->sw.next_ms)
		wait = min_i64(wait, rec->sw.next_ms - now);
	if (rec->tracer)
		wait = min_i64(wait, tracer_timeout_ms(rec->tracer));
	return wait < 0 ? 0 : (int)wait;
}

/* Whether what we watch is over. */
static bool is_over(struct recorder *rec, int what)
{
	/* Of a command we wait for the end itself: a set-uid exec ends its events, not it. */
	if (what & CAPTURE_GONE && !rec->workload_is_target && !rec->tracer)
		return true;
	if (recorder_guard_is_gone(rec))
		return true;
	if (rec->tracer) /* what the command left behind goes on without us */
		return rec->workload.reaped;
	return what & (CAPTURE_CHILD | CAPTURE_ENDED) && rec->has_workload &&
	       program_ended(&rec->workload, false);
}

static int follow(struct recorder *rec, struct err *e)
{
	int64_t begin = now_ms();
	bool done = false;
	size_t next = 0;
	int ret = 0;

	rec->sw.next_ms = begin + (int64_t)rec->sw.every_ms;
	while (!done && !ret) {
		int what = capture_wait(rec->capture, wait_ms(rec, begin, next), e);

		if (what < 0)
			return what;
		ret = recorder_tracer_service(rec, &done, e);
		if (!ret)
			ret = keep_windows(rec, begin, &next, e);
		if (!ret && what & (CAPTURE_DATA | CAPTURE_TIMEOUT))
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

/* ---- the end ------------------------------------------------------------------------------------------------- */

static void say_losses(const struct recorder *rec, const struct capture_stats *st)
{
	size_t kb = capture_ring_bytes(rec->capture) / 1024;

	if (rec->opts->overwrite && st->lost_counts)
		log_warn("perf record: %" PRIu64
			 " samples came while the rings were read, and are not in any file",
			 st->lost_counts);
	else if (st->lost_records || st->lost_counts)
		log_warn(
			"perf record: lost %" PRIu64 " records, %" PRIu64
			" of them samples: rings of %zu kB were full; try -m %zuK, a lower -F, or no -g",
			max_u64(st->lost_records, st->lost_counts), st->lost_counts, kb, kb * 4);
	if (st->lost_samples)
		log_warn("perf record: lost %" PRIu64
			 " samples in the hardware or by a filter (LOST_SAMPLES)",
			 st->lost_samples);
	if (st->throttled)
		log_warn(
			"perf record: throttled %" PRIu64
			" times: the kernel held events back because interrupts took too long; try a lower -F",
			st->throttled);
}

static void say_summary(const struct recorder *rec)
{
	const struct capture_stats *st = capture_stats(rec->capture);
	double mb = (double)perfdata_writer_bytes(rec->writer) / 1024 / 1024;
	double raw = (double)perfdata_writer_raw_bytes(rec->writer) / 1024 / 1024;
	const char *stamp = rec->sw.stamped && rec->created ? ".<timestamp>" : "";
	int64_t samples =
		rec->cut ? rec->samples_written : (int64_t)(st->samples + rec->soft_samples);
	char packed[96] = "", count[64] = "";

	if (log_get_level() < LOG_WARN)
		return;
	if (rec->compress_level && mb > 0)
		snprintf(packed, sizeof(packed), ", compressed (original %.3f MB, ratio is %.3f)",
			 raw, raw / mb);
	fprintf(stderr, "[ perf record: Woken up %" PRIu64 " times to write data ]\n",
		st->wakeups ? st->wakeups : 1);
	if (rec->sw.last)
		fprintf(stderr, "[ perf record: Dump %s ]\n", rec->sw.last);
	if (rec->size_reached)
		fprintf(stderr,
			"[ perf record: perf size limit reached (%" PRIu64
			" KB), stopping session ]\n",
			rec->max_bytes / 1024);
	if (samples >= 0)
		snprintf(count, sizeof(count), " (%" PRId64 " samples)", samples);
	fprintf(stderr, "[ perf record: Captured and wrote %.3f MB %s%s%s%s ]\n", mb, rec->path,
		stamp, packed, count);
	recorder_tracer_say(rec);
	say_losses(rec, st);
}

/* What the workload came to becomes ours; a signal that ended us is raised again. */
static int exit_status(struct recorder *rec, int status)
{
	int sig = rec->capture ? capture_signal(rec->capture) : 0;

	if (status)
		return status;
	if (rec->has_workload && rec->workload.reaped && !rec->ended_workload && !sig) {
		if (WIFSIGNALED(rec->workload.status))
			sig = WTERMSIG(rec->workload.status);
		else
			return WEXITSTATUS(rec->workload.status);
	}
	if (sig) {
		sigset_t set;

		fflush(stderr);
		sigemptyset(&set);
		sigaddset(&set, sig);
		signal(sig, SIG_DFL);
		kill(getpid(), sig);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		return 128 + sig; /* a signal whose default is to be ignored */
	}
	return 0;
}

/* Whatever else ended the recording ends the command too. */
static void end_workload(struct recorder *rec)
{
	if (!rec->has_workload || recorder_guard_is_gone(rec))
		return;
	if (recorder_tracer_holds(rec)) {
		rec->ended_workload = true;
		recorder_tracer_end(rec, SIGTERM);
	} else if (!program_ended(&rec->workload, false)) {
		rec->ended_workload = true;
		program_kill(&rec->workload, SIGTERM);
	}
	program_ended(&rec->workload, true);
}

static int dry_run(struct recorder *rec)
{
	log_info("%zu events open on %zu rings; nothing is recorded (--dry-run)", rec->events->n,
		 capture_nr_rings(rec->capture));
	program_free(&rec->workload);
	return 0;
}

static void clean_up(struct recorder *rec)
{
	tracer_free(rec->tracer);
	program_free(&rec->workload);
	if (rec->has_control)
		control_close(&rec->control);
	recorder_switch_free(rec);
	buildid_roots_free(rec->roots);
	perfdata_writer_free(rec->writer);
	capture_free(rec->capture);
	if (rec->fd >= 0)
		close(rec->fd);
}

int recorder_run(struct recorder *rec)
{
	struct err err = { 0 }, late = { 0 };
	int ret, status = 0;

	rec->workload.pid = rec->workload.go_fd = rec->workload.err_fd = -1;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the write fails then, and the file is finished */
	ret = prepare(rec, &err);
	if (!ret && rec->opts->dry_run) {
		status = dry_run(rec);
		goto out;
	}
	if (!ret)
		ret = begin(rec, &err);
	if (!ret)
		ret = follow(rec, &err);
	if (ret)
		status = cli_print_err(&err);
	if (rec->usage)
		status = CLI_USAGE;
	if (rec->never_ran) {
		recorder_undo_output(rec);
		status = ret == -ENOENT ? 127 : 126; /* as shells do */
	}
	if (!rec->writer || rec->never_ran)
		goto out;
	if (recorder_tracer_stop(rec, &late))
		status = cli_print_err(&late);
	if (!rec->write_code && rec->opts->tail_synthesize &&
	    recorder_synthesize(rec, RECORDER_AT_END, &late))
		status = cli_print_err(&late);
	if (!rec->write_code && capture_finish(rec->capture, &rec->sink, &late))
		status = cli_print_err(&late);
	end_workload(rec);
	if (recorder_finish_file(rec, &late) && !status)
		status = cli_print_err(&late);
	if (recorder_stamp_name(rec, &late) && !status)
		status = cli_print_err(&late);
	say_summary(rec);
out:
	if (status && recorder_output_is_empty(rec))
		recorder_undo_output(rec);
	status = rec->opts->dry_run ? status : exit_status(rec, status);
	clean_up(rec);
	return status;
}
