// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One recording from its options to its end. Each step leaves a struct from which everything behind
 * it can be undone; once there is a writer, the file is finished whatever happens, since what was
 * recorded before a failure is worth as much as without it.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/recorder-int.h"

/* ---- making one --------------------------------------------------------------------------------- */

int recorder_new(struct recorder **out, const struct recorder_opts *opts, struct err *e)
{
	struct recorder *rec = calloc(1, sizeof(*rec));
	int ret;

	*out = NULL;
	if (!rec)
		return err_set(e, -ENOMEM, "no memory for a recording");
	rec->opts = opts;
	rec->events = opts->events;
	rec->target = opts->target;
	rec->fd = rec->program.pid = rec->program.go_fd = rec->program.err_fd = -1;
	if (opts->opener)
		rec->opener = *opts->opener;
	rec->opener.log = opts->log;
	events_open_context(&rec->context, opts->pmus);
	rec->context.soft_branches = tracer_machine()->samples;
	ret = recorder_config(rec, e);
	if (ret) {
		recorder_free(rec);
		return ret;
	}
	*out = rec;
	return 0;
}

int recorder_prepare(struct recorder *rec, struct err *e)
{
	return recorder_soft_prepare(rec, e);
}

bool recorder_steps(const struct recorder *rec)
{
	return rec->soft.tracer && tracer_steps(rec->soft.tracer);
}

void recorder_watch_parent(struct recorder *rec, pid_t pid)
{
	rec->parent = pid;
}

void recorder_free(struct recorder *rec)
{
	if (!rec)
		return;
	tracer_free(rec->soft.tracer);
	recorder_stacks_free(rec->soft.stacks);
	program_free(&rec->program);
	if (rec->has_control)
		control_close(&rec->control);
	recorder_switch_free(rec);
	buildid_roots_free(rec->roots);
	perfdata_writer_free(rec->writer);
	capture_free(rec->capture);
	if (rec->fd >= 0)
		close(rec->fd);
	free(rec);
}

/* ---- starting ----------------------------------------------------------------------------------- */

/* A recorder that must not wait for those it watches. */
static int become_realtime(uint64_t priority, struct err *e)
{
	struct sched_param param = { .sched_priority = (int)priority };
	int code;

	if (!priority || !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		return 0;
	code = -errno;
	err_set(e, code, "-r %d: cannot become a real-time process: %s", param.sched_priority,
		strerror(-code));
	err_hint(e, "It needs CAP_SYS_NICE or a limit: ulimit -r %d", param.sched_priority);
	return code;
}

static int start_program(struct recorder *rec, struct err *e)
{
	int ret;

	if (!rec->opts->command)
		return 0;
	ret = program_start(&rec->program, rec->opts->command,
			    output_descriptor(rec->opts->output) == STDOUT_FILENO, e);
	if (!ret && rec->target->workload && vec_push(&rec->target->tids, rec->program.pid))
		ret = err_set(e, -ENOMEM, "no memory for the target");
	return ret;
}

/*
 * Who asks for another file cannot know how far we are: that waits, from when the command, which
 * would inherit this, is a process of its own.
 */
static void hold_switch_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int open_events(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	struct capture_opts co = {
		.events = recorder_kernel_events(rec),
		.target = rec->target,
		.opener = &rec->opener,
		.context = &rec->context,
		.ring_pages = o->ring_pages,
		/* the tracer maps a ring for each thread, and here there is no sample */
		.leaves_room = rec->soft.nr,
		.inherit = !o->no_inherit,
		.backward = o->overwrite,
		.log = o->log,
		.allow_fallback =
			!o->no_fallback && !o->branch_filter && o->callchain.mode != CALLCHAIN_LBR,
	};
	int ret = capture_open(&rec->capture, &co, e);

	recorder_say_events(rec, LOG_DEBUG, true);
	if (!ret)
		recorder_say_cost(rec);
	return ret;
}

static int start(struct recorder *rec, struct err *e)
{
	int ret = become_realtime(rec->opts->realtime, e);

	if (!ret && rec->opts->control) {
		ret = control_open(&rec->control, rec->opts->control, e);
		rec->has_control = !ret;
	}
	if (!ret)
		ret = start_program(rec, e);
	if (ret)
		return ret;
	hold_switch_signal();
	ret = open_events(rec, e);
	/* There is nobody to open events on. */
	return ret == -ESRCH && rec->target->workload ? program_why(&rec->program, ret, e) : ret;
}

static int write_records(void *ctx, const void *a, size_t na, const void *b, size_t nb,
			 struct err *e)
{
	struct recorder *rec = ctx;
	int ret = perfdata_writer_write(rec->writer, a, na, b, nb, e);

	if (ret)
		rec->write_code = ret;
	if (rec->opts->keep_objects && rec->roots)
		recorder_keep_new_roots(rec, a, na, b, nb);
	return ret;
}

/*
 * Processes go on mapping files while we read their maps: their events start first, so that no
 * map falls between. For the whole machine the dummy does that, and its events start last, so
 * that our own looking around is not sampled.
 */
static int enable_at_start(struct recorder *rec, bool before_looking, struct err *e)
{
	bool later = rec->opts->delay || rec->target->workload;

	if (later || before_looking == rec->target->system_wide)
		return 0;
	return capture_enable(rec->capture, NULL, e);
}

static int watch(struct recorder *rec, struct err *e)
{
	int ret = capture_signals(rec->capture, e);

	if (!ret && rec->opts->command)
		capture_watch_end(rec->capture, rec->program.pid);
	if (!ret && rec->parent)
		capture_watch_end(rec->capture, rec->parent);
	if (!ret && rec->has_control)
		ret = capture_watch_control(rec->capture, rec->control.ctl_fd, e);
	return ret;
}

static int begin(struct recorder *rec, struct err *e)
{
	int ret = recorder_open_output(rec, e);

	rec->sink = (struct capture_sink){ .write = write_records,
					   .ctx = rec,
					   .ends_round = recorder_ends_round };
	/* Signals end the wait for a FIFO's reader; from here on they end a file in order. */
	if (!ret)
		ret = watch(rec, e);
	if (!ret)
		ret = recorder_start_file(rec, e);
	if (!ret)
		ret = enable_at_start(rec, true, e);
	if (!ret)
		ret = recorder_synthesize(rec, RECORDER_AT_START, e);
	if (!ret)
		recorder_keep_roots(rec);
	if (!ret)
		ret = perfdata_writer_flush(rec->writer, e);
	if (!ret)
		ret = recorder_soft_start(rec, e);
	if (!ret)
		ret = enable_at_start(rec, false, e);
	if (!ret && rec->opts->command) {
		ret = program_go(&rec->program, e);
		if (ret)
			err_context(e, "%s", rec->opts->command[0]);
		rec->exec_code = ret;
	}
	return ret;
}

/* ---- the end ------------------------------------------------------------------------------------ */

/* Whatever else ended the recording ends the command too. */
static void end_program(struct recorder *rec)
{
	if (!rec->opts->command || recorder_parent_is_gone(rec))
		return;
	if (recorder_soft_holds(rec)) {
		rec->ended_program = true;
		recorder_soft_end(rec, SIGTERM);
	} else if (!program_ended(&rec->program, false)) {
		rec->ended_program = true;
		program_kill(&rec->program, SIGTERM);
	}
	program_ended(&rec->program, true);
}

/* Before that it ends by itself, with our end of its pipe. */
static bool program_runs(const struct recorder *rec)
{
	return rec->program.pid > 0 && rec->program.go_fd < 0;
}

static void take_rest(struct recorder *rec)
{
	struct err e = { 0 };

	if (!rec->write_code && rec->opts->tail_synthesize &&
	    recorder_synthesize(rec, RECORDER_AT_END, &e))
		recorder_fail(rec, &e);
	if (!rec->write_code && capture_finish(rec->capture, &rec->sink, &e))
		recorder_fail(rec, &e);
}

static void complete_file(struct recorder *rec)
{
	struct err e = { 0 };

	if (recorder_finish_file(rec, &e) && !rec->failed)
		recorder_fail(rec, &e);
	if (recorder_stamp_name(rec, &e) && !rec->failed)
		recorder_fail(rec, &e);
}

/* Each step is tried whatever became of the one before it; only the first failure of the file is told. */
static void finish(struct recorder *rec)
{
	struct err e = { 0 };

	if (recorder_soft_stop(rec, &e))
		recorder_fail(rec, &e);
	recorder_soft_beside(rec, take_rest);
	end_program(rec);
	recorder_soft_beside(rec, complete_file);
	recorder_say_summary(rec);
}

static void dry_run(struct recorder *rec)
{
	recorder_say(rec, LOG_INFO, "%zu events open on %zu rings; nothing is recorded (--dry-run)",
		     rec->events->n, capture_nr_rings(rec->capture));
}

void recorder_run(struct recorder *rec, struct recorder_result *result)
{
	struct err e = { 0 };
	int ret = start(rec, &e);

	if (!ret && rec->opts->dry_run) {
		dry_run(rec);
		goto out;
	}
	if (!ret)
		ret = begin(rec, &e);
	if (!ret)
		ret = recorder_follow(rec, &e);
	if (ret)
		recorder_fail(rec, &e);
	if (rec->exec_code)
		recorder_undo_output(rec);
	else if (rec->writer)
		finish(rec);
	else if (program_runs(rec)) /* no next file could be begun: unrecorded it need not go on */
		end_program(rec);
	if (rec->failed && !rec->exec_code && recorder_output_is_empty(rec))
		recorder_undo_output(rec);
out:
	*result = (struct recorder_result){
		.failed = rec->failed,
		.exec_code = rec->exec_code,
		.signal = rec->capture ? capture_signal(rec->capture) : 0,
		.ended = rec->program.reaped && !rec->ended_program && !rec->opts->dry_run,
		.status = rec->program.status,
	};
}
