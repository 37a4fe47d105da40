// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signalled MODE: what programs do with signals and threads that a tracer changes easily. Each prints
 * what it saw, which must not depend on being traced, and exits with 0 if that is right.
 *
 *	suspend		a parent in sigsuspend() and ppoll(), which block more than it does: what it
 *			blocks behind them is what it blocked before
 *	ignored		signals that nobody handles while it waits in epoll_wait(): no EINTR may show
 *	ignored32	likewise in the 32-bit system call (x86-64)
 *	sleeps N	waits in epoll_wait() for a byte of its input, computes for N seconds, waits for
 *			another one: what came of it; starts a process
 *	alone		its first thread ends, the second computes for a second or two
 *	exec N		N times: one thread computes, another one executes this program anew; then half a
 *			second of the same computing
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS	      30
#define EPOLL_WAIT_32 256 /* by its 32-bit number */

static volatile uint64_t sink;

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void __attribute__((noinline)) compute(double seconds)
{
	for (double begin = cpu_seconds(); cpu_seconds() < begin + seconds;)
		for (int i = 0; i < 20000; i++)
			sink = sink & 1 ? sink * 0x9e3779b97f4a7c15ULL : (sink >> 1) + 12345;
}

static void nothing(int sig)
{
	(void)sig;
}

/* A child that sends @sig to its parent @n times, every @ms. */
static pid_t sender(int sig, int n, int ms)
{
	pid_t me = getpid(), pid = fork();

	if (pid)
		return pid;
	for (int i = 0; i < n && getppid() == me; i++) {
		usleep(ms * 1000);
		kill(me, sig);
	}
	_exit(0);
}

static int blocks(void)
{
	sigset_t now;
	int n = 0;

	sigprocmask(SIG_BLOCK, NULL, &now);
	for (int sig = 1; sig < 32; sig++)
		n += sigismember(&now, sig) == 1;
	return n;
}

/*
 * The first touch of a page is a page fault: one in user space, one in ppoll(), which reads what it is
 * to wait for when it has blocked signals.
 */
static int suspend(void)
{
	struct timespec most = { 0, 100000000 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int before, most_blocked = 0;
	sigset_t but, own;
	pid_t pid;
	char *fresh = mmap(NULL, 2 * CALLS * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fresh == MAP_FAILED || madvise(fresh, 2 * CALLS * page, MADV_NOHUGEPAGE))
		return 1;
	signal(SIGUSR1, nothing);
	sigemptyset(&own);
	sigaddset(&own, SIGUSR1);
	sigprocmask(SIG_BLOCK, &own, NULL);
	sigfillset(&but);
	sigdelset(&but, SIGUSR1);
	before = blocks();
	pid = sender(SIGUSR1, 10000, 25);
	for (int i = 0; i < CALLS; i++) {
		struct pollfd *in = (struct pollfd *)(fresh + (2 * i + 1) * page);

		fresh[2 * i * page] = 1;
		compute(0.005);
		ppoll(in, 1, &most, &but);
		sigsuspend(&but);
		if (blocks() > most_blocked)
			most_blocked = blocks();
	}
	kill(pid, SIGKILL);
	printf("%d blocked before, %d behind\n", before, most_blocked);
	return most_blocked != before;
}

static int wait_64(int fd, struct epoll_event *ev, int ms)
{
	return epoll_wait(fd, ev, 1, ms) < 0 ? errno : 0;
}

#ifdef __x86_64__
static int wait_32(int fd, struct epoll_event *ev, int ms)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(EPOLL_WAIT_32), "b"(fd), "c"(ev), "d"(1), "S"(ms)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret < 0 ? (int)-ret : 0;
}
#endif

static int ignored(int (*wait_for)(int fd, struct epoll_event *ev, int ms), struct epoll_event *ev)
{
	int fd = epoll_create1(0), why;
	pid_t pid;

	why = wait_for(fd, ev, 1);
	if (why) {
		printf("there is no such call: %s\n", strerror(why));
		return 3;
	}
	signal(SIGUSR2, SIG_IGN);
	/* the ends of the senders are signals, too */
	for (int i = 0; i < 3; i++) {
		pid = sender(i == 1 ? SIGWINCH : i ? SIGURG : SIGUSR2, 20, 5);
		why = wait_for(fd, ev, 200) ?: why;
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	printf("%s\n", why ? strerror(why) : "timeouts");
	return why != 0;
}

static void *second(void *arg)
{
	(void)arg;
	puts("second thread");
	fflush(stdout);
	compute(1.5);
	puts("done");
	exit(0);
}

static int alone(void)
{
	pthread_t th;

	if (pthread_create(&th, NULL, second, NULL))
		return 1;
	pthread_exit(NULL);
}

/* One that is told of it: a byte is taken then. */
static int wait_for_input(int fd)
{
	struct epoll_event ev;
	char c;
	int n = epoll_wait(fd, &ev, 1, -1);

	return n == 1 && read(0, &c, 1) != 1 ? -1 : n;
}

static int sleeps(double seconds)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int fd = epoll_create1(0), status, n;
	pid_t pid;

	if (fd < 0 || epoll_ctl(fd, EPOLL_CTL_ADD, 0, &ev))
		return 1;
	printf("sleeps\n");
	fflush(stdout);
	if (wait_for_input(fd) != 1)
		return 1;
	compute(seconds);
	printf("again\n");
	fflush(stdout);
	n = wait_for_input(fd);
	printf("%d %s\n", n, n < 0 ? strerror(errno) : "ready");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	printf("forked\n");
	return n != 1;
}

static char *again[4];

static void *execs(void *arg)
{
	(void)arg;
	usleep(60000);
	execv("/proc/self/exe", again);
	_exit(1);
}

static int exec_by_second(int n)
{
	char left[16];
	pthread_t th;

	if (n <= 0) {
		compute(0.5);
		puts("last");
		return 0;
	}
	snprintf(left, sizeof(left), "%d", n - 1);
	again[0] = "signalled", again[1] = "exec", again[2] = left;
	if (pthread_create(&th, NULL, execs, NULL))
		return 1;
	compute(10);
	return 1;
}

int main(int argc, char **argv)
{
	static struct epoll_event ev;
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "suspend"))
		return suspend();
	if (!strcmp(mode, "ignored"))
		return ignored(wait_64, &ev);
#ifdef __x86_64__
	if (!strcmp(mode, "ignored32") &&
	    (uintptr_t)&ev >> 32 == 0) /* else no 32-bit pointer reaches it */
		return ignored(wait_32, &ev);
#endif
	if (!strcmp(mode, "sleeps"))
		return sleeps(argc > 2 ? atof(argv[2]) : 0);
	if (!strcmp(mode, "alone"))
		return alone();
	if (!strcmp(mode, "exec"))
		return exec_by_second(argc > 2 ? atoi(argv[2]) : 8);
	fprintf(stderr, "signalled: no mode '%s' here\n", mode);
	return 2;
}
