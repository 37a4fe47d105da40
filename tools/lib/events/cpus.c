// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * On which CPUs an event opens. One word may stand for an event of several PMUs: each kind of core
 * has one, and so has each socket's uncore. Which of them count something is known when it is known
 * which CPUs are watched.
 */
#include <unistd.h>

#include "events/events-int.h"

#define MAX_CPUS 65536

bool pmu_has_cpu(const struct pmu *pmu, size_t cpu)
{
	struct bits own = { 0 };
	bool yes = true;

	if (!pmu || !pmu->cpus)
		return true;
	/* A list that cannot be read is the kernel's to refuse; an empty one can. */
	if (!pmu->cpus[0])
		return false;
	if (!bits_parse_list(&own, pmu->cpus, MAX_CPUS))
		yes = bits_test(&own, cpu);
	bits_free(&own);
	return yes;
}

static bool opens_on(const struct event *ev, const struct bits *cpus)
{
	for (size_t cpu = 0; cpu < cpus->nr; cpu++)
		if (bits_test(cpus, cpu) && pmu_has_cpu(ev->pmu, cpu))
			return true;
	return false;
}

static bool word_opens_on(const struct event_list *l, uint32_t word, const struct bits *cpus)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].word == word && opens_on(&l->v[i], cpus))
			return true;
	return false;
}

void event_take_out(struct event_list *l, size_t at)
{
	uint32_t leader = l->v[at].leader, next = leader;

	if (l->v[at].cgroup)
		close(l->v[at].cgroup_fd);
	if (leader == at && l->v[at].nr_members > 1) {
		next = (uint32_t)at + 1;
		l->v[next].nr_members = l->v[at].nr_members - 1;
		l->v[next].sample_read |= l->v[at].sample_read;
		l->v[next].weak_group |= l->v[at].weak_group;
		l->v[next].group = l->v[at].group;
	} else if (leader != at) {
		l->v[leader].nr_members--;
	}
	for (size_t i = 0; i < l->n; i++) {
		uint32_t *lead = &l->v[i].leader;

		if (*lead == leader)
			*lead = next;
		*lead -= *lead > at;
	}
	memmove(&l->v[at], &l->v[at + 1], (l->n - at - 1) * sizeof(*l->v));
	l->n--;
	l->last -= l->last > at;
}

void events_keep_cpus(struct event_list *l, const struct bits *cpus)
{
	for (size_t i = 0; i < l->n;) {
		const struct event *ev = &l->v[i];

		if (!opens_on(ev, cpus) && word_opens_on(l, ev->word, cpus))
			event_take_out(l, i);
		else
			i++;
	}
}
