// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * odd-machine.so, preloaded into a recorder: a disk that takes its time, a clock that somebody sets, a clock that runs so
 * fast that a day is over in minutes.
 *
 *	ODD_WRITE=MS	writing to a file takes MS milliseconds, however little is written
 *	ODD_SPEED=N	CLOCK_MONOTONIC runs N times as fast; waiting takes as long as ever
 *	ODD_STEPS=S	each time that somebody asks, the clock of the day is S seconds ahead, or S behind, by turns
 *	ODD_DAY=T	the clock of the day stands still, at T seconds since 1970
 *
 * The program that is recorded has an ordinary machine.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long slow_ms, speed, step, day;
static struct timespec start;
static int (*real_clock)(clockid_t, struct timespec *);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);

static long number(const char *name)
{
	const char *s = getenv(name);

	return s ? atol(s) : 0;
}

static void resolve(void)
{
	if (real_clock)
		return;
	real_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	real_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	real_writev = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
	real_pwrite = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
}

__attribute__((constructor)) static void init(void)
{
	resolve();
	slow_ms = number("ODD_WRITE");
	speed = number("ODD_SPEED");
	step = number("ODD_STEPS");
	day = number("ODD_DAY");
	real_clock(CLOCK_MONOTONIC, &start);
	unsetenv("LD_PRELOAD");
}

static void be_slow(int fd)
{
	struct timespec t = { slow_ms / 1000, slow_ms % 1000 * 1000000 };
	struct stat st;

	resolve();
	if (slow_ms && !fstat(fd, &st) && S_ISREG(st.st_mode))
		nanosleep(&t, NULL);
}

ssize_t write(int fd, const void *p, size_t n)
{
	be_slow(fd);
	return real_write(fd, p, n);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	be_slow(fd);
	return real_writev(fd, v, n);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	be_slow(fd);
	return real_pwrite(fd, p, n, at);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off_t at)
{
	return pwrite(fd, p, n, at);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	static int asked;
	int64_t ns;
	int ret;

	resolve();
	ret = real_clock(id, t);
	if (id == CLOCK_REALTIME && day)
		*t = (struct timespec){ day, 0 };
	if (id == CLOCK_REALTIME && step)
		t->tv_sec += __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED) % 2 ? -step : step;
	if (id != CLOCK_MONOTONIC || !speed)
		return ret;
	ns = ((t->tv_sec - start.tv_sec) * 1000000000LL + t->tv_nsec - start.tv_nsec) * speed;
	t->tv_sec = start.tv_sec + ns / 1000000000;
	t->tv_nsec = ns % 1000000000;
	return ret;
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
	struct timespec t;

	(void)tz;
	clock_gettime(CLOCK_REALTIME, &t);
	*tv = (struct timeval){ t.tv_sec, t.tv_nsec / 1000 };
	return 0;
}
