// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups: events that the kernel puts on counters together, or not at all. It can do so for events of one PMU only, so
 * a group that names events of several becomes one of each. On a machine with two kinds of cores that is the rule: each
 * word is an event of both. What the kernel counts by itself (clocks, faults, tracepoints) fits in anywhere, and stays
 * with the first.
 */
#include "events-int.h"

/* Of whatever counts the core's cycles, on a machine with one kind of core: {cycles,cpu/event=0x3c/}. */
static const struct pmu some_core = { .name = "cpu", .is_core = true };

/* Who counts it; NULL = the kernel. */
static const struct pmu *counted_by(const struct event *ev)
{
	static const char *const by_kernel[] = { "kprobe", "uprobe", "msr" };

	switch (ev->attr.type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT: return NULL;
	default: break;
	}
	for (size_t i = 0; ev->pmu && i < ARRAY_SIZE(by_kernel); i++)
		if (!strcmp(ev->pmu->name, by_kernel[i]))
			return NULL;
	/* A device tree describes the core's PMU. */
	return ev->pmu && ev->pmu->source == PMU_SYSFS ? ev->pmu : &some_core;
}

static bool together(const struct pmu *a, const struct pmu *b)
{
	return !a || !b || a == b ||
	       (a->is_core && b->is_core && (a == &some_core || b == &some_core));
}

/* Moves what fits to the event at @at next to it, in its order: where that ends. */
static size_t gather(struct event_list *l, size_t at)
{
	const struct pmu *by = NULL;
	size_t end = at;

	for (size_t i = at; i < l->n; i++) {
		const struct pmu *one = counted_by(&l->v[i]);
		struct event ev;

		if (!together(by, one))
			continue;
		if (!by || by == &some_core)
			by = one ? one : by;
		ev = l->v[i];
		memmove(&l->v[end + 1], &l->v[end], (i - end) * sizeof(ev));
		l->v[end++] = ev;
	}
	return end;
}

void events_group(struct event_list *l, size_t first, const char *name)
{
	bool uncore = false;

	for (size_t end, at = first; at < l->n; at = end) {
		end = gather(l, at);
		for (size_t i = at; i < end; i++) {
			const struct pmu *by = counted_by(&l->v[i]);

			uncore |= by && !by->is_core && (at > first || end < l->n);
			l->v[i].leader = (uint32_t)at;
			l->v[i].nr_members = i == at ? (uint32_t)(end - at) : 0;
		}
		l->v[at].group = name;
	}
	if (uncore)
		log_to(&l->log, LOG_WARN, "events were regrouped to match PMUs");
}
