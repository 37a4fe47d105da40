// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stops may cost: one that reads registers or follows branches buys silence, in which its
 * thread's events are off, until it is no more than its share of the time.
 *
 * That bounds what a thread loses, not what the recorder takes: thousands of threads on a few CPUs, each of which is due for a
 * sample, are served one after the other. So all that the recorder does for samples is paid from an account that the time
 * fills, by the budget for each CPU that they can have. Who comes when it is overdrawn keeps its sample, without branches.
 */
#include "base/tables.h"
#include "host/host.h"
#include "tracer-int.h"

#define REST_MIN_NS 1000000ULL
#define ACCOUNT_NS  100000000 /* what is in it at most, and at the start */
#define MAX_SKEW    1000      /* clocks drift apart by less than a thousandth */
#define MEASURED    0.8	      /* of the budget; the rest pays for what no clock here sees */

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

static void rest(struct tracer *t, struct tracee *th, uint64_t ns)
{
	points_enable(th, false);
	th->resting = true;
	t->stats.rests++;
	th->rest_until = tracer_now() + ns;
	if (!t->rest_next || th->rest_until < t->rest_next)
		t->rest_next = th->rest_until;
}

void budget_rest(struct tracer *t, struct tracee *th, uint64_t took, uint64_t delay)
{
	double percent = percent_of(t);
	double budget = percent * MEASURED;
	/* it will wait for a CPU about as long as we did */
	uint64_t pause, ns = took + delay + BUDGET_STOP_NS;

	if (percent <= 0 || percent >= 100)
		return;
	pause = (uint64_t)(ns * (100 - budget) / budget);
	t->usual_rest += pause / 8 - t->usual_rest / 8;
	if (pause >= REST_MIN_NS)
		rest(t, th, pause);
}

bool budget_is_spent(struct tracer *t)
{
	double percent = percent_of(t);
	uint64_t now = tracer_now();

	if (percent <= 0 || percent >= 100)
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
	uint64_t now = tracer_now();

	if (t->usual_rest >= REST_MIN_NS && !t->opts.branches.trace)
		rest(t, th, hash_mix(now, (uint64_t)th->tid) % t->usual_rest);
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
	left = budget_is_spent(t) ? -1 : t->account.ns;
	t->account.turn++;
	for (size_t i = 0; i < n; i++) {
		struct tracee *th = t->threads.v[(i + t->account.turn) % n];

		if (!th->resting)
			continue;
		if (th->rest_until <= now && affords(t, &left)) {
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
