// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"

char *file_read_all(const char *path, size_t max, size_t *size, struct err *e)
{
	size_t len = 0, cap = 4096;
	char *buf = malloc(cap), *p;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t r = 0;

	if (fd < 0) {
		err_set(e, -errno, "cannot open %s: %s", path, strerror(errno));
		goto fail;
	}
	while (buf && (r = read(fd, buf + len, cap - len - 1)) != 0) {
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0) {
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
