// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A busy server and its clients, for recordings of what serves others meanwhile.
 *
 *	server serve SOCKET			until SIGTERM: "served N"
 *	server load SOCKET SECONDS CLIENTS [N]	one line: what came of it
 *
 * Each connection gets a thread of its own, which lives as long as that: N requests, or fifty. A request is a number, the
 * answer is computed of it. For one in 64 a child computes it: every other of these is a fork, the others are
 * spawned (vfork) and execute this program anew. Clients send the next request when they have the last one's answer, check it, and
 * take the time. So every stop of a thread that lasts, every request that fails of EINTR, every lost wake-up is seen.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILD_EVERY 64
#define ROUNDS	    4000 /* of a request's work: some tens of microseconds */
#define MOST	    2000000

extern char **environ;
static atomic_ulong served;
static char self[4096];
static struct sockaddr_un where = { .sun_family = AF_UNIX };

static uint64_t work(uint64_t n)
{
	uint64_t x = n + 1;

	for (int i = 0; i < ROUNDS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x = x & 64 ? x ^ x << 17 : x + 0x9e3779b97f4a7c15;
	}
	return x;
}

static int all(ssize_t (*f)(int, void *, size_t), int fd, void *buf, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t r = f(fd, (char *)buf + at, n - at);

		if (r <= 0)
			return -1; /* EINTR, too: nobody has a handler here */
		at += (size_t)r;
	}
	return 0;
}

static ssize_t put(int fd, void *buf, size_t n)
{
	return send(fd, buf, n, MSG_NOSIGNAL);
}

/* ---- the server ------------------------------------------------------------------------------------ */

static int by_fork(int fd, uint64_t n)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		uint64_t x = work(n);

		_exit(write(fd, &x, sizeof(x)) != sizeof(x));
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

static int by_exec(int fd, uint64_t n)
{
	char number[32], *argv[] = { self, (char *)"child", number, NULL };
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int status, ret;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)n);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, fd, 1);
	ret = posix_spawn(&pid, self, &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	return ret || waitpid(pid, &status, 0) != pid || status;
}

static uint64_t by_child(uint64_t n)
{
	uint64_t x = 0;
	int p[2];

	if (pipe2(p, 0))
		return 0;
	if ((n / CHILD_EVERY & 1 ? by_exec : by_fork)(p[1], n) ||
	    read(p[0], &x, sizeof(x)) != sizeof(x))
		x = 0;
	close(p[0]);
	close(p[1]);
	return x;
}

static void *serve_one(void *arg)
{
	int fd = (int)(intptr_t)arg;
	uint64_t n, x;

	while (!all(read, fd, &n, sizeof(n))) {
		x = n % CHILD_EVERY ? work(n) : by_child(n);
		if (all(put, fd, &x, sizeof(x)))
			break;
		served++;
	}
	close(fd);
	return NULL;
}

static void *wait_for_term(void *arg)
{
	int sig;

	sigwait(arg, &sig);
	printf("served %lu\n", served);
	fflush(stdout);
	_exit(0);
}

static int serve(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_attr_t attr;
	sigset_t term;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 << 10);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	if (pthread_create(&t, &attr, wait_for_term, &term) ||
	    bind(s, (void *)&where, sizeof(where)) || listen(s, 256))
		return perror("listen"), 1;
	for (;;) {
		int fd = accept(s, NULL, NULL);

		if (fd < 0 || pthread_create(&t, &attr, serve_one, (void *)(intptr_t)fd))
			return perror("accept"), 1;
	}
}

/* ---- the clients ----------------------------------------------------------------------------------- */

static uint64_t until;
static float *took; /* us */
static atomic_uint nr, wrong, unanswered;
static int per_connection = 50;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int ask(int fd, uint64_t n)
{
	uint64_t begin = now(), x = n;
	unsigned at;

	if (all(put, fd, &x, sizeof(x)) || all(read, fd, &x, sizeof(x)))
		return -1;
	if (x != work(n))
		wrong++;
	at = nr++;
	if (at < MOST)
		took[at] = (float)(now() - begin) / 1000;
	return 0;
}

static void *client(void *arg)
{
	uint64_t n = (uint64_t)(intptr_t)arg << 40;

	while (now() < until) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		if (connect(fd, (void *)&where, sizeof(where)))
			unanswered++;
		else
			for (int i = 0; i < per_connection && now() < until; i++)
				if (ask(fd, n++)) {
					unanswered++;
					break;
				}
		close(fd);
	}
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static int load(double seconds, int clients)
{
	uint64_t begin = now();
	pthread_t t[256];
	unsigned n;

	took = malloc(MOST * sizeof(*took));
	if (clients < 1 || clients > 256 || !took)
		return 2;
	until = begin + (uint64_t)(seconds * 1e9);
	for (int i = 0; i < clients; i++)
		if (pthread_create(&t[i], NULL, client, (void *)(intptr_t)i))
			return perror("pthread_create"), 2;
	for (int i = 0; i < clients; i++)
		pthread_join(t[i], NULL);
	n = nr < MOST ? nr : MOST;
	qsort(took, n, sizeof(*took), by_size);
	printf("answered %u wrong %u unanswered %u per-second %.0f p50 %.0f p99 %.0f max %.0f\n",
	       nr, wrong, unanswered, nr / ((double)(now() - begin) / 1e9), n ? took[n / 2] : 0,
	       n ? took[n * 99ULL / 100] : 0, n ? took[n - 1] : 0);
	return wrong || unanswered || !nr;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "child")) {
		uint64_t x = work(strtoull(argv[2], NULL, 10));

		return write(1, &x, sizeof(x)) != sizeof(x);
	}
	if (argc < 3 || strlen(argv[2]) >= sizeof(where.sun_path) ||
	    readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 2;
	strcpy(where.sun_path, argv[2]);
	if (!strcmp(argv[1], "serve"))
		return serve();
	if (argc == 6)
		per_connection = atoi(argv[5]);
	return argc >= 5 && !strcmp(argv[1], "load") ? load(atof(argv[3]), atoi(argv[4])) : 2;
}
