// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Letting all threads go as they were. They are asked to stop all at once and let go in the order
 * in which they come: one may wait for another of ours, as vfork's parent for its child and exec
 * for the other threads, so whoever waited for one of them alone could wait for ever.
 */
#include <signal.h>
#include <sys/wait.h>

#include "btrace-int.h"
#include "tracer-int.h"

#define EVENT(status) ((status) >> 16)
#define LAST_STOPS    8
#define LEAST_NS      3000000000ULL  /* until who does not come is left to the kernel */
#define MOST_NS	      30000000000ULL /* ... and while a busy machine gives it no CPU */

/*
 * Whether a signal of ours or of a step, all of whose events are closed now, is on its way. *@blocked: it
 * does not come by itself.
 */
static bool more_to_come(const struct tracee *th, bool *blocked)
{
	struct signals s;

	if (signals_event_waits(th, blocked))
		return true;
	*blocked = false;
	return th->stepped && signals_read(th->tid, &s) && (s.pending & BIT(SIGTRAP - 1));
}

/* The signal to go on with from this stop; ours and those of steps are swallowed. */
static int to_pass_on(struct tracee *th, int status)
{
	int sig = EVENT(status) || WSTOPSIG(status) == BTRACE_STOP ? 0 : WSTOPSIG(status);

	if (step_is_ours(th, status)) {
		th->stepped = false;
		return 0;
	}
	return signals_is_event(th->tid, sig, NULL) ? 0 : sig;
}

/* A child that the kernel attached for us comes to its first stop, and is let go there. */
static void expect_child(struct tracer *t, const struct tracee *th, int status)
{
	unsigned long child = 0;
	int event = EVENT(status);

	if (event != PTRACE_EVENT_FORK && event != PTRACE_EVENT_VFORK &&
	    event != PTRACE_EVENT_CLONE)
		return;
	if (!ptrace(PTRACE_GETEVENTMSG, th->tid, NULL, &child) && !tracee_find(t, (pid_t)child) &&
	    tracer_is_ours((pid_t)child))
		(void)tracee_add(t, (pid_t)child);
}

/* @th stands still: it is let go, or runs to its next stop when a signal of ours is on its way. */
static void let_go(struct tracer *t, struct tracee *th, int status)
{
	bool blocked;
	struct waited came;
	int sig;

	th->left = false;
	if (EVENT(status) == PTRACE_EVENT_EXEC)
		(void)tracee_after_exec(t, th->tid, &th, NULL);
	signals_close(th);
	expect_child(t, th, status);
	sig = to_pass_on(th, status);
	if (WSTOPSIG(status) != BTRACE_STOP)
		t->stats.restarted += signals_restart(th->tid, sig);
	if (!sig && more_to_come(th, &blocked) && blocked) {
		signals_take_out(th, &came);
		if (came.kind == WAITED_END)
			(void)tracee_end(t, th, came.status, NULL);
		if (came.kind == WAITED_END || came.kind == WAITED_GONE)
			return;
		if (came.kind == WAITED_STOP)
			sig = to_pass_on(th, came.status);
	}
	/* Behind the program's own it has to stop once more; what is not blocked is a stop itself. */
	if (++th->last_stops < LAST_STOPS && more_to_come(th, &blocked)) {
		tracee_go_on(th, sig);
		if (sig || blocked)
			(void)ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL);
		return;
	}
	(void)ptrace(PTRACE_DETACH, th->tid, NULL, (void *)(long)sig);
	(void)tracee_drop(t, th, NULL);
}

void tracee_count_life(struct tracer *t, struct tracee *th)
{
	if (th->since)
		t->stats.lived_ns += tracer_now() - th->since;
	th->since = 0;
}

/* Those of which nothing can come any more. */
static void drop_lost(struct tracer *t)
{
	for (size_t i = t->threads.n; i-- > 0;)
		if (!tracer_is_ours(t->threads.v[i]->tid))
			(void)tracee_drop(t, t->threads.v[i], NULL);
}

static bool wait_for_cpu(const struct tracer *t)
{
	vec_for_each (p, &t->threads) {
		if (tracer_is_runnable((*p)->tid))
			return true;
	}
	return false;
}

static bool awaits_any(const struct tracer *t)
{
	vec_for_each (p, &t->threads) {
		if (!(*p)->left)
			return true;
	}
	return false;
}

/* One that has come, if any has; whether it had. */
static bool serve_one(struct tracer *t)
{
	struct tracee *th;
	pid_t tid;
	struct waited came = tracer_wait_any(0, &tid);

	if (came.kind == WAITED_NOTHING) {
		drop_lost(t);
		return false;
	}
	th = tracee_find(t, tid);
	if (!th)
		(void)tracee_stranger(t, tid, came, &th, NULL);
	if (!th && came.kind == WAITED_STOP)
		th = tracee_add(t, tid);
	if (th && came.kind == WAITED_STOP)
		let_go(t, th, came.status);
	else if (th)
		(void)tracee_end(t, th, came.status, NULL);
	return true;
}

/* Until all are gone, or those that are left do not come: see tracer_serve_left(). */
static void wait_for_all(struct tracer *t)
{
	uint64_t begin = tracer_now(), last = begin, now;

	while (t->threads.n) {
		bool came = serve_one(t);

		now = tracer_now();
		if (came) {
			last = now;
			continue;
		}
		if (!awaits_any(t) ||
		    (now - last > LEAST_NS && (now - begin > MOST_NS || !wait_for_cpu(t))))
			break;
		tracer_doze(5000000);
	}
}

/* SIGCHLD ends the doze. Who takes it elsewhere, from a signalfd, delays a thread by no more than that. */
void tracer_serve_left(struct tracer *t)
{
	if (!serve_one(t))
		tracer_doze(20000000);
}

/*
 * Where a system call that a stop ends is not entered again, who sleeps in one is not waked. Its events are closed,
 * but it still stops for what it does itself: at a signal, where it starts a thread or a process, and in a trace at the
 * end of its call. There it is let go, by whoever serves it; else the kernel does that at our end.
 */
static bool is_left_asleep(const struct tracee *th)
{
	return !tracer_machine()->kernel && tracer_is_asleep(th->tid);
}

int tracer_detach(struct tracer *t, struct err *e)
{
	int ret;

	if (t->detached)
		return 0;
	t->detached = true;
	ret = t->computed ? btrace_end(t, t->computed, e) : 0;
	for (size_t i = 0; i < t->threads.n; i++) {
		struct tracee *th = t->threads.v[i];
		struct err *first = ret ? NULL : e; /* that is the one to tell */
		int code;

		points_enable(th, false);
		th->left = is_left_asleep(th);
		code = th->left ? tracee_settle(t, th, first)
				: points_drain(t, th, NULL, NULL, first);
		ret = ret ?: code;
		points_close(t, th);
		if (!th->left)
			(void)ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL);
	}
	wait_for_all(t);
	vec_for_each (p, &t->threads) {
		/* nothing of it is written any more when it is served */
		int code = tracee_settle(t, *p, ret ? NULL : e);

		ret = ret ?: code;
		tracee_count_life(t, *p);
		log_to(&t->opts.log, LOG_INFO,
		       "thread %d %s: it is let go where it stops next, or when perf ends",
		       (*p)->tid, (*p)->left ? "sleeps" : "does not stop");
	}
	return ret;
}

size_t tracer_left(const struct tracer *t)
{
	return t->threads.n;
}
