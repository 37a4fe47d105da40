// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that we start. The child waits for a byte before it execs, so that events are open
 * and enable_on_exec counts from its first instruction. A failed exec sends its errno back.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/capture-int.h"

/* The parent tells why. */
static _Noreturn void give_up(int err_fd, int code)
{
	if (write(err_fd, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(code == ENOENT ? 127 : 126);
}

static void __attribute__((noreturn)) child(int go_fd, int err_fd, bool stdout_taken, char **argv)
{
	char byte;
	ssize_t n;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	do {
		n = read(go_fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		give_up(err_fd, errno);
	if (n != 1)
		_exit(0); /* the recorder gave up */
	/* What it prints must not get between the records. */
	if (stdout_taken && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		close(STDOUT_FILENO);
	execvp(argv[0], argv);
	give_up(err_fd, errno);
}

int program_start(struct program *w, char **argv, bool stdout_taken, struct err *e)
{
	int go[2], back[2];

	*w = (struct program){ .pid = -1, .go_fd = -1, .err_fd = -1 };
	/* An inherited SIG_IGN would let the child vanish without a status. */
	signal(SIGCHLD, SIG_DFL);
	if (pipe2(go, O_CLOEXEC))
		return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(back, O_CLOEXEC)) {
		int code = -errno;

		close(go[0]);
		close(go[1]);
		return err_set(e, code, "cannot make a pipe: %s", strerror(-code));
	}
	w->pid = fork();
	if (w->pid == 0) {
		close(go[1]);
		close(back[0]);
		child(go[0], back[1], stdout_taken, argv);
	}
	close(go[0]);
	close(back[1]);
	w->go_fd = go[1];
	w->err_fd = back[0];
	if (w->pid < 0) {
		int code = -errno;

		program_free(w);
		return err_set(e, code, "cannot start '%s': %s", argv[0], strerror(-code));
	}
	return 0;
}

int program_why(struct program *w, int ret, struct err *e)
{
	int code;

	if (w->err_fd < 0 || !program_ended(w, true) ||
	    read(w->err_fd, &code, sizeof(code)) != sizeof(code))
		return ret;
	return err_set(e, -code, "cannot run the command: %s", strerror(code));
}

int program_go(struct program *w, struct err *e)
{
	int code = write_all(w->go_fd, "", 1);
	ssize_t n;

	if (code) {
		err_set(e, code, "the command ended before it was started: %s", strerror(-code));
		return code == -EPIPE ? program_why(w, code, e) : code;
	}
	close(w->go_fd);
	w->go_fd = -1;
	/* The pipe closes at exec; a number comes when that failed. */
	do {
		n = read(w->err_fd, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	close(w->err_fd);
	w->err_fd = -1;
	if (n != sizeof(code))
		return 0;
	program_ended(w, true);
	return err_set(e, -code, "cannot run the command: %s", strerror(code));
}

bool program_ended(struct program *w, bool block)
{
	pid_t pid;

	if (w->reaped || w->pid <= 0)
		return w->reaped;
	do {
		pid = waitpid(w->pid, &w->status, block ? 0 : WNOHANG);
		/* a stop is told to whoever traces it: no end */
	} while ((pid < 0 && errno == EINTR) || (pid == w->pid && WIFSTOPPED(w->status)));
	w->reaped = pid == w->pid || (pid < 0 && errno == ECHILD);
	return w->reaped;
}

void program_kill(struct program *w, int sig)
{
	if (w->pid > 0 && !program_ended(w, false))
		kill(w->pid, sig);
}

void program_free(struct program *w)
{
	bool waits = w->go_fd >= 0;

	if (w->go_fd >= 0)
		close(w->go_fd);
	if (w->err_fd >= 0)
		close(w->err_fd);
	w->go_fd = w->err_fd = -1;
	/* Reading the end of the pipe, a child that never started exits by itself. */
	if (waits && w->pid > 0)
		program_ended(w, true);
}
