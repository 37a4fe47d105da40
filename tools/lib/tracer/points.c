// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The perf events of one thread: opening, the signal, rings, and what lies in them. Each thread
 * has events and rings of its own, for the signal of an overflow goes to one thread, and that is
 * the one to stop; what the ring holds says which overflow it was.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "attr/attr.h"
#include "burst-int.h"
#include "tracer-int.h"

/* Overflows of fd's event become a signal to one thread, with the descriptor in si_fd. */
int points_signal_to(int fd, pid_t tid, int sig)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = tid };

	if (fcntl(fd, F_SETSIG, sig) || fcntl(fd, F_SETOWN_EX, &owner) ||
	    fcntl(fd, F_SETFL, O_RDONLY | O_NONBLOCK | O_ASYNC))
		return -errno;
	return 0;
}

static int open_point(struct tracer *t, struct tracee *th, uint32_t event, bool first,
		      struct err *e)
{
	struct point *p = &th->point[th->nr_points];
	struct perf_event_attr attr;
	size_t size = (1 + RING_PAGES) * t->page_size;
	void *map;
	int ret;

	tracer_kernel_attr(&t->opts, &t->opts.event[event].attr, &attr);
	attr.flags |= ATTR_FLAG_DISABLED;
	if (first && t->opts.on_exec && t->enabled)
		attr.flags |= ATTR_FLAG_ENABLE_ON_EXEC;
	*p = (struct point){ .event = event };
	p->fd = (int)syscall(SYS_perf_event_open, &attr, th->tid, -1, -1,
			     PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);
	if (p->fd < 0)
		return err_set(e, -errno, "cannot open a perf event on thread %d: %s", th->tid,
			       strerror(errno));
	do
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	while (map == MAP_FAILED && stamps_give_back(t->stamps));
	if (map == MAP_FAILED) {
		/* EPERM is the limit of locked memory here, not a thread that may not be traced */
		ret = err_set(e, errno == EPERM ? -ENOMEM : -errno,
			      "cannot map the ring of thread %d (%zu bytes): %s", th->tid, size,
			      strerror(errno));
		err_hint(e, "Raise kernel.perf_event_mlock_kb or the limit of locked memory "
			    "(ulimit -l), take smaller rings for all else (-m 8), or run as root.");
		close(p->fd);
		return ret;
	}
	p->page = map;
	p->data = (unsigned char *)map + t->page_size;
	th->nr_points++;
	ret = points_signal_to(p->fd, th->tid, th->signal);
	if (ret)
		return err_set(e, ret, "cannot direct the event's signal to thread %d: %s", th->tid,
			       strerror(-ret));
	return 0;
}

int points_open(struct tracer *t, struct tracee *th, bool first, struct err *e)
{
	for (uint32_t i = 0; i < t->opts.nr_events; i++) {
		int ret = open_point(t, th, i, first, e);

		if (ret) {
			points_close(t, th);
			return ret;
		}
	}
	if (t->enabled && !(first && t->opts.on_exec))
		points_enable(th, true);
	return 0;
}

void points_close(struct tracer *t, struct tracee *th)
{
	for (size_t i = 0; i < th->nr_points; i++) {
		munmap(th->point[i].page, (1 + RING_PAGES) * t->page_size);
		close(th->point[i].fd);
	}
	th->nr_points = 0;
	breakpoint_close(th);
	span_close(th);
}

void points_enable(struct tracee *th, bool on)
{
	for (size_t i = 0; i < th->nr_points; i++)
		ioctl(th->point[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void points_own(struct tracee *th)
{
	pid_t tid = th->signal ? th->tid : gettid();
	int sig = th->signal ? th->signal : SIGCHLD;

	for (size_t i = 0; i < th->nr_points; i++)
		points_signal_to(th->point[i].fd, tid, sig);
	if (th->bp_fd >= 0)
		points_signal_to(th->bp_fd, tid, sig);
	if (th->span_fd >= 0)
		points_signal_to(th->span_fd, tid, sig);
}

bool points_has_fd(const struct tracee *th, int fd)
{
	for (size_t i = 0; i < th->nr_points; i++)
		if (th->point[i].fd == fd)
			return true;
	return fd >= 0 && (th->bp_fd == fd || th->span_fd == fd);
}

bool points_pending(const struct tracee *th)
{
	for (size_t i = 0; i < th->nr_points; i++) {
		struct perf_event_mmap_page *page = th->point[i].page;

		if (__atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) != page->data_tail)
			return true;
	}
	return false;
}

bool points_hold_round(const struct tracee *th)
{
	for (size_t i = 0; i < th->nr_points; i++)
		if (th->point[i].page->data_tail < th->point[i].round)
			return true;
	return false;
}

void points_end_round(struct tracee *th)
{
	for (size_t i = 0; i < th->nr_points; i++)
		th->point[i].round =
			__atomic_load_n(&th->point[i].page->data_head, __ATOMIC_ACQUIRE);
}

bool points_crowded(const struct tracer *t, const struct tracee *th)
{
	for (size_t i = 0; i < th->nr_points; i++) {
		struct perf_event_mmap_page *page = th->point[i].page;
		uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

		if (head - page->data_tail > RING_PAGES * t->page_size / 2)
			return true;
	}
	return false;
}

/* Copies the record at @tail, which may wrap, into t->rec. 0 = nothing there. */
static size_t copy_record(struct tracer *t, const struct point *p, uint64_t tail, uint64_t head)
{
	size_t ring = RING_PAGES * t->page_size, at = tail % ring, size, first;
	uint16_t n;

	if (head - tail < sizeof(struct perf_event_header))
		return 0;
	/* records are multiples of 8: the header never wraps */
	memcpy(&n, p->data + at + offsetof(struct perf_event_header, size), sizeof(n));
	size = n;
	if (size < sizeof(struct perf_event_header) || size > head - tail || size > ring)
		return 0;
	first = min_u64(size, ring - at);
	memcpy(t->rec, p->data + at, first);
	memcpy(t->rec + first, p->data, size - first);
	return size;
}

static uint64_t sample_ip(const struct tracer *t, uint32_t event)
{
	uint64_t type = t->opts.event[event].attr.sample_type;

	return load_u64(t->rec + 8 + attr_head_offset(type, PERF_SAMPLE_IP), false);
}

static bool is_user(const struct perf_event_header *h)
{
	return (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

static uint64_t sample_time(const struct tracer *t, uint32_t event)
{
	uint64_t type = t->opts.event[event].attr.sample_type;

	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	return load_u64(t->rec + 8 + attr_head_offset(type, PERF_SAMPLE_TIME), false);
}

bool points_peek_user(struct tracer *t, struct tracee *th, uint64_t *ip, uint64_t *time)
{
	bool found = false;

	for (size_t i = 0; i < th->nr_points; i++) {
		const struct point *p = &th->point[i];
		uint64_t head = __atomic_load_n(&p->page->data_head, __ATOMIC_ACQUIRE);
		uint64_t tail = p->page->data_tail;
		size_t size;

		for (; (size = copy_record(t, p, tail, head)); tail += size) {
			struct perf_event_header h;

			memcpy(&h, t->rec, sizeof(h));
			if (h.type != PERF_RECORD_SAMPLE)
				continue;
			found = is_user(&h);
			*ip = sample_ip(t, p->event);
			*time = sample_time(t, p->event);
			t->peeked.event = p->event;
			t->peeked.size = size <= PEEKED_MAX ? size : 0;
			memcpy(t->peeked.rec, t->rec, t->peeked.size);
		}
	}
	return found;
}

/* One record in t->rec: a sample is finished and written, others are counted. */
static int take_record(struct tracer *t, struct tracee *th, uint32_t event, size_t size,
		       const struct user_state *st, const struct walked *walk, struct err *e)
{
	struct perf_event_header h;

	memcpy(&h, t->rec, sizeof(h));
	if (h.type == PERF_RECORD_LOST && size >= 24) {
		t->stats.lost += load_u64(t->rec + 16, false);
		return 0;
	}
	if (h.type == PERF_RECORD_THROTTLE)
		t->stats.throttled++;
	/* of a branch trace they tell only where to begin */
	if (h.type != PERF_RECORD_SAMPLE || t->opts.branches.trace)
		return 0;
	/* a user sample's registers are those of the stop only when it stands there */
	if (st && is_user(&h) && sample_ip(t, event) != st->sampled_ip)
		st = NULL;
	/* nor those of a thread that was fetched when it had left the kernel */
	if (st && !is_user(&h) && st->late && !arch_in_call(th->tid, &st->gpr))
		st = NULL;
	if (st && is_user(&h) && th->burst)
		return 0; /* it is written when its span is over */
	if (!st || !is_user(&h))
		walk = NULL;
	t->stats.samples++;
	t->stats.stateless += !st;
	t->stats.kernel_samples += !is_user(&h);
	size = splice_sample(t, th, event, size, st, walk);
	return t->opts.write(t->opts.ctx, t->out, size, e);
}

int points_drain(struct tracer *t, struct tracee *th, const struct user_state *st,
		 const struct walked *walk, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; i < th->nr_points && !ret; i++) {
		struct point *p = &th->point[i];
		uint64_t head = __atomic_load_n(&p->page->data_head, __ATOMIC_ACQUIRE);
		uint64_t tail = p->page->data_tail;
		size_t size;

		for (; !ret && (size = copy_record(t, p, tail, head)); tail += size)
			ret = take_record(t, th, p->event, size, st, walk, e);
		__atomic_store_n(&p->page->data_tail, tail, __ATOMIC_RELEASE);
	}
	return ret;
}
