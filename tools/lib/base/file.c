// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening and reading whole files whose names somebody else chose. Such a name may lead to a FIFO,
 * a device or a file that never ends: nothing here waits for a writer, and reading stops at a
 * limit of the caller's.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "base/file.h"
#include "base/lack.h"

/* open(), again where a signal came in between: a slow disk can be interrupted. */
static int open_read(const char *path, int flags)
{
	int fd;

	do {
		fd = open(path, flags | O_RDONLY | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

char *file_read_all(const char *path, size_t max, size_t *size, struct err *e)
{
	size_t len = 0, cap = 4096;
	char *buf = malloc(cap), *p;
	int fd = open_read(path, 0);
	ssize_t r = 0;

	if (fd < 0) {
		lack_note(errno, "cannot open", path);
		err_set(e, -errno, "cannot open %s: %s", path, strerror(errno));
		goto fail;
	}
	while (buf && (r = read(fd, buf + len, cap - len - 1)) != 0) {
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0) {
			lack_note(errno, "cannot read", path);
			err_set(e, -errno, "cannot read %s: %s", path, strerror(errno));
			goto fail;
		}
		len += (size_t)r;
		if (len > max) {
			err_set(e, -EFBIG, "%s is larger than %zu bytes", path, max);
			goto fail;
		}
		if (cap - len > 1)
			continue;
		cap *= 2;
		p = realloc(buf, cap);
		if (!p)
			break;
		buf = p;
	}
	if (!buf || r != 0) {
		err_set(e, -ENOMEM, "out of memory reading %s", path);
		goto fail;
	}
	close(fd);
	buf[len] = 0;
	if (size)
		*size = len;
	return buf;
fail:
	if (fd >= 0)
		close(fd);
	free(buf);
	return NULL;
}

int file_open_regular(const char *path, uint64_t *size)
{
	/* O_NONBLOCK: a path of a recording may name a FIFO here. */
	int fd = open_read(path, O_NONBLOCK | O_NOCTTY), ret = 0;
	struct stat st = { .st_size = 0 };

	if (fd < 0 || fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = -ENOEXEC;
	if (ret) {
		lack_note(ret, "cannot open", path);
		if (fd >= 0)
			close(fd);
		return ret;
	}
	*size = (uint64_t)st.st_size;
	return fd;
}

int file_open_below(int root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

ssize_t file_read_at(int fd, void *buf, size_t size, uint64_t at)
{
	size_t n = 0;

	while (n < size) {
		ssize_t r = pread(fd, (char *)buf + n, size - n, (off_t)(at + n));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (!r)
			break;
		n += (size_t)r;
	}
	return (ssize_t)n;
}

struct dirent *file_dir_next(DIR *dir, int *code)
{
	struct dirent *d;

	do {
		errno = 0;
		d = readdir(dir);
	} while (!d && errno == EINTR);
	if (!d && errno)
		*code = -errno;
	return d;
}
