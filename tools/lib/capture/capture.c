// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A capture from opening to freeing, and waiting for what happens: data, a signal, a command of
 * --control, the end of a thread, all in one epoll. Nothing else here waits, so no event can be
 * missed while another is waited for.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attr/attr.h"
#include "capture/capture-int.h"

/* epoll user data: 0 and up are counters. */
#define DATA_SIGNAL  UINT64_MAX
#define DATA_CONTROL (UINT64_MAX - 1)
#define DATA_END     (UINT64_MAX - 2)

/* Where TIME stands in a sample's body; -1 when not all events agree. */
static int common_time_offset(const struct event_list *l)
{
	int common = -1;

	for (size_t i = 0; i < l->n; i++) {
		uint64_t t = l->v[i].attr.sample_type;
		int at = (int)attr_head_offset(t, PERF_SAMPLE_TIME);

		if (!(t & PERF_SAMPLE_TIME) || (i && at != common))
			return -1;
		common = at;
	}
	return common;
}

int capture_open(struct capture **out, const struct capture_opts *opts, struct err *e)
{
	struct capture *c = calloc(1, sizeof(*c));
	int ret;

	*out = NULL;
	if (!c)
		return err_set(e, -ENOMEM, "no memory for a capture");
	c->events = opts->events;
	c->target = opts->target;
	c->opener = opts->opener;
	c->context = opts->context;
	c->ring_pages = opts->ring_pages;
	c->leaves_room = opts->leaves_room;
	c->inherit = opts->inherit;
	c->backward = opts->backward;
	c->allow_fallback = opts->allow_fallback;
	c->log = opts->log;
	c->epoll_fd = c->signal_fd = c->control_fd = -1;
	ret = grid_make_cells(c, e);
	if (!ret)
		ret = grid_open(c, e);
	if (!ret)
		ret = capture_wait_setup(c, e);
	if (ret) {
		capture_free(c);
		return ret;
	}
	c->time_offset = common_time_offset(c->events);
	*out = c;
	return 0;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	ring_unmap_all(c);
	grid_close(c);
	vec_free(&c->rings);
	vec_for_each (p, &c->ends)
		close(p->fd);
	vec_free(&c->ends);
	if (c->epoll_fd >= 0)
		close(c->epoll_fd);
	if (c->signal_fd >= 0)
		close(c->signal_fd);
	free(c);
}

const uint64_t *capture_ids(const struct capture *c, size_t idx, size_t *nr)
{
	*nr = c->first_counter[idx + 1] - c->first_counter[idx];
	return c->ids.v + c->first_counter[idx];
}

size_t capture_nr_ids(const struct capture *c)
{
	return c->counters.n;
}

void capture_id(const struct capture *c, size_t i, struct capture_id *out)
{
	const struct counter *counter = &c->counters.v[i];
	const struct cell *cell = &c->cells.v[counter->cell];

	*out = (struct capture_id){
		.id = counter->id, .ring = cell->ring, .cpu = cell->cpu, .tid = cell->tid
	};
}

/* ---- waiting ---------------------------------------------------------------------------------- */

static int watch(struct capture *c, int fd, uint32_t events, uint64_t data, struct err *e)
{
	struct epoll_event ev = { .events = events, .data.u64 = data };

	if (epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return err_set(e, -errno, "cannot wait for an event: %s", strerror(errno));
	return 0;
}

/*
 * The owner of each ring says when data is there. With threads that somebody else started, the
 * first event of each also tells when they end. Descriptors that share a ring share its wakeup:
 * whichever is looked at first gets it, so all are asked for it.
 */
int capture_wait_setup(struct capture *c, struct err *e)
{
	bool ends = !c->target->system_wide && !c->target->workload;

	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll_fd < 0)
		return err_set(e, -errno, "cannot make an epoll descriptor: %s", strerror(errno));
	for (size_t i = 0; i < c->counters.n; i++) {
		const struct counter *counter = &c->counters.v[i];
		bool owner = c->rings.v[c->cells.v[counter->cell].ring].fd == counter->fd;
		int ret;

		if (!owner && !(ends && counter->event == 0))
			continue;
		ret = watch(c, counter->fd, EPOLLIN, i, e);
		if (ret)
			return ret;
		c->watched += counter->event == 0;
	}
	return 0;
}

bool capture_ignores_hangup(void)
{
	struct sigaction sa;

	return !sigaction(SIGHUP, NULL, &sa) && sa.sa_handler == SIG_IGN;
}

int capture_signals(struct capture *c, struct err *e)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2 };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (wanted[i] != SIGHUP || !capture_ignores_hangup())
			sigaddset(&set, wanted[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_set(e, -errno, "cannot block signals: %s", strerror(errno));
	c->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (c->signal_fd < 0)
		return err_set(e, -errno, "cannot make a signal descriptor: %s", strerror(errno));
	return watch(c, c->signal_fd, EPOLLIN, DATA_SIGNAL, e);
}

int capture_watch_control(struct capture *c, int fd, struct err *e)
{
	c->control_fd = fd;
	return watch(c, fd, EPOLLIN, DATA_CONTROL, e);
}

void capture_unwatch_control(struct capture *c)
{
	epoll_ctl(c->epoll_fd, EPOLL_CTL_DEL, c->control_fd, NULL);
}

#define PIDFD_OF_THREAD O_EXCL /* Linux 6.9 */

void capture_watch_end(struct capture *c, pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		fd = (int)syscall(SYS_pidfd_open, pid, PIDFD_OF_THREAD);
	if (fd >= 0 && vec_push(&c->ends, ((struct end_watch){ pid, fd })))
		close(fd);
	else if (fd >= 0)
		(void)watch(c, fd, EPOLLIN | EPOLLONESHOT, DATA_END, NULL);
}

bool capture_has_ended(const struct capture *c, pid_t pid)
{
	vec_for_each (p, &c->ends) {
		struct pollfd pfd = { .fd = p->fd, .events = POLLIN };

		if (p->pid == pid && poll(&pfd, 1, 0) == 1)
			return true;
	}
	return false;
}

/* timeout(1) tells a process and then its group, a shell that ends its jobs comes after the terminal. */
#define ONE_SIGNAL_MS 200

static void count_signal(struct capture *c)
{
	struct timespec ts;
	int64_t now;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
	if (c->nr_signals && now - c->signal_ms < ONE_SIGNAL_MS)
		return;
	c->nr_signals++;
	c->signal_ms = now;
}

static unsigned take_signals(struct capture *c)
{
	struct signalfd_siginfo info;
	unsigned what = 0;

	while (read(c->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			what |= CAPTURE_CHILD;
		} else if (info.ssi_signo == SIGUSR2) {
			what |= CAPTURE_SWITCH;
		} else {
			c->signal = (int)info.ssi_signo;
			count_signal(c);
			what |= CAPTURE_SIGNAL;
		}
	}
	return what;
}

static unsigned take_counter(struct capture *c, size_t i, uint32_t events)
{
	unsigned what = events & EPOLLIN ? CAPTURE_DATA : 0;

	if (!(events & (EPOLLHUP | EPOLLERR)))
		return what;
	epoll_ctl(c->epoll_fd, EPOLL_CTL_DEL, c->counters.v[i].fd, NULL);
	if (c->counters.v[i].event == 0 && ++c->hung_up == c->watched)
		what |= CAPTURE_GONE;
	return what | CAPTURE_DATA;
}

int capture_wait(struct capture *c, int timeout_ms, struct err *e)
{
	struct epoll_event evs[32];
	int n = epoll_wait(c->epoll_fd, evs, ARRAY_SIZE(evs), c->seen ? 0 : timeout_ms);
	unsigned what = c->seen;

	if (n < 0 && errno == EINTR)
		return 0;
	if (n < 0)
		return err_set(e, -errno, "waiting for events: %s", strerror(errno));
	c->seen = 0;
	if (n == 0)
		return (int)(what ? what : CAPTURE_TIMEOUT);
	for (int i = 0; i < n; i++) {
		uint64_t data = evs[i].data.u64;

		if (data == DATA_SIGNAL) {
			what |= take_signals(c);
		} else if (data == DATA_CONTROL) {
			what |= CAPTURE_CONTROL;
			if (!(evs[i].events & EPOLLIN))
				capture_unwatch_control(c);
		} else if (data == DATA_END) {
			what |= CAPTURE_ENDED;
		} else {
			what |= take_counter(c, (size_t)data, evs[i].events);
		}
	}
	if (what & CAPTURE_DATA)
		c->stats.wakeups++;
	return (int)what;
}

unsigned capture_look_for_signals(struct capture *c)
{
	if (c->signal_fd >= 0)
		c->seen |= take_signals(c);
	return c->nr_signals;
}

int capture_signal(const struct capture *c)
{
	return c->signal;
}
