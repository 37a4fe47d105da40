// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entering, asking, and what callers have in place of open(). The attendant comes first, because it must stay outside,
 * then Landlock, which wants to open directories, then the filter. All else in here is the same in a box and outside: a function
 * that asks where there is somebody to ask.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/box-int.h"

/* A process is boxed as a whole, for good; and one question is asked at a time. */
static struct box {
	bool closed;
	int fd; /* the attendant's; -errno: there is none */
	struct box_state state;
	pthread_mutex_t asking;
} the = { .asking = PTHREAD_MUTEX_INITIALIZER };

/*
 * Valgrind makes system calls of its own, which the program's filter would meet. It is there by a library of
 * its own that it has programs load.
 */
static bool is_emulated(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "/vgpreload_");
}

void box_enter(const struct box_opts *o)
{
	int fd;

	if (the.closed)
		return;
	the.state = (struct box_state){ .seccomp = -EBUSY, .landlock = -EBUSY };
	if (is_emulated())
		return;
	/* Where there can be no second process the walls hold all the same, and who asks is refused. */
	fd = box_attend(o);
	the.state.landlock = box_landlock(o);
	the.state.seccomp = box_filter();
	the.state.holds =
		(the.state.seccomp ? 0 : BOX_SECCOMP) | (the.state.landlock < 0 ? 0 : BOX_LANDLOCK);
	the.fd = fd;
	the.closed = the.state.holds || BOX_SANITIZED;
	if (!the.closed && fd >= 0)
		close(fd);
}

struct box_state box_state(void)
{
	return the.state;
}

struct box_state box_try(void)
{
	static const struct box_opts all = { .objects = true };
	struct box_state s = { .seccomp = -EAGAIN, .landlock = -EAGAIN };
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		return s;
	pid = fork();
	if (!pid) {
		box_enter(&all);
		_exit(write(fds[1], &the.state, sizeof(the.state)) != sizeof(the.state));
	}
	close(fds[1]);
	if (pid < 0 || read(fds[0], &s, sizeof(s)) != sizeof(s))
		s.holds = 0;
	close(fds[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return s;
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool box_closed(void)
{
	return the.closed;
}

static int take_answer(struct box_answer *a)
{
	int32_t status = 0;
	struct iovec part[] = { { &status, sizeof(status) }, { a->bytes, sizeof(a->bytes) } };
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} c = { .bytes = { 0 } };
	struct msghdr m = { .msg_iov = part,
			    .msg_iovlen = 2,
			    .msg_control = c.bytes,
			    .msg_controllen = sizeof(c.bytes) };
	ssize_t n;

	do {
		n = recvmsg(the.fd, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < (ssize_t)sizeof(status))
		return n < 0 ? -errno : -EPIPE;
	a->size = (size_t)n - sizeof(status);
	if (m.msg_controllen >= sizeof(c.head) && c.head.cmsg_type == SCM_RIGHTS)
		memcpy(&a->fd, CMSG_DATA(&c.head), sizeof(a->fd));
	return status;
}

int box_ask(enum box_service what, const void *q, size_t size, struct box_answer *a)
{
	uint32_t head = what;
	struct iovec part[] = { { &head, sizeof(head) }, { (void *)q, size } };
	ssize_t n;
	int ret;

	a->fd = -1;
	a->size = 0;
	if (!the.closed || size > BOX_BYTES)
		return -EINVAL;
	if (the.fd < 0)
		return the.fd;
	pthread_mutex_lock(&the.asking);
	do {
		n = writev(the.fd, part, 2);
	} while (n < 0 && errno == EINTR);
	ret = n < 0 ? -errno : take_answer(a);
	pthread_mutex_unlock(&the.asking);
	return ret;
}

/* A byte, which may be 0, and a path; a descriptor or -errno. */
static int ask_for_file(int how, const char *path, struct box_answer *a)
{
	char q[4096];
	int n = snprintf(q, sizeof(q), "%c%s", how, path), ret;

	if (n < 1 || n >= (int)sizeof(q))
		return -ENAMETOOLONG;
	ret = box_ask(BOX_OUTPUT, q, (size_t)n, a);
	return ret < 0 ? ret : a->fd;
}

/* ---- in place of open() ---------------------------------------------------------------------- */

static int refused(const char *path, int why, struct err *e)
{
	err_set(e, why, "cannot create '%s': %s", path, strerror(-why));
	if (why == -EPERM)
		err_hint(e, "While a recording is read only what the options name is written. "
			    "--no-sandbox lifts that.");
	if (the.fd < 0)
		err_hint(e,
			 "No second process could be started (ulimit -u?), and the one that reads "
			 "may not write. --no-sandbox lets it.");
	return why;
}

int box_output_open(struct output *out, const char *path, enum output_kind kind,
		    const struct log_sink *log, struct err *e)
{
	struct box_output_answer got;
	struct box_answer a;
	int ret;

	if (!the.closed || output_descriptor(path) >= 0)
		return output_open(out, path, kind, log, e);
	a.size = 0;
	*out = (struct output){ .fd = -1 };
	ret = ask_for_file((int)kind, path, &a);
	if (a.size != sizeof(got))
		return refused(path, ret < 0 ? ret : -EIO, e);
	memcpy(&got, a.bytes, sizeof(got));
	*out = got.out;
	out->fd = ret < 0 ? -1 : ret;
	if (ret < 0 && e)
		*e = got.err;
	return ret < 0 ? ret : 0;
}

int box_save_open(const char *path, bool over)
{
	struct box_answer a;

	return the.closed ? ask_for_file(over ? BOX_SAVE_OVER : BOX_SAVE_NEW, path, &a)
			  : box_new_save(path, over);
}

int box_replace_open(struct box_replacement *r, const char *path, bool shared)
{
	struct box_answer a;

	if (!the.closed)
		return box_new_replacement(r, path, shared);
	*r = (struct box_replacement){ .path = path, .fd = -1 };
	r->fd = ask_for_file(shared ? BOX_REPLACE_SHARED : BOX_REPLACE, path, &a);
	if (r->fd < 0)
		return r->fd;
	r->number = a.bytes[0];
	return 0;
}

int box_replace_close(struct box_replacement *r, bool keep)
{
	struct box_answer a;
	int ret = close(r->fd) && keep ? -errno : 0, asked;
	char q[2] = { keep && !ret, (char)r->number };

	if (!the.closed)
		return box_keep_replacement(r, q[0]) ?: ret;
	asked = box_ask(BOX_KEEP, q, sizeof(q), &a);
	if (!asked)
		return ret;
	/* The file with the name for a while must not stay. */
	q[0] = 0;
	box_ask(BOX_KEEP, q, sizeof(q), &a);
	return asked;
}

int box_open_in_root(int32_t pid, const char *path, int flags)
{
	int32_t head[2] = { pid, flags & O_NOFOLLOW };
	char q[sizeof(head) + 4096];
	size_t n = strlen(path);
	struct box_answer a;
	int ret;

	if (n >= sizeof(q) - sizeof(head))
		return -ENAMETOOLONG;
	memcpy(q, head, sizeof(head));
	memcpy(q + sizeof(head), path, n);
	ret = box_ask(BOX_ROOT_FILE, q, sizeof(head) + n, &a);
	return ret < 0 ? ret : a.fd;
}

int box_open(const char *path, int flags)
{
	int fd = open(path, flags), pid, n = 0;

	if (fd >= 0)
		return fd;
	fd = -errno;
	if (fd != -EACCES || !the.closed || sscanf(path, "/proc/%d/root%n", &pid, &n) < 1 ||
	    path[n] != '/')
		return fd;
	return box_open_in_root(pid, path + n, flags);
}

int box_temp_file(void)
{
	struct box_answer a;
	int ret;

	if (!the.closed)
		return box_new_temp();
	ret = box_ask(BOX_TEMP, "", 0, &a);
	return ret < 0 ? ret : a.fd;
}

int box_terminal(void)
{
	struct box_answer a;
	int ret;

	if (!the.closed)
		return box_new_terminal();
	ret = box_ask(BOX_TERMINAL, "", 0, &a);
	return ret < 0 ? ret : a.fd;
}
