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

#define WAIT_AT_MOST 2000000000ULL /* ns for a thread that gets no CPU */

/*
 * Whether a thread is runnable and has hardly run since the first call, which puts its time, in
 * clock ticks, into *@since (0 before): on a busy machine it waits for a CPU.
 */
static bool waits_for_cpu(pid_t tid, unsigned long *since)
{
	unsigned long user, kernel;
	char path[64], buf[512], state, *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	p = strrchr(buf, ')'); /* behind the name, which may hold anything */
	if (!p || sscanf(p, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state, &user,
			 &kernel) != 3)
		return false;
	if (!*since)
		*since = user + kernel + 1;
	return state == 'R' && user + kernel + 1 - *since < 2;
}

int tracer_wait(pid_t tid, int *status, int ms)
{
	struct timespec ts = { 0, 1000000L };
	uint64_t begin = tracer_now(), end = begin + ms * 1000000ULL, now;
	unsigned long since = 0;
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	for (;;) {
		pid_t r = waitpid(tid, status, __WALL | WNOHANG);

		if (r == tid)
			return 1;
		if (r < 0 && errno != EINTR)
			return -errno;
		now = tracer_now();
		if (now > end) {
			if (now > begin + WAIT_AT_MOST || !waits_for_cpu(tid, &since))
				return 0;
			end = now + ms * 1000000ULL;
		}
		(void)sigtimedwait(&chld, NULL, &ts);
	}
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

static struct thread *add_thread(struct tracer *t, pid_t tid)
{
	struct thread *th = calloc(1, sizeof(*th));
	struct signals s = { 0 };

	if (!th || vec_push(&t->threads, th)) {
		free(th);
		return NULL;
	}
	th->tid = tid;
	th->bp_fd = -1;
	/* a thread that was just made blocks all for a moment */
	(void)signals_read(tid, &s);
	s.blocked = 0;
	th->pid = s.pid;
	th->signal = signals_choose(&s);
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

/* ---- stops -------------------------------------------------------------------------------------------------- */

static void go_on(struct thread *th, int sig)
{
	/* ESRCH: killed meanwhile; its end will be reported */
	(void)ptrace(PTRACE_CONT, th->tid, NULL, (void *)(long)sig);
}

static int handle_stop(struct tracer *t, struct thread *th, int status, struct err *e);
static int handle_end(struct tracer *t, struct thread *th, int status, struct err *e);

#define RENEW_NS   100000000ULL /* programs seldom change what they do with signals */
#define BLOCKED_NS 5000000	/* a sample without a stop for so long: its signal is looked at */

/*
 * A thread that blocks all our signals was fetched from where it went on to: that is its sample
 * then, if it is still in user space.
 */
static bool stands_late(const struct user_state *st, bool user)
{
	return user && (long)st->gpr.orig_rax < 0;
}

/* The thread stands in the delivery of our signal, or after an interrupt for a sample. */
static int handle_sample(struct tracer *t, struct thread *th, struct err *e)
{
	struct user_state *st = &t->state;
	struct walk *walk = &t->walk;
	uint64_t start = tracer_now(), ip = 0, sampled = 0, delay, took;
	bool walked = false, user;
	int ret, status = 0;

	t->stats.stops++;
	ret = state_read(t, th->tid, st);
	if (ret)
		return ret == -ESRCH ? 0
				     : err_set(e, ret, "reading registers of thread %d", th->tid);
	user = points_peek_user(t, th, &ip, &sampled);
	st->late = !th->signal;
	st->sampled_ip = st->late && stands_late(st, user) ? ip : st->gpr.rip;
	user = user && ip == st->sampled_ip;
	delay = user && !st->late ? budget_delay(t, start, sampled) : 0;
	if (t->walker && user) {
		points_enable(th, false);
		ret = walk_branches(t, th, st, walk, &status);
		walked = true;
		if (ret == -ESRCH) { /* or it is where nothing can fetch it from: later, then */
			points_enable(th, t->enabled);
			return 0;
		}
	}
	ret = points_drain(t, th, st, walked ? walk : NULL, e);
	if ((long)st->gpr.orig_rax >= 0)
		t->stats.restarted += signals_restart(th->tid);
	took = delay + tracer_now() - start;
	if (walked || !t->walker)
		budget_rest(t, th, took, delay);
	if (walked && !th->resting && t->enabled)
		points_enable(th, true);
	t->stats.stopped_ns += took;
	if (ret)
		return ret;
	if (status)
		return handle_stop(t, th, status, e);
	if (!th->signal || start - th->looked > RENEW_NS)
		signals_renew(th);
	go_on(th, 0);
	return 0;
}

/* The thread is stopped because we asked: for a sample that it did not stop for itself. */
static int handle_interrupt(struct tracer *t, struct thread *th, struct err *e)
{
	int status, sig;

	th->asked = false;
	sig = signals_take_out(th, &status);
	if (status)
		return WIFSTOPPED(status) ? handle_stop(t, th, status, e)
					  : handle_end(t, th, status, e);
	if (sig) { /* the program's own: it is put back, and we come again */
		go_on(th, sig);
		return 0;
	}
	return handle_sample(t, th, e);
}

/* Whether the signal that @th is about to get is one of its events'. */
static bool is_ours(const struct thread *th, int sig)
{
	siginfo_t si;

	if (!signals_ours(sig) || ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &si))
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
	th->asked = false;
	signals_renew(th);
	points_own(th);
	go_on(th, 0);
	return 0;
}

/* The other threads may be running: what they block is seen when they stop. */
static void renew_process(struct tracer *t, pid_t pid)
{
	vec_for_each (p, &t->threads) {
		if ((*p)->pid == pid)
			signals_renew(*p);
	}
}

static int handle_stop(struct tracer *t, struct thread *th, int status, struct err *e)
{
	int sig = WSTOPSIG(status);

	th->listening = false;
	switch (EVENT(status)) {
	case 0:
		if (is_ours(th, sig))
			return handle_sample(t, th, e);
		if (sig == th->signal) /* the program uses it, too: take another one */
			renew_process(t, th->pid);
		go_on(th, step_is_ours(th, status) ? 0 : sig);
		th->stepped = false;
		return 0;
	case PTRACE_EVENT_STOP:
		if (is_group_stop(sig)) {
			th->listening = true;
			(void)ptrace(PTRACE_LISTEN, th->tid, NULL, NULL);
			return 0;
		}
		if (th->asked)
			return handle_interrupt(t, th, e);
		t->stats.restarted += signals_restart(th->tid);
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

/*
 * A sample without a stop: its thread will stop as soon as it runs, or it blocks the signal; then
 * we interrupt it.
 */
static void look_after(struct thread *th)
{
	if (th->asked || th->listening)
		return;
	if (th->signal && tracer_now() - th->looked > BLOCKED_NS)
		signals_renew(th);
	if (!th->signal && !ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL))
		th->asked = true;
}

static int serve_unstopped(struct tracer *t, struct err *e)
{
	vec_for_each (p, &t->threads) {
		int ret = 0;

		if (!points_pending(*p))
			continue;
		look_after(*p);
		/* it may be in the kernel for long: what it does there is not lost */
		if (points_crowded(t, *p))
			ret = points_drain(t, *p, NULL, NULL, e);
		if (ret)
			return ret;
	}
	return 0;
}

int tracer_service(struct tracer *t, struct err *e)
{
	int status, ret = 0;
	pid_t tid;

	while (!ret && (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
		struct thread *th = find_thread(t, tid);

		if (WIFSTOPPED(status))
			ret = th ? handle_stop(t, th, status, e) : adopt(t, tid, status, e);
		else if (th)
			ret = handle_end(t, th, status, e);
		else if (vec_push(&t->ended, ((struct ended){ tid, status }))) /* another child */
			ret = err_set(e, -ENOMEM, "no memory for an exit status");
		budget_wake(t);
	}
	budget_wake(t);
	if (!ret)
		ret = serve_unstopped(t, e);
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
	struct signals s;
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
			if (ret == -EPERM && t->threads.n && signals_read(tid, &s) && s.pid == pid)
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

#define LAST_STOPS 8

/* ---- letting go ------------------------------------------------------------------------------------------------- */

/* Whether a signal of ours or of a step, all of whose events are closed now, is on its way. */
static bool more_to_come(const struct thread *th)
{
	uint64_t ours = BIT(SIGURG - 1) | BIT(SIGWINCH - 1) | BIT(SIGCHLD - 1);
	struct signals s;

	if (th->stepped)
		ours |= BIT(SIGTRAP - 1);
	return signals_read(th->tid, &s) && (s.pending & ours);
}

/* The signal to go on with from this stop; ours and those of steps are swallowed. */
static int to_pass_on(struct thread *th, int status)
{
	int sig = EVENT(status) ? 0 : WSTOPSIG(status);
	siginfo_t si;

	if (step_is_ours(th, status)) {
		th->stepped = false;
		return 0;
	}
	if (signals_ours(sig) && !ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &si) && si.si_code > 0 &&
	    si.si_code <= POLL_HUP)
		return 0;
	return sig;
}

/*
 * The next stop of @th, in which it can be detached; a signal of ours that is still on its way is
 * swallowed. Returns the signal to pass on, or -1 when the thread has ended.
 */
static int last_stop(struct tracer *t, struct thread *th)
{
	int status, sig = 0;

	for (int i = 0; i < LAST_STOPS; i++) {
		(void)ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL);
		if (waitpid(th->tid, &status, __WALL) != th->tid)
			return -1;
		sig = WIFSTOPPED(status) ? to_pass_on(th, status) : 0;
		if (WIFSTOPPED(status) && !sig)
			t->stats.restarted += signals_restart(th->tid);
		if (WIFSTOPPED(status) && !sig && more_to_come(th)) {
			sig = signals_take_out(th, &status);
			if (status && WIFSTOPPED(status))
				sig = to_pass_on(th, status);
		}
		if (status && !WIFSTOPPED(status)) {
			(void)handle_end(t, th, status, NULL);
			return -1;
		}
		if (sig || i + 1 == LAST_STOPS || !more_to_come(th))
			break;
		go_on(th, 0);
	}
	return sig;
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
