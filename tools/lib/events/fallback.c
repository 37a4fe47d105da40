// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a machine has no counters, a clock stands for them: it finds a program where it spends its
 * time, which is what most who name an event of the CPU want to know. All of them become the same
 * clock, so of those that then would be alike one is kept. Who falls back has to say so; the names
 * of the events in the file are the clock's.
 */
#include <stdio.h>
#include <unistd.h>

#include "attr/attr.h"
#include "events/events-int.h"

/* "u" of "cycles:u", "cycles/period=1000/u"; a given name has none. */
static const char *modifiers(const struct event *ev)
{
	const char *p = strrchr(ev->name, '/');

	if (ev->name_given)
		return "";
	if (p)
		return p[1] == ':' ? p + 2 : p + 1;
	p = strchr(ev->name, ':');
	return p ? p + 1 : "";
}

/*
 * A clock's interrupt costs some microseconds, in virtual machines ten and more. At 100,000 a
 * second a program hardly comes to run any more: 10 ms became 15 s. The kernel does hold counters
 * back that take too much time, but not clocks.
 */
#define CLOCK_MAX_FREQ 10000

void event_cap_clock(struct event *ev, const struct log_sink *log)
{
	struct perf_event_attr *a = &ev->attr;

	if (!ev->max_freq || !attr_is_clock(a) || !(a->flags & ATTR_FLAG_FREQ) ||
	    a->sample_freq <= CLOCK_MAX_FREQ)
		return;
	a->sample_freq = CLOCK_MAX_FREQ;
	log_to(log, LOG_WARN,
	       "%s: the most for a clock is %d samples per second: with more of its interrupts "
	       "the program hardly runs (-F N takes any number)",
	       ev->name, CLOCK_MAX_FREQ);
}

int event_fall_back_to_clock(struct event_list *l, struct event *ev, bool per_thread)
{
	const char *name = per_thread ? "task-clock" : "cpu-clock";
	char kept[16] = "";
	size_t n = 0;

	/* A clock has no precise levels; the other modifiers stay. */
	for (const char *m = modifiers(ev); *m && n + 1 < sizeof(kept); m++)
		if (*m != 'P' && *m != 'p')
			kept[n++] = *m;
	kept[n] = '\0';
	ev->name = n ? arena_printf(&l->arena, "%s:%s", name, kept) : name;
	if (!ev->name)
		return -ENOMEM;
	ev->attr.type = PERF_TYPE_SOFTWARE;
	ev->attr.config = per_thread ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK;
	ev->attr.config1 = ev->attr.config2 = ev->attr.config3 = ev->attr.config4 = 0;
	ev->attr.flags &= ~ATTR_FLAG_PRECISE_MASK;
	ev->max_precise = false;
	ev->is_default = false;
	ev->name_given = false;
	ev->pmu = NULL;
	event_cap_clock(ev, &l->log);
	return 0;
}

/* ---- whether the machine has counters --------------------------------------------------------- */

/* Opens the event on ourselves, as small as it can be. */
static int try_bare(const struct event_opener *o, const struct perf_event_attr *from,
		    uint64_t flags)
{
	struct perf_event_attr a = {
		.type = from->type,
		.size = from->size ? from->size : (uint32_t)PERF_ATTR_SIZE_VER5,
		.config = from->config,
		.config1 = from->config1,
		.config2 = from->config2,
		.flags = ATTR_FLAG_DISABLED | flags,
	};
	int fd = event_opener_open(o, &a, 0, -1, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Some PMUs cannot leave the kernel out and refuse with the same code. */
static bool opens_nowhere(const struct event_opener *o, const struct perf_event_attr *a)
{
	return event_is_missing(try_bare(o, a, ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV)) &&
	       try_bare(o, a, 0);
}

/*
 * An event of the CPU whose PMU nobody named: with a name the PMU is there, or parsing failed. One
 * that shall bring taken branches is refused, and that is explained: no clock has them.
 */
static bool counts_the_core(const struct event *ev)
{
	if (ev->set & EVENT_SET_BRANCH ||
	    (ev->set & EVENT_SET_CALLCHAIN && ev->set_callchain.mode == CALLCHAIN_LBR))
		return false;
	return !ev->pmu && (ev->attr.type == PERF_TYPE_HARDWARE ||
			    ev->attr.type == PERF_TYPE_HW_CACHE || ev->attr.type == PERF_TYPE_RAW);
}

/* ---- one clock for all ------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_alike(const struct event *a, const struct event *b)
{
	const unsigned terms = ~(unsigned)EVENT_SET_EXCLUDE;

	return a->attr.type == b->attr.type && a->attr.config == b->attr.config &&
	       a->attr.flags == b->attr.flags && !(a->set & terms) && !(b->set & terms) &&
	       same_text(a->cgroup, b->cgroup) && same_text(a->group, b->group);
}

static void add_name(char *text, size_t size, const char *name)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s", n ? ", " : "", name);
}

/* The clock at @at stays unless another one is like it: 1 when it went. */
static bool keep_one(struct event_list *l, size_t at)
{
	for (size_t i = 0; i < l->n; i++) {
		if (i == at || !is_alike(&l->v[i], &l->v[at]))
			continue;
		event_take_out(l, at);
		return true;
	}
	return false;
}

int events_fall_back(struct event_list *l, const struct event_opener *o, bool per_thread,
		     struct fallback *f)
{
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE };

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < l->n;) {
		struct event *ev = &l->v[i];

		if (!counts_the_core(ev) || !opens_nowhere(o, &ev->attr) ||
		    !opens_nowhere(o, &cycles)) {
			i++;
			continue;
		}
		f->nr++;
		add_name(f->was, sizeof(f->was), ev->name);
		if (event_fall_back_to_clock(l, ev, per_thread))
			return -ENOMEM;
		if (!strstr(f->now, ev->name))
			add_name(f->now, sizeof(f->now), ev->name);
		i += !keep_one(l, i);
	}
	return 0;
}
