// SPDX-License-Identifier: GPL-2.0-or-later
/* The calls that are taken over, the rings, and the thread that fills them: see standin.h. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "standin.h"

#define MAX_EVENTS 2048 /* some of each CPU */
#define DEVICES	   "/sys/bus/event_source/devices"
#define ONLINE	   "/sys/devices/system/cpu/online"

/* The ioctls of perf_event_open(2). */
enum {
	IOC_ENABLE = 0x2400,
	IOC_DISABLE = 0x2401,
	IOC_REFRESH = 0x2402,
	IOC_RESET = 0x2403,
	IOC_SET_OUTPUT = 0x2405,
	IOC_PERIOD = 0x40082404,
	IOC_SET_FILTER = 0x40082406,
	IOC_ID = 0x80082407,
	IOC_PAUSE_OUTPUT = 0x40042409,
};

static struct event events[MAX_EVENTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct table *profile;
static FILE *log_file;
static unsigned want_samples = 20, throttles;
static bool flood, started;
static uint64_t next_id = 1000;
static pid_t owner;

static long (*real_syscall)(long, ...);
static void *(*real_mmap)(void *, size_t, int, int, int, off_t);
static int (*real_munmap)(void *, size_t);
static int (*real_ioctl)(int, unsigned long, ...);
static int (*real_close)(int);
static ssize_t (*real_read)(int, void *, size_t);
static int (*real_epoll_ctl)(int, int, int, struct epoll_event *);
static int (*real_open)(const char *, int, ...);
static DIR *(*real_opendir)(const char *);
static int (*real_access)(const char *, int);

/* A sanitizer's runtime, which starts before this library, calls some of them first. */
static void resolve(void)
{
	if (real_access)
		return;
	real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	real_mmap = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	real_munmap = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
	real_ioctl = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	real_close = (int (*)(int))dlsym(RTLD_NEXT, "close");
	real_read = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	real_epoll_ctl =
		(int (*)(int, int, int, struct epoll_event *))dlsym(RTLD_NEXT, "epoll_ctl");
	real_open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	real_opendir = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
	real_access = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");
}

__attribute__((constructor)) static void init(void)
{
	const char *name = getenv("STANDIN"), *log = getenv("STANDIN_LOG");
	const char *n = getenv("STANDIN_SAMPLES");

	resolve();
	profile = table_find(name ? name : "full");
	if (!profile) {
		fprintf(stderr, "standin: no profile %s\n", name);
		_exit(99);
	}
	if (n)
		want_samples = (unsigned)strtoul(n, NULL, 0);
	if (getenv("STANDIN_THROTTLE"))
		throttles = (unsigned)strtoul(getenv("STANDIN_THROTTLE"), NULL, 0);
	flood = getenv("STANDIN_FLOOD") != NULL;
	log_file = fopen(log ? log : "/dev/null", "ae");
	owner = getpid();
	/* The workload is an ordinary program. */
	unsetenv("LD_PRELOAD");
}

static struct event *find(int fd)
{
	for (size_t i = 0; fd >= 0 && i < MAX_EVENTS; i++)
		if (events[i].used && events[i].fd == fd && getpid() == owner)
			return &events[i];
	return NULL;
}

/* ---- the thread that stands for the hardware ---------------------------------------------------- */

/* Copies a record into the ring; false when it does not fit. */
static bool ring_put(struct event *ev, const unsigned char *rec, size_t size)
{
	struct perf_event_mmap_page *page = (void *)ev->ring;
	size_t data = ev->ring_size - 4096;
	uint64_t head = page->data_head, tail = __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE);
	unsigned char *base = ev->ring + 4096;

	if (data - (head - tail) < size)
		return false;
	for (size_t i = 0; i < size; i++)
		base[(head + i) & (data - 1)] = rec[i];
	__atomic_store_n(&page->data_head, head + size, __ATOMIC_RELEASE);
	return true;
}

/*
 * As the kernel wakes: once, when as much as the watermark was written since the last time
 * (without one: half a ring).
 */
static void wake(struct event *ring)
{
	const struct perf_event_mmap_page *page = (const void *)ring->ring;
	uint64_t mark = (ring->ring_size - 4096) / 2, one = 1;

	if (ring->attr.flags & ATTR_FLAG_WATERMARK && ring->attr.wakeup_watermark)
		mark = ring->attr.wakeup_watermark;
	else if (!(ring->attr.flags & ATTR_FLAG_WATERMARK) && ring->attr.wakeup_events)
		mark = 1;
	if (page->data_head - ring->woken < mark)
		return;
	ring->woken = page->data_head;
	if (write(ring->fd, &one, sizeof(one)) != sizeof(one))
		perror("standin: eventfd");
}

static bool samples_at_all(const struct event *ev)
{
	bool dummy = ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;

	return !dummy && ev->attr.sample_period;
}

static void greet(struct event *ev, struct event *ring, unsigned char *buf)
{
	size_t n;

	ev->greeted = true;
	if (!(ev->attr.flags & (ATTR_FLAG_COMM | ATTR_FLAG_MMAP2 | ATTR_FLAG_MMAP)))
		return;
	n = comm_compose(ev, buf);
	if (ev->attr.flags & ATTR_FLAG_COMM)
		ring_put(ring, buf, n);
	n = mmap2_compose(ev, buf);
	if (ev->attr.flags & ATTR_FLAG_MMAP2)
		ring_put(ring, buf, n);
}

static void one_step(struct event *ev, unsigned char *buf)
{
	struct event *ring = ev->output;
	size_t n;

	if (!ring->ring || (!ev->enabled && !ev->on_exec))
		return;
	if (!ev->greeted)
		greet(ev, ring, buf);
	if (!samples_at_all(ev))
		return;
	for (; ev->throttled < throttles; ev->throttled++)
		ring_put(ring, buf, throttle_compose(ev, buf));
	if (ev->written >= want_samples)
		return;
	if (ev->pending_lost) {
		n = lost_compose(ev, ev->pending_lost, buf);
		if (!ring_put(ring, buf, n))
			return;
		ev->pending_lost = 0;
	}
	n = sample_compose(profile, ev, ev->written, buf, log_file);
	if (ring_put(ring, buf, n)) {
		ev->written++;
	} else if (flood) {
		ev->written++;
		ev->lost++;
		ev->pending_lost++;
		fprintf(log_file, "lost id=%llu\n", (unsigned long long)ev->id);
	} else {
		/* Try again later; what was logged for this number is logged again then. */
		fprintf(log_file, "again id=%llu nr=%u\n", (unsigned long long)ev->id, ev->written);
	}
	fflush(log_file);
}

/* All events begin together, however long the program takes to open and map them. */
static bool all_mapped(void)
{
	for (size_t i = 0; i < MAX_EVENTS; i++)
		if (events[i].used && !events[i].output->ring)
			return false;
	return true;
}

static void *hardware(void *arg)
{
	static unsigned char buf[1 << 17];

	for (;;) {
		pthread_mutex_lock(&lock);
		for (size_t i = 0, n = all_mapped() ? MAX_EVENTS : 0; i < n; i++)
			for (int k = 0; events[i].used && k < (flood ? 64 : 1); k++)
				one_step(&events[i], buf);
		for (size_t i = 0; i < MAX_EVENTS; i++)
			if (events[i].used && events[i].ring)
				wake(&events[i]);
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
	return arg;
}

/*
 * What is missing comes at the end, however little of its time the program gave us: a recording
 * has all samples that were asked for, as far as the ring holds them.
 */
static void deliver_rest(struct event *ev)
{
	static unsigned char buf[1 << 17];
	unsigned before;

	if (flood || !all_mapped())
		return;
	do {
		before = ev->written;
		one_step(ev, buf);
	} while (ev->written != before);
}

/* ---- perf_event_open ------------------------------------------------------------------------------- */

/* Without signals: SIGCHLD and the like belong to the program, which may wait for them. */
static bool start_hardware(void)
{
	sigset_t all, old;
	pthread_t th;
	bool ok;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ok = !pthread_create(&th, NULL, hardware, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ok)
		pthread_detach(th);
	return ok;
}

static long open_event(struct perf_event_attr *user, pid_t pid, int cpu, int group_fd,
		       unsigned long flags)
{
	struct event *group = group_fd >= 0 ? find(group_fd) : NULL, *ev = NULL;
	uint32_t size = user->size;
	struct perf_event_attr a = { 0 };
	int ret;

	if (group_fd >= 0 && !group)
		return -EBADF;
	memcpy(&a, user, size && size < sizeof(a) ? size : sizeof(a));
	if (!size)
		memset((char *)&a + PERF_ATTR_SIZE_VER0, 0, sizeof(a) - PERF_ATTR_SIZE_VER0);
	ret = rules_check(profile, &a, size, pid, cpu, flags & 1 ? NULL : group, flags);
	if (ret == -E2BIG)
		user->size = a.size;
	if (ret)
		return ret;
	for (size_t i = 0; i < MAX_EVENTS && !ev; i++)
		if (!events[i].used)
			ev = &events[i];
	if (!ev)
		return -EMFILE;
	memset(ev, 0, sizeof(*ev));
	ev->fd = eventfd(0, EFD_NONBLOCK |
				    (flags & PERF_EVENT_OPEN_FLAG_FD_CLOEXEC ? EFD_CLOEXEC : 0));
	if (ev->fd < 0)
		return -errno;
	ev->attr = a;
	ev->pid = pid;
	ev->cpu = cpu;
	ev->id = next_id++;
	ev->output = ev;
	ev->leader = group ? group : ev;
	ev->enabled = !(a.flags & ATTR_FLAG_DISABLED);
	ev->on_exec = a.flags & ATTR_FLAG_ENABLE_ON_EXEC;
	if (group && (flags & PERF_EVENT_OPEN_FLAG_FD_OUTPUT))
		ev->output = group->output;
	ev->used = true;
	if (!started)
		started = start_hardware();
	return ev->fd;
}

long syscall(long number, ...)
{
	long a[6], ret;
	va_list ap;

	resolve();
	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open && profile->real &&
	    rules_hide(profile, (const struct perf_event_attr *)a[0])) {
		errno = ENOENT;
		return -1;
	}
	if (number != SYS_perf_event_open || getpid() != owner || profile->real)
		return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	pthread_mutex_lock(&lock);
	ret = open_event((struct perf_event_attr *)a[0], (pid_t)a[1], (int)a[2], (int)a[3],
			 (unsigned long)a[4]);
	pthread_mutex_unlock(&lock);
	if (ret < 0) {
		errno = (int)-ret;
		return -1;
	}
	return ret;
}

static void *map_ring(struct event *ev, size_t size, int prot)
{
	struct perf_event_mmap_page *page;
	size_t data = size - 4096;
	void *p;
	int fd;

	if (size < 4096 || (data & (data - 1)) || ev->output != ev) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	/* Events that are inherited must be bound to a CPU. */
	if ((ev->attr.flags & ATTR_FLAG_INHERIT) && ev->cpu < 0) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	fd = memfd_create("standin", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)size))
		return MAP_FAILED;
	/* Two mappings of the same pages: the program's with its protection, and ours. */
	ev->ring = real_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	p = real_mmap(NULL, size, prot, MAP_SHARED, fd, 0);
	real_close(fd);
	if (ev->ring == MAP_FAILED || p == MAP_FAILED) {
		ev->ring = NULL;
		return MAP_FAILED;
	}
	ev->ring_size = size;
	page = (void *)ev->ring;
	page->version = 0;
	page->data_offset = 4096;
	page->data_size = data;
	return p;
}

void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t off)
{
	struct event *ev = fd >= 0 ? find(fd) : NULL;
	void *p;

	resolve();
	if (!ev)
		return real_mmap(addr, size, prot, flags, fd, off);
	pthread_mutex_lock(&lock);
	p = map_ring(ev, size, prot);
	pthread_mutex_unlock(&lock);
	return p;
}

void *mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t off)
{
	return mmap(addr, size, prot, flags, fd, off);
}

static void set_enabled(struct event *ev, bool on, bool group)
{
	for (size_t i = 0; i < MAX_EVENTS; i++)
		if (&events[i] == ev || (group && events[i].used && events[i].leader == ev)) {
			if (!on)
				deliver_rest(&events[i]);
			events[i].enabled = on;
			if (!on)
				events[i].on_exec = false;
		}
}

static int event_ioctl(struct event *ev, unsigned long req, unsigned long arg)
{
	struct event *to;

	switch (req) {
	case IOC_ENABLE: set_enabled(ev, true, arg & 1); return 0;
	case IOC_DISABLE: set_enabled(ev, false, arg & 1); return 0;
	case IOC_RESET: ev->count = 0; return 0;
	case IOC_ID: *(uint64_t *)arg = ev->id; return 0;
	case IOC_PERIOD:
		if (!*(uint64_t *)arg)
			return -EINVAL;
		ev->attr.sample_period = *(uint64_t *)arg;
		return 0;
	case IOC_SET_OUTPUT:
		to = (int)arg >= 0 ? find((int)arg) : NULL;
		if ((int)arg >= 0 && !to)
			return -EBADF;
		if (to && (ev->ring || to->cpu != ev->cpu))
			return -EINVAL;
		ev->output = to ? to->output : ev;
		return 0;
	case IOC_REFRESH:
	case IOC_PAUSE_OUTPUT: return 0;
	case IOC_SET_FILTER: return -EINVAL; /* no tracepoints here */
	default: return -ENOTTY;
	}
}

int ioctl(int fd, unsigned long req, ...)
{
	struct event *ev = find(fd);
	unsigned long arg;
	va_list ap;
	int ret;

	resolve();
	va_start(ap, req);
	arg = va_arg(ap, unsigned long);
	va_end(ap);
	if (!ev)
		return real_ioctl(fd, req, arg);
	pthread_mutex_lock(&lock);
	ret = event_ioctl(ev, req, arg);
	pthread_mutex_unlock(&lock);
	if (ret) {
		errno = -ret;
		return -1;
	}
	return 0;
}

ssize_t read(int fd, void *buf, size_t size)
{
	struct event *ev = find(fd);
	uint64_t f, v[6];
	size_t n = 0;

	resolve();
	if (!ev)
		return real_read(fd, buf, size);
	pthread_mutex_lock(&lock);
	f = ev->attr.read_format;
	v[n++] = f & PERF_FORMAT_GROUP ? 1 : ev->count;
	if (f & PERF_FORMAT_TOTAL_TIME_ENABLED)
		v[n++] = 1000;
	if (f & PERF_FORMAT_TOTAL_TIME_RUNNING)
		v[n++] = 1000;
	if (f & PERF_FORMAT_GROUP)
		v[n++] = ev->count;
	if (f & PERF_FORMAT_ID)
		v[n++] = ev->id;
	if (f & PERF_FORMAT_LOST)
		v[n++] = ev->lost;
	pthread_mutex_unlock(&lock);
	if (size < n * 8) {
		errno = ENOSPC;
		return -1;
	}
	memcpy(buf, v, n * 8);
	return (ssize_t)(n * 8);
}

/* A wakeup is told once, to whoever waits: perf's own descriptors forget it when looked at. */
int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	struct epoll_event once;

	resolve();
	if (!event || !find(fd))
		return real_epoll_ctl(epfd, op, fd, event);
	once = *event;
	once.events |= EPOLLET;
	return real_epoll_ctl(epfd, op, fd, &once);
}

int close(int fd)
{
	struct event *ev = find(fd);

	resolve();
	if (ev) {
		pthread_mutex_lock(&lock);
		for (size_t i = 0; i < MAX_EVENTS; i++)
			if (events[i].output == ev && &events[i] != ev)
				events[i].output = &events[i];
		if (ev->ring)
			real_munmap(ev->ring, ev->ring_size);
		ev->used = false;
		pthread_mutex_unlock(&lock);
	}
	return real_close(fd);
}

/* ---- another /sys, another /proc ------------------------------------------------------------------------------------- */

static const char *redirect(const char *path, char *buf, size_t size)
{
	const char *sysfs = getenv("STANDIN_SYSFS"), *proc = getenv("STANDIN_PROC");
	const char *cpus = getenv("STANDIN_CPUS");

	if (cpus && !strcmp(path, ONLINE))
		return cpus;
	if (sysfs && !strncmp(path, DEVICES, sizeof(DEVICES) - 1)) {
		snprintf(buf, size, "%s%s", sysfs, path + sizeof(DEVICES) - 1);
		return buf;
	}
	if (proc && !strncmp(path, "/proc/", 6)) {
		snprintf(buf, size, "%s%s", proc, path + 5);
		if (!real_access(buf, R_OK))
			return buf;
	}
	return path;
}

int open(const char *path, int flags, ...)
{
	char buf[4096];
	va_list ap;
	int mode;

	resolve();
	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	return real_open(redirect(path, buf, sizeof(buf)), flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	return open(path, flags, mode);
}

DIR *opendir(const char *path)
{
	char buf[4096];

	resolve();
	return real_opendir(redirect(path, buf, sizeof(buf)));
}

int access(const char *path, int mode)
{
	char buf[4096];

	resolve();
	return real_access(redirect(path, buf, sizeof(buf)), mode);
}
