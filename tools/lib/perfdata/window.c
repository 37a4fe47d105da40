// SPDX-License-Identifier: GPL-2.0-or-later
/* A window onto a file or a pipe: the only place that reads record bytes. */
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

ssize_t pread_all(int fd, void *buf, size_t n, uint64_t off)
{
	size_t done = 0;

	if (off > INT64_MAX - n)
		return 0;
	while (done < n) {
		ssize_t r = pread(fd, (char *)buf + done, n - done, (off_t)(off + done));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0)
			break;
		done += (size_t)r;
	}
	return (ssize_t)done;
}

void window_init(struct window *w, int fd, bool seekable, size_t cap)
{
	*w = (struct window){ .fd = fd, .seekable = seekable, .cap = cap };
}

void window_free(struct window *w)
{
	free(w->buf);
	w->buf = NULL;
	w->len = 0;
}

static bool window_grow(struct window *w, size_t cap)
{
	unsigned char *p = realloc(w->buf, cap);

	if (!p) {
		w->code = -ENOMEM;
		return false;
	}
	w->buf = p;
	w->cap = cap;
	return true;
}

static void window_pread(struct window *w, uint64_t off)
{
	ssize_t n = pread_all(w->fd, w->buf, w->cap, off);

	if (n < 0)
		w->code = (int)n;
	w->base = off;
	w->len = n < 0 ? 0 : (size_t)n;
}

/* One read() of a pipe to the end of what is there. */
static void window_pull(struct window *w)
{
	ssize_t n;

	do {
		n = read(w->fd, w->buf + w->len, w->cap - w->len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		w->code = -errno;
	if (n <= 0)
		w->eof = true;
	else
		w->len += (size_t)n;
}

/* Forgets what lies before @off, as far as it was read. */
static void window_drop(struct window *w, uint64_t off)
{
	size_t n = (size_t)min_u64(off - w->base, w->len);

	memmove(w->buf, w->buf + n, w->len - n);
	w->len -= n;
	w->base += n;
}

static void window_read(struct window *w, uint64_t off, size_t need)
{
	while (!w->eof && off + need > w->base + w->len) {
		if (!w->hold && off > w->base)
			window_drop(w, off);
		if (w->len == w->cap && !window_grow(w, w->cap * 2))
			return;
		window_pull(w);
	}
}

const unsigned char *window_slow(struct window *w, uint64_t off, size_t need, size_t *avail)
{
	*avail = 0;
	if (!w->buf && !window_grow(w, w->cap))
		return NULL;
	if (w->seekable) {
		if (need > w->cap && !window_grow(w, need))
			return w->buf;
		window_pread(w, off);
	} else {
		if (off < w->base || off > UINT64_MAX - need)
			return w->buf;
		window_read(w, off, need);
	}
	if (off < w->base || off - w->base > w->len)
		return w->buf;
	*avail = w->len - (size_t)(off - w->base);
	return w->buf + (off - w->base);
}
