// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_event_open() and the ladder: an older kernel refuses what it does not know with EINVAL and
 * does not say what. Every step takes back one thing that a recording can do without, newest
 * first, until the event opens.
 */
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attr/attr.h"
#include "base/bytes.h"
#include "events/events-int.h"

int event_open_sys(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		   unsigned long flags)
{
	struct perf_event_attr copy = *attr;
	long fd;

	(void)ctx;
	if (host_is_big_endian())
		copy.flags = attr_flags_mirror(attr->flags);
	fd = syscall(SYS_perf_event_open, &copy, pid, cpu, group_fd, flags);
	if (fd < 0) {
		int code = -errno;

		attr->size = copy.size; /* E2BIG: the size that this kernel knows */
		return code;
	}
	return (int)fd;
}

int event_opener_open(const struct event_opener *o, struct perf_event_attr *attr, pid_t pid,
		      int cpu, int group_fd)
{
	unsigned long flags = o->flags | (o->no_cloexec ? 0 : PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);
	event_open_fn open_fn = o->open ? o->open : event_open_sys;
	int fd = open_fn(o->ctx, attr, pid, cpu, group_fd, flags);

	if (fd >= 0 && o->no_cloexec)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* ---- the ladder -------------------------------------------------------------------------------- */

struct rung {
	const char *what; /* what -v says was taken back */
	uint64_t flag, sample_type, read_format, branch;
	/* Anything else than clearing bits; NULL: clearing them is all. */
	void (*drop)(struct event_opener *o, struct perf_event_attr *a);
	bool (*uses)(const struct event_opener *o, const struct perf_event_attr *a);
};

static void weight_struct_to_weight(struct event_opener *o, struct perf_event_attr *a)
{
	(void)o;
	a->sample_type &= ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT;
	a->sample_type |= PERF_SAMPLE_WEIGHT;
}

static void drop_mmap2(struct event_opener *o, struct perf_event_attr *a)
{
	(void)o;
	a->flags &= ~(ATTR_FLAG_MMAP2 | ATTR_FLAG_BUILD_ID);
}

static void drop_cloexec(struct event_opener *o, struct perf_event_attr *a)
{
	(void)a;
	o->no_cloexec = true;
}

static bool uses_cloexec(const struct event_opener *o, const struct perf_event_attr *a)
{
	(void)a;
	return !o->no_cloexec;
}

static void drop_clockid(struct event_opener *o, struct perf_event_attr *a)
{
	(void)o;
	a->flags &= ~ATTR_FLAG_USE_CLOCKID;
	a->clockid = 0;
}

/* A kernel that takes another clock knows clocks: this one is wrong, and the user shall hear it. */
static bool clock_is_wrong(const struct event_opener *o, const struct perf_event_attr *a, pid_t pid,
			   int cpu, int group_fd)
{
	struct perf_event_attr other = *a;
	int fd;

	if (!(a->flags & ATTR_FLAG_USE_CLOCKID) || a->clockid == CLOCK_MONOTONIC)
		return false;
	other.clockid = CLOCK_MONOTONIC;
	fd = event_opener_open(o, &other, pid, cpu, group_fd);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A group that is read at once while children inherit it: one value less is better than none. */
static bool uses_group_inherit(const struct event_opener *o, const struct perf_event_attr *a)
{
	(void)o;
	return a->read_format & PERF_FORMAT_GROUP && a->flags & ATTR_FLAG_INHERIT;
}

static void drop_group_read(struct event_opener *o, struct perf_event_attr *a)
{
	(void)o;
	a->read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
}

/*
 * In the order of upstream (perf-record(1), OLDER KERNELS). What the user asked for by name is not
 * here (page sizes, cgroups, aux, registers, a wrong clock): its refusal is an error. Clocks are: a
 * kernel without clockid still gives samples, and the message says so.
 */
static const struct rung ladder[] = {
	{ .what = "build ids in mmap records", .flag = ATTR_FLAG_BUILD_ID },
	{ .what = "branch counters", .branch = PERF_SAMPLE_BRANCH_COUNTERS },
	{ .what = "counts of lost samples", .read_format = PERF_FORMAT_LOST },
	{ .what = "weights in parts",
	  .sample_type = PERF_SAMPLE_WEIGHT_STRUCT,
	  .drop = weight_struct_to_weight },
	{ .what = "branch stack index", .branch = PERF_SAMPLE_BRANCH_HW_INDEX },
	{ .what = "records of BPF programs", .flag = ATTR_FLAG_BPF_EVENT },
	{ .what = "records of kernel symbols", .flag = ATTR_FLAG_KSYMBOL },
	{ .what = "the clock (-k)", .flag = ATTR_FLAG_USE_CLOCKID, .drop = drop_clockid },
	{ .what = "close-on-exec", .drop = drop_cloexec, .uses = uses_cloexec },
	{ .what = "mmap2 records", .flag = ATTR_FLAG_MMAP2, .drop = drop_mmap2 },
	{ .what = "guest and host exclusion",
	  .flag = ATTR_FLAG_EXCLUDE_GUEST | ATTR_FLAG_EXCLUDE_HOST },
	{ .what = "ids in all records", .flag = ATTR_FLAG_SAMPLE_ID_ALL },
	{ .what = "branch flags and cycles off",
	  .branch = PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ .what = "reading the group at once",
	  .drop = drop_group_read,
	  .uses = uses_group_inherit },
};

static bool rung_applies(const struct rung *r, const struct event_opener *o,
			 const struct perf_event_attr *a)
{
	if (r->uses)
		return r->uses(o, a);
	return (a->flags & r->flag) || (a->sample_type & r->sample_type) ||
	       (a->read_format & r->read_format) ||
	       ((a->sample_type & PERF_SAMPLE_BRANCH_STACK) && (a->branch_sample_type & r->branch));
}

static void rung_take(const struct rung *r, struct event_opener *o, struct perf_event_attr *a)
{
	if (r->drop) {
		r->drop(o, a);
		return;
	}
	a->flags &= ~r->flag;
	a->sample_type &= ~r->sample_type;
	a->read_format &= ~r->read_format;
	a->branch_sample_type &= ~r->branch;
}

/* What this kernel is known to lack is not even asked for. */
static void apply_known(struct event_opener *o, struct perf_event_attr *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(ladder); i++)
		if (o->missing >> i & 1 && rung_applies(&ladder[i], o, a))
			rung_take(&ladder[i], o, a);
}

/*
 * Takes rungs back one by one. When the event opens, those that made no difference are put back:
 * only what the kernel really refuses is lost.
 */
static int climb_down(struct event_opener *o, struct event *ev, pid_t pid, int cpu, int group_fd)
{
	struct perf_event_attr attr = ev->attr;
	bool cloexec = o->no_cloexec;
	uint32_t taken = 0;
	int fd = -EINVAL;

	if (clock_is_wrong(o, &attr, pid, cpu, group_fd))
		return fd;
	for (size_t i = 0; fd == -EINVAL && i < ARRAY_SIZE(ladder); i++) {
		if (!rung_applies(&ladder[i], o, &attr))
			continue;
		rung_take(&ladder[i], o, &attr);
		taken |= 1U << i;
		fd = event_opener_open(o, &attr, pid, cpu, group_fd);
	}
	if (fd < 0) {
		o->no_cloexec = cloexec;
		return fd;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ladder); i++) {
		struct perf_event_attr trial = ev->attr;
		int try_fd;

		if (!(taken >> i & 1))
			continue;
		o->no_cloexec = cloexec;
		for (size_t j = 0; j < ARRAY_SIZE(ladder); j++)
			if (j != i && taken >> j & 1)
				rung_take(&ladder[j], o, &trial);
		try_fd = event_opener_open(o, &trial, pid, cpu, group_fd);
		if (try_fd < 0)
			continue;
		close(fd);
		fd = try_fd;
		attr = trial;
		taken &= ~(1U << i);
	}
	o->no_cloexec = cloexec;
	for (size_t i = 0; i < ARRAY_SIZE(ladder); i++) {
		if (!(taken >> i & 1))
			continue;
		log_to(&o->log, LOG_INFO, "%s: this kernel does not know: %s; recording without",
		       ev->name, ladder[i].what);
		if (ladder[i].drop == drop_cloexec)
			o->no_cloexec = true;
	}
	o->missing |= taken;
	ev->attr = attr;
	return fd;
}

/* ---- precise levels ------------------------------------------------------------------------------ */

static unsigned precise(const struct perf_event_attr *a)
{
	return (unsigned)((a->flags & ATTR_FLAG_PRECISE_MASK) >> ATTR_FLAG_PRECISE_SHIFT);
}

static int open_once(struct event_opener *o, struct event *ev, pid_t pid, int cpu, int group_fd)
{
	int fd = event_opener_open(o, &ev->attr, pid, cpu, group_fd);

	if (fd == -EINVAL)
		fd = climb_down(o, ev, pid, cpu, group_fd);
	return fd;
}

static int open_max_precise(struct event_opener *o, struct event *ev, pid_t pid, int cpu,
			    int group_fd);

/*
 * No level opened. If that was because of something the kernel does not know, the ladder finds
 * it now, and the levels are tried once more without it.
 */
static int open_imprecise(struct event_opener *o, struct event *ev, pid_t pid, int cpu,
			  int group_fd)
{
	uint64_t level = ev->attr.flags & ATTR_FLAG_PRECISE_MASK;
	uint32_t missing = o->missing;
	int fd;

	ev->attr.flags &= ~ATTR_FLAG_PRECISE_MASK;
	fd = open_once(o, ev, pid, cpu, group_fd);
	if (fd < 0 || o->missing == missing)
		return fd;
	close(fd);
	ev->attr.flags |= level;
	return open_max_precise(o, ev, pid, cpu, group_fd);
}

/* Highest precision that opens, from where the event stands down to 0. */
static int open_max_precise(struct event_opener *o, struct event *ev, pid_t pid, int cpu,
			    int group_fd)
{
	for (unsigned level = precise(&ev->attr); level > 0; level--) {
		struct perf_event_attr with = ev->attr;
		int fd;

		with.flags &= ~ATTR_FLAG_PRECISE_MASK;
		with.flags |= (uint64_t)level << ATTR_FLAG_PRECISE_SHIFT;
		fd = event_opener_open(o, &with, pid, cpu, group_fd);
		/* Some PMUs sample precisely only what is not a guest's. */
		if (fd < 0 && !(with.flags & ATTR_FLAG_EXCLUDE_GUEST)) {
			with.flags |= ATTR_FLAG_EXCLUDE_GUEST;
			fd = event_opener_open(o, &with, pid, cpu, group_fd);
		}
		if (fd >= 0) {
			ev->attr = with;
			return fd;
		}
		if (fd == -EACCES || fd == -EPERM || fd == -EMFILE || fd == -ESRCH)
			return fd;
		log_to(&o->log, LOG_DEBUG, "%s: precise level %u does not open: %s", ev->name,
		       level, strerror(-fd));
	}
	return open_imprecise(o, ev, pid, cpu, group_fd);
}

int event_open(struct event_opener *o, struct event *ev, pid_t pid, int cpu, int group_fd)
{
	struct perf_event_attr asked = ev->attr;
	int fd;

	apply_known(o, &ev->attr);
	if (ev->cgroup) {
		o->flags |= PERF_EVENT_OPEN_FLAG_PID_CGROUP;
		pid = ev->cgroup_fd;
	}
	if (ev->max_precise && precise(&ev->attr)) {
		fd = open_max_precise(o, ev, pid, cpu, group_fd);
	} else {
		fd = open_once(o, ev, pid, cpu, group_fd);
		/* What p asks for may be refused for guests only. */
		if ((fd == -EINVAL || fd == -EOPNOTSUPP) && precise(&ev->attr) &&
		    !(ev->attr.flags & (ATTR_FLAG_EXCLUDE_GUEST | ATTR_FLAG_EXCLUDE_HOST))) {
			struct perf_event_attr host = ev->attr;
			int host_fd;

			host.flags |= ATTR_FLAG_EXCLUDE_GUEST;
			host_fd = event_opener_open(o, &host, pid, cpu, group_fd);
			if (host_fd >= 0) {
				ev->attr = host;
				fd = host_fd;
			}
		}
	}
	o->flags &= ~PERF_EVENT_OPEN_FLAG_PID_CGROUP;
	if (fd < 0)
		ev->attr = asked;
	return fd;
}
