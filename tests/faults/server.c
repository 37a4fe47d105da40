// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs main() once per request, each time in a child of its own. Whoever loses its parent below us
 * becomes our child: so those that a run leaves behind, a workload that stands still because its tracer
 * is gone, are found, counted and ended.
 */
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS_LEFT_ALONE 1000 /* what is on its way out has as long */

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void onto(int fd, const char *path, int flags)
{
	int to = open(path, flags, 0644);

	if (to < 0 || dup2(to, fd) < 0)
		_exit(99);
	if (to != fd)
		close(to);
}

/* A number that the program does not come to. */
static int open_where(void)
{
	int fd = open("where", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 900);

	if (fd >= 0)
		close(fd);
	return high;
}

/* The child goes on to main(). */
static void become_program(const struct fault_request *r, int ask, int answer)
{
	sigset_t none;

	close(ask);
	close(answer);
	onto(0, "/dev/null", O_RDONLY);
	onto(1, "out", O_WRONLY | O_CREAT | O_TRUNC);
	onto(2, "err", O_WRONLY | O_CREAT | O_TRUNC);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fault_where = open_where();
	fault_state->plan = *r;
	memset(fault_state->count, 0, sizeof(fault_state->count));
	fault_state->failed = fault_state->lines = 0;
}

static pid_t parent_of(pid_t pid)
{
	char path[64], stat[512];
	pid_t parent = 0;
	ssize_t n;
	char *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	stat[n > 0 ? n : 0] = 0;
	end = strrchr(stat, ')');
	if (end)
		sscanf(end, ") %*c %d", &parent);
	return parent;
}

/* Ends our children; theirs become ours then. How many there were. */
static uint32_t kill_children(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	uint32_t n = 0;

	while (dir && (d = readdir(dir))) {
		pid_t pid = (pid_t)atoi(d->d_name);

		if (pid > 0 && parent_of(pid) == getpid()) {
			kill(pid, SIGKILL);
			n++;
		}
	}
	if (dir)
		closedir(dir);
	return n;
}

static bool nobody_left(void)
{
	pid_t got;

	do {
		got = waitpid(-1, NULL, WNOHANG | __WALL);
	} while (got > 0);
	return got < 0 && errno == ECHILD;
}

static void end_what_is_left(struct fault_answer *a)
{
	uint64_t begin = now_ms();

	while (!nobody_left()) {
		if (now_ms() - begin > MS_LEFT_ALONE || a->hung) {
			uint32_t n = kill_children();

			a->left = n > a->left ? n : a->left;
		}
		nap();
	}
}

static void wait_for_program(pid_t pid, uint64_t timeout, struct fault_answer *a)
{
	uint64_t begin = now_ms();
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	while (waitpid(pid, &a->status, WNOHANG) != pid) {
		struct timespec ts = { .tv_nsec = 50000000 };

		if (!a->hung && now_ms() - begin > timeout) {
			a->hung = 1;
			kill(pid, SIGKILL);
		}
		sigtimedwait(&set, NULL, &ts);
	}
	end_what_is_left(a);
}

/* Requests until there are no more. Returns in children, whose main() comes next. */
static void serve(int ask, int answer)
{
	struct fault_request r;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	while (read(ask, &r, sizeof(r)) == sizeof(r)) {
		struct fault_answer a = { 0 };
		pid_t pid = fork();

		if (pid < 0)
			_exit(98);
		if (!pid) {
			become_program(&r, ask, answer);
			return;
		}
		wait_for_program(pid, r.timeout, &a);
		a.failed = fault_state->failed;
		memcpy(a.count, fault_state->count, sizeof(a.count));
		if (write(answer, &a, sizeof(a)) != sizeof(a))
			_exit(97);
	}
	_exit(0);
}

static void *map_log(void)
{
	const char *path = getenv("FAULTS_LOG") ?: "faults.log";
	size_t size = FAULT_LINES * sizeof(struct fault_line);
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
	void *log = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)size))
		log = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return log;
}

__attribute__((constructor)) static void before_main(void)
{
	const char *faults = getenv("FAULTS");
	struct fault_request one = { 0 };
	void *warm_up[4], *log;
	int ask, answer;

	if (!faults)
		return;
	fault_begin();
	fault_state = mmap(NULL, sizeof(*fault_state), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	log = map_log();
	if (fault_state == MAP_FAILED || log == MAP_FAILED)
		_exit(96);
	fault_log = log;
	fault_kallsyms = getenv("FAULTS_KALLSYMS");
	backtrace(warm_up, 4); /* loads what it needs */
	unsetenv("LD_PRELOAD");
	unsetenv("FAULTS");
	unsetenv("FAULTS_LOG");
	unsetenv("FAULTS_KALLSYMS");
	if (sscanf(faults, "%d:%d:%" SCNu64, &one.class, &one.how, &one.nth) == 3)
		fault_state->plan = one;
	else if (sscanf(faults, "%d,%d", &ask, &answer) == 2)
		serve(ask, answer);
	else
		_exit(95);
	fault_end();
}
