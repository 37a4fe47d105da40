// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load faults|threads|forks N, load paced N SECONDS: a recorder's hard day. N page faults one after the other, each at an
 * address of its own, spread over so many seconds; N threads, which all live at once; N processes, up to 64 at a
 * time. Prints how many there were.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK (64u << 10)

static pthread_barrier_t all;

static void *live(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&all);
	return NULL;
}

/* By read() and write() alone, which touch no new page, so that the faults between are those of the loop. */
static void wait_for_line(const char *say)
{
	char c;

	if (write(STDOUT_FILENO, say, strlen(say)) < 0)
		return;
	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

static void wait_until(const struct timespec *start, long long ns)
{
	struct timespec t = *start;

	t.tv_sec += (t.tv_nsec + ns) / 1000000000;
	t.tv_nsec = (t.tv_nsec + ns) % 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* Says where they will be, and waits for a line; says that they were, and waits for another. */
static long faults(long n, long seconds)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, (size_t)(n * page), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec start;
	char at[64];

	if (p == MAP_FAILED)
		return -1;
	madvise((void *)p, (size_t)(n * page), MADV_NOHUGEPAGE);
	syscall(SYS_getppid); /* what the last call needs is there, and what waiting needs */
	clock_gettime(CLOCK_MONOTONIC, &start);
	wait_until(&start, 0);
	snprintf(at, sizeof(at), "%lx %lx\n", (long)p, (long)p + n * page);
	wait_for_line(at);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (long i = 0; i < n; i++) {
		if (seconds && i % 16 == 0)
			wait_until(&start, 1000000000LL * seconds / n * i);
		p[i * page] = 1;
	}
	wait_for_line("done\n");
	/* Without the faults of an ordinary end, which a full ring would lose. */
	return syscall(SYS_exit_group, 0);
}

static long threads(long n)
{
	pthread_attr_t attr;
	pthread_t *t = calloc((size_t)n, sizeof(*t));
	long made = 0;

	/* Those that cannot be made are not waited for: a thread that waits is given up. */
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_barrier_init(&all, NULL, (unsigned)n + 1);
	while (t && made < n && !pthread_create(&t[made], &attr, live, NULL))
		made++;
	if (made == n)
		pthread_barrier_wait(&all);
	for (long i = 0; made == n && i < n; i++)
		pthread_join(t[i], NULL);
	return made;
}

static long forks(long n)
{
	long made = 0;

	for (int running = 0; made < n || running;) {
		pid_t pid = made < n && running < 64 ? fork() : -1;

		if (!pid)
			_exit(0);
		if (pid > 0) {
			made++;
			running++;
		} else if (running) {
			wait(NULL);
			running--;
		} else {
			break;
		}
	}
	return made;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0, made = -1;

	if (argc > 2 && !strcmp(argv[1], "faults"))
		made = faults(n, 0);
	else if (argc > 3 && !strcmp(argv[1], "paced"))
		made = faults(n, atol(argv[3]));
	else if (argc > 2 && !strcmp(argv[1], "threads"))
		made = threads(n);
	else if (argc > 2 && !strcmp(argv[1], "forks"))
		made = forks(n);
	printf("%ld\n", made);
	return made != n;
}
