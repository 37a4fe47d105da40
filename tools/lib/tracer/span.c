// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The clock of a span: a perf event that counts the thread's own time from its start on and sends it the
 * signal of a sample, once. Like all that stops a thread here it vanishes with its descriptor.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "burst-int.h"

#define SHORT_INSNS    8192  /* on the way to a call: two microseconds */
#define STOP_FIRST     16000 /* ns: a stop before a call, before any was seen */
#define USUAL_INSNS_NS 4     /* that pass in a nanosecond, of these */
#define SLOW_INSN_NS   1     /* no way takes longer than so much for each */

static int open_clock(struct tracee *th)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.size = PERF_ATTR_SIZE_VER5,
		.sample_period = 1000000,
		.wakeup_events = 1,
		.flags = ATTR_FLAG_DISABLED,
	};
	int ret;

	th->span_fd = (int)syscall(SYS_perf_event_open, &attr, th->tid, -1, -1,
				   PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);
	if (th->span_fd < 0 && (errno == EACCES || errno == EPERM)) {
		/* ends that come in the kernel wait for the next period then */
		attr.flags |= ATTR_FLAG_EXCLUDE_KERNEL;
		th->span_fd = (int)syscall(SYS_perf_event_open, &attr, th->tid, -1, -1,
					   PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);
	}
	if (th->span_fd < 0)
		return -errno;
	ret = points_signal_to(th->span_fd, th->tid, th->signal);
	if (ret)
		span_close(th);
	return ret;
}

int span_begin(struct tracee *th, uint64_t ns)
{
	int ret = th->span_fd < 0 ? open_clock(th) : 0;

	if (ret)
		return ret;
	/* setting the period, also to what it is, drops what is left of the last */
	if (ioctl(th->span_fd, PERF_EVENT_IOC_PERIOD, &ns))
		return -errno;
	/* once, and each of these is once more */
	ret = th->span_armed ? ioctl(th->span_fd, PERF_EVENT_IOC_ENABLE, 0)
			     : ioctl(th->span_fd, PERF_EVENT_IOC_REFRESH, 1);
	th->span_armed = false;
	return ret ? -errno : 0;
}

void span_end(struct tracee *th)
{
	if (th->span_fd >= 0)
		ioctl(th->span_fd, PERF_EVENT_IOC_DISABLE, 0);
}

uint64_t span_ns(const struct tracee *th)
{
	uint64_t ns;

	return th->span_fd >= 0 && read(th->span_fd, &ns, sizeof(ns)) == sizeof(ns) ? ns : 0;
}

uint64_t span_ran(uint64_t *stop, uint64_t insns, uint64_t spent)
{
	uint64_t way = insns / USUAL_INSNS_NS, cost = spent > way ? spent - way : 0;

	if (!*stop)
		*stop = STOP_FIRST;
	/* towards the median: some take many times as long */
	if (insns < SHORT_INSNS)
		*stop = cost > *stop ? *stop + *stop / 16 + 1 : *stop - *stop / 16;
	return min_u64(spent > *stop ? spent - *stop : 0, insns * SLOW_INSN_NS);
}

void span_close(struct tracee *th)
{
	if (th->span_fd >= 0)
		close(th->span_fd);
	th->span_fd = -1;
	th->span_armed = false;
}
