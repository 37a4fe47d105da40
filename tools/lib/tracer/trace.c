// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attaching, following, and every stop of every thread. A stop has one cause of several (our
 * signal, the program's signal, an event of ptrace, a breakpoint), and what ends it depends on
 * that: the program must get each of its own signals once and none of ours. A thread may vanish at
 * any moment; ESRCH is then no error.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "btrace-int.h"
#include "burst-int.h"
#include "tracer-int.h"

#define EVENT(status) ((status) >> 16)
#define LOOK_NS	      1000000000ULL
#define SERVICE_NS    100000000ULL
#define HELD_NS	      1000000000ULL

/* ---- threads -------------------------------------------------------------------------------------- */

struct tracee *tracee_find(struct tracer *t, pid_t tid)
{
	vec_for_each (p, &t->threads) {
		if ((*p)->tid == tid)
			return *p;
	}
	return NULL;
}

struct tracee *tracee_add(struct tracer *t, pid_t tid)
{
	struct tracee *th = calloc(1, sizeof(*th));
	struct signals s = { 0 };

	if (!th || vec_push(&t->threads, th)) {
		free(th);
		return NULL;
	}
	walker_new_epoch(t);
	th->tid = tid;
	th->bp_fd = th->span_fd = th->time_fd = -1;
	th->bp_silent = t->without & (WITHOUT_HITS | WITHOUT_LATER_HITS);
	/* a thread that was just made blocks all for a moment */
	(void)signals_read(tid, &s);
	s.blocked = 0;
	th->pid = s.pid;
	th->accompanied = s.threads > 1;
	th->signal = signals_choose(&s);
	th->since = tracer_now();
	t->stats.threads++;
	t->stats.threads_peak = max_u64(t->stats.threads_peak, t->threads.n);
	return th;
}

static void take_out(struct tracer *t, struct tracee *th)
{
	for (size_t i = 0; i < t->threads.n; i++)
		if (t->threads.v[i] == th)
			t->threads.v[i] = t->threads.v[--t->threads.n];
	walker_new_epoch(t);
	budget_forget(t, th);
	free(th);
}

/* One that was never ours. */
static void tracee_forget(struct tracer *t, struct tracee *th)
{
	t->stats.threads--;
	take_out(t, th);
}

int tracee_settle(struct tracer *t, struct tracee *th, struct err *e)
{
	int ret = th->burst ? burst_end(t, th, e) : 0;

	if (th->btrace && !ret)
		ret = btrace_end(t, th, e);
	return ret ?: points_drain(t, th, NULL, NULL, e);
}

int tracee_drop(struct tracer *t, struct tracee *th, struct err *e)
{
	int ret = tracee_settle(t, th, e);

	tracee_count_life(t, th);
	points_close(t, th);
	take_out(t, th);
	return ret;
}

/* ---- stops -------------------------------------------------------------------------------------------------- */

void tracee_go_on(struct tracee *th, int sig)
{
	/*
	 * Another thread's exec killed it as it stood, and stands in its place, under its number, in a stop
	 * that is still to be told: who lets that one go on never learns of it.
	 */
	if (th->tid == th->pid && tracer_has_come(th->tid))
		return;
	/* ESRCH: killed meanwhile; its end will be reported */
	(void)ptrace(th->btrace || (th->burst && burst_awaits_call(th->burst)) ? PTRACE_SYSCALL
									       : PTRACE_CONT,
		     th->tid, NULL, (void *)(long)sig);
}

static int handle_came(struct tracer *t, struct tracee *th, struct waited came, struct err *e);

#define BLOCKED_NS 5000000 /* a sample without a stop for so long: its signal is looked at */

/*
 * A thread that blocks all our signals was fetched from where it went on to: that is its sample
 * then, if it is still in user space.
 */
static bool stands_late(const struct tracee *th, const struct user_state *st, bool user)
{
	return user && !arch_in_call(th->tid, &st->gpr);
}

/* The span is over, and what passed in it is known: the thread goes on without. */
static int end_span(struct tracer *t, struct tracee *th, struct stop_cost *c, uint64_t start,
		    struct err *e)
{
	int ret;

	budget_stop_end(c);
	t->stats.stopped_ns += c->took;
	c->took += th->span.took;
	c->cpu += th->span.cpu;
	c->delay = th->span.delay;
	budget_rest(t, th, c, burst_stops(th->burst));
	if (!th->resting && t->enabled)
		points_enable(th, true);
	tracee_go_on(th, 0);
	ret = burst_write(t, th, e);
	walker_make_room(t->walker);
	budget_pay(t, tracer_cpu_ns() - start);
	return ret;
}

/* The thread stands where its span is over: the burst is written. */
static int handle_span(struct tracer *t, struct tracee *th, struct err *e)
{
	struct stop_cost c = budget_stop_begin();
	uint64_t start = tracer_cpu_ns();
	int ret = state_read(t, th->tid, &t->state);

	if (ret == -ESRCH)
		return 0;
	burst_stand(t, th, ret ? NULL : &t->state);
	if (arch_in_call(th->tid, &t->state.gpr))
		t->stats.restarted += signals_restart(th->tid, 0);
	return end_span(t, th, &c, start, e);
}

/* The way of a burst is computed: the thread goes on for its span. */
static int run_span(struct tracer *t, struct tracee *th, struct stop_cost *c, struct err *e)
{
	int ret = burst_run(t, th);

	budget_stop_end(c);
	budget_pay(t, c->cpu);
	th->span = *c;
	t->stats.stopped_ns += c->took + c->delay;
	/* no clock for it: all that was computed is taken */
	if (ret)
		return handle_span(t, th, e);
	tracee_go_on(th, 0);
	return 0;
}

/* A system call in a span: the thread is about to make it, or has. */
static int handle_call(struct tracer *t, struct tracee *th, struct err *e)
{
	struct stop_cost c = budget_stop_begin();
	uint64_t start = tracer_cpu_ns();
	int ret = burst_call(t, th);

	if (ret > 0) {
		burst_over(t, th);
		return end_span(t, th, &c, start, e);
	}
	budget_stop_end(&c);
	budget_pay(t, c.cpu);
	t->stats.stopped_ns += c.took;
	th->span.took += c.took;
	th->span.cpu += c.cpu;
	if (ret == -ENOMEM)
		return err_set(e, ret, "no memory for the branches of a span");
	if (ret)
		return handle_span(t, th, e);
	tracee_go_on(th, 0);
	return 0;
}

/* The thread stands in the delivery of our signal, or after an interrupt for a sample. */
static int handle_sample(struct tracer *t, struct tracee *th, struct err *e)
{
	struct user_state *st = &t->state;
	struct walked *walk = &t->walk;
	uint64_t start = tracer_now(), ip = 0, sampled = 0;
	struct stop_cost c = budget_stop_begin();
	bool walked = false, spare, user;
	struct waited came = { .kind = WAITED_NOTHING };
	int ret;

	if (th->burst)
		return handle_span(t, th, e);
	t->stats.stops++;
	if (t->opts.branches.trace)
		return btrace_sample(t, th, e);
	ret = state_read(t, th->tid, st);
	if (ret)
		return ret == -ESRCH ? 0
				     : err_set(e, ret, "reading registers of thread %d: %s",
					       th->tid, strerror(-ret));
	user = points_peek_user(t, th, &ip, &sampled);
	st->late = !th->signal;
	st->sampled_ip = st->late && stands_late(th, st, user) ? ip : arch_ip(&st->gpr);
	user = user && ip == st->sampled_ip;
	c.delay = user && !st->late ? budget_delay(t, start, sampled) : 0;
	spare = t->walker && user && budget_is_spent(t);
	if (t->walker && user && !spare) {
		points_enable(th, false);
		if (!burst_wanted(t, th, st) || budget_is_first(t, th) || burst_begin(t, th, st))
			ret = walker_branches(t, th, st, walk, &came);
		walked = !th->burst;
		if (ret == -ESRCH) {
			points_enable(th, t->enabled);
			return 0;
		}
	}
	ret = points_drain(t, th, st, walked ? walk : NULL, e);
	if (arch_in_call(th->tid, &st->gpr))
		t->stats.restarted += signals_restart(th->tid, 0);
	if (th->burst && !ret)
		return run_span(t, th, &c, e);
	budget_stop_end(&c);
	budget_pay(t, c.cpu);
	if (walked || !t->walker)
		budget_rest(t, th, &c, 1);
	budget_let_pass(t, th, &st->gpr);
	if (spare) {
		t->stats.spared++;
		budget_begin(t, th);
	}
	if (walked && !th->resting && t->enabled)
		points_enable(th, true);
	t->stats.stopped_ns += c.took + c.delay;
	if (ret)
		return ret;
	if (came.kind)
		return handle_came(t, th, came, e);
	if (!th->signal || start - th->looked > RENEW_NS)
		signals_renew(th);
	tracee_go_on(th, 0);
	return 0;
}

/* The thread is stopped because we asked: for a sample that it did not stop for itself. */
static int handle_interrupt(struct tracer *t, struct tracee *th, struct err *e)
{
	struct waited came;

	th->asked = false;
	signals_take_out(th, &came);
	return came.kind ? handle_came(t, th, came, e) : handle_sample(t, th, e);
}

/* Whether the signal that @th is about to get is one of its events'. */
static bool is_ours(const struct tracee *th, int sig)
{
	int fd;

	return signals_is_event(th->tid, sig, &fd) && points_has_fd(th, fd);
}

static bool is_group_stop(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/*
 * exec by any thread leaves one, which now has the number of the leader. Its events come along;
 * those of the others are gone. Of a process that is watched in part the leader may not be known.
 */
int tracee_after_exec(struct tracer *t, pid_t tid, struct tracee **th, struct err *e)
{
	unsigned long former = 0;
	struct tracee *other;
	int ret = 0;

	walker_new_epoch(t);
	btrace_executed(t, *th);
	ptrace(PTRACE_GETEVENTMSG, tid, NULL, &former);
	other = (pid_t)former != tid ? tracee_find(t, (pid_t)former) : NULL;
	if (!other)
		return 0;
	if (*th)
		ret = tracee_drop(t, *th, e);
	btrace_executed(t, other);
	budget_forget(t, other); /* what it kept open is of its former number */
	other->tid = tid;
	*th = other;
	return ret;
}

static int handle_exec(struct tracer *t, struct tracee *th, struct err *e)
{
	int ret = tracee_after_exec(t, th->tid, &th, e);

	if (ret)
		return ret;
	th->asked = false;
	signals_renew(th);
	points_own(th);
	tracee_go_on(th, 0);
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

static int handle_stop(struct tracer *t, struct tracee *th, int status, struct err *e)
{
	int sig = WSTOPSIG(status);

	th->listening = false;
	signals_close(th);
	switch (EVENT(status)) {
	case 0:
		if (sig == BTRACE_STOP)
			return th->burst ? handle_call(t, th, e) : btrace_call(t, th, e);
		if (is_ours(th, sig))
			return handle_sample(t, th, e);
		if (sig == th->signal) /* the program uses it, too: take another one */
			renew_process(t, th->pid);
		btrace_signal(t, th, sig);
		if (step_is_ours(th, status))
			sig = 0;
		else
			budget_own_stop(t, th);
		if (th->burst && sig && signals_caught(th->tid, sig))
			burst_signal(th->burst);
		/* what SIGCONT ends has been stopped, which ends calls without a tracer, too */
		if (sig && !(sig == SIGCONT && th->was_stopped))
			t->stats.restarted += signals_restart(th->tid, sig);
		th->was_stopped &= sig != SIGCONT;
		tracee_go_on(th, sig);
		th->stepped = false;
		return 0;
	case PTRACE_EVENT_STOP:
		if (is_group_stop(sig)) {
			th->listening = th->was_stopped = true;
			(void)ptrace(PTRACE_LISTEN, th->tid, NULL, NULL);
			return 0;
		}
		if (btrace_has_asked(th))
			return btrace_arrived(t, th, e);
		if (th->asked)
			return handle_interrupt(t, th, e);
		t->stats.restarted += signals_restart(th->tid, 0);
		tracee_go_on(th, 0);
		return 0;
	case PTRACE_EVENT_EXEC: return handle_exec(t, th, e);
	default: /* it has started a thread or a process */
		budget_own_stop(t, th);
		tracee_go_on(th, 0);
		return 0;
	}
}

/* A thread that the kernel attached for us (fork, clone): it stands at its first instruction. */
static int adopt(struct tracer *t, pid_t tid, int status, struct err *e)
{
	struct tracee *th = tracee_add(t, tid);

	if (!th)
		return err_set(e, -ENOMEM, "no memory for thread %d", tid);
	/* no descriptors left: it runs on unsampled, and the report says so */
	if (points_open(t, th, false, e)) {
		log_to(&t->opts.log, LOG_WARN, "%s; it is not sampled", e->text);
		err_clear(e);
	}
	budget_begin(t, th);
	if (t->opts.branches.trace && btrace_adopt(t, th, e))
		return -ENOMEM;
	return handle_stop(t, th, status, e);
}

/* Of the others, of which a build has hundreds of thousands, nobody wants to know. */
static void note_end(struct tracer *t, pid_t tid, int status)
{
	/* once: its number may be another's then */
	if (tid != t->command.pid || t->command.ended)
		return;
	t->command.ended = true;
	t->command.status = status;
}

int tracee_end(struct tracer *t, struct tracee *th, int status, struct err *e)
{
	note_end(t, th->tid, status);
	return tracee_drop(t, th, e);
}

/*
 * A sample without a stop: its thread will stop as soon as it runs, or it blocks the signal; then
 * we interrupt it.
 */
static void look_after(struct tracee *th)
{
	if (th->asked || th->listening)
		return;
	if (th->signal && tracer_now() - th->looked > BLOCKED_NS)
		signals_renew(th);
	if (!th->signal && !ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL))
		th->asked = true;
}

/* It sleeps, or waits for a CPU, and others' samples wait for its own to be written. */
static int give_up_span(struct tracer *t, struct tracee *th, struct err *e)
{
	unsigned stops = burst_stops(th->burst) - 1;
	int ret = burst_end(t, th, e);

	budget_rest(t, th, &th->span, stops);
	if (!th->resting && t->enabled)
		points_enable(th, true);
	return ret;
}

static int serve_unstopped(struct tracer *t, struct err *e)
{
	vec_for_each (p, &t->threads) {
		int ret = 0;

		if ((*p)->burst && (*p)->held && tracer_now() - (*p)->held > HELD_NS) {
			ret = give_up_span(t, *p, e);
			(*p)->held = 0;
		}
		if (ret)
			return ret;
		if ((*p)->burst || !points_pending(*p))
			continue;
		look_after(*p);
		/* it may be in the kernel for long: what it does there is not lost, nor late */
		if (points_crowded(t, *p) || ((*p)->held && tracer_now() - (*p)->held > HELD_NS)) {
			ret = points_drain(t, *p, NULL, NULL, e);
			(*p)->held = 0;
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* What a wait for @th came to. */
static int handle_came(struct tracer *t, struct tracee *th, struct waited came, struct err *e)
{
	switch (came.kind) {
	case WAITED_STOP: return handle_stop(t, th, came.status, e);
	case WAITED_END: return tracee_end(t, th, came.status, e);
	default: return 0; /* the exec that took its number will be told, or look_for_lost() sees */
	}
}

int tracee_stranger(struct tracer *t, pid_t tid, struct waited came, struct tracee **th,
		    struct err *e)
{
	*th = NULL;
	if (came.kind == WAITED_STOP && EVENT(came.status) == PTRACE_EVENT_EXEC)
		return tracee_after_exec(t, tid, th, e);
	/* a child of the recorder's, or the leader of threads that are watched in part */
	if (came.kind == WAITED_END)
		note_end(t, tid, came.status);
	return 0;
}

static int handle_stranger(struct tracer *t, pid_t tid, struct waited came, struct err *e)
{
	struct tracee *th;
	int ret = tracee_stranger(t, tid, came, &th, e);

	if (ret || came.kind != WAITED_STOP)
		return ret;
	return th ? handle_stop(t, th, came.status, e) : adopt(t, tid, came.status, e);
}

/* Nothing is to be heard of @th: at two looks that are a while apart it has ended. */
static int miss(struct tracer *t, struct tracee *th, struct err *e)
{
	bool before = th->missed;

	/* once it may be in an exec, which takes its number before it tells */
	th->missed = true;
	if (!before)
		return 0;
	log_to(&t->opts.log, LOG_INFO, "thread %d ended unseen", th->tid);
	t->stats.unseen++;
	return tracee_drop(t, th, e);
}

/*
 * Whatever we believe: threads that have ended are dropped, and those that stand for nobody go on.
 * There are none, unless something is wrong here; but then a recording must not hang for it.
 */
static int look_for_lost(struct tracer *t, struct err *e)
{
	uint64_t now = tracer_now();
	int ret = 0;

	if (now - t->looked < LOOK_NS)
		return 0;
	t->looked = now;
	for (size_t i = t->threads.n; !ret && i-- > 0;) {
		struct tracee *th = t->threads.v[i];

		if (!tracer_is_ours(th->tid)) {
			ret = miss(t, th, e);
			continue;
		}
		th->missed = false;
		if (th->listening || !tracer_is_standing(th->tid))
			continue;
		log_to(&t->opts.log, LOG_INFO, "thread %d stood unseen", th->tid);
		t->stats.unseen++;
		tracee_go_on(th, 0);
	}
	return ret;
}

bool tracer_ends_round(struct tracer *t)
{
	uint64_t now = tracer_now();
	bool ends = true;

	vec_for_each (p, &t->threads) {
		bool holds = points_hold_round(*p) || (*p)->burst;

		if (!holds)
			(*p)->held = 0;
		else if (!(*p)->held)
			(*p)->held = now;
		ends = ends && !holds;
	}
	if (!ends)
		return false;
	vec_for_each (p, &t->threads)
		points_end_round(*p);
	return true;
}

/*
 * After an error in the midst of its stop: detaching waits for threads to stop, and this one stands
 * already. One that we could not take up is let go at once, for nobody would do it later.
 */
static void leave(struct tracer *t, pid_t tid)
{
	bool known = tracee_find(t, tid);

	(void)ptrace(known ? PTRACE_CONT : PTRACE_DETACH, tid, NULL, NULL);
}

/*
 * Threads of which each stops again before the other's stop is served would keep all older ones waiting
 * for ever: so each has its turn. Every second one is the kernel's, for those that we do not know yet:
 * it names these before all others but our own children.
 */
static struct waited wait_in_turn(struct tracer *t, pid_t *tid)
{
	size_t turn = t->turn++, n = t->threads.n;

	return tracer_wait_any(n && turn % 2 ? t->threads.v[turn / 2 % n]->tid : 0, tid);
}

int tracer_service(struct tracer *t, struct err *e)
{
	uint64_t begin = tracer_now();
	struct waited came;
	int ret = 0;
	pid_t tid;

	t->more = false;
	if (t->computed)
		ret = btrace_compute(t, e);
	while (!ret && !t->more && !t->computed && (came = wait_in_turn(t, &tid)).kind) {
		struct tracee *th = tracee_find(t, tid);

		ret = th ? handle_came(t, th, came, e) : handle_stranger(t, tid, came, e);
		if (ret && came.kind == WAITED_STOP)
			leave(t, tid);
		budget_wake(t);
		/* the caller has other things to see to */
		t->more = tracer_now() - begin > SERVICE_NS;
	}
	budget_wake(t);
	t->more |= t->computed != NULL;
	if (!ret)
		ret = serve_unstopped(t, e);
	if (!ret && !t->more)
		ret = look_for_lost(t, e);
	return ret ? ret : (int)t->threads.n;
}

/* ---- attaching ------------------------------------------------------------------------------------------------ */

static int seize(struct tracer *t, pid_t tid, struct tracee **out, struct err *e)
{
	unsigned long follow = PTRACE_O_TRACEEXEC;
	struct tracee *th;
	int ret;

	if (t->opts.inherit)
		follow |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	if (t->opts.branches.trace || t->opts.branches.span)
		follow |= PTRACE_O_TRACESYSGOOD;
	/* Known first: one that is ours and unknown would stop, and nobody would let it go on. */
	th = tracee_add(t, tid);
	if (!th)
		return err_set(e, -ENOMEM, "no memory for thread %d", tid);
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)follow)) {
		ret = tracer_attach_error(tid, -errno, e);
		tracee_forget(t, th);
		return ret;
	}
	*out = th;
	return 0;
}

static int sample(struct tracer *t, struct tracee *th, struct err *e)
{
	budget_attached(t, th);
	return points_open(t, th, true, e);
}

#define BARREN 16 /* rounds that find none that lives */

/*
 * Rounds over /proc until one finds nothing new: threads may start threads meanwhile. They may end, too,
 * and of a process whose first thread has ended that one stands there until the last one does.
 */
static int seize_process(struct tracer *t, pid_t pid, struct err *e)
{
	char path[64];
	bool again = true, any = false;
	unsigned barren = 0;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	while (again && !ret && barren < BARREN) {
		DIR *dir = opendir(path);
		struct dirent *d;

		again = false;
		barren++;
		if (!dir && errno != ENOENT && errno != ESRCH) {
			ret = -errno;
			return err_set(e, ret, "cannot read %s: %s", path, strerror(-ret));
		}
		if (!dir)
			return err_set(e, -ESRCH, "there is no process %d", pid);
		while (errno = 0, !ret && (d = readdir(dir))) {
			pid_t tid = (pid_t)strtol(d->d_name, NULL, 10);
			struct tracee *th = NULL;

			if (tid <= 0)
				continue;
			if (tracee_find(t, tid)) {
				any = true;
				continue;
			}
			ret = seize(t, tid, &th, e);
			/*
			 * A clone that the kernel attached in between stands, and is adopted when its stop is
			 * served: behind this. What it will start is followed.
			 */
			if (ret == -EPERM && t->threads.n && tracer_is_ours(tid)) {
				ret = 0;
				continue;
			}
			again = true; /* who has ended meanwhile may have started others */
			ret = ret ?: sample(t, th, e);
			barren = ret ? barren : 0;
			if (ret == -ESRCH)
				ret = 0;
		}
		if (!ret && errno)
			ret = err_set(e, -errno, "cannot read %s: %s", path, strerror(errno));
		closedir(dir);
	}
	return ret || any ? ret : -ESRCH;
}

int tracer_attach(struct tracer *t, pid_t tid, bool process, struct err *e)
{
	struct tracee *th = NULL;

	/* one of a process that we have already: so are the others */
	if (process && tracee_find(t, tid))
		return 0;
	return process ? seize_process(t, tid, e) : seize(t, tid, &th, e) ?: sample(t, th, e);
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
	t->without = tracer_without();
	t->enabled = !opts->paused;
	t->page_size = (size_t)sysconf(_SC_PAGESIZE);
	t->has_cpu = !xsave_cpu_host(&t->cpu, NULL);
	if (opts->branches.on)
		ret = walker_new(t, e);
	if (!ret && opts->chains.unwind)
		ret = stack_walker_new(t, e);
	if (ret) {
		walker_free(t->walker);
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
		if ((*p)->burst || (*p)->btrace) /* its own end turns them on, or nothing does */
			continue;
		points_enable(*p, on);
	}
}

bool tracer_has_traced(const struct tracer *t)
{
	return t->opts.branches.trace && t->stats.traced >= t->opts.branches.trace;
}

void tracer_watch_end(struct tracer *t, pid_t pid)
{
	t->command.pid = pid;
}

bool tracer_ended(const struct tracer *t, int *status)
{
	if (t->command.ended)
		*status = t->command.status;
	return t->command.ended;
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
	while (t->threads.n)
		(void)tracee_drop(t, t->threads.v[0], NULL);
	walker_free(t->walker);
	stack_walker_free(t->stacks);
	stamps_free(t->stamps);
	burst_free(t->spare);
	vec_free(&t->threads);
	free(t);
}
