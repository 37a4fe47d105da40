// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The breakpoint of a thread: a perf event, which vanishes with its descriptor, so that no
 * recorder's death leaves one behind. Its period makes the kernel count the passes of an address
 * in a loop.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "walk-int.h"

#define BP_EXECUTE   4
#define RING_SIZE    (2 * (size_t)sysconf(_SC_PAGESIZE))
#define WALK_TIMEOUT 20 /* ms until a thread that did not come is fetched back */

static int open_breakpoint(struct tracee *th)
{
	int ret;

	if (tracer_without() & WITHOUT_BREAKPOINTS)
		return -ENOSPC;
	th->bp_attr = (struct perf_event_attr){
		.type = PERF_TYPE_BREAKPOINT,
		.size = PERF_ATTR_SIZE_VER5,
		.sample_period = 1,
		.wakeup_events = 1,
		.bp_type = BP_EXECUTE,
		.bp_addr = 0x1000,
		.bp_len = sizeof(long),
		.flags = ATTR_FLAG_DISABLED | ATTR_FLAG_EXCLUDE_KERNEL,
	};
	th->bp_fd = (int)syscall(SYS_perf_event_open, &th->bp_attr, th->tid, -1, -1,
				 PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);
	if (th->bp_fd < 0)
		return -errno;
	/* signals come with records: the smallest ring */
	th->bp_page = mmap(NULL, RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, th->bp_fd, 0);
	ret = th->bp_page == MAP_FAILED ? -errno : points_signal_to(th->bp_fd, th->tid, th->signal);
	if (ret) {
		if (th->bp_page != MAP_FAILED)
			munmap(th->bp_page, RING_SIZE);
		close(th->bp_fd);
		th->bp_fd = -1;
	}
	return ret;
}

int breakpoint_arm(struct tracee *th, uint64_t addr, uint64_t passes)
{
	int ret = th->bp_fd < 0 ? open_breakpoint(th) : 0;

	if (ret)
		return ret;
	if (th->bp_attr.sample_period != passes) {
		if (ioctl(th->bp_fd, PERF_EVENT_IOC_PERIOD, &passes))
			return -errno;
		th->bp_attr.sample_period = passes;
	}
	if (!th->bp_silent) /* else it stays where nothing is executed */
		th->bp_attr.bp_addr = addr;
	th->bp_attr.flags &= ~(uint64_t)ATTR_FLAG_DISABLED;
	return ioctl(th->bp_fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &th->bp_attr) ? -errno : 0;
}

void breakpoint_disarm(struct tracee *th)
{
	if (th->bp_fd < 0)
		return;
	ioctl(th->bp_fd, PERF_EVENT_IOC_DISABLE, 0);
	/* a pass that was counted and not used must not count next time */
	if (th->bp_attr.sample_period != 1) {
		uint64_t one = 1;

		ioctl(th->bp_fd, PERF_EVENT_IOC_PERIOD, &one);
		th->bp_attr.sample_period = 1;
	}
}

void breakpoint_close(struct tracee *th)
{
	if (th->bp_fd < 0)
		return;
	munmap(th->bp_page, RING_SIZE);
	close(th->bp_fd);
	th->bp_fd = -1;
}

bool breakpoint_is(const struct tracee *th)
{
	int fd;

	return signals_is_event(th->tid, th->signal, &fd) && fd == th->bp_fd;
}

static bool is_breakpoint(const struct tracee *th, int status)
{
	return status >> 16 == 0 && WSTOPSIG(status) == th->signal && breakpoint_is(th);
}

enum run breakpoint_run_to(struct progress *p, uint64_t addr, uint64_t passes)
{
	struct tracee *th = p->th;
	struct waited w;
	bool fetched = false;

	if (breakpoint_arm(th, addr, passes))
		return RUN_FAILED;
	p->stops++;
	p->t->stats.walk_stops++;
	if (ptrace(PTRACE_CONT, th->tid, NULL, NULL))
		return RUN_GONE;
	w = tracer_wait(th->tid, WALK_TIMEOUT);
	__atomic_store_n(&th->bp_page->data_tail, th->bp_page->data_head, __ATOMIC_RELEASE);
	if (w.kind == WAITED_NOTHING) {
		w = tracer_fetch(th->tid);
		fetched = true;
	}
	/* a late one counts, too; the interrupt's stop follows and is passed over */
	if (w.kind == WAITED_STOP && is_breakpoint(th, w.status))
		return RUN_HIT;
	p->came = w;
	if (w.kind != WAITED_STOP)
		return RUN_GONE;
	return fetched ? RUN_LOST : RUN_OTHER;
}
