// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening: every event at every cell. Inherited per-task events cannot be mapped when they follow
 * a task over all CPUs, so a task is opened once per CPU; its children then write into the ring
 * of the CPU that they run on.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/capture-int.h"

/* ---- cells ----------------------------------------------------------------------------------- */

static int add_cell(struct capture *c, pid_t tid, int cpu, bool extra, struct err *e)
{
	struct cell cell = { .tid = tid, .cpu = cpu, .extra = extra };
	struct ring ring = { .fd = -1, .cpu = cpu, .tid = tid };

	/* One ring per CPU; per thread where there are no CPUs. */
	for (cell.ring = 0; cell.ring < c->rings.n; cell.ring++)
		if (cpu >= 0 && c->rings.v[cell.ring].cpu == cpu)
			break;
	if (cell.ring == c->rings.n && vec_push(&c->rings, ring))
		return err_set(e, -ENOMEM, "no memory for %zu rings", c->rings.n + 1);
	if (vec_push(&c->cells, cell))
		return err_set(e, -ENOMEM, "no memory for %zu events", c->cells.n + 1);
	return 0;
}

static bool any_all_cpus(const struct capture *c)
{
	for (size_t i = 0; i < c->events->n; i++)
		if (c->events->v[i].all_cpus)
			return true;
	return false;
}

int grid_make_cells(struct capture *c, struct err *e)
{
	const struct capture_target *t = c->target;
	const struct bits *cpus = t->cpus_given ? &t->cpus : NULL;
	struct bits online = { 0 };
	int ret = capture_online_cpus(&online, e);

	for (size_t i = 0; !ret && t->per_thread && i < t->tids.n; i++)
		ret = add_cell(c, t->tids.v[i], -1, false, e);
	for (size_t cpu = 0; !ret && !t->per_thread && cpu < online.nr; cpu++) {
		bool asked = bits_test(cpus ? cpus : &online, cpu);

		if (!bits_test(&online, cpu) || !(asked || any_all_cpus(c)))
			continue;
		if (t->system_wide)
			ret = add_cell(c, -1, (int)cpu, !asked, e);
		for (size_t i = 0; !ret && !t->system_wide && i < t->tids.n; i++)
			ret = add_cell(c, t->tids.v[i], (int)cpu, !asked, e);
	}
	bits_free(&online);
	if (!ret && !c->cells.n)
		return err_set(e, -EINVAL, "there is nothing to record: no CPU and no thread");
	return ret;
}

/* PMUs of one kind of core, or of a socket, open only on their own CPUs. */
static bool event_wants_cell(const struct event *ev, const struct cell *cell)
{
	if (cell->gone || (cell->extra && !ev->all_cpus))
		return false;
	return cell->cpu < 0 || pmu_has_cpu(ev->pmu, (size_t)cell->cpu);
}

/* ---- one descriptor ---------------------------------------------------------------------------- */

/*
 * The leader's descriptor at a cell; -1 = it has none there. *@at: where among its counters the
 * cell before was: cells ascend in both, so each member walks the leader's once.
 */
static int leader_fd(const struct capture *c, uint32_t leader, size_t cell, size_t *at)
{
	const struct counter *v = c->counters.v;

	while (*at < c->counters.n && v[*at].event == leader && v[*at].cell < cell)
		++*at;
	return *at < c->counters.n && v[*at].event == leader && v[*at].cell == cell ? v[*at].fd
										    : -1;
}

static bool raise_nofile(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return false;
	if (lim.rlim_cur < lim.rlim_max) {
		lim.rlim_cur = lim.rlim_max;
	} else {
		lim.rlim_cur *= 8; /* root may raise the hard limit too */
		lim.rlim_max = lim.rlim_cur;
	}
	return !setrlimit(RLIMIT_NOFILE, &lim);
}

static int open_cell(struct capture *c, struct event *ev, const struct cell *cell, int group_fd)
{
	int fd = event_open(c->opener, ev, cell->tid, cell->cpu, group_fd);

	if (fd == -EMFILE && raise_nofile())
		fd = event_open(c->opener, ev, cell->tid, cell->cpu, group_fd);
	return fd;
}

static int set_up_counter(struct capture *c, struct event *ev, struct counter *counter,
			  struct err *e)
{
	uint64_t values[8];

	if (ioctl(counter->fd, PERF_EVENT_IOC_ID, &counter->id)) {
		/* Before 3.12: the id is the last value of a read. */
		if (read(counter->fd, values, sizeof(values)) < 16)
			return err_set(e, -errno, "%s: the kernel gives no id: %s", ev->name,
				       strerror(errno));
		counter->id = values[1];
	}
	if (ev->filter && ioctl(counter->fd, PERF_EVENT_IOC_SET_FILTER, ev->filter)) {
		int code = -errno;

		err_set(e, code, "%s: the kernel refused the filter '%s': %s", ev->name, ev->filter,
			strerror(errno));
		err_hint(e, "Fields and operators: see %s/events/%s/%s/format and filter",
			 events_tracefs() ? events_tracefs() : "/sys/kernel/tracing", ev->tp_system,
			 ev->tp_name);
		return code;
	}
	(void)c;
	return 0;
}

/* ---- what is given up when the kernel refuses ----------------------------------------------------- */

static void drop_counters_from(struct capture *c, size_t event)
{
	size_t first = c->first_counter[event];

	for (size_t i = first; i < c->counters.n; i++)
		close(c->counters.v[i].fd);
	c->counters.n = first;
}

/* {a,b}:W: every member becomes an event of its own, started like the leader. */
static void break_group(struct capture *c, size_t leader)
{
	struct event_list *l = c->events;
	uint64_t start = l->v[leader].attr.flags & (ATTR_FLAG_DISABLED | ATTR_FLAG_ENABLE_ON_EXEC);
	size_t end = leader + l->v[leader].nr_members;

	for (size_t i = leader; i < end; i++) {
		l->v[i].attr.flags |= start;
		l->v[i].attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
		l->v[i].leader = (uint32_t)i;
		l->v[i].nr_members = 1;
		l->v[i].weak_group = false;
	}
	log_to(&c->log, LOG_WARN, "%s: the group does not open; its events are recorded one by one",
	       l->v[leader].name);
}

static bool is_denied(int code)
{
	return code == -EACCES || code == -EPERM;
}

/*
 * Levels of perf_event_paranoid above 2 are 2 to the kernel itself; those of some distributions
 * then refuse everything. Which one this is, a trial tells.
 */
static bool may_be_user_only(const struct capture *c, const struct event *ev, int code,
			     const struct cell *cell)
{
	const uint64_t no_retry = ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_USER;
	struct event trial = *ev;
	int fd;

	if (!is_denied(code) || !c->context || c->context->paranoid < 2 || cell->tid <= 0 ||
	    c->context->privileged || ev->set & EVENT_SET_EXCLUDE || ev->attr.flags & no_retry ||
	    ev->attr.type == PERF_TYPE_TRACEPOINT)
		return false;
	trial.attr.flags |= ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV;
	fd = event_open(c->opener, &trial, cell->tid, cell->cpu, -1);
	if (fd >= 0)
		close(fd);
	return !is_denied(fd);
}

static int make_user_only(struct capture *c, struct event *ev)
{
	size_t n = strlen(ev->name);
	const char *sep = n && ev->name[n - 1] == '/' ? "" : ":";
	const char *name;

	if (strchr(ev->name, ':'))
		sep = "";
	name = arena_printf(&c->events->arena, "%s%su", ev->name, sep);
	if (!name)
		return -ENOMEM;
	if (!c->user_only)
		c->user_only = ev->name;
	ev->name = name;
	ev->attr.flags |= ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV;
	return 0;
}

/* True when the event was changed so that opening may be tried again from event *again on. */
static bool give_way(struct capture *c, size_t event, const struct cell *cell, int code,
		     size_t *again)
{
	struct event *ev = &c->events->v[event];
	struct event *leader = &c->events->v[ev->leader];

	*again = event;
	if (ev->is_default && c->allow_fallback && event_is_missing(code)) {
		const char *was = ev->name;

		if (event_fall_back_to_clock(c->events, ev, c->target->per_thread))
			return false;
		log_to(&c->log, LOG_WARN,
		       "%s: no hardware counter here (%s); recording %s in its place", was,
		       c->context && c->context->in_vm ? "a virtual machine without a PMU"
						       : strerror(-code),
		       ev->name);
		return true;
	}
	if (may_be_user_only(c, ev, code, cell))
		return !make_user_only(c, ev);
	if (leader->weak_group && leader->nr_members > 1 &&
	    (code == -EINVAL || code == -EBADF || event_is_missing(code))) {
		*again = ev->leader;
		break_group(c, ev->leader);
		return true;
	}
	return false;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

static size_t living_cells(const struct capture *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->cells.n; i++)
		n += !c->cells.v[i].gone;
	return n;
}

/* A thread that ended in between is left out, unless it was the last one. */
static bool forget_thread(struct capture *c, pid_t tid)
{
	if (tid <= 0 || c->target->workload)
		return false;
	for (size_t i = 0; i < c->cells.n; i++)
		if (c->cells.v[i].tid == tid)
			c->cells.v[i].gone = true;
	log_to(&c->log, LOG_INFO, "thread %d ended before it could be watched", tid);
	return living_cells(c) > 0;
}

/* 0, 1 = start again from *again, or -errno. */
static int open_event(struct capture *c, size_t event, size_t *again, struct err *e)
{
	struct event *ev = &c->events->v[event];
	size_t opened = 0, at;

	c->first_counter[event] = c->counters.n;
	at = c->first_counter[ev->leader];
	for (size_t i = 0; i < c->cells.n; i++) {
		struct cell *cell = &c->cells.v[i];
		struct counter counter = { .event = (uint32_t)event, .cell = (uint32_t)i };
		int ret;

		if (!event_wants_cell(ev, cell))
			continue;
		counter.fd = open_cell(c, ev, cell, leader_fd(c, ev->leader, i, &at));
		if (counter.fd == -ESRCH && forget_thread(c, cell->tid))
			continue;
		if (counter.fd < 0) {
			ret = counter.fd;
			if (give_way(c, event, cell, ret, again))
				return 1;
			return events_explain_open_error(c->opener, &c->events->v[event], cell->tid,
							 cell->cpu, ret, c->context, e);
		}
		if (vec_push(&c->counters, counter)) {
			close(counter.fd);
			return err_set(e, -ENOMEM, "no memory for %zu events", c->counters.n);
		}
		ret = set_up_counter(c, ev, &c->counters.v[c->counters.n - 1], e);
		if (ret)
			return ret;
		opened++;
	}
	if (!opened)
		return err_set(e, -ENODEV, "%s: its PMU has none of the CPUs asked for", ev->name);
	return 0;
}

/* Another event's descriptor writes into the ring of its CPU. */
static int connect_rings(struct capture *c, struct err *e)
{
	for (size_t i = 0; i < c->counters.n; i++) {
		struct counter *counter = &c->counters.v[i];
		struct ring *ring = &c->rings.v[c->cells.v[counter->cell].ring];

		if (ring->fd == counter->fd)
			continue;
		if (ioctl(counter->fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
			return err_set(e, -errno, "%s: cannot share the ring of CPU %d: %s",
				       c->events->v[counter->event].name, ring->cpu,
				       strerror(errno));
	}
	return 0;
}

static int collect_ids(struct capture *c, struct err *e)
{
	for (size_t i = 0; i < c->counters.n; i++)
		if (vec_push(&c->ids, c->counters.v[i].id))
			return err_set(e, -ENOMEM, "no memory for ids");
	return 0;
}

int grid_open(struct capture *c, struct err *e)
{
	int ret = 0;

	c->first_counter = calloc(c->events->n + 1, sizeof(*c->first_counter));
	if (!c->first_counter)
		return err_set(e, -ENOMEM, "no memory for %zu events", c->events->n);
	for (size_t i = 0; i < c->events->n; i++) {
		size_t again = i;

		ret = open_event(c, i, &again, e);
		if (ret < 0)
			return ret;
		if (ret) {
			drop_counters_from(c, again);
			i = again - 1; /* the loop counts up again */
		}
	}
	/* Said now, when nothing can be refused any more. */
	if (c->user_only)
		log_to(&c->log, LOG_WARN,
		       "%s: kernel.perf_event_paranoid is %d: recording user space only",
		       c->user_only, c->context->paranoid);
	c->first_counter[c->events->n] = c->counters.n;
	for (size_t i = 0; i < c->counters.n; i++) {
		struct ring *ring = &c->rings.v[c->cells.v[c->counters.v[i].cell].ring];

		if (ring->fd < 0)
			ring->fd = c->counters.v[i].fd;
	}
	ret = ring_map_all(c, e);
	if (!ret)
		ret = connect_rings(c, e);
	return ret ? ret : collect_ids(c, e);
}

void grid_close(struct capture *c)
{
	for (size_t i = 0; i < c->counters.n; i++)
		close(c->counters.v[i].fd);
	vec_free(&c->counters);
	vec_free(&c->cells);
	vec_free(&c->ids);
	free(c->first_counter);
	c->first_counter = NULL;
}

/* ---- switching on and off ------------------------------------------------------------------------------ */

static int switch_all(struct capture *c, unsigned long request, const char *name, struct err *e)
{
	bool found = false;

	for (size_t i = 0; i < c->counters.n; i++) {
		const struct event *ev = &c->events->v[c->counters.v[i].event];

		if (name && strcmp(name, ev->name))
			continue;
		/* The dummy that watches maps goes on while the others pause. */
		if (!name && request == PERF_EVENT_IOC_DISABLE && event_is_dummy(ev) &&
		    ev->tracking)
			continue;
		found = true;
		if (ioctl(c->counters.v[i].fd, request, 0))
			return err_set(e, -errno, "%s: cannot switch it: %s", ev->name,
				       strerror(errno));
	}
	return found ? 0 : err_set(e, -ENOENT, "no event is called '%s'", name ? name : "");
}

int capture_enable(struct capture *c, const char *name, struct err *e)
{
	return switch_all(c, PERF_EVENT_IOC_ENABLE, name, e);
}

int capture_disable(struct capture *c, const char *name, struct err *e)
{
	return switch_all(c, PERF_EVENT_IOC_DISABLE, name, e);
}
