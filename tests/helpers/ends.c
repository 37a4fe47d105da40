// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ends MODE SEED: programs that end in every way, at a moment that the seed gives, while they run
 * code that a tracer cannot compute: its branches depend on the time stamp counter.
 *
 *	exit	_exit(5)			segv	an access to nowhere
 *	zero	another thread's exit_group(0)	group	with 7
 *	killed	a child's SIGKILL		termed	its SIGTERM
 *	exec	exec				texec	exec by another thread
 *	leader	the first thread ends first	fork	children that end, and are waited for
 *
 * ends many N SEED: N of these, four at a time, each held to its status; prints how many were right.
 * ends list: the modes and their statuses, as a shell has them.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static const char *self;
static uint64_t until; /* ns */
static volatile uint64_t sink;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void work(unsigned n)
{
	uint64_t r = 0;

	while (n--) {
		if (__rdtsc() & 16)
			r += n;
		else
			r ^= n;
	}
	sink = r;
}

static void *spin(void *arg)
{
	(void)arg;
	while (now() < until)
		work(200);
	return NULL;
}

static void *for_ever(void *arg)
{
	(void)arg;
	for (;;)
		work(200);
	return NULL;
}

static void start(void *(*run)(void *), long arg)
{
	pthread_t th;

	if (pthread_create(&th, NULL, run, (void *)arg))
		_exit(99);
}

static void *quit(void *status)
{
	spin(NULL);
	syscall(SYS_exit_group, (long)status);
	return NULL;
}

static void *exec_again(void *arg)
{
	(void)arg;
	spin(NULL);
	execl(self, self, "last", "1", NULL);
	_exit(98);
}

/* By another process: it is no thread of those that end. */
static void sent(int sig)
{
	pid_t me = getpid();

	if (!fork()) {
		spin(NULL);
		kill(me, sig);
		_exit(0);
	}
	for_ever(NULL);
}

static void forks(void)
{
	for (int i = 0; i < 8; i++) {
		int status = 0;
		pid_t pid = fork();

		if (!pid) {
			work(1000 * i);
			_exit(i);
		}
		work(3000);
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != i)
			_exit(97);
	}
	_exit(0);
}

static void m_exit(void)
{
	spin(NULL);
	_exit(5);
}

static void m_segv(void)
{
	spin(NULL);
	*(volatile int *)8 = 1;
}

static void m_zero(void)
{
	start(for_ever, 0);
	start(quit, 0);
	for_ever(NULL);
}

static void m_group(void)
{
	start(for_ever, 0);
	start(quit, 7);
	for_ever(NULL);
}

static void m_exec(void)
{
	exec_again(NULL);
}

static void m_texec(void)
{
	start(for_ever, 0);
	start(exec_again, 0);
	for_ever(NULL);
}

static void m_leader(void)
{
	start(spin, 0);
	work(10000);
	pthread_exit(NULL);
}

static void m_killed(void)
{
	sent(SIGKILL);
}

static void m_termed(void)
{
	sent(SIGTERM);
}

static void m_last(void)
{
	work(20000);
	_exit(3);
}

static const struct mode {
	const char *name;
	void (*run)(void);
	int status; /* as a shell has it */
} modes[] = {
	{ "exit", m_exit, 5 },
	{ "segv", m_segv, 128 + SIGSEGV },
	{ "zero", m_zero, 0 },
	{ "group", m_group, 7 },
	{ "exec", m_exec, 3 },
	{ "texec", m_texec, 3 },
	{ "leader", m_leader, 0 },
	{ "fork", forks, 0 },
	{ "killed", m_killed, 128 + SIGKILL },
	{ "termed", m_termed, 128 + SIGTERM },
	{ "last", m_last, 3 },
};
#define MODES (sizeof(modes) / sizeof(modes[0]))

static void run(const struct mode *m, uint64_t seed)
{
	until = now() + (seed * 0x9e3779b97f4a7c15ULL >> 40) % 12000000;
	m->run();
	_exit(96);
}

static int many(int n, uint64_t seed)
{
	struct {
		pid_t pid;
		const struct mode *mode;
	} at[4] = { 0 };
	int right = 0;

	for (int i = 0; i < n + 4; i++) {
		int slot = i % 4, status, got;

		if (at[slot].pid) {
			if (waitpid(at[slot].pid, &status, 0) != at[slot].pid)
				return 95;
			got = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
			right += got == at[slot].mode->status;
			if (got != at[slot].mode->status)
				printf("%s: %d\n", at[slot].mode->name, got);
		}
		at[slot].pid = 0;
		if (i >= n)
			continue;
		at[slot].mode = &modes[(seed + i) % MODES];
		fflush(stdout);
		at[slot].pid = fork();
		if (!at[slot].pid)
			run(at[slot].mode, seed * 1000 + i);
	}
	printf("%d\n", right);
	return right != n;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	struct rlimit none = { 0, 0 };

	self = argv[0];
	setrlimit(RLIMIT_CORE, &none);
	if (!strcmp(mode, "many") && argc > 3)
		return many(atoi(argv[2]), strtoull(argv[3], NULL, 0));
	for (size_t i = 0; i < MODES; i++) {
		if (!strcmp(mode, "list"))
			printf("%s %d\n", modes[i].name, modes[i].status);
		else if (!strcmp(mode, modes[i].name))
			run(&modes[i], argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
	}
	return !!strcmp(mode, "list");
}
