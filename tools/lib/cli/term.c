// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What depends on a terminal: colours, width, the pager, the progress line. Each asks about the
 * file descriptor that it writes to, and stays away where that is none; a slim system without a
 * pager is no error.
 *
 * A pager is a child that reads our stdout. Whoever started it closes stdout and waits at the end,
 * else the shell's prompt comes before the last page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

bool cli_use_color(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (no && *no)
		return false;
	return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

int cli_terminal_width(int fd, int fallback)
{
	struct winsize ws;

	if (ioctl(fd, TIOCGWINSZ, &ws) || !ws.ws_col)
		return fallback;
	return ws.ws_col;
}

static pid_t pager_pid;

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool cli_has_program(const char *command)
{
	const char *dirs = getenv("PATH");
	char path[4096];
	int n = (int)strcspn(command, " \t");

	if (command[strcspn(command, "\\'\"`$&|;<>()=~")])
		return true; /* more than a name and its options: the shell's business */
	if (memchr(command, '/', (size_t)n)) {
		snprintf(path, sizeof(path), "%.*s", n, command);
		return is_program(path);
	}
	if (!dirs)
		dirs = "/usr/bin:/bin";
	for (;;) {
		int len = (int)strcspn(dirs, ":");

		snprintf(path, sizeof(path), "%.*s/%.*s", len ? len : 1, len ? dirs : ".", n,
			 command);
		if (is_program(path))
			return true;
		if (!dirs[len])
			return false;
		dirs += len + 1;
	}
}

/* The command line to run; NULL = none, which is no error: slim systems have no pager. */
static const char *find_pager(void)
{
	static const char *const names[] = { "PERF_PAGER", "PAGER" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *pager = getenv(names[i]);

		if (!pager)
			continue;
		pager += strspn(pager, " \t");
		if (!*pager || !strcmp(pager, "cat"))
			return NULL;
		if (cli_has_program(pager))
			return pager;
		log_warn("no pager: %s is '%s', which is not installed here", names[i], pager);
		return NULL;
	}
	return cli_has_program("less") ? "less" : NULL;
}

void cli_pager_start(void)
{
	const char *pager;
	int pipefd[2];

	if (pager_pid || !isatty(1) || !is_program("/bin/sh"))
		return;
	pager = find_pager();
	if (!pager || pipe(pipefd))
		return;
	fflush(stdout);
	pager_pid = fork();
	if (pager_pid == 0) {
		dup2(pipefd[0], 0);
		close(pipefd[0]);
		close(pipefd[1]);
		setenv("LESS", "FRSX", 0);
		/* PAGER is the user's own command line, as for every program that honours it. */
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
		_exit(127);
	}
	if (pager_pid > 0)
		dup2(pipefd[1], 1);
	else
		pager_pid = 0;
	close(pipefd[0]);
	close(pipefd[1]);
}

void cli_pager_wait(void)
{
	if (!pager_pid)
		return;
	fflush(stdout);
	close(1);
	while (waitpid(pager_pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager_pid = 0;
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

void cli_progress_start(struct cli_progress *p, const char *title)
{
	*p = (struct cli_progress){ .title = title, .start_ns = now_ns(), .enabled = isatty(2) };
	p->last_ns = p->start_ns;
}

bool cli_progress_update(void *ctx, uint64_t done, uint64_t total)
{
	struct cli_progress *p = ctx;
	int64_t now;

	if (!p->enabled)
		return false;
	now = now_ns();
	if (now - p->start_ns < 1000000000LL || now - p->last_ns < 100000000LL)
		return false;
	p->last_ns = now;
	p->shown = true;
	if (total)
		fprintf(stderr, "\r%s %3.0f%%", p->title, 100.0 * (double)done / (double)total);
	else
		fprintf(stderr, "\r%s %.0f MB", p->title, (double)done / 1e6);
	return false;
}

void cli_progress_end(struct cli_progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r%*s\r", (int)strlen(p->title) + 20, "");
	p->shown = false;
}
