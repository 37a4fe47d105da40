// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --control: commands from another program, one per line, each answered with "ack\n" after it was
 * carried out. FIFOs are opened for both directions: a reader alone would see the end whenever no
 * writer is there.
 */
#include <fcntl.h>
#include <linux/major.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/capture-int.h"

static int open_fifo(const char *path, int flags, struct err *e)
{
	int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		err_set(e, -errno, "--control: cannot open fifo '%s': %s", path, strerror(errno));
		err_hint(e, "Make it first: mkfifo '%s'", path);
		return e ? e->code : -EINVAL;
	}
	return fd;
}

static int control_fifo(struct control *c, const char *spec, struct err *e)
{
	char *ctl = strdup(spec), *ack;
	int ret = 0;

	if (!ctl)
		return err_set(e, -ENOMEM, "no memory for '%s'", spec);
	ack = strchr(ctl, ',');
	if (ack)
		*ack++ = '\0';
	if (!ctl[0]) {
		free(ctl);
		return err_set(e, -EINVAL, "--control fifo:CTL[,ACK]: the path is missing");
	}
	/* Both directions: a reader alone would see the end whenever no writer is there. */
	c->ctl_fd = open_fifo(ctl, O_RDWR, e);
	if (c->ctl_fd < 0)
		ret = c->ctl_fd;
	if (!ret && ack && ack[0]) {
		c->ack_fd = open_fifo(ack, O_RDWR, e);
		if (c->ack_fd < 0)
			ret = c->ack_fd;
	}
	free(ctl);
	if (ret)
		control_close(c);
	return ret;
}

/*
 * Pipes and terminals are opened again: O_NONBLOCK belongs to what is open, and what we were given
 * the command and our caller may have, too. -1 where @fd is not open.
 */
static int own_descriptor(int fd)
{
	bool other = false; /* the name of a terminal's master opens another terminal */
	char path[32];
	struct stat st;
	int own = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!fstat(fd, &st))
		other = S_ISCHR(st.st_mode) && st.st_rdev == makedev(TTYAUX_MAJOR, 2);
	if (!other && (S_ISFIFO(st.st_mode) || isatty(fd)))
		own = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static int control_fds(struct control *c, const char *spec, struct err *e)
{
	char *end;
	long ctl = strtol(spec, &end, 10), ack = -1;
	int ret;

	if (end == spec || ctl < 0 || (*end && *end != ','))
		return err_set(e, -EINVAL, "--control fd:CTL[,ACK]: '%s' is not a descriptor",
			       spec);
	if (*end == ',') {
		const char *p = end + 1;

		ack = strtol(p, &end, 10);
		if (end == p || ack < 0 || *end)
			return err_set(e, -EINVAL,
				       "--control fd:CTL[,ACK]: '%s' is not a descriptor", p);
	}
	c->ctl_fd = own_descriptor((int)ctl);
	if (ack >= 0)
		c->ack_fd = fcntl((int)ack, F_DUPFD_CLOEXEC, 0);
	if (c->ctl_fd >= 0 && (ack < 0 || c->ack_fd >= 0))
		return 0;
	ret = err_set(e, -errno, "--control: a descriptor of '%s': %s", spec, strerror(errno));
	control_close(c);
	return ret;
}

int control_open(struct control *c, const char *spec, struct err *e)
{
	*c = (struct control){ .ctl_fd = -1, .ack_fd = -1 };
	if (!strncmp(spec, "fifo:", 5))
		return control_fifo(c, spec + 5, e);
	if (!strncmp(spec, "fd:", 3))
		return control_fds(c, spec + 3, e);
	return err_set(e, -EINVAL, "--control takes fifo:CTL[,ACK] or fd:CTL[,ACK], not '%s'",
		       spec);
}

static enum control_cmd parse_command(const char *line, char *arg, size_t size)
{
	static const struct {
		const char *name;
		enum control_cmd cmd;
	} commands[] = {
		{ "enable", CONTROL_ENABLE }, { "disable", CONTROL_DISABLE },
		{ "evlist", CONTROL_EVLIST }, { "snapshot", CONTROL_SNAPSHOT },
		{ "stop", CONTROL_STOP },     { "ping", CONTROL_PING },
	};

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		size_t n = strlen(commands[i].name);

		if (strncmp(line, commands[i].name, n) || (line[n] && line[n] != ' '))
			continue;
		line += n;
		line += strspn(line, " ");
		snprintf(arg, size, "%s", line);
		return commands[i].cmd;
	}
	snprintf(arg, size, "%s", line);
	return CONTROL_UNKNOWN;
}

/*
 * Must not wait: the signals that end a recording are blocked. Who shares a socket with us may read
 * what poll() saw; of the rest only what could not be opened again is left to that.
 */
static ssize_t read_now(int fd, void *to, size_t size)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n = recv(fd, to, size, MSG_DONTWAIT);

	if (n >= 0 || errno != ENOTSOCK)
		return n;
	return poll(&pfd, 1, 0) == 1 ? read(fd, to, size) : -1;
}

enum control_cmd control_next(struct control *c, char *arg, size_t size)
{
	char *end = memchr(c->buf, '\n', c->len);
	enum control_cmd cmd;
	size_t used;

	if (!end) {
		ssize_t n = read_now(c->ctl_fd, c->buf + c->len, sizeof(c->buf) - c->len);

		if (n > 0)
			c->len += (size_t)n;
		c->ended = n == 0;
		end = memchr(c->buf, '\n', c->len);
		if (!end && c->len < sizeof(c->buf))
			return CONTROL_NONE;
		if (!end)
			end = c->buf + c->len - 1; /* no line is this long */
	}
	*end = '\0';
	used = (size_t)(end - c->buf) + 1;
	/* Writers in C often send the NUL of their string too. */
	while (used < c->len && c->buf[used] == '\0')
		used++;
	cmd = parse_command(c->buf, arg, size);
	memmove(c->buf, c->buf + used, c->len - used);
	c->len -= used;
	return cmd;
}

int control_ack(struct control *c)
{
	return c->ack_fd >= 0 && write(c->ack_fd, "ack\n", 5) < 0 ? -errno : 0;
}

void control_close(struct control *c)
{
	if (c->ctl_fd >= 0)
		close(c->ctl_fd);
	if (c->ack_fd >= 0)
		close(c->ack_fd);
	c->ctl_fd = c->ack_fd = -1;
}
