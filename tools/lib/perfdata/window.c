// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A window onto a file or a pipe: the only place that reads record bytes; window-view.c looks at some, and copies
 * some into one while the file has them. Files are read, not mapped: one that another program cuts short then
 * ends, where a mapping would raise SIGBUS. A record lies in one piece, since the window moves when the next one
 * does not fit. Windows whose records are still wanted are kept whole and handed back when nobody needs them, so
 * that ordering copies nothing.
 */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/lack.h"
#include "perfdata-int.h"

ssize_t window_pread(int fd, void *buf, size_t n, uint64_t off)
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
	w->keep = false;
}

/* ---- what is kept --------------------------------------------------------------------------------- */

void window_kept_free(struct kept *k)
{
	vec_for_each (b, &k->block)
		free(b->buf);
	vec_for_each (p, &k->spare)
		free(*p);
	vec_free(&k->block);
	vec_free(&k->spare);
}

void window_kept_release(struct kept *k, uint64_t off)
{
	size_t n = 0;

	while (n < k->block.n && k->block.v[n].base + k->block.v[n].len <= off) {
		if (vec_push(&k->spare, k->block.v[n].buf))
			free(k->block.v[n].buf);
		n++;
	}
	k->block.n -= n;
	if (n && k->block.n)
		memmove(k->block.v, k->block.v + n, k->block.n * sizeof(*k->block.v));
}

/* The buffer goes to what is kept; another one takes its place with the next read. */
static void window_keep(struct window *w)
{
	struct kept *k = w->kept;

	if (!w->keep)
		return;
	/* Cannot fail: window_fill_file() made room. */
	k->block.v[k->block.n++] = (struct kept_block){ w->buf, w->base, w->len };
	w->keep = false;
	w->buf = k->spare.n ? k->spare.v[--k->spare.n] : NULL;
	w->len = 0;
}

static const unsigned char *block_at(const struct kept_block *b, uint64_t off, size_t need,
				     size_t *avail)
{
	if (off < b->base || off - b->base > b->len || b->len - (off - b->base) < need)
		return NULL;
	*avail = b->len - (size_t)(off - b->base);
	return b->buf + (off - b->base);
}

const unsigned char *window_kept(const struct window *w, uint64_t off, size_t need, size_t *avail)
{
	const struct kept *k = w->kept;
	size_t lo = 0, n = k ? k->block.n : 0;

	if (w->keep && off >= w->base)
		return block_at(&(struct kept_block){ w->buf, w->base, w->len }, off, need, avail);
	/* The last one that starts at or before @off. */
	while (n > 1) {
		size_t half = n / 2;

		if (k->block.v[lo + half].base <= off)
			lo += half;
		n -= half;
	}
	return n ? block_at(&k->block.v[lo], off, need, avail) : NULL;
}

/* ---- reading ---------------------------------------------------------------------------------------- */

#define WAIT_MS 100

static bool window_grow(struct window *w, size_t cap)
{
	unsigned char *p = cap ? realloc(w->buf, cap) : NULL; /* to 0 bytes it would free */

	if (!p) {
		w->code = -ENOMEM;
		return false;
	}
	w->buf = p;
	w->cap = cap;
	return true;
}

static void window_fill_file(struct window *w, uint64_t off, size_t need)
{
	size_t ask = w->look ? min_u64(w->cap, max_u64(w->look, need)) : w->cap;
	ssize_t n = window_pread(w->fd, w->buf, ask, off);

	if (n < 0) {
		w->code = (int)n;
		lack_note(w->code, "cannot read", "the recording");
	}
	w->base = off;
	w->len = n < 0 ? 0 : (size_t)n;
	/* Spare buffers are all of this size. */
	w->keep = w->kept && w->len && w->cap == WINDOW_SIZE && w->kept->block.n < w->kept->max &&
		  !vec_reserve(&w->kept->block, w->kept->block.n + 1);
}

/* Until a pipe has something to read, or its end. */
static void window_wait(struct window *w)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };

	while (!w->left) {
		int n = poll(&p, 1, WAIT_MS);

		/* A signal, as of a window that changes its size, is no data: read() would wait for it. */
		if (n > 0 || (n < 0 && errno != EINTR))
			return;
		w->left = w->waits(w->ctx);
	}
	w->eof = true;
}

/* One read() of a pipe to the end of what is there. */
static void window_pull(struct window *w)
{
	ssize_t n;

	if (w->waits)
		window_wait(w);
	if (w->eof)
		return;
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

bool window_put(struct window *w, uint64_t off, const unsigned char *p, size_t n)
{
	if (n > w->cap || (!w->buf && !window_grow(w, w->cap)))
		return false;
	memcpy(w->buf, p, n);
	w->base = off;
	w->len = n;
	return true;
}

const unsigned char *window_slow(struct window *w, uint64_t off, size_t need, size_t *avail)
{
	*avail = 0;
	window_keep(w);
	if (!w->buf && !window_grow(w, w->cap))
		return NULL;
	if (w->seekable) {
		if (need > w->cap && !window_grow(w, need))
			return w->buf;
		window_fill_file(w, off, need);
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
