// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaching, following, and every stop of every thread. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "private.h"

#define EVENT(status) ((status) >> 16)

uint64_t tracer_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* ---- threads -------------------------------------------------------------------------------------- */

static struct thread *find_thread(struct tracer *t, pid_t tid)
{
	vec_for_each (p, &t->threads) {
		if ((*p)->tid == tid)
			return *p;
	}
	return NULL;
}

static pid_t thread_group(pid_t tid)
{
	char path[64];
	char *text, *at;
	pid_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	text = file_read_all(path, 1 << 16, NULL, NULL);
	at = text ? strstr(text, "\nTgid:") : NULL;
	if (at)
		pid = (pid_t)strtol(at + 6, NULL, 10);
	free(text);
	return pid;
}

static struct thread *add_thread(struct tracer *t, pid_t tid)
{
	struct thread *th = calloc(1, sizeof(*th));

	if (!th || vec_push(&t->threads, th)) {
		free(th);
		return NULL;
	}
	th->tid = tid;
	th->pid = thread_group(tid);
	th->bp_fd = -1;
	th->since = tracer_now();
	t->stats.threads++;
	t->stats.threads_peak = max_u64(t->stats.threads_peak, t->threads.n);
	return th;
}

/* What lies in its rings is still written. */
static int drop_thread(struct tracer *t, struct thread *th, struct err *e)
{
	int ret = points_drain(t, th, NULL, NULL, e);

	t->stats.lived_ns += tracer_now() - th->since;
	points_close(t, th);
	for (size_t i = 0; i < t->threads.n; i++)
		if (t->threads.v[i] == th)
			t->threads.v[i] = t->threads.v[--t->threads.n];
	free(th);
	return ret;
}

/* ---- the budget --------------------------------------------------------------------------------------- */

#define REST_MIN_NS 1000000ULL
#define STOP_NS	    40000 /* a signal, a stop and two switches, beside what is measured */
#define MAX_SKEW    1000  /* clocks drift apart by less than a thousandth */

/*
 * How long a thread stood still before we got to it: on a busy machine more than all the rest.
 * The samples' clock is the kernel's own, so the smallest difference seen counts as no delay.
 */
static uint64_t stop_delay(struct tracer *t, uint64_t now, uint64_t sampled)
{
	int64_t diff = (int64_t)(now - sampled);

	if (!sampled)
		return 0;
	if (t->clock_seen)
		t->clock_diff += (int64_t)((now - t->clock_seen) / MAX_SKEW);
	if (!t->clock_seen || diff < t->clock_diff)
		t->clock_diff = diff;
	t->clock_seen = now;
	return (uint64_t)(diff - t->clock_diff);
}

/* A walk that took @ns buys silence until it is no more than its share of the time. */
static void rest(struct tracer *t, struct thread *th, uint64_t ns)
{
	double budget = t->opts.branches.budget;
	uint64_t pause;

	if (!t->opts.branches.on || budget <= 0 || budget >= 100)
		return;
	pause = (uint64_t)(ns * (100 - budget) / budget);
	if (pause < REST_MIN_NS)
		return;
	points_enable(th, false);
	th->resting = true;
	th->rest_until = tracer_now() + pause;
	if (!t->rest_next || th->rest_until < t->rest_next)
		t->rest_next = th->rest_until;
}

static void wake_rested(struct tracer *t)
{
	uint64_t now, next = 0;

	if (!t->rest_next || (now = tracer_now()) < t->rest_next)
		return;
	vec_for_each (p, &t->threads) {
		struct thread *th = *p;

		if (!th->resting)
			continue;
		if (th->rest_until <= now) {
			th->resting = false;
			if (t->enabled)
				points_enable(th, true);
		} else if (!next || th->rest_until < next) {
			next = th->rest_until;
		}
	}
	t->rest_next = next;
}

int tracer_timeout_ms(const struct tracer *t)
{
	uint64_t now;

	if (!t->rest_next)
		return 200; /* rings of threads that block the signal */
	now = tracer_now();
	return t->rest_next <= now ? 0 : (int)((t->rest_next - now) / 1000000 + 1);
}

/* ---- system calls that our signal interrupted ------------------------------------------------------------ */

/*
 * Most calls are restarted by the kernel when a signal turns out to be swallowed. These return
 * EINTR whatever happens (signal(7)); nothing was done yet, so they may be entered again.
 */
static const uint16_t restartable[] = {
	65 /* semop */,		  220 /* semtimedop */,
	69 /* msgsnd */,	  70 /* msgrcv */,
	232 /* epoll_wait */,	  281 /* epoll_pwait */,
	441 /* epoll_pwait2 */,	  208 /* io_getevents */,
	333 /* io_pgetevents */,  128 /* rt_sigtimedwait */,
	426 /* io_uring_enter */,
};

#define ERESTARTNOINTR 513 /* the kernel's own; never seen by a program */

/* Signals that wait for @tid and are not blocked: their handlers are what EINTR is for. */
static bool has_signals(pid_t tid)
{
	static const char *const keys[] = { "\nSigPnd:", "\nShdPnd:", "\nSigBlk:" };
	uint64_t v[3] = { 0 };
	char path[64];
	char *text;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	text = file_read_all(path, 1 << 16, NULL, NULL);
	for (size_t i = 0; text && i < ARRAY_SIZE(keys); i++) {
		char *at = strstr(text, keys[i]);

		if (at)
			v[i] = strtoull(at + strlen(keys[i]), NULL, 16);
	}
	free(text);
	return (v[0] | v[1]) & ~v[2];
}

static void restart_syscall(struct tracer *t, pid_t tid)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &r) || (long)r.orig_rax < 0 || (long)r.rax != -EINTR)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(restartable); i++) {
		if (r.orig_rax != restartable[i] || has_signals(tid))
			continue;
		r.rax = (unsigned long long)-ERESTARTNOINTR;
		t->stats.restarted += !ptrace(PTRACE_SETREGS, tid, NULL, &r);
		return;
	}
}

/* ---- stops -------------------------------------------------------------------------------------------------- */

static void go_on(struct thread *th, int sig)
{
	/* ESRCH: killed meanwhile; its end will be reported */
	(void)ptrace(PTRACE_CONT, th->tid, NULL, (void *)(long)sig);
}

static int handle_stop(struct tracer *t, struct thread *th, int status, struct err *e);

/* The thread stands in the delivery of our signal. */
static int handle_sample(struct tracer *t, struct thread *th, struct err *e)
{
	struct user_state *st = &t->state;
	struct walk walk = { .nr = 0 };
	uint64_t start = tracer_now(), ip, sampled = 0, delay, took;
	bool walked = false, user;
	int ret, status = 0;

	t->stats.stops++;
	ret = state_read(t, th->tid, st);
	if (ret)
		return ret == -ESRCH ? 0
				     : err_set(e, ret, "reading registers of thread %d", th->tid);
	st->sampled_ip = st->gpr.rip;
	user = points_peek_user(t, th, &ip, &sampled) && ip == st->gpr.rip;
	delay = user ? stop_delay(t, start, sampled) : 0;
	if (t->walker && user) {
		points_enable(th, false);
		ret = walk_branches(t, th, st, &walk, &status);
		walked = true;
		if (ret == -ESRCH)
			return 0;
	}
	ret = points_drain(t, th, st, walked ? &walk : NULL, e);
	if ((long)st->gpr.orig_rax >= 0)
		restart_syscall(t, th->tid);
	took = delay + tracer_now() - start;
	if (walked) {
		/* it will wait for a CPU about as long as we did */
		rest(t, th, took + delay + STOP_NS);
		if (!th->resting && t->enabled)
			points_enable(th, true);
	}
	t->stats.stopped_ns += took;
	if (ret)
		return ret;
	if (status)
		return handle_stop(t, th, status, e);
	go_on(th, 0);
	return 0;
}

/* Whether the signal that @th is about to get is one of its events'. */
static bool is_ours(const struct thread *th, int sig)
{
	siginfo_t si;

	if (sig != TRACER_SIGNAL || ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &si))
		return false;
	/* POLL_IN ... POLL_HUP: from a descriptor; programs send 0 and below */
	return si.si_code > 0 && si.si_code <= POLL_HUP && points_has_fd(th, si.si_fd);
}

static bool is_group_stop(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/*
 * exec by any thread leaves one, which now has the number of the leader. Its events come along;
 * those of the others are gone.
 */
static int handle_exec(struct tracer *t, struct thread *th, struct err *e)
{
	unsigned long former = 0;
	struct thread *other;
	pid_t tid = th->tid;
	int ret;

	ptrace(PTRACE_GETEVENTMSG, tid, NULL, &former);
	other = (pid_t)former != tid ? find_thread(t, (pid_t)former) : NULL;
	if (other) {
		ret = drop_thread(t, th, e);
		if (ret)
			return ret;
		th = other;
		th->tid = tid;
	}
	points_own(th);
	go_on(th, 0);
	return 0;
}

static int handle_stop(struct tracer *t, struct thread *th, int status, struct err *e)
{
	int sig = WSTOPSIG(status);

	th->listening = false;
	switch (EVENT(status)) {
	case 0:
		if (is_ours(th, sig))
			return handle_sample(t, th, e);
		go_on(th, step_is_ours(th, status) ? 0 : sig);
		th->stepped = false;
		return 0;
	case PTRACE_EVENT_STOP:
		if (is_group_stop(sig)) {
			th->listening = true;
			(void)ptrace(PTRACE_LISTEN, th->tid, NULL, NULL);
			return 0;
		}
		go_on(th, 0);
		return 0;
	case PTRACE_EVENT_EXEC: return handle_exec(t, th, e);
	default: go_on(th, 0); return 0;
	}
}

/* A thread that the kernel attached for us (fork, clone): it stands at its first instruction. */
static int adopt(struct tracer *t, pid_t tid, int status, struct err *e)
{
	struct thread *th = add_thread(t, tid);

	if (!th)
		return err_set(e, -ENOMEM, "no memory for thread %d", tid);
	/* no descriptors left: it runs on unsampled, and the report says so */
	if (points_open(t, th, false, e)) {
		log_warn("%s; it is not sampled", e->text);
		err_clear(e);
	}
	return handle_stop(t, th, status, e);
}

static int handle_end(struct tracer *t, struct thread *th, int status, struct err *e)
{
	pid_t tid = th->tid;

	/* several threads: only the leader's status is the process's */
	if (th->pid == tid && vec_push(&t->ended, ((struct ended){ tid, status })))
		return err_set(e, -ENOMEM, "no memory for an exit status");
	return drop_thread(t, th, e);
}

/* Threads that block the signal are never stopped; their samples are written without state. */
static int drain_unstopped(struct tracer *t, struct err *e)
{
	vec_for_each (p, &t->threads) {
		int ret;

		if (!points_pending(*p))
			continue;
		ret = points_drain(t, *p, NULL, NULL, e);
		if (ret)
			return ret;
	}
	return 0;
}

int tracer_service(struct tracer *t, struct err *e)
{
	bool any = false;
	int status, ret = 0;
	pid_t tid;

	while (!ret && (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
		struct thread *th = find_thread(t, tid);

		any = true;
		if (WIFSTOPPED(status))
			ret = th ? handle_stop(t, th, status, e) : adopt(t, tid, status, e);
		else if (th)
			ret = handle_end(t, th, status, e);
		else if (vec_push(&t->ended, ((struct ended){ tid, status }))) /* another child */
			ret = err_set(e, -ENOMEM, "no memory for an exit status");
		wake_rested(t);
	}
	wake_rested(t);
	if (!ret && !any)
		ret = drain_unstopped(t, e);
	return ret ? ret : (int)t->threads.n;
}

/* ---- attaching ------------------------------------------------------------------------------------------------ */

static int seize(struct tracer *t, pid_t tid, bool first, struct err *e)
{
	unsigned long follow = PTRACE_O_TRACEEXEC;
	struct thread *th;
	int ret;

	if (t->opts.inherit)
		follow |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)follow))
		return tracer_attach_error(tid, -errno, e);
	th = add_thread(t, tid);
	if (!th)
		return err_set(e, -ENOMEM, "no memory for thread %d", tid);
	ret = points_open(t, th, first, e);
	return ret;
}

/* Rounds over /proc until one finds nothing new: threads may start threads meanwhile. */
static int seize_process(struct tracer *t, pid_t pid, struct err *e)
{
	char path[64];
	bool again = true;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	while (again && !ret) {
		DIR *dir = opendir(path);
		struct dirent *d;

		again = false;
		if (!dir)
			return err_set(e, -ESRCH, "there is no process %d", pid);
		while (!ret && (d = readdir(dir))) {
			pid_t tid = (pid_t)strtol(d->d_name, NULL, 10);

			if (tid <= 0 || find_thread(t, tid))
				continue;
			again = true;
			ret = seize(t, tid, true, e);
			if (ret == -ESRCH && tid != pid)
				ret = 0;
			/* a clone that the kernel attached in between is adopted at its stop */
			if (ret == -EPERM && thread_group(tid) == pid && t->threads.n)
				ret = 0;
		}
		closedir(dir);
	}
	return ret;
}

int tracer_attach(struct tracer *t, pid_t tid, bool process, struct err *e)
{
	return process ? seize_process(t, tid, e) : seize(t, tid, true, e);
}

/* ---- letting go ------------------------------------------------------------------------------------------------- */

static bool signal_pending(pid_t tid, int sig)
{
	char path[64];
	char *text, *at;
	uint64_t v = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	text = file_read_all(path, 1 << 16, NULL, NULL);
	at = text ? strstr(text, "\nSigPnd:") : NULL;
	if (at)
		v = strtoull(at + 8, NULL, 16);
	free(text);
	return v & BIT(sig - 1);
}

/*
 * The next stop of @th, in which it can be detached; a signal of ours that is still on its way is
 * swallowed. Returns the signal to pass on, or -1 when the thread has ended.
 */
static int last_stop(struct tracer *t, struct thread *th)
{
	int status;

	(void)ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL);
	while (waitpid(th->tid, &status, __WALL) == th->tid) {
		int sig;

		if (!WIFSTOPPED(status)) {
			(void)handle_end(t, th, status, NULL);
			return -1;
		}
		sig = EVENT(status) ? 0 : WSTOPSIG(status);
		if (sig == TRACER_SIGNAL) {
			siginfo_t si;

			if (!ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &si) && si.si_code > 0)
				sig = 0;
		}
		if (step_is_ours(th, status))
			sig = 0, th->stepped = false;
		if (sig || !signal_pending(th->tid, th->stepped ? SIGTRAP : TRACER_SIGNAL))
			return sig;
		go_on(th, 0);
		/* if it is blocked there will be no stop for it: ask for another */
		(void)ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL);
		if (waitpid(th->tid, &status, __WALL) != th->tid || !WIFSTOPPED(status))
			return -1;
		return EVENT(status) || WSTOPSIG(status) == TRACER_SIGNAL ? 0 : WSTOPSIG(status);
	}
	return -1;
}

int tracer_detach(struct tracer *t, struct err *e)
{
	int ret = 0;

	while (t->threads.n) {
		struct thread *th = t->threads.v[t->threads.n - 1];
		int sig;

		points_enable(th, false);
		if (ret) /* the first error is the one to tell */
			(void)points_drain(t, th, NULL, NULL, NULL);
		else
			ret = points_drain(t, th, NULL, NULL, e);
		points_close(t, th);
		sig = last_stop(t, th);
		if (sig < 0 && (!t->threads.n || t->threads.v[t->threads.n - 1] != th))
			continue; /* it has ended and was dropped */
		(void)ptrace(PTRACE_DETACH, th->tid, NULL, (void *)(long)(sig < 0 ? 0 : sig));
		(void)drop_thread(t, th, NULL);
	}
	return ret;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

int tracer_new(struct tracer **out, const struct tracer_opts *opts, struct err *e)
{
	struct tracer *t;
	int ret = 0;

	if (!opts->nr_events || opts->nr_events > TRACER_MAX_EVENTS)
		return err_set(e, -EINVAL, "sampling by ptrace takes 1 to %d events, not %zu",
			       TRACER_MAX_EVENTS, opts->nr_events);
	t = calloc(1, sizeof(*t));
	if (!t)
		return err_set(e, -ENOMEM, "no memory for the tracer");
	t->opts = *opts;
	t->enabled = !opts->paused;
	t->page_size = (size_t)sysconf(_SC_PAGESIZE);
	t->has_cpu = !xsave_cpu_host(&t->cpu, NULL);
	if (opts->branches.on)
		ret = walker_new(t, e);
	if (ret) {
		free(t);
		return ret;
	}
	*out = t;
	return 0;
}

void tracer_enable(struct tracer *t, bool on)
{
	t->enabled = on;
	vec_for_each (p, &t->threads) {
		(*p)->resting = false;
		points_enable(*p, on);
	}
}

bool tracer_ended(const struct tracer *t, pid_t pid, int *status)
{
	vec_for_each (p, &t->ended) {
		if (p->pid != pid)
			continue;
		if (status)
			*status = p->status;
		return true;
	}
	return false;
}

const struct tracer_stats *tracer_stats(struct tracer *t)
{
	return &t->stats;
}

void tracer_free(struct tracer *t)
{
	if (!t)
		return;
	(void)tracer_detach(t, NULL);
	walker_free(t->walker);
	vec_free(&t->threads);
	vec_free(&t->ended);
	free(t);
}
