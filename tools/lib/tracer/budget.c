// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stops may cost: one that reads registers or follows branches buys silence, in which its
 * thread's events are off, until it is no more than its share of the time.
 */
#include "tracer-int.h"

#define REST_MIN_NS 1000000ULL
#define MAX_SKEW    1000 /* clocks drift apart by less than a thousandth */
#define MEASURED    0.8	 /* of the budget; the rest pays for what no clock here sees */

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

void budget_rest(struct tracer *t, struct tracee *th, uint64_t took, uint64_t delay)
{
	double percent = t->opts.branches.on ? t->opts.branches.budget : t->opts.reg_budget;
	double budget = percent * MEASURED;
	/* it will wait for a CPU about as long as we did */
	uint64_t pause, ns = took + delay + BUDGET_STOP_NS;

	if (percent <= 0 || percent >= 100)
		return;
	pause = (uint64_t)(ns * (100 - budget) / budget);
	if (pause < REST_MIN_NS)
		return;
	points_enable(th, false);
	th->resting = true;
	t->stats.rests++;
	th->rest_until = tracer_now() + pause;
	if (!t->rest_next || th->rest_until < t->rest_next)
		t->rest_next = th->rest_until;
}

void budget_wake(struct tracer *t)
{
	uint64_t now, next = 0;

	if (!t->rest_next || (now = tracer_now()) < t->rest_next)
		return;
	vec_for_each (p, &t->threads) {
		struct tracee *th = *p;

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

	if (t->more)
		return 0;
	if (!t->rest_next)
		return 50; /* rings of threads that block the signal */
	now = tracer_now();
	return t->rest_next <= now ? 0 : (int)((t->rest_next - now) / 1000000 + 1);
}
