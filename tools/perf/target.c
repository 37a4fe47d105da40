// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a recording that is made of others goes. */
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "target.h"

static int open_descriptor(struct target *t, int fd, struct err *e)
{
	if (isatty(fd)) {
		err_set(e, -EINVAL, "a recording is not written to a terminal");
		err_hint(e, "Name a file, or send it on: ... | perf report -i -");
		return -EINVAL;
	}
	t->out.fd = dup(fd);
	t->out.pipe = true;
	return t->out.fd < 0
		       ? err_set(e, -errno, "cannot use descriptor %d: %s", fd, strerror(errno))
		       : 0;
}

int target_open(struct target *t, const char *path, struct err *e)
{
	int fd = output_descriptor(path), ret;
	struct stat st;

	t->path = path;
	if (fd >= 0)
		return open_descriptor(t, fd, e);
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return box_output_open(&t->out, path, OUTPUT_RECORDING, &LOG_STDERR, e);
	ret = box_replace_open(&t->file, path, false);
	t->out.fd = t->file.fd;
	return ret ? err_set(e, ret, "cannot create %s: %s", path, strerror(-ret)) : 0;
}

int target_close(struct target *t, int ret, struct err *e)
{
	int closed;

	if (t->out.fd < 0)
		return ret;
	closed = t->file.fd >= 0    ? box_replace_close(&t->file, !ret)
		 : close(t->out.fd) ? -errno
				    : 0;
	if (closed && !ret)
		ret = err_set(e, closed, "cannot write %s: %s", t->path, strerror(-closed));
	return ret;
}
