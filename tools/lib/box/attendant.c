// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The attendant: a fork of the process from before the first byte of a recording was read. It answers one question
 * after the other, and ends when nobody is left to ask, or is killed with its process.
 *
 * A question is one message of a socket pair of kind SEQPACKET, so that nothing has to be cut apart: its number, then
 * bytes that mean something to whoever serves it. An answer is a status, bytes, and perhaps a descriptor.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "box/box-int.h"

struct question {
	uint32_t what;
	char bytes[BOX_BYTES + 1];
};

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static void reply(int fd, int32_t status, const struct box_answer *a)
{
	struct iovec part[] = { { &status, sizeof(status) }, { (void *)a->bytes, a->size } };
	union control c = { .bytes = { 0 } };
	struct msghdr m = { .msg_iov = part, .msg_iovlen = 2 };

	if (a->fd >= 0) {
		m.msg_control = c.bytes;
		m.msg_controllen = sizeof(c.bytes);
		c.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
					   .cmsg_type = SCM_RIGHTS,
					   .cmsg_len = CMSG_LEN(sizeof(int)) };
		memcpy(CMSG_DATA(&c.head), &a->fd, sizeof(a->fd));
	}
	/* Whoever asked may have ended meanwhile. */
	(void)!sendmsg(fd, &m, MSG_NOSIGNAL);
}

static int serve(const struct box_served *table, const struct question *q, size_t size,
		 struct box_answer *a)
{
	const struct box_served *s = q->what < BOX_SERVICES ? &table[q->what] : NULL;

	if (!s || !s->serve)
		return -EPERM;
	return s->serve(s->ctx, q->bytes, size, a);
}

/* What it works with, from before the fork: where memory is short, that it ends would be told as a broken pipe. */
struct room {
	struct question q;
	struct box_answer a;
};

static void attend(int fd, const struct box_served *table, struct room *r)
{
	static const size_t head = offsetof(struct question, bytes);
	struct box_answer *a = &r->a;
	struct question *q = &r->q;
	ssize_t n;

	for (;;) {
		n = recv(fd, q, sizeof(*q) - 1, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < (ssize_t)head)
			return;
		q->bytes[(size_t)n - head] = 0;
		a->fd = -1;
		a->size = 0;
		reply(fd, serve(table, q, (size_t)n - head, a), a);
		if (a->fd >= 0)
			close(a->fd);
	}
}

/* Readers of our output wait until nobody can write it: that must not be the attendant. */
static void let_go(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

static void start(int fd, const struct box_opts *o, struct room *r)
{
	static const int others[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	struct attendant keeps = { .o = o };
	struct box_served table[BOX_SERVICES] = { 0 };

	if (o->served)
		memcpy(table, o->served, sizeof(table));
	table[BOX_OUTPUT] = (struct box_served){ box_serve_output, &keeps };
	table[BOX_KEEP] = (struct box_served){ box_serve_keep, &keeps };
	table[BOX_TEMP] = (struct box_served){ box_serve_temp, &keeps };
	table[BOX_TERMINAL] = (struct box_served){ box_serve_terminal, &keeps };
	/*
	 * What ends whoever asks, or is a key there, comes to all of a terminal or a group. Here the end of the questions is
	 * the end, whatever became of the one who asked: files that were begun have to be removed.
	 */
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		signal(others[i], SIG_IGN);
	let_go();
	attend(fd, table, r);
	/* Files that were never whole. */
	for (size_t i = 0; i < BOX_OPEN; i++)
		if (keeps.open[i])
			box_keep_replacement(&keeps.open[i]->file, false);
}

int box_attend(const struct box_opts *o)
{
	struct room *r =
		mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fds[2], ret;
	pid_t pid;

	if (r == MAP_FAILED)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds)) {
		ret = -errno;
		munmap(r, sizeof(*r));
		return ret;
	}
	pid = fork();
	if (!pid) {
		close(fds[0]);
		start(fds[1], o, r);
		_exit(0);
	}
	munmap(r, sizeof(*r));
	close(fds[1]);
	if (pid > 0)
		return fds[0];
	close(fds[0]);
	return -EAGAIN;
}
