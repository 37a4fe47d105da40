// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stops may cost: one that reads registers or follows branches buys silence, in which its
 * thread's events are off, until it is no more than its share of the thread's time.
 *
 * Of its CPU time: threads that wait for each other would, all together, lose a multiple of the budget if each of them
 * paid with time in which it sleeps, and so would a program that gets a CPU now and then only. And who samples
 * rests by the time that a thread runs sees each of its moments equally often. So a stop's price is CPU time, too: on a busy
 * machine a thread stands still while we wait for a CPU, but it would have waited itself, and loses what it would have
 * run meanwhile, by what share of its time it did of late; at least what we ourselves took of the CPUs.
 *
 * How long one rests follows what stops cost as a rule and not what the last ones did. Else places with many
 * branches, where stops take longest, would be followed by the longest rests, and be seen too rarely; so would phases of
 * a program that last for some stops. What a thread owes beyond that, since walks have become longer or because its stops
 * happened to be dear, it pays in small parts.
 *
 * Nor is a rest as long as the one before: rests of one length follow a program that does everything again after about as
 * long, and see the same part of it each time. A thread's time is divided into windows as long as a usual rest, and each has its
 * stop somewhere, by chance. So every moment is as likely as any other, whatever returns and when, and stops
 * still are spread evenly.
 *
 * The program's own signals stop a traced thread, too, and so do threads and programs that it starts. Nothing can be spared there,
 * but samples take only what these leave of the budget. Nor does it matter when they come: their share is of all the time that the thread
 * was looked at, or phases with many signals would be seen too rarely. At least half of the budget is for samples, for without
 * them nobody would record.
 *
 * That bounds what a thread loses, not what the recorder takes: thousands of threads on a few CPUs, each of which is due for a
 * sample, are served one after the other. So all that the recorder does for samples is paid from an account that the time
 * fills, by the budget for each CPU that they can have. Who comes when it is overdrawn keeps its sample, without branches.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/tables.h"
#include "host/host.h"
#include "tracer-int.h"

#define REST_MIN_NS 1000000ULL
#define ACCOUNT_NS  100000000 /* what is in it at most, and at the start */
#define MAX_SKEW    1000      /* clocks drift apart by less than a thousandth */
#define MEASURED    0.8	      /* of the budget; the rest pays for what no clock here sees */
#define FIRST_NS    100000000 /* about a usual rest, before there was one */
#define SAMPLES	    0.5	      /* of it at least, whatever the program's own stops take */
#define OWN_STOP_NS 60000     /* such a one, on a VM: another CPU is woken, and then the thread */
#define USUAL	    64	      /* stops of which the price is averaged */
#define PARTS	    32	      /* in which debts are paid */
#define CREDIT	    2	      /* usual rests that a thread can have in advance */
#define TIMES	    64	      /* threads whose time's file is kept open, at most, */
#define TIMES_PART  8	      /* and of all descriptors such a part: others are for events */
#define SLEEP_NS    100000000 /* one that rests and does not run is looked at so often at least, */
#define SLEEPERS    256	      /* and less often where there are more */

uint64_t budget_delay(struct tracer *t, uint64_t now, uint64_t sampled)
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

static double percent_of(const struct tracer *t)
{
	return t->opts.branches.on ? t->opts.branches.budget : t->opts.reg_budget;
}

static bool is_bounded(const struct tracer *t)
{
	return percent_of(t) > 0 && percent_of(t) < 100;
}

void budget_forget(struct tracer *t, struct tracee *th)
{
	if (th->time_fd < 0)
		return;
	close(th->time_fd);
	th->time_fd = -1;
	t->times--;
}

/* Whether one file more may be kept open: a thread for which there is no descriptor is not sampled. */
static bool may_keep(struct tracer *t)
{
	struct rlimit l;

	if (!t->times_most) {
		t->times_most = TIMES;
		if (!getrlimit(RLIMIT_NOFILE, &l))
			t->times_most = (unsigned)min_u64(TIMES, l.rlim_cur / TIMES_PART + 1);
	}
	return t->times < t->times_most;
}

/* Of the text of a schedstat. A kernel that does not count has all zero: not even how often the thread got a CPU. */
static bool read_times(const char *text, struct cpu_times *times)
{
	char *end;

	times->ran = strtoull(text, &end, 10);
	times->waited = strtoull(end, &end, 10);
	return times->ran || times->waited || strtoull(end, NULL, 10);
}

/*
 * The times of @th (ns); where nobody counts them the time that passes. Of some threads the file
 * is kept open.
 */
static struct cpu_times times_of(struct tracer *t, struct tracee *th)
{
	char path[64], buf[64];
	struct cpu_times times;
	ssize_t n = -1;
	int fd = th->time_fd;

	if (fd >= 0 && (n = pread(fd, buf, sizeof(buf) - 1, 0)) <= 0)
		budget_forget(t, th);
	if (n <= 0) {
		snprintf(path, sizeof(path), "/proc/%d/schedstat", th->tid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd >= 0 ? pread(fd, buf, sizeof(buf) - 1, 0) : -1;
		if (n > 0 && may_keep(t)) {
			th->time_fd = fd;
			t->times++;
		} else if (fd >= 0) {
			close(fd);
		}
	}
	buf[max_i64(n, 0)] = '\0';
	if (!read_times(buf, &times))
		times = (struct cpu_times){ .ran = tracer_now() };
	return times;
}

void budget_attached(struct tracer *t, struct tracee *th)
{
	th->times = times_of(t, th);
}

/* How long @th ran since it was looked at last; that much of its debts is paid. */
static uint64_t look(struct tracer *t, struct tracee *th)
{
	struct cpu_times now = times_of(t, th), *last = &th->times;
	uint64_t since = now.ran > last->ran ? now.ran - last->ran : 0;

	th->watched += since;
	th->lately.ran += since;
	th->lately.waited += now.waited > last->waited ? now.waited - last->waited : 0;
	*last = now;
	th->owed = max_i64(th->owed - (int64_t)since, -(int64_t)(CREDIT * t->usual_rest));
	return since;
}

static void rest(struct tracer *t, struct tracee *th, uint64_t ns)
{
	points_enable(th, false);
	th->resting = true;
	t->stats.rests++;
	th->pause = ns;
	th->patience = REST_MIN_NS;
	th->rest_until = tracer_now() + ns;
	if (!t->rest_next || th->rest_until < t->rest_next)
		t->rest_next = th->rest_until;
}

static uint64_t chance(const struct tracee *th, uint64_t most)
{
	return hash_mix(tracer_now(), (uint64_t)th->tid) % most;
}

/* Up to somewhere in a window of @ns, in which no stop was yet. */
static void rest_first(struct tracer *t, struct tracee *th, uint64_t ns)
{
	th->place = chance(th, ns);
	rest(t, th, th->place);
}

/*
 * A program's start is no more likely to be sampled than any other moment: the first burst comes after a part of a
 * rest, by chance. Before it, so that there is something of the shortest program, the thread's first sample has one stack.
 */
static bool begins(const struct tracer *t, struct tracee *th)
{
	bool first = t->opts.branches.span && !th->begun;

	th->begun = true;
	return first;
}

bool budget_is_first(const struct tracer *t, const struct tracee *th)
{
	double percent = percent_of(t);

	return percent > 0 && percent < 100 && !th->begun;
}

struct stop_cost budget_stop_begin(void)
{
	return (struct stop_cost){ .took = tracer_now(), .cpu = tracer_cpu_ns() };
}

void budget_stop_end(struct stop_cost *c)
{
	c->took = tracer_now() - c->took;
	c->cpu = tracer_cpu_ns() - c->cpu;
}

uint64_t budget_lost(struct tracee *th, const struct stop_cost *c, unsigned stops)
{
	uint64_t all = th->lately.ran + th->lately.waited;
	double share = th->lately.ran ? (double)th->lately.ran / (double)all : 1;
	/* it will wait for a CPU about as long as we did */
	uint64_t ns = (uint64_t)((double)(c->took + 2 * stops * c->delay) * share);

	th->lately.ran /= 2;
	th->lately.waited /= 2;
	return max_u64(ns, c->cpu) + stops * BUDGET_STOP_NS;
}

void budget_own_stop(struct tracer *t, struct tracee *th)
{
	t->stats.own_stops++;
	th->own_stops++;
}

/* What samples may take, in percent. */
static double left_for_samples(const struct tracer *t, const struct tracee *th)
{
	double budget = percent_of(t) * MEASURED;
	double own = 100.0 * OWN_STOP_NS * (double)th->own_stops /
		     (double)max_u64(th->watched, FIRST_NS);
	double left = budget - own;

	return left > budget * SAMPLES ? left : budget * SAMPLES;
}

void budget_rest(struct tracer *t, struct tracee *th, const struct stop_cost *c, unsigned stops)
{
	int64_t price, usual, left, pause;
	double budget;

	if (!is_bounded(t))
		return;
	look(t, th);
	budget = left_for_samples(t, th);
	price = (int64_t)((double)budget_lost(th, c, stops) * (100 - budget) / budget);
	th->owed += price;
	if (begins(t, th)) {
		rest_first(t, th, max_u64(FIRST_NS, t->usual_rest));
		return;
	}
	t->priced = min_u64(t->priced + 1, USUAL);
	t->usual_rest += (uint64_t)((price - (int64_t)t->usual_rest) / (int64_t)t->priced);
	usual = (int64_t)t->usual_rest;
	left = max_i64(usual - (int64_t)th->place, 0);
	th->place = chance(th, max_u64(t->usual_rest, 1));
	pause = left + (int64_t)th->place + (th->owed - left) / PARTS;
	if (pause >= (int64_t)REST_MIN_NS)
		rest(t, th, (uint64_t)pause);
}

#define NO_FURTHER 8 /* stops at the same place with the same registers */

/* Whether what a stop itself brings about may be a sample: all that the kernel counts but its clocks. */
static bool stops_bring_samples(const struct tracer *t)
{
	for (size_t i = 0; i < t->opts.nr_events; i++) {
		const struct perf_event_attr *a = &t->opts.event[i].attr;

		if (a->type == PERF_TYPE_TRACEPOINT ||
		    (a->type == PERF_TYPE_SOFTWARE && a->config != PERF_COUNT_SW_CPU_CLOCK &&
		     a->config != PERF_COUNT_SW_TASK_CLOCK))
			return true;
	}
	return false;
}

/*
 * The kernel gives up the first fault in new memory where a signal waits, and a thread that is stopped
 * switches to another. Where these are sampled such a thread comes no further, unless it is left alone now
 * and then.
 */
static bool comes_no_further(const struct tracer *t, struct tracee *th,
			     const struct user_regs_struct *r)
{
	bool again;

	if (!stops_bring_samples(t))
		return false;
	again = !memcmp(&th->stood, r, sizeof(*r));
	th->stood = *r;
	th->stood_again = again ? th->stood_again + 1 : 0;
	return again && th->stood_again % NO_FURTHER == 0;
}

void budget_let_pass(struct tracer *t, struct tracee *th, const struct user_regs_struct *r)
{
	if (comes_no_further(t, th, r) && !th->resting)
		rest(t, th, REST_MIN_NS);
}

bool budget_is_spent(struct tracer *t)
{
	double percent = percent_of(t);
	uint64_t now = tracer_now();

	if (!is_bounded(t))
		return false;
	if (!t->account.cpus) {
		t->account.cpus = host_cpus_usable();
		t->account.ns = ACCOUNT_NS;
		t->account.filled = now;
	}
	t->account.ns += (int64_t)((double)(now - t->account.filled) * percent / 100 *
				   (double)min_u64(t->account.cpus, t->threads.n));
	t->account.ns = min_i64(t->account.ns, ACCOUNT_NS);
	t->account.filled = now;
	return t->account.ns < 0;
}

void budget_pay(struct tracer *t, uint64_t ns)
{
	t->account.ns -= (int64_t)ns;
	t->account.cost += ns / 8 - t->account.cost / 8;
}

/*
 * A thread that was just made begins somewhere in such a rest. Were it ready for a sample at once, nothing would bound what
 * thousands of short ones cost; so each moment of theirs is as likely to be sampled as one of a thread that
 * has run for long.
 */
void budget_begin(struct tracer *t, struct tracee *th)
{
	if (t->usual_rest < REST_MIN_NS || t->opts.branches.trace)
		return;
	th->begun = true;
	look(t, th);
	rest_first(t, th, t->usual_rest);
}

/* Whether @th, whose rest would be over, has run for as long; if not, it rests on. */
static bool has_run(struct tracer *t, struct tracee *th, uint64_t now)
{
	uint64_t ran = look(t, th), most = SLEEP_NS * (1 + t->threads.n / SLEEPERS);

	/* its time is counted by ticks */
	if (ran + REST_MIN_NS >= th->pause)
		return true;
	th->pause -= ran;
	th->patience = ran ? REST_MIN_NS : min_u64(th->patience * 2, most);
	th->rest_until = now + max_u64(th->patience, min_u64(th->pause, most));
	return false;
}

/* What the account has for threads that are let on now, each of which will take as much as is usual. */
static bool affords(struct tracer *t, int64_t *left)
{
	if (*left < 0)
		return false;
	*left -= (int64_t)t->account.cost;
	return true;
}

/* Those that the account cannot pay for rest on; the next time begins with another one, so that all have their turn. */
void budget_wake(struct tracer *t)
{
	uint64_t now, next = 0;
	size_t n = t->threads.n;
	int64_t left;

	if (!t->rest_next || (now = tracer_now()) < t->rest_next)
		return;
	/* Without a bound nothing was paid in: what rests then does for budget_let_pass(). */
	left = !is_bounded(t) ? INT64_MAX : budget_is_spent(t) ? -1 : t->account.ns;
	t->account.turn++;
	for (size_t i = 0; i < n; i++) {
		struct tracee *th = t->threads.v[(i + t->account.turn) % n];

		if (!th->resting)
			continue;
		if (th->rest_until <= now && left >= 0 && has_run(t, th, now) &&
		    affords(t, &left)) {
			th->resting = false;
			if (t->enabled)
				points_enable(th, true);
			continue;
		}
		th->rest_until = max_u64(th->rest_until, now + REST_MIN_NS);
		if (!next || th->rest_until < next)
			next = th->rest_until;
	}
	t->rest_next = next;
}

int tracer_timeout_ms(const struct tracer *t)
{
	uint64_t now;

	if (t->more)
		return 0;
	if (!t->rest_next)
		return 50; /* rings of threads that block the signal */
	now = tracer_now();
	return t->rest_next <= now ? 0 : (int)((t->rest_next - now) / 1000000 + 1);
}
