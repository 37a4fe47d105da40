// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples by ptrace while a recording runs: threads attached, samples written beside the rings'
 * records, the end. Two sources write into one file, so a round ends only when neither has anything
 * older, and the tracer hears of the command's end before anybody else may wait for it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "recorder/recorder-int.h"

/* ---- into the file ------------------------------------------------------------------------------ */

int recorder_soft_write(void *ctx, const void *data, size_t size, struct err *e)
{
	struct recorder *rec = ctx;
	int ret;

	rec->soft.samples++;
	rec->soft.unflushed = true;
	if (rec->soft.time_at && size >= rec->soft.time_at + 8) {
		uint64_t time = load_u64((const char *)data + rec->soft.time_at, false);

		if (!rec->soft.first || time < rec->soft.first)
			rec->soft.first = time;
		rec->soft.last = max_u64(rec->soft.last, time);
	}
	ret = perfdata_writer_write(rec->writer, data, size, NULL, 0, e);
	if (ret)
		rec->write_code = ret;
	return ret;
}

struct event_list *recorder_kernel_events(struct recorder *rec)
{
	return rec->soft.nr ? &rec->soft.tracking_list : rec->events;
}

const uint64_t *recorder_ids(const struct recorder *rec, size_t i, size_t *nr)
{
	if (i >= rec->soft.nr)
		return capture_ids(rec->capture, i - rec->soft.nr, nr);
	*nr = 1;
	return &rec->soft.id[i];
}

/*
 * FEAT_SAMPLE_SOURCE: version, count, then for each event its index and three strings. Behind it,
 * where readers of before do not look, what RAW holds: count, then index and name.
 */
void recorder_soft_feature(const struct recorder *rec, struct obuf *o)
{
	const char *stacks = !rec->soft.chains ? ""
			     : rec->soft.ahead
				     ? "; call chains unwound there, with what is run on to"
				     : "; call chains unwound there";
	const struct tracer_opts *t = &rec->soft.opts;
	const char *raw = t->bases && t->mxcsr ? RAW_BASES_AND_MXCSR
			  : t->bases	       ? RAW_BASES
			  : t->mxcsr	       ? RAW_MXCSR
					       : NULL;
	char note[256];

	snprintf(note, sizeof(note), "user state read by ptrace at each overflow%s", stacks);

	if (rec->soft.branches)
		snprintf(note, sizeof(note), "%s, %s; no prediction, no cycles%s",
			 rec->soft.opts.branches.trace ? "all branches from the first overflow on"
						       : "followed from the overflow on",
			 tracer_how(rec->soft.tracer), stacks);
	feature_put_u32(o, 1);
	feature_put_u32(o, (uint32_t)rec->soft.nr);
	for (size_t i = 0; i < rec->soft.nr; i++) {
		feature_put_u32(o, (uint32_t)i);
		feature_put_string(o, rec->soft.opts.regs ? "ptrace" : "");
		feature_put_string(o, rec->soft.branches ? "software" : "");
		feature_put_string(o, note);
	}
	if (!raw)
		return;
	feature_put_u32(o, (uint32_t)rec->soft.nr);
	for (size_t i = 0; i < rec->soft.nr; i++) {
		feature_put_u32(o, (uint32_t)i);
		feature_put_string(o, raw);
	}
}

/* ---- while it runs ------------------------------------------------------------------------------ */

static int attach(struct recorder *rec, pid_t pid, bool process, struct err *e)
{
	int ret;

	if (pid == getpid())
		return err_set(e, -EPERM, "perf does not trace itself");
	ret = rec->opts->some_suffice ? tracer_check(pid, e) : 0;
	if (!ret)
		ret = tracer_attach(rec->soft.tracer, pid, process, e);
	if (!ret)
		capture_watch_end(rec->capture, pid);
	return ret;
}

/* Threads of a process that has others: those of a server come and go. */
bool recorder_may_have_ended(const struct recorder *rec, int ret)
{
	return ret == -ESRCH && !rec->opts->single_threads;
}

int recorder_soft_start(struct recorder *rec, struct err *e)
{
	size_t attached = 0;
	bool processes = rec->target->workload || !rec->opts->single_threads;
	int ret = 0;

	if (!rec->soft.nr)
		return 0;
	if (rec->soft.why_branches[0])
		recorder_say(rec, LOG_WARN, "perf record: branches in software, by ptrace: %s",
			     rec->soft.why_branches);
	if (rec->soft.why_regs[0])
		recorder_say(rec, LOG_WARN, "perf record: user registers by ptrace: %s",
			     rec->soft.why_regs);
	if (rec->soft.why_chains[0])
		recorder_say(rec, LOG_WARN, "perf record: call stacks by ptrace: %s",
			     rec->soft.why_chains);
	recorder_say_strategy(rec);
	if (rec->opts->command)
		tracer_watch_end(rec->soft.tracer, rec->program.pid);
	for (size_t i = 0; i < rec->target->tids.n && (!ret || recorder_may_have_ended(rec, ret));
	     i++) {
		ret = attach(rec, rec->target->tids.v[i], processes, e);
		attached += !ret;
		/* of a user's processes those that can be had */
		if (rec->opts->some_suffice && (ret == -EPERM || ret == -ESRCH)) {
			recorder_say(rec, LOG_INFO, "%s", e->text);
			err_clear(e);
			ret = 0;
		}
	}
	if (attached && recorder_may_have_ended(rec, ret)) {
		err_clear(e);
		ret = 0;
	}
	if (!ret && !attached)
		ret = err_set(e, -ESRCH, "none of the processes can be traced (-v says why)");
	return ret;
}

/*
 * The tracer is told of the workload's end before anybody else. If it has not heard of it the
 * workload's pidfd still has: nobody stops any more then, so this wait takes nothing from it.
 */
static void reap(struct recorder *rec)
{
	if (!rec->soft.tracer || !rec->opts->command || rec->program.reaped)
		return;
	rec->program.reaped = tracer_ended(rec->soft.tracer, &rec->program.status);
	if (!rec->program.reaped && capture_has_ended(rec->capture, rec->program.pid))
		(void)program_ended(&rec->program, false);
}

int recorder_soft_service(struct recorder *rec, bool *done, struct err *e)
{
	int ret;

	if (!rec->soft.tracer)
		return 0;
	ret = tracer_service(rec->soft.tracer, e);
	if (ret < 0)
		return ret;
	*done |= !ret || (!rec->opts->command && tracer_has_traced(rec->soft.tracer));
	reap(rec);
	return 0;
}

/* What the tracer wrote since the last time is part of the round. */
bool recorder_ends_round(void *ctx, bool some)
{
	struct recorder *rec = ctx;

	some |= rec->soft.unflushed;
	/* at the end the tracer has nothing more, and is at work in another thread */
	if (!some ||
	    (rec->soft.tracer && !rec->soft.stopped && !tracer_ends_round(rec->soft.tracer)))
		return false;
	rec->soft.unflushed = false;
	return true;
}

bool recorder_soft_holds(struct recorder *rec)
{
	reap(rec);
	return rec->soft.tracer && !rec->program.reaped && tracer_left(rec->soft.tracer);
}

/* Who was left may be the command, and stops to take the signal: it must be let go to end of it. */
void recorder_soft_end(struct recorder *rec, int sig)
{
	kill(rec->program.pid, sig);
	while (recorder_soft_holds(rec))
		tracer_serve_left(rec->soft.tracer);
}

struct beside {
	struct recorder *rec;
	void (*step)(struct recorder *rec);
	pthread_t tracer;
	atomic_bool over;
};

static void *take_step(void *arg)
{
	struct beside *b = arg;

	b->step(b->rec);
	atomic_store(&b->over, true);
	pthread_kill(b->tracer, SIGCHLD); /* ends its doze */
	return NULL;
}

/* Files take seconds, and streams as long as their readers like. ptrace belongs to this thread, so the step goes. */
void recorder_soft_beside(struct recorder *rec, void (*step)(struct recorder *rec))
{
	struct beside b = { .rec = rec, .step = step, .tracer = pthread_self() };
	pthread_t thread;

	if (!rec->soft.tracer || !tracer_left(rec->soft.tracer) ||
	    pthread_create(&thread, NULL, take_step, &b)) {
		step(rec);
		return;
	}
	while (!atomic_load(&b.over))
		tracer_serve_left(rec->soft.tracer);
	pthread_join(thread, NULL);
}

int recorder_soft_stop(struct recorder *rec, struct err *e)
{
	int ret;

	if (!rec->soft.tracer)
		return 0;
	ret = tracer_detach(rec->soft.tracer, e);
	rec->soft.stopped = true;
	reap(rec);
	return ret;
}
